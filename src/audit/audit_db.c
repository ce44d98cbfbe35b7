/* SPDX-License-Identifier: ISC */
/*
 * One connection to the store: opened when it is first needed, waiting for
 * other writers, never following a symbolic link, and without any of
 * sqlite's powers that a store altered by its user could turn on a reader.
 */
#include "audit_chain_int.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define VALUE_MAX (16 * 1024 * 1024)	/* bytes of one value or row */

/* Those that are NULL read a row of a table, as the chain has it. */
static const char *const texts[AUDIT_STMT_COUNT] = {
	[AUDIT_BEGIN] = "BEGIN IMMEDIATE",
	[AUDIT_COMMIT] = "COMMIT",
	[AUDIT_ROLLBACK] = "ROLLBACK",
	[AUDIT_ADD_SESSION] =
	    "INSERT INTO sessions (uuid, writer, boot_id, start_wall_ns,"
	    " start_mono_ns, pid, uid, loginuid, user, tty, remote, origin,"
	    " host, version, profile, policy_hash, remote_port) VALUES (?, '"
	    AUDIT_WRITER "', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[AUDIT_END_SESSION] =
	    "UPDATE sessions SET end_wall_ns = ?, end_mono_ns = ?"
	    " WHERE id = ?",
	[AUDIT_ADD_COMMAND] =
	    "INSERT INTO commands (session, uuid, writer, wall_ns, mono_ns,"
	    " line, sha256, cwd, origin, decision, source, rule, reason,"
	    " model, answer, confidence, latency_ns, ran, status,"
	    " interpreter, redacted, argv, votes, answered_by, tokens_in,"
	    " tokens_out, cost, judge_ns) VALUES (?, ?, '" AUDIT_WRITER "',"
	    " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
	    " ?, ?, ?, ?, ?)",
	[AUDIT_END_COMMAND] =
	    "UPDATE commands SET status = ?, signal = ?, duration_ns = ?,"
	    " cpu_ns = ?, maxrss_kib = ?, note = ?, start_ns = ?"
	    " WHERE id = ? AND ran = 1 AND status IS NULL",
	[AUDIT_ADD_EVENT] =
	    "INSERT INTO events (session, writer, wall_ns, mono_ns, kind,"
	    " text) VALUES (?, '" AUDIT_WRITER "', ?, ?, ?, ?)",
	[AUDIT_ADD_EXEC] =
	    "INSERT INTO execs (command, writer, wall_ns, mono_ns, pid, ppid,"
	    " path, argv, decision) VALUES (?, '" AUDIT_WRITER
	    "', ?, ?, ?, ?, ?, ?, ?)",
	[AUDIT_ADD_OUTPUT] =
	    "INSERT INTO outputs (command, writer, stream, head, tail, bytes,"
	    " cut, kept, redacted, file_offset, file_length, file_sha256)"
	    " VALUES (?, '" AUDIT_WRITER "', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[AUDIT_ADD_FILE] =
	    "INSERT INTO files (command, writer, wall_ns, mono_ns, path,"
	    " change, old_sha256, new_sha256) VALUES (?, '" AUDIT_WRITER
	    "', ?, ?, ?, ?, ?, ?)",
	/* Also one that is over; few stand between it and the newest. */
	[AUDIT_FIND_RECENT] =
	    "SELECT id FROM commands WHERE session = ?1 AND uuid = ?2 AND"
	    " id > (SELECT max(id) FROM commands) - 100000"
	    " ORDER BY id DESC LIMIT 1",
	[AUDIT_FIND_SESSION] =
	    "SELECT id FROM sessions WHERE uuid = ? AND end_wall_ns IS NULL"
	    " ORDER BY id DESC LIMIT 1",
	[AUDIT_FIND_COMMAND] =
	    "SELECT id FROM commands WHERE session = ? AND uuid = ? AND"
	    " ran = 1 AND status IS NULL",
	[AUDIT_SPOOL_AT] = "SELECT id, slot FROM spool",
	[AUDIT_SPOOL_FORGET] = "DELETE FROM spool",
	[AUDIT_CHAIN_ORIGIN] =
	    "SELECT store, sessions, commands, events FROM origin",
	[AUDIT_CHAIN_LAST] =
	    "SELECT seq, link FROM chain ORDER BY seq DESC LIMIT 1",
	[AUDIT_CHAIN_STONE] =
	    "SELECT seq, link FROM tombstones ORDER BY id DESC LIMIT 1",
	[AUDIT_CHAIN_ADD] =
	    "INSERT INTO chain (seq, kind, row, link) VALUES (?, ?, ?, ?)",
	[AUDIT_NEWEST_LINE] = "SELECT coalesce(max(id), 0) FROM commands",
	[AUDIT_CHAIN_LINKS] =
	    "SELECT link FROM chain WHERE seq > ? ORDER BY seq",
	[AUDIT_HEAD_LAST] =
	    "SELECT seq, link FROM heads ORDER BY seq DESC LIMIT 1",
	[AUDIT_HEAD_ADD] =
	    "INSERT INTO heads (wall_ns, seq, link, root) VALUES"
	    " (?, ?, ?, ?)",
	[AUDIT_SPOOL_REACHED] = "INSERT INTO spool (id, slot) VALUES (?, ?)",
};

