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
OUTPUT = ("command writer stream head tail bytes cut kept redacted"
          " file_offset file_length file_sha256").split()

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


# ---- signatures: RFC 8032, section 6, for verifying alone ------------------
P = 2 ** 255 - 19
Q = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)


def _add(a, b):
    k = (a[1] - a[0]) * (b[1] - b[0]) % P
    m = (a[1] + a[0]) * (b[1] + b[0]) % P
    c = 2 * a[3] * b[3] * D % P
    d = 2 * a[2] * b[2] % P
    e, f, g, h = m - k, d - c, d + c, m + k
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(n, point):
    out = (0, 1, 1, 0)
    while n:
        if n & 1:
            out = _add(out, point)
        point = _add(point, point)
        n >>= 1
    return out


def _point(text):
    y = int.from_bytes(text, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= P:
        return None
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * ROOT_OF_MINUS_1 % P
    if (x * x - x2) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = _point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signed(key, message, signature):
    """Whether it is the key's signature of these bytes."""
    a, r = _point(key), _point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or a is None or r is None or s >= Q:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key +
                                      message).digest(), "little") % Q
    left, right = _times(s, BASE), _add(r, _times(h, a))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and \
        (left[1] * right[2] - right[1] * left[2]) % P == 0


def head(store, wall_ns, seq, link_, root_):
    """What is signed of a head."""
    return b"aegsh-head\0" + store + struct.pack(">qq", wall_ns, seq) + \
        link_ + root_


def signed_line(line):
    """The words of a line of `audit sign', and whether it is good."""
    words = dict(w.split("=", 1) for w in line.split() if "=" in w)
    raw = {k: bytes.fromhex(words[k])
           for k in ("store", "link", "root", "key", "sig")}
    return words, is_signed(raw["key"], head(
        raw["store"], int(words["wall"]), int(words["seq"]), raw["link"],
        raw["root"]), raw["sig"])


def leads_to(leaf, index, leaves, path):
    """The root that a leaf's path leads to; RFC 9162, 2.1.3.2."""
    at, last = index, leaves - 1
    got = hashlib.sha256(b"\0" + leaf).digest()
    if index >= leaves:
        return None
    for node in path:
        if last == 0:
            return None
        if at & 1 or at == last:
            got = hashlib.sha256(b"\1" + node + got).digest()
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            got = hashlib.sha256(b"\1" + got + node).digest()
        at, last = at >> 1, last >> 1
    return got if last == 0 else None


def columns(raw):
    """What the bytes of a row say."""
    out = []
    while raw:
        tag, raw = raw[:1], raw[1:]
        if tag == b"N":
            out.append(None)
            continue
        n, raw = struct.unpack(">q", raw[:8])[0], raw[8:]
        if tag == b"I":
            out.append(n)
        else:
            out.append(raw[:n].decode() if tag == b"T" else raw[:n])
            raw = raw[n:]
    return out


def prove(proof, key=None):
    """What `audit verify --row --json' printed, checked without the store:
    the row's columns by name, or the first thing that is wrong.  key: the
    heads must have a signature by it."""
    said, store = {}, bytes.fromhex(proof["store"])
    for one in proof["links"]:
        raw = {k: bytes.fromhex(one[k]) for k in ("before", "bytes", "link")}
        table, names = KINDS[one["kind"]]
        if table != "commands" or one["row"] != proof["line"]:
            return "link %d is of something else" % one["seq"]
        if hashlib.sha256(b"\2" + raw["before"] + bytes([one["kind"]]) +
                          struct.pack(">q", one["row"]) +
                          raw["bytes"]).digest() != raw["link"]:
            return "link %d is not of its row" % one["seq"]
        top = one.get("head")
        if top is None:
            return "link %d has no head" % one["seq"]
        if leads_to(raw["link"], one["index"], one["leaves"],
                    [bytes.fromhex(n) for n in one["path"]]) != \
                bytes.fromhex(top["root"]):
            return "link %d does not lead to its head" % one["seq"]
        if key is not None and not (
                top.get("key") == key.hex() and is_signed(key, head(
                    store, top["wall_ns"], top["seq"],
                    bytes.fromhex(top["link"]), bytes.fromhex(top["root"])),
                    bytes.fromhex(top["signature"]))):
            return "the head at %d is not signed" % top["seq"]
        said.update(zip(names, columns(raw["bytes"])))
    return said
