/* SPDX-License-Identifier: ISC */
/* The tree for people and tests: one node a line, indented, no offsets. */
#include "syntax_int.h"

#include "aegsh/base/text.h"

struct dumper {
	struct buf *out;
	unsigned depth;
};

static void dump_list(struct dumper *d, const struct syn_list *list,
    bool lines);
static void dump_node(struct dumper *d, const struct syn_node *node);
static void dump_text(struct dumper *d, const char *label,
    const struct syn_text *t);

static void
line(struct dumper *d, const char *label, const char *s, size_t len)
{
	buf_putf(d->out, "%*s%s", (int)d->depth * 2, "", label);
	if (s != NULL) {
		buf_puts(d->out, " \"");
		text_inert(d->out, s, len, 0);
		buf_puts(d->out, "\"");
	}
	buf_putc(d->out, '\n');
}

static const char *
param_name(enum syn_param_op op)
{
	switch (op) {
	case SYN_PARAM_BAD:
		return "bad-parameter";
	case SYN_PARAM_PLAIN:
		return "parameter";
	case SYN_PARAM_LENGTH:
		return "length";
	case SYN_PARAM_DEFAULT:
		return "default";
	case SYN_PARAM_ASSIGN:
		return "assign-default";
	case SYN_PARAM_ERROR:
		return "error-if-unset";
	case SYN_PARAM_ALTERNATE:
		return "alternate";
	case SYN_PARAM_PATTERN:
		return "remove-or-case";
	case SYN_PARAM_REPLACE:
		return "replace";
	case SYN_PARAM_SUBSTRING:
		return "substring";
	case SYN_PARAM_TRANSFORM:
		return "transform";
	case SYN_PARAM_NAMES:
		return "names";
	case SYN_PARAM_KEYS:
		return "keys";
	}
	return "?";
}

static void dump_pieces(struct dumper *d, const struct syn_piece *piece);

static void
dump_script(struct dumper *d, const struct syn_script *script)
{
	d->depth++;
	if (script->list != NULL)
		dump_list(d, script->list, true);
	if (script->broken)
		line(d, "unreadable", script->rest, script->rest_len);
	d->depth--;
}

static void
dump_param(struct dumper *d, const struct syn_param *param)
{
	line(d, param->indirect ? "indirect" : param_name(param->op),
	    param->name_len > 0 ? param->name : "", param->name_len);
	d->depth++;
	if (param->has_subscript) {
		line(d, "subscript", NULL, 0);
		d->depth++;
		dump_pieces(d, param->subscript);
		d->depth--;
	}
	if (param->indirect)
		line(d, param_name(param->op), NULL, 0);
	dump_pieces(d, param->word);
	d->depth--;
}

static void
dump_piece(struct dumper *d, const struct syn_piece *piece)
{
	static const char *const labels[] = {
		[SYN_PIECE_LITERAL] = "literal", [SYN_PIECE_ESCAPE] = "escape",
		[SYN_PIECE_SINGLE] = "single", [SYN_PIECE_ANSI] = "ansi",
		[SYN_PIECE_DOUBLE] = "double", [SYN_PIECE_PARAM] = "",
		[SYN_PIECE_SUBST] = "substitution",
		[SYN_PIECE_PROCESS] = "process", [SYN_PIECE_ARITH] =
		"arithmetic", [SYN_PIECE_GROUP] = "group",
		[SYN_PIECE_SUBSCRIPT] = "key", [SYN_PIECE_ARRAY] = "array",
		[SYN_PIECE_BROKEN] = "broken",
	};
	const struct syn_text *t;

	if (piece->kind == SYN_PIECE_PARAM) {
		dump_param(d, piece->param);
		return;
	}
	if (piece->kind == SYN_PIECE_BROKEN)
		line(d, labels[piece->kind], piece->src, piece->src_len);
	else if (piece->kind == SYN_PIECE_SUBST ||
	    piece->kind == SYN_PIECE_PROCESS || piece->text == NULL)
		line(d, labels[piece->kind], NULL, 0);
	else
		line(d, labels[piece->kind], piece->text, piece->len);
	if (piece->script != NULL)
		dump_script(d, piece->script);
	d->depth++;
	dump_pieces(d, piece->kids);
	for (t = piece->words; t != NULL; t = t->next)
		dump_text(d, "word", t);
	d->depth--;
}

static void
dump_pieces(struct dumper *d, const struct syn_piece *piece)
{
	for (; piece != NULL; piece = piece->next)
		dump_piece(d, piece);
}

static void
dump_text(struct dumper *d, const char *label, const struct syn_text *t)
{
	const struct syn_piece *one = t->pieces;

	if (one != NULL && one->next == NULL &&
	    one->kind == SYN_PIECE_LITERAL && t->assignment == NULL) {
		line(d, label, one->text, one->len);
		return;
	}
	if (t->assignment != NULL)
		line(d, t->assignment->append ? "append" : "assign",
		    t->assignment->name, t->assignment->name_len);
	else
		line(d, label, NULL, 0);
	d->depth++;
	dump_pieces(d, t->pieces);
	d->depth--;
}

