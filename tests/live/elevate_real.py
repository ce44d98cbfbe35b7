# SPDX-License-Identifier: ISC
"""doas, pkexec, at, fusermount and ping inside of a line, by the programs
themselves, where they are installed: they do what they do outside, judged and
recorded, and no more."""
import ctypes
import os
import shutil
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from elevate_rig import (  # noqa: E402
    DEADLINE, HOME, NAME, PASSWORD, PROMPT, ROOT, UID, mount, own,
    prompt, rows, run, line, SHIMS, sudoers, tap, write)
from procs import until  # noqa: E402

sudoers("")
POLICY = """
profile "role" {
	extends = "admin"
	sandbox = "admin"
	elevate = broker
	elevated = %s
	elevate_variables = { FROM_SITE }
	override = { ask.crontab }
}
rule "site.real" {
	decision = allow
	reason = "the site lets that"
	command = { id, true, false, pwd, cat, printenv, kill, at, atq, atrm,
		fusermount, fusermount3, ping }
}
"""


def policy(elevated):
    write(ROOT + "/etc/policy.d/50-site.conf", POLICY % elevated)


def installed(name):
    path = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
    if path is None:
        tap.skip(name, "it is not installed")
        return False
    if os.stat(path).st_mode & 0o6000 == 0 and "security.capability" not in \
            os.listxattr(path):
        tap.skip(name, "it gains no rights here")
        return False
    return True


def script(text):
    own("call.sh", "#!/bin/sh\n" + text + "\n", 0o755)
    return line("./call.sh")


def refused(text, why):
    done = script(text)
    tap.ok(done[0] == 126 and done[1] == "" and why in done[2] and
           done[2].startswith("aegsh: %s: not run" % text.split()[0]),
           "refused: " + text, done)


def same(text, data=None):
    """In a line as without aegsh; that is what it returns."""
    want = run("bash", "-c", text, data=data)
    tap.same(line(text, data=data), want, "as outside: " + text)
    return want


def asked(text, answer="y"):
    """At a prompt, all questions answered so: what is told, and printed."""
    s = prompt()
    s.line(text)
    said = b""
    for _ in range(4):
        m = s.expect(r"(?s)(.*?)(Run it\? \[[^\n]*\] |[Pp]assword[^\n]*: |" +
                     PROMPT + ")")
        said += m.group(1)
        if m.group(2).decode() == PROMPT:
            break
        s.line(PASSWORD if b"assword" in m.group(2) else answer)
    s.close()
    return said.decode().replace("\r", "")


policy("direct")

# ---- doas -----------------------------------------------------------------
if installed("doas"):
    write("/etc/doas.conf", "permit nopass setenv { FROM_SITE SECRET_X } %s "
          "as root\npermit %s as daemon\n" % (NAME, NAME), 0o600)
    if not os.path.exists("/etc/pam.d/doas"):
        shutil.copy("/etc/pam.d/sudo", "/etc/pam.d/doas")
    tap.same(run("doas", "-n", "id", "-u"), (0, "0\n", ""),
             "doas works outside")
    for text in ("doas id -u", "doas -n id -u", "doas -u root id -un",
                 "doas false; echo $?", "cd /usr && doas pwd",
                 "doas /usr/bin/cat /nonexistent", "echo x | doas cat | cat",
                 "doas -n -u daemon id -u"):
        same(text)
    done = script("doas printenv FROM_SITE SECRET_X LD_PRELOAD EDITOR; :")
    tap.same(done[1], "", "doas has no variables that nobody set")
    done = line("doas printenv FROM_SITE SECRET_X", env={
        "FROM_SITE": "yes", "SECRET_X": "1"})
    tap.same(done[1], "yes\n", "and those that the profile names")
    tap.same([(r["decision"], r["status"]) for r in
              rows("doas /usr/bin/id -u")[-1:] or
              rows("doas id -u")[-1:]], [("allow", 0)], "each is on record")
    for text, why in (("doas -s", "would start a shell"),
                      ("doas", "would start a shell"),
                      ("doas -C ./doas.conf id", "the option C of doas"),
                      ("doas -L", "the option L of doas"),
                      ("doas ./mine", "is not known"),
                      ("doas sh -c id", "whatever it is told")):
        refused(text, why)
    got = asked("doas -u daemon id -un")
    tap.ok("daemon" in got, "a password is asked for at the terminal", got)
    policy("confine")
    refused("doas id", "doas cannot be asked")
    policy("direct")

# ---- pkexec ---------------------------------------------------------------
POLKITD = "/usr/lib/polkit-1/polkitd"


