/* SPDX-License-Identifier: ISC */
/*
 * What commands that bash runs itself do to variables, and to how it reads
 * the lines that follow.  Everything else runs in a process of its own.
 */
#include "facts_int.h"

#include <stdio.h>

struct call {
	struct syn_walk *w;
	const struct syn_word *words;	/* from the name on */
	size_t n;
};

static bool
is(const struct syn_word *word, const char *s)
{
	return word->known && strcmp(word->value, s) == 0;
}

static void
changes_reading(struct syn_walk *w, const struct syn_word *name)
{
	if (w->change == NULL)
		w->change = name->value;
	if (w->first)
		w->change_somewhere = w->change;
}

/* NAME or NAME[…] or NAME=…; false when it is not known which. */
static bool
name_of(const struct syn_word *word, const char **ret_name, size_t *ret_len)
{
	size_t i = 0;

	if (!word->known) {
		/* "x=$(y)" still says its name. */
		if (word->n_parts == 0 || !word->parts[0].known)
			return false;
		i = strcspn(word->parts[0].text, "=");
		if (i == word->parts[0].len || i == 0)
			return false;
		i = 0;
	}
	while (syn_is((unsigned char)word->value[i], SYN_CH_NAME))
		i++;
	*ret_name = word->value;
	*ret_len = i;
	return i > 0;
}

/* Text in subscripts of names is evaluated when the builtin uses them. */
static void
walk_subscript(struct syn_walk *w, const struct syn_word *word)
{
	if (word->known && strchr(word->value, '[') != NULL &&
	    strpbrk(word->value, "$`") != NULL)
		syn_walk_value(w, word->value, word->len, SYN_PLACE_ARITH);
}

/* Known words that are no name are something else: options' arguments. */
static void
forget_word(struct syn_walk *w, const struct syn_word *word)
{
	const char *name;
	size_t len;

	walk_subscript(w, word);
	if (name_of(word, &name, &len))
		syn_env_forget(w, name, len);
	else if (!word->known)
		syn_env_hostile(w);
}

/* read, mapfile, unset …: every word that is no option may be a name. */
static void
do_names(const struct call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		if (!c->words[i].known || c->words[i].value[0] != '-')
			forget_word(c->w, &c->words[i]);
}

/* mapfile -C runs its argument for every so many lines. */
static void
do_mapfile(const struct call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		if (c->words[i].known && c->words[i].value[0] == '-' &&
		    strchr(c->words[i].value, 'C') != NULL)
			syn_env_hostile(c->w);
	do_names(c);
}

/* Only the second word of getopts is a name. */
static void
do_getopts(const struct call *c)
{
	size_t at = c->n > 1 && is(&c->words[1], "--") ? 3 : 2;

	if (c->n > 1 && c->words[1].may_split)
		syn_env_hostile(c->w);
	if (c->n > at)
		forget_word(c->w, &c->words[at]);
}

static void
do_wait(const struct call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++) {
		if (c->words[i].known &&
		    strncmp(c->words[i].value, "-p", 2) == 0)
			do_names(c);
		if (!c->words[i].known && i == 1 && c->n > 2)
			syn_env_hostile(c->w);
	}
}

static void
do_printf(const struct call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++) {
		if (!c->words[i].known) {
			/* Could be "-v". */
			if (i == 1)
				syn_env_hostile(c->w);
			return;
		}
		if (is(&c->words[i], "-v") && i + 1 < c->n) {
			forget_word(c->w, &c->words[i + 1]);
			return;
		}
		if (strncmp(c->words[i].value, "-v", 2) == 0) {
			struct syn_word name = c->words[i];

			name.value += 2;
			forget_word(c->w, &name);
			return;
		}
		if (c->words[i].value[0] != '-')
			return;
	}
}

/* declare, local, readonly: attributes. */
static void
do_declare(const struct call *c)
{
	const char *name;
	size_t i, len;

	for (i = 1; i < c->n; i++) {
		const struct syn_word *word = &c->words[i];

		walk_subscript(c->w, word);
		if (name_of(word, &name, &len))
			syn_env_taint(c->w, name, len);
		else if (!word->known ||
		    /* A reference: to assign to it is to assign to what
		     * nobody knows. */
		    (word->value[0] == '-' && strchr(word->value, 'n') != NULL))
			syn_env_hostile(c->w);
	}
}

/* export NAME=value is a plain assignment. */
static void
do_export(const struct call *c)
{
	size_t i, len;
	const char *name, *equals;

	for (i = 1; i < c->n; i++) {
		const struct syn_word *word = &c->words[i];

		if (word->known && word->value[0] == '-')
			continue;
		walk_subscript(c->w, word);
		if (!name_of(word, &name, &len)) {
			syn_env_hostile(c->w);
			continue;
		}
		equals = strchr(word->value, '=');
		if (equals == NULL)
			continue;
		syn_name_effect(c->w, name, len);
		if (word->known && equals == name + len)
			syn_env_set(c->w, name, len, SYN_VAR_SET, equals + 1,
			    word->len - len - 1);
		else
			syn_env_forget(c->w, name, len);
	}
}

static void
do_let(const struct call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		if (c->words[i].known)
			syn_walk_value(c->w, c->words[i].value,
			    c->words[i].len, SYN_PLACE_ARITH);
}

