/* SPDX-License-Identifier: ISC */
/* `aegshctl profile list` and `profile show`. */
#include <string.h>

#include "admin_int.h"
#include "aegsh/base/mem.h"
#include "aegsh/policy.h"

static const struct admin_option options[] = {
	ADMIN_OPTION_JSON,
	{ NULL }
};

struct list {
	struct admin *a;
	struct admin_table *table;	/* NULL: JSON */
	const char *configured;
};

static int
on_profile(void *ctx, const char *name, const char *extends, int rank)
{
	AEG_AUTOFREE char *number = xasprintf("%d", rank);
	struct list *l = ctx;
	bool here = strcmp(name, l->configured) == 0;
	const char *cells[] = { name, extends, number,
		here ? "configured" : "" };
	json_t *o;

	if (l->table != NULL) {
		admin_table_add(l->table, cells);
		return 0;
	}
	o = json_object();
	admin_json_text(o, "profile", name);
	admin_json_text(o, "extends", extends);
	json_object_set_new(o, "rank", json_integer(rank));
	json_object_set_new(o, "configured", json_boolean(here));
	admin_json_print(l->a, o);
	return 0;
}

static int
list(struct admin *a, int argc, char **argv)
{
	static const struct admin_column columns[] = {
		{ "PROFILE", 8, false, false },
		{ "EXTENDS", 8, false, false },
		{ "RANK", 4, true, false },
		{ "", 0, false, false },
	};
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct list l = { .a = a };
	struct policy *policy = NULL;
	struct err err = ERR_INIT;
	bool json = false;

	if (admin_json_operands(a, &args, 0, 0, &json) < 0)
		return ADMIN_USAGE;
	admin_confine(a);
	if (admin_policy(a, NULL, &policy, &err) < 0)
		return admin_fail(a, &err);
	l.configured = conf_str(a->conf, CONF_PROFILE);
	if (!json)
		l.table = admin_table_new(columns, AEG_NELEM(columns));
	policy_each_profile(policy, on_profile, &l);
	if (l.table != NULL)
		admin_table_print(l.table, a);
	admin_table_free(l.table);
	policy_free(policy);
	return ADMIN_OK;
}

static int
count_rule(void *ctx, const char *id, const char *what, const char *reason,
    const char *where)
{
	++*(int *)ctx;
	return 0;
}

static int
add_word(void *ctx, const char *word)
{
	json_array_append_new(ctx, admin_json_string(word));
	return 0;
}

/* What an unknown line means when nothing speaks against it. */
static json_t *
describe(const struct policy *p)
{
	static const enum policy_action actions[] = { POLICY_BLOCK,
		POLICY_WARN, POLICY_ALLOW };
	json_t *o = json_object(), *marks = json_array();
	size_t i;

	admin_json_text(o, "profile", policy_profile(p));
	admin_json_text(o, "sandbox", policy_sandbox(p));
	json_object_set_new(o, "rank", json_integer(policy_rank(p)));
	admin_json_text(o, "unknown_line", policy_action_name(
	    policy_unknown(p, 0)));
	admin_json_text(o, "search_path", policy_search_path(p));
	admin_json_text(o, "environment", policy_clean(p) ? "clean" :
	    "inherited");
	admin_json_text(o, "elevate", policy_elevates(p) ? "broker" : "no");
	if (policy_elevates(p))
		admin_json_text(o, "elevated_sandbox",
		    policy_elevated_in(p, NULL));
	policy_each_project_mark(p, add_word, marks);
	json_object_set_new(o, "project_marks", marks);
	for (i = 0; i < AEG_NELEM(actions); i++) {
		AEG_AUTOFREE char *key = xasprintf("rules_that_%s",
		    policy_action_name(actions[i]));
		int n = 0;

		policy_each(p, actions[i], count_rule, &n);
		json_object_set_new(o, key, json_integer(n));
	}
	admin_json_text(o, "hash", policy_hash(p));
	return o;
}

static int
show(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct policy *policy = NULL;
	struct err err = ERR_INIT;
	bool json = false;
	json_t *o;

	if (admin_json_operands(a, &args, 0, 1, &json) < 0)
		return ADMIN_USAGE;
	admin_confine(a);
	if (admin_policy(a, args.at < argc ? argv[args.at] : NULL, &policy,
	    &err) < 0)
		return admin_fail(a, &err);
	o = describe(policy);
	policy_free(policy);
	if (json)
		admin_json_print(a, o);
	else
		admin_json_show(a, o, ADMIN_SHOW_FOLDED);
	return ADMIN_OK;
}

const struct admin_verb cmd_profile_list = {
	.name = "profile list",
	.usage = "",
	.summary = "list the policy profiles",
	.run = list,
	.options = options,
};

const struct admin_verb cmd_profile_show = {
	.name = "profile show",
	.usage = "[PROFILE]",
	.summary = "show what a policy profile is",
	.run = show,
	.options = options,
	.words = ADMIN_WORDS_PROFILE,
};
