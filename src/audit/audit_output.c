/* SPDX-License-Identifier: ISC */
/*
 * The files of what lines wrote, beside their rows: whether each part is what
 * its row has the hash of, and what goes with rows that were deleted.
 */
#include "audit_verify_int.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/cast.h"

/* The directory of the store. */
static char *
store_of(const struct audit_db *d)
{
	const char *end = strrchr(d->path, '/');

	return xmemdup0(d->path, end != NULL ? (size_t)(end - d->path) : 0);
}

int
audit_output_check(struct audit_verifying *v, struct err *err)
{
	AEG_AUTOFREE char *store = store_of(v->d);
	unsigned char hash[CAST_HASH_LEN];
	sqlite3_stmt *st = NULL;
	int rc = audit_verify_prepare(v, "SELECT o.id, s.uuid, o.file_offset,"
	    " o.file_length, o.file_sha256 FROM outputs AS o JOIN commands AS"
	    " c ON c.id = o.command JOIN sessions AS s ON s.id = c.session"
	    " WHERE o.file_length > 0 ORDER BY o.id", &st, err);

	while (rc == 0 && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		rc = 0;
		v->v.outputs++;
		if (sqlite3_column_bytes(st, 1) != UUID_LEN ||
		    sqlite3_column_bytes(st, 4) != CAST_HASH_LEN ||
		    sqlite3_column_int64(st, 2) < 0 ||
		    cast_hash(store, sqlite3_column_blob(st, 1),
		    sqlite3_column_int64(st, 2), sqlite3_column_int64(st, 3),
		    hash, NULL) < 0 || memcmp(hash, sqlite3_column_blob(st,
		    4), sizeof hash) != 0)
			audit_find(v, AUDIT_FAULT_OUTPUT, 0, "outputs",
			    sqlite3_column_int64(st, 0));
	}
	if (rc > 0)
		rc = rc == SQLITE_DONE ? 0 : audit_db_error(v->d, "read",
		    err);
	sqlite3_finalize(st);
	return rc;
}

/* ---- with rows that were deleted ---------------------------------------- */

struct dropping {
	struct audit_db *d;
	char *store;
	char boot[40];
	sqlite3_stmt *st;
	struct err *err;
};

/* Of that file: what stands before the first part that has a row, or all,
 * where none has one and nobody writes to it any more. */
static int
drop_one(void *ctx, const unsigned char session[UUID_LEN])
{
	struct dropping *p = ctx;
	int64_t before = 0;
	int rc;

	sqlite3_reset(p->st);
	sqlite3_bind_blob(p->st, 1, session, UUID_LEN, SQLITE_STATIC);
	sqlite3_bind_text(p->st, 2, p->boot, -1, SQLITE_STATIC);
	rc = sqlite3_step(p->st);
	if (rc != SQLITE_ROW)
		return audit_db_error(p->d, "read", p->err);
	if (sqlite3_column_type(p->st, 0) != SQLITE_NULL)
		before = sqlite3_column_int64(p->st, 0);
	else if (sqlite3_column_int64(p->st, 1) == 0)
		before = -1;
	sqlite3_reset(p->st);
	return before == 0 ? 0 : cast_forget(p->store, session, before,
	    p->err);
}

int
audit_output_drop(struct audit_db *d, struct err *err)
{
	AEG_AUTOFREE char *store = store_of(d);
	struct dropping p = { .d = d, .store = store, .err = err };
	int rc;

	audit_boot_id(p.boot);
	if (sqlite3_prepare_v2(d->db, "SELECT (SELECT min(o.file_offset) FROM"
	    " outputs AS o JOIN commands AS c ON c.id = o.command WHERE"
	    " c.session IN (SELECT id FROM sessions WHERE uuid = ?1) AND"
	    " o.file_length > 0), (SELECT count(*) FROM sessions WHERE uuid ="
	    " ?1 AND end_wall_ns IS NULL AND boot_id = ?2)", -1, &p.st,
	    NULL) != SQLITE_OK)
		return audit_db_error(d, "prepare", err);
	rc = cast_each(store, drop_one, &p, err);
	sqlite3_finalize(p.st);
	return rc;
}
