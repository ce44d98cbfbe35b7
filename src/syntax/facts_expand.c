/* SPDX-License-Identifier: ISC */
/*
 * What a word becomes: known bytes and unknown parts, split where bash is
 * known to split.  Nothing here runs or looks at anything outside.
 */
#include "facts_int.h"

#include <stdio.h>
#include <stdlib.h>

#define USER_MAX 256		/* bytes of ~user that are looked up */

static void expand_pieces(struct syn_maker *m, const struct syn_piece *piece,
    bool quoted);

static bool
default_ifs(struct syn_walk *w)
{
	const char *ifs = syn_env_ifs(w);

	return ifs != NULL && strcmp(ifs, " \t\n") == 0;
}

/* $$ $? $#: one word of digits. */
static bool
is_number(const struct syn_param *param)
{
	return param->op == SYN_PARAM_PLAIN && !param->indirect &&
	    param->name_len == 1 && strchr("$?#", param->name[0]) != NULL;
}

static bool
is_variable(const char *name, size_t len)
{
	return len > 0 && syn_is((unsigned char)name[0], SYN_CH_NAME) &&
	    !syn_is((unsigned char)name[0], SYN_CH_DIGIT);
}

/* "$@" and its like are none or many words even in quotes. */
static void
add_parameter(struct syn_maker *m, const struct syn_piece *piece, bool quoted,
    enum syn_why why)
{
	const struct syn_param *param = piece->param;
	const struct syn_piece *key = param->subscript;
	bool all = (param->name_len == 1 && param->name[0] == '@') ||
	    param->op == SYN_PARAM_KEYS || param->op == SYN_PARAM_NAMES ||
	    (key != NULL && key->kind == SYN_PIECE_LITERAL && key->len == 1 &&
	    key->text[0] == '@');

	if (is_number(param) && default_ifs(m->w))
		syn_add(m, false, quoted, why, piece->src, piece->src_len);
	else
		syn_add_unknown(m, piece, quoted, why);
	if (is_number(param) || (param->op == SYN_PARAM_LENGTH &&
	    !param->indirect) || (param->op == SYN_PARAM_PLAIN &&
	    !param->indirect && !all && is_variable(param->name,
	    param->name_len) && syn_env_is_number(m->w, param->name,
	    param->name_len)))
		syn_add_number(m);
	if (all && syn_globs(m->mode))
		m->may_split = true;
}

/* ~user, and ~+ where the directory is known: NULL: not known. */
static const char *
find_home(struct syn_walk *w, const char *name, size_t len, size_t *ret_len)
{
	const struct syn_vars *vars = w->vars;
	const char *value = NULL;
	char *prefix, *home;

	if (len == 2 && name[1] == '+')
		return syn_env_get(w, "PWD", 3, &value, ret_len) ==
		    SYN_VAR_SET ? value : NULL;
	if (w->first || len < 2 || len > USER_MAX || vars == NULL ||
	    vars->tilde == NULL || strchr("+-0123456789", name[1]) != NULL)
		return NULL;
	prefix = arena_memdup0(w->arena, name, len);
	home = vars->tilde(vars->homes, prefix);
	if (home != NULL && home[0] == '/') {
		*ret_len = strlen(home);
		value = arena_memdup0(w->arena, home, *ret_len);
	}
	free(home);
	return value;
}

/* ~ at the start of a word, or behind = and : of an assignment; the number
 * of bytes that were dealt with. */
static size_t
expand_tilde(struct syn_maker *m, const struct syn_piece *piece, size_t at,
    bool colons)
{
	const char *s = piece->text, *value = NULL;
	size_t end = at + 1, len = 0;

	while (end < piece->len && s[end] != '/' &&
	    !(colons && s[end] == ':'))
		end++;
	if (end == piece->len && piece->next != NULL) {
		/* "~$x" and "~'x'": bash looks at the raw letters. */
		syn_add(m, false, false, SYN_WHY_TILDE, s + at, end - at);
	} else if (end == at + 1 && syn_env_get(m->w, "HOME", 4, &value,
	    &len) == SYN_VAR_SET) {
		syn_add(m, true, true, 0, value, len);
	} else if ((value = find_home(m->w, s + at, end - at, &len)) != NULL) {
		syn_add(m, true, true, 0, value, len);
	} else {
		syn_add(m, false, false, SYN_WHY_TILDE, s + at, end - at);
	}
	return end - at;
}

