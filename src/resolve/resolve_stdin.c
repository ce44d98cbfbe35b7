/* SPDX-License-Identifier: ISC */
/*
 * A shell that reads its program from standard input: the text stands in
 * the line when it is a here-document, a here-string, or what a plain
 * `echo`, `printf` or `cat <<E` in front of the pipe will print.
 */
#include "resolve_int.h"

#include <stdlib.h>
#include <string.h>

#include "aegsh/base/buf.h"

static bool
moves_stdin(const struct syn_command *c)
{
	size_t i;

	for (i = 0; i < c->n_redirs; i++)
		if (c->redirs[i].fd == 0)
			return true;
	return false;
}

/* The command in front of it in its pipeline. */
static const struct syn_command *
upstream(const struct syn_facts *facts, const struct syn_command *c)
{
	const struct syn_command *p;
	size_t i = (size_t)(c - facts->commands);

	if (c->pipe_index == 0 || moves_stdin(c))
		return NULL;
	while (i-- > c->parent) {
		p = &facts->commands[i];
		if (p->parent == c->parent)
			return p->pipeline == c->pipeline &&
			    p->pipe_index + 1 == c->pipe_index ? p : NULL;
	}
	return NULL;
}

/* What the command prints, where its words tell. */
static bool
output_of(struct walk *w, const struct syn_command *c, struct syn_word *ret)
{
	struct buf out = BUF_INIT_MAX(SYN_LEN_MAX);
	const struct syn_word *text;
	bool done;
	size_t i;

	if (c->n_words == 0 || !c->words[0].known ||
	    c->function != SYN_FUNCTION_NO)
		return false;
	if (strcmp(c->words[0].value, "cat") == 0 && c->n_words == 1 &&
	    (text = syn_stdin_text(c)) != NULL) {
		*ret = *text;
		return true;
	}
	for (i = 0; i < c->n_redirs; i++)
		if (c->redirs[i].fd == 1)
			return false;
	done = syn_output(c->words, c->n_words, &out);
	if (done)
		*ret = resolve_word_new(w, out.data != NULL ? out.data : "",
		    out.len, true);
	buf_done(&out);
	return done;
}

/* The command itself, or the compound one around it, that says where its
 * standard input comes from; NULL: it is the shell's own. */
static const struct syn_command *
has_stdin(const struct syn_facts *facts, const struct syn_command *c)
{
	for (;;) {
		if (c->pipe_index > 0 || moves_stdin(c))
			return c;
		if (c->parent == 0)
			return NULL;
		c = &facts->commands[c->parent - 1];
	}
}

/* What the only command of the word's <( ) prints. */
static bool
process_text(struct walk *w, const struct syn_facts *facts,
    const struct syn_command *c, const struct syn_word *word,
    struct syn_word *ret)
{
	const struct syn_command *inner = NULL, *p;
	size_t i, index = (size_t)(c - facts->commands);

	if (word->n_parts != 1 || word->parts[0].known ||
	    word->parts[0].why != SYN_WHY_PROCESS || word->value[0] != '<')
		return false;
	for (i = index + 1; i < facts->n_commands; i++) {
		p = &facts->commands[i];
		if (p->parent != index + 1 || p->depth != c->depth + 1)
			continue;
		if (inner != NULL)
			return false;
		inner = p;
	}
	return inner != NULL && inner->pipe_count == 1 &&
	    output_of(w, inner, ret);
}

bool
resolve_stdin_text(struct walk *w, const struct spot *at, struct syn_word *ret)
{
	const struct syn_command *c = has_stdin(at->facts, at->command);
	const struct syn_word *text;
	const struct syn_command *before;
	size_t i;

	if (c == NULL)
		return false;
	/* What stands in front of it in a group may have read of it. */
	if (c != at->command)
		w->pub.incomplete = true;
	text = syn_stdin_text(c);
	if (text != NULL) {
		*ret = *text;
		return true;
	}
	for (i = c->n_redirs; i-- > 0;)
		if (c->redirs[i].fd == 0 && c->redirs[i].fd_name == NULL)
			return c->redirs[i].op == SYN_REDIR_IN &&
			    process_text(w, at->facts, c,
			    &c->redirs[i].target, ret);
	before = upstream(at->facts, c);
	return before != NULL && output_of(w, before, ret);
}

