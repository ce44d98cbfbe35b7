# SPDX-License-Identifier: ISC
"""The manual names what the programs know, and nothing else: settings,
verbs and their options, columns of the store."""

import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from tap import Tap  # noqa: E402

TOP = os.environ["abs_top_srcdir"]
CTL = os.path.join(os.environ["abs_top_builddir"], "tests/bin/aegshctl")
AEGSH = os.path.join(os.environ["abs_top_builddir"], "tests/bin/aegsh")
tap = Tap()


def same(got, want, name):
    tap.ok(sorted(got) == sorted(want), name,
           "only here: %s; missing: %s" % (sorted(set(got) - set(want)),
                                           sorted(set(want) - set(got))))


def page(name):
    with open(os.path.join(TOP, "man", name), encoding="utf-8") as f:
        return f.read()


def section(text, title):
    return re.search(r"^\.Sh %s\n(.*?)(?=^\.Sh )" % title, text,
                     re.S | re.M).group(1)


def ctl(*args):
    return subprocess.run([CTL, *args], stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def words(*args):
    return [line.split("\t")[0]
            for line in ctl("__complete", "aegshctl", *args).splitlines()]


def settings():
    rows = [json.loads(r) for r in ctl("config", "show", "--json").split("\n")
            if r]
    text = section(page("aegsh.conf.5"), "SETTINGS")
    entries = dict(re.findall(r"^\.It Cm (\S+)\n(.*?)(?=^\.It Cm|\Z)", text,
                              re.S | re.M))
    same(entries, [r["name"] for r in rows], "aegsh.conf(5): settings")
    for r in rows:
        plain = re.sub(r"\\e", r"\\", entries.get(r["name"], ""))
        plain = plain.replace("\\&", "")
        default = r["default"] or "empty"
        tap.ok(re.search(r"Default:[ \n](\.Cm |\.Ql )?"
                         + re.escape(default.strip()), plain) is not None,
               "aegsh.conf(5): default of " + r["name"], plain)
        tap.ok(("Scope: operator" in plain) == (r["scope"] == "operator"),
               "aegsh.conf(5): scope of " + r["name"])


def verbs():
    names = []
    for first in words(""):
        if first in ("help", "--help", "--version"):
            continue
        second = [w for w in words(first, "") if not w.startswith(":")]
        names += [first + " " + w for w in second] or [first]
    # The verbs of env have a page of their own.
    text = section(page("aegshctl.8"), "VERBS") + \
        section(page("aegshctl-env.8"), "VERBS")
    parts = dict(re.findall(r"^\.Ss (.*?)\n(.*?)(?=^\.Ss |\Z)", text,
                            re.S | re.M))
    # Operands stand in the heading, too.
    parts = {re.sub(r" (Oo|Op|Ar|--).*", "", k): v for k, v in parts.items()}
    same(parts, names, "aegshctl(8): verbs")
    for name in names:
        options = [w[2:] for w in words(*name.split(), "-")
                   if w.startswith("--")]
        told = re.findall(r"^\.It Fl -(\S+)", parts.get(name, ""), re.M)
        same(told, options, "aegshctl(8): options of " + name)


def store(root):
    """A store as the shell makes it, read by aegshctl once."""
    subprocess.run([AEGSH, "-c", ":"], stdin=subprocess.DEVNULL, check=True)
    ctl("history")
    for folder, _, names in os.walk(os.path.join(root, "own")):
        if "audit.db" in names:
            return os.path.join(folder, "audit.db")
    raise FileNotFoundError("no audit.db below " + root)


def columns(root):
    text = section(page("aegsh-audit.5"), "SCHEMA")
    parts = dict(re.findall(r"^\.Ss (\S+)\n(.*?)(?=^\.Ss |\Z)", text,
                            re.S | re.M))
    db = sqlite3.connect(store(root))
    tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master "
                                    "WHERE type = 'table'")]
    same(parts, tables, "aegsh-audit(5): tables")
    for table in tables:
        real = [r[1] for r in db.execute("PRAGMA table_info(%s)" % table)]
        told = []
        for names in re.findall(r"^\.It Va (.*)", parts[table], re.M):
            told += names.split(" , ")
        same(told, real, "aegsh-audit(5): columns of " + table)
    for query in re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed",
                            section(page("aegsh-audit.5"), "EXAMPLES"),
                            re.S | re.M):
        try:
            db.execute(query).fetchall()
            tap.ok(True, "aegsh-audit(5): " + query.split("\n")[0])
        except sqlite3.Error as e:
            tap.ok(False, query, e)


def examples(root):
    """Files of aegsh.conf(5) load; commands of aegshctl(8) are known."""
    text = section(page("aegsh.conf.5"), "EXAMPLES")
    for block in re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed", text,
                            re.S | re.M):
        block = block.replace("\\e", "\\")
        path = os.path.join(root, "etc", "aegsh.conf")
        with open(path, "w") as f:
            f.write(block)
        p = subprocess.run([CTL, "config", "show"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
        tap.ok(p.returncode == 0 and p.stderr == "",
               "aegsh.conf(5): " + block.split("\n")[0], p.stderr)
        os.unlink(path)
    with open(os.path.join(root, "50-site.conf"), "w") as f:
        f.write("# no rule\n")
    for line in re.findall(r"^\.Dl (aegshctl .*)",
                           section(page("aegshctl.8"), "EXAMPLES"), re.M):
        line = line.replace("\\(dq", '"').replace("\\e", "\\")
        p = subprocess.run(["sh", "-c", line], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, cwd=root,
                           env=dict(os.environ, PATH=os.path.dirname(CTL)
                                    + ":/usr/bin:/bin"))
        tap.ok(p.returncode in (0, 1, 2), "aegshctl(8): " + line, p.stderr)


def main():
    # Not in /tmp: what a command may change is no place for a store.
    with tempfile.TemporaryDirectory(dir="/var/tmp",
                                     prefix="t-aegsh.") as root:
        os.chmod(root, 0o755)  # some examples become another user
        os.environ["AEGSH_TEST_ROOT"] = root
        os.environ["AEGSH_TEST_DATA"] = os.path.join(TOP, "share")
        for name in ("HOME", "XDG_CONFIG_HOME"):
            os.environ[name] = os.path.join(root, "home")
        for name in ("etc", "own", "home"):
            os.mkdir(os.path.join(root, name), 0o755)
        settings()
        verbs()
        columns(root)
        examples(root)
    tap.done()


main()
