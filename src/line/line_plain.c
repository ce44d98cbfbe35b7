/* SPDX-License-Identifier: ISC */
/*
 * Between libedit and a terminal that is read out: libedit draws each key's
 * change by going back to the left edge and over all of the line, which a
 * screen reader takes for new text.  So it draws into a row that is kept here,
 * and the terminal gets what has become of it: what was put in at the end, as
 * it is; what was taken from the end, rubbed out; what changed anywhere else,
 * whole, on a line of its own.
 */
#include "line_int.h"

#include <stdio.h>
#include <string.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define ROW_MOST ((size_t)65536)	/* columns that are kept */

struct row {
	wchar_t *v;
	size_t n, at;			/* at: the cursor */
};

struct line_plain {
	FILE *to;			/* the terminal; borrowed */
	struct row drawn, shown;
	mbstate_t decode;
};

static void
put(struct row *r, wchar_t c)
{
	if (r->at == ROW_MOST)
		return;
	if (r->v == NULL)
		r->v = xcalloc(ROW_MOST, sizeof *r->v);
	while (r->n < r->at)
		r->v[r->n++] = L' ';
	r->v[r->at++] = c;
	if (r->n < r->at)
		r->n = r->at;
}

/* libedit rubs out by blanks, which are not there behind the cursor. */
static void
trim(struct row *r)
{
	while (r->n > r->at && r->v[r->n - 1] == L' ')
		r->n--;
}

static void
say(struct line_plain *p, const wchar_t *text, size_t n)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;

	line_put_wide(&out, text, n);
	if (out.len > 0)
		fwrite(out.data, 1, out.len, p->to);
}

static void
back(struct line_plain *p, size_t n, const char *how)
{
	while (n-- > 0)
		fputs(how, p->to);
}

static size_t
common(const struct row *a, const struct row *b)
{
	size_t n = 0;

	while (n < a->n && n < b->n && a->v[n] == b->v[n])
		n++;
	return n;
}

static void
show(struct line_plain *p)
{
	struct row *d = &p->drawn, *s = &p->shown;
	size_t same;

	trim(d);
	same = common(d, s);
	if (same == s->n && s->at == s->n) {
		say(p, d->v + same, d->n - same);	/* more at the end */
		back(p, d->n - d->at, "\b");
	} else if (same == d->n && d->at == d->n && s->at == s->n) {
		back(p, s->n - same, "\b \b");
	} else if (same == d->n && same == s->n) {
		if (d->at < s->at)
			back(p, s->at - d->at, "\b");
		else
			say(p, d->v + s->at, d->at - s->at);
	} else {
		fputc('\n', p->to);
		say(p, d->v, d->n);
		back(p, d->n - d->at, "\b");
	}
	if (d->n > 0 && s->v == NULL)
		s->v = xcalloc(ROW_MOST, sizeof *s->v);
	if (d->n > 0)
		memcpy(s->v, d->v, d->n * sizeof *s->v);
	s->n = d->n;
	s->at = d->at;
}

static void
take(struct line_plain *p, wchar_t c)
{
	struct row *d = &p->drawn;

	switch (c) {
	case L'\r':
		d->at = 0;
		break;
	case L'\b':
		d->at -= d->at > 0;
		break;
	case L'\a':
		fputc('\a', p->to);
		break;
	case L'\n':
		/* Wherever the cursor was on its way. */
		d->at = d->n;
		if (d->n != p->shown.n || common(d, &p->shown) != d->n)
			show(p);
		if (d->n > 0)
			fputc('\n', p->to);
		line_plain_begin(p);
		break;
	default:
		put(d, c);
	}
}

static ssize_t
draw(void *cookie, const char *bytes, size_t len)
{
	struct line_plain *p = cookie;
	size_t i = 0;

	while (i < len) {
		wchar_t c;
		size_t used = mbrtowc(&c, bytes + i, len - i, &p->decode);

		if (used == (size_t)-2)
			break;		/* the rest of it comes */
		if (used == (size_t)-1 || used == 0) {
			memset(&p->decode, 0, sizeof p->decode);
			c = line_wide_byte((unsigned char)bytes[i]);
			used = 1;
		}
		take(p, c);
		i += used;
	}
	show(p);
	fflush(p->to);
	return (ssize_t)len;
}

void
line_plain_begin(struct line_plain *p)
{
	p->drawn.n = p->drawn.at = p->shown.n = p->shown.at = 0;
}

struct line_plain *
line_plain_new(FILE *to, FILE **ret)
{
	struct line_plain *p = xcalloc(1, sizeof *p);

	p->to = to;
	*ret = fopencookie(p, "w", (cookie_io_functions_t){ .write = draw });
	if (*ret == NULL) {
		line_plain_free(p);
		return NULL;
	}
	/* All that one key changes comes at once. */
	setvbuf(*ret, NULL, _IOFBF, ROW_MOST);
	return p;
}

void
line_plain_free(struct line_plain *p)
{
	if (p == NULL)
		return;
	free(p->drawn.v);
	free(p->shown.v);
	free(p);
}
