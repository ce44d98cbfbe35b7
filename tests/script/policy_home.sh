#!/bin/sh
# SPDX-License-Identifier: ISC
# A home below /opt is its account's own, in a session as in the rules.  /opt
# is a private file system here, so nothing of the machine's is touched.
. "$abs_top_srcdir/tests/lib/home.sh"

if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null; then
	skip_all 'only root can put a file system at /opt'
fi
case $abs_top_srcdir:$abs_top_builddir: in
/opt/* | *:/opt/*) skip_all 'what is tested lies below /opt itself' ;;
esac
place=/opt/svc
# What is run in there: the account of uid 4242, whose home lies in $place.
# shellcheck disable=SC2016 # its own variables
inside='
mount -t tmpfs none /opt || exit 99
mkdir -p "$place/etc" "$place/own" "$place/home"
chmod 755 "$place" && chmod 1777 "$place/own"
chown 4242:4242 "$place/home"
cd "$place/home" || exit 99
exec setpriv --reuid 4242 --regid 4242 --clear-groups "$@"
'
session() {
	AEGSH_TEST_ROOT=$place AEGSH_TEST_OPERATOR=0 HOME=${home-$place/home} \
	    place=$place unshare -m sh -c "$inside" sh "$aegsh" -c "$1" \
	    >"$test_root/out" 2>"$test_root/err"
	status=$?
}
own() {
	session "$1"
	is "$status$(cat "$test_root/err")" 0 "$1"
}
own 'echo x >~/f && cat f'
own "echo x >$place/home/f"
own "echo x >f && cp f $place/home/g && mv g h"
own "mkdir -p d/e && rm -rf $place/home/d"
home=/nonexistent
own "echo x >$place/home/f"
unset home
session 'echo x >/opt/other'
is "$status" 126 'another directory below /opt is not'
like "$(cat "$test_root/err")" '*[[]ask.move-system]*' 'by that rule'
session "HOME=/opt; export HOME
echo x >/opt/other"
is "$status" 126 'whatever HOME says'
session "echo 'x' >>$place/home/.bashrc"
is "$status" 126 'what is guarded in a home is so in this one'
done_testing