/* Network file systems and those whose locks and shared memory are not
 * known to be coherent; statfs(2), and sqlite's page on WAL. */
enum audit_journal
audit_journal_for(uint64_t f_type)
{
	static const uint64_t without_wal[] = {
		NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, CIFS_SUPER_MAGIC,
		SMB2_SUPER_MAGIC, CODA_SUPER_MAGIC, AFS_SUPER_MAGIC,
		AFS_FS_MAGIC, V9FS_MAGIC, FUSE_SUPER_MAGIC, CEPH_SUPER_MAGIC,
		OCFS2_SUPER_MAGIC,
		0x564c,		/* NCP */
		0x0bd00bd0,	/* Lustre */
		0x47504653,	/* GPFS */
		0x01161970,	/* GFS2 */
		0x786f4256,	/* VirtualBox shared folders */
		0x19830326,	/* BeeGFS */
		0xaad7aaea,	/* PanFS */
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(without_wal); i++) {
		if (f_type == without_wal[i])
			return AUDIT_JOURNAL_DELETE;
	}
	return AUDIT_JOURNAL_WAL;
}

int
audit_db_error(struct audit_db *d, const char *what, struct err *err)
{
	int number = sqlite3_system_errno(d->db);
	int code = sqlite3_errcode(d->db) & 0xff;
	bool system = code == SQLITE_IOERR || code == SQLITE_CANTOPEN;

	/* check_file() has seen that owner and mode allow it. */
	if (system && number == EACCES)
		return err_set(err, AUDIT_KEPT, "audit store %s: %s: kept from "
		    "this process by a sandbox, as from each line of aegsh: "
		    AUDIT_LOOK, d->path, what);
	/* Somebody was killed, and a reader cannot clear up. */
	return err_set(err, d->readonly && code == SQLITE_READONLY ?
	    AUDIT_OLD : ERR_STORE, "audit store %s: %s: %s%s%s", d->path, what,
	    sqlite3_errmsg(d->db), system && number != 0 ? ": " : "",
	    system && number != 0 ? strerror(number) : "");
}

static int
make_file(struct audit_db *d, struct err *err)
{
	AEG_AUTOFD int fd = openat(d->dir, AUDIT_FILE,
	    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 && errno != EEXIST)
		return err_sys(err, errno, "audit store %s", d->path);
	return 0;
}

/*
 * O_PATH: closing any other descriptor of the file would take away the
 * locks that another connection of this process holds on it (fcntl(2)).
 */
