/* SPDX-License-Identifier: ISC */
/* Working out an edit: the files as they would be, and the sessions that
 * would follow from them. */
#ifndef MEND_INT_H
#define MEND_INT_H

#include "aegsh/shellenv_mend.h"

#include "block_int.h"
#include "check_int.h"

struct mend_file {
	const char *path;	/* what the shell opens */
	const char *real;	/* the file behind symlinks */
	const char *old, *text;	/* NULL: no such file */
	size_t old_len, len;
};

struct mend {
	struct shellenv *se;
	bool fish;
	const char *only;	/* the file that --file names; NULL: ours */
	struct mend_file *files;
	size_t n_files, cap_files;
	struct sim_overlay *overlays;	/* the files above, for the sims */
	size_t n_overlays;
	struct shellenv_step *steps;
	size_t n_steps, cap_steps;
	struct strv notes;
};

/* A file of the work, read on first use.  ERR_REFUSED and others: it must
 * not be edited, err says why. */
int se_mend_open(struct mend *m, const char *path, struct mend_file **ret,
	struct err *err);
void se_mend_note(struct mend *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Follow a session with the files as they would be. */
struct sim *se_mend_follow(struct mend *m, enum shellenv_session s,
	const struct session_file **ret, size_t *ret_n);

/* ---- mend_block.c ----------------------------------------------------- */

int se_mend_put(struct mend *m, const char *path, const struct item *it,
	struct err *err);
/* Take items out of every block of a file; true: something went. */
bool se_mend_take(struct mend *m, struct mend_file *f,
	bool (*match)(struct mend *m, const struct item *it, const void *arg),
	const void *arg);

/* Whether a file, as it would be, has lines of ours that are not only
 * helpers. */
bool se_mend_has_lines(struct mend *m, const char *path);

/* ---- mend_target.c ---------------------------------------------------- */

/* The sessions in which a line has to be seen. */
unsigned se_mend_sessions(const struct mend *m);
/* Put an item where the shell's users put such lines, and see to it that
 * the sessions above read it. */
int se_mend_place(struct mend *m, const struct item *it, unsigned missing,
	struct err *err);
/* The file that the item goes to. */
const char *se_mend_target(struct mend *m);
int se_mend_ensure_rc(struct mend *m, bool helper, struct err *err);

/* ---- mend_ops.c ------------------------------------------------------- */

int se_mend_path_add(struct mend *m, const char *arg, struct err *err);
int se_mend_one(struct mend *m, const struct shellenv_want *w,
	struct err *err);

/* ---- mend_fix.c ------------------------------------------------------- */

int se_mend_fix(struct mend *m, const char *id, struct err *err);

#endif
