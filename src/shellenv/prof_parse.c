/* SPDX-License-Identifier: ISC */
/*
 * The tree of a start-up file of the Bourne family.  Where a file uses
 * what this parser does not know, the tree ends there and bad_line says
 * so; whether that is an error is for the shell's own -n to say.
 */
#include "prof_int.h"

#include <string.h>

#include "aegsh/base/text.h"

static struct prof_node *list(struct lex *l, bool (*ends)(const struct lex *));
static struct prof_node *command(struct lex *l);

struct prof_node *
se_prof_node(struct lex *l, enum prof_kind kind)
{
	struct prof_node *n = arena_alloc(l->arena, sizeof *n);

	n->kind = kind;
	n->line = l->tok == TOK_WORD ? l->word.line : l->line;
	n->at = l->at;
	if (++l->nodes > PROF_NODES)
		se_lex_fail(l, "too many commands");
	return n;
}

void
se_prof_add_word(struct lex *l, struct prof_node *n, const struct prof_word *w)
{
	if (n->n_words == n->cap_words) {
		size_t cap = n->cap_words > 0 ? 2 * n->cap_words : 4;

		n->words = arena_grow(l->arena, n->words, n->n_words, cap,
		    sizeof *n->words);
		n->cap_words = cap;
	}
	n->words[n->n_words++] = *w;
}

static bool
at_keyword(const struct lex *l, const char *word)
{
	return l->tok == TOK_WORD && se_word_is(&l->word, word);
}

static bool
expect(struct lex *l, const char *word)
{
	if (!at_keyword(l, word)) {
		if (l->tok == TOK_EOF && l->bad == NULL)
			l->open_end = true;
		se_lex_fail(l, "a command is not closed");
		return false;
	}
	se_lex_next(l);
	return true;
}

static void
skip_newlines(struct lex *l)
{
	while (l->tok == TOK_NL)
		se_lex_next(l);
}

/* ---- where lists end -------------------------------------------------- */

static bool
ends_eof(const struct lex *l)
{
	return l->tok == TOK_EOF;
}

static bool
ends_then(const struct lex *l)
{
	return at_keyword(l, "then") || at_keyword(l, "{");
}

static bool
ends_if(const struct lex *l)
{
	return at_keyword(l, "elif") || at_keyword(l, "else") ||
	    at_keyword(l, "fi");
}

static bool
ends_do(const struct lex *l)
{
	return at_keyword(l, "do");
}

static bool
ends_done(const struct lex *l)
{
	return at_keyword(l, "done");
}

static bool
ends_brace(const struct lex *l)
{
	return at_keyword(l, "}");
}

static bool
ends_paren(const struct lex *l)
{
	return l->tok == TOK_RPAR;
}

static bool
ends_item(const struct lex *l)
{
	return l->tok == TOK_DSEMI || at_keyword(l, "esac");
}

/* ---- compound commands ------------------------------------------------ */

static struct prof_node *
parse_if(struct lex *l)
{
	struct prof_node *n = se_prof_node(l, PROF_IF);

	se_lex_next(l);
	n->a = list(l, ends_then);
	if (!expect(l, "then"))
		return n;
	n->b = list(l, ends_if);
	if (at_keyword(l, "elif")) {
		if (++l->depth > PROF_DEPTH)
			se_lex_fail(l, "nested too deeply");
		else
			n->c = parse_if(l);
		l->depth--;
		return n;
	}
	if (at_keyword(l, "else")) {
		se_lex_next(l);
		n->c = list(l, ends_if);
	}
	expect(l, "fi");
	return n;
}

static struct prof_node *
parse_while(struct lex *l)
{
	struct prof_node *n = se_prof_node(l, PROF_WHILE);

	se_lex_next(l);
	n->a = list(l, ends_do);
	if (expect(l, "do"))
		n->b = list(l, ends_done);
	expect(l, "done");
	return n;
}

/* Behind "((": to the matching "))". */
static void
skip_arithmetic(struct lex *l)
{
	se_lex_skip_to(l, ')', 0);
	if (l->bad == NULL && l->pos < l->len && l->text[l->pos] == ')')
		l->pos++;
	se_lex_next(l);
}

static struct prof_node *
parse_for(struct lex *l)
{
	struct prof_node *n = se_prof_node(l, PROF_FOR);
	bool paren = false;

	se_lex_next(l);
	if (l->tok == TOK_LPAR) {	/* for ((…)): never worth running */
		n->kind = PROF_WHILE;
		se_lex_next(l);
		skip_arithmetic(l);
	} else if (l->tok == TOK_WORD) {
		se_prof_add_word(l, n, &l->word);
		se_lex_next(l);
		skip_newlines(l);
		paren = l->tok == TOK_LPAR;	/* zsh: for x (a b) */
		if (at_keyword(l, "in") || paren)
			for (se_lex_next(l); l->tok == TOK_WORD; se_lex_next(l))
				se_prof_add_word(l, n, &l->word);
		if (paren && l->tok == TOK_RPAR)
			se_lex_next(l);
	}
	while (l->tok == TOK_SEMI || l->tok == TOK_NL)
		se_lex_next(l);
	if (at_keyword(l, "{")) {
		se_lex_next(l);
		n->a = list(l, ends_brace);
		expect(l, "}");
		return n;
	}
	if (paren && !at_keyword(l, "do")) {
		n->a = command(l);
		return n;
	}
	if (expect(l, "do"))
		n->a = list(l, ends_done);
	expect(l, "done");
	return n;
}

