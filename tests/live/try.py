# SPDX-License-Identifier: ISC
"""A dry run: what a line would change is shown and nothing of it stays; what
is committed is what the line would have left behind, as bash itself is the
witness; what others changed meanwhile is not written over; and nothing that
runs in it reaches out.

As root, lines run both as root, in a scratch directory, and as a uid that
nobody has; what attacks runs as that uid alone."""
import ctypes
import hashlib
import json
import os
import random
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from exec_rig import unused_uid  # noqa: E402
from procs import DEADLINE, alive, children, until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
IS_ROOT = os.getuid() == 0
USER = unused_uid() if IS_ROOT else os.getuid()
PROMPT = "READY> "
PYTHON = "/usr/bin/python3"


class Who:
    """Somebody with a home of his own."""

    def __init__(self, uid):
        self.uid = uid
        self.root, self.env = place(operator=True, leaks=False)
        self.home = self.env["HOME"]
        for name in ("aegsh", "aegshctl"):
            shutil.copy(program(name), self.root)
            os.chmod("%s/%s" % (self.root, name), 0o755)
        self.ctl = self.root + "/aegshctl"
        with open(self.root + "/etc/aegsh.conf", "w") as f:
            f.write('prompt = "%s"\n' % PROMPT)
        store = self.root + "/own/aegsh-%d" % uid
        os.mkdir(store, 0o700)
        self.own(store)
        self.own(self.home)

    def own(self, path):
        if IS_ROOT:
            os.chown(path, self.uid, self.uid, follow_symlinks=False)
        return path

    def become(self):
        for sig in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE):
            signal.signal(sig, signal.SIG_DFL)
        os.umask(0o022)
        if IS_ROOT and self.uid != 0:
            os.setgroups([])
            os.setgid(self.uid)
            os.setuid(self.uid)

    def popen(self, *argv, cwd=None, **kw):
        kw.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen(
            argv, cwd=cwd or self.home, env=self.env, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            errors="backslashreplace", preexec_fn=self.become,
            start_new_session=True, **kw)

    def run(self, *argv, cwd=None):
        """(status, stdout, stderr)"""
        p = self.popen(*argv, cwd=cwd)
        out, err = p.communicate(timeout=DEADLINE)
        return p.returncode, out, err

    def json(self, *argv, cwd=None):
        """What --json says, and the status."""
        status, out, err = self.run(self.ctl, "try", "--json", *argv, cwd=cwd)
        try:
            return json.loads(out), status, err
        except ValueError:
            return {"status": None, "changes": [], "programs": [],
                    "network": [], "end": None}, status, out + err

    def tree(self, name):
        """A directory of known things."""
        top = os.path.join(self.home, name)
        if os.path.isdir(top):
            subprocess.run(["chmod", "-R", "u+rwX", top], check=True)
            shutil.rmtree(top)
        os.mkdir(top)
        for d in ("d", "d/deep", "e", "e/in"):
            os.mkdir(os.path.join(top, d))
        for f, text in (("a", "one\ntwo\nthree\n"), ("b", "bye\n"),
                        ("d/x", "x\n"), ("d/deep/y", "y\n"),
                        ("e/in/z", "z\n")):
            with open(os.path.join(top, f), "w") as out:
                out.write(text)
        os.symlink("a", os.path.join(top, "l"))
        for where, dirs, files in os.walk(top):
            for n in [""] + dirs + files:
                path = os.path.join(where, n)
                self.own(path)
                if not os.path.islink(path):
                    os.utime(path, (1e9, 1e9))
        return top


def look(top):
    """Names, kinds, modes, owners, sizes, dates of files, contents; and which
    names are one file."""
    seen, names = {}, {}
    for where, dirs, files in os.walk(top):
        for n in dirs + files:
            path = os.path.join(where, n)
            rel = os.path.relpath(path, top)
            st = os.lstat(path)
            what = [stat.S_IFMT(st.st_mode), st.st_uid, st.st_gid]
            if stat.S_ISLNK(st.st_mode):
                what.append(os.readlink(path))
            else:
                what.append(stat.S_IMODE(st.st_mode))
                if IS_ROOT or os.access(path, os.R_OK):
                    what.append(sorted(
                        (x, os.getxattr(path, x))
                        for x in os.listxattr(path)
                        if x.startswith("user.")))
            if stat.S_ISREG(st.st_mode):
                if st.st_mtime == int(st.st_mtime):
                    what.append(st.st_mtime)    # it was set
                if IS_ROOT or os.access(path, os.R_OK):
                    with open(path, "rb") as f:
                        what.append(f.read())
                names.setdefault(st.st_ino, []).append(rel)
            seen[rel] = what
    return seen, sorted(sorted(v) for v in names.values() if len(v) > 1)


who = [Who(USER)] + ([Who(0)] if IS_ROOT else [])
me = who[0]
probe = me.run(me.ctl, "try", "true")
if "user namespaces are barred" in probe[2]:
    tap.skip("everything", probe[2].strip())
    tap.done()
tap.same(probe, (0, "status: 0\nchanges: none\n", ""),
         "a line that changes nothing")

