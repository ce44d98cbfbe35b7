/* SPDX-License-Identifier: ISC */
/*
 * What a word becomes: known bytes and unknown parts, split where bash is
 * known to split.  Nothing here runs or looks at anything outside.
 */
#include "facts_int.h"

#include <stdio.h>

struct part {
	bool known, quoted;
	enum syn_why why;
	size_t from, to;	/* in the bytes of the word */
};

struct syn_expander {
	struct buf bytes;
	struct part *parts;
	size_t n, cap;
};

/* One word in the making, and where finished ones go. */
struct maker {
	struct syn_walk *w;
	struct syn_expander *x;
	enum syn_mode mode;
	const char *src;
	size_t src_len, offset;
	struct syn_vec *out;
	bool has, quoted, may_split;
	unsigned inside;	/* unquoted words of ${x-word} around */
};

static void expand_pieces(struct maker *m, const struct syn_piece *piece,
    bool quoted);

/* ---- collecting --------------------------------------------------------- */

static void
add(struct maker *m, bool known, bool quoted, enum syn_why why,
    const char *s, size_t len)
{
	struct syn_expander *x = m->x;
	struct part *last = x->n > 0 ? &x->parts[x->n - 1] : NULL;

	m->has = true;
	m->quoted |= quoted;
	if (last != NULL && last->known && known && last->quoted == quoted) {
		buf_put(&x->bytes, s, len);
		last->to = x->bytes.len;
		return;
	}
	if (known && len == 0 && !quoted)
		return;
	if (x->n == x->cap) {
		x->cap = x->cap * 2 + 16;
		x->parts = xreallocarray(x->parts, x->cap, sizeof *x->parts);
	}
	last = &x->parts[x->n++];
	last->known = known;
	last->quoted = quoted;
	last->why = why;
	last->from = x->bytes.len;
	buf_put(&x->bytes, s, len);
	last->to = x->bytes.len;
}

static void
add_unknown(struct maker *m, const struct syn_piece *piece, bool quoted,
    enum syn_why why)
{
	if (!quoted && m->mode != SYN_MODE_VALUE && m->mode != SYN_MODE_BODY)
		m->may_split = true;
	add(m, false, quoted, why, piece->src, piece->src_len);
}

static void
fill(struct maker *m, struct syn_word *word)
{
	struct arena *arena = m->w->arena;
	struct syn_expander *x = m->x;
	struct syn_part *parts;
	const char *value;
	size_t i;

	value = arena_memdup0(arena, x->bytes.data, x->bytes.len);
	parts = arena_alloc(arena, x->n * sizeof *parts + 1);
	word->known = !m->w->changed;
	for (i = 0; i < x->n; i++) {
		const struct part *from = &x->parts[i];
		struct syn_part *to = &parts[i];

		to->known = from->known && !m->w->changed;
		to->quoted = from->quoted;
		to->why = from->known && m->w->changed ?
		    SYN_WHY_READ_CHANGED : from->why;
		to->len = from->to - from->from;
		to->text = x->n == 1 ? value : arena_memdup0(arena,
		    x->bytes.data + from->from, to->len);
		word->known = word->known && to->known;
	}
	word->quoted = m->quoted;
	word->may_split = m->may_split;
	word->value = value;
	word->len = x->bytes.len;
	word->parts = parts;
	word->n_parts = x->n;
	word->offset = m->offset;
	word->source_len = m->src_len;
}

static void
restart(struct maker *m)
{
	buf_reset(&m->x->bytes);
	m->x->n = 0;
	m->has = m->quoted = m->may_split = false;
}

static void
finish(struct maker *m)
{
	fill(m, syn_vec_add(m->w, m->out, sizeof(struct syn_word)));
	restart(m);
}

/* ---- unquoted bytes ----------------------------------------------------- */

