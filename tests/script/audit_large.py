# SPDX-License-Identifier: ISC
"""A record of hundreds of thousands of lines, read by a verb that may write
nowhere but to the store: what sqlite sets aside meanwhile has no file."""
import glob
import json
import os
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE  # noqa: E402
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
N = 400000


def ctl(*args):
    return subprocess.run([program("aegshctl"), *args], env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=4 * DEADLINE)


subprocess.run([program("aegsh"), "-c", "echo one"], env=env, check=True,
               stdout=subprocess.DEVNULL, timeout=DEADLINE)
ctl("history")
path, = glob.glob(root + "/own/*/audit.db")
db = sqlite3.connect(path)
db.execute("PRAGMA synchronous = OFF")
names = [r[1] for r in db.execute("PRAGMA table_info(commands)")
         if r[1] != "id"]
# As the first line, each with a little that it wrote.
db.execute("WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n"
           " WHERE i < ?) INSERT INTO commands (id, %s) SELECT i, %s FROM n,"
           " commands AS c WHERE c.id = 1" % (
               ", ".join(names), ", ".join("c." + n for n in names)), (N,))
db.execute("INSERT INTO outputs (command, writer, stream, head, bytes, cut)"
           " SELECT id, 'stand-alone', 1, CAST('wrote ' || id AS BLOB), 9, 0"
           " FROM commands")
db.commit()
db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
db.close()

done = ctl("audit", "stats", "--json")
tap.ok(done.returncode == 0 and
       json.loads(done.stdout or "{}").get("lines") == N, "audit stats", done)
done = ctl("audit", "search", "--json", "--output", "wrote 1234567")
tap.same((done.returncode, done.stdout, done.stderr), (1, "", ""),
         "a text that no line wrote")
done = ctl("audit", "search", "--json", "--output", "wrote 199999")
tap.same([json.loads(r)["id"] for r in done.stdout.splitlines()], [199999],
         "one that one line in the midst wrote")
done = ctl("audit", "report", "--json")
tap.ok(done.returncode == 0 and
       json.loads(done.stdout or "{}").get("lines") == N, "audit report",
       done.returncode, done.stderr)
done = ctl("history", "--json", "-n", "0", "--output", "wrote 39999")
tap.same([json.loads(r)["id"] for r in done.stdout.splitlines()],
         [39999] + list(range(399990, 400000)), "all lines, in their order")
tap.done()
