# SPDX-License-Identifier: ISC
"""Programs that start under a line: each is recorded with what policy says of
it, and what policy blocks is killed before main(), however it was started.

As root the lines run as a uid that nobody has."""
import atexit
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

TOP = os.environ["abs_top_srcdir"]
BIN = os.path.join(os.environ["abs_top_builddir"], "tests/bin")
AEGSH = os.path.join(BIN, "aegsh")
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from exec_rig import unused_uid  # noqa: E402
from procs import DEADLINE  # noqa: E402
from pty_session import Session  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
UID = unused_uid() if os.getuid() == 0 else os.getuid()
DIR = tempfile.mkdtemp(prefix="t-aegsh-", dir="/var/tmp")
HOME = DIR + "/home"
atexit.register(shutil.rmtree, DIR, True)
os.chmod(DIR, 0o755)
shutil.copytree(os.path.join(TOP, "share"), DIR + "/share")
for where, _, files in os.walk(DIR + "/share"):
    os.chmod(where, 0o755)
    for f in files:
        os.chmod(os.path.join(where, f), 0o644)
for name in ("etc/sandbox.d", "etc/policy.d", "own", "home"):
    os.makedirs(os.path.join(DIR, name))
os.chown(HOME, UID, -1)
os.chmod(DIR + "/own", 0o1777)
ENV = {"PATH": "/usr/bin:/bin", "HOME": HOME, "TERM": "dumb", "LC_ALL": "C",
       "AEGSH_TEST_ROOT": DIR, "AEGSH_TEST_DATA": DIR + "/share",
       "AEGSH_TEST_OPERATOR": "0" if os.getuid() == 0 else str(UID)}
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        ENV[name] = os.environ[name]


def write(name, text, mode=0o644):
    path = os.path.join(DIR, name)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def become():
    if os.getuid() != UID:
        os.setgroups([])
        os.setgid(UID)
        os.setuid(UID)


def run(line, *args):
    p = subprocess.run([AEGSH, *args, "-c", line], env=ENV, cwd=HOME,
                       stdin=subprocess.DEVNULL, capture_output=True,
                       text=True, timeout=DEADLINE, preexec_fn=become)
    return p.returncode, p.stdout, p.stderr


def execs():
    """What is on record: (program, words, decision)."""
    # A prompt takes what short runs recorded into the store.
    s = Session([AEGSH], env=ENV, cwd=HOME, uid=None if os.getuid() == UID
                else UID)
    s.expect(r"[#$] ")
    s.line("exit")
    s.wait()
    found = []
    for top, _, files in os.walk(DIR + "/own"):
        if "audit.db" in files:
            db = sqlite3.connect("file:%s/audit.db?mode=ro" % top, uri=True)
            found = db.execute("SELECT path, argv, decision FROM execs "
                               "ORDER BY id").fetchall()
            db.close()
    return [(path.decode(), argv.decode().split("\0")[:-1], decision)
            for path, argv, decision in found]


SANDBOX = 'supervise = all\n'
write("etc/sandbox.d/admin.conf", SANDBOX)
RULES = """
rule "test.no-fortune" {
	decision = block
	reason = "no fortunes here"
	command = { "rev", "nc" }
}
rule "test.no-tac" {
	decision = warn
	reason = "backwards"
	command = { "tac" }
}
"""
write("etc/policy.d/50-test.conf", RULES)

# ---- killed before main(), by what it is ---------------------------------
def script(name, text):
    os.chown(write("home/" + name, text, 0o755), UID, -1)


script("work", "#!/bin/sh\necho abc | rev\necho \"$?\"\n")
script("m", "all:; @-rev work; :\n")
script("p", "import os, subprocess\nsubprocess.run(['rev', 'work'])\n")
script("q", "open(my $f, '|-', 'rev'); print $f 'abc';\n")
script("a", 'BEGIN { print "abc" | "rev" }\n')
script("f", "find work -exec rev '{}' ';'\n")
script("path", "cd /usr/bin; ./rev </etc/hostname; :\n")
os.symlink("/usr/bin/rev", HOME + "/mirror")
script("link", "./mirror <work\n:\n")
script("vfork", "import os\nos.posix_spawn('/usr/bin/rev', ['x', 'work'], "
       "os.environ)\nos.wait()\n")
