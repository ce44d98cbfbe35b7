/* SPDX-License-Identifier: ISC */
/* What was written verifies, in whatever way it came; what was altered,
 * removed, put in or cut off behind aegsh's back is named. */
#include "audit/audit_chain_int.h"
#include "store.h"
#include "store_sql.h"

#include "aegsh/base/mem.h"

static char findings[512];

static void
note(void *ctx, const struct audit_finding *f)
{
	size_t n = strlen(findings);

	(void)ctx;
	snprintf(findings + n, sizeof findings - n, "%s%s %s %d",
	    n > 0 ? ", " : "", audit_fault_name(f->fault),
	    f->table != NULL ? f->table : "-", (int)f->row);
}

/* What is wrong with DIR, as text; against the head that was seen. */
static struct audit_verdict
check(const char *dir, const struct audit_witnessed *w)
{
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct audit_verdict v = { .findings = -1 };
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	struct audit_against against = { .witnesses = w, .n = w != NULL };

	findings[0] = '\0';
	if (audit_open(path, true, &a, &err) < 0 ||
	    audit_verify(a, &against, note, NULL, &v, &err) < 0)
		snprintf(findings, sizeof findings, "%s", err.text);
	audit_close(a);
	return v;
}

/* Lines, two of which overlap, a builtin, events, an end; and short runs. */
static void
fill(const char *dir, int lines)
{
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct audit_outcome o = { .status = 3, .duration_ns = 7 };
	struct audit_event ev = store_event("cd /tmp");
	struct err err = ERR_INIT;
	struct audit *a = store_open(dir);
	int64_t first = store_put(a, "sleep 9 &", &err);
	int i;

	audit_builtin(a, &ev, 0);
	for (i = 0; i < lines; i++)
		audit_outcome(a, store_put(a, "line", &err), &o);
	audit_exec(a, first, &(struct audit_exec){ .pid = 7, .ppid = 1,
	    .path = "/bin/ls", .argv = "ls", .argv_len = 3 });
	audit_note(a, "state-stripped", "LD_PRELOAD");
	audit_outcome(a, first, &o);
	audit_session_end(a, &err);
	audit_close(a);
	a = NULL;
	if (audit_open_brief(path, STORE_WAIT_NS, true, &a, &err) < 0 ||
	    audit_session_begin(a, &store_session, &err) < 0 ||
	    audit_intent(a, &ev, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(99);
	}
	audit_outcome(a, ev.id, &o);
	audit_session_end(a, &err);
	audit_close(a);
}

static void
make(const char *dir)
{
	scratch_mkdir(dir, 0700);
	fill(dir, 5);
}

static void
good(void)
{
	struct audit_verdict v, again;
	struct audit_witnessed w = { .seq = 0 };

	make("good");
	v = check("good", NULL);
	IS_STR(findings, "");
	/* 2 sessions and their ends, 8 lines, one of them ended at once, 7
	 * outcomes, an event, a program. */
	IS_INT(v.links, 21);
	IS_INT(v.last, 21);
	IS_INT(v.heads, 2);
	IS_INT(v.findings, 0);
	w.seq = v.last;
	memcpy(w.link, v.link, sizeof w.link);
	fill("good", 3000);
	again = check("good", &w);
	IS_STR(findings, "");
	IS_INT(again.witnessed, 1);
	OK(again.heads >= v.heads + 3);
	OK(memcmp(v.origin.store, again.origin.store, 16) == 0);
}

static const struct {
	const char *sql, *want;
} attacks[] = {
	{ "UPDATE commands SET line = CAST('lime' AS BLOB) WHERE id = 4",
	    "altered commands 4" },
	{ "UPDATE commands SET status = 0 WHERE id = 4",
	    "altered commands 4" },
	{ "UPDATE commands SET rule = NULL WHERE id = 8",
	    "altered commands 8" },
	{ "UPDATE commands SET argv = x'00' WHERE id = 1",
	    "altered commands 1" },
	{ "UPDATE sessions SET user = 'else' WHERE id = 1",
	    "altered sessions 1" },
	{ "UPDATE sessions SET end_wall_ns = 1 WHERE id = 2",
	    "altered sessions 2" },
	{ "UPDATE events SET text = 'LD_PRELOA' WHERE id = 1",
	    "altered events 1" },
	{ "UPDATE execs SET path = x'2f' WHERE id = 1", "altered execs 1" },
	{ "DELETE FROM execs", "missing execs 1" },
	{ "DELETE FROM commands WHERE id = 5",
	    "missing commands 5, missing commands 5" },
	{ "DELETE FROM events", "missing events 1" },
	{ "INSERT INTO events (writer, wall_ns, mono_ns, kind) VALUES"
	    " ('stand-alone', 1, 1, 'x')", "unchained events 2" },
	{ "INSERT INTO commands (id, session, uuid, writer, wall_ns, mono_ns,"
	    " line, sha256, decision, ran) SELECT 99, session, uuid, writer,"
	    " wall_ns, mono_ns, line, sha256, decision, ran FROM commands"
	    " WHERE id = 3", "unchained commands 99" },
	{ "DELETE FROM chain WHERE seq = 3; DELETE FROM commands WHERE id ="
	    " 2", "gap - 0" },
	{ "UPDATE chain SET row = 9 - row WHERE kind = 3 AND row IN (4, 5)",
	    "altered commands 5, reordered commands 4" },
	{ "UPDATE heads SET root = zeroblob(32) WHERE id = 1",
	    "head heads 0" },
	{ "DELETE FROM chain WHERE seq > 17", "unchained" },
	{ "INSERT INTO tombstones (wall_ns, seq, link, root, removed) SELECT"
	    " 1, seq, link, link, 3 FROM chain WHERE seq = 4;"
	    " DELETE FROM chain WHERE seq <= 4", "unchained" },
	{ "INSERT INTO tombstones (wall_ns, seq, link, root, removed) SELECT"
	    " 1, seq, link, link, 3 FROM chain WHERE seq = 20; DELETE FROM"
	    " chain; DELETE FROM commands; DELETE FROM sessions; DELETE FROM"
	    " events", "unchained tombstones 1" },
};

static void
named(void)
{
	char dir[16];
	size_t i;

	for (i = 0; i < AEG_NELEM(attacks); i++) {
		snprintf(dir, sizeof dir, "attack%zu", i);
		make(dir);
		IS_INTN((int)check(dir, NULL).findings, 0, dir);
		store_sql(dir, attacks[i].sql);
		OK(check(dir, NULL).findings > 0);
		findings[strlen(attacks[i].want)] = '\0';
		IS_STRN(findings, attacks[i].want, attacks[i].sql);
	}
}

/* All of the tail gone, in every table: only who saw more knows. */
static void
cut_off(void)
{
	struct audit_witnessed w = { .seq = 0 };
	struct audit_verdict v;

	make("cut");
	v = check("cut", NULL);
	w.seq = v.last;
	memcpy(w.link, v.link, sizeof w.link);
	store_sql("cut", "DELETE FROM chain WHERE seq > 15; DELETE FROM heads;"
	    "DELETE FROM sessions WHERE id > 1; UPDATE sessions SET"
	    " end_wall_ns = NULL, end_mono_ns = NULL; DELETE FROM commands"
	    " WHERE id NOT IN (SELECT row FROM chain WHERE kind IN (3, 5));"
	    " DELETE FROM events; UPDATE commands SET status = NULL WHERE id"
	    " NOT IN (SELECT row FROM chain WHERE kind IN (4, 5));");
	check("cut", &w);
	OK(strstr(findings, "truncated - 0") != NULL);
	make("rewritten");
	w.link[0] ^= 1;
	check("rewritten", &w);
	IS_STR(findings, "rewritten - 0");
}

/* A link that is none is not the same as no link: nothing is added to such a
 * chain, and nothing verified by it. */
static void
damaged(void)
{
	static const char *const where[] = { "chain", "tombstones", "heads" };
	struct err err = ERR_INIT;
	char dir[16], text[400];
	struct audit *a;
	size_t i;

	for (i = 0; i < AEG_NELEM(where); i++) {
		snprintf(dir, sizeof dir, "damaged%zu", i);
		make(dir);
		if (i == 1)
			store_sql(dir, "INSERT INTO tombstones (wall_ns, seq,"
			    " link, root, removed) SELECT 1, 2, link, link, 3"
			    " FROM chain WHERE seq = 1; DELETE FROM chain");
		snprintf(text, sizeof text, "PRAGMA ignore_check_constraints"
		    " = ON; UPDATE %s SET link = x'01'",
		    where[i]);
		store_sql(dir, text);
		IS_INTN((int)check(dir, NULL).findings, i == 2 ? 1 : -1,
		    findings);
		a = store_open(dir);
		err = (struct err)ERR_INIT;
		if (store_put(a, "late", &err) >= 0)
			(void)audit_session_end(a, &err);
		OKF(strstr(err.text, "its chain is damaged") != NULL,
		    "%s: %s", where[i], err.text);
		audit_close(a);
	}
}

/* Two rows that differ have two links. */
static void
columns(void)
{
	static const char *const values[] = { "NULL", "0.5", "0.25", "5",
		"'0.5'", "x'302e35'", "''", "x''" };
	struct buf bytes[AEG_NELEM(values)];
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	size_t i, k;
	char text[64];

	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		exit(99);
	for (i = 0; i < AEG_NELEM(values); i++) {
		bytes[i] = (struct buf)BUF_INIT;
		snprintf(text, sizeof text, "SELECT %s", values[i]);
		OK(sqlite3_prepare_v2(db, text, -1, &st, NULL) == SQLITE_OK &&
		    sqlite3_step(st) == SQLITE_ROW);
		audit_chain_columns(&bytes[i], st, 0, 0, 1);
		sqlite3_finalize(st);
		for (k = 0; k < i; k++)
			OKF(bytes[i].len != bytes[k].len ||
			    memcmp(bytes[i].data, bytes[k].data,
			    bytes[i].len) != 0, "%s is not %s", values[i],
			    values[k]);
	}
	for (i = 0; i < AEG_NELEM(values); i++)
		buf_done(&bytes[i]);
	sqlite3_close(db);
}

/* What was there before is counted, and not more. */
static void
older(void)
{
	struct audit_verdict v;

	make("older");
	check("older", NULL);
	store_sql("older", "DELETE FROM chain; DELETE FROM heads; DELETE FROM"
	    " execs; UPDATE origin SET"
	    " sessions = 2, commands = 8, events = 1");
	fill("older", 2);
	v = check("older", NULL);
	IS_STR(findings, "");
	IS_INT(v.older, 8);
	OK(v.links > 0);
}

static void
witness_text(void)
{
	static const unsigned char store[16] = "0123456789abcdef";
	static const unsigned char link[AUDIT_HASH_LEN] = { 1, 255 };
	AEG_AUTOFREE struct audit_witnessed *w = NULL;
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	size_t n = 0, cut, i;

	buf_puts(&b, "Nov 28 host root: ");
	audit_head_text(&b, store, 12, link);
	buf_puts(&b, "\nNov 27 host root: ");
	audit_head_text(&b, store, 3, link);
	buf_puts(&b, " \nx: ");
	audit_head_text(&b, link, 5, link);
	IS_INT(audit_witness_read(b.data, b.len, store, &w, &n, &err), 0);
	IS_INT((int)n, 2);
	OK(n == 2 && w[0].seq == 3 && w[1].seq == 12 &&
	    memcmp(w[1].link, link, sizeof link) == 0);
	/* Any end of a text, in memory of just that size. */
	for (cut = 0, i = 0; cut <= b.len; cut++) {
		AEG_AUTOFREE char *part = xmalloc(cut + 1);
		AEG_AUTOFREE struct audit_witnessed *some = NULL;

		memcpy(part, b.data, cut);
		i += audit_witness_read(part, cut, store, &some, &n,
		    &err) != 0 || n > 2;
	}
	IS_INT((int)i, 0);
}

/* The tree of RFC 6962, against its definition. */
static void
define(const unsigned char (*links)[AUDIT_SHA256_LEN], size_t n,
    unsigned char ret[AUDIT_SHA256_LEN])
{
	unsigned char left[AUDIT_SHA256_LEN], right[AUDIT_SHA256_LEN];
	size_t k = 1;

	if (n == 1) {
		audit_tree_leaf(links[0], ret);
		return;
	}
	while (2 * k < n)
		k *= 2;
	define(links, k, left);
	define(links + k, n - k, right);
	audit_tree_join(left, right, ret);
}

static void
trees(void)
{
	unsigned char links[70][AUDIT_SHA256_LEN] = { { 0 } };
	unsigned char want[AUDIT_SHA256_LEN], got[AUDIT_SHA256_LEN];
	struct audit_tree t = { .n = 0 };
	int wrong = 0;
	size_t i;

	for (i = 0; i < AEG_NELEM(links); i++) {
		links[i][0] = (unsigned char)i;
		audit_tree_add(&t, links[i]);
		audit_tree_root(&t, got);
		define((const unsigned char (*)[AUDIT_SHA256_LEN])links,
		    i + 1, want);
		wrong += memcmp(got, want, sizeof got) != 0;
	}
	IS_INT(wrong, 0);
}

static void
hex_of(const unsigned char *p, char ret[2 * AUDIT_SHA256_LEN + 1])
{
	int i;

	for (i = 0; i < AUDIT_SHA256_LEN; i++)
		snprintf(ret + 2 * i, 3, "%02x", p[i]);
}

static void
hash_of(const char *hex, unsigned char ret[AUDIT_SHA256_LEN])
{
	unsigned byte = 0;
	int i;

	for (i = 0; i < AUDIT_SHA256_LEN; i++) {
		sscanf(hex + 2 * i, "%2x", &byte);
		ret[i] = (unsigned char)byte;
	}
}

static void
vector(sqlite3 *db, const char *line)
{
	unsigned char before[AUDIT_SHA256_LEN], link[AUDIT_SHA256_LEN];
	char was[65], want[65], got[65], columns[256];
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	AEG_AUTOFREE char *sql = NULL;
	sqlite3_stmt *st = NULL;
	long long row;
	int kind;

	if (sscanf(line, "%d %lld %64s | %255[^|] | %64s", &kind, &row, was,
	    columns, want) != 5) {
		OKF(false, "a vector: %s", line);
		return;
	}
	hash_of(was, before);
	sql = xasprintf("SELECT %s", columns);
	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW) {
		audit_chain_start(&b, before, (enum audit_kind)kind, row);
		audit_chain_columns(&b, st, 0, 0, sqlite3_column_count(st));
	}
	sqlite3_finalize(st);
	audit_sha256(b.data, b.len, link);
	hex_of(link, got);
	IS_STRN(got, want, columns);
}