static int
check_file(struct audit_db *d, struct err *err)
{
	AEG_AUTOFD int fd = openat(d->dir, AUDIT_FILE,
	    O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, errno, "audit store %s", d->path);
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1 ||
	    st.st_uid != geteuid() || (st.st_mode & 077) != 0)
		return err_set(err, ERR_TRUST, "audit store %s: must be a "
		    "regular file with one name, owned by uid %lu, mode 0600",
		    d->path, (unsigned long)geteuid());
	if (faccessat(d->dir, AUDIT_FILE, d->readonly ? R_OK : R_OK | W_OK,
	    AT_EACCESS) < 0)
		return err_sys(err, errno, "audit store %s", d->path);
	return 0;
}

int
audit_db_init(struct audit_db *d, const char *dir, bool readonly,
    struct err *err)
{
	struct statfs fs;
	int rc;

	*d = (struct audit_db){ .dir = -1, .readonly = readonly,
		.busy_ns = AUDIT_BUSY_NS };
	rc = audit_open_dir(dir, geteuid(), &d->dir, err);
	if (rc < 0)
		return rc;
	d->path = xasprintf("%s/" AUDIT_FILE, dir);
	if (fstatfs(d->dir, &fs) < 0)
		rc = err_sys(err, errno, "audit store %s: statfs", d->path);
	else
		d->journal = audit_journal_for((uint64_t)fs.f_type &
		    UINT32_MAX);
	if (rc == 0)
		rc = check_file(d, err);
	if (rc == -ENOENT && !readonly)
		rc = 0;
	if (rc < 0)
		audit_db_done(d);
	return rc;
}

void
audit_db_close(struct audit_db *d)
{
	int i;

	/* Short runs never open it, nor touch sqlite's pages. */
	if (d->db == NULL)
		return;
	sqlite3_db_config(d->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
	    d->log_pages <= AUDIT_LOG_LEAVE, NULL);
	for (i = 0; i < AUDIT_STMT_COUNT; i++) {
		sqlite3_finalize(d->stmts[i]);
		d->stmts[i] = NULL;
	}
	sqlite3_close(d->db);
	d->db = NULL;
	d->ready = false;
	d->sync = 0;
	d->tail.known = false;
}

char *
audit_db_place(const struct audit_db *d)
{
	const char *end = strrchr(d->path, '/');

	return xmemdup0(d->path, end != NULL ? (size_t)(end - d->path) : 0);
}

void
audit_db_done(struct audit_db *d)
{
	audit_db_close(d);
	free(d->path);
	d->path = NULL;
	io_close(&d->dir);
}

/* Wait a little, more each time, until busy_ns are gone. */
static int
on_busy(void *ctx, int count)
{
	struct audit_db *d = ctx;
	int64_t now = clock_mono_ns();
	struct timespec pause = { 0, 0 };

	if (count == 0)
		d->busy_since = now;
	if (now - d->busy_since > d->busy_ns)
		return 0;
	/* The odd part keeps waiters from waking up together. */
	pause.tv_nsec = (count < 20 ? count + 1 : 20) * 250 * 1000L +
	    (long)(now % 250) * 1000L;
	nanosleep(&pause, NULL);
	return 1;
}

static int
on_log(void *ctx, sqlite3 *db, const char *name, int pages)
{
	struct audit_db *d = ctx;

	d->log_pages = pages;
	return SQLITE_OK;
}

void
audit_db_tidy(struct audit_db *d, int most_pages)
{
	/* Failing, or finding another at it, costs nothing but length. */
	if (d->db != NULL && d->log_pages > most_pages)
		sqlite3_wal_checkpoint_v2(d->db, "main",
		    SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

static int
harden(sqlite3 *db)
{
	int rc = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0,
		    NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0,
		    NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0,
		    NULL);
	/* Who reads is let write nowhere but to the store: what a count of
	 * millions of rows sets aside has no file to go to. */
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "PRAGMA temp_store = MEMORY", NULL, NULL,
		    NULL);
	if (rc == SQLITE_OK)
		rc = audit_math_refuse(db);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	return rc;
}

/* sqlite takes no descriptor; a path without links, whose directories were
 * checked, is the next best thing. */