/* The end of a bracket expression that starts at i, or 0. */
static size_t
bracket_end(const char *s, size_t len, size_t i)
{
	const char *close;
	size_t from = i + 1;

	if (from < len && (s[from] == '!' || s[from] == '^'))
		from++;
	if (from < len)
		from++;
	close = from < len ? memchr(s + from, ']', len - from) : NULL;
	return close != NULL ? (size_t)(close - s) + 1 : 0;
}

/* more: other pieces follow, which may close a bracket. */
static void
add_globs(struct maker *m, const char *s, size_t len, bool more)
{
	size_t i = 0, from = 0, end;

	while (i < len) {
		if (s[i] != '*' && s[i] != '?' && s[i] != '[') {
			i++;
			continue;
		}
		end = i + 1;
		if (s[i] == '[') {
			end = bracket_end(s, len, i);
			if (end == 0 && more)
				end = i + 1;
		}
		if (end == 0) {
			i++;
			continue;
		}
		add(m, true, false, 0, s + from, i - from);
		add(m, false, false, SYN_WHY_GLOB, s + i, end - i);
		m->may_split = true;
		i = from = end;
	}
	add(m, true, false, 0, s + from, len - from);
}

static bool
globs(enum syn_mode mode)
{
	return mode == SYN_MODE_ARGUMENT || mode == SYN_MODE_TARGET;
}

static void
add_whole(struct maker *m, const char *s, size_t len, bool more)
{
	if (globs(m->mode) && (memchr(s, '*', len) != NULL ||
	    memchr(s, '?', len) != NULL || memchr(s, '[', len) != NULL))
		add_globs(m, s, len, more);
	else
		add(m, true, false, 0, s, len);
}

static bool
is_ifs_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* A known value that bash splits. */
static void
add_split(struct maker *m, const char *s, size_t len, const char *ifs,
    bool more)
{
	size_t i = 0, from;

	while (i < len) {
		bool hard = false;

		from = i;
		while (i < len && strchr(ifs, s[i]) == NULL)
			i++;
		if (i > from)
			add_whole(m, s + from, i - from, more);
		if (i == len)
			break;
		while (i < len && strchr(ifs, s[i]) != NULL &&
		    (is_ifs_blank(s[i]) || !hard)) {
			hard |= !is_ifs_blank(s[i]);
			i++;
		}
		if (m->has || hard)
			finish(m);
	}
}

/* Unquoted bytes as they are written. */
static void
add_bytes(struct maker *m, const char *s, size_t len, bool more)
{
	const char *ifs = m->inside > 0 ? syn_env_ifs(m->w) : "";

	if (ifs == NULL) {
		m->may_split = true;
		add(m, false, false, SYN_WHY_VARIABLE, s, len);
	} else if (m->inside > 0) {
		add_split(m, s, len, ifs, more);
	} else {
		add_whole(m, s, len, more);
	}
}

static void
add_value(struct maker *m, const struct syn_piece *piece, const char *s,
    size_t len, bool quoted)
{
	const char *ifs;

	if (quoted || m->mode == SYN_MODE_BODY) {
		add(m, true, quoted, 0, s, len);
		return;
	}
	if (m->mode == SYN_MODE_VALUE) {
		add(m, true, false, 0, s, len);
		return;
	}
	ifs = syn_env_ifs(m->w);
	if (ifs == NULL)
		add_unknown(m, piece, quoted, SYN_WHY_VARIABLE);
	else
		add_split(m, s, len, ifs, piece->next != NULL);
}

/* ---- expansions --------------------------------------------------------- */

/* "$@" and its like are none or many words even in quotes. */
static void
add_parameter(struct maker *m, const struct syn_piece *piece, bool quoted,
    enum syn_why why)
{
	const struct syn_param *param = piece->param;
	const struct syn_piece *key = param->subscript;
	bool all = (param->name_len == 1 && param->name[0] == '@') ||
	    param->op == SYN_PARAM_KEYS || param->op == SYN_PARAM_NAMES ||
	    (key != NULL && key->kind == SYN_PIECE_LITERAL && key->len == 1 &&
	    key->text[0] == '@');

