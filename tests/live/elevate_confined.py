# SPDX-License-Identifier: ISC
"""What sudo runs for a line is confined (elevated = confine), and aegsh-confine
runs nothing that sudoers(5) would not have run without it."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from elevate_rig import (  # noqa: E402
    A, DEADLINE, ENV, HOME, NAME, PROMPT, ROOT, UID, Session, events, history, leave,
    line, own, prompt, run, settings, sudoers, tap, write)
from procs import until  # noqa: E402

CONFINE = HOME + "/libexec/aegsh-confine"
KEEP = "Defaults env_keep += \"AEGSH_TEST_ROOT AEGSH_TEST_DATA " \
    "AEGSH_TEST_LIBEXEC AEGSH_TEST_OPERATOR ASAN_OPTIONS\"\n"


def allow(*lines):
    sudoers(KEEP + "".join("%s ALL=%s\n" % (NAME, x) for x in lines))


def policy(more=""):
    write(ROOT + "/etc/policy.d/50-site.conf", """
profile "role" {
	extends = "admin"
	sandbox = "admin"
	elevate = broker
	elevate_variables = { FROM_SITE, 'AEGSH_TEST_*', ASAN_OPTIONS }
%s}
rule "site.trace" {
	decision = allow
	reason = "the site lets that"
	command = { touch, mount, umount }
}
""" % more)


policy()
allow("(ALL:ALL) NOPASSWD:SETENV: ALL")
direct = run("sudo", "-n", "id", "-u")
if direct != (0, "0\n", ""):
    leave("sudo does not work here at all: %r" % (direct,))
done = run("sudo", "-n", CONFINE, "elevated", "--", "/usr/bin/true")
if done[0] != 0 and "layer" in done[2]:
    leave("no sandbox for root here: " + done[2].strip())

# ---- confined by default --------------------------------------------------
for text, want in (
        ("sudo -n id -u", (0, "0\n", "")),
        ("sudo -n -u nobody id -un", (0, "nobody\n", "")),
        ("sudo -nu nobody id -un", (0, "nobody\n", "")),
        ("sudo --user=nobody -n id -un", (0, "nobody\n", "")),
        ("sudo -n -g daemon id -gn", (0, "daemon\n", "")),
        ("sudo -n -g daemon id -un", (0, NAME + "\n", "")),
        ("sudo -n -u nobody -g daemon id -Gn", (0, "daemon\n", "")),
        ("sudo -n -u '#65534' id -un", (0, "nobody\n", "")),
        ("echo x | sudo -n cat; echo $?", (0, "x\n0\n", "")),
        ("cd /usr; sudo -n pwd", (0, "/usr\n", "")),
        ("umask 077; sudo -n stat -c %a .", (0, "755\n", "")),
        ("sudo -n cat /nonexistent 2>/dev/null; echo $?", (0, "1\n", "")),
        ("sudo -kn true; echo $?", (0, "0\n", "")),
        ("sudo -n -- id -u", (0, "0\n", ""))):
    tap.same(line(text), want, text)
status = dict(x.split(":\t", 1) for x in line(
    "sudo -n cat /proc/self/status")[1].splitlines() if ":\t" in x)
tap.same((status.get("NoNewPrivs"), status.get("Seccomp")), ("1", "2"),
         "no new privileges, and a filter")
got = [x for x in history() if x["line"] == "sudo -n /usr/bin/id -u"]
tap.ok(got and got[0]["decision"] == "allow" and got[0]["status"] == 0,
       "recorded by the words that were judged", got)
tap.ok(("confined", "elevated") in events(), "and that it was confined")
own_store = ROOT + "/own/aegsh-%d" % UID
tap.ok(os.listdir(own_store), "the user has a store")
tap.same(line("sudo -n ls -A " + own_store), (0, "", ""),
         "which what root runs finds empty")
done = line("sudo -n touch %s/etc/sandbox.d" % ROOT)
tap.ok(done[0] == 1 and not os.path.exists(ROOT + "/etc/sandbox.d"),
       "nor can it change the operator's settings", done)
done = line("sudo -n touch %s/by-root" % HOME)
tap.ok(done[0] == 0 and os.stat(HOME + "/by-root").st_uid == 0,
       "but other files", done)
victim = subprocess.Popen(["sleep", "1000"])
tap.same(run("sudo", "-n", CONFINE, "elevated", "--", "/usr/bin/kill",
             str(victim.pid)), (0, "", ""), "it signals any process")
tap.same(victim.wait(DEADLINE), -15, "as kill means to")
done = run("sudo", "-n", CONFINE, "elevated", "--", "/usr/bin/unshare", "-m",
           "/usr/bin/true")
tap.ok(done[0] == 1 and "Operation not permitted" in done[2],
       "it makes no namespace", done)
hostile = {"FROM_SITE": "yes", "EDITOR": "/tmp/e", "SECRET_X": "1",
           "LD_PRELOAD": "", "LANG": "/tmp/x", "TERM": "vt100",
           "PYTHONPATH": "/tmp"}
env = dict(x.split("=", 1) for x in line(
    "sudo -n -u nobody printenv", env=hostile)[1].splitlines())
tests = [n for n in env if n.startswith("AEGSH_TEST_") or n == "ASAN_OPTIONS"]
tap.same(sorted(set(env) - set(tests)), [
    "FROM_SITE", "HOME", "LOGNAME", "PATH", "SHELL", "SUDO_COMMAND",
    "SUDO_GID", "SUDO_UID", "SUDO_USER", "TERM", "USER"],
    "an environment made anew")
tap.same((env["USER"], env["SUDO_USER"], env["SUDO_COMMAND"]),
         ("nobody", NAME, "/usr/bin/printenv"), "of who it is, and for whom")

# ---- what cannot be, or is not to be --------------------------------------
os.mkdir(ROOT + "/mounted")
done = line("sudo -n mount -t tmpfs x %s/mounted && "
            "sudo -n umount %s/mounted" % (ROOT, ROOT))
tap.same(done, (0, "", ""), "mount and umount, which no sandbox could hold")
own("mount", "#!/bin/sh\n", 0o755)
own("call.sh", "#!/bin/sh\nexec sudo -n ./mount\n", 0o755)
tap.same(line("./call.sh")[0], 126, "by their places, and by no others")
for text, why in (("su -c id", "the other user's password"),
                  ("sudo -n -P -u nobody id", "leave out -P")):
    own("call.sh", "#!/bin/sh\n" + text + "\n", 0o755)
    done = line("./call.sh")
    tap.ok(done[0] == 126 and why in done[2], "refused: " + text, done)
tap.ok(line("sudo -n -l")[1].find("NOPASSWD") > 0, "sudo -l")
tap.ok(line("sudo -n -l /usr/bin/id") == (0, "/usr/bin/id\n", ""),
       "sudo -l with a command runs none")
policy("\televated_direct = { cat }\n")
tap.ok("NoNewPrivs:\t0" in line("sudo -n cat /proc/self/status")[1],
       "a program that the site has run bare")
policy("\televated_sandbox = \"nosuch\"\n")
done = line("sudo -n id")
tap.ok(done[0] == 126 and done[1] == "" and "nosuch" in done[2],
       "a sandbox that there is not", done)
policy("\televated = direct\n")
tap.ok("NoNewPrivs:\t0" in line("sudo -n cat /proc/self/status")[1],
       "elevated = direct")
policy()

# ---- a shell of root's ----------------------------------------------------
policy("\televated_shell = aegsh\n")
NO_SHELL = {"sudo -n -i id": "leave out -i and -s",
            "sudo -n -s -u nobody": "no other user's",
            "sudo -n -i": "a shell of another user would start"}
for text, why in NO_SHELL.items():
    own("call.sh", "#!/bin/sh\n" + text + "\n", 0o755)
    done = line("./call.sh")
    tap.ok(done[0] == 126 and done[1] == "" and why in done[2],
           "not without a person, nor otherwise: " + text, done)
# A program of root's, wherever this was built.
shutil.copy(A, ROOT + "/aegsh")
s = Session([ROOT + "/aegsh"], ENV, cwd=HOME, uid=UID)
s.expect(PROMPT)
s.line("sudo -n -i")
s.expect(r"Run it\?")
s.line("y")
found = s.expect(PROMPT)
got = s.run("id -u; grep -c NoNewPrivs:.1 /proc/self/status", PROMPT)
tap.same(got, "0\n1\n", "sudo -i is a root aegsh")
s.line("nc -e sh 127.0.0.1 1")
tap.ok(s.expect("aegsh: blocked: "), "which judges its lines")
s.expect(PROMPT)
s.line("exit 7")
s.expect(PROMPT)
tap.same(s.run("echo $?; id -u", PROMPT), "7\n%d\n" % UID,
         "and ends as a shell does")
s.close()
policy()

# ---- only what sudoers lets ------------------------------------------------
ONLY = "(root) NOPASSWD: " + CONFINE


def refused(words, why, name):
    """Of what the user calls without any aegsh."""
    done = run("sudo", "-n", *words)
    tap.ok(done[0] == 126 and done[1] == "" and why in done[2] and
           done[2].startswith("aegsh-confine: ") and
           done[2].count("\n") == 1, name, done)


allow(ONLY)
refused([CONFINE, "elevated", "--", "/usr/bin/id"], "does not let",
        "a line for aegsh-confine alone opens nothing")
done = line("sudo -n id")
tap.ok(done[0] == 126 and done[1] == "" and "does not let" in done[2],
       "nor does it in aegsh", done)
# And who lacks that line is told which it is, before a password is asked for
# that would help nobody; sudo's log has nothing of what it was asked for that.
LOG = ROOT + "/sudo.log"
WANTED = "\"%s ALL = (root) %s\"" % (NAME, CONFINE)
HINT = "it must let you run " + CONFINE
KEEP += "Defaults logfile=%s\n" % LOG


def logged():
    try:
        with open(LOG, encoding="utf-8") as f:
            return f.read()
    except OSError:
        return ""
    finally:
        open(LOG, "w").close()


def typed(text):
    """What comes of it at a prompt, up to where a password is asked for, which
    ends with the terminal: sudo sleeps on where ^C comes before its read(2)."""
    s = prompt()
    s.line(text)
    found = s.expect("\n(.*?(?:password for %s: |%s))" % (NAME, PROMPT))
    said = found.group(1).decode(errors="replace") if found else ""
    s.close()
    return said


allow("(root) NOPASSWD: /usr/bin/id")
done = line("sudo -n id")
tap.ok(done[0] == 126 and done[1] == "" and WANTED in done[2] and
       done[2].count("\n") == 1, "sudoers without aegsh-confine: which line", done)
tap.same(logged(), "", "of which sudo logs nothing")
done = line("sudo id")
tap.ok(done[0] == 126 and WANTED in done[2], "without a terminal, too", done)
said = typed("sudo id")
tap.ok(HINT in said and said.find(HINT) < said.find("password for"),
       "and at a terminal with the question", said)
logged()
allow("(ALL:ALL) ALL")
said = typed("sudo id")
tap.ok("password for" in said and "aegsh: " not in said,
       "who may run all is asked as ever", said)
tap.ok("list" not in logged(), "and nothing more is logged")
allow(ONLY, "(root) NOPASSWD: /usr/bin/id")
tap.same(typed("sudo id -u").split("\r\n")[0], "0",
         "nor is who has both lines kept from it")
# Once in a session: it goes on with what sudo said before, until sudoers is
# another or sudo refuses, which is how a change in the directory is met.
PART = "/etc/sudoers.d/role"
sudoers(KEEP + "@includedir /etc/sudoers.d\n")
write(PART, "%s ALL = NOPASSWD: /usr/bin/id, %s\n" % (NAME, CONFINE), 0o440)
s = prompt()
tap.same([s.run("sudo -n id -u", PROMPT) for _ in range(2)], ["0\n"] * 2,
         "with the line, at a prompt")
write(PART, "%s ALL = NOPASSWD: /usr/bin/id\n" % NAME, 0o440)
said = s.run("sudo -n id -u", PROMPT)
tap.ok("aegsh: " not in said and "password is required" in said,
       "sudo is not asked for each call what it allows", said)
said = s.run("sudo -n id -u", PROMPT)
tap.ok("does not let" in said, "but again where it refused", said)
write(PART, "%s ALL = NOPASSWD: /usr/bin/id, %s\n" % (NAME, CONFINE), 0o440)
tap.same(s.run("sudo -n id -u", PROMPT), "0\n", "as it does no more")
sudoers(KEEP + "%s ALL = NOPASSWD: /usr/bin/id\n" % NAME)
said = s.run("sudo -n id -u", PROMPT)
tap.ok("does not let" in said, "and where sudoers has changed", said)
s.close()
allow(ONLY, "(root) NOPASSWD: /usr/bin/id -u", "(nobody) NOPASSWD: /bin/true,"
      " /usr/bin/true")
tap.same(line("sudo -n id -u"), (0, "0\n", ""), "what another line lets run")
tap.same(line("sudo -n -u nobody true"), (0, "", ""), "and as whom")
for words in (["/usr/bin/id"], ["/usr/bin/id", "-g"], ["/usr/bin/id", "-u", ""],
              ["/usr/bin/true"], ["/bin/sh", "-c", "id -u"]):
    refused([CONFINE, "elevated", "--"] + words, "does not let",
            "not " + " ".join(words))
for who in (["-u", "daemon"], ["-g", "daemon"], ["-u", "nobody", "-g",
                                                 "daemon"]):
    refused([CONFINE] + who + ["elevated", "--", "/usr/bin/true"],
            "does not let", "nor " + " ".join(who))
refused([CONFINE, "elevated", "--", "id"], "absolute", "no plain name")
# What sudoers means by a name is looked at by sudo, and started by us.
os.symlink("/usr/bin", HOME + "/bin")
allow(ONLY, "(root) NOPASSWD: /usr/bin/id")
refused([CONFINE, "elevated", "--", HOME + "/bin/id"], "others than root",
        "no name that the user can change in between")
tap.same(run("sudo", "-n", CONFINE, "elevated", "--", "/bin/id", "-u"),
         (0, "0\n", ""), "but another name of root's")
allow("(ALL:ALL) NOPASSWD: ALL")
tap.same(run("sudo", "-n", CONFINE, "elevated", "--", HOME + "/bin/id", "-u"),
         (0, "0\n", ""), "where all may run it is nothing")


def defaults(text, *lines):
    sudoers(KEEP + "Defaults " + text + "\n" +
            "".join("%s ALL=%s\n" % (NAME, x) for x in lines))


defaults("runas_default=daemon", ONLY, "(daemon) NOPASSWD: /usr/bin/id")
done = run("sudo", "-n", "-u", "root", CONFINE, "elevated", "--",
           "/usr/bin/id")
tap.ok(done[0] == 126 and done[1] == "" and "does not let" in done[2],
       "root is asked for where sudo has another default", done)
defaults("!authenticate", "(root) PASSWD: /usr/bin/id", "(root) " + CONFINE)
refused([CONFINE, "elevated", "--", "/usr/bin/id"], "take that tag",
        "no way around the one password that is asked for")
defaults("noexec", "(root) NOPASSWD: /usr/bin/id",
         "(root) NOPASSWD: EXEC: " + CONFINE)
refused([CONFINE, "elevated", "--", "/usr/bin/id"], "\"noexec\"",
        "nor around NOEXEC of all others")
allow(ONLY, "(root) NOPASSWD: LOG_OUTPUT: /usr/bin/id")
refused([CONFINE, "elevated", "--", "/usr/bin/id"], "\"log_output\"",
        "nor around sudo's log")
allow("(root) NOPASSWD: /usr/bin/id", "(root:ALL) NOPASSWD: " + CONFINE)
refused(["-u", "root", "-g", "daemon", CONFINE, "elevated", "--",
         "/usr/bin/id"], "another group", "nor with a group that is not asked")
os.symlink(HOME + "/libexec", HOME + "/other")
allow("(root) PASSWD: /usr/bin/id", "(root) NOPASSWD: %s/other/aegsh-confine" %
      HOME)
refused([CONFINE, "elevated", "--", "/usr/bin/id"], "take that tag",
        "nor by another name of aegsh-confine")
allow("(root) PASSWD: /usr/bin/id", ONLY)
refused([CONFINE, "elevated", "--", "/usr/bin/id"], "take that tag",
        "no way around a password")
allow("(ALL) NOEXEC: ALL", "(root) NOPASSWD: ALL")
refused([CONFINE, "elevated", "--", "/usr/bin/id"], "\"noexec\"",
        "nor around NOEXEC")
allow("(ALL:ALL) NOPASSWD:SETENV: ALL")
refused([CONFINE, "nosuch", "--", "/usr/bin/id"], "nosuch", "no such sandbox")
settings('profile = "role"', 'confine-profiles = "strict elevated"')
tap.same(run("sudo", "-n", CONFINE, "elevated", "--", "/usr/bin/id", "-u"),
         (0, "0\n", ""), "a sandbox that the operator lets callers choose")
tap.same(line("sudo -n id -u"), (0, "0\n", ""), "which the policy's is")
for name in ("root", "elevate", "elevated2", "strict elevated", "nosuch"):
    refused([CONFINE, name, "--", "/usr/bin/id"], "confine-profiles",
            "and none that is not listed: " + name)
settings('profile = "role"', 'confine-profiles = "strict"')
done = line("sudo -n id -u")
tap.ok(done[0] == 126 and done[1] == "" and "confine-profiles" in done[2],
       "also where the policy has it", done)
settings('profile = "role"', 'confine-profiles = ')
refused([CONFINE, "elevated", "--", "/usr/bin/id"], "aegsh.conf",
        "settings that cannot be read")
settings('profile = "role"', 'prompt = "%s"' % PROMPT)
refused([CONFINE, "-u", "nosuch", "elevated", "--", "/usr/bin/id"],
        "there is no user nosuch", "no such user")
done = run("sudo", "-n", CONFINE, "elevated", "--", HOME + "/nosuch")
tap.ok(done[0] == 126, "no such command", done)
# Who may set variables says what he likes of himself.
for who in (("root", 0), ("daemon", 1)):
    refused(["SUDO_USER=%s" % who[0], "SUDO_UID=%d" % who[1], CONFINE,
             "elevated", "--", "/usr/bin/id"], "root called sudo" if
            who[1] == 0 else "no process of that user", "who is " + who[0])
own("orphan.py", """
import os, sys
pid = os.getpid()
if os.fork() == 0:
    while os.getppid() == pid:
        os.sched_yield()
    out = os.open("out", os.O_WRONLY | os.O_CREAT, 0o644)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.execvp("sudo", ["sudo", "-n", "SUDO_USER=daemon", "SUDO_UID=1"] +
              sys.argv[1:])
