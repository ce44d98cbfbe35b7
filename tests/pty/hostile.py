# SPDX-License-Identifier: ISC
"""At a prompt, against those who mean no good or have bad luck: terminals
that go away, signals at every moment, answers that nobody gave."""

import os
import signal
import sys
import time

TOP = os.environ["abs_top_srcdir"]
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from pty_session import DEADLINE, Session, Tap, place, program  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
ASKED = 'eval "$(echo echo never)"'


def settings(*lines):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "%s"\n' % PROMPT)
        conf.writelines(line + "\n" for line in lines)


settings()


def start(*args):
    s = Session([program("aegsh"), *args], env=env, cwd=env["HOME"])
    if s.expect(PROMPT) is None:
        tap.ok(False, "a prompt comes", s.seen)
        tap.done()
    return s


def until(condition):
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def command_line(pid):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as f:
            return f.read()
    except OSError:
        return b""


def children(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            return [int(word) for word in f.read().split()]
    except OSError:
        return []


def alive(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def child_with(s, text):
    """The child of the shell whose command line has the text."""
    found = []

    def look():
        found[:] = [p for p in children(s.pid) if text in command_line(p)]
        return found
    return found[0] if until(look) else None


def ended(s):
    def look():
        pid, status = os.waitpid(s.pid, os.WNOHANG)
        if pid:
            s.status = status
        return pid
    return until(look)


def drop_terminal(s):
    """The other side of the terminal closes."""
    os.close(s.fd)
    s.fd = os.open("/dev/null", os.O_RDWR)


# The terminal goes away, or a SIGHUP comes, at each stage.
for name, end in (("the terminal goes away", drop_terminal),
                  ("SIGHUP", lambda s: os.kill(s.pid, signal.SIGHUP))):
    s = start()
    end(s)
    tap.ok(ended(s), name + " at a prompt: the shell ends")
    s.close()
    s = start()
    s.line("sleep 987")
    child = child_with(s, b"sleep\x00987")
    tap.ok(child, name + ": a command runs")
    end(s)
    tap.ok(ended(s), name + " while it runs: the shell ends")
    tap.ok(until(lambda: not alive(child)), "and the command with it")
    s.close()
    s = start()
    s.line(ASKED)
    s.expect("Run it")
    end(s)
    tap.ok(ended(s), name + " at a question: the shell ends")
    s.close()

s = start()
s.line("trap '' HUP; sleep 20; sleep 986")
child = child_with(s, b"sleep 986")
until(lambda: children(child))
os.kill(s.pid, signal.SIGHUP)
tap.ok(ended(s), "a command that ignores SIGHUP does not keep the shell")
for pid in children(child) + [child]:
    os.kill(pid, signal.SIGKILL)
s.close()

# The shell is killed: the command must not go on without it.
s = start()
s.line("sleep 20; sleep 985")
child = child_with(s, b"sleep 985")
rest = until(lambda: children(child)) and children(child)
os.kill(s.pid, signal.SIGKILL)
tap.ok(until(lambda: not alive(child)),
       "aegsh killed: the bash of its line ends")
for pid in rest:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
s.close()

# Keys typed ahead do not answer a question, however long the paste.
s = start()
s.send(ASKED + "\r" + "y\r" * 3)
s.expect("Run it")
s.send("n\r")
tap.ok(s.expect(PROMPT), "a question is answered", s.seen)
tap.ok(b"\nnever" not in s.seen, "by what came after it, not before", s.seen)
for key, name in (("\x03", "Ctrl-C"), ("\x04", "Ctrl-D"), ("\x1an\r", "Ctrl-Z")):
    s.line(ASKED)
    s.expect("Run it")
    s.send(key)
    tap.ok(s.expect(PROMPT) and b"\nnever" not in s.seen,
           name + " at a question is a no", s.seen)
s.line("exit 0")
tap.is_(s.wait(), 0, "and the shell lives on")
s.close()
tap.done()
