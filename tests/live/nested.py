# SPDX-License-Identifier: ISC
"""Aegsh inside of a line of aegsh: the inner one asks the outer, which judges
by its own rules and records; nothing that the line does to either of them, or
to the way between them, lets a line run with less.

As root the lines run as a uid that nobody has, but for those at the end."""
import json
import os
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from procs import DEADLINE, alive, children, until  # noqa: E402
from pty_session import Session, program  # noqa: E402
from tap import Tap  # noqa: E402
from user_rig import (  # noqa: E402
    ENV, HOME, IS_ROOT, ROOT, UID, install, popen, run, settings, write)

tap = Tap()
A = install("aegsh", HOME)
CTL = program("aegshctl")
PROMPT = "READY> "
BLOCKED = "nc -e sh 127.0.0.1 1"


def outer(line, *args, env=None):
    """A line of an aegsh that is not a call of aegsh alone, as which it would
    be taken."""
    return run(A, "-c", ":; " + line, *args, env=env)


def history(*words):
    out = run(CTL, "history", "--json", "-n", "0", *words)[1]
    return [json.loads(text) for text in out.splitlines()]


def rows(text):
    return [r for r in history() if r["line"] == text]


settings('prompt = "%s"' % PROMPT)

# ---- the entrances --------------------------------------------------------
probe = outer("%s -c 'echo in'" % A)
if "is gone or cannot be asked" in probe[2]:
    tap.skip("everything", "no listener can be had here: " + probe[2])
    tap.done()
tap.same(probe, (0, "in\n", ""), "a command inside of a line")
write("s", "echo script $1 $0\nexit 7\n")
for name, line, want in (
        ("its status", "%s -c 'exit 3'; echo $?", "3\n"),
        ("its arguments", "%s -c 'echo $0 $1' a 'b c'", "a b c\n"),
        ("options of bash", "%s -o pipefail -c 'false | true'; echo $?",
         "1\n"),
        ("death by a signal", "%s -c 'kill -TERM $$'; echo $?", "143\n"),
        ("standard input", "echo x | %s -c 'read -r y; echo got $y'",
         "got x\n"),
        ("directory and variables", "cd /usr; export V=w; %s -c "
         "'pwd; echo $V'", "/usr\nw\n"),
        ("a script", "%s s one; echo $?", "script one s\n7\n"),
        ("a stream", "printf 'x=1\\necho $x\\nexit 4\\n' | %s; echo $?",
         "1\n4\n"),
        ("aegsh in aegsh in aegsh", "%s -c ':; " + A + " -c \"echo deep\"'",
         "deep\n"),
        ("no word of it in the environment", "%s -c 'env' | grep -ci "
         "'aegsh_[^t]'", "0\n"),
        ("no descriptor of it", "%s -c 'ls /proc/self/fd' | wc -l", "4\n"),
        ("a large environment", "export L=$(printf %%0100000d 1) "
         "M=$(printf %%0100000d 1); %s -c 'echo ${#L}${#M}'",
         "100000100000\n")):
    got = outer(line % A)
    tap.ok(got[1] == want and got[2] == "" or (
        name == "death by a signal" and got[1] == want),
        "inside: " + name, repr(got))
write("h", "printf 'y=2\\necho $y\\n' | %s -c 'bash -s'\n%s -c \"echo %s| wc "
      "-w\"\n" % (A, A, 20000 * "long "), 0o755)
tap.same(outer("./h"), (0, "2\n20000\n", ""),
         "inside: a shell that reads, and a long line")
status, out, err = run(A, "-l", "-c", ":; %s -l -c 'echo login'" % A)
tap.same((status, out, err), (0, "login\n", ""), "inside: a login shell")

# ---- what looks at the system, from there ----------------------------------
shutil.copy(CTL, HOME + "/ctl")
os.chmod(HOME + "/ctl", 0o755)
for verb in ("sandbox probe", "doctor", "doctor --json"):
    status, out, err = outer("./ctl " + verb)
    tap.ok(status in (0, 1) and "in a line of aegsh" in err and
           err.count("\n") == 1 and "nothing is wrong\n" not in out,
           verb + ": says where it looks from", status, out, err)
    tap.ok("in a line of aegsh" not in run(HOME + "/ctl", *verb.split())[2],
           verb + ": and only there")
