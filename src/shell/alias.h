/* SPDX-License-Identifier: ISC */
/* The aliases of a session. */
#ifndef SHELL_ALIAS_H
#define SHELL_ALIAS_H

#include <stdbool.h>
#include <stddef.h>

#include "aegsh/base/buf.h"
#include "aegsh/line.h"

#define ALIASES_MAX 4096
#define ALIAS_VALUE_MAX ((size_t)65536)

struct aliases {		/* sorted by name */
	struct alias {
		char *name, *value;
	} *v;
	size_t n;
};

void aliases_done(struct aliases *a);
/* NULL when there is none. */
const char *alias_get(const struct aliases *a, const char *name);
/* -1: no valid name, or no room. */
int alias_set(struct aliases *a, const char *name, const char *value);
bool alias_unset(struct aliases *a, const char *name);
/* The words NAME='VALUE' …, as behind the command alias; -1 where they are
 * something else. */
int aliases_read(struct aliases *a, const char *words);
/* In place; -1, and nothing changed, when the line would become too long. */
int aliases_expand(const struct aliases *a, struct buf *text);

#endif
