# SPDX-License-Identifier: ISC
"""A program on a pseudo-terminal, spoken to by text: no sleeps, only waits
for what must appear, each bounded."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

from procs import DEADLINE


class Session:
    """One child on its own terminal."""

    def __init__(self, argv, env=None, cwd=None, rows=24, cols=200, uid=None):
        self.seen = b""      # everything, for a failing test to show
        self.rest = b""      # what expect() has not used up
        self.status = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                # A runner in the background may have these ignored, and
                # Python has the last two.
                for sig in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP,
                            signal.SIGTSTP, signal.SIGPIPE, signal.SIGXFSZ):
                    signal.signal(sig, signal.SIG_DFL)
                # Before it starts: told of a new size later, a line editor
                # shows its first prompt twice.
                self._size(0, rows, cols)
                if cwd:
                    os.chdir(cwd)
                if uid:
                    os.setgroups([])
                    os.setgid(uid)
                    os.setuid(uid)
                os.execvpe(argv[0], argv, env if env is not None
                           else os.environ)
            finally:
                os._exit(127)

    @staticmethod
    def _size(fd, rows, cols):
        fcntl.ioctl(fd, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, cols, 0, 0))

    def resize(self, rows, cols):
        self._size(self.fd, rows, cols)

    def send(self, text):
        os.write(self.fd, text.encode() if isinstance(text, str) else text)

    def line(self, text):
        self.send(text + "\r")

    def _fill(self, end):
        left = end - time.monotonic()
        if left <= 0:
            return False
        ready, _, _ = select.select([self.fd], [], [], left)
        if not ready:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        if not data:
            return False
        self.seen += data
        # Asked of the terminal, not said to the person: mark what is pasted.
        self.rest = re.sub(rb"\x1b\[\?2004[hl]", b"", self.rest + data)
        return True

    def expect(self, pattern, timeout=DEADLINE):
        """Wait for a regular expression; returns the match, or None."""
        compiled = re.compile(pattern.encode() if isinstance(pattern, str)
                              else pattern, re.S)
        end = time.monotonic() + timeout
        while True:
            found = compiled.search(self.rest)
            if found:
                self.rest = self.rest[found.end():]
                return found
            if not self._fill(end):
                if timeout >= DEADLINE and time.monotonic() > end:
                    print("# waited %d s in vain for %r behind %r" %
                          (timeout, pattern, self.rest[-200:]), flush=True)
                return None

    def run(self, text, prompt):
        """Type a line; give back what it printed before the next prompt.
        prompt must be a pattern that cannot stand in the output."""
        self.line(text)
        found = self.expect(r"(?s)(.*?)" + prompt)
        if found is None:
            return None
        out = found.group(1).decode("utf-8", "replace")
        # The echo of the line itself stands before its output.
        return out.split("\n", 1)[1].replace("\r", "") if "\n" in out else ""

    def interrupt(self, prompt):
        """Ctrl-C where a line is typed, and the prompt behind it.  One that
        was drawn before may still be on its way; and a key that comes before
        the terminal is the editor's again is no key of it: Ctrl-D is lost."""
        self.send("\x03")
        return self.expect(r"\^C.*?" + prompt)

    def asked(self, keys, pattern, first="\x15"):
        """Expect a pattern for keys that ask for what aegsh has only a moment
        to find out, as Tab.  A machine under load is too slow for it at times,
        which it says: then once more, behind the keys that clear the line."""
        end = time.monotonic() + DEADLINE
        while True:
            self.rest = b""
            self.send(first + keys)
            found = self.expect("(?:%s)|(?P<late>takes|took) too long" %
                                pattern)
            if found is None or found.group("late") is None:
                return found
            if time.monotonic() > end:
                return None

    def wait(self, timeout=DEADLINE):
        """The wait status; kills the child when the time is over."""
        end = time.monotonic() + timeout
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
                # What it said last may still lie in the terminal.
                while self._fill(time.monotonic() + 0.1):
                    pass
                break
            if time.monotonic() > end:
                # A test that goes on all the same is to be seen, too.
                print("# killed after %d s: %r" % (timeout, self.seen[-200:]))
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                self.status = -1
                break
            if not self._fill(min(end, time.monotonic() + 0.05)):
                select.select([], [], [], 0.01)
        return self.status

    def close(self):
        if self.status is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass
        try:
            os.close(self.fd)
        except OSError:
            pass


def place(operator=False, leaks=True):
    """A throw-away root, home and environment; returns (root, env).
    operator: who tests is its operator.  leaks: false where they can't be
    looked for, as a leak checker traces, which no line may."""
    import atexit
    import shutil
    import tempfile
    top = os.environ["abs_top_srcdir"]
    root = tempfile.mkdtemp(prefix="t-aegsh.", dir="/var/tmp")
    atexit.register(shutil.rmtree, root, True)
    os.chmod(root, 0o755)
    for name in ("etc", "own", "home", "libexec"):
        os.mkdir(os.path.join(root, name))
    # The helper starts with an empty environment; the test's build of it
    # must still find this place.
    helper = os.path.join(root, "libexec", "aegsh-judge")
    with open(helper, "w") as f:
        f.write("#!/bin/sh\nAEGSH_TEST_ROOT='%s' AEGSH_TEST_DATA='%s' "
                "exec '%s'\n" % (root, os.path.join(top, "share"),
                                program("aegsh-judge")))
    os.chmod(helper, 0o755)
    env = {
        "HOME": os.path.join(root, "home"),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "TERM": "xterm",
        "LANG": "C.UTF-8",
        "AEGSH_TEST_ROOT": root,
        "AEGSH_TEST_DATA": os.path.join(top, "share"),
        "AEGSH_TEST_LIBEXEC": os.path.join(root, "libexec"),
    }
    if operator:
        env["AEGSH_TEST_OPERATOR"] = str(os.getuid())
    if not leaks and os.environ.get("SANITIZED"):
        env["ASAN_OPTIONS"] = "detect_leaks=0"
    return root, env


def program(name):
    return os.path.join(os.environ["abs_top_builddir"], "tests", "bin", name)
