/* SPDX-License-Identifier: ISC */
/* history: the lines that the record holds of this user's prompts. */
#include <string.h>

#include "aegsh/base/text.h"
#include "shell/bi.h"

static int
put_row(void *ctx, const struct audit_row *row)
{
	struct buf *out = ctx;

	if (strcmp(row->origin, "prompt") != 0 || row->line[0] == ' ')
		return 0;
	buf_putf(out, "%5lld  ", (long long)row->id);
	text_inert(out, row->line, row->len, 0);
	buf_putc(out, '\n');
	return 0;
}

static int
run_history(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct shell *sh = ctx;
	struct audit *a = turn_audit(sh->turn);
	struct audit_query q = { .limit = 500 };
	struct err err = ERR_INIT;

	if (argc > 2 || (argc == 2 &&
	    text_to_i64(argv[1], 1, 1000000, &q.limit) != 0)) {
		buf_puts(complaint, "aegsh: history: usage: history [N]");
		return 2;
	}
	if (a == NULL) {
		buf_putf(complaint, "aegsh: history: not recorded: %s",
		    turn_unrecorded(sh->turn));
		return 1;
	}
	if (audit_flush(a, &err) != 0 ||
	    audit_query(a, &q, put_row, out, &err) != 0) {
		buf_putf(complaint, "aegsh: history: %s", err.text);
		return 1;
	}
	return 0;
}

const struct turn_builtin bi_history = {
	.name = "history",
	.usage = "history [N]",
	.help = "show the last lines; outside, aegshctl history shows all",
	.run = run_history,
};