/* Literal bytes.  tilde: one may stand at their start; assign: they belong
 * to an assignment, where one may stand behind each colon, too. */
static void
expand_literal(struct syn_maker *m, const struct syn_piece *piece, bool tilde,
    bool assign)
{
	const char *s = piece->text;
	size_t len = piece->len, i = 0, from;
	bool more = syn_goes_on(m, piece);

	if (memchr(s, '~', len) == NULL) {
		syn_add_bytes(m, s, len, more);
		return;
	}
	if (tilde && s[0] == '~')
		i = expand_tilde(m, piece, 0, assign);
	for (from = i; i < len; i++) {
		if (!assign || s[i] != '~' || i == 0 || s[i - 1] != ':')
			continue;
		syn_add_bytes(m, s + from, i - from, more);
		i += expand_tilde(m, piece, i, true);
		from = i--;
	}
	if (from < len)
		syn_add_bytes(m, s + from, len - from, more);
}

/* In a value bash takes a tilde behind a colon of such a word, too, but not
 * in all of them. */
bool
syn_has_inner_tilde(const struct syn_piece *piece)
{
	for (; piece != NULL; piece = piece->next)
		if (piece->kind == SYN_PIECE_LITERAL &&
		    memmem(piece->text, piece->len, ":~", 2) != NULL)
			return true;
	return false;
}

/* The word of ${x-word}: it may start with a tilde, and is split. */
static void
expand_inner(struct syn_maker *m, const struct syn_piece *word, bool quoted)
{
	const struct syn_piece *piece = word;

	if (m->mode == SYN_MODE_VALUE && !quoted && syn_has_inner_tilde(word)) {
		syn_add(m, false, false, SYN_WHY_TILDE, word->src,
		    word->src_len);
		return;
	}
	m->nested++;
	if (quoted || !syn_globs(m->mode)) {
		if (!quoted && piece != NULL && m->mode == SYN_MODE_VALUE &&
		    piece->kind == SYN_PIECE_LITERAL) {
			expand_literal(m, piece, true, false);
			piece = piece->next;
		}
		expand_pieces(m, piece, quoted);
		m->nested--;
		return;
	}
	m->inside++;
	if (piece != NULL && piece->kind == SYN_PIECE_LITERAL &&
	    piece->text[0] == '~') {
		expand_literal(m, piece, true, false);
		piece = piece->next;
	}
	expand_pieces(m, piece, false);
	m->inside--;
	m->nested--;
}

static void
expand_known(struct syn_maker *m, const struct syn_piece *piece, bool quoted,
    enum syn_var state, const char *value, size_t len)
{
	const struct syn_param *param = piece->param;
	bool there = state == SYN_VAR_SET && !(param->colon && len == 0);
	char number[32];

	switch (param->op) {
	case SYN_PARAM_PLAIN:
		syn_add_value(m, piece, value, len, quoted);
		return;
	case SYN_PARAM_DEFAULT:
	case SYN_PARAM_ASSIGN:
		if (there)
			syn_add_value(m, piece, value, len, quoted);
		else
			expand_inner(m, param->word, quoted);
		return;
	case SYN_PARAM_ALTERNATE:
		if (there)
			expand_inner(m, param->word, quoted);
		return;
	case SYN_PARAM_ERROR:
		if (there)
			syn_add_value(m, piece, value, len, quoted);
		else
			add_parameter(m, piece, quoted, SYN_WHY_VARIABLE);
		return;
	case SYN_PARAM_LENGTH:
		if (syn_is_ascii(value, len)) {
			snprintf(number, sizeof number, "%zu", len);
			syn_add_value(m, piece, number, strlen(number), quoted);
			return;
		}
		break;
	case SYN_PARAM_PATTERN:
	case SYN_PARAM_REPLACE:
	case SYN_PARAM_SUBSTRING:
	case SYN_PARAM_TRANSFORM:
		/* Attributes may be there without a value. */
		if (state == SYN_VAR_UNSET &&
		    param->op == SYN_PARAM_TRANSFORM &&
		    strchr("aAkK", param->letter) != NULL)
			break;
		if (state == SYN_VAR_UNSET)
			return;
		if (!syn_param_apply(m, param, &value, &len))
			break;
		syn_add_value(m, piece, value, len, quoted);
		return;
	case SYN_PARAM_BAD:
	case SYN_PARAM_NAMES:
	case SYN_PARAM_KEYS:
		break;
	}
	add_parameter(m, piece, quoted, param->op == SYN_PARAM_TRANSFORM ?
	    SYN_WHY_INDIRECT : SYN_WHY_VARIABLE);
}

