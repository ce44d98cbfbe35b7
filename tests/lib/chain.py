# SPDX-License-Identifier: ISC
"""The chain of the record, read from aegsh-audit(5) and not from the program:
a second opinion for tests, and what gives generated stores their links."""

import hashlib
import struct

SESSION = ("uuid writer boot_id start_wall_ns start_mono_ns pid uid loginuid"
           " user tty remote remote_port origin host version profile"
           " policy_hash").split()
SESSION_END = "end_wall_ns end_mono_ns".split()
LINE = ("session uuid writer wall_ns mono_ns line sha256 redacted cwd origin"
        " interpreter argv decision source rule reason votes model confidence"
        " latency_ns tokens_in tokens_out cost judge_ns answer answered_by"
        " ran").split()
OUTCOME = ("status signal duration_ns cpu_ns maxrss_kib start_ns"
           " note").split()
EVENT = "session writer wall_ns mono_ns kind text".split()
TOMBSTONE = "wall_ns seq link root removed".split()
EXEC = "command writer wall_ns mono_ns pid ppid path argv decision".split()
FILE = ("command writer wall_ns mono_ns path change old_sha256"
        " new_sha256").split()
OUTPUT = "command writer stream head tail bytes cut".split()

KINDS = {
    1: ("sessions", SESSION), 2: ("sessions", SESSION_END),
    3: ("commands", LINE), 4: ("commands", OUTCOME),
    5: ("commands", LINE + OUTCOME), 6: ("events", EVENT),
    7: ("tombstones", TOMBSTONE), 8: ("sessions", SESSION),
    9: ("commands", LINE), 10: ("execs", EXEC), 11: ("files", FILE),
    12: ("outputs", OUTPUT),
}


def column(value):
    if value is None:
        return b"N"
    if isinstance(value, int):
        return b"I" + struct.pack(">q", value)
    if isinstance(value, str):
        value, tag = value.encode(), b"T"
    else:
        tag = b"B"
    return tag + struct.pack(">q", len(value)) + value


def link(before, kind, row, values):
    """Of a row whose columns, in the order of KINDS, are these."""
    return hashlib.sha256(b"\2" + before + bytes([kind]) +
                          struct.pack(">q", row) +
                          b"".join(map(column, values))).digest()


def origin(store, sessions, commands, events):
    return hashlib.sha256(b"\3" + store + struct.pack(
        ">qqq", sessions, commands, events)).digest()


def root(links):
    """Of RFC 6962's tree, by its definition."""
    if not links:
        return hashlib.sha256(b"").digest()
    if len(links) == 1:
        return hashlib.sha256(b"\0" + links[0]).digest()
    k = 1
    while 2 * k < len(links):
        k *= 2
    return hashlib.sha256(b"\1" + root(links[:k]) + root(links[k:])).digest()


def beginning(db):
    """Of the chain of a store: (seq, link) before the first."""
    stone = db.execute("SELECT seq, link FROM tombstones ORDER BY id DESC"
                       " LIMIT 1").fetchone()
    return stone or (0, origin(*db.execute(
        "SELECT store, sessions, commands, events FROM origin").fetchone()))


def look(db):
    """(how many links, the last one, the first thing that is wrong)."""
    seq, before = first = beginning(db)
    n, leaves = 0, []
    heads = dict((s, (hash_, top)) for s, hash_, top in db.execute(
        "SELECT seq, link, root FROM heads WHERE seq > ?", (seq,)))
    for at, kind, row, stands in db.execute(
            "SELECT seq, kind, row, link FROM chain ORDER BY seq").fetchall():
        seq += 1
        if at != seq:
            return n, before, "link %d is gone" % seq
        table, names = KINDS[kind]
        values = db.execute("SELECT %s FROM %s WHERE id = ?" % (
            ", ".join(names), table), (row,)).fetchone()
        if values is None:
            return n, before, "%s %d is gone" % (table, row)
        before = link(before, kind, row, values)
        if before != stands:
            return n, before, "%s %d is not what it was" % (table, row)
        n += 1
        leaves.append(before)
        if at in heads:
            got, top = heads.pop(at)
            # The first behind a tombstone may be of links that are gone.
            if got != before or (first[0] == 0 and top != root(leaves)):
                return n, before, "head at %d" % at
            leaves, first = [], (0, b"")
    return n, before, "heads beyond the end" if heads else None
