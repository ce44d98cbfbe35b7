/* SPDX-License-Identifier: ISC */
/* `aegshctl env wrap`: a command behind exports that last only for it. */
#include "env_int.h"

#include "aegsh/base/mem.h"

static const struct admin_option options[] = {
	ENV_OPTION_POST_ENV,
	{ NULL }
};

static int
run(struct admin *a, int argc, char **argv)
{
	struct env_args args = { .json = false };
	AEG_AUTO(buf_done) struct buf line = BUF_INIT;
	struct err err = ERR_INIT;
	json_t *list;
	int status = env_args_read(a, argc, argv, 1,
	    ADMIN_OPERANDS_ANY, &args);

	if (status != ADMIN_OK)
		return status;
	if (shellenv_wrap(args.post_env, args.operands, &line, &err) < 0)
		return env_fail(a, &err);
	list = json_array();
	json_array_append_new(list, json_string("bash"));
	json_array_append_new(list, json_string("-c"));
	json_array_append_new(list, admin_json_string(line.data));
	admin_json_print(a, list);
	return ADMIN_OK;
}

const struct admin_verb cmd_env_wrap = {
	.name = "env wrap",
	.usage = "[--] COMMAND [ARGUMENT]...",
	.summary = "print the bash -c of a command behind exports",
	.run = run,
	.options = options,
	.command = true,
};