static void
find_real_path(struct audit_db *d)
{
	char proc[64], real[PATH_MAX];
	ssize_t n;

	snprintf(proc, sizeof proc, "/proc/self/fd/%d", d->dir);
	n = readlink(proc, real, sizeof real - 1);
	if (n <= 0)
		return;
	real[n] = '\0';
	free(d->path);
	d->path = xasprintf("%s/" AUDIT_FILE, real);
}

int
audit_db_ready(struct audit_db *d, struct err *err)
{
	int flags = SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX |
	    SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
	int rc;

	if (d->ready)
		return 0;
	find_real_path(d);
	rc = d->readonly ? 0 : make_file(d, err);
	if (rc == 0)
		rc = check_file(d, err);
	if (rc < 0)
		return rc;
	rc = sqlite3_open_v2(d->path, &d->db, flags | (d->readonly ?
	    SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE), NULL);
	if (d->db == NULL)
		abort();	/* no memory, as xmalloc() has it */
	if (rc == SQLITE_OK)
		rc = harden(d->db);
	if (rc == SQLITE_OK)
		rc = sqlite3_busy_handler(d->db, on_busy, d);
	sqlite3_wal_hook(d->db, on_log, d);
	rc = rc == SQLITE_OK ? audit_schema_check(d, err) :
	    audit_db_error(d, "open", err);
	if (rc < 0) {
		audit_db_close(d);
		return rc;
	}
	d->ready = true;
	return 0;
}

