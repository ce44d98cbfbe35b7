# SPDX-License-Identifier: ISC
"""Jobs at the prompt, beside bash: the same lines typed to both on terminals
of their own, and what they print compared.  Then what bash cannot be asked
for: the record, the end of a session, what is left behind."""

import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE, alive, children, until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
    conf.write('prompt = "%s"\n' % PROMPT)
with open(os.path.join(env["HOME"], "inputrc"), "w") as f:
    f.write("set enable-bracketed-paste off\n")
AEGSH = program("aegsh")
SLOW = DEADLINE
TIMES = 3


def start(which):
    if which == "bash":
        s = Session(["bash", "--norc", "--noprofile", "-i"],
                    env=dict(env, PS1=PROMPT, HISTFILE="",
                             INPUTRC=os.path.join(env["HOME"], "inputrc")),
                    cwd=env["HOME"])
    else:
        s = Session([AEGSH], env=env, cwd=env["HOME"])
    if not s.expect(PROMPT):
        tap.ok(False, "a prompt appears", s.seen.decode("utf-8", "replace"))
        tap.done()
    return s


def leave(s):
    s.send("\x04")
    # It is gone, or says why not.
    if until(lambda: s.expect("stopped jobs", 0.02) or not alive(s.pid)) \
            and alive(s.pid):
        s.expect(PROMPT)    # before it, the key is no end of a line
        s.send("\x04")
    s.wait()
    s.close()


def plain(text):
    if text is None:
        return "(nothing came)"
    text = re.sub(r"\x1b\[\?2004[hl]", "", text)
    text = re.sub(r"\b[0-9]{3,}\b", "N", text)
    text = text.replace("bash: ", "aegsh: ")
    return re.sub(r"aegsh: line 1: ", "aegsh: ", text)


