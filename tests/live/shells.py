# SPDX-License-Identifier: ISC
"""descendant-shells = deny: a line has its own bash, and no program of it gets
a shell, under whatever name, by whatever way.

As root the lines run as a uid that nobody has."""
import glob
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from pty_session import Session  # noqa: E402
from tap import Tap  # noqa: E402
from user_rig import (  # noqa: E402
    ENV, HOME, IS_ROOT, UID, install, own, profile, run, settings, write)

tap = Tap()
PROMPT = "READY> "
PYTHON = "/usr/bin/python3"
A, CTL = install("aegsh"), install("aegshctl")
settings('prompt = "%s"' % PROMPT)


# ---- the setting ----------------------------------------------------------
profile("supervise = all", "descendant-shells = allow")
out = run(A, "-c", "sh -c 'echo a shell'")
if out[1] != "a shell\n":
    tap.skip("everything", "no line runs here: " + out[2].strip())
    tap.done()
tap.ok(True, "where it is allowed a shell runs")
profile("descendant-shells = deny")
out = run(A, "-c", "echo on")
tap.ok(out[1] == "" and "descendant-shells = deny needs supervise = all" in
       out[2], "it needs a supervisor", out)
profile("supervise = all", "descendant-shells = never")
out = run(A, "-c", "echo on")
tap.ok(out[1] == "" and "descendant-shells is allow or deny, not 'never'" in
       out[2], "a word that is none", out)
if IS_ROOT:
    profile("supervise = all", "descendant-shells = deny")
    out = run(A, "-c", "echo on", who=None)
    tap.ok(out[1] == "" and "can't be hidden: the profile lets commands "
           "change /" in out[2], "not where a line could change shells", out)
profile("supervise = all", "descendant-shells = deny")
out = run(CTL, "sandbox", "show", "admin")
tap.ok("descendant-shells deny\n" in out[1], "it is shown", out)

# ---- what still works -----------------------------------------------------
write("data", "b\na\n")
for line, want in (
        ("echo on", "on\n"), ("sort data | head -n 1", "a\n"),
        ("(cd /; pwd); x=$(echo sub); echo $x", "/\nsub\n"),
        ("cat <(echo in) <<<x; while read l; do echo $l; done < data",
         "in\nb\na\n"),
        ("find . -name data -exec cat {} +", "b\na\n"),
        ("echo $BASH; type -t cd", "/bin/bash\nbuiltin\n"),
        ("%s -c 'print(6 * 7)'" % PYTHON, "42\n"),
        ("xargs -n 1 echo got < data", "got b\ngot a\n"),
        ("f() { echo $1; }; f a | tr a b & wait", "b\n")):
    tap.same(run(A, "-c", line), (0, want, ""), "works: " + line)

# ---- what does not --------------------------------------------------------
SHELLS = sorted({os.path.realpath(p) for p in
                 ("/bin/sh", "/bin/bash", "/bin/dash", "/bin/busybox",
                  "/bin/zsh", "/bin/mksh", "/bin/ksh", "/bin/tcsh",
                  "/bin/fish", "/bin/yash") if os.path.exists(p)})
for name in ("sh", "bash", "dash", "rbash"):
    if os.path.exists("/bin/" + name):
        out = run(A, "-c", "%s -c 'echo a shell'" % name)
        tap.ok("a shell" not in out[1] and out[0] == 126,
               name + " by its name", out)
# Copies made outside of any line.
COPIES = []
for i, path in enumerate(SHELLS):
    copy = HOME + "/tool%d" % i
    shutil.copy(path, copy)
    os.chmod(copy, 0o755)
    COPIES.append(own(copy))
os.link(HOME + "/tool0", HOME + "/twin")
os.symlink("tool0", HOME + "/link")
loaders = [p for p in glob.glob("/lib64/ld-*.so*") + glob.glob(
    "/lib/ld-*.so*") if os.path.exists(p)]
if loaders:
    shutil.copy(loaders[0], HOME + "/loader")
    os.chmod(own(HOME + "/loader"), 0o755)
