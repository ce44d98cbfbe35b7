# SPDX-License-Identifier: ISC
"""aegshctl audit ship: the record goes where the setting says, each link at
least once, whatever the other side does; and what did not get there shows."""

import glob
import json
import os
import pwd
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys

TOP = os.environ["abs_top_srcdir"]
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from procs import DEADLINE, children, command_line, until  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from ship_rig import (Collector, Datagrams, Stream, message,  # noqa: E402
                      values)
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
CTL, FILL = program("aegshctl"), program("store_fill")
CONF = os.path.join(root, "etc", "aegsh.conf")
helper = os.path.join(root, "libexec", "aegsh-ship")
with open(helper, "w") as f:
    f.write("#!/bin/sh\nAEGSH_TEST_ROOT='%s' exec '%s'\n" %
            (root, program("aegsh-ship")))
os.chmod(helper, 0o755)


def ctl(*args, text=b"", user=None):
    more = {} if user is None else {"user": user.pw_uid,
                                    "group": user.pw_gid, "extra_groups": []}
    return subprocess.run([CTL, *args], env=env, input=text, timeout=DEADLINE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **more)


def fill(*lines, user=None):
    more = {} if user is None else {"user": user.pw_uid,
                                    "group": user.pw_gid, "extra_groups": []}
    subprocess.run([FILL], env=env, check=True, timeout=DEADLINE, input="".join(
        line + "\n" for line in lines).encode(), **more)


def settings(**words):
    with open(CONF, "w") as f:
        for name, value in words.items():
            f.write('%s = "%s"\n' % (name.replace("_", "-"), value))


def ship(*args, **words):
    if words:
        settings(**words)
    return ctl("audit", "ship", *args)


def said(done, status, words, name):
    tap.ok(done.returncode == status and words in done.stderr, name, done)


def mark(sink):
    with open(os.path.join(root, "state", "ship", "%d.json" %
                           os.getuid())) as f:
        return json.load(f).get(sink, {})


def last():
    db, = glob.glob(os.path.join(root, "own", "*", "audit.db"))
    with sqlite3.connect("file:%s?mode=ro" % db, uri=True) as c:
        return c.execute("SELECT max(seq) FROM chain").fetchone()[0]


# ---- settings --------------------------------------------------------------
said(ship(), 100, b"the setting ship names no place", "nothing is set")
for text, why in (("gopher://x", b"not one of unix:"),
                  ("tcp://h:0", b"that is no port"),
                  ("tcp://h:65536", b"that is no port"),
                  ("tcp://[::1", b"a bracket is not closed"),
                  ("udp://", b"no name or address"),
                  ("udp://a/b", b"it has a path"),
                  ("unix:dev/log", b"must be absolute"),
                  ("file:", b"must be absolute"),
                  ("journal:x", b"nothing stands behind it"),
                  ("file:/a file:/a", b"it is named twice"),
                  (" ".join("file:/%d" % i for i in range(9)),
                   b"more than 8 sinks")):
    done = ship(ship=text)
    said(done, 111, why, "ship = " + text)
    tap.ok(b"aegsh.conf:1: ship: " in done.stderr, "and where it stands",
           done.stderr)

# ---- it is told -----------------------------------------------------------
settings(ship="unix:/nowhere")
other, where = place()
shutil.copy(CONF, os.path.join(other, "etc"))
s = Session([program("aegsh")], env=where)
s.expect(rb"[$#] $")
told = s.seen
s.line("exit")
s.wait()
tap.ok(b", and sent to other places" in b" ".join(told.split()),
       "a first session tells that the record goes elsewhere", told)

with open(os.path.join(other, "etc", "aegsh.conf"), "w") as f:
    f.write('output = full\nship = "file:%s/own/out"\n' % other)
shutil.copy(helper, os.path.join(other, "libexec"))
subprocess.run([program("aegsh"), "-c", "echo written; seq 1 9000"], env=where,
               stdout=subprocess.PIPE, timeout=DEADLINE)
done = subprocess.run([CTL, "audit", "ship"], env=where, timeout=DEADLINE,
                      stderr=subprocess.PIPE)
with open(os.path.join(other, "own", "out"), encoding="ascii") as f:
    docs = [json.loads(line) for line in f]