	add_unknown(m, piece, quoted, why);
	if (all && globs(m->mode))
		m->may_split = true;
}

static bool
is_ascii(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)s[i] >= 0x80)
			return false;
	return true;
}

/* ~ at the start of a word, or behind = and : of an assignment; the number
 * of bytes that were dealt with. */
static size_t
expand_tilde(struct maker *m, const struct syn_piece *piece, size_t at,
    bool colons)
{
	const char *s = piece->text, *value = NULL;
	size_t end = at + 1, len = 0;

	while (end < piece->len && s[end] != '/' &&
	    !(colons && s[end] == ':'))
		end++;
	if (end == piece->len && piece->next != NULL) {
		/* "~$x" and "~'x'": bash looks at the raw letters. */
		add(m, false, false, SYN_WHY_TILDE, s + at, end - at);
	} else if (end == at + 1 && syn_env_get(m->w, "HOME", 4, &value,
	    &len) == SYN_VAR_SET) {
		add(m, true, true, 0, value, len);
	} else {
		add(m, false, false, SYN_WHY_TILDE, s + at, end - at);
	}
	return end - at;
}

/* Literal bytes.  tilde: one may stand at their start; assign: they belong
 * to an assignment, where one may stand behind each colon, too. */
static void
expand_literal(struct maker *m, const struct syn_piece *piece, bool tilde,
    bool assign)
{
	const char *s = piece->text;
	size_t len = piece->len, i = 0, from;
	bool more = piece->next != NULL;

	if (memchr(s, '~', len) == NULL) {
		add_bytes(m, s, len, more);
		return;
	}
	if (tilde && s[0] == '~')
		i = expand_tilde(m, piece, 0, assign);
	for (from = i; i < len; i++) {
		if (!assign || s[i] != '~' || i == 0 || s[i - 1] != ':')
			continue;
		add_bytes(m, s + from, i - from, more);
		i += expand_tilde(m, piece, i, true);
		from = i--;
	}
	if (from < len)
		add_bytes(m, s + from, len - from, more);
}