write("script", "#!/bin/sh\necho a shell\n", 0o755)
write("script-bash", "#!/usr/bin/env bash\necho a shell\n", 0o755)
write("Makefile", "all:\n\t@echo a shell; :\n")
write("attempts.py", r'''
import ctypes, json, os, shutil, subprocess, sys
with open("ways.json") as f:
    home, loader, copies, shells, vim = json.load(f)
MARK = ["-c", "echo a shell; exit 0"]
parent = "/proc/%d/exe" % os.getppid()


def memfd(path):
    fd = os.memfd_create("x")
    with open(path, "rb") as f:
        os.write(fd, f.read())
    return ["/proc/self/fd/%d" % fd], {"pass_fds": (fd,)}


def copied(path):
    shutil.copy(path, home + "/fresh")
    os.chmod(home + "/fresh", 0o755)
    return [home + "/fresh"], {}


def raw_memfd(path):
    fd = ctypes.CDLL(None, use_errno=True).syscall(319, b"x", 0)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "memfd_create")
    return memfd(path)


def shm(path):
    shutil.copy(path, "/dev/shm/x-%d" % os.getpid())
    return ["/dev/shm/x-%d" % os.getpid()], {}


ways = [("os.system", lambda: (["-"], {})),
    ("popen", lambda: ([], {"shell": True})),
    ("the line's bash again", lambda: ([parent], {})),
    ("a copy of the line's bash", lambda: copied(parent)),
    ("the line's bash by the loader", lambda: ([loader, parent], {})),
    ("a copy by a copied loader", lambda: ([home + "/loader", copies[0]],
        {})),
    ("env -S", lambda: (["/usr/bin/env", "-S", "sh"], {})),
    ("nice", lambda: (["/usr/bin/nice", "sh"], {})),
    ("setsid", lambda: (["/usr/bin/setsid", "-w", "bash"], {})),
    ("a name of its own", lambda: ([home + "/twin"], {})),
    ("a link", lambda: ([home + "/link"], {})),
    ("a script of sh", lambda: (["./script"], {})),
    ("a script of env bash", lambda: (["./script-bash"], {})),
    ("make", lambda: (["/usr/bin/make", "-s"], {})),
    ("vim's :!", lambda: ([vim or "/nonexistent", "-u", "NONE", "-es", "-c",
        "!echo a shell >from-vim", "-c", "q!"], {}))]
for path in shells:
    ways += [("%s: %s" % (path, how), (lambda p, f: lambda: f(p))(path, f))
             for how, f in (
        ("itself", lambda p: ([p], {})),
        ("called otherwise", lambda p: ([p], {"executable": p})),
        ("copied", copied), ("in memory", memfd),
        ("in memory, by number", raw_memfd), ("in shared memory", shm),
        ("by the loader", lambda p: ([loader, p], {})))]
for path in copies:
    ways += [("%s: an older copy" % path, (lambda p: lambda: ([p], {}))(
        path)), ("%s: by the loader" % path, (lambda p: lambda: (
            [loader, p], {}))(path))]
for name, how in ways:
    try:
        argv, more = how()
        if argv == ["-"]:
            out = str(os.system("echo a shell >&2; exit 0"))
            said = "STARTED" if out == "0" else "no: " + out
        elif more.get("shell"):
            p = subprocess.run("echo a shell", capture_output=True, **more)
            said = "STARTED" if b"a shell" in p.stdout else "no"
        else:
            applet = ["sh"] if os.path.basename(argv[-1]).startswith(
                "busybox") else []
            words = argv if "make" in argv[0] or "vi" in argv[0] else \
                argv + applet + MARK
            p = subprocess.run(words, capture_output=True, timeout=60, **more)
            said = "STARTED" if b"a shell" in p.stdout or \
                os.path.exists("from-vim") else "no: %d" % p.returncode
    except OSError as e:
        said = "no: " + (e.strerror or str(e))
    print("%s -> %s" % (name, said), flush=True)
''')
vim = next((p for p in ("/usr/bin/vim", "/usr/bin/vi", "/usr/bin/vim.basic",
                        "/usr/bin/vim.tiny") if os.path.exists(p)), "")
write("ways.json", json.dumps([HOME, loaders[0] if loaders else "", COPIES,
                               SHELLS, vim]))
# Unconfined, they are ways indeed.
out = run("/bin/bash", "-c", "%s attempts.py; :" % PYTHON)
REAL = {r.split(" -> ")[0] for r in out[1].splitlines()
        if r.endswith("STARTED")}
tap.ok(len(REAL) > 10 + 5 * len(SHELLS), "outside they start shells", out)
for name in ("fresh", "from-vim"):
    if os.path.exists(HOME + "/" + name):
        os.unlink(HOME + "/" + name)
out = run(A, "-c", "%s attempts.py; :" % PYTHON)
said = [r for r in out[1].splitlines() if " -> " in r]
tap.ok(len(said) == 15 + 7 * len(SHELLS) + 2 * len(COPIES),
       "every way was tried", out)
for r in said:
    tap.ok("STARTED" not in r, "no shell: " + r)
out = run(A, "-c", "exec bash -c 'echo a shell'; exit")
tap.ok("a shell\n" not in out[1] and out[0] == 126, "no shell: exec bash", out)
events = run(CTL, "audit", "events")[1]
tap.ok("descendant-shells" in events, "what was killed is on record", events)

# ---- in a session, and in a try -------------------------------------------
s = Session([A], env=ENV, cwd=HOME, uid=UID if IS_ROOT else None)
s.expect(PROMPT)
tap.same(s.run("echo $((6 * 7)); export V=kept", PROMPT), "42\n",
         "a session has its bash")
tap.same(s.run("echo $V", PROMPT), "kept\n", "and keeps its state")
text = s.run("sh -c 'echo a shell'", PROMPT)
tap.ok(text and "Permission denied" in text and "a shell\n" not in text,
       "and no other shell", text)
s.send("\x04")
s.wait()
s.close()
out = run(CTL, "try", "echo on; sh -c 'echo a shell'")
if "user namespaces are barred" in out[2]:
    tap.skip("in a try", out[2].strip())
else:
    tap.ok(out[1].startswith("on\n") and "a shell\n" not in out[1] and
           "Permission denied" in out[2], "nor has what is tried", out)
    # What stopped it is told with a name that the line has chosen.
    shutil.copy(os.path.realpath("/bin/sh"), HOME + "/e\033[2Jz")
    own(HOME + "/e\033[2Jz")
    s = Session([A], env=ENV, cwd=HOME, uid=UID if IS_ROOT else None)
    s.expect(PROMPT)
    s.line("eval \"$(cat /dev/null)\"; $'./e\\033[2Jz' -c true; echo x > f")
    tap.ok(s.expect(r"Run it\? \[y/N/t"), "a try is offered", s.seen)
    s.line("t")
    tap.ok(s.expect(r"note: e\^\[\[2Jz was killed before it began") and
           b"\033[2Jz" not in s.seen.split(b"tried, with")[1],
           "its name is inert", s.seen)
    s.close()
tap.done()
