# SPDX-License-Identifier: ISC
"""make bench-rules: what Landlock's rules cost, 20 and 500 of them, beside
the same line in a plain bash.  The ruleset of a session is made once; a
one-shot line makes its own."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from pty_session import place  # noqa: E402

root, env = place()
BENCH = os.path.join(os.environ["abs_top_builddir"], "tests", "bench",
                     "bench_exec")
BASE = 32       # places that base.conf names and a Debian has: some 20 rules
profiles = os.path.join(root, "etc", "sandbox.d")
os.mkdir(profiles)


def measure(rules):
    """Ratios to plain bash: a line of a session, a session of one line; and
    plain bash in us."""
    many = os.path.join(root, "many%d" % rules)
    os.mkdir(many)
    names = []
    for i in range(rules - BASE if rules > BASE else 0):
        names.append(os.path.join(many, "%d" % i))
        os.mkdir(names[-1])
    name = "rules%d" % rules
    with open(os.path.join(profiles, name + ".conf"), "w") as f:
        f.write('extends = "base"\nrequire = {landlock, seccomp}\n')
        for i, key in enumerate(("read", "execute", "list")):
            part = names[i::3]      # a list has its bounds
            f.write("%s += {%s}\n" % (key, ", ".join(
                '"%s"' % n for n in part)))
    said = subprocess.run([BENCH, name], env=env, stdout=subprocess.PIPE,
                          check=True, text=True).stdout
    plain, line = re.search(r"^true: plain (\d+) us;.* launcher ([\d.]+);",
                            said, re.M).groups()
    first = re.search(r"first line: direct ([\d.]+)$", said, re.M).group(1)
    return float(line), float(first), float(plain)


few = measure(20)
all500 = measure(500)
print("a line of a session, 20 rules    %5.2f (at most 1.12)" % few[0])
print("a line of a session, 500 rules   %5.2f (at most 1.25)" % all500[0])
print("the first line, 500 rules more   %5.0f us (at most 2000)" %
      (all500[1] * all500[2] - few[1] * few[2]))
