# SPDX-License-Identifier: ISC
"""The profiles against the running kernel, from inside: for each right,
what must fail fails with the right errno and what must work works.

Attempts run as a throw-away user in a throw-away home.  As root the test
becomes a uid that nobody has (and tries the root profile besides); as an
ordinary user it runs as that user, which changes nothing outside of its
own scratch directory."""
import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from exec_rig import BUILD, Root, unused_uid  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
AS_ROOT = os.getuid() == 0
root = Root(unused_uid() if AS_ROOT else None)
TRY = root.path("bin/try")
os.mkdir(root.path("bin"))
shutil.copy(os.path.join(BUILD, "tests/live/sandbox_try"), TRY)
os.chmod(TRY, 0o755)
os.makedirs(root.path("etc/sandbox.d"))
PROJECT = root.path("project")
os.mkdir(PROJECT)
os.chown(PROJECT, root.uid, -1)
for profile in ("admin", "root", "dev", "readonly", "strict"):
    root.write("etc/sandbox.d/%s.conf" % profile,
               'read += {"%s", "%s"}\nexecute += {"%s"}\n%s' % (
                   root.path("bin"), root.path("readable"),
                   root.path("bin"),
                   # Attempts take more processes than dev's lines may.
                   "limit-children = 1000\n" if profile == "dev" else ""))
root.write("readable", "x\n")
root.write("etc/aegsh.conf", "mode = personal\n")


def abi():
    n = ctypes.CDLL(None, use_errno=True).syscall(444, None, 0, 1)
    return n if n > 0 else 0


ABI = abi()
if ABI == 0:
    tap.skip("everything", "this kernel has no Landlock")
    tap.done()

# A victim of the same uid outside of any sandbox, a listener, an abstract
# socket.
victim = root.popen(["sleep", "3600"])
listener = socket.create_server(("127.0.0.1", 0))
PORT = listener.getsockname()[1]
abstract = socket.socket(socket.AF_UNIX)
ABSTRACT = "aegsh-test-%d" % os.getpid()
abstract.bind("\0" + ABSTRACT)
abstract.listen()


def prepare_files():
    shutil.rmtree(root.home)
    os.mkdir(root.home)
    for name in ("d", "d2", "d/sub"):
        os.mkdir(root.home + "/" + name)
    for name in ("f", "g", "h", "d/x", "script"):
        root.write(root.home + "/" + name, "#!/bin/sh\n",
                   0o755 if name == "script" else 0o644)
    root.write(PROJECT + "/p", "x\n")
    for where, dirs, files in os.walk(root.home):
        for name in [where] + [where + "/" + f for f in files]:
            os.chown(name, root.uid, -1)
    os.chown(PROJECT + "/p", root.uid, -1)


def confined(profile, attempts, launcher, uid0=False, cwd=None):
    """Answers of a list of attempts inside one line."""
    prepare_files()
    argv = [root.execrun, "-q", "-p", profile, "-n", PROJECT]
    argv += ["-l"] if launcher else []
    line = ("kids=$(cat /proc/$PPID/task/$PPID/children); l=${kids%% *}; "
            "sed \"s/@aegsh/$PPID/;s/@launcher/$l/;s/@self/$$/\" | " + TRY)
    p = subprocess.run(
        argv + ["-c", line], input="\n".join(attempts) + "\n",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=cwd or root.home, env=root.env, timeout=60,
        preexec_fn=None if uid0 else root.become)
    return p.stdout.splitlines(), p.stderr


def table(title, profile, rows, launcher=False, uid0=False, cwd=None):
    attempts = [r[0].format(H=root.home, S=root.store, E=root.path("etc"),
                            P=PROJECT, V=victim.pid, PORT=PORT,
                            ABS=ABSTRACT, R=root.dir) for r in rows]
    got, noise = confined(profile, attempts, launcher, uid0, cwd)
    if len(got) != len(rows):
        tap.ok(False, "%s: %d answers of %d" % (title, len(got), len(rows)),
               noise)
        return
    for attempt, row, answer in zip(attempts, rows, got):
        name = "%s: %s: %s" % (title, row[0], row[1])
        if len(row) > 2 and ABI < row[2]:
            tap.skip(name, "Landlock ABI %d, not %d" % (ABI, row[2]))
        else:
            tap.ok(answer in row[1].split("|"), name, "got: " + answer)


