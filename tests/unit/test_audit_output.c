/* SPDX-License-Identifier: ISC */
/* What lines wrote, by each of the ways into the store, and in its chain. */
#include "audit/audit_int.h"
#include "store.h"
#include "store_sql.h"

#include <sys/wait.h>

#include "aegsh/audit_chain.h"
#include "aegsh/audit_read.h"
#include "aegsh/base/mem.h"

static char findings[400];

static void
found(void *ctx, const struct audit_finding *f)
{
	size_t n = strlen(findings);

	(void)ctx;
	/* There are no files; tests/script/audit_output.py has them. */
	if (f->fault == AUDIT_FAULT_OUTPUT)
		return;
	snprintf(findings + n, sizeof findings - n, "%s%s %s %" PRId64,
	    n > 0 ? ", " : "", audit_fault_name(f->fault), f->table != NULL ?
	    f->table : "-", f->row);
}

static void
check(const char *dir, const char *want)
{
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct audit_verdict v = { .findings = -1 };
	struct err err = ERR_INIT;
	struct audit *a = NULL;

	findings[0] = '\0';
	if (audit_open(path, true, &a, &err) < 0 || audit_verify(a,
	    &(struct audit_against){ .n = 0 }, found, NULL, &v, &err) < 0)
		snprintf(findings, sizeof findings, "%s", err.text);
	audit_close(a);
	IS_STRN(findings, want, dir);
}

static int
add(void *ctx, const struct audit_output *o)
{
	struct buf *b = ctx;

	buf_putf(b, "%d:", (int)o->stream);
	buf_put(b, o->head, o->head_len);
	buf_puts(b, "..");
	buf_put(b, o->tail, o->tail_len);
	buf_putf(b, " %" PRId64 " %" PRId64 " %" PRId64 " %d %" PRId64 "+%"
	    PRId64 " %02x;", o->bytes, o->kept, o->redacted, (int)o->cut,
	    o->offset, o->length, o->sha256[31]);
	return 0;
}

static void
is_there(const char *dir)
{
	AEG_AUTOFREE char *path = scratch_path(dir);
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	unsigned char uuid[16];
	struct err err = ERR_INIT;
	struct audit *a = NULL;

	IS_INTN(audit_open(path, true, &a, &err), 0, dir);
	IS_INT(audit_outputs(a, 1, add, &b, &err), 0);
	IS_STR(b.data, "1:begin..end 9000 8000 2 1 11+900 aa;"
	    "2:oops.. 4 4 0 0 0+0 00;");
	OK(audit_line_session(a, 1, uuid, &err) == 0);
	IS_INT(audit_line_session(a, 9, uuid, &err), -ENOENT);
	audit_close(a);
}

static void
write_some(struct audit *a, bool of_long_text)
{
	struct audit_event ev = store_event("make");
	struct audit_output out = { .stream = AUDIT_STREAM_OUT,
		.head = "begin", .head_len = 5, .tail = "end", .tail_len = 3,
		.bytes = 9000, .kept = 8000, .redacted = 2, .cut = true,
		.offset = 11, .length = 900, .sha256 = { [31] = 0xaa } };
	struct audit_output e = { .stream = AUDIT_STREAM_ERR,
		.head = "oops", .head_len = 4, .bytes = 4, .kept = 4 };
	struct audit_outcome o = { .status = 2 };
	char big[AUDIT_OUTPUT_MAX + 1] = { 'x' };
	struct err err = ERR_INIT;

	IS_INT(audit_intent(a, &ev, &err), 0);
	audit_output(a, ev.id, &out);
	audit_output(a, ev.id, &e);
	audit_outcome(a, ev.id, &o);
	IS_INT(audit_flush(a, &err), 0);
	if (!of_long_text)
		return;
	e.head = big;
	e.head_len = sizeof big;
	IS_INT(audit_intent(a, &ev, &err), 0);
	audit_output(a, ev.id, &e);
	audit_outcome(a, ev.id, &o);
	IS_INT(audit_flush(a, &err), 0);
}

static void
three_ways(void)
{
	AEG_AUTOFREE char *brief = NULL, *apart = NULL;
	unsigned char uuid[16], none[16] = { 0 };
	struct err err = ERR_INIT;
	struct audit *a;
	pid_t pid;

	scratch_mkdir("store", 0700);
	a = store_open("store");
	audit_session_uuid(a, uuid);
	OK(memcmp(uuid, none, sizeof uuid) != 0);
	write_some(a, true);
	audit_close(a);
	is_there("store");
	check("store", "");

	scratch_mkdir("brief", 0700);
	brief = scratch_path("brief");
	if (audit_open_brief(brief, STORE_WAIT_NS, true, &a, &err) < 0 ||
	    audit_session_begin(a, &store_session, &err) < 0)
		scratch_die(err.text);
	write_some(a, false);
	audit_close(a);
	is_there("brief");
	check("brief", "");

	scratch_mkdir("apart", 0700);
	apart = scratch_path("apart");
	if (audit_open_apart(apart, INT64_C(60000000000), false, &a,
	    &err) < 0 || audit_session_begin(a, &store_session, &err) < 0)
		scratch_die(err.text);
	write_some(a, false);
	pid = audit_writer_pid(a);
	audit_close(a);
	waitpid(pid, NULL, 0);
	is_there("apart");
	check("apart", "");
}

