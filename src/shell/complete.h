/* SPDX-License-Identifier: ISC */
/* Completing a word: what is asked, and where names are found. */
#ifndef SHELL_COMPLETE_H
#define SHELL_COMPLETE_H

#include "shell/shell_int.h"

enum complete_source {			/* bits */
	COMPLETE_COMMANDS = 1 << 0,
	COMPLETE_FILES = 1 << 1,
	COMPLETE_DIRS = 1 << 2,
	COMPLETE_VARIABLES = 1 << 3,
	COMPLETE_USERS = 1 << 4,
	COMPLETE_HOSTS = 1 << 5,
	COMPLETE_JOBS = 1 << 6,
	COMPLETE_ALIASES = 1 << 7,
	COMPLETE_BUILTINS = 1 << 8,
	COMPLETE_TILDE = 1 << 9,	/* users: behind a ~ */
};

struct complete {
	struct shell *sh;
	const struct line_word *word;
	const char *prefix;		/* names begin with it */
	int to;				/* the parent, in the child */
	struct buf out;
};

/* complete_names.c, in the child: offer all that these sources have. */
void complete_gather(struct complete *c, unsigned sources);
/* complete.c, in the child: text is what is to be typed in the word's
 * place. */
void complete_offer(struct complete *c, const char *text, const char *shown,
	const char *note);
void complete_send(struct complete *c);

#endif
