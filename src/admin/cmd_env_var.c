/* SPDX-License-Identifier: ISC */
/* `aegshctl env var set NAME=VALUE`, `… unset NAME`. */
#include "env_int.h"

static const struct admin_option options[] = {
	ENV_OPTIONS_MEND,
	{ NULL }
};

static int
run(struct admin *a, int argc, char **argv)
{
	static const struct env_change changes[] = {
		{ "set", SHELLENV_VAR_SET },
		{ "unset", SHELLENV_VAR_UNSET },
		{ NULL }
	};

	return env_change(a, argc, argv, changes);
}

const struct admin_verb cmd_env_var = {
	.name = "env var",
	.usage = "set NAME=VALUE... | unset NAME...",
	.summary = "set an exported variable for good, or unset it again",
	.run = run,
	.options = options,
};
