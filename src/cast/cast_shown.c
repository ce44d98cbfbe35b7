/* SPDX-License-Identifier: ISC */
/*
 * A stream as a terminal shows it, line by line: what was written over what,
 * where the cursor went back to the beginning of the line, some columns to
 * the left, or to a column, and what was erased, inserted and deleted in it
 * (ECMA-48 8.3).  Where the cursor leaves the line, the text has a line's end;
 * NULs are nowhere in it.
 *
 * Columns are characters: a wide one counts as one.  Blanks that one sequence
 * has made are one in the text.
 */
#include "cast_int.h"

#include <ctype.h>
#include <string.h>

#include "aegsh/base/mem.h"

#define COLUMN_MOST 1024	/* of a longer line, its end is worked on */

struct cell {
	char c;
	uint32_t at;		/* in raw */
};
struct shown {
	struct cell *line;
	size_t n, cap;		/* cells, which are bytes */
	size_t cursor;		/* the cell that is next */
	size_t row;		/* where it was put to; 0: not known */
	bool moved;		/* in this line */
	struct cast_clean *c;
	char *to;
	size_t most;		/* bytes of it */
};

static bool
is_more(const struct cell *x)
{
	return ((unsigned char)x->c & 0xc0) == 0x80;
}

/* The cell k characters from there on, or as far as there are any. */
static size_t
right_of(const struct shown *s, size_t i, size_t k)
{
	for (; k > 0 && i < s->n; k--)
		for (i++; i < s->n && is_more(&s->line[i]); i++)
			continue;
	return i;
}

static size_t
left_of(size_t i, size_t k, const struct shown *s)
{
	for (; k > 0 && i > 0; k--)
		for (i--; i > 0 && is_more(&s->line[i]); i--)
			continue;
	return i;
}

static void
reserve(struct shown *s, size_t n)
{
	if (n <= s->cap)
		return;
	s->cap = 2 * n + 256;
	s->line = xreallocarray(s->line, s->cap, sizeof s->line[0]);
}

/* Blanks up to there, if there are so many columns. */
static void
pad(struct shown *s, size_t n, size_t at)
{
	reserve(s, n <= COLUMN_MOST ? n : 0);
	while (s->n < n && n <= COLUMN_MOST)
		s->line[s->n++] = (struct cell){ ' ', (uint32_t)at };
}

/* Those cells have nothing in them. */
static void
blank(struct shown *s, size_t from, size_t to, size_t at)
{
	for (; from < to && from < s->n; from++)
		s->line[from] = (struct cell){ ' ', (uint32_t)at };
}

static void
delete(struct shown *s, size_t from, size_t to)
{
	memmove(s->line + from, s->line + to, (s->n - to) *
	    sizeof s->line[0]);
	s->n -= to - from;
}

/* What the line has is text from now on. */
static void
put_line(struct shown *s)
{
	struct cast_clean *c = s->c;
	size_t i, open = s->moved ? 0 : s->cursor;

	/* Where there is nothing yet, nothing is held. */
	for (i = 0; i < s->n && s->line[i].c == ' '; i++)
		continue;
	if (i == s->n)
		open = s->n;
	c->open = s->most;
	for (i = 0; i < s->n && c->len < s->most; i++) {
		const struct cell *x = &s->line[i];

		if (i == open)
			c->open = c->len;
		if (i > 0 && x->c == ' ' && x[-1].c == ' ' &&
		    x->at == x[-1].at)
			continue;
		c->at[c->len] = x->at;
		s->to[c->len++] = x->c;
	}
	s->n = s->cursor = 0;
}

static void
end_line(struct shown *s, size_t at)
{
	put_line(s);
	s->moved = false;
	if (s->c->len < s->most) {
		s->c->at[s->c->len] = (uint32_t)at;
		s->to[s->c->len++] = '\n';
	}
}

static void
write_byte(struct shown *s, char c, size_t at)
{
	struct cell x = { c, (uint32_t)at };

	if (s->cursor == s->n && s->n >= COLUMN_MOST)
		put_line(s);
	reserve(s, s->n + 1);
	if (is_more(&x) && s->cursor > 0 && s->cursor < s->n &&
	    s->n < COLUMN_MOST) {
		/* It belongs to what is before it.  Room for it is made
		 * within bounds: who writes chooses how often. */
		memmove(s->line + s->cursor + 1, s->line + s->cursor,
		    (s->n - s->cursor) * sizeof s->line[0]);
		s->n++;
	} else if (s->cursor < s->n) {
		delete(s, s->cursor + 1, right_of(s, s->cursor, 1));
	} else {
		s->n++;
	}
	s->line[s->cursor++] = x;
}

/* Parameter k of a control sequence, or what it is where it is left out. */
static size_t
parameter(const char *p, size_t len, unsigned k, size_t otherwise)
{
	size_t n = 0;
	bool any = false;

	for (; len > 0 && (isdigit((unsigned char)*p) || *p == ';');
	    p++, len--) {
		if (*p == ';' && k-- == 0)
			break;
		if (*p != ';' && k == 0) {
			n = n < COLUMN_MOST ? 10 * n + (size_t)(*p - '0') : n;
			any = true;
		}
	}
	n = any ? n : otherwise;
	return n < COLUMN_MOST ? n : COLUMN_MOST;
}

