# SPDX-License-Identifier: ISC
"""Messages in the language of the person, at a prompt and nowhere else; from
catalogues of the operator alone, whatever the environment asks for."""

import os
import re
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
PROMPT = "READY> "
home = env["HOME"]
BUILT = os.path.join(os.environ["abs_top_builddir"], "locale")
BLOCKED = "nc -e sh 127.0.0.1 1"
if not os.path.exists(os.path.join(BUILT, "de", "LC_MESSAGES", "aegsh.mo")):
    tap.skip("languages", "built without msgfmt")
    tap.done()
    sys.exit(0)
shutil.copytree(BUILT, os.path.join(root, "locale"))
with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
    conf.write('prompt = "%s"\ncontact = "desk"\n' % PROMPT)


def start(**kw):
    s = Session([program("aegsh")], env=dict(env, **kw), cwd=home, cols=80)
    if not s.expect(PROMPT):
        tap.ok(False, "a prompt appears", s.seen.decode("utf-8", "replace"))
        tap.done()
    return s


def end(s):
    s.send("\x15\x04")
    s.wait()
    s.close()


def talk(s, steps, language):
    for keys, want in steps:
        s.send(keys)
        tap.ok(s.expect(want), "%s: %r: %s" % (language, keys, want),
               s.rest[-400:].decode("utf-8", "replace"))
    s.expect(PROMPT)


def german():
    s = start(LANG="de_DE.UTF-8")
    tap.ok("jede Zeile wird beurteilt" in s.seen.decode(), "de: a greeting",
           s.seen)
    talk(s, (
        (BLOCKED + "\r", r"aegsh: gesperrt: .*\[harm.netcat-exec\]; "
         "stattdessen: ssh"), ("", "wer entscheidet, was hier laufen darf: "
                                   "desk\r"), ("", PROMPT),
        ("ls | sh\x18?", "Du wirst gefragt:"), ("", "Programme:"),
        ("\r", "aegsh fragt: "), ("", "Zeile: ls"),
        ("", r"Ausführen\? \[y/N[a-z/]*/\?\] "), ("?\r", "Antworten"),
        ("", "aufgezeichnet"), ("", "Ausführen"),
        ("n\r", "aegsh: nicht ausgeführt: du hast nein gesagt\r"),
        ("", PROMPT), ("help\r", "Themen"), ("", PROMPT),
        ("help keys\r", "Tab +das Wort ergänzen"), ("", PROMPT),
        ("\x12zz", r"\(nicht gefunden\)`zz'"), ("\x07", PROMPT),
        ("echo 'a\r", "Anführung '> "), ("'\r", PROMPT),
        ("cat <<E\r", "Here-Dokument E> "), ("E\r", "\r\n")), "de")
    end(s)


def french():
    s = start(LANG="de_DE.UTF-8", LC_ALL="fr_CA.UTF-8", LC_MESSAGES="C")
    talk(s, ((BLOCKED + "\r", "aegsh: bloqué: "), ("", PROMPT),
             ("help blocked\r", "selon quelle règle"), ("", PROMPT),
             ("ls | sh\r", r"Exécuter \? "), ("n\r", "vous avez dit non")),
         "fr")
    end(s)


def says_english(name, **kw):
    s = start(**kw)
    s.line(BLOCKED)
    tap.ok(s.expect("aegsh: blocked: ") and b"evil" not in s.seen, name,
           s.seen[-500:])
    s.expect(PROMPT)
    end(s)


def evil(path):
    """A catalogue that would be told at once."""
    os.makedirs(os.path.dirname(path))
    pairs = [("", "Content-Type: text/plain; charset=UTF-8\n"),
             ("blocked", "evil")]
    texts = [t.encode() for p in zip(*pairs) for t in p]
    at, rows, body = 28 + 16 * len(pairs), b"", b""
    for t in texts:
        rows += struct.pack("=II", len(t), at + len(body))
        body += t + b"\0"
    with open(path, "wb") as f:
        f.write(struct.pack("=7I", 0x950412de, 0, len(pairs), 28,
                            28 + 8 * len(pairs), 0, 0) + rows + body)
    os.chmod(path, 0o644)


def english():
    says_english("no language is asked for", LANG="C.UTF-8")
    says_english("one that is not there", LANG="tlh.UTF-8")
    says_english("not in UTF-8", LANG="de_DE.ISO-8859-1")
    says_english("LC_ALL before LANG", LC_ALL="C", LANG="de_DE.UTF-8")
    own = os.path.join(home, "own")
    evil(os.path.join(own, "de", "LC_MESSAGES", "aegsh.mo"))
    there = os.path.relpath(own, os.path.join(root, "locale"))
    trick = {"LANGUAGE": there + "/de:" + own, "TEXTDOMAINDIR": own,
             "LOCPATH": own, "NLSPATH": own + "/%L/LC_MESSAGES/aegsh.mo",
             "GCONV_PATH": own, "TEXTDOMAIN": "aegsh"}
    says_english("no variable leads elsewhere", LANG="C.UTF-8", **trick)
    for value in (there + "/de.UTF-8", own + "/de.UTF-8", "../de.UTF-8"):
        says_english("nor does the name of a language: " + value, LANG=value)
    s = start(LANG="de_DE.UTF-8", **trick)
    s.line(BLOCKED)
    tap.ok(s.expect("gesperrt") and b"evil" not in s.seen,
           "nor one that is there", s.seen)
    s.expect(PROMPT)
    end(s)
    mo = os.path.join(root, "locale", "de", "LC_MESSAGES", "aegsh.mo")
    os.chmod(mo, 0o666)
    says_english("a catalogue that others may write", LANG="de_DE.UTF-8")
    os.chmod(mo, 0o644)
    with open(mo, "r+b") as f:
        f.truncate(2000)
    says_english("one that is cut off", LANG="de_DE.UTF-8")
    shutil.copy(os.path.join(BUILT, "de", "LC_MESSAGES", "aegsh.mo"), mo)


def programs():
    """Who is no person gets English: what comes on the record, too."""
    german = dict(env, LANG="de_DE.UTF-8")
    for words in (["-c", BLOCKED], [], ["-c", "ls | sh"]):
        done = subprocess.run([program("aegsh"), *words], env=german,
                              cwd=home, input=BLOCKED + "\n", text=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT,
                              start_new_session=True)
        tap.ok(re.search("aegsh: (blocked|not run, as nobody)", done.stdout)
               and "gesperrt" not in done.stdout,
               "English: aegsh " + " ".join(words), done.stdout)
    past = subprocess.run([program("aegshctl"), "history", "--json"],
                          env=german, cwd=home, text=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT).stdout
    tap.ok("harm.netcat-exec" in past and "gesperrt" not in past and
           "Programme" not in past, "the record is English", past[-500:])


for part in (german, french, english, programs):
    part()
tap.done()
