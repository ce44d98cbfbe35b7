# SPDX-License-Identifier: ISC
"""Makes lines in which bash reads a value once more and runs a command in
it, for tests/lib/run_oracle.py: a way to give H the value, a place that
evaluates it, something around that."""
import random

ARITHMETIC = ["a[$(t1 hit)]", "1+a[`t2 hit`]", "b=a[$(t1 $((1)))]", "3", "i",
              "a[\"$(t3 hit)\"]"]
PROMPT = ["$(t1 hit)", "`t2 hit`", "\\044(t1 hit)", "\\140t3 hit\\140",
          "$((a[$(t1 hit)]))", "\\$(t1 hit)", "> ", "${x:-$(t1 hit)}"]

GIVE = ["H=%s", "read -r H <<< %s", "printf -v H %%s %s",
        "for H in %s; do :; done", "set -- %s; H=$1", "H=$(printf %%s %s)",
        "export H=%s", "declare H=%s", ": ${H:=%s}", "x=%s; H=$x",
        "x=%s; y=x; H=${!y}", "r=(1 %s); H=${r[1]}", "H=1; H+=+%s",
        "g1() { H=$1; }; g1 %s", "mapfile -t H <<< %s",
        "[ $# = 0 ] && H=%s", "true || H=1; H=%s"]

EVALUATE = [
    "((H))", ": $((H + 1))", ": $(($H))", ': $(("$H"))', "let H",
    'let "x=$H"', "[[ H -eq 1 ]]", "[[ 1 -lt $H ]]", ": ${HOME:H}",
    ": ${HOME:0:$H}", "r=(1 2); : ${r[H]}", "r[$H]=1", "r=([H]=1)",
    "r+=([H]=2)", "declare -i x=H", 'declare -i x; read -r x <<< "$H"',
    "declare -i x; printf -v x %s \"$H\"", "declare -i x; x+=$H",
    'declare -i x; for x in "$H"; do :; done', "declare -ia x; x=($H 2)",
    "declare -ai x; x[1]=$H", "declare -i x; : ${x:=$H}", "RANDOM=$H",
    'read -r OPTIND <<< "$H"', 'for SRANDOM in "$H"; do :; done',
    "export HISTCMD=$H", "x=H; ((x++))", "x=H y=x; : $((y))",
    "for ((i = H; i < 0; i++)); do :; done", 'r=(1 "$H"); ((r[1]))',
    'set -- "$H"; (($1))', 'g2() { (($1)); }; g2 "$H"', '[[ -v $H ]]',
    '[ -v "$H" ]', 'test ! -v "$H"', 'unset "$H"', 'read "$H" <<< 1',
    'read -r -t 1 "$H" <<< 1', 'printf -v "$H" 1', 'declare "$H=1"',
    'typeset "$H+=1"', "y=$H; : ${!y}", "declare -n n=H; : $((n))",
    'g2() { local -n n=$1; : $n; }; g2 "$H"', "exec {r[H]}< /dev/null",
    'true & wait -n -p "$H"', "x=H; : $[x]", "case 1 in $((H))) :; esac",
    "x=H; ((x > 0)) && t2", "cat <<< $((H))", "cat <<E\n$((H))\nE\n",
    "local -i x; x=$H", "g2() { local -i x=$H; }; g2",
    "g2() { ((H)); }; H=$H g2", "r=(H); ((r))", "i=H; r[i]=1",
    "declare -A m; m[x]=$H; ((m[x]))", ": ${r[H]:=1}", "unset x; ((x=H))",
    "declare -r x=H; ((x))", "((1 ? H : 0))", "((i=1, r[i]=H))",
    "BASHPID+=$H", "BASHPID+=$H t2", "declare SECONDS=$H", "SECONDS=$H",
    'for SECONDS in "$H"; do :; done', "declare -i x=1; x+=$H t2",
    'printf -v BASHPID %s "$H"', ": ${SECONDS:=$H}"]
REREAD = [
    ': "${H@P}"', 'set -- "$H"; : "${1@P}"', 'y=H; : "${!y@P}"',
    'r=(1 "$H"); : "${r[1]@P}" "${r[@]@P}"', "PS4=$H; set -x; :",
    'read -r PS4 <<< "$H"; set -o xtrace; :', "export PS4=$H; bash -xc :",
    'printf -v PS4 %s "$H"; set -x; :', 'env PS4="$H" bash -xc :',
    'for PS4 in "$H"; do set -x; :; done', "BASH_ENV=$H bash -c :",
    'set -- "$H"; : "${@@P}"', "x=${H@P}; $x"]
RUN = [
    "jobs -x %s", "mapfile -C '%s;:' -c 1 x <<< 1", "compgen -C '%s'",
    "readarray -tC '%s ' -c1 x <<< 1", "compgen -W '$(%s)'",
    "g2() { %s; }; compgen -F g2", "trap '%s' DEBUG; :", "trap '%s' EXIT",
    "exec -a n %s", "command command %s", "builtin eval '%s'",
    "coproc %s; wait", ". <(echo %s)", "eval -- '%s'", "builtin . <(echo %s)",
    "declare -a 'r=($(%s))'", "declare -a r='([$(%s)]=1)'",
    "x='($(%s))'; declare -a r=$x", "r=(); x='($(%s))'; declare r=$x",
    "g2() { local -a r=$1; }; g2 '($(%s))'", "command -p %s",
    "trap '%s' RETURN; . /dev/null", "command_not_found_handle() { %s; }; nx"]
AROUND = ["%s", "%s", "{ %s; }", "(%s)", "if :; then %s; fi", "true && %s",
          "for q in 1 2; do %s; done", "g3() { %s; }; g3", "! { %s; }",
          "while %s; do break; done", "x=$(%s)", "{ %s; } | cat",
          "eval '%s'", "bash -c '%s'"]


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def put(template, text):
    return template.replace("%%", "%").replace("%s", text, 1) \
        if "%%s" not in template else \
        template.replace("%%s", "\0").replace("%s", text, 1).replace(
            "\0", "%s")


def one(rng):
    kind = rng.randrange(8)
    if kind == 0:
        text = rng.choice(RUN).replace(
            "%s", rng.choice(["t1", "t2 x", "t3 a b"]))
    else:
        values, sinks = (PROMPT, REREAD) if kind < 3 else \
            (ARITHMETIC, EVALUATE)
        text = rng.choice(sinks)
        give = put(rng.choice(GIVE), quote(rng.choice(values)))
        if rng.randrange(2):
            return give + rng.choice(["; ", "\n"]) + around(rng, text)
        text = give + "; " + text
    return around(rng, text)


def around(rng, text):
    template = rng.choice(AROUND)
    if "'%s'" in template:
        return template.replace("'%s'", quote(text))
    return template.replace("%s", text + (":" if text.endswith("\n") else ""))


def make(seed, count):
    rng = random.Random(seed)
    return [one(rng).encode() for _ in range(count)]
