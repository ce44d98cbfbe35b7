# SPDX-License-Identifier: ISC
"""The verbs `aegshctl env …`: their JSON, their exit status, consent on a
terminal, diffs that patch(1) takes, plans, and whose rights are used."""

import json
import os
import pty
import pwd
import re
import resource
import select
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from json_schema import problems  # noqa: E402
from tap import Tap  # noqa: E402

CTL = os.path.join(os.environ["abs_top_builddir"], "tests/bin/aegshctl")
DATA = os.path.join(os.environ["abs_top_srcdir"], "share")
LINE = 'export PATH="$HOME/.cargo/bin:$PATH"'
tap = Tap()


class Home:
    def __init__(self, root, files=None):
        self.path = tempfile.mkdtemp(dir=root)
        for name, text in (files or {}).items():
            self.put(name, text)

    def put(self, name, text):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        return path

    def get(self, name):
        try:
            with open(os.path.join(self.path, name)) as f:
                return f.read()
        except FileNotFoundError:
            return None

    def env(self, **more):
        return dict({"HOME": self.path, "PATH": "/usr/bin:/bin",
                     "TERM": "dumb", "AEGSH_TEST_ROOT": self.path,
                     "AEGSH_TEST_DATA": DATA}, **more)

    def run(self, *args, **more):
        """Status, output, errors; no terminal to ask on."""
        p = subprocess.run([CTL, "env", *args], env=self.env(**more),
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True,
                           start_new_session=True)
        if "--json" in args and "run" != args[0] != "wrap":
            conforms(args[0], p.stdout)
        return p.returncode, p.stdout, p.stderr

    def json(self, *args, **more):
        status, out, err = self.run(*args, "--json", **more)
        return [json.loads(line) for line in out.splitlines()]

    def on_terminal(self, answer, *args, early=False):
        """With a terminal on which the answer is typed when asked."""
        pid, fd = pty.fork()
        if pid == 0:
            os.execve(CTL, [CTL, "env", *args], self.env())
        out = b""
        if early:
            os.write(fd, answer)
        end = time.monotonic() + 60
        asked = False
        while time.monotonic() < end:
            if not select.select([fd], [], [], 60)[0]:
                break
            try:
                data = os.read(fd, 4096)
            except OSError:
                data = b""
            if not data:
                break
            out += data
            if b"[y/N]" in out and not asked:
                asked = True
                os.write(fd, b"\n" if early else answer)
        os.close(fd)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), out.decode()


with open(os.path.join(os.environ["abs_top_srcdir"],
                       "share/schema/aegshctl-env.json")) as schema_file:
    SCHEMA = json.load(schema_file)
KINDS = {"path": "plan", "var": "plan", "fix": "plan", "apply": "plan",
         "restore": "plan"}
validated = {}


def conforms(verb, text):
    """Each document that any test here gets to see, against the schema."""
    kind = KINDS.get(verb, verb)
    for line in text.splitlines():
        doc = json.loads(line)
        wrong = problems(doc, SCHEMA["$defs"][kind], SCHEMA)
        validated[verb] = validated.get(verb, 0) + 1
        if wrong:
            tap.ok(False, "%s --json: as the schema says" % verb,
                   "\n".join(wrong))


def test_schema(root):
    """The schema holds for all that was printed, and would not for less."""
    verbs = subprocess.run([CTL, "__complete", "aegshctl", "env", ""],
                           stdout=subprocess.PIPE, text=True,
                           env=Home(root).env()).stdout
    verbs = [line.split("\t")[0] for line in verbs.splitlines()]
    tap.ok("detect" in verbs and len(verbs) == 13, "the verbs", verbs)
    for verb in verbs:
        options = subprocess.run([CTL, "__complete", "aegshctl", "env", verb,
                                  "--"], stdout=subprocess.PIPE, text=True,
                                 env=Home(root).env()).stdout
        if "--json" in options or verb == "wrap":
            tap.ok(validated.get(verb, 0) > 0, "%s: %d documents are as the "
                   "schema says" % (verb, validated.get(verb, 0)))
    doc = Home(root).json("detect", "--no-probe", "--shell", "bash")[0]
    for name in list(doc):
        less = {k: v for k, v in doc.items() if k != name}
        if not problems(less, SCHEMA["$defs"]["detect"], SCHEMA):
            tap.ok(False, "the schema asks for " + name)
    tap.ok(problems(dict(doc, more=1), SCHEMA["$defs"]["detect"], SCHEMA)
           and problems(dict(doc, uid="0"), SCHEMA["$defs"]["detect"],
                        SCHEMA), "the schema takes nothing else")


