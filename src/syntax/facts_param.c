/* SPDX-License-Identifier: ISC */
/*
 * What the operators of ${…} make of a value that is known: # % / : ^ , @.
 * Only where every byte is ASCII, so that no locale matters, and patterns
 * only of * and ?; everything else is left unknown.
 */
#include "facts_int.h"

/* A pattern with "*" is tried at every place of the value. */
#define STAR_VALUE_MAX 512
#define PATTERN_MAX 256

struct pattern {
	const char *s;
	const bool *quoted;	/* that byte means itself */
	size_t len;
	bool stars;
};

/* The known bytes of a word, and which of them are quoted. */
static bool
read_bytes(struct syn_maker *m, const struct syn_piece *pieces,
    struct pattern *ret)
{
	const struct syn_piece *piece;
	struct syn_word word;
	bool *quoted;
	size_t i, n = 0;

	for (piece = pieces; piece != NULL; piece = piece->next)
		if (piece->kind == SYN_PIECE_LITERAL &&
		    memchr(piece->text, '~', piece->len) != NULL)
			return false;
	syn_expand_one(m->w, pieces, "", 0, m->offset, SYN_MODE_VALUE, &word);
	if (!word.known || !syn_is_ascii(word.value, word.len))
		return false;
	quoted = arena_alloc(m->w->arena, word.len + 1);
	for (i = 0; i < word.n_parts; i++) {
		memset(quoted + n, word.parts[i].quoted, word.parts[i].len);
		n += word.parts[i].len;
	}
	ret->s = word.value;
	ret->len = word.len;
	ret->quoted = quoted;
	ret->stars = false;
	return true;
}

/* Only what is read alike under every option and in every locale. */
static bool
settle_pattern(struct pattern *p)
{
	size_t i;

	if (p->len > PATTERN_MAX)
		return false;
	for (i = 0; i < p->len; i++) {
		if (p->quoted[i])
			continue;
		if (strchr("[\\", p->s[i]) != NULL)
			return false;
		if (p->s[i] == '(' && i > 0 &&
		    strchr("?*+@!", p->s[i - 1]) != NULL)
			return false;
		p->stars |= p->s[i] == '*';
	}
	return true;
}

static bool
read_pattern(struct syn_maker *m, const struct syn_piece *pieces,
    struct pattern *ret)
{
	return read_bytes(m, pieces, ret) && settle_pattern(ret);
}

static bool
is_op(const struct pattern *p, char c)
{
	return p->len > 0 && p->s[0] == c && !p->quoted[0];
}

/* ## %% ^^ ,, // are read from the text, never from a value in it. */
static bool
is_doubled(const struct syn_piece *word, char c)
{
	return word != NULL && word->kind == SYN_PIECE_LITERAL &&
	    word->len > 0 && word->text[0] == c;
}

static void
skip_op(struct pattern *p)
{
	p->s++;
	p->quoted++;
	p->len--;
}

static bool
matches(const struct pattern *p, const char *s, size_t len)
{
	size_t i = 0, j = 0, star = SIZE_MAX, mark = 0;

	while (j < len) {
		bool plain = i < p->len && (p->quoted[i] ||
		    (p->s[i] != '*' && p->s[i] != '?'));

		if (i < p->len && (plain ? p->s[i] == s[j] :
		    p->s[i] == '?')) {
			i++;
			j++;
		} else if (i < p->len && !plain && p->s[i] == '*') {
			star = i++;
			mark = j;
		} else if (star != SIZE_MAX) {
			i = star + 1;
			j = ++mark;
		} else {
			return false;
		}
	}
	while (i < p->len && p->s[i] == '*' && !p->quoted[i])
		i++;
	return i == p->len;
}

