/* SPDX-License-Identifier: ISC */
/*
 * The file of the index: a slot for each segment, at a place that its number
 * gives, a page of head and the table.
 *
 * A segment is written once, when all of its lines are there: by who looks
 * for a text, so that no line waits for it.  The head comes after the table
 * is on the disk, and names the last line of the segment, which has another
 * name where the store was exchanged or lost its end.  Who owns the store
 * can write here what they like, as there: audit_verify() compares.
 */
#include "audit_index_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define HEAD_SIZE 4096
#define SLOT (HEAD_SIZE + AUDIT_INDEX_TABLE)

struct head {
	char magic[8];
	uint64_t segment;
	int64_t last;		/* line, and its name */
	unsigned char uuid[UUID_LEN];
};
static const char magic[8] = "aegidx1";

static off_t
place_of(uint64_t segment)
{
	return (off_t)(segment * SLOT);
}

void
audit_index_range(uint64_t segment, int64_t *ret_first, int64_t *ret_last)
{
	*ret_first = (int64_t)(segment * AUDIT_INDEX_LINES) + 1;
	*ret_last = (int64_t)((segment + 1) * AUDIT_INDEX_LINES);
}

void
audit_index_done(struct audit_index *x)
{
	io_close(&x->fd);
}

void
audit_index_drop(struct audit_db *d)
{
	unlinkat(d->dir, AUDIT_INDEX, 0);
}

static bool
is_ours(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_nlink == 1 && st.st_uid == geteuid() &&
	    (st.st_mode & 077) == 0;
}

int
audit_index_file(struct audit_db *d, const char *file, int flags)
{
	/* A copy in memory may have given lines other numbers. */
	const char *name = sqlite3_db_filename(d->db, "main");
	int fd;

	errno = EINVAL;
	if (name == NULL || name[0] == '\0')
		return -1;
	fd = openat(d->dir, file, flags | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC, 0600);
	if (fd >= 0 && !is_ours(fd)) {
		io_close(&fd);
		errno = EPERM;
	}
	return fd;
}

/* flags: with O_CREAT, or to look only. */
static void
open_file(struct audit_index *x, struct audit_db *d, int flags)
{
	struct stat st;

	x->fd = audit_index_file(d, AUDIT_INDEX, flags);
	if (x->fd >= 0 && fstat(x->fd, &st) == 0)
		x->segments = (uint64_t)st.st_size / SLOT;
}

/* ---- what the store has ------------------------------------------------- */

/* The first line at or behind id; 0: there is none. */
static int
next_line(struct audit_db *d, int64_t id, int64_t *ret, struct err *err)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(d->db, "SELECT coalesce(min(id), 0) FROM"
	    " commands WHERE id >= ?", -1, &st, NULL);

	if (rc == SQLITE_OK) {
		sqlite3_bind_int64(st, 1, id);
		rc = sqlite3_step(st);
	}
	if (rc == SQLITE_ROW)
		*ret = sqlite3_column_int64(st, 0);
	rc = rc == SQLITE_ROW ? 0 : audit_db_error(d, "read", err);
	sqlite3_finalize(st);
	return rc;
}

/* What the head of this segment has to say; false: the store has no line of
 * it. */
static bool
head_of(struct audit_db *d, uint64_t segment, struct head *ret)
{
	sqlite3_stmt *st = NULL;
	int64_t first, last;
	bool there = false;

	audit_index_range(segment, &first, &last);
	if (sqlite3_prepare_v2(d->db, "SELECT id, uuid FROM commands WHERE"
	    " id >= ? AND id <= ? ORDER BY id DESC LIMIT 1", -1, &st, NULL) ==
	    SQLITE_OK) {
		sqlite3_bind_int64(st, 1, first);
		sqlite3_bind_int64(st, 2, last);
		there = sqlite3_step(st) == SQLITE_ROW &&
		    sqlite3_column_bytes(st, 1) == UUID_LEN;
	}
	*ret = (struct head){ .segment = segment };
	memcpy(ret->magic, magic, sizeof magic);
	if (there) {
		ret->last = sqlite3_column_int64(st, 0);
		memcpy(ret->uuid, sqlite3_column_blob(st, 1), UUID_LEN);
	}
	sqlite3_finalize(st);
	return there;
}

