# SPDX-License-Identifier: ISC
"""Processes as proc(5) shows them, and waiting for a condition itself."""

import os
import sys
import time

DEADLINE = 60.0     # for what takes a second on a machine at rest


def until(condition, seconds=DEADLINE):
    """Whether it came true in time; looks again and again."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            if seconds >= DEADLINE:
                print("# waited %d s in vain, line %d" %
                      (seconds, sys._getframe(1).f_lineno), flush=True)
            return condition()
        time.sleep(0.01)
    return True


def command_line(pid):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as f:
            return f.read()
    except OSError:
        return b""


def parent(pid):
    """0: not there."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            return int(f.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def children(pid):
    """Not by task/PID/children: that passes over one that lives on when a
    sibling ends meanwhile, as proc(5) says."""
    return [p for p in map(int, filter(str.isdigit, os.listdir("/proc")))
            if parent(p) == pid]


def alive(pid):
    """There, and no zombie."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False
