# SPDX-License-Identifier: ISC
"""Tab and pastes at a prompt: what is offered, how it is quoted, and that
nothing is run for it."""

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
with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
    # Others' completions have a test of their own.
    conf.write('prompt = "%s"\ncompletion = "names"\n' % PROMPT)
home = env["HOME"]
os.makedirs(home + "/sub dir/inner")
os.makedirs(home + "/.ssh")
os.makedirs(home + "/bin")
for name in ("it's here", "dollar$x", "plain.txt", "plaid.txt", "uml\u00e4ut",
             "sub dir/file in", "semi;colon", "\x1b[31mred", "-dash"):
    open(os.path.join(home, name), "w").close()
for name in ("my-own-program", "not-run"):
    with open(home + "/bin/" + name, "w") as f:
        f.write("#!/bin/sh\ntouch '%s/ran'\necho it ran\n" % home)
    os.chmod(home + "/bin/" + name, 0o755)
open(home + "/bin/my-own-data", "w").close()
with open(home + "/.ssh/known_hosts", "w") as f:
    f.write("# comment\nhost-one.example,192.0.2.7 ssh-ed25519 AAAA\n"
            "[host-two.example]:2222 ssh-ed25519 AAAA\n"
            "|1|hashed|= ssh-ed25519 AAAA\n")
with open(home + "/.ssh/config", "w") as f:
    f.write("Host alias-host other-*\n  HostName 192.0.2.9\n"
            "Include more.d/*.conf\nInclude no-such-file\n")
os.makedirs(home + "/.ssh/more.d")
with open(home + "/.ssh/more.d/a.conf", "w") as f:
    f.write("host included-host \"quoted-host\" !not-this\n"
            "Include ~/.ssh/more.d/deeper\nInclude more.d/a.conf\n")
with open(home + "/.ssh/more.d/deeper", "w") as f:
    f.write("HOST=deep-host\n")
os.mkfifo(home + "/.ssh/more.d/pipe.conf")
env = dict(env, PATH=home + "/bin:" + env["PATH"], UNIQUE_NAME="its value",
           FOLDER=home + "/sub dir")
s = Session([program("aegsh")], env=env, cwd=home)
s.expect(PROMPT)


def becomes(typed, want, name, rest=""):
    """Words that printf gets once the line is completed and run."""
    end = time.monotonic() + DEADLINE
    while True:
        at = len(s.seen)
        s.send("\x15" + typed + "\t")
        s.send(rest + "\r")
        found = s.expect(r"<([^\r\n]*)>\r\n(?:.*?)" + PROMPT)
        # As Session.asked(): a machine under load.
        if b"took too long" not in s.seen[at:] or time.monotonic() > end:
            break
    got = found.group(1).decode("utf-8", "replace") if found else None
    tap.same(got, want, name)


P = "printf '<%s>\\n' "
becomes(P + "it", "it's here", "a quote in a name is escaped")
becomes(P + "doll", "dollar$x", "and a dollar")
becomes(P + "semi", "semi;colon", "and an operator")
becomes(P + "'sub dir/fi", "sub dir/file in", "inside of single quotes")
becomes(P + '"it', "it's here", "inside of double quotes")
becomes(P + "sub\\ dir/fi", "sub dir/file in", "behind a backslash")
becomes(P + '"$FOLDER/fi', home + "/sub dir/file in",
        "behind a variable, which stays as it is typed")
becomes(P + "~/plain", home + "/plain.txt", "behind a tilde")
becomes(P + "uml", "uml\u00e4ut", "a name that is not ASCII")
becomes(P + '"${UNIQUE_N', "its value", "a variable in braces", '"')

tap.ok(s.asked(P + "pla\t\t", "plaid.txt +plain.txt"),
       "a second Tab lists them", s.rest)
becomes(P + "plain", "plain.txt", "and one letter decides")

