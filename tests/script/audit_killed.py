# SPDX-License-Identifier: ISC
"""Short runs and sessions, many at once, whose processes that write for them
(the session's store, the sync of a short run, the file of what lines wrote)
are killed at random: every line whose bash ran is on record, or its shell said
that it is not (personal, as root; managed, as anybody else, where it may not
run then), the record verifies, or names the output whose file was lost, and
nobody ever meets a locked database."""
import ctypes
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE, parent  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place(operator=True, leaks=False)
# To root, who may go on without a record, it makes no difference.
MANAGED = os.getuid() != 0
AEGSH, CTL = program("aegsh"), program("aegshctl")
PROMPT = "READY> "
RUNS, SESSIONS, LINES = 32, 3, 8
WRITERS = {"aegsh-record": 0, "aegsh-sync": 0, "aegsh-cast": 0}
with open(root + "/etc/aegsh.conf", "w") as f:
    f.write('prompt = "%s"\noutput = full\nrecord-wait = 60000\n%s' % (
        PROMPT, "mode = managed\n" if MANAGED else ""))
# Those whose aegsh ended are ours then, and still known as ours.
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


# ---- who kills -----------------------------------------------------------------
def named():
    """{pid: (name, parent)} of all processes."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid) as f:
                name, _, rest = f.read().partition("(")[2].rpartition(")")
        except OSError:
            continue
        found[int(pid)] = (name, int(rest.split()[1]))
    return found


def ours(pid, processes):
    while pid > 1 and pid != os.getpid():
        pid = processes.get(pid, ("", 0))[1]
    return pid == os.getpid()


def kill(pid, name, father):
    """That process, and no other that has its number since."""
    try:
        fd = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        with open("/proc/%d/comm" % pid) as f:
            if f.read().strip() != name or parent(pid) != father:
                return False
        signal.pidfd_send_signal(fd, signal.SIGKILL)
        return True
    except OSError:
        return False
    finally:
        os.close(fd)


stop = threading.Event()


def killer():
    """Each of them is killed, or spared once and for all."""
    dice, seen = random.Random(9), set()
    while not stop.is_set():
        processes = named()
        for pid, (name, father) in processes.items():
            if name not in WRITERS or (pid, name) in seen or \
                    not ours(pid, processes):
                continue
            seen.add((pid, name))
            if (WRITERS[name] == 0 or dice.random() < 0.5) and \
                    kill(pid, name, father):
                WRITERS[name] += 1
        stop.wait(0.005)


# ---- who records ---------------------------------------------------------------
def mark(name):
    """A line that shows that its bash ran."""
    return "echo ran >mark.%s; echo wrote %s" % (name, name)


said, statuses = {}, []


def run(n):
    p = subprocess.run([AEGSH, "-c", mark("run%d" % n)], env=env,
                       cwd=env["HOME"], stdin=subprocess.DEVNULL,
                       capture_output=True, timeout=5 * DEADLINE)
    statuses.append(p.returncode)
    said["run%d" % n] = p.stderr.decode("utf-8", "replace")


def shell(n):
    s = Session([AEGSH], env=env, cwd=env["HOME"])
    if s.expect(PROMPT) is None:
        return
    for i in range(LINES):
        if s.run(mark("session%d.%d" % (n, i)), PROMPT) is None:
            break
    s.line("exit")
    statuses.append(os.waitstatus_to_exitcode(s.wait()))
    s.close()
    said["session%d" % n] = s.seen.decode("utf-8", "replace")


def ctl(*args):
    p = subprocess.run([CTL, *args], env=env, stdin=subprocess.DEVNULL,
                       capture_output=True, timeout=5 * DEADLINE)
    return p.returncode, p.stdout.decode("utf-8", "replace"), \
        p.stderr.decode("utf-8", "replace")


sessions = [threading.Thread(target=shell, args=(n,))
            for n in range(SESSIONS)]
runs = [threading.Thread(target=run, args=(n,)) for n in range(RUNS)]
hunter = threading.Thread(target=killer)
hunter.start()
for t in sessions + runs:
    t.start()
for t in sessions + runs:
    t.join()
stop.set()
hunter.join()
print("# killed: %s" % ", ".join("%s %d" % row for row in WRITERS.items()))

# ---- what is there -------------------------------------------------------------
tap.same(len(statuses), RUNS + SESSIONS, "all of them end")
tap.ok(set(statuses) <= {0, 126}, "as they do, or as one that may not run",
       sorted(statuses))
tap.ok(WRITERS["aegsh-record"] > 0 and WRITERS["aegsh-cast"] > 0,
       "some of their processes were killed", WRITERS)
locked = ["%s: %s" % (who, line) for who, text in said.items()
          for line in text.splitlines() if re.search(r"\blocked\b", line)]
tap.same(locked, [], "nobody meets a locked database")
ran = {name[len("mark."):] for name in os.listdir(env["HOME"])
       if name.startswith("mark.")}
status, out, err = ctl("history", "--json", "-n", "0")
rows = [json.loads(row) for row in out.splitlines()]
tap.ok(status == 0 and not err, "the record can be read", status, err)
there = [row["line"].partition("mark.")[2].partition(";")[0] for row in rows
         if "mark." in row["line"]]
tap.ok(len(ran) > (RUNS + SESSIONS * LINES) // 2, "most lines ran", len(ran))
without = {n for n in ran - set(there)
           if MANAGED or "not recorded" not in said.get(n.partition(".")[0], "")}
tap.same(sorted(without), [], "each whose bash ran is on record, or was said "
         "not to be")
print("# %d lines, %d of them not on record, %d shells said something" % (
    len(ran), len(ran - set(there)), sum(map(bool, map(said.get, [
        "run%d" % n for n in range(RUNS)])))))
tap.same(len(there), len(set(there)), "and is there once")
status, out, err = ctl("audit", "verify", "--json")
docs = [json.loads(row) for row in out.splitlines()]
tap.ok(docs and all(d["table"] == "outputs" for d in docs[:-1]) and
       status == (1 if docs[1:] else 0) and "locked" not in err,
       "it verifies, but for files of output", status, docs[:5], err)
status, out, err = ctl("audit", "search", "--output", "wrote ", "--json")
tap.ok(status == 0 and "locked" not in err, "what they wrote is found", err)
tap.done()
