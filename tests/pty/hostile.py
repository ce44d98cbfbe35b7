# SPDX-License-Identifier: ISC
"""At a prompt, against those who mean no good or have bad luck: terminals
that go away, signals at every moment, answers that nobody gave."""

import contextlib
import os
import signal
import sys
import time

TOP = os.environ["abs_top_srcdir"]
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from procs import (DEADLINE, alive, children, command_line,  # noqa: E402
                   until)
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
ASKED = 'eval "$(rev <<< "reven ohce")"'


def asked(s):
    if not s.expect("Run it"):
        tap.ok(False, "the line is asked about", s.rest)


def settings(*lines):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "%s"\n' % PROMPT)
        conf.writelines(line + "\n" for line in lines)


settings()


def start(*args):
    s = Session([program("aegsh"), *args], env=env, cwd=env["HOME"])
    if s.expect(PROMPT) is None:
        tap.ok(False, "a prompt comes", s.seen)
        tap.done()
    return s


def child_with(s, text):
    """The child of the shell whose command line has the text."""
    found = []

    def look():
        found[:] = [p for p in children(s.pid) if text in command_line(p)]
        return found
    return found[0] if until(look) else None


def ended(s):
    def look():
        pid, status = os.waitpid(s.pid, os.WNOHANG)
        if pid:
            s.status = status
        return pid
    return until(look)


def drop_terminal(s):
    """The other side of the terminal closes."""
    os.close(s.fd)
    s.fd = os.open("/dev/null", os.O_RDWR)


# The terminal goes away, or a SIGHUP comes, at each stage.
for name, end in (("the terminal goes away", drop_terminal),
                  ("SIGHUP", lambda s: os.kill(s.pid, signal.SIGHUP))):
    s = start()
    end(s)
    tap.ok(ended(s), name + " at a prompt: the shell ends")
    s.close()
    s = start()
    s.line("sleep 987")
    child = child_with(s, b"sleep\x00987")
    tap.ok(child, name + ": a command runs")
    end(s)
    tap.ok(ended(s), name + " while it runs: the shell ends")
    tap.ok(until(lambda: not alive(child)), "and the command with it")
    s.close()
    s = start()
    s.line(ASKED)
    asked(s)
    end(s)
    tap.ok(ended(s), name + " at a question: the shell ends")
    s.close()

s = start()
s.line("trap '' HUP; sleep 20; sleep 986")
child = child_with(s, b"sleep 986")
until(lambda: children(child))
os.kill(s.pid, signal.SIGHUP)
tap.ok(ended(s), "a command that ignores SIGHUP does not keep the shell")
for pid in children(child) + [child]:
    os.kill(pid, signal.SIGKILL)
s.close()

# The shell is killed: the command must not go on without it.
s = start()
s.line("sleep 20; sleep 985")
child = child_with(s, b"sleep 985")
rest = until(lambda: children(child)) and children(child)
os.kill(s.pid, signal.SIGKILL)
tap.ok(until(lambda: not alive(child)),
       "aegsh killed: the bash of its line ends")
for pid in rest:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
s.close()

# Keys typed ahead do not answer a question, however long the paste.
s = start()
s.send(ASKED + "\r" + "y\r" * 3)
asked(s)
s.send("n\r")
tap.ok(s.expect(PROMPT), "a question is answered", s.seen)
tap.ok(b"\nnever" not in s.seen, "by what came after it, not before", s.seen)
for key, name in (("\x03", "Ctrl-C"), ("\x04", "Ctrl-D"),
                  ("\x1an\r", "Ctrl-Z")):
    s.line(ASKED)
    asked(s)
    s.send(key)
    tap.ok(s.expect(PROMPT) and b"\nnever" not in s.seen,
           name + " at a question is a no", s.seen)
s.line("exit 0")
tap.same(s.wait(), 0, "and the shell lives on")
s.close()


# Started in the background, a prompt waits to be brought to the front.
s = Session(["/bin/bash", "--norc", "--noprofile", "-i"],
            env=dict(env, PS1="OUTER> "), cwd=env["HOME"])
