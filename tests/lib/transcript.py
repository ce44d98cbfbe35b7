# SPDX-License-Identifier: ISC
"""Transcripts: commands as typed, with what they must answer.

    == name of the case
    $ command
    > its next line
    expected line of standard output
    ! words that standard error must hold
    [127]

A command without a [status] must exit 0, one without a ! line must leave
standard error empty.  @T@ stands for the case's own fresh directory, in
which its commands run one after the other in one shell.  A line of output
that begins like one of these signs is written with a backslash before it, an
empty one as a backslash alone.
Comments (#) may stand before the first == line.
"""
import os
import re
import shutil
import subprocess
import tempfile


class Command:
    def __init__(self, text):
        self.text = text
        self.out = []
        self.err = []
        self.status = 0


class Case:
    def __init__(self, name):
        self.name = name
        self.commands = []


def parse(lines):
    cases = []
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n")
        if line.startswith("== "):
            cases.append(Case(line[3:]))
            continue
        if not cases:
            if line and not line.startswith("#"):
                raise SystemExit("line %d: text before the first case" % number)
            continue
        case = cases[-1]
        if line.startswith("$ "):
            case.commands.append(Command(line[2:]))
        elif not line:
            continue
        elif not case.commands:
            raise SystemExit("line %d: output before a command" % number)
        elif line.startswith("> "):
            case.commands[-1].text += "\n" + line[2:]
        elif line.startswith("! "):
            case.commands[-1].err.append(line[2:])
        elif re.fullmatch(r"\[\d+\]", line):
            case.commands[-1].status = int(line[1:-1])
        else:
            if line.startswith("\\"):
                line = line[1:]
            case.commands[-1].out.append(line)
    return cases


MARK = "\x1e%d\x1e\n"


def script_of(case, prelude):
    text = prelude + "\n"
    for command in case.commands:
        text += command.text + "\n"
        text += "mark_=$?; printf '\\036%d\\036\\n' $mark_;" \
            " printf '\\036%d\\036\\n' $mark_ >&2\n"
    return text


def split(data):
    """Text and status of each command, by the marks."""
    parts = re.split(r"\x1e(\d+)\x1e\n", data.decode("utf-8", "backslashreplace"))
    return list(zip(parts[0::2], (int(p) for p in parts[1::2])))


def check(case, out, err, top):
    """What is wrong, as lines; none when all is well."""
    wrong = []
    if len(out) != len(case.commands) or len(err) != len(case.commands):
        return ["the shell ended after %d of %d commands" % (
            min(len(out), len(err)), len(case.commands))]
    for command, (got, status), (said, _) in zip(case.commands, out, err):
        want = "".join(line.replace("@T@", top) + "\n" for line in command.out)
        bad = []
        if got != want:
            bad += ["wanted on stdout: %r" % want, "got: %r" % got]
        if status != command.status:
            bad.append("wanted status %d, got %d" % (command.status, status))
        for words in command.err:
            if words.replace("@T@", top) not in said:
                bad.append("stderr lacks %r" % words)
        if said and not command.err:
            bad.append("nothing was wanted on stderr")
        if bad:
            wrong += ["$ " + command.text] + bad + ["stderr: %r" % said]
    return wrong


def run(case, prelude, env, shell=("/bin/sh",), parent=None):
    """Run one case; returns what is wrong."""
    top = os.path.realpath(tempfile.mkdtemp(prefix="aegsh-case-", dir=parent))
    try:
        done = subprocess.run(
            list(shell) + ["-c", script_of(case, prelude)], cwd=top,
            env=dict(env, T=top, HOME=top), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        wrong = check(case, split(done.stdout), split(done.stderr), top)
        if wrong and len(wrong) == 1:
            wrong += ["stdout: %r" % done.stdout, "stderr: %r" % done.stderr]
        return wrong
    finally:
        subprocess.run(["/bin/chmod", "-R", "u+rwX", top],
                       stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(top, ignore_errors=True)


def report(number, name, wrong):
    print("%sok %d - %s" % ("not " if wrong else "", number, name), flush=True)
    for line in wrong:
        for part in line.split("\n"):
            print("#   " + part)
