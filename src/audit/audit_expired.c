/* SPDX-License-Identifier: ISC */
/*
 * Rows that may be missing, since they were kept for a shorter time than
 * lines are: by an event of a deletion, where the chain has that event, and
 * as far as they were chained before it.
 */
#include "audit_verify_int.h"

/* Of those that belong to no session, as a deletion writes them: the one that
 * goes furthest.  Whether the chain has it shows when its link is read. */
int
audit_expired(struct audit_verifying *v, struct err *err)
{
	int i, rc = 0;

	for (i = 0; i < AUDIT_TABLE_COUNT && rc == 0; i++) {
		const char *kind = audit_expire_event((enum audit_table)i);
		struct audit_cursor *c = &v->tables[i];
		sqlite3_stmt *st = NULL;

		if (kind == NULL)
			continue;
		rc = audit_verify_prepare(v, "SELECT CAST(text AS INTEGER) AS"
		    " n, id FROM events WHERE kind = ? AND session IS NULL AND"
		    " writer = '" AUDIT_WRITER "' ORDER BY n DESC, id LIMIT 1",
		    &st, err);
		if (rc < 0)
			return rc;
		audit_bind_text(st, 1, kind);
		rc = sqlite3_step(st);
		if (rc == SQLITE_ROW) {
			c->expired.up_to = sqlite3_column_int64(st, 0);
			c->expired.event = sqlite3_column_int64(st, 1);
		}
		rc = rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 :
		    audit_db_error(v->d, "read", err);
		sqlite3_finalize(st);
	}
	return rc;
}

/* Not behind the deletion: nothing that came after it went by it. */
bool
audit_expired_has(struct audit_verifying *v, enum audit_table table,
    int64_t seq, int64_t row)
{
	struct audit_cursor *c = &v->tables[table];

	if (row > c->expired.up_to || c->expired.chained)
		return false;
	if (c->expired.seq == 0) {
		c->expired.seq = seq;
		c->expired.row = row;
	}
	return true;
}

void
audit_expired_event(struct audit_verifying *v, int64_t event)
{
	int i;

	for (i = 0; i < AUDIT_TABLE_COUNT; i++) {
		struct audit_cursor *c = &v->tables[i];

		c->expired.chained |= c->expired.event == event;
	}
}

void
audit_expired_rest(struct audit_verifying *v)
{
	int i;

	for (i = 0; i < AUDIT_TABLE_COUNT; i++) {
		const struct audit_cursor *c = &v->tables[i];

		if (c->expired.seq != 0 && !c->expired.chained)
			audit_find(v, AUDIT_FAULT_MISSING, c->expired.seq,
			    c->name, c->expired.row);
	}
}
