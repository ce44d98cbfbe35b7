/* SPDX-License-Identifier: ISC */
/* Bytes as hexadecimal digits. */
#include "aegsh/base/hex.h"

#include <string.h>

#include "aegsh/base/text.h"

static const char digits[] = "0123456789abcdef";

void
hex_text(const void *p, size_t len, char *ret)
{
	const unsigned char *from = p;

	for (; len > 0; len--, from++) {
		*ret++ = digits[*from >> 4];
		*ret++ = digits[*from & 15];
	}
	*ret = '\0';
}

void
hex_put(struct buf *b, const void *p, size_t len)
{
	const unsigned char *from = p;

	for (; len > 0; len--, from++) {
		buf_putc(b, digits[*from >> 4]);
		buf_putc(b, digits[*from & 15]);
	}
}

bool
hex_bytes(const char *p, size_t len, unsigned char *ret)
{
	for (; len > 0; len--, p += 2) {
		int high = text_hex((unsigned char)p[0]);
		int low = high < 0 ? -1 : text_hex((unsigned char)p[1]);

		if (low < 0)
			return false;
		*ret++ = (unsigned char)(high << 4 | low);
	}
	return true;
}

/* ---- a UUID ------------------------------------------------------------- */

/* Its groups: bytes, each group but the last with a dash behind it. */
static const unsigned char groups[] = { 4, 2, 2, 2, 6 };

void
uuid_text(const unsigned char uuid[UUID_LEN], char ret[UUID_TEXT])
{
	size_t i;

	for (i = 0; i < AEG_NELEM(groups); i++) {
		hex_text(uuid, groups[i], ret);
		uuid += groups[i];
		ret += 2 * groups[i];
		*ret++ = '-';
	}
	ret[-1] = '\0';
}

bool
uuid_parse(const char *p, size_t len, unsigned char ret[UUID_LEN])
{
	unsigned char uuid[UUID_LEN], *to = uuid;
	size_t i;

	if (len != UUID_TEXT - 1)
		return false;
	for (i = 0; i < AEG_NELEM(groups); i++) {
		if ((i > 0 && *p++ != '-') || !hex_bytes(p, groups[i], to))
			return false;
		to += groups[i];
		p += 2 * groups[i];
	}
	memcpy(ret, uuid, sizeof uuid);
	return true;
}
