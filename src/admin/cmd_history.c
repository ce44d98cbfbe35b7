/* SPDX-License-Identifier: ISC */
/* `aegshctl history`: the recorded lines. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "admin_int.h"
#include "aegsh/audit.h"
#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define LIMIT 30		/* lines, when -n does not say */

enum { O_JSON, O_LIMIT, O_SINCE, O_UNTIL, O_SEARCH, O_DECISION,
	O_UNFINISHED, O_USER };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_LIMIT] = { "limit", 'n', "N", "the newest N lines (30; 0: all)",
	    ADMIN_WORDS_NONE },
	[O_SINCE] = { "since", 0, "TIME", "only lines from TIME on",
	    ADMIN_WORDS_NONE },
	[O_UNTIL] = { "until", 0, "TIME", "only lines before TIME",
	    ADMIN_WORDS_NONE },
	[O_SEARCH] = { "search", 0, "TEXT", "only lines with TEXT in them",
	    ADMIN_WORDS_NONE },
	[O_DECISION] = { "decision", 0, "WORD",
	    "only lines so decided: allow, confirm, block",
	    ADMIN_WORDS_DECISION },
	[O_UNFINISHED] = { "unfinished", 0, NULL,
	    "only lines without an outcome", ADMIN_WORDS_NONE },
	[O_USER] = { "user", 0, "NAME", "that user's store (root only)",
	    ADMIN_WORDS_USER },
	{ NULL }
};

struct shown {
	struct admin *a;
	struct admin_table *table;	/* NULL: JSON */
	int64_t rows;
};

/* How a line ended, as a person reads it. */
static void
show_end(const struct audit_row *row, char *ret, size_t size)
{
	const char *name = sigabbrev_np(row->signal);

	if (!row->ran)
		snprintf(ret, size, "refused");
	else if (!row->finished)
		snprintf(ret, size, "unfinished");
	else if (row->signal != 0 && name != NULL)
		snprintf(ret, size, "SIG%s", name);
	else if (row->signal != 0)
		snprintf(ret, size, "signal %d", row->signal);
	else
		snprintf(ret, size, "%d", row->status);
}

static void
add_cells(struct admin_table *t, const struct audit_row *row)
{
	char when[ADMIN_TIME_MAX], took[ADMIN_TIME_MAX] = "", end[32];
	const char *cells[] = { when, row->decision, end, took, row->line };

	admin_time_show(row->wall_ns, when);
	show_end(row, end, sizeof end);
	if (row->finished && row->ran && row->duration_ns > 0)
		admin_span_show(row->duration_ns, took);
	admin_table_add(t, cells);
}

static void
set_int(json_t *o, const char *key, bool there, int64_t n)
{
	json_object_set_new(o, key, there ? json_integer(n) : json_null());
}

static void
print_json(struct admin *a, const struct audit_row *row)
{
	bool done = row->ran && row->finished;
	char when[ADMIN_TIME_MAX];
	json_t *o = json_object();

	admin_time_json(row->wall_ns, when);
	set_int(o, "id", true, row->id);
	admin_json_text(o, "uuid", row->uuid);
	set_int(o, "session", true, row->session);
	admin_json_text(o, "time", when);
	set_int(o, "wall_ns", true, row->wall_ns);
	admin_json_bytes(o, "line", row->line, row->len);
	set_int(o, "redacted", true, row->redacted);
	admin_json_text(o, "cwd", row->cwd);
	admin_json_text(o, "user", row->user);
	admin_json_text(o, "host", row->host);
	admin_json_text(o, "tty", row->tty);
	admin_json_text(o, "origin", row->origin);
	admin_json_text(o, "interpreter", row->interpreter);
	admin_json_text(o, "decision", row->decision);
	admin_json_text(o, "source", row->source);
	admin_json_text(o, "rule", row->rule);
	admin_json_text(o, "reason", row->reason);
	admin_json_text(o, "model", row->model);
	admin_json_text(o, "answer", row->answer);
	set_int(o, "confidence", row->confidence >= 0, row->confidence);
	set_int(o, "latency_ns", row->latency_ns > 0, row->latency_ns);
	admin_json_text(o, "end", !row->ran ? "refused" :
	    row->finished ? "finished" : "unfinished");
	set_int(o, "status", done, row->status);
	set_int(o, "signal", done && row->signal != 0, row->signal);
	set_int(o, "duration_ns", done, row->duration_ns);
	set_int(o, "cpu_ns", done, row->cpu_ns);
	set_int(o, "maxrss_kib", done, row->maxrss_kib);
	admin_json_text(o, "note", row->note);
	admin_json_text(o, "writer", row->writer);
	admin_json_print(a, o);
}

