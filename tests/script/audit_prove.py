# SPDX-License-Identifier: ISC
"""aegshctl audit verify --row: what it prints proves by itself, to a second
implementation and without the store, what a line says; nothing that was
altered in it does."""

import copy
import glob
import json
import os
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
import chain  # noqa: E402
from procs import DEADLINE  # noqa: E402
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
CTL, FILL = program("aegshctl"), program("store_fill")


def ctl(*args):
    return subprocess.run([CTL, "audit", *args], env=env, timeout=DEADLINE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def proof(row, *more):
    done = ctl("verify", "--json", "--row", str(row), *more)
    return done, json.loads(done.stdout) if done.stdout else None


def fill(n, at=0):
    subprocess.run([FILL], env=env, check=True, timeout=DEADLINE,
                   input="".join("ok line-%d\n" % (at + i)
                                 for i in range(n)).encode())


tap.same(ctl("verify", "--row", "1").returncode, 1, "nothing is recorded: 1")
fill(1400)
ctl("head")
FILE, = glob.glob(os.path.join(root, "own", "*", "audit.db"))
for row in (1, 2, 3, 511, 512, 513, 514, 1024, 1025, 1399, 1400):
    done, got = proof(row)
    said = chain.prove(got) if got else None
    tap.ok(done.returncode == 0 and isinstance(said, dict) and
           said["line"] == b"line-%d" % (row - 1) and said["status"] == 0 and
           len(got["links"]) in (1, 2), "line %d" % row, done, said)
done, got = proof(700)
show = json.loads(ctl("show", "--json", "700").stdout)
tap.ok(proof(show["uuid"])[1]["line"] == 700, "by its UUID")
events = ctl("events", "--kind", "store-read", "--json").stdout
tap.ok(b"--row" in events, "that it was read is recorded", events)

# ---- each part of it counts -------------------------------------------------
wrong = []


def alter(what, change):
    other = copy.deepcopy(got)
    change(other)
    if isinstance(chain.prove(other), dict):
        wrong.append(what)


def flip(text, at):
    digit = "%x" % (int(text[at], 16) ^ 1)
    return text[:at] + digit + text[at + 1:]


for n, one in enumerate(got["links"]):
    for name in ("before", "bytes", "link"):
        for at in range(0, len(one[name]), 7):
            alter((name, at), lambda p: p["links"][n].update(
                {name: flip(p["links"][n][name], at)}))
    for i in range(len(one["path"])):
        alter(("path", i), lambda p: p["links"][n]["path"].__setitem__(
            i, flip(one["path"][i], 5)))
        alter(("path without", i), lambda p: p["links"][n]["path"].pop(i))
    alter("path and more", lambda p: p["links"][n]["path"].append("00" * 32))
    for name in ("kind", "row", "index"):
        alter(name, lambda p: p["links"][n].update({name: one[name] ^ 1}))
    alter("root", lambda p: p["links"][n]["head"].update(
        root=flip(one["head"]["root"], 0)))
    alter("no head", lambda p: p["links"][n].pop("head"))
alter("another line", lambda p: p.update(line=701))
tap.same(wrong, [], "nothing that is altered proves anything")
tap.same(chain.prove(got, bytes(32)), "the head at %d is not signed" %
         got["links"][0]["head"]["seq"], "an unsigned head is no signed one")

# ---- signed -----------------------------------------------------------------
if os.getuid() != 0:
    tap.skip("a proof up to a signature", "takes root, to sign for another")
else:
    import pwd
    user = pwd.getpwnam("nobody")
    os.makedirs(os.path.join(root, "state", str(user.pw_uid)), 0o700)
    os.chmod(os.path.join(root, "state"), 0o755)
    os.chown(os.path.join(root, "state", str(user.pw_uid)), user.pw_uid,
             user.pw_gid)
    key = bytes.fromhex(ctl("key").stdout.split()[1].decode())
    subprocess.run([FILL], env=env, check=True, input=b"ok x\nok y\n",
                   user=user.pw_uid, group=user.pw_gid, extra_groups=[])
    done = ctl("sign", "--all")
    done, theirs = proof(2, "--user", "nobody")
    said = chain.prove(theirs, key)
    tap.ok(done.returncode == 0 and said["line"] == b"y",
           "a proof up to the operator's signature", done, said)
    tap.ok(not isinstance(chain.prove(theirs, bytes(32)), dict),
           "and to no other")
    done = ctl("verify", "--row", "2", "--user", "nobody", "--key",
               "/dev/null")
    tap.ok(done.returncode == 0 and b"signature" in done.stdout, "as text",
           done)

# ---- what cannot be proven --------------------------------------------------
tap.ok(b"no such line" in ctl("verify", "--row", "99999").stderr,
       "a line that is not there")
tap.same(ctl("verify", "--row", "1", "--witness", "-").returncode, 100,
         "--row or --witness")
fill(1, 5000)
db = sqlite3.connect(FILE)
last = db.execute("SELECT max(id) FROM commands").fetchone()[0]
db.execute("DELETE FROM heads WHERE seq = (SELECT max(seq) FROM heads)")
db.commit()
db.close()
done, got = proof(last)
tap.ok(done.returncode == 1 and b"audit head makes one" in done.stderr and
       "head" not in got["links"][0], "without a head yet", done)
ctl("head")
done, got = proof(last)
tap.ok(done.returncode == 0 and isinstance(chain.prove(got), dict),
       "and with one", done)
kept = json.loads(ctl("prune", "--json", "--keep", "50").stdout)
oldest = last - 49
done, got = proof(oldest)
tap.ok(done.returncode == 1 and b"were deleted" in done.stderr,
       "the first ones that a deletion leaves have lost their head", done)
ctl("head")
fill(3, 6000)
ctl("head")
done, got = proof(last + 2)
tap.ok(done.returncode == 0 and isinstance(chain.prove(got), dict),
       "those that came after it have one", done)
db = sqlite3.connect(FILE)
db.execute("UPDATE commands SET line = x'00' WHERE id = ?", (last + 2,))
db.commit()
db.close()
done, got = proof(last + 2)
tap.ok(done.returncode == 1 and b"does not prove" in done.stderr and
       not isinstance(chain.prove(got), dict), "an altered row", done)
tap.done()
