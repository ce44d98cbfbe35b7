#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Each wire format against the fake model: answers, streamed though it was
not asked for, with a form of the answer that the server does not know, and
with what goes wrong in all of them."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from ask_rig import IN_TIME, Asker, Model, Root  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root = Root()
model = Model(root)
root.write("key", "right\n")
FORMATS = [
    # name, path of the request, base, headers that carry key and version
    ("openai-chat", "/v1/chat/completions", "/v1", "authorization"),
    ("azure-chat", "/v1/chat/completions", "/v1", "api-key"),
    ("openai-responses", "/v1/responses", "/v1", "authorization"),
    ("anthropic-messages", "/v1/messages", "/v1", "x-api-key"),
    ("gemini", "/v1beta/models/%s:generateContent", "/v1beta",
     "x-goog-api-key"),
    ("ollama", "/api/chat", "", "authorization"),
]


def asker(form, base, mode, *settings, **kw):
    return Asker(root, "endpoint=http://127.0.0.1:%d%s" % (model.port, base),
                 "format=" + form, "model=" + mode, *settings, **kw)


def last():
    return [r for r in root.records() if "body" in r][-1]


for form, path, base, header in FORMATS:
    def ask(mode, *settings, line="ls -l", **kw):
        a = asker(form, base, mode, *settings, **kw)
        r = a.ask(line)
        tap.ok(a.end() == 0, "%s, %s: ends well" % (form, mode))
        return r

    def count():
        return sum("body" in r for r in root.records())

    r = ask("allow", "key-file=" + root.path("key"), line="ls \u00fc # \x07")
    tap.ok((r.status, r.action, r.confidence, r.model, r.tokens) ==
           ("answered", "allow", 90, "allow", (100, 20)),
           "%s: answered, and counted" % form, r)
    request = last()
    tap.same(request["path"], path.replace("%s", "allow"),
             "%s: the path" % form)
    tap.same(request["headers"].get(header, "").split(" ")[-1], "right",
             "%s: the key stands in %s" % (form, header))
    tap.ok(not [k for k, v in request["headers"].items()
                if "right" in v and k != header] and
           "right" not in request["body"],
           "%s: and nowhere else" % form, request)
    if form == "anthropic-messages":
        tap.ok("anthropic-version" in request["headers"],
               "%s: says its version" % form)
    body = json.loads(request["body"])
    tap.ok(not body.get("stream"), "%s: asks for no stream" % form)
    tap.ok("safer_alternative" in request["body"].replace(
        body.get("instructions", ""), ""), "%s: sends the schema" % form)
    for mode, action in (("warn", "warn"), ("block", "block"),
                         ("streamed", "allow")):
        r = ask(mode)
        tap.ok((r.status, r.action, r.tokens) ==
               ("answered", action, (100, 20)), "%s, %s: answered" %
               (form, mode), r)
    for mode in ("no-schema", "no-format", "no-temperature"):
        a = asker(form, base, mode)
        before = count()
        r, again = a.ask(), a.ask()
        a.end()
        tap.ok(r.status == again.status == "answered",
               "%s, %s: falls back" % (form, mode), r)
        steps = count() - before - 2
        tap.ok(1 <= steps <= 2, "%s, %s: step by step, and remembers" %
               (form, mode), steps)
    for mode, words in (
            ("wrong-nonce", "another question"), ("half", ""),
            ("unknown-action", "unknown action"), ("fenced", "not one JSON"),
            ("extra", "not asked for"), ("empty", ""), ("two", ""),
            ("stream-cut", "ends before its end"), ("nan", ""),
            ("not-json", "not one JSON object"), ("reset", ""),
            ("status-500", "HTTP 500"), ("status-404", "HTTP 404"),
            ("redirect", "redirects are not followed"), ("huge", ""),
            ("half-envelope", "")):
        r = ask(mode, "ask-timeout=4000")
        tap.ok((r.status, r.action) == ("failed", "block") and r.reason and
               words in r.reason, "%s, %s: failed" % (form, mode), r)
    for mode in ("slow-body", "slow-headers", "endless-body"):
        r = ask(mode, "ask-timeout=500")
        tap.ok(r.status == "failed" and r.ns < IN_TIME, "%s, %s: in time" %
               (form, mode), r)
    r = ask("needs-key")
    tap.ok(r.status == "failed" and "key is refused" in r.reason,
           "%s: no key, refused" % form, r)
    r = ask("needs-key", "key-file=" + root.path("key"))
    tap.ok(r.status == "answered", "%s: with the key, answered" % form, r)

tap.ok(not [r for r in root.records()
            if r.get("path", "").startswith("/allow/")],
       "no redirect was followed")
for name in ("../x", "a/b", "a?b", "a%2fb", "", "a#b"):
    a = asker("gemini", "/v1beta", name)
    r = a.ask()
    a.end()
    tap.ok(r.status == "failed" and "model" in r.reason,
           "gemini: a model named %r never makes a URL" % name, r)
sock = root.path("llm.sock")
Model(root, "--unix", sock)
for form, path, base, header in FORMATS:
    a = Asker(root, "endpoint=unix:%s" % sock, "format=" + form,
              "model=allow")
    r = a.ask()
    a.end()
    tap.ok(r.status == ("failed" if form == "azure-chat" else "answered"),
           "%s: over a socket" % form, r)
tap.ok(root.stderr_clean(), "nothing was said on standard error")
tap.done()
