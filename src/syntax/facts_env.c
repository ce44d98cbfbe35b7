/* SPDX-License-Identifier: ISC */
/* Variables whose values are known while the tree is walked. */
#include "facts_int.h"

#include <stdio.h>

#define FIRST_SLOTS 32

enum own { OWN_GIVEN, OWN_GIVEN_IF_UNSET, OWN_ALWAYS };

/* What bash sets itself when it starts, or does not take over (PS1), or where
 * what is assigned is not what is read: `env -i bash -c "declare -p"` lists
 * them. */
static void
classify(struct syn_slot *slot)
{
#define OWN(name, own) { name, sizeof name - 1, own }
	static const struct {
		const char *name;
		size_t len;
		enum own own;
	} names[] = {
		OWN("_", OWN_ALWAYS), OWN("COLUMNS", OWN_ALWAYS),
		OWN("COPROC", OWN_ALWAYS), OWN("COPROC_PID", OWN_ALWAYS),
		OWN("DIRSTACK", OWN_ALWAYS), OWN("EPOCHREALTIME", OWN_ALWAYS),
		OWN("EPOCHSECONDS", OWN_ALWAYS), OWN("EUID", OWN_ALWAYS),
		OWN("FUNCNAME", OWN_ALWAYS), OWN("GROUPS", OWN_ALWAYS),
		OWN("HISTCMD", OWN_ALWAYS),
		OWN("HOSTNAME", OWN_GIVEN_IF_UNSET),
		OWN("HOSTTYPE", OWN_GIVEN_IF_UNSET), OWN("IFS", OWN_GIVEN),
		OWN("LINENO", OWN_ALWAYS), OWN("LINES", OWN_ALWAYS),
		OWN("MACHTYPE", OWN_GIVEN_IF_UNSET),
		OWN("MAPFILE", OWN_ALWAYS), OWN("OLDPWD", OWN_GIVEN),
		OWN("OPTARG", OWN_ALWAYS), OWN("OPTERR", OWN_GIVEN),
		OWN("OPTIND", OWN_ALWAYS),
		OWN("OSTYPE", OWN_GIVEN_IF_UNSET),
		OWN("PATH", OWN_GIVEN_IF_UNSET),
		OWN("PIPESTATUS", OWN_ALWAYS), OWN("PPID", OWN_ALWAYS),
		OWN("PS1", OWN_GIVEN), OWN("PS2", OWN_GIVEN),
		OWN("PS4", OWN_GIVEN), OWN("PWD", OWN_GIVEN_IF_UNSET),
		OWN("RANDOM", OWN_ALWAYS), OWN("REPLY", OWN_ALWAYS),
		OWN("SECONDS", OWN_ALWAYS), OWN("SHELL", OWN_GIVEN_IF_UNSET),
		OWN("SHELLOPTS", OWN_ALWAYS), OWN("SHLVL", OWN_ALWAYS),
		OWN("SRANDOM", OWN_ALWAYS), OWN("TERM", OWN_GIVEN_IF_UNSET),
		OWN("UID", OWN_ALWAYS),
	};
#undef OWN
	const char *name = slot->name;
	size_t len = slot->len, i;

	if (len >= 4 && (memcmp(name, "BASH", 4) == 0 ||
	    memcmp(name, "COMP", 4) == 0 || (len >= 8 &&
	    memcmp(name, "READLINE", 8) == 0)))
		slot->never = true;
	for (i = 0; i < AEG_NELEM(names); i++) {
		if (names[i].len != len || names[i].name[0] != name[0] ||
		    memcmp(names[i].name, name, len) != 0)
			continue;
		slot->never = names[i].own == OWN_ALWAYS;
		slot->given = names[i].own == OWN_GIVEN;
		slot->given_if_unset = names[i].own == OWN_GIVEN_IF_UNSET;
	}
}

