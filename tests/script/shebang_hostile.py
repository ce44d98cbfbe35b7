# SPDX-License-Identifier: ISC
"""Hostile scripts, trees and callers: the answer comes soon, is one of the
documented ones, and nothing of theirs is run."""
import ctypes
import os
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "lib"))
import shebang_env

LIMIT = 20      # seconds in which every answer must be there
count = failed = 0
PROGRAM = shebang_env.PROGRAM


def ok(good, name, *notes):
    global count, failed
    count += 1
    failed += not good
    print("%sok %d - %s" % ("" if good else "not ", count, name), flush=True)
    if not good:
        for note in notes:
            print("#   %r" % (note,))


def skip(why):
    global count
    count += 1
    print("ok %d # SKIP %s" % (count, why), flush=True)


def run(arguments, cwd=None, env=None, program=PROGRAM, **more):
    """Status, output, messages; -1 for an answer that did not come."""
    more.setdefault("stdin", subprocess.DEVNULL)
    try:
        done = subprocess.run([program] + arguments, cwd=cwd, env=env or {},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=LIMIT, **more)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        return -1, late.stdout, late.stderr


def write(path, data, mode=0o755):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
    os.chmod(path, mode)


def interp(path, word="PY"):
    write(path, b"#!/bin/sh\necho %s \"$@\"\n" % word.encode())


def asked(name, script, want, **more):
    """--check and --resolve of a script."""
    got = run(["--resolve", "auto-python", script], **more)
    ok(got[0] == want, "%s: resolve ends with %d" % (name, want), got)
    check = want if want in (0, 2) else 1
    got = run(["--check", "auto-python", script], **more)
    ok(got == (check, b"", b""), "%s: check with %d, in silence" % (name, check), got)


# ---- scripts ----------------------------------------------------------------

def scripts(top):
    interp(top + "/bin/auto-python")
    path = top + "/sparse"
    write(path, b"#!/bin/sh\n")
    os.truncate(path, 1 << 30)
    asked("a gigabyte of nothing", path, 0)
    write(top + "/oneline", b"x" * 5000000)
    asked("one line of five megabytes", top + "/oneline", 0)
    write(top + "/late", b"x" * 65530 + b" auto-shebang-trust-env=maybe")
    asked("a directive past the cap is not read", top + "/late", 0)
    write(top + "/cut", b"x" * 65500 + b" auto-shebang-probe-dirs=/opt/lots/and/lots")
    asked("a directive cut by the cap is refused", top + "/cut", 2)
    write(top + "/utf8", b"\xff\xfe\x00 auto-shebang-probe-dirs=\xff\xc3\x28:bin\n")
    asked("invalid UTF-8", top + "/utf8", 0)
    write(top + "/nul", b"auto-shebang-probe-dirs=a\0b\n")
    asked("a NUL in a value", top + "/nul", 2)
    write(top + "/newlines", b"\n" * 10000000)
    asked("ten million newlines", top + "/newlines", 0)
    os.mkfifo(top + "/fifo")
    asked("a FIFO", top + "/fifo", 126)
    os.symlink("fifo", top + "/tofifo")
    asked("a link to a FIFO", top + "/tofifo", 126)
    for device in ("null", "zero", "full", "tty", "random"):
        asked("/dev/" + device, "/dev/" + device, 126)
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(top + "/socket")
        asked("a socket", top + "/socket", 126)
    asked("a directory", top, 126)
    asked("standard input, a pipe", "/dev/fd/0", 126, stdin=subprocess.PIPE)
    os.symlink("loop2", top + "/loop1")
    os.symlink("loop1", top + "/loop2")
    asked("a circle of links", top + "/loop1", 126)
    asked("a name of 5000 bytes", "x" * 5000, 2)
    asked("a component of 300 bytes", top + "/" + "x" * 300, 126)
    asked("no name at all", "", 127)
    write(top + "/secret", b"x", 0o111)
    if os.geteuid() == 0:
        skip("unreadable script: root reads everything")
    else:
        asked("unreadable script", top + "/secret", 126)