static bool
has_segment(const struct audit_index *x, const struct head *want)
{
	struct head h;

	return x->fd >= 0 && want->segment < x->segments &&
	    pread(x->fd, &h, sizeof h, place_of(want->segment)) ==
	    (ssize_t)sizeof h && memcmp(&h, want, sizeof h) == 0;
}

/* The table of what the lines of the segment are now. */
static int
make_table(struct audit_db *d, uint64_t segment, unsigned char *table,
    struct err *err)
{
	sqlite3_stmt *st = NULL;
	int64_t first, last;
	int rc = sqlite3_prepare_v2(d->db, "SELECT id, line FROM commands"
	    " WHERE id >= ? AND id <= ? ORDER BY id", -1, &st, NULL);

	memset(table, 0, AUDIT_INDEX_TABLE);
	audit_index_range(segment, &first, &last);
	if (rc == SQLITE_OK) {
		sqlite3_bind_int64(st, 1, first);
		sqlite3_bind_int64(st, 2, last);
		while ((rc = sqlite3_step(st)) == SQLITE_ROW)
			audit_grams_mark(table, (unsigned)((
			    sqlite3_column_int64(st, 0) - first) /
			    AUDIT_INDEX_BLOCK), sqlite3_column_blob(st, 1),
			    (size_t)sqlite3_column_bytes(st, 1));
	}
	rc = rc == SQLITE_DONE ? 0 : audit_db_error(d, "read", err);
	sqlite3_finalize(st);
	return rc;
}

/* ---- writing ------------------------------------------------------------ */

