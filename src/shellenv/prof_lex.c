/* SPDX-License-Identifier: ISC */
/*
 * Words and operators of the Bourne family, as much as start-up files
 * need: every kind of quote and substitution is skipped whole, so that
 * what is inside one is never taken for a command.
 */
#include "prof_int.h"

#include <string.h>

#include "aegsh/base/text.h"

void
se_lex_init(struct lex *l, struct arena *a, const char *text, size_t len,
    enum dialect d)
{
	*l = (struct lex){ .arena = a, .dialect = d, .text = text,
		.len = len, .line = 1 };
}

void
se_lex_fail(struct lex *l, const char *why)
{
	if (l->bad == NULL)
		l->bad = why;
	l->tok = TOK_EOF;
	l->pos = l->len;
}

bool
se_word_is(const struct prof_word *w, const char *text)
{
	return w->len == strlen(text) && memcmp(w->raw, text, w->len) == 0;
}

static char
peek(const struct lex *l, size_t ahead)
{
	return ahead < l->len - l->pos ? l->text[l->pos + ahead] : '\0';
}

static void
step(struct lex *l)
{
	if (l->pos < l->len && l->text[l->pos++] == '\n')
		l->line++;
}

static void
open_end(struct lex *l, const char *why)
{
	l->open_end = true;
	se_lex_fail(l, why);
}

/* '…' and, with escapes, $'…'. */
static void
skip_single(struct lex *l, bool escapes)
{
	while (l->pos < l->len && l->text[l->pos] != '\'') {
		if (escapes && l->text[l->pos] == '\\')
			step(l);
		step(l);
	}
	if (l->pos >= l->len)
		open_end(l, "a quote is not closed");
	else
		step(l);
}

/* Is text[pos] the start of this word, alone? */
static bool
at_word(const struct lex *l, const char *word)
{
	size_t n = strlen(word);
	char before = l->pos > 0 ? l->text[l->pos - 1] : '\n';
	char after = peek(l, n);

	return n <= l->len - l->pos &&
	    memcmp(l->text + l->pos, word, n) == 0 &&
	    strchr(" \t\n;&|(`", before) != NULL &&
	    (after == '\0' || strchr(" \t\n;&|)`", after) != NULL);
}

/* What may stand in any context: escapes, quotes, substitutions.  True
 * when it skipped something. */
static bool
skip_quoted(struct lex *l, bool in_double, int depth)
{
	char c = l->text[l->pos], d = peek(l, 1);

	if (c == '\\') {
		step(l);
		step(l);
	} else if (c == '\'' && !in_double) {
		step(l);
		skip_single(l, false);
	} else if (c == '$' && d == '\'' && !in_double) {
		l->pos += 2;
		skip_single(l, true);
	} else if (c == '"' && !in_double) {
		step(l);
		se_lex_skip_to(l, '"', depth);
	} else if (c == '`') {
		step(l);
		se_lex_skip_to(l, '`', depth);
	} else if (c == '$' && d == '(') {
		l->pos += 2;
		se_lex_skip_to(l, ')', depth);
	} else if (c == '$' && d == '{') {
		l->pos += 2;
		se_lex_skip_to(l, '}', depth);
	} else {
		return false;
	}
	return true;
}

void
se_lex_skip_to(struct lex *l, char close, int depth)
{
	int cases = 0, parens = 0;

	if (depth >= PROF_DEPTH) {
		se_lex_fail(l, "nested too deeply");
		return;
	}
	while (l->pos < l->len) {
		char c = l->text[l->pos];

		if (c == close && parens == 0 && !(c == ')' && cases > 0)) {
			step(l);
			return;
		}
		if (close == '`' && c == '\'') {
			/* Quotes inside backquotes are the inner command's. */
			step(l);
			continue;
		}
		if (skip_quoted(l, close == '"', depth + 1))
			continue;
		if (close == ')') {
			if (at_word(l, "case"))
				cases++;
			else if (at_word(l, "esac") && cases > 0)
				cases--;
			if (c == '(')
				parens++;
			else if (c == ')' && parens > 0)
				parens--;
			if (c == '#' && l->pos > 0 &&
			    strchr(" \t\n", l->text[l->pos - 1]) != NULL) {
				while (l->pos < l->len &&
				    l->text[l->pos] != '\n')
					l->pos++;
				continue;
			}
		}
		step(l);
	}
	open_end(l, close == ')' || close == '}' ?
	    "a substitution is not closed" : "a quote is not closed");
}

