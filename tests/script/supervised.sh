#!/bin/sh
# SPDX-License-Identifier: ISC
# A script that is swapped while its line runs, through the program itself:
# what was not judged does not run, the line ends, is told and recorded; and
# the programs of a supervised line are on record.
. "$abs_top_srcdir/tests/lib/home.sh"
cd "$HOME" || exit 99

printf '#!/bin/sh\necho good $1\n/bin/true a b\n' >x
printf '#!/bin/sh\ntouch evil\n' >bad
mkfifo gate
chmod 755 x bad

why=$("$PYTHON3" "$abs_top_srcdir/tests/lib/supervise_probe.py")
[ -z "$why" ] || skip_all "$why"
out=$("$aegsh" -c './x one; sh x two' 2>"$test_root/err")
status=$?
is "$status" 0 'a script that stays as it is'
is "$out" "good one
good two" 'runs'
is "$(cat "$test_root/err")" '' 'and nothing is said'

# swapped NAME LINE: the line waits at the gate, and meanwhile the script is
# another.
swapped() {
	rm -f evil late
	printf '#!/bin/sh\necho good\n' >x
	chmod 755 x
	"$aegsh" -c "$2" >"$test_root/out" 2>"$test_root/err" &
	line=$!
	exec 8>gate
	cat bad >x
	exec 8>&-
	wait "$line"
	is "$?" 126 "$1: status"
	like "$(cat "$test_root/err")" \
	    '*the line was killed: */x was changed after it was judged*' \
	    "$1: is told"
	is "$(ls evil late 2>/dev/null)" '' "$1: nothing of it ran, nor the rest"
	is "$(cat "$test_root/out")" '' "$1: silent"
}
swapped 'by its first line' 'cat gate; ./x; touch late'
swapped 'by its interpreter' 'cat gate; sh x; touch late'
swapped 'below a wrapper' 'cat gate; env nice sh ./x; touch late'

# What edits a file gives the new one the mode of what it has read.
printf '#!/bin/sh\necho good\n' >x
chmod 755 x
"$aegsh" -c './x; sed -i s/good/better/ x' >"$test_root/out" 2>&1
is "$?:$(cat "$test_root/out"):$(tail -1 x)" '0:good:echo better' \
    'a script is edited by the line that ran it'
is "$(find x -perm /022)" '' 'and is not for others to write then'
chmod 755 x

like "$("$aegshctl" audit events)" '*line-killed*changed after it was judged*' \
    'the record has it'
like "$("$aegshctl" history --program true)" '*./x one; sh x two*' \
    'a program of a supervised line is found by its name'
is "$("$aegshctl" history --program nosuch | grep -c ./x)" 0 \
    'and no other'
"$aegshctl" audit verify >"$test_root/out" 2>&1
is "$?" 0 'the chain holds with these rows'

# As the operator's profile says.
mkdir -p "$test_root/etc/sandbox.d"
for profile in admin root; do
	echo 'supervise = none' >"$test_root/etc/sandbox.d/$profile.conf"
done
rm -f evil
printf '#!/bin/sh\necho good\n' >x
"$aegsh" -c 'cat gate; ./x' >"$test_root/out" 2>"$test_root/err" &
line=$!
exec 8>gate
printf '#!/bin/sh\necho other\n' >x
exec 8>&-
wait "$line"
is "$? $(cat "$test_root/out")" '0 other' 'supervise = none'
for profile in admin root; do
	echo 'supervise = all' >"$test_root/etc/sandbox.d/$profile.conf"
done
"$aegsh" -c 'head -c 0 /dev/null'
like "$("$aegshctl" history --program head)" '*head -c 0 /dev/null*' \
    'supervise = all'
for profile in admin root; do
	echo 'supervise = some' >"$test_root/etc/sandbox.d/$profile.conf"
done
"$aegsh" -c 'true' 2>"$test_root/err"
is "$?" 111 'another word'
like "$(cat "$test_root/err")" '*supervise is all, scripts or none*' 'is told'
done_testing
