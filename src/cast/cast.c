/* SPDX-License-Identifier: ISC */
/*
 * A session's output: each stream through its window, into the line's head
 * and tail and, where all is kept, into the file.
 *
 * Past what a line may take, bytes are only kept until newer ones come, so
 * that a large transfer costs a copy; the tail is made of the last ones.
 */
#include "cast_int.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"

#define SECOND INT64_C(1000000000)

struct stream {
	struct cast_window window;
	struct buf head, tail;	/* told; the tail's last CAST_TAIL count */
	int64_t bytes, kept;
	int64_t told;		/* bytes that head and tail were given */
	size_t left;		/* bytes that are still taken */
	bool over;		/* they were more */
};

struct cast {
	struct cast_events events;
	struct cast_apart *apart;	/* who writes them; NULL: we do */
	const struct redact *redact;
	enum cast_keep keep;
	size_t line_max;
	bool in_line;
	bool missed;		/* something that is to have a mark */
	bool mark_due;		/* nothing of the line is in the file yet */
	struct stream streams[CAST_STREAMS];
	struct cast_line line;	/* the last one */
	char trouble[ERR_TEXT_MAX];
};

static const char *const words[] = {
	[CAST_KEEP_NONE] = "none",
	[CAST_KEEP_SAMPLE] = "sample",
	[CAST_KEEP_FULL] = "full",
};

