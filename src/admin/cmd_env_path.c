/* SPDX-License-Identifier: ISC */
/* `aegshctl env path add|remove DIR`. */
#include "env_int.h"

static const struct admin_option options[] = {
	ENV_OPTIONS_MEND,
	{ NULL }
};

static int
run(struct admin *a, int argc, char **argv)
{
	static const struct env_change changes[] = {
		{ "add", SHELLENV_PATH_ADD },
		{ "remove", SHELLENV_PATH_REMOVE },
		{ NULL }
	};

	return env_change(a, argc, argv, changes);
}

const struct admin_verb cmd_env_path = {
	.name = "env path",
	.usage = "add|remove DIR...",
	.summary = "put a directory on PATH for good, or take it off again",
	.run = run,
	.options = options,
	.words = ADMIN_WORDS_DIR,
};
