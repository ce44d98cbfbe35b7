/* SPDX-License-Identifier: ISC */
/*
 * The canonical line: one space, one way to write each construct, comments
 * and joined lines gone; what bash reads as text of its own later
 * (backquotes, arithmetic, ${…}) stays as it was written.
 */
#include "syntax_int.h"

struct printer {
	struct buf *out;
	const struct syn_target **docs;	/* that wait for a newline */
	size_t n_docs, cap_docs;
	size_t first_doc;	/* of the text that is read in one go */
	bool subst;		/* inside $( ): newlines stay */
};

static void print_list(struct printer *pr, const struct syn_list *list,
    bool top);
static void print_node(struct printer *pr, const struct syn_node *node);

static void
put(struct printer *pr, const char *s, size_t len)
{
	buf_put(pr->out, s, len);
}

static void
puts_(struct printer *pr, const char *s)
{
	buf_puts(pr->out, s);
}

/* ---- words -------------------------------------------------------------- */

static void print_text(struct printer *pr, const struct syn_text *t);

static bool
ends_joined(const struct syn_target *t)
{
	size_t n = t->body_len;

	if (n > 0 && t->body[n - 1] == '\n')
		n--;
	return n > 0 && t->body[n - 1] == '\\';
}

/* A newline, and the here-documents that it starts. */
static void
print_newline(struct printer *pr)
{
	size_t i;

	puts_(pr, "\n");
	for (i = pr->first_doc; i < pr->n_docs; i++) {
		const struct syn_target *t = pr->docs[i];

		put(pr, t->body, t->body_len);
		/* The end of all input ended it; a delimiter would be joined
		 * to a last line that ends in a backslash. */
		if (t->unended && !t->raw && ends_joined(t))
			break;
		if (t->body_len > 0 && t->body[t->body_len - 1] != '\n')
			puts_(pr, "\n");
		/* No line can be a delimiter of two lines. */
		if (memchr(t->delimiter, '\n', t->delimiter_len) != NULL)
			break;
		put(pr, t->delimiter, t->delimiter_len);
		puts_(pr, "\n");
	}
	pr->n_docs = pr->first_doc;
}

/* "!" or "time" alone needs its semicolon in front of a parenthesis. */
static bool
is_bare(const struct syn_andor *andor)
{
	const struct syn_pipe *pipe = andor->first;

	while (pipe->next != NULL)
		pipe = pipe->next;
	return pipe->first == NULL;
}

/* A list in front of a parenthesis or ";;". */
static void
print_closed(struct printer *pr, const struct syn_list *list)
{
	const struct syn_andor *andor = list->first;

	print_list(pr, list, false);
	while (andor->next != NULL)
		andor = andor->next;
	if (!andor->background && is_bare(andor))
		puts_(pr, ";");
}

static void
print_subst(struct printer *pr, const struct syn_piece *piece)
{
	size_t first = pr->first_doc, i = 2;
	bool subst = pr->subst;

	while (i + 1 < piece->src_len && piece->src[i] == '\\' &&
	    piece->src[i + 1] == '\n')
		i += 2;
	if (piece->mark == '`' || piece->script->broken ||
	    piece->src[1] != '(' || (i < piece->src_len &&
	    piece->src[i] == '(')) {
		put(pr, piece->src, piece->src_len);
		return;
	}
	put(pr, piece->src, 2);
	if (piece->script->list != NULL) {
		const struct syn_pipe *pipe = piece->script->list->first->first;

		/* "$((" would be arithmetic, and "$(time" reads no
		 * reserved word. */
		if (pipe->timed)
			puts_(pr, "\n");
		else if (pipe->first != NULL && pipe->bangs == 0 &&
		    (pipe->first->kind == SYN_CMD_SUBSHELL ||
		    pipe->first->kind == SYN_CMD_ARITH))
			puts_(pr, " ");
		pr->first_doc = pr->n_docs;
		pr->subst = true;
		print_closed(pr, piece->script->list);
		if (pr->n_docs > pr->first_doc)
			print_newline(pr);
		pr->first_doc = first;
		pr->subst = subst;
	}
	puts_(pr, ")");
}

