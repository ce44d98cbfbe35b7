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

struct clean {			/* raw without escape sequences */
	const char *p;
	size_t len;
	uint32_t *at;		/* where each byte stands in raw, or NULL:
				 * there */
	size_t raw_len;
};

void
cast_window_done(struct cast_window *w)
{
	if (w->raw.data != NULL)
		explicit_bzero(w->raw.data, w->raw.len);
	buf_done(&w->raw);
	*w = (struct cast_window){ .done = 0 };
}

/* ---- the text that is searched --------------------------------------- */

/* The escape sequence at p (ECMA-48 5.4, 8.3.89): its length, *ret_gap: it
 * moves what follows away from what was before.  len: it is not over. */
static size_t
sequence(const char *p, size_t len, bool *ret_gap)
{
	size_t i = 2;

	*ret_gap = false;
	if (len < 2)
		return len;
	if (p[1] == '[') {
		while (i < len && (unsigned char)p[i] >= 0x20 &&
		    (unsigned char)p[i] < 0x40)
			i++;
		if (i == len)
			return len;
		*ret_gap = p[i] != 'm' && p[i] != 'K';
		return i + 1;
	}
	if (p[1] == ']' || p[1] == 'P') {
		for (; i < len; i++) {
			if (p[i] == '\a')
				return i + 1;
			if (p[i] == '\033')
				return i + 1 < len && p[i + 1] == '\\' ?
				    i + 2 : i;
		}
		return len;
	}
	while (i - 1 < len && p[i - 1] >= 0x20 && p[i - 1] < 0x30)
		i++;
	return i < len ? i : len;
}

static void
clean_done(struct clean *c)
{
	if (c->at != NULL)
		free((char *)(uintptr_t)c->p);
	free(c->at);
}

static void
clean_init(struct clean *c, const struct buf *raw)
{
	size_t i, n, len = 0;
	bool gap;
	char *to;

	*c = (struct clean){ .p = raw->data, .len = raw->len,
		.raw_len = raw->len };
	if (raw->len == 0 || memchr(raw->data, '\033', raw->len) == NULL)
		return;
	to = xmalloc(raw->len);
	c->at = xreallocarray(NULL, raw->len, sizeof c->at[0]);
	for (i = 0; i < raw->len; i += n) {
		gap = false;
		n = raw->data[i] == '\033' ? sequence(raw->data + i,
		    raw->len - i, &gap) : 1;
		if (raw->data[i] == '\033' && !gap)
			continue;
		c->at[len] = (uint32_t)i;
		to[len++] = gap ? ' ' : raw->data[i];
	}
	c->p = to;
	c->len = len;
}

/* Where in raw the byte i stands, or ends what is before it. */
static size_t
raw_at(const struct clean *c, size_t i)
{
	if (i >= c->len)
		return c->raw_len;
	return c->at != NULL ? c->at[i] : i;
}

/* The first byte that stands there in raw or behind it. */
static size_t
clean_at(const struct clean *c, size_t raw)
{
	size_t low = 0, high = c->len, mid;

	if (c->at == NULL)
		return raw < c->len ? raw : c->len;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (c->at[mid] < raw)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* ---- how much of it can be told -------------------------------------- */

static bool
is_space(char c)
{
	return isspace((unsigned char)c);
}

/* Where a private key begins that has not ended, or len. */
static size_t
open_key(const struct clean *c)
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
open_writer(const struct clean *c)
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

/* Up to where all is known, secrets apart. */
static size_t
safe_end(const struct clean *c, size_t done)
{
	size_t end = c->len, limit;

	while (end > done && !is_space(c->p[end - 1]))
		end--;
	limit = open_key(c);
	if (limit < end)
		end = limit;
	limit = open_writer(c);
	if (limit < end)
		end = limit;
	if (c->len - (end > done ? end : done) > CAST_HOLD)
		end = c->len - CAST_AHEAD;
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

/* What stood among the bytes of a secret: how the rest looks. */
static void
tell_sequences(const struct telling *t, const struct clean *c, size_t from,
    size_t to)
{
	size_t i, start, end;

	for (i = from; c->at != NULL && i < to; i++) {
		start = c->at[i] + (t->w->raw.data[c->at[i]] != '\033');
		end = i + 1 < to ? c->at[i + 1] : start;
		if (end > start)
			tell_raw(t, start, end);
	}
}

static void
tell_tag(const struct telling *t, const struct clean *c,
    const struct redact_spans *spans, const struct redact_span *span)
{
	t->tell(t->ctx, spans->tags.data + span->tag, span->tag_len,
	    time_of(t->w, raw_at(c, span->from)));
	tell_sequences(t, c, span->from, span->from + span->len);
	t->w->hits++;
}

/* [done, end) of raw, secrets replaced; those that end before are told. */
static void
tell_part(const struct telling *t, const struct clean *c,
    const struct redact_spans *spans, size_t end)
{
	size_t at = t->w->done, from, to, i;

	for (i = 0; i < spans->n; i++) {
		const struct redact_span *s = &spans->v[i];

		from = raw_at(c, s->from);
		to = s->len > 0 ? raw_at(c, s->from + s->len - 1) + 1 : from;
		if (to <= at || from >= end)
			continue;
		if (from > at)
			tell_raw(t, at, from);
		tell_tag(t, c, spans, s);
		at = to;
	}
	if (at < end)
		tell_raw(t, at, end);
}

/* The secret that is not over at the end of what may be told. */
static const struct redact_span *
span_over(const struct clean *c, const struct redact_spans *spans, size_t end)
{
	size_t i;

	for (i = 0; i < spans->n; i++) {
		const struct redact_span *s = &spans->v[i];

		if (s->from < end && (s->from + s->len > end ||
		    s->from + s->len == c->len))
			return s;
	}
	return NULL;
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
	struct redact_spans spans = REDACT_SPANS_INIT;
	const struct redact_span *over;
	struct clean c;
	size_t end, n, done;

	if (w->done == w->raw.len)
		return 0;
	clean_init(&c, &w->raw);
	done = clean_at(&c, w->done);
	end = all ? c.len : safe_end(&c, done);
	/* Most of what is written a byte at a time changes nothing. */
	if (end > done || all)
		redact_find(redact, c.p, c.len, &spans);
	over = all ? NULL : span_over(&c, &spans, end);
	if (over != NULL && over->from + over->len < c.len) {
		end = over->from + over->len;
	} else if (over != NULL && c.len - over->from > CAST_HOLD) {
		w->swallow = text_starts(spans.tags.data + over->tag,
		    "<redacted:private-key") ? CAST_SWALLOW_KEY :
		    CAST_SWALLOW_WORD;
		end = c.len;
	} else if (over != NULL) {
		end = over->from > done ? over->from : done;
	}
	end = all || end >= c.len ? c.raw_len : end > done ? raw_at(&c, end) :
	    w->done;
	n = end > w->done ? end - w->done : 0;
	if (n > 0) {
		tell_part(&t, &c, &spans, end);
		told(w, end);
	}
	clean_done(&c);
	redact_spans_done(&spans);
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
