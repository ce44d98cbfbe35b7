# SPDX-License-Identifier: ISC
"""Sudo inside of a line: aegsh judges, records and starts it, outside of the
line's sandbox; and nothing that the line does to what carries its words, or to
the way there, lets it run what was not judged."""
import os
import shutil
import signal
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from elevate_rig import (  # noqa: E402
    A, CTL, DEADLINE, ENV, HOME, NAME, PASSWORD, PROMPT, ROOT, SHIMS, UID,
    Session, events, history, leave, line, own, popen, prompt, rows, run,
    sudoers, tap, write)
from procs import command_line, until  # noqa: E402

MINE = str(os.getpid())     # in the words of what this run looks for in /proc
sudoers("%s ALL=(ALL:ALL) NOPASSWD:SETENV: ALL\n"
        "%s ALL=(ALL:ALL) PASSWD: /usr/bin/nproc\n" % (NAME, NAME))
write(ROOT + "/etc/policy.d/50-site.conf", """
profile "role" {
	extends = "admin"
	sandbox = "admin"
	elevate = broker
	elevated = direct
	elevate_variables = { FROM_SITE, 'LD_*', EDITOR, MAKEFLAGS, 'TAR_*' }
}
profile "asks" {
	extends = "role"
	use = { common, seed-block, seed-confirm }
}
rule "site.ask" {
	decision = warn
	reason = "the site asks about that"
	command = { uname }
}
rule "site.block" {
	decision = block
	reason = "the site forbids that"
	command = { sync }
}
""")
direct = run("sudo", "-n", "id", "-u")
if direct != (0, "0\n", ""):
    leave("sudo does not work here at all: %r" % (direct,))

REFUSED = "aegsh: %s: not run"
UNASKED = REFUSED % "sudo" + ", as nobody is here to be asked: "


def refused(text, why, name="sudo"):
    """Of a script that says so: the line itself is about no such thing."""
    own("call.sh", "#!/bin/sh\n" + text.replace("", "") + "\n",
        0o755)
    done = line("./call.sh")
    tap.ok(done[0] == 126 and done[1] == "" and
           done[2].startswith(REFUSED % name) and why in done[2] and
           done[2].count("\n") == 1, "refused: " + text, done)


# ---- what works -----------------------------------------------------------
for text, want in (
        ("sudo -n id -u", (0, "0\n", "")),
        (":; sudo -n id -u; echo $?", (0, "0\n0\n", "")),
        ("sudo -n -u nobody id -un", (0, "nobody\n", "")),
        ("sudo -n -g daemon id -gn", (0, "daemon\n", "")),
        ("echo $(sudo -n id -u)", (0, "0\n", "")),
        ("sudo -n cat /nonexistent 2>/dev/null; echo $?", (0, "1\n", "")),
        ("echo x | sudo -n cat; echo y | sudo -n cat -n",
         (0, "x\n     1\ty\n", "")),
        ("cd /usr; sudo -n pwd", (0, "/usr\n", "")),
        ("umask 077; sudo -n stat -c %a .", (0, "755\n", "")),
        ("for i in 1 2 3; do sudo -n id -u; done", (0, "0\n0\n0\n", "")),
        ("sudo -n id -u & wait", (0, "0\n", "")),
        ("sh -c 'sudo -n id -u'; echo", (0, "0\n\n", "")),
        ("sudo -kn true; echo $?", (0, "0\n", "")),
        ("sudo -n -- id -u", (0, "0\n", "")),
        ("printf '%s\\n' 1 2 | xargs -n1 sudo -n echo", (0, "1\n2\n", ""))):
    tap.same(line(text), want, text)
tap.ok(line("sudo -n -l")[1].find("NOPASSWD") > 0, "sudo -l")
done = line("sudo -n nproc")
tap.ok(done[0] == 1 and "password" in done[2], "what sudo itself says", done)
tap.same(line("sudo -S -p '' nproc")[0], 126, "an option of no list")
done = line("echo '%s' | sudo -S nproc 2>/dev/null" % PASSWORD)
tap.ok(done[0] == 0 and done[1].strip().isdigit(), "a password by -S", done)


