/* SPDX-License-Identifier: ISC */
/* `aegshctl audit show`: all that is recorded of one line. */
#include <errno.h>
#include <string.h>

#include "admin_read.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

enum { O_JSON, O_USER };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_USER] = { "user", 0, "NAME", "in that user's store (root only)",
	    ADMIN_WORDS_USER },
	{ NULL }
};

static int
keep(void *ctx, const struct audit_row *row)
{
	*(json_t **)ctx = admin_row_json(row);
	return 1;
}

/* No value looks like a line of another name. */
static void
flatten(json_t *o)
{
	void *at;

	for (at = json_object_iter(o); at != NULL;
	    at = json_object_iter_next(o, at)) {
		const json_t *v = json_object_iter_value(at);
		AEG_AUTO(buf_done) struct buf inert = BUF_INIT;

		if (!json_is_string(v) || json_string_length(v) == 0)
			continue;
		text_inert(&inert, json_string_value(v),
		    json_string_length(v), 0);
		json_object_iter_set_new(o, at,
		    json_stringn(inert.data, inert.len));
	}
}

/* A person reads moments and spans, not nanoseconds. */
static void
soften(json_t *o)
{
	static const char *const spans[] = { "latency_ns", "duration_ns",
		"cpu_ns", "judge_ns", "start_ns", "mono_ns" };
	static const char *const shown[] = { "latency", "duration", "cpu",
		"judged_in", "started_in", NULL };
	char text[ADMIN_TIME_MAX];
	size_t i;

	admin_time_show(json_integer_value(json_object_get(o, "wall_ns")),
	    text);
	admin_json_text(o, "time", text);
	json_object_del(o, "wall_ns");
	for (i = 0; i < AEG_NELEM(spans); i++) {
		json_int_t ns = json_integer_value(json_object_get(o,
		    spans[i]));

		json_object_del(o, spans[i]);
		if (ns <= 0 || shown[i] == NULL)
			continue;
		admin_span_show(ns, text);
		admin_json_text(o, shown[i], text);
	}
}

static int
show(struct admin *a, const struct admin_filter *f, const char *id)
{
	struct err err = ERR_INIT;
	json_t *o = NULL;
	bool bad;
	int rc;

	if (!f->json)
		admin_page_start(a);
	rc = admin_rows(a, f, keep, &o, &bad, &err);
	if (o != NULL && f->json) {
		admin_json_print(a, o);
	} else if (o != NULL) {
		flatten(o);
		soften(o);
		admin_json_show(a, o);
	}
	admin_page_end(a);
	if (rc < 0)
		return admin_read_fail(a, rc, &err);
	if (o != NULL)
		return ADMIN_OK;
	admin_complain(a, "%s: no such line", id);
	return ADMIN_NO;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct admin_filter f = ADMIN_FILTER_INIT(1);
	int o;

	while ((o = admin_option_next(a, &args)) != ADMIN_ARGS_END) {
		if (o == O_JSON)
			f.json = true;
		else if (o == O_USER)
			f.user = args.value;
		else
			return ADMIN_USAGE;
	}
	if (admin_operands(a, &args, 1, 1) < 0)
		return ADMIN_USAGE;
	if (text_to_i64(argv[args.at], 1, INT64_MAX, &f.q.id) < 0)
		f.q.uuid = argv[args.at];
	return show(a, &f, argv[args.at]);
}

const struct admin_verb cmd_audit_show = {
	.name = "audit show",
	.usage = "ID",
	.summary = "show all that is recorded of one line",
	.run = run,
	.options = options,
};
