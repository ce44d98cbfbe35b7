# SPDX-License-Identifier: ISC
"""A line has no more time than its profile says, by whatever way it comes;
and what a line leaves behind has no more than that, either."""
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from procs import DEADLINE, alive, until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from supervise_probe import why_not  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
why = why_not()
if why is not None:
    tap.skip("everything", why)
    tap.done()
AEGSH, CTL = program("aegsh"), program("aegshctl")
SAID = "limit-time: more than %d s"


def room(limit, files=()):
    """A place of its own: environment and home."""
    root, env = place()
    os.makedirs(root + "/etc/policy.d")
    os.makedirs(root + "/etc/sandbox.d")
    with open(root + "/etc/policy.d/50-t.conf", "w") as f:
        f.write('profile "t" {\n\tsandbox = "admin"\n\trank = 20\n'
                '\tunknown = allow\n\task_at = 1000\n\tuse = { common }\n'
                '\toverride = { ask.stdin-program }\n}\n'
                "match \"all\" { user = { '*' } profile = t }\n"
                'rule "t" { decision = allow reason = r '
                "command = { '.' } }\n")
    with open(root + "/etc/aegsh.conf", "w") as f:
        f.write('login-timeout = 60000\nprompt = "READY> "\n')
    inner = root + "/aegsh"
    subprocess.run(["cp", AEGSH, inner], check=True)
    for profile in "admin", "root", "login":
        with open(root + "/etc/sandbox.d/%s.conf" % profile, "w") as f:
            f.write('read += {"%s"}\nexecute += {"%s"}\nlimit-time = %d\n' %
                    (root, inner, limit))
    for name, text in files:
        with open(env["HOME"] + "/" + name, "w") as f:
            f.write(text)
    if os.environ.get("SANITIZED"):
        env["ASAN_OPTIONS"] = "detect_leaks=0"
    env["INNER"] = inner
    return env


def popen(env, *argv):
    return subprocess.Popen(
        argv, cwd=env["HOME"], env=env, text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)


# It has 16 s for a line.  After 13 at least in which there is none comes one of
# 4: together more, and that one far from it.
idle = popen(room(16), AEGSH, "-s")
idle.stdin.write("echo one\n")
idle.stdin.flush()
tap.same(idle.stdout.readline(), "one\n", "a first line on standard input")
idle_since = time.monotonic()

env = room(1, (("file", "echo begun\nsleep 1000\necho on\n"),))
forced = dict(env, SSH_ORIGINAL_COMMAND="sleep 1000; echo on")
ways = {
    "-c": popen(env, AEGSH, "-c", "sleep 1000; echo on"),
    "a script": popen(env, AEGSH, "file"),
    "standard input": popen(env, AEGSH, "-s"),
    "a forced command": popen(forced, AEGSH),
    "-c, in the background": popen(env, AEGSH, "-c",
                                   "sleep 1000 & wait; echo on"),
    "an aegsh inside": popen(env, AEGSH, "-c",
                             "$INNER -c 'sleep 1000; echo on'"),
    "lines of an aegsh inside": popen(env, AEGSH, "-c",
                                      "echo 'sleep 1000' | $INNER -s"),
    "a dry run": popen(env, CTL, "try", "--discard", "sleep 1000; echo on"),
}
for name, p in ways.items():
    out, err = p.communicate("sleep 1000\necho on\n", timeout=DEADLINE)
    # A dry run shows it with what came of it.
    dry = name == "a dry run"
    tap.ok("on\n" not in out and (p.returncode == 0) == dry and SAID % 1 in
           (out if dry else err), name + " is ended",
           "%r %r %r" % (p.returncode, out, err))

# ---- start-up files ----------------------------------------------------------
env = room(1, ((".bash_profile", "export BEFORE=1\nsleep 1000\n"),))
p = popen(env, AEGSH, "-l", "-c", 'echo "got:$BEFORE"')
out, err = p.communicate(timeout=DEADLINE)
tap.ok(out == "got:\n" and SAID % 1 in subprocess.run(
    [CTL, "history", "--json"], env=env, capture_output=True,
    text=True).stdout, "a start-up file is ended", "%r %r" % (out, err))

# Without anybody who could count, nothing runs, and that is said.
WITHOUT = [sys.executable, os.path.join(os.environ["abs_top_srcdir"],
                                        "tests/lib/without_listener.py")]
for name, argv in (
        ("-c", ("-c", "echo on")), ("standard input", ("-s",)),
        ("a login", ("-l", "-c", "echo on"))):
    p = popen(env, *WITHOUT, AEGSH, *argv)
    out, err = p.communicate("echo on\n", timeout=DEADLINE)
    tap.ok(out == "" and p.returncode == 126 and
           "not run: supervisor: " in err and "limits" in err,
           name + " without a listener runs nothing", out + err)
    tap.ok((".bash_profile: supervisor: " in err) == ("-l" in argv),
           name + ": and tells of its start-up file", err)
