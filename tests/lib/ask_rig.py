# SPDX-License-Identifier: ISC
"""What the tests of the validator share: a scratch root, the fake
model, and tests/bin/valask to ask it with."""
import atexit
import json
import os
import shutil
import subprocess
import tempfile

from procs import DEADLINE, until

SRC = os.environ["abs_top_srcdir"]
BUILD = os.environ["abs_top_builddir"]
VALASK = os.path.join(BUILD, "tests/bin/valask")
JUDGE = os.path.join(BUILD, "tests/bin/aegsh-judge")
SANITIZED = b"__asan_" in open(VALASK, "rb").read()
SLOW = DEADLINE  # seconds after which anything counts as hung
IN_TIME = 20e9   # ns for what ends at a time-out of a second, under any load


class Root:
    """A test root: settings, the prompt, and the helper in its place."""

    def __init__(self):
        os.umask(0o022)
        self.dir = os.path.realpath(tempfile.mkdtemp(prefix="aegsh-ask-"))
        os.chmod(self.dir, 0o755)
        atexit.register(shutil.rmtree, self.dir, True)
        for name in ("etc", "libexec", "share/prompts"):
            os.makedirs(self.path(name))
        shutil.copyfile(os.path.join(SRC, "share/prompts/judge-2.txt"),
                        self.path("share/prompts/judge-2.txt"))
        # The helper starts with an empty environment; the test's build of
        # it must still find the root.
        self.write("libexec/aegsh-judge", "#!/bin/sh\n"
                   "AEGSH_TEST_ROOT='%s' exec '%s'\n" % (self.dir, JUDGE),
                   0o755)
        self.record = self.path("record")
        self.write("stderr", "")

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text, mode=0o600):
        with open(self.path(name), "w") as f:
            f.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def records(self):
        if not os.path.exists(self.record):
            return []
        with open(self.record) as f:
            return [json.loads(line) for line in f.read().splitlines()]

    def wait_record(self, match, seconds=SLOW):
        """The first record that matches, when it comes."""
        found = []

        def look():
            found[:] = [r for r in self.records() if match(r)][:1]
            return found
        return found[0] if until(look, seconds) else None

    def wait_arrival(self, line):
        """The model has been asked about this line."""
        return self.wait_record(lambda x: x.get("line") == line)

    def stderr_clean(self):
        """Neither the shell's side nor its helper wrote there.  Builds with
        sanitizers let the helper speak: then only their reports count."""
        with open(self.path("stderr"), errors="replace") as f:
            text = f.read()
        for line in text.splitlines():
            print("# stderr: " + line)
        return ("Sanitizer" not in text and "runtime error" not in text
                and (not text or SANITIZED))


class Model:
    """The fake model, ended with the test."""

    def __init__(self, root, *args):
        self.process = subprocess.Popen(
            ["/usr/bin/python3", os.path.join(SRC, "tests/lib/fake_llm.py"),
             "--record", root.record, *args],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().split()[1])
        atexit.register(self.end)

    def end(self):
        if not self.process.stdin.closed:
            self.process.stdin.close()
        self.process.wait()


class Answer:
    def __init__(self, text):
        fields = text.rstrip("\n").split("\t")
        self.status, self.action = fields[0], fields[1]
        self.confidence, self.ns = int(fields[2]), int(fields[3])
        self.progress, self.model = int(fields[4]), fields[5]
        self.category, self.reason, self.instead = fields[6:9]
        self.endpoint = fields[9]
        self.tokens = int(fields[10]), int(fields[11])
        self.cost = int(fields[12])
        self.cached, self.forged = bool(fields[13]), bool(fields[14])

    def __repr__(self):
        return repr(vars(self))


class Asker:
    """One valask: one validator, one helper."""

    def __init__(self, root, *settings, cancel=None, env=None, store=None,
                 prefix=()):
        args = [*prefix, VALASK]
        if store is not None:
            args += ["-s", store]
        # Eight seconds are the time of a person, not of a machine under load.
        if not any(x.startswith("ask-timeout=") for x in settings):
            settings = ("ask-timeout=60000", *settings)
        for setting in settings:
            args += ["-o", setting]
        if cancel is not None:
            args += ["-c", str(cancel)]
        self.process = subprocess.Popen(
            args, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            pass_fds=[] if cancel is None else [cancel],
            stderr=open(root.path("stderr"), "ab"),
            env=dict(env or {}, AEGSH_TEST_ROOT=root.dir, PATH=os.defpath))

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self):
        return self.process.stdout.readline().decode()

    def start(self, line, facts=()):
        if isinstance(line, str):
            line = line.encode()
        for name, text in facts:
            self.send(b"fact %s %d\n%s\n" % (name.encode(), len(text), text))
        self.send(b"ask %d\n%s\n" % (len(line), line))

    def ask(self, line="ls -l", facts=()):
        self.start(line, facts)
        return Answer(self.read())

    def pid(self):
        self.send(b"pid\n")
        return int(self.read())

    def helper(self):
        """The same, to be signalled: kill(2) takes -1 for all there are."""
        pid = self.pid()
        if pid <= 0:
            raise RuntimeError("the asker has no helper")
        return pid

    def end(self):
        self.process.stdin.close()
        return self.process.wait(SLOW)
