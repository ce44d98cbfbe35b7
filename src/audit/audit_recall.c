/* SPDX-License-Identifier: ISC */
/*
 * Reading the record backwards, a slice at a time, for somebody who is
 * typing: however many rows there are and however few of them match, a call
 * ends when its time is over, and the next one goes on where it stopped.
 */
#include "audit_int.h"

#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

#define CHUNK_FIRST 512		/* rows that one statement looks at … */
#define CHUNK_MOST 65536
#define CHUNK_SHORT_NS 4000000	/* … twice as many, where it took less … */
#define CHUNK_LONG_NS 15000000	/* … and half as many, where it took more */
#define STEPS 5000		/* of sqlite, between looks at the clock */

enum column { C_ID, C_SESSION, C_WALL_NS, C_LINE, C_CWD, C_DECISION, C_RAN,
	C_STATUS, C_SIGNAL, C_REDACTED };

static void
put_sql(struct buf *sql, const struct audit_query *q)
{
	buf_puts(sql, "SELECT id, session, wall_ns, line, cwd, decision, ran,"
	    " status, signal, redacted FROM commands"
	    " WHERE id >= ?1 AND id < ?20");
	audit_query_where(sql, q);
	buf_puts(sql, " ORDER BY id DESC");
}

static void
take_row(sqlite3_stmt *st, struct audit_row *r)
{
	*r = (struct audit_row){
		.id = sqlite3_column_int64(st, C_ID),
		.session = sqlite3_column_int64(st, C_SESSION),
		.wall_ns = sqlite3_column_int64(st, C_WALL_NS),
		.line = (const char *)sqlite3_column_text(st, C_LINE),
		.cwd = (const char *)sqlite3_column_text(st, C_CWD),
		.decision = (const char *)sqlite3_column_text(st, C_DECISION),
		.ran = sqlite3_column_int(st, C_RAN) != 0,
		.finished = sqlite3_column_type(st, C_STATUS) != SQLITE_NULL,
		.status = sqlite3_column_int(st, C_STATUS),
		.signal = sqlite3_column_int(st, C_SIGNAL),
		.redacted = sqlite3_column_int64(st, C_REDACTED),
	};
	r->len = (size_t)sqlite3_column_bytes(st, C_LINE);
	if (r->line == NULL)
		r->line = "";
}

static int
is_late(void *deadline_ns)
{
	return clock_mono_ns() > *(int64_t *)deadline_ns;
}

/* The rows of one chunk: 1 fn has enough, 0 all were given, or an error.
 * *next moves below each row that was given. */
static int
read_chunk(struct audit_db *d, sqlite3_stmt *st, int64_t low, int64_t *next,
    int (*fn)(void *ctx, const struct audit_row *row), void *ctx,
    struct err *err)
{
	int rc;

	sqlite3_reset(st);
	sqlite3_bind_int64(st, 1, low);
	sqlite3_bind_int64(st, 20, *next);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct audit_row row;

		take_row(st, &row);
		*next = row.id;
		if (fn(ctx, &row) != 0) {
			sqlite3_reset(st);
			return 1;
		}
	}
	if (rc == SQLITE_DONE)
		*next = low;
	else if (rc != SQLITE_INTERRUPT)
		return audit_db_error(d, "read", err);
	sqlite3_reset(st);
	return 0;
}

static int64_t
next_size(int64_t size, int64_t took_ns)
{
	if (took_ns < CHUNK_SHORT_NS && size < CHUNK_MOST)
		return size * 2;
	return took_ns > CHUNK_LONG_NS && size > 1 ? size / 2 : size;
}

static int
read_slices(struct audit_db *d, sqlite3_stmt *st, int64_t least, int64_t *at,
    int64_t budget_ns, int (*fn)(void *ctx, const struct audit_row *row),
    void *ctx, struct err *err)
{
	int64_t begun = clock_mono_ns(), deadline = begun + budget_ns;
	int64_t size = CHUNK_FIRST, now, then = begun;
	int rc = 0;

	while (rc == 0 && *at > least) {
		int64_t low = *at - size > least ? *at - size : least;

		/* One row is always read: the next call is further on. */
		sqlite3_progress_handler(d->db, size > 1 ? STEPS : 0, is_late,
		    &deadline);
		rc = read_chunk(d, st, low, at, fn, ctx, err);
		now = clock_mono_ns();
		if (now > deadline && *at <= low)
			break;
		if (now > deadline)
			size = 1;
		else
			size = next_size(size, now - then);
		then = now;
	}
	sqlite3_progress_handler(d->db, 0, NULL, NULL);
	return rc < 0 ? rc : 0;
}

int
audit_recall(struct audit *a, const struct audit_query *q, int64_t *at,
    int64_t budget_ns, int (*fn)(void *ctx, const struct audit_row *row),
    void *ctx, struct err *err)
{
	struct audit_db *d = audit_db_of(a);
	AEG_AUTO(buf_done) struct buf sql = BUF_INIT;
	sqlite3_stmt *st = NULL;
	int64_t last = 0, least = 1;
	int rc = audit_ready(a, err);

	if (rc == 0)
		rc = audit_db_pragma(d, "SELECT coalesce(max(id), 0) FROM"
		    " commands", &last, err);
	if (rc < 0)
		return rc;
	if (*at == 0)
		*at = audit_after(last) > last ? last + 1 : last;
	if (q->limit > 0 && last > q->limit)
		least = last - q->limit + 1;
	put_sql(&sql, q);
	if (sqlite3_prepare_v2(d->db, sql.data, (int)sql.len, &st, NULL) !=
	    SQLITE_OK)
		return audit_db_error(d, "read", err);
	audit_query_bind(st, q);
	rc = read_slices(d, st, least, at, budget_ns, fn, ctx, err);
	if (rc == 0 && *at <= least)
		*at = -1;
	sqlite3_finalize(st);
	return rc;
}

int64_t
audit_session_id(const struct audit *a)
{
	return a->session_row;
}
