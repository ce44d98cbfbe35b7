# SPDX-License-Identifier: ISC
"""make bench: what aegsh costs, as ratios against plain bash in the same
run.  Pairs are run in turn; the median of their ratios counts."""

import os
import select
import shutil
import signal
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from pty_session import Session, place, program  # noqa: E402
import pty  # noqa: E402

root, env = place()
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 200
devnull = os.open("/dev/null", os.O_RDWR)


def once(argv):
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=[
        (os.POSIX_SPAWN_DUP2, devnull, 0), (os.POSIX_SPAWN_DUP2, devnull, 1)])
    _, status = os.waitpid(pid, 0)
    took = time.perf_counter() - start
    if status != 0:
        sys.exit("%r ended with %d" % (argv, status))
    return took


def to_prompt(argv, prompt, rss=None):
    """Seconds from start to the first prompt on a terminal."""
    start = time.perf_counter()
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(argv[0], argv, env)
    seen = b""
    while prompt not in seen:
        if not select.select([fd], [], [], 10)[0]:
            sys.exit("%r shows no prompt: %r" % (argv, seen))
        try:
            seen += os.read(fd, 4096)
        except OSError:
            sys.exit("%r ended without a prompt: %r" % (argv, seen))
    took = time.perf_counter() - start
    if rss is not None:
        time.sleep(0.3)     # what is done while the prompt waits
        with open("/proc/%d/status" % pid) as status:
            for line in status:
                if line.startswith("VmRSS"):
                    rss.append(int(line.split()[1]) / 1024)
    os.kill(pid, signal.SIGHUP)
    os.close(fd)
    os.waitpid(pid, 0)
    return took


def compare(name, most, ours, theirs, rounds=ROUNDS):
    pairs = []
    for _ in range(3):
        theirs(), ours()
    for _ in range(rounds):
        b = theirs()
        pairs.append((ours(), b))
    ratio = statistics.median(a / b for a, b in pairs)
    print("%-29s %6.2f (at most %.2f)   %7.0f us beside %7.0f us" % (
        name, ratio, most,
        statistics.median(a for a, _ in pairs) * 1e6,
        statistics.median(b for _, b in pairs) * 1e6))
    sys.stdout.flush()


def bare_sync(rounds=ROUNDS):
    """What each line's intent waits for at least: 512 bytes written over
    and synced, on the file system of the store."""
    path = os.path.join(root, "own", "sync")
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    os.pwrite(fd, bytes(512 * (rounds + 1)), 0)
    os.fdatasync(fd)
    took = []
    for i in range(rounds):
        start = time.perf_counter()
        os.pwrite(fd, b"x" * 512, 512 * i)
        os.fdatasync(fd)
        took.append(time.perf_counter() - start)
    os.close(fd)
    os.unlink(path)
    print("a bare synced write, beside                    %7.0f us" %
          (statistics.median(took) * 1e6))


# As install(1) puts it: what a linker wrote lies in smaller pieces in the
# page cache, which costs each start some 50 us.
AEGSH = shutil.copy(program("aegsh"), os.path.join(root, "libexec"))
with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
    conf.write('prompt = "READY> "\n')
env["PS1"] = "READY> "
BASH = "/bin/bash"
# A hidden place costs a Landlock rule for each of its neighbours, here as
# in life: /var/tmp is where a personal store lies.
print("load of the machine: %.1f" % os.getloadavg()[0])
print("neighbours of the store in %s: %d" % (
    os.path.dirname(root), len(os.listdir(os.path.dirname(root))) - 1))
RUNS = (lambda: once([AEGSH, "-c", "true"]),
        lambda: once([BASH, "-c", "true"]))


def settled(*paths):
    """Till the files, or what is in a directory, are some seconds old."""
    files = [f for p in paths for f in ([p] if os.path.isfile(p) else
                                        [e.path for e in os.scandir(p)])]
    while time.time() < max(os.stat(f).st_ctime for f in files) + 3:
        time.sleep(0.1)


