/* SPDX-License-Identifier: ISC */
/* How a unit is wrapped, and that lines are counted. */
#include "exec/exec_int.h"
#include "tap.h"

#include "aegsh/base/mem.h"

#define END(n) "} 0>&\"$((LINENO=" #n ",196))\" 196<&-\n"

/* One after the other, in one stream. */
static const struct {
	const char *unit, *want;
	unsigned long line;	/* after it */
} cases[] = {
	{ "echo a", "{ echo a\n" END(1), 1 },
	{ "echo b\n", "{ echo b\n" END(2), 2 },
	{ "if x\nthen y\nfi", "{ if x\nthen y\nfi\n" END(5), 5 },
	{ "", "\n", 6 },
	{ "\n", "\n", 7 },
	{ "# c", "# c\n", 8 },
	{ " \t# c\n", " \t# c\n", 9 },
	{ "#a\n\\\n#b", "#a\n\\\n#b\n", 12 },
	{ "x # c", "{ x # c\n" END(13), 13 },
	{ "x\n\n", "{ x\n\n" END(15), 15 },
	{ "cat <<E\n}\nE", "{ cat <<E\n}\nE\n" END(18), 18 },
	{ "echo \\", "{ echo \\\n\n" END(19), 19 },
	{ "\\#", "{ \\#\n" END(20), 20 },
	{ "\\", "{ \\\n\n" END(21), 21 },
};

int
main(void)
{
	struct exec_stream st = { .fd = -1, .line = 0 };
	struct buf skip = BUF_INIT;
	size_t i;

	for (i = 0; i < AEG_NELEM(cases); i++) {
		AEG_AUTO(buf_done) struct buf out = BUF_INIT;

		exec_stream_wrap(&st, cases[i].unit, strlen(cases[i].unit),
		    &out);
		OKF(out.len == strlen(cases[i].want) + 1 &&
		    out.data[out.len - 1] == '\0', "case %zu ends in a NUL", i);
		IS_STRN(out.data, cases[i].want, "and is wrapped");
		IS_INT((intmax_t)st.line, (intmax_t)cases[i].line);
	}
	st.skipped = 2;
	exec_stream_wrap(&st, "x", 1, &skip);
	IS_STRN(skip.data, "\n\n{ x\n" END(24), "lines that were left out");
	IS_INT((intmax_t)st.line, 24);
	buf_done(&skip);
	return tap_done();
}
