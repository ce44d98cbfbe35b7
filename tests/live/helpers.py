# SPDX-License-Identifier: ISC
"""A confined line that tries to end or stop the processes of its own session
that record it: that of its store, the one between it and the terminal, and
that of the file of what it writes."""
import ctypes
import os
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import alive, children, until  # noqa: E402
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
tap.done()