static void
print_pieces(struct printer *pr, const struct syn_piece *piece)
{
	const struct syn_text *t;

	for (; piece != NULL; piece = piece->next)
		switch (piece->kind) {
		case SYN_PIECE_LITERAL:
			put(pr, piece->text, piece->len);
			break;
		case SYN_PIECE_DOUBLE:
			if (piece->mark == '$')
				puts_(pr, "$");
			if (piece->mark != '\'')
				puts_(pr, "\"");
			print_pieces(pr, piece->kids);
			if (piece->mark != '\'')
				puts_(pr, "\"");
			break;
		case SYN_PIECE_SUBST:
		case SYN_PIECE_PROCESS:
			print_subst(pr, piece);
			break;
		case SYN_PIECE_ARRAY:
			puts_(pr, "(");
			for (t = piece->words; t != NULL; t = t->next) {
				print_text(pr, t);
				if (t->next != NULL)
					puts_(pr, " ");
			}
			puts_(pr, ")");
			break;
		case SYN_PIECE_ESCAPE:
			puts_(pr, "\\");
			put(pr, piece->text, piece->len);
			break;
		case SYN_PIECE_SINGLE:
		case SYN_PIECE_ANSI:
		case SYN_PIECE_PARAM:
		case SYN_PIECE_ARITH:
		case SYN_PIECE_GROUP:
		case SYN_PIECE_SUBSCRIPT:
		case SYN_PIECE_BROKEN:
			put(pr, piece->src, piece->src_len);
			break;
		}
}

static void
print_text(struct printer *pr, const struct syn_text *t)
{
	print_pieces(pr, t->pieces);
}

static void
print_words(struct printer *pr, const struct syn_text *t)
{
	for (; t != NULL; t = t->next) {
		puts_(pr, " ");
		print_text(pr, t);
	}
}

/* ---- redirections ------------------------------------------------------- */

const char *
syn_redir_text(enum syn_redir_op op)
{
	switch (op) {
	case SYN_REDIR_IN:
		return "<";
	case SYN_REDIR_OUT:
		return ">";
	case SYN_REDIR_APPEND:
		return ">>";
	case SYN_REDIR_CLOBBER:
		return ">|";
	case SYN_REDIR_RDWR:
		return "<>";
	case SYN_REDIR_BOTH:
		return "&>";
	case SYN_REDIR_BOTH_APPEND:
		return "&>>";
	case SYN_REDIR_DUP_IN:
		return "<&";
	case SYN_REDIR_DUP_OUT:
		return ">&";
	case SYN_REDIR_CLOSE:
		return ">&-";
	case SYN_REDIR_HEREDOC:
		return "<<";
	case SYN_REDIR_HERESTRING:
		return "<<<";
	case SYN_REDIR_UNKNOWN:
		break;
	}
	return "?";
}

static const char *
operator_of(const struct syn_target *t)
{
	if (t->op == SYN_REDIR_CLOSE && !t->out)
		return "<&-";
	if (t->op == SYN_REDIR_HEREDOC && t->strip)
		return "<<-";
	return syn_redir_text(t->op);
}

static void
print_target(struct printer *pr, const struct syn_target *t)
{
	if (t->fd_word != NULL)
		print_text(pr, t->fd_word);
	else if (t->fd_given)
		buf_putf(pr->out, "%d", t->fd);
	puts_(pr, operator_of(t));
	if (t->word == NULL)
		return;
	if (t->op == SYN_REDIR_HEREDOC ||
	    (t->word->src_len > 0 && strchr("-<>&", t->word->src[0]) != NULL))
		puts_(pr, " ");
	print_text(pr, t->word);
	if (t->op != SYN_REDIR_HEREDOC)
		return;
	if (pr->n_docs == pr->cap_docs) {
		pr->cap_docs = pr->cap_docs * 2 + 8;
		pr->docs = xreallocarray(pr->docs, pr->cap_docs,
		    sizeof *pr->docs);
	}
	pr->docs[pr->n_docs++] = t;
}