# Each group is one session; "^C" is a key; a tuple waits for its second text
# before it goes on (the line has the terminal).  What differs by design is
# in tests of its own.
# Not typed: the first job is waited for until it has stopped.
STOPPED = "(stopped)"
# Not typed either: the process announced as this job is ended from outside,
# while the prompt stands.  Nobody tells of it before the next line has run.
ENDED_BY_US = re.compile(r"\(ended (\d+)\)")
GROUPS = {
    "a job from & to wait": [
        "sleep 100 &", "jobs", "jobs -l", "jobs -p", "jobs -r", "jobs -s",
        "kill %1", "wait", "jobs"],
    "numbers and marks": [
        "sleep 101 &", "sleep 102 &", "sleep 103 &", "jobs", "kill %2",
        "jobs", "sleep 104 &", "jobs", "kill %-", "jobs", "kill %+", "jobs",
        "kill %1", "wait", "jobs", "sleep 105 &", "sleep 106 &",
        "sleep 107 &", "(ended 2)", "wait %-", "echo $?", "jobs",
        "(ended 3)", "wait %+", "echo $?", "jobs", "kill %%", "wait"],
    "names": [
        "sleep 111 &", "sleep 112 &", "fg %sleep; :", "kill %1 %2",
        "wait"] + [
        "sleep 110 &", "tail -f /dev/null &", "jobs %sleep",
        "jobs %?null", "(ended 2)", "wait %?null", "echo $?",
        "tail -f /dev/null &", "kill %tail", "wait %?null", "kill %sl",
        "wait", "jobs %none"],
    "no such job": [
        "fg", "bg", "fg %1", "bg %7", "kill %3", "wait %9", "echo $?",
        "wait 99999", "echo $?", "disown", "disown %4", "wait x",
        "echo $?", "jobs %2", "echo $?", "kill -NOPE %1", "wait -n",
        "echo $?"],
    "statuses": [
        "sh -c 'exit 7' &", "wait $!", "echo $?", "true &", "wait $!",
        "echo $?", "sh -c 'kill -9 $$' &", "wait $!", "echo $?", "false &",
        "wait $!", "echo $?", "true && false &", "wait $!", "echo $?",
        "sleep 150 &", "kill -TERM $!", "wait $!", "echo $?",
        "sleep 151 &", "(ended 1)", "wait -n", "echo $?"],
    "reading in the background": [
        "cat &", STOPPED, ": told", "jobs", ("fg",), "^D", "jobs"],
    "stopped and continued": [
        ("sh -c 'echo u''p; exec cat'", "up"), "^Z", "jobs", "jobs -l",
        "jobs -s", "jobs -r", "true", "exit", "jobs", ("%",), "^C", "echo $?", "jobs"],
    "stop, background, foreground": [
        ("sh -c 'echo u''p; exec sleep 130'", "up"), "^Z", "bg", "jobs",
        "bg", "bg %1", ("%1",), "^C", "jobs"],
    "several stopped": [
        ("sh -c 'echo u''p; exec cat' one", "up"), "^Z",
        ("sh -c 'echo u''p; exec cat' two", "up"), "^Z", "jobs",
        ("fg %-",), "^C", "jobs", "kill %1", "wait %1", "jobs"],
    "stop by signal": [
        "sleep 140 &", "kill -STOP %1", STOPPED, ": told", "jobs", "kill -CONT %1",
        "kill -9 %1", "wait %1", "jobs"],
    "disown": [
        "sleep 120 &", "disown", "jobs", "wait", "(ended 1)",
        "sleep 121 &", "disown -h", "jobs", "kill %1", "wait",
        "sleep 122 &", "disown -r", "jobs", "(ended 1)"],
    "death by signals": [
        "sh -c 'kill -SEGV $$'", "echo $?", "sh -c 'kill -TERM $$'",
        "echo $?", "sh -c 'kill -INT $$'", "echo $?"],
    "errors of usage": [
        "jobs -z; :", "fg -z 2>/dev/null; :", "kill -s", "wait -z 2>&1 | :",
        "wait -n -p 1x", "echo $?", "sleep 155 &", "sleep 156 &",
        "jobs %sl", "fg %sl", "kill %sl", "disown nope", "kill -NOPE %1",
        "kill -RTMIN+99 %1", "kill -sNOPE %1", "kill -n0 %1", "kill -s 0 %1",
        "kill -sTERM -- %1", "kill -RTMIN %2", "wait"],
    "all forms": [
        "sleep 160 &", "tail -f /dev/null &", "sleep 162 &", "jobs %",
        "jobs %%", "jobs %+", "jobs %-", "jobs -", "jobs +", "jobs 1",
        "jobs %01", "jobs %tail", "jobs %?null", "jobs '%?ull'",
        'jobs "%1"', "jobs %4", "jobs %1 %2", "jobs -l %2", "jobs -p %2",
        "jobs -x ps -o comm= -p %1", "jobs -x echo hi %none",
        "kill %1 %2 %3", "wait"],
    "marks": [
        ("sh -c 'echo u''p; exec cat' one", "up"), "^Z",
        ("sh -c 'echo u''p; exec cat' two", "up"), "^Z",
        ("sh -c 'echo u''p; exec sleep 170' three", "up"), "^Z", "jobs",
        "bg %3", "jobs", "sleep 171 &", "jobs", "(ended 4)", "wait %4",
        "echo $?", "jobs",
        "kill -KILL %1 %2 %3", "wait"],
    "in longer lines": [
        "sh -c 'exit 5' &", "wait $! || echo failed $?", "sleep 0.1 &",
        "wait; echo done", "sleep 0.1 &", "wait $! && echo fine; echo end",
        "sleep 179 &", "kill %1; wait %1 && echo no", "echo $?",
        "wait; if true; then echo y; fi",
        "wait %9; echo $?", "wait %9 && echo x || echo y", "fg || echo no",
        "jobs && echo yes", "sleep 180 &", "echo $! | tr -d 0-9",
        "echo \"$!\" '$!' \\$! $'$!' # $!", "test -d /proc/$! && echo lives",
        "ps -o comm= -p ${!}", "kill $!; echo k", "wait",
        "sleep 181 &", "sleep 182 &",
        "ps -o comm= $(jobs -p)", "kill $(jobs -p); echo k", "wait",
        "sleep 183 &", "for p in `jobs -p`; do kill $p; done", "wait",
        ("sh -c 'echo u''p; exec cat'", "up"), "^Z",
        ("fg; echo back",), "^D",
        ("sh -c 'echo u''p; exec cat'", "up"), "^Z", "wait",
        ("% && echo ok || echo bad",), "^C", "echo $?",
        "sleep 184 & kill $!; wait $! 2>/dev/null; echo $?", "wait"],
}
# What they print is not compared: bash says more than we do.
LOOSE = {STOPPED, "cat &", "kill -KILL %1 %2 %3", "kill %1 %2",
         "kill $!; echo k", "kill $(jobs -p); echo k",
         "for p in `jobs -p`; do kill $p; done",
         "sleep 184 & kill $!; wait $! 2>/dev/null; echo $?", "kill -STOP %1", ": told", "wait",
         "jobs -z; :",
         "fg -z 2>/dev/null; :", "kill -s", "wait -z 2>&1 | :",
         "fg %sleep; :",
         # Bash takes -2, its word for an ambiguous one, for an index, and
         # says "no such job" as well where there happens to be a zero.
         "jobs %sl"}