static size_t
find(const struct syn_env *env, const char *name, size_t len)
{
	uint32_t hash = 2166136261u;
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)name[i]) * 16777619u;
	for (i = hash & (env->size - 1); env->slots[i] != NULL;
	    i = (i + 1) & (env->size - 1))
		if (env->slots[i]->len == len &&
		    memcmp(env->slots[i]->name, name, len) == 0)
			break;
	return i;
}

static void
grow(struct syn_walk *w)
{
	struct syn_env *env = &w->env;
	struct syn_slot **old = env->slots;
	size_t old_size = env->size, i;

	env->size = old_size > 0 ? old_size * 2 : FIRST_SLOTS;
	env->slots = arena_alloc(w->names, env->size * sizeof *env->slots);
	for (i = 0; i < old_size; i++)
		if (old[i] != NULL)
			env->slots[find(env, old[i]->name, old[i]->len)] =
			    old[i];
}

struct syn_slot *
syn_env_slot(struct syn_walk *w, const char *name, size_t len)
{
	struct syn_env *env = &w->env;
	struct syn_slot *slot;
	size_t i;

	if (env->used * 2 >= env->size)
		grow(w);
	i = find(env, name, len);
	if (env->slots[i] != NULL)
		return env->slots[i];
	slot = arena_alloc(w->names, sizeof *slot);
	slot->name = arena_memdup0(w->names, name, len);
	slot->len = len;
	classify(slot);
	syn_name_kind(slot);
	env->slots[i] = slot;
	env->used++;
	return slot;
}

/* Assigned in a loop around, whose body may have run before, since which it
 * was not assigned again. */
static bool
in_loop_around(const struct syn_env *env, const struct syn_slot *slot)
{
	const struct syn_loop *loop;

	for (loop = env->loop; loop != NULL && loop->stamp > slot->stamp;
	    loop = loop->outer)
		if (slot->loop_first <= loop->last &&
		    slot->loop_last >= loop->first)
			return true;
	return false;
}

bool
syn_env_certain(const struct syn_walk *w, const struct syn_slot *slot)
{
	const struct syn_env *env = &w->env;
	/* A function's (facts_function.c): arithmetic defines none. */
	bool function = slot->len > 0 && slot->name[slot->len - 1] == ')';
	bool doubt = function ? syn_env_ran_code(w) : syn_env_is_hostile(w);

	if (env->later && (slot->anywhere || slot->name[0] == '@'))
		return false;
	if (w->first || doubt || slot->never || slot->tainted)
		return false;
	if (slot->in_function && slot->stamp < env->loop_stamp)
		return false;
	if (slot->anywhere && slot->stamp < env->function_stamp)
		return false;
	return !slot->in_loop || !in_loop_around(env, slot);
}

enum syn_var
syn_env_get(struct syn_walk *w, const char *name, size_t len,
    const char **ret_value, size_t *ret_len)
{
	struct syn_slot *slot = syn_env_slot(w, name, len);
	enum syn_var state;

	if (!syn_env_certain(w, slot))
		return SYN_VAR_UNKNOWN;
	if (slot->set) {
		*ret_value = slot->value;
		*ret_len = slot->value_len;
		return slot->state;
	}
	/* These bash does not take from its environment. */
	if (w->vars == NULL || slot->given)
		return SYN_VAR_UNKNOWN;
	*ret_value = NULL;
	state = w->vars->get(w->vars->ctx, slot->name, ret_value);
	if (state == SYN_VAR_SET ? *ret_value == NULL : slot->given_if_unset)
		return SYN_VAR_UNKNOWN;
	if (state == SYN_VAR_SET)
		*ret_len = strlen(*ret_value);
	return state;
}

/* Where the first walk finds an assignment. */
static void
note_place(struct syn_walk *w, struct syn_slot *slot)
{
	slot->anywhere = true;
	if ((w->at.context & SYN_IN_FUNCTION) != 0)
		slot->in_function = true;
	if (w->env.loops == 0)
		return;
	if (!slot->in_loop || w->at.offset < slot->loop_first)
		slot->loop_first = w->at.offset;
	if (!slot->in_loop || w->at.offset > slot->loop_last)
		slot->loop_last = w->at.offset;
	slot->in_loop = true;
}

