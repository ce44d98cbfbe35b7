# SPDX-License-Identifier: ISC
"""Scripts of a stream's units and of start-up files, through the program: the
judged script runs from its judged bytes or what runs it dies, whoever swaps
it and however.  A stream's bash is watched from the first unit on that runs a
script which others could change, and is otherwise as it was."""
import json
import os
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from procs import DEADLINE, alive, children, until  # noqa: E402
from pty_session import place, program  # noqa: E402
from supervise_probe import why_not  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
why = why_not()
if why is not None:
    tap.skip("everything", why)
    tap.done()
root, env = place()
HOME = env["HOME"]
AEGSH, CTL = program("aegsh"), program("aegshctl")
GOOD = "#!/bin/sh\necho good $1\n"
EVIL = "#!/bin/sh\necho evil\n"
os.makedirs(root + "/etc/policy.d")
with open(root + "/etc/policy.d/50-t.conf", "w") as f:
    f.write('profile "t" {\n\tsandbox = "admin"\n\trank = 20\n'
            '\tunknown = allow\n\task_at = 1000\n\tuse = { common }\n'
            '\toverride = { ask.stdin-program }\n}\n'
            "match \"all\" { user = { '*' } profile = t }\n"
            "rule \"t\" { decision = allow reason = r command = { '.' } }\n")
with open(root + "/etc/aegsh.conf", "w") as f:
    f.write("login-timeout = 60000\n")


def write(name, text, mode=0o755):
    path = os.path.join(HOME, name)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)


