# SPDX-License-Identifier: ISC
"""A record that the shell of its own user writes is advisory: status, each
report, verify and the manual pages say so, and no text claims more."""
import glob
import html
import json
import os
import re
import subprocess
import sys

TOP = os.environ["abs_top_srcdir"]
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from procs import DEADLINE  # noqa: E402
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
WORDS = "its user can write to it outside aegsh"


def ctl(*args, text=""):
    return subprocess.run([program("aegshctl"), *args], env=env, input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=DEADLINE)


def flat(text):
    return " ".join(text.split())


def page(name):
    done = subprocess.run([os.environ.get("MANDOC", "mandoc"), "-T", "ascii",
                           os.path.join(TOP, "man", name)], text=True,
                          stdout=subprocess.PIPE, timeout=DEADLINE)
    return flat(re.sub(".\b", "", done.stdout))


subprocess.run([program("aegsh"), "-c", "echo one"], env=env, check=True,
               timeout=DEADLINE, stdout=subprocess.DEVNULL)

# ---- what says so -----------------------------------------------------------
said = flat(ctl("status").stdout)
tap.ok("writer stand-alone" in said and re.search("advisory (true|yes)", said)
       and "can write to the store outside aegsh" in said, "status",
       said[-900:])
record = json.loads(ctl("status", "--json").stdout)["record"]
tap.ok(record["advisory"] is True and record["writer"] == "stand-alone" and
       record["meaning"].startswith("advisory"), "status --json", record)
said = ctl("audit", "report").stdout
tap.ok("advisory: " + WORDS in flat(said), "audit report", said)
tap.same(json.loads(ctl("audit", "report", "--json").stdout)["advisory"], True,
         "audit report --json")
said = html.unescape(ctl("audit", "report", "--format", "html").stdout)
tap.ok("advisory: " + WORDS in flat(re.sub("<[^>]*>", " ", said)),
       "audit report --format html")
rows = [json.loads(r) for r in ctl("audit", "export").stdout.splitlines()]
tap.same({r["writer"] for r in rows}, {"stand-alone"}, "each row of export")
tap.ok("stand-alone" in ctl("audit", "show", "1").stdout, "audit show")

# ---- and as far as somebody else vouches for it -------------------------------


def verdict(*args, text=""):
    out = ctl("audit", "verify", "--json", *args, text=text).stdout
    return json.loads(out.splitlines()[-1])


seen = verdict()
tap.same(seen["advisory_from"], seen["first"], "verify by itself: all of it")
head = ctl("audit", "head").stdout
seq = int(re.search(r"seq=(\d+)", head).group(1))
tap.same(verdict("--witness", "-", text=head)["advisory_from"], None,
         "with a head that was kept: nothing of what was before it")
subprocess.run([program("aegsh"), "-c", "echo two"], env=env, check=True,
               timeout=DEADLINE, stdout=subprocess.DEVNULL)
tap.same(verdict("--witness", "-", text=head)["advisory_from"], seq + 1,
         "but all that came after it")
wrong = re.sub("link=.", lambda m: "link=" + "10"[m.group(0)[-1] == "1"],
               head)
seen = verdict("--witness", "-", text=wrong)
tap.ok(seen["findings"] > 0 and seen["advisory_from"] == seen["first"],
       "with one of another chain: all of it", seen)
tap.ok(re.search("^advisory.from", ctl("audit", "verify").stdout, re.M),
       "for people, too")

# ---- the pages ------------------------------------------------------------------
text = page("aegsh.7")
tap.ok("The record is advisory as long as no process of another user keeps it"
       in text and "marked 'stand-alone'" in text.replace("`", "'"),
       "aegsh(7)", re.findall(".{60}advisory.{60}", text))
text = page("aegsh-audit.5")
tap.ok("such a record is advisory" in text and
       "it does not show that nobody did" in text, "aegsh-audit(5)")

# ---- and nothing claims more ------------------------------------------------------
# What a text would say of the record if it did, sentence by sentence.
CLAIMS = re.compile(
    r"tamper[- ]?(proof|resistant)|unforgeable|unalterable|immutable|"
    r"incorruptible|non-repudia|guarantee|"
    r"(can ?not|can't|could not|never) be (altered|changed|forged|removed|"
    r"deleted|denied|rewritten|tampered)|"
    r"(nobody|no one|no user) (can|could) (ever )?(alter|change|forge|remove|"
    r"delete|deny|rewrite|tamper)", re.I)
THING = re.compile(r"\b(record|records|store|chain|audit|history|log|rows?)\b",
                   re.I)


def claims(text):
    return [s for s in re.split(r"(?<=[.;:])\s+", flat(text))
            if CLAIMS.search(s) and THING.search(s)]


tap.ok(claims("The record cannot be forged.") and
       claims("A tamper-proof\naudit log!") and
       not claims("A memory file that nobody can change."),
       "a claim would be found")
texts = {name: page(os.path.basename(name))
         for name in glob.glob(TOP + "/man/*.[1-9]")}
for name in ["README.md", "NEWS"] + sorted(
        os.path.relpath(p, TOP) for where in ("share", "po")
        for p in glob.glob(os.path.join(TOP, where, "**"), recursive=True)
        if os.path.isfile(p)):
    with open(os.path.join(TOP, name), encoding="utf-8",
              errors="replace") as file:
        texts[name] = file.read()
for name in ("aegsh", "aegshctl"):
    with open(program(name), "rb") as file:
        texts[name] = ".\n".join(
            s.decode() for s in re.findall(rb"[\x20-\x7e\n]{8,}", file.read())
            if b" " in s)
tap.ok(len(texts) > 20, "texts there are", sorted(texts))
for name in sorted(texts):
    found = claims(texts[name])
    if found:
        tap.ok(False, "%s claims no more" % name, *[f[:200] for f in found])
tap.ok(True, "%d texts were read" % len(texts))
tap.done()
