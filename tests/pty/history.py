# SPDX-License-Identifier: ISC
"""Lines of the past at a prompt: up and down, both searches, and what the
record does not give back."""

import os
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
UP, DOWN = "\x1b[A", "\x1b[B"
home = env["HOME"]
os.makedirs(home + "/sub")


def settings(more=""):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "%s"\n%s' % (PROMPT, more))


def start(cols=100, rows=30, **kw):
    s = Session([program("aegsh")], env=dict(env, **kw), cwd=home, cols=cols,
                rows=rows)
    if not s.expect(PROMPT):
        tap.ok(False, "a prompt appears", s.seen.decode("utf-8", "replace"))
        tap.done()
    return s


def typed(s, keys, want, name):
    """Keys, then what the line prints."""
    s.send(keys)
    found = s.expect(r"\n<([^\r\n]*)>\r\n(?:.*?)" + PROMPT)
    got = found.group(1).decode("utf-8", "replace") if found else None
    tap.same(got, want, name)


def agreed(s, line):
    """What a line prints that may have to be said yes to."""
    s.line(line)
    found = s.expect(r"\n(.*?)(" + PROMPT + r"|Run it\? \[[^]]*\] )")
    if found and found.group(2).startswith(b"Run it"):
        s.line("y")
        found = s.expect(r"y\r\n(.*?)" + PROMPT)
    return found and found.group(1).decode("utf-8", "replace")


def end(s):
    s.send("\x15\x04")
    s.wait()
    s.close()


def fill():
    s = start()
    for line in ("echo '<one>'", "printf '<%s>\\n' two", "echo '<three>'",
                 " echo '<blank>'", "(exit 3)",
                 "cd sub", "echo '<in sub>'", "cd ..",
                 "nc -e sh 127.0.0.1 1", "echo '<multi", "line>'"):
        s.run(line, "> " if line.endswith("multi") else PROMPT)
    s.run("PASSWORD=Sw0rdf1sh-hunter2 printf '<%s>\\n' pw", PROMPT)
    typed(s, UP + "\r", "pw",
          "a line of this session is recalled as it was typed")
    typed(s, UP + UP + UP + UP + "\x15echo '<x>'\r", "x",
          "a line that was recalled is changed")
    end(s)


def walk():
    s = start()
    typed(s, "printf '<%s>\\n' t" + UP + "\r", "two", "up: what starts with what is typed")
    typed(s, "echo '<o" + UP + "\r", "one", "further than one line back")
    typed(s, "echo '<o" + UP + UP + "\x01\x0becho '<y>'\r", "y",
          "nothing is before the first")
    typed(s, "echo '<kept" + UP + DOWN + ">'\r", "kept",
          "down leads back to what was typed")
    typed(s, "echo '<b" + UP + "lack>'\r", "black",
          "a line with a blank in front is not recalled")
    s.run("echo '<one>'", PROMPT)
    s.run("echo '<one>'", PROMPT)
    typed(s, "echo '<" + UP + UP + "\r", "black", "a line that was run twice "
          "is shown once")
    s.send("echo '<mu" + UP)
    tap.ok(s.expect("lti\r\nline>"), "several lines are recalled as one", s.rest)
    s.send("\r")
    tap.ok(s.expect("<multi\r\nline>\r\n.*" + PROMPT), "and run as one",
           s.rest)
    typed(s, "echo '<no such line" + UP + UP + "\x15echo '<z>'\r", "z",
          "up finds nothing and does nothing")
    end(s)


def search():
    s = start()
    s.send("\x12thr")
    tap.ok(s.expect(r"\(reverse-i-search\)`thr': echo '<three>'"),
           "C-r finds key by key", s.rest)
    typed(s, "\r", "three", "and Enter runs it")
    s.send("\x12<o")
    s.expect(r"`<o': [^\n]*one")
    typed(s, "\x08two\x7f\x7f\x7ft\r", "three", "the pattern is corrected")
    s.send("\x12echo '<")
    s.expect("`echo '<': [^\n]*three")
    typed(s, "\x12\r", "z", "C-r again goes further back")
    s.send("echo '<as be\x12one")
    s.expect("`one': ")
    typed(s, "\x07fore>'\r", "as before", "C-g brings the line back")
    s.send("\x12nothing is so\x1b")
    s.send("\x15")
    typed(s, "\x12in su\x1b[C\x05 #\r", "in sub",
          "a key that moves leaves the search")
    s.send("\x12zzzyx")
    tap.ok(s.expect(r"\(failed reverse-i-search\)`zzzyx'"),
           "what is nowhere is said to be", s.rest)
    s.interrupt(PROMPT)
    s.send("\x12\x1b[200~thr\nee\x1b[201~")
    s.expect("`thr': ")
    typed(s, "\r", "three", "a paste is looked for")
    end(s)


