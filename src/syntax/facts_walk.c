/* SPDX-License-Identifier: ISC */
/* The walk over commands, in the order in which bash would run them. */
#include "facts_int.h"

/* ---- compound commands -------------------------------------------------- */

/* In a process of its own. */
static void
walk_apart(struct syn_walk *w, const struct syn_list *list, unsigned context)
{
	size_t mark = syn_env_mark(w), fails = w->env.fails;
	const char *change = w->change;
	unsigned saved = w->at.context;

	w->at.context |= context;
	syn_walk_list(w, list);
	w->at.context = saved;
	syn_env_undo(w, mark);
	w->env.fails = fails;
	w->change = change;
}

static void
walk_body(struct syn_walk *w, const struct syn_list *list)
{
	size_t mark = syn_env_mark(w);

	if (list == NULL)
		return;
	syn_walk_list(w, list);
	syn_env_doubt(w, mark);
}

static void
walk_test(struct syn_walk *w, const struct syn_list *list)
{
	unsigned saved = w->at.context;

	w->at.context |= SYN_IN_CONDITION;
	syn_walk_list(w, list);
	w->at.context = saved;
}

static void
walk_if(struct syn_walk *w, const struct syn_node *node)
{
	const struct syn_arm *arm;
	size_t mark = 0;

	for (arm = node->arms; arm != NULL; arm = arm->next) {
		if (arm->test != NULL)
			walk_test(w, arm->test);
		if (arm == node->arms)
			mark = syn_env_mark(w);
		walk_body(w, arm->body);
	}
	syn_env_doubt(w, mark);
}

static void
walk_case(struct syn_walk *w, const struct syn_node *node)
{
	const struct syn_arm *arm;
	size_t mark;

	syn_walk_texts(w, node->words);
	mark = syn_env_mark(w);
	for (arm = node->arms; arm != NULL; arm = arm->next) {
		syn_walk_texts(w, arm->patterns);
		walk_body(w, arm->body);
	}
	syn_env_doubt(w, mark);
}

static void
walk_arith(struct syn_walk *w, const struct syn_node *node, size_t i)
{
	unsigned saved = w->at.context;

	w->at.context |= SYN_IN_ARITH;
	syn_arith_walk(w, node->arith[i].pieces);
	w->at.context = saved;
}

/* The list of a for loop whose body is told once for each of its words;
 * NULL: for all of them at once, since the words are not known or too many. */
static const struct syn_items *
known_list(struct syn_walk *w, const struct syn_node *node, bool *ret_numbers)
{
	const struct syn_items *items;
	const struct syn_text *t;
	struct syn_vec words = { NULL, 0, 0 };
	size_t i;

	if (w->first || w->changed || node->kind != SYN_CMD_FOR)
		return NULL;
	if (node->has_in) {
		for (t = node->words; t != NULL; t = t->next)
			syn_expand(w, t->pieces, t, SYN_MODE_ARGUMENT, &words);
		*ret_numbers = true;
		for (i = 0; i < words.n && *ret_numbers; i++)
			*ret_numbers = syn_is_number(
			    &((struct syn_word *)words.v)[i]);
		items = syn_array_of(w, words.v, words.n);
	} else {
		items = syn_array_get(w, "@", 1);
	}
	if (items == NULL || items->n == 0 || items->n > SYN_ROUNDS_MAX ||
	    !syn_spend_from(&w->spent_values, items->n * node->len,
	    SYN_VALUES_FREE + SYN_VALUES_PER_BYTE * w->tree->len))
		return NULL;
	return items;
}

/* One round of a loop, or what all of them have in common. */
static void
walk_round(struct syn_walk *w, const struct syn_node *node,
    struct syn_loop *loop, const struct syn_item *item)
{
	const char *name;
	size_t len;

	syn_env_border(w);
	loop->stamp = w->env.clock;
	w->at.offset = node->offset;
	if (node->name != NULL) {
		name = syn_text_plain(node->name, &len);
		if (name == NULL)
			syn_env_hostile(w);
		else if (item != NULL)
			syn_env_set(w, name, len, SYN_VAR_SET, item->s,
			    item->len);
		else if (loop->numbers)
			syn_env_number(w, name, len);
		else
			syn_env_forget(w, name, len);
	}
	if (node->kind == SYN_CMD_SELECT)
		syn_env_forget(w, "REPLY", 5);
	if (node->kind == SYN_CMD_ARITH_FOR) {
		walk_arith(w, node, 1);
		walk_arith(w, node, 2);
	}
	if (node->test != NULL)
		walk_test(w, node->test);
	walk_body(w, node->body);
}

/* Behind a for loop that came to its end its variable is the last word,
 * unless the body gave it another value. */
