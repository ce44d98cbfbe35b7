#!/bin/sh
# SPDX-License-Identifier: ISC
# Managed mode, and settings that may only tighten.
. "$abs_top_srcdir/tests/lib/home.sh"
cd "$HOME" || exit 99

like "$("$aegshctl" status)" '*personal*' 'without settings: personal'
operator 'mode = managed'
AEGSH_TEST_OPERATOR=$(id -u)
export AEGSH_TEST_OPERATOR
like "$("$aegshctl" status)" '*managed*' 'the operator says managed'
is "$("$aegsh" -c 'echo ok')" ok 'and a line runs'

# The operator's file must be the operator's alone.
chmod 666 "$test_root/etc/aegsh.conf"
"$aegsh" -c 'echo never' >"$test_root/out" 2>"$test_root/err"
is "$?" 111 'a settings file that others can write is fatal'
is "$(cat "$test_root/out")" '' 'and nothing runs'
like "$(cat "$test_root/err")" '*aegsh.conf*' 'the message names the file'
chmod 600 "$test_root/etc/aegsh.conf"
operator 'no-such-option = 1'
"$aegsh" -c 'echo never' 2>"$test_root/err"
is "$?" 111 'an unknown option is fatal'
like "$(cat "$test_root/err")" '*aegsh.conf:1*no-such-option*' \
    'with file, line and name'
operator 'ask-timeout = 5000'
"$aegsh" -o ask-timeout=1000 -c true
is "$?" 0 '-o may tighten'
"$aegsh" -o ask-timeout=9000 -c true 2>"$test_root/err"
is "$?" 2 '-o may not loosen'
like "$(cat "$test_root/err")" '*ask-timeout*' 'and says which'
"$aegsh" -o mode=personal -c true 2>/dev/null
is "$?" 2 'nor touch what is the operator'"'"'s'

# A question without a terminal is a no.
operator 'mode = managed'
setsid -w "$aegsh" -c 'eval "$(cat /dev/null)"' >/dev/null 2>"$test_root/err"
is "$?" 126 'no terminal: what would be asked is refused'
is "$(grep -c . "$test_root/err")" 1 'in one line'

# An unsafe profile is not chosen by the user.
"$aegsh" --profile no-such-profile -c true 2>"$test_root/err"
is "$?" 111 'an unknown profile'
like "$(cat "$test_root/err")" '*no-such-profile*' 'is named'
operator 'mode = managed' 'profile = dev'
"$aegsh" --profile admin -c 'echo never' >"$test_root/out" 2>&1
is "$?" 111 'a laxer profile is refused when managed'
like "$(cat "$test_root/out")" '*less strict*' 'and the message says so'
"$aegsh" --profile safe -c 'echo never' >"$test_root/out" 2>/dev/null
is "$?" 126 'the profile safe runs nothing'

# A layer that the profile requires and the kernel does not have: nothing runs,
# whichever way the line came.
operator 'mode = managed'
without() {
	/usr/bin/python3 "$abs_top_srcdir/tests/lib/without_landlock.py" \
	    "$aegsh" "$@" >"$test_root/out" 2>"$test_root/err"
}
echo "echo never >'$HOME/ran'; echo never" >"$test_root/script"
chmod 755 "$test_root/script"
for how in -c -s script; do
	case $how in
	-c) without -c "$(cat "$test_root/script")" ;;
	-s) without -s <"$test_root/script" ;;
	script) without "$test_root/script" ;;
	esac
	is "$?" 126 "$how: a required layer is missing: status 126"
	is "$(cat "$test_root/out")" '' "$how: nothing is written"
	ok "$([ ! -e "$HOME/ran" ]; echo $?)" "$how: nothing runs"
	is "$(grep -c . "$test_root/err")" 1 "$how: one line says so"
	like "$(cat "$test_root/err")" 'aegsh: not run: *landlock*' \
	    "$how: and which it is"
done
done_testing
