#!/bin/sh
# SPDX-License-Identifier: ISC
# aegshctl doctor, as it is called: on systems made for it and on this one.
. "$abs_top_srcdir/tests/lib/home.sh"

# Directories of trials that were not there when this test began.
trials() {
	for d in /var/tmp/aegsh-trial.*; do
		case " $before " in
		*" $d "*) ;;
		*) [ ! -e "$d" ] || printf '%s ' "$d" ;;
		esac
	done
}
before=
before=$(trials)

image=$test_root/image
mkdir -p "$image/etc/ssh/sshd_config.d" "$image/usr/local/bin"
fixture() { printf '%s\n' "$@" >"$image/$file"; }
ids() { "$aegshctl" doctor --root "$image" | sed -n 's/^[a-z]* \([a-z]*\.[a-z-]*\)$/\1/p'; }

file=etc/passwd
fixture 'root:x:0:0::/root:/bin/bash' 'eve:x:1000:1000::/home/eve:/bin/bash'
file=etc/ssh/sshd_config
fixture 'Subsystem sftp internal-sftp' 'AcceptEnv *'
out=$("$aegshctl" doctor --root "$image")
is "$?" 0 'who does not use aegsh is not bothered'
is "$out" 'nothing is wrong' 'and is told so'
is "$("$aegshctl" doctor --root "$image" --json)" '' 'in JSON by nothing'

operator 'mode = managed'
"$aegshctl" doctor --root "$image" >"$test_root/out"
is "$?" 1 'a managed install that can be passed by: status 1'
for id in sshd.internal-sftp sshd.accept-env sshd.user-rc \
    sshd.no-force-command sshd.forwarding; do
	like "$(cat "$test_root/out")" "*$id*" "$id"
done
like "$(cat "$test_root/out")" '*/etc/ssh/sshd_config:2: AcceptEnv \**' \
    'with file and line'
like "$(cat "$test_root/out")" '*eve has /bin/bash*' 'and the account'
operator

file=etc/passwd
fixture 'root:x:0:0::/root:/bin/bash' \
    'eve:x:1000:1000::/home/eve:/usr/local/bin/aegsh'
like "$(ids | tr '\n' ' ')" '*account.shell-missing*shells.entry*' \
    'a login shell that is not there and not named'
printf '#!/bin/sh\n' >"$image/usr/local/bin/aegsh"
chmod 755 "$image/usr/local/bin/aegsh"
file=etc/shells
fixture /usr/local/bin/aegsh
file=etc/ssh/sshd_config
mkdir -p "$image/usr/lib/openssh"
cp "$image/usr/local/bin/aegsh" "$image/usr/lib/openssh/sftp-server"
fixture 'Subsystem sftp /usr/lib/openssh/sftp-server' 'PermitUserRC no' \
    'AllowTcpForwarding no'
left=$(ids | grep -v '^account.store$\|^account.shell-writable$')
is "$left" '' 'what was advised is enough'

# JSON: one object a line, and hostile text stays data.
fixture "$(printf 'Subsystem sftp internal-sftp #\033[2J"\\ \377')"
"$aegshctl" doctor --root "$image" --json >"$test_root/out"
is "$?" 1 'JSON: status 1'
/usr/bin/python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
assert rows
for r in rows:
    assert set(r) == {"id", "severity", "what", "evidence", "remedy"}, r
    assert r["severity"] in ("problem", "warning", "note"), r
    for e in r["evidence"]:
        assert {"file", "line", "text"} <= set(e), e
assert any("internal-sftp" in (e["text"] or "") for r in rows
           for e in r["evidence"])
' <"$test_root/out" 2>"$test_root/err"
is "$?" 0 'JSON: what the manual says' || sed 's/^/# /' "$test_root/err"
is "$("$aegshctl" doctor --root "$image" | tr -cd '\033\377' | wc -c)" 0 \
    'no control characters reach the terminal'

