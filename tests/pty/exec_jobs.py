# SPDX-License-Identifier: ISC
"""Job control on a real terminal: who has it, what keys do, what comes
back, with and without a launcher."""
import os
import pty
import re
import select
import signal
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from exec_rig import Root, SLOW  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root = Root()

# Stops only itself, as ssh's ~^Z does, in raw mode.
LONER = root.write(root.home + "/loner.py", """
import os, signal, sys, termios, tty
old = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"raw\\r\\n")
os.kill(os.getpid(), signal.SIGTSTP)
os.write(1, b"back\\r\\n")
termios.tcsetattr(0, termios.TCSANOW, old)
""")


class Screen:
    """execrun on a terminal of its own."""

    def __init__(self, *argv):
        self.seen = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(root.home)
            os.execve(root.execrun, [root.execrun] + list(argv), root.env)

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            got = os.read(self.fd, 4096)
        except OSError:
            got = b""
        self.seen += got.decode("utf-8", "backslashreplace")
        return bool(got)

    def wait_for(self, pattern, start=0):
        """Until the text comes: where it ends."""
        end = time.monotonic() + SLOW
        while time.monotonic() < end:
            m = re.compile(pattern).search(self.seen, start)
            if m:
                return m.end()
            if not self.read(1) and not select.select(
                    [self.fd], [], [], 0)[0]:
                continue
        raise AssertionError("%r did not come: %r" % (pattern, self.seen))

    def key(self, text):
        os.write(self.fd, text.encode())

    def end(self):
        """Everything it said, and its wait status."""
        end = time.monotonic() + SLOW
        while time.monotonic() < end:
            if not self.read(0.2):
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    while self.read(0):
                        pass
                    os.close(self.fd)
                    return status
        os.kill(self.pid, signal.SIGKILL)
        raise AssertionError("did not end: %r" % self.seen)


def attempt(name, fn, way):
    try:
        problem = fn(way)
    except (AssertionError, OSError) as e:
        problem = str(e)
    tap.ok(not problem, "%s: %s" % (" ".join(way) or "direct", name), problem)


def foreground(way):
    s = Screen("-t", *way, "-c", "ps -o pid=,pgid=,tpgid= -p $$; true",
               "-c", "echo second; exit 5")
    status = s.end()
    m = re.search(r"(\d+) +(\d+) +(\d+)", s.seen)
    if not m or len(set(m.groups())) != 1:
        return "not the terminal's group: " + s.seen
    if int(m.group(1)) == s.pid or "second" not in s.seen:
        return s.seen
    return os.waitstatus_to_exitcode(status) != 5 and s.seen


def key_kills(key, status):
    def run(way):
        # bash itself ignores ^\\: the key must find the program running.
        s = Screen("-t", *way, "-c",
                   "sh -c 'echo rea''dy; exec sleep 600'; exit $?", "-c",
                   "echo after; exit 0")
        s.wait_for("ready")
        s.key(key)
        s.wait_for("status: %d" % status)
        s.wait_for("after")
        return s.end() != 0 and s.seen
    return run


def stop_and_fg(way):
    s = Screen("-t", *way, "-c", "sleep 600 | cat; echo piped", "-x", "jobs",
               "-c", "echo between", "-x", "fg", "-x", "jobs")
    wait_group(s)
    s.key("\x1a")
    s.wait_for("stopped: 148")
    at = s.wait_for(r"\[1\]\+ stopped sleep 600 \| cat; echo piped")
    s.wait_for("between", at)
    wait_group(s)
    s.key("\x03")
    s.wait_for("status: 130")
    s.end()
    return s.seen.count("[1]") != 1 and s.seen


def wait_group(s, program=None):
    """Until another group than execrun's has the terminal, and sleeps, in
    a child of that name where one is given."""
    end = time.monotonic() + SLOW
    while time.monotonic() < end:
        group = os.tcgetpgrp(s.fd)
        if group not in (s.pid, 0):
            try:
                with open("/proc/%d/stat" % group) as f:
                    state = f.read().rsplit(")", 1)[1].split()[0]
                with open("/proc/%d/task/%d/children" % (group, group)) as f:
                    children = f.read().split()
                with open("/proc/%d/comm" % group) as f:
                    comm = f.read().strip()
                if program is not None:
                    children = [c for c in children if open(
                        "/proc/%s/comm" % c).read().strip() == program]
                if state == "S" and (children or comm == "sleep"):
                    return
            except OSError:
                pass
        s.read(0.01)
    raise AssertionError("nobody took the terminal: %r" % s.seen)


def stop_and_bg(way):
    go = root.home + "/go"
    s = Screen("-t", *way, "-c", "until [ -e go ]; do sleep 0.1; done; "
               "echo ran on; exit 6", "-x", "cont", "-x", "wait:%1")
    wait_group(s)
    s.key("\x1a")
    s.wait_for("stopped: 148")
    root.write(go, "")
    s.wait_for("ran on")
    s.wait_for("status: 6")
    s.end()
    os.unlink(go)