DENIED = "EACCES"
STORE = [
    ("read {S}/db", DENIED), ("write {S}/db", DENIED),
    ("opentrunc {S}/db", DENIED), ("truncate {S}/db", DENIED),
    ("create {S}/new", DENIED), ("mkdir {S}/new", DENIED),
    ("symlink x {S}/new", DENIED), ("mkfifo {S}/new", DENIED),
    ("mksock {S}/new", DENIED), ("tmpfile {S}", DENIED),
    ("unlink {S}/db", DENIED), ("rename {S}/db {S}/away", DENIED),
    ("rename {S}/db {H}/db", "EACCES|EXDEV"),
    ("rename {S} {R}/own/away", DENIED),
    ("rename {S} {H}/away", "EACCES|EXDEV"),
    ("rename {H}/f {S}/db", "EACCES|EXDEV"),
    ("rename {H}/d {S}", "EACCES|EXDEV"),
    ("exchange {H}/f {S}/db", "EACCES|EXDEV"),
    ("link {S}/db {H}/db", "EACCES|EXDEV"),
    ("link {H}/f {S}/planted", "EACCES|EXDEV"),
    ("exec {S}/db", DENIED), ("rmdir {S}", DENIED),
    ("read /proc/self/root{S}/db", DENIED),
]
SETTINGS = [
    ("write {E}/aegsh.conf", DENIED), ("create {E}/new", DENIED),
    ("unlink {E}/aegsh.conf", DENIED), ("truncate {E}/aegsh.conf", DENIED),
    ("rename {E} {R}/gone", DENIED),
    ("rename {H}/f {E}/aegsh.conf", "EACCES|EXDEV"),
]
OTHERS = [
    ("kill @aegsh 0", "EPERM", 6), ("kill @aegsh 9", "EPERM", 6),
    ("kill {V} 9", "EPERM", 6), ("tgkill {V} 9", "EPERM", 6),
    ("sigqueue {V} 15", "EPERM", 6), ("pidfdsignal {V} 9", "EPERM", 6),
    ("kill @self 0", "ok"),
    ("pidfdgetfd @aegsh", "EPERM"), ("attach @aegsh", "EPERM"),
    ("seize {V}", "EPERM"), ("traceme", "EPERM"),
    ("vmread @aegsh", "EPERM"),
    ("read /proc/@aegsh/environ", "EACCES"),
    ("read /proc/@aegsh/mem", "EACCES"), ("read /proc/@aegsh/fd/0", "EACCES"),
    ("read /proc/{V}/environ", "EACCES"),
    ("read /proc/{V}/root{H}/f", "EACCES"),
    ("write /proc/@aegsh/oom_score_adj", "EACCES"),
    ("prlimit @aegsh", "EPERM"), ("prlimit {V}", "EPERM"),
    ("prlimit 0", "ok"),
    ("setpriority 0 {V}", "EPERM"), ("setpriority 1 0", "EPERM"),
    ("setpriority 2 0", "EPERM"), ("setpriority 0 0", "ok"),
    ("affinity @aegsh", "EPERM"), ("affinity 0", "ok"),
    ("scheduler {V}", "EPERM"), ("scheduler 0", "ok"),
    ("ioprio 1 {V}", "EPERM"), ("ioprio 1 0", "ok"),
    ("setmm", "EPERM"), ("abstract {ABS}", "EPERM", 6),
]
KERNEL = [
    ("unshare 0x10000000", "EPERM"), ("unshare 0x20000", "EPERM"),
    ("unshare 0x400", "ok"), ("clone 0x10000000", "EPERM"),
    ("clone 0x20000000", "EPERM"), ("clone 0", "ok"), ("clone3", "ENOSYS"),
    ("setns", "EPERM"), ("mount {H}/d", "EPERM"), ("umount /proc", "EPERM"),
    ("handle", "EPERM"),
    ("call 428", "EPERM"), ("call 429", "EPERM"), ("call 430", "EPERM"),
    ("call 442", "EPERM"), ("call 467", "EPERM"),       # mounts, new calls
    ("call 425", "EPERM"), ("call 426", "EPERM"), ("call 427", "EPERM"),
    ("call 440", "EPERM"), ("call 448", "EPERM"),       # process_m…
    ("socket 40,1,0", "EAFNOSUPPORT"), ("socket 43,1,0", "EAFNOSUPPORT"),
    ("socket 16,3,0", "ok"), ("socket 1,1,0", "ok"),
]
if os.uname().machine == "x86_64":
    KERNEL += [("x32", "SIGSYS"), ("i386", "SIGSYS"), ("call 321", "EPERM"),
               ("call 298", "EPERM"), ("call 250", "EPERM"),
               ("call 323", "EPERM"), ("call 313", "EPERM"),
               ("call 320", "EPERM"), ("call 246", "EPERM"),
               ("call 155", "EPERM"), ("call 312", "EPERM")]
