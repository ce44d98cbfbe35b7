/* SPDX-License-Identifier: ISC */
/* Text: small string questions, and making text from outside inert. */
#include "aegsh/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t
text_utf8(const char *p, size_t len, uint32_t *ret_cp)
{
	const unsigned char *s = (const unsigned char *)p;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t cp;
	size_t n, i;

	if (len == 0)
		return 0;
	if (s[0] < 0x80) {
		*ret_cp = s[0];
		return 1;
	}
	if ((s[0] & 0xe0) == 0xc0)
		n = 2, cp = s[0] & 0x1f;
	else if ((s[0] & 0xf0) == 0xe0)
		n = 3, cp = s[0] & 0x0f;
	else if ((s[0] & 0xf8) == 0xf0)
		n = 4, cp = s[0] & 0x07;
	else
		return 0;
	if (len < n)
		return 0;
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		cp = cp << 6 | (s[i] & 0x3f);
	}
	if (cp < least[n] || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		return 0;
	*ret_cp = cp;
	return n;
}

/* Invisible or direction-changing code points (UAX #9, UTR #36). */
static bool
is_deceptive(uint32_t cp)
{
	static const uint32_t ranges[][2] = {
		{ 0x80, 0x9f },		/* C1 controls */
		{ 0xad, 0xad },		/* soft hyphen */
		{ 0x34f, 0x34f },	/* combining grapheme joiner */
		{ 0x61c, 0x61c },	/* Arabic letter mark */
		{ 0x115f, 0x1160 },	/* Hangul fillers */
		{ 0x17b4, 0x17b5 },	/* Khmer inherent vowels */
		{ 0x180b, 0x180f },	/* Mongolian selectors */
		{ 0x200b, 0x200f },	/* zero width, LRM, RLM */
		{ 0x2028, 0x202e },	/* separators, bidi embeddings */
		{ 0x2060, 0x206f },	/* invisible operators, isolates */
		{ 0x3164, 0x3164 },	/* Hangul filler */
		{ 0xfe00, 0xfe0f },	/* variation selectors */
		{ 0xfeff, 0xfeff },	/* BOM */
		{ 0xffa0, 0xffa0 },	/* halfwidth Hangul filler */
		{ 0xfff0, 0xfffb },	/* specials */
		{ 0xe0000, 0xe0fff },	/* tags */
	};
	size_t i;

	for (i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
		if (cp >= ranges[i][0] && cp <= ranges[i][1])
			return true;
	return false;
}

/* Of ASCII, and not of those that do something. */
static bool
is_plain(char c)
{
	return c >= 0x20 && c < 0x7f;
}

void
text_inert(struct buf *out, const char *p, size_t len, int flags)
{
	uint32_t cp;
	size_t i, n;

	for (i = 0; i < len; i += n) {
		for (n = 0; i + n < len && is_plain(p[i + n]); n++)
			;
		if (n > 0) {
			buf_put(out, p + i, n);
			continue;
		}
		n = text_utf8(p + i, len - i, &cp);
		if (n == 0) {
			buf_putf(out, "\\x%02x", (unsigned char)p[i]);
			n = 1;
		} else if ((flags & TEXT_INERT_NEWLINE) != 0 &&
		    (cp == '\n' || cp == '\t')) {
			buf_putc(out, (char)cp);
		} else if (cp < 0x20 || cp == 0x7f) {
			buf_putc(out, '^');
			buf_putc(out, (char)(cp ^ 0x40));
		} else if (is_deceptive(cp)) {
			buf_putf(out, "<U+%04X>", cp);
		} else {
			buf_put(out, p + i, n);
		}
	}
}

bool
text_needs_inert(const char *p, size_t len, int flags)
{
	struct buf b = BUF_INIT;
	bool differs;

	text_inert(&b, p, len, flags);
	differs = b.len != len || (len > 0 && memcmp(b.data, p, len) != 0);
	buf_done(&b);
	return differs;
}

void
text_quote(struct buf *out, const char *p, size_t len)
{
	static const char plain[] = "%+,-./:=@_^";
	bool control = false, bare = len > 0;
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c < 0x20 || c == 0x7f)
			control = true;
		if (!isalnum(c) && (c >= 0x80 || strchr(plain, c) == NULL))
			bare = false;
	}
	if (bare) {
		buf_put(out, p, len);
		return;
	}
	buf_puts(out, control ? "$'" : "'");
	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p[i];

		if (!control && c == '\'')
			buf_puts(out, "'\\''");
		else if (control && (c == '\'' || c == '\\'))
			buf_putc(out, '\\'), buf_putc(out, (char)c);
		else if (control && c == '\n')
			buf_puts(out, "\\n");
		else if (control && (c < 0x20 || c == 0x7f))
			buf_putf(out, "\\%03o", c);
		else
			buf_putc(out, (char)c);
	}
	buf_putc(out, '\'');
}

void
text_quote_words(struct buf *out, char *const *words)
{
	size_t i;

	for (i = 0; words[i] != NULL; i++) {
		if (i > 0)
			buf_putc(out, ' ');
		text_quote(out, words[i], strlen(words[i]));
	}
}

bool
text_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool
text_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && strcmp(s + n - m, suffix) == 0;
}

bool
text_among(const char *s, const char *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(list[i], s) == 0)
			return true;
	return false;
}

bool
text_is_name(const char *p, size_t len)
{
	size_t i;

	if (len == 0 || (p[0] >= '0' && p[0] <= '9'))
		return false;
	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c >= 0x80 || (!isalnum(c) && c != '_'))
			return false;
	}
	return true;
}

int
text_hex(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int
text_to_i64(const char *s, int64_t min, int64_t max, int64_t *ret)
{
	char *end;
	long long v;

	if (*s == '\0' || isspace((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	v = strtoll(s, &end, 10);
	if (*end != '\0')
		return -EINVAL;
	if (errno == ERANGE || v < min || v > max)
		return -ERANGE;
	*ret = v;
	return 0;
}
