/* SPDX-License-Identifier: ISC */
/* Prompt strings: what may stand in one, and what it shows then. */
#ifndef SHELL_PROMPT_H
#define SHELL_PROMPT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "aegsh/base/buf.h"
#include "aegsh/line.h"

#define PROMPT_MAX ((size_t)4096)	/* bytes of one that is expanded */

enum prompt_colours { PROMPT_PLAIN = 0, PROMPT_16, PROMPT_256, PROMPT_TRUE };

struct prompt_facts {
	const char *user, *host, *cwd, *home;	/* home: or NULL */
	const char *version, *profile;
	const char *decision;		/* about the last line, or "" */
	const char *model;		/* how it did last, or "" */
	uid_t uid;
	int status;
	unsigned jobs;
	unsigned trim;			/* PROMPT_DIRTRIM, 0: all */
	int64_t took_ns;		/* the last line */
	time_t now;
	enum prompt_colours colours;
};

/* Nothing in it is executed; what it shows is inert. */
void prompt_expand(const char *string, const struct prompt_facts *f,
	struct buf *out);
/* The string of "theme:NAME", or the string itself. */
const char *prompt_of(const char *setting);
/* Names of themes, until NULL. */
const char *prompt_theme(size_t i);
/* What a terminal can show, by TERM, COLORTERM and NO_COLOR; each may be
 * NULL. */
enum prompt_colours prompt_colours_of(const char *term, const char *colorterm,
	const char *no_color);

/* prompt_git.c: the branch, or the beginning of the commit, that a work tree
 * around dir is on, from its files (gitrepository-layout(5)); false: none. */
bool prompt_git(const char *dir, struct buf *out);

#endif
