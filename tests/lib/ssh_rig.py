# SPDX-License-Identifier: ISC
"""A real sshd on 127.0.0.1 with throw-away keys, and the clients that speak
to it.  As root it serves a throw-away user, whose login shell can be changed
between runs; as anybody else it serves the very user that runs it."""

import atexit
import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from procs import DEADLINE, until

SRC = os.environ["abs_top_srcdir"]
BUILD = os.environ["abs_top_builddir"]
SSHD = "/usr/sbin/sshd"
SFTP_SERVER = "/usr/lib/openssh/sftp-server"
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
SLOW = DEADLINE         # seconds after which anything counts as hung
NEEDED = ("ssh", "scp", "sftp", "ssh-keygen")


def which(name):
    return shutil.which(name, path=PATH)


def missing():
    """Why there can be no rig here, or None."""
    if not os.access(SSHD, os.X_OK):
        return "openssh-server is not installed"
    for name in NEEDED:
        if not which(name):
            return "%s is not installed" % name
    if os.getuid() == 0 and not which("useradd"):
        return "useradd is not there"
    return None


def default_signals():
    """In a child: what a runner in the background has set aside."""
    for sig in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP,
                signal.SIGTERM, signal.SIGPIPE, signal.SIGTSTP):
        signal.signal(sig, signal.SIG_DFL)


def account(*argv):
    """useradd and its like: another test may hold the lock of passwd(5)."""
    end = time.monotonic() + SLOW
    while True:
        p = subprocess.run(argv, capture_output=True, text=True,
                           env={"PATH": PATH})
        if p.returncode == 0:
            return
        if "lock" not in p.stderr or time.monotonic() > end:
            raise RuntimeError("%s: %s" % (" ".join(argv), p.stderr))
        select_a_while()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def finish(p, data=None):
    """(status, standard output, standard error); "hung" as the status of
    what does not end."""
    try:
        out, err = p.communicate(data, timeout=SLOW)
        return p.returncode, out, err
    except subprocess.TimeoutExpired:
        p.kill()
        out, err = p.communicate()
        return "hung", out, err


