# SPDX-License-Identifier: ISC
"""What is typed while a program has the terminal's echo off is kept nowhere:
with all output recorded, a session answers prompts for passwords, and then
every byte that it left behind is searched for what was typed.

The words have no shape that redaction knows: it is not what keeps them out."""
import json
import os
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from procs import DEADLINE  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
PYTHON = "/usr/bin/python3"
with open(root + "/etc/aegsh.conf", "w", encoding="utf-8") as f:
    f.write('prompt = "%s"\noutput = full\n' % PROMPT)
hidden = []             # what was typed unseen


def word():
    """One that stands nowhere else."""
    hidden.append("plain%cword%d" % (97 + len(hidden), 4711 + len(hidden)))
    return hidden[-1]


def begin(s, line, asks):
    s.line(line)
    # Its echo has the question, too; what asks stands in a line of its own.
    found = s.expect("\n" + asks)
    tap.ok(found is not None, "asks: " + line[:60], bytes(s.rest)[-300:])


def done(s, says, name):
    found = s.expect(says + r"(.|\r|\n)*" + PROMPT)
    tap.ok(found is not None, name, bytes(s.rest)[-300:])


s = Session([program("aegsh")], env=env, cwd=env["HOME"])
s.expect(PROMPT)

begin(s, "read -s -p 'Secret''?' x; echo; echo it has ${#x}", r"Secret\?")
first = word()
s.line(first)
done(s, "it has %d" % len(first), "read -s")

begin(s, "read -s -p 'Again''?' x; echo; echo it has ${#x}", r"Again\?")
text = word()
for c in text[:5] + "\x7f" + text[4:]:
    s.send(c)
s.send("\r")
done(s, "it has %d" % len(text), "key by key, one of them taken back")

begin(s, "%s -c 'import getpass; print(\"of\", len(getpass.getpass("
      "\"[sudo] password for so\" + \"mebody: \")))'" % PYTHON,
      r"\[sudo\] password for somebody: ")
text = word()
s.line(text)
done(s, "of %d" % len(text), "getpass(3), as sudo asks")

begin(s, "stty -echo; echo hid''den; cat | wc -l; stty echo", "hidden")
for _ in range(3):
    s.line(word())
s.send("\x04")
done(s, "3", "lines for a program that turned it off for itself")

begin(s, "stty raw -echo; echo r''aw; head -c 12 | wc -c; stty sane", "raw")
s.send(word()[:12])
done(s, "12", "byte by byte, raw")
hidden[-1] = hidden[-1][:12]

# The kernel drops what was typed before the key.
begin(s, "read -s -p 'Stopped''?' x", r"Stopped\?")
s.send(word())
s.send("\x1a")
done(s, "", "Ctrl-Z in the midst of it")
s.run("kill -9 %1", PROMPT)
begin(s, "read -s -p 'Ended''?' x", r"Ended\?")
s.send(word())
s.send("\x03")
done(s, "", "Ctrl-C in the midst of it")

# The recording has what programs write: the search is none of nothing.
begin(s, "read -p 'Open''?' x; echo; echo it has $x", r"Open\?")
s.line("openly4711")
done(s, "it has openly4711", "with the echo on")
s.run("wait", PROMPT)
s.line("exit")
s.wait()
s.close()
tap.ok(not [w for w in hidden if w.encode() in s.seen],
       "none of them was shown on the terminal")


def everything():
    """(name, bytes) of each file that there is."""
    for where, _, names in os.walk(root):
        for name in names:
            path = os.path.join(where, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    yield path, file.read()


def shown(path):
    """What a recording draws, in one piece."""
    with open(path, encoding="utf-8") as file:
        events = [json.loads(row) for row in file.read().splitlines()[1:]]
    return "".join(e[2] for e in events if e[1] in "oe")


def rows(path):
    """Each value of each table."""
    db = sqlite3.connect(path)
    db.text_factory = bytes
    out = []
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type ="
                               " 'table'").fetchall():
        for row in db.execute("SELECT * FROM " + table.decode()):
            out += [v for v in row if isinstance(v, bytes)]
    db.close()
    return b"\0".join(out)


def ctl(*args):
    return subprocess.run([program("aegshctl"), *args], env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=DEADLINE).stdout


exported = ctl("audit", "export", "-n", "0")
lines = [json.loads(row) for row in exported.splitlines()]
kept = list(everything())
stores = [path for path, _ in kept if path.endswith("/audit.db")]
casts = [path for path, _ in kept if path.endswith(".cast")]
tap.ok(len(stores) == 1 and len(casts) == 1 and len(lines) >= 8,
       "there are a store and a recording", stores, casts, len(lines))
read = [(path, data) for path, data in kept] + \
    [(path + ", drawn", shown(path).encode("utf-8", "surrogatepass"))
     for path in casts] + \
    [(path + ", its rows", rows(path)) for path in stores] + \
    [("audit export", exported),
     ("audit replay", b"".join(ctl("audit", "replay", "--raw", str(n["id"]))
                               for n in lines))]
tap.ok(any(b"openly4711" in data for name, data in read if "drawn" in name) and
       any(b"openly4711" in data for name, data in read if "replay" in name) and
       any(b"openly4711" in data for name, data in read if "rows" in name),
       "what a program wrote is kept", [name for name, _ in read])
recording = [data for name, data in read if "drawn" in name][0]
tap.same(recording.count(b"openly4711"), 1,
         "what the terminal echoed is not in a recording, either")
for text in hidden:
    tap.same([name for name, data in read if text.encode() in data], [],
             "nowhere: " + text)
# Nor in pieces, as a program that reads key by key is sent them.
for name, data in read:
    if name.endswith("drawn"):
        tap.ok(not [t for t in hidden if t[5:] in "".join(
            c for c in data.decode("utf-8", "replace") if c.isalnum())],
            "nor with anything between the letters")
tap.done()