# What is kept of the rules is believed by the stamps of the files that it was
# made of, the program's among them, once these are older than two seconds, and
# is not looked through again once it is as old itself: as with an installed
# program.
settled(AEGSH, conf.name)
RUNS[0]()
settled(os.path.join(root, "own", "aegsh-%d" % os.geteuid()))
RUNS[0]()
compare("aegsh -c true", 2.5, *RUNS)
# What else the machine does hits a run of several processes, which wait for
# one another, harder than a single process; and where there is nothing else,
# a processor that is woken takes a while.  So this tells what is due to us.
try:
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
except PermissionError:
    print("the same, before all others: not for this user")
else:
    compare("the same, before all others", 2.5, *RUNS)
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
# Behind the short runs: hundreds of sessions that were hung up on put their
# records away for seconds.
compare("start to prompt", 1.5,
        lambda: to_prompt([AEGSH], b"READY> "),
        lambda: to_prompt([BASH, "--norc", "-i"], b"READY> "))
bare_sync()


def typed(argv):
    """A session at a prompt, in which one line can be typed and timed."""
    s = Session(argv, env=dict(env, INPUTRC="/dev/null", HISTFILE=""),
                cwd=env["HOME"])
    if not s.expect("READY> "):
        sys.exit("%r shows no prompt: %r" % (argv, s.seen))

    def line(text):
        start = time.perf_counter()
        s.line(text)
        if not s.expect("READY> "):
            sys.exit("%r hangs: %r" % (argv, s.seen[-300:]))
        return time.perf_counter() - start
    return s, line


ours, line_of_ours = typed([AEGSH])
theirs, line_of_theirs = typed([BASH, "--norc", "--noprofile", "-i"])
for text, most in (("cd /usr", 2.5), ("export A=1; cd /", 60),
                   ("/bin/true", 8), ("sleep 0 &", 12)):
    compare("at a prompt: " + text, most, lambda: line_of_ours(text),
            lambda: line_of_theirs(text))
ours.close()
theirs.close()
SCRIPT = os.path.join(root, "script")
with open(SCRIPT, "w") as script:
    for i in range(250):
        script.write("x=%d\n[ $x = 1 ] || y=$x\necho $x >/dev/null\n"
                     "cd /usr\n" % i)


def stream(argv):
    start = time.perf_counter()
    with open(SCRIPT, "rb") as script:
        subprocess.run(argv, stdin=script, env=env, check=True,
                       stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


# What a line costs inside of another one: against the same outside.
INSIDE = shutil.copy(AEGSH, env["HOME"])
LOOP = os.path.join(env["HOME"], "loop")
with open(LOOP, "w") as loop:
    loop.write("i=0\nwhile [ $i -lt 100 ]; do %s -c :; i=$((i+1)); done\n" %
               INSIDE)
compare("100 lines inside a line", 1.5,
        lambda: once([INSIDE, "-c", "bash %s" % LOOP]),
        lambda: once([BASH, LOOP]), max(ROUNDS // 20, 3))
compare("1,000 lines on stdin", 120, lambda: stream([AEGSH]),
        lambda: stream([BASH]), max(ROUNDS // 20, 3))
with open(os.path.join(root, "etc", "aegsh.conf"), "a") as conf:
    conf.write("stream-sync = 100\n")
compare("the same, stream-sync = 100", 40, lambda: stream([AEGSH]),
        lambda: stream([BASH]), max(ROUNDS // 20, 3))
# The same files for both: bash reads the machine's /etc/profile.
system = os.path.join(root, "system", "etc")
os.makedirs(system)
if os.path.exists("/etc/profile"):
    shutil.copy("/etc/profile", system)
with open(os.path.join(env["HOME"], ".profile"), "w") as profile:
    profile.write('if [ -d /usr/games ]; then PATH="$PATH:/usr/games"; fi\n'
                  "export EDITOR=vi\n")
compare("aegsh -l -c true", 5.5,
        lambda: once([AEGSH, "-l", "-c", "true"]),
        lambda: once([BASH, "-l", "-c", "true"]))
os.unlink(os.path.join(env["HOME"], ".profile"))
sys.stdout.flush()
subprocess.run([os.path.join(os.environ["abs_top_builddir"], "tests", "bench",
                             "bench_turn"), str(ROUNDS)],
               env=env, check=True)
rss = []
to_prompt([AEGSH], b"READY> ", rss)
print("resident at the prompt        %6.1f MB (at most 8)" % rss[0])
