/* SPDX-License-Identifier: ISC */
/* A store that was altered with all that SQL and a hex editor can do: what
 * is wrong is named, and nothing is run, taken or waited for on its word. */
#include "hostile.h"

static struct buf model = BUF_INIT;
static struct hostile_seen was;
static char *place;

static const struct {
	const char *sql, *want;		/* the first finding, or an error */
} cases[] = {
	{ "ALTER TABLE commands RENAME TO c2;"
	  "CREATE VIEW commands AS SELECT * FROM c2",
	    "schema commands 0" },
	{ "ALTER TABLE chain RENAME TO c2; CREATE VIEW chain AS WITH RECURSIVE"
	  " r(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM r) SELECT seq,"
	  " 1 AS kind, 1 AS row, zeroblob(32) AS link FROM r",
	    "schema chain 0" },
	{ "DROP TABLE files; CREATE VIRTUAL TABLE files USING fts5(id,"
	  " command, writer, wall_ns, mono_ns, path, change, old_sha256,"
	  " new_sha256)", "schema files 0" },
	{ "CREATE TRIGGER t AFTER INSERT ON events BEGIN"
	  " DELETE FROM commands; END", "schema events 0" },
	{ "ALTER TABLE commands ADD COLUMN x TEXT AS (hex(zeroblob(999999)))",
	    "schema commands 0" },
	{ "CREATE INDEX i ON commands (id, line, status, decision)",
	    "schema commands 0" },
	{ "DROP INDEX commands_open; CREATE INDEX commands_open ON commands"
	  " (session)", "schema commands 0" },
	{ "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace("
	  "sql, 'STRICT', '') WHERE name = 'chain'", "schema chain 0" },
	{ "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace("
	  "sql, 'DEFAULT 0', 'DEFAULT 7') WHERE name = 'commands'",
	    "schema commands 0" },
	{ "DROP TABLE outputs", "schema outputs 0" },
	{ "DROP TABLE origin", "schema origin 0" },
	{ "CREATE TABLE mine (a); CREATE INDEX yours ON mine (a);"
	  "CREATE VIEW ours AS SELECT 1", "" },
	{ "INSERT INTO execs VALUES (-1, 1, 'broker', 1, 1, 1, 1, x'41',"
	  " NULL, NULL)", "unchained execs -1" },
	{ "INSERT INTO files VALUES (0, 1, 'broker', 1, 1, x'41', 'made',"
	  " NULL, NULL)", "unchained files 0" },
	{ "INSERT INTO outputs VALUES (1, 1, 'broker', 1, x'41', NULL, 1, 0, 0,"
	    " 0, NULL, NULL, NULL)",
	    "unchained outputs 1" },
	{ "DELETE FROM origin", "audit store" },
	{ "UPDATE origin SET store = randomblob(16)", "altered sessions 1" },
	{ "UPDATE origin SET execs = 1", NULL },	/* no such column */
	{ "UPDATE chain SET seq = 9223372036854775807 WHERE seq = 9",
	    "gap - 0" },
	{ "UPDATE chain SET kind = 99 WHERE seq = 9", "audit store" },
	{ "UPDATE chain SET kind = 1 << 40 WHERE seq = 9", "audit store" },
	{ "UPDATE chain SET row = -9223372036854775807 - 1 WHERE seq = 9",
	    "reordered" },
	{ "UPDATE heads SET seq = 9223372036854775807", "truncated heads 0" },
	{ "UPDATE heads SET root = zeroblob(32)", "head heads 0" },
	{ "UPDATE heads SET public_key = zeroblob(32), signature ="
	  " zeroblob(64)", "signature heads 0" },
	{ "INSERT INTO tombstones VALUES (1, 1, 9223372036854775807,"
	  " zeroblob(32), zeroblob(32), 1)", "gap - 0" },
	{ "UPDATE commands SET note = zeroblob(17000000) WHERE id = 5",
	    NULL },		/* STRICT: no text */
	{ "UPDATE commands SET note = CAST(zeroblob(17000000) AS TEXT)"
	  " WHERE id = 5", "audit store" },
	{ "UPDATE commands SET note = printf('%.*c', 100000, 'x')",
	    "altered commands 1" },
	{ "PRAGMA user_version = 99", "audit store" },
	{ "PRAGMA user_version = -1", "audit store" },
	{ "PRAGMA user_version = 0", "audit store" },
	{ "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET rootpage ="
	  " (SELECT rootpage FROM sqlite_schema WHERE name = 'events')"
	  " WHERE name = 'commands'", "" },	/* something of it */
};

