/* SPDX-License-Identifier: ISC */
/* What goes wrong with a store: each is an error that says so. */
#include "audit/audit_int.h"
#include "store.h"
#include "store_sql.h"

#include <errno.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "aegsh/base/mem.h"

static void
fails(struct audit *a, int code, const char *text)
{
	struct err err = ERR_INIT;
	int64_t rc = store_put(a, "ls", &err);

	OKF(rc == code && strstr(err.text, text) != NULL, "error: %s", text);
	if (rc != code || strstr(err.text, text) == NULL)
		printf("# %" PRId64 " %s\n", rc, err.text);
}

static void
garbage(void)
{
	struct audit *a;
	struct err err = ERR_INIT;
	char bytes[8192], *path = scratch_path("trunc/audit.db");
	int i;

	scratch_mkdir("garbage", 0700);
	memset(bytes, 'g', sizeof bytes);
	scratch_write("garbage/audit.db", bytes, sizeof bytes, 0600);
	a = store_open("garbage");
	fails(a, ERR_STORE, "file is not a database");
	fails(a, ERR_STORE, "file is not a database");
	audit_close(a);

	scratch_mkdir("trunc", 0700);
	a = store_open("trunc");
	for (i = 0; i < 300; i++)
		store_put(a, "some line that takes its place in a page", &err);
	audit_close(a);
	store_sql("trunc", "PRAGMA wal_checkpoint(TRUNCATE)");
	if (truncate(path, 4096) < 0)
		scratch_die("truncate");
	a = store_open("trunc");
	fails(a, ERR_STORE, "malformed");
	audit_close(a);
	IS_INT(store_count("trunc").rows, -1);
	free(path);
}

static void
foreign(void)
{
	struct audit *a;
	struct err err = ERR_INIT;

	scratch_mkdir("foreign", 0700);
	scratch_write("foreign/audit.db", "", 0, 0600);
	store_sql("foreign", "CREATE TABLE t (x)");
	a = store_open("foreign");
	fails(a, ERR_STORE, "some other database");
	audit_close(a);

	scratch_mkdir("newer", 0700);
	scratch_write("newer/audit.db", "", 0, 0600);
	store_sql("newer", "PRAGMA user_version = 99");
	a = store_open("newer");
	fails(a, ERR_STORE, "has schema 99, this aegsh knows up to 6");
	audit_close(a);

	/* A store's own user may have put a trigger there: it sleeps. */
	scratch_mkdir("trigger", 0700);
	a = store_open("trigger");
	OK(store_put(a, "one", &err) > 0);
	audit_close(a);
	store_sql("trigger", "CREATE TRIGGER t BEFORE INSERT ON"
	    " commands BEGIN SELECT raise(IGNORE); END");
	a = store_open("trigger");
	OK(store_put(a, "two", &err) > 0);
	audit_close(a);
	IS_INT(store_count("trigger").rows, 2);
}

static int
open_rc(const char *dir, bool readonly)
{
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct audit *a = NULL;
	struct err err = ERR_INIT;
	int rc = audit_open(path, readonly, &a, &err);

	audit_close(a);
	return rc;
}

static void
trust(void)
{
	AEG_AUTOFREE char *dir = NULL, *file = NULL, *other = NULL;

	scratch_mkdir("trust", 0700);
	scratch_write("trust/audit.db", "", 0, 0600);
	dir = scratch_path("trust");
	file = scratch_path("trust/audit.db");
	other = scratch_path("trust/other");
	IS_INT(open_rc("trust", false), 0);
	chmod(file, 0640);
	IS_INT(open_rc("trust", false), ERR_TRUST);
	chmod(file, 0600);
	if (link(file, other) < 0)
		scratch_die("link");
	IS_INT(open_rc("trust", false), ERR_TRUST);
	unlink(file);
	if (symlink("other", file) < 0)
		scratch_die("symlink");
	IS_INT(open_rc("trust", false), ERR_TRUST);
	IS_INT(open_rc("trust", true), ERR_TRUST);
	unlink(file);
	IS_INT(open_rc("trust", true), -ENOENT);
	if (mkfifo(file, 0600) < 0)
		scratch_die("mkfifo");
	IS_INT(open_rc("trust", false), ERR_TRUST);
	unlink(file);
	chmod(dir, 0750);
	IS_INT(open_rc("trust", false), ERR_TRUST);
	chmod(dir, 0700);
	IS_INT(open_rc("none", false), -ENOENT);
	scratch_write("trust/audit.db", "", 0, 0400);
	if (geteuid() != 0)
		IS_INT(open_rc("trust", false), -EACCES);
	else
		SKIP(1, "root writes to read-only files");
}

