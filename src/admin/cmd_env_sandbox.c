/* SPDX-License-Identifier: ISC */
/* `aegshctl env sandbox`: what confines this process, and what is left. */
#include "env_int.h"

#include "aegsh/base/mem.h"

static const struct admin_option options[] = {
	ADMIN_OPTION_JSON,
	{ NULL }
};

static void
print_json(struct admin *a, const struct shellenv_confinement *c)
{
	json_t *o = json_object();

	admin_json_text(o, "id", c->id);
	json_object_set_new(o, "present", c->present < 0 ? json_null() :
	    json_boolean(c->present));
	admin_json_text(o, "mode", c->mode);
	admin_json_text(o, "evidence", c->evidence);
	admin_json_text(o, "package_install", env_can(c->package_install));
	admin_json_text(o, "user_install", env_can(c->user_install));
	admin_json_text(o, "profile_write", env_can(c->profile_write));
	admin_json_text(o, "condition", c->condition);
	admin_json_print(a, o);
}

static void
print_table(struct admin *a, const struct shellenv_confinement *c, size_t n)
{
	static const struct admin_column columns[] = {
		{ "CONFINED BY", 8, false, false },
		{ "PRESENT", 4, false, false },
		{ "PACKAGES", 4, false, false },
		{ "USER INSTALL", 4, false, false },
		{ "START-UP FILES", 4, false, false },
		{ "EVIDENCE", 8, false, true },
	};
	struct admin_table *t = admin_table_new(columns, AEG_NELEM(columns));
	size_t i;

	for (i = 0; i < n; i++) {
		bool is = c[i].present == 1;
		AEG_AUTOFREE char *name = xasprintf("%s%s%s", c[i].id,
		    c[i].mode != NULL ? " " : "",
		    c[i].mode != NULL ? c[i].mode : "");
		const char *cells[] = { name, is ? "yes" :
			c[i].present == 0 ? "no" : "not known",
			is ? env_can(c[i].package_install) : "",
			is ? env_can(c[i].user_install) : "",
			is ? env_can(c[i].profile_write) : "",
			is ? c[i].evidence : NULL };

		admin_table_add(t, cells);
	}
	admin_table_print(t, a);
	admin_table_free(t);
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct env_args args = { .json = false };
	AEG_AUTO(env_close) struct shellenv *se = NULL;
	const struct shellenv_confinement *list;
	struct err err = ERR_INIT;
	int status = env_begin(a, argc, argv, 0, 0, &args, &se);
	size_t i, n;

	if (status != ADMIN_OK)
		return status;
	if (shellenv_confinements(se, &list, &n, &err) < 0)
		return env_fail(a, &err);
	for (i = 0; i < n && args.json; i++)
		print_json(a, &list[i]);
	if (!args.json)
		print_table(a, list, n);
	return ADMIN_OK;
}

const struct admin_verb cmd_env_sandbox = {
	.name = "env sandbox",
	.usage = "",
	.summary = "tell what confines this process and what that means",
	.run = run,
	.options = options,
};
