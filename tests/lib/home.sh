# SPDX-License-Identifier: ISC
# Sourced: a throw-away place with its own settings, store and home, and
# $aegsh, the program built with the directories of a test.
. "$abs_top_srcdir/tests/lib/tap.sh"

# Not below /tmp: commands may write there, and so the store may not be.
test_root=$(mktemp -d /var/tmp/t-aegsh.XXXXXX) || exit 99
trap 'chmod -R u+rwX "$test_root" 2>/dev/null; rm -rf "$test_root"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$test_root/etc" "$test_root/own" "$test_root/home"
chmod 755 "$test_root"
HOME=$test_root/home
AEGSH_TEST_ROOT=$test_root
AEGSH_TEST_DATA=$abs_top_srcdir/share
AEGSH_TEST_LIBEXEC=$abs_top_builddir
export HOME AEGSH_TEST_ROOT AEGSH_TEST_DATA AEGSH_TEST_LIBEXEC
unset SSH_ORIGINAL_COMMAND SSH_CLIENT SSH_CONNECTION CDPATH BASH_ENV ENV
aegsh=$abs_top_builddir/tests/bin/aegsh
aegshctl=$abs_top_builddir/tests/bin/aegshctl

# Settings of the operator of this test.
operator() {
	printf '%s\n' "$@" >"$test_root/etc/aegsh.conf"
}