out = [d for d in docs if d["what"] == "output"]
tap.same([(d["record"]["head"][:10], d["record"]["tail"][-10:], d["time"] >
           "2020") for d in out], [("written\n1\n", "8999\n9000\n", True)],
         "what a line wrote is sent, with a time")

# ---- a file ----------------------------------------------------------------
out = os.path.join(root, "own", "log.jsonl")
FILE = "file:" + out
said(ship(ship=FILE), 0, b"", "before anything is recorded")
fill("ok echo one", "exit 3 false", "refused wipe it",
     r"ok tricky \n\e[2J ]\" \\ \xff end")
tap.same((ship().returncode, oct(os.stat(out).st_mode & 0o777)), (0, "0o600"),
         "a file, which nobody else can read")


def lines():
    with open(out, encoding="ascii") as f:
        return [json.loads(line) for line in f]


docs = lines()
tap.same([d["what"] for d in docs],
         ["session", "line", "outcome", "line", "outcome", "line", "line",
          "outcome", "session-end", "head"],
         "each link, in the order of the chain")
links = [d for d in docs if d["what"] != "head"]
tap.same([d["seq"] for d in links], list(range(1, last() + 1)),
         "and none is left out")
one = [d for d in links if d["what"] == "line"][0]
tap.same((one["record"]["line"], one["uid"], one["record"]["cwd"],
          one["record"]["decision"], len(one["record"]["uuid"])),
         ("echo one", os.getuid(), "/srv", "allow", 36), "what a line says")
tap.ok(any(d["what"] == "outcome" and d["record"]["status"] == 3 and
           len(d["record"]["uuid"]) == 36 for d in links),
       "an outcome says of which line it is")
before = len(docs)
tap.same((ship().returncode, len(lines())), (0, before), "nothing twice")
fill("ok echo later")
ship()
tap.ok([d["record"]["line"] for d in lines()[before:] if d["what"] == "line"]
       == ["echo later"], "what comes later, and that alone",
       lines()[before:])
done = ctl("audit", "verify", "--json", "--witness", out)
tap.same((done.returncode, json.loads(done.stdout.splitlines()[-1])
          ["witnessed"]), (0, 2), "its heads are witnesses")
with open(out, "a", encoding="ascii") as f:
    f.write('{"time":"2026')
fill("ok echo behind it")
said(ship(), 0, b"", "a line that whoever wrote it did not end")
with open(out, encoding="ascii") as f:
    rest = f.read().split('{"time":"2026\n')[-1].splitlines()
rest = [json.loads(one) for one in rest]
tap.same((rest[0]["seq"], [d["record"]["line"] for d in rest
                           if d["what"] == "line"]),
         (last() - len(rest) + 2, ["echo behind it"]), "has nothing behind it")
with open(out, encoding="ascii") as f:
    whole = f.read().replace('{"time":"2026\n', "")
with open(out, "w", encoding="ascii") as f:
    f.write(whole)
os.chmod(out, 0o666)
fill("ok echo more")
said(ship(), 1, b"nobody else can write to", "a file that others could forge")
os.chmod(out, 0o600)
os.rename(out, out + ".1")
said(ship(), 0, b"", "a file that was rotated")
tap.ok(len(lines()) > 1 and os.path.exists(out), "is begun anew")
os.unlink(out)
os.symlink(out + ".1", out)
fill("ok echo link")
said(ship(), 1, b"log.jsonl", "a symbolic link is not followed")
os.unlink(out)
ship()

# ---- datagrams -------------------------------------------------------------
log = Datagrams(os.path.join(root, "own", "log"))
sink = "unix:" + log.path
done = ship(ship=sink)
got = log.close()
parsed = [message(m) for m in got]
tap.ok(done.returncode == 0 and None not in parsed and len(got) > 12,
       "syslog: RFC 5424, without a byte that moves a cursor", done,
       [g for g, p in zip(got, parsed) if p is None])
tricky = [p for p in parsed if p and "tricky" in p[3]]
tap.ok(len(tricky) == 1 and tricky[0][3] ==
       'tricky ^J^[[2J ]" \\ \ufffd end', "a hostile line is shown inert",
       tricky)
line = [p for p in parsed if p and p[3] == "echo one"][0]
tap.same((line[0], line[1], line[2]["decision"], line[2]["uid"]),
         (85, "line", "allow", str(os.getuid())),
         "authpriv.notice, and the fields as structured data")
tap.same([p[0] for p in parsed if p and p[3] == "wipe it"], [84],
         "a refused line warns")