"$aegshctl" doctor --root "$test_root/none" >/dev/null 2>"$test_root/err"
is "$?" 111 'a root that is not there'
is "$(grep -c . "$test_root/err")" 1 'is told in one line'
"$aegshctl" doctor --bogus 2>/dev/null
is "$?" 100 'an unknown option'
"$aegshctl" doctor operand 2>/dev/null
is "$?" 100 'an operand'

# The sandbox, tried for real: nothing that a shipped profile forbids works.
if [ "$("$aegshctl" sandbox probe | sed -n 's/^scope *//p')" != yes ]; then
	skip 10 'this kernel scopes no signals'
else
	# Of one that was killed.
	killed=$(mktemp -d /var/tmp/aegsh-trial.XXXXXX)
	mkdir "$killed/folder" && : >"$killed/folder/file" >"$killed/socket"
	for sandbox in admin build dev full-auto readonly safe strict transfer \
	    transfer-fetch; do
		"$aegshctl" doctor --sandbox "$sandbox" >"$test_root/out" 2>&1
		is "$?" 0 "$sandbox holds" || sed 's/^/# /' "$test_root/out"
	done
	[ ! -e "$killed" ]
	is "$?" 0 'what a trial left that was killed is removed'
fi
"$aegshctl" doctor --json --sandbox strict >"$test_root/out"
/usr/bin/python3 -c '
import json, sys
rows = {r["act"]: r for r in map(json.loads, sys.stdin)}
assert len(rows) > 40
for r in rows.values():
    assert set(r) == {"act", "what", "layer", "outcome", "confined",
                      "unconfined"}, r
    if r["outcome"] == "enforced":
        assert r["unconfined"] == "went through" != r["confined"], r
assert rows["memory-program"]["outcome"] == "enforced", rows
' <"$test_root/out" 2>"$test_root/err"
is "$?" 0 'and in JSON' || sed 's/^/# /' "$test_root/err"
"$aegshctl" doctor --sandbox none-such >/dev/null 2>"$test_root/err"
is "$?" 100 'a sandbox that is not there'
"$aegshctl" doctor --sandbox --root / 2>/dev/null
is "$?" 100 'not of an image'
# Another test may be at its trials right now, and goes on to an end.
left=$(trials)
tries=0
while [ -n "$left" ] && [ "$tries" -lt 600 ]; do
	sleep 0.1
	now=$(trials)
	left=$(for d in $left; do
		case " $now " in *" $d "*) echo "$d" ;; esac
	done)
	tries=$((tries + 1))
done
is "$left" '' 'nothing is left'

# What a path is granted, and by what.
out=$("$aegshctl" sandbox explain --sandbox strict /etc/passwd)
like "$out" '*read     yes  read /etc *base.conf:*' \
    'by key, tree, file and line'
like "$out" '*write    no *no entry*' 'or why not'
"$aegshctl" sandbox explain /etc/passwd --sandbox strict --write >/dev/null
is "$?" 1 'asked for a right that it has not'
"$aegshctl" sandbox explain /etc/passwd --sandbox strict --read >/dev/null
is "$?" 0 'and for one that it has'
"$aegshctl" sandbox explain --json "$HOME/none" | /usr/bin/python3 -c '
import json, sys
o = json.load(sys.stdin)
assert o["path"].endswith("/none"), o
assert set(o["rights"]) == {"read", "write", "make", "execute", "device",
                            "connect"}, o
assert o["rights"]["read"]["granted"] is True, o
'
is "$?" 0 'in JSON'
"$aegshctl" sandbox explain 2>/dev/null
is "$?" 100 'no path'

# This very system: whatever it says, it says it, and changes nothing.
before=$(cat /etc/passwd /etc/shells /etc/ssh/sshd_config 2>/dev/null | cksum)
"$aegshctl" doctor >"$test_root/out" 2>"$test_root/err"
[ $? -le 1 ]
ok $? 'this system'
is "$(cat "$test_root/err")" '' 'without a complaint'
is "$(cat /etc/passwd /etc/shells /etc/ssh/sshd_config 2>/dev/null | cksum)" \
    "$before" 'and nothing is changed'

