# SPDX-License-Identifier: ISC
"""The same mistake has the same exit status with every verb: the one that
the table in aegshctl(8) names.  And options stand anywhere."""

import os
import re
import shutil
import subprocess
import sys

TOP = os.environ["abs_top_srcdir"]
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
ROOT = os.getuid() == 0
CTL = os.path.join(root, "aegshctl")
shutil.copy(program("aegshctl"), CTL)
os.chmod(CTL, 0o755)
os.chmod(os.path.join(root, "own"), 0o1777)
os.chmod(env["HOME"], 0o777)
for name in ("SUDO_UID", "PKEXEC_UID", "DOAS_USER"):
    env.pop(name, None)


def run(*argv, as_user=False):
    more = {"AEGSH_TEST_OPERATOR": "0"} if as_user else {}
    who = ["setpriv", "--reuid", "65534", "--regid", "65534",
           "--clear-groups"] if as_user and ROOT else []
    return subprocess.run([*who, CTL, *argv], env=dict(env, **more),
                          cwd=env["HOME"], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60)


def put(name, text):
    path = os.path.join(env["HOME"], name)
    with open(path, "w") as f:
        f.write(text)
    return path


put("bad.conf", "x\n")
put("bad.json", "x\n")
put("bad.jsonl", "x\n")
STORE = ["history", "audit log", "audit show 1", "audit replay 1", "audit search x",
         "audit tail", "audit events", "audit report", "audit stats",
         "audit export", "audit verify", "audit head",
         "audit prune --keep 9", "policy diff - -"]
ENV = ["env detect", "env files", "env check", "env which ls",
       "env path add /x", "env var set A=b", "env fix x", "env backups",
       "env restore x"]
NO_OPERAND = ["status", "doctor", "history", "audit log", "audit tail",
              "audit events", "audit report", "audit stats", "audit token",
              "audit export", "audit verify", "audit head", "audit key",
              "audit sign --all", "audit prune --keep 9", "allowlist",
              "blocklist", "profile list",
              "sandbox probe", "config show", "validator test",
              "cache stats", "cache clear", "env detect", "env check",
              "env backups", "env sandbox"]
OPERAND = ["audit show", "audit replay", "audit search", "audit backup", "test", "parse",
           "policy check", "policy diff", "policy install", "policy edit", "sandbox explain",
           "validator replay", "env which", "env path", "env var", "env fix",
           "env apply", "env restore", "env wrap", "env run"]
VERBS = sorted(set(NO_OPERAND + OPERAND + ["profile show", "sandbox show",
                                           "env files"]))
MISTAKES = {
    "no such verb": ["nosuch", "config", "config nosuch", "help nosuch"],
    "no such option": [v + " --nosuch" for v in VERBS],
    "too few operands": OPERAND + ["policy diff -", "env path add"],
    "too many operands": [v + " extra" for v in NO_OPERAND] + [
        v + " x y" for v in (
            "audit show", "audit replay", "audit search", "audit backup",
            "test", "parse",
            "policy install", "policy edit", "profile show", "sandbox show",
            "sandbox explain",
            "validator replay", "env files", "env apply", "env restore")] + [
                "policy diff - - -"],
    "a value that is none": [
        "audit prune --keep x", "audit prune --keep 0",
        "history --since nosuch", "history --limit x", "history --status x",
        "history --decision x", "history --session x", "audit events -n x",
        "audit events --since x", "audit report --format x",
        "audit export --format x", "policy diff --limit x - -",
        "policy diff --since x - -", "validator replay --limit x f",
        "test --origin x ls", "env files --session x", "env files x",
        "env path grow /x", "env path add relative", "env var set 1a=x",
        "policy edit a/b", "policy install bad.json"],
    "no such user": [v + " --user nosuch-user" for v in
                     STORE + ENV + ["test ls"]],
    "no such profile of the policy or the sandbox": [
        "test --profile x ls", "allowlist --profile x",
        "blocklist --profile x", "policy diff --profile x - -",
        "profile show x", "sandbox show x", "sandbox explain --sandbox x /",
        "doctor --sandbox x"],
    "not root, or not the operator": [v + " --user root" for v in
                                      STORE + ENV] + [
        "history --all", "audit log --all", "audit key",
        "audit sign --all", "policy install bad.conf",
        "policy edit bad.conf"],
    "a file that holds something else": [
        "env apply bad.json", "policy diff bad.conf -"],
    "the same, where the verb tells just that": [
        "policy check bad.conf", "policy install bad.conf",
        "parse --file bad.incomplete"],
    "no such line, backup, finding or program": [
        "audit show 99", "audit show x", "audit replay 99", "audit verify --row 99",
        "history --search x",
        "audit search x", "env restore nosuch", "env fix nosuch",
        "env which nosuch-program"],
    "a file or directory that cannot be read": [
        "policy check nosuch.conf", "policy install nosuch.conf",
        "policy diff nosuch -", "parse --file nosuch", "env apply nosuch",
        "audit verify --witness nosuch", "audit verify --key nosuch", "doctor --root nosuch",
        "test --cwd nosuch ls"],
    "settings that are wrong": [
        "history", "audit log", "config show", "test ls", "allowlist",
        "profile show", "profile list", "sandbox show", "sandbox explain /",
        "validator test", "policy diff - -"],
}
put("bad.incomplete", "if true; then\n")