static void
keep_last(struct syn_walk *w, const struct syn_node *node,
    const struct syn_items *items, bool kept)
{
	const struct syn_item *last = &items->v[items->n - 1];
	const char *name;
	size_t len;

	name = syn_text_plain(node->name, &len);
	w->at.offset = node->offset;
	if (name != NULL && kept)
		syn_env_set(w, name, len, SYN_VAR_SET, last->s, last->len);
}

/* The variable of the loop is what this round has given it. */
static bool
is_kept(struct syn_walk *w, const struct syn_node *node,
    const struct syn_item *item)
{
	const char *name, *value = NULL;
	size_t len, value_len = 0;

	name = syn_text_plain(node->name, &len);
	return name != NULL && syn_env_get(w, name, len, &value,
	    &value_len) == SYN_VAR_SET && value == item->s;
}

static void
walk_loop(struct syn_walk *w, const struct syn_node *node)
{
	struct syn_loop loop = { .first = node->offset,
	    .last = node->offset + node->len, .outer = w->env.loop };
	unsigned saved = w->at.context;
	const struct syn_items *items;
	bool kept = true;
	size_t mark, i;

	syn_walk_texts(w, node->words);
	if (node->kind == SYN_CMD_ARITH_FOR)
		walk_arith(w, node, 0);
	items = known_list(w, node, &loop.numbers);
	mark = syn_env_mark(w);
	w->env.loops++;
	w->env.loop = &loop;
	w->at.context |= SYN_IN_LOOP;
	for (i = 0; items != NULL && i < items->n; i++) {
		walk_round(w, node, &loop, &items->v[i]);
		kept = kept && is_kept(w, node, &items->v[i]);
	}
	if (items == NULL)
		walk_round(w, node, &loop, NULL);
	w->at.context = saved;
	w->env.loops--;
	w->env.loop = loop.outer;
	syn_env_doubt(w, mark);
	syn_env_border(w);
	if (items != NULL)
		keep_last(w, node, items, kept && !loop.left);
}

static void
walk_coproc(struct syn_walk *w, const struct syn_node *node)
{
	unsigned saved = w->at.context;
	const char *name, *change = w->change;
	size_t len, mark = syn_env_mark(w), fails = w->env.fails;

	w->at.context |= SYN_IN_COPROC | SYN_IN_BACKGROUND;
	syn_walk_node(w, node->inner);
	w->at.context = saved;
	syn_env_undo(w, mark);
	w->env.fails = fails;
	w->change = change;
	if (node->name == NULL)
		return;
	name = syn_text_plain(node->name, &len);
	if (name != NULL && len < 100) {
		char pid[128];

		/* Bash unsets them when the coprocess ends: any time. */
		memcpy(pid, name, len);
		memcpy(pid + len, "_PID", 4);
		syn_env_taint(w, name, len);
		syn_env_taint(w, pid, len + 4);
	} else {
		syn_walk_pieces(w, node->name->pieces);
		syn_env_hostile(w);
	}
}

static void
walk_inside(struct syn_walk *w, const struct syn_node *node)
{
	switch (node->kind) {
	case SYN_CMD_SUBSHELL:
		walk_apart(w, node->body, SYN_IN_SUBSHELL);
		break;
	case SYN_CMD_GROUP:
		syn_walk_list(w, node->body);
		break;
	case SYN_CMD_IF:
		walk_if(w, node);
		break;
	case SYN_CMD_WHILE:
	case SYN_CMD_UNTIL:
	case SYN_CMD_FOR:
	case SYN_CMD_SELECT:
	case SYN_CMD_ARITH_FOR:
		walk_loop(w, node);
		break;
	case SYN_CMD_CASE:
		walk_case(w, node);
		break;
	case SYN_CMD_COND:
		syn_walk_cond(w, node->cond);
		break;
	case SYN_CMD_ARITH:
		walk_arith(w, node, 0);
		break;
	case SYN_CMD_COPROC:
		walk_coproc(w, node);
		break;
	case SYN_CMD_SIMPLE:
	case SYN_CMD_FUNCTION:
		break;
	}
}

static void
tell_variable(struct syn_walk *w, const struct syn_node *node, size_t index)
{
	struct syn_command *c = &((struct syn_command *)w->commands.v)[index];
	const char *name;
	size_t len;

	if (node->name == NULL || (node->kind != SYN_CMD_FOR &&
	    node->kind != SYN_CMD_SELECT))
		return;
	name = syn_text_plain(node->name, &len);
	if (name != NULL)
		c->variable = arena_memdup0(w->arena, name, len);
}

