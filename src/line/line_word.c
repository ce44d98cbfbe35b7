/* SPDX-License-Identifier: ISC */
/*
 * The word that stands before the cursor: where it begins, how it is quoted,
 * whether it names a command.  Not a parser: what comes behind it is not
 * there yet, so this only tells what can be offered in its place, and never
 * what a line means.
 */
#include "aegsh/line.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define NEST_MAX 64		/* substitutions in one another */

struct scan {
	const char *s;
	size_t len, at;
	line_value_fn *value;
	void *ctx;
	struct line_word *w;
	bool in_word, target;
	struct nest {		/* what was open around a substitution */
		char end;	/* that ends it: ) } or ` */
		enum line_quote quote;
		bool command, target;
		struct strv before;
		size_t from, command_from;
	} nest[NEST_MAX];
	size_t n_nest;
};

/* Words behind which a command begins (bash(1), RESERVED WORDS). */
static const char *const before_command[] = { "if", "then", "else", "elif",
	"while", "until", "do", "!", "{", "time", "coproc", NULL };

static void
begin_word(struct scan *c)
{
	struct line_word *w = c->w;

	if (c->in_word)
		return;
	c->in_word = true;
	w->from = w->base = c->at;
	w->base_quote = LINE_UNQUOTED;
	if (w->command && !c->target)
		w->command_from = c->at;
	w->name = SIZE_MAX;
	w->unknown = w->tilde = false;
	w->typed.len = 0;
	w->typed_base = w->value_from = 0;
}

static bool
is_assignment(const struct buf *b)
{
	const char *eq = b->len > 0 ? memchr(b->data, '=', b->len) : NULL;

	return eq != NULL && text_is_name(b->data, (size_t)(eq - b->data));
}

/* A blank or an operator came: the word is over. */
static void
end_word(struct scan *c)
{
	struct line_word *w = c->w;
	size_t i;

	if (!c->in_word)
		return;
	c->in_word = false;
	buf_put(&w->typed, "", 0);
	if (c->target) {
		c->target = false;
		return;
	}
	if (w->command) {
		if (is_assignment(&w->typed))
			return;
		for (i = 0; before_command[i] != NULL; i++)
			if (strcmp(w->typed.data, before_command[i]) == 0)
				return;
	}
	strv_add(&w->before, w->typed.data);
	w->command = false;
}

static void
begin_command(struct scan *c)
{
	strv_done(&c->w->before);
	c->w->command = true;
	c->target = false;
}

static void
push(struct scan *c, char end)
{
	if (c->n_nest == NEST_MAX) {
		c->w->unknown = true;
		return;
	}
	c->nest[c->n_nest++] = (struct nest){ .end = end,
		.quote = c->w->quote, .command = c->w->command,
		.target = c->target, .before = c->w->before,
		.from = c->w->from, .command_from = c->w->command_from };
	c->w->before = (struct strv)STRV_INIT;
	c->w->quote = LINE_UNQUOTED;
}

/* The command inside is over, and the one around it goes on; what the word
 * around it is cannot be known. */
static void
pop(struct scan *c)
{
	struct line_word *w = c->w;
	const struct nest *n = &c->nest[--c->n_nest];

	strv_done(&w->before);
	w->before = n->before;
	w->quote = n->quote;
	w->command = n->command;
	w->command_from = n->command_from;
	c->target = n->target;
	c->in_word = true;
	w->unknown = true;
	w->from = n->from;
	w->base = c->at;
	w->typed.len = 0;
	w->typed_base = w->value_from = 0;
}

/* A component of a path begins behind this character. */
static void
put(struct scan *c, char byte)
{
	struct line_word *w = c->w;

	buf_putc(&w->typed, byte);
	if (byte == '/') {
		w->base = c->at + 1;
		w->typed_base = w->typed.len;
		w->base_quote = w->quote;
	}
}

