/* SPDX-License-Identifier: ISC */
#include "audit/audit_int.h"
#include "store.h"

#include <errno.h>

#include "aegsh/base/mem.h"

/* Everything that sqlite finds in a store, as text: rows by newline. */
static char *
sql(const char *dir, const char *text)
{
	AEG_AUTOFREE char *path = NULL;
	struct buf out = BUF_INIT;
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	int i;

	if (asprintf(&path, "%s/%s/audit.db", scratch_dir, dir) < 0 ||
	    sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) ||
	    sqlite3_prepare_v2(db, text, -1, &st, NULL))
		buf_putf(&out, "! %s", sqlite3_errmsg(db));
	while (st != NULL && sqlite3_step(st) == SQLITE_ROW) {
		for (i = 0; i < sqlite3_column_count(st); i++) {
			const char *v = (const char *)sqlite3_column_text(st,
			    i);

			buf_putf(&out, "%s%s", i > 0 ? "|" :
			    out.len > 0 ? "\n" : "", v != NULL ? v : "NULL");
		}
	}
	sqlite3_finalize(st);
	sqlite3_close(db);
	return buf_take(&out);
}

static void
says(const char *dir, const char *query, const char *want)
{
	char *got = sql(dir, query);

	IS_STRN(got, want, query);
	free(got);
}

static void
round_trip(void)
{
	struct audit *a;
	struct audit_event ev;
	struct err err = ERR_INIT;
	char *path = scratch_path("one/audit.db");
	struct stat st;

	scratch_mkdir("one", 0700);
	a = store_open("one");
	OK(access(path, F_OK) < 0);
	OK(!audit_pending(a));
	ev = store_event("ls -l");
	ev.confidence = 93;
	ev.latency_ns = 12345;
	ev.model = "m";
	ev.answer = "yes";
	ev.votes = "policy=ask person=yes";
	ev.answered_by = "somebody";
	ev.tokens_in = 11;
	ev.tokens_out = 12;
	ev.cost = 13;
	ev.judge_ns = 14;
	ev.argv = "sh\0b \n";
	ev.argv_len = 7;
	IS_INT(audit_intent(a, &ev, &err), 0);
	OK(ev.id > 0);
	OK(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600);
	says("one", "SELECT line, cwd, origin, decision, source, rule, reason,"
	    " model, answer, confidence, latency_ns, ran, status, writer,"
	    " lower(hex(sha256)), length(uuid) FROM commands",
	    "ls -l|/home/somebody|prompt|allow|policy|admin.read|"
	    "it only reads|m|yes|93|12345|1|NULL|stand-alone|"
	    "f0f40cf78dab06e0d336e5ced925157780fdb4a376f454d6cc80f3d21bf10769"
	    "|16");
	says("one", "SELECT writer, pid, uid, loginuid, user, tty, remote,"
	    " origin, host, version, profile, policy_hash, end_wall_ns,"
	    " length(boot_id) FROM sessions",
	    "stand-alone|77|1000|NULL|somebody|pts/7|192.0.2.1|prompt|"
	    "box|0.1|admin|abc|NULL|36");
	says("one", "SELECT remote_port FROM sessions", "4000");
	says("one", "SELECT votes, answered_by, tokens_in, tokens_out, cost,"
	    " judge_ns, lower(hex(argv)) FROM commands",
	    "policy=ask person=yes|somebody|11|12|13|14|73680062200a00");
	audit_outcome(a, ev.id, &(struct audit_outcome){ .status = 130,
	    .signal = 2, .duration_ns = 5, .cpu_ns = 4, .maxrss_kib = 3,
	    .start_ns = 6, .note = "n" });
	OK(audit_pending(a));
	says("one", "SELECT status FROM commands", "NULL");
	IS_INT(audit_flush(a, &err), 0);
	OK(!audit_pending(a));
	says("one", "SELECT status, signal, duration_ns, cpu_ns, maxrss_kib,"
	    " start_ns, note FROM commands", "130|2|5|4|3|6|n");
	IS_INT(audit_session_end(a, &err), 0);
	says("one", "SELECT count(*), end_wall_ns >= start_wall_ns,"
	    " end_mono_ns >= start_mono_ns FROM sessions", "1|1|1");
	audit_close(a);
	says("one", "PRAGMA journal_mode", "wal");
	says("one", "PRAGMA user_version", "6");
	free(path);
}