tap.same(parsed[-1][1], "head", "the last word is how far the chain is")
fill("ok echo while nobody listens")
said(ship(), 1, b"own/log", "nobody listens")
log = Datagrams(log.path)
said(ship(), 0, b"", "somebody does")
tap.same([m[3] for m in map(message, log.close()) if m and m[1] == "line"],
         ["echo while nobody listens"], "nothing was lost, or sent twice")
udp = Datagrams()
done = ship(ship="udp://127.0.0.1:%d" % udp.port)
got = udp.close()
tap.ok(done.returncode == 0 and len(got) > 12 and None not in
       map(message, got), "UDP", done)
os.makedirs(os.path.join(root, "system", "run", "systemd", "journal"))
journal = Datagrams(os.path.join(root, "system", "run", "systemd", "journal",
                                 "socket"))
done = ship(ship="journal:")


def fields(data):
    out = {}
    while data:
        name, _, rest = data.partition(b"\n")
        size = int.from_bytes(rest[:8], "little")
        out[name.decode("ascii")] = rest[8:8 + size]
        assert rest[8 + size:9 + size] == b"\n"
        data = rest[9 + size:]
    return out


got = [fields(d) for d in journal.close()]
one = [g for g in got if g["MESSAGE"] == b"echo one"]
tap.ok(done.returncode == 0 and len(one) == 1 and
       one[0]["AEGSH_DECISION"] == b"allow" and
       one[0]["SYSLOG_IDENTIFIER"] == b"aegsh" and
       one[0]["AEGSH_OF_UID"] == b"%d" % os.getuid(),
       "the journal's own fields", done, one)
tap.ok(any(b"\n" in g.get("AEGSH_LINE", b"") for g in got),
       "which keep the bytes of a line as they are")


# ---- connections -----------------------------------------------------------
def stream_to(server, scheme="tcp", **more):
    return ship(ship="%s://127.0.0.1:%d" % (scheme, server.port), **more)


good = Stream()
done = stream_to(good)
tap.ok(done.returncode == 0 and None not in good.messages() and
       any(m[3] == "echo one" for m in good.messages()),
       "TCP with counted octets", done, good.got)
SINK = "tcp://127.0.0.1:%d" % good.port
count = mark(SINK)["sent"]
fill("ok echo held")
good.how = "hold"
said(stream_to(good, ship_timeout=4000), 1, b"does not close",
     "one that does not say that it read all")
tap.ok(mark(SINK)["sent"] == count and mark(SINK)["since_ns"] > 0,
       "has nothing yet", mark(SINK))
status = json.loads(ctl("status", "--json").stdout)["record"]["sent_to"][0]
tap.ok(status["behind"] >= 2 and "does not close" in status["problem"] and
       status["sink"] == SINK, "status tells how far behind it is, and why",
       status)
good.free.set()
good.how = "reset"
said(stream_to(good, ship_timeout=60000), 1, SINK.encode(),
     "one that cuts the connection")
good.how, good.got = "good", []
said(stream_to(good), 0, b"", "and when it is well again")
tap.same([m[3] for m in good.messages() if m[1] == "line"], ["echo held"],
         "it gets what it did not have")
status = json.loads(ctl("status", "--json").stdout)["record"]["sent_to"][0]
tap.ok(status["behind"] == 0 and "problem" not in status,
       "and status says so", status)
good.close()
fill(*("ok echo %d %s" % (i, "x" * 3000) for i in range(300)))
full = Stream("full")
said(stream_to(full, ship_timeout=1500), 1, b"127.0.0.1",
     "one that is full and reads nothing")
tap.same(mark("tcp://127.0.0.1:%d" % full.port).get("sent"), 0,
         "has nothing, though its kernel took some")
full.close()
many = Stream()
said(stream_to(many, ship_timeout=60000), 0, b"", "a long record")
tap.ok(len([m for m in many.messages() if m[1] == "line"]) > 300 and
       many.ended > 5 and max(len(f) for f in many.got) < 4 << 20,
       "in batches", many.ended)

# A process in between that is killed.
many.how = "hold"
fill("ok echo killed")
settings(ship="tcp://127.0.0.1:%d" % many.port, ship_timeout=600000)
was = many.ended
taken = len(many.got)
p = subprocess.Popen([CTL, "audit", "ship"], env=env,
                     stderr=subprocess.PIPE)
