# SPDX-License-Identifier: ISC
"""aegshctl audit replay and audit show, of what lines wrote: byte for byte in
a pipe, only drawing on a terminal, with its keys, and the terminal given back
as it was."""
import json
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import termios

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from cast_rig import audit, recorded  # noqa: E402
from procs import DEADLINE  # noqa: E402
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
env["AEGSH_TEST_ROOT"] = root
CTL = program("aegshctl")


def fill(keep, *steps):
    return recorded(env, [keep], steps)


def ctl(*args):
    return audit(env, *args)


def on_terminal(keys, *args):
    """(status, output, modes before, modes after), keys pressed once the
    first byte is there; a number is a signal."""
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    child = subprocess.Popen([CTL, "audit", "replay", *args], env=env,
                             stdin=slave, stdout=slave, stderr=slave)
    over = os.pidfd_open(child.pid)
    seen = b""
    while True:
        ready = select.select([master, over], [], [], DEADLINE)[0]
        if master in ready:
            seen += os.read(master, 65536)
        elif not ready or over in ready:
            break
        if keys and b"first" in seen:
            if isinstance(keys, int):
                os.kill(child.pid, keys)
            else:
                os.write(master, keys)
            keys = b""
    os.close(over)
    child.wait(DEADLINE)
    while select.select([master], [], [], 0)[0]:
        seen += os.read(master, 65536)
    after = termios.tcgetattr(slave)
    os.close(master)
    os.close(slave)
    return child.returncode, seen, before, after


random.seed(7)
blob = bytes(random.randrange(256) for _ in range(30000)) + b"\xff\xfe\0 end"
pieces = [blob[i:i + 700] for i in range(0, len(blob), 700)]
tap.same(ctl("replay", "1").returncode, 1, "nothing recorded: 1")
session = fill(
    "full", ("line", "make"),
    *[("out", i, p) for i, p in enumerate(pieces)],
    ("err", 60, b"oops: \xc3\xa9\n"), ("end",),
    ("line", "true"), ("end",),
    ("line", "draw"),
    ("out", 100, b"first\r\n\033[1;31mred\033[0m \033]52;c;ZXZpbA==\a\033[6n"
     b"\033]0;title\033\\\033P+q544e\033\\\033[?1000hcaf\xc3\xa9\033[21t"
     b"\xe2\x80\xae\x9b5n\033[?25l\033[2J\033[5;5H\033[c"),
    ("size", 120, "100x40"),
    ("out", 140, b"second\n"), ("end",))

# ---- to a pipe ----------------------------------------------------------------
done = ctl("replay", "--raw", "1")
tap.ok(done.returncode == 0 and done.stdout == blob and
       done.stderr == b"oops: \xc3\xa9\n", "--raw: byte for byte",
       (done.returncode, len(done.stdout), done.stderr))
done = ctl("replay", "3")
tap.same(done.stdout, "first\r\n\033[1;31mred\033[0m café<U+202E>\\x9b5n"
         "\033[?25l\033[2J\033[5;5Hsecond\n".encode(),
         "only what draws")
docs = [json.loads(x) for x in ctl("replay", "--json", "3").stdout
        .splitlines()]
tap.same([d["event"] for d in docs], ["line", "out", "resize", "out"],
         "--json: events")
tap.same((docs[2]["width"], docs[2]["height"]), (100, 40), "--json: a size")
tap.ok(docs[3]["at_ns"] - docs[1]["at_ns"] == 40000000, "--json: times",
       docs)
tap.same(ctl("replay", "--raw", session).stdout, blob +
         b"".join(bytes.fromhex(d["bytes_hex"]) if "bytes_hex" in d else
                  d["bytes"].encode() for d in docs
                  if d["event"] == "out"), "a session by its uuid")
tap.same(ctl("replay", "--session", "--raw", "3").stdout[:len(blob)], blob,
         "the session of a line")
whole = ctl("replay", "--raw", session).stdout
for least in 8, 4:
    tap.same(ctl("replay", "--raw", session[:least].upper()).stdout, whole,
             "or by its first %d characters" % least)
tap.same(ctl("replay", session[:3]).returncode, 1, "but not by 3")
shown = ctl("show", "3").stdout.decode()
tap.ok(re.search("^session uuid +" + session + "$", shown, re.M),
       "audit show has it", shown)
tap.same(json.loads(ctl("show", "--json", "3").stdout)["session_uuid"],
         session, "as JSON, too")
shown = ctl("stats", "--sessions", "0").stdout.decode()
tap.ok(re.search(r"^ *1 +" + session[:8] + " ", shown, re.M),
       "audit stats has enough of it", shown)
done = ctl("replay", "2")
tap.ok(done.returncode == 1 and done.stdout == b"" and
       b"nothing that it wrote is kept" in done.stderr,
       "a line that wrote nothing", done)
for bad in ("99", "x", "12345678-1234-1234-1234-123456789abc"):
    done = ctl("replay", bad)
    tap.ok(done.returncode == 1 and b"stats --sessions 0" in done.stderr,
           "no such line, and where names are told: " + bad, done)
for bad in (("--speed", "0", "1"), ("--idle", "x", "1"), (),
            ("--raw", "--json", "1"), ("1", "2")):
    tap.same(ctl("replay", *bad).returncode, 100, "usage: " + " ".join(bad))

