/* SPDX-License-Identifier: ISC */
/*
 * The file of the index over what lines wrote: segments behind one another,
 * each with a head, the rows of its columns, and a row of bits for each that
 * a piece can mark, so that of a search few bytes of it are read.
 *
 * It is brought up to the store by who looks for a text, as audit_index.c does
 * it, and a segment's head is written when the rest is on the disk.  It names
 * the last row, which is another one where the store was exchanged or lost
 * its end.  Rows go from the lowest number on: so do segments, which are made
 * empty in their place.
 */
#include "audit_index_int.h"
#include "audit_wrote_int.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define PAGE 4096
#define SEGMENTS_MOST 262144	/* rows behind those are read */

struct beginning {		/* of the file */
	char magic[8];
	int64_t first;		/* where the first segment is */
};
static const char file_magic[8] = "aegout1";

struct head {
	char magic[8];
	struct audit_marks_range rows;
	int64_t command;	/* the largest number of a line */
	uint32_t columns;
	uint32_t stream;	/* of the last row, and its line */
	unsigned char uuid[UUID_LEN];
};
static const char head_magic[8] = "aegseg1";

struct audit_outputs_segment {
	off_t at;
	struct head head;
};

static size_t
stride_of(uint32_t columns)
{
	return (columns + 7) / 8;
}

/* Where the bits of a segment begin, and where it ends. */
static off_t
bits_at(off_t at, uint32_t columns)
{
	return at + PAGE + (off_t)(columns * sizeof(struct
	    audit_marks_range));
}

static off_t
end_of(off_t at, uint32_t columns)
{
	off_t end = bits_at(at, columns) +
	    (off_t)(AUDIT_MARKS_ROWS * stride_of(columns));

	return (end + PAGE - 1) / PAGE * PAGE;
}

void
audit_outputs_done(struct audit_outputs *x)
{
	io_close(&x->fd);
	free(x->v);
	x->v = NULL;
	x->n = x->cap = 0;
}

/* ---- what the store has ------------------------------------------------- */

/* What it has to say of a segment that ends with that row; false: there is no
 * such row. */
static bool
name_last(struct audit_db *d, sqlite3_stmt **st, struct head *h)
{
	bool there;

	if (*st == NULL && sqlite3_prepare_v2(d->db, "SELECT o.stream, c.uuid"
	    " FROM outputs AS o JOIN commands AS c ON c.id = o.command WHERE"
	    " o.id = ?", -1, st, NULL) != SQLITE_OK)
		return false;
	sqlite3_bind_int64(*st, 1, h->rows.last);
	there = sqlite3_step(*st) == SQLITE_ROW &&
	    sqlite3_column_bytes(*st, 1) == UUID_LEN;
	if (there) {
		h->stream = (uint32_t)sqlite3_column_int(*st, 0);
		memcpy(h->uuid, sqlite3_column_blob(*st, 1), UUID_LEN);
	}
	sqlite3_reset(*st);
	return there;
}

/* The first row that it still has. */
static int64_t
first_row(struct audit_db *d)
{
	int64_t first = INT64_MAX;

	return audit_db_pragma(d, "SELECT coalesce(min(id), "
	    "9223372036854775807) FROM outputs", &first, NULL) < 0 ?
	    INT64_MIN : first;
}

/* Of a row: what there is to read.  A file that is of several rows is read
 * for the last of them. */
enum { C_ID, C_COMMAND, C_HEAD, C_TAIL, C_CUT, C_UUID, C_OFFSET, C_LENGTH,
	C_BYTES };
#define BYTES "length(head) + coalesce(length(tail), 0) +" \
	" coalesce(file_length, 0)"
