# SPDX-License-Identifier: ISC
"""bash is the oracle: what it accepts, how it prints, what words become.

Nothing is run but printf with words that hold no substitution; everything
else is only read (bash -n, --pretty-print).

SYNTAX_SEED  seed of what is made up (a number; "random" for a new one)
SYNTAX_COUNT units to make up (2000)
SYNTAX_FILES directories whose shell scripts are compared ("/etc")"""
import os
import random
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import bash_oracle as oracle
import bashgen
import bashwords
from tap import share

CASES = os.path.join(HERE, "..", "cases")
SHOWN = 5


class Tap:
    count = failed = 0

    def ok(self, good, name, notes=()):
        self.count += 1
        self.failed += not good
        print("%sok %d - %s" % ("" if good else "not ", self.count, name))
        for note in notes:
            print("# " + note.replace("\n", "\n# "))
        sys.stdout.flush()

    def skip(self, name, why):
        self.count += 1
        print("ok %d # SKIP %s: %s" % (self.count, name, why))

    def done(self):
        print("1..%d" % self.count)
        return 1 if self.failed else 0


def blocks(name):
    with open(os.path.join(CASES, name), "rb") as handle:
        return handle.read()[:-1].split(b"\n%%\n")


def short(unit):
    text = ascii(unit)[2:-1].replace("#", "\\x23")
    return text if len(text) < 60 else text[:57] + "..."


class Comparer:
    """bash's verdict against the parser's, with the table of differences."""

    def __init__(self, tap, args=(), flags=()):
        self.tap = tap
        self.args, self.flags = list(args), list(flags)
        self.known = []

    def is_known(self, answer):
        return any(answer.endswith(b" " + text) for text in self.known)

    def disagree(self, unit, bash, answer):
        tree = answer == b"tree"
        if bash is None or bash == tree or self.is_known(answer):
            return False
        return not (bash and oracle.silently_refuses(self.args, unit))

    def differs(self, unit):
        return self.disagree(unit, oracle.accepts(unit, self.args),
                             oracle.answers([unit], *self.flags)[0])

    def compare(self, units, name):
        bash = oracle.accepts_all(units, self.args)
        answers = oracle.answers(units, *self.flags)
        notes = []
        for unit, yes, answer in zip(units, bash, answers):
            if self.disagree(unit, yes, answer):
                if len(notes) < SHOWN:
                    unit = oracle.shrink(unit, self.differs)
                notes.append("bash %s, here %s: %r" % (
                    "accepts" if oracle.accepts(unit, self.args) else
                    "refuses", oracle.answers([unit], *self.flags)[0]
                    .decode(), unit))
        known = sum(1 for a in answers if self.is_known(a))
        self.tap.ok(not notes, "%s: %d units, %d accepted by bash, "
                    "%d refused by the table, %d without an answer" % (
                        name, len(units), bash.count(True), known,
                        bash.count(None)), notes[:SHOWN])
        self.trip(units, name)

    def trip(self, units, name):
        results = oracle.answers(units, *self.flags, "-m", "trip")
        notes = ["%s: %r" % (got.decode(), unit) for unit, got in
                 zip(units, results) if got not in (b"same", b"none")]
        self.tap.ok(not notes, "%s: %d trees survive printing" % (
            name, results.count(b"same")), notes[:SHOWN])


def check_cases(tap, comparer):
    units = blocks("syntax.case")
    bash = oracle.accepts_all(units)
    for unit, yes, answer in zip(units, bash, oracle.answers(units)):
        tap.ok(not comparer.disagree(unit, yes, answer),
               "%s: %s" % (answer.split()[0].decode(), short(unit)),
               () if yes == (answer == b"tree") else
               ["bash: %s, here: %s" % (yes, answer.decode())])
    comparer.trip(units, "cases")


def check_table(tap, comparer):
    """Each row still is a difference; its complaint is then known."""
    for block in blocks("syntax-differs.case"):
        head, unit = block.split(b"\n--\n", 1)
        expected = head.split(b"\n")[0][len(b"expected: "):]
        answer = oracle.answers([unit])[0]
        tap.ok(answer.startswith(b"error") and
               answer.endswith(b" " + expected) and oracle.accepts(unit),
               "still refused here, and accepted by bash: %s" % short(unit),
               [answer.decode()])
        comparer.known.append(expected)