def nasty_directives(top):
    """Values that would run something in a shell, on every key."""
    values = [b"$(touch ran)", b"`touch ran`", b"$(touch${IFS}ran)", b"`touch$IFS'ran'`",
              b";touch$IFS ran", b"|touch", b"&&touch", b">ran", b"$((1+1))",
              b"${X:=ran}", b"${X:-$(touch ran)}", b"\\$(touch)", b"'", b"\"", b"\\",
              b"../../../../../../etc", b"/dev/fd", b"/proc/self/fd", b"/proc/self/root",
              b"~root", b"~/../..", b"%s%n%s", b"\x1b[2J", b"-rf", b"*" * 3000, b":" * 200,
              b"/" * 4000, b"../" * 1300, b"=yes", b"yes\x00no"]
    keys = [b"probe-dirs", b"suffixes", b"follow-symlinks", b"symlink-priority",
            b"trust-env", b"unsafe-expand-probe-dirs"]
    bad = []
    for key in keys:
        for value in values:
            write(top + "/n/x", b"#!/bin/sh\ntouch ran\n# auto-shebang-" + key + b"=" + value +
                  b"\n# auto-shebang-unsafe-expand-probe-dirs=yes\n")
            for mode in ("--resolve", "--check"):
                got = run([mode, "auto-python", "x"], cwd=top + "/n",
                          env={"HOME": top, "IFS": " ", "PATH": "/usr/bin:/bin"})
                if got[0] not in (0, 1, 2, 127) or b"\x1b" in got[2]:
                    bad.append((key, value, got))
    ok(not bad, "directives that try everything: %d of them" % (len(keys) * len(values)),
       *bad[:5])
    ok(not os.path.exists(top + "/n/ran"), "and nothing was run")


# ---- trees ------------------------------------------------------------------