void
syn_walk_node(struct syn_walk *w, const struct syn_node *node)
{
	size_t index, parent = w->at.parent, mark = syn_env_mark(w);

	if (node->kind == SYN_CMD_SIMPLE) {
		syn_tell_simple(w, node);
		return;
	}
	if (node->kind == SYN_CMD_FUNCTION) {
		syn_walk_function(w, node);
		return;
	}
	index = syn_tell(w, node, SYN_IS_COMPOUND);
	tell_variable(w, node, index);
	w->at.parent = index + 1;
	w->at.offset = node->offset;
	syn_walk_targets(w, node->targets);
	syn_tell_targets(w, node, index);
	walk_inside(w, node);
	w->at.parent = parent;
	if (syn_targets_may_fail(w, node->targets))
		syn_env_doubt(w, mark);
}

/* ---- lists -------------------------------------------------------------- */

static void
walk_pipe(struct syn_walk *w, const struct syn_pipe *pipe)
{
	struct syn_place_in saved = w->at;
	const struct syn_node *node;
	const char *change = w->change;
	size_t fails = w->env.fails;
	unsigned n = 0;

	if (pipe->bangs % 2 == 1)
		w->at.context |= SYN_NEGATED;
	for (node = pipe->first; node != NULL; node = node->next)
		n++;
	w->at.pipeline = ++w->pipelines;
	w->at.pipe_count = n;
	w->at.pipe_index = 0;
	for (node = pipe->first; node != NULL; node = node->next) {
		struct syn_place_in at = w->at;
		size_t mark = syn_env_mark(w);

		syn_walk_node(w, node);
		w->at = at;
		w->at.pipe_index++;
		if (n > 1) {
			/* The last one stays here under lastpipe. */
			syn_env_doubt(w, mark);
			w->change = change;
			if (node->next != NULL)
				w->env.fails = fails;
		}
	}
	w->at = saved;
}

static void
walk_andor(struct syn_walk *w, const struct syn_andor *andor)
{
	const struct syn_pipe *pipe;
	unsigned saved = w->at.context;
	size_t start = syn_env_mark(w), mark = start, fails = w->env.fails;
	const char *change = w->change;
	bool skipped = false;

	if (andor->background)
		w->at.context |= SYN_IN_BACKGROUND;
	for (pipe = andor->first; pipe != NULL; pipe = pipe->next) {
		unsigned context = w->at.context;

		/* Behind && all that stands before it has run, but for what
		 * stands behind || itself. */
		if (pipe->or_else || skipped) {
			syn_env_doubt(w, mark);
			mark = syn_env_mark(w);
		}
		skipped = pipe->or_else;
		if (pipe->next != NULL)
			w->at.context |= SYN_IN_CONDITION;
		walk_pipe(w, pipe);
		w->at.context = context;
		if (pipe == andor->first)
			mark = syn_env_mark(w);
	}
	syn_env_doubt(w, mark);
	w->at.context = saved;
	if (andor->background) {
		syn_env_undo(w, start);
		w->env.fails = fails;
		w->change = change;
	}
}

void
syn_walk_list(struct syn_walk *w, const struct syn_list *list)
{
	const struct syn_andor *andor;

	for (andor = list->first; andor != NULL; andor = andor->next)
		walk_andor(w, andor);
}

static void
read_differently(struct syn_walk *w, const char *change)
{
	w->changed = true;
	if (w->rest_unknown == NULL)
		w->rest_unknown = change;
}

/* The lines of a script are read one after the other. */
static void
walk_lines(struct syn_walk *w, const struct syn_script *script)
{
	const struct syn_andor *andor = script->list->first;
	size_t fails = w->env.fails;

	w->env.fails = SYN_NO_MARK;
	for (; andor != NULL; andor = andor->next) {
		walk_andor(w, andor);
		if (andor->line_end || andor->next == NULL)
			syn_env_line_end(w);
		if (!andor->line_end || w->change == NULL || w->changed ||
		    (andor->next == NULL && !script->broken))
			continue;
		read_differently(w, w->change);
	}
	w->env.fails = fails;
}

void
syn_walk_script(struct syn_walk *w, const struct syn_script *script,
    unsigned context)
{
	struct syn_place_in saved = w->at;
	const char *change = w->change;
	bool changed = w->changed;
	size_t mark = syn_env_mark(w);

	if (context != 0) {
		w->any_subst = true;
		w->at.context |= context;
		w->at.depth++;
		/* Bash reads it once more when it runs it. */
		if (change == NULL && w->env.loops > 0)
			change = w->change_somewhere;
		if (change != NULL)
			read_differently(w, change);
		change = w->change;
		w->change = NULL;
	}
	if (script->list != NULL)
		walk_lines(w, script);
	if (script->broken)
		syn_tell_broken(w, script->rest, script->rest_len,
		    SYN_WHY_UNSPECIFIED);
	if (context == 0)
		return;
	syn_env_undo(w, mark);
	w->change = change;
	w->changed = changed;
	w->at = saved;
}
