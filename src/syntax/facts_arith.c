/* SPDX-License-Identifier: ISC */
/*
 * Arithmetic: the variables that it reads and changes, and the value of an
 * expression in which everything is known.  Bash evaluates the values of
 * variables once more as expressions, and runs the substitutions that stand
 * in subscripts there; where a value is known, it is walked, too.
 */
#include "facts_int.h"

#define DEPTH_MAX 64		/* parentheses of a constant */

static bool
is_integer(const char *s, size_t len)
{
	size_t i = len > 0 && s[0] == '-' ? 1 : 0;

	if (i == len)
		return len == 0;
	for (; i < len; i++)
		if (!syn_is((unsigned char)s[i], SYN_CH_DIGIT))
			return false;
	return true;
}

static bool
assigns(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (i + 1 < len && s[i] == s[i + 1] &&
		    (s[i] == '+' || s[i] == '-'))
			return true;
		if (s[i] != '=')
			continue;
		if (i + 1 < len && s[i + 1] == '=') {
			i++;
			continue;
		}
		if (i == 0 || strchr("!<>", s[i - 1]) == NULL ||
		    (i >= 2 && s[i - 2] == s[i - 1] && s[i - 1] != '!'))
			return true;
	}
	return false;
}

/* The value of a variable is an expression, too.  One that comes back to
 * itself bash follows a thousand times before it gives up: what that does is
 * not known. */
static void
walk_found(struct syn_walk *w, struct syn_slot *slot, const char *value,
    size_t len)
{
	if (syn_env_is_whole(value, len))
		return;
	if (slot->busy) {
		syn_tell_broken(w, "", 0, SYN_WHY_CAP);
		return;
	}
	slot->busy = true;
	syn_walk_value(w, value, len, SYN_PLACE_ARITH);
	slot->busy = false;
}

static void
walk_variable(struct syn_walk *w, const char *name, size_t len)
{
	struct syn_slot *slot = syn_env_slot(w, name, len);
	const struct syn_items *items = syn_array_get(w, name, len);
	const char *value = NULL;
	size_t value_len = 0, i;

	if (items != NULL) {
		for (i = 0; i < items->n; i++)
			walk_found(w, slot, items->v[i].s, items->v[i].len);
		return;
	}
	switch (syn_env_get(w, name, len, &value, &value_len)) {
	case SYN_VAR_SET:
		walk_found(w, slot, value, value_len);
		return;
	case SYN_VAR_UNSET:
		return;
	case SYN_VAR_UNKNOWN:
		break;
	}
	if (!syn_env_is_number(w, name, len))
		syn_tell_evaluated(w, name, len, SYN_WHY_ARITH);
}

static void
walk_name(struct syn_walk *w, const char *name, size_t len, bool assigned)
{
	syn_env_read(w, name, len);
	walk_variable(w, name, len);
	if (assigned)
		syn_env_number(w, name, len);
}

static void
walk_bytes(struct syn_walk *w, const char *s, size_t len, bool assigned)
{
	size_t i = 0, from;

	while (i < len) {
		if (!syn_is((unsigned char)s[i], SYN_CH_NAME)) {
			i++;
			continue;
		}
		from = i;
		while (i < len && syn_is((unsigned char)s[i], SYN_CH_NAME))
			i++;
		/* Digits start a number: 0x1f, 36#zz. */
		if (!syn_is((unsigned char)s[from], SYN_CH_DIGIT) &&
		    (from == 0 || s[from - 1] != '#'))
			walk_name(w, s + from, i - from, assigned);
	}
}

/* The byte before it does not make a name of what stands there. */
static bool
may_join(const struct syn_piece *before)
{
	return before != NULL && (before->kind != SYN_PIECE_LITERAL ||
	    (before->len > 0 && (syn_is((unsigned char)
	    before->text[before->len - 1], SYN_CH_NAME))));
}

/* A piece whose text is put into the expression before it is evaluated. */
static bool
puts_text(struct syn_walk *w, const struct syn_piece *piece,
    const struct syn_piece *before)
{
	struct syn_piece copy = *piece;
	struct syn_word word;

	if (piece->kind == SYN_PIECE_LITERAL)
		return false;
	if (piece->kind == SYN_PIECE_SUBSCRIPT || may_join(before))
		return true;
	copy.next = NULL;
	syn_expand_one(w, &copy, piece->src, piece->src_len, w->at.offset,
	    SYN_MODE_BODY, &word);
	return !syn_is_number(&word);
}

void
syn_arith_walk(struct syn_walk *w, const struct syn_piece *pieces)
{
	const struct syn_piece *piece, *before = NULL;
	bool assigned = false, put = false;
	struct syn_word word;

	for (piece = pieces; piece != NULL; piece = piece->next)
		if (piece->kind == SYN_PIECE_LITERAL)
			assigned |= assigns(piece->text, piece->len);
	for (piece = pieces; piece != NULL; piece = piece->next)
		if (piece->kind == SYN_PIECE_LITERAL)
			walk_bytes(w, piece->text, piece->len, assigned);
	syn_walk_pieces(w, pieces);
	if (w->first)
		return;
	for (piece = pieces; piece != NULL && !put; piece = piece->next) {
		put = puts_text(w, piece, before);
		before = piece;
	}
	if (!put)
		return;
	syn_expand_one(w, pieces, pieces->src, 0, w->at.offset, SYN_MODE_BODY,
	    &word);
	syn_walk_evaluated(w, &word);
}

