/* SPDX-License-Identifier: ISC */
/*
 * Whether the tables are those that the steps of the schema make.
 *
 * The database is its user's: a name may stand for a view, a virtual table,
 * columns that are computed, or have an index that says something else than
 * its table.  Then readers and the verifier would not see the same rows, and
 * there is no use in comparing any.  What stands beside the tables, under
 * names of its own, nobody reads.
 */
#include "audit_verify_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

/* All that there is to know of the table ?1, as text. */
static const char shape[] =
	"SELECT coalesce((SELECT type || ' ' || wr || ' ' || strict FROM"
	"  pragma_table_list WHERE schema = 'main' AND name = ?1), '') ||"
	" coalesce((SELECT group_concat(column) FROM (SELECT name || ' ' ||"
	"  type || ' ' || \"notnull\" || ' ' || coalesce(dflt_value, '-') ||"
	"  ' ' || pk || ' ' || hidden AS column FROM pragma_table_xinfo(?1)"
	"  ORDER BY name)), '') ||"
	" coalesce((SELECT group_concat(list) FROM (SELECT name || ' ' ||"
	"  \"unique\" || ' ' || origin || ' ' || partial AS list FROM"
	"  pragma_index_list(?1) ORDER BY name)), '') ||"
	" coalesce((SELECT group_concat(made) FROM (SELECT type || ' ' ||"
	"  name || ' ' || coalesce(sql, '-') AS made FROM sqlite_schema WHERE"
	"  tbl_name = ?1 AND type <> 'table' ORDER BY type, name)), '')";

/* NULL: it could not be found out. */
static char *
shape_of(sqlite3_stmt *st, const char *table)
{
	char *ret = NULL;

	sqlite3_reset(st);
	sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
	if (sqlite3_step(st) == SQLITE_ROW &&
	    sqlite3_column_text(st, 0) != NULL)
		ret = xmemdup0((const char *)sqlite3_column_text(st, 0),
		    (size_t)sqlite3_column_bytes(st, 0));
	sqlite3_reset(st);
	return ret;
}

static int
compare(struct audit_verifying *v, sqlite3_stmt *names, sqlite3_stmt *want,
    sqlite3_stmt *have, bool *ret)
{
	int rc;

	while ((rc = sqlite3_step(names)) == SQLITE_ROW) {
		const char *table = (const char *)sqlite3_column_text(names,
		    0);
		AEG_AUTOFREE char *wanted = shape_of(want, table);
		AEG_AUTOFREE char *there = shape_of(have, table);

		if (wanted == NULL)
			return ERR_STORE;
		if (there != NULL && strcmp(wanted, there) == 0)
			continue;
		audit_find(v, AUDIT_FAULT_SCHEMA, 0, table, 0);
		*ret = false;
	}
	return rc == SQLITE_DONE ? 0 : ERR_STORE;
}

int
audit_shape_check(struct audit_verifying *v, bool *ret, struct err *err)
{
	sqlite3_stmt *names = NULL, *want = NULL, *have = NULL;
	sqlite3 *model = NULL;
	int rc = audit_schema_model(&model);

	*ret = true;
	if (rc == 0 && (sqlite3_prepare_v2(model, "SELECT name FROM"
	    " sqlite_schema WHERE type = 'table' AND name NOT LIKE"
	    " 'sqlite\\_%' ESCAPE '\\' ORDER BY name", -1, &names, NULL) !=
	    SQLITE_OK || sqlite3_prepare_v2(model, shape, -1, &want, NULL) !=
	    SQLITE_OK))
		rc = ERR_STORE;
	if (rc < 0)
		err_set(err, ERR_STORE, "the schema of a store cannot be "
		    "made: %s", model != NULL ? sqlite3_errmsg(model) : "");
	if (rc == 0)
		rc = audit_verify_prepare(v, shape, &have, err);
	if (rc == 0) {
		rc = compare(v, names, want, have, ret);
		if (rc < 0)
			audit_db_error(v->d, "read the schema", err);
	}
	sqlite3_finalize(names);
	sqlite3_finalize(want);
	sqlite3_finalize(have);
	sqlite3_close(model);
	return rc;
}
