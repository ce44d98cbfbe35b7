# SPDX-License-Identifier: ISC
"""The escape battery: each attempt of tests/live/escape/ in each shipped
profile, run as a line of a session, with what must come of it.

An attempt is a few lines of shell under a name; its answer is "escaped"
when it said so or showed the secret of the store, else the first errno (or
message of one) in what it printed, else "status-" and the line's.  A "want" line
with profiles goes before the one without.  ESCAPE_TABLE=1 prints a table of
attempt and profile besides.

Attempts run as a throw-away user in a throw-away home.  As root the test
becomes a uid that nobody has; as an ordinary user it runs as that user, and
leaves out what would end or change more than its own scratch directory.
The profile of completions runs nothing as a line; tests/pty/tab_programs.py
tries it."""
import ctypes
import errno
import glob
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from exec_rig import BUILD, SRC, Root, unused_uid  # noqa: E402
from procs import DEADLINE, until  # noqa: E402
from tap import Tap, share  # noqa: E402

tap = Tap()
FOR_ROOT = sys.argv[1:] == ["--root"]
if FOR_ROOT and os.getpid() != 1:
    sys.exit("only in a process namespace of its own: escape_root.py")
AS_ROOT = os.getuid() == 0 and not FOR_ROOT
PROFILES = ("admin", "build", "dev", "full-auto", "readonly", "safe",
            "strict", "transfer", "transfer-fetch", "login")
# admin with the sockets of the example of aegsh-sandbox(5), and of no others:
# what that keeps from lines.
LISTED = "listed"
ONLY = {LISTED: "network.case"}
if FOR_ROOT:
    PROFILES = ("root",)
elif share() > 1:
    tap.share("the profiles, but for four")
    PROFILES = ("admin", "dev", "strict")
if not FOR_ROOT:
    PROFILES += (LISTED,)
WRITABLE = {"dev": "project", "full-auto": "project", "build": "project"}
WORDS = {os.strerror(n): name for n, name in errno.errorcode.items()}
WORDS.update({"must be superuser": "EPERM", "must be root": "EPERM"})
SAYS_WHY = "|".join(map(re.escape, sorted(
    WORDS, key=len, reverse=True))) + r"|\bE[A-Z0-9]{3,}\b|SIGSYS"
PROGRAMS = ("tests/live/sandbox_try", "tests/live/escape_acts",
            "tests/live/escape_race", "aegsh-confine", "aegsh-edit",
            "aegsh-elevate")


def landlock_abi():
    n = ctypes.CDLL(None, use_errno=True).syscall(444, None, 0, 1)
    return n if n > 0 else 0


class Attempt:
    def __init__(self, name, terminal):
        self.name, self.terminal = name, terminal
        self.line, self.wants = "", []

    def wanted(self, profile):
        for profiles, answers in self.wants:
            if not profiles or profile in profiles:
                return answers
        return ["EACCES", "EPERM", "EXDEV", "EROFS"] + (
            ["ENOENT", "EBUSY"] if FOR_ROOT else [])


def read_attempts(path):
    """The attempts of a case file."""
    attempts, terminal = [], False
    with open(path) as f:
        for text in f:
            word, _, rest = text.strip().partition(" ")
            if text.startswith("\t"):
                attempts[-1].line += text[1:]
            elif word == "attempt":
                attempts.append(Attempt(rest, terminal))
            elif word == "terminal":
                terminal = True
            elif word == "want":
                *profiles, answers = rest.split(" ")
                attempts[-1].wants.append(
                    (profiles[0].split(",") if profiles else [],
                     answers.split("|")))
            elif word and not word.startswith("#"):
                sys.exit("%s: what is %r?" % (path, text))
    return attempts


def answer(text):
    """What an attempt's output says came of it."""
    if re.search(r"\bescaped\b|^secret$|^ok$", text, re.M):
        return "escaped"
    m = re.search(SAYS_WHY, text)
    if m:
        return WORDS.get(m.group(), m.group())
    m = re.search(r"^status: (\d+)$", text, re.M)
    return "status-" + m.group(1) if m else "nothing"




def libc_mount(source, target, kind, flags):
    return ctypes.CDLL(None).mount(
        source.encode(), target.encode(), kind and kind.encode(), flags,
        None) == 0


def listen_as_docker():
    """At the path of Docker's daemon, for whoever may connect; in a mount
    namespace of this test's own, where /run has nothing else.  None: that is
    not to be had."""
    if not AS_ROOT or ctypes.CDLL(None).unshare(NEW_MOUNTS) != 0 or \
            not libc_mount("none", "/", None, RECURSIVE | PRIVATE) or \
            not libc_mount("run", "/run", "tmpfs", 0):
        return None
    s = socket.socket(socket.AF_UNIX)
    s.bind("/run/docker.sock")
    os.chmod("/run/docker.sock", 0o666)
    s.listen(100)
    return s


