# SPDX-License-Identifier: ISC
"""A line under its supervisor, on the running kernel: the judged script runs
from its judged bytes or the line dies, whoever swaps it and however; and what
becomes of the line when its supervisor or aegsh is lost.

As root the lines run as a uid that nobody has."""
import os
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from exec_rig import Root, unused_uid  # noqa: E402
from procs import DEADLINE, alive, children, until  # noqa: E402
from supervise_probe import why_not  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root = Root(unused_uid() if os.getuid() == 0 else None)
HOME = root.home
os.makedirs(root.path("etc/sandbox.d"))
for profile in ("admin", "root"):
    root.write("etc/sandbox.d/%s.conf" % profile,
               'read += {"%s", "%s", "%s"}\nexecute += {"%s"}\n' % (
                   root.path("etc"), root.path("share"), root.execrun,
                   root.execrun))
GOOD = "#!/bin/sh\necho good $0 $1\n"
EVIL = "touch %s/evil\n" % HOME


def mine(path, mode=0o755):
    os.chmod(path, mode)
    os.chown(path, root.uid, -1)
    return path


def fresh():
    shutil.rmtree(HOME)
    os.mkdir(HOME)
    os.mkdir(HOME + "/d")
    os.mkdir(HOME + "/e")
    for name, text in (
            ("x", GOOD), ("d/x", GOOD), ("e/x", "#!/bin/sh\n" + EVIL),
            ("shut", "import ctypes, os\n"
             "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\n"
             "print('shut', flush=True)\nopen('x').read()\n"
             "import openat2\nassert openat2.openat2('x') > 0\n"
             "if os.fork() == 0:\n    open('x').read()\n    os._exit(0)\n"
             "os.wait()\n"),
            ("openat2.py",
             "import ctypes, os, struct\n"
             "def openat2(name, flags=0, resolve=0, size=24, at=None):\n"
             "    how = struct.pack('QQQ', flags, 0, resolve)\n"
             "    fd = ctypes.CDLL(None, use_errno=True).syscall(437, -100,\n"
             "        name.encode(), how if at is None else at, size)\n"
             "    return fd if fd >= 0 else -ctypes.get_errno()\n"),
            ("asks", "import errno, os\nfrom openat2 import openat2\n"
             "fd = openat2('x')\n"
             "print(os.read(fd, 99).decode().startswith('#!/bin/sh'),\n"
             "      os.readlink('/proc/self/fd/%d' % fd).startswith('/memfd:'))\n"
             "print(openat2('x', at=8) == -errno.EFAULT,\n"
             "      openat2('x', size=8) == -errno.EINVAL,\n"
             "      openat2('x', resolve=1 << 40) == -errno.EINVAL,\n"
             "      openat2('y') == -errno.ENOENT)\n"
             "os.chdir('inside')\n"
             "fd = openat2(os.environ['HOME'] + '/x', resolve=0x10)\n"
             "print(os.read(fd, 99))\n"),
            # Its own child goes on alone, unknown to everybody.
            ("left", "import os, signal, sys\nr, w = os.pipe()\n"
             "mid = os.fork()\nif mid == 0:\n"
             "    pid = os.fork()\n    if pid == 0:\n        os.setsid()\n"
             "        os.write(w, b'%d' % os.getpid())\n"
             "    signal.pause()\n"
             "pid = os.read(r, 9)\nos.kill(mid, signal.SIGKILL)\n"
             "os.waitpid(mid, 0)\nopen('late', 'wb').write(pid)\n"
             "os.rename('late', 'up')\nsignal.pause()\n"),
            ("p", "print('good', __file__)\n"), ("m", "all:;@echo good\n"),
            ("plain", "echo good $0\n"), ("hidden", "echo never\n"),
            ("shebang", "#!/usr/bin/env -S touch evil\n"),
            ("bad", "#!/bin/sh\n" + EVIL), ("evil.c", "")):
        mine(root.write(HOME + "/" + name, text))
    shutil.copy("/usr/bin/touch", mine(HOME + "/evil.c"))
    os.symlink("d", HOME + "/link")
    inside = HOME + "/inside" + HOME
    os.makedirs(inside)
    root.write(inside + "/x", "another")
    for name in ("", "/d", "/e"):
        os.chown(HOME + name, root.uid, -1)