script("fd", "import os\nos.execve(os.open('/usr/bin/rev', os.O_RDONLY), "
       "['x', 'work'], os.environ)\n")
script("loader", "import glob, os\nos.spawnv(0, '/usr/bin/env', ['env', "
       "'-i', '/usr/bin/rev', 'work'])\n")
script("padded", "import os\nos.execv('/usr/bin/rev', ['rev', 'work'] + "
       "[\"'\" * 1000] * 300)\n")
script("long", "import os\nos.execv('/usr/bin/rev', ['rev', 'work'] + "
       "['x' * 1000] * 1500)\n")
script("back", "import os\nos.system('tac work')\n")
WAYS = {"a script": "sh work", "its first line": "./work", "make": "make -f m",
        "python": "python3 p", "perl": "perl q", "awk": "awk -f a",
        "find -exec": "sh f", "a relative path": "sh path",
        "a link of another name": "sh link", "vfork and exec":
        "python3 vfork", "a descriptor": "python3 fd",
        "another's wrapper": "python3 loader",
        "many words of quotes": "python3 padded",
        "more words than a line holds": "python3 long"}
for name, line in WAYS.items():
    if line.split()[0] != "./work" and not shutil.which(line.split()[0]):
        tap.skip(name, "no " + line.split()[0])
        continue
    status, out, err = run(line)
    tap.ok("cba" not in out and "h/nib/" not in out and
           "killed before it began: block: no fortunes here "
           "[test.no-fortune]" in err and err.count("aegsh: ") == 1,
           "killed: " + name, "%r %r %r" % (status, out, err))
status, out, err = run("python3 back")
tap.ok("#!/bin/sh" in out and err == "", "what would be asked about runs",
       err)

# ---- on record ------------------------------------------------------------
rows = execs()
mine = [r for r in rows if r[0].endswith("/rev")]
tap.ok(len(mine) >= len(WAYS) - 4 and
       all(r[2] == "killed: block: no fortunes here [test.no-fortune]"
           for r in mine), "what was killed is on record", rows)
tap.ok([r for r in rows if r[1][:1] == ["tac"] and
        r[2].startswith("warn: backwards")],
       "and what would be asked about", rows)
tap.ok([r for r in rows if r[1][1:] == ["-c", "rev work; :"] and
        r[2].startswith("killed: block")] or not shutil.which("make"),
       "a shell's string is read for it", rows)

# ---- each of many -----------------------------------------------------------
# Told apart by their words: none is lost or told of twice, and they are in the
# order in which they began, however many start at once.
script("many", "i=0\nwhile [ $i -lt 1000 ]; do /bin/true $i.; "
       "i=$((i + 1)); done\necho $i\n")
script("four", "for t in a b c d; do (i=0; while [ $i -lt 495 ]; do "
       "/bin/true $t$i.; i=$((i + 1)); done) & done\nwait\necho done\n")
MANY = {"one after the other": ("sh many", "1000\n", [
            ["%d." % i for i in range(1000)]]),
        "four at a time": ("sh four", "done\n", [
            ["%s%d." % (t, i) for i in range(495)] for t in "abcd"])}
for name, (line, said, threads) in MANY.items():
    before = len(execs())
    status, out, err = run(line)
    tap.same((status, out, err), (0, said, ""), "many programs, " + name)
    rows = execs()[before:]
    words = [r[1][1] for r in rows if r[1][0] == "/bin/true"]
    tap.same(sorted(words), sorted(sum(threads, [])),
             "each is on record, once, " + name)
    tap.ok(all([w for w in words if w in set(mine)] == mine
               for mine in threads), "each its own, in order, " + name,
           words[:20])
    tap.same([r[1] for r in rows if r[1][0] != "/bin/true"],
             [line.split()], "and what starts them, once, " + name)

