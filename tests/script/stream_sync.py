# SPDX-License-Identifier: ISC
"""stream-sync in the program itself: commands on standard input share a wait
for the disk, and each is on record all the same, also of an aegsh that was
killed in their midst."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE, until  # noqa: E402
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place(operator=True, leaks=False)
AEGSH, CTL = program("aegsh"), program("aegshctl")
UNITS = 60


def settings(text):
    with open(root + "/etc/aegsh.conf", "w") as f:
        f.write(text)


def lines(what):
    p = subprocess.run([CTL, "history", "--json", "-n", "0"], env=env,
                       capture_output=True, text=True, timeout=DEADLINE)
    rows = [json.loads(row) for row in p.stdout.splitlines()]
    return [row["line"] for row in rows if what in row["line"]]


def syncs(name):
    """How often it waits for the disk in a stream of so many commands."""
    out = os.path.join(root, "trace")
    text = "".join("echo %s-%d >/dev/null\n" % (name, i)
                   for i in range(UNITS))
    p = subprocess.run(["strace", "-f", "-o", out, "-e",
                        "trace=fdatasync,fsync",
                        AEGSH], input=text, env=env, text=True,
                       capture_output=True, timeout=DEADLINE)
    with open(out) as f:
        n = len(re.findall(r"(?m)^\d+ +f(?:data)?sync\(", f.read()))
    tap.same((p.returncode, p.stdout, p.stderr), (0, "", ""),
             name + ": the stream")
    tap.same(len(set(lines(name))), UNITS, name + ": each has a row")
    return n


traces = shutil.which("strace") and subprocess.run(
    ["strace", "-o", "/dev/null", "true"], capture_output=True).returncode == 0
if not traces:
    tap.skip("how often it waits for the disk", "strace cannot be had")
else:
    settings("")
    every = syncs("each")
    tap.ok(every >= UNITS, "without it each waits", every)
    settings("stream-sync = 1000\n")
    start = time.monotonic()
    some = syncs("shared")
    # Once for the first and once a second, on however slow a machine.
    most = every - UNITS + 2 + (time.monotonic() - start)
    tap.ok(some <= most and some < every, "with it they share a wait", some,
           every)

settings("stream-sync = 1000\n")
p = subprocess.Popen([AEGSH], env=env, stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
up = os.path.join(env["HOME"], "up")
p.stdin.write(b"".join(b"echo killed-%d >/dev/null\n" % i
                       for i in range(UNITS)) +
              b": >%s\n" % up.encode())
p.stdin.flush()
until(lambda: os.path.exists(up))
os.kill(p.pid, signal.SIGKILL)
p.communicate()
tap.same(len(set(lines("killed-"))), UNITS,
         "an aegsh that is killed takes none of them along")
tap.done()
