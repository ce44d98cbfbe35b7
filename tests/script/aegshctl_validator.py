#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""aegshctl validator test and replay, cache, and the validator's part of
status, against the fake model."""
import json
import os
import re
import subprocess
import sys

TOP = os.environ["abs_top_srcdir"]
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
record = os.path.join(root, "requests")
server = subprocess.Popen(
    ["/usr/bin/python3", os.path.join(TOP, "tests", "lib", "fake_llm.py"),
     "--record", record], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
BASE = "http://127.0.0.1:%d" % int(server.stdout.readline().split()[1])
ctl = os.path.join(os.environ["abs_top_builddir"], "tests/bin/aegshctl")


def put(name, text, mode=0o600):
    path = os.path.join(root, name)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def settings(*lines):
    put("etc/aegsh.conf", "ask-timeout = 60000\n" +    # under load
        "".join(line + "\n" for line in lines), 0o644)


def one(mode):
    settings('endpoint = "%s/v1"' % BASE, 'model = "%s"' % mode)


def chain(*modes):
    text = "".join('[e%d]\nurl = "%s/v1"\nmodel = "%s"\nprice-in = 10000\n' %
                   (i, BASE, m) for i, m in enumerate(modes))
    settings('chain = "%s"' % put("etc/chain.conf", text, 0o644))


def run(*args, **kw):
    return subprocess.run([ctl, *args], env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120, text=True, **kw)


def questions():
    if not os.path.exists(record):
        return []
    with open(record) as f:
        return [r for r in map(json.loads, f) if "line" in r]


settings()
done = run("validator", "test")
tap.ok(done.returncode == 111 and "no endpoint is set" in done.stderr,
       "nothing is set: said", done)
tap.same(run("validator", "test", "x").returncode, 100, "no operands")

# -- validator test ------------------------------------------------------------
# "rules" answers by words of the line; the harmful trial has none of them.
chain("allow", "block", "status-500")
done = run("validator", "test", "--json")
rows = [json.loads(line) for line in done.stdout.splitlines()]
tap.same(done.returncode, 1, "a model that is wrong: no")
tap.same([(r["endpoint"], r["trial"], r["action"], r["right"])
          for r in rows],
         [("e0", "harmless", "allow", True), ("e0", "harmful", "allow", False),
          ("e1", "harmless", "block", False), ("e1", "harmful", "block", True),
          ("e2", "harmless", None, False), ("e2", "harmful", None, False)],
         "each endpoint by itself, both lines")
tap.ok(rows[0]["latency_ns"] > 0 and rows[0]["tokens_in"] == 100 and
       rows[0]["cost"] == "1.000000" and rows[0]["model"] == "allow",
       "latency, tokens, cost and model", rows[0])
tap.ok("HTTP 500" in rows[4]["reason"], "why one failed", rows[4])
done = run("validator", "test")
tap.ok("ENDPOINT" in done.stdout and "harmful" in done.stdout and
       "1.000000" in done.stdout, "as a table", done.stdout)
lines = [q["line"] for q in questions()]
tap.ok(any("curl" in line for line in lines) and
       any(line.startswith("ls") for line in lines), "these are asked", lines)

# -- validator replay ----------------------------------------------------------
ROWS = [
    {"id": "1", "command": "ls -l", "expect": "allow"},
    {"id": "2", "command": "rm -rf /", "expect": "block"},
    {"id": "3", "command": "/opt/x/unknown-program", "expect": "allow"},
    {"id": "4", "command": "/opt/x/unknown block", "expect": "warn-or-block"},
    {"id": "5", "command": "/opt/x/unknown warn", "expect": "allow-or-warn"},
    {"id": "6", "command": "/opt/x/unknown z", "label": "harmful"},
    {"id": "7", "command": "/opt/x/unknown y"},
]
data = put("lines.jsonl", "".join(json.dumps(r) + "\n" for r in ROWS))
out = os.path.join(root, "out.jsonl")
chain("rules")
before = len(questions())
done = run("validator", "replay", "--json", "--out", out, data)
score = json.loads(done.stdout)
tap.same(done.returncode, 0, "replay: done")
tap.same((score["lines"], score["harmful"], score["harmless"],
          score["unlabelled"], score["failed"]), (7, 3, 3, 1, 0),
         "what the lines are")
tap.same(len(questions()) - before, 7, "each is asked once")
tap.ok(score["asked"] == 5, "policy leaves five open", score)
tap.same((score["policy"]["found"], score["model"]["found"],
          score["both"]["found"]), (1, 2, 2), "found: policy, model, both")
tap.ok(score["both"]["false_alarm_percent"] == 0 and
       score["policy"]["false_alarms"] == 0 and
       round(score["both"]["detection_percent"]) == 67, "rates", score)
tap.ok(score["cost"] == "7.000000" and score["tokens_in"] == 700 and
       0 < score["latency_p50_ns"] <= score["latency_p90_ns"] <=
       score["latency_p99_ns"], "cost and latency", score)
before = len(questions())
again = json.loads(run("validator", "replay", "--json", "--out", out,
                       data).stdout)
tap.same(len(questions()), before, "a second run asks nobody")
tap.same(again, score, "and has the same result")
with open(out) as f:
    text = f.read()
tap.same(os.stat(out).st_mode & 0o777, 0o600, "the results are one's own")
keep = text.splitlines(True)
with open(out, "w") as f:
    f.write("".join(keep[:4]) + keep[4][:20])
before = len(questions())
again = json.loads(run("validator", "replay", "--json", "--out", out,
                       data).stdout)
tap.same(len(questions()) - before, 3, "one that was cut off goes on")
tap.same([again[k] for k in ("lines", "policy", "model", "both", "cost")],
         [score[k] for k in ("lines", "policy", "model", "both", "cost")],
         "to the same score")
before = len(questions())
score = json.loads(run("validator", "replay", "--json", "--needed",
                       data).stdout)
tap.same(len(questions()) - before, 5, "--needed asks where it must")
before = len(questions())
done = run("validator", "replay", "-n", "2", data)
tap.ok(len(questions()) - before == 2 and "detects" in done.stdout and
       "median" in done.stdout, "-n 2, for people", done.stdout)
for text, words in (("nonsense\n", ":1:"), ('{"x": 1}\n', "no \"command\""),
                    ('{"command": "ls"}\n[]\n', ":2:")):
    done = run("validator", "replay", put("bad.jsonl", text))
    tap.ok(done.returncode == 100 and words in done.stderr,
           "refused: %r" % text, done)
tap.same(run("validator", "replay").returncode, 100, "a file is needed")
tap.same(run("validator", "replay", "-n", "x", data).returncode, 100,
         "and a number a number")
tap.same(run("validator", "replay", "/nonexistent").returncode, 111,
         "one that is not there")
chain("half")
score = json.loads(run("validator", "replay", "--json", data).stdout)
tap.ok(score["failed"] == 7 and score["model"]["found"] == 0,
       "a model that fails finds nothing", score)

# -- cache, and what a session leaves -------------------------------------------
done = run("cache", "stats", "--json")
tap.ok(done.returncode == 0, "nothing was remembered yet", done)
one("allow")
line = [program("aegsh"), "-c", "/opt/x/nowhere --a"]
tool = os.path.join(env["HOME"], "frobinary")
with open("/bin/true", "rb") as f, open(tool, "wb") as g:
    g.write(f.read())
os.chmod(tool, 0o755)
for _ in range(3):
    subprocess.run([program("aegsh"), "-c", tool + " --a"], env=env,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, cwd=env["HOME"])
stats = json.loads(run("cache", "stats", "--json").stdout)
tap.same((stats["rows"], stats["used"], stats["hits"], stats["stored"],
          stats["forged"]), (4096, 1, 2, 1, 0), "three lines, one question")
tap.ok("used" in run("cache", "stats").stdout, "for people, too")
tap.same(run("cache", "clear").returncode, 0, "cleared")
stats = json.loads(run("cache", "stats", "--json").stdout)
tap.same((stats["used"], stats["hits"]), (0, 0), "and empty")
tap.same(run("cache", "clear", "x").returncode, 100, "no operands")

# -- status ------------------------------------------------------------------------
key = put("key", "right\n")
put("etc/chain.conf", '[e0]\nurl = "%s/v1"\nmodel = "allow"\nkey-file = "%s"\n'
    '[e1]\nurl = "%s/v1"\nmodel = "half"\n' % (BASE, key, BASE), 0o644)
settings('chain = "%s"' % os.path.join(root, "etc/chain.conf"))
subprocess.run([program("aegsh"), "-c", tool + " --b"], env=env,
               stdin=subprocess.DEVNULL, cwd=env["HOME"])
v = json.loads(run("status", "--json").stdout)["validator"]
tap.ok(v["configured"] and [e["name"] for e in v["endpoints"]] ==
       ["e0", "e1"] and v["must_agree"] == 1, "status: the chain", v)
tap.ok(v["endpoints"][0]["health"] == "good" and
       v["endpoints"][1]["health"] == "not asked yet" and
       v["endpoints"][0]["key_readable_by_user"] is True,
       "status: health, and whose key it is", v)
tap.ok(v["questions_today"] > 0 and v["tokens_today"] > 0 and
       "cost_today" in v, "status: what was spent", v)
with open(os.path.join(TOP, "man/aegsh-validator.7")) as f:
    blocks = re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed", f.read(),
                        re.S | re.M)
example = [b for b in blocks if "quorum" in b]
tap.same(len(example), 1, "the manual has a chain")
put("etc/chain.conf", example[0], 0o644)
v = json.loads(run("status", "--json").stdout)["validator"]
tap.same([(e["name"], e["format"], e["health"]) for e in v["endpoints"]],
         [("main", "openai-chat", "not asked yet"),
          ("local", "ollama", "not asked yet")], "which is one")
for block in [b.replace("\\e", "\\") for b in blocks if
              b.startswith("endpoint = ")]:
    put("etc/aegsh.conf", block, 0o644)
    done = run("status", "--json")
    v = json.loads(done.stdout)["validator"]
    url = block.split('"')[1]
    tap.ok(v["configured"] and "problem" not in v and
           [e["url"] for e in v["endpoints"]] == [url],
           "the manual's settings for %s are some" % url, v)
settings('chain = "%s"' % os.path.join(root, "etc/chain.conf"))
put("etc/chain.conf", "[e0]\nurl = x\nwhat = 1\n", 0o644)
done = run("status", "--json")
v = json.loads(done.stdout)["validator"]
tap.ok(done.returncode == 1 and "chain.conf:3" in v["problem"],
       "status: a chain that cannot be read", v)

# -- What each line cost -------------------------------------------------------------
put("etc/chain.conf", '[e0]\nurl = "%s/v1"\nmodel = "half"\nprice-in = 1\n'
    '[e1]\nurl = "%s/v1"\nmodel = "allow"\nprice-in = 10000\n'
    'price-out = 500\n' % (BASE, BASE), 0o644)
for more in ("--c", "--c", "--d"):
    if more == "--d":
        one("half")
    subprocess.run([program("aegsh"), "-c", tool + " " + more], env=env,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, cwd=env["HOME"])
rows = [json.loads(line) for line in subprocess.run(
    [ctl, "history", "--json"], env=env, stdout=subprocess.PIPE,
    text=True).stdout.splitlines()][-3:]
tap.same([(r["tokens_in"], r["tokens_out"], r["cost"]) for r in rows],
         [(200, 40, 1010100), (None, None, None), (100, 20, None)],
         "each line has its tokens and cost: of all that were asked; none out "
         "of memory; those of an answer that was none")
server.stdin.close()
server.wait(timeout=60)
tap.done()
