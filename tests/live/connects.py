# SPDX-License-Identifier: ISC
"""unix = {…}: the lines of such a profile reach the services that it names
and their own, and no other, whatever changes while they ask; what else they
connect to works as without.

As root the lines run as a uid that nobody has."""
import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from procs import DEADLINE, until  # noqa: E402
from tap import Tap  # noqa: E402
from user_rig import (  # noqa: E402
    HOME, IS_ROOT, ROOT, UID, install, own, popen, profile, run)

tap = Tap()
SRV = ROOT + "/srv"
AEGSH, CTL = install("aegsh"), install("aegshctl")


def line(text):
    return run(AEGSH, "-c", text)


def script(name, text):
    path = "%s/%s.py" % (HOME, name)
    with open(path, "w") as f:
        f.write(COMMON + text)
    return "/usr/bin/python3 %s.py; :" % name


peers = {}


def serve(path, greeting, accept=True):
    """A service outside, of the same user: who connects reads its name."""
    s = socket.socket(socket.AF_UNIX)
    s.bind(path)
    own(path)
    s.listen(1000 if accept else 0)

    def loop():
        while True:
            c = s.accept()[0]
            cred = c.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            peers[greeting] = [int.from_bytes(cred[i:i + 4], "little")
                               for i in (0, 4, 8)]
            try:
                c.sendall(greeting.encode())
            except OSError:
                pass
            c.close()
    if accept:
        threading.Thread(target=loop, daemon=True).start()
    return s


COMMON = """
import ctypes, errno, os, signal, socket, sys, threading
SRV, HOME = %r, %r
def reach(path, s=None):
    s = s or socket.socket(socket.AF_UNIX)
    try:
        s.connect(path)
        return s.recv(99).decode()
    except OSError as e:
        return errno.errorcode[e.errno]
    finally:
        s.close()
""" % (SRV, HOME)

os.mkdir(SRV)
os.chmod(SRV, 0o755)
kept = [serve(SRV + "/listed", "listed"), serve(SRV + "/other", "other"),
        serve(HOME + "/pinned", "pinned"), serve(HOME + "/outside", "other"),
        serve(SRV + "/full", "full", accept=False)]
filler = socket.socket(socket.AF_UNIX)
filler.connect(SRV + "/full")       # more than that waits
abstract = socket.socket(socket.AF_UNIX)
abstract.bind("\0aegsh-connects-%d" % os.getpid())
abstract.listen(8)
tcp = socket.create_server(("127.0.0.1", 0), backlog=1000)
PORT = tcp.getsockname()[1]

# ---- the text --------------------------------------------------------------
LIST = 'unix = {"%s/listed", "%s/full", "%s/pinned"}' % (SRV, SRV, HOME)
profile(LIST, "supervise = none")
out = line("echo on")
tap.ok(out[1] == "" and "a list of unix sockets needs a supervisor" in out[2],
       "a list needs a supervisor", out)
profile('unix = {"%s"}' % HOME)
out = line("echo on")
tap.ok(out[1] == "" and "name a socket" in out[2] and "admin.conf:" in out[2],
       "no directory is listed that commands may change", out)
profile()
REACH = script("reach", """
print(reach(SRV + "/listed"), reach(SRV + "/other"), reach(HOME + "/pinned"),
      reach(HOME + "/outside"))
""")
out = line(REACH)
if out[1] != "listed other pinned other\n":
    tap.skip("everything", "no line runs here: %r" % (out,))
    tap.done()

# ---- what is reached --------------------------------------------------------
profile(LIST)
tap.same(line(REACH), (0, "listed EACCES pinned EACCES\n", ""),
         "what the list names, and nothing else")
out = run(CTL, "audit", "events", "-n", "0")[1]
tap.same([x.split("  ")[-1].split(": ", 1)[1] for x in out.splitlines()
          if " address " in x],
         ["unix %s: refused" % p for p in (SRV + "/other", HOME + "/outside")],
         "what was refused is on record")
pid, uid, gid = peers["listed"]
tap.ok(uid == UID and gid == (UID if IS_ROOT else os.getgid()),
       "as the user that the line is", peers)
