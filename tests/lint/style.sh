#!/bin/sh
# SPDX-License-Identifier: ISC
# How our files look: SPDX line, sizes, widths, blanks, words that say that
# something is not done.
. "$abs_top_srcdir/tests/lib/tap.sh"
cd "$abs_top_srcdir" || exit 99
LC_ALL=C
export LC_ALL

sources() {
	find src include tests -type f -name '*.[ch]' | sort
}
# What people write, of every kind.
texts() {
	sources
	find src tests completions man share m4 .ci -type f \( -name '*.sh' \
	    -o -name '*.py' -o -name '*.case' -o -name '*.conf' \
	    -o -name '*.sql' -o -name '*.[1-9]' -o -name '*.m4' \
	    -o -name '*.fish' -o -name '*.bash' -o -name LAYERS \) \
	    2>/dev/null | sort
	ls configure.ac Makefile.am autogen.sh
}

# A test of no files would say that all is well.
n=$(sources | wc -l)
ok "$((n < 20))" "there are $n C files"

# shellcheck disable=SC2046 # our names have no blanks
is "$(awk 'FNR == 1 { seen = 0 }
	FNR <= 3 && /SPDX-License-Identifier: ISC/ { seen = 1 }
	FNR == 3 && !seen { print FILENAME }' $(texts |
	grep -v '\.case$\|LAYERS$'))" '' 'each says its licence on top'

# shellcheck disable=SC2046
is "$(awk 'FNR == 601 { print FILENAME }' $(sources))" '' \
    'no C file is longer than 600 lines'

# A function is what stands between braces in the first column.
# shellcheck disable=SC2046
is "$(awk '/^\{/ { start = FNR }
	/^\}/ { if (start && FNR - start > 80)
		print FILENAME ":" start ": " FNR - start " lines"
		start = 0 }' $(sources))" '' \
    'no function is longer than 80 lines'

# shellcheck disable=SC2046
is "$(awk '{ line = $0; width = 0
	gsub(/[\200-\277]/, "", line)	# the tails of UTF-8 sequences
	n = split(line, part, "\t")
	for (i = 1; i <= n; i++) {
		width += length(part[i])
		if (i < n)
			width += 8 - width % 8
	}
	if (width > 80)
		print FILENAME ":" FNR ": " width }' $(sources))" '' \
    'no line of C is wider than 80 columns'

# src/audit/audit_math.c stands in for libm in the shell.
is "$(grep -rl '<math\.h>' src include | grep -v '^src/judge/')" \
    src/validator/val_reply.c 'only the judge helper calculates'

# shellcheck disable=SC2046
is "$(grep -n '[[:blank:]]$' $(texts | grep -v '\.case$') /dev/null)" '' \
    'no line ends in a blank'

# shellcheck disable=SC2046
is "$(grep -nwE 'TOD[O]|FIXM[E]|XX[X]' $(texts) /dev/null)" '' \
    'nothing says that it is not done'
done_testing
