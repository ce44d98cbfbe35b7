# SPDX-License-Identifier: ISC
"""A record that does not answer: the prompt waits no longer than record-wait,
then lines run and are recorded later (personal), or are refused (managed); no
line can reach the process that writes it."""

import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE, children  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
ROOT = os.geteuid() == 0


def settings(more=""):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "%s"\n%s' % (PROMPT, more))


def start(**kw):
    s = Session([program("aegsh")], env=dict(env, **kw), cwd=env["HOME"])
    if not s.expect(PROMPT):
        tap.ok(False, "a prompt appears", s.seen.decode("utf-8", "replace"))
        tap.done()
    return s


def status(pid):
    with open("/proc/%d/stat" % pid) as f:
        name, rest = f.read().split("(", 1)[1].rsplit(")", 1)
        return name, rest.split()[0]


def writer(s):
    """The process that keeps the store of that session."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        for pid in children(s.pid):
            try:
                if status(pid)[0] == "aegsh-record":
                    return pid
            except OSError:
                pass
        time.sleep(0.01)
    tap.ok(False, "the session has a process that writes its record")
    tap.done()


def hold(pid):
    os.kill(pid, signal.SIGSTOP)
    while status(pid)[1] != "T":
        time.sleep(0.005)


def agreed(s, line):
    """What a line prints that may have to be said yes to."""
    s.line(line)
    found = s.expect(r"(?s)(.*?)(" + PROMPT + r"|Run it\? \[[^]]*\] )")
    text = found.group(1)
    if found.group(2).startswith(b"Run it"):
        s.line("y")
        text = s.expect(r"(?s)(.*?)" + PROMPT).group(1)
    return text.decode("utf-8", "replace")


def gone(pid):
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        try:
            if status(pid)[1] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def recorded():
    """The lines, with how they ended; and that the chain is whole."""
    done = subprocess.run([program("aegshctl"), "history", "--json", "-n",
                           "0"], env=env, stdout=subprocess.PIPE)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    whole = subprocess.run([program("aegshctl"), "audit", "verify"], env=env,
                           stdout=subprocess.DEVNULL).returncode
    tap.same(whole, 0, "the chain is whole")
    return [(row["line"], row["status"]) for row in rows]


# ---- personal ----------------------------------------------------------------
settings("record-wait = 2000\n")
s = start()
s.run("echo one", PROMPT)
pid = writer(s)
out = agreed(s, "kill -KILL %d; echo se''nt" % pid)
tap.ok("sent" in out and status(pid)[1] != "Z", "no line can signal it", out)
out = agreed(s, "cat /proc/%d/mem >/dev/null && echo RE''AD" % pid)
tap.ok("READ" not in out, "or look into it", out)
hold(pid)
out = s.run("echo two", PROMPT)
tap.ok("two" in out and "does not answer" in out and
       "lines run, are kept in audit.late" in out,
       "a line runs, and it is said that it is not recorded yet", out)
out = s.run("echo three", PROMPT)
tap.ok("three" in out and "does not answer" not in out, "said once", out)
s.run("cd /", PROMPT)
os.kill(pid, signal.SIGCONT)
for _ in range(1000):
    out = s.run("true", PROMPT)
    if "the record answers again" in out:
        break
tap.ok("the record answers again" in out, "and that it goes on", out)
s.line("exit 3")
tap.same(os.waitstatus_to_exitcode(s.wait()), 3, "the session ends")
s.close()
lines = [row for row in recorded() if row[0] != "true"]
tap.same([lines[0], *lines[3:]], [("echo one", 0), ("echo two", 0),
                                  ("echo three", 0), ("cd /", 0),
                                  ("exit 3", 3)], "all is on record, once")

# A session that ends meanwhile leaves it to the writer.
s = start()
s.run("echo four", PROMPT)
pid = writer(s)
hold(pid)
s.run("echo five", PROMPT)
s.line("exit")
tap.ok(s.expect("rows wait in a process of its own"), "a last word of it",
       s.seen)
s.wait()
s.close()
os.kill(pid, signal.SIGCONT)
tap.ok(gone(pid), "it ends once it is done")
tap.same(recorded()[-3:], [("echo four", 0), ("echo five", 0), ("exit", 0)],
         "what was said before the end is on record")

# Killed from outside, it is started anew.
s = start()
s.run("echo six", PROMPT)
pid = writer(s)
os.kill(pid, signal.SIGKILL)
out = s.run("echo seven", PROMPT)
tap.ok("seven" in out and "record" not in out, "another one takes its place",
       out)
tap.ok(writer(s) != pid, "which is a child of the shell's")
s.line("exit")
s.wait()
s.close()
tap.same(recorded()[-3:], [("echo six", 0), ("echo seven", 0), ("exit", 0)],
         "nothing is lost or doubled")

# ---- held --------------------------------------------------------------------
def confined(pid):
    with open("/proc/%d/status" % pid) as f:
        return "\nSeccomp:\t2\n" in f.read()


def held(s, known):
    """The process that is to become bash, where it stands in its sandbox."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        for pid in set(children(s.pid)) - known:
            try:
                if status(pid) == ("aegsh", "S") and confined(pid):
                    return pid
            except OSError:
                pass
        time.sleep(0.005)
    return None


