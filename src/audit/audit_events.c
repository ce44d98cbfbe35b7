/* SPDX-License-Identifier: ISC */
/* Reading what happened beside the lines, and counting. */
#include "audit_int.h"

#include <inttypes.h>
#include <string.h>

#include "aegsh/audit_read.h"
#include "aegsh/base/mem.h"

static void
put_events_sql(struct buf *sql, const struct audit_events_query *q)
{
	buf_puts(sql, "SELECT e.id, e.session, e.wall_ns, e.kind, e.text,"
	    " s.user, e.writer FROM events AS e"
	    " LEFT JOIN sessions AS s ON s.id = e.session"
	    " WHERE e.id IN (SELECT id FROM events WHERE id > ?5");
	if (q->since_ns != 0)
		buf_puts(sql, " AND wall_ns >= ?2");
	if (q->until_ns != 0)
		buf_puts(sql, " AND wall_ns < ?3");
	if (q->kind != NULL)
		buf_puts(sql, " AND kind = ?4");
	buf_puts(sql, " ORDER BY id DESC LIMIT ?1) ORDER BY e.id");
}

static const char *
text_at(sqlite3_stmt *st, int column)
{
	return (const char *)sqlite3_column_text(st, column);
}

/* NULL: there is none, or it is no hash. */
static const unsigned char *
hash_at(sqlite3_stmt *st, int column)
{
	return sqlite3_column_bytes(st, column) == AUDIT_SHA256_LEN ?
	    sqlite3_column_blob(st, column) : NULL;
}

/* rc: what the last step said, SQLITE_DONE also where somebody has enough. */
static int
end_rows(struct audit_db *d, sqlite3_stmt *st, int rc, struct err *err)
{
	rc = rc == SQLITE_DONE ? 0 : audit_db_error(d, "read", err);
	sqlite3_finalize(st);
	return rc;
}

int
audit_events(struct audit *a, const struct audit_events_query *q,
    int (*fn)(void *ctx, const struct audit_happened *e), void *ctx,
    struct err *err)
{
	struct audit_db *d = audit_db_of(a);
	AEG_AUTO(buf_done) struct buf sql = BUF_INIT;
	sqlite3_stmt *st = NULL;
	int rc = audit_ready(a, err);

	if (rc < 0)
		return rc;
	put_events_sql(&sql, q);
	rc = sqlite3_prepare_v2(d->db, sql.data, (int)sql.len, &st, NULL);
	if (rc == SQLITE_OK) {
		sqlite3_bind_int64(st, 1, q->limit > 0 ? q->limit : -1);
		sqlite3_bind_int64(st, 2, q->since_ns);
		sqlite3_bind_int64(st, 3, q->until_ns);
		audit_bind_text(st, 4, q->kind);
		sqlite3_bind_int64(st, 5, q->after_id);
		while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
			struct audit_happened e = {
				.id = sqlite3_column_int64(st, 0),
				.session = sqlite3_column_int64(st, 1),
				.wall_ns = sqlite3_column_int64(st, 2),
				.kind = text_at(st, 3), .text = text_at(st, 4),
				.user = text_at(st, 5),
				.writer = text_at(st, 6),
			};

			if (fn(ctx, &e) != 0) {
				rc = SQLITE_DONE;
				break;
			}
		}
	}
	return end_rows(d, st, rc, err);
}

/* One pass over the lines, and one over what they wrote. */
#define WRITTEN \
	" count(DISTINCT command) AS lines, coalesce(sum(bytes), 0) AS" \
	" bytes, coalesce(sum(kept), 0) AS kept, coalesce(sum(cut AND" \
	" kept < bytes), 0) AS cut"
static const char stats_sql[] =
	"SELECT count(commands.id), (SELECT count(*) FROM sessions),"
	" (SELECT count(*) FROM events), total(ran = 0),"
	" total(ran = 1 AND status IS NULL), total(ran = 1 AND status <> 0),"
	" total(decision = 'allow'), total(decision = 'confirm'),"
	" total(decision = 'block'), total(redacted > 0), min(wall_ns),"
	" max(wall_ns), (SELECT page_count FROM pragma_page_count()) *"
	" (SELECT page_size FROM pragma_page_size()), w.lines, w.bytes,"
	" w.kept, w.cut FROM (SELECT" WRITTEN " FROM outputs) AS w"
	" LEFT JOIN commands";