static void
do_cd(const struct call *c)
{
	syn_lookup_cd(c->w, c->words, c->n);
	syn_env_forget(c->w, "PWD", 3);
	syn_env_forget(c->w, "OLDPWD", 6);
}

static void
do_popd(const struct call *c)
{
	syn_lookup_forget_dir(c->w);
	syn_env_forget(c->w, "PWD", 3);
	syn_env_forget(c->w, "OLDPWD", 6);
}

/* hash -p FILE NAME: NAME is FILE from now on. */
static void
do_hash(const struct call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		if (!c->words[i].known || (c->words[i].value[0] == '-' &&
		    strchr(c->words[i].value, 'p') != NULL))
			syn_lookup_odd(c->w);
}

static void
do_eval(const struct call *c)
{
	syn_env_hostile(c->w);
	changes_reading(c->w, &c->words[0]);
}

static void
do_alias(const struct call *c)
{
	changes_reading(c->w, &c->words[0]);
}

/* compgen expands the words that it is given. */
static void
do_compgen(const struct call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		if (strpbrk(c->words[i].value, "$`") != NULL)
			syn_walk_value(c->w, c->words[i].value,
			    c->words[i].len, SYN_PLACE_DOUBLE);
	syn_env_hostile(c->w);
}

/* Posix mode gives assignments in front of some commands another meaning. */
static void
change_mode(const struct call *c)
{
	syn_env_hostile(c->w);
	changes_reading(c->w, &c->words[0]);
}

/* enable -n NAME, enable -f FILE NAME: what names mean. */
static void
do_enable(const struct call *c)
{
	syn_lookup_odd(c->w);
	change_mode(c);
}

static void
do_set(const struct call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++) {
		const char *v = c->words[i].value;

		if (!c->words[i].known || (i + 1 == c->n &&
		    c->words[i].may_split)) {
			c->w->env.no_braces = true;
			change_mode(c);
			return;
		}
		if (strcmp(v, "--") == 0 || (v[0] != '-' && v[0] != '+'))
			return;
		if (strpbrk(v + 1, "Bk") != NULL)
			c->w->env.no_braces = true;
		if (strchr(v + 1, 'k') != NULL)
			change_mode(c);
		if (strchr(v + 1, 'o') == NULL || ++i == c->n)
			continue;
		v = c->words[i].value;
		if (!c->words[i].known || strcmp(v, "posix") == 0 ||
		    strcmp(v, "keyword") == 0)
			change_mode(c);
		if (!c->words[i].known || strcmp(v, "braceexpand") == 0)
			c->w->env.no_braces = true;
	}
}

static void
do_shopt(const struct call *c)
{
	size_t i;

	changes_reading(c->w, &c->words[0]);
	for (i = 1; i < c->n; i++) {
		const char *v = c->words[i].value;

		if (!c->words[i].known || strcmp(v, "posix") == 0 ||
		    (v[0] == '-' && strchr(v, 'o') != NULL)) {
			c->w->env.no_braces = true;
			syn_env_hostile(c->w);
		}
	}
}

/* What a trap does may happen at any time; at the exit is no such time. */
static void
do_trap(const struct call *c)
{
	size_t i;

	for (i = 2; i < c->n; i++)
		if (!is(&c->words[i], "EXIT") && !is(&c->words[i], "0") &&
		    !is(&c->words[1], "-") && !is(&c->words[1], ""))
			syn_env_hostile(c->w);
}

static void
do_test(const struct call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		walk_subscript(c->w, &c->words[i]);
}

static const struct builtin {
	const char *name;
	void (*effect)(const struct call *c);
} builtins[] = {
	{ ".", do_eval }, { "[", do_test }, { "alias", do_alias },
	{ "cd", do_cd }, { "compgen", do_compgen }, { "declare", do_declare },
	{ "enable", do_enable }, { "eval", do_eval },
	{ "export", do_export }, { "getopts", do_getopts },
	{ "hash", do_hash },
	{ "let", do_let }, { "local", do_declare },
	{ "mapfile", do_mapfile }, { "popd", do_popd },
	{ "printf", do_printf }, { "pushd", do_cd }, { "read", do_names },
	{ "readarray", do_mapfile }, { "readonly", do_declare },
	{ "set", do_set }, { "shopt", do_shopt }, { "source", do_eval },
	{ "test", do_test }, { "trap", do_trap }, { "typeset", do_declare },
	{ "unalias", do_alias }, { "unset", do_names }, { "wait", do_wait },
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
skip_prefix(struct call *c)
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
syn_effect(struct syn_walk *w, const struct syn_word *words, size_t n_words)
{
	struct call c = { .w = w, .words = words, .n = n_words };
	size_t i;

	if (!skip_prefix(&c))
		return false;
	if (!c.words->known || is_inherited(w, c.words->value)) {
		/* It may be any of the below. */
		do_eval(&c);
		return true;
	}
	if (syn_is_function(w, c.words->value, c.words->len)) {
		syn_env_border(w);
		if (w->function_change != NULL && w->change == NULL)
			w->change = w->function_change;
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
		if (w->change == NULL)
			w->change = names[i];
		syn_env_hostile(w);
	}
}
