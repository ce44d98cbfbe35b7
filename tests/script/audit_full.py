# SPDX-License-Identifier: ISC
"""A store on a file system that fills up, and on one that turns read-only: a
small tmpfs in a mount name space of this test's own.  Its user is nobody, the
operator is root."""

import ctypes
import glob
import json
import os
import pwd
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE, until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
CTL, AEGSH = program("aegshctl"), program("aegsh")
OWN = os.path.join(root, "own")
USER = pwd.getpwnam("nobody")
# More than what a spool has ahead of its end, after a few.
LONG = "echo ran # " + "x" * 60000
LIBC = ctypes.CDLL(None, use_errno=True)
NEWNS, REMOUNT, RDONLY = 0x00020000, 32, 1
REC_PRIVATE = 0x4000 | 0x40000


def mount(kind, flags, data):
    return LIBC.mount(b"aegsh", OWN.encode(), kind, ctypes.c_ulong(flags),
                      data) == 0


def own_mounts():
    return LIBC.unshare(NEWNS) == 0 and \
        LIBC.mount(b"none", b"/", None, REC_PRIVATE, None) == 0 and \
        mount(b"tmpfs", 0, b"size=4m,mode=1777")


def run(*argv):
    return subprocess.run(argv, env=env, timeout=DEADLINE, cwd="/",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          user=USER.pw_uid, group=USER.pw_gid,
                          extra_groups=[])


def ctl(*args):
    return run(CTL, *args)


def lines():
    done = ctl("audit", "log", "--json", "-n", "0")
    return [json.loads(x) for x in done.stdout.splitlines()]


def fill():
    """To the last byte."""
    for name, size in (("filler", 4096), ("filler2", 1)):
        with open(os.path.join(OWN, name), "wb", buffering=0) as f:
            try:
                while f.write(b"x" * size):
                    pass
            except OSError:
                pass


def free():
    for name in ("filler", "filler2"):
        os.unlink(os.path.join(OWN, name))


def aegsh(line):
    return run(AEGSH, "-c", line)


def managed(yes):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as f:
        f.write("mode = managed\n" if yes else "")


def verifies():
    return ctl("audit", "verify").returncode == 0


def prompts():
    """A session that meets a full disk: nothing stops it, and the same one
    records again."""
    s = Session([AEGSH], env=env, cwd="/", uid=USER.pw_uid)
    s.expect(rb"[$#] $")
    s.line("echo be\"\"fore")
    s.expect(rb"before[^$#]*[$#] $")
    fill()
    s.line("echo mean\"\"while")
    tap.ok(s.expect(rb"meanwhile"), "a personal line runs", s.seen)
    tap.ok(s.expect(rb"not recorded: [^\r]*") and s.expect(rb"[$#] $"),
           "and that it is not recorded is said at the prompt", s.seen)
    s.line("cd /")
    s.expect(rb"[$#] $")
    s.line("pwd")
    tap.ok(s.expect(rb"\n/\r"), "builtins work", s.seen)
    s.expect(rb"[$#] $")
    free()
    s.line("echo af\"\"ter")
    s.expect(rb"after[^$#]*[$#] $")
    fill()
    s.line("exit 3")
    status = s.wait()
    tap.ok(os.WIFEXITED(status) and os.WEXITSTATUS(status) == 3,
           "exit leaves a session on a full disk", status, s.seen)
    free()
    got = [r["line"][:60] for r in lines()]
    tap.ok('echo be""fore' in got and 'echo af""ter' in got and verifies(),
           "what came before and after is recorded, and verifies", got)


def commands():
    managed(False)
    aegsh("true")
    fill()
    for _ in range(9):
        done = aegsh(LONG)
        if done.stderr:
            break
    tap.ok(done.stdout == b"ran\n" and b"not recorded" in done.stderr,
           "-c, personal: it runs, and says so", done)
    managed(True)
    done = aegsh(LONG)
    tap.ok(done.stdout == b"" and b"cannot be recorded" in done.stderr,
           "managed: it does not run", done)
    got = ctl("audit", "log"), ctl("audit", "verify")
    tap.ok(got[0].returncode == 0 and got[1].returncode == 0,
           "the record is read all the same", *got)
    free()
    managed(False)
    done = aegsh("exit 5")
    tap.ok(done.returncode == 5 and done.stderr == b"" and
           (lines()[-1]["line"], lines()[-1]["status"]) == ("exit 5", 5),
           "with room again it is recorded", done)


def reserve():
    """What a spool has ahead of its end takes the outcome of a line that
    began before the disk was full."""
    store, = glob.glob(os.path.join(OWN, "aegsh-*"))
    aegsh("true")
    before = len(lines())
    fill()
    run = aegsh("sh -c 'exit 7'")
    free()
    got = lines()
    if run.stderr:
        tap.ok(b"not recorded" in run.stderr and len(got) == before,
               "what does not fit is said, and not there by half", run)
    else:
        tap.ok(len(got) == before + 1 and got[-1]["status"] == 7,
               "what is kept free takes a line and its outcome", run, got)
    tap.ok(os.path.exists(os.path.join(store, "audit.db")) and verifies(),
           "and it verifies")


def read_only():
    before = len(lines())
    # Whoever still writes there keeps it from that.
    tap.ok(until(lambda: mount(None, REMOUNT | RDONLY, None)), "remounted",
           os.strerror(ctypes.get_errno()))
    done = aegsh("echo ran")
    tap.ok(done.stdout == b"ran\n" and b"not recorded" in done.stderr,
           "read-only, personal: it runs, and says so", done)
    managed(True)
    done = aegsh("echo ran")
    tap.ok(done.stdout == b"" and b"cannot be recorded" in done.stderr,
           "managed: it does not run", done)
    managed(False)
    tap.ok(len(lines()) == before and verifies(), "it is read all the same")
    s = Session([AEGSH], env=env, cwd="/", uid=USER.pw_uid)
    tap.ok(s.expect(rb"not recorded: [^\r]*[Rr]ead") and
           s.expect(rb"[$#] $"), "a session says why", s.seen)
    s.line("exit")
    s.wait()
    mount(None, REMOUNT, b"size=4m")
    done = aegsh("exit 6")
    tap.ok(done.returncode == 6 and not done.stderr and
           len(lines()) == before + 1, "writable again, it is recorded", done)


if os.getuid() != 0 or not own_mounts():
    tap.skip("a full disk, a read-only one", "takes root, to mount one")
    tap.done()
env["AEGSH_TEST_OPERATOR"] = "0"
os.chmod(root, 0o755)
try:
    run(CTL, "status")
except PermissionError:
    tap.skip("a full disk, a read-only one", "the build lies where none may "
             "run")
    tap.done()
commands()
prompts()
reserve()
read_only()
tap.done()
