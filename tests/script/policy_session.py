# SPDX-License-Identifier: ISC
"""Whose rules a session of the built shell has: match blocks, wishes, the
user's own layer, and what the operator changes between two lines."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

TOP = os.environ["abs_top_srcdir"]
BIN = os.path.join(os.environ["abs_top_builddir"], "tests/bin")
AEGSH, CTL = os.path.join(BIN, "aegsh"), os.path.join(BIN, "aegshctl")
WITHOUT_LISTENER = os.path.join(TOP, "tests/lib/without_listener.py")
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from procs import DEADLINE  # noqa: E402
from pty_session import Session  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
ROOT = os.geteuid() == 0
UID = 65534  # one who is not the operator
SLOW = DEADLINE

BLOCK = 'rule "%s" {\n\tdecision = block\n\treason = r\n\tcommand = { %s }\n}\n'


class Place:
    """A root of its own.  Not below /tmp, where commands may write."""

    def __init__(self, operator):
        self.dir = tempfile.mkdtemp(prefix="t-aegsh-", dir="/var/tmp")
        os.chmod(self.dir, 0o755)
        self.operator = operator
        self.sigchld = signal.SIG_DFL
        self.uid = None if operator or not ROOT else UID
        for name in ("etc/policy.d", "own", "home/.config/aegsh/policy.d"):
            os.makedirs(self.path(name), 0o755)
        # The rules of the tree, in a place that a user may read.
        shutil.copytree(os.path.join(TOP, "share"), self.path("share"))
        if self.uid:
            for top, dirs, _ in os.walk(self.path("home")):
                for name in [top] + dirs:
                    os.chown(os.path.join(top, name), UID, UID)
            # As /var/tmp: his record is there.
            os.chmod(self.path("own"), 0o1777)
        self.env = {"PATH": "/usr/bin:/bin", "HOME": self.path("home"),
                    "AEGSH_TEST_ROOT": self.dir, "TERM": "dumb",
                    "AEGSH_TEST_DATA": self.path("share"),
                    "XDG_CONFIG_HOME": self.path("home/.config"),
                    "AEGSH_TEST_OPERATOR":
                        str(os.geteuid() if operator else 0)}

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def site(self, name, text):
        """Whole or not at all, as an operator should."""
        path = self.path("etc/policy.d", name)
        with open(path + ".new", "w") as f:
            f.write(text)
        os.chmod(path + ".new", 0o644)
        os.rename(path + ".new", path)

    def no_site(self, name):
        os.unlink(self.path("etc/policy.d", name))

    def own(self, name, text):
        path = self.path("home/.config/aegsh/policy.d", name)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, 0o644)
        if self.uid:
            os.chown(path, UID, UID)

    def own_settings(self, text):
        self.own("../aegsh.conf", text)

    def become(self):
        signal.signal(signal.SIGCHLD, self.sigchld)
        if self.uid:
            os.setgroups([])
            os.setgid(UID)
            os.setuid(UID)

    def run(self, *args, text=None, argv0=None, prog=AEGSH, **env):
        return subprocess.run([argv0 or prog, *args], executable=prog,
                              input=text, text=True, capture_output=True,
                              env=dict(self.env, **env), timeout=60,
                              preexec_fn=self.become, cwd=self.path("home"),
                              **({} if text is not None else
                                 {"stdin": subprocess.DEVNULL}))

    def test(self, *args):
        p = self.run("test", "--json", *args, prog=CTL)
        return json.loads(p.stdout or '{"profile": %s}' %
                          json.dumps(p.stderr))

    def done(self):
        shutil.rmtree(self.dir)


def test_limits():
    p = Place(True)
    os.makedirs(p.path("etc/sandbox.d"))

    def run(line, *limits):
        with open(p.path("etc/sandbox.d/full-auto.conf"), "w") as f:
            f.write("".join("limit-%s\n" % limit for limit in limits))
        return p.run("--profile", "full-auto", "-c", line)

    done = run("ulimit -n; echo one | cat")
    tap.ok(done.stdout == "500\none\n" and done.stderr == "" and
           done.returncode == 0, "limits: full-auto has its open files, and "
           "nothing is said", done.stdout + done.stderr)
    done = run("while :; do :; done", "cpu = 1")
    tap.ok(done.returncode == 126 and done.stderr.count("\n") == 1 and
           "killed: it met its limit, limit-cpu: more than 1 s" in
           done.stderr, "limits: a line that met one is dead, and its user "
           "told", done.stderr)
    done = run("sleep 600 & sleep 600", "time = 1")
    tap.ok(done.returncode == 126 and "limit-time: more than 1 s" in
           done.stderr, "limits: time", done.stderr)
    done = run("timeout 60 timeout 600 sleep 600; echo $?", "children = 2")
    tap.ok(done.returncode == 0 and done.stdout == "125\n" and
           "limit of the profile full-auto: limit-children: 2 at one time"
           in done.stderr, "limits: more children are refused", done.stderr)
    done = p.run("--profile", "full-auto", text="echo one\n"
                 "timeout 60 timeout 600 sleep 600\necho two\n")
    tap.ok(done.stdout == "one\ntwo\n" and done.stderr.count(
        "limit-children: 2 at one time") == 1,
           "limits: of lines on standard input", done.stdout + done.stderr)
    with open(p.path("etc/sandbox.d/admin.conf"), "w") as f:
        f.write("limit-children = 50\nsupervise = scripts\n")
    with open(p.path("etc/sandbox.d/root.conf"), "w") as f:
        f.write("limit-children = 50\nsupervise = scripts\n")
    with open(p.path("home/late"), "w") as f:
        f.write("/bin/echo three; /bin/true\n")
    done = p.run("--profile", "admin", text="/bin/echo one\nsleep 0.01 &\n"
                 "/bin/echo two\nsh ./late\n(/bin/echo four)\n")
    tap.ok(done.stdout == "one\ntwo\nthree\nfour\n" and done.stderr == ""
           and done.returncode == 0, "limits: lines that name a script after "
           "others", done.stdout + done.stderr)
    told = events(p, "line-%")
    tap.same([kind for kind, text in told],
             ["line-limited", "line-killed"] * 2 + ["line-limited"] * 2,
             "limits: all are on record")
    p.done()


def entrances(line):
    """Ways for a line to come: (name, arguments, standard input)."""
    return (("-c", ["-c", line], None),
            ("a script", ["script"], None),
            ("standard input", [], line + "\n"),
            ("the end of standard input", [], "trap '%s' EXIT\n" % line))


def test_limits_of_entrances():
    for limit, line, said, status in (
            ("children = 2", "timeout 60 timeout 600 sleep 600; :",
             "limit-children: 2 at one time", 0),
            ("memory = 60", 'python3 -c "import time; x = bytearray(200 << 20)'
             '; time.sleep(600)"', "limit-memory: more than 60 MiB", 126),
            ("time = 1", "sleep 600", "limit-time: more than 1 s", 126)):
        p = Place(True)
        os.makedirs(p.path("etc/sandbox.d"))
        for name in ("admin", "root", "login"):
            with open(p.path("etc/sandbox.d/%s.conf" % name), "w") as f:
                f.write("limit-%s\n" % limit)
        for name in ("script", ".profile"):
            with open(p.path("home", name), "w") as f:
                f.write(line + "\n")
        ways = entrances(line)
        # Lines on standard input have no time, as aegsh-sandbox(5) says.
        for name, args, text in ways[:2] if "time" in limit else ways:
            done = p.run(*args, text=text)
            tap.ok(said in done.stderr and done.returncode == status and
                   done.stderr.count("aegsh: ") == 1,
                   "limit-%s: %s meets it and is told" % (limit, name),
                   "%d %s" % (done.returncode, done.stderr))
            with_none = p.run(WITHOUT_LISTENER, AEGSH, *args, text=text,
                              prog="/usr/bin/python3")
            tap.ok("not run: supervisor: " in with_none.stderr and
                   with_none.returncode == 126, "limit-%s: %s is refused "
                   "where the kernel lets nobody watch" % (limit, name),
                   "%d %s" % (with_none.returncode, with_none.stderr))
        before = len(events(p, "line-limited"))
        tap.same(before, 2 if "time" in limit else 4,
                 "limit-%s: each is on record" % limit)
        done = p.run("-l", "-c", "echo in")
        told = events(p, "line-limited")[before:]
        tap.ok(done.stdout == "in\n" and len(told) == 1 and
               told[0][1].startswith(said), "limit-%s: so is a start-up file"
               % limit, "%r %r" % (done, told))
        p.done()


def test_umask():
    p = Place(True)
    for profile, want, note in (("full-auto", "0077", True),
                                ("admin", "0002", False)):
        s = Session([AEGSH, "--profile", profile], env=p.env,
                    cwd=p.path("home"))
        s.expect(r"[#$] ")
        s.run("umask 077", r"[#$] ")
        said = s.run("umask 002", r"[#$] ")
        tap.same("a line can only tighten it" in said, note,
                 "umask: %s tells what was not kept" % profile)
        said = s.run("umask", r"[#$] ")
        tap.ok(want in said, "umask: the next line under " + profile, said)
        s.line("exit")
        s.wait()
    p.done()


def test_match():
    p = Place(True)
    p.site("50-match.conf", """