tap.same(run(AEGSH, data="echo a\n%s\n" % REACH),
         (0, "a\nlisted EACCES pinned EACCES\n", ""),
         "and from commands on standard input")
out = run(CTL, "sandbox", "explain", SRV + "/other")
tap.ok("not in the list of unix" in out[1], "sandbox explain tells why", out)
out = run(CTL, "sandbox", "explain", SRV + "/listed")
tap.ok("not in the list" not in out[1] and "(unix)" in out[1] or
       "unix" in out[1], "and what allows it", out)
out = run(CTL, "sandbox", "show", "admin")
tap.ok("unix            %s/listed\n" % SRV in out[1],
       "sandbox show tells which", out[1][:3000])
tap.same(line(script("names", """
os.symlink(SRV + "/listed", "link")
os.chdir(SRV)
print(reach("listed"), reach("other"), reach("../srv/listed"))
d = os.open(".", os.O_RDONLY)
print(reach("/proc/self/cwd/listed"), reach("/proc/self/fd/" + str(d) + "/listed"),
      reach("/proc/thread-self/cwd/other"))
print(reach(HOME + "/link"), reach("nothing"), reach(HOME),
      reach("x" * 107), reach(""))
t = []
w = threading.Thread(target=lambda: t.append(reach("listed")))
w.start()
w.join()
print(t)
print(socket.socket().connect_ex(("127.0.0.1", %d)))
try:
    socket.socket(fileno=os.dup(0)).connect(SRV + "/listed")
except OSError as e:
    print(errno.errorcode[e.errno])
print(ctypes.CDLL(None, use_errno=True).connect(999, b"", 0),
      errno.errorcode[ctypes.get_errno()])
""" % PORT)),
         (0, "listed EACCES listed\nlisted listed EACCES\n"
          "listed ENOENT EACCES ENOENT EINVAL\n['listed']\n0\n"
          "ENOTSOCK\n-1 EBADF\n", ""),
         "however it is named, and errors as they were")
tap.same(line(script("mine", """
server = socket.socket(socket.AF_UNIX)
server.bind("mine.sock")
server.listen(8)
def loop():
    for i in range(2):
        c = server.accept()[0]
        c.sendall(b"mine")
        c.close()
threading.Thread(target=loop, daemon=True).start()
print(reach("mine.sock"))
os.rename("mine.sock", "renamed")
print(reach("renamed"))
a, b = socket.socketpair()
a.sendall(b"pair")
print(b.recv(9).decode())
""")), (0, "mine\nmine\npair\n", ""), "a line's own server is reached")
shut = script("shut", """
ctypes.CDLL(None).prctl(4, 0)
server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
server.bind("shut.sock")
server.listen(8)
if os.fork() == 0:
    os.setsid()
    c = server.accept()[0]
    c.sendall(b"shut")
""")
ask = script("ask", """
print(reach("shut.sock"))
""")
for what, out in (
        ("of the same line", line(shut + "; " + ask)),
        ("of commands on standard input", run(
            AEGSH, data="rm shut.sock\n%s\n%s\n" % (shut, ask)))):
    tap.same(out, (0, "shut\n", ""), "also one that nobody may look into, " +
             what)
tap.same(line(script("moved", """
os.link("outside", "a-link")
print(reach("a-link"))
os.rename("pinned", "moved")
os.link("outside", "pinned")
print(reach("pinned"), reach("moved"))
os.unlink("pinned")
os.rename("moved", "pinned")
print(reach("pinned"))
""")), (0, "EACCES\nEACCES EACCES\npinned\n", ""),
         "no other service by a link or a new name")
tap.same(line(script("kinds", """
for kind in socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_DGRAM | 0x800:
    for make in socket.socket, socket.socketpair:
        try:
            make(socket.AF_UNIX, kind)
            print("made")
        except OSError as e:
            print(errno.errorcode[e.errno], end=" ")
print(reach("\\0aegsh-connects-%d"))
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
a.sendmsg([b"x"], [], 0)
for s in a, socket.socket(socket.AF_UNIX):
    try:
        s.sendto(b"x", SRV + "/other")
        print("sent", end=" ")
    except OSError as e:
        print(e.errno == errno.EOPNOTSUPP)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.connect(("127.0.0.1", 9))
u.send(b"x")
s = socket.socket()
s.setblocking(False)
print(s.connect_ex(("127.0.0.1", %d)) in (0, errno.EINPROGRESS),
      socket.socket().connect_ex(("127.0.0.1", 1)) == errno.ECONNREFUSED)
""" % (os.getpid(), PORT))),
         (0, "EACCES " * 6 + "EPERM\nsent True\nTrue True\n", ""),
         "no datagrams, no names without a file; inet as without")