static void
joining(void)
{
	struct err err = ERR_INIT;
	struct audit_event ev = store_event("cd /tmp");
	struct audit *a;
	int64_t id;

	scratch_mkdir("join", 0700);
	a = store_open("join");
	id = store_put(a, "first", &err);
	audit_outcome(a, id, &(struct audit_outcome){ .status = 1 });
	ev.decision = strdup("allow");
	audit_builtin(a, &ev, 0);
	memset((char *)(uintptr_t)ev.decision, 'x', 5);
	free((char *)(uintptr_t)ev.decision);
	audit_note(a, "state-stripped", "LD_PRELOAD");
	says("join", "SELECT count(*) FROM commands", "1");
	/* The next intent takes them along, in order, before itself. */
	OK(store_put(a, "second", &err) > id);
	says("join", "SELECT id, line, decision, ran, status FROM commands"
	    " ORDER BY id", "1|first|allow|1|1\n2|cd /tmp|allow|1|0\n"
	    "3|second|allow|1|NULL");
	says("join", "SELECT session, writer, kind, text FROM events",
	    "1|stand-alone|state-stripped|LD_PRELOAD");
	/* Closing writes what is left. */
	audit_outcome(a, 3, &(struct audit_outcome){ .status = 2 });
	audit_close(a);
	says("join", "SELECT status FROM commands WHERE id = 3", "2");
	says("join", "SELECT end_wall_ns FROM sessions", "NULL");
}

static void
odd(void)
{
	struct err err = ERR_INIT;
	struct audit_event ev = store_event("x\xff\x1b[2J");
	char *big = xmalloc(AUDIT_LINE_MAX + 1);
	char *path = scratch_path("odd");
	struct audit *a;
	int64_t id;

	scratch_mkdir("odd", 0700);
	a = store_open("odd");
	IS_INT(audit_session_begin(a, &store_session, &err), -EINVAL);
	IS_INT(audit_intent(a, &ev, &err), 0);
	says("odd", "SELECT hex(line) FROM commands", "78FF1B5B324A");
	memset(big, 'a', AUDIT_LINE_MAX + 1);
	ev.line = big;
	ev.len = AUDIT_LINE_MAX;
	IS_INT(audit_intent(a, &ev, &err), 0);
	ev.len = AUDIT_LINE_MAX + 1;
	IS_INT(audit_intent(a, &ev, &err), ERR_TOO_LONG);
	ev.len = 0;
	ev.decision = NULL;
	ev.ran = false;
	IS_INT(audit_intent(a, &ev, &err), 0);
	says("odd", "SELECT length(line), ran, decision FROM commands"
	    " ORDER BY id DESC LIMIT 1", "0|0|");
	/* An outcome for a row that nobody has: that itself is recorded. */
	audit_outcome(a, 4711, &(struct audit_outcome){ .status = 9 });
	IS_INT(audit_flush(a, &err), 0);
	says("odd", "SELECT kind, text FROM events",
	    "outcome-without-row|command 4711, status 9");
	/* An outcome is written once. */
	id = store_put(a, "once", &err);
	audit_outcome(a, id, &(struct audit_outcome){ .status = 1 });
	audit_outcome(a, id, &(struct audit_outcome){ .status = 0 });
	IS_INT(audit_flush(a, &err), 0);
	says("odd", "SELECT status FROM commands WHERE line = CAST('once' AS"
	    " BLOB)", "1");
	IS_INT(audit_session_end(a, &err), 0);
	ev = store_event("late");
	IS_INT(audit_intent(a, &ev, &err), -EINVAL);
	audit_builtin(a, &ev, 0);
	OK(audit_pending(a));
	audit_close(a);
	says("odd", "SELECT text FROM events WHERE kind = 'records-lost'",
	    "1 records did not fit");
	IS_INT(audit_open(path, true, &a, &err), 0);
	IS_INT(audit_session_begin(a, &store_session, &err), -EINVAL);
	audit_close(a);
	free(big);
	free(path);
}

static void
nothing(void)
{
	struct audit *a;
	struct err err = ERR_INIT;
	char *path = scratch_path("empty"), *file;

	scratch_mkdir("empty", 0700);
	a = store_open("empty");
	IS_INT(audit_flush(a, &err), 0);
	IS_INT(audit_session_end(a, &err), 0);
	audit_close(a);
	file = scratch_path("empty/audit.db");
	OK(access(file, F_OK) < 0);
	IS_INT(audit_open(path, true, &a, &err), -ENOENT);
	/* … and a file that was made but never written to. */
	IS_INT(audit_open(path, false, &a, &err), 0);
	IS_INT(audit_ready(a, &err), 0);
	OK(access(file, F_OK) == 0);
	audit_close(a);
	IS_INT(store_count("empty").rows, 0);
	free(path);
	free(file);
}

int
main(void)
{
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	round_trip();
	joining();
	odd();
	nothing();
	return tap_done();
}
