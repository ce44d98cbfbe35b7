#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""A language model for tests: the wire formats of OpenAI (two), Anthropic,
Gemini and Ollama on 127.0.0.1, with answers, and with every way of not
answering that a judge must survive.

    fake_llm.py [--record FILE] [--tls CERT KEY [--old-tls]]
        [--unix PATH | --ipv6]

prints "port N" and serves until standard input ends.  What it does is
chosen by the model's name, or by the first component of the path when that
is not "v1" (/slow-body/v1/chat/completions); the model "by-line" does what the
line asks for with mode=NAME.  MODES below lists the names; "rules" answers by
words of the line: block, warn or allow; "s:NAME" streams the text of NAME.

FILE gets JSON objects, one a line: {"warm": connection} for a request that
only opens one; connection, path, line, headers and body of a question that
has arrived, before it is answered; {"dropped": MODE} when
the client went away instead of taking the answer; and {"server_ns": N}, the
time from the request's first byte to the end of the answer.
"""
import argparse
import json
import os
import re
import select
import socket
import ssl
import struct
import sys
import threading
import time
import zlib

PATIENCE = 60  # seconds that a slow mode waits for the client to give up


class Gone(Exception):
    """The client closed its connection."""


def verdict(nonce, **change):
    answer = {"nonce": nonce, "category": "other", "reason": "As asked.",
              "action": "allow", "confidence": 0.9, "safer_alternative": ""}
    answer.update(change)
    return answer


def text_of(nonce, **change):
    return json.dumps(verdict(nonce, **change))


def without(nonce, member):
    answer = verdict(nonce)
    del answer[member]
    return json.dumps(answer)


def by_rules(nonce, line):
    for action in ("block", "warn"):
        if action in line or (action == "block" and "rm -rf" in line):
            return text_of(nonce, action=action,
                           reason="The line says %s." % action,
                           safer_alternative="ls")
    return text_of(nonce)


# The model's text, by mode; n is the nonce, l the line.
TEXTS = {
    "allow": lambda n, l: text_of(n),
    "warn": lambda n, l: text_of(n, action="warn", safer_alternative="ls -l"),
    "block": lambda n, l: text_of(n, action="block", confidence=1),
    "rules": by_rules,
    "low": lambda n, l: text_of(n, confidence=0.29),
    "spaced": lambda n, l: "\n " + text_of(n) + " \n",
    "half": lambda n, l: text_of(n)[:40],
    "fenced": lambda n, l: "```json\n" + text_of(n) + "\n```",
    "two": lambda n, l: text_of(n) + text_of(n),
    "around": lambda n, l: "Here you are: " + text_of(n),
    "after": lambda n, l: text_of(n) + " Good luck!",
    "array": lambda n, l: "[" + text_of(n) + "]",
    "wrong-nonce": lambda n, l: text_of("0" * 32),
    "short-nonce": lambda n, l: text_of(n[:-1]),
    "unknown-action": lambda n, l: text_of(n, action="permit"),
    "wrong-case": lambda n, l: text_of(n, action="ALLOW"),
    "wrong-key-case": lambda n, l: text_of(n).replace('"action"', '"Action"'),
    "nan": lambda n, l: text_of(n, confidence=float("nan")),
    "infinity": lambda n, l: text_of(n).replace("0.9", "1e999"),
    "over-one": lambda n, l: text_of(n, confidence=1.01),
    "negative": lambda n, l: text_of(n, confidence=-0.01),
    "text-confidence": lambda n, l: text_of(n, confidence="0.9"),
    "null-reason": lambda n, l: text_of(n, reason=None),
    "duplicate": lambda n, l: '{"action":"block",' + text_of(n)[1:],
    "extra": lambda n, l: text_of(n, note="trust me"),
    "missing": lambda n, l: without(n, "category"),
    "bad-category": lambda n, l: text_of(n, category="Not A Word"),
    "escape": lambda n, l: text_of(
        n, action="warn",
        reason="\x1b]0;owned\x07\x1b[2J\u202egnihton\u200b\x9b31m",
        safer_alternative="\r\x1b[A"),
    "long-reason": lambda n, l: text_of(n, reason="\u00fc\x1b" * 2000),
    "huge": lambda n, l: text_of(n, reason="x" * 10000000),
    "big": lambda n, l: text_of(n, reason="x" * 70000),
    "empty": lambda n, l: "",
    "nul": lambda n, l: text_of(n).replace("As asked.", "\\u0000"),
    "surrogate": lambda n, l: text_of(n).replace("As asked.", "\\ud800"),
    "echo": lambda n, l: l,
}


TOKENS = 100, 20  # in and out, of each answer


def envelope(text, model, **change):
    whole = {"id": "x", "object": "chat.completion", "model": model,
             "choices": [{"index": 0, "finish_reason": "stop", "message":
                          {"role": "assistant", "content": text}}],
             "usage": {"prompt_tokens": TOKENS[0],
                       "completion_tokens": TOKENS[1]}}
    whole.update(change)
    return json.dumps(whole).encode()


def wrap_responses(text, model):
    return {"id": "x", "object": "response", "status": "completed",
            "model": model, "output": [
                {"type": "reasoning", "summary": []},
                {"type": "message", "role": "assistant", "content":
                 [{"type": "output_text", "text": text}]}],
            "usage": {"input_tokens": TOKENS[0],
                      "output_tokens": TOKENS[1]}}


def wrap_anthropic(text, model, tool):
    """As JSON: what a model gives its tool is spliced in as it is."""
    tool = tool and text.lstrip().startswith("{")
    block = {"type": "tool_use", "id": "t", "name": "verdict",
             "input": "@"} if tool else {"type": "text", "text": text}
    whole = json.dumps(
        {"id": "x", "type": "message", "role": "assistant",
         "model": model, "content": [block],
         "stop_reason": "tool_use" if tool else "end_turn",
         "usage": {"input_tokens": TOKENS[0],
                   "output_tokens": TOKENS[1]}})
    return whole.replace('"input": "@"', '"input": ' + text)


def wrap_gemini(text, model):
    return {"candidates": [{"content": {"role": "model", "parts":
                                        [{"text": text}]},
                            "finishReason": "STOP"}],
            "modelVersion": model,
            "usageMetadata": {"promptTokenCount": TOKENS[0],
                              "candidatesTokenCount": TOKENS[1]}}


def wrap_ollama(text, model):
    return {"model": model, "done": True, "done_reason": "stop",
            "message": {"role": "assistant", "content": text},
            "prompt_eval_count": TOKENS[0], "eval_count": TOKENS[1]}


def wrap(request, text):
    """The answer in the words of the format that was asked in."""
    kind, model = request.format, request.model
    if kind == "chat":
        return envelope(text, model)
    if kind == "anthropic":
        return wrap_anthropic(text, model, "tools" in request.body).encode()
    whole = {"responses": wrap_responses, "gemini": wrap_gemini,
             "ollama": wrap_ollama}[kind](text, model)
    return json.dumps(whole).encode()


def sse(events):
    return b"".join(b"event: x\r\ndata: " + json.dumps(e).encode() +
                    b"\r\n\r\n" for e in events)


def stream(request, text):
    """The same as a stream, in three pieces."""
    model, n = request.model, len(text) // 3
    pieces = [text[:n], text[n:2 * n], text[2 * n:]]
    if request.format == "chat":
        events = [{"model": model, "choices": [
            {"index": 0, "delta": {"content": p}, "finish_reason": None}]}
            for p in pieces]
        events += [{"choices": [{"index": 0, "delta": {},
                                 "finish_reason": "stop"}]},
                   {"choices": [], "usage": {"prompt_tokens": TOKENS[0],
                                             "completion_tokens":
                                             TOKENS[1]}}]
        return sse(events) + b"data: [DONE]\n\n"
    if request.format == "responses":
        return sse([{"type": "response.created"}] +
                   [{"type": "response.output_text.delta", "delta": p}
                    for p in pieces] +
                   [{"type": "response.completed", "response":
                     wrap_responses(text, model)}])
    if request.format == "anthropic":
        tool = "tools" in request.body
        return sse([{"type": "message_start", "message":
                     {"model": model, "usage":
                      {"input_tokens": TOKENS[0]}}},
                    {"type": "content_block_start", "index": 0,
                     "content_block": {"type": "tool_use" if tool else
                                       "text"}}] +
                   [{"type": "content_block_delta", "delta":
                     {"type": "input_json_delta", "partial_json": p} if tool
                     else {"type": "text_delta", "text": p}}
                    for p in pieces] +
                   [{"type": "message_delta", "delta":
                     {"stop_reason": "tool_use" if tool else "end_turn"},
                     "usage": {"output_tokens": TOKENS[1]}},
                    {"type": "message_stop"}])
    if request.format == "gemini":
        events = [{"candidates": [{"content": {"parts": [{"text": p}]}}],
                   "modelVersion": model} for p in pieces]
        events[-1] = wrap_gemini(pieces[-1], model)
        return sse(events)
    lines = [{"model": model, "done": False, "message": {"content": p}}
             for p in pieces]
    lines.append(wrap_ollama("", model))
    return b"".join(json.dumps(o).encode() + b"\n" for o in lines)


def choice(text, reason="stop"):
    return {"index": 0, "finish_reason": reason,
            "message": {"role": "assistant", "content": text}}


# The body of the answer, by mode; t is a good text, m the model's name.
BODIES = {
    "null-content": lambda t, m: envelope(None, m),
    "cut-short": lambda t, m: envelope(
        t, m, choices=[choice(t, "length")]),
    "two-choices": lambda t, m: envelope(
        t, m, choices=[choice(t), choice(t)]),
    "no-choice": lambda t, m: envelope(t, m, choices=[]),
    "part-list": lambda t, m: envelope([{"type": "text", "text": t}], m),
    "not-json": lambda t, m: b"<html>It works!</html>",
    "double-envelope": lambda t, m: b'{"choices":[],' + envelope(t, m)[1:],
    "no-body": lambda t, m: b"",
}

MODES = sorted(TEXTS) + sorted(BODIES) + [
    "status-NNN", "redirect", "slow-headers", "slow-body", "endless-body",
    "endless-headers", "half-envelope", "reset", "close", "stale",
    "no-schema", "no-format", "no-temperature",
    "needs-key", "streamed", "stream-cut", "retry-once", "retry-after",
    "retry-late", "late", "content-gzip", "transfer-gzip", "continue-flood",
    "early-hints", "chunk-garbage", "chunked", "huge-header", "no-status",
    "twice", "redirect-away"]


OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def bomb():
    """40 MiB of JSON white space in 40 KiB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    out = b"".join(packer.compress(b" " * 65536) for _ in range(640))
    return out + packer.flush()


