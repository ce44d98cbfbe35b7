# SPDX-License-Identifier: ISC
"""gen_store.py DATABASE N: adds N ordinary commands, and their sessions, to a
store that aegsh has made, in the sizes that real rows have, with the links
that they have."""

import hashlib
import json
import os
import random
import sqlite3
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "lib"))
import chain  # noqa: E402

BATCH = 50000
A_SESSION = 40      # lines
WORDS = ("status", "main", "src/server.c", "README.md", "/var/log/syslog",
         "build", "--verbose", "-la", "origin", "config.yaml", "tests",
         "release", "/etc/hosts", "HEAD~1", "report-2026.csv", "-n 20",
         "web-1.example.net", "docs/index.html", "error", "feature-x")
PROGRAMS = ("ls", "cd", "git status", "git log --oneline", "grep -rn", "vi",
            "make -j2", "cat", "less", "ssh", "systemctl status", "tail -f",
            "docker ps", "git diff", "python3", "find . -name", "rsync -a",
            "kubectl get pods", "df -h", "journalctl -u")
DIRS = ("/home/kim", "/home/kim/src/server", "/srv/www", "/etc", "/var/log",
        "/home/kim/src/tools/deploy")


def line(rng):
    words = [PROGRAMS[min(int(rng.expovariate(0.25)), len(PROGRAMS) - 1)]]
    for _ in range(min(int(rng.expovariate(0.6)), 6)):
        words.append(rng.choice(WORDS))
    if rng.random() < 0.15:
        words.append("%x" % rng.getrandbits(28))
    return " ".join(words)


def row(rng, number, session, wall):
    text = line(rng).encode()
    blocked = rng.random() < 0.01
    failed = rng.random() < 0.08
    return (number, session, rng.randbytes(16), "stand-alone", wall,
            wall - 10 ** 18, text, hashlib.sha256(text).digest(),
            rng.choice(DIRS).encode(), "prompt",
            "block" if blocked else "allow", "policy",
            "floor.wipe" if blocked else "admin.read",
            "it only reads", 0 if blocked else 1,
            None if blocked else 1 if failed else 0,
            None if blocked else 0,
            None if blocked else int(rng.expovariate(1e-8)),
            None if blocked else 2000000, None if blocked else 3400, 0)


SESSION = ("id uuid writer boot_id start_wall_ns start_mono_ns pid uid user"
           " tty origin host version profile policy_hash").split()
LINE = ("id session uuid writer wall_ns mono_ns line sha256 cwd origin"
        " decision source rule reason ran status signal duration_ns cpu_ns"
        " maxrss_kib redacted").split()


class Chain:
    """Gives rows their links, in the order in which they come."""

    def __init__(self, db):
        last = db.execute("SELECT seq, link FROM chain ORDER BY seq DESC"
                          " LIMIT 1").fetchone()
        self.seq, self.last = last or chain.beginning(db)
        self.rows = []

    def add(self, kind, names, row):
        given = dict(zip(names, row))
        self.last = chain.link(self.last, kind, row[0], [
            given.get(name) for name in chain.KINDS[kind][1]])
        self.seq += 1
        self.rows.append((self.seq, kind, row[0], self.last))


def fill(path, n, wall=1700000000 * 10 ** 9, user="kim", a_session=A_SESSION):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    first = db.execute("SELECT coalesce(max(id), 0) + 1 FROM commands"
                       ).fetchone()[0]
    session = db.execute("SELECT coalesce(max(id), 0) FROM sessions"
                         ).fetchone()[0]
    rng = random.Random(first)
    links = Chain(db)
    for start in range(first, first + n, BATCH):
        rows, sessions, links.rows = [], [], []
        for number in range(start, min(start + BATCH, first + n)):
            wall += int(rng.expovariate(1e-10))
            if (number - first) % a_session == 0:
                session += 1
                sessions.append((session, rng.randbytes(16), "stand-alone",
                                 "0b0c8a7e-3f5d-4d6e-9a1b-0123456789ab", wall,
                                 wall - 10 ** 18, 4711, 1000, user, "pts/3",
                                 "prompt", "box", "0.1.0", "admin",
                                 "f" * 64))
                links.add(1, SESSION, sessions[-1])
            rows.append(row(rng, number, session, wall))
            links.add(3, LINE, rows[-1])
            if rows[-1][LINE.index("ran")]:
                links.add(4, LINE, rows[-1])
        db.execute("BEGIN")
        db.executemany(
            "INSERT INTO sessions (%s) VALUES (%s)" % (
                ", ".join(SESSION), ",".join("?" * len(SESSION))), sessions)
        db.executemany(
            "INSERT INTO commands (%s) VALUES (%s)" % (
                ", ".join(LINE), ",".join("?" * len(LINE))), rows)
        db.executemany("INSERT INTO chain (seq, kind, row, link)"
                       " VALUES (?, ?, ?, ?)", links.rows)
        db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return os.path.getsize(path)