def find():
    s = start()
    s.send("\x1brTHR")
    tap.ok(s.expect(r"\(find: nothing\) `THR'"),
           "M-r: a capital letter is meant", s.rest)
    s.send("\x15thr ec")
    tap.ok(s.expect(r"> (now|\d+ (min|h))[^\n]*echo '<three>'"),
           "a list with when and where", s.rest)
    typed(s, "\r", "three", "which Enter runs from")
    s.send("\x1brdir:sub echo")
    tap.ok(s.expect(r"~/sub *echo '<in sub>'"), "filter: directory", s.rest)
    typed(s, "\r", "in sub", "which finds its line")
    s.send("\x1brexit:3 ex")
    tap.ok(s.expect(r"exit 3[^\n]*\(exit 3\)"), "filter: exit status", s.rest)
    s.send("\x07\x1brdecision:block ")
    tap.ok(s.expect(r"refused[^\n]*nc -e"), "filter: decision", s.rest)
    s.send("\x07")
    host = os.uname().nodename
    s.send("\x1brhost:%s <two" % host)
    s.send("\x07\x1brhost:%s two" % host)
    tap.ok(s.expect(r"find 1/[^\n]*host:%s two" % host), "filter: host",
           s.rest)
    s.send("\x07\x1brhost:elsewhere two")
    tap.ok(s.expect(r"find: nothing\) `host:elsewhere two"),
           "and another host", s.rest)
    s.send("\x15\x1bsthree")
    tap.ok(s.expect(r"find 1/1\) `session:. three"),
           "filter: session, by a key", s.rest)
    s.send("\x15session:. one")
    tap.ok(s.expect(r"find: nothing\) `session:. one"),
           "of which others are no part", s.rest)
    s.send("\x15eo3ee")
    s.send("\x15ehtre")
    tap.ok(s.expect(r"> [^\n]*echo '<three>'"), "letters of it will do",
           s.rest)
    typed(s, "\t\x05 #\r", "three", "Tab takes it without running it")
    s.send("\x1brecho")
    s.expect("find 1/")
    s.send(UP)
    tap.ok(s.expect(r"find 2/"), "the arrows move in the list", s.rest)
    s.interrupt(PROMPT)
    end(s)
    s = start(rows=8, cols=30)
    s.send("\x1brthr")
    tap.ok(s.expect(r"\(find 1/1[^)]*"), "a small screen has no list", s.rest)
    typed(s, "\r", "three", "and finds all the same")
    end(s)
    s = start(TERM="dumb")
    s.send("\x12thr")
    s.expect("`thr'")
    typed(s, "\r", "three", "C-r on a dumb terminal")
    tap.ok(b"\x1b" not in s.seen, "without escapes", s.seen)
    end(s)


def secrets():
    s = start()
    s.send("PASS" + UP)
    tap.ok(s.expect("<redacted:"), "a secret is a tag in the record", s.rest)
    s.send("\r")
    tap.ok(s.expect(r"not run: <redacted:[^>]*> stands for a secret"),
           "which refuses to run", s.rest)
    tap.ok(s.expect(PROMPT + "[^\n]*<redacted:"), "and is given back", s.rest)
    tap.ok(b"Sw0rdf1sh" not in s.seen, "nothing shows the secret")
    typed(s, "\x01\x0bPASSWORD=other printf '<%s>\\n' new\r", "new",
          "put in its place, it runs")
    s.send("\x15")
    s.run("true", PROMPT)
    typed(s, "echo \"<$?>\"\r", "0", "the next line runs")
    end(s)


def expansion():
    s = start()
    s.run("echo '<ev>'", PROMPT)
    s.line("!!")
    tap.ok(s.expect("!!\r\n(\x1b[^\n]*)?echo '<ev>'\r\n<ev>\r\n"),
           "!! is shown, and runs", s.rest)
    s.expect(PROMPT)
    typed(s, UP + "\r", "ev", "what is recalled is what it stood for")
    typed(s, "!?three?\r", "three", "a line of an earlier session")
    out = s.run("!nosuch", PROMPT)
    tap.ok(out and "aegsh: !nosuch: event not found" in out,
           "what is nowhere is said", out)
    out = s.run("echo '<ran>'; !nc", PROMPT)
    tap.ok(out and "blocked:" in out and "\n<ran>" not in out,
           "the expanded line is judged", out)
    out = s.run("!nc:p", PROMPT)
    tap.ok(out and "blocked" not in out and "nc -e" in out,
           ":p shows and runs nothing", out)
    s.run("echo '!!' \"<x!>\"", PROMPT)
    out = s.run("!PASS", PROMPT)
    tap.ok(out and "stands for a secret" in out,
           "a secret's tag does not run by it", out)
    s.send("\x15")
    number = s.run("history 3", PROMPT)
    found = [l.split()[0] for l in (number or "").split("\n")
             if "<ev>" in l]
    tap.ok(found, "history shows numbers", number)
    if found:
        typed(s, "!%s\r" % found[-1], "ev", "by which a line is found")
    end(s)
    settings("expand-history = verify\n")
    s = start()
    s.send("!?three?\r")
    tap.ok(s.expect(PROMPT + "[^\n]*<three>"), "verify gives it back", s.rest)
    typed(s, "\r", "three", "for Enter to run")
    end(s)
    settings("expand-history = no\n")
    s = start()
    typed(s, "echo '<'!!'>'\r", "!!", "and it can be turned off")
    end(s)


