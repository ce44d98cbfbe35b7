# SPDX-License-Identifier: ISC
"""gen_store.py DATABASE N: adds N ordinary commands, and their sessions, to a
store that aegsh has made, in the sizes that real rows have, with the links
that they have."""

import hashlib
import os
import random
import sqlite3
import sys

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


def fill(path, n, wall=1700000000 * 10 ** 9, user="kim"):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    rng = random.Random(1)
    first = db.execute("SELECT coalesce(max(id), 0) + 1 FROM commands"
                       ).fetchone()[0]
    session = db.execute("SELECT coalesce(max(id), 0) FROM sessions"
                         ).fetchone()[0]
    links = Chain(db)
    for start in range(first, first + n, BATCH):
        rows, sessions, links.rows = [], [], []
        for number in range(start, min(start + BATCH, first + n)):
            wall += int(rng.expovariate(1e-10))
            if (number - first) % A_SESSION == 0:
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


if __name__ == "__main__":
    print("%d bytes" % fill(sys.argv[1], int(sys.argv[2])))