/* The word of ${x-word}: it may start with a tilde, and is split. */
static void
expand_inner(struct maker *m, const struct syn_piece *word, bool quoted)
{
	const struct syn_piece *piece = word;

	if (quoted || !globs(m->mode)) {
		if (!quoted && piece != NULL && m->mode == SYN_MODE_VALUE &&
		    piece->kind == SYN_PIECE_LITERAL) {
			expand_literal(m, piece, true, false);
			piece = piece->next;
		}
		expand_pieces(m, piece, quoted);
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
}

static void
expand_known(struct maker *m, const struct syn_piece *piece, bool quoted,
    enum syn_var state, const char *value, size_t len)
{
	const struct syn_param *param = piece->param;
	bool there = state == SYN_VAR_SET && !(param->colon && len == 0);
	char number[32];

	switch (param->op) {
	case SYN_PARAM_PLAIN:
		add_value(m, piece, value, len, quoted);
		return;
	case SYN_PARAM_DEFAULT:
	case SYN_PARAM_ASSIGN:
		if (there)
			add_value(m, piece, value, len, quoted);
		else
			expand_inner(m, param->word, quoted);
		return;
	case SYN_PARAM_ALTERNATE:
		if (there)
			expand_inner(m, param->word, quoted);
		return;
	case SYN_PARAM_ERROR:
		if (there)
			add_value(m, piece, value, len, quoted);
		else
			add_parameter(m, piece, quoted, SYN_WHY_VARIABLE);
		return;
	case SYN_PARAM_LENGTH:
		if (is_ascii(value, len)) {
			snprintf(number, sizeof number, "%zu", len);
			add_value(m, piece, number, strlen(number), quoted);
			return;
		}
		break;
	case SYN_PARAM_BAD:
	case SYN_PARAM_PATTERN:
	case SYN_PARAM_REPLACE:
	case SYN_PARAM_SUBSTRING:
	case SYN_PARAM_TRANSFORM:
	case SYN_PARAM_NAMES:
	case SYN_PARAM_KEYS:
		break;
	}
	add_parameter(m, piece, quoted, SYN_WHY_VARIABLE);
}

static void
expand_param(struct maker *m, const struct syn_piece *piece, bool quoted)
{
	const struct syn_param *param = piece->param;
	const char *value = "";
	size_t len = 0;
	enum syn_var state;

	if (param->indirect || param->op == SYN_PARAM_TRANSFORM) {
		add_parameter(m, piece, quoted, SYN_WHY_INDIRECT);
		return;
	}
	if (param->op == SYN_PARAM_BAD || param->has_subscript ||
	    !syn_is((unsigned char)param->name[0], SYN_CH_NAME) ||
	    syn_is((unsigned char)param->name[0], SYN_CH_DIGIT)) {
		add_parameter(m, piece, quoted, SYN_WHY_VARIABLE);
		return;
	}
	state = syn_env_get(m->w, param->name, param->name_len, &value, &len);
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
	add_parameter(m, piece, quoted, SYN_WHY_VARIABLE);
}

static void
expand_arith(struct maker *m, const struct syn_piece *piece, bool quoted)
{
	const struct syn_piece *kid;
	char number[32];
	int64_t v;

	for (kid = piece->kids; kid != NULL; kid = kid->next)
		if (kid->kind != SYN_PIECE_LITERAL)
			break;
	if (kid == NULL && (piece->kids == NULL ||
	    piece->kids->next == NULL)) {
		kid = piece->kids;
		if (syn_arith_value(m->w, kid != NULL ? kid->text : "",
		    kid != NULL ? kid->len : 0, &v)) {
			snprintf(number, sizeof number, "%lld", (long long)v);
			add_value(m, piece, number, strlen(number), quoted);
			return;
		}
	}
	add(m, false, quoted, SYN_WHY_ARITH, piece->src, piece->src_len);
	if (!quoted && globs(m->mode)) {
		const char *ifs = syn_env_ifs(m->w);

		if (ifs == NULL || strcmp(ifs, " \t\n") != 0)
			m->may_split = true;
	}
}

/* Quotes make a word even of nothing. */
static void
expand_double(struct maker *m, const struct syn_piece *piece, bool quoted)
{
	size_t n = m->x->n, bytes = m->x->bytes.len;

	if (piece->mark != '\'')
		quoted = true;
	expand_pieces(m, piece->kids, quoted);
	if (quoted && m->x->n == n && m->x->bytes.len == bytes)
		add(m, true, true, 0, "", 0);
}

static void
expand_piece(struct maker *m, const struct syn_piece *piece, bool quoted)
{
	switch (piece->kind) {
	case SYN_PIECE_LITERAL:
		if (quoted)
			add(m, true, true, 0, piece->text, piece->len);
		else
			add_bytes(m, piece->text, piece->len,
			    piece->next != NULL);
		break;
	case SYN_PIECE_ESCAPE:
	case SYN_PIECE_SINGLE:
		add(m, true, m->mode != SYN_MODE_BODY, 0, piece->text,
		    piece->len);
		break;
	case SYN_PIECE_ANSI:
		if (piece->kids != NULL)
			expand_pieces(m, piece->kids, quoted);
		else if (piece->doubt)
			add(m, false, true, SYN_WHY_UNSPECIFIED, piece->src,
			    piece->src_len);
		else
			add(m, true, true, 0, piece->text, piece->len);
		break;
	case SYN_PIECE_DOUBLE:
		expand_double(m, piece, quoted);
		break;
	case SYN_PIECE_PARAM:
		expand_param(m, piece, quoted);
		break;
	case SYN_PIECE_SUBST:
		add_unknown(m, piece, quoted, SYN_WHY_SUBST);
		break;
	case SYN_PIECE_PROCESS:
		add(m, false, quoted, SYN_WHY_PROCESS, piece->src,
		    piece->src_len);
		break;
	case SYN_PIECE_ARITH:
		expand_arith(m, piece, quoted);
		break;
	case SYN_PIECE_GROUP:
	case SYN_PIECE_SUBSCRIPT:
		add_unknown(m, piece, quoted, SYN_WHY_GLOB);
		break;
	case SYN_PIECE_ARRAY:
	case SYN_PIECE_BROKEN:
		add_unknown(m, piece, quoted, SYN_WHY_UNSPECIFIED);
		break;
	}
}

static void
expand_pieces(struct maker *m, const struct syn_piece *piece, bool quoted)
{
	for (; piece != NULL; piece = piece->next)
		expand_piece(m, piece, quoted);
}

/* value: the first piece of the value of a word that has the form of an
 * assignment, or NULL. */
static void
expand_word(struct maker *m, const struct syn_piece *pieces,
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

static struct syn_expander *
borrow(struct syn_walk *w)
{
	struct syn_expander *x = w->spare;

	w->spare = NULL;
	if (x == NULL)
		x = xcalloc(1, sizeof *x);
	x->bytes.max = BUF_MAX_DEFAULT;
	return x;
}

static void
give_back(struct syn_walk *w, struct syn_expander *x)
{
	if (w->spare == NULL)
		w->spare = x;
	else
		syn_expander_free(x);
}

void
syn_expander_free(struct syn_expander *x)
{
	if (x == NULL)
		return;
	buf_done(&x->bytes);
	free(x->parts);
	free(x);
}

static bool
has_brace(const struct syn_piece *piece)
{
	for (; piece != NULL; piece = piece->next)
		if (piece->kind == SYN_PIECE_LITERAL &&
		    memchr(piece->text, '{', piece->len) != NULL)
			return true;
	return false;
}

static void
expand_braces(struct maker *m, struct syn_alternative *words)
{
	if (words == NULL || m->w->env.no_braces || m->w->env.hostile) {
		add(m, false, false, SYN_WHY_BRACE, m->src, m->src_len);
		m->may_split = true;
		finish(m);
		return;
	}
	for (; words != NULL; words = words->next) {
		if (words->pieces == NULL)
			continue;
		expand_word(m, words->pieces, NULL);
		if (m->has)
			finish(m);
	}
}

void
syn_expand(struct syn_walk *w, const struct syn_piece *pieces,
    const struct syn_text *text, enum syn_mode mode, struct syn_vec *out)
{
	struct maker m = { .w = w, .x = borrow(w), .mode = mode, .out = out,
	    .src = text->src, .src_len = text->src_len,
	    .offset = text->offset };
	struct syn_alternative *words;

	restart(&m);
	if (has_brace(pieces) && syn_brace(w, pieces, &words)) {
		expand_braces(&m, words);
	} else {
		expand_word(&m, pieces, text->assignment != NULL ?
		    text->assignment->value : NULL);
		if (m.has)
			finish(&m);
	}
	give_back(w, m.x);
}

void
syn_expand_one(struct syn_walk *w, const struct syn_piece *pieces,
    const char *src, size_t src_len, size_t offset, enum syn_mode mode,
    struct syn_word *ret)
{
	struct syn_vec out = { NULL, 0, 0 };
	struct maker m = { .w = w, .x = borrow(w), .mode = mode, .src = src,
	    .src_len = src_len, .offset = offset, .out = &out };
	struct syn_alternative *words;

	restart(&m);
	if (mode == SYN_MODE_TARGET && has_brace(pieces) &&
	    syn_brace(w, pieces, &words))
		expand_braces(&m, words);
	else
		expand_word(&m, pieces, mode == SYN_MODE_VALUE ? pieces : NULL);
	if (out.n == 0) {
		fill(&m, ret);
	} else if (out.n == 1 && !m.has) {
		*ret = *(struct syn_word *)out.v;
	} else {
		/* Bash calls such a target ambiguous. */
		restart(&m);
		add(&m, false, false, SYN_WHY_UNSPECIFIED, src, src_len);
		fill(&m, ret);
	}
	give_back(w, m.x);
}