# ---- what the profile makes of it -------------------------------------------
write("etc/sandbox.d/admin.conf", SANDBOX + "started = warn\n")
status, out, err = run("python3 back")
tap.ok("#!/bin/sh" not in out and "was killed before it began: warn: "
       "backwards" in err, "started = warn", out + err)
write("etc/sandbox.d/admin.conf", SANDBOX + "started = record\n")
status, out, err = run("sh work")
tap.ok("cba" in out and err == "", "started = record", out + err)

# ---- a shell inside of something else ---------------------------------------
script("escape", "import os, sys\nos.spawnlp(0, sys.argv[1], *sys.argv[1:])\n")
script("startup", ":\n")


def escapes(words, killed):
    """python3 starts that at a terminal: killed, or it reads what is typed."""
    if not shutil.which(words.split()[0]):
        tap.skip("inside python: " + words, "no " + words.split()[0])
        return
    s = Session([AEGSH], env=ENV, cwd=HOME,
                uid=None if os.getuid() == UID else UID)
    s.expect(r"[$#] ")
    # Whatever its prompt is, it reads the next line, or aegsh does.
    s.line("python3 escape %s; echo 'is' over" % words)
    if killed:
        said = s.expect("a shell inside of python3")
        tap.ok(said, "killed inside python: " + words, s.seen)
    else:
        s.line("echo 'by' it; exit")
        told = s.expect("by it.*is over")
        tap.ok(told and b"killed" not in s.seen,
               "recorded inside python: " + words, s.seen)
    s.expect(r"[$#] ")
    s.line("exit")
    s.wait()


def started(words):
    """It has no person's lines to read."""
    s = Session([AEGSH], env=ENV, cwd=HOME,
                uid=None if os.getuid() == UID else UID)
    s.expect(r"[$#] ")
    s.line("python3 escape %s; echo 'is' over" % words)
    over = s.expect("is over")
    tap.ok(over and b"a shell inside" not in s.seen,
           "no shell for a person: " + words, s.seen)
    s.expect(r"[$#] ")
    s.line("exit")
    s.wait()


write("etc/sandbox.d/admin.conf", SANDBOX + "shell-escape = record\n")
escapes("sh", False)
write("etc/sandbox.d/admin.conf", SANDBOX + "shell-escape = kill\n")
for words in ("sh", "bash -norc", "bash --rcfile startup", "bash -O extglob",
              "bash -o noclobber", "rbash", "busybox sh",
              "mksh", "fish"):
    escapes(words, True)
for words in ("sh work", "bash -norc -c :", "bash -O extglob startup",
              "busybox sh startup", "busybox true"):
    started(words)
rows = execs()
tap.ok([r for r in rows if (r[2] or "").startswith(
    "killed: a shell inside of python3")] and
       [r for r in rows if "a shell inside of python3" in (r[2] or "") and
        not r[2].startswith("killed")], "and both are on record", rows)