def asleep(number):
    """What sleep(1) is told to sleep, in this run alone."""
    return "%d.%s" % (number, MINE)


def find(*words):
    """A process that runs these."""
    for pid in os.listdir("/proc"):
        if pid.isdigit() and command_line(int(pid)).split(b"\0")[:-1] == [
                w.encode() for w in words]:
            return int(pid)
    return 0


def terminate(*words):
    pid = find(*words)
    if pid > 0:     # 0 is everybody of our group
        os.kill(pid, signal.SIGTERM)


p = popen(A, "-c", ":; sudo -n sleep %s; echo $?" % asleep(4711))
tap.ok(until(lambda: find("/usr/bin/sleep", asleep(4711))), "it runs")
terminate("/usr/bin/sleep", asleep(4711))
tap.same(p.communicate(timeout=DEADLINE)[0], "143\n", "death by a signal")
tap.same(line("echo $PATH; :")[1].split(":")[0], SHIMS,
         "what stands for it is first in the PATH of a line")

# ---- the record -----------------------------------------------------------
got = rows("sudo -n /usr/bin/id -u")[-1]
tap.same((got["decision"], got["status"], got["cwd"]), ("allow", 0, HOME),
         "a row of its own")
got = rows("sudo -n /usr/bin/pwd")[-1]
tap.same(got["cwd"], "/usr", "where it was called")
got = rows("sudo -n /usr/bin/cat /nonexistent")[-1]
tap.same(got["status"], 1, "its status")

# ---- judged by itself -----------------------------------------------------
own("mine", "#!/bin/sh\nid -u\n", 0o755)
shutil.copy("/usr/bin/id", HOME + "/theirs")
os.chown(HOME + "/theirs", UID, UID)
for text, why in (
        ("sudo -n sync", "the site forbids that"),
        ("sudo -n uname", "the site asks about that"),
        ("sudo -n sh -c id", "runs whatever it is told"),
        ("sudo -n python3 -c 1", "runs whatever it is told"),
        ("sudo -n awk 1", "runs whatever it is told"),
        ("sudo -n vi x", "whatever it is told"),
        ("sudo -n ./mine", "is not known"),
        ("sudo -n theirs", "is not known"),
        ("sudo -n %s/theirs" % HOME, "others than root"),
        ("sudo -n %s/mine" % HOME, "others than root"),
        ("sudo -n nosuchprogram", "is not known"),
        ("sudo -n env ./mine", ""),
        ("sudo -n nice %s/theirs" % HOME, "others than root"),
        ("sudo -n tar cf /dev/null .", ""),
        ("sudo -i", "would start a shell"),
        ("sudo -s", "would start a shell"),
        ("sudo -sn id", "would start a shell"),
        ("sudo", "would start a shell"),
        ("sudo -u nobody", "would start a shell"),
        ("sudo -e", "no file to edit"),
        ("sudo --edi /etc/motd", "the option edi of sudo"),
        ("sudo -A id", "the option A of sudo"),
        ("sudo -b id", "the option b of sudo"),
        ("sudo -D / id", "the option D of sudo"),
        ("sudo -R / id", "the option R of sudo"),
        ("sudo -C 9 id", "the option C of sudo"),
        ("sudo -h localhost id", "the option h of sudo"),
        ("sudo -nqid", "the option q of sudo"),
        ("sudo X=1 -n id", "the variable X"),
        ("sudo FROM_SITE=1 -i", "options of sudo stand before"),
        ("sudo LD_PRELOAD=x id", "the variable LD_PRELOAD"),
        ("sudo EDITOR=x id", "the variable EDITOR"),
        ("sudo MAKEFLAGS=x id", "the variable MAKEFLAGS"),
        ("sudo TAR_OPTIONS=x id", "the variable TAR_OPTIONS"),
        ("sudo --preserve-env=FROM_SITE,PATH id",
         "the variable PATH"),
        ("sudo -- X=1 id", "is not known")):
    refused(text, why)
