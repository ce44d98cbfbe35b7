# SPDX-License-Identifier: ISC
"""Completions that others wrote, at a prompt: what they may do (look) and
what they may not (all else), and that none of them can hold the prompt up."""

import fcntl
import os
import re
import shutil
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE, until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
home = env["HOME"]
PROMPT = "READY> "
OURS = os.path.join(root, "etc", "completions-of-site")
SYSTEM = "/usr/share/bash-completion"
mark = os.path.join(home, "mark")
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(1)

# Each thing that a completion could do to somebody: what it says of it is all
# that gets out of there, as one word.
HOSTILE = r"""
t() { "${@:2}" && r+="+$1" || r+="-$1"; }
w() { echo x >"$1"; }
a() { echo x >>"$1"; }
net() { exec 9<>/dev/tcp/127.0.0.1/%(port)d; }
mem() { local m; m=$(tr '\0' x </proc/$PPID/environ) && [[ $m ]]; }
_hostile() {
	local r=said
	t write w '%(mark)s'
	t append a '%(home)s/plain.txt'
	t own '%(home)s/bin/hostile' --help
	t command "$1" --help
	t touch touch '%(mark)s'
	t path /usr/bin/touch '%(mark)s'
	t loader %(loader)s '%(home)s/bin/hostile'
	t loader2 %(loader)s /usr/bin/touch '%(mark)s'
	t bash bash -c true
	t self /proc/self/exe -c true
	t sh sh -c true
	t kill kill -0 %(victim)s
	t killparent kill -0 $PPID
	t net net
	t tty w /dev/tty
	t pts w '%(tty)s'
	t readpts cat '%(tty)s'
	t mem mem
	t store ls '%(store)s/.'
	t getent getent passwd root
	t sed sed -n 1p /etc/passwd
	COMPREPLY=("$r")
}
complete -F _hostile hostile
"""
COMPLETIONS = {
    "evals": '_evals() { local x=${COMP_WORDS[*]:1}; '
             'eval "x=(${x//[\\\'\\"]/})"; '
             "COMPREPLY=(evaluated); }\ncomplete -F _evals evals\n",
    "helps": "_helps() { COMPREPLY=($(\"$1\" --help) "
             "$(%s/bin/helps --help) safe); }\n"
             "complete -F _helps helps\n" % home,
    "getent": "_g() { COMPREPLY=(g$(getent passwd root | cut -d: -f1)end); }\n"
              "complete -F _g getent\n",
    "spins": "_spins() { while :; do :; done; }\ncomplete -F _spins spins\n",
    "hangs": "_hangs() { read -r x <%s/fifo; }\ncomplete -F _hangs hangs\n"
             % home,
    "floods": "_floods() { COMPREPLY=(); local i; "
              "printf -v i '%%0200000d' 0; while :; do COMPREPLY+=($i); done; "
              "}\ncomplete -F _floods floods\n",
    "names": "_names() { COMPREPLY=($'a b' 'c;d' '$(touch %s)' $'e\\e[31mf'); "
             "}\ncomplete -F _names names\n" % mark,
    "one": "_one() { COMPREPLY=('x$(touch %s);y'); }\n"
           "complete -F _one one\n" % mark,
    "room": "_room() { COMPREPLY=(room$(ulimit -v)end); }\n"
            "complete -F _room room\n",
    "words": "complete -W 'alpha beta' words\n",
    "spaceless": "_s() { compopt -o nospace; COMPREPLY=(key=); }\n"
                 "complete -F _s spaceless\n",
    "again": "_again() { complete -W second again; return 124; }\n"
             "complete -F _again again\n",
    "told": "_told() { COMPREPLY=(\"$COMP_CWORD:${COMP_WORDS[2]}:"
            "$COMP_POINT:${#COMP_LINE}:$3\"); }\ncomplete -F _told told\n",
}


def tab_until(s, typed, want, name):
    """A slow machine may not be done in time: then once more."""
    end = time.monotonic() + DEADLINE
    while True:
        s.rest = b""
        s.send("\x15" + typed + "\t")
        found = s.expect("(%s)|took too long" % want)
        if found is None or found.group(1) is not None or \
                time.monotonic() > end:
            break
    tap.ok(found is not None and found.group(1) is not None, name,
           s.seen[-600:].decode("utf-8", "replace"))
    return found


