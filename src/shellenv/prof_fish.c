/* SPDX-License-Identifier: ISC */
/* The same tree from fish's grammar: blocks end with "end", a command
 * substitution is (…) inside a word, and there are no here-documents. */
#include "prof_int.h"

#include <string.h>

static char
ahead(const struct lex *l, size_t n)
{
	return n < l->len - l->pos ? l->text[l->pos + n] : '\0';
}

static void
step(struct lex *l)
{
	if (l->pos < l->len && l->text[l->pos++] == '\n')
		l->line++;
}

static void
skip_quote(struct lex *l, char quote)
{
	step(l);
	while (l->pos < l->len && l->text[l->pos] != quote) {
		if (l->text[l->pos] == '\\')
			step(l);
		step(l);
	}
	if (l->pos >= l->len) {
		l->open_end = true;
		se_lex_fail(l, "a quote is not closed");
		return;
	}
	step(l);
}

static void
skip_parens(struct lex *l)
{
	int depth = 0;

	while (l->pos < l->len && l->bad == NULL) {
		char c = l->text[l->pos];

		if (c == '\'' || c == '"') {
			skip_quote(l, c);
			continue;
		}
		if (c == '\\')
			step(l);
		else if (c == '(')
			depth++;
		else if (c == ')')
			depth--;
		step(l);
		if (depth == 0)
			return;
	}
	if (l->bad == NULL) {
		l->open_end = true;
		se_lex_fail(l, "a substitution is not closed");
	}
}

static void
read_word(struct lex *l)
{
	size_t start = l->pos;

	l->tok = TOK_WORD;
	l->word.line = l->line;
	while (l->pos < l->len && l->bad == NULL) {
		char c = l->text[l->pos];

		if (c == '\'' || c == '"') {
			skip_quote(l, c);
		} else if (c == '\\') {
			step(l);
			step(l);
		} else if (c == '(') {
			skip_parens(l);
		} else if (strchr(" \t\r\n;&|<>)", c) != NULL && c != '\0') {
			break;
		} else {
			l->pos++;
		}
	}
	if (l->bad != NULL)
		return;
	l->word.raw = l->text + start;
	l->word.len = l->pos - start;
}

static void
skip_blanks(struct lex *l)
{
	while (l->pos < l->len) {
		char c = l->text[l->pos];

		if (c == '\\' && ahead(l, 1) == '\n') {
			step(l);
			step(l);
		} else if (c == ' ' || c == '\t' || c == '\r') {
			l->pos++;
		} else if (c == '#') {
			while (l->pos < l->len && l->text[l->pos] != '\n')
				l->pos++;
		} else {
			return;
		}
	}
}

static void
skip_redirection(struct lex *l)
{
	while (l->pos < l->len && strchr("<>&?|", l->text[l->pos]) != NULL &&
	    l->text[l->pos] != '\0')
		l->pos++;
	skip_blanks(l);
	if (l->pos < l->len && l->text[l->pos] != '\n')
		read_word(l);
}

static bool
operator(struct lex *l)
{
	char c = l->text[l->pos], d = ahead(l, 1);

	if (c == '\n')
		l->tok = TOK_NL;
	else if (c == ';')
		l->tok = TOK_SEMI;
	else if (c == '&' && d == '&')
		l->tok = TOK_AND;
	else if (c == '|' && d == '|')
		l->tok = TOK_OR;
	else if (c == '&')
		l->tok = TOK_AMP;
	else if (c == '|')
		l->tok = TOK_PIPE;
	else
		return false;
	step(l);
	if (l->tok == TOK_AND || l->tok == TOK_OR)
		step(l);
	return true;
}

static bool
io_number(const struct lex *l)
{
	size_t i;

	if (ahead(l, 0) != '>' && ahead(l, 0) != '<')
		return false;
	for (i = 0; i < l->word.len; i++)
		if (l->word.raw[i] < '0' || l->word.raw[i] > '9')
			return false;
	return l->word.len > 0;
}

void
se_lex_next_fish(struct lex *l)
{
	for (;;) {
		char c, d;

		if (l->bad != NULL)
			return;
		skip_blanks(l);
		l->at = l->pos;
		l->tok = TOK_EOF;
		if (l->pos >= l->len)
			return;
		c = l->text[l->pos];
		d = ahead(l, 1);
		if (c == '>' || c == '<' || (c == '&' && d == '>')) {
			skip_redirection(l);
			continue;
		}
		if (operator(l))
			return;
		if (c == ')') {
			se_lex_fail(l, "a parenthesis out of place");
			return;
		}
		read_word(l);
		if (l->bad == NULL && io_number(l)) {
			skip_redirection(l);
			continue;
		}
		return;
	}
}

static bool
at(const struct lex *l, const char *word)
{
	return l->tok == TOK_WORD && se_word_is(&l->word, word);
}

static void
end(struct lex *l)
{
	if (at(l, "end")) {
		se_lex_next(l);
		return;
	}
	if (l->tok == TOK_EOF && l->bad == NULL)
		l->open_end = true;
	se_lex_fail(l, "a block is not ended");
}

static struct prof_node *statement(struct lex *l);

/* Where a list stops: end, else, case (all only in their blocks). */
static bool
list_ends(const struct lex *l)
{
	return l->tok == TOK_EOF || at(l, "end") || at(l, "else") ||
	    at(l, "case");
}