def hinted(s, text, pattern="-> "):
    """Typed until a suggestion stands beside it: half a millisecond to look
    for one may be over on a machine under load before it was used."""
    def shown():
        s.rest = b""
        s.send("\x15" + text)
        return s.expect(pattern, 2)
    return until(shown)


def suggest():
    settings("suggest = yes\n")
    s = start()
    tap.ok(hinted(s, "echo '<in", "-> ?[^\n]*sub>'"),
           "a suggestion at the right edge", s.rest)
    s.send("\x1b[C")
    typed(s, "\r", "in sub", "which Right takes")
    hinted(s, "echo '<in")
    typed(s, ">'\r", "in>"[:-1], "and what is typed is all that runs")
    hinted(s, "echo '<in s")
    typed(s, "\x1bf\r", "in sub", "M-f takes a word")
    hinted(s, "echo '<in su")
    typed(s, "\x05\x05#\x7f\r", "in sub", "C-e takes it, too")
    end(s)
    s = start(NO_COLOR="1")
    hinted(s, "echo '<in")
    tap.ok(b"\x1b[90m" not in s.seen, "without grey where NO_COLOR is set")
    typed(s, "\x05\r", "in sub", "and taken likewise")
    end(s)


def vi():
    settings("editing = vi\n")
    s = start()
    typed(s, "\x1bkkk\x15\x1bdditrue\x1bddiecho '<v>'\r", "v", "k goes up")
    s.send("\x1b/three")
    s.expect("`three'")
    typed(s, "\r", "three", "/ finds")
    typed(s, "pri" + UP + "\r", "two", "the up key in insert mode")
    end(s)


def builtin():
    settings()
    s = start()
    for line, has, lacks in (
            ("history 2", "true", "echo '<one>'"),
            ("history dir:sub", "in sub", "<one>"),
            ("history 5 exit:3", "(exit 3)", "<one>"),
            ("history decision:block", "nc -e", "<one>"),
            ("history no-such-word-at-all-here 2>&1 >/dev/null", "", "<one>"),
            ("history -p '!?in su?:0'", "echo", "<"),
            ("history -s \"echo '<added>'\"", "", "<"),
            ("history -w", "no history file", "<"),
            ("history -d 3", "aegshctl audit prune", "<"),
            ("history -z", "invalid option", "<"),
            ("history 0", "", "<one>")):
        out = agreed(s, line)
        tap.ok(out is not None and has in out and lacks not in out, line, out)
    typed(s, "!echo\r", "added", "history -s adds a line")
    agreed(s, "history -c")
    s.send("history -" + UP)
    typed(s, "\x15echo '<end>'\r", "end", "history -c")
    out = s.run("history", PROMPT)
    tap.ok(out and "<end>" in out and "<one>" not in out and
           "<added>" not in out, "history lists what came behind it", out)
    mine = [l.split()[0] for l in (out or "").split("\n") if "<end>" in l]
    typed(s, "!%s\r" % (mine + ["0"])[0], "end", "and so is its number known")
    out = s.run("!%s" % number("<one>"), PROMPT)
    tap.ok(out and "event not found" in out and "<one>" not in out,
           "no number of an earlier line", out)
    end(s)
    s = start()
    out = s.run("history", PROMPT)
    tap.ok(out and "<one>" in out, "which the record outlives", out)
    end(s)
    s = start()
    out = s.run("history session:.", PROMPT)
    tap.ok(out is not None and "<" not in out, "a session without lines", out)
    end(s)


def number(what):
    """Of the newest line with that, as the record has it."""
    s = start()
    out = s.run("history", PROMPT)
    end(s)
    found = [l.split()[0] for l in (out or "").split("\n") if what in l]
    return (found + ["0"])[-1]


def limits():
    old = number("<one>")
    for most in (0, 2):
        settings("history = %d\n" % most)
        s = start()
        s.run("true a", PROMPT)
        s.run("true b", PROMPT)
        out = s.run("history", PROMPT)
        rows = [l for l in (out or "").split("\n") if "true" in l or "<" in l]
        tap.ok(out is not None and len(rows) <= most and
               not [l for l in rows if "<" in l],
               "history = %d: the list" % most, out)
        out = s.run("!" + old, PROMPT)
        tap.ok(out and "event not found" in out,
               "history = %d: a number" % most, out)
        end(s)
    settings()


settings()
fill()
walk()
search()
find()
secrets()
builtin()
limits()
expansion()
suggest()
vi()
tap.done()
