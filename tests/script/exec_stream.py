# SPDX-License-Identifier: ISC
"""Streams against bash itself: the same script by "bash < script" and, unit
by unit, through exec_feed().  Lines that commands read from the script's
own input stand in the script there, and in the real input here.  bash's
script comes by a pipe: in a file it reads ahead, and some builtins miss
what it has read.

One difference is known: 10 and 11 are taken while a unit runs."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from exec_rig import Root  # noqa: E402
from tap import Tap  # noqa: E402

# A case is a list of units; a tuple is a unit and the input that follows it.
CASES = {
    "arguments and names": ['echo "$0 $# $1 $2" "$-" "$LINENO"', "shift",
                            'echo "$# $1"', 'echo "${BASH_SOURCE[0]}|"'],
    "blank lines and comments": ["", "# one", "echo $LINENO", "\n\n# x \\",
                                 "  \t", "echo $LINENO", "# a\n# b\n",
                                 "echo $LINENO # c"],
    "read takes the next line": [("read x", "data one\n"), 'echo "[$x]"',
                                 ("read -r a b", "A \\B C\n"),
                                 'echo "$a|$b"'],
    "external commands share it": [("head -c9", "for head\n"), "echo after"],
    "cat takes the rest": ["echo start", ("cat", "1\necho 2\n3\n")],
    "a loop reads": [("while read l && [ \"$l\" != end ]\ndo\n"
                      "\techo \"$l $LINENO\"\ndone", "a\nb\nend\n"),
                     "echo $LINENO"],
    "statuses": ["false", "echo $?", "(exit 7)", "echo $? $?", "true | false",
                 "echo ${PIPESTATUS[@]}", "! true", "echo $?"],
    "last argument": ["echo one two", "echo $_", ": x", 'echo "$_"'],
    "variables and functions": ["x=1", "f() {\n\techo \"f $1 $x $LINENO\"\n}",
                                "f a", "unset -f f", "f b", "export y=2",
                                "env | grep ^y=", "declare -i n=3", "n+=4",
                                "echo $n", "a=(1 2 3)", "echo ${a[2]}"],
    "a function knows its lines": [
        "g() {\n\n\techo $LINENO ${BASH_LINENO[0]} ${FUNCNAME[0]}\n"
        "\tcaller 0\n}", "g", "\n", "g"],
    "options": ["set -u", "echo ${nope-none}", "set -o pipefail",
                "false | true", "echo $?", "shopt -s nullglob",
                "echo /nope/*", "set -f", "echo /*", "echo $-"],
    "set -e ends it": ["set -e", "echo in", "false", "echo never"],
    "set -e and conditions": ["set -e", "if false; then :; fi",
                              "false || echo or", "(false) && echo no",
                              "echo end", "f() { false; echo f; }", "f || :",
                              "f", "echo never"],
    "set -u ends it": ["set -u", "echo $nope", "echo never"],
    "exit": ["echo a", "exit 42", "echo never"],
    "exit in a function": ["f() { exit 3; }", "f", "echo never"],
    "exit trap": ["trap 'echo bye $?' EXIT", "false"],
    "exit trap and exit": ["trap 'echo bye $?; cat' EXIT", ("exit 5",
                                                          "rest\n")],
    "traps": ["trap 'echo err $LINENO' ERR", "false", "true",
              "trap 'echo debug $BASH_COMMAND' DEBUG", "true", "x=1",
              "trap - DEBUG", "trap 'echo usr1' USR1", "kill -USR1 $$",
              "trap"],
    "here-documents": ["cat <<E\nx $LINENO\n$HOME_NOT\nE",
                       "cat <<'E'\n$raw `x`\n} done\nE", "cat <<-E\n\ttab\n"
                       "\tE", "cat <<A; cat <<B\na\nA\nb\nB",
                       "cat <<< 'here string'", "echo $LINENO"],
    "redirections by exec": ["exec 3>&1", "echo three >&3", "exec 3>&-",
                             "echo gone >&3", "exec 2>&1", "ls /nope",
                             "exec 4< /etc/hostname", "read -u4 h",
                             "[ -n \"$h\" ] && echo yes", "exec >/dev/null",
                             "echo unseen"],
    "exec replaces it": ["echo before", "exec echo instead", "echo never"],
    "exec of what reads": [("exec cat", "left\nover\n")],
    "exec that fails": ["exec /nope/x", "echo never"],
    "errors say bash and the line": ["true", "nosuch a", "cd /nope",
                                     "\necho x >/", "[ 1 -eq x ]",
                                     "f() {\n  nosuch2\n}", "f",
                                     "readonly r=1", "r=2", "echo $LINENO"],
    "bad substitution": ["echo ${x@Q@}", "echo $?"],
    "syntax error": ["echo a", "echo $(( 1 + ))", "echo b $?",
                     "[[ a", "echo never"],
    "background": ["sleep 0.05 & p=$!", "wait $p", "echo $?", "(exit 3) &",
                   "wait $!", "echo $?", ("cat & wait", ""),
                   ("read x", "for read\n"), 'echo "[$x]"'],
    "pipes and groups": ["echo a | { read x; echo \"<$x>\"; }",
                         "{ echo 1; echo 2; } | wc -l",
                         "(cd /; pwd)", "echo $(echo sub; exit 2) $?",
                         "diff <(echo a) <(echo a) && echo same"],
    "compound": ["for i in 1 2 3; do\n\t[ $i = 2 ] && continue\n\techo $i\n"
                 "done", "case x in\n(x) echo case;;\nesac",
                 "i=0; while ((i++ < 2)); do echo $i; done",
                 "select s in a b; do echo $s; break; done </dev/null",
                 "if true; then\n\techo $LINENO\nfi",
                 "until true; do :; done; echo u"],
    "break and return at top level": ["break", "echo $?", "return 4",
                                      "echo $?"],
    "IFS does not matter": ["IFS=01234569", "echo $LINENO", "false",
                            "echo $?", "unset IFS", "echo $LINENO"],
    "set -x shows only the script": ["set -x", "echo a", ": $LINENO",
                                     "x=$(echo b)", "set +x", "echo end"],
    "positional parameters": ["set -- a 'b c'", "echo $# \"$2\"", "set --",
                              "echo $#"],
    "directories": ["cd /usr", "pwd", "pushd /etc >/dev/null", "dirs",
                    "popd >/dev/null", "echo $OLDPWD"],
    "posix mode": ["set -o posix", "echo $LINENO", "x=1 :", "echo $x",
                   "shift 9", "echo never"],
    "restricted": ["set -r", "echo x >/dev/null", "cd /", "echo $?"],
    "LINENO without its meaning": ["unset LINENO", "echo ok$?", "LINENO=7",
                                   "true"],
    "quotes over lines": ["echo 'a\nb\n'", "echo \"x\n} 0>&1\n\"", "echo $LINENO",
                          "echo a \\\n  b", "echo $LINENO"],
    "a unit of many pages": ["x='%s'" % ("long " * 3000), "echo ${#x}",
                             "echo $LINENO"],
    "just a page": ["echo %s" % ("y" * n) for n in range(4040, 4056)],
    "many units": ["x=$((x+%d))" % n for n in range(300)] + ["echo $x"],
    "a child kills its parent": ["(kill -TERM $$)", "sleep 5"],
    "umask and limits": ["umask 077", "umask", "ulimit -c 0", "ulimit -c"],
    "coprocess": ["coproc cat", "echo hi >&${COPROC[1]}",
                  "read -u ${COPROC[0]} l", "echo $l", "kill %1",
                  "wait 2>/dev/null", "echo $?"],
    "aliases": ["shopt -s expand_aliases", "alias say='echo said'",
                "say it"],
    "descriptors": ["ls /proc/self/fd", "exec 12<&1", "ls /proc/self/fd",
                    "echo x | ls /proc/self/fd"],
    "eval and source": ["eval 'echo $LINENO; x=5'", "echo $x",
                        "printf 'echo src $LINENO\\nread y\\n' >s.sh",
                        (". ./s.sh", "for y\n"), "echo $y"],
    "mapfile takes the rest": [("mapfile -t m; echo ${#m[@]}",
                                "a\nb\nc\n")],
    "a backslash at the end": ["echo a", "echo b \\"],
    "no newline at the end": ["echo a", "printf b"],
}

tap = Tap()
root = Root()


def native(units):
    script = ""
    for unit in units:
        unit, data = unit if isinstance(unit, tuple) else (unit, "")
        script += unit + ("" if unit.endswith("\n") else "\n") + data
    return script


def compare(name, units, launcher):
    bash = ["/bin/bash", "--norc", "--noprofile", "-s", "--", "one", "two"]
    want = root.run(bash, stdin=native(units).encode())
    argv = [root.execrun, "-q", "-0", "/bin/bash"] + launcher
    data = ""
    for unit in units:
        unit, more = unit if isinstance(unit, tuple) else (unit, "")
        argv += ["-u", unit]
        data += more
    got = root.run(argv + ["--", "one", "two"], stdin=data.encode())
    tap.ok(got == want, "%s: %s" % ("launcher" if launcher else "direct",
                                    name),
           "want: %d" % want[0], want[1], "got: %d" % got[0], got[1])


for case, its_units in CASES.items():
    compare(case, its_units, [])
compare("nothing at all is fed", ["true"], [])
for case in ("read takes the next line", "exit", "descriptors",
             "a unit of many pages"):
    compare(case, CASES[case], ["-l"])
tap.done()
