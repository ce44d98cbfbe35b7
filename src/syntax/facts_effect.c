/* SPDX-License-Identifier: ISC */
/*
 * What commands that bash runs itself do to variables, and to how it reads
 * the lines that follow.  Everything else runs in a process of its own.
 */
#include "facts_int.h"

#include <stdio.h>

static bool
is(const struct syn_word *word, const char *s)
{
	return word->known && strcmp(word->value, s) == 0;
}

static void
changes_reading(struct syn_walk *w, const char *name)
{
	if (w->first || w->idle)
		return;
	if (w->change == NULL)
		w->change = name;
	if (w->env.loops > 0 && w->change_somewhere == NULL) {
		w->change_somewhere = w->change;
		w->again = true;
	}
}

/* Whether braces are expanded from here on is not known. */
static void
doubt_braces(struct syn_walk *w)
{
	w->env.no_braces = true;
	if (w->env.loops > 0)
		syn_env_hostile(w);
}

static void
do_let(const struct syn_call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		if (c->words[i].known)
			syn_walk_value(c->w, c->words[i].value,
			    c->words[i].len, SYN_PLACE_ARITH);
}

static void
do_cd(const struct syn_call *c)
{
	syn_lookup_cd(c->w, c->words, c->n);
	syn_env_forget(c->w, "PWD", 3);
	syn_env_forget(c->w, "OLDPWD", 6);
}

static void
do_popd(const struct syn_call *c)
{
	syn_lookup_forget_dir(c->w);
	syn_env_forget(c->w, "PWD", 3);
	syn_env_forget(c->w, "OLDPWD", 6);
}

/* hash -p FILE NAME: NAME is FILE from now on. */
static void
do_hash(const struct syn_call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		if (!c->words[i].known || (c->words[i].value[0] == '-' &&
		    strchr(c->words[i].value, 'p') != NULL))
			syn_lookup_odd(c->w);
}

/* Anything: a script, a command that is not known. */
static void
do_anything(const struct syn_call *c)
{
	syn_calls_unknown(c->w);
	syn_env_hostile(c->w);
	changes_reading(c->w, c->words[0].value);
}

static void
do_eval(const struct syn_call *c)
{
	if (!syn_eval(c))
		do_anything(c);
}

/* The loop that is left may be any of those around. */
static void
do_break(const struct syn_call *c)
{
	struct syn_loop *loop;

	for (loop = c->w->env.loop; loop != NULL; loop = loop->outer)
		loop->left = true;
}

static void
do_alias(const struct syn_call *c)
{
	changes_reading(c->w, c->words[0].value);
}

/* compgen expands the words that it is given. */
static void
do_compgen(const struct syn_call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		if (strpbrk(c->words[i].value, "$`") != NULL)
			syn_walk_value(c->w, c->words[i].value,
			    c->words[i].len, SYN_PLACE_DOUBLE);
	syn_calls_unknown(c->w);
	syn_env_hostile(c->w);
}

/* Posix mode gives assignments in front of some commands another meaning. */
static void
change_mode(const struct syn_call *c)
{
	syn_env_hostile(c->w);
	changes_reading(c->w, c->words[0].value);
}

/* enable -n NAME, enable -f FILE NAME: what names mean. */
static void
do_enable(const struct syn_call *c)
{
	syn_lookup_odd(c->w);
	change_mode(c);
}

static void
do_set(const struct syn_call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++) {
		const char *v = c->words[i].value;

		if (!c->words[i].known || (i + 1 == c->n &&
		    c->words[i].may_split)) {
			doubt_braces(c->w);
			change_mode(c);
			return;
		}
		if (strcmp(v, "--") == 0 || (v[0] != '-' && v[0] != '+')) {
			syn_positional(c, i + (v[0] == '-'));
			return;
		}
		if (strpbrk(v + 1, "Bk") != NULL)
			doubt_braces(c->w);
		/* Functions are exported. */
		if (strchr(v + 1, 'a') != NULL)
			syn_calls_unknown(c->w);
		if (strchr(v + 1, 'k') != NULL)
			change_mode(c);
		if (strchr(v + 1, 'o') == NULL || ++i == c->n)
			continue;
		v = c->words[i].value;
		if (!c->words[i].known || strcmp(v, "posix") == 0 ||
		    strcmp(v, "keyword") == 0)
			change_mode(c);
		if (!c->words[i].known || strcmp(v, "braceexpand") == 0)
			doubt_braces(c->w);
		if (!c->words[i].known || strcmp(v, "allexport") == 0)
			syn_calls_unknown(c->w);
	}
}

/* `shopt -q login_shell`, `shopt -p`: it tells, and sets nothing. */
static bool
only_asks(const struct syn_call *c)
{
	size_t i;

	if (c->n < 2 || (!is(&c->words[1], "-q") && !is(&c->words[1], "-p")))
		return false;
	for (i = 2; i < c->n; i++)
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
		"cmdhist", "execfail", "failglob", "histappend", "huponexit",
		"inherit_errexit", "lithist", "nullglob", "progcomp",
		"shift_verbose" };
	size_t i, k;

	if (c->n < 3 || (!is(&c->words[1], "-s") && !is(&c->words[1], "-u")))
		return false;
	for (i = 2; i < c->n; i++) {
		for (k = 0; k < AEG_NELEM(names); k++)
			if (is(&c->words[i], names[k]))
				break;
		if (k == AEG_NELEM(names))
			return false;
	}
	return true;
}