/* ${!x}: the value of the variable that x names. */
static enum syn_var
get_indirect(struct syn_maker *m, const struct syn_param *param,
    const char **ret, size_t *ret_len)
{
	const char *name = NULL;
	size_t len = 0, i;

	if (param->op == SYN_PARAM_KEYS || param->op == SYN_PARAM_NAMES ||
	    param->has_subscript || !is_variable(param->name,
	    param->name_len) || syn_env_get(m->w, param->name,
	    param->name_len, &name, &len) != SYN_VAR_SET ||
	    !is_variable(name, len))
		return SYN_VAR_UNKNOWN;
	for (i = 0; i < len; i++)
		if (!syn_is((unsigned char)name[i], SYN_CH_NAME))
			return SYN_VAR_UNKNOWN;
	syn_env_read(m->w, name, len);
	return syn_env_get(m->w, name, len, ret, ret_len);
}

static void
expand_param(struct syn_maker *m, const struct syn_piece *piece, bool quoted)
{
	const struct syn_param *param = piece->param;
	const char *value = "";
	size_t len = 0;
	enum syn_var state;

	if (param->op == SYN_PARAM_BAD) {
		add_parameter(m, piece, quoted, SYN_WHY_VARIABLE);
		return;
	}
	if (!param->indirect && syn_array_expand(m, piece, quoted))
		return;
	if (param->indirect)
		state = get_indirect(m, param, &value, &len);
	else if (!syn_array_element(m->w, param, &state, &value, &len))
		state = is_variable(param->name, param->name_len) &&
		    !param->has_subscript ? syn_env_get(m->w, param->name,
		    param->name_len, &value, &len) : SYN_VAR_UNKNOWN;
	switch (state) {
	case SYN_VAR_SET:
		expand_known(m, piece, quoted, state, value, len);
		return;
	case SYN_VAR_UNSET:
		expand_known(m, piece, quoted, state, "", 0);
		return;
	case SYN_VAR_UNKNOWN:
		break;
	}
	add_parameter(m, piece, quoted, param->indirect ||
	    param->op == SYN_PARAM_TRANSFORM ? SYN_WHY_INDIRECT :
	    SYN_WHY_VARIABLE);
}

static void
expand_arith(struct syn_maker *m, const struct syn_piece *piece, bool quoted)
{
	const char *text;
	char number[32];
	size_t len;
	int64_t v;

	if (syn_arith_text(m->w, piece->kids, &text, &len) &&
	    syn_arith_value(m->w, text, len, &v)) {
		snprintf(number, sizeof number, "%lld", (long long)v);
		syn_add_value(m, piece, number, strlen(number), quoted);
		return;
	}
	syn_add(m, false, quoted, SYN_WHY_ARITH, piece->src, piece->src_len);
	syn_add_number(m);
	if (!quoted && syn_globs(m->mode) && !default_ifs(m->w))
		m->may_split = true;
}