static void
vectors(void)
{
	AEG_AUTOFREE char *path = xasprintf("%s/tests/cases/audit-chain.case",
	    getenv("abs_top_srcdir"));
	FILE *f = fopen(path, "r");
	sqlite3 *db = NULL;
	char line[1024];
	int n = 0;

	if (f == NULL || sqlite3_open(":memory:", &db) != SQLITE_OK)
		scratch_die(path);
	while (fgets(line, sizeof line, f) != NULL) {
		if (line[0] == '#')
			continue;
		vector(db, line);
		n++;
	}
	fclose(f);
	sqlite3_close(db);
	OKF(n >= 10, "%d vectors", n);
}

static void
backup(void)
{
	AEG_AUTOFREE char *from = scratch_path("good"), *file = NULL;
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	struct stat st;

	scratch_mkdir("copy", 0700);
	file = xasprintf("%s/copy/audit.db", scratch_dir);
	IS_INT(audit_open(from, true, &a, &err), 0);
	IS_INT(audit_backup(a, file, &err), 0);
	OK(stat(file, &st) == 0 && (st.st_mode & 07777) == 0600);
	OK(audit_backup(a, file, &err) < 0);
	audit_close(a);
	OK(check("copy", NULL).links == check("good", NULL).links);
	IS_STR(findings, "");
}

int
main(void)
{
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	good();
	named();
	cut_off();
	damaged();
	columns();
	older();
	witness_text();
	trees();
	vectors();
	backup();
	return tap_done();
}
