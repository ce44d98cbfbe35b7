/* SPDX-License-Identifier: ISC */
/* The words of a command as bash hands them to a completion: split at blanks
 * and, outside of quotes, at the characters of COMP_WORDBREAKS, which are
 * words of their own (bash(1), COMP_WORDS). */
#include <string.h>

#include "aegsh/base/mem.h"
#include "shell/complete_prog.h"

struct cut {
	const char *s;
	size_t len, at;
	size_t word, word_end;	/* where the last word begins and ends */
	char quote;		/* open at the end, or 0 … */
	size_t quoted_from;	/* … since here */
};

static bool
is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n';
}

/* Breaks that are no quotes: those are skipped as a whole. */
static bool
is_break(char byte)
{
	return !is_blank(byte) && byte != '"' && byte != '\'' &&
	    strchr(COMPLETE_BREAKS, byte) != NULL;
}

static void
skip_quoted(struct cut *c)
{
	char quote = c->s[c->at];

	c->quote = quote;
	c->quoted_from = c->at++;
	while (c->at < c->len && c->s[c->at] != quote)
		c->at += quote == '"' && c->s[c->at] == '\\' ? 2 : 1;
	if (c->at >= c->len) {
		c->at = c->len;
		return;
	}
	c->quote = 0;
	c->at++;
}

/* $( … ) or ` … `, or as far as it goes. */
static void
skip_substitution(struct cut *c)
{
	size_t depth = 0;
	bool ticks = c->s[c->at] == '`';

	c->at += ticks ? 1 : 0;
	for (; c->at < c->len; c->at++) {
		char byte = c->s[c->at];

		if (byte == '\\' && c->at + 1 < c->len)
			c->at++;
		else if (ticks && byte == '`')
			break;
		else if (!ticks && byte == '(')
			depth++;
		else if (!ticks && byte == ')' && --depth == 0)
			break;
	}
	c->at++;
}

/* One word, from where it stands. */
static void
skip_word(struct cut *c)
{
	c->word = c->at;
	if (is_break(c->s[c->at])) {
		while (c->at < c->len && is_break(c->s[c->at]))
			c->at++;
		return;
	}
	while (c->at < c->len && !is_blank(c->s[c->at]) &&
	    !is_break(c->s[c->at])) {
		if (c->s[c->at] == '"' || c->s[c->at] == '\'')
			skip_quoted(c);
		else if (c->s[c->at] == '`' || (c->s[c->at] == '$' &&
		    c->at + 1 < c->len && c->s[c->at + 1] == '('))
			skip_substitution(c);
		else
			c->at += c->s[c->at] == '\\' ? 2 : 1;
	}
	if (c->at > c->len)
		c->at = c->len;
}

static void
split(struct cut *c, struct strv *ret)
{
	for (;;) {
		while (c->at < c->len && is_blank(c->s[c->at]))
			c->at++;
		if (c->at >= c->len)
			break;
		skip_word(c);
		c->word_end = c->at;
		strv_take(ret, xmemdup0(c->s + c->word, c->at - c->word));
	}
	/* Behind a blank that is not a word's a new one begins. */
	if (c->len == 0 || (c->word_end < c->len && c->quote == 0)) {
		c->word = c->len;
		strv_add(ret, "");
	}
}

void
complete_words_split(const char *text, size_t len, size_t command_from,
    const char *alias, struct complete_words *ret)
{
	struct cut c = { .s = text + command_from,
		.len = len - command_from };
	struct strv all = STRV_INIT;
	struct buf line = BUF_INIT;
	size_t i;

	*ret = (struct complete_words){ .word = STRV_INIT };
	split(&c, &all);
	ret->from = command_from + c.word;
	ret->quote = LINE_UNQUOTED;
	/* A break at the end is a word, and what is asked about is behind. */
	if (c.word < c.len && is_break(c.s[c.word]))
		ret->from = len;
	/* An open quotation that the word begins with goes on. */
	if (c.quote != 0 && c.quoted_from == c.word) {
		ret->quote = c.quote == '"' ? LINE_DOUBLE : LINE_SINGLE;
		ret->from++;
	}
	ret->cur = xmemdup0(text + ret->from, len - ret->from);
	if (alias != NULL && all.n > 0) {
		struct cut a = { .s = alias, .len = strlen(alias) };

		while (a.len > 0 && is_blank(a.s[a.len - 1]))
			a.len--;
		split(&a, &ret->word);
		buf_put(&line, alias, a.len);
		buf_put(&line, c.s + strlen(all.v[0]),
		    c.len - strlen(all.v[0]));
	} else {
		buf_put(&line, c.s, c.len);
	}
	for (i = alias != NULL ? 1 : 0; i < all.n; i++)
		strv_add(&ret->word, all.v[i]);
	ret->n = ret->word.n > 0 ? ret->word.n - 1 : 0;
	ret->line = buf_take(&line);
	strv_done(&all);
}

void
complete_words_done(struct complete_words *w)
{
	strv_done(&w->word);
	free(w->line);
	free(w->cur);
}
