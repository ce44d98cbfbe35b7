# SPDX-License-Identifier: ISC
"""make bench-output: what it costs that lines' output is kept.  By the pipe:
bulk and one short line, beside the same without it.  By the terminal: texts
of some megabytes, more than is kept, and one word, beside script(1) around the
same shell; medians of runs that take turns, and their ratio."""
import os
import select
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from pty_session import Session, place, program  # noqa: E402

root, env = place()
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 7
MEGABYTES = 64
AEGSH = program("aegsh")
PROMPT = "READY> $"
KINDS = ("none", "sample", "full")


def settings(output):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "READY> "\noutput = %s\n' % output)


def piped(line):
    begin = time.perf_counter()
    p = subprocess.Popen([AEGSH, "-c", line], env=env, cwd=env["HOME"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    while os.read(p.stdout.fileno(), 1 << 16):
        pass
    p.wait()
    p.stdout.close()
    return time.perf_counter() - begin


def tell(what, times, base):
    took = {name: statistics.median(t) for name, t in times.items()}
    print("%-34s %s" % (what, "  ".join(
        "%s %.1f ms (%.2f)" % (name, t * 1000, t / took[base])
        for name, t in took.items())), flush=True)


def pipes(what, line, rounds):
    times = {kind: [] for kind in KINDS}
    for _ in range(rounds):
        for kind in KINDS:
            settings(kind)
            times[kind].append(piped(line))
    tell(what, times, "none")


def drain(s, until):
    while until not in s.rest[-4096:]:
        if select.select([s.fd], [], [], 60)[0]:
            s.rest = (s.rest + os.read(s.fd, 65536))[-8192:]
        else:
            sys.exit("nothing comes any more: %r" % s.rest[-200:])


def shown(s, line, mark):
    begin = time.perf_counter()
    s.rest = b""
    s.line("%s; echo en$((1))d%s" % (line, mark))
    drain(s, b"en1d" + mark.encode())
    took = time.perf_counter() - begin
    s.expect("READY> $")
    return took


def terminals(what, line, rounds):
    ways = {"direct": ("none", [AEGSH]), "relay": ("full", [AEGSH])}
    if shutil.which("script"):
        ways["script"] = ("none", ["script", "-q", "-c", AEGSH,
                                   os.path.join(root, "typescript")])
    sessions = {}
    for name, (kind, argv) in ways.items():
        settings(kind)
        sessions[name] = Session(argv, env=env, cwd=env["HOME"], cols=100)
        if not sessions[name].expect(PROMPT):
            sys.exit("no prompt: %r" % sessions[name].seen)
    times = {name: [] for name in sessions}
    for i in range(rounds):
        for name, s in sessions.items():
            times[name].append(shown(s, line, str(i)))
    for s in sessions.values():
        s.line("exit")
        s.wait()
        s.close()
    tell(what, times, "script" if "script" in times else "direct")


with open(env["HOME"] + "/bulk", "wb") as f:
    for _ in range(MEGABYTES):
        f.write(os.urandom(1 << 20))
with open(env["HOME"] + "/text", "w") as f:
    f.write("".join("%06d a line of an ordinary text, of some length\n" % i
                    for i in range(100000)))
pipes("a pipe, %d MB" % MEGABYTES, "cat bulk", ROUNDS)
pipes("a pipe, one word", "echo word", 5 * ROUNDS)
terminals("a terminal, 5 MB of text", "cat text", ROUNDS)
with open(env["HOME"] + "/text") as f, open(env["HOME"] + "/more", "w") as more:
    text = f.read()
    for _ in range(10):
        more.write(text)
terminals("a terminal, seq 1000000", "seq 1000000", ROUNDS)
terminals("a terminal, 50 MB of text", "cat more", (ROUNDS + 1) // 2)
terminals("a terminal, one word", "echo word", 5 * ROUNDS)
