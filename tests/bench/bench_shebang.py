#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""What auto-shebang costs: a script ten directories below its interpreter,
started in turn

    direct      #!/path/to/interpreter
    env         #!/usr/bin/env interpreter     (found by $PATH)
    alias       #!/path/to/alias               (found by auto-shebang)
    env-alias   #!/usr/bin/env /path/to/alias

with an interpreter that ends at once.  The ratios count: medians over
rounds in which each way runs once.  Also printed: milliseconds over
direct, and what holds or not of the budget, 0.4 ms.

    bench_shebang.py [PROGRAM [ROUNDS]]
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

DEPTH = 10
BUDGET_MS = 0.4


def build(top, program):
    deep = os.path.join(top, *(["d"] * DEPTH))
    os.makedirs(deep)
    os.makedirs(top + "/bin")
    os.makedirs(top + "/alias")
    shutil.copy("/bin/true", top + "/bin/auto-true")
    subprocess.run([program, "link", top + "/alias", "auto-true"], check=True)
    lines = {
        "direct": top + "/bin/auto-true",
        "env": "/usr/bin/env auto-true",
        "alias": top + "/alias/auto-true",
        "env-alias": "/usr/bin/env " + top + "/alias/auto-true",
    }
    ways = {}
    for name, line in lines.items():
        ways[name] = os.path.join(deep, name)
        with open(ways[name], "w", encoding="ascii") as f:
            f.write("#!" + line + "\n")
        os.chmod(ways[name], 0o755)
    return ways


def once(path, env):
    start = time.perf_counter_ns()
    pid = os.posix_spawn(path, [path], env)
    _, status = os.waitpid(pid, 0)
    if status != 0:
        raise SystemExit("%s ended with %d" % (path, status))
    return time.perf_counter_ns() - start


def main():
    program = os.path.abspath(
        sys.argv[1] if len(sys.argv) > 1 else
        os.path.join(os.environ.get("abs_top_builddir", "."), "auto-shebang"))
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    top = os.path.realpath(tempfile.mkdtemp(prefix="aegsh-bench-"))
    try:
        ways = build(top, program)
        env = {"PATH": top + "/bin:/usr/bin:/bin"}
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, path in ways.items():
                times[name].append(once(path, env))
    finally:
        shutil.rmtree(top, ignore_errors=True)
    direct = times["direct"]
    over = {}
    for name, took in times.items():
        ratio = statistics.median(a / b for a, b in zip(took, direct))
        over[name] = statistics.median(a - b for a, b in zip(took, direct)) / 1e6
        print("%-10s ratio to direct %.2f, %+.3f ms" % (name, ratio, over[name]))
    print("alias over env: ratio %.2f" % statistics.median(
        a / b for a, b in zip(times["alias"], times["env"])))
    print("budget %.1f ms over direct: %s" % (
        BUDGET_MS, "held" if over["alias"] <= BUDGET_MS else "NOT held"))


main()
