#!/bin/sh
# SPDX-License-Identifier: ISC
# The shells that call: each runs scripts by alias and uses the library, and
# lives on.  A shell that is not installed is skipped by name.
# shellcheck disable=SC2016,SC2154
. "$abs_top_srcdir/tests/lib/tap.sh"
[ -x "$abs_top_builddir/auto-shebang" ] || {
	echo 'Bail out! auto-shebang is not built'
	exit 99
}
top=$(mktemp -d "${TMPDIR:-/tmp}/aegsh-callers-XXXXXX") || exit 99
trap 'rm -rf "$top"' EXIT
cd "$top" || exit 99
top=$(pwd -P)

mkdir -p 'p r/bin' 'p r/s' alias
ln -s "$abs_top_builddir/auto-shebang" alias/auto-shebang
"$abs_top_builddir/auto-shebang" link alias auto-python
# shellcheck disable=SC2016 # the interpreter's words, not ours
printf '#!/bin/sh\necho PY "$@"\n[ "$2" != fail ] || exit 42\n' \
    >'p r/bin/auto-python'
printf '#!%s/alias/auto-python\n' "$top" >'p r/s/x'
printf '#!%s/alias/auto-python\n# auto-shebang-trust-env=1\n' "$top" >'p r/s/bad'
printf '#!%s/alias/auto-none\n' "$top" >'p r/s/none'
chmod 755 'p r/bin/auto-python' 'p r/s/'*
ln -s ../alias/auto-shebang alias/auto-none
sed "s|@bindir@|$top/alias|" \
    "$abs_top_srcdir/share/auto-shebang/auto-shebang.sh.in" >lib.sh

# says SHELL ARGUMENT...: its output and status into got.
says() {
	got=$("$@" 2>err)
	got="$got:$?"
}

each_shell() {
	says "$@" -c '"./p r/s/x" "a b" "*"; echo "$?"'
	is "$got" 'PY ./p r/s/x a b *
0:0' "$name: runs a script"
	says "$@" -c '"./p r/s/x" fail; echo "$?"'
	is "$got" 'PY ./p r/s/x fail
42:0' "$name: gets the interpreter's status"
	# By its whole path: bash makes it that anyway.
	says "$@" -c 'exec "$0/p r/s/x" 1' "$top"
	is "$got" "PY $top/p r/s/x 1:0" "$name: execs a script"
	says "$@" -c '"./p r/s/none"; echo "$?"'
	is "$got" '127:0' "$name: 127 for what is not found"
	says "$@" -c 'cd "p r"; s/x; pwd'
	is "$got" "PY s/x
$top/p r:0" "$name: its directory stays"
	says "$@" -c 'AUTO_SHEBANG_LIB=1; . ./lib.sh
auto_shebang_resolve auto-python "p r/s/x"; echo "$?:$AUTO_SHEBANG_RESULT"'
	is "$got" "0:$top/p r/bin/auto-python:0" "$name: library finds"
	says "$@" -c 'AUTO_SHEBANG_LIB=1; . ./lib.sh; AUTO_SHEBANG_RESULT=old
auto_shebang_resolve auto-none "p r/s/x"; echo "$?:$AUTO_SHEBANG_RESULT"
auto_shebang_resolve auto-python "p r/s/bad"; echo "$?:$AUTO_SHEBANG_RESULT"
auto_shebang_resolve auto-python; echo "$?:$AUTO_SHEBANG_RESULT"'
	is "$got" '127:
2:
2::0' "$name: library fails, and the shell lives on"
	says "$@" -c 'set -eu; set -f; IFS=/o; AUTO_SHEBANG_LIB=1; . ./lib.sh
if auto_shebang_resolve auto-none "p r/s/x"; then echo wrong; fi
auto_shebang_resolve auto-python "p r/s/bad" || echo "$?"
auto_shebang_resolve auto-python "p r/s/x"; echo "$AUTO_SHEBANG_RESULT"
echo "$# $1"' sh one two
	is "$got" "2
$top/p r/bin/auto-python
2 one:0" "$name: library under set -euf, odd IFS, own arguments"
	says "$@" -c '. ./lib.sh' </dev/null
	case $got in
	*:2) ok 0 "$name: without AUTO_SHEBANG_LIB it is the program" ;;
	*) is "$got" '…:2' "$name: without AUTO_SHEBANG_LIB it is the program" ;;
	esac
	says "$@" ./lib.sh --resolve auto-python 'p r/s/x'
	is "$got" "$top/p r/bin/auto-python:0" "$name: lib.sh is the program"
	# A newline at the end of a path is part of it.
	nl='
'
	mkdir -p "n$nl"
	[ -e "n$nl/auto-python$nl" ] ||
	    cp 'p r/bin/auto-python' "n$nl/auto-python$nl"
	: >"n$nl/x"
	says "$@" -c 'AUTO_SHEBANG_LIB=1; . ./lib.sh; nl="
"
auto_shebang_resolve "auto-python$nl" "n$nl/x"
[ "$AUTO_SHEBANG_RESULT" = "$0/n$nl/auto-python$nl" ]' "$top"
	is "$got" ':0' "$name: library keeps a newline at the end"
}

for name in dash bash 'busybox sh' zsh ksh mksh yash; do
	if ! command -v "${name%% *}" >/dev/null 2>&1; then
		skip "$name is not installed"
		continue
	fi
	# shellcheck disable=SC2086 # "busybox sh" is two words
	each_shell $name
done
done_testing