# Start-up files, of a system with accounts of this test's own.
if [ "$(id -u)" -ne 0 ] || ! unshare -m true 2>/dev/null; then
	skip 'start-up files: accounts of a test need root and a mount namespace'
else
	home=$test_root/home/eve system=$test_root/system
	mkdir -p "$home" "$system/etc"
	echo 'export A=1' >"$home/.profile"
	chown -R 4242:4242 "$home"
	{ grep -v '^root:' /etc/passwd
	echo 'root:x:0:0::/root:/opt/aegsh'
	echo "eve:x:4242:4242::$home:/opt/aegsh"; } >"$test_root/passwd"
	cp "$test_root/passwd" "$system/etc/passwd"
	there() {
		# shellcheck disable=SC2016 # its own $0
		unshare -m sh -c 'mount --bind "$0" /etc/passwd && exec "$@"' \
		    "$test_root/passwd" "$aegshctl" doctor "$@"
	}
	case $(there) in
	*login.file*) ok 1 'start-up files that are sound' ;;
	*) ok 0 'start-up files that are sound' ;;
	esac
	chmod 666 "$home/.profile"
	like "$(there)" "*login.file*$home/.profile: eve: *" \
	    'one that others can write'
	operator 'mode = managed'
	case $(there) in
	*login.file*) ok 1 'managed: the home is not read anyway' ;;
	*) ok 0 'managed: the home is not read anyway' ;;
	esac
	operator
	mkdir "$system/wide" && chmod 777 "$system/wide"
	like "$(PATH=/usr/bin:/bin:$system/wide HOME=/root there)" \
	    '*login.environment*path-world-writable*' \
	    'what env check finds for the one who asks'
fi

# Names that lead nowhere: with file and line, and what happens then.
finds() {
	"$aegshctl" doctor >"$test_root/out" 2>&1
	status=$?
	out=$(cat "$test_root/out")
}
operator '#' 'profile = nosuch'
finds
is "$status" 1 'a profile of the settings that is not there'
like "$out" "*problem rules.profile*no session starts*$test_root/etc/aegsh.conf:2: profile = nosuch*" \
    'is told with its line'
"$aegsh" -c true 2>"$test_root/err"
is "$?" 111 'and no session starts, indeed'
like "$(cat "$test_root/err")" "*$test_root/etc/aegsh.conf:2: no policy profile 'nosuch'*" \
    'which says so, too'
operator
mkdir -p "$test_root/etc/policy.d"
rules=$test_root/etc/policy.d/50-x.conf
printf '\nmatch "m" { user = "*" profile = nosuch }\n' >"$rules"
finds
like "$out" "*problem rules.load*no other starts*$rules:2: match 'm': no such profile 'nosuch'*" \
    'one of a match block'
"$aegsh" -c true 2>/dev/null
is "$?" 111 'with which no session starts either'
printf '\nprofile "x" { extends = admin elevate = broker elevated_sandbox = nosuch2 }\n' >"$rules"
out=$(AEGSH_TEST_LIBEXEC="$test_root/no" "$aegshctl" doctor)
like "$out" "*problem rules.sandbox*$rules:2: profile 'x': no sandbox profile 'nosuch2'*" \
    'a sandbox for what sudo runs, with the line of who names it'
like "$out" '*problem rules.elevate*no/aegsh-elevate: it is not there*' \
    'a helper for it'
like "$out" '*note rules.elevated*no/aegsh-confine*' \
    'what sudoers must have a line for'
printf '\nprofile "x" { extends = admin elevate = broker elevated_sandbox = nosuch2 }\nprofile "y" { extends = x }\n' >"$rules"
like "$("$aegshctl" doctor)" "*$rules:2: profile 'y': no sandbox profile 'nosuch2'*" \
    'and that of the profile it is inherited from'
printf '\nprofile "x" { extends = admin rank = 20 sandbox = nosuch }\n' >"$rules"
finds
like "$out" "*problem rules.sandbox*$rules:2: profile 'x': no sandbox profile 'nosuch'*" \
    'a sandbox profile'