/* The bodies of the here-documents that the line before asked for. */
static void
skip_heredocs(struct lex *l)
{
	size_t i;

	for (i = 0; i < l->n_docs; i++) {
		const struct heredoc *h = &l->docs[i];

		for (;;) {
			const char *p = l->text + l->pos, *nl;
			size_t left = l->len - l->pos, n;

			if (left == 0) {
				open_end(l, "a here-document is not closed");
				return;
			}
			nl = memchr(p, '\n', left);
			n = nl != NULL ? (size_t)(nl - p) : left;
			l->pos += n + (nl != NULL);
			l->line += nl != NULL;
			while (h->tabs && n > 0 && *p == '\t')
				p++, n--;
			if (n == h->len && memcmp(p, h->delim, n) == 0)
				break;
		}
	}
	if (l->n_docs > 0)
		l->doc_end = l->pos;
	l->n_docs = 0;
}

static void
skip_blanks(struct lex *l)
{
	while (l->pos < l->len) {
		char c = l->text[l->pos];

		if (c == '\\' && peek(l, 1) == '\n') {
			step(l);
			step(l);
		} else if (c == '\\' && peek(l, 1) == '\r' &&
		    peek(l, 2) == '\n') {
			return;
		} else if (c == ' ' || c == '\t') {
			l->pos++;
		} else if (c == '#') {
			while (l->pos < l->len && l->text[l->pos] != '\n')
				l->pos++;
			l->comment_end = l->pos;
		} else {
			return;
		}
	}
}

static bool
ends_word(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '&' ||
	    c == '|' || c == '<' || c == '>' || c == '(' || c == ')';
}

/* A '(' behind the letters of a word: an array, a qualifier or pattern
 * (skipped whole: true), or a function's parentheses. */
static bool
paren_in_word(struct lex *l, size_t start)
{
	const char *w = l->text + start;
	size_t n = l->pos - start, k;

	for (k = 1; peek(l, k) == ' ' || peek(l, k) == '\t'; k++)
		;
	if (n == 0 || (w[n - 1] != '=' && peek(l, k) == ')'))
		return false;
	l->pos++;
	se_lex_skip_to(l, ')', 0);
	return true;
}

static void
read_word(struct lex *l)
{
	size_t start = l->pos;

	l->tok = TOK_WORD;
	l->word.line = l->line;
	while (l->pos < l->len) {
		char c = l->text[l->pos];

		if (skip_quoted(l, false, 0))
			continue;
		if ((c == '<' || c == '>') && l->pos == start &&
		    peek(l, 1) == '(') {
			l->pos += 2;
			se_lex_skip_to(l, ')', 0);
			continue;
		}
		if (c == '(' && paren_in_word(l, start))
			continue;
		if (ends_word(c))
			break;
		l->pos++;
	}
	if (l->bad != NULL)
		return;
	l->word.raw = l->text + start;
	l->word.len = l->pos - start;
}

void
se_lex_cond_word(struct lex *l)
{
	static const char *const ops[] = { "&&", "||" };
	size_t i, start = l->pos;

	for (i = 0; i < AEG_NELEM(ops); i++)
		if (peek(l, 0) == ops[i][0] && peek(l, 1) == ops[i][1]) {
			l->pos += 2;
			return;
		}
	while (l->pos < l->len && l->bad == NULL) {
		char c = l->text[l->pos];

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r' ||
		    (l->pos > start && (c == '&' || c == '|') &&
		    peek(l, 1) == c))
			return;
		if (c == ';' && l->pos > start)
			return;
		if (!skip_quoted(l, false, 0))
			l->pos++;
	}
}

