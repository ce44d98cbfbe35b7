# SPDX-License-Identifier: ISC
"""make bench: what a supervisor adds to the programs of a line: microseconds
of each start, a C build, find(1).

Three sessions run beside each other, with and without, and take turns: each
runs a block of some programs at a time, in an order that goes round, and what
counts is the difference to the block without of the same round.  So whatever
else the machine does falls on all alike.  Printed are the median over all
rounds and, in brackets, the quartiles; then the ratio of all the processor time
that the two sessions took with what they started.

Where others compete for the processors the times say nothing: who is waited for
is let go before those that compute."""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib")]
from pty_session import place, program  # noqa: E402

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "60"))
STARTS, SOURCES, FILES = 25, 200, 10
MODES = {"nobody": "supervise = none\n",
         "limits": "supervise = none\nlimit-children = 5000\n"
                   "limit-memory = 100000\n",
         "all": "supervise = all\n"}


class Session:
    """A stream of units, each of which says when it is done."""

    def __init__(self, mode):
        root, env = place()
        shutil.copytree(os.path.join(HERE, "..", "..", "share"),
                        root + "/share")
        for where, _, files in os.walk(root + "/share"):
            os.chmod(where, 0o755)
            for name in files:
                os.chmod(os.path.join(where, name), 0o644)
        env["AEGSH_TEST_DATA"] = root + "/share"
        env["AEGSH_TEST_OPERATOR"] = str(os.geteuid())
        os.makedirs(root + "/etc/sandbox.d", exist_ok=True)
        for profile in ("admin", "root"):
            path = "%s/etc/sandbox.d/%s.conf" % (root, profile)
            with open(path, "w") as f:
                f.write(MODES[mode])
            os.chmod(path, 0o644)
        self.work = root + "/work"
        os.makedirs(self.work, exist_ok=True)
        self.env = env
        self.process = None

    def begin(self):
        self.process = subprocess.Popen(
            [program("aegsh"), "-s"], env=self.env, cwd=self.work,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def took(self, unit):
        start = time.perf_counter()
        self.process.stdin.write(unit + "; echo done $?\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline()
        if said != "done 0\n":
            sys.exit("%s: %r" % (unit, said))
        return time.perf_counter() - start


    def end(self):
        """Seconds of the processors, of all that it was."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.process.communicate()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime + after.ru_stime - before.ru_utime -
                before.ru_stime)


def spread(values, form):
    low, middle, high = statistics.quantiles(values, n=4)
    return "%s (%s-%s)" % tuple(form % v for v in (middle, low, high))


def compare(name, unit, starts, rounds=ROUNDS):
    """unit: of that round."""
    modes = list(MODES)
    seconds = {mode: [] for mode in modes}
    for mode in modes:
        sessions[mode].begin()
        sessions[mode].took(unit(0))        # what is read once
    for i in range(rounds):
        for mode in modes[i % 3:] + modes[:i % 3]:
            seconds[mode].append(sessions[mode].took(unit(i)))
    used = {mode: sessions[mode].end() for mode in modes}
    for mode in modes[1:]:
        pairs = list(zip(seconds[mode], seconds["nobody"]))
        print("%-20s %-6s %s x%s, processors %.3f x" % (
            name, mode, spread([a / b for a, b in pairs], "%.3f"),
            "" if starts == 0 else ", %s us a start" % spread(
                [(a - b) / starts * 1e6 for a, b in pairs], "%.0f"),
            used[mode] / used["nobody"]), flush=True)


def loop(what):
    return lambda i: ("i=0; while [ $i -lt %d ]; do %s; i=$((i+1)); done" %
                      (STARTS, what))


sessions = {mode: Session(mode) for mode in MODES}
cc = shutil.which("cc")
for session in sessions.values():
    with open(session.work + "/true.c", "w") as f:
        f.write("int main(void) { return 0; }\n")
    if cc is not None:
        subprocess.run([cc, "-O2", "-static", "-o", session.work + "/static",
                        session.work + "/true.c"], check=True)
    for i in range(SOURCES):
        with open("%s/m%03d.c" % (session.work, i), "w") as f:
            f.write("#include <stdio.h>\n#include <stdlib.h>\n"
                    "#include <string.h>\n#include <unistd.h>\n"
                    "int f%d(const char *s) { return printf(\"%%zu\", "
                    "strlen(s)); }\n" % (i, ))
compare("dynamic programs", loop("/bin/true"), STARTS)
if cc is None:
    print("no cc: neither a static program nor a build")
else:
    compare("static programs", loop("./static"), STARTS)
    compare("a build of %d files" % SOURCES, lambda i: (
        "for f in m%02d?.c; do cc -O2 -c -o ${f%%c}o $f || break; done" %
        (i % (SOURCES // FILES))), 0, SOURCES // FILES)
compare("find /usr", lambda i: "find /usr >/dev/null", 0, 15)
for session in sessions.values():
    if cc is not None and len([f for f in os.listdir(session.work)
                               if f.endswith(".o")]) != SOURCES:
        sys.exit("not all was built")
