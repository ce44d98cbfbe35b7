# SPDX-License-Identifier: ISC
"""sudo -e, crontab -e, visudo and vipw inside of a line: the person's editor
runs on a copy in the line's sandbox, and only what comes of it is installed, by
the real program."""
import os
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from elevate_rig import (  # noqa: E402
    DEADLINE, HOME, NAME, ROOT, UID, history, leave, line, mount, own, run, sudoers, tap,
    write)

KEEP = "Defaults env_keep += \"AEGSH_TEST_ROOT AEGSH_TEST_DATA " \
    "AEGSH_TEST_LIBEXEC AEGSH_TEST_OPERATOR ASAN_OPTIONS\"\n"
RULE = "%s ALL=(ALL:ALL) NOPASSWD:SETENV: ALL\n" % NAME
sudoers(KEEP + RULE)


def policy(more=""):
    write(ROOT + "/etc/policy.d/50-site.conf", """
profile "role" {
	extends = "admin"
	sandbox = "admin"
	elevate = broker
	elevate_variables = { 'AEGSH_TEST_*', ASAN_OPTIONS }
	override = { ask.crontab, ask.users }
%s}
rule "site.edits" {
	decision = allow
	reason = "the site lets that"
	command = { sudoedit, visudo, vipw, vigr, crontab, cp }
}
""" % more)


policy()
direct = run("sudo", "-n", "id", "-u")
if direct != (0, "0\n", ""):
    leave("sudo does not work here at all: %r" % (direct,))
own("ed.sh", "#!/bin/sh\nset -e\n"
    "for f; do sed -i s/one/two/ \"$f\"; echo \"$f\" >>%s/where; "
    "done\n{ grep NoNewPrivs /proc/self/status; id -u; } >>%s/ran\n" %
    (HOME, HOME), 0o755)


def call(text, editor="./ed.sh"):
    """Of a script with that editor."""
    for name in ("ran", "where"):
        if os.path.exists(HOME + "/" + name):
            os.unlink(HOME + "/" + name)
    own("call.sh", "#!/bin/sh\nexport EDITOR='%s'\nunset VISUAL SUDO_EDITOR\n%s"
        "\n" % (editor, text), 0o755)
    return line("./call.sh")


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except OSError as e:
        return str(e)


def kept(text):
    """What is left of a copy that was not installed, and is named."""
    place = text.split("kept in ")[1].split()[0]
    return {n: read(place + "/" + n) for n in os.listdir(place)}


CONFINED = "NoNewPrivs:\t1\n%d\n" % UID
FILE = "/etc/aegsh-test.conf"
write(FILE, "one\n", 0o640)
for text in ("sudo -n -e " + FILE, "sudoedit -n " + FILE,
             "cd /etc; sudo -ne -- aegsh-test.conf", "sudo -n --edit " + FILE):
    write(FILE, "one\n", 0o640)
    if text.startswith("cd"):
        done = call(text, HOME + "/ed.sh")
    else:
        done = call(text)
    tap.same((done, read(FILE)), ((0, "", ""), "two\n"), text)
st = os.stat(FILE)
tap.same((st.st_uid, st.st_mode & 0o777), (0, 0o640), "it is root's as before")
write(FILE, "one\n", 0o640)
done = call("sudo -n -e " + FILE)
tap.ok(read(HOME + "/ran") == CONFINED, "the editor was in the sandbox", done)
where = read(HOME + "/where").strip()
tap.ok(where.endswith(".conf") and where.count("/aegsh-edit.") == 1 and
       not os.path.exists(os.path.dirname(where)), "on a copy, which is gone",
       where)
write(FILE, "one\n", 0o640)
write(FILE + "2", "three one\n", 0o640)
done = call("sudo -n -e %s %s2" % (FILE, FILE))
tap.same((done[0], read(FILE), read(FILE + "2")), (0, "two\n", "three two\n"),
         "two of them")
os.unlink(FILE + "2")
own("append.sh", "#!/bin/sh\ncat text >>\"$1\"\n", 0o755)
own("new.sh", "#!/bin/sh\necho new >\"$1\"\n", 0o755)
done = call("sudo -n -e /etc/aegsh-test.new", "./new.sh")
tap.same((done[0], read("/etc/aegsh-test.new")), (0, "new\n"), "a new one")
os.unlink("/etc/aegsh-test.new")
before = len(history())
done = call("sudo -n -e " + FILE, "true")
tap.ok(done[0] == 0 and "nothing was changed" in done[2] and
       read(FILE) == "two\n", "nothing changed", done)
tap.same([r["line"] for r in history()[before:]].count("sudoedit -n " + FILE), 1,
         "the record has each call")
done = call("sudo -n -e " + FILE, "false")
tap.ok(done[0] == 126 and "the editor failed" in done[2] and
       read(FILE) == "two\n", "the editor fails", done)
own("dies.sh", "#!/bin/sh\necho mine >\"$1\"; exit 3\n", 0o755)
done = call("sudo -n -e " + FILE, "./dies.sh")
tap.ok(done[0] == 126 and "the editor failed" in done[2] and
       read(FILE) == "two\n", "the editor fails behind a change", done)
tap.same(list(kept(done[2]).values()), ["mine\n"], "which is kept")
own("race.sh", "#!/bin/sh\necho mine >\"$1\"\n"
    "sudo -n cp theirs %s\n" % FILE, 0o755)
