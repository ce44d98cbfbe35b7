# SPDX-License-Identifier: ISC
"""Keys: emacs and vi, ~/.editrc, an editor for the line; and that no key runs
anything that is not judged."""

import fcntl
import os
import re
import shutil
import signal
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
home = env["HOME"]
HAVE_VI = shutil.which("vi", path=env["PATH"])
# What an editor that nobody judged would leave.
trap = os.path.join(home, "unjudged")
with open(trap + ".sh", "w") as f:
    f.write("#!/bin/sh\ntouch '%s'\n" % trap)
os.chmod(trap + ".sh", 0o755)
env = dict(env, EDITOR=trap + ".sh", VISUAL=trap + ".sh")


def settings(more=""):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "%s"\n%s' % (PROMPT, more))


def start(rc=None, more="", mode=0o644, cols=100, **kw):
    settings(more)
    path = os.path.join(home, ".editrc")
    if os.path.exists(path):
        os.unlink(path)
    if rc is not None:
        with open(path, "w") as f:
            f.write(rc)
        os.chmod(path, mode)
    s = Session([program("aegsh")], env=dict(env, **kw), cwd=home, cols=cols)
    if not s.expect(PROMPT):
        tap.ok(False, "a prompt appears", s.seen.decode("utf-8", "replace"))
        tap.done()
    return s


def typed(s, keys, want, name):
    """Keys, then what the line prints."""
    s.send(keys)
    found = s.expect(r"<([^\r\n]*)>\r\n(?:.*?)" + PROMPT)
    got = found.group(1).decode("utf-8", "replace") if found else None
    tap.same(got, want, name)


def end(s):
    s.send("\x15\x04")
    s.wait()
    s.close()


def emacs():
    s = start()
    typed(s, "Xecho '<b>'\x01\x04\x05\r", "b", "emacs keys are the default")
    typed(s, "echo '<b>'\x1bb\x1bf\x02\x02\x06\x06\x0c\r", "b",
          "words and characters, C-l")
    # M-x asks for a command of the editor, by which keys could be bound.
    s.send("\x1bxbind ^T vi-histedit\r")
    s.expect(PROMPT)
    s.send("\x14")
    typed(s, "\x15echo '<on>'\r", "on", "M-x takes no command")
    end(s)


def vi():
    for name, kw in (("by the setting", dict(more="editing = vi\n")),
                     ("by ~/.editrc", dict(rc="bind -v\n"))):
        s = start(**kw)
        typed(s, "Xecho '<b>'\x1b0xA\r", "b", "vi keys " + name)
        typed(s, "echo '<ol>'\x1bh\x1b[200~d\x1b[201~\r", "old",
              "a paste is no command of vi")
        s.send(":bind -a ^T vi-histedit\r")
        s.expect(PROMPT)
        typed(s, "\x15echo '<on>'\r", "on", "a colon takes no command")
        typed(s, "echo '<b>'\x1b[D\x1b[DX\x1b[HY\x1b[D\x1b[3~\x1b[F #\r",
              "bX", "arrows, Home, End and Delete in insert mode " + name)
        typed(s, "echo '<u>'\x1b[24~\r", "u", "a key that nothing knows " +
              name)
        end(s)
    s = start(rc="bind -v\nbind -s '^[[15~' 'echo \"<own>\"\\n'\n")
    typed(s, "\x1b[15~", "own", "a key of one's own that begins with ESC")
    end(s)


def no_side_door():
    rc = ("bind -v\nbind '^T' vi-histedit\nbind -a '^T' vi-histedit\n"
          "bind -a 'q' ed-command\naegsh:bind -a 'Q' vi-histedit\n"
          "edit off\nbind\nbind -s '^O' 'echo \"<own>\"\\n'\n")
    s = start(rc=rc)
    for keys in ("echo 1\x14", "echo 1\x1bv", "echo 1\x1b\x14",
                 "echo 1\x1bQ"):
        s.send(keys)
        # Ours runs a line; it has another editor, or asks for it.
        if HAVE_VI:
            tap.ok(s.expect("echo 1.*~"), "an editor runs as a line", s.rest)
            s.send("\x1b:q!\r")
            s.expect(PROMPT)
        else:
            s.expect(PROMPT)
        s.send("\x1bdd")
        s.interrupt(PROMPT)
    typed(s, "\x0f", "own", "a key of one's own types a line")
    tap.ok(not os.path.exists(trap), "no editor runs unjudged")
    tap.ok(b"Standard key bindings" not in s.seen, "nor does a file print")
    end(s)
    s = start(rc="bind '^O' ed-newline\n", mode=0o666)
    tap.ok(b"others may write" in s.seen or b"writable" in s.seen,
           "a file that others may write is not used, and said", s.seen)
    end(s)
    os.rename(os.path.join(home, ".editrc"), os.path.join(home, "rc"))
    os.chmod(os.path.join(home, "rc"), 0o644)
    s = start(EDITRC=os.path.join(home, "rc"))
    typed(s, "echo '<yes>'\x0f", "yes", "EDITRC names another file")
    end(s)


