/* SPDX-License-Identifier: ISC */
/*
 * Mending a user's shell environment: what is wanted is turned into a plan,
 * the new bytes of each file, and the plan is carried out, each file whole
 * or not at all.  Lines stand in a marked block, which can be taken out
 * again byte for byte.  Ownership is as in aegsh/shellenv.h.
 */
#ifndef AEGSH_SHELLENV_MEND_H
#define AEGSH_SHELLENV_MEND_H

#include "aegsh/base/buf.h"
#include "aegsh/shellenv.h"

enum shellenv_op { SHELLENV_PATH_ADD, SHELLENV_PATH_REMOVE, SHELLENV_VAR_SET,
	SHELLENV_VAR_UNSET, SHELLENV_FIX };
struct shellenv_want {
	enum shellenv_op op;
	const char *arg;	/* DIR, NAME=VALUE, NAME, or a finding's id */
};
struct shellenv_edit {
	const char *path, *shown;	/* the real file behind symlinks */
	const char *old, *new;		/* NULL: no such file */
	size_t old_len, new_len;
	bool from_backup;	/* made anew, it is the user's alone */
};
struct shellenv_step { const char *label, *file, *line; };
struct shellenv_plan {
	const struct shellenv_edit *edits;	/* 0: nothing to change */
	size_t n_edits;
	const struct shellenv_step *steps;	/* shell_config steps */
	size_t n_steps;
	char *const *notes;			/* NULL-terminated sentences */
};
/* Work out the new bytes; changes nothing.  file NULL: the right one.
 * ERR_REFUSED: a restricted or sandboxed shell, or a file that must not be
 * edited; ERR_RANGE: an argument that cannot be written. */
int shellenv_plan(struct shellenv *se, const struct shellenv_want *wants,
	size_t n, const char *file, const struct shellenv_plan **ret,
	struct err *err);
/* One edit as a unified diff. */
void shellenv_diff(const struct shellenv_edit *e, struct buf *out);
/* Write it, each file whole or not at all; a file that is no longer what
 * the plan saw is -ESTALE.  Appends the backups' names. */
int shellenv_apply(struct shellenv *se, const struct shellenv_plan *plan,
	struct strv *backups, struct err *err);

struct shellenv_backup { const char *name, *file, *time; size_t size; };
int shellenv_backups(struct shellenv *se, const struct shellenv_backup **ret,
	size_t *ret_n, struct err *err);	/* newest first */
/* The plan that brings a backup's bytes back. */
int shellenv_restore(struct shellenv *se, const char *name,
	const struct shellenv_plan **ret, struct err *err);

/* "EXPORTS && CMD…" as one line for bash -c.  ERR_SYNTAX: exports does not
 * end where a command can follow. */
int shellenv_wrap(const char *exports, char *const *argv, struct buf *out,
	struct err *err);

#endif
