# SPDX-License-Identifier: ISC
"""What a command of a line finds itself with is what bash would have given it,
whichever way the line came, and nothing more; and what aegsh and its helpers
have in memory, or open, it cannot look at.

As root the lines run as a uid that nobody has."""
import json
import os
import resource
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_top_srcdir"], "tests/lib"))
from exec_rig import unused_uid  # noqa: E402
from procs import DEADLINE  # noqa: E402
from pty_session import Session, place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
UID = unused_uid() if os.getuid() == 0 else os.getuid()
ROOT, ENV = place(operator=True, leaks=False)
HOME = ENV["HOME"]
AEGSH = ROOT + "/aegsh"
PY = "/usr/bin/python3"
subprocess.run(["cp", program("aegsh"), AEGSH], check=True)
os.makedirs(ROOT + "/etc/policy.d")
os.makedirs(ROOT + "/etc/sandbox.d")
with open(ROOT + "/etc/policy.d/50-t.conf", "w") as f:
    f.write('profile "t" {\n\tsandbox = "admin"\n\trank = 20\n'
            '\tunknown = allow\n\task_at = 1000\n\tuse = { common }\n'
            '\toverride = { ask.stdin-program }\n}\n'
            "match \"all\" { user = { '*' } profile = t }\n"
            "rule \"t\" { decision = allow reason = r command = { '.' } }\n")
if os.getuid() == 0:
    os.chown(HOME, UID, UID)
    os.chmod(ROOT + "/own", 0o1777)
SECRET = "plugh-%d-xyzzy" % os.getpid()
ENV["HIDDEN_TOKEN"] = SECRET

with open(HOME + "/look.py", "w") as f:
    f.write(r'''
import ctypes, json, os, resource, sys
libc = ctypes.CDLL(None)
fds = {}
for fd in os.listdir("/proc/self/fd"):
    try:
        fds[fd] = os.readlink("/proc/self/fd/" + fd).split(":")[0]
    except OSError:
        pass
status = dict(line.split(":\t", 1) for line in open("/proc/self/status")
              if ":\t" in line)
stat = open("/proc/self/stat").read().rpartition(")")[2].split()
signal = ctypes.c_int(-1)
libc.prctl(2, ctypes.byref(signal), 0, 0, 0)
reaper = ctypes.c_int(-1)
libc.prctl(37, ctypes.byref(reaper), 0, 0, 0)
mask = os.umask(0)
json.dump({
    "descriptors": sorted(int(fd) for fd in fds if int(fd) > 2),
    # Without libc's own two, which make leaves ignored and aegsh resets.
    "blocked": status["SigBlk"].strip(),
    "ignored": "%x" % (int(status["SigIgn"], 16) & ~(3 << 31)),
    "pending": status["SigPnd"].strip() + status["ShdPnd"].strip(),
    "umask": "%o" % mask, "terminal": stat[4] != "0",
    "nice": stat[16], "policy": stat[38],
    "oom": open("/proc/self/oom_score_adj").read(),
    "core filter": open("/proc/self/coredump_filter").read(),
    "death signal": signal.value, "reaper": reaper.value,
    "dumpable": libc.prctl(3, 0, 0, 0, 0), "keeps": libc.prctl(7, 0, 0, 0, 0),
    "ambient": status["CapAmb"].strip(), "slack": libc.prctl(30, 0, 0, 0, 0),
    "limits": {str(n): resource.getrlimit(n) for n in range(16)},
    "names": sorted(n for n in os.environ if n != "_"),
    "cwd": os.getcwd(),
}, open(sys.argv[1], "w"))
''')

# A process of aegsh's, seen from a command: what of it can be had.
with open(HOME + "/proc.py", "w") as f:
    f.write(r'''
import ctypes, json, os, signal, sys
libc = ctypes.CDLL(None, use_errno=True)
got, seen = [], []
def stat(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            head, _, tail = f.read().rpartition(")")
        return head.split("(", 1)[1], int(tail.split()[1])
    except OSError:
        return None
class Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]
top, ours = int(sys.argv[2]), set()
pids = [int(p) for p in os.listdir("/proc") if p.isdigit()]
for pid in pids:
    at, chain = pid, []
    while at > 1 and stat(at):
        chain.append(at)
        if at == top:
            ours.add(pid)
        at = stat(at)[1]
for pid in sorted(ours):
    name = stat(pid)[0]
    if name.startswith("aegsh") and pid != os.getpid():
        seen.append(name)
        for what in ("environ", "mem", "maps", "smaps", "auxv", "io",
                     "syscall", "stack", "personality", "pagemap",
                     "clear_refs", "timers", "task/%d/environ" % pid):
            try:
                fd = os.open("/proc/%d/%s" % (pid, what), os.O_RDONLY if
                             what != "clear_refs" else os.O_WRONLY)
                if what in ("clear_refs", "mem") or os.read(fd, 4096):
                    got.append(name + " " + what)
            except OSError:
                pass
        for what in ("cwd", "exe", "root", "ns/mnt"):
            try:
                got.append(name + " " + what + " " + os.readlink(
                    "/proc/%d/%s" % (pid, what)))
            except OSError:
                pass
        for what in ("fd", "fdinfo", "map_files"):
            try:
                if os.listdir("/proc/%d/%s" % (pid, what)):
                    got.append(name + " " + what)
            except OSError:
                pass
        to = ctypes.create_string_buffer(8)
        for call in ("process_vm_readv", "ptrace", "pidfd_getfd", "kill"):
            if call == "process_vm_readv":
                rc = libc.process_vm_readv(
                    pid, ctypes.byref(Iovec(ctypes.addressof(to), 8)), 1,
                    ctypes.byref(Iovec(0x400000, 8)), 1, 0)
                ok = rc >= 0 or ctypes.get_errno() == 14
            elif call == "ptrace":
                ok = libc.ptrace(0x4206, pid, 0, 0) == 0
            elif call == "kill":
                # The launcher is confined as the line is.
                with open("/proc/%d/status" % pid) as f:
                    ok = "NoNewPrivs:\t0" in f.read() and \
                        libc.kill(pid, 0) == 0
            else:
                try:
                    fd = os.pidfd_open(pid)
                    ok = libc.syscall(438, fd, 1, 0) >= 0
                except OSError:
                    ok = False
            if ok:
                got.append(name + " " + call)
json.dump([seen, got], open(sys.argv[1], "w"))
''')