def with_editor():
    if not HAVE_VI:
        tap.skip("C-x C-e", "vi is not installed")
        return
    tmp = os.path.join(home, "tmp")
    os.mkdir(tmp)
    s = start(EDITOR="vi", VISUAL="", TMPDIR=tmp)
    s.send("echo '<be''fore>'\x18\x05")
    tap.ok(s.expect("echo .*~"), "C-x C-e shows the line in the editor",
           s.rest[-300:])
    s.send(":s/fore/tween/\r:wq\r")
    tap.ok(s.expect(PROMPT + ".*tween"), "and gives it back", s.rest[-300:])
    tap.ok(b"<between>\r" not in s.rest, "of which nothing has run")
    typed(s, "\r", "between", "before Enter")
    s.send("for i in 1 2\r")
    s.expect("> ")
    s.send("do echo \"<$i>\"\x18\x05")
    tap.ok(s.expect("for.*2.*~"), "lines before it come along", s.rest[-300:])
    s.send("Godone\x1b:wq\r")
    s.expect(PROMPT)
    typed(s, "\r", "1", "several lines come back as one unit")
    s.send("echo '<kept>'\x18\x05")
    s.expect("echo .*~")
    s.send(":s/kept/lost/\r:w\r:cq\r")
    s.expect(PROMPT)
    typed(s, "\r", "kept", "an editor that fails changes nothing")
    tap.same(os.listdir(tmp), [], "no file is left behind")
    end(s)


def killed_in_editor():
    """A session that is killed leaves what the next edit removes; what another
    has open, what is of others and what is no such directory stays."""
    if not HAVE_VI:
        tap.skip("killed with a line in the editor", "vi is not installed")
        return
    tmp = os.path.join(home, "tmp-killed")
    os.mkdir(tmp)

    def edit(text):
        """The session, and its directory's name."""
        before = set(os.listdir(tmp))
        s = start(EDITOR="vi", VISUAL="", TMPDIR=tmp)
        s.send(text + "\x18\x05")
        if not s.expect("echo .*~"):
            tap.ok(False, "an editor begins", s.rest[-300:])
            tap.done()
        new, = set(os.listdir(tmp)) - before
        return s, new

    def is_left(name):
        """Nobody who lives has its lock."""
        fd = os.open(os.path.join(tmp, name), os.O_RDONLY)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            return False
        finally:
            os.close(fd)

    held, other = edit("echo '<held>'")
    tap.ok(not is_left(other), "what is edited is locked")
    s, left = edit("echo '<secret>'")
    os.kill(s.pid, signal.SIGKILL)
    s.wait()
    s.close()
    tap.ok(until(lambda: is_left(left)), "a session that is killed with a "
           "line in the editor has its lock no more")
    with open(os.path.join(tmp, left, "line.sh")) as f:
        tap.ok("secret" in f.read(), "and leaves the line behind")
    # As an editor's backup.
    shutil.copy(os.path.join(tmp, left, "line.sh"),
                os.path.join(tmp, left, "line.sh~"))
    stay = ["aegsh-line.Aopen1", "aegsh-line.toolong", "aegsh-line.b@d..."]
    for name in stay:
        os.mkdir(os.path.join(tmp, name), 0o700)
    os.chmod(os.path.join(tmp, stay[0]), 0o755)
    os.mkdir(os.path.join(tmp, "target"), 0o700)
    os.symlink("target", os.path.join(tmp, "aegsh-line.Alink1"))
    stay += ["target", "aegsh-line.Alink1"]
    s, now = edit("echo '<next>'")
    tap.same(sorted(os.listdir(tmp)), sorted(stay + [other, now]),
             "the next edit removes that, and nothing else")
    s.send(":wq\r")
    s.expect(PROMPT)
    typed(s, "\r", "next", "and goes on itself")
    end(s)
    held.send(":wq\r")
    held.expect(PROMPT)
    typed(held, "\r", "held", "what another session had open is whole")
    end(held)
    tap.same(sorted(os.listdir(tmp)), sorted(stay), "and no more is left")


