# SPDX-License-Identifier: ISC
"""The escape battery for uid 0, whose sandbox is another one: what hides
there is covered by mounts.  In mount and process namespaces of its own."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from tap import Tap  # noqa: E402

NAMESPACES = ["unshare", "--mount", "--pid", "--fork", "--mount-proc",
              "--kill-child"]
if os.getuid() != 0 or subprocess.run(
        NAMESPACES + ["mount", "-t", "tmpfs", "x", "/mnt"],
        stderr=subprocess.DEVNULL).returncode != 0:
    tap = Tap()
    tap.skip("the battery for root", "needs a root that may mount")
    tap.done()
os.execvp(NAMESPACES[0], NAMESPACES + [
    sys.executable, os.path.join(os.path.dirname(__file__), "escape.py"),
    "--root"])