own("theirs", "theirs\n")
done = call("sudo -n -e " + FILE, "./race.sh")
if read(FILE) == "theirs\n":
    tap.ok(done[0] == 126 and "by somebody else meanwhile" in done[2],
           "changed meanwhile", done)
    tap.same(list(kept(done[2]).values()), ["mine\n"], "what was edited is "
             "kept")
else:
    tap.ok(False, "the race was run", done)
done = call("sudo -n -e")
tap.ok(done[0] == 126 and "no file" in done[2], "no file", done)
os.symlink("/etc/shadow", HOME + "/link")
done = call("sudo -n -e " + HOME + "/link")
tap.ok(done[0] != 0 and not os.path.exists(HOME + "/ran"),
       "what sudoedit refuses", done)

# ---- as root: visudo, vipw -------------------------------------------------
for name, more in (("in a sandbox", ""), ("direct", "\televated = direct\n")):
    policy(more)
    if shutil.which("visudo", path="/usr/sbin:/sbin"):
        sudoers(KEEP + "# one\n" + RULE)
        done = call("sudo -n visudo")
        tap.ok(done[0] == 0 and "# two\n" in read("/etc/sudoers") and
               read(HOME + "/ran") == CONFINED, "visudo, " + name, done)
        before = read("/etc/sudoers")
        own("text", "nonsense one two\n")
        done = call("sudo -n visudo", "./append.sh")
        tap.ok(done[0] == 126 and "not installed" in done[2] and
               read("/etc/sudoers") == before, "which parses, " + name, done)
        tap.ok("nonsense" in "".join(kept(done[2]).values()),
               "and what was edited is kept", done)
        done = call("sudo -n visudo -c")
        tap.ok(done[0] == 0 and "parsed OK" in done[1], "visudo -c, " + name,
               done)
    else:
        tap.skip("visudo", "it is not installed")
    if shutil.which("vipw", path="/usr/sbin:/sbin"):
        write("/etc/passwd", read("/etc/passwd").replace(
            "%s:x:%d:%d::" % (NAME, UID, UID),
            "%s:x:%d:%d:one:" % (NAME, UID, UID)))
        done = call("sudo -n vipw")
        tap.ok(done[0] == 0 and ":two:" in read("/etc/passwd") and
               read(HOME + "/ran") == CONFINED, "vipw, " + name, done)
        write("/etc/passwd", read("/etc/passwd").replace(":two:", "::"))
    else:
        tap.skip("vipw", "it is not installed")
policy()

# ---- as the user: crontab --------------------------------------------------
if shutil.which("crontab"):
    group = os.stat(shutil.which("crontab")).st_gid
    mount("-t", "tmpfs", "-o", "mode=755", "x", "/var/spool/cron")
    os.mkdir("/var/spool/cron/crontabs")
    os.chown("/var/spool/cron/crontabs", 0, group)
    os.chmod("/var/spool/cron/crontabs", 0o1730)
    TAB = "/var/spool/cron/crontabs/" + NAME
    own("text", "5 4 * * * one\n")
    done = call("crontab -e", "./append.sh")
    tap.ok(done[0] == 0 and "5 4 * * * one\n" in read(TAB), "crontab -e", done)
    done = call("crontab -e")
    tap.ok(done[0] == 0 and "5 4 * * * two\n" in read(TAB) and
           read(HOME + "/ran") == CONFINED, "and once more", done)
    own("text", "nonsense\n")
    done = call("crontab -e", "./append.sh")
    tap.ok(done[0] == 126 and "not installed" in done[2] and
           "nonsense" not in read(TAB), "which parses", done)
else:
    tap.skip("crontab -e", "it is not installed")

# ---- aegsh-edit, told anything ---------------------------------------------
HELPER = HOME + "/libexec/aegsh-edit"
own("plain", "plain\n")


def helper(data, *paths):
    p = subprocess.run([HELPER, *paths], input=data, capture_output=True,
                       cwd=HOME, timeout=DEADLINE, check=False)
    return p.returncode, p.stdout


def number(*n):
    return struct.pack("=%dI" % len(n), *n)


HELLO = b"\naegsh-edit 1\n" + number(1, 5) + b"plain" + number(6) + b"plain\n"
tap.same(helper(number(0), "plain"), (0, HELLO), "it tells what there is")
for name, data in (("nothing", b""), ("half a number", b"\1\0"),
                   ("no length", number(1)), ("too little", number(1, 9) +
                                              b"new"),
                   ("too much to come", number(1, 1 << 30)),
                   ("another verb", number(7, 3) + b"new")):
    tap.ok(helper(data, "plain")[0] in (0, 111) and
           read(HOME + "/plain") == "plain\n", "it is told " + name)
tap.same((helper(number(1, 3) + b"new", "--", "plain")[0],
          read(HOME + "/plain")), (0, "new"), "it is told what to write")
os.symlink("plain", HOME + "/soft")
for path in ("soft", "libexec", "nosuch", "/dev/null"):
    tap.same(helper(number(1, 3) + b"bad", path), (111, b""),
             "no file of its own: " + path)
tap.same(helper(b"", *["plain"] * 17)[0], 100, "more files than it takes")
tap.same(helper(b"")[0], 100, "none")
tap.done()