/* False: the SQL does not work. */
static bool
alter(const char *sql)
{
	AEG_AUTOFREE char *path = xasprintf("%s/audit.db", place);
	sqlite3 *db = NULL;
	bool done;

	hostile_put("store", model.data, model.len);
	if (sqlite3_open(path, &db) != SQLITE_OK)
		scratch_die(path);
	done = sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
	sqlite3_close(db);
	return done;
}

static void
by_sql(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(cases); i++) {
		bool done = alter(cases[i].sql);
		struct hostile_seen seen;

		if (cases[i].want == NULL) {
			OKF(!done, "%s: is not taken", cases[i].sql);
			continue;
		}
		OKF(done, "%s: is done", cases[i].sql);
		seen = hostile_read(place);
		OKF(strncmp(seen.first, cases[i].want,
		    strlen(cases[i].want)) == 0 &&
		    hostile_is_fair(&seen, &was), "%s: %s", cases[i].sql,
		    seen.first);
	}
}

/* Two children of a page of the chain are one: its rows come round again. */
static void
round_again(void)
{
	AEG_AUTOFREE char *path = xasprintf("%s/audit.db", place);
	struct buf file = BUF_INIT;
	unsigned char *page;
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	unsigned first, second;
	int root = 0, size = 0;

	hostile_put("store", model.data, model.len);
	if (sqlite3_open(path, &db) != SQLITE_OK || sqlite3_prepare_v2(db,
	    "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM"
	    " sqlite_schema WHERE name = 'chain'", -1, &st, NULL) !=
	    SQLITE_OK || sqlite3_step(st) != SQLITE_ROW)
		scratch_die("sqlite");
	root = sqlite3_column_int(st, 0);
	size = sqlite3_column_int(st, 1);
	sqlite3_finalize(st);
	sqlite3_close(db);
	buf_put(&file, model.data, model.len);
	page = (unsigned char *)file.data + (size_t)(root - 1) * (size_t)size;
	OK(page[0] == 5);	/* an inner page, of children */
	first = (unsigned)page[12] << 8 | page[13];
	second = (unsigned)page[14] << 8 | page[15];
	memcpy(page + second, page + first, 4);
	hostile_put("store", file.data, file.len);
	buf_done(&file);
	OK(hostile_read(place).rc < 0);
}

/* Each page of the file lost, and each bit of some bytes turned. */
static void
by_bytes(void)
{
	struct buf file = BUF_INIT;
	struct hostile_seen seen;
	size_t at, step = (size_t)tap_share("the bytes and pages");
	int unfair = 0;

	buf_put(&file, model.data, model.len);
	for (at = 0; at < model.len; at += 4096 * step) {
		memset(file.data + at, 0, 4096);
		hostile_put("store", file.data, file.len);
		seen = hostile_read(place);
		unfair += !hostile_is_fair(&seen, &was);
		memcpy(file.data + at, model.data + at, 4096);
	}
	for (at = 0; at < model.len; at += 499 * step) {
		file.data[at] = (char)(file.data[at] ^ (1 << at % 8));
		hostile_put("store", file.data, file.len);
		seen = hostile_read(place);
		unfair += !hostile_is_fair(&seen, &was);
		file.data[at] = model.data[at];
	}
	buf_done(&file);
	IS_INT(unfair, 0);
	for (at = 1; at < 8; at++) {
		hostile_put("store", model.data, model.len * at / 8);
		seen = hostile_read(place);
		OK(hostile_is_fair(&seen, &was));
	}
}

int
main(void)
{
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	hostile_make("store", 300, &model);
	place = scratch_path("store");
	was = hostile_read(place);
	OK(was.rc == 0 && was.v.findings == 0 && was.v.links > 900);
	by_sql();
	round_again();
	by_bytes();
	buf_done(&model);
	free(place);
	return tap_done();
}
