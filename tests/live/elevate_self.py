# SPDX-License-Identifier: ISC
"""Programs that are set-uid for what they do (mount, passwd, crontab, …):
inside of a line the real ones run, judged and recorded, with the rights that
no program of a line has; and of them only what aegsh knows.
Where the profile has none of them brokered, a line that is nothing else is
refused with the reason."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from elevate_rig import (  # noqa: E402
    A, CTL, DEADLINE, ENV, HOME, NAME, PASSWORD, PROMPT, ROOT, SHIMS, UID,
    history, leave, line, mount, own, prompt, rows, run, sudoers, tap, write)

sudoers("")
POLICY = """
profile "role" {
	extends = "admin"
	sandbox = "admin"
	elevate = %s
}
rule "site.self" {
	decision = allow
	reason = "the site lets that"
	command = { mount, umount, passwd, chage, crontab, chsh, gpasswd, sg }
}
"""
write(ROOT + "/etc/policy.d/50-site.conf", POLICY % "broker")
PLACE = ROOT + "/mounted"
os.mkdir(PLACE)
with open("/etc/fstab", "a", encoding="utf-8") as f:
    f.write("x %s tmpfs noauto,user 0 0\n" % PLACE)


def installed(name):
    path = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
    if path is None or os.stat(path).st_mode & 0o6000 == 0:
        tap.skip(name, "it is not installed, or gains no rights here")
        return False
    return True


def refused(text, why):
    own("call.sh", "#!/bin/sh\n" + text + "\n", 0o755)
    done = line("./call.sh")
    tap.ok(done[0] == 126 and done[1] == "" and why in done[2] and
           done[2].startswith("aegsh: %s: not run" % text.split()[0]) and
           done[2].count("\n") == 1, "refused: " + text, done)


def is_mounted():
    with open("/proc/self/mounts", encoding="utf-8") as f:
        return " %s " % PLACE in f.read()


# ---- mount ----------------------------------------------------------------
if not installed("mount"):
    leave("mount gains no rights here")
direct = run("mount", PLACE)
if direct[0] != 0 or run("umount", PLACE)[0] != 0:
    leave("a user may not mount here: %r" % (direct,))
before = len(history())
for text in ("mount", "mount -l", "mount --version"):
    done = line(text)
    tap.ok(done[0] == 0 and done[1] and done[2] == "", text, done)
tap.same(len(history()) - before, 3, "what only tells is asked of nobody else")
done = line("mount " + PLACE)
tap.ok(done == (0, "", "") and is_mounted(), "a mount of fstab(5)", done)
got = rows("mount " + PLACE)
tap.same([(r["decision"], r["status"]) for r in got[-2:]],
         [("allow", 0)] * 2, "on record by itself, too")
done = line(":; umount %s; echo $?" % PLACE)
tap.ok(done == (0, "0\n", "") and not is_mounted(), "and its end", done)
done = line("mount -t tmpfs x " + PLACE)
tap.ok(done[0] != 0 and not is_mounted() and "uper" in done[2],
       "what mount itself refuses", done)
refused("mount -T ./fstab " + PLACE, "the option T of mount")
refused("mount -N 1 x /mnt", "the option N of mount")
refused("mount -t fuse.x x " + PLACE, "is a program")

# ---- passwd and its like --------------------------------------------------
if installed("passwd"):
    done = line("passwd -S")
    tap.ok(done[0] == 0 and done[1].startswith(NAME + " P "), "passwd -S", done)
    refused("passwd -R %s" % HOME, "the option R of passwd")
    refused("passwd --root=%s" % HOME, "the option root of passwd")
    refused("passwd -d", "the option d of passwd")
    with open("/etc/shadow", encoding="utf-8") as f:
        before = f.read()
    s = prompt()
    s.line("passwd")
    s.expect(r"who may log in would change.*Run it\?")
    s.line("y")
    for words in (PASSWORD, "Vf8+qlong.word", "Vf8+qlong.word"):
        s.expect("assword: ")
        s.line(words)
    got = s.expect(r"(?s)(.*?)" + PROMPT)
    with open("/etc/shadow", encoding="utf-8") as f:
        tap.ok(f.read() != before, "passwd asks at the line's terminal", got)
    s.run("PATH=$PATH:/last", PROMPT)
    s.run(":", PROMPT)
    got = s.run("echo $PATH", PROMPT)
    tap.ok(got.count(SHIMS + ":") == 1 and got.strip().endswith("/last"),
           "the way to them is each line's, and nothing that it leaves", got)
    s.close()
if installed("chage"):
    done = line("chage -l " + NAME)
    tap.ok(done[0] == 0 and "Password expires" in done[1], "chage -l", done)
    refused("chage -M 1 " + NAME, "the option M of chage")
for name in ("newgrp", "sg"):
    if installed("newgrp"):
        refused(name + " daemon", "would start a shell")

# ---- crontab --------------------------------------------------------------
if installed("crontab"):
    group = os.stat(shutil.which("crontab")).st_gid
    mount("-t", "tmpfs", "-o", "mode=755", "x", "/var/spool/cron")
    os.mkdir("/var/spool/cron/crontabs")
    os.chown("/var/spool/cron/crontabs", 0, group)
    os.chmod("/var/spool/cron/crontabs", 0o1730)
    own("tab", "# a\n5 4 * * * true\n")
    done = line("crontab -l")
    tap.ok(done[0] == 1 and "no crontab for" in done[2], "crontab -l", done)
    refused("crontab tab", "by the clock")
    refused("crontab -r", "by the clock")
    refused("crontab -u root -l", "the option u of crontab")
    refused("crontab -- tab", "as \"-\"")
    s = prompt()
    s.line("crontab tab")
    for _ in "line", "what runs outside of its sandbox":
        s.expect(r"by the clock(?s:.*)Run it\?")
        s.line("y")
    s.expect(PROMPT)
    s.close()
    tap.same(line("crontab -l"), (0, "# a\n5 4 * * * true\n", ""),
             "a file of the line's is installed by standard input")
    own("call.sh", "#!/bin/sh\ncrontab nosuch\n", 0o755)
    done = line("./call.sh")
    tap.ok(done[0] == 126 and "nosuch: No such file" in done[2],
           "a file that there is not", done)
for name in ("ping", "fusermount3"):
    if shutil.which(name) is None:
        tap.ok("elevate-" + name not in line("echo $PATH; :")[1],
               "nothing stands for %s where there is none" % name)

# ---- elevate = no ---------------------------------------------------------
write(ROOT + "/etc/policy.d/50-site.conf", POLICY % "no")
done = line("mount %s; echo $PATH" % PLACE)
tap.ok(not is_mounted() and "elevate" not in done[1],
       "elevate = no has none of it", done)
done = line("mount")
tap.ok(done[0] == 0 and done[1] and done[2] == "", "but what needs none", done)


def lone(text, why):
    """Refused before it runs, with the reason, and on record."""
    done = line(text)
    got = rows(text)
    tap.ok(done[0] == 126 and done[1] == "" and done[2].count("\n") == 1 and
           why in done[2] and " [elevate]; instead: " in done[2] and
           [(r["decision"], r["rule"]) for r in got[-1:]] ==
           [("block", "elevate")], "without a role: " + text, done, got[-1:])


WITHOUT = {
    "crontab": ["crontab -l", "crontab -e", "/usr/bin/crontab -l"],
    "at": ["at -l", "at -q a -t 01010000"], "atq": ["atq"], "atrm": ["atrm 1"],
    "passwd": ["passwd", "passwd -q " + NAME],
    "chsh": ["chsh", "chsh -s /bin/sh"], "chfn": ["chfn -w 1"],
    "gpasswd": ["gpasswd -a root daemon"], "chage": ["chage -l " + NAME],
    "fusermount3": ["fusermount3 -u " + PLACE]}
for name, texts in WITHOUT.items():
    for text in texts if installed(name) else []:
        lone(text, "by rights of its file (set-uid,")
if installed("newgrp"):
    lone("newgrp", "no program takes another group")
    lone("sg daemon -c id", "no program takes another group")
for text in ("passwd -S", "passwd --help", "chage --help", "umount --version",
             "gpasswd --help"):
    if installed(text.split()[0]):
        done = line(text)
        tap.ok(done[0] == 0 and done[1], "as it needs no rights: " + text, done)
if shutil.which("ping"):
    for groups, status in ("1 0", 2), ("0 2147483647", 0):
        # In a network of its own, whose setting that is.
        done = subprocess.run(
            ["unshare", "-n", "sh", "-c", "echo '%s' >/proc/sys/net/ipv4/"
             "ping_group_range && exec setpriv --reuid %d --regid %d "
             "--clear-groups %s test 'ping -c 1 127.0.0.1'" %
             (groups, UID, UID, CTL)], env=ENV, capture_output=True, text=True,
            cwd=HOME, timeout=DEADLINE, check=False)
        tap.ok(done.returncode == status and (status == 0 or
               "sysctl net.ipv4.ping_group_range" in done.stdout),
               "ping, where the groups %s may" % groups, done)
else:
    tap.skip("ping", "it is not installed")
done = line("mount -t tmpfs x " + PLACE)
tap.ok(done[0] not in (0, 126) and not is_mounted(),
       "mount says itself what it lacks", done)
own("crontab", "#!/bin/sh\necho mine\n", 0o755)
tap.same(line("./crontab -l"), (0, "mine\n", ""),
         "another program of that name")
if installed("passwd"):
    own("call.sh", "#!/bin/sh\npasswd -x\necho after\n", 0o755)
    done = line("./call.sh")
    tap.ok(done[1] == "after\n" and "[elevate]" not in done[2],
           "a script's calls fail with the program's own words", done)

# ---- root -----------------------------------------------------------------


def root(text):
    p = subprocess.run([A, "-c", text], env=ENV, capture_output=True, text=True,
                       cwd="/", timeout=DEADLINE, check=False)
    return p.returncode, p.stdout, p.stderr


done = root("mount -t tmpfs x " + PLACE)
tap.ok(done[0] != 0 and not is_mounted(), "no sandbox lets even root mount",
       done)
write(ROOT + "/etc/policy.d/50-site.conf", POLICY % "broker")
done = root("mount -t tmpfs x " + PLACE)
tap.ok(done == (0, "", "") and is_mounted(), "brokered, root does", done)
done = root("umount " + PLACE)
tap.ok(done == (0, "", "") and not is_mounted(), "and the contrary", done)
got = root("echo $PATH; :")[1]
tap.ok(re.match(re.escape(SHIMS) + "-root:/", got), "and that is all", got)
tap.same(root("sudo -n id -u; :")[:2], (0, "0\n"), "root's sudo is its own")
tap.done()