struct prof_node *
se_fish_list(struct lex *l)
{
	struct prof_node *first = NULL, **to = &first;

	for (;;) {
		while (l->tok == TOK_NL || l->tok == TOK_SEMI ||
		    l->tok == TOK_AMP)
			se_lex_next(l);
		if (list_ends(l))
			return first;
		if (l->tok != TOK_WORD) {
			se_lex_fail(l, "an operator out of place");
			return first;
		}
		*to = statement(l);
		to = &(*to)->next;
	}
}

static struct prof_node *
words_until_end(struct lex *l, struct prof_node *n)
{
	for (; l->tok == TOK_WORD; se_lex_next(l))
		se_prof_add_word(l, n, &l->word);
	return n;
}

/* The condition: one job, and the and/or lines right below it. */
static struct prof_node *
condition(struct lex *l)
{
	struct prof_node *first = statement(l), *last = first;

	for (;;) {
		while (l->tok == TOK_NL || l->tok == TOK_SEMI)
			se_lex_next(l);
		if (!at(l, "and") && !at(l, "or"))
			return first;
		last->next = statement(l);
		last = last->next;
	}
}

static struct prof_node *
fish_if(struct lex *l)
{
	struct prof_node *n = se_prof_node(l, PROF_IF);

	se_lex_next(l);
	if (l->tok == TOK_WORD)
		n->a = condition(l);
	n->b = se_fish_list(l);
	if (!at(l, "else")) {
		end(l);
		return n;
	}
	se_lex_next(l);
	if (at(l, "if")) {
		if (++l->depth > PROF_DEPTH)
			se_lex_fail(l, "nested too deeply");
		else
			n->c = fish_if(l);
		l->depth--;
		return n;
	}
	n->c = se_fish_list(l);
	end(l);
	return n;
}

static struct prof_node *
fish_switch(struct lex *l)
{
	struct prof_node *n = se_prof_node(l, PROF_CASE), **to = &n->a;

	se_lex_next(l);
	words_until_end(l, n);
	while (l->tok == TOK_NL || l->tok == TOK_SEMI)
		se_lex_next(l);
	while (at(l, "case")) {
		struct prof_node *item = se_prof_node(l, PROF_ITEM);

		se_lex_next(l);
		words_until_end(l, item);
		item->a = se_fish_list(l);
		*to = item;
		to = &item->next;
	}
	end(l);
	return n;
}

static struct prof_node *
block(struct lex *l, enum prof_kind kind)
{
	struct prof_node *n = se_prof_node(l, kind);

	se_lex_next(l);
	if (kind == PROF_WHILE) {
		if (l->tok == TOK_WORD)
			n->a = condition(l);
		n->b = se_fish_list(l);
	} else {
		if (kind != PROF_GROUP)
			words_until_end(l, n);
		n->a = se_fish_list(l);
	}
	end(l);
	/* "for X in LIST": the word "in" is no element. */
	if (kind == PROF_FOR && n->n_words > 1 &&
	    se_word_is(&n->words[1], "in")) {
		memmove(n->words + 1, n->words + 2,
		    (n->n_words - 2) * sizeof *n->words);
		n->n_words--;
	}
	return n;
}

static struct prof_node *job(struct lex *l);

static struct prof_node *
one_job(struct lex *l)
{
	struct prof_node *n;

	if (at(l, "not") || at(l, "!")) {
		n = se_prof_node(l, PROF_NOT);
		se_lex_next(l);
		n->a = l->tok == TOK_WORD ? job(l) : NULL;
		return n;
	}
	if (at(l, "if"))
		n = fish_if(l);
	else if (at(l, "switch"))
		n = fish_switch(l);
	else if (at(l, "while"))
		n = block(l, PROF_WHILE);
	else if (at(l, "for"))
		n = block(l, PROF_FOR);
	else if (at(l, "function"))
		n = block(l, PROF_FUNC);
	else if (at(l, "begin"))
		n = block(l, PROF_GROUP);
	else
		n = words_until_end(l, se_prof_node(l, PROF_CMD));
	if (l->tok == TOK_PIPE) {
		struct prof_node *pipe = se_prof_node(l, PROF_PIPE), *last = n;

		pipe->line = n->line;
		pipe->at = n->at;
		pipe->a = n;
		while (l->tok == TOK_PIPE) {
			se_lex_next(l);
			while (l->tok == TOK_NL)
				se_lex_next(l);
			last->next = l->tok == TOK_WORD ? job(l) :
			    se_prof_node(l, PROF_CMD);
			last = last->next;
		}
		return pipe;
	}
	return n;
}

static struct prof_node *
job(struct lex *l)
{
	struct prof_node *n;

	if (++l->depth > PROF_DEPTH)
		se_lex_fail(l, "nested too deeply");
	n = one_job(l);
	l->depth--;
	return n;
}

static struct prof_node *
statement(struct lex *l)
{
	struct prof_node *n, *left;

	if (++l->depth > PROF_DEPTH)
		se_lex_fail(l, "nested too deeply");
	if (at(l, "and") || at(l, "or")) {
		left = se_prof_node(l, PROF_ANDOR);
		left->is_or = at(l, "or");
		se_lex_next(l);
		left->b = l->tok == TOK_WORD ? statement(l) : NULL;
		l->depth--;
		return left;
	}
	left = job(l);
	while (l->tok == TOK_AND || l->tok == TOK_OR) {
		n = se_prof_node(l, PROF_ANDOR);
		n->line = left->line;
		n->at = left->at;
		n->is_or = l->tok == TOK_OR;
		se_lex_next(l);
		while (l->tok == TOK_NL)
			se_lex_next(l);
		n->a = left;
		n->b = l->tok == TOK_WORD ? job(l) : NULL;
		left = n;
	}
	l->depth--;
	return left;
}