def test_detect(root):
    h = Home(root, {".bashrc": ":\n", ".profile": ". ~/.bashrc\n"})
    doc = h.json("detect", "--shell", "bash")[0]
    tap.ok(doc["type"] == "bash" and doc["login_profile"] == "~/.profile"
           and doc["rc_file"] == "~/.bashrc", "detect: the seed's values",
           doc)
    tap.ok(doc["path_login"] is not None and doc["path_nonlogin"] ==
           "/usr/bin:/bin", "detect: PATH of both", doc)
    tap.ok(doc["version"] is not None and doc["version"][0].isdigit(),
           "detect: a version", doc["version"])
    doc = h.json("detect", "--shell", "bash", "--no-probe")[0]
    tap.ok(doc["path_login"] is None and doc["path_healthy"] is None,
           "detect --no-probe: nothing is claimed", doc)
    for shell in ("zsh", "fish", "dash", "sh", "ash", "ksh93", "mksh",
                  "yash"):
        doc = h.json("detect", "--shell", shell)[0]
        if doc["shell_real"] is None:
            tap.skip(shell, "it is not installed")
            continue
        tap.ok(doc["type"] == shell and doc["path_login"] is not None,
               "detect: %s %s" % (shell, doc["version"]), doc)
    doc = h.json("detect", "--shell", "aegsh")[0]
    tap.ok(doc["type"] == "aegsh" and doc["path_login"] is not None and
           doc["rc_file"] == "~/.profile", "detect: aegsh", doc)
    h.put(".profile", "read x; sleep 1000\n")
    before = time.monotonic()
    doc = h.json("detect", "--shell", "bash")[0]
    took = time.monotonic() - before
    tap.ok(doc["path_login"] is None and doc["path_healthy"] is False
           and "did not end" in doc["probe_note"] and took < 60,
           "detect: a profile that hangs is told", (took, doc))
    h.put(".profile", "echo noise; printf '\\033[2J'; exit 3\n")
    doc = h.json("detect", "--shell", "bash")[0]
    tap.ok("status 3" in (doc["probe_note"] or ""),
           "detect: a profile that exits is told", doc)
    h.put(".profile", "touch $HOME/made; echo x >$HOME/wrote\n")
    doc = h.json("detect", "--shell", "bash")[0]
    if doc["probe_confinement"] == "none":
        tap.skip("what probes may write", "no Landlock")
    else:
        tap.ok(h.get("made") is None and not h.get("wrote"),
               "detect: a profile writes nothing")
    status, out, err = h.run("detect", "--shell", "rbash", "--json")
    tap.ok(json.loads(out)["restricted"], "detect: rbash is restricted")
    for option, restricted in (("-norc", False), ("-noprofile", False),
                               ("-r", True)):
        p = subprocess.run(
            ["bash", option, "-c", "aegshctl env detect --no-probe --json; :"],
            env=h.env(PATH=os.path.dirname(CTL) + ":/usr/bin:/bin"),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        doc = json.loads(p.stdout)
        tap.ok(doc["restricted"] is restricted,
               "detect: inside bash %s" % option, doc)
    tap.ok(h.run("detect", "x")[0] == 100, "detect: no operands")
    tap.ok(h.run("detect", "--user", "no-such-user")[0] == 100,
           "detect: no such user")


def test_speed(root):
    h = Home(root, {".bashrc": ":\n", ".profile": ". ~/.bashrc\n"})
    times = []

    def spent():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime
    for _ in range(9):
        before = spent()
        h.run("detect", "--no-probe", "--shell", "bash")
        times.append(spent() - before)
    # What it does, not what it waits for; 30 ms is the aim, and a machine
    # under load or a sanitizer gets some more.
    tap.ok(min(times) < 0.12, "detect --no-probe in %.1f ms" %
           (min(times) * 1000))


def test_looking(root):
    h = Home(root, {".bashrc": 'export A=1\n', ".cargo/bin/cargo":
                    "#!/bin/sh\n"})
    os.chmod(os.path.join(h.path, ".cargo/bin/cargo"), 0o755)
    docs = h.json("files", "bash")
    tap.ok(len(docs) == 8, "files: every kind of session")
    tap.ok(h.run("files", "--session", "no")[0] == 100,
           "files: no such session")
    tap.ok(h.run("files", "nosuchshell")[0] == 100, "files: no such shell")
    status, out, err = h.run("check", "--shell", "bash", "--json",
                             "--no-probe")
    docs = [json.loads(line) for line in out.splitlines()]
    ids = [d["id"] for d in docs]
    tap.ok(status == 1 and "tool-unreachable:cargo" in ids
           and "rc-not-sourced:~/.profile" in ids, "check: findings", ids)
    cargo = docs[ids.index("tool-unreachable:cargo")]
    tap.ok(cargo["what"].startswith("cargo is installed at "
                                    "~/.cargo/bin/cargo but not on PATH"),
           "check: the seed's sentence", cargo["what"])
    tap.ok(cargo["command"] ==
           "aegshctl env fix tool-unreachable:cargo --shell bash",
           "check: the command", cargo["command"])
    status, out, err = h.run(*cargo["command"].split()[2:], "--yes",
                             "--json")
    tap.ok(status == 0 and LINE in (h.get(".bashrc") or ""),
           "fix: it is mended", out + err)
    status, out, err = h.run("check", "--shell", "bash", "--no-probe")
    tap.ok("tool-unreachable" not in out and "rc-not-sourced" not in out,
           "check: and found no more", out)
    doc = h.json("which", "ls", "cargo", "no-such-tool", "--shell", "bash")
    tap.ok([d["state"] for d in doc] == ["found", "unreachable", "absent"],
           "which: three states", doc)
    tap.ok("~/.bashrc:" in doc[1]["note"], "which: set in new sessions",
           doc[1])
    tap.ok(h.run("which", "ls")[0] == 0 and
           h.run("which", "no-such-tool")[0] == 1, "which: exit status")
    docs = h.json("sandbox")
    tap.ok([d["id"] for d in docs][:6] == ["snap", "flatpak", "selinux",
                                           "apparmor", "chroot", "docker"],
           "sandbox: the rows")


def found(h, *args, user=None, **more):
    """The ids of a check in bash, as another user where one is given."""
    argv = [CTL, "env", "check", "--json", "--shell", "bash", *args]
    if user is not None:
        argv = ["setpriv", "--reuid", str(user), "--regid", str(user),
                "--clear-groups", *argv]
    env = {k: v for k, v in h.env(**more).items() if v is not None}
    p = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       text=True)
    conforms("check", p.stdout)
    return [json.loads(line)["id"] for line in p.stdout.splitlines()] + \
        [p.stderr] * bool(p.stderr)


