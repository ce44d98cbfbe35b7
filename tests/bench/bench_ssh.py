# SPDX-License-Identifier: ISC
"""make bench: files over ssh with aegsh as login shell, as throughput
relative to bash in the same run.  Pairs are run in turn; the median of their
ratios counts.  Root only: the login shell has to change."""

import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests", "lib"))
import ssh_rig  # noqa: E402

SIZE = 256 << 20
ROUNDS = min(15, int(sys.argv[1])) if len(sys.argv) > 1 else 7
why = ssh_rig.missing() or (os.getuid() != 0 and "only root can measure it")
if why:
    print("files over ssh: not measured: %s" % why)
    sys.exit(0)
rig = ssh_rig.Rig()
rig.sshd("host", "Subsystem sftp " + ssh_rig.SFTP_SERVER)
data = os.urandom(1 << 20)
for name in ("home/out", "client/up"):
    with open(rig.path(name), "wb") as f:
        for _ in range(SIZE >> 20):
            f.write(data)
rig.own(rig.home)
SSH = "ssh -F " + rig.config


def once(shell, argv, made):
    rig.login_shell(shell)
    if os.path.exists(made):
        os.unlink(made)
    start = time.perf_counter()
    status, _, err = rig.run(argv)
    took = time.perf_counter() - start
    if status != 0 or os.path.getsize(made) != SIZE:
        sys.exit("%r: %d: %r" % (argv, status, err))
    return took


def measure(name, argv, made):
    made = rig.path(made)
    pairs = []
    for shell in ("/bin/bash", rig.aegsh):
        once(shell, argv, made)
    for n in range(ROUNDS):
        pair = {}
        for shell in ("/bin/bash", rig.aegsh)[::1 if n % 2 else -1]:
            pair[shell] = once(shell, argv, made)
        pairs.append((pair["/bin/bash"], pair[rig.aegsh]))
    ratio = statistics.median(b / a for b, a in pairs)
    print("%-29s %6.2f (at least 0.97) %7.0f MB/s beside %7.0f MB/s" % (
        name, ratio, SIZE / 1e6 / statistics.median(a for _, a in pairs),
        SIZE / 1e6 / statistics.median(b for b, _ in pairs)))
    sys.stdout.flush()


SCP = ["scp", "-q", "-F", rig.config]
measure("scp from", SCP + ["host:out", "down"], "client/down")
measure("scp to", SCP + ["up", "host:in"], "home/in")
measure("scp -O from", SCP + ["-O", "host:out", "down"], "client/down")
measure("scp -O to", SCP + ["-O", "up", "host:in"], "home/in")
if ssh_rig.which("rsync"):
    RSYNC = ["rsync", "-W", "-e", SSH]
    measure("rsync from", RSYNC + ["host:out", "down"], "client/down")
    measure("rsync to", RSYNC + ["up", "host:in"], "home/in")
rig.close()
