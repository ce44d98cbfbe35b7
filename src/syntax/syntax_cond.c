/* SPDX-License-Identifier: ISC */
/*
 * [[ … ]].  Bash reads it in one go with tokens of its own: nothing in it
 * is reserved, and newlines count in some places only.
 */
#include "syntax_int.h"

struct reader {
	struct syn_parser *p;
	enum syn_token tok;
	struct syn_text *word;
};

static struct syn_cond *read_or(struct reader *r);

static void
advance(struct reader *r)
{
	struct syn_lex *lex = &r->p->lex;

	lex->word = NULL;
	r->tok = syn_read_token(r->p);
	r->word = lex->word;
	if (!syn_ok(r->p))
		r->tok = TOK_EOF;
}

static void
advance_line(struct reader *r)
{
	do {
		advance(r);
	} while (r->tok == TOK_NEWLINE);
}

static void
unexpected(struct reader *r, const char *expected)
{
	struct syn_parser *p = r->p;

	if (r->tok == TOK_EOF)
		syn_open(p, "%s", expected);
	else
		syn_fail(p, p->lex.tok_pos, ERR_SYNTAX, "%s instead of %s",
		    expected, syn_token_name(r->tok));
}

static bool
is_unary(const struct syn_text *t)
{
	return t->src_len == 2 && t->src[0] == '-' &&
	    strchr("abcdefghknoprstuvwxzGLNORS", t->src[1]) != NULL;
}

static bool
is_binary(const char *s, size_t len)
{
	static const char *const ops[] = {
		"=", "==", "!=", "-nt", "-ot", "-ef", "-eq", "-ne", "-lt",
		"-le", "-gt", "-ge", "=~",
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(ops); i++)
		if (strncmp(s, ops[i], len) == 0 && ops[i][len] == '\0')
			return true;
	return false;
}

/* The operator of a comparison, and what may be read behind it. */
static bool
read_binary_op(struct reader *r, struct syn_cond *c)
{
	struct syn_parser *p = r->p;
	const char *s = NULL;
	size_t len = 0;

	if (r->tok == TOK_LESS || r->tok == TOK_GREAT) {
		s = syn_token_name(r->tok);
		len = 1;
	} else if (r->tok == TOK_WORD) {
		s = syn_text_plain(r->word, &len);
		if (s != NULL && !is_binary(s, len))
			s = NULL;
	}
	if (s == NULL)
		return false;
	c->op = s;
	c->op_len = len;
	if (len == 2 && memcmp(s, "=~", 2) == 0)
		p->lex.state |= LEX_REGEXP;
	return true;
}

static struct syn_cond *
read_comparison(struct reader *r, struct syn_cond *c)
{
	struct syn_parser *p = r->p;
	bool extglob = p->extglob;

	c->left = r->word;
	advance(r);
	if (r->tok == TOK_COND_END || r->tok == TOK_AND || r->tok == TOK_OR ||
	    r->tok == TOK_RPAREN) {
		c->kind = SYN_COND_WORD;
		return c;
	}
	c->kind = SYN_COND_BINARY;
	if (!read_binary_op(r, c)) {
		unexpected(r, "an operator or ]]");
		return c;
	}
	if (c->op[0] == '=' || c->op[0] == '!')
		p->extglob = extglob || (p->lex.state & LEX_REGEXP) == 0;
	advance(r);
	p->extglob = extglob;
	p->lex.state &= ~(unsigned)LEX_REGEXP;
	if (r->tok != TOK_WORD) {
		unexpected(r, "a word");
		return c;
	}
	c->right = r->word;
	advance_line(r);
	return c;
}

static struct syn_cond *
read_term(struct reader *r)
{
	struct syn_parser *p = r->p;
	struct syn_cond *c = arena_alloc(p->arena, sizeof *c);

	advance_line(r);
	while (r->tok == TOK_WORD && syn_text_is(r->word, "!")) {
		c->negated = !c->negated;
		advance_line(r);
	}
	if (r->tok == TOK_LPAREN) {
		c->kind = SYN_COND_PAREN;
		if (!syn_deeper(p))
			return c;
		c->a = read_or(r);
		p->depth--;
		if (!syn_ok(p))
			return c;
		if (r->tok != TOK_RPAREN) {
			unexpected(r, ")");
			return c;
		}
		advance_line(r);
		return c;
	}
	if (r->tok != TOK_WORD) {
		unexpected(r, "a condition");
		return c;
	}
	if (is_unary(r->word)) {
		c->kind = SYN_COND_UNARY;
		c->op = r->word->src;
		c->op_len = 2;
		advance(r);
		if (r->tok != TOK_WORD) {
			unexpected(r, "a word");
			return c;
		}
		c->left = r->word;
		advance_line(r);
		return c;
	}
	return read_comparison(r, c);
}

/* a && b && …, right to left like bash, without recursion. */
static struct syn_cond *
read_chain(struct reader *r, enum syn_token op, enum syn_cond_kind kind,
    struct syn_cond *(*read)(struct reader *))
{
	struct syn_cond *first = read(r), **last = &first;

	while (syn_ok(r->p) && r->tok == op) {
		struct syn_cond *c = arena_alloc(r->p->arena, sizeof *c);

		c->kind = kind;
		c->a = *last;
		*last = c;
		last = &c->b;
		*last = read(r);
	}
	return first;
}

static struct syn_cond *
read_and(struct reader *r)
{
	return read_chain(r, TOK_AND, SYN_COND_AND, read_term);
}

static struct syn_cond *
read_or(struct reader *r)
{
	return read_chain(r, TOK_OR, SYN_COND_OR, read_and);
}

/* Behind "[["; takes "]]". */
struct syn_cond *
syn_read_cond(struct syn_parser *p)
{
	struct reader r = { .p = p };
	struct syn_lex *lex = &p->lex;
	struct syn_cond *c;

	lex->before = lex->last;
	lex->last = TOK_COND_START;
	lex->state |= LEX_COND;
	c = read_or(&r);
	lex->state &= ~(unsigned)LEX_COND;
	if (syn_ok(p) && r.tok != TOK_COND_END)
		unexpected(&r, "]]");
	lex->tok = TOK_COND_END;
	return c;
}
