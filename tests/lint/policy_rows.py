# SPDX-License-Identifier: ISC
"""Each row of a program that something is made of gives lines that show it
and lines that do not, and so does each rule that blocks or asks, which also
tells what to do instead; the loader checks that the lines are right."""

import glob
import os
import re
import sys

TOP = os.environ["abs_top_srcdir"]
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from tap import Tap  # noqa: E402

tap = Tap()
ROW = re.compile(r'^program "([^"]*)" \{(.*?)(?=^program|^rule|^names|^paths'
                 r'|^# ----|\Z)', re.M | re.S)
RULE = re.compile(r'^rule "([^"]*)" \{\n(.*?)^\}', re.M | re.S)
# What can't be shown by a line: it holds for one user, or in no plain text.
UNSHOWN = {"ask.kill-root", "ask.hidden-text"}
turned = set()
n_rules = 0
for path in [os.path.join(TOP, "src/policy/floor.conf")] + sorted(glob.glob(
        os.path.join(TOP, "share/policy/*.conf"))):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    rows = ROW.findall(text)
    rules = [(name, body) for name, body in RULE.findall(text)
             if re.search(r"^\tdecision = (block|warn)$", body, re.M)]
    n_rules += len(rules)
    bare = [name for name, body in rules if "\treason = " not in body or
            "\tinstead = " not in body or "\tcounterexample = " not in body or
            ("\texample = " not in body and name not in UNSHOWN)]
    tap.same(bare, [], "%s: each rule has a reason, what to do instead, an "
             "example and a counterexample" % os.path.basename(path))
    bad = [names for names, body in rows if "turns =" in body and
           (" example =" not in body and "\texample =" not in body or
            "counterexample =" not in body)]
    turned |= {x for names, body in rows
               if re.search(r"turns = \{[^}]*: (?!looks)", body)
               for x in names.split()}
    tap.same(bad, [], "%s: examples of both kinds" % os.path.basename(path))
tap.ok(n_rules >= 300, "%d rules that block or ask" % n_rules)
tap.ok(len(turned) >= 250, "%d programs can be turned into something"
       % len(turned))
tap.done()