# ---- what is shown, and that nothing stays --------------------------------
LINE = "echo four >> a; rm b; mkdir new; echo n > new/f; rm -r e; exit 3"
for w in who:
    name = "root: " if w.uid == 0 else ""
    top = w.tree("t")
    before = look(top)
    got, status, err = w.json("--diff", LINE, cwd=top)
    tap.same((status, got["status"], got["end"]), (0, 3, "discarded"),
             name + "it is tried and discarded")
    tap.same([(c["change"], c["type"], os.path.relpath(c["path"], top),
               c.get("size_before"), c.get("size"))
              for c in got["changes"]], [
        ("changed", "file", "a", 14, 19), ("deleted", "file", "b", 4, None),
        ("deleted", "directory", "e", None, None),
        ("deleted", "directory", "e/in", None, None),
        ("deleted", "file", "e/in/z", 2, None),
        ("created", "directory", "new", None, None),
        ("created", "file", "new/f", None, 2)],
        name + "each change is told with its sizes")
    tap.ok("@@ -1,3 +1,4 @@\n one\n two\n three\n+four\n" in got["diff"] and
           "-bye\n" in got["diff"], name + "and as differences", got["diff"])
    tap.same(look(top), before, name + "nothing of it stays")
    tap.ok([p for p in got["programs"] if p.endswith("/rm -r e")],
           name + "the programs are told", got["programs"])

top = me.tree("t")
out = me.run(me.ctl, "try", "echo x > $'a\\033[2Jb'; echo said; echo to >&2",
             cwd=top)
tap.ok("\033" not in out[1] and "created  " in out[1] and
       out[1].startswith("said\n") and out[2] == "to\n",
       "names are inert, and what it writes goes where it should", out)
out = me.run(me.ctl, "try", "read x; echo got $?:$x")
tap.ok(out[1].startswith("got 1:\n"), "there is nothing to read", out)
tap.ok("status: 143\n" in me.run(me.ctl, "try", "kill $$; echo on")[1],
       "its end by a signal")
out = me.run(me.ctl, "try", "--size", "1", "head -c 3000000 /dev/zero > big")
tap.ok("No space left" in out[2] and not os.path.exists(me.home + "/big"),
       "changes take no more memory than is said", out)
out = me.run(me.ctl, "try", "--commit", "--discard", "true")
tap.same(out[0], 100, "two wishes at once")
tap.same(me.run(me.ctl, "try", "--size", "x", "true")[0], 100, "no number")

out = me.run(me.ctl, "try", "--diff", "--discard",
             "seq -f n%.0f 20000 | xargs touch; for i in $(seq 30); do "
             "yes | head -c 1000000 > a$i; done")
left = re.findall(r"\((\d+) more changes are not shown\)\n", out[1])
tap.ok(out[0] == 0 and len(left) == 2 and
       out[1].count("created  ") + int(left[0]) == 20030 and
       len(out[1]) < 60e6, "what is too much to show is told", out[0], left,
       out[1].count("created  "), out[2])

# ---- a directory of one's own below one of somebody else's ------------------
if not IS_ROOT:
    tap.skip("below a directory of somebody else's",
             "only root can give a directory away")
else:
    away = os.path.join(me.home, "away")
    os.makedirs(away + "/mine/in")
    for path in (away + "/mine", away + "/mine/in"):
        me.own(path)
    got, status, err = me.json("--commit", "echo x >f; mkdir d; echo y >../g",
                               cwd=away + "/mine/in")
    made = {c["path"] for c in got["changes"]}
    tap.same((status, err, made, sorted(os.listdir(away + "/mine/in"))),
             (0, "", {away + "/mine/in/f", away + "/mine/in/d",
                      away + "/mine/g"}, ["d", "f"]),
             "below a directory of somebody else's")
    shutil.rmtree(away)

# ---- differences, by who applies them --------------------------------------