def hold_after(s, line):
    """The process that keeps the record, held when that line is on it."""
    pid = writer(s)
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        done = subprocess.run([program("aegshctl"), "history", "--json",
                               "-n", "1"], env=env, stdout=subprocess.PIPE)
        row = json.loads(done.stdout or b"{}")
        if row.get("line") == line and row.get("status") is not None and \
           status(pid)[1] == "S":
            break
        time.sleep(0.005)
    hold(pid)
    return pid


# A disk that takes its time: all but bash is there meanwhile.
settings("record-wait = 600000\n")
s = start()
s.run("echo twelve", PROMPT)
before = set(children(s.pid))
pid = hold_after(s, "echo twelve")
s.line("echo thir''teen")
child = held(s, before)
tap.ok(child is not None, "the line's process waits in its sandbox",
       [(p, status(p)) for p in children(s.pid)])
tap.same(os.tcgetpgrp(s.fd), os.getpgid(s.pid),
         "and the terminal is not its yet")
tap.ok(b"thirteen" not in s.seen, "nothing has run", s.seen)
os.kill(pid, signal.SIGCONT)
tap.ok(s.expect("thirteen"), "it runs once its record is there", s.seen)
s.expect(PROMPT)

# Killed meanwhile, it is a line that was killed.
before = set(children(s.pid))
hold_after(s, "echo thir''teen")
s.line("echo four''teen")
child = held(s, before)
if child is not None:
    os.kill(child, signal.SIGKILL)
os.kill(pid, signal.SIGCONT)
found = s.expect("(?s)(.*?)" + PROMPT)
tap.ok(found and b"fourteen" not in found.group(1),
       "who is killed before does not", s.seen)
s.line("exit")
s.wait()
s.close()
tap.same(recorded()[-4:], [("echo twelve", 0), ("echo thir''teen", 0),
                           ("echo four''teen", 128 + signal.SIGKILL),
                           ("exit", 128 + signal.SIGKILL)],
         "and the record has each as it was")

# Nor is it let go by the end of who would do that.
s = start()
s.run("echo fifteen", PROMPT)
before = set(children(s.pid))
pid = hold_after(s, "echo fifteen")
s.line("echo six''teen")
child = held(s, before)
os.kill(s.pid, signal.SIGKILL)
tap.ok(child is not None and gone(child),
       "killed, aegsh leaves no process that waits")
tap.ok(not s.expect("sixteen", timeout=1), "and none that runs", s.seen)
s.close()
os.kill(pid, signal.SIGCONT)
tap.ok(gone(pid), "the record is written")

# ---- managed -----------------------------------------------------------------
settings("mode = managed\nrecord-wait = 2000\n")
if ROOT:
    tap.skip("managed: nothing runs unrecorded",
             "the operator may go on without a record")
else:
    s = start()
    s.run("echo eight", PROMPT)
    pid = writer(s)
    hold(pid)
    out = s.run("echo ni''ne", PROMPT)
    tap.ok("nine" not in out and "it cannot be recorded" in out and
           "record-wait" in out, "managed: nothing runs unrecorded", out)
    out = s.run("echo te''n", PROMPT)
    tap.ok("ten" not in out and "it cannot be recorded" in out,
           "nor does the next", out)
    os.kill(pid, signal.SIGCONT)
    for _ in range(1000):
        out = s.run("echo elev''en", PROMPT)
        if "eleven" in out:
            break
    tap.ok("eleven" in out, "it goes on once the record does", out)
    s.line("exit")
    s.wait()
    s.close()
    rows = recorded()
    # It may have been on its way.
    tap.ok(all(row[1] == 126 for row in rows if row[0] == "echo ni''ne") and
           all(row[0] != "echo te''n" for row in rows) and
           ("echo eight", 0) in rows,
           "the record has nothing as run that did not run", rows)
tap.done()
