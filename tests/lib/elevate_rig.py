# SPDX-License-Identifier: ISC
"""Sudo inside of a line, for the tests of it: mounts of their own, in which
the real sudo finds a sudoers(5) and an account of the test's; and a policy
whose profile "role" has it brokered.  Root's alone: whoever imports this is
started again in mounts of its own, or skips by name."""
import grp
import json
import os
import shutil
import signal
import subprocess
import sys

from exec_rig import unused_uid
from procs import DEADLINE
from pty_session import Session, place, program
from tap import Tap

tap = Tap()
INSIDE = "AEGSH_TEST_ELEVATE"
NAME = "aegsh-elevate-test"


def leave(why):
    tap.skip("sudo in a line", why)
    tap.done()


if os.getuid() != 0:
    leave("only root can give sudo a sudoers file of the test's")
if not os.path.exists("/usr/bin/sudo"):
    leave("sudo is not installed")
if INSIDE not in os.environ:
    if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "x", "/mnt"],
                      stderr=subprocess.DEVNULL).returncode != 0:
        leave("this root may not mount")
    os.environ[INSIDE] = os.readlink("/proc/self/ns/mnt")
    os.execvp("unshare", ["unshare", "-m", "--propagation", "private",
                          sys.executable, os.path.abspath(sys.argv[0])])
if os.readlink("/proc/self/ns/mnt") == os.environ[INSIDE]:
    sys.exit("these are the machine's own mounts")

ROOT, ENV = place()
UID = unused_uid()
HOME = ENV["HOME"]
A = program("aegsh")
CTL = program("aegshctl")
PROMPT = "READY> "
if os.environ.get("SANITIZED"):
    ENV["ASAN_OPTIONS"] = "detect_leaks=0"
ENV["AEGSH_TEST_OPERATOR"] = "0"
ENV["AEGSH_TEST_LIBEXEC"] = HOME + "/libexec"
SHIMS = HOME + "/libexec/elevate"


def write(path, text, mode=0o644, uid=0):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)
    os.chown(path, uid, uid)
    return path


def own(name, text, mode=0o644):
    return write(os.path.join(HOME, name), text, mode, UID)


def mount(*argv):
    subprocess.run(["mount"] + list(argv), check=True)


def over(path, text, mode):
    """The machine's file is another one in these mounts."""
    if os.path.exists(path):
        os.unlink(path)
        write(path, text, mode)


# All of /etc is a copy: a file mounted over one of it would be gone as soon
# as somebody adds a user to the machine, which renames a new file over it.
mount("-t", "tmpfs", "-o", "mode=755", "x", "/mnt")
subprocess.run(["cp", "-a", "/etc/.", "/mnt"], stderr=subprocess.DEVNULL)
COPY = os.stat("/mnt").st_dev
mount("--move", "/mnt", "/etc")
if os.stat("/etc").st_dev != COPY:
    sys.exit("this is the machine's own /etc")

PASSWORD = "open sesame"
with open("/etc/passwd") as f:
    passwd = f.read()
with open("/etc/group") as f:
    group = f.read()
hashed = subprocess.run(["openssl", "passwd", "-6", PASSWORD],
                        stdout=subprocess.PIPE, text=True).stdout.strip()
with open("/etc/shadow") as f:
    shadow = f.read()
over("/etc/passwd", passwd + "%s:x:%d:%d::%s:/bin/bash\n" %
     (NAME, UID, UID, HOME), 0o644)
over("/etc/shadow", shadow + "%s:%s:19000:0:99999:7:::\n" %
     (NAME, hashed or "*"), 0o640)
os.chown("/etc/shadow", 0, grp.getgrnam("shadow").gr_gid)
over("/etc/group", group + "%s:x:%d:\n" % (NAME, UID), 0o644)


def sudoers(text):
    """Of the user NAME, behind what the tests all need."""
    over("/etc/sudoers", "Defaults env_reset, !lecture, !fqdn\n"
         "Defaults env_keep += \"FROM_SITE EDITOR LD_PRELOAD SECRET_X\"\n"
         "root ALL=(ALL:ALL) ALL\n" + text, 0o440)


mount("-t", "tmpfs", "x", "/run")
if os.path.isdir("/var/lib/sudo"):
    mount("-t", "tmpfs", "x", "/var/lib/sudo")

os.chown(HOME, UID, UID)
os.makedirs(SHIMS)
shutil.copy(program("aegsh-elevate"), HOME + "/libexec/aegsh-elevate")
shutil.copy(program("aegsh-confine"), HOME + "/libexec/aegsh-confine")
shutil.copy(os.path.join(os.environ["abs_top_builddir"], "aegsh-edit"),
            HOME + "/libexec/aegsh-edit")
shutil.copy(ROOT + "/libexec/aegsh-judge", HOME + "/libexec/aegsh-judge")
for name in ("sudo", "sudoedit", "doas", "su", "pkexec", "mount", "umount",
             "newgrp", "sg", "passwd", "chsh", "chfn", "gpasswd", "chage", "expiry"):
    os.symlink("../aegsh-elevate", SHIMS + "/" + name)
for name in ("crontab", "ping", "fusermount", "fusermount3", "at", "atq",
             "atrm"):
    os.mkdir(SHIMS + "-" + name)
    os.symlink("../aegsh-elevate", SHIMS + "-%s/%s" % (name, name))
os.mkdir(SHIMS + "-root")
for name in ("mount", "umount"):
    os.symlink("../aegsh-elevate", SHIMS + "-root/" + name)
os.mkdir(ROOT + "/own/aegsh-%d" % UID, 0o700)
os.chown(ROOT + "/own/aegsh-%d" % UID, UID, UID)


def settings(*lines):
    write(ROOT + "/etc/aegsh.conf", "".join(x + "\n" for x in lines))


settings('profile = "role"', 'prompt = "%s"' % PROMPT)


def become():
    for sig in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(sig, signal.SIG_DFL)
    os.setgroups([])
    os.setgid(UID)
    os.setuid(UID)


def popen(*argv, data=None, env=None):
    return subprocess.Popen(
        argv, cwd=HOME, env=dict(ENV, **(env or {})), text=True,
        stdin=subprocess.DEVNULL if data is None else subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=become,
        start_new_session=True)


def run(*argv, data=None, env=None):
    """(status, stdout, stderr)"""
    p = popen(*argv, data=data, env=env)
    out, err = p.communicate(data, timeout=DEADLINE)
    return p.returncode, out, err


def line(text, *args, data=None, env=None):
    return run(A, "-c", text, *args, data=data, env=env)


def history(*words):
    out = run(CTL, "history", "--json", "-n", "0", *words)[1]
    return [json.loads(text) for text in out.splitlines()]


def events():
    """(kind, text) of each event that the record has."""
    out = run(CTL, "audit", "events", "--json", "-n", "0")[1]
    return [(r["kind"], r.get("detail") or r.get("text"))
            for r in map(json.loads, out.splitlines())]


def rows(text):
    return [r for r in history() if r["line"] == text]


def prompt():
    s = Session([A], ENV, cwd=HOME, uid=UID)
    s.expect(PROMPT)
    return s
