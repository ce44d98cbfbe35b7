/* SPDX-License-Identifier: ISC */
/*
 * A stream's bytes on their way through the search for secrets.
 *
 * A secret is a piece of a word, known by what stands before it.  So the
 * last word is held back until white space follows, and what was told on
 * the same line stays, to be looked at with what comes.  Three things want
 * more: a private key goes over many lines and is held to its end; what
 * echo(1) writes is a secret by the command behind it; and what a terminal
 * shows without a gap may have escape sequences in it, as grep(1) puts them
 * around what it found, so the search is in a text without them.
 *
 * What is held is bounded.  Of a word that is longer, so much is looked at
 * as makes sure that no secret begins before what is told; of a secret that
 * is longer, the rest is dropped.
 */
#include "cast_int.h"

#include <ctype.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

void
cast_window_done(struct cast_window *w)
{
	if (w->raw.data != NULL)
		explicit_bzero(w->raw.data, w->raw.len);
	buf_done(&w->raw);
	*w = (struct cast_window){ .done = 0 };
}

/* ---- how much of it can be told -------------------------------------- */

static bool
is_space(char c)
{
	return isspace((unsigned char)c);
}

/* Where a private key begins that has not ended, or len. */
static size_t
open_key(const struct cast_clean *c)
{
	static const char begin[] = "-----BEGIN ", end[] = "-----END ";
	const char *p = c->p, *stop = c->p + c->len, *at, *last = NULL;

	while (p < stop && (at = memmem(p, (size_t)(stop - p), begin,
	    sizeof begin - 1)) != NULL) {
		p = memmem(at, (size_t)(stop - at), end, sizeof end - 1);
		if (p == NULL) {
			last = at;
			break;
		}
	}
	return last != NULL ? (size_t)(last - c->p) : c->len;
}

/* Where on the last line something is written that may be a secret by the
 * command behind it, or len. */
static size_t
open_writer(const struct cast_clean *c)
{
	static const char *const writers[] = { "echo ", "printf " };
	size_t line = c->len, k, first = c->len;
	const char *at;

	while (line > 0 && c->p[line - 1] != '\n' && c->len - line <
	    CAST_CONTEXT)
		line--;
	for (k = 0; k < AEG_NELEM(writers); k++) {
		at = memmem(c->p + line, c->len - line, writers[k],
		    strlen(writers[k]));
		if (at != NULL && (size_t)(at - c->p) < first)
			first = (size_t)(at - c->p);
	}
	return first;
}

/* Up to where all is known, secrets apart.  What is held is bounded by how
 * much it is, and not by how it looks. */
static size_t
safe_end(const struct cast_clean *c, size_t done)
{
	size_t end = c->len, limit;

	while (end > done && !is_space(c->p[end - 1]))
		end--;
	/* What is to come stands over that. */
	if (c->shown && c->open < end)
		end = c->open;
	limit = open_key(c);
	if (limit < end)
		end = limit;
	limit = open_writer(c);
	if (limit < end)
		end = limit;
	if (c->raw_len - cast_clean_raw(c, end > done ? end : done) >
	    CAST_HOLD)
		end = cast_clean_at(c, c->raw_len - CAST_AHEAD);
	return end > done ? end : done;
}

/* ---- telling --------------------------------------------------------- */

struct telling {
	struct cast_window *w;
	cast_tell *tell;
	void *ctx;
};

/* Raw bytes, each with the time at which they came. */
static void
tell_raw(const struct telling *t, size_t from, size_t to)
{
	const struct cast_window *w = t->w;
	size_t i, end;

	for (i = 0; i < w->n_times && from < to; i++) {
		end = i + 1 < w->n_times ? w->times[i + 1].at : to;
		/* Not within a character. */
		while (end < to && ((unsigned char)w->raw.data[end] & 0xc0) ==
		    0x80)
			end++;
		if (end > to)
			end = to;
		if (end <= from)
			continue;
		t->tell(t->ctx, w->raw.data + from, end - from,
		    w->times[i].ns);
		from = end;
	}
}

/* When the byte came. */
static int64_t
time_of(const struct cast_window *w, size_t at)
{
	size_t i = w->n_times;

	while (i > 1 && w->times[i - 1].at > at)
		i--;
	return i > 0 ? w->times[i - 1].ns : 0;
}

/* What stood among the bytes of a secret: how the rest looks.  Not what stood
 * in the place of some of them. */
static void
tell_sequences(const struct telling *t, const struct cast_clean *c,
    size_t from, size_t to)
{
	size_t i, start, end;

	for (i = from; c->at != NULL && !c->shown && i < to; i++) {
		start = c->at[i] + (t->w->raw.data[c->at[i]] != '\033');
		end = i + 1 < to ? c->at[i + 1] : start;
		if (end > start)
			tell_raw(t, start, end);
	}
}

/* ---- two views of it ----------------------------------------------------- */

