/* SPDX-License-Identifier: ISC */
/*
 * Bytes as a string of JSON (RFC 8259), which holds characters only, and
 * back to the same bytes.
 *
 * A byte that belongs to no character of UTF-8 stands as the character
 * U+10FE00 and so many more: one of a plane for private use, so that every
 * reader of JSON takes it.  Where such a character itself was written, its
 * bytes stand likewise.
 */
#include "cast_int.h"

#include <string.h>

#include "aegsh/base/text.h"

#define BYTE_BASE 0x10fe00U

static bool
stands_for_byte(uint32_t cp)
{
	return cp >= BYTE_BASE + 0x80 && cp <= BYTE_BASE + 0xff;
}

static void
put_cp(struct buf *b, uint32_t cp)
{
	if (cp < 0x80) {
		buf_putc(b, (char)cp);
		return;
	}
	if (cp < 0x800) {
		buf_putc(b, (char)(0xc0 | cp >> 6));
	} else {
		if (cp < 0x10000) {
			buf_putc(b, (char)(0xe0 | cp >> 12));
		} else {
			buf_putc(b, (char)(0xf0 | cp >> 18));
			buf_putc(b, (char)(0x80 | (cp >> 12 & 0x3f)));
		}
		buf_putc(b, (char)(0x80 | (cp >> 6 & 0x3f)));
	}
	buf_putc(b, (char)(0x80 | (cp & 0x3f)));
}

static void
put_escaped(struct buf *b, uint32_t cp)
{
	static const char from[] = "\n\r\t\b\f\"\\", to[] = "nrtbf\"\\";
	const char *at = cp != 0 && cp < 0x80 ? strchr(from, (int)cp) : NULL;

	if (at != NULL) {
		buf_putc(b, '\\');
		buf_putc(b, to[at - from]);
	} else {
		buf_putf(b, "\\u%04x", cp);
	}
}

void
cast_text_put(struct buf *b, const char *p, size_t len)
{
	uint32_t cp;
	size_t i, k, n;

	for (i = 0; i < len; i += n) {
		n = text_utf8(p + i, len - i, &cp);
		if (n == 0 || stands_for_byte(cp)) {
			n = n > 0 ? n : 1;
			for (k = i; k < i + n; k++)
				put_cp(b, BYTE_BASE + (unsigned char)p[k]);
		} else if (cp < 0x20 || cp == '"' || cp == '\\' ||
		    (cp >= 0x7f && cp < 0xa0) || cp == 0x2028 ||
		    cp == 0x2029) {
			put_escaped(b, cp);
		} else {
			buf_put(b, p + i, n);
		}
	}
}

/* Four hexadecimal digits. */
static bool
get_unit(const char *p, size_t len, uint32_t *ret)
{
	size_t i;

	*ret = 0;
	for (i = 0; i < 4; i++) {
		int digit = i < len ? text_hex((unsigned char)p[i]) : -1;

		if (digit < 0)
			return false;
		*ret = *ret << 4 | (uint32_t)digit;
	}
	return true;
}

/* What stands behind a backslash: how many bytes of it, or 0. */
static size_t
get_escaped(const char *p, size_t len, uint32_t *ret)
{
	static const char from[] = "nrtbf\"\\/", to[] = "\n\r\t\b\f\"\\/";
	const char *at;
	uint32_t low;

	if (len == 0 || p[0] == '\0')
		return 0;
	at = strchr(from, p[0]);
	if (at != NULL) {
		*ret = (unsigned char)to[at - from];
		return 1;
	}
	if (p[0] != 'u' || !get_unit(p + 1, len - 1, ret))
		return 0;
	if (*ret < 0xd800 || *ret > 0xdfff)
		return 5;
	if (*ret > 0xdbff || len < 11 || p[5] != '\\' || p[6] != 'u' ||
	    !get_unit(p + 7, len - 7, &low) || low < 0xdc00 || low > 0xdfff)
		return 0;
	*ret = 0x10000 + ((*ret - 0xd800) << 10) + (low - 0xdc00);
	return 11;
}

bool
cast_text_get(struct buf *ret, const char *p, size_t len, size_t *ret_len)
{
	uint32_t cp;
	size_t i, n;

	for (i = 0; i < len && p[i] != '"'; i += n) {
		if (p[i] == '\\') {
			n = get_escaped(p + i + 1, len - i - 1, &cp);
			if (n == 0)
				return false;
			n++;
		} else {
			n = text_utf8(p + i, len - i, &cp);
			if (n == 0 || cp < 0x20)
				return false;
		}
		if (stands_for_byte(cp))
			buf_putc(ret, (char)(cp - BYTE_BASE));
		else
			put_cp(ret, cp);
	}
	*ret_len = i + 1;
	return i < len && !buf_overflow(ret);
}