status, out, err = outer("./ctl doctor --sandbox")
tap.ok(status == 111 and out == "" and "outside" in err,
       "doctor --sandbox: tries nothing there", status, out, err)
os.unlink(HOME + "/ctl")

# ---- the record -----------------------------------------------------------
outer("%s -c 'echo on-record \"$1\"' zero one; %s -c 'exit 9'" % (A, A))
inner = rows("echo on-record \"$1\"")
tap.ok(len(inner) == 1 and inner[0]["status"] == 0 and
       inner[0]["origin"] == "command" and inner[0]["decision"] == "allow",
       "a line inside has a row of its own in the outer's store", inner)
tap.same([r["status"] for r in rows("exit 9")], [9], "with its status")
around = [r for r in history() if r["line"].startswith(":; %s -c 'echo "
                                                       "on-record" % A)]
events = run(CTL, "audit", "events", "--kind", "inside", "--json")[1]
links = [json.loads(text) for text in events.splitlines()]
uuid = around[0].get("uuid") or run(
    CTL, "audit", "show", "--json", str(around[0]["id"]))[1]
tap.ok(any(link.get("session") == inner[0]["session"] and
           link["text"] in uuid for link in links),
       "and its session the line around as its parent", events, around,
       inner)
# The lines of a standard input are one bash's, with one host.
units = ["%s -c 'echo in unit %d'" % (A, n) for n in (1, 2, 3)]
status, out, err = run(A, "-s", data="echo first\n" + "\n".join(units) + "\n")
events = run(CTL, "audit", "events", "--kind", "inside", "--json")[1]
links = [json.loads(text) for text in events.splitlines()]
got = []
for n, unit in enumerate(units, 1):
    within = rows("echo in unit %d" % n)
    shown = run(CTL, "audit", "show", "--json", str(rows(unit + "\n")[0]["id"]))[1]
    got.append([link["text"] in shown for link in links
                if link.get("session") == within[0]["session"]])
tap.same((status, err, got), (0, "", [[True]] * 3), "of several, each that in "
         "which it was started")
outer("export TOKEN_SECRET=hunter2hunter2; %s -c 'echo hunter2hunter2'" % A)
tap.ok("hunter2hunter2" not in "".join(
    r["line"] for r in history() if r["line"].startswith("echo [")),
       "without its secrets")

# ---- whose rules hold -------------------------------------------------------
def refused(got, name, text="blocked: ", status=126):
    tap.ok(got[0] == status and got[1] == "" and got[2].count("\n") == 1 and
           text in got[2], name, repr(got))


refused(outer("%s -c \"$T\"" % A, env={"T": BLOCKED}),
        "a line inside is judged")
last = rows(BLOCKED)
tap.ok(len(last) == 1 and last[0]["decision"] == "block",
       "and its refusal recorded", last)
refused(outer("echo \"$T\" | %s" % A, env={"T": "true\n" + BLOCKED}),
        "so is a stream's")
write("hidden", BLOCKED + "\n")
refused(outer("%s $T" % A, env={"T": "hidden"}), "so is a script's")
write("c", "fail = policy\nprofile = full-auto\n")
write("p", 'rule "mine" {\n\tdecision = allow\n\treason = "mine"\n'
      '\tcommand = { nc }\n}\n')
for name, line in (("settings of the user's", "mkdir -p "
                    ".config/aegsh/policy.d; cp c .config/aegsh/aegsh.conf; "
                    "cp p .config/aegsh/policy.d/10.conf; %s -c \"$T\""),
                   ("another home", "HOME=/tmp %s -c \"$T\""),
                   ("the environment", "AEGSH_PROFILE=full-auto AEGSH_X=1 "
                    "%s -c \"$T\""),
                   ("an empty environment", "env -i AEGSH_TEST_ROOT=%s "
                    "AEGSH_TEST_DATA=%s " % (ROOT, ENV["AEGSH_TEST_DATA"]) +
                    "%s -c \"$T\"")):
    refused(outer(line % A, env={"T": BLOCKED}),
            "they are the outer's: " + name)
    shutil.rmtree(HOME + "/.config", True)
