#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Programs that start the login shell themselves, beside bash: su, sudo,
cron, make, ansible; and those that start it inside of a line of aegsh:
script, an editor's :!, terminal multiplexers, mosh."""

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
import ssh_rig  # noqa: E402
from pty_session import Session  # noqa: E402
from procs import DEADLINE, until  # noqa: E402
from ssh_rig import which  # noqa: E402
from tap import Tap  # noqa: E402

t = Tap()
why = ssh_rig.missing()
if os.getuid() != 0:
    why = "only root can give a throw-away user a login shell"
if why:
    t.skip("who starts a login shell", why)
    t.done()
rig = ssh_rig.Rig()
OURS, BASH = rig.aegsh, "/bin/bash"
SFTP = "Subsystem sftp " + ssh_rig.SFTP_SERVER
rig.sshd("plain", SFTP)
rig.sshd("forced", SFTP, "ForceCommand " + OURS)
NAMES = sorted(rig.test_env)
AS_ROOT = dict(rig.env(), **rig.test_env)


def settings(*lines):
    rig.write("etc/aegsh.conf", "".join(line + "\n" for line in lines))


def put(name, text, mode=0o644):
    path = rig.write(os.path.join(rig.home, name), text, mode)
    rig.own(path)
    return path


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if not isinstance(value, bytes):
        return value
    value = re.sub(rb"(?m)^-?(bash|aegsh|%s|/bin/bash): (line \d+: )"
                   % re.escape(OURS.encode()), rb"SHELL: \2", value)
    return re.sub(rb"(?m)^SHELL=.*", b"SHELL=", value)


def home():
    rig.fresh_home(lambda h: None)
    put("Makefile", "all:\n\t@echo made; echo $$((1+1)); printenv MAKELEVEL\n"
        "bad:\n\t@no-such-command\n")


def both(name, run):
    """The same with either login shell."""
    got = []
    for shell in (BASH, OURS):
        rig.login_shell(shell)
        home()
        got.append(plain(run(shell)))
    t.same(got[1], got[0], name)
    return got[0]


# ---- cron: a daemon of our own, which looks once a minute --------------------

CRON = "/usr/sbin/cron"
PRIVATE = """set -e
mount -t tmpfs none /var/spool/cron
mkdir -m 1730 /var/spool/cron/crontabs
install -m 600 -o %(user)s -g crontab %(tab)s /var/spool/cron/crontabs/%(user)s
mount -t tmpfs none /etc/cron.d
mount --bind /dev/null /etc/crontab
mount -t tmpfs none /run
exec cron -f
"""


def start_cron():
    if not os.access(CRON, os.X_OK):
        t.skip("cron", "cron is not installed")
        return None
    global cron_out
    cron_out = tempfile.mkdtemp(prefix="t-ssh-cron-", dir="/tmp")
    os.chown(cron_out, rig.uid, rig.gid)
    atexit.register(shutil.rmtree, cron_out, True)
    lines = ["%s=%s" % (n, rig.test_env[n]) for n in NAMES]
    for name, shell in (("bash", BASH), ("aegsh", OURS)):
        lines += ["SHELL=" + shell,
                  "* * * * * (echo job; pwd; cat; env | grep -v '^_=' | sort;"
                  " no-such-command) >%s/%s 2>&1; echo $? >%s/%s.done"
                  "%%on standard input" % (cron_out, name, cron_out, name)]
    tab = rig.write("tab", "\n".join(lines) + "\n")
    log = open(rig.path("cron.log"), "wb")
    # Mounts of its own: the machine's tables and its cron stay as they are.
    p = subprocess.Popen(["unshare", "-m", "sh", "-c", PRIVATE %
                          {"user": rig.user, "tab": tab}],
                         stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                         preexec_fn=ssh_rig.default_signals)
    return p


