/* SPDX-License-Identifier: ISC */
/*
 * Brace expansion: {a,b} and {x..y[..step]}.  Bash does it on the letters
 * of a word before anything else; here on atoms, each one unquoted byte or
 * one piece that no brace looks into.
 */
#include "facts_int.h"

#include <stdio.h>

#define ATOMS_MAX 65536		/* work for one word */

struct atom {
	int c;			/* the byte, or -1 */
	const struct syn_piece *piece;
};

struct seq {			/* one word so far */
	struct atom *atoms;
	size_t n;
	struct seq *next;
};

struct bracer {
	struct syn_walk *w;
	size_t atoms, words, depth;
	bool over;
};

static struct seq *expand(struct bracer *b, const struct atom *a, size_t n);

static struct seq *
seq_new(struct bracer *b, const struct atom *a, size_t n)
{
	struct seq *s;

	if (b->atoms + n + 1 > ATOMS_MAX) {
		b->over = true;
		n = 0;
	}
	b->atoms += n + 1;
	s = arena_alloc(b->w->arena, sizeof *s);
	s->atoms = arena_alloc(b->w->arena, n * sizeof *a + 1);
	if (n > 0)
		memcpy(s->atoms, a, n * sizeof *a);
	s->n = n;
	return s;
}

/* Every left followed by every right one. */
static struct seq *
cross(struct bracer *b, struct seq *left, struct seq *right)
{
	struct seq *first = NULL, **tail = &first, *l, *r;
	size_t count = 0;

	for (l = left; l != NULL && !b->over; l = l->next)
		for (r = right; r != NULL && !b->over; r = r->next) {
			struct seq *s = seq_new(b, NULL, 0);

			if (++count > SYN_BRACE_MAX ||
			    b->atoms + l->n + r->n > ATOMS_MAX) {
				b->over = true;
				break;
			}
			b->atoms += l->n + r->n;
			s->n = l->n + r->n;
			s->atoms = arena_alloc(b->w->arena,
			    s->n * sizeof *s->atoms + 1);
			if (l->n > 0)
				memcpy(s->atoms, l->atoms,
				    l->n * sizeof *l->atoms);
			if (r->n > 0)
				memcpy(s->atoms + l->n, r->atoms,
				    r->n * sizeof *r->atoms);
			*tail = s;
			tail = &s->next;
		}
	return first;
}

/* The closing brace for what starts at from, or n.  Bash lets a pair
 * without comma and ".." go by and looks on. */
static size_t
find_close(const struct atom *a, size_t n, size_t from)
{
	size_t i, level = 0;
	bool commas = false;

	for (i = from; i < n; i++) {
		if (a[i].c == '}' && level == 0 && commas)
			return i;
		if (a[i].c == '{')
			level++;
		else if (a[i].c == '}' && level > 0)
			level--;
		else if (a[i].c == ',' && level == 0)
			commas = true;
		else if (a[i].c == '.' && i + 1 < n && a[i + 1].c == '.' &&
		    level == 0 && !(i + 2 < n && a[i + 2].c == '}'))
			commas = true;
	}
	return n;
}

/* "{}" is nothing to expand at the start, says bash, nor behind a blank. */
static bool
is_empty_pair(const struct atom *a, size_t n, size_t i)
{
	if (i + 1 >= n || a[i + 1].c != '}')
		return false;
	return i == 0 || (a[i - 1].c < 0 &&
	    a[i - 1].piece->kind == SYN_PIECE_ESCAPE &&
	    strchr(" \t\n", a[i - 1].piece->text[0]) != NULL);
}

static bool
find_pair(const struct atom *a, size_t n, size_t *ret_open, size_t *ret_close)
{
	size_t i, close, tries = 0;

	for (i = 0; i < n; i++) {
		if (a[i].c != '{' || is_empty_pair(a, n, i))
			continue;
		if (++tries > SYN_BRACE_MAX)
			return false;
		close = find_close(a, n, i + 1);
		if (close < n) {
			*ret_open = i;
			*ret_close = close;
			return true;
		}
	}
	return false;
}

/* ---- sequences ---------------------------------------------------------- */

#define DIGITS_MAX 15		/* more are not counted with: *ret_huge */

static bool
to_int(const char *s, size_t len, int64_t *ret, bool *ret_huge)
{
	size_t i = len > 0 && (s[0] == '-' || s[0] == '+') ? 1 : 0, from = i;
	int64_t v = 0;

	if (len - from < 1)
		return false;
	for (; i < len; i++) {
		if (!syn_is((unsigned char)s[i], SYN_CH_DIGIT))
			return false;
		if (i - from < DIGITS_MAX)
			v = v * 10 + (s[i] - '0');
	}
	*ret_huge |= len - from > DIGITS_MAX;
	*ret = s[0] == '-' ? -v : v;
	return true;
}

