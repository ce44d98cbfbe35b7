# SPDX-License-Identifier: ISC
"""What aegsh(1) names as differences from bash: each is there, beside bash,
and none is named that is not.  Each item of the manual has rows here, under
the name that stands above it, or another test that shows it."""

import os
import re
import subprocess
import sys

TOP = os.environ["abs_top_srcdir"]
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
HOME = env["HOME"]
AEGSH = program("aegsh")
PROMPT = "READY> "
with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
    conf.write('prompt = "%s"\n' % PROMPT)
with open(os.path.join(HOME, ".inputrc"), "w") as f:
    f.write("set enable-bracketed-paste off\n")
with open(os.path.join(HOME, "file"), "w") as f:
    f.write("one\n")

# Lines, and what the last of them prints: of aegsh, and of bash.  None: it
# has left.
TYPED = {
    "ends": [
        (["f() { echo in f; }", "f"], "f: command not found", "^in f$"),
        (["x=5", "echo [$x]"], r"^\[\]$", r"^\[5\]$"),
        (["x=6"], "^$", "^$"),      # said once
        (["readonly y=1"], "y is not exported", "^$"),
        (["export n; declare -i n=5", "n=2+2; echo $n"], r"^2\+2$", "^4$"),
        (["set -f"], "options", "^$"),
        (["echo *"], "^file", r"^\*$"),
        (["exec 5<file"], "what exec opens", "^$"),
        (["read -u 5 x; echo $x"], "invalid file descriptor", "^one$"),
        (["hash -r; ls >/dev/null", "hash"], "empty", "/ls"),
    ],
    "jobs": [
        (["sleep 100 &", "jobs | grep -c sleep"], "^0\n.*earlier lines",
         "^1$"),
        (["history | grep -c sleep"], "^0\n.*no earlier lines", "^[1-9]"),
        (["kill %1"], "", ""), (["wait"], "", ""),
    ],
    "wait-p": [
        (["sleep 0.1 &", "wait -p v $!"], "v is not exported", "^[^v]*$"),
        (["echo [$v]"], r"^\[\]$", r"^\[\d+\]$"),
    ],
    "exit-trap": [
        (["trap 'cd /' EXIT; cd /usr", "pwd"], "home$", "^/usr$"),
        (["trap - EXIT; cd", "exec nosuch-program; echo on"],
         "^[^\n]*not found$", "not found\non$"),
    ],
    "modes": [
        (["sh -c 'stty -echoctl; exit 1'", "stty -a | grep -c -- -echoctl"],
         "^0$", "^1$"),
        (["stty echoctl"], "", ""),
    ],
    "inside": [
        (["sleep 0.01 & wait"], "^$", r"^\[\d\]"),
    ],
    "stopped": [
        (["export Q=1; sh -c 'kill -STOP $$'; export R=2", "fg",
          "echo [$Q]"], r"^\[\]$", r"^\[1\]$"),
    ],
    "anew": [
        (["true | false", "echo ${PIPESTATUS[1]}"], "^$", "^1$"),
        (["echo $LINENO"], "^1$", "^([2-9]|..+)$"),
        (["SECONDS=1000", "echo $((SECONDS >= 1000))"], "^0$", "^1$"),
        (["echo [$COLUMNS]"], r"^\[\]$", r"^\[300\]$"),
        (["/bin/true; echo $COLUMNS"], "^300$", "^300$"),
        (["set -- a", "echo $1"], "^$", "^a$"),
        (["echo ${nope:?}", "echo $?"], "^127$", "^1$"),
    ],
    "pid": [
        (["export a=$$", "[ $a = $$ ]; echo $?"], "^1$", "^0$"),
        (["[ $PPID = $a ]; echo $?"], "^1$", "^1$"),
        (["case $- in *i*) echo yes ;; *) echo no ;; esac"], "^no$",
         "^yes$"),
    ],
    "blank": [
        (["echo before", " echo se''cret", "\x1b[A"], "before$", "secret$"),
    ],
    "messages": [
        (["nosuch-program"], "^aegsh: line 1: nosuch-program: ",
         "^bash: nosuch-program: "),
        (["export -f", "g() { nosuch-program; }; g"],
         "^environment: line 1: |^aegsh: line 1: ", "^bash: "),
    ],
    "editing": [
        (["complete -W x y"], "completions of bash end", "^$"),
        (["complete -p y"], "no completion specification", "^complete -W"),
    ],
    "interactive": [
        (["export CDPATH=/usr", "cd bin"], "No such file", "^/usr/bin$"),
        (["cd"], "", ""),
    ],
    "limits": [
        (["ulimit -Sv 1500", "echo on"], "(?s)^(?!on$)", "^on$"),
        (["ulimit -Sv unlimited", "echo on"], "(?s)^(?!on$)", "^on$"),
    ],
    "orphans": [
        (["sh -c 'sh -c \"echo \\$\\$ >p; until [ -e g ]; do sleep 0.05; done; "
          "cat </dev/tty; echo rc \\$? >o\" &'",
          "touch g; until [ -s o ] || grep -q '^State:.T' "
          "/proc/$(cat p)/status; do sleep 0.05; done; rm -f g; cat o"],
         "^cat: o: No such file", "rc 1$"),
    ],
    "suspend": [
        (["suspend"], "cannot suspend", None),
        (["echo on"], "^on$", None),
    ],
}
LEAVES = {
    "exit": [
        (["true; exit 3", "echo on"], "^on$", None),
    ],
}
# Options and operands; what bash prints, and what aegsh does.
CALLED = {
    "syntax": (["-c", "echo a\n)"], "^$", "^a\n$", None),
    "verbose": ([], "^{ echo a\n} .*\na\n$", "^echo a\na\n$",
                "set -v\necho a\n"),
    "script": (["script"], r"^script \[\]\n$", r"^script \[script\]\n$",
               None),
}
ELSEWHERE = {
    "closed": ("pty/broken_worlds.py", "closed_descriptors"),
    "large": ("pty/broken_worlds.py", "4 MB of environment"),
    "login": ("pty/login.py", "import"),
    "ssh": ("live/ssh.py", "shell on a stream"),
    "stdin": ("live/ssh.py", "bash -s"),
}


