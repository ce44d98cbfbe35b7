# SPDX-License-Identifier: ISC
"""sudo -e, crontab -e, visudo and vipw inside of a line: the person's editor
runs on a copy in the line's sandbox, and only what comes of it is installed, by
the real program."""
import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from elevate_rig import (  # noqa: E402
    A, CTL, DEADLINE, HOME, NAME, ROOT, UID, history, leave, line, mount, own,
    popen, run, sudoers, tap, write)
from procs import until  # noqa: E402

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
for editor in ("./ed.sh ", "X=1 ./ed.sh", "true; ./ed.sh", "./ed.sh 2>&1",
               "./ed.sh && ./ed.sh"):
    write(FILE, "one\n", 0o640)
    done = call("sudo -n -e " + FILE, editor.replace("'", "'\\''"))
    tap.same((done, read(FILE)), ((0, "", ""), "two\n"), "EDITOR=" + editor)
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


def files_of_last():
    """What is on record as changed by the edit that was installed last."""
    out = run(CTL, "audit", "export", "-n", "0")[1]
    rows = [json.loads(r) for r in out.splitlines()]
    return [[(f["path"], f["change"], f["old_sha256"], f["new_sha256"])
             for f in r["files"]] for r in rows
            if r["line"].startswith(("sudoedit ", "visudo", "sudo "))][-2:]


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


# Asked for what there is it changes nothing; then it installs.
write(FILE, "one\n", 0o640)
done = call("sudo -n -e " + FILE)
tap.same((done[0], files_of_last()),
         (0, [[], [(FILE, "changed", None, None)]]),
         "the record has the file, which its user may not read")
write(FILE, "one\n", 0o644)
done = call("cd /etc; sudo -n -e ./aegsh-test.conf", HOME + "/ed.sh")
tap.same((done[0], files_of_last()[-1]),
         (0, [(FILE, "changed", sha256("one\n"), sha256("two\n"))]),
         "and what it held, where that can be read")
write(FILE, "two\n", 0o640)
own("append.sh", "#!/bin/sh\ncat text >>\"$1\"\n", 0o755)
own("new.sh", "#!/bin/sh\necho new >\"$1\"\n", 0o755)
done = call("sudo -n -e /etc/aegsh-test.new", "./new.sh")
tap.same((done[0], read("/etc/aegsh-test.new"), [
    f[1:3] for f in files_of_last()[-1]]), (0, "new\n", [("made", None)]),
    "a new one")
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

# ---- the copies' directory --------------------------------------------------
TMP = HOME + "/copies"
os.mkdir(TMP)
os.chown(TMP, UID, UID)


def there():
    """What is left of the copies; {name: {file: text}}."""
    return {n: {f: read(os.path.join(TMP, n, f))
                for f in sorted(os.listdir(os.path.join(TMP, n)))}
            for n in sorted(os.listdir(TMP)) if n.startswith("aegsh-")}


def copies(text, editor):
    return call("export TMPDIR=%s\n%s" % (TMP, text), editor)


EDIT = "sudo -n -e " + FILE
own("backup.sh", "#!/bin/sh\ncp \"$1\" \"$1~\"\nln -s no/where "
    "\"${1%/*}/.#lock\"\n", 0o755)
done = copies(EDIT, "./backup.sh")
tap.same((done[0], there()), (0, {}), "an editor's backups go, too")
own("inside.sh", "#!/bin/sh\nmkdir \"${1%/*}/more\"\n", 0o755)
done = copies(EDIT, "./inside.sh")
tap.ok(done[0] == 0 and "what the editor left behind is kept in" in done[2] and
       [n[:11] for n in os.listdir(TMP)] == ["aegsh-kept."],
       "a directory is none of ours", done)
shutil.rmtree(os.path.join(TMP, os.listdir(TMP)[0]))
own("unsaved.sh", "#!/bin/sh\necho mine >\"${1%/*}/.x.swp\"; exit 3\n", 0o755)
done = copies(EDIT, "./unsaved.sh")
tap.ok(done[0] == 126 and "the editor failed; what you edited is kept in" in
       done[2] and "mine\n" in kept(done[2]).values() and
       len(kept(done[2])) == 2, "what it had not written is kept",
       (done, there()))
for n in os.listdir(TMP):
    shutil.rmtree(os.path.join(TMP, n))


def edit_and_end(name, writes, sig):
    """A session's editor runs, and then that ends; whether it was there."""
    own("slow.sh", "#!/bin/sh\ntrap 'echo late >>\"$1\"; exit 1' TERM\n%s\n"
        ": >%s/begun\nwhile :; do sleep 0.05; done\n" %
        ('echo mine >"$1"' if writes else ":", HOME), 0o755)
    own("call.sh", "#!/bin/sh\nexport EDITOR=./slow.sh TMPDIR=%s\n"
        "unset VISUAL SUDO_EDITOR\n%s\n" % (TMP, EDIT), 0o755)
    p = popen(A, "-c", "./call.sh")
    begun = until(lambda: os.path.exists(HOME + "/begun"))
    if begun:
        os.unlink(HOME + "/begun")
    mine = [pid for pid in own_processes() if "slow.sh" in name_of(pid)]
    shims = [pid for pid in own_processes() if is_shim(pid)]
    tap.ok(begun and mine and shims, name + ": the editor is there", mine,
           shims)
    for pid in shims:
        os.kill(pid, sig)
    return p, mine


def name_of(pid):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as f:
            return f.read().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def is_shim(pid):
    try:
        return name_of(pid).startswith("sudo ") and "aegsh-elevate" in \
            os.readlink("/proc/%d/exe" % pid)
    except OSError:
        return False


