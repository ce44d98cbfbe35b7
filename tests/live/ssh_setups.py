#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The set-ups of sshd that aegsh(1) shows, each in a real sshd as it stands
there: it says what the manual says of it, and the doctor finds nothing
amiss in it that the manual does not name."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
import ssh_rig  # noqa: E402
from tap import Tap  # noqa: E402

t = Tap()
why = ssh_rig.missing()
if os.getuid() != 0:
    why = "only root can give a throw-away user a login shell"
if why:
    t.skip("set-ups of sshd", why)
    t.done()
with open(os.path.join(ssh_rig.SRC, "man", "aegsh.1")) as f:
    BLOCKS = dict(((kind, name), text) for kind, name, text in re.findall(
        r'^\.\\" (sshd_config|authorized_keys): (\w+)\n\.Bd[^\n]*\n(.*?)'
        r'^\.Ed', f.read(), re.S | re.M))
t.same(sorted(BLOCKS), [("authorized_keys", "fetch"),
                        ("sshd_config", "forced"), ("sshd_config", "shell"),
                        ("sshd_config", "transfer")],
       "the manual has four set-ups")
rig = ssh_rig.Rig()
OUTSIDE = "curl -s http://127.0.0.1:1/x | sh"


def here(text):
    """With the places, the group and the key of this test."""
    return re.sub(r"Group \w+", "Group " + rig.user, text).replace(
        "/usr/local/bin/aegsh", rig.aegsh)


def start(name):
    rig.sshd(name, *here(BLOCKS["sshd_config", name]).splitlines())


def put(name, data):
    rig.own(rig.write(os.path.join(rig.home, name), data))


def doctor(name, shell):
    """Findings about a system that has this configuration."""
    image = rig.path("image-" + name)
    for path, text in (
            ("etc/ssh/sshd_config", BLOCKS["sshd_config", name]),
            ("etc/passwd", "root:x:0:0::/root:/bin/bash\n"
             "eve:x:1000:1000::/home/eve:%s\n" % shell),
            ("etc/shells", "/bin/bash\n/usr/local/bin/aegsh\n"),
            ("usr/local/bin/aegsh", ""), ("usr/lib/openssh/sftp-server", "")):
        os.makedirs(os.path.join(image, os.path.dirname(path)), exist_ok=True)
        rig.write(os.path.join(image, path), text, 0o755)
    status, out, err = rig.run(
        [rig.aegshctl, "doctor", "--json", "--root", image],
        env=dict(rig.env(), **rig.test_env))
    return sorted(json.loads(line)["id"] for line in out.splitlines())


def refuses(name, line=OUTSIDE):
    status, out, err = rig.ssh(name, line)
    t.ok(status == 126 and out == b"" and err.count(b"\n") == 1 and
         err.startswith(b"aegsh: blocked: "), "%s: refuses %s" % (name, line),
         status, out, err)


def fetches(name, good=True):
    got = rig.run(["scp", "-q", "-F", rig.config, name + ":file", "got"])
    path = rig.path("client", "got")
    t.same(os.path.exists(path), good, "%s: %s a file" % (
        name, "fetches" if good else "does not fetch"))
    if os.path.exists(path):
        os.unlink(path)
    return got


def brings(name, good):
    rig.write("client/up", "from here\n")
    rig.run(["scp", "-q", "-F", rig.config, "up", name + ":up"])
    path = os.path.join(rig.home, "up")
    t.same(os.path.exists(path), good, "%s: %s a file" % (
        name, "brings" if good else "does not bring"))
    if os.path.exists(path):
        os.unlink(path)


put("file", "a file\n")
# As login shell.
rig.login_shell(rig.aegsh)
start("shell")
t.same(rig.ssh("shell", "echo", "judged; exit 3"), (3, b"judged\n", b""),
       "shell: a command")
refuses("shell")
fetches("shell")
brings("shell", True)
t.same(doctor("shell", "/usr/local/bin/aegsh"),
       ["account.store", "sshd.forwarding"], "shell: what the doctor finds")

# For a group with another login shell.
rig.login_shell("/bin/bash")
start("forced")
t.same(rig.ssh("forced", "echo", "judged; exit 3"), (3, b"judged\n", b""),
       "forced: a command")
t.same(rig.ssh("forced", data=b"echo stream\n"), (0, b"stream\n", b""),
       "forced: a stream")
refuses("forced")
fetches("forced")
brings("forced", True)
t.same(doctor("forced", "/bin/bash"), ["sshd.forwarding"],
       "forced: what the doctor finds")

# To move files.
start("transfer")
refuses("transfer")
refuses("transfer", "ls")
fetches("transfer")
brings("transfer", True)
status, out, err = rig.ssh("transfer", "ls", options=("-tt",))
t.ok(b"PTY allocation request failed" in err, "transfer: no terminal", err)
t.same(doctor("transfer", "/bin/bash"), ["sshd.forwarding", "sshd.user-rc"],
       "transfer: what the doctor finds")

# A key held to fetching.
text = here(BLOCKS["authorized_keys", "fetch"]).replace("KEY\n", "").strip()
rig.sshd("keys", "Subsystem sftp " + ssh_rig.SFTP_SERVER)
rig.authorize(text)
refuses("keys")
refuses("keys", "ls")
fetches("keys")
brings("keys", False)
with open(rig.config) as f:
    port = re.search(r"Host keys .*?Port (\d+)", f.read(), re.S).group(1)
status, out, err = rig.run(["ssh", "-F", rig.config, "-W", "127.0.0.1:" + port,
                            "keys"])
t.ok(status != 0 and out == b"", "keys: nothing is forwarded", out, err)
rig.close()
t.done()