s.asked("cd su\t", r"b\\ dir/")
s.send("\r")
s.expect(PROMPT)
tap.same(s.run("pwd", PROMPT), home + "/sub dir\n", "a directory")
s.send("cd fi\t")
s.send("\x15")
s.send("cd ..\r")
s.expect(PROMPT)
s.asked("my-own-p\t", "rogram ")
s.send("\r")
tap.ok(s.expect("it ran"), "a program of PATH", s.rest)
s.expect(PROMPT)
os.unlink(home + "/ran")
s.send("my-own-\t\t")
s.send("\x15echo end''ed\r")
tap.ok(s.expect("ended"), "what cannot be run is no command", s.rest)
tap.ok(b"my-own-data" not in s.seen, "and is not offered as one")
s.expect(PROMPT)
s.send("not-\t\t\t")
s.send("\x15true; not-\t\x15")
s.send("x=$(not-\t\x15echo en''d\r")
s.expect("end\r")
s.expect(PROMPT)
tap.ok(not os.path.exists(home + "/ran"), "nothing is run by completing it")
tap.ok(s.asked("ssh host-o\t", "ne.example "), "a host of known_hosts", s.rest)
tap.ok(s.asked("ssh me@host-t\t", "wo.example "), "behind a user's name",
       s.rest)
tap.ok(s.asked("ssh al\t", "ias-host "), "a host of the settings", s.rest)
for typed, rest in (("inc", "luded-host "), ("quo", "ted-host "),
                    ("dee", "p-host ")):
    tap.ok(s.asked("ssh " + typed + "\t", rest),
           "one of a file that they include: " + typed, s.rest)
tap.ok(s.asked("id roo\t", r"t "), "a user", s.rest)
s.send("\x15\x0c")
s.expect(PROMPT)
s.line("sleep 600 &")
s.expect(PROMPT)
tap.ok(s.asked("kill %\t", "1 "), "a job", s.rest)
s.send("\r")
s.expect(PROMPT)
s.send("echo \x16\x1b[31m\t\x15")
tap.ok(s.asked("cat \t\t", r"\^\[\[31mred"), "names are shown inert", s.rest)
tap.ok(b"\x1b[31mred" not in s.seen, "and never as they are")
s.send("\x15")
tap.ok(s.asked("aegsh -o ask-ti\t", "meout="), "a setting", s.rest)
tap.ok(s.asked("aegsh -o ask-c\t\t", "ask-cache-ttl=  .*seconds for which"),
       "with what it means", s.rest)
tap.ok(s.asked("di\t\t", "dirs  [a-z]"),
       "a builtin of aegsh, with what it does", s.rest)
s.send("\x15")
tap.ok(s.asked("unal\t", "ias "), "a builtin", s.rest)
s.send("\x15")
s.line("")
s.expect(PROMPT)

# A named pipe in the way, a directory that hangs: no wait.  (A stopped FUSE
# server would be one; what stands in for it is a file that is no directory.)
os.mkfifo(home + "/pipe")
s.send("cat pipe/\t\x15echo al''ive\r")
tap.ok(s.expect("alive"), "a path through a pipe is no path", s.rest)
s.expect(PROMPT)
ten = ["%s%d" % (n, i) for i in range(5000) for n in ("many", "more")]
os.mkdir(home + "/crowd")
for name in ten:
    open(home + "/crowd/" + name, "w").close()
tap.ok(s.asked("ls crowd/m\t\t", "in all; Tab for more"),
       "ten thousand names are cut short", s.rest[-300:])
s.send("\x15")
s.line("")
s.expect(PROMPT)

# Our own programs, of which none is started for it.
for typed, want in (("aegshctl hist", "ory "), ("aegshctl audit ver", "ify "),
                    ("aegshctl help conf", "ig "),
                    ("aegshctl history --unf", "inished "),
                    ("aegshctl history --decision al", "low "),
                    ("sudo aegshctl history --limit 5 --dec", "ision "),
                    ("aegshctl test --profile bui", "ld "),
                    ("aegsh --prof", "ile "), ("aegsh --profile bui", "ld "),
                    ("aegsh -o accessi", "ble="),
                    ("aegshctl sandbox explain crow", "d/")):
    tap.ok(s.asked(typed + "\t", re.escape(typed) + r"\r?(\x1b\[\d+G)?" +
                   want), "Tab behind %r" % typed, s.rest)
