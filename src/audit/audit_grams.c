/* SPDX-License-Identifier: ISC */
/*
 * Pieces of lines, as the index has them.
 *
 * Two rows for a piece: of a block of ordinary lines a sixth of the table is
 * marked then, so that a piece which is not there looks as if it were in
 * one block of forty, and a text of ten pieces in none.
 */
#include "audit_index_int.h"

#include <string.h>

/* The piece of n bytes at p: which rows it marks.  The odd number spreads
 * them (2^64 divided by the golden ratio). */
static void
rows_of(const unsigned char *p, unsigned n, uint32_t ret[2])
{
	uint64_t piece = (uint64_t)n << 24 | p[0];

	if (n > 1)
		piece |= (uint64_t)p[1] << 8;
	if (n > 2)
		piece |= (uint64_t)p[2] << 16;
	piece *= UINT64_C(0x9e3779b97f4a7c15);
	ret[0] = (uint32_t)(piece >> 49);
	ret[1] = (uint32_t)(piece >> 34) % AUDIT_INDEX_ROWS;
}
_Static_assert(AUDIT_INDEX_ROWS == 1 << 15, "fifteen bits choose a row");

void
audit_grams_mark(unsigned char *table, unsigned block, const void *line,
    size_t len)
{
	const unsigned char *p = line;
	unsigned char bit = (unsigned char)(1U << block % 8);
	unsigned n;

	for (table += block / 8; len > 0; p++, len--) {
		for (n = 1; n <= 3 && n <= len; n++) {
			uint32_t rows[2];

			rows_of(p, n, rows);
			table[(size_t)rows[0] * AUDIT_INDEX_MASK] |= bit;
			table[(size_t)rows[1] * AUDIT_INDEX_MASK] |= bit;
		}
	}
}

size_t
audit_grams_rows(const void *text, size_t len,
    uint32_t ret[AUDIT_GRAMS_MAX])
{
	const unsigned char *p = text;
	unsigned n = len < 3 ? (unsigned)len : 3;
	size_t rows = 0;

	/* The longest pieces have the others in them. */
	while (n > 0 && len >= n && rows + 2 <= AUDIT_GRAMS_MAX) {
		rows_of(p, n, ret + rows);
		rows += 2;
		p++;
		len--;
	}
	return rows;
}