refused(outer("%s --profile full-auto -c 'echo never'" % A),
        "another profile is none of its own", "profile full-auto: inside")
refused(outer("%s -o fail=policy -c 'echo never'" % A),
        "nor are settings that judge", "fail=policy: inside", status=2)
tap.same(outer("%s -o debug=no -c 'echo yes'" % A)[1], "yes\n",
         "others may be given")
os.makedirs(ROOT + "/etc/policy.d", exist_ok=True)
with open(ROOT + "/etc/policy.d/20.conf", "w") as f:
    f.write('rule "site.asks" {\n\tdecision = warn\n\treason = "ask first"\n'
            '\tcommand = { uptime }\n}\n')
refused(outer("%s -c \"$T\"" % A, env={"T": "uptime"}),
        "nobody is asked inside", "nobody is asked inside")
os.unlink(ROOT + "/etc/policy.d/20.conf")

# ---- how deep -----------------------------------------------------------------
write("deeper", "#!/bin/bash\nn=$1; [ $n -gt 0 ] || { echo bottom; exit; }\n"
      "%s -c './deeper '$((n-1))'; exit $?'\n" % A, 0o755)
status, out, err = outer("./deeper 8")
tap.same((status, out), (0, "bottom\n"), "eight of them")
status, out, err = outer("./deeper 9")
tap.ok(status == 126 and out == "" and "deeper than 8" in err and
       err.count("aegsh: ") == 1, "a ninth says why not", status, out, err)

# ---- make, with each of its lines -----------------------------------------------
if shutil.which("make"):
    write("Makefile", "SHELL = %s\nall: $(addprefix t,$(shell seq 100))\n"
          "t%%:\n\t@echo recipe $@\n" % A)
    status, out, err = outer("make -j4")
    tap.ok(status == 0 and out.count("recipe t") == 100 and
           len([r for r in history() if r["line"].startswith(
               "echo recipe t")]) == 100, "make with it as SHELL: each "
           "recipe's line on record", status, err)
else:
    tap.skip("make", "make is not there")

# ---- scripts that others could change --------------------------------------------
GOOD, EVIL = "#!/bin/sh\necho good $1\n", "#!/bin/sh\ntouch evil\n"


def scripts():
    for name in ("evil", "late"):
        if os.path.exists(HOME + "/" + name):
            os.unlink(HOME + "/" + name)
    write("x", GOOD, 0o755)
    write("bad", EVIL, 0o755)


# Under sh, so that the text within is no part of what the outer judges by.
for name, swap in (("in place", "cat bad >x"),
                   ("by another", "cat bad >n; chmod 755 n; mv n x")):
    scripts()
    write("o", "#!/bin/sh\n%s -c './sw; ./x; touch late'\n"
          "touch late\n" % A, 0o755)
    write("sw", "#!/bin/sh\n%s\n" % swap, 0o755)
    status, out, err = run(A, "-c", "./o; touch late")
    tap.ok(not os.path.exists(HOME + "/evil") and
           not os.path.exists(HOME + "/late") and
           "x was changed after it was judged" in err,
           "a script of an inner line that is changed %s takes all along" %
           name, status, out, err)
scripts()
write("o", "#!/bin/sh\n%s -c './x one'\necho '#!/bin/sh' >x\n"
      "echo echo new >>x\n%s -c './x two'\n./x\n" % (A, A), 0o755)
tap.same(run(A, "-c", "./o"), (0, "good one\nnew\nnew\n", ""),
         "what an inner line had held is let go of when it ends")
scripts()
write("o", "#!/bin/sh\n%s -c './x'\ncat bad >x\n%s -c './x'\necho $?\n" %
      (A, A), 0o755)
status, out, err = run(A, "-c", "./o; ./x")
tap.ok(not os.path.exists(HOME + "/evil") and "good" in out and
       "changed after" in err or "judged with" in err,
       "what the outer line was judged with cannot be replaced", status, out,
       err)
scripts()
write("many", "#!/bin/sh\ni=0\nwhile [ $i -lt 300 ]; do\n"
      "echo 'echo n' >y$i; chmod 755 y$i; %s -c \"./y$i\" >/dev/null || "
      "echo no $i\n"
      "rm y$i; i=$((i+1))\ndone\necho done\n" % A, 0o755)