static const char rows_sql[] = "SELECT o.id, o.command, o.head, o.tail,"
	" o.cut, (SELECT s.uuid FROM sessions AS s JOIN commands AS c ON s.id"
	" = c.session WHERE c.id = o.command), o.file_offset, CASE WHEN"
	" o.file_length > 0 AND (SELECT max(cut) FROM outputs WHERE command ="
	" o.command) AND NOT EXISTS (SELECT 1 FROM outputs WHERE command ="
	" o.command AND id > o.id AND file_length > 0) THEN o.file_length"
	" ELSE 0 END, " BYTES " FROM outputs AS o WHERE o.id >= ?1 AND o.id <="
	" ?2 ORDER BY o.id";

static void
take_row(sqlite3_stmt *st, struct audit_written *w)
{
	*w = (struct audit_written){
		.head = sqlite3_column_blob(st, C_HEAD),
		.tail = sqlite3_column_blob(st, C_TAIL),
		.head_len = (size_t)sqlite3_column_bytes(st, C_HEAD),
		.tail_len = (size_t)sqlite3_column_bytes(st, C_TAIL),
		.cut = sqlite3_column_int64(st, C_CUT) != 0,
		.session = sqlite3_column_blob(st, C_UUID),
		.offset = sqlite3_column_int64(st, C_OFFSET),
		.length = sqlite3_column_int64(st, C_LENGTH) };
	if (sqlite3_column_bytes(st, C_UUID) != UUID_LEN)
		w->length = 0;
}

/* A segment of the rows from first on, no further than last; true: it is
 * full. */
static bool
make_segment(struct audit_db *d, const char *store,
    struct audit_marks_range of, struct audit_marks *m, struct head *ret)
{
	struct audit_written w;
	sqlite3_stmt *st = NULL;
	int64_t rows = 0, text = 0, command;
	bool full = false;

	*ret = (struct head){ .rows = { of.first, of.first } };
	memcpy(ret->magic, head_magic, sizeof head_magic);
	audit_marks_reset(m);
	if (sqlite3_prepare_v2(d->db, rows_sql, -1, &st, NULL) != SQLITE_OK)
		return false;
	sqlite3_bind_int64(st, 1, of.first);
	sqlite3_bind_int64(st, 2, of.last);
	while (!full && sqlite3_step(st) == SQLITE_ROW) {
		take_row(st, &w);
		audit_marks_add(m, sqlite3_column_int64(st, C_ID), store, &w);
		ret->rows.last = sqlite3_column_int64(st, C_ID);
		command = sqlite3_column_int64(st, C_COMMAND);
		if (command > ret->command)
			ret->command = command;
		text += sqlite3_column_int64(st, C_BYTES);
		full = ++rows >= AUDIT_OUTPUTS_ROWS ||
		    text >= AUDIT_OUTPUTS_TEXT;
	}
	sqlite3_finalize(st);
	ret->columns = (uint32_t)m->n;
	return full;
}

/* Whether there are rows for a segment from there on, without reading them. */
static bool
has_enough(struct audit_db *d, int64_t first)
{
	int64_t got[2] = { 0, 0 };

	return audit_db_look_up(d, "SELECT count(*), coalesce(sum(n), 0) FROM"
	    " (SELECT " BYTES " AS n FROM outputs WHERE id >= ?1 ORDER BY id"
	    " LIMIT 8192)", first, got, 2, NULL, NULL) == 0 &&
	    (got[0] >= AUDIT_OUTPUTS_ROWS || got[1] >= AUDIT_OUTPUTS_TEXT);
}
_Static_assert(AUDIT_OUTPUTS_ROWS == 8192, "so many are counted");

/* ---- reading ------------------------------------------------------------ */

static void
add(struct audit_outputs *x, off_t at, const struct head *h)
{
	if (x->n == x->cap) {
		x->cap = x->cap > 0 ? 2 * x->cap : 64;
		x->v = xreallocarray(x->v, x->cap, sizeof *x->v);
	}
	x->v[x->n++] = (struct audit_outputs_segment){ at, *h };
	x->end = end_of(at, h->columns);
}

static bool
read_at(int fd, void *to, size_t len, off_t at)
{
	return pread(fd, to, len, at) == (ssize_t)len;
}