def trees(top):
    """Too deep, too wide, and names that are all too long."""
    interp(top + "/bin/auto-python")
    deep = top + "/deep"
    os.mkdir(deep)
    here = os.open(deep, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    path = os.readlink("/proc/self/fd/%d" % here)
    write(path + "/x", b"x")
    asked("1500 levels", path + "/x", 0)
    write(path + "/wide", b"auto-shebang-probe-dirs=" + b":".join(b"%d" % i for i in range(64)) +
          b"\nauto-shebang-suffixes=" + b":".join(b"%d" % i for i in range(64)))
    asked("six million candidates", path + "/wide", 2)
    for _ in range(3000):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    script = os.open("x", os.O_CREAT | os.O_WRONLY, 0o755, dir_fd=here)
    os.close(script)
    got = run(["--resolve", "auto-python", "x"], preexec_fn=lambda: os.fchdir(here))
    ok(got[0] == 126, "a directory whose path is longer than paths may be", got)
    os.close(here)
    gone = top + "/gone"
    os.mkdir(gone)
    write(gone + "/x", b"x")
    here = os.open(gone, os.O_RDONLY)
    kept = os.open(gone + "/x", os.O_RDONLY)
    os.unlink(gone + "/x")
    os.rmdir(gone)
    got = run(["--resolve", "auto-python", "x"], preexec_fn=lambda: os.fchdir(here))
    ok(got[0] == 127, "a directory that was removed", got)
    got = run(["--resolve", "auto-python", "/proc/self/fd/%d" % kept], pass_fds=(kept,))
    ok(got[0] == 127, "a script that was removed, by its descriptor", got)
    os.close(here)
    os.close(kept)


def circle(top):
    """Interpreters that are scripts, each the next one's interpreter."""
    alias = top + "/alias/auto-python"
    os.mkdir(top + "/alias")
    os.symlink(PROGRAM, alias)
    ring = [top + "/auto-python", top + "/bin/auto-python"]
    for path in ring:
        write(path, b"#!" + os.fsencode(alias) + b"\n")
    write(top + "/a/x", b"x")
    got = run(["auto-python", top + "/a/x", "word"])
    ok(got[0] == 126 and b"leads back to itself" in got[2],
       "two scripts that are each other's interpreter come to an end", got)
    interp(ring[1])
    got = run(["auto-python", top + "/a/x", "word"])
    want = " ".join(["PY", ring[0], top + "/a/x", "word\n"])
    ok(got == (0, want.encode(), b""), "a script that has another interpreter", got)
    os.unlink(ring[0])
    given = [top + "/a/x"] + [ring[1]] * 100
    got = run(["auto-python"] + given)
    ok(got == (0, " ".join(["PY"] + given).encode() + b"\n", b""),
       "the interpreter's own path a hundred times is no circle", got)


# ---- callers ----------------------------------------------------------------

def named(name, *arguments, **more):
    """Called with any argv[0]."""
    done = subprocess.run([name] + list(arguments), executable=PROGRAM, env={},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=LIMIT, **more)
    return done.returncode, done.stdout, done.stderr


def callers(top):
    interp(top + "/bin/auto-python")
    interp(top + "/bin/-sh")
    write(top + "/x", b"x")
    script = top + "/x"
    for name, want in (("", 2), ("/", 2), (".", 2), ("..", 2), ("a/..", 2), ("auto-shebang/", 2),
                       ("x" * 300, 2), ("auto-shebang-1", 127), ("AUTO-SHEBANG", 127)):
        got = named(name, script)
        ok(got[0] == want, "called as %r: %d" % (name[:20], want), got)
    got = named("-sh", script)
    ok(got == (0, b"PY %s\n" % script.encode(), b""), "called as -sh", got)
    got = named("/some/where/auto-python", script, "1")
    ok(got[1] == b"PY %s 1\n" % script.encode(), "only the last component of argv[0] counts", got)

    def close_all():
        os.closerange(0, 3)
    read, put = os.pipe()
    os.symlink(shutil.which("touch", path="/usr/bin:/bin"), top + "/bin/auto-touch")
    done = subprocess.run(["auto-touch", script, top + "/touched"], executable=PROGRAM, env={},
                          preexec_fn=close_all, timeout=LIMIT)
    os.close(read)
    os.close(put)
    ok(done.returncode == 0 and os.path.exists(top + "/touched"),
       "runs with descriptors 0, 1 and 2 closed", done)
    done = subprocess.run([PROGRAM, "--resolve", "auto-python", script], env={},
                          preexec_fn=close_all, timeout=LIMIT)
    ok(done.returncode == 2, "an answer with nowhere to go is an error", done)

    os.symlink(shutil.which("true", path="/usr/bin:/bin"), top + "/bin/auto-true")
    # The dynamic loader needs one descriptor itself.
    for limit in range(3 if is_static() else 4, 9):
        got = run(["--resolve", "auto-true", script], preexec_fn=lambda n=limit:
                  resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)))
        ok(got[0] in (0, 126), "%d descriptors: found, or an error, never 'not there'" % limit, got)
    got = named("auto-python", script, *["a" * 1000] * 500)
    ok(got[0] == 0 and len(got[1]) > 500000, "half a megabyte of arguments", got[0], len(got[1]))
    got = run(["--resolve", "auto-python", script],
              env={"X%d" % i: "y" * 1000 for i in range(1000)})
    ok(got[0] == 0, "a megabyte of environment", got)
    got = run(["--resolve", "auto-python", script], env={"AUTO_SHEBANG_PROBE_DIRS": "x" * 100000})
    ok(got[0] == 2, "a variable of 100000 bytes", got)
    signals(top, script)


def signals(top, script):
    """What is ignored or blocked stays so, and nothing else."""
    os.symlink("/usr/bin/python3", top + "/bin/auto-signals")
    write(top + "/signals.py", b"import signal\n"
          b"print(signal.getsignal(signal.SIGUSR1), signal.pthread_sigmask(0, []))\n")

    def prepare():
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
    direct = subprocess.run(["/usr/bin/python3", top + "/signals.py"], preexec_fn=prepare,
                            stdout=subprocess.PIPE, timeout=LIMIT, check=False)
    got = named("auto-signals", top + "/signals.py", preexec_fn=prepare)
    ok(got[0] == 0 and got[1] == direct.stdout, "signals arrive as they are", got, direct.stdout)