/* Length of the longest (shortest) match at the start of s, or SIZE_MAX. */
static size_t
match_front(const struct pattern *p, const char *s, size_t len, bool longest)
{
	size_t i, n;

	if (!p->stars)
		return p->len <= len && matches(p, s, p->len) ? p->len :
		    SIZE_MAX;
	for (i = 0; i <= len; i++) {
		n = longest ? len - i : i;
		if (matches(p, s, n))
			return n;
	}
	return SIZE_MAX;
}

static size_t
match_back(const struct pattern *p, const char *s, size_t len, bool longest)
{
	size_t i, n;

	if (!p->stars)
		return p->len <= len && matches(p, s + len - p->len, p->len) ?
		    p->len : SIZE_MAX;
	for (i = 0; i <= len; i++) {
		n = longest ? len - i : i;
		if (matches(p, s + len - n, n))
			return n;
	}
	return SIZE_MAX;
}

/* Stars cost the square of the value, or in a replacement more. */
static bool
may_try(struct syn_maker *m, const struct pattern *p, size_t len)
{
	if (!p->stars)
		return syn_spend(m->w, len);
	return len <= STAR_VALUE_MAX && syn_spend(m->w, len * len);
}

static bool
cut(struct syn_maker *m, const struct syn_param *param, const char **value,
    size_t *len)
{
	struct pattern p;
	bool longest;
	size_t n;

	if (!read_pattern(m, param->word, &p))
		return false;
	longest = is_doubled(param->word, param->letter);
	if (longest)
		skip_op(&p);
	if (!may_try(m, &p, *len))
		return false;
	if (param->letter == '#') {
		n = match_front(&p, *value, *len, longest);
		if (n != SIZE_MAX) {
			*value += n;
			*len -= n;
		}
	} else {
		n = match_back(&p, *value, *len, longest);
		if (n != SIZE_MAX)
			*len -= n;
	}
	return true;
}

static char
upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static char
change_case(char c, char op)
{
	return op == '^' || op == 'U' || op == 'u' ? upper(c) :
	    op == ',' || op == 'L' ? lower(c) :
	    upper(c) != c ? upper(c) : lower(c);
}

/* The bytes that match pattern (NULL: all), in another case. */
static bool
turn_case(struct syn_maker *m, const struct pattern *p, char op, bool all,
    const char **value, size_t *len)
{
	char *out;
	size_t i;

	if (!syn_spend(m->w, *len) ||
	    !syn_env_turns_case(m->w, *value, *len))
		return false;
	out = arena_memdup0(m->w->arena, *value, *len);
	for (i = 0; i < *len && (all || i == 0); i++)
		if (p == NULL || p->len == 0 || matches(p, out + i, 1))
			out[i] = change_case(out[i], op);
	*value = out;
	return true;
}

static bool
pattern_case(struct syn_maker *m, const struct syn_param *param,
    const char **value, size_t *len)
{
	struct pattern p;
	bool all;

	if (!read_pattern(m, param->word, &p))
		return false;
	all = is_doubled(param->word, param->letter);
	if (all)
		skip_op(&p);
	return turn_case(m, &p, param->letter, all, value, len);
}

/* ---- ${x/pattern/replacement} ------------------------------------------- */

static struct syn_piece *
copy_of(struct syn_maker *m, const struct syn_piece *piece)
{
	struct syn_piece *copy = arena_alloc(m->w->arena, sizeof *copy);

	*copy = *piece;
	copy->next = NULL;
	return copy;
}

/* Copies of the pieces in front of the "/" that ends the pattern, and of
 * those behind it; *ret_after NULL: nothing, too. */
static void
split_slash(struct syn_maker *m, const struct syn_piece *pieces,
    struct syn_piece **ret_before, struct syn_piece **ret_after)
{
	struct syn_piece **tail = ret_before, *copy;
	const struct syn_piece *piece;
	bool first = true, found = false;