static void
do_shopt(const struct syn_call *c)
{
	size_t i;

	if (only_asks(c) || is_harmless(c))
		return;
	changes_reading(c->w, c->words[0].value);
	for (i = 1; i < c->n; i++) {
		const char *v = c->words[i].value;

		if (!c->words[i].known || strcmp(v, "posix") == 0 ||
		    (v[0] == '-' && strchr(v, 'o') != NULL)) {
			doubt_braces(c->w);
			syn_env_hostile(c->w);
		}
	}
}

/* What a trap does may happen at any time; at the exit is no such time. */
static void
do_trap(const struct syn_call *c)
{
	size_t i;

	/* It may call a function. */
	if (c->n > 1 && !is(&c->words[1], "-") && !is(&c->words[1], ""))
		syn_calls_unknown(c->w);
	for (i = 2; i < c->n; i++)
		if (!is(&c->words[i], "EXIT") && !is(&c->words[i], "0") &&
		    !is(&c->words[1], "-") && !is(&c->words[1], ""))
			syn_env_hostile(c->w);
}

static void
do_test(const struct syn_call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		syn_walk_subscript(c->w, &c->words[i]);
}

static const struct builtin {
	const char *name;
	void (*effect)(const struct syn_call *c);
} builtins[] = {
	{ ".", do_anything }, { "[", do_test }, { "alias", do_alias },
	{ "break", do_break }, { "cd", do_cd }, { "compgen", do_compgen },
	{ "continue", do_break },
	{ "declare", syn_do_declare }, { "enable", do_enable },
	{ "eval", do_eval }, { "export", syn_do_export },
	{ "getopts", syn_do_getopts }, { "hash", do_hash },
	{ "let", do_let }, { "local", syn_do_declare },
	{ "mapfile", syn_do_mapfile }, { "popd", do_popd },
	{ "printf", syn_do_printf }, { "pushd", do_cd },
	{ "read", syn_do_read }, { "readarray", syn_do_mapfile },
	{ "readonly", syn_do_declare }, { "set", do_set },
	{ "shift", syn_do_shift }, { "shopt", do_shopt },
	{ "source", do_anything }, { "test", do_test }, { "trap", do_trap },
	{ "typeset", syn_do_declare }, { "unalias", do_alias },
	{ "unset", syn_do_unset }, { "wait", syn_do_wait },
};

/* Defined anywhere in the unit, or inherited: bash exports functions so. */
static bool
is_inherited(struct syn_walk *w, const char *name)
{
	char key[256];
	const char *value = NULL;
	int n = snprintf(key, sizeof key, "BASH_FUNC_%s%%%%", name);

	return w->vars != NULL && n > 0 && (size_t)n < sizeof key &&
	    w->vars->get(w->vars->ctx, key, &value) != SYN_VAR_UNSET;
}

/* Skip "command" and "builtin" and their options; false: command -v, which
 * runs nothing. */
static bool
skip_prefix(struct syn_call *c)
{
	while (c->n > 0 && (is(c->words, "command") ||
	    is(c->words, "builtin"))) {
		do {
			c->words++;
			c->n--;
			if (c->n > 0 && (is(c->words, "-v") ||
			    is(c->words, "-V")))
				return false;
		} while (c->n > 0 && c->words->known &&
		    c->words->value[0] == '-');
	}
	return c->n > 0;
}

bool
syn_effect(struct syn_walk *w, const struct syn_command *command)
{
	struct syn_call c = { .w = w, .command = command,
	    .words = command->words, .n = command->n_words };
	size_t i;

	if (!skip_prefix(&c))
		return false;
	if (!c.words->known || is_inherited(w, c.words->value)) {
		/* It may be any of the below. */
		do_anything(&c);
		return true;
	}
	if (syn_is_function(w, c.words->value, c.words->len)) {
		syn_function_called(w, c.words, c.n);
		return true;
	}
	for (i = 0; i < AEG_NELEM(builtins); i++)
		if (builtins[i].name[0] == c.words->value[0] &&
		    strcmp(builtins[i].name, c.words->value) == 0) {
			builtins[i].effect(&c);
			return true;
		}
	return false;
}

void
syn_name_effect(struct syn_walk *w, const char *name, size_t len)
{
	static const char *const names[] = {
		"BASH_ALIASES", "BASH_COMPAT", "POSIXLY_CORRECT",
	};
	size_t i;

	if (len == 9 && memcmp(name, "BASH_CMDS", 9) == 0)
		syn_lookup_odd(w);
	for (i = 0; i < AEG_NELEM(names); i++) {
		if (strncmp(names[i], name, len) != 0 || names[i][len] != '\0')
			continue;
		changes_reading(w, names[i]);
		syn_env_hostile(w);
	}
}
