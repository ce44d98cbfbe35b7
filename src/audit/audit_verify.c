/* SPDX-License-Identifier: ISC */
/*
 * The chain, read from its beginning, beside the rows that it is of.
 *
 * Rows of a table were chained in the order of their numbers, so that one
 * statement for each table goes along; what a line's row holds of its
 * outcome is kept until that one's link comes, which is soon.  After a
 * fault it goes on from the link that is there, so that one altered row is
 * one finding.
 */
#include "audit_index_int.h"
#include "audit_wrote_int.h"
#include "audit_verify_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

const char *
audit_fault_name(enum audit_fault f)
{
	switch (f) {
	case AUDIT_FAULT_ALTERED:	return "altered";
	case AUDIT_FAULT_MISSING:	return "missing";
	case AUDIT_FAULT_REORDERED:	return "reordered";
	case AUDIT_FAULT_GAP:		return "gap";
	case AUDIT_FAULT_UNCHAINED:	return "unchained";
	case AUDIT_FAULT_HEAD:		return "head";
	case AUDIT_FAULT_TRUNCATED:	return "truncated";
	case AUDIT_FAULT_REWRITTEN:	return "rewritten";
	case AUDIT_FAULT_SCHEMA:	return "schema";
	case AUDIT_FAULT_SIGNATURE:	return "signature";
	case AUDIT_FAULT_INDEX:		return "index";
	case AUDIT_FAULT_OUTPUT:	return "output";
	case AUDIT_FAULT_NONE:
	case AUDIT_FAULT_COUNT:
		break;
	}
	return "none";
}

void
audit_find(struct audit_verifying *v, enum audit_fault fault, int64_t seq,
    const char *table, int64_t row)
{
	struct audit_finding f = { fault, seq, table, row };

	v->v.findings++;
	if (v->fn != NULL)
		v->fn(v->ctx, &f);
}

int
audit_verify_prepare(struct audit_verifying *v, const char *sql,
    sqlite3_stmt **ret, struct err *err)
{
	return sqlite3_prepare_v2(v->d->db, sql, -1, ret, NULL) ==
	    SQLITE_OK ? 0 : audit_db_error(v->d, "prepare", err);
}

int
audit_verify_damaged(struct audit_verifying *v, const char *table,
    struct err *err)
{
	return err_set(err, ERR_STORE, "audit store %s: the rows of %s do "
	    "not follow one another: the file is damaged", v->d->path, table);
}

/* ---- rows ---------------------------------------------------------------- */

/* To the next row of the table.  Numbers begin with 1; and they rise, unless
 * pages were linked so as to come round again. */
