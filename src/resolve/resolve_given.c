/* SPDX-License-Identifier: ISC */
/*
 * What a program inside the line is started with: its environment, from the
 * assignments in front of the command, behind env, and those that the line
 * has exported; and its arguments.
 */
#include "resolve_int.h"

#include <string.h>

/* These hand their own environment on as it is. */
static const char handing_on[] = "chronic choom chrt command eatmydata env "
	"find flock git ionice ltrace nice nohup prlimit setsid stdbuf strace "
	"taskset time timeout xargs";
static const char shells[] = "bash dash rbash sh";

/* bash, /bin/bash, /usr/bin/bash: what such a name surely is. */
static bool
is_shell(const struct syn_word *name)
{
	static const char *const dirs[] = { "/usr/bin/", "/bin/" };
	struct syn_word base = *name;
	size_t i, n;

	for (i = 0; i < AEG_NELEM(dirs); i++) {
		n = strlen(dirs[i]);
		if (name->len > n && memcmp(name->value, dirs[i], n) == 0) {
			base.value += n;
			base.len -= n;
			break;
		}
	}
	return resolve_in_list(shells, &base);
}

const struct resolve_given *
resolve_give(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *name)
{
	struct syn_word word = { .value = row->name,
		.len = strlen(row->name) };
	struct resolve_given *given;

	if (!resolve_in_list(handing_on, &word) && !is_shell(name))
		return NULL;
	if (!at->own)
		return at->given;
	given = arena_alloc(w->arena, sizeof *given);
	given->command = at->command;
	given->outer = at->around;
	return given;
}

void
resolve_give_more(struct walk *w, struct spot *spot,
	struct resolve_given more)
{
	struct resolve_given *given = arena_alloc(w->arena, sizeof *given);

	*given = more;
	given->outer = spot->given;
	spot->given = given;
}

static bool
is_name_of(const struct syn_word *word, const char *name, size_t len)
{
	return word->len > len && memcmp(word->value, name, len) == 0 &&
	    word->value[len] == '=';
}

/* What the command's prefix says, else what the line has exported. */
static bool
of_command(const struct syn_command *c, const char *name,
	enum syn_var *ret, const char **ret_value)
{
	const struct syn_assign *a;
	size_t i;

	for (i = c->n_assigns; i-- > 0;) {
		a = &c->assigns[i];
		if (strcmp(a->name, name) != 0)
			continue;
		if (!a->value.known || a->append || a->array ||
		    a->subscript != NULL)
			return true;
		*ret_value = a->value.value;
		*ret = SYN_VAR_SET;
		return true;
	}
	for (i = 0; i < c->n_exports; i++)
		if (strcmp(c->exports[i].name, name) == 0) {
			*ret_value = c->exports[i].value;
			*ret = SYN_VAR_SET;
			return true;
		}
	return false;
}

/* x=… bash -c '$x': what is not given so may be there all the same. */
static enum syn_var
given_variable(void *ctx, const char *name, const char **ret_value)
{
	const struct resolve_given *g;
	size_t len = strlen(name);
	enum syn_var found = SYN_VAR_UNKNOWN;

	/* Bash looks itself where it is. */
	if (strcmp(name, "PWD") == 0)
		return SYN_VAR_UNKNOWN;
	for (g = ctx; g != NULL; g = g->outer) {
		if (g->unset != NULL && strcmp(g->unset, name) == 0)
			return SYN_VAR_UNKNOWN;
		if (g->word != NULL && is_name_of(g->word, name, len)) {
			*ret_value = g->word->value + len + 1;
			return g->word->known ? SYN_VAR_SET : SYN_VAR_UNKNOWN;
		}
		if (g->command != NULL && of_command(g->command, name, &found,
		    ret_value))
			return found;
	}
	/* Without functions there are none to inherit. */
	return strncmp(name, "BASH_FUNC_", 10) == 0 ? SYN_VAR_UNSET :
	    SYN_VAR_UNKNOWN;
}

enum syn_var
resolve_given_get(const struct resolve_given *given, const char *name,
	const char **ret_value)
{
	return given_variable((void *)given, name, ret_value);
}

enum syn_var
resolve_spot_get(const struct spot *at, const char *name,
	const char **ret_value)
{
	const struct resolve_given own = { .command = at->command };

	return resolve_given_get(at->own ? &own : at->given, name, ret_value);
}

bool
resolve_given_differs(const struct spot *at)
{
	const struct resolve_given *g;
	struct syn_word value = { .known = true };
	size_t i;

	for (i = 0; at->has_args && i < at->n_args; i++)
		if (resolve_text_differs(&at->args[i]))
			return true;
	if (at->zero != NULL && resolve_text_differs(at->zero))
		return true;
	for (g = at->given; g != NULL; g = g->outer) {
		if (g->word != NULL && resolve_text_differs(g->word))
			return true;
		for (i = 0; g->command != NULL && i < g->command->n_assigns;
		    i++)
			if (resolve_text_differs(
			    &g->command->assigns[i].value))
				return true;
		for (i = 0; g->command != NULL && i < g->command->n_exports;
		    i++) {
			value.value = g->command->exports[i].value;
			value.len = strlen(value.value);
			if (resolve_text_differs(&value))
				return true;
		}
	}
	return false;
}

/* A function of the line, or one that is inherited, may change variables. */
static bool
may_change(const struct walk *w)
{
	size_t i;

	for (i = 0; i < w->n_nests; i++)
		if (w->nests[i].n_functions > 0)
			return true;
	return w->inherits;
}

char *
resolve_home(const void *state, const char *prefix)
{
	return state_tilde(state, prefix);
}

struct syn_facts *
resolve_nested_facts(const struct walk *w, const struct spot *at,
	const struct syn_tree *tree, const struct syn_word *text)
{
	const struct syn_vars vars = { .get = given_variable,
		.ctx = may_change(w) ? NULL : (void *)at->given,
		.zero = at->zero, .args = at->args, .n_args = at->n_args,
		.has_args = at->has_args, .odd = at->odd,
		.tilde = at->by.elsewhere ? NULL : resolve_home,
		.homes = w->state, .text = text };

	return syn_facts_new(tree, &vars);
}