""")
tap.same(run(sys.executable, "orphan.py", CONFINE, "elevated", "--",
             "/usr/bin/id")[0], 0, "the one who called ends")


def said():
    try:
        with open(HOME + "/out", encoding="utf-8") as f:
            return f.read()
    except OSError:
        return ""


tap.ok(until(lambda: "\n" in said()) and "no process of that" in said(),
       "an orphan", said())
env = dict(ENV, SUDO_USER=NAME, SUDO_UID=str(UID))
for name, env in (("without sudo", ENV),
                  ("by root, with sudo's variables", env)):
    p = subprocess.run([CONFINE, "elevated", "--", "/usr/bin/id"], env=env,
                       capture_output=True, text=True)
    tap.ok(p.returncode == 126 and p.stdout == "" and
           p.stderr.count("\n") == 1, name, p.stderr)
done = run(CONFINE, "elevated", "--", "/usr/bin/id")
tap.ok(done[0] == 126 and "as root" in done[2], "by the user", done)
for words in ([], ["elevated"], ["elevated", "--"], ["elevated", "/bin/id"],
              ["-x", "elevated", "--", "/bin/id"],
              ["-e", "LD_PRELOAD", "elevated", "--", "/bin/id"],
              ["-e", "A=1", "elevated", "--", "/bin/id"],
              ["-u", "-g", "elevated", "--", "/bin/id"]):
    tap.same(run(CONFINE, *words)[0], 100, "words: " + " ".join(words))
done = run(CONFINE, "--version")
tap.ok(done[0] == 0 and done[1].startswith("aegsh-confine "), "--version", done)
tap.same(run(CONFINE, "--help")[0], 0, "--help")
tap.done()
