# SPDX-License-Identifier: ISC
"""aegshctl audit key and audit sign: the operator vouches for the record of
another, who cannot take back what was signed; each signature is checked by a
second implementation."""

import json
import os
import pwd
import shutil
import sqlite3
import subprocess
import sys

TOP = os.environ["abs_top_srcdir"]
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
import chain  # noqa: E402
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
CTL = program("aegshctl")
FILL = program("store_fill")


def ctl(*args, text=b"", more=None):
    return subprocess.run([CTL, *args], env=dict(env, **(more or {})),
                          input=text, timeout=60, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)


def said(done, status, words, name):
    tap.ok(done.returncode == status and words in done.stderr, name, done)


# ---- the second implementation, and the vectors -----------------------------
with open(os.path.join(TOP, "tests", "cases", "audit-sign.case"),
          encoding="ascii") as f:
    for vector in f:
        if vector.startswith("#"):
            continue
        key, store, wall, seq, link, top, sig = vector.split()
        key, store, link, top, sig = map(bytes.fromhex, (
            key, store, link, top, sig))
        # The first word is the secret half; RFC 8032, 5.1.5.
        a = int.from_bytes(chain.hashlib.sha512(key).digest()[:32], "little")
        a = a & ((1 << 254) - 8) | 1 << 254
        x, y, z, _ = chain._times(a, chain.BASE)
        z = pow(z, chain.P - 2, chain.P)
        public = (y * z % chain.P | (x * z % chain.P & 1) << 255).to_bytes(
            32, "little")
        what = chain.head(store, int(wall), int(seq), link, top)
        tap.ok(chain.is_signed(public, what, sig), "vector " + sig.hex()[:8])
        tap.ok(not chain.is_signed(public, what + b"x", sig) and
               not chain.is_signed(public, what, sig[:-1] + b"\xff"),
               "and none of something else")

# ---- the key ----------------------------------------------------------------
said(ctl("audit", "sign", "--all"), 111, b"aegshctl audit key makes one",
     "no key yet")
os.makedirs(os.path.join(root, "state"), 0o755)
done = ctl("audit", "key")
tap.ok(done.returncode == 0 and done.stdout.startswith(b"aegsh-key "),
       "audit key", done)
KEY = done.stdout.split()[1].decode()
tap.same(json.loads(ctl("audit", "key", "--json").stdout), {"key": KEY},
         "audit key --json: it stays")
for name, mode in (("etc/audit.key", 0o600), ("etc/audit.pub", 0o644),
                   ("state/heads", 0o700)):
    tap.same(oct(os.stat(os.path.join(root, name)).st_mode & 0o7777),
             oct(mode), "the mode of " + name)
said(ctl("audit", "sign"), 100, b"--all or --user", "whose must be said")
said(ctl("audit", "sign", "--all", "--user", "root"), 100, b"--all or",
     "and only once")
said(ctl("audit", "sign", "--user", pwd.getpwuid(0).pw_name), 100,
     b"can read the key", "root's own: a signature would prove nothing")
said(ctl("audit", "sign", "--all", more={"AEGSH_TEST_OPERATOR": "12345"}),
     100, b"only the operator", "for nobody but the operator")
os.chmod(os.path.join(root, "etc", "audit.key"), 0o640)
said(ctl("audit", "sign", "--all"), 111, b"mode 0600",
     "a key that others could read is refused")
os.chmod(os.path.join(root, "etc", "audit.key"), 0o600)

if os.getuid() != 0:
    tap.skip("signing for another", "takes root")
    tap.done()

# ---- signing for another ----------------------------------------------------
USER = pwd.getpwnam("nobody")
STORE = os.path.join(root, "state", str(USER.pw_uid))
HEADS = os.path.join(root, "state", "heads", str(USER.pw_uid))
FILE = os.path.join(STORE, "audit.db")
os.chmod(root, 0o755)
os.mkdir(STORE, 0o700)
os.chown(STORE, USER.pw_uid, USER.pw_gid)


def fill(*lines):
    subprocess.run([FILL], env=env, check=True, user=USER.pw_uid,
                   group=USER.pw_gid, extra_groups=[],
                   input="".join("ok %s\n" % line for line in lines).encode())


def sign(*args):
    return ctl("audit", "sign", "--user", "nobody", *args)


def verify(*args, text=b""):
    done = ctl("audit", "verify", "--user", "nobody", "--json", *args,
               text=text)
    if done.returncode > 1:
        return done.returncode, done.stderr, {}
    docs = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, [d["fault"] for d in docs[:-1]], docs[-1]


def change(sql):
    db = sqlite3.connect(FILE)
    db.executescript(sql)
    db.commit()
    db.close()
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(FILE + suffix):
            os.chown(FILE + suffix, USER.pw_uid, USER.pw_gid)


done = sign()
tap.ok(done.returncode == 0 and not done.stdout, "nothing recorded: nothing",
       done)
fill("one", "two")
done = sign()
words, good = chain.signed_line(done.stdout.decode())
tap.ok(done.returncode == 0 and good and words["key"] == KEY,
       "a signature that another program takes", done)
first = done.stdout
with open(HEADS, "rb") as f:
    tap.same(f.read(), first, "what was signed is kept with the operator")
status, faults, verdict = verify()
tap.ok(status == 0 and verdict["signed"] == 1 and
       verdict["signed_to"] == int(words["seq"]), "verify checks it",
       (status, faults, verdict))
tap.same(sign().stdout, b"", "nothing new: nothing is signed again")
fill("three")
done = ctl("audit", "sign", "--all", "--json")
doc = json.loads(done.stdout)
tap.ok(done.returncode == 0 and doc["user"] == "nobody" and
       doc["seq"] > int(words["seq"]) and doc["store"] == words["store"],
       "--all --json", done)