else:
    tap.skip("x32, i386 and calls by number", "not x86_64")

ADMIN = [
    ("read /etc/passwd", "ok"), ("list /", "ok"), ("list /var/lib", "ok"),
    ("read {R}/readable", "ok"), ("read {E}/aegsh.conf", "ok"),
    ("read {H}/f", "ok"), ("write {H}/f", "ok"), ("truncate {H}/f", "ok"),
    ("create {H}/new", "ok"), ("mkdir {H}/newd", "ok"),
    ("mkfifo {H}/fifo", "ok"), ("mksock {H}/sock", "ok"),
    ("symlink f {H}/sym", "ok"), ("tmpfile {H}", "ok"),
    ("link {H}/f {H}/d/hard", "ok"), ("rename {H}/d/x {H}/d2/x", "ok"),
    ("rename {H}/d/sub {H}/sub", "ok"), ("unlink {H}/g", "ok"),
    ("rmdir {H}/sub", "ok"), ("exec {H}/script", "ok"),
    ("create /tmp/aegsh-test-x", "ok"), ("unlink /tmp/aegsh-test-x", "ok"),
    ("create /dev/shm/aegsh-test-x", "ok"),
    ("unlink /dev/shm/aegsh-test-x", "ok"),
    ("write /dev/null", "ok"), ("read /dev/urandom", "ok"),
    ("exec /bin/true", "ok"), ("exec /usr/bin/env", "ok"),
    ("create /var/tmp/x", "EACCES"), ("create {R}/x", "EACCES"),
    ("write {R}/readable", "EACCES"), ("exec {R}/readable", "EACCES"),
    ("rename {R}/readable {H}/r", "EACCES|EXDEV"),
    ("mknod {H}/node", "EACCES|EPERM"),
    ("write /proc/self/oom_score_adj", "EACCES"),
    ("connect {PORT}", "ok"), ("bind 0", "ok"), ("socket 2,2,0", "ok"),
    ("socket 2,3,1", "EPERM"), ("socket 17,3,0", "EPERM"),
    ("socket 2,1,262", "EPROTONOSUPPORT"), ("fastopen {PORT}", "EOPNOTSUPP"),
    ("memfd", "ok"),
]
DEV = [
    ("read {P}/p", "ok"), ("write {P}/p", "ok"), ("create {P}/q", "ok"),
    ("mkdir {P}/d", "ok"), ("unlink {P}/q", "ok"), ("rmdir {P}/d", "ok"),
    ("read {H}/f", "EACCES"), ("write {H}/f", "EACCES"),
    ("create {H}/new", "EACCES"), ("list {H}", "EACCES"),
    ("rename {H}/f {P}/f", "EACCES|EXDEV"), ("exec {H}/script", "EACCES"),
    ("rename {P}/p {H}/p", "EACCES|EXDEV"), ("exec /bin/true", "ok"),
    ("read /etc/passwd", "ok"), ("connect {PORT}", "ok"),
]
READONLY = [
    ("read {H}/f", "ok"), ("write {H}/f", "EACCES"),
    ("create {H}/new", "EACCES"), ("unlink {H}/f", "EACCES"),
    ("truncate {H}/f", "EACCES"), ("rename {H}/f {H}/z", "EACCES"),
    ("mkdir {H}/new", "EACCES"), ("link {H}/f {H}/z", "EACCES|EXDEV"),
    ("create /tmp/aegsh-test-x", "EACCES"), ("write /dev/null", "ok"),
    ("socket 2,1,0", "EACCES"), ("socket 10,2,0", "EACCES"),
    ("exec {H}/script", "EACCES"), ("exec /bin/true", "ok"),
]
STRICT = [
    ("read {P}/p", "ok"), ("write {P}/p", "EACCES"),
    ("read {H}/f", "EACCES"), ("create /tmp/aegsh-test-x", "EACCES"),
    ("memfd", "EPERM"), ("execmemfd", "EPERM"), ("socket 2,1,0", "EACCES"),
    ("socket 2,2,0", "EACCES"), ("exec /bin/true", "ok"),
]