def written(rng, lines):
    """What a program may write: words, numbers, names in hexadecimal."""
    made = []
    for _ in range(lines):
        kind = rng.random()
        if kind < 0.4:
            made.append("Mar %2d %02d:%02d:%02d box %s[%d]: %s" % (
                rng.randrange(1, 32), rng.randrange(24), rng.randrange(60),
                rng.randrange(60), rng.choice(("sshd", "cron", "kernel")),
                rng.randrange(9999), line(rng)))
        elif kind < 0.7:
            made.append("%s:%d: %s %s" % (rng.choice(WORDS), rng.randrange(
                2000), line(rng), line(rng)))
        elif kind < 0.85:
            made.append("-rw-r--r-- 1 kim kim %8d %s/%s" % (
                rng.randrange(10 ** 7), rng.choice(DIRS), rng.choice(WORDS)))
        else:
            made.append("%s  %s" % (rng.randbytes(20).hex(),
                                    rng.choice(WORDS)))
    return "\n".join(made) + "\n"


def fill_outputs(path, lines, rng=None):
    """Gives each command so many lines of output, on average, with the
    session's recording; returns how many bytes they are.  Without links."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    rng = rng or random.Random(2)
    place = os.path.join(os.path.dirname(path), "output")
    os.makedirs(place, 0o700, exist_ok=True)
    total = 0
    last, at, file = None, 0, None
    db.execute("BEGIN")
    for command, session, uuid in db.execute(
            "SELECT c.id, c.session, s.uuid FROM commands AS c JOIN sessions"
            " AS s ON s.id = c.session ORDER BY c.session, c.id").fetchall():
        if session != last:
            if file:
                file.close()
            name = "-".join((uuid.hex()[:8], uuid.hex()[8:12],
                             uuid.hex()[12:16], uuid.hex()[16:20],
                             uuid.hex()[20:]))
            file = open(os.open(os.path.join(place, name + ".cast"),
                                os.O_WRONLY | os.O_CREAT, 0o600), "w")
            last, at = session, file.write(
                '{"version": 2, "width": 80, "height": 24}\n')
        text = written(rng, int(rng.expovariate(1 / lines)) + 1)
        total += len(text)
        part = "".join('[%d.5, "o", %s]\n' % (i, json.dumps(
            text[i:i + 4000])) for i in range(0, len(text), 4000))
        file.write(part)
        raw = text.encode()
        db.execute(
            "INSERT INTO outputs (command, writer, stream, head, tail, bytes,"
            " cut, kept, file_offset, file_length, file_sha256) VALUES"
            " (?, 'stand-alone', 1, ?, ?, ?, ?, ?, ?, ?, ?)",
            (command, raw[:4096], raw[4096:][-4096:] or None, len(raw),
             len(raw) > 8192, len(raw), at, len(part),
             hashlib.sha256(part.encode()).digest()))
        at += len(part)
    file.close()
    db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return total


def reboot(path):
    """The machine was started since, and had run for 13 hours by an hour
    ago."""
    db = sqlite3.connect(path, isolation_level=None)
    last = db.execute("SELECT coalesce(max(id), 0) FROM sessions"
                      ).fetchone()[0]
    links = Chain(db)
    row = (last + 1, os.urandom(16), "stand-alone",
           "11111111-3f5d-4d6e-9a1b-0123456789ab",
           time.time_ns() - 3600 * 10 ** 9, 13 * 3600 * 10 ** 9, 4712, 1000,
           "kim", "pts/3", "prompt", "box", "0.1.0", "admin", "f" * 64)
    links.add(1, SESSION, row)
    db.execute("INSERT INTO sessions (%s) VALUES (%s)" % (
        ", ".join(SESSION), ",".join("?" * len(SESSION))), row)
    db.executemany("INSERT INTO chain (seq, kind, row, link)"
                   " VALUES (?, ?, ?, ?)", links.rows)
    db.close()


if __name__ == "__main__":
    print("%d bytes" % fill(sys.argv[1], int(sys.argv[2])))
