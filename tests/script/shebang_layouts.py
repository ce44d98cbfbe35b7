# SPDX-License-Identifier: ISC
"""Generated trees: the program against the naive rule, on each of them.

SHEBANG_SEED and SHEBANG_LAYOUTS in the environment choose others and more.
"""
import collections
import os
import random
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "lib"))
import shebang_env
import shebang_naive
from tap import Tap, share

tap = Tap()
SEED = int(os.environ.get("SHEBANG_SEED", "1"))
LAYOUTS = int(os.environ.get("SHEBANG_LAYOUTS", "400"))

DIRS = [b"a", b"src", b"a b", b"a:b", b"-x", b"n\nl", b"\xff\xfe", b"$X", b"~",
        b"*", b".hidden", b"bin", b"\xc3\xa4", b"q'\"q", b"auto-python"]
ENTRIES = [b".", b"bin", b"lib", b"../lib", b"..", b"bin/sub", b"./bin/", b"",
           b"~", b"~/tools", b"@/opt", b"@/opt/", b"$V", b"${V}/sub", b"$NONE/bin",
           b"a b", b"$(id)", b"`id`", b"~/$V", b"x*", b".//", b"$EMPTY", b"bin//sub"]
WEIGHTS = [9, 9, 5, 2, 1, 2, 1, 1, 2, 2, 4, 1, 3, 2, 2, 1, 0.3, 0.3, 1, 1, 1, 1, 1]
SUFFIXES = [b"", b"primary", b"secondary", b"tertiary", b"v", b"-", b".."]
KINDS = ["program", "script", "link", "plain", "dir", "dangling", "fifo", "self",
         "hard", "copy", "device", "loop", "empty"]
KIND_WEIGHTS = [4, 6, 6, 3, 2, 3, 1, 3, 1, 1, 1, 1, 1]