static struct prof_node *
parse_item(struct lex *l)
{
	struct prof_node *n = se_prof_node(l, PROF_ITEM);

	if (l->tok == TOK_LPAR)
		se_lex_next(l);
	while (l->tok == TOK_WORD || l->tok == TOK_PIPE) {
		if (l->tok == TOK_WORD)
			se_prof_add_word(l, n, &l->word);
		se_lex_next(l);
	}
	if (l->tok != TOK_RPAR) {
		se_lex_fail(l, "a pattern is not closed");
		return n;
	}
	se_lex_next(l);
	n->a = list(l, ends_item);
	if (l->tok == TOK_DSEMI)
		se_lex_next(l);
	skip_newlines(l);
	return n;
}

static struct prof_node *
parse_case(struct lex *l)
{
	struct prof_node *n = se_prof_node(l, PROF_CASE), **to = &n->a;

	se_lex_next(l);
	if (l->tok != TOK_WORD) {
		se_lex_fail(l, "case without a word");
		return n;
	}
	se_prof_add_word(l, n, &l->word);
	se_lex_next(l);
	skip_newlines(l);
	if (!expect(l, "in"))
		return n;
	skip_newlines(l);
	while (l->tok != TOK_EOF && !at_keyword(l, "esac")) {
		*to = parse_item(l);
		to = &(*to)->next;
	}
	expect(l, "esac");
	return n;
}

/* [[ … ]]: words and operators alike become words. */
static struct prof_node *
parse_cond(struct lex *l)
{
	struct prof_node *n = se_prof_node(l, PROF_CMD);

	se_prof_add_word(l, n, &l->word);
	while (l->bad == NULL) {
		struct prof_word w = { .line = l->line };
		size_t start;

		while (l->pos < l->len &&
		    strchr(" \t\n\r", l->text[l->pos]) != NULL) {
			l->line += l->text[l->pos] == '\n';
			l->pos++;
		}
		start = l->pos;
		if (start >= l->len) {
			l->open_end = true;
			se_lex_fail(l, "[[ is not closed");
			return n;
		}
		se_lex_cond_word(l);
		w.raw = l->text + start;
		w.len = l->pos - start;
		if (l->bad != NULL)
			return n;
		se_prof_add_word(l, n, &w);
		if (se_word_is(&w, "]]"))
			break;
	}
	se_lex_next(l);
	return n;
}

static struct prof_node *
body_of(struct lex *l, enum prof_kind kind, bool (*ends)(const struct lex *))
{
	struct prof_node *n = se_prof_node(l, kind);

	se_lex_next(l);
	n->a = list(l, ends);
	if (kind == PROF_SUBSHELL) {
		if (l->tok != TOK_RPAR) {
			l->open_end |= l->tok == TOK_EOF && l->bad == NULL;
			se_lex_fail(l, "( is not closed");
		} else {
			se_lex_next(l);
		}
	} else {
		expect(l, "}");
	}
	return n;
}

static struct prof_node *
parse_function(struct lex *l, struct prof_node *n)
{
	n->kind = PROF_FUNC;
	skip_newlines(l);
	n->a = command(l);
	return n;
}

static struct prof_node *
parse_keyword_function(struct lex *l)
{
	struct prof_node *n = se_prof_node(l, PROF_FUNC);

	se_lex_next(l);
	if (l->tok == TOK_WORD) {
		se_prof_add_word(l, n, &l->word);
		se_lex_next(l);
	}
	if (l->tok == TOK_LPAR) {
		se_lex_next(l);
		if (l->tok == TOK_RPAR)
			se_lex_next(l);
	}
	return parse_function(l, n);
}

static struct prof_node *
simple(struct lex *l)
{
	struct prof_node *n = se_prof_node(l, PROF_CMD);

	while (l->tok == TOK_WORD) {
		/* zsh closes a group without a ; before it. */
		if (l->dialect == DIALECT_ZSH && n->n_words > 0 &&
		    at_keyword(l, "}"))
			break;
		se_prof_add_word(l, n, &l->word);
		se_lex_next(l);
		if (l->tok == TOK_LPAR && n->n_words == 1) {
			se_lex_next(l);
			if (l->tok != TOK_RPAR) {
				se_lex_fail(l, "a parenthesis out of place");
				return n;
			}
			se_lex_next(l);
			return parse_function(l, n);
		}
	}
	return n;
}

