#!/bin/sh
# SPDX-License-Identifier: ISC
# From a clone to a build: generate, configure, build, run or test.
set -eu

usage() {
	cat <<'EOF'
usage: ./autogen.sh                     generate ./configure
       ./autogen.sh --deps              install what a build needs (Debian)
       ./autogen.sh --run [-- ARG …]    all of it, then start aegsh with ARGs
       ./autogen.sh --check [-- ARG …]  all of it, then run the tests; ARGs go
                                        to ./configure
       ./autogen.sh --build [-- ARG …]  what --check does before its tests
EOF
}

say() { printf 'autogen.sh: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# What a build needs, and what the tests need on top.
build_packages='autoconf automake gcc gettext libc6-dev make pkg-config
	libconfuse-dev libcurl4-openssl-dev libedit-dev libjansson-dev
	libpcre2-dev libseccomp-dev libsqlite3-dev linux-libc-dev musl-tools
	nettle-dev uthash-dev'
test_packages='bash-completion busybox codespell dash fish ksh93u+m mandoc mksh openssl patch
	procps python3 shellcheck sqlite3 strace sudo yash zsh'

missing_packages() {
	for package in "$@"; do
		case $(dpkg-query -W -f '${db:Status-Status}' "$package" \
		    2>/dev/null) in
		installed) ;;
		*) printf '%s ' "$package" ;;
		esac
	done
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo "$@"
	else
		die "not root and no sudo here; have somebody run: $*"
	fi
}

install_packages() {
	if ! command -v dpkg-query >/dev/null 2>&1; then
		say 'no dpkg here: install the libraries by hand (configure' \
		    'names each by its Debian and Fedora package)'
		return 0
	fi
	# shellcheck disable=SC2048,SC2086 # words of lists
	missing=$(missing_packages $*)
	[ -n "$missing" ] || return 0
	say "installing: $missing"
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update >&2
	# shellcheck disable=SC2086
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
	    --no-install-recommends install $missing >&2
}

generate() {
	# Nothing to do when configure is newer than all it is made from.
	if [ -f configure ] && [ -z "$(find configure.ac Makefile.am m4 \
	    -newer configure -print)" ] && [ -f Makefile.in ]; then
		return 0
	fi
	say 'generating configure'
	autoreconf --force --install >&2
}

# In a folder of its own, so that several can stand side by side.  Nothing to do
# where it was configured by this configure, and the same way.
configure_in() {
	folder=$1
	shift
	mkdir -p "$folder"
	[ -f "$folder/Makefile" ] &&
	    [ -z "$(find configure -newer "$folder/config.status")" ] &&
	    [ "$(cat "$folder/configured-as" 2>/dev/null)" = "$*" ] && return 0
	(cd "$folder" && { ../configure -q "$@" || exit 1; }) >&2 ||
	    die "configure failed; see $folder/config.log"
	printf '%s\n' "$*" >"$folder/configured-as"
}

jobs() { nproc 2>/dev/null || echo 1; }

run() {
	install_packages "$build_packages"
	generate
	# An install of its own inside the clone: no root, nothing outside.
	# aegsh believes no policy that others could exchange, and clones made
	# under umask 002 let the group do that.
	if [ -n "$(find . -prune -perm /022)" ]; then
		say "others may write to $PWD; taking that right away"
		chmod go-w .
	fi
	[ -f build-run/Makefile ] ||
	    configure_in build-run --prefix="$PWD/_run"
	make -s -C build-run -j"$(jobs)" install-run >&2 ||
	    die 'the build failed'
	PATH=$PWD/_run/bin:$PWD/_run/sbin:$PATH
	export PATH
	umask "$users_umask"
	exec aegsh "$@"
}

# All that the tests need.
build() {
	install_packages "$build_packages $test_packages"
	generate
	configure_in "$folder" "$@"
	for goal in all check-programs; do
		make -s -C "$folder" -j"$(jobs)" "$goal" >&2 ||
		    die 'the build failed'
	done
}

run_tests() {
	status=0
	# In the background of a script, SIGINT and SIGQUIT are ignored, under
	# nohup SIGHUP, and no shell can take that back: tests of signals need
	# them as they are.
	# One more than there are processors: tests wait more than they compute.
	env --default-signal=INT,QUIT,HUP,PIPE \
	    make -s -C "$folder" -j"$(($(jobs) + 1))" -k \
	    check >&2 || status=$?
	[ "$status" -eq 0 ] || ! few_failed "$folder" || {
		status=0
		again "$folder" || status=$?
	}
	count "$folder" || status=1
	exit "$status"
}

failed_in() {
	find "$1" -name '*.trs' -exec grep -lE \
	    '^:global-test-result: (FAIL|ERROR)' {} + | sed 's/\.trs$//'
}

few_failed() {
	n=$(failed_in "$1" | wc -l)
	[ "$n" -gt 0 ] && [ "$n" -le 3 ]
}

# Run what failed once more, alone: a test that waited too short a time beside
# others is told from one that fails.  Either is named, and what it said the
# first time is kept.
again() {
	failed_in "$1" >"$1/first-failed"
	mkdir -p "$1/unsteady"
	while IFS= read -r name; do
		cp "$name.log" "$1/unsteady/"
	done <"$1/first-failed"
	result=0
	env --default-signal=INT,QUIT,HUP,PIPE \
	    make -s -C "$1" recheck >&2 || result=$?
	while IFS= read -r name; do
		log=$1/unsteady/${name##*/}.log
		if grep -q '^:global-test-result: PASS' "$name.trs"; then
			say "unsteady: ${name#"$1"/} failed beside others," \
			    "passed alone; what failed then: $log"
		else
			rm -f "$log"
		fi
	done <"$1/first-failed"
	return "$result"
}

# The TAP driver leaves one .trs file a test program, one line a check.
count() {
	find "$1" -name '*.trs' -exec cat {} + | awk '
		/^:test-result: (PASS|XFAIL)/ { passed++ }
		/^:test-result: (FAIL|XPASS|ERROR)/ { failed++ }
		/^:test-result: SKIP/ { skipped++ }
		END {
			printf "%d passed, %d failed, %d skipped\n",
			    passed, failed, skipped
			exit passed == 0 || failed > 0
		}'
}

cd "$(dirname "$0")"
folder=${AEGSH_CHECK_FOLDER:-build-check}
users_umask=$(umask)
umask 022
mode=${1:-}
[ $# -eq 0 ] || shift
[ "${1:-}" != -- ] || shift
case $mode in
'') autoreconf --force --install ;;
--deps) install_packages "$build_packages $test_packages" ;;
--run) run "$@" ;;
--check)
	build "$@"
	run_tests
	;;
--build) build "$@" ;;
--help | -h) usage ;;
*)
	usage >&2
	exit 100
	;;
esac