until(lambda: len(many.got) > taken)
kids = [k for k in children(p.pid) if b"aegsh-ship" in command_line(k)]
tap.ok(len(kids) == 1, "a process of its own talks", kids)
second = ctl("audit", "ship")
said(second, 100, b"another aegshctl ships", "one at a time")
for kid in kids:
    os.kill(kid, signal.SIGKILL)
told = p.communicate(timeout=DEADLINE)[1]
tap.ok(p.returncode == 1 and b"tcp://127.0.0.1:%d: aegsh-ship: " % many.port in
       told, "where it is killed, nothing is taken as sent, and it is told of "
       "what", p.returncode, told)
many.free.set()
many.how, many.got = "good", []
said(ship(), 0, b"", "the next one")
tap.same([m[3] for m in many.messages() if m[1] == "line"], ["echo killed"],
         "sends it again")
many.close()


# ---- TLS -------------------------------------------------------------------
def openssl(*args):
    subprocess.run(["openssl", *args], check=True, cwd=root,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


TLS = ["the authority that is named", "a stranger is refused",
       "another name is refused", "nothing went to either", "over HTTPS",
       "one whose end comes before ours", "has nothing"]


def authority(name):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=Throw-away " + name, "-keyout", name + ".key", "-out",
            name + ".pem")


def certificate(name, san, ca="ca"):
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-subj", "/CN=" + name, "-keyout", name + ".key",
            "-out", name + ".csr")
    with open(os.path.join(root, name + ".ext"), "w") as f:
        f.write("subjectAltName=" + san)
    openssl("x509", "-req", "-in", name + ".csr", "-CA", ca + ".pem",
            "-CAkey", ca + ".key", "-CAcreateserial", "-days", "2",
            "-extfile", name + ".ext", "-out", name + ".pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(root, name + ".pem"),
                            os.path.join(root, name + ".key"))
    return context


if shutil.which("openssl"):
    authority("ca")
    authority("other")
    right = Stream(context=certificate("right", "IP:127.0.0.1"))
    CA = os.path.join(root, "ca.pem")
    done = stream_to(right, "tls", ship_ca_file=CA, ship_timeout=60000)
    tap.ok(done.returncode == 0 and None not in right.messages() and
           any(m[3] == "echo one" for m in right.messages()),
           "TLS: " + TLS[0], done, right.errors)
    tap.ok(right.errors == [], "which sees a connection that ends as it "
           "should", right.errors)
    fill("ok echo not for strangers")
    right.got = []
    said(stream_to(right, "tls", ship_ca_file=os.path.join(root,
         "other.pem"), ship_timeout=60000), 1, b"certificate",
         "TLS: " + TLS[1])
    wrong = Stream(context=certificate("wrong", "DNS:example.org"))
    said(stream_to(wrong, "tls", ship_ca_file=CA, ship_timeout=60000), 1,
         b"127.0.0.1", "TLS: " + TLS[2])
    tap.same(b"".join(right.got + wrong.got), b"", "TLS: " + TLS[3])
    mute = Stream("mute", right.context)
    said(stream_to(mute, "tls", ship_ca_file=CA, ship_timeout=60000), 1,
         b"ends the connection before", "TLS: " + TLS[5])
    tap.same(mark("tls://127.0.0.1:%d" % mute.port)["sent"], 0,
             "TLS: " + TLS[6])
    mute.close()
    right.close()
    wrong.close()
    box = Collector()
    box.server.socket = certificate("https", "IP:127.0.0.1").wrap_socket(
        box.server.socket, server_side=True)
    done = ship(ship="https://127.0.0.1:%d/v1/logs" % box.port,
                ship_ca_file=CA)
    tap.ok(done.returncode == 0 and len(box.records()) > 12,
           "TLS: " + TLS[4], done)
    box.close()
else:
    for name in TLS:
        tap.skip("TLS: " + name, "openssl is not here")

# ---- OTLP ------------------------------------------------------------------
said(ship(ship="http://192.0.2.1/v1/logs"), 1, b"not encrypted",
     "HTTP without TLS stays on this host")
heads = os.path.join(root, "etc", "headers")
with open(heads, "w") as f:
    f.write("Authorization: Bearer t0ps3cret\n")
