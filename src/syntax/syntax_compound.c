/* SPDX-License-Identifier: ISC */
/* Compound commands, functions and coprocesses. */
#include "syntax_int.h"

bool
syn_starts_compound(enum syn_token tok)
{
	return tok == TOK_LPAREN || tok == TOK_LBRACE || tok == TOK_IF ||
	    tok == TOK_WHILE || tok == TOK_UNTIL || tok == TOK_FOR ||
	    tok == TOK_SELECT || tok == TOK_CASE || tok == TOK_COND_START ||
	    tok == TOK_ARITH;
}

/* Commands that may start on a later line; at least one. */
static struct syn_list *
read_body(struct syn_parser *p)
{
	if (!syn_ok(p))
		return NULL;
	syn_skip_newlines(p);
	if (!syn_ok(p))
		return NULL;
	if (!syn_starts_command(syn_peek(p))) {
		syn_unexpected(p, "a command");
		return NULL;
	}
	return syn_read_list(p, false);
}

static void
read_if(struct syn_parser *p, struct syn_node *node)
{
	struct syn_arm **tail = &node->arms;
	enum syn_token tok;

	do {
		struct syn_arm *arm = arena_alloc(p->arena, sizeof *arm);

		syn_take(p);
		*tail = arm;
		tail = &arm->next;
		arm->test = read_body(p);
		if (!syn_expect(p, TOK_THEN))
			return;
		arm->body = read_body(p);
		if (!syn_ok(p))
			return;
		tok = syn_peek(p);
	} while (tok == TOK_ELIF);
	if (tok == TOK_ELSE) {
		struct syn_arm *arm = arena_alloc(p->arena, sizeof *arm);

		syn_take(p);
		*tail = arm;
		arm->body = read_body(p);
	}
	syn_expect(p, TOK_FI);
}

static void
read_while(struct syn_parser *p, struct syn_node *node)
{
	syn_take(p);
	node->test = read_body(p);
	if (!syn_expect(p, TOK_DO))
		return;
	node->body = read_body(p);
	syn_expect(p, TOK_DONE);
}

/* "do … done" or "{ … }" of for and select. */
static void
read_loop_body(struct syn_parser *p, struct syn_node *node)
{
	if (!syn_ok(p))
		return;
	if (syn_peek(p) != TOK_DO && p->lex.tok != TOK_LBRACE) {
		syn_unexpected(p, "do");
		return;
	}
	node->brace_body = p->lex.tok == TOK_LBRACE;
	syn_take(p);
	node->body = read_body(p);
	syn_expect(p, node->brace_body ? TOK_RBRACE : TOK_DONE);
}

static void
read_separator(struct syn_parser *p)
{
	enum syn_token tok = syn_peek(p);

	if (tok == TOK_SEMI || tok == TOK_NEWLINE)
		syn_take(p);
	else if (tok != TOK_EOF)
		syn_unexpected(p, "; or a newline");
	syn_skip_newlines(p);
}

/* Split at ";" outside quotes and substitutions: exactly three parts. */
static void
read_arith_for(struct syn_parser *p, struct syn_node *node)
{
	size_t from = p->lex.arith_pos, end = p->lex.arith_end;
	struct syn_parser q = *p;
	unsigned n = 0;

	node->arith = arena_alloc(p->arena, 3 * sizeof *node->arith);
	q.more = NULL;
	q.end = end;
	q.pos = from;
	q.at_end = true;
	for (;;) {
		size_t to;

		while (from < end && (syn_is((unsigned char)p->s[from],
		    SYN_CH_BLANK) || p->s[from] == '\n'))
			from++;
		if (q.pos < from)
			q.pos = from;
		syn_scan_until(&q, ';');
		to = q.pos;
		if (!syn_ok(&q))
			to = end;
		if (n == 3) {
			syn_fail(p, from, ERR_SYNTAX,
			    "three arithmetic expressions, not more");
			return;
		}
		node->arith[n].src = p->s + from;
		node->arith[n].src_len = to - from;
		node->arith[n++].pieces = syn_slice(p, SYN_PLACE_ARITH, from,
		    to);
		if (to >= end)
			break;
		q.pos = from = to + 1;
	}
	if (n < 3)
		syn_fail(p, p->lex.arith_end, ERR_SYNTAX,
		    "three arithmetic expressions");
	else
		syn_take(p);
}

