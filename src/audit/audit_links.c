/* SPDX-License-Identifier: ISC */
/* The chain with its rows, read in its order. */
#include "audit_chain_int.h"

#include <stdio.h>
#include <string.h>

#include "aegsh/audit_links.h"
#include "aegsh/base/mem.h"

static const enum audit_linked_what what_of[AUDIT_KIND_COUNT] = {
	[AUDIT_KIND_NONE] = AUDIT_LINKED_NONE,
	[AUDIT_KIND_SESSION] = AUDIT_LINKED_SESSION,
	[AUDIT_KIND_SESSION_END] = AUDIT_LINKED_SESSION_END,
	[AUDIT_KIND_LINE] = AUDIT_LINKED_LINE,
	[AUDIT_KIND_OUTCOME] = AUDIT_LINKED_OUTCOME,
	[AUDIT_KIND_LINE_ENDED] = AUDIT_LINKED_LINE,
	[AUDIT_KIND_EVENT] = AUDIT_LINKED_EVENT,
	[AUDIT_KIND_TOMBSTONE] = AUDIT_LINKED_DELETION,
	[AUDIT_KIND_SESSION_KEPT] = AUDIT_LINKED_SESSION,
	[AUDIT_KIND_LINE_KEPT] = AUDIT_LINKED_LINE,
	[AUDIT_KIND_EXEC] = AUDIT_LINKED_PROGRAM,
	[AUDIT_KIND_FILE] = AUDIT_LINKED_FILE,
	[AUDIT_KIND_OUTPUT] = AUDIT_LINKED_OUTPUT,
};

struct links {
	struct audit_db *d;
	struct audit_link first;	/* what stands before the first link
					 * that is there */
	struct buf bytes;
	struct audit_value values[AUDIT_VALUES_MAX];
	size_t n;
	int64_t wall_ns;	/* of the newest that has a time */
};

/* ---- columns ------------------------------------------------------------ */

static void
take_value(sqlite3_stmt *st, int column, struct audit_value *v)
{
	*v = (struct audit_value){ .type = AUDIT_VALUE_NONE };
	snprintf(v->name, sizeof v->name, "%s",
	    sqlite3_column_name(st, column));
	switch (sqlite3_column_type(st, column)) {
	case SQLITE_INTEGER:
		v->type = AUDIT_VALUE_NUMBER;
		v->number = sqlite3_column_int64(st, column);
		return;
	case SQLITE_NULL:
		return;
	case SQLITE_BLOB:
		v->type = AUDIT_VALUE_BYTES;
		v->p = sqlite3_column_blob(st, column);
		break;
	default:
		v->type = AUDIT_VALUE_TEXT;
		v->p = (const char *)sqlite3_column_text(st, column);
	}
	v->len = (size_t)sqlite3_column_bytes(st, column);
	if (v->p == NULL)
		v->len = 0;
}

static int64_t
number_of(sqlite3_stmt *st, const char *name)
{
	int i;

	for (i = 0; i < sqlite3_column_count(st); i++) {
		if (strcmp(sqlite3_column_name(st, i), name) == 0)
			return sqlite3_column_int64(st, i);
	}
	return 0;
}

/* Of an outcome only its line has a time, and what it took. */
static int64_t
time_of(sqlite3_stmt *st, enum audit_linked_what what)
{
	int64_t wall = number_of(st, "wall_ns"), took;

	if (what == AUDIT_LINKED_SESSION)
		return number_of(st, "start_wall_ns");
	if (what == AUDIT_LINKED_SESSION_END)
		return number_of(st, "end_wall_ns");
	took = what == AUDIT_LINKED_OUTCOME ? number_of(st, "duration_ns") : 0;
	return took > 0 && wall > 0 && wall < INT64_MAX - took ? wall + took :
	    wall;
}

static void
take_columns(struct links *l, sqlite3_stmt *st, int from, int to)
{
	int i;

	l->n = 0;
	for (i = 0; from > 0 && i < from; i++) {
		if (strcmp(sqlite3_column_name(st, i), "uuid") == 0)
			take_value(st, i, &l->values[l->n++]);
	}
	for (i = from; i < to && l->n < AUDIT_VALUES_MAX; i++)
		take_value(st, i, &l->values[l->n++]);
}

/* ---- one link ----------------------------------------------------------- */

static int
give(struct links *l, sqlite3_stmt *link, unsigned char before[AUDIT_HASH_LEN],
    int (*fn)(void *ctx, const struct audit_linked *l), void *ctx,
    struct err *err)
{
	int64_t kind = sqlite3_column_int64(link, 1);
	struct audit_linked q = { .seq = sqlite3_column_int64(link, 0),
		.row = sqlite3_column_int64(link, 2) };
	unsigned char hash[AUDIT_HASH_LEN];
	const struct audit_kind_spec *k;
	const struct audit_table_spec *t;
	sqlite3_stmt *st;
	int from, to, rc;