def argv(lines, scripts=("x",), options=()):
    out = [root.execrun, "-q"] + list(options)
    for s in scripts:
        out += ["-S", s]
    for line in lines:
        out += ["-c", line]
    return out


def run(*lines, scripts=("x",), options=()):
    """(status, stdout, stderr)"""
    p = root.popen(argv(lines, scripts, options), stdin=subprocess.DEVNULL,
                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = p.communicate(timeout=DEADLINE)
    return p.returncode, out, err


def gone_evil():
    try:
        os.unlink(HOME + "/evil")
        return False
    except FileNotFoundError:
        return True


why = why_not(root.uid)
if why is not None:
    tap.skip("everything", why)
    tap.done()
fresh()
status, out, err = run("true")
tap.ok(status == 0 and err == "", "a supervisor starts", err)

# ---- as without a supervisor --------------------------------------------
ALL = ("x", "p", "m", "plain", "d/x")
for options in ((), ("-l",)):
    how = "launcher" if options else "direct"
    for line, want in (
            ("./x 1", "good ./x 1\n"), ("sh x 2", "good x 2\n"),
            (". ./x", "good aegsh\n"), ("cat x | sh", "good sh\n"),
            ("sh <x", "good sh\n"), ("./plain", "good ./plain\n"),
            ("/usr/bin/python3 p", "good %s/p\n" % HOME),
            ("make -f m", "good\n"), ("link/x", "good link/x\n"),
            ("cd d && ../x", "good ../x\n"), ("cd link; sh x", "good x\n"),
            ("env ./x", "good ./x\n"),
            ("cp x y && cmp x y && stat -c %a y", "755\n"),
            ("rm x; sh x 2>/dev/null; echo $?", "2\n"),
            ("f() { sh x; }; f; f", "good x\ngood x\n"),
            ("for i in 1 2 3 4 5; do sh x $i & done; wait", None),
            ("ulimit -n 12; sh x", "good x\n"),
            ("/usr/bin/python3 shut; sh x", "shut\ngood x\n"),
            ("/usr/bin/python3 asks", "True True\nTrue True True True\n"
             "b'another'\n"),
            ("head -c 5 x", "#!/bi"), ("tail -c 3 x", "$1\n")):
        if line == "make -f m" and not shutil.which("make"):
            tap.skip("%s: %s" % (how, line), "no make")
            continue
        fresh()
        status, out, err = run(line, scripts=ALL, options=options)
        out = out.replace(" \n", "\n")
        if want is None:
            tap.ok(out.count("good") == 5, "%s: %s" % (how, line), out + err)
        else:
            tap.ok(out == want and "killed" not in err,
                   "%s: %s" % (how, line), "%r %r" % (out, err))

# ---- swapped while the line runs ----------------------------------------
SWAPS = {
    "replaced": "cat bad >n; chmod 755 n; mv n x",
    "changed in place": "cat bad >x",
    "another first line": "cat shebang >x",
    "a program": "cp evil.c n; mv n x",
    "a link": "ln -sf e/x x",
    "longer": "echo '%s' >>x" % EVIL.strip(),
}
for options in ((), ("-l",)):
    how = "launcher" if options else "direct"
    for what, swap in SWAPS.items():
        for start in ("./x evil", "sh x", ". ./x", "sh <x", "cat x | sh"):
            fresh()
            status, out, err = run("%s; %s; touch late; sleep 100" %
                                   (swap, start), options=options)
            tap.ok(gone_evil() and "changed after it was judged" in err and
                   status == -signal.SIGKILL and
                   not os.path.exists(HOME + "/late"),
                   "%s: %s: %s kills the line" % (how, what, start),
                   "%r %r %r" % (status, out, err))
    fresh()
    status, out, err = run("ln -sfn e link; link/x", scripts=(HOME + "/link/x",),
                           options=options)
    tap.ok(gone_evil() and "changed after" in err,
           how + ": a link in the path led elsewhere", err)

# ---- what commands may not read is not handed to them --------------------
fresh()
status, out, err = run("sh hidden; echo $?", scripts=("hidden",))
tap.ok("never" not in out and "killed" not in err,
       "a script that commands may not read", out + err)

# ---- as whom a program opens it -------------------------------------------
if os.getuid() != 0 or not shutil.which("setpriv"):
    tap.skip("root's lines: programs with fewer rights", "not root")
else:
    them = root.uid
    root.uid = 0        # the lines are root's from here on
    as_them = "setpriv --reuid %d --regid %d --clear-groups " % (them, them)
    bare = "setpriv --bounding-set -dac_override,-dac_read_search " \
        "--inh-caps -dac_override,-dac_read_search "
    for who, mode, owner, want in (
            (as_them, 0o600, 0, False), (as_them, 0o604, 0, True),
            (as_them, 0o600, them, True), (as_them, 0o204, them, False),
            (bare, 0o600, 0, True), (bare, 0o000, 0, False),
            ("", 0o000, 0, True), ("", 0o600, them, True)):
        fresh()
        os.chmod(HOME, 0o755)
        mine(HOME + "/x", mode)
        os.chown(HOME + "/x", owner, 0)
        status, out, err = run("%scat x; echo $?; sh x after" % who)
        rest = out.replace(GOOD, "")
        name = "root's line: %scat of mode %o, owner %d" % (who, mode, owner)
        tap.ok((GOOD in out) == want and "good x after" in rest and
               "killed" not in err, name, out + err)
        # The kernel's own word, where nobody watches.
        plain = root.popen(["/bin/sh", "-c", "%scat x" % who],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           text=True).communicate(timeout=DEADLINE)[0]
        tap.ok((plain == GOOD) == want, name + ", without a supervisor",
               plain)
    root.uid = them

# ---- somebody outside who swaps as fast as he can -------------------------
SWAPPER = """
import os, sys
good, evil, path, how = open(sys.argv[1], 'rb').read(), \
    open(sys.argv[2], 'rb').read(), sys.argv[3], sys.argv[4]
print('on', flush=True)
while True:
    for text in evil, good:
        try:
            if how == 'rename':
                with open(path + '.n', 'wb') as f:
                    f.write(text)
                os.chmod(path + '.n', 0o755)
                os.rename(path + '.n', path)
            else:
                with open(path, 'r+b') as f:
                    f.write(text)
                    f.truncate()
        except OSError:
            pass
"""
for evil in ("bad", "shebang", "plain-evil", "evil.c"):
    for how in ("rename", "in place"):
        fresh()
        mine(root.write(HOME + "/plain-evil", EVIL))
        shutil.copy(HOME + "/x", HOME + "/good")
        mine(HOME + "/good")
        lines = ["./x evil", "sh x", ". ./x"] * 8
        gate = HOME + "/gate"
        os.mkfifo(gate)
        mine(gate, 0o600)
        runner = root.popen(argv(["cat gate"] + lines, options=("-l",)),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)
        with open(gate, "w"):      # the judged copy is made by now
            swapper = root.popen(
                ["/usr/bin/python3", "-c", SWAPPER, HOME + "/good",
                 HOME + "/" + evil, HOME + "/x", how],
                stdout=subprocess.PIPE)
            swapper.stdout.readline()
        out = runner.communicate(timeout=DEADLINE * 2)[0]
        swapper.kill()
        swapper.communicate()
        tap.ok(gone_evil(), "never what a swapper put there: %s, %s" %
               (evil, how), out)

# ---- programs are told of ------------------------------------------------
fresh()
status, out, err = run("./x; cat </dev/null; (exec -a other true word)",
                       options=("-v",))
seen = [line.split()[1].rsplit("/", 1)[1] for line in err.splitlines()
        if line.startswith("image:")]
tap.ok(seen == ["bash", seen[1], "cat", "true"] and seen[1] in
       ("dash", "sh", "bash"), "each program that started", err)
status, out, err = run("i=0; while [ $i -lt 300 ]; do /bin/true; "
                       "i=$((i + 1)); done", options=("-v",))
tap.ok(err.count("image:") == 301 and status == 0, "300 of them",
       str(err.count("image:")))

# ---- guards ----------------------------------------------------------------
def named(pid, name):
    for child in children(pid):
        try:
            with open("/proc/%d/comm" % child) as f:
                if f.read().strip() == name:
                    return child
        except OSError:
            pass
    return None


def begin(line, options=()):
    fresh()
    p = root.popen(argv([line], options=options), stdin=subprocess.DEVNULL,
                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                   text=True)
    until(lambda: os.path.exists(HOME + "/up"))
    return p, named(p.pid, "aegsh-watch")


BUSY = "(setsid sleep 1000 & echo $! >late; sh -c 'echo $$ >up2'; " \
    "mv up2 up); sleep 1000"
for options in ((), ("-l",)):
    how = "launcher" if options else "direct"
    p, watch = begin(BUSY, options)
    os.kill(watch, signal.SIGKILL)
    out = p.communicate(timeout=DEADLINE)[0]
    tap.ok("its supervisor was killed" in out and
           p.returncode != 0,
           how + ": a supervisor that is killed takes the line along", out)
    with open(HOME + "/late") as f:
        late = int(f.read())
    tap.ok(until(lambda: not alive(late)), how + ": all of it")
    p, watch = begin("python3 left", options)
    with open(HOME + "/up") as f:
        late = int(f.read())
    os.kill(watch, signal.SIGKILL)
    p.communicate(timeout=DEADLINE)
    tap.ok(until(lambda: not alive(late)),
           how + ": one whose parent was killed, too")
    # Its supervisor says no last words, and aegsh sees both dead at once, or
    # has bash's end before.
    for stopped in "aegsh", "bash":
        p, watch = begin("echo $$ >bash; " + BUSY, options)
        with open(HOME + "/late") as f:
            late = int(f.read())
        with open(HOME + "/bash") as f:
            bash = int(f.read())
        os.kill(watch, signal.SIGSTOP)
        os.kill(p.pid if stopped == "aegsh" else bash, signal.SIGSTOP)
        for pid in bash, watch:
            os.kill(pid, signal.SIGKILL)
            until(lambda: not alive(pid))
        os.kill(p.pid, signal.SIGCONT)
        out = p.communicate(timeout=DEADLINE)[0]
        tap.ok("its supervisor was killed" in out and p.returncode != 0,
               "%s: it and bash are killed at once, %s stopped before" % (
                   how, stopped), out)
        tap.ok(until(lambda: not alive(late)), "%s: all of it, %s stopped "
               "before" % (how, stopped))
    p, watch = begin(BUSY, options)
    with open(HOME + "/late") as f:
        late = int(f.read())
    p.kill()
    p.communicate()
    tap.ok(until(lambda: not alive(late) and not alive(watch)),
           how + ": so does aegsh that is killed")
    fresh()
    status, out, err = run("read -r kids </proc/$PPID/task/$PPID/children; "
                           "for p in $kids; do read -r c </proc/$p/comm; "
                           "[ \"$c\" != aegsh-watch ] || "
                           "kill -9 $p || echo no; done 2>/dev/null; ./x",
                           options=options)
    tap.ok("killed" not in err and out.startswith("no\ngood"),
           how + ": commands cannot reach it", out + err)
    fresh()
    status, out, err = run(
        "setsid -f sh -c 'until [ -e go ]; do sleep 0.05; done; "
        "sh x kept >kept2; mv kept2 kept' >/dev/null 2>&1", options=options)
    open(HOME + "/go", "w").close()
    tap.ok(until(lambda: os.path.exists(HOME + "/kept")) and
           open(HOME + "/kept").read() == "good x kept\n",
           how + ": what a line leaves behind is supervised on", err)
tap.done()
