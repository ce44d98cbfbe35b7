#!/bin/sh
# SPDX-License-Identifier: ISC
# What the record holds of what was run, refused, and broken off.
. "$abs_top_srcdir/tests/lib/home.sh"
cd "$HOME" || exit 99

"$aegsh" -c 'echo recorded' >/dev/null
"$aegsh" -c 'exit 9'
"$aegsh" -c 'nc -e sh 127.0.0.1 1' 2>/dev/null
out=$("$aegshctl" history --json)
like "$out" '*"echo recorded"*' 'a line is recorded'
like "$out" '*"exit 9"*' 'so is the next'
like "$out" '*"nc -e sh 127.0.0.1 1"*' 'and a refused one'
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

# No secret of a line reaches a file of the store, however it is entered;
# equal ones have equal tags.
dir=$(dirname "$store")
s1=hunter2hunter2hunter
s2=ghp_0123456789abcdefghijklmnopqrstuvwxyz
s3=AKIAIOSFODNN7EXAMPLE
s4=valueofasecretvariable77
"$aegsh" -c "echo --password=$s1 >/dev/null"
"$aegsh" -c "echo $s2 https://user:$s1@example.com >/dev/null"
"$aegsh" -c "export PGPASSWORD=$s1; echo $s3 >/dev/null"
API_TOKEN=$s4 "$aegsh" -c "echo x$s4 >/dev/null"
printf 'echo --password=%s >/dev/null\n' "$s1" | "$aegsh"
printf 'echo --token=%s >/dev/null\n' "$s2" >"$HOME/script"
"$aegsh" "$HOME/script"
"$aegsh" -c "nc -e sh 127.0.0.1 1 --password=$s1" 2>/dev/null
out=$("$aegshctl" history --json)
"$aegshctl" history >/dev/null
for s in "$s1" "$s2" "$s3" "$s4"; do
	! grep -raqF "$s" "$dir"
	ok $? "$s is in no file of the store"
done
like "$out" '*"redacted":1,*' 'a row says how many were replaced'
tags=$("$aegshctl" history --json --search 'echo --password=' |
    sed -n 's/.*<redacted:[^:]*:\([^>]*\)>.*/\1/p' | sort -u | wc -l)
is "$(echo $tags)" 1 'one secret has one tag in all runs'
is "$("$aegsh" -c "echo $s2")" "$s2" 'what runs is the line itself'

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
