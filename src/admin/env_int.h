/* SPDX-License-Identifier: ISC */
/* What the verbs "env …" share: their options, whose environment, and
 * carrying a plan out. */
#ifndef ADMIN_ENV_INT_H
#define ADMIN_ENV_INT_H

#include "admin_int.h"
#include "aegsh/shellenv_mend.h"

#define ENV_OPTION_USER \
	{ "user", 'u', "NAME", "whose environment (for root)", \
	  ADMIN_WORDS_USER }
#define ENV_OPTION_SHELL \
	{ "shell", 's', "SHELL", "take it for the login shell", \
	  ADMIN_WORDS_NONE }
#define ENV_OPTION_NO_PROBE \
	{ "no-probe", 0, NULL, "start no shell to see its PATH", \
	  ADMIN_WORDS_NONE }
#define ENV_OPTION_PRINT \
	{ "print", 'n', NULL, "show the change and write nothing", \
	  ADMIN_WORDS_NONE }
#define ENV_OPTION_YES \
	{ "yes", 'y', NULL, "write without asking", ADMIN_WORDS_NONE }
#define ENV_OPTION_FILE \
	{ "file", 'f', "FILE", "write there, not where it belongs", \
	  ADMIN_WORDS_FILE }
/* Of the verbs that say what they want themselves. */
#define ENV_OPTIONS_MEND \
	ADMIN_OPTION_JSON, ENV_OPTION_USER, ENV_OPTION_SHELL, \
	ENV_OPTION_FILE, ENV_OPTION_PRINT, ENV_OPTION_YES
#define ENV_OPTION_POST_ENV \
	{ "post-env", 'e', "EXPORTS", "shell text to run before", \
	  ADMIN_WORDS_NONE }

struct env_args {
	bool json, print, yes, no_probe;
	const char *user, *shell, *file, *session, *post_env;
	char **operands;	/* NULL-terminated, of argv */
	int n;
};

/* Options, and from least to most operands.  ADMIN_OK, or ADMIN_USAGE when
 * something was said. */
int env_args_read(struct admin *a, int argc, char **argv, int least,
	int most, struct env_args *ret);

/* The environment, with the rights of its user.  ADMIN_OK, or the status
 * to leave with. */
int env_open(struct admin *a, const struct env_args *args,
	struct shellenv **ret);
void env_close(struct shellenv **se);
/* Both. */
int env_begin(struct admin *a, int argc, char **argv, int least, int most,
	struct env_args *ret_args, struct shellenv **ret);

/* The status for an error of the room, after saying it. */
int env_fail(struct admin *a, const struct err *err);

/* Show a plan, ask, write: --print, --yes, --json.  ENV_AGAIN: nothing was
 * shown or written, as a file is no longer what the plan saw, and nobody was
 * shown what it would become; only with again. */
#define ENV_AGAIN (-1)
int env_carry_out(struct admin *a, struct shellenv *se,
	const struct env_args *args, const struct shellenv_plan *plan,
	bool again);
/* The same from wishes. */
int env_mend(struct admin *a, const struct env_args *args,
	const struct shellenv_want *wants, size_t n);

const char *env_severity(enum shellenv_severity s);
const char *env_can(enum shellenv_can c);

#endif
