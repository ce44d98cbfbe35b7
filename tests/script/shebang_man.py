# SPDX-License-Identifier: ISC
"""The EXAMPLES of auto-shebang's manual pages are run as they stand, and the
pages name every setting, variable and option that there is."""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "lib"))
import shebang_env
import transcript

HOME = "/home/ada"      # of the pages


def page(section):
    path = os.path.join(shebang_env.SOURCE, "man", "auto-shebang." + section)
    with open(path, encoding="utf-8") as f:
        return f.read()


def examples(text):
    """One case of all literal blocks of EXAMPLES."""
    part = re.search(r"^\.Sh EXAMPLES\n(.*?)^\.Sh ", text, re.M | re.S).group(1)
    blocks = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", part, re.M | re.S)
    lines = "".join(blocks).replace("\\e", "\\").replace("\\&", "")
    return transcript.parse(["== examples"] + lines.replace(HOME, "@T@").split("\n"))[0]


def library(where):
    path = os.path.join(where, "auto-shebang.sh")
    with open(os.path.join(shebang_env.SOURCE, "share", "auto-shebang",
                           "auto-shebang.sh.in"), encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace("@bindir@", where))
    return path


def source(name):
    with open(os.path.join(shebang_env.SOURCE, "src", name), encoding="utf-8") as f:
        return f.read()


def main():
    where = shebang_env.aliases()
    env = dict(shebang_env.environment(where), AUTO_SHEBANG_SH=library(where))
    results = []
    for section in "17":
        case = examples(page(section))
        results.append(("auto-shebang(%s): %d commands of its examples" % (
            section, len(case.commands)), transcript.run(case, "", env)))
        if len(case.commands) < 10:
            results[-1][1].append("hardly any example was found")

    rows = re.findall(r'^\s+\[SHEBANG_\w+\] = \{ "([a-z-]+)",\s*(?:"(\w+)"|NULL)',
                      source("shebang/shebang_settings.c"), re.M)
    missing = [key for key, _ in rows if "Ic auto-shebang-" + key not in page("7")]
    missing += [name for _, name in rows if name and "Ev " + name not in page("7")]
    results.append(("auto-shebang(7) has all %d settings" % len(rows),
                    missing + ([] if len(rows) == 6 else ["rows were not read"])))

    text = subprocess.run([shebang_env.PROGRAM, "--help"], stdout=subprocess.PIPE,
                          check=True).stdout.decode()
    options = sorted(set(re.findall(r"--(\w+)", text)))
    verbs = re.findall(r"^\t\{ \"(\w+)\", ", source("auto-shebang/main.c"), re.M)
    missing = [word for word in options if "-" + word not in page("1")]
    missing += [verb for verb in verbs if "Cm " + verb not in page("1") or verb not in text]
    results.append(("auto-shebang(1) has all %d options and %d verbs" % (
        len(options), len(verbs)), missing + ([] if options and verbs else ["none found"])))

    said = re.findall(r'SHEBANG_HEAD_LINES (\d+)|SHEBANG_LIST_MAX (\d+)|'
                      r'SHEBANG_TRIES_MAX (\d+)|SHEBANG_HOPS_MAX (\d+)|'
                      r'SHEBANG_VALUE_MAX \(\(size_t\)(\d+)\)', open(os.path.join(
                          shebang_env.SOURCE, "include", "aegsh", "shebang.h"),
                          encoding="utf-8").read())
    caps = ["".join(groups) for groups in said]
    results.append(("auto-shebang(7) has the caps %s" % " ".join(caps),
                    [cap for cap in caps if not re.search(r"\b%s\b" % cap, page("7"))] +
                    ([] if len(caps) == 5 else ["caps were not read"])))
    for number, (name, wrong) in enumerate(results, 1):
        transcript.report(number, name, wrong)
    print("1..%d" % len(results))
    return 1 if any(wrong for _, wrong in results) else 0


sys.exit(main())
