# SPDX-License-Identifier: ISC
"""What the tests of sandbox and exec share: a scratch root outside of
what profiles let commands change, and tests/bin/execrun in it."""
import atexit
import errno
import os
import pwd
import shutil
import socket
import subprocess
import tempfile

from procs import DEADLINE

SRC = os.environ["abs_top_srcdir"]
BUILD = os.environ["abs_top_builddir"]
UIDS = range(53111, 60000)
SLOW = DEADLINE  # seconds after which anything counts as hung


_claims = []    # sockets whose names say that a uid is taken


def unused_uid():
    """A uid that owns no account and no process, and that no other test gets
    while this one runs: limits of a user count, and pgrep(1) finds, what all
    of them started."""
    taken = {p.pw_uid for p in pwd.getpwall()}
    for name in os.listdir("/proc"):
        try:
            taken.add(os.stat("/proc/" + name).st_uid)
        except OSError:
            pass
    # The name goes with the process.  Where another network namespace hides
    # it they still begin at different ones.
    begin = os.getpid() % (UIDS.stop - UIDS.start)
    for uid in list(UIDS[begin:]) + list(UIDS[:begin]):
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind("\0aegsh-test-uid-%d" % uid)
        except OSError as e:
            claim.close()
            if e.errno != errno.EADDRINUSE:
                raise
            continue
        if uid not in taken:
            _claims.append(claim)
            return uid
        claim.close()
    raise RuntimeError("no uid is free")


class Root:
    """A test root below /var/tmp, which no profile lets commands change."""

    def __init__(self, uid=None):
        os.umask(0o022)
        self.uid = os.getuid() if uid is None else uid
        self.dir = tempfile.mkdtemp(prefix="aegsh-exec-", dir="/var/tmp")
        os.chmod(self.dir, 0o755)
        atexit.register(shutil.rmtree, self.dir, True)
        for name in ("etc", "own", "home", "tmp"):
            os.mkdir(self.path(name))
        shutil.copytree(os.path.join(SRC, "share/sandbox"),
                        self.path("share/sandbox"))
        for where, _, files in os.walk(self.path("share")):
            os.chmod(where, 0o755)
            for f in files:
                os.chmod(os.path.join(where, f), 0o644)
        self.home = self.path("home")
        self.store = self.path("own/aegsh-%d" % self.uid)
        os.mkdir(self.store, 0o700)
        with open(self.store + "/db", "w") as f:
            f.write("secret\n")
        self.execrun = self.path("execrun")
        shutil.copy(os.path.join(BUILD, "tests/bin/execrun"), self.execrun)
        os.chmod(self.execrun, 0o755)
        for owned in (self.home, self.store, self.store + "/db",
                      self.path("tmp")):
            os.chown(owned, self.uid, self.uid if uid is not None else -1)
        self.env = {
            "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C",
            "HOME": self.home, "AEGSH_TEST_ROOT": self.dir,
            "AEGSH_TEST_OPERATOR": str(os.getuid()), "STORE": self.store,
            "CONF_USER": self.home + "/.config/aegsh",
        }
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
            if name in os.environ:
                self.env[name] = os.environ[name]

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text, mode=0o644):
        path = name if name.startswith("/") else self.path(name)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, mode)
        return path

    def become(self):
        """In the child: the throw-away user, when we are root."""
        if os.getuid() == 0 and self.uid != 0:
            os.setgroups([])
            os.setgid(self.uid)
            os.setuid(self.uid)

    def popen(self, argv, **kw):
        kw.setdefault("cwd", self.home)
        kw.setdefault("env", self.env)
        return subprocess.Popen(argv, preexec_fn=self.become, **kw)

    def run(self, argv, stdin=b"", **kw):
        """(status, stdout and stderr together)"""
        p = self.popen(argv, stdin=subprocess.PIPE if isinstance(
            stdin, bytes) else stdin, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, **kw)
        out, _ = p.communicate(stdin if isinstance(stdin, bytes) else None,
                               timeout=SLOW)
        return p.returncode, out.decode("utf-8", "backslashreplace")