static void
read_for(struct syn_parser *p, struct syn_node *node)
{
	bool is_for = syn_peek(p) == TOK_FOR;
	struct syn_text **tail = &node->words;
	enum syn_token tok;

	node->kind = is_for ? SYN_CMD_FOR : SYN_CMD_SELECT;
	syn_take(p);
	tok = syn_peek(p);
	if (tok == TOK_ARITH_FOR) {
		node->kind = SYN_CMD_ARITH_FOR;
		read_arith_for(p, node);
		if (!syn_ok(p))
			return;
		tok = syn_peek(p);
		if (tok != TOK_DO && tok != TOK_LBRACE)
			read_separator(p);
		read_loop_body(p, node);
		return;
	}
	if (tok != TOK_WORD) {
		syn_unexpected(p, "a variable name");
		return;
	}
	node->name = p->lex.word;
	syn_take(p);
	if (syn_peek(p) == TOK_SEMI) {
		syn_take(p);
		syn_skip_newlines(p);
		read_loop_body(p, node);
		return;
	}
	syn_skip_newlines(p);
	if (syn_peek(p) == TOK_IN) {
		node->has_in = true;
		syn_take(p);
		while (syn_peek(p) == TOK_WORD && syn_ok(p)) {
			*tail = p->lex.word;
			tail = &(*tail)->next;
			syn_take(p);
		}
		read_separator(p);
	}
	read_loop_body(p, node);
}

static struct syn_arm *
read_clause(struct syn_parser *p)
{
	struct syn_arm *arm = arena_alloc(p->arena, sizeof *arm);
	struct syn_text **tail = &arm->patterns;
	enum syn_token tok;

	if (syn_peek(p) == TOK_LPAREN)
		syn_take(p);
	for (;;) {
		if (syn_peek(p) != TOK_WORD) {
			syn_unexpected(p, "a pattern");
			return arm;
		}
		*tail = p->lex.word;
		tail = &(*tail)->next;
		syn_take(p);
		if (syn_peek(p) != TOK_PIPE)
			break;
		syn_take(p);
	}
	if (!syn_expect(p, TOK_RPAREN))
		return arm;
	syn_skip_newlines(p);
	if (syn_ok(p) && syn_starts_command(syn_peek(p)))
		arm->body = syn_read_list(p, false);
	if (!syn_ok(p))
		return arm;
	tok = syn_peek(p);
	if (tok == TOK_DSEMI || tok == TOK_SEMI_AMP || tok == TOK_DSEMI_AMP) {
		arm->end = syn_token_name(tok);
		syn_take(p);
		syn_skip_newlines(p);
	} else if (tok != TOK_ESAC) {
		syn_unexpected(p, ";; or esac");
	}
	return arm;
}

static void
read_case(struct syn_parser *p, struct syn_node *node)
{
	struct syn_arm **tail = &node->arms;

	syn_take(p);
	if (syn_peek(p) != TOK_WORD) {
		syn_unexpected(p, "a word");
		return;
	}
	node->words = p->lex.word;
	syn_take(p);
	syn_skip_newlines(p);
	if (!syn_expect(p, TOK_IN))
		return;
	syn_skip_newlines(p);
	while (syn_ok(p) && syn_peek(p) != TOK_ESAC &&
	    p->lex.tok != TOK_EOF) {
		struct syn_arm *arm = read_clause(p);

		*tail = arm;
		tail = &arm->next;
	}
	syn_expect(p, TOK_ESAC);
}

static void
read_enclosed(struct syn_parser *p, struct syn_node *node,
    enum syn_token close)
{
	syn_take(p);
	node->body = read_body(p);
	syn_expect(p, close);
}

static void
read_arith(struct syn_parser *p, struct syn_node *node)
{
	node->arith = arena_alloc(p->arena, sizeof *node->arith);
	node->arith->src = p->s + p->lex.arith_pos;
	node->arith->src_len = p->lex.arith_end - p->lex.arith_pos;
	node->arith->pieces = syn_slice(p, SYN_PLACE_ARITH, p->lex.arith_pos,
	    p->lex.arith_end);
	syn_take(p);
}

static void
read_cond(struct syn_parser *p, struct syn_node *node)
{
	syn_take(p);
	node->cond = syn_read_cond(p);
	if (syn_ok(p))
		p->lex.taken_end = p->pos;
}

