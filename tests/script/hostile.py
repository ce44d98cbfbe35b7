# SPDX-License-Identifier: ISC
"""Without a prompt, against bad luck and bad will: signals, limits, broken
files; beside what bash does, where there is something to compare."""

import os
import resource
import signal
import subprocess
import sys
import time

TOP = os.environ["abs_top_srcdir"]
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from procs import DEADLINE, alive, children, until  # noqa: E402
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
AEGSH = program("aegsh")


def spawn(*args, **more):
    return subprocess.Popen([AEGSH, *args], env=env, cwd=env["HOME"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            start_new_session=True,
                            **{"stdin": subprocess.DEVNULL, **more})


def run(*args, text=b"", **more):
    return subprocess.run([AEGSH, *args], env=env, cwd=env["HOME"],
                          input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60,
                          start_new_session=True, **more)


def history():
    return subprocess.run([program("aegshctl"), "history"], env=env,
                          stdout=subprocess.PIPE, timeout=60).stdout


def when_ready(*args, **more):
    """Started, and its bash, which has said so; (process, bash)."""
    p = spawn(*args, **more)
    p.stdout.readline()
    return p, children(p.pid)[0]


# ---- signals ---------------------------------------------------------------
SLEEP = "echo ready; read -r x <fifo"
os.mkfifo(os.path.join(env["HOME"], "fifo"))
for sig in (signal.SIGTERM, signal.SIGHUP):
    p, child = when_ready("-c", SLEEP)
    p.send_signal(sig)
    tap.same(p.wait(DEADLINE), -sig, "%s ends -c by it" % sig.name)
    tap.ok(until(lambda: not alive(child)), "and its bash")
    p.communicate()
tap.ok(b"unfinished" not in history(), "and that is recorded", history())
p, child = when_ready("-c", "trap 'echo bye; exit 7' TERM; echo ready; "
                      "while :; do read -r x <fifo; done")
p.terminate()
tap.same((p.communicate()[0], p.returncode), (b"bye\n", 7),
        "a command that handles SIGTERM does")
p = spawn("-s", stdin=subprocess.PIPE)
p.stdin.write(b"trap 'echo bye' EXIT\n" + SLEEP.encode() + b"\necho never\n")
p.stdin.flush()
p.stdout.readline()
p.terminate()
tap.same((p.communicate()[0], p.returncode), (b"bye\n", -signal.SIGTERM),
        "SIGTERM ends a stream, whose exit trap runs")
p, child = when_ready("-c", SLEEP)
p.kill()
p.communicate()
tap.ok(until(lambda: not alive(child)), "SIGKILL: its bash ends too")
tap.ok(history().count(b"unfinished") == 1,
       "and the record shows a line without an end", history())

# ---- limits ----------------------------------------------------------------


def limit(what, value):
    return lambda: resource.setrlimit(what, (value, value))


done = run("-c", "echo ran", preexec_fn=limit(resource.RLIMIT_FSIZE, 0))
tap.same((done.returncode, done.stdout), (0, b"ran\n"),
        "no room for a record: personal mode runs the line")
tap.ok(done.stderr.startswith(b"aegsh: not recorded: ") and
       done.stderr.count(b"\n") == 1, "and says so", done.stderr)
done = run("-c", "echo text >file; echo $?",
           preexec_fn=limit(resource.RLIMIT_FSIZE, 0))
tap.ok(done.returncode == -signal.SIGXFSZ,
       "for a command the limit is what it is for bash", done)

# ---- long input ------------------------------------------------------------
body = b"".join(b"line %d of a document\n" % n for n in range(30000))
start = time.monotonic()
done = run("-s", text=b"cat <<'EOF' | tail -n 1\n" + body +
           b"EOF\necho after\n")
tap.same((done.returncode, done.stdout),
        (0, b"line 29999 of a document\nafter\n"), "a long here-document")
tap.ok(time.monotonic() - start < DEADLINE, "in time that grows with its length")
done = run("-s", text=b"cat <<E1; cat <<E2\nE\\\n1\nno E1\nE\\\n2\necho 'a\n"
           b"b'\necho \"c\n\\\"d\n\"\n")
tap.same((done.returncode, done.stdout),
        (0, b"no E1\na\nb\nc\n\"d\n\n"), "ends written across two lines")

# ---- what cannot be loaded -------------------------------------------------
env["AEGSH_TEST_DATA"] = root + "/none"
done = run("-c", "echo never")
tap.same((done.returncode, done.stdout), (111, b""),
        "no rules, no terminal: nothing runs")
tap.ok(b"no rule files in " in done.stderr, "and what is missing is said",
       done.stderr)
tap.done()