def plain(found):
    text = found.group(1).decode("utf-8", "replace").replace("\r", "")
    return text.split("\n", 1)[1].rstrip("\n") if "\n" in text else ""


def typed(argv, more, rows):
    """What the last line of each row printed; None once the shell left."""
    s = Session(argv, env=dict(env, **more), cwd=HOME, cols=300)
    s.expect(PROMPT)
    got = []
    for lines, ours, theirs in rows:
        out = None
        for line in lines:
            s.line(line)
            # A shell that leaves or stops itself shows no prompt any more.
            last = ours if argv[0] == AEGSH else theirs
            found = s.expect("(.*?)" + PROMPT) if last is not None else None
            if found is None:
                break
            out = plain(found)
        got.append(out if found is not None else None)
        if found is None:
            break
    s.close()
    return got + [None] * (len(rows) - len(got))


def compare(name, rows):
    ours = typed([AEGSH], {}, rows)
    theirs = typed(["bash", "--norc", "--noprofile", "-i"],
                   {"PS1": PROMPT, "HISTFILE": "",
                    "INPUTRC": os.path.join(HOME, ".inputrc")}, rows)
    for (lines, a, b), got_a, got_b in zip(rows, ours, theirs):
        for who, want, got in (("aegsh", a, got_a), ("bash", b, got_b)):
            good = got is None if want is None else \
                got is not None and re.search(want, got) is not None
            tap.ok(good, "%s: %s: %s" % (name, who, "; ".join(lines)),
                   "got:  %r" % got, "want: %r" % want)


def called(name, argv, ours, theirs, text):
    with open(os.path.join(HOME, "script"), "w") as script:
        script.write('echo "$0 [${BASH_SOURCE[0]}]"\n')
    for who, want in ((AEGSH, ours), ("bash", theirs)):
        done = subprocess.run([who, *argv], input=(text or "").encode(),
                              env=env, cwd=HOME, capture_output=True,
                              timeout=60)
        got = done.stdout if text is None else done.stderr + done.stdout
        tap.ok(re.search(want, got.decode()), "%s: %s" %
               (name, os.path.basename(who)), "got:  %r" % got,
               "want: %r" % want)


with open(os.path.join(TOP, "man", "aegsh.1")) as f:
    section = f.read().split(".Sh DIFFERENCES FROM BASH")[1].split(".Sh ")[0]
items = section.split(".It\n")
named = re.findall(r'(?m)^\.\\" differs: (.*)$', section)
tap.same(len(items) - 1, len(named), "each item of the manual has a name")
shown = {**TYPED, **LEAVES, **CALLED, **ELSEWHERE}
tap.same(sorted(named), sorted(shown), "and a test")
for name, rows in {**TYPED, **LEAVES}.items():
    compare(name, rows)
for name, row in CALLED.items():
    called(name, *row)
for name, (path, text) in ELSEWHERE.items():
    with open(os.path.join(TOP, "tests", path)) as f:
        tap.ok(text in f.read(), "%s: shown by tests/%s" % (name, path))
tap.done()