# ---- a program that does not begin as libc does ------------------------------
RAW = r"""
static long n(long a, long b, long c, long d) { long r;
	__asm__ volatile("mov %4, %%r10; syscall" : "=a"(r) : "a"(a), "D"(b),
	    "S"(c), "d"(d), "r"(0L) : "rcx", "r11", "r10", "memory");
	return r; }
static void say(const char *s) {
	long len = 0;
	while (s[len] != 0) len++;
	n(1, 1, (long)s, len);
}
void begin(long *sp);
__asm__(".globl _start\n_start: mov %rsp, %rdi\nand $-16, %rsp\n"
    "call begin\n");
"""
# It asks for what Go's runtime begins with, and what it says then is not seen.
GO = RAW + r"""
void begin(long *sp) {
	long set[128];
	n(204, 0, sizeof set, (long)set);
	say("ran\n");
	n(231, 0, 0, 0);
}
"""
# It asks for nothing at all.
MUTE = RAW + r"""
void begin(long *sp) {
	n(34, 0, 0, 0);
	say("ran\n");
	n(231, 0, 0, 0);
}
"""
# It starts itself where nothing is drawn by chance but AT_RANDOM, then "rev"
# with as many bytes of words; that writes over its AT_RANDOM what the one
# before had, and only then asks for something.
FORGE = RAW + r"""
void begin(long *sp) {
	char **argv = (char **)(sp + 1), **env = argv + sp[0] + 1;
	char *name = argv[0], *mark = argv[1], *random = 0;
	char *next[3] = { name, mark, 0 };
	long set[128], *aux;
	int i;
	while (*env) env++;
	for (aux = (long *)(env + 1); aux[0]; aux += 2)
		if (aux[0] == 25) random = (char *)aux[1];
	env = argv + sp[0] + 1;
	if (mark[0] == 'r') {
		for (i = 0; i < 16; i++) {
			random[i] = (mark[1 + 2 * i] - 'a') * 16 +
			    mark[2 + 2 * i] - 'a';
		}
		n(204, 0, sizeof set, (long)set);
		say("ran\n");
	} else if (mark[0] == '1') {
		n(135, 0x40000, 0, 0);
		mark[0] = '2';
		n(59, (long)name, (long)next, (long)env);
	} else {
		for (i = 0; i < 16; i++) {
			mark[1 + 2 * i] = 'a' + ((random[i] >> 4) & 15);
			mark[2 + 2 * i] = 'a' + (random[i] & 15);
		}
		mark[0] = 'r';
		for (i = 0; name[i]; i++) ;
		name[i - 3] = 'r'; name[i - 2] = 'e'; name[i - 1] = 'v';
		n(59, (long)name, (long)next, (long)env);
	}
	n(231, 0, 0, 0);
}
"""
cc = shutil.which(os.environ.get("CC", "cc").split()[0])
if cc is None or os.uname().machine != "x86_64":
    tap.skip("a program without libc", "no compiler, or not x86_64")
else:
    write("etc/sandbox.d/admin.conf", SANDBOX)

    def build(name, text):
        source = write("raw.c", text)
        if os.path.exists(HOME + "/" + name):
            os.unlink(HOME + "/" + name)
        subprocess.run([cc, "-nostdlib", "-static", "-O0", "-fno-pic",
                        "-fno-stack-protector", "-Wl,--build-id=none", "-o",
                        HOME + "/" + name, source], check=True)

    for name, text in (("as Go's begin", GO), ("that asks for nothing", MUTE)):
        build("rev", text)
        for line in ("python3 fork", "sh raw"):
            script("raw", "./rev; :\n")
            script("fork", "import os\nos.spawnv(0, './rev', ['rev'])\n")
            status, out, err = run(line)
            tap.ok("ran" not in out and "[test.no-fortune]" in err,
                   "a program without libc, %s: %s" % (name, line), out + err)
    build("rev", FORGE)
    shutil.copy(HOME + "/rev", HOME + "/aaa")
    script("fork", "import os\nos.spawnv(0, '%s/aaa', ['%s/aaa', '1' + 32 * "
           "'a'])\n" % (HOME, HOME))
    status, out, err = run("python3 fork")
    tap.ok("ran" not in out and "[test.no-fortune]" in err,
           "one that takes on what the kernel drew for the one before",
           out + err)

    # ---- filters of its own --------------------------------------------------
    # Each call that a start is known by fails before anybody is asked.
    script("mute", """
import ctypes, os, struct, sys
CALLS = (218, 204, 2, 257, 437, 231, 60, 56, 57, 58, 435)
rows = [(0x20, 0, 0, 0)]
for call in CALLS:
    rows += [(0x15, 0, 1, call), (0x06, 0, 0, 0x00050000)]
rows += [(0x06, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b''.join(
    struct.pack('HBBI', *row) for row in rows))
prog = ctypes.create_string_buffer(struct.pack('HxxxxxxQ', len(rows),
                                               ctypes.addressof(code)))
libc = ctypes.CDLL(None)
argv = (ctypes.c_char_p * 2)(b'rev', None)
env = (ctypes.c_char_p * 1)(None)
if os.fork() == 0:
    assert libc.prctl(22, 2, prog, 0, 0) == 0
    libc.execve(b'./rev', argv, env)
os.wait()
""")
    for name, text in (("without libc", MUTE), ("with libc", """
#include <unistd.h>
int main(void) { pause(); write(1, "ran\\n", 4); return 0; }
""")):
        if name == "with libc":
            source = write("raw.c", text)
            os.unlink(HOME + "/rev")
            subprocess.run([cc, "-static", "-o", HOME + "/rev", source],
                           check=True)
        else:
            build("rev", text)
        status, out, err = run("python3 mute")
        tap.ok("ran" not in out and "[test.no-fortune]" in err,
               "a program whose own filter lets it ask nothing, " + name,
               out + err)