for text, why in (("su", "would start a shell"),
                  ("su -", "would start a shell"),
                  ("su -c id nobody", ""),
                  ("su -c id nobody -x", ""),
                  ("su -s /bin/sh -c id", "would start a shell"),
                  ("doas id", "there is no doas"),
                  ("pkexec", "pkexec")):
    # That of doas, where there is one, is what elevate_real.py tries.
    if os.path.exists("/usr/bin/" + text.split()[0]) != ("no doas" in why):
        refused(text, why, text.split()[0])
for text in ("env LD_PRELOAD=./x.so id", "nice env -i FOO=1 id",
             "chroot . ls", "dpkg -i ./x.deb", "apt-get install ./x.deb",
             "make install", "insmod ./x.ko", "systemd-run id", "ed x",
             "git pull", "install -m 4755 theirs /usr/bin/x", "find . -exec id",
             "chmod u+s theirs", "cp theirs /etc/cron.d/x", "less /etc/motd",
             "ssh -o ProxyCommand=id h", "rsync -e ./x a b:c", "nsenter -t 1",
             "tar xf x.tar --to-command=id", "watch id", "xargs id", "script",
             "/lib64/ld-linux-x86-64.so.2 /usr/bin/id", "strace id", "screen",
             "tcpdump -z ./x", "mount x /mnt", "visudo", "su", "bash"):
    own("call.sh", "#!/bin/sh\nsudo -n " + text + "\n", 0o755)
    done = line("./call.sh")
    tap.ok(done[0] in (126, 127) and done[1] == "" and
           REFUSED % "sudo" in done[2], "not without a person: " + text, done)
got = [r for r in history() if r["line"] == "sudo -n /usr/bin/sync"][-1]
tap.same((got["decision"], got["rule"]), ("block", "site.block"),
         "what is refused is on record")

# ---- the environment ------------------------------------------------------
hostile = {"EDITOR": "/tmp/e", "VISUAL": "/tmp/e", "PAGER": "/tmp/p",
           "SHELL": "/tmp/s", "LD_PRELOAD": "", "SUDO_ASKPASS": "/tmp/a",
           "SUDO_EDITOR": "/tmp/e", "PYTHONPATH": "/tmp", "SECRET_X": "1",
           "PERL5OPT": "-d", "LANG": "/tmp/x", "BASH_ENV": "/tmp/b",
           "FROM_SITE": "yes", "LD_LIBRARY_PATH": "", "TERM": "../x"}
done = line("sudo -n printenv", env=hostile)
env = dict(x.split("=", 1) for x in done[1].splitlines() if "=" in x)
tap.ok(env.get("FROM_SITE") == "yes", "a variable that the profile names",
       done)
tap.ok(not [n for n in env if n in hostile and n not in (
    "FROM_SITE", "SHELL", "LANG", "TERM")], "and none of the others", env)
tap.ok(env.get("LANG") != "/tmp/x" and env.get("TERM") != "../x" and
       env.get("SHELL") != "/tmp/s" and env.get("HOME") in ("/root", HOME),
       "no path to a file of the user's", env)
env = line("sudo -n -E printenv", env=hostile)[1]
tap.ok("FROM_SITE=yes" in env and "SECRET_X" not in env and
       "/tmp" not in env.replace(HOME, "").replace(ROOT, ""),
       "nor by -E, which sudoers lets have all", env)
refused("sudo -n FROM_SITE=2 printenv", "an environment of its own")

done = run(A, "-c", "sudo -n frobnicate; true")
tap.ok(UNASKED in done[2] and " [elevate-unsure]; instead: " in done[2],
       "the rule, and what to do instead", done)

# ---- without a role -------------------------------------------------------
done = run(A, "--profile", "admin", "-c", "echo $PATH; %s/sudo id" % SHIMS)
tap.ok(SHIMS not in done[1] and done[0] == 126 and
       "the profile lets no line become another user" in done[2],
       "elevate = no", done)
done = run(A, "--profile", "admin", "-c", "sudo -n id")
tap.ok(done[0] == 126 and "(elevate = no)" in done[2] and
       "no new privileges" not in done[2], "refused before sudo is", done)
done = run(CTL, "test", "--profile", "admin", "sudo -n id")
tap.ok(done[0] == 2 and done[1].startswith("block: ") and
       "(elevate = no)" in done[1], "and aegshctl test says so", done)
