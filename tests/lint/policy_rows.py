# SPDX-License-Identifier: ISC
"""Each row of a program that something is made of gives lines that show it
and lines that do not; the loader checks that they are right."""

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
turned = set()
for path in [os.path.join(TOP, "src/policy/floor.conf")] + sorted(glob.glob(
        os.path.join(TOP, "share/policy/*.conf"))):
    with open(path, encoding="utf-8") as f:
        rows = ROW.findall(f.read())
    bad = [names for names, body in rows if "turns =" in body and
           (" example =" not in body and "\texample =" not in body or
            "counterexample =" not in body)]
    turned |= {x for names, body in rows
               if re.search(r"turns = \{[^}]*: (?!looks)", body)
               for x in names.split()}
    tap.same(bad, [], "%s: examples of both kinds" % os.path.basename(path))
tap.ok(len(turned) >= 250, "%d programs can be turned into something"
       % len(turned))
tap.done()