def own_processes():
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat("/proc/" + pid).st_uid == UID:
                found.append(int(pid))
        except OSError:
            pass
    return found


write(FILE, "one\n", 0o640)
# Ended in a way that can be met: the editor has its last word.
p, _ = edit_and_end("ended", True, signal.SIGTERM)
out, err = p.communicate(timeout=DEADLINE)
tap.ok("the editor failed; what you edited is kept in" in err and
       list(kept(err).values()) == ["mine\nlate\n"] and
       read(FILE) == "one\n", "what was edited is kept", err)
for n in os.listdir(TMP):
    shutil.rmtree(os.path.join(TMP, n))
# Stopped: it stops with the editor, which goes on with it.
def is_stopped(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "T"
    except OSError:
        return False


p, mine = edit_and_end("stopped", False, 0)
shims = [pid for pid in own_processes() if is_shim(pid)]
os.kill(min(mine), signal.SIGSTOP)
tap.ok(until(lambda: shims and all(map(is_stopped, shims))),
       "stopped: with its editor", shims)
for pid in shims:
    os.kill(pid, signal.SIGCONT)
tap.ok(until(lambda: not is_stopped(min(mine))), "and the editor goes on with "
       "it", mine)
for pid in shims:
    os.kill(pid, signal.SIGTERM)
p.communicate(timeout=DEADLINE)
for n in os.listdir(TMP):
    shutil.rmtree(os.path.join(TMP, n))
# Killed: what it was is seen by the next.
for writes, name in ((False, "nothing changed"), (True, "something changed")):
    p, mine = edit_and_end(name, writes, signal.SIGKILL)
    until(lambda: not any(is_shim(pid) for pid in own_processes()))
    left = there()
    tap.same(len(left), 1, name + ": its copy is left behind")
    done = copies(EDIT, "true")
    tap.ok(done[0] == 0 and there() == left and "was killed" not in done[2],
           name + ": an editor that goes on has it", done, there())
    # One of them may have been on its way to be a sleep.
    for pid in mine:
        with contextlib.suppress(ProcessLookupError):
            if "slow.sh" in name_of(pid):
                os.kill(pid, signal.SIGKILL)
    until(lambda: not any("slow.sh" in name_of(pid)
                          for pid in own_processes()))
    # What the editor had started has the lock as well.
    until(lambda: not [pid for pid in own_processes()
                       if name_of(pid).startswith("sleep 0.05")])
    p.communicate(timeout=DEADLINE)
    done = copies(EDIT, "true")
    if writes:
        told = re.search(r"aegsh: sudo: what was edited in a session that was "
                         r"killed is kept in (%s/aegsh-kept\.\w{6})\n" % TMP,
                         done[2])
        tap.ok(done[0] == 0 and told and
               list(there().values()) == [{list(list(left.values())[0])[-1]:
                                          "mine\n"}],
               name + ": it is kept, and told", done, there())
    else:
        tap.same((done[0], there()), (0, {}), name + ": it is gone")
    before = there()
    done = copies(EDIT, "true")
    tap.ok("was killed" not in done[2] and there() == before,
           name + ": and nothing is told again", done)
for n in os.listdir(TMP):
    shutil.rmtree(os.path.join(TMP, n))


# What has such a name and is not ours, or not as we make it.
def plant(name, mode=0o700, uid=UID, text=None):
    path = os.path.join(TMP, name)
    os.mkdir(path)
    if text is not None:
        write(path + "/f", text, 0o600, uid)
    os.chown(path, uid, uid)
    os.chmod(path, mode)


plant("aegsh-edit.others", uid=0)
plant("aegsh-edit.Aopen1", mode=0o755)
plant("aegsh-edit.toolong")
plant("aegsh-edit.b@d...")
plant("aegsh-kept.Abcdef")
plant("target")
os.symlink("target", TMP + "/aegsh-edit.Alink1")
write(TMP + "/aegsh-edit.Afile1", "x", 0o600, UID)
os.mkfifo(TMP + "/aegsh-edit.Afifo1")
os.chown(TMP + "/aegsh-edit.Afifo1", UID, UID)
before = sorted(os.listdir(TMP))
plant("aegsh-edit.Aempty")
plant("aegsh-edit.Anolst", text="mine\n")
plant("aegsh-edit.Afalse", text="mine\n")
os.symlink("/etc/shadow", TMP + "/aegsh-edit.Afalse/.aegsh-edit")
plant("aegsh-edit.Aqueue", text="mine\n")
os.mkfifo(TMP + "/aegsh-edit.Aqueue/.aegsh-edit")
plant("aegsh-edit.Abcdef", text="no room\n")
os.mkdir(TMP + "/aegsh-kept.Abcdef/x")
done = copies(EDIT, "true")
tap.same(sorted(os.listdir(TMP)), sorted(before + [
    "aegsh-kept.Anolst", "aegsh-kept.Afalse", "aegsh-kept.Aqueue",
    "aegsh-edit.Abcdef"]), "only what is ours is taken for left behind")
tap.ok(done[0] == 0 and done[2].count("is kept in") == 4 and
       TMP + "/aegsh-edit.Abcdef\n" in done[2] and
       all(read(TMP + "/aegsh-kept.%s/f" % n) == "mine\n"
           for n in ("Anolst", "Afalse", "Aqueue")) and
       read(TMP + "/aegsh-edit.Abcdef/f") == "no room\n",
       "and without a list that can be read it is kept", done)
shutil.rmtree(TMP)

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
