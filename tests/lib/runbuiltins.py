# SPDX-License-Identifier: ISC
"""Makes lines in which builtins give variables values, or change how what
follows is read, for tests/lib/run_oracle.py: some of each, then a look at
what the variables hold."""
import random

TEXTS = ["t1", "t2 x", "a b c", " p  q ", "", "x", "1", "3+4", "aB", "-a",
         "*.no", "k=v", "a,b,c", "a:b", "a\\b", "x\\", "a b\nc d", "\nx",
         "t1\n", "'q'", "\"w\"", "$a", "tx1", ":a::b", "\ta\tb", "é", "ABC",
         "x[1]", "b", "a\\ b", "09", "0x1f", "-", "--", "a\n\nb", ",", "a\\\nb"]
NAMES = ["a", "b", "r", "REPLY", "MAPFILE", "r[1]", "c", "m[k]", "1a", ""]
IFSES = [",", ":", "''", "' '", "x", "$'\\n'", "$'\\t'", "' ,'", "' \\t\\n'",
         "a", "1", "'\\'", "$' \\t\\n'", "é"]
DELIMS = [",", "''", "b", "$'\\n'", "ab", " ", "x", "':'"]
SHOPTS = ["nullglob", "failglob", "extglob", "dotglob", "nocasematch",
          "nocaseglob", "xpg_echo", "patsub_replacement", "lastpipe",
          "localvar_inherit", "localvar_unset", "compat31", "compat44",
          "compat50", "expand_aliases", "globstar", "assoc_expand_once",
          "sourcepath", "varredir_close", "shift_verbose", "extquote",
          "globasciiranges", "execfail", "inherit_errexit", "direxpand",
          "noexpand_translation", "cdable_vars", "autocd", "cdspell",
          "extdebug", "interactive_comments", "promptvars"]
SETS = ["-k", "+k", "-f", "+f", "-B", "+B", "-u", "-e", "-a", "+a", "-o posix",
        "+o posix", "-o keyword", "+o keyword", "-o noglob", "-o braceexpand",
        "+o braceexpand", "-o allexport", "-h", "-P", "-T", "-E", "-C", "-v",
        "-fk", "-ek", "-o pipefail", "-x", "-n", "-o nounset", "-o onecmd",
        "-t", "-b", "-m", "-p", "-H", "-kf +k", "-o", "-ok", "-ko posix",
        "+kB", "-Bk", "-o history", "-o histexpand", "-o noexec",
        "-o verbose", "-o privileged", "-"]


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


