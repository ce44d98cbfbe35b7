/* SPDX-License-Identifier: ISC */
/*
 * Facts as one line of text, for tests: commands are separated by " / ",
 * each one "CONTEXT: assignments words redirections".  An unknown part
 * stands as <why source>, a word that may be none or many has a "*" in
 * front, an empty one is ''.
 */
#ifndef TESTS_SYN_SHOW_H
#define TESTS_SYN_SHOW_H

#include "aegsh/base/text.h"
#include "aegsh/syntax.h"

static inline const char *
syn_show_why(enum syn_why why)
{
	switch (why) {
	case SYN_WHY_UNSPECIFIED:
		return "unspecified";
	case SYN_WHY_VARIABLE:
		return "variable";
	case SYN_WHY_INDIRECT:
		return "indirect";
	case SYN_WHY_SUBST:
		return "substitution";
	case SYN_WHY_PROCESS:
		return "process";
	case SYN_WHY_ARITH:
		return "arithmetic";
	case SYN_WHY_GLOB:
		return "glob";
	case SYN_WHY_BRACE:
		return "brace";
	case SYN_WHY_TILDE:
		return "tilde";
	case SYN_WHY_CAP:
		return "cap";
	case SYN_WHY_READ_CHANGED:
		return "read-changed";
	}
	return "?";
}

static inline void
syn_show_word(struct buf *b, const struct syn_word *word)
{
	size_t i;

	if (word->may_split)
		buf_putc(b, '*');
	for (i = 0; i < word->n_parts; i++) {
		const struct syn_part *part = &word->parts[i];

		if (!part->known)
			buf_putf(b, "<%s ", syn_show_why(part->why));
		text_inert(b, part->text, part->len, 0);
		if (!part->known)
			buf_putc(b, '>');
	}
	if (word->len == 0)
		buf_puts(b, "''");
}

static inline const char *
syn_show_op(enum syn_redir_op op)
{
	return op == SYN_REDIR_CLOSE ? "close" : syn_redir_text(op);
}

static inline void
syn_show_context(struct buf *b, const struct syn_command *c)
{
	static const char *const names[] = {
		"subst", "process", "subshell", "function", "loop", "condition",
		"background", "coproc", "negated", "arith", "compound",
		"heredoc", "eval",
	};
	unsigned i;
	const char *comma = "";

	for (i = 0; i < sizeof names / sizeof names[0]; i++)
		if (c->context & 1u << i) {
			buf_putf(b, "%s%s", comma, names[i]);
			comma = ",";
		}
	if (c->in_function != NULL)
		buf_putf(b, "=%s", c->in_function);
	if (c->pipe_count > 1)
		buf_putf(b, "%s%u/%u", comma, c->pipe_index, c->pipe_count);
	buf_puts(b, ":");
}

static inline void
syn_show_command(struct buf *b, const struct syn_command *c)
{
	size_t k;

	syn_show_context(b, c);
	for (k = 0; k < c->n_assigns; k++) {
		const struct syn_assign *a = &c->assigns[k];

		buf_putf(b, " %s", a->name);
		if (a->subscript != NULL)
			buf_putf(b, "[%s]", a->subscript);
		buf_puts(b, a->append ? "+=" : "=");
		syn_show_word(b, &a->value);
	}
	for (k = 0; k < c->n_words; k++) {
		buf_putc(b, ' ');
		syn_show_word(b, &c->words[k]);
	}
	for (k = 0; k < c->n_redirs; k++) {
		const struct syn_redir *r = &c->redirs[k];

		if (r->fd_name != NULL)
			buf_putf(b, " {%s}", r->fd_name);
		else
			buf_putf(b, " %d", r->fd);
		buf_puts(b, syn_show_op(r->op));
		if (r->op != SYN_REDIR_CLOSE)
			syn_show_word(b, &r->target);
	}
}

static inline void
syn_show(struct buf *b, const struct syn_facts *f)
{
	size_t i;

	for (i = 0; i < f->n_commands; i++) {
		if (i > 0)
			buf_puts(b, " / ");
		syn_show_command(b, &f->commands[i]);
	}
}

#endif
