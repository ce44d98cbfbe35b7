# SPDX-License-Identifier: ISC
"""aegshctl test --jsonl: an answer for each line, in order, whatever the
line; and what --user, --cwd and --origin change."""

import json
import os
import subprocess
import sys
import tempfile
import time

TOP = os.environ["abs_top_srcdir"]
CTL = os.path.join(os.environ["abs_top_builddir"], "tests/bin/aegshctl")
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from tap import Tap  # noqa: E402

tap = Tap()


def run(root, text, *args, cwd=None, home=None):
    env = {"PATH": "/usr/bin:/bin", "HOME": home or root,
           "AEGSH_TEST_ROOT": root,
           "AEGSH_TEST_DATA": os.path.join(TOP, "share")}
    if isinstance(text, str):
        text = text.encode()
    done = subprocess.run([CTL, "test", *args], input=text, env=env,
                          capture_output=True, cwd=cwd or root)
    return done


def answers(done):
    return [json.loads(x) for x in done.stdout.splitlines()]


def test_lines(root):
    good = [{"id": "a", "command": "ls -l"}, {"id": 7, "command": "rm -rf /"},
            {"id": None, "command": "rm -rf /srv/x"},
            {"id": {"x": [1]}, "command": "echo \u00e9", "class": "unread"}]
    done = run(root, "".join(json.dumps(x) + "\n" for x in good), "--jsonl")
    out = answers(done)
    tap.same([x["id"] for x in out], [x["id"] for x in good], "ids come back")
    tap.same([x["decision"] for x in out], ["allow", "block", "warn", "allow"],
             "decisions are allow, warn, block")
    tap.ok(all(x["rule"] and x["reason"] for x in out), "each names a rule")
    tap.same(done.returncode, 0, "all understood: 0")
    one = run(root, "", "--json", "--", "rm -rf /")
    doc = json.loads(one.stdout)
    out[1].pop("id")
    tap.same(out[1], doc, "the document of --json")
    tap.same(one.returncode, 2, "whose exit status tells")


def test_bad(root):
    bad = [b"not json", b"[1]", b"{}", b'{"command": 5}',
           b'{"command": "ls", "command": "rm"}', b'{"command": "ls"',
           b'{"command": "\xff"}', b'{"command": "\\ud800"}', b"null",
           b'{"command_hex": "6"}', b'{"command_hex": "zz"}',
           b'{"command": "ls", "origin": "moon"}',
           b'{"command": "ls", "profile": "nonsense"}',
           b'{"command": "ls", "cwd": "relative"}',
           b'{"command": "ls", "cwd": 5}',
           b"[" * 100000, b'{"command":"' + b"x" * (7 << 20) + b'"}',
           b"\0", b'{"id": "k", "profile": "nonsense", "command": "ls"}']
    text = b"".join(b + b"\n{\"id\": \"ok\", \"command\": \"ls\"}\n"
                    for b in bad)
    done = run(root, text, "--jsonl")
    out = answers(done)
    tap.same(len(out), 2 * len(bad), "one answer each")
    tap.same([x["id"] for x in out[1::2]], ["ok"] * len(bad),
             "after each of them it goes on")
    for line, x in zip(bad, out[::2]):
        tap.ok("error" in x and x["decision"] == "block" and x["error"],
               "refused: %r" % line[:40], x)
    tap.same([x["number"] for x in out[::2]],
             list(range(1, 2 * len(bad), 2)), "with the line's number")
    tap.same(out[-2]["id"], "k", "and its id, where it has one")
    tap.same(done.returncode, 1, "something was not understood: 1")
    done = run(root, b"\n \t\r\n\n{\"command\": \"ls\"}", "--jsonl")
    tap.same([(x["id"], x["decision"]) for x in answers(done)],
             [(4, "allow")], "blank lines; no newline at the end")
    tap.same(run(root, b"", "--jsonl").stdout, b"", "nothing in, nothing out")


def test_bytes(root):
    done = run(root, '{"command": "ls\\u0000x"}\n{"command_hex": "6c7320ff"}\n'
               '{"command": "echo \\u001b[2J\\u202e"}\n'
               '{"command": "if"}\n{"command": ""}\n', "--jsonl")
    out = answers(done)
    tap.same([x["decision"] for x in out[:3]], ["block", "allow", "warn"],
             "NUL, bytes that are no text, controls")
    tap.same(out[1]["line_hex"], "6c7320ff", "bytes come back")
    tap.ok(out[3]["decision"] != "allow", "what cannot be read is not allowed")
    tap.ok(all(32 <= b < 127 or b == 10 for b in done.stdout),
           "the answers are plain ASCII")


