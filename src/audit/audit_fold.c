/* SPDX-License-Identifier: ISC */
/*
 * From the spool into the store.  How far it got stands in the store, in
 * the same transaction as the rows: whoever folds next goes on from there,
 * and no record is taken twice or left out, wherever a process ends.
 */
#include "audit_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"

struct folding {
	struct audit_db *db;
	unsigned char uuid[UUID_LEN];	/* the session, and its row */
	int64_t session;
};

/* The first column of the one row, or 0. */
static int
find(struct audit_db *d, sqlite3_stmt *st, int64_t *ret, struct err *err)
{
	int rc = sqlite3_step(st);

	*ret = rc == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		audit_db_error(d, "read", err);
	sqlite3_reset(st);
	sqlite3_clear_bindings(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : ERR_STORE;
}

static int
find_session(struct folding *f, const unsigned char *uuid, struct err *err)
{
	sqlite3_stmt *st;

	if (f->session != 0 && memcmp(f->uuid, uuid, sizeof f->uuid) == 0)
		return 0;
	st = audit_db_stmt(f->db, AUDIT_FIND_SESSION, err);
	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_blob(st, 1, uuid, UUID_LEN, SQLITE_STATIC);
	memcpy(f->uuid, uuid, sizeof f->uuid);
	return find(f->db, st, &f->session, err);
}

static int
event(struct folding *f, const char *kind, const char *text, struct err *err)
{
	return audit_row_event(f->db, f->session, kind, text,
	    clock_wall_ns(), clock_mono_ns(), err);
}

/* The line that the item is of, or 0. */
static int
find_command(struct folding *f, const struct audit_item *item, int64_t *ret,
    struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(f->db, AUDIT_FIND_COMMAND, err);

	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_int64(st, 1, f->session);
	sqlite3_bind_blob(st, 2, item->uuid, UUID_LEN, SQLITE_STATIC);
	return find(f->db, st, ret, err);
}

static int
take_outcome(struct folding *f, const struct audit_item *item,
    struct err *err)
{
	char uuid[UUID_TEXT], text[80];
	int64_t row;
	int rc = find_command(f, item, &row, err);

	if (rc == 0 && row != 0)
		rc = audit_row_outcome(f->db, row, &item->outcome, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	uuid_text(item->uuid, uuid);
	snprintf(text, sizeof text, "command %s, status %d", uuid,
	    item->outcome.status);
	return event(f, "outcome-without-row", text, err);
}

/* One without a line is of no use: its path alone says nothing. */
static int
take_exec(struct folding *f, const struct audit_item *item, struct err *err)
{
	int64_t row;
	int rc = find_command(f, item, &row, err);

	if (rc < 0)
		return rc;
	return row != 0 ? audit_row_exec(f->db, row, &item->exec, err) :
	    event(f, "exec-without-row", item->exec.path, err);
}

static int
take_output(struct folding *f, const struct audit_item *item,
    struct err *err)
{
	char uuid[UUID_TEXT];
	int64_t row;
	int rc = find_command(f, item, &row, err);

	if (rc < 0)
		return rc;
	if (row != 0)
		return audit_row_output(f->db, row, &item->output, err);
	uuid_text(item->uuid, uuid);
	return event(f, "output-without-row", uuid, err);
}

/* It comes when its line is over, too. */
static int
take_file(struct folding *f, const struct audit_item *item, struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(f->db, AUDIT_FIND_RECENT, err);
	int64_t row;
	int rc;

	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_int64(st, 1, f->session);
	sqlite3_bind_blob(st, 2, item->uuid, UUID_LEN, SQLITE_STATIC);
	rc = find(f->db, st, &row, err);
	if (rc < 0)
		return rc;
	return row != 0 ? audit_row_file(f->db, row, &item->file, err) :
	    event(f, "file-without-row", item->file.path, err);
}

/* A row of a session that nobody began: somebody wrote into the spool. */
static int
take_command(struct folding *f, const struct audit_item *item,
    struct err *err)
{
	int64_t row;

	if (f->session == 0)
		return event(f, "command-without-session", NULL, err);
	return audit_row_command(f->db, f->session, &item->command, &row, err);
}

static int
take_item(struct folding *f, const struct audit_item *item, struct err *err)
{
	switch (item->kind) {
	case AUDIT_ITEM_BEGUN:
		memcpy(f->uuid, item->begun.uuid, sizeof f->uuid);
		return audit_row_session(f->db, &item->begun, &f->session,
		    err);
	case AUDIT_ITEM_COMMAND:
		return take_command(f, item, err);
	case AUDIT_ITEM_OUTCOME:
		return take_outcome(f, item, err);
	case AUDIT_ITEM_EXEC:
		return take_exec(f, item, err);
	case AUDIT_ITEM_OUTPUT:
		return take_output(f, item, err);
	case AUDIT_ITEM_FILE:
		return take_file(f, item, err);
	case AUDIT_ITEM_NOTE:
		return audit_row_event(f->db, f->session, item->name,
		    item->text, item->wall_ns, item->mono_ns, err);
	case AUDIT_ITEM_ENDED:
		return audit_row_end(f->db, f->session, item->wall_ns,
		    item->mono_ns, err);
	case AUDIT_ITEM_MORE:	/* was joined to what it is of */
	case AUDIT_ITEM_BAD:
		return event(f, "spool-unreadable", "an item of a record",
		    err);
	case AUDIT_ITEM_END:
		return 0;
	}
	return 0;
}

static int
take_record(struct folding *f, const struct buf *record, struct err *err)
{
	unsigned char session[UUID_LEN];
	struct pack_reader items;
	struct audit_item item;
	int rc;

	if (!audit_items_start(&items, record, session))
		return event(f, "spool-unreadable", "a record", err);
	rc = find_session(f, session, err);
	do {
		audit_items_next(&items, &item);
		if (rc == 0)
			rc = take_item(f, &item, err);
	} while (rc == 0 && item.kind != AUDIT_ITEM_END &&
	    item.kind != AUDIT_ITEM_BAD);
	return rc;
}

int
audit_fold_record(struct audit_db *d, const struct buf *record,
    int64_t *ret_session, struct err *err)
{
	struct folding f = { .db = d };
	int rc = take_record(&f, record, err);

	if (rc == 0)
		*ret_session = f.session;
	return rc;
}

/* ---- whether a record was taken in -------------------------------------- */

/* A record is in the store as a whole or not at all: one of its items tells.
 * ?1 the uuid, ?2 the number, ?3 and ?4 the times, ?5 the kind. */
#define LATELY(table) "(SELECT max(id) FROM " table ") - 100000"
static const char *const traces[] = {
	[AUDIT_ITEM_BEGUN] = "SELECT 1 FROM sessions WHERE uuid = ?1 AND (?2"
	    " > 0 OR id > " LATELY("sessions") ")",
	[AUDIT_ITEM_COMMAND] = "SELECT 1 FROM commands WHERE uuid = ?1 AND id"
	    " > CASE WHEN ?2 > 0 THEN ?2 ELSE " LATELY("commands") " END",
	/* One whose line is not open any more. */
	[AUDIT_ITEM_OUTCOME] = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM"
	    " commands WHERE uuid = ?1 AND ran = 1 AND status IS NULL)",
	[AUDIT_ITEM_ENDED] = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM"
	    " sessions WHERE uuid = ?1 AND end_wall_ns IS NULL)",
	[AUDIT_ITEM_NOTE] = "SELECT 1 FROM events WHERE wall_ns = ?3 AND"
	    " mono_ns = ?4 AND kind = ?5",
	[AUDIT_ITEM_EXEC] = "SELECT 1 FROM execs WHERE wall_ns = ?3 AND"
	    " mono_ns = ?4 AND pid = ?2",
	[AUDIT_ITEM_OUTPUT] = "SELECT 1 FROM outputs WHERE command IN (SELECT"
	    " id FROM commands WHERE uuid = ?1)",
	[AUDIT_ITEM_FILE] = "SELECT 1 FROM files WHERE wall_ns = ?3 AND"
	    " mono_ns = ?4",
	[AUDIT_ITEM_BAD] = NULL,
};

/* When what it tells of was; of an outcome and its like, when it was told. */
static void
time_of(const struct audit_item *item, int64_t *ret_wall, int64_t *ret_mono)
{
	*ret_wall = item->kind == AUDIT_ITEM_EXEC ? item->exec.wall_ns :
	    item->kind == AUDIT_ITEM_FILE ? item->file.wall_ns :
	    item->wall_ns;
	*ret_mono = item->kind == AUDIT_ITEM_EXEC ? item->exec.mono_ns :
	    item->kind == AUDIT_ITEM_FILE ? item->file.mono_ns :
	    item->mono_ns;
}

static int
has_trace(struct audit_db *d, const struct audit_item *item,
    const unsigned char *session, int64_t after, bool *ret, struct err *err)
{
	const unsigned char *uuid = item->kind == AUDIT_ITEM_COMMAND ?
	    item->command.uuid : item->kind == AUDIT_ITEM_OUTCOME ||
	    item->kind == AUDIT_ITEM_OUTPUT ? item->uuid : session;
	bool exec = item->kind == AUDIT_ITEM_EXEC;
	int64_t wall_ns, mono_ns;
	sqlite3_stmt *st = NULL;
	int rc;

	if (sqlite3_prepare_v2(d->db, traces[item->kind], -1, &st, NULL) !=
	    SQLITE_OK)
		return audit_db_error(d, "prepare", err);
	sqlite3_bind_blob(st, 1, uuid, UUID_LEN, SQLITE_STATIC);
	sqlite3_bind_int64(st, 2, exec ? item->exec.pid : after);
	time_of(item, &wall_ns, &mono_ns);
	sqlite3_bind_int64(st, 3, wall_ns);
	sqlite3_bind_int64(st, 4, mono_ns);
	audit_bind_text(st, 5, item->name);
	rc = sqlite3_step(st);
	*ret = rc == SQLITE_ROW;
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		audit_db_error(d, "read", err);
	sqlite3_finalize(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : ERR_STORE;
}

int
audit_fold_has(struct audit_db *d, const struct buf *record, int64_t after,
    bool *ret, struct err *err)
{
	unsigned char session[UUID_LEN];
	struct audit_item item, telling = { .kind = AUDIT_ITEM_END };
	struct pack_reader items;

	*ret = false;
	if (!audit_items_start(&items, record, session))
		return 0;
	/* The kinds are in the order in which they tell most. */
	do {
		audit_items_next(&items, &item);
		if (traces[item.kind] != NULL && (telling.kind ==
		    AUDIT_ITEM_END || item.kind < telling.kind))
			telling = item;
	} while (item.kind != AUDIT_ITEM_END && item.kind != AUDIT_ITEM_BAD);
	return telling.kind == AUDIT_ITEM_END ? 0 :
	    has_trace(d, &telling, session, after, ret, err);
}

/* ---- the spool ----------------------------------------------------------- */

int
audit_fold_mark(struct audit_db *d, struct audit_mark *ret, struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(d, AUDIT_SPOOL_AT, err);
	struct audit_mark at = { 0, 1 };
	int rc;

	if (st == NULL)
		return ERR_STORE;
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW && sqlite3_column_bytes(st, 0) == sizeof at.id) {
		memcpy(&at.id, sqlite3_column_blob(st, 0), sizeof at.id);
		at.slot = (uint32_t)sqlite3_column_int64(st, 1);
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		audit_db_error(d, "read", err);
	sqlite3_reset(st);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return ERR_STORE;
	*ret = at;
	return 0;
}

static int
write_mark(struct audit_db *d, const struct audit_mark *at, struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(d, AUDIT_SPOOL_FORGET, err);
	int rc = st != NULL ? audit_db_step(d, st, err) : ERR_STORE;

	st = rc == 0 ? audit_db_stmt(d, AUDIT_SPOOL_REACHED, err) : NULL;
	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_blob(st, 1, &at->id, sizeof at->id, SQLITE_STATIC);
	sqlite3_bind_int64(st, 2, at->slot);
	return audit_db_step(d, st, err);
}

int
audit_fold(struct audit_db *d, struct audit_spool *s, struct err *err)
{
	AEG_AUTO(buf_done) struct buf record = BUF_INIT_MAX(AUDIT_RECORD_MAX +
	    AUDIT_SLOT);
	struct folding f = { .db = d };
	struct audit_mark from = { 0, 1 }, end = { 0, 1 };
	uint32_t slot, gaps = 0;
	char text[64];
	int rc;

	rc = audit_fold_mark(d, &from, err);
	if (rc == 0)
		rc = audit_spool_end(s, &end, err);
	if (rc < 0)
		return rc;
	slot = from.id == end.id && from.slot > 0 ? from.slot : 1;
	s->folded = (struct audit_mark){ end.id, slot };
	if (slot >= end.slot)
		return 0;
	while (rc == 0 && audit_spool_next(s, &end, &slot, &record, &gaps)) {
		bool there = false;

		if (s->twice)
			rc = audit_fold_has(d, &record, 0, &there, err);
		if (rc == 0 && !there)
			rc = take_record(&f, &record, err);
	}
	if (rc == 0 && gaps > 0) {
		snprintf(text, sizeof text, "%" PRIu32 " slots", gaps);
		f.session = 0;
		rc = event(&f, "spool-unreadable", text, err);
	}
	if (rc == 0)
		rc = write_mark(d, &end, err);
	if (rc < 0)
		return rc;
	s->folded = end;
	return 1;
}