static int
on_row(void *ctx, const struct audit_row *row)
{
	struct shown *s = ctx;

	s->rows++;
	if (s->table != NULL)
		add_cells(s->table, row);
	else
		print_json(s->a, row);
	return ferror(s->a->out);
}

static int
take_time(struct admin *a, const char *text, int64_t *ret)
{
	if (admin_time_parse(text, clock_wall_ns(), ret) == 0)
		return 0;
	admin_complain(a, "%s: not a time: 90m, 2d, today, 2026-08-01, "
	    "'2026-08-01 12:30', @SECONDS", text);
	return -EINVAL;
}

static int
take_options(struct admin *a, struct admin_args *args,
    struct audit_query *q, const char **ret_user, bool *ret_json)
{
	int o, rc = 0;

	while (rc == 0 && (o = admin_option_next(a, args)) != ADMIN_ARGS_END) {
		if (o == O_JSON)
			*ret_json = true;
		else if (o == O_LIMIT)
			rc = text_to_i64(args->value, 0, INT64_MAX, &q->limit);
		else if (o == O_SINCE)
			rc = take_time(a, args->value, &q->since_ns);
		else if (o == O_UNTIL)
			rc = take_time(a, args->value, &q->until_ns);
		else if (o == O_SEARCH)
			q->text = args->value;
		else if (o == O_DECISION)
			q->decision = args->value;
		else if (o == O_UNFINISHED)
			q->unfinished = true;
		else if (o == O_USER)
			*ret_user = args->value;
		else
			return -EINVAL;	/* was said */
	}
	if (rc < 0 || args->at != args->argc)
		admin_usage(a);
	return args->at != args->argc ? -EINVAL : rc;
}

static int
show(struct admin *a, const struct audit_query *q, bool json)
{
	static const struct admin_column columns[] = {
		{ "WHEN", 19, false, false },
		{ "DECISION", 7, false, false },
		{ "STATUS", 6, false, false },
		{ "TOOK", 4, true, false },
		{ "LINE", 16, false, true },
	};
	struct shown s = { .a = a };
	struct audit *store;
	struct err err = ERR_INIT;
	int rc = admin_store(a, &store, &err);

	if (rc == -ENOENT) {
		admin_complain(a, "nothing is recorded yet");
		return ADMIN_NO;
	}
	if (rc < 0)
		return admin_fail(a, &err);
	if (!json)
		s.table = admin_table_new(columns, AEG_NELEM(columns));
	rc = audit_query(store, q, on_row, &s, &err);
	audit_close(store);
	if (rc == 0 && s.table != NULL && s.rows > 0)
		admin_table_print(s.table, a);
	admin_table_free(s.table);
	if (rc < 0)
		return admin_fail(a, &err);
	return s.rows > 0 ? ADMIN_OK : ADMIN_NO;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct audit_query q = { .limit = LIMIT };
	struct err err = ERR_INIT;
	const char *user = NULL;
	bool json = false;

	if (take_options(a, &args, &q, &user, &json) < 0)
		return ADMIN_USAGE;
	if (user != NULL && admin_become(a, user, &err) < 0) {
		admin_fail(a, &err);
		return err.code == ERR_UNKNOWN_NAME ? ADMIN_USAGE :
		    ADMIN_SYSTEM;
	}
	return show(a, &q, json);
}

const struct admin_verb cmd_history = {
	.name = "history",
	.usage = "",
	.summary = "show the recorded lines, the newest last",
	.run = run,
	.options = options,
};
