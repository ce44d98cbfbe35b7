/* SPDX-License-Identifier: ISC */
/*
 * What the facts say of a line, in words: which programs it would start,
 * what is known of its words and what is not.  For the language model that is
 * asked about it, and for the person who is.
 */
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "turn/turn_int.h"

#define VALUES_MOST ((size_t)16 * 1024)	/* bytes of one fact; more is cut */
#define COMMANDS_MOST ((size_t)32 * 1024)

static const char *
kind_of(const struct resolved *r)
{
	switch (r->kind) {
	case RESOLVE_UNKNOWN:
		return "(not known which)";
	case RESOLVE_BUILTIN:
		return "shell builtin";
	case RESOLVE_FUNCTION:
		return "function of the line";
	case RESOLVE_FILE:
		return r->path != NULL ? r->path : "(not known which)";
	case RESOLVE_NOT_FOUND:
		return "(not found)";
	case RESOLVE_NONE:
		return "(no command)";
	}
	return "(not known which)";
}

/* A row is one line: what a name or a value has of its own stays in it. */
static void
put(struct buf *b, const char *text)
{
	text_inert(b, text, strlen(text), 0);
}

static void
tell_commands(const struct turn_judged *j, struct turn_words *ret)
{
	struct buf *b = &ret->commands;
	size_t i;

	for (i = 0; i < j->resolved->n; i++) {
		const struct resolved *r = &j->resolved->items[i];

		if (r->kind == RESOLVE_NONE)
			continue;
		put(b, r->name != NULL ? r->name : "(unknown)");
		buf_puts(b, " -> ");
		put(b, kind_of(r));
		if (r->interpreter != NULL) {
			buf_puts(b, ", run by ");
			put(b, r->interpreter);
		}
		if (r->wrapper != NULL) {
			buf_puts(b, ", started by ");
			put(b, r->wrapper);
		}
		if (r->program > 0)
			buf_putf(b, ", in program %u", r->program);
		if (r->more_args_unknown)
			buf_puts(b, ", more arguments are unknown");
		buf_putc(b, '\n');
		ret->all_known &= r->kind != RESOLVE_UNKNOWN &&
		    r->kind != RESOLVE_NOT_FOUND && !r->more_args_unknown;
	}
	if (j->resolved->incomplete) {
		buf_puts(b, "and more that could not be followed\n");
		ret->all_known = false;
	}
}

static const char *
why_name(enum syn_why why)
{
	switch (why) {
	case SYN_WHY_UNSPECIFIED:
		return "not known";
	case SYN_WHY_VARIABLE:
		return "a value that is not known";
	case SYN_WHY_INDIRECT:
		return "named by another variable";
	case SYN_WHY_SUBST:
		return "output of a command";
	case SYN_WHY_PROCESS:
		return "a pipe to a command";
	case SYN_WHY_ARITH:
		return "arithmetic";
	case SYN_WHY_GLOB:
		return "names of files";
	case SYN_WHY_BRACE:
		return "a list of words";
	case SYN_WHY_TILDE:
		return "somebody's home";
	case SYN_WHY_CAP:
		return "too much to work out";
	case SYN_WHY_READ_CHANGED:
		return "read by other rules, perhaps";
	}
	return "not known";
}

static void
tell_word(const struct turn_judged *j, const struct syn_word *w,
    struct turn_words *ret)
{
	const char *source = j->line.bytes + w->offset;
	size_t i;

	if (w->known) {
		if (w->offset + w->source_len <= j->line.len &&
		    w->source_len > 0 && (w->len != w->source_len ||
		    memcmp(source, w->value, w->len) != 0) &&
		    memchr(source, '$', w->source_len) != NULL) {
			text_inert(&ret->values, source, w->source_len, 0);
			buf_puts(&ret->values, " is ");
			text_inert(&ret->values, w->value, w->len, 0);
			buf_putc(&ret->values, '\n');
		}
		return;
	}
	for (i = 0; i < w->n_parts; i++) {
		if (w->parts[i].known)
			continue;
		text_inert(&ret->unknown, w->parts[i].text, w->parts[i].len,
		    0);
		buf_putf(&ret->unknown, ": %s\n", why_name(w->parts[i].why));
	}
	if (w->n_parts == 0)
		buf_puts(&ret->unknown, "a word that is not known\n");
}

static void
tell_redirections(const struct turn_judged *j, struct buf *ret)
{
	const struct syn_facts *f = j->facts;
	size_t i, k;

	for (i = 0; i < f->n_commands; i++)
		for (k = 0; k < f->commands[i].n_redirs; k++) {
			const struct syn_redir *r =
			    &f->commands[i].redirs[k];

			buf_putf(ret, "%d %s ", r->fd, syn_redir_text(r->op));
			if (r->op == SYN_REDIR_HEREDOC)
				buf_putf(ret, "(%zu bytes of the line)",
				    r->target.len);
			else if (r->target.value != NULL)
				text_inert(ret, r->target.value,
				    r->target.len, 0);
			buf_puts(ret, r->target.known ||
			    r->op == SYN_REDIR_CLOSE ? "\n" :
			    " (not known)\n");
		}
}

void
turn_words_of(const struct turn_judged *j, struct turn_words *ret)
{
	const struct syn_facts *f = j->facts;
	size_t i, k;

	*ret = (struct turn_words){
		.commands = BUF_INIT_MAX(COMMANDS_MOST),
		.values = BUF_INIT_MAX(VALUES_MOST),
		.unknown = BUF_INIT_MAX(VALUES_MOST),
		.redirections = BUF_INIT_MAX(VALUES_MOST),
		.all_known = true,
	};
	tell_commands(j, ret);
	for (i = 0; i < f->n_commands; i++) {
		const struct syn_command *c = &f->commands[i];

		for (k = 0; k < c->n_words; k++)
			tell_word(j, &c->words[k], ret);
		for (k = 0; k < c->n_assigns; k++)
			if (!c->assigns[k].array)
				tell_word(j, &c->assigns[k].value, ret);
		for (k = 0; k < c->n_redirs; k++)
			tell_word(j, &c->redirs[k].target, ret);
	}
	tell_redirections(j, &ret->redirections);
	ret->all_known &= ret->unknown.len == 0 && f->n_functions == 0 &&
	    !buf_overflow(&ret->commands) && !buf_overflow(&ret->values) &&
	    !buf_overflow(&ret->redirections);
}

void
turn_words_done(struct turn_words *w)
{
	buf_done(&w->commands);
	buf_done(&w->values);
	buf_done(&w->unknown);
	buf_done(&w->redirections);
}