/* Quotes make a word even of nothing. */
static void
expand_double(struct syn_maker *m, const struct syn_piece *piece, bool quoted)
{
	size_t n = m->x->n, bytes = m->x->bytes.len;
	const char *value = NULL;

	if (piece->mark != '\'')
		quoted = true;
	/* $"…" is looked up in catalogs, if there are any. */
	if (piece->mark == '$' && syn_env_get(m->w, "TEXTDOMAIN", 10, &value,
	    &n) != SYN_VAR_UNSET) {
		syn_add(m, false, true, SYN_WHY_UNSPECIFIED, piece->src,
		    piece->src_len);
		return;
	}
	n = m->x->n;
	m->vanishes = false;
	m->alone = piece->kids != NULL && piece->kids->next == NULL;
	expand_pieces(m, piece->kids, quoted);
	m->alone = false;
	if (quoted && !m->vanishes && m->x->n == n &&
	    m->x->bytes.len == bytes)
		syn_add(m, true, true, 0, "", 0);
}

static void
expand_piece(struct syn_maker *m, const struct syn_piece *piece, bool quoted)
{
	const char *value;
	size_t len;

	switch (piece->kind) {
	case SYN_PIECE_LITERAL:
		if (quoted)
			syn_add(m, true, true, 0, piece->text, piece->len);
		else
			syn_add_bytes(m, piece->text, piece->len,
			    syn_goes_on(m, piece));
		break;
	case SYN_PIECE_ESCAPE:
	case SYN_PIECE_SINGLE:
		syn_add(m, true, m->mode != SYN_MODE_BODY, 0, piece->text,
		    piece->len);
		break;
	case SYN_PIECE_ANSI:
		if (piece->kids != NULL)
			expand_pieces(m, piece->kids, quoted);
		else if (piece->doubt)
			syn_add(m, false, true, SYN_WHY_UNSPECIFIED, piece->src,
			    piece->src_len);
		else
			syn_add(m, true, true, 0, piece->text, piece->len);
		break;
	case SYN_PIECE_DOUBLE:
		expand_double(m, piece, quoted);
		break;
	case SYN_PIECE_PARAM:
		expand_param(m, piece, quoted);
		break;
	case SYN_PIECE_SUBST:
		if (syn_subst_text(m, piece, &value, &len))
			syn_add_value(m, piece, value, len, quoted);
		else
			syn_add_unknown(m, piece, quoted, SYN_WHY_SUBST);
		break;
	case SYN_PIECE_PROCESS:
		syn_add(m, false, quoted, SYN_WHY_PROCESS, piece->src,
		    piece->src_len);
		break;
	case SYN_PIECE_ARITH:
		expand_arith(m, piece, quoted);
		break;
	case SYN_PIECE_GROUP:
	case SYN_PIECE_SUBSCRIPT:
		syn_add_unknown(m, piece, quoted, SYN_WHY_GLOB);
		break;
	case SYN_PIECE_ARRAY:
		syn_add(m, false, quoted, SYN_WHY_UNSPECIFIED, piece->src,
		    piece->src_len);
		break;
	case SYN_PIECE_BROKEN:
		syn_add_unknown(m, piece, quoted, SYN_WHY_UNSPECIFIED);
		break;
	}
}

static void
expand_pieces(struct syn_maker *m, const struct syn_piece *piece, bool quoted)
{
	for (; piece != NULL; piece = piece->next)
		expand_piece(m, piece, quoted);
}

/* value: the first piece of the value of a word that has the form of an
 * assignment, or NULL. */
static void
expand_word(struct syn_maker *m, const struct syn_piece *pieces,
    const struct syn_piece *value)
{
	const struct syn_piece *piece = pieces;
	bool assign = false;

	for (; piece != NULL; piece = piece->next) {
		assign |= piece == value;
		if (piece->kind == SYN_PIECE_LITERAL &&
		    m->mode != SYN_MODE_BODY)
			expand_literal(m, piece, piece == pieces ||
			    piece == value, assign);
		else
			expand_piece(m, piece, false);
	}
}

/* ---- whole words -------------------------------------------------------- */

static bool
has_brace(const struct syn_piece *piece)
{
	for (; piece != NULL; piece = piece->next)
		if (piece->kind == SYN_PIECE_LITERAL &&
		    memchr(piece->text, '{', piece->len) != NULL)
			return true;
	return false;
}

/* What stands in front of the first brace is in front of all that the word
 * becomes. */
