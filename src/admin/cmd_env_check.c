/* SPDX-License-Identifier: ISC */
/* `aegshctl env check`: what is wrong, and the remedy of each. */
#include "env_int.h"

#include "aegsh/base/mem.h"

static const struct admin_option options[] = {
	ADMIN_OPTION_JSON,
	ENV_OPTION_USER,
	ENV_OPTION_SHELL,
	ENV_OPTION_NO_PROBE,
	{ NULL }
};

static void
print_json(struct admin *a, const struct shellenv_finding *f)
{
	json_t *o = json_object(), *list = json_array();
	const struct shellenv_evidence *e;
	size_t i;

	for (i = 0; i < f->n_evidence; i++) {
		e = &f->evidence[i];
		json_array_append_new(list, admin_evidence_json(e->file,
		    e->line > 0 ? (unsigned)e->line : 0, e->text));
	}
	admin_json_text(o, "id", f->id);
	admin_json_text(o, "severity", env_severity(f->severity));
	admin_json_text(o, "what", f->what);
	json_object_set_new(o, "evidence", list);
	admin_json_text(o, "remedy", f->remedy);
	admin_json_text(o, "command", f->command);
	json_object_set_new(o, "fixable", json_boolean(f->fixable));
	admin_json_print(a, o);
}

static void
print_text(struct admin *a, const struct shellenv_finding *f)
{
	const struct shellenv_evidence *e;
	size_t i;

	admin_say_finding(a, env_severity(f->severity), f->id, f->what);
	for (i = 0; i < f->n_evidence; i++) {
		e = &f->evidence[i];
		admin_say_evidence(a, e->file,
		    e->line > 0 ? (unsigned)e->line : 0, e->text);
	}
	admin_say_remedy(a, f->remedy);
	if (f->command != NULL)
		admin_say(a, "  $ %s\n", f->command);
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct env_args args = { .json = false };
	AEG_AUTO(env_close) struct shellenv *se = NULL;
	const struct shellenv_finding *f;
	struct err err = ERR_INIT;
	int status = env_begin(a, argc, argv, 0, 0, &args, &se);
	size_t i, n;

	if (status != ADMIN_OK)
		return status;
	if (shellenv_check(se, args.no_probe ? 0 : SHELLENV_PROBE, &f, &n,
	    &err) < 0)
		return env_fail(a, &err);
	for (i = 0; i < n; i++) {
		if (f[i].severity != SHELLENV_INFO)
			status = ADMIN_NO;
		if (args.json)
			print_json(a, &f[i]);
		else
			print_text(a, &f[i]);
	}
	if (n == 0 && !args.json)
		admin_say(a, "nothing is wrong\n");
	return status;
}

const struct admin_verb cmd_env_check = {
	.name = "env check",
	.usage = "",
	.summary = "find what is wrong with a user's PATH and start-up files",
	.run = run,
	.options = options,
};
