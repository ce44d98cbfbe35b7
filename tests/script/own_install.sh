#!/bin/sh
# SPDX-License-Identifier: ISC
# Who is not the operator and installs aegsh for themselves owns what came
# with it: all of it is believed, and what belongs to a third person is not.
. "$abs_top_srcdir/tests/lib/home.sh"
[ "$(id -u)" = 0 ] || skip_all 'only root can play three users'
command -v setpriv >/dev/null || skip_all 'setpriv is not there'
cd "$HOME" || exit 99

mkdir -p "$test_root/share" "$test_root/bin"
cp -R "$abs_top_srcdir/share/policy" "$abs_top_srcdir/share/sandbox" \
    "$test_root/share"
cp "$aegsh" "$test_root/bin/aegsh"
cp "$aegshctl" "$test_root/bin/aegshctl"
chmod -R u+w,go-w "$test_root/share"
AEGSH_TEST_DATA=$test_root/share
AEGSH_TEST_OPERATOR=4242
export AEGSH_TEST_DATA AEGSH_TEST_OPERATOR

as='setpriv --reuid 65534 --regid 65534 --clear-groups'
chown -R 65534:65534 "$AEGSH_TEST_DATA" "$HOME"
chmod 1777 "$test_root/own"

out=$($as "$test_root/bin/aegsh" -c 'echo fine' 2>&1)
is "$out" fine 'a shell of its own starts'
$as "$test_root/bin/aegsh" -c 'nc -e sh 127.0.0.1 1' >/dev/null 2>&1
is $? 126 'and judges by its own policy'
out=$($as "$test_root/bin/aegshctl" test 'ls -l' 2>&1 >/dev/null)
is "$out" '' 'the tool of its own works'

# The settings of the operator are another matter.
mkdir "$test_root/etc/sandbox.d"
cp "$test_root/share/sandbox/admin.conf" "$test_root/etc/sandbox.d"
chown -R 65534 "$test_root/etc"
out=$($as "$test_root/bin/aegsh" -c 'echo fine' 2>&1)
like "$out" '*not trusted here*' 'but no profile in the place of the operator'
rm -r "$test_root/etc/sandbox.d"

chown 4243 "$test_root/share/sandbox/admin.conf"
out=$($as "$test_root/bin/aegsh" -c 'echo fine' 2>&1)
like "$out" '*not trusted here*' 'nor one of a third person'
done_testing