static size_t
plain_prefix(const struct syn_maker *m, const struct syn_piece *pieces)
{
	static const char odd[] = "*?[]~\\!+@(=:";
	size_t n;

	if (pieces == NULL || pieces->kind != SYN_PIECE_LITERAL)
		return 0;
	for (n = 0; n < pieces->len && n < m->src_len &&
	    pieces->text[n] == m->src[n] && m->src[n] != '{'; n++)
		if (strchr(odd, m->src[n]) != NULL)
			return 0;
	return n < m->src_len && m->src[n] == '{' ? n : 0;
}

static void
expand_braces(struct syn_maker *m, struct syn_alternative *words,
    const struct syn_piece *pieces)
{
	size_t n;

	if (!syn_spend(m->w, 0)) {
		syn_add(m, false, false, SYN_WHY_CAP, m->src, m->src_len);
		m->may_split = true;
		syn_finish(m);
		return;
	}
	if (words == NULL || m->w->env.no_braces ||
	    syn_env_is_hostile(m->w)) {
		n = plain_prefix(m, pieces);
		if (n > 0)
			syn_add(m, true, false, 0, m->src, n);
		syn_add(m, false, false, SYN_WHY_BRACE, m->src + n,
		    m->src_len - n);
		m->may_split = true;
		syn_finish(m);
		return;
	}
	for (; words != NULL; words = words->next) {
		if (words->pieces == NULL)
			continue;
		expand_word(m, words->pieces, NULL);
		if (m->has)
			syn_finish(m);
	}
}

static size_t
literal_bytes(const struct syn_piece *piece)
{
	size_t n = 0;

	for (; piece != NULL; piece = piece->next)
		if (piece->kind == SYN_PIECE_LITERAL)
			n += piece->len;
	return n;
}

/* {1.5..2} comes out as it went in: bash keeps the word, and what it has the
 * form of. */
static bool
comes_unchanged(const struct syn_alternative *words,
    const struct syn_piece *pieces)
{
	return words != NULL && words->next == NULL &&
	    literal_bytes(words->pieces) == literal_bytes(pieces);
}

void
syn_expand(struct syn_walk *w, const struct syn_piece *pieces,
    const struct syn_text *text, enum syn_mode mode, struct syn_vec *out)
{
	struct syn_maker m = { .w = w, .x = syn_expander_borrow(w),
	    .mode = mode, .out = out,
	    .src = text->src, .src_len = text->src_len,
	    .offset = text->offset };
	struct syn_alternative *words;

	syn_restart(&m);
	if (has_brace(pieces) && syn_brace(w, pieces, &words) &&
	    !comes_unchanged(words, pieces)) {
		/* Behind declare, too, but which of it is split then? */
		expand_braces(&m, mode == SYN_MODE_VALUE ? NULL : words,
		    pieces);
	} else {
		expand_word(&m, pieces, text->assignment != NULL ?
		    text->assignment->value : NULL);
		if (m.has)
			syn_finish(&m);
	}
	syn_expander_return(w, m.x);
}

void
syn_expand_one(struct syn_walk *w, const struct syn_piece *pieces,
    const char *src, size_t src_len, size_t offset, enum syn_mode mode,
    struct syn_word *ret)
{
	struct syn_vec out = { NULL, 0, 0 };
	struct syn_maker m = { .w = w, .x = syn_expander_borrow(w),
	    .mode = mode, .src = src,
	    .src_len = src_len, .offset = offset, .out = &out };
	struct syn_alternative *words;

	syn_restart(&m);
	if (mode == SYN_MODE_TARGET && has_brace(pieces) &&
	    syn_brace(w, pieces, &words))
		expand_braces(&m, words, pieces);
	else
		expand_word(&m, pieces, mode == SYN_MODE_VALUE ? pieces : NULL);
	if (out.n == 0) {
		syn_fill(&m, ret);
	} else if (out.n == 1 && !m.has) {
		*ret = *(struct syn_word *)out.v;
	} else {
		/* Bash calls such a target ambiguous. */
		syn_restart(&m);
		syn_add(&m, false, false, SYN_WHY_UNSPECIFIED, src, src_len);
		syn_fill(&m, ret);
	}
	syn_expander_return(w, m.x);
}
