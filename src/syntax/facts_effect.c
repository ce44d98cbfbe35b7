/* SPDX-License-Identifier: ISC */
/*
 * What commands that bash runs itself do to variables, and to how it reads
 * the lines that follow.  Everything else runs in a process of its own.
 */
#include "facts_int.h"

#include <stdio.h>

void
syn_changes_reading(struct syn_walk *w, const char *name)
{
	if (w->first || w->idle)
		return;
	if (w->change == NULL)
		w->change = name;
	if (w->traps && w->rest_unknown == NULL)
		w->rest_unknown = w->change;
	if (w->env.loops > 0 && w->change_somewhere == NULL) {
		w->change_somewhere = w->change;
		w->again = true;
	}
}

static void
do_let(const struct syn_call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		syn_walk_evaluated(c->w, &c->words[i]);
}

static void
do_cd(const struct syn_call *c)
{
	size_t i;

	syn_lookup_cd(c->w, c->words, c->n);
	/* Its prefix is not in the variables that were looked at. */
	for (i = 0; i < c->command->n_assigns; i++)
		if (strcmp(c->command->assigns[i].name, "HOME") == 0 ||
		    strcmp(c->command->assigns[i].name, "CDPATH") == 0)
			syn_lookup_forget_dir(c->w);
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
	syn_changes_reading(c->w, c->words[0].value);
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
	syn_changes_reading(c->w, c->words[0].value);
}

/* compgen expands the words that it is given. */
static void
do_compgen(const struct syn_call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		if (!c->words[i].known && !c->w->first)
			syn_tell_broken(c->w, c->words[i].value,
			    c->words[i].len, SYN_WHY_UNSPECIFIED);
		else if (strpbrk(c->words[i].value, "$`") != NULL)
			syn_walk_value(c->w, c->words[i].value,
			    c->words[i].len, SYN_PLACE_DOUBLE);
	syn_calls_unknown(c->w);
	syn_env_hostile(c->w);
}

/* fc runs an editor and what that leaves, or what was run before. */
static void
do_fc(const struct syn_call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		if (c->words[i].known && c->words[i].value[0] == '-' &&
		    strchr(c->words[i].value, 'l') != NULL)
			return;
	if (!c->w->first)
		syn_tell_broken(c->w, "fc", 2, SYN_WHY_UNSPECIFIED);
	do_anything(c);
}

/* enable -n NAME, enable -f FILE NAME: what names mean. */
static void
do_enable(const struct syn_call *c)
{
	size_t i;

	/* -f loads code from a file. */
	for (i = 1; i < c->n && !c->w->first; i++)
		if (!c->words[i].known || (c->words[i].value[0] == '-' &&
		    strchr(c->words[i].value, 'f') != NULL)) {
			syn_tell_broken(c->w, c->words[i].value,
			    c->words[i].len, SYN_WHY_UNSPECIFIED);
			break;
		}
	syn_lookup_odd(c->w);
	syn_change_mode(c);
}

/* Under limits of its own even a here-document may fail. */
static void
do_ulimit(const struct syn_call *c)
{
	c->w->env.fragile = true;
	if (c->w->env.loops > 0)
		syn_env_hostile(c->w);
}

/* What a trap does may happen at any time; at the exit is no such time. */
static void
do_trap(const struct syn_call *c)
{
	size_t i = c->n > 1 && syn_word_is(&c->words[1], "--") ? 2 : 1;
	struct syn_walk *w = c->w;

	if (i >= c->n || syn_word_is(&c->words[i], "-") ||
	    syn_word_is(&c->words[i], ""))
		return;
	/* It may call a function. */
	syn_calls_unknown(w);
	w->bodies = true;
	/* What comes behind it counts for it, too. */
	w->again |= !w->first && !w->looked;
	/* Its text is read when it runs. */
	w->traps = true;
	if (w->rest_unknown == NULL)
		w->rest_unknown = w->change;
	for (i++; i < c->n; i++)
		if (!syn_word_is(&c->words[i], "EXIT") &&
		    !syn_word_is(&c->words[i], "0"))
			syn_env_hostile(c->w);
}

/* An operator of test that takes two operands, or one. */
static bool
is_operator(const struct syn_word *word)
{
	static const char *const two[] = { "!=", "<", "=", "==", ">" };
	size_t i;

	if (!word->known)
		return false;
	if (word->value[0] == '-' && word->len > 1 && word->len < 4)
		return true;
	for (i = 0; i < AEG_NELEM(two); i++)
		if (syn_word_is(word, two[i]))
			return true;
	return false;
}

/* What stands at i may turn out to be -v, and the next word a name. */
static bool
may_name(const struct syn_call *c, size_t i)
{
	const struct syn_word *word = &c->words[i], *next = word + 1;

	if (word->known)
		return false;
	if (word->may_split && !syn_is_number(word))
		return true;
	return !syn_is_number(word) && i + 1 < c->n &&
	    !syn_word_is(next, "]") && !is_operator(&c->words[i - 1]) &&
	    !is_operator(next) && (!next->known ||
	    strchr(next->value, '[') != NULL);
}

