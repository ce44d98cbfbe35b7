# SPDX-License-Identifier: ISC
"""The operator's way to change rules: tried against what was recorded,
installed whole or not at all, recorded, from a line of aegsh too."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

TOP = os.environ["abs_top_srcdir"]
BIN = os.path.join(os.environ["abs_top_builddir"], "tests/bin")
AEGSH, CTL = os.path.join(BIN, "aegsh"), os.path.join(BIN, "aegshctl")
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from procs import DEADLINE, until  # noqa: E402
from pty_session import Session  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
RULE = 'rule "%s" {\n\tdecision = block\n\treason = r\n\tcommand = { %s }\n}\n'
os.umask(0o022)
root = tempfile.mkdtemp(prefix="t-aegsh-", dir="/var/tmp")
os.chmod(root, 0o755)
for folder in "etc", "own", "home/bin", "home/new":
    os.makedirs(os.path.join(root, folder))
home = os.path.join(root, "home")
rules = os.path.join(root, "etc/policy.d")
env = {"PATH": "/usr/bin:/bin", "HOME": home, "TERM": "dumb",
       "AEGSH_TEST_ROOT": root, "AEGSH_TEST_DATA": os.path.join(TOP, "share")}


def ctl(*args, text="", **more):
    return subprocess.run([CTL, *args], env=dict(env, **more), cwd=home,
                          input=text, capture_output=True, text=True)


def write(name, text):
    path = os.path.join(home, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def installed():
    return sorted(os.listdir(rules)) if os.path.isdir(rules) else []


def block_rule(line):
    p = ctl("test", "--json", line)
    doc = json.loads(p.stdout)
    return doc["rule"] if doc["decision"] == "block" else None


def diff():
    for line in "echo one", "frob x", "ls -l", "rm -r x":
        subprocess.run([AEGSH, "-c", line], env=env, cwd=home,
                       capture_output=True, stdin=subprocess.DEVNULL)
    write("50-s.conf", RULE % ("s", "frob"))
    p = ctl("policy", "diff", "-", "50-s.conf")
    tap.ok(p.returncode == 1 and "frob x" in p.stdout and
           "1 of 4 lines" in p.stdout and "ls -l" not in p.stdout,
           "policy diff: a line that would be decided otherwise", p)
    p = ctl("policy", "diff", "--json", "50-s.conf", "-")
    docs = [json.loads(x) for x in p.stdout.splitlines()]
    tap.same([(d["line"], d["old"], d["old_rule"], d["new"]) for d in docs],
             [("frob x", "block", "s", "allow")], "policy diff --json")
    p = ctl("policy", "diff", "-", "-")
    tap.ok(p.returncode == 0 and "0 of 4" in p.stdout, "no difference: 0", p)
    write("new/a.conf", RULE % ("a", "ls"))
    write("new/b.conf", RULE % ("b", "echo"))
    p = ctl("policy", "diff", "--since", "1h", "-", "new")
    tap.ok("2 of 4" in p.stdout, "a directory stands for the site's", p)
    p = ctl("policy", "diff", "--limit", "1", "--profile", "safe", "-", "new")
    tap.ok("0 of 1" in p.stdout, "--limit and --profile", p)
    write("new/b.conf", "broken {")
    p = ctl("policy", "diff", "-", "new")
    tap.ok(p.returncode == 100 and "new/b.conf:1" in p.stderr,
           "rules that are wrong: 100, with file and line", p)
    tap.same([ctl("policy", "diff", *a).returncode for a in (
        ["-"], ["-", "-", "-"], ["--since", "moon", "-", "-"],
        ["-", "none"])], [100, 100, 100, 111], "called wrongly")
    tap.same(installed(), [], "nothing of it is in force")


def install():
    bare = os.path.join(root, "bare")
    os.makedirs(bare + "/own")
    p = ctl("policy", "install", "50-s.conf", AEGSH_TEST_ROOT=bare)
    tap.ok(p.returncode == 0 and
           os.path.isfile(bare + "/etc/policy.d/50-s.conf"),
           "directories that an install left out are made", p)
    p = ctl("audit", "key", AEGSH_TEST_ROOT=bare)
    tap.ok(p.returncode == 0, "for the key of the record, too", p)
    p = ctl("policy", "install", "50-s.conf")
    tap.ok(p.returncode == 0 and installed() == ["50-s.conf"],
           "policy install", p)
    tap.same(os.stat(os.path.join(rules, "50-s.conf")).st_mode & 0o7777,
             0o644, "for all to read")
    tap.same(block_rule("frob"), "s", "and it holds")
    last = json.loads(ctl("history", "--json", "-n", "1").stdout)
    tap.ok(last["line"] == "aegshctl policy install 50-s.conf" and
           last["note"] in p.stdout, "it is recorded, with its hash", last)
    write("50-s.conf", RULE % ("s", "frob") + "nonsense {")
    p = ctl("policy", "install", "50-s.conf")
    tap.ok(p.returncode == 1 and "50-s.conf:6" in p.stderr and
           block_rule("frob") == "s", "what is wrong changes nothing", p)
    write("50-s.conf", 'rule "x" {\n\tdecision = block\n\treason = r\n'
          "\tcommand = { ls }\n\texample = { cat }\n}\n")
    tap.same(ctl("policy", "install", "50-s.conf").returncode, 1,
             "nor does what does not match its example")
    os.mkfifo(os.path.join(home, "pipe.conf"))
    write("no-rules", "")
    write("a b.conf", "")
    tap.same([ctl("policy", "install", n).returncode for n in (
        "pipe.conf", "no-rules", "a b.conf", "none.conf", "/etc")],
        [111, 100, 100, 111, 100], "names and files that are none")
    tap.same(ctl("policy", "install").returncode, 100, "no file: 100")
    if os.geteuid() == 0:
        write("60-u.conf", RULE % ("u", "frob"))
        p = subprocess.run([CTL, "policy", "install",
                            os.path.join(home, "60-u.conf")],
                           env=dict(env, AEGSH_TEST_OPERATOR="0"),
                           capture_output=True, text=True, cwd="/",
                           user=65534, group=65534, extra_groups=[])
        tap.ok(p.returncode == 100 and "the operator's" in p.stderr,
               "nobody else installs", p)
    else:
        tap.skip("nobody else installs", "needs root, to be somebody else")
    tap.same(installed(), ["50-s.conf"], "nothing is left beside it")


def no_room():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))


def whole_or_not():
    """Killed at any time, or with no room: the old rules or the new ones."""
    path = os.path.join(rules, "50-s.conf")
    with open(path) as f:
        old = f.read()
    new = write("50-s.conf", RULE % ("s", "frob") + "# " + "x" * 50000 + "\n")
    p = subprocess.run([CTL, "policy", "install", new], env=env, cwd=home,
                       capture_output=True, text=True, preexec_fn=no_room)
    with open(path) as f:
        tap.ok(p.returncode == 111 and f.read() == old and
               installed() == ["50-s.conf"],
               "no room: the old rules stay, and nothing beside them", p)
    with open(new) as f:
        both = {old, f.read()}
    seen = set()
    for i in tap.part(range(40)):
        p = subprocess.Popen([CTL, "policy", "install", new], env=env,
                             cwd=home, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        try:
            p.wait(timeout=i * 0.005)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()
        with open(path) as f:
            seen.add(f.read())
    tap.ok(seen <= both, "killed: one or the other", [len(x) for x in seen])
    tap.same([x for x in installed() if not x.startswith(".")],
             ["50-s.conf"], "what is left beside it is no rule file")
    tap.same(block_rule("frob"), "s", "and the rules hold")
    for name in installed():
        if name.startswith("."):
            os.unlink(os.path.join(rules, name))
    with open(path, "w") as f:
        f.write(old)


def edit():
    """An editor known by its name, that is a script of the test's."""
    write("bin/nano", '#!/bin/sh\n[ "$1" = -- ] || exit 9\n'
          'kill -INT $PPID\nkill -QUIT $PPID\n: >"$2~"\n'
          'sed -i s/frob/zap/ "$2"\necho "$2" >%s/edited\n' % home)
    write("bin/ed", "#!/bin/sh\necho 'broken {' >>\"$2\"\n")
    write("bin/evil", "#!/bin/sh\ntouch %s/ran\n" % home)
    for name in "nano", "ed", "evil":
        os.chmod(os.path.join(home, "bin", name), 0o755)
    path = {"PATH": os.path.join(home, "bin") + ":/usr/bin:/bin"}
    left = "/tmp/aegshctl-policy.left%02d" % (os.getpid() % 100)
    os.mkdir(left, 0o700)
    with open(left + "/50-s.conf~", "w"):
        pass
    p = ctl("policy", "edit", "50-s.conf", EDITOR="nano", **path)
    tap.ok(p.returncode == 0 and block_rule("zap") == "s" and
           block_rule("frob") is None, "policy edit, Ctrl-C in the editor", p)
    with open(os.path.join(home, "edited")) as f:
        copy = f.read().strip()
    tap.ok(os.path.basename(copy) == "50-s.conf" and
           not os.path.exists(os.path.dirname(copy)),
           "and nothing of the editor's stays", copy)
    tap.ok(not os.path.exists(left), "nor of an edit that was killed", left)
    p = ctl("policy", "edit", "50-s.conf", text="n\n", EDITOR="ed", **path)
    tap.ok(p.returncode == 1 and "broken" in p.stderr and
           "nothing is changed" in p.stderr and block_rule("zap") == "s",
           "what is wrong is not installed", p)
    write("bin/vi", "#!/bin/sh\nexit 1\n")
    os.chmod(os.path.join(home, "bin/vi"), 0o755)
    p = ctl("policy", "edit", "50-s.conf",
            EDITOR=os.path.join(home, "bin/evil"), **path)
    tap.ok(p.returncode == 111 and "vi did not end well" in p.stderr and
           not os.path.exists(os.path.join(home, "ran")),
           "an editor that is not known is not started", p)
    tap.same(ctl("policy", "edit", "../x.conf").returncode, 100,
             "only a name")