static struct prof_node *
compound(struct lex *l)
{
	if (l->tok == TOK_LPAR && l->pos < l->len &&
	    l->text[l->pos] == '(') {
		struct prof_node *n = se_prof_node(l, PROF_CMD);
		static const struct prof_word word = { "((", 2, 0 };

		l->pos++;
		se_prof_add_word(l, n, &word);
		skip_arithmetic(l);
		return n;
	}
	if (l->tok == TOK_LPAR)
		return body_of(l, PROF_SUBSHELL, ends_paren);
	if (at_keyword(l, "{"))
		return body_of(l, PROF_GROUP, ends_brace);
	if (at_keyword(l, "if"))
		return parse_if(l);
	if (at_keyword(l, "while") || at_keyword(l, "until"))
		return parse_while(l);
	if (at_keyword(l, "for") || at_keyword(l, "select") ||
	    at_keyword(l, "foreach"))
		return parse_for(l);
	if (at_keyword(l, "case"))
		return parse_case(l);
	if (at_keyword(l, "[["))
		return parse_cond(l);
	if (at_keyword(l, "function"))
		return parse_keyword_function(l);
	return simple(l);
}

static struct prof_node *
command(struct lex *l)
{
	struct prof_node *n;

	if (++l->depth > PROF_DEPTH) {
		se_lex_fail(l, "nested too deeply");
		n = se_prof_node(l, PROF_CMD);
	} else if (at_keyword(l, "!")) {
		n = se_prof_node(l, PROF_NOT);
		se_lex_next(l);
		n->a = command(l);
	} else {
		n = compound(l);
	}
	l->depth--;
	return n;
}

static struct prof_node *
pipeline(struct lex *l)
{
	struct prof_node *first = command(l), *n, *last = first;

	if (l->tok != TOK_PIPE)
		return first;
	n = se_prof_node(l, PROF_PIPE);
	n->line = first->line;
	n->at = first->at;
	n->a = first;
	while (l->tok == TOK_PIPE) {
		se_lex_next(l);
		skip_newlines(l);
		last->next = command(l);
		last = last->next;
	}
	return n;
}

static struct prof_node *
and_or(struct lex *l)
{
	struct prof_node *left = pipeline(l);

	while (l->tok == TOK_AND || l->tok == TOK_OR) {
		struct prof_node *n = se_prof_node(l, PROF_ANDOR);

		n->line = left->line;
		n->at = left->at;
		n->is_or = l->tok == TOK_OR;
		se_lex_next(l);
		skip_newlines(l);
		n->a = left;
		n->b = pipeline(l);
		left = n;
	}
	return left;
}

/* Words that only end something, and here there is nothing to end. */
static bool
at_stray(const struct lex *l)
{
	static const char *const words[] = { "then", "elif", "else", "fi",
	    "do", "done", "esac", "}" };
	size_t i;

	for (i = 0; i < AEG_NELEM(words); i++)
		if (at_keyword(l, words[i]))
			return true;
	return false;
}

static struct prof_node *
list(struct lex *l, bool (*ends)(const struct lex *))
{
	struct prof_node *first = NULL, **to = &first;

	for (;;) {
		while (l->tok == TOK_NL || l->tok == TOK_SEMI)
			se_lex_next(l);
		if (l->tok == TOK_EOF || ends(l))
			return first;
		if ((l->tok != TOK_WORD && l->tok != TOK_LPAR) ||
		    at_stray(l)) {
			se_lex_fail(l, "a word out of place");
			return first;
		}
		*to = and_or(l);
		if (l->tok == TOK_AMP) {
			(*to)->background = true;
			se_lex_next(l);
		}
		to = &(*to)->next;
	}
}

struct prof *
se_prof_parse(struct arena *a, const char *path, const char *text, size_t len,
    enum dialect d)
{
	struct prof *p = arena_alloc(a, sizeof *p);
	struct lex l;
	const char *cr;

	*p = (struct prof){ .path = path, .text = text, .len = len,
		.dialect = d };
	cr = memmem(text, len, "\r\n", 2);
	if (cr != NULL) {
		p->crlf = true;
		p->crlf_line = 1;
		for (; cr > text; cr--)
			p->crlf_line += cr[-1] == '\n';
	}
	se_lex_init(&l, a, text, len, d);
	se_lex_next(&l);
	p->body = d == DIALECT_FISH ? se_fish_list(&l) : list(&l, ends_eof);
	if (l.tok != TOK_EOF)
		se_lex_fail(&l, "a word out of place");
	p->bad = l.bad;
	p->bad_line = l.bad != NULL ? l.line : 0;
	p->open_end = l.open_end;
	return p;
}
