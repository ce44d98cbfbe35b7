# SPDX-License-Identifier: ISC
"""make bench: what reading a store costs, and how large it is.  The number of
commands is BENCH_COMMANDS (200000); the limits are for 10,000,000."""

import glob
import json
import os
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]
import gen_store  # noqa: E402
from pty_session import place, program  # noqa: E402

COMMANDS = int(os.environ.get("BENCH_COMMANDS", "200000"))
RECORDINGS = 20000
ROUNDS = 7
root, env = place()
CTL = program("aegshctl")


def cpu():
    """Seconds that the programs that were run so far have computed."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def took(*args, clock=time.perf_counter):
    """Median seconds of a run; its exit status may be 0 or 1."""
    seconds = []
    for _ in range(ROUNDS):
        start = clock()
        status = subprocess.run([CTL, *args], env=env,
                                stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL).returncode
        seconds.append(clock() - start)
        if status not in (0, 1):
            sys.exit("%r ended with %d" % (args, status))
    return statistics.median(seconds)


def tell(name, seconds, most):
    print("%-36s %8.1f ms (at most %d)" % (name, seconds * 1e3, most))


subprocess.run([program("store_fill")], env=env, input=b"ok true\n",
               check=True)
path, = glob.glob(os.path.join(root, "own", "*", "audit.db"))
before = os.path.getsize(path)
start = time.perf_counter()
after = gen_store.fill(path, COMMANDS)
print("%d commands, made in %.0f s" % (COMMANDS,
                                       time.perf_counter() - start))
bare = took("--version")
print("%-36s %8.1f ms" % ("aegshctl by itself", bare * 1e3))
tell("history, first page", took("history"), 50)
tell("audit log --status failed", took("audit", "log", "--status", "failed"),
     50)
tell("audit search: a common word", took("audit", "search", "git"), 200)
tell("audit search: what is nowhere",
     took("audit", "search", "no such text at all"), 200)
recall = os.path.join(os.environ["abs_top_builddir"], "tests", "bench",
                      "bench_recall")
subprocess.run([recall, os.path.dirname(path)], env=env, check=True)
done = subprocess.run([CTL, "audit", "verify", "--json"], env=env,
                      stdout=subprocess.PIPE)
verdict = json.loads(done.stdout.splitlines()[-1])
if done.returncode != 0:
    sys.exit("audit verify: %r" % verdict)
# It is one thread that computes: what else the machine does, takes from the
# first figure only.
print("%-36s %8.0f links a second" % (
    "audit verify", verdict["links"] / (took("audit", "verify") - bare)))
print("%-36s %8.0f links a second of CPU (at least 500000)" % (
    "audit verify, by itself",
    verdict["links"] / took("audit", "verify", clock=cpu)))
print("%-36s %8.0f bytes (at most 400)" % ("of each command",
                                           (after - before) / COMMANDS))
# What lines wrote, in rows alone.
db = sqlite3.connect(path, isolation_level=None)
db.execute("PRAGMA synchronous = OFF")
db.execute("INSERT INTO outputs (command, writer, stream, head, bytes, cut)"
           " SELECT id, 'stand-alone', 1, CAST(printf('%s of line %d\n', hex("
           "randomblob(60)), id) AS BLOB), 130, 0 FROM commands")
db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
db.close()
tell("search --output: a common word", took("audit", "search", "--output",
                                            "of line"), 200)
tell("search --output: what is nowhere",
     took("audit", "search", "--output", "no such text at all"), 200)

# And in recordings: of 50 lines each, on average.
shutil.rmtree(os.path.dirname(path))
subprocess.run([program("store_fill")], env=env, input=b"ok true\n",
               check=True)
gen_store.fill(path, RECORDINGS, a_session=1)
size = gen_store.fill_outputs(path, 50)
NOWHERE = ("audit", "search", "--output", "no such text at all")
print("%d recordings, %d bytes of text" % (RECORDINGS, size))
plain = took(*NOWHERE, "--no-index")
start = time.perf_counter()
subprocess.run([CTL, *NOWHERE], env=env)
print("%-36s %8.1f ms" % ("its index is made", (
    time.perf_counter() - start) * 1e3))
tell("search --output: what is nowhere", took(*NOWHERE), 200)
print("%-36s %8.1f ms" % ("without the index", plain * 1e3))
print("%-36s %8.1f %% of the text" % ("the index is", 100 * os.path.getsize(
    os.path.join(os.path.dirname(path), "audit.outputs")) / size))
