# SPDX-License-Identifier: ISC
"""The setting accessible, by the bytes that a screen reader gets: line after
line, nothing drawn over, no cursor moved but by the keys that move it, nothing
told by a colour."""

import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
work = os.path.join(env["HOME"], "work")
os.mkdir(work)
for name in ("first one", "fi-two", "fi-three"):
    with open(os.path.join(work, name), "w") as f:
        f.write("")


def settings(more="", prompt=PROMPT):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "%s"\naccessible = yes\nsuggest = yes\n'
                   'preview = yes\n%s' % (prompt, more))


def start(cols=60, **kw):
    s = Session([program("aegsh")], env=dict(env, **kw), cwd=work, cols=cols)
    if not s.expect(PROMPT):
        tap.ok(False, "a prompt appears", s.seen.decode("utf-8", "replace"))
        tap.done()
    return s


def read_out(s):
    """What was heard so far; the switch for marked pastes shows nothing."""
    text = re.sub(rb"\x1b\[\?2004[hl]", b"", s.seen)
    return text.decode("utf-8", "replace").replace("\r\n", "\n")


def leave(s):
    s.send("\x15\x04")
    s.wait()
    s.close()
    heard = read_out(s)
    odd = re.findall(r"[^\x07\x08\n -\x7e\u00a0-\uffff]+", heard)
    tap.same(odd, [], "no sequence and no carriage return")
    return heard


def step(s, keys, want, name):
    """Keys, and exactly what they make heard."""
    s.seen = s.rest = b""
    s.send(keys)
    s.expect(re.escape(want.replace("\n", "\r\n").encode()))
    tap.same(read_out(s), want, name)


def typing():
    settings()
    s = start()
    step(s, "echo abc", "echo abc", "what is typed is heard as it is")
    step(s, "\x7f\x7f", "\b \b\b \b", "what is rubbed out at the end, too")
    step(s, "\x02\x02", "\b\b", "Left goes back")
    step(s, "\x06", " ", "Right tells what it passes")
    step(s, "X", "\nREADY> echo Xa\b", "a change inside is told as a whole")
    step(s, "\x05", "a", "and so is the way to its end")
    step(s, "\x15", "\nREADY> ", "a line that was cut is another line")
    step(s, "\x19", "echo Xa", "what comes back, comes at the end")
    step(s, "\x17", "\nREADY> echo ", "a word that was cut")
    step(s, "\x03", "^C\nREADY> ", "Ctrl-C")
    step(s, "echo '<" + "y" * 100 + ">'", "echo '<" + "y" * 100 + ">'",
         "a line longer than the screen")
    step(s, "\r", "\n<" + "y" * 100 + ">\nREADY> ", "and what it prints")
    s.resize(30, 40)
    step(s, "echo '<a>'\r", "echo '<a>'\n<a>\nREADY> ", "on another screen")
    step(s, "\x1b[200~if true\rthen echo '<b>'\rfi\x1b[201~\r",
         "if true\nthen echo '<b>'\nfi\n<b>\nREADY> ", "a paste")
    step(s, "echo 'a\r", "echo 'a\nquote '> ", "a line that goes on")
    step(s, "b'\r", "b'\na\nb\nREADY> ", "to its end")
    leave(s)


def past():
    settings()
    s = start()
    for word in ("one", "two"):
        s.run("echo '<%s>'" % word, PROMPT)
    step(s, "\x1b[A", "\nREADY> echo '<two>'", "Up tells the line")
    step(s, "\x1b[A", "\nREADY> echo '<one>'", "and the one before it")
    step(s, "\x1b[B", "\nREADY> echo '<two>'", "Down likewise")
    step(s, "\x1f", "\nREADY> echo '<one>'", "undo")
    s.send("\x15")
    step(s, "\x12", "\nREADY> \n(reverse-i-search)`': ", "C-r")
    step(s, "o", "\n(reverse-i-search)`o': echo '<two>'", "a letter")
    step(s, "n", "\n(reverse-i-search)`on': echo '<one>'", "and another")
    step(s, "\r", "\nREADY> echo '<one>'\n<one>\nREADY> ", "Enter")
    heard = leave(s)
    tap.ok("->" not in heard and "[safe]" not in heard,
           "nothing is told at an edge", heard)


def menus():
    settings()
    s = start()
    end = time.monotonic() + DEADLINE
    while True:
        s.seen = s.rest = b""
        s.send("\x15ls fi\t\t")
        listed = s.expect("fi-three\r\n") and s.expect(r"READY> ls fi")
        heard = read_out(s)
        # A machine under load, as Session.asked().
        if "took too long" not in heard or time.monotonic() > end:
            break
    tap.ok(listed, "a list", heard)
    tap.ok("\n1. fi-three\n2. fi-two\n3. first one\nREADY> ls fi" in heard,
           "one a line, with its number, and the line again", heard)
    s.send("\x15kill -\t\t")
    s.expect("READY> kill -")
    s.send("\x15exe\t")
    s.expect("READY> exe|exec")
    s.resize(8, 60)
    tap.ok(s.asked("ls --\t\t", r"1\. --.*\n5\. --[^\n]*\n1/\d+: \d+ in all"),
           "a long one by pages", s.rest)
    tap.ok(s.asked("ls --\t\t\t", r"\n6\. --"), "of which the next goes on",
           s.rest)
    leave(s)


def decisions():
    settings("contact = \"the operator\"\n")
    s = start()
    tap.ok(s.asked("ls | sh\x18?", "You will be asked:") and
           s.expect(r"READY> ls \| sh"),
           "what would become of it is told by a key", s.rest)
    s.send("\r")
    s.expect(r"Run it\? \[y/N[a-z/]*/\?\] ")
    s.send("?\r")
    s.expect(r"Run it\? ")
    s.send("n\r")
    tap.ok(s.expect("not run: you said no\r\n" + PROMPT), "a question",
           s.rest)
    s.line("nc -e sh 127.0.0.1 1")
    tap.ok(s.expect("aegsh: blocked: ") and s.expect(PROMPT), "a refusal",
           s.rest)
    leave(s)


def prompts():
    settings(prompt="\\\\[\\\\e[1;31m\\\\]red\\\\[\\\\e[0m\\\\] "
             "READY> ")
    s = start(TERM="xterm-256color", COLORTERM="truecolor")
    heard = leave(s)
    tap.ok("red READY> " in heard, "a prompt without its colours", heard)


for part in (typing, past, menus, decisions, prompts):
    part()
tap.done()
