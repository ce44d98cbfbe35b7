# SPDX-License-Identifier: ISC
"""bash as the oracle of the login: start-up files made at random, which
source one another in every way that is followed, leave the same exported
variables, directory and umask with aegsh -l as when bash sources them."""

import os
import random
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
HOME = env["HOME"]
AEGSH = program("aegsh")
SYSTEM = os.path.join(root, "system", "etc")
CASES = int(os.environ.get("AEGSH_LOGIN_CASES", "120"))
SEED = int(os.environ.get("AEGSH_LOGIN_SEED", "1"))
LOOK = "env -0 | sort -z | grep -z ^V_ | tr '\\0' '|'; umask; pwd"

VALUES = ["plain", "'two words'", '"a $V_%d b"', "$'tab\\there'", '"$HOME/x"',
          "''", "a\\ b", "'it'\\''s'", '"${V_%d:-none}"', "äöü",
          "'line\none'", '"$(basename /a/b)"', "$((1 + 2))"]


class Maker:
    def __init__(self, rng):
        self.rng = rng
        self.files = {}
        self.n = 0

    def variable(self):
        return "V_%d" % self.rng.randrange(8)

    def value(self):
        v = self.rng.choice(VALUES)
        return v % self.rng.randrange(8) if "%d" in v else v

    def file(self, depth):
        self.n += 1
        name = "%s/f%d.sh" % (HOME, self.n)
        self.files[name] = None
        self.files[name] = self.body(depth + 1, True)
        return name

    def spelt(self, name):
        base = os.path.basename(name)
        return self.rng.choice([
            name, "~/" + base, '"$HOME/%s"' % base, "$HOME/" + base,
            '"${HOME}"/' + base, "'%s'" % name])

    def source(self, depth):
        if depth > 3 or self.n > 12:
            return ":"
        rng = self.rng
        dot = rng.choice([".", ".", "source"])
        name = self.file(depth)
        word = self.spelt(name)
        return rng.choice([
            "%s %s" % (dot, word),
            "%s %s >/dev/null 2>&1" % (dot, word),
            "[ -r %s ] && %s %s" % (word, dot, word),
            "if [ -f %s ]; then\n\t%s %s\nfi" % (word, dot, word),
            "for f in %s %s; do %s \"$f\"; done" % (
                word, self.spelt(self.file(depth)), dot),
            "g%d() {\n  %s %s\n}\ng%d" % (self.n, dot, word, self.n),
            "{ %s %s; } 2>/dev/null" % (dot, word),
            "! %s %s" % (dot, word),
            "case x in x) %s %s ;; esac" % (dot, word),
        ])

    def leave(self):
        rng = self.rng
        return rng.choice([
            '[ -n "$%s" ] || return' % self.variable(),
            'if [ "$%s" = plain ]; then return 0; fi' % self.variable(),
            "case $%s in p*) return ;; esac" % self.variable(),
            "case $- in *i*) ;; *) return;; esac",
            '[ -z "$PS1" ] && return',
            "return",
        ])

    def statement(self, depth, sourced):
        rng = self.rng
        kind = rng.randrange(14)
        if kind < 4:
            return "export %s=%s" % (self.variable(), self.value())
        if kind == 4:
            return "%s=%s; export %s" % ((v := self.variable()),
                                         self.value(), v)
        if kind == 5:
            return "declare -x %s=%s" % (self.variable(), self.value())
        if kind == 6:
            return "unset %s" % self.variable()
        if kind == 7:
            return rng.choice(["umask 022", "umask 077", "umask 027"])
        if kind == 8:
            return rng.choice(["cd /usr", "cd /", "cd ~", "cd /usr/bin"])
        if kind == 9:
            return "# a comment; . /nowhere; return"
        if kind == 10:
            return "cat >/dev/null <<E\n. $HOME/none\nreturn\nE\n:"
        if kind == 11 and sourced:
            return self.leave()
        if kind == 12:
            return "for i in 1 2; do [ $i = 2 ] && break; %s=$i; done; " \
                "export %s" % ((v := self.variable()), v)
        return self.source(depth)

    def body(self, depth, sourced):
        text = "\n".join(self.statement(depth, sourced)
                         for _ in range(self.rng.randrange(1, 7)))
        return text + self.rng.choice(["\n", "\n", "", " # end", "\n\n"])


def clean():
    shutil.rmtree(HOME)
    os.mkdir(HOME)
    shutil.rmtree(os.path.dirname(SYSTEM), True)
    os.makedirs(SYSTEM)


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def show(files):
    return "".join("--- %s\n%s\n" % (name, text)
                   for name, text in files.items())


def run(argv):
    p = subprocess.run(argv, env=env, cwd=HOME, stdin=subprocess.DEVNULL,
                       capture_output=True)
    return p.stdout.decode("utf-8", "replace"), \
        p.stderr.decode("utf-8", "replace")


def case(n):
    maker = Maker(random.Random("%d.%d" % (SEED, n)))
    clean()
    profile, system = HOME + "/.profile", SYSTEM + "/profile"
    maker.files[system] = maker.body(0, False)
    maker.files[profile] = maker.body(0, False)
    for name, text in maker.files.items():
        write(name, text)
    want, _ = run(["/bin/bash", "--norc", "--noprofile", "-c",
                   ". %s >/dev/null 2>&1; . %s >/dev/null 2>&1; %s" %
                   (system, profile, LOOK)])
    got, said = run([AEGSH, "-l", "-c", LOOK])
    if got == want and said == "":
        return True
    tap.ok(False, "files %d.%d" % (SEED, n), "%s\nbash:  %s\naegsh: %s\n%s" %
           (show(maker.files), want, got, said))
    return False


good = sum(case(n) for n in range(CASES))
tap.ok(good == CASES, "%d sets of files leave what bash leaves" % CASES,
       "%d of them do" % good)
tap.done()
