# SPDX-License-Identifier: ISC
"""Makes lines that hide what they run, for tests/lib/run_oracle.py: the
only programs in them are its stand-ins, the only files below its working
directory."""
import random

from bashgen import Chooser

NAMES = ["t1", "t2", "t3", "f1", "run", "tool", "u1", "only2", "nx"]
SURE = ["t1", "t2", "t3", "run", "tool"]
VARS = ["a", "b", "c", "V1", "V2", "V3"]
FUNCTIONS = ["g1", "g2", "t1", "tool", "echo"]
PLAIN = ["x", "-a", "y z", "", "a=b", "1", "*.no", "é", "$a", "$(x)", "`x`",
         "{p,q}", "~", "\\", "'", '"', "#c", ";", "&", "a\tb"]
OPERATORS = ["${%s#t}", "${%s##*t}", "${%s%%1}", "${%s%%%%1*}", "${%s/t/u}",
             "${%s//1/2}", "${%s/#t/f}", "${%s/%%1/2}", "${%s^}", "${%s^^}",
             "${%s,}", "${%s,,}", "${%s:0}", "${%s:0:2}", "${%s: -1}",
             "${%s:1:1}", "${#%s}", "${%s:-t2}", "${%s-t3}", "${%s:+t1}",
             "${%s+x}", "${%s:=t1}", "${%s@Q}", "${%s@L}", "${%s@U}",
             "${%s@E}", "${!%s}", "${%s/1/&&}", "${%s#?}", "${%s/*/t1}",
             "${%s#\\t}", "${%s/'1'/2}", "${%s#$b}", "${%s##$b}",
             "${%s%%$b}", "${%s/$b/t}", "${%s/\"$b\"/t}", "${%s//$b}",
             "${%s^$b}", "${%s,$b}", "${%s^^$b}"]