#define VIEWS 2			/* as it came, and as it is shown */

struct view {
	struct cast_clean c;
	struct redact_spans spans;
	size_t end;		/* of raw: up to there it knows */
	enum cast_swallow swallow;	/* what comes next is its secret's */
};

struct found {			/* of raw: a secret */
	size_t from, to;
	size_t view, span;
};

static struct found
found_at(const struct view *v, size_t view, size_t span)
{
	const struct redact_span *s = &v[view].spans.v[span];
	struct found f = { 0, 0, view, span };

	cast_clean_part(&v[view].c, s->from, s->len, &f.from, &f.to);
	return f;
}

/* The secret that is not over at the end of what may be told. */
static const struct redact_span *
span_over(const struct view *v, size_t end)
{
	size_t i;

	for (i = 0; i < v->spans.n; i++) {
		const struct redact_span *s = &v->spans.v[i];

		if (s->from < end && (s->from + s->len > end ||
		    s->from + s->len == v->c.len))
			return s;
	}
	return NULL;
}

/* What it finds, and how far that can be told. */
static void
look(struct view *v, const struct cast_window *w, const struct redact *redact,
    bool all)
{
	const struct cast_clean *c = &v->c;
	size_t done = cast_clean_at(c, w->done);
	size_t end = all ? c->len : safe_end(c, done);
	const struct redact_span *over;

	/* Most of what is written a byte at a time changes nothing. */
	if (end > done || all)
		redact_find(redact, c->p, c->len, &v->spans);
	over = all ? NULL : span_over(v, end);
	if (over != NULL && over->from + over->len < c->len) {
		end = over->from + over->len;
	} else if (over != NULL && c->raw_len - cast_clean_raw(c,
	    over->from) > CAST_HOLD) {
		v->swallow = text_starts(v->spans.tags.data + over->tag,
		    "<redacted:private-key") ? CAST_SWALLOW_KEY :
		    CAST_SWALLOW_WORD;
		end = c->len;
	} else if (over != NULL) {
		end = over->from > done ? over->from : done;
	}
	v->end = all || end >= c->len ? c->raw_len : end > done ?
	    cast_clean_from(c, end) : w->done;
	/* What was in that line and is not any more is known. */
	if (!all && c->shown && end == c->open && end < c->len &&
	    c->low[end] > v->end)
		v->end = c->low[end];
	/* One place that is written all the time. */
	if (c->shown && c->raw_len - v->end > CAST_HOLD)
		v->end = c->raw_len - CAST_AHEAD;
}

static int
by_place(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return x->from != y->from ? (x->from > y->from) - (x->from <
	    y->from) : (x->view > y->view) - (x->view < y->view);
}

/* The secrets of both, in their order; those that overlap are one, which has
 * the tag of the longest. */
static size_t
join(const struct view *v, struct found *ret)
{
	size_t all = 0, n = 0, i, k;

	for (k = 0; k < VIEWS; k++)
		for (i = 0; i < v[k].spans.n; i++)
			ret[all++] = found_at(v, k, i);
	if (all > 0)
		qsort(ret, all, sizeof ret[0], by_place);
	for (i = 0; i < all; i++) {
		struct found f = ret[i], *l = n > 0 ? &ret[n - 1] : NULL;

		if (l == NULL || f.from >= l->to) {
			ret[n++] = f;
			continue;
		}
		if (f.to - f.from > l->to - l->from) {
			l->view = f.view;
			l->span = f.span;
		}
		if (f.to > l->to)
			l->to = f.to;
	}
	return n;
}

/* Up to where both know: no secret goes over that. */
static size_t
common_end(const struct view *v, const struct found *f, size_t n,
    const struct cast_window *w)
{
	size_t end = w->raw.len, i;

	for (i = 0; i < VIEWS; i++)
		if (v[i].swallow != CAST_SWALLOW_NOTHING)
			return end;
	for (i = 0; i < VIEWS; i++)
		if (v[i].end < end)
			end = v[i].end;
	for (i = 0; i < n; i++)
		if (f[i].from < end && f[i].to > end)
			end = w->raw.len - f[i].from > CAST_HOLD ? f[i].to :
			    f[i].from;
	return end > w->done ? end : w->done;
}

static void
tell_tag(const struct telling *t, const struct view *v, size_t i)
{
	const struct redact_span *s = &v->spans.v[i];

	t->tell(t->ctx, v->spans.tags.data + s->tag, s->tag_len,
	    time_of(t->w, cast_clean_raw(&v->c, s->from)));
	tell_sequences(t, &v->c, s->from, s->from + s->len);
	t->w->hits++;
}

/* [done, end) of raw, secrets replaced; those that end before are told. */
static void
tell_part(const struct telling *t, const struct view *v,
    const struct found *f, size_t n, size_t end)
{
	size_t at = t->w->done, i;

	for (i = 0; i < n; i++) {
		if (f[i].to <= at || f[i].from >= end)
			continue;
		if (f[i].from > at)
			tell_raw(t, at, f[i].from);
		tell_tag(t, &v[f[i].view], f[i].span);
		at = f[i].to;
	}
	if (at < end)
		tell_raw(t, at, end);
}

