/* SPDX-License-Identifier: ISC */
/* `aegshctl audit events`: what happened beside the lines. */
#include <errno.h>
#include <string.h>

#include "admin_read.h"
#include "aegsh/audit_read.h"
#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define LIMIT 30

enum { O_JSON, O_LIMIT, O_SINCE, O_UNTIL, O_KIND, O_USER };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_LIMIT] = { "limit", 'n', "N", "the newest N (30; 0: all)",
	    ADMIN_WORDS_NONE },
	[O_SINCE] = { "since", 0, "TIME", "only from TIME on",
	    ADMIN_WORDS_NONE },
	[O_UNTIL] = { "until", 0, "TIME", "only before TIME",
	    ADMIN_WORDS_NONE },
	[O_KIND] = { "kind", 0, "WORD", "only of that kind",
	    ADMIN_WORDS_NONE },
	[O_USER] = { "user", 0, "NAME", "that user's store (root only)",
	    ADMIN_WORDS_USER },
	{ NULL }
};

struct list {
	struct admin *a;
	struct admin_table *table;	/* NULL: JSON */
	int64_t rows;
};

static int
on_event(void *ctx, const struct audit_happened *e)
{
	struct list *l = ctx;
	char when[ADMIN_TIME_MAX];
	json_t *o;

	l->rows++;
	if (l->table != NULL) {
		const char *cells[] = { when, e->kind, e->text };

		admin_time_show(e->wall_ns, when);
		admin_table_add(l->table, cells);
		return 0;
	}
	o = json_object();
	admin_time_json(e->wall_ns, when);
	json_object_set_new(o, "id", json_integer(e->id));
	json_object_set_new(o, "session", e->session != 0 ?
	    json_integer(e->session) : json_null());
	admin_json_text(o, "time", when);
	json_object_set_new(o, "wall_ns", json_integer(e->wall_ns));
	admin_json_text(o, "kind", e->kind);
	admin_json_text(o, "text", e->text);
	admin_json_text(o, "writer", e->writer);
	admin_json_print(l->a, o);
	return ferror(l->a->out);
}

static int
list(struct admin *a, const struct audit_events_query *q, const char *user,
    bool json)
{
	static const struct admin_column columns[] = {
		{ "WHEN", 19, false, false },
		{ "KIND", 8, false, false },
		{ "TEXT", 16, false, true },
	};
	struct list l = { .a = a };
	struct audit *store = NULL;
	struct err err = ERR_INIT;
	int rc;

	if (!json) {
		admin_page_start(a);
		l.table = admin_table_new(columns, AEG_NELEM(columns));
	}
	rc = admin_read_open(a, user, false, &store, NULL, &err);
	if (rc == 0)
		rc = audit_events(store, q, on_event, &l, &err);
	audit_close(store);
	if (rc == 0 && l.table != NULL && l.rows > 0)
		admin_table_print(l.table, a);
	admin_table_free(l.table);
	admin_page_end(a);
	if (rc < 0)
		return admin_read_fail(a, rc, &err);
	return l.rows > 0 ? ADMIN_OK : ADMIN_NO;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct audit_events_query q = { .limit = LIMIT };
	const char *user = NULL;
	bool json = false;
	int o, rc = 0;

	while (rc == 0 && (o = admin_option_next(a, &args)) !=
	    ADMIN_ARGS_END) {
		if (o == O_JSON)
			json = true;
		else if (o == O_LIMIT)
			rc = text_to_i64(args.value, 0, INT64_MAX, &q.limit);
		else if (o == O_SINCE)
			rc = admin_time_parse(args.value, clock_wall_ns(),
			    &q.since_ns);
		else if (o == O_UNTIL)
			rc = admin_time_parse(args.value, clock_wall_ns(),
			    &q.until_ns);
		else if (o == O_KIND)
			q.kind = args.value;
		else if (o == O_USER)
			user = args.value;
		else
			return ADMIN_USAGE;
	}
	if (rc < 0) {
		admin_complain(a, "%s: no such time or number", args.value);
		return admin_usage(a);
	}
	if (admin_operands(a, &args, 0, 0) < 0)
		return ADMIN_USAGE;
	return list(a, &q, user, json);
}

const struct admin_verb cmd_audit_events = {
	.name = "audit events",
	.usage = "",
	.summary = "show what happened beside the lines, and who read them",
	.run = run,
	.options = options,
};
