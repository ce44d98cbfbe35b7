#!/bin/sh
# SPDX-License-Identifier: ISC
# Each contract header compiles alone, and a second time, without warning.
. "$abs_top_srcdir/tests/lib/tap.sh"
cd "$abs_top_srcdir" || exit 99

for header in $(find include/aegsh -name '*.h' | sort); do
	name=${header#include/}
	# The rows of a table want their includer's macro.
	case $name in
	*_options.h) rows='-DCONF_ROW(...)=' ;;
	*) rows= ;;
	esac
	# shellcheck disable=SC2086 # CC may hold options
	out=$(printf '#include "%s"\n#include "%s"\n' "$name" "$name" |
	    $CC -std=gnu11 -D_GNU_SOURCE -Iinclude ${rows:+"$rows"} \
	    -Wall -Wextra -Wstrict-prototypes -Werror -fsyntax-only \
	    -x c - 2>&1)
	ok "$?" "$name"
	[ -z "$out" ] || printf '%s\n' "$out" | sed 's/^/# /'
done
done_testing