/* The segments that the file has, as long as they follow one another. */
static void
read_heads(struct audit_outputs *x)
{
	struct beginning b;
	struct stat st;
	struct head h;
	off_t at;

	x->n = 0;
	x->end = PAGE;
	if (x->fd < 0 || fstat(x->fd, &st) < 0 ||
	    !read_at(x->fd, &b, sizeof b, 0) ||
	    memcmp(b.magic, file_magic, sizeof b.magic) != 0 ||
	    b.first < PAGE || b.first > st.st_size)
		return;
	x->end = at = b.first;
	while (x->n < SEGMENTS_MOST && read_at(x->fd, &h, sizeof h, at) &&
	    memcmp(h.magic, head_magic, sizeof h.magic) == 0 &&
	    h.columns > 0 && h.columns <= AUDIT_MARKS_COLUMNS &&
	    end_of(at, h.columns) <= st.st_size &&
	    h.rows.first <= h.rows.last && h.rows.last < INT64_MAX &&
	    (x->n == 0 || h.rows.first == x->v[x->n - 1].head.rows.last + 1)) {
		add(x, at, &h);
		at = x->end;
	}
}

/* Of those, the ones that are of this store, without the n first ones, which
 * have lost rows. */
static size_t
check_heads(struct audit_outputs *x, struct audit_db *d)
{
	sqlite3_stmt *st = NULL;
	int64_t first = first_row(d);
	size_t gone = 0, i;

	while (gone < x->n && x->v[gone].head.rows.first < first)
		gone++;
	for (i = gone; i < x->n; i++) {
		struct head want = x->v[i].head;

		if (!name_last(d, &st, &want) ||
		    memcmp(&want, &x->v[i].head, sizeof want) != 0) {
			x->end = x->v[i].at;
			break;
		}
	}
	sqlite3_finalize(st);
	x->n = i - gone;
	if (gone > 0)
		memmove(x->v, x->v + gone, x->n * sizeof x->v[0]);
	return gone;
}

/* Bits that all have; false: it is not what it was when it was opened. */
static bool
read_mask(struct audit_outputs *x, const struct audit_outputs_segment *s,
    const uint32_t *bits, size_t n, unsigned char *mask)
{
	unsigned char row[AUDIT_MARKS_COLUMNS / 8], any = 1;
	size_t stride = stride_of(s->head.columns), i, j;
	off_t at = bits_at(s->at, s->head.columns);
	struct head now;

	memset(mask, 0xff, stride);
	for (i = 0; i < n && any != 0; i++) {
		if (!read_at(x->fd, row, stride, at + (off_t)(bits[i] *
		    stride)))
			return false;
		for (j = any = 0; j < stride; j++)
			any |= mask[j] &= row[j];
	}
	return read_at(x->fd, &now, sizeof now, s->at) &&
	    memcmp(&now, &s->head, sizeof now) == 0;
}

int
audit_outputs_look(struct audit_outputs *x, size_t i, const uint32_t *bits,
    size_t n, int (*fn)(void *ctx, struct audit_marks_range rows), void *ctx,
    bool *ret_known)
{
	const struct audit_outputs_segment *s = &x->v[i];
	unsigned char mask[AUDIT_MARKS_COLUMNS / 8];
	struct audit_marks_range col, all = { 0, -1 };
	size_t k = s->head.columns;
	int rc = 0;

	*ret_known = read_mask(x, s, bits, n, mask);
	if (!*ret_known)
		return 0;
	/* Those side by side are read at once. */
	while (rc == 0 && k-- > 0) {
		if ((mask[k / 8] >> k % 8 & 1) == 0)
			continue;
		if (!read_at(x->fd, &col, sizeof col, s->at + PAGE +
		    (off_t)(k * sizeof col)) || col.first < s->head.rows.first
		    || col.last > s->head.rows.last || col.first > col.last) {
			*ret_known = false;
			return 0;
		}
		if (all.first <= all.last && col.last + 1 >= all.first) {
			all.first = col.first;
			continue;
		}
		if (all.first <= all.last)
			rc = fn(ctx, all);
		all = col;
	}
	return rc == 0 && all.first <= all.last ? fn(ctx, all) : rc;
}