ENDED = re.compile(r"^\[(\d+)\][-+ ]  (Done|Exit|Term|Kill|Real|Hang|User|Quit|Inter)(.*)\n", re.M)


# Root is asked about processes that are named by their numbers.
BY_NUMBER = {"kill -s": ":", "kill $(jobs -p); echo k": "kill %1 %2",
             "for p in `jobs -p`; do kill $p; done": "kill %1"}


def ended_by(line, said):
    """How many jobs end by this line sooner or later."""
    if not re.match(r"kill |for p ", line) or ENDED.sub("", said or "") \
            not in ("", "k\n") or re.search(r"-(STOP|CONT|n0|s 0)\b|;.*wait",
                                           line):
        return 0
    if "jobs -p" in line:
        return 2 if line.startswith("kill") else 1
    return len(re.findall(r" [%$]", line))


def settle(s, before, line, said):
    """Each shell tells at a prompt who has ended, as soon as it has noticed:
    one more prompt when it has, and both stand at the same place again."""
    count = ended_by(line, said)
    if count == 0:
        return ""
    # Not for ever: one of them may have been gone before the line came.
    until(lambda: len(before - set(children(s.pid))) >= count, 10)
    return s.run(":", PROMPT) or ""


def play(which, lines):
    s = start(which)
    said = []
    told = ""
    if os.getuid() == 0:
        lines = [BY_NUMBER.get(line, line) for line in lines]
    for line in lines:
        if isinstance(line, tuple) and len(line) == 2:
            s.line(line[0])
            s.expect(line[1] + r"\r\n")
            said.append("")
        elif isinstance(line, tuple):
            # A job comes to the front: its text, no prompt.
            s.line(line[0])
            found = s.expect(re.escape(line[0]) + r"\r\n([^\r\n]*)\r\n")
            said.append(found.group(1).decode() if found else None)
        elif line is STOPPED:
            group = int(re.findall(rb"\[1\] (\d+)", s.seen)[-1])
            until(lambda: stopped(group))
            said.append("")
        elif re.fullmatch(r"\^.", line):
            time_key(s)
            s.send(bytes([ord(line[1]) & 31]))
            found = s.expect(r"(?s)(.*?)" + PROMPT)
            said.append(found.group(1).decode().replace("\r", "")
                        if found else None)
        elif ENDED_BY_US.fullmatch(line):
            number = ENDED_BY_US.fullmatch(line).group(1).encode()
            pid = int(re.findall(rb"\[%s\] (\d+)" % number, s.seen)[-1])
            os.kill(pid, signal.SIGKILL)
            until(lambda: pid not in children(s.pid))
            said.append("")
        else:
            before = set(children(s.pid))
            said.append(s.run(line, PROMPT))
            told += settle(s, before, line, said[-1])
    told += s.run("wait", PROMPT) or ""
    leave(s)
    ended = sorted(ENDED.findall(told + "".join(x or "" for x in said)))
    said = [text if text is None else ENDED.sub("", text) for text in said]
    return said, ended, s.seen.decode("utf-8", "replace")