def undo_and_ring():
    s = start()
    for keys, want, name in (
            ("echo '<a b>'\x01XYZ\x1f", "a b", "undo of what was typed"),
            ("echo '<a>' # x y z\x17\x17\x1f\x1f", "a", "undo of cuts"),
            ("x\x15echo '<k>'; \x19\x7f#", "k", "C-u cuts, C-y puts in"),
            ("echo '<one two>'\x17\x17\x19", "one two",
             "cuts that follow each other are one"),
            ("echo '<end>' gone\x1bb\x0b", "end", "C-k cuts to the end"),
            ("echo '<gone here>'\x1bb\x1bb\x1bd\x04", "here",
             "M-d cuts a word"),
            ("echo '<\u00fc b>'\x02\x02\x02\x7f\x7f\x1f\x1f", "\u00fc b",
             "of characters that are not ASCII")):
        typed(s, keys + "\r", want, name)
    s.run("true first.word '<last word>'", PROMPT)
    typed(s, "echo \x1b.\r", "last word", "M-. takes the last word")
    s.run("true '<other>'", PROMPT)
    typed(s, "echo \x1b.\x1b.\r", "last word", "and that of the one before")
    typed(s, "\x15echo '<1>'\x15echo '<2>'\x15\x19\x1by\r", "1",
          "M-y puts in what was cut earlier")
    typed(s, "\x15echo '<n>'\x1f\x1f\x1f\x1f\x1fecho '<o>'\r", "o",
          "undo ends at nothing")
    s.send("echo '<sent>'\x1b#")
    s.expect(PROMPT)
    typed(s, "\x1b[A\x01\x04\r", "sent", "M-# keeps a line for later")
    end(s)
    s = start(more="editing = vi\n")
    typed(s, "echo '<v>'\x1bxxuu\r", "v", "u undoes in vi")
    end(s)


def plain():
    for name, kw in (("TERM=dumb", dict(TERM="dumb")),
                     ("no TERM", dict(TERM="")),
                     ("an unknown TERM", dict(TERM="nosuch-terminal")),
                     ("20 columns", dict(cols=20)),
                     ("no UTF-8", dict(LANG="C")),
                     ("a serial line", dict(TERM="vt100"))):
        s = start(**kw)
        typed(s, "echo '<a long line, longer than the screen is, X>'"
              "\x02\x02\x7f!\x05\r",
              "a long line, longer than the screen is, !",
              name + ": a line is edited")
        typed(s, "\x1b[A\r", "a long line, longer than the screen is, !",
              name + ": and recalled")
        typed(s, "echo '<\xe4\u2020>'\r", "\xe4\u2020",
              name + ": characters that are not ASCII")
        s.send(b"echo '<\xe4>' | od -An -tx1\r")
        tap.ok(s.expect("3c e4 3e"), name + ": a byte of no character",
               s.rest)
        s.expect(PROMPT)
        if kw.get("TERM") == "dumb":
            tap.ok(b"\x1b" not in s.seen, name + ": no escape is sent",
                   s.seen)
        end(s)


def helps():
    settings('contact = "Ann, ext. 7"\n')
    s = Session([program("aegsh")], env=env, cwd=home, cols=80)
    s.expect(PROMPT)
    tap.ok(b'"help" tells more' in s.seen, "a first session says where to "
           "read", s.seen)
    all_of_it = s.run("help", PROMPT) or ""
    topics = re.findall(r"^  (\w+) ", all_of_it.split("Builtins")[0], re.M)
    tap.ok(len(topics) > 4, "help has topics", all_of_it)
    for topic in topics:
        out = s.run("help " + topic, PROMPT) or ""
        tap.ok(len(out) > 80 and max(map(len, out.split("\n"))) <= 80,
               "help %s fits 80 columns" % topic, out)
        if topic in ("blocked", "question"):
            tap.ok("Ann, ext. 7" in out, "and names who decides", out)
    with open(os.path.join(os.environ["abs_top_srcdir"], "man",
                           "aegsh.1")) as f:
        page = f.read()
    rows = re.findall(r"\n\.It (.*) Ta (\w*) Ta\n(.*)(?=\n)", page)
    keys = s.run("help keys", PROMPT) or ""
    want = [(k.replace("\\e", "\\"), h) for k, w, h in rows if "e" in w]
    tap.ok(len(want) > 15 and all(
        re.search(r"^  %s +%s$" % (re.escape(k), re.escape(h)), keys, re.M)
        for k, h in want), "help keys and aegsh(1) say the same", keys)
    out = s.run("help history", PROMPT)
    tap.ok(out and "dir:." in out, "a topic that is a builtin, too", out)
    tap.ok("trap" in (s.run("help trap | head -1", PROMPT) or ""),
           "in a pipeline it is bash's")
    tap.ok("Trap signals" in (s.run("help trap", PROMPT) or ""),
           "and what is not known is left to bash")
    end(s)
    s = start()
    tap.ok(b"tells more" not in s.seen, "said once")
    end(s)


helps()
emacs()
vi()
undo_and_ring()
plain()
no_side_door()
with_editor()
killed_in_editor()
tap.done()
