# SPDX-License-Identifier: ISC
"""A place whose lines run, where root tests, as a uid that nobody has; and
how they are started there.  Who tests is its operator."""
import os
import shutil
import signal
import subprocess

from exec_rig import SRC, unused_uid
from procs import DEADLINE
from pty_session import place, program

ROOT, ENV = place(operator=True, leaks=False)
IS_ROOT = os.getuid() == 0
UID = unused_uid() if IS_ROOT else os.getuid()
HOME = ENV["HOME"]


def own(path):
    if IS_ROOT:
        os.chown(path, UID, UID, follow_symlinks=False)
    return path


def write(name, text, mode=0o644):
    path = os.path.join(HOME, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)
    return own(path)


def settings(*lines):
    with open(ROOT + "/etc/aegsh.conf", "w") as f:
        f.write("".join(line + "\n" for line in lines))


def profile(*lines, of=("admin", "root")):
    """The operator's of those names: the vendor's, and these lines."""
    for name in of:
        with open("%s/share/sandbox/%s.conf" % (SRC, name)) as f:
            text = f.read()
        with open("%s/etc/sandbox.d/%s.conf" % (ROOT, name), "w") as f:
            f.write(text + "".join(line + "\n" for line in lines))


def install(name, where=ROOT):
    """A program, where lines may start it."""
    to = os.path.join(where, name)
    shutil.copy(program(name), to)
    os.chmod(to, 0o755)
    return to


def become():
    for sig in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(sig, signal.SIG_DFL)
    if IS_ROOT:
        os.setgroups([])
        os.setgid(UID)
        os.setuid(UID)


def popen(*argv, who=become, env=None, stdin=subprocess.DEVNULL, **more):
    return subprocess.Popen(argv, cwd=HOME, env=dict(ENV, **env or {}),
                            stdin=stdin, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True,
                            errors="backslashreplace", preexec_fn=who,
                            start_new_session=True, **more)


def run(*argv, data=None, who=become, env=None):
    """(status, stdout, stderr)"""
    p = popen(*argv, who=who, env=env, stdin=subprocess.DEVNULL
              if data is None else subprocess.PIPE)
    out, err = p.communicate(data, timeout=3 * DEADLINE)
    return p.returncode, out, err


os.mkdir(ROOT + "/etc/sandbox.d")
own(HOME)
os.mkdir(ROOT + "/own/aegsh-%d" % UID, 0o700)
own(ROOT + "/own/aegsh-%d" % UID)