static int
forward(struct audit_verifying *v, struct audit_cursor *c, struct err *err)
{
	int64_t row = 0, before = c->row;
	int rc;

	while ((rc = sqlite3_step(c->st)) == SQLITE_ROW) {
		row = sqlite3_column_int64(c->st, 0);
		if (row >= 1)
			break;
		audit_find(v, AUDIT_FAULT_UNCHAINED, 0, c->name, row);
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return audit_db_error(v->d, "read", err);
	c->row = rc == SQLITE_ROW ? row : 0;
	if (c->row == 0)
		return 0;
	if (row <= before)
		return audit_verify_damaged(v, c->name, err);
	if (row > c->older) {
		c->seen++;
		c->ended += c->begin < c->all && sqlite3_column_type(c->st,
		    1 + c->begin) != SQLITE_NULL;
	} else {
		c->seen_older++;
	}
	return 0;
}

/* The statement that stands on this row; *ret NULL: it is not there. */
static int
stand_on(struct audit_verifying *v, const struct audit_kind_spec *k,
    int64_t row, sqlite3_stmt **ret, struct err *err)
{
	struct audit_cursor *c = &v->tables[k->table];
	int rc = 0;

	*ret = NULL;
	if (k->adds && row > c->last) {
		/* What it passes over is chained later, or never. */
		while (rc == 0 && c->row != 0 && c->row < row)
			rc = forward(v, c, err);
		if (rc == 0 && c->row == row)
			*ret = c->st;
		return rc;
	}
	if (c->row == row) {
		*ret = c->st;
		return 0;
	}
	sqlite3_reset(c->one);
	sqlite3_bind_int64(c->one, 1, row);
	rc = sqlite3_step(c->one);
	if (rc == SQLITE_ROW)
		*ret = c->one;
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 :
	    audit_db_error(v->d, "read", err);
}

static void
keep_outcome(struct audit_verifying *v, sqlite3_stmt *st, int64_t row)
{
	const struct audit_table_spec *t = &audit_tables[AUDIT_TABLE_COMMANDS];
	struct audit_later *o = &v->ring[(uint64_t)row % AUDIT_RING];

	o->row = row;
	buf_reset(&o->bytes);
	audit_chain_columns(&o->bytes, st, 1, t->begin, t->all);
	/* It can be looked up; the memory is not the store's to take. */
	if (o->bytes.len > AUDIT_LATER_MAX) {
		o->row = 0;
		buf_done(&o->bytes);
	}
}

/* The row's part of what is hashed; false: there is none. */
static int
put_row(struct audit_verifying *v, enum audit_kind kind, int64_t row,
    bool *ret_there, struct err *err)
{
	const struct audit_kind_spec *k = &audit_kinds[kind];
	const struct audit_table_spec *t = &audit_tables[k->table];
	const struct audit_later *o = &v->ring[(uint64_t)row % AUDIT_RING];
	sqlite3_stmt *st;
	int rc;

	*ret_there = true;
	if (kind == AUDIT_KIND_OUTCOME && o->row == row && row != 0) {
		buf_put(&v->bytes, o->bytes.data, o->bytes.len);
		return 0;
	}
	rc = stand_on(v, k, row, &st, err);
	*ret_there = st != NULL;
	if (rc < 0 || st == NULL)
		return rc;
	audit_chain_columns(&v->bytes, st, 1, k->first ? 0 : t->begin,
	    k->rest ? t->all : t->begin);
	if (kind == AUDIT_KIND_LINE)
		keep_outcome(v, st, row);
	return 0;
}

static void
count_row(struct audit_verifying *v, int64_t seq,
    const struct audit_kind_spec *k, int64_t row)
{
	struct audit_cursor *c = &v->tables[k->table];

	c->ends += k->rest && row > c->older;
	if (!k->first)
		return;
	c->chained++;
	if (!k->adds)
		return;
	if (row <= c->last)
		audit_find(v, AUDIT_FAULT_REORDERED, seq,
		    audit_tables[k->table].name, row);
	else
		c->last = row;
}

/* ---- the chain ----------------------------------------------------------- */

static int
check_link(struct audit_verifying *v, struct err *err)
{
	int64_t seq = sqlite3_column_int64(v->chain, 0);
	int64_t kind = sqlite3_column_int64(v->chain, 1);
	int64_t row = sqlite3_column_int64(v->chain, 2);
	unsigned char link[AUDIT_SHA256_LEN], hash[AUDIT_SHA256_LEN] = { 0 };
	const struct audit_kind_spec *k;
	bool there = false, expired, gap = seq != audit_after(v->v.last);
	int rc;

	if (kind <= AUDIT_KIND_NONE || kind >= AUDIT_KIND_COUNT ||
	    !audit_chain_link(v->chain, 3, link))
		return err_set(err, ERR_STORE, "audit store %s: link %lld is "
		    "none of this version", v->d->path, (long long)seq);
	if (v->v.links > 0 && seq <= v->v.last)
		return audit_verify_damaged(v, "chain", err);
	k = &audit_kinds[kind];
	if (gap) {
		audit_find(v, AUDIT_FAULT_GAP, audit_after(v->v.last), NULL, 0);
		v->known_head = false;
	}
	audit_chain_start(&v->bytes, v->v.link, (enum audit_kind)kind, row);
	rc = put_row(v, (enum audit_kind)kind, row, &there, err);
	if (rc < 0)
		return rc;
	count_row(v, seq, k, row);
	expired = !there && k->first && audit_expired_has(v, k->table, seq,
	    row);
	v->tables[k->table].chained -= expired;
	audit_sha256(v->bytes.data, v->bytes.len, hash);
	if (expired)
		v->v.expired++;
	else if (!there || (!gap && memcmp(hash, link, sizeof hash) != 0))
		audit_find(v, there ? AUDIT_FAULT_ALTERED :
		    AUDIT_FAULT_MISSING, seq, audit_tables[k->table].name,
		    row);
	else if (kind == AUDIT_KIND_EVENT && !gap)
		audit_expired_event(v, row);
	memcpy(v->v.link, link, sizeof hash);
	v->v.last = seq;
	v->v.links++;
	audit_heads_check(v);
	return 0;
}

/* The first row that the chain does not have, where there are more than it
 * has. */
static int
name_unchained(struct audit_verifying *v, enum audit_table table,
    const char *where, const char *kinds, struct err *err)
{
	const char *name = audit_tables[table].name;
	AEG_AUTOFREE char *sql = xasprintf("SELECT min(id) FROM %s WHERE id >"
	    " ?1%s AND id NOT IN (SELECT row FROM chain WHERE kind IN (%s))",
	    name, where, kinds);
	sqlite3_stmt *st = NULL;
	int rc = audit_verify_prepare(v, sql, &st, err);

	if (rc < 0)
		return rc;
	sqlite3_bind_int64(st, 1, v->tables[table].older);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW && sqlite3_column_type(st, 0) != SQLITE_NULL)
		audit_find(v, AUDIT_FAULT_UNCHAINED, 0, name,
		    sqlite3_column_int64(st, 0));
	rc = rc == SQLITE_ROW ? 0 : audit_db_error(v->d, "read", err);
	sqlite3_finalize(st);
	return rc;
}

