#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Files over a real sshd: scp by both protocols, sftp, rsync and git, with
aegsh as login shell, as ForceCommand and in the profiles for transfers, each
beside bash as login shell: same status, same streams, same files."""

import hashlib
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
import ssh_rig  # noqa: E402
from tap import Tap, share  # noqa: E402

t = Tap()
why = ssh_rig.missing()
if why:
    t.skip("transfers over ssh", why)
    t.done()
rig = ssh_rig.Rig()
SFTP = "Subsystem sftp " + ssh_rig.SFTP_SERVER
OURS = rig.forced(rig.aegsh)
rig.sshd("plain", SFTP, *rig.oracle())
rig.sshd("forced", SFTP, "ForceCommand " + OURS)
PROFILES = ("transfer", "transfer-fetch", "transfer-bring")
for name in PROFILES:
    rig.sshd(name, SFTP, "ForceCommand %s --profile %s" % (OURS, name))

BINARY = bytes(range(256)) * 8192
SSH = "ssh -F " + rig.config
AT = 1600000000     # a date for every file, so that times can be compared


def put(top, name, data, mode=0o644):
    path = os.path.join(top, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
    os.chmod(path, mode)


def date(top):
    for where, dirs, files in os.walk(top, topdown=False):
        for name in files + ["."]:
            os.utime(os.path.join(where, name), (AT, AT))


def git(top, *words):
    status, out, err = rig.run(["git", *words], cwd=top)
    if status != 0:
        raise RuntimeError("git %s: %r" % (words, err))
    return out


def fill(home):
    put(home, "out/plain", b"text\n")
    put(home, "out/binary", BINARY)
    put(home, "out/exec", b"#!/bin/sh\n", 0o755)
    put(home, "out/a b/c'd", b"odd\n")
    put(home, "out/-dash", b"dash\n")
    os.makedirs(os.path.join(home, "in"))
    put(home, "in/old", b"old\n")
    os.symlink("plain", os.path.join(home, "out", "link"))
    if ssh_rig.which("git"):
        shutil.copytree(REPOSITORY, os.path.join(home, "r.git"))
    date(home)


def fresh(host):
    """The same files on both sides, each time."""
    rig.fresh_home(fill)
    for name in os.listdir(rig.client):
        path = rig.path("client", name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        elif not name.startswith("m-"):
            os.unlink(path)
    put(rig.client, "up/plain", b"from here\n")
    put(rig.client, "up/binary", BINARY[::-1])
    put(rig.client, "up/exec", b"#!/bin/sh\n", 0o755)
    put(rig.client, "up/a b/c'd", b"odd, too\n")
    date(rig.path("client", "up"))
    os.mkdir(rig.path("client", "down"))


REPOSITORY = rig.path("r.git")
if ssh_rig.which("git"):
    WORK = rig.path("work")
    os.mkdir(WORK)
    git(WORK, "init", "-q", "-b", "main")
    put(WORK, "file", b"one\n")
    put(WORK, "dir/binary", BINARY)
    git(WORK, "add", ".")
    git(WORK, "commit", "-q", "-m", "first")
    git(WORK, "tag", "v1")
    git(rig.dir, "clone", "-q", "--bare", WORK, REPOSITORY)


def tree(top):
    """Names, kinds, modes and contents below a directory."""
    found = []
    for where, dirs, files in os.walk(top):
        dirs.sort()
        for name in sorted(files + dirs):
            path = os.path.join(where, name)
            what = os.lstat(path)
            short = os.path.relpath(path, top)
            if os.path.islink(path):
                found.append((short, "->", os.readlink(path)))
            elif os.path.isfile(path):
                with open(path, "rb") as f:
                    found.append((short, oct(what.st_mode), hashlib.sha256(
                        f.read()).hexdigest()[:16]))
            else:
                found.append((short, oct(what.st_mode)))
    return found


def times(top):
    return [(os.path.relpath(os.path.join(where, name), top),
             int(os.lstat(os.path.join(where, name)).st_mtime))
            for where, _, files in sorted(os.walk(top))
            for name in sorted(files)]


def run(*argv, env=None):
    return lambda host: rig.run(
        [a.replace("HOST", host) for a in argv],
        env=rig.env(**(env or {})))


def scp(*words):
    return run("scp", "-q", "-F", rig.config, *words)


def sftp(text):
    return lambda host: rig.run(["sftp", "-q", "-b", "-", "-F", rig.config,
                                 host], data=text)


def rsync(*words):
    return run("rsync", "-e", SSH, *words)


def git_clone(host):
    got = rig.run(["git", "clone", "-q", host + ":r.git", "down/c"])
    return got + (git(rig.path("client", "down", "c"), "log", "--format=%H %s"
                      ) if got[0] == 0 else b"",)


def git_push(host):
    there = rig.path("client", "down", "c")
    git(rig.client, "clone", "-q", REPOSITORY, there)
    put(there, "new", b"pushed\n")
    git(there, "add", "new")
    git(there, "commit", "-q", "-m", "second")
    got = rig.run(["git", "push", "-q", host + ":r.git", "main", "main:other"],
                  cwd=there)
    fetch = git(rig.path("client"), "-c", "safe.directory=*", "--git-dir",
                os.path.join(rig.home, "r.git"), "log", "--all",
                "--format=%s %D")
    return got + (fetch,)


def git_archive(host):
    status, out, err = rig.run(["git", "archive", "--remote=" + host +
                                ":r.git", "--format=tar", "v1"])
    return status, hashlib.sha256(out).hexdigest(), len(out) > 1000, err


# Which way each goes: what the profile for the other way has to refuse.
FETCH, BRING, BOTH = "fetch", "bring", "both"
CASES = [
    ("scp -O from", FETCH, scp("-O", "HOST:out/binary", "down/x")),
    ("scp -O -r -p from", FETCH, scp("-O", "-r", "-p", "HOST:out", "down")),
    ("scp -O from, odd name", FETCH, scp("-O", "HOST:out/a\\ b/c\\'d",
                                         "down/y")),
    ("scp -O from, not there", FETCH, scp("-O", "HOST:out/none", "down")),
    ("scp -O to", BRING, scp("-O", "up/binary", "HOST:in/x")),
    ("scp -O -r -p to", BRING, scp("-O", "-r", "-p", "up", "HOST:in")),
    ("scp -O to, several", BRING, scp("-O", "up/plain", "up/exec", "HOST:in")),
    ("scp -O to, no such directory", BRING, scp("-O", "up/plain",
                                                "HOST:none/x/")),
    ("scp from", BOTH, scp("HOST:out/binary", "down/x")),
    ("scp -r -p from", BOTH, scp("-r", "-p", "HOST:out", "down")),
    ("scp from, pattern", BOTH, scp("HOST:out/*e*", "down")),
    ("scp from, not there", BOTH, scp("HOST:out/none", "down")),
    ("scp to", BOTH, scp("up/binary", "HOST:in/x")),
    ("scp -r -p to", BOTH, scp("-r", "-p", "up", "HOST:in")),
    ("sftp", BOTH, sftp(
        b"pwd\ncd out\nls -1\nget binary down/g\nget -r . down/all\ncd ../in\n"
        b"put up/exec\nput -r up\nmkdir m\nrename old m/new\nchmod 600 exec\n"
        b"ln -s exec l\nrm m/new\nrmdir m\n-rm none\ndf .\n".replace(
            b"df .\n", b""))),
    ("sftp, an error ends it", BOTH, sftp(b"cd none\nput up/plain in/x\n")),
    ("rsync from", FETCH, rsync("-a", "HOST:out/", "down/")),
    ("rsync -z from, odd name", FETCH, rsync("-az", "HOST:out/a b/", "down/")),
    ("rsync from, a list", FETCH, run(
        "sh", "-c", "printf 'plain\\na b/c'\\''d\\n' | rsync -a -e '%s' "
        "--files-from=- HOST:out/ down/" % SSH)),
    ("rsync from, not there", FETCH, rsync("-a", "HOST:out/none", "down/")),
    ("rsync to", BRING, rsync("-a", "up/", "HOST:in/")),
    ("rsync --delete -c to", BRING, rsync("-ac", "--delete", "up/",
                                          "HOST:in/")),
    ("rsync with partial files to", BRING, rsync(
        "-rtP", "--partial-dir=.part", "--info=progress0,flist0,name0,stats0",
        "up/", "HOST:in/")),
    ("rsync --link-dest to", BRING, rsync("-a", "--link-dest=../out", "up/",
                                          "HOST:in/")),
    ("git clone", FETCH, git_clone),
    ("git fetch of nothing", FETCH, run("git", "ls-remote", "HOST:r.git")),
    ("git archive", FETCH, git_archive),
    ("git clone, not there", FETCH, run("git", "clone", "-q", "HOST:none.git",
                                        "down/n")),
    ("git push", BRING, git_push),
]
for program in ("rsync", "git"):
    if not ssh_rig.which(program):
        t.skip("transfers by " + program, program + " is not installed")
        CASES = [c for c in CASES if not c[0].startswith(program)]
if not os.access(ssh_rig.SFTP_SERVER, os.X_OK):
    t.skip("transfers by sftp", ssh_rig.SFTP_SERVER + " is not there")
    CASES = [c for c in CASES if c[1] != BOTH]


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if not isinstance(value, bytes):
        return value
    for host in ("plain", "forced") + PROFILES:
        value = re.sub(rb"\b%s\b(?=[:' ])" % host.encode(), b"HOST", value)
    return value


def run_case(host, name, case):
    fresh(host)
    got = plain(case(host))
    kept = times(rig.path("client", "down")) + times(
        os.path.join(rig.home, "in")) if " -p " in name else None
    # What git writes for itself is its own affair.
    return (got, kept, [e for e in tree(rig.path("client", "down"))
                        if not e[0].startswith("c/.git")],
            [e for e in tree(rig.home) if not e[0].startswith("r.git")])


def run_all(host, names=None):
    with rig.master(host):
        return {name: run_case(host, name, case) for name, _, case in CASES
                if names is None or name in names}

# Those that show a way once more, and not each turn of its program.
FEW = ("scp -O -r -p from", "scp -O -r -p to", "scp -r -p from",
       "scp -r -p to", "sftp", "rsync from", "rsync --delete -c to",
       "git clone", "git push", "git archive")
if share() > 1:
    t.skip("transfers but for %d of %d" % (len(FEW), len(CASES)),
           "AEGSH_CHECK_SHARE=%d" % share())
    CASES = [c for c in CASES if c[0] in FEW]

fresh("plain")
untouched = [e for e in tree(rig.home) if not e[0].startswith("r.git")]
if rig.root_runs:
    rig.login_shell("/bin/bash")
if rig.ssh("plain", "echo", "fine")[1] != b"fine\n":
    t.skip("transfers over ssh", "this user cannot log in here")
    t.done()
oracle = run_all("plain")
for name in ("scp -O from", "scp to", "rsync --delete -c to", "git push",
             "sftp", "git archive"):
    if name in oracle:
        t.same(oracle[name][0][0], 0, "the oracle does %s" % name)


def compare(way, host, names=None, ways=(FETCH, BRING, BOTH)):
    got = run_all(host, names)
    for name, direction, _ in CASES:
        if name not in got:
            continue
        if direction in ways:
            t.same(got[name], oracle[name], "%s: %s" % (way, name))
        else:
            refused(way, name, direction, got[name])


def refused(way, name, direction, got):
    """Nothing moved, and the client's user is told by one line of ours;
    except over a subsystem, whose standard error sshd throws away."""
    t.ok(got[0][0] != 0, "%s: %s is refused" % (way, name), got[0])
    t.same(got[3], untouched, "%s: %s brings nothing" % (way, name))
    if direction != BRING:
        t.same(got[2], [], "%s: %s fetches nothing" % (way, name))
    said = b"".join(part for part in got[0] if isinstance(part, bytes))
    t.same(len(re.findall(rb"(?m)^aegsh: ", said)), direction != BOTH,
           "%s: %s says so" % (way, name))


compare("forced command", "forced")
if rig.root_runs:
    rig.login_shell(rig.aegsh)
    compare("login shell", "plain", FEW)
else:
    t.skip("as login shell", "only root can give a user another shell")
compare("profile transfer", "transfer")
compare("profile transfer-bring", "transfer-bring", FEW + (
    "scp -O to", "rsync --link-dest to", "scp from"), (BRING,))

# Fetching by sftp goes, bringing by it does not: the sandbox says so.
with rig.master("transfer-fetch"):
    for name, direction, case in CASES:
        if name not in FEW and " from" not in name:
            continue
        got = run_case("transfer-fetch", name, case)
        if direction == FETCH or name.startswith("scp") and " from" in name:
            t.same(got, oracle[name], "profile transfer-fetch: " + name)
        elif direction == BRING:
            refused("profile transfer-fetch", name, direction, got)
    fresh("transfer-fetch")
    before = tree(rig.home)
    for text in (b"put up/plain in/x\n", b"rm in/old\n", b"mkdir m\n",
                 b"rename in/old in/new\n", b"chmod 600 in/old\n",
                 b"symlink x y\n", b"ln in/old in/hard\n"):
        status, out, err = sftp(text)("transfer-fetch")
        t.ok(status != 0, "profile transfer-fetch: not %s" %
             text.decode().strip(), out, err)
    t.same(tree(rig.home), before, "nothing has changed by it")

# What dresses up as a transfer, typed as a client with that key could.
MARK = os.path.join(rig.home, "mark")
ATTACKS = [
    "scp -t in; touch mark", "scp -t in\ntouch mark", "scp -t `touch mark`",
    "scp -f $(touch mark)", "scp -t in | touch mark", "scp -t in >mark",
    "scp -S ./program -f x", "scp -f -S ./program x", "scp -t x -S./program",
    "scp -oProxyCommand=./program -t x", "X=1 scp -t in", "./scp -t in",
    "LD_PRELOAD=./program scp -t in", "PATH=. scp -t in", "env scp -t in",
    "BASH_ENV=./program scp -t in", "exec scp -t in", "in/../scp -t in",
    "~/sftp-server", "./sftp-server", "sftp-server; touch mark",
    ssh_rig.SFTP_SERVER + " >mark", ssh_rig.SFTP_SERVER + " && touch mark",
    "rsync --server -e ./program . in", "rsync --server --rsh=./program . in",
    "rsync -e ./program a b:c", "rsync --server --daemon --config=conf .",
    "rsync --server -logDtpre.iLsfx . in --daemon --config=conf",
    "rsync --daemon --config=conf --no-detach --port=0",
    "rsync --server -logDtpre.iLsfx --log-file=mark . in",
    "rsync --server -logDtpre.iLsfx --rsync-path=./program . in",
    "rsync --server --sender -logDtpre.iLsfx --remove-source-files . in",
    "rsync --server -logDtpre.iLsfx . in; touch mark",
    "git-upload-pack 'ext::touch mark'", "git-upload-pack --exec=./program x",
    "git-upload-pack 'r.git'; touch mark", "git-shell -c 'git-upload-pack x'",
    "git -c core.pager=./program log", "git -C r.git config alias.x '!id'",
    "GIT_CONFIG_GLOBAL=conf git-upload-pack r.git", "git upload-pack r.git",
    "git-upload-pack r.git >mark", "bash", "sh", "touch mark",
    "/bin/sh -c 'scp -t in; touch mark'", "program", "./program",
    "cat out/plain",
    "internal-sftp", "scp", "rsync --server", "scp -t ../../../etc",
    "scp -f /etc/passwd", "rsync --server --sender -re.iLsfx . /etc/passwd",
    "git-upload-pack /etc", "scp -f ~root/x", "scp -t in &",
]
for name in PROFILES:
    fresh(name)
    for program in ("program", "scp", "sftp-server"):
        put(rig.home, program, b"#!/bin/sh\ntouch mark\n", 0o755)
    put(rig.home, "conf", b"[m]\npath = .\npre-xfer exec = touch mark\n")
    rig.own(rig.home)
    before = tree(rig.home)
    with rig.master(name):
        for line in t.part(ATTACKS):
            # On a terminal there would be somebody to be asked.
            for how in ((), ("-tt",)) if rig.root_runs and \
                    name == "transfer" else ((),):
                status, out, err = rig.ssh(name, line, data=b"y\ny\n",
                                           options=how)
                said = out if how else err
                t.ok(status == 126 and said.count(b"aegsh: blocked: ") == 1,
                     "%s %s: blocked: %r" % (name, " ".join(how), line),
                     status, out, err)
    t.same([e for e in tree(rig.home) if e not in before], [],
           "%s: and nothing of it ran" % name)
rig.close()
t.done()
