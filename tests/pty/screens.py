# SPDX-License-Identifier: ISC
"""Programs that take the whole screen, at a prompt: they draw, they read
keys, Ctrl-Z and fg leave and enter them, and the terminal is afterwards what
it was."""

import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
    conf.write('prompt = "%s"\n' % PROMPT)
work = os.path.join(env["HOME"], "work")
os.mkdir(work)
with open(os.path.join(work, "f"), "w") as f:
    f.write("".join("a line %d\n" % n for n in range(200)))
with open(os.path.join(env["HOME"], ".gitconfig"), "w") as f:
    f.write("[user]\n\tname = A\n\temail = a@example.org\n"
            "[core]\n\teditor = vi -u NONE\n")
s = Session([program("aegsh")], env=env, cwd=work, cols=100)
s.expect(PROMPT)


def modes():
    """The terminal's settings, as a command finds them."""
    return re.sub(r"\s+", " ", s.run("stty -a", PROMPT) or "nothing")


MODES = modes()


def screen(line, shows, keys, name=None, after=PROMPT, needs=None):
    """A program that shows something, is left by keys, and leaves all as it
    was."""
    needs = needs or line.split()[0]
    name = name or line
    if shutil.which(needs, path=env["PATH"]) is None:
        tap.skip(name, needs + " is not installed")
        return False
    s.line(line)
    shown = s.expect(shows)
    tap.ok(shown, name + ": it shows", s.rest[-300:])
    s.send(keys)
    tap.ok(s.expect(after), name + ": and is left", s.rest[-300:])
    tap.same(modes(), MODES, name + ": the terminal is as before")
    return True


screen("less f", "a line 10\r\n", "q")
screen("top", "PID +USER", "q")
screen("vi -u NONE f", "a line 9", ":q!\r")
if screen("vi -u NONE f", "a line 9", "\x1a", name="vi, stopped",
          after=r"Stopped[^\n]*\n(.*\n)?" + PROMPT):
    s.line("jobs")
    tap.ok(s.expect("Stopped +vi"), "it is a job", s.rest[-300:])
    s.expect(PROMPT)
    screen("fg", "a line 9", "Ix\x1b:wq\r", name="vi again", needs="vi")
    with open(os.path.join(work, "f")) as f:
        tap.same(f.readline(), "xa line 0\n", "which has written")
if shutil.which("git", path=env["PATH"]) and \
        shutil.which("vi", path=env["PATH"]):
    for words in (("init", "-q"), ("add", "f")):
        subprocess.run(["git", *words], env=env, cwd=work, check=True)
    screen("git commit", "Changes to be committed", "imessage\x1b:wq\r")
    log = subprocess.run(["git", "log", "--format=%s"], env=env, cwd=work,
                         stdout=subprocess.PIPE).stdout
    tap.same(log, b"message\n", "an editor within git")
else:
    tap.skip("git commit", "git or vi is not installed")
s.line("exit 7")
tap.same(os.waitstatus_to_exitcode(s.wait()), 7, "and the shell ends well")
s.close()
tap.done()