static bool
is_letter(const char *s, size_t len)
{
	return len == 1 && ((s[0] >= 'a' && s[0] <= 'z') ||
	    (s[0] >= 'A' && s[0] <= 'Z'));
}

static bool
zero_padded(const char *s, size_t len)
{
	return (len > 1 && s[0] == '0') ||
	    (len > 2 && s[0] == '-' && s[1] == '0');
}

struct range {
	int64_t from, to, step;
	int width;
	bool letters;
	bool huge;		/* what bash makes of it is not known */
};

static bool
read_range(const char *s, size_t len, struct range *r)
{
	const char *end = s + len, *dots = memmem(s, len, "..", 2);
	const char *y, *dots2;
	size_t x_len, y_len;

	if (dots == NULL)
		return false;
	x_len = (size_t)(dots - s);
	y = dots + 2;
	dots2 = memmem(y, (size_t)(end - y), "..", 2);
	y_len = (size_t)((dots2 != NULL ? dots2 : end) - y);
	r->step = 1;
	r->width = 0;
	r->huge = false;
	if (dots2 != NULL && !to_int(dots2 + 2, (size_t)(end - dots2 - 2),
	    &r->step, &r->huge))
		return false;
	r->letters = is_letter(s, x_len) && is_letter(y, y_len);
	if (r->letters) {
		r->from = s[0];
		r->to = y[0];
	} else {
		if (!to_int(s, x_len, &r->from, &r->huge) ||
		    !to_int(y, y_len, &r->to, &r->huge))
			return false;
		if (zero_padded(s, x_len) || zero_padded(y, y_len))
			r->width = (int)(x_len > y_len ? x_len : y_len);
	}
	if (r->step == 0)
		r->step = 1;
	if ((r->step < 0) != (r->from > r->to))
		r->step = -r->step;
	return true;
}

static struct seq *
number_seq(struct bracer *b, int64_t v, const struct range *r)
{
	char text[32];
	struct atom atoms[32];
	int i, n;

	if (r->letters) {
		atoms[0].c = (unsigned char)v;
		atoms[0].piece = NULL;
		return seq_new(b, atoms, 1);
	}
	n = snprintf(text, sizeof text, "%0*lld", r->width < 20 ? r->width :
	    20, (long long)v);
	for (i = 0; i < n; i++) {
		atoms[i].c = (unsigned char)text[i];
		atoms[i].piece = NULL;
	}
	return seq_new(b, atoms, (size_t)n);
}

static struct seq *
expand_range(struct bracer *b, const struct atom *a, size_t n)
{
	struct seq *first = NULL, **tail = &first;
	struct range r;
	char text[80];
	int64_t v;
	size_t i, count = 0;

	if (n > sizeof text)
		return NULL;
	for (i = 0; i < n; i++) {
		if (a[i].c < 0)
			return NULL;
		text[i] = (char)a[i].c;
	}
	if (!read_range(text, n, &r))
		return NULL;
	if (r.huge) {
		b->over = true;
		return seq_new(b, NULL, 0);
	}
	for (v = r.from; r.step > 0 ? v <= r.to : v >= r.to; v += r.step) {
		if (++count > SYN_BRACE_MAX) {
			b->over = true;
			break;
		}
		/* Between Z and a lie bytes that mean something. */
		if (r.letters && !syn_is((int)v, SYN_CH_NAME)) {
			b->over = true;
			break;
		}
		*tail = number_seq(b, v, &r);
		tail = &(*tail)->next;
	}
	return first;
}

/* ---- lists -------------------------------------------------------------- */

static struct seq *
expand_list(struct bracer *b, const struct atom *a, size_t n)
{
	struct seq *first = NULL, **tail = &first;
	size_t from = 0, i, level = 0;

	for (i = 0; i <= n && !b->over; i++) {
		if (i < n && a[i].c == '{')
			level++;
		else if (i < n && a[i].c == '}' && level > 0)
			level--;
		if (i < n && (a[i].c != ',' || level > 0))
			continue;
		*tail = expand(b, a + from, i - from);
		while (*tail != NULL) {
			tail = &(*tail)->next;
			if (++b->words > 4 * SYN_BRACE_MAX)
				b->over = true;
		}
		from = i + 1;
	}
	return first;
}

static bool
has_comma(struct bracer *b, const struct atom *a, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (a[i].c == ',')
			return true;
		/* Bash takes a quoted comma for one here: do not follow. */
		if (a[i].c < 0 && memchr(a[i].piece->src, ',',
		    a[i].piece->src_len) != NULL)
			b->over = true;
	}
	return false;
}

