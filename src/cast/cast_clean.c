/* SPDX-License-Identifier: ISC */
/*
 * The text that is searched for secrets: a stream's bytes without escape
 * sequences, and as they look where some of them stand over others.
 *
 * A terminal shows no NUL, and what follows a backspace in the place of what
 * stood before it.  So "p\bpa\ba", as nroff makes letters bold, is "pa", as is
 * what was typed wrong and mended, and UTF-16 and UTF-32 of Latin letters are
 * these.
 */
#include "cast_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

/* ECMA-48 5.4, 8.3.89 */
size_t
cast_clean_sequence(const char *p, size_t len, bool *ret_gap)
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

void
cast_clean_done(struct cast_clean *c)
{
	if (c->at != NULL)
		free((char *)(uintptr_t)c->p);
	free(c->at);
	free(c->low);
}

static bool
has(const struct buf *raw, int byte)
{
	return raw->len > 0 && memchr(raw->data, byte, raw->len) != NULL;
}

bool
cast_clean_init(struct cast_clean *c, const struct buf *raw, bool shown)
{
	size_t i, n, len = 0;
	bool gap;
	char *to;

	*c = (struct cast_clean){ .p = raw->data, .len = raw->len,
		.raw_len = raw->len, .shown = shown };
	if (shown) {
		if (!cast_shown_differs(raw))
			return false;
		cast_shown(c, raw);
		return true;
	}
	if (!has(raw, '\033') && !has(raw, '\0'))
		return true;
	to = xmalloc(raw->len);
	c->at = xreallocarray(NULL, raw->len, sizeof c->at[0]);
	for (i = 0; i < raw->len; i += n) {
		char b = raw->data[i];

		gap = false;
		n = b == '\033' ? cast_clean_sequence(raw->data + i,
		    raw->len - i, &gap) : 1;
		if (b == '\033' && !gap)
			continue;
		c->at[len] = (uint32_t)i;
		/* As in a list of a program's words, or variables. */
		to[len++] = gap ? ' ' : b == '\0' ? '\n' : b;
	}
	c->p = to;
	c->len = len;
	return true;
}

/* Where in raw the byte i stands, or ends what is before it. */
size_t
cast_clean_raw(const struct cast_clean *c, size_t i)
{
	if (i >= c->len)
		return c->raw_len;
	return c->at != NULL ? c->at[i] : i;
}

size_t
cast_clean_at(const struct cast_clean *c, size_t raw)
{
	const uint32_t *at = c->shown ? c->low : c->at;
	size_t low = 0, high = c->len, mid;

	if (at == NULL)
		return raw < c->len ? raw : c->len;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (at[mid] < raw)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

size_t
cast_clean_from(const struct cast_clean *c, size_t i)
{
	size_t low;

	if (!c->shown)
		return cast_clean_raw(c, i);
	low = i < c->len ? c->low[i] : c->raw_len;
	return i == 0 ? 0 : c->at[i - 1] < low ? c->at[i - 1] + 1 : low;
}

void
cast_clean_part(const struct cast_clean *c, size_t i, size_t len,
    size_t *ret_from, size_t *ret_to)
{
	size_t k;

	*ret_from = *ret_to = cast_clean_raw(c, i);
	for (k = i; c->at != NULL && k < i + len; k++) {
		if (c->at[k] < *ret_from)
			*ret_from = c->at[k];
		if (c->at[k] + 1U > *ret_to)
			*ret_to = c->at[k] + 1U;
	}
	if (c->at == NULL)
		*ret_to = *ret_from + len;
	else if (c->shown && i == 0)
		*ret_from = 0;
	else if (c->shown && c->at[i - 1] < *ret_from)
		*ret_from = c->at[i - 1] + 1U;
}
