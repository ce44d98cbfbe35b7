# SPDX-License-Identifier: ISC
"""Where a part of the tree of control groups is ours, each line with limits
gets a group of its own: what counting does not see is held by the kernel, and
no command leaves it.

As root, where nobody else arranges the tree, it runs as a uid that nobody has
in a group that was given to that."""
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from exec_rig import unused_uid  # noqa: E402
from procs import DEADLINE, children, until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from supervise_probe import why_not  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
FILES = "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"


def read(name):
    with open(name) as f:
        return f.read()


def write(name, text):
    with open(name, "w") as f:
        f.write(text)


def own():
    """The group that we are in, as a directory, or None."""
    for line in read("/proc/self/mountinfo").splitlines():
        fields, kind = line.split(" - ")
        root, at = fields.split()[3:5]
        if kind.split()[0] != "cgroup2" or root != "/":
            continue
        for group in read("/proc/self/cgroup").splitlines():
            if group.startswith("0::/"):
                return at + group[3:].rstrip("/")
    return None


def give(above):
    """As root: run this again in a group that is another's."""
    uid, at = unused_uid(), above + "/aegsh-test-%d" % os.getpid()
    os.mkdir(at)
    for name in ("",) + FILES:
        os.chown(at + "/" + name, uid, uid)

    def enter():
        write(at + "/cgroup.procs", "0")
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    try:
        subprocess.run([sys.executable, __file__], preexec_fn=enter,
                       check=True)
    finally:
        write(at + "/cgroup.kill", "1")
        until(lambda: "populated 0" in read(at + "/cgroup.events"))
        for where, _, _ in os.walk(at, topdown=False):
            os.rmdir(where)
    sys.exit(0)


def none(why):
    tap.skip("everything", why)
    tap.done()


BASE = own()
SYSTEMD = os.path.isdir("/run/systemd/system")
if why_not() is not None:
    none(why_not())
if BASE is None:
    none("no control groups of version 2")
CAN = read(BASE + "/cgroup.controllers").split()
if "memory" not in CAN or "pids" not in CAN:
    none("version 2 has neither memory nor pids here")
if os.getuid() == 0:
    if SYSTEMD or "memory" not in read(
            BASE + "/cgroup.subtree_control").split():
        none("nobody divides this group for us")
    give(BASE)
if os.stat(BASE).st_uid != os.getuid() or (
        SYSTEMD and "user.delegate" not in os.listxattr(BASE)):
    none("this group was not delegated")
if read(BASE + "/cgroup.procs").split() != [str(os.getpid())]:
    none("there are others in this group")

# ---- a place for each ------------------------------------------------------
os.mkdir(BASE + "/test")
write(BASE + "/test/cgroup.procs", "0")
write(BASE + "/cgroup.subtree_control", "+memory +pids")
AEGSH = program("aegsh")
POLICY = """profile "t" {
	sandbox = "admin"
	rank = 20
	unknown = allow
	ask_at = 1000
	use = { common }
	override = { ask.stdin-program }
}
match "all" { user = { '*' } profile = t }
rule "t" { decision = allow reason = r command = { '.' } }
"""


class Place:
    n = 0

    def __init__(self, limits, files=()):
        Place.n += 1
        self.group = "%s/run-%d" % (BASE, Place.n)
        os.mkdir(self.group)
        if SYSTEMD:
            os.setxattr(self.group, "user.delegate", b"1")
        root, self.env = place()
        os.makedirs(root + "/etc/policy.d")
        os.makedirs(root + "/etc/sandbox.d")
        write(root + "/etc/policy.d/50-t.conf", POLICY)
        write(root + "/etc/aegsh.conf", 'prompt = "READY> "\n')
        write(root + "/etc/sandbox.d/admin.conf",
              'read += {"%s"}\n' % root + limits)
        for name, text in files:
            write(self.env["HOME"] + "/" + name, text)

    def enter(self):
        write(self.group + "/cgroup.procs", "0")

    def popen(self, *argv, **more):
        return subprocess.Popen(
            argv, cwd=self.env["HOME"], env=self.env, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, preexec_fn=self.enter, **more)

    def run(self, *argv, say=""):
        p = self.popen(AEGSH, *argv)
        out, err = p.communicate(say, timeout=DEADLINE)
        return p.returncode, out, err

    def lines(self):
        return [n for n in os.listdir(self.group) if n.startswith("line-")]


MINE = "sed -n s,^0::,,p /proc/self/cgroup\n"