s.expect("OUTER> ")
s.line(program("aegsh") + " & echo pid=$!.")
child = int(s.expect(r"pid=(\d+)\.").group(1))


def is_stopped():
    with open("/proc/%d/stat" % child) as f:
        return f.read().rsplit(")", 1)[1].split()[0] == "T"


tap.ok(until(is_stopped), "a prompt in the background stops")
s.line("fg")
tap.ok(s.expect(PROMPT), "and comes up when it is in front", s.seen)
s.line("sleep 984")
sleeper = None


def sleeps():
    global sleeper
    sleeper = [p for p in children(child) if b"984" in command_line(p)]
    return sleeper


tap.ok(until(sleeps), "with job control")
s.send("\x03")
tap.ok(s.expect(PROMPT), "of its own", s.seen)
s.line("exit")
s.expect("OUTER> ")
s.line("exit")
s.wait()
s.close()

# ---- commands that take what is the shell's --------------------------------
def script(name, *lines):
    path = os.path.join(root, name)
    with open(path, "w") as f:
        f.write("\n".join(("import os, signal, sys, time",) + lines) + "\n")
    return "/usr/bin/python3 %s" % path


def beside(s, line):
    """Start a job, asked or not; its number of a process."""
    s.line(line)
    found = s.expect(r"Run it\?|\[\d+\] (\d+)\r")
    if found.group(1) is None:
        s.line("y")
        found = s.expect(r"\[\d+\] (\d+)\r")
    s.expect(PROMPT)
    return int(found.group(1))


THIEF = script(
    "thief.py", "signal.signal(signal.SIGTTOU, signal.SIG_IGN)",
    "tty = os.open('/dev/tty', os.O_RDWR)",
    "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])",
    "open(sys.argv[1], 'w').close()",
    "signal.sigwait([signal.SIGUSR1])", "os.tcsetpgrp(tty, os.getpgrp())",
    "time.sleep(60)")
for what in ("prompt", "question"):
    s = start()
    mark = os.path.join(env["HOME"], "thief-" + what)
    thief = beside(s, "%s %s &" % (THIEF, mark))
    if what == "question":
        s.line(ASKED)
        asked(s)
    until(lambda: os.path.exists(mark))
    os.kill(thief, signal.SIGUSR1)
    tap.ok(until(lambda: os.tcgetpgrp(s.fd) == thief),
           "a job takes the terminal away from a " + what)
    if what == "question":
        # Nobody could answer, which is a no.
        s.send("y\r")
        tap.ok(s.expect(PROMPT) and b"\nnever" not in s.seen,
               "where nothing is run for it", s.seen)
    s.line("echo al''ive")
    tap.ok(s.expect("\nalive\r"), "and the shell lives on", s.seen)
    s.expect(PROMPT)
    s.line("kill -9 %1")
    s.expect(PROMPT)
    s.line("exit 0")
    tap.same(s.wait(), 0, "and can be left")
    s.close()

# What the sandbox shows is what was there when its session began.
GONE = script("gone.py", "os.setpgid(0, os.getppid())",
              "open(sys.argv[1], 'w').close()", "time.sleep(60)")
s = start()
for n, end in ((1, "fg"), (2, "kill %1")):
    mark = os.path.join(env["HOME"], "gone%d" % n)
    gone = beside(s, "%s %s &" % (GONE, mark))
    tap.ok(until(lambda: os.path.exists(mark)), "a job leaves its group",
           s.seen[-1000:])
    s.line(end)
    if end == "fg":
        s.expect("fg\r\n[^\r]*gone.py")
        until(lambda: command_line(gone))
        s.send("\x03")
    tap.ok(s.expect(PROMPT), "and still " + end + " gets at it", s.seen)
    tap.ok(until(lambda: not alive(gone)), "and ends it")
s.line("wait")
s.expect(PROMPT)
s.line("exit 0")
tap.same(s.wait(), 0, "the shell was not harmed")
s.close()

