# SPDX-License-Identifier: ISC
"""Worlds in which something is missing: each has an outcome that is known
beforehand, a way in for root and a way out for everybody."""

import itertools
import os
import re
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
HOME = env["HOME"]
AEGSH = program("aegsh")
PROMPT = "READY> "
CONF = os.path.join(root, "etc", "aegsh.conf")
ROOT = os.getuid() == 0


def conf(text):
    with open(CONF, "w") as f:
        f.write('prompt = "%s"\n%s\n' % (PROMPT, text))


def start(argv=None, prompt=PROMPT, **kw):
    s = Session(argv or [AEGSH], env=kw.pop("env", env),
                cwd=kw.pop("cwd", HOME), **kw)
    s.expect(prompt)
    return s


def run(*argv, **kw):
    kw.setdefault("env", env)
    kw.setdefault("cwd", HOME)
    kw.setdefault("timeout", 60)
    return subprocess.run([AEGSH, *argv], capture_output=True, **kw)


def closed_descriptors():
    for shut in itertools.product((False, True), repeat=3):
        def close(shut=shut):
            for fd, is_shut in enumerate(shut):
                if is_shut:
                    os.close(fd)
        name = "descriptors %s are closed" % (
            "".join(str(i) for i in range(3) if shut[i]) or "of none")
        r = run("-c", "echo out; echo err >&2; read x; exit 3",
                stdin=subprocess.DEVNULL, preexec_fn=close)
        tap.same((r.returncode, r.stdout, r.stderr),
                 (3, b"" if shut[1] else b"out\n",
                  b"" if shut[2] else b"err\n"), name)
        # Nothing of ours may land in a file that takes a free number.
        r = run("-c", "ls /proc/self/fd", preexec_fn=close,
                stdin=subprocess.DEVNULL)
        if not shut[1]:
            tap.same(r.stdout.split(), [b"0", b"1", b"2", b"3"],
                     name + ": commands have just 0, 1 and 2")


def environments():
    bare = {k: v for k, v in env.items() if k.startswith("AEGSH_TEST")}
    r = run("-c", "echo $SHLVL; cd; echo $?; echo \"$PWD\"", env=bare)
    tap.same(r.stdout.decode(), "1\n1\n%s\n" % HOME, "an empty environment")
    tap.ok(b"HOME not set" in r.stderr, "cd says what bash says", r.stderr)
    s = start(env=bare)
    tap.same(s.run("echo on", PROMPT), "on\n", "has a prompt, too")
    s.line("exit 4")
    tap.same(os.waitstatus_to_exitcode(s.wait()), 4, "and a way out")
    s.close()
    big = dict(env, **{"BIG%d" % i: "x" * 100000 for i in range(40)})
    wide = resource.getrlimit(resource.RLIMIT_STACK)[1]
    r = run("-c", "echo ${#BIG0}; /bin/true; echo $?", env=big,
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_STACK, (64 << 20, wide)))
    tap.same(r.stdout, b"100000\n0\n", "4 MB of environment: lines run")
    tap.ok(re.search(rb"BIG\d+ is not passed on.*\n.*\n.*\naegsh: so are \d+ "
                     rb"more", r.stderr), "what is left out is named",
           r.stderr[:400])


def homes():
    gone = os.path.join(root, "gone")
    e = dict(env, HOME=gone)
    s = start(env=e, cwd="/")
    tap.same(s.run("echo on", PROMPT), "on\n", "a home that is missing")
    out = s.run("cd", PROMPT)
    tap.ok(out and "No such file" in out, "cd says so", out)
    s.line("exit")
    tap.same(os.waitstatus_to_exitcode(s.wait()), 1, "exit leaves")
    s.close()
    os.chmod(HOME, 0o555)
    s = start()
    tap.same(s.run("echo on; cd /usr", PROMPT), "on\n",
             "a home that cannot be written")
    tap.same(s.run("pwd", PROMPT), "/usr\n", "keeps nothing from living on")
    s.send("\x04")
    s.wait()
    s.close()
    os.chmod(HOME, 0o755)
    place_of = os.path.join(HOME, "cwd")
    os.mkdir(place_of)
    r = subprocess.run(["sh", "-c", "cd '%s' && rmdir '%s' && '%s' -c 'echo "
                        "on; cd / && pwd'" % (place_of, place_of, AEGSH)],
                       env=env, capture_output=True)
    tap.ok(r.stdout == b"on\n/\n", "a directory that was removed before", r)


