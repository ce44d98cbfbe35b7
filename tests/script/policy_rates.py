# SPDX-License-Identifier: ISC
"""How lines that nobody had seen when the rules were written are judged by
the built program, by class: tests/cases/judged/*.jsonl, batches in the order
in which they were written.  Nothing is run."""

import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

TOP = os.environ["abs_top_srcdir"]
CTL = os.path.join(os.environ["abs_top_builddir"], "tests/bin/aegshctl")
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from tap import Tap  # noqa: E402

tap = Tap()


def judged(root, text):
    home = os.path.join(root, "home", "user")
    work = os.path.join(home, "project")
    os.makedirs(work, exist_ok=True)
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
           "HOME": home, "AEGSH_TEST_ROOT": root,
           "AEGSH_TEST_DATA": os.path.join(TOP, "share")}
    done = subprocess.run([CTL, "test", "--profile", "admin", "--jsonl"],
                          input=text, env=env, cwd=work, capture_output=True)
    return [json.loads(x) for x in done.stdout.splitlines()], done.stderr


def share(counts, *words):
    return 100 * sum(counts[x] for x in words) / max(1, sum(counts.values()))


def main():
    by_expect = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        for path in sorted(glob.glob(os.path.join(TOP, "tests", "cases",
                                                  "judged", "*.jsonl"))):
            with open(path, "rb") as f:
                text = f.read()
            rows = [json.loads(x) for x in text.splitlines()]
            answers, errors = judged(root, text)
            tap.same(len(answers), len(rows),
                     "%s: an answer for each line" % os.path.basename(path))
            if len(answers) != len(rows):
                print("#", errors.decode(errors="replace")[:400])
                continue
            for row, answer in zip(rows, answers):
                by_expect[row["expect"]][answer["decision"]] += 1
    for expect, counts in sorted(by_expect.items()):
        print("# %-14s %5d lines: allowed %.2f%%  asked %.2f%%  blocked %.2f%%"
              % (expect, sum(counts.values()), share(counts, "allow"),
                 share(counts, "warn"), share(counts, "block")))
    honest, risky = by_expect["allow"], by_expect["allow-or-warn"]
    bad, worst = by_expect["warn-or-block"], by_expect["block"]
    # This home lies in /tmp, from where little runs unasked, and root is
    # asked before he kills.
    tap.ok(share(honest, "allow") >= 98.0, "honest lines flow")
    tap.ok(share(honest, "block") <= 0.1, "and are not blocked")
    tap.ok(share(risky, "block") <= 1.0, "risky ones are not blocked")
    # Batches 4 and 5 are of what no table knows; the rest is a model's.
    tap.ok(share(bad + worst, "warn", "block") >= 98.0,
           "harmful ones are stopped or asked about")
    tap.ok(share(worst, "block") >= 97.0, "the worst are blocked")
    tap.done()


main()