/* The delimiter with its quotes taken off. */
static void
note_heredoc(struct lex *l, bool tabs)
{
	struct heredoc *h;
	char *to;
	size_t i;

	skip_blanks(l);
	read_word(l);
	if (l->bad != NULL)
		return;
	if (l->n_docs == HEREDOCS_MAX) {
		se_lex_fail(l, "too many here-documents");
		return;
	}
	h = &l->docs[l->n_docs++];
	to = arena_alloc(l->arena, l->word.len + 1);
	h->delim = to;
	h->tabs = tabs;
	for (i = 0; i < l->word.len; i++)
		if (strchr("'\"\\", l->word.raw[i]) == NULL)
			*to++ = l->word.raw[i];
	h->len = (size_t)(to - h->delim);
}

/* pos is at < or >.  The target is read and dropped. */
static void
skip_redirection(struct lex *l)
{
	const char *p = l->text + l->pos;
	size_t left = l->len - l->pos;

	if (left >= 3 && memcmp(p, "<<<", 3) == 0) {
		l->pos += 3;
	} else if (left >= 2 && memcmp(p, "<<", 2) == 0) {
		bool tabs = peek(l, 2) == '-';

		l->pos += tabs ? 3 : 2;
		note_heredoc(l, tabs);
		return;
	} else {
		while (l->pos < l->len &&
		    strchr("<>&|", l->text[l->pos]) != NULL)
			l->pos++;
		if (peek(l, 0) == '!')	/* zsh's >! */
			l->pos++;
	}
	skip_blanks(l);
	read_word(l);
}

/* Letters only digits (or {name}) right before < or >. */
static bool
is_io_number(const struct lex *l)
{
	size_t i;

	if (l->pos >= l->len || strchr("<>", l->text[l->pos]) == NULL)
		return false;
	if (l->word.len > 2 && l->word.raw[0] == '{' &&
	    l->word.raw[l->word.len - 1] == '}')
		return true;
	for (i = 0; i < l->word.len; i++)
		if (l->word.raw[i] < '0' || l->word.raw[i] > '9')
			return false;
	return l->word.len > 0;
}

static bool
operator(struct lex *l)
{
	static const struct { const char *text; enum tok tok; } ops[] = {
		{ ";;&", TOK_DSEMI }, { ";;", TOK_DSEMI }, { ";&", TOK_DSEMI },
		{ ";|", TOK_DSEMI }, { ";", TOK_SEMI }, { "&&", TOK_AND },
		{ "&!", TOK_AMP }, { "||", TOK_OR }, { "|&", TOK_PIPE },
		{ "|", TOK_PIPE }, { "&", TOK_AMP }, { "(", TOK_LPAR },
		{ ")", TOK_RPAR },
	};
	size_t i, left = l->len - l->pos;

	for (i = 0; i < AEG_NELEM(ops); i++) {
		size_t n = strlen(ops[i].text);

		if (left < n || memcmp(l->text + l->pos, ops[i].text, n) != 0)
			continue;
		l->pos += n;
		l->tok = ops[i].tok;
		return true;
	}
	return false;
}

void
se_lex_next(struct lex *l)
{
	if (l->dialect == DIALECT_FISH) {
		se_lex_next_fish(l);
		return;
	}
	for (;;) {
		char c, d;

		if (l->bad != NULL)
			return;
		skip_blanks(l);
		l->at = l->pos;
		l->tok = TOK_EOF;
		if (l->pos >= l->len) {
			if (l->n_docs > 0)
				open_end(l, "a here-document is not closed");
			return;
		}
		c = l->text[l->pos];
		d = peek(l, 1);
		if (c == '\n') {
			step(l);
			skip_heredocs(l);
			if (l->bad == NULL)
				l->tok = TOK_NL;
			return;
		}
		if (c == '\r' && (d == '\n' || l->pos + 1 == l->len)) {
			l->pos++;
			continue;
		}
		if (c == '&' && d == '>') {
			l->pos++;
			skip_redirection(l);
			continue;
		}
		if ((c == '<' || c == '>') && d != '(') {
			skip_redirection(l);
			continue;
		}
		if (operator(l))
			return;
		read_word(l);
		if (l->bad == NULL && is_io_number(l)) {
			skip_redirection(l);
			continue;
		}
		return;
	}
}
