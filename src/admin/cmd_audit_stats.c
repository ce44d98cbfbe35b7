/* SPDX-License-Identifier: ISC */
/* `aegshctl audit stats`: how much is recorded. */
#include <errno.h>
#include <string.h>

#include "admin_read.h"
#include "aegsh/audit_read.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

enum { O_JSON, O_SESSIONS, O_USER, O_ALL };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_SESSIONS] = { "sessions", 0, "N",
	    "count for each of the newest N sessions, too (0: all)",
	    ADMIN_WORDS_NONE },
	[O_USER] = { "user", 0, "NAME", "of that user's store (root only)",
	    ADMIN_WORDS_USER },
	[O_ALL] = { "all", 0, NULL, "of each user's store (root only)",
	    ADMIN_WORDS_NONE },
	{ NULL }
};

static const struct admin_column columns[] = {
	{ "SESSION", 3, true, false },
	{ "UUID", 8, false, false },
	{ "BEGAN", 19, false, false },
	{ "USER", 4, false, true },
	{ "LINES", 5, true, false },
	{ "REFUSED", 4, true, false },
	{ "FAILED", 4, true, false },
	{ "WROTE", 5, true, false },
	{ "KEPT", 4, true, false },
};

struct wanted {
	bool json, sessions;
	int64_t limit;
	bool all;
};

static void
set_time(json_t *o, const char *key, int64_t ns, bool json)
{
	char text[ADMIN_TIME_MAX];

	if (ns == 0)
		return;
	if (json)
		admin_time_json(ns, text);
	else
		admin_time_show(ns, text);
	admin_json_text(o, key, text);
}

static json_t *
describe(const struct audit_stats *s, bool json)
{
	json_t *o = json_object();
	const struct {
		const char *key;
		int64_t n;
	} counts[] = {
		{ "lines", s->lines }, { "sessions", s->sessions },
		{ "events", s->events }, { "allowed", s->allowed },
		{ "confirmed", s->confirmed }, { "blocked", s->blocked },
		{ "refused", s->refused }, { "failed", s->failed },
		{ "unfinished", s->unfinished },
		{ "with_secrets", s->redacted }, { "bytes", s->bytes },
		{ "output_lines", s->output_lines },
		{ "output_bytes", s->output_bytes },
		{ "output_kept", s->output_kept },
		{ "output_cut", s->output_cut },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(counts); i++)
		json_object_set_new(o, counts[i].key,
		    json_integer(counts[i].n));
	if (s->lines > 0)
		json_object_set_new(o, "bytes_per_line",
		    json_integer(s->bytes / s->lines));
	set_time(o, "first", s->first_ns, json);
	set_time(o, "last", s->last_ns, json);
	return o;
}

struct listing {
	json_t *list;
	struct admin_table *table;
};

static int
on_session(void *ctx, const struct audit_session_stats *s)
{
	struct listing *l = ctx;
	const struct {
		const char *key;
		int64_t n;
	} counts[] = {
		{ "session", s->id }, { "lines", s->lines },
		{ "refused", s->refused }, { "failed", s->failed },
		{ "output_bytes", s->output_bytes },
		{ "output_kept", s->output_kept },
		{ "output_lines", s->output_lines },
		{ "output_cut", s->output_cut },
	};
	char text[AEG_NELEM(counts)][24], when[ADMIN_TIME_MAX];
	char uuid[UUID_TEXT] = "";
	const char *const cells[] = { text[0], uuid, when, s->user, text[1],
		text[2], text[3], text[4], text[5] };
	json_t *o = json_object();
	size_t i;

	for (i = 0; i < AEG_NELEM(counts); i++) {
		json_object_set_new(o, counts[i].key,
		    json_integer(counts[i].n));
		snprintf(text[i], sizeof text[i], "%lld",
		    (long long)counts[i].n);
	}
	if (s->uuid != NULL)
		uuid_text(s->uuid, uuid);
	admin_json_text(o, "uuid", s->uuid != NULL ? uuid : NULL);
	/* Enough of it for `audit replay'. */
	uuid[strcspn(uuid, "-")] = '\0';
	admin_json_text(o, "user", s->user);
	admin_json_text(o, "host", s->host);
	set_time(o, "first", s->start_ns, true);
	set_time(o, "last", s->end_ns, true);
	json_array_append_new(l->list, o);
	admin_time_show(s->start_ns, when);
	admin_table_add(l->table, cells);
	return 0;
}

static int
one_store(struct admin *a, const char *user, void *ctx)
{
	const struct wanted *w = ctx;
	struct listing l = { .list = json_array(),
		.table = admin_table_new(columns, AEG_NELEM(columns)) };
	struct audit *store = NULL;
	struct audit_stats s;
	struct err err = ERR_INIT;
	json_t *o;
	int rc = admin_read_open(a, user, false, &store, NULL, &err);

	if (rc == 0)
		rc = audit_stats(store, &s, &err);
	if (rc == 0 && w->sessions)
		rc = audit_sessions(store, w->limit, on_session, &l, &err);
	audit_close(store);
	if (rc == 0) {
		o = describe(&s, w->json);
		if (w->all)
			admin_json_text(o, "user", user);
		if (w->sessions && w->json)
			json_object_set(o, "by_session", l.list);
		if (w->json)
			admin_json_print(a, o);
		else
			admin_json_show(a, o, ADMIN_SHOW_FOLDED);
		if (!w->json && json_array_size(l.list) > 0)
			admin_table_print(l.table, a);
	}
	admin_table_free(l.table);
	json_decref(l.list);
	/* Where many are asked, one that has none is not told of. */
	if (rc == -ENOENT && w->all)
		return ADMIN_OK;
	return rc < 0 ? admin_read_fail(a, rc, &err) : ADMIN_OK;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct wanted w = { .json = false };
	const char *user = NULL;
	int o;

	while ((o = admin_option_next(a, &args)) != ADMIN_ARGS_END) {
		if (o == O_JSON) {
			w.json = true;
		} else if (o == O_USER) {
			user = args.value;
		} else if (o == O_ALL) {
			w.all = true;
		} else if (o == O_SESSIONS && text_to_i64(args.value, 0,
		    INT64_MAX, &w.limit) == 0) {
			w.sessions = true;
		} else {
			if (o == O_SESSIONS)
				admin_complain(a, "%s: not a number",
				    args.value);
			return ADMIN_USAGE;
		}
	}
	if (w.all && user != NULL) {
		admin_complain(a, "--all and --user do not go together");
		return ADMIN_USAGE;
	}
	if (admin_operands(a, &args, 0, 0) < 0)
		return ADMIN_USAGE;
	return w.all ? admin_each_store(a, one_store, &w) :
	    one_store(a, user, &w);
}

const struct admin_verb cmd_audit_stats = {
	.name = "audit stats",
	.usage = "",
	.summary = "count what is recorded",
	.run = run,
	.options = options,
};
