# SPDX-License-Identifier: ISC
"""What Tab knows of aegshctl at a prompt of aegsh, which runs no aegshctl for
it, is what aegshctl knows of itself: src/shell/complete_ctl_rows.c.  With
--write (make update-ctl) that file is made."""

import os
import re
import subprocess
import sys
import tempfile

TOP = os.environ["abs_top_srcdir"]
CTL = os.path.join(os.environ["abs_top_builddir"], "tests/bin/aegshctl")
FILE = os.path.join(TOP, "src/shell/complete_ctl_rows.c")
HEAD = """/* SPDX-License-Identifier: ISC */
/*
 * The verbs of aegshctl(8) and their options, from its own rows: made by
 * "make update-ctl", compared by tests/lint/ctl_rows.py.
 */
#include "shell/complete_ctl.h"

const char complete_ctl_text[] =
"""


def ctl(*words):
    with tempfile.TemporaryDirectory() as root:
        return subprocess.run(
            [CTL, *words], stdout=subprocess.PIPE, text=True, check=True,
            env={"AEGSH_TEST_ROOT": root, "HOME": root, "PATH": "/usr/bin",
                 "AEGSH_TEST_DATA": os.path.join(TOP, "share"),
                 "LANG": "C.UTF-8"}).stdout


def offers(*words):
    return [line.split("\t") for line in
            ctl("__complete", "aegshctl", *words).splitlines()]


def words_of(offered):
    """What stands for them in a row; those that a policy or the settings make
    are found when they are wanted."""
    if any(o[1:] == ["policy profile"] for o in offered):
        return ":profile"
    if any(o[0].endswith("=") for o in offered):
        return ":setting"
    return " ".join(o[0] for o in offered)


def verbs():
    for first, about in offers(""):
        if first == "help" or first.startswith("-"):
            continue
        if about:
            yield first, about
        for second, about in offers(first, "") if not about else ():
            yield "%s %s" % (first, second), about


def rows():
    for verb, about in verbs():
        name = verb.split()
        yield verb, None, words_of(offers(*name, "")), about
        usage = ctl("help", *name)
        takes = set(re.findall(r"--([a-z-]+) [A-Z]", usage))
        letters = dict(re.findall(r"^  -(.), --([a-z-]+)", usage, re.M))
        takes |= {k for k, v in letters.items() if v in takes}
        takes |= set(re.findall(r"^  -(.) [A-Z]", usage, re.M))
        for option, about in offers(*name, "-"):
            yield verb, option, (words_of(offers(*name, option, "")) if
                                 option.lstrip("-") in takes else None), about


def literal(text):
    """A string of the text, with its NUL."""
    assert text != "-", "this stands for none"
    if text is None:
        text = "-"
    return '"%s\\0"' % text.replace("\\", "\\\\").replace('"', '\\"')


def put(row):
    """A row, folded at 80 columns."""
    out, column = "\t", 8
    items = [literal(t) for t in row]
    for item in items:
        while column + len(item) + 1 > 78:
            if column > 18:
                out, column = out.rstrip(" ") + "\n\t    ", 12
                continue
            # Between words of the text itself.
            at = item.rfind(" ", 1, 78 - column - 1)
            out += item[:at + 1] + '"\n\t    '
            item, column = '"' + item[at + 1:], 12
        out += item + " "
        column += len(item) + 1
    return out.rstrip(" ") + "\n"


def made():
    return HEAD + "".join(put(row) for row in rows()) + \
        "\t;\n"


if "--write" in sys.argv:
    with open(FILE, "w", encoding="utf-8") as f:
        f.write(made())
    sys.exit(0)
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from tap import Tap  # noqa: E402

tap = Tap()
with open(FILE, encoding="utf-8") as f:
    tap.same(f.read().split("\n"), made().split("\n"),
             "the rows are aegshctl's (make update-ctl)")
tap.done()
