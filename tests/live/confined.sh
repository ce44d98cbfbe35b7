#!/bin/sh
# SPDX-License-Identifier: ISC
# From inside a line: what it must not reach, tried for real by an ordinary
# user in a throw-away home; and what it must be able to do.
. "$abs_top_srcdir/tests/lib/home.sh"

if [ "$(id -u)" = 0 ]; then
	# Hand the place to a user that nobody is, and start again as it.
	chown -R 4343:4343 "$test_root"
	trap - EXIT
	AEGSH_LIVE_ROOT=$test_root
	export AEGSH_LIVE_ROOT
	setpriv --reuid 4343 --regid 4343 --clear-groups \
	    env HOME="$HOME" /bin/sh "$0"
	status=$?
	rm -rf "$test_root"
	exit "$status"
fi
if [ -n "${AEGSH_LIVE_ROOT-}" ]; then
	rm -rf "$test_root"
	test_root=$AEGSH_LIVE_ROOT
	HOME=$test_root/home
	AEGSH_TEST_ROOT=$test_root
	export HOME AEGSH_TEST_ROOT
	trap - EXIT
fi
cd "$HOME" || exit 99

run() { "$aegsh" -c "$1" >"$test_root/home/out" 2>&1; }

"$aegsh" -c true
store=$(find "$test_root/own" -mindepth 1 -maxdepth 1 -type d)
[ -f "$store/audit.spool" ] || { ok 1 'there is a store'; done_testing; }
# What is typed is in the database, what ran briefly in the spool.
"$aegshctl" history >/dev/null
[ -f "$store/audit.db" ] || { ok 1 'there is a database'; done_testing; }

# Must fail, for the reason given by the kernel and not by policy: the
# attempts are a program of the home, of which policy knows the name alone.
# Bash is replaced by it, so that its parent is aegsh.
cat >"$HOME/attack" <<X
#!/bin/bash
exec 2>&1
up=\$PPID
cat "$store/audit.db" >/dev/null && echo READ
cat "$store/audit.spool" >/dev/null && echo READ
: >>"$store/audit.db" && echo WRITTEN
: >>"$store/audit.spool" && echo WRITTEN
rm -f "$store/audit.db" && echo REMOVED
rm -f "$store/audit.spool" && echo REMOVED
mv "$store" "$store.gone" && echo RENAMED
mkdir "$test_root/own/planted" && echo PLANTED
touch "$store/planted" && echo PLANTED
ln "$store/audit.db" "$HOME/link" && echo LINKED
: >>"$test_root/etc/aegsh.conf" && echo CONF
kill -0 \$PPID && echo SIGNALLED
kill -STOP \$PPID && echo SIGNALLED
cat /proc/\$up/environ >/dev/null && echo ENVIRON
ls /proc/\$up/fd >/dev/null && echo FDS
echo done
X
chmod 755 "$HOME/attack"
out=$("$aegsh" -c ./attack 2>&1)
like "$out" '*done*' 'the attempts were made'
for word in READ WRITTEN REMOVED RENAMED PLANTED LINKED CONF SIGNALLED \
    ENVIRON FDS; do
	# A leak checker must trace its own process, so that a build with one
	# does not shut others out either.
	if [ "$word" = FDS ] && [ -n "${SANITIZED-}" ]; then
		skip "the sanitizers' build can be traced"
		continue
	fi
	case $out in
	*$word*) ok 1 "from inside: $word" ;;
	*) ok 0 "from inside, not $word" ;;
	esac
done
[ -f "$store/audit.db" ]
ok $? 'the store is still there'
like "$out" '*Permission denied*' 'the kernel said so'

# Must work.
run 'echo x >f && mv f g && rm g && mkdir -p d/e && rmdir d/e d'
is "$?" 0 'files in the home'
run 'echo x >/tmp/aegsh-test-$$ && rm /tmp/aegsh-test-$$'
is "$?" 0 'files in /tmp'
run 'ls -l / /etc /usr/bin >/dev/null'
is "$?" 0 'reading the system'
cat >kills <<'X'
#!/bin/bash
sleep 100 &
kill $!
wait $!
[ $? = 143 ]
X
chmod 755 kills
run ./kills
is "$?" 0 'signals to its own children'
run 'echo x >/dev/null && head -c1 /dev/urandom >/dev/null'
is "$?" 0 'devices that everybody uses'
printf '#!/bin/sh\necho ran\n' >s
chmod 755 s
run ./s
is "$?" 0 'a script of the home'
echo 'import socket; socket.socketpair()' >pair.py
run '/usr/bin/python3 pair.py'
is "$?" 0 'socket pairs'
run 'grep -q "NoNewPrivs:.1" /proc/self/status && grep -q "Seccomp:.2" /proc/self/status'
is "$?" 0 'no_new_privs and seccomp are on'
"$aegsh" -c 'ls /proc/self/fd' >"$HOME/out"
is "$(tr '\n' ' ' <"$HOME/out")" '0 1 2 3 ' \
    'no descriptor but 0, 1, 2 (3 is the listing itself)'
done_testing
