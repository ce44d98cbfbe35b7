/* SPDX-License-Identifier: ISC */
/* help: what aegsh adds to bash, and where to read on. */
#include <string.h>

#include "aegsh/base/text.h"
#include "shell/bi.h"

static int
run_help(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	const struct turn_builtin *const *b;
	bool found = argc < 2;

	if (argc < 2)
		buf_puts(out, "Each line is judged by policy, run in a "
		    "confined bash, and recorded.\nBuiltins that need no "
		    "child:\n");
	for (b = shell_builtins; *b != NULL; b++) {
		if (argc > 1 && strcmp(argv[1], (*b)->name) != 0)
			continue;
		found = true;
		buf_putf(out, "  %-26s %s\n", (*b)->usage, (*b)->help);
	}
	if (argc < 2)
		buf_puts(out, "Why was it blocked?  aegshctl test 'LINE' "
		    "--explain\nManual: man 1 aegsh, man 7 aegsh\n");
	if (!found) {
		buf_puts(complaint, "aegsh: help: no help for ");
		text_inert(complaint, argv[1], strlen(argv[1]), 0);
		return 1;
	}
	return 0;
}

const struct turn_builtin bi_help = {
	.name = "help",
	.usage = "help [BUILTIN]",
	.help = "say what the builtins do",
	.run = run_help,
};
