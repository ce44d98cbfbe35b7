# SPDX-License-Identifier: ISC
"""The prompt on a real terminal: state from line to line, Ctrl-C, Ctrl-D,
continuation, jobs, history across sessions, the question."""

import os
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
    conf.write('prompt = "%s"\ncontact = "Ann, ext. 7"\n' % PROMPT)
ASKS = r"Run it\? \[y/N(/t)?/e/\?\] "
AEGSH = program("aegsh")


def start(**kw):
    s = Session([AEGSH], env=dict(env, **kw), cwd=env["HOME"])
    if not s.expect(PROMPT):
        tap.ok(False, "a prompt appears", s.seen.decode("utf-8", "replace"))
        tap.done()
    return s


def lines():
    s = start()
    tap.same(s.run("echo hello", PROMPT), "hello\n", "a line runs")
    tap.same(s.run("false", PROMPT), "", "false prints nothing")
    tap.same(s.run("echo $?", PROMPT), "1\n", "$? lives on")
    tap.same(s.run("cd /usr", PROMPT), "", "cd says nothing")
    tap.same(s.run("pwd", PROMPT), "/usr\n", "the directory lives on")
    tap.same(s.run("cd /tmp && cd /var && export A='x y'", PROMPT), "",
            "a list with cd and export runs")
    tap.same(s.run('echo "$PWD $OLDPWD $A"', PROMPT), "/var /tmp x y\n",
            "and comes back right")
    tap.same(s.run("echo one; sh -c 'exit 7'", PROMPT), "one\n", "a list")
    tap.same(s.run("echo $?", PROMPT), "7\n", "status of the last command")
    tap.same(s.run("export CDPATH=/usr", PROMPT), "",
            "an export that would change later lines")
    tap.same(s.run('echo "[${CDPATH-unset}]"', PROMPT), "[unset]\n",
            "and is not carried on")
    tap.same(s.run("unset A", PROMPT), "", "unset")
    tap.same(s.run('echo "[${A-unset}]"', PROMPT), "[unset]\n",
            "an unset variable stays unset")
    tap.same(s.run("pushd /usr", PROMPT), "/usr /var\n", "pushd")
    tap.same(s.run("popd", PROMPT), "/var\n", "popd")
    tap.same(s.run("cd /tmp; d=$(mktemp -d); cd $d; rmdir $d; pwd | grep -c tmp",
                  PROMPT), "1\n", "into a directory that is removed")
    out = s.run("echo ran", PROMPT)
    if os.getuid() == 0:
        # Private mounts: what has no name cannot be entered through them.
        tap.ok(out and "not run: entering the working directory" in out,
               "which root's lines cannot be run in", out)
    else:
        # What a bash says that starts in such a place is left to it.
        tap.ok(out and out.endswith("ran\n"), "in which lines still run", out)
    tap.same(s.run("cd /", PROMPT), "", "and which cd leaves")
    tap.same(s.run("printenv SHLVL", PROMPT), "1\n", "SHLVL does not grow")
    s.line("exit 5")
    tap.same(os.waitstatus_to_exitcode(s.wait()), 5, "exit takes a status")
    s.close()


def ends_with_its_line():
    s = start()
    for line, said in (
            ("x=5", "x is not exported"),
            ("w=$(echo a; echo b)", "w is not exported"),
            ("PS1='> '", "'prompt'"),
            ("x=1 alias l=ls", "aliases"), ("set -f", "options"),
            ("shopt -s extglob", "options"),
            ("declare y=1", "y is not exported"),
            ("readonly z=1", "z is not exported"),
            ("exec 5</dev/null", "what exec opens")):
        got = s.run(line, PROMPT)
        tap.ok(got and said in got, "said to end: " + line, got)
    # Keys that come before it reads are read in the editor's modes.
    s.line("read -p 'n'a'me: ' name")
    s.expect("name: ")
    tap.ok("name is not exported" in (s.run("Bob", PROMPT) or ""),
           "said to end: read name")
    tap.same(s.run("x=6", PROMPT), "", "but each is said once")
    s.run("export x=1", PROMPT)
    for line in ("x=2", "export z=5", "declare -x q=1", "alias", "ulimit -n",
                 "y=1 true", "y=1; true", "f=1 | true", "(y=1)",
                 "if y=1; then true; fi", "y=1 &"):
        got = s.run(line, PROMPT)
        tap.ok(got is not None and "aegsh:" not in got and
               "their line" not in got, "nothing to say: " + line, got)
    s.run("wait", PROMPT)
    tap.same(s.run("echo $x", PROMPT), "2\n", "what is exported stays")
    s.send("\x04")
    s.wait()
    s.close()