static void
print_targets(struct printer *pr, const struct syn_target *t)
{
	for (; t != NULL; t = t->next) {
		puts_(pr, " ");
		print_target(pr, t);
	}
}

/* ---- commands ----------------------------------------------------------- */

/* Words and redirections in the order in which they were written: "<x if"
 * is no "if". */
static void
print_simple(struct printer *pr, const struct syn_node *node)
{
	const struct syn_text *word = node->words;
	const struct syn_target *target = node->targets;
	bool first = true;

	while (word != NULL || target != NULL) {
		if (!first)
			puts_(pr, " ");
		first = false;
		if (target == NULL ||
		    (word != NULL && word->src < target->src)) {
			print_text(pr, word);
			word = word->next;
		} else {
			print_target(pr, target);
			target = target->next;
		}
	}
}

static bool
ends_in_amp(const struct syn_list *list)
{
	const struct syn_andor *a = list->first;

	while (a->next != NULL)
		a = a->next;
	return a->background;
}

/* A list and what stands between it and the word that follows. */
static void
print_body(struct printer *pr, const struct syn_list *list, const char *end)
{
	puts_(pr, " ");
	print_list(pr, list, false);
	puts_(pr, ends_in_amp(list) ? " " : "; ");
	puts_(pr, end);
}

static void
print_if(struct printer *pr, const struct syn_node *node)
{
	const struct syn_arm *arm;

	for (arm = node->arms; arm != NULL; arm = arm->next) {
		if (arm->test != NULL) {
			puts_(pr, arm == node->arms ? "if" : "elif");
			print_body(pr, arm->test, "then");
		} else {
			puts_(pr, "else");
		}
		print_body(pr, arm->body, arm->next == NULL ? "fi" : "");
	}
}

static void
print_case(struct printer *pr, const struct syn_node *node)
{
	const struct syn_arm *arm;
	const struct syn_text *t;

	puts_(pr, "case ");
	print_text(pr, node->words);
	puts_(pr, " in");
	for (arm = node->arms; arm != NULL; arm = arm->next) {
		puts_(pr, " (");
		for (t = arm->patterns; t != NULL; t = t->next) {
			print_text(pr, t);
			if (t->next != NULL)
				puts_(pr, " | ");
		}
		puts_(pr, ")");
		if (arm->body != NULL) {
			puts_(pr, " ");
			print_closed(pr, arm->body);
		}
		puts_(pr, " ");
		puts_(pr, arm->end != NULL ? arm->end : ";;");
	}
	puts_(pr, " esac");
}

static void
print_loop(struct printer *pr, const struct syn_node *node)
{
	size_t i;

	if (node->kind == SYN_CMD_ARITH_FOR) {
		puts_(pr, "for ((");
		for (i = 0; i < 3; i++) {
			put(pr, node->arith[i].src, node->arith[i].src_len);
			puts_(pr, i < 2 ? "; " : "))");
		}
	} else {
		puts_(pr, node->kind == SYN_CMD_FOR ? "for " : "select ");
		print_text(pr, node->name);
		if (node->has_in) {
			puts_(pr, " in");
			print_words(pr, node->words);
		}
	}
	puts_(pr, node->brace_body ? "; {" : "; do");
	print_body(pr, node->body, node->brace_body ? "}" : "done");
}

static void
print_cond(struct printer *pr, const struct syn_cond *c)
{
	for (; c != NULL; c = c->b) {
		const struct syn_cond *one = c;

		if (c->kind == SYN_COND_AND || c->kind == SYN_COND_OR) {
			print_cond(pr, c->a);
			puts_(pr, c->kind == SYN_COND_AND ? "&& " : "|| ");
			continue;
		}
		if (one->negated)
			puts_(pr, "! ");
		if (one->kind == SYN_COND_PAREN) {
			puts_(pr, "( ");
			print_cond(pr, one->a);
			puts_(pr, ")");
		} else if (one->kind == SYN_COND_UNARY) {
			put(pr, one->op, one->op_len);
			puts_(pr, " ");
			print_text(pr, one->left);
		} else {
			print_text(pr, one->left);
		}
		if (one->kind == SYN_COND_BINARY) {
			puts_(pr, " ");
			put(pr, one->op, one->op_len);
			puts_(pr, " ");
			print_text(pr, one->right);
		}
		puts_(pr, " ");
	}
}