/* $NAME or ${NAME}, or less: at the cursor it is a name to complete. */
static void
take_variable(struct scan *c)
{
	struct line_word *w = c->w;
	bool braces = c->at + 1 < c->len && c->s[c->at + 1] == '{';
	size_t from = c->at + (braces ? 2 : 1), to = from;
	const char *value = NULL;
	char *name AEG_AUTOFREE = NULL;

	while (to < c->len && text_is_name(c->s + from, to + 1 - from))
		to++;
	if (to == c->len) {
		w->name = from;
		w->braces = braces;
	} else if (braces && c->s[to] != '}') {
		push(c, '}');
		c->at = to;
		return;
	} else {
		name = xmemdup0(c->s + from, to - from);
		value = c->value != NULL && to > from ?
		    c->value(c->ctx, name) : NULL;
		if (value == NULL)
			w->unknown = true;
		else
			buf_puts(&w->typed, value);
	}
	c->at = to + (braces && to < c->len ? 1 : 0);
}

/* skip: the characters that open it. */
static void
begin_substitution(struct scan *c, char end, size_t skip)
{
	begin_word(c);
	push(c, end);
	c->at += skip;
	c->in_word = false;
	begin_command(c);
}

static void
take_dollar(struct scan *c)
{
	char next = c->at + 1 < c->len ? c->s[c->at + 1] : '\0';

	begin_word(c);
	if (next == '(') {
		begin_substitution(c, ')', 2);
	} else if (next == '\'' && c->w->quote == LINE_UNQUOTED) {
		c->w->quote = LINE_ANSI;
		c->at += 2;
	} else {
		take_variable(c);
	}
}

/* One character inside of quotes. */
static void
take_quoted(struct scan *c)
{
	struct line_word *w = c->w;
	char byte = c->s[c->at];
	char end = w->quote == LINE_DOUBLE ? '"' : '\'';

	if (byte == end) {
		w->quote = LINE_UNQUOTED;
		c->at++;
	} else if (w->quote == LINE_DOUBLE && byte == '$') {
		take_dollar(c);
	} else if (w->quote == LINE_DOUBLE && byte == '`') {
		begin_substitution(c, '`', 1);
	} else if (w->quote != LINE_SINGLE && byte == '\\' &&
	    c->at + 1 < c->len) {
		/* $'\n' and its like are not what files are called. */
		if (w->quote == LINE_ANSI && strchr("\\'\"",
		    c->s[c->at + 1]) == NULL)
			w->unknown = true;
		else if (w->quote == LINE_DOUBLE && strchr("\\\"$`",
		    c->s[c->at + 1]) == NULL)
			put(c, '\\');
		c->at++;
		put(c, c->s[c->at]);
		c->at++;
	} else {
		put(c, byte);
		c->at++;
	}
}

static void
open_quote(struct scan *c, enum line_quote quote)
{
	struct line_word *w = c->w;
	bool at_base;

	begin_word(c);
	at_base = w->base == c->at && w->typed.len == w->typed_base;
	w->quote = quote;
	c->at++;
	/* Then what is put in its place goes on in this quotation. */
	if (at_base) {
		w->base = c->at;
		w->base_quote = quote;
	}
}

static void
take_redirection(struct scan *c)
{
	const char *p = c->s + c->at;
	size_t left = c->len - c->at;

	/* A number before it is a descriptor, no word. */
	if (c->in_word && strspn(c->w->typed.len > 0 ? c->w->typed.data : "",
	    "0123456789") == c->w->typed.len)
		c->in_word = false;
	end_word(c);
	if (left > 1 && p[1] == '(') {	/* <( and >( */
		begin_substitution(c, ')', 2);
		return;
	}
	while (c->at < c->len && strchr("<>&|", c->s[c->at]) != NULL)
		c->at++;
	c->target = true;
}

static void
take_operator(struct scan *c, char byte)
{
	end_word(c);
	c->at++;
	if (byte == '&' && c->at < c->len && c->s[c->at] == '>') {
		take_redirection(c);
		return;
	}
	begin_command(c);
}

