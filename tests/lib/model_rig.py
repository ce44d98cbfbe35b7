# SPDX-License-Identifier: ISC
"""A place where a fake model is asked about a program that no rule knows:
what policy leaves to the model."""
import json
import os
import subprocess

from procs import DEADLINE
from pty_session import place, program

TOP = os.environ["abs_top_srcdir"]
root, env = place()
home = env["HOME"]
record = os.path.join(root, "requests")
tool = os.path.join(home, "frobnicate")
with open(tool, "w") as f:
    f.write("#!/bin/sh\necho ran \"$@\"\n")
os.chmod(tool, 0o755)
env["PATH"] = home + ":" + env["PATH"]
server = subprocess.Popen(
    ["/usr/bin/python3", os.path.join(TOP, "tests", "lib", "fake_llm.py"),
     "--record", record], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
port = int(server.stdout.readline().split()[1])


def settings(mode, *more):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('endpoint = "http://127.0.0.1:%d/v1"\nmodel = "%s"\n'
                   'prompt = "READY> "\n' % (port, mode))
        if not any(line.startswith("ask-timeout") for line in more):
            conf.write("ask-timeout = 60000\n")    # for a machine under load
        for line in more:
            conf.write(line + "\n")


def run(line, *args, **kw):
    return subprocess.run([program("aegsh"), "-c", line, *args],
                          env=dict(env, **kw), cwd=home,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=DEADLINE,
                          start_new_session=True)


def requests():
    """What came; how long an answer took is written later."""
    if not os.path.exists(record):
        return []
    with open(record) as f:
        return [r for r in map(json.loads, f) if "server_ns" not in r]


def stop():
    server.stdin.close()
    server.wait(timeout=DEADLINE)
