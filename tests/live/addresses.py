# SPDX-License-Identifier: ISC
"""addresses = record: what the programs of a line connect and send to is on
record, whether it is reached or not, and the line runs as without.

As root the lines run as a uid that nobody has."""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from exec_rig import unused_uid  # noqa: E402
from procs import DEADLINE  # noqa: E402
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
ROOT, ENV = place()
IS_ROOT = os.getuid() == 0
UID = unused_uid() if IS_ROOT else os.getuid()
HOME = ENV["HOME"]
ENV["AEGSH_TEST_OPERATOR"] = str(os.getuid())
if os.environ.get("SANITIZED"):
    ENV["ASAN_OPTIONS"] = "detect_leaks=0"
for name in ("aegsh", "aegshctl"):
    shutil.copy(program(name), ROOT)
    os.chmod("%s/%s" % (ROOT, name), 0o755)
os.mkdir(ROOT + "/etc/sandbox.d")


def own(path):
    if IS_ROOT:
        os.chown(path, UID, UID)
    return path


def profile(*lines):
    with open(os.environ["abs_top_srcdir"] +
              "/share/sandbox/admin.conf") as f:
        text = f.read()
    with open(ROOT + "/etc/sandbox.d/admin.conf", "w") as f:
        f.write(text + "".join(line + "\n" for line in lines))


def become():
    for sig in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(sig, signal.SIG_DFL)
    if IS_ROOT:
        os.setgroups([])
        os.setgid(UID)
        os.setuid(UID)


def run(*argv, data=None):
    p = subprocess.run(argv, cwd=HOME, env=ENV, input=data,
                       stdin=None if data else subprocess.DEVNULL,
                       capture_output=True, text=True, timeout=DEADLINE,
                       preexec_fn=become, start_new_session=True)
    return p.returncode, p.stdout, p.stderr


def events():
    out = run(ROOT + "/aegshctl", "audit", "events", "-n", "0")[1]
    return [line.split("  ")[-1].split(": ", 1)[1]
            for line in out.splitlines() if " address " in line]


def labels():
    out = run(ROOT + "/aegshctl", "audit", "events", "-n", "0")[1]
    return [line.split("  ")[-1].split(": ", 1)[0].strip()
            for line in out.splitlines() if " address " in line]


own(HOME)
os.mkdir(ROOT + "/own/aegsh-%d" % UID, 0o700)
own(ROOT + "/own/aegsh-%d" % UID)
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
out = run(ROOT + "/aegsh", "-c", "echo on")
tap.ok(out[1] == "" and "addresses = record needs supervise = all" in out[2],
       "it needs a supervisor", out)
profile("supervise = all")
out = run(ROOT + "/aegsh", "-c", LINE)
if out[1] != "pair\n":
    tap.skip("everything", "no line runs here: %r" % (out,))
    tap.done()
tap.same(events(), [], "nothing is on record where nobody asked for it")
profile("supervise = all", "addresses = record")
tap.same(run(ROOT + "/aegsh", "-c", LINE), (0, "pair\n", ""),
         "the line runs as without")
got = events()
tap.same(sorted(a for a in got if not a.startswith("unix")), WANT,
         "each address once, reached or not")
tap.ok([a for a in got if a.startswith("unix /nonexistent/")] and
       "\033" not in "".join(got), "names of sockets, inert", got)
before = len(got)
out = run(ROOT + "/aegsh", data="echo a\n%s\necho b\n" % LINE)
tap.ok(out[1] == "a\npair\nb\n" and len(events()) == 2 * before,
       "and of commands on standard input", out, events())
rows = [json.loads(row) for row in run(
    ROOT + "/aegshctl", "history", "--json", "-n", "0")[1].splitlines()]
shown = run(ROOT + "/aegshctl", "audit", "show", "--json", str(
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
out = run(ROOT + "/aegsh", "-c", "/usr/bin/python3 many.py; :")
got = events()[before:]
tap.ok(len(got) == 1001 and sum("others, which are left out" in a
                                for a in got) == 1,
       "past a thousand it says that there were others", out, len(got))
tap.done()
