#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""HTTP/2 over TLS, as nginx speaks it, with the fake model behind it: one
connection for all questions, and what goes wrong in one of them."""
import atexit
import os
import re
import shutil
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from ask_rig import Asker, Model, Root  # noqa: E402
from procs import until  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
nginx = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
if nginx is None or shutil.which("openssl") is None:
    tap.skip("HTTP/2", "no nginx or no openssl program")
    tap.done()
root = Root()
model = Model(root)
free = socket.socket()
free.bind(("127.0.0.1", 0))
port = free.getsockname()[1]
free.close()


def openssl(*args):
    subprocess.run(["openssl", *args], check=True, cwd=root.dir,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
openssl("req", "-x509", *new, "-days", "2", "-subj", "/CN=Throw-away",
        "-keyout", "ca.key", "-out", "ca.pem")
openssl("req", *new, "-subj", "/CN=x", "-keyout", "x.key", "-out", "x.csr")
root.write("x.ext", "subjectAltName=IP:127.0.0.1")
openssl("x509", "-req", "-in", "x.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
        "-CAcreateserial", "-days", "2", "-extfile", "x.ext", "-out", "x.pem")
paths = "".join("%s_temp_path %s/tmp-%s;\n" % (x, root.dir, x) for x in (
    "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
root.write("nginx.conf", """
daemon off;
master_process off;
pid %(d)s/nginx.pid;
error_log %(d)s/error.log;
events { }
http {
	%(paths)s
	log_format h2 "$server_protocol $connection $request_method $status";
	access_log %(d)s/access.log h2;
	server {
		listen 127.0.0.1:%(port)d ssl http2;
		ssl_certificate %(d)s/x.pem;
		ssl_certificate_key %(d)s/x.key;
		location / {
			proxy_pass http://127.0.0.1:%(model)d;
			proxy_buffering off;
			proxy_read_timeout 60s;
		}
	}
}
""" % {"d": root.dir, "paths": paths, "port": port, "model": model.port},
           0o644)
proxy = subprocess.Popen(
    [nginx, "-p", root.dir, "-e", root.path("error.log"), "-c",
     root.path("nginx.conf")], stdin=subprocess.DEVNULL,
    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
atexit.register(proxy.wait)
atexit.register(proxy.kill)


def listens():
    s = socket.socket()
    try:
        return s.connect_ex(("127.0.0.1", port)) == 0
    finally:
        s.close()


if not until(lambda: listens() or proxy.poll() is not None) or \
        proxy.poll() is not None:
    tap.skip("HTTP/2", "nginx does not start here: %r" %
             proxy.stderr.read().decode()[-200:].replace("#", ""))
    tap.done()


def log():
    with open(root.path("access.log")) as f:
        return [line.split() for line in f]


def asker(*settings):
    return Asker(root, "endpoint=https://127.0.0.1:%d/v1" % port,
                 "model=by-line", "ca-file=" + root.path("ca.pem"), *settings)


a = asker("ask-timeout=60000")
a.send(b"warm\n")
tap.ok(until(lambda: len(log()) == 1), "a connection is opened ahead")
for i in range(3):
    r = a.ask("ls %d" % i)
    tap.same((r.status, r.action), ("answered", "allow"), "a question")
tap.ok(until(lambda: len(log()) == 4), "four requests", log())
tap.same([(x[0], x[1], x[2]) for x in log()],
         [("HTTP/2.0", log()[0][1], m) for m in
          ("HEAD", "POST", "POST", "POST")],
         "HTTP/2, and one connection for all")
for mode, words in (("status-500", "HTTP 500"), ("half", "not one JSON"),
                    ("huge", "longer than"), ("close", "HTTP 502"),
                    ("redirect", "redirects are not followed"),
                    ("streamed", None), ("chunked", None)):
    r = a.ask("ls mode=" + mode)
    tap.ok(r.status == "answered" if words is None else
           r.status == "failed" and words in r.reason,
           "%s: as over HTTP/1.1" % mode, r)
    tap.same(a.ask("ls after %s" % mode).status, "answered",
             "%s: and the next question is answered" % mode)
a.end()
reader, writer = os.pipe()
a = Asker(root, "endpoint=https://127.0.0.1:%d/v1" % port, "model=by-line",
          "ca-file=" + root.path("ca.pem"), "ask-timeout=60000",
          cancel=reader)
a.start("ls mode=slow-headers")
tap.ok(root.wait_arrival("ls mode=slow-headers"), "a silent answer")
os.write(writer, b"x")
start = time.monotonic()
tap.ok(a.read().startswith("cancelled") and time.monotonic() - start < 50,
       "is taken back at once")
tap.ok(root.wait_record(lambda x: x.get("dropped") == "slow-headers"),
       "and dropped")
os.read(reader, 1)
tap.same(a.ask("ls again").status, "answered", "the next one is answered")
a.end()
a = asker("ask-timeout=1000")
r = a.ask("ls mode=endless-body")
tap.ok(r.status == "failed", "an endless answer ends", r)
r = a.ask("ls mode=slow-body")
tap.ok(r.status == "failed" and re.search(r"\d+ ms", r.reason), "and a slow one", r)
a.end()
tap.ok(root.stderr_clean(), "nothing was said on standard error")
tap.done()
