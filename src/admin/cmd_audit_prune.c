/* SPDX-License-Identifier: ISC */
/* `aegshctl audit prune': delete what is old, and leave a record that can be
 * verified. */
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "admin_read.h"
#include "aegsh/audit_chain.h"
#include "aegsh/base/clock.h"
#include "aegsh/base/text.h"

enum { O_JSON, O_KEEP, O_USER, O_ALL };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_KEEP] = { "keep", 0, "AGE|N",
	    "keep lines from AGE ago on, or the newest N, not what "
	    "retain-days says", ADMIN_WORDS_NONE },
	[O_USER] = { "user", 0, "NAME", "that user's store (root only)",
	    ADMIN_WORDS_USER },
	[O_ALL] = { "all", 0, NULL, "in each user's store (root only)",
	    ADMIN_WORDS_NONE },
	{ NULL }
};

#define DAY_NS (INT64_C(86400) * 1000000000)

/* As the settings have it. */
static int
take_setting(struct admin *a, struct audit_retain *ret_retain,
    struct audit_keep *ret)
{
	struct audit_retain r;
	struct err err = ERR_INIT;

	if (admin_conf(a, &err) < 0)
		return admin_fail(a, &err);
	r = (struct audit_retain){
		.lines_ns = conf_int(a->conf, CONF_RETAIN_DAYS) * DAY_NS,
		.output_ns = conf_int(a->conf, CONF_RETAIN_OUTPUT_DAYS) *
		    DAY_NS,
		.execs_ns = conf_int(a->conf, CONF_RETAIN_EXECS_DAYS) *
		    DAY_NS,
		.events_ns = conf_int(a->conf, CONF_RETAIN_EVENTS_DAYS) *
		    DAY_NS,
	};
	*ret_retain = r;
	audit_retain_keep(&r, clock_wall_ns(), ret);
	if (ret->since_ns != 0 || ret->output_since_ns != 0 ||
	    ret->execs_since_ns != 0 || ret->events_since_ns != 0)
		return ADMIN_OK;
	admin_complain(a, "--keep is missing, and retain-days is not set: how "
	    "much is to stay");
	return admin_usage(a);
}

static int
take_keep(struct admin *a, const char *value, struct audit_retain *ret_retain,
    struct audit_keep *ret)
{
	int64_t now = clock_wall_ns();

	if (value == NULL)
		return take_setting(a, ret_retain, ret);
	if (text_to_i64(value, 1, INT64_MAX, &ret->lines) == 0)
		return ADMIN_OK;
	ret->lines = 0;
	if (admin_time_parse(value, now, &ret->since_ns) == 0 &&
	    ret->since_ns > 0 && ret->since_ns <= now)
		return ADMIN_OK;
	admin_complain(a, "%s: neither a number of lines (at least 1) nor an "
	    "age as 90d, nor a time that is past", value);
	return ADMIN_USAGE;
}

struct wanted {
	struct audit_keep keep;
	struct audit_retain retain;	/* where nobody looks at the clock */
	bool json, all, by_settings;
};

static void
show(struct admin *a, const struct wanted *w, const char *user,
    const struct audit_pruned *p)
{
	json_t *o;

	if (w->json) {
		o = json_object();
		if (w->all)
			admin_json_text(o, "user", user);
		json_object_set_new(o, "lines", json_integer(p->lines));
		json_object_set_new(o, "links", json_integer(p->links));
		json_object_set_new(o, "rows", json_integer(p->rows));
		admin_json_print(a, o);
		return;
	}
	/* Of many stores, those where something went. */
	if (w->all && p->lines == 0 && p->links == 0 && p->rows == 0)
		return;
	if (w->all)
		admin_say(a, "%s: ", user);
	if (p->rows > 0)
		admin_say(a, "deleted %" PRId64 " rows of events, programs "
		    "and outputs whose lines stay%s", p->rows,
		    w->all ? "; " : "\n");
	admin_say(a, "deleted %" PRId64 " lines, and %" PRId64
	    " links of the chain\n", p->lines, p->links);
}

static int
one_store(struct admin *a, const char *user, void *ctx)
{
	const struct wanted *w = ctx;
	struct audit_keep keep = w->keep;
	struct audit_pruned pruned = { 0, 0, 0 };
	struct audit *store = NULL;
	struct err err = ERR_INIT;
	int rc = admin_read_quietly(a, user, true, &store, &err);

	if (rc == 0 && w->all && w->by_settings)
		rc = audit_retain_believe(store, &w->retain, &keep, &err);
	if (rc == 0)
		rc = audit_prune(store, &keep, &pruned, &err);
	audit_close(store);
	if (rc == -ENOENT && w->all)
		return ADMIN_OK;
	if (rc < 0)
		return admin_read_fail(a, rc, &err);
	show(a, w, user, &pruned);
	return ADMIN_OK;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	const struct passwd *pw = getpwuid(a->caller);
	const char *user = NULL, *value = NULL;
	struct wanted w = { .keep = { .lines = 0 } };
	char who[80];
	int option, rc;

	while ((option = admin_option_next(a, &args)) >= 0) {
		if (option == O_JSON)
			w.json = true;
		else if (option == O_KEEP)
			value = args.value;
		else if (option == O_ALL)
			w.all = true;
		else
			user = args.value;
	}
	if (admin_operands(a, &args, 0, 0) < 0)
		return ADMIN_USAGE;
	if (w.all && user != NULL) {
		admin_complain(a, "--all and --user do not go together");
		return ADMIN_USAGE;
	}
	w.by_settings = value == NULL;
	rc = take_keep(a, value, &w.retain, &w.keep);
	if (rc != ADMIN_OK)
		return rc;
	snprintf(who, sizeof who, "uid %lu (%.40s)", (unsigned long)a->caller,
	    pw != NULL ? pw->pw_name : "?");
	w.keep.who = who;
	return w.all ? admin_each_store(a, one_store, &w) :
	    one_store(a, user, &w);
}

const struct admin_verb cmd_audit_prune = {
	.name = "audit prune",
	.usage = "",
	.summary = "delete old lines; what stays can still be verified",
	.run = run,
	.options = options,
};