static bool
is_noted(const struct syn_walk *w, const struct syn_slot *slot)
{
	return slot->in_loop && slot->loop_first <= w->at.offset &&
	    slot->loop_last >= w->at.offset && (slot->in_function ||
	    (w->at.context & SYN_IN_FUNCTION) == 0);
}

static void
put(struct syn_walk *w, struct syn_slot *slot, enum syn_var state,
    const char *value, size_t value_len)
{
	struct syn_env *env = &w->env;
	struct syn_undo *undo;

	if (env->n_undo == env->cap_undo) {
		env->cap_undo = env->cap_undo * 2 + 16;
		env->undo = xreallocarray(env->undo, env->cap_undo,
		    sizeof *env->undo);
	}
	undo = &env->undo[env->n_undo++];
	undo->slot = slot;
	undo->set = slot->set;
	undo->inherited = slot->inherited;
	undo->state = slot->state;
	undo->value = slot->value;
	undo->value_len = slot->value_len;
	undo->stamp = slot->stamp;
	undo->items = slot->items;
	/* To assign to an array is to assign to its first element. */
	if (slot->items != NULL && state == SYN_VAR_SET)
		state = SYN_VAR_UNKNOWN;
	slot->items = NULL;
	slot->set = true;
	slot->inherited = false;
	slot->state = state;
	slot->value = value;
	slot->value_len = value_len;
	slot->stamp = ++env->clock;
}

struct syn_slot *
syn_env_beside(struct syn_walk *w, const char *name, size_t len, char what)
{
	char *key = arena_alloc(w->arena, len + 2);

	memcpy(key, name, len);
	key[len] = what;
	return syn_env_slot(w, key, len + 1);
}

void
syn_env_attribute(struct syn_walk *w, const char *name, size_t len,
    char letter)
{
	struct syn_slot *slot = syn_env_slot(w, name, len), *attribute;

	slot->attributed = true;
	attribute = syn_env_beside(w, slot->name, slot->len, '%');
	/* What several of them make of a value is not worked out. */
	if (!w->first && (!syn_env_certain(w, attribute) || (attribute->set &&
	    (attribute->state != SYN_VAR_SET ||
	    attribute->value[0] != letter)))) {
		syn_env_forget(w, attribute->name, attribute->len);
		return;
	}
	syn_env_set(w, attribute->name, attribute->len, SYN_VAR_SET,
	    arena_memdup0(w->arena, &letter, 1), 1);
}

/* What the attribute makes of a value. */
static enum syn_var
convert(struct syn_walk *w, char letter, const char **value, size_t *len)
{
	char number[32], *copy;
	int64_t v;
	size_t i;

	if (letter == 'i') {
		if (*len == 0 || !syn_arith_value(w, *value, *len, &v))
			return SYN_VAR_UNKNOWN;
		snprintf(number, sizeof number, "%lld", (long long)v);
		*len = strlen(number);
		*value = arena_memdup0(w->arena, number, *len);
		return SYN_VAR_SET;
	}
	if (letter == 'r' || !syn_spend(w, *len) ||
	    !syn_env_turns_case(w, *value, *len))
		return SYN_VAR_UNKNOWN;
	copy = arena_memdup0(w->arena, *value, *len);
	for (i = 0; i < *len; i++) {
		if ((unsigned char)copy[i] >= 0x80)
			return SYN_VAR_UNKNOWN;
		if (letter == 'u' && copy[i] >= 'a' && copy[i] <= 'z')
			copy[i] = (char)(copy[i] - 32);
		else if (letter == 'l' && copy[i] >= 'A' && copy[i] <= 'Z')
			copy[i] = (char)(copy[i] + 32);
	}
	*value = copy;
	return SYN_VAR_SET;
}

static enum syn_var
through_attribute(struct syn_walk *w, struct syn_slot *slot,
    enum syn_var state, const char **value, size_t *len)
{
	struct syn_slot *attribute = syn_env_beside(w, slot->name, slot->len,
	    '%');