def cron_done(p):
    if p is None:
        return
    there = [os.path.join(cron_out, n + ".done")
             for n in ("bash", "aegsh")]
    came = until(lambda: all(os.path.exists(f) for f in there) or
                 p.poll() is not None, 60 + DEADLINE)
    if p.poll() is not None:
        with open(rig.path("cron.log"), errors="replace") as f:
            t.skip("cron", "it cannot have mounts of its own here: " +
                   f.read().strip().replace("\n", "; "))
        return
    p.terminate()
    p.wait()
    if not t.ok(came, "cron starts its jobs"):
        return
    outs = []
    for name in ("bash", "aegsh"):
        with open(os.path.join(cron_out, name), "rb") as f:
            outs.append(plain(f.read()))
    t.same(outs[1], outs[0], "a job of cron with SHELL=aegsh")
    t.ok(b"on standard input" in outs[0] and b"job\n" in outs[0],
         "it has its input", outs[0])


# ---- from outside -------------------------------------------------------------

def su(*words):
    return lambda shell: rig.run(["su"] + [w.replace("USER", rig.user)
                                           for w in words], env=AS_ROOT,
                                 data=b"from stdin\n")


settings()
WHITE = ",".join(NAMES)
both("su -c", su("USER", "-c", "pwd; id -un; cat; exit 3"))
both("su - -c", su("-w", WHITE, "-", "USER", "-c", "pwd; printenv HOME USER LOGNAME SHLVL TERM; exit 4"))
both("su -, a stream", su("-w", WHITE, "-", "USER"))
both("su, a command that is not there", su("USER", "-c", "no-such-command"))
if which("sudo"):
    DROP = "/etc/sudoers.d/t-ssh-%d" % os.getpid()
    try:
        with open(DROP, "w") as f:
            f.write("Defaults:root env_keep += \"%s\"\n" % " ".join(NAMES))
        os.chmod(DROP, 0o440)

        def sudo(*words):
            return lambda shell: rig.run(
                ["sudo", "-n", *(w.replace("USER", rig.user) for w in words)],
                env=dict(AS_ROOT, SHELL=shell), data=b"from stdin\n")
        both("sudo -i -u", sudo("-i", "-u", "USER", "echo", "a b", "$HOME; x",
                                "*"))
        both("sudo -i -u, a pipeline", sudo("-i", "-u", "USER", "sh", "-c",
                                            "pwd; cat | tr a-z A-Z; exit 5"))
        both("sudo -u -s", sudo("-u", "USER", "-s", "echo", "it's", "\"q\""))
        both("sudo -i -u, a stream", sudo("-i", "-u", "USER"))
    finally:
        os.unlink(DROP)
else:
    t.skip("sudo -i -u", "sudo is not installed")
if which("make"):
    both("make SHELL=", lambda shell: rig.as_user(
        ["make", "-s", "SHELL=" + shell]))
    both("make SHELL=, a recipe that fails", lambda shell: rig.as_user(
        ["make", "-s", "SHELL=" + shell, "bad"]))
cron = start_cron()

# ---- ansible ------------------------------------------------------------------

PLAY = """- hosts: all
  gather_facts: no
  tasks:
  - ping:
  - command: printf '%s|' a "b c"
    register: words
  - shell: echo "$HOME" | tr a-z A-Z; exit 0
  - copy: { content: "written\\n", dest: made, mode: "0640" }
  - copy: { src: SOURCE, dest: sent }
  - file: { path: d/e, state: directory }
  - lineinfile: { path: made, line: "one more" }
  - fetch: { src: sent, dest: fetched/, flat: yes }
  - stat: { path: made }
    register: st
  - assert: { that: ["words.stdout == 'a|b c|'", "st.stat.mode == '0640'"] }
  - shell: exit 9
    register: bad
    ignore_errors: yes
  - assert: { that: bad.rc == 9 }
"""


