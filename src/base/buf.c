/* SPDX-License-Identifier: ISC */
/* Growing bytes with a hard maximum, and vectors of strings. */
#include "aegsh/base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/mem.h"

void
buf_done(struct buf *b)
{
	free(b->data);
	b->data = NULL;
	b->len = b->cap = 0;
	b->overflow = false;
}

void
buf_reset(struct buf *b)
{
	b->len = 0;
	b->overflow = false;
	if (b->data != NULL)
		b->data[0] = '\0';
}

char *
buf_reserve(struct buf *b, size_t len)
{
	size_t max = b->max > 0 ? b->max : BUF_MAX_DEFAULT;
	size_t need;

	if (b->overflow || len > max || b->len > max - len) {
		b->overflow = true;
		return NULL;
	}
	need = b->len + len + 1;
	if (need > b->cap) {
		size_t cap = b->cap > 0 ? b->cap : 64;

		while (cap < need)
			cap *= 2;
		b->data = xreallocarray(b->data, cap, 1);
		b->cap = cap;
	}
	return b->data + b->len;
}

void
buf_put(struct buf *b, const void *p, size_t len)
{
	char *to = buf_reserve(b, len);

	if (to == NULL)
		return;
	if (len > 0)
		memcpy(to, p, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void
buf_puts(struct buf *b, const char *s)
{
	buf_put(b, s, strlen(s));
}

void
buf_putc(struct buf *b, char c)
{
	buf_put(b, &c, 1);
}

void
buf_putf(struct buf *b, const char *fmt, ...)
{
	char small[256];
	int n;
	va_list ap;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof small, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n < sizeof small) {
		buf_put(b, small, (size_t)n);
		return;
	}
	if (buf_reserve(b, (size_t)n) == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

char *
buf_take(struct buf *b)
{
	char *data = b->data != NULL ? b->data : xmemdup0("", 0);

	b->data = NULL;
	b->len = b->cap = 0;
	b->overflow = false;
	return data;
}

void
strv_done(struct strv *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	s->v = NULL;
	s->n = s->cap = 0;
}

void
strv_take(struct strv *s, char *text)
{
	if (s->n + 2 > s->cap) {
		s->cap = s->cap > 0 ? s->cap * 2 : 8;
		s->v = xreallocarray(s->v, s->cap, sizeof *s->v);
	}
	s->v[s->n++] = text;
	s->v[s->n] = NULL;
}

void
strv_add(struct strv *s, const char *text)
{
	strv_take(s, xstrdup(text));
}

bool
strv_has(const struct strv *s, const char *text)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (strcmp(s->v[i], text) == 0)
			return true;
	return false;
}

void
strv_addf(struct strv *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strv_take(s, xvasprintf(fmt, ap));
	va_end(ap);
}

char **
strv_peek(struct strv *s)
{
	if (s->v == NULL) {
		s->cap = 8;
		s->v = xreallocarray(NULL, s->cap, sizeof *s->v);
		s->v[0] = NULL;
	}
	return s->v;
}
