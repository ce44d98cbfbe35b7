/* SPDX-License-Identifier: ISC */
/*
 * The files of what lines wrote, beside their rows: whether each part is what
 * its row has the hash of.
 */
#include "audit_verify_int.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/cast.h"
#include "aegsh/cast_files.h"

int
audit_output_check(struct audit_verifying *v, struct err *err)
{
	AEG_AUTOFREE char *store = audit_db_place(v->d);
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