def start(extra=None):
    """As a parent leaves it; then as the user."""
    def ready():
        for sig in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT,
                    signal.SIGQUIT):
            signal.signal(sig, signal.SIG_DFL)
        if extra == "odd":
            os.umask(0o037)
            signal.signal(signal.SIGUSR2, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
            os.nice(3)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_NOFILE, (512, 1024))
        else:
            os.umask(0o022)
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(UID)
            os.setuid(UID)
    return ready


def read(name):
    path = os.path.join(HOME, name)
    try:
        with open(path) as f:
            got = json.load(f)
        os.unlink(path)
        return got
    except (OSError, ValueError):
        return None


def run(argv, data="", extra=None, **env):
    subprocess.run(argv, cwd=HOME, env=dict(ENV, **env), input=data, text=True,
                   capture_output=True, timeout=DEADLINE,
                   preexec_fn=start(extra), start_new_session=True)
    return read("got")


def differences(got, want, *left_out):
    """No signal is blocked for a line, whoever has blocked it for aegsh:
    bash would pass that on."""
    if not got or not want:
        return "nothing was written"
    found = {k: (got[k], want[k]) for k in want
             if got[k] != want[k] and k not in left_out + ("blocked",)}
    if got["blocked"].strip("0"):
        found["blocked"] = got["blocked"]
    return found


def settings(limits="", conf=""):
    for profile in "admin", "root":
        with open(ROOT + "/etc/sandbox.d/%s.conf" % profile, "w") as f:
            f.write('read += {"%s"}\nexecute += {"%s"}\n%s' %
                    (ROOT, AEGSH, limits))
    with open(ROOT + "/etc/aegsh.conf", "w") as f:
        f.write('prompt = "READY> "\n' + conf)


LOOK = PY + " look.py got; :"
with open(HOME + "/script", "w") as f:
    f.write(LOOK + "\n")
WAYS = {
    "-c": (lambda sh: [sh, "-c", LOOK], ""),
    "a script": (lambda sh: [sh, "script"], ""),
    "standard input": (lambda sh: [sh, "-s"], LOOK + "\n"),
    "a login": (lambda sh: [sh, "-l", "-c", LOOK], ""),
    "the background": (lambda sh: [sh, "-c", LOOK.replace(";", "& wait;")],
                       ""),
}
for about, limits, conf in (
        ("", "", ""),
        ("supervised: ", "supervise = all\nlimit-children = 50\n"
         "limit-time = 500\n", ""),
        ("recorded: ", "limit-output = 5\n", "output = full\n")):
    settings(limits, conf)
    for extra in None, "odd":
        for way, (argv, data) in WAYS.items():
            if way == "a login" and extra:
                continue
            want = run(argv("/bin/bash"), data, extra)
            got = run(argv(AEGSH), data, extra)
            # What start-up files export is for tests of those.
            differs = differences(got, want, *(
                ["names"] if way == "a login" else []))
            tap.ok(not differs, "%s%s%s: as under bash" % (
                about, way, ", oddly started" if extra else ""), differs)
settings()
got = run([AEGSH, "-c", ":; $INNER -c '%s'" % LOOK], INNER=AEGSH)
want = run(["/bin/bash", "-c", ":; $INNER -c '%s'" % LOOK],
           INNER="/bin/bash")
tap.ok(not differences(got, want), "an aegsh inside: as under bash", got, want)

# ---- at a prompt, and what of aegsh is to be seen ------------------------------
for about, limits, conf in (
        ("", "", ""), ("supervised: ", "limit-children = 50\n", ""),
        ("recorded: ", "", "output = full\n")):
    settings(limits, conf)
    shown = []
    for sh, prompt in (["/bin/bash", "--norc", "--noprofile"], "READY> "), (
            [AEGSH], "READY> "):
        s = Session(sh, env=dict(ENV, PS1="READY> "), cwd=HOME, uid=UID if
                    os.getuid() == 0 else None)
        s.expect(prompt)
        s.run(LOOK, prompt)
        shown.append(read("got"))
        if sh[0] == AEGSH:
            s.run("unset HIDDEN_TOKEN", prompt)
            s.run("%s proc.py seen %d; echo" % (PY, s.pid), prompt)
        s.line("exit")
        s.wait()
        s.close()
    want, got = shown
    # The socket by which bash brings its state back, which believes nobody
    # else (capture.h); bash's own is what this test has open.
    differs = differences(got, want, "descriptors", "names")
    if got and got["descriptors"] not in ([198], []):
        differs["descriptors"] = got["descriptors"]
    if got and [n for n in got["names"] if n not in ENV and
                n not in ("PWD", "SHLVL")]:
        differs["names"] = got["names"]
    tap.ok(not differs, about + "a prompt: as under bash", differs)
    seen, had = read("seen") or ([], ["nothing was written"])
    what = about + "nothing of aegsh's processes can be had"
    if os.environ.get("SANITIZED"):
        tap.skip(what, "a build with a leak checker can be traced")
    else:
        tap.ok(len(seen) >= 1 and had == [], what, seen, had)
tap.done()
