/* SPDX-License-Identifier: ISC */
/*
 * Words in the making: parts are collected, unquoted values are split where
 * bash is known to split, patterns are told from bytes.
 */
#include "facts_int.h"

#define NESTED_FREE 256		/* bytes of an unknown part that cost nothing */

/* ---- collecting --------------------------------------------------------- */

void
syn_add(struct syn_maker *m, bool known, bool quoted, enum syn_why why,
    const char *s, size_t len)
{
	struct syn_expander *x = m->x;
	struct syn_draft *last = x->n > 0 ? &x->parts[x->n - 1] : NULL;

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
	last->number = false;
	last->why = why;
	last->from = x->bytes.len;
	buf_put(&x->bytes, s, len);
	last->to = x->bytes.len;
}

void
syn_add_number(struct syn_maker *m)
{
	if (m->x->n > 0)
		m->x->parts[m->x->n - 1].number = true;
}

void
syn_add_unknown(struct syn_maker *m, const struct syn_piece *piece, bool quoted,
    enum syn_why why)
{
	size_t len = piece->src_len;

	if (!quoted && m->mode != SYN_MODE_VALUE && m->mode != SYN_MODE_BODY)
		m->may_split = true;
	/* What is nested is told again on each level. */
	if (len > NESTED_FREE && !syn_spend(m->w, len))
		len = 0;
	syn_add(m, false, quoted, why, piece->src, len);
}

static bool
has_part(const struct syn_maker *m, const struct syn_part *gap)
{
	const struct syn_expander *x = m->x;
	size_t i;

	for (i = 0; i < x->n; i++)
		if (!x->parts[i].known && x->parts[i].to - x->parts[i].from ==
		    gap->len && memcmp(x->bytes.data + x->parts[i].from,
		    gap->text, gap->len) == 0)
			return true;
	return false;
}

/*
 * What stands for a part that is not known is no text of the unit: behind a
 * backslash or in quotes it would be taken for one.  Where it is read as what
 * it is, the word tells so itself.
 */
static bool
holds_gap(const struct syn_maker *m)
{
	const struct syn_word *text = m->w->vars != NULL ? m->w->vars->text :
	    NULL;
	size_t i, at = 0;

	if (text == NULL || text->known)
		return false;
	for (i = 0; i < text->n_parts; i++)
		at += text->parts[i].len;
	if (at != text->len)
		return false;	/* one that was put together */
	for (i = at = 0; i < text->n_parts; i++) {
		const struct syn_part *part = &text->parts[i];

		if (!part->known && at < m->offset + m->src_len &&
		    m->offset < at + part->len && !has_part(m, part))
			return true;
		at += part->len;
	}
	return false;
}