	if (!syn_env_certain(w, attribute))
		return SYN_VAR_UNKNOWN;
	if (!attribute->set)
		return state;
	if (attribute->state != SYN_VAR_SET || state == SYN_VAR_UNKNOWN)
		return SYN_VAR_UNKNOWN;
	if (state == SYN_VAR_SET)
		return convert(w, attribute->value[0], value, len);
	/* unset takes attributes away, except from what is readonly. */
	if (attribute->value[0] == 'r')
		return SYN_VAR_UNKNOWN;
	put(w, attribute, SYN_VAR_UNKNOWN, NULL, 0);
	return state;
}

/* Somewhere it is no number; where it was taken for one, all is to be walked
 * again. */
static void
note_text(struct syn_walk *w, struct syn_slot *slot)
{
	if (slot->texts || w->idle)
		return;
	slot->texts = true;
	w->again |= slot->relied;
}

/* Where an assignment was found that the first walk did not see. */
static void
note_late(struct syn_walk *w, struct syn_slot *slot)
{
	/* The name was not known then: x=PATH; read $x; eval "$y". */
	if (w->looked && !slot->anywhere) {
		slot->anywhere = true;
		w->again = true;
	}
	if (w->env.loops > 0 && !is_noted(w, slot)) {
		note_place(w, slot);
		w->again = true;
	}
}

/* What an assignment does besides. */
static void
note_effect(struct syn_walk *w, struct syn_slot *slot)
{
	note_late(w, slot);
	/* It may be readonly. */
	if (slot->attributed || slot->tainted || slot->readonly)
		syn_env_may_fail(w);
	if (slot->effect)
		syn_name_effect(w, slot);
}

void
syn_env_number(struct syn_walk *w, const char *name, size_t len)
{
	struct syn_slot *slot = syn_env_slot(w, name, len);

	if (w->first) {
		note_place(w, slot);
		return;
	}
	note_effect(w, slot);
	put(w, slot, SYN_VAR_UNKNOWN, NULL, 0);
}

void
syn_env_lose(struct syn_walk *w, const char *name, size_t len)
{
	struct syn_slot *slot = syn_env_slot(w, name, len);

	if (!w->first)
		note_text(w, slot);
	syn_env_number(w, name, len);
}

void
syn_env_set(struct syn_walk *w, const char *name, size_t len,
    enum syn_var state, const char *value, size_t value_len)
{
	struct syn_slot *slot = syn_env_slot(w, name, len);

	if (w->first) {
		note_place(w, slot);
		return;
	}
	syn_walk_given(w, slot, state, value, value_len);
	if (state == SYN_VAR_UNKNOWN || (state == SYN_VAR_SET &&
	    !syn_env_is_whole(value, value_len)))
		note_text(w, slot);
	note_effect(w, slot);
	if (slot->attributed)
		state = through_attribute(w, slot, state, &value, &value_len);
	put(w, slot, state, value, value_len);
}

static void
put_items(struct syn_slot *slot, const struct syn_items *items)
{
	slot->items = items;
	slot->state = items->n > 0 ? SYN_VAR_SET : SYN_VAR_UNSET;
	slot->value = items->n > 0 ? items->v[0].s : "";
	slot->value_len = items->n > 0 ? items->v[0].len : 0;
}

void
syn_env_set_items(struct syn_walk *w, const char *name, size_t len,
    const struct syn_items *items)
{
	struct syn_slot *slot = syn_env_slot(w, name, len);
	size_t i;

	slot->array = true;
	for (i = 0; !w->first && i < items->n; i++) {
		syn_walk_given(w, slot, SYN_VAR_SET, items->v[i].s,
		    items->v[i].len);
		if (!syn_env_is_whole(items->v[i].s, items->v[i].len))
			note_text(w, slot);
	}
	syn_env_number(w, name, len);
	if (!w->first && !slot->attributed && !slot->integer)
		put_items(slot, items);
}