def ansible(host, pipelining):
    def run(shell):
        shutil.rmtree(rig.path("client", "fetched"), True)
        source = rig.write("client/source", bytes(range(256)) * 50)
        rig.write("client/play.yml", PLAY.replace("SOURCE", source))
        rig.write("client/inventory", host + " ansible_ssh_common_args='-F "
                  + rig.config + "' ansible_python_interpreter="
                  "/usr/bin/python3\n")
        status, out, err = rig.run(
            ["ansible-playbook", "-i", "inventory", "play.yml"],
            env=rig.env(ANSIBLE_PIPELINING=str(pipelining),
                        ANSIBLE_NOCOLOR="1", ANSIBLE_HOST_KEY_CHECKING="0",
                        ANSIBLE_LOCAL_TEMP=rig.path("client", "tmp"),
                        # A connection keeps the shell that it began with.
                        ANSIBLE_SSH_CONTROL_PATH_DIR=tempfile.mkdtemp(
                            dir=rig.client),
                        ANSIBLE_SSH_ARGS="-o ControlMaster=auto -o "
                        "ControlPersist=5s",
                        ANSIBLE_RETRY_FILES_ENABLED="0"))
        files = sorted(n for n in os.listdir(rig.home) if n[0] != ".")
        left = os.path.join(rig.home, ".ansible", "tmp")
        recap = re.search(rb"ok=\d+ .*", out)
        return (status, recap.group(0) if recap else out + err, files,
                os.path.isdir(left) and os.listdir(left))
    return run


if which("ansible-playbook") and which("python3"):
    for pipelining in t.part((False, True)):
        name = "ansible, " + ("with" if pipelining else
                              "without") + " pipelining"
        oracle = both(name, ansible("plain", pipelining))
        t.same(oracle[0], 0, name + ": the oracle")
        rig.login_shell(BASH)
        home()
        t.same(plain(ansible("forced", pipelining)(OURS)), oracle,
               name + ", as forced command")
else:
    t.skip("ansible", "ansible-core is not installed")

# What it sends, word for word, also where it is not installed.
WIRE = [
    ("/bin/sh -c 'echo ~%s && sleep 0'" % rig.user, None),
    ("/bin/sh -c '( umask 77 && mkdir -p \"` echo .ansible/tmp `\"&& "
     "mkdir \"` echo .ansible/tmp/ansible-tmp-1-1-1 `\" && echo "
     "ansible-tmp-1-1-1=\"` echo .ansible/tmp/ansible-tmp-1-1-1 `\" ) && "
     "sleep 0'", None),
    ("/bin/sh -c 'chmod u+x .ansible/tmp/ansible-tmp-1-1-1/ && sleep 0'",
     None),
    ("/bin/sh -c '/usr/bin/python3 && sleep 0'", b"print('from stdin')\n"),
    ("/bin/sh -c 'rm -f -r .ansible/tmp/ansible-tmp-1-1-1/ > /dev/null 2>&1 "
     "&& sleep 0'", None),
    ("/bin/sh -c 'test -e .ansible/tmp/ansible-tmp-1-1-1; echo $?'", None),
]
both("ansible's commands", lambda shell: [rig.ssh("plain", line, data=data)
                                          for line, data in WIRE])

# ---- inside of a line -----------------------------------------------------------

INSIDE = [
    ("a command", "env X=1 SHELL -c 'echo in; exit 3'"),
    ("a stream", "echo 'echo in; pwd' | SHELL"),
    ("make", "make -s SHELL=SHELL"),
    ("script", "script -qec 'echo in a script' /dev/null"),
    ("xargs", "echo one | xargs -I% SHELL -c 'echo %'"),
    ("find", "find Makefile -exec SHELL -c 'echo found' ';'"),
]
REFUSED = "curl -s http://127.0.0.1:1/x | sh"
put_script = "#!/bin/sh\nexec %s -c '%s'\n" % (OURS, REFUSED)


def inside(line, host):
    return lambda shell: rig.ssh(host, line.replace("SHELL=SHELL",
                                 "SHELL=" + shell).replace("SHELL -c",
                                 shell + " -c").replace("| SHELL",
                                 "| " + shell))


settings()
for name, line in t.part(INSIDE):
    oracle = both("inside a line: " + name, inside(line, "plain"))
    home()
    rig.login_shell(BASH)
    t.same(plain(inside(line, "forced")(OURS)), oracle,
           "inside a forced command: " + name)
rig.login_shell(OURS)
home()
put("hidden", put_script, 0o755)
status, out, err = rig.ssh("plain", "./hidden")
t.ok(status == 126 and err.count(b"\n") == 1 and b"[harm." in err,
     "inside, too, lines are judged", status, out, err)