def no_terminal():
    r = subprocess.run(["setsid", "-w", AEGSH, "-i"], env=env, cwd=HOME,
                       input=b"echo from $((1+1))\nexit 5\n",
                       capture_output=True, timeout=60)
    tap.ok(r.returncode == 5 and b"from 2\n" in r.stdout and
           b"\033" not in r.stdout + r.stderr,
           "-i without a terminal reads its input, and moves no cursor", r)
    r = subprocess.run(["setsid", "-w", AEGSH, "-i"], env=env, cwd=HOME,
                       stdin=subprocess.DEVNULL, capture_output=True,
                       timeout=60)
    tap.same(r.returncode, 0, "and ends with it")
    r = subprocess.run(["setsid", "-w", AEGSH, "-c",
                        "eval \"$(cat /dev/null)\""], env=env, cwd=HOME,
                       capture_output=True, timeout=60)
    tap.ok(r.returncode == 126 and b"nobody is here to be asked" in r.stderr,
           "what needs an answer is refused", r)
    s = start(env=dict(env, TERM="dumb"))
    tap.same(s.run("echo on", PROMPT), "on\n", "a dumb terminal")
    s.send("\x04")
    s.wait()
    s.close()
    s = start(env={k: v for k, v in env.items() if k != "TERM"})
    out = s.run("echo on", PROMPT)
    tap.ok(out and out.endswith("on\n"), "none named", out)
    s.send("\x04")
    s.wait()
    s.close()


def limits():
    def few(n):
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))
    r = run("-c", "echo on", preexec_fn=few(64))
    tap.same(r.stdout, b"on\n", "64 files: a line runs")
    r = run("-c", "echo on", preexec_fn=few(12))
    tap.ok(r.returncode == 111 and r.stderr.count(b"\n") == 1 and
           b"Too many open files" in r.stderr,
           "12 files: 111, in one line that says why", r)
    r = run("-c", "echo on", preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_FSIZE, (0, 0)))
    tap.ok(r.stdout == b"on\n" and b"not recorded" in r.stderr,
           "no file may grow: it runs, and is not recorded", r)


def settings():
    conf("nonsense = 1")
    r = run("-c", "echo on")
    tap.ok(r.returncode == 111 and b"nonsense" in r.stderr and
           r.stdout == b"", "broken settings: nothing runs by -c", r)
    s = start([AEGSH, "-l"], prompt=r"RESCUE .*[#$] ")
    # In a test whoever runs it is the operator.
    s.line("touch in-rescue && echo res''cued")
    if s.expect(r"rescued\r\n|Run it\? \[y/N/e/\?\] ").group(0) != b"rescued\r\n":
        s.line("y")
        s.expect(r"rescued\r\n")
    tap.ok(os.path.exists(os.path.join(HOME, "in-rescue")),
           "the operator gets in and can work", s.seen)
    s.expect(r"RESCUE .*[#$] ")
    s.line("exit 6")
    tap.same(os.waitstatus_to_exitcode(s.wait()), 6, "and exit leaves")
    s.close()
    conf("")


