# SPDX-License-Identifier: ISC
"""Makes bash input: from a grammar, and by damaging what the grammar made.

Nothing made here is ever run; bash only reads it (-n)."""
import random

SPECIAL = list("'\"`$(){}[]<>|&;#!\\\n \t=*?@+-~:,/%^") + [
    "$(", "${", "$((", "((", "))", "<(", ">(", "<<", "<<-", "<<<", "&>",
    ">&", "&&", "||", ";;", ";&", "|&", "$'", '$"', "[[", "]]", "\\\n",
    "if ", " then ", " fi", "do ", " done", " in ", "case ", " esac", "for ",
    "! ", "time ", "coproc ", "function ", "{ ", " }", "a=(", "@(", "#",
    "E\n", "\nE\n", "select ", "while ", "until ", "else ", "elif ",
    "\xff", "$[", "in", "esac", "}",
]
NAMES = ["a", "b", "x", "foo", "i", "PATH", "_v1"]
PLAIN = ["a", "b", "ls", "-l", "x.c", "1", "23", "foo", "in", "do", "done",
         "esac", "if", "then", "time", "!", "{", "}", "]]", "[[", "a=b",
         "*.c", "?", "[ab]", "~", "~/x", "{a,b}", "{1..3}", "a#b", "-p",
         "--", "echo", "eval", "declare", "export", "let", "[", "]", "=",
         "==", "-f", "-n", ":", "99999999999", "+", "@", "a:b", "^"]


class Chooser:
    """Choices at random, so deep within each other."""

    def __init__(self, rng, depth):
        self.rng = rng
        self.depth = depth

    def pick(self, *choices):
        return self.rng.choice(choices)

    def chance(self, percent):
        return self.rng.randrange(100) < percent

    def nested(self, make, otherwise):
        if self.depth <= 0:
            return otherwise
        self.depth -= 1
        try:
            return make()
        finally:
            self.depth += 1