profile(LIST, "tcp-connect = {%d}" % PORT)
tap.same(line(script("ports", """
print([socket.socket().connect_ex(("127.0.0.1", p)) for p in (%d, %d)])
""" % (PORT, PORT ^ 1))), (0, "[0, 13]\n", ""), "ports are held to")
profile(LIST)

out = run(CTL, "doctor", "--sandbox", "admin")
tap.ok(out[0] == 0 and all(
    any(l.split()[:3] == ["enforced", "supervisor", act]
        for l in out[1].splitlines())
    for act in ("unlisted-socket", "datagrams")),
       "doctor --sandbox tries it", out[0], out[1][-900:], out[2])

# ---- what changes meanwhile --------------------------------------------------
ROUNDS = 300 if os.environ.get("SANITIZED") else 1500
RACE = """
libc = ctypes.CDLL(None, use_errno=True)
stop = False
def until_stopped(step):
    def loop():
        while not stop:
            step()
    t = threading.Thread(target=loop)
    t.start()
    return t
got = {}
def count(answer):
    got[answer] = got.get(answer, 0) + 1
"""


def race(what, text):
    out = line(script(what, RACE + text + "\nstop = True\nt.join()\n"
                      "print(sorted(got))"))
    tap.ok(out[0] == 0 and "'other'" not in out[1] and "listed" in out[1],
           "%d rounds of %s" % (ROUNDS, what), out)


race("links", """
def step():
    for to in "/listed", "/other":
        os.symlink(SRV + to, "next")
        os.rename("next", "flip")
step()
t = until_stopped(step)
for i in range(%d):
    count(reach("flip"))
""" % ROUNDS)
race("addresses", """
one, two = (("\\1\\0" + SRV + n).encode().ljust(110, b"\\0")
            for n in ("/listed", "/other"))
address = ctypes.create_string_buffer(one)
def step():
    ctypes.memmove(address, two, 110)
    ctypes.memmove(address, one, 110)
t = until_stopped(step)
for i in range(%d):
    s = socket.socket(socket.AF_UNIX)
    if libc.connect(s.fileno(), address, 110) == 0:
        count(s.recv(99).decode())
    else:
        count(errno.errorcode[ctypes.get_errno()])
    s.close()
""" % ROUNDS)
race("sockets", """
# A socket of the internet at the number, until it is one of these.
to = ("\\1\\0" + SRV + "/other").encode().ljust(110, b"\\0")
count(reach(SRV + "/listed"))
place = socket.socket()
inet = socket.socket()
def step():
    local = socket.socket(socket.AF_UNIX)
    os.dup2(local.fileno(), place.fileno())
    os.dup2(inet.fileno(), place.fileno())
t = until_stopped(step)
for i in range(%d):
    if libc.connect(place.fileno(), to, 110) == 0:
        count("other")
""" % ROUNDS)

# ---- waiting -------------------------------------------------------------------
tap.same(line(script("interrupted", """
class Rang(Exception):
    pass
def ring(*_):
    raise Rang
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    print(reach(SRV + "/full"))
except Rang:
    print("rang")
pid = os.fork()
if pid == 0:
    reach(SRV + "/full")
    os._exit(0)
os.kill(pid, signal.SIGTERM)
print(os.waitpid(pid, 0)[1])
""")), (0, "rang\n15\n", ""), "a call that waits is interrupted, and killed")
tap.same(line(script("many", """
import concurrent.futures
with concurrent.futures.ThreadPoolExecutor(100) as pool:
    print(set(pool.map(lambda i: reach(SRV + "/listed"), range(1000))))
""")), (0, "{'listed'}\n", ""), "a thousand of them, a hundred at a time")