NEW_MOUNTS, BIND, RECURSIVE, PRIVATE = 0x20000, 0x1000, 0x4000, 0x40000
docker = listen_as_docker()
root = Root(unused_uid() if AS_ROOT else None)


def have_account():
    """For screen, which wants one.  Whoever puts another file in the place of
    the system's takes the mount away, so it is looked for each time."""
    with open("/etc/passwd") as f:
        text = f.read()
    if docker is not None and "aegsh-escape:x:%d:" % root.uid not in text:
        libc_mount(root.write("passwd", "%saegsh-escape:x:%d:%d::%s:/bin/sh\n"
                              % (text, root.uid, root.uid, root.home)),
                   "/etc/passwd", None, BIND)


have_account()
os.mkdir(root.path("bin"))
for program in PROGRAMS:
    to = root.path("bin/" + os.path.basename(program))
    shutil.copy(os.path.join(BUILD, program), to)
    os.chmod(to, 0o755)
os.makedirs(root.path("etc/sandbox.d"))
for where in ("project", "victims"):
    os.mkdir(root.path(where))
    os.chown(root.path(where), root.uid, -1)


def example(name):
    """Of a profile, in aegsh-sandbox(5)."""
    with open(os.path.join(SRC, "man/aegsh-sandbox.5"),
              encoding="utf-8") as f:
        return re.search(r"sandbox\.d/%s\.conf.*?^\.Bd -literal[^\n]*\n"
                         r"(.*?)^\.Ed" % name, f.read(), re.S | re.M).group(1)


for profile in PROFILES if not FOR_ROOT else ():
    root.write("etc/sandbox.d/%s.conf" % profile,
               ('extends = "admin"\n' + example("admin")
                if profile == LISTED else "") +
               'read += {"%s"}\nexecute += {"%s"}\n' % (
                   root.path("bin"), root.path("bin")) +
               # Attempts take more than these lines may.
               ("limit-children = 1000\nlimit-memory = 65536\n"
                if profile in (
                   "dev", "full-auto", "build") else ""))
root.write("etc/aegsh.conf", "mode = personal\n")
OUT = root.write("victims/file", "untouched\n")
os.chown(OUT, root.uid, -1)
LEFT = root.path("victims/aegsh-edit.Abcdef")
os.mkdir(LEFT, 0o700)
os.chown(LEFT, root.uid, -1)
os.chown(root.write("victims/aegsh-edit.Abcdef/f", "mine\n"), root.uid, -1)
# A victim, a terminal, listeners and sockets outside, of the same user.
victim = root.popen(["sleep", "3600"])
PTY, OTHER = pty.openpty()
OTHER_TTY = os.ttyname(OTHER)
os.chown(OTHER_TTY, root.uid, -1)
tcp = socket.create_server(("127.0.0.1", 0))
abstract = socket.socket(socket.AF_UNIX)
ABSTRACT = "aegsh-escape-%d" % os.getpid()
abstract.bind("\0" + ABSTRACT)
abstract.listen(100)
SERVICE = root.path("victims/service")
absdgram = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
absdgram.bind("\0" + ABSTRACT + ".dgram")
service = socket.socket(socket.AF_UNIX)
service.bind(SERVICE)
service.listen(100)
datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
datagrams.bind(SERVICE + ".dgram")
GIVER = root.path("victims/giver")
giver = socket.socket(socket.AF_UNIX)
giver.bind(GIVER)
giver.listen(100)
for path in (SERVICE, SERVICE + ".dgram", GIVER):
    os.chown(path, root.uid, -1)


def give():
    """The store, open, to whoever connects."""
    while True:
        s, _ = giver.accept()
        with open(root.store + "/db", "rb") as f:
            socket.send_fds(s, [b"x"], [f.fileno()])
        s.close()


threading.Thread(target=give, daemon=True).start()
MUX = root.path("victims/mux")
if shutil.which("tmux"):
    root.run(["tmux", "-f", "/dev/null", "-S", MUX, "new-session", "-d",
              "sleep 3600"])
SCREENS = root.path("victims/screens")
os.mkdir(SCREENS, 0o700)
os.mkfifo(SCREENS + "/done", 0o600)
for path in (SCREENS, SCREENS + "/done"):
    os.chown(path, root.uid, -1)
if shutil.which("screen"):
    root.run(["screen", "-d", "-m", "-S", "aegsh", "sleep", "3600"],
             env=dict(root.env, SCREENDIR=SCREENS))
BUS = root.path("victims/bus")
buses = []
if shutil.which("dbus-daemon"):
    buses.append(root.popen(
        ["dbus-daemon", "--session", "--nosyslog", "--nofork",
         "--address=unix:path=" + BUS], stderr=subprocess.DEVNULL))
    until(lambda: os.path.exists(BUS) or buses[0].poll() is not None)


