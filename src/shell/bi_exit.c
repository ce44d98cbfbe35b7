/* SPDX-License-Identifier: ISC */
/* exit and logout: leave the session. */
#include <string.h>

#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"
#include "shell/bi.h"

static int
leave(struct shell *sh, int argc, char *const *argv, struct buf *complaint)
{
	int64_t status = state_status(sh->state);
	int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;

	buf_putf(complaint, "%s\n", sh->args.login ? "logout" : "exit");
	if (argc > first && text_to_i64(argv[first], INT64_MIN, INT64_MAX,
	    &status) != 0) {
		buf_putf(complaint, "aegsh: %s: ", argv[0]);
		text_inert(complaint, argv[first], strlen(argv[first]), 0);
		buf_puts(complaint, ": numeric argument required\n");
		status = 2;
	} else if (argc > first + 1) {
		buf_putf(complaint, "aegsh: %s: too many arguments", argv[0]);
		return 1;
	}
	if (!shell_may_exit(sh, complaint))
		return 1;
	sh->exiting = true;
	sh->exit_status = (int)(status & 0xff);
	return sh->exit_status;
}

static int
run_exit(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	return leave(ctx, argc, argv, complaint);
}

static int
run_logout(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct shell *sh = ctx;

	if (!sh->args.login) {
		buf_puts(complaint, "aegsh: logout: not login shell: use "
		    "`exit'");
		return 1;
	}
	return leave(sh, argc, argv, complaint);
}

const struct turn_builtin bi_exit = {
	.name = "exit",
	.usage = "exit [N]",
	.help = TR_LATER("leave the shell, with status N or that of "
	    "the last line"),
	.run = run_exit,
};
const struct turn_builtin bi_logout = {
	.name = "logout",
	.usage = "logout [N]",
	.help = TR_LATER("leave a login shell"),
	.run = run_logout,
};
