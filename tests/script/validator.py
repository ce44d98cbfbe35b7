#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The validator and aegsh-judge against a model that answers, and against
one that does everything else: the right verdict, in time, and nothing left
hanging."""
import os
import re
import signal
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from ask_rig import IN_TIME, Asker, Model, Root  # noqa: E402
from procs import alive, until  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root = Root()
model = Model(root)
BASE = "endpoint=http://127.0.0.1:%d/v1" % model.port
QUICK = "ask-timeout=700"


def asker(mode, *settings, **kw):
    return Asker(root, BASE, "model=" + mode, *settings, **kw)


def ended(pid):
    """The process is gone (or a zombie), in time."""
    return until(lambda: not alive(pid))


# -- Answers ----------------------------------------------------------------
GOOD = [
    # mode, action, percent
    ("allow", "allow", 90), ("warn", "warn", 90), ("block", "block", 100),
    ("low", "allow", 29), ("spaced", "allow", 90), ("stale", "allow", 90),
    ("no-schema", "allow", 90), ("no-format", "allow", 90),
    ("no-temperature", "allow", 90),
]
for mode, action, percent in GOOD:
    a = asker(mode)
    first, second = a.ask(), a.ask()
    tap.ok((first.status, first.action, first.confidence, first.model) ==
           ("answered", action, percent, mode), "%s: answered" % mode, first)
    tap.ok(second.status == "answered" and second.action == action,
           "%s: and again" % mode, second)
    tap.ok(a.end() == 0, "%s: ends well" % mode)

asks = [r for r in root.records() if r.get("body")]
tap.ok(len([r for r in asks if '"no-schema"' in r["body"]]) == 3,
       "a server without json_schema is asked once more, and remembered")
tap.ok(len([r for r in asks if '"no-format"' in r["body"]]) == 4,
       "a server without any response_format, too")
tap.ok(len(set(r["connection"] for r in asks
               if '"model":"allow"' in r["body"])) == 1,
       "one connection serves two questions")

a = asker("escape")
r = a.ask()
a.end()
tap.ok(r.action == "warn" and r.reason ==
       "^[]0;owned^G^[[2J<U+202E>gnihton<U+200B><U+009B>31m" and
       r.instead == "^M^[[A", "escape sequences come out inert", r)
a = asker("long-reason")
r = a.ask()
a.end()
tap.ok(r.status == "answered" and len(r.reason.encode()) < 300 and
       r.reason.endswith("\u2026"), "a long reason is cut", r)

# -- No answers -------------------------------------------------------------
BAD = [
    # mode, what the reason says
    ("half", "not one JSON object"), ("fenced", "not one JSON object"),
    ("two", "not one JSON object"), ("around", "not one JSON object"),
    ("after", "not one JSON object"), ("array", "not an object"),
    ("empty", "not one JSON object"), ("wrong-nonce", "another question"),
    ("short-nonce", "another question"),
    ("unknown-action", "unknown action"), ("wrong-case", "unknown action"),
    ("wrong-key-case", "not asked for"), ("nan", "not one JSON object"),
    ("infinity", "not one JSON object"), ("over-one", "confidence"),
    ("negative", "confidence"), ("text-confidence", "wrong type"),
    ("null-reason", "wrong type"), ("duplicate", "not one JSON object"),
    ("extra", "not asked for"), ("missing", "no member 'category'"),
    ("bad-category", "category"), ("nul", "not one JSON object"),
    ("surrogate", "not one JSON object"), ("big", "longer than"),
    ("huge", ""), ("null-content", "no text"), ("part-list", "no text"),
    ("cut-short", "cut short"), ("two-choices", "exactly one choice"),
    ("no-choice", "exactly one choice"), ("not-json", "not one JSON"),
    ("double-envelope", "not one JSON"), ("no-body", "not one JSON"),
    ("status-400", "HTTP 400"), ("status-401", "key is refused"),
    ("status-403", "key is refused"), ("status-404", "HTTP 404"),
    ("status-418", "HTTP 418"), ("status-429", "too many requests"),
    ("status-500", "HTTP 500"), ("status-502", "HTTP 502"),
    ("status-503", "HTTP 503"), ("status-204", "HTTP 204"),
    ("status-201", "HTTP 201"),
    ("redirect", "redirects are not followed"), ("half-envelope", ""),
    ("reset", ""), ("close", ""), ("no-such-mode", "HTTP 404"),
]
for mode, words in BAD:
    a = asker(mode)
    r = a.ask()
    tap.ok((r.status, r.action, r.confidence) == ("failed", "block", 0) and
           words in r.reason and r.reason, "%s: failed" % mode, r)
    tap.ok(r.ns < IN_TIME, "%s: at once" % mode, r.ns)
    tap.ok(a.end() == 0, "%s: ends well" % mode)
tap.ok(not [r for r in root.records()
            if r.get("path", "").startswith("/allow/")],
       "no redirect was followed")

for mode in ("slow-headers", "slow-body", "endless-body", "endless-headers"):
    a = asker(mode, QUICK)
    r = a.ask()
    tap.ok((r.status, r.action) == ("failed", "block") and r.reason,
           "%s: failed" % mode, r)
    tap.ok(r.ns < IN_TIME, "%s: when time is up, not later" % mode, r.ns)
    if mode.startswith("slow"):
        tap.ok(re.search(r"within \d+ ms", r.reason),
               "%s: the reason names the time" % mode, r)
        tap.ok(r.progress >= 1, "%s: progress was told" % mode, r)
        tap.ok(root.wait_record(lambda x: x.get("dropped") == mode),
               "%s: the request is dropped" % mode)
    tap.ok(a.end() == 0, "%s: ends well" % mode)

a = Asker(root, "model=allow")
tap.ok(a.ask().status == "not-configured" and a.pid() == -1,
       "without an endpoint nobody is asked and nothing started")
a.end()

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
a = Asker(root, "endpoint=http://127.0.0.1:%d/v1" %
          listener.getsockname()[1], "model=allow")
r = a.ask()
tap.ok(r.status == "failed" and "connect" in r.reason.lower(),
       "nobody listens: failed, with the reason", r)
a.end()
listener.listen(1)
a = Asker(root, "endpoint=http://127.0.0.1:%d/v1" %
          listener.getsockname()[1], "model=allow", QUICK)
r = a.ask()
tap.ok(r.status == "failed" and r.ns < IN_TIME, "nobody accepts: failed in time",
       r)
a.end()
listener.close()

# -- Ctrl-C -----------------------------------------------------------------
reader, writer = os.pipe()
a = asker("slow-headers", "ask-timeout=30000", cancel=reader)
a.start("ls -l  # cancelled")
tap.ok(root.wait_arrival("ls -l  # cancelled"), "the model is asked")
t0 = time.monotonic()
os.write(writer, b"x")
first = a.read().split("\t")
tap.ok(first[0] == "cancelled" and time.monotonic() - t0 < 20,
       "Ctrl-C: cancelled at once", first, time.monotonic() - t0)
tap.ok(root.wait_record(lambda x: x.get("dropped") == "slow-headers"),
       "Ctrl-C: the request is dropped")
pid = a.pid()
r = a.ask()
tap.ok(r.status == "cancelled" and r.ns < IN_TIME,
       "Ctrl-C before the question counts as well", r)
os.read(reader, 10)
tap.ok(a.pid() == pid, "Ctrl-C: the helper stays")
a.end()

# -- A helper that dies, stops, or is not there --------------------------------
a = asker("slow-headers", "ask-timeout=30000")
a.send(b"warm\n")
pid = a.pid()
if not tap.ok(pid > 0, "warm starts the helper before anybody asks"):
    tap.done()
a.start("ls -l  # killed")
root.wait_arrival("ls -l  # killed")
t0 = time.monotonic()
os.kill(pid, signal.SIGKILL)
first = a.read().split("\t")
tap.ok(first[0] == "failed" and time.monotonic() - t0 < 20 and
       "ended before" in first[7], "killed while asked: failed, no hang",
       first)
a.end()

a = asker("allow")
tap.ok(a.ask().status == "answered", "a helper answers")
pid = a.helper()
os.kill(pid, signal.SIGKILL)
tap.ok(ended(pid), "it is killed while nobody asks")
r = a.ask()
tap.ok(r.status == "answered" and a.pid() != pid,
       "the next question finds a new one", r)
a.end()

a = asker("allow", QUICK)
until(lambda: a.ask().status == "answered")
pid = a.helper()
os.kill(pid, signal.SIGSTOP)
r = a.ask()
tap.ok(r.status == "failed" and r.ns < IN_TIME and " ms" in r.reason,
       "a stopped helper: failed in time", r)
tap.ok(ended(pid), "a stopped helper is killed")
tap.ok(until(lambda: a.ask().status == "answered"),
       "and the next question works")
a.end()

reader, writer = os.pipe()
a = asker("allow", "ask-timeout=30000", cancel=reader)
a.ask()
pid = a.helper()
os.kill(pid, signal.SIGSTOP)
a.start("ls -l")
os.write(writer, b"x")
tap.ok(a.read().startswith("cancelled"), "Ctrl-C with a stopped helper")
for _ in range(20):
    r = a.ask()
tap.ok(r.status == "cancelled", "twenty more do not fill up anything", r)
os.read(reader, 1)
os.kill(pid, signal.SIGCONT)
r = a.ask()
tap.ok(r.status == "answered", "late answers to old questions are ignored",
       r)
a.end()

a = asker("allow")
a.ask()
pid = a.pid()
tap.ok(a.end() == 0 and ended(pid), "the helper ends with its shell")
a = asker("slow-headers", "ask-timeout=30000")
a.send(b"warm\n")
pid = a.pid()
a.start("ls -l  # orphan")
root.wait_arrival("ls -l  # orphan")
a.process.kill()
a.process.wait()
tap.ok(ended(pid), "the helper ends when its shell is killed while it asks")

helper = root.path("libexec/aegsh-judge")
os.rename(helper, helper + ".away")
a = asker("allow")
r = a.ask()
tap.ok(r.status == "failed" and "start" in r.reason and
       "aegsh-judge" in r.reason, "no helper: failed, and says so", r)
os.rename(helper + ".away", helper)
tap.ok(a.ask().status == "answered", "once it is there, it works")
a.end()
for name, script in (("says nothing", "exec sleep 30"),
                     ("ends at once", "exit 0"),
                     ("talks nonsense", "echo nonsense >&3; exec sleep 30")):
    os.rename(helper, helper + ".away")
    root.write("libexec/aegsh-judge", "#!/bin/sh\n%s\n" % script, 0o755)
    a = asker("allow", QUICK)
    r = a.ask()
    tap.ok(r.status == "failed" and r.ns < IN_TIME,
           "a helper that %s: failed in time" % name, r)
    os.rename(helper + ".away", helper)
    a.end()

tap.ok(root.stderr_clean(), "nothing was said on standard error")
tap.done()
