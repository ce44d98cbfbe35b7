# SPDX-License-Identifier: ISC
"""auto-shebang's rule once more, written from its manual the slow and plain
way: paths as bytes, one os call a question, no descriptor in sight.  The
program is held against it on generated trees."""
import os
import re
import stat

KEYS = {
    b"probe-dirs": (b".:bin", None),
    b"suffixes": (b":primary:secondary:tertiary", None),
    b"follow-symlinks": (b"no", (b"yes", b"no")),
    b"symlink-priority": (b"real-first", (b"real-first", b"symlink-first")),
    b"trust-env": (b"yes", (b"yes", b"no")),
    b"unsafe-expand-probe-dirs": (b"no", (b"yes", b"no")),
}


class Stop(Exception):
    """The search ends with an exit status."""

    def __init__(self, status):
        super().__init__(status)
        self.status = status


def directives(text):
    found = {}
    pattern = re.compile(b"auto-shebang-(" + b"|".join(KEYS) + b")=([^ \t\v\f]*)")
    for line in text.split(b"\n")[:30]:
        for key, value in pattern.findall(line):
            found[key] = value.replace(b"\r", b"")
    for key, value in found.items():
        judge(key, value)
    return found


def judge(key, value):
    words = KEYS[key][1]
    if words is not None:
        if value not in words:
            raise Stop(2)
    elif key == b"suffixes":
        if value == b"" or b"/" in value:
            raise Stop(2)
    elif value.strip(b":") == b"":
        raise Stop(2)


def settings(text, env):
    result = {key: default for key, (default, _) in KEYS.items()}
    result.update(directives(text))
    if result[b"trust-env"] == b"no":
        return result
    for key, (_, words) in KEYS.items():
        name = b"AUTO_SHEBANG_" + key.upper().replace(b"-", b"_")
        value = env.get(name, b"")
        if key == b"trust-env" or value == b"":
            continue
        if words == (b"yes", b"no"):
            value = {b"1": b"yes", b"0": b"no"}.get(value)
            if value is None:
                raise Stop(2)
        judge(key, value)
        result[key] = value
    return result


def is_resolver(path, program):
    if os.path.samefile(path, program):
        return True
    with open(path, "rb") as one, open(program, "rb") as other:
        return one.read() == other.read()


def usable(path, program, script):
    """0, or the exit status that a given file would end with."""
    try:
        mode = os.stat(path).st_mode
    except PermissionError:
        return 126
    except OSError:
        return 127
    if not stat.S_ISREG(mode) or not os.access(path, os.X_OK):
        return 126
    return 126 if is_resolver(path, program) or os.path.samefile(
        path, script) else 0


def expand(entry, variables, env):
    """The entry as a path, or None when it names nothing."""
    home = b""
    missing = False
    if entry == b"~" or entry.startswith(b"~/"):
        home, entry = env.get(b"HOME", b""), entry[1:]
        missing = not home.startswith(b"/")
    if variables:
        plain = re.sub(rb"\$([A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\})",
                       b"", entry)
        if b"$" in plain or b"`" in plain:
            raise Stop(2)

        def value(match):
            nonlocal missing
            name = match.group(1).strip(b"{}")
            missing = missing or name not in env
            return env.get(name, b"")
        entry = re.sub(rb"\$(\{?[A-Za-z_][A-Za-z0-9_]*\}?)", value, entry)
    entry = home + entry
    return None if missing or entry == b"" else entry


def tidy(entry):
    entry = re.sub(rb"^(\./+)+", b"", entry)
    entry = re.sub(rb"/+", b"/", entry)
    if len(entry) > 1 and entry.endswith(b"/"):
        entry = entry[:-1]
    return entry or b"."


def join(directory, name):
    if name == b".":
        return directory
    return directory.rstrip(b"/") + b"/" + name


def names(name, suffixes):
    parts = suffixes.split(b":")
    if parts[-1] == b"":
        parts.pop()
    return [name + b"-" + part if part else name for part in parts]


def walk(origin, entries, candidates, program, script, absolute):
    """The first usable candidate from origin upward, or None."""
    level = origin
    while True:
        for entry in entries:
            if entry.startswith(b"/"):
                if not absolute or level != origin:
                    continue
                place = entry
            else:
                place = join(level, entry)
            for candidate in candidates:
                path = join(place, candidate)
                if usable(path, program, script) == 0:
                    return path
        if level == b"/":
            return None
        level = os.path.dirname(level)


def given(variable, env, program, script, cwd):
    value = env.get(variable, b"")
    if value == b"":
        return None
    if not value.startswith(b"/"):
        value = join(cwd, value)
    status = usable(value, program, script)
    if status != 0:
        raise Stop(status)
    return value


def origins(script, follow, priority, cwd):
    directory = os.path.dirname(script)
    if not script.startswith(b"/"):
        directory = os.path.join(cwd, directory)
    here = os.path.realpath(directory)
    if not follow:
        return [here]
    there = os.path.dirname(os.path.realpath(os.path.join(cwd, script)))
    both = [there, here] if priority == b"real-first" else [here, there]
    return both if both[0] != both[1] else both[:1]


def resolve(name, script, env, program, cwd):
    """The path, or raises Stop.  env maps bytes to bytes."""
    path = os.path.join(cwd, script)
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):
            raise Stop(126)
        with open(path, "rb") as f:
            text = f.read()
    except (FileNotFoundError, NotADirectoryError):
        raise Stop(127) from None
    except OSError:
        raise Stop(126) from None
    conf = settings(text, env)
    trusted = conf[b"trust-env"] == b"yes"
    if trusted:
        found = given(b"AUTO_SHEBANG_OVERRIDE_EXE", env, program, path, cwd)
        if found:
            return found
    variables = conf[b"unsafe-expand-probe-dirs"] == b"yes"
    entries = [expand(entry, variables, env)
               for entry in conf[b"probe-dirs"].split(b":")]
    entries = [tidy(entry) for entry in entries if entry is not None]
    candidates = names(name, conf[b"suffixes"])
    for number, origin in enumerate(origins(
            script, conf[b"follow-symlinks"] == b"yes",
            conf[b"symlink-priority"], cwd)):
        found = walk(origin, entries, candidates, program, path, number == 0)
        if found:
            return found
    if trusted:
        found = given(b"AUTO_SHEBANG_FALLBACK_EXE", env, program, path, cwd)
        if found:
            return found
    raise Stop(127)
