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
	COMPLETE_SETTINGS = 1 << 10,
	COMPLETE_CTL = 1 << 11,		/* words of aegshctl and aegsh */
};

struct complete {
	struct shell *sh;
	const struct line_word *word;
	const char *prefix;		/* names begin with it */
	const char *text;		/* the unit up to the cursor */
	size_t len;
	unsigned sources;		/* enum complete_source */
	size_t from;			/* what is offered replaces the text
					 * from here on */
	int64_t end_ns;			/* when all must be said */
	int to;				/* the parent, in the child */
	bool began;			/* something was sent */
	struct strv offered;		/* the first of these, each behind its
					 * flag */
	size_t n_offered;
	struct buf out;
};

/* What a name is, beside its text. */
#define COMPLETE_WHOLE "w"	/* a blank follows where it is the only one */
#define COMPLETE_GOES_ON "g"	/* none does */

/* complete_names.c, in the child: offer all that these sources have. */
void complete_gather(struct complete *c, unsigned sources);
/* The same of one kind (complete_hosts.c), and of one name of the word's last
 * component, quoted for its place; after: behind it, or "". */
void complete_hosts(struct complete *c);
void complete_name(struct complete *c, const char *name, const char *after,
	const char *note);
/* complete.c, in the child: text is what is to be typed in place of the text
 * from c->from on.  flags: COMPLETE_… */
void complete_offer(struct complete *c, const char *text, const char *shown,
	const char *note, const char *flags);
void complete_send(struct complete *c);
/* complete_offer.c, in the child: what bash-completion knows of the command.
 * False: nothing, or not in time (then *ret_late). */
bool complete_from_program(struct complete *c, bool *ret_late);


/* complete_ready.c: a bash for the next Tab, behind these words.  begin:
 * starts it, if there is none; between keys.  check: gives one up that would
 * not do.  end: it was asked. */
void complete_ready_begin(struct shell *sh, const struct strv *typed);
void complete_ready_check(struct shell *sh, const struct strv *typed);
void complete_ready_end(struct shell *sh);
void complete_ready_free(struct shell *sh);

#endif
