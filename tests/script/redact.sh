#!/bin/sh
# SPDX-License-Identifier: ISC
# Redaction finds what it should on the labelled lines, and little else.
. "$abs_top_srcdir/tests/lib/tap.sh"
figures=$("$abs_top_builddir/tests/bin/redacttest" -v -l 97 97 \
	"$abs_top_srcdir/tests/cases/redact.case")
ok $? 'recall and precision are at least 97 %'
echo "$figures" | sed 's/^/# /'
"$abs_top_builddir/tests/bin/redacttest" -l 101 0 \
	"$abs_top_srcdir/tests/cases/redact.case" >/dev/null
is $? 1 'and the floor is looked at'
done_testing