done = run(A, "--profile", "admin", "-c", "su --version")
tap.ok(done[0] == 0 and done[1].startswith("su "), "but for what it tells",
       done)
done = run(SHIMS + "/sudo", "id")
tap.ok(done[0] == 126 and "there is none around" in done[2],
       "outside of any line", done)

# ---- a person -------------------------------------------------------------
ASKS = r"Run it\? \[y/N/\?\] "
OWN_ASKS = r"Run it\? \[y/N(?:/t)?/e/\?\] "
TOLD = "a program of the line that runs wants this, in "
own("call.sh", "#!/bin/sh\nsudo uname\n", 0o755)
own("wait.sh", "#!/bin/sh\nuntil [ -e go ]; do :; done\nexec ./call.sh\n",
    0o755)


def until_asked(s, text, pattern=ASKS):
    s.line(text)
    found = s.expect(r"(?s)(.*?)" + pattern)
    return found.group(1).decode() if found else ""


def answer(s, text):
    s.line(text)
    found = s.expect(r"(?s)(.*?)" + PROMPT)
    return found.group(1).decode().replace("\r", "") if found else ""


s = prompt()
tap.ok("assword" in until_asked(s, "sudo nproc", "for %s: " % NAME),
       "a password is asked for")
tap.same(answer(s, PASSWORD).strip(), str(os.cpu_count()), "and taken")
got = until_asked(s, "./call.sh")
tap.ok("the site asks about that (" + TOLD + HOME + ")" in got and
       "line: sudo /usr/bin/uname" in got, "a question", got)
tap.ok("Linux" in answer(s, "y"), "yes")
until_asked(s, "./call.sh")
got = answer(s, "n")
tap.ok("Linux" not in got and "aegsh: sudo: not run: " in got, "no", got)
got = [r for r in history() if r["line"] == "sudo /usr/bin/uname"]
tap.same([r["answer"] for r in got][-2:], ["yes", "no"],
         "both are on record")
got = until_asked(s, "sudo FROM_SITE=2 printenv FROM_SITE")
tap.same(answer(s, "y"), "y\n2\n", "VAR=value of a name of the profile")
s.line("sudo sleep " + asleep(4712))
tap.ok(until(lambda: find("/usr/bin/sleep", asleep(4712))), "it runs")
s.send("\x1a")
tap.ok(s.expect(PROMPT) and "Stopped" in s.run("jobs", PROMPT), "Ctrl-Z")
s.line("fg")
s.expect("sudo sleep 4712")
pid = find("/usr/bin/sleep", asleep(4712))


