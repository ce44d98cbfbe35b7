/* SPDX-License-Identifier: ISC */
/* Functions of the unit: which there are, when, and with what they are
 * called. */
#include "facts_int.h"

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

static void
set_function(struct syn_walk *w, const char *name, size_t len,
    enum syn_var state)
{
	struct syn_slot *slot = function_slot(w, name, len);

	syn_env_set(w, slot->name, slot->len, state, NULL, 0);
}

void
syn_function_unset(struct syn_walk *w, const char *name, size_t len,
    bool surely)
{
	set_function(w, name, len, surely ? SYN_VAR_UNSET : SYN_VAR_UNKNOWN);
}

enum syn_is_function
syn_function_now(struct syn_walk *w, const struct syn_word *word)
{
	struct syn_slot *slot;

	if (!word->known || w->first)
		return SYN_FUNCTION_MAYBE;
	if (!syn_is_function(w, word->value, word->len))
		return SYN_FUNCTION_NO;
	slot = function_slot(w, word->value, word->len);
	if (!syn_env_certain(w, slot) ||
	    (slot->set && slot->state == SYN_VAR_UNKNOWN))
		return SYN_FUNCTION_MAYBE;
	return slot->set && slot->state == SYN_VAR_SET ? SYN_FUNCTION_YES :
	    SYN_FUNCTION_NO;
}

bool
syn_is_function(struct syn_walk *w, const char *name, size_t len)
{
	if (w->functions.n == 0 && !w->any_function)
		return false;
	return function_slot(w, name, len)->anywhere;
}

/* ---- their arguments ---------------------------------------------------- */

void
syn_calls_unknown(struct syn_walk *w)
{
	if (w->first || w->calls_unknown || w->idle)
		return;
	w->calls_unknown = true;
	w->again |= w->calls_used;
}

/* Without any of these a body cannot look at its arguments. */
static bool
may_use_arguments(const struct syn_node *node)
{
	return memchr(node->src, '$', node->len) != NULL ||
	    memmem(node->src, node->len, "for", 3) != NULL ||
	    memchr(node->src, '`', node->len) != NULL;
}

/* Bash calls it itself. */
static bool
is_called_by_bash(const struct syn_word *name)
{
	return strcmp(name->value, "command_not_found_handle") == 0;
}

static bool
same_items(const struct syn_items *a, const struct syn_items *b)
{
	size_t i;

	if (a->n != b->n)
		return false;
	for (i = 0; i < a->n; i++)
		if (a->v[i].len != b->v[i].len ||
		    memcmp(a->v[i].s, b->v[i].s, a->v[i].len) != 0)
			return false;
	return true;
}

/* words: from the name on. */
static void
note_call(struct syn_walk *w, const struct syn_word *words, size_t n)
{
	struct syn_slot *slot = function_slot(w, words->value, words->len);
	const struct syn_items *items;
	struct syn_calls *calls = slot->calls;
	size_t i;

	if (w->first || w->calls_unknown || w->idle || !slot->wants)
		return;
	if (calls == NULL)
		calls = slot->calls = arena_alloc(w->names, sizeof *calls);
	if (calls->unknown)
		return;
	items = syn_array_of(w, words + 1, n - 1);
	for (i = 0; items != NULL && i < calls->n; i++)
		if (same_items(calls->v[i], items))
			return;
	if (items == NULL || calls->n == SYN_CALLS_MAX) {
		calls->unknown = true;
		w->again |= calls->used;
		return;
	}
	calls->v[calls->n++] = items;
	w->again = true;
}

/* The calls for each of which a body is told; NULL: once for any.  Where
 * none was found so far, the body is told, but does nothing: when one is
 * found, all is walked again. */
static const struct syn_calls *
known_calls(struct syn_walk *w, const struct syn_node *node,
    const struct syn_word *name)
{
	struct syn_slot *slot = function_slot(w, name->value, name->len);
	struct syn_calls *calls = slot->calls;

	slot->wants |= may_use_arguments(node);
	if (w->first || w->calls_unknown || w->changed || !slot->wants ||
	    is_called_by_bash(name))
		return NULL;
	if (calls == NULL)
		calls = slot->calls = arena_alloc(w->names, sizeof *calls);
	if (calls->unknown || !syn_spend_from(&w->spent_values,
	    calls->n * node->len, SYN_VALUES_FREE + SYN_VALUES_PER_BYTE *
	    w->tree->len))
		return NULL;
	calls->used = w->calls_used = true;
	w->idle |= calls->n == 0;
	return calls->n > 0 ? calls : NULL;
}

static void
walk_call(struct syn_walk *w, const struct syn_node *node,
    const struct syn_items *arguments)
{
	size_t mark;

	syn_env_border(w);
	w->env.function_stamp = w->env.clock;
	mark = syn_env_mark(w);
	syn_env_arguments(w, arguments);
	syn_walk_node(w, node->inner);
	syn_env_undo(w, mark);
}

void
syn_walk_function(struct syn_walk *w, const struct syn_node *node)
{
	struct syn_env *env = &w->env;
	struct syn_place_in saved = w->at;
	const char *change = w->change;
	size_t stamp = env->function_stamp, loop = env->loop_stamp, i;
	bool hostile = env->hostile, code = env->ran_code;
	bool odd = w->lookup_odd, idle = w->idle;
	size_t fails = env->fails;
	const struct syn_calls *calls;
	struct syn_function *f;
	struct syn_word name;

	w->at.offset = node->offset;
	syn_expand_one(w, node->name->pieces, node->name->src,
	    node->name->src_len, node->name->offset, SYN_MODE_BODY, &name);
	f = syn_vec_add(w, &w->functions, sizeof *f);
	f->name = name.value;
	f->offset = node->offset;
	set_function(w, name.value, name.len, SYN_VAR_SET);
	w->any_function = w->bodies = true;
	w->at.context |= SYN_IN_FUNCTION;
	w->at.function = name.value;
	env->loops++;
	env->fails = SYN_NO_MARK;
	calls = known_calls(w, node, &name);
	for (i = 0; i < (calls != NULL ? calls->n : 1); i++)
		walk_call(w, node, calls != NULL ? calls->v[i] : NULL);
	env->loops--;
	env->function_stamp = stamp;
	env->loop_stamp = loop;
	/* To define it changes nothing, to call it may. */
	if (!w->idle) {
		if (w->change != change)
			w->function_change = w->change;
		w->function_hostile |= env->hostile;
		w->function_code |= env->ran_code;
		w->function_odd |= w->lookup_odd;
		w->function_fails |= env->fails != SYN_NO_MARK;
	}
	env->fails = fails;
	w->change = change;
	env->hostile = hostile;
	env->ran_code = code;
	w->lookup_odd = odd;
	w->idle = idle;
	w->at = saved;
}

/* Any of the functions is called; words: from its name on. */
void
syn_function_called(struct syn_walk *w, const struct syn_word *words,
    size_t n)
{
	note_call(w, words, n);
	syn_env_border(w);
	if (w->function_change != NULL && w->change == NULL)
		w->change = w->function_change;
	if (w->function_code)
		syn_env_hostile(w);
	else if (w->function_hostile)
		syn_env_evaluated(w);
	if (w->function_odd)
		syn_lookup_odd(w);
	if (w->function_fails)
		syn_env_may_fail(w);
}
