# SPDX-License-Identifier: ISC
"""aegshctl audit verify, head and backup, over a record that the built shell
wrote: what was done to it is named, as tests/lib/chain.py finds it too."""

import glob
import json
import os
import shutil
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
import chain  # noqa: E402
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
env["AEGSH_TEST_ROOT"] = root
CTL = program("aegshctl")
AEGSH = program("aegsh")
OWN = os.path.join(root, "own")


def ctl(*args, text=b""):
    return subprocess.run([CTL, *args], env=env, input=text, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def verify(*args, text=b""):
    """(exit status, findings, verdict)"""
    done = ctl("audit", "verify", "--json", *args, text=text)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode > 1 or not said:
        tap.ok(False, "verify runs", done)
        tap.done()
        sys.exit()
    return done.returncode, said[:-1], said[-1]


with open(os.path.join(os.environ["abs_top_srcdir"], "tests", "cases",
                       "audit-chain.case"), encoding="utf-8") as f:
    for vector in f:
        if not vector.startswith("#"):
            what, sql, want = vector.rstrip("\n").split(" | ")
            kind, row, before = what.split()
            tap.same(chain.link(bytes.fromhex(before), int(kind), int(row),
                                sqlite3.connect(":memory:").execute(
                                    "SELECT " + sql).fetchone()).hex(),
                     want, "the link of " + sql)
for verb in (("verify",), ("head",), ("backup", root + "/none")):
    tap.same(ctl("audit", *verb).returncode, 1, "nothing recorded: 1")
tap.ok(not os.listdir(OWN), "looking makes no store")

# A prompt's session, a stream, single lines; an outcome later than the next
# intent; a refusal; a builtin.
subprocess.run([AEGSH], env=env, check=False, stdout=subprocess.DEVNULL,
               stderr=subprocess.DEVNULL, timeout=60,
               input=b"echo one\ncd /\nfalse\nnc -e sh 127.0.0.1 1\n"
               b"sleep 0 & wait\necho two\n")
for line in ("echo \xe9\xff three", "exit 3", "nc -e sh 127.0.0.1 1"):
    subprocess.run([AEGSH, "-c", line], env=env, check=False, timeout=60,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
status, findings, verdict = verify()
tap.ok(status == 0 and not findings and verdict["findings"] == 0,
       "what the shell wrote verifies", (findings, verdict))
tap.ok(verdict["links"] >= 20 and verdict["heads"] >= 1,
       "links of all, and heads", verdict)

FILE, = glob.glob(os.path.join(OWN, "*", "audit.db"))
with sqlite3.connect(FILE) as db:
    links, last, wrong = chain.look(db)
    lines = [r[0] for r in db.execute("SELECT id FROM commands ORDER BY id")]
    ended = [r[0] for r in db.execute("SELECT row FROM chain WHERE kind = 4"
                                      " ORDER BY row")]
db.close()
tap.same((links, last.hex(), wrong),
         (verdict["links"], verdict["link"], None),
         "another program makes the same of it, by the manual page alone")
head = ctl("audit", "head").stdout
tap.same(head.decode(), "aegsh-head store=%s seq=%d link=%s\n" % (
    verdict["store"], verdict["last"], verdict["link"]), "audit head")
tap.same(json.loads(ctl("audit", "head", "--json").stdout),
         {"store": verdict["store"], "seq": verdict["last"],
          "link": verdict["link"]}, "audit head --json")
tap.same(verify()[2], verdict, "looking adds nothing")
status, findings, seen = verify("--witness", "-",
                                text=b"Nov 28 host kim: " + head)
tap.ok(status == 0 and seen["witnessed"] == 1, "a head that was kept", seen)
status, findings, seen = verify("--witness", "-", text=b"nothing of it\n")
tap.same((status, findings), (1, []), "a witness without a head of it: 1")
tap.same(ctl("audit", "verify", "--witness", root + "/none").returncode, 111,
         "a witness that is not there: 111")

# ---- a copy -------------------------------------------------------------
copy = os.path.join(root, "copy")
done = ctl("audit", "backup", copy)
tap.ok(done.returncode == 0 and os.stat(copy).st_mode & 0o7777 == 0o600,
       "audit backup", done)
tap.same(ctl("audit", "backup", copy).returncode, 111,
         "a backup is not overwritten")
db = sqlite3.connect(copy)
tap.ok(chain.look(db)[2] is None and chain.look(db)[0] > links,
       "a copy is whole, and has that it was made")
db.close()
links = chain.look(sqlite3.connect(copy))[0]

# ---- what is old goes -----------------------------------------------------
tap.same(ctl("audit", "prune").returncode, 100, "--keep must be said")
kept = json.loads(ctl("audit", "prune", "--json", "--keep", "3").stdout)
left = [json.loads(line)["line"] for line in
        ctl("audit", "log", "--json").stdout.splitlines()]
tap.ok(kept["lines"] == len(lines) - 3 and kept["links"] > 5 and
       left[-1] == "nc -e sh 127.0.0.1 1" and len(left) == 3,
       "audit prune --keep 3", (kept, left))
with sqlite3.connect(FILE) as db:
    tap.same(chain.look(db)[2], None, "what stays verifies, by the manual")
    tap.ok("by uid %d " % os.getuid() in db.execute(
        "SELECT text FROM events WHERE kind = 'pruned'").fetchone()[0],
           "the record has who deleted")
db.close()
status, findings, seen = verify("--witness", "-", text=head)
tap.same((status, findings, seen["witnessed"]), (0, [], 1),
         "and by audit verify, against a head from before")
forged = head.replace(b"link=", b"link=00").replace(b"\n", b"")[:-2]
status, findings, seen = verify("--witness", "-", text=forged)
tap.same((status, [f["fault"] for f in findings]), (1, ["rewritten"]),
         "a head of links that went is compared, too")
subprocess.run([AEGSH, "-c", "echo after"], env=env, check=False, timeout=60,
               stdout=subprocess.DEVNULL)
tap.same(verify()[:2], (0, []), "the chain goes on")
done = ctl("audit", "prune", "--keep", "90d")
tap.same((done.returncode, done.stdout),
         (0, b"deleted 0 lines, and 0 links of the chain\n"),
         "nothing is older than that")

# ---- what was done to it ---------------------------------------------------
middle = next(n for n in ended if n >= len(lines) // 2 and
              n + 1 in lines)
ATTACKS = (
    ("altered", "UPDATE commands SET line = x'6c73' WHERE id = ?",
     "altered", "commands", middle),
    ("its outcome altered", "UPDATE commands SET status = 77 WHERE id = ?",
     "altered", "commands", middle),
    ("deleted", "DELETE FROM commands WHERE id = ?",
     "missing", "commands", middle),
    ("moved", "UPDATE chain SET row = 2 * ?1 + 1 - row WHERE kind IN (3, 5)"
     " AND row IN (?1, ?1 + 1)", "altered", "commands", middle + 1),
    ("put in", "INSERT INTO commands (session, uuid, writer, wall_ns,"
     " mono_ns, line, sha256, decision, ran) SELECT session, uuid, writer,"
     " wall_ns, mono_ns, line, sha256, decision, 0 FROM commands"
     " WHERE id = ?", "unchained", "commands", lines[-1] + 1),
)
for suffix in ("-wal", "-shm"):
    if os.path.exists(FILE + suffix):
        os.unlink(FILE + suffix)
for name, sql, fault, table, row in ATTACKS:
    shutil.copy(copy, FILE)
    db = sqlite3.connect(FILE)
    db.execute(sql, (middle,))
    db.commit()
    wrong = chain.look(db)[2]
    db.close()
    status, findings, verdict = verify()
    first = findings[0] if findings else {}
    tap.same((status, first.get("fault"), first.get("table"),
              first.get("row")), (1, fault, table, row), name)
    if fault != "unchained":
        tap.ok(wrong is not None and "%s %d " % (table, row) in wrong,
               name + ": another program says so, too", wrong)

# All that came after a link, gone from every table: only a witness knows.
shutil.copy(copy, FILE)
db = sqlite3.connect(FILE)
cut = db.execute("SELECT seq FROM chain WHERE kind = 2 ORDER BY seq"
                 " LIMIT 1 OFFSET 1").fetchone()[0]
db.execute("DELETE FROM chain WHERE seq > ?", (cut,))
db.execute("DELETE FROM heads WHERE seq > ?", (cut,))
for table, kinds in (("sessions", "1"), ("commands", "3, 5"), ("events", "6")):
    db.execute("DELETE FROM %s WHERE id NOT IN (SELECT row FROM chain WHERE"
               " kind IN (%s))" % (table, kinds))
db.commit()
db.close()
status, findings, verdict = verify()
tap.same((status, findings), (0, []), "a tail that is gone looks whole")
status, findings, verdict = verify("--witness", "-", text=head)
tap.same((status, [f["fault"] for f in findings]), (1, ["truncated"]),
         "a witness knows better")
done = ctl("audit", "verify", "--witness", "-", text=head)
tap.ok(b"the chain ends before it" in done.stdout, "and in words", done)
# It goes on, and is another chain.
for _ in range(links):
    subprocess.run([AEGSH, "-c", "true"], env=env, check=False, timeout=60)
    status, findings, verdict = verify("--witness", "-", text=head)
    if findings and findings[0]["fault"] != "truncated":
        break
tap.same((status, [f["fault"] for f in findings]), (1, ["rewritten"]),
         "and still does when the chain has grown again")

# ---- a file that is none --------------------------------------------------
for suffix in ("-wal", "-shm"):
    if os.path.exists(FILE + suffix):
        os.unlink(FILE + suffix)
with open(FILE, "r+b") as f:
    f.seek(8192)
    f.write(b"\xa5" * 16384)
tap.ok(ctl("audit", "verify").returncode in (1, 111),
       "a damaged file is no success")

# ---- of another -------------------------------------------------------------
done = ctl("audit", "verify", "--user", "nobody")
tap.ok(done.returncode == (1 if os.getuid() == 0 else 100),
       "--user is root's", done)
tap.done()
