# SPDX-License-Identifier: ISC
"""What sudo runs in a line counts in that line's limits, and ends with it by
those of time, though no process of the user's may signal it."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from elevate_rig import (  # noqa: E402
    A, DEADLINE, HOME, NAME, ROOT, events, line, popen, rows, sudoers, tap,
    write)
from procs import command_line, until  # noqa: E402

sudoers("%s ALL=(ALL:ALL) NOPASSWD: ALL\n" % NAME)
write(ROOT + "/etc/policy.d/50-site.conf", """
profile "role" {
	extends = "admin"
	sandbox = "admin"
	elevate = broker
	elevated = direct
}
rule "site.limits" {
	decision = allow
	reason = "the site lets that"
	command = { seq, sleep, true, python3 }
}
""")
def limit(text):
    write(ROOT + "/etc/sandbox.d/admin.conf", text + "\n")


def running(*words):
    """Processes whose words end like that: sudo's, and what it started."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        argv = command_line(int(pid)).decode(errors="replace").split(
            "\0")[:-1]
        if argv and list(words) == argv[-len(words):]:
            found.append(int(pid))
    return found


def ended(name, done, what, *words):
    tap.ok(done[0] == 126 and what in done[2], name + ": the line ends", done)
    tap.ok(until(lambda: not running(*words)),
           "and what root ran in it", running(*words))


limit("limit-time = 2")
ended("time", line("sudo sleep 4798"), "limit-time",
      "/usr/bin/sleep", "4798")
tap.ok(("line-limited" in dict(events())), "on record", events())
row = rows("sudo /usr/bin/sleep 4798")[-1:] or rows("sudo sleep 4798")[-1:]
tap.ok(row and row[0]["decision"] == "allow" and row[0]["status"] not in
       (0, None), "and how the call ended, too", row)
tap.same(line("sudo true"), (0, "", ""), "what ends sooner is left alone")

limit("limit-cpu = 1")
ended("processor", line("sudo seq 9999999999999 >/dev/null"), "limit-cpu",
      "/usr/bin/seq", "9999999999999")

limit("limit-children = 14")
FORKS = """
import os, time
while not os.path.exists("up"):
    time.sleep(0.01)
got = []
r, w = os.pipe()
for i in range(10):
    try:
        pid = os.fork()
    except BlockingIOError:
        break
    if pid == 0:
        os.close(w)
        os.read(r, 1)
        os._exit(0)
    got.append(pid)
print(len(got), flush=True)
"""
p = popen(A, "-c", "sudo sleep 4799 & " * 5 + "python3 -c '%s'" % FORKS)
tap.ok(until(lambda: len(running("/usr/bin/sleep", "4799")) >= 10),
       "children: five of root's", running("/usr/bin/sleep", "4799"))
write(HOME + "/up", "")
got = p.stdout.readline()
tap.ok(got.strip().isdigit() and 0 < int(got) < 6,
       "count among the line's", got)
for pid in running("/usr/bin/sleep", "4799"):
    os.kill(pid, 9)
p.communicate(timeout=DEADLINE)
tap.done()