def helpers(aegsh):
    """The pids of who connects for the lines of that aegsh."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid) as f:
                name, rest = f.read().split(" (", 1)[1].rsplit(") ", 1)
            with open("/proc/%s/stat" % rest.split()[1]) as f:
                above = f.read().rsplit(") ", 1)[1].split()[1]
        except (OSError, IndexError):
            continue
        if name == "aegsh-connect" and int(above) == aegsh:
            found.append(int(pid))
    return found


def met(aegsh, least=1):
    """Those, once there are so many.  By one look: the next may pass over
    one."""
    found = []

    def look():
        found[:] = helpers(aegsh)
        return len(found) >= least

    until(look)
    return found


def state(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(") ", 1)[1].split()[0]
    except OSError:
        return ""


WAIT = script("wait", 'print("asks", flush=True)\n'
              'print(reach(SRV + "/full"), flush=True)\n')


def waits():
    """A line that has its answer to come: what bash and python look up for
    themselves is behind it."""
    p = popen(AEGSH, "-c", WAIT)
    p.stdout.readline()
    return p


p = waits()
for pid in met(p.pid):
    os.kill(pid, signal.SIGKILL)
out = p.communicate(timeout=DEADLINE)
tap.same((p.returncode, *out), (0, "EACCES\n", ""),
         "where who connects is killed, the call fails")
p = waits()
helper = met(p.pid)[0]
with open("/proc/%d/stat" % helper) as f:
    os.kill(int(f.read().rsplit(") ", 1)[1].split()[1]), signal.SIGKILL)
out = p.communicate(timeout=DEADLINE)
tap.ok(p.returncode == 126 and "supervisor was killed" in out[1],
       "where the supervisor is, the line dies", p.returncode, out)
until(lambda: not os.path.exists("/proc/%d" % helper) or
      not helpers(p.pid))
tap.ok(not helpers(p.pid), "and nobody connects for it any more")

# ---- a line that attacks who connects for it ---------------------------------
# While one waits, the line looks for it and its supervisor and tries all that
# one process can do to another of its user; none of it is granted, and when the
# service hears the one that waits, it is reached as if nothing had been.
ATTACK = script("attack", """
import resource, struct, time
libc = ctypes.CDLL(None, use_errno=True)
SYS = {"x86_64": (101, 310, 311, 234)}.get(os.uname().machine,
      (117, 270, 271, 131))     # ptrace, process_vm_readv, -writev, tgkill
def stat(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            name, rest = f.read().split(" (", 1)[1].rsplit(") ", 1)
        return name, int(rest.split()[1])
    except OSError:
        return "", 0
aegsh = stat(os.getppid())[1]
def named(name):
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
            if stat(pid)[0] == name and aegsh in (stat(pid)[1],
                                                 stat(stat(pid)[1])[1])]
answers = []
t = threading.Thread(target=lambda: answers.append(reach(SRV + "/full")))
t.start()
while not named("aegsh-connect"):
    time.sleep(0.01)
def call(number, *args):
    if libc.syscall(number, *(ctypes.c_long(a) for a in args)) < 0:
        raise OSError(ctypes.get_errno(), "")
room = ctypes.create_string_buffer(64)
iov = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(room), 8))
at = ctypes.addressof(iov)
none = (0, 0)
ACTS = {
    "stop": lambda p: os.kill(p, signal.SIGSTOP),
    "kill": lambda p: os.kill(p, signal.SIGKILL),
    "alarm": lambda p: os.kill(p, signal.SIGALRM),
    "ask": lambda p: os.kill(p, 0),
    "group": lambda p: os.killpg(os.getpgid(p), signal.SIGSTOP),
    "thread": lambda p: call(SYS[3], p, p, signal.SIGSTOP),
    "pidfd": lambda p: signal.pidfd_send_signal(os.pidfd_open(p),
                                                signal.SIGSTOP),
    "descriptor": lambda p: call(438, os.pidfd_open(p), 3, 0),
    "attach": lambda p: call(SYS[0], 16, p, 0, 0),
    "seize": lambda p: call(SYS[0], 0x4206, p, 0, 0),
    "read": lambda p: call(SYS[1], p, at, 1, at, 1, 0),
    "write": lambda p: call(SYS[2], p, at, 1, at, 1, 0),
    "memory": lambda p: open("/proc/%d/mem" % p, "r+b"),
    "files": lambda p: os.listdir("/proc/%d/fd" % p),
    "its socket": lambda p: os.open("/proc/%d/fd/3" % p, os.O_RDWR),
    "limit": lambda p: resource.prlimit(p, resource.RLIMIT_NOFILE, none),
    "time": lambda p: resource.prlimit(p, resource.RLIMIT_CPU, none),
}
done = []
for name in "aegsh-connect", "aegsh-watch":
    for pid in named(name):
        for what, act in ACTS.items():
            try:
                act(pid)
                done.append((name, what))
            except (OSError, ValueError):
                pass
