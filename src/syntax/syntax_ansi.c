/* SPDX-License-Identifier: ISC */
/* What the inside of $'…' means (bash(1), QUOTING). */
#include "syntax_int.h"

#include "aegsh/base/text.h"

/* Up to max digits of base at *i; the number of them. */
static unsigned
number(const char *s, size_t len, size_t *i, int base, unsigned max,
    uint32_t *ret)
{
	unsigned n = 0;
	int digit;

	*ret = 0;
	while (n < max && *i < len && (digit = text_hex(s[*i])) >= 0 &&
	    digit < base) {
		*ret = *ret * (unsigned)base + (unsigned)digit;
		++*i;
		n++;
	}
	return n;
}

static size_t
put_utf8(char *to, uint32_t c)
{
	size_t n = 0;

	if (c < 0x80) {
		to[n++] = (char)c;
	} else if (c < 0x800) {
		to[n++] = (char)(0xc0 | c >> 6);
		to[n++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		to[n++] = (char)(0xe0 | c >> 12);
		to[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		to[n++] = (char)(0x80 | (c & 0x3f));
	} else {
		to[n++] = (char)(0xf0 | (c >> 18 & 0x07));
		to[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		to[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		to[n++] = (char)(0x80 | (c & 0x3f));
	}
	return n;
}

/* \xH, \xHH and the \x{…} that bash also takes; an empty one is a NUL. */
static size_t
hex(const char *s, size_t len, size_t *i, char *to)
{
	uint32_t v;
	bool braces = *i < len && s[*i] == '{';
	size_t k = *i;

	if (braces) {
		k++;
		number(s, len, &k, 16, (unsigned)len, &v);
		if (k < len && s[k] == '}')
			k++;
		*i = k;
		to[0] = (char)v;
		return 1;
	}
	if (number(s, len, i, 16, 2, &v) == 0) {
		to[0] = '\\';
		to[1] = 'x';
		return 2;
	}
	to[0] = (char)v;
	return 1;
}

static size_t
unicode(const char *s, size_t len, size_t *i, char letter, char *to,
    bool *ret_doubt)
{
	uint32_t v;

	if (number(s, len, i, 16, letter == 'u' ? 4 : 8, &v) == 0) {
		to[0] = '\\';
		to[1] = letter;
		return 2;
	}
	if (v >= 0x80)
		*ret_doubt = true;
	return put_utf8(to, v);
}

static size_t
control(const char *s, size_t len, size_t *i, char *to)
{
	int c;

	if (*i >= len) {
		to[0] = '\\';
		to[1] = 'c';
		return 2;
	}
	c = (unsigned char)s[(*i)++];
	if (c == '\\' && *i < len && s[*i] == '\\')
		++*i;
	if (c >= 'a' && c <= 'z')
		c -= 'a' - 'A';
	to[0] = c == '?' ? 0x7f : (char)(c & 0x1f);
	return 1;
}

/* The character behind a backslash, at *i; what it gives is put into to. */
static size_t
escape(const char *s, size_t len, size_t *i, char *to, bool *ret_doubt)
{
	static const char from[] = "abeEfnrtv\\'\"?";
	static const char into[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	int c = (unsigned char)s[(*i)++];
	const char *simple = strchr(from, c);
	uint32_t v;

	if (simple != NULL && c != '\0') {
		to[0] = into[simple - from];
		return 1;
	}
	if (c >= '0' && c <= '7') {
		--*i;
		number(s, len, i, 8, 3, &v);
		to[0] = (char)v;
		return 1;
	}
	if (c == 'x')
		return hex(s, len, i, to);
	if (c == 'u' || c == 'U')
		return unicode(s, len, i, (char)c, to, ret_doubt);
	if (c == 'c')
		return control(s, len, i, to);
	to[0] = '\\';
	to[1] = (char)c;
	return 2;
}

const char *
syn_ansi(struct arena *arena, const char *s, size_t len, size_t *ret_len,
    bool *ret_doubt)
{
	char *out = arena_alloc(arena, len + 8);
	size_t i = 0, n = 0;

	while (i < len) {
		if (s[i] != '\\' || i + 1 == len) {
			out[n++] = s[i++];
			continue;
		}
		i++;
		n += escape(s, len, &i, out + n, ret_doubt);
	}
	/* Bash keeps such strings NUL-terminated: the rest is lost. */
	*ret_len = strnlen(out, n);
	return out;
}