os.chmod(heads, 0o644)
box = Collector()
URL = "http://127.0.0.1:%d/v1/logs" % box.port
done = ship(ship=URL, ship_headers=heads)
said(done, 111, b"ship-headers: ", "headers that others can read")
tap.ok(b"t0ps3cret" not in done.stderr, "are not shown")
os.chmod(heads, 0o600)
done = ship()
tap.ok(done.returncode == 0 and done.stderr == b"", "OTLP", done)
path, head = box.headers[0]
tap.same((path, head["Content-Type"], head["Authorization"]),
         ("/v1/logs", "application/json", "Bearer t0ps3cret"),
         "its path, its type, the headers that were set")
of = values(box.requests[0]["resourceLogs"][0]["resource"]["attributes"])
tap.same((of["service.name"], of["host.name"]),
         ("aegsh", socket.gethostname()), "whose logs they are")
seqs = [values(r["attributes"])["aegsh.seq"] for r in box.records()]
tap.same(seqs, list(range(1, last() + 1)), "each link once, in order")
one = [r for r in box.records() if r["body"]["stringValue"] == "echo one"][0]
at = values(one["attributes"])
tap.ok(one["severityNumber"] == 9 and one["timeUnixNano"].isdigit() and
       at["aegsh.record.decision"] == "allow" and
       at["user.id"] == os.getuid(), "a LogRecord", one)
box.requests.clear()
fill("ok echo a", "ok echo POISON", "ok echo b")


def too_much(records):
    return 503, {"Retry-After": "7"}, b"later"


def poisoned(records):
    bad = any("POISON" in r["body"]["stringValue"] for r in records)
    return (400, {}, b"no") if bad else (200, {}, b"{}")


def partial(records):
    return 200, {}, json.dumps({"partialSuccess": {
        "rejectedLogRecords": "2", "errorMessage": "too\033[2J old"}}).encode()


box.answer = too_much
seq = mark(URL)["seq"]
said(ship(), 1, b"HTTP status 503", "a collector that has no time")
tap.same((mark(URL)["seq"], box.requests), (seq, []), "has nothing")
box.answer = poisoned
said(ship(), 1, b"HTTP status 400", "one record that it cannot take")
tap.ok(mark(URL)["seq"] == last() and mark(URL)["rejected"] == 1 and
       [r["body"]["stringValue"] for r in box.records()
        if values(r["attributes"])["aegsh.what"] == "line"] ==
       ["echo a", "echo b"], "does not keep the others back", mark(URL))
box.answer = partial
fill("ok echo c")
done = ship()
tap.ok(done.returncode == 1 and b"none of 2 of its records" in done.stderr and
       b"\033" not in done.stderr and mark(URL)["rejected"] == 3,
       "one that takes a request and throws records away", done)
status = json.loads(ctl("status", "--json").stdout)["record"]["sent_to"][0]
tap.ok(status["rejected"] == 3 and "too" in status["note"],
       "status counts them", status)
box.answer = lambda records: (200, {}, b"x" * 200000)
fill("ok echo d")
said(ship(), 1, URL.encode(), "one whose answer has no end")
box.answer = lambda records: (302, {"Location": "http://127.0.0.1:1/"}, b"")
said(ship(), 1, b"HTTP status 302", "one that sends us elsewhere")
box.answer = lambda records: (200, {}, b"[]{no json")
said(ship(), 0, b"", "one that takes all and says nonsense")
box.answer = lambda records: (204, {}, b"")
fill("ok echo e")
said(ship(), 0, b"", "one that takes all and has nothing to say")
box.close()

# ---- gaps ------------------------------------------------------------------
settings(ship=FILE)
ship()
seen = len(lines())
fill(*("ok echo gone %d" % i for i in range(20)))
tap.same(ctl("audit", "prune", "--keep", "3").returncode, 0, "pruned")
said(ship(), 0, b"", "links that were deleted before they were sent")
new = lines()[seen:]
tap.ok(new[0]["what"] == "gap" and new[0]["record"]["missing"] > 20 and
       mark(FILE)["lost"] == new[0]["record"]["missing"],
       "the sink is told how many, and status counts them", new[:2])
tap.ok(any(d["what"] == "deletion" for d in new), "and who deleted them is "
       "sent", [d["what"] for d in new])
fill("ok echo forged")
DB, = glob.glob(os.path.join(root, "own", "*", "audit.db"))
with sqlite3.connect(DB) as c:
    c.execute("UPDATE commands SET line = CAST('echo nice' AS BLOB) WHERE"
              " line = CAST('echo forged' AS BLOB)")