# ---- each line has its own -------------------------------------------------
p = Place("limit-memory = 64\nlimit-children = 5\n")
job = p.popen(AEGSH, "-c", "echo ready; read x; " + MINE)
tap.same(job.stdout.readline(), "ready\n", "a line with limits runs")
tap.ok(len(p.lines()) == 1, "it has a group", p.lines())
line = p.group + "/" + (p.lines() + ["none"])[0]
for name, want in (("memory.max", str(64 << 20)), ("pids.max", "768"),
                   ("memory.oom.group", "1")):
    tap.same(read(line + "/" + name).strip(), want, name + " is its limit")
if os.path.exists(line + "/memory.swap.max"):
    tap.same(read(line + "/memory.swap.max").strip(), "0",
             "and nothing of it is swapped")
tap.ok(str(job.pid) in read("%s/aegsh-%d/cgroup.procs" % (
    p.group, job.pid)).split(), "aegsh has one of its own")
out, err = job.communicate("\n", timeout=DEADLINE)
tap.ok(out.strip().endswith("/" + os.path.basename(line)),
       "what it starts is in it", out + err)
tap.ok(job.returncode == 0 and p.lines() == [], "it is gone with the line",
       "%r %r" % (job.returncode, p.lines()))

status, out, err = p.run("-s", say=MINE + MINE)
tap.ok(status == 0 and out.count("/line-") == 2 and
       len(set(out.split())) == 1, "lines of a standard input share one",
       out + err)
with_group = dict(p.env, TERM="dumb", GROUP=p.group)
tty = Session(["/bin/sh", "-c", 'echo 0 >"$GROUP/cgroup.procs"; exec "$0"',
               AEGSH], env=with_group, cwd=p.env["HOME"])
tty.expect("READY> ")
tty.line("sed -n s,^0::,at:,p /proc/self/cgroup")
tap.ok(tty.expect("at:/[^\r]*/line-[0-9]+-1") is not None,
       "a line of a terminal's session has one", tty.seen)
tty.line("exit")
tty.wait()

p = Place("")
status, out, err = p.run("-c", MINE)
tap.ok(status == 0 and "/line-" not in out and os.listdir(p.group) and
       not [n for n in os.listdir(p.group) if n.startswith("aegsh-")],
       "without limits nothing is arranged", out + err)

# ---- what counting does not see --------------------------------------------
SHARED = """
import mmap
m = mmap.mmap(-1, 256 << 20)
for i in range(0, len(m), 4096):
    m[i] = 1
print("all")
"""
# Their parents are gone when they end: nobody of the line is told of it.
SPINS = """
import os, time
for i in range(100):
    if os.fork() == 0:
        if os.fork() == 0:
            end = time.process_time() + .05
            while time.process_time() < end:
                pass
            os._exit(0)
        os._exit(0)
    os.wait()
    time.sleep(.06)
print("all")
"""
THREADS = """
import threading
stay = threading.Event()
n = 0
try:
    for n in range(2000):
        threading.Thread(target=stay.wait, daemon=True).start()
except RuntimeError:
    pass
print(n, flush=True)
stay.set()
"""
FILES = (("shared.py", SHARED), ("spins.py", SPINS), ("threads.py", THREADS))
PY = "/usr/bin/python3 "
p = Place("limit-memory = 64\n", FILES)
status, out, err = p.run("-c", PY + "shared.py; echo on")
tap.ok(out == "" and status != 0 and "limit-memory: more than 64 MiB" in err,
       "memory that is nobody's own ends the line", "%r %r %r" % (
           status, out, err))
p = Place("limit-memory = 64\n", FILES)
status, out, err = p.run("-s", say="echo one\n" + PY + "shared.py\necho on\n")
tap.ok(out == "one\n" and "limit-memory: more than 64 MiB" in err,
       "and standard input with it", "%r %r %r" % (status, out, err))
p = Place("limit-memory = 64\n", FILES)
status, out, err = p.run("-c", "(trap '' TERM; exec %sshared.py) & "
                         "sleep 1000" % PY)
tap.ok(status != 0 and "limit-memory" in err,
       "all of it ends at once", "%r %r %r" % (status, out, err))
until(lambda: p.lines() == [])
tap.same(p.lines(), [], "and its group with it")
p = Place("limit-cpu = 1\n", FILES)
status, out, err = p.run("-c", PY + "spins.py; echo on")
tap.ok(out == "" and "limit-cpu: more than 1 s" in err,
       "processor time of what ended unseen counts", out + err)
p = Place("limit-children = 1\n", FILES)
status, out, err = p.run("-c", PY + "threads.py")
tap.ok(out.strip().isdigit() and 100 < int(out) < 256 and
       "limit-children: 2 processes with 128 threads each" in err,
       "threads have an end", "%r %r %r" % (status, out, err))