def begin_polkit():
    """The system's bus and polkit, in these mounts; why not."""
    if not os.path.exists(POLKITD) or shutil.which("dbus-daemon") is None:
        return "no polkitd, or no message bus"
    os.makedirs("/run/dbus")
    write("/etc/bus.conf", """<!DOCTYPE busconfig PUBLIC
 "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type>
<listen>unix:path=/run/dbus/system_bus_socket</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/>
<allow send_type="*"/><allow receive_type="*"/></policy></busconfig>
""")
    write("/etc/polkit-1/rules.d/00-test.rules",
          "polkit.addRule(function(action, subject) {\n"
          "\tif (action.id == 'org.freedesktop.policykit.exec' && "
          "subject.user == '%s')\n\t\treturn polkit.Result.YES;\n});\n" %
          NAME)
    os.chmod("/etc/polkit-1", 0o755)
    os.chmod("/etc/polkit-1/rules.d", 0o755)
    servers.append(subprocess.Popen(
        ["dbus-daemon", "--config-file=/etc/bus.conf", "--nofork",
         "--nosyslog"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    if not until(lambda: os.path.exists("/run/dbus/system_bus_socket")):
        return "the message bus does not begin"
    servers.append(subprocess.Popen(
        [POLKITD, "--no-debug"], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL))
    until(lambda: run("pkexec", "id", "-u")[0] == 0 or
          servers[-1].poll() is not None)
    done = run("pkexec", "id", "-u")
    return "" if done == (0, "0\n", "") else \
        "it does not work here at all: %r" % (done,)


servers = []
if installed("pkexec"):
    why = begin_polkit()
    if why:
        tap.skip("pkexec, by polkit", why)
    else:
        for text in ("pkexec id -u", "pkexec --user daemon id -un",
                     "pkexec false; echo $?", "echo x | pkexec cat",
                     "pkexec cat /nonexistent"):
            same(text)
    for text, why in (("pkexec", "would start a shell"),
                      ("pkexec --keep-cwd id", "the option keep-cwd"),
                      ("pkexec sh -c id", "whatever it is told"),
                      ("pkexec ./mine", "is not known")):
        refused(text, why)
    policy("confine")
    refused("pkexec id", "polkit answers who asks it for itself")
    policy("direct")
for server in servers:
    server.kill()
    server.wait()

# ---- at -------------------------------------------------------------------
JOBS = "/var/spool/cron/atjobs"
if installed("at"):
    st = os.stat(shutil.which("at"))
    mount("-t", "tmpfs", "-o", "mode=755", "x", "/var/spool/cron")
    for name in ("atjobs", "atspool"):
        os.mkdir("/var/spool/cron/" + name)
        os.chown("/var/spool/cron/" + name, st.st_uid, st.st_gid)
        os.chmod("/var/spool/cron/" + name, 0o1770)
    write(JOBS + "/.SEQ", "0\n", 0o600, st.st_uid)
    done = run("at", "now + 1 day", data="true\n")
    if done[0] != 0:
        tap.skip("at", "it does not work here at all: %r" % (done,))
    else:
        run("bash", "-c", "atrm $(atq | cut -f1)")
        tap.same(same("atq"), (0, "", ""), "nothing waits")
        own("job", "echo from aegsh\n")
        got = asked("at now + 1 day <job")
        jobs = run("atq")[1].split("\n")[:-1]
        tap.ok(len(jobs) == 1 and jobs[0].endswith(NAME),
               "at takes a job from its standard input", got, jobs)
        number = jobs[0].split()[0] if jobs else "0"
        same("atq")
        same("at -l")
        done = line("at -c " + number)
        tap.ok(done[0] == 0 and "echo from aegsh" in done[1],
               "at -c shows it", done)
        text = done[1]
        tap.ok(SHIMS not in text and "BASH_ENV" not in text and
               HOME in text,
               "the job has nothing of the line's own", text)
        for words, why in (("at -f job now", "the option f of at"),
                           ("at -t 209901010000 -f /etc/shadow",
                            "the option f of at")):
            refused(words, why)
        done = line("atrm " + number)
        tap.same((done, run("atq")[1]), ((0, "", ""), ""), "atrm removes it")
        tap.ok([r for r in rows("atrm " + number) if r["status"] == 0],
               "each is on record")

# ---- fusermount -----------------------------------------------------------
PLACE = HOME + "/fuse"


def mount_fuse():
    """A file system of that user's that nobody serves; its descriptor."""
    fd = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = "fd=%d,rootmode=40000,user_id=%d,group_id=%d" % (fd, UID, UID)
    if libc.mount(b"test", PLACE.encode(), b"fuse", 6, options.encode()) != 0:
        raise OSError(ctypes.get_errno(), "mount")
    return fd


def is_mounted():
    with open("/proc/self/mounts", encoding="utf-8") as f:
        return " %s fuse" % PLACE in f.read()


os.mkdir(PLACE)
os.chown(PLACE, UID, UID)
for name in ("fusermount3", "fusermount"):
    if not installed(name):
        continue
    same(name + " -V")
    try:
        fd = mount_fuse()
    except OSError as e:
        tap.skip(name + " -u", str(e))
        continue
    done = line(name + " -u " + PLACE)
    tap.ok(done == (0, "", "") and not is_mounted(), name + " -u", done)
    os.close(fd)
    done = line(name + " -u " + HOME)
    tap.same(done, run(name, "-u", HOME),
             name + " -u of what is none")
    refused(name + " -o allow_other " + PLACE, "the option o of " + name)

# ---- ping -----------------------------------------------------------------
if installed("ping"):
    want = run("ping", "-c", "1", "-W", "9", "127.0.0.1")
    if want[0] != 0:
        tap.skip("ping", "it does not work here at all: %r" % (want,))
    else:
        done = line("ping -c 1 -W 9 127.0.0.1")
        tap.ok(done[0] == 0 and "1 received" in done[1], "ping", done)
        p = line("ping -c 1 -W 9 127.0.0.1 | tail -n 2 | head -n 1")
        tap.ok("1 received" in p[1], "ping, in a pipe", p)
tap.done()
