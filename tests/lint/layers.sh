#!/bin/sh
# SPDX-License-Identifier: ISC
# Holds the tree to src/LAYERS: a room includes its own headers and the
# contract headers of the rooms that its line names, none of a higher layer;
# and a foreign library's headers only where its rooms are.
. "$abs_top_srcdir/tests/lib/tap.sh"
cd "$abs_top_srcdir" || exit 99
LC_ALL=C
export LC_ALL

# Foreign headers and the rooms that may see them.
foreign='sqlite3.h audit
nettle/ audit cast redact base policy resolve validator sandbox judge turn admin
confuse.h conf policy sandbox
pcre2.h policy
seccomp.h sandbox wire judge
histedit.h line
jansson.h judge admin validator shipper
curl/ http judge shipper
uthash.h policy resolve base state'

# Prints what is wrong with the includes of the files given.
check() {
	awk -v foreign="$foreign" '
	function room_of(header,    name) {
		if (header ~ /^aegsh\/base\//)
			return "base"
		name = header
		sub(/^aegsh\//, "", name)
		sub(/\.h$/, "", name)
		while (!(name in layer) && sub(/_[^_]*$/, "", name))
			;
		return name
	}
	function may(from, to,    i, n, names) {
		if (from == to)
			return 1
		if (!(to in layer) || layer[to] + 0 > layer[from] + 0)
			return 0
		n = split(allowed[from], names, " ")
		for (i = 1; i <= n; i++) {
			if (names[i] == to)
				return 1
			if (names[i] == "*" && layer[to] + 0 < layer[from] + 0)
				return 1
		}
		return 0
	}
	function wrong(what) {
		printf "%s:%d: %s\n", FILENAME, FNR, what
	}
	BEGIN {
		n = split(foreign, rows, "\n")
		for (i = 1; i <= n; i++) {
			lib = rows[i]
			sub(/ .*/, "", lib)
			sees[lib] = rows[i] " "
		}
	}
	FILENAME == "src/LAYERS" {
		if ($0 !~ /^#/ && NF >= 2) {
			layer[$1] = $2
			rest = $0
			sub(/^[^ ]+ +[0-9]+ */, "", rest)
			allowed[$1] = rest
		}
		next
	}
	FNR == 1 {
		n = split(FILENAME, part, "/")
		if (part[1] == "src")
			room = part[2]
		else
			room = room_of(substr(FILENAME, length("include/") + 1))
		if (!(room in layer)) {
			wrong("room " room " is not in src/LAYERS")
			nextfile
		}
	}
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		header = $0
		sub(/^[^"]*"/, "", header)
		sub(/".*/, "", header)
		if (header ~ /^aegsh\//) {
			if (!may(room, room_of(header)))
				wrong(room " may not include " header)
		} else if (part[1] != "src") {
			wrong("a contract header includes " header)
		} else if (header ~ /\// && header !~ "^" room "/") {
			wrong(room " may not include " header)
		}
	}
	/^[ \t]*#[ \t]*include[ \t]*</ {
		header = $0
		sub(/^[^<]*</, "", header)
		sub(/>.*/, "", header)
		for (lib in sees) {
			if (index(header, lib) != 1)
				continue
			if (part[1] != "src")
				wrong("a contract header includes " header)
			else if (index(sees[lib], " " room " ") == 0)
				wrong(room " may not include " header)
		}
	}' src/LAYERS "$@"
}

for dir in src/*/; do
	room=${dir#src/}
	room=${room%/}
	# A room without C is none yet.
	set -- "$dir"*.[ch]
	[ -e "$1" ] || continue
	is "$(check "$@")" '' "$room"
done
# shellcheck disable=SC2046 # our names have no blanks
is "$(check $(find include/aegsh -name '*.h' | sort))" '' 'contract headers'

# The check itself finds what it is for.
bad=$(mktemp -d) || exit 99
trap 'rm -rf "$bad"' EXIT
mkdir -p "$bad/src/audit" "$bad/include/aegsh"
cp src/LAYERS "$bad/src/LAYERS"
cat >"$bad/src/audit/x.c" <<'EOF'
#include <sqlite3.h>
#include <curl/curl.h>
#include "audit_int.h"
#include "conf/conf_int.h"
#include "aegsh/conf_options.h"
#include "aegsh/base/buf.h"
#include "aegsh/policy.h"
#include "aegsh/nothing.h"
EOF
cat >"$bad/include/aegsh/audit.h" <<'EOF'
#include <sqlite3.h>
#include "audit_int.h"
EOF
cd "$bad" || exit 99
is "$(check src/audit/x.c include/aegsh/audit.h)" \
'src/audit/x.c:2: audit may not include curl/curl.h
src/audit/x.c:4: audit may not include conf/conf_int.h
src/audit/x.c:7: audit may not include aegsh/policy.h
src/audit/x.c:8: audit may not include aegsh/nothing.h
include/aegsh/audit.h:1: a contract header includes sqlite3.h
include/aegsh/audit.h:2: a contract header includes audit_int.h' \
    'what is wrong is found'
done_testing
