/* SPDX-License-Identifier: ISC */
/* What the files of the login share. */
#ifndef LOGIN_INT_H
#define LOGIN_INT_H

#include "aegsh/shellenv.h"
#include "shell/shell_int.h"

#define LOGIN_DEPTH_MAX 8	/* of files that bring in files */
#define LOGIN_FILES_MAX 256	/* brought into one text */

/* ---- login_edits.c ----------------------------------------------------- */

enum login_edit_kind { LOGIN_SOURCES = 0, LOGIN_LEAVES, LOGIN_IDLE };
struct login_edit {
	enum login_edit_kind kind;
	size_t from, to;	/* bytes of the file */
	bool in_function;	/* runs wherever that is called */
	unsigned line;
	size_t word, word_len;	/* SOURCES: the file's name */
};
struct login_edits {
	struct login_edit *v;
	size_t n, cap;
	bool leaves;		/* some return is among them */
	bool trapped;		/* a return inside a loop of the file's own */
};
/* In the order of the text; ret->v is the caller's to free. */
void shell_login_edits(const char *text, size_t len,
	const struct syn_tree *tree, struct login_edits *ret);

/* ---- login_text.c: a start-up file, and what it sources in its place -- */
struct login_text {
	const struct shellenv_file *files;	/* what sources what */
	size_t n_files;
	uid_t trust;		/* whose files count beside the operator's;
				 * (uid_t)-1: nobody's */
	struct strv skip;	/* files that shall not be put in */
	struct strv put;	/* files that were, the innermost first */
	struct strv left_out;	/* "PATH: why" of what could not be put in */
	size_t n, bytes;	/* of files that were put in */
	const char *open[LOGIN_DEPTH_MAX];	/* being read */
	size_t depth;
};

/*
 * Append the text of a file as it shall be judged and run.  name is what
 * files of it are called among t->files.  ERR_TRUST, ERR_TOO_LONG, -errno
 * where it is not to be had; a file that cannot be parsed is given as it is,
 * for the judges to refuse.
 */
int shell_login_text(struct login_text *t, const char *path, const char *name,
	struct buf *out, struct err *err);
/* The same of one of t->put alone. */
int shell_login_piece(struct login_text *t, const char *path, struct buf *out,
	struct err *err);
/* A file that is believed as of trust: regular, owner and mode checked,
 * links followed first. */
int shell_login_read(const char *path, uid_t trust, struct buf *out,
	struct err *err);

#endif