def fresh():
    for name in os.listdir(HOME):
        path = os.path.join(HOME, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    write("x", GOOD)
    write("y", GOOD)
    write("bad", EVIL)
    write("shebang", "#!/usr/bin/env -S echo evil\n")
    shutil.copy("/bin/echo", HOME + "/program")
    os.mkfifo(HOME + "/gate")


def start(argv=("-s",), **kw):
    return subprocess.Popen([AEGSH, *argv], cwd=HOME, env=env, text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **kw)


def stream(text, argv=("-s",)):
    p = start(argv)
    out, err = p.communicate(text, timeout=DEADLINE)
    return p.returncode, out, err


def ended(p):
    """(stdout, stderr), when nobody is left who holds them."""
    try:
        p.stdin.close()
    except BrokenPipeError:
        pass
    p.stdin = None
    return p.communicate(timeout=DEADLINE)


def gate(p, name="gate"):
    """As soon as a command waits there; None when p has ended before."""
    fd = []

    def opened():
        try:
            fd.append(os.open(os.path.join(HOME, name),
                              os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            return p.poll() is not None
        return True
    until(opened)
    return open(fd[0] if fd else os.devnull, "w")


def swap(how):
    """As somebody else would, from outside."""
    x, n = HOME + "/x", HOME + "/n"
    if how == "replaced":
        write("n", EVIL)
        os.rename(n, x)
    elif how == "changed in place":
        write("x", EVIL)
    elif how == "another first line":
        shutil.copy(HOME + "/shebang", n)
        os.rename(n, x)
    elif how == "a program":
        shutil.copy(HOME + "/program", n)
        os.rename(n, x)
    elif how == "a link":
        os.unlink(x)
        os.symlink("bad", x)
    elif how == "longer":
        with open(x, "a") as f:
            f.write("echo evil\n")


SWAPS = ("replaced", "changed in place", "another first line", "a program",
         "a link", "longer")
STARTS = ("./x evil", "sh x", ". ./x", "sh <x", "cat x | sh", "env sh ./x",
          "echo $(sh x)", "f() { sh x; }; f")

# ---- as without a supervisor --------------------------------------------
# Unwatched units before, so that bash is watched on its way; and watched from
# its first on.
SAME = """v=1; set -- a b; f() { echo f$v$1; }
trap 'echo child >&2' USR1
%s
./x one
f $#
sh x two; v=2
. ./x three
f; echo $? $_ $LINENO
cat <<END
$v
END
read line
a line
echo "got $line"
x=$(sh x); echo "$x"
sh x & wait
./x
kill -USR1 $$
false
echo $?; (exit 3)
"""
for name, first in (("from the first unit", "sh y first"),
                    ("later", "echo first")):
    fresh()
    text = SAME % first
    got = stream(text)
    bash = subprocess.run(["bash", "-s"], input=text, cwd=HOME, env=env,
                          capture_output=True, text=True)
    tap.same(got[:2], (bash.returncode, bash.stdout),
             "watched %s: as under bash" % name)
    tap.same(got[2], bash.stderr, "watched %s: and what it says" % name)
fresh()
status, out, err = stream("exec 7<x 5>/dev/null\nls /proc/$$/fd >before\n"
                          "sh y\nls /proc/$$/fd >after\n"
                          "cmp before after && echo same; cat before\n")
tap.ok("same\n" in out and "5\n" in out, "bash has the same descriptors", err)
fresh()
status, out, err = stream("echo $$ $BASHPID\nsh y\necho $$ $BASHPID\n"
                          "kill -0 $$ && echo there; ulimit -n 20\nsh x 1\n")
lines = out.split("\n")
tap.ok(lines[0] == lines[2] and lines[3:5] == ["there", "good 1"],
       "and is the same process", out + err)
# Signals that come while it is being made to, traps that run then.
fresh()
status, out, err = stream(
    "n=0; trap 'n=$((n + 1))' CHLD\n(for i in 1 2 3 4 5 6 7 8; do "
    "sleep 0.01 & done; wait) &\n" + "".join(
        "sh y %d\n" % i for i in range(40)) + "wait\necho done\n")
tap.ok(status == 0 and out == "".join(
    "good %d\n" % i for i in range(40)) + "done\n",
    "children end while it is made to", out + err)
for i in range(20):
    fresh()
    status, out, err = stream("for i in 1 2 3 4 5 6; do /bin/true & done; "
                              "trap 'echo c >&2' CHLD\nsh y\nwait\n"
                              "echo end\n")
    if out != "good\nend\n" or status != 0:
        break
tap.ok(out == "good\nend\n" and status == 0, "children end meanwhile",
       (status, out, err))

# An aegsh inside, which has the listener of the stream's bash already.
INNER = shutil.copy(AEGSH, os.path.join(root, "aegsh"))
os.makedirs(root + "/etc/sandbox.d", exist_ok=True)
for profile in "admin", "root":
    with open(root + "/etc/sandbox.d/%s.conf" % profile, "w") as f:
        f.write('read += {"%s"}\nexecute += {"%s"}\n' % (root, INNER))
fresh()
# What looks for leaks at an end traces the process, which no line may.
INNER = "env ASAN_OPTIONS=detect_leaks=0 " + INNER
status, out, err = stream(
    "echo one\n%s -c 'echo inner'\nsh y two\n%s -c './x three'\n"
    "sh x four\n" % (INNER, INNER))
tap.same((status, out, err),
         (0, "one\ninner\ngood two\ngood three\ngood four\n", ""),
         "an aegsh inside, before and after")
shutil.rmtree(root + "/etc/sandbox.d")

# ---- what earlier units ran is nobody's business any more ------------------
for name, text, want in (
        ("written to, and read", "sh x\necho 'echo more' >>x\ncat x\n",
         "good\n" + GOOD + "echo more\n"),
        ("written to, and run", "sh x\necho 'echo more' >>x\nsh x\n",
         "good\ngood\nmore\n"),
        ("another in its place", "./x\nmv bad x\n./x\n", "good\nevil\n"),
        ("edited", "sh x\nsed -i s/good/better/ x\nsh x; . ./x\n",
         "good\nbetter\nbetter\n"),
        ("removed", "sh x\nrm x\nls x 2>&1 | wc -l\n", "good\n1\n"),
        ("by a function of an earlier unit", "f() { sh x; }\nf\n", "good\n"),
        ("by another name", "ln -s x l\nsh x\necho 'echo more' >>x\nsh l\n",
         "good\ngood\nmore\n")):
    fresh()
    status, out, err = stream(text)
    tap.same((status, out.replace(" \n", "\n"), err), (0, want, ""),
             "a script of an earlier unit: " + name)
fresh()
for i in range(300):
    write("many%d" % i, "echo %d\n" % i)
status, out, err = stream("".join("sh many%d\n" % i for i in range(300)))
tap.ok(status == 0 and out == "".join("%d\n" % i for i in range(300)),
       "more scripts than are held at a time", err[:500])
fresh()
for i in range(300):
    write("many%d" % i, "echo %d\n" % i)
status, out, err = stream("(exec sleep 1000 >/dev/null 2>&1) & echo $!\n" +
                          "".join("sh many%d\n" % i for i in range(300)))
left, *said = out.split()
os.kill(int(left), signal.SIGKILL)
tap.ok(status == 126 and "scripts are held for what runs in the background"
       in err and said == [str(n) for n in range(256)],
       "and while something in the background may want them", err[-500:])

# ---- swapped while a unit runs --------------------------------------------
for first in ("", "echo before\n", "sh y\n"):
    where = {"": "first unit", "echo before\n": "a unit, not watched before",
             "sh y\n": "a unit, watched before"}[first]
    for how in SWAPS:
        for run in STARTS:
            fresh()
            p = start()
            p.stdin.write(first + "cat gate; %s; touch late\ntouch later\n" %
                          run)
            p.stdin.flush()
            with gate(p):       # it is held by then
                swap(how)
            out, err = ended(p)
            tap.ok("evil" not in out and p.returncode == 126 and
                   "the line was killed: %s/x was changed" % HOME in err and
                   err.count("\n") == 1 and
                   not os.path.exists(HOME + "/late") and
                   not os.path.exists(HOME + "/later"),
                   "%s: %s: %s" % (where, how, run),
                   "%r %r %r" % (p.returncode, out, err))

# ---- what reads its program from standard input ------------------------------
for run in ("rbash <x", "bash -norc <x", "bash --rcfile y <x",
            "bash -O extglob <x", "bash -s 1 <x", "cat x | bash -norc",
            "fish <x", "mksh <x", "zsh -f <x"):
    if not shutil.which(run.split()[0]):
        tap.skip("standard input: " + run, "no " + run.split()[0])
        continue
    fresh()
    p = start()
    p.stdin.write("cat gate; %s; touch late\n" % run)
    p.stdin.flush()
    with gate(p):
        write("x", EVIL)
    out, err = ended(p)
    tap.ok("evil" not in out and p.returncode == 126 and
           "the line was killed: %s/x was changed" % HOME in err and
           not os.path.exists(HOME + "/late"), "standard input: " + run,
           "%r %r %r" % (p.returncode, out, err))
write("x", "print('good')\n")
p = start()
p.stdin.write("cat gate; python3 - word <x; touch late\n")
p.stdin.flush()
with gate(p):
    write("x", "print('evil')\n")
out, err = ended(p)
tap.ok("evil" not in out and "x was changed" in err and
       not os.path.exists(HOME + "/late"), "standard input: python3",
       "%r %r %r" % (p.returncode, out, err))
# Of a program that has its script already it is data, as ever.
for run in ("bash -norc -c cat <x", "python3 y.py <x"):
    fresh()
    write("y.py", "import sys\nprint(sys.stdin.read())\n")
    p = start()
    p.stdin.write("cat gate; %s\n" % run)
    p.stdin.flush()
    with gate(p):
        write("x", "another\n")
    out, err = ended(p)
    tap.same((out.strip(), err, p.returncode), ("another", "", 0),
             "standard input that is data: " + run)

# ---- what an earlier unit left behind keeps its scripts --------------------
for left in ("(cat gate; sh x; : >late) &", "( (cat gate; sh x; : >late) & )",
             "( ( (cat gate; sh x; : >late); : >late) & )", "{ cat gate; ./x; } &",
             "setsid -f sh -c 'cat gate; sh x >left' "):
    fresh()
    p = start()
    p.stdin.write("echo before\n%s\n: >up\nsh y\ncat wait\n" % left)
    os.mkfifo(HOME + "/wait")
    p.stdin.flush()
    with gate(p, "wait"):
        swap("replaced")
        with gate(p):
            pass
        # It dies, which opens no gate.
        out, err = ended(p)
    tap.ok("evil" not in out and "was changed after" in err and
           p.returncode == 126 and not os.path.exists(HOME + "/late") and
           (not os.path.exists(HOME + "/left") or
            os.path.getsize(HOME + "/left") == 0),
           "left by an earlier unit: " + left,
           "%r %r %r" % (p.returncode, out, err))

# ---- where no copy can be made ----------------------------------------------
# A filter of a place around aegsh that refuses memory files.
WITHOUT = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
nr = {"x86_64": 319, "aarch64": 279, "riscv64": 279}[os.uname().machine]
rows = struct.pack("HBBI" * 4, 0x20, 0, 0, 0, 0x15, 0, 1, nr,
                   0x06, 0, 0, 0x00050001, 0x06, 0, 0, 0x7fff0000)
text = ctypes.create_string_buffer(rows, len(rows))
prog = ctypes.create_string_buffer(struct.pack(
    "HxxxxxxP", 4, ctypes.addressof(text)))
libc.prctl(38, 1, 0, 0, 0)
if libc.prctl(22, 2, prog, 0, 0):
    sys.exit("no filter")
os.execv(sys.argv[1], sys.argv[1:])
"""


def without(*argv, text=""):
    p = subprocess.run([sys.executable, "-c", WITHOUT, AEGSH, *argv], cwd=HOME,
                       env=env, text=True, input=text, capture_output=True,
                       timeout=DEADLINE)
    return p.returncode, p.stdout, p.stderr


for name, args, text, want in (
        ("a line", ("-c", "./x one; echo $?"), "", "good one\n0\n"),
        ("a stream", ("-s",), "./x one\nsh y two\n",
         "good one\ngood two\n")):
    fresh()
    got = without(*args, text=text)
    tap.ok(got[:2] == (0, want) and got[2].count("\n") == 1 and
           "scripts are not held while a line runs" in got[2],
           "no memory files: %s is told once" % name, got)
events = subprocess.run([CTL, "audit", "events"], env=env,
                        capture_output=True, text=True).stdout
tap.ok("scripts-not-held" in events, "and on record")
os.makedirs(root + "/etc/sandbox.d", exist_ok=True)
for profile in "admin", "root":
    with open(root + "/etc/sandbox.d/%s.conf" % profile, "w") as f:
        f.write("supervise = all\n")
got = without("-c", "./x one")
tap.ok(got[:2] == (126, "") and "cannot be held" in got[2],
       "supervise = all: it does not run", got)
status, out, err = stream("head -c 0 /dev/null\nsh y all\n")
tap.ok((status, out, err) == (0, "good all\n", ""),
       "supervise = all: a stream", (status, out, err))
rows = subprocess.run([CTL, "history", "--json", "--program", "head"],
                      env=env, capture_output=True, text=True).stdout
tap.ok("head -c 0" in rows, "is watched from its first unit on", rows[-300:])
shutil.rmtree(root + "/etc/sandbox.d")

# ---- guards ----------------------------------------------------------------
def watch_of(pid):
    for child in children(pid):
        try:
            with open("/proc/%d/comm" % child) as f:
                if f.read().strip() == "aegsh-watch":
                    return child
        except OSError:
            pass
    return None


fresh()
p = start()
p.stdin.write("echo one\n")
p.stdin.flush()
p.stdout.readline()
tap.ok(watch_of(p.pid) is None, "no such unit: no supervisor")
p.stdin.write("sh y; (exec sleep 1000) & echo $!\n")
p.stdin.flush()
p.stdout.readline()
late = int(p.stdout.readline())
watch = watch_of(p.pid)
tap.ok(watch is not None, "one that is: a supervisor")
os.kill(watch, signal.SIGKILL)
p.stdin.write("sh y\ntouch late\n")
err = ended(p)[1]
tap.ok(p.returncode == 126 and "its supervisor was killed" in err and
       not os.path.exists(HOME + "/late") and until(lambda: not alive(late)),
       "it is killed: so is the stream", (p.returncode, err))
fresh()
p = start()
p.stdin.write("sh y; setsid sleep 1000 & echo $! $$\n")
p.stdin.flush()
while len(pids := p.stdout.readline().split()) != 2:
    pass
late, bash = map(int, pids)
os.kill(p.pid, signal.SIGSTOP)
for pid in bash, watch_of(p.pid):
    os.kill(pid, signal.SIGKILL)
    until(lambda: not alive(pid))
os.kill(p.pid, signal.SIGCONT)
err = ended(p)[1]
rows = subprocess.run([CTL, "audit", "events", "-n", "5"], env=env,
                      capture_output=True, text=True).stdout
tap.ok("its supervisor was killed" in err and "line-killed" in rows and
       until(lambda: not alive(late)),
       "it is killed with bash, between two units: all is, and on record",
       (p.returncode, err, rows))
fresh()
p = start()
p.stdin.write("echo one\nsh y; sleep 1000 & echo $!\n")
p.stdin.flush()
for _ in range(2):
    p.stdout.readline()
late = int(p.stdout.readline())
watch = watch_of(p.pid)
p.kill()
p.communicate()
tap.ok(until(lambda: not alive(late) and not alive(watch)),
       "aegsh is killed: so is the stream")

# ---- the record --------------------------------------------------------------
fresh()
stream("echo one\nsh y two\ntrue three | cat\n")
rows = subprocess.run([CTL, "history", "--json", "--program", "dash"],
                      env=env, capture_output=True, text=True).stdout
lines = [json.loads(r)["line"] for r in rows.splitlines()]
tap.ok("sh y two\n" in [x + "\n" for x in lines] or "sh y two" in
       "".join(lines), "a unit's programs are on record with it", rows[-500:])
rows = subprocess.run([CTL, "history", "--json", "--program", "cat"],
                      env=env, capture_output=True, text=True).stdout
tap.ok("true three" in rows and "sh y two" not in rows.splitlines()[-1],
       "and those of the next with that", rows[-500:])

# ---- a start-up file at a login ---------------------------------------------
def login(how, run):
    fresh()
    write(".bash_profile", 'export BEFORE=1 GOT="$(cat gate; %s)"\n' % run,
          0o644)
    p = start(("-l", "-c", 'echo "got:$GOT:$BEFORE"'))
    with gate(p):
        if how is not None:
            swap(how)
    out, err = p.communicate(timeout=DEADLINE)
    return p.returncode, out, err


for run in STARTS:
    if run == ". ./x":
        continue        # is put into the text of the file, and judged there
    status, out, err = login(None, run)
    tap.ok(out.replace(" ", "") in ("got:good:1\n", "got:goodevil:1\n") and
           "killed" not in err, "login: %s" % run, out + err)
    for how in SWAPS:
        status, out, err = login(how, run)
        last = [json.loads(r) for r in subprocess.run(
            [CTL, "history", "--json"], env=env, capture_output=True,
            text=True).stdout.splitlines()]
        last = [r for r in last if r["origin"] == "login"][-1]
        tap.ok(out == "got::\n" and err == "" and last["status"] == 126 and
               "%s/x was changed after it was judged" % HOME in last["note"],
               "login: %s: %s" % (how, run), "%r %r %r" % (out, err, last))
status, out, err = login("replaced", ". ./x")
tap.ok("evil" not in out, "login: what it sources is what was judged",
       out + err)
rows = subprocess.run([CTL, "history", "--json", "--program", "dash"],
                      env=env, capture_output=True, text=True).stdout
tap.ok('"origin":"login"' in rows, "its programs are on record", rows[-500:])
events = subprocess.run([CTL, "audit", "events"], env=env,
                        capture_output=True, text=True).stdout
tap.ok("line-killed" in events, "and why it was killed")
status = subprocess.run([CTL, "audit", "verify"], env=env,
                        capture_output=True).returncode
tap.same(status, 0, "the chain holds with all of these")
tap.done()
