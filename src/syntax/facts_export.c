/* SPDX-License-Identifier: ISC */
/* Variables that the line exports, for the programs that it starts. */
#include "facts_int.h"

static bool
is_listed(const struct syn_walk *w, const struct syn_slot *slot)
{
	size_t i;

	for (i = 0; i < w->n_exported; i++)
		if (w->exported[i] == slot)
			return true;
	return false;
}

void
syn_export(struct syn_walk *w, const char *name, size_t len)
{
	struct syn_slot *slot = syn_env_slot(w, name, len), *mark;

	if (!is_listed(w, slot)) {
		if (w->n_exported == SYN_EXPORTS_MAX)
			return;
		w->exported[w->n_exported++] = slot;
	}
	mark = syn_env_beside(w, name, len, '!');
	/* A function's own variable is gone when it ends. */
	if ((w->at.context & SYN_IN_FUNCTION) != 0)
		syn_env_forget(w, mark->name, mark->len);
	else
		syn_env_set(w, mark->name, mark->len, SYN_VAR_SET, "1", 1);
}

/* export -n, declare +x, unset */
void
syn_export_not(struct syn_walk *w, const char *name, size_t len)
{
	struct syn_slot *mark;

	if (!is_listed(w, syn_env_slot(w, name, len)))
		return;
	mark = syn_env_beside(w, name, len, '!');
	syn_env_forget(w, mark->name, mark->len);
}

static bool
is_exported(struct syn_walk *w, struct syn_slot *slot)
{
	struct syn_slot *mark = syn_env_beside(w, slot->name, slot->len, '!');

	return mark->set && mark->state == SYN_VAR_SET &&
	    syn_env_certain(w, mark) && slot->set && !slot->array;
}

void
syn_export_tell(struct syn_walk *w, struct syn_command *c)
{
	struct syn_given *out = NULL;
	const char *value;
	size_t i, len, n = 0;

	c->exports = NULL;
	c->n_exports = 0;
	if (w->first || w->changed || w->n_exported == 0 || !syn_spend(w,
	    w->n_exported * sizeof *out))
		return;
	for (i = 0; i < w->n_exported; i++) {
		if (!is_exported(w, w->exported[i]) || syn_env_get(w,
		    w->exported[i]->name, w->exported[i]->len, &value,
		    &len) != SYN_VAR_SET || !syn_spend(w, len))
			continue;
		if (out == NULL)
			out = arena_alloc(w->arena,
			    w->n_exported * sizeof *out);
		out[n].name = w->exported[i]->name;
		out[n++].value = arena_memdup0(w->arena, value, len);
	}
	c->exports = out;
	c->n_exports = n;
}