# ---- a program's own helpers -------------------------------------------------
METHOD = "/usr/lib/apt/methods/http"
if os.access(METHOD, os.X_OK) and os.access("/usr/bin/apt-get", os.X_OK):
    write("etc/policy.d/70-http.conf", RULES.replace(
        '"rev", "nc"', '"http"').replace("test.no", "http"))
    for name in ("apt/lists/partial", "apt/cache/archives/partial",
                 "apt/etc/apt.conf.d"):
        os.makedirs(HOME + "/" + name)
    for where, _, _ in os.walk(HOME + "/apt"):
        os.chown(where, UID, -1)
    write("home/apt/sources.list", "deb http://127.0.0.1:1/ x main\n")
    script("update", "#!/bin/sh\napt-get -o Dir::State=$PWD/apt -o "
           "Dir::Cache=$PWD/apt/cache -o Dir::Etc=$PWD/apt/etc -o "
           "Dir::Etc::SourceList=$PWD/apt/sources.list -o "
           "Debug::NoLocking=1 update\n:\n")
    script("direct", "#!/bin/sh\n%s </dev/null\n:\n" % METHOD)
    status, out, err = run("./update")
    said = [d for path, words, d in execs() if path == METHOD]
    tap.ok("[http-fortune]" not in err and said and
           not [d for d in said if d.startswith("killed")],
           "a helper is no tool that has its name", out + err + repr(said))
    status, out, err = run("./direct")
    tap.ok("[http-fortune]" in err and "URI" not in out,
           "but for whoever calls it by that", out + err)
    os.unlink(DIR + "/etc/policy.d/70-http.conf")
else:
    for name in ("is no tool", "called"):
        tap.skip("a program's helper " + name, "apt is not installed")

# ---- rules that change while a stream runs -----------------------------------
script("later", "import subprocess\nprint(subprocess.run(['paste', 'work'], "
       "stdout=subprocess.DEVNULL).returncode, flush=True)\n")
p = subprocess.Popen([AEGSH, "-s"], env=ENV, cwd=HOME, text=True,
                     stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                     stderr=subprocess.PIPE, preexec_fn=become)
got = []
for rules in ("", RULES.replace('"rev"', '"paste"'), ""):
    if rules:
        write("etc/policy.d/60-later.conf", rules.replace("test.no", "later"))
    elif got:
        os.unlink(DIR + "/etc/policy.d/60-later.conf")
    p.stdin.write("python3 later\n")
    p.stdin.flush()
    got.append(p.stdout.readline())
out, err = p.communicate(timeout=DEADLINE)
tap.ok(got == ["0\n", "-9\n", "0\n"] and "[later-fortune]" in err,
       "hold for what its next lines start", repr(got) + err)
tap.done()
