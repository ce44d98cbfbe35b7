# SPDX-License-Identifier: ISC
"""Makes words for printf: quotes, braces, tildes, variables with known
values and constant arithmetic, but nothing that could run a command, match
a file, or leave the word."""
import random

ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": "/home/u",
       "V1": "rm -rf", "V2": "a  b", "V3": "", "V4": ":x:y:", "V5": " lead",
       "V6": "x*", "V7": "\\a b", "V8": "~"}

NAMED = ["V1", "V2", "V3", "V4", "V5", "V6", "V8", "L1", "L2", "NO"]
BARE = ["a", "b", "-x", ".", "/", "1", "a/b", "=", "x=", "n=~", "a:~", ":",
        "~", "~/q", "%", "@", "+", "^", "!", "a#", "}", "{", "[", "]", "é",
        "-", "a=b"]
SINGLE = ["", "a b", '"', "\\", "$V1", "{a,b}", "~", "*", "\n"]
DOUBLE = ["", "a b", "'", '\\"', "\\\\", "\\$", "\\a", "$V1", "$V2",
          "${V3}", "x${V4}y", "${NO}", "$NO", "~", "*", "{a,b}", "\\`", "$",
          "${V1:-z}", "${NO:-z w}", "${NO:-'q'}", '${V3:-"d e"}', "${V3-f}",
          "${V1:+g}", "${#V1}", "a$", "${NO+x}", "${NO:-$'a\\'b'}"]
ANSI = ["", "a", "\\n", "\\t", "\\x41", "\\x4", "\\101", "\\0", "a\\0b",
        "\\\\", "\\'", '\\"', "\\e", "\\cA", "\\c\\\\", "\\u41",
        "\\U00000042", "\\x{43}", "\\x{4344}z", "\\q", "\\xg", "\\8",
        "\\1011", "\\?", "\\E", "\\c?", "\\x{", "\\x{}"]
ESCAPED = ["a", "\\", '"', "'", "$", "{", "}", ",", " ", "*", "~", "\n", "#"]
VALUES = ["$V1", "$V2", "$V3", "$V4", "$V5", "$V6", "$V7", "$V8", "${V1}",
          "${NO}", "$NO", "${V3:-d e}", '${NO:-"d e"}', "${NO:-'d e'}",
          "${V1:+x y}", "${NO-$V2}", "${#V2}", "${V3-z}", "${NO:=q}", "$L1",
          "$L2", '"$L1"', "${L1:-x}", "${NO:-a{b,c\\}}", "${NO:-~}",
          "${V2:-~}", "${V4:-z}", "${NO-\\'}", "${NO:-a:b}", "${L2}"]
BRACES = ["{a,b}", "{1..3}", "{c..a}", "{01..3}", "{-1..1}", "{1..9..3}",
          "{a,{b,c}}", "{,x}", "{a}", "{}", "{a..", "{a,b", "a,b}",
          "{x,y}{1,2}", '{"a b",c}', "{a,b}}", "{{a,b}", "{$V1,z}",
          "{'a,b',c}", "{1..3..0}", "{3..1..1}", "{a..c..2}", "{1..a}",
          "{1.5..2}", "{..}", "{a,b,}", "{00..2}", "{-01..1}", "{1..-1}",
          "{+1..3}", "{a\\,b,c}", "{~,x}", "x{},a}", "{},a}", "{a,b}=~",
          "{1..2}{", "${V1}{a,b}", "{99..101}", "{a...c}", "{,}", "{a},b}",
          "{a{b,c}d,e}", "{\\{,\\}}", "{1..3", '{"1"..3}']
OPERATORS = ["%s#r", "%s#rm ", "%s##*m", "%s#?", "%s%%f", "%s%%%%*", "%s% *",
             "%s%%:*", "%s#*:", "%s##*:", "%s/r/R", "%s//r/[&]", "%s/ /", "%s//b",
             "%s/#r/x", "%s/%%f/x", "%s//:/ ", "%s/*/z", "%s/?/\\/", "%s/r/'&'",
             "%s//r/&&", "%s^", "%s^^", "%s^^r", "%s,,", "%s,", "%s:0", "%s:1",
             "%s:1:2", "%s: -2", "%s:0:-1", "%s:9", "%s: -9", "%s:1+1", "%s:2:0",
             "%s@Q", "%s@U", "%s@u", "%s@L", "%s@E", "%s#'*'", "%s/'*'/x",
             "%s#\\*", "%s/\"r\"/$V2", "%s#$V1", "%s#\"$V1\"", "%s/$V4/x",
             "%s//[a-z]/x", "%s##[r]", "%s~", "%s~~", "%s/r/~", "%s//*/&",
             "%s/#/x", "%s/%%/x", "%s//x", "%s/\\//x", "%s%%'f'", "%s:V3:2",
             "%s//\\", "%s/r", "%s@P", "%s/%%*/y", "%s/#*/y", "%s#*\" \""]
SUMS = ["$((1+2))", "$((2**3))", "$[4/2]", "$((0x10))", "$((1?2:3))",
        "$((-5%3))", "$((010))", "$((2#101))", "$((V3))", "$((1<<4|1))",
        "$((!0))", "$((7/2*2))", "$((1,2))", "$(( 3 > 2 && 1 ))", "$((~1))",
        "$((36#z))", "$((- 3))", "$((5 - -2))", "$((2**3**2))",
        "$((-2**2))", "$((NO))", "$((1==1))", "$((9999999999))",
        "$((1 ? 2 ? 3 : 4 : 5))", "$((16#fF))", "$((64#_))", "$((1^3&1))",
        "$((10>>1>=5))", "$((NO+1))", "$((1<2==1))", "$(())"]
IFS = ["IFS=:; ", "IFS=; ", "IFS=a; ", 'IFS=" :"; ', "IFS=$' :'; ",
       "IFS=b:; ", "IFS=1; "]


def piece(rng):
    kind = rng.randrange(20)
    if kind < 5:
        return rng.choice(BARE)
    if kind < 7:
        return "'" + rng.choice(SINGLE) + "'"
    if kind < 9:
        return '"' + rng.choice(DOUBLE) + '"'
    if kind < 11:
        return "$'" + rng.choice(ANSI) + "'"
    if kind < 13:
        return "\\" + rng.choice(ESCAPED)
    if kind < 15:
        if rng.randrange(2) == 0:
            cut = "${" + rng.choice(OPERATORS).replace("%%", "%").replace(
                "%s", rng.choice(NAMED), 1) + "}"
            return rng.choice((cut, '"' + cut + '"', '"x' + cut + 'y"'))
        return rng.choice(VALUES)
    return rng.choice(BRACES if kind < 18 else SUMS)


def word(rng):
    return "".join(piece(rng) for _ in range(rng.choice((1, 1, 2, 2, 3, 4))))


def unit(rng):
    text = ""
    for name in ("L1", "L2"):
        if rng.randrange(3) == 0:
            text += name + rng.choice(("=", "=", "+=")) + word(rng) + "; "
    if rng.randrange(8) == 0:
        text += rng.choice(IFS)
    return text + "printf '%s\\0' X " + " ".join(
        word(rng) for _ in range(rng.choice((1, 2, 3))))


def make(seed, count):
    rng = random.Random(seed)
    return [unit(rng).encode() for _ in range(count)]