/* One character outside of quotes. */
static void
take_plain(struct scan *c)
{
	char byte = c->s[c->at];

	if (c->n_nest > 0 && byte == c->nest[c->n_nest - 1].end) {
		end_word(c);
		c->at++;
		pop(c);
		return;
	}
	switch (byte) {
	case ' ':
	case '\t':
		end_word(c);
		c->at++;
		return;
	case '\n':
	case ';':
	case '&':
	case '|':
	case '(':
	case ')':
		take_operator(c, byte);
		return;
	case '<':
	case '>':
		take_redirection(c);
		return;
	case '\'':
		open_quote(c, LINE_SINGLE);
		return;
	case '"':
		open_quote(c, LINE_DOUBLE);
		return;
	case '$':
		take_dollar(c);
		return;
	case '`':
		begin_substitution(c, '`', 1);
		return;
	case '\\':
		begin_word(c);
		c->at++;
		if (c->at < c->len) {
			put(c, c->s[c->at]);
			c->at++;
		}
		return;
	case '#':
		if (!c->in_word) {
			while (c->at < c->len && c->s[c->at] != '\n')
				c->at++;
			c->w->comment = c->at == c->len;
			return;
		}
		break;
	case '~':
		begin_word(c);
		if (c->at == c->w->from)
			c->w->tilde = true;
		break;
	case '=':
		/* The value of an assignment, and of --option=, is a word. */
		if (c->in_word && (c->w->command ||
		    (c->w->typed.len > 0 && c->w->typed.data[0] == '-'))) {
			put(c, byte);
			c->at++;
			c->w->base = c->at;
			c->w->typed_base = c->w->typed.len;
			c->w->value_from = c->w->typed.len;
			return;
		}
		break;
	default:
		break;
	}
	begin_word(c);
	put(c, byte);
	c->at++;
}

void
line_word_at(const char *text, size_t len, line_value_fn *value, void *ctx,
    struct line_word *ret)
{
	struct scan c = { .s = text, .len = len, .value = value, .ctx = ctx,
		.w = ret };

	*ret = (struct line_word){ .command = true, .name = SIZE_MAX,
		.typed = BUF_INIT, .before = STRV_INIT };
	while (c.at < len) {
		ret->name = SIZE_MAX;
		ret->comment = false;
		if (ret->quote != LINE_UNQUOTED)
			take_quoted(&c);
		else
			take_plain(&c);
	}
	if (!c.in_word)
		begin_word(&c);
	while (c.n_nest > 0)
		strv_done(&c.nest[--c.n_nest].before);
	buf_put(&ret->typed, "", 0);
	ret->target = c.target;
}

void
line_word_done(struct line_word *w)
{
	buf_done(&w->typed);
	strv_done(&w->before);
}

/* ---- in its place -------------------------------------------------------- */

void
line_word_quote(struct buf *out, enum line_quote quote, const char *text,
    bool first)
{
	const char *special = quote == LINE_DOUBLE ? "\\\"$`" :
	    quote == LINE_SINGLE ? "'" : quote == LINE_ANSI ? "\\'" :
	    " \t!\"#$&'()*;<>?[\\]^`{|}";
	const char *p;

	if (quote == LINE_UNQUOTED && strpbrk(text, "\n\r\033\177") != NULL) {
		text_quote(out, text, strlen(text));
		return;
	}
	if (quote == LINE_UNQUOTED && first && text[0] == '~')
		buf_putc(out, '\\');
	for (p = text; *p != '\0'; p++) {
		if (strchr(special, *p) == NULL)
			buf_putc(out, *p);
		else if (quote == LINE_SINGLE)
			buf_puts(out, "'\\''");
		else
			buf_putf(out, "\\%c", *p);
	}
}

const char *
line_word_close(enum line_quote quote)
{
	switch (quote) {
	case LINE_DOUBLE:
		return "\"";
	case LINE_SINGLE:
	case LINE_ANSI:
		return "'";
	case LINE_UNQUOTED:
		break;
	}
	return "";
}
