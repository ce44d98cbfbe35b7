# SPDX-License-Identifier: ISC
"""The files of what lines wrote, beside the record: audit verify compares
them with the rows, audit prune deletes of them what it deletes of lines, and
audit backup has them."""
import json
import os
import shutil
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from cast_rig import audit, recorded  # noqa: E402
from pty_session import place  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
env["AEGSH_TEST_ROOT"] = root
STORE = os.path.join(root, "own", "aegsh-%d" % os.geteuid())
OUTPUT = os.path.join(STORE, "output")


def fill(*lines):
    steps = []
    for name, written in lines:
        steps += [("line", name), ("out", 1, written.encode()), ("end",)]
    return os.path.join(OUTPUT, recorded(env, ["full"], steps) + ".cast")


def ctl(*args):
    return audit(env, *args)


def verify():
    done = ctl("verify", "--json")
    docs = [json.loads(x) for x in done.stdout.splitlines()]
    return [(d["fault"], d["table"], d["row"]) for d in docs[:-1]], \
        docs[-1]["outputs"]


def read(path):
    with open(path, "rb") as f:
        return f.read()


first = fill(("one", "first of one\n" * 9), ("two", "first of two\n" * 900))
second = fill(("three", "second of three\n" * 9),
              ("four", "second of four\n" * 9000),
              ("five", "second of five\n"))
tap.same(verify(), ([], 5), "all parts are as they were")

# ---- verify --------------------------------------------------------------------
was = read(second)
with open(second, "r+b") as f:
    f.seek(was.index(b"of four") + 3)
    f.write(b"FOUR")
tap.same(verify()[0], [("output", "outputs", 4)], "a byte that was altered")
with open(second, "wb") as f:
    f.write(was[:-5])
tap.same(verify()[0], [("output", "outputs", 5)], "an end that was cut off")
with open(second, "wb") as f:
    f.write(was + b"more\n")
tap.same(verify()[0], [], "what comes behind is of no line yet")
with open(second, "wb") as f:
    f.write(was)
os.rename(first, first + ".away")
tap.same(verify()[0], [("output", "outputs", 1), ("output", "outputs", 2)],
         "a file that is gone")
os.symlink(first + ".away", first)
tap.same(verify()[0], [("output", "outputs", 1), ("output", "outputs", 2)],
         "a link to it is none")
os.unlink(first)
os.rename(first + ".away", first)
done = ctl("verify")
tap.ok(done.returncode == 0 and b"outputs            5\n" in done.stdout, "whole again",
       done.stdout)

# ---- backup ---------------------------------------------------------------------
copy = os.path.join(root, "copy.db")
tap.same(ctl("backup", copy).returncode, 0, "a backup")
tap.same([read(copy + ".output/" + os.path.basename(p)) for p in
          (first, second)], [read(first), read(second)], "has the files")
tap.ok(os.stat(copy + ".output").st_mode & 0o777 == 0o700 and all(
    os.stat(copy + ".output/" + os.path.basename(p)).st_mode & 0o777 == 0o600
    for p in (first, second)), "closed to others")
other = os.path.join(root, "own2")
os.mkdir(other, 0o700)
tap.same(ctl("backup", other + "/audit.db").returncode, 0,
         "a backup that is a store")
aside = STORE + ".aside"
os.rename(STORE, aside)
os.rename(other, STORE)
tap.same(verify(), ([], 5), "which can be verified")
tap.same(ctl("replay", "--raw", "3").stdout, b"second of three\n" * 9,
         "and played")
shutil.rmtree(STORE)
os.rename(aside, STORE)

# ---- prune ------------------------------------------------------------------------
tap.same(ctl("prune", "--keep", "2").returncode, 0, "three lines go")
tap.ok(not os.path.exists(first), "so does the file of the first session")
now = read(second)
tap.ok(len(now) == len(was) and b"of three" not in now and
       now.startswith(was.split(b"\n")[0] + b"\n\0\0") and
       now.endswith(was[-100:]), "and the beginning of the second's",
       now[:300])
tap.same(verify(), ([], 2), "what stays is as it was")
tap.same(ctl("replay", "--raw", "4").stdout, b"second of four\n" * 9000,
         "and is played")
done = ctl("replay", "--raw", "--session", "4")
tap.ok(done.returncode == 0 and done.stdout == b"second of four\n" * 9000 +
       b"second of five\n", "over what is empty", done.stderr)
with open(os.path.join(OUTPUT, "not-a-recording"), "w") as f:
    f.write("mine")
tap.same(ctl("prune", "--keep", "1").returncode, 0, "one more")
tap.ok(b"of four" not in read(second) and b"of five" in read(second),
       "goes in the file, too")
tap.ok(os.path.exists(os.path.join(OUTPUT, "not-a-recording")),
       "other files stay")

# A process that was killed between the rows and the files: the next one sees
# to it.
db = sqlite3.connect(os.path.join(STORE, "audit.db"))
db.execute("DELETE FROM outputs")
db.commit()
db.close()
ctl("prune", "--keep", "1")
tap.ok(not os.path.exists(second), "files without rows go by and by")
tap.done()
