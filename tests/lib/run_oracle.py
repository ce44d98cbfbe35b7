# SPDX-License-Identifier: ISC
"""Runs lines for real, where nothing but stand-ins can be run, and compares
with what tests/bin/synrun says would run.

Each rig is a directory of its own: p1 and p2 hold copies of
tests/bin/logargs under harmless names, "real" some wrappers of the machine.
As root, bash runs as nobody."""
import os
import re
import resource
import select
import shutil
import signal
import subprocess

TOP = os.environ.get("abs_top_builddir", ".")
BASH = os.environ.get("BASH_PATH", "/bin/bash")
STUBS1 = ["t1", "t2", "t3", "f1", "f2", "run", "tool"]
STUBS2 = ["u1", "t1", "tool", "only2"]
REAL = ["bash", "sh", "env", "nice", "nohup", "setsid", "timeout", "xargs",
        "find", "stdbuf", "cat"]
# Of the machine, as far as it has them: the rows of the resolver's tables.
ROWS = ["awk", "busybox", "choom", "chrt", "cmake", "dash", "ed", "ex",
        "flock", "gdb", "git", "i386", "ionice", "less", "linux32",
        "linux64", "m4", "make", "man", "node", "perl", "prlimit", "python3",
        "rsync", "scp", "script", "sed", "setarch", "setpriv", "sftp",
        "sort", "split", "sqlite3", "ssh", "strace", "tar", "taskset",
        "tclsh", "valgrind", "vim", "watch", "x86_64", "zip"]
NOBODY = 65534


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))


class Rig:
    """A place to run lines in.  A line that hung may still be at it, whoever
    stopped it: what it starts then goes to the log of a place left behind."""

    def __init__(self, where, tools=()):
        self.base, self.moves, self.tools = where, 0, tools
        self.prepare(where + "/0")

    def prepare(self, where):
        self.where = where
        stub = os.path.join(TOP, "tests", "bin", "logargs")
        for name, stubs in (("p1", STUBS1), ("p2", STUBS2), ("w", ["here"]),
                            ("real", [])):
            os.makedirs(os.path.join(where, name))
            for one in stubs:
                shutil.copy(stub, os.path.join(where, name, one))
        for name in REAL + list(self.tools):
            found = shutil.which(name, path="/usr/bin:/bin")
            if found:
                os.symlink(found, os.path.join(where, "real", name))
        self.log = os.path.join(where, "log")
        with open(self.log, "wb"):
            pass
        self.env = {"PATH": "%s/p1:%s/real" % (where, where),
                    "HOME": where + "/w", "LC_ALL": "C", "D": where,
                    "V1": "t1", "V2": "t2 -a", "V3": "", "V4": "x*y"}
        self.cwd = where + "/w"
        self.drop = {}
        if os.geteuid() == 0:
            os.chmod(self.base, 0o755)
            for path in (where, self.cwd, self.log):
                os.chown(path, NOBODY, NOBODY)
            os.chmod(where, 0o755)
            self.drop = {"user": NOBODY, "group": NOBODY, "extra_groups": []}

    def run(self, unit):
        """What was started: [path, argument, …] each; None: it hung."""
        with open(self.log, "r+b") as log:
            log.truncate(0)
        if not self.start(unit):
            self.moves += 1
            self.prepare("%s/%d" % (self.base, self.moves))
            return None
        for name in os.listdir(self.cwd):
            if name != "here":
                path = os.path.join(self.cwd, name)
                (shutil.rmtree if os.path.isdir(path) and
                 not os.path.islink(path) else os.unlink)(path)
        with open(self.log, "rb") as log:
            fields = log.read().split(b"\0")[:-1]
        runs = []
        while fields:
            count = int(fields[0])
            runs.append(fields[1:1 + count])
            fields = fields[1 + count:]
        return runs

    def start(self, unit):
        """False: it does not come to an end."""
        # Whatever the line leaves in the background holds the other end.
        over, held = os.pipe()
        with open(os.devnull, "r+b") as null:
            bash = subprocess.Popen(
                [BASH, "--norc", "--noprofile", "-c", unit], stdin=null,
                stdout=null, stderr=null, env=self.env, cwd=self.cwd,
                preexec_fn=limits, pass_fds=(held,), start_new_session=True,
                **self.drop)
        os.close(held)
        ended = bool(select.select([over], [], [], 8)[0])
        os.close(over)
        if not ended:
            os.killpg(bash.pid, signal.SIGKILL)
        bash.wait()
        return ended

    def told(self, units):
        """(incomplete, items) of each unit."""
        data = subprocess.run(
            [os.path.join(TOP, "tests", "bin", "synrun")],
            input=b"\0".join(units) + b"\0", stdout=subprocess.PIPE,
            env=self.env, cwd=self.cwd, check=True).stdout
        return list(parse(data.split(b"\0")))


class Item:
    def __init__(self, kind, path, more):
        self.kind, self.path, self.more = kind, path, more
        self.words = []         # [may_split, [(known, text)]]

    def known(self, word):
        return not word[0] and all(known for known, _ in word[1])

    def text(self, word):
        return b"".join(text for _, text in word[1])

    def exact(self):
        return not self.more and all(self.known(w) for w in self.words)

    def starts(self, path):
        """Could this command have started the program at path?"""
        if not self.words:
            return False
        if not self.known(self.words[0]):
            return self.kind == b"unknown"
        name = os.path.basename(self.text(self.words[0]))
        if self.kind == b"unknown":
            return name == os.path.basename(path)
        return self.kind == b"file" and self.path == path

    def matches(self, run):
        if not self.starts(run[0]):
            return False
        if not self.known(self.words[0]):
            return True
        return self.arguments(self.words[1:], run[1:])

    def arguments(self, words, args):
        if not words:
            return self.more or not args
        if words[0][0]:
            return any(self.arguments(words[1:], args[i:])
                       for i in range(len(args) + 1))
        if not args:
            return False
        pattern = b"".join(re.escape(text) if known else b".*"
                           for known, text in words[0][1])
        return re.fullmatch(pattern, args[0], re.S) is not None and \
            self.arguments(words[1:], args[1:])


def parse(fields):
    at = iter(fields)
    items, item, incomplete = [], None, True
    for tag in at:
        if tag == b"unit":
            answer, incomplete = next(at), next(at) == b"1"
            items = [] if answer == b"tree" else None
        elif tag == b"item":
            item = Item(next(at), next(at), next(at) == b"1")
            items.append(item)
        elif tag == b"word":
            item.words.append([next(at) == b"1", []])
        elif tag == b"part":
            item.words[-1][1].append((next(at) == b"1", next(at)))
        elif tag == b"end":
            yield incomplete, items


def verdict(runs, told):
    """"exact": every program that ran stands among the items word for word;
    "open": not word for word, or in an item that is not known, or behind a
    declared gap; else what ran untold."""
    incomplete, items = told
    if items is None:
        return "open"
    result = "exact"
    for run in runs:
        hits = [item for item in items if item.matches(run)]
        if any(item.exact() and item.kind == b"file" for item in hits):
            continue
        if not hits and not incomplete:
            return "untold: %r" % (run,)
        result = "open"
    return result
