# SPDX-License-Identifier: ISC
"""What the processes of a line may use together: more children are refused,
more time or memory ends the line, and neither helps a process that leaves its
parent, its group or its session.

As root the lines run as a uid that nobody has."""
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from exec_rig import Root, unused_uid  # noqa: E402
from procs import DEADLINE, alive, children, command_line, \
    until  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root = Root(unused_uid() if os.getuid() == 0 else None)
HOME = root.home
os.makedirs(root.path("etc/sandbox.d"))
GRANTS = 'read += {"%s", "%s", "%s"}\nexecute += {"%s"}\n' % (
    root.path("etc"), root.path("share"), root.execrun, root.execrun)


def limit(text):
    for profile in ("admin", "root"):
        root.write("etc/sandbox.d/%s.conf" % profile, GRANTS + text)


def popen(line, options=()):
    return root.popen([root.execrun, "-q", *options, "-c", line],
                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                      stderr=subprocess.PIPE, text=True)


def run(line, options=()):
    p = popen(line, options)
    out, err = p.communicate(timeout=DEADLINE)
    return p.returncode, out, err


def below(pid):
    found = children(pid)
    for child in found:
        found += children(child)
    return found


PY = "/usr/bin/python3"
# Says how many it got, and holds them until it has.
FORKS = """
import os, signal, sys
how, wanted = sys.argv[1], int(sys.argv[2])
got = []
r, w = os.pipe()
for i in range(wanted):
    try:
        pid = os.fork()
    except BlockingIOError:
        break
    if pid == 0:
        if how == 'session':
            os.setsid()
        elif how == 'group':
            os.setpgid(0, 0)
        elif how == 'thread':
            pass
        os.close(w)
        os.read(r, 1)
        os._exit(0)
    got.append(pid)
print(len(got))
sys.stdout.flush()
os.close(w)
for pid in got:
    os.waitpid(pid, 0)
"""
# Each child makes the next one and leaves it behind.
ORPHANS = """
import os, sys
r, w = os.pipe()
told, tell = os.pipe()
n = 0
while n < 40:
    try:
        pid = os.fork()
    except BlockingIOError:
        break
    if pid == 0:
        os.setsid()
        ok = b'n'
        try:
            if os.fork() == 0:
                os.close(w)
                os.read(r, 1)
                try:
                    os.fork()
                except BlockingIOError:
                    pass
                os._exit(0)
            ok = b'y'
        except BlockingIOError:
            pass
        os.write(tell, ok)
        os._exit(0)
    os.waitpid(pid, 0)
    if os.read(told, 1) == b'n':
        break
    n += 1
print(n)
"""
for name, text in (("forks", FORKS), ("orphans", ORPHANS)):
    root.write(HOME + "/" + name, text)

# ---- children --------------------------------------------------------------
limit("limit-children = 5\n")
for options in tap.part(((), ("-l",))):
    how = "launcher" if options else "direct"
    status, out, err = run("for i in 1 2 3 4 5; do sleep 1000 & done; "
                           "kill %1 %2 %3 %4 %5; wait; echo end", options)
    tap.ok(status == 0 and out == "end\n" and "limit" not in err,
           how + ": as many as there may be", out + err)
    for kind in ("plain", "session", "group"):
        # It is one of the five itself.
        status, out, err = run("%s forks %s 9; echo end" % (PY, kind),
                               options)
        tap.ok(status == 0 and out == "4\nend\n" and
               "limited: limit-children: 5 at one time" in err,
               "%s: and no more, %s" % (how, kind), out + err)
    status, out, err = run("for i in $(seq 300); do /bin/true; done; "
                           "%s forks plain 4" % PY, options)
    tap.ok(out == "4\n" and "limited" not in err,
           how + ": those that are gone do not count", out + err)
    status, out, err = run("%s orphans" % PY, options)
    tap.ok(out.strip().isdigit() and int(out) <= 5 and status == 0 and
           "limited: limit-children: 5 at one time" in err,
           how + ": those without a parent", out + err)
    status, out, err = run(
        "%s -c 'import threading, time\n"
        "e = threading.Event()\n"
        "ts = [threading.Thread(target=e.wait) for i in range(50)]\n"
        "[t.start() for t in ts]; e.set(); [t.join() for t in ts]\n"
        "print(len(ts))'" % PY, options)
    tap.ok(out == "50\n" and "limited" not in err,
           how + ": threads are no processes", out + err)
    # bash itself tries again for half a minute where fork(2) says EAGAIN.
    p = popen("f() { echo up >&2; f | f & }; f; wait; sleep 1000", options)
    while "retry" not in p.stderr.readline():
        pass
    # Who was there at both ends of a look was there at one time with others.
    most = max(len([pid for pid in set(below(p.pid)) if alive(pid)])
               for i in tap.part(range(200)))
    p.kill()
    p.communicate()
    # Bash and the supervisor are there besides.
    tap.ok(1 < most <= 5 + 3, how + ": a bomb", "%d processes" % most)