class Layout:
    def __init__(self, seed, top, program, copy):
        self.rng = random.Random(seed)
        self.top = top
        self.program = program
        self.copy = copy
        self.env = {b"HOME": top + b"/home", b"V": b"lib", b"EMPTY": b"",
                    b"PATH": b"/nowhere"}
        self.name = b"auto-python"

    def chance(self, share):
        return self.rng.random() < share

    def some_path(self, deepest):
        return b"/".join(self.rng.choice(DIRS)
                         for _ in range(self.rng.randint(1, deepest)))

    def place(self, path, kind):
        """One candidate, unless something is there."""
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            return
        if os.path.lexists(path):
            return
        stock = self.top + b"/stock"
        if kind in ("script", "plain", "empty"):
            with open(path, "wb") as f:
                if kind != "empty":
                    f.write(b"#!/bin/sh\necho \"$0\" \"$@\"\n")
            os.chmod(path, 0o644 if kind == "plain" else 0o755)
        elif kind == "program":
            os.symlink(b"/bin/echo", path)
        elif kind == "link":
            os.symlink(stock, path)
        elif kind == "dir":
            os.mkdir(path)
        elif kind == "dangling":
            os.symlink(b"/nowhere/python", path)
        elif kind == "fifo":
            os.mkfifo(path, 0o755)
        elif kind == "device":
            os.symlink(b"/dev/null", path)
        elif kind == "loop":
            os.symlink(os.path.basename(path), path)
        elif kind == "self":
            os.symlink(self.program, path)
        elif kind == "hard":
            os.link(self.copy, path)
        elif kind == "copy":
            shutil.copy(self.program, path)

    def candidates(self, start):
        level = start
        while True:
            for _ in range(self.rng.choice([0, 1, 2, 3, 4])):
                entry = self.rng.choice([b".", b"bin", b"lib", b"bin/sub", b"lib/sub",
                                         b"a b"])
                suffix = self.rng.choice(SUFFIXES)
                leaf = self.name + (b"-" + suffix if suffix else b"")
                kind = self.rng.choices(KINDS, KIND_WEIGHTS)[0]
                self.place(os.path.join(level, entry, leaf), kind)
            if level == self.top:
                break
            level = os.path.dirname(level)

    def probe_dirs(self):
        entries = self.rng.choices(ENTRIES, WEIGHTS, k=self.rng.randint(1, 5))
        return b":".join(entries).replace(b"@", self.top)

    def suffixes(self):
        return b":".join(self.rng.choices(
            SUFFIXES, k=self.rng.randint(1, 4))) + self.rng.choice([b"", b":"])

    def value(self, key):
        if key == b"probe-dirs":
            return self.probe_dirs()
        if key == b"suffixes":
            return self.suffixes()
        words = shebang_naive.KEYS[key][1]
        return self.rng.choice(words) if self.chance(0.97) else b"perhaps"

    def directive_lines(self):
        lines = []
        for key in shebang_naive.KEYS:
            if not self.chance(0.35):
                continue
            value = self.value(key).replace(b" ", b"_")
            tail = self.rng.choice([b"", b" # why", b"\r", b"\tx", b" auto-shebang-x=1"])
            lines.append(self.rng.choice([b"# ", b"// ", b"", b"x"]) +
                         b"auto-shebang-" + key + b"=" + value + tail)
        self.rng.shuffle(lines)
        padding = self.rng.choice([0, 0, 0, 3, 25, 40])
        return [b"#"] * padding + lines

    def variables(self):
        for key in shebang_naive.KEYS:
            if not self.chance(0.12):
                continue
            value = self.value(key)
            if shebang_naive.KEYS[key][1] == (b"yes", b"no") and self.chance(0.9):
                value = self.rng.choice([b"1", b"0", b"1", b""])
            self.env[b"AUTO_SHEBANG_" + key.upper().replace(b"-", b"_")] = value
        for which in (b"OVERRIDE", b"FALLBACK"):
            if self.chance(0.12):
                self.env[b"AUTO_SHEBANG_" + which + b"_EXE"] = self.rng.choice(
                    [self.top + b"/stock", b"stock", self.top + b"/home", b"missing",
                     self.copy, self.program, self.top + b"/plain", b""])
        if self.chance(0.1):
            self.env[b"HOME"] = self.rng.choice([b"", b"home", b"/"])

    def build(self):
        """Makes everything; leaves script (as it is called) and cwd."""
        top = self.top
        os.makedirs(top + b"/home/tools")
        self.place(top + b"/stock", "script")
        self.place(top + b"/plain", "plain")
        if self.chance(0.4):
            self.place(top + b"/opt/" + self.name, "script")
        if self.chance(0.3):
            self.place(top + b"/home/tools/" + self.name, "link")
        if self.chance(0.2):
            self.place(top + b"/home/" + self.name, "script")
        home = top + b"/tree/" + self.some_path(5)
        os.makedirs(home)
        script = home + b"/" + self.rng.choice([b"x", b"-x.py", b"a b", b"\xff", self.name])
        with open(script, "wb") as f:
            f.write(b"\n".join([b"#!/usr/bin/env auto-python"] +
                               self.directive_lines() + [b"print()", b""]))
        os.chmod(script, self.rng.choice([0o644, 0o755]))
        self.candidates(home)
        for hop in range(self.rng.choice([0, 0, 0, 1, 1, 2, 3])):
            away = top + b"/deploy%d/" % hop + self.some_path(3)
            os.makedirs(away)
            self.candidates(away)
            target = script if self.chance(0.5) else os.path.relpath(script, away)
            script = away + b"/link%d" % hop
            os.symlink(target, script)
        self.variables()
        if self.chance(0.1):
            self.close_something()
        return self.call(script)

    def close_something(self):
        """A probe directory that may not be searched (but by root)."""
        for path, subs, _ in os.walk(self.top):
            if b"bin" in subs and not os.path.islink(path + b"/bin"):
                os.chmod(path + b"/bin", 0)
                return

    def call(self, script):
        how = self.rng.randrange(6)
        parent, leaf = os.path.split(script)
        if how == 0:
            return script, self.top
        if how == 1:
            return os.path.relpath(script, self.top), self.top
        if how == 2:
            return b"./" + leaf, parent
        if how == 3:
            os.symlink(parent, self.top + b"/dirlink")
            return b"dirlink//" + leaf, self.top
        if how == 4:
            return parent + b"/../" + os.path.basename(parent) + b"/./" + leaf, b"/"
        return self.rng.choice([leaf] * 8 + [b"missing", b"../" + os.path.basename(
            parent)]), parent


