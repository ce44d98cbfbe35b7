/* SPDX-License-Identifier: ISC */
/* `aegshctl env files`: which start-up files each kind of session reads. */
#include "env_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

static const struct admin_option options[] = {
	ADMIN_OPTION_JSON,
	ENV_OPTION_USER,
	{ "session", 0, "KIND", "only this kind of session",
	    ADMIN_WORDS_NONE },
	{ NULL }
};

static void
print_json(struct admin *a, const char *session,
    const struct shellenv_file *f, size_t n)
{
	json_t *o = json_object(), *list = json_array();
	size_t i;

	for (i = 0; i < n; i++) {
		json_t *e = json_object();

		admin_json_text(e, "path", f[i].path);
		admin_json_text(e, "when", f[i].when);
		json_object_set_new(e, "exists", json_boolean(f[i].exists));
		json_object_set_new(e, "readable",
		    json_boolean(f[i].readable));
		json_object_set_new(e, "read", json_boolean(f[i].read));
		json_object_set_new(e, "maybe", json_boolean(f[i].maybe));
		admin_json_text(e, "shadowed_by", f[i].shadowed_by);
		admin_json_text(e, "sourced_from", f[i].sourced_from);
		json_object_set_new(e, "line", f[i].line > 0 ?
		    json_integer(f[i].line) : json_null());
		json_array_append_new(list, e);
	}
	admin_json_text(o, "session", session);
	json_object_set_new(o, "files", list);
	admin_json_print(a, o);
}

/* The short form of a path that is in the list. */
static const char *
shown(const struct shellenv_file *f, size_t n, const char *path)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(f[i].path, path) == 0)
			return f[i].shown;
	return path;
}

static char *
state_of(const struct shellenv_file *f, const char *hider)
{
	if (hider != NULL)
		return xasprintf("hidden by %s", hider);
	if (!f->exists)
		return xstrdup("not there");
	if (!f->readable)
		return xstrdup("not readable");
	return xstrdup(f->maybe ? "read, maybe" : f->read ? "read" :
	    "not read");
}

static void
add_rows(struct admin_table *t, const char *session,
    const struct shellenv_file *f, size_t n)
{
	const char *nothing[] = { session, "(no file)", "", "" };
	size_t i;

	if (n == 0)
		admin_table_add(t, nothing);
	for (i = 0; i < n; i++) {
		AEG_AUTOFREE char *state = state_of(&f[i],
		    f[i].shadowed_by == NULL ? NULL :
		    shown(f, n, f[i].shadowed_by));
		AEG_AUTOFREE char *why = f[i].sourced_from == NULL ?
		    xstrdup(f[i].when) : xasprintf("%s:%d sources it",
		    shown(f, n, f[i].sourced_from), f[i].line);
		const char *cells[] = { i == 0 ? session : "", f[i].shown,
			state, why };

		admin_table_add(t, cells);
	}
}

static int
show(struct admin *a, struct shellenv *se, const struct env_args *args)
{
	static const struct admin_column columns[] = {
		{ "SESSION", 8, false, false },
		{ "FILE", 16, false, false },
		{ "STATE", 8, false, false },
		{ "WHY", 8, false, true },
	};
	struct admin_table *t = admin_table_new(columns, AEG_NELEM(columns));
	struct err err = ERR_INIT;
	int s, status = ADMIN_OK;

	for (s = 0; s < SHELLENV_SESSIONS && status == ADMIN_OK; s++) {
		const char *name = shellenv_session_name(s);
		const struct shellenv_file *f;
		size_t n;

		if (args->session != NULL && strcmp(args->session, name) != 0)
			continue;
		if (shellenv_files(se, args->operands[0], s, &f, &n,
		    &err) < 0)
			status = env_fail(a, &err);
		else if (args->json)
			print_json(a, name, f, n);
		else
			add_rows(t, name, f, n);
	}
	if (!args->json && status == ADMIN_OK)
		admin_table_print(t, a);
	admin_table_free(t);
	return status;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct env_args args = { .json = false };
	AEG_AUTO(env_close) struct shellenv *se = NULL;
	int s, status = env_args_read(a, argc, argv, 0, 1, &args);

	if (status != ADMIN_OK)
		return status;
	for (s = 0; s < SHELLENV_SESSIONS && args.session != NULL; s++)
		if (strcmp(args.session, shellenv_session_name(s)) == 0)
			break;
	if (s == SHELLENV_SESSIONS) {
		admin_complain(a, "%s: not a session: login, login-command, "
		    "interactive, command, ssh-command, su-login, cron, "
		    "desktop", args.session);
		return admin_usage(a);
	}
	status = env_open(a, &args, &se);
	return status == ADMIN_OK ? show(a, se, &args) : status;
}

const struct admin_verb cmd_env_files = {
	.name = "env files",
	.usage = "[SHELL]",
	.summary = "show the start-up files of each kind of session",
	.run = run,
	.options = options,
};