# ---- those that belie where they come from ------------------------------------
# A sibling of its maker's, and one whose maker ends without libc.
ESCAPE = """
import ctypes, os, sys
NR = {'x86_64': (56, 60), 'aarch64': (220, 93), 'riscv64': (220, 93)}
clone, end = NR[os.uname().machine]
call = ctypes.CDLL(None, use_errno=True).syscall
if sys.argv[1] == 'sibling':
    pid = call(clone, 0x8000 | 17, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    print(pid, os.strerror(ctypes.get_errno()))
else:
    n = 0
    while n < 9:
        try:
            pid = os.fork()
        except BlockingIOError:
            break
        if pid == 0:
            try:
                if os.fork() == 0:
                    os.setsid()
                    for fd in range(3):
                        os.close(fd)
                    while True:
                        os.read(os.pipe()[0], 1)
            except BlockingIOError:
                call(end, 1)
            call(end, 0)
        if os.waitpid(pid, 0)[1] != 0:
            break
        n += 1
    print(n)
"""
root.write(HOME + "/escape", ESCAPE)
for limits in ("limit-children = 5", "limit-time = 60"):
    limit(limits + "\n")
    for options in tap.part(((), ("-l",))):
        how = ("launcher: " if options else "direct: ") + limits
        for line in ("exec %s escape sibling", "%s escape sibling; :"):
            status, out, err = run(line % PY, options)
            tap.ok(out == "-1 Invalid argument\n",
                   how + ": no sibling of one's own: " + line, out + err)
limit("limit-children = 5\nlimit-time = 60\n")
for options in tap.part(((), ("-l",))):
    how = "launcher" if options else "direct"
    status, out, err = run("%s escape raw; :" % PY, options)
    tap.ok(out.strip().isdigit() and int(out) <= 4,
           how + ": one that ends by itself hides no child", out + err)

# ---- those whose parents are killed -------------------------------------------
# Each parent ends by a signal, which nobody is asked about, as soon as its
# child is there and has left the group and the session.
KILLED = """
import os, signal, sys
how = sys.argv[1]
n = 0
while n < int(sys.argv[2]):
    r, w = os.pipe()
    try:
        pid = os.fork()
    except BlockingIOError:
        break
    if pid == 0:
        try:
            if os.fork() == 0:
                if how != 'plain':
                    os.setsid()
                x = bytearray(40 << 20)
                os.write(w, b'y')
                os.dup2(os.open('/dev/null', os.O_RDWR), 1)
                os.dup2(1, 2)
                while True:
                    signal.pause()
        except BlockingIOError:
            os.write(w, b'n')
        signal.pause()
    if os.read(r, 1) == b'n':
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        break
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    n += 1
print(n)
"""
root.write(HOME + "/killed", KILLED)
for options in tap.part(((), ("-l",))):
    how = "launcher" if options else "direct"
    for kind in ("plain", "session"):
        limit("limit-children = 5\nlimit-time = 50\n")
        status, out, err = run("%s killed %s 9; pkill -9 -u $(id -u) -f "
                               "killed; :" % (PY, kind), options)
        tap.ok(out == "3\n" and "limited: limit-children" in err,
               "%s: those whose parent was killed, %s" % (how, kind),
               "%r %r" % (out, err))
        limit("limit-memory = 150\n")
        status, out, err = run("%s killed %s 9; sleep 1000" % (PY, kind),
                               options)
        tap.ok("killed: it met its limit, limit-memory" in err and
               until(lambda: not [p for p in os.listdir("/proc")
                                  if p.isdigit() and alive(int(p)) and
                                  b"\0killed\0" in command_line(int(p))]),
               "%s: count, and die with the line, %s" % (how, kind),
               "%r %r" % (out, err))