for launched in (False, True):
    way = "launcher" if launched else "direct"
    table("admin, %s, store" % way, "admin", STORE, launched)
    table("admin, %s, settings" % way, "admin", SETTINGS, launched)
    table("admin, %s, others" % way, "admin", OTHERS, launched)
    table("admin, %s, kernel" % way, "admin", KERNEL, launched)
    table("admin, %s" % way, "admin", ADMIN, launched)
table("launcher", "admin", [
    ("attach @launcher", "EPERM"), ("read /proc/@launcher/environ", "EACCES"),
    ("read /proc/@launcher/mem", "EACCES"),
    ("list /proc/@launcher/fd", "EACCES"), ("prlimit @launcher", "EPERM"),
    ("setpriority 0 @launcher", "EPERM"), ("pidfdgetfd @launcher", "EPERM"),
    ("write /proc/@launcher/oom_score_adj", "EACCES"),
    ("vmread @launcher", "EPERM"),
    ("kill @launcher 0", "ok"),     # it guards nothing
], True)
# What Landlock does not control, so that the day it does is noticed.
table("holes that remain", "admin", [
    ("stat {S}/db", "ok"), ("list {S}", "ok"), ("chmod {S}/db 0600", "ok")])
for name, its_rows in (("dev", DEV), ("readonly", READONLY),
                       ("strict", STRICT)):
    if ABI < 6:
        tap.skip(name, "Landlock ABI %d; it requires scope" % ABI)
        continue
    table(name, name, its_rows + STORE + SETTINGS)
table("debugger", "admin", [("traceme", "EPERM")])
root.write("etc/sandbox.d/debug.conf", "extends = admin\n"
           "seccomp = debugger\n")
table("debugger", "debug", [
    ("traceme", "ok"), ("attach {V}", "EPERM"), ("attach @aegsh", "EPERM"),
    ("attach @launcher", "EPERM")], True)
root.write("etc/sandbox.d/ports.conf", "extends = admin\n"
           "tcp-connect = {1, %d}\ntcp-bind = {}\nudp = none\n" % PORT)
table("ports", "ports", [
    ("connect {PORT}", "ok", 4), ("connect 2", "EACCES", 4),
    ("connect 1", "ECONNREFUSED", 4), ("bind 0", "EACCES", 4),
    ("socket 2,2,0", "EACCES"), ("socket 10,2,0", "EACCES"),
    ("socket 2,1,132", "EPROTONOSUPPORT"),
    ("fastopen 2", "EOPNOTSUPP"), ("socket 2,1,262", "EPROTONOSUPPORT")])

# Files are as they were, whatever was tried.
with open(root.store + "/db") as f:
    tap.same(f.read(), "secret\n", "the store is untouched")
tap.same(os.listdir(root.store), ["db"], "and nothing was planted in it")
tap.ok(victim.poll() is None, "the victim lives")

# A terminal that commands can't type into.
import pty  # noqa: E402


def on_tty(attempts):
    prepare_files()
    with open(root.home + "/attempts", "w") as f:
        f.write("\n".join(attempts) + "\n")
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(root.home)
        root.become()
        os.execve(root.execrun, [root.execrun, "-q", "-t", "-l", "-c", TRY +
                                 " <attempts; true"], root.env)
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
    return text.decode().split()


rows = ["ttyget", "sti", "sti0", "stihigh", "tioclinux"]
for row, answer, want in zip(rows, on_tty(rows) + [""] * 5, [
        "ok", "EPERM", "EPERM", "EPERM", "EPERM"]):
    tap.same(answer, want, "terminal: " + row)

# A profile that would let commands into the store is refused, by name.
root.write("etc/sandbox.d/leaky.conf",
           'extends = admin\nhide = {}\nmake += {"/var/tmp"}\n')
status, said = root.run([root.execrun, "-p", "leaky", "-c", "echo ran"])
tap.ok(status == 126 and "aegsh keeps" in said and "ran" not in said,
       "a leaky profile runs nothing", said)
root.write("etc/sandbox.d/cover.conf", "extends = admin\n"
           'cover-empty = {"%s"}\n' % PROJECT)
if root.uid != 0:
    status, said = root.run([root.execrun, "-p", "cover", "-c", "echo ran"])
    tap.ok(status == 126 and "layer cover" in said and "ran\n" not in said,
           "a layer that can't be had is named", said)
    status, said = root.run([root.execrun, "-l", "-p", "cover", "-c",
                             "echo ran"])
    tap.ok(status == 126 and "layer cover" in said and "ran\n" not in said,
           "also by a launcher", said)


def covers_work():
    """Can this root mount at all?"""
    return subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "x",
                           "/mnt"], stderr=subprocess.DEVNULL).returncode == 0


