# SPDX-License-Identifier: ISC
"""make update-order: which functions a short run of the shell takes, and so
src/shell/order.ld, by which the linker puts them together: the kernel maps
code by pieces of 16 pages, and each piece costs a start what some system
calls do.

	order.py MAP	of the linker, of the program that is traced"""

import bisect
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from pty_session import place, program  # noqa: E402

LINES = ("true", "/bin/true | cat")
LIBRARY_MAX = 32768     # of a library's file all goes there, or nothing
NOBODY = 65534
TOOL = os.path.join(os.environ["abs_top_builddir"], "tests", "bench",
                    "touched")
FRONT = """/* SPDX-License-Identifier: ISC */
/*
 * What a short run of the shell runs through stands together, so that few
 * pieces of the program are mapped.  Made by "make update-order"; a name that
 * is not there any more does no harm.
 */
SECTIONS
{
\t.text.start : {
"""


def sections(path):
    """(address, size, section, file) of all code, by address."""
    found, name, code = [], None, False
    with open(path) as lines:
        for line in lines:
            if re.match(r"\.\S", line):
                code = line.startswith(".text")
            if not code:
                continue
            m = re.match(r" (\.text\S*)?\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)"
                         r"\s+(\S+)$", line)
            if m and int(m[3], 16):
                found.append((int(m[2], 16), int(m[3], 16), m[1] or name,
                              m[4]))
            m = re.match(r" (\.text\S*)$", line)
            name = m[1] if m else None
    return sorted(found)


def trace():
    """What is run, as whoever runs this, in hex to standard output."""
    root, env = place()
    out = os.path.join(root, "home", "touched")
    for line in LINES:
        # Until the rules' compiled form is believed without a look.
        for _ in range(6):
            subprocess.run([program("aegsh"), "-c", line], env=env,
                           check=True)
            time.sleep(0.7)
        subprocess.run([TOOL, out, program("aegsh"), "-c", line], env=env,
                       check=True)
        with open(out) as f:
            sys.stdout.write(f.read())


def traced(uid):
    """Offsets of the instructions that were run, as uid."""
    done = subprocess.run([sys.executable, __file__], user=uid, group=uid,
                          extra_groups=[], stdout=subprocess.PIPE, check=True)
    return {int(at, 16) for at in done.stdout.split()}


def patterns(names):
    """Lines with the names in them, none too wide."""
    line = "\t\t*("
    for name in names:
        if len(line.expandtabs()) + len(name) > 78:
            yield line.rstrip() + ")"
            line = "\t\t*("
        line += name + " "
    yield line.rstrip() + ")"


if len(sys.argv) == 1:
    trace()
    sys.exit(0)
if os.geteuid() != 0:
    sys.exit("update-order looks at root's short runs, and at others': it "
             "must be root")
known = sections(sys.argv[1])
starts = [s[0] for s in known]
hit = set()
for uid in (0, NOBODY):
    for at in traced(uid):
        s = known[bisect.bisect_right(starts, at) - 1]
        if s[0] <= at < s[0] + s[1]:
            hit.add(s)
own = sorted({s[2] for s in hit if not s[3].startswith("/")})
library = set()
for s in hit:
    m = re.match(r"/.*/(lib[^/]+\.a)\((.*)\)$", s[3])
    if m and s[1] <= LIBRARY_MAX:
        library.add("\t\t*%s:%s(%s)" % (m[1], m[2], s[2]))
with open(os.path.join(os.environ["abs_top_srcdir"], "src", "shell",
                       "order.ld"), "w") as f:
    f.write(FRONT + "\n".join(list(patterns(own)) + sorted(library)) +
            "\n\t}\n}\nINSERT BEFORE .text;\n")
print("%d functions of ours, %d files of libraries" % (len(own),
                                                       len(library)))
