# SPDX-License-Identifier: ISC
"""The same lines to aegsh and to one bash: typed at a prompt, and as a stream.
After each line what was printed, $? and the directory are compared; after
each script the environment, the directory stack and the umask.

At a prompt what lives on from line to line is what is exported; the scripts
of PROMPT keep to that.  Those of STREAM may use everything."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
HOME = env["HOME"]
AEGSH = program("aegsh")
with open(os.path.join(root, "etc", "aegsh.conf"), "w") as f:
    f.write('prompt = "@[\\\\?]\\\\w@> "\n')
with open(os.path.join(HOME, ".inputrc"), "w") as f:
    f.write("set enable-bracketed-paste off\n")
ENV = dict(env, INPUTRC=os.path.join(HOME, ".inputrc"))
SHOWN = rb"(.*?)@\[(\d+)\]([^@]*)@> "


def fresh():
    """The same small world for each script."""
    world = os.path.join(HOME, "w")
    subprocess.run(["rm", "-rf", "--", world], check=True)
    for name in ("a/b/c", "d e", "real/in", "x1", "x2"):
        os.makedirs(os.path.join(world, name))
    os.symlink("real/in", os.path.join(world, "link"))
    os.symlink("nowhere", os.path.join(world, "broken"))
    with open(os.path.join(world, "file"), "w") as f:
        f.write("one\ntwo\nthree\n")
    with open(os.path.join(world, "exits"), "w") as f:
        f.write("#!/bin/sh\nexit $1\n")
    os.chmod(os.path.join(world, "exits"), 0o755)
    return world


PROMPT = {
    "cd": [
        "cd a", "cd b/c", "cd ..", "cd ../..", "cd -", "cd -", "cd", "cd w",
        "cd ./a/./b/../b", "cd //", "cd /usr/../usr/lib", "cd ~", "cd ~/w",
        "cd nothere", "cd file", "cd broken", "cd ''", "cd 'd e'", "cd ..",
        "cd d\\ e", "cd ..", "cd \"d e\"/..", "cd a b", "cd -- a", "cd ..",
        "cd -L link", "pwd", "cd ..", "cd -P link", "pwd", "cd -", "cd link",
        "cd ..", "cd -P link/..", "pwd", "cd -Pe ../a", "cd -@ .",
        "cd -x .", "cd -LP ../link", "cd ~root", "cd ~nosuchuser",
        "cd ~/w", "cd ~+", "cd ~-", "cd $HOME/w", "cd \"$HOME\"/w/a",
        "cd '~'", "cd .", "cd $OLDPWD", "echo $OLDPWD", "cd ~/w/a/b/c",
        "cd ../../../..", "cd w/x[1]", "cd ../x?", "cd ~/w",
        "unset OLDPWD", "cd -", "export OLDPWD; cd a", "cd -", "HOME=/usr cd", "pwd",
        "cd ~/w", "unset HOME", "cd", "cd /", "export HOME=/usr", "cd",
        "pwd"],
    "cd in longer lines": [
        "cd a && pwd", "cd .. ; cd x1", "cd .. || echo no",
        "if test -d a; then cd a; fi", "(cd b; pwd)", "cd b | cat",
        "pwd", "{ cd b; }", "cd ..; false", "for d in b c; do cd $d; done",
        "cd ~/w; cd - >/dev/null", "f() { cd ~/w/x2; }; f", "cd ..&&cd x1",
        "! cd nothere", "cd ../a; cd b; (exit 5)", "echo $(cd c; pwd)",
        "eval cd c", "command cd ..", "builtin cd ..", "cd b >/dev/null",
        "cd .. 2>/dev/null", "while cd ..; do break; done", "pwd",
        "case x in x) cd a;; esac", "cd ../link; pwd -P",
        "cd ..; pwd"],
    "directory stack": [
        "pushd a", "pushd b", "dirs", "dirs -v", "dirs -p", "dirs -l",
        "popd", "pushd ../x1", "pushd +1", "pushd -0", "pushd", "dirs +1",
        "dirs -1", "dirs +9", "popd +1", "popd -n", "pushd -n /usr", "dirs",
        "popd +9", "popd x", "pushd nothere", "pushd -x", "dirs -z",
        "dirs -c", "popd", "pushd", "pushd /usr && pushd /var",
        "dirs", "popd; popd", "pushd / >/dev/null", "dirs", "popd -0",
        "cd -", "pushd ~/w/a", "dirs -l -v", "dirs -c; dirs",
        "pushd 'd e'", "cd ~/w; pushd 'd e'", "popd", "echo ${DIRSTACK[0]}",
        "pushd .; dirs"],
    "exports": [
        "export A=1", "echo $A", "export A='x y' B=\"$A\"", "echo \"$A|$B\"",
        "A=2", "echo $A", "printenv A", "A=3 printenv A", "printenv A",
        "unset A", "echo [${A-unset}]", "export C", "echo [${C-unset}]",
        "export D=$'new\\nline'", "printf '%s.' \"$D\"", "unset D",
        "echo [${D-unset}]", "declare -x E=5", "printenv E",
        "typeset -x F=6; export G=$((E+F))", "echo $G", "export 1x=2",
        "export H='a\"b\\d$e'", "printf '%s\\n' \"$H\"",
        "export I=$'\\x01\\xff'", "printf %s \"$I\" | od -An -tx1",
        "export PATH=$PATH:/nonexistent", "echo ${PATH##*:}",
        "export J=", "echo [${J-unset}]", "for i in 1 2; do export K=$i; done",
        "echo $K", "(export L=1)", "echo [$L]", "export M=1 | cat", "echo [$M]",
        "f() { export N=$1; }; f seven", "echo $N",
        "read -r O <file; export O", "echo $O", "export P+=x; export P+=y",
        "echo $P", "export Q='  spaces  '", "echo \"[$Q]\" $Q",
        "export R=é", "echo $R", "env -u R printenv R", "export A1=1 A2=2",
        "unset A1 A2; echo $A1$A2", "export -p | grep -c 'R='",
        "readonly S=1; export S", "echo $S", "declare -i T=4; export T",
        "echo $T", "export U=${V:-deflt}", "echo $U"],
    "status": [
        "true", "false", "echo $?", "(exit 3)", "echo $?", "./exits 7",
        "echo $? $?", "./exits 0", "nosuchcommand", "echo $?", "./file",
        "echo $?", "/", "echo $?", "sh -c 'kill -TERM $$'", "echo $?",
        "true | false", "false | true", "! true", "! false", "echo $?",
        "set -o pipefail; false | true", "test 1 = 2",
        "[ -f file ]", "[[ a == b* ]]", "((0))", "((1))", "let 0",
        "false && echo x", "false || ./exits 9", "if false; then :; fi",
        "for i in 1; do ./exits 4; done", "while false; do :; done",
        "return 3", "./exits 256", "./exits 255", "x=$(./exits 6)",
        "echo $(./exits 6) $?", "eval 'false'", "command false",
        "cat nothere", "ls nothere >/dev/null", "echo x >nothere/x",
        "cat <nothere", "echo $?", "true $(false)", "f() { return 8; }; f",
        "case a in b) false;; esac", "exec 9>&-", "wait", "break", "shift 9"],
    "words": [
        "echo a  b   c", "echo 'a  b'", "echo \"$((1+2))\"", "echo {a,b}{1,2}",
        "echo {1..5}", "echo x*", "echo nomatch*", "echo *", "echo ~",
        "echo \\*", "echo '*'", "echo $'a\\tb'", "echo ${HOME##*/}",
        "echo ${#HOME}", "echo ${nope:-dflt}", "echo ${nope:?msg}",
        "echo `echo back`", "echo $(echo one; echo two)", "echo \"$(cat file)\"",
        "cat <<<here", "echo $#", "echo \"$@\"",
        "echo a#b # comment", "echo 'multi", "echo done; echo again",
        "printf '%s|' a 'b c' ''", "echo -n x; echo", "echo -e 'a\\nb'",
        "x=5; echo $x; echo $((x*2))", "a=(1 2 3); echo ${a[1]} ${#a[@]}",
        "declare -A h=([k]=v); echo ${h[k]}", "echo ${PWD/w/W}",
        "s=abc; echo ${s:1} ${s^^} ${s/b/X}", "echo $((16#ff)) $((2**10))",
        "f() { local v=1; echo $1$v; }; f a", "echo a >o; cat o; rm o",
        "echo a >o; echo b >>o; cat <o; rm o", "cat file | head -n 1",
        "cat file | while read l; do echo \"<$l>\"; done", "ls -d a x1",
        "seq 3 | paste -sd+", "echo err >&2", "{ echo o; echo e >&2; } 2>&1",
        "diff <(echo a) <(echo a) && echo same", "time -p true 2>/dev/null",
        "select x in a; do break; done </dev/null", "echo ${BASH_VERSION%%.*}",
        "echo $SHLVL", "sh -c 'echo $SHLVL'", "bash -c 'echo $SHLVL'",
        "echo $LINENO", "echo one; echo two", "true && echo y || echo n",
        "trap 'echo bye' EXIT; echo hi", "set -- a b; echo $2", "echo $2",
        "type cd | head -n 1", "echo ${PIPESTATUS[@]}", "umask"],
    "last argument": [
        "echo one two", "echo $_", "ls -d a x1", "echo $_", ": x y z",
        "echo $_ $_", "cd a", "echo $_", "cd ..; echo hi there", "echo $_",
        "true", "echo $_"],
    "umask and limits": [
        "umask", "umask 027", "umask", "umask -S", "touch m; stat -c %a m",
        "umask u=rwx,g=,o=", "umask", "umask 22; umask", "umask 999", "umask",
        "(umask 0)", "umask", "ulimit -Sn 200", "ulimit -n",
        "sh -c 'ulimit -n'", "ulimit -Sn 150; ulimit -Sn", "ulimit -Sn",
        "(ulimit -Sn 100)", "ulimit -Sn", "ulimit -Sc 0", "ulimit -c",
        "ulimit -Sn 180 && true", "ulimit -Sn"],
    "directories that go away": [
        "mkdir -p g/h; cd g/h", "cd ..; rmdir h", "mkdir h; cd h",
        "mv ../../g ../../g2", "cd ../..", "ls -d g2", "cd g2/h",
        "cd ~/w; rmdir g2/h g2", "cd -", "pwd", "mkdir shut; cd shut",
        "cd ..; rmdir shut", "cd .", "cd ."],
}

# For a prompt alone: without one they mean something else.
TYPED = {
    "odd lines": [
        "time -p", "!", "! !", "time -p !", "echo $?", "trap", "trap -p",
        "trap -l | head -n 1", "exit 1 2", "echo $?", "logout", "fg", "bg",
        "jobs", "wait", "kill -l 9", "kill -l TERM", "kill -l 137",
        "disown", "dirs -x 2>/dev/null", "suspend -x 2>/dev/null",
        "echo ${FUNCNAME[0]-none} $BASH_SUBSHELL", "[ $BASHPID = $$ ]",
        "caller", "echo $_", "false", "", "   ", "# nothing", "echo $?",
        "exec nosuchcommand", "echo $?", "exec ./file", "echo $?"],
}

STREAM = {
    "odd lines": [
        "time -p", "!", "! !", "time -p !", "false", "", "# nothing",
        "trap", "trap 'echo bye' EXIT", "trap", "set -e; false || echo on",
        "kill -l 9", "caller", "echo ${FUNCNAME[0]-none} $BASH_SUBSHELL"],
    "variables": [
        "x=1", "y=\"$x 2\"", "echo $x $y", "readonly z=3", "z=4", "echo $z",
        "unset x; echo [$x]", "a=(p q r)", "echo ${a[@]:1}", "a+=(s)",
        "echo ${#a[@]}", "declare -A m; m[k]=v; m[l]=w", "echo ${m[k]}",
        "for k in \"${!m[@]}\"; do echo $k; done | sort", "unset 'a[0]'",
        "echo ${!a[@]}", "declare -i n=5; n+=5; echo $n", "i=0",
        "while ((i<3)); do ((i++)); done; echo $i", "x=${x:=dflt}; echo $x"],
    "functions": [
        "f() { echo f $# $1; return 4; }", "f a b", "f", "g() (cd /; pwd)",
        "g", "h() { local x=in; k; }; k() { echo ${x-none}; }", "h", "k",
        "r() { (($1)) && r $(($1-1)); echo $1; }", "r 2", "unset -f f", "f",
        "declare -F", "f() {\n  echo several\n  echo lines $LINENO\n}", "f"],
    "options": [
        "set -u", "echo ${q-unset}", "set +u; echo [$q]", "set -f; echo *",
        "set +f; echo x*", "set -o noclobber; echo a >file", "set +C",
        "shopt -s nullglob", "echo no*match", "set -o pipefail",
        "false | true", "set +o pipefail; false | true", "echo $-"],
    "input": [
        "cat <<E\nhere $((1+1))\nE", "cat <<'E'\nraw $x\nE",
        "cat <<-E\n\ttabs\n\tE", "if true\nthen\necho yes\nfi",
        "case x in\nx) echo matched ;;\nesac", "for i in 1 2\ndo\necho $i\ndone",
        "echo a \\\n  b", "echo 'two\nlines'", "echo \"$(\necho in\n)\"",
        "{\necho grouped\n}", "# a comment", "", "echo $LINENO",
        "x=$(cat <<E\nnested\nE\n)", "echo $x"],
    "flow": [
        "true && echo a || echo b", "false && echo a || echo b",
        "if [ -d a ]; then echo dir; elif true; then echo no; fi",
        "until true; do :; done; echo $?", "for ((i=0;i<3;i++)); do "
        "((i==1)) && continue; echo $i; done", "set -- a b c; shift; echo $1",
        "echo \"$*\" $#", "case abc in a*) echo star;;& *c) echo end;; esac",
        "trap 'echo sig' USR1; kill -USR1 $$", "trap - USR1",
        "wait; echo waited", "coproc cat; echo via >&${COPROC[1]}; read r <&${COPROC[0]}; echo $r",
        "exec 7<file; read l <&7; echo $l; exec 7<&-",
        "eval 'echo e; false'", "(exit 9)", "time -p true 2>/dev/null",
        "[[ abc =~ b(.) ]] && echo ${BASH_REMATCH[1]}", "! false; echo $?"],
    "jobs without control": [
        "sleep 0 & wait $!", "(exit 5) & wait $!", "jobs",
        "sleep 100 & kill $!; wait $! 2>/dev/null; echo $?", "echo ${!:+set}"],
}


def plain(text):
    text = text.replace("\r", "")
    text = re.sub(r"(?m)^(bash|/bin/bash|aegsh|%s): (line \d+: )?"
                  % re.escape(AEGSH), "SHELL: ", text)
    # How long it took is no difference.
    return re.sub(r"(?m)^(real|user|sys)([ \t])[\dm.s]+$", r"\1\2TIME", text)


def at_prompt(argv, more, lines, world):
    """What each line came to: (output, status, directory)."""
    s = Session(argv, env=dict(ENV, **more), cwd=world, cols=500)
    got = []
    if s.expect(rb"@\[\d+\][^@]*@> ") is None:
        return ["no prompt: %r" % s.seen], None
    for line in lines:
        s.line(line)
        while True:
            found = s.expect(SHOWN)
            if found is None:
                break
            out = found.group(1).decode("utf-8", "replace")
            out = out.split("\n", 1)[1] if "\n" in out else ""
            got.append((plain(out), int(found.group(2)),
                        found.group(3).decode()))
            break
        if found is None:
            got.append(("nothing came: %r" % s.rest[-200:], None, None))
            break
    s.line("env | sort; umask; dirs -l; ulimit -Sn")
    end = s.expect(SHOWN)
    world_end = end.group(1).decode("utf-8", "replace") if end else ""
    s.send("\x04")
    s.wait()
    s.close()
    return got, world_end


# What is aegsh's own or the terminal's, not the lines'.
NOT_COMPARED = re.compile(r"(?m)^(_|AEGSH_\w+|PS1|COLUMNS|LINES|SHELL|INPUTRC|HISTFILE)=.*\n")
# Printed otherwise on purpose: a note of aegsh's own.
NOTES = re.compile(r"(?m)^SHELL: (\S+ is not exported and ends|functions end|"
                   r"options( and parameters)? end|traps end|"
                   r"what exec opens or closes ends|"
                   r"changes of directory and).*\n")
# Lines whose output names what differs: the prompt's own syntax of messages.
SKIPPED = {
    "echo ${nope:?msg}": "bash -c has another status for it than a prompt",
    "echo $LINENO": "each line of a prompt is the first of its bash",
    "trap 'echo bye' EXIT; echo hi": "traps end with their line",
    "echo $2": "positional parameters end with their line",
    "echo ${PIPESTATUS[@]}": "PIPESTATUS ends with its line",
}


def prompts():
    for name, lines in list(PROMPT.items()) + list(TYPED.items()):
        lines = [x for x in lines if x != "echo 'multi"]
        ours, our_end = at_prompt([AEGSH], {}, lines, fresh())
        theirs, their_end = at_prompt(
            ["bash", "--norc", "--noprofile", "-i"],
            {"PS1": "@[$?]\\w@> ", "HISTFILE": ""}, lines, fresh())
        for line, a, b in zip(lines, ours, theirs):
            if line in SKIPPED:
                tap.skip("%s: %s" % (name, line), SKIPPED[line])
                continue
            a = (NOTES.sub("", a[0]), a[1], a[2])
            tap.ok(a == b, "prompt: %s: %s" % (name, line),
                   "aegsh: %r" % (a,), "bash:  %r" % (b,))
        tap.ok(len(ours) == len(lines), "prompt: %s: every line was run"
               % name, "%d of %d" % (len(ours), len(lines)), repr(ours[-1:]))
        clean = [NOT_COMPARED.sub("", plain(x or "none").split("\n", 1)[-1])
                 for x in (our_end, their_end)]
        tap.ok(clean[0] == clean[1], "prompt: %s: the environment at the end"
               % name, *["- " + x for x in clean[1].splitlines()
                         if x not in clean[0].splitlines()],
               *["+ " + x for x in clean[0].splitlines()
                 if x not in clean[1].splitlines()])


PROBE = "printf '\\n=%s=%s=\\n' \"$?\" \"$PWD\"; printf '=\\n' >&2"


def by_stream(argv, lines, world):
    text = "".join("%s\n%s\n" % (line, PROBE) for line in lines)
    text += "export -p | grep -v ' _='; umask; dirs -l\n"
    r = subprocess.run(argv, input=text.encode(), env=env, cwd=world,
                       capture_output=True, timeout=60)
    outs = re.split(r"\n=(\d+)=([^=\n]*)=\n",
                    r.stdout.decode("utf-8", "replace"))
    errs = r.stderr.decode("utf-8", "replace").split("=\n")
    return outs, errs, r.returncode


def streams():
    scripts = dict(STREAM)
    for name, lines in PROMPT.items():
        # A limit below the descriptor that keeps the real input makes bash
        # complain of it once, and is otherwise harmless.
        scripts[name] = [re.sub("1[58]0", "250", x) for x in lines if x not in
                         ("echo 'multi", "echo ${nope:?msg}")]
    for name, lines in scripts.items():
        ours = by_stream([AEGSH], lines, fresh())
        theirs = by_stream(["bash", "--norc", "--noprofile"], lines, fresh())
        for i, line in enumerate(lines):
            a, b = [(x[0][3 * i:3 * i + 3],
                     plain(x[1][i]) if i < len(x[1]) else None)
                    for x in (ours, theirs)]
            tap.ok(a == b, "stream: %s: %s" % (name, line.split("\n")[0]),
                   "aegsh: %r" % (a,), "bash:  %r" % (b,))
        tap.ok(ours[0][3 * len(lines):] == theirs[0][3 * len(lines):] and
               ours[2] == theirs[2],
               "stream: %s: the environment and status at the end" % name,
               "aegsh: %d %r" % (ours[2], ours[0][3 * len(lines):]),
               "bash:  %d %r" % (theirs[2], theirs[0][3 * len(lines):]))


prompts()
streams()
tap.done()
