# SPDX-License-Identifier: ISC
"""The setting witness: a session tells the system's log, or the kernel's
audit, how far its record has come, and an end that is cut off later is
missed."""

import glob
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from fake_audit import Audit  # noqa: E402
from procs import DEADLINE  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
CTL, AEGSH = program("aegshctl"), program("aegsh")
os.makedirs(os.path.join(root, "system", "dev"))
LOG = os.path.join(root, "system", "dev", "log")
CONF = os.path.join(root, "etc", "aegsh.conf")


def session(*lines):
    """At a prompt; what it said."""
    s = Session([AEGSH], env=env)
    s.expect(rb"[$#] $")
    for line in lines:
        s.line(line)
        s.expect(rb"[$#] $")
    s.line("exit")
    s.wait()
    return s.seen


def heard(log):
    out = []
    while True:
        try:
            out.append(log.recv(4096, socket.MSG_DONTWAIT))
        except BlockingIOError:
            return out


with open(CONF, "w") as f:
    f.write("witness = syslog\n")
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
    log.bind(LOG)
    session("echo one", "echo two")
    lines = heard(log)
tap.ok(len(lines) == 1 and b"aegsh-head store=" in lines[0],
       "a session that ends tells it", lines)
kept = b"Nov 28 host " + lines[0] + b"\n"


def verify():
    done = subprocess.run([CTL, "audit", "verify", "--json", "--witness",
                           "-"], env=env, input=kept, timeout=DEADLINE,
                          stdout=subprocess.PIPE)
    docs = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, [d["fault"] for d in docs[:-1]], docs[-1]


status, faults, verdict = verify()
tap.ok(status == 0 and verdict["witnessed"] == 1, "and is a witness of it",
       (status, faults, verdict))

FILE, = glob.glob(os.path.join(root, "own", "*", "audit.db"))
db = sqlite3.connect(FILE)
db.executescript("""
    CREATE TEMP TABLE cut AS SELECT seq, kind, row FROM chain WHERE seq > 3;
    DELETE FROM chain WHERE seq > 3;
    DELETE FROM heads;
    DELETE FROM commands WHERE id IN (SELECT row FROM cut WHERE
        kind IN (3, 5));
    DELETE FROM events WHERE id IN (SELECT row FROM cut WHERE kind = 6);
    UPDATE sessions SET end_wall_ns = NULL, end_mono_ns = NULL;
    """)
db.commit()
db.close()
done = subprocess.run([CTL, "audit", "verify"], env=env, timeout=DEADLINE,
                      stdout=subprocess.PIPE)
tap.same(done.returncode, 0, "what is cut off clean looks whole by itself")
status, faults, _ = verify()
tap.same((status, faults), (1, ["truncated"]), "and not beside the log")

os.unlink(LOG)
subprocess.run([AEGSH, "-c", "echo three"], env=env, timeout=DEADLINE,
               stdout=subprocess.DEVNULL)
session("echo four")
done = subprocess.run([CTL, "audit", "events", "--kind", "witness-unheard",
                       "--json"], env=env, timeout=DEADLINE,
                      stdout=subprocess.PIPE)
events = [json.loads(line) for line in done.stdout.splitlines()]
tap.ok(len(events) == 1 and LOG in events[0]["text"],
       "a witness that is not there is recorded", done)

# The kernel's audit, beside another or alone; heads as auditd(8) keeps them.
KERNEL = os.path.join(root, "system", "kernel-audit")


def with_kernel(code, enabled=1):
    """What a session's end told a kernel that answers so."""
    kernel = Audit(KERNEL, code, enabled)
    session("echo five")
    kernel.close()
    return kernel


def unheard():
    done = subprocess.run([CTL, "audit", "events", "--kind",
                           "witness-unheard", "--json"], env=env,
                          timeout=DEADLINE, stdout=subprocess.PIPE)
    return [json.loads(line)["text"] for line in done.stdout.splitlines()]


shutil.rmtree(os.path.join(root, "own"))
os.mkdir(os.path.join(root, "own"))
with open(CONF, "w") as f:
    f.write("witness = \"kernel syslog\"\n")
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
    log.bind(LOG)
    kernel = with_kernel(0)
    lines = heard(log)
    tap.ok(len(lines) == 1 and len(kernel.texts) == 1 and
           lines[0].endswith(kernel.texts[0]),
           "the kernel and the log hear the same head",
           (lines, kernel.texts))
    kept = kernel.log()
    status, faults, verdict = verify()
    tap.ok(status == 0 and verdict["witnessed"] == 1 and not unheard(),
           "audit.log is a witness, as ausearch(8) gives it",
           (status, faults, verdict, unheard()))
    for code, enabled, says in (
            (-1, 1, "not permitted"), (-111, 1, "container"),
            (-93, 1, "this kernel has none"), (0, 0, "is off")):
        before = len(unheard())
        kernel = with_kernel(code, enabled)
        fresh = unheard()[before:]
        lines = heard(log)
        tap.ok(len(lines) == 1 and not kernel.texts and len(fresh) == 1 and
               says in fresh[0],
               "a kernel's audit that does not hear is told once (%s), and "
               "the log goes on" % says, (lines, kernel.texts, fresh))
os.unlink(LOG)
os.unlink(KERNEL)
for wrong in ("paper", "kernel none", "kernel,syslog"):
    with open(CONF, "w") as f:
        f.write("witness = \"%s\"\n" % wrong)
    done = subprocess.run([AEGSH, "-c", "true"], env=env, timeout=DEADLINE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    tap.ok(done.returncode != 0 and b"witness" in done.stderr,
           "a witness of no known kind is refused: " + wrong, done)
tap.done()
