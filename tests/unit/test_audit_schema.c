/* SPDX-License-Identifier: ISC */
/* Stores of each past schema, made from its own files, come forward with
 * their rows. */
#include "audit/audit_int.h"
#include "store.h"

#include <errno.h>
#include <sys/wait.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

static void
exec_sql(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
		fprintf(stderr, "%s\n", sqlite3_errmsg(db));
		exit(99);
	}
}

/* The file of share/schema that leads to this schema. */
static void
exec_step(sqlite3 *db, int schema)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	AEG_AUTOFREE char *path = xasprintf("%s/share/schema/audit-%d.sql",
	    getenv("abs_top_srcdir"), schema);
	AEG_AUTOFD int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || io_read_all(fd, &text) < 0)
		scratch_die(path);
	exec_sql(db, text.data);
}

static const char row[] =
    "INSERT INTO sessions (uuid, writer, boot_id, start_wall_ns,"
    " start_mono_ns, pid, uid, user) VALUES (randomblob(16), 'stand-alone',"
    " 'b', 1, 1, 1, 1, 'old');"
    "INSERT INTO commands (session, uuid, writer, wall_ns, mono_ns, line,"
    " sha256, decision, ran) VALUES (1, randomblob(16), 'stand-alone', 5, 5,"
    " CAST('kept' AS BLOB), randomblob(32), 'allow', 1);";

static void
make(const char *dir, int schema, const char *then)
{
	AEG_AUTOFREE char *path = NULL;
	sqlite3 *db = NULL;
	int i;

	scratch_mkdir(dir, 0700);
	path = xasprintf("%s/%s/audit.db", scratch_dir, dir);
	if (sqlite3_open(path, &db) != SQLITE_OK)
		scratch_die(path);
	chmod(path, 0600);
	exec_sql(db, "PRAGMA journal_mode = WAL");
	for (i = 1; i <= schema; i++) {
		exec_step(db, i);
		/* What the program does beside the file. */
		if (i == 2)
			exec_sql(db, "ALTER TABLE commands ADD COLUMN"
			    " interpreter TEXT");
	}
	exec_sql(db, row);
	exec_sql(db, then);
	sqlite3_close(db);
}

static int64_t
pragma(const char *dir, const char *sql)
{
	AEG_AUTOFREE char *path = xasprintf("%s/%s/audit.db", scratch_dir,
	    dir);
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	int64_t n = -1;

	if (sqlite3_open(path, &db) == SQLITE_OK &&
	    sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return n;
}

static void
comes_forward(const char *dir)
{
	struct err err = ERR_INIT;
	struct audit_event ev = store_event("new");
	struct audit *a;

	a = store_open(dir);
	ev.interpreter = "/bin/sh";
	IS_INTN(audit_intent(a, &ev, &err), 0, dir);
	if (err.text[0] != '\0')
		printf("# %s\n", err.text);
	audit_close(a);
	IS_INT(pragma(dir, "PRAGMA user_version"), AUDIT_SCHEMA);
	IS_INT(pragma(dir, "SELECT count(*) FROM commands WHERE line ="
	    " CAST('kept' AS BLOB) AND interpreter IS NULL AND wall_ns = 5"),
	    1);
	IS_INT(pragma(dir, "SELECT count(*) FROM commands WHERE interpreter"
	    " = '/bin/sh'"), 1);
	IS_INT(store_count(dir).rows, 2);
}

/* A reader brings an older store forward as well, and a new one lacks
 * nothing that one has that came all the way. */
static void
by_readers(void)
{
	make("read", 1, "PRAGMA user_version = 1");
	IS_INT(store_count("read").rows, 1);
	IS_INT(pragma("read", "PRAGMA user_version"), AUDIT_SCHEMA);
}

static char *
shape(const char *dir)
{
	AEG_AUTOFREE char *path = xasprintf("%s/%s/audit.db", scratch_dir,
	    dir);
	struct buf b = BUF_INIT;
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;

	if (sqlite3_open(path, &db) != SQLITE_OK ||
	    sqlite3_prepare_v2(db, "SELECT m.name || '.' ||"
	    " coalesce(c.name || ' ' || c.type || ' ' || c.\"notnull\", '')"
	    " FROM sqlite_schema AS m LEFT JOIN pragma_table_info(m.name) AS c"
	    " ORDER BY 1", -1, &st, NULL) != SQLITE_OK)
		scratch_die(path);
	while (sqlite3_step(st) == SQLITE_ROW)
		buf_putf(&b, "%s\n", (const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	sqlite3_close(db);
	return buf_take(&b);
}

static void
same_shape(void)
{
	AEG_AUTOFREE char *fresh = NULL, *old = NULL;
	struct err err = ERR_INIT;
	struct audit *a;

	scratch_mkdir("fresh", 0700);
	a = store_open("fresh");
	store_put(a, "new", &err);
	audit_close(a);
	fresh = shape("fresh");
	old = shape("v1");
	IS_STRN(old, fresh, "a store that came forward is as a new one");
	OK(strstr(fresh, "commands.interpreter TEXT 0") != NULL);
}

int
main(void)
{
	if (getenv("abs_top_srcdir") == NULL) {
		fprintf(stderr, "abs_top_srcdir is not set\n");
		return 99;
	}
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	make("v1", 1, "PRAGMA user_version = 1");
	comes_forward("v1");
	/* As the first users of the column had it. */
	make("v1-column", 1, "ALTER TABLE commands ADD COLUMN interpreter"
	    " TEXT; PRAGMA user_version = 1");
	comes_forward("v1-column");
	make("v2", 2, "PRAGMA user_version = 2");
	comes_forward("v2");
	make("v3", 3, "PRAGMA user_version = 3");
	comes_forward("v3");
	make("v4", 4, "PRAGMA user_version = 4");
	comes_forward("v4");
	make("v5", 5, "PRAGMA user_version = 5");
	comes_forward("v5");
	/* What was written before the writer knew of the chain. */
	IS_INT(pragma("v4", "SELECT count(*) FROM origin, chain WHERE commands"
	    " = 1 AND seq = 2 AND row = 2 AND kind = 3"), 1);
	/* What was there before the chain is not of it. */
	IS_INT(pragma("v2", "SELECT commands FROM origin WHERE sessions = 1"
	    " AND events = 0 AND length(store) = 16"), 1);
	by_readers();
	same_shape();
	return tap_done();
}