static void
dump_target(struct dumper *d, const struct syn_target *t)
{
	line(d, t->op == SYN_REDIR_CLOSE ? "close" :
	    t->op == SYN_REDIR_HEREDOC ? "here-document" :
	    syn_redir_text(t->op), NULL, 0);
	d->depth++;
	if (t->fd_word != NULL)
		dump_text(d, "descriptor", t->fd_word);
	if (t->fd_given) {
		buf_putf(d->out, "%*sdescriptor %d\n", (int)d->depth * 2, "",
		    t->fd);
	}
	if (t->op == SYN_REDIR_HEREDOC) {
		bool nl = t->body_len > 0 && t->body[t->body_len - 1] == '\n';

		line(d, t->raw ? "raw-until" : "until", t->delimiter,
		    t->delimiter_len);
		line(d, "body", t->body, t->body_len - nl);
		if (!t->raw && t->strip)
			dump_pieces(d, t->pieces);
	} else if (t->word != NULL) {
		dump_text(d, "word", t->word);
	}
	d->depth--;
}

static void
dump_cond(struct dumper *d, const struct syn_cond *c)
{
	static const char *const names[] = {
		[SYN_COND_WORD] = "non-empty", [SYN_COND_UNARY] = "test",
		[SYN_COND_BINARY] = "compare", [SYN_COND_AND] = "and",
		[SYN_COND_OR] = "or", [SYN_COND_PAREN] = "paren",
	};

	for (; c != NULL; c = c->b) {
		if (c->negated)
			line(d, "not", NULL, 0);
		line(d, names[c->kind], c->op, c->op_len);
		d->depth++;
		if (c->left != NULL)
			dump_text(d, "word", c->left);
		if (c->right != NULL)
			dump_text(d, "word", c->right);
		if (c->a != NULL)
			dump_cond(d, c->a);
		d->depth--;
	}
}

/* The last arm of a case may do without ";;": it means the same. */
static void
dump_arms(struct dumper *d, const struct syn_arm *arm)
{
	const struct syn_text *t;

	for (; arm != NULL; arm = arm->next) {
		const char *end = arm->end == NULL && arm->patterns != NULL ?
		    ";;" : arm->end;

		line(d, "arm", end, end != NULL ? strlen(end) : 0);
		d->depth++;
		for (t = arm->patterns; t != NULL; t = t->next)
			dump_text(d, "pattern", t);
		if (arm->test != NULL)
			dump_list(d, arm->test, false);
		if (arm->body != NULL) {
			line(d, "then", NULL, 0);
			dump_list(d, arm->body, false);
		}
		d->depth--;
	}
}

static void
dump_node(struct dumper *d, const struct syn_node *node)
{
	static const char *const names[] = {
		[SYN_CMD_SIMPLE] = "command", [SYN_CMD_SUBSHELL] = "subshell",
		[SYN_CMD_GROUP] = "group", [SYN_CMD_IF] = "if",
		[SYN_CMD_WHILE] = "while", [SYN_CMD_UNTIL] = "until",
		[SYN_CMD_FOR] = "for", [SYN_CMD_SELECT] = "select",
		[SYN_CMD_ARITH_FOR] = "arithmetic-for",
		[SYN_CMD_CASE] = "case", [SYN_CMD_COND] = "condition",
		[SYN_CMD_ARITH] = "arithmetic",
		[SYN_CMD_FUNCTION] = "function", [SYN_CMD_COPROC] = "coproc",
	};
	const struct syn_target *target;
	const struct syn_text *t;
	size_t i, n = 0;

	line(d, names[node->kind], NULL, 0);
	d->depth++;
	if (node->name != NULL)
		dump_text(d, "name", node->name);
	if (node->has_in)
		line(d, "in", NULL, 0);
	for (t = node->words; t != NULL; t = t->next)
		dump_text(d, "word", t);
	if (node->arith != NULL)
		n = node->kind == SYN_CMD_ARITH_FOR ? 3 : 1;
	for (i = 0; i < n; i++) {
		line(d, "expression", node->arith[i].src,
		    node->arith[i].src_len);
		d->depth++;
		dump_pieces(d, node->arith[i].pieces);
		d->depth--;
	}
	dump_cond(d, node->cond);
	dump_arms(d, node->arms);
	if (node->test != NULL)
		dump_list(d, node->test, false);
	if (node->body != NULL) {
		line(d, node->test != NULL ? "do" : "body", NULL, 0);
		d->depth++;
		dump_list(d, node->body, false);
		d->depth--;
	}
	if (node->inner != NULL)
		dump_node(d, node->inner);
	for (target = node->targets; target != NULL; target = target->next)
		dump_target(d, target);
	d->depth--;
}

static void
dump_pipe(struct dumper *d, const struct syn_pipe *pipe)
{
	const struct syn_node *node;
	unsigned i;

	for (i = 0; i < pipe->bangs; i++)
		line(d, "!", NULL, 0);
	if (pipe->timed)
		line(d, pipe->time_p ? "time -p" : "time", NULL, 0);
	for (node = pipe->first; node != NULL; node = node->next) {
		dump_node(d, node);
		if (node->next != NULL)
			line(d, node->pipe_both ? "|&" : "|", NULL, 0);
	}
}

/* lines: bash reads a script line by line; elsewhere a newline is a ";". */
static void
dump_list(struct dumper *d, const struct syn_list *list, bool lines)
{
	const struct syn_andor *andor;
	const struct syn_pipe *pipe;

	for (andor = list->first; andor != NULL; andor = andor->next) {
		for (pipe = andor->first; pipe != NULL; pipe = pipe->next) {
			dump_pipe(d, pipe);
			if (pipe->next != NULL)
				line(d, pipe->next->or_else ? "||" : "&&",
				    NULL, 0);
		}
		if (andor->background)
			line(d, "&", NULL, 0);
		if (andor->line_end && andor->next != NULL && lines)
			line(d, "newline", NULL, 0);
	}
}

void
syn_dump(const struct syn_tree *tree, struct buf *out)
{
	struct dumper d = { .out = out };

	dump_script(&d, &tree->script);
}
