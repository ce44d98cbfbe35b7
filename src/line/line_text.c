/* SPDX-License-Identifier: ISC */
/* The line in libedit, which has wide characters, as the bytes that everyone
 * else has, and the other way round. */
#include "line_int.h"

#include <limits.h>
#include <string.h>

#include "aegsh/base/mem.h"

/* A byte that is of no character in this locale: a surrogate, as others do
 * (PEP 383), so that no byte is lost. */
#define BYTE_BASE 0xdc00

wchar_t
line_wide_byte(unsigned char byte)
{
	return byte < 0x80 ? (wchar_t)byte : (wchar_t)(BYTE_BASE + byte);
}

static void
put_wide(struct buf *ret, const wchar_t *p, const wchar_t *end)
{
	mbstate_t encode;
	char bytes[MB_LEN_MAX];
	size_t n;

	memset(&encode, 0, sizeof encode);
	for (; p < end; p++) {
		if (*p >= BYTE_BASE + 0x80 && *p <= BYTE_BASE + 0xff) {
			buf_putc(ret, (char)(*p - BYTE_BASE));
			continue;
		}
		n = wcrtomb(bytes, *p, &encode);
		if (n != (size_t)-1)
			buf_put(ret, bytes, n);
	}
	buf_put(ret, "", 0);
}

void
line_put_wide(struct buf *ret, const wchar_t *text, size_t n)
{
	put_wide(ret, text, text + n);
}

void
line_text(struct line_editor *e, struct buf *ret)
{
	const LineInfoW *li = el_wline(e->el);

	put_wide(ret, li->buffer, li->lastchar);
}

void
line_text_before(struct line_editor *e, struct buf *ret)
{
	const LineInfoW *li = el_wline(e->el);

	if (e->unit != NULL && e->unit->len > 0)
		buf_put(ret, e->unit->data, e->unit->len);
	put_wide(ret, li->buffer, li->cursor);
}

int
line_count_wide(const char *bytes)
{
	size_t n = mbstowcs(NULL, bytes, 0);

	return (int)(n != (size_t)-1 ? n : strlen(bytes));
}

/* What is not of this locale is taken as the bytes it is; owned. */
static wchar_t *
to_wide(const char *text, size_t len)
{
	wchar_t *wide = xreallocarray(NULL, len + 1, sizeof *wide);
	mbstate_t decode;
	size_t i = 0, n = 0;

	memset(&decode, 0, sizeof decode);
	while (i < len) {
		size_t used = mbrtowc(&wide[n], text + i, len - i, &decode);

		if (used == (size_t)-1 || used == (size_t)-2) {
			memset(&decode, 0, sizeof decode);
			wide[n] = line_wide_byte((unsigned char)text[i]);
			used = 1;
		}
		/* A line with a NUL byte would end there. */
		n += used != 0;
		i += used != 0 ? used : 1;
	}
	wide[n] = L'\0';
	return wide;
}

bool
line_insert(struct line_editor *e, const char *text, size_t len)
{
	AEG_AUTOFREE wchar_t *wide = to_wide(text, len);
	const wchar_t *p;

	for (p = wide; *p != L'\0'; p++)
		if (*p >= 0x100 && wcwidth(*p) > 1) {
			line_keys_long(e, true);
			break;
		}
	return wide[0] == L'\0' || el_winsertstr(e->el, wide) == 0;
}

unsigned char
line_drawn(const struct line_editor *e)
{
	return e->plain != NULL ? CC_REDISPLAY : CC_REFRESH;
}

bool
line_replace(struct line_editor *e, const char *text, size_t len)
{
	const LineInfoW *li = el_wline(e->el);

	el_cursor(e->el, (int)(li->lastchar - li->cursor));
	li = el_wline(e->el);
	if (li->cursor > li->buffer)
		el_deletestr(e->el, (int)(li->cursor - li->buffer));
	return line_insert(e, text, len);
}