struct audit_marks_range
audit_outputs_range(const struct audit_outputs *x, size_t i,
    int64_t *ret_command)
{
	*ret_command = x->v[i].head.command;
	return x->v[i].head.rows;
}

/* ---- writing ------------------------------------------------------------ */

/* With a row for each bit. */
static unsigned char *
turn(const struct audit_marks *m, size_t stride)
{
	unsigned char *table = xcalloc(AUDIT_MARKS_ROWS, stride);
	size_t k, i;

	for (k = 0; k < m->n; k++) {
		const unsigned char *c = m->bits + k * AUDIT_MARKS_COLUMN;

		for (i = 0; i < AUDIT_MARKS_ROWS; i++)
			if ((c[i / 8] >> i % 8 & 1) != 0)
				table[i * stride + k / 8] |=
				    (unsigned char)(1U << k % 8);
	}
	return table;
}

static bool
add_segment(struct audit_outputs *x, const struct audit_marks *m,
    const struct head *h)
{
	size_t stride = stride_of(h->columns);
	AEG_AUTOFREE unsigned char *table = turn(m, stride);
	off_t at = x->end;

	/* What was there, of another store or half of it, goes. */
	if (ftruncate(x->fd, at) < 0 ||
	    ftruncate(x->fd, end_of(at, h->columns)) < 0 ||
	    !audit_index_write(x->fd, m->rows, m->n * sizeof m->rows[0],
	    at + PAGE) || !audit_index_write(x->fd, table, AUDIT_MARKS_ROWS *
	    stride, bits_at(at, h->columns)) || fdatasync(x->fd) < 0 ||
	    !audit_index_write(x->fd, h, sizeof *h, at))
		return false;
	add(x, at, h);
	return true;
}

/* The first segments go: no head leads to them, then they are emptied. */
static bool
drop_first(struct audit_outputs *x)
{
	struct beginning b = { .first = x->n > 0 ? x->v[0].at : PAGE };

	memcpy(b.magic, file_magic, sizeof file_magic);
	if (x->n == 0 && ftruncate(x->fd, 0) < 0)
		return false;
	if (!audit_index_write(x->fd, &b, sizeof b, 0) ||
	    fdatasync(x->fd) < 0)
		return false;
	if (x->n == 0)
		x->end = PAGE;
	return x->n == 0 || fallocate(x->fd, FALLOC_FL_PUNCH_HOLE |
	    FALLOC_FL_KEEP_SIZE, PAGE, b.first - PAGE) == 0;
}

static bool
lock(struct audit_outputs *x)
{
	/* One is enough; the others look without. */
	return x->fd >= 0 && flock(x->fd, LOCK_EX | LOCK_NB) == 0;
}

static void
update(struct audit_outputs *x, struct audit_db *d)
{
	AEG_AUTOFREE char *store = audit_db_place(d);
	struct audit_marks m = { .n = 0 };
	sqlite3_stmt *st = NULL;
	struct head h;
	int64_t next;

	for (;;) {
		next = x->n > 0 ? x->v[x->n - 1].head.rows.last + 1 :
		    first_row(d);
		if (next < 1 || x->n >= SEGMENTS_MOST || !has_enough(d, next))
			break;
		/* A file that is new, or nothing of which is of use. */
		if ((x->n == 0 && !drop_first(x)) ||
		    !make_segment(d, store, (struct audit_marks_range){ next,
		    INT64_MAX }, &m, &h) || !name_last(d, &st, &h) ||
		    !add_segment(x, &m, &h))
			break;
	}
	sqlite3_finalize(st);
	audit_marks_done(&m);
}

