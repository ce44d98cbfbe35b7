# SPDX-License-Identifier: ISC
"""What Tab shows: tables that fit the screen, page by page, marks on what the
rules would refuse; and directories that do not answer."""

import ctypes
import os
import re
import sys
import time
import unicodedata

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

PROMPT = "R> "
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 1 << 18
MS_NOSUID, MS_NODEV, MNT_DETACH = 2, 4, 2
tap = Tap()
root, env = place()
home = env["HOME"]
rules = os.path.join(root, "etc", "policy.d")
os.makedirs(rules)
with open(os.path.join(rules, "50-test.conf"), "w") as f:
    f.write('rule "no-frob" {\n\tdecision = block\n\tcommand = { frobnicate }'
            '\n\treason = "the test wants it refused"\n}\n')
with open(os.path.join(root, "etc", "aegsh.conf"), "w") as f:
    f.write('prompt = "%s"\ncompletion = "names"\n' % PROMPT)
os.makedirs(home + "/bin")
os.makedirs(home + "/wide")
os.makedirs(home + "/crowd")
for name in ("frobnicate", "frobulate", "fro-with-a-name-of-forty-characters-xxx"):
    with open(home + "/bin/" + name, "w") as f:
        f.write("#!/bin/sh\necho ran-%s\n" % name)
    os.chmod(home + "/bin/" + name, 0o755)
for name in ("\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57"
             "\u6f22\u5b57", "\u6f22\u5b57", "e\u0301a", "plain",
             "x" * 60, "\x1b[2Jevil", "\u202egnp.exe"):
    open(os.path.join(home, "wide", name), "w").close()
for i in range(300):
    open("%s/crowd/n%03d" % (home, i), "w").close()
env = dict(env, PATH=home + "/bin:" + env["PATH"])


def begin(cols=80, rows=24, **more):
    s = Session([program("aegsh")], env=dict(env, **more), cwd=home,
                cols=cols, rows=rows)
    s.expect(PROMPT)
    return s


def columns(line):
    return sum(0 if unicodedata.combining(c) else
               2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in line)


def menu(s, typed, tabs=1):
    """Lines that are listed for it.  A slow machine gets its time."""
    end = time.monotonic() + DEADLINE
    while True:
        s.rest = b""
        s.send("\x15" + typed)
        found = None
        for _ in range(tabs):
            s.send("\t")
            found = s.expect(r"\r\n((?:[^\r\n]*\r+\n)+)[^\n]*?%s[^\n]*?%s" %
                             (re.escape(PROMPT), re.escape(typed[-8:])))
        if found is None:
            return []
        lines = re.split(r"\r+\n", found.group(1).decode("utf-8", "replace"))
        while lines and lines[-1] == "":
            lines.pop()
        if not lines:
            return []
        # As much of that it took too long as fits.
        if "(not all: looking" not in lines[-1] or time.monotonic() > end:
            return lines


s = begin()
lines = menu(s, "fro")
tap.ok(any(re.search(r"frobnicate \(blocked\)", i) for i in lines),
       "a command that the rules refuse is marked", lines)
tap.ok(not any(re.search(r"frobulate \(blocked\)", i) for i in lines),
       "and another one is not", lines)
tap.ok(s.asked("frobn\t", "icate "), "it is completed all the same", s.rest)
s.send("\x15")
lines = menu(s, "true && sudo -n fro")
tap.ok(any("frobnicate (blocked)" in i for i in lines),
       "and so where it is not the first word", lines)
first, second = menu(s, "ls crowd/n", 1), menu(s, "ls crowd/n", 2)
tap.ok(first and re.match(r"1/\d+: 300 in all", first[-1]),
       "more than a screen says so", first)
tap.ok(len(first) <= 22, "and fits the screen", first)
tap.ok(second and second[-1].startswith("2/") and second[0] != first[0],
       "once more is the next page", second)
pages = int(re.match(r"1/(\d+)", first[-1]).group(1)) if first else 1
seen = set()
for i in range(pages):
    seen |= set(" ".join(menu(s, "ls crowd/n", i + 1)[:-1]).split())
tap.same(len(seen), 300, "all of them can be seen")
again = menu(s, "ls crowd/n", pages + 1)
tap.same(again, first, "and behind the last page comes the first")
s.close()

for name, more in (("20 columns", {}), ("TERM=dumb", {"TERM": "dumb"}),
                   ("no UTF-8", {"LANG": "C", "LC_ALL": "C"})):
    s = begin(cols=20, rows=10, **more)
    lines = menu(s, "ls wide/")
    tap.ok(lines and all(columns(i) < 20 for i in lines),
           name + ": no line is wider than the screen", lines)
    tap.ok(lines and len(lines) <= 8, name + ": nor longer", lines)
    tap.ok(b"\x1b[2J" not in s.seen and "\u202e".encode() not in s.seen,
           name + ": names are inert")
    lines = menu(s, "fro")
    tap.ok(any("(blocked)" in i for i in lines),
           name + ": the mark is seen though the name is cut", lines)
    s.send("\x15echo st''ill\r")
    tap.ok(s.expect("still\r"), name + ": the prompt goes on", s.rest)
    s.close()


# A file server that does not answer: a FUSE file system whose server does not
# even say hello.
def hang(where):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) < 0 or libc.mount(
            b"none", b"/", None, MS_REC | MS_PRIVATE, None) < 0:
        return None
    fd = os.open("/dev/fuse", os.O_RDWR)
    if libc.mount(b"hung", where.encode(), b"fuse", MS_NOSUID | MS_NODEV,
                  b"fd=%d,rootmode=40000,user_id=0,group_id=0" % fd) < 0:
        os.close(fd)
        return None
    return fd


os.makedirs(home + "/hung-fs")
os.makedirs(home + "/hope")
fd, why = None, "only root may mount"
if os.geteuid() == 0:
    try:
        fd = hang(home + "/hung-fs")
        why = "no private mounts here"
    except OSError as e:
        why = "no FUSE here: " + str(e)
names = ["does not hold the prompt up", "several times", "other names go on",
         "a link to it comes behind what was found",
         "PATH through it: what was found before", "Ctrl-C still works",
         "the shell ends"]
if fd is None:
    for name in names:
        tap.skip("a file server that does not answer: " + name, why)
else:
    s = begin()
    s.send("ls hung-fs/\t")
    tap.ok(s.expect("took too long"), names[0], s.rest)
    for i in range(3):
        s.rest = b""
        s.send("\x15ls hung-fs/%d\t" % i)
        s.expect("took too long")
    tap.ok(b"took too long" in s.seen, names[1])
    s.send("\x15")
    tap.ok(menu(s, "ls h") and b"hope" in s.seen, names[2], s.seen[-300:])
    os.symlink("hung-fs/x", home + "/hop-link")
    s.rest = b""
    s.send("\x15ls ho\t")
    s.send("\t")
    tap.ok(s.expect(r"hope/"), names[3], s.rest)
    s.close()
    env["PATH"] = "%s/bin:%s/hung-fs:/usr/bin" % (home, home)
    s = begin()
    s.send("fro\t")
    s.send("\t")
    tap.ok(s.expect("frobulate") and s.expect(PROMPT + "fro"), names[4],
           s.rest)
    tap.ok(s.interrupt(PROMPT), names[5], s.rest)
    s.send("\x04")
    tap.ok(os.WIFEXITED(s.wait()), names[6], s.seen[-300:])
    s.close()
    os.close(fd)
    # Before its place is removed.
    ctypes.CDLL(None).umount2((home + "/hung-fs").encode(), MNT_DETACH)
tap.done()
