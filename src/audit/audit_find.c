/* SPDX-License-Identifier: ISC */
/*
 * Lines with a text in them: segment by segment, in each only the blocks
 * that the index does not rule out.  Every line that is found was read and
 * compared; what the index does not have is read in any case.
 */
#include "audit_index_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

struct ids {
	int64_t *v;
	size_t n, cap;
};

struct finding {
	struct audit_db *d;
	struct audit_index index;
	uint32_t rows[AUDIT_GRAMS_MAX];
	size_t n_rows;
	bool indexed;
	sqlite3_stmt *range, *up, *down;
	struct ids ids;
	size_t most;		/* of ids; 0: any number */
};

static void
add(struct ids *ids, int64_t id)
{
	if (ids->n == ids->cap) {
		ids->cap = ids->cap > 0 ? 2 * ids->cap : 64;
		ids->v = xreallocarray(ids->v, ids->cap, sizeof *ids->v);
	}
	ids->v[ids->n++] = id;
}

static bool
has_enough(const struct finding *f)
{
	return f->most > 0 && f->ids.n >= f->most;
}

/* The lines from first to last, newest first. */
static int
read_range(struct finding *f, int64_t first, int64_t last, struct err *err)
{
	int rc = SQLITE_DONE;

	sqlite3_bind_int64(f->range, 19, first);
	sqlite3_bind_int64(f->range, 20, last);
	while (!has_enough(f) && (rc = sqlite3_step(f->range)) == SQLITE_ROW)
		add(&f->ids, sqlite3_column_int64(f->range, 0));
	if (rc == SQLITE_ROW)
		rc = SQLITE_DONE;
	rc = rc == SQLITE_DONE ? 0 : audit_db_error(f->d, "read", err);
	sqlite3_reset(f->range);
	return rc;
}

/* Blocks that stand side by side are read at once. */
static int
read_blocks(struct finding *f, int64_t first,
    const unsigned char mask[AUDIT_INDEX_MASK], struct err *err)
{
	int block = AUDIT_INDEX_BLOCKS - 1, last, rc = 0;

	while (rc == 0 && block >= 0 && !has_enough(f)) {
		for (last = block; block >= 0 &&
		    (mask[block / 8] >> block % 8 & 1) != 0;)
			block--;
		if (last > block)
			rc = read_range(f, first + (int64_t)(block + 1) *
			    AUDIT_INDEX_BLOCK, first + (int64_t)(last + 1) *
			    AUDIT_INDEX_BLOCK - 1, err);
		else
			block--;
	}
	return rc;
}

/* The segment of that line, the newest of it first; *ret_first and *ret_last
 * are its bounds. */
static int
read_segment(struct finding *f, int64_t line, int64_t *ret_first,
    int64_t *ret_last, struct err *err)
{
	unsigned char mask[AUDIT_INDEX_MASK];
	uint64_t segment = (uint64_t)(line - 1) / AUDIT_INDEX_LINES;

	/* aegsh gives no such numbers; what has one is not passed over. */
	if (line < 1) {
		*ret_first = INT64_MIN;
		*ret_last = 0;
	} else if (segment >= AUDIT_INDEX_SEGMENTS) {
		audit_index_range(AUDIT_INDEX_SEGMENTS, ret_first, ret_last);
		*ret_last = INT64_MAX;
	} else {
		audit_index_range(segment, ret_first, ret_last);
		if (f->indexed && audit_index_look(&f->index, f->d, segment,
		    f->rows, f->n_rows, mask))
			return read_blocks(f, *ret_first, mask, err);
	}
	return read_range(f, *ret_first, *ret_last, err);
}

/* The next line from there on, up or down; 1, 0: there is none. */
static int
next(struct finding *f, sqlite3_stmt *st, int64_t from, int64_t *ret,
    struct err *err)
{
	int rc;

	sqlite3_bind_int64(st, 1, from);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		*ret = sqlite3_column_int64(st, 0);
	else if (rc != SQLITE_DONE)
		audit_db_error(f->d, "read", err);
	sqlite3_reset(st);
	return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : ERR_STORE;
}

/* Oldest first, what was found until now; 1: fn has enough. */
static int
give(struct finding *f, int (*fn)(void *ctx, int64_t id), void *ctx)
{
	int rc = 0;

	while (rc == 0 && f->ids.n > 0)
		rc = fn(ctx, f->ids.v[--f->ids.n]);
	return rc;
}

static int
newest(struct finding *f, struct err *err)
{
	int64_t line, first = 0, last = INT64_MAX;
	int rc;

	while ((rc = next(f, f->down, last, &line, err)) > 0) {
		rc = read_segment(f, line, &first, &last, err);
		if (rc < 0 || has_enough(f) || first == INT64_MIN)
			break;
		last = first - 1;
	}
	return rc < 0 ? rc : 0;
}

static int
all(struct finding *f, int (*fn)(void *ctx, int64_t id), void *ctx,
    struct err *err)
{
	int64_t line, first = INT64_MIN, last;
	int rc;

	while ((rc = next(f, f->up, first, &line, err)) > 0) {
		rc = read_segment(f, line, &first, &last, err);
		if (rc == 0)
			rc = give(f, fn, ctx);
		if (rc != 0 || last == INT64_MAX)
			break;
		first = last + 1;
	}
	return rc;
}

static int
prepare(struct finding *f, const struct audit_query *q, struct err *err)
{
	AEG_AUTO(buf_done) struct buf sql = BUF_INIT;

	buf_puts(&sql, "SELECT id FROM commands WHERE id >= ?19 AND"
	    " id <= ?20");
	audit_query_where(&sql, q);
	buf_puts(&sql, " ORDER BY id DESC");
	if (sqlite3_prepare_v2(f->d->db, sql.data, (int)sql.len, &f->range,
	    NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(f->d->db, "SELECT id FROM commands WHERE"
	    " id >= ? ORDER BY id LIMIT 1", -1, &f->up, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(f->d->db, "SELECT id FROM commands WHERE"
	    " id <= ? ORDER BY id DESC LIMIT 1", -1, &f->down, NULL) !=
	    SQLITE_OK)
		return audit_db_error(f->d, "read", err);
	audit_query_bind(f->range, q);
	return 0;
}

int
audit_find_text(struct audit_db *d, const struct audit_query *q,
    int (*fn)(void *ctx, int64_t id), void *ctx, struct err *err)
{
	struct finding f = { .d = d, .index = AUDIT_INDEX_INIT,
		.indexed = !q->unindexed,
		.most = q->limit > 0 ? (size_t)q->limit : 0 };
	int rc = prepare(&f, q, err);

	if (rc == 0 && f.indexed) {
		audit_index_open(&f.index, d);
		f.n_rows = audit_grams_rows(q->text, strlen(q->text),
		    f.rows);
	}
	if (rc == 0 && f.most == 0)
		rc = all(&f, fn, ctx, err);
	else if (rc == 0)
		rc = newest(&f, err);
	if (rc == 0)
		give(&f, fn, ctx);
	audit_index_done(&f.index);
	sqlite3_finalize(f.range);
	sqlite3_finalize(f.up);
	sqlite3_finalize(f.down);
	free(f.ids.v);
	return rc < 0 ? rc : 0;
}
