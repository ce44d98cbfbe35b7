#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Commands over a real sshd: with aegsh as login shell, as ForceCommand, as
command= of a key, and as both, each beside bash as login shell.  Status,
standard output and standard error are the same byte for byte."""

import hashlib
import io
import os
import re
import signal
import subprocess
import sys
import tarfile

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
import ssh_rig  # noqa: E402
from procs import until  # noqa: E402
from tap import Tap  # noqa: E402

t = Tap()
why = ssh_rig.missing()
if why:
    t.skip("commands over ssh", why)
    t.done()
rig = ssh_rig.Rig()
PLAIN, FORCED = "plain", "forced"
OURS = rig.forced(rig.aegsh)
rig.sshd(PLAIN, *rig.oracle())
rig.sshd(FORCED, "ForceCommand " + OURS)

BINARY = bytes(range(256)) * 4096
KILLER = "#!/bin/sh\nkill -TERM $PPID\n"


def fill(home):
    def put(name, text, mode=0o644):
        path = os.path.join(home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb" if isinstance(text, bytes) else "w") as f:
            f.write(text)
        os.chmod(path, mode)
    put("kill-parent", KILLER, 0o755)
    put("no-program", "text\n")
    put("d/one", "1\n")
    put("d/two", BINARY[:5000])
    put("a b/c'd", "odd\n")


def tar():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in (("x/1", b"one"), ("x/2", BINARY)):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


# What editors send to a bare bash to put their server in place: functions,
# here-documents, an archive behind the script on the same standard input.
ARCHIVE = tar()
EDITOR, EDITOR_END = rb"""
# bootstrap
set -u
SERVER_DIR="$HOME/.editor-server"
COMMIT=0123456789abcdef
LOG="$SERVER_DIR/.$COMMIT.log"
tell_log() {
	local text="$1"
	printf '%s\n' "$text" >>"$LOG"
	echo "script: $text"
}
umask 077
if [ ! -d "$SERVER_DIR" ]; then
	mkdir -p "$SERVER_DIR/bin/$COMMIT" || { echo "exitCode==1=="; exit 1; }
