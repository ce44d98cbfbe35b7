/* SPDX-License-Identifier: ISC */
/*
 * Pieces of what lines wrote, as the index has them.
 *
 * Five bytes: of fewer, times and other numbers have so few different ones
 * that a column does without none of them.  A text that is shorter is looked
 * for in all rows.
 *
 * The next column begins by what the one before has, not by how much was
 * written: so the index is at most a third of a text in which nothing comes
 * twice, and a thirtieth of what says the same all the time.
 */
#include "audit_wrote_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

#define SET_MOST (AUDIT_MARKS_ROWS / 20 * 11)	/* bits of a column */
#define ROWS_MOST 256
#define TEXT_MOST (64 * 1024)

/* Which bits a piece marks.  The odd number spreads them (2^64 divided by the
 * golden ratio). */
static void
bits_of(const unsigned char *p, uint32_t ret[2])
{
	uint64_t piece = (uint64_t)p[0] << 24 | (uint64_t)p[1] << 16 |
	    (uint64_t)p[2] << 8 | p[3] | (uint64_t)p[4] << 32;

	piece = (piece + 1) * UINT64_C(0x9e3779b97f4a7c15);
	ret[0] = (uint32_t)(piece >> 50);
	ret[1] = (uint32_t)(piece >> 30) % AUDIT_MARKS_ROWS;
}
_Static_assert(AUDIT_MARKS_ROWS == 1 << 14, "fourteen bits choose a row");

size_t
audit_marks_of(const void *text, size_t len, uint32_t ret[AUDIT_MARKS_MAX])
{
	const unsigned char *p = text;
	size_t n = 0;

	for (; len >= AUDIT_MARKS_GRAM && n + 2 <= AUDIT_MARKS_MAX;
	    p++, len--) {
		bits_of(p, ret + n);
		n += 2;
	}
	return n;
}

void
audit_marks_done(struct audit_marks *m)
{
	free(m->bits);
	free(m->rows);
	*m = (struct audit_marks){ .n = 0 };
}

void
audit_marks_reset(struct audit_marks *m)
{
	m->n = 0;
	m->unread = false;
}

static void
begin_column(struct audit_marks *m, int64_t row)
{
	if (m->n == m->cap) {
		m->cap = m->cap > 0 ? 2 * m->cap : 64;
		m->bits = xreallocarray(m->bits, m->cap, AUDIT_MARKS_COLUMN);
		m->rows = xreallocarray(m->rows, m->cap, sizeof *m->rows);
	}
	memset(m->bits + m->n * AUDIT_MARKS_COLUMN, 0, AUDIT_MARKS_COLUMN);
	m->rows[m->n++] = (struct audit_marks_range){ row, row };
	m->set = 0;
	m->n_rows = 1;
	m->text = 0;
	m->serial++;
}

static void
mark(struct audit_marks *m, const struct buf *b, size_t old)
{
	unsigned char *column = m->bits + (m->n - 1) * AUDIT_MARKS_COLUMN;
	size_t i = old >= AUDIT_MARKS_GRAM ? old - AUDIT_MARKS_GRAM + 1 : 0;
	unsigned k;

	m->text += b->len - old;
	for (; i + AUDIT_MARKS_GRAM <= b->len; i++) {
		uint32_t bits[2];

		bits_of((const unsigned char *)b->data + i, bits);
		for (k = 0; k < 2; k++) {
			unsigned char *at = column + bits[k] / 8;
			unsigned char bit = (unsigned char)(1U << bits[k] % 8);

			m->set += (*at & bit) == 0;
			*at |= bit;
		}
	}
}

static bool
is_full(const struct audit_marks *m)
{
	return (m->set >= SET_MOST || m->text >= TEXT_MOST) &&
	    m->n < AUDIT_MARKS_COLUMNS;
}

/* What went before stands in the column where it was marked: where that is
 * another one, it is marked again. */
static bool
mark_piece(void *ctx, struct audit_seen *s)
{
	struct audit_marks *m = ctx;
	bool here;

	if (is_full(m))
		begin_column(m, m->rows[m->n - 1].last);
	here = s->column == m->serial;
	mark(m, &s->raw, here ? s->old_raw : 0);
	if (s->coloured)
		mark(m, &s->plain, here ? s->old_plain : 0);
	s->column = m->serial;
	return false;
}

void
audit_marks_add(struct audit_marks *m, int64_t row, const char *store,
    const struct audit_written *w)
{
	if (m->n == 0 || is_full(m) || (m->n_rows >= ROWS_MOST &&
	    m->n < AUDIT_MARKS_COLUMNS)) {
		begin_column(m, row);
	} else {
		m->rows[m->n - 1].last = row;
		m->n_rows++;
	}
	/* What cannot be read now has, later, whatever it may have. */
	if (audit_wrote_read(store, w, AUDIT_MARKS_PIECE, AUDIT_MARKS_KEEP,
	    mark_piece, m) < 0) {
		memset(m->bits + (m->n - 1) * AUDIT_MARKS_COLUMN, 0xff,
		    AUDIT_MARKS_COLUMN);
		m->set = AUDIT_MARKS_ROWS;
		m->unread = true;
	}
}
