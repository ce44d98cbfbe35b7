/* SPDX-License-Identifier: ISC */
/* What stands behind aegshctl and aegsh: no program is asked for it. */
#ifndef SHELL_COMPLETE_CTL_H
#define SHELL_COMPLETE_CTL_H

#include "shell/complete.h"

/* A verb, then its options. */
struct complete_ctl_row {
	const char *verb;	/* one word or two; NULL ends the table */
	const char *option;	/* with its dashes; NULL: the verb itself */
	/* Of its operands, or of the option's argument: words, or ":file",
	 * ":directory", ":user", ":profile", ":setting"; "": none is known,
	 * NULL: an option that takes none. */
	const char *words;
	const char *about;
};
/* The rows of aegshctl as text: four strings a row, each with its NUL, "-"
 * for NULL; an empty verb ends it.  Addresses would cost each start of aegsh,
 * which must write them, more than Tab pays for reading the text. */
extern const char complete_ctl_text[];

/* In the child: behind the first of word->before that is the command, by its
 * path or name. */
void complete_ctl(struct complete *c);
/* Is there more than a file to be offered, for this command? */
bool complete_ctl_knows(const char *command);

#endif