class Builtins:
    def __init__(self, rng):
        self.rng = rng

    def pick(self, *choices):
        return self.rng.choice(choices)

    def some(self, choices, most):
        return " ".join(self.rng.choice(choices)
                        for _ in range(self.rng.randrange(most + 1)))

    def text(self):
        return quote(self.pick(*TEXTS))

    def name(self):
        return self.pick("a", "b", "a", "r", self.pick(*NAMES))

    def value(self):
        return self.pick(self.text(), self.text(), "$a", '"$a"', "$b",
                         "${a}x", '"${r[@]}"', "${r[0]}", "x$b", '"$1"',
                         "${a^}", "${b:-t2}", "t1", "$((1+2))", "~", "x=~",
                         "{x,y}", '"$*"', "$@", '"${@:2}"', "${#r[@]}",
                         "$(echo x)", "$(echo $a)", "$(printf %s- $a b)",
                         '"$(echo "$@")"', "`echo -e 'a\\tb'`")

    def stdin(self):
        text = self.pick(*TEXTS)
        return self.pick(
            lambda: " <<< " + quote(text),
            lambda: " <<< " + quote(text),
            lambda: " <<< " + self.value(),
            lambda: " <<'E'\n%s\nE\n" % text,
            lambda: " <<E\n%s\nE\n" % text,
            lambda: " <<-'E'\n\t%s\n\tE\n" % text,
            lambda: " < <(printf %%s %s)" % quote(text),
            lambda: " 3<<< %s" % quote(text))()

    # ---- builtins that give values --------------------------------------
    def read(self):
        options = self.some(
            ["-r", "-r", "-a r", "-d " + self.pick(*DELIMS), "-n 2", "-N 3",
             "-n 0", "-t 1", "-t 0", "-u 3", "-u 0", "-s", "-e", "-i q",
             "-p z", "-ra r", "-rd ''", "-rn2", "-d, -r", "--", "-q"], 2)
        prefix = self.pick("", "", "", "", "IFS= ",
                           "IFS=%s " % self.pick(*IFSES), "a=t2 ", "LC_ALL=C ")
        return "%sread %s %s%s" % (prefix, options, self.some(
            ["a", "b", "c", "a", "r", "r[1]", "1a"], 3), self.stdin())

    def mapfile(self):
        options = self.some(
            ["-t", "-t", "-n 1", "-n2", "-s 1", "-O 1", "-O0", "-d " +
             self.pick(*DELIMS), "-td,", "-d ''", "-u 0", "-u 3", "-n 0",
             "-c 1", "-tn1", "-n x", "-q", "--", "-C t2 -c1", "-tC g1 -c 1",
             "-c2 -C 'a=$1; t3'"], 3)
        return "%s %s %s%s" % (self.pick("mapfile", "readarray"), options,
                               self.pick("r", "r", "r", "a", "", "m", "1a"),
                               self.stdin())

    def printf(self):
        form = self.pick("%s", "%s-", "'%s %s'", "%d", "%5s", "%-3s.", "%q",
                         "%b", "%c", "%x", "%%", "%.1s", "%s\\\\n", "'a\\tb'",
                         "%Q", "%i", "%u", "'%*s'", "%o", "%e", "'%(%Y)T'",
                         "'\\x41\\101'", "x", "'\\0101'", "'%b%s'", "%5b",
                         "'\\cx'", "'%s\\c%s'", "%n", "%ls", "%ld", "''",
                         "'\\u0041'", "%+d", "'%#x'", "%03d", "%.2q")
        return "printf %s%s %s %s" % (
            self.pick("-v ", "-v", "-v ", "-v b -v "), self.name(), form,
            " ".join(self.value() for _ in range(self.rng.randrange(3))))

    def getopts(self):
        return self.pick("", "OPTIND=1 ; ", "OPTERR=0; ", "set -- -a x; ",
                         "set -- -ab; ") + \
            "getopts %s %s %s" % (self.pick("a", "a:", ":ab", "ab:", ":a:"),
                                  self.pick("b", "a", "c", "1a", "OPTARG"),
                                  self.pick("", "-a", "-a t1", "-b", "-at1",
                                            "-- -a", "-ab", "-a '' x"))

    def arith(self):
        return self.pick(
            "let %s=1+2", "let '%s = 3' c=2", "((%s=4))", "((%s++))",
            ": $((%s=7))", "((%s+=2, c=1))", "let '%s*=2'", "((%s=a))",
            "let %s=b", "((0 && (%s=1)))", "((1 || (%s=9)))",
            "[[ 1 -eq %s=1 ]]", ": ${b:%s=1}", "(((%s=1)))",
            "((%s=08))", "((%s=1/0))", "for ((%s=0; %s<2; %s++)); do :; done",
            "((%s=$b))", "((%s=2#101))", "((%s=0x1f))",
            "((r[0]=5))", "((r[1]+=3))").replace("%s", self.pick("a", "b"))

    def declare(self):
        letters = self.pick(
            "", "", "-n", "-i", "-u", "-l", "-c", "-r", "-a", "-A", "-x",
            "+x", "-g", "-I", "+i", "+u", "-ai", "-au", "-al", "-iu", "+r",
            "-t", "-aA", "-p", "-f", "-F", "-nx", "-ir", "+a", "+n", "-ul",
            "-gu", "-xi", "--", "-lx", "-q", "-ax", "-an")
        verb = self.pick("declare", "declare", "typeset", "local", "export",
                         "readonly", "command declare", "builtin typeset",
                         "\\declare")
        name = self.name()
        return "%s %s %s" % (verb, letters, self.pick(
            lambda: name, lambda: "%s=%s" % (name, self.value()),
            lambda: "%s=%s" % (name, self.value()),
            lambda: "%s+=%s" % (name, self.value()),
            lambda: "%s=(%s %s)" % (name, self.value(), self.value()),
            lambda: "%s=%s c=$%s" % (name, self.value(), name),
            lambda: "'%s=%s'" % (name, self.pick("t1", "(t1 t2)", "$a")),
            lambda: "%s=%s" % (name, self.pick("a", "b", "r", "r[1]", "c")),
            lambda: "r=([%s]=%s)" % (self.pick("0", "1", "k"), self.value()),
            lambda: "a=T1 b=Tt")())

    def positional(self):
        return self.pick(
            lambda: "set -- " + " ".join(self.value() for _ in range(
                self.rng.randrange(4))),
            lambda: "set " + self.value(),
            lambda: 'set -- "${@:%s}" %s' % (self.pick(
                "1", "2", "1:1", "0"), self.value()),
            lambda: 'set -- "%s" t1' % self.pick(
                "$@", "$*", "${@#x}", "${@^}", "${@/a/b}", "${*:2}"),
            lambda: "shift", lambda: "shift 2", lambda: "shift 0",
            lambda: "shift 9", lambda: "shift %s" % self.value(),
            lambda: "set -- x t1 'y z' %s" % self.value())()

    def unset(self):
        return "unset %s %s" % (
            self.pick("", "", "-v", "-f", "-n", "-vf", "-q", "--"),
            self.pick("a", "b", "r", "r[0]", "'r[1]'", "m[k]", "'r[-1]'",
                      "a b", "IFS", "r[@]", "'r[*]'", "1a", "g1", "PATH"))

    def assign(self):
        return self.pick(
            lambda: "%s=%s" % (self.pick("a", "b"), self.value()),
            lambda: "%s+=%s" % (self.pick("a", "b", "r"), self.value()),
            lambda: "r=(%s %s)" % (self.value(), self.value()),
            lambda: "r+=(%s)" % self.value(),
            lambda: "r[%s]=%s" % (self.pick("0", "1", "2", "-1", "k", "a"),
                                  self.value()),
            lambda: "r=([%s]=%s x)" % (self.pick("0", "1", "2"), self.value()),
            lambda: "declare -A m; m[%s]=%s" % (self.pick("k", "a", "$b"),
                                                self.value()),
            lambda: "declare -A m=([k]=%s)" % self.value(),
            lambda: "declare -A m=(k %s)" % self.value(),
            lambda: "declare -n a=b; a=%s" % self.value(),
            lambda: "declare -n a=r; a=(%s t1)" % self.value(),
            lambda: "declare -n a=r; a+=(%s)" % self.value(),
            lambda: "declare -n a=r; a[1]=%s" % self.value(),
            lambda: "declare -n a; a=%s" % self.pick("b", "r", "c"),
            lambda: "IFS=" + self.pick(*IFSES),
            lambda: "a=%s b=$a" % self.value(),
            lambda: "a=$%s" % self.pick("IFS", "*", "@", "RANDOM", "_", "-",
                                        "#", "0", "LINENO", "SECONDS", "PWD",
                                        "OPTIND", "BASHPID", "SHLVL", "HOME",
                                        "FUNCNAME", "PIPESTATUS", "REPLY",
                                        "BASH_SUBSHELL", "OLDPWD", "EUID"),
            lambda: "%s=%s" % (self.pick(
                "RANDOM", "SECONDS", "LINENO", "OPTIND", "BASHPID", "UID",
                "PPID", "BASH", "FUNCNAME", "DIRSTACK", "GROUPS", "PWD",
                "HOME", "OLDPWD", "EPOCHSECONDS", "BASH_ARGV0", "SHELLOPTS",
                "BASHOPTS", "HISTCMD", "COLUMNS", "POSIXLY_CORRECT",
                "BASH_COMPAT", "LC_ALL", "LC_CTYPE", "LANG", "GLOBIGNORE",
                "TMOUT", "BASH_REMATCH", "COMP_WORDBREAKS", "OPTARG",
                "REPLY", "MAPFILE", "PIPESTATUS"), self.value()))()

    def loop(self):
        return self.pick(
            lambda: "for %s in %s %s; do :; done" % (
                self.pick("a", "b", "r", "IFS", "1a"), self.value(),
                self.value()),
            lambda: "for a; do :; done",
            lambda: "select a in %s %s; do break; done <<< %s" % (
                self.value(), self.value(), self.pick("1", "2", "9", "x")),
            lambda: "while read -r a; do %s; done%s" % (
                self.pick(":", "break", "b=$a", "t1 \"$a\""), self.stdin()),
            lambda: "coproc %s { :; }; wait" % self.pick("", "a", "C", "r"),
            lambda: "exec {a}< /dev/null", lambda: "wait -n -p a",
            lambda: "case %s in t1) a=x;; *) b=y;; esac" % self.value(),
            lambda: "[[ %s =~ (.)(.*) ]]; a=${BASH_REMATCH[1]}" %
            self.text())()

    def setting(self):
        return self.pick(
            lambda: "set " + self.pick(*SETS),
            lambda: "set " + self.pick(*SETS),
            lambda: "shopt -%s %s" % (self.pick("s", "u"),
                                      self.pick(*SHOPTS)),
            lambda: "shopt -%so %s" % (self.pick("s", "u"), self.pick(
                "posix", "keyword", "noglob", "braceexpand", "allexport",
                "history", "nounset")),
            lambda: "local -; set " + self.pick("-f", "+B", "-k"),
            lambda: "LC_ALL=" + self.pick("C", "C.UTF-8", "nope"),
            lambda: "export " + self.pick("a", "b=t2", "IFS=,", "-n a",
                                          "LC_ALL=C", "PATH", "-p", "r"),
            lambda: "enable -n " + self.pick("printf", "read"),
            lambda: "cd " + self.pick("/", ".", "..", "-", "nowhere"),
            lambda: "alias t1=t2", lambda: "unalias -a",
            lambda: "shopt -s expand_aliases; alias t1='t2 x'",
            lambda: "trap 'a=t3' " + self.pick("DEBUG", "EXIT", "RETURN",
                                               "ERR", "USR1"),
            lambda: "eval " + quote(self.step()),
            lambda: "ulimit -n 20")()

    def step(self):
        return self.pick(self.read, self.mapfile, self.printf, self.getopts,
                         self.arith, self.declare, self.positional,
                         self.unset, self.assign, self.assign, self.loop,
                         self.setting, self.setting)()

    # ---- looking --------------------------------------------------------
    def seen(self):
        return self.pick(
            '"$a"', "$a", '"$b"', "$b", '"${r[@]}"', "${r[0]}", '"${r[1]}"',
            '"${#r[@]}"', '"${!r[@]}"', '"$1"', '"$@"', "$#", '"$*"', "$*",
            '"${r[*]}"', '"$REPLY"', '"${MAPFILE[@]}"', '"${m[k]}"', "x=1",
            "a=$b", "x=~", "~", "{x,y}", "a{1..2}", '"${@:2}"', '"${@: -1}"',
            '"${@:2:1}"', '"${*:2}"', '"${@#x}"', '"${@/t/u}"', '"${@^}"',
            '"${@,,}"', '"${@%1}"', '"${r[@]:1}"', '"${r[@]^}"', '"${!a}"',
            '"${r[@]#a}"', '"${*#a}"', "${r[@]/a/b}", '"${r[*]/a/b}"',
            '"${a@Q}"', '"${a@U}"', '"${@@Q}"', '"${r[@]@U}"', '"${a@a}"',
            '"${a:1}"', '"${a^}"', '"${#a}"', '"${a/b/&&}"', '"${a-u}"',
            '"${a:-u}"', '"${r-u}"', '"${c+set}"', '"$c"', "$'\\x41'",
            '"$OPTARG"', "$OPTIND", '"${r[-1]}"', '"x${@}y"', '"${@:0}"',
            '"${@:1:9}"', "${@:2}", "${*:1:2}", '"${a/#t/T}"', '"${!#}"',
            "t1[x", "a=b", "z+=1", '"${@:-d}"', '"${r[@]:-d}"', '"${a//t}"',
            '"${@:$#}"', '"${@:x}"', '"${r[@]: -1:1}"', '"${!1}"', "\\*",
            '"${@:(-1)}"', "$(echo $a)", '"$(printf "%s," "$@")"',
            "x$(echo 'a  b')y", '"${@//x/-}"', '"${@/#/p}"', '"${@@L}"', '"$IFS"',
            '"${HOME}"', '"$PWD"', "$((a))", "$((b+1))", '"${r[a]}"')

    def look(self):
        return self.pick("t1", "t1", "t2", "command t3", "env t1",
                         "g1", '"$a"', "xargs t1 <<<", "echo x |xargs t1",
                         "a=q t1", '"${r[@]}"', '"$@"') + \
            "".join(" " + self.seen() for _ in range(
                self.pick(1, 1, 1, 2, 3)))

    def line(self):
        steps = [self.step() for _ in range(self.pick(1, 1, 2, 2, 3))]
        last = self.look()
        for _ in range(self.rng.randrange(3)):
            last += "; " + self.look()
        parts, out = steps + [last], self.pick(
            "", "", "a=t1; ", "set -- t1 t2 'x y'; ", "r=(t1 xa 'y z'); ",
            "g1() { t1 \"$@\"; }; ")
        for at, part in enumerate(parts):
            out += part
            if at + 1 < len(parts) and not out.endswith("\n"):
                out += self.pick("; ", "; ", "; ", "\n", " && ")
        return self.around(out)

    def around(self, text):
        kind = self.rng.randrange(10)
        if kind == 0:
            return "g2() { %s\n}; g2 t1 xa 'y z'" % text
        if kind == 1:
            return "{ %s\n}" % text
        if kind == 2:
            return "eval " + quote(text)
        if kind == 3:
            return "bash %s -c %s x t1 'y z'" % (
                self.pick("", "", "-k", "-f", "+B", "-o posix", "-o keyword",
                          "-O xpg_echo", "-O extglob", "-a", "-u"),
                quote(text))
        if kind == 4:
            return "%sbash -c %s x t1" % (
                self.pick("env SHELLOPTS=keyword ", "env SHELLOPTS=posix ",
                          "env BASHOPTS=xpg_echo ", "export SHELLOPTS; ", "IFS=x ", "a=t2 ",
                          "POSIXLY_CORRECT=1 ", "BASH_COMPAT=44 "),
                quote(text))
        return text


def make(seed, count):
    maker = Builtins(random.Random(seed))
    return [maker.line().encode() for _ in range(count)]
