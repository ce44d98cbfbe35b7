/* SPDX-License-Identifier: ISC */
/* JSON strings (RFC 8259, section 7) from bytes that may be anything. */
#include "auto-shebang/auto_shebang_int.h"

#include <string.h>

#include "aegsh/base/text.h"

void
json_string(struct buf *out, const char *text)
{
	size_t len = strlen(text), n;
	uint32_t cp;

	buf_putc(out, '"');
	for (; len > 0; text += n, len -= n) {
		n = text_utf8(text, len, &cp);
		if (n == 0) {
			n = 1;
			cp = 0xfffd;
		}
		if (cp == '"' || cp == '\\')
			buf_putf(out, "\\%c", (int)cp);
		else if (cp >= 0x20 && cp < 0x7f)
			buf_putc(out, (char)cp);
		else if (cp < 0x10000)
			buf_putf(out, "\\u%04x", cp);
		else
			buf_putf(out, "\\u%04x\\u%04x",
			    0xd800 + ((cp - 0x10000) >> 10),
			    0xdc00 + ((cp - 0x10000) & 0x3ff));
	}
	buf_putc(out, '"');
}

static bool
is_utf8(const char *text)
{
	size_t len = strlen(text), n;
	uint32_t cp;

	for (; len > 0; text += n, len -= n) {
		n = text_utf8(text, len, &cp);
		if (n == 0)
			return false;
	}
	return true;
}

void
json_member(struct buf *out, const char *key, const char *text)
{
	json_string(out, key);
	buf_putc(out, ':');
	json_string(out, text);
	if (is_utf8(text))
		return;
	buf_putf(out, ",\"%s_hex\":\"", key);
	for (; *text != '\0'; text++)
		buf_putf(out, "%02x", (unsigned char)*text);
	buf_putc(out, '"');
}
