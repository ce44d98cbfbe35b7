# SPDX-License-Identifier: ISC
"""The units of systemd: they are what systemd reads, name what is installed,
and with the capabilities that they leave, and no others, do their work."""
import glob
import os
import pwd
import re
import shutil
import sqlite3
import subprocess
import sys
import time

TOP, BUILD = os.environ["abs_top_srcdir"], os.environ["abs_top_builddir"]
sys.path[:0] = [os.path.join(TOP, "tests", "lib"),
                os.path.join(TOP, "tests", "bench")]
import gen_store  # noqa: E402
from procs import DEADLINE  # noqa: E402
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
ANALYZE = shutil.which("systemd-analyze")
CTL = program("aegshctl")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def call(*argv, **more):
    return subprocess.run(argv, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, timeout=DEADLINE, **more)


def value(text, key):
    return re.search("^%s=(.*)$" % key, text, re.M).group(1)


# ---- as they are installed --------------------------------------------------
names = sorted(os.path.basename(p).removesuffix(".in") for p in
               glob.glob(TOP + "/share/systemd/aegsh-*"))
tap.same(names, ["aegsh-prune.service", "aegsh-prune.timer",
                 "aegsh-ship.service"], "the units that there are")
units = {}
for name in names:
    there = "%s/share/systemd/%s" % (BUILD, name)
    units[name] = read(there if os.path.exists(there) else
                       "%s/share/systemd/%s" % (TOP, name))
for name, verb in (("aegsh-prune.service", "audit prune --all"),
                   ("aegsh-ship.service", "audit ship --all --follow")):
    path, _, rest = value(units[name], "ExecStart").partition(" ")
    tap.ok(rest == verb and path[:1] == "/" and
           path.endswith("/aegshctl") and "@" not in units[name],
           name + " starts what is installed", units[name])
    # A verb or an option that is none is 100.
    done = call(CTL, *rest.split(), "--nosuch", env=env)
    tap.ok(done.returncode == 100 and "nosuch" in done.stdout,
           "by a verb that there is", done)

# ---- as systemd reads them --------------------------------------------------
copies = root + "/units"
os.mkdir(copies)


def verify(change=lambda text: text):
    for unit, text in units.items():
        text = re.sub(r"^(ExecStart=)\S+", lambda m: m.group(1) + CTL, text,
                      flags=re.M)
        with open(copies + "/" + unit, "w", encoding="utf-8") as f:
            f.write(change(text))
    done = call(ANALYZE, "verify", "--man=no", *["%s/%s" % (copies, u)
                                                 for u in units])
    told = [line for line in done.stdout.splitlines() if "aegsh-" in line]
    return done.returncode, told, done.stdout


if ANALYZE is None:
    tap.skip("systemd-analyze verify", "there is no systemd-analyze")
else:
    done = verify()
    tap.ok(done[:2] == (0, []), "systemd-analyze verify finds nothing", done)
    done = verify(lambda text: text.replace("NoNewPrivileges=",
                                            "NoNewPrivilege="))
    tap.ok(done[1], "and would say what is wrong", done)
    done = call(ANALYZE, "calendar", value(units["aegsh-prune.timer"],
                                           "OnCalendar"))
    tap.ok(done.returncode == 0, "the timer's time is one", done)

# ---- with what they leave ---------------------------------------------------
DAY = 24 * 3600 * 10 ** 9
SETPRIV = shutil.which("setpriv")


def lines(uid):
    db = sqlite3.connect("%s/own/aegsh-%d/audit.db" % (root, uid))
    try:
        return db.execute("SELECT count(*) FROM commands").fetchone()[0]
    finally:
        db.close()


def store(name):
    """Of that user: ten lines of long ago, and ten of today."""
    user = pwd.getpwnam(name)
    where = "%s/own/aegsh-%d" % (root, user.pw_uid)
    os.makedirs(where, mode=0o700)
    shutil.copy(EMPTY, where + "/audit.db")
    gen_store.fill(where + "/audit.db", 10, time.time_ns() - 90 * DAY,
                   user=name)
    gen_store.fill(where + "/audit.db", 10, time.time_ns() - DAY, user=name)
    gen_store.reboot(where + "/audit.db")
    os.chmod(where + "/audit.db", 0o600)
    for path in [where] + glob.glob(where + "/*"):
        os.chown(path, user.pw_uid, user.pw_gid)
    return user.pw_uid


def as_unit(name):
    """What it starts, as root with its bounding set."""
    kept = value(units[name], "CapabilityBoundingSet").lower().split()
    words = value(units[name], "ExecStart").split()[1:]
    return call(SETPRIV, "--bounding-set", ",".join(
        ["-all"] + ["+" + c.removeprefix("cap_") for c in kept]),
        "--inh-caps", "-all", "--no-new-privs", CTL, *words, env=env,
        stdin=subprocess.DEVNULL)


if os.geteuid() != 0 or SETPRIV is None:
    tap.skip("aegsh-prune.service deletes what is old of each user's",
             "not root" if SETPRIV else "there is no setpriv")
else:
    with open(root + "/etc/aegsh.conf", "w", encoding="utf-8") as f:
        f.write("retain-days = 30\n")
    subprocess.run([program("aegsh"), "-c", "true"], env=env, check=True,
                   timeout=DEADLINE)
    call(CTL, "history", env=env)
    EMPTY = root + "/own/aegsh-0/audit.db"
    db = sqlite3.connect(EMPTY)
    db.executescript("".join("DELETE FROM %s;" % table for table in (
        "commands", "sessions", "events", "chain", "heads")))
    db.close()
    others = [store("nobody"), store("daemon")]
    before = [lines(uid) for uid in others]
    done = as_unit("aegsh-prune.service")
    tap.ok(done.returncode == 0 and before == [20, 20] and
           [lines(uid) for uid in others] == [10, 10],
           "aegsh-prune.service deletes what is old of each user's", done,
           before, [lines(uid) for uid in others])
tap.done()