print(done, answers, len(named("aegsh-connect")), len(named("aegsh-watch")),
      flush=True)
t.join()
print(answers, flush=True)
""")
# As many as may be served at a time wait, and as many more want a service that
# is not listed: none is let through, and the line can be ended.
FLOOD = script("flood", """
def ask(path):
    while True:
        if reach(path) in ("other", "listed"):
            print("reached", path, flush=True)
for i in range(120):
    threading.Thread(target=ask, daemon=True,
                     args=(SRV + "/full",)).start()
print("flooded", flush=True)
for i in range(40):
    threading.Thread(target=ask, daemon=True,
                     args=(SRV + "/other",)).start()
os.read(0, 1)
os._exit(0)
""")
# Landlock confines signals since its version 6.
if ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1) < 6:
    tap.skip("a line that attacks who connects for it",
             "this kernel confines no signals")
else:
    p = popen(AEGSH, "-c", ATTACK)
    out = p.stdout.readline()
    tap.same(out, "[] [] 1 1\n", "no command can touch who connects for it")
    filler.close()              # the place is free
    waiting = kept[-1].accept()[0]
    waiting = kept[-1].accept()[0]
    waiting.sendall(b"full")
    waiting.close()
    out = p.communicate(timeout=DEADLINE)
    tap.same((p.returncode, *out), (0, "['full']\n", ""),
             "and it is reached where the service hears it")
    filler = socket.socket(socket.AF_UNIX)
    filler.connect(SRV + "/full")
    p = popen(AEGSH, "-c", FLOOD, stdin=subprocess.PIPE)
    out = p.stdout.readline()
    most = len(met(p.pid, 64))
    rest = p.communicate("\n", timeout=DEADLINE)
    tap.same((out, most, p.returncode, *rest), ("flooded\n", 64, 0, "", ""),
             "a flood waits, and reaches nothing")
    until(lambda: not helpers(p.pid))
    tap.same(line(REACH), (0, "listed EACCES pinned EACCES\n", ""),
             "the next line is served")
# From outside it can be stopped: who waits waits on.
p = waits()
stopped = met(p.pid)
for pid in stopped:
    os.kill(pid, signal.SIGSTOP)
for pid in stopped:
    until(lambda: state(pid) == "T")
    os.kill(pid, signal.SIGKILL)
out = p.communicate(timeout=DEADLINE)
tap.same((p.returncode, *out), (0, "EACCES\n", ""),
         "where it is stopped nothing is granted, until it is killed")

profile(LIST, "supervise = scripts", "limit-time = 1")
out = line(WAIT)
tap.ok(out[0] == 126 and "killed: it met its limit, limit-time" in out[2],
       "a limit that is met while one waits is told, and not that the "
       "supervisor is gone", out)

# ---- root's lines ---------------------------------------------------------------
if IS_ROOT:
    profile('unix = {"%s/listed"}' % SRV, "supervise = scripts", of=("root",))
    out = run(AEGSH, "-c", "/usr/bin/python3 reach.py; "
              "/usr/bin/setpriv --reuid %d --regid %d --clear-groups "
              "/usr/bin/python3 reach.py" % (UID, UID), who=None)
    if "listed" not in out[1] and "cover" in out[2]:
        tap.skip("root's lines", "no mounts here: %r" % (out,))
    else:
        tap.same(out, (0, "listed EACCES EACCES EACCES\n" * 2, ""),
                 "root's lines are held to it, in mounts of their own")
        tap.same(peers["listed"][1:], [UID, UID],
                 "and who has become another connects as that")
else:
    tap.skip("root's lines", "not root")
tap.done()
