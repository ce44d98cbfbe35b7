# SPDX-License-Identifier: ISC
# TAP for shell tests: sourced.
tap_count=0
tap_failed=0

# ok STATUS NAME: passes when STATUS is 0.
ok() {
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $2"
	fi
}

# is GOT WANT NAME
is() {
	if [ "$1" = "$2" ]; then
		ok 0 "$3"
	else
		ok 1 "$3"
		printf '%s\n' "got:  $1" "want: $2" | sed 's/^/# /'
	fi
}

# like GOT PATTERN NAME: a case pattern.
like() {
	# shellcheck disable=SC2254 # a pattern it is
	case $1 in
	$2) ok 0 "$3" ;;
	*)
		ok 1 "$3"
		printf '%s\n' "got:  $1" "like: $2" | sed 's/^/# /'
		;;
	esac
}

skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP $1"
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

done_testing() {
	# A plan of no rows would count as skipped.
	[ "$tap_count" -gt 0 ] || ok 1 'something was looked at'
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}
