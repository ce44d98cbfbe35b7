/* SPDX-License-Identifier: ISC */
/*
 * How much a line may still write.
 *
 * On a terminal that counts anew whenever somebody typed a key: a person who
 * sits before an editor, or pages through a file, sees more in an hour than
 * any limit, and a program that nobody looks at any more does not type.  What
 * a terminal answers to what a program wrote there (where its cursor is, what
 * its colours are) is no key, or each program could have the count begin
 * again.
 */
#include "relay/relay_int.h"

void
relay_most_begin(struct relay_most *m, uint64_t most)
{
	*m = (struct relay_most){ .most = most };
}

size_t
relay_most_admit(struct relay_most *m, size_t n, bool *ret_first)
{
	uint64_t left = m->most > m->seen ? m->most - m->seen : 0;
	bool was = m->seen > m->most;

	*ret_first = false;
	m->seen += n;
	if (m->most == 0 || n <= left)
		return n;
	*ret_first = !was;
	return (size_t)left;
}

/* The last byte of CSI (ECMA-48): an arrow, home, end, or a key with a number.
 * Answers end with others, and none that a program asks for with these. */
static bool
is_key_end(unsigned char c)
{
	return (c >= 'A' && c <= 'D') || c == 'F' || c == 'H' || c == '~';
}

static bool
is_string(unsigned char c)
{
	return c == 'P' || c == ']' || c == '_' || c == '^' || c == 'X';
}

/* What follows ESC or, with 0x40 less, is one byte of 0x80 to 0x9f, which a
 * program may have a terminal send instead.  A byte between stands before the
 * last of an answer of a VT52. */
static bool
begin_sequence(struct relay_most *m, unsigned char c)
{
	m->at = c == '[' || c == 'O' || (c >= 0x20 && c < 0x30) ?
	    RELAY_TYPED_CSI : is_string(c) ? RELAY_TYPED_STRING : c == 033 ?
	    RELAY_TYPED_ESC : RELAY_TYPED_ANY;
	return m->at == RELAY_TYPED_ANY;
}

/* A character, perhaps of more than one byte (UTF-8): its last one. */
static bool
take_any(struct relay_most *m, unsigned char c)
{
	bool inside = m->more > 0 && c >= 0x80 && c < 0xc0;
	bool control = c >= 0x80 && c < 0xa0 && (!inside || m->lead == 0xc2);

	m->more = inside ? m->more - 1 : c < 0xc0 ? 0 : c < 0xe0 ? 1 :
	    c < 0xf0 ? 2 : 3;
	if (c >= 0xc0)
		m->lead = c;
	if (control) {
		m->more = 0;
		(void)begin_sequence(m, c - 0x40);
		return false;
	}
	if (c == 033)
		m->at = RELAY_TYPED_ESC;
	return c != 033 && m->more == 0;
}

/* Up to BEL, or ESC and a backslash.  It may be none, but a key that was typed
 * with Alt: no answer has a control character in it, as Enter is one. */
static bool
take_string(struct relay_most *m, unsigned char c)
{
	bool escaped = m->at == RELAY_TYPED_STRING_ESC;

	m->at = c == 033 ? RELAY_TYPED_STRING_ESC : c < 0x20 ||
	    (escaped && c == '\\') ? RELAY_TYPED_ANY : RELAY_TYPED_STRING;
	return c < 0x20 && c != 033 && c != '\a';
}

/* Whether that byte ends a key. */
static bool
take(struct relay_most *m, unsigned char c)
{
	switch (m->at) {
	case RELAY_TYPED_ANY:
		return take_any(m, c);
	case RELAY_TYPED_ESC:
		return begin_sequence(m, c);
	case RELAY_TYPED_CSI:
		if (c >= 0x20 && c < 0x40)
			return false;
		m->at = c == 033 ? RELAY_TYPED_ESC : RELAY_TYPED_ANY;
		return is_key_end(c);
	case RELAY_TYPED_STRING:
	case RELAY_TYPED_STRING_ESC:
		return take_string(m, c);
	}
	return false;
}

void
relay_most_typed(struct relay_most *m, const char *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (take(m, (unsigned char)p[i]))
			m->seen = 0;
}
