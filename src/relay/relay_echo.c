/* SPDX-License-Identifier: ISC */
/*
 * What in a terminal's text is none of a line's: transfers, and the echo.
 *
 * What a terminal echoes of typed keys, so that it is not kept: the bytes
 * that are to come are remembered, and each is taken out where it comes
 * next.  A new line is no secret and shows where one was typed.
 */
#include "relay/relay_int.h"

#include <string.h>

#define FORGET ((size_t)4096)	/* bytes of others: it will not come any more */

static void
expect(struct relay_echo *e, unsigned char c)
{
	if (e->at == e->n)
		e->at = e->n = 0;
	if (e->n < sizeof e->due)
		e->due[e->n++] = c;
}

/* Keys that do something are not shown as they are. */
static bool
is_special(const struct termios *t, unsigned char c)
{
	static const int lines[] = { VERASE, VKILL, VWERASE, VREPRINT, VLNEXT,
		VEOF, VEOL, VEOL2 };
	static const int signals[] = { VINTR, VQUIT, VSUSP };
	size_t i;

	for (i = 0; (t->c_lflag & ICANON) != 0 && i < AEG_NELEM(lines); i++)
		if (t->c_cc[lines[i]] == c && c != 0)
			return true;
	for (i = 0; (t->c_lflag & ISIG) != 0 && i < AEG_NELEM(signals); i++)
		if (t->c_cc[signals[i]] == c && c != 0)
			return true;
	return (t->c_iflag & IXON) != 0 && c != 0 && (t->c_cc[VSTART] == c ||
	    t->c_cc[VSTOP] == c);
}

void
relay_echo_typed(struct relay_echo *e, const struct termios *t,
    const char *p, size_t len)
{
	size_t i;

	for (i = 0; (t->c_lflag & ECHO) != 0 && i < len; i++) {
		unsigned char c = (unsigned char)p[i];

		if ((t->c_iflag & ISTRIP) != 0)
			c &= 0x7f;
		if (c == '\r' || c == '\n' || is_special(t, c))
			continue;
		if ((t->c_lflag & ECHOCTL) != 0 && c != '\t' &&
		    (c < 0x20 || c == 0x7f)) {
			expect(e, '^');
			c ^= 0x40;
		}
		expect(e, c);
	}
}

void
relay_echo_strip(struct relay_echo *e, const char *p, size_t len,
    struct buf *out)
{
	const char *from = p, *end = p + len;

	for (; p < end && e->at < e->n; p++) {
		if ((unsigned char)*p != e->due[e->at]) {
			if (++e->missed > FORGET)
				relay_echo_forget(e);
			continue;
		}
		e->missed = 0;
		e->at++;
		buf_put(out, from, (size_t)(p - from));
		from = p + 1;
	}
	buf_put(out, from, (size_t)(end - from));
}

void
relay_echo_forget(struct relay_echo *e)
{
	e->at = e->n = e->missed = 0;
}

/* ZMODEM's first words, of either side (ZRQINIT, ZRINIT). */
size_t
relay_transfer_begins(struct relay_transfer *t, const char *p, size_t len)
{
	static const char begin[] = "**\030B0";
	size_t i;

	for (i = 0; i < len; i++) {
		if (p[i] == begin[t->seen])
			t->seen++;
		else if (p[i] == '*')
			t->seen = t->seen == 2 ? 2 : 1;
		else
			t->seen = 0;
		if (t->seen == sizeof begin - 1) {
			t->seen = 0;
			return i + 1;
		}
	}
	return 0;
}
