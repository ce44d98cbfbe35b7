/* SPDX-License-Identifier: ISC */
/* The schema and the way from each older one to the newest. */
#include "audit_int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

/* Step N leads from schema N to N + 1; each is a file of share/schema. */
static const char *const steps[] = {
#include "audit_schema_1.inc"
#include "audit_schema_2.inc"
#include "audit_schema_3.inc"
#include "audit_schema_4.inc"
#include "audit_schema_5.inc"
#include "audit_schema_6.inc"
};
_Static_assert(AEG_NELEM(steps) == AUDIT_SCHEMA, "one step a schema");

static int
look_at_version(struct audit_db *d, int64_t *ret, struct err *err)
{
	int rc = audit_db_pragma(d, "PRAGMA user_version", ret, err);

	if (rc == 0 && (*ret < 0 || *ret > AUDIT_SCHEMA))
		rc = err_set(err, ERR_STORE, "audit store %s: has schema %"
		    PRId64 ", this aegsh knows up to %d", d->path, *ret,
		    AUDIT_SCHEMA);
	return rc;
}

/* Version 0 is an empty file or somebody else's database. */
static int
check_empty(struct audit_db *d, struct err *err)
{
	int64_t n = 0;
	int rc = audit_db_pragma(d, "SELECT count(*) FROM sqlite_schema", &n,
	    err);

	if (rc == 0 && n != 0)
		rc = err_set(err, ERR_STORE,
		    "audit store %s: is some other database", d->path);
	return rc;
}

/* Stores of schema 1 were made with and without this column. */
#define INTERPRETER "ALTER TABLE commands ADD COLUMN interpreter TEXT"

static int
add_interpreter(struct audit_db *d, struct err *err)
{
	int64_t there = 0;
	int rc = audit_db_pragma(d, "SELECT count(*) FROM"
	    " pragma_table_info('commands') WHERE name = 'interpreter'",
	    &there, err);

	return rc < 0 || there != 0 ? rc : audit_db_exec(d, INTERPRETER, err);
}

int
audit_schema_model(sqlite3 **ret)
{
	size_t i;
	int rc = sqlite3_open_v2(":memory:", ret, SQLITE_OPEN_READWRITE |
	    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);

	for (i = 0; rc == SQLITE_OK && i < AEG_NELEM(steps); i++) {
		if (i == 1)
			rc = sqlite3_exec(*ret, INTERPRETER, NULL, NULL,
			    NULL);
		if (rc == SQLITE_OK)
			rc = sqlite3_exec(*ret, steps[i], NULL, NULL, NULL);
	}
	return rc == SQLITE_OK ? 0 : ERR_STORE;
}

static int
step(struct audit_db *d, int64_t from, struct err *err)
{
	int rc = from == 1 ? add_interpreter(d, err) : 0;

	return rc < 0 ? rc : audit_db_exec(d, steps[from], err);
}

static int
climb(struct audit_db *d, struct err *err)
{
	char pragma[80];
	int64_t from = 0;
	int rc;

	rc = audit_db_exec(d, "BEGIN IMMEDIATE", err);
	if (rc == 0)
		rc = look_at_version(d, &from, err);
	if (rc == 0 && from == 0)
		rc = check_empty(d, err);
	for (; rc == 0 && from < AUDIT_SCHEMA; from++)
		rc = step(d, from, err);
	snprintf(pragma, sizeof pragma,
	    "PRAGMA user_version = %d; PRAGMA application_id = %d",
	    AUDIT_SCHEMA, AUDIT_APPLICATION);
	if (rc == 0)
		rc = audit_db_exec(d, pragma, err);
	if (rc == 0)
		rc = audit_db_exec(d, "COMMIT", err);
	audit_db_rollback(d);
	return rc;
}

/*
 * The journal's kind is a property of the file.  sqlite, changing it, gives up
 * at once where another has the lock that it then needs: who looks for what a
 * killed writer left of a new file, or who still reads the log that shall go.
 */
static int
set_journal(struct audit_db *d, struct err *err)
{
	const char *sql = d->journal == AUDIT_JOURNAL_WAL ?
	    "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE";
	int64_t since = clock_mono_ns();
	const struct timespec pause = { 0, 1000 * 1000 };
	int rc;

	while (((rc = sqlite3_exec(d->db, sql, NULL, NULL, NULL)) & 0xff) ==
	    SQLITE_BUSY && clock_mono_ns() - since <= d->busy_ns)
		nanosleep(&pause, NULL);
	return rc == SQLITE_OK ? 0 : audit_db_error(d, "set up", err);
}

/* One at a time. */
static int
bring_forward(struct audit_db *d, struct err *err)
{
	AEG_AUTOFD int lock = openat(d->dir, ".",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc;

	while (lock >= 0 && flock(lock, LOCK_EX) < 0) {
		if (errno != EINTR)
			break;	/* not had everywhere */
	}
	rc = set_journal(d, err);
	if (rc == 0)
		rc = climb(d, err);
	return rc;
}

int
audit_schema_check(struct audit_db *d, struct err *err)
{
	int64_t version = 0;
	int rc = look_at_version(d, &version, err);

	if (rc < 0)
		return rc;
	if (version < AUDIT_SCHEMA && d->readonly)
		return version == 0 ? err_set(err, -ENOENT,
		    "audit store %s: nothing is recorded yet", d->path) :
		    err_set(err, AUDIT_OLD, "audit store %s: has schema %"
		    PRId64 "; the next recorded line brings it to %d",
		    d->path, version, AUDIT_SCHEMA);
	if (version < AUDIT_SCHEMA || (d->journal != AUDIT_JOURNAL_WAL &&
	    !d->readonly))
		rc = bring_forward(d, err);
	return rc;
}