# ---- races ------------------------------------------------------------------

def swapping(step, stop):
    def body():
        while not stop.is_set():
            step()
    thread = threading.Thread(target=body)
    thread.start()
    return thread


def race(top, name, step, good):
    """Run while something changes all the time; good judges each answer."""
    stop = threading.Event()
    thread = swapping(step, stop)
    bad = []
    try:
        for _ in range(150):
            got = named("auto-python", top + "/s/x")
            if not good(got):
                bad.append(got)
    finally:
        stop.set()
        thread.join()
    ok(not bad, "race: " + name, *bad[:3])


def races(top):
    where = top + "/bin/auto-python"
    interp(top + "/one", "ONE")
    interp(top + "/two", "TWO")
    write(top + "/s/x", b"x")
    os.mkdir(top + "/bin")
    os.symlink(top + "/one", where)
    script = (top + "/s/x").encode()

    def put(target):
        os.symlink(target, top + "/new")
        os.rename(top + "/new", where)

    def both():
        put(top + "/two")
        put(top + "/one")
    fine = {b"ONE " + script + b"\n", b"TWO " + script + b"\n"}
    race(top, "one interpreter replaces another", both,
         lambda got: got[1] in fine and got[0] == 0 or
         (got[0] == 126 and b"was replaced" in got[2]))

    # A program has no window at all; a script's own interpreter opens it
    # again, so from here on it is a program.
    shutil.copy("/bin/echo", top + "/three")
    put(top + "/three")
    fine.add(script + b"\n")

    def itself():
        put(PROGRAM)
        put(top + "/three")
    race(top, "an interpreter and auto-shebang itself", itself,
         lambda got: got[1] in fine or got[0] in (126, 127) and got[2] != b"")

    os.mkfifo(top + "/fifo", 0o755)

    def waiting():
        put(top + "/fifo")
        put(top + "/three")
    race(top, "an interpreter and a FIFO", waiting,
         lambda got: got[1] in fine or got[0] in (126, 127) and got[2] != b"")

    def moved():
        os.rename(top + "/s", top + "/t")
        os.rename(top + "/t", top + "/s")
    race(top, "the script's directory is moved", moved,
         lambda got: got[1] in fine or got[0] in (126, 127) and got[2] != b"")

    write(top + "/s/real", b"# auto-shebang-follow-symlinks=yes\n")
    write(top + "/s/other", b"# auto-shebang-follow-symlinks=yes\n")

    def relink():
        for target in ("real", "other"):
            os.symlink(target, top + "/s/new")
            os.rename(top + "/s/new", top + "/s/x")
    race(top, "the script's link is turned", relink,
         lambda got: got[1] in fine or got[0] == 126 and b"changed while" in got[2])


