/* SPDX-License-Identifier: ISC */
/*
 * `aegshctl policy diff`: the recorded lines, judged by two sets of rules;
 * what would be decided otherwise is listed.
 */
#include <errno.h>
#include <string.h>

#include "admin_judge.h"
#include "aegsh/audit.h"
#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define LIMIT 10000		/* lines, when --limit does not say */
#define LIMIT_MAX 1000000

enum { O_JSON, O_SINCE, O_LIMIT, O_PROFILE, O_USER };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_SINCE] = { "since", 0, "TIME", "only lines from TIME on",
	    ADMIN_WORDS_NONE },
	[O_LIMIT] = { "limit", 'n', "N", "the newest N lines (10000)",
	    ADMIN_WORDS_NONE },
	[O_PROFILE] = { "profile", 0, "NAME", "judge by that policy profile",
	    ADMIN_WORDS_PROFILE },
	[O_USER] = { "user", 0, "NAME", "that user's lines (root only)",
	    ADMIN_WORDS_USER },
	{ NULL }
};

struct kept {
	char *line, *cwd;
	size_t len;
	enum policy_origin origin;
	int64_t wall_ns;
};

struct diff {
	struct admin *a;
	struct kept *v;
	size_t n;
	struct admin_judge *old, *new;
	struct admin_table *table;	/* NULL: JSON */
	size_t differ;
};

/* Copied: what judges the lines has no rights to the store any more. */
static int
keep_row(void *ctx, const struct audit_row *row)
{
	struct diff *d = ctx;

	if ((d->n & (d->n - 1)) == 0)
		d->v = xreallocarray(d->v, d->n == 0 ? 1 : 2 * d->n,
		    sizeof *d->v);
	d->v[d->n++] = (struct kept){
		.line = xmemdup0(row->line, row->len),
		.len = row->len,
		.cwd = row->cwd != NULL && row->cwd[0] == '/' ?
		    xstrdup(row->cwd) : NULL,
		.origin = admin_origin(row->origin != NULL ? row->origin :
		    ""),
		.wall_ns = row->wall_ns,
	};
	return 0;
}

static int
judge(struct admin_judge *j, const struct kept *k, struct admin_judged *ret,
    struct err *err)
{
	int rc = admin_judge_place(j, NULL, k->cwd, k->origin, err);

	if (rc < 0)
		return rc;
	return admin_judge_line(j, xmemdup0(k->line, k->len), k->len, false,
	    ret, err);
}

static void
tell(struct diff *d, const struct kept *k, const struct admin_judged *old,
    const struct admin_judged *new)
{
	const char *from = admin_judged_word(old), *to = admin_judged_word(new);
	char when[ADMIN_TIME_MAX];
	const char *cells[] = { when, from, to, decision_rule(new->decision),
		k->line };
	json_t *o;

	d->differ++;
	if (d->table != NULL) {
		admin_time_show(k->wall_ns, when);
		admin_table_add(d->table, cells);
		return;
	}
	admin_time_json(k->wall_ns, when);
	o = json_object();
	admin_json_text(o, "time", when);
	admin_json_bytes(o, "line", k->line, k->len);
	admin_json_text(o, "cwd", k->cwd);
	admin_json_text(o, "old", from);
	admin_json_text(o, "old_rule", decision_rule(old->decision));
	admin_json_text(o, "new", to);
	admin_json_text(o, "new_rule", decision_rule(new->decision));
	admin_json_text(o, "reason", decision_reason(new->decision));
	admin_json_print(d->a, o);
}

static int
compare(struct diff *d, struct err *err)
{
	size_t i;
	int rc;

	for (i = 0; i < d->n; i++) {
		struct admin_judged old, new;

		if ((rc = judge(d->old, &d->v[i], &old, err)) < 0)
			return rc;
		if ((rc = judge(d->new, &d->v[i], &new, err)) < 0) {
			admin_judged_done(&old);
			return rc;
		}
		if (strcmp(admin_judged_word(&old),
		    admin_judged_word(&new)) != 0)
			tell(d, &d->v[i], &old, &new);
		admin_judged_done(&old);
		admin_judged_done(&new);
	}
	return 0;
}