def time_key(s):
    """Until somebody else than the shell has the terminal."""
    end = time.monotonic() + SLOW
    while os.tcgetpgrp(s.fd) == s.pid and time.monotonic() < end:
        if not s._fill(time.monotonic() + 0.01):
            pass


def compared(name, lines):
    """[whether both did the same, of what, notes] of one time of typing."""
    ours, ended, seen = play("aegsh", lines)
    theirs, other, _ = play("bash", lines)
    seen = ["  | " + text for text in seen.splitlines()]
    rows = [(set(other) <= set(ended), name + ": who has ended is told",
             ["aegsh: %r" % ended, "bash:  %r" % other])]
    for line, a, b in zip(lines, ours, theirs):
        if line in LOOSE:
            continue
        shown = line if isinstance(line, str) else line[0]
        rows.append((plain(a) == plain(b), "%s: %s" % (name, shown),
                     ["aegsh: %r" % plain(a), "bash:  %r" % plain(b)] + seen))
    return rows


def beside_bash():
    for name, lines in GROUPS.items():
        # When somebody's end is noticed is a race in both shells; a
        # difference that is one shows each time.
        for _ in range(TIMES):
            rows = compared(name, lines)
            if all(good for good, _, _ in rows):
                break
            print("# %s: typed again, for %r" %
                  (name, [text for good, text, _ in rows if not good]))
        for good, text, notes in rows:
            tap.ok(good, text, *notes)


def stopped(group):
    """Whether a process of this group is stopped, as proc(5) shows it."""
    for name in os.listdir("/proc"):
        try:
            with open("/proc/%s/stat" % name) as f:
                state, _, pgrp = f.read().rsplit(")", 1)[1].split()[:3]
        except (OSError, ValueError):
            continue
        if state == "T" and int(pgrp) == group:
            return True
    return False


def history(*args):
    out = subprocess.run([program("aegshctl"), "history", "--json", *args],
                         env=env, capture_output=True, text=True).stdout
    try:
        rows = json.loads(out)
    except ValueError:
        rows = [json.loads(x) for x in out.splitlines() if x.strip()]
    return {r["line"]: r for r in rows}


def record():
    s = start("aegsh")
    s.run("(exit 3) &", PROMPT)
    s.run("wait", PROMPT)
    s.line("sh -c 'echo u''p; exec cat' recorded; exit 5")
    s.expect("up\r\n")
    time_key(s)
    s.send("\x1a")
    s.expect(PROMPT)
    s.line("fg")
    s.expect("recorded[^\n]*\n")
    time_key(s)
    s.send("\x04")
    s.expect(PROMPT)
    s.run("sleep 200 & # left", PROMPT)
    pid = int(re.findall(rb"\[1\] (\d+)", s.seen)[-1])
    leave(s)
    rows = history()
    row = rows.get("(exit 3) &", {})
    tap.ok(row.get("status") == 3 and row.get("finished", True),
           "a job's own status is recorded when it ends", row)
    row = rows.get("sh -c 'echo u''p; exec cat' recorded; exit 5", {})
    tap.ok(row.get("status") == 5, "of a stopped one, too", row)
    row = rows.get("sleep 200 & # left", {})
    tap.ok("left running" in (row.get("note") or ""),
           "what outlives the session is recorded so", row)
    if alive(pid):
        os.kill(pid, signal.SIGKILL)


