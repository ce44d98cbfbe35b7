# SPDX-License-Identifier: ISC
"""make bench: what a supervisor adds to the programs of a line, in turns with
a line that has none: microseconds of each start, a C build, find(1)."""

import os
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib")]
from pty_session import place, program  # noqa: E402

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "7"))
STARTS, SOURCES = 500, 200
root, env = place()
AEGSH = program("aegsh")
shutil.copytree(os.path.join(HERE, "..", "..", "share"), root + "/share")
for where, _, files in os.walk(root + "/share"):
    os.chmod(where, 0o755)
    for name in files:
        os.chmod(os.path.join(where, name), 0o644)
env["AEGSH_TEST_DATA"] = root + "/share"
env["AEGSH_TEST_OPERATOR"] = str(os.geteuid())
os.makedirs(root + "/etc/sandbox.d", exist_ok=True)
os.makedirs(root + "/work", exist_ok=True)
MODES = {"nobody": "supervise = none\n",
         "limits": "supervise = none\nlimit-children = 5000\n"
                   "limit-memory = 100000\n",
         "all": "supervise = all\n"}


def took(mode, line):
    for profile in ("admin", "root"):
        path = "%s/etc/sandbox.d/%s.conf" % (root, profile)
        with open(path, "w") as f:
            f.write(MODES[mode])
        os.chmod(path, 0o644)
    start = time.perf_counter()
    done = subprocess.run([AEGSH, "-c", line], env=env, cwd=root + "/work",
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit("%s: %s" % (line, done.stderr.decode()))
    return time.perf_counter() - start


def compare(name, line, starts, rounds=ROUNDS):
    seconds = {mode: [] for mode in MODES}
    for _ in range(rounds):
        for mode in MODES:
            seconds[mode].append(took(mode, line))
    bare = statistics.median(seconds["nobody"])
    for mode in MODES:
        if mode == "nobody":
            continue
        added = statistics.median(seconds[mode]) - bare
        print("%-26s %-7s %6.3f x %s" % (
            name, mode, (bare + added) / bare, "" if starts == 0 else
            "%8.1f us a start" % (added / starts * 1e6)))


with open(root + "/work/true.c", "w") as f:
    f.write("int main(void) { return 0; }\n")
compare("dynamic programs", "i=0; while [ $i -lt %d ]; do /bin/true; "
        "i=$((i+1)); done" % STARTS, STARTS)
cc = shutil.which("cc")
if cc is None:
    print("no cc: neither a static program nor a build")
else:
    subprocess.run([cc, "-O2", "-static", "-o", root + "/work/static",
                    root + "/work/true.c"], check=True)
    compare("static programs", "i=0; while [ $i -lt %d ]; do ./static; "
            "i=$((i+1)); done" % STARTS, STARTS)
    for i in range(SOURCES):
        with open("%s/work/m%d.c" % (root, i), "w") as f:
            f.write("#include <stdio.h>\n#include <stdlib.h>\n"
                    "#include <string.h>\n#include <unistd.h>\n"
                    "int f%d(const char *s) { return printf(\"%%zu\", "
                    "strlen(s)); }\n" % (i, ))
    compare("a build of %d files" % SOURCES, "for f in m*.c; do cc -O2 -c "
            "-o x.o $f; done", 0, 3)
compare("find /usr", "find /usr", 0)