/* Rows, and ends of rows, are counted against links. */
static int
check_table(struct audit_verifying *v, enum audit_table table, struct err *err)
{
	static const char *const rows[AUDIT_TABLE_COUNT] = { "1, 8",
		"3, 5, 9", "6", "7", "10", "11", "12" };
	struct audit_cursor *c = &v->tables[table];
	int rc = 0;

	while (rc == 0 && c->row != 0)
		rc = forward(v, c, err);
	if (rc == 0 && c->seen > c->chained)
		rc = name_unchained(v, table, "", rows[table], err);
	if (rc < 0 || c->ended <= c->ends)
		return rc;
	if (table == AUDIT_TABLE_COMMANDS)
		rc = name_unchained(v, table, " AND status IS NOT NULL",
		    "4, 5", err);
	else if (table == AUDIT_TABLE_SESSIONS)
		rc = name_unchained(v, table, " AND end_wall_ns IS NOT NULL",
		    "2", err);
	return rc;
}

static int
check_rest(struct audit_verifying *v, struct err *err)
{
	int i, rc = 0;

	for (i = 0; i < AUDIT_TABLE_COUNT && rc == 0; i++)
		rc = check_table(v, (enum audit_table)i, err);
	v->v.older = v->tables[AUDIT_TABLE_COMMANDS].seen_older;
	audit_expired_rest(v);
	return rc < 0 ? rc : audit_heads_rest(v, err);
}

/* ---- opening ------------------------------------------------------------- */

static int
open_tables(struct audit_verifying *v, struct err *err)
{
	int i, rc = 0;

	v->tables[AUDIT_TABLE_SESSIONS].older = v->v.origin.sessions;
	v->tables[AUDIT_TABLE_COMMANDS].older = v->v.origin.commands;
	v->tables[AUDIT_TABLE_EVENTS].older = v->v.origin.events;
	for (i = 0; i < AUDIT_TABLE_COUNT && rc == 0; i++) {
		const struct audit_table_spec *t = &audit_tables[i];
		struct audit_cursor *c = &v->tables[i];
		AEG_AUTOFREE char *each = xasprintf("SELECT id, %s FROM %s"
		    " ORDER BY id", t->columns, t->name);
		AEG_AUTOFREE char *one = xasprintf("SELECT id, %s FROM %s"
		    " WHERE id = ?", t->columns, t->name);

		c->name = t->name;
		c->begin = t->begin;
		c->all = t->all;
		rc = audit_verify_prepare(v, each, &c->st, err);
		if (rc == 0)
			rc = audit_verify_prepare(v, one, &c->one, err);
		if (rc == 0)
			rc = forward(v, c, err);
	}
	return rc;
}