int
cast_keep_parse(const char *word, enum cast_keep *ret)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(words); i++) {
		if (strcmp(word, words[i]) == 0) {
			*ret = (enum cast_keep)i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *
cast_keep_word(enum cast_keep keep)
{
	return words[keep];
}

/* Sample: no more goes through the windows than a head has. */
static size_t
line_takes(const struct cast *c)
{
	return c->keep == CAST_KEEP_FULL ? c->line_max : CAST_HEAD;
}

static void
forget_stream(const struct cast *c, struct stream *s)
{
	cast_window_done(&s->window);
	buf_reset(&s->head);
	buf_reset(&s->tail);
	s->bytes = s->kept = s->told = 0;
	s->left = line_takes(c);
	s->over = false;
}

struct cast *
cast_new(const struct cast_setup *setup)
{
	struct cast *c = xcalloc(1, sizeof *c);
	size_t i;

	cast_events_init(&c->events, setup);
	if (setup->wait_ns > 0)
		c->apart = cast_apart_new(setup->wait_ns);
	c->redact = setup->redact;
	c->keep = setup->keep;
	c->line_max = setup->line_max == 0 ? CAST_LINE_DEFAULT :
	    setup->line_max > CAST_LINE_MOST ? CAST_LINE_MOST :
	    setup->line_max;
	for (i = CAST_OUT; i < CAST_STREAMS; i++)
		forget_stream(c, &c->streams[i]);
	return c;
}

/* ---- into the file --------------------------------------------------- */

static bool
put_event(struct cast *c, int64_t ns, char code, const char *p, size_t len)
{
	bool put = c->apart == NULL ? cast_events_put(&c->events, ns, code, p,
	    len) : cast_apart_put(c->apart, &c->events, ns, code, p, len);

	/* What does not fit has a mark, as soon as anything does. */
	c->missed |= !put && c->apart != NULL;
	return put;
}

static bool
put_mark(struct cast *c, const char *word, int64_t ns)
{
	char uuid[UUID_TEXT], text[48];
	int n;

	uuid_text(c->line.uuid, uuid);
	n = snprintf(text, sizeof text, "%s %s", word, uuid);
	return put_event(c, ns, 'm', text, (size_t)n);
}

/* What stands in front of the first byte of a file, and of a line: what
 * writes nothing leaves nothing.  False: the file takes nothing. */
static bool
open_file(struct cast *c, int64_t ns)
{
	if (c->keep != CAST_KEEP_FULL ||
	    (c->missed && !put_mark(c, "missed", ns)))
		return false;
	c->missed = false;
	if (c->mark_due && !put_mark(c, "line", ns))
		return false;
	c->mark_due = false;
	return true;
}

void
cast_resize(struct cast *c, unsigned width, unsigned height, int64_t mono_ns)
{
	char text[32];
	int n;

	struct cast_events *e = &c->events;

	if (width == 0 || height == 0 ||
	    (width == e->width && height == e->height))
		return;
	e->width = width;
	e->height = height;
	/* Before anything is written the header says it. */
	if (!(c->apart != NULL ? cast_apart_has_begun(c->apart) :
	    cast_file_takes(&e->file)))
		return;
	n = snprintf(text, sizeof text, "%ux%u", width, height);
	put_event(c, mono_ns, 'r', text, (size_t)n);
}

/* ---- streams --------------------------------------------------------- */

struct told {
	struct cast *c;
	enum cast_stream which;
	bool filed;
};

static void
add_row(struct stream *s, const char *p, size_t len)
{
	size_t n = CAST_HEAD - s->head.len;

	s->told += (int64_t)len;
	if (n > len)
		n = len;
	buf_put(&s->head, p, n);
	p += n;
	len -= n;
	if (len > CAST_TAIL) {
		p += len - CAST_TAIL;
		s->tail.len = 0;
		len = CAST_TAIL;
	}
	if (s->tail.len + len > 4 * CAST_TAIL) {
		memmove(s->tail.data, s->tail.data + s->tail.len - CAST_TAIL,
		    CAST_TAIL);
		s->tail.len = CAST_TAIL;
	}
	buf_put(&s->tail, p, len);
}

static void
tell_row(void *ctx, const char *p, size_t len, int64_t ns)
{
	struct told *t = ctx;

	(void)ns;
	add_row(&t->c->streams[t->which], p, len);
}

static void
tell(void *ctx, const char *p, size_t len, int64_t ns)
{
	struct told *t = ctx;
	bool err = t->which == CAST_ERR || t->which == CAST_LATE_ERR;

	if (t->which == CAST_OUT || t->which == CAST_ERR)
		add_row(&t->c->streams[t->which], p, len);
	if (open_file(t->c, ns) &&
	    put_event(t->c, ns, err ? 'e' : 'o', p, len))
		return;
	if (t->c->apart != NULL && t->c->keep == CAST_KEEP_FULL)
		cast_apart_miss(t->c->apart, len);
	t->filed = false;
}

static void
tell_stream(struct cast *c, enum cast_stream which, bool all)
{
	struct stream *s = &c->streams[which];
	struct told t = { c, which, c->keep == CAST_KEEP_FULL };
	size_t n = cast_window_tell(&s->window, c->redact, all, tell, &t);

	if (t.filed)
		s->kept += (int64_t)n;
}

/* Bytes past what the line may take. */
static void
put_over(struct cast *c, enum cast_stream which, const char *p, size_t len,
    int64_t ns)
{
	struct stream *s = &c->streams[which];
	struct told t = { c, which, false };

	if (which == CAST_LATE_OUT || which == CAST_LATE_ERR)
		return;		/* of no row */
	cast_window_add(&s->window, p, len, ns);
	/* What is held back of a long word belongs to the head as well. */
	if (s->head.len < CAST_HEAD)
		cast_window_tell(&s->window, c->redact, false, tell_row, &t);
	else
		cast_window_drop(&s->window);
}

/* No more of it is taken. */
static void
go_over(struct cast *c, enum cast_stream which, int64_t ns)
{
	struct stream *s = &c->streams[which];

	s->over = true;
	if (!c->in_line || c->line.cut || c->keep != CAST_KEEP_FULL)
		return;
	c->line.cut = true;
	if (open_file(c, ns))
		(void)put_mark(c, "cut", ns);
}

static void
put_some(struct cast *c, enum cast_stream which, const char *p, size_t len,
    int64_t ns)
{
	struct stream *s = &c->streams[which];
	size_t n = len < s->left ? len : s->left;

	s->bytes += (int64_t)len;
	if (!s->over && n > 0) {
		cast_window_add(&s->window, p, n, ns);
		s->left -= n;
		tell_stream(c, which, false);
		p += n;
		len -= n;
	}
	if (len == 0)
		return;
	if (!s->over)
		go_over(c, which, ns);
	put_over(c, which, p, len, ns);
}

void
cast_put(struct cast *c, enum cast_stream which, const void *p, size_t len,
    int64_t mono_ns)
{
	const char *at = p;
	size_t n;

	if (c->keep == CAST_KEEP_NONE || which <= 0 || which >= CAST_STREAMS)
		return;
	if (!c->in_line && which <= CAST_ERR)
		which = which == CAST_OUT ? CAST_LATE_OUT : CAST_LATE_ERR;
	if (which > CAST_ERR && c->keep != CAST_KEEP_FULL)
		return;
	for (; len > 0; at += n, len -= n) {
		n = len < CAST_HOLD / 2 ? len : CAST_HOLD / 2;
		put_some(c, which, at, n, mono_ns);
	}
}

/* ---- lines ----------------------------------------------------------- */

void
cast_begin(struct cast *c, const unsigned char uuid[UUID_LEN],
    int64_t mono_ns)
{
	if (c->in_line)
		cast_end(c);
	forget_stream(c, &c->streams[CAST_OUT]);
	forget_stream(c, &c->streams[CAST_ERR]);
	c->streams[CAST_LATE_OUT].left = c->streams[CAST_LATE_ERR].left =
	    line_takes(c);
	c->line = (struct cast_line){ .filed = false };
	memcpy(c->line.uuid, uuid, sizeof c->line.uuid);
	if (c->apart != NULL)
		cast_apart_again(c->apart);
	else
		cast_file_again(&c->events.file);
	c->in_line = c->mark_due = true;
}

static void
finish(struct cast *c, enum cast_stream which, struct cast_output *ret)
{
	struct stream *s = &c->streams[which];
	struct told t = { c, which, false };
	size_t most = CAST_HEAD - s->head.len + CAST_TAIL;

	if (!s->over)
		tell_stream(c, which, true);
	else
		cast_window_end(&s->window, c->redact, most, tell_row, &t);
	*ret = (struct cast_output){ .head = s->head.data != NULL ?
		s->head.data : "", .head_len = s->head.len,
		.bytes = s->bytes, .kept = s->kept,
		.redacted = s->window.hits };
	ret->tail_len = s->tail.len < CAST_TAIL ? s->tail.len : CAST_TAIL;
	ret->tail = s->tail.data != NULL ? s->tail.data + s->tail.len -
	    ret->tail_len : "";
	ret->cut = s->window.gap ||
	    s->told > (int64_t)(ret->head_len + ret->tail_len);
}

static bool
settle(struct cast *c, struct cast_line *l)
{
	struct cast_file *f = &c->events.file;

	if (c->apart != NULL)
		return cast_apart_settle(c->apart, &c->events, l);
	if (!cast_file_settle(f, &l->offset, &l->length, l->sha256))
		return false;
	cast_file_close(f);
	return true;
}

const struct cast_line *
cast_end(struct cast *c)
{
	struct cast_line *l = &c->line;

	if (!c->in_line) {
		*l = (struct cast_line){ .filed = false };
		return l;
	}
	finish(c, CAST_OUT, &l->out);
	finish(c, CAST_ERR, &l->err);
	c->in_line = c->mark_due = false;
	/* A line that wrote nothing has no row: what others have left in the
	 * file is of the next one's part. */
	l->filed = (l->out.bytes > 0 || l->err.bytes > 0) &&
	    settle(c, l);
	if (!l->filed)
		l->out.kept = l->err.kept = 0;
	return l;
}

const char *
cast_trouble(struct cast *c)
{
	struct cast_file *f = &c->events.file;

	if (c->apart != NULL)
		return cast_apart_trouble(c->apart);
	if (!f->broken || f->told)
		return NULL;
	f->told = true;
	memcpy(c->trouble, f->err.text, sizeof c->trouble);
	return c->trouble;
}

int
cast_poll_fd(const struct cast *c)
{
	return c != NULL && c->apart != NULL ? cast_apart_fd(c->apart) : -1;
}

void
cast_pump(struct cast *c)
{
	cast_apart_pump(c->apart, &c->events);
}

void
cast_free(struct cast *c)
{
	size_t i;

	if (c == NULL)
		return;
	if (c->in_line)
		cast_end(c);
	for (i = CAST_OUT; i < CAST_STREAMS; i++) {
		if (i >= CAST_LATE_OUT && !c->streams[i].over)
			tell_stream(c, (enum cast_stream)i, true);
		forget_stream(c, &c->streams[i]);
		buf_done(&c->streams[i].head);
		buf_done(&c->streams[i].tail);
	}
	if (c->apart != NULL)
		cast_apart_free(c->apart, &c->events);
	else
		cast_file_sync(&c->events.file);
	cast_events_done(&c->events);
	free(c);
}
