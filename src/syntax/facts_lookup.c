/* SPDX-License-Identifier: ISC */
/*
 * How a command's name will be looked up: by which PATH, in which working
 * directory, and whether something in front of it has moved what names
 * mean (hash -p, BASH_CMDS, enable).
 *
 * The working directory is kept among the variables, by a name that none of
 * them can have, so that it is doubted and taken back where they are.
 */
#include "facts_int.h"

static const char cwd_name[] = ".";

/* What names mean is not known any more: a builtin may be gone, a name may
 * stand for any file. */
void
syn_lookup_odd(struct syn_walk *w)
{
	if (w->first)
		return;
	w->lookup_odd = true;
	if (w->idle)
		return;
	w->again |= w->bodies && !w->lookup_odd_anywhere;
	w->lookup_odd_anywhere = true;
	if (w->env.loops > 0 && !w->lookup_odd_somewhere)
		w->again = w->lookup_odd_somewhere = true;
}

void
syn_lookup_forget_dir(struct syn_walk *w)
{
	syn_env_forget(w, cwd_name, 1);
}

/* Text that nobody knows may have been run, too: `enable` may be in it. */
static bool
is_odd(const struct syn_walk *w)
{
	return w->lookup_odd || (w->env.loops > 0 &&
	    w->lookup_odd_somewhere) || (w->lookup_odd_anywhere &&
	    syn_env_in_body(w)) || syn_env_ran_code(w);
}

/* Where a tilde stands in it bash looks in some home directory. */
static void
tell_known_path(struct syn_command *c, const char *path)
{
	bool known = strchr(path, '~') == NULL;

	c->lookup = known ? SYN_LOOKUP_PATH : SYN_LOOKUP_SOME_PATH;
	c->path = known ? path : NULL;
}

static void
tell_path(struct syn_walk *w, struct syn_command *c)
{
	struct syn_slot *slot = syn_env_slot(w, "PATH", 4);
	size_t i;

	if (is_odd(w))
		return;
	if (!syn_env_certain(w, slot) || slot->attributed) {
		c->lookup = SYN_LOOKUP_SOME_PATH;
		return;
	}
	if (!slot->set)
		c->lookup = SYN_LOOKUP_START;
	else if (slot->state == SYN_VAR_SET)
		tell_known_path(c, slot->value);
	else
		c->lookup = SYN_LOOKUP_SOME_PATH;
	/* In front of a command it counts for finding that command. */
	for (i = 0; i < c->n_assigns && c->n_words > 0; i++) {
		if (strcmp(c->assigns[i].name, "PATH") != 0)
			continue;
		c->lookup = SYN_LOOKUP_SOME_PATH;
		c->path = NULL;
		if (!c->assigns[i].value.known || c->assigns[i].append ||
		    c->assigns[i].array || c->assigns[i].subscript != NULL)
			return;
		tell_known_path(c, c->assigns[i].value.value);
	}
}

/* What it runs, runs later. */
static bool
is_trap(const struct syn_command *c)
{
	size_t i;

	for (i = 0; i < c->n_words; i++)
		if (syn_word_is(&c->words[i], "trap"))
			return true;
	return false;
}

void
syn_lookup_tell(struct syn_walk *w, struct syn_command *c)
{
	bool later = w->env.later;
	struct syn_slot *slot;

	/* It was told before its own words and assignments were looked at. */
	c->lookup = SYN_LOOKUP_UNKNOWN;
	c->dir = SYN_DIR_UNKNOWN;
	c->path = c->cwd = NULL;
	if (w->first || w->changed)
		return;
	w->env.later |= is_trap(c);
	tell_path(w, c);
	slot = syn_env_slot(w, cwd_name, 1);
	if (!syn_env_certain(w, slot)) {
		/* as it is */
	} else if (!slot->set) {
		c->dir = SYN_DIR_START;
	} else if (slot->state == SYN_VAR_SET) {
		c->dir = SYN_DIR_AT;
		c->cwd = slot->value;
	}
	w->env.later = later;
}

/* CDPATH is not for "..", "./x" and their like; for ".x" it is. */
static bool
is_explicit(const char *s)
{
	size_t dots = strspn(s, ".");

	return (dots == 1 || dots == 2) && (s[dots] == '/' ||
	    s[dots] == '\0');
}

/* Where `cd word` leads, as text; NULL: not known. */
static const char *
target(struct syn_walk *w, const struct syn_word *word)
{
	const char *value = NULL, *base = NULL;
	struct syn_slot *slot = syn_env_slot(w, cwd_name, 1);
	size_t len = 0, base_len;
	char *joined;

	/* cd -, pushd +1 */
	if (!word->known || word->may_split || word->len == 0 ||
	    strchr("-+", word->value[0]) != NULL)
		return NULL;
	if (word->value[0] == '/')
		return word->value;
	if (!is_explicit(word->value) &&
	    syn_env_get(w, "CDPATH", 6, &value, &len) != SYN_VAR_UNSET)
		return NULL;
	if (!syn_env_certain(w, slot) ||
	    (slot->set && slot->state != SYN_VAR_SET))
		return NULL;
	if (!slot->set)
		return word->value;
	base = slot->value;
	base_len = slot->value_len;
	if (!syn_spend(w, base_len + word->len))
		return NULL;
	joined = arena_alloc(w->arena, base_len + word->len + 2);
	memcpy(joined, base, base_len);
	joined[base_len] = '/';
	memcpy(joined + base_len + 1, word->value, word->len);
	return joined;
}

/* cd, pushd: words from the name on. */
void
syn_lookup_cd(struct syn_walk *w, const struct syn_word *words, size_t n)
{
	const char *to = NULL, *home = NULL;
	size_t i = 1, len = 0;

	while (i < n && (syn_word_is(&words[i], "-L") ||
	    syn_word_is(&words[i], "-e") ||
	    syn_word_is(&words[i], "--")))
		i++;
	if (i + 1 == n)
		to = target(w, &words[i]);
	else if (i == n && syn_word_is(&words[0], "cd") &&
	    syn_env_get(w, "HOME", 4, &home, &len) == SYN_VAR_SET)
		to = home;
	if (to != NULL && !w->physical)
		syn_env_set(w, cwd_name, 1, SYN_VAR_SET, to, strlen(to));
	else
		syn_lookup_forget_dir(w);
}
