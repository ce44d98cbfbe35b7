#!/bin/sh
# SPDX-License-Identifier: ISC
# What configure is told and cannot do is an error, not forgotten.
. "$abs_top_srcdir/tests/lib/tap.sh"

dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT

# refuses NAME OPTION...: in words that name the option.
refuses() {
	name=$1
	shift
	said=$(cd "$dir" && "$abs_top_srcdir/configure" --enable-static-shell \
	    "$@" 2>&1 >/dev/null)
	like "$? $said" "1 *--enable-static-shell*$name*leave one*" "$*"
}

if [ -e "$abs_top_srcdir/config.status" ]; then
	skip "configure" "the source tree itself is configured"
else
	refuses --without-static-libs --without-static-libs
	refuses --enable-sanitize --enable-sanitize
fi
done_testing
