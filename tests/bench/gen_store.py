# SPDX-License-Identifier: ISC
"""gen_store.py DATABASE N: adds N ordinary commands, and their sessions, to a
store that aegsh has made, in the sizes that real rows have.

The links of the chain are random bytes of the right length: this is for
measuring, and `audit verify' would say so."""

import hashlib
import os
import random
import sqlite3
import sys

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
            None if blocked else 2000000, None if blocked else 3400)


def columns(db, table):
    return [r[1] for r in db.execute("PRAGMA table_info(%s)" % table)]


def fill(path, n):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    rng = random.Random(1)
    first = db.execute("SELECT coalesce(max(id), 0) + 1 FROM commands"
                       ).fetchone()[0]
    session = db.execute("SELECT coalesce(max(id), 0) FROM sessions"
                         ).fetchone()[0]
    chained = "link" in columns(db, "chain")
    seq = db.execute("SELECT coalesce(max(seq), 0) FROM chain"
                     ).fetchone()[0] if chained else 0
    wall = 1700000000 * 10 ** 9
    for start in range(first, first + n, BATCH):
        rows, sessions, links = [], [], []
        for number in range(start, min(start + BATCH, first + n)):
            wall += int(rng.expovariate(1e-10))
            if (number - first) % A_SESSION == 0:
                session += 1
                sessions.append((session, rng.randbytes(16), "stand-alone",
                                 "0b0c8a7e-3f5d-4d6e-9a1b-0123456789ab", wall,
                                 wall - 10 ** 18, 4711, 1000, "kim", "pts/3",
                                 "prompt", "box", "0.1.0", "admin",
                                 "f" * 64))
            rows.append(row(rng, number, session, wall))
            for kind in (3, 4):     # the intent, the outcome
                seq += 1
                links.append((seq, kind, number, rng.randbytes(32)))
        db.execute("BEGIN")
        db.executemany(
            "INSERT INTO sessions (id, uuid, writer, boot_id, start_wall_ns,"
            " start_mono_ns, pid, uid, user, tty, origin, host, version,"
            " profile, policy_hash) VALUES (" + ",".join("?" * 15) + ")",
            sessions)
        db.executemany(
            "INSERT INTO commands (id, session, uuid, writer, wall_ns,"
            " mono_ns, line, sha256, cwd, origin, decision, source, rule,"
            " reason, ran, status, signal, duration_ns, cpu_ns, maxrss_kib)"
            " VALUES (" + ",".join("?" * 20) + ")", rows)
        if chained:
            db.executemany("INSERT INTO chain (seq, kind, row, link)"
                           " VALUES (?, ?, ?, ?)", links)
        db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return os.path.getsize(path)


if __name__ == "__main__":
    print("%d bytes" % fill(sys.argv[1], int(sys.argv[2])))
