/* SPDX-License-Identifier: ISC */
/* What the files of audit share. */
#ifndef AEGSH_AUDIT_INT_H
#define AEGSH_AUDIT_INT_H

#include <sqlite3.h>

#include "aegsh/audit.h"

#define AUDIT_FILE "audit.db"
#define AUDIT_APPLICATION 0x61656773	/* "aegs", in the file's header */
#define AUDIT_WRITER "stand-alone"
/* How long a writer waits for the others before it gives up. */
#define AUDIT_BUSY_NS (INT64_C(10) * 1000 * 1000 * 1000)
/* Records held back, when the store cannot take them. */
#define AUDIT_KEPT_MAX 4096
#define AUDIT_KEPT_BYTES ((size_t)4 * 1024 * 1024)
/*
 * Pages in the write-ahead log: the last to close leaves that many for the
 * next start to read, which is cheaper than the four syncs of a fresh log;
 * a flush moves more than so many into the database; an intent does it
 * only when nobody else came round to it.
 */
#define AUDIT_LOG_LEAVE 64
#define AUDIT_LOG_FLUSH 250
#define AUDIT_LOG_MAX 4000
#define AUDIT_UUID_LEN 16
#define AUDIT_SHA256_LEN 32

enum audit_journal { AUDIT_JOURNAL_DELETE = 0, AUDIT_JOURNAL_WAL };

/* ---- audit_place.c ----------------------------------------------------- */

/* A store directory of uid alone; an O_PATH descriptor. */
int audit_open_dir(const char *path, uid_t uid, int *ret_fd, struct err *err);

/* ---- audit_db.c: one connection ---------------------------------------- */

enum audit_stmt {
	AUDIT_BEGIN, AUDIT_COMMIT, AUDIT_ROLLBACK,
	AUDIT_ADD_SESSION, AUDIT_END_SESSION, AUDIT_ADD_COMMAND,
	AUDIT_END_COMMAND, AUDIT_ADD_EVENT,
	AUDIT_STMT_COUNT
};

struct audit_db {
	char *path;		/* no symbolic link in it */
	int dir;		/* O_PATH */
	bool readonly, ready;
	enum audit_journal journal;
	int sync;		/* as last set: 1 NORMAL, 2 FULL, 0 not yet */
	int64_t busy_ns, busy_since;	/* how long to wait; since when */
	int log_pages;		/* after the last commit */
	sqlite3 *db;
	sqlite3_stmt *stmts[AUDIT_STMT_COUNT];
};

/* Checks directory and file and remembers the place; the file is opened by
 * audit_db_ready().  -ENOENT: readonly and there is none. */
int audit_db_init(struct audit_db *d, const char *dir, bool readonly,
	struct err *err);
void audit_db_done(struct audit_db *d);
int audit_db_ready(struct audit_db *d, struct err *err);
/* Start a transaction that others wait for; full: durable once committed. */
int audit_db_begin(struct audit_db *d, bool full, struct err *err);
int audit_db_commit(struct audit_db *d, struct err *err);
void audit_db_rollback(struct audit_db *d);
/* Between transactions: keep the write-ahead log short. */
void audit_db_tidy(struct audit_db *d, int most_pages);
/* A reset statement, prepared when it is first asked for; NULL: err. */
sqlite3_stmt *audit_db_stmt(struct audit_db *d, enum audit_stmt which,
	struct err *err);
/* Run a bound statement that gives no rows. */
int audit_db_step(struct audit_db *d, sqlite3_stmt *st, struct err *err);
/* ERR_STORE with the store's path, what was done and sqlite's reason. */
int audit_db_error(struct audit_db *d, const char *what, struct err *err);
void audit_bind_text(sqlite3_stmt *st, int place, const char *text);
/* Which journal a file system of this statfs(2) type can be trusted with. */
enum audit_journal audit_journal_for(uint64_t f_type);

/* Statements without parameters and rows, as text. */
int audit_db_exec(struct audit_db *d, const char *sql, struct err *err);
int audit_db_pragma(struct audit_db *d, const char *sql, int64_t *ret,
	struct err *err);

struct audit_db *audit_db_of(struct audit *a);	/* audit.c; borrowed */

/* ---- audit_schema.c ---------------------------------------------------- */

#define AUDIT_SCHEMA 1		/* the newest */

/* Bring the open database to AUDIT_SCHEMA; refuse what is not a store. */
int audit_schema_check(struct audit_db *d, struct err *err);

/* ---- audit_kept.c: records held back ----------------------------------- */

enum audit_kept_kind { AUDIT_KEPT_OUTCOME, AUDIT_KEPT_BUILTIN,
	AUDIT_KEPT_NOTE };

struct audit_kept {
	struct audit_kept *next;
	enum audit_kept_kind kind;
	int64_t wall_ns, mono_ns;
	int64_t id;			/* outcome: its row */
	struct audit_outcome outcome;	/* outcome, builtin */
	struct audit_event event;	/* builtin */
	const char *name, *text;	/* note */
	size_t bytes;
};

struct audit_queue {
	struct audit_kept *first, **last;
	size_t n, bytes;
	uint64_t lost;		/* that did not fit */
};

void audit_queue_init(struct audit_queue *q);
void audit_queue_clear(struct audit_queue *q);
void audit_queue_outcome(struct audit_queue *q, int64_t id,
	const struct audit_outcome *o);
void audit_queue_builtin(struct audit_queue *q, const struct audit_event *ev,
	int status);
void audit_queue_note(struct audit_queue *q, const char *kind,
	const char *text);

/* ---- audit_id.c -------------------------------------------------------- */

void audit_uuid(unsigned char ret[AUDIT_UUID_LEN]);	/* version 4 */
void audit_uuid_text(const unsigned char *uuid, char ret[37]);
/* The kernel's boot id, "" when it cannot be read. */
void audit_boot_id(char ret[40]);
void audit_sha256(const void *p, size_t len,
	unsigned char ret[AUDIT_SHA256_LEN]);

#endif
