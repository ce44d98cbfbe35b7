/* SPDX-License-Identifier: ISC */
#include "audit/audit_int.h"
#include "aegsh/audit_chain.h"
#include "store.h"
#include "store_sql.h"

#include "aegsh/base/mem.h"

static struct audit *a;
static int64_t wall[8];		/* of each row */

static int
add_line(void *ctx, const struct audit_row *row)
{
	struct buf *b = ctx;

	if (row->id < (int64_t)AEG_NELEM(wall))
		wall[row->id] = row->wall_ns;
	buf_putf(b, "%s%.*s", b->len > 0 ? " " : "", (int)row->len, row->line);
	return 0;
}

static int
stop_at_two(void *ctx, const struct audit_row *row)
{
	add_line(ctx, row);
	return row->id == 2;
}

static void
lines(const struct audit_query *q, const char *want, const char *name)
{
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	if (audit_query(a, q, add_line, &b, &err) < 0)
		buf_putf(&b, "! %s", err.text);
	IS_STRN(b.data != NULL ? b.data : "", want, name);
	buf_done(&b);
}

/* Backwards, and in as many calls as one row each takes. */
static void
recalled(const struct audit_query *q, int64_t budget_ns, const char *want,
    const char *name)
{
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	int64_t at = 0, before;
	int rc;

	do {
		before = at;
		rc = audit_recall(a, q, &at, budget_ns, add_line, &b, &err);
		OKF(rc == 0 && (at < before || before == 0),
		    "%s: each call leads on", name);
	} while (rc == 0 && at > 0);
	IS_STRN(b.data != NULL ? b.data : "", want, name);
	buf_done(&b);
}

static int
stop_at_one(void *ctx, const struct audit_row *row)
{
	add_line(ctx, row);
	return 1;
}

static void
backwards(void)
{
	static const int64_t budgets[] = { 1000000000, 0, -1 };
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;
	size_t i;
	int64_t at = 0;

	for (i = 0; i < AEG_NELEM(budgets); i++) {
		recalled(&(struct audit_query){ 0 }, budgets[i],
		    "four three%'\" two one", "newest first");
		recalled(&(struct audit_query){ .starts = "t" }, budgets[i],
		    "three%'\" two", "by its beginning");
		recalled(&(struct audit_query){ .starts = "hree" },
		    budgets[i], "", "which is one");
		recalled(&(struct audit_query){ .limit = 2 }, budgets[i],
		    "four three%'\"", "of the newest");
		recalled(&(struct audit_query){ .not_session = 2 },
		    budgets[i], "two one", "of other sessions");
	}
	IS_INT(audit_recall(a, &(struct audit_query){ .recalled = true }, &at,
	    1000000000, stop_at_one, &b, &err), 0);
	IS_STR(b.data, "four");
	IS_INT(at, 4);
	buf_done(&b);
}

static int
check_row(void *ctx, const struct audit_row *r)
{
	IS_INT((intmax_t)r->len, 3);
	IS_STR(r->line, "one");
	IS_STR(r->user, "somebody");
	IS_STR(r->host, "box");
	IS_STR(r->tty, "pts/7");
	IS_STR(r->origin, "prompt");
	IS_STR(r->cwd, "/home/somebody");
	IS_STR(r->decision, "allow");
	IS_STR(r->source, "policy");
	IS_STR(r->rule, "admin.read");
	IS_STR(r->reason, "it only reads");
	OK(r->model == NULL);
	OK(r->answer == NULL);
	IS_STR(r->writer, "stand-alone");
	IS_STR(r->note, "n");
	OK(r->ran && r->finished);
	OK(r->status == 5 && r->signal == 0 && r->confidence == -1);
	OK(r->duration_ns == 1 && r->cpu_ns == 2 && r->maxrss_kib == 3);
	OK(r->latency_ns == 0);
	OK(strlen(r->uuid) == 36 && r->uuid[14] == '4');
	return 1;
}

static void
fill(void)
{
	struct err err = ERR_INIT;
	struct audit_event ev = store_event("two");
	int64_t id = store_put(a, "one", &err);

	audit_outcome(a, id, &(struct audit_outcome){ .status = 5,
	    .duration_ns = 1, .cpu_ns = 2, .maxrss_kib = 3, .note = "n" });
	ev.decision = "block";
	ev.ran = false;
	audit_intent(a, &ev, &err);
	audit_session_end(a, &err);
	audit_session_begin(a, &store_session, &err);
	ev = store_event("three%'\"");
	ev.cwd = "/elsewhere";
	audit_intent(a, &ev, &err);
	ev = store_event("four");
	audit_builtin(a, &ev, 0);
	audit_flush(a, &err);
}

