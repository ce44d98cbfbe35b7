# SPDX-License-Identifier: ISC
"""What is said to run is what runs: lines are really given to bash, where
nothing but harmless stand-ins can be started, and every start must have been
told, word for word where nothing is said to be unknown.

FACTS_SEED   seed of what is made up (a number; "random" for a new one)
FACTS_COUNT  lines to make up (600)"""
import os
import random
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import bash_oracle
import run_oracle
import runbuiltins
import runevaluated
import runlines
from tap import Tap

CASES = os.path.join(HERE, "..", "cases")
SHOWN = 5
WORKERS = 2
# Of the attacks: told word for word.  It may only grow.
EXACT_MIN = 0.70
# Of what bash does otherwise than it seems, where doubt is right.
DOUBTS_MIN = 0.20
# Of programs that start others: what makes the rest of it is not known.
ROWS_MIN = 0.30
# Of what is made up, which says much less.
MADE_MIN = 0.25
# Of shells that are started with words and variables.
GIVEN_MIN = 0.45
# Of text that bash evaluates: what a command in it prints is evaluated, too,
# and nobody knows it.
EVALUATED_MIN = 0.15
# Of builtins in any order, most of which change what is known.
BUILTINS_MIN = 0.03


class Checker:
    """strict: what is told word for word must be so behind a declared gap,
    too."""
    def __init__(self, rig, strict=False):
        self.rig, self.strict = rig, strict

    def judge(self, runs, told):
        return run_oracle.verdict(runs, (told[0] and not self.strict,
                                         told[1]))

    def verdict(self, unit):
        runs = self.rig.run(unit)
        if runs is None:
            return "hung"
        return self.judge(runs, self.rig.told([unit])[0])

    def check(self, units):
        out, told = [], self.rig.told(units)
        for at, unit in enumerate(units):
            runs = self.rig.run(unit)
            out.append("hung" if runs is None else
                       "idle" if not runs else
                       self.judge(runs, told[at]))
            if runs is None:    # the rig has moved
                told[at + 1:] = self.rig.told(units[at + 1:])
        return out

    def shrink(self, unit):
        return bash_oracle.shrink(
            unit, lambda u: self.verdict(u).startswith("untold"), 150)


def compare(tap, rigs, units, name, minimum, strict=False):
    shares = [units[i::WORKERS] for i in range(WORKERS)]
    with ThreadPoolExecutor(WORKERS) as pool:
        results = list(pool.map(lambda x: Checker(x[0], strict).check(x[1]),
                                zip(rigs, shares)))
    counts, notes = {}, []
    for rig, share, result in zip(rigs, shares, results):
        for unit, verdict in zip(share, result):
            kind = verdict.split(":")[0]
            counts[kind] = counts.get(kind, 0) + 1
            if kind == "untold" and len(notes) < SHOWN:
                checker = Checker(rig, strict)
                small = checker.shrink(unit)
                notes.append("%r\n  of %r\n  %s" % (
                    small, unit, checker.verdict(small)))
    print("# %s: %s" % (name, ", ".join(
        "%d %s" % (n, kind) for kind, n in sorted(counts.items()))))
    tap.ok(not notes, "%s: all that %d lines start is told" %
           (name, len(units)), *notes)
    exact, rest = counts.get("exact", 0), counts.get("open", 0)
    tap.ok(exact >= minimum * (exact + rest),
           "%s: %d of %d that start something are told word for word" %
           (name, exact, exact + rest))


def cases(name):
    with open(os.path.join(CASES, name), "rb") as handle:
        return handle.read()[:-1].split(b"\n%%\n")


def main():
    tap = Tap()
    if bash_oracle.version() != [b"5", b"2"]:
        tap.skip("everything", "%s is not bash 5.2" % bash_oracle.BASH)
        tap.done()
    seed = os.environ.get("FACTS_SEED", "1")
    if seed == "random":
        seed = str(random.SystemRandom().randrange(10 ** 9))
    count = int(os.environ.get("FACTS_COUNT", "600")) // \
        tap.share("the lines that are made up")
    print("# FACTS_SEED=%s FACTS_COUNT=%d" % (seed, count))
    where = os.path.realpath(tempfile.mkdtemp(prefix="aegsh-facts-"))
    try:
        os.chmod(where, 0o755)
        rigs = [run_oracle.Rig(os.path.join(where, str(i)))
                for i in range(WORKERS)]
        for name, minimum in (("attacks", EXACT_MIN), ("doubts", DOUBTS_MIN),
                              ("shapes", MADE_MIN),
                              ("evaluated", EVALUATED_MIN)):
            compare(tap, rigs,
                    tap.part(cases("facts-%s.case" % name)), name, minimum)
        tools = [run_oracle.Rig(os.path.join(where, "t%d" % i),
                                run_oracle.ROWS) for i in range(WORKERS)]
        compare(tap, tools, tap.part(cases("facts-rows.case")), "rows",
                ROWS_MIN)
        compare(tap, rigs, runlines.make(seed, count), "made up", MADE_MIN)
        compare(tap, rigs, runlines.make_given(seed, count // 2),
                "shells with words, made up", GIVEN_MIN)
        compare(tap, rigs, runevaluated.make(seed, count // 3),
                "evaluated, made up", EVALUATED_MIN)
        compare(tap, rigs, runbuiltins.make(seed, count // 2),
                "builtins, made up", BUILTINS_MIN, True)
    finally:
        shutil.rmtree(where, ignore_errors=True)
    tap.done()


main()
