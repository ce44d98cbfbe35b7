/* SPDX-License-Identifier: ISC */
/* `aegshctl env path add|remove DIR` and `env var set|unset NAME`: verbs whose
 * first operand says what is to be done with the others. */
#include <string.h>

#include "aegsh/base/mem.h"
#include "env_int.h"

struct change {
	const char *word;
	enum shellenv_op op;
};

static int
run(struct admin *a, int argc, char **argv, const struct change changes[2])
{
	AEG_AUTOFREE struct shellenv_want *wants = NULL;
	struct env_args args = { .json = false };
	const struct change *c = NULL;
	int i, status = env_args_read(a, argc, argv, 2, ADMIN_OPERANDS_ANY,
	    &args);

	if (status != ADMIN_OK)
		return status;
	for (i = 0; i < 2; i++)
		if (strcmp(args.operands[0], changes[i].word) == 0)
			c = &changes[i];
	if (c == NULL) {
		admin_complain(a, "%s: not what this verb does",
		    args.operands[0]);
		return admin_usage(a);
	}
	wants = xcalloc((size_t)args.n, sizeof *wants);
	for (i = 1; i < args.n; i++)
		wants[i - 1] = (struct shellenv_want){ c->op,
			args.operands[i] };
	return env_mend(a, &args, wants, (size_t)args.n - 1);
}

static int
path(struct admin *a, int argc, char **argv)
{
	static const struct change changes[] = {
		{ "add", SHELLENV_PATH_ADD },
		{ "remove", SHELLENV_PATH_REMOVE },
	};

	return run(a, argc, argv, changes);
}

static int
var(struct admin *a, int argc, char **argv)
{
	static const struct change changes[] = {
		{ "set", SHELLENV_VAR_SET },
		{ "unset", SHELLENV_VAR_UNSET },
	};

	return run(a, argc, argv, changes);
}

static const struct admin_option options[] = {
	ENV_OPTIONS_MEND,
	{ NULL }
};

const struct admin_verb cmd_env_path = {
	.name = "env path",
	.usage = "add|remove DIR...",
	.summary = "put a directory on PATH for good, or take it off again",
	.run = path,
	.options = options,
	.words = ADMIN_WORDS_DIR,
};

const struct admin_verb cmd_env_var = {
	.name = "env var",
	.usage = "set NAME=VALUE... | unset NAME...",
	.summary = "set an exported variable for good, or unset it again",
	.run = var,
	.options = options,
};
