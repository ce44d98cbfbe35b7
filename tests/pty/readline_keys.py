# SPDX-License-Identifier: ISC
"""Each key that bash's readline knows, pressed in bash and in aegsh: the line
that is left is the same, or aegsh(1) names what differs, and why."""

import os
import re
import select
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
home = env["HOME"]
TEXT = "alpha beta-two Gamma.x 'a b'|wc  delta/y"
LENGTH = len(TEXT)
# Where the cursor stands: inside of words, at their bounds, at both ends.
PLACES = (0, 3, 14, 17, LENGTH)
# What is typed behind a key that waits for more.
BEHIND = {"quoted-insert": "a", "character-search": "a",
          "character-search-backward": "a", "vi-char-search": "a",
          "vi-change-char": "Z", "vi-change-to": "w", "vi-delete-to": "w",
          "vi-yank-to": "w", "vi-set-mark": "a", "vi-goto-mark": "a"}
# And in front of what puts in something that was cut.
BEFORE = {"yank": b"\x15", "vi-put": b"x"}
# Keys that say nothing about the line by themselves: they send it, or draw,
# or are the characters that this test types.
LEFT_OUT = {"accept-line", "self-insert", "clear-screen", "clear-display",
            "bracketed-paste-begin", "vi-movement-mode", "abort",
            "edit-and-execute-command", "vi-edit-and-execute-command",
            "redraw-current-line", "re-read-init-file", "prefix-meta",
            "display-shell-version", "complete", "do-lowercase-version",
            "insert-comment"}
# What would put a line into the one history and not into the other, or ask
# for something below the line: known to differ by what it is.
BY_KIND = {"operate-and-get-next", "vi-eof-maybe", "vi-search",
           "vi-search-again", "non-incremental-forward-search-history",
           "non-incremental-reverse-search-history", "fetch-history"}
COMPLETES = re.compile(r"complet|glob-|menu-complete|spell-|tilde-expand$|"
                       r"alias-expand|history-expand|shell-expand")
# Not bound to one key: numbers, motions behind an operator of vi.
MORE = {
    "emacs": ((b"\x1b2\x02", "M-2 C-b"), (b"\x1b3z", "M-3 z"),
              (b"\x1b2\x7f", "M-2 DEL"), (b"\x0b\x19\x19", "C-k C-y C-y"),
              (b"\x17\x17\x19", "C-w C-w C-y"), (b"\x1bd\x1bd\x19",
                                                 "M-d M-d C-y"),
              (b"\x1bb\x1bf\x1bf", "M-b M-f M-f"),
              (b"\x17\x1b\x7f\x19\x1by", "C-w M-DEL C-y M-y"),
              (b"\x15\x1f", "C-u C-_"), (b"\x1bB", "M-B"), (b"\x1bC", "M-C"),
              (b"\x1bD", "M-D"), (b"\x1bF", "M-F"), (b"\x1bL", "M-L"),
              (b"\x1bT", "M-T"), (b"\x1bU", "M-U")),
    "vi-insert": (),
    "vi-command": tuple((k.encode(), k) for k in (
        "dw", "db", "d$", "d0", "dd", "cwnew\x1b", "cc\x1b", "C\x1b", "D",
        "x", "3x", "X", "2dw", "rZ", "fa", "Fa", "ta", "Ta", "fa;",
        "fa,", "~", "3~", "I!\x1b", "A!\x1b", "e", "w", "b", "W", "B", "E",
        "^", "$", "0", "|", "3|", "2w", "dfa", "s!\x1b",
        "R!!\x1b", "yw$", "%", "hlhl", "dW", "dB", "de", "dE", "d^")),
}


def settings(more):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "%s"\n%s' % (PROMPT, more))


def bash(mode):
    rc = os.path.join(root, "inputrc")
    with open(rc, "w") as f:
        f.write("set bell-style none\nset enable-bracketed-paste off\n"
                "set editing-mode %s\n" % mode)
    return Session(["/bin/bash", "--norc", "--noprofile", "-i"], cols=500,
                   env=dict(env, PS1=PROMPT, INPUTRC=rc,
                            HISTFILE=os.path.join(root, "history")), cwd=home)


def aegsh(mode):
    settings("editing = %s\n" % mode)
    return Session([program("aegsh")], env=env, cwd=home, cols=500)


def bytes_of(name):
    """What "bind -p" writes for a key; None: not with this terminal."""
    out, i = b"", 0
    for m in re.finditer(r'\\C-(\\\\|.)|\\e|\\M-|\\([0-7]{3})|\\(.)|(.)', name):
        if m.group(0) == "\\M-":
            return None
        if m.group(0) == "\\e":
            out += b"\x1b"
        elif m.group(1):
            c = m.group(1)[-1]
            out += b"\x7f" if c == "?" else bytes([ord(c.upper()) & 0x1f])
        elif m.group(2):
            out += bytes([int(m.group(2), 8)])
        else:
            out += (m.group(3) or m.group(4)).encode("utf-8",
                                                     "surrogateescape")
        i += 1
    return out