int
audit_db_copy(struct audit_db *d, struct err *err)
{
	sqlite3_backup *backup;
	sqlite3 *copy = NULL;
	struct stat st;
	int rc;

	if (fstatat(d->dir, AUDIT_FILE, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(err, errno, "audit store %s", d->path);
	if (st.st_size > AUDIT_COPY_MAX)
		return err_set(err, ERR_STORE, "audit store %s: takes in no "
		    "more, and is too large to be read from a copy", d->path);
	rc = sqlite3_open_v2(":memory:", &copy, SQLITE_OPEN_READWRITE |
	    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);
	backup = rc == SQLITE_OK ? sqlite3_backup_init(copy, "main", d->db,
	    "main") : NULL;
	if (backup != NULL) {
		sqlite3_backup_step(backup, -1);
		rc = sqlite3_backup_finish(backup);
	}
	if (rc == SQLITE_OK && backup != NULL)
		rc = harden(copy);
	if (rc != SQLITE_OK || backup == NULL) {
		sqlite3_close(copy);
		return audit_db_error(d, "copy", err);
	}
	audit_db_close(d);
	d->db = copy;
	d->ready = true;
	return 0;
}

int
audit_db_model(struct audit_db *d, struct err *err)
{
	sqlite3 *model = NULL;
	int rc = audit_schema_model(&model);

	if (rc < 0 || harden(model) != SQLITE_OK) {
		sqlite3_close(model);
		return err_set(err, ERR_STORE, "audit store %s: no store can "
		    "be made in memory", d->path);
	}
	audit_db_close(d);
	d->readonly = true;
	d->db = model;
	d->ready = true;
	return 0;
}

int
audit_db_exec(struct audit_db *d, const char *sql, struct err *err)
{
	if (sqlite3_exec(d->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return audit_db_error(d, "set up", err);
	return 0;
}

int
audit_db_look_up(struct audit_db *d, const char *sql, int64_t value,
    int64_t *ret, int n, bool *ret_there, struct err *err)
{
	sqlite3_stmt *st = NULL;
	int i, rc;

	if (sqlite3_prepare_v2(d->db, sql, -1, &st, NULL) != SQLITE_OK)
		return audit_db_error(d, "prepare", err);
	sqlite3_bind_int64(st, 1, value);
	rc = sqlite3_step(st);
	for (i = 0; rc == SQLITE_ROW && i < n; i++)
		ret[i] = sqlite3_column_int64(st, i);
	if (ret_there != NULL)
		*ret_there = rc == SQLITE_ROW;
	rc = rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 :
	    audit_db_error(d, "read", err);
	sqlite3_finalize(st);
	return rc;
}

int
audit_db_pragma(struct audit_db *d, const char *sql, int64_t *ret,
    struct err *err)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(d->db, sql, -1, &st, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		*ret = sqlite3_column_int64(st, 0);
	rc = rc == SQLITE_ROW ? 0 : audit_db_error(d, "look at", err);
	sqlite3_finalize(st);
	return rc;
}

static char *
reader_text(enum audit_stmt which)
{
	const struct audit_table_spec *t = &audit_tables[which -
	    AUDIT_READ_SESSION];

	return xasprintf("SELECT %s FROM %s WHERE id = ?", t->columns,
	    t->name);
}

sqlite3_stmt *
audit_db_stmt(struct audit_db *d, enum audit_stmt which, struct err *err)
{
	sqlite3_stmt **st = &d->stmts[which];
	AEG_AUTOFREE char *reader = NULL;
	const char *text = texts[which];

	if (*st != NULL) {
		sqlite3_reset(*st);
		return *st;
	}
	if (text == NULL)
		text = reader = reader_text(which);
	if (sqlite3_prepare_v3(d->db, text, -1,
	    SQLITE_PREPARE_PERSISTENT, st, NULL) != SQLITE_OK) {
		audit_db_error(d, "prepare", err);
		return NULL;
	}
	return *st;
}

int
audit_db_step(struct audit_db *d, sqlite3_stmt *st, struct err *err)
{
	int rc = sqlite3_step(st);

	if (rc != SQLITE_DONE)
		audit_db_error(d, "write", err);
	sqlite3_reset(st);
	/* What was bound belongs to the caller and may be gone later. */
	sqlite3_clear_bindings(st);
	return rc == SQLITE_DONE ? 0 : ERR_STORE;
}

void
audit_bind_text(sqlite3_stmt *st, int place, const char *text)
{
	if (text != NULL)
		sqlite3_bind_text(st, place, text, -1, SQLITE_STATIC);
	else
		sqlite3_bind_null(st, place);
}

static int
step_plain(struct audit_db *d, enum audit_stmt which, struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(d, which, err);

	return st != NULL ? audit_db_step(d, st, err) : ERR_STORE;
}

/* A file that was removed or replaced would take rows that nobody finds. */
static int
check_moved(struct audit_db *d, struct err *err)
{
	int moved = 0;

	if (sqlite3_file_control(d->db, "main", SQLITE_FCNTL_HAS_MOVED,
	    &moved) == SQLITE_OK && moved == 0)
		return 0;
	return err_set(err, ERR_STORE,
	    "audit store %s: was removed or replaced while it was open",
	    d->path);
}

int
audit_db_begin(struct audit_db *d, bool full, struct err *err)
{
	static const char *const pragmas[] = { [1] = "PRAGMA synchronous ="
	    " NORMAL", [2] = "PRAGMA synchronous = FULL", [3] = "PRAGMA"
	    " synchronous = EXTRA" };
	/* Without WAL, NORMAL could damage the file at a power loss; and
	 * what is committed stays only where the journal stays gone, which
	 * EXTRA waits for. */
	int sync = d->journal != AUDIT_JOURNAL_WAL ? 3 : full ? 2 : 1;
	int rc = audit_db_ready(d, err);

	if (rc == 0)
		rc = check_moved(d, err);
	if (rc == 0 && d->sync != sync) {
		rc = audit_db_exec(d, pragmas[sync], err);
		d->sync = rc == 0 ? sync : 0;
	}
	d->tail = (struct audit_link){ .known = false };
	return rc == 0 ? step_plain(d, AUDIT_BEGIN, err) : rc;
}

int
audit_db_commit(struct audit_db *d, struct err *err)
{
	return step_plain(d, AUDIT_COMMIT, err);
}

void
audit_db_rollback(struct audit_db *d)
{
	d->head.known = false;
	/* sqlite rolled back by itself after the worst errors. */
	if (d->db != NULL && sqlite3_get_autocommit(d->db) == 0)
		step_plain(d, AUDIT_ROLLBACK, NULL);
}
