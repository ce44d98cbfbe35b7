# SPDX-License-Identifier: ISC
"""What a person sees: a program on tmux's terminal, read with capture-pane."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time

from procs import DEADLINE


class Screen:
    """A server and a window of its own; both end with it."""

    def __init__(self, tap, argv, env, cwd, cols, rows, term="screen"):
        self.there = shutil.which("tmux") is not None
        self.tap = tap
        if not self.there:
            tap.skip("a screen", "tmux is not installed")
            return
        self.dir = tempfile.mkdtemp(prefix="t-screen.", dir="/var/tmp")
        self.base = ["tmux", "-L", "t", "-f", "/dev/null"]
        # The server's own environment says where it is and what UTF-8 is;
        # the program gets env, and tmux's idea of the terminal.
        self.env = {"TMUX_TMPDIR": self.dir, "PATH": os.environ["PATH"],
                    "LANG": "C.UTF-8", "TERM": "xterm", "HOME": self.dir}
        words = ["env", "-i", "TERM=" + term] + [
            "%s=%s" % kv for kv in env.items() if kv[0] != "TERM"]
        words += argv if isinstance(argv, list) else [argv]
        self.tmux("new-session", "-d", "-x", str(cols), "-y", str(rows),
                  "-c", cwd, " ".join(shlex.quote(w) for w in words))

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.there:
            self.tmux("kill-server")
            shutil.rmtree(self.dir, True)

    def tmux(self, *words):
        return subprocess.run(self.base + list(words), env=self.env,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT).stdout.decode()

    def keys(self, *names):
        for name in names:
            self.tmux("send-keys", name)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def size(self, cols, rows):
        self.tmux("resize-window", "-x", str(cols), "-y", str(rows))

    def shows(self):
        """The screen's rows, without blanks at their ends."""
        rows = self.tmux("capture-pane", "-p").split("\n")
        return "\n".join(r.rstrip() for r in rows).rstrip("\n")

    def wait(self, pattern):
        """Until the screen has it; what it shows then."""
        end = time.monotonic() + DEADLINE
        while True:
            shown = self.shows()
            if re.search(pattern, shown, re.M):
                return shown
            if time.monotonic() > end:
                self.tap.ok(False, "the screen has " + pattern, shown)
                return shown
            time.sleep(0.02)
