/* SPDX-License-Identifier: ISC */
/* `aegshctl audit stats`: how much is recorded. */
#include <errno.h>

#include "admin_read.h"
#include "aegsh/audit_read.h"
#include "aegsh/base/mem.h"

enum { O_JSON, O_USER };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_USER] = { "user", 0, "NAME", "of that user's store (root only)",
	    ADMIN_WORDS_USER },
	{ NULL }
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

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct audit *store = NULL;
	struct audit_stats s;
	struct err err = ERR_INIT;
	const char *user = NULL;
	bool json = false;
	int o, rc;

	while ((o = admin_option_next(a, &args)) != ADMIN_ARGS_END) {
		if (o == O_JSON)
			json = true;
		else if (o == O_USER)
			user = args.value;
		else
			return ADMIN_USAGE;
	}
	if (admin_operands(a, &args, 0, 0) < 0)
		return ADMIN_USAGE;
	rc = admin_read_open(a, user, false, &store, NULL, &err);
	if (rc == 0)
		rc = audit_stats(store, &s, &err);
	audit_close(store);
	if (rc < 0)
		return admin_read_fail(a, rc, &err);
	if (json)
		admin_json_print(a, describe(&s, true));
	else
		admin_json_show(a, describe(&s, false));
	return ADMIN_OK;
}

const struct admin_verb cmd_audit_stats = {
	.name = "audit stats",
	.usage = "",
	.summary = "count what is recorded",
	.run = run,
	.options = options,
};