class Rig:
    def __init__(self):
        self.root_runs = os.getuid() == 0
        os.umask(0o022)
        # Neither where rules expect temporary things nor where they expect
        # the system's: what is judged are the paths of a home.
        self.dir = tempfile.mkdtemp(
            prefix="t-ssh-", dir="/srv" if self.root_runs and
            os.path.isdir("/srv") else "/var/tmp")
        os.chmod(self.dir, 0o755)
        self.daemons = []
        self.made_user = False
        self.opt = None
        atexit.register(self.close)
        # A test that is told to end takes its user and daemons along.
        for sig in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(sig, lambda *_: sys.exit(1))
        for name in ("etc", "own", "state", "home", "bin", "client", "sshd",
                     "libexec"):
            os.mkdir(self.path(name))
        self.home = self.path("home")
        self.client = self.path("client")
        self._install()
        self._user()
        self._keys()

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def write(self, name, text, mode=0o644):
        path = name if name.startswith("/") else self.path(name)
        with open(path, "wb" if isinstance(text, bytes) else "w") as f:
            f.write(text)
        os.chmod(path, mode)
        return path

    def _install(self):
        # Programs below /opt may be executed in every profile, as installed
        # ones may.
        self.bin = self.path("bin")
        if self.root_runs:
            self.opt = tempfile.mkdtemp(prefix="t-ssh-", dir="/opt")
            os.chmod(self.opt, 0o755)
            self.bin = os.path.join(self.opt, "bin")
            os.mkdir(self.bin, 0o755)
        for name in ("aegsh", "aegshctl"):
            shutil.copy(os.path.join(BUILD, "tests", "bin", name), self.bin)
            os.chmod(os.path.join(self.bin, name), 0o755)
        self.aegsh = os.path.join(self.bin, "aegsh")
        self.aegshctl = os.path.join(self.bin, "aegshctl")
        shutil.copytree(os.path.join(SRC, "share"), self.path("share"))
        for where, _, files in os.walk(self.path("share")):
            os.chmod(where, 0o755)
            for f in files:
                os.chmod(os.path.join(where, f), 0o644)
        self.test_env = {
            "AEGSH_TEST_ROOT": self.dir,
            "AEGSH_TEST_DATA": self.path("share"),
            "AEGSH_TEST_LIBEXEC": self.path("libexec"),
            "AEGSH_TEST_OPERATOR": "0" if self.root_runs
            else str(os.getuid()),
        }
        if not self.root_runs:
            self.test_env["HOME"] = self.home
        # A leak checker traces, which nothing may inside of a line.
        if os.environ.get("SANITIZED"):
            self.test_env["ASAN_OPTIONS"] = "detect_leaks=0"
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                self.test_env[name] = os.environ[name]

    def _user(self):
        if not self.root_runs:
            self.uid = os.getuid()
            self.user = pwd.getpwuid(self.uid).pw_name
            self.gid = os.getgid()
        else:
            self.user = "aegsh-t%d" % os.getpid()
            account("useradd", "-M", "-d", self.home, "-s", "/bin/bash",
                    "-p", "*", self.user)
            self.made_user = True
            entry = pwd.getpwnam(self.user)
            self.uid, self.gid = entry.pw_uid, entry.pw_gid
        store = self.path("state", str(self.uid))
        os.mkdir(store, 0o700)
        if self.root_runs:
            os.chown(store, self.uid, self.gid)
            os.chown(self.home, self.uid, self.gid)

    def forced(self, command):
        """A forced command in the home of the rig.  Who runs the rig without
        being root has a home and a login shell of his own; sshd starts
        there, and the session moves."""
        if self.root_runs:
            return command
        return "cd %s && exec %s" % (self.home, command)

    def oracle(self):
        """Lines of sshd_config: bash as login shell, or what comes nearest
        to it."""
        if self.root_runs:
            return ()
        return ("ForceCommand cd %s && if [ -n \"${SSH_ORIGINAL_COMMAND-}\" "
                "]; then c=$SSH_ORIGINAL_COMMAND; unset "
                "SSH_ORIGINAL_COMMAND; exec bash -c \"$c\"; else exec bash "
                "--norc --noprofile; fi" % self.home,)

    def login_shell(self, shell):
        """Only root can: the shell of passwd(5) of the throw-away user."""
        account("usermod", "-s", shell, self.user)

    def _keys(self):
        for name in ("host", "id"):
            subprocess.run(
                ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name,
                 "-f", self.path("sshd", name)], check=True)
        with open(self.path("sshd", "id.pub")) as f:
            self.public = f.read()
        with open(self.path("sshd", "host.pub")) as f:
            kind, key = f.read().split()[:2]
        self.write("sshd/known_hosts", "throw-away %s %s\n" % (kind, key))
        self.authorize("")

    def authorize(self, options):
        """The key of the clients, with options such as command="…"."""
        self.write("sshd/authorized_keys",
                   (options + " " if options else "") + self.public)

    # ---- daemons ---------------------------------------------------------

    def sshd(self, name, *lines):
        """Start one; clients reach it as host NAME."""
        # Empty, and left there: another test's sshd may stand in it.
        if self.root_runs:
            os.makedirs("/run/sshd", 0o755, exist_ok=True)
        for _ in range(5):
            port = free_port()
            daemon = self._start(name, port, lines)
            if daemon:
                break
        else:
            raise RuntimeError("sshd does not start:\n" + self.log(name))
        self.daemons.append(daemon)
        self._client_conf(name, port)
        return daemon

    def _start(self, name, port, lines):
        log = self.path("sshd", name + ".log")
        conf = self.write("sshd/%s.conf" % name, "\n".join((
            "Port %d" % port,
            "ListenAddress 127.0.0.1",
            "HostKey " + self.path("sshd", "host"),
            "PidFile none",
            "AuthorizedKeysFile " + self.path("sshd", "authorized_keys"),
            "StrictModes no",
            "UsePAM no",
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            "PrintMotd no",
            "PrintLastLog no",
            "MaxStartups 100",
            "MaxSessions 100",
            "SetEnv " + " ".join('"%s=%s"' % item for item in
                                 sorted(self.test_env.items())),
        ) + lines) + "\n")
        with open(log, "wb"):
            pass
        daemon = subprocess.Popen(
            [SSHD, "-D", "-f", conf, "-E", log], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"PATH": PATH}, preexec_fn=default_signals)
        end = time.monotonic() + SLOW
        while daemon.poll() is None and time.monotonic() < end:
            with socket.socket() as s:
                # Ours, not another test's that was quicker.
                if "Server listening" in self.log(name) and \
                        s.connect_ex(("127.0.0.1", port)) == 0:
                    return daemon
            select_a_while()
        if daemon.poll() is None:
            daemon.kill()
            daemon.wait()
        return None

    def log(self, name):
        with open(self.path("sshd", name + ".log"), errors="replace") as f:
            return f.read()

    def _client_conf(self, name, port):
        with open(self.path("sshd", "config"), "a") as f:
            f.write("\n".join((
                "Host %s %s-jump" % (name, name),
                "  HostName 127.0.0.1",
                "  Port %d" % port,
                "  User " + self.user,
                "  IdentityFile " + self.path("sshd", "id"),
                "  IdentitiesOnly yes",
                "  IdentityAgent none",
                "  HostKeyAlias throw-away",
                "  UserKnownHostsFile " + self.path("sshd", "known_hosts"),
                "  GlobalKnownHostsFile /dev/null",
                "  StrictHostKeyChecking yes",
                "  BatchMode yes",
                "  LogLevel ERROR",
                "  SendEnv -*")) + "\n")

    # ---- clients ---------------------------------------------------------

    @property
    def config(self):
        return self.path("sshd", "config")

    def env(self, **more):
        env = {"PATH": PATH, "HOME": self.client, "LANG": "C.UTF-8",
               "TERM": "xterm", "USER": "client",
               "GIT_SSH_COMMAND": "ssh -F " + self.config,
               "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "t",
               "GIT_AUTHOR_EMAIL": "t@localhost", "GIT_COMMITTER_NAME": "t",
               "GIT_COMMITTER_EMAIL": "t@localhost",
               "GIT_AUTHOR_DATE": "1700000000 +0000",
               "GIT_COMMITTER_DATE": "1700000000 +0000"}
        env.update(more)
        return env

    def run(self, argv, data=None, cwd=None, env=None):
        """(status, standard output, standard error) of a client."""
        return finish(subprocess.Popen(
            argv, stdin=subprocess.DEVNULL if data is None else
            subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=cwd or self.client, env=env or self.env(),
            preexec_fn=default_signals), data)

    def ssh(self, host, *words, data=None, options=()):
        """Over the connection of master(), where there is one."""
        path = self.path("client", "m-" + host)
        share = ("-S", path) if os.path.exists(path) else ()
        return self.run(["ssh", "-F", self.config, *share, *options, host,
                         *words], data)

    @contextlib.contextmanager
    def master(self, host):
        """One connection for many commands: most of a command's time is
        the exchange of keys."""
        path = self.path("client", "m-" + host)
        p = subprocess.Popen(["ssh", "-F", self.config, "-M", "-N", "-S", path,
                              host], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, env=self.env(),
                             preexec_fn=default_signals)
        until(lambda: os.path.exists(path) or p.poll() is not None)
        try:
            yield
        finally:
            # One signal may come just before it begins to wait for more to
            # do, which it then does for 300 s, and ends.
            until(lambda: p.poll() is not None or p.terminate())
            p.kill()
            p.wait()
            if os.path.exists(path):
                os.unlink(path)

    def as_user(self, argv, data=None, cwd=None, env=None):
        """The same on the other side, without sshd."""
        def become():
            default_signals()
            if self.root_runs:
                os.setgroups([])
                os.setgid(self.gid)
                os.setuid(self.uid)
        full = {"PATH": PATH, "HOME": self.home, "LANG": "C.UTF-8",
                "USER": self.user, "LOGNAME": self.user, "TERM": "xterm"}
        full.update(self.test_env)
        full.update(env or {})
        return finish(subprocess.Popen(
            argv, stdin=subprocess.DEVNULL if data is None else
            subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=cwd or self.home, env=full, preexec_fn=become), data)

    def fresh_home(self, fill):
        """Empty the home and have it filled."""
        for name in os.listdir(self.home):
            path = os.path.join(self.home, name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
        fill(self.home)
        self.own(self.home)

    def own(self, path):
        """Give a tree to the user of the other side."""
        if not self.root_runs:
            return
        os.lchown(path, self.uid, self.gid)
        for where, dirs, files in os.walk(path):
            for name in dirs + files:
                os.lchown(os.path.join(where, name), self.uid, self.gid)

    # ---- the end ---------------------------------------------------------

    def _left(self):
        """Processes of the throw-away user that are still there."""
        found = []
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    if os.stat("/proc/" + name).st_uid == self.uid:
                        found.append(int(name))
                except OSError:
                    pass
        return found

    def close(self):
        for daemon in self.daemons:
            if daemon.poll() is None:
                daemon.terminate()
                daemon.wait()
        self.daemons = []
        if self.made_user:
            for pid in self._left():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            account("userdel", "-f", self.user)
            self.made_user = False
        for place in (self.dir, self.opt):
            if place:
                shutil.rmtree(place, True)


def select_a_while():
    """The pause between two looks at something that will happen."""
    time.sleep(0.02)