def answer(layout, arguments, cwd):
    done = subprocess.run([layout.program] + arguments, cwd=cwd, env=layout.env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)
    return done.returncode, done.stdout, done.stderr


def compare(layout, script, cwd, met):
    """What differs, as lines."""
    try:
        want, status = shebang_naive.resolve(
            layout.name, script, layout.env, layout.program, cwd), 0
    except shebang_naive.Stop as stop:
        want, status = None, stop.status
    met["exit %d" % status] += 1
    wrong = []
    got, out, err = answer(layout, [b"--resolve", b"--", layout.name, script], cwd)
    if (got, out) != (status, want + b"\n" if want else b""):
        wrong.append("resolve: wanted %d %r, got %d %r, said %r" % (
            status, want, got, out, err))
    if got != 0 and not err:
        wrong.append("resolve: no reason was said")
    expected = status if status in (0, 2) else 1
    got, out, err = answer(layout, [b"--check", b"--", layout.name, script], cwd)
    if (got, out, err) != (expected, b"", b""):
        wrong.append("check: wanted %d, got %d %r %r" % (expected, got, out, err))
    if want and os.path.getsize(want) > 0:
        got, out, err = answer(
            layout, [b"--", layout.name, script, b"one", b""], cwd)
        first = b"" if os.path.realpath(want).endswith(b"/echo") else want + b" "
        if (got, out) != (0, first + script + b" one \n"):
            wrong.append("run: wanted %r, got %d %r %r" % (
                first + script, got, out, err))
        met["run"] += 1
        met["suffix" if b"auto-python-" in os.path.basename(want) else "bare"] += 1
        met["absolute"] += want.startswith(layout.top + b"/opt/")
        met["home"] += want.startswith(layout.top + b"/home/")
        met["given"] += want.endswith(b"/stock")
        met["deployed"] += b"/deploy" in want
        met["nearest"] += want.startswith(os.path.join(cwd, os.path.dirname(script)))
    return wrong


def main():
    program = os.fsencode(shebang_env.PROGRAM)
    shebang_env.aliases()
    room = os.fsencode(shebang_env.directory("aegsh-layout-"))
    copy = room + b"/copy"
    shutil.copy(program, copy)
    met = collections.Counter()
    for number in tap.part(range(1, LAYOUTS + 1)):
        top = room + b"/%d" % number
        layout = Layout(SEED * 1000003 + number, top, program, copy)
        script, cwd = layout.build()
        wrong = compare(layout, script, cwd, met)
        tap.ok(not wrong, "layout %d" % number, *wrong,
               "script %r in %r, %r" % (script, cwd, layout.env))
        subprocess.run([b"/bin/chmod", b"-R", b"u+rwX", top], check=False,
                       stderr=subprocess.DEVNULL)
        if not wrong or "SHEBANG_KEEP" not in os.environ:
            shutil.rmtree(top, ignore_errors=True)
    # What was never met would be tested by nobody.
    lacking = [what for what in (
        "exit 0", "exit 2", "exit 126", "exit 127", "run", "suffix", "bare",
        "absolute", "home", "given", "deployed", "nearest")
               if met[what] < LAYOUTS // 200]
    if share() == 1:
        tap.ok(not lacking, "every kind of answer was met: " +
               ", ".join("%s %d" % item for item in sorted(met.items())))
    tap.done()


main()
