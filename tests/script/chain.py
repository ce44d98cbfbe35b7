#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Several endpoints: order, failing over, breaker, retries, one deadline,
quorum; keys from everywhere; cache and budgets in the store."""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from ask_rig import IN_TIME, JUDGE, SANITIZED, Asker, Model, Root  # noqa: E402
from procs import DEADLINE, alive, until  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root = Root()
model = Model(root)
BASE = "http://127.0.0.1:%d" % model.port
free = socket.socket()
free.bind(("127.0.0.1", 0))
NOBODY = "http://127.0.0.1:%d/v1" % free.getsockname()[1]
root.write("key", "right\n")
stores = 0


def store():
    global stores
    stores += 1
    path = root.path("store%d" % stores)
    os.mkdir(path, 0o700)
    return path


def chain(*endpoints, quorum=None):
    text = "# a chain\n" + ("quorum = %d\n" % quorum if quorum else "")
    for i, e in enumerate(endpoints):
        text += "\n[%s]\n" % e.pop("name", "e%d" % i)
        e.setdefault("url", BASE + "/v1")
        for k, v in e.items():
            text += '%s = "%s"\n' % (k, v) if isinstance(v, str) else \
                "%s = %s\n" % (k, v)
    return "chain=" + root.write("chain.conf", text)


def mode(m, **more):
    return dict(more, model=m)


def ask(*settings, line="ls -l", **kw):
    a = Asker(root, *settings, **kw)
    r = a.ask(line)
    tap.ok(a.end() == 0, "ends well")
    return r


def asked():
    return [json.loads(r["body"]).get("model") for r in root.records()
            if "body" in r]


# -- Order and failing over ---------------------------------------------------
before = len(asked())
r = ask(chain(mode("allow"), mode("block")))
tap.ok((r.action, r.endpoint) == ("allow", "e0"), "the first is asked", r)
tap.same(asked()[before:], ["allow"], "and nobody else")
before = len(asked())
r = ask(chain(mode("status-500"), mode("half"), mode("warn"), mode("allow")))
tap.ok((r.action, r.endpoint, r.model) == ("warn", "e2", "warn"),
       "who fails is replaced by the next", r)
tap.same(asked()[before:], ["status-500", "half", "warn"],
         "in order, at once, each once")
r = ask(chain(mode("allow", url=NOBODY), mode("block")))
tap.ok(r.action == "block" and r.ns < IN_TIME, "nobody listens: the next", r)
r = ask(chain(mode("half"), mode("nan")))
tap.ok(r.status == "failed" and "not one JSON" in r.reason,
       "all fail: so does the question", r)
r = ask(chain(mode("slow-headers", timeout=300), mode("allow")))
tap.ok(r.status == "answered" and r.endpoint == "e1" and
       3e8 < r.ns < IN_TIME, "a time-out of its own, then the next", r)
r = ask(chain(mode("slow-headers"), mode("slow-body")), "ask-timeout=700")
tap.ok(r.status == "failed" and r.ns < IN_TIME, "one deadline for all", r)
r = ask(chain(mode("allow", format="gemini", url=BASE + "/v1beta")))
tap.ok(r.status == "answered", "each in its own format", r)
r = ask(chain(mode("allow", **{"key-file": "/nonexistent"}), mode("warn")))
tap.ok(r.action == "warn" and r.endpoint == "e1",
       "one that cannot be set up is passed over", r)

# -- Trying again -----------------------------------------------------------------
r = ask(chain(mode("retry-once")))
tap.ok(r.status == "answered" and r.ns > 2e8,
       "503, then an answer: tried again after a pause", r)
r = ask(chain(mode("retry-once", attempts=1)))
tap.ok(r.status == "failed", "but not where one attempt was set", r)
r = ask(chain(mode("retry-once", attempts=1)))
r = ask(chain(mode("retry-after")))
tap.ok(r.status == "answered" and 0.9e9 < r.ns < IN_TIME,
       "429 is tried again when the server says so", r)
before = len(asked())
r = ask(chain(mode("retry-late")), "ask-timeout=59000")
tap.ok(r.status == "failed" and len(asked()) == before + 1,
       "which does not wait past the deadline", r)
before = len(asked())
r = ask(chain(mode("status-429")))
tap.ok(r.status == "failed" and len(asked()) == before + 1,
       "429 without a time is not tried again", r)
for m in ("status-401", "status-404", "half", "status-501"):
    before = len(asked())
    r = ask(chain(mode(m, attempts=5)))
    tap.ok(r.status == "failed" and len(asked()) - before <= 3,
           "%s is not tried again" % m, asked()[before:])

# -- The breaker ----------------------------------------------------------------
a = Asker(root, chain(mode("half"), mode("allow")))
before = len(asked())
for _ in range(6):
    r = a.ask()
    tap.ok(r.action == "allow", "the second answers", r)
tap.same(asked()[before:].count("half"), 3,
         "after three failures in a row the first is left alone")
a.end()
a = Asker(root, chain(mode("half")))
for _ in range(4):
    r = a.ask()
tap.ok("is asked again in" in r.reason and "failed 3 times" in r.reason,
       "and where nobody else is left, that is said", r)
a.end()
s = store()
a = Asker(root, chain(mode("half")), store=s)
for _ in range(3):
    a.ask()
a.end()
before = len(asked())
r = ask(chain(mode("half")), store=s)
tap.ok("is asked again in" in r.reason and len(asked()) == before,
       "another session knows it from the store", r)
a = Asker(root, chain(mode("half")), store=s)
before = len(asked())
until(lambda: a.ask() and len(asked()) > before)
tap.ok(len(asked()) == before + 1, "after a while, one question probes it")
r = a.ask()
tap.ok("is asked again in" in r.reason and len(asked()) == before + 1,
       "which failed: left alone again", r)
a.end()
r = ask(chain(mode("allow")), store=s)
tap.ok(r.status == "answered", "other settings start anew", r)

# -- Quorum -----------------------------------------------------------------------
for modes, want in ((("allow", "allow"), "allow"), (("allow", "warn"), "warn"),
                    (("warn", "allow"), "warn"), (("allow", "block"), "block"),
                    (("low", "allow"), "allow")):
    r = ask(chain(*[mode(m) for m in modes], quorum=2))
    tap.ok((r.status, r.action) == ("answered", want),
           "two must agree, %s: the strictest" % (modes,), r)
    if modes[0] == "low":
        tap.same(r.confidence, 29, "and the least sure")
r = ask(chain(mode("allow"), mode("half"), quorum=2))
tap.ok(r.status == "failed" and "only 1 of 2" in r.reason,
       "one allow is not two", r)
r = ask(chain(mode("block"), mode("half"), quorum=2))
tap.ok((r.status, r.action) == ("answered", "block"),
       "a block needs no second", r)
r = ask(chain(mode("allow"), mode("half"), mode("allow"), quorum=2))
tap.ok((r.status, r.action) == ("answered", "allow"),
       "the third stands in for the second", r)
tap.same(r.tokens, (300, 60), "the tokens of all are counted")

# -- Price -------------------------------------------------------------------------
r = ask(chain(mode("allow", **{"price-in": "3", "price-out": "15.5"})))
tap.same(r.cost, 610, "100 tokens in and 20 out cost 0.000610")

# -- Keys ----------------------------------------------------------------------------
NEEDS = mode("needs-key")
KEY = {"KEY_VARIABLE": "right", "OTHER": "x"}
r = ask(chain(dict(NEEDS, **{"key-env": "KEY_VARIABLE"})), env=KEY)
tap.ok(r.status == "answered", "a key out of the environment", r)
a = Asker(root, chain(dict(NEEDS, **{"key-env": "KEY_VARIABLE"})), env=KEY)
tap.ok(a.ask().status == "answered", "is there for the first question")
with open("/proc/%d/environ" % a.process.pid, "rb") as f:
    environ = f.read()
tap.ok(b"right" not in environ and b"OTHER=x" in environ,
       "and gone from the environment that proc shows", environ)
pid = a.helper()
os.kill(pid, 9)
until(lambda: not alive(pid))
tap.ok(a.ask().status == "answered", "a new helper has it too")
a.end()
r = ask("endpoint=%s/v1" % BASE, "model=needs-key", "key-env=KEY_VARIABLE",
        env=KEY)
tap.ok(r.status == "answered", "the same with one endpoint", r)
r = ask("endpoint=%s/v1" % BASE, "model=needs-key", "key-env=NOT_SET",
        env=KEY)
tap.ok("key is refused" in r.reason, "a variable that is not set", r)
os.mkdir(root.path("creds"), 0o700)
root.write("creds/llm", "right\n", 0o400)
r = ask("endpoint=%s/v1" % BASE, "model=needs-key", "key-credential=llm",
        env={"CREDENTIALS_DIRECTORY": root.path("creds")})
tap.ok(r.status == "answered", "a key out of systemd's credentials", r)
r = ask("endpoint=%s/v1" % BASE, "model=needs-key", "key-credential=none",
        env={"CREDENTIALS_DIRECTORY": root.path("creds")})
tap.ok(r.status == "failed" and "none" in r.reason, "one that is not there", r)
r = ask("endpoint=%s/v1" % BASE, "model=allow", "key-env=KEY_VARIABLE",
        env={"KEY_VARIABLE": "two words"})
tap.ok(r.status == "failed" and "key-env" in r.reason and
       "words" not in r.reason.replace("more than one word", ""),
       "a key that is none, and is not told", r)

# -- Proxy ---------------------------------------------------------------------------
for proxy in ("ftp://h:1", "http://u:p@h:1", "http://h", "h:1x"):
    r = ask("endpoint=https://192.0.2.1/v1", "model=allow", "proxy=" + proxy)
    tap.ok(r.status == "failed" and "proxy" in r.reason,
           "proxy %s is refused" % proxy, r)
r = ask("endpoint=%s/v1" % BASE, "model=allow", "proxy=http://127.0.0.1:1")
tap.ok(r.status == "failed" and "proxy" in r.reason,
       "no proxy for the loopback", r)
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(4)
listener.settimeout(DEADLINE)
a = Asker(root, "endpoint=https://llm.example.invalid/v1", "model=allow",
          "ask-timeout=1500",
          "proxy=http://127.0.0.1:%d" % listener.getsockname()[1])
a.start("ls -l")
peer, _ = listener.accept()
tap.ok(peer.recv(100).startswith(b"CONNECT llm.example.invalid:443 "),
       "through a proxy, which looks the name up")
peer.close()
a.read()
a.end()

# -- Cache ----------------------------------------------------------------------------
s = store()


def cached(*settings, line="ls -l", facts=(), times=1, allow="allow"):
    a = Asker(root, "endpoint=%s/v1" % BASE, "model=" + allow, *settings,
              store=s)
    a.send(b"settled\n")
    for _ in range(times):
        r = a.ask(line, facts)
    a.end()
    return r


before = len(asked())
r = cached(times=3)
tap.ok(r.cached and r.action == "allow" and r.model == "allow" and
       len(asked()) == before + 1, "an allow is remembered", r)
tap.ok(r.cost == 0 and r.tokens == (0, 0), "and costs nothing again", r)
tap.ok(cached().cached, "across sessions")
tap.ok(not cached(line="ls -l ").cached, "but for no other line")
tap.ok(not cached(facts=[("commands", b"x")]).cached, "nor other facts")
tap.ok(not cached(allow="spaced").cached, "nor another model")
tap.ok(not cached("ask-cache-ttl=0").cached, "nor where it is off")
for m in ("warn", "block", "half"):
    tap.ok(not cached(times=2, allow=m).cached, "no %s is remembered" % m)
a = Asker(root, "endpoint=%s/v1" % BASE, "model=allow", store=s)
tap.ok(not a.ask("ls -l").cached, "nor is one taken where something is unknown")
a.end()
prompt = root.path("share/prompts/judge-2.txt")
with open(prompt) as f:
    text = f.read()
root.write("share/prompts/judge-2.txt", text + "\n", 0o644)
tap.ok(not cached().cached, "another prompt asks anew")
root.write("share/prompts/judge-2.txt", text, 0o644)
tap.ok(cached().cached, "the old one need not")
path = os.path.join(s, "judge.cache")
tap.same(os.stat(path).st_mode & 0o777, 0o600, "closed to others")
tap.same(os.stat(path).st_size, 128 * 4097, "of fixed size")
with open(path, "rb") as f:
    good = f.read()
rows = [i for i in range(128, len(good), 128) if any(good[i:i + 128])]


def doctor(change):
    data = bytearray(good)
    for i in rows:
        change(data, i)
    with open(path, "r+b") as f:
        f.write(data)


def confidence(data, i):
    data[i + 40] ^= 1


def newer(data, i):
    data[i + 32:i + 40] = (time.time_ns() - 10**9).to_bytes(8, "little")


for change, name in ((confidence, "confidence"), (newer, "time")):
    doctor(change)
    before = len(asked())
    r = cached()
    tap.ok(r.forged and not r.cached and len(asked()) == before + 1,
           "a row with another %s is not believed" % name, r)
    r = cached()
    tap.ok(r.cached and not r.forged, "and is gone")
doctor(lambda d, i: None)
secret = os.path.join(s, "judge.secret")
os.rename(secret, secret + ".away")
tap.ok(not cached().cached, "a planted table is worth nothing without the key")
os.rename(secret + ".away", secret)
for junk in (b"", b"x" * 100, b"\xff" * len(good)):
    with open(path, "wb") as f:
        f.write(junk)
    r = cached(times=2)
    tap.ok(r.cached, "a table that is none is made anew", r)
# Under a helper that has it open: taken away, set back, made larger.
a = Asker(root, "endpoint=%s/v1" % BASE, "model=allow", store=s)
a.send(b"settled\n")
a.ask()
pid = a.pid()
os.rename(path, path + ".away")
tap.ok(a.ask().cached, "a table that is taken away serves to the end")
os.rename(path + ".away", path)
with open(path, "r+b") as f:
    f.write(good)
tap.ok(a.ask("another").status == "answered", "set back, it is but older")
with open(path, "r+b") as f:
    f.seek(8)
    f.write((65536).to_bytes(4, "little"))
os.truncate(path, 128 * 65537)
for i in range(40):
    r = a.ask("larger %d" % i)
tap.ok(r.status == "answered" and a.pid() == pid,
       "one made larger does not end the helper", r)
a.end()
os.truncate(path, 200)
r = cached(times=2)
tap.ok(r.status == "answered", "one cut short does no harm", r)
os.unlink(path)
os.symlink("/etc/passwd", path)
r = cached(times=2)
tap.ok(r.status == "answered" and not r.cached, "a link is not followed", r)
os.unlink(path)
tap.ok(cached("ask-cache-rows=8", times=2).cached, "a small one")
a = Asker(root, "endpoint=%s/v1" % BASE, "model=allow", "ask-cache-rows=8",
          store=s)
a.send(b"settled\n")
for i in range(40):
    a.ask("ls %d" % i)
tap.ok(a.ask("ls 39").cached and not a.ask("ls 0").cached,
       "holds the newest")
a.end()
tap.same(os.stat(path).st_size, 128 * 9, "and grows not")

# -- Budgets ---------------------------------------------------------------------------
s = store()
a = Asker(root, "endpoint=%s/v1" % BASE, "model=allow", "ask-rate=3", store=s)
for _ in range(3):
    r = a.ask()
    tap.ok(r.status == "answered", "within the rate", r)
before = len(asked())
r = a.ask()
tap.ok(r.status == "failed" and "more than 3 questions a minute" in r.reason
       and len(asked()) == before, "over it: failed, nobody asked", r)
a.end()
r = ask("endpoint=%s/v1" % BASE, "model=allow", "ask-rate=3", store=s)
tap.ok(r.status == "failed", "another session has the same bucket", r)
s = store()
dear = mode("allow", **{"price-in": "100000", "price-out": "0"})
r = ask(chain(dear), "ask-day-cost=1000", store=s)
tap.same(r.cost, 10000000, "one question for 10.00")
r = ask(chain(dear), "ask-day-cost=1000", store=s)
tap.ok(r.status == "failed" and "budget of 10.00 is spent" in r.reason,
       "the day's budget is spent", r)
r = ask(chain(dear), "ask-day-cost=2000", store=s)
tap.ok(r.status == "answered", "a larger one is not", r)
os.mkdir(root.path("state"), 0o755)
host = root.write("state/judge-host.state", "", 0o660)
r = ask("endpoint=%s/v1" % BASE, "model=allow", store=store())
r = ask("endpoint=%s/v1" % BASE, "model=allow", store=store())
tap.ok(r.status == "answered" and os.stat(host).st_size > 0,
       "the host's file counts all users", r)
for junk in (b"", b"\xff" * 4096):
    with open(os.path.join(s, "judge.state"), "wb") as f:
        f.write(junk)
    r = ask("endpoint=%s/v1" % BASE, "model=allow", store=s)
    tap.ok(r.status == "answered", "a state that is none starts over", r)
# A limit that cannot be kept is reached: else removing it would be easy.
state = os.path.join(s, "judge.state")
before = len(asked())


def no_state(name):
    r = ask("endpoint=%s/v1" % BASE, "model=allow", store=s)
    tap.ok(r.status == "failed" and "budget cannot be kept" in r.reason and
           "judge.state" in r.reason, name, r)


os.chmod(state, 0o666)
no_state("a state that others may write holds no limit")
os.unlink(state)
os.symlink("elsewhere", state)
no_state("nor does a link")
os.unlink(state)
os.mkdir(state)
no_state("nor a directory")
os.rmdir(state)
os.mkfifo(state, 0o600)
no_state("nor a pipe, which is not waited for")
os.unlink(state)
tap.same(len(asked()), before, "and nobody is asked")
r = ask("endpoint=%s/v1" % BASE, "model=allow", store=s)
tap.ok(r.status == "answered", "put right, it works", r)

# -- A key that is changed, while somebody else stands in --------------------------
s = store()
root.write("key2", "wrong\n")
a = Asker(root, chain(mode("needs-key", **{"key-file": root.path("key2")}),
                      mode("warn")), store=s)
r = a.ask()
tap.ok((r.action, r.endpoint) == ("warn", "e1"), "the key is refused, the "
       "second answers", r)
root.write("key2", "right\n")
r = a.ask()
tap.ok((r.action, r.endpoint) == ("allow", "e0"), "and the next question "
       "goes with the new key", r)
a.end()

# -- Opening a connection ahead -------------------------------------------------------
def warm(*settings):
    before = sum("warm" in r for r in root.records())
    a = Asker(root, "endpoint=%s/v1" % BASE, "model=allow",
              "key-file=" + root.path("key"), *settings)
    a.send(b"warm\n")
    a.pid()
    if not settings:
        root.wait_record(lambda r: "warm" in r)
    r = a.ask()
    tap.ok(r.status == "answered", "answered", r)
    a.end()
    return root.records()[-3:], \
        sum("warm" in r for r in root.records()) - before


records, n = warm("ask-preconnect=no")
tap.same(n, 0, "no connection is opened ahead where that is off")
records, n = warm()
w = [r for r in root.records() if "warm" in r]
tap.ok(n == 1 and "authorization" not in w[-1]["headers"],
       "one is opened ahead, without the key", w)
q = [r for r in root.records() if "body" in r][-1]
tap.same(q["connection"], w[-1]["warm"], "and the question goes over it")

# -- A helper with a group of its own, as in a managed install -----------------
GROUP_TESTS = ["a key that only the helper's group may read",
               "the user may not", "without the group it is not read",
               "the host's file counts", "the operator's secret is used",
               "a user's own settings do not say where the key goes",
               "nor that another endpoint gets it",
               "nobody but the operator's server saw it",
               "and the host's limit holds without a store"]


def own_group():
    user, group = 65534, 4244
    top = root.path("managed")
    for name in ("etc", "libexec", "share/prompts", "state", "own"):
        os.makedirs(os.path.join(top, name))
    shutil.copy(prompt, os.path.join(top, "share/prompts"))
    binary = os.path.join(top, "libexec/judge")
    shutil.copy(JUDGE, binary)
    os.chown(binary, 0, group)
    os.chmod(binary, 0o2755)
    helper = os.path.join(top, "libexec/aegsh-judge")
    with open(helper, "w") as f:
        f.write("#!/bin/sh\nAEGSH_TEST_OPERATOR=0 AEGSH_TEST_ROOT='%s' "
                "exec '%s'\n" % (top, binary))
    os.chmod(helper, 0o755)

    def mine(name, data, mode):
        path = os.path.join(top, name)
        with open(path, "wb") as f:
            f.write(data)
        os.chown(path, 0, group)
        os.chmod(path, mode)
        return path

    key = mine("etc/llm.key", b"right\n", 0o640)
    host = mine("state/judge-host.state", b"", 0o660)
    mine("state/judge.secret", b"s" * 32, 0o640)
    mine("etc/aegsh.conf", b'mode = managed\nendpoint = "%s/v1"\n'
         b'model = "needs-key"\nkey-file = "%s"\nask-timeout = 60000\n' %
         (BASE.encode(), key.encode()), 0o644)
    mystore = os.path.join(top, "own/mine")
    os.mkdir(mystore, 0o700)
    os.chown(mystore, user, user)
    prefix = ("setpriv", "--reuid", str(user), "--regid", str(user),
              "--clear-groups")

    class Managed(Root):
        def __init__(self):
            self.dir = top

    def ask_managed():
        a = Asker(Managed(), store=mystore, prefix=prefix,
                  env={"AEGSH_TEST_OPERATOR": "0"})
        a.send(b"settled\n")
        r = a.ask()
        pid = a.pid()
        groups = []
        if pid > 0:
            with open("/proc/%d/status" % pid) as f:
                groups = [line for line in f if line.startswith("Gid:")]
        a.end()
        return r, groups

    with open(os.path.join(top, "stderr"), "w"):
        pass
    r, groups = ask_managed()
    tap.ok(r.status == "answered", GROUP_TESTS[0], r)
    tap.ok(subprocess.run([*prefix, "cat", key], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode != 0 and
           str(group) not in groups[0], GROUP_TESTS[1], groups)
    tap.ok(os.stat(host).st_size > 0, GROUP_TESTS[3])
    r, groups = ask_managed()
    tap.ok(r.cached and not os.path.exists(
        os.path.join(mystore, "judge.secret")), GROUP_TESTS[4], r)
    drive_by_hand(top, key, prefix, helper)
    os.chmod(binary, 0o755)
    shutil.rmtree(mystore)
    os.mkdir(mystore, 0o700)
    os.chown(mystore, user, user)
    r, groups = ask_managed()
    tap.ok(r.status == "failed" and "llm.key" in r.reason, GROUP_TESTS[2], r)


def drive_by_hand(top, key, prefix, helper):
    """The user starts the helper with settings of his own making."""
    evil = os.path.join(top, "evil")
    for name in ("etc", "libexec"):
        os.makedirs(os.path.join(evil, name))
    os.symlink(helper, os.path.join(evil, "libexec/aegsh-judge"))

    class Evil(Root):
        def __init__(self):
            self.dir = evil
            self.record = os.path.join(evil, "record")

    place = Evil()
    with open(place.path("stderr"), "w"):
        pass
    catcher = Model(place)

    def drive(name, *settings):
        with open(place.path("etc/chain.conf"), "w") as f:
            f.write('[%s]\nurl = "http://127.0.0.1:%d/v1"\nmodel = "allow"\n'
                    'key-file = "%s"\n' % (name, catcher.port, key))
        a = Asker(place, "chain=" + place.path("etc/chain.conf"), *settings,
                  prefix=prefix, env={"AEGSH_TEST_OPERATOR": "65534"})
        r = a.ask()
        a.end()
        return r

    os.chown(place.path("etc"), 65534, 65534)
    before = len(asked())
    with open(place.path("etc/aegsh.conf"), "w") as f:
        f.write("mode = personal\n")
    for name in ("etc/aegsh.conf", "etc", ""):
        os.chown(place.path(name), 65534, 65534)
    with open(place.path("etc/chain.conf"), "w"):
        pass
    os.chown(place.path("etc/chain.conf"), 65534, 65534)
    r = drive("endpoint")
    tap.ok(r.status == "answered" and asked()[before:] == ["needs-key"],
           GROUP_TESTS[5], r)
    r = drive("mine")
    tap.ok(r.status == "failed" and "mine is no endpoint" in r.reason,
           GROUP_TESTS[6], r)
    tap.ok(place.records() == [], GROUP_TESTS[7], place.records())
    with open(os.path.join(top, "etc/aegsh.conf"), "a") as f:
        f.write("ask-host-rate = 1\n")
    drive("endpoint")
    r = drive("endpoint")
    tap.ok(r.status == "failed" and "all users of this host" in r.reason,
           GROUP_TESTS[8], r)


if os.getuid() != 0:
    why = "only root can give a program a group"
elif os.statvfs(root.dir).f_flag & os.ST_NOSUID:
    why = "set-group-id does not count on this file system"
elif shutil.which("setpriv") is None:
    why = "setpriv is not there"
elif SANITIZED:
    why = "a sanitizer reports to a file that the group may not write"
else:
    why = None
if why is None:
    own_group()
else:
    for name in GROUP_TESTS:
        tap.skip("group: " + name, why)

# -- Files that are no chain --------------------------------------------------------
for text, words in (
        ("", "no [NAME]"), ("[a]\n", "has no url"), ("x = 1\n", ":1: only"),
        ("[a]\nurl = \"u\"\nwhat = 1\n", ":3: no such setting"),
        ("[a]\nurl = \"u\n", ":2: a quote is open"),
        ("[a]\nurl = u\n[a]\n", "there already"), ("[a b]\n", ":1:"),
        ("[a]\nurl = u\nformat = soap\n", "format is one of"),
        ("[a]\nurl = u\ntimeout = 5\n", "timeout is a number"),
        ("[a]\nurl = u\nprice-in = 1,5\n", "a price is a number"),
        ("[a]\nurl = u\nkey-credential = a/b\n", "key-credential is a name"),
        ("quorum = 2\n[a]\nurl = u\n", "quorum is 2"),
        ("[a]\nurl = \x1b\n", "control"), ("[a]\nurl\n", "name = value"),
        ("".join("[e%d]\nurl = u\n" % i for i in range(9)), "more than 8")):
    path = root.write("bad.conf", text)
    a = Asker(root, "chain=" + path)
    tap.ok(a.process.wait(DEADLINE) == 100, "refused: %r" % text[:40])
with open(root.path("stderr")) as f:
    said = f.read()
for words in ("no [NAME]", "has no url", "bad.conf:3: no such setting",
              "format is one of", "quorum is 2", "more than 8"):
    tap.ok(words in said, "and said: " + words, said)
root.write("stderr", "")
os.chmod(root.path("chain.conf"), 0o666)
a = Asker(root, "chain=" + root.path("chain.conf"))
tap.ok(a.process.wait(DEADLINE) == 100, "a chain that others may write is refused")
root.write("stderr", "\n".join(
    line for line in open(root.path("stderr")).read().splitlines()
    if not re.match("valask: chain", line)))
tap.ok(root.stderr_clean(), "nothing else was said on standard error")
tap.done()
