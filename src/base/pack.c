/* SPDX-License-Identifier: ISC */
/* Numbers, bytes and texts one behind the other. */
#include "aegsh/base/pack.h"

#include <string.h>

void
pack_int(struct buf *b, int64_t n)
{
	buf_put(b, &n, sizeof n);
}

void
pack_bytes(struct buf *b, const char *p, size_t len)
{
	uint32_t n = (uint32_t)len;

	buf_put(b, &n, sizeof n);
	if (len > 0)
		buf_put(b, p, len);
}

void
pack_text(struct buf *b, const char *text)
{
	uint32_t none = PACK_NO_TEXT;

	if (text != NULL)
		pack_bytes(b, text, strlen(text) + 1);
	else
		buf_put(b, &none, sizeof none);
}

const char *
pack_get(struct pack_reader *r, size_t len)
{
	const char *p = r->p;

	if (p == NULL || len > (size_t)(r->end - p)) {
		r->p = NULL;
		return NULL;
	}
	r->p += len;
	return p;
}

int64_t
pack_get_int(struct pack_reader *r)
{
	const char *p = pack_get(r, sizeof(int64_t));
	int64_t n = 0;

	if (p != NULL)
		memcpy(&n, p, sizeof n);
	return n;
}

uint32_t
pack_get_len(struct pack_reader *r)
{
	const char *p = pack_get(r, sizeof(uint32_t));
	uint32_t n = PACK_NO_TEXT;

	if (p != NULL)
		memcpy(&n, p, sizeof n);
	return n;
}

const char *
pack_get_text(struct pack_reader *r)
{
	uint32_t len = pack_get_len(r);
	const char *text;

	if (len == PACK_NO_TEXT)
		return NULL;
	text = pack_get(r, len);
	if (text == NULL || len == 0 || text[len - 1] != '\0') {
		r->p = NULL;
		return NULL;
	}
	return text;
}