def loader():
    for name in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1",
                 "/lib/ld-linux-riscv64-lp64d.so.1"):
        if os.path.exists(name):
            return name
    return "/lib64/no-loader-known"


def terminal(fd):
    got = fcntl.ioctl(fd, 0x80045430, struct.pack("I", 0))  # TIOCGPTN
    return "/dev/pts/%d" % struct.unpack("I", got)[0]


def write(path, text, mode=0o644):
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)


def begin(**more):
    s = Session([program("aegsh")], env=dict(env, **more), cwd=home)
    s.expect(PROMPT)
    return s


with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
    conf.write('prompt = "%s"\ncompletion-dirs = "%s %s"\n' %
               (PROMPT, OURS, SYSTEM))
os.makedirs(home + "/bin")
os.makedirs(home + "/share/bash-completion/completions")
os.makedirs(home + "/.local/share/bash-completion/completions")
os.makedirs(OURS + "/completions")
write(home + "/plain.txt", "plain\n")
os.mkfifo(home + "/fifo")
for name in ("hostile", "helps", "yours", "beside"):
    write(home + "/bin/" + name, "#!/bin/sh\ntouch '%s'\necho ran\n" % mark,
          0o755)
for path in ("/.bash_completion",
             "/.local/share/bash-completion/completions/yours",
             "/share/bash-completion/completions/beside"):
    write(home + path, "echo x >'%s'\ncomplete -W 'of-the-user' yours beside\n"
          % mark)
env = dict(env, PATH=home + "/bin:" + env["PATH"])
for name, text in COMPLETIONS.items():
    write(os.path.join(OURS, "completions", name), text)

s = begin()
write(os.path.join(OURS, "completions", "hostile"), HOSTILE % {
    "mark": mark, "home": home, "loader": loader(), "victim": s.pid,
    "port": listener.getsockname()[1], "tty": terminal(s.fd),
    "store": os.path.join(root, "own")})
found = tab_until(s, "hostile ", r"said[-+a-z0-9]*", "a completion is asked")
said = found.group(1).decode() if found and found.group(1) else ""
for act in ("write", "append", "own", "command", "touch", "path", "loader",
            "loader2", "bash", "self", "sh", "kill", "killparent", "net",
            "tty", "pts", "readpts", "mem"):
    tap.ok(re.search(r"-%s\b" % act, said), "it cannot: " + act, said)
for act in ("getent", "sed"):
    tap.ok(re.search(r"\+%s\b" % act, said), "it may look by " + act, said)
tap.ok(not os.path.exists(mark), "nothing was left behind")

tab_until(s, "helps ", "safe", "a completion that asks the command itself")
tap.ok(b"ran" not in s.seen, "gets no answer from it")
tab_until(s, "getent ", "gend", "no helper is run to complete itself")
tab_until(s, "evals $(touch\\ x) '$(echo y >%s)' `echo z >%s` " % (mark, mark),
          "evaluated", "words that are evaluated")
tap.ok(not os.path.exists(mark) and not os.path.exists(home + "/x"),
       "do nothing, and neither does --help")

tab_until(s, "room ", "room%dend" % (512 * 1024),
          "there is so much room for each process")
tab_until(s, "words al", "pha ", "a list of words")
tab_until(s, "spaceless k", "ey=", "no blank where none is wanted")
s.send("end")
tap.ok(s.expect("end"), "behind it", s.rest)
tab_until(s, "again ", "second", "a completion that wants to be asked again")
tab_until(s, "told 'a b' --x=", r"3:--x:15:15:--x",
          "the words are split as bash does")
# What stands in the line is one word, whatever it is made of.
tab_until(s, "one ", r"x\\\$\\\(touch", "an answer is quoted")
s.send("\r")
s.expect(PROMPT)
tap.ok(not os.path.exists(mark), "and is no command")
tab_until(s, "names \t", r"e\^\[\[31mf", "answers are shown inert")
tap.ok(b"e\x1b[31mf" not in s.seen, "and never as they are")
for name in ("yours", "beside", home + "/bin/beside"):
    tab_until(s, name + " pl", r"ain\.txt",
              "where only the user has completions, files: " +
              os.path.basename(name))
tap.ok(b"of-the-user" not in s.seen and not os.path.exists(mark),
       "files of the user's are not read")