	if (kind <= AUDIT_KIND_NONE || kind >= AUDIT_KIND_COUNT ||
	    !audit_chain_link(link, 3, q.link))
		return err_set(err, ERR_STORE, "audit store %s: link %lld is "
		    "damaged", l->d->path, (long long)q.seq);
	k = &audit_kinds[kind];
	t = &audit_tables[k->table];
	q.what = what_of[kind];
	q.again = kind == AUDIT_KIND_SESSION_KEPT ||
	    kind == AUDIT_KIND_LINE_KEPT;
	st = audit_db_stmt(l->d, AUDIT_READ_SESSION + k->table, err);
	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_int64(st, 1, q.row);
	rc = sqlite3_step(st);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return audit_db_error(l->d, "read", err);
	from = k->first ? 0 : t->begin;
	to = k->rest ? t->all : t->begin;
	l->n = 0;
	q.missing = rc == SQLITE_DONE;
	if (!q.missing) {
		audit_chain_start(&l->bytes, before, (enum audit_kind)kind,
		    q.row);
		audit_chain_columns(&l->bytes, st, 0, from, to);
		audit_sha256(l->bytes.data, l->bytes.len, hash);
		q.altered = buf_overflow(&l->bytes) ||
		    memcmp(hash, q.link, sizeof hash) != 0;
		q.wall_ns = time_of(st, q.what);
		/* What a line wrote has none, and comes behind it. */
		l->wall_ns = q.wall_ns > 0 ? q.wall_ns : l->wall_ns;
		q.wall_ns = l->wall_ns;
		take_columns(l, st, from, to);
	}
	q.values = l->values;
	q.n = l->n;
	memcpy(before, q.link, AUDIT_HASH_LEN);
	rc = fn(ctx, &q);
	sqlite3_reset(st);
	return rc != 0 ? 1 : 0;
}

/* ---- from where --------------------------------------------------------- */

static int
link_at(struct links *l, int64_t seq, struct audit_link *ret, struct err *err)
{
	sqlite3_stmt *st = NULL;
	int rc;

	*ret = (struct audit_link){ .seq = 0 };
	if (sqlite3_prepare_v2(l->d->db, "SELECT link FROM chain WHERE"
	    " seq = ?", -1, &st, NULL) != SQLITE_OK)
		return audit_db_error(l->d, "prepare", err);
	sqlite3_bind_int64(st, 1, seq);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW && audit_chain_link(st, 0, ret->link))
		ret->seq = seq;
	rc = rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 :
	    audit_db_error(l->d, "read", err);
	sqlite3_finalize(st);
	return rc;
}

/* Where to begin: *ret is the link before it. */
static int
find_begin(struct links *l, const struct audit_links_from *from,
    struct audit_links_found *found, struct audit_link *ret, struct err *err)
{
	struct audit_link there;
	int rc;

	*ret = l->first;
	if (from->seq <= 0)
		return 0;
	if (memcmp(from->store, found->store, sizeof from->store) != 0) {
		found->how = AUDIT_LINKS_OTHER;
		return 0;
	}
	if (from->seq < l->first.seq) {
		found->how = AUDIT_LINKS_DELETED;
		found->missing = l->first.seq - from->seq;
		return 0;
	}
	if (from->seq == l->first.seq) {
		if (memcmp(from->link, l->first.link, AUDIT_HASH_LEN) != 0)
			found->how = AUDIT_LINKS_CHANGED;
		return 0;
	}
	rc = link_at(l, from->seq, &there, err);
	if (rc < 0)
		return rc;
	if (there.seq == 0 || memcmp(from->link, there.link,
	    AUDIT_HASH_LEN) != 0)
		found->how = AUDIT_LINKS_CHANGED;
	else
		*ret = there;
	return 0;
}

static int
give_all(struct links *l, const struct audit_link *begin, int64_t last,
    int (*fn)(void *ctx, const struct audit_linked *l), void *ctx,
    struct err *err)
{
	unsigned char before[AUDIT_HASH_LEN];
	sqlite3_stmt *st = NULL;
	int rc = 0, step = SQLITE_DONE;

	if (sqlite3_prepare_v2(l->d->db, "SELECT seq, kind, row, link FROM"
	    " chain WHERE seq > ? AND seq <= ? ORDER BY seq", -1, &st,
	    NULL) != SQLITE_OK)
		return audit_db_error(l->d, "prepare", err);
	sqlite3_bind_int64(st, 1, begin->seq);
	sqlite3_bind_int64(st, 2, last);
	memcpy(before, begin->link, sizeof before);
	while (rc == 0 && (step = sqlite3_step(st)) == SQLITE_ROW)
		rc = give(l, st, before, fn, ctx, err);
	if (rc == 0 && step != SQLITE_DONE)
		rc = audit_db_error(l->d, "read", err);
	sqlite3_finalize(st);
	return rc < 0 ? rc : 0;
}

int
audit_links(struct audit *a, const struct audit_links_from *from,
    int (*fn)(void *ctx, const struct audit_linked *l), void *ctx,
    struct audit_links_found *ret, struct err *err)
{
	struct links l = { .d = audit_db_of(a) };
	struct audit_witnessed last;
	struct audit_origin origin;
	struct audit_link begin;
	int rc = audit_stand(a, &origin, &last, err);

	*ret = (struct audit_links_found){ .last = 0 };
	if (rc == 0)
		rc = audit_db_exec(l.d, "BEGIN", err);
	if (rc < 0)
		return rc;
	memcpy(ret->store, origin.store, sizeof ret->store);
	ret->last = last.seq;
	rc = audit_chain_last(l.d, AUDIT_CHAIN_STONE, &l.first, err);
	if (rc == 0 && l.first.seq == 0)
		memcpy(l.first.link, origin.link, sizeof l.first.link);
	if (rc == 0)
		rc = find_begin(&l, from, ret, &begin, err);
	if (rc == 0)
		rc = give_all(&l, &begin, ret->last, fn, ctx, err);
	audit_db_rollback(l.d);
	buf_done(&l.bytes);
	return rc;
}
