# SPDX-License-Identifier: ISC
"""The real shells, in throw-away homes: which files they read in each kind
of session against what `aegshctl env files` says, and the PATH they end
with after `aegshctl env path add`."""

import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from tap import Tap  # noqa: E402

tap = Tap()
CTL = os.path.join(os.environ["abs_top_builddir"], "tests/bin/aegshctl")

# The shell, how it is called, and every start-up file that could be its.
SHELLS = {
    "bash": (["bash"], [".bash_profile", ".bash_login", ".profile",
                        ".bashrc"]),
    "zsh": (["zsh"], [".zshenv", ".zprofile", ".zshrc", ".zlogin",
                      ".profile"]),
    "fish": (["fish"], [".config/fish/config.fish",
                        ".config/fish/conf.d/b.fish",
                        ".config/fish/conf.d/a.fish"]),
    "dash": (["dash"], [".profile", ".shrc"]),
    "ash": (["busybox", "ash"], [".profile", ".shrc"]),
    "mksh": (["mksh"], [".profile", ".mkshrc"]),
    "ksh93": (["ksh93"], [".profile", ".kshrc"]),
    "yash": (["yash"], [".yash_profile", ".yashrc", ".profile"]),
}
SESSIONS = {"login": ["-l", "-i"], "login-command": ["-l"],
            "interactive": ["-i"], "command": [], "ssh-command": []}


def environment(home, **more):
    return dict({"HOME": home, "PATH": "/usr/bin:/bin", "USER": "t",
                 "TERM": "dumb", "AEGSH_TEST_ROOT": home}, **more)


def run_shell(shell, session, home, script, **more):
    """What the session prints; None when it did not end."""
    argv = SHELLS[shell][0] + SESSIONS[session] + ["-c", script]
    ours, theirs = socket.socketpair()
    with ours, theirs:
        try:
            p = subprocess.run(
                argv, env=environment(home, **more), cwd=home,
                stdin=theirs if session == "ssh-command"
                else subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                start_new_session=True)
        except subprocess.TimeoutExpired:
            return None
    return p.stdout.decode("utf-8", "replace")


def ctl(home, *args):
    p = subprocess.run([CTL, "env", *args], env=environment(home),
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True)
    return p.returncode, p.stdout, p.stderr


