# SPDX-License-Identifier: ISC
"""Who can get at a record: from outside no other user, by no name of any file
that it consists of; from inside of a line not even its own user."""
import glob
import os
import shutil
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from exec_rig import unused_uid  # noqa: E402
from procs import DEADLINE  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place(leaks=False)
CTL, AEGSH = program("aegshctl"), program("aegsh")
with open(root + "/etc/aegsh.conf", "w", encoding="utf-8") as f:
    f.write('prompt = "READY> "\noutput = full\n')


def run(*argv):
    return subprocess.run(argv, env=env, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, timeout=DEADLINE,
                          stdin=subprocess.DEVNULL)


# A database, a spool, output, and the key of the tags.
s = Session([AEGSH], env=env, cwd=env["HOME"])
s.expect("READY> ")
s.run("echo something", "READY> ")
s.line("exit")
s.wait()
s.close()
copy = root + "/home/copy.db"
run(CTL, "audit", "backup", copy)
run(AEGSH, "-c", "echo more")
STORE, = glob.glob(root + "/own/*")
parts = [STORE] + sorted(os.path.join(where, name)
                         for where, dirs, files in os.walk(STORE)
                         for name in dirs + files)
names = {os.path.relpath(p, STORE).split("/")[0] for p in parts}
tap.ok({"audit.db", "audit.spool", "output", "redact.key"} <= names,
       "a record of every part", sorted(names))
loose = [(p, oct(os.lstat(p).st_mode)) for p in parts + [copy]
         if stat.S_IMODE(os.lstat(p).st_mode) & 0o077 or
         os.lstat(p).st_uid != os.geteuid()]
tap.same(loose, [], "each of them is its user's alone")

# ---- from outside -------------------------------------------------------------
TRY = r"""
import os, sys
for path in sys.argv[1:]:
    for name, act in (
            ("read", lambda: os.close(os.open(path, os.O_RDONLY))),
            ("write", lambda: os.close(os.open(path, os.O_WRONLY))),
            ("list", lambda: os.listdir(path)),
            ("make", lambda: os.close(os.open(path + "/x", os.O_CREAT |
                                              os.O_WRONLY))),
            ("rename", lambda: os.rename(path, path + ".x")),
            ("link", lambda: os.link(path, sys.argv[-1] + "/link")),
            ("chmod", lambda: os.chmod(path, 0o777)),
            ("truncate", lambda: os.truncate(path, 0))):
        try:
            act()
        except OSError:
            continue
        print(name, path)
print("tried")
"""
WHAT = "another user can do nothing to any of them"
ASKED = "nor is another user shown it"
if os.geteuid() != 0:
    tap.skip(WHAT, "it takes root to be another user")
    tap.skip(ASKED, "it takes root to be another user")
else:
    other = unused_uid()
    as_other = ["setpriv", "--reuid", str(other), "--regid", str(other),
                "--clear-groups"]
    # What stands beside it can be got at: the way there is open.
    where = root + "/home/others"
    os.mkdir(where)
    os.chown(where, other, other)
    with open(where + "/control", "w", encoding="utf-8"):
        pass
    os.chown(where + "/control", other, other)
    done = run(*as_other, "/usr/bin/python3", "-c", TRY, where + "/control",
               where)
    tap.ok("read %s/control" % where in done.stdout,
           "the way there is open", done.stdout)
    before = [(p, os.lstat(p)[:7]) for p in parts]
    done = run(*as_other, "/usr/bin/python3", "-c", TRY, *parts, copy)
    tap.same(done.stdout, "tried\n", WHAT)
    tap.same([(p, os.lstat(p)[:7]) for p in parts], before,
             "and they are as they were")
    done = run(*as_other, CTL, "history", "--user", "root")
    tap.ok(done.returncode != 0 and "something" not in done.stdout, ASKED,
           done)

# ---- from inside --------------------------------------------------------------
own = shutil.copy(CTL, root + "/home/aegshctl")
for words in ("history", "audit log", "audit export", "audit show 1",
              "audit replay 1", "audit report"):
    done = run(AEGSH, "-c", "%s %s" % (own, words))
    tap.ok(done.returncode != 0 and "something" not in done.stdout and
           "look from outside" in done.stdout, "a line is not shown it: " + words, done)
tap.done()
