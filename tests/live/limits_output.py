# SPDX-License-Identifier: ISC
"""limit-output: what a line prints into pipes is carried on up to that, and
said to be more; or the line is killed."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from procs import DEADLINE, alive, until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
AEGSH, CTL = program("aegsh"), program("aegshctl")
MIB = 1 << 20
LEFT_OUT = "limit-output: more than 1 MiB; the rest is left out"
KILLED = "killed: it met its limit, limit-output: more than 1 MiB"
root, env = place(leaks=False)
HOME = env["HOME"]
os.makedirs(root + "/etc/policy.d")
os.makedirs(root + "/etc/sandbox.d")
with open(root + "/etc/policy.d/50-t.conf", "w") as f:
    f.write('profile "t" {\n\tsandbox = "admin"\n\trank = 20\n'
            '\tunknown = allow\n\task_at = 1000\n\tuse = { common }\n'
            '\toverride = { ask.stdin-program }\n}\n'
            "match \"all\" { user = { '*' } profile = t }\n"
            'rule "t" { decision = allow reason = r command = { \'.\' } }\n')
inner = root + "/aegsh"
subprocess.run(["cp", AEGSH, inner], check=True)
env["INNER"] = inner


def limit(text):
    for profile in "admin", "root":
        with open(root + "/etc/sandbox.d/%s.conf" % profile, "w") as f:
            f.write('read += {"%s"}\nexecute += {"%s"}\n%s' %
                    (root, inner, text))


def run(*argv, data=b"", both=False):
    p = subprocess.Popen(argv, cwd=HOME, env=env, stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT
                         if both else subprocess.PIPE)
    out, err = p.communicate(data, timeout=DEADLINE)
    return p.returncode, out, (out if both else err).decode(
        "utf-8", "replace")


def prints(n, char="x"):
    return "head -c %d /dev/zero | tr '\\0' %s" % (n, char)


limit("limit-output = 1\n")
for n in 0, 1, MIB - 1, MIB:
    got = run(AEGSH, "-c", prints(n))
    tap.ok(got == (0, b"x" * n, ""), "%d bytes are no more than that" % n,
           got[0], len(got[1]), got[2])
for n in MIB + 1, 5 * MIB:
    status, out, err = run(AEGSH, "-c", prints(n) + "; exit 3")
    tap.ok(status == 3 and out == b"x" * MIB and err.count("\n") == 1 and
           LEFT_OUT in err, "%d are, and the line runs to its end" % n,
           status, len(out), err)
status, out, err = run(AEGSH, "-c", "%s; %s >&2; echo end" % (
    prints(MIB * 3 // 4), prints(MIB * 3 // 4, "y")))
tap.ok(status == 0 and out == b"x" * (MIB * 3 // 4) and
       err.count("y") == MIB // 4 and LEFT_OUT in err,
       "both streams count together", status, len(out), err[-200:])
status, out, err = run(AEGSH, "-c", "for i in 1 2; do %s; done" %
                       prints(MIB * 3 // 4), both=True)
tap.ok(out.count(b"x") == MIB and LEFT_OUT in err.replace("xxxx", ""),
       "and where they are one", len(out))
status, out, err = run(AEGSH, "-c", prints(3 * MIB) + " > file; wc -c < file")
tap.same((status, out, err), (0, b"%d\n" % (3 * MIB), ""),
         "what goes to a file is not counted")
status, out, err = run(AEGSH, "-c", "%s | wc -c" % prints(3 * MIB))
tap.same((status, out, err), (0, b"%d\n" % (3 * MIB), ""),
         "nor what goes from one program of the line to another")
status, out, err = run(AEGSH, "-c", "yes | head -c 3 ; %s | head -c 2" %
                       prints(3 * MIB))
tap.same((status, out, err), (0, b"y\nyxx", ""), "and SIGPIPE is as it was")
p = subprocess.Popen("'%s' -c 'yes; echo $? >&2' | head -c 2" % AEGSH,
                     shell=True, cwd=HOME, env=env, stdin=subprocess.DEVNULL,
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
out, err = p.communicate(timeout=DEADLINE)
tap.ok(out == b"y\n" and b"141" in err, "to our own reader as well", out, err)
status, out, err = run(AEGSH, "-c", ":; $INNER -c '%s'" % prints(
    2 * MIB).replace("'", "'\\''"))
tap.ok(out == b"x" * MIB and err.count(LEFT_OUT) == 1,
       "an aegsh inside counts with the line", len(out), err)
units = [prints(MIB * 3 // 4), prints(MIB * 3 // 4), prints(2 * MIB, "y"),
         "echo; echo z"]
status, out, err = run(AEGSH, "-s", data="\n".join(units).encode() + b"\n")
tap.ok(status == 0 and out == b"x" * (MIB * 3 // 2) + b"y" * MIB + b"\nz\n"
       and err.count(LEFT_OUT) == 1 and err.count("\n") == 1,
       "each line on standard input has its own", status, len(out), err)
events = run(CTL, "audit", "events", "-n", "0")[1].decode()
tap.ok("line-limited" in events and LEFT_OUT in events, "it is on record")
tap.ok("truncate" in run(CTL, "sandbox", "show", "admin")[1].decode() or
       "truncate" in run(CTL, "sandbox", "show", "root")[1].decode(),
       "aegshctl sandbox show says what comes then")

limit('limit-output = 1\nlimit-output-then = "kill"\n')
status, out, err = run(AEGSH, "-c", "sleep 1000 & echo $! > pid; yes; echo on")
with open(HOME + "/pid") as f:
    pid = int(f.read())
tap.ok(status == 126 and len(out) <= MIB and out.count(b"y\n") * 2 + 1 >=
       len(out) and KILLED in err and until(lambda: not alive(pid)),
       "or the line is killed with all it started", status, len(out), err)
status, out, err = run(AEGSH, "-s", data=b"echo a\nyes\necho on\n")
tap.ok(status == 126 and out.startswith(b"a\ny\n") and b"on" not in out and
       KILLED in err, "so is one on standard input, and those after it",
       status, out[-20:], err)
tap.ok(run(AEGSH, "-c", prints(MIB)) == (0, b"x" * MIB, ""),
       "one that keeps to it is not")
status, out, err = run(AEGSH, "-c", "exec yes")
tap.ok(status == 126 and KILLED in err, "bash need not be there", status, err)

# ---- a terminal ------------------------------------------------------------
PROMPT = "READY> $"
CUT = "more than 1 MiB since a key was typed; what comes now is left out"
SHOWN = "more than 1 MiB on the terminal since a key was typed"


def session(output="full"):
    with open(root + "/etc/aegsh.conf", "w") as f:
        f.write('prompt = "READY> "\noutput = %s\noutput-max = %d\n' %
                (output, 4 * MIB))
    s = Session([AEGSH], env=dict(env, TERM="xterm"), cwd=HOME)
    s.expect(PROMPT)
    return s


def shown(s, line, *more):
    """How many x it put on the terminal, and what else there was."""
    before = len(s.seen)
    s.line(line)
    for pattern, keys in more:
        s.expect(pattern)
        s.send(keys)
    s.expect(PROMPT)
    text = s.seen[before:]
    return text.count(b"x"), text.replace(b"x", b"").decode(
        "utf-8", "replace").replace("y\r\n", "")


XS = "tr '\\0' \\\\170"        # no x of its own
limit("limit-output = 1\n")
s = session()
n, text = shown(s, "head -c %d /dev/zero | %s" % (MIB - 100, XS))
tap.ok(n == MIB - 100 and "limit" not in text,
       "a terminal between shows what a line may write", n, text[-200:])
n, text = shown(s, "head -c %d /dev/zero | %s; echo on" % (2 * MIB, XS))
tap.ok(n == MIB and CUT in text and "\non" not in text and
       text.count(SHOWN) == 1, "and of more says at once that it is left out, "
       "and at the end which limit it was", n, text[-400:])
n, text = shown(s, "head -c %d /dev/zero | %s" % (MIB - 100, XS))
tap.ok(n == MIB - 100 and SHOWN not in text, "the next line has its own", n)
half = "head -c %d /dev/zero | %s" % (MIB * 3 // 4, XS)
asks = "; stty -echo -icanon; echo ke''y; head -c %d >/dev/null; "
n, text = shown(s, half + asks % 1 + half, ("key\r\n", "k"))
tap.ok(n == MIB * 3 // 4 * 2 and SHOWN not in text,
       "a key that is typed begins the count again", n, text[-300:])
n, text = shown(s, half + asks % 8 + half, ("key\r\n", "\x1b[24;80R"))
tap.ok(n == MIB - len("key\r\n") and SHOWN in text, "what a terminal answers does not", n,
       text[-300:])
for which in "Ctrl-C is a key as it always was", "the next line is told, too":
    n, text = shown(s, "yes", (CUT, "\x03"))
    tap.ok(SHOWN in text, which, text[-600:])
limit('limit-output = 1\nlimit-output-then = "kill"\n')
s.close()
s = session("sample")
n, text = shown(s, "sleep 1000 & echo $! > pid; yes")
with open(HOME + "/pid") as f:
    pid = int(f.read())
tap.ok("killed: it met its limit, limit-output: " + SHOWN in text and
       CUT not in text and until(lambda: not alive(pid)),
       "or the line is killed there, too", text[-300:])
tap.ok((s.run("echo $?", PROMPT) or "").startswith("126\n"),
       "with that status")
s.line("echo up; cat")
s.expect("up\r\n")
s.send("\x1a")
s.expect("Stopped.*" + PROMPT)
n, text = shown(s, "kill -9 %1; echo on")
tap.ok("limit" not in text, "and nothing of the next one is", text)
s.line("exit")
s.wait()
s.close()
s = session("none")
n, text = shown(s, "head -c %d /dev/zero | %s" % (2 * MIB, XS))
tap.ok(n == 2 * MIB and "limit" not in text,
       "without a terminal between nothing is counted", n, text[-300:])
s.line("exit")
s.wait()
s.close()
os.unlink(root + "/etc/aegsh.conf")
limit("limit-output = 0\n")
status, out, err = run(AEGSH, "-c", "echo on")
tap.ok(status != 0 and b"on" not in out and "limit" in err,
       "none at all is refused", err)
limit('limit-output = 1\nlimit-output-then = "burn"\n')
status, out, err = run(AEGSH, "-c", "echo on")
tap.ok(status != 0 and b"on" not in out and "truncate or kill" in err,
       "and so is another word", err)
tap.done()