static void
attacked(void)
{
	store_sql("store", "UPDATE outputs SET head = x'41' WHERE id = 1");
	check("store", "altered outputs 1");
	store_sql("brief", "UPDATE outputs SET file_length = 1 WHERE id = 1");
	check("brief", "altered outputs 1");
	store_sql("apart", "DELETE FROM outputs WHERE id = 2");
	check("apart", "missing outputs 2");
}

/* What hangs on lines is deleted before they are: the chain knows of it. */
static void
expired(void)
{
	struct audit_keep keep = { .who = "me", .output_since_ns = INT64_MAX,
		.execs_since_ns = INT64_MAX, .events_since_ns = INT64_MAX };
	struct audit_exec x = { .pid = 7, .ppid = 1, .path = "/bin/ls",
		.argv = "ls", .argv_len = 3,
		.wall_ns = INT64_C(1700000000000000000), .mono_ns = 5 };
	struct audit_pruned pruned = { .rows = -1 };
	struct err err = ERR_INIT;
	struct audit *a;
	int64_t line;
	int i;

	scratch_mkdir("expired", 0700);
	a = store_open("expired");
	for (i = 0; i < 5; i++) {
		line = store_put(a, "ls", &err);
		audit_exec(a, line, &x);
		audit_note(a, "kind", "text");
		IS_INT(audit_flush(a, &err), 0);
		write_some(a, false);
	}
	IS_INT(audit_prune(a, &keep, &pruned, &err), 0);
	/* Of ten outputs, five programs and six events, the new one of the
	 * outputs' among them, all but the newest of each. */
	IS_INT(pruned.rows, 9 + 4 + 5);
	OK(pruned.lines == 0 && pruned.links == 0);
	check("expired", "");
	/* Numbers go on. */
	write_some(a, false);
	audit_exec(a, store_put(a, "ls", &err), &x);
	IS_INT(audit_flush(a, &err), 0);
	check("expired", "");
	IS_INT(store_count("expired").rows, 12);
	/* Nothing is old. */
	keep.output_since_ns = keep.execs_since_ns = keep.events_since_ns = 1;
	IS_INT(audit_prune(a, &keep, &pruned, &err), 0);
	IS_INT(pruned.rows, 0);
	keep = (struct audit_keep){ .who = "me", .lines = 2 };
	audit_close(a);
	/* What was put in, or deleted, beside that is found all the same. */
	store_sql("expired", "INSERT INTO outputs (command, writer, stream,"
	    " head, bytes, cut) VALUES (1, 'stand-alone', 1, x'41', 1, 0)");
	check("expired", "unchained outputs 13");
	store_sql("expired", "DELETE FROM outputs WHERE id IN (12, 13)");
	check("expired", "missing outputs 12");
}

/* A deletion that nobody made: in the words of one, which the chain does not
 * have, or a session wrote, or which is of what came later. */
static void
not_expired(void)
{
	static const char row[] = "INSERT INTO events (writer, wall_ns,"
	    " mono_ns, kind, text) VALUES ('stand-alone', 1, 1,"
	    " 'output-pruned', '9999 was the last')";
	AEG_AUTOFREE char *path = scratch_path("forged");
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	int i;

	scratch_mkdir("forged", 0700);
	a = store_open("forged");
	for (i = 0; i < 3; i++)
		write_some(a, false);
	audit_note(a, "output-pruned", "9999 was the last");
	IS_INT(audit_flush(a, &err), 0);
	audit_close(a);
	store_sql("forged", "DELETE FROM outputs WHERE id = 1");
	check("forged", "missing outputs 1");
	/* By way of the spool it has not even the name. */
	IS_INT(audit_open_brief(path, STORE_WAIT_NS, true, &a, &err), 0);
	audit_note(a, "output-pruned", "9999 was the last");
	IS_INT(audit_flush(a, &err), 0);
	audit_close(a);
	check("forged", "missing outputs 1");
	store_sql("forged", "CREATE TEMP TABLE t (n CHECK (n = 1)); INSERT"
	    " INTO t SELECT count(*) FROM events WHERE kind = 'event-forged'");
	store_sql("forged", row);
	check("forged", "unchained events 3, missing outputs 1");
	store_sql("forged", "DELETE FROM events WHERE session IS NULL AND"
	    " kind = 'output-pruned'");
	/* One that is chained is of what was there before it. */
	a = store_open("forged");
	IS_INT(audit_db_begin(audit_db_of(a), true, &err), 0);
	IS_INT(audit_row_event(audit_db_of(a), 0, "output-pruned",
	    "9999 was the last", 1, 1, &err), 0);
	IS_INT(audit_db_commit(audit_db_of(a), &err), 0);
	check("forged", "");
	for (i = 0; i < 2; i++)
		write_some(a, false);
	audit_close(a);
	check("forged", "");
	store_sql("forged", "DELETE FROM outputs WHERE id = 8");
	check("forged", "missing outputs 8");
}

static void
left_out(void)
{
	struct audit *a;

	scratch_mkdir("without", 0700);
	a = store_open("without");
	audit_without(a, AUDIT_WITHOUT_OUTPUT);
	write_some(a, false);
	audit_close(a);
	store_sql("without", "CREATE TEMP TABLE t (n CHECK (n = 0)); INSERT"
	    " INTO t SELECT count(*) FROM outputs");
	check("without", "");
}

int
main(void)
{
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	three_ways();
	attacked();
	expired();
	not_expired();
	left_out();
	return tap_done();
}
