/* SPDX-License-Identifier: ISC */
/*
 * The index over lines, which stands beside the store and follows from it:
 * it tells where a text cannot be, and is made anew wherever it is missing.
 *
 * Lines are taken by their numbers, a block of them at a time and as many
 * blocks as there are bits in a row of the segment's table.  Each piece of
 * one, two and three bytes that is in a line of the block marks two rows of
 * the table, in the block's column; a text can be in the block only where
 * all rows of its own pieces are marked.
 */
#ifndef AEGSH_AUDIT_INDEX_INT_H
#define AEGSH_AUDIT_INDEX_INT_H

#include "audit_int.h"

#define AUDIT_INDEX "audit.index"
#define AUDIT_INDEX_BLOCK 256	/* lines */
#define AUDIT_INDEX_BLOCKS 128	/* of a segment */
#define AUDIT_INDEX_MASK (AUDIT_INDEX_BLOCKS / 8)
#define AUDIT_INDEX_LINES (AUDIT_INDEX_BLOCK * AUDIT_INDEX_BLOCKS)
#define AUDIT_INDEX_ROWS 32768	/* of the table */
#define AUDIT_INDEX_TABLE ((size_t)AUDIT_INDEX_ROWS * AUDIT_INDEX_MASK)
#define AUDIT_INDEX_SEGMENTS 8192	/* lines behind those are read */

/* ---- audit_grams.c: what a text marks ---------------------------------- */

/* The block's pieces of this line, into a table. */
void audit_grams_mark(unsigned char *table, unsigned block, const void *line,
	size_t len);
/* The rows of a text that is looked for; at most AUDIT_GRAMS_MAX. */
#define AUDIT_GRAMS_MAX 128
size_t audit_grams_rows(const void *text, size_t len,
	uint32_t ret[AUDIT_GRAMS_MAX]);

/* ---- audit_index.c ------------------------------------------------------ */

struct audit_index {
	int fd;			/* -1: there is none */
	uint64_t segments;	/* that the file has room for */
};
#define AUDIT_INDEX_INIT { .fd = -1 }

void audit_index_done(struct audit_index *x);
/* Open it and bring it up to the store, as far as that can be done; a store
 * that is a copy in memory has none. */
void audit_index_open(struct audit_index *x, struct audit_db *d);
/* The lines of a segment: *ret_first to *ret_last. */
void audit_index_range(uint64_t segment, int64_t *ret_first,
	int64_t *ret_last);
/* Which blocks of a segment can have all of these rows; false: it is not in
 * the index, or not as the store is now. */
bool audit_index_look(struct audit_index *x, struct audit_db *d,
	uint64_t segment, const uint32_t *rows, size_t n,
	unsigned char ret[AUDIT_INDEX_MASK]);
/* A file beside the store that is its owner's alone, or -1 with errno: a store
 * that is a copy in memory has none.  flags: as of open(2). */
int audit_index_file(struct audit_db *d, const char *file, int flags);
bool audit_index_write(int fd, const void *p, size_t len, off_t at);
/* Remove it: what it was made of is not there any more. */
void audit_index_drop(struct audit_db *d);
/* Compare it with the lines: fn gets the first line of each block of which
 * it knows less than it has to. */
int audit_index_check(struct audit_db *d,
	void (*fn)(void *ctx, int64_t line), void *ctx, struct err *err);

/* ---- audit_find.c ------------------------------------------------------- */

/* audit_query() where there is a text to look for. */
int audit_find_text(struct audit_db *d, const struct audit_query *q,
	int (*fn)(void *ctx, int64_t id), void *ctx, struct err *err);

#endif