/* The body of a function, and redirections that belong to it. */
void
syn_read_function(struct syn_parser *p, struct syn_node *node)
{
	if (!syn_ok(p))
		return;
	syn_skip_newlines(p);
	if (!syn_starts_compound(syn_peek(p))) {
		syn_unexpected(p, "a compound command");
		return;
	}
	node->inner = syn_read_command(p);
}

static void
read_keyword_function(struct syn_parser *p, struct syn_node *node)
{
	node->keyword = true;
	syn_take(p);
	if (syn_peek(p) != TOK_WORD) {
		syn_unexpected(p, "a function name");
		return;
	}
	node->name = p->lex.word;
	syn_take(p);
	if (syn_peek(p) == TOK_LPAREN) {
		struct syn_node *inner = syn_node_new(p, SYN_CMD_SUBSHELL);

		syn_take(p);
		/* Either "()" or the body, a subshell. */
		if (syn_peek(p) != TOK_RPAREN) {
			node->inner = inner;
			inner->body = read_body(p);
			syn_expect(p, TOK_RPAREN);
			syn_read_redirections(p, inner);
			syn_node_end(p, inner);
			return;
		}
		syn_take(p);
	}
	syn_read_function(p, node);
}

static void
read_coproc(struct syn_parser *p, struct syn_node *node)
{
	enum syn_token tok;
	struct syn_text *first;

	syn_take(p);
	tok = syn_peek(p);
	if (tok != TOK_WORD) {
		if (tok == TOK_FUNCTION || tok == TOK_COPROC)
			syn_unexpected(p, "a command");
		else
			node->inner = syn_read_command(p);
		return;
	}
	first = p->lex.word;
	node->inner = syn_node_new(p, SYN_CMD_SIMPLE);
	syn_take(p);
	if (syn_starts_compound(syn_peek(p))) {
		node->name = first;
		node->inner = syn_read_command(p);
	} else {
		syn_read_simple(p, node->inner, first);
		syn_node_end(p, node->inner);
	}
}

static enum syn_command_kind
kind_of(enum syn_token tok)
{
	switch ((int)tok) {
	case TOK_LPAREN:
		return SYN_CMD_SUBSHELL;
	case TOK_LBRACE:
		return SYN_CMD_GROUP;
	case TOK_IF:
		return SYN_CMD_IF;
	case TOK_WHILE:
		return SYN_CMD_WHILE;
	case TOK_UNTIL:
		return SYN_CMD_UNTIL;
	case TOK_CASE:
		return SYN_CMD_CASE;
	case TOK_COND_START:
		return SYN_CMD_COND;
	case TOK_ARITH:
		return SYN_CMD_ARITH;
	case TOK_FUNCTION:
		return SYN_CMD_FUNCTION;
	case TOK_COPROC:
		return SYN_CMD_COPROC;
	default:
		return SYN_CMD_FOR;
	}
}

/* At the token that starts it. */
struct syn_node *
syn_read_compound(struct syn_parser *p)
{
	struct syn_node *node = syn_node_new(p, kind_of(syn_peek(p)));

	switch (node->kind) {
	case SYN_CMD_SUBSHELL:
		read_enclosed(p, node, TOK_RPAREN);
		break;
	case SYN_CMD_GROUP:
		read_enclosed(p, node, TOK_RBRACE);
		break;
	case SYN_CMD_IF:
		read_if(p, node);
		break;
	case SYN_CMD_WHILE:
	case SYN_CMD_UNTIL:
		read_while(p, node);
		break;
	case SYN_CMD_CASE:
		read_case(p, node);
		break;
	case SYN_CMD_COND:
		read_cond(p, node);
		break;
	case SYN_CMD_ARITH:
		read_arith(p, node);
		break;
	case SYN_CMD_FUNCTION:
		read_keyword_function(p, node);
		break;
	case SYN_CMD_COPROC:
		read_coproc(p, node);
		break;
	case SYN_CMD_FOR:
	case SYN_CMD_SELECT:
	case SYN_CMD_ARITH_FOR:
	case SYN_CMD_SIMPLE:
		read_for(p, node);
		break;
	}
	if (syn_ok(p) && node->kind != SYN_CMD_FUNCTION &&
	    node->kind != SYN_CMD_COPROC)
		syn_read_redirections(p, node);
	if (syn_ok(p))
		syn_node_end(p, node);
	return node;
}
