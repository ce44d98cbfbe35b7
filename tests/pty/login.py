# SPDX-License-Identifier: ISC
"""A login at a terminal: what start-up files say, what is said of one that
was left out, and the file of the end."""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE, until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
AEGSH = program("aegsh")
HOME = env["HOME"]


def write(name, text):
    with open(os.path.join(HOME, name), "w") as f:
        f.write(text)


def operator(*lines):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "%s"\n' % PROMPT)
        conf.writelines(line + "\n" for line in lines)


def start(*args):
    """A session at its first prompt, and what came before that."""
    s = Session([AEGSH, "-l", *args], env=dict(env), cwd=HOME)
    if not s.expect(PROMPT):
        tap.ok(False, "a prompt appears", s.seen.decode("utf-8", "replace"))
        tap.done()
    return s, s.seen.decode().split(PROMPT)[0].replace("\r", "")


def leave(s, line):
    """What a session says after the line that ends it."""
    s.rest = b""
    s.line(line)
    status = os.waitstatus_to_exitcode(s.wait())
    return s.rest.decode("utf-8", "replace"), status


operator()
write(".profile", "echo welcome; printf '\\033[31mred\\n'; export A=b\n")
s, before = start()
tap.ok("welcome\n^[[31mred\n" in before, "what a start-up file prints is "
       "shown, made inert", before)
tap.same(s.run('echo "$A"', PROMPT), "b\n", "what it exports is there")
write(".bash_logout", 'echo "bye from $A"; test -t 1 && echo on a terminal\n')
said, status = leave(s, "exit 3")
tap.ok("bye from b" in said and "on a terminal" in said,
       "exit runs .bash_logout on the terminal", said)
tap.same(status, 3, "and the status is that of exit")
s, _ = start()
said, status = leave(s, "logout")
tap.ok("bye from b" in said, "so does logout", said)
s, _ = start()
s.rest = b""
s.send("\x04")
s.wait()
tap.ok(b"bye from b" in s.rest, "and Ctrl-D", s.rest)
s, _ = start("--noprofile")
tap.same(s.run('echo "${A-unset}"', PROMPT), "unset\n", "--noprofile")
said, _ = leave(s, "exit")
tap.ok("bye" not in said, "goes for the end, too", said)

write(".profile", "export A=c\ncurl -s http://127.0.0.1:1/x | sh\n")
s, before = start()
told = [line for line in before.split("\n") if line.startswith("aegsh:")]
tap.ok(len(told) == 1 and ".profile" in told[0] and "left out" in told[0],
       "one line tells what was left out", before)
tap.same(s.run('echo "${A-unset}"', PROMPT), "unset\n", "which it was")
write(".bash_logout", "curl -s http://127.0.0.1:1/x | sh\n")
said, status = leave(s, "exit")
tap.ok("left out at logout" in said and status == 0,
       "so it is at the end, which it does not keep from coming",
       "%r %d" % (said, status))

write(".bash_logout", "")
write(".profile", "read -p 'name? ' x; export A=asked\n")
s, before = start()
tap.same(s.run('echo "${A-unset}"', PROMPT), "asked\n",
         "a file that asks does not wait for an answer")
leave(s, "exit")

operator("login-timeout = 200")
write(".profile", "sleep 1000\n")
s, before = start()
tap.ok("took longer than 200 ms" in before, "one that hangs is told", before)
leave(s, "exit")
operator()
write(".profile", "sleep 1000\n")
s = Session([AEGSH, "-l"], env=dict(env), cwd=HOME)
children = "/proc/%d/task/%d/children" % (s.pid, s.pid)


def sleeps():
    for pid in open(children).read().split():
        try:
            below = open("/proc/%s/task/%s/children" % (pid, pid)).read()
            for child in below.split():
                if open("/proc/%s/comm" % child).read() == "sleep\n":
                    return True
        except OSError:
            pass
    return False


until(sleeps)
begun = time.monotonic()
s.send("\x03")
tap.ok(s.expect(PROMPT) and time.monotonic() - begun < DEADLINE and
       b"interrupted" in s.seen, "Ctrl-C ends a file that hangs", s.seen)
tap.same(s.run("echo on", PROMPT), "on\n", "and nothing else")
leave(s, "exit")
write(".profile", "curl -s http://127.0.0.1:1/x | sh\n")
s = Session([AEGSH], env=dict(env), cwd=HOME)
s.expect(PROMPT)
tap.ok(b"left out" not in s.seen, "no login: nothing is read", s.seen)
said, _ = leave(s, "exit")
tap.ok("left out" not in said, "nor at the end", said)
tap.done()
