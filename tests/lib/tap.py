# SPDX-License-Identifier: ISC
"""TAP for tests in Python."""
import sys


class Tap:
    count = failed = 0

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

    def done(self):
        print("1..%d" % self.count)
        sys.exit(self.failed > 0)
