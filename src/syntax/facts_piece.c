/* SPDX-License-Identifier: ISC */
/* Inside words: commands of substitutions, variables that are read. */
#include "facts_int.h"

void
syn_walk_value(struct syn_walk *w, const char *s, size_t len,
    enum syn_place place)
{
	struct syn_parser p = { .s = s, .end = len, .arena = w->arena,
	    .at_end = true, .fixed = true, .origin = w->at.offset,
	    .depth = w->at.depth, .status = SYN_TREE };
	struct syn_piece *pieces;

	if (w->values >= SYN_EVALS_MAX || !syn_spend_from(&w->spent_values,
	    len + SYN_VALUE_COST,
	    SYN_VALUES_FREE + SYN_VALUES_PER_BYTE * w->tree->len)) {
		syn_tell_broken(w, "", 0, SYN_WHY_CAP);
		return;
	}
	w->values++;
	p.memo = syn_memo_new(w->arena);
	pieces = syn_slice(&p, place, 0, len);
	if (place == SYN_PLACE_ARITH)
		syn_arith_walk(w, pieces);
	else
		syn_walk_pieces(w, pieces);
	w->values--;
}

static void
assign_word(struct syn_walk *w, const struct syn_param *param)
{
	struct syn_slot *slot = syn_env_slot(w, param->name, param->name_len);
	struct syn_word word;

	if (w->first || (!slot->integer && slot->reread == SYN_REREAD_NO))
		return;
	syn_expand_one(w, param->word, "", 0, w->at.offset, SYN_MODE_VALUE,
	    &word);
	syn_walk_assigned(w, slot, &word);
}

/* ${x:=word} assigns nothing where x is known to be there.  Else the name is
 * forgotten at once, since what stands in front of it was expanded without:
 * syn_tell_simple() gives it its value. */
static void
assign_default(struct syn_walk *w, const struct syn_param *param)
{
	const char *value = NULL;
	size_t len = 0;

	if (syn_env_get(w, param->name, param->name_len, &value, &len) !=
	    SYN_VAR_SET || (len == 0 && param->colon)) {
		assign_word(w, param);
		syn_env_lose(w, param->name, param->name_len);
	}
}

/* An expression that bash can surely evaluate. */
static bool
is_sound(struct syn_walk *w, const struct syn_piece *pieces)
{
	const char *text;
	size_t len;
	int64_t v;

	return syn_arith_text(w, pieces, &text, &len) &&
	    syn_arith_value(w, text, len, &v);
}

static bool
is_all_items(const struct syn_piece *key)
{
	return key != NULL && key->next == NULL && key->len == 1 &&
	    key->kind == SYN_PIECE_LITERAL &&
	    (key->text[0] == '@' || key->text[0] == '*');
}

/* ${1:=x}: bash assigns to variables only, and gives the line up. */
static bool
is_no_variable(const struct syn_param *param)
{
	return param->indirect || param->name_len == 0 ||
	    !syn_is((unsigned char)param->name[0], SYN_CH_NAME) ||
	    syn_is((unsigned char)param->name[0], SYN_CH_DIGIT) ||
	    (param->has_subscript && is_all_items(param->subscript));
}

static bool
param_may_fail(struct syn_walk *w, const struct syn_param *param)
{
	if (param->op == SYN_PARAM_ASSIGN && is_no_variable(param))
		return true;
	if (param->has_subscript && param->subscript == NULL)
		return true;
	if (param->has_subscript && !is_all_items(param->subscript))
		return !is_sound(w, param->subscript);
	return param->op == SYN_PARAM_SUBSTRING || (param->indirect &&
	    param->op != SYN_PARAM_KEYS && param->op != SYN_PARAM_NAMES);
}

static void
walk_param(struct syn_walk *w, const struct syn_piece *piece)
{
	const struct syn_param *param = piece->param;

	if (param_may_fail(w, param))
		syn_env_may_fail(w);
	if (param->name_len > 0 &&
	    syn_is((unsigned char)param->name[0], SYN_CH_NAME) &&
	    !syn_is((unsigned char)param->name[0], SYN_CH_DIGIT))
		syn_env_read(w, param->name, param->name_len);
	syn_walk_reread(w, piece);
	if (param->has_subscript && syn_env_is_assoc(w, param->name,
	    param->name_len))
		syn_walk_pieces(w, param->subscript);
	else if (param->has_subscript)
		syn_arith_walk(w, param->subscript);
	if (param->op == SYN_PARAM_SUBSTRING)
		syn_arith_walk(w, param->word);
	else
		syn_walk_pieces(w, param->word);
	if (param->op == SYN_PARAM_ASSIGN && param->name_len > 0)
		assign_default(w, param);
}

