#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The helper and what it keeps, under attack, through the built shell: killed
and stopped at any moment, from inside a confined line, by a full disk, by a
name server that is silent, and by thirty shells at once."""
import glob
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time

TOP = os.environ["abs_top_srcdir"]
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from procs import alive, children, command_line, until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
SANITIZED = b"__asan_" in open(program("aegsh-judge"), "rb").read()
UID = os.getuid() or 65534      # lines run as somebody who is not root
root, env = place()
home = env["HOME"]
record = os.path.join(root, "requests")
env["PATH"] = home + ":" + env["PATH"]
KEY = "sk-attack-0123456789abcdef"


def put(name, text, mode=0o644):
    path = os.path.join(root, name)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)
    if os.getuid() == 0 and not name.startswith("libexec"):
        os.chown(path, UID, UID)
    return path


put("home/frobnicate", "#!/bin/sh\necho \"ran-$1\"\n", 0o755)
shutil.copy("/bin/true", os.path.join(home, "frobinary"))
if os.getuid() == 0:
    for name in ("home", "own", "etc"):
        os.chown(os.path.join(root, name), UID, UID)


class Server:
    def __init__(self, *args):
        self.process = subprocess.Popen(
            ["/usr/bin/python3", os.path.join(TOP, "tests/lib/fake_llm.py"),
             "--record", record, *args], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        first = self.process.stdout.readline().split()
        self.port = int(first[1]) if first else None

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


server = Server()
BASE = "http://127.0.0.1:%d/v1" % server.port


def settings(*more, url=BASE, model="by-line"):
    put("etc/aegsh.conf", 'endpoint = "%s"\nmodel = "%s"\nprompt = "READY> "\n'
        'fail = block\n' % (url, model) + "".join(x + "\n" for x in more))


def session():
    s = Session([program("aegsh")], env=env, cwd=home, cols=400,
                uid=UID if os.getuid() == 0 else None)
    s.expect("READY> ")
    return s


def end(s):
    s.line("exit 0")
    tap.ok(s.wait() == 0, "exit is not held up", s.seen[-300:])
    s.close()


def helper(s):
    for pid in children(s.pid):
        if b"aegsh-judge" in command_line(pid) and alive(pid):
            return pid
    return 0


def helper_at_work(s):
    """Once there is one: kill(2) takes other numbers than a process's for all
    of a group, or all there are."""
    if not until(lambda: helper(s) > 0):
        tap.ok(False, "the session has a helper", s.seen[-300:])
        tap.done()
    return helper(s) or helper_at_work(s)


def asked():
    if not os.path.exists(record):
        return []
    with open(record) as f:
        return [r for r in map(json.loads, f) if "line" in r]


# -- Killed and stopped, at any moment -------------------------------------------
settings("ask-cache-ttl = 0", "ask-timeout = 60000")
s = session()
n = 0


def ask(mode):
    global n
    n += 1
    s.line("frobnicate %d mode=%s" % (n, mode))


def runs(what):
    ask("allow")
    tap.ok(s.expect("ran-%d\r" % n) and s.expect("READY> "),
           what + ": the next line is answered", s.seen[-400:])


runs("at the start")
for moment in range(20):
    before = len(asked())
    if moment % 4 == 3:
        os.kill(helper_at_work(s), signal.SIGKILL)
        runs("killed between questions (%d)" % moment)
        continue
    ask("late")
    until(lambda: len(asked()) > before)
    # From the arrival of the question to about when its answer comes.
    time.sleep(0.025 * moment)
    pid = helper(s)
    if pid > 0:
        os.kill(pid, signal.SIGKILL)
    found = s.expect(r"(ran-%d\r|blocked: [^\r]*).*?READY> " % n)
    tap.ok(found and (found.group(1).startswith(b"ran-") or b"the helper "
           b"aegsh-judge ended" in found.group(1)),
           "killed while asked (%d): answered or not run, and said" % moment,
           s.seen[-400:])
    runs("killed while asked (%d)" % moment)
for when in ("asked", "idle"):
    if when == "asked":
        before = len(asked())
        ask("late")
        until(lambda: len(asked()) > before)
        os.kill(helper_at_work(s), signal.SIGSTOP)
    else:
        os.kill(helper_at_work(s), signal.SIGSTOP)
        ask("allow")
    tap.ok(s.expect("Ctrl-C cancels"), "stopped while %s: a wait is shown" %
           when, s.seen[-300:])
    s.send("\x03")
    tap.ok(s.expect("READY> ") and b"no answer within" not in s.seen and
           b"ran-%d\r" % n not in s.seen, "stopped while %s: Ctrl-C gives "
           "the prompt back" % when, s.seen[-300:])
    os.kill(helper_at_work(s), signal.SIGKILL)
    runs("stopped while %s, then killed" % when)
end(s)
settings("ask-cache-ttl = 0", "ask-timeout = 1500")
s = session()
stopped = helper_at_work(s)
os.kill(stopped, signal.SIGSTOP)
ask("allow")
tap.ok(s.expect("no answer within 1500 ms") and s.expect("READY> "),
       "stopped: not answered in time, and said", s.seen[-300:])
tap.ok(until(lambda: not alive(stopped)), "and is killed")
end(s)

# -- From inside a line ------------------------------------------------------------
ATTACK = r'''#!/usr/bin/python3
import ctypes, json, os, signal, socket, sys
with open(os.path.dirname(os.path.abspath(sys.argv[0])) + "/what") as f:
    sys.argv += json.load(f)
libc = ctypes.CDLL(None, use_errno=True)
out = {}
def find(name):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as f:
                if name in f.read().split(b"\0")[0]:
                    with open("/proc/%s/status" % pid) as g:
                        if "Uid:\t%d\t" % os.getuid() in g.read():
                            yield int(pid)
        except OSError:
            pass
def attempt(name, f):
    try:
        r = f()
        out[name] = "done" if r is None or r is True else str(r)[:200]
    except OSError as e:
        out[name] = "no: " + os.strerror(e.errno)
def call(number, *args):
    r = libc.syscall(number, *args)
    if r < 0:
        raise OSError(ctypes.get_errno(), "x")
    return True
def read(path):
    with open(path, "rb") as f:
        return f.read(65536)
def steal(path):
    return "done" if sys.argv[2].encode() in read(path) else "not in it"
judges = [p for p in find(b"aegsh-judge") if p == int(sys.argv[1])]
out["found"] = len(judges)
p = int(sys.argv[1])
for sig in (0, signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
    attempt("kill %d" % sig, lambda: os.kill(p, sig))
    attempt("tgkill %d" % sig, lambda: call(234, p, p, sig))
def by_pidfd():
    signal.pidfd_send_signal(os.pidfd_open(p), signal.SIGKILL)
attempt("pidfd_send_signal", by_pidfd)
attempt("ptrace attach", lambda: call(101, 16, p, 0, 0))
attempt("ptrace seize", lambda: call(101, 0x4206, p, 0, 0))
attempt("pidfd_getfd", lambda: call(438, os.pidfd_open(p), 3, 0))
attempt("process_vm_readv", lambda: call(310, p, 0, 0, 0, 0, 0))
attempt("prlimit", lambda: call(302, p, 9, b"\0" * 16, 0))
for name in ("mem", "environ", "maps", "auxv", "fd/3"):
    attempt("proc " + name, lambda: read("/proc/%d/%s" % (p, name)) and None)
shell = int(sys.argv[3])
attempt("shell mem", lambda: read("/proc/%d/mem" % shell) and None)
attempt("shell environ", lambda: steal("/proc/%d/environ" % shell))
attempt("own environ", lambda: steal("/proc/self/environ"))
for fd in os.listdir("/proc/self/fd"):
    try:
        name = os.readlink("/proc/self/fd/" + fd)
    except OSError:
        continue
    if int(fd) > 2 and name.startswith("socket:"):
        s = socket.socket(fileno=os.dup(int(fd)))
        if s.type == socket.SOCK_SEQPACKET:
            out["fd " + fd] = "done"
for path in sys.argv[4:]:
    attempt("read " + os.path.basename(path), lambda: read(path) and None)
    attempt("write " + os.path.basename(path),
            lambda: os.close(os.open(path, os.O_WRONLY)))
    attempt("unlink " + os.path.basename(path), lambda: os.unlink(path))
    mine = os.environ["HOME"] + "/mine"
    open(mine, "w").close()
    attempt("replace " + os.path.basename(path),
            lambda: os.rename(mine, path))
    attempt("link " + os.path.basename(path),
            lambda: os.link(path, mine + "-link"))
print("ATTACK" + json.dumps(out) + "END")
'''


def landlock_abi():
    import ctypes
    return ctypes.CDLL(None, use_errno=True).syscall(444, None, 0, 1)


put("home/attack", ATTACK, 0o755)
settings("key-env = LLM_KEY", "ask-timeout = 30000", model="allow")
env["LLM_KEY"] = KEY
s = session()
del env["LLM_KEY"]
s.line("frobinary --first")
s.expect("READY> ")
pid = helper(s)
files = [p for name in ("state", "cache", "secret") for p in
         glob.glob(os.path.join(root, "own", "**", "judge." + name),
                   recursive=True)]
tap.same(len(files), 3, "the helper's files stand in the store")
# Not on the line: policy does not let it name the store.
put("home/what", json.dumps([str(pid), KEY[3:13], str(s.pid)] + files))
s.line("attack")
found = s.expect(r"ATTACK(\{.*?\})END")
tap.ok(found, "a line attacks", s.seen[-800:])
out = json.loads(found.group(1)) if found else {}
s.expect("READY> ")
tries = {k: v for k, v in out.items() if k != "found"}
for name, what in sorted(tries.items()):
    if landlock_abi() < 6 and ("kill" in name or "signal" in name):
        tap.skip("from a line, %s" % name, "signals are scoped since Landlock "
                 "ABI 6")
    elif SANITIZED and name.startswith("proc "):
        tap.skip("from a line, %s" % name, "a sanitizer needs it dumpable")
    else:
        tap.ok(what.startswith("no: ") or what == "not in it",
               "from a line, %s: in vain" % name, what)
tap.ok(len(tries) > 25, "all was tried", sorted(tries))
tap.ok(alive(pid) and helper(s) == pid, "the helper lives")
before = len(asked())
s.line("frobinary --after")
tap.ok(s.expect("READY> ") and len(asked()) == before + 1, "and answers",
       s.seen[-300:])
tap.ok(KEY.encode() not in s.seen, "no key was shown")
end(s)
tap.ok(not [r for r in asked() if KEY in r["body"]], "or sent as data")

# -- Thirty shells at once -----------------------------------------------------------
shutil.rmtree(os.path.join(root, "own"))
os.mkdir(os.path.join(root, "own"))
if os.getuid() == 0:
    os.chown(os.path.join(root, "own"), UID, UID)


def as_user():
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(UID)
        os.setuid(UID)


def start(line, **more):
    return subprocess.Popen([program("aegsh"), "-c", line], env=env, cwd=home,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, preexec_fn=as_user,
                            start_new_session=True, **more)


def thirty(line):
    all = [start(line % i) for i in range(30)]
    return [(p.communicate(timeout=240), p.returncode) for p in all]


def state():
    path = glob.glob(os.path.join(root, "own", "**", "judge.state"),
                     recursive=True)[0]
    with open(path, "rb") as f:
        data = f.read()
    return struct.unpack_from("<8sqQqQQQQ", data)


settings("ask-cache-ttl = 0", "ask-timeout = 60000", model="allow")
before = len(asked())
done = thirty("frobinary --%d")
tap.ok(all(code == 0 for _, code in done), "thirty shells: all answered",
       [d for d in done if d[1] != 0])
tap.same((len(asked()) - before, state()[4], state()[5]), (30, 30, 3000),
         "each question is counted once, and its tokens")
settings("ask-timeout = 60000", model="allow")
thirty("frobinary --same; : %d")
before = len(asked())
done = thirty("frobinary --same; : %d")
tap.ok(all(code == 0 for _, code in done) and len(asked()) == before,
       "thirty shells: remembered answers serve all",
       (len(asked()) - before, [d for d in done if d[1] != 0]))
settings("ask-cache-ttl = 0", "ask-timeout = 60000", "ask-rate = 5",
         model="allow")
before, began = len(asked()), time.monotonic()
done = thirty("frobinary --%d")
count = len(asked()) - before
tap.ok(count <= 5 + 1 + (time.monotonic() - began) / 12 and
       sum(code == 0 for _, code in done) == count,
       "thirty shells: no more than the rate lets through", count)
tap.ok(all(code == 0 or b"more than 5 questions a minute" in text[1]
           for text, code in done), "and the others are told why", done)

# -- IPv6 ------------------------------------------------------------------------------
v6 = Server("--ipv6")
if v6.port is None:
    tap.skip("over IPv6", "this machine has no ::1")
else:
    settings("ask-cache-ttl = 0", "ask-timeout = 60000",
             url="http://[::1]:%d/v1" % v6.port, model="allow")
    p = start("frobnicate v6")
    tap.same(p.communicate(timeout=120)[0], b"ran-v6\n", "over IPv6")
    v6.end()

# -- Mounts of our own: a full disk, a silent name server --------------------------------
INSIDE = ["a full disk: nobody is asked, and it is said why",
          "with room again, the line is answered",
          "a silent name server: not answered in time, and said",
          "which does not hold up the end of the shell"]


def inside():
    """In a mount namespace of our own (as root)."""
    own = os.path.join(root, "own")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k,mode=0755", "x",
                    own], check=True)
    os.chown(own, UID, UID)
    settings("ask-timeout = 60000", model="allow")
    with open(os.path.join(own, "filler"), "wb", 0) as f:
        try:
            while True:
                f.write(b"x" * 4096)
        except OSError:
            pass
    p = start("frobnicate full")
    text = p.communicate(timeout=120)
    tap.ok(p.returncode == 126 and text[0] == b"" and
           b"the budget cannot be" in text[1], INSIDE[0], text)
    os.unlink(os.path.join(own, "filler"))
    subprocess.run(["mount", "-o", "remount,size=64m", own], check=True)
    p = start("frobnicate room")
    tap.same(p.communicate(timeout=120)[0], b"ran-room\n", INSIDE[1])
    import socket
    mute = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    mute.bind(("127.0.0.91", 53))
    conf = put("etc/resolv.conf", "nameserver 127.0.0.91\n"
               "options timeout:30 attempts:5\n")
    subprocess.run(["mount", "--bind", conf, os.path.realpath(
        "/etc/resolv.conf")], check=True)
    settings("ask-timeout = 1500", url="https://llm.example.org/v1",
             model="allow")
    began = time.monotonic()
    p = start("frobnicate dns")
    text = p.communicate(timeout=240)
    tap.ok(p.returncode == 126 and text[0] == b"" and
           b"no answer within" in text[1], INSIDE[2], text)
    tap.ok(time.monotonic() - began < 29, INSIDE[3],
           time.monotonic() - began)
    mute.close()


why = None
if os.getuid() != 0:
    why = "only root has mounts of its own"
else:
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    MS_REC_PRIVATE = 0x4000 | 0x40000
    if libc.unshare(0x00020000) != 0 or \
            libc.mount(b"none", b"/", None, MS_REC_PRIVATE, None) != 0:
        why = "no mount namespace can be made here"
if why is None:
    inside()
else:
    for name in INSIDE:
        tap.skip(name, why)
server.end()
tap.done()
