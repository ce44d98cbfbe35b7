/* SPDX-License-Identifier: ISC */
/* `aegshctl env fix ID`: mend what `env check` found. */
#include "env_int.h"

#include "aegsh/base/mem.h"

static const struct admin_option options[] = {
	ADMIN_OPTION_JSON,
	ENV_OPTION_USER,
	ENV_OPTION_SHELL,
	ENV_OPTION_PRINT,
	ENV_OPTION_YES,
	{ NULL }
};

static int
run(struct admin *a, int argc, char **argv)
{
	struct env_args args = { .json = false };
	AEG_AUTOFREE struct shellenv_want *wants = NULL;
	int i, status = env_args_read(a, argc, argv, 1,
	    ADMIN_OPERANDS_ANY, &args);

	if (status != ADMIN_OK)
		return status;
	wants = xcalloc((size_t)args.n, sizeof *wants);
	for (i = 0; i < args.n; i++)
		wants[i] = (struct shellenv_want){ SHELLENV_FIX,
			args.operands[i] };
	return env_mend(a, &args, wants, (size_t)args.n);
}

const struct admin_verb cmd_env_fix = {
	.name = "env fix",
	.usage = "ID...",
	.summary = "mend what env check found",
	.run = run,
	.options = options,
};
