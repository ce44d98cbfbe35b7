# SPDX-License-Identifier: ISC
"""What this kernel must have for a supervisor, asked of the kernel and not
of aegsh: where it has it all, a supervisor that does not start is a fault.
As a program, prints what is missing."""
import ctypes
import os
import signal
import sys

GET_ACTION_AVAIL, USER_NOTIF = 2, 0x7FC00000
PR_SET_DUMPABLE = 4
SECCOMP = {"x86_64": 317, "aarch64": 277, "riscv64": 277}
YAMA = "/proc/sys/kernel/yama/ptrace_scope"


class Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]


def looks_into(uid):
    """One child reads another's memory; None, or the error."""
    libc = ctypes.CDLL(None, use_errno=True)
    word = ctypes.create_string_buffer(b"the word")

    def become():
        if uid is not None and os.getuid() == 0 and uid != 0:
            os.setgroups([])
            os.setgid(uid)
            os.setuid(uid)
            # As execve(2) would have made it.
            libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)

    ready, go = os.pipe()
    there = os.fork()
    if there == 0:
        become()
        os.write(go, b".")
        signal.pause()
        os._exit(0)
    os.read(ready, 1)
    reader = os.fork()
    if reader == 0:
        become()
        to = ctypes.create_string_buffer(8)
        n = libc.process_vm_readv(
            there, ctypes.byref(Iovec(ctypes.addressof(to), 8)), 1,
            ctypes.byref(Iovec(ctypes.addressof(word), 8)), 1, 0)
        os._exit(0 if n == 8 and to.raw == b"the word" else
                 ctypes.get_errno() or 255)
    error = os.waitstatus_to_exitcode(os.waitpid(reader, 0)[1])
    os.kill(there, signal.SIGKILL)
    os.waitpid(there, 0)
    os.close(ready)
    os.close(go)
    return os.strerror(error) if error else None


def why_not(uid=None):
    """None: the lines of that user (our own) can have a supervisor."""
    libc = ctypes.CDLL(None, use_errno=True)
    number = SECCOMP.get(os.uname().machine)
    if number is None:
        return "no supervisor on %s" % os.uname().machine
    release = tuple(int(x) for x in
                    os.uname().release.split("-")[0].split(".")[:2])
    if release < (5, 14):
        return "Linux %d.%d: SECCOMP_ADDFD_FLAG_SEND came with 5.14" % release
    action = ctypes.c_uint32(USER_NOTIF)
    if libc.syscall(number, GET_ACTION_AVAIL, 0, ctypes.byref(action)) != 0:
        return "seccomp user notification: %s" % os.strerror(
            ctypes.get_errno())
    error = looks_into(uid)
    if error is not None:
        scope = "no Yama"
        if os.path.exists(YAMA):
            with open(YAMA) as f:
                scope = "kernel.yama.ptrace_scope is " + f.read().strip()
        return "no process may look into another of its user: %s (%s)" % (
            error, scope)
    return None


if __name__ == "__main__":
    print(why_not() or "")
    sys.exit(0)