def workplace(profile, attempt):
    """A fresh directory that the profile may change, if there is one."""
    base = root.path(WRITABLE.get(profile, "home"))
    w = os.path.join(base, attempt.name)
    shutil.rmtree(w, True)
    os.makedirs(w + "/d/sub")
    os.mkdir(w + "/d2")
    with open(w + "/f", "w") as f:
        f.write("innocent\n")
    for where, _, names in os.walk(w):
        for name in [where] + [os.path.join(where, n) for n in names]:
            os.chown(name, root.uid, -1)
    return w


def untouched():
    """What an attempt changed outside, in words; "" for nothing."""
    found = []
    if victim.poll() is not None:
        found.append("the victim died")
    with open(root.store + "/db") as f:
        if f.read() != "secret\n":
            found.append("the store changed")
    if os.listdir(root.store) != ["db"]:
        found.append("in the store: %r" % os.listdir(root.store))
    with open(OUT) as f:
        if f.read() != "untouched\n":
            found.append("the file outside changed")
    if set(os.listdir(root.path("victims"))) - {
            "file", "mux", "bus", "service", "service.dgram", "by-mux",
            "giver", "screens", "by-screen",
            "aegsh-edit.Abcdef"} or os.listdir(LEFT) != ["f"]:
        found.append("outside: %r" % os.listdir(root.path("victims")))
    with open(root.path("etc/aegsh.conf")) as f:
        if f.read() != "mode = personal\n":
            found.append("the settings changed")
    if sorted(os.listdir(root.path("etc"))) != ["aegsh.conf", "sandbox.d"]:
        found.append("in the settings: %r" % os.listdir(root.path("etc")))
    return ", ".join(found)


