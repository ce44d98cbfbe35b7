/* SPDX-License-Identifier: ISC */
/* Lists, pipelines, simple commands and redirections. */
#include "syntax_int.h"

void
syn_unexpected(struct syn_parser *p, const char *expected)
{
	enum syn_token tok = syn_peek(p);

	if (tok == TOK_EOF)
		syn_open(p, "%s", expected);
	else
		syn_fail(p, p->lex.tok_pos, ERR_SYNTAX, "%s instead of %s",
		    expected, syn_token_name(tok));
}

bool
syn_expect(struct syn_parser *p, enum syn_token tok)
{
	if (!syn_ok(p))
		return false;
	if (syn_peek(p) != tok) {
		syn_unexpected(p, syn_token_name(tok));
		return false;
	}
	syn_take(p);
	return true;
}

struct syn_node *
syn_node_new(struct syn_parser *p, enum syn_command_kind kind)
{
	struct syn_node *node = arena_alloc(p->arena, sizeof *node);

	node->kind = kind;
	node->offset = syn_offset(p, p->lex.tok_pos);
	node->src = p->s + p->lex.tok_pos;
	return node;
}

void
syn_node_end(struct syn_parser *p, struct syn_node *node)
{
	node->len = (size_t)(p->s + p->lex.taken_end - node->src);
}

static bool
is_redirection(enum syn_token tok)
{
	return (tok >= TOK_LESS && tok <= TOK_AMP_DGREAT) ||
	    tok == TOK_NUMBER || tok == TOK_FD_NAME;
}

bool
syn_starts_command(enum syn_token tok)
{
	return tok == TOK_WORD || tok == TOK_ASSIGN || is_redirection(tok) ||
	    syn_starts_compound(tok) || tok == TOK_FUNCTION ||
	    tok == TOK_COPROC || tok == TOK_BANG || tok == TOK_TIME;
}

/* ---- redirections ------------------------------------------------------- */

static enum syn_redir_op
redir_op(enum syn_token tok)
{
	switch ((int)tok) {
	case TOK_LESS:
		return SYN_REDIR_IN;
	case TOK_GREAT:
		return SYN_REDIR_OUT;
	case TOK_DLESS:
	case TOK_DLESS_DASH:
		return SYN_REDIR_HEREDOC;
	case TOK_TLESS:
		return SYN_REDIR_HERESTRING;
	case TOK_DGREAT:
		return SYN_REDIR_APPEND;
	case TOK_LESS_AMP:
		return SYN_REDIR_DUP_IN;
	case TOK_GREAT_AMP:
		return SYN_REDIR_DUP_OUT;
	case TOK_LESS_GREAT:
		return SYN_REDIR_RDWR;
	case TOK_CLOBBER:
		return SYN_REDIR_CLOBBER;
	case TOK_AMP_GREAT:
		return SYN_REDIR_BOTH;
	case TOK_AMP_DGREAT:
		return SYN_REDIR_BOTH_APPEND;
	default:
		return SYN_REDIR_UNKNOWN;
	}
}

/* A number behind ">&" is a word for everybody else. */
static struct syn_text *
take_word(struct syn_parser *p)
{
	struct syn_text *t = p->lex.word;

	syn_take(p);
	return t;
}

/* Leaves the last token of the redirection as the one read, not taken, so
 * that the caller can set the lexer's state for what follows. */
static struct syn_target *
read_target(struct syn_parser *p)
{
	struct syn_target *t = arena_alloc(p->arena, sizeof *t);
	enum syn_token tok = syn_peek(p);
	bool dup;

	t->fd = -1;
	t->src = p->s + p->lex.tok_pos;
	if (tok == TOK_NUMBER) {
		t->fd = p->lex.number;
		t->fd_given = true;
		syn_take(p);
	} else if (tok == TOK_FD_NAME) {
		t->fd_word = p->lex.word;
		t->fd_name = p->lex.fd_name;
		t->fd_name_len = p->lex.fd_name_len;
		syn_take(p);
	}
	tok = syn_peek(p);
	t->op = redir_op(tok);
	if (t->op == SYN_REDIR_UNKNOWN) {
		syn_unexpected(p, "a redirection");
		return t;
	}
	dup = t->op == SYN_REDIR_DUP_IN || t->op == SYN_REDIR_DUP_OUT;
	if (tok == TOK_AMP_GREAT || tok == TOK_AMP_DGREAT) {
		/* Never behind a number: "2&>x" is the word 2. */
		if (t->fd_given || t->fd_name != NULL) {
			syn_unexpected(p, "another redirection");
			return t;
		}
	}
	t->strip = tok == TOK_DLESS_DASH;
	syn_take(p);
	tok = syn_peek(p);
	if (tok == TOK_WORD || (dup && tok == TOK_NUMBER)) {
		t->word = p->lex.word;
	} else if (dup && tok == TOK_DASH) {
		t->out = t->op == SYN_REDIR_DUP_OUT;
		t->op = SYN_REDIR_CLOSE;
	} else {
		syn_unexpected(p, "a word");
		return t;
	}
	if (t->op == SYN_REDIR_HEREDOC)
		syn_doc_expect(p, t);
	return t;
}

void
syn_read_redirections(struct syn_parser *p, struct syn_node *node)
{
	struct syn_target **tail = &node->targets;

	while (*tail != NULL)
		tail = &(*tail)->next;
	while (syn_ok(p) && is_redirection(syn_peek(p))) {
		*tail = read_target(p);
		tail = &(*tail)->next;
		syn_take(p);
	}
}