c.close()
seen = len(lines())
ship()
new = lines()[seen:]
tap.ok([d["record"].get("altered") for d in new if d["what"] == "line"] ==
       [True], "a line that was altered is said to be", new)
with sqlite3.connect(DB) as c:
    c.execute("DELETE FROM chain WHERE seq > (SELECT max(seq) FROM chain)"
              " - 3")
c.close()
seen = len(lines())
ship()
new = lines()[seen:]
tap.ok(new and new[0]["what"] == "gap" and "somebody wrote it anew" in
       new[0]["record"]["text"] and mark(FILE)["changed"] == 1,
       "a chain that was cut off", new[:1])
for path in glob.glob(DB + "*"):
    os.unlink(path)
fill("ok echo new store")
seen = len(lines())
ship()
new = lines()[seen:]
tap.ok(new and new[0]["what"] == "gap" and "another" in
       new[0]["record"]["text"] and any(d["what"] == "line" for d in new),
       "another store in its place", new[:1])

# ---- following -------------------------------------------------------------
p = subprocess.Popen([CTL, "audit", "ship", "--follow", "--json"], env=env,
                     stdout=subprocess.DEVNULL)
for word in ("first", "second"):
    fill("ok echo follow " + word)
    tap.ok(until(lambda: any(d["what"] == "line" and d["record"]["line"] ==
           "echo follow " + word for d in lines())), "followed: " + word)
p.terminate()
p.wait(timeout=DEADLINE)

# ---- the operator, for all -------------------------------------------------
OTHERS = ["the operator sends the record of another",
          "whose name is not theirs to say", "and can read how far it is",
          "but not move it", "and may not send it themselves",
          "status shows root what of others did not go as it should",
          "a store that is no store does not keep the others back"]
if os.getuid() != 0:
    said(ctl("audit", "ship", "--all"), 100, b"only root", "for root alone")
    for name in OTHERS:
        tap.skip(name, "takes root")
else:
    USER = pwd.getpwnam("nobody")
    STORE = os.path.join(root, "state", str(USER.pw_uid))
    os.makedirs(STORE, 0o700)
    os.chown(STORE, USER.pw_uid, USER.pw_gid)
    fill("ok echo by nobody", user=USER)
    seen = len(lines())
    said(ctl("audit", "ship", "--all"), 0, b"", OTHERS[0])
    new = [d for d in lines()[seen:] if d.get("user") == "nobody"]
    tap.ok([(d["uid"], d["record"]["line"]) for d in new
            if d["what"] == "line"] == [(USER.pw_uid, "echo by nobody")],
           OTHERS[1], new)
    path = os.path.join(root, "state", "ship", "%d.json" % USER.pw_uid)
    st = os.stat(path)
    tap.same((st.st_uid, oct(st.st_mode & 0o777)), (0, "0o644"), OTHERS[2])
    env["AEGSH_TEST_OPERATOR"] = "0"
    done = ctl("status", "--json", user=USER)
    tap.ok(FILE in done.stdout.decode() and
           not os.access(path, os.W_OK, effective_ids=False) or
           json.loads(done.stdout)["record"]["sent_to"][0]["behind"] == 0,
           OTHERS[3], done)
    said(ctl("audit", "ship", user=USER), 100, b"the operator has this",
         OTHERS[4])
    with open(path) as f:
        marks = json.load(f)
    marks[FILE]["lost"] = 7
    with open(path, "w") as f:
        json.dump(marks, f)
    status = json.loads(ctl("status", "--json").stdout)["record"]
    tap.same([(g["user"], g["sink"], g["lost"])
              for g in status["gaps_of_others"]], [("nobody", FILE, 7)],
             OTHERS[5])
    for name in glob.glob(os.path.join(STORE, "audit.db-*")):
        os.unlink(name)
    with open(os.path.join(STORE, "audit.db"), "wb") as f:
        f.write(b"no database" * 1000)
    fill("ok echo beside it")
    done = ctl("audit", "ship", "--all")
    tap.ok(done.returncode == 1 and b"store of nobody" in done.stderr and
           any(d["what"] == "line" and d["record"]["line"] ==
               "echo beside it" for d in lines()), OTHERS[6], done)
tap.done()
