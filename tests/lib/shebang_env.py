# SPDX-License-Identifier: ISC
"""What the tests of auto-shebang share: where the program is, a directory of
aliases, a clean environment, and small helpers for shell cases."""
import atexit
import os
import subprocess
import tempfile

BUILD = os.environ.get("abs_top_builddir") or os.getcwd()
SOURCE = os.environ.get("abs_top_srcdir") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(BUILD, "auto-shebang")

# interp PATH WORD: an interpreter that is a script and says WORD and its
# arguments; script PATH ALIAS LINE...: a script run by the alias, with
# lines; out of the way of what a case prints.
PRELUDE = r"""
interp() { mkdir -p "$(dirname -- "$1")"
	printf '#!/bin/sh\necho %s "$@"\n' "$2" >"$1"; chmod 755 -- "$1"; }
program() { mkdir -p "$(dirname -- "$1")"; ln -s /bin/echo "$1"; }
script() { mkdir -p "$(dirname -- "$1")"; file_=$1
	printf '#!%s/%s\n' "$A" "$2" >"$file_"; shift 2
	for line_; do printf '%s\n' "$line_" >>"$file_"; done
	chmod 755 -- "$file_"; }
"""


def directory(prefix):
    """A fresh directory, gone at the end; its path holds no link."""
    path = os.path.realpath(tempfile.mkdtemp(prefix=prefix))
    os.chmod(path, 0o755)
    # rm, since trees may be deeper than Python recurses.
    atexit.register(subprocess.run, ["/bin/rm", "-rf", path], check=False)
    return path


def aliases(*names):
    """A directory with the program and aliases of it."""
    if not os.access(PROGRAM, os.X_OK):
        print("Bail out! %s is not built" % PROGRAM)
        raise SystemExit(99)
    path = directory("aegsh-alias-")
    os.symlink(PROGRAM, os.path.join(path, "auto-shebang"))
    for name in names:
        os.symlink(PROGRAM, os.path.join(path, name))
    return path


def environment(alias_dir):
    return {
        "PATH": alias_dir + ":/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        "A": alias_dir,
        "SHLIB": os.path.join(SOURCE, "share", "auto-shebang",
                              "auto-shebang.sh.in"),
    }