bool
audit_index_write(int fd, const void *p, size_t len, off_t at)
{
	const char *from = p;

	while (len > 0) {
		ssize_t n = pwrite(fd, from, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		from += n;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

static bool
add_segment(struct audit_index *x, struct audit_db *d, const struct head *h,
    unsigned char *table)
{
	off_t at = place_of(h->segment);
	static const struct head none;

	if (make_table(d, h->segment, table, NULL) < 0)
		return false;
	/* What stood here of another store must not lead to this table. */
	if (h->segment < x->segments && !audit_index_write(x->fd, &none,
	    sizeof none, at))
		return false;
	if (!audit_index_write(x->fd, table, AUDIT_INDEX_TABLE, at +
	    HEAD_SIZE) || fdatasync(x->fd) < 0 ||
	    !audit_index_write(x->fd, h, sizeof *h, at))
		return false;
	if (h->segment >= x->segments)
		x->segments = h->segment + 1;
	return true;
}

/* Segments that are full and not there yet, as far as they can be written. */
static void
update(struct audit_index *x, struct audit_db *d)
{
	AEG_AUTOFREE unsigned char *table = NULL;
	int64_t newest = 0, line = 1, first, last;
	struct head h;

	if (audit_db_pragma(d, "SELECT coalesce(max(id), 0) FROM commands",
	    &newest, NULL) < 0)
		return;
	while (next_line(d, line, &line, NULL) == 0 && line > 0) {
		uint64_t segment = (uint64_t)(line - 1) / AUDIT_INDEX_LINES;

		audit_index_range(segment, &first, &last);
		if (segment >= AUDIT_INDEX_SEGMENTS || last >= newest)
			return;
		line = last + 1;
		if (!head_of(d, segment, &h) || has_segment(x, &h))
			continue;
		if (table == NULL)
			table = xmalloc(AUDIT_INDEX_TABLE);
		if (x->fd < 0)
			open_file(x, d, O_RDWR | O_CREAT);
		/* One is enough; the others look without. */
		if (x->fd < 0 || flock(x->fd, LOCK_EX | LOCK_NB) < 0 ||
		    !add_segment(x, d, &h, table))
			return;
	}
}

void
audit_index_open(struct audit_index *x, struct audit_db *d)
{
	open_file(x, d, O_RDWR);
	if (x->fd < 0 && errno != ENOENT)
		open_file(x, d, O_RDONLY);
	update(x, d);
	if (x->fd >= 0)
		flock(x->fd, LOCK_UN);
}

/* ---- reading ------------------------------------------------------------ */

bool
audit_index_look(struct audit_index *x, struct audit_db *d, uint64_t segment,
    const uint32_t *rows, size_t n, unsigned char ret[AUDIT_INDEX_MASK])
{
	struct head want;
	size_t i, j;

	if (x->fd < 0 || segment >= x->segments ||
	    !head_of(d, segment, &want) || !has_segment(x, &want))
		return false;
	memset(ret, 0xff, AUDIT_INDEX_MASK);
	for (i = 0; i < n; i++) {
		unsigned char row[AUDIT_INDEX_MASK], any = 0;

		if (pread(x->fd, row, sizeof row, place_of(segment) +
		    HEAD_SIZE + (off_t)rows[i] * AUDIT_INDEX_MASK) !=
		    (ssize_t)sizeof row)
			return false;
		for (j = 0; j < sizeof row; j++)
			any |= ret[j] &= row[j];
		if (any == 0)
			break;
	}
	return true;
}

/* ---- whether it tells the truth ------------------------------------------ */

/* Blocks whose lines marked something that the file does not have. */
static void
compare(const unsigned char *want, const unsigned char *have, int64_t first,
    void (*fn)(void *ctx, int64_t line), void *ctx)
{
	unsigned char missing[AUDIT_INDEX_MASK] = { 0 };
	unsigned block;
	size_t i;

	for (i = 0; i < AUDIT_INDEX_TABLE; i++)
		missing[i % AUDIT_INDEX_MASK] |= want[i] &
		    (unsigned char)~have[i];
	for (block = 0; block < AUDIT_INDEX_BLOCKS; block++) {
		if ((missing[block / 8] >> block % 8 & 1) != 0)
			fn(ctx, first + (int64_t)block * AUDIT_INDEX_BLOCK);
	}
}

int
audit_index_check(struct audit_db *d, void (*fn)(void *ctx, int64_t line),
    void *ctx, struct err *err)
{
	AEG_AUTOFREE unsigned char *want = xmalloc(AUDIT_INDEX_TABLE);
	AEG_AUTOFREE unsigned char *have = xmalloc(AUDIT_INDEX_TABLE);
	struct audit_index x = AUDIT_INDEX_INIT;
	int64_t line = 1, first, last;
	int rc = 0;

	open_file(&x, d, O_RDONLY);
	while (rc == 0 && x.fd >= 0) {
		uint64_t segment;
		struct head h;

		rc = next_line(d, line, &line, err);
		segment = (uint64_t)(line - 1) / AUDIT_INDEX_LINES;
		if (rc < 0 || line < 1 || segment >= x.segments ||
		    segment >= AUDIT_INDEX_SEGMENTS)
			break;
		audit_index_range(segment, &first, &last);
		line = last + 1;
		/* What does not belong to this store is not looked at. */
		if (!head_of(d, segment, &h) || !has_segment(&x, &h))
			continue;
		rc = make_table(d, segment, want, err);
		if (rc == 0 && pread(x.fd, have, AUDIT_INDEX_TABLE,
		    place_of(segment) + HEAD_SIZE) !=
		    (ssize_t)AUDIT_INDEX_TABLE)
			memset(have, 0, AUDIT_INDEX_TABLE);
		if (rc == 0)
			compare(want, have, first, fn, ctx);
	}
	audit_index_done(&x);
	return rc;
}
