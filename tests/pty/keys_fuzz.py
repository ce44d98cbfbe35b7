# SPDX-License-Identifier: ISC
"""Random keys, pastes and sizes of the screen: what runs in the end is what a
model of the keys says."""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
ROUNDS, KEYS = 40, 80
LETTERS = "abcxyz 09.,\u00fc\u4e2d"


class Model:
    """A line, the cursor, what was cut."""

    def __init__(self, cut):
        self.text, self.at, self.cut = "", 0, cut
        self.after_cut = None   # how it was right after a cut

    def put(self, text):
        self.text = self.text[:self.at] + text + self.text[self.at:]
        self.at += len(text)

    def take(self, start, end, keep, back=False):
        follows = (self.text, self.at) == self.after_cut
        gone = self.text[start:end]
        self.text = self.text[:start] + self.text[end:]
        self.at = start
        if not keep or not gone:
            return
        # What is still as the last cut left it goes on with it.
        if follows:
            gone = gone + self.cut if back else self.cut + gone
        self.cut = gone
        self.after_cut = (self.text, self.at)

    def before(self, is_word):
        p = self.at
        while p > 0 and not is_word(self.text[p - 1]):
            p -= 1
        while p > 0 and is_word(self.text[p - 1]):
            p -= 1
        return p

    def after(self):
        p = self.at
        while p < len(self.text) and not self.text[p].isalnum():
            p += 1
        while p < len(self.text) and self.text[p].isalnum():
            p += 1
        return p

    def recase(self, first, rest):
        end, begun, out = self.after(), False, ""
        for c in self.text[self.at:end]:
            out += (rest if begun else first)(c) if c.isalnum() else c
            begun |= c.isalnum()
        self.text = self.text[:self.at] + out + self.text[end:]
        self.at = end

    def swap(self):
        """The characters around the cursor, or the last two."""
        n = len(self.text)
        at = n - 1 if self.at == n else self.at
        if self.at == 0 or at < 1:
            return
        self.text = self.text[:at - 1] + self.text[at] + \
            self.text[at - 1] + self.text[at + 1:]
        self.at = at + 1

    def seek(self, wanted, back):
        found = self.text.rfind(wanted, 0, self.at) if back else \
            self.text.find(wanted, self.at + 1)
        if found >= 0:
            self.at = found

    def blanks(self):
        begin, end = self.at, self.at
        while begin > 0 and self.text[begin - 1] == " ":
            begin -= 1
        while end < len(self.text) and self.text[end] == " ":
            end += 1
        self.take(begin, end, False)

    def press(self, key):
        n = len(self.text)
        if key in ("\x01", "\x1b[H", "\x1bOH", "\x1b[1~"):
            self.at = 0
        elif key in ("\x05", "\x1b[F", "\x1bOF", "\x1b[4~"):
            self.at = n
        elif key in ("\x02", "\x1b[D", "\x1bOD"):
            self.at = max(self.at - 1, 0)
        elif key in ("\x1bb", "\x1b[1;5D"):
            self.at = self.before(str.isalnum)
        elif key == "\x1bu":
            self.recase(str.upper, str.upper)
        elif key == "\x1bl":
            self.recase(str.lower, str.lower)
        elif key == "\x1bc":
            self.recase(str.upper, str.lower)
        elif key == "\x14":
            self.swap()
        elif key == "\x1b\\":
            self.blanks()
        elif key[0] == "\x1d":
            self.seek(key[1], False)
        elif key[:2] == "\x1b\x1d":
            self.seek(key[2], True)
        elif key in ("\x06", "\x1b[C", "\x1bOC"):
            self.at = min(self.at + 1, n)
        elif key in ("\x1bf", "\x1b[1;5C"):
            self.at = self.after()
        elif key == "\x7f":
            if self.at:
                self.take(self.at - 1, self.at, False)
        elif key == "\x1b[3~":
            if self.at < n:
                self.take(self.at, self.at + 1, False)
        elif key == "\x0b":
            self.take(self.at, n, True)
        elif key == "\x15":
            self.take(0, self.at, True, True)
        elif key == "\x17":
            self.take(self.before(lambda c: c != " "), self.at, True, True)
        elif key == "\x1b\x7f":
            self.take(self.before(str.isalnum), self.at, True, True)
        elif key in ("\x1bd", "\x1b[3;5~"):
            self.take(self.at, self.after(), True)
        elif key == "\x19":
            self.put(self.cut)
        elif key.startswith("\x1b[200~"):
            self.put(key[6:-6])
        else:
            self.put(key)


