/* SPDX-License-Identifier: ISC */
/*
 * `aegshctl env run`: what `env wrap` prints, run by aegsh -c, and so
 * judged, confined and recorded as any line is.
 */
#include "env_int.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

static const struct admin_option options[] = {
	ENV_OPTION_POST_ENV,
	{ NULL }
};

/* Beside this program, or where the same prefix has programs for
 * everybody. */
static char *
find_aegsh(void)
{
	static const char *const places[] = { "../aegsh", "../../bin/aegsh" };
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *path;
	size_t i;

	for (i = 0; n > 0 && i < AEG_NELEM(places); i++) {
		self[n] = '\0';
		path = path_canon(self, places[i]);
		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	path = path_canon(sysdirs()->libexec, "../../bin/aegsh");
	if (access(path, X_OK) == 0)
		return path;
	free(path);
	return NULL;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct env_args args = { .json = false };
	AEG_AUTO(buf_done) struct buf line = BUF_INIT;
	AEG_AUTOFREE char *aegsh = NULL;
	struct err err = ERR_INIT;
	int status = env_args_read(a, argc, argv, 1,
	    ADMIN_OPERANDS_ANY, &args);

	if (status != ADMIN_OK)
		return status;
	if (shellenv_wrap(args.post_env, args.operands, &line, &err) < 0)
		return env_fail(a, &err);
	aegsh = find_aegsh();
	if (aegsh == NULL) {
		err_set(&err, -ENOENT, "aegsh is not installed beside "
		    "aegshctl");
		return admin_fail(a, &err);
	}
	fflush(a->out);
	execl(aegsh, "aegsh", "-c", line.data, (char *)NULL);
	err_sys(&err, errno, "%s", aegsh);
	return admin_fail(a, &err);
}

const struct admin_verb cmd_env_run = {
	.name = "env run",
	.usage = "[--] COMMAND [ARGUMENT]...",
	.summary = "run a command behind exports, through aegsh",
	.run = run,
	.options = options,
	.command = true,
};