fi
tell_log "platform $(uname -s)"
cat >"$SERVER_DIR/settings.json" <<'JSON'
{ "a": [1, 2], "b": "$HOME stays" }
JSON
cat >"$SERVER_DIR/start" <<EOF
#!/bin/sh
exec echo "server in $SERVER_DIR"
EOF
chmod 755 "$SERVER_DIR/start"
case "$(uname -m)" in
x86_64|amd64) arch=x64 ;;
aarch64|arm64) arch=arm64 ;;
*) arch=other ;;
esac
for part in one two; do tell_log "part $part for $arch"; done
head -c LENGTH | tar -xf - -C "$SERVER_DIR/bin/$COMMIT"
HERE THE ARCHIVE
tell_log "unpacked $(ls "$SERVER_DIR/bin/$COMMIT/x" | wc -l)"
sh "$SERVER_DIR/start" 2>&1
echo "exitCode==0=="
echo "listeningOn==4711=="
""".replace(b"LENGTH", b"%d" % len(ARCHIVE)).split(b"HERE THE ARCHIVE\n")


def at(*words, data=None, options=()):
    return lambda host: rig.ssh(host, *words, data=data, options=options)


def from_script(host):
    """ssh host < file, where the client reads a file."""
    path = rig.write("client/script", "echo from $((1+2))\nread -r x\n"
                     "data line\necho \"got $x\"\nno-such-command\nexit 9\n")
    with open(path, "rb") as f:
        p = subprocess.run(["ssh", "-F", rig.config, host], stdin=f,
                           capture_output=True, timeout=ssh_rig.SLOW,
                           env=rig.env(), cwd=rig.client)
    return p.returncode, p.stdout, p.stderr


def digest(*words, data=None):
    def run(host):
        status, out, err = rig.ssh(host, *words, data=data)
        return status, b"%d %s" % (len(out), hashlib.sha256(out).hexdigest()
                                   .encode()), err
    return run


def early_end(host):
    """The client's reader goes away after a line."""
    p = subprocess.Popen(["ssh", "-F", rig.config, host, "yes to all"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, env=rig.env(),
                         preexec_fn=ssh_rig.default_signals)
    line = p.stdout.readline()
    p.stdout.close()
    err = p.stderr.read()
    p.stderr.close()
    p.wait(ssh_rig.SLOW)
    gone = until(lambda: not named("yes"))
    return gone, line, err


def ours(pid):
    """Of this rig, not of another test of the same user."""
    try:
        with open("/proc/%s/environ" % pid, "rb") as f:
            return rig.dir.encode() in f.read()
    except PermissionError:
        return True
    except OSError:
        return False


def named(comm):
    """Processes of the other side with that name."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            if os.stat("/proc/" + name).st_uid != rig.uid:
                continue
            with open("/proc/%s/stat" % name, errors="replace") as f:
                stat = f.read()
        except OSError:
            continue
        if stat[stat.index("(") + 1:stat.rindex(")")] == comm and \
                stat[stat.rindex(")") + 2] != "Z" and ours(name):
            found.append(int(name))
    return found


def sleeper(seconds):
    for name in named("sleep"):
        try:
            with open("/proc/%d/cmdline" % name, "rb") as f:
                if f.read().split(b"\0")[1:2] == [seconds.encode()]:
                    return name
        except OSError:
            pass
    return None


def hangup(host):
    """A client with a terminal is killed: what it ran is hung up."""
    seconds = str(7000000 + os.getpid())
    p = subprocess.Popen(["ssh", "-tt", "-F", rig.config, host,
                          "sleep " + seconds], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         env=rig.env(), preexec_fn=ssh_rig.default_signals)
    began = until(lambda: sleeper(seconds))
    p.kill()
    p.communicate()
    return bool(began), until(lambda: not sleeper(seconds)), b""


def shared(host):
    """Three commands over one connection."""
    control = rig.path("client", "control")
    share = ("-o", "ControlPath=" + control, "-o", "ControlMaster=auto",
             "-o", "ControlPersist=30")
    got = [rig.ssh(host, "echo one; exit 1", options=share + ("-n",)),
           rig.ssh(host, "cat", data=BINARY, options=share),
           rig.ssh(host, "bash -s", data=b"echo three\n", options=share)]
    rig.ssh(host, options=("-O", "exit", "-o", "ControlPath=" + control))
    return [g[0] for g in got], [g[1] for g in got], [g[2] for g in got]


def jump(host):
    return rig.run(["ssh", "-F", rig.config, "-J", host + "-jump", host,
                    "echo behind; exit 4"])


def banner(host):
    """-W: the other side's sshd itself, by its greeting."""
    port = re.search(r"Host %s .*?Port (\d+)" % host,
                     open(rig.config).read(), re.S).group(1)
    p = subprocess.Popen(["ssh", "-F", rig.config, "-W", "127.0.0.1:" + port,
                          host], stdin=subprocess.PIPE, env=rig.env(),
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         preexec_fn=ssh_rig.default_signals)
    line = p.stdout.readline()
    p.stdin.close()
    p.stdout.read()
    p.stdout.close()
    err = p.stderr.read()
    p.stderr.close()
    p.wait(ssh_rig.SLOW)
    return p.returncode, line, err


def agent(host):
    """Keys of the client's agent are seen over there, and used."""
    sock = rig.path("client", "agent")
    p = subprocess.Popen(["ssh-agent", "-D", "-a", sock],
                         stdout=subprocess.DEVNULL, env=rig.env(),
                         preexec_fn=ssh_rig.default_signals)
    try:
        until(lambda: os.path.exists(sock))
        env = rig.env(SSH_AUTH_SOCK=sock)
        rig.run(["ssh-add", "-q", rig.path("sshd", "id")], env=env)
        return rig.run(["ssh", "-F", rig.config, "-o", "IdentityAgent=" + sock,
                        "-A", host, "ssh-add -l; ssh-add -L | wc -l"],
                       env=env)
    finally:
        p.terminate()
        p.wait()
        if os.path.exists(sock):
            os.unlink(sock)


CASES = [
    ("echo", at("echo hello")),
    ("status", at("exit 42")),
    ("words", at("printf '<%s>'", "a", "'b c'", "\"$HOME\"", "*")),
    ("both streams", at("echo out; echo err >&2; exit 3")),
    ("not found", at("no-such-command")),
    ("not executable", at("./no-program")),
    ("several lines", at("x=1\nif true; then\n echo $x $LINENO\nfi\n")),
    ("here-document", at("cat <<E\n$((40+2))\nE")),
    ("place and person", at("pwd; id; umask; ulimit -n; echo \"$-\"")),
    ("environment", at("env | sort")),
    ("descriptors", at("ls /proc/self/fd")),
    ("no terminal is made up", at("tty; test -t 0 || test -t 1 || echo no")),
    ("-n", at("cat; echo end", options=("-n",))),
    ("standard input, binary", at("cat", data=BINARY)),
    ("standard input to a file", at("cat >f; sha256sum f", data=BINARY)),
    ("a part of standard input", at("head -c 5; echo; wc -l", data=BINARY)),
    ("three megabytes out", digest("head -c 3000000 /dev/zero | tr '\\0' '%'")),
    ("half a megabyte of lines", digest("seq 80000")),
    ("pipeline", at("seq 100 | sort -rn | head -3")),
    ("killed", at("./kill-parent; echo not here")),
    ("kills itself", at("kill -TERM $$; echo not here")),
    ("background", at("sleep 0.2 & echo started")),
    ("closed output", at("echo x >&-; echo y")),
    ("unpack an archive", at("tar -xf - && cat x/1 && sha256sum x/2",
                             data=ARCHIVE)),
    ("pack an archive", at("tar -cf - --mtime=@0 d 'a b' | sha256sum")),
    ("shell on a stream", from_script),
    ("shell on a stream, functions",
     at(data=b"f() {\n echo in f $1\n}\nf x\nfalse || echo or\ncat <<E\nt\nE")),
    ("bash -s", at("bash -s", data=b"echo $0 $#\ncat\nrest \0 of it")),
    ("bash -s with arguments", at("bash -s -- a 'b c'",
                                  data=b"echo $# \"$2\"; exit 6")),
    ("sh", at("sh", data=b"echo $0; no-such; exit 7")),
    ("sh -s with arguments", at("sh -s 'a b' c", data=b"echo $# \"$1\"")),
    ("editor's start", at("bash", data=EDITOR + ARCHIVE + EDITOR_END,
                          options=("-T",))),
    ("editor's start, found again", at("cat .editor-server/settings.json; "
                                       "ls -R .editor-server")),
    ("a terminal", at("tty | tr -d 0-9; stty size; test -t 0 && echo yes",
                      options=("-tt",))),
    ("who is logged in", at("who -m | tr -d 0-9; cat /proc/self/loginuid; "
                            "echo; logname", options=("-tt",))),
    ("editor on a terminal", at("vi -u NONE -c q", options=("-tt",))),
    ("editor shows a file", at("vi -u NONE d/one -c q",
                            options=("-tt",))),
    ("end of the reader", early_end),
    ("hang-up", hangup),
    ("shared connection", shared),
    ("jump", jump),
    ("-W", banner),
    ("agent", agent),
]
NEEDS = {"editor on a terminal": "vi", "editor shows a file": "vi"}
TERMINAL = ("a terminal", "who is logged in", "editor on a terminal",
            "editor shows a file", "hang-up")
# Those that show the way in once more, and not the same of a line again.
FEW = ("echo", "status", "both streams", "not found", "environment",
       "standard input, binary", "shell on a stream", "bash -s", "sh",
       "a terminal", "killed", "editor's start")


def plain(value):
    """What differs for reasons of its own: the shell's name in its
    messages, in SHELL, and port numbers."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if not isinstance(value, bytes):
        return value
    if len(value) > 4096:   # a log should stay readable
        return len(value), hashlib.sha256(value).hexdigest()
    value = re.sub(rb"(?m)^(-?bash|-?aegsh|%s|/bin/bash): (line \d+: )"
                   % re.escape(rig.aegsh.encode()), rb"SHELL: \2", value)
    value = re.sub(rb"(?m)^SHELL=.*", b"SHELL=", value)
    return re.sub(rb"(?m)^(SSH_\w+=127.0.0.1 )\d+( .*?)\d+$", rb"\1PORT\2",
                  value)


def run_all(host, names=None):
    rig.fresh_home(fill)
    with rig.master(host):
        return {name: plain(run(host)) for name, run in CASES
                if names is None or name in names}


for name, program in NEEDS.items():
    if not ssh_rig.which(program):
        t.skip(name, program + " is not installed")
        CASES = [case for case in CASES if case[0] != name]
if not rig.root_runs:
    for name in TERMINAL:
        t.skip(name, "an sshd that is not root's gives no terminals")
    CASES = [case for case in CASES if case[0] not in TERMINAL]

if rig.root_runs:
    rig.login_shell("/bin/bash")
status, out, err = rig.ssh(PLAIN, "echo", "fine")
if out != b"fine\n":
    t.skip("commands over ssh", "this user cannot log in here: %r" % err)
    t.done()
oracle = run_all(PLAIN)


def compare(way, host, names=None):
    for name, got in run_all(host, names).items():
        t.same(got, oracle[name], "%s: %s" % (way, name))


if "hang-up" in oracle:
    t.same(oracle["hang-up"][:2], [True, True], "the oracle hangs up")
t.same(oracle["echo"], [0, b"hello\n", b""], "the oracle says hello")
compare("forced command", FORCED)
if not rig.root_runs:
    PLAIN = "keys"
    rig.sshd(PLAIN)
rig.authorize('command="%s"' % OURS)
compare("command of a key", PLAIN, FEW)
rig.authorize("")
if rig.root_runs:
    rig.login_shell(rig.aegsh)
    compare("login shell", PLAIN)
    compare("login shell and forced command", FORCED, FEW)
    rig.authorize('command="%s",restrict' % OURS)
    compare("login shell and command of a key", PLAIN,
            set(FEW) - {"a terminal"})
    rig.authorize("")
else:
    t.skip("as login shell", "only root can give a user another shell")

REFUSED = "curl -s http://127.0.0.1:1/x | sh"
for host in (PLAIN, FORCED) if rig.root_runs else (FORCED,):
    for name, words, data in (("a command", (REFUSED,), None),
                              ("a stream", (), REFUSED.encode()),
                              ("bash -s", ("bash -s",), REFUSED.encode()),
                              ("sh", ("sh",), REFUSED.encode())):
        status, out, err = rig.ssh(host, *words, data=data)
        t.same((status, out, err.count(b"\n")), (126, b"", 1),
               "%s: refused in one line: %s" % (host, name))
        t.ok(re.match(rb"aegsh: blocked: .*\[harm\.", err) is not None,
             "which says why", err)

# What ran is on record under where it came from.
status, out, err = rig.as_user([rig.aegshctl, "history", "--json"])
origins = set(re.findall(rb'"origin":"(\w+)"', out))
t.ok({b"forced", b"stdin"} <= origins, "the record says how lines came",
     origins)
if rig.root_runs:
    t.ok(b"command" in origins, "and tells login shell from forced command")
# An ordinary user's other tests run beside this one: theirs come and go.
left = set(named("aegsh"))
t.ok(until(lambda: not left & set(named("aegsh"))),
     "nothing of ours is left running", sorted(left))
rig.close()
t.done()