/* Rows that somebody has given the last number there is. */
static void
at_the_end(void)
{
	AEG_AUTOFREE char *path = scratch_path("end");
	struct audit_keep keep = { .lines = 1, .who = "t" };
	struct audit_pruned pruned;
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;
	int64_t at = 0;

	scratch_mkdir("end", 0700);
	a = store_open("end");
	store_put(a, "five", &err);
	store_put(a, "six", &err);
	audit_close(a);
	store_sql("end", "UPDATE chain SET seq = 9223372036854775807"
	    " WHERE seq = (SELECT max(seq) FROM chain)");
	IS_INT(audit_open(path, false, &a, &err), 0);
	OKF((audit_session_begin(a, &store_session, &err) < 0 ||
	    store_put(a, "seven", &err) < 0) &&
	    strstr(err.text, "no number left") != NULL,
	    "a chain that has no number left: %s", err.text);
	audit_close(a);
	store_sql("end", "INSERT INTO tombstones VALUES (1, 1,"
	    " 9223372036854775807, zeroblob(32), zeroblob(32), 1)");
	IS_INT(audit_open(path, false, &a, &err), 0);
	OKF(audit_prune(a, &keep, &pruned, &err) < 0, "nothing is deleted "
	    "from it: %s", err.text);
	audit_close(a);
	store_sql("end", "UPDATE commands SET id = 9223372036854775807"
	    " WHERE id = (SELECT max(id) FROM commands)");
	IS_INT(audit_open(path, true, &a, &err), 0);
	IS_INT(audit_recall(a, &(struct audit_query){ 0 }, &at, 0, add_line,
	    &b, &err), 0);
	OKF(at > 0, "it is recalled from its last row on");
	buf_done(&b);
	audit_close(a);
}

int
main(void)
{
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	char *path;
	int64_t n = 0;

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	scratch_mkdir("s", 0700);
	path = scratch_path("s");
	a = store_open("s");
	fill();
	lines(&(struct audit_query){ 0 }, "one two three%'\" four", "all");
	lines(&(struct audit_query){ .limit = 2 }, "three%'\" four", "newest");
	lines(&(struct audit_query){ .limit = 99 }, "one two three%'\" four",
	    "more than there are");
	lines(&(struct audit_query){ .text = "o" }, "one two four", "text");
	lines(&(struct audit_query){ .text = "%'\"" }, "three%'\"",
	    "text is no pattern");
	lines(&(struct audit_query){ .text = "_" }, "", "nor a wildcard");
	lines(&(struct audit_query){ .text = "o", .limit = 1 }, "four",
	    "newest of those");
	lines(&(struct audit_query){ .decision = "block" }, "two", "decision");
	lines(&(struct audit_query){ .cwd = "/elsewhere" }, "three%'\"",
	    "cwd");
	lines(&(struct audit_query){ .session = 1 }, "one two", "session 1");
	lines(&(struct audit_query){ .session = 2 }, "three%'\" four",
	    "session 2");
	lines(&(struct audit_query){ .ended = AUDIT_ENDED_OPEN }, "three%'\"",
	    "unfinished: ran, and no outcome");
	lines(&(struct audit_query){ .cwd = "/else" }, "",
	    "the beginning of a name is another directory");
	lines(&(struct audit_query){ .cwd = "/home" }, "one two four",
	    "below a directory");
	lines(&(struct audit_query){ .rule = "admin" },
	    "one two three%'\" four", "a group of rules");
	lines(&(struct audit_query){ .rule = "admi" }, "", "is a whole word");
	lines(&(struct audit_query){ .ended = AUDIT_ENDED_STATUS,
	    .number = 5 }, "one", "by status");
	lines(&(struct audit_query){ .ended = AUDIT_ENDED_FAILED }, "one",
	    "any that failed");
	lines(&(struct audit_query){ .ended = AUDIT_ENDED_REFUSED }, "two",
	    "refused");
	lines(&(struct audit_query){ .id = 2 }, "two", "by number");
	lines(&(struct audit_query){ .after_id = 2 }, "three%'\" four",
	    "behind a number");
	lines(&(struct audit_query){ .uuid = "no uuid" }, "", "no uuid");
	lines(&(struct audit_query){ .host = "box" },
	    "one two three%'\" four", "host");
	audit_exec(a, 1, &(struct audit_exec){ .pid = 7, .ppid = 1,
	    .path = "/usr/bin/make", .argv = "make\0-j", .argv_len = 8 });
	IS_INT(audit_flush(a, &err), 0);
	IS_INT(audit_db_pragma(audit_db_of(a), "SELECT count(*) FROM execs"
	    " WHERE pid = 7 AND argv = X'6d616b65002d6a00'", &n, &err), 0);
	IS_INT(n, 1);
	lines(&(struct audit_query){ .program = "make" }, "one",
	    "a program underneath");
	lines(&(struct audit_query){ .program = "/usr/bin/make" }, "one",
	    "by its path");
	lines(&(struct audit_query){ .program = "ake" }, "",
	    "not by a part of its name");
	lines(&(struct audit_query){ .since_ns = wall[3] }, "three%'\" four",
	    "since includes its moment");
	lines(&(struct audit_query){ .until_ns = wall[3] }, "one two",
	    "until does not");
	lines(&(struct audit_query){ .since_ns = 1, .until_ns = 2 }, "",
	    "nothing then");
	backwards();
	IS_INT(audit_query(a, &(struct audit_query){ 0 }, stop_at_two, &b,
	    &err), 0);
	IS_STR(b.data, "one two");
	buf_done(&b);
	audit_close(a);
	at_the_end();
	IS_INT(audit_open(path, true, &a, &err), 0);
	audit_query(a, &(struct audit_query){ 0 }, check_row, NULL, &err);
	audit_close(a);
	free(path);
	return tap_done();
}