def ends():
    # exit: what runs beside goes on, what is stopped is ended.
    s = start("aegsh")
    s.run("sleep 300 &", PROMPT)
    running = int(re.findall(rb"\[1\] (\d+)", s.seen)[-1])
    s.line("sh -c 'echo u''p $$; exec sleep 301'")
    stopped = int(s.expect(r"up (\d+)").group(1))
    time_key(s)
    s.send("\x1a")
    s.expect(PROMPT)
    s.line("exit")
    tap.ok(s.expect("There are stopped jobs"), "exit warns of stopped jobs")
    s.expect(PROMPT)
    s.line("exit")
    s.wait()
    tap.ok(alive(running), "exit leaves a job of & running")
    tap.ok(until(lambda: not alive(stopped)), "and ends a stopped one")
    s.close()
    if alive(running):
        os.kill(running, signal.SIGKILL)
    # The terminal goes away.
    s = start("aegsh")
    s.run("sleep 310 &", PROMPT)
    running = int(re.findall(rb"\[1\] (\d+)", s.seen)[-1])
    s.run("sleep 311 &", PROMPT)
    kept = int(re.findall(rb"\[2\] (\d+)", s.seen)[-1])
    s.run("disown -h %2", PROMPT)
    os.close(s.fd)
    s.fd = os.open("/dev/null", os.O_RDWR)
    end = time.monotonic() + SLOW
    pid = 0
    while pid == 0 and time.monotonic() < end:
        pid, status = os.waitpid(s.pid, os.WNOHANG)
        time.sleep(0.01)
    s.status = status if pid else None
    tap.ok(pid and os.WIFSIGNALED(status) and
           os.WTERMSIG(status) == signal.SIGHUP,
           "a terminal that goes away ends the shell by SIGHUP", status)
    tap.ok(until(lambda: not alive(running)), "and its jobs with it")
    tap.ok(alive(kept), "but for one of disown -h")
    if alive(kept):
        os.kill(kept, signal.SIGKILL)
    s.close()
    # kill -9: a job of & is not in front, and outlives it as under bash.
    s = start("aegsh")
    s.run("sleep 320 &", PROMPT)
    running = int(re.findall(rb"\[1\] (\d+)", s.seen)[-1])
    s.line("sh -c 'echo u''p $$; exec sleep 321'")
    front = int(s.expect(r"up (\d+)").group(1))
    os.kill(s.pid, signal.SIGKILL)
    s.wait()
    tap.ok(until(lambda: not alive(front)),
           "kill -9 of the shell ends the line in front")
    tap.ok(alive(running), "not a job of &")
    if alive(running):
        os.kill(running, signal.SIGKILL)
    s.close()


def left_behind():
    s = start("aegsh")
    # The bash of this line ends; its background command is the job.
    s.run("sleep 400 & sleep 401 & echo on", PROMPT)
    listed = s.run("jobs", PROMPT)
    tap.ok(listed and "Running" in listed and "sleep 401 & echo on" in listed,
           "what a line leaves behind is a job", listed)
    pids = s.run("jobs -p", PROMPT)
    tap.ok(pids and alive(int(pids)), "listed with a process that lives", pids)
    s.run("kill %1", PROMPT)
    s.run("wait", PROMPT)
    tap.same(s.run("jobs", PROMPT), "", "kill and wait work on it")
    # Orphans that left the group are reaped.
    s.run("for i in 1 2 3 4 5 6 7 8 9; do setsid -f true; done", PROMPT)

    def zombies():
        s.run("true", PROMPT)
        return [p for p in children(s.pid) if not alive(p)]
    tap.ok(until(lambda: zombies() == []), "no dead stay behind", zombies())
    # A subshell's background command is no job, as in bash.
    s.run("(sleep 0.2 &)", PROMPT)
    tap.same(s.run("jobs", PROMPT), "", "a subshell's background is no job")
    # The frame of a line that was stopped waits for nobody.
    s.line("export LATE=1; "
           "sh -c 'echo u''p; until [ -e late ]; do sleep 0.05; done'")
    s.expect("up\r\n")
    time_key(s)
    s.send("\x1a")
    s.expect(PROMPT)
    with open(os.path.join(env["HOME"], "late"), "w"):
        pass
    s.run("bg", PROMPT)
    tap.same(ENDED.sub("", s.run("wait", PROMPT) or "(no end)"), "",
             "a line that was stopped ends when it is done")
    tap.same(s.run("echo [$LATE]", PROMPT), "[]\n",
             "and changes nothing of later lines")
    leave(s)