	*ret_before = *ret_after = NULL;
	for (piece = pieces; piece != NULL; piece = piece->next) {
		const char *slash = NULL;
		/* One at the very start doubles the operator, one behind
		 * that belongs to the pattern. */
		size_t skip = !first || piece->len == 0 ? 0 :
		    piece->text[0] != '/' ? 0 :
		    piece->len > 1 && piece->text[1] == '/' ? 2 : 1;

		copy = copy_of(m, piece);
		if (!found && piece->kind == SYN_PIECE_LITERAL &&
		    skip <= piece->len)
			slash = memchr(piece->text + skip, '/',
			    piece->len - skip);
		first = false;
		*tail = copy;
		tail = &copy->next;
		if (slash == NULL)
			continue;
		found = true;
		copy->len = (size_t)(slash - piece->text);
		copy = copy_of(m, piece);
		copy->text = slash + 1;
		copy->len = (size_t)(piece->text + piece->len - slash - 1);
		*ret_after = copy;
		tail = &copy->next;
	}
}

/* "&" stands for what was matched. */
static bool
put_replacement(struct buf *out, const struct pattern *r, const char *hit,
    size_t len)
{
	size_t i;

	for (i = 0; i < r->len; i++)
		if (r->s[i] == '&' && !r->quoted[i])
			buf_put(out, hit, len);
		else
			buf_putc(out, r->s[i]);
	return !buf_overflow(out);
}

static bool
replace_all(struct buf *out, const struct pattern *p, const struct pattern *r,
    bool all, const char *s, size_t len)
{
	size_t i = 0, n;

	while (i < len) {
		n = match_front(p, s + i, len - i, true);
		if (n == SIZE_MAX || n == 0) {
			buf_putc(out, s[i++]);
			continue;
		}
		if (!put_replacement(out, r, s + i, n))
			return false;
		i += n;
		if (!all)
			break;
	}
	buf_put(out, s + i, len - i);
	return !buf_overflow(out);
}

static bool
replace(struct syn_maker *m, const struct syn_param *param, const char **value,
    size_t *len)
{
	struct buf out = BUF_INIT_MAX(SYN_LEN_MAX);
	struct syn_piece *before, *after;
	struct pattern p, r;
	bool all, good = true;
	size_t n;

	split_slash(m, param->word, &before, &after);
	if (*len == 0 || !read_bytes(m, before, &p) ||
	    !read_bytes(m, after, &r) ||
	    memchr(r.s, '\\', r.len) != NULL)
		return false;
	all = is_doubled(param->word, '/');
	if (all)
		skip_op(&p);
	if (!settle_pattern(&p) || !may_try(m, &p, *len) ||
	    (p.stars && !may_try(m, &p, *len)))
		return false;
	if (!all && (is_op(&p, '#') || is_op(&p, '%'))) {
		char end = p.s[0];

		skip_op(&p);
		n = end == '#' ? match_front(&p, *value, *len, true) :
		    match_back(&p, *value, *len, true);
		if (n == SIZE_MAX)
			return true;
		if (end == '%')
			buf_put(&out, *value, *len - n);
		good = put_replacement(&out, &r, end == '#' ? *value :
		    *value + *len - n, n);
		if (end == '#')
			buf_put(&out, *value + n, *len - n);
	} else if (p.len == 0) {
		return true;
	} else {
		good = replace_all(&out, &p, &r, all, *value, *len);
	}
	good = good && !buf_overflow(&out) && syn_spend(m->w, out.len);
	if (good) {
		*value = arena_memdup0(m->w->arena,
		    out.data != NULL ? out.data : "", out.len);
		*len = out.len;
	}
	buf_done(&out);
	return good;
}

/* ---- ${x:offset:length} ------------------------------------------------- */