with open(HEADS, "rb") as f:
    kept = f.read()
status, faults, verdict = verify("--witness", "-", text=kept)
tap.ok(status == 0 and verdict["witnessed"] == 2 and verdict["signed"] == 2,
       "the operator's file is a witness", verdict)
# ---- keys -------------------------------------------------------------------
other = os.path.join(root, "other.pub")
with open(other, "w") as f:
    f.write("aegsh-key " + "00" * 32 + "\n")
status, faults, verdict = verify("--key", other)
tap.same((status, faults, verdict["signed"]),
         (1, ["signature", "signature"], 0), "by a key that is not known")
os.rename(os.path.join(root, "etc", "audit.pub"), other)
done = ctl("audit", "verify", "--user", "nobody")
tap.ok(done.returncode == 0 and b"2 signatures were not checked" in
       done.stderr, "no key: that is said", done)
tap.same(verify("--key", other)[2]["signed"], 2, "--key")
os.rename(other, os.path.join(root, "etc", "audit.pub"))
done = ctl("audit", "key", "--new")
fresh = done.stdout.split()[1].decode()
before = chain.signed_line(kept.decode().splitlines()[-1] + "\n")[0]
done = sign()
words, good = chain.signed_line(done.stdout.decode())
tap.ok(done.returncode == 0 and good and words["key"] == fresh and
       words["seq"] == before["seq"] and words["link"] == before["link"],
       "a new key vouches for what the old one did, though nothing came", done)
status, faults, verdict = verify()
tap.ok(status == 0 and verdict["signed"] == 2, "which verifies", verdict)
done = sign()
tap.same((done.returncode, done.stdout), (0, b""), "and does so once")
fill("four")
done = sign()
tap.ok(fresh != KEY and chain.signed_line(done.stdout.decode())[0]["key"] ==
       fresh, "audit key --new signs from then on", done)
status, faults, verdict = verify()
tap.ok(status == 0 and verdict["signed"] == 3, "and the old one stays known",
       (faults, verdict))

# ---- what its user may do to it ---------------------------------------------
good_store = os.path.join(root, "copy")
change("PRAGMA wal_checkpoint(TRUNCATE)")
shutil.copy(FILE, good_store)


def again():
    for suffix in ("-wal", "-shm"):
        if os.path.exists(FILE + suffix):
            os.unlink(FILE + suffix)
    shutil.copy(good_store, FILE)
    os.chown(FILE, USER.pw_uid, USER.pw_gid)
    os.chmod(FILE, 0o600)


change("UPDATE heads SET wall_ns = wall_ns + 1 WHERE seq = %s"
       % words["seq"])
tap.same(verify()[1], ["signature"], "the time of a signature is signed")
again()
change("UPDATE heads SET signature = zeroblob(64), public_key = "
       "zeroblob(32) WHERE seq = %s" % words["seq"])
tap.same(verify()[1], ["signature"], "a forged one")
again()
change("UPDATE heads SET signature = NULL")
tap.same(verify()[1], ["signature"] * 3, "half of one")

again()
change("INSERT INTO heads (wall_ns, seq, link, root) VALUES (1, 1 << 40, "
       "zeroblob(32), zeroblob(32))")
fill("six")
said(sign(), 1, b"of another chain", "nor one beyond the end")
again()
fill("five")
change("""INSERT INTO heads (wall_ns, seq, link, root) SELECT 1, seq, link,
       zeroblob(32) FROM chain WHERE seq = (SELECT max(seq) FROM chain)
       ON CONFLICT DO UPDATE SET root = zeroblob(32)""")
done = sign()
tap.ok(done.returncode == 0 and verify()[:2] == (0, []),
       "a head that was put there is not what is signed", done)

# The chain that was signed ends earlier, or is another.
with open(HEADS, "rb") as f:
    tap.same(len(f.read().splitlines()), 5, "five were signed")
again()
said(sign(), 1, b"truncated: link", "rows that are gone are not signed for")
again()
fill("seven", "eight", "nine")
said(sign(), 1, b"rewritten: link", "nor others in their place")
tap.same(verify()[0], 0, "which by itself looks whole")
with open(HEADS, "rb") as f:
    kept = f.read()
tap.ok("rewritten" in verify("--witness", "-", text=kept)[1],
       "and not beside what the operator kept")
shutil.rmtree(STORE)
said(ctl("audit", "sign", "--user", "nobody"), 1, b"is gone",
     "a store that is gone")
os.mkdir(STORE, 0o700)
os.chown(STORE, USER.pw_uid, USER.pw_gid)
fill("ten")
done = ctl("audit", "sign", "--all")
tap.ok(done.returncode == 1 and b"is another store" in done.stderr and
       chain.signed_line(done.stdout.decode())[1],
       "another one in its place is said once, and signed", done)
tap.same(ctl("audit", "sign", "--all").returncode, 0, "once")

# Where lines were deleted in order.
fill("eleven", "twelve")
sign()
done = ctl("audit", "prune", "--user", "nobody", "--keep", "1")
fill("thirteen")
done = sign()
status, faults, verdict = verify()
tap.ok(done.returncode == 0 and status == 0 and verdict["signed"] == 3,
       "audit prune takes no signature away", (done, faults, verdict))

# A store that is held fast by its user, and one that is none.
with open(FILE, "r+b") as f:
    f.truncate(0)
    f.write(b"this is no database but long enough to be looked at" * 4)
for suffix in ("-wal", "-shm"):
    if os.path.exists(FILE + suffix):
        os.unlink(FILE + suffix)
said(ctl("audit", "sign", "--all"), 1, b"store of nobody:",
     "a broken store is said")
tap.done()
