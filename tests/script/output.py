# SPDX-License-Identifier: ISC
"""What lines write, seen on its way (the setting output): every byte arrives
as it would without aegsh, in bash's own order, under bash's own conditions;
and nothing else than a pipe is replaced."""
import fcntl
import glob
import hashlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import termios

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE, alive, children, until  # noqa: E402
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place(operator=True, leaks=False)
AEGSH, CTL = program("aegsh"), program("aegshctl")
BASH = "/bin/bash"
HOME = env["HOME"]
HOLDER = "aegsh-output"         # the name of the process between


def settings(text):
    with open(root + "/etc/aegsh.conf", "w") as f:
        f.write(text)


def run(shell, line, **more):
    p = subprocess.run([shell, "-c", line], env=env, cwd=HOME,
                       timeout=DEADLINE, stdin=subprocess.DEVNULL,
                       capture_output="stdout" not in more, **more)
    return p.returncode, p.stdout, p.stderr


def same(line, name):
    """Both shells give the same bytes and status."""
    tap.same(run(AEGSH, line), run(BASH, line), name)


def comm(pid):
    try:
        with open("/proc/%d/comm" % pid) as f:
            return f.read().strip()
    except OSError:
        return ""


def holder(pid):
    """The process between, of that aegsh; 0: there is none yet."""
    return next((c for c in children(pid) if comm(c) == HOLDER), 0)


def start(line, **more):
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen([AEGSH, "-c", line], env=env, cwd=HOME,
                            stdin=subprocess.PIPE, **more)


def holder_when_named(pid):
    """It is forked before the line is, and takes its name when it runs."""
    until(lambda: holder(pid) > 0)
    return holder(pid)


def leads_to(fd, find=holder, **more):
    """What the line's descriptor is: pipe:[N], socket:[N], a path."""
    p = start("readlink /proc/self/fd/%d >$HOME/link; read x" % fd, **more)
    until(lambda: os.path.exists(HOME + "/link") and
          os.path.getsize(HOME + "/link") > 0)
    with open(HOME + "/link") as f:
        what = f.read().strip()
    os.unlink(HOME + "/link")
    between = find(p.pid)
    p.stdin.close()
    p.wait(DEADLINE)
    return what, between


# What is not wanted costs nothing: no process, and the pipe is the caller's.
settings("")
r, w = os.pipe()
link, between = leads_to(2, stderr=w)
tap.same((link, between), (os.readlink("/proc/self/fd/%d" % w), 0),
         "without the setting the line has its own pipe and no process")

settings("output = full\n")
link, between = leads_to(2, holder_when_named, stderr=w)
tap.ok(link.startswith("pipe:") and between > 0 and
       link != os.readlink("/proc/self/fd/%d" % w),
       "with it the line has a pipe of ours", link, between)
with open(HOME + "/file", "wb") as f:
    link, between = leads_to(2, stdout=f, stderr=f)
tap.same((link, between), (HOME + "/file", 0), "a file stays a file")
a, b = socket.socketpair()
link, between = leads_to(2, stdout=b, stderr=b)
tap.ok(link.startswith("socket:") and between == 0, "a socket stays one",
       link, between)
with open("/dev/null", "wb") as f:
    link, between = leads_to(2, stdout=f, stderr=f)
tap.same((link, between), ("/dev/null", 0), "a device stays one")
settings("output = none\noutput-profiles = \"admin=sample\"\n")
link, between = leads_to(2, holder_when_named, stderr=w)
tap.ok(between > 0, "a profile may have a setting of its own", link)
settings("output = full\n")
os.close(w)
os.close(r)

# Bytes.
with open(HOME + "/random", "wb") as f:
    f.write(os.urandom(3 << 20))
same("cat random", "three megabytes of anything arrive")
same("cat random random >&2; head -c 100000 random", "on both streams")
same("printf 'a\\0b\\377\\r\\n\\033]52;c;x\\a'; exit 7", "odd bytes, and $?")
same("printf ''", "nothing")
same("nosuchcommand-at-all 2>&1 | wc -l", "pipes inside of a line")
same("kill -9 $$", "a line that is killed")
same("exec 2>&1; echo a; echo b >&2; exec >&-; echo c >&2", "exec, and >&-")

