# SPDX-License-Identifier: ISC
"""Run a command on a kernel without seccomp's user notification, as far as it
can see: a filter with a listener is none that seccomp(2) takes there."""

import ctypes
import os
import struct
import sys

NR = {"x86_64": 317, "aarch64": 277, "riscv64": 277}[os.uname().machine]
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
NEW_LISTENER = 8
ERRNO, ALLOW, EINVAL = 0x00050000, 0x7fff0000, 22


def op(code, jt, jf, k):
    return struct.pack("HBBI", code, jt, jf, k)


program = ctypes.create_string_buffer(
    op(0x20, 0, 0, 0) +                 # the call's number
    op(0x15, 0, 3, NR) +
    op(0x20, 0, 0, 24) +                # its flags
    op(0x45, 0, 1, NEW_LISTENER) + op(0x06, 0, 0, ERRNO | EINVAL) +
    op(0x06, 0, 0, ALLOW))
filter_ = struct.pack("HxxxxxxP", 6, ctypes.addressof(program))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or \
        libc.prctl(PR_SET_SECCOMP, MODE_FILTER, filter_, 0, 0) != 0:
    sys.exit("no filter: " + os.strerror(ctypes.get_errno()))
os.execv(sys.argv[1], sys.argv[1:])
