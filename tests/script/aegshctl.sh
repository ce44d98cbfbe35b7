#!/bin/sh
# SPDX-License-Identifier: ISC
# aegshctl: usage, help, config show, status.
. "$abs_top_srcdir/tests/lib/home.sh"

run() {
	out=$("$aegshctl" "$@" 2>"$test_root/err")
	status=$?
	err=$(cat "$test_root/err")
}

run
is "$status" 100 'no verb: 100'
run --help
is "$status" 0 '--help: 0'
like "$out" '*history*config show*' 'it lists the verbs'
case $out in
*__complete*) ok 1 'and not the hidden one' ;;
*) ok 0 'and not the hidden one' ;;
esac
run --version
like "$out" 'aegshctl [0-9]*' '--version'
run nonsense
is "$status" 100 'no such verb: 100'
is "$(printf '%s\n' "$err" | wc -l)" 1 'in one line'
run histroy
like "$err" '*histroy: no such verb (near: history); "aegshctl --help" lists*' \
	'the nearest is named'
run polcy check x
like "$err" '*polcy: no such verb (near: policy check)*' 'of two words'
run verify
like "$err" '*(near: audit verify)*' 'a second word alone, too'
run hist
like "$err" '*hist: no such verb (near: history)*' 'and a beginning'
run conf show
like "$err" '*conf: no such verb (near: config show)*' 'of a group as well'
run config
is "$status" 100 'half a verb: 100'
like "$err" '*config show*' 'the other half is told'
run help config show
is "$status" 0 'help VERB: 0'
like "$out" 'usage: aegshctl config show*--json*' 'it names the options'
run config show --help
is "$status" 0 'VERB --help: 0'
like "$out" 'usage: aegshctl config show*--json*' 'the same'
run config nonsense
like "$err" '*config nonsense: no such verb; "aegshctl help config"*' \
	'the wrong word is named'
run help nonsense
is "$status" 100 'help on nothing: 100'
run config show --nonsense
is "$status" 100 'no such option: 100'
like "$err" '*usage: aegshctl config show*' 'usage is told'
run audit show
like "$err" '*is missing; aegshctl audit log has the IDs*usage: *' \
	'where the operand is to be had'
run history ls
like "$err" '*ls: takes no operand; --search TEXT*usage: *' \
	'and which option takes it'
run config show --json=yes
is "$status" 100 'an argument too many: 100'
run history -n
is "$status" 100 'an argument too few: 100'

operator 'mode = managed' 'ask-timeout = 5000' "prompt = '> '"
run config show
is "$status" 0 'config show: 0'
like "$out" '*mode * managed * '"$test_root/etc/aegsh.conf"'*' \
    'a value, and the file that set it'
like "$out" '*fail * default * default *' 'and a default'
like "$out" '*what lines write*(one of: full sample none)*' \
    'and the words that it can be set to'
like "$out" '*witness*(some of: journal kernel syslog none)*' 'a set, too'
run config show mode fail
is "$(printf '%s\n' "$out" | awk '{ print $1, $2 }')" "NAME VALUE
mode managed
fail default" 'those that are named, and no other'
run config show --json fail
like "$out" '{"name":"fail"*' 'in JSON, too'
is "$(printf '%s\n' "$out" | wc -l)" 1 'nothing else there'
run config show mode moed
is "$status $out" '100 ' 'a name that no setting has: 100, and nothing shown'
like "$err" '*moed: no such setting; aegshctl config show lists*' \
    'what to do is told'
run config show --json
is "$(printf '%s\n' "$out" | "$PYTHON3" -c '
import json, sys
rows = {r["name"]: r for r in map(json.loads, sys.stdin)}
t = rows["ask-timeout"]
print(t["value"], t["layer"], rows["debug"]["value"], rows["fail"]["file"],
      rows["output"]["words"], rows["debug"]["words"])
')" "5000 operator False None ['full', 'sample', 'none'] None" 'JSON has types'

run status
is "$status" 0 'status: 0'
like "$out" '*mode *managed*' 'it tells the mode'
like "$out" '*advisory*' 'and that the record is advisory'
like "$out" '*nothing is recorded yet*' 'and its state'
like "$out" '*kept *each line, with its secrets replaced*' 'what is kept'
like "$out" '*read by *this user and root*kept for *' \
    'who reads it, and for how long it is kept'
printf 'ok ls\n' | "$abs_top_builddir/tests/bin/store_fill"
run status --json
is "$(printf '%s\n' "$out" | "$PYTHON3" -c '
import json, sys
s = json.load(sys.stdin)
f = s["settings"]["files"][0]
print(f["mode"], s["record"]["state"], s["record"]["advisory"], s["sound"])
')" '0644 readable True True' 'JSON of it'
# That a line is kept from the store is as it should be, and no problem.
if [ -n "${SANITIZED-}" ]; then
	skip 'a leak checker does not work in a line of aegsh'
	skip 'a leak checker does not work in a line of aegsh'
elif "$aegsh" -c "'$aegshctl' --version" >/dev/null 2>&1; then
	out=$("$aegsh" -c "'$aegshctl' status --json" 2>&1)
	is "$(printf '%s\n' "$out" | "$PYTHON3" -c '
import json, sys
r = json.load(sys.stdin)["record"]
print(r["state"].partition(":")[0], r.get("problem"), len(r["kept"]) > 3)
')" 'not looked at None True' 'from inside aegsh'
	is "$(printf '%s\n' "$out" | "$PYTHON3" -c '
import json, sys
d = json.load(sys.stdin)
s = d["sandbox"]
print(s["state"].partition(":")[0], s.get("problem"), "missing" in s,
      "had_here" in s, len(s["required"]) > 3, d["sound"])
')" 'not looked at None False False True True' 'nor is it a problem which
layers a line may not set up'
else
	skip 'the build lies where a line may not run programs'
	skip 'the build lies where a line may not run programs'
fi
chmod 666 "$test_root/etc/aegsh.conf"
run status
is "$status" 1 'something wrong: 1'
like "$out" '*problem *others may write*' 'and what it is'
run config show
is "$status" 111 'settings that cannot be trusted: 111'
chmod 644 "$test_root/etc/aegsh.conf"
operator 'moed = managed'
run config show
is "$err" "aegshctl config show: $test_root/etc/aegsh.conf:1: no such option 'moed'" \
    'an error has file and line'

# Help is read on a terminal of 80 columns.
run help
wide=$(printf '%s\n' "$out" | awk 'length > 80')
for verb in $(printf '%s\n' "$out" |
    sed -n 's/^  \([a-z]\{1,\}\( [a-z]\{1,\}\)\{0,1\}\)  .*/\1/p' |
    tr ' ' +); do
	# shellcheck disable=SC2046
	run help $(printf '%s\n' "$verb" | tr + ' ')
	wide=$wide$(printf '%s\n' "$out" | awk 'length > 80')
done
is "$wide" '' 'no line of help is wider than 80 columns'
run history --no-such
is "$(printf '%s\n' "$err" | sed 1d | awk 'length > 80')" '' 'nor usage'

run test --origin batch ls
is "$err" "aegshctl test: batch: not an origin: prompt, command, forced, \
script, stdin, login" 'an origin that is none: those that are'

# Its rights: none that it was not started with.
is "$("$aegshctl" __complete aegshctl config '')" \
    'show	show the settings, their values and who set them' 'completion'
is "$("$aegshctl" __complete aegshctl config show prompt | cut -f1)" prompt \
    'of the names of settings, too'
done_testing
