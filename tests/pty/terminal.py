# SPDX-License-Identifier: ISC
"""A prompt whose lines' output is kept: the terminal that stands between
behaves as the one outside, to keys, sizes, jobs and full screens; nothing
that was typed is kept, nothing goes on unseen, and the person's terminal is
given back whoever dies."""
import fcntl
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE, alive, children, until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place(operator=True, leaks=False)
env["TERM"] = "xterm"
env["TMUX_TMPDIR"] = env["HOME"]
env["API_TOKEN"] = "tok-8f3a11d0c7754be2"
AEGSH, CTL = program("aegsh"), program("aegshctl")
HOME = env["HOME"]
PROMPT = "P> $"
TIOCGPTN = 0x80045430


def settings(text):
    with open(root + "/etc/aegsh.conf", "w") as f:
        f.write('prompt = "P> "\n' + text)


def begin(**more):
    s = Session([AEGSH], env=env, cwd=HOME, **more)
    s.expect(PROMPT)
    return s


def comm(pid):
    try:
        with open("/proc/%d/comm" % pid) as f:
            return f.read().strip()
    except OSError:
        return ""


def events():
    """Of all recordings."""
    got = []
    for path in glob.glob(root + "/own/*/output/*"):
        with open(path, "rb") as f:
            got += [json.loads(line) for line in f.read().splitlines()
                    if line.startswith(b"[")]
    return got


def kept():
    return "".join(e[2] for e in events() if e[1] == "o")


def outside(s):
    number = fcntl.ioctl(s.fd, TIOCGPTN, b"\0" * 4)
    return "/dev/pts/%d" % int.from_bytes(number, sys.byteorder)


def run(s, line):
    return s.run(line, "P> $")


# What is not wanted costs nothing.
settings("")
s = begin()
tap.same((comm(s.pid), run(s, "tty")), ("aegsh", outside(s) + "\n"),
         "without the setting there is no terminal between")
s.line("exit")
s.wait()
s.close()

settings("output = full\n")
pair = os.openpty()
outer = termios.tcgetattr(pair[0])
s = begin()
tap.ok(comm(s.pid) == "aegsh-terminal", "with it there is one", comm(s.pid))
tap.same(run(s, "echo hello; exit 3"), "hello\n", "a line")
tap.same(run(s, "echo $?"), "3\n", "its status")
size = run(s, "stty size; stty -g")
tap.ok(size.startswith("24 200\n"), "the size is the one outside", size)
s.resize(30, 90)
tap.ok(until(lambda: run(s, "stty size") == "30 90\n"), "and follows it")
# No loop of bash's: a SIGINT that comes between two of its commands may make
# bash 5.2 deaf to all later ones, with and without aegsh.
with open(HOME + "/sizes.py", "w") as f:
    f.write("""
import os, signal
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])
print("u" + "p", flush=True)
while signal.sigwait([signal.SIGWINCH]):
    size = os.get_terminal_size()
    print(size.lines, size.columns, flush=True)
""")
s.line("python3 sizes.py")
s.expect("up\r\n")
s.resize(40, 100)
tap.ok(s.expect("40 100"), "SIGWINCH reaches a line")
s.send("\x03")
s.expect(PROMPT)
tap.same(run(s, "echo $?"), "130\n", "Ctrl-C ends a line")
s.line("echo up; cat")
s.expect("up\r\n")
s.line("a typed word")
tap.ok(s.expect("a typed word\r\n.*a typed word"), "keys reach a line")
s.send("\x04")
tap.ok(s.expect(PROMPT), "Ctrl-D is its end of input")

# Jobs.
s.line("echo up; cat")
s.expect("up\r\n")
s.send("\x1a")
tap.ok(s.expect("Stopped.*" + PROMPT), "Ctrl-Z stops a line")
s.line("fg")
s.expect("cat\r\n")
s.line("goes on")
tap.ok(s.expect("goes on\r\n.*goes on"), "fg has it go on")
s.send("\x03")
tap.ok(s.expect(PROMPT), "and Ctrl-C ends it")
s.line("sleep 1000 &")
s.expect(PROMPT)
tap.ok("Running" in (run(s, "jobs") or ""), "a job in the background")
run(s, "kill %1")

# Modes are the line's own business, and the prompt's again after it.
run(s, "stty -echo -icanon; kill -9 $$")
tap.ok(" echo " in (run(s, "stty -a | tr ';' ' '") or ""),
       "modes of a line that died are not kept")

# Typed with and without echo; a secret in pieces; a foreign mark.
s.line("read -p 'first: ' x; stty -echo; read -p 'second: ' y; stty echo; "
       "echo; echo done")
