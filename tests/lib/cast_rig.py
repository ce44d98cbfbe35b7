# SPDX-License-Identifier: ISC
"""A store with lines and what they wrote, and what aegshctl tells of it."""
import subprocess

from procs import DEADLINE
from pty_session import program


def recorded(env, keep, steps):
    """Steps as cast_fill reads them, bytes as they are; keep: its arguments.
    The uuid of their session."""
    text = "".join(" ".join(x.hex() if isinstance(x, bytes) else str(x)
                            for x in step) + "\n" for step in steps)
    done = subprocess.run([program("cast_fill"), *keep], env=env,
                          input=text.encode(), stdout=subprocess.PIPE,
                          check=True, timeout=DEADLINE)
    return done.stdout.decode().strip()


def audit(env, *args):
    return subprocess.run([program("aegshctl"), "audit", *args], env=env,
                          timeout=DEADLINE, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
