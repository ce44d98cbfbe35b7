/* SPDX-License-Identifier: ISC */
/* `aegshctl env path add|remove DIR`. */
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
	enum shellenv_op op = SHELLENV_PATH_ADD;
	int i, status = env_args_read(a, argc, argv, true, &args);

	if (status != ADMIN_OK)
		return status;
	if (args.n < 2)
		return admin_usage(a);
	if (strcmp(args.operands[0], "remove") == 0)
		op = SHELLENV_PATH_REMOVE;
	else if (strcmp(args.operands[0], "add") != 0)
		return admin_usage(a);
	wants = xcalloc((size_t)args.n, sizeof *wants);
	for (i = 1; i < args.n; i++)
		wants[i - 1] = (struct shellenv_want){ op, args.operands[i] };
	return env_mend(a, &args, wants, (size_t)args.n - 1);
}

const struct admin_verb cmd_env_path = {
	.name = "env path",
	.usage = "add|remove DIR...",
	.summary = "put a directory on PATH for good, or take it off again",
	.run = run,
	.options = options,
	.words = ADMIN_WORDS_DIR,
};
