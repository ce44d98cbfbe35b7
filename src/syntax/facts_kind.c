/* SPDX-License-Identifier: ISC */
/* What kind of value a variable has where the value is not known: a whole
 * number, which may be evaluated, or text; whether it is an integer or an
 * associative array. */
#include "facts_int.h"

#include "aegsh/base/text.h"

bool
syn_env_is_whole(const char *s, size_t len)
{
	size_t i = len > 1 && s[0] == '-' ? 1 : 0;

	for (; i < len; i++)
		if (!syn_is((unsigned char)s[i], SYN_CH_DIGIT))
			return false;
	return true;
}

/* Bash gives them numbers, whatever the environment brings. */
static bool
counts(const struct syn_slot *slot)
{
	static const char *const names[] = { "BASHPID", "BASH_SUBSHELL",
		"EPOCHSECONDS", "HISTCMD", "LINENO", "OPTIND", "PPID",
		"RANDOM", "SECONDS", "SHLVL", "SRANDOM" };

	return TEXT_AMONG(slot->name, names);
}

bool
syn_env_is_number(struct syn_walk *w, const char *name, size_t len)
{
	struct syn_slot *slot = syn_env_slot(w, name, len);
	const char *value = NULL;

	if (w->first)
		return true;
	if (syn_env_is_hostile(w) || w->env.no_numbers || slot->texts)
		return false;
	slot->relied = true;
	if (slot->never)
		return counts(slot);
	if (slot->set && !slot->inherited)
		return true;
	if (w->vars == NULL)
		return false;
	switch (w->vars->get(w->vars->ctx, slot->name, &value)) {
	case SYN_VAR_UNSET:
		return !slot->given && !slot->given_if_unset;
	case SYN_VAR_SET:
		return value != NULL && syn_env_is_whole(value,
		    strlen(value));
	case SYN_VAR_UNKNOWN:
		break;
	}
	return false;
}

/* In Turkish and its like i and I are not the same letter. */
bool
syn_env_turns_case(struct syn_walk *w, const char *s, size_t len)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	static const char *const languages[] = { "az", "crh", "ku", "tr",
		"tt" };
	const char *value;
	size_t i, k, value_len;

	if (memchr(s, 'i', len) == NULL && memchr(s, 'I', len) == NULL)
		return true;
	for (i = 0; i < AEG_NELEM(names); i++) {
		value = NULL;
		value_len = 0;
		if (syn_env_get(w, names[i], strlen(names[i]), &value,
		    &value_len) == SYN_VAR_UNKNOWN)
			return false;
		for (k = 0; value != NULL && k < AEG_NELEM(languages); k++)
			if (strncmp(value, languages[k],
			    strlen(languages[k])) == 0)
				return false;
	}
	return true;
}

void
syn_env_integer(struct syn_walk *w, const char *name, size_t len)
{
	struct syn_slot *slot = syn_env_slot(w, name, len);

	if (slot->integer)
		return;
	slot->integer = true;
	/* What stands in front of it in the loop may come behind it, too. */
	if (!w->first && w->env.loops > 0)
		w->again = true;
}

bool
syn_env_is_assoc(struct syn_walk *w, const char *name, size_t len)
{
	struct syn_slot *slot;

	if (w->first || !w->any_assoc)
		return false;
	slot = syn_env_beside(w, name, len, '@');
	return syn_env_certain(w, slot) && slot->set &&
	    slot->state == SYN_VAR_SET;
}

void
syn_env_assoc(struct syn_walk *w, const char *name, size_t len, bool is)
{
	struct syn_slot *slot;

	if (!is && !w->any_assoc)
		return;
	w->any_assoc = true;
	slot = syn_env_beside(w, name, len, '@');
	syn_env_set(w, slot->name, slot->len, is ? SYN_VAR_SET :
	    SYN_VAR_UNSET, "", 0);
}

/* NAME of declare with these letters: they say how its values are read. */
void
syn_env_declare(struct syn_walk *w, const struct syn_word *word, size_t len,
    const char *letters, bool local)
{
	struct syn_slot *slot = syn_env_slot(w, word->value, len);
	bool fresh = !slot->array && !slot->attributed &&
	    (!slot->tainted || slot->only_assoc) &&
	    (local || (w->env.loops == 0 && !slot->set));

	if (strpbrk(letters, "in") != NULL)
		syn_env_integer(w, word->value, len);
	slot->only_assoc = strspn(letters, "Axt") == strlen(letters) &&
	    (slot->only_assoc || !slot->tainted);
	if (strchr(letters, 'A') != NULL && fresh)
		syn_env_assoc(w, word->value, len, true);
	if (strchr(letters, 'a') != NULL)
		slot->array = true;
	syn_walk_declared(w, word, len, slot->array || slot->tainted ||
	    strchr(letters, 'A') != NULL);
}
