#!/bin/sh
# SPDX-License-Identifier: ISC
# What the record holds of what was run, refused, and broken off.
. "$abs_top_srcdir/tests/lib/home.sh"
cd "$HOME" || exit 99

"$aegsh" -c 'echo recorded' >/dev/null
"$aegsh" -c 'exit 9'
"$aegsh" -c 'rm -rf /' 2>/dev/null
out=$("$aegshctl" history --json)
like "$out" '*"echo recorded"*' 'a line is recorded'
like "$out" '*"exit 9"*' 'so is the next'
like "$out" '*"rm -rf /"*' 'and a refused one'
like "$out" '*stand-alone*' 'rows say who wrote them'
store=$(find "$test_root/own" -name audit.db)
is "$(stat -c %a "$store")" 600 'the store is private'
is "$(stat -c %a "$(dirname "$store")/audit.spool")" 600 'so is its spool'
is "$(stat -c %a "$(dirname "$store")")" 700 'so is its directory'

# Killed between intent and outcome: the intent stays.
mkfifo "$HOME/fifo"
"$aegsh" -c "echo started >'$HOME/fifo'; exec sleep 1000" &
pid=$!
timeout 60 head -n 1 "$HOME/fifo" >/dev/null
kill -KILL "$pid"
wait "$pid" 2>/dev/null
out=$("$aegshctl" history --unfinished --json)
like "$out" '*exec sleep 1000*' 'a line whose shell was killed is unfinished'
case $out in
*'echo recorded'*) ok 1 'and no other is' ;;
*) ok 0 'and no other is' ;;
esac
# End what the killed shell left behind: it is in this test's directory.
for p in $(pgrep -u "$(id -u)" -x sleep); do
	[ "$(readlink "/proc/$p/cwd")" != "$HOME" ] || kill "$p"
done

# A stream: each unit has a row.
printf 'echo one\necho two\n' | "$aegsh" >/dev/null
out=$("$aegshctl" history --json)
like "$out" '*"echo one*"echo two*' 'each unit of a stream is recorded'

# A store that cannot be written.
chmod 500 "$(dirname "$store")"
mv "$store" "$test_root/kept" 2>/dev/null || chmod 400 "$store"
if [ "$(id -u)" = 0 ]; then
	# Root is not stopped by modes: a directory in the way is.
	chmod 700 "$(dirname "$store")"
	rm -rf "$store"
	mkdir "$store"
fi
out=$("$aegsh" -c 'echo runs' 2>"$test_root/err")
is "$out" runs 'personal: a line runs though it cannot be recorded'
like "$(cat "$test_root/err")" '*not recorded*' 'and that is said'
operator 'mode = managed'
AEGSH_TEST_OPERATOR=$(id -u) "$aegsh" -c 'echo never' >"$test_root/out" \
    2>"$test_root/err"
status=$?
if [ "$(id -u)" = 0 ]; then
	is "$status" 0 'managed: the operator can still work'
else
	is "$status" 126 'managed: a line that cannot be recorded does not run'
	is "$(cat "$test_root/out")" '' 'it really does not'
fi
chmod 700 "$(dirname "$store")"
done_testing