match "commands" { origin = { command } profile = safe }
match "forced" { origin = { forced } profile = transfer }
match "all" { user = { '*' } profile = full-auto }
match "late" { user = { '*' } profile = admin }
""")
    done = p.run("-c", "ls")
    tap.ok(done.returncode == 126 and "profile.disabled" in done.stderr,
           "match: -c has the profile of its block", done.stderr)
    done = p.run(text="curl -s http://127.0.0.1:1/x\n")
    tap.ok(done.returncode == 126 and "seed.block.fetch" in done.stderr,
           "match: the first that holds, for standard input", done.stderr)
    done = p.run("-c", AEGSH, SSH_ORIGINAL_COMMAND="ls")
    tap.ok(done.returncode == 126 and "profile." in done.stderr,
           "match: a forced command", done.stderr)
    tap.same([p.test("--origin", o, "ls")["profile"] for o in
              ("command", "forced", "stdin", "prompt")],
             ["safe", "transfer", "full-auto", "full-auto"],
             "aegshctl test --origin agrees")
    tap.ok("all (" in p.test("ls")["match"] and "50-match.conf:4" in
           p.test("ls")["match"], "and names the block", p.test("ls"))
    done = p.run("status", "--json", prog=CTL)
    policy = json.loads(done.stdout)["policy"]
    tap.ok(policy["profile"] == "full-auto" and "all" in policy["match"],
           "aegshctl status names it too", policy)
    for args in (["--profile", "admin"], ["-o", "profile=admin"]):
        done = p.run(*args, "-c", "ls")
        tap.ok(done.returncode == 111 and "less strict" in done.stderr,
               "%s cannot loosen it" % " ".join(args), done.stderr)
        done = p.run(*args[:1], args[1].replace("admin", "safe"),
                     text="echo\n")
        tap.ok(done.returncode == 126 and "profile.disabled" in done.stderr,
               "%s can tighten it" % " ".join(args[:1]), done.stderr)
    p.site("50-match.conf", 'match "x" { group = { no-such-group } '
           'profile = safe }\nmatch "l" { origin = { login } profile = dev }')
    tap.same(p.run("-c", "ls").returncode, 0, "a group that nobody is in")
    done = p.run(text="uname\n", argv0="-aegsh")
    tap.ok("[not-listed]" in done.stderr, "a login shell", done.stderr)
    p.site("50-match.conf", 'match "x" { user = { a } profile = nonsense }')
    done = p.run("-c", "ls")
    tap.ok(done.returncode == 111 and "50-match.conf:1" in done.stderr,
           "a profile that is not there is an error", done.stderr)
    p.no_site("50-match.conf")
    p.done()


def test_name_service():
    """Groups that only the name service knows, where the parent has left
    SIGCHLD ignored."""
    p = Place(True)
    for name, text, mode in (
            ("nsswitch", "passwd: files ldap\ngroup: files ldap\n", 0o644),
            ("getent", "#!/bin/sh\n[ \"$1 $3\" = 'group robots' ] && "
             "exec echo robots:x:%d:\nexit 2\n" % os.getegid(), 0o755)):
        with open(p.path(name), "w") as f:
            f.write(text)
        os.chmod(p.path(name), mode)
    p.env.update(AEGSH_TEST_NSSWITCH=p.path("nsswitch"),
                 AEGSH_TEST_GETENT=p.path("getent"))
    p.site("50-match.conf",
           'match "x" { group = { robots } profile = safe }')
    for p.sigchld in (signal.SIG_DFL, signal.SIG_IGN):
        done = p.run("-c", "ls")
        tap.ok("profile.disabled" in done.stderr,
               "match: a group of the name service, " + p.sigchld.name,
               done.stderr)
        tap.same(p.test("ls")["profile"], "safe", "aegshctl test agrees")
    p.site("50-match.conf",
           'match "x" { group = { humans } profile = full-auto }')
    done = p.run("-c", "ls")
    tap.ok(done.returncode == 111 and "group humans" in done.stderr,
           "match: a service that is not there is not taken for a no",
           done.stderr)
    p.done()


def test_own_rules():
    p = Place(False)
    p.own("10-mine.conf", BLOCK % ("mine", "frob") + """
