/* SPDX-License-Identifier: ISC */
/* Files and their `#!` chains, for resolve.c and the tests. */
#ifndef RESOLVE_PATH_INT_H
#define RESOLVE_PATH_INT_H

#include <stdbool.h>
#include <sys/stat.h>

#include "aegsh/state.h"

/* As resolve_path(), but the last component's links are not followed: the
 * absolute path under which the command would be started. */
int resolve_find(const char *word, const struct state *state,
	char **ret_path);
/* The same with other directories to search (a PATH) and another working
 * directory, each NULL: those of state; *ret_st is the file's. */
int resolve_find_by(const char *word, const struct state *state,
	const char *path, const char *cwd, char **ret_path,
	struct stat *ret_st);
/* A directory that this user may go to. */
bool resolve_is_dir(const char *path);
/* Of a PATH: some directory of it is found from the working directory. */
bool resolve_is_relative(const char *path);
/* PATH of the state, or what bash takes where it is not set. */
const char *resolve_search_path(const struct state *state);
/* Links of the whole path resolved; the plain text where that fails. */
char *resolve_real(const char *path);

/* The real path of a program that was found under name, may be run and is no
 * script, if that was remembered and still holds of what st tells now; or
 * NULL.
 * Borrowed until the next put. */
const char *resolve_memo_get(const char *name, const struct stat *st);
/* Remember it in this process, where only root can make it untrue. */
void resolve_memo_put(const char *name, const struct stat *st,
	const char *real);

struct resolve_chain {
	bool incomplete;	/* too long, goes round in a circle, or can't
				 * be followed */
	bool unread;		/* its end may be a script all the same */
	bool asked;		/* auto-shebang(1) stands in it: AUTO_SHEBANG_*
				 * of the environment count */
};

/* Owned path, links resolved, of the last interpreter in the chain, or NULL
 * when the file is no script.  script is the path under which it would be
 * started: the search of auto-shebang begins at a link as well as behind
 * it.  Only what is true is set in *ret_chain. */
char *resolve_interpreter(const char *script, const struct state *state,
	struct resolve_chain *ret_chain);

#endif
