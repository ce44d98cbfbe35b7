# SPDX-License-Identifier: ISC
"""make bench: sudo as a line has it, in turns with sudo itself: twenty calls of
"sudo -n true", brokered, and brokered and confined.  Root's, in mounts of its
own."""

import os
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib")]
from elevate_rig import A, NAME, ROOT, run, sudoers, write  # noqa: E402

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "7"))
CALLS = 20
LOOP = "i=0; while [ $i -lt %d ]; do sudo -n true; i=$((i+1)); done" % CALLS
sudoers("Defaults env_keep += \"AEGSH_TEST_ROOT AEGSH_TEST_DATA "
        "AEGSH_TEST_LIBEXEC AEGSH_TEST_OPERATOR\"\n"
        "%s ALL=(ALL:ALL) NOPASSWD: ALL\n" % NAME)


def policy(name):
    write(ROOT + "/etc/policy.d/50-site.conf", """
profile "role" {
	extends = "admin"
	sandbox = "admin"
	elevate = broker
	elevated = %s
	elevate_variables = { 'AEGSH_TEST_*' }
}
""" % name)


def took(*argv):
    start = time.perf_counter()
    done = run(*argv)
    if done[0] != 0 or done[2]:
        sys.exit("%r: %r" % (argv, done))
    return time.perf_counter() - start


WAYS = ("itself", "direct", "confine")
seconds = {way: [] for way in WAYS}
for _ in range(ROUNDS):
    for way in WAYS:
        if way != "itself":
            policy(way)
            took(A, "-c", "true")       # the policy is compiled anew
        # What aegsh itself takes for a line is none of sudo's.
        empty = 0 if way == "itself" else took(A, "-c", ":;:")
        argv = ("bash", "-c", LOOP) if way == "itself" else (A, "-c", LOOP)
        seconds[way].append(took(*argv) - empty)
for way in WAYS[1:]:
    ratio = statistics.median(a / b for a, b in zip(seconds[way],
                                                    seconds["itself"]))
    print("%-26s %6.3f x sudo itself (%.1f ms a call)" % (
        "sudo -n true, " + way, ratio,
        statistics.median(seconds[way]) / CALLS * 1e3))