bool
syn_param_range(struct syn_maker *m, const struct syn_param *param, size_t len,
    bool items, size_t *ret_from, size_t *ret_len)
{
	const char *text, *colon;
	size_t text_len;
	int64_t from, n;

	if (!syn_arith_text(m->w, param->word, &text, &text_len) ||
	    memchr(text, '?', text_len) != NULL)
		return false;
	colon = memchr(text, ':', text_len);
	if (!syn_arith_value(m->w, text, colon != NULL ?
	    (size_t)(colon - text) : text_len, &from))
		return false;
	n = (int64_t)len;
	if (colon != NULL && !syn_arith_value(m->w, colon + 1, text_len -
	    (size_t)(colon + 1 - text), &n))
		return false;
	if (from < 0)
		from += (int64_t)len;
	*ret_from = *ret_len = 0;
	if (from < 0 || from > (int64_t)len)
		return true;
	if (n < 0) {
		n += (int64_t)len - from;
		/* Bash complains. */
		if (n < 0 || items)
			return false;
	}
	if (n > (int64_t)len - from)
		n = (int64_t)len - from;
	*ret_from = (size_t)from;
	*ret_len = (size_t)n;
	return true;
}

/* ---- ${x@Q} and its like ------------------------------------------------ */

static bool
quote(struct syn_maker *m, const char **value, size_t *len)
{
	struct buf out = BUF_INIT_MAX(SYN_LEN_MAX);
	size_t i;

	for (i = 0; i < *len; i++)
		if ((unsigned char)(*value)[i] < ' ' || (*value)[i] == 0x7f)
			return false;
	if (!syn_spend(m->w, 5 * *len))
		return false;
	if (*len == 1 && (*value)[0] == '\'') {
		*value = "\\'";
		*len = 2;
		return true;
	}
	buf_putc(&out, '\'');
	for (i = 0; i < *len; i++)
		if ((*value)[i] == '\'')
			buf_puts(&out, "'\\''");
		else
			buf_putc(&out, (*value)[i]);
	buf_putc(&out, '\'');
	*value = arena_memdup0(m->w->arena, out.data, out.len);
	*len = out.len;
	buf_done(&out);
	return true;
}

static bool
transform(struct syn_maker *m, const struct syn_param *param,
    const char **value, size_t *len)
{
	bool doubt = false;

	switch (param->letter) {
	case 'Q':
		return quote(m, value, len);
	case 'U':
	case 'L':
		return turn_case(m, NULL, param->letter, true, value, len);
	case 'u':
		return turn_case(m, NULL, 'u', false, value, len);
	case 'E':
		if (!syn_spend(m->w, *len))
			return false;
		*value = syn_ansi(m->w->arena, *value, *len, len, &doubt);
		return !doubt;
	case 'P':
		/* A prompt: the rest stands for itself. */
		return *len == 0 || (strpbrk(*value, "\\$`!~") == NULL);
	default:
		return false;
	}
}

/* What the operator of param makes of the value; false: not known. */
bool
syn_param_apply(struct syn_maker *m, const struct syn_param *param,
    const char **value, size_t *len)
{
	size_t from, n;

	if (!syn_is_ascii(*value, *len))
		return false;
	switch (param->op) {
	case SYN_PARAM_PATTERN:
		return strchr("#%", param->letter) != NULL ?
		    cut(m, param, value, len) :
		    pattern_case(m, param, value, len);
	case SYN_PARAM_REPLACE:
		return replace(m, param, value, len);
	case SYN_PARAM_SUBSTRING:
		if (!syn_param_range(m, param, *len, false, &from, &n))
			return false;
		*value += from;
		*len = n;
		return true;
	case SYN_PARAM_TRANSFORM:
		return transform(m, param, value, len);
	case SYN_PARAM_BAD:
	case SYN_PARAM_PLAIN:
	case SYN_PARAM_LENGTH:
	case SYN_PARAM_DEFAULT:
	case SYN_PARAM_ASSIGN:
	case SYN_PARAM_ERROR:
	case SYN_PARAM_ALTERNATE:
	case SYN_PARAM_NAMES:
	case SYN_PARAM_KEYS:
		break;
	}
	return false;
}
