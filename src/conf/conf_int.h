/* SPDX-License-Identifier: ISC */
/* What the files of conf share. */
#ifndef AEGSH_CONF_INT_H
#define AEGSH_CONF_INT_H

#include "aegsh/conf.h"

#define CONF_VALUE_MAX ((size_t)4096)	/* bytes of one value */
#define CONF_LINKS_MAX 40		/* symbolic links on one path */

/* ---- conf_value.c ------------------------------------------------------ */

/*
 * Check text against its row.  *ret_number is the integer, 0 or 1 of a
 * bool, the place of an enum's word (0: the strictest), 0 of a string.
 * ERR_RANGE, ERR_SYNTAX, ERR_TOO_LONG, with a sentence that begins with
 * the option's name.
 */
int conf_value_check(const struct conf_row *row, const char *text,
	int64_t *ret_number, struct err *err);
/* "yes" for "on"; everything else stands as it is. */
const char *conf_value_canon(const struct conf_row *row, const char *text,
	int64_t number);
/* Does going from one value to another leave less allowed? */
bool conf_value_tightens(const struct conf_row *row, bool managed,
	int64_t from, int64_t to);
/* The row of that name, or -1. */
int conf_find(const char *name, size_t len);

/* ---- conf_kept.c ------------------------------------------------------- */

/* The deepest directory on the way to path that is kept open; its
 * descriptor stays with the keeper, and the first *ret_len bytes of path
 * are its name.  -1: none. */
int conf_kept_find(const char *path, uid_t uid, size_t *ret_len);
/* Keep the directory that the first len bytes of path name; true: fd
 * belongs to the keeper now. */
bool conf_kept_add(const char *path, size_t len, uid_t uid, int fd);

/* ---- conf_file.c ------------------------------------------------------- */

struct conf_setting {
	char *text;		/* NULL: the file does not set it */
	int64_t number;
	int line;
};

/* Parse and check a whole file into set[CONF_COUNT] (zeroed by the caller,
 * who frees the texts also after a failure).  Errors begin "path:line: ". */
int conf_file_parse(const char *path, const char *text, size_t len,
	struct conf_setting *set, struct err *err);

#endif