tap.same(run(A, "-c", "./many")[:2], (0, "done\n"),
         "and there is room for any number, one after the other")

# ---- forged words ---------------------------------------------------------------
WORDS = r'''
import ctypes, fcntl, os, signal, socket, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
NR = 294 if os.uname().machine == 'x86_64' else 26
MAGIC = None
def knock():
    fd = libc.syscall(NR, 0x61656773)
    if fd < 0:
        raise OSError(ctypes.get_errno(), 'knock')
    return socket.socket(fileno=fd)
def text(t):
    t = t.encode()
    return struct.pack('=I', len(t)) + t
def frame(kind, body):
    return HEAD[:4] + struct.pack('=III', kind, 0, len(body)) + body
def question(line, flags=0, prefix=0):
    return struct.pack('=IIIIII', 2, flags, prefix, 0, os.getuid(), 0) + \
        text('') + text('/') + struct.pack('=I', 1) + \
        text('PATH=/usr/bin:/bin') + text(line)
def sealed(body):
    fd = os.memfd_create('x', os.MFD_ALLOW_SEALING)
    while body:
        body = body[os.write(fd, body):]
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE |
                fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
    return fd
def say(s, kind, body):
    try:
        if len(body) > 60000:
            fd = sealed(body)
            socket.send_fds(s, [frame(kind, b'')], [fd])
            os.close(fd)
        else:
            s.send(frame(kind, body))
        got = s.recv(200000)
    except OSError:
        return 'closed'
    return got[16:] if got else 'closed'
s = knock()
HEAD = s.recv(200000)
RUN = struct.pack('=I', 0) + struct.pack('=q', 1)
END = struct.pack('=qII', 1, 0, 0) + struct.pack('=qqqq', 0, 0, 0, 0) + \
    text('')
'''
write("forge.py", WORDS + r'''
# Nonsense.
for raw in (b'', b'x', b'\0' * 16, HEAD[:16] + b'x' * 70000):
    s = knock()
    s.recv(200000)
    try:
        s.send(raw)
        print('nonsense', 'closed' if not s.recv(99) else 'heard')
    except OSError:
        print('nonsense closed')
for name, kind, body in (
        ('run of nothing', 4, RUN), ('end of nothing', 6, END),
        ('builtin of nothing', 7, struct.pack('=I', 0)),
        ('an answer', 3, b''), ('a welcome', 1, b''), ('unknown', 99, b''),
        ('cut off', 2, question('true')[:-3]),
        ('lengths', 2, b'\xff' * 64), ('no directory', 2, question('true').
         replace(text('/'), text('x')))):
    s = knock()
    s.recv(200000)
    print(name, say(s, kind, body))
# A line that is refused does not become one that ran.
s = knock()
s.recv(200000)
got = say(s, 2, question('nc -e sh 127.0.0.1 1'))
print('refused', struct.unpack('=I', got[:4])[0] == 0, say(s, 4, RUN))
# Nor does one judgement let two run.
s = knock()
s.recv(200000)
got = say(s, 2, question('true # forged-line'))
print('allowed', struct.unpack('=I', got[:4])[0] == 2,
      say(s, 4, RUN) == text(''), say(s, 4, RUN))
# An unsealed file, a file that is none.
for what in (os.memfd_create('x', os.MFD_ALLOW_SEALING),
             os.open('/dev/null', os.O_RDONLY)):
    s = knock()
    s.recv(200000)
    socket.send_fds(s, [frame(2, b'')], [what])
    print('file', 'closed' if not s.recv(99) else 'heard')
# What one guest says is not held against another's line.
a, b = knock(), knock()
a.recv(200000), b.recv(200000)
before = 'of=before\n'
say(a, 2, question(before + 'true # of-a-session', 1, len(before)))
say(b, 2, question('true'))
print('beside', say(a, 4, RUN) == text(''))
del a, b
# As many as one process may have, whichever of its threads asks; and as there
# are.
def doors(most=9):
    door = []
    try:
        while len(door) < most:
            s = knock()
            if s.recv(200000)[20:].find(GOOD) != 0:
                break
            door.append(s)
    except OSError:
        pass
    return door
GOOD = HEAD[20:20 + struct.unpack('=I', HEAD[16:20])[0]] + struct.pack('=I', 0)
del s
door = doors()
more = []
for i in range(3):
    t = threading.Thread(target=lambda: more.extend(doors()))
    t.start()
    t.join()
print('of one', len(door), len(more))
end, flood = os.pipe(), 0
kids = []
while len(kids) < 90:
    told, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(end[1])
        held = doors()
        os.write(tell, bytes([len(held)]))
        os.read(end[0], 1)
        os._exit(0)
    kids.append(pid)
    flood += os.read(told, 1)[0]
    os.close(told), os.close(tell)
print('flood', len(door) + flood)
os.close(end[1])
for pid in kids:
    os.waitpid(pid, 0)
# Questions that are asked and never listened to; fewer than a line may bring
# that are not run.
for s in door:
    s.setblocking(False)
    try:
        for i in range(900 // len(door)):
            s.send(frame(2, question('true')))
    except OSError:
        pass
print('stuffed')
del door
''')
status, out, err = outer("python3 forge.py; %s -c 'echo still here'" % A)
want = ["nonsense closed"] * 4 + [
    n + " closed" for n in ("run of nothing", "end of nothing",
                            "builtin of nothing", "an answer", "a welcome",
                            "unknown", "cut off", "lengths",
                            "no directory")] + [
    "refused True closed", "allowed True True closed", "file closed",
    "file closed", "beside True", "of one 4 0", "flood 256", "stuffed", "still here"]
