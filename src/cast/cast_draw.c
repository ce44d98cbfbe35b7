/* SPDX-License-Identifier: ISC */
/*
 * What a line drew, for a terminal that must do nothing but draw: of control
 * sequences only those pass that move the cursor, colour, and erase or shift
 * what is shown.  No question that a terminal would answer, no title,
 * clipboard, mode of its keys or mouse, no upload, no report (ECMA-48; xterm's
 * ctlseqs).  What was made of bytes that are no characters, and characters
 * that deceive, comes out visibly.
 */
#include "cast_int.h"

#include <string.h>

#include "aegsh/base/text.h"

/* Private modes that only change what is shown.  Not the one that has the
 * cursor count from the top of the scrolled region: to end it moves it. */
static bool
is_drawing_mode(const char *p, size_t len)
{
	static const char *const modes[] = { "7", "12", "25", "47",
		"1047", "1048", "1049", "2026" };
	size_t i, n;

	for (; len > 0; p += n, len -= n) {
		for (n = 0; n < len && p[n] != ';'; n++)
			continue;
		for (i = 0; i < sizeof modes / sizeof modes[0]; i++)
			if (strlen(modes[i]) == n && memcmp(modes[i], p,
			    n) == 0)
				break;
		if (i == sizeof modes / sizeof modes[0])
			return false;
		n += n < len;
	}
	return true;
}

/* Behind "ESC [": parameters and the byte that ends it. */
static bool
may_pass(const char *p, size_t len)
{
	char last = p[len - 1];
	size_t i, digits = 0;

	if (p[0] == '?')
		return (last == 'h' || last == 'l') && len > 2 &&
		    is_drawing_mode(p + 1, len - 2);
	for (i = 0; i + 1 < len; i++) {
		digits = p[i] >= '0' && p[i] <= '9' ? digits + 1 : 0;
		if (digits > 4 || (digits == 0 && p[i] != ';' && p[i] != ':'))
			return false;
	}
	/* Insert mode is the one of ECMA's own that draws. */
	if (last == 'h' || last == 'l')
		return len == 2 && p[0] == '4';
	return strchr("ABCDEFGHIJKLMPSTXZ@`adefmrb", last) != NULL;
}

void
cast_draw_done(struct cast_draw *d)
{
	buf_done(&d->held);
}

static void
begin_sequence(struct cast_draw *d)
{
	buf_reset(&d->held);
	buf_putc(&d->held, '\033');
	d->escaped = false;
	d->state = CAST_DRAW_ESCAPE;
}

static void
end_sequence(struct cast_draw *d, struct buf *out, bool pass)
{
	if (pass)
		buf_put(out, d->held.data, d->held.len);
	buf_reset(&d->held);
	d->state = CAST_DRAW_TEXT;
}

/* A byte behind ESC. */
static void
escape(struct cast_draw *d, struct buf *out, char c)
{
	buf_putc(&d->held, c);
	if (c == '[') {
		d->state = CAST_DRAW_CSI;
	} else if (strchr("]PX^_", c) != NULL && c != '\0') {
		d->state = CAST_DRAW_STRING;
	} else if (c == '(' || c == ')') {
		d->state = CAST_DRAW_CHARSET;
	} else if (c >= 0x20 && c < 0x30) {
		d->state = CAST_DRAW_OTHER;
	} else {
		/* Save and restore the cursor; down, up, next line. */
		end_sequence(d, out, c != '\0' && strchr("78DME", c) != NULL);
	}
}

static void
csi(struct cast_draw *d, struct buf *out, char c)
{
	if (d->held.len < CAST_DRAW_MAX)
		buf_putc(&d->held, c);
	if (c >= 0x40 && c < 0x7f)
		end_sequence(d, out, d->held.len < CAST_DRAW_MAX &&
		    may_pass(d->held.data + 2, d->held.len - 2));
	else if ((unsigned char)c < 0x20 || (unsigned char)c >= 0x7f)
		end_sequence(d, out, false);
}

/* One character of text. */
static void
draw_text(struct buf *out, const char *p, size_t n)
{
	if (n == 1 && strchr("\n\r\t\b\016\017", p[0]) != NULL &&
	    p[0] != '\0')
		buf_putc(out, p[0]);
	else if (n > 1 || ((unsigned char)p[0] >= 0x20 && p[0] != 0x7f))
		text_inert(out, p, n, 0);
}

static void put_byte(struct cast_draw *d, struct buf *out, char c);

/* Whatever a string was to be, CAN, SUB and any other sequence end it, as on
 * terminals: nothing hides what comes behind it. */
static void
string_byte(struct cast_draw *d, struct buf *out, char c)
{
	bool escaped = d->escaped;

	d->escaped = c == '\033';
	if (c == '\a' || c == '\030' || c == '\032') {
		end_sequence(d, out, false);
	} else if (escaped) {
		end_sequence(d, out, false);
		if (c == '\\')
			return;
		begin_sequence(d);
		put_byte(d, out, c);
	}
}

static void
put_byte(struct cast_draw *d, struct buf *out, char c)
{
	if (c == '\033' && d->state != CAST_DRAW_STRING) {
		begin_sequence(d);
		return;
	}
	switch (d->state) {
	case CAST_DRAW_TEXT:
		return;
	case CAST_DRAW_ESCAPE:
		escape(d, out, c);
		return;
	case CAST_DRAW_CSI:
		csi(d, out, c);
		return;
	case CAST_DRAW_CHARSET:
		buf_putc(&d->held, c);
		end_sequence(d, out, c == 'B' || c == '0');
		return;
	case CAST_DRAW_OTHER:
		if (c < 0x20 || c >= 0x30)
			end_sequence(d, out, false);
		return;
	case CAST_DRAW_STRING:
		string_byte(d, out, c);
		return;
	}
}

void
cast_draw(struct cast_draw *d, struct buf *out, const char *p, size_t len)
{
	size_t i, n;
	uint32_t cp;

	for (i = 0; i < len; i += n) {
		n = 1;
		if (d->state != CAST_DRAW_TEXT) {
			put_byte(d, out, p[i]);
		} else if (p[i] == '\033') {
			begin_sequence(d);
		} else {
			n = text_utf8(p + i, len - i, &cp);
			n = n > 0 ? n : 1;
			draw_text(out, p + i, n);
		}
	}
}
