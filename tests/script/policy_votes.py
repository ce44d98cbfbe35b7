# SPDX-License-Identifier: ISC
"""An allow is a vote: for each command that a list of the shipped rules
allows, what stands around it is judged all the same.  Nothing is run."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

TOP = os.environ["abs_top_srcdir"]
CTL = os.path.join(os.environ["abs_top_builddir"], "tests/bin/aegshctl")
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from tap import Tap  # noqa: E402

tap = Tap()
AROUND = (
    "%s > /etc/cron.d/x", "LD_PRELOAD=/tmp/x.so %s", "%s; cat /etc/shadow",
    "%s $(cat /etc/shadow)", "%s <(cat ~/.ssh/id_rsa)", "%s | sh",
    "%s && rm -rf /",
)


def allowed(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for rule in re.findall(r'^rule "([^"]*)" \{(.*?)^\}', text, re.M | re.S):
        if "decision = allow" not in rule[1]:
            continue
        command = re.search(r"^\tcommand = \{([^}]*)\}", rule[1], re.M)
        first = re.search(r"^\tfirst = \{([^}]*)\}", rule[1], re.M)
        if command is None:
            continue
        for name in command.group(1).replace("'", "").split(","):
            name = name.strip()
            if name and name[0] not in "@*:[" and "*" not in name:
                verb = first.group(1).split(",")[0].strip(" '") \
                    if first else ""
                yield rule[0], (name + " " + verb).strip()


def ctl(root, *args, text=""):
    done = subprocess.run(
        [CTL, *args], input=text, cwd=root, capture_output=True, text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": root, "AEGSH_TEST_ROOT": root,
             "AEGSH_TEST_DATA": os.path.join(TOP, "share")})
    return [json.loads(x) for x in done.stdout.splitlines()]


def votes(profile, lines, root):
    """The entries of the lists that this profile has."""
    mine = {x["rule"] for x in ctl(root, "allowlist", "--json", "--profile",
                                   profile)}
    asked = [(rule, form % name) for rule, name in lines if rule in mine
             for form in AROUND]
    answers = ctl(root, "test", "--profile", profile, "--jsonl",
                  text="".join(json.dumps({"command": x}) + "\n"
                               for _, x in asked))
    tap.ok(asked and len(answers) == len(asked),
           "%s: an answer for each of %d lines" % (profile, len(asked)))
    bad = {}
    for (rule, line), answer in zip(asked, answers):
        if answer["decision"] == "allow":
            bad.setdefault(rule, []).append(line)
    for rule in sorted({r for r, _ in asked}):
        tap.same(bad.get(rule, []), [], "%s: %s is a vote" % (profile, rule))


def main():
    lines = sorted({x for path in glob.glob(os.path.join(
        TOP, "share", "policy", "*.conf")) for x in allowed(path)})
    tap.ok(len(lines) > 150, "%d entries" % len(lines))
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        for profile in "admin", "dev", "build":
            votes(profile, lines, root)
    tap.done()


main()