ROOT = [
    ("read {S}/db", "ENOENT"), ("list {S}", "ok"),
    ("create {S}/new", "EROFS"), ("mkdir {S}/new", "EROFS"),
    ("rename {S} {R}/own/away", "EBUSY"), ("rmdir {S}", "EBUSY"),
    ("rename {H}/f {S}/db", "EXDEV"),
    ("read {E}/aegsh.conf", "ok"), ("write {E}/aegsh.conf", "EROFS"),
    ("create {E}/new", "EROFS"), ("unlink {E}/aegsh.conf", "EROFS"),
    ("rename {E} {R}/gone", "EBUSY"),
    ("umount {S}", "EPERM"), ("umount {E}", "EPERM"),
    ("mount {S}", "EPERM"), ("setns", "EPERM"), ("handle", "EPERM"),
    ("unshare 0x20000", "EPERM"), ("read /proc/1/root{S}/db", "EACCES"),
    ("read /proc/@aegsh/root{S}/db", "EACCES"),
    ("kill @aegsh 9", "EPERM", 6), ("kill {V} 9", "EPERM", 6),
    ("attach @aegsh", "EPERM"), ("prlimit {V}", "EPERM"),
    ("create {R}/x", "ok"), ("unlink {R}/x", "ok"),
    ("write {R}/readable", "ok"), ("create /var/tmp/aegsh-test-y", "ok"),
    ("unlink /var/tmp/aegsh-test-y", "ok"),
    ("mknod {R}/node", "ok"), ("unlink {R}/node", "ok"),
    ("setpriority 0 @launcher", "ok"), ("socket 2,3,1", "ok"),
    ("chroot /", "ok"), ("exec {H}/script", "ok"),
]
if not AS_ROOT:
    tap.skip("root profile", "needs root")
elif not covers_work():
    tap.skip("root profile", "this root may not mount")
else:
    for launched in (False, True):
        table("root, %s" % ("launcher" if launched else "direct"), "admin",
              ROOT, launched, True)
        # Where a line starts must not lead out of its mounts.
        table("root, %s, beside the store" % (
            "launcher" if launched else "direct"), "admin", [
                ("read aegsh-%d/db" % root.uid, "ENOENT"),
                ("create ../etc/new", "EROFS"),
                ("create aegsh-%d/new" % root.uid, "EROFS"),
            ], launched, True, root.path("own"))
    with open(root.store + "/db") as f:
        tap.same(f.read(), "secret\n", "root: the store is untouched")
    fd = os.open(root.dir, os.O_RDONLY)
    status, said = root.run([root.execrun, "-c", "echo ran"], stdin=fd,
                            env=dict(root.env, HOME="/root"))
    os.close(fd)
    tap.ok(status == 0 and said.startswith("ran"),
           "an ordinary user's input may be a directory", said)
    p = subprocess.run([root.execrun, "-l", "-c", "echo ran"], env=root.env,
                       stdin=os.open(root.dir, os.O_RDONLY),
                       stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    tap.ok(p.returncode == 126 and b"directory outside" in p.stderr and
           not p.stdout, "root: but root's leads around covers", p.stderr)
    mounts = open("/proc/self/mounts").read()
    tap.ok(root.dir not in mounts, "root: nothing is mounted outside")

# A command that takes its launcher away gains nothing by it.
status, said = root.run([
    root.execrun, "-q", "-l", "-c",
    "set -- $(cat /proc/$PPID/task/$PPID/children); kill -9 $1; echo killed",
    "-c", "cat $STORE/db; echo next", "-c",
    "set -- $(cat /proc/$PPID/task/$PPID/children); kill -STOP $1; echo st",
    "-c", "cat $STORE/db; echo last"])
# Killed so early that it was still starting the line, it takes that along.
said = re.sub("execrun: the launcher was killed while.*\n", "", said)
tap.ok(re.sub("cat:.*\n", "denied\n", said) ==
       "killed\ndenied\nnext\nst\ndenied\nlast\n",
       "a killed or stopped launcher is replaced", said)

# Descriptors, by the child's own view.
status, said = root.run([root.execrun, "-q", "-l", "-c",
                         "ls /proc/self/fd | tr '\\n' ' '"],
                        pass_fds=[listener.fileno()])
tap.same(re.sub(r"\b3 ", "", said), "0 1 2 ",
         "a child has 0, 1 and 2 (and what ls opens)")
victim.send_signal(signal.SIGKILL)
victim.wait()
tap.done()