# Storms.
s = start()
s.send("true &\r" * 200 + "wait; echo al''l\r")
tap.ok(s.expect("\nall\r") and s.expect(PROMPT),
       "200 short jobs at once", s.seen[-2000:])
tap.same(s.run("jobs", PROMPT), "", "leave nothing behind")
s.send("echo ab")
for n in range(200):
    s.resize(20 + n % 10, 60 + n % 50)
    os.kill(s.pid, signal.SIGWINCH)
s.send("cd\r")
tap.ok(s.expect("\nabcd\r"), "200 changes of the window in a line", s.seen)
s.expect(PROMPT)
out = s.run("stty size", PROMPT)
tap.same(out, "29 109\n", "of which the last one holds")
s.resize(24, 200)
s.line("sh -c 'echo u''p; exec sleep 30'")
s.expect("\nup\r")
s.resize(31, 77)
s.send("\x03")
s.expect(PROMPT)
tap.same(s.run("stty size", PROMPT), "31 77\n", "also while a command runs")
s.resize(24, 200)
for sig in (signal.SIGSTOP, signal.SIGKILL):
    for pid in children(s.pid):
        # Some end of themselves.
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, sig)
    # The prompt may be drawn anew for the new size.
    s.line("echo %s o''n" % sig.name)
    tap.ok(s.expect("\n%s on\r" % sig.name) and s.expect(PROMPT),
           "%s to the launcher stops no line" % sig.name, s.seen[-500:])
s.line("exit 0")
tap.same(s.wait(), 0, "the end")
s.close()

# A paste: every line, once, in order, though each has the terminal.
s = start()
pasted = "".join("echo n%d >>out\r" % n for n in range(200)).encode()
out = os.path.join(env["HOME"], "out")
while pasted:
    pasted = pasted[os.write(s.fd, pasted[:64]):]
    while s._fill(time.monotonic()):
        pass
s.line("echo al''l")
s.expect("\nall\r")
with open(out) as f:
    tap.ok(f.read().split() == ["n%d" % n for n in range(200)],
           "200 pasted lines run, in order")
s.close()

# ---- nobody is locked out --------------------------------------------------
# Who runs this test is the operator of its place; another uid is a user.
USER = 4242 if os.geteuid() == 0 else None
user_env = dict(env, AEGSH_TEST_OPERATOR="0")
os.chmod(os.path.join(root, "own"), 0o1777)
etc = os.path.join(root, "etc")
rules = os.path.join(etc, "policy.d")
os.mkdir(rules)


def put(path, text, mode=0o644):
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)


def broken_rules():
    put(os.path.join(rules, "broken.conf"), "rule {{{\n")


def broken_settings():
    put(os.path.join(etc, "aegsh.conf"), "no-such-option = 1\n")


def open_settings():
    put(os.path.join(etc, "aegsh.conf"), 'mode = "managed"\n', 0o666)


def lost_profile():
    put(os.path.join(etc, "aegsh.conf"), 'profile = "gone"\n')


def lost_sandbox():
    put(os.path.join(etc, "aegsh.conf"), "")
    os.makedirs(os.path.join(etc, "sandbox.d"), exist_ok=True)
    for name in os.listdir(os.path.join(TOP, "share", "sandbox")):
        put(os.path.join(etc, "sandbox.d", name), "nonsense\n")


def lost_rules():
    put(os.path.join(etc, "aegsh.conf"), "")
    env["AEGSH_TEST_DATA"] = user_env["AEGSH_TEST_DATA"] = root + "/none"


def mended():
    env["AEGSH_TEST_DATA"] = os.path.join(TOP, "share")
    user_env["AEGSH_TEST_DATA"] = env["AEGSH_TEST_DATA"]
    for folder in (rules, os.path.join(etc, "sandbox.d")):
        if os.path.isdir(folder):
            for name in os.listdir(folder):
                os.unlink(os.path.join(folder, name))
    settings()
    os.chmod(os.path.join(etc, "aegsh.conf"), 0o644)


