/* SPDX-License-Identifier: ISC */
/*
 * `aegshctl policy install FILE' as a line of its own, of the operator.  No
 * command can write where the rules are, so the shell does it itself, after
 * the question that the built-in floor has put.
 */
#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"
#include "aegsh/sandbox.h"
#include "shell/bi.h"

static bool
wants_policy(void *ctx, int argc, char *const *argv)
{
	const struct shell *sh = ctx;

	return sh->operator && argc == 4 && strcmp(argv[1], "policy") == 0 &&
	    strcmp(argv[2], "install") == 0 && argv[3][0] != '-';
}

static int
run_policy(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct shell *sh = ctx;
	struct err err = ERR_INIT;
	char hash[65];

	if (policy_install(argv[argc - 1], sandbox_there, hash, &err) < 0) {
		buf_puts(complaint, "aegsh: aegshctl policy install: ");
		text_inert(complaint, err.text, strlen(err.text), 0);
		return 1;
	}
	if (turn_audit(sh->turn) != NULL)
		audit_note(turn_audit(sh->turn), "policy-install", hash);
	text_inert(out, path_base(argv[argc - 1]),
	    strlen(path_base(argv[argc - 1])), 0);
	buf_putf(out, ": installed; sources %s\n", hash);
	return 0;
}

const struct turn_builtin bi_policy = {
	.name = "aegshctl",
	.usage = "aegshctl policy install FILE",
	.help = TR_LATER("put a rule file among the site's (operator)"),
	.run = run_policy,
	.wants = wants_policy,
	.starts = true,
};