static struct seq *
expand(struct bracer *b, const struct atom *a, size_t n)
{
	size_t open, close;
	struct seq *middle, *rest;

	if (b->over || ++b->depth > SYN_DEPTH_MAX) {
		b->over = true;
		return NULL;
	}
	if (!find_pair(a, n, &open, &close)) {
		b->depth--;
		return seq_new(b, a, n);
	}
	if (has_comma(b, a + open + 1, close - open - 1))
		middle = expand_list(b, a + open + 1, close - open - 1);
	else
		middle = expand_range(b, a + open + 1, close - open - 1);
	if (middle == NULL)
		middle = seq_new(b, a + open, close - open + 1);
	rest = expand(b, a + close + 1, n - close - 1);
	middle = cross(b, seq_new(b, a, open), middle);
	b->depth--;
	return cross(b, middle, rest);
}

/* ---- back to pieces ----------------------------------------------------- */

/* "$" in front of what braces put there would be read as an expansion, and
 * "$x" with it as another name. */
static bool
makes_dollar(const struct seq *s)
{
	size_t i;

	for (i = 0; i + 1 < s->n; i++) {
		const struct syn_piece *piece = s->atoms[i].piece;
		int next = s->atoms[i + 1].c;

		if (s->atoms[i].c == '$' && (next < 0 ||
		    syn_is(next, SYN_CH_NAME) ||
		    strchr("@*#?-$!{[", next) != NULL))
			return true;
		if (s->atoms[i].c < 0 && piece->kind == SYN_PIECE_PARAM &&
		    !piece->param->braces && syn_is(next, SYN_CH_NAME))
			return true;
	}
	return false;
}

static struct syn_piece *
to_pieces(struct bracer *b, const struct seq *s)
{
	struct syn_piece *first = NULL, **tail = &first;
	size_t i = 0;

	while (i < s->n) {
		struct syn_piece *piece =
		    arena_alloc(b->w->arena, sizeof *piece);

		if (s->atoms[i].c < 0) {
			*piece = *s->atoms[i++].piece;
			piece->next = NULL;
		} else {
			char *text = arena_alloc(b->w->arena, s->n - i + 1);

			while (i < s->n && s->atoms[i].c >= 0)
				text[piece->len++] = (char)s->atoms[i++].c;
			piece->kind = SYN_PIECE_LITERAL;
			piece->text = piece->src = text;
			piece->src_len = piece->len;
		}
		*tail = piece;
		tail = &piece->next;
	}
	return first;
}

/* Bash counts braces inside ${…} by their letters, too. */
static bool
hides_brace(const struct syn_piece *piece)
{
	switch (piece->kind) {
	case SYN_PIECE_PARAM:
	case SYN_PIECE_ARITH:
	case SYN_PIECE_GROUP:
	case SYN_PIECE_SUBSCRIPT:
	case SYN_PIECE_ARRAY:
	case SYN_PIECE_BROKEN:
		return piece->src_len > 2 &&
		    memchr(piece->src + 2, '{', piece->src_len - 2) != NULL;
	case SYN_PIECE_LITERAL:
	case SYN_PIECE_ESCAPE:
	case SYN_PIECE_SINGLE:
	case SYN_PIECE_ANSI:
	case SYN_PIECE_DOUBLE:
	case SYN_PIECE_SUBST:
	case SYN_PIECE_PROCESS:
		break;
	}
	return false;
}

bool
syn_brace(struct syn_walk *w, const struct syn_piece *pieces,
    struct syn_alternative **ret_words)
{
	struct bracer b = { .w = w };
	struct syn_alternative **tail = ret_words;
	const struct syn_piece *piece;
	struct atom *atoms;
	struct seq *s;
	size_t n = 0, open, close;

	for (piece = pieces; piece != NULL; piece = piece->next)
		n += piece->kind == SYN_PIECE_LITERAL ? piece->len : 1;
	*ret_words = NULL;
	if (n > ATOMS_MAX / 2 || !syn_spend(w, n * sizeof *atoms))
		return true;
	atoms = arena_alloc(w->arena, n * sizeof *atoms);
	n = 0;
	for (piece = pieces; piece != NULL; piece = piece->next) {
		size_t i;

		if (piece->kind != SYN_PIECE_LITERAL) {
			atoms[n].c = -1;
			atoms[n++].piece = piece;
			b.over |= hides_brace(piece);
			continue;
		}
		for (i = 0; i < piece->len; i++)
			atoms[n++].c = (unsigned char)piece->text[i];
	}
	if (!find_pair(atoms, n, &open, &close))
		return false;
	for (s = expand(&b, atoms, n); s != NULL && !b.over; s = s->next) {
		b.atoms += 2 * s->n + 16;
		*tail = arena_alloc(w->arena, sizeof **tail);
		(*tail)->pieces = to_pieces(&b, s);
		tail = &(*tail)->next;
		if (makes_dollar(s))
			b.over = true;
	}
	if (b.over)
		*ret_words = NULL;
	syn_spend(w, b.atoms * sizeof *atoms);
	return true;
}