static void
walk_piece(struct syn_walk *w, const struct syn_piece *piece)
{
	unsigned context = w->at.context;

	switch (piece->kind) {
	case SYN_PIECE_LITERAL:
	case SYN_PIECE_ESCAPE:
	case SYN_PIECE_SINGLE:
		break;
	case SYN_PIECE_ANSI:
	case SYN_PIECE_DOUBLE:
	case SYN_PIECE_GROUP:
		syn_walk_pieces(w, piece->kids);
		break;
	case SYN_PIECE_PARAM:
		walk_param(w, piece);
		break;
	case SYN_PIECE_SUBST:
		syn_walk_script(w, piece->script, SYN_IN_SUBST);
		break;
	case SYN_PIECE_PROCESS:
		syn_walk_script(w, piece->script, SYN_IN_PROCESS);
		break;
	case SYN_PIECE_ARITH:
	case SYN_PIECE_SUBSCRIPT:
		w->at.context |= SYN_IN_ARITH;
		syn_arith_walk(w, piece->kids);
		w->at.context = context;
		if (!is_sound(w, piece->kids))
			syn_env_may_fail(w);
		break;
	case SYN_PIECE_ARRAY:
		syn_walk_texts(w, piece->words);
		break;
	case SYN_PIECE_BROKEN:
		syn_tell_broken(w, piece->src, piece->src_len,
		    SYN_WHY_UNSPECIFIED);
		break;
	}
}

void
syn_walk_pieces(struct syn_walk *w, const struct syn_piece *pieces)
{
	for (; pieces != NULL; pieces = pieces->next)
		walk_piece(w, pieces);
}

void
syn_walk_texts(struct syn_walk *w, const struct syn_text *t)
{
	for (; t != NULL; t = t->next)
		syn_walk_pieces(w, t->pieces);
}

void
syn_walk_targets(struct syn_walk *w, const struct syn_target *t)
{
	unsigned context = w->at.context;

	for (; t != NULL; t = t->next) {
		if (t->op == SYN_REDIR_HEREDOC) {
			w->at.context |= SYN_IN_HEREDOC;
			syn_walk_pieces(w, t->pieces);
			w->at.context = context;
		} else if (t->word != NULL) {
			syn_walk_pieces(w, t->word->pieces);
		}
		if (t->fd_name != NULL) {
			const char *open = memchr(t->fd_name, '[',
			    t->fd_name_len);
			size_t len = open != NULL ?
			    (size_t)(open - t->fd_name) : t->fd_name_len;

			if (open != NULL)
				syn_arith_walk(w, t->fd_word->pieces);
			syn_env_number(w, t->fd_name, len);
		}
	}
}

static bool
may_fail(const struct syn_walk *w, const struct syn_target *t)
{
	static const char null[] = "/dev/null";

	if (w->env.fragile || t->fd_name != NULL)
		return true;
	if (t->op == SYN_REDIR_HEREDOC || t->op == SYN_REDIR_HERESTRING)
		return false;
	return t->op == SYN_REDIR_DUP_IN || t->op == SYN_REDIR_DUP_OUT ||
	    t->op == SYN_REDIR_CLOSE || t->word == NULL ||
	    t->word->src_len != sizeof null - 1 ||
	    memcmp(t->word->src, null, sizeof null - 1) != 0;
}

bool
syn_targets_may_fail(const struct syn_walk *w, const struct syn_target *t)
{
	for (; t != NULL; t = t->next)
		if (may_fail(w, t))
			return true;
	return false;
}

/* An operand that is a number (or, name: a variable with its subscript). */
static void
walk_evaluated(struct syn_walk *w, const struct syn_text *t, bool name)
{
	struct syn_word word;

	syn_walk_pieces(w, t->pieces);
	syn_expand_one(w, t->pieces, t->src, t->src_len, t->offset,
	    SYN_MODE_VALUE, &word);
	if (name)
		syn_walk_reference(w, &word, false);
	else
		syn_walk_evaluated(w, &word);
}

static bool
is_numeric(const struct syn_cond *c)
{
	return c->op_len == 3 && c->op[0] == '-' &&
	    memcmp(c->op, "-nt", 3) != 0 && memcmp(c->op, "-ot", 3) != 0 &&
	    memcmp(c->op, "-ef", 3) != 0;
}

void
syn_walk_cond(struct syn_walk *w, const struct syn_cond *c)
{
	unsigned context = w->at.context;

	for (; c != NULL; c = c->b) {
		bool name = c->op != NULL && c->op_len == 2 &&
		    c->op[0] == '-' && (c->op[1] == 'v' || c->op[1] == 'R');
		bool evaluated = c->op != NULL && (is_numeric(c) || name);

		if (evaluated)
			w->at.context |= SYN_IN_ARITH;
		if (c->left != NULL && evaluated)
			walk_evaluated(w, c->left, name);
		else if (c->left != NULL)
			syn_walk_pieces(w, c->left->pieces);
		if (c->right != NULL && evaluated)
			walk_evaluated(w, c->right, name);
		else if (c->right != NULL)
			syn_walk_pieces(w, c->right->pieces);
		w->at.context = context;
		syn_walk_cond(w, c->a);
	}
}