def put(home, name, text):
    path = os.path.join(home, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def told(home, shell, session):
    """Files of the home that aegshctl says the session reads."""
    status, out, err = ctl(home, "files", "--json", "--session", session,
                           shell)
    assert status == 0, err
    files = json.loads(out)["files"]
    return [os.path.relpath(f["path"], home) for f in files
            if f["read"] and f["path"].startswith(home + "/")
            and f["sourced_from"] is None]


def check_files(shell, names, root):
    home = tempfile.mkdtemp(dir=root)
    log = os.path.join(home, "log")
    for name in names:
        text = "echo %s >>$HOME/log\n" % name
        if name == ".profile" and ".shrc" in SHELLS[shell][1]:
            text += "ENV=$HOME/.shrc; export ENV\n"
        put(home, name, text)
    bad = []
    for session in SESSIONS:
        if os.path.exists(log):
            os.unlink(log)
        more = {}
        # A terminal tab has what the login before it exported.
        if ".profile" in names and ".shrc" in SHELLS[shell][1] and \
                session in ("interactive", "command"):
            more["ENV"] = os.path.join(home, ".shrc")
        run_shell(shell, session, home, ":", **more)
        real = open(log).read().split() if os.path.exists(log) else []
        says = told(home, shell, session)
        if real != says:
            bad.append("%s: reads %s, told %s" % (session, real, says))
    tap.ok(not bad, "%s with %s: what is read in each session" %
           (shell, " ".join(names) or "no file"), "\n".join(bad))
    shutil.rmtree(home)


def check_hidden(root):
    """What stands in the place of .bash_profile and hides .profile."""
    def directory(path):
        os.mkdir(path)

    def dangling(path):
        os.symlink("nowhere", path)

    def circle(path):
        os.symlink(os.path.basename(path), path)

    def unreadable(path):
        open(path, "w").close()
        os.chmod(path, 0)

    for make in (directory, dangling, circle, unreadable):
        name = "bash, .bash_profile: " + make.__name__
        if make is unreadable and os.geteuid() == 0:
            tap.skip(name, "root reads everything")
            continue
        home = tempfile.mkdtemp(dir=root)
        put(home, ".profile", "echo profile\n")
        make(os.path.join(home, ".bash_profile"))
        real = run_shell("bash", "login", home, ":").split()
        says = [os.path.basename(n) for n in told(home, "bash", "login")]
        tap.ok((".profile" in says) == ("profile" in real), name,
               "%s %s" % (real, says))
        shutil.rmtree(home)


def check_compiled(root):
    """A newer .zwc is what zsh reads."""
    if shutil.which("zsh", path="/usr/bin:/bin") is None:
        tap.skip("a compiled .zshrc", "no zsh")
        return
    home = tempfile.mkdtemp(dir=root)
    rc = os.path.join(home, ".zshrc")
    put(home, ".zshrc", "echo old\n")
    subprocess.run(["zsh", "-f", "-c", "zcompile ~/.zshrc"],
                   env=environment(home), check=True)
    for age, want in ((-100, "old"), (100, "new")):
        put(home, ".zshrc", "echo new\n")
        when = os.stat(rc + ".zwc").st_mtime + age
        os.utime(rc, (when, when))
        real = run_shell("zsh", "interactive", home, ":").split()
        files = json.loads(ctl(home, "files", "--json", "--session",
                               "interactive", "zsh")[1])["files"]
        hidden = [f["shadowed_by"] for f in files if f["path"] == rc][0]
        tap.ok(real == [want] and (hidden == rc + ".zwc") ==
               (want == "old"), "zsh, a compiled .zshrc: " + want,
               "%s %s" % (real, hidden))
    shutil.rmtree(home)


def path_of(shell, session, home, **more):
    script = ("string join : $PATH" if shell == "fish" else
              "printf '%s\\n' \"$PATH\"")
    out = run_shell(shell, session, home, script, **more) or ""
    return (out.strip().split("\n") or [""])[-1].split(":")


def snapshot(home):
    found = {}
    for where, dirs, files in os.walk(home):
        if ".local" in dirs:        # the backups
            dirs.remove(".local")
        for name in files:
            if name == ".sh_history":   # ksh93 makes it by itself
                continue
            path = os.path.join(where, name)
            with open(path, "rb") as f:
                found[os.path.relpath(path, home)] = f.read()
    return found


# In which sessions a directory added has to be on PATH.
EXPECTED = {"sh": ["login", "login-command"],
            "dash": ["login", "login-command"],
            "ash": ["login", "login-command"],
            "fish": list(SESSIONS)}


def check_add(shell, files, root):
    home = tempfile.mkdtemp(dir=root)
    wanted = os.path.join(home, ".cargo/bin")
    os.makedirs(wanted)
    for name, text in files.items():
        put(home, name, text)
    label = "%s with %s" % (shell, " ".join(files) or "no file")
    before = snapshot(home)
    status, out, err = ctl(home, "path", "add", "--yes", "--shell", shell,
                           "$HOME/.cargo/bin")
    tap.ok(status == 0, label + ": added", out + err)
    bad = []
    for session in EXPECTED.get(shell, ["login", "interactive"]):
        path = path_of(shell, session, home)
        if path.count(wanted) != 1:
            bad.append("%s: %s" % (session, path))
        # A shell inside that shell does not add it again.
        path = path_of(shell, session, home, PATH=":".join(path))
        if path.count(wanted) != 1 and session == "interactive":
            bad.append("%s, inside: %s" % (session, path))
    tap.ok(not bad, label + ": on PATH once in each session",
           "\n".join(bad) + "\n" + str(snapshot(home)))
    after = snapshot(home)
    ctl(home, "path", "add", "--yes", "--shell", shell, wanted + "/")
    tap.ok(snapshot(home) == after, label + ": adding again changes nothing")
    status, out, err = ctl(home, "path", "remove", "--yes", "--shell", shell,
                           "~/.cargo/bin")
    tap.ok(status == 0 and snapshot(home) == before,
           label + ": taken out, the bytes are back", out + err)
    gone = all(wanted not in path_of(shell, s, home) for s in SESSIONS)
    tap.ok(gone, label + ": and it is off PATH")
    shutil.rmtree(home)


DEBIAN_RC = """case $- in
    *i*) ;;
      *) return;;
esac
alias ll='ls -l'
"""
DEBIAN_PROFILE = """if [ -n "$BASH_VERSION" ]; then
    if [ -f "$HOME/.bashrc" ]; then
        . "$HOME/.bashrc"
    fi
fi
"""
HOMES = {
    "bash": [{}, {".bashrc": DEBIAN_RC, ".profile": DEBIAN_PROFILE},
             {".bashrc": DEBIAN_RC, ".bash_profile": "umask 022\n"},
             {".bash_profile": ". ~/.profile\n", ".profile": "umask 022"},
             {".bashrc": ". ~/.bash_profile\n", ".bash_profile": ":\n"},
             {".bashrc": "alias x=y", ".bash_login": ""},
             {".bashrc": "alias x=y\n[ -n \"$NEVER\" ] || return\n:\n"}],
    "zsh": [{}, {".zshrc": "setopt autocd", ".zshenv": ":\n"},
            {".zshenv": "export ZDOTDIR=$HOME/.z\n",
             ".z/.zshrc": "autoload -U x\n"}],
    "fish": [{}, {".config/fish/config.fish":
                  "if status is-interactive\n  # x\nend"}],
    "dash": [{}, {".profile": "umask 022"}],
    "ash": [{}, {".profile": "umask 022\n"}],
    "mksh": [{}, {".mkshrc": "alias x=y\n", ".profile": ":\n"}],
    "ksh93": [{}, {".kshrc": "alias x=y"}],
    "yash": [{}, {".yashrc": "alias x=y\n", ".yash_profile": ":\n"}],
}


def subsets(names):
    for n in range(len(names) + 1):
        yield from itertools.combinations(names, n)


def main():
    root = tempfile.mkdtemp(prefix="aegsh-test-")
    try:
        for shell, (argv, names) in SHELLS.items():
            if shutil.which(argv[0], path="/usr/bin:/bin") is None:
                tap.skip(shell, "not installed")
                continue
            for some in tap.part(subsets(names)):
                check_files(shell, list(some), root)
            for files in tap.part(HOMES[shell]):
                check_add(shell, files, root)
        check_hidden(root)
        check_compiled(root)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    tap.done()


main()
