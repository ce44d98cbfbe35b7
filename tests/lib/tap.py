# SPDX-License-Identifier: ISC
"""TAP for tests in Python."""
import os
import sys


def share():
    """N: of a batch whose cases say the same under each compiler and user,
    every Nth is enough, for another run has had them all."""
    return max(1, int(os.environ.get("AEGSH_CHECK_SHARE", "1")))


class Tap:
    count = failed = 0
    left = cases = 0

    def __init__(self):
        self.batches = {}

    def ok(self, good, name, *notes):
        self.count += 1
        self.failed += not good
        print("%sok %d - %s" % ("" if good else "not ", self.count, name))
        if not good:
            for note in notes:
                text = note if isinstance(note, str) else repr(note)
                for line in text.splitlines() or [""]:
                    print("#   " + line)
        sys.stdout.flush()
        return good

    def same(self, got, want, name):
        return self.ok(got == want, name, "got:  %r" % (got,),
                       "want: %r" % (want,))

    def skip(self, name, why):
        self.count += 1
        print("ok %d - %s # SKIP %s" % (self.count, name, why))
        sys.stdout.flush()

    def share(self, of_what):
        """Tell what AEGSH_CHECK_SHARE leaves out; N."""
        if share() > 1:
            self.skip("%d in %d of %s" % (share() - 1, share(), of_what),
                      "AEGSH_CHECK_SHARE=%d" % share())
        return share()

    def part(self, cases):
        """Of such a batch as share() speaks of, the cases to try here: each
        batch of a size begins with another, so that many batches have had
        them all.  done() names how many were left out."""
        cases = list(cases)
        step = max(1, min(share(), len(cases)))
        before = self.batches.get(len(cases), 0)
        some = cases[before % step::step]
        self.batches[len(cases)] = before + 1
        self.cases += len(cases)
        self.left += len(cases) - len(some)
        return some

    def done(self):
        if self.left:
            self.skip("%d of %d cases of batches" % (self.left, self.cases),
                      "AEGSH_CHECK_SHARE=%d" % share())
        # A plan of no rows would count as skipped.
        if self.count == 0:
            self.ok(False, "something was looked at")
        print("1..%d" % self.count)
        sys.exit(self.failed > 0)
