# SPDX-License-Identifier: ISC
"""The compatibility battery: real tools, as far as this machine has them,
do real work in the sandboxes of admin, build and full-auto as they do under
bash, but for what is listed.  Through aegsh, with its policy, a line does the
same or is refused with the name of a rule.

Runs as an ordinary user: as root the test becomes a uid that nobody has."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from exec_rig import Root, unused_uid  # noqa: E402
from procs import DEADLINE  # noqa: E402
from pty_session import place, program  # noqa: E402
from tap import Tap, share  # noqa: E402

tap = Tap()
root, env = place()
UID = unused_uid() if os.getuid() == 0 else os.getuid()
rig = Root(UID if os.getuid() == 0 else None)
SANDBOXES = ("admin", "build", "full-auto")
PROFILES = ("admin", "build", "full-auto", "dev")
if share() > 1:
    tap.share("the profiles, but for two")
    SANDBOXES, PROFILES = SANDBOXES[:1], ("admin", "dev")
"""What a tool says where the kernel refuses it a part of its work."""
REFUSED = r"not permitted|Permission denied|ptrace"


class Tool:
    def __init__(self, name):
        self.name, self.line, self.wants = name, "", {}

    def program(self):
        first = re.match(r"(\w+)", self.name).group(1)
        return {"python": "python3", "sqlite": "sqlite3", "diff": "patch",
                "sort": "sort", "debugger": "gdb", "system": "strace",
                "ssh": self.name, "apt": "apt-get", "dpkg": self.name,
                "process": "diff", "background": "sh", "fifo": "mkfifo",
                "coproc": "cat", "file": "column"}.get(first, first)


def read_tools():
    tools = []
    with open(os.path.join(os.environ["abs_top_srcdir"],
                           "tests/live/compat.case")) as f:
        for text in f:
            word, _, rest = text.strip().partition(" ")
            if text.startswith("\t"):
                tools[-1].line += text[1:].rstrip("\n")
            elif word == "tool":
                tools.append(Tool(rest))
            elif word == "want":
                profiles, what = rest.split(" ", 1)
                for p in profiles.split(","):
                    tools[-1].wants[p] = what
            elif word and not word.startswith("#"):
                sys.exit("compat.case: what is %r?" % text)
    return tools


def become():
    os.umask(0o022)
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(UID)
        os.setuid(UID)


def run(argv, where, env):
    p = subprocess.run(argv, cwd=where, env=env, preexec_fn=become,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, timeout=2 * DEADLINE)
    return p.returncode, p.stdout.decode("utf-8", "replace").replace(
        where, "HERE")


def workplace(name):
    """A fresh project at the same path each time."""
    where = os.path.join(env["HOME"], "p", name)
    shutil.rmtree(where, True)
    os.makedirs(where)
    os.mkdir(where + "/.git")
    os.chown(where, UID, -1)
    os.chown(where + "/.git", UID, -1)
    return where


def left(where):
    """The names that are left there, but those that tools make up."""
    names = []
    for at, dirs, files in os.walk(where):
        dirs[:] = [d for d in dirs if d not in (
            "objects", "b", "g", "v", "target", ".npm", "node_modules")]
        names += [os.path.relpath(os.path.join(at, n), where)
                  for n in dirs + files]
    return sorted(names)


def in_sandbox(tool, profile, want):
    """Without policy: what the kernel lets it."""
    where = workplace(tool.name)
    got = run([rig.execrun, "-q", "-p", profile, "-n", where, "-c",
               tool.line], where, {**env, **rig.env, "HOME": env["HOME"]})
    got += (left(where),)
    name = "%s's sandbox: %s: " % (profile, tool.name)
    if tool.wants.get(profile) == "refused":
        return tap.ok(re.search(REFUSED, got[1]), name + "refused", got)
    return tap.ok(got == want, name + "as under bash", "got:  %r" % (got,),
                  "want: %r" % (want,))


def through_aegsh(tool, profile, want):
    where = workplace(tool.name)
    got = run([program("aegsh"), "--profile", profile, "-c", tool.line],
              where, env)
    got += (left(where),)
    name = "%s: %s: " % (profile, tool.name)
    rule = re.fullmatch(r"aegsh: [^\n]*\[([a-z][a-z0-9.-]*)\][^\n]*\n",
                        got[1])
    if got[0] == 126 and rule:
        return tap.ok(got[2] == [".git"], name + "refused by " +
                      rule.group(1) + ", before anything", got)
    killed = re.search(r"killed before it began: .*\[([a-z.-]+)\]", got[1])
    if killed:
        return tap.ok(tool.wants.get(profile) == killed.group(1), name +
                      "a program of it is killed by " + killed.group(1), got)
    if tool.wants.get(profile) == "refused":
        return tap.ok(re.search(REFUSED, got[1]), name + "refused", got)
    return tap.ok(got == want, name + "as under bash", "got:  %r" % (got,),
                  "want: %r" % (want,))


for path in (env["HOME"], os.path.join(root, "own")):
    os.chown(path, UID, -1)
os.mkdir(os.path.join(env["HOME"], "p"))
os.chown(os.path.join(env["HOME"], "p"), UID, -1)
for tool in read_tools():
    if shutil.which(tool.program(), path=env["PATH"]) is None:
        tap.skip(tool.name, "no " + tool.program())
        continue
    where = workplace(tool.name)
    want = run(["/bin/bash", "--norc", "--noprofile", "-c", tool.line],
               where, env) + (left(where),)
    if want[0] != 0:
        tap.skip(tool.name, "bash itself: %d %r" % want[:2])
        continue
    for profile in SANDBOXES:
        in_sandbox(tool, profile, want)
    for profile in PROFILES:
        through_aegsh(tool, profile, want)
tap.done()