static void
print_function(struct printer *pr, const struct syn_node *node)
{
	if (node->keyword)
		puts_(pr, "function ");
	print_text(pr, node->name);
	puts_(pr, node->keyword ? " " : " () ");
	print_node(pr, node->inner);
}

static void
print_node(struct printer *pr, const struct syn_node *node)
{
	switch (node->kind) {
	case SYN_CMD_SIMPLE:
		print_simple(pr, node);
		return;
	case SYN_CMD_SUBSHELL:
		puts_(pr, "( ");
		print_closed(pr, node->body);
		puts_(pr, " )");
		break;
	case SYN_CMD_GROUP:
		puts_(pr, "{");
		print_body(pr, node->body, "}");
		break;
	case SYN_CMD_IF:
		print_if(pr, node);
		break;
	case SYN_CMD_WHILE:
	case SYN_CMD_UNTIL:
		puts_(pr, node->kind == SYN_CMD_WHILE ? "while" : "until");
		print_body(pr, node->test, "do");
		print_body(pr, node->body, "done");
		break;
	case SYN_CMD_FOR:
	case SYN_CMD_SELECT:
	case SYN_CMD_ARITH_FOR:
		print_loop(pr, node);
		break;
	case SYN_CMD_CASE:
		print_case(pr, node);
		break;
	case SYN_CMD_COND:
		puts_(pr, "[[ ");
		print_cond(pr, node->cond);
		puts_(pr, "]]");
		break;
	case SYN_CMD_ARITH:
		puts_(pr, "((");
		put(pr, node->arith->src, node->arith->src_len);
		puts_(pr, "))");
		break;
	case SYN_CMD_FUNCTION:
		print_function(pr, node);
		break;
	case SYN_CMD_COPROC:
		puts_(pr, "coproc ");
		if (node->name != NULL) {
			print_text(pr, node->name);
			puts_(pr, " ");
		}
		print_node(pr, node->inner);
		break;
	}
	print_targets(pr, node->targets);
}

static void
print_pipe(struct printer *pr, const struct syn_pipe *pipe)
{
	const struct syn_node *node = pipe->first;
	unsigned i;

	if (pipe->timed)
		puts_(pr, pipe->time_p ? "time -p" : "time");
	if (pipe->time_p && node != NULL && node->words != NULL &&
	    node->words->src_len > 0 && node->words->src[0] == '-')
		puts_(pr, " --");
	for (i = 0; i < pipe->bangs; i++)
		puts_(pr, i > 0 || pipe->timed ? " !" : "!");
	if (node != NULL && (pipe->timed || pipe->bangs > 0))
		puts_(pr, " ");
	for (; node != NULL; node = node->next) {
		print_node(pr, node);
		if (node->next != NULL)
			puts_(pr, node->pipe_both ? " |& " : " | ");
	}
}

static void
print_list(struct printer *pr, const struct syn_list *list, bool top)
{
	const struct syn_andor *andor;
	const struct syn_pipe *pipe;

	for (andor = list->first; andor != NULL; andor = andor->next) {
		for (pipe = andor->first; pipe != NULL; pipe = pipe->next) {
			print_pipe(pr, pipe);
			if (pipe->next != NULL)
				puts_(pr, pipe->next->or_else ? " || " :
				    " && ");
		}
		if (andor->background)
			puts_(pr, " &");
		if (andor->line_end &&
		    (top || (pr->subst && andor->next != NULL))) {
			print_newline(pr);
		} else if (andor->next != NULL) {
			puts_(pr, andor->background ? " " : "; ");
		}
	}
}

void
syn_print(const struct syn_tree *tree, struct buf *out)
{
	struct printer pr = { .out = out };

	print_list(&pr, tree->script.list, true);
	free(pr.docs);
}