tap.ok(status == 0 and out.splitlines() == want, "what is forged ends the "
       "conversation, and the way stays open for others", out, err)
last = rows("true # forged-line")
tap.ok(len(last) == 1 and last[0]["decision"] == "allow" and
       last[0].get("status") == 127,
       "whose end nobody told has one that says so", last)
tap.same([r["line"] for r in history() if "of-a-session" in r["line"]],
         ["true # of-a-session"], "a line is recorded as its own guest said")

# ---- guards ----------------------------------------------------------------------
def named(pid, name):
    """Below pid, by the name of its program."""
    for child in children(pid):
        try:
            with open("/proc/%d/comm" % child) as f:
                if f.read().strip() == name:
                    return child
        except OSError:
            continue
        found = named(child, name)
        if found:
            return found
    return None


def begin():
    for name in ("up", "late", "inner"):
        if os.path.exists(HOME + "/" + name):
            os.unlink(HOME + "/" + name)
    p = popen(A, "-c", ":; %s -c 'echo $$ $PPID >up2; mv up2 up; "
              "sleep 1000 >/dev/null 2>&1; "
              ": here'; echo status $? >late" % A)
    until(lambda: os.path.exists(HOME + "/up"))
    with open(HOME + "/up") as f:
        return (p,) + tuple(int(word) for word in f.read().split())