class Maker(Chooser):
    def __init__(self, rng, depth=4):
        super().__init__(rng, depth)
        self.docs = []

    # ---- words ----------------------------------------------------------
    def single(self):
        return "'" + self.pick("", "a b", '"', "\\", "$(", "`", "\n", "#") \
            + "'"

    def ansi(self):
        return "$'" + self.pick("", "a", "\\n", "\\'", "\\x41", "\\\\", "\\0",
                                "\\u41", "\\cA", '"', "$(") + "'"

    def double(self):
        inner = "".join(self.pick(
            lambda: "a b", lambda: "'", lambda: "\\\"", lambda: "\\\\",
            lambda: "\\$", lambda: "$", self.param, self.subst,
            self.backquote, self.arith, lambda: "#", lambda: "\\\n",
            lambda: "!", lambda: "{a,b}", lambda: "\\`", lambda: "$'a")()
            for _ in range(self.rng.randrange(4)))
        return self.pick('"', '"', '"', '$"') + inner + '"'

    def param(self):
        name = self.pick(*NAMES, "1", "10", "@", "*", "#", "?", "-", "$", "!")
        if self.chance(40):
            return "$" + self.pick(*NAMES, "1", "@", "*", "#", "?", "$", "!")
        if self.chance(15):
            name += "[" + self.pick("1", "@", "*", "a b", "$x", "'k'") + "]"
        pre = self.pick("", "", "", "", "#", "!")
        op = self.pick("", "", ":-", "-", ":=", "=", ":?", "?", ":+", "+",
                       "#", "##", "%", "%%", "/", "//", "/#", "^", "^^", ",",
                       ",,", ":", "@Q", "@P", "~", "@", "*")
        word = ""
        if op and op[0] != "@":
            word = self.nested(lambda: "".join(
                self.piece(inside=True) for _ in
                range(self.rng.randrange(3))), "")
        return "${" + pre + name + op + word + "}"

    def subst(self):
        def make():
            saved, self.docs = self.docs, []
            body = self.list(inner=True)
            tail = self.flush()
            self.docs = saved
            return "$(" + self.pick("", " ", "\n") + body + tail + ")"
        return self.nested(make, "$(a)")

    def backquote(self):
        return "`" + self.pick("a", "a b", "a \\`b\\`", "a | b", "\\$x",
                               "", "a 'b'", "if", "a \\\\ b") + "`"

    def arith(self):
        body = self.pick("1", "1+2", "a", "a[1]", "(1)", "x=1", "a ? b : c",
                         "1, 2", "'a'", '"1"', "", "a)(b", "1<<2", "$x",
                         "${x}", "a[$(b)]", "`c`", "#")
        return "$((" + body + "))" if self.chance(80) else \
            "$[" + body + "]"

    def process(self):
        return self.nested(
            lambda: self.pick("<", ">") + self.subst()[1:], "<(a)")

    def group(self):
        return self.pick("@", "!", "*", "+", "?") + "(" + \
            self.pick("a", "a|b", "", "a b", "$(c)", "'d'") + ")"

    def piece(self, inside=False):
        kind = self.rng.randrange(100)
        if kind < 45:
            return self.pick(*PLAIN)
        if kind < 52:
            return self.single()
        if kind < 62:
            return self.nested(self.double, '"a"')
        if kind < 66:
            return self.ansi()
        if kind < 76:
            return self.param()
        if kind < 83:
            return self.subst()
        if kind < 87:
            return self.backquote()
        if kind < 92:
            return self.arith()
        if kind < 95:
            return "\\" + self.pick("a", " ", "$", "'", '"', "\\", "\n", "#",
                                    "(", ";", "}")
        if kind < 98:
            return self.process()
        return self.pick(" a", "}", "{", "[", "]", "#") if inside else \
            self.pick("#a", "a[1]", "x")

    def word(self):
        return "".join(self.piece() for _ in
                       range(self.pick(1, 1, 1, 2, 3))) or "a"

    def simple_word(self):
        return self.pick("a", "b", "foo", "'a'", "$x", "x.c", "-l", "-n",
                         '"a b"', "ls")

    def words(self, low, high):
        return " ".join(self.word() if self.chance(60) else
                        self.simple_word() for _ in
                        range(self.rng.randint(low, high)))

    # ---- commands -------------------------------------------------------
    def assignment(self):
        name = self.pick(*NAMES)
        if self.chance(15):
            name += "[" + self.pick("1", "a b", "$x", "$(y)", "'k'", "a]") \
                + "]"
        if self.chance(20):
            def element():
                return self.pick("", "", "[1]=", "[a b]=", "[k]+=") + \
                    self.word()
            sep = self.pick(" ", "\n", " # c\n")
            return name + self.pick("=", "+=") + "(" + sep.join(
                element() for _ in range(self.rng.randrange(4))) + ")"
        return name + self.pick("=", "=", "+=") + \
            (self.word() if self.chance(80) else "")

    def redirection(self):
        fd = self.pick("", "", "", "2", "10", "{fd}", "{a[1]}")
        if self.chance(12):
            return self.heredoc(fd)
        op = self.pick("<", ">", ">>", ">|", "<>", "&>", "&>>", "<<<", "<&",
                       ">&")
        if op[0] == "&":
            fd = ""
        if op in ("<&", ">&") and self.chance(60):
            return fd + op + self.pick("-", "1", "2", "3-", "$x", " 1")
        return fd + op + self.pick("", " ") + self.word()

    def heredoc(self, fd):
        delim = self.pick("E", "EOF", "'E'", '"E F"', "\\E", "E1", "-E")
        op = self.pick("<<", "<<-")
        plain = delim.replace("'", "").replace('"', "").replace("\\", "")
        body = "".join(self.pick("", "\t") + self.pick(
            "a b", "$x", "$(c)", "`d`", "'e", '"f', "\\$x", "${y}", "g\\",
            "E ", "$((1))", "#", "(", "${z:-$(q)}") + "\n"
            for _ in range(self.rng.randrange(4)))
        self.docs.append(body + self.pick("", "\t" if op == "<<-" else "") +
                         plain + "\n")
        return fd + op + self.pick("", " ") + delim

    def flush(self):
        """Here-documents that wait: they need a newline first."""
        if not self.docs:
            return ""
        text = "\n" + "".join(self.docs)
        self.docs = []
        return text

    def simple(self):
        parts = []
        for _ in range(self.pick(0, 0, 0, 1, 2)):
            parts.append(self.assignment())
        if self.chance(10):
            parts.append(self.redirection())
        if self.chance(6):
            parts.append(self.pick("declare", "export", "local", "readonly",
                                   "typeset -A", "let", "eval"))
            parts.append(self.assignment())
        elif self.chance(90) or not parts:
            parts.append(self.simple_word())
            for _ in range(self.rng.randrange(4)):
                parts.append(self.word())
        for _ in range(self.pick(0, 0, 0, 1, 2)):
            parts.append(self.redirection())
        return " ".join(parts)

    def separator(self):
        return self.pick("; ", ";", "\n", "; \n", " & ", "\n\n", ";# c\n") \
            if not self.docs else self.flush()

    def body(self):
        return self.list(inner=True) + (self.flush() or
                                        self.pick("; ", "\n", " & ", ";\n"))

    def compound(self):
        kind = self.rng.randrange(12)
        nl = self.pick(" ", "\n", " \n# c\n")
        if kind == 0:
            text = "{" + nl + self.body() + "}"
        elif kind == 1:
            text = "(" + self.pick("", " ") + self.list(inner=True) + \
                self.flush() + self.pick("", " ", ";") + ")"
        elif kind == 2:
            text = "if " + self.body() + "then" + nl + self.body()
            for _ in range(self.pick(0, 0, 1)):
                text += "elif " + self.body() + "then " + self.body()
            if self.chance(30):
                text += "else " + self.body()
            text += "fi"
        elif kind == 3:
            text = self.pick("while ", "until ") + self.body() + "do" + nl + \
                self.body() + "done"
        elif kind == 4:
            head = self.pick("for ", "for ", "select ") + \
                self.pick(*NAMES) + self.pick("", "", "\n")
            if self.chance(70):
                head += " in " + self.words(0, 3) + self.pick("; ", "\n")
            else:
                head += self.pick("; ", "\n", " ")
            text = head + (self.flush()[1:] if self.docs and
                           head.endswith("\n") else "")
            text += self.pick("do ", "do\n") + self.body() + "done" \
                if self.chance(80) else "{ " + self.body() + "}"
        elif kind == 5:
            text = "for ((" + ";".join(self.pick("", "i=0", "i < 3", "i++",
                                                 "$x", "a[1]", "(1)")
                                       for _ in range(3)) + "))" + \
                self.pick("; ", " ", "\n") + "do " + self.body() + "done"
        elif kind == 6:
            text = "case " + self.word() + " in" + nl
            for _ in range(self.rng.randrange(3)):
                text += self.pick("", "(") + self.pick(
                    "a", "*", "a|b", "[ab]", "'x y'", '"$x"', "a | b",
                    "esac1", "$(c)") + ")" + self.pick(" ", "\n")
                if self.chance(85):
                    text += self.list(inner=True) + self.flush()
                text += self.pick(";;", ";;", ";&", ";;&") + \
                    self.pick(" ", "\n")
            text += "esac"
        elif kind == 7:
            text = "[[ " + self.condition() + " ]]"
        elif kind == 8:
            text = "((" + self.pick("1", "a=1", "a + (b)", "a[$(b)]", "i++",
                                    "1<2", "", " x ", "'a'") + "))"
        elif kind == 9:
            name = self.pick(*NAMES)
            text = self.pick(name + "()", name + " ( )", "function " + name,
                             "function " + name + "()") + nl + \
                "{ " + self.body() + "}"
        elif kind == 10:
            text = "coproc " + self.pick("", "X ") + "{ " + self.body() + "}"
        else:
            text = "coproc " + self.simple()
        if self.chance(20):
            text += " " + self.redirection()
        return text

    def condition(self):
        def term():
            left = self.pick("a", "$x", '"b c"', "'d'", "$(e)", "-f", "3")
            return self.pick(
                left, "-f " + left, "-z " + left, "-v x",
                left + self.pick(" == ", " = ", " != ") + self.pick(
                    "a*", "@(a|b)", "'x'", "$y", "[ab]", "!(c)", "a b"[:1]),
                left + self.pick(" < ", " > ", " -eq ", " -nt ") + left,
                left + " =~ " + self.pick("^a", "(a|b)", "a(b c)d", "[[:x:]]",
                                          "$y", "a|b", "'('", "\\(", "a{1,2}",
                                          "^(a)$"),
                "! " + left, "( " + left + " )", "(" + left + ")")
        text = term()
        for _ in range(self.pick(0, 0, 1, 2)):
            text += self.pick(" && ", " || ", " &&\n", "\n|| ") + term()
        return text

    def command(self):
        if self.chance(70):
            return self.simple()
        return self.nested(self.compound, self.simple_word())

    def pipeline(self):
        text = self.pick("", "", "", "", "! ", "time ", "time -p ") + \
            self.command()
        for _ in range(self.pick(0, 0, 0, 1, 2)):
            text += self.pick(" | ", "|", " |& ", " |\n")
            if text.endswith("\n"):
                text = text[:-1] + (self.flush() or "\n")
            text += self.command()
        return text

    def list(self, inner=False):
        text = self.pipeline()
        for _ in range(self.pick(0, 0, 0, 1, 2)):
            op = self.pick(" && ", " || ", "; ", " & ", "&&\n")
            if inner and self.chance(30):
                op = "\n"
            if "\n" in op and self.docs:
                op = op.rstrip("\n") + self.flush()
            text += op + self.pipeline()
        return text

    def unit(self):
        text = self.list()
        text += self.flush() or self.pick("", "", "\n", ";", " &", " # c")
        return text