# Comes to its stop a while after its parent, as on a machine under load.
LATE_STOP = """
import os, signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTSTP])
print("u" + "p", os.getpid(), flush=True)
while signal.SIGTSTP not in signal.sigpending():
    time.sleep(0.001)
time.sleep(0.05)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTSTP])
os.read(0, 100)
"""


def stop_of_all():
    path = os.path.join(env["HOME"], "late.py")
    with open(path, "w") as f:
        f.write(LATE_STOP)
    states = []
    # The shell does not wait for ever, some ignore the key.
    while "T" not in states and len(states) < TIMES:
        s = start("aegsh")
        s.line("python3 late.py; true")
        pid = int(s.expect(r"up (\d+)").group(1))
        s.send("\x1a")
        s.expect(PROMPT)
        with open("/proc/%d/stat" % pid) as f:
            states.append(f.read().rsplit(")", 1)[1].split()[0])
        leave(s)
    tap.ok("T" in states, "a prompt comes when all of a line has stopped",
           states)


def raw_modes():
    s = start("aegsh")
    s.line("sh -c 'stty raw -echo; kill -9 $$'")
    tap.ok(s.expect(PROMPT), "a program that dies in raw mode")
    tap.same(s.run("stty -a | grep -o ' -*icanon'", PROMPT), " icanon\n",
             "leaves a sane terminal")
    leave(s)


def time_out():
    s = start("aegsh")
    s.run("export TMOUT=1", PROMPT)
    tap.ok(s.expect("auto-logout"), "TMOUT ends a session at its prompt",
           s.seen)
    tap.same(os.waitstatus_to_exitcode(s.wait()), 0, "with the last status")
    s.close()
    s = start("aegsh")
    s.run("export TMOUT=never", PROMPT)
    tap.same(s.run("echo on", PROMPT), "on\n", "but not what is no number")
    leave(s)


def told_once():
    s = start("aegsh")
    out = s.run("trap 'echo by''e' EXIT", PROMPT)
    tap.ok(out and "bye\n" in out and "trap on EXIT ended" in out,
           "a trap on EXIT runs with its line, which is told", out)
    out = s.run("trap 'echo by''e' EXIT; cd /usr", PROMPT)
    tap.same(out, "bye\n", "once")
    tap.same(s.run("jobs | cat", PROMPT), "",
             "jobs in a pipeline, where there are none")
    s.run("sleep 190 &", PROMPT)
    out = s.run("jobs | cat", PROMPT)
    tap.ok(out and "jobs of earlier lines" in out,
           "where there are some, that they are not seen is told", out)
    tap.same(s.run("echo x; wait", PROMPT), "x\n", "once")
    s.run("kill %1", PROMPT)
    s.run("wait", PROMPT)
    tap.ok("no earlier lines" not in (s.run("history 2", PROMPT) or
                                      "no earlier lines"), "a list of lines")
    out = s.run("history | cat", PROMPT)
    tap.ok(out and "no earlier lines; 'history WORD'" in out,
           "in a pipeline it is empty, and what to type is told", out)
    tap.same(s.run("fc -l", PROMPT), "", "once")
    leave(s)


beside_bash()
told_once()
record()
ends()
left_behind()
stop_of_all()
raw_modes()
time_out()
tap.done()