static void
moved(void)
{
	AEG_AUTOFREE char *file = NULL;
	struct audit *a;
	struct err err = ERR_INIT;

	scratch_mkdir("moved", 0700);
	file = scratch_path("moved/audit.db");
	a = store_open("moved");
	OK(store_put(a, "one", &err) > 0);
	unlink(file);
	fails(a, ERR_STORE, "removed or replaced");
	scratch_write("moved/audit.db", "", 0, 0600);
	fails(a, ERR_STORE, "removed or replaced");
	audit_close(a);
}

/* A disk that takes no more, as far as a limit can play one. */
static void
full(void)
{
	struct rlimit old, small;
	struct err err = ERR_INIT;
	struct audit *a;
	int64_t id;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	scratch_mkdir("full", 0700);
	a = store_open("full");
	id = store_put(a, "one", &err);
	OK(id > 0);
	audit_outcome(a, id, &(struct audit_outcome){ .status = 3 });
	small = (struct rlimit){ 4096, old.rlim_max };
	setrlimit(RLIMIT_FSIZE, &small);
	fails(a, ERR_STORE, "audit store");
	IS_INT(audit_flush(a, &err), ERR_STORE);
	OK(audit_pending(a));
	setrlimit(RLIMIT_FSIZE, &old);
	/* What was held back is still there, and goes in. */
	OK(store_put(a, "two", &err) > 0);
	OK(!audit_pending(a));
	audit_close(a);
	IS_INT(store_count("full").rows, 2);
	IS_INT(store_count("full").unfinished, 1);
}

static void
locked(void)
{
	AEG_AUTOFREE char *file = NULL;
	struct err err = ERR_INIT;
	struct audit *a;
	sqlite3 *db = NULL;

	scratch_mkdir("locked", 0700);
	file = scratch_path("locked/audit.db");
	a = store_open("locked");
	OK(store_put(a, "one", &err) > 0);
	if (sqlite3_open(file, &db) ||
	    sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL))
		scratch_die("sqlite3");
	audit_db_of(a)->busy_ns = 50 * 1000 * 1000;
	fails(a, ERR_STORE, "locked");
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	OK(store_put(a, "two", &err) > 0);
	sqlite3_close(db);
	audit_close(a);
	IS_INT(store_count("locked").rows, 2);
}