def limits():
    s = start()
    hard = s.run("ulimit -Hn", PROMPT)
    s.run("ulimit -Sn 100", PROMPT)
    tap.same(s.run("ulimit -n", PROMPT), "100\n", "a limit lives on")
    tap.same(s.run("sh -c 'ulimit -n'", PROMPT), "100\n", "in programs, too")
    tap.same(s.run("echo x | sh -c 'ulimit -n'", PROMPT), "100\n",
             "in a line that is not looked back at")
    s.run("ulimit -Sn 200", PROMPT)
    tap.same(s.run("ulimit -n", PROMPT), "200\n",
             "a soft one can be raised again")
    tap.same(s.run("ulimit -Hn", PROMPT), hard, "up to the hard one")
    s.run("ulimit -n 150; export A=1; cd /usr", PROMPT)
    tap.same(s.run("ulimit -Hn; echo $A; pwd", PROMPT), "150\n1\n/usr\n",
             "which below our own descriptors does no harm")
    if os.getuid() != 0:
        s.run("ulimit -n 151 2>/dev/null", PROMPT)
    tap.same(s.run("ulimit -n", PROMPT), "150\n", "and stays")
    s.run("ulimit -f 0", PROMPT)
    tap.same(s.run("export B=2; echo $B", PROMPT), "2\n",
             "a file-size limit of nothing")
    tap.same(s.run("echo $B", PROMPT), "2\n", "lets state come back")
    s.send("\x04")
    s.wait()
    s.close()


def replaced():
    s = start()
    s.line("exec sh -c 'exit 7'")
    tap.same(os.waitstatus_to_exitcode(s.wait()), 7,
             "exec CMD ends the session with what CMD ends with")
    s.close()
    s = start()
    s.line("exec sh -c 'kill -TERM $$'")
    tap.same(os.waitstatus_to_exitcode(s.wait()), -15, "by its signal, too")
    s.close()
    s = start()
    out = s.run("exec /nonexistent/program", PROMPT)
    tap.ok(out and "No such file" in out, "what cannot be started is told",
           out)
    tap.same(s.run("echo $?", PROMPT), "127\n", "and ends nothing")
    s.run("exec 2>&1", PROMPT)
    tap.same(s.run("echo on", PROMPT), "on\n",
             "nor does exec without a command")
    s.send("\x04")
    s.wait()
    s.close()


def aliases():
    with open(os.path.join(root, "etc", "aegsh.conf"), "a") as f:
        f.write("aliases = \"greet='echo hello'\"\n")
    s = start()
    tap.same(s.run("greet there", PROMPT), "hello there\n",
             "an alias of the settings")
    tap.same(s.run("alias up='cd ..' v=\"printf '%s\\\\n' \"", PROMPT), "",
             "aliases of a line")
    tap.same(s.run("cd /usr/lib", PROMPT), "", "in a directory")
    tap.same(s.run("up", PROMPT), "", "an alias of a builtin")
    tap.same(s.run("pwd; v greet x", PROMPT), "/usr\necho\nhello\nx\n",
             "a blank at the end has the next word expanded")
    tap.same(s.run("alias", PROMPT),
             "alias greet='echo hello'\nalias up='cd ..'\n"
             "alias v='printf '\\''%s\\n'\\'' '\n", "they are listed")
    s.run("alias fetch='curl -s http://127.0.0.1:1/x'", PROMPT)
    out = s.run("fetch | sh", PROMPT)
    tap.ok(out and "blocked:" in out, "the expanded line is judged", out)
    s.run("unalias greet 2>&-; true", PROMPT)
    tap.same(s.run("greet on", PROMPT), "hello on\n",
             "unalias in a longer line is bash's own")
    s.run("unalias greet", PROMPT)
    out = s.run("greet", PROMPT)
    tap.ok(out and "command not found" in out, "unalias", out)
    s.send("\x1b[A" * 5)
    tap.ok(s.expect("fetch . sh"), "recalled is what was typed", s.seen)
    s.interrupt(PROMPT)
    s.send("\x04")
    s.wait()
    s.close()