for what in (broken_rules, broken_settings, open_settings, lost_profile,
             lost_sandbox, lost_rules):
    name = what.__name__.replace("_", " ")
    mended()
    what()
    s = Session([program("aegsh")], env=env, cwd=env["HOME"])
    good = s.expect("aegsh: RESCUE: you are asked") and s.expect("[#$] ")
    tap.ok(good, name + ": the operator gets in, and is told", s.seen)
    s.line("rm -f %s/policy.d/broken.conf; touch %s/mended" % (etc, etc))
    tap.ok(s.expect("Run it"), "is asked")
    s.line("y")
    tap.ok(s.expect("RESCUE [^\r\n]*[#$] ") and
           os.path.exists(os.path.join(etc, "mended")),
           "and can mend aegsh's own files", s.seen)
    s.line("enable -f ./no-such.so x")
    tap.ok(s.expect("blocked: "), "what the floor forbids stays so", s.seen)
    s.line("exit 0")
    tap.same(s.wait(), 0, "and leaves")
    s.close()
    os.unlink(os.path.join(etc, "mended"))
    what()
    s = Session([program("aegsh"), "-l"], env=user_env, cwd="/", uid=USER)
    good = s.expect("aegsh: RESCUE: until") and s.expect("[#$] ")
    tap.ok(good, name + ": a user gets in, and is told", s.seen)
    s.line("cat /etc/hostname")
    tap.ok(s.expect("blocked: "), "runs nothing else", s.seen)
    s.line("cd /usr")
    s.line("dirs")
    tap.ok(s.expect("\n/usr\r"), "can look around", s.seen)
    s.line("exit 3")
    tap.same(os.waitstatus_to_exitcode(s.wait()), 3, "and leave")
    s.close()
mended()

# A kernel that lacks what the profile requires is no file's fault.
WITHOUT = [sys.executable, os.path.join(TOP, "tests/lib/without_landlock.py")]
s = Session(WITHOUT + [program("aegsh")], env=env, cwd=env["HOME"])
good = s.expect("no line would run: [^\r\n]*landlock") and \
    s.expect("aegsh: RESCUE: you are asked") and s.expect("[#$] ")
tap.ok(good, "a layer is missing: the operator gets in, and is told", s.seen)
s.line("touch %s/mended" % etc)
tap.ok(s.expect("Run it"), "is asked")
s.line("y")
tap.ok(s.expect("RESCUE [^\r\n]*[#$] ") and
       os.path.exists(os.path.join(etc, "mended")), "and can mend it", s.seen)
s.line("exit 0")
tap.same(s.wait(), 0, "and leaves")
s.close()
if USER is None:
    # Its settings would belong to who runs this, and for a user they are
    # root's: nobody but root can make both.
    tap.skip("a layer is missing, for a user", "needs root")
else:
    s = Session(WITHOUT + [program("aegsh"), "-l"], env=user_env, cwd="/",
                uid=USER)
    tap.ok(s.expect("no line will run") and s.expect(PROMPT),
           "a user gets in, and is told", s.seen)
    s.line("ls /")
    tap.ok(s.expect("not run: [^\r\n]*landlock"), "runs nothing", s.seen)
    s.line("exit 3")
    tap.same(os.waitstatus_to_exitcode(s.wait()), 3, "and leaves")
    s.close()
# The same when managed, for who did not log in with it: told once before the
# prompt, and each line is refused, with a status.
settings('mode = managed')
if USER is None:
    tap.skip("managed, and a layer is missing", "needs root")
else:
    s = Session(WITHOUT + [program("aegsh")], env=user_env, cwd="/",
                uid=USER)
    tap.ok(s.expect("no line will run: [^\r\n]*landlock") and
           s.expect(PROMPT), "managed, and a layer is missing: is told",
           s.seen)
    s.line("echo ne''ver")
    tap.ok(s.expect("not run: [^\r\n]*landlock") and s.expect(PROMPT) and
           b"never" not in s.seen, "runs nothing", s.seen)
    s.line("exit")
    tap.same(os.waitstatus_to_exitcode(s.wait()), 126,
             "and leaves with the status of what did not run")
    s.close()
tap.done()
