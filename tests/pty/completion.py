# SPDX-License-Identifier: ISC
"""The completions, in the shells they are for: keys go in, and the line
that the shell shows is what is looked at."""

import os
import pty
import select
import shutil
import signal
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from tap import Tap  # noqa: E402

TOP = os.environ["abs_top_srcdir"]
BUILD = os.environ["abs_top_builddir"]
DEADLINE = 60.0

# Keys, and what must then be on the screen.
CASES = [
    ("aegshctl hist\t", "aegshctl history "),
    ("aegshctl config sh\t", "aegshctl config show "),
    ("aegshctl history --unf\t", "aegshctl history --unfinished "),
    ("aegshctl history --decision bl\t", "aegshctl history --decision block "),
    ("aegshctl history --user roo\t", "aegshctl history --user root "),
    ("aegsh -o ask-t\t", "aegsh -o ask-timeout="),
    ("aegsh --prof\t", "aegsh --profile "),
    ("aegsh some-f\t", "aegsh some-file "),
]
tap = Tap()


class Shell:
    def __init__(self, argv, env, cwd):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execvpe(argv[0], argv, env)
        self.seen = ""

    def send(self, text):
        self.seen = ""
        os.write(self.fd, text.encode())

    def wait_for(self, text):
        end = time.monotonic() + DEADLINE
        while text not in self.seen:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                return False
            try:
                self.seen += os.read(self.fd, 4096).decode("utf-8", "replace")
            except OSError:
                return False
        return True

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def run(name, argv, setup, env, cwd):
    shell = Shell(argv, env, cwd)
    shell.send(setup + " && echo rea''dy\n")
    if not shell.wait_for("ready"):
        tap.ok(False, name + ": starts", shell.seen)
    # Keys that come before the prompt are the terminal's, not its.
    shell.seen = shell.seen.rpartition("ready")[2]
    if not shell.wait_for("> "):
        tap.ok(False, name + ": has a prompt", shell.seen)
    for keys, want in CASES:
        # ^U empties the line of bash and of zsh alike.
        shell.send("\x15" + keys)
        tap.ok(shell.wait_for(want), "%s: %r" % (name, keys), shell.seen)
    shell.close()


def main():
    root = tempfile.mkdtemp(prefix="aegsh-test-")
    try:
        bindir = os.path.join(root, "bin")
        zshdir = os.path.join(root, "zsh")
        for d in (bindir, zshdir, os.path.join(root, "etc")):
            os.mkdir(d)
        open(os.path.join(root, "some-file"), "w").close()
        os.symlink(os.path.join(BUILD, "tests/bin/aegshctl"),
                   os.path.join(bindir, "aegshctl"))
        os.symlink("/bin/true", os.path.join(bindir, "aegsh"))
        os.symlink(os.path.join(TOP, "completions/zsh/_aegshctl"),
                   os.path.join(zshdir, "_aegshctl"))
        env = {"PATH": bindir + ":/usr/bin:/bin", "HOME": root,
               "TERM": "dumb", "LC_ALL": "C.UTF-8", "AEGSH_TEST_ROOT": root,
               "PS1": "> ", "COLUMNS": "200"}
        run("bash", ["bash", "--norc", "--noprofile", "-i"],
            "bind 'set bell-style none'; . '%s/completions/bash/aegsh'" % TOP,
            env, root)
        if shutil.which("zsh", path=env["PATH"]):
            run("zsh", ["zsh", "-f", "-i"],
                "fpath=(%s $fpath); autoload -Uz compinit; "
                "compinit -u -d %s/dump; unsetopt beep" % (zshdir, root),
                env, root)
        else:
            tap.skip("zsh", "it is not installed")
    finally:
        shutil.rmtree(root)
    tap.done()


main()