void
audit_outputs_open(struct audit_outputs *x, struct audit_db *d)
{
	int64_t first = first_row(d);
	size_t gone;

	x->fd = audit_index_file(d, AUDIT_OUTPUTS, O_RDWR);
	read_heads(x);
	gone = check_heads(x, d);
	if (gone == 0 && first > 0 && !has_enough(d, x->n > 0 ?
	    x->v[x->n - 1].head.rows.last + 1 : first))
		return;
	if (x->fd < 0)
		x->fd = audit_index_file(d, AUDIT_OUTPUTS, O_RDWR | O_CREAT);
	if (x->fd < 0)
		x->fd = audit_index_file(d, AUDIT_OUTPUTS, O_RDONLY);
	if (!lock(x)) {
		read_heads(x);
		check_heads(x, d);
		return;
	}
	read_heads(x);
	if (check_heads(x, d) == 0 || drop_first(x))
		update(x, d);
	flock(x->fd, LOCK_UN);
}

void
audit_outputs_forget(struct audit_db *d)
{
	struct audit_outputs x = AUDIT_OUTPUTS_INIT;

	x.fd = audit_index_file(d, AUDIT_OUTPUTS, O_RDWR);
	if (lock(&x)) {
		read_heads(&x);
		if (check_heads(&x, d) > 0 && !drop_first(&x))
			unlinkat(d->dir, AUDIT_OUTPUTS, 0);
	} else {
		unlinkat(d->dir, AUDIT_OUTPUTS, 0);
	}
	audit_outputs_done(&x);
}

/* ---- whether it tells the truth ------------------------------------------ */

/* Columns of which it has less. */
static void
compare(struct audit_outputs *x, const struct audit_outputs_segment *s,
    const struct audit_marks *m, void (*fn)(void *ctx, int64_t row),
    void *ctx)
{
	size_t stride = stride_of(s->head.columns), i, k;
	size_t size = AUDIT_MARKS_ROWS * stride;
	AEG_AUTOFREE unsigned char *want = turn(m, stride_of((uint32_t)m->n));
	AEG_AUTOFREE unsigned char *have = xcalloc(1, size);
	AEG_AUTOFREE unsigned char *less = xcalloc(1, stride);

	if (m->n != s->head.columns || !read_at(x->fd, have, size,
	    bits_at(s->at, s->head.columns))) {
		fn(ctx, s->head.rows.first);
		return;
	}
	for (i = 0; i < size; i++)
		less[i % stride] |= want[i] & (unsigned char)~have[i];
	for (k = 0; k < m->n; k++) {
		struct audit_marks_range r = { 0, 0 };

		if ((less[k / 8] >> k % 8 & 1) != 0 || !read_at(x->fd, &r,
		    sizeof r, s->at + PAGE + (off_t)(k * sizeof r)) ||
		    memcmp(&r, &m->rows[k], sizeof r) != 0)
			fn(ctx, m->rows[k].first);
	}
}

int
audit_outputs_check(struct audit_db *d,
    void (*fn)(void *ctx, int64_t row), void *ctx, struct err *err)
{
	AEG_AUTOFREE char *store = audit_db_place(d);
	struct audit_outputs x = AUDIT_OUTPUTS_INIT;
	struct audit_marks m = { .n = 0 };
	struct head h;
	size_t i;

	(void)err;
	x.fd = audit_index_file(d, AUDIT_OUTPUTS, O_RDONLY);
	read_heads(&x);
	/* What does not belong to this store is not looked at. */
	check_heads(&x, d);
	for (i = 0; i < x.n; i++) {
		(void)make_segment(d, store, x.v[i].head.rows, &m, &h);
		/* What a recording had that is gone is not known; that it is
		 * gone is another finding. */
		if (!m.unread)
			compare(&x, &x.v[i], &m, fn, ctx);
	}
	audit_marks_done(&m);
	audit_outputs_done(&x);
	return 0;
}
