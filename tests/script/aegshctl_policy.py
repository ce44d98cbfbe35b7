# SPDX-License-Identifier: ISC
"""What the verbs about policy print as JSON is as its schema says, and
status names every rule file that is in force.  Nothing is run but `true`."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile

TOP = os.environ["abs_top_srcdir"]
BIN = os.path.join(os.environ["abs_top_builddir"], "tests/bin")
AEGSH, CTL = os.path.join(BIN, "aegsh"), os.path.join(BIN, "aegshctl")
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from json_schema import problems  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
os.umask(0o022)
with open(os.path.join(TOP, "share/schema/aegshctl-policy.json")) as f:
    SCHEMA = json.load(f)
RULE = ('rule "s" {\n\tdecision = block\n\treason = r\n\tcommand = { true }\n'
        "}\n")


def ctl(*args, text=""):
    return subprocess.run([CTL, *args], env=env, cwd=home, input=text,
                          capture_output=True, text=True)


def docs(what, kind, *args, text=""):
    """The documents that come out; each is of that kind and whole."""
    p = ctl(*args, text=text)
    out = [json.loads(x) for x in p.stdout.splitlines()]
    bad = [x for d in out
           for x in problems(d, SCHEMA["$defs"][kind], SCHEMA)]
    tap.ok(out and not bad, "%s: %d documents of the schema" %
           (what, len(out)), *bad[:5], p.stderr[:300])
    return out


def write(path, text, mode=0o644):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def status():
    found = docs("status", "status", "status", "--json")[0]["policy"]
    files = found["files"]
    tap.same(files[0]["layer"], "floor", "the floor comes first")
    tap.ok({f["layer"] for f in files} >= {"floor", "vendor", "site"},
           "each layer is there", files)
    vendor = sorted(os.listdir(os.path.join(TOP, "share/policy")))
    tap.same([os.path.basename(f["path"]) for f in files
              if f["layer"] == "vendor"],
             [n for n in vendor if n.endswith(".conf")], "all vendor files")
    bad = []
    for f in files[1:]:
        st = os.stat(f["path"])
        with open(f["path"], "rb") as file:
            text = file.read()
        if (f["uid"], f["mode"], f["bytes"], f["hash"]) != (
                st.st_uid, "%04o" % (st.st_mode & 0o7777), len(text),
                hashlib.sha256(text).hexdigest()):
            bad.append(f)
    tap.same(bad, [], "owner, mode, size and hash are the files' own")
    tap.same([f for f in files if f["layer"] == "user"], [],
             "the operator has no layer of his own")
    text = ctl("status").stdout
    tap.ok("site   %s" % hashlib.sha256(RULE.encode()).hexdigest()[:12]
           in text and site in text, "in text: a line a file", text)
    os.chmod(site, 0o666)
    found = docs("others may write it", "status", "status", "--json")[0]
    tap.ok(not found["sound"] and site in found["policy"]["problem"],
           "a file that can't be trusted is a problem", found["policy"])
    os.chmod(site, 0o644)


def others():
    for args in (["ls -l"], ["--explain", "cat $x > f"], ["echo )"],
                 ["--profile", "dev", "rm -rf /"], ["true"]):
        docs("test %s" % args[-1], "judged", "test", "--json", *args)
    text = "".join(json.dumps(x) + "\n" for x in (
        {"id": "a", "command": "ls"}, {"command": "rm -rf /"},
        {"command": "if"}, {"id": [1], "command": "echo \u202e \x01"}))
    out = docs("test --jsonl", "judged", "test", "--jsonl", text=text)
    tap.same([d["id"] for d in out], ["a", 2, 3, [1]], "with their ids")
    docs("what is no request", "refused", "test", "--jsonl", text="x\n")
    for verb in "allowlist", "blocklist":
        docs(verb, "rule", verb, "--json")
    docs("policy check", "checked", "policy", "check", "--json", site, "none")
    docs("profile list", "listed", "profile", "list", "--json")
    for name in "safe", "dev", "full-auto", "build", "admin", "transfer":
        docs("profile show " + name, "profile", "profile", "show", "--json",
             name)
    os.unlink(site)
    p = subprocess.run([AEGSH, "-c", "true"], env=env, cwd=home,
                       stdin=subprocess.DEVNULL, capture_output=True)
    tap.ok(p.returncode == 0, "a line to be recorded", p.stderr)
    write("home/s.conf", RULE)
    docs("policy diff", "changed", "policy", "diff", "--json", "-", "s.conf")


with tempfile.TemporaryDirectory(prefix="t-aegsh-", dir="/var/tmp") as root:
    os.chmod(root, 0o755)
    home = os.path.join(root, "home")
    os.makedirs(home)
    os.mkdir(os.path.join(root, "own"))
    env = {"PATH": "/usr/bin:/bin", "HOME": home, "TERM": "dumb",
           "AEGSH_TEST_ROOT": root,
           "AEGSH_TEST_DATA": os.path.join(TOP, "share")}
    site = write("etc/policy.d/50-site.conf", RULE)
    status()
    others()
tap.done()