def bound(s, keymap):
    """Pairs of a key and the function that it has in bash."""
    file = os.path.join(root, "bound")
    s.line(" bind -m %s -p | grep '^\"' >%s; echo do''ne" % (keymap, file))
    s.expect("done\r\n")
    s.expect(PROMPT)
    with open(file, errors="surrogateescape") as f:
        pairs = [re.match(r'"(.*)": (\S+)$', line) for line in f]
    return [m.groups() for m in pairs if m]


def settle(s):
    while select.select([s.fd], [], [], 0.002)[0]:
        os.read(s.fd, 65536)


def press(s, before, keys, behind):
    """The line that they leave, with an @ at the cursor; it is not sent."""
    s.rest = b""
    s.send(before + keys + behind)
    found = s.expect(rb"\x1b\[H\x1b\[2?J.*?" + PROMPT.encode() + rb"(.*?)%",
                     20)
    settle(s)
    # What comes while bash still draws waits there for another key.
    for _ in range(30):
        s.send("\x03")
        if s.expect(rb"\^C.*?" + PROMPT.encode(), 2):
            break
    settle(s)
    return found.group(1).decode("utf-8", "replace") if found else s.rest


def around(keymap, at):
    """Keys that type the line and go there; and that mark the place."""
    back = LENGTH - at
    if keymap == "emacs":
        return TEXT.encode() + b"\x02" * back, b"@\x05%\x0c"
    if keymap == "vi-insert":
        return TEXT.encode() + (b"\x1b" + b"h" * (back - 1) + b"i" if back
                                else b""), b"@\x1b$a%\x1b\x0c"
    return TEXT.encode() + b"\x1b" + b"h" * max(back - 1, 0), \
        b"i@\x1b$a%\x1b\x0c"


def differs(a, b, keymap, keys, places):
    """Where it does, and what is left; None: nowhere."""
    for at in places:
        before, behind = around(keymap, at)
        want, got = press(b, before, keys, behind), \
            press(a, before, keys, behind)
        if want.rstrip() != got.rstrip():
            return "at %d: bash %r, here %r" % (at, want, got)
    return None


def listed():
    """Functions of readline that aegsh(1) says differ."""
    with open(os.path.join(os.environ["abs_top_srcdir"], "man",
                           "aegsh.1")) as f:
        part = re.search(r"^\.Ss Keys that differ from readline\n(.*?)^\.S[sh]",
                         f.read(), re.S | re.M)
    return set(re.findall(r"^\.Ic (\S+)", part.group(1), re.M)) if part \
        else set()


def all_keys(keymap, known, found):
    mode = "emacs" if keymap == "emacs" else "vi"
    b, a = bash(mode), aegsh(mode)
    for s in (a, b):
        if not s.expect(PROMPT):
            tap.ok(False, "a prompt appears", s.seen)
            tap.done()
    pairs = bound(b, keymap)
    b.line(" history -c")
    b.expect(PROMPT)
    for text in ("true one 'two three'", "true four five"):
        for s in (a, b):
            s.line(text)
            s.expect(PROMPT)
    tap.ok(len(pairs) > 60, keymap + ": bash tells its keys", pairs)
    pressed = 0
    for name, function in pairs:
        keys = bytes_of(name)
        if keys is None or function in LEFT_OUT or keys == b"\x1b" or \
                keys[:1] in b"\x03\x1a\x1c\x13\x11":
            continue
        if function in BY_KIND or COMPLETES.search(function):
            found.add(function)
            continue
        pressed += 1
        keys = BEFORE.get(function, b"") + keys + \
            BEHIND.get(function, "").encode()
        why = differs(a, b, keymap, keys,
                      PLACES[1:] if function in BEFORE else PLACES)
        if why:
            found.add(function)
            tap.ok(function in known, "%s: %s (%s) differs, as the manual "
                   "says" % (keymap, name, function), why)
    tap.ok(pressed >= 30, "%s: %d keys of bash are pressed" % (keymap, pressed))
    for keys, name in MORE[keymap]:
        tap.same(differs(a, b, keymap, keys, PLACES[1:4]), None,
                 "%s: %r does the same" % (keymap, name))
    for s in (a, b):
        s.close()


known, found = listed(), set()
for keymap in sys.argv[1:] or ("emacs", "vi-insert", "vi-command"):
    all_keys(keymap, known, found)
tap.same(sorted(known), sorted(found), "the manual lists what differs, and "
         "nothing else")
tap.done()
