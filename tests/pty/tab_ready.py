# SPDX-License-Identifier: ISC
"""The bash that waits for the next Tab: it is started while a line is typed,
asked once, the same as one that is started for the Tab would be, or not used;
and who kills or stops it gains nothing."""

import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE, alive, children, command_line, until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
home = env["HOME"]
PROMPT = "READY> "
OURS = os.path.join(root, "etc", "completions-of-site")
SAYS = """
_says() {
	local tty=no guard=no
	( : >/dev/tty ) && tty=yes
	( : >'%s/mark' ) && guard=yes
	COMPREPLY=("pid$$,in${PWD##*/},$LANG,$made,$tty,$guard,end")
}
complete -F _says says getent
""" % home


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def settings(more=""):
    write(os.path.join(root, "etc", "aegsh.conf"),
          'prompt = "%s"\ncompletion-dirs = "%s"\n%s' % (PROMPT, OURS, more))


def waiting(s):
    """The bash that waits for a question of this session, or None."""
    for child in children(s.pid):
        for pid in children(child):
            if b"__aeg_main" not in command_line(pid):
                continue
            try:
                if os.readlink("/proc/%d/fd/3" % pid).startswith("pipe:"):
                    return pid
            except OSError:
                pass
    return None


def begin():
    s = Session([program("aegsh")], env=env, cwd=home)
    if not s.expect(PROMPT):
        tap.ok(False, "a prompt appears", s.seen)
        tap.done()
    return s


def says(s, command="says"):
    """What the completion says: where a slow machine has no time for it, once
    more."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        s.rest = b""
        s.send("\x15" + command + " \t")
        found = s.expect(r"pid(\d+),in(\w*),([^,]*),(\w*),(\w*),(\w*),end|"
                         r"took too long")
        if found is None or found.group(1) is not None:
            break
    if found is None or found.group(1) is None:
        return (None,) * 6
    return (int(found.group(1)),) + tuple(
        g.decode() for g in found.groups()[1:])


def typed(s, used=None):
    """The bash that waits once a command and a blank are typed, but for one
    that was asked, which may not have ended yet."""
    found = []

    def another():
        found[:] = [waiting(s)]
        return found[0] not in (None, used)

    s.send("\x15says ")
    until(another)
    return found[0]


settings()
os.makedirs(OURS + "/completions")
os.makedirs(home + "/below")
for name in ("says", "getent"):
    write(os.path.join(OURS, "completions", name), SAYS)
write(OURS + "/bash_completion", "made=first\n")
s = begin()
s.send("says")
s.send("\x15echo q''uick\r")
s.expect("quick\r")
s.expect(PROMPT)
first = typed(s)
tap.ok(first, "a bash waits once a command is typed")
pid, where, lang, made, tty, mark = says(s)
tap.same((where, lang, made), ("home", "C.UTF-8", "first"),
         "it is asked, and knows where it is")
tap.same((tty, mark), ("no", "no"), "confined as any")
second = typed(s, pid)
tap.ok(second and second != pid, "each is asked once", (pid, second))
other = says(s)[0]
tap.ok(other and other not in (first, pid), "and none twice", (pid, other))

# What has changed since: another one answers.
for line, want, name in (
        ("cd below", ("below", "C.UTF-8", "first"), "the directory"),
        ("export LANG=C", ("below", "C", "first"), "a variable")):
    before = typed(s)
    s.send("\x15" + line + "\r")
    s.expect(PROMPT)
    got = says(s)
    tap.same(got[1:4], want, "not when that has changed: " + name)
    tap.ok(got[0] != before, "but another is: " + name, (before, got))
    tap.ok(until(lambda: not alive(before)), "and it is gone: " + name)
before = typed(s)
write(OURS + "/bash_completion", "made=second\n")
tap.same(says(s)[3], "second", "nor when bash-completion has changed")
before = typed(s)
os.rename(home + "/below", home + "/gone")
os.mkdir(home + "/below")
s.send("\x15cd ../below\r")
s.expect(PROMPT)
tap.same(says(s)[1], "below", "nor in another directory of that name")

# A command that is a helper of completions is none of its own.
before = typed(s)
got = says(s, "getent")
tap.ok(got[0] and got[0] != before, "nor with more programs than it may start")

# Killed, stopped, or the process that it belongs to.
for what, sig, whom in (("killed", signal.SIGKILL, lambda p: p),
                        ("stopped", signal.SIGSTOP, lambda p: p),
                        ("left alone", signal.SIGKILL, None),
                        ("stopped above", signal.SIGSTOP, None)):
    before = typed(s)
    with open("/proc/%d/stat" % before) as f:
        parent = int(f.read().rsplit(")", 1)[1].split()[1])
    victim = whom(before) if whom else parent
    os.kill(victim, sig)
    if sig == signal.SIGSTOP:
        until(lambda: open("/proc/%d/stat" % victim).read().rsplit(
            ")", 1)[1].split()[0] == "T")
    got = says(s)
    tap.ok(got[0] and got[0] != before, "one that is %s: the Tab goes on" %
           what, got)
    tap.ok(until(lambda: not alive(before) and not alive(parent)),
           "and nothing is left of it: " + what)
s.close()

# Another session, which has none of those that died behind it.
s = begin()
last = typed(s)
s.send("\x15\x04")
s.wait()
tap.ok(until(lambda: not alive(last)), "the session's end is its end")
s.close()

settings("completion = names\n")
s = begin()
s.send("says \t\x15echo q''uick\r")
s.expect("quick\r")
tap.ok(waiting(s) is None, "none where completions are not wanted")
s.close()
tap.ok(not os.path.exists(home + "/mark"), "nothing was written")
tap.done()
