# SPDX-License-Identifier: ISC
"""What is recorded, for how long, and who looked: the settings retain-days and
record-without, what status and the first prompt tell, and that each verb which
shows something of the record is itself on record."""

import glob
import json
import os
import sqlite3
import subprocess
import sys
import time

TOP = os.environ["abs_top_srcdir"]
sys.path[:0] = [os.path.join(TOP, "tests", "lib"),
                os.path.join(TOP, "tests", "bench")]
import gen_store  # noqa: E402
from procs import DEADLINE, children, until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
env["SSH_CLIENT"] = "192.0.2.7 4000 22"
PROMPT = "READY> "


def settings(more=""):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "%s"\n%s' % (PROMPT, more))


def ctl(*args):
    return subprocess.run([program("aegshctl"), *args], env=env,
                          input=b"q7Zp0XvR2mK9sT4bW8yL\n", timeout=DEADLINE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def docs(*args):
    return [json.loads(row) for row in ctl(*args).stdout.splitlines()]


def aegsh(*args):
    return subprocess.run([program("aegsh"), *args], env=env,
                          stdin=subprocess.DEVNULL, timeout=DEADLINE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def first_words():
    s = Session([program("aegsh")], env=env, cwd=env["HOME"])
    s.expect(PROMPT)
    seen = bytes(s.seen).decode("utf-8", "replace")
    s.run("echo typed", PROMPT)
    s.line("exit")
    s.wait()
    s.close()
    return seen


# ---- told --------------------------------------------------------------------
settings()
tap.ok("judged, confined and recorded" in first_words(), "told at first start")
tap.ok("recorded" not in first_words(), "and only then")
record = docs("status", "--json")[0]["record"]
tap.ok("retain-days is not set" in record["kept_for"] and
       "nothing is left out" in record["without"], "status: the defaults",
       record)
settings("retain-days = 30\nrecord-without = 'tty, cwd'\n")
record = docs("status", "--json")[0]["record"]
tap.ok(record["kept_for"].startswith("30 days") and
       record["without"] == "tty, cwd", "status: the settings", record)

# ---- fields ------------------------------------------------------------------
settings()
aegsh("-c", "echo all", "zero", "one")
row = docs("history", "--json", "--search", "echo all")[0]
tap.ok(row["cwd"] and row["argv"] == ["zero", "one"] and row["host"] and
       row["remote"] and row["reason"] is not None, "all fields", row)
settings("record-without = 'argv cwd execs host reason remote tty'\n")
aegsh("-c", "echo few", "zero", "one")
row = docs("history", "--json", "--search", "echo few")[0]
tap.same([row[name] for name in ("cwd", "argv", "host", "remote", "reason",
                                 "tty")], [None] * 6, "none of them")
tap.ok(row["decision"] == "allow" and row["status"] == 0,
       "the line, its decision and its outcome are there", row)
first_words()
row = docs("history", "--json", "--search", "echo typed")[-1]
tap.same([row[name] for name in ("cwd", "host", "remote", "tty")],
         [None] * 4, "nor are they of a line at the prompt")
settings("record-without = cwdd\n")
done = aegsh("-c", "echo ran")
tap.ok(b"ran" in done.stdout and b"not recorded" in done.stderr and
       b"'cwdd'" in done.stderr and
       not docs("history", "--json", "--search", "echo ran"),
       "a word that is no field: nothing is recorded, which is said", done)
tap.same(ctl("status").returncode, 1, "and status finds fault with it")

# ---- for how long -----------------------------------------------------------
root, env = place()
settings()
aegsh("-c", "true")
ctl("history")
store, = glob.glob(os.path.join(root, "own", "*", "audit.db"))
db = sqlite3.connect(store)     # as it is before the first line
db.executescript("".join("DELETE FROM %s;" % table for table in (
    "commands", "sessions", "events", "chain", "heads")))
db.close()
gen_store.fill(store, 50)
subprocess.run([program("store_fill")], env=env, input=b"ok between\n")
aegsh("-c", "echo young")
done = ctl("audit", "prune")
tap.ok(done.returncode == 100 and b"retain-days" in done.stderr,
       "neither a setting nor --keep", done)
tap.ok(len(docs("history", "--json", "-n", "0")) > 50, "nothing was deleted")
settings("retain-days = 36500\n")
tap.same(json.loads(ctl("audit", "prune", "--json").stdout)["lines"], 0,
         "all are younger than a hundred years")
settings("retain-days = 30\n")
done = ctl("audit", "prune", "--json")
left = docs("history", "--json", "-n", "0")
tap.ok(done.returncode == 0 and json.loads(done.stdout)["lines"] > 0 and
       left[-1]["line"] == "echo young" and
       not any(row["user"] == "kim" for row in left),
       "what is older than retain-days goes", (done, left))
tap.same(ctl("audit", "verify").returncode, 0, "the rest can be verified")

# ---- by itself -----------------------------------------------------------------
def events(kind):
    return docs("audit", "events", "--json", "--kind", kind, "-n", "0")


def old(n, yesterday=True):
    """A store whose first n lines are old, and one is of yesterday."""
    global root, env
    root, env = place()
    settings()
    aegsh("-c", "true")
    ctl("history")
    file, = glob.glob(os.path.join(root, "own", "*", "audit.db"))
    db = sqlite3.connect(file)
    db.executescript("".join("DELETE FROM %s;" % table for table in (
        "commands", "sessions", "events", "chain", "heads")))
    db.close()
    gen_store.fill(file, n)
    if yesterday:
        gen_store.fill(file, 1, time.time_ns() - 86400 * 10 ** 9, "lee")
    # So that it does not matter for how long this one has run.
    gen_store.reboot(file)
    subprocess.run([program("store_fill")], env=env, input=b"ok between\n")


def name_of(pid):
    try:
        with open("/proc/%d/comm" % pid) as f:
            return f.read().strip()
    except OSError:
        return None


def oldest():
    return docs("history", "--json", "-n", "0")[0]


def session():
    """Until the process that keeps its store is gone, too."""
    s = Session([program("aegsh")], env=env, cwd=env["HOME"])
    s.expect(PROMPT)
    s.run("echo young", PROMPT)
    writer = []

    def found():
        writer[:] = [pid for pid in children(s.pid) if name_of(pid) ==
                     "aegsh-record"]
        return writer

    until(found)
    s.line("exit")
    s.wait()
    s.close()
    until(lambda: not any(name_of(pid) == "aegsh-record"
                          for pid in writer))
    return writer


old(50)
tap.ok(session(), "a session has a process that keeps its store")
tap.ok(oldest()["user"] == "kim" and not events("pruned"),
       "without a setting nothing goes")
settings("retain-days = 30\n")
session()
tap.ok(oldest()["user"] == "lee", "at the end of a session, what is old",
       oldest())
told = events("pruned")
tap.ok(len(told) == 1 and told[0]["text"].startswith("by uid %d, as a session "
                                                   "ended: " % os.geteuid()),
       "which is on record", told)
tap.same(ctl("audit", "verify").returncode, 0, "what stays can be verified")
session()
tap.same(len(events("pruned")), 1, "once a day is enough")

# As far as the store can tell, that is a clock which is years ahead.
old(50, yesterday=False)
settings("retain-days = 30\n")
session()
put_off = events("prune-put-off")
tap.ok(oldest()["user"] == "kim" and not events("pruned") and
       len(put_off) == 1 and "days ahead" in put_off[0]["text"],
       "not by a clock that nothing was recorded by before", put_off)
session()
tap.same(len(events("prune-put-off")), 1, "which is said once a day")
tap.same(ctl("audit", "verify").returncode, 0, "and the record is whole")

old(20030)
settings("retain-days = 30\n")
before = oldest()["id"]
session()
tap.same(oldest()["id"], before + 20000, "of many lines the oldest")
tap.same(ctl("audit", "verify").returncode, 0, "and the rest is whole")

old(50)
settings("mode = managed\n")
own = os.path.join(env["HOME"], ".config", "aegsh")
os.makedirs(own, exist_ok=True)
with open(os.path.join(own, "aegsh.conf"), "w") as f:
    f.write("retain-days = 30\n")
session()
tap.ok(oldest()["user"] == "kim",
       "managed: nothing goes by a user's own setting", oldest())
settings("mode = managed\nretain-days = 30\n")
session()
tap.ok(oldest()["user"] != "kim", "but by the operator's", oldest())

old(50)
settings("retain-days = 30\n")
done = ctl("audit", "prune", "--all", "--json")
if os.geteuid() == 0:
    row, = [json.loads(x) for x in done.stdout.splitlines()]
    tap.ok(row["user"] == "root" and row["lines"] > 0 and
           oldest()["user"] != "kim", "in each user's store", done)
    tap.same((ctl("audit", "prune", "--all").stdout), b"",
             "nothing is said where nothing went")
else:
    tap.ok(done.returncode != 0 and b"only root" in done.stderr,
           "in others' stores: root alone", done)
    tap.skip("nothing is said where nothing went", "not root")
old(50, yesterday=False)
settings("retain-days = 30\n")
if os.geteuid() == 0:
    done = [ctl("audit", "prune", "--all") for _ in range(2)]
    tap.ok(all(d.returncode == 0 and not d.stdout for d in done) and
           oldest()["user"] == "kim" and len(events("prune-put-off")) == 1,
           "nor there by a clock that nothing was recorded by", done)
    done = ctl("audit", "prune", "--all", "--keep", "30d")
    tap.ok(oldest()["user"] != "kim", "but by who says how much", done)
else:
    tap.skip("nor there by a clock that nothing was recorded by", "not root")
    tap.skip("but by who says how much", "not root")
left = docs("history", "--json", "-n", "0")
# ---- who looked --------------------------------------------------------------
backup = os.path.join(root, "copy.db")
line = str(left[-1]["id"])
for words in ("history", "audit log", "audit search young", "audit show " +
              line, "audit tail", "audit events", "audit report",
              "audit stats", "audit export --format jsonl",
              "audit verify --row " + line, "audit backup " + backup,
              "audit token"):
    kept = len(docs("audit", "events", "--json", "--kind", "store-read",
                    "-n", "0"))
    done = ctl(*words.split())
    events = docs("audit", "events", "--json", "--kind", "store-read", "-n",
                  "0")[kept:]
    verb = " ".join(words.split()[:2 if words.startswith("audit") else 1])
    tap.ok(done.returncode in (0, 1) and
           any("aegshctl " + verb in e["text"] for e in events[:-1]),
           "on record: aegshctl " + verb, done, events)
tap.done()
