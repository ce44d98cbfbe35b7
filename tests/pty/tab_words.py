# SPDX-License-Identifier: ISC
"""What a completion is told of the line, beside what bash itself tells it:
the same script, the same keys, in both shells."""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
from procs import DEADLINE  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

LINES = [
    "told ", "told a", "told a ", "told a b c", "told --x=", "told --x=y",
    "told --x= ", "told a:b", "told a::b", "told user@host:/p", "told 'a b' ",
    "told 'a b", 'told "a b', 'told "a \\" b" c', "told a\\ b ", "told a\\ b",
    "told a'b c'd e", "told a\"b=c\"d", "told =", "told = ", "told a=b=c",
    "true; told x y", "true && told x", "x=1 told y z", "told  a   b  ",
    "told $(echo a b) c", "told `echo a b` c", "told \"$(echo a)\" c",
    "told \u00e4 \u00f6", "told -a -- b", "told a=",
    "told ~/x ", "told a\\", "told '' ", "(told a b", "if told a",
]
# Where it is not told the same, and why that is no harm.
DIFFERS = {
    "told `echo a b` c": "bash completes nothing behind backquotes",
    "if told a": "bash takes if for the command",
}
SCRIPT = r"""
_told() {
	local r=W$COMP_CWORD w LC_ALL=C i
	for w in "$COMP_LINE" "${COMP_WORDS[@]}" "$2" "$3"; do
		r+=_
		for ((i = 0; i < ${#w}; i++)); do
			printf -v r '%s%02x' "$r" "'${w:i:1}"
		done
	done
	COMPREPLY=("$r"Z)
}
complete -F _told told
"""
PROMPT = "READY> "
tap = Tap()
root, env = place()
ours = os.path.join(root, "etc", "completions-of-site")
os.makedirs(ours + "/completions")
with open(ours + "/completions/told", "w") as f:
    f.write(SCRIPT)
with open(os.path.join(root, "etc", "aegsh.conf"), "w") as f:
    f.write('prompt = "%s"\ncompletion-dirs = "%s"\n' % (PROMPT, ours))


def told(s, line):
    """Numbers and words that the completion says it got."""
    end = time.monotonic() + DEADLINE
    while True:
        s.rest = b""
        s.send("\x15" + line + "\t")
        found = s.expect(r"W(\d+)_([0-9a-f_]*)Z|took too long")
        if not found or found.group(1) or time.monotonic() > end:
            break
    if not found or not found.group(1):
        return None
    # Bytes above 127 are printed as negative numbers, in 16 digits.
    words = [w.replace("ffffffffffffff", "")
             for w in found.group(2).decode().split("_")]
    return int(found.group(1)), [bytes.fromhex(w).decode("utf-8", "replace")
                                 for w in words]


a = Session([program("aegsh")], env=env, cwd=env["HOME"], cols=2000)
a.expect(PROMPT)
b = Session(["/bin/bash", "--norc", "--noprofile", "-i"],
            env=dict(env, PS1=PROMPT), cwd=env["HOME"], cols=2000)
b.expect(PROMPT)
b.send("bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; "
       ". %s/completions/told; echo lo''aded\r" % ours)
b.expect("loaded\r")
b.expect(PROMPT)
for text in LINES:
    got = told(a, text)
    want = told(b, text) if text not in DIFFERS else None
    if text in DIFFERS:
        tap.ok(got is not None, "%s (differs: %s)" % (text, DIFFERS[text]))
    else:
        tap.same(got, want, text)
a.close()
b.close()
tap.done()