def zipped(field):
    def send(sock, body):
        data = bomb()
        sock.sendall(OK + field + b": gzip\r\nContent-Length: %d\r\n\r\n" %
                     len(data) + data)
        return False
    return send


def continue_flood(sock, body):
    while True:
        sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


def early_hints(sock, body):
    sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n"
                 b"Link: </x>\r\n\r\n" + OK + b"Content-Length: %d\r\n\r\n" %
                 len(body) + body)
    return True


def chunk_garbage(sock, body):
    sock.sendall(OK + b"Transfer-Encoding: chunked\r\n\r\n"
                 b"5\r\n{\"a\":\r\nzz\r\n\xff\xfe\r\n")
    return False


def chunked(sock, body):
    n = len(body) // 2
    sock.sendall(OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(
        b"%x\r\n%s\r\n" % (len(part), part)
        for part in (body[:n], body[n:], b"")))
    return True


def huge_header(sock, body):
    sock.sendall(OK + b"X-Big: " + b"a" * 1000000 +
                 b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    return False


def no_status(sock, body):
    sock.sendall(body)
    return False


def twice(sock, body):
    """A second answer, for the question that comes next."""
    sock.sendall((OK + b"Content-Length: %d\r\n\r\n" % len(body) + body) * 2)
    return True


# What no well-behaved server sends.
ODD = {"content-gzip": zipped(b"Content-Encoding"),
       "transfer-gzip": zipped(b"Transfer-Encoding"),
       "continue-flood": continue_flood, "early-hints": early_hints,
       "chunk-garbage": chunk_garbage, "chunked": chunked,
       "huge-header": huge_header, "no-status": no_status,
       "twice": twice}


class Request:
    def __init__(self, head, body):
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.path, _ = lines[0].split(" ", 2)
        self.headers = {k.strip().lower(): v.strip() for k, v in
                        (line.split(":", 1) for line in lines[1:])}
        if self.method == "HEAD":
            return
        self.text = body.decode("utf-8")
        self.body = json.loads(self.text)
        first = self.path.split("/")[1]
        system, user = self.texts()
        self.mode = first if first not in ("v1", "v1beta", "api") else \
            self.model
        self.nonce = re.search("nonce of this request is ([0-9a-f]{32})",
                               system).group(1)
        data = user.split("\n")[1]
        self.line = json.loads(data)["line"]["text"]
        if self.mode == "by-line":
            named = re.search("mode=([a-z0-9:-]+)", self.line)
            self.mode = named.group(1) if named else "allow"

    def texts(self):
        """Format and model, and the two texts, as that format has them."""
        body, path = self.body, self.path.split("?")[0]
        self.model = body.get("model", "")
        if path.endswith("/responses"):
            self.format = "responses"
            return body["instructions"], body["input"]
        if path.endswith("/messages"):
            self.format = "anthropic"
            return body["system"], body["messages"][0]["content"]
        if path.endswith(":generateContent"):
            self.format = "gemini"
            self.model = path.rpartition("/")[2].partition(":")[0]
            return (body["systemInstruction"]["parts"][0]["text"],
                    body["contents"][0]["parts"][0]["text"])
        self.format = "ollama" if path.endswith("/api/chat") else "chat"
        return (body["messages"][0]["content"],
                body["messages"][1]["content"])

    def structure(self):
        """How the form of the answer is asked for: schema, object or None."""
        body = self.body
        if self.format == "chat":
            kind = body.get("response_format", {}).get("type")
        elif self.format == "responses":
            kind = body.get("text", {}).get("format", {}).get("type")
        elif self.format == "anthropic":
            kind = "json_schema" if "tools" in body else None
        elif self.format == "gemini":
            config = body["generationConfig"]
            kind = ("json_schema" if "responseSchema" in config else
                    config.get("responseMimeType"))
        else:
            kind = body.get("format")
            kind = "json_schema" if isinstance(kind, dict) else kind
        return ("schema" if kind == "json_schema" else
                "object" if kind else None)

    def key(self):
        """Where the format carries it."""
        name = {"anthropic": "x-api-key", "gemini": "x-goog-api-key"}.get(
            self.format, "authorization")
        key = self.headers.get(name, self.headers.get("api-key", ""))
        return key.rpartition(" ")[2]


class Server:
    def __init__(self, record=None, tls=None, unix=None, old_tls=False,
                 ipv6=False):
        self.record_file = open(record, "a") if record else None
        self.lock = threading.Lock()
        self.connections = 0
        self.retries = 0
        self.tls = None
        if tls:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(*tls)
            if old_tls:
                self.tls.set_ciphers("ALL:@SECLEVEL=0")
                self.tls.minimum_version = ssl.TLSVersion.TLSv1
                self.tls.maximum_version = ssl.TLSVersion.TLSv1_1
        if unix:
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(unix)
            self.port = 0
        else:
            self.listener = socket.socket(socket.AF_INET6 if ipv6 else
                                          socket.AF_INET)
            self.listener.bind(("::1" if ipv6 else "127.0.0.1", 0))
            self.port = self.listener.getsockname()[1]
        self.listener.listen(16)

    def record(self, **what):
        if self.record_file:
            with self.lock:
                self.record_file.write(json.dumps(what) + "\n")
                self.record_file.flush()

    def serve(self):
        while True:
            sock, _ = self.listener.accept()
            self.connections += 1
            threading.Thread(target=self.connection, daemon=True,
                             args=(sock, self.connections)).start()

    def connection(self, sock, number):
        try:
            if sock.family != socket.AF_UNIX:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.tls:
                sock = self.tls.wrap_socket(sock, server_side=True)
            while self.exchange(sock, number):
                pass
        except (OSError, Gone):
            pass
        finally:
            sock.close()

    @staticmethod
    def read(sock):
        """One request, and when its first byte was here."""
        data = sock.recv(65536)
        start = time.monotonic_ns()
        while b"\r\n\r\n" not in data:
            more = sock.recv(65536) if data else b""
            if not more:
                raise Gone
            data += more
        head, body = data.split(b"\r\n\r\n", 1)
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        length = int(length.group(1)) if length else 0
        while len(body) < length:
            more = sock.recv(65536)
            if not more:
                raise Gone
            body += more
        return Request(head, body), start

    def exchange(self, sock, number):
        """True when the connection stays."""
        request, start = self.read(sock)
        if request.method == "HEAD":
            self.record(warm=number, headers=request.headers)
            sock.sendall(b"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n")
            return True
        self.record(connection=number, path=request.path, line=request.line,
                    headers=request.headers, body=request.text)
        try:
            stays = self.answer(sock, request)
        except (OSError, Gone):
            self.record(dropped=request.mode)
            return False
        finally:
            self.record(server_ns=time.monotonic_ns() - start)
        return stays

    @staticmethod
    def send(sock, status, body, fields=""):
        sock.sendall(b"HTTP/1.1 %d Some Words\r\nContent-Type: "
                     b"application/json\r\nContent-Length: %d\r\n%s\r\n" %
                     (status, len(body), fields.encode()) + body)

    @staticmethod
    def wait_gone(sock, seconds=PATIENCE):
        """Until the client closes."""
        ready, _, _ = select.select([sock], [], [], seconds)
        if ready and not sock.recv(1):
            raise Gone

    def answer(self, sock, request):
        mode, model = request.mode, request.model
        good = text_of(request.nonce)
        if mode in TEXTS:
            text = TEXTS[mode](request.nonce, request.line)
            self.send(sock, 200, wrap(request, text))
        elif mode.startswith("s:"):
            text = TEXTS[mode[2:]](request.nonce, request.line)
            self.send(sock, 200, stream(request, text))
        elif mode == "late":
            self.wait_gone(sock, 0.3)
            self.send(sock, 200, wrap(request, good))
        elif mode == "streamed":
            self.send(sock, 200, stream(request, good))
        elif mode == "stream-cut":
            body = stream(request, good)
            self.send(sock, 200, body[:len(body) // 2].rpartition(b"\n")[0] +
                      b"\n")
        elif mode == "retry-late":
            self.send(sock, 429, b"{}", "Retry-After: 60\r\n")
        elif mode in ("retry-once", "retry-after"):
            self.retries += 1
            if self.retries % 2:
                self.send(sock, 503 if mode == "retry-once" else 429, b"{}",
                          "Retry-After: 1\r\n" if mode == "retry-after"
                          else "")
            else:
                self.send(sock, 200, wrap(request, good))
        elif mode in BODIES:
            self.send(sock, 200, BODIES[mode](good, model))
        elif mode.startswith("status-"):
            self.send(sock, int(mode[7:]), b'{"error":{"message":"no"}}')
        elif mode == "needs-key":
            if request.key() == "right":
                self.send(sock, 200, wrap(request, good))
            else:
                self.send(sock, 401, b'{"error":{"message":"no"}}')
        elif mode == "redirect-away":
            self.send(sock, 302, b"", "Location: http://127.0.0.2:%d/v1\r\n"
                      % self.port)
        elif mode == "redirect":
            self.send(sock, 307, b"", "Location: http://127.0.0.1:%d/allow"
                      "/v1/chat/completions\r\n" % self.port)
        elif mode in ("no-schema", "no-format", "no-temperature"):
            return self.picky(sock, request, good)
        else:
            return self.misbehave(sock, mode, wrap(request, good))
        return True

    def picky(self, sock, request, good):
        asked = request.structure()
        why = None
        if request.mode == "no-temperature":
            if '"temperature"' in request.text:
                why = "Unsupported value: 'temperature'"
        elif asked == "schema" or (asked and
                                        request.mode == "no-format"):
            why = "response_format: unknown"
        if why:
            body = json.dumps({"error": {"message": why}}).encode()
            self.send(sock, 400, body)
        else:
            self.send(sock, 200, wrap(request, good))
        return True

    def misbehave(self, sock, mode, body):
        if mode == "slow-headers":
            self.wait_gone(sock)
        elif mode == "slow-body":
            sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" %
                         len(body))
            for i in range(len(body)):
                sock.sendall(body[i:i + 1])
                self.wait_gone(sock, 0.3)
        elif mode == "stale":
            self.send(sock, 200, body, "Connection: keep-alive\r\n")
        elif mode == "half-envelope":
            sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" %
                         (len(body) + 10) + body)
        elif mode in ODD:
            return ODD[mode](sock, body)
        elif mode == "reset":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                            struct.pack("ii", 1, 0))
        elif mode == "endless-body":
            sock.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                sock.sendall(b" " * 65536)
        elif mode == "endless-headers":
            sock.sendall(b"HTTP/1.1 200 OK\r\n")
            while True:
                sock.sendall(b"X-More: and more\r\n" * 100)
        elif mode != "close":
            self.send(sock, 404, b'{"error":{"message":"no such model"}}')
            return True
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--record")
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"))
    parser.add_argument("--unix")
    parser.add_argument("--old-tls", action="store_true")
    parser.add_argument("--ipv6", action="store_true")
    args = parser.parse_args()
    server = Server(args.record, args.tls, args.unix, args.old_tls,
                    args.ipv6)
    threading.Thread(target=server.serve, daemon=True).start()
    print("port %d" % server.port, flush=True)
    while os.read(0, 4096):
        pass


if __name__ == "__main__":
    sys.exit(main())
