/* SPDX-License-Identifier: ISC */
/* Whether the shell is a restricted one, and what says so. */
#include "shellenv_int.h"

#include <string.h>

#include "aegsh/base/path.h"

/* A word of a list with colons. */
static bool
has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; list != NULL && *list != '\0'; list += *list == ':') {
		size_t len = strcspn(list, ":");

		if (len == n && strncmp(list, word, n) == 0)
			return true;
		list += len;
	}
	return false;
}

const char *
se_restricted_why(struct shellenv *se, const struct running *run)
{
	/* bash's own word is restricted_shell; ksh's and the older habit
	 * is restricted. */
	static const char *const vars[] = { "BASHOPTS", "SHELLOPTS" };
	static const char *const words[] = { "restricted", "restricted_shell" };
	const char *env = se_getenv(se, "SHELL");
	bool named = false;
	size_t i, j;

	if (se->restricted_name)
		return se_printf(se, "the shell is %s", se->shell_path != NULL ?
		    path_base(se->shell_path) : "a restricted one");
	if (env != NULL)
		se_shell_by_name(env, &named);
	if (named)
		return se_printf(se, "SHELL is %s", env);
	for (i = 0; i < AEG_NELEM(vars); i++)
		for (j = 0; j < AEG_NELEM(words); j++)
			if (has_word(se_getenv(se, vars[i]), words[j]))
				return se_printf(se, "%s contains %s",
				    vars[i], words[j]);
	if (run->pid > 0 && run->restricted)
		return se_printf(se, "process %d runs %s restricted",
		    (int)run->pid, run->type);
	return NULL;
}
