# SPDX-License-Identifier: ISC
"""What a person sees of a question, a refusal and a menu, whole screens of it:
tests/cases/screens/NAME, at several sizes, languages and terminals.  With
GOLDEN_UPDATE set, the files are written anew, to be looked at."""

import os
import re
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from screen import Screen  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
top = os.environ["abs_top_srcdir"]
SCREENS = os.path.join(top, "tests", "cases", "screens")
BUILT = os.path.join(os.environ["abs_top_builddir"], "locale")
PROMPT = "READY>"
if os.path.isdir(BUILT):
    shutil.copytree(BUILT, os.path.join(root, "locale"))
# Names of rule files are as long wherever the tree lies.
env["AEGSH_TEST_DATA"] = shutil.copytree(os.path.join(top, "share"),
                                         os.path.join(root, "share"))
work = os.path.join(env["HOME"], "work")
os.mkdir(work)
for n in range(40):
    with open(os.path.join(work, "name-%02d" % n), "w"):
        pass
# A first session would be greeted.
with open(os.path.join(root, "etc", "aegsh.conf"), "w") as f:
    f.write('prompt = "%s "\n' % PROMPT)
s = Session([program("aegsh")], env=env, cwd=work, cols=80)
s.expect(PROMPT)
s.line("true")
s.expect(PROMPT)
s.send("\x04")
s.wait()
s.close()


def same(name, shown):
    """As the file has it, but for places and what is installed here."""
    shown = re.sub(r"/\S*/share/policy/", "POLICY/", shown)
    shown = re.sub(r"(\.conf):\d+", r"\1:LINE", shown)
    # Whether lines can be tried is the kernel's and the user's.
    shown = re.sub(r"N/t/e", "N/e", re.sub(r"\n    t [^\n]*", "", shown))
    shown = re.sub(r" -> /\S+", " -> FILE", shown)
    shown = shown.rstrip("\n") + "\n"
    path = os.path.join(SCREENS, name)
    if os.environ.get("GOLDEN_UPDATE"):
        os.makedirs(SCREENS, exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(shown)
    with open(path, encoding="utf-8") as want:
        tap.same(shown, want.read(), name)


def after(steps, cols, rows, term, env):
    """What a new screen shows after them; None where there is none."""
    with Screen(tap, program("aegsh"), env, work, cols, rows, term) as t:
        if not t.there:
            return None
        t.wait("^" + PROMPT + "$")
        shown = ""
        for keys, wants in steps:
            if isinstance(keys, list):
                t.keys(*keys)
            else:
                t.type(keys)
            shown = t.wait(wants)
        return shown


def screen(name, steps, cols=80, rows=24, term="screen", more="", **kw):
    """Steps: text to type or keys in a list, then what must be there."""
    language = kw.get("LANG", "")[:2]
    if language in ("de", "fr") and not os.path.isdir(
            os.path.join(BUILT, language)):
        tap.skip(name, "built without msgfmt")
        return
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "%s "\ncontact = "desk@example.org"\n%s' %
                   (PROMPT, more))
    end = time.monotonic() + DEADLINE
    while True:
        shown = after(steps, cols, rows, term, dict(env, **kw))
        # A machine under load: a Tab gives up early, which it says; on a
        # narrow screen not to the end.
        if "(not all: looking" not in (shown or "") or time.monotonic() > end:
            break
    if shown is not None:
        same(name, shown)


REFUSED = (("nc -e sh 127.0.0.1 1", r"1 1$"),
           (["Enter"], r"\n(.*\n)+READY>$"))
ASKED = (("cat f | sh", r"\| sh$"), (["Enter"], r"\?\] ?$"),)
MORE = ASKED + ((["?", "Enter"], r"\?\].*\n(.*\n)+.*\?\] ?$"),
                (["n", "Enter"], r"^READY>$"))
MENU = (("ls name-", "name-$"), (["Tab"], r"name-39\n(.*\n)*READY> ls name-$|"
                                 r"Tab.*\n(.*\n)*READY> ls name-$"))
OUTLOOK = (("uname -r", r"\[[^\]]+\]$"),)
for size in ((80, 24), (40, 24), (20, 24)):
    at = "-%dx%d" % size
    screen("refusal" + at, REFUSED, *size)
    screen("question" + at, ASKED, *size)
    screen("menu" + at, MENU, *size)
screen("menu-80x8", MENU, 80, 8)
screen("refusal-dumb", REFUSED, term="dumb")
screen("question-dumb", ASKED, term="dumb")
screen("menu-dumb", MENU, term="dumb")
screen("menu-accessible", MENU, 40, 60, more="accessible = yes\n")
screen("question-more", MORE, 80, 60)
for lang in ("de", "fr"):
    there = {"LANG": lang + "_XX.UTF-8"}
    screen("refusal-" + lang, REFUSED, **there)
    screen("question-" + lang, ASKED, **there)
    screen("question-more-" + lang, MORE, 80, 60, **there)
    screen("outlook-" + lang, OUTLOOK, more="preview = yes\n", **there)
screen("refusal-C", REFUSED, LANG="C")
screen("outlook", OUTLOOK, more="preview = yes\n")
tap.done()
