# SPDX-License-Identifier: ISC
"""Every example of README.md, aegsh(1) and aegshctl(8) is run, and must print
what it shows.  Examples are `$ command` lines with their output below: in the README
in blocks marked `console`, in the manual in `.Bd -literal`."""

import os
import re
import subprocess
import sys

TOP = os.environ["abs_top_srcdir"]
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
env["PATH"] = os.path.dirname(program("aegsh")) + ":" + env["PATH"]


def blocks_of_markdown(text):
    return re.findall(r"```console\n(.*?)```", text, re.S)


def blocks_of_mdoc(text):
    blocks = re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed", text,
                        re.S | re.M)
    # What roff writes as \e is a backslash.
    return [b.replace("\\e", "\\") for b in blocks]


def examples(block):
    command, output = None, []
    for line in block.splitlines():
        if line.startswith("$ "):
            if command is not None:
                yield command, output
            command, output = line[2:], []
        elif command is not None:
            output.append(line)
    if command is not None:
        yield command, output


def run(name, block):
    for command, output in examples(block):
        done = subprocess.run(["/bin/bash", "-c", command], env=env,
                              cwd=env["HOME"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=60, start_new_session=True)
        got = done.stdout.decode("utf-8", "replace").splitlines()
        tap.ok(got == output, "%s: %s" % (name, command),
               "got:  %r\nwant: %r\nstderr: %s" % (
                   got, output, done.stderr.decode("utf-8", "replace")))


found = 0
for name, split in (("README.md", blocks_of_markdown),
                    ("man/aegsh.1", blocks_of_mdoc),
                    ("man/aegshctl.8", blocks_of_mdoc)):
    with open(os.path.join(TOP, name)) as f:
        for block in split(f.read()):
            found += 1
            run(name, block)
tap.ok(found > 5, "examples were found")
tap.done()