def test_findings(root):
    """What the table of homes cannot hold: owners, rights, sizes, logins
    that do not work."""
    def has(id, h, *args, **more):
        ids = found(h, *(args or ("--no-probe",)), **more)
        tap.ok(id in ids, "check: " + id, ids)

    h = Home(root, {".bashrc": ":\n", ".profile": ". ~/.bashrc\n"})
    ids = found(h, "--no-probe")
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        tap.skip("check: home-differs", "no account has this uid")
    else:
        tap.ok("home-differs" in ids and not [
            i for i in ids if i.split("-")[0] in ("path", "file", "login")],
            "check: home-differs, and nothing else of the kind", ids)
    has("path-unset", h, PATH=None)
    h.put(".bashrc", ": x\n" * 300000)
    has("file-too-long:~/.bashrc", h)
    h.put(".bashrc", ". ~/deep/0\n")
    for n in range(20):
        h.put("deep/%d" % n, ". ~/deep/%d\n" % (n + 1))
    has("files-not-followed", h)
    h.put(".bashrc", ":\n")
    h.put(".profile", "exit 3\n")
    has("login-fails", h, "--json")
    h.put(".profile", "sleep 1000\n")
    has("login-hangs", h, "--json")
    h.put(".profile", ". ~/.bashrc\n")
    user = None if os.geteuid() != 0 else 4242
    if user and subprocess.run(["setpriv", "--reuid", "4242", "--regid",
                                "4242", "--clear-groups", "test", "-x",
                                CTL]).returncode != 0:
        tap.skip("check: rights", "another user cannot reach the build")
        return
    os.chmod(root, 0o755)
    os.makedirs(h.path + "/closed")
    if user:
        for folder, _, names in os.walk(h.path):
            os.chown(folder, user, user)
            for name in names:
                os.chown(os.path.join(folder, name), user, user)
    os.chmod(h.path + "/closed", 0o600)
    has("path-not-searchable:~/closed", h, user=user,
        PATH=h.path + "/closed:/usr/bin:/bin")
    os.chmod(h.path + "/.bashrc", 0)
    has("file-unreadable:~/.bashrc", h, user=user)
    os.chmod(h.path + "/.bashrc", 0o644)
    if not user:
        tap.skip("check: owners", "not root")
        return
    os.chown(h.path + "/.bashrc", 4343, 4343)
    has("file-foreign-owner:~/.bashrc", h, user=user)
    os.chown(h.path + "/closed", 4343, 4343)
    os.chmod(h.path + "/closed", 0o755)
    has("path-foreign-owner:~/closed", h, user=user,
        PATH=h.path + "/closed:/usr/bin:/bin")
    os.chown(h.path, 4343, 4343)
    has("home-foreign-owner", h, user=user)


def test_consent(root):
    add = ("path", "add", "$HOME/.cargo/bin", "--shell", "bash")
    h = Home(root, {".bashrc": ":\n", ".profile": ". ~/.bashrc\n"})
    status, out, err = h.run(*add)
    tap.ok(status == 1 and h.get(".bashrc") == ":\n" and "--yes" in err,
           "without a terminal and without --yes: nothing", err)
    status, out, err = h.run(*add, "--print")
    tap.ok(status == 0 and h.get(".bashrc") == ":\n" and "+" + LINE in out,
           "--print: a diff, and nothing is written", out)
    for answer in (b"n\n", b"\n", b"x\n", b"\x04"):
        status, out = h.on_terminal(answer, *add)
        tap.ok(status == 1 and h.get(".bashrc") == ":\n",
               "%r at the question: nothing is written" % answer, out)
    status, out = h.on_terminal(b"y\n", *add, early=True)
    tap.ok(status == 1 and h.get(".bashrc") == ":\n",
           "a yes typed before the question does not count", out)
    status, out = h.on_terminal(b"y\n", *add)
    tap.ok(status == 0 and LINE in h.get(".bashrc"),
           "y at the question: it is written", out)
    status, out, err = h.run(*add, "--yes")
    tap.ok(status == 0 and "nothing to change" in out,
           "again: nothing to change", out)
    tap.ok(h.run("path", "add")[0] == 100 and
           h.run("path", "grow", "/x")[0] == 100 and
           h.run("path", "add", "relative", "--yes")[0] == 100 and
           h.run("var", "set", "1=2", "--yes")[0] == 100 and
           h.run("var", "set", "PATH=/x", "--yes")[0] == 100,
           "wrong calls: 100")


