/* SPDX-License-Identifier: ISC */
/*
 * eval: a text that is known is read and walked where it stands, in the same
 * shell, with the same variables, functions and arguments.  Its commands are
 * told behind the eval's, as what stands inside it.
 */
#include "facts_int.h"

/* The words joined by blanks; NULL: not known, or too much. */
static char *
join(struct syn_walk *w, const struct syn_word *words, size_t n,
    size_t *ret_len)
{
	size_t i, len = 0;
	char *text;

	for (i = 0; i < n; i++) {
		if (!words[i].known || words[i].may_split)
			return NULL;
		len += words[i].len + 1;
	}
	if (len > SYN_LEN_MAX || !syn_spend_from(&w->spent_values,
	    len + SYN_VALUE_COST,
	    SYN_VALUES_FREE + SYN_VALUES_PER_BYTE * w->tree->len))
		return NULL;
	text = arena_alloc(w->arena, len + 1);
	for (i = len = 0; i < n; i++) {
		if (i > 0)
			text[len++] = ' ';
		memcpy(text + len, words[i].value, words[i].len);
		len += words[i].len;
	}
	*ret_len = len;
	return text;
}

/* In front of eval: they hold inside it. */
static void
assign_prefix(struct syn_walk *w, const struct syn_command *c)
{
	size_t i;

	for (i = 0; i < c->n_assigns; i++) {
		const struct syn_assign *a = &c->assigns[i];

		if (a->value.known && !a->append && !a->array &&
		    a->subscript == NULL)
			syn_env_set(w, a->name, strlen(a->name), SYN_VAR_SET,
			    a->value.value, a->value.len);
		else
			syn_env_forget(w, a->name, strlen(a->name));
	}
}

/* An earlier command, of this very line, too, may have changed how the text
 * will be read. */
static bool
reads_differently(struct syn_walk *w)
{
	const char *change = w->change;

	if (change == NULL && w->env.loops > 0)
		change = w->change_somewhere;
	if (change != NULL && w->rest_unknown == NULL)
		w->rest_unknown = change;
	return change != NULL || w->changed;
}

/* A command that bash reads and runs where the walk stands. */
static void
walk_text(struct syn_walk *w, const char *text, size_t len)
{
	struct syn_parser p = { .s = text, .end = len, .arena = w->arena,
	    .at_end = true, .origin = w->at.offset, .fixed = true,
	    .depth = w->at.depth + w->values, .status = SYN_TREE };
	struct syn_place_in saved = w->at;

	p.memo = syn_memo_new(w->arena);
	w->values++;
	w->at.context |= SYN_IN_EVAL;
	w->at.evals++;
	syn_walk_script(w, syn_read_later(&p, text, len, p.origin, true), 0);
	w->at = saved;
	w->values--;
}

/* words: from "eval" on.  false: it is not known what it runs. */
bool
syn_eval(const struct syn_call *c)
{
	size_t from = 1, len = 0, index = c->w->at.parent - 1;
	struct syn_walk *w = c->w;
	const char *text;

	if (from < c->n && c->words[from].known &&
	    strcmp(c->words[from].value, "--") == 0)
		from++;
	if (w->values >= SYN_EVALS_MAX || reads_differently(w))
		return false;
	text = join(w, c->words + from, c->n - from, &len);
	if (text == NULL)
		return false;
	if (!w->first)
		((struct syn_command *)w->commands.v)[index].evaluated = true;
	assign_prefix(w, c->command);
	walk_text(w, text, len);
	return true;
}

/* The same for text that is no eval's. */
void
syn_walk_code(struct syn_walk *w, const char *text, size_t len)
{
	if (w->values >= SYN_EVALS_MAX || reads_differently(w) ||
	    !syn_spend_from(&w->spent_values, len + SYN_VALUE_COST,
	    SYN_VALUES_FREE + SYN_VALUES_PER_BYTE * w->tree->len))
		syn_tell_broken(w, text, len, SYN_WHY_CAP);
	else
		walk_text(w, text, len);
}
