# SPDX-License-Identifier: ISC
"""A store whose disk does not answer as aegsh starts: a file system of FUSE
that never replies, in a mount name space of this test's own.  And recordings
on another disk than the record, which is full, can only be read, or does not
answer.  Its user is nobody, the operator is root."""

import ctypes
import json
import os
import pwd
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
CTL, AEGSH = program("aegshctl"), program("aegsh")
USER = pwd.getpwnam("nobody")
OWN = os.path.join(root, "own")
STORE = os.path.join(OWN, "aegsh-%d" % USER.pw_uid)
LIBC = ctypes.CDLL(None, use_errno=True)
NEWNS, DETACH, RDONLY, REC_PRIVATE = 0x00020000, 2, 1, 0x4000 | 0x40000


def stall(where):
    """That directory, covered by a disk that says nothing; a descriptor."""
    fd = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    options = "fd=%d,rootmode=40700,user_id=%d,group_id=%d,allow_other" % (
        fd, USER.pw_uid, USER.pw_gid)
    if LIBC.mount(b"aegsh", where.encode(), b"fuse", 0, options.encode()):
        os.close(fd)
        return -1
    # linux/fuse.h: FUSE_INIT is the one that gets an answer.
    unique = struct.unpack("=IIQ", os.read(fd, 1 << 20)[:16])[2]
    out = struct.pack("=IIIIHHIIHHI28x", 7, 31, 0, 0, 12, 9, 4096, 1, 1, 0, 0)
    os.write(fd, struct.pack("=IiQ", 16 + len(out), 0, unique) + out)
    return fd


def is_possible():
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError:
        return False
    return os.geteuid() == 0 and LIBC.unshare(NEWNS) == 0 and \
        LIBC.mount(b"none", b"/", None, REC_PRIVATE, None) == 0


def run(*argv):
    done = subprocess.run(argv, env=env, timeout=DEADLINE, cwd="/",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, user=USER.pw_uid,
                          group=USER.pw_gid, extra_groups=[])
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def settings(more=""):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as f:
        f.write('prompt = "READY> "\nrecord-wait = 300\n' + more)


def prompts(line):
    """What a session says at its first prompt, and of that line."""
    s = Session([AEGSH], env=env, cwd="/", uid=USER.pw_uid)
    found = s.expect("READY> ") is not None
    seen = s.run(line, "READY> ") if found else ""
    s.line("exit")
    s.wait()
    s.close()
    return found, s.seen.decode("utf-8", "replace"), seen


if not is_possible():
    tap.skip("a store that does not answer", "no FUSE can be mounted here")
    tap.done()
os.chmod(OWN, 0o1777)
settings()
tap.same(run(AEGSH, "-c", "echo one"), (0, "one\n", ""), "a store is made")
disk = stall(STORE)
if disk < 0:
    tap.skip("a store that does not answer", "no FUSE can be mounted here")
    tap.done()

status, out, err = run(AEGSH, "-c", "echo t''wo")
tap.same((status, out), (0, "two\n"), "personal: a line runs")
tap.ok("not recorded" in err and "record-wait" in err and STORE in err,
       "and it is said that it is not recorded, and why", err)
found, seen, out = prompts("echo th''ree")
tap.ok(found and "three" in out, "a prompt comes, and runs lines", seen)
tap.ok("are not recorded" in seen and "record-wait" in seen,
       "which says so", seen)

settings("mode = managed\n")
status, out, err = run(AEGSH, "-c", "echo fo''ur")
tap.ok(status != 0 and out == "" and "cannot be recorded" in err and
       "record-wait" in err, "managed: no line runs", status, out, err)
found, seen, out = prompts("echo fi''ve")
tap.ok(found and "five" not in out and "cannot be recorded" in out,
       "nor at a prompt, which comes", seen)

LIBC.umount2(STORE.encode(), DETACH)
os.close(disk)
tap.same(run(AEGSH, "-c", "echo six"), (0, "six\n", ""),
         "once the disk answers, all is as before")
status, out, err = run(CTL, "audit", "log", "--json", "-n", "0")
tap.same([json.loads(x)["line"] for x in out.splitlines()],
         ["echo one", "echo six"], "what was not recorded is not there")
tap.same(run(CTL, "audit", "verify")[0], 0, "and the record is whole")

# ---- a store on a disk that is only read ---------------------------------------
tap.ok(LIBC.mount(b"aegsh", STORE.encode(), b"tmpfs", RDONLY,
                  b"mode=700,uid=%d" % USER.pw_uid) == 0,
       "an empty disk that can only be read")
WHY = "audit.spool: open: Read-only file system"
settings()
status, out, err = run(AEGSH, "-c", "echo tw''elve")
tap.ok((status, out) == (0, "twelve\n") and WHY in err,
       "personal: a line runs, and why it is not recorded is said", err)
settings("mode = managed\n")
status, out, err = run(AEGSH, "-c", "echo tw''elve")
tap.ok(status != 0 and out == "" and WHY in err,
       "managed: none runs, and why is said", status, out, err)
LIBC.umount2(STORE.encode(), DETACH)

# ---- recordings elsewhere ------------------------------------------------------
PLACE = os.path.join(STORE, "output")
settings("output = full\n")
tap.same(run(AEGSH, "-c", "echo seven"), (0, "seven\n", ""), "one is made")


def elsewhere(flags, size):
    return LIBC.mount(b"aegsh", PLACE.encode(), b"tmpfs", flags,
                      b"mode=700,uid=%d,size=%s" % (USER.pw_uid, size)) == 0


def rows():
    """Of lines that ended: how often each is there, and what it wrote."""
    out = run(CTL, "audit", "export", "--json")[1]
    found = {}
    for row in map(json.loads, out.splitlines()):
        if "line" in row:
            found.setdefault(row["line"], []).append(row)
    return found


def without(name, word):
    line = "echo %s" % word
    status, out, err = run(AEGSH, "-c", line)
    tap.same((status, out), (0, word + "\n"), name + ": a line runs")
    tap.ok("not all kept" in err, "and it is said that its output is not kept",
           err)
    there = rows().get(line, [])
    tap.ok(len(there) == 1 and there[0]["status"] == 0, "it is on record",
           there)
    told = run(CTL, "audit", "events", "--json", "--kind", "output-not-kept",
               "-n", "0")[1]
    tap.ok(len(told.splitlines()) >= 1, "so is that", told)


tap.ok(elsewhere(0, b"64k"), "a disk of 64 KiB")
without("recordings on a full disk", "eight")
LIBC.umount2(PLACE.encode(), DETACH)
tap.ok(elsewhere(RDONLY, b"64m"), "one that can only be read")
without("recordings on a disk that is only read", "nine")
LIBC.umount2(PLACE.encode(), DETACH)
disk = stall(PLACE)
without("recordings on a disk that does not answer", "ten")
LIBC.umount2(PLACE.encode(), DETACH)
os.close(disk)
tap.same(run(AEGSH, "-c", "echo eleven"), (0, "eleven\n", ""),
         "once it answers, all is kept again")
tap.same(run(CTL, "audit", "verify")[0], 0, "and the record is whole")
tap.done()