def state(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "gone"


tap.ok(until(lambda: state(pid) == "S"), "fg")
s.send("\x03")
tap.ok(s.expect(PROMPT) and s.run("echo $?", PROMPT) == "130\n", "Ctrl-C")
s.line("sudo sh -c 'kill -STOP $$; echo on'")
s.expect(ASKS)
s.line("y")
tap.ok(s.expect(PROMPT), "it stops itself alone")
s.line("fg")
tap.ok(s.expect("\non\r\n.*" + PROMPT), "and goes on")

# What was typed before the question does not answer it; and all of the line
# stands still meanwhile.
NOISE = "./noise-%s.sh" % MINE
own(NOISE, "#!/bin/sh\nuntil [ -e quiet ]; do echo >noise; done\n",
    0o755)
until_asked(s, NOISE + " & ./wait.sh; touch quiet; wait", OWN_ASKS)
s.line("y")
tap.ok(until(lambda: os.path.exists(HOME + "/noise")), "a line runs")
noise = find("/bin/sh", NOISE)
s.send("y\ry\r")
own("go", "")
s.expect(ASKS)
# Told to stop before the question; it has to get a processor to do so.
tap.ok(until(lambda: state(noise) == "T"), "the rest of the line stands still")
got = answer(s, "n")
tap.ok("Linux" not in got and "not run" in got, "keys typed ahead", got)
os.unlink(HOME + "/go")

# ---- approved with the line -----------------------------------------------
until_asked(s, "sudo uname", OWN_ASKS)
tap.same(answer(s, "y"), "y\nLinux\n", "yes to the line is yes to it")
until_asked(s, "sudo uname; sudo uname", OWN_ASKS)
tap.same(answer(s, "y"), "y\nLinux\nLinux\n", "for each time it stands there")
until_asked(s, "sudo uname; ./call.sh", OWN_ASKS)
got = until_asked(s, "y")
tap.ok("Linux" in got and TOLD in got, "and not once more", got)
answer(s, "n")
until_asked(s, "for i in 1 2; do sudo uname; done", OWN_ASKS)
got = until_asked(s, "y")
tap.ok("Linux" in got and TOLD in got, "nor in a loop", got)
answer(s, "n")
for name, text in (("another input", "./call.sh </dev/null; sudo uname"),
                   ("another output", "./call.sh >/dev/null; sudo uname"),
                   ("another directory", "(cd /; ~/call.sh); sudo uname")):
    until_asked(s, text, OWN_ASKS)
    got = until_asked(s, "y")
    tap.ok("Linux" not in got and TOLD in got, "not with " + name, got)
    tap.same(answer(s, "n").split("\n")[-2], "Linux", "which leaves it to "
             "the line")
until_asked(s, "cd /; sudo uname", OWN_ASKS)
got = until_asked(s, "y")
tap.ok(TOLD + "/)" in got, "not where the line went later", got)
answer(s, "n")
s.run("cd ~", PROMPT)
# A survivor of the line, which is over.
own("late.sh", "#!/bin/sh\nuntil [ -e late ]; do :; done\nsudo uname >out 2>&1"
    "\necho done >>out\n", 0o755)
until_asked(s, "[ -e never ] && sudo uname; ./late.sh &", OWN_ASKS)
answer(s, "y")
own("late", "")


def said():
    try:
        with open(HOME + "/out") as f:
            return f.read()
    except OSError:
        return ""


# A prompt hears of it as it hears of jobs.
tap.ok(until(lambda: "done" in said()), "a job behind the prompt")
tap.ok("Linux" not in said() and "in the background" in said(),
       "is not asked about, nor approved", said())

# ---- without job control --------------------------------------------------
one = Session([A, "-c", ":; ./call.sh"], ENV, cwd=HOME, uid=UID)
got = one.expect(r"(?s)(.*?)" + ASKS)
tap.ok(got and TOLD in got.group(1).decode(), "a question of a -c")
one.line("y")
tap.ok(one.expect("Linux") and one.wait() == 0, "and its answer")
one.close()

# ---- another file by the time it runs -------------------------------------
got = until_asked(s, "sudo ~/theirs -u")
shutil.copy("/usr/bin/id", HOME + "/other")
os.rename(HOME + "/other", HOME + "/theirs")
got = answer(s, "y")
tap.ok("is not what was judged any more" in got and "0\n" not in got,
       "swapped while the question was open", got)
s.close()

# ---- what a command does to the way there ---------------------------------
own("knock.py", r'''
import array, ctypes, os, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
CALL = {"x86_64": 294, "aarch64": 26, "riscv64": 26}[os.uname().machine]
VERSION = sys.argv[1].encode() + b"\0"


def knock():
    fd = libc.syscall(CALL, 0x61656774)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "knock")
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=fd)


def frame(kind, body, magic=0x41454757, length=None):
    return struct.pack("=IIII", magic, kind, 0, len(body) if length is None
                       else length) + body


def head(total, words, version=VERSION):
    return version + struct.pack("=II", total, words)


def send(s, data, fds=()):
    try:
        s.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                            array.array("i", fds))] if fds else [])
    except BrokenPipeError:
        pass        # it has hung up already


def std(cwd="."):
    return [0, 1, 2, os.open(cwd, os.O_PATH)]


def words(*argv):
    return b"".join(w.encode() + b"\0" for w in argv)


def call(s, *argv, fds=None):
    body = words(*argv)
    send(s, frame(1, head(len(body), len(argv))), std() if fds is None
         else fds)
    send(s, frame(2, body))


def end(s):
    """What comes back: texts, and the status, or None: it hung up."""
    text = b""
    while True:
        try:
            data = s.recv(1 << 18)
        except ConnectionResetError:
            return text.decode(), None
        if not data:
            return text.decode(), None
        kind = struct.unpack("=IIII", data[:16])[1]
        if kind == 3:
            text += data[16:]
        if kind == 5:
            return text.decode(), os.waitstatus_to_exitcode(
                struct.unpack("=I", data[16:20])[0])
''')


def attack(text):
    own("attack.py", "import sys\nsys.path.insert(0, '.')\n"
        "from knock import *\n" + text)
    return line("python3 ./attack.py '%s'" % VERSION)


VERSION = run(A, "--version")[1].split()[1]
tap.same(attack("s = knock()\ncall(s, 'sudo', '-n', 'id', '-u')\n"
                "print(end(s))"), (0, "0\n('', 0)\n", ""),
         "who speaks its language is answered")
before = len(history())
body = "b = words('sudo', '-n', 'id')\n"
for name, text in (
        ("bytes", "send(s, b'x' * 100)"),
        ("nothing", "s.shutdown(socket.SHUT_WR)"),
        ("another magic", body + "send(s, frame(1, head(len(b), 3), 7), "
         "std())"),
        ("a length that is not its own", body +
         "send(s, frame(1, head(len(b), 3), length=9), std())"),
        ("another version", body + "send(s, frame(1, head(len(b), 3, "
         "b'9\\0'), ), std())"),
        ("no descriptors", body + "send(s, frame(1, head(len(b), 3)))"),
        ("three of them", body + "send(s, frame(1, head(len(b), 3)), "
         "std()[:3])"),
        ("five of them", body + "send(s, frame(1, head(len(b), 3)), "
         "std() + [1])"),
        ("two gigabytes to come", "send(s, frame(1, head(1 << 31, 3)), "
         "std())"),
        ("nothing to come", "send(s, frame(1, head(0, 0)), std())"),
        ("no words", body + "send(s, frame(1, head(len(b), 0)), std())\n"
         "send(s, frame(2, b))"),
        ("more words than come", body + "send(s, frame(1, head(len(b), 9)), "
         "std())\nsend(s, frame(2, b))"),
        ("more than was said", body + "send(s, frame(1, head(len(b), 3)), "
         "std())\nsend(s, frame(2, b + b'x\\0'))"),
        ("no NUL at the end", body + "send(s, frame(1, head(len(b) - 1, 3)), "
         "std())\nsend(s, frame(2, b[:-1]))"),
        ("an empty one", body + "send(s, frame(1, head(len(b), 3)), std())\n"
         "send(s, frame(2, b''))"),
        ("words with descriptors", body + "send(s, frame(1, head(len(b), 3)),"
         " std())\nsend(s, frame(2, b), [1])"),
        ("an answer", "send(s, frame(5, struct.pack('=I', 0)), std())"),
        ("words before the head", body + "send(s, frame(2, b))")):
    done = attack("s = knock()\n%s\nprint(end(s))" % text)
    tap.same(done, (0, "('', None)\n", ""), "it hears " + name)
ran = [r for r in history()[before:] if "attack.py" not in r["line"]]
tap.same(ran, [], "and nothing of that ran, or was judged")
# But for who hung up before saying anything.
tap.same(len([e for e in events() if e[0] == "call-malformed"]), 17,
         "each is on record")
for name, text, why in (
        ("a file for a directory", "call(s, 'sudo', '-n', 'id', "
         "fds=[0, 1, 2, os.open('attack.py', os.O_PATH)])", "cannot be"),
        ("a directory that is gone", "os.mkdir('gone')\nf = std('gone')\n"
         "os.rmdir('gone')\ncall(s, 'sudo', '-n', 'id', fds=f)", "is gone"),
        ("a session of its own", "s.close()\nos.fork() and (os.wait(), "
         "os._exit(0))\nos.setsid()\ns = knock()\n"
         "call(s, 'sudo', '-n', 'id')", "a session of its own"),
        ("one that has ended", "s.close()\nr, w = socket.socketpair()\n"
         "if os.fork() == 0:\n  s = knock()\n  socket.send_fds(w, [b'x'], "
         "[s.fileno()])\n  os._exit(0)\nos.wait()\n"
         "s = socket.socket(fileno=socket.recv_fds(r, 1, 1)[1][0])\n"
         "call(s, 'sudo', '-n', 'id')", "a session of its own"),
        ("another name", "call(s, 'bash', '-c', 'id')", "no program by"),
        ("no name", "call(s, '', '-c', 'id')", "no program by")):
    done = attack("s = knock()\n%s\nprint(end(s))" % text)
    tap.ok(done[0] == 0 and why in done[1] and ", 126)" in done[1] and
           "uid=" not in done[1], "refused: " + name, done)
done = attack("d = os.getcwd()\ns = knock()\n"
              "call(s, 'sudo', '-n', 'pwd', fds=std('/usr'))\n"
              "print(end(s))")
tap.ok(done[1].startswith("/usr\n") and
       rows("sudo -n /usr/bin/pwd")[-1]["cwd"] == "/usr",
       "what was judged is where it runs", done)
# Renamed while it is judged: it runs in that very directory, or not at all.
done = attack("""
import threading
os.mkdir('one')
os.mkdir('two')
open('one/it', 'w').close()
stop = False
def race():
    while not stop:
        os.rename('one', 'three')
        os.rename('two', 'one')
        os.rename('one', 'two')
        os.rename('three', 'one')
t = threading.Thread(target=race)
f = std('one')
t.start()
for i in range(20):
    r, w = os.pipe()
    s = knock()
    call(s, 'sudo', '-n', 'ls', fds=[0, w, 2, f[3]])
    os.close(w)
    e = end(s)
    print(e[1] == 126 or os.read(r, 99) == b'it\\n')
    os.close(r)
stop = True
t.join()
""")
tap.same(done[1], "True\n" * 20, "a race for the directory")
# Killed or stopped, it takes nothing along.
own("go.sh", "#!/bin/sh\nsudo -n sleep %s >/dev/null 2>&1 &\n"
    "until pgrep -f 'bin/sleep %s' >/dev/null; do :; done\n"
    "kill -9 $!\nwait $!\necho $?\n" % (asleep(4713), asleep(4713)), 0o755)
done = line("./go.sh")
tap.ok(done[:2] == (0, "137\n"), "killed, it ends as what is killed", done)
tap.ok(until(lambda: find("/usr/bin/sleep", asleep(4713))),
       "what it asked for goes on")
terminate("/usr/bin/sleep", asleep(4713))
LAST = "sudo -n /usr/bin/sleep " + asleep(4713)
tap.ok(until(lambda: rows(LAST)[-1]["status"] == 143),
       "and is on record to its end")
done = attack("""
s = knock()
got = []
for p in os.listdir('/proc'):
    try:
        name = open('/proc/%s/comm' % p).read().strip()
    except OSError:
        continue
    if name not in ('aegsh-broker', 'aegsh-watch', 'aegsh-host'):
        continue
    for what in (lambda: os.kill(int(p), 9), lambda: os.kill(int(p), 19),
                 lambda: open('/proc/%s/mem' % p, 'r+b'),
                 lambda: os.listdir('/proc/%s/fd' % p)):
        try:
            what()
            got.append(name)
        except OSError:
            pass
call(s, 'sudo', '-n', 'id', '-u')
print(got, end(s))
""")
tap.same(done[1], "0\n[] ('', 0)\n", "who serves it is out of reach")
done = attack("""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (4096,) * 2)
held = []
try:
    while True:
        held.append(knock())
except OSError as e:
    print(e.errno, len(held) > 1000)
del held
s = None
while s is None:        # until those are found to be gone
    try:
        s = knock()
    except BlockingIOError:
        os.sched_yield()
call(s, 'sudo', '-n', 'id', '-u')
print(end(s))
""")
tap.same(done, (0, "0\n11 True\n('', 0)\n", ""),
         "more than can wait, and none that is heard")
done = line("seq 200 | xargs -P 50 -n1 sudo -n echo | sort -n | md5sum; "
            "seq 200 | md5sum")
tap.ok(done[0] == 0 and len(set(done[1].splitlines())) == 1,
       "two hundred at a time", done)
tap.same(len([r for r in history() if r["line"].startswith(
    "sudo -n /usr/bin/echo ") and r["status"] == 0]), 202,
    "and each on record")
tap.done()
