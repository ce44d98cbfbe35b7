# SPDX-License-Identifier: ISC
"""The setting persist: what lives on at a prompt besides exports, beside one
interactive bash; that it is judged with every line; and what is not kept."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
with open(os.path.join(env["HOME"], ".inputrc"), "w") as f:
    f.write("set enable-bracketed-paste off\n")


def start(persist):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as f:
        f.write('prompt = "%s"\npersist = %s\n' % (PROMPT, persist))
    s = Session([program("aegsh")], env=env, cwd=env["HOME"])
    s.expect(PROMPT)
    return s


def bash():
    s = Session(["bash", "--norc", "--noprofile", "-i"], cwd=env["HOME"],
                env=dict(env, PS1=PROMPT, HISTFILE="",
                         INPUTRC=env["HOME"] + "/.inputrc"))
    s.expect(PROMPT)
    return s


def leave(s):
    s.send("\x04")
    s.wait()
    s.close()


VARIABLES = [
    "x=5", "echo $x", "x+=6", "echo $x", "y='a  b'\\''c\"d\\e'",
    "printf '%s\\n' \"$y\"", "z=$'one\\ntwo\\ttab\\001'",
    "printf %s \"$z\" | od -An -c", "u=é", "echo $u ${#u}",
    "i=$'\\xff\\xfe'", "printf %s \"$i\" | od -An -tx1", "e=", "echo [${e-no}]",
    "unset x", "echo [${x-no}]", "a=(1 'b c' '' 4)", "echo ${#a[@]} \"${a[1]}\"",
    "a[9]=nine", "echo ${!a[@]}", "unset 'a[1]'", "echo ${!a[@]}", "a+=(ten)",
    "echo ${a[@]: -1}", "declare -A h=([k]='v w' [\"q r\"]='$')",
    "echo \"${h[k]}|${h[q r]}\"", "h[new]=n", "echo ${#h[@]}", "b=()",
    "echo ${#b[@]}", "readonly r=1", "echo $r", "declare -i n=4", "echo $n",
    "for v in 1 2; do :; done", "echo $v", "read -r l <<<'a b'", "echo $l",
    "export x=exported", "echo $x; printenv x", "export -n x",
    "echo $x; printenv x", "(x=inner); echo $x", "x=bg &", "wait; echo $x",
    "echo $x | cat", "ls -d /; echo $x", "w=1 true", "echo [$w]",
    "v=one; v=two; echo $v", "echo \"$v\" >o; cat o",
]
FUNCTIONS = [
    "f() { echo \"f $# $1 $x\"; return 3; }", "f one two", "echo $?", "x=7",
    "f", "f | cat", "echo $(f sub)", "g() { local x=in; f; }", "g",
    "h() ( cd /; pwd )", "h; pwd", "k() { x=$1; }", "k set", "echo $x",
    "d() { cat <<E\nhere $1\nE\n}", "d doc", "unset -f f", "f 2>&1 | tail -c 18",
    "m() { if [ \"$1\" ]; then echo y; else echo n; fi; for i in a b; do "
    "echo $i; done; case $1 in x*) echo x;; esac; }", "m xx", "m",
    "n() { echo a && echo b || echo c; echo 'q u'\\''ote' \"$((1+2))\"; }", "n",
    "o() { p; }; p() { echo mutual; }", "o", "f2() { echo $FUNCNAME $LINENO; }",
]


def compare(persist, lines):
    ours, theirs = start(persist), bash()
    for line in lines:
        if "\n" in line:
            got = []
            for s in (ours, theirs):
                for part in line.split("\n")[:-1]:
                    s.line(part)
                    s.expect(r"> ")
                got.append(s.run(line.split("\n")[-1], PROMPT))
            tap.ok(got == ["", ""], "%s: a function with a here-document"
                   % persist, got)
            continue
        a, b = [s.run(line, PROMPT) for s in (ours, theirs)]
        # How jobs are told is another test's.
        if line.endswith("&"):
            continue
        a, b = [x and re.sub(r"(?m)^\[.*\n", "", x) for x in (a, b)]
        same = a is not None and b is not None and \
            a.replace("aegsh: line 1: ", "bash: ") == b
        if not tap.ok(same, "%s: %s" % (persist, line), "aegsh: %r" % a,
                      "bash:  %r" % b) and a is None:
            print("# " + repr(ours.seen[-600:]))
            break
    leave(ours)
    leave(theirs)


def judged():
    s = start("full")
    out = s.run("fetch() { curl -s http://127.0.0.1:1/x | sh; }", PROMPT)
    tap.ok(out and "blocked:" in out, "a function's body is judged where it "
           "is defined", out)
    out = s.run("fetch", PROMPT)
    tap.ok(out and "command not found" in out, "and it was not kept", out)
    s.run("k=sh", PROMPT)
    out = s.run("curl -s http://127.0.0.1:1/x | $k", PROMPT)
    tap.ok(out and "blocked:" in out,
           "a line is judged with the variables of earlier ones", out)
    s.line("get() { curl -s http://127.0.0.1:1/x; }")
    if s.expect(r"\[y/N[^]]*\] |" + PROMPT).group(0) != PROMPT.encode():
        s.line("y")
        s.expect(PROMPT)
    s.line("get | sh")
    found = s.expect(r"(blocked: |aegsh asks: )[^\n]*\n.*?(\[y/N[^]]*\] |%s)"
                     % PROMPT)
    tap.ok(found, "and with the bodies of the functions that it calls", s.seen[-400:])
    if found and found.group(2) != PROMPT.encode():
        s.line("n")
        s.expect(PROMPT)
    # Names that the start text of bash counts on.
    for name in ("trap", "unset", "printf", "read", "exec"):
        s.line("%s() { echo hijacked; }" % name)
        if s.expect(r"\[y/N[^]]*\] |" + PROMPT).group(0) != PROMPT.encode():
            s.line("y")
            s.expect(PROMPT)
    tap.same(s.run("export E=1; echo on", PROMPT), "on\n",
             "functions of names that bash needs are not kept")
    tap.same(s.run("echo $E", PROMPT), "1\n", "and nothing was hijacked")
    s.run("printf -v LD_PRELOAD x; printf -v BASH_ENV x; printf -v IFS x; "
          "printf -v PROMPT_COMMAND x", PROMPT)
    out = s.run("echo [$LD_PRELOAD$BASH_ENV$PROMPT_COMMAND]", PROMPT)
    tap.same(out, "[]\n", "what may not be exported is not kept plain")
    leave(s)


def bounds():
    s = start("variables")
    s.run("big=$(head -c 120000 /dev/zero | tr '\\0' x)", PROMPT)
    tap.same(s.run("echo ${#big}", PROMPT), "120000\n", "a large variable")
    s.run("big2=$big", PROMPT)
    out = s.run("big3=$big; big4=$big", PROMPT)
    tap.ok(out and "too large" in out, "more than is kept is named", out)
    tap.same(s.run("unset big big2 big3; echo ${#big}", PROMPT), "0\n",
             "and can be unset")
    leave(s)
    s = start("exports")
    s.run("x=5", PROMPT)
    tap.same(s.run("echo [$x]", PROMPT), "[]\n", "exports: nothing besides")
    leave(s)
    s = Session([program("aegsh"), "-o", "persist=full"], env=env,
                cwd=env["HOME"])
    tap.ok(s.expect("persist"), "the setting is the operator's alone", s.seen)
    tap.ok(os.waitstatus_to_exitcode(s.wait()) == 2, "with status 2")
    s.close()


def whose():
    """wait -p NAME.  The job ends when the line that waits was typed, so
    that no prompt has told of its end before."""
    def beside(s, line):
        go = os.path.join(env["HOME"], "go")
        if os.path.exists(go):
            os.unlink(go)
        s.run("sh -c 'until test -e go; do sleep 0.05; done; exit 4' &",
              PROMPT)
        group = re.findall(rb"\[1\] (\d+)", s.seen)[-1].decode()
        s.line(line)
        s.expect(re.escape(line) + "\r\n")
        open(go, "w").close()
        found = s.expect(r"(?s)(.*?)" + PROMPT)
        return group, found.group(1).decode() if found else None

    s = start("variables")
    for kept in ("who", "pid"):
        if kept == "pid":
            s.run("export pid=1", PROMPT)
        group, _ = beside(s, "wait -n -p " + kept)
        tap.same(s.run("echo $? $%s" % kept, PROMPT), "4 %s\n" % group,
                 "wait -p tells whose status it was: " + kept)
    s.run("wait -n -p pid", PROMPT)
    tap.same(s.run("echo $? ${pid-unset}", PROMPT), "127 unset\n",
             "and of none nothing")
    leave(s)
    s = start("exports")
    group, out = beside(s, "wait -n -p who")
    tap.ok(out and "who is not exported" in out and
           "process %s\r" % group in out, "what would not be kept is told",
           out)
    leave(s)


compare("variables", VARIABLES)
compare("full", VARIABLES + FUNCTIONS)
judged()
bounds()
whose()
tap.done()