class Lines(Chooser):
    def __init__(self, rng):
        super().__init__(rng, 3)

    # ---- words ----------------------------------------------------------
    def quoted(self, text):
        kind = self.rng.randrange(6)
        if kind == 0:
            return "'" + text.replace("'", "'\\''") + "'"
        if kind == 1:
            return '"' + "".join("\\" + c if c in '"\\$`' else c
                                 for c in text) + '"'
        if kind == 2:
            return "$'" + "".join(
                "\\x%02x" % b if self.rng.randrange(3) == 0 else
                chr(b) if 32 < b < 127 and chr(b) not in "\\'" else
                "\\%03o" % b for b in text.encode()) + "'"
        if kind == 3:
            return "".join("\\" + c for c in text) if text and \
                text.isalnum() and text.isascii() else "'" + \
                text.replace("'", "'\\''") + "'"
        if kind == 4 and text.isalnum() and text.isascii():
            at = self.rng.randrange(len(text) + 1)
            return text[:at] + self.pick('""', "''", "\\\n", "$''") + text[at:]
        return text if text.isalnum() else "'" + \
            text.replace("'", "'\\''") + "'"

    def variable(self):
        name = self.pick(*VARS)
        return self.pick("$" + name, "${%s}" % name,
                         self.pick(*OPERATORS) % name)

    def element(self):
        return self.pick("${r[0]}", "${r[1]}", "${r[-1]}", "${r[@]}",
                         "${r[*]}", "${#r[@]}", "${r[@]:1}", "$r", "${r[i]}",
                         "${r[0]#t}", "$1", "$2", "$@", "$*", "$#", "${@:2}",
                         "${r[9]}", "${r[@]:0:1}")

    def word(self):
        kind = self.rng.randrange(16)
        if kind < 5:
            return self.quoted(self.pick(*(PLAIN + NAMES)))
        if kind < 8:
            return self.variable()
        if kind < 9:
            return '"' + self.variable() + '"'
        if kind < 10:
            return self.element()
        if kind < 11:
            return '"' + self.element() + '"'
        if kind < 12:
            return self.pick("{x,y}", "p{1..3}", "{t,u}1", "~", "here*", "[x",
                             "$((1+2))", "$((i))", "$((i+1))", "$[2*3]",
                             "x$a", '"x $a y"', "$?", "$0", "${a}1")
        if kind < 13:
            return self.nested(
                lambda: self.pick("$(%s)", '"$(%s)"', "<(%s)", "x$(%s)") %
                self.line(), "x")
        return self.quoted(self.pick(*PLAIN))

    def words(self):
        return " ".join(self.word() for _ in range(self.rng.randrange(3)))

    def name(self):
        kind = self.rng.randrange(10)
        if kind < 5:
            return self.quoted(self.pick(*NAMES))
        if kind < 7:
            return self.variable()
        if kind < 8:
            return self.pick('"${r[@]}"', "${r[@]}", "$1", '"$@"', "${r[1]}",
                             "$r", "t$((i))", "t{1,2}", "./here", "$D/p1/t1",
                             "../p2/u1", "$D/p2/only2", "~/here", "$a$b")
        if kind < 9:
            return self.pick(*FUNCTIONS)
        return self.pick("command ", "command -p ", "builtin ", "exec ",
                         "env ", "env -i ", "nice ", "nohup ", "timeout 5 ",
                         "setsid -w ", "env A=1 ", "stdbuf -o0 ",
                         "env PATH=$D/p2 ", "command -- ",
                         "xargs ") + self.pick(*SURE)

    # ---- commands -------------------------------------------------------
    def value(self):
        return self.pick(self.quoted(self.pick(*SURE)), self.word(),
                         "t", "1", "'t1 x'", '"$a$b"', "$a$b", "a", "T1",
                         "xt1", "t1.x", "${a}1")

    def assign(self):
        name = self.pick("a", "b", "c", "V1")
        return self.pick(
            lambda: name + "=" + self.value(),
            lambda: name + "=" + self.value(),
            lambda: name + "+=" + self.value(),
            lambda: "r=(%s %s)" % (self.pick(*SURE), self.words()),
            lambda: "r+=(%s)" % self.words(),
            lambda: "r%s=([%s]%s=%s %s [1]=%s)" % (
                self.pick("", "", "+"), self.pick("0", "0", "1", "i", "-1"),
                self.pick("", "", "+"), self.value(), self.pick("", "t3"),
                self.value()),
            lambda: "declare -%s r=([%s]=%s)" % (
                self.pick("a", "A", "l", "Al"), self.pick("0", "1", "a"),
                self.value()),
            lambda: "declare -%s %s=%s" % (self.pick("lu", "+l", "ir", "g"),
                                           name, self.value()),
            lambda: "r[%s]=%s" % (self.pick("0", "1", "i", "$i", "-1", "7"),
                                  self.value()),
            lambda: "r=" + self.value(),
            lambda: "i=" + self.pick("0", "1", "2", "x"),
            lambda: "declare %s=%s" % (name, self.value()),
            lambda: "export %s=%s" % (name, self.value()),
            lambda: "local %s=%s" % (name, self.value()),
            lambda: "declare %s %s=%s" % (self.pick(
                "-x", "-u", "-l", "-i", "-r", "-a"), name, self.value()),
            lambda: "readonly %s=%s" % (name, self.value()),
            lambda: "declare %s %s" % (self.pick("-l", "-u", "-i", "-r"),
                                       name),
            lambda: "b=" + self.quoted(self.pick(
                "#t", "%1", "/t", "^t", ",T", "t*", "t1 x", "'", "08")),
            lambda: "%s %s=%s" % (self.pick(
                "export", "declare", "command export", "\\export",
                "builtin declare", "declare -" + "x" * 33 + "u",
                "export -n", "declare -q", "typeset -x", "$e declare"),
                name, self.pick("$b", "$V2", "$a", "\"$b\"")),
            lambda: self.pick(
                "printf -v b -v a t2", "printf -v a '\\?'", "wait -np a",
                "wait -pa", "unset -fv a", "coproc a { :; }",
                "a=${b@Q}", "a=$((b+1))", "a=t$((b))"),
            lambda: "set " + self.pick(
                "- -q", "-Z b", "-e- b", "-o bad b", "-oo pipefail x", "-",
                "+", "+- t1", "-o", "-x t1", "- t1 x"),
            lambda: "shopt -s " + self.pick(
                "nocasematch", "extglob", "dotglob", "failglob", "xpg_echo",
                "compat31"),
            lambda: "shopt -u patsub_replacement",
            lambda: "%s=$%s" % (name, self.pick(
                "OPTERR", "OSTYPE", "PS4", "TERM", "SHELL", "HOSTTYPE",
                "PWD", "OLDPWD", "PPID", "IFS", "SHLVL", "UID")),
            lambda: "%s=%s" % (name, self.pick("T1", "T2", "1+1", "tT")),
            lambda: "printf -v %s %s" % (name, self.pick(
                "t1", "%s t1", "'%s%s' t 1", "%b 't\\x31'", "%s " +
                self.word())),
            lambda: "read %s <<< %s" % (name, self.value()),
            lambda: "read -r a b <<< %s" % self.value(),
            lambda: "IFS= read -r %s <<< %s" % (name, self.value()),
            lambda: "IFS=%s" % self.pick("1", "t", ",", "''", "' '"),
            lambda: "unset %s" % self.pick(name, "r", "i", "-v a", "-f t1",
                                           "g1", "-f g1"),
            lambda: "set -- %s %s" % (self.pick(*SURE), self.words()),
            lambda: self.pick("shift", "shift 2", "((i=1))", "let i=2",
                              ": ${a:=t1}", "((i++))", ": $((i=2))"),
            lambda: "PATH=" + self.pick("$D/p2", "$D/p2:$PATH", "$PATH:$D/p2",
                                        "", ".", "$a", "$D/p1"),
            lambda: self.pick("cd ../p1", "cd $D/p2", "cd ..", "cd -", "cd",
                              "cd $a", "pushd ../p2", "popd", "cd nowhere",
                              "cd p1"),
            lambda: self.pick("hash -p $D/p2/u1 t1", "hash -r", "hash t2",
                              "BASH_CMDS[t1]=$D/p2/u1", "enable -n echo",
                              "set -f", "set +B", "alias t1=t2", "set -x",
                              "shopt -s nullglob", "set -e", "PS4='$(t3)'",
                              "declare -n a=b", "mapfile -t r <<< t1",
                              "mapfile r <<< 't1 x'",
                              "mapfile -t r <<< $'t1 x\nt2'",
                              "readarray -t r <<< \"$b\"",
                              "mapfile -t -n1 r <<< $'t2\nt1'",
                              "read -ra r <<< 't1 x'",
                              "set -k"))()

    def simple(self):
        prefix = self.pick("", "", "", "", "a=t2 ", "PATH=$D/p2 ", "b=$a ",
                           "IFS=1 ")
        suffix = self.pick("", "", "", "", "", " >o", " 2>&1", " <<< x",
                           " > $a", " {fd}>o", " <here")
        return prefix + self.name() + " " + self.words() + suffix

    def program(self):
        text = self.nested(self.line, "t1 x")
        quoted = "'" + text.replace("'", "'\\''") + "'"
        return self.pick(
            lambda: "eval " + quoted,
            lambda: "eval %s; $a x" % quoted,
            lambda: 'x%s eval %s' % (self.pick("=t1", "=$a"), quoted),
            lambda: "eval %s=%s; $%s" % (("a", self.pick(*SURE), "a")),
            lambda: "eval " + self.words(),
            lambda: "bash -c " + quoted,
            lambda: "sh -c " + quoted,
            lambda: "bash <<'E'\n%s\nE\n" % text,
            lambda: "bash <<E\n%s\nE\n" % text,
            lambda: "echo t1 x | bash",
            lambda: "printf '%%s\\n' %s | xargs t1" % self.pick(*SURE),
            lambda: "echo a b c | xargs -n2 t1",
            lambda: "echo p | xargs -I{} t1 {} q",
            lambda: "find . -maxdepth 0 -exec t1 {} \\;",
            lambda: ". /dev/stdin <<< " + quoted,
            lambda: ". <(echo t1 x)",
            lambda: "bash <(echo t1 x)",
            lambda: "trap %s EXIT" % quoted,
            lambda: "trap %s DEBUG" % quoted,
            lambda: "env bash -c " + quoted,
            lambda: "exec bash -c " + quoted,
            lambda: "bash -c '\"$@\"' x t1 " + self.words(),
            lambda: "echo t1 | { bash; }")()

    def evaluated(self):
        """Text that is evaluated, and may assign."""
        y = self.quoted(self.pick(
            "a=2", "PATH=0", "IFS=1", "a++", "r[a=0]", "r[V1=3]", "i=1", "5",
            "c", "q[a=4,1]", "a=b=7", "1 ? a : 0", "a=", "08"))
        y = self.pick("y=%s", "y=$(echo %s)", "read -r y <<< %s",
                      "read -r y < <(echo %s)", "printf -v y %%s %s") % y
        how = self.pick(
            "((y))", "let y", 'let "$y"', "[[ $y -eq 1 ]]", "[[ y -lt 2 ]]",
            "declare -i q=$y", ": ${D:y:1}", ": ${r[y]}", "r[y]=t1",
            ": $((y))", ": $((\"$y\" + 1))", "((i = y))", "(($y))",
            "[ -v \"$y\" ]", "test $y", "[[ -v $y ]]", ": ${!y}",
            "unset \"r[$y]\"", "((r[y]++))", "for ((i=y; 0; )); do :; done",
            "c=(t1 [y]=t2)", "((i++))", "declare -i q; q=$y", ": $((i[y]))",
            "wait \"$y\"", ": $[y]", ": {x,$((y))}", "((\"y\"))",
            "(( 'y' ))", "declare \"r[y]=1\"", "printf -v 'r[y]' x")
        use = self.pick("$a x", "$V1 x", '"$a" "$V1" $c', "t1 $a", "t1 x$V2",
                        "$c x", "t2 ${r[0]}")
        return self.pick(
            lambda: "%s; %s; %s" % (y, how, use),
            lambda: "%s; for c in t1 t2; do %s; %s; done" % (y, use, how),
            lambda: "g1() { %s; }; %s; %s; g1; %s" % (how, y, use, use),
            lambda: "%s; (%s; %s); %s" % (y, how, use, use),
            lambda: "%s; a=%s; %s; %s" % (
                y, self.pick(*SURE), how, use))()

    def skipped(self):
        """What may not come to be, and what is run by it afterwards."""
        assign = self.assign()
        if "\n" in assign:
            assign = "a=t2"
        use = self.pick("$a x", "$c x", "$1 x", "${r[0]} x", "t1 $a $b $c",
                        "t1 $V1 $1", "g1 x", "t1 \"$a\"")
        fails = self.pick("<no", ">no/no", "2<&7", "<$V2", "<<< x", "2>&1",
                          ">/dev/null", "{fd}<no")
        return self.pick(
            lambda: "%s %s; %s" % (assign, fails, use),
            lambda: "{ %s; } %s; %s" % (assign, fails, use),
            lambda: "if true; then %s; fi %s; %s" % (assign, fails, use),
            lambda: "for c in t1 t2; do %s; done %s; %s" % (
                assign, fails, use),
            lambda: "g1() { a=t3; } %s; g1; %s" % (fails, use),
            lambda: "eval %s %s; %s" % (self.pick(
                "a=t2", "'set -- t3'", "'b=$((08)); a=t2'"), fails, use),
            lambda: "%s || %s && %s" % (self.pick(
                "true", "false", "f1", "t1 c"), assign, use),
            lambda: "%s && %s || %s && %s; %s" % (self.pick(
                "true", "false", "f1"), assign, self.assign(), use, use),
            lambda: "a=t1\n%s; %s\n%s" % (self.pick(
                ": $((08))", "readonly b; b=x", "r[-9]=1", "c=$((b/0))",
                ": ${!b}", ": ${a:b/0}", "g1() { : $((08)); }; g1",
                "shopt -s failglob; : nope*", "{ : $((08)); }",
                "(: $((08)))", ": $((08)) | :", "eval ': $((08)); a=t3'",
                "V1=${V1:$((08))}"), assign, use),
            lambda: "if %s; then break; fi; %s; %s" % (
                self.pick("true", "t1 c"), assign, use),
            lambda: "for c in t1 t2; do %s; %s; %s; done; %s" % (
                assign, self.pick("true && break", "f1 || continue",
                                  "g1() { return; }; g1"), self.assign(),
                use),
            lambda: "%s() { %s; }; %s; %s" % (
                self.pick("export", "command", "builtin", "eval", "read",
                          "declare", "unset", "set", "g1"),
                self.pick(":", "a=t2", "a=t3; return; a=t2"), assign, use),
            lambda: "%s; %s() { :; }; %s" % (
                assign, self.pick("export", "eval", "set"), use))()

    def later(self):
        """A body or a trap, and what comes behind it."""
        use = self.pick("t1 x", "$a x", "t1 {x,y}", "t1 $V1", "only2 y",
                        "./here x", "t1 \"$a\"")
        change = self.pick(
            "BASH_CMDS[t1]=$D/p2/u1", "hash -p $D/p2/u1 t1", "set +B",
            "PATH=$D/p2", "PATH=$D/p2:$PATH", "eval \"$(echo a=t3)\"",
            "y=$(echo a=4); ((y))", "cd ../p1", "enable -n echo",
            ": ${BASH_CMDS[t1]:=$D/p2/u1}", "a=t2", "V1=t3",
            "shopt -s expand_aliases; alias t1=t2", "unset a", "set -P",
            "export a=t3", "printf -v 'BASH_CMDS[t1]' $D/p2/u1",
            "for a in t2 t3; do :; done", "read a <<< t2", self.assign())
        if "\n" in change:
            change = "a=t2"
        return self.pick(
            lambda: "a=t1; g1() { %s; }; %s; g1" % (use, change),
            lambda: "a=t1; trap '%s' EXIT; %s" % (use, change),
            lambda: "a=t1; trap -- '%s' EXIT; %s; t3" % (use, change),
            lambda: "a=t1; tr''ap '%s' 0; %s" % (use, change),
            lambda: "a=t1; %s; trap '%s' EXIT" % (
                change.replace("'", '"'), use),
            lambda: "PS4='$(%s)'; %s; set -x; :" % (use, change),
            lambda: "a=t1; g1() { %s; }; g2() { %s; }; g2; g1" % (
                use, change),
            lambda: "a=t1; %s() { %s; }; %s; %s" % (
                self.pick("echo", "g1"), use, change,
                self.pick("echo", "g1")))()

    def gives_up(self):
        """A unit that bash leaves, and what stood behind it on its line."""
        return "a=t1\n%s; %s\n%s" % (
            self.pick(": ${1:=z}", "UID=1", ": ${EUID:=2}", "PPID=3",
                      ": ${r[@]:=z}", ": ${r[]}", "r[]=1", ": ${!}",
                      "FUNCNEST=1; g2() { :; }; g1() { g2; }; g1",
                      "readonly q; q=$(t2 x)", "readonly q; ((q=1))",
                      "export UID=1", "BASHOPTS=x", "for UID in 1; do :; done",
                      ": $((UID=1))", "read UID <<< 1", "declare EUID=1",
                      ": ${nope?x}", ": ${a:1:-9}", ": ${@:=1}",
                      "a=(1) UID=2", "UID=1 t3"),
            self.assign().replace("\n", " "),
            self.pick("$a x", "t1 $a", "$c x", "${r[0]} x", "t1 $1"))

    def shell(self):
        """A shell with options, and a text that it may read otherwise."""
        text = self.pick(
            "t1 {a,b}", "a=t1; a=t2 :; $a x", "t1 $[1+1]", "t1 a=b", "t1 x",
            "a=t1; a+=x; t2 $a", "t1 {d}>o", "t1 10>o", "t1 [h]ere",
            "declare a=t2; t1 $a", "a=t1; a[0]=t2; $a x", "t1 x &>o",
            "pushd ../p1; ./t1", "cd ../p1; ./t1", "a=\"x y\"; t1 $a",
            "printf -v a t2; t1 $a", "t1 $V1", "t1 ~", "echo t1 x | sh",
            "a=1 b=$a; t1 \"$b\"", "t1 !(x)", "set -- a b; t1 \"$*\"")
        quoted = "'" + text.replace("'", "'\\''") + "'"
        name = self.pick("bash", "bash", "sh")
        options = self.pick(
            "", "-e", "+e", "-ex", "+x", "-u", "-f", "+B", "-k", "-O extglob",
            "-o posix", "-o noglob", "+o braceexpand", "-eo pipefail",
            "-oe nounset", "--posix", "--norc", "-a", "-h", "-P")
        call = self.pick("-c", "-ec", "-c", "-c -", "-c --", "-ce", "-c -e")
        return self.pick(
            lambda: "%s %s %s %s" % (name, options, call, quoted),
            lambda: "%s %s <<< %s" % (name, options, quoted),
            lambda: "%s %s - <<< %s" % (name, options, quoted),
            lambda: "echo %s | %s %s" % (quoted, name, options),
            lambda: "%s %s <(echo %s)" % (name, options, quoted),
            lambda: "g1() { %s; }; g1 <<< %s" % (name, quoted),
            lambda: "%s -c %s <<< %s" % (name, name, quoted),
            lambda: "exec <<< %s; %s" % (quoted, name),
            lambda: "%s -sc %s <<< 't3 y'" % (name, quoted),
            lambda: "%s bash -c %s" % (self.pick(
                "POSIXLY_CORRECT=1", "env POSIXLY_CORRECT=1", "IFS=1",
                "env SHELLOPTS=posix", "env BASHOPTS=extglob", "V1=t3",
                "PWD=/x", "env 'BASH_FUNC_t1%%=() { t2; }'"), quoted),
            lambda: "export %s; bash -c %s" % (self.pick(
                "POSIXLY_CORRECT=1", "V1=t3", "IFS=1"), quoted))()

    def given(self):
        """A shell with arguments, and what its environment holds."""
        use = self.pick(
            '"$@"', "$@", "$* x", '"$*"', "$1 $2", '"$0" "$1"', "$0 x",
            "shift; \"$@\"", "for c; do $c x; done", "eval \"$1\" y",
            "eval \"$*\"", "t1 $# \"${1-no}\" $3", "set -- t2 \"$@\"; \"$@\"",
            "g1() { \"$@\"; }; g1 \"$2\" x", "${1}${2} x", "t1 ${@:2:1}",
            "a=$1; $a x", "$a x", "t1 \"$a\" $b", "\"$a\" $1", "$V1 $a",
            "unset a; ${a:-t2} x", "a=t3; $a x", "exec \"$@\"",
            "shift 2; $1 x", "while [ $# -gt 0 ]; do $1 x; shift; done",
            "bash -c \"$1\"", "sh -c '$a x'", "bash -c '\"$@\"' y \"$@\"",
            "t1 \"${1%1}\" ${1#t}", "shift 9; $1 x", "BASH_ARGV0=t3; $0 x",
            "t1 ${1:+$2} \"${9-none}\"", "export a=t1; $a x")
        quoted = "'" + use.replace("'", "'\\''") + "'"
        words = " ".join(self.pick(
            self.quoted(self.pick(*SURE)), self.quoted(self.pick(*PLAIN)),
            self.word(), "'t1 x'") for _ in range(self.rng.randrange(4)))
        name = self.pick("bash", "bash", "sh", "/bin/sh", "env bash",
                         "nohup sh", "timeout 5 bash", "env -u a bash",
                         "env a=t3 sh", "env -i PATH=$PATH bash",
                         "nice bash", "exec bash", "env -S 'a=t2' bash")
        before = self.pick(
            "", "", "a=t1 ", "a='t1 x' b=$V2 ", "export a=t2; ",
            "a=t1; export a; ", "export a=t1; a=t2; ", "declare -x a=t3; ",
            "export a=t1; unset a; ", "export a=t1; export -n a; ",
            "a=t1; a=t2 ", "export a=t1; g1() { a=t2; }; g1; ",
            "if f1; then export a=t1; fi; ", "(export a=t1); ",
            "export a=t1; a+=x; ", "set -a; a=t2; ", "export V1=t3; a=t1 ",
            "for c in t1 t2; do export a=$c; done; ",
            "export -f g1; a=t1 ", "declare -ix a=1+1; ", "readonly a=t1; ",
            "g1() { local -x a=t2; }; g1; ", "export a=(t1 t2); ",
            "export a=t1; declare +x a; ", "export a=t1; read a <<< t2; ")
        return before + self.pick(
            lambda: "%s -c %s %s" % (name, quoted, words),
            lambda: "%s -c %s y %s" % (name, quoted, words),
            lambda: "%s -s %s <<< %s" % (name, words, quoted),
            lambda: "%s -s -- %s <<< %s" % (name, words, quoted),
            lambda: "%s /dev/stdin %s <<< %s" % (name, words, quoted),
            lambda: ". /dev/stdin %s <<< %s" % (words, quoted),
            lambda: "%s <(echo %s) %s" % (name, quoted, words),
            lambda: "echo t1 z | xargs %s -c %s y %s" % (
                name.replace("exec ", ""), quoted, words),
            lambda: "find . -maxdepth 0 -exec %s -c %s y %s \\;" % (
                name.replace("exec ", ""), quoted, words),
            lambda: "echo %s | %s -s %s" % (quoted, name, words))()

    def splits(self):
        """Values that fall apart, alone and beside other text."""
        ifs = self.pick("' '", "','", "', '", "$'\\v'", "$'\\r,'", "é", "''",
                        "$' \\t\\n'", "t", "$'\\n'")
        value = self.pick("'x y'", "' x y '", "'x,y'", "',x,'", "'x , y'",
                          "$'x\\vy'", "$'x\\r\\ry'", "xéy", "'*'", "'h*'",
                          "'['", "h[e", "'x,,y'", "','", "' '", "t1")
        word = self.pick("$a", "$a$a", "p$a", "$a\"q\"", "\"\"$a",
                         "${b-$a}", "${b-[}h]ere", "${b-$a}h]ere", "$a]re",
                         "${b-x:~}", "\"$a\"$a", "${b:-~}", "${a}[h]ere",
                         "${b-x$a y}", "x${a+$a}y", "$a$((1))", "[$a]")
        return self.pick(
            lambda: "IFS=%s; a=%s; t1 %s" % (ifs, value, word),
            lambda: "a=%s; t1 %s" % (value, word),
            lambda: "a=%s; b=%s; t1 \"$b\"" % (value, word),
            lambda: "IFS=%s; for c in %s; do t1 \"$c\"; done" % (ifs, word),
            lambda: "IFS=%s; set -- %s; t1 \"$@\" \"$*\"" % (ifs, value),
            lambda: "a=%s; : ${b:=%s}; t1 \"$b\"" % (value, word),
            lambda: "a=%s b=%s c=${a:=%s}; t1 \"$b\" \"$c\"" % (
                value, word, value))()

    def compound(self):
        inner = self.nested(self.line, "t1 in")
        other = self.nested(self.line, "t2 in")
        return self.pick(
            lambda: "for a in %s %s; do %s; done" % (
                self.pick(*SURE), self.words(), inner),
            lambda: "for c in t1 t2; do %s; done" % inner,
            lambda: "for a in %s; do %s; done; $a x" % (
                self.words(), inner),
            lambda: "for b in t1 t2; do %s; t1 || %s; done; $b" % (
                inner, self.pick("break", "continue", "eval break")),
            lambda: "for c in t1 t2; do $c x; %s; done" % inner,
            lambda: "for c; do %s; done" % inner,
            lambda: "for ((i=0; i<2; i++)); do %s; done" % inner,
            lambda: "while f1; do %s; done" % inner,
            lambda: "while t1 c; do %s; break; done" % inner,
            lambda: "until t1 c; do %s; done" % inner,
            lambda: "if %s; then %s; else %s; fi" % (
                self.pick("t1", "f1", "true"), inner, other),
            lambda: "case %s in t*) %s;; *) %s;; esac" % (
                self.word(), inner, other),
            lambda: "(%s)" % inner,
            lambda: "{ %s; }" % inner,
            lambda: "%s() { %s; }" % (self.pick(*FUNCTIONS), inner),
            lambda: "%s() { %s; }; %s" % (
                self.pick("g1", "g2"), inner, self.pick("g1", "g2 t1 x")),
            lambda: "g1() { %s; }; g1 %s; g1 %s" % (
                self.pick("$1 x", '"$@"', "shift; $1", "for c; do $c; done",
                          "eval \"$1\"", inner), self.pick(*SURE),
                self.words()),
            lambda: "g1() { g2 \"$@\" y; }; g2() { %s; }; g1 %s" % (
                self.pick("$1 x", '"$@"', inner), self.words()),
            lambda: "! %s" % inner,
            lambda: "[[ %s == t* ]] && %s" % (self.word(), inner),
            lambda: "((i < 2)) && %s" % inner,
            lambda: "coproc { %s; }; wait" % inner)()

    def command(self):
        kind = self.rng.randrange(20)
        if kind < 8:
            return self.assign()
        if kind < 14:
            return self.simple()
        if kind < 15:
            return self.program()
        if kind < 16:
            return self.evaluated()
        if kind < 17:
            return self.skipped()
        if kind < 18:
            return self.pick(self.later, self.gives_up, self.shell,
                             self.given, self.splits, self.skipped)()
        return self.compound()

    def line(self):
        text = self.command()
        for _ in range(self.rng.choice((0, 1, 1, 2, 3))):
            text += ("" if text.endswith("\n") else self.pick(
                "; ", "; ", "; ", " && ", " || ", " | ", "\n", "& ")) + \
                self.command()
        return text + ("" if not text.endswith("\n") else ":")


def make_given(seed, count):
    """Shells with arguments and with variables of the line alone."""
    rng = random.Random("given " + seed)
    return [Lines(rng).given().encode() for _ in range(count)]


def make(seed, count):
    rng = random.Random(seed)
    out = []
    while len(out) < count:
        unit = Lines(rng).line().encode()
        if b"\0" not in unit:
            out.append(unit)
    return out
