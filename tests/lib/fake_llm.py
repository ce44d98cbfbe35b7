#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""A language model for tests: OpenAI's chat completions on 127.0.0.1, with
answers, and with every way of not answering that a judge must survive.

    fake_llm.py [--record FILE] [--tls CERT KEY] [--unix PATH]

prints "port N" and serves until standard input ends.  What it does is
chosen by the model's name, or by the first component of the path when that
is not "v1" (/slow-body/v1/chat/completions).  MODES below lists the names;
"rules" answers by words of the line: block, warn or allow.

FILE gets JSON objects, one a line: connection, path, line, headers and body
of a request that has arrived, before it is answered; {"dropped": MODE} when
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


def envelope(text, model, **change):
    whole = {"id": "x", "object": "chat.completion", "model": model,
             "choices": [{"index": 0, "finish_reason": "stop", "message":
                          {"role": "assistant", "content": text}}],
             "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
    whole.update(change)
    return json.dumps(whole).encode()


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
    "needs-key"]


class Request:
    def __init__(self, head, body):
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.path, _ = lines[0].split(" ", 2)
        self.headers = {k.strip().lower(): v.strip() for k, v in
                        (line.split(":", 1) for line in lines[1:])}
        self.text = body.decode("utf-8")
        self.body = json.loads(self.text)
        self.model = self.body.get("model", "")
        first = self.path.split("/")[1]
        self.mode = self.model if first == "v1" else first
        system = self.body["messages"][0]["content"]
        self.nonce = re.search("nonce of this request is ([0-9a-f]{32})",
                               system).group(1)
        user = self.body["messages"][1]["content"]
        data = user.split("\n")[1]
        self.line = json.loads(data)["line"]["text"]


class Server:
    def __init__(self, record=None, tls=None, unix=None):
        self.record_file = open(record, "a") if record else None
        self.lock = threading.Lock()
        self.connections = 0
        self.tls = None
        if tls:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(*tls)
        if unix:
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(unix)
            self.port = 0
        else:
            self.listener = socket.socket()
            self.listener.bind(("127.0.0.1", 0))
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
            if sock.family == socket.AF_INET:
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
        length = int(re.search(rb"(?i)content-length: *(\d+)",
                               head).group(1))
        while len(body) < length:
            more = sock.recv(65536)
            if not more:
                raise Gone
            body += more
        return Request(head, body), start

    def exchange(self, sock, number):
        """True when the connection stays."""
        request, start = self.read(sock)
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
            self.send(sock, 200, envelope(text, model))
        elif mode in BODIES:
            self.send(sock, 200, BODIES[mode](good, model))
        elif mode.startswith("status-"):
            self.send(sock, int(mode[7:]), b'{"error":{"message":"no"}}')
        elif mode == "needs-key":
            if request.headers.get("authorization") == "Bearer right":
                self.send(sock, 200, envelope(good, model))
            else:
                self.send(sock, 401, b'{"error":{"message":"no"}}')
        elif mode == "redirect":
            self.send(sock, 307, b"", "Location: http://127.0.0.1:%d/allow"
                      "/v1/chat/completions\r\n" % self.port)
        elif mode in ("no-schema", "no-format", "no-temperature"):
            return self.picky(sock, request, good)
        else:
            return self.misbehave(sock, mode, envelope(good, model))
        return True

    def picky(self, sock, request, good):
        asked = request.body.get("response_format", {}).get("type")
        why = None
        if request.mode == "no-temperature":
            if "temperature" in request.body:
                why = "Unsupported value: 'temperature'"
        elif asked == "json_schema" or (asked and
                                        request.mode == "no-format"):
            why = "response_format: unknown"
        if why:
            body = json.dumps({"error": {"message": why}}).encode()
            self.send(sock, 400, body)
        else:
            self.send(sock, 200, envelope(good, request.model))
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
    args = parser.parse_args()
    server = Server(args.record, args.tls, args.unix)
    threading.Thread(target=server.serve, daemon=True).start()
    print("port %d" % server.port, flush=True)
    while os.read(0, 4096):
        pass


if __name__ == "__main__":
    sys.exit(main())
