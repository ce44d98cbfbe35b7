/* SPDX-License-Identifier: ISC */
/* `aegshctl history`, `audit log` and `audit search`: the recorded lines. */
#include <errno.h>
#include <string.h>

#include "admin_read.h"
#include "aegsh/base/mem.h"

#define LIMIT 30		/* lines, when -n does not say */

static const struct admin_option options[] = {
	ADMIN_FILTER_OPTIONS("30"),
	[ADMIN_F_COUNT] = { NULL }
};

/* What a user looks at, and what somebody does who looks into a case. */
static const struct admin_column few[] = {
	{ "WHEN", 19, false, false },
	{ "DECISION", 7, false, false },
	{ "STATUS", 6, false, false },
	{ "TOOK", 4, true, false },
	{ "LINE", 16, false, true },
};
static const struct admin_column many[] = {
	{ "ID", 2, true, false },
	{ "WHEN", 19, false, false },
	{ "USER", 4, false, false },
	{ "DECISION", 5, false, false },
	{ "STATUS", 5, false, false },
	{ "RULE", 5, false, false },
	{ "CWD", 4, false, false },
	{ "LINE", 12, false, true },
};

struct list {
	struct admin *a;
	struct admin_table *table;	/* NULL: JSON */
	bool wide;
	int64_t rows;
};

static void
add_few(struct admin_table *t, const struct audit_row *row)
{
	char when[ADMIN_TIME_MAX], took[ADMIN_TIME_MAX] = "", end[32];
	const char *cells[] = { when, row->decision, end, took, row->line };

	admin_time_show(row->wall_ns, when);
	admin_row_end(row, end, sizeof end);
	if (row->finished && row->ran && row->duration_ns > 0)
		admin_span_show(row->duration_ns, took);
	admin_table_add(t, cells);
}

static void
add_many(struct admin_table *t, const struct audit_row *row)
{
	char when[ADMIN_TIME_MAX], end[32], id[24];
	const char *cells[] = { id, when, row->user, row->decision, end,
		row->rule, row->cwd, row->line };

	snprintf(id, sizeof id, "%lld", (long long)row->id);
	admin_time_show(row->wall_ns, when);
	admin_row_end(row, end, sizeof end);
	admin_table_add(t, cells);
}

static int
on_row(void *ctx, const struct audit_row *row)
{
	struct list *l = ctx;

	l->rows++;
	if (l->table == NULL)
		admin_json_print(l->a, admin_row_json(row));
	else if (l->wide)
		add_many(l->table, row);
	else
		add_few(l->table, row);
	return ferror(l->a->out);
}

static int
list(struct admin *a, const struct admin_filter *f, bool wide)
{
	struct list l = { .a = a, .wide = wide };
	struct err err = ERR_INIT;
	bool bad;
	int rc;

	if (!f->json) {
		admin_page_start(a);
		l.table = wide ? admin_table_new(many, AEG_NELEM(many)) :
		    admin_table_new(few, AEG_NELEM(few));
	}
	rc = admin_rows(a, f, on_row, &l, &bad, &err);
	if (rc == 0 && l.table != NULL && l.rows > 0)
		admin_table_print(l.table, a);
	admin_table_free(l.table);
	admin_page_end(a);
	if (rc < 0)
		return admin_read_fail(a, rc, &err);
	if (!bad && l.rows == 0)
		admin_rows_none(a, f);
	return bad ? ADMIN_SYSTEM : l.rows > 0 ? ADMIN_OK : ADMIN_NO;
}

/* operand: TEXT is one. */
static int
run(struct admin *a, int argc, char **argv, bool wide, bool operand)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	AEG_AUTO(admin_filter_done) struct admin_filter f =
	    ADMIN_FILTER_INIT(LIMIT);

	if (admin_filter_parse(a, &args, &f) != ADMIN_OK)
		return ADMIN_USAGE;
	/* One of the three is looked for at least. */
	if (admin_operands(a, &args, operand && f.q.wrote == NULL &&
	    f.q.file == NULL, operand) < 0)
		return ADMIN_USAGE;
	if (args.at < argc)
		f.q.text = argv[args.at];
	return list(a, &f, wide);
}

static int
history(struct admin *a, int argc, char **argv)
{
	return run(a, argc, argv, false, false);
}

static int
audit_log(struct admin *a, int argc, char **argv)
{
	return run(a, argc, argv, true, false);
}

static int
search(struct admin *a, int argc, char **argv)
{
	return run(a, argc, argv, true, true);
}

const struct admin_verb cmd_history = {
	.name = "history",
	.usage = "",
	.summary = "show the recorded lines, the newest last",
	.run = history,
	.options = options,
};

const struct admin_verb cmd_audit_log = {
	.name = "audit log",
	.usage = "",
	.summary = "show the recorded lines with who, where and why",
	.run = audit_log,
	.options = options,
};

const struct admin_verb cmd_audit_search = {
	.name = "audit search",
	.usage = "[--] [TEXT]",
	.summary = "show the recorded lines that hold a text, or wrote it, or "
	    "changed a file",
	.run = search,
	.options = options,
};
