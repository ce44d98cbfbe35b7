/* SPDX-License-Identifier: ISC */
/* cd, pushd, popd, dirs: no child; the room state knows how. */
#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"
#include "shell/bi.h"

typedef int dirs_fn(struct state *s, char *const *argv, struct buf *out,
	struct buf *complaint);

/* bash's complaint, with our name in front. */
static int
run_with(dirs_fn *fn, void *ctx, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct buf said = BUF_INIT;
	int status = fn(((struct shell *)ctx)->state, argv + 1, out, &said);

	if (said.len > 0) {
		buf_puts(complaint, "aegsh: ");
		text_inert(complaint, said.data, said.len,
		    TEXT_INERT_NEWLINE);
	}
	buf_done(&said);
	return status;
}

static int
run_cd(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	return run_with(state_cd, ctx, argv, out, complaint);
}

static int
run_pushd(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	return run_with(state_pushd, ctx, argv, out, complaint);
}

static int
run_popd(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	return run_with(state_popd, ctx, argv, out, complaint);
}

static int
run_dirs(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	return run_with(state_dirs, ctx, argv, out, complaint);
}

const struct turn_builtin bi_cd = {
	.name = "cd",
	.usage = "cd [-L|-P [-e]] [DIR|-]",
	.help = TR_LATER("change the working directory; CDPATH is ignored"),
	.run = run_cd,
};
const struct turn_builtin bi_pushd = {
	.name = "pushd",
	.usage = "pushd [-n] [+N|-N|DIR]",
	.help = TR_LATER("put a directory on the stack and go there"),
	.run = run_pushd,
};
const struct turn_builtin bi_popd = {
	.name = "popd",
	.usage = "popd [-n] [+N|-N]",
	.help = TR_LATER("take a directory off the stack"),
	.run = run_popd,
};
const struct turn_builtin bi_dirs = {
	.name = "dirs",
	.usage = "dirs [-clpv] [+N|-N]",
	.help = TR_LATER("show the directory stack"),
	.run = run_dirs,
};