def exchanged(top, strace, original, call, held):
    """Run while the interpreter is replaced: as soon as auto-shebang is in
    the given system call upon it, which is held up until that is done."""
    where = top + "/bin/auto-python"
    os.makedirs(top + "/bin")
    shutil.copy(original, where)
    write(top + "/x", b"x")
    write(top + "/evil", b"#!/bin/sh\necho EVIL\n")
    traced = subprocess.Popen(
        [strace, "-f", "-o", top + "/trace", "-e",
         "inject=%s:%s=1000000" % (call, held), PROGRAM, "auto-python", top + "/x"],
        env={"ASAN_OPTIONS": "detect_leaks=0"}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    fd = os.open(where, os.O_PATH)
    try:
        while not waits_in(traced.pid, call, fd) and traced.poll() is None:
            pass
        os.rename(top + "/evil", where)
        out, err = traced.communicate(timeout=LIMIT)
    finally:
        os.close(fd)
        if traced.poll() is None:
            traced.kill()
            traced.wait()
    return traced.returncode, out, err


def checked_is_run(top):
    """The file is replaced between the check and the start: a program that
    was checked runs all the same, a script is not run."""
    strace = shutil.which("strace", path="/usr/bin:/bin")
    probe = strace and subprocess.run(
        [strace, "-o", "/dev/null", "/bin/true"], env={}, check=False,
        stderr=subprocess.DEVNULL, timeout=LIMIT)
    if strace is None or probe.returncode != 0:
        skip("checked is run: strace is not there, or may not trace")
        return
    got = exchanged(top + "/p", strace, "/bin/echo",
                    "execveat", "delay_enter")
    ok(got[1] == (top + "/p/x\n").encode(), "a program: what was checked is what runs", got)
    interp(top + "/script")
    got = exchanged(top + "/s", strace, top + "/script",
                    "pread64", "delay_exit")
    ok(got[0] == 126 and b"was replaced between" in got[2] and got[1] == b"",
       "a script: what was not checked does not run", got)


# Their numbers stand in asm/unistd.h; on x86_64 they are its own, elsewhere
# those of asm-generic.
CALLS = {"pread64": 17, "execveat": 322} if os.uname().machine == "x86_64" \
    else {"pread64": 67, "execveat": 281}


def waits_in(tracer, call, fd):
    """A child of tracer is in the system call, with the file of fd as its
    first argument.  That it has the file open is not enough: it opens it to
    look for it, closes it, and opens it again to check it."""
    want = os.fstat(fd)
    try:
        with open("/proc/%d/task/%d/children" % (tracer, tracer),
                  encoding="ascii") as f:
            children = f.read().split()
        for child in children:
            with open("/proc/%s/syscall" % child, encoding="ascii") as f:
                words = f.read().split()
            if words[0] != str(CALLS[call]):
                continue
            got = os.stat("/proc/%s/fd/%d" % (child, int(words[1], 16)))
            if (got.st_dev, got.st_ino) == (want.st_dev, want.st_ino):
                return True
    except (OSError, ValueError):
        pass
    return False


# ---- where things are missing -----------------------------------------------

def unreadable_program(top):
    """Executable without being readable: started all the same."""
    if os.geteuid() == 0:
        skip("unreadable program: root reads everything")
        return
    os.mkdir(top + "/bin")
    shutil.copy("/bin/echo", top + "/bin/auto-python")
    os.chmod(top + "/bin/auto-python", 0o111)
    write(top + "/x", b"x")
    got = run(["auto-python", top + "/x"])
    ok(got == (0, (top + "/x\n").encode(), b""), "a program that can't be read is run", got)


def is_static():
    with open(PROGRAM, "rb") as f:
        return b"/ld-linux" not in f.read() and b"/ld-musl" not in f.read()


def no_proc(top):
    """A root without /proc, /dev or anything else."""
    if os.geteuid() != 0 or not is_static():
        skip("without /proc: needs root and a static auto-shebang")
        return
    shutil.copy(PROGRAM, top + "/auto-shebang")
    os.makedirs(top + "/p/bin")
    os.makedirs(top + "/l")
    shutil.copy(PROGRAM, top + "/p/s")
    shutil.copy(PROGRAM, top + "/p/bin/auto-python")
    write(top + "/p/x", b"x")
    os.symlink("../p/x", top + "/l/x")
    write(top + "/bin/auto-python", b"\x7fELF")
    inside = {"cwd": "/", "preexec_fn": lambda: (os.chroot(top), os.chdir("/p"))}
    got = run(["--resolve", "auto-python", "x"], program="/auto-shebang", **inside)
    ok(got == (0, b"/bin/auto-python\n", b""), "without /proc: found, a copy passed over", got)
    got = run(["--resolve", "auto-python", "../l/x"], program="/auto-shebang",
              env={"AUTO_SHEBANG_FOLLOW_SYMLINKS": "1"}, **inside)
    ok(got == (0, b"/bin/auto-python\n", b""), "without /proc: follows links", got)
    got = run(["--resolve", "auto-python", "x"], program="/auto-shebang",
              env={"AUTO_SHEBANG_OVERRIDE_EXE": "../auto-shebang"}, **inside)
    ok(got[0] == 126 and b"auto-shebang itself" in got[2], "without /proc: knows itself", got)
    os.symlink("/auto-shebang", top + "/p/auto-python")
    got = run(["link", "/l", "auto-ruby"], program="/auto-shebang", **inside)
    ok(got[0] == 0 and os.readlink(top + "/l/auto-ruby") == "/auto-shebang",
       "without /proc: link", got)


def mount(source, target, kind, options):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source, target, kind, ctypes.c_ulong(0), options) != 0:
        raise OSError(ctypes.get_errno(), "mount")