/* Where a deletion left the chain, or where it began. */
static int
find_beginning(struct audit_verifying *v, struct err *err)
{
	sqlite3_stmt *st = NULL;
	int rc = audit_chain_origin(v->d, &v->v.origin, err);

	memcpy(v->v.link, v->v.origin.link, sizeof v->v.link);
	if (rc == 0)
		rc = audit_verify_prepare(v, "SELECT seq, link, id FROM"
		    " tombstones ORDER BY id DESC LIMIT 1", &st, err);
	if (rc < 0)
		return rc;
	v->known_head = true;
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW && audit_chain_link(st, 1, v->v.link)) {
		v->v.last = sqlite3_column_int64(st, 0);
		v->v.deletions = sqlite3_column_int64(st, 2);
		/* It may be amid the links that the next head is of. */
		v->known_head = false;
	}
	if (rc == SQLITE_ROW || rc == SQLITE_DONE)
		rc = rc == SQLITE_DONE || !v->known_head ? 0 : err_set(err,
		    ERR_STORE, "audit store %s: a tombstone is none of this "
		    "version", v->d->path);
	else
		rc = audit_db_error(v->d, "read", err);
	sqlite3_finalize(st);
	if (rc < 0)
		return rc;
	v->v.first = audit_after(v->v.last);
	rc = audit_verify_prepare(v, "SELECT seq, link, root FROM heads"
	    " WHERE seq > ? ORDER BY seq", &v->heads, err);
	if (rc == 0)
		rc = audit_verify_prepare(v, "SELECT seq, kind, row, link FROM"
		    " chain ORDER BY seq", &v->chain, err);
	if (rc < 0)
		return rc;
	audit_heads_removed(v);
	sqlite3_reset(v->heads);
	sqlite3_bind_int64(v->heads, 1, v->v.last);
	audit_heads_next(v);
	return 0;
}

static void
find_unindexed(void *ctx, int64_t line)
{
	audit_find(ctx, AUDIT_FAULT_INDEX, 0, "commands", line);
}

static void
find_unwritten(void *ctx, int64_t row)
{
	audit_find(ctx, AUDIT_FAULT_INDEX, 0, "outputs", row);
}

static void
done(struct audit_verifying *v)
{
	int i;

	for (i = 0; i < AUDIT_TABLE_COUNT; i++) {
		sqlite3_finalize(v->tables[i].st);
		sqlite3_finalize(v->tables[i].one);
	}
	for (i = 0; i < AUDIT_RING; i++)
		buf_done(&v->ring[i].bytes);
	sqlite3_finalize(v->chain);
	sqlite3_finalize(v->heads);
	buf_done(&v->bytes);
}

static int
read_all(struct audit_verifying *v, struct err *err)
{
	bool usable = false;
	int rc = audit_shape_check(v, &usable, err);

	if (rc < 0 || !usable)
		return rc;
	rc = find_beginning(v, err);
	if (rc == 0)
		rc = open_tables(v, err);
	if (rc == 0)
		rc = audit_expired(v, err);
	while (rc == 0 && (rc = sqlite3_step(v->chain)) == SQLITE_ROW)
		rc = check_link(v, err);
	if (rc > 0)
		rc = rc == SQLITE_DONE ? 0 : audit_db_error(v->d, "read",
		    err);
	if (rc == 0 && v->head_failed)
		rc = audit_verify_damaged(v, "heads", err);
	if (rc == 0)
		rc = check_rest(v, err);
	if (rc == 0)
		rc = audit_output_check(v, err);
	if (rc == 0)
		rc = audit_outputs_check(v->d, find_unwritten, v, err);
	return rc == 0 ? audit_index_check(v->d, find_unindexed, v, err) : rc;
}

int
audit_verify(struct audit *a, const struct audit_against *against,
    void (*fn)(void *ctx, const struct audit_finding *f), void *ctx,
    struct audit_verdict *ret, struct err *err)
{
	struct audit_verifying v = { .d = audit_db_of(a),
		.witnesses = against->witnesses, .n_witnesses = against->n,
		.keys = against->keys, .fn = fn, .ctx = ctx };
	int rc = audit_ready(a, err);

	/* One transaction: writers go on, and it sees none of it. */
	if (rc == 0)
		rc = audit_db_exec(v.d, "BEGIN", err);
	if (rc < 0)
		return rc;
	rc = read_all(&v, err);
	done(&v);
	audit_db_rollback(v.d);
	if (rc == 0)
		*ret = v.v;
	return rc;
}
