# SPDX-License-Identifier: ISC
"""The built aegshctl env under faults at its system calls, by strace(1): an
error or the end of the process at any of them leaves each start-up file as
it was or as it should become, and the next run goes on from there."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from tap import Tap  # noqa: E402

tap = Tap()
CTL = os.path.join(os.environ["abs_top_builddir"], "tests/bin/aegshctl")
ADD = ["env", "path", "add", "--yes", "--shell", "bash", "/opt/x"]
RC, PROFILE = "# mine\nalias a=b\n", "umask 022\n"
# Every one of the calls that change something; of those that only look,
# which are many, as many as stand here, the last ones first.
CALLS = {"write": 99, "fsync": 99, "renameat": 99, "flock": 99,
         "fchmod": 99, "flistxattr": 99, "mkdir": 99, "ioctl": 99,
         "lseek": 99, "fcntl": 99, "openat": 20, "newfstatat": 8,
         "read": 8, "close": 8, "mmap": 4, "getdents64": 4}
FAULTS = ("error=EIO", "signal=KILL")
FULL = ("write", "fsync", "mkdir", "renameat")  # a disk can be full


def home():
    path = tempfile.mkdtemp(prefix="t-aegsh-fault.")
    for name, text in ((".bashrc", RC), (".profile", PROFILE)):
        with open(os.path.join(path, name), "w") as f:
            f.write(text)
    return path


def environment(path):
    return {"HOME": path, "PATH": "/usr/bin:/bin", "AEGSH_TEST_ROOT": path,
            "ASAN_OPTIONS": "detect_leaks=0"}


def run(path, *strace):
    return subprocess.run([*strace, CTL, *ADD], env=environment(path),
                          cwd=path, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)


def state(path):
    out = []
    for name in (".bashrc", ".profile"):
        try:
            with open(os.path.join(path, name)) as f:
                out.append(f.read())
        except FileNotFoundError:
            out.append(None)
    return out


def count(call):
    path = home()
    log = os.path.join(path, "log")
    run(path, "strace", "-o", log, "-e", "trace=" + call)
    with open(log) as f:
        n = sum(line.startswith(call + "(") for line in f)
    shutil.rmtree(path)
    return n


def one(call, n, fault, after):
    """True when all is well; the file that is not, else."""
    path = home()
    try:
        p = run(path, "strace", "-o", "/dev/null", "-e", "trace=" + call,
                "-e", "inject=%s:%s:when=%d" % (call, fault, n))
        now = state(path)
        for have, old, new in zip(now, (RC, PROFILE), after):
            if have not in (old, new):
                return "%r after %s" % (have, p.stderr)
        if p.returncode == 0 and now != after:
            return "success was claimed: %r, %s" % (now, p.stdout)
        again = run(path)
        if again.returncode != 0 or state(path) != after:
            return "the next run: %s %r" % (again.stderr, state(path))
        left = [name for name in os.listdir(path)
                if name not in (".bashrc", ".profile", ".local")
                and not re.match(r"\.(bashrc|profile)\.aegsh", name)]
        return True if not left else "left behind: %r" % left
    finally:
        shutil.rmtree(path)


if shutil.which("strace") is None:
    print("1..0 # SKIP strace is not installed")
    sys.exit()
path = home()
probe = run(path, "strace", "-o", "/dev/null", "-e", "trace=fsync", "-e",
            "inject=fsync:error=EIO:when=9999")
AFTER = state(path)
shutil.rmtree(path)
if probe.returncode != 0:
    print("1..0 # SKIP strace cannot inject here: " +
          probe.stderr.strip()[:100])
    sys.exit()
tap.ok(AFTER[0] != RC and AFTER[1] != PROFILE and "/opt/x" in AFTER[0],
       "without a fault both files change", AFTER)
step = tap.share("the faults")
for call, most in CALLS.items():
    total = count(call)
    first = max(1, total - most + 1)
    bad = []
    tried = range(first, total + 1, step)
    for n in tried:
        for fault in FAULTS + (("error=ENOSPC",) if call in FULL else ()):
            well = one(call, n, fault, AFTER)
            if well is not True:
                bad.append("%s %s %d: %s" % (call, fault, n, well))
    tap.ok(not bad, "%s: an error or the end at %d of %d" % (
        call, len(tried), total), "\n".join(bad))
tap.done()