void
syn_fill(struct syn_maker *m, struct syn_word *word)
{
	struct arena *arena = m->w->arena;
	struct syn_expander *x = m->x;
	struct syn_part *parts;
	const char *value;
	bool gap = holds_gap(m);
	bool lost = m->w->changed || gap;
	size_t i;

	value = arena_memdup0(arena, x->bytes.data, x->bytes.len);
	parts = arena_alloc(arena, x->n * sizeof *parts + 1);
	word->known = !lost;
	for (i = 0; i < x->n; i++) {
		const struct syn_draft *from = &x->parts[i];
		struct syn_part *to = &parts[i];

		to->known = from->known && !lost;
		to->quoted = from->quoted;
		to->number = !to->known && from->number;
		to->why = !from->known || !lost ? from->why : gap ?
		    SYN_WHY_VARIABLE : SYN_WHY_READ_CHANGED;
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

void
syn_restart(struct syn_maker *m)
{
	buf_reset(&m->x->bytes);
	m->x->n = 0;
	m->has = m->quoted = m->may_split = false;
}

void
syn_finish(struct syn_maker *m)
{
	syn_fill(m, syn_vec_add(m->w, m->out, sizeof(struct syn_word)));
	syn_restart(m);
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
add_globs(struct syn_maker *m, const char *s, size_t len, bool more)
{
	size_t i = 0, from = 0, end;
	bool open = false;	/* behind here nothing closes a bracket */

	while (i < len) {
		if (s[i] != '*' && s[i] != '?' && s[i] != '[') {
			i++;
			continue;
		}
		end = i + 1;
		if (s[i] == '[') {
			end = open ? 0 : bracket_end(s, len, i);
			open = end == 0;
			if (end == 0 && more)
				end = i + 1;
		}
		if (end == 0) {
			i++;
			continue;
		}
		syn_add(m, true, false, 0, s + from, i - from);
		syn_add(m, false, false, SYN_WHY_GLOB, s + i, end - i);
		m->may_split = true;
		i = from = end;
	}
	syn_add(m, true, false, 0, s + from, len - from);
}

bool
syn_globs(enum syn_mode mode)
{
	return mode == SYN_MODE_ARGUMENT || mode == SYN_MODE_TARGET;
}

static void
add_whole(struct syn_maker *m, const char *s, size_t len, bool more)
{
	if (syn_globs(m->mode) && (memchr(s, '*', len) != NULL ||
	    memchr(s, '?', len) != NULL || memchr(s, '[', len) != NULL))
		add_globs(m, s, len, more);
	else
		syn_add(m, true, false, 0, s, len);
}

static bool
is_ifs_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Other pieces stand behind it, of the same word. */
bool
syn_goes_on(const struct syn_maker *m, const struct syn_piece *piece)
{
	return piece->next != NULL || m->nested > 0;
}

/* How bash splits is not worked out here: what the locale calls blank, and
 * characters of several bytes.  Where one separator is no blank, what those
 * at the edge of the value do depends on what stands beside it.  len > 0. */
static bool
splits_oddly(const char *s, size_t len, const char *ifs)
{
	bool hard = false;
	const char *p;

	for (p = ifs; *p != '\0'; p++) {
		if (strchr("\v\f\r", *p) != NULL ||
		    (unsigned char)*p >= 0x80)
			return true;
		hard |= !is_ifs_blank(*p);
	}
	return hard && (strchr(ifs, s[0]) != NULL ||
	    strchr(ifs, s[len - 1]) != NULL);
}

/* A known value that bash splits. */
static void
add_split(struct syn_maker *m, const char *s, size_t len, const char *ifs,
    bool more)
{
	size_t i = 0, from;

	if (len > 0 && splits_oddly(s, len, ifs)) {
		m->may_split = true;
		syn_add(m, false, false, SYN_WHY_VARIABLE, s, len);
		return;
	}
	while (i < len) {
		bool hard = false;

		if (!syn_spend(m->w, sizeof(struct syn_word) +
		    sizeof(struct syn_part))) {
			m->may_split = true;
			syn_add(m, false, false, SYN_WHY_CAP, "", 0);
			return;
		}
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
			syn_finish(m);
	}
}

/* Unquoted bytes as they are written. */
void
syn_add_bytes(struct syn_maker *m, const char *s, size_t len, bool more)
{
	const char *ifs = m->inside > 0 ? syn_env_ifs(m->w) : "";

	if (ifs == NULL) {
		m->may_split = true;
		syn_add(m, false, false, SYN_WHY_VARIABLE, s, len);
	} else if (m->inside > 0) {
		add_split(m, s, len, ifs, more);
	} else {
		add_whole(m, s, len, more);
	}
}

void
syn_add_value(struct syn_maker *m, const struct syn_piece *piece, const char *s,
    size_t len, bool quoted)
{
	const char *ifs;

	if (!syn_spend(m->w, len)) {
		syn_add_unknown(m, piece, quoted, SYN_WHY_CAP);
		return;
	}
	if (quoted || m->mode == SYN_MODE_BODY) {
		syn_add(m, true, quoted, 0, s, len);
		return;
	}
	if (m->mode == SYN_MODE_VALUE) {
		syn_add(m, true, false, 0, s, len);
		return;
	}
	ifs = syn_env_ifs(m->w);
	if (ifs == NULL)
		syn_add_unknown(m, piece, quoted, SYN_WHY_VARIABLE);
	else
		add_split(m, s, len, ifs, syn_goes_on(m, piece));
}

/* ---- memory that words share ---- */

struct syn_expander *
syn_expander_borrow(struct syn_walk *w)
{
	struct syn_expander *x = w->spare;

	w->spare = NULL;
	if (x == NULL)
		x = xcalloc(1, sizeof *x);
	x->bytes.max = BUF_MAX_DEFAULT;
	return x;
}

void
syn_expander_return(struct syn_walk *w, struct syn_expander *x)
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