# One pipe for both: their order is the line's.
order = "for i in {1..400}; do echo o$i; echo e$i >&2; done"
got = [run(s, order, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
       for s in (AEGSH, BASH)]
tap.same(got[0], got[1], "2>&1 outside: the order of both streams")

# Who reads no more: SIGPIPE ends the line, or EPIPE is told.
for line, name in (("yes; echo $? >st", "yes | head"),
                   ("trap '' PIPE; while echo x 2>/dev/null; do :; done; "
                    "echo $? >st", "SIGPIPE ignored")):
    told = []
    for shell in AEGSH, BASH:
        p = subprocess.Popen([shell, "-c", line], env=env, cwd=HOME,
                             stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = p.stdout.read(2)
        p.stdout.close()
        p.wait(DEADLINE)
        p.stderr.close()
        with open(HOME + "/st") as f:
            told.append((first, p.returncode, f.read()))
    tap.same(told[0], told[1], "the reader leaves: " + name)

# Who reads slowly is waited for: no more is taken than pipes hold.
p = start("n=0; while :; do echo 0123456789012345678901234567890; n=$((n+1)); "
          "echo $n >count; done")
until(lambda: os.path.exists(HOME + "/count"))


def count():
    with open(HOME + "/count") as f:
        return int(f.read() or 0)


def state(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


def unread():
    raw = fcntl.ioctl(p.stdout, termios.FIONREAD, b"\0" * 4)
    return int.from_bytes(raw, sys.byteorder)


room = fcntl.fcntl(p.stdout, fcntl.F_GETPIPE_SZ)
looks = []


def at_rest():
    """The line and who carries it sleep, look after look; who synced the
    record is done."""
    kids = children(p.pid)
    looks.append((count(), sorted(state(k) for k in kids)))
    if "Z" in looks[-1][1]:
        looks[-1][1].remove("Z")
    return (unread() > room * 3 // 4 and len(looks) > 20 and
            looks[-20:] == [(looks[-1][0], ["S", "S"])] * 20)


rests = until(at_rest)
tap.ok(rests and count() * 32 <= 2 * room + 65536 + 4096,
       "who reads slowly is waited for", looks[-1:], unread())
p.kill()
p.communicate()

# O_NONBLOCK is what it was.
for want in 0, os.O_NONBLOCK:
    r, w = os.pipe()
    fcntl.fcntl(w, fcntl.F_SETFL, want | os.O_WRONLY)
    out = run(AEGSH, "grep flags /proc/self/fdinfo/2",
              stdout=subprocess.PIPE, stderr=w)[1]
    tap.same(int(out.split()[1], 8) & os.O_NONBLOCK, want,
             "O_NONBLOCK of the pipe: %d" % want)
    tap.same(fcntl.fcntl(w, fcntl.F_GETFL) & os.O_NONBLOCK, want,
             "and nobody else's has changed: %d" % want)
    os.close(r)
    os.close(w)

# What is left behind.
p = start("(read x <go; echo late; echo later >&2) & echo now")
os.mkfifo(HOME + "/go")
first = p.stdout.readline()
p.wait(DEADLINE)
tap.same((first, p.returncode), (b"now\n", 0), "aegsh ends before its line")
with open(HOME + "/go", "w") as f:
    f.write("x\n")
tap.same(p.communicate(timeout=DEADLINE), (b"late\n", b"later\n"),
         "what was left behind still has a reader, and then none")

# All that was written is there when aegsh has ended.
r, w = os.pipe()
# Pieces that end lines leave some room of a pipe's pages empty.
n = fcntl.fcntl(r, fcntl.F_GETPIPE_SZ) // 2
p = start("head -c %d random" % n, stdout=w)
p.wait(DEADLINE)
os.close(w)
with open(HOME + "/random", "rb") as f:
    tap.ok(select.select([r], [], [], 0)[0] and os.read(r, n) == f.read(n),
           "at the end all of it is there")
os.close(r)
p.communicate()

# What is on record of it.
def last(line):
    rows = [json.loads(row) for row in subprocess.run(
        [CTL, "history", "--json", "-n", "0"], env=env, capture_output=True,
        text=True, timeout=DEADLINE).stdout.splitlines()]
    return [row["id"] for row in rows if row["line"].startswith(line)][-1]


def replay(row):
    return subprocess.run([CTL, "audit", "replay", "--raw", str(row)],
                          env=env, capture_output=True,
                          timeout=DEADLINE).stdout


got = run(AEGSH, "head -c 300000 random")[1]
tap.same(hashlib.sha256(replay(last("head -c 300000"))).digest(),
         hashlib.sha256(got).digest(), "what is recorded is what was written")
run(AEGSH, "head -c 2000000 random")
tap.ok(0 < len(replay(last("head -c 2000000"))) <= 1 << 20,
       "up to output-max of it")
env["API_TOKEN"] = "tok-8f3a11d0c7754be2"
got = run(AEGSH, "printf 'v tok-8f3'; sleep 0.1; printf a11d0; sleep 0.1; "
          "echo c7754be2 end")[1]
seen = replay(last("printf 'v tok"))
tap.ok(got == b"v tok-8f3a11d0c7754be2 end\n" and seen.startswith(b"v ") and
       seen.endswith(b" end\n") and b"tok-8" not in seen and
       b"7754be2" not in seen, "without a secret that came in pieces", got,
       seen)

# Where it cannot be kept that is said, and nobody is held up by it.
out = glob.glob(root + "/own/*/output")[0]
os.rename(out, out + ".away")
with open(out, "w"):
    pass
got = run(AEGSH, "echo still")
tap.ok(got[:2] == (0, b"still\n") and b"not all kept" in got[2],
       "a recording that cannot be made is told, and the line runs", got)
os.unlink(out)
os.rename(out + ".away", out)

# A stream on standard input.
text = b"echo one\necho two >&2\nx=3\necho $x; trap 'echo bye' EXIT\n"
got = []
for shell in AEGSH, BASH:
    q = subprocess.run([shell], input=text, env=env, cwd=HOME,
                       capture_output=True, timeout=DEADLINE)
    got.append((q.returncode, q.stdout, q.stderr))
tap.same(got[0], got[1], "commands on standard input")

# Killed or stopped, the line dies with it, whatever the line does.
for sig in signal.SIGKILL, signal.SIGSTOP:
    p = start("trap '' PIPE HUP TERM; echo up; while sleep 1; do :; done")
    p.stdout.readline()
    kids = [c for c in children(p.pid) if comm(c) != HOLDER]
    os.kill(holder_when_named(p.pid) or p.pid, sig)
    p.wait(DEADLINE)
    said = p.stderr.read()
    gone = until(lambda: not any(alive(k) for k in kids))
    tap.ok(p.returncode == 126 and gone and b"carries its output" in said,
           "signal %d to the process between ends the line" % sig,
           p.returncode, said)
    p.stdout.close()
    p.stderr.close()
    p.stdin.close()
p = start("kill -9 $(pgrep -x %s) || kill -STOP $(pgrep -x %s); echo on" %
          (HOLDER, HOLDER))
out, said = p.communicate(timeout=DEADLINE)
tap.ok(p.returncode == 126 or b"on" in out, "a line that ends it gains "
       "nothing: it dies, or could not", p.returncode, out, said)
tap.done()
