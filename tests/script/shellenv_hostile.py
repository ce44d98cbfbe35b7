# SPDX-License-Identifier: ISC
"""The built aegshctl env in homes that somebody means ill with, or that went
wrong: files that are none, links that mislead, names that drive a terminal,
texts without end, many who write at once, a full disk.  It ends, says what
is so, shows nothing raw, and changes what it says or nothing."""

import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from tap import Tap  # noqa: E402

tap = Tap()
CTL = os.path.join(os.environ["abs_top_builddir"], "tests/bin/aegshctl")
DATA = os.path.join(os.environ["abs_top_srcdir"], "share")
ROOT = tempfile.mkdtemp(prefix="aegsh-test-hostile.")
DIR = "/opt/hostile"
RAW = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae")
NAMES = (".bashrc", ".profile", ".zshrc", ".config/fish/config.fish")
SHELLS = ("bash", "zsh", "fish", "sh")


class Home:
    def __init__(self, **files):
        self.path = tempfile.mkdtemp(dir=ROOT)
        os.makedirs(self.at(".config/fish"))

    def at(self, name):
        return os.path.join(self.path, name)

    def put(self, name, text):
        os.makedirs(os.path.dirname(self.at(name)), exist_ok=True)
        with open(self.at(name), "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())

    def each(self, text):
        for name in NAMES:
            self.put(name, text)
        return self

    def get(self, name):
        with open(self.at(name), "rb") as f:
            return f.read().decode("latin1")

    def env(self, **more):
        env = dict({"HOME": self.path, "PATH": "/usr/bin:/bin",
                    "TERM": "dumb", "AEGSH_TEST_ROOT": self.path,
                    "AEGSH_TEST_DATA": DATA}, **more)
        return {k: v for k, v in env.items() if v is not None}

    def start(self, *args, **more):
        return subprocess.Popen([CTL, "env", *args], env=self.env(**more),
                                stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE,
                                start_new_session=True)

    def run(self, *args, **more):
        p = self.start(*args, **more)
        out, err = p.communicate(timeout=120)
        return p.returncode, out, err

    def add(self, shell="bash", where=DIR):
        return self.run("path", "add", "--yes", "--shell", shell, where)

    def remove(self, shell="bash", where=DIR):
        return self.run("path", "remove", "--yes", "--shell", shell, where)

    def state(self):
        """All that is there, but for the backups."""
        out = {}
        for folder, dirs, files in os.walk(self.path):
            if folder == self.path and ".local" in dirs:
                dirs.remove(".local")
            for name in dirs + files:
                path = os.path.join(folder, name)
                st = os.lstat(path)
                text = None
                if stat.S_ISLNK(st.st_mode):
                    text = os.readlink(path)
                elif stat.S_ISREG(st.st_mode) and st.st_size < 1 << 24:
                    with open(path, "rb") as f:
                        text = f.read()
                out[path] = st.st_mode, st.st_nlink, text
        return out


def wrong(result, args):
    """What a run must never do; None: it did not."""
    status, out, err = result
    if status not in (0, 1, 100, 111):
        return "%s: status %r" % (" ".join(args), status)
    for text in (out, err):
        if RAW.search(text):
            return "%s: raw: %r" % (" ".join(args), text[:300])
        try:
            text.decode()
        except UnicodeDecodeError:
            return "%s: no UTF-8: %r" % (" ".join(args), text[:300])
    if "--json" in args:
        for line in out.splitlines():
            try:
                json.loads(line)
            except ValueError:
                return "%s: no JSON: %r" % (" ".join(args), line[:300])
    return None


def looks(home, name, shells=SHELLS, **env):
    """Every verb that only looks."""
    bad = []
    before = home.state()
    verbs = [verb + more for shell in shells for verb in (
        ("files", shell), ("check", "--no-probe", "--shell", shell),
        ("detect", "--no-probe", "--shell", shell),
        ("which", "ls", "cargo", "--shell", shell),
        ("path", "add", DIR, "--print", "--shell", shell),
        ("backups",)) for more in ((), ("--json",))]
    for args in tap.part(verbs):
        found = wrong(home.run(*args, **env), args)
        bad += [found] if found else []
    tap.ok(not bad, name + ": it is looked at", *bad)
    tap.ok(home.state() == before, name + ": and stays as it is")


def undone(home, name, shells=SHELLS, refused=False):
    """Added, again, and taken out: the bytes of before."""
    for shell in tap.part(shells):
        before = home.state()
        first = home.add(shell)
        middle = home.state()
        second = home.add(shell)
        if refused:
            tap.ok(first[0] in (1, 111) and first[2] and middle == before,
                   "%s: %s: refused" % (name, shell), first)
            continue
        notes = [r for r in (wrong(first, ("add",)),) if r]
        tap.ok(first[0] == 0 and middle != before and not notes,
               "%s: %s: added" % (name, shell), first, *notes)
        tap.ok(second[0] == 0 and home.state() == middle,
               "%s: %s: twice is once" % (name, shell), second)
        last = home.remove(shell)
        tap.ok(last[0] == 0 and home.state() == before,
               "%s: %s: and gone without a trace" % (name, shell), first,
               last)


def test_no_files():
    def fifo(home, name):
        os.mkfifo(home.at(name))

    def sock(home, name):
        here = os.getcwd()
        os.chdir(os.path.dirname(home.at(name)))
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(os.path.basename(name))
        os.chdir(here)

    def folder(home, name):
        os.mkdir(home.at(name))

    def sparse(home, name):
        with open(home.at(name), "w") as f:
            f.truncate(1 << 30)

    def to(target):
        return lambda home, name: os.symlink(target, home.at(name))

    for name, make in (("a pipe", fifo), ("a socket", sock),
                       ("a directory", folder), ("a sparse GB", sparse),
                       ("/dev/zero", to("/dev/zero")),
                       ("/dev/tty", to("/dev/tty")),
                       ("/proc/self/mem", to("/proc/self/mem")),
                       ("/dev/stdin", to("/dev/stdin")),
                       ("a link to itself", to("config.fish")),
                       ("a link into nowhere", to("/dev/null/x"))):
        home = Home()
        for file in NAMES:
            if name == "a link to itself":
                os.symlink(os.path.basename(file), home.at(file))
            else:
                make(home, file)
        looks(home, name, ("bash", "fish"))
        undone(home, name, ("bash", "fish"), refused=True)


def test_texts():
    for name, text in (
            ("CR LF", b"export A=1\r\nPATH=/x:$PATH\r\n"),
            ("no end", b"export A=1"), ("a BOM", b"\xef\xbb\xbfA=1\n"),
            ("only comments", b"# a\n#b"), ("nothing", b""),
            ("no text", b"A=\xff\xfe\nexport B=\xc3\n"),
            ("a backslash at the end", b"export A=1\n#\\"),
            ("a return", b"[ -z \"$PS1\" ] && return\nexport A=1")):
        home = Home().each(text)
        undone(home, name, ("bash", "zsh", "sh"))
    home = Home().each(b"A=1\0\n")
    undone(home, "a NUL", refused=True)
    many = tap.part(tap.part(range(4000)))
    home = Home().each("".join('export PATH="/opt/p%d:$PATH"\n' % i
                               for i in many))
    looks(home, "4,000 entries", ("bash",),
          PATH=":".join("/opt/p%d" % i for i in many) + ":/usr/bin")
    undone(home, "4,000 entries", ("bash", "zsh"))
    for name, text in (
            ("functions that call each other",
             "f() { g; g; g; }\ng() { f; f; f; }\nf\n"),
            ("a tower of functions", "".join(
                "f%d() { f%d; f%d; }\n" % (i, i + 1, i + 1)
                for i in range(40)) + "f0\n"),
            ("loops in loops", "for a in 1 2 3 4 5 6 7 8 9; do " * 12 +
             "A=$a;" + " done;" * 12 + "\n"),
            ("a value that doubles", "A=xx\n" + "A=$A$A\n" * 60)):
        home = Home().each(text)
        looks(home, name, ("bash", "sh"))
        undone(home, name, ("bash", "sh"))
    for name, text in (("parentheses", "(" * 20000),
                       ("substitutions", "A=" + "$(" * 20000),
                       ("ifs", "if a; then\n" * 20000)):
        looks(Home().each(text + "\n"), "open " + name)


def test_names():
    """What would drive a terminal, in names, texts and variables."""
    evil = "\x1b]0;t\x07\x1b[2J\u202e"
    home = Home()
    home.put(".cargo/bin/car%sgo" % evil, "#!/bin/sh\n")
    home.put(".d/%s" % evil, "export PATH=/opt/%s:$PATH\nif\n" % evil)
    home.put(".d/new\nline", "export A%s=1\n" % evil)
    home.each("for f in ~/.d/*; do . \"$f\"; done\n. ~/'%s'\n" % evil)
    looks(home, "terminal escapes", PATH="/usr/bin:/%s:/x\nerror y:/\xff" %
          evil, SHELL="/bin/%s" % evil)
    for args in (("which", evil, "a\nb"), ("files", evil),
                 ("path", "add", "/opt/" + evil, "--yes"),
                 ("path", "add", evil, "--yes"),
                 ("var", "set", evil + "=1", "--yes"),
                 ("fix", "crlf:" + evil, "--yes"), ("restore", evil),
                 ("apply", "/" + evil), ("detect", "--user", evil),
                 ("check", "--shell", evil)):
        got = home.run(*args)
        tap.ok(not wrong(got, args), "an operand of %s: nothing raw" %
               args[0], wrong(got, args))


def test_links():
    """.. leads out of the directory that a link leads to."""
    for name, target in (("a relative link", "link/../rc"),
                         ("an absolute link", "%s/link/../rc")):
        home = Home()
        home.put("far/away/dir/keep", "")
        home.put("far/away/rc", "# right\n")
        home.put("rc", "# wrong\n")
        home.put(".profile", ". ~/.bashrc\n")
        os.symlink("far/away/dir", home.at("link"))
        os.symlink(target.replace("%s", home.path), home.at(".bashrc"))
        home.add()
        tap.ok(DIR in home.get("far/away/rc") and
               home.get("rc") == "# wrong\n" and
               os.path.islink(home.at(".bashrc")),
               "%s: the file that the shell reads" % name)
        home.remove()
        tap.same(home.get("far/away/rc"), "# right\n", name + ": undone")
    home = Home()
    home.put("far/away/rc", 'PATH="/opt/right:$PATH"\n')
    home.put("rc", 'PATH="/opt/wrong:$PATH"\n')
    os.makedirs(home.at("far/away/dir"))
    os.symlink("far/away/dir", home.at("link"))
    home.put(".bashrc", ". ~/link/../rc\n")
    out = home.run("path", "add", "--print", "--shell", "bash",
                   "/opt/right")[1].decode()
    tap.ok("/rc:1 puts /opt/right on PATH (interactive session)" in out,
           "a file that is sourced so is followed so", out)


def test_which():
    """The file that the shell would run, by whatever entry."""
    home = Home()
    for name in ("one/prog", "two/prog", "two/only", "one/closed"):
        home.put(name, "#!/bin/sh\n")
        os.chmod(home.at(name), 0o755)
    os.chmod(home.at("one/closed"), 0o644)
    os.makedirs(home.at("one/only"))
    os.symlink("gone", home.at("one/gone"))
    for path in ("%s/one:%s/two", "%s/two/:%s/one", ":/usr/bin", "/usr/bin:",
                 "", "one:two", ".:./two", "%s//one/../two", "::", "one//",
                 "%s/one/prog:%s/two", "two/../one"):
        for cwd in ("", "two"):
            env = home.env(PATH=path.replace("%s", home.path))
            for tool in tap.part(("prog", "only", "closed", "gone")):
                want = subprocess.run(
                    ["/bin/bash", "-c", "type -P %s" % tool], env=env,
                    cwd=home.at(cwd), stdout=subprocess.PIPE,
                    text=True).stdout.strip()
                got = subprocess.run(
                    [CTL, "env", "which", "--shell", "bash", "--json", tool],
                    env=env, cwd=home.at(cwd), stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, text=True)
                doc = json.loads(got.stdout)
                want = os.path.join(home.at(cwd), want)
                found = doc["state"] == "found"
                # bash also names a file that it cannot run.
                runs = os.path.isfile(want) and \
                    os.stat(want).st_mode & 0o111 != 0
                same = found == runs and (
                    not found or os.path.samefile(want, doc["path"]))
                if not same:
                    tap.ok(False, "which %s, PATH=%s in %s" %
                           (tool, path, cwd or "~"), want, doc)
    tap.ok(True, "which: as bash finds it")


def test_shells_apart():
    """What one shell's lines need is not taken with another's."""
    home = Home()
    home.put(".bashrc", "# mine\n")
    home.put(".profile", "umask 022\n")
    before = home.state()
    home.add("bash", "/opt/of-bash")
    alone = home.state()
    home.add("sh", "/opt/of-sh")
    tap.ok("/opt/of-sh" in home.get(".profile"), "a line for sh")
    home.remove("sh", "/opt/of-sh")
    tap.ok(home.state() == alone, "taken out: what bash needs stays",
           home.get(".profile"))
    out = subprocess.run(["bash", "-lc", "echo $PATH"], env=home.env(),
                         stdout=subprocess.PIPE, text=True).stdout
    tap.ok("/opt/of-bash" in out, "and a login of bash has it", out)
    home.remove("bash", "/opt/of-bash")
    tap.ok(home.state() == before, "and goes with the last of bash's")


def test_backups():
    home = Home().each("# mine\n")
    home.add()
    place = home.at(".local/state/aegsh/env")
    for name in ("1Z_", "2Z_x", "3Z_%2F", "4Z_~%00", "5Z_%1b[31m",
                 "6Z_..%2F..%2Frc", "7Z_~", "8Z_~%2F\x1b[2J"):
        with open(os.path.join(place, name), "w") as f:
            f.write("old\n")
    os.mkfifo(os.path.join(place, "9Z_~%2F.bashrc"))
    os.symlink("/dev/zero", os.path.join(place, "9Z_~%2F.profile"))
    before = home.state()
    names = sorted(os.listdir(place))
    bad = [w for w in (wrong(home.run("backups"), ("backups",)),
                       wrong(home.run("backups", "--json"),
                             ("backups", "--json"))) if w]
    for name in names:
        args = ("restore", name, "--print")
        found = wrong(home.run(*args), args)
        bad += [found] if found else []
    tap.ok(not bad and len(names) > 10, "backups of any name", *bad)
    for name in ("1Z_", "2Z_x", "3Z_%2F", "5Z_%1b[31m", "6Z_..%2F..%2Frc",
                 "9Z_~%2F.bashrc", "9Z_~%2F.profile", "Z_", "../Z_x"):
        got = home.run("restore", name, "--yes")
        tap.ok(got[0] in (1, 111) and home.state() == before,
               "restore %s: refused" % ascii(name), got)


def test_together():
    """Thirty installers at once: each has its line in the end."""
    home = Home()
    home.put(".bashrc", "# mine\n" * 100)
    home.put(".profile", ". ~/.bashrc\n")
    names = tap.part(range(30))
    runs = [home.start("path", "add", "--yes", "--shell", "bash",
                       "/opt/t%02d" % i) for i in names]
    done = [(p.communicate(), p.returncode) for p in runs]
    text = home.get(".bashrc")
    tap.same([r for _, r in done], [0] * len(names),
             "thirty at once: all succeed")
    tap.same([i for i in names
              if text.count('"/opt/t%02d:$PATH"' % i) != 1], [],
             "and each line is there once")
    for i in names:
        home.remove("bash", "/opt/t%02d" % i)
    tap.same(home.get(".bashrc"), "# mine\n" * 100, "all taken out")


def test_ends():
    """Standard files that are closed or full."""
    home = Home().each("# mine\n")
    before = home.state()
    for how, want in (("<&-", 0), (">&-", 0), ("2>&-", 0),
                      ("<&- >&- 2>&-", 0), (">/dev/full", 111)):
        for verb in ("detect --no-probe", "check --no-probe", "files bash",
                     "which ls", "path add --yes --shell bash " + DIR,
                     "path remove --yes --shell bash " + DIR):
            status = subprocess.run(
                ["sh", "-c", 'exec "$0" env %s %s' % (verb, how), CTL],
                env=home.env(), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL).returncode
            tap.ok(status == want or (verb[:5] == "check" and status == 1),
                   "%s %s: status %d" % (verb.split()[0], how, status))
    tap.ok(home.state() == before, "what was added was taken out")


FULL = r"""
mount --make-rprivate / && mount -t tmpfs -o size=96k,mode=755 none "$1" ||
    exit 99
HOME=$1; export HOME
i=0
while [ $i -lt 200 ]; do echo "# line $i of mine, which stays"; i=$((i + 1))
done >"$HOME/.bashrc"
echo '. ~/.bashrc' >"$HOME/.profile"
sum=$(cksum <"$HOME/.bashrc")
for left in 0 1 2 3 4 5 6 7 8 9; do
	rm -rf "$HOME/.local" "$HOME/fill"
	mkdir -p "$HOME/.local/state/aegsh/env"
	: >"$HOME/.local/state/aegsh/env/lock"
	cat /dev/zero >"$HOME/fill" 2>/dev/null
	truncate -s "-$((left * 4096))" "$HOME/fill"
	"$2" env path add --yes --shell bash /opt/hostile </dev/null \
	    >/dev/null 2>&1
	status=$?
	if [ $status -eq 0 ]; then
		grep -q /opt/hostile "$HOME/.bashrc" && echo written
		exit 0
	fi
	[ $status -eq 111 ] && [ "$sum" = "$(cksum <"$HOME/.bashrc")" ] &&
	    [ -z "$(ls -A "$HOME" | grep aegshctl-)" ] || echo "broken at $left"
	echo full
done
"""


def test_full():
    """A disk with room for nothing, then for more and more."""
    if os.geteuid() != 0:
        tap.skip("a full disk", "mounting one needs root")
        return
    home = Home()
    p = subprocess.run(["unshare", "-m", "sh", "-c", FULL, "sh", home.path,
                        CTL], env=home.env(), stdin=subprocess.DEVNULL,
                       capture_output=True, text=True)
    words = p.stdout.split()
    if p.returncode == 99 or "unshare" in p.stderr:
        tap.skip("a full disk", "no mount namespace here")
        return
    tap.ok(words[:1] == ["full"] and words[-1:] == ["written"] and
           set(words) == {"full", "written"},
           "a full disk: the old file, until there is room for the new",
           p.stdout, p.stderr)


try:
    for test in (test_no_files, test_texts, test_names, test_links, test_which,
                 test_shells_apart, test_backups, test_together, test_ends,
                 test_full):
        test()
finally:
    shutil.rmtree(ROOT, ignore_errors=True)
tap.done()