static int
read_lines(struct diff *d, const struct audit_query *q, struct err *err)
{
	struct audit *store;
	int rc = admin_store(d->a, &store, err);

	if (rc == -ENOENT)
		return 0;
	if (rc < 0)
		return rc;
	rc = audit_query(store, q, keep_row, d, err);
	audit_close(store);
	return rc;
}

static int
diff(struct diff *d, const struct audit_query *q, char **sites,
    struct admin_judge_opts *opts, struct err *err)
{
	int rc = read_lines(d, q, err);

	opts->site = strcmp(sites[0], "-") == 0 ? NULL : sites[0];
	if (rc == 0)
		rc = admin_judge_new(d->a, opts, &d->old, err);
	opts->site = strcmp(sites[1], "-") == 0 ? NULL : sites[1];
	if (rc == 0)
		rc = admin_judge_new(d->a, opts, &d->new, err);
	return rc == 0 ? compare(d, err) : rc;
}

static void
done(struct diff *d)
{
	size_t i;

	for (i = 0; i < d->n; i++) {
		free(d->v[i].line);
		free(d->v[i].cwd);
	}
	free(d->v);
	admin_judge_free(d->old);
	admin_judge_free(d->new);
	admin_table_free(d->table);
}

struct wanted {
	struct admin_judge_opts opts;
	struct audit_query q;
	const char *user;
	bool json;
};

static int
take_options(struct admin *a, struct admin_args *args, struct wanted *w)
{
	int o, rc = 0;

	while (rc == 0 && (o = admin_option_next(a, args)) != ADMIN_ARGS_END) {
		if (o == O_JSON)
			w->json = true;
		else if (o == O_SINCE)
			rc = admin_time_parse(args->value, clock_wall_ns(),
			    &w->q.since_ns);
		else if (o == O_LIMIT)
			rc = text_to_i64(args->value, 1, LIMIT_MAX,
			    &w->q.limit);
		else if (o == O_PROFILE)
			w->opts.profile = args->value;
		else if (o == O_USER)
			w->user = args->value;
		else
			return -EINVAL;	/* was said */
	}
	if (rc < 0)
		admin_complain(a, "%s: no such time or number", args->value);
	return rc < 0 ? rc : admin_operands(a, args, 2, 2);
}

static int
run(struct admin *a, int argc, char **argv)
{
	static const struct admin_column columns[] = {
		{ "WHEN", 19, false, false },
		{ "OLD", 5, false, false },
		{ "NEW", 5, false, false },
		{ "RULE", 10, false, false },
		{ "LINE", 16, false, true },
	};
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct wanted w = { .opts = { .origin = POLICY_ORIGIN_PROMPT },
		.q = { .limit = LIMIT } };
	struct diff d = { .a = a };
	struct err err = ERR_INIT;
	int rc;

	if (take_options(a, &args, &w) < 0)
		return ADMIN_USAGE;
	if (w.user != NULL && admin_become(a, w.user, &err) < 0)
		return admin_fail(a, &err);
	if (!w.json)
		d.table = admin_table_new(columns, AEG_NELEM(columns));
	rc = diff(&d, &w.q, argv + args.at, &w.opts, &err);
	if (rc == 0 && d.table != NULL && d.differ > 0)
		admin_table_print(d.table, a);
	if (rc == 0 && d.table != NULL)
		admin_say(a, "%zu of %zu lines would be decided otherwise\n",
		    d.differ, d.n);
	done(&d);
	if (rc < 0)
		return admin_fail(a, &err);
	return d.differ > 0 ? ADMIN_NO : ADMIN_OK;
}

const struct admin_verb cmd_policy_diff = {
	.name = "policy diff",
	.usage = "OLD NEW",
	.summary = "judge the recorded lines by two sets of rules",
	.run = run,
	.options = options,
	.words = ADMIN_WORDS_FILE,
};
