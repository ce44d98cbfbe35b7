/* SPDX-License-Identifier: ISC */
/* `aegshctl env which`: where a program comes from, or why it does not. */
#include "env_int.h"

#include "aegsh/base/mem.h"

static const struct admin_option options[] = {
	ADMIN_OPTION_JSON,
	ENV_OPTION_USER,
	ENV_OPTION_SHELL,
	{ NULL }
};

static const char *
reach(enum shellenv_reach r)
{
	switch (r) {
	case SHELLENV_ABSENT:
		return "absent";
	case SHELLENV_UNREACHABLE:
		return "unreachable";
	case SHELLENV_FOUND:
		return "found";
	}
	return "absent";
}

static void
print_json(struct admin *a, const char *tool, const struct shellenv_tool *t)
{
	json_t *o = json_object();

	admin_json_text(o, "tool", tool);
	admin_json_text(o, "state", reach(t->reach));
	admin_json_text(o, "path", t->path);
	admin_json_text(o, "entry", t->entry);
	admin_json_text(o, "file", t->file);
	json_object_set_new(o, "line", t->line > 0 ? json_integer(t->line) :
	    json_null());
	admin_json_text(o, "method", t->method);
	admin_json_text(o, "fix", t->fix);
	admin_json_text(o, "note", t->note);
	admin_json_print(a, o);
}

static void
print_text(struct admin *a, const char *tool, const struct shellenv_tool *t)
{
	switch (t->reach) {
	case SHELLENV_FOUND:
		admin_say(a, "%s\n", t->path);
		if (t->file != NULL)
			admin_say(a, "  %s:%d puts %s on PATH\n", t->file,
			    t->line, t->entry);
		break;
	case SHELLENV_UNREACHABLE:
		admin_say(a, "%s is installed at %s but not on PATH\n", tool,
		    t->path);
		if (t->method != NULL)
			admin_say(a, "  installed by: %s\n", t->method);
		break;
	case SHELLENV_ABSENT:
		if (!t->in_shell)	/* the note says what it is */
			admin_say(a, "%s is not installed\n", tool);
		break;
	}
	if (t->note != NULL)
		admin_say(a, "%s%s\n", t->in_shell ? "" : "  ", t->note);
	if (t->fix != NULL)
		admin_say(a, "  $ %s\n", t->fix);
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct env_args args = { .json = false };
	AEG_AUTO(env_close) struct shellenv *se = NULL;
	const struct shellenv_tool *t;
	struct err err = ERR_INIT;
	int i, status = env_begin(a, argc, argv, 1, ADMIN_OPERANDS_ANY,
	    &args, &se);

	if (status != ADMIN_OK)
		return status;
	for (i = 0; i < args.n; i++) {
		if (shellenv_which(se, args.operands[i], &t, &err) < 0)
			return env_fail(a, &err);
		if (t->reach != SHELLENV_FOUND)
			status = ADMIN_NO;
		if (args.json)
			print_json(a, args.operands[i], t);
		else
			print_text(a, args.operands[i], t);
	}
	return status;
}

const struct admin_verb cmd_env_which = {
	.name = "env which",
	.usage = "TOOL...",
	.summary = "tell where a program is and what puts it on PATH",
	.run = run,
	.options = options,
};