def applied(old, hunks):
    """What patch(1) would make of it; None where it would refuse."""
    out, at = [], 0
    for hunk in hunks:
        head = re.match(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n", hunk[0])
        first, n, to, m = (int(x) for x in head.groups())
        first -= n > 0
        to -= m > 0
        out += old[at:first]
        if len(out) != to:
            return None
        at = first
        for row in hunk[1:]:
            if row.startswith("\\"):
                out[-1] = out[-1][:-1]
                continue
            if row[0] in " -":
                if at >= len(old) or old[at].rstrip("\n") != \
                        row[1:].rstrip("\n"):
                    return None
                at += 1
            if row[0] in " +":
                out.append(row[1:])
        if at - first != n or len(out) - to != m:
            return None
    return out + old[at:]


rng = random.Random(7)
top = me.tree("t")
texts = {}
for i in range(40):
    old = ["%s\n" % rng.choice("abcdefgh") for _ in range(rng.randrange(60))]
    new = list(old)
    for _ in range(rng.randrange(1, 6)):
        k = rng.randrange(len(new) + 1)
        new[k:k + rng.randrange(4)] = ["%s\n" % rng.choice("abcxyz")
                                       for _ in range(rng.randrange(4))]
    if rng.random() < 0.2 and new:
        new[-1] = new[-1].rstrip("\n")
    texts["f%02d" % i] = (old, new)
    for name, text in (("f%02d" % i, old), ("n%02d" % i, new)):
        with open("%s/%s" % (top, name), "w") as f:
            f.write("".join(text))
        os.utime(me.own("%s/%s" % (top, name)), (1e9, 1e9))
got, status, err = me.json("--diff", "for n in n*; do cat $n > f${n#n}; done",
                           cwd=top)
wrong, seen = [], 0
for part in re.split(r"^--- ", got.get("diff", ""), flags=re.M)[1:]:
    rows = part.splitlines(True)
    name = os.path.basename(rows[0].strip())
    hunks = []
    for row in rows[2:]:
        if row.startswith("@@"):
            hunks.append([])
        hunks[-1].append(row)
    old, new = texts[name]
    seen += 1
    if "".join(applied(old, hunks) or ["?"]) != "".join(new) and (
            new or applied(old, hunks) != []):
        wrong.append((name, old, new, part))
tap.ok(seen == sum(o != n for o, n in texts.values()) or seen == 40,
       "each changed text has differences", seen, status, err)
tap.ok(not wrong, "which make the new out of the old", wrong[:1])

# ---- committed is as if run -----------------------------------------------
AS_RUN = [
    "echo four >> a", "rm b", "rm -r d e", "mv a b", "mv d f", "mv b d/deep",
    "chmod 600 a; chmod 700 d", "ln -s /nowhere s; ln -sf b l",
    "ln a a2; ln a d/a3", "echo 1 > n; ln n m; ln n d/n",
    "rm -r d; mkdir d; echo new > d/new", "rm -r d; echo file > d",
    "rm -r d; ln -s /nowhere d", "rm -r d; ln -s e d", "rm -r d; ln -s . d",
    "rm a; mkdir a; echo in > a/in", "rm a; ln -s b a", "rm l; echo l > l",
    "touch -d @1234567890 a", "touch -d @1234567890.5 n; chmod 0 n",
    "mkdir -p p/q/r/s; chmod 555 p/q/r",
    "cp -a d copy; rm -r copy/deep; mv copy d/",
    "echo x > $'new\\nline'; echo y > $'esc\\033'; echo z > ' blank '",
    "mv d/deep d2; mv d2 d/deep2; rmdir e/in 2>/dev/null; :",
    "printf %s xxxxxxxxxx > a",
    "%s -c 'import os; os.setxattr(\"a\", \"user.k\", b\"v\"); "
    "os.setxattr(\"d\", \"user.d\", b\"w\")'" % PYTHON,
    "%s -c 'import os; os.setxattr(\"b\", \"user.k\", b\"v\"); "
    "os.utime(\"b\", (5, 5))'" % PYTHON,
    "sed -i s/two/2/ a; truncate -s 100000 b",
    "printf ONE | dd of=a conv=notrunc status=none; touch -d @1000000000 a",
]
for w in who:
    name = "root: " if w.uid == 0 else ""
    for line in AS_RUN:
        top = w.tree("t")
        w.run("/bin/bash", "-c", line, cwd=top)
        want = look(top)
        top = w.tree("t")
        got, status, err = w.json("--commit", line, cwd=top)
        tap.ok(status == 0 and got["end"] == "committed" and
               look(top) == want, name + "committed: " + repr(line)[:60],
               status, err, got, "got:  %r" % (look(top),),
               "want: %r" % (want,))
if IS_ROOT:
    top = who[1].tree("t")
    out = who[1].json("--commit", "chown 7:8 a d; install -o 9 b c", cwd=top)
    st = [os.stat(top + "/" + n) for n in ("a", "d", "c")]
    tap.same([(s.st_uid, s.st_gid) for s in st], [(7, 8), (7, 8), (9, 0)],
             "root: owners are kept")

top = me.tree("t")
got, status, err = me.json("--commit", "truncate -s 256M h; printf x | dd of=h "
                           "bs=1 seek=100000000 conv=notrunc status=none",
                           cwd=top)
st = os.stat(top + "/h")
with open(top + "/h", "rb") as f:
    f.seek(100000000 - 1)
    bytes_there = f.read(3)
tap.ok(status == 0 and st.st_size == 256 << 20 and
       st.st_blocks * 512 < 16 << 20 and bytes_there == b"\0x\0",
       "holes stay holes", status, err, st, bytes_there)

# ---- in conflict ----------------------------------------------------------

def meanwhile(line, change, *options):
    """Let change() happen while the line runs, after it did its part."""
    top = me.tree("t")
    p = me.popen(me.ctl, "try", "--json", *options,
                 line + "; echo READY >&2; sleep 60", cwd=top)
    said = ""
    while "READY" not in said:
        text = p.stderr.readline()
        if not text:
            break
        said += text
    change(top)
    # The line sleeps until it is told to end, by who may.
    until(lambda: sleepers(p.pid))
    for pid in sleepers(p.pid):
        os.kill(pid, signal.SIGTERM)
    out, err = p.communicate(timeout=DEADLINE)
    return json.loads(out), p.returncode, said + err, top


def words(pid):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as f:
            return f.read()
    except OSError:
        return b""


def everything_below(pid):
    found = children(pid)
    for c in list(found):
        found += everything_below(c)
    return found


def sleepers(pid):
    return [c for c in everything_below(pid)
            if words(c).startswith(b"sleep\0")]


def put(name, text):
    def change(top):
        with open(os.path.join(top, name), "w") as f:
            f.write(text)
        me.own(os.path.join(top, name))
    return change


def mounted_away(top):
    os.rename(top + "/d", top + "/d-old")
    os.symlink(me.root, top + "/d")


def set_back(top):
    """The same size and date."""
    with open(top + "/a", "r+") as f:
        f.write("ONE")
    os.utime(top + "/a", (1e9, 1e9))


for line, change, which, text in (
        ("echo x >> a", put("a", "other\n"), "a", "changed by others"),
        ("echo x >> a", set_back, "a", "changed by others"),
        ("rm b", put("b", "other\n"), "b", "changed by others"),
        ("echo x > n", put("n", "other\n"), "n", "changed by others"),
        ("rm -r e", put("e/in/new", "x"), "e/in/new", "changed by others"),
        ("rm b", lambda top: os.unlink(top + "/b"), "b", "gone already"),
        ("chmod 600 b", lambda top: os.chmod(top + "/b", 0o640), "b",
         "changed by others"),
        ("echo q > d/q", mounted_away, "d/q", "")):
    got, status, err, top = meanwhile(line, change, "--commit")
    found = [c.get("conflict") or "" for c in got["changes"]
             if c["path"] == os.path.join(top, which)]
    if which == "d/q":
        # Not through the link.
        tap.ok(status in (1, 111) and not os.path.exists(me.root + "/q"),
               "a directory that became a link", status, err, got)
        continue
    tap.ok(status == 1 and got["end"] == "not committed" and found and
           found[0].startswith(text), "conflict: %s, %s" % (line, which),
           status, err, got)
with open(me.tree("t") + "/b") as f:
    kept = f.read()
tap.same(kept, "bye\n", "(the tree is what the tests think)")

top = me.tree("t")
for line, text in (
        ("mkfifo f; echo x > g", "neither a file"),
        ("chmod 711 .; echo x > g", "the mode of a tree's own")):
    at = me.home if "711" in line else top
    got, status, err = me.json("--commit", line, cwd=at)
    tap.ok(status == 1 and text in err and not os.path.exists(at + "/g"),
           "refused whole: " + line[:40], status, err, got)
os.link(top + "/a", top + "/twin")
got, status, err = me.json("--commit", "echo x >> a", cwd=top)
tap.ok(status == 1 and "several names" in err and
       os.stat(top + "/a").st_nlink == 2, "a file with several names",
       status, err)

# ---- decisions ------------------------------------------------------------
BLOCKED = "nc -e sh 127.0.0.1 1"
out = me.run(me.ctl, "try", "echo x > ran; " + BLOCKED)
tap.ok(out[0] == 2 and "blocked: " in out[2] and out[1] == "",
       "a blocked line is not tried", out)
ASKS = 'eval "$(cat /dev/null)"; echo x > asked'
got, status, err = me.json(ASKS)
tap.same((status, got["status"], len(got["changes"])), (0, 0, 1),
         "one that asks is, and changes nothing")
got, status, err = me.json("--commit", ASKS)
tap.ok(status == 1 and "asks" in err and
       not os.path.exists(me.home + "/asked"),
       "but is not committed where nobody is asked", status, err)
tap.same((got["end"], me.json("--commit", "true")[0]["end"]),
         ("not committed", "nothing changed"), "and says so, or that nothing "
         "was there to be")
SECRET = "no-such-token-%d" % os.getpid()
os.mkdir(me.own(me.home) + "/.ssh", 0o700)
with open(me.home + "/.ssh/id_rsa", "w") as f:
    f.write(SECRET + "\n")
me.own(me.home + "/.ssh/id_rsa")
me.own(me.home + "/.ssh")
for line in ("cat ~/.ssh/id_rsa", "cat ~/.ssh/id_rsa >&2",
             "cp ~/.ssh/id_rsa copy"):
    for options in (["--diff"], ["--diff", "--json"]):
        out = me.run(me.ctl, "try", *options, line)
        tap.ok(out[0] == 0 and SECRET not in out[1] + out[2] and
               "is not shown" in out[2] and "no terminal" in out[2],
               "what one that asks reads is not told to nobody: " +
               " ".join(options + [line]), out)
shutil.rmtree(me.home + "/.ssh")


def terminal(argv, uid):
    return Session(argv, env=me.env, cwd=me.home,
                   uid=uid if IS_ROOT else None)


s = terminal([me.ctl, "try", ASKS], me.uid)
tap.ok(s.expect(r"created  [^\n]*asked") and s.expect("aegsh asks: ") and
       s.expect(r"Commit these changes\? "), "at a terminal it asks", s.seen)
s.line("d")
tap.ok(s.expect(r"\+x\r\n") and s.expect(r"Commit these changes\? "),
       "d shows the difference", s.seen)
s.line("")
s.wait()
tap.ok(b"discarded" in s.seen and not os.path.exists(me.home + "/asked"),
       "no answer is no", s.seen)
s.close()
s = terminal([me.ctl, "try", ASKS], me.uid)
s.expect(r"Commit these changes\? ")
s.line("y")
s.wait()
tap.ok(b"committed" in s.seen and os.path.exists(me.home + "/asked"),
       "y commits it", s.seen)
s.close()
os.unlink(me.home + "/asked")
s = terminal([me.ctl, "try", "echo x > asked; echo up; sleep 1000"], me.uid)
s.expect("up\r\n")
s.send("\x03")
tap.ok(s.expect(r"Commit these changes\? "), "Ctrl-C ends the line alone",
       s.seen)
s.line("y")
s.wait()
tap.ok(b"committed" in s.seen and os.path.exists(me.home + "/asked"),
       "and what it did can be had", s.seen)
s.close()
os.unlink(me.home + "/asked")
s = terminal([me.ctl, "try", "echo x > asked"], me.uid)
s.expect(r"Commit these changes\? ")
s.send("\x03")
s.wait()
tap.ok(b"discarded" in s.seen and not os.path.exists(me.home + "/asked"),
       "Ctrl-C at the question is no", s.seen)
s.close()
with open(me.root + "/etc/aegsh.conf", "a") as f:
    f.write("confirm-timeout = 5\n")
s = terminal([me.ctl, "try", "echo x > asked"], me.uid)
s.wait()
tap.ok(b"discarded" in s.seen and not os.path.exists(me.home + "/asked"),
       "and so is no answer within confirm-timeout", s.seen)
s.close()
with open(me.root + "/etc/aegsh.conf", "w") as f:
    f.write('prompt = "%s"\n' % PROMPT)

# ---- killed while it commits ----------------------------------------------
def nameless(pid):
    try:
        return any(" (deleted)" in os.readlink("/proc/%d/fd/%s" % (pid, fd))
                   for fd in os.listdir("/proc/%d/fd" % pid))
    except OSError:
        return False


try:
    os.close(os.open(me.home, os.O_TMPFILE | os.O_WRONLY, 0o600))
    here = me.tree("killed")
    for n in range(5):
        p = me.popen(me.ctl, "try", "--size", "600", "--commit",
                     "head -c 400000000 /dev/zero | tr '\\0' x > large",
                     cwd=here)
        caught = until(lambda: nameless(p.pid) or p.poll() is not None) and \
            p.poll() is None
        p.kill()
        p.communicate()
        if caught and not os.path.exists(here + "/large"):
            break
        if os.path.exists(here + "/large"):
            os.unlink(here + "/large")
    left = [name for name in os.listdir(here) if "aegsh-try" in name]
    if caught:
        tap.same(left, [], "a commit that is killed leaves no half a file")
        rows = me.run(me.ctl, "audit", "events", "--json", "-n", "0")[1]
        rows = [json.loads(row) for row in rows.splitlines()]
        begun = [row["text"] for row in rows if row["kind"] == "try-commit"]
        uuid = re.findall("[0-9a-f-]{36}", begun[-1])[0] if begun else "-"
        tap.ok(begun and not [row for row in rows if uuid in row["text"] and
                              row["kind"] in ("try-committed",
                                              "try-half-committed")],
               "and is on record as begun, and not as over", rows[-4:])
    else:
        tap.skip("a commit that is killed", "it was too fast five times")
    shutil.rmtree(here)
except OSError as e:
    tap.skip("a commit that is killed", "no O_TMPFILE here: %s" % e)

# ---- at the prompt --------------------------------------------------------
s = terminal([me.root + "/aegsh"], me.uid)
s.expect(PROMPT)
s.line(ASKS)
tap.ok(s.expect(r"Run it\? \[y/N/t/e/\?\] "), "t is offered", s.seen)
s.line("t")
tap.ok(s.expect(r"it would have changed:\r\ncreated  [^\n]*asked") and
       s.expect(r"Commit these changes\? "), "t shows what it would do",
       s.seen)
s.line("n")
s.expect(PROMPT)
tap.ok(not os.path.exists(me.home + "/asked"), "n throws it away")
s.line(ASKS + "; exit 5")
s.expect(r"Run it\? [^\n]*")
s.line("t")
s.expect(r"Commit these changes\? ")
s.line("y")
s.expect(PROMPT)
tap.ok(os.path.exists(me.home + "/asked"), "y commits it", s.seen)
tap.same(s.run("echo $?", PROMPT), "5\n", "with the status that it had")
shutil.copy(me.ctl, me.home + "/ctl")
out = s.run("$HOME/ctl try true", PROMPT)
tap.ok(out and "nothing can be tried" in out, "not from inside of a line",
       out)
s.send("\x04")
s.wait()
s.close()

# ---- the record -----------------------------------------------------------
rows = [json.loads(r) for r in me.run(
    me.ctl, "history", "--json", "-n", "0")[1].splitlines()]
tap.ok([r for r in rows if r["line"] == LINE and r["status"] == 3 and
        r.get("note") == "only tried"], "a try is on record as one",
       [r for r in rows if r["line"] == LINE])
tap.ok([r for r in rows if BLOCKED in r["line"] and r["decision"] == "block"],
       "and so is what was refused")
events = me.run(me.ctl, "audit", "events", "-n", "0")[1]
tap.ok("try-committed" in events and "try-discarded" in events and
       "try-refused" in events, "and what became of it", events)

# Which files a commit changed, with what they held.
top = me.tree("files")
for name, text in (("old", "1\n"), ("gone", "2\n"), ("kept", "3\n"),
                   ("pin", "1234\n")):
    with open(top + "/" + name, "w") as f:
        f.write(text)
    me.own(top + "/" + name)
os.chmod(top + "/pin", 0o600)
LINE = ("echo 4 >> old; echo 4321 > pin; rm gone; echo new > fresh; "
        "mkdir dir; ln -s old password=hunter2hunter2; chmod 600 kept")
done = me.run(me.ctl, "try", "--commit", LINE, cwd=top)
rows = [json.loads(r) for r in me.run(
    me.ctl, "audit", "export", "-n", "0")[1].splitlines()]
row = [r for r in rows if r["line"].startswith("echo 4 >> old")][-1]


def sha256(text):
    return hashlib.sha256(text).hexdigest()


files = {os.path.basename(f["path"]): (
    f["change"], f["old_sha256"], f["new_sha256"]) for f in row["files"]}
tap.same({n: f for n, f in files.items() if "redacted" not in n}, {
    "old": ("changed", sha256(b"1\n"), sha256(b"1\n4\n")),
    "gone": ("removed", sha256(b"2\n"), None),
    "fresh": ("made", None, sha256(b"new\n")),
    "dir": ("made", None, None),
    "kept": ("changed", sha256(b"3\n"), None),
    "pin": ("changed", None, None)},
    "the files that a commit changed are on record, without a hash of what "
    "is kept from others")
tap.ok([n for n in files if "redacted" in n] and
       "hunter2" not in json.dumps(rows), "with no secret in their names",
       files)
shown = me.run(me.ctl, "audit", "show", str(row["id"]))[1]
tap.ok(re.search("removed %s/gone" % re.escape(top), shown),
       "audit show has them", shown)
for name in (top + "/fresh", "fresh", top):
    found = me.run(me.ctl, "audit", "search", "--json", "--file", name)[1]
    tap.same([json.loads(r)["id"] for r in found.splitlines()][-1:],
             [row["id"]], "and are found by " + name.replace(top, "TOP"))
tap.same(me.run(me.ctl, "audit", "search", "--file", top + "/no")[0], 1,
         "and none by another")
tap.same(me.run(me.ctl, "audit", "verify")[0], 0, "in the chain")
done = me.run(me.ctl, "try", "--discard", "rm old", cwd=top)
rows = [json.loads(r) for r in me.run(
    me.ctl, "audit", "export", "-n", "0")[1].splitlines()]
tap.same([r["files"] for r in rows if r["line"] == "rm old"], [[]],
         "what is thrown away changed none")
top = me.tree("many")
LINE = "for i in {1..101}; do touch $i-{0..9}; done"
done = me.run(me.ctl, "try", "--commit", LINE, cwd=top)
left = me.run(me.ctl, "audit", "events", "--kind", "files-left-out")[1]
rows = [json.loads(r) for r in me.run(
    me.ctl, "audit", "export", "-n", "0")[1].splitlines()]
tap.ok(len([r for r in rows if r["line"] == LINE][0]["files"])
       == 1000 and re.search(": 10$", left.strip()),
       "of many, the first thousand, and how many more", done[2], left)
# As long as names can be: all of them are more than waits for the store.
top = me.tree("long")
LINE = ("p=.; for i in {1..13}; do p=$p/$(printf %0250d $i); mkdir $p; done; "
        "for i in {1..400}; do : >$p/$i; done")
done = me.run(me.ctl, "try", "--commit", LINE, cwd=top)
rows = [json.loads(r) for r in me.run(
    me.ctl, "audit", "export", "-n", "0")[1].splitlines()]
row = [r for r in rows if r["line"] == LINE][0]
events = me.run(me.ctl, "audit", "events", "-n", "0")[1]
left = re.search("files-left-out.*%s: ([0-9]+)" % row["uuid"], events)
tap.ok(left and len(row["files"]) + int(left.group(1)) == 413,
       "of long names, as many as there is room for, and how many more",
       len(row["files"]), left, done[2])
tap.ok(re.search("try-committed.*" + row["uuid"], events) and
       "records-lost" not in events, "and nothing else had to go for them",
       events)

# Whoever ends it in the midst: what went out is on record before.
top = me.tree("t")
p = me.popen(me.ctl, "try", "--commit", "for i in {1..400}; do echo $i > "
             "n$i; done", cwd=top)
until(lambda: p.poll() is not None or os.path.exists(top + "/n1"))
p.kill()
p.communicate()
events = me.run(me.ctl, "audit", "events", "-n", "0")[1]
tap.ok(os.path.exists(top + "/n1") and "changes to be committed: 400" in
       events, "a commit is on record before it begins", events[-1000:])

# ---- no way out -----------------------------------------------------------
ATTACK = r'''
import ctypes, errno, mmap, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(*a):
    if libc.syscall(*a) < 0:
        raise OSError(ctypes.get_errno(), "")
def sends(family, kind, to):
    s = socket.socket(family, kind)
    s.settimeout(2)
    s.sendto(b"x", to) if kind == socket.SOCK_DGRAM else s.connect(to)
outside = int(sys.argv[1])
for name, act in (
    ("signal 1", lambda: os.kill(1, 0)),
    ("signal outside", lambda: os.kill(outside, 0)),
    ("pidfd outside", lambda: os.pidfd_open(outside)),
    ("proc outside", lambda: os.listdir("/proc/%d" % outside)),
    ("root of 1", lambda: os.listdir("/proc/1/root/")),
    ("environment of 1", lambda: open("/proc/1/environ").read()),
    ("memory of 1", lambda: open("/proc/1/mem")),
    ("settings of the kernel", lambda: open("/proc/sys/kernel/hostname", "w")),
    ("sysrq", lambda: open("/proc/sysrq-trigger", "w")),
    ("the terminal", lambda: os.open("/dev/tty", os.O_RDWR)),
    ("the console", lambda: os.open("/dev/console", os.O_RDWR)),
    ("somebody's terminal", lambda: os.open(sys.argv[2], os.O_RDWR)),
    ("the kernel's log", lambda: os.open("/dev/kmsg", os.O_RDONLY)),
    ("a unix socket", lambda: socket.socket(socket.AF_UNIX)),
    ("an abstract one", lambda: socket.socket(socket.AF_UNIX,
        socket.SOCK_DGRAM).sendto(b"x", "\0" + sys.argv[3])),
    ("loopback of outside", lambda: sends(socket.AF_INET, socket.SOCK_STREAM,
        ("127.0.0.1", int(sys.argv[4])))),
    ("udp", lambda: sends(socket.AF_INET, socket.SOCK_DGRAM,
        ("192.0.2.7", 53))),
    ("udp 6", lambda: sends(socket.AF_INET6, socket.SOCK_DGRAM,
        ("2001:db8::7", 53))),
    ("vsock", lambda: socket.socket(40, socket.SOCK_STREAM)),
    ("mount", lambda: call(165, b"x", b"/tmp", b"tmpfs", 0, 0)),
    ("umount", lambda: call(166, b"/tmp", 2)),
    ("pivot_root", lambda: call(155, b".", b".")),
    ("user namespace", lambda: call(272, 0x10000000)),
    ("setns", lambda: call(308, 0, 0)),
    ("chroot", lambda: os.chroot("/tmp")),
    ("a device", lambda: os.mknod("dev", 0o60600, os.makedev(8, 0))),
    ("a whiteout", lambda: os.mknod("w", 0o20600, os.makedev(0, 0))),
    ("io_uring", lambda: call(425, 1, 0)),
    ("shared memory", lambda: call(29, int(sys.argv[5]), 1, 0)),
    ("posix queue", lambda: os.stat("/dev/mqueue/" + sys.argv[3])),
    ("shared memory file", lambda: os.stat("/dev/shm/" + sys.argv[3])),
    ("limits outside", lambda: call(302, outside, 7, 0, 0)),
    ("reboot", lambda: call(169, 0xfee1dead, 672274793, 0, 0)),
    ("trace", lambda: call(101, 16, outside, 0, 0)),
    ("keyring", lambda: call(250, 0, -3, 0)),
    ("by handle", lambda: call(304, -100, b"", 0)),
    ("descriptors", lambda: sys.exit(
        [os.readlink("/proc/self/fd/" + n) for n in "3456789"
         if os.path.exists("/proc/self/fd/" + n)]) if any(
        os.path.exists("/proc/self/fd/" + n) for n in "456789") else
        os.fstat(4)),
    ("a file for reading only", lambda: open("/usr/bin/x-" + sys.argv[3],
        "w")),
    ("a pipe of outside", lambda: os.write(os.open("fifo", os.O_WRONLY |
        os.O_NONBLOCK), b"x")),
    ):
    try:
        act()
        print("%s: WENT THROUGH" % name)
    except OSError as e:
        print("%s: %s" % (name, errno.errorcode.get(e.errno, e.errno)))
print(":".join(sorted(p for p in os.listdir("/proc") if p.isdigit())))
print(os.readlink("/proc/self/fd/0"))
'''
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(1)
abstract = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
token = "aegsh-try-%d" % os.getpid()
abstract.bind("\0" + token)
master, slave = os.openpty()
with open("/dev/shm/" + token, "w"):
    pass
with open(me.home + "/attack.py", "w") as f:
    f.write(ATTACK)
os.mkfifo(me.home + "/fifo", 0o666)
me.own(me.home + "/fifo")
reader = os.open(me.home + "/fifo", os.O_RDONLY | os.O_NONBLOCK)
out = me.run(me.ctl, "try", "%s attack.py %d %s %s %d %d" % (
    PYTHON, os.getpid(), os.ttyname(slave), token,
    listener.getsockname()[1], os.getpid()))
os.unlink("/dev/shm/" + token)
tried = [r for r in out[1].split("status: ")[0].splitlines() if ": " in r]
tap.ok(len(tried) == ATTACK.count("lambda:"), "every attack was tried",
       out)
for r in tried:
    tap.ok("WENT THROUGH" not in r, "no way out: " + r)
tap.ok("\n1:2\n/dev/null\n" in out[1] or "\n1:2:3\n/dev/null\n" in out[1],
       "it sees its own processes alone", out[1])
for address in ("tcp 127.0.0.1:%d" % listener.getsockname()[1],
                "udp 192.0.2.7:53", "udp [2001:db8::7]:53"):
    tap.ok("  %s\n" % address in out[1], "wanted: " + address, out[1])
os.close(reader)
# The mode that it has: should it go through, nothing is changed.
for w in who:
    # It asks, so what it says is shown at a terminal alone.
    s = terminal([w.ctl, "try", "for n in null zero full random urandom; do "
                  "chmod 666 /dev/$n && echo CHANGED; touch -c /dev/$n && "
                  "echo TOUCHED; echo x >/dev/$n || echo no; done "
                  "2>/dev/null; chmod 555 /sys 2>&1; chmod 555 /proc 2>&1; "
                  "echo all"], w.uid)
    s.expect(r"\nall\r\n")
    s.wait()
    said = s.seen.decode("utf-8", "replace").replace("\r", "")
    said = said.split("status: ")[0]
    tap.ok("\nall\n" in said and "CHANGED\n" not in said and
           "TOUCHED\n" not in said and said.count("no\n") == 1,
           "devices are written to and no more, uid %d" % (
               w.uid == me.uid and 1 or 0), said)
listener.setblocking(False)
try:
    listener.accept()
    reached = True
except BlockingIOError:
    reached = False
tap.ok(not reached, "nobody came")
server = ("import socket, threading\ns = socket.socket()\n"
          "s.bind((\"127.0.0.1\", 0)); s.listen(1)\n"
          "c = socket.create_connection(s.getsockname())\n"
          "s.accept()[0].send(b\"own\"); print(c.recv(3))")
s = terminal([me.ctl, "try", "%s -c '%s'" % (PYTHON, server)], me.uid)
tap.ok(s.expect(r"b'own'\r\n"), "its own loopback works", s.seen)
s.wait()
s.close()
out = me.run(me.ctl, "try", "script -qc 'echo on a terminal' /dev/null")
tap.ok("on a terminal" in out[1], "and so do its own terminals", out)

# ---- its end --------------------------------------------------------------
p = me.popen(me.ctl, "try", "sleep 1000 & setsid sleep 1000 & echo up; sleep "
             "1000")
p.stdout.readline()
until(lambda: len(sleepers(p.pid)) == 3)
left = everything_below(p.pid)
p.kill()
p.communicate()
tap.ok(until(lambda: not any(alive(c) for c in left)),
       "all of it ends with who began it", left)
p = me.popen(me.ctl, "try", "sleep 1000 & setsid sleep 1000 & echo up; sleep "
             "1000")
p.stdout.readline()
until(lambda: len(sleepers(p.pid)) == 3)
left = everything_below(p.pid)
p.send_signal(signal.SIGINT)
out = p.communicate(timeout=DEADLINE)
tap.ok(until(lambda: not any(alive(c) for c in left)) and
       "status: 137" in out[0], "Ctrl-C ends the line", out)
p = me.popen(me.ctl, "try", "setsid sleep 1000 & echo $!; exit 0")
out = p.communicate(timeout=DEADLINE)
tap.ok(p.returncode == 0 and "status: 0" in out[0],
       "what a line leaves behind ends with it", out)

# ---- the limits of a profile ----------------------------------------------
MIB = 1 << 20


def limited(text, line):
    """Status, what it wrote of x, and what was said of it."""
    os.makedirs(me.root + "/etc/sandbox.d", exist_ok=True)
    for profile in ("admin", "root"):
        with open("%s/etc/sandbox.d/%s.conf" % (me.root, profile), "w") as f:
            f.write(text + "\n")
    status, out, err = me.run(me.ctl, "try", "--discard", line)
    return (int(out.split("status: ")[1].split()[0]) if "status: " in out
            else None, out.split("status: ")[0],
            out.split("status: ")[-1] + err)


PRINTS = "head -c %d /dev/zero | tr '\\0' x; echo end >&2; exit 3"
status, out, said = limited("limit-output = 1", PRINTS % (MIB - 3))
tap.ok(status == 3 and MIB - 4 <= out.count("x") <= MIB - 3 and
       "limit-output" in said,
       "limit-output holds in a try: standard error counts, too", status,
       said[:300])
status, out, said = limited("limit-output = 1", PRINTS % (3 * MIB))
tap.ok(status == 3 and MIB - 4 <= out.count("x") <= MIB and "met a limit: "
       "limit-output: more than 1 MiB; the rest is left out" in said,
       "and the line runs to its end", status, said[:300])
status, out, said = limited('limit-output = 1\nlimit-output-then = "kill"',
                            "yes; echo on > on")
tap.ok(status == 126 and len(out) <= MIB and "killed: it met its limit, "
       "limit-output: more than 1 MiB" in said and "create" not in said,
       "or is killed", status, said[:300])
status, out, said = limited("limit-output = 1", PRINTS % 10)
tap.ok(status == 3 and out == "x" * 10 and "limit" not in said,
       "one that keeps to it is not told of", status, said)
for name, text, line in (
        ("time", "limit-time = 1", "sleep 1000"),
        ("cpu", "limit-cpu = 1", "while :; do :; done"),
        ("memory", "limit-memory = 64", "%s -c 'x = b\"x\" * 300000000; "
         "import time; time.sleep(1000)'" % PYTHON),
):
    status, out, said = limited(text, line + "; echo on")
    tap.ok(status == 126 and "on" not in out and "limit-" + name in said,
           "limit-%s ends a try" % name, status, said[:300])
status, out, said = limited("limit-children = 3", "for i in 1 2 3; do sleep "
                            "1000 & done; %s -c 'import os\ntry: os.fork()\n"
                            "except BlockingIOError: print(\"no more\")'" %
                            PYTHON)
tap.ok("limit-children: 3" in said, "limit-children holds", status, said[:300])
status, out, said = limited("limit-files = 20\nlimit-file-size = 1",
                            "ulimit -n; ulimit -f")
tap.same(out, "20\n1024\n", "and those of each process do")
os.unlink(me.root + "/etc/sandbox.d/admin.conf")
os.unlink(me.root + "/etc/sandbox.d/root.conf")

# ---- where it is barred ---------------------------------------------------
libc = ctypes.CDLL(None, use_errno=True)


def barred():
    """In the child: in a namespace that may hold no other."""
    ready = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.read(ready[0], 1)
        for name in ("uid_map", "gid_map"):
            with open("/proc/%d/%s" % (parent, name), "w") as f:
                f.write("0 0 4294967295\n")
        os._exit(0)
    if libc.unshare(0x10000000) < 0:
        os._exit(99)
    os.write(ready[1], b"x")
    os.waitpid(pid, 0)
    with open("/proc/sys/user/max_user_namespaces", "w") as f:
        f.write("0")
    for fd in ready:
        os.close(fd)
    me.become()


if not IS_ROOT:
    tap.skip("user namespaces barred", "only root can set that up here")
else:
    p = subprocess.run([me.ctl, "try", "echo x > barred; true"],
                       env=me.env, cwd=me.home, stdin=subprocess.DEVNULL,
                       capture_output=True, text=True, preexec_fn=barred)
    tap.ok(p.returncode == 111 and "user namespaces are barred" in p.stderr
           and p.stdout == "" and not os.path.exists(me.home + "/barred"),
           "where user namespaces are barred it says so", p)

tap.done()