s.send("\x15")

# Pastes: shown, and run by the Enter that a person presses.
s.send("\x1b[200~echo one\necho two\x1b[201~")
tap.ok(s.expect("two"), "a paste is shown", s.rest)
tap.ok(b"one\r\n" not in s.rest, "and does not run", s.rest)
s.send("\r")
tap.ok(s.expect("one\r\ntwo\r\n"), "but all of it at Enter", s.rest)
s.expect(PROMPT)
s.send("\x1b[200~cat <<E\n\ttab\nE\x1b[201~\r")
tap.ok(s.expect("\n\ttab\r\n"), "a pasted Tab completes nothing", s.rest)
s.expect(PROMPT)
s.send("\x1b[200~echo \x04\x15\x1b[A\x1b[201~")
s.send("\x15echo st''ill\r")
tap.ok(s.expect("still"), "pasted keys do nothing of their own", s.rest)
s.expect(PROMPT)
# Ten thousand lines at once: each runs, once, in order.
lines = "".join("echo n%d >>pasted\n" % n for n in range(10000))
pasted = ("\x1b[200~%secho al''l\x1b[201~\r" % lines).encode()
os.set_blocking(s.fd, False)
end = time.monotonic() + DEADLINE
while pasted and time.monotonic() < end:
    try:
        pasted = pasted[os.write(s.fd, pasted[:1024]):]
    except BlockingIOError:
        pass
    # What it draws has to be read, or each waits for the other.
    s._fill(time.monotonic() + 0.001)
os.set_blocking(s.fd, True)
tap.ok(s.expect("\nall\r"), "a long paste comes to an end", s.rest[-300:])
s.expect(PROMPT)
with open(home + "/pasted") as f:
    tap.ok(f.read().split() == ["n%d" % n for n in range(10000)],
           "10,000 pasted lines run, in order")
# A line in the middle that the rules refuse: none of them has run.
s.send("\x1b[200~%snc -e sh 127.0.0.1 1\n%s\x1b[201~\r" % (
    "echo n >>early\n" * 50, "echo n >>late\n" * 50))
tap.ok(s.expect("blocked: ") and s.expect(PROMPT),
       "each line of a paste is judged", s.rest[-300:])
tap.ok(not os.path.exists(home + "/early") and
       not os.path.exists(home + "/late"), "before any of them runs")
# Ctrl-C in one of them: the rest is dropped.
s.send("\x1b[200~echo be''gun\nread -r x </dev/tty\n%s\x1b[201~\r" %
       ("echo n >>late\n" * 50))
tap.ok(s.expect("begun\r\n"), "a paste runs up to where it waits",
       s.rest[-300:])
s.send("\x03")
s.expect(PROMPT)
tap.ok(not os.path.exists(home + "/late"), "Ctrl-C drops the rest of a paste")
s.line("echo st''atus-$?")
tap.ok(s.expect("status-130"), "and says so in $?", s.rest)
s.expect(PROMPT)
# And before Enter: none of it.
s.send("\x1b[200~%s\x1b[201~" % ("echo n >>late\n" * 50))
s.interrupt(PROMPT)
s.line("echo af''ter")
tap.ok(s.expect("after\r\n"), "Ctrl-C drops a paste that is not sent", s.rest)
s.expect(PROMPT)
tap.ok(not os.path.exists(home + "/late"), "of which nothing runs")
s.send("echo ${HOME%x}/\t\x15echo # no\t\x15echo qui''et\r")
tap.ok(s.expect("quiet"), "what is not known is not completed", s.rest)
s.expect(PROMPT)
s.send("\x04")
tap.same(os.waitstatus_to_exitcode(s.wait()), 0, "and the shell ends well")
s.close()
tap.done()