# What takes long, or says too much.
for name, want in (("spins", "took too long"), ("hangs", "took too long"),
                   # Or its room is used up before: then files, as without.
                   ("floods", r"took too long|ain\.txt")):
    s.rest = b""
    s.send("\x15" + name + " pl\t")
    tap.ok(s.expect(want), "one that " + name, s.rest[-300:])
s.send("\x15echo al''ive\r")
tap.ok(s.expect("alive"), "holds nothing up", s.rest[-300:])
s.expect(PROMPT)


def below(pid):
    """Processes that are left of completions, but for the one that waits for
    the next question, at the end of a pipe."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open("/proc/%s/stat" % name) as f:
                fields = f.read().rsplit(")", 1)[1].split()
            with open("/proc/%s/cmdline" % name, "rb") as f:
                words = f.read()
        except (OSError, IndexError):
            continue
        try:
            waits = os.readlink("/proc/%s/fd/3" % name).startswith("pipe:")
        except OSError:
            waits = False
        if b"__aeg" not in words or fields[0] == "Z" or waits:
            continue
        try:
            with open("/proc/%s/environ" % name, "rb") as f:
                ours = home.encode() in f.read()
        except OSError:     # gone meanwhile, or somebody else's
            continue
        if ours:
            found.append((name, fields[0], fields[1], words[-80:]))
    return found


# The one that waits is started anew when a prompt has come: one look at which
# there is no other is enough, a second might see it start.
left = []


def none_left():
    left[:] = below(s.pid)
    return not left


until(none_left)
tap.same(left, [], "and leaves no process behind")

# Who may write to a directory of completions is not believed.
os.chmod(OURS + "/completions", 0o777)
s.send("\x15words al\t")
s.send("\x15echo do''ne\r")
s.expect("done\r")
tap.ok(b"words alpha" not in s.seen.split(b"alive")[-1],
       "a directory that others can write to is left out")
os.chmod(OURS + "/completions", 0o755)
s.close()

if os.path.exists(SYSTEM + "/completions/tar"):
    s = begin()
    open(home + "/some.tar", "w").close()
    if os.path.exists("/usr/share/man/man1/ls.1.gz"):
        tab_until(s, "ls --col", "or=", "an option of ls, from its manual")
        tab_until(s, "mandoc -T\x15ls --colo", "r=", "and so once more")
    else:
        tap.skip("an option from a manual", "manual pages are not here")
    tab_until(s, "tar xf so", r"me\.tar", "an archive for tar")
    if os.path.exists(SYSTEM + "/completions/git"):
        tab_until(s, "git --no-pag", "er ", "an option of git")
        os.makedirs(home + "/repo/.git/refs/heads/feature")
        os.makedirs(home + "/repo/.git/objects")
        write(home + "/repo/.git/HEAD", "ref: refs/heads/feature/one\n")
        write(home + "/repo/.git/refs/heads/feature/one", "0" * 40 + "\n")
        write(home + "/repo/.git/packed-refs", "# pack-refs with: peeled\n"
              "%s refs/heads/packed-branch\n%s refs/tags/tagged\n" %
              ("0" * 40, "0" * 40))
        os.makedirs(home + "/repo/below")
        s.send("\x15cd repo/below\r")
        s.expect(PROMPT)
        tab_until(s, "git cherr", "y", "a command of git, which is not run")
        tab_until(s, "git checkout fea", "ture/one ", "a branch")
        tab_until(s, "git checkout pack", "ed-branch ", "a packed one")
        tab_until(s, "git checkout tag", "ged ", "and a tag")
        s.send("\x15cd\r")
        s.expect(PROMPT)
    else:
        tap.skip("an option of git", "git has no completions here")
    if os.path.exists(SYSTEM + "/completions/systemctl") and \
            shutil.which("systemctl"):
        tab_until(s, "systemctl daemon-rel", "oad ", "a verb of systemctl")
    else:
        tap.skip("a verb of systemctl", "systemd is not here")
    s.close()
else:
    tap.skip("installed completions", "bash-completion is not installed")

# Each of them can be switched off.
for value, shown in (("names", r"plain\.txt"), ("off", r"\x07")):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "%s"\ncompletion-dirs = "%s"\ncompletion = "%s"\n'
                   % (PROMPT, OURS, value))
    s = begin()
    s.send("words \t")
    tap.ok(s.asked("words pl\t", shown), "completion = " + value, s.rest)
    tap.ok(b"alpha" not in s.seen, "asks none: " + value)
    s.close()
listener.close()
tap.done()
