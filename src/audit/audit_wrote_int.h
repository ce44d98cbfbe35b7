/* SPDX-License-Identifier: ISC */
/*
 * Texts in what lines wrote, and the index over them, which stands beside the
 * store, follows from it and tells where a text cannot be.
 *
 * Rows of outputs are taken by their numbers, into columns: of a text's
 * pieces of five bytes each marks two bits of a column of 16384.  One that is
 * half full, or has enough text or rows, is followed by another, in which the
 * text goes on with its last bytes: so a text that is looked for is in one
 * column, up to its first AUDIT_MARKS_TEXT bytes.
 */
#ifndef AEGSH_AUDIT_WROTE_INT_H
#define AEGSH_AUDIT_WROTE_INT_H

#include "audit_int.h"

/* ---- audit_wrote.c: what a row of outputs has --------------------------- */

/* A stream's bytes as they came and, where something colours them, without
 * that; the last few, and behind them those that are new. */
struct audit_seen {
	struct buf raw, plain;
	size_t old_raw, old_plain;	/* bytes before the new ones */
	bool coloured;		/* plain is another text than raw */
	int state;
	size_t held;		/* bytes of a sequence */
	uint64_t column;	/* for who marks: where the old ones are */
};

struct audit_written {
	const void *head, *tail;
	size_t head_len, tail_len;
	bool cut;		/* something is between them */
	const unsigned char *session;	/* uuid */
	int64_t offset, length;	/* in that one's file; 0: it is not read */
};
/* All of it in its streams, in pieces of at most so many bytes with, before
 * each, the last `keep' of the stream.  1: fn has enough; negative: not all
 * of it could be read. */
int audit_wrote_read(const char *store, const struct audit_written *w,
	size_t piece, size_t keep, bool (*fn)(void *ctx,
	struct audit_seen *s), void *ctx);

/* ---- audit_wrote_marks.c: columns --------------------------------------- */

#define AUDIT_MARKS_ROWS 16384	/* bits of a column */
#define AUDIT_MARKS_COLUMN (AUDIT_MARKS_ROWS / 8)
#define AUDIT_MARKS_COLUMNS 8192	/* of a segment */
#define AUDIT_MARKS_GRAM 5
#define AUDIT_MARKS_TEXT 35	/* bytes of a text that are looked up */
#define AUDIT_MARKS_MAX (2 * (AUDIT_MARKS_TEXT - AUDIT_MARKS_GRAM + 1))
#define AUDIT_MARKS_PIECE 512
#define AUDIT_MARKS_KEEP (AUDIT_MARKS_TEXT - 1)

struct audit_marks_range {
	int64_t first, last;	/* of outputs */
};
struct audit_marks {
	unsigned char *bits;	/* a column behind the other */
	struct audit_marks_range *rows;	/* of each */
	size_t n, cap;
	unsigned set, n_rows;	/* of the last one: bits, rows … */
	size_t text;		/* … and bytes */
	uint64_t serial;
	bool unread;		/* something could not be read */
};

void audit_marks_done(struct audit_marks *m);
void audit_marks_reset(struct audit_marks *m);
/* A row, after those with smaller numbers. */
void audit_marks_add(struct audit_marks *m, int64_t row, const char *store,
	const struct audit_written *w);
/* The bits of a text that is looked for; 0: too short to have any. */
size_t audit_marks_of(const void *text, size_t len,
	uint32_t ret[AUDIT_MARKS_MAX]);

/* ---- audit_wrote_index.c: the file -------------------------------------- */

#define AUDIT_OUTPUTS "audit.outputs"
#define AUDIT_OUTPUTS_ROWS 8192	/* a segment is full with so many rows … */
#define AUDIT_OUTPUTS_TEXT (1024 * 1024)	/* … or bytes */

struct audit_outputs_segment;
struct audit_outputs {
	int fd;			/* -1: there is none */
	struct audit_outputs_segment *v;
	size_t n, cap;
	int64_t end;		/* of the last one in the file */
};
#define AUDIT_OUTPUTS_INIT { .fd = -1 }

void audit_outputs_done(struct audit_outputs *x);
/* Open it and bring it up to the store, as far as that can be done. */
void audit_outputs_open(struct audit_outputs *x, struct audit_db *d);
/* Rows of outputs that segment i is of; *ret_command: no line of them has a
 * larger number. */
struct audit_marks_range audit_outputs_range(const struct audit_outputs *x,
	size_t i, int64_t *ret_command);
/* Where in segment i all of these bits are: fn gets ranges of rows, newest
 * first, until it returns other than 0, which is returned then.  False in
 * *ret_known: it cannot be told. */
int audit_outputs_look(struct audit_outputs *x, size_t i,
	const uint32_t *bits, size_t n, int (*fn)(void *ctx,
	struct audit_marks_range rows), void *ctx, bool *ret_known);
/* What was made of rows that are not there any more goes. */
void audit_outputs_forget(struct audit_db *d);
/* Compare it with the rows: fn gets the first row of each column that knows
 * less than it has to. */
int audit_outputs_check(struct audit_db *d,
	void (*fn)(void *ctx, int64_t row), void *ctx, struct err *err);

/* ---- audit_wrote_find.c -------------------------------------------------- */

/* Whether such a query has use for the index. */
bool audit_find_is_wrote(const struct audit_query *q);
/* audit_query() for those; *ret_read false: there is not enough of an index,
 * and fn was not called. */
int audit_find_wrote(struct audit_db *d, const struct audit_query *q,
	int (*fn)(void *ctx, int64_t id), void *ctx, bool *ret_read,
	struct err *err);

#endif