static void
erase(struct shown *s, size_t what, size_t at)
{
	if (what != 1)
		s->n = s->cursor < s->n ? s->cursor : s->n;
	if (what > 0)
		blank(s, 0, what == 1 ? right_of(s, s->cursor, 1) :
		    s->cursor, at);
}

static void
go_right(struct shown *s, size_t k, size_t at)
{
	size_t i;

	for (i = s->cursor; k > 0 && i < s->n; k--)
		i = right_of(s, i, 1);
	pad(s, i + k, at);
	s->cursor = i + k < s->n ? i + k : s->n;
}

static void
insert(struct shown *s, size_t k, size_t at)
{
	if (s->n + k > COLUMN_MOST || s->cursor == s->n)
		return;
	reserve(s, s->n + k);
	memmove(s->line + s->cursor + k, s->line + s->cursor,
	    (s->n - s->cursor) * sizeof s->line[0]);
	s->n += k;
	blank(s, s->cursor, s->cursor + k, at);
}

static void
go_to(struct shown *s, size_t row, size_t column, size_t at)
{
	if (row != s->row)
		end_line(s, at);
	s->row = row;
	s->cursor = 0;
	s->moved = true;
	go_right(s, column > 0 ? column - 1 : 0, at);
}

/* Somewhere else. */
static void
leave(struct shown *s, size_t at)
{
	end_line(s, at);
	s->row = 0;
}

/* p: behind "ESC [", with the byte that ends it. */
static void
control(struct shown *s, const char *p, size_t len, size_t at)
{
	size_t n = parameter(p, len, 0, 1), k = n > 0 ? n : 1;
	size_t what = parameter(p, len, 0, 0);
	char last = p[len - 1];

	if (last == 'C' || last == 'a')
		go_right(s, k, at);
	else if (last == 'D')
		s->cursor = left_of(s->cursor, k, s);
	else if (last == 'G' || last == '`')
		go_to(s, s->row, k, at);
	else if (last == 'H' || last == 'f')
		go_to(s, k, parameter(p, len, 1, 1), at);
	else if (last == 'K' || (last == 'J' && what == 0))
		erase(s, what, at);
	else if (last == 'P')
		delete(s, s->cursor, right_of(s, s->cursor, k));
	else if (last == 'X')
		blank(s, s->cursor, right_of(s, s->cursor, k), at);
	else if (last == '@')
		insert(s, k, at);
	else if (strchr("mhlncqt", last) == NULL && last >= 0x40)
		leave(s, at);
}

static void
take(struct shown *s, const char *p, size_t i, size_t n)
{
	switch (p[i]) {
	case '\0':
		return;
	case '\033':
		if (n > 2 && p[i + 1] == '[')
			control(s, p + i + 2, n - 2, i);
		else if (n == 2 && p[i + 1] != '\0' &&
		    strchr("78DEM", p[i + 1]) != NULL)
			leave(s, i);
		return;
	case '\b':
		s->cursor = left_of(s->cursor, 1, s);
		return;
	case '\r':
		s->cursor = 0;
		s->moved = true;
		return;
	case '\n':
		end_line(s, i);
		s->row += s->row > 0;
		return;
	case '\t':
		/* Over what is there, it moves the cursor alone. */
		if (s->cursor == s->n)
			write_byte(s, p[i], i);
		else
			s->cursor = right_of(s, s->cursor, 8);
		return;
	default:
		write_byte(s, p[i], i);
	}
}

/* Whether that sequence makes what follows stand elsewhere than behind what
 * was before, in the same line. */
static bool
moves(const char *p, size_t n)
{
	return n > 2 && p[1] == '[' && p[n - 1] != '\0' &&
	    (strchr("CDGPXHfa`@", p[n - 1]) != NULL ||
	    (p[n - 1] == 'K' && n > 3 && p[n - 2] != '0'));
}

bool
cast_shown_differs(const struct buf *raw)
{
	const char *p = raw->data, *end = raw->data + raw->len;
	bool gap;

	if (raw->len == 0)
		return false;
	if (memchr(p, '\0', raw->len) != NULL ||
	    memchr(p, '\b', raw->len) != NULL)
		return true;
	for (; (p = memchr(p, '\r', (size_t)(end - p))) != NULL; p++)
		if (p + 1 == end || p[1] != '\n')
			return true;
	for (p = raw->data; (p = memchr(p, '\033', (size_t)(end - p))) !=
	    NULL; p++)
		if (moves(p, cast_clean_sequence(p, (size_t)(end - p), &gap)))
			return true;
	return false;
}

void
cast_shown(struct cast_clean *c, const struct buf *raw)
{
	struct shown s = { .c = c, .most = 2 * raw->len };
	uint32_t low = (uint32_t)raw->len;
	size_t i, n;
	bool gap;

	s.to = xmalloc(s.most);
	c->at = xreallocarray(NULL, s.most, sizeof c->at[0]);
	c->low = xreallocarray(NULL, s.most, sizeof c->low[0]);
	c->len = 0;
	for (i = 0; i < raw->len; i += n) {
		n = raw->data[i] == '\033' ? cast_clean_sequence(raw->data + i,
		    raw->len - i, &gap) : 1;
		take(&s, raw->data, i, n);
	}
	put_line(&s);
	for (i = c->len; i-- > 0;)
		c->low[i] = low = c->at[i] < low ? c->at[i] : low;
	c->p = s.to;
	free(s.line);
}