p = popen(env, *WITHOUT, CTL, "try", "echo on")
out, err = p.communicate("", timeout=DEADLINE)
tap.ok("on\n" not in out and p.returncode != 0 and "supervisor: " in err,
       "nor does a dry run", out + err)

# ---- at the prompt -----------------------------------------------------------
s = Session([AEGSH], env=room(1), cwd="/")
s.expect("READY> ")
s.line("sleep 1000")
tap.ok(s.expect(SAID % 1) is not None and s.expect("READY> ") is not None,
       "a line at the prompt is ended, and the prompt is there", s.seen)
s.line("sleep 1000 & echo pid:$!:")
found = s.expect(r"pid:(\d+):\r?\n")
late = int(found.group(1)) if found else 0
tap.ok(late and until(lambda: not alive(late)),
       "so is a job in the background", s.seen)
s.line("setsid -f sh -c 'echo pid:$$:; exec sleep 1001'")
found = s.expect(r"pid:(\d+):\r?\n")
late = int(found.group(1)) if found else 0
tap.ok(late and until(lambda: not alive(late)),
       "and what left its session", s.seen)
s.close()

# ---- what outlives its line ----------------------------------------------------
LEAVES = ("nohup sleep 1002 >/dev/null 2>&1 & echo pid:$!: >>pids; setsid -f "
          "sh -c 'echo pid:$$: >>pids; exec sleep 1002'; "
          "(sleep 1002 & echo pid:$!: >>pids) >/dev/null 2>&1; "
          "until [ $(wc -l <pids) = 3 ]; do sleep 0.05; done")


def left(env, expected=3):
    with open(env["HOME"] + "/pids") as f:
        found = [int(line.split(":")[1]) for line in f]
    os.unlink(env["HOME"] + "/pids")
    return found if len(found) == expected else []


def open_pids(env):
    open(env["HOME"] + "/pids", "w").close()


for word in "keep", "end":
    for limits in "", "limit-children = 50\n":
        env = room(5000, (("file", LEAVES + "\n"),))
        for profile in "admin", "root":
            path = "%s/etc/sandbox.d/%s.conf" % (env["AEGSH_TEST_ROOT"],
                                                 profile)
            with open(path) as f:
                text = f.read().replace("limit-time = 5000\n", limits)
            with open(path, "w") as f:
                f.write(text + "survivors = %s\n" % word)
        for name, argv, data in (
                ("-c", ("-c", LEAVES), ""), ("a script", ("file",), ""),
                ("standard input", ("-s",), LEAVES + "\necho on\n"),
                ("a signal", ("-c", LEAVES + "; kill -9 $$"), "")):
            open_pids(env)
            p = subprocess.run([AEGSH, *argv], cwd=env["HOME"], env=env,
                               input=data, text=True, timeout=DEADLINE,
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
            pids = left(env)
            tap.ok(pids and all(alive(pid) == (word == "keep")
                                for pid in pids),
                   "survivors = %s%s: %s" % (
                       word, ", supervised" if limits else "", name), pids)
            for pid in filter(alive, pids):
                os.kill(pid, 9)
        open_pids(env)
        s = Session([AEGSH], env=env, cwd=env["HOME"])
        s.expect("READY> ")
        s.run(LEAVES, "READY> ")
        got = s.run("jobs", "READY> ")
        tap.ok("Running" in got and "nohup sleep 1002" in got and
               got.count("\n") == 1, "those of the line's group are a job",
               got)
        s.run("disown -a", "READY> ")
        pids = left(env)
        tap.ok(pids and all(map(alive, pids)), "at a prompt they stay", pids)
        s.line("exit")
        s.wait()
        tap.ok(pids and until(lambda: all(alive(pid) == (word == "keep")
                                          for pid in pids)),
               "survivors = %s%s: a prompt" % (
                   word, ", supervised" if limits else ""), pids, s.seen)
        for pid in filter(alive, pids):
            os.kill(pid, 9)
        s.close()

# ---- nothing to do -----------------------------------------------------------
out, err = None, None
until(lambda: idle.poll() is not None, 13 - (time.monotonic() - idle_since))
idle.stdin.write("sleep 4\necho two\n")
idle.stdin.flush()
out = idle.stdout.readline()
# One that waits for what nobody says is ended with its standard input.
out += idle.communicate("", timeout=DEADLINE)[0]
tap.ok(out == "two\n" and idle.returncode == 0,
       "time in which no line was there is none's", out)
tap.done()
