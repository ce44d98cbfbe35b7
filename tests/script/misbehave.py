#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Each misbehaviour of a model or its server, in each wire format, streamed
and not, with and without TLS, through the built shell on a terminal: the
line runs or does not, the reason is the right one, the prompt comes back, the
next line is answered, and no secret was sent."""
import json
import os
import re
import shutil
import subprocess
import sys

TOP = os.environ["abs_top_srcdir"]
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
record = os.path.join(root, "requests")
tool = os.path.join(env["HOME"], "frobnicate")
with open(tool, "w") as f:
    f.write("#!/bin/sh\necho \"ran-$1\"\n")
os.chmod(tool, 0o755)
env["PATH"] = env["HOME"] + ":" + env["PATH"]
KEY = "sk-misbehave-0123456789abcdef"
SECRET = "ghp_" + "a1B2" * 9
FORMATS = [("openai-chat", "/v1"), ("azure-chat", "/v1"),
           ("openai-responses", "/v1"), ("anthropic-messages", "/v1"),
           ("gemini", "/v1beta"), ("ollama", "")]
RUNS, ASKS = "ran-", "Run it"
NOT_JSON = "not one JSON|not an object|not exactly one verdict|holds no text"
BROKEN = ("reset|closed|Empty reply|Recv|transfer|outstanding|malformed|"
          "[Cc]hunk|HTTP/0.9|not one JSON|longer than|[Hh]eader|Content-Length|"
          "not exactly")
# What the model says, and what comes of it: RUNS, ASKS, or the reason why it
# does not run.
TEXTS = {
    "allow": RUNS, "spaced": RUNS, "warn": ASKS, "low": ASKS,
    "block": "As asked", "half": NOT_JSON, "fenced": NOT_JSON,
    "two": NOT_JSON, "around": NOT_JSON, "after": NOT_JSON,
    "array": NOT_JSON, "wrong-nonce": "another question",
    "short-nonce": "another question", "unknown-action": "unknown action",
    "wrong-case": "unknown action", "wrong-key-case": "not asked for|no member",
    "nan": NOT_JSON, "infinity": NOT_JSON, "over-one": "within 0 and 1",
    "negative": "within 0 and 1", "text-confidence": "wrong type",
    "null-reason": "wrong type", "duplicate": NOT_JSON,
    "extra": "not asked for", "missing": "no member",
    "bad-category": "not a short word", "escape": ASKS,
    "long-reason": RUNS, "huge": "longer than", "big": "longer than",
    "empty": NOT_JSON, "nul": NOT_JSON, "surrogate": NOT_JSON,
    "echo": NOT_JSON,
}
# What its server does.
WAYS = {
    "status-500": "HTTP 500", "status-502": "HTTP 502",
    "status-429": "HTTP 429", "status-401": "the key is refused",
    "status-404": "HTTP 404", "status-204": "HTTP 204",
    "redirect": "redirects are not followed",
    "redirect-away": "redirects are not followed", "reset": BROKEN,
    "close": BROKEN, "half-envelope": BROKEN, "endless-headers": BROKEN,
    "endless-body": BROKEN, "stream-cut": "before its end|not one JSON",
    "not-json": "not one JSON", "no-body": "not one JSON",
    "content-gzip": BROKEN, "transfer-gzip": BROKEN,
    "continue-flood": BROKEN, "early-hints": RUNS, "chunk-garbage": BROKEN,
    "chunked": RUNS, "huge-header": BROKEN, "no-status": BROKEN,
    "twice": RUNS, "no-schema": RUNS,
    "no-format": RUNS, "streamed": RUNS, "stale": RUNS,
}
# Streamed, and over TLS: what differs there, and some of what does not.
STREAMED = ["allow", "warn", "block", "half", "two", "wrong-nonce", "nan",
            "duplicate", "extra", "escape", "huge", "empty", "echo"]
TLS_TEXTS = ["allow", "block", "half", "wrong-nonce", "escape", "huge"]


class Server:
    def __init__(self, *args):
        self.process = subprocess.Popen(
            ["/usr/bin/python3", os.path.join(TOP, "tests/lib/fake_llm.py"),
             "--record", record, *args], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline().split()[1])


def put(name, text, mode=0o600):
    path = os.path.join(root, name)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


key_file = put("etc/key", KEY + "\n")


def session(form, url, timeout=None, ca=None):
    chain = '[%s]\nurl = "%s"\nmodel = "by-line"\nformat = %s\nkey-file = ' \
        '"%s"\nattempts = 1\n' % (form, url, form, key_file)
    if timeout:
        chain += "timeout = %d\n" % timeout
    if ca:
        chain += 'ca-file = "%s"\n' % ca
    put("etc/aegsh.conf", 'prompt = "READY> "\nfail = block\n'
        'ask-cache-ttl = 0\nask-rate = 100000\nask-timeout = 60000\n'
        'chain = "%s"\n' % put("etc/chain.conf", chain), 0o644)
    s = Session([program("aegsh")], env=env, cwd=env["HOME"], cols=2000)
    s.expect("READY> ")
    return s


def end(s):
    s.line("exit")
    s.wait()
    s.close()


count = 0


def line_of(mode):
    global count
    count += 1
    return "frobnicate %d mode=%s --token %s" % (count, mode, SECRET)


def answered(s):
    """A line that the model allows, to the same helper and server."""
    s.line(line_of("allow"))
    return s.expect(r"ran-%d\r" % count) and s.expect("READY> ")


def one(s, where, mode, want):
    s.line(line_of(mode))
    found = s.expect(r"--token \S+\r?\n(.*?)(READY> |Run it)")
    said = found.group(1).decode("utf-8", "replace") if found else None
    if found and found.group(2) == ASKS.encode():
        s.send("n\r")
        s.expect("READY> ")
        ok = want == ASKS
    elif want == RUNS:
        ok = said and "ran-%d" % count in said
    else:
        ok = said and re.search(want, said) and "ran-" not in said
    tap.ok(ok, "%s, %s: %s" % (where, mode, {
        RUNS: "answered, runs", ASKS: "the person is asked"}.get(
            want, "does not run, and says why")), said, want)
    tap.ok(not re.search("[\x07\u202e\u200b\x9b]|\x1b[]]", said or ""),
           "%s, %s: nothing of it reaches the terminal raw" % (where, mode),
           said)


def table(s, where, modes):
    failed = 0
    for mode, want in modes:
        one(s, where, mode, want)
        failed += want not in (RUNS, ASKS)
        # Three in a row, and the breaker would have its say.
        if failed == 2:
            tap.ok(answered(s), "%s, after %s: the next line is answered" %
                   (where, mode), s.seen[-500:])
            failed = 0


def leaks(where):
    with open(record) as f:
        sent = [json.loads(x) for x in f]
    os.truncate(record, 0)
    asked = [r for r in sent if "body" in r]
    tap.ok(asked and not [r for r in sent if SECRET in json.dumps(r)],
           "%s: the token of the line was sent to nobody" % where)
    tap.ok(not [r for r in asked if KEY in r["body"] or
                sum(KEY in v for v in r["headers"].values()) != 1],
           "%s: the key stands in one field and nowhere else" % where)
    tap.ok(not [r for r in asked if not re.search(
        "chat|messages|responses|generateContent", r["path"])],
           "%s: and went to no other path" % where)


plain = Server()
for form, base in FORMATS:
    s = session(form, "http://127.0.0.1:%d%s" % (plain.port, base))
    table(s, form, list(TEXTS.items()) +
          [("s:" + m, TEXTS[m]) for m in STREAMED] + list(WAYS.items()))
    tap.ok(KEY.encode() not in s.seen, "%s: no key was shown" % form)
    end(s)
    leaks(form)
    s = session(form, "http://127.0.0.1:%d%s" % (plain.port, base), 300)
    for mode in ("slow-headers", "slow-body"):
        one(s, form, mode, "no answer within 300 ms")
    end(s)
    os.truncate(record, 0)


def openssl(*args):
    subprocess.run(["openssl", *args], check=True, cwd=root,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def tls():
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl("req", "-x509", *new, "-days", "2", "-subj", "/CN=Throw-away",
            "-keyout", "ca.key", "-out", "ca.pem")
    openssl("req", *new, "-subj", "/CN=x", "-keyout", "x.key", "-out", "x.csr")
    put("x.ext", "subjectAltName=IP:127.0.0.1")
    openssl("x509", "-req", "-in", "x.csr", "-CA", "ca.pem", "-CAkey",
            "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "x.ext",
            "-out", "x.pem")
    server = Server("--tls", os.path.join(root, "x.pem"),
                    os.path.join(root, "x.key"))
    for form, base in FORMATS:
        s = session(form, "https://127.0.0.1:%d%s" % (server.port, base),
                    ca=os.path.join(root, "ca.pem"))
        table(s, form + " over TLS", [(m, TEXTS[m]) for m in TLS_TEXTS] +
              [("s:" + m, TEXTS[m]) for m in TLS_TEXTS] + list(WAYS.items()))
        end(s)
        leaks(form + " over TLS")
    server.process.stdin.close()
    server.process.wait(timeout=60)


if shutil.which("openssl"):
    tls()
else:
    tap.skip("the same over TLS", "no openssl program")
plain.process.stdin.close()
plain.process.wait(timeout=60)
tap.done()
