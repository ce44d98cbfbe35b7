/* SPDX-License-Identifier: ISC */
/* What bash's echo and printf write, from words that are known. */
#include "syntax_int.h"

#include "aegsh/base/text.h"

/* Digits of a \x or octal escape at p; the byte, or -1: none. */
static int
read_digits(const char **p, const char *end, int base, int digits)
{
	int value = -1, d;

	while (digits-- > 0 && *p < end && (d = text_hex(**p)) >= 0 &&
	    d < base) {
		value = (value < 0 ? 0 : value) * base + d;
		(*p)++;
	}
	return value;
}

enum escapes { ESCAPES_FORMAT, ESCAPES_B, ESCAPES_ECHO };

/*
 * Backslash escapes of a printf format, of %b, where octal digits may follow
 * a 0, or of echo -e, where they must.  False: one that ends the output, makes
 * a NUL byte or depends on the locale.
 */
static bool
put_escaped(struct buf *out, const char *p, const char *end,
    enum escapes kind)
{
	static const char from[] = "abefnrtvE\\\"'?", to[] =
	    "\a\b\033\f\n\r\t\v\033\\\"'?";
	bool b = kind != ESCAPES_FORMAT;
	const char *hit;
	int value;

	while (p < end) {
		if (*p != '\\' || p + 1 == end) {
			buf_putc(out, *p++);
			continue;
		}
		p++;
		if (strchr("cuU", *p) != NULL)
			return false;
		if (*p == 'x' || *p == '0' ||
		    (kind != ESCAPES_ECHO && *p >= '1' && *p <= '7')) {
			bool hex = *p == 'x';
			const char *start = p;

			if (hex)
				p++;
			value = hex ? read_digits(&p, end, 16, 2) :
			    read_digits(&p, end, 8, b && *p == '0' ? 4 : 3);
			if (value < 0) {
				buf_puts(out, "\\");
				p = start;
				buf_putc(out, *p++);
			} else if ((value & 0xff) == 0) {
				return false;
			} else {
				buf_putc(out, (char)value);
			}
		} else if ((hit = strchr(from, *p)) != NULL &&
		    !(b && strchr("\"'?", *p) != NULL)) {
			buf_putc(out, to[hit - from]);
			p++;
		} else {
			buf_putc(out, '\\');
		}
	}
	return true;
}

static bool
all_known(const struct syn_word *words, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!words[i].known || words[i].may_split)
			return false;
	return true;
}

static bool
echo(const struct syn_word *words, size_t n, struct buf *out)
{
	bool escapes = false, newline = true;
	size_t i = 1, start;

	for (; i < n && words[i].len > 1 && words[i].value[0] == '-' &&
	    strspn(words[i].value + 1, "neE") == words[i].len - 1; i++) {
		const char *c;

		for (c = words[i].value + 1; *c != '\0'; c++)
			if (*c == 'n')
				newline = false;
			else
				escapes = *c == 'e';
	}
	for (start = i; i < n; i++) {
		if (i > start)
			buf_putc(out, ' ');
		if (!escapes)
			buf_put(out, words[i].value, words[i].len);
		else if (!put_escaped(out, words[i].value,
		    words[i].value + words[i].len, ESCAPES_ECHO))
			return false;
	}
	if (newline)
		buf_putc(out, '\n');
	return true;
}

/* One pass over the format; *at: the next argument. */
static bool
put_format(const struct syn_word *words, size_t n, const struct syn_word *f,
    size_t *at, struct buf *out)
{
	const char *p = f->value, *end = p + f->len;

	while (p < end) {
		const char *percent = memchr(p, '%', (size_t)(end - p));

		if (!put_escaped(out, p, percent != NULL ? percent : end,
		    ESCAPES_FORMAT))
			return false;
		if (percent == NULL)
			return true;
		if (percent + 1 == end)
			return false;
		p = percent + 2;
		if (percent[1] == '%') {
			buf_putc(out, '%');
			continue;
		}
		if (percent[1] != 's' && percent[1] != 'b')
			return false;
		if (*at >= n)
			continue;
		if (percent[1] == 's')
			buf_put(out, words[*at].value, words[*at].len);
		else if (!put_escaped(out, words[*at].value,
		    words[*at].value + words[*at].len, ESCAPES_B))
			return false;
		(*at)++;
	}
	return true;
}

/* The format is repeated while arguments are left that it takes. */
static bool
formatted(const struct syn_word *words, size_t n, struct buf *out)
{
	size_t at, used, format = 1;

	if (format < n && strcmp(words[format].value, "--") == 0)
		format++;
	if (format >= n || words[format].value[0] == '-')
		return false;
	at = format + 1;
	do {
		used = at;
		if (!put_format(words, n, &words[format], &at, out) ||
		    buf_overflow(out))
			return false;
	} while (at < n && at > used);
	return true;
}

bool
syn_output(const struct syn_word *words, size_t n, struct buf *out)
{
	bool good = false;

	if (n == 0 || !all_known(words, n))
		return false;
	if (strcmp(words[0].value, "echo") == 0)
		good = echo(words, n, out);
	else if (strcmp(words[0].value, "printf") == 0)
		good = formatted(words, n, out);
	return good && !buf_overflow(out);
}