def session(profile, attempts, on_tty):
    """Runs the attempts as the lines of one session; {name: output}."""
    have_account()
    argv = [root.execrun, "-b", "-l", "-p",
            "admin" if FOR_ROOT else profile, "-n", root.path("project")]
    argv += ["-t"] if on_tty else []
    if os.environ.get("SANITIZED"):
        root.env["ASAN_OPTIONS"] = "detect_leaks=0"
    env = dict(root.env, STORE=root.store, CONF=root.path("etc"),
               ROOT=root.dir, OUT=OUT, VICTIM=str(victim.pid),
               ACT=root.path("bin/escape_acts"),
               TRY=root.path("bin/sandbox_try"),
               RACE=root.path("bin/escape_race"), HELPERS=root.path("bin"),
               PORT=str(tcp.getsockname()[1]), ABS=ABSTRACT,
               SERVICE=SERVICE, GIVER=GIVER, OTHER_TTY=OTHER_TTY, MUX=MUX,
               BUS=BUS, SCREENS=SCREENS,
               PRIZE="cat %s/db" % root.store)
    for a in attempts:
        argv += ["-c", "W=%s; exec 2>&1; echo '@@ %s'\n%s" % (
            workplace(profile, a), a.name, a.line)]
    if on_tty:
        text = run_on_tty(argv, env)
    else:
        p = subprocess.run(argv, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           cwd=root.home, env=env, preexec_fn=become,
                           timeout=10 * DEADLINE)
        text = p.stdout.decode("utf-8", "replace")
    if "@@" not in text:
        tap.ok(False, "%s: a session begins" % profile, text[-800:])
    parts = re.split(r"^@@ ([a-z0-9-]+)\r?$", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def become():
    os.setpgid(0, 0)
    root.become()


def run_on_tty(argv, env):
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(root.home)
        root.become()
        os.execve(argv[0], argv, env)
    text = b""
    while True:
        try:
            got = os.read(fd, 4096)
        except OSError:
            break
        if not got:
            break
        text += got
    os.waitpid(pid, 0)
    os.close(fd)
    return text.decode("utf-8", "replace").replace("\r\n", "\n")


def end_what_is_left(text):
    """Ends what a line said it left behind."""
    for pid in re.findall(r"^pid (\d+)$", text, re.M):
        try:
            if os.stat("/proc/" + pid).st_uid == root.uid:
                os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass


def missing(attempt):
    """A program of the attempt's that this machine hasn't."""
    if "/docker.sock" in attempt.line and docker is None:
        return "root here that may mount"
    if "$SCREENS" in attempt.line and os.listdir(SCREENS) == ["done"]:
        return "screen, or no account for this user"
    if "$BUS" in attempt.line and not os.path.exists(BUS):
        return "message bus for this user"
    words = set(re.findall(r"[a-z][a-z0-9-]+", attempt.line))
    for name in ("busybox", "perl", "vim", "git", "make", "gdb", "strace",
                 "tmux", "screen", "dbus-send", "systemd-run", "at",
                 "crontab", "script", "nsenter", "flock", "sudo"):
        if name in words and attempt.name.startswith(OF.get(name, "\0")) \
                and shutil.which(name) is None:
            return name
    return None


OF = {"busybox": "other-shell", "perl": "shell-under-perl",
      "vim": "shell-under-vim", "git": "shell-under-git",
      "make": "shell-under-make", "gdb": "gdb-", "strace": "strace-",
      "tmux": "server-", "screen": "screen-", "dbus-send": "message-",
      "systemd-run": "user-manager", "at": "later-by-at",
      "crontab": "later-by-cron", "sudo": "sudo"}
ONLY_THROW_AWAY = {"everything-killed"}
table = {}


def judge(profile, attempts, on_tty):
    able = []
    for a in attempts:
        # Root's lines may set the clock and the host's name, so what they
        # may do to the machine is not tried.
        if FOR_ROOT and a.name.startswith(("outside-", "device-")):
            continue    # root's lines change what they like
        if missing(a):
            tap.skip("%s: %s" % (profile, a.name), "no %s" % missing(a))
        elif a.name in ONLY_THROW_AWAY and not AS_ROOT:
            tap.skip("%s: %s" % (profile, a.name),
                     "the user is not a throw-away one")
        else:
            able.append(a)
    said = session(profile, able, on_tty)
    for a in able:
        text = said.get(a.name)
        got = "not run" if text is None else answer(text)
        table.setdefault(a.name, {})[profile] = got
        end_what_is_left(text or "")
        tap.ok(got in a.wanted(profile), "%s: %s: %s" % (
            profile, a.name, "|".join(a.wanted(profile))),
            "got: " + got, (text or "")[-800:])
    tap.same(untouched(), "", "%s: nothing outside changed" % profile)


def outlived(profile):
    """What a process that outlived its line got."""
    path = root.path(WRITABLE.get(profile, "home") +
                     "/shell-that-outlives-the-line/late")
    if not os.path.exists(path):
        return
    end = time.monotonic() + DEADLINE
    while "done" not in open(path).read() and time.monotonic() < end:
        time.sleep(0.02)
    tap.ok("secret" not in open(path).read() and "done" in open(path).read(),
           "%s: nor does one that outlives its line" % profile,
           open(path).read())


if landlock_abi() < 6:
    tap.skip("the battery", "Landlock ABI %d; it wants scope" %
             landlock_abi())
    tap.done()
cases = sorted(glob.glob(os.path.join(SRC, "tests/live/escape/*.case")))
everything = [(os.path.basename(path), read_attempts(path))
              for path in cases if not FOR_ROOT or os.path.basename(path) in (
                  "files.case", "processes.case", "shells.case")]
tap.ok(sum(len(a) for _, a in everything) >= 80, "at least 80 attempts")
# Unconfined each of these succeeds: the battery can tell.
for _, attempts in everything:
    for a in attempts:
        if a.name in ("store-read", "shell-by-the-loader", "shell-under-awk",
                      "shell-under-perl", "shell-from-a-memfd",
                      "store-by-openat2", "store-by-a-symlink", "tcp",
                      "socket-with-a-path", "abstract-socket",
                      "docker-socket", "docker-socket-by-its-old-name",
                      "screen-that-starts-programs") and not missing(a):
            env = dict(root.env, STORE=root.store, PRIZE="cat %s/db" %
                       root.store, W=workplace("admin", a), SERVICE=SERVICE,
                       PORT=str(tcp.getsockname()[1]), ABS=ABSTRACT,
                       ROOT=root.dir, SCREENS=SCREENS,
                       ACT=root.path("bin/escape_acts"),
                       TRY=root.path("bin/sandbox_try"))
            p = root.popen(["bash", "-c", a.line], env=env,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            tap.same(answer(p.communicate(timeout=DEADLINE)[0].decode()),
                     "escaped", "unconfined: " + a.name)
for profile in PROFILES:
    for name, attempts in everything:
        if ONLY.get(profile, name) == name:
            judge(profile, attempts, attempts[0].terminal)
    outlived(profile)
if os.environ.get("ESCAPE_TABLE"):
    for name, row in table.items():
        print("# %-36s %s" % (name, " ".join(
            "%-9.9s" % row.get(p, "-") for p in PROFILES)))
if os.path.exists(MUX):
    root.run(["tmux", "-S", MUX, "kill-server"])
if shutil.which("screen"):
    # It may have ended where there is no account.
    root.run(["screen", "-S", "aegsh", "-X", "quit"],
             env=dict(root.env, SCREENDIR=SCREENS))
for started in [victim] + buses:
    started.kill()
    started.wait()
tap.done()
