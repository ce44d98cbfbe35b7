# SPDX-License-Identifier: ISC
"""What lines wrote, read: looked for as a text, carried out of the record in
each format, and counted for each session and user."""
import csv
import io
import json
import os
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from cast_rig import audit, recorded  # noqa: E402
from procs import DEADLINE  # noqa: E402
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
env["AEGSH_TEST_ROOT"] = root


def fill(keep, *lines):
    steps = []
    for name, streams in lines:
        steps += [("line", name)] + [(stream, 1, written) for
                                     stream, written in streams] + [("end",)]
    return recorded(env, keep, steps)


def ctl(*args):
    return audit(env, *args)


def docs(*args):
    return [json.loads(x) for x in ctl(*args).stdout.splitlines()]


def found(*args):
    return [d["line"] for d in docs("search", "--json", *args)]


DOTS = b"." * 5000
BIG = DOTS + b"\nneedle in the middle\n" + DOTS
HALF = b"-" * 4000 + b"\nover both halves\n" + b"-" * 3000
fill(["full"], ("big", [("out", BIG)]),
     ("parts", [("out", DOTS + DOTS + b"two pie"), ("err", b"between"),
                ("out", b"ces\n" + DOTS)]),
     ("colours", [("out", b"\x1b[01;31mh\x1b[0mello \x1b]0;x\x07world\n")]),
     ("hidden", [("out", b"\x1b]0;never ended: secretly\n")]),
     ("errors", [("out", b"fine\n"), ("err", b"went wrong \xff\n")]),
     ("half", [("out", HALF)]), ("silent", []))
fill(["sample"], ("sampled", [("out", BIG)]), ("=1+1", [("out", b"=2+2\n")]))

# ---- looked for -----------------------------------------------------------------
for text, lines in (
        ("needle in the middle", ["big"]), ("two pieces", ["parts"]),
        ("between", ["parts"]), ("hello world", ["colours"]),
        ("\x1b[01;31mh", ["colours"]), ("secretly", ["hidden"]),
        ("went wrong", ["errors"]), ("over both halves", ["half"]),
        ("piebetween", []), (".\n.", []), ("nowhere at all", []),
        ("fine\nwent", []),
        ("....\n", ["big"])):
    tap.same(found("--output", text), lines, "wrote %r" % text)
tap.same(found("--output", "..........", "-n", "0"),
         ["big", "parts", "sampled"], "in more than one, the oldest first")
tap.same(found("--output", "..........", "-n", "1"), ["sampled"],
         "the newest of them")
tap.same(found("--output", "..........", "art"), ["parts"],
         "beside a text in the line")
tap.same(found("--output", "..........", "--session", "1"), ["big", "parts"],
         "beside another condition")
done = ctl("search", "--output", "nowhere at all")
tap.same((done.returncode, done.stdout, done.stderr), (1, b"", b""),
         "nowhere: 1")
tap.same(ctl("search").returncode, 100, "neither a text nor --output: 100")
tap.same(ctl("tail", "--follow", "--output", "x").returncode, 100,
         "lines that come have written nothing: 100")
tap.same([d["line"] for d in docs("log", "--json", "--output", "needle")],
         ["big"], "log has the option, too")

# ---- nothing that could be found ------------------------------------------------
bare, bare_env = place()
bare_env["AEGSH_TEST_ROOT"] = bare
subprocess.run([program("store_fill")], env=bare_env, input=b"ok echo x\n",
               check=True, timeout=DEADLINE)
for verb in ("search", "log", "export"):
    done = audit(bare_env, verb, "--output", "x")
    tap.ok(done.returncode == 1 and done.stderr.count(b"\n") == 1 and
           b"output is not none" in done.stderr,
           verb + " says where no output is kept at all", done)
done = audit(bare_env, "search", "y")
tap.same((done.returncode, done.stdout, done.stderr), (1, b"", b""),
         "and nothing where none was asked for")

# ---- export -----------------------------------------------------------------------
rows = {d["line"]: d for d in docs("export")}
tap.same(len(rows), 9, "export: each line once")
out, err = rows["errors"]["output"]
tap.same((out["stream"], out["head"], out["bytes"], out["cut"], out["tail"],
          err["stream"], err["bytes"], bytes.fromhex(err["head_hex"])),
         ("out", "fine\n", 5, False, None, "err", 13, b"went wrong \xff\n"),
         "jsonl: both streams, to the byte")
big, = rows["sampled"]["output"]
tap.same((big["cut"], big["bytes"], big["kept"], big["head"], big["tail"]),
         (True, len(BIG), 0, BIG[:4096].decode(), BIG[-4096:].decode()),
         "jsonl: beginning, end, and that it was cut")