def damage(rng, text):
    """One to three small accidents."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(6)
        if kind == 0 and text:
            text = text[:at] + text[at + rng.choice((1, 1, 2, 5)):]
        elif kind in (1, 2):
            text = text[:at] + rng.choice(SPECIAL) + text[at:]
        elif kind == 3 and text:
            other = rng.randrange(len(text) + 1)
            low, high = min(at, other), max(at, other)
            text = text[:high] + text[low:min(high, low + 20)] + text[high:]
        elif kind == 4:
            text = text[:at]
        else:
            text = text[:at] + rng.choice(SPECIAL) + text[at + 1:]
    return text


def with_groups(rng, text):
    """The same with extended patterns here and there."""
    for _ in range(rng.choice((0, 1, 2))):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice((
            "@(", "!(", "*(a)", "+(b|c)", "?( x )", "@(a$(b))", ")",
            "!('x')")) + text[at:]
    return text


def make(seed, count, damaged=50, groups=False):
    """count units; damaged per cent of them with mistakes."""
    rng = random.Random(seed)
    out = []
    while len(out) < count:
        unit = Maker(rng, rng.choice((1, 2, 3))).unit()
        if rng.randrange(100) < damaged:
            unit = damage(rng, unit)
        if groups:
            unit = with_groups(rng, unit)
        if len(unit) < 2000:
            out.append(unit.encode("latin-1"))
    return out
