# SPDX-License-Identifier: ISC
"""Messages: what the sources mark is in the template and in each language,
asks for the same arguments, and fits into 80 columns."""

import os
import re
import sys
import unicodedata

top = os.environ["abs_top_srcdir"]
sys.path.insert(0, os.path.join(top, "tests", "lib"))
from tap import Tap  # noqa: E402

tap = Tap()
STRING = r'"((?:[^"\\\n]|\\.)*)"'
CONVERSION = re.compile(r"%%|%[#0\- +'I0-9.*$hlLqjzt]*[A-Za-z]")
# What stands in front or behind of it on its line, of messages that never
# have a line of their own: columns that are left.
ROOM = {"keys": 66, "topics": 66, "edge": 26}


def unescape(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(
        m.group(1), m.group(1)), text)


def read(path):
    with open(os.path.join(top, path), encoding="utf-8") as f:
        return f.read()


def joined(text):
    """String literals beside each other, as one."""
    return "".join(unescape(s) for s in re.findall(STRING, text))


def marked():
    """The texts that tr() and TR_LATER() stand around, with their files."""
    found = {}
    for room in sorted(os.listdir(os.path.join(top, "src"))):
        here = os.path.join("src", room)
        if not os.path.isdir(os.path.join(top, here)):
            continue
        for name in sorted(os.listdir(os.path.join(top, here))):
            if not name.endswith(".c"):
                continue
            text = read(os.path.join(here, name))
            for m in re.finditer(r"\b(?:tr|TR_LATER)\(\s*((?:%s\s*)+)\)" %
                                 STRING, text):
                found[joined(m.group(1))] = name
    return found


def catalogue(path):
    """Pairs of a text and its translation."""
    found, state, pair = {}, None, ["", ""]
    for line in read(path).split("\n") + ['msgid ""']:
        m = re.match(r"(msgid|msgstr) (.*)", line)
        if m:
            if m.group(1) == "msgid":
                found[pair[0]] = pair[1]
                pair = ["", ""]
            state = m.group(1) == "msgstr"
            line = m.group(2)
        if line.startswith('"'):
            pair[state] += joined(line)
    found.pop("", None)
    return found


def columns(text):
    return max(sum(0 if unicodedata.combining(c) else
                   2 if unicodedata.east_asian_width(c) in "WF" else 1
                   for c in line) for line in text.split("\n"))


def room_for(text):
    for table, start, stop, kind in (
            ("src/line/line_keys.c", "struct line_key keys[]", "};", "keys"),
            ("src/shell/bi_help.c", "topics[] = {", "};", "topics"),
            ("src/shell/outlook.c", "sayings[] = {", "};", None)):
        part = read(table)
        part = part[part.index(start):]
        part = part[:part.index(stop)]
        if kind is None:
            if text in [unescape(s) for s in re.findall(
                    r"= \{ TR_LATER\(%s\)" % STRING, part)]:
                return ROOM["edge"]
        elif text in [joined(s) for s in re.findall(
                r"TR_LATER\(((?:\s*%s)+)\)" % STRING.replace("(", "(?:", 1),
                part)]:
            return ROOM[kind]
    # What is said in a paragraph may go on in a second line.
    return 160 if "\n" not in text and columns(text) > 80 else 80


texts = marked()
tap.ok(len(texts) > 100, "messages are marked", len(texts))
template = catalogue("po/aegsh.pot")
tap.same(sorted(set(template) ^ set(texts)), [],
         "the template has what the sources mark (make update-po)")
for name in sorted(os.listdir(os.path.join(top, "po"))):
    if not name.endswith(".po"):
        continue
    own = catalogue(os.path.join("po", name))
    source = read(os.path.join("po", name))
    tap.same(sorted(set(own) ^ set(template)), [], name + ": each message")
    tap.same([t for t in own if not own[t]], [], name + ": is translated")
    tap.ok("#, fuzzy" not in source and "charset=UTF-8" in source,
           name + ": nothing is guessed")
    tap.same([t for t in own if CONVERSION.findall(t) !=
              CONVERSION.findall(own[t])], [], name + ": the same arguments")
    tap.same([t for t in own if t[:1].isspace() != own[t][:1].isspace() and
              not t.startswith(";") or
              t.endswith(" ") != own[t].endswith(" ") or
              t.endswith("\n") != own[t].endswith("\n")], [],
             name + ": the same blanks around")
    tap.same([own[t] for t in own if re.search(
        r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e]", own[t])],
        [], name + ": nothing that a terminal would follow")
    tap.same([own[t] for t in own if columns(own[t]) > room_for(t)], [],
             name + ": 80 columns")
tap.same([t for t in texts if columns(t) > room_for(t)], [], "as in English")
tap.done()
