/* SPDX-License-Identifier: ISC */
/*
 * Reading values as bash prints them for re-input: "…" and $'…' (bash(1),
 * QUOTING).  The bytes are data; nothing is expanded.
 */
#include "state/state_int.h"

#include <string.h>

#include "aegsh/base/text.h"

/* Inside "…": the five characters before which a backslash is dropped. */
static const char *
double_quoted(const char *p, const char *end, struct buf *out)
{
	while (p < end && *p != '"') {
		if (*p == '\0')
			return NULL;
		/* bash escapes these three; unescaped, it would not be a
		 * value but something to expand. */
		if (*p == '$' || *p == '`')
			return NULL;
		if (*p == '\\') {
			if (++p == end || *p == '\0')
				return NULL;
			if (*p == '\n') {
				p++;
				continue;
			}
			if (strchr("$`\"\\", *p) == NULL)
				buf_putc(out, '\\');
		}
		buf_putc(out, *p++);
	}
	return p < end ? p + 1 : NULL;
}

/* \nnn or \xHH at p (after the backslash): 1-3 octal or 1-2 hex digits. */
static const char *
numeric_escape(const char *p, const char *end, struct buf *out)
{
	const bool hex = *p == 'x';
	const char *stop;
	unsigned int value = 0;

	p += hex;
	stop = end - p > 3 - hex ? p + 3 - hex : end;
	if (p == stop || (hex && text_hex(*p) < 0))
		return NULL;
	for (; p < stop; p++) {
		int d = text_hex(*p);

		if (d < 0 || (!hex && d > 7))
			break;
		value = value * (hex ? 16 : 8) + (unsigned int)d;
	}
	/* A NUL cannot be part of a value. */
	if ((value & 0xff) == 0)
		return NULL;
	buf_putc(out, (char)value);
	return p;
}

static const char *
ansi_c_quoted(const char *p, const char *end, struct buf *out)
{
	static const char letters[] = "abeEfnrtv\\'\"?";
	static const char bytes[] = "\a\b\033\033\f\n\r\t\v\\'\"?";

	while (p < end && *p != '\'') {
		const char *letter;

		if (*p == '\0')
			return NULL;
		if (*p != '\\') {
			buf_putc(out, *p++);
			continue;
		}
		if (++p == end || *p == '\0')
			return NULL;
		letter = strchr(letters, *p);
		if (letter != NULL) {
			buf_putc(out, bytes[letter - letters]);
			p++;
		} else if ((*p >= '0' && *p <= '7') || *p == 'x') {
			p = numeric_escape(p, end, out);
			if (p == NULL)
				return NULL;
		} else {
			return NULL;
		}
	}
	return p < end ? p + 1 : NULL;
}

const char *
word_value(const char *p, const char *end, struct buf *out)
{
	if (end - p >= 2 && p[0] == '"')
		return double_quoted(p + 1, end, out);
	if (end - p >= 3 && p[0] == '$' && p[1] == '\'')
		return ansi_c_quoted(p + 2, end, out);
	return NULL;
}