"$aegsh" --profile x -c true 2>/dev/null
is "$?" 111 'without which no session of the profile starts'
"$aegshctl" policy check "$rules" 2>"$test_root/err"
is "$?" 1 'policy check refuses it'
like "$(cat "$test_root/err")" "*$rules:2: profile 'x': no sandbox profile 'nosuch'*" \
    'with its line'
mkdir -p "$test_root/etc/sandbox.d"
echo 'extends = admin' >"$test_root/etc/sandbox.d/nosuch.conf"
"$aegshctl" policy check "$rules" >/dev/null
is "$?" 0 'unless it is there'
echo 'bogus = 1' >"$test_root/etc/sandbox.d/nosuch.conf"
"$aegshctl" policy check "$rules" 2>/dev/null
is "$?" 1 'and whole'
finds
like "$out" '*problem rules.sandbox*nosuch.conf*' 'which the doctor tells, too'
rm "$rules" "$test_root/etc/sandbox.d/nosuch.conf"
operator '#' 'ask-allowed = "dev, nosuch"' 'fail-profiles = "kiosk=block admin=ask"'
finds
like "$out" "*warning rules.profile-list*$test_root/etc/aegsh.conf:2: ask-allowed: nosuch*$test_root/etc/aegsh.conf:3: fail-profiles: kiosk*" \
    'profiles that other settings are for'
case $out in
*': dev'* | *': admin'*) ok 1 'and no other ones' ;;
*) ok 0 'and no other ones' ;;
esac
operator 'witness = "kernel syslog"'
mkdir -p "$test_root/system"
finds
like "$out" "*warning record.witness*$test_root/etc/aegsh.conf:1: *kernel's audit*" \
    'a witness that nobody can tell, the kernel'
like "$out" "*warning record.witness*$test_root/etc/aegsh.conf:1: *system/dev/log: *" \
    'and the log'
operator 'bogus = 1'
finds
like "$out" "*problem rules.settings*$test_root/etc/aegsh.conf:1*" \
    'settings that cannot be read'
operator
finds
case $out in
*' rules.'*)
	ok 1 'nothing of that where all is well' ;;
*) ok 0 'nothing of that where all is well' ;;
esac
operator 'profile = operator'
out=$(AEGSH_TEST_LIBEXEC="$test_root/no" "$aegshctl" doctor)
like "$out" '*problem rules.elevate*no/aegsh-elevate: it is not there*' \
    'a shipped profile that has sudo brokered, once it is the configured one'
operator
out=$(AEGSH_TEST_LIBEXEC="$test_root/no" "$aegshctl" doctor)
case $out in
*' rules.elevate'*) ok 1 'no concern where nothing gives it' ;;
*) ok 0 'no concern where nothing gives it' ;;
esac
out=$(AEGSH_TEST_LIBEXEC="$test_root/no" "$aegshctl" doctor --profile operator)
like "$out" '*problem rules.elevate*no/aegsh-elevate: it is not there*' \
    'doctor --profile: one that only aegsh --profile gives'
out=$("$aegshctl" doctor --profile nosuch)
like "$out" '*problem rules.profile*profile = nosuch*' \
    'doctor --profile: one that is not there'
for words in '--root /' '--sandbox'; do
	# shellcheck disable=SC2086
	"$aegshctl" doctor --profile operator $words >/dev/null 2>"$test_root/e"
	is "$?" 100 "--profile and $words: 100"
done
printf '\nmatch "m" { user = "nosuch" profile = operator }\n' >"$rules"
out=$(AEGSH_TEST_LIBEXEC="$test_root/no" "$aegshctl" doctor)
like "$out" '*problem rules.elevate*no/aegsh-elevate: it is not there*' \
    'or once a match block gives it'
rm "$rules"

# The manual has every finding.
for id in $(sed -n 's/^ROW([A-Z_]*, "\([^"]*\)".*/\1/p' \
    "$abs_top_srcdir/src/doctor/doctor_int.h"); do
	grep -q "^\.It Li $id\$" "$abs_top_srcdir/man/aegshctl.8"
	ok $? "aegshctl(8) has $id"
done
done_testing
