/* SPDX-License-Identifier: ISC */
/* `aegshctl policy check`, `allowlist`, `blocklist`. */
#include <string.h>

#include "admin_int.h"
#include "aegsh/base/mem.h"
#include "aegsh/policy.h"
#include "aegsh/sandbox.h"

enum { O_JSON, O_PROFILE };

static const struct admin_option check_options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	{ NULL }
};

static const struct admin_option list_options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_PROFILE] = { "profile", 0, "NAME", "of that policy profile",
	    ADMIN_WORDS_PROFILE },
	{ NULL }
};

/* ---- policy check ------------------------------------------------------ */

static int
check(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	int status = ADMIN_OK;
	bool json = false;

	if (admin_json_operands(a, &args, 1, ADMIN_OPERANDS_ANY, &json) < 0)
		return ADMIN_USAGE;
	for (; args.at < argc; args.at++) {
		struct err err = ERR_INIT;
		int rc = policy_check_file(argv[args.at], sandbox_there,
		    &err);

		if (rc < 0 && !admin_content_is_wrong(rc))
			status = ADMIN_SYSTEM;
		else if (rc < 0 && status == ADMIN_OK)
			status = ADMIN_NO;
		if (json) {
			json_t *doc = json_object();

			admin_json_text(doc, "file", argv[args.at]);
			json_object_set_new(doc, "good",
			    json_boolean(rc == 0));
			admin_json_text(doc, "problem",
			    rc == 0 ? NULL : err.text);
			admin_json_print(a, doc);
		} else if (rc == 0) {
			admin_say(a, "%s: good\n", argv[args.at]);
		} else {
			admin_complain(a, "%s", err.text);
		}
	}
	return status;
}

/* ---- allowlist, blocklist ---------------------------------------------- */

struct list {
	struct admin *a;
	struct admin_table *table;	/* NULL: JSON */
};

static int
on_rule(void *ctx, const char *id, const char *what, const char *reason,
    const char *where)
{
	const char *cells[] = { id, what, reason, where };
	struct list *l = ctx;
	json_t *o;

	if (l->table != NULL) {
		admin_table_add(l->table, cells);
		return 0;
	}
	o = json_object();
	admin_json_text(o, "rule", id);
	admin_json_text(o, "what", what);
	admin_json_text(o, "reason", reason);
	admin_json_text(o, "where", where);
	admin_json_print(l->a, o);
	return 0;
}

static int
list(struct admin *a, int argc, char **argv, enum policy_action action)
{
	static const struct admin_column columns[] = {
		{ "RULE", 10, false, false },
		{ "WHAT", 12, false, false },
		{ "REASON", 12, false, true },
		{ "WHERE", 8, false, false },
	};
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct list l = { .a = a };
	struct policy *policy = NULL;
	const char *profile = NULL;
	struct err err = ERR_INIT;
	bool json = false;
	int o;

	while ((o = admin_option_next(a, &args)) >= 0) {
		if (o == O_JSON)
			json = true;
		else
			profile = args.value;
	}
	if (admin_operands(a, &args, 0, 0) < 0)
		return ADMIN_USAGE;
	if (admin_policy(a, profile, &policy, &err) < 0)
		return admin_fail(a, &err);
	if (!json)
		l.table = admin_table_new(columns, AEG_NELEM(columns));
	policy_each(policy, action, on_rule, &l);
	if (l.table != NULL)
		admin_table_print(l.table, a);
	admin_table_free(l.table);
	policy_free(policy);
	return ADMIN_OK;
}

static int
allowlist(struct admin *a, int argc, char **argv)
{
	return list(a, argc, argv, POLICY_ALLOW);
}

static int
blocklist(struct admin *a, int argc, char **argv)
{
	return list(a, argc, argv, POLICY_BLOCK);
}

const struct admin_verb cmd_policy_check = {
	.name = "policy check",
	.usage = "FILE...",
	.summary = "check rule files and their examples",
	.run = check,
	.options = check_options,
	.words = ADMIN_WORDS_FILE,
};

const struct admin_verb cmd_allowlist = {
	.name = "allowlist",
	.usage = "",
	.summary = "show the rules that let a command run",
	.run = allowlist,
	.options = list_options,
};

const struct admin_verb cmd_blocklist = {
	.name = "blocklist",
	.usage = "",
	.summary = "show the rules that block a command",
	.run = blocklist,
	.options = list_options,
};
