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

    def press(self, key):
        n = len(self.text)
        if key == "\x01":
            self.at = 0
        elif key == "\x05":
            self.at = n
        elif key == "\x02":
            self.at = max(self.at - 1, 0)
        elif key in ("\x06", "\x1b[C"):
            self.at = min(self.at + 1, n)
        elif key == "\x1bf":
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
        elif key == "\x1bd":
            self.take(self.at, self.after(), True)
        elif key == "\x19":
            self.put(self.cut)
        elif key.startswith("\x1b[200~"):
            self.put(key[6:-6])
        else:
            self.put(key)


CUTS = ("\x0b", "\x15", "\x17", "\x1b\x7f", "\x1bd")
KEYS_OF_ALL = ("\x01", "\x05", "\x02", "\x02", "\x06", "\x1b[C", "\x1bf",
               "\x7f", "\x1b[3~", "\x19", "\x0c") + CUTS


def one_key(rng):
    if rng.random() < 0.6:
        return rng.choice(LETTERS)
    if rng.random() < 0.1:
        return "\x1b[200~%s\x1b[201~" % "".join(
            rng.choice(LETTERS) for _ in range(rng.randrange(1, 40)))
    return rng.choice(KEYS_OF_ALL)


def play(s, seed, cut, presses, resizes):
    """What was cut last; None: there is no prompt any more."""
    rng = random.Random(seed)
    model, keys = Model(cut), []
    for _ in range(presses):
        key = one_key(rng)
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


def session(rows, cols, seeds, presses, resizes, more=""):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "%s"\n%s' % (PROMPT, more))
    s = Session([program("aegsh")], env=env, cwd=env["HOME"], cols=cols,
                rows=rows)
    cut = "" if s.expect(PROMPT) else None
    if cut is None:
        tap.ok(False, "a prompt appears", s.seen)
    for number in seeds:
        if cut is not None:
            cut = play(s, number, cut, presses, resizes)
    s.send("\x04")
    s.wait()
    s.close()


session(24, 80, range(ROUNDS), KEYS, True)
# Lines that are higher than the screen.
session(6, 30, range(30, 45), 200, False)
session(24, 80, range(45, 60), KEYS, True, "preview = yes\n")
session(24, 80, range(60, 75), KEYS, True, "accessible = yes\n")
tap.done()