def test_place(root):
    here, away = os.path.join(root, "p"), os.path.join(root, "q")
    os.mkdir(here)
    os.mkdir(away)
    line = '{"command": "cat ../q/f"}\n{"command": "cat f"}\n'
    want = ["block", "allow"]
    for cwd in here, away:
        out = answers(run(root, line, "--jsonl", "--profile", "dev",
                          "--cwd", here, cwd=cwd))
        tap.same([x["decision"] for x in out], want,
                 "--cwd, whatever the caller's directory")
    out = answers(run(root, "".join(json.dumps(
        {"command": "cat %s/f" % d, "cwd": c}) + "\n"
        for d in (here, away) for c in (here, away)), "--jsonl",
        "--profile", "dev"))
    tap.same([x["decision"] for x in out],
             ["allow", "block", "block", "allow"], "cwd of a line")
    out = answers(run(root, '{"command": "cat /no/such/f", '
                      '"cwd": "/no/such"}\n', "--jsonl", "--profile", "dev"))
    tap.same(out[0]["decision"], "allow", "a directory that is not there")
    out = answers(run(root, '{"command": "make", "profile": "safe"}\n'
                      '{"command": "make"}\n', "--jsonl"))
    tap.same([x["profile"] for x in out], ["safe", "admin"],
             "profile of a line, and of that alone")
    tap.same([run(root, "", *a, "ls").returncode for a in (
        ["--origin", "moon"], ["--user", "no-such-user"],
        ["--cwd", "no/such"], ["--profile", "none"])], [100, 100, 111, 100],
        "what is not there is said")
    tap.same(run(root, "", "--jsonl", "ls").returncode, 100,
             "a line and --jsonl: 100")


def test_odd(root):
    """Whatever a line is, it has an answer that lets nothing through, and
    the next one is judged as if it had not been."""
    odd = [b'{"id": 0, "command": "ls"} x', b'["ls"]', b'"ls"', b"{",
           b'{"id": 0, "command": "ls", "command": "id"}',
           b'{"id": 0, "command": ["ls"]}', b'{"id": 0, "command": null}',
           b'{"id": 0, "command": "ls \\ud800"}', b"\xef\xbb\xbf{}",
           b'{"id": 0, "command": "ls", "cwd": 5}',
           b'{"id": 0, "command": "ls\\u0000x"}',
           b'{"id": 0, "command": "' + b"(" * 20000 + b'"}']
    last = b'{"id": "last", "command": "ls"}'  # and no newline
    done = run(root, b"\n".join(odd + [last]), "--jsonl")
    out = [json.loads(x) for x in done.stdout.splitlines()]
    tap.same([x["decision"] for x in out], ["block"] * len(odd) + ["allow"],
             "odd lines")
    long = b'{"command": "echo ' + b"x" * 1000000 + b'"}\n'
    done = run(root, long + last, "--jsonl")
    tap.same([json.loads(x)["decision"] for x in done.stdout.splitlines()][1:],
             ["allow"], "a line behind a long one")


def test_user(root):
    """As nobody: what the caller's environment says has no say."""
    out = [json.loads(run(root, "", "--json", "--user", "nobody", "--cwd",
                          "/", "cat ~/x $EVIL", home=h).stdout)
           for h in (root, "/root")]
    tap.same(out[0], out[1], "--user, whatever the caller's HOME")
    tap.ok("nonexistent" in out[0]["command"], "the home is that user's", out)


def test_talk(root):
    """Who waits for each answer gets it."""
    env = dict(os.environ, AEGSH_TEST_ROOT=root,
               AEGSH_TEST_DATA=os.path.join(TOP, "share"))
    p = subprocess.Popen([CTL, "test", "--jsonl"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, env=env)
    got = []
    for i in range(3):
        p.stdin.write(b'{"id": %d, "command": "ls"}\n' % i)
        p.stdin.flush()
        got.append(json.loads(p.stdout.readline())["id"])
    tap.same(got, [0, 1, 2], "line by line")
    p.stdin.close()
    tap.same(p.wait(), 0, "and the end")


def test_harmless(root):
    mark = os.path.join(root, "ran")
    run(root, json.dumps({"command": "touch %s; $(touch %s)" % (mark, mark)})
        + "\n", "--jsonl")
    tap.ok(not os.path.exists(mark), "nothing is run")
    again = [run(root, "".join('{"command": "%s"}\n' % c for c in (
        "frob", "rm -r x", "cat /etc/shadow", "make; x=1 y")), "--jsonl")
        .stdout for _ in range(2)]
    tap.same(again[0], again[1], "twice the same")


def test_speed(root):
    lines = "".join(json.dumps({"id": i, "command": "grep -rn x%d src | "
                                "sort | head -5" % i}) + "\n"
                    for i in range(20000))
    start = time.monotonic()
    done = run(root, lines, "--jsonl")
    spent = time.monotonic() - start
    tap.same(len(done.stdout.splitlines()), 20000, "20000 lines")
    print("# %.0f lines a second" % (20000 / spent))


with tempfile.TemporaryDirectory(prefix="aegsh-test-") as where:
    os.chmod(where, 0o755)
    for test in (test_lines, test_bad, test_bytes, test_odd, test_place, test_user,
                 test_talk, test_harmless, test_speed):
        test(where)
tap.done()