rule "loose" { decision = allow any_words = true reason = r command = { rm } }
profile "loose" { extends = admin rank = 0 }
""")
    done = p.run("-c", "frob x")
    tap.ok(done.returncode == 126 and "[mine]" in done.stderr,
           "a user forbids himself more", done.stderr)
    done = p.run("-c", "rm -r /srv/x")
    tap.ok(done.returncode == 126 and "ask.rm-recursive" in done.stderr,
           "and allows himself nothing", done.stderr)
    done = p.run("test", "frob", prog=CTL)
    tap.ok(done.returncode == 2 and "'loose' is left out" in done.stderr,
           "aegshctl test has his rules, and tells what is left out",
           done.stderr)
    done = p.run("--profile", "loose", "-c", "true")
    tap.same(done.returncode, 111, "his profile does not exist")
    s = Session([AEGSH], env=p.env, cwd=p.path("home"), uid=p.uid)
    tap.ok(s.expect("rule that allows, 'loose' is left out"),
           "a prompt tells it", s.seen)
    s.expect(r"[#$] ")
    s.line("exit")
    s.wait()
    p.own("10-mine.conf", 'rule "broken" {')
    done = p.run("-c", "echo in")
    tap.ok(done.stdout == "in\n" and done.returncode == 0,
           "broken rules lock nobody out", done.stderr)
    tap.ok(re.fullmatch(r"aegsh: your own rules are left out: "
                        r"[^\n]*10-mine.conf:1[^\n]*\n", done.stderr),
           "of which -c tells, too, for they forbid nothing", done.stderr)
    done = p.run("status", prog=CTL)
    tap.ok(done.returncode == 1 and
           done.stdout.count("your own rules are left out") == 1,
           "status tells them as a problem: 1", done.stdout)
    s = Session([AEGSH], env=p.env, cwd=p.path("home"), uid=p.uid)
    tap.ok(s.expect(r"your own rules are left out: [^\n]*10-mine.conf:1"),
           "and are told", s.seen)
    s.expect(r"[#$] ")
    s.line("exit")
    s.wait()
    p.own("10-mine.conf", BLOCK % ("mine", "frob"))
    os.chmod(p.path("home/.config/aegsh/policy.d/10-mine.conf"), 0o666)
    tap.ok("left out" in p.run("test", "ls", prog=CTL).stderr,
           "rules that anybody can write are left out")
    p.done()
    p = Place(True)
    p.own("10-mine.conf", BLOCK % ("mine", "frob"))
    tap.ok(p.test("frob")["rule"] != "mine" and
           "mine" not in p.run("-c", "frob").stderr,
           "the operator has no layer of his own")
    p.done()


def test_own_settings():
    """Left out as a whole, they tighten nothing: each entrance tells."""
    p = Place(False)
    p.own_settings("ask-timeout = 1000\nfail = blok\n")
    told = re.compile(r"aegsh: [^\n]*aegsh\.conf:2: fail[^\n]*: this file was "
                      r"left out\n")
    script = p.path("home/script")
    with open(script, "w") as f:
        f.write("echo in\n")
    os.chmod(script, 0o755)
    for name, done in (
            ("-c", p.run("-c", "echo in")),
            ("-c of a login shell", p.run("-c", "echo in", argv0="-aegsh")),
            ("a script", p.run(script)),
            ("a stream", p.run(text="echo in\n")),
            ("a forced command", p.run(SSH_ORIGINAL_COMMAND="echo in")),
            ("a line's own aegsh", p.run("-c", AEGSH + " -c 'echo in'"))):
        tap.ok(done.returncode == 0 and done.stdout == "in\n" and
               told.fullmatch(done.stderr), "settings with a slip are told "
               "once, on standard error alone: " + name,
               "%r" % ((done.returncode, done.stdout, done.stderr),))
    done = p.run("status", prog=CTL)
    tap.ok(done.returncode == 1 and
           done.stdout.count("this file was left out") == 1,
           "status tells them as a problem: 1", done.stdout)
    done = p.run("test", "echo in", prog=CTL)
    tap.ok("this file was left out" in done.stderr and done.returncode == 0,
           "test judges without them, and tells it", done.stderr)
    # What is asked for in vain is no slip.
    with open(p.path("etc/aegsh.conf"), "w") as f:
        f.write("ask-timeout = 1000\n")
    p.own_settings("ask-timeout = 2000\n")
    done = p.run("-c", "echo in")
    tap.same((done.returncode, done.stdout, done.stderr), (0, "in\n", ""),
             "a setting that may not be loosened is not told by -c")
    done = p.run("status", prog=CTL)
    tap.ok(done.returncode == 0 and "would not tighten" in done.stdout,
           "but by status, which is content", done.stdout)
    p.done()


class Stream:
    """A shell that is given line after line."""

    def __init__(self, place):
        self.p = subprocess.Popen([AEGSH], env=place.env, text=True,
                                  stdin=subprocess.PIPE, bufsize=1,
                                  stdout=subprocess.PIPE,
                                  stderr=open(place.path("err"), "w"),
                                  cwd=place.path("home"),
                                  preexec_fn=place.become)

    def say(self, line):
        self.p.stdin.write(line + "\n")
        self.p.stdin.flush()

    def hears(self, text):
        self.say("echo %s" % text)
        return self.p.stdout.readline() == text + "\n"

    def end(self):
        try:
            self.p.stdin.close()
        except BrokenPipeError:
            pass
        return self.p.wait(timeout=SLOW)


def events(place, kind="policy%"):
    """After a prompt has taken what short runs recorded into the store."""
    s = Session([AEGSH], env=place.env, cwd=place.path("home"))
    s.expect(r"[#$] ")
    s.line("true")
    s.expect(r"[#$] ")
    s.line("exit")
    s.wait()
    found = []
    for top, _, files in os.walk(place.path("own")):
        if "audit.db" in files:
            db = sqlite3.connect("file:%s?mode=ro" % os.path.join(
                top, "audit.db"), uri=True)
            found += db.execute("SELECT kind, text FROM events "
                                "WHERE kind LIKE ?", (kind,)).fetchall()
            db.close()
    return found


def errors(place):
    with open(place.path("err")) as f:
        return f.read()


def test_reload():
    p = Place(True)
    s = Stream(p)
    tap.ok(s.hears("one"), "before the rules change")
    p.site("50-rule.conf", BLOCK % ("fresh", "frob"))
    tap.ok(s.hears("two"), "changed rules that say nothing about a line")
    s.say("frob")
    tap.same(s.end(), 126, "hold from the next line on")
    tap.ok("[fresh]" in errors(p), "by their name", errors(p))
    shown = json.loads(p.run("profile", "show", "--json", prog=CTL).stdout)
    tap.same(events(p), [("policy-reload", shown["hash"])],
             "and are recorded with their hash")
    s = Stream(p)
    tap.ok(s.hears("one"), "another session")
    p.site("50-rule.conf", "nonsense {")
    tap.ok(s.hears("two") and s.hears("three"), "broken rules change nothing")
    tap.same(errors(p).count("is not used"), 1, "and are told once")
    tap.ok("50-rule.conf" in errors(p), "by file", errors(p))
    tap.same(subprocess.run([CTL, "test", "frob"], env=p.env,
                            capture_output=True).returncode, 111,
             "a new session does not get in on them")
    p.site("50-rule.conf", BLOCK % ("other", "frob"))
    s.say("frob")
    tap.same(s.end(), 126, "mended ones hold")
    tap.ok("[other]" in errors(p), "by their name", errors(p))
    tap.same([e[0] for e in events(p)][-2:],
             ["policy-refused", "policy-reload"], "both are recorded")
    s = Stream(p)
    tap.ok(s.hears("one"), "a third")
    p.no_site("50-rule.conf")
    s.say("frob; echo gone")
    tap.same(s.p.stdout.readline(), "gone\n", "rules that went are gone")
    s.end()
    p.done()


def test_reload_own():
    """What a line could write must not judge the next one."""
    p = Place(False)
    p.own("10-mine.conf", BLOCK % ("mine", "frob"))
    s = Stream(p)
    tap.ok(s.hears("one"), "a session with rules of its user's own")
    p.own("10-mine.conf", BLOCK % ("lock", "echo"))
    tap.ok(s.hears("two"), "a change of them waits for the next session")
    p.site("50-rule.conf", BLOCK % ("fresh", "zap"))
    tap.ok(s.hears("three"), "also where the operator's change")
    s.say("frob")
    tap.same(s.end(), 126, "and the old ones hold")
    tap.ok("[mine]" in errors(p), "by their name", errors(p))
    tap.ok("[lock]" in p.run("-c", "echo x").stderr, "the next one has it")
    p.done()


def test_place():
    """dev and full-auto: the project's root, a clean environment, one PATH."""
    p = Place(True)
    sub = p.path("home/proj/a/b")
    os.makedirs(sub)
    os.mkdir(p.path("home/proj/.git"))
    os.mkdir(p.path("home/.git"))
    os.makedirs(p.path("home/loose/x"))
    extra = {"AWS_SECRET_ACCESS_KEY": "x", "SSH_AUTH_SOCK": "/x", "FOO": "1",
             "EDITOR": "vim", "PAGER": "/tmp/less", "LC_ALL": "C",
             "DOTNET_ROOT": "/d", "PATH": p.path("home/bin") + ":/usr/bin"}

    def run(cwd, line, profile="full-auto"):
        return subprocess.run([AEGSH, "--profile", profile, "-c", line],
                              capture_output=True, text=True, cwd=cwd,
                              env=dict(p.env, **extra))

    tap.same(run(sub, "pwd").stdout, p.path("home/proj") + "\n",
             "a session begins in the project's root")
    tap.same(run(p.path("home/loose/x"), "pwd").stdout,
             p.path("home/loose/x") + "\n",
             "a mark in the home directory does not make that a project")
    os.mkdir(p.path("home/loose/.git"))
    os.chmod(p.path("home/loose"), 0o777)
    tap.same(run(p.path("home/loose/x"), "pwd").stdout,
             p.path("home/loose/x") + "\n",
             "nor does one that anybody could have left")
    done = run(sub, "cat a/f ../x")
    tap.ok(done.returncode == 126 and "[jail]" in done.stderr,
           "the root is the jail's", done.stderr)
    tap.ok("[jail]" not in run(sub, "cat a/b/f").stderr,
           "what lies below is inside")
    seen = dict(x.split("=", 1) for x in
                run(sub, "env").stdout.splitlines() if "=" in x)
    tap.same(seen["PATH"], "/usr/local/bin:/usr/bin:/bin",
             "PATH is the profile's")
    tap.same([n for n in extra if n in seen],
             ["EDITOR", "LC_ALL", "DOTNET_ROOT", "PATH"],
             "of the environment, what programs need")
    done = run(p.path("home"), "env", "admin")
    tap.ok("FOO=1" in done.stdout and "PAGER" not in done.stdout,
           "admin takes all but what it refuses")
    p.site("50-keep.conf", "profile \"keeps\" { extends = full-auto "
           "rank = 30 keep_variables = { 'FO?', 'AWS_*' } }")
    done = run(sub, "env", "keeps")
    tap.ok("FOO=1" in done.stdout and "AWS_SECRET" in done.stdout and
           "SSH_AUTH" not in done.stdout, "keep_variables", done.stdout)
    s = Session([AEGSH, "--profile", "full-auto"],
                env=dict(p.env, **extra), cwd=sub)
    s.expect(r"[#$] ")
    s.line("export PATH=/usr/bin:/bin NEW=1")
    s.expect(r"[#$] ")
    s.line("echo \"is:$PATH:$NEW\"")
    tap.ok(s.expect("PATH is /usr/local/bin:/usr/bin:/bin again"),
           "a PATH that a line has set is told", s.seen)
    tap.ok(s.expect("is:/usr/local/bin:/usr/bin:/bin:1"),
           "and is not that of the next", s.seen)
    s.line("exit")
    s.wait()
    for bad, why in (("search_path = 'bin'", "absolute"),
                     ("search_path = '/bin:'", "absolute"),
                     ("project = { 'a/b' }", "marks"),
                     ("project = { '..' }", "marks")):
        p.site("50-keep.conf", 'profile "k" { extends = dev rank = 1 %s }'
               % bad)
        done = run(sub, "pwd")
        tap.ok(done.returncode == 111 and why in done.stderr,
               "no profile: " + bad, done.stderr)
    p.done()


os.umask(0o022)
test_place()
test_umask()
test_limits()
test_limits_of_entrances()
test_match()
test_name_service()
test_reload()
for test in test_own_rules, test_own_settings, test_reload_own:
    if ROOT:
        test()
    else:
        tap.skip(test.__name__, "needs root: operator and user are two")
tap.done()