ARROWS = ("\x1b[C", "\x1b[D", "\x1bOC", "\x1bOD", "\x1b[H", "\x1b[F",
          "\x1bOH", "\x1bOF", "\x1b[1~", "\x1b[4~", "\x1b[3~", "\x1b[1;5C",
          "\x1b[1;5D", "\x1b[3;5~")
CUTS = ("\x0b", "\x15", "\x17", "\x1b\x7f", "\x1bd")
KEYS_OF_ALL = ("\x01", "\x05", "\x02", "\x02", "\x06", "\x1b[C", "\x1bf",
               "\x7f", "\x1b[3~", "\x19", "\x0c", "\x1bb", "\x1bu", "\x1bl",
               "\x1bc", "\x14", "\x1b\\", "\x1da", "\x1b\x1dx") + CUTS + ARROWS
# Of vi's insert mode, in which ESC alone is a key.
KEYS_OF_INSERT = ("\x01", "\x05", "\x02", "\x06", "\x7f", "\x14", "\x15",
                  "\x19", "\x0c") + ARROWS


def one_key(rng, keys):
    if rng.random() < 0.6:
        return rng.choice(LETTERS)
    if rng.random() < 0.1:
        return "\x1b[200~%s\x1b[201~" % "".join(
            rng.choice(LETTERS) for _ in range(rng.randrange(1, 40)))
    return rng.choice(keys)


def play(s, seed, cut, presses, resizes, some):
    """What was cut last; None: there is no prompt any more."""
    rng = random.Random(seed)
    model, keys = Model(cut), []
    for _ in range(presses):
        key = one_key(rng, some)
        keys.append(key)
        if key != "\x0c":
            model.press(key)
        s.send(key)
        # What is longer than the screen scrolls.
        if rng.random() < 0.03 and resizes:
            s.resize(rng.randrange(40, 60), rng.randrange(20, 120))
    s.send("\x01echo '<\x05>'\r")
    found = s.expect(r"\n<([^\r\n]*)>\r\n(?:.*?)" + PROMPT)
    got = found.group(1).decode("utf-8", "replace") if found else None
    tap.same(got, model.text, "keys of seed %d" % seed)
    if got != model.text:
        print("# keys: %r" % "".join(keys))
    return model.cut if found else None


def session(rows, cols, seeds, presses, resizes, more="", some=KEYS_OF_ALL):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "%s"\n%s' % (PROMPT, more))
    s = Session([program("aegsh")], env=env, cwd=env["HOME"], cols=cols,
                rows=rows)
    cut = "" if s.expect(PROMPT) else None
    if cut is None:
        tap.ok(False, "a prompt appears", s.seen)
    for number in seeds:
        if cut is not None:
            cut = play(s, number, cut, presses, resizes, some)
    s.send("\x04")
    s.wait()
    s.close()


session(24, 80, range(ROUNDS), KEYS, True)
# Lines that are higher than the screen.
session(6, 30, range(30, 45), 200, False)
session(24, 80, range(45, 60), KEYS, True, "preview = yes\n")
session(24, 80, range(60, 75), KEYS, True, "accessible = yes\n")
session(24, 80, range(75, 90), KEYS, True, "editing = vi\n", KEYS_OF_INSERT)
# As long as one likes, beside "make check".
for number in range(int(os.environ.get("KEYS_ROUNDS", "0"))):
    session(random.randrange(6, 40), random.randrange(30, 120),
            range(1000 + 20 * number, 1020 + 20 * number), 150, False,
            *(("", KEYS_OF_ALL), ("editing = vi\n", KEYS_OF_INSERT),
              ("preview = yes\nsuggest = yes\n", KEYS_OF_ALL),
              ("accessible = yes\n", KEYS_OF_ALL))[number % 4])
tap.done()