def check_pretty(tap, units):
    """bash prints the canonical line as it prints the original."""
    lines = oracle.synparse(units, "-m", "print").split(b"\0")[:-1]
    # A backslash at the end of a file is not what it is at the end of -c.
    pairs = [(u, p) for u, p in zip(units, lines)
             if p and not u.endswith(b"\\")]
    with tempfile.TemporaryDirectory() as where, \
            ThreadPoolExecutor(oracle.JOBS) as pool:
        one = list(pool.map(lambda x: oracle.pretty(x[0], where), pairs))
        two = list(pool.map(lambda x: oracle.pretty(x[1], where), pairs))
    notes = ["%r\n  %r\n  %r" % (pair, a, b) for pair, a, b in
             zip(pairs, one, two) if None not in (a, b) and a != b]
    tap.ok(not notes, "bash prints %d canonical lines like the originals" %
           len(pairs), notes[:SHOWN])


def check_words(tap, seed, count):
    """Known words are what printf gets."""
    units = bashwords.make(seed, count)
    mine = oracle.words(units, bashwords.ENV)
    todo = [(u, w) for u, w in zip(units, mine) if w is not None]
    notes = []
    with tempfile.TemporaryDirectory() as where, \
            ThreadPoolExecutor(oracle.JOBS) as pool:
        got = pool.map(lambda x: oracle.run(["-c", x[0]], bashwords.ENV,
                                            where), todo)
        for (unit, known), bash in zip(todo, got):
            if bash is None:
                continue
            real = bash[1].split(b"\0")[:-1]
            # A mistake that bash finds when it expands runs nothing.
            if known[1:] != real and not (bash[0] and not real):
                notes.append("%r\n  bash %r\n  here %r" %
                             (unit, real, known[1:]))
    tap.ok(not notes and len(todo) > count // 2,
           "printf gets the words of %d lines (of %d)" % (len(todo), count),
           notes[:SHOWN])


def is_script(path):
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as handle:
        first = handle.read(64).split(b"\n")[0]
    return path.endswith(".sh") or (first.startswith(b"#!") and (
        b"bash" in first or first.split()[-1:] == [b"/bin/sh"] or
        first.split()[-1:] == [b"#!/bin/sh"]))


def check_files(tap, comparer, roots):
    units = []
    for root in roots.split():
        for where, _, names in os.walk(root):
            for name in sorted(names):
                path = os.path.join(where, name)
                try:
                    if not is_script(path):
                        continue
                    with open(path, "rb") as handle:
                        text = handle.read()
                except OSError:
                    continue
                # What fits into one argument of a program.
                if b"\0" not in text and len(text) < 120000:
                    units.append(text)
    if not units:
        tap.skip("installed scripts", "none below %s" % roots)
        return
    comparer.compare(units, "scripts below %s" % roots)


def main():
    tap = Tap()
    if oracle.version() != [b"5", b"2"]:
        tap.skip("everything", "%s is not bash 5.2" % oracle.BASH)
        return tap.done()
    seed = os.environ.get("SYNTAX_SEED", "1")
    if seed == "random":
        seed = str(random.SystemRandom().randrange(10 ** 9))
    count = int(os.environ.get("SYNTAX_COUNT", "2000"))
    if share() > 1:
        tap.skip("%d in %d of what is made up" % (share() - 1, share()),
                 "AEGSH_CHECK_SHARE=%d" % share())
    count //= share()
    print("# SYNTAX_SEED=%s SYNTAX_COUNT=%d" % (seed, count))
    comparer = Comparer(tap)
    check_table(tap, comparer)
    check_cases(tap, comparer)
    made = bashgen.make(seed, count)
    comparer.compare(made, "made up")
    groups = Comparer(tap, ["-O", "extglob"], ["-e"])
    groups.known = comparer.known
    groups.compare(bashgen.make(seed, count // 4, groups=True),
                   "made up, extglob")
    check_pretty(tap, bashgen.make(seed, count // 4, damaged=10))
    check_words(tap, seed, count)
    check_files(tap, comparer, os.environ.get("SYNTAX_FILES", "/etc"))
    return tap.done()


sys.exit(main())