bool
resolve_is_fed(const struct spot *at)
{
	/* Whoever calls the function, or writes to the other end, may say
	 * so. */
	return at->fed || has_stdin(at->facts, at->command) != NULL ||
	    (at->command->context & (SYN_IN_FUNCTION | SYN_IN_PROCESS |
	    SYN_IN_COPROC)) != 0;
}

/* exec <x: for all that comes behind it, or around it in a loop. */
bool
resolve_moves_stdin(const struct syn_facts *facts)
{
	const struct syn_command *c;
	size_t i, j;

	for (i = 0; i < facts->n_commands; i++) {
		c = &facts->commands[i];
		if (!moves_stdin(c))
			continue;
		for (j = 0; j < c->n_words; j++)
			if (c->words[j].known &&
			    strcmp(c->words[j].value, "exec") == 0)
				return true;
	}
	return false;
}

void
resolve_stdin(struct walk *w, const struct spot *at)
{
	const struct syn_command *c, *before;
	struct syn_word text;

	if (resolve_stdin_text(w, at, &text))
		resolve_program(w, at, &text);
	else if (resolve_is_fed(at))
		w->pub.incomplete = true;
	if (!at->other)
		return;
	c = has_stdin(at->facts, at->command);
	before = c != NULL ? upstream(at->facts, c) : NULL;
	if (before != NULL && resolve_other_output(w, before, &text)) {
		w->pub.incomplete = true;
		resolve_program(w, at, &text);
	}
}

/* The text that a here-document or -string puts behind the descriptor. */
static const struct syn_word *
text_behind(const struct syn_command *c, int fd)
{
	const struct syn_redir *r;
	size_t i;

	for (i = c->n_redirs; i-- > 0;) {
		r = &c->redirs[i];
		if (r->fd == fd && r->fd_name == NULL)
			return r->op == SYN_REDIR_HEREDOC ||
			    r->op == SYN_REDIR_HERESTRING ? &r->target : NULL;
	}
	return NULL;
}

/* /dev/fd/3: of the command, of what is around it, or of any other of the
 * program, exec for one; which of these it was is not sure. */
static const struct syn_word *
descriptor_text(const struct spot *at, const char *name)
{
	static const char *const below[] = { "/dev/fd/", "/proc/self/fd/" };
	const struct syn_command *c = at->command;
	const struct syn_word *text = NULL;
	size_t i, n = 0;
	int fd;

	for (i = 0; i < AEG_NELEM(below) && n == 0; i++)
		if (strncmp(name, below[i], strlen(below[i])) == 0)
			n = strlen(below[i]);
	if (n == 0 || name[n] < '1' || name[n] > '9' ||
	    strspn(name + n, "0123456789") > 4)
		return NULL;
	fd = atoi(name + n);
	while ((text = text_behind(c, fd)) == NULL && c->parent != 0)
		c = &at->facts->commands[c->parent - 1];
	for (i = at->facts->n_commands; text == NULL && i-- > 0;)
		text = text_behind(&at->facts->commands[i], fd);
	return text;
}

bool
resolve_file_text(struct walk *w, const struct spot *at,
    const struct syn_word *word, struct syn_word *ret)
{
	const struct syn_word *text;

	if (!word->known)
		return process_text(w, at->facts, at->command, word, ret);
	text = descriptor_text(at, word->value);
	if (text != NULL)
		*ret = *text;
	return text != NULL;
}

void
resolve_script(struct walk *w, const struct spot *at,
    const struct syn_word *word)
{
	static const char *const own[] = { "/dev/stdin", "/dev/fd/0",
		"/proc/self/fd/0" };
	static const char *const others[] = { "/dev/fd/", "/proc/" };
	struct syn_word text;
	size_t i;

	for (i = 0; word->known && i < AEG_NELEM(own); i++)
		if (strcmp(word->value, own[i]) == 0)
			break;
	if (word->known && i < AEG_NELEM(own)) {
		resolve_stdin(w, at);
		return;
	}
	if (word->known && resolve_file_text(w, at, word, &text))
		resolve_program(w, at, &text);
	/* What stands behind such a name a redirection says, perhaps. */
	for (i = 0; word->known && i < AEG_NELEM(others); i++)
		w->pub.incomplete |= strncmp(word->value, others[i],
		    strlen(others[i])) == 0;
	if (word->known)
		return;
	if (resolve_file_text(w, at, word, &text))
		resolve_program(w, at, &text);
	else
		w->pub.incomplete = true;
}
