/* SPDX-License-Identifier: ISC */
/* The walk over commands, in the order in which bash would run them. */
#include "facts_int.h"

static void walk_node(struct syn_walk *w, const struct syn_node *node);

/* ---- functions ---------------------------------------------------------- */

/* Kept among the variables, by a name that none of them can have. */
static struct syn_slot *
function_slot(struct syn_walk *w, const char *name, size_t len)
{
	char small[128];
	char *key = len + 2 <= sizeof small ? small :
	    arena_alloc(w->arena, len + 2);

	memcpy(key, name, len);
	memcpy(key + len, "()", 2);
	return syn_env_slot(w, key, len + 2);
}

bool
syn_is_function(struct syn_walk *w, const char *name, size_t len)
{
	if (w->functions.n == 0 && !w->any_function)
		return false;
	return function_slot(w, name, len)->anywhere;
}

static void
walk_function(struct syn_walk *w, const struct syn_node *node)
{
	struct syn_env *env = &w->env;
	struct syn_place_in saved = w->at;
	const char *change = w->change;
	size_t stamp = env->function_stamp, loop = env->loop_stamp, mark;
	struct syn_function *f;
	struct syn_word name;

	syn_expand_one(w, node->name->pieces, node->name->src,
	    node->name->src_len, node->name->offset, SYN_MODE_BODY, &name);
	f = syn_vec_add(w, &w->functions, sizeof *f);
	f->name = name.value;
	f->offset = node->offset;
	function_slot(w, name.value, name.len)->anywhere = true;
	w->any_function = true;
	w->at.context |= SYN_IN_FUNCTION;
	w->at.function = name.value;
	syn_env_border(w);
	env->function_stamp = env->clock;
	env->loops++;
	mark = syn_env_mark(w);
	walk_node(w, node->inner);
	syn_env_undo(w, mark);
	env->loops--;
	/* To define it changes nothing. */
	env->function_stamp = stamp;
	env->loop_stamp = loop;
	if (w->change != change)
		w->function_change = w->change;
	w->change = change;
	w->at = saved;
}

/* ---- compound commands -------------------------------------------------- */

/* In a process of its own. */
static void
walk_apart(struct syn_walk *w, const struct syn_list *list, unsigned context)
{
	size_t mark = syn_env_mark(w);
	const char *change = w->change;
	unsigned saved = w->at.context;

	w->at.context |= context;
	syn_walk_list(w, list);
	w->at.context = saved;
	syn_env_undo(w, mark);
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

static void
walk_loop(struct syn_walk *w, const struct syn_node *node)
{
	unsigned saved = w->at.context;
	size_t mark, len;
	const char *name;

	syn_walk_texts(w, node->words);
	if (node->kind == SYN_CMD_ARITH_FOR)
		walk_arith(w, node, 0);
	mark = syn_env_mark(w);
	w->env.loops++;
	syn_env_border(w);
	w->at.context |= SYN_IN_LOOP;
	if (node->name != NULL) {
		name = syn_text_plain(node->name, &len);
		if (name != NULL)
			syn_env_forget(w, name, len);
		else
			syn_env_hostile(w);
	}
	if (node->kind == SYN_CMD_ARITH_FOR) {
		walk_arith(w, node, 1);
		walk_arith(w, node, 2);
	}
	if (node->test != NULL)
		walk_test(w, node->test);
	walk_body(w, node->body);
	w->at.context = saved;
	w->env.loops--;
	syn_env_doubt(w, mark);
	syn_env_border(w);
}

static void
walk_coproc(struct syn_walk *w, const struct syn_node *node)
{
	unsigned saved = w->at.context;
	const char *name, *change = w->change;
	size_t len, mark = syn_env_mark(w);

	w->at.context |= SYN_IN_COPROC | SYN_IN_BACKGROUND;
	walk_node(w, node->inner);
	w->at.context = saved;
	syn_env_undo(w, mark);
	w->change = change;
	if (node->name == NULL)
		return;
	name = syn_text_plain(node->name, &len);
	if (name != NULL && len < 100) {
		char pid[128];

		memcpy(pid, name, len);
		memcpy(pid + len, "_PID", 4);
		syn_env_forget(w, name, len);
		syn_env_forget(w, pid, len + 4);
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
walk_node(struct syn_walk *w, const struct syn_node *node)
{
	size_t index, parent = w->at.parent;

	if (node->kind == SYN_CMD_SIMPLE) {
		syn_tell_simple(w, node);
		return;
	}
	if (node->kind == SYN_CMD_FUNCTION) {
		walk_function(w, node);
		return;
	}
	index = syn_tell(w, node, SYN_IS_COMPOUND);
	w->at.parent = index + 1;
	w->at.offset = node->offset;
	syn_walk_targets(w, node->targets);
	syn_tell_targets(w, node, index);
	walk_inside(w, node);
	w->at.parent = parent;
}

/* ---- lists -------------------------------------------------------------- */

static void
walk_pipe(struct syn_walk *w, const struct syn_pipe *pipe)
{
	struct syn_place_in saved = w->at;
	const struct syn_node *node;
	const char *change = w->change;
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

		walk_node(w, node);
		w->at = at;
		w->at.pipe_index++;
		if (n > 1) {
			/* The last one stays here under lastpipe. */
			syn_env_doubt(w, mark);
			w->change = change;
		}
	}
	w->at = saved;
}

static void
walk_andor(struct syn_walk *w, const struct syn_andor *andor)
{
	const struct syn_pipe *pipe;
	unsigned saved = w->at.context;
	size_t start = syn_env_mark(w), mark = start;
	const char *change = w->change;

	if (andor->background)
		w->at.context |= SYN_IN_BACKGROUND;
	for (pipe = andor->first; pipe != NULL; pipe = pipe->next) {
		unsigned context = w->at.context;

		/* Behind && all that stands before it has run. */
		if (pipe->or_else) {
			syn_env_doubt(w, mark);
			mark = syn_env_mark(w);
		}
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

	for (; andor != NULL; andor = andor->next) {
		walk_andor(w, andor);
		if (!andor->line_end || w->change == NULL || w->changed ||
		    (andor->next == NULL && !script->broken))
			continue;
		read_differently(w, w->change);
	}
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