def editing():
    s = start()
    s.line("echo a \\")
    s.expect("continuation.*> ")
    tap.same(s.run("", PROMPT), "a\n",
            "a backslash before an empty line vanishes")
    tap.ok((s.run("no-such-word", PROMPT) or "").startswith("aegsh: line 1: "),
           "errors name the shell without its directory")
    s.line("echo 'open")
    tap.ok(s.expect("quote.*> "), "the continuation prompt says what is open",
           s.seen)
    tap.same(s.run("quote'", PROMPT), "open\nquote\n",
            "and the unit runs when it is complete")
    s.line("cat <<EOF")
    tap.ok(s.expect("EOF.*> "), "an open here-document is named")
    s.line("text $HOME")
    s.expect("> ")
    tap.same(s.run("EOF", PROMPT), "text %s\n" % env["HOME"],
            "and runs with its body")
    s.send("echo never")
    s.expect("never")
    tap.ok(s.interrupt(PROMPT), "Ctrl-C drops the line and prompts again")
    tap.same(s.run("echo $?", PROMPT), "130\n", "with status 130")
    s.line("if true")
    s.expect("> ")
    tap.ok(s.interrupt(PROMPT), "Ctrl-C at a continuation drops all of it")
    s.line("sh -c 'echo u''p; exec sleep 100'")
    s.expect("up")
    s.send("\x03")
    tap.ok(s.expect(PROMPT), "Ctrl-C ends a running command, not the shell")
    tap.same(s.run("echo $?", PROMPT), "130\n", "whose status is 130")
    s.send("\x04")
    tap.same(os.waitstatus_to_exitcode(s.wait()), 0, "Ctrl-D leaves")
    s.close()


def jobs():
    s = start()
    # Keys that come before it reads are read in the editor's modes.
    s.line("sh -c 'echo u''p; exec cat'")
    s.expect("up")
    s.send("x\r")
    tap.ok(s.expect("x\r\nx"), "cat has the terminal", s.seen)
    s.send("\x1a")
    tap.ok(s.expect(r"\[1\]\+\s+Stopped\s+sh -c"), "Ctrl-Z stops it", s.seen)
    tap.ok(s.expect(PROMPT), "and the prompt is back")
    listed = s.run("jobs", PROMPT)
    tap.ok(listed and "Stopped" in listed and "cat" in listed,
           "jobs lists it", listed)
    # Who has just seen them needs no warning, in bash either.
    s.run("true", PROMPT)
    s.line("exit")
    tap.ok(s.expect("There are stopped jobs"), "exit warns once")
    s.expect(PROMPT)
    s.line("fg")
    s.expect("cat'\r\n")
    s.send("y\r")
    tap.ok(s.expect("y\r\ny"), "fg gives it the terminal again", s.seen)
    s.send("\x04")
    tap.ok(s.expect(PROMPT), "and takes it back when it ends")
    s.line("sh -c 'echo u''p; exec cat'")
    s.expect("up")
    s.send("\x1a")
    s.expect(PROMPT)
    s.line("fg")
    s.expect("cat'\r\n")
    s.send("z\r")
    s.expect("z\r\nz\r\n")
    s.send("\x03")
    tap.ok(s.expect("\n" + PROMPT), "Ctrl-C on a job of fg ends its line too",
           s.seen)
    s.line("sh -c 'stty -echo raw; exit 3'")
    tap.ok(s.expect(PROMPT), "a line that leaves the terminal raw and dies")
    tap.same(s.run("echo sane", PROMPT), "sane\n", "leaves a sane terminal")
    s.send("\x04")
    s.wait()
    s.close()


def notes():
    if os.getuid() == 0:
        tap.skip("settings that do not hold are told",
                 "root has no settings of a user")
        return
    place = os.path.join(env["HOME"], ".config", "aegsh")
    os.makedirs(place, mode=0o755)
    with open(os.path.join(place, "aegsh.conf"), "w") as f:
        f.write("fail = blok\n")
    s = start()
    tap.ok(b"this file was left out" in s.seen,
           "settings that do not hold are told", s.seen)
    s.send("\x04")
    s.wait()
    s.close()
    os.unlink(os.path.join(place, "aegsh.conf"))


def history():
    s = start()
    s.run("echo first-session", PROMPT)
    s.send("\x04")
    s.wait()
    s.close()
    s = start()
    s.send("\x1b[A")
    tap.ok(s.expect("echo first-session"),
           "the up key recalls a line of an earlier session", s.seen)
    s.send("\r")
    tap.ok(s.expect("first-session\r\n"), "which runs", s.seen)
    s.expect(PROMPT)
    out = s.run("history", PROMPT)
    tap.ok(out and "echo first-session" in out, "history shows it", out)
    s.send("\x04")
    s.wait()
    s.close()