/* ---- the window ------------------------------------------------------ */

/* Forget the first bytes. */
static void
forget(struct cast_window *w, size_t n)
{
	size_t i, first = 0;

	if (n > 0) {
		memmove(w->raw.data, w->raw.data + n, w->raw.len - n);
		w->raw.len -= n;
		w->raw.data[w->raw.len] = '\0';
		w->done = w->done > n ? w->done - n : 0;
	}
	for (i = 0; i < w->n_times; i++) {
		w->times[i].at = w->times[i].at > n ? w->times[i].at - n : 0;
		if (w->times[i].at <= w->done)
			first = i;	/* those before: of what was told */
	}
	memmove(w->times, w->times + first, (w->n_times - first) *
	    sizeof w->times[0]);
	w->n_times -= first;
}

/* Keep of what was told the line, as far as it can matter. */
static void
keep_context(struct cast_window *w)
{
	size_t at = w->done;

	while (at > 0 && w->raw.data[at - 1] != '\n' &&
	    w->done - at < CAST_CONTEXT)
		at--;
	/* Not all the time: it moves the rest. */
	forget(w, w->done == w->raw.len || at >= CAST_CONTEXT ||
	    w->raw.len >= CAST_HOLD ? at : 0);
}

/* How much of what comes is the rest of a secret. */
static size_t
swallow(struct cast_window *w, const char *p, size_t len)
{
	size_t i;

	if (w->swallow == CAST_SWALLOW_NOTHING)
		return 0;
	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p[i];

		if (w->swallow == CAST_SWALLOW_WORD ? isspace(c) ||
		    c == '"' || c == '\'' : !isalnum(c) &&
		    (c == '\0' || strchr("+/=\r\n", c) == NULL))
			break;
	}
	if (i < len)
		w->swallow = CAST_SWALLOW_NOTHING;
	return i;
}

void
cast_window_add(struct cast_window *w, const char *p, size_t len, int64_t ns)
{
	size_t n = swallow(w, p, len);

	p += n;
	len -= n;
	if (len == 0)
		return;
	if (w->n_times < CAST_TIMES && (w->n_times == 0 ||
	    w->times[w->n_times - 1].ns != ns)) {
		w->times[w->n_times].at = w->n_times > 0 ? w->raw.len : 0;
		w->times[w->n_times++].ns = ns;
	}
	buf_put(&w->raw, p, len);
}

static void
told(struct cast_window *w, size_t end)
{
	w->done = end;
	keep_context(w);
}

size_t
cast_window_tell(struct cast_window *w, const struct redact *redact, bool all,
    cast_tell *tell, void *ctx)
{
	struct telling t = { w, tell, ctx };
	struct view v[VIEWS] = { { .spans = REDACT_SPANS_INIT,
		.end = SIZE_MAX }, { .spans = REDACT_SPANS_INIT,
		.end = SIZE_MAX } };
	AEG_AUTOFREE struct found *f = NULL;
	size_t end, n, i, n_found;

	if (w->done == w->raw.len)
		return 0;
	for (i = 0; i < VIEWS; i++)
		if (cast_clean_init(&v[i].c, &w->raw, i == 1))
			look(&v[i], w, redact, all);
	f = xreallocarray(NULL, v[0].spans.n + v[1].spans.n + 1, sizeof *f);
	n_found = join(v, f);
	end = all ? w->raw.len : common_end(v, f, n_found, w);
	for (i = 0; i < VIEWS; i++)
		if (v[i].swallow != CAST_SWALLOW_NOTHING)
			w->swallow = v[i].swallow;
	n = end > w->done ? end - w->done : 0;
	if (n > 0) {
		tell_part(&t, v, f, n_found, end);
		told(w, end);
	}
	for (i = 0; i < VIEWS; i++) {
		cast_clean_done(&v[i].c);
		redact_spans_done(&v[i].spans);
	}
	return n;
}

void
cast_window_drop(struct cast_window *w)
{
	if (w->raw.len <= CAST_RAW)
		return;
	if (w->raw.len - CAST_HOLD - CAST_TAIL > w->done)
		w->gap = true;
	forget(w, w->raw.len - CAST_HOLD - CAST_TAIL);
}

void
cast_window_end(struct cast_window *w, const struct redact *redact,
    size_t most, cast_tell *tell, void *ctx)
{
	if (w->raw.len - w->done > most) {
		w->done = w->raw.len - most;
		w->gap = true;
	}
	while (w->done < w->raw.len &&
	    ((unsigned char)w->raw.data[w->done] & 0xc0) == 0x80)
		w->done++;
	cast_window_tell(w, redact, true, tell, ctx);
}
