/* SPDX-License-Identifier: ISC */
/* `aegshctl audit prune': delete what is old, and leave a record that can be
 * verified. */
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "admin_read.h"
#include "aegsh/audit_chain.h"
#include "aegsh/base/clock.h"
#include "aegsh/base/text.h"

enum { O_JSON, O_KEEP, O_USER };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_KEEP] = { "keep", 0, "AGE|N",
	    "keep lines from AGE ago on, or the newest N, not what "
	    "retain-days says", ADMIN_WORDS_NONE },
	[O_USER] = { "user", 0, "NAME", "that user's store (root only)",
	    ADMIN_WORDS_USER },
	{ NULL }
};

#define DAY_NS (INT64_C(86400) * 1000000000)

/* 0: for ever. */
static int64_t
days_ago(const struct admin *a, enum conf_id id)
{
	int64_t days = conf_int(a->conf, id);

	return days > 0 ? clock_wall_ns() - days * DAY_NS : 0;
}

/* As the settings have it. */
static int
take_setting(struct admin *a, struct audit_keep *ret)
{
	struct err err = ERR_INIT;

	if (admin_conf(a, &err) < 0)
		return admin_fail(a, &err);
	ret->since_ns = days_ago(a, CONF_RETAIN_DAYS);
	ret->output_since_ns = days_ago(a, CONF_RETAIN_OUTPUT_DAYS);
	ret->execs_since_ns = days_ago(a, CONF_RETAIN_EXECS_DAYS);
	ret->events_since_ns = days_ago(a, CONF_RETAIN_EVENTS_DAYS);
	if (ret->since_ns != 0 || ret->output_since_ns != 0 ||
	    ret->execs_since_ns != 0 || ret->events_since_ns != 0)
		return ADMIN_OK;
	admin_complain(a, "--keep is missing, and retain-days is not set: how "
	    "much is to stay");
	return admin_usage(a);
}

static int
take_keep(struct admin *a, const char *value, struct audit_keep *ret)
{
	int64_t now = clock_wall_ns();

	if (value == NULL)
		return take_setting(a, ret);
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

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	const struct passwd *pw = getpwuid(a->caller);
	const char *user = NULL, *value = NULL;
	struct audit_pruned pruned = { 0, 0, 0 };
	struct audit *store = NULL;
	struct audit_keep keep = { .lines = 0 };
	struct err err = ERR_INIT;
	char who[80];
	bool json = false;
	json_t *o;
	int option, rc;

	while ((option = admin_option_next(a, &args)) >= 0) {
		if (option == O_JSON)
			json = true;
		else if (option == O_KEEP)
			value = args.value;
		else
			user = args.value;
	}
	if (option == ADMIN_ARGS_BAD || admin_operands(a, &args, 0, 0) < 0)
		return ADMIN_USAGE;
	rc = take_keep(a, value, &keep);
	if (rc != ADMIN_OK)
		return rc;
	snprintf(who, sizeof who, "uid %lu (%.40s)", (unsigned long)a->caller,
	    pw != NULL ? pw->pw_name : "?");
	keep.who = who;
	rc = admin_read_quietly(a, user, true, &store, &err);
	if (rc == 0)
		rc = audit_prune(store, &keep, &pruned, &err);
	audit_close(store);
	if (rc < 0)
		return admin_read_fail(a, rc, &err);
	if (json) {
		o = json_object();
		json_object_set_new(o, "lines", json_integer(pruned.lines));
		json_object_set_new(o, "links", json_integer(pruned.links));
		json_object_set_new(o, "rows", json_integer(pruned.rows));
		admin_json_print(a, o);
		return ADMIN_OK;
	}
	if (pruned.rows > 0)
		admin_say(a, "deleted %" PRId64 " rows of events, programs "
		    "and outputs whose lines stay\n", pruned.rows);
	admin_say(a, "deleted %" PRId64 " lines, and %" PRId64
	    " links of the chain\n", pruned.lines, pruned.links);
	return ADMIN_OK;
}

const struct admin_verb cmd_audit_prune = {
	.name = "audit prune",
	.usage = "",
	.summary = "delete old lines; what stays can still be verified",
	.run = run,
	.options = options,
};
