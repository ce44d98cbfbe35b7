/* SPDX-License-Identifier: ISC */
/*
 * Lines that wrote a text, by the index: of each segment, newest first, the
 * lines of those columns that can have it, and all that are in none.  Each
 * line that is found was read and compared.
 *
 * Rows of outputs come as lines end, so a line may stand behind younger ones.
 * The newest lines are known once nothing that is left is of a younger one.
 */
#include "audit_wrote_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

/* Rows in no segment; more than that are read line by line. */
#define LOOSE_MOST (4 * AUDIT_OUTPUTS_ROWS)

struct finding {
	struct audit_db *d;
	sqlite3_stmt *range;
	int64_t *ids;
	size_t n, cap, most;	/* most: 0, any number */
	struct err *err;
};

bool
audit_find_is_wrote(const struct audit_query *q)
{
	return q->wrote != NULL && strlen(q->wrote) >= AUDIT_MARKS_GRAM &&
	    !q->unindexed && q->id == 0 && q->uuid == NULL &&
	    q->after_id == 0 && q->session == 0;
}

static int
descending(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/* The newest of them, each once. */
static void
settle(struct finding *f)
{
	size_t i, n = 0;

	if (f->n > 0)
		qsort(f->ids, f->n, sizeof f->ids[0], descending);
	for (i = 0; i < f->n; i++)
		if (n == 0 || f->ids[n - 1] != f->ids[i])
			f->ids[n++] = f->ids[i];
	f->n = f->most > 0 && n > f->most ? f->most : n;
}

static int
read_rows(void *ctx, struct audit_marks_range rows)
{
	struct finding *f = ctx;
	int rc;

	sqlite3_bind_int64(f->range, 19, rows.first);
	sqlite3_bind_int64(f->range, 20, rows.last);
	while ((rc = sqlite3_step(f->range)) == SQLITE_ROW) {
		if (f->n == f->cap) {
			f->cap = f->cap > 0 ? 2 * f->cap : 64;
			f->ids = xreallocarray(f->ids, f->cap,
			    sizeof f->ids[0]);
		}
		f->ids[f->n++] = sqlite3_column_int64(f->range, 0);
	}
	rc = rc == SQLITE_DONE ? 0 : audit_db_error(f->d, "read", f->err);
	sqlite3_reset(f->range);
	return rc;
}

static int
prepare(struct finding *f, const struct audit_query *q)
{
	AEG_AUTO(buf_done) struct buf sql = BUF_INIT;
	int rc = audit_wrote_function(f->d, f->err);

	if (rc < 0)
		return rc;
	buf_puts(&sql, "SELECT id FROM commands WHERE id IN (SELECT command"
	    " FROM outputs WHERE id >= ?19 AND id <= ?20)");
	audit_query_where(&sql, q);
	buf_puts(&sql, " ORDER BY id DESC");
	if (f->most > 0)
		buf_puts(&sql, " LIMIT ?1");
	if (sqlite3_prepare_v2(f->d->db, sql.data, (int)sql.len, &f->range,
	    NULL) != SQLITE_OK)
		return audit_db_error(f->d, "read", f->err);
	sqlite3_bind_int64(f->range, 1, q->limit);
	audit_query_bind(f->range, q);
	return 0;
}

/* So many rows are in no segment: those before the first, and behind the
 * last. */
static int
count_loose(struct audit_db *d, int64_t first, int64_t last, int64_t *ret,
    int64_t *ret_command, struct err *err)
{
	int64_t before[2] = { 0, 0 }, behind = 0;
	int rc = audit_db_look_up(d, "SELECT count(*), coalesce(max(command),"
	    " 0) FROM (SELECT command FROM outputs WHERE id < ?1 ORDER BY id"
	    " LIMIT 32769)", first, before, 2, NULL, err);

	if (rc == 0)
		rc = audit_db_look_up(d, "SELECT count(*) FROM (SELECT 1 FROM"
		    " outputs WHERE id > ?1 ORDER BY id LIMIT 32769)", last,
		    &behind, 1, NULL, err);
	*ret = before[0] + behind;
	*ret_command = before[1];
	return rc;
}
_Static_assert(LOOSE_MOST == 32768, "one more is counted");

/* youngest: of the lines of which there are rows that were not looked at. */
static bool
is_enough(struct finding *f, int64_t youngest)
{
	if (f->most == 0)
		return false;
	settle(f);
	return f->n == f->most && f->ids[f->n - 1] >= youngest;
}

static int
find(struct finding *f, struct audit_outputs *x, const char *text,
    int64_t *youngest)
{
	uint32_t bits[AUDIT_MARKS_MAX];
	size_t n = audit_marks_of(text, strlen(text), bits), i = x->n;
	struct audit_marks_range all;
	int64_t command;
	bool known;
	int rc;

	all = audit_outputs_range(x, i - 1, &command);
	rc = read_rows(f, (struct audit_marks_range){ all.last + 1,
	    INT64_MAX });
	while (rc == 0 && i > 0 && !is_enough(f, youngest[i])) {
		rc = audit_outputs_look(x, --i, bits, n, read_rows, f,
		    &known);
		all = audit_outputs_range(x, i, &command);
		if (rc == 0 && !known)
			rc = read_rows(f, all);
	}
	if (rc == 0 && i == 0 && !is_enough(f, youngest[0]))
		rc = read_rows(f, (struct audit_marks_range){ INT64_MIN,
		    all.first - 1 });
	settle(f);
	return rc;
}

int
audit_find_wrote(struct audit_db *d, const struct audit_query *q,
    int (*fn)(void *ctx, int64_t id), void *ctx, bool *ret_read,
    struct err *err)
{
	struct finding f = { .d = d, .err = err,
		.most = q->limit > 0 ? (size_t)q->limit : 0 };
	struct audit_outputs x = AUDIT_OUTPUTS_INIT;
	AEG_AUTOFREE int64_t *youngest = NULL;
	int64_t loose, command;
	int rc = 0;
	size_t i;

	audit_outputs_open(&x, d);
	*ret_read = x.n > 0;
	if (x.n > 0) {
		rc = count_loose(d, audit_outputs_range(&x, 0,
		    &command).first, audit_outputs_range(&x, x.n - 1,
		    &command).last, &loose, &command, err);
		*ret_read = rc < 0 || loose <= LOOSE_MOST;
	}
	if (rc == 0 && *ret_read) {
		youngest = xreallocarray(NULL, x.n + 1, sizeof *youngest);
		youngest[0] = command;
		for (i = 0; i < x.n; i++) {
			audit_outputs_range(&x, i, &command);
			youngest[i + 1] = command > youngest[i] ? command :
			    youngest[i];
		}
		rc = prepare(&f, q);
		if (rc == 0)
			rc = find(&f, &x, q->wrote, youngest);
		for (i = f.n; rc == 0 && i > 0; i--)
			rc = fn(ctx, f.ids[i - 1]);
	}
	audit_outputs_done(&x);
	sqlite3_finalize(f.range);
	free(f.ids);
	return rc < 0 ? rc : 0;
}