tap.same(rows["silent"]["output"][0]["bytes"], 0, "jsonl: a silent line")
tap.same(rows["errors"]["output"], docs("show", "--json", str(
    rows["errors"]["id"]))[0]["output"], "as audit show has it")
cells = {r["line"]: r for r in csv.DictReader(io.StringIO(
    ctl("export", "--format", "csv").stdout.decode(), newline=""))}
tap.same([cells["sampled"][k] for k in (
    "stdout_bytes", "stdout_cut", "stderr_bytes", "stderr_head")],
    [str(len(BIG)), "1", "", ""], "csv: sizes and the flag")
tap.ok(cells["errors"]["stderr_head"].startswith("went wrong") and
       cells["big"]["stdout_tail"].startswith(".") and
       cells["'=1+1"]["stdout_head"].startswith("'=2+2"),
       "csv: the texts, none a formula", cells["'=1+1"])
for form, at in (("ecs", "aegsh"), ("ocsf", "unmapped")):
    got = [d[at].get("output") for d in docs("export", "--format", form)]
    tap.ok(got[4]["stdout"]["head"] == "fine\n" and
           got[4]["stderr"]["bytes"] == 13 and
           not got[4]["stderr"]["truncated"] and
           got[7]["stdout"]["truncated"] and
           len(got[7]["stdout"]["tail"]) == 4096, form + ": both streams",
           got[4])
planted = "ghp_" + "q7Zp0XvR2mK9sT4bW8yLaB3cD5eF6gH1iJ7k"
fill(["full"], ("token", [("out", planted.encode() + b"\n")]))
for form in ("jsonl", "csv", "ecs", "ocsf"):
    tap.ok(planted.encode() not in ctl("export", "--format", form).stdout,
           form + ": no secret")

# ---- counted -----------------------------------------------------------------------
stats, = docs("stats", "--json", "--sessions", "0")
tap.same((stats["lines"], stats["output_lines"], stats["output_cut"]),
         (10, 10, 1), "stats: lines, and streams that are not kept whole")
by = stats["by_session"]
tap.same([s["lines"] for s in by], [7, 2, 1], "by session: lines")
tap.ok(len({s["uuid"] for s in by}) == 3, "and the UUID of each", by)
wrote = len(BIG) + len(DOTS) * 3 + 11 + 7
tap.ok(by[1]["output_bytes"] == len(BIG) + 5 and by[1]["output_kept"] == 0
       and by[0]["output_bytes"] == by[0]["output_kept"] > wrote and
       sum(s["output_bytes"] for s in by) == stats["output_bytes"],
       "by session: bytes that were written, and kept", by)
tap.same([s["lines"] for s in docs("stats", "--json", "--sessions",
                                   "1")[0]["by_session"]], [1],
         "the newest session")
tap.ok("by_session" not in docs("stats", "--json")[0], "not unless asked")
text = ctl("stats", "--sessions", "0").stdout.decode()
tap.ok("output bytes" in text and "SESSION" in text and
       str(len(BIG) + 5) in text, "for people", text)
tap.same(ctl("stats", "--sessions", "x").returncode, 100, "no number: 100")
done = ctl("stats", "--all", "--json")
if os.geteuid() == 0:
    every = [json.loads(x) for x in done.stdout.splitlines()]
    tap.same([(d["user"], d["lines"]) for d in every], [("root", 10)],
             "each user's")
    tap.same([d["line"] for d in docs("search", "--json", "--all",
                                      "--output", "needle")], ["big"],
             "found in each user's")
    rows = docs("export", "--all", "-n", "5")
    tap.ok([r["line"] for r in rows][:2] == ["half", "silent"] and
           rows[2]["output"][0] == big, "carried over from each user's", rows)
else:
    tap.ok(done.returncode != 0 and b"only root" in done.stderr,
           "others' are root's alone", done)

# ---- what somebody altered ------------------------------------------------------------
STORE = os.path.join(root, "own", "aegsh-%d" % os.geteuid())
db = sqlite3.connect(os.path.join(STORE, "audit.db"))
db.execute("UPDATE outputs SET file_offset = 9223372036854775807 - id, "
           "file_length = 9223372036854775807, cut = 1")
db.execute("UPDATE outputs SET head = x'', tail = NULL WHERE id % 2 = 0")
db.commit()
db.close()
done = ctl("search", "--output", "needle")
tap.ok(done.returncode == 1 and not done.stderr, "places that no file has",
       done)
for name in os.listdir(os.path.join(STORE, "output")):
    os.unlink(os.path.join(STORE, "output", name))
tap.same(ctl("search", "--output", "needle").returncode, 1, "no file")
tap.done()