# ---- on a terminal --------------------------------------------------------------
code, seen, before, after = on_terminal(b"", "3")
tap.ok(code == 0 and b"second" in seen and b"\033[1;31mred" in seen and
       b"]52" not in seen and b"[6n" not in seen and b"title" not in seen,
       "it is played", seen)
PLAIN = b"\033(B\017\0337\033[r\0338"
tap.ok(seen.endswith(PLAIN) and b"\033[?25h" in seen and
       b"\033[?6l" not in seen, "the terminal is plain afterwards, and its "
       "cursor where it was", seen)
tap.same(after, before, "and has its modes")
code, seen, before, after = on_terminal(b"q", "--session", "--idle", "0", "3")
tap.ok(code == 0 and after == before, "q ends it", seen)
long = fill("full", ("line", "slow"), ("out", 0, b"first\n"),
            ("out", 3600000, b"second\n"), ("out", 7200000, b"third\n"),
            ("end",))
code, seen, before, after = on_terminal(b"n", "--idle", "3600", long)
tap.ok(code == 0 and b"third" in seen and after == before,
       "n goes on to the next line", seen)
code, seen, before, after = on_terminal(b"q", "--idle", "3600", long)
tap.ok(code == 0 and b"second" not in seen and after == before,
       "q ends a pause", seen)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    code, seen, before, after = on_terminal(int(number), "--idle", "3600",
                                            long)
    tap.ok(code == -number and after == before and seen.endswith(PLAIN),
           number.name + " ends it, by that signal and with the terminal "
           "given back", (code, seen))
code, seen, before, after = on_terminal(b"..q", "--idle", "3600", long)
tap.ok(code == 0 and b"third" in seen or b"second" in seen,
       ". plays the next event", seen)
code, seen, before, after = on_terminal(b"\x03", "--idle", "3600", long)
tap.ok(code == 0 and b"second" not in seen and after == before,
       "so does Ctrl-C", seen)
code, seen, before, after = on_terminal(b"", "--idle", "0", long)
tap.ok(code == 0 and b"third" in seen, "--idle 0 waits for nothing", seen)
code, seen, before, after = on_terminal(b"", "--raw", "3")
tap.ok(code == 100 and b"first" not in seen, "--raw is not for a terminal",
       seen)

# ---- what a line did not end ------------------------------------------------------
fill("full", ("line", "hide"), ("out", 0, b"first\033P"), ("end",),
     ("line", "seen"), ("out", 1, b"second"), ("end",))
tap.same(ctl("replay", "--session", "5").stdout, b"firstsecond",
         "hides nothing of the next one's")

# ---- beginnings and ends ----------------------------------------------------------
fill("sample", ("line", "seq"),
     ("out", 1, b"".join(b"%06d\n" % i for i in range(3000))),
     ("err", 2, b"\033]52;c;eA==\anot this\n"), ("end",),
     ("line", "region"), ("out", 3, b"first\033[3;4r\033[?25l\033P" +
                          b"x" * 30000 + b"\033\\last\n"), ("end",))
code, seen, before, after = on_terminal(b"", "8")
tap.ok(seen.endswith(PLAIN) and b"more was written" in seen and
       b"last" in seen, "a terminal is plain behind a sample, too", seen)
out = ctl("replay", "7").stdout
tap.ok(out.startswith(b"000000\n") and b"002999\n" in out and
       b"more was written" in out and b"\033" not in out and
       b"not this" in out, "a sample", out[-200:])
show = json.loads(ctl("show", "--json", "7").stdout)["output"]
tap.ok([o["stream"] for o in show] == ["out", "err"] and
       show[0]["bytes"] == 21000 and show[0]["cut"] and
       show[0]["head"].startswith("000000\n") and
       show[0]["tail"].endswith("002999\n"), "show --json", show)
text = ctl("show", "7").stdout.decode()
tap.ok("out: 000000" in text and "err: ^[]52" in text and
       "21000 bytes" in text, "show", text[-400:])

# ---- what somebody wrote into the file ------------------------------------------
where = [os.path.join(d, n) for d, _, names in os.walk(root)
         for n in names if n == session + ".cast"]
tap.ok(len(where) == 1 and os.stat(where[0]).st_mode & 0o777 == 0o600 and
       os.stat(os.path.dirname(where[0])).st_mode & 0o777 == 0o700,
       "one file, closed to others", where)
other = where[0].replace(session[-1] + ".cast",
                         "0f"[session[-1] == "0"] + ".cast")
with open(other, "wb") as f:
    f.write(b"x")
done = ctl("replay", session[:8])
tap.ok(done.returncode == 100 and b"2 sessions begin so" in done.stderr,
       "two whose names begin alike: neither of them", done)
os.unlink(other)
with open(where[0], "r+b") as f:
    f.seek(400)
    f.write(b"\n\nnot json\n")
done = ctl("replay", "1")
tap.ok(done.returncode == 111 and b"is no event" in done.stderr,
       "a file that was damaged", done.stderr)
os.unlink(where[0])
done = ctl("replay", "1")
tap.ok(done.returncode == 1, "a file that is gone", done)
tap.done()
