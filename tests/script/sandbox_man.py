# SPDX-License-Identifier: ISC
"""aegsh-sandbox(5): each example is a profile that loads, and the page names
every key of the language."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.environ["abs_top_srcdir"]
CTL = os.path.join(os.environ["abs_top_builddir"], "tests/bin/aegshctl")
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from tap import Tap  # noqa: E402

tap = Tap()
with open(os.path.join(TOP, "man/aegsh-sandbox.5"), encoding="utf-8") as f:
    page = f.read()

with open(os.path.join(TOP, "src/sandbox/sandbox_file.c"),
          encoding="utf-8") as f:
    keys = re.findall(r'CFG_\w+\("([a-z-]+)"', f.read())
named = set(re.findall(r"[a-z-]+", " ".join(
    re.findall(r"^\.(?:It Cm|Cm) (.*)$", page, re.M))))
tap.ok(len(keys) > 25, "the keys of the loader", keys)
tap.same([k for k in keys if k not in named], [], "the page names them all")

examples = re.search(r"^\.Sh EXAMPLES\n(.*?)^\.Sh ", page, re.S | re.M).group(1)
found = re.findall(r"sandbox\.d/(\w+)\.conf.*?^\.Bd -literal[^\n]*\n(.*?)^\.Ed",
                   examples, re.S | re.M)
tap.same([name for name, _ in found], ["dev", "admin", "reports"], "its examples")
root = tempfile.mkdtemp(prefix="t-aegsh-", dir="/var/tmp")
try:
    os.chmod(root, 0o755)
    shutil.copytree(os.path.join(TOP, "share"), root + "/share")
    for where, _, files in os.walk(root + "/share"):
        os.chmod(where, 0o755)
        for name in files:
            os.chmod(os.path.join(where, name), 0o644)
    os.makedirs(root + "/etc/sandbox.d")
    env = dict(os.environ, AEGSH_TEST_ROOT=root,
               AEGSH_TEST_DATA=root + "/share",
               AEGSH_TEST_OPERATOR=str(os.geteuid()))

    def show(name, text):
        path = "%s/etc/sandbox.d/%s.conf" % (root, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        done = subprocess.run([CTL, "sandbox", "show", name], env=env,
                              capture_output=True, text=True, cwd="/")
        os.unlink(path)
        return done.returncode, done.stdout, done.stderr

    for name, text in found:
        status, out, err = show(name, text)
        tap.ok(status == 0 and err == "" and all(
            re.search(r"^%s +%s$" % (key, value), out, re.M)
            for key, value in re.findall(r"(limit-\w+) = (\d+)", text)),
            name + " is in force", out + err)
    for text, why in (("limit-children = 0\n", "no line could run"),
                      ("limit-times = 1\n", "no such option"),
                      ("limit-cpu = 9999999999999\n", "outside 0 to 2^40")):
        status, out, err = show("dev", "\n" + text)
        tap.ok(status != 0 and why in err and "dev.conf:2" in err,
               "a file that is wrong is told: " + text.strip(), err)
finally:
    shutil.rmtree(root)
tap.done()
