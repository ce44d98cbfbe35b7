/* SPDX-License-Identifier: ISC */
/* `aegshctl env var set NAME=VALUE`, `… unset NAME`. */
#include "env_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

static const struct admin_option options[] = {
	ADMIN_OPTION_JSON,
	ENV_OPTION_USER,
	ENV_OPTION_SHELL,
	ENV_OPTION_FILE,
	ENV_OPTION_PRINT,
	ENV_OPTION_YES,
	{ NULL }
};

static int
run(struct admin *a, int argc, char **argv)
{
	AEG_AUTO(env_args_done) struct env_args args = { .owned = NULL };
	AEG_AUTOFREE struct shellenv_want *wants = NULL;
	enum shellenv_op op = SHELLENV_VAR_SET;
	int i, status = env_args_read(a, argc, argv, true, &args);

	if (status != ADMIN_OK)
		return status;
	if (args.n < 2)
		return admin_usage(a);
	if (strcmp(args.operands[0], "unset") == 0)
		op = SHELLENV_VAR_UNSET;
	else if (strcmp(args.operands[0], "set") != 0)
		return admin_usage(a);
	wants = xcalloc((size_t)args.n, sizeof *wants);
	for (i = 1; i < args.n; i++)
		wants[i - 1] = (struct shellenv_want){ op, args.operands[i] };
	return env_mend(a, &args, wants, (size_t)args.n - 1);
}

const struct admin_verb cmd_env_var = {
	.name = "env var",
	.usage = "set NAME=VALUE... | unset NAME...",
	.summary = "set an exported variable for good, or unset it again",
	.run = run,
	.options = options,
};
