# SPDX-License-Identifier: ISC
"""addresses = record: what the programs of a line connect and send to is on
record, whether it is reached or not, and the line runs as without.

As root the lines run as a uid that nobody has."""
import json
import os
import socket
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from tap import Tap  # noqa: E402
from user_rig import HOME, install, profile, run  # noqa: E402

tap = Tap()
AEGSH, CTL = install("aegsh"), install("aegshctl")


def events():
    out = run(CTL, "audit", "events", "-n", "0")[1]
    return [line.split("  ")[-1].split(": ", 1)[1]
            for line in out.splitlines() if " address " in line]


def labels():
    out = run(CTL, "audit", "events", "-n", "0")[1]
    return [line.split("  ")[-1].split(": ", 1)[0].strip()
            for line in out.splitlines() if " address " in line]


listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(8)
port = listener.getsockname()[1]
with open(HOME + "/net.py", "w") as f:
    f.write("""
import socket, sys, threading
port = int(sys.argv[1])
socket.create_connection(("127.0.0.1", port)).close()
socket.create_connection(("127.0.0.1", port)).close()
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.sendto(b"x", ("127.0.0.1", 9))
u.sendmsg([b"y"], [], 0, ("127.0.0.1", 10))
u.connect(("127.0.0.1", 11))
s = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
try:
    s.connect(("::1", 1))
except OSError:
    pass
s = socket.socket(socket.AF_UNIX)
try:
    s.connect("/nonexistent/\\x1b[2J")
except OSError:
    pass
t = threading.Thread(target=socket.socket().connect_ex,
                     args=(("127.0.0.1", 12),))
t.start()
t.join()
a, b = socket.socketpair()
a.sendmsg([b"pair"])
print(b.recv(9).decode())
""")
LINE = "/usr/bin/python3 net.py %d; :" % port
WANT = sorted(["tcp 127.0.0.1:%d" % port, "udp 127.0.0.1:9",
               "udp 127.0.0.1:10", "udp 127.0.0.1:11", "tcp [::1]:1",
               "tcp 127.0.0.1:12"])

profile("addresses = record")
out = run(AEGSH, "-c", "echo on")
tap.ok(out[1] == "" and "addresses = record needs supervise = all" in out[2],
       "it needs a supervisor", out)
profile("supervise = all")
out = run(AEGSH, "-c", LINE)
if out[1] != "pair\n":
    tap.skip("everything", "no line runs here: %r" % (out,))
    tap.done()
tap.same(events(), [], "nothing is on record where nobody asked for it")
profile("supervise = all", "addresses = record")
tap.same(run(AEGSH, "-c", LINE), (0, "pair\n", ""),
         "the line runs as without")
got = events()
tap.same(sorted(a for a in got if not a.startswith("unix")), WANT,
         "each address once, reached or not")
tap.ok([a for a in got if a.startswith("unix /nonexistent/")] and
       "\033" not in "".join(got), "names of sockets, inert", got)
before = len(got)
out = run(AEGSH, data="echo a\n%s\necho b\n" % LINE)
tap.ok(out[1] == "a\npair\nb\n" and len(events()) == 2 * before,
       "and of commands on standard input", out, events())
rows = [json.loads(row) for row in run(
    CTL, "history", "--json", "-n", "0")[1].splitlines()]
shown = run(CTL, "audit", "show", "--json", str(
    [r["id"] for r in rows if r["line"].strip() == LINE][-1]))[1]
tap.ok(labels()[-1] in shown,
       "as those of the one that wanted them", labels(), shown)
with open(HOME + "/many.py", "w") as f:
    f.write("""import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for n in range(1, 1200):
    s.connect(("127.0.0.1", n))
""")
before = len(events())
out = run(AEGSH, "-c", "/usr/bin/python3 many.py; :")
got = events()[before:]
tap.ok(len(got) == 1001 and sum("others, which are left out" in a
                                for a in got) == 1,
       "past a thousand it says that there were others", out, len(got))
tap.done()