s.expect("first: ")
s.line("typedwithecho")
s.expect("second: ")
s.line("typedwithoutecho")
s.expect("done\r\n.*" + PROMPT)
run(s, "printf 'value tok-8f3a'; sleep 0.2; echo 11d0c7754be2 end")
fake = "\\033]7777;%s\\a" % ("AB" * 16)
got = run(s, "printf '<%s>\\n'" % fake)
tap.same(got, "<\033]7777;%s\a>\n" % ("AB" * 16),
         "what only looks like a mark of ours arrives")

# Full screens.
with open(HOME + "/text", "w") as f:
    f.write("".join("row %d\n" % i for i in range(300)))
s.resize(24, 80)
if shutil.which("vim.tiny"):
    s.line("vim.tiny -u NONE note")
    s.expect("note.*\\[New")
    s.send("ihello from vim\x1b:wq\r")
    s.expect(PROMPT)
    with open(HOME + "/note") as f:
        tap.same(f.read(), "hello from vim\n", "vim writes a file")
else:
    tap.skip("vim writes a file", "no vim.tiny")
if shutil.which("less"):
    s.line("less text")
    s.expect("row 1\r?\n")
    s.send("G")
    tap.ok(s.expect("row 299"), "less goes to the end")
    s.send("q")
    s.expect(PROMPT)
else:
    tap.skip("less goes to the end", "no less")
if shutil.which("tmux"):
    s.line("tmux -L t -f /dev/null new")
    said = s.expect(r"Run it\?|\[0\]|P> $")
    if said and b"Run" in said.group(0):
        s.send("y\r")
        said = s.expect(r"\[0\]|P> $")
    if said and b"[0]" in said.group(0):
        s.line("echo in$((1))side")
        tap.ok(s.expect("in1side"), "tmux, and a shell in it")
        s.line("exit")
        tap.ok(s.expect("exited.*" + PROMPT), "and its end")
    else:
        tap.skip("tmux, and a shell in it", "it does not start here")
else:
    tap.skip("tmux, and a shell in it", "no tmux")
s.line("printf '**\\030B00000000000000'; printf '\\030binary'; echo sent")
s.expect("sent.*" + PROMPT)

# Nobody else opens the person's terminal meanwhile.
if os.getuid() != 0:
    out = run(s, ": <%s" % outside(s))
    tap.ok("busy" in out, "the outer terminal cannot be opened", out)
else:
    tap.skip("the outer terminal cannot be opened", "root may")

s.line("exit 5")
tap.same(s.wait(), 5 << 8, "the session's status")
tap.same(termios.tcgetattr(s.fd)[:4], outer[:4], "the modes are given back")
s.close()

text = kept()
tap.ok("hello\r\n" in text and "hello from vim" in text,
       "what lines wrote is kept")
tap.ok("typedwithecho" not in text and "typedwithoutecho" not in text,
       "nothing that was typed is")
tap.ok("P> " not in text and "7777" in text and text.count("7777") == 1,
       "neither are prompts and marks", text.count("7777"))
tap.ok("tok-8f3a" not in text and "11d0c7754be2" not in text,
       "nor a secret that came in pieces")
tap.ok("sent" not in text, "nor a transfer of files through the terminal")
rows = [json.loads(row) for row in subprocess.run(
    [CTL, "history", "--json", "-n", "0"], env=env, capture_output=True,
    text=True, timeout=DEADLINE).stdout.splitlines()]
lines = {e[2].split()[-1] for e in events() if e[1] == "m"}
tap.ok(lines and lines <= {row.get("uuid") for row in rows},
       "each line of a recording is on record", rows[:1])

# The process outside is killed: the line is, and the modes are given back.
s = begin()
s.line("trap '' HUP TERM INT; echo up-$$-; while sleep 1; do :; done")
bash = int(s.expect("up-(\\d+)-\r").group(1))
raw = termios.tcgetattr(s.fd)[3] & termios.ICANON
os.kill(s.pid, signal.SIGKILL)
tap.ok(until(lambda: not alive(bash)), "it is killed: so is the line")
tap.ok(not raw and
       until(lambda: termios.tcgetattr(s.fd)[3] & termios.ICANON),
       "and the person's terminal has its modes again")
s.wait()
s.close()

# The shell is killed: likewise, and its end is told.
s = begin()
shell = children(s.pid)[0]
os.kill(shell, signal.SIGKILL)
status = s.wait()
tap.ok(os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL and
       termios.tcgetattr(s.fd)[3] & termios.ICANON,
       "the shell is killed: its status, and the modes", status)
s.close()

# The person's terminal goes away: so does the session.
s = begin()
shell = children(s.pid)[0]
os.close(s.fd)
tap.ok(until(lambda: not alive(shell)), "a hangup ends the session")
os.waitpid(s.pid, 0)

# Stopped and continued from outside.
s = begin()
shell = children(s.pid)[0]
os.kill(shell, signal.SIGSTOP)
stopped = until(lambda: os.waitpid(s.pid, os.WNOHANG | os.WUNTRACED)[0])
tap.ok(stopped and termios.tcgetattr(s.fd)[3] & termios.ICANON,
       "a shell that is stopped: who started it sees that")
