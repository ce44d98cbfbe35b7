# SPDX-License-Identifier: ISC
"""The order of the shell's functions (src/shell/order.ld) is one of functions
that are there, and the linker followed it."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from tap import Tap  # noqa: E402

tap = Tap()

ORDER = os.path.join(os.environ["abs_top_srcdir"], "src", "shell", "order.ld")
AEGSH = os.path.join(os.environ["abs_top_builddir"], "tests", "bin", "aegsh")
MAKE = os.path.join(os.environ["abs_top_builddir"], "Makefile")

with open(MAKE) as f:
    if not re.search(r"^SHELL_LDFLAGS = .*order\.ld", f.read(), re.M):
        tap.skip("the order of the shell's functions", "not linked with it")
        tap.done()
found = subprocess.run(["readelf", "-SW", AEGSH], capture_output=True,
                       text=True, check=True).stdout
found = re.search(r"\.text\.start\s+PROGBITS\s+(\w+)\s+\w+\s+(\w+)", found)
tap.ok(found is not None, "there is a piece of the program for a start")
first, size = (int(n, 16) for n in found.groups()) if found else (0, 0)
inside = set()
for line in subprocess.run(["nm", AEGSH], capture_output=True, text=True,
                           check=True).stdout.splitlines():
    words = line.split()
    if len(words) == 3 and 0 <= int(words[0], 16) - first < size:
        inside.add(words[2])
with open(ORDER) as f:
    names = re.findall(r"\.text\.(?:startup\.|unlikely\.)?(\w+)(?=[ )])",
                       f.read())
names = {n for n in names if n != "start"}
here = sum(n in inside for n in names)
tap.ok(len(names) > 100 and here > len(names) * 3 // 4,
       'three in four of the %d functions stand in it: else "make '
       'update-order"' % len(names), "%d" % here)
tap.done()
