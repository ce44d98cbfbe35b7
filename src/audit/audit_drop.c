/* SPDX-License-Identifier: ISC */
/* What goes of the files of what lines wrote with rows that were deleted. */
#include "audit_int.h"

#include "aegsh/base/mem.h"
#include "aegsh/cast_files.h"

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
	AEG_AUTOFREE char *store = audit_db_place(d);
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