# ---- time and memory ---------------------------------------------------------
SPIN = "while :; do :; done"
EATS = "x=bytearray(40 << 20)\nimport time\ntime.sleep(1000)"
root.write(HOME + "/eats", EATS)
for name, limits, line in (
        ("limit-cpu", "limit-cpu = 1", SPIN),
        ("limit-cpu", "limit-cpu = 1",
         "for i in $(seq 100); do timeout 0.3 sh -c '%s'; done" % SPIN),
        ("limit-cpu", "limit-cpu = 1", "setsid sh -c '%s'" % SPIN),
        ("limit-time", "limit-time = 1", "sleep 1000"),
        ("limit-time", "limit-time = 1", "trap '' TERM INT; setsid -f sleep "
         "1000; sleep 1000"),
        ("limit-memory", "limit-memory = 100", "%s -c 'x=bytearray(200 << 20);"
         "import time; time.sleep(1000)'" % PY),
        ("limit-memory", "limit-memory = 100",
         "for i in 1 2 3 4; do %s eats & done; wait" % PY)):
    limit(limits + "\n")
    for options in tap.part(((), ("-l",))):
        how = "launcher" if options else "direct"
        status, out, err = run(line, options)
        killed = "killed: it met its limit, %s: more than" % name in err
        # The kernel's own limit for one process may be faster.
        single = name == "limit-cpu" and status in (-signal.SIGXCPU,
                                                    -signal.SIGKILL)
        tap.ok(status != 0 and (killed or single),
               "%s: %s: %s" % (how, limits, line), "%r %r %r" %
               (status, out, err))

limit("limit-memory = 1000\nlimit-cpu = 50\nlimit-time = 50\n"
      "limit-children = 50\n")
status, out, err = run("%s -c 'x=bytearray(40 << 20)'; seq 3 | wc -l" % PY)
tap.ok(out == "3\n" and err == "" and status == 0,
       "nothing is said within them", err)

# ---- lines on standard input -------------------------------------------------
def units(*lines, options=()):
    p = root.popen([root.execrun, "-q", *options,
                    *(x for line in lines for x in ("-u", line))],
                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE, text=True)
    out, err = p.communicate(timeout=DEADLINE)
    return p.returncode, out, err


BURN = "timeout 0.5 sh -c '%s'" % SPIN
for name, limits, lines in (
        ("limit-time", "limit-time = 1", ("sleep 1000",)),
        ("limit-time", "limit-time = 1", (":", "sleep 1000")),
        ("limit-time", "limit-time = 1", (":", "exec sleep 1000")),
        ("limit-time", "limit-time = 1", ("sleep 1000 &", "wait")),
        # What is left behind has no more time for each line that follows.
        ("limit-time", "limit-time = 2",
         ("sleep 1000 &",) + ("sleep 0.2",) * 300),
        ("limit-cpu", "limit-cpu = 1",
         (":", "for i in $(seq 100); do %s; done" % BURN)),
        ("limit-cpu", "limit-cpu = 2", ("sleep 1000 &",) + (BURN,) * 60),
        ("limit-memory", "limit-memory = 100",
         (":", "for i in 1 2 3 4; do %s eats & done; wait" % PY))):
    limit(limits + "\n")
    for options in tap.part(((), ("-l",))):
        how = "launcher" if options else "direct"
        status, out, err = units(*lines, options=options)
        tap.ok(status != 0 and "killed: it met its limit, %s: more than" %
               name in err, "%s: %s: unit %s" % (how, limits, lines[-1]),
               "%r %r %r" % (status, out, err))
limit("limit-cpu = 1\n")
status, out, err = units(*(BURN,) * 4, "echo end")
tap.ok(status == 0 and out == "end\n" and err == "",
       "each unit has a time of its own", "%r %r %r" % (status, out, err))

# ---- what is left behind -----------------------------------------------------
limit("limit-time = 5\n")
status, out, err = run("setsid -f sh -c 'echo $$ >late; exec sleep 1000'; "
                       "until [ -s late ]; do :; done")
with open(HOME + "/late") as f:
    late = int(f.read())
tap.ok(status == 0 and err == "" and until(lambda: not alive(late)),
       "what a line leaves behind has its time, too", err)
tap.done()