bool
syn_arith_text(struct syn_walk *w, const struct syn_piece *pieces,
    const char **ret, size_t *ret_len)
{
	const struct syn_piece *piece;
	struct buf out = BUF_INIT_MAX(SYN_LEN_MAX);
	const char *value = NULL;
	bool good = true;
	size_t len;

	*ret = pieces != NULL ? pieces->text : "";
	*ret_len = pieces != NULL ? pieces->len : 0;
	if (pieces == NULL || (pieces->next == NULL &&
	    pieces->kind == SYN_PIECE_LITERAL))
		return true;
	for (piece = pieces; piece != NULL && good; piece = piece->next) {
		const struct syn_param *param = piece->param;

		if (piece->kind == SYN_PIECE_LITERAL) {
			buf_put(&out, piece->text, piece->len);
			continue;
		}
		len = 0;
		good = piece->kind == SYN_PIECE_PARAM &&
		    param->op == SYN_PARAM_PLAIN && !param->indirect &&
		    !param->has_subscript && param->name_len > 0 &&
		    syn_env_get(w, param->name, param->name_len, &value,
		    &len) == SYN_VAR_SET && len > 0 && is_integer(value, len);
		if (good)
			buf_put(&out, value, len);
	}
	good = good && !buf_overflow(&out) && syn_spend(w, out.len);
	if (good) {
		*ret = arena_memdup0(w->arena, out.data != NULL ? out.data :
		    "", out.len);
		*ret_len = out.len;
	}
	buf_done(&out);
	return good;
}

/* ---- constants ---------------------------------------------------------- */

struct reader {
	struct syn_walk *w;
	const char *s;
	size_t pos, len;
	unsigned depth;
	bool bad;
};

static int64_t read_choice(struct reader *r);

static void
skip_blanks(struct reader *r)
{
	while (r->pos < r->len && (r->s[r->pos] == ' ' ||
	    r->s[r->pos] == '\t' || r->s[r->pos] == '\n'))
		r->pos++;
}

static bool
accept(struct reader *r, const char *op)
{
	size_t n = strlen(op);

	skip_blanks(r);
	if (r->len - r->pos < n || memcmp(r->s + r->pos, op, n) != 0)
		return false;
	r->pos += n;
	return true;
}

static int
digit_of(int c, uint64_t base)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + (base <= 36 ? 10 : 36);
	if (c == '@')
		return 62;
	if (c == '_')
		return 63;
	return 99;
}

static int64_t
read_number(struct reader *r)
{
	uint64_t v = 0, base = 10;
	size_t from = r->pos;

	if (r->s[r->pos] == '0') {
		base = 8;
		r->pos++;
		if (r->pos < r->len && (r->s[r->pos] | 0x20) == 'x') {
			base = 16;
			from = ++r->pos;
			if (from == r->len ||
			    digit_of(r->s[from], 16) >= 16)
				r->bad = true;
		}
	}
	for (; r->pos < r->len; r->pos++) {
		int d = digit_of(r->s[r->pos], base);

		if (r->s[r->pos] == '#') {
			if (base != 10 || v < 2 || v > 64)
				r->bad = true;
			base = v;
			v = 0;
			if (r->pos + 1 == r->len ||
			    digit_of(r->s[r->pos + 1], base) >= (int)base)
				r->bad = true;
			continue;
		}
		if (d == 99)
			break;
		if (d >= (int)base) {
			r->bad = true;
			break;
		}
		v = v * base + (uint64_t)d;
	}
	return (int64_t)v;
}

static int64_t
read_variable(struct reader *r)
{
	const char *value = NULL;
	size_t from = r->pos, len = 0;
	struct reader inner = { .w = r->w };
	int64_t v;

	while (r->pos < r->len &&
	    syn_is((unsigned char)r->s[r->pos], SYN_CH_NAME))
		r->pos++;
	switch (syn_env_get(r->w, r->s + from, r->pos - from, &value, &len)) {
	case SYN_VAR_UNSET:
		return 0;
	case SYN_VAR_SET:
		if (is_integer(value, len) && len > 0 && len < 19 &&
		    value[0] != '-') {
			inner.s = value;
			inner.len = len;
			v = read_number(&inner);
			r->bad |= inner.bad || inner.pos != len;
			return v;
		}
		break;
	case SYN_VAR_UNKNOWN:
		break;
	}
	r->bad = true;
	return 0;
}