def automount_child(top):
    """In a mount namespace of its own: an automounter's directory, with the
    test as the daemon that would be asked."""
    os.setpgid(0, 0)
    read, put = os.pipe()
    os.mkdir(top + "/home")
    try:
        mount(b"test", (top + "/home").encode(), b"autofs",
              b"fd=%d,pgrp=%d,minproto=5,maxproto=5,indirect" % (put, os.getpgrp()))
    except OSError:
        skip("automounter: cannot mount autofs here")
        return
    os.mkdir(top + "/home/u")
    mount(b"none", (top + "/home/u").encode(), b"tmpfs", b"")
    write(top + "/home/u/s/x", b"x")
    interp(top + "/bin/auto-python")
    elsewhere = {"start_new_session": True}
    got = run(["--resolve", "auto-python", top + "/home/u/s/x"], **elsewhere)
    asked_daemon = bool(select.select([read], [], [], 0)[0])
    ok(got[0] == 0 and got[1] == (top + "/bin/auto-python\n").encode(),
       "automounter: the walk crosses its directory", got)
    ok(not asked_daemon, "automounter: its daemon is asked nothing")
    got = run(["doctor", "--name", "auto-python", top + "/home/u/s/x"], **elsewhere)
    ok(b"home: skipped, is the automounter's" in got[1], "automounter: doctor tells", got)
    # The same question by stat(1) does reach the daemon: the test can fail.
    plain = subprocess.Popen(["/usr/bin/stat", top + "/home/bin"], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, **elsewhere)
    ok(bool(select.select([read], [], [], LIMIT)[0]), "automounter: stat asks the daemon")
    plain.kill()
    plain.wait()


def automounter(top):
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/filesystems", encoding="ascii") as f:
        known = "\tautofs\n" in f.read()
    if os.geteuid() != 0 or not known:
        skip("automounter: needs root and a kernel with autofs")
        return
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        global count, failed
        failed = 0
        status = 99
        try:
            private = 1 << 18 | 1 << 14
            if libc.unshare(0x20000) != 0 or libc.mount(
                    b"none", b"/", None, ctypes.c_ulong(private), None) != 0:
                skip("automounter: no mount namespace here")
            else:
                automount_child(top)
            status = count * 2 + (1 if failed else 0)
        finally:
            sys.stdout.flush()
            os._exit(os.WEXITSTATUS(0) if status == 99 else write_back(top, status))
    os.waitpid(child, 0)
    take_back(top)


def write_back(top, status):
    with open(top + "/status", "w", encoding="ascii") as f:
        f.write(str(status))
    return 0


def take_back(top):
    global count, failed
    try:
        with open(top + "/status", encoding="ascii") as f:
            status = int(f.read())
    except OSError:
        ok(False, "automounter: the test itself ended early")
        return
    failed += status % 2
    count = status // 2


def main():
    shebang_env.aliases()
    room = shebang_env.directory("aegsh-hostile-")
    for number, part in enumerate((
            scripts, nasty_directives, trees, circle, callers, races,
            checked_is_run, unreadable_program, no_proc, automounter)):
        top = "%s/%d" % (room, number)
        os.mkdir(top)
        part(top)
    print("1..%d" % count)
    return 1 if failed else 0


sys.exit(main())
