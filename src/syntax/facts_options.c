/* SPDX-License-Identifier: ISC */
/*
 * set and shopt: the positional parameters, and options that change how words
 * are read and what values become.
 */
#include "facts_int.h"

#include "aegsh/base/text.h"

/* Whether braces are expanded from here on is not known. */
static void
doubt_braces(struct syn_walk *w)
{
	w->env.no_braces = true;
	if (w->env.loops > 0 || w->bodies)
		syn_env_hostile(w);
}

/* Whether a word such as a=b is handed to a command or is in its environment
 * is not known, in all of the unit. */
static void
doubt_keywords(struct syn_walk *w)
{
	w->again |= !w->keywords && !w->first;
	w->keywords = true;
}

/* Posix mode gives assignments in front of some commands another meaning. */
void
syn_change_mode(const struct syn_call *c)
{
	syn_env_hostile(c->w);
	syn_changes_reading(c->w, c->words[0].value);
}

/* Names of set -o that change neither reading nor values. */
static bool
is_plain_option(const char *name)
{
	static const char *const names[] = { "allexport", "braceexpand",
		"emacs", "errexit", "errtrace", "functrace", "hashall",
		"interactive-comments", "monitor", "noclobber", "noexec",
		"noglob", "nolog", "notify", "nounset", "onecmd", "physical",
		"pipefail", "verbose", "vi", "xtrace" };

	return TEXT_AMONG(name, names);
}

/* The others that bash has; of any further name it says that it is none. */
static bool
is_other_option(const char *name)
{
	static const char *const names[] = { "histexpand", "history",
		"ignoreeof", "keyword", "posix", "privileged", "restricted" };

	return TEXT_AMONG(name, names);
}

static bool
is_word_known(const struct syn_word *word)
{
	return word->known && !word->may_split;
}

/* Where ".." leads behind a link is the disk's, then. */
static void
set_physical(struct syn_walk *w)
{
	w->again |= !w->physical && !w->first;
	w->physical = true;
}

/* The letters of one word; *at: the word, moved over the names behind o.
 * false: bash may complain, or do what is not known. */
static bool
set_letters(const struct syn_call *c, size_t *at)
{
	const char *v = c->words[*at].value, *p;

	for (p = v + 1; *p != '\0'; p++) {
		if (strchr("abefhmnprtuvxBCEPTo", *p) == NULL)
			return false;
		if (*p == 'B')
			doubt_braces(c->w);
		if (*p == 'x')
			syn_walk_trace(c->w);
		if (*p == 'P')
			set_physical(c->w);
		/* Functions are exported. */
		if (*p == 'a')
			syn_calls_unknown(c->w);
		if (*p != 'o' || *at + 1 == c->n)
			continue;
		v = c->words[*at + 1].value;
		if (!is_word_known(&c->words[*at + 1]) || v[0] == '-' ||
		    v[0] == '+' || is_other_option(v))
			return false;
		/* It ends there, having set what stands before. */
		if (!is_plain_option(v)) {
			*at = c->n;
			return true;
		}
		if (strcmp(v, "xtrace") == 0)
			syn_walk_trace(c->w);
		if (strcmp(v, "braceexpand") == 0)
			doubt_braces(c->w);
		if (strcmp(v, "physical") == 0)
			set_physical(c->w);
		if (strcmp(v, "allexport") == 0)
			syn_calls_unknown(c->w);
		++*at;
	}
	return true;
}

/* Kept among the variables, by a name that none of them can have, so that it
 * is doubted and taken back where they are. */
static const char allexport[] = "-a";

bool
syn_all_exported(struct syn_walk *w)
{
	const char *value = NULL;
	size_t len = 0;

	return syn_env_slot(w, allexport, 2)->set && syn_env_get(w, allexport,
	    2, &value, &len) == SYN_VAR_SET;
}

/* set -a, set +a, by letter or by name: from here on, or not. */
static void
note_allexport(const struct syn_call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++) {
		const char *v = c->words[i].value;

		if ((v[0] != '-' && v[0] != '+') || v[1] == '-' ||
		    v[1] == '\0')
			return;
		if (strcmp(v, "-a") == 0 || (strcmp(v, "-o") == 0 &&
		    i + 1 < c->n && syn_word_is(&c->words[i + 1],
		    "allexport")))
			syn_env_set(c->w, allexport, 2, SYN_VAR_SET, "1", 1);
		else if (strchr(v, 'a') != NULL || strchr(v, 'o') != NULL)
			syn_env_forget(c->w, allexport, 2);
		i += strcmp(v, "-o") == 0;
	}
}

/* false: bash may complain, or do what is not known. */
static bool
set_words(const struct syn_call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++) {
		const char *v = c->words[i].value;

		if (is_word_known(&c->words[i]) && (v[0] == '\0' ||
		    strchr("-+", v[0]) == NULL)) {
			syn_positional(c, i);
			return true;
		}
		if (syn_word_is(&c->words[i], "--") ||
		    (syn_word_is(&c->words[i], "-") && i + 1 < c->n)) {
			syn_positional(c, i + 1);
			return true;
		}
		if (!is_word_known(&c->words[i]) || !set_letters(c, &i)) {
			doubt_braces(c->w);
			doubt_keywords(c->w);
			syn_walk_trace(c->w);
			syn_env_forget(c->w, "@", 1);
			syn_change_mode(c);
			return false;
		}
	}
	return true;
}

void
syn_do_set(const struct syn_call *c)
{
	if (set_words(c))
		note_allexport(c);
	else
		syn_env_forget(c->w, allexport, 2);
}

/* `shopt -q login_shell`, `shopt extglob`: it tells, and sets nothing. */
static bool
only_asks(const struct syn_call *c)
{
	size_t i;

	if (c->n < 2)
		return true;
	i = syn_word_is(&c->words[1], "-q") ||
	    syn_word_is(&c->words[1], "-p") ? 2 : 1;
	for (; i < c->n; i++)
		if (!c->words[i].known || c->words[i].may_split ||
		    c->words[i].value[0] == '-')
			return false;
	return true;
}

/* Options that change no reading, no pattern and nothing that is printed: a
 * pattern that matches nothing is not known before, either. */
static bool
is_harmless(const struct syn_call *c)
{
	static const char *const names[] = { "checkjobs", "checkwinsize",
		"cmdhist", "dotglob", "execfail", "globskipdots", "globstar",
		"histappend", "huponexit", "inherit_errexit", "lithist",
		"nocaseglob", "nullglob", "progcomp", "shift_verbose" };
	size_t i, k;

	if (c->n < 3 || (!syn_word_is(&c->words[1], "-s") &&
	    !syn_word_is(&c->words[1], "-u")))
		return false;
	for (i = 2; i < c->n; i++) {
		for (k = 0; k < AEG_NELEM(names); k++)
			if (syn_word_is(&c->words[i], names[k]))
				break;
		if (k == AEG_NELEM(names))
			return false;
	}
	return true;
}

/* shopt -o: names of set, or what may be one. */
static bool
sets_options(const struct syn_call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		if (!is_word_known(&c->words[i]) ||
		    (c->words[i].value[0] == '-' &&
		    strchr(c->words[i].value, 'o') != NULL))
			return true;
	return false;
}

/* extglob, nocasematch, patsub_replacement, xpg_echo, compat31, …: how what
 * follows is read, matched, replaced and written. */
void
syn_do_shopt(const struct syn_call *c)
{
	if (only_asks(c) || is_harmless(c))
		return;
	doubt_braces(c->w);
	if (sets_options(c))
		doubt_keywords(c->w);
	syn_change_mode(c);
}