def test_told(root):
    """What was done, where it holds, and the way back."""
    h = Home(root, {".bashrc": ":\n", ".profile": ". ~/.bashrc\n"})
    out = h.run("path", "add", "/opt/x", "--yes", "--shell", "bash")[1]
    back = re.search("(?m)^# back again by: aegshctl (env restore .*)$", out)
    tap.ok("# written: ~/.bashrc\n" in out and "new sessions" in out and
           back is not None, "told: the file, where it holds, the way back",
           out)
    out = h.run(*back.group(1).split()[1:], "--yes")[1]
    tap.ok(h.get(".bashrc") == ":\n", "which goes back", out)
    h = Home(root)
    out = h.run("var", "set", "A=b", "--yes", "--shell", "sh")[1]
    tap.ok("# written: ~/.profile\n" in out, "told: a new file", out)
    out = h.run("var", "unset", "A", "--yes", "--shell", "sh")[1]
    tap.ok("# removed: ~/.profile\n" in out and "# written" not in out and
           not os.path.exists(os.path.join(h.path, ".profile")),
           "told: a file that is gone", out)
    out = h.run("path", "add", "/opt/x", "--print")[1]
    tap.ok("# it holds" not in out and "# back" not in out,
           "told: nothing, where nothing is written", out)


def test_builtins(root):
    """What no program is, the shell may know; each says what it has."""
    h = Home(root)
    words = {"bash": "compgen -b; compgen -k", "fish": "builtin -n",
             "zsh": "print -l ${(k)builtins}; print -l ${(k)reswords}"}
    for shell, ask in words.items():
        if shutil.which(shell) is None:
            tap.skip("builtins of " + shell, "it is not installed")
            continue
        known = subprocess.run([shell, "-c", ask], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, text=True,
                               env=h.env()).stdout.split()
        status, out, err = h.run("which", "--json", "--shell", shell, "--",
                                 "cd", "if", "history", "no-such-word")
        rows = [json.loads(x) for x in out.splitlines()]
        notes = [x["note"] for x in rows]
        tap.ok(status == 1 and all(
            (note is not None and "not a program" in note and
             note.split()[3] in ("builtin", "keyword")) ==
            (row["tool"] in known) for note, row in zip(notes, rows)) and
            all(x["state"] == "absent" for x in rows),
            "which: words of %s" % shell, out + err)
    known = subprocess.run(["bash", "-c", words["bash"]], text=True,
                           stdout=subprocess.PIPE).stdout.split()
    none = [w for w in known if shutil.which(w) is None]
    out = h.run("which", "--shell", "bash", "--", *none)[1]
    tap.ok("not installed" not in out and len(none) > 30,
           "which: all words of bash", out)
    out = h.run("which", "--shell", "bash", "cd")[1]
    tap.ok(out == "cd is a builtin of bash, not a program\n",
           "which: cd", out)