def removed():
    copy = os.path.join(root, "aegsh")
    shutil.copy(AEGSH, copy)
    s = start([copy])
    os.unlink(copy)
    tap.same(s.run("echo on; cd /usr", PROMPT), "on\n",
             "aegsh removed under a session: lines run")
    tap.same(s.run("pwd", PROMPT), "/usr\n", "and live on")
    s.run("kill -9 $(pgrep -P %d -n aegsh) 2>/dev/null; true" % s.pid, PROMPT)
    tap.same(s.run("echo still", PROMPT), "still\n",
             "also when its launcher has to be started anew")
    s.send("\x04")
    tap.same(os.waitstatus_to_exitcode(s.wait()), 0, "and it ends well")
    s.close()


def full_disk():
    """The store on a file system of its own that is full."""
    if not ROOT or subprocess.run(["unshare", "-m", "true"],
                                  capture_output=True).returncode != 0:
        tap.skip("a full disk", "needs root and a mount namespace")
        return
    own = os.path.join(root, "own")
    script = (
        "mount -t tmpfs -o size=64k,mode=1777 none '%s' || exit 99\n"
        "head -c 65536 /dev/zero >'%s/fill' 2>/dev/null\n"
        "'%s' -c 'echo on'; echo \"= $?\"\n"
        "printf 'echo from\\n' | '%s'; echo \"= $?\"\n" %
        (own, own, AEGSH, AEGSH))
    r = subprocess.run(["unshare", "-m", "sh", "-c", script], env=env,
                       cwd=HOME, capture_output=True)
    tap.same(r.stdout, b"on\n= 0\nfrom\n= 0\n", "a full disk: lines run")
    tap.ok(r.stderr.count(b"not recorded") == 2, "not recorded, as is said",
           r.stderr)
    script = script.replace("mount -t", "printf 'mode = managed\\n' "
                            ">'%s'; mount -t" % CONF)
    r = subprocess.run(["unshare", "-m", "sh", "-c", script], env=dict(
        env, AEGSH_TEST_OPERATOR="0"), cwd=HOME, capture_output=True)
    tap.ok(b"on\n= 0\n" in r.stdout, "managed: root can repair it", r)
    conf("")


def at_a_prompt():
    """A store that takes nothing: whose lines run, and the way out."""
    if not ROOT or subprocess.run(["unshare", "-m", "true"],
                                  capture_output=True).returncode != 0:
        tap.skip("a store that takes nothing, at a prompt",
                 "needs root and a mount namespace")
        return
    own = os.path.join(root, "own")
    os.chmod(own, 0o1777)
    worlds = {
        "a full disk": "mount -t tmpfs -o size=64k,mode=1777 none '%s' && "
        "{ head -c 65536 /dev/zero >'%s/fill' 2>/dev/null; :; } && " %
        (own, own),
        "a store that is read-only":
        "mount -t tmpfs -o ro,mode=1777 none '%s' && " % own,
    }
    for name, before in worlds.items():
        for mode in ("personal", "managed"):
            conf("" if mode == "personal" else "mode = managed")
            for who, ids in (("root", ""), ("a user", "setpriv --reuid 4242 "
                                            "--regid 4242 --clear-groups ")):
                what = "%s, %s, %s" % (name, mode, who)
                s = start(["unshare", "-m", "sh", "-c", "%sexec %s'%s' -l" %
                           (before, ids, AEGSH)],
                          env=dict(env, AEGSH_TEST_OPERATOR="0"), cwd="/")
                runs = mode == "personal" or who == "root"
                s.line("echo $((40+2))")
                tap.ok(s.expect("\n42\r" if runs else
                                "not run: it cannot be recorded"),
                       "%s: a line %s" % (what, "runs" if runs else
                                          "does not run"), s.seen)
                s.expect(PROMPT)
                s.line("cd /usr")
                s.expect(PROMPT)
                s.line("exit 3")
                tap.same(os.waitstatus_to_exitcode(s.wait()), 3,
                         what + ": and there is a way out")
                tap.ok(b"lines are not recorded: " in s.seen,
                       what + ": which is told", s.seen)
                s.close()
    conf("")


conf("")
closed_descriptors()
environments()
homes()
no_terminal()
limits()
settings()
removed()
full_disk()
at_a_prompt()
tap.done()