os.kill(s.pid, signal.SIGCONT)
s.line("echo a$((1))gain")
tap.ok(s.expect("a1gain\r\n.*" + PROMPT), "and it goes on")
s.line("exit")
s.wait()
s.close()

# Others that write on do not keep it: a terminal is slower than they are.
s = begin()
s.line("(trap '' HUP; while printf %04000d 1; do :; done) & echo p$!p")
flood = int(s.expect(r"p(\d+)p").group(1))
s.line("exit")
s.line("exit")
end = time.monotonic() + DEADLINE
while os.waitpid(s.pid, os.WNOHANG)[0] == 0 and time.monotonic() < end:
    try:
        os.read(s.fd, 2000)
    except OSError:
        break
    time.sleep(0.001)
tap.ok(time.monotonic() < end, "its end, where something writes for ever")
s.status = 0
if alive(flood):
    os.kill(flood, signal.SIGKILL)
s.close()

# A disk that stalls: whoever writes the recording does not answer.
settings("output = full\nrecord-wait = 200\n")
s = begin()
run(s, "echo before")
writers = []


def written():
    writers[:] = [p for p in children(s.pid) if comm(p) == "aegsh-cast"]
    return writers


until(written)
tap.same(len(writers), 1, "a process of its own writes the recording")
os.kill(writers[0], signal.SIGSTOP)
s.line("echo h$((1))eld")
tap.ok(s.expect("h1eld\r\n.*record-wait.*" + PROMPT),
       "stopped, it holds no line longer than record-wait", s.rest)
s.line("echo g$((1))oes")
tap.ok(s.expect("g1oes\r\n.*" + PROMPT), "nor the next", s.rest)
os.kill(writers[0], signal.SIGCONT)
tap.ok(until(lambda: "h1eld" in kept() and "g1oes" in kept()),
       "all of it is in the recording once it goes on")
s.line("exit")
s.wait()
s.close()
settings("output = full\n")

# A line that leaves O_NONBLOCK on the terminal, and it full: that is no end of
# what carries it on.
FULL = os.path.join(env["HOME"], "full.py")
with open(FULL, "w") as f:
    f.write("import fcntl, os, select, sys\n"
            "fcntl.fcntl(1, fcntl.F_SETFL, os.O_RDWR | os.O_NONBLOCK)\n"
            "while select.select([], [1], [], 0.3)[1]:\n"
            "    try:\n"
            "        os.write(1, b'x' * 1023 + b'\\n')\n"
            "    except BlockingIOError:\n"
            "        pass\n"
            "open(sys.argv[0] + '.done', 'w')\n")
s = begin()
s.line("python3 full.py")
until(lambda: os.path.exists(FULL + ".done"))
tap.ok(s.expect(PROMPT), "a full terminal that does not block", s.rest)
tap.same(run(s, "echo still there"), "still there\n", "the next line runs")
tap.ok("xxxx" in kept() and "still there\r\n" in kept(),
       "and each is in the recording, as far as its own")
s.line("exit")
s.wait()
s.close()

# Sent to the background by another shell, it waits there for its terminal.
s = Session(["/bin/bash", "--norc", "--noprofile", "-i"],
            env=dict(env, PS1="B> ", HISTFILE=""), cwd=env["HOME"])
s.expect("B> $")
s.line(program("aegsh"))
s.expect(PROMPT)
os.kill(children(children(s.pid)[0])[0], signal.SIGSTOP)
s.expect("B> $")
s.line("bg; until jobs -s | grep -q aegsh; do sleep 0.1; done; "
       "stty -a | grep -q -- ' icanon' && echo ca$((1))m")
tap.ok(s.expect("ca1m\r\n.*B> $"), "in the background it stops again, and "
       "the terminal is as others had it", s.rest)
s.line("fg")
s.line("echo a$((1))gain")
tap.ok(s.expect("a1gain\r\n.*" + PROMPT), "and goes on in front", s.rest)

# What a program leaves behind on the terminal that it shares with all.
s.line("python3 -c 'import fcntl, os; fcntl.fcntl(0, fcntl.F_SETFL, "
       "os.O_RDWR | os.O_NONBLOCK)'; echo s$((1))t")
s.expect("s1t\r\n.*" + PROMPT)
s.line("echo r$((1))y; cat; echo c$((1))t")
s.expect("r1y\r\n")
s.send("hello\r")
tap.ok(s.expect("hello\r\nhello\r\n"), "reads of the next line block", s.rest)
s.send("\x04")
s.expect("c1t\r\n.*" + PROMPT)
s.line("exit")
s.expect("B> $")
s.line("exit")
s.wait()
s.close()
tap.done()