int
audit_stats(struct audit *a, struct audit_stats *ret, struct err *err)
{
	struct audit_db *d = audit_db_of(a);
	struct audit_stats s = { 0 };
	int64_t *const counts[] = { &s.lines, &s.sessions, &s.events,
		&s.refused, &s.unfinished, &s.failed, &s.allowed,
		&s.confirmed, &s.blocked, &s.redacted, &s.first_ns,
		&s.last_ns, &s.bytes, &s.output_lines, &s.output_bytes,
		&s.output_kept, &s.output_cut };
	sqlite3_stmt *st = NULL;
	int rc = audit_ready(a, err);
	size_t i;

	if (rc < 0)
		return rc;
	rc = sqlite3_prepare_v2(d->db, stats_sql, -1, &st, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	for (i = 0; rc == SQLITE_ROW && i < AEG_NELEM(counts); i++)
		*counts[i] = sqlite3_column_int64(st, (int)i);
	rc = rc == SQLITE_ROW ? 0 : audit_db_error(d, "count", err);
	sqlite3_finalize(st);
	if (rc == 0)
		*ret = s;
	return rc;
}

static const char sessions_sql[] =
	"SELECT s.id, s.start_wall_ns, s.end_wall_ns, s.user, s.host,"
	" count(c.id), total(c.ran = 0), total(c.ran = 1 AND c.status <> 0),"
	" total(w.lines), total(w.bytes), total(w.kept), total(w.cut),"
	" s.uuid FROM (SELECT * FROM sessions ORDER BY id DESC LIMIT ?) AS s"
	" LEFT JOIN commands AS c ON c.session = s.id"
	" LEFT JOIN (SELECT command," WRITTEN " FROM outputs GROUP BY command)"
	" AS w ON w.command = c.id GROUP BY s.id ORDER BY s.id";

int
audit_sessions(struct audit *a, int64_t limit,
    int (*fn)(void *ctx, const struct audit_session_stats *s), void *ctx,
    struct err *err)
{
	struct audit_db *d = audit_db_of(a);
	struct audit_session_stats s;
	int64_t *const numbers[] = { &s.lines, &s.refused, &s.failed,
		&s.output_lines, &s.output_bytes, &s.output_kept,
		&s.output_cut };
	sqlite3_stmt *st = NULL;
	int rc = audit_ready(a, err);
	size_t i;

	if (rc < 0)
		return rc;
	if (sqlite3_prepare_v2(d->db, sessions_sql, -1, &st, NULL) !=
	    SQLITE_OK)
		return audit_db_error(d, "prepare", err);
	sqlite3_bind_int64(st, 1, limit > 0 ? limit : -1);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		s.id = sqlite3_column_int64(st, 0);
		s.start_ns = sqlite3_column_int64(st, 1);
		s.end_ns = sqlite3_column_int64(st, 2);
		s.user = text_at(st, 3);
		s.host = text_at(st, 4);
		for (i = 0; i < AEG_NELEM(numbers); i++)
			*numbers[i] = sqlite3_column_int64(st, (int)i + 5);
		s.uuid = sqlite3_column_bytes(st, (int)i + 5) == UUID_LEN ?
		    sqlite3_column_blob(st, (int)i + 5) : NULL;
		if (fn(ctx, &s) != 0) {
			rc = SQLITE_DONE;
			break;
		}
	}
	return end_rows(d, st, rc, err);
}

/* The rows of a line by sql, no more than most; *ret_st for end_rows(). */
static int
rows_of(struct audit *a, const char *sql, int64_t line, int most,
    sqlite3_stmt **ret_st, struct err *err)
{
	struct audit_db *d = audit_db_of(a);
	int rc = audit_ready(a, err);

	if (rc < 0)
		return rc;
	if (sqlite3_prepare_v2(d->db, sql, -1, ret_st, NULL) != SQLITE_OK)
		return audit_db_error(d, "prepare", err);
	sqlite3_bind_int64(*ret_st, 1, line);
	sqlite3_bind_int(*ret_st, 2, most);
	return 0;
}

int
audit_execs(struct audit *a, int64_t line,
    int (*fn)(void *ctx, const struct audit_ran *x), void *ctx,
    struct err *err)
{
	sqlite3_stmt *st = NULL;
	int rc = rows_of(a, "SELECT id, wall_ns, pid, ppid, path,"
	    " argv FROM execs WHERE command = ? ORDER BY id LIMIT ?",
	    line, AUDIT_EXECS_SHOWN, &st, err);

	if (rc < 0)
		return rc;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct audit_ran x = {
			.id = sqlite3_column_int64(st, 0),
			.wall_ns = sqlite3_column_int64(st, 1),
			.pid = sqlite3_column_int64(st, 2),
			.ppid = sqlite3_column_int64(st, 3),
			.path = sqlite3_column_blob(st, 4),
			.path_len = (size_t)sqlite3_column_bytes(st, 4),
			.argv = sqlite3_column_blob(st, 5),
			.argv_len = (size_t)sqlite3_column_bytes(st, 5),
		};