static void
journals(void)
{
	AEG_AUTOFREE char *wal = NULL;
	struct err err = ERR_INIT;
	struct audit *a;
	int64_t id;

	OK(audit_journal_for(NFS_SUPER_MAGIC) == AUDIT_JOURNAL_DELETE);
	OK(audit_journal_for(CIFS_SUPER_MAGIC) == AUDIT_JOURNAL_DELETE);
	OK(audit_journal_for(FUSE_SUPER_MAGIC) == AUDIT_JOURNAL_DELETE);
	OK(audit_journal_for(V9FS_MAGIC) == AUDIT_JOURNAL_DELETE);
	OK(audit_journal_for(EXT4_SUPER_MAGIC) == AUDIT_JOURNAL_WAL);
	OK(audit_journal_for(TMPFS_MAGIC) == AUDIT_JOURNAL_WAL);
	OK(audit_journal_for(BTRFS_SUPER_MAGIC) == AUDIT_JOURNAL_WAL);

	scratch_mkdir("delete", 0700);
	wal = scratch_path("delete/audit.db-wal");
	a = store_open("delete");
	audit_db_of(a)->journal = AUDIT_JOURNAL_DELETE;
	id = store_put(a, "one", &err);
	OK(id > 0);
	audit_outcome(a, id, &(struct audit_outcome){ .status = 0 });
	IS_INT(audit_flush(a, &err), 0);
	IS_INT(audit_db_of(a)->sync, 3);
	OK(access(wal, F_OK) < 0);
	audit_close(a);
	IS_INT(store_count("delete").rows, 1);
	IS_INT(store_count("delete").unfinished, 0);
	/* A store that had a log loses it where a log is unsafe. */
	a = store_open("locked");
	audit_db_of(a)->journal = AUDIT_JOURNAL_DELETE;
	OK(store_put(a, "three", &err) > 0);
	audit_close(a);
	free(AEG_STEAL(wal));
	wal = scratch_path("locked/audit.db-wal");
	OK(access(wal, F_OK) < 0);
	IS_INT(store_count("locked").rows, 3);
}

/* A second connection in one process, opened and closed, leaves the locks
 * of the first alone: else another process would think itself the last, and
 * throw the log away under the first one's feet. */
static void
second(void)
{
	AEG_AUTOFREE char *wal = NULL;
	struct err err = ERR_INIT;
	struct stat before, after;
	int status = -1, gate[2], i;
	struct audit *a;
	pid_t pid;
	char byte;

	scratch_mkdir("second", 0700);
	wal = scratch_path("second/audit.db-wal");
	if (pipe(gate) < 0)
		scratch_die("pipe");
	/* Forked before sqlite has anything in memory to inherit. */
	pid = fork();
	if (pid == 0) {
		close(gate[1]);
		if (read(gate[0], &byte, 1) != 0)
			_exit(1);
		a = store_open("second");
		/* Long enough a log for the last one to fold it in. */
		for (i = 0; i < 100; i++)
			store_put(a, "two", &err);
		audit_close(a);
		_exit(0);
	}
	close(gate[0]);
	a = store_open("second");
	for (i = 0; i < 100; i++)
		store_put(a, "one", &err);
	IS_INT(store_count("second").rows, 100);
	OK(stat(wal, &before) == 0);
	close(gate[1]);
	OK(waitpid(pid, &status, 0) == pid && status == 0);
	OK(stat(wal, &after) == 0 && after.st_ino == before.st_ino);
	OK(store_put(a, "three", &err) > 0);
	audit_close(a);
	IS_INT(store_count("second").rows, 201);
}

/* Many starts and ends leave a short log, and no log grows for ever. */
static void
log_length(void)
{
	AEG_AUTOFREE char *wal = NULL;
	struct err err = ERR_INIT;
	struct audit *a;
	struct stat st;
	int i;

	scratch_mkdir("log", 0700);
	wal = scratch_path("log/audit.db-wal");
	for (i = 0; i < 100; i++) {
		a = store_open("log");
		if (store_put(a, "one", &err) < 0)
			break;
		audit_close(a);
	}
	IS_INT(i, 100);
	OK(stat(wal, &st) < 0 || st.st_size < 100 * 4096);
	a = store_open("log");
	for (i = 0; i < 2000; i++) {
		int64_t id = store_put(a, "one", &err);

		audit_outcome(a, id, &(struct audit_outcome){ .status = 0 });
		if (audit_flush(a, &err) < 0)
			break;
	}
	IS_INT(i, 2000);
	OK(stat(wal, &st) == 0 && st.st_size < 300 * 4200);
	audit_close(a);
}

int
main(void)
{
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	second();	/* first, see there */
	garbage();
	foreign();
	trust();
	moved();
	full();
	locked();
	journals();
	log_length();
	return tap_done();
}
