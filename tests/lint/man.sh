#!/bin/sh
# SPDX-License-Identifier: ISC
# Manual pages: mandoc finds nothing to say about any.
. "$abs_top_srcdir/tests/lib/tap.sh"
cd "$abs_top_srcdir" || exit 99
[ -n "$MANDOC" ] || skip_all 'mandoc is not installed'

for page in man/*.[1-9]; do
	is "$("$MANDOC" -T lint -W warning "$page")" '' "$page"
done
done_testing
