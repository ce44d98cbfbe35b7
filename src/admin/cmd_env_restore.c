/* SPDX-License-Identifier: ISC */
/* `aegshctl env restore NAME`: a start-up file as a backup has it. */
#include "env_int.h"

#include "aegsh/base/mem.h"

static const struct admin_option options[] = {
	ADMIN_OPTION_JSON,
	ENV_OPTION_USER,
	ENV_OPTION_PRINT,
	ENV_OPTION_YES,
	{ NULL }
};

static int
run(struct admin *a, int argc, char **argv)
{
	struct env_args args = { .json = false };
	AEG_AUTO(env_close) struct shellenv *se = NULL;
	const struct shellenv_plan *plan;
	struct err err = ERR_INIT;
	int status = env_begin(a, argc, argv, 1, 1, &args, &se);

	if (status != ADMIN_OK)
		return status;
	if (shellenv_restore(se, args.operands[0], &plan, &err) < 0)
		return env_fail(a, &err);
	return env_carry_out(a, se, &args, plan, false);
}

const struct admin_verb cmd_env_restore = {
	.name = "env restore",
	.usage = "NAME",
	.summary = "bring back what a backup holds",
	.run = run,
	.options = options,
};