		if (fn(ctx, &x) != 0) {
			rc = SQLITE_DONE;
			break;
		}
	}
	return end_rows(audit_db_of(a), st, rc, err);
}

int
audit_files(struct audit *a, int64_t line,
    int (*fn)(void *ctx, const struct audit_touched *f), void *ctx,
    struct err *err)
{
	sqlite3_stmt *st = NULL;
	int rc = rows_of(a, "SELECT id, wall_ns, path, change,"
	    " old_sha256, new_sha256 FROM files WHERE command = ? ORDER BY id"
	    " LIMIT ?",
	    line, AUDIT_FILES_MAX, &st, err);

	if (rc < 0)
		return rc;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct audit_touched f = {
			.id = sqlite3_column_int64(st, 0),
			.wall_ns = sqlite3_column_int64(st, 1),
			.path = sqlite3_column_blob(st, 2),
			.path_len = (size_t)sqlite3_column_bytes(st, 2),
			.change = text_at(st, 3),
			.old_sha256 = hash_at(st, 4),
			.new_sha256 = hash_at(st, 5),
		};

		if (fn(ctx, &f) != 0) {
			rc = SQLITE_DONE;
			break;
		}
	}
	return end_rows(audit_db_of(a), st, rc, err);
}

void
audit_output_read(sqlite3_stmt *st, struct audit_output *o)
{
	*o = (struct audit_output){
		.stream = sqlite3_column_int64(st, 0) == AUDIT_STREAM_ERR ?
		    AUDIT_STREAM_ERR : AUDIT_STREAM_OUT,
		.head = sqlite3_column_blob(st, 1),
		.head_len = (size_t)sqlite3_column_bytes(st, 1),
		.tail = sqlite3_column_blob(st, 2),
		.tail_len = (size_t)sqlite3_column_bytes(st, 2),
		.bytes = sqlite3_column_int64(st, 3),
		.cut = sqlite3_column_int64(st, 4) != 0,
		.kept = sqlite3_column_int64(st, 5),
		.redacted = sqlite3_column_int64(st, 6),
		.offset = sqlite3_column_int64(st, 7),
		.length = sqlite3_column_int64(st, 8),
	};
	/* Without a hash it is no place. */
	if (sqlite3_column_bytes(st, 9) == AUDIT_SHA256_LEN)
		memcpy(o->sha256, sqlite3_column_blob(st, 9),
		    AUDIT_SHA256_LEN);
	else
		o->length = 0;
}

int
audit_outputs(struct audit *a, int64_t line,
    int (*fn)(void *ctx, const struct audit_output *o), void *ctx,
    struct err *err)
{
	struct audit_db *d = audit_db_of(a);
	struct audit_output o;
	sqlite3_stmt *st = NULL;
	int rc = audit_ready(a, err);

	if (rc < 0)
		return rc;
	if (sqlite3_prepare_v2(d->db, "SELECT " AUDIT_OUTPUT_COLUMNS " FROM"
	    " outputs WHERE command = ? ORDER BY stream, id", -1, &st,
	    NULL) != SQLITE_OK)
		return audit_db_error(d, "prepare", err);
	sqlite3_bind_int64(st, 1, line);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		audit_output_read(st, &o);
		if (fn(ctx, &o) != 0) {
			rc = SQLITE_DONE;
			break;
		}
	}
	return end_rows(audit_db_of(a), st, rc, err);
}

int
audit_line_session(struct audit *a, int64_t line, unsigned char ret[16],
    struct err *err)
{
	struct audit_db *d = audit_db_of(a);
	sqlite3_stmt *st = NULL;
	int rc = audit_ready(a, err);

	if (rc < 0)
		return rc;
	if (sqlite3_prepare_v2(d->db, "SELECT uuid FROM sessions WHERE id ="
	    " (SELECT session FROM commands WHERE id = ?)", -1, &st, NULL) !=
	    SQLITE_OK)
		return audit_db_error(d, "prepare", err);
	sqlite3_bind_int64(st, 1, line);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW &&
	    sqlite3_column_bytes(st, 0) == UUID_LEN) {
		memcpy(ret, sqlite3_column_blob(st, 0), UUID_LEN);
		rc = 0;
	} else {
		rc = err_set(err, -ENOENT, "audit store %s: no line %" PRId64,
		    d->path, line);
	}
	sqlite3_finalize(st);
	return rc;
}