def colours():
    conf = os.path.join(root, "etc", "aegsh.conf")
    with open(conf) as f:
        before = f.read()
    with open(conf, "w") as f:
        f.write(r"prompt = '\{green}\W\{off} \{decision}|\{failed}"
                r"\{bold}READY> '" + "\n")
    s = Session([AEGSH], env=dict(env, TERM="xterm"), cwd=env["HOME"])
    tap.ok(s.expect(r"\x1b\[32m~\x1b\[0m \|\x1b\[1mREADY> "),
           "a prompt in colour", s.seen)
    s.line("false")
    tap.ok(s.expect(r"\x1b\[32m~\x1b\[0m allow\|1 \x1b\[1mREADY> "),
           "with the last decision and status", s.seen)
    s.line("export NO_COLOR=1")
    tap.ok(s.expect(r"\n\r?~ allow\|READY> "), "NO_COLOR is heeded",
           s.seen)
    s.send("\x04")
    s.wait()
    s.close()
    with open(conf, "w") as f:
        f.write(before)


def more_and_edit(s, asks):
    s.line("true && " + asks)
    found = s.expect(r"(?s)aegsh asks: (.*?)" + ASKS)
    tap.ok(found and b"\r\n  line: true && eval" in found.group(1) and
           b"\r\n  part: eval" in found.group(1),
           "it says which part it is about", s.seen)
    s.line("?")
    found = s.expect(r"(?s)(.*?)" + ASKS)
    said = found.group(1).decode("utf-8", "replace") if found else ""
    for part in ("  rule:\r\n    ", "it stands in ", "profile ",
                 "  programs:\r\n", "cat -> /", "true -> shell builtin",
                 "  not known before it runs:\r\n", "output of a command",
                 "e do not, and give it back", "Ann, ext. 7"):
        tap.ok(part in said, "? tells: " + part.strip(), said)
    s.line("e")
    tap.ok(s.expect(PROMPT + r"[^\n]*true && eval \"\$\(cat /dev/null\)\""),
           "e gives the line back", s.seen)
    s.line("; echo $?")
    tap.ok(s.expect(ASKS), "changed, it is asked about again", s.seen)
    s.line("y")
    tap.ok(s.expect(r"\n0\r\n") and s.expect(PROMPT), "and runs as changed",
           s.seen)
    # Of several lines, with what a terminal's marks of a paste end in.
    s.line("echo 'two\nlines' ${#d} $(cat /dev/null); " + asks)
    s.expect(ASKS)
    s.line("e")
    tap.ok(s.expect(r"(?s)" + PROMPT + r"[^\n]*echo 'two.*lines'.*null\)\""),
           "several lines come back as one", s.seen)
    tap.ok(not s.expect(ASKS, 0.5), "and wait for Enter")
    s.line(" # changed")
    tap.ok(s.expect(ASKS), "before they are judged", s.seen)
    s.line("x")
    tap.ok(s.expect("you said no"), "what is no answer means no", s.seen)
    s.expect(PROMPT)
    s.line("echo edited")
    tap.ok(s.expect(r"\nedited\r\n" + PROMPT), "and nothing is left over",
           s.seen)
    out = s.run("history 3", PROMPT)
    tap.ok(out and "# changed" in out, "the changed line is remembered", out)


def question():
    s = start()
    asks = "eval \"$(cat /dev/null)\""
    s.send(asks + "\ry\r")
    if s.expect(ASKS):
        tap.ok(True, "a doubtful line is asked about")
        tap.ok(not s.expect(PROMPT, 1.0),
               "keys typed before the question do not answer it")
        s.line("")
        tap.ok(s.expect("you said no"), "an empty answer means no", s.seen)
        s.expect(PROMPT)
        tap.same(s.run("echo $?", PROMPT), "126\n", "with status 126")
        s.line(asks)
        s.expect(ASKS)
        s.line("y")
        tap.ok(s.expect(PROMPT), "y runs it")
        tap.same(s.run("echo $?", PROMPT), "0\n", "with its own status")
        s.line(asks)
        s.expect(ASKS)
        s.send("\x03")
        tap.ok(s.expect("you said no"), "Ctrl-C means no", s.seen)
        s.expect(PROMPT)
        more_and_edit(s, asks)
    else:
        tap.ok(False, "a doubtful line is asked about", s.seen)
    s.line("nc -e sh 127.0.0.1 1")
    tap.ok(s.expect(r"blocked: .*\[.*who decides what may run here: "
                    r"Ann, ext\. 7\r\n"),
           "a catastrophe is blocked, with whom to ask", s.seen)
    tap.ok(s.expect(PROMPT), "without a question")
    s.line("ls -d $'\\x2f'; printf '\\033]0;x\\007' # \x16\x1b[31m")
    tap.ok(s.expect(PROMPT), "escape sequences in a line do no harm")
    s.send("\x04")
    s.wait()
    s.close()


lines()
ends_with_its_line()
limits()
replaced()
aliases()
editing()
jobs()
notes()
history()
question()
colours()
tap.done()
