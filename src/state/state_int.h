/* SPDX-License-Identifier: ISC */
/* Inside of state: the variables, the directories, and reading bash. */
#ifndef AEGSH_STATE_INT_H
#define AEGSH_STATE_INT_H

#include "aegsh/state.h"

/* What one environment may hold, so that no later execve(2) fails: names,
 * and bytes beside the line itself. */
#define STATE_DIR_MAX 8192	/* one path */

/* Sorted by name; each string is "NAME=value". */
struct vars {
	char **v;
	size_t n, cap;
	size_t bytes;		/* of all strings, with their NULs */
};

void vars_done(struct vars *t);
/* The value, or NULL. */
const char *vars_get(const struct vars *t, const char *name);
void vars_set(struct vars *t, const char *name, const char *value);
void vars_unset(struct vars *t, const char *name);

struct state {
	struct vars vars;
	char *cwd;		/* logical, absolute */
	int child_cwd;		/* -1, or borrowed for the next import */
	struct strv dirs;	/* below cwd, top first */
	int status;
	char *last_arg;
	mode_t umask;
	struct strv left_out;
	bool keeps;
	struct strv plain;
	char *functions;	/* text that bash wrote, or NULL */
	bool has_limits;
	struct rlimit limits[STATE_LIMITS];
};

/* state_import.c: what of vars does not fit in an environment is taken
 * out, the largest first, and named in ret. */
void state_fit(struct vars *vars, struct strv *ret_too_large);

/* state_word.c: one value as `export -p` and `declare -p` print it: "…"
 * with \ before " $ ` \ and newline, or $'…'.  The position after it, or
 * NULL; appended to out. */
const char *word_value(const char *p, const char *end, struct buf *out);

/* state_keep.c: may a variable of this name live on unexported? */
bool state_keeps_name(const char *name);
/* Append the assignment, quoted anew. */
void state_keep_value(struct strv *plain, const char *name,
	const char *value);
/* The same for an array (kind a or A) whose ( is at p; the position behind
 * its ), or NULL. */
const char *state_keep_array(struct strv *plain, const char *name, char kind,
	const char *p, const char *end);

/* state_cd.c: as "cd -- word" does it; who says so in a complaint. */
int state_go(struct state *s, const char *who, const char *word,
	struct buf *out, struct buf *complaint);

/* state_canon.c: see there. */
char *canon_logical(const char *path);
char *canon_physical(const char *path);

#endif
