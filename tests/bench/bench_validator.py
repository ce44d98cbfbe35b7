#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""What asking costs besides the model: time of validator_ask() minus the time
that the server took, over one warm connection, question by question, as
microseconds and as a ratio to a bare exchange of the same bytes with the
same server; and what an answer out of the cache costs.

    bench_validator.py [COUNT]"""
import os
import shutil
import socket
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from ask_rig import Asker, Model, Root  # noqa: E402
from pty_session import Session, place, program  # noqa: E402

count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
root = Root()
model = Model(root)
asker = Asker(root, "endpoint=http://127.0.0.1:%d/v1" % model.port,
              "model=allow")
asker.ask()
asker.ask()


def server_times(wanted):
    """The last server times, once the server has written them all."""
    while True:
        times = [r["server_ns"] for r in root.records() if "server_ns" in r]
        if len(times) >= wanted:
            return times
        time.sleep(0.01)


before = len(server_times(2))
asker.send(b"bench %d\n" % count)
asked = [int(asker.read()) for _ in range(count)]
served = server_times(before + count)[before:]
over = [a - s for a, s in zip(asked, served)]

request = [r for r in root.records() if "body" in r][-1]
body = request["body"].encode()
head = b"POST %s HTTP/1.1\r\n" % request["path"].encode()
for name, value in request["headers"].items():
    head += ("%s: %s\r\n" % (name, value)).encode()
sock = socket.create_connection(("127.0.0.1", model.port))
sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
bare = []
for _ in range(count):
    start = time.monotonic_ns()
    sock.sendall(head + b"\r\n" + body)
    sock.recv(65536)
    bare.append(time.monotonic_ns() - start)
asker.end()

cold = []
for _ in range(20):
    asker = Asker(root, "endpoint=http://127.0.0.1:%d/v1" % model.port,
                  "model=allow")
    cold.append(asker.ask().ns)
    asker.end()

store = root.path("store")
os.mkdir(store, 0o700)
asker = Asker(root, "endpoint=http://127.0.0.1:%d/v1" % model.port,
              "model=allow", store=store)
asker.send(b"settled\n")
asker.send(b"bench %d\n" % (count + 1))
cached = [int(asker.read()) for _ in range(count + 1)][1:]
assert asker.ask("tar -czf /tmp/site.tar.gz /srv/site").cached
asker.end()

# From Enter to what the line itself sees first, asked and not asked: the
# difference, minus the server's time, is what asking adds.
top, env = place()
home = env["HOME"]
env["PATH"] = home + ":" + env["PATH"]
shutil.copy("/bin/true", os.path.join(home, "unknown-program"))
LINE = "echo $EPOCHREALTIME; unknown-program"


def enter_to_start(mode, rounds):
    with open(os.path.join(top, "etc/aegsh.conf"), "w") as f:
        f.write('prompt = "READY> "\nask-cache-ttl = 0\n')
        if mode:
            f.write('endpoint = "http://127.0.0.1:%d/v1"\nmodel = "%s"\n' %
                    (model.port, mode))
    s = Session([program("aegsh")], env=env, cwd=home)
    s.expect("READY> ")
    times = []
    for _ in range(rounds + 2):
        served = len(server_times(0))
        start = time.time()
        s.line(LINE)
        began = float(s.expect(rb"(\d{9,}\.\d+)\r?\n").group(1))
        took = (began - start) * 1e9
        s.expect("READY> ")
        if mode:
            took -= server_times(served + 1)[-1]
        times.append(took)
    s.line("exit")
    s.wait()
    s.close()
    return times[2:]


unasked = statistics.median(enter_to_start(None, 60))
through = {m: statistics.median(enter_to_start(m, n)) - unasked
           for m, n in (("allow", 60), ("late", 15))}

median = statistics.median(over)
print("validator_ask() minus server, warm: median %.0f us, 95 %% %.0f us "
      "(budget 1500)" % (median / 1e3,
                         sorted(over)[int(count * 0.95)] / 1e3))
print("validator_ask() / bare exchange of the same bytes: %.2f" %
      (statistics.median(asked) / statistics.median(bare)))
print("first question, helper not started: median %.1f ms" %
      (statistics.median(cold) / 1e6))
kept = statistics.median(cached)
print("out of the cache: median %.0f us, 95 %% %.0f us (budget 50)" %
      (kept / 1e3, sorted(cached)[int(count * 0.95)] / 1e3))
for name, took in (("at once", through["allow"]),
                   ("after 300 ms", through["late"])):
    print("from Enter to bash's start, server answers %s: %.0f us more than "
          "not asked, without the server (budget 1500)" % (name, took / 1e3))
sys.exit(median > 1.5e6 or kept > 5e4 or max(through.values()) > 1.5e6)