status, out, err = rig.as_user([rig.aegshctl, "history", "--json"])
t.ok(b"./hidden" in out and b"127.0.0.1:1" in out,
     "and both are on record", out)

settings("mode = managed")
for name, line in t.part(INSIDE):
    both("inside a line, managed: " + name, inside(line, "plain"))

# ---- on terminals -------------------------------------------------------------

PROMPT = "READY> "


def session(*words, host="plain"):
    return Session(["ssh", "-tt", "-F", rig.config, host, *words],
                   env=rig.env())


def answers(s, name, prompt=True):
    """A prompt comes, and a line typed there runs."""
    good = not prompt or s.expect(PROMPT) is not None
    s.line("echo $((6*7)) of ours")
    t.ok(good and s.expect("42 of ours") is not None, name, s.seen)


settings('prompt = "%s"' % PROMPT)
for host, shell in (("plain", OURS), ("forced", BASH)):
    rig.login_shell(shell)
    home()
    s = session(host=host)
    answers(s, "ssh -t, %s: a prompt" % host)
    s.line("exit 5")
    t.same(os.waitstatus_to_exitcode(s.wait()), 5, "its status")
    s.close()
    s = session("vi -u NONE", host=host)
    s.expect("~.*~")
    s.line(":!echo $((6*7)) of ours")
    t.ok(s.expect("42 of ours") is not None, "%s: an editor's :!" % host,
         s.seen)
    s.line("")
    s.line(":q!")
    t.same(s.wait(), 0, "and its end")
    s.close()
rig.login_shell(OURS)
s = session()
s.expect(PROMPT)
s.line(OURS)
answers(s, "a prompt inside a line")
s.line("exit 4")
s.expect("exit\r\n" + PROMPT)
s.line("echo status $?")
t.ok(s.expect("status 4") is not None, "its status comes back", s.seen)
s.line("exit")
s.wait()
s.close()

if which("tmux"):
    for host, shell in (("plain", OURS), ("forced", BASH)):
        rig.login_shell(shell)
        home()
        put(".tmux.conf", "set -g default-shell %s\n" % OURS)
        s = session("tmux -L t new", host=host)
        answers(s, "%s: a tmux's window has a prompt, not the command again"
                % host)
        s.line("exit")
        t.same(s.wait(), 0, "and its end")
        s.close()
        rig.ssh(host, "tmux -L u new -d "
                "'echo window of $((6*7)) >from-tmux'")
        path = os.path.join(rig.home, "from-tmux")
        t.ok(until(lambda: os.path.exists(path) and
                   open(path).read() == "window of 42\n"),
             "%s: a command in a detached tmux" % host)
else:
    t.skip("tmux", "tmux is not installed")

if which("mosh-server") and which("mosh-client"):
    for host, shell in (("plain", OURS), ("forced", OURS)):
        rig.login_shell(shell)
        home()
        status, out, err = rig.ssh(host, "MOSH_SERVER_NETWORK_TMOUT=60 "
                                   "mosh-server new -i 127.0.0.1 -l "
                                   "LANG=C.UTF-8")
        found = re.search(rb"MOSH CONNECT (\d+) (\S+)", out)
        if not t.ok(found is not None, "%s: a mosh-server" % host, status,
                    out, err):
            continue
        s = Session(["mosh-client", "127.0.0.1", found.group(1).decode()],
                    env=rig.env(MOSH_KEY=found.group(2).decode(),
                                LC_ALL="C.UTF-8"))
        answers(s, "%s: a prompt in mosh" % host)
        s.line("exit")
        t.same(s.wait(), 0, "and its end")
        s.close()
else:
    t.skip("mosh", "mosh is not installed")

settings('prompt = "%s"' % PROMPT, "mode = managed")
rig.login_shell(OURS)
s = session()
s.expect(PROMPT)
s.line(OURS)
answers(s, "inside, managed: a prompt")
s.line("exit 3")
s.expect("exit\r\n" + PROMPT)
s.line("exit")
s.wait()
s.close()
settings()

cron_done(cron)
rig.close()
t.done()
