# SPDX-License-Identifier: ISC
"""A confined line that tries to end or stop the processes of its own session
that record it: that of its store, the one between it and the terminal, and
that of the file of what it writes; and, without a terminal, to look into or
change any process of its aegsh."""
import ctypes
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE, alive, children, until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place(operator=True, leaks=False)
PROMPT = "READY> "
# Landlock confines signals since its version 6.
if ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1) < 6:
    tap.skip("signals to what records the session",
             "this kernel confines no signals")
    tap.done()
with open(root + "/etc/aegsh.conf", "w") as f:
    f.write('prompt = "%s"\noutput = full\n' % PROMPT)


def state(pid):
    """Its name, and what it does."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            name, _, rest = f.read().partition("(")[2].rpartition(")")
    except OSError:
        return "", "X"
    return name, rest.split()[0]


def below(pid):
    found = {}
    for child in children(pid):
        found[state(child)[0]] = child
        found.update(below(child))
    return found


def named():
    return dict(below(s.pid), **{state(s.pid)[0]: s.pid})


def answered(line):
    """Of root, a kill is asked for first."""
    s.line(line)
    found = s.expect(r"(?s)(.*?)(?:%s|(Run it\?[^\r]*\?\] ))" % PROMPT)
    if found is not None and found.group(2):
        s.send("y\r")
        found = s.expect(r"(?s)(.*?)" + PROMPT)
    return found.group(1).decode("utf-8", "replace") if found else ""


NAMES = ("aegsh-record", "aegsh-terminal", "aegsh-cast")
s = Session([program("aegsh")], env=env, cwd=env["HOME"])
s.expect(PROMPT)
s.run("echo first", PROMPT)
until(lambda: all(name in named() for name in NAMES))
pids = named()
for name in NAMES:
    pid = pids.get(name, 0)
    tap.ok(pid > 1, "%s is there" % name, pids)
    for sig in ("KILL", "STOP", "TERM"):
        out = answered("kill -%s %d; echo said" % (sig, pid))
        tap.ok("Operation not permitted" in out and "\nsaid" in out,
               "%s to %s: not permitted" % (sig, name), out, s.seen[-600:])
    tap.ok(alive(pid) and state(pid)[1] not in "Tt", "it goes on",
           state(pid))
s.line("exit")
s.wait()
s.close()

# ---- all that there are, without a terminal --------------------------------
ACTS = r"""
import ctypes, errno, os, resource, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def call(*args):
    args = [ctypes.c_long(x) if isinstance(x, int) else x for x in args]
    if libc.syscall(*args) < 0:
        raise OSError(ctypes.get_errno(), "")
def take(pid):
    fd = os.pidfd_open(pid)
    call(438, fd, 0, 0)
ACTS = [
    ("signal", lambda p: os.kill(p, signal.SIGSTOP)),
    ("trace", lambda p: call(101, 0x4206, p, 0, 0)),
    ("descriptors", lambda p: os.open("/proc/%d/fd/0" % p, os.O_RDONLY)),
    ("memory", lambda p: os.close(os.open("/proc/%d/mem" % p, os.O_RDWR))),
    ("limits", lambda p: resource.prlimit(p, resource.RLIMIT_NOFILE, (9, 9))),
    ("a descriptor", take),
]
end = time.monotonic() + 50
while not os.path.exists("pids") and time.monotonic() < end:
    time.sleep(0.01)
for text in open("pids").read().split():
    name, pid = text.split(":")
    for act, do in ACTS:
        try:
            do(int(pid))
            said = "through"
        except OSError as e:
            said = errno.errorcode.get(e.errno, e.errno)
        print(name, act.replace(" ", "-"), said, flush=True)
"""
with open(env["HOME"] + "/acts.py", "w") as f:
    f.write(ACTS)
with open(root + "/etc/aegsh.conf", "w") as f:
    f.write('output = full\n')
os.makedirs(root + "/etc/policy.d")
with open(root + "/etc/policy.d/50-site.conf", "w") as f:
    f.write('rule "t" { decision = allow reason = r '
            'command = { python3, sleep } }\n')
p = subprocess.Popen([program("aegsh"), "-c", "sleep 600 & python3 acts.py; "
                      "kill $!"], env=env, cwd=env["HOME"], text=True,
                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                     stderr=subprocess.PIPE)


def helpers():
    found = below(p.pid)
    return {n: i for n, i in found.items() if n.startswith("aegsh") and
            state(i)[1] not in "ZX"}


WANTED = {"aegsh-output", "aegsh-watch"}
until(lambda: WANTED <= set(helpers()) and "python3" in below(p.pid))
there = dict(helpers(), aegsh=p.pid)
tap.ok(WANTED <= set(there), "what serves a line without a terminal", there)
with open(env["HOME"] + "/pids.new", "w") as f:
    f.write(" ".join("%s:%d" % x for x in there.items()))
os.rename(env["HOME"] + "/pids.new", env["HOME"] + "/pids")
out, err = p.communicate(timeout=DEADLINE)
rows = [row.split() for row in out.splitlines()]
tap.ok(len(rows) == 6 * len(there), "each act on each of them", out, err)
for name in sorted(there):
    got = {act: said for who, act, said in rows if who == name}
    tap.ok(got and set(got.values()) <= {"EPERM", "EACCES"},
           "%s: no signal, no look, no change" % name, got)
tap.done()
