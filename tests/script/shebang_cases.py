# SPDX-License-Identifier: ISC
"""Every case of tests/cases/shebang-*.case, as one TAP line each."""
import glob
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "lib"))
import shebang_env
import transcript


def main():
    where = shebang_env.aliases("auto-python", "auto-ruby", "auto-sh")
    env = shebang_env.environment(where)
    number = failed = 0
    files = sorted(glob.glob(os.path.join(
        shebang_env.SOURCE, "tests", "cases", "shebang-*.case")))
    for path in files:
        table = os.path.basename(path)[len("shebang-"):-len(".case")]
        with open(path, encoding="utf-8") as lines:
            cases = transcript.parse(lines)
        for case in cases:
            number += 1
            wrong = transcript.run(case, shebang_env.PRELUDE, env)
            failed += bool(wrong)
            transcript.report(number, "%s: %s" % (table, case.name), wrong)
    print("1..%d" % number)
    return 1 if failed or number == 0 else 0


sys.exit(main())
