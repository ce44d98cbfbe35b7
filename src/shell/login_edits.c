/* SPDX-License-Identifier: ISC */
/*
 * The places of a start-up file that do not stay as they are: where it
 * sources a file, where it returns, and what only a prompt would notice.
 */
#include "login_int.h"

#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"

static bool
is_word(const struct syn_word *w, const char *text)
{
	return w->source_len > 0 && strcmp(w->value, text) == 0;
}

/* Nothing but blanks between the words: no redirection. */
static bool
only_words(const char *text, const struct syn_command *c)
{
	size_t i, k;

	for (k = 1; k < c->n_words; k++)
		for (i = c->words[k - 1].offset + c->words[k - 1].source_len;
		    i < c->words[k].offset; i++)
			if (text[i] != ' ' && text[i] != '\t')
				return false;
	return true;
}

/* Options of shopt that are for prompts and their history. */
static bool
is_for_prompts(const struct syn_word *w)
{
	static const char *const names[] = { "autocd", "cdspell", "checkhash",
	    "checkjobs", "checkwinsize", "cmdhist", "complete_fullquote",
	    "direxpand", "dirspell", "histappend", "histreedit",
	    "histverify", "hostcomplete", "huponexit", "lithist", "mailwarn",
	    "no_empty_cmd_completion", "progcomp" };
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++)
		if (is_word(w, names[i]))
			return true;
	return false;
}

/* Aliases: the shell that runs this expands none, and they end with it. */
static bool
is_idle(const struct syn_command *c)
{
	const struct syn_word *w = c->words;
	size_t i;

	if (c->pipe_count > 1)
		return false;
	if (is_word(&w[0], "alias") || is_word(&w[0], "unalias"))
		return true;
	if (!is_word(&w[0], "shopt") || c->n_words < 3 ||
	    (!is_word(&w[1], "-s") && !is_word(&w[1], "-u")))
		return false;
	for (i = 2; i < c->n_words; i++)
		if (!is_for_prompts(&w[i]))
			return false;
	return true;
}

/* PROMPT_COMMAND is for a prompt, which the shell that runs this has none of;
 * SHELL stays what the session is, whatever a file believes. */
static bool
is_idle_assignment(const struct syn_command *c)
{
	size_t i;

	for (i = 0; i < c->n_assigns; i++)
		if (strcmp(c->assigns[i].name, "PROMPT_COMMAND") != 0 &&
		    strcmp(c->assigns[i].name, "SHELL") != 0)
			return false;
	return c->n_words == 0 && c->n_assigns > 0 && c->n_redirs == 0 &&
	    c->pipe_count <= 1 && (c->context & SYN_IS_COMPOUND) == 0;
}

static unsigned
line_of(const char *text, size_t at)
{
	unsigned n = 1;
	size_t i;

	for (i = 0; i < at; i++)
		n += text[i] == '\n';
	return n;
}

static void
add_edit(struct login_edits *e, const char *text, const struct syn_command *c,
    enum login_edit_kind kind)
{
	const struct syn_word *last = c->n_words > 0 ?
	    &c->words[c->n_words - 1] : NULL;
	size_t from = c->offset, to = last != NULL ?
	    last->offset + last->source_len : c->offset + c->len;

	/* Overlapping cannot be; were it, the first stays as it is. */
	if (e->n > 0 && from < e->v[e->n - 1].to)
		return;
	if (e->n == e->cap) {
		e->cap = e->cap > 0 ? 2 * e->cap : 8;
		e->v = xreallocarray(e->v, e->cap, sizeof *e->v);
	}
	e->v[e->n++] = (struct login_edit){ kind, from, to,
	    c->in_function != NULL, line_of(text, from),
	    last != NULL ? last->offset : 0,
	    last != NULL ? last->source_len : 0 };
}

/* Ends the file: not from a function, nor where only a subshell ends. */
static bool
leaves(const struct syn_command *c)
{
	const unsigned apart = SYN_IN_SUBSHELL | SYN_IN_BACKGROUND |
	    SYN_IN_COPROC;

	return is_word(&c->words[0], "return") && c->n_words <= 2 &&
	    c->in_function == NULL && c->pipe_count == 1 &&
	    (c->context & apart) == 0;
}

static bool
sources(const struct syn_command *c)
{
	return c->n_words == 2 && c->words[1].source_len > 0 &&
	    (is_word(&c->words[0], ".") || is_word(&c->words[0], "source"));
}

static void
look_at(const char *text, size_t len, const struct syn_command *c,
    struct login_edits *e)
{
	const unsigned inside = SYN_IN_SUBST | SYN_IN_PROCESS |
	    SYN_IN_ARITH | SYN_IN_HEREDOC | SYN_IN_EVAL;
	const struct syn_word *w = c->words;

	if (c->depth > 0 || (c->context & inside) != 0)
		return;
	if (is_idle_assignment(c) && c->offset + c->len <= len) {
		add_edit(e, text, c, LOGIN_IDLE);
		return;
	}
	if (c->n_words == 0 || c->n_assigns > 0 || c->offset != w[0].offset ||
	    w[c->n_words - 1].offset + w[c->n_words - 1].source_len > len ||
	    !only_words(text, c))
		return;
	if (sources(c)) {
		add_edit(e, text, c, LOGIN_SOURCES);
	} else if (is_idle(c)) {
		add_edit(e, text, c, LOGIN_IDLE);
	} else if (leaves(c)) {
		e->leaves = true;
		if ((c->context & SYN_IN_LOOP) != 0)
			e->trapped = true;
		add_edit(e, text, c, LOGIN_LEAVES);
	}
}

static int
by_place(const void *a, const void *b)
{
	const struct syn_command *const *x = a, *const *y = b;

	return ((*x)->offset > (*y)->offset) - ((*x)->offset < (*y)->offset);
}

void
shell_login_edits(const char *text, size_t len, const struct syn_tree *tree,
    struct login_edits *e)
{
	struct syn_facts *facts = syn_facts_new(tree, NULL);
	const struct syn_command **order = xcalloc(facts->n_commands + 1,
	    sizeof *order);
	size_t i;

	for (i = 0; i < facts->n_commands; i++)
		order[i] = &facts->commands[i];
	qsort(order, facts->n_commands, sizeof *order, by_place);
	for (i = 0; i < facts->n_commands; i++)
		look_at(text, len, order[i], e);
	free(order);
	syn_facts_free(facts);
}
