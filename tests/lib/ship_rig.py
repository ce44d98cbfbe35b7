# SPDX-License-Identifier: ISC
"""Servers that a record is sent to: good ones, and such as are not."""

import http.server
import json
import os
import re
import socket
import ssl
import struct
import threading

# RFC 5424, 6; in its own names.
SYSLOG = re.compile(
    rb"<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) "
    rb"([\x21-\x7e]{1,255}) (aegsh) (-) ([a-z-]{1,32}) "
    rb"(-|(?:\[[^ \]=\"]{1,32}(?: [^ \]=\"]{1,32}=\"(?:[^\"\\\]]|\\.)*\")*\])"
    rb"+) \xef\xbb\xbf(.*)", re.DOTALL)
PARAM = re.compile(rb" ([^ =]+)=\"((?:[^\"\\\]]|\\.)*)\"")


def message(data):
    """(priority, id, {parameter: value}, text); None: it is none."""
    m = SYSLOG.fullmatch(data)
    if m is None or any(b < 32 or b == 127 for b in data):
        return None
    data.decode("utf-8")
    params = {k.decode(): re.sub(rb"\\(.)", rb"\1", v).decode()
              for k, v in PARAM.findall(m.group(7))}
    return int(m.group(1)), m.group(6).decode(), params, m.group(8).decode()


def frames(data):
    """Of a stream with counted octets, RFC 6587, 3.4.1."""
    out = []
    while data:
        m = re.match(rb"([1-9]\d*) ", data)
        if m is None or len(data) < m.end() + int(m.group(1)):
            return out + [None]
        out.append(data[m.end():m.end() + int(m.group(1))])
        data = data[m.end() + int(m.group(1)):]
    return out


class Stream:
    """A syslog server; how: "good" reads to the end and closes, "hold" reads
    and does not close, "reset" and "full" (reads nothing) as they say, "mute"
    (of TLS) ends its own direction with its first words, and reads no more."""

    def __init__(self, how="good", context=None, most=1):
        self.how, self.context, self.most = how, context, most
        self.got, self.errors, self.ended = [], [], 0
        self.free = threading.Event()
        self.socket = socket.socket()
        if how == "full":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(8)
        self.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                c, _ = self.socket.accept()
            except OSError:
                return
            try:
                self.talk(c)
            except (OSError, ssl.SSLError) as e:
                self.errors.append(e)
            c.close()
            self.ended += 1

    def say_first_words(self, c):
        """Held back, so that what comes behind them comes with them."""
        c.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
        heard, said = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = self.context.wrap_bio(heard, said, server_side=True)
        while not said.pending:
            heard.write(c.recv(65536))
            try:
                tls.do_handshake()
            except ssl.SSLWantReadError:
                pass
        c.sendall(said.read())

    def talk(self, c):
        if self.how == "mute":
            self.say_first_words(c)
            c.shutdown(socket.SHUT_WR)
            self.free.wait()
            return
        if self.context is not None:
            c = self.context.wrap_socket(c, server_side=True)
        if self.how == "full":
            self.free.wait()
            return
        data = b""
        while True:
            more = c.recv(65536)
            data += more
            if self.how == "reset" and data:
                c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                             struct.pack("ii", 1, 0))
                c.close()
                return
            if not more:
                break
        self.got.append(data)
        if self.how == "hold":
            self.free.wait()
        c.close()

    def messages(self):
        return [message(f) for data in self.got for f in frames(data)]

    def close(self):
        self.free.set()
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class Collector:
    """OTLP/HTTP; answer(records) gives (status, headers, body)."""

    def __init__(self, answer=None):
        self.requests, self.headers, self.asked = [], [], 0
        self.answer = answer or (lambda records: (200, {}, b"{}"))
        rig = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                doc = json.loads(body)
                rig.asked += 1
                records = doc["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
                status, headers, answer = rig.answer(records)
                if status == 200:
                    rig.requests.append(doc)
                    rig.headers.append((self.path, dict(self.headers)))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                      Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()

    def records(self):
        return [r for doc in self.requests
                for r in doc["resourceLogs"][0]["scopeLogs"][0]["logRecords"]]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def values(pairs):
    """Attributes as a dict; numbers of 64 bits are strings on the way."""
    out = {}
    for pair in pairs:
        (kind, value), = pair["value"].items()
        assert kind in ("stringValue", "intValue", "boolValue"), kind
        assert kind != "intValue" or isinstance(value, str), value
        out[pair["key"]] = int(value) if kind == "intValue" else value
    return out


class Datagrams:
    """Taken as they come: a socket of this host holds but a few."""

    def __init__(self, path=None):
        if path is None:
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.socket.bind(("127.0.0.1", 0))
            self.port = self.socket.getsockname()[1]
        else:
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.socket.bind(path)
        self.path, self.got, self.open = path, [], True
        self.socket.settimeout(0.05)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                self.got.append(self.socket.recv(1 << 20))
            except socket.timeout:
                if not self.open:
                    return

    def close(self):
        """All that it got."""
        self.open = False
        self.thread.join()
        self.socket.close()
        if self.path is not None:
            os.unlink(self.path)
        return self.got
