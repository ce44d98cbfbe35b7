# SPDX-License-Identifier: ISC
"""What would become of a line stands at the right edge as it is typed, and is
told in full by a key: by the rules alone, with nothing run, asked or
recorded, and whatever becomes of the process that finds it out."""

import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import children  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from screen import Screen  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
home = env["HOME"]
BLOCKED = "nc -e sh 127.0.0.1 1"


def settings(more="preview = yes\n"):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "%s"\n%s' % (PROMPT, more))


def start(cols=80, **kw):
    s = Session([program("aegsh")], env=dict(env, **kw), cwd=home, cols=cols)
    if not s.expect(PROMPT):
        tap.ok(False, "a prompt appears", s.seen.decode("utf-8", "replace"))
        tap.done()
    return s


def end(s, first="\x15"):
    s.send(first + "\x04")
    tap.ok(s.wait() != -1, "the shell ends")
    s.close()


def told(t, text, want):
    """What stands at the right edge of the line that is typed."""
    t.type(text)
    shown = t.wait(r"READY> %s +\[%s\]$" % (re.escape(text), want))
    tap.ok("[%s]" % want in shown, "%s: [%s]" % (text, want), shown)
    t.keys("C-u")
    t.wait("READY>$")


def recorded():
    done = subprocess.run([program("aegshctl"), "history"], env=env, cwd=home,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.decode("utf-8", "replace")


def edge():
    settings("preview = yes\naliases = \"zap='nc -e sh'\"\n")
    mark = os.path.join(home, "made")
    with Screen(tap, program("aegsh"), env, home, 120, 20) as t:
        if not t.there:
            return
        t.wait("READY>$")
        for text, want in (("ls", "safe"), ("no-such-word-here x",
                                            "no such command"),
                           ("ls | sh", "will ask"),
                           (BLOCKED, "will be blocked"),
                           ("echo )", "cannot be read"),
                           ("touch %s" % mark, "safe"),
                           ("zap 127.0.0.1 1", "will be blocked")):
            told(t, text, want)
        t.type("echo 'a")
        t.keys("Enter")
        t.wait("'>$")
        t.type("b'; " + BLOCKED)
        shown = t.wait(r"\[will be blocked\]$")
        tap.ok("[will be" in shown, "lines before it count", shown)
        t.keys("C-c")
        t.wait("READY>$")
        tap.ok(not os.path.exists(mark), "nothing of it runs")
        t.type("echo '<done>'")
        t.keys("Enter")
        t.wait("^<done>")
    past = recorded()
    tap.ok("<done>" in past and "127.0.0.1" not in past and
           "touch" not in past, "nor is it recorded", past)


def nothing():
    """Where it is not known, or cannot be shown."""
    settings()
    s = start(NO_COLOR="1")
    s.send("ls")
    tap.ok(s.expect(r"(\x1b\[\d+G| )\[safe\]") and b"\x1b[32m" not in s.seen,
           "no colours with NO_COLOR", s.seen)
    s.send("\x15!!")
    s.send("\x15echo 'open")
    s.send("\x15echo " + "x" * 1000)
    s.send("\x15echo '<on>'")
    s.expect(r"\[safe\]")
    s.send("\r")
    s.expect("<on>\r")
    s.expect(PROMPT)
    tap.ok(s.seen.count(b"[safe]") >= 2 and b"[will" not in s.seen,
           "nothing of !!, an open quotation or a very long line", s.seen)
    end(s)
    for more, kw in (("", {}), ("preview = yes\n", {"TERM": "dumb"})):
        settings(more)
        s = start(**kw)
        tap.ok(s.asked("ls\x18?", "The rules let the line run:") and
               b"[safe]" not in s.seen, "not at the edge, but by a key: %s %s"
               % (more.strip() or "by default", kw), s.seen)
        end(s)


def in_full():
    settings("")
    s = start()
    tap.ok(s.asked("ls; " + BLOCKED + "\x18?", "The rules block the line:"),
           "C-x ? tells what the rules say", s.rest[-500:])
    for part in (r"\[harm.netcat-exec\]",
                 "instead: ssh", "programs:", PROMPT + "ls; nc"):
        tap.ok(s.expect(part), "C-x ? tells: " + part, s.rest[-500:])
    tap.ok(s.asked("\x18?", "The rules let"), "an empty line is told of, too",
           s.rest)
    tap.ok(s.asked("echo 'x\x18?", "not whole yet"), "and one that is open",
           s.rest)
    s.send("\x15wc $(printf '\\033]0;t\\007')\x18?")
    s.expect("wc")
    tap.ok(s.asked("echo '\x16\x1b[31m'\x18?", "The rules let") and b"\x1b[31m" not in s.rest,
           "what is told is inert", s.rest)
    end(s)
    settings("editing = vi\n")
    s = start()
    tap.ok(s.asked("ls\x1b\x18?", "The rules let the line run:", "\x1bddi"),
           "in vi's command mode", s.rest)
    s.expect(PROMPT + "ls")
    end(s, "ddi")


def model():
    settings('preview = yes\nprofile = dev\nendpoint = '
             '"http://127.0.0.1:9/v1"\nmodel = "m"\nask-preconnect = no\n')
    s = start()
    s.send("perl -e 'f()'")
    tap.ok(s.expect(r"\[rules: the model decides\]"),
           "whose view it is, where a model would be asked", s.rest[-300:])
    tap.ok(s.asked("perl -e 'f()'\x18?", "A language model will be asked"),
           "and in full", s.rest)
    end(s)
    tap.ok("perl" not in recorded(), "nobody was asked", recorded())


def leads(pid):
    """Is it alive, one of aegsh's own, in a session of its own?"""
    try:
        with open("/proc/%d/stat" % pid) as f:
            name, rest = f.read().split("(", 1)[1].rsplit(")", 1)
    except OSError:
        return False
    state, _, _, session = rest.split()[:4]
    return name == "aegsh" and session == str(pid) and state != "Z"


def finder(s):
    """The process that finds it out."""
    return [p for p in children(s.pid) if leads(p)]


def misfortune():
    """It is killed, stopped, or many are."""
    settings()
    s = start()
    # What else the prompt keeps beside it is there before the first key.
    s.send("true")
    s.expect(r"\[safe\]")
    s.send("\r")
    s.expect(PROMPT)
    before = finder(s)
    s.send("ls")
    s.expect(r"\[safe\]")
    new = [p for p in finder(s) if p not in before]
    tap.same(len(new), 1, "one process finds it out")
    os.kill(new[0], signal.SIGSTOP)
    s.send(" -l")
    s.line("; echo '<o''n>'")
    tap.ok(s.expect("<on>\r"), "a stopped one holds nothing up", s.rest)
    s.expect(PROMPT)
    tap.ok(new[0] not in finder(s), "and is gone with the line")
    for n in range(8):
        s.send("ls"[:1 + n % 2])
        s.expect(r"\[")
        for p in finder(s):
            if p not in before:
                os.kill(p, signal.SIGKILL)
        s.send("\x15")
        if n == 2:
            break
    s.line("echo '<st''ill>'")
    tap.ok(s.expect("<still>\r"), "nor do killed ones", s.rest)
    s.expect(PROMPT)
    s.send("ls")
    tap.ok(s.expect(r"\[safe\]"), "the next line has its own", s.rest)
    os.kill([p for p in finder(s) if p not in before][0], signal.SIGSTOP)
    s.send("\x18?")
    tap.ok(s.expect("takes too long"), "what takes too long is said", s.rest)
    end(s)


def rules():
    """Of the operator, as they are when the line is typed."""
    site = os.path.join(root, "etc", "policy.d")
    settings()
    with Screen(tap, program("aegsh"), env, home, 80, 20) as t:
        if not t.there:
            return
        t.wait("READY>$")
        told(t, "uname -r", "safe")
        t.keys("C-c")
        t.wait("READY>$")
        os.mkdir(site)
        with open(os.path.join(site, "50-t.conf"), "w") as f:
            f.write('rule "site.no-uname" {\n\tdecision = block\n'
                    '\tcommand = { uname }\n\treason = "not here"\n}\n')
        told(t, "uname -r", "will be blocked")


def on_a_screen():
    settings("preview = yes\nsuggest = yes\n")
    with Screen(tap, program("aegsh"), env, home, 60, 12) as t:
        if not t.there:
            return
        t.wait(PROMPT.strip())
        t.type("true 12")
        t.keys("Enter")
        t.wait(r"12\n(.*\n)*READY>$")
        t.type("true")
        shown = t.wait(r"->  12 +\[safe\]$")
        row = [x for x in shown.split("\n") if "->" in x][-1:]
        tap.ok(row and row[0].startswith("READY> true ") and
               len(row[0]) in (58, 59, 60), "beside a suggestion, at the edge",
               shown)
        t.keys("Enter")
        shown = t.wait(r"READY> true\n(.*\n)*READY>$")
        tap.ok("->" not in shown and "[safe" not in shown and
               "[no" not in shown, "nothing of it stays", shown)
        t.keys("echo " + "x" * 45)
        t.wait("x{45}")
        t.keys("C-a")
        t.size(30, 12)
        t.wait(r"READY> echo x+\nx+")
        tap.ok(True, "a narrow screen has the line alone")


for part in (edge, nothing, in_full, model, misfortune, rules, on_a_screen):
    part()
tap.done()
