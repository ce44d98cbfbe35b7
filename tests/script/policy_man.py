# SPDX-License-Identifier: ISC
"""aegsh-policy(5): each example is a rule file that passes its own check,
and the page names every condition and word of the rule language."""

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from tap import Tap  # noqa: E402

TOP = os.environ["abs_top_srcdir"]
TEST = os.path.join(os.environ["abs_top_builddir"], "tests/bin/policytest")
tap = Tap()


def plain(block):
    """A literal block of mdoc as its reader sees it."""
    return re.sub(r"\\e", r"\\", re.sub(r"^\\&", "", block, flags=re.M))


def words(header, macro, field):
    """One field of each row of an X-macro file."""
    with open(os.path.join(TOP, "src/policy", header), encoding="utf-8") as f:
        text = f.read()
    return re.findall(macro + r'\(\w+, "([^"]+)"', text)[:: field]


with open(os.path.join(TOP, "man/aegsh-policy.5"), encoding="utf-8") as f:
    page = f.read()
examples = re.search(r"^\.Sh EXAMPLES\n(.*?)^\.Sh ", page, re.S | re.M).group(1)
blocks = re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed", examples,
                    re.S | re.M)
tap.ok(len(blocks) >= 4, "the page has examples")

with tempfile.TemporaryDirectory(prefix="aegsh-test-") as root:
    env = dict(os.environ, AEGSH_TEST_ROOT=root,
               AEGSH_TEST_DATA=os.path.join(TOP, "share"))
    for block in blocks:
        path = os.path.join(root, "example.conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write(plain(block))
        done = subprocess.run([TEST, "-k", path], env=env,
                              capture_output=True, text=True)
        tap.ok(done.returncode == 0, re.search(r'"([^"]+)"', block).group(1),
               done.stderr)
    with open(path, "a", encoding="utf-8") as f:
        f.write('rule "x" { decision = block }\n')
    done = subprocess.run([TEST, "-k", path], env=env, capture_output=True,
                          text=True)
    tap.ok(done.returncode != 0 and "no reason" in done.stderr,
           "a file that is wrong is told", done.stderr)

conditions = re.search(r"^\.Sh CONDITIONS\n(.*?)^\.Sh ", page,
                       re.S | re.M).group(1)
named = set(re.findall(r"[\w-]+", conditions))
for header, macro in (("policy_conds.h", "POL_COND"),
                      ("policy_features.h", "POL_FEATURE")):
    want = words(header, macro, 1)
    missing = [w for w in want if w not in named]
    tap.ok(len(want) > 10 and not missing, "the page names all of " + header,
           missing)
with open(os.path.join(TOP, "src/policy/policy_conds.c"),
          encoding="utf-8") as f:
    source = f.read()
for table in ("kinds", "unknowns", "origins"):
    want = re.findall(r'"([^"]+)"', re.search(
        r"%s\[\] = \{(.*?)\};" % table, source, re.S).group(1))
    missing = [w for w in want if w not in named]
    tap.ok(len(want) > 4 and not missing, "the page names all " + table,
           missing)
tap.done()