def edit_killed():
    """kill -9 while the editor runs, or at any time after it."""
    path = os.path.join(rules, "50-s.conf")
    with open(path) as f:
        old = f.read()
    new = RULE % ("s", "zap") + "# " + "y" * 50000 + "\n"
    ready = os.path.join(home, "ready")
    write("text", new)
    seen = set()
    for i in range(8):
        with open(path, "w") as f:
            f.write(old)
        # The first is killed by its own editor.
        write("bin/nano", "#!/bin/sh\ncat %s/text >\"$2\"\necho \"$2\" >%s.t\n"
              "mv %s.t %s\n%s" % (home, ready, ready, ready,
                                 "kill -9 $PPID\n" if i == 0 else ""))
        p = subprocess.Popen(
            [CTL, "policy", "edit", "50-s.conf"], cwd=home,
            env=dict(env, EDITOR="nano", PATH=home + "/bin:/usr/bin:/bin"),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        until(lambda: os.path.exists(ready) or p.poll() is not None)
        try:
            p.wait(timeout=DEADLINE if i == 0 else i * 0.025)
        except subprocess.TimeoutExpired:
            p.kill()
        rc = p.wait()
        with open(path) as f:
            now = f.read()
        if i == 0:
            tap.ok(rc == -signal.SIGKILL and now == old,
                   "killed by its editor: the old rules", (rc, len(now)))
        seen.add(now)
        with open(ready) as f:
            shutil.rmtree(os.path.dirname(f.read().strip()),
                          ignore_errors=True)
        os.unlink(ready)
    tap.ok(seen <= {old, new}, "killed later: one or the other, whole",
           [len(x) for x in seen])
    tap.same(block_rule("zap"), "s", "and the rules hold")
    for name in installed():
        if name.startswith("."):
            os.unlink(os.path.join(rules, name))
    with open(path, "w") as f:
        f.write(old)


def from_a_line():
    write("70-line.conf", RULE % ("line", "frob"))
    s = Session([AEGSH], env=env, cwd=home)
    s.expect("[#$] ")
    s.line("aegshctl policy install 70-line.conf")
    tap.ok(s.expect("rules that all lines are judged by would change") and
           s.expect("Run it"), "a line of the operator's is asked about",
           s.seen)
    s.line("n")
    tap.ok(s.expect("you said no") and "70-line.conf" not in installed(),
           "no is no", s.seen)
    s.expect("[#$] ")
    s.line("aegshctl policy install 70-line.conf")
    s.expect("Run it")
    s.line("y")
    tap.ok(s.expect("70-line.conf: installed; sources [0-9a-f]{64}"),
           "yes installs it", s.seen)
    s.expect("[#$] ")
    s.line("frob")
    tap.ok(s.expect(r"blocked: r \[line\]"), "it holds for the next line",
           s.seen)
    s.expect("[#$] ")
    s.line("cp 70-line.conf %s/80-x.conf" % rules)
    s.expect("[#$] ")
    s.line("exit")
    s.wait()
    tap.ok("80-x.conf" not in installed(), "no command writes there", s.seen)
    p = subprocess.run([AEGSH, "-c", "aegshctl policy install 70-line.conf"],
                       env=env, cwd=home, capture_output=True, text=True,
                       stdin=subprocess.DEVNULL)
    tap.ok(p.returncode == 126 and "floor.aegsh-policy" in p.stderr,
           "where nobody can be asked, nothing is installed", p)


try:
    diff()
    install()
    whole_or_not()
    edit()
    edit_killed()
    from_a_line()
finally:
    shutil.rmtree(root)
tap.done()