def test_patch(root):
    if shutil.which("patch") is None:
        tap.skip("patch", "it is not installed")
        return
    for text in (":\n", "no end", "", "a\nb\nc\nd\ne\nf\n"):
        h = Home(root, {".profile": ". ~/.bashrc\n", ".bashrc": text})
        g = Home(root, {".profile": ". ~/.bashrc\n", ".bashrc": text})
        add = ("path", "add", "/opt/x", "--shell", "bash")
        out = h.run(*add, "--print")[1]
        p = subprocess.run(["patch", "-s", os.path.join(h.path, ".bashrc")],
                           input=out, text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
        g.run(*add, "--yes")
        tap.ok(p.returncode == 0 and h.get(".bashrc") == g.get(".bashrc"),
               "patch(1) makes of the diff what --yes writes (%r)" % text,
               p.stdout + out)


def test_apply(root):
    h = Home(root, {".bashrc": ":\n", ".profile": ". ~/.bashrc\n"})
    plan = h.put("plan.json", json.dumps({
        "path_append": ["$HOME/.cargo/bin"],
        "env_vars": {"GOPATH": "$HOME/go"}}))
    doc = h.json("apply", plan, "--print", "--shell", "bash")[0]
    tap.ok(doc["steps"] == [
        {"type": "shell_config", "label": "Set GOPATH in ~/.bashrc",
         "file": "~/.bashrc", "line": 'export GOPATH="$HOME/go"',
         "needs_sudo": False},
        {"type": "shell_config", "label": "Add cargo to PATH in ~/.bashrc",
         "file": "~/.bashrc", "line": LINE, "needs_sudo": False}],
        "apply: the seed's steps", doc["steps"])
    tap.ok(not doc["written"] and h.get(".bashrc") == ":\n",
           "apply --print writes nothing")
    doc = h.json("apply", plan, "--yes", "--shell", "bash")[0]
    lines = h.get(".bashrc").split("\n")
    tap.ok(doc["written"] and LINE in lines and
           'export GOPATH="$HOME/go"' in lines and
           len(doc["backups"]) == 1, "apply: carried out", doc)
    doc = h.json("apply", plan, "--yes", "--shell", "bash")[0]
    tap.ok(not doc["written"] and doc["edits"] == [],
           "apply: twice is once", doc)
    h.put("whole.json", json.dumps({"post_env": "x", "shell_config":
                                    {"path_append": ["/opt/two"]}}))
    tap.ok(h.run("apply", h.path + "/whole.json", "--yes", "--shell",
                 "bash")[0] == 0 and "/opt/two" in h.get(".bashrc"),
           "apply: a whole recipe")
    fish = h.json("apply", plan, "--print", "--shell", "fish")[0]["steps"]
    tap.ok([s["line"] for s in fish] == [
        "set -gx GOPATH $HOME/go", "set -gx PATH $HOME/.cargo/bin $PATH"]
        and fish[0]["file"] == "~/.config/fish/config.fish",
        "apply: the seed's lines for fish", fish)
    before = h.get(".bashrc")
    for bad in ("[]", "{", '{"path_apend": []}', '{"path_append": "x"}',
                '{"path_append": [1]}', '{"env_vars": {"A": 1}}',
                '{"env_vars": {"A B": "1"}}',
                '{"path_append": ["a"], "path_append": ["b"]}',
                '{"path_append": ["$(id)/x"]}',
                '{"path_append": ["/x\\ny"]}', '{"env_vars": []}'):
        h.put("bad.json", bad)
        status, out, err = h.run("apply", h.path + "/bad.json", "--yes",
                                 "--shell", "bash")
        tap.ok(status == 100 and h.get(".bashrc") == before,
               "apply: %s is refused" % bad, err)
    tap.ok(h.run("apply", "/no/such/file", "--yes")[0] == 111,
           "apply: no such file")


def test_mending(root):
    h = Home(root, {".bashrc": ":\n", ".profile": ". ~/.bashrc\n"})
    b = ("--yes", "--shell", "bash")
    tap.ok(h.run("var", "set", "EDITOR=vi -e", "A=it's \"$HOME\"", *b,
                 "--json")[0]
           == 0 and 'export EDITOR="vi -e"' in h.get(".bashrc"),
           "var set: two at once")
    out = subprocess.run(["bash", "-lc", 'printf %s "$A"'], env=h.env(),
                         stdout=subprocess.PIPE, text=True).stdout
    tap.ok(out == "it's \"%s\"" % h.path, "var set: its value", out)
    tap.ok(h.run("var", "unset", "EDITOR", "A", *b)[0] == 0
           and h.get(".bashrc") == ":\n", "var unset: the bytes are back")
    status, out, err = h.run("path", "add", "/opt/x", "--file",
                             "~/.profile", *b)
    tap.ok(status == 0 and "/opt/x" in h.get(".profile")
           and h.get(".bashrc") == ":\n", "--file: another file", err)
    status, out, err = h.run("path", "remove", "/opt/x", *b, "--json")
    tap.ok(h.get(".profile") == ". ~/.bashrc\n",
           "path remove: found in it all the same", out)
    h.put(".bashrc", "PATH=/opt/own:$PATH\n")
    status, out, err = h.run("path", "remove", "/opt/own", *b)
    tap.ok(status == 0 and "~/.bashrc:1, which aegshctl did not write" in
           out and h.get(".bashrc") == "PATH=/opt/own:$PATH\n",
           "path remove: somebody else's line is told, not touched", out)
    docs = h.json("backups")
    tap.ok(len(docs) >= 4 and docs == sorted(
        docs, key=lambda d: d["name"], reverse=True),
        "backups: newest first", docs)
    first = [d for d in docs if d["file"] == "~/.bashrc"][-1]
    tap.ok(h.run("restore", first["name"], "--yes", "--json")[0] == 0
           and h.get(".bashrc") == ":\n", "restore")
    os.unlink(os.path.join(h.path, ".bashrc"))
    h.run("restore", first["name"], "--yes")
    tap.ok(os.stat(os.path.join(h.path, ".bashrc")).st_mode & 0o777 == 0o600,
           "restore: what is gone comes back private")
    tap.ok(h.run("restore", "nothing", "--yes")[0] == 1,
           "restore: no such backup")
    rb = h.run("path", "add", "/opt/y", "--yes", "--shell", "rbash")
    tap.ok(rb[0] == 1 and "restricted" in rb[2] and
           h.get(".bashrc") == ":\n", "a restricted shell: nothing", rb)
    h.put(".bashrc", "\x1b]0;title\x07 PATH=/opt/z:$PATH\n")
    status, out, err = h.run("path", "add", "/opt/y", "--print", "--shell",
                             "bash")
    tap.ok("\x1b" not in out and "\x07" not in out,
           "escape sequences of a file stay off the screen", repr(out))


def test_wrap(root):
    h = Home(root)
    post = 'export PATH="$HOME/.cargo/bin:$PATH"'
    out = h.run("wrap", "--post-env", post, "--", "cargo", "install",
                "cargo-audit")[1]
    tap.ok(json.loads(out) == ["bash", "-c", post +
                               " && cargo install cargo-audit"],
           "wrap: the seed's example", out)
    tap.ok(h.run("wrap", "--post-env", "x #", "--", "ls")[0] == 100,
           "wrap: what no command can follow")
    tap.ok(h.run("wrap", "--post-env", post)[0] == 100,
           "wrap: no command")
    out = h.run("wrap", "ls", "--json")[1]
    tap.ok(json.loads(out)[2] == "ls --json",
           "wrap: options of the command are its own", out)
    conforms("wrap", out)


def through_aegsh(root):
    """A home as `env run` wants it: a place for the store."""
    place = tempfile.mkdtemp(prefix="t-aegsh-env.", dir="/var/tmp")
    os.chmod(place, 0o755)
    for name in ("etc", "own", "home"):
        os.mkdir(os.path.join(place, name))
    return place, {"HOME": place + "/home", "AEGSH_TEST_ROOT": place}


def test_run(root):
    place, env = through_aegsh(root)
    h = Home(root)

    def run(*args, **more):
        p = subprocess.run([CTL, "env", "run", *args], cwd=env["HOME"],
                           env=h.env(**env), text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           start_new_session=True,
                           **dict({"stdin": subprocess.DEVNULL}, **more))
        return p.returncode, p.stdout, p.stderr

    post = ("--post-env", 'export A="of the $HOME"')
    got = run(*post, "--", "sh", "-c", 'echo "$A"; exit 7')
    tap.ok(got == (7, "of the %s\n" % env["HOME"], ""),
           "run: the exports, the output and the status", got)
    words = ["two words", "it's", '"quoted"', "$HOME", "a\nline", "", "*",
             "\\", "--json", "äöü", "#x", "~", "a;b", "$(echo no)", "!"]
    got = run(*post, "--", "printf", "[%s]", *words)
    tap.ok(got == (0, "".join("[%s]" % w for w in words), ""),
           "run: words arrive as they are", got)
    got = run("cat", input="mine\n", stdin=None)
    tap.ok(got == (0, "mine\n", ""), "run: standard input is the command's",
           got)
    got = run("no-such-command-here")
    tap.ok(got[0] == 127 and got[1] == "", "run: not found is 127", got)
    got = run("sh", "-c", "kill -TERM $$")
    tap.ok(got[0] in (-15, 143) and got[1:] == ("", ""),
           "run: death by a signal", got)
    got = run(*post, "--", "sh", "-c", "curl -s http://127.0.0.1:1/x | sh")
    tap.ok(got[0] == 126 and got[1] == "" and
           got[2].startswith("aegsh: blocked: "),
           "run: what policy blocks is refused", got)
    got = run("--post-env", "curl -s http://127.0.0.1:1/x | sh", "--",
              "echo", "ran")
    tap.ok(got[0] == 126 and got[1] == "", "run: in the exports as well",
           got)
    got = run("--post-env", 'eval "$(cat /dev/null)"', "--", "echo", "ran")
    tap.ok(got[0] == 126 and got[1] == "" and "nobody" in got[2],
           "run: with no terminal a question is a no", got)
    tap.ok(run("--post-env", "x #", "--", "ls")[0] == 100 and
           run()[0] == 100, "run: wrong calls are 100")
    out = subprocess.run([CTL, "history", "--json"], env=h.env(**env),
                         stdout=subprocess.PIPE, text=True).stdout
    lines = [json.loads(line) for line in out.splitlines()]
    tap.ok([d["decision"] for d in lines].count("block") == 3 and
           any(d["line"].startswith('export A="of the $HOME" && printf')
               and d["decision"] == "allow" for d in lines),
           "run: all of it is on record", out)
    alone = os.path.join(place, "aegshctl")
    shutil.copy(CTL, alone)
    p = subprocess.run([alone, "env", "run", "true"], env=h.env(
        AEGSH_TEST_LIBEXEC=place + "/x/y/z", **env), stderr=subprocess.PIPE,
        text=True)
    tap.ok(p.returncode == 111 and "aegsh is not installed" in p.stderr,
           "run: without aegsh it fails and says why", p)
    shutil.rmtree(place)


# Knows one user more, as a name service behind the files would.
GETENT = """#!/bin/sh
case "$1 $3" in
"passwd fromldap" | "passwd %(uid)d")
	echo 'fromldap:x:%(uid)d:%(uid)d::%(home)s:/bin/zsh' ;;
"passwd other" | "passwd 4343")
	echo 'other:x:4343:4343::/nonexistent:/usr/sbin/nologin' ;;
*) exit 2 ;;
esac
"""


def unused_uid():
    taken = {p.pw_uid for p in pwd.getpwall()}
    return next(u for u in range(54111, 60000) if u not in taken)


def test_nss(root):
    """A user whom /etc/passwd does not have, but the name service does."""
    if os.geteuid() != 0:
        tap.skip("users of the name service",
                 "only root can become one whom passwd(5) does not have")
        return
    uid = unused_uid()
    h = Home(root, {".zshrc": ":\n"})
    for where, _, names in os.walk(h.path):
        for name in [where] + [os.path.join(where, n) for n in names]:
            os.chown(name, uid, uid)
    getent = os.path.join(root, "getent")
    with open(getent, "w") as f:
        f.write(GETENT % {"uid": uid, "home": h.path})
    os.chmod(getent, 0o755)
    nsswitch = os.path.join(root, "nsswitch.conf")
    with open(nsswitch, "w") as f:
        f.write("passwd: files ldap\ngroup: files\n")
    more = {"AEGSH_TEST_GETENT": getent, "AEGSH_TEST_NSSWITCH": nsswitch,
            "SHELL": "/bin/bash"}

    def run(*args):
        p = subprocess.run([CTL, "env", *args], env=h.env(**more),
                           stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, cwd="/", user=uid, group=uid,
                           extra_groups=[])
        return p.returncode, p.stdout, p.stderr

    os.chmod(root, 0o755)
    status, out, err = run("detect", "--json", "--no-probe")
    if status != 0 or "fromldap" not in out:
        tap.ok(False, "the name service: detect", out + err)
        return
    doc = json.loads(out)
    tap.ok((doc["user"], doc["home"], doc["type"], doc["type_source"]) ==
           ("fromldap", h.path, "zsh", "passwd"),
           "the name service: user, home and shell, $SHELL lies", doc)
    status, out, err = run("check", "--no-probe", "--json")
    tap.ok("shell-variable-differs" in out, "and that is told", out)
    status, out, err = run("path", "add", "/opt/x", "--yes")
    tap.ok(status == 0 and "/opt/x" in h.get(".zshrc"),
           "the name service: their file is edited", out + err)
    tap.ok(run("detect", "--user", "other")[0] == 100,
           "another of the name service: not for ordinary users")
    status, out, err = h.run("check", "--user", "other", "--no-probe",
                             "--json", **more)
    tap.ok("home-missing" in out, "another's home that is not there",
           out + err)


def test_examples(root):
    """The examples of aegshctl-env(8), one after the other in one home."""
    page = os.path.join(os.environ["abs_top_srcdir"], "man/aegshctl-env.8")
    with open(page) as f:
        text = f.read().replace("\\\n", "").replace("\\(dq", '"')
    lines = re.findall(r"^\.Dl (.*)", text[text.index(".Sh EXAMPLES"):],
                       re.M)
    tap.ok(len(lines) >= 10, "the page has %d examples" % len(lines))
    h = Home(root, {".bashrc": ":\n", ".profile": ". ~/.bashrc\n",
                    ".cargo/bin/cargo": "#!/bin/sh\n"})
    os.chmod(h.path + "/.cargo/bin/cargo", 0o755)
    middle = ""
    for line in lines:
        p = subprocess.run(["bash", "-c", line], stdin=subprocess.DEVNULL,
                           env=h.env(PATH=os.path.dirname(CTL) +
                                     ":/usr/bin:/bin"), text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        tap.ok(p.returncode in (0, 1) and p.stderr == "" and p.stdout != "",
               line, p.stdout + p.stderr)
        if "apply" in line:
            middle = h.get(".bashrc") + (h.get(".profile") or "")
    if "bash" in h.run("detect", "--no-probe")[1].split("\n")[0]:
        tap.ok(LINE in middle and "GOPATH" in middle and
               h.get(".bashrc") == ":\n" and
               h.get(".profile") == ". ~/.bashrc\n",
               "they do and undo what they say", h.get(".bashrc"))
    else:
        tap.skip("the login shell", "here it is not bash")


def with_user(root):
    """As root asked for by another user, in a mount namespace where that
    user exists."""
    if os.geteuid() != 0:
        tap.skip("sudo's variables", "not root")
        return
    h = Home(root, {".bashrc": ":\n", ".profile": ". ~/.bashrc\n"})
    for name in ("", ".bashrc", ".profile"):
        os.chown(os.path.join(h.path, name), 4242, 4242)
    os.chmod(root, 0o755)
    rootfile = os.path.join(root, "roots")
    with open(rootfile, "w") as f:
        f.write("root's\n")
    passwd = os.path.join(root, "passwd")
    with open("/etc/passwd") as f, open(passwd, "w") as g:
        g.write(f.read() + "asker:x:4242:4242::%s:/bin/bash\n" % h.path)

    def run(*args, **env):
        script = 'mount --bind "$0" /etc/passwd && exec "$@"'
        p = subprocess.run(["unshare", "-m", "sh", "-c", script, passwd,
                            CTL, "env", *args], env=h.env(
                                HOME="/root", AEGSH_TEST_ROOT=root, **env),
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
        return p.returncode, p.stdout, p.stderr

    status, out, err = run("detect", "--json", SUDO_UID="4242")
    if status != 0 and "mount" in err + out or "unshare" in err:
        tap.skip("other mounts", "no mount namespace here")
        return
    doc = json.loads(out)
    tap.ok(doc["user"] == "asker" and doc["home"] == h.path
           and doc["type"] == "bash", "sudo: the invoking user", doc)
    tap.ok(run("detect", "--json", DOAS_USER="asker")[1] == out or
           json.loads(run("detect", "--json", DOAS_USER="asker")[1])["user"]
           == "asker", "doas: the invoking user")
    status, out, err = run("path", "add", "/opt/x", "--yes",
                           SUDO_UID="4242")
    st = os.stat(os.path.join(h.path, ".bashrc"))
    tap.ok(status == 0 and "/opt/x" in h.get(".bashrc")
           and (st.st_uid, st.st_gid) == (4242, 4242),
           "sudo: their file, still theirs", out + err)
    st = os.stat(os.path.join(h.path, ".local/state/aegsh/env"))
    tap.ok(st.st_uid == 4242, "sudo: the backups are theirs too")
    bashrc = os.path.join(h.path, ".bashrc")
    os.unlink(bashrc)
    os.symlink(rootfile, bashrc)
    status, out, err = run("path", "add", "/opt/y", "--yes",
                           SUDO_UID="4242")
    with open(rootfile) as f:
        text = f.read()
    tap.ok(status == 1 and text == "root's\n",
           "sudo: a link to root's file is refused", out + err)
    os.unlink(bashrc)
    # What the user's start-up files run, runs with the user's rights.
    h.put(".bashrc", 'PATH="/uid$(id -u):$PATH"\n')
    status, out, err = run("detect", "--json", SUDO_UID="4242")
    tap.ok("/uid4242" in (json.loads(out)["path_login"] or ""),
           "sudo: the user's shell runs as the user", out)
    status, out, err = run("detect", "--json", "--user", "root",
                           SUDO_UID="4242")
    tap.ok(json.loads(out)["user"] == "root", "sudo --user root: root")
    tap.ok(run("detect", SUDO_UID="987654")[0] == 100,
           "sudo: a user that nobody knows")


def with_sudo(root):
    """The real sudo: passwd and sudoers stand only in a mount namespace."""
    if shutil.which("sudo") is None:
        tap.skip("sudo", "it is not installed: run with its variables only")
        return
    if os.geteuid() != 0:
        tap.skip("sudo", "giving it a user of a test's own needs root")
        return
    h = Home(root, {".bashrc": ":\n", ".profile": ". ~/.bashrc\n"})
    for name in ("", ".bashrc", ".profile"):
        os.chown(os.path.join(h.path, name), 4242, 4242)
    os.chmod(root, 0o755)
    passwd, sudoers = (os.path.join(root, n) for n in ("pw", "sudoers"))
    with open("/etc/passwd") as f, open(passwd, "w") as g:
        g.write(f.read() + "asker:*:4242:4242::%s:/bin/bash\n" % h.path)
    with open(sudoers, "w") as f:
        f.write('Defaults env_keep += "AEGSH_TEST_ROOT"\n'
                "root ALL=(ALL) ALL\nasker ALL=(ALL) NOPASSWD: ALL\n")
    os.chmod(sudoers, 0o440)
    script = 'mount --bind "$0" /etc/passwd && mount --bind "$1" ' \
        '/etc/sudoers && shift && exec setpriv --reuid 4242 --regid 4242 ' \
        '--clear-groups sudo -n "$@"'

    def sudo(*args):
        p = subprocess.run(["unshare", "-m", "sh", "-c", script, passwd,
                            sudoers, *args], env=h.env(), cwd="/",
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
        return p.returncode, p.stdout, p.stderr

    status, out, err = sudo("id", "-u")
    if status != 0 or out != "0\n":
        tap.skip("sudo", "it does not work: " + (out + err).strip()[:100])
        return
    doc = json.loads(sudo(CTL, "env", "detect", "--json", "--no-probe")[1])
    tap.ok((doc["user"], doc["home"], doc["uid"]) ==
           ("asker", h.path, 4242), "real sudo: the invoking user", doc)
    status, out, err = sudo(CTL, "env", "path", "add", "--yes", "/opt/x")
    st = os.stat(os.path.join(h.path, ".bashrc"))
    tap.ok(status == 0 and "/opt/x" in h.get(".bashrc") and
           (st.st_uid, st.st_gid) == (4242, 4242),
           "real sudo: their file, still theirs", out + err)
    # With their rights: what root could write and they cannot stays.
    os.chown(os.path.join(h.path, ".bashrc"), 0, 0)
    before = h.get(".bashrc")
    status, out, err = sudo(CTL, "env", "path", "add", "--yes", "/opt/y")
    tap.ok(status == 1 and h.get(".bashrc") == before,
           "real sudo: a file that is root's is left alone", out + err)
    doc = json.loads(sudo(CTL, "env", "detect", "--json", "--no-probe",
                          "--user", "root")[1])
    tap.ok(doc["user"] == "root", "real sudo --user root: root", doc)
    doc = json.loads(sudo("-i", CTL, "env", "detect", "--json",
                          "--no-probe")[1] or "null")
    tap.ok(doc is not None and doc["user"] == "asker",
           "real sudo -i: the invoking user as well", doc)


def test_rights(root):
    with_user(root)
    with_sudo(root)
    if os.geteuid() == 0:
        tap.skip("another user's environment without rights", "root has them")
        return
    status, out, err = Home(root).run("detect", "--user", "root")
    tap.ok(status == 100 and "root" in err,
           "another user's environment is not for ordinary users", err)


def main():
    root = tempfile.mkdtemp(prefix="aegsh-test-")
    try:
        for test in (test_detect, test_speed, test_looking, test_findings, test_consent,
                     test_told, test_builtins, test_patch, test_apply,
                     test_mending, test_wrap, test_run, test_nss, test_examples, test_rights,
                     test_schema):
            test(root)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    tap.done()


main()
