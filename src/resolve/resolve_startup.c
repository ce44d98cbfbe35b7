/* SPDX-License-Identifier: ISC */
/* Variables that a shell heeds before its first command, or that say how it
 * reads them all: given by the line, or by the environment. */
#include "resolve_int.h"

#include <string.h>

/* Text that a prompt runs something of, perhaps. */
static bool
runs_in_prompt(const char *value, bool known)
{
	return !known || strpbrk(value, "$`\\") != NULL;
}

/* What a shell reads before, or for, its first command, and what says how it
 * reads them all. */
static const char *const startup[] = { "BASHOPTS", "BASH_COMPAT", "BASH_ENV",
	"ENV", "FUNCNEST", "POSIXLY_CORRECT", "PROMPT_COMMAND", "SHELLOPTS" };

/* NAME=value behind env and its like: such a name, or a prompt. */
static bool
is_startup(const struct syn_word *word)
{
	static const char *const prompts[] = { "PS0=", "PS1=", "PS2=", "PS4=" };
	size_t i, n;

	/* A function, which may have any name. */
	if (strncmp(word->value, "BASH_FUNC_", 10) == 0)
		return true;
	for (i = 0; i < AEG_NELEM(startup); i++) {
		n = strlen(startup[i]);
		if (strncmp(word->value, startup[i], n) == 0 &&
		    (word->value[n] == '=' ||
		    strncmp(word->value + n, "+=", 2) == 0))
			return true;
	}
	for (i = 0; i < AEG_NELEM(prompts); i++) {
		n = strlen(prompts[i]);
		if (strncmp(word->value, prompts[i], n) == 0)
			return runs_in_prompt(word->value + n, word->known);
	}
	return false;
}

/* A shell that the line starts reads a file first. */
bool
resolve_names_startup(const struct syn_facts *facts)
{
	const struct syn_command *c;
	size_t i, j, k;

	if (facts->steers_start)
		return true;
	for (i = 0; i < facts->n_commands; i++) {
		c = &facts->commands[i];
		for (j = 0; j < c->n_assigns; j++)
			for (k = 0; k < AEG_NELEM(startup); k++)
				if (strcmp(c->assigns[j].name,
				    startup[k]) == 0)
					return true;
		for (j = 0; j < c->n_words; j++)
			if (is_startup(&c->words[j]))
				return true;
	}
	return false;
}

/* The environment brings such a name, or such a prompt, to each shell. */
bool
resolve_inherits_startup(const struct state *state)
{
	const char *prompt = state_get(state, "PS4"), *value;
	size_t i;

	for (i = 0; i < AEG_NELEM(startup); i++) {
		value = state_get(state, startup[i]);
		if (value != NULL && value[0] != '\0')
			return true;
	}
	return prompt != NULL && runs_in_prompt(prompt, true);
}