def over(p):
    """(stdout, stderr) of what has ended, with all that it left."""
    said = p.communicate(timeout=DEADLINE)
    try:
        os.killpg(p.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return said


KILLED = {"the host": "aegsh-host", "the supervisor": "aegsh-watch"}
for what, name in KILLED.items():
    p, bash, inner = begin()
    os.kill(named(p.pid, name), signal.SIGKILL)
    out, err = over(p)
    tap.ok(until(lambda: not alive(bash) and not alive(inner)) and
           p.returncode == 126 and "the line was killed" in err and
           not os.path.exists(HOME + "/late"),
           what + " is killed, and the line with it", p.returncode, err)
p, bash, inner = begin()
os.kill(inner, signal.SIGKILL)
until(lambda: not alive(bash))
over(p)
tap.ok(until(lambda: not alive(bash)) and
       open(HOME + "/late").read() == "status 137\n",
       "the inner aegsh is killed, and its line with it")
last = [r for r in history() if r["line"].endswith("; : here") and
        "PPID >up2" in r["line"] and r["line"].startswith("echo")]
tap.ok(last[-1]["status"] == 127 and "ended before" in last[-1].get(
    "note", ""), "which is on record", last[-1])
p, bash, inner = begin()
p.kill()
p.communicate()
tap.ok(until(lambda: not alive(bash) and not alive(inner)),
       "the outer aegsh is killed, and all of its line")
p, bash, inner = begin()
os.kill(inner, signal.SIGSTOP)
os.kill(bash, signal.SIGTERM)
os.kill(inner, signal.SIGCONT)
over(p)
tap.same(open(HOME + "/late").read(), "status 143\n",
         "the inner aegsh is stopped for a while: nothing else happens")
p, bash, inner = begin()
host = named(p.pid, "aegsh-host")
os.kill(host, signal.SIGSTOP)
q = popen(A, "-c", "true")      # another one, with nobody stopped
tap.same(q.wait(DEADLINE), 0, "the host is stopped: others go on")
os.kill(bash, signal.SIGTERM)
os.kill(host, signal.SIGCONT)
over(p)
write("attack", "#!/bin/bash\nfor p in /proc/[0-9]*; do\n"
      "{ read -r c <$p/comm; } 2>/dev/null\n"
      "case $c in aegsh-host|aegsh-watch) seen=1; kill -9 ${p#/proc/} && "
      "echo hit\nkill -STOP ${p#/proc/} && echo hit\ncat $p/environ $p/mem | "
      "head -c 1\nls $p/fd;; esac\ndone 2>/dev/null\necho tried $seen\n",
      0o755)
write("stop", "#!/bin/bash\nkill -STOP $1; kill -CONT $1; echo went on\n",
      0o755)
status, out, err = outer("%s -c './attack'; %s -c 'echo on'" % (A, A))
tap.same(out, "tried 1\non\n", "from inside, neither can be reached")
status, out, err = outer("%s -c './stop $PPID; true'; echo $?" % A)
tap.same(out, "went on\n0\n", "who stops its own aegsh waits for itself")

# ---- how much is said ---------------------------------------------------------
# No limit of the line's counts the host, which is what it says to it.
write("weigh.py", WORDS + r'''
def wait(name):
    while not os.path.exists(name):
        time.sleep(0.02)
open('weigh-up', 'w').close()
wait('weigh-go')
HOLLOW = 15 * 1024 * 1024
s = knock()
s.recv(200000)
say(s, 2, question('true # of-any-words'))
print('words', say(s, 4, struct.pack('=I', HOLLOW) + bytes(HOLLOW) +
                   struct.pack('=q', 1)))
for what, head, n in (('entries', 0, HOLLOW // 4), ('a line', 1, 0)):
    s = knock()
    s.recv(200000)
    body = struct.pack('=IIIIII', 2, 0, 0, 0, os.getuid(), 0) + text('') + \
        text('/') + struct.pack('=I', n) + bytes(4 * n) + \
        text('true ' + head * HOLLOW * ' ')
    print(what, say(s, 2, body))
kids = []
told, tell = os.pipe()
end = os.pipe()
for i in range(12):
    pid = os.fork()
    if pid == 0:
        os.close(end[1])
        held = []
        for k in range(4):
            held.append(knock())
            held[-1].recv(200000)
            got = say(held[-1], 2, question(
                'nc -e sh 127.0.0.1 1 # ' + 1000000 * 'x'))
            if struct.unpack('=I', got[:4])[0] == 0:
                os.write(tell, b'x')
        os.read(end[0], 1)
        os._exit(0)
    kids.append(pid)
n = 0
while n < 48:
    n += len(os.read(told, 48))
print('held', n, flush=True)
open('weigh-held', 'w').close()
wait('weigh-tight')
s = knock()
s.recv(200000)
open('weigh-last', 'w').close()
say(s, 2, question('true ' + 500000 * 'x '))
signal.pause()
''')


def weight(pid, word):
    """MiB"""
    with open("/proc/%d/status" % pid) as f:
        return [int(row.split()[1]) for row in f
                if row.startswith(word + ":")][0] // 1024


def data(pid, *limit):
    """Bytes of data that it may have; as who it belongs to."""
    status, out, err = run(sys.executable, "-c", """if True:
        import resource, sys
        pid, limits = int(sys.argv[1]), [int(n) for n in sys.argv[2:]]
        had = resource.prlimit(pid, resource.RLIMIT_DATA)
        if limits:
            resource.prlimit(pid, resource.RLIMIT_DATA, (limits[0], had[1]))
        print(had[0])
        """, str(pid), *[str(n) for n in limit])
    return out if status == 0 else err


p = popen(A, "-c", ":; python3 weigh.py")
until(lambda: os.path.exists(HOME + "/weigh-up"))
host = named(p.pid, "aegsh-host")
before = weight(host, "VmRSS")
open(HOME + "/weigh-go", "w").close()
until(lambda: os.path.exists(HOME + "/weigh-held"))
peak, after = weight(host, "VmHWM"), weight(host, "VmRSS")
if os.environ.get("SANITIZED"):
    for name in ("peak", "held", "data"):
        tap.skip("the host's memory: " + name, "a sanitizer keeps what is "
                 "freed, and has marks of its own")
else:
    tap.ok(peak < before + 160, "what is said takes the host no more memory "
           "than an honest line may", before, peak)
    tap.ok(after < before + 64, "and lines that were refused are not held",
           before, after)
    tap.same(data(host), "%d\n" % (2 << 30), "all of them together have a limit")
data(host, 1 << 20)
open(HOME + "/weigh-tight", "w").close()
out, err = p.communicate(timeout=DEADLINE)
try:
    os.killpg(p.pid, signal.SIGKILL)
except ProcessLookupError:
    pass
tap.same(out, "words closed\nentries closed\na line closed\nheld 48\n",
         "more than a guest says ends its conversation")
tap.ok(p.returncode == 126 and "the line was killed" in err and
       os.path.exists(HOME + "/weigh-last"),
       "beyond that limit the line is killed", p.returncode, err)

# ---- more that is refused than anybody brings --------------------------------
def events(kind):
    out = run(CTL, "audit", "events", "--json", "-n", "0")[1]
    return [e for e in map(json.loads, out.splitlines())
            if e["kind"] == kind]


write("refusals.py", WORDS + r'''
n = 0
while n < 5000:
    got = say(s, 2, question('nc -e sh 127.0.0.1 1 # refusal'))
    if got == 'closed':
        break
    n += 1
    # Nor does another conversation begin anew.
    if n % 100 == 0:
        s = knock()
        s.recv(200000)
print(n, flush=True)
''')
write("nonsense.py", WORDS + r'''
n = 0
while n < 5000:
    n += 1
    say(s, 2, b'')
    s = knock()
    s.recv(200000)
print(n)
''')
write("idle.py", WORDS + r'''
n = 0
while n < 5000:
    n += 1
    # What says nothing is nobody's work.
    say(s, 2, question('# nothing' if n < 1500 else 'true'))
''')
for name in ("refusals", "nonsense", "idle"):
    status, out, err = outer("python3 %s.py; sleep 600" % name)
    tap.ok(status == 126 and err.count("\n") == 1 and "the line was killed: "
           "what is inside of it brought more than 1000 lines that were "
           "refused" in err, "a line dies of too many %s" % name, status, err)
    found = len(rows("nc -e sh 127.0.0.1 1 # refusal"))
    tap.ok(1000 < found < 1010, "and no more are recorded after the " + name,
           found)
tap.same(len(events("inside-refused")), 2, "of what had a record that is on "
         "it, once")
tap.same(outer("%s -c \"$T\"; echo goes on" % A, env={"T": BLOCKED})[1],
         "goes on\n", "the next line begins with none")

# ---- what outlives its aegsh --------------------------------------------------
for name in ("go", "late"):
    if os.path.exists(HOME + "/" + name):
        os.unlink(HOME + "/" + name)
status, out, err = outer(
    "setsid -f sh -c 'until [ -e go ]; do sleep 0.05; done; "
    "%s -c \"echo outlived >late2\"; %s -c \"$T\"; echo $? >>late2; "
    "mv late2 late' >/dev/null 2>&1" % (A, A), env={"T": BLOCKED})
tap.same(status, 0, "a line that leaves something behind ends")
open(HOME + "/go", "w").close()
tap.ok(until(lambda: os.path.exists(HOME + "/late")) and
       open(HOME + "/late").read() == "outlived\n126\n",
       "an aegsh of which is judged when the outer one has ended")
tap.ok(until(lambda: len(rows("echo outlived >late2")) == 1 and
             rows("echo outlived >late2")[0].get("status") == 0),
       "and recorded", rows("echo outlived >late2"))

# ---- on a terminal ----------------------------------------------------------------
def session(*argv):
    return Session(list(argv), env=ENV, cwd=HOME, uid=UID if IS_ROOT
                   else None)


s = session(A)
s.expect(PROMPT)
s.line("exec 7>&1; cd /usr; %s" % A)
tap.ok(s.expect(PROMPT) is not None, "a prompt inside", s.seen)
for line, want in (("pwd", "/usr\r\n"), ("cd /var", ""),
                   ("export P=persists; echo $((6*7))", "42\r\n"),
                   ("echo [$P] $PWD", r"\[persists\] /var\r\n"),
                   (BLOCKED, "blocked: [^\n]*\r\n"), ("echo $?", "126\r\n"),
                   ("sleep 1000", None)):
    s.line(line)
    if want is not None:
        tap.ok(s.expect(want + ".*?" + PROMPT if want else PROMPT)
               is not None, "there: " + line, s.seen[-300:])
until(lambda: named(s.pid, "sleep") is not None)
s.send("\x1a")
tap.ok(s.expect("Stopped[^\n]*sleep 1000.*?" + PROMPT) is not None,
       "there: Ctrl-Z", s.seen[-300:])
s.line("kill %1; wait; exit 6")
s.expect("exit.*?" + PROMPT)
s.line("echo status $?")
tap.ok(s.expect("status 6\r\n") is not None, "its status comes back",
       s.seen[-300:])
s.line("exit")
s.wait()
s.close()
tap.ok(any(r["line"] == "echo [$P] $PWD" and r["origin"] == "prompt" and
           r["cwd"] == "/var" for r in history()) and
       any(r["line"] == "cd /var" and r.get("status") == 0
           for r in history()), "and its lines are on record")

# In the background of a prompt, and heard while that one waits.
s = session(A)
s.expect(PROMPT)
s.line("sh -c 'until [ -e go2 ]; do sleep 0.05; done; %s -c \"echo beside "
       ">late3\"' &" % A)
s.expect(PROMPT)
open(HOME + "/go2", "w").close()
tap.ok(until(lambda: os.path.exists(HOME + "/late3") and
             open(HOME + "/late3").read() == "beside\n"),
       "one in the background is heard while the prompt waits")
s.line("exit")
s.wait()
s.close()

if shutil.which("tmux"):
    write(".tmux.conf", "set -g default-shell %s\n" % A)
    s = session(A)
    s.expect(PROMPT)
    s.line("tmux -L n%d new" % os.getpid())
    s.expect(PROMPT)
    s.line("echo $((6*7)) in a window")
    tap.ok(s.expect("42 in a window") is not None, "a window of a "
           "multiplexer, whose server has closed what it inherited", s.seen)
    s.line(BLOCKED)
    tap.ok(s.expect("blocked: .*?" + PROMPT) is not None, "is judged",
           s.seen[-500:])
    s.line("exit")
    s.expect(r"\[exited\].*?" + PROMPT)
    s.line("exit")
    s.wait()
    s.close()
    tap.ok(len(rows("echo $((6*7)) in a window")) == 1, "and recorded")
else:
    tap.skip("tmux", "tmux is not installed")

# ---- another user, from root's line -------------------------------------------
if IS_ROOT:
    os.chmod(HOME, 0o755)
    p = subprocess.run(
        [A, "-c", ":; setpriv --reuid=%d --regid=%d --clear-groups %s -c "
         "'echo as $(id -u)'; setpriv --reuid=%d --regid=%d --clear-groups "
         "%s -c \"$T\"; echo $?" % (UID, UID, A, UID, UID, A)],
        env=dict(ENV, T=BLOCKED), cwd=HOME, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=DEADLINE)
    tap.ok(p.stdout == "as %d\n126\n" % UID and "blocked" in p.stderr,
           "root's line becomes another user: root's rules", p.stdout,
           p.stderr)
else:
    tap.skip("another user from root's line", "not root")

tap.done()
