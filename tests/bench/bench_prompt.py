# SPDX-License-Identifier: ISC
"""make bench-prompt: how long a key waits at the prompt, beside bash with
readline on the same terminal: medians, and their ratio."""

import os
import select
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from pty_session import Session, place, program  # noqa: E402

root, env = place()
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
PROMPT = "READY> "
# Or that the time which aegsh has for it is over.
MENU = "--reverse|not all: "
COMPLETION = "/usr/share/bash-completion/bash_completion"
PASTED = 10000
LONG = "echo " + "word " * 199          # 1,000 bytes


def settings(more):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as conf:
        conf.write('prompt = "%s"\n%s' % (PROMPT, more))


def shells():
    """Name, and a session at its prompt."""
    rc = os.path.join(root, "rc")
    with open(rc, "w") as f:
        f.write("PS1='%s'\n" % PROMPT)
        if os.path.exists(COMPLETION):
            f.write(". %s\n" % COMPLETION)
    yield "bash", ["/bin/bash", "--noprofile", "--rcfile", rc], ""
    for name, more in (("aegsh", ""), ("aegsh, preview", "preview = yes\n"),
                       ("aegsh, accessible", "accessible = yes\n")):
        yield name, [program("aegsh")], more


def start(argv, more):
    settings(more)
    s = Session(argv, env=dict(env, HISTFILE=os.path.join(root, "hist")),
                cwd=env["HOME"], cols=100)
    if not s.expect(PROMPT):
        sys.exit("%r shows no prompt: %r" % (argv, s.seen))
    return s


def settle(s):
    """Until nothing has come for a while; what is shown late is over."""
    while select.select([s.fd], [], [], 0.05)[0]:
        s.seen += os.read(s.fd, 65536)
    s.rest = b""


def took(s, keys, pattern):
    """Milliseconds from keys to what they bring on the screen."""
    settle(s)
    begin = time.perf_counter()
    s.send(keys)
    if not s.expect(pattern, 20):
        sys.exit("%r brings no %r: %r" % (keys, pattern, s.seen[-300:]))
    return (time.perf_counter() - begin) * 1000


def clear(s):
    s.send("\x05\x15")
    settle(s)


def key(s):
    out = []
    for _ in range(ROUNDS // 6):
        clear(s)
        # No blanks: beside a preview, the cursor goes over them.
        out += [took(s, c, c) for c in "echoqj"]
    clear(s)
    return statistics.median(out)


def long_key(s):
    clear(s)
    s.send(LONG)
    out = [took(s, c, c) for c in "qxyzjk" * (ROUNDS // 6)]
    clear(s)
    return statistics.median(out)


def drawing(s):
    clear(s)
    return statistics.median(took(s, "\r", PROMPT) for _ in range(ROUNDS))


def search(s):
    for n in range(10):
        s.line("true number%d" % n)
        s.expect(PROMPT)
    out = []
    for n in range(max(ROUNDS // 6, 5)):
        s.send("\x12number")
        out.append(took(s, str(n % 10), "%d': " % (n % 10)))
        s.send("\x07")
        clear(s)
    return statistics.median(out)


def first_tab(s):
    s.send("ls --re")
    settle(s)
    out = took(s, "\t\t" if s.bash else "\t", MENU)
    clear(s)
    return out


def tab(s):
    out = []
    for _ in range(max(ROUNDS // 6, 5)):
        s.send("ls --re")
        out.append(took(s, "\t\t" if s.bash else "\t", MENU))
        clear(s)
    return statistics.median(out)


def name_tab(s):
    out = []
    for _ in range(max(ROUNDS // 6, 5)):
        s.send("ls file-")
        out.append(took(s, "\t\t" if s.bash else "\t", "file-two"))
        clear(s)
    return statistics.median(out)


def paste(s):
    """10,000 lines, put in, sent by one Enter and run."""
    lines = "".join(":\n" for _ in range(PASTED - 1))
    pasted = ("\x1b[200~%secho al''l\x1b[201~\r" % lines).encode()
    settle(s)
    begin = time.perf_counter()
    os.set_blocking(s.fd, False)
    while pasted:
        _, writable, _ = select.select([s.fd], [s.fd], [], 20)
        if writable:
            try:
                pasted = pasted[os.write(s.fd, pasted[:4096]):]
            except BlockingIOError:
                pass
        # What it draws has to be read, or each waits for the other.
        s._fill(time.monotonic() + 0.001)
    os.set_blocking(s.fd, True)
    if not s.expect(r"\n\r?all\r.*?" + PROMPT, 120):
        sys.exit("a paste comes to no end: %r" % s.seen[-300:])
    return (time.perf_counter() - begin) * 1000


MEASURES = (("key to screen", key), ("key, in 1,000 bytes", long_key),
            ("prompt drawing", drawing), ("history search", search),
            ("first Tab to menu", first_tab), ("Tab to menu", tab),
            ("Tab to names", name_tab), ("paste of 10,000 lines", paste))
for file in ("file-one", "file-two"):
    with open(os.path.join(env["HOME"], file), "w"):
        pass
base = {}
for shell, argv, more in shells():
    s = start(argv, more)
    s.bash = shell == "bash"
    for name, measure in MEASURES:
        ms = measure(s)
        base.setdefault(name, ms)
        print("%-18s %-21s %8.3f ms  %6.2f of bash" % (
            shell, name, ms, ms / base[name]), flush=True)
    s.send("\x05\x15\x04")
    s.wait()
    s.close()