static void
do_test(const struct syn_call *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		if (syn_word_is(&c->words[i], "-v") && i + 1 < c->n)
			syn_walk_reference(c->w, &c->words[++i], false);
		else if (may_name(c, i) && !c->w->first)
			syn_tell_evaluated(c->w, c->words[i].value,
			    c->words[i].len, SYN_WHY_ARITH);
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
	{ "fc", do_fc },
	{ "getopts", syn_do_getopts }, { "hash", do_hash },
	{ "let", do_let }, { "local", syn_do_declare },
	{ "mapfile", syn_do_mapfile }, { "popd", do_popd },
	{ "printf", syn_do_printf }, { "pushd", do_cd },
	{ "read", syn_do_read }, { "readarray", syn_do_mapfile },
	{ "readonly", syn_do_declare }, { "set", syn_do_set },
	{ "shift", syn_do_shift }, { "shopt", syn_do_shopt },
	{ "source", do_anything }, { "test", do_test }, { "trap", do_trap },
	{ "typeset", syn_do_declare }, { "ulimit", do_ulimit },
	{ "unalias", do_alias },
	{ "unset", syn_do_unset }, { "wait", syn_do_wait },
};

/* A function that the shell is born with: bash exports them so. */
bool
syn_is_inherited(struct syn_walk *w, const struct syn_word *word)
{
	static const char before[] = "BASH_FUNC_", after[] = "%%";
	const char *value = NULL;
	char key[256];

	if (w->vars == NULL || word->len > sizeof key - sizeof before -
	    sizeof after)
		return false;
	memcpy(key, before, sizeof before - 1);
	memcpy(key + sizeof before - 1, word->value, word->len);
	memcpy(key + sizeof before - 1 + word->len, after, sizeof after);
	return w->vars->get(w->vars->ctx, key, &value) != SYN_VAR_UNSET;
}

bool
syn_command_asks(const struct syn_word *words, size_t n, size_t *ret_at)
{
	bool asks = false;
	size_t i;

	for (i = 1; i < n && words[i].known && words[i].len > 1 &&
	    words[i].value[0] == '-'; i++) {
		if (strcmp(words[i].value, "--") == 0) {
			i++;
			break;
		}
		asks |= strpbrk(words[i].value, "vV") != NULL ||
		    strspn(words[i].value + 1, "pvV") != words[i].len - 1;
	}
	if (ret_at != NULL)
		*ret_at = i;
	return asks;
}

/* What a builtin does, where the name means one. */
static bool
run_builtin(const struct syn_call *c)
{
	const char *name = c->words[0].value;
	size_t i;

	for (i = 0; i < AEG_NELEM(builtins); i++)
		if (builtins[i].name[0] == name[0] &&
		    strcmp(builtins[i].name, name) == 0) {
			builtins[i].effect(c);
			return true;
		}
	return false;
}

/* Skip "command" and "builtin" and their options; false: command -v, which
 * runs nothing. */
static bool
skip_prefix(struct syn_call *c)
{
	size_t at = 1;

	if (syn_word_is(c->words, "command")) {
		if (syn_command_asks(c->words, c->n, &at))
			return false;
	} else if (c->n > 1 && syn_word_is(&c->words[1], "--")) {
		at = 2;
	}
	c->words += at;
	c->n -= at;
	return c->n > 0;
}

/* Functions come before builtins, except behind "command" and "builtin". */
bool
syn_effect(struct syn_walk *w, const struct syn_command *command)
{
	struct syn_call c = { .w = w, .command = command,
	    .words = command->words, .n = command->n_words };
	size_t mark = syn_env_mark(w);
	bool called = false, found;

	if (c.n == 0)
		return false;
	if (c.words->known && syn_is_function(w, c.words->value,
	    c.words->len)) {
		enum syn_is_function now = syn_function_now(w, c.words);

		if (now != SYN_FUNCTION_NO) {
			syn_function_called(w, c.words, c.n);
			called = true;
		}
		if (now == SYN_FUNCTION_YES)
			return true;
	}
	if (!c.words->known || syn_is_inherited(w, c.words)) {
		/* It may be any of the above. */
		do_anything(&c);
		return true;
	}
	while (syn_word_is(c.words, "command") ||
	    syn_word_is(c.words, "builtin"))
		if (!skip_prefix(&c))
			return called;
	if (!c.words->known) {
		do_anything(&c);
		return true;
	}
	found = run_builtin(&c);
	/* It was the one or the other. */
	if (called)
		syn_env_doubt(w, mark);
	return found || called;
}

/* Variables that change more than themselves. */
static const struct name_effect {
	const char *name;
	enum { EFFECT_LOOKUP, EFFECT_READING, EFFECT_CALLS } effect;
} name_effects[] = {
	{ "BASH_ALIASES", EFFECT_READING }, { "BASH_CMDS", EFFECT_LOOKUP },
	{ "BASH_COMPAT", EFFECT_READING }, { "EXECIGNORE", EFFECT_LOOKUP },
	{ "FUNCNEST", EFFECT_CALLS }, { "POSIXLY_CORRECT", EFFECT_READING },
};

static const struct name_effect *
find_effect(const char *name)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(name_effects); i++)
		if (strcmp(name_effects[i].name, name) == 0)
			return &name_effects[i];
	return NULL;
}

bool
syn_has_name_effect(const char *name)
{
	return find_effect(name) != NULL;
}

void
syn_name_effect(struct syn_walk *w, const struct syn_slot *slot)
{
	const struct name_effect *found = find_effect(slot->name);

	if (found == NULL)
		return;
	switch (found->effect) {
	case EFFECT_LOOKUP:
		syn_lookup_odd(w);
		break;
	case EFFECT_READING:
		syn_changes_reading(w, found->name);
		syn_env_hostile(w);
		break;
	case EFFECT_CALLS:
		/* Bash gives up a line in which too many stand inside each
		 * other. */
		w->function_fails = true;
		syn_env_may_fail(w);
		break;
	}
}