/* Each call has its own: nothing outside sees them change. */
void
syn_env_arguments(struct syn_walk *w, const struct syn_items *items)
{
	struct syn_slot *slot = syn_env_slot(w, "@", 1);

	if (w->first)
		return;
	put(w, slot, SYN_VAR_UNKNOWN, NULL, 0);
	if (items != NULL)
		put_items(slot, items);
}

void
syn_env_forget(struct syn_walk *w, const char *name, size_t len)
{
	syn_env_set(w, name, len, SYN_VAR_UNKNOWN, NULL, 0);
}

/* Attributes (integer, upper case, reference, readonly) change what later
 * assignments mean, and may be set in a part that runs first. */
void
syn_env_taint(struct syn_walk *w, const char *name, size_t len)
{
	syn_env_slot(w, name, len)->tainted = true;
	syn_env_forget(w, name, len);
}

/* As before the walk; what the first one found stays. */
void
syn_env_restart(struct syn_env *env)
{
	size_t i;

	for (i = 0; i < env->size; i++) {
		struct syn_slot *slot = env->slots[i];

		if (slot == NULL)
			continue;
		slot->set = slot->busy = slot->inherited = false;
		slot->items = NULL;
		slot->stamp = 0;
	}
	env->n_undo = 0;
	env->clock = env->loop_stamp = env->function_stamp = 0;
	env->hostile = env->ran_code = env->no_braces = env->fragile = false;
	env->fails = SYN_NO_MARK;
}

size_t
syn_env_mark(struct syn_walk *w)
{
	return w->env.n_undo;
}

void
syn_env_undo(struct syn_walk *w, size_t mark)
{
	struct syn_env *env = &w->env;

	while (env->n_undo > mark) {
		struct syn_undo *undo = &env->undo[--env->n_undo];

		undo->slot->set = undo->set;
		undo->slot->inherited = undo->inherited;
		undo->slot->state = undo->state;
		undo->slot->value = undo->value;
		undo->slot->value_len = undo->value_len;
		undo->slot->stamp = undo->stamp;
		undo->slot->items = undo->items;
	}
}

void
syn_env_doubt(struct syn_walk *w, size_t mark)
{
	struct syn_env *env = &w->env;
	size_t i;

	for (i = mark; i < env->n_undo; i++) {
		env->undo[i].slot->state = SYN_VAR_UNKNOWN;
		env->undo[i].slot->items = NULL;
		if (!env->undo[i].set || env->undo[i].inherited)
			env->undo[i].slot->inherited = true;
	}
}

void
syn_env_may_fail(struct syn_walk *w)
{
	if (w->env.fails > w->env.n_undo)
		w->env.fails = w->env.n_undo;
}

void
syn_env_line_end(struct syn_walk *w)
{
	if (w->env.fails < w->env.n_undo)
		syn_env_doubt(w, w->env.fails);
	w->env.fails = SYN_NO_MARK;
}

void
syn_env_border(struct syn_walk *w)
{
	w->env.loop_stamp = ++w->env.clock;
}

void
syn_env_read(struct syn_walk *w, const char *name, size_t len)
{
	struct syn_slot *slot;
	const char **to;

	if (w->first)
		return;
	slot = syn_env_slot(w, name, len);
	if (slot->read)
		return;
	slot->read = true;
	to = syn_vec_add(w, &w->reads, sizeof *to);
	*to = slot->name;
}

const char *
syn_env_ifs(struct syn_walk *w)
{
	struct syn_slot *slot = syn_env_slot(w, "IFS", 3);
	const char *value = NULL;
	size_t len = 0;

	if (w->first || syn_env_is_hostile(w) || slot->tainted ||
	    slot->attributed)
		return NULL;
	if (!slot->set)
		return syn_env_certain(w, slot) ? " \t\n" : NULL;
	switch (syn_env_get(w, "IFS", 3, &value, &len)) {
	case SYN_VAR_SET:
		return value;
	case SYN_VAR_UNSET:
		return " \t\n";
	case SYN_VAR_UNKNOWN:
		break;
	}
	return NULL;
}