with open(os.path.join(TOP, "man", "aegshctl.8")) as f:
    section = f.read().split(".Sh EXIT STATUS")[1].split(".Sh ")[0]
documented = {words: int(status) for words, status in
              re.findall(r"^\.It (.*) Ta (\d+)$", section, re.M)}
tap.same(sorted(documented), sorted(MISTAKES), "the mistakes of the manual")
for mistake, lines in MISTAKES.items():
    want = documented.get(mistake)
    conf = os.path.join(root, "etc", "aegsh.conf")
    if mistake.startswith("settings"):
        with open(conf, "w") as f:
            f.write("nonsense = 1\n")
        # A store is read without them; what is shown of it is not.
        lines = [x for x in lines if x not in ("history", "audit log")]
    for line in lines:
        got = run(*line.split(), as_user=mistake.startswith("not root"))
        said = got.stderr.decode("utf-8", "replace")
        # What is not there, and what a program asks, needs no words.
        quiet = want == 1 and line.startswith(("history", "audit search",
                                               "env which", "parse"))
        tap.ok(got.returncode == want and (quiet or said != ""),
               "%s: %s" % (mistake, line), "status %d, want %s" %
               (got.returncode, want), said[:300])
        if want == 100:
            first = said.split("\n")[0]
            tap.ok(not first.startswith("usage:"),
                   "%s: %s: the reason comes first" % (mistake, line), first)
    if os.path.exists(conf):
        os.unlink(conf)

# ---- options anywhere ---------------------------------------------------------

for one, other in (
        ("audit show --json 1", "audit show 1 --json"),
        ("audit search --json --limit 3 x", "audit search x --limit 3 --json"),
        ("test --json --origin command ls",
         "test ls --json --origin command"),
        ("test --json -- -x", "test --json -- -x"),
        ("parse --json ls", "parse ls --json"),
        ("profile show --json standard", "profile show standard --json"),
        ("sandbox show --json standard", "sandbox show standard --json"),
        ("sandbox explain --json --write /x",
         "sandbox explain /x --json --write"),
        ("policy check --json bad.conf bad.conf",
         "policy check bad.conf --json bad.conf"),
        ("policy diff --limit 3 --json - -", "policy diff - --limit 3 - "
         "--json"),
        ("env which --json ls cat", "env which ls --json cat"),
        ("env path --print --json add /x /y",
         "env path add /x --json /y --print"),
        ("env files --json --session cron zsh",
         "env files zsh --session cron --json"),
        ("env wrap -- ls --json", "env wrap ls --json")):
    a, b = run(*one.split()), run(*other.split())
    tap.same((b.returncode, b.stdout, b.stderr),
             (a.returncode, a.stdout, a.stderr), "%s: the same as %s" %
             (other, one))
tap.ok(b'ls --json' in run("env", "wrap", "ls", "--json").stdout,
       "options of a command are its own")
got = run("test", "rm", "-rf", "x")
tap.ok(got.returncode == 100 and b"--" in got.stderr.split(b"\n")[0],
       "an option behind an operand is named, with the way out", got.stderr)
tap.done()