# ---- nobody leaves it ------------------------------------------------------
LEAVE = """
import os, sys
d = sys.argv[1]
mine = [d + "/" + n for n in os.listdir(d) if n.startswith("line-")][0]
own = [d + "/" + n for n in os.listdir(d) if n.startswith("aegsh-")][0]
outside = "/proc/%s/root" % sys.argv[2]


def attempt(what, fn, *args):
    try:
        fn(*args)
        print(what, "went")
    except OSError as e:
        print(what, e.strerror)


def put(name, text):
    fd = os.open(name, os.O_WRONLY)
    os.write(fd, text.encode())


attempt("enter", put, own + "/cgroup.procs", "0")
attempt("up", put, d + "/cgroup.procs", "0")
attempt("top", put, "/sys/fs/cgroup/cgroup.procs", "0")
attempt("limit", put, mine + "/memory.max", "max")
attempt("tasks", put, mine + "/pids.max", "max")
attempt("make", os.mkdir, mine + "/x")
attempt("remove", os.rmdir, mine)
attempt("mode", put, outside + mine + "/memory.max", "max")
attempt("kill", put, own + "/cgroup.kill", "1")
print(open("/proc/self/cgroup").read())
"""
p = Place("limit-memory = 64\nlimit-children = 5\n", (("leave.py", LEAVE),))
status, out, err = p.run("-c", PY + "leave.py %s $PPID" % p.group)
told = dict(x.split(" ", 1) for x in out.splitlines() if " " in x)
tap.ok(len(told) == 9 and set(told.values()) <= {
    "Permission denied", "Device or resource busy",
    "Operation not permitted"} and "/line-" in out,
    "no command leaves its group, or changes one", out + err)

# ---- its end ---------------------------------------------------------------
job = p.popen(AEGSH, "-c", "setsid sleep 1000 >/dev/null 2>&1 <&1 & "
              "echo begun; read x")
tap.same(job.stdout.readline(), "begun\n", "a line with a supervisor runs")
for pid in children(job.pid):
    if read("/proc/%d/comm" % pid).strip() == "aegsh-watch":
        os.kill(pid, signal.SIGKILL)
out, err = job.communicate(timeout=DEADLINE)
tap.ok(job.returncode != 0 and "supervisor was killed" in err,
       "a line whose supervisor is killed ends", out + err)
until(lambda: p.lines() == [])
tap.same(p.lines(), [], "and so does its group")

p = Place("limit-memory = 64\nlimit-children = 5\nsurvivors = keep\n")
status, out, err = p.run("-c", "setsid sleep 1000 >/dev/null 2>&1 <&1 & "
                         "echo $!")
left = p.lines()
tap.ok(len(left) == 1 and out.strip() in read(
    "%s/%s/cgroup.procs" % (p.group, left[0])).split(),
    "what a line leaves behind stays in its group", "%r %r" % (left, out))
for pid in read("%s/%s/cgroup.procs" % (p.group, left[0])).split():
    os.kill(int(pid), signal.SIGKILL)
until(lambda: p.lines() == [])
tap.same(p.lines(), [], "which ends with that")
p = Place("limit-memory = 64\nlimit-children = 5\nsurvivors = end\n")
status, out, err = p.run("-c", "setsid sleep 1000 >/dev/null 2>&1 <&1 & "
                         "echo $!")
until(lambda: p.lines() == [])
tap.same(p.lines(), [], "survivors = end: it ends with the session")

# ---- where it cannot be ----------------------------------------------------
FORKS = """
import os, signal
pids = []
try:
    while len(pids) < 9:
        pid = os.fork()
        if pid == 0:
            signal.pause()
        pids.append(pid)
except BlockingIOError:
    pass
print(len(pids))
for pid in pids:
    os.kill(pid, signal.SIGKILL)
print(open("/proc/self/cgroup").read())
"""


def counted(p, name):
    write(p.env["HOME"] + "/forks.py", FORKS)
    status, out, err = p.run("-c", PY + "forks.py")
    tap.ok("/line-" not in out and out.startswith("4\n") and
           "limit-children: 4 at one time" in err,
           name + ": counted alone", "%r %r" % (out, err))


p = Place("limit-children = 4\n")
other = subprocess.Popen(["sleep", "1000"], preexec_fn=p.enter)
counted(p, "beside a process of another's")
tap.same(read(p.group + "/cgroup.subtree_control").strip(), "",
         "and nothing is arranged there")
other.kill()
other.wait()
p = Place('limit-children = 4\nwrite += {"/sys/fs/cgroup"}\n')
counted(p, "a profile that lets commands write there")
p = Place("limit-children = 4\n")
os.chmod(p.group + "/cgroup.subtree_control", 0o444)
counted(p, "without the right to divide it")
p = Place("limit-children = 4\n")
# One that may have no group below it.
write(p.group + "/cgroup.max.descendants", "1")
counted(p, "where a line's cannot be made")
tap.done()