static int64_t
read_primary(struct reader *r)
{
	int64_t v = 0;
	int c;

	skip_blanks(r);
	if (r->bad || r->pos >= r->len || ++r->depth > DEPTH_MAX) {
		r->bad = true;
		return 0;
	}
	c = (unsigned char)r->s[r->pos];
	if (accept(r, "++") || accept(r, "--")) {
		r->bad = true;
	} else if (accept(r, "(")) {
		v = read_choice(r);
		r->bad |= !accept(r, ")");
	} else if (accept(r, "-")) {
		v = (int64_t)(0 - (uint64_t)read_primary(r));
	} else if (accept(r, "+")) {
		v = read_primary(r);
	} else if (accept(r, "!")) {
		v = !read_primary(r);
	} else if (accept(r, "~")) {
		v = ~read_primary(r);
	} else if (syn_is(c, SYN_CH_DIGIT)) {
		v = read_number(r);
	} else if (syn_is(c, SYN_CH_NAME)) {
		v = read_variable(r);
	} else {
		r->bad = true;
	}
	r->depth--;
	return v;
}

/* Binary operators, weakest first; ** is not here: it binds to the right. */
static const struct {
	const char *op;
	unsigned level;
} binary[] = {
	{ "||", 1 }, { "&&", 2 }, { "|", 3 }, { "^", 4 }, { "&", 5 },
	{ "==", 6 }, { "!=", 6 }, { "<=", 7 }, { ">=", 7 }, { "<<", 8 },
	{ ">>", 8 }, { "<", 7 }, { ">", 7 }, { "+", 9 }, { "-", 9 },
	{ "**", 11 }, { "*", 10 }, { "/", 10 }, { "%", 10 },
};

/* The operator at pos: its row, or -1. */
static int
look_operator(struct reader *r)
{
	size_t i;

	skip_blanks(r);
	for (i = 0; i < AEG_NELEM(binary); i++) {
		size_t n = strlen(binary[i].op);
		int next;

		if (r->len - r->pos < n ||
		    memcmp(r->s + r->pos, binary[i].op, n) != 0)
			continue;
		next = r->pos + n < r->len ? r->s[r->pos + n] : 0;
		if (n == 1 && (binary[i].op[0] == '|' ||
		    binary[i].op[0] == '&') && next == binary[i].op[0])
			continue;
		/* An assignment. */
		if (next == '=' && binary[i].level != 6 &&
		    binary[i].level != 7)
			r->bad = true;
		return (int)i;
	}
	return -1;
}

static int64_t
power(struct reader *r, int64_t base, int64_t exponent)
{
	uint64_t v = 1, b = (uint64_t)base;

	if (exponent < 0)
		r->bad = true;
	for (; exponent > 0; exponent >>= 1) {
		if (exponent & 1)
			v *= b;
		b *= b;
	}
	return (int64_t)v;
}

static int64_t
divide(struct reader *r, char op, int64_t a, int64_t b)
{
	if (b == 0 || (a == INT64_MIN && b == -1)) {
		r->bad = true;
		return 0;
	}
	return op == '/' ? a / b : a % b;
}

static int64_t
apply(struct reader *r, const char *op, int64_t a, int64_t b)
{
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

	switch (op[0]) {
	case '|':
		return op[1] == '|' ? a || b : a | b;
	case '&':
		return op[1] == '&' ? a && b : a & b;
	case '^':
		return a ^ b;
	case '=':
		return a == b;
	case '!':
		return a != b;
	case '<':
		if (op[1] == '<')
			return (int64_t)(ua << (ub & 63));
		return op[1] == '=' ? a <= b : a < b;
	case '>':
		if (op[1] == '>')
			return a >> (ub & 63);
		return op[1] == '=' ? a >= b : a > b;
	case '+':
		return (int64_t)(ua + ub);
	case '-':
		return (int64_t)(ua - ub);
	case '*':
		return op[1] == '*' ? power(r, a, b) : (int64_t)(ua * ub);
	default:
		return divide(r, op[0], a, b);
	}
}

static int64_t
read_binary(struct reader *r, unsigned level)
{
	int64_t left = read_primary(r);
	int row;

	while (!r->bad && (row = look_operator(r)) >= 0 && !r->bad &&
	    binary[row].level >= level) {
		unsigned next = binary[row].level;
		int64_t right;

		r->pos += strlen(binary[row].op);
		right = read_binary(r, next == 11 ? next : next + 1);
		left = apply(r, binary[row].op, left, right);
	}
	return left;
}

static int64_t
read_choice(struct reader *r)
{
	int64_t test, yes, no;

	if (++r->depth > DEPTH_MAX)
		r->bad = true;
	test = r->bad ? 0 : read_binary(r, 1);
	if (!r->bad && accept(r, "?")) {
		yes = read_choice(r);
		r->bad |= !accept(r, ":");
		no = r->bad ? 0 : read_choice(r);
		test = test ? yes : no;
	}
	r->depth--;
	return test;
}

/* Short circuits need no care: whatever is not a plain constant is bad. */
bool
syn_arith_value(struct syn_walk *w, const char *s, size_t len, int64_t *ret)
{
	struct reader r = { .w = w, .s = s, .len = len };
	int64_t v;

	skip_blanks(&r);
	if (r.pos == r.len) {
		*ret = 0;
		return true;
	}
	v = read_choice(&r);
	skip_blanks(&r);
	if (r.bad || r.pos != r.len)
		return false;
	*ret = v;
	return true;
}
