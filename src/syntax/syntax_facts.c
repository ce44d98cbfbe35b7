/* SPDX-License-Identifier: ISC */
/* Facts for the judges: two walks over the tree, the second one tells. */
#include "facts_int.h"

#define WALKS_MAX 4		/* after the first one */

struct syn_found {
	struct syn_facts facts;		/* what the caller has */
	struct arena *arena;
};

void *
syn_vec_add(struct syn_walk *w, struct syn_vec *vec, size_t size)
{
	if (vec->n == vec->cap) {
		size_t cap = vec->cap > 0 ? vec->cap * 2 : 4;

		vec->v = arena_grow(w->arena, vec->v, vec->n, cap, size);
		vec->cap = cap;
	}
	return (char *)vec->v + vec->n++ * size;
}

/* One simple command and nothing else: no list, pipeline, assignment,
 * redirection, negation, substitution. */
static bool
is_only_simple(const struct syn_walk *w, const struct syn_tree *tree)
{
	const struct syn_andor *andor = tree->script.list->first;
	const struct syn_command *commands = w->commands.v;
	const struct syn_pipe *pipe;
	const struct syn_node *node;
	size_t i;

	if (andor == NULL || andor->next != NULL || andor->background ||
	    w->any_subst || w->commands.n == 0)
		return false;
	for (i = 1; i < w->commands.n; i++)
		if (commands[i].evals == 0)
			return false;
	pipe = andor->first;
	node = pipe->first;
	return pipe->next == NULL && pipe->bangs == 0 && !pipe->timed &&
	    node != NULL && node->next == NULL &&
	    node->kind == SYN_CMD_SIMPLE && node->targets == NULL &&
	    node->words != NULL && node->words->assignment == NULL;
}

/* 1 + offset of the & behind the only list there is; else 0. */
static size_t
one_in_background(const struct syn_tree *tree)
{
	const struct syn_andor *andor = tree->script.list->first;

	return andor != NULL && andor->next == NULL && andor->background &&
	    !tree->script.broken ? andor->amp + 1 : 0;
}

/* The first walk tells what loops and functions change, for what is
 * expanded or found there. */
static bool
may_look_up(const struct syn_tree *tree)
{
	return tree->len > 0 && (memchr(tree->src, '$', tree->len) != NULL ||
	    memchr(tree->src, '~', tree->len) != NULL ||
	    memchr(tree->src, '`', tree->len) != NULL ||
	    memchr(tree->src, '(', tree->len) != NULL ||
	    memchr(tree->src, '{', tree->len) != NULL ||
	    memmem(tree->src, tree->len, "do", 2) != NULL);
}

static void
walk_first(struct syn_walk *w)
{
	struct arena *arena = w->arena;

	w->first = true;
	w->arena = arena_new();
	syn_walk_script(w, &w->tree->script, 0);
	arena_free(w->arena);
	w->arena = arena;
	w->first = false;
	w->looked = true;
}

/* The words and options that the program is started with. */
static void
begin(struct syn_walk *w)
{
	if (w->vars != NULL && w->vars->odd)
		w->env.no_braces = w->keywords = true;
	if (w->vars == NULL || !w->vars->has_args)
		return;
	syn_env_arguments(w, syn_array_of(w, w->vars->args,
	    w->vars->n_args));
}

/* As before the walk, but for what it found out. */
static void
restart(struct syn_walk *w)
{
	syn_env_restart(&w->env);
	w->commands = w->functions = (struct syn_vec){ NULL, 0, 0 };
	w->pipelines = 0;
	w->changed = w->any_subst = w->lookup_odd = w->again = false;
	w->traps = false;
	w->change = w->rest_unknown = NULL;
	w->calls_used = false;
	w->spent = w->spent_values = 0;
	memset(&w->at, 0, sizeof w->at);
}

struct syn_facts *
syn_facts_new(const struct syn_tree *tree, const struct syn_vars *vars)
{
	struct arena *arena = arena_new();
	struct syn_found *found = arena_alloc(arena, sizeof *found);
	struct syn_walk w = { .arena = arena, .names = arena, .tree = tree,
	    .vars = vars };
	struct syn_facts *f = &found->facts;
	unsigned walks;

	found->arena = arena;
	if (may_look_up(tree)) {
		walk_first(&w);
		restart(&w);
	}
	begin(&w);
	syn_walk_script(&w, &tree->script, 0);
	for (walks = 1; w.again; walks++) {
		/* It cannot go on for ever. */
		if (walks == WALKS_MAX)
			w.env.hostile_somewhere = w.calls_unknown =
			    w.env.no_numbers =
			    w.env.ran_code_somewhere =
			    w.env.hostile_anywhere =
			    w.env.ran_code_anywhere = true;
		restart(&w);
		if (!w.looked) {
			walk_first(&w);
			restart(&w);
		}
		begin(&w);
		syn_walk_script(&w, &tree->script, 0);
		if (walks == WALKS_MAX)
			break;
	}
	f->commands = w.commands.v;
	f->n_commands = w.commands.n;
	f->functions = w.functions.v;
	f->n_functions = w.functions.n;
	f->reads = w.reads.v;
	f->n_reads = w.reads.n;
	f->rest_unknown = w.rest_unknown;
	f->steers_start = w.steers_start;
	f->only_simple = is_only_simple(&w, tree);
	f->background_at = one_in_background(tree);
	free(w.env.undo);
	syn_expander_free(w.spare);
	return f;
}

void
syn_facts_free(struct syn_facts *facts)
{
	if (facts != NULL)
		arena_free(((struct syn_found *)facts)->arena);
}

const struct syn_redir *
syn_text_redir(const struct syn_command *c, int fd)
{
	size_t i;

	for (i = c->n_redirs; i-- > 0;) {
		const struct syn_redir *r = &c->redirs[i];

		if (r->fd == fd && r->fd_name == NULL)
			return r->op == SYN_REDIR_HEREDOC ||
			    r->op == SYN_REDIR_HERESTRING ? r : NULL;
	}
	return NULL;
}

const struct syn_word *
syn_stdin_text(const struct syn_command *c)
{
	const struct syn_redir *redir = syn_text_redir(c, 0);

	return redir != NULL ? &redir->target : NULL;
}