def loner(way):
    s = Screen("-t", *way, "-c", "x=1; /usr/bin/python3 loner.py; echo end",
               "-c", "stty -a | grep -o ' -*icanon'", "-x", "fg")
    s.wait_for("raw")
    at = s.wait_for(r"stopped: 147")
    s.wait_for(" icanon", at)
    s.wait_for("back", at)
    s.wait_for("end", at)
    return s.end() != 0 and s.seen


def loner_is_alone(way):
    """A stopped child of a script that goes on is the script's business."""
    s = Screen("-t", *way, "-c", "sleep 600 & kill -STOP $!; sleep 1; "
               "kill -CONT $!; kill $!; wait $! 2>/dev/null; exit 9")
    s.wait_for("status: 9")
    s.end()
    return "stopped" in s.seen and s.seen


def modes_of_the_dead(way):
    s = Screen("-t", *way, "-c", "stty raw -echo; kill -9 $$",
               "-c", "stty -a")
    s.wait_for("status: 137")
    s.wait_for(r" icanon")
    s.end()
    return not re.search(r" echo ", s.seen) and s.seen


def modes_of_stty(way):
    s = Screen("-t", *way, "-c", "stty -echo", "-c", "stty -a")
    s.end()
    return not re.search(r" -echo ", s.seen) and s.seen


def modes_of_the_stopped(way):
    s = Screen("-t", *way, "-c", "stty -echo; sleep 600; true",
               "-c", "stty -a | grep -o ' -*echo '; echo mid",
               "-x", "fg")
    wait_group(s, "sleep")
    s.key("\x1a")
    s.wait_for("stopped: 148")
    at = s.wait_for("mid")
    wait_group(s, "sleep")
    end = time.monotonic() + SLOW
    echo = True
    while echo and time.monotonic() < end:
        echo = termios.tcgetattr(s.fd)[3] & termios.ECHO
    s.key("\x03")
    s.wait_for("status: 130", at)
    s.end()
    if not re.search(r" echo ", s.seen):
        return "the shell's modes were not restored: " + s.seen
    return echo and "the job's modes were not restored"


def background_reads(way):
    s = Screen("-t", *way, "-x", "bg:read x; echo got $x", "-c", "sleep 0.2",
               "-x", "jobs", "-x", "fg")
    s.wait_for(r"\[1\]\+ stopped read x")
    wait_group_any(s)
    s.key("word\n")
    s.wait_for("got word")
    s.end()


def wait_group_any(s):
    end = time.monotonic() + SLOW
    while os.tcgetpgrp(s.fd) == s.pid and time.monotonic() < end:
        s.read(0.01)


def hangup(way):
    s = Screen("-t", *way, "-x", "bg:sleep 600", "-x", "hangup",
               "-x", "wait:%1")
    s.wait_for("status: 129")
    return not os.WIFSIGNALED(s.end()) and s.seen


def shared_group(way):
    """Without job control the child shares our group, as under bash -c."""
    s = Screen(*way, "-c", "echo here; read x; echo got $x", "-c",
               "sleep 600; true")
    s.wait_for("here")
    s.key("word\n")
    s.wait_for("got word")
    end = time.monotonic() + SLOW
    while time.monotonic() < end:
        try:
            with open("/proc/%d/task/%d/children" % (s.pid, s.pid)) as f:
                kids = f.read().split()
            last = open("/proc/%s/task/%s/children" % (
                kids[-1], kids[-1])).read()
            if last:
                break
        except (OSError, IndexError):
            pass
        s.read(0.01)
    s.key("\x03")
    status = s.end()
    return not (os.WIFSIGNALED(status) and
                os.WTERMSIG(status) == signal.SIGINT) and \
        "%r %d" % (s.seen, status)


for its_way in ([], ["-l"]):
    attempt("a line has the terminal, then we", foreground, its_way)
    attempt("^C", key_kills("\x03", 130), its_way)
    attempt("^\\", key_kills("\x1c", 131), its_way)
    attempt("^Z, other lines, fg, ^C", stop_and_fg, its_way)
    attempt("^Z and on in the background", stop_and_bg, its_way)
    attempt("a program that stops itself alone", loner, its_way)
    attempt("a script with a stopped child runs on", loner_is_alone, its_way)
    attempt("modes after a killed program", modes_of_the_dead, its_way)
    attempt("modes that stty set stay", modes_of_stty, its_way)
    attempt("modes of a stopped job come back with it",
            modes_of_the_stopped, its_way)
    attempt("reading in the background stops", background_reads, its_way)
    attempt("the session's end hangs up", hangup, its_way)
    attempt("no job control: one group", shared_group, its_way)
tap.done()
