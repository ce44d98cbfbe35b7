#!/bin/sh
# SPDX-License-Identifier: ISC
# aegshctl history: tables and JSON of a store, and what is not there.
. "$abs_top_srcdir/tests/lib/home.sh"
TZ=UTC
LC_ALL=C.UTF-8
export TZ LC_ALL

out=$("$aegshctl" history 2>&1)
is "$?" 1 'no store: 1'
is "$out" 'aegshctl history: nothing is recorded yet' 'and that is said'

"$abs_top_builddir/tests/bin/store_fill" <<'EOF'
ok ls -l
exit 7 false thing
signal 2 sleep 100
refused rm -rf /
builtin cd /srv
ok echo \e[2J\xff two\nlines
open make world
EOF
"$aegshctl" history >"$test_root/out"
is "$?" 0 'a store: 0'
is "$(sed 's/^[-0-9]* [:0-9]*/NOW                /; s/ *$//' "$test_root/out")" \
'WHEN                 DECISION  STATUS      TOOK  LINE
NOW                  allow     0           1.5s  ls -l
NOW                  allow     7           1.5s  false thing
NOW                  allow     SIGINT      1.5s  sleep 100
NOW                  block     refused           rm -rf /
NOW                  allow     0                 cd /srv
NOW                  allow     0           1.5s  echo ^[[2J\xff two^Jlines
NOW                  allow     unfinished        make world' 'the table'

count() {
	"$aegshctl" history --json "$@" | wc -l | tr -d ' '
}
is "$(count)" 7 'JSON: a document a line'
is "$(count -n 2)" 2 '-n'
is "$(count -n2)" 2 '-nN'
is "$(count --limit=0)" 7 '--limit=0: all'
is "$(count --search echo)" 1 '--search'
is "$(count --search '%')" 0 '--search takes no pattern'
is "$(count --decision block)" 1 '--decision'
for word in confirm ask warn; do
	"$aegshctl" history --decision $word >"$test_root/out" 2>&1
	is "$? $(cat "$test_root/out")" '1 ' "--decision $word: none"
done
is "$(count --unfinished)" 1 '--unfinished'
is "$(count --since 1h)" 7 '--since 1h'
is "$(count --until 1h)" 0 '--until 1h'
is "$(count --since 2020-01-01 --until tomorrow 2>/dev/null)" 0 'a bad time'
"$aegshctl" history --since nonsense >/dev/null 2>&1
is "$?" 100 'a bad time: 100'
"$aegshctl" history --search nowhere
is "$?" 1 'nothing found: 1'
"$aegshctl" history -n -1 2>/dev/null
is "$?" 100 'a bad number: 100'
"$aegshctl" history extra 2>/dev/null
is "$?" 100 'an operand: 100'
if id -un >/dev/null 2>&1; then
	"$aegshctl" history --user "$(id -un)" >/dev/null
	is "$?" 0 'the own name needs no rights'
else
	skip 'this user has no name'
fi
"$aegshctl" history --user no-such-user 2>/dev/null
is "$?" 100 'a user that is not there: 100'
if [ "$(id -u)" != 0 ]; then
	"$aegshctl" history --user root >/dev/null 2>"$test_root/err"
	is "$?" 100 'another user: 100'
	like "$(cat "$test_root/err")" '*only root may*' 'and that is said'
	skip 'only root reads the stores of others'
elif ! command -v setpriv >/dev/null || ! id nobody >/dev/null 2>&1; then
	skip 'setpriv or the user nobody is not there'
	skip 'setpriv or the user nobody is not there'
	skip 'setpriv or the user nobody is not there'
else
	chmod 1777 "$test_root/own"
	echo 'ok whoami' | setpriv --reuid nobody --clear-groups \
	    "$abs_top_builddir/tests/bin/store_fill"
	out=$("$aegshctl" history --user nobody)
	is "$?" 0 'root reads the store of another'
	like "$out" '*whoami*' 'it is that one'
	is "$(find "$test_root/own/aegsh-$(id -u nobody)" -user 0)" '' \
	    'with the rights of that user: root owns nothing in it'
fi

"$aegshctl" history --json --search echo >"$test_root/json"
is "$(LC_ALL=C tr -d '\n -~' <"$test_root/json" | wc -c | tr -d ' ')" 0 \
    'JSON is ASCII'
"$PYTHON3" - "$test_root/json" <<'EOF'
import json, sys
row = json.load(open(sys.argv[1]))
assert row["line"] == "echo \x1b[2J\ufffd two\nlines", row["line"]
assert bytes.fromhex(row["line_hex"]) == b"echo \x1b[2J\xff two\nlines"
assert row["end"] == "finished" and row["status"] == 0
assert row["signal"] is None and row["duration_ns"] == 1500000000
assert row["writer"] == "stand-alone" and len(row["uuid"]) == 36
assert row["time"].endswith("Z") and row["cwd"] == "/srv"
EOF
is "$?" 0 'JSON says what the row says'

# A full disk at the other end is an error, not a short table.
if [ -w /dev/full ]; then
	"$aegshctl" history >/dev/full 2>/dev/null
	is "$?" 111 'output that cannot be written: 111'
else
	skip '/dev/full is not there'
fi
# Each line of aegsh is kept from the store.
if [ -n "${SANITIZED-}" ]; then
	skip 'a leak checker does not work in a line of aegsh'
elif "$aegsh" -c "'$aegshctl' --version" >/dev/null 2>&1; then
	out=$("$aegsh" -c "'$aegshctl' history" 2>&1)
	is "$?" 111 'from inside aegsh: 111'
	like "$out" '*: look from outside, or at the prompt*history*M-r*' \
	    'and where to look from'
else
	skip 'the build lies where a line may not run programs'
fi

# A store that is no store.
store=$test_root/own/aegsh-$(id -u)/audit.db
rm -f "$store-wal" "$store-shm"
echo 'not a database, but long enough to be looked at, so it must say so' \
    >"$store"
"$aegshctl" history >/dev/null 2>"$test_root/err"
is "$?" 111 'a damaged store: 111'
like "$(cat "$test_root/err")" '*not a database*' 'and what is wrong with it'
chmod 644 "$store"
"$aegshctl" history >/dev/null 2>"$test_root/err"
is "$?" 111 'a store that others may read: 111'
done_testing
