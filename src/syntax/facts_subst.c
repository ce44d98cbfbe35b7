/* SPDX-License-Identifier: ISC */
/*
 * $(echo x): what a substitution becomes whose only command is bash's own
 * echo or printf, with words that are known.
 */
#include "facts_int.h"

/* The only command of it, where that is a simple one with words alone. */
static const struct syn_node *
only_command(const struct syn_script *script)
{
	const struct syn_andor *andor;
	const struct syn_pipe *pipe;
	const struct syn_node *node;

	if (script == NULL || script->broken || script->list == NULL)
		return NULL;
	andor = script->list->first;
	if (andor == NULL || andor->next != NULL || andor->background)
		return NULL;
	pipe = andor->first;
	if (pipe->next != NULL || pipe->bangs > 0 || pipe->timed)
		return NULL;
	node = pipe->first;
	return node != NULL && node->next == NULL &&
	    node->kind == SYN_CMD_SIMPLE && node->targets == NULL &&
	    node->words != NULL && node->words->assignment == NULL ? node :
	    NULL;
}

/* Bash's own, as it is without options: no function of that name, nothing
 * that enable or shopt may have changed. */
static bool
is_plain_output(struct syn_walk *w, const struct syn_word *name)
{
	return (syn_word_is(name, "echo") || syn_word_is(name, "printf")) &&
	    !syn_is_function(w, name->value, name->len) &&
	    !syn_is_inherited(w, name) && !syn_env_ran_code(w);
}

bool
syn_subst_text(struct syn_maker *m, const struct syn_piece *piece,
    const char **ret, size_t *ret_len)
{
	struct buf out = BUF_INIT_MAX(SYN_LEN_MAX);
	struct syn_vec words = { NULL, 0, 0 };
	const struct syn_node *node = only_command(piece->script);
	struct syn_walk *w = m->w;
	const struct syn_text *t;
	bool good;

	if (node == NULL || w->first || w->changed || w->naming ||
	    w->keywords || w->env.fragile || w->env.later ||
	    !syn_spend(w, SYN_SUBST_COST + piece->src_len))
		return false;
	for (t = node->words; t != NULL; t = t->next) {
		syn_expand(w, t->pieces, t, SYN_MODE_ARGUMENT, &words);
		if (words.n == 0 || !is_plain_output(w, words.v))
			return false;
	}
	good = syn_output(words.v, words.n, &out) && syn_spend(w, out.len);
	while (good && out.len > 0 && out.data[out.len - 1] == '\n')
		out.len--;
	if (good) {
		*ret = arena_memdup0(w->arena, out.data != NULL ? out.data :
		    "", out.len);
		*ret_len = out.len;
	}
	buf_done(&out);
	return good;
}
