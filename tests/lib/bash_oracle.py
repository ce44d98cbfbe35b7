# SPDX-License-Identifier: ISC
"""Asks bash what it makes of a text, without running any of it; and asks
tests/bin/synparse the same."""
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

BASH = os.environ.get("BASH_PATH", "/bin/bash")
SYNPARSE = os.path.join(os.environ.get("abs_top_builddir", "."),
                        "tests", "bin", "synparse")
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
WARNING = re.compile(rb"[^\n]*warning: here-document at line \d+ delimited "
                     rb"by end-of-file \(wanted `[^']*'\)\n")
JOBS = 2


def version():
    out = subprocess.run([BASH, "-c", "echo ${BASH_VERSINFO[@]:0:2}"],
                         stdout=subprocess.PIPE, env=ENV, check=False).stdout
    return out.split()


def run(args, env=None, cwd=None):
    """(status, standard output, standard error), or None: it hangs or dies.
    Some inputs send bash 5.2 into an endless loop, or corrupt its memory."""
    try:
        done = subprocess.run(
            [BASH, "--norc", "--noprofile"] + args, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env or ENV,
            cwd=cwd, timeout=5, check=False)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode < 0:
        return None
    return done.returncode, done.stdout, done.stderr


def complaint(args, unit):
    """None: bash has no answer; b"": it accepts; else what it says."""
    got = run(["-n"] + args + ["-c", "--", unit])
    if got is None:
        return None
    lines = [line for line in WARNING.sub(b"", got[2]).split(b"\n")
             if line and b"warning:" not in line]
    text = b"\n".join(lines)
    return text or (b"status %d" % got[0] if got[0] != 0 else b"")


def silently_refuses(args, unit):
    """Some mistakes end the reading without a word: then an error on the
    next line goes unseen, too."""
    got = run(["-n"] + args + ["-c", "--", unit + b"\n)"])
    return got is not None and b"unexpected" not in got[2] and \
        b"delimited by" not in got[2]


def accepts(unit, args=()):
    """True, False, or None."""
    said = complaint(list(args), unit)
    return None if said is None else not said


def accepts_all(units, args=()):
    with ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(lambda unit: accepts(unit, args), units))


def pretty(unit, where):
    """How bash prints the text, or None."""
    handle, path = tempfile.mkstemp(dir=where)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(unit)
        got = run(["--pretty-print", path])
    finally:
        os.unlink(path)
    if got is None:
        return None
    return got[0], re.sub(rb"\n+", b"\n", got[1]).strip()


def synparse(units, *args, env=None):
    done = subprocess.run([SYNPARSE, *args], input=b"\0".join(units) + b"\0",
                          stdout=subprocess.PIPE, env=env, check=False)
    if done.returncode != 0:
        raise RuntimeError("synparse ended with %d" % done.returncode)
    return done.stdout


def answers(units, *args):
    lines = synparse(units, *args).split(b"\n")[:-1]
    if len(lines) != len(units):
        raise RuntimeError("synparse answered %d of %d" %
                           (len(lines), len(units)))
    return lines


def words(units, env):
    """The known words of each unit behind the command's name, or None."""
    data = synparse(units, "-m", "words", env=env)
    out, at = [], 0
    while at < len(data):
        if data.startswith(b"?\n", at):
            out.append(None)
            at += 2
            continue
        end = at
        while data[end:end + 1].isdigit():
            end += 1
        count, found = int(data[at:end]), []
        for _ in range(count):
            colon = data.index(b":", end)
            size = int(data[end + 1:colon])
            found.append(data[colon + 1:colon + 1 + size])
            end = colon + 1 + size
        out.append(found)
        at = end + 1
    return out


def shrink(unit, still, budget=400):
    """A shorter text for which still() holds."""
    size = max(1, len(unit) // 2)
    while budget > 0:
        at, shorter = 0, False
        while at < len(unit) and budget > 0:
            less = unit[:at] + unit[at + size:]
            budget -= 1
            if still(less):
                unit, shorter = less, True
            else:
                at += size
        if size == 1 and not shorter:
            break
        size = max(1, size // 2)
    return unit