/* ---- commands ----------------------------------------------------------- */

/* first: the word that was read and taken when it turned out that this is
 * no definition of a function. */
void
syn_read_simple(struct syn_parser *p, struct syn_node *node,
    struct syn_text *first)
{
	struct syn_text **words = &node->words;
	struct syn_target **targets = &node->targets;

	if (first != NULL) {
		*words = first;
		words = &first->next;
	}
	while (syn_ok(p)) {
		enum syn_token tok = syn_peek(p);

		if (tok == TOK_WORD || tok == TOK_ASSIGN) {
			p->lex.state &= ~(unsigned)LEX_REDIR_LIST;
			*words = take_word(p);
			words = &(*words)->next;
		} else if (is_redirection(tok)) {
			*targets = read_target(p);
			targets = &(*targets)->next;
			if (node->words == NULL)
				p->lex.state |= LEX_REDIR_LIST;
			syn_take(p);
		} else {
			break;
		}
	}
	p->lex.state &= ~(unsigned)LEX_REDIR_LIST;
}

/* After "name" a parenthesis: "name()". */
static void
read_definition(struct syn_parser *p, struct syn_node *node)
{
	node->kind = SYN_CMD_FUNCTION;
	syn_take(p);
	syn_expect(p, TOK_RPAREN);
	syn_read_function(p, node);
}

struct syn_node *
syn_read_command(struct syn_parser *p)
{
	enum syn_token tok = syn_peek(p);
	struct syn_node *node;

	if (syn_starts_compound(tok) || tok == TOK_FUNCTION ||
	    tok == TOK_COPROC) {
		if (!syn_deeper(p))
			return NULL;
		node = syn_read_compound(p);
		p->depth--;
		return node;
	}
	if (tok != TOK_WORD && tok != TOK_ASSIGN && !is_redirection(tok)) {
		syn_unexpected(p, "a command");
		return NULL;
	}
	node = syn_node_new(p, SYN_CMD_SIMPLE);
	if (tok == TOK_WORD) {
		struct syn_text *first = take_word(p);

		if (syn_peek(p) == TOK_LPAREN && syn_ok(p)) {
			node->name = first;
			if (syn_deeper(p)) {
				read_definition(p, node);
				p->depth--;
			}
		} else {
			syn_read_simple(p, node, first);
		}
	} else {
		syn_read_simple(p, node, NULL);
	}
	syn_node_end(p, node);
	return node;
}

static bool
read_prefixes(struct syn_parser *p, struct syn_pipe *pipe)
{
	enum syn_token tok;
	bool any = false;

	while ((tok = syn_peek(p)) == TOK_BANG || tok == TOK_TIME) {
		any = true;
		syn_take(p);
		if (tok == TOK_BANG) {
			pipe->bangs++;
			continue;
		}
		pipe->timed = true;
		if (syn_peek(p) == TOK_TIME_P) {
			pipe->time_p = true;
			syn_take(p);
		}
		if (syn_peek(p) == TOK_TIME_END) {
			pipe->time_p = true;
			syn_take(p);
		}
	}
	return any;
}

static struct syn_pipe *
read_pipeline(struct syn_parser *p)
{
	struct syn_pipe *pipe = arena_alloc(p->arena, sizeof *pipe);
	struct syn_node **tail = &pipe->first;
	enum syn_token tok;

	if (read_prefixes(p, pipe) && ((tok = syn_peek(p)) == TOK_NEWLINE ||
	    tok == TOK_SEMI || tok == TOK_EOF))
		return pipe;
	for (;;) {
		struct syn_node *node = syn_read_command(p);

		if (!syn_ok(p))
			break;
		*tail = node;
		tail = &node->next;
		tok = syn_peek(p);
		if (tok != TOK_PIPE && tok != TOK_PIPE_AMP)
			break;
		node->pipe_both = tok == TOK_PIPE_AMP;
		syn_take(p);
		syn_skip_newlines(p);
	}
	return pipe;
}

static struct syn_andor *
read_andor(struct syn_parser *p)
{
	struct syn_andor *andor = arena_alloc(p->arena, sizeof *andor);
	struct syn_pipe **tail = &andor->first;
	bool or_else = false;

	for (;;) {
		enum syn_token tok;

		*tail = read_pipeline(p);
		if (!syn_ok(p))
			break;
		(*tail)->or_else = or_else;
		tail = &(*tail)->next;
		tok = syn_peek(p);
		if (tok != TOK_AND && tok != TOK_OR)
			break;
		or_else = tok == TOK_OR;
		syn_take(p);
		syn_skip_newlines(p);
	}
	return andor;
}

/* At a command.  top: up to a newline, which is not taken. */
struct syn_list *
syn_read_list(struct syn_parser *p, bool top)
{
	struct syn_list *list = arena_alloc(p->arena, sizeof *list);
	struct syn_andor **tail = &list->first;

	do {
		enum syn_token tok;

		*tail = read_andor(p);
		if (!syn_ok(p))
			break;
		tok = syn_peek(p);
		if (tok == TOK_AMP) {
			(*tail)->background = true;
			(*tail)->amp = syn_offset(p, p->lex.tok_pos);
		}
		if (tok == TOK_NEWLINE && !top)
			(*tail)->line_end = true;
		tail = &(*tail)->next;
		if (tok != TOK_SEMI && tok != TOK_AMP &&
		    (tok != TOK_NEWLINE || top))
			break;
		syn_take(p);
		if (!top)
			syn_skip_newlines(p);
	} while (syn_ok(p) && syn_starts_command(syn_peek(p)));
	return list;
}
