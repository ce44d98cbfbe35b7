/* SPDX-License-Identifier: ISC */
/* The spool: what short runs write is what readers see, once, whatever is
 * killed, torn, full, or begun anew in between. */
#include "audit/audit_int.h"
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define WRITERS 32
#define RUNS 8

static struct audit *
brief_open(const char *dir)
{
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct audit *a = NULL;
	struct err err = ERR_INIT;

	if (audit_open_brief(path, STORE_WAIT_NS, true, &a, &err) < 0 ||
	    audit_session_begin(a, &store_session, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(99);
	}
	return a;
}

static void
run(const char *dir, const char *line, int status)
{
	struct audit *a = brief_open(dir);
	struct err err = ERR_INIT;
	int64_t id = store_put(a, line, &err);

	if (id < 0)
		fprintf(stderr, "# %s\n", err.text);
	audit_outcome(a, id, &(struct audit_outcome){ .status = status,
	    .duration_ns = 5, .note = "n" });
	if (audit_session_end(a, &err) < 0)
		fprintf(stderr, "# %s\n", err.text);
	audit_close(a);
}

static bool
is_there(const char *name)
{
	AEG_AUTOFREE char *path = scratch_path(name);

	return access(path, F_OK) == 0;
}

static int
show_row(void *ctx, const struct audit_row *r)
{
	buf_putf(ctx, "%" PRId64 " %.*s %s %s %s %d %s %s\n", r->session,
	    (int)r->len, r->line, r->user, r->rule, r->finished ? "ended" :
	    r->ran ? "open" : "refused", r->status, r->note != NULL ?
	    r->note : "-", r->uuid[14] == '4' ? "v4" : r->uuid);
	return 0;
}

static void
rows(const char *dir, const struct audit_query *q, const char *want,
    const char *name)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct audit *a = NULL;
	struct err err = ERR_INIT;

	if (audit_open(path, true, &a, &err) < 0 ||
	    audit_query(a, q, show_row, &b, &err) < 0)
		buf_putf(&b, "! %s", err.text);
	audit_close(a);
	IS_STRN(b.data != NULL ? b.data : "", want, name);
}

/* One number that sqlite finds in a store. */
static int64_t
number(const char *dir, const char *sql)
{
	AEG_AUTOFREE char *path = NULL;
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	int64_t n = -1;

	if (asprintf(&path, "%s/%s/audit.db", scratch_dir, dir) > 0 &&
	    sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == 0 &&
	    sqlite3_prepare_v2(db, sql, -1, &st, NULL) == 0 &&
	    sqlite3_step(st) == SQLITE_ROW)
		n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return n;
}

static const struct audit_query all = { 0 };
static const struct audit_query open_only = { .ended = AUDIT_ENDED_OPEN };

static void
as_store_rows(void)
{
	struct err err = ERR_INIT;
	struct audit_event ev = store_event("rm x");
	struct audit *a;

	scratch_mkdir("one", 0700);
	run("one", "first", 3);
	OK(is_there("one/audit.spool") && !is_there("one/audit.db"));
	a = brief_open("one");
	ev.ran = false;
	ev.redacted = 300;
	ev.votes = "policy=block person=no";
	ev.answered_by = "somebody";
	ev.tokens_in = 11;
	ev.tokens_out = 12;
	ev.cost = 13;
	ev.judge_ns = 14;
	ev.argv = "sh\0b \n";
	ev.argv_len = 7;
	IS_INT(audit_intent(a, &ev, &err), 0);
	ev = store_event("echo x");
	audit_builtin(a, &ev, 7);
	audit_note(a, "state-stripped", "LD_PRELOAD");
	IS_INT(audit_flush(a, &err), 0);
	OK(!audit_pending(a));
	OK(store_put(a, "left open", &err) == 2);
	audit_outcome(a, 4711, &(struct audit_outcome){ .status = 1 });
	audit_close(a);
	rows("one", &all, "1 first somebody admin.read ended 3 n v4\n"
	    "2 rm x somebody admin.read refused 0 - v4\n"
	    "2 echo x somebody admin.read ended 7 - v4\n"
	    "2 left open somebody admin.read open 0 - v4\n", "as in a store");
	rows("one", &open_only,
	    "2 left open somebody admin.read open 0 - v4\n", "unfinished");
	IS_INT(number("one", "SELECT count(*) FROM events WHERE kind IN"
	    " ('state-stripped', 'outcome-without-row')"), 2);
	IS_INT(number("one", "SELECT count(*) FROM sessions WHERE"
	    " end_wall_ns IS NOT NULL"), 1);
	IS_INT(number("one", "SELECT sum(redacted) FROM commands WHERE"
	    " ran = 0"), 300);
	IS_INT(number("one", "SELECT count(*) FROM commands WHERE votes ="
	    " 'policy=block person=no' AND answered_by = 'somebody' AND"
	    " tokens_in = 11 AND tokens_out = 12 AND cost = 13 AND judge_ns ="
	    " 14 AND argv = x'73680062200a00'"), 1);
	IS_INT(number("one", "SELECT count(*) FROM commands WHERE argv IS"
	    " NULL AND votes IS NULL"), 3);
	IS_INT(number("one", "SELECT sum(redacted) FROM commands WHERE"
	    " ran = 1"), 0);
	IS_INT(number("one", "SELECT count(*) FROM commands WHERE"
	    " length(sha256) = 32 AND wall_ns > 0"), 4);
	/* Twice read is not twice there. */
	rows("one", &open_only,
	    "2 left open somebody admin.read open 0 - v4\n", "again");
	IS_INT(store_count("one").rows, 4);
}

/* A session takes in what short runs wrote, in the order of time, and an
 * outcome finds its row when that went into the store long before. */
static void
among_sessions(void)
{
	struct err err = ERR_INIT;
	struct audit *session, *brief;
	int64_t id;

	scratch_mkdir("both", 0700);
	session = store_open("both");
	OK(store_put(session, "typed", &err) == 1);
	run("both", "short", 0);
	brief = brief_open("both");
	id = store_put(brief, "long", &err);
	OK(store_put(session, "typed too", &err) == 4);
	audit_outcome(brief, id, &(struct audit_outcome){ .status = 9 });
	audit_session_end(brief, &err);
	audit_close(brief);
	IS_INT(audit_ready(session, &err), 0);
	IS_INT(number("both", "SELECT count(*) FROM commands WHERE"
	    " status = 9 AND id = 3"), 1);
	rows("both", &all, "1 typed somebody admin.read open 0 - v4\n"
	    "2 short somebody admin.read ended 0 n v4\n"
	    "3 long somebody admin.read ended 9 - v4\n"
	    "1 typed too somebody admin.read open 0 - v4\n", "in order");
	audit_close(session);
}

static void
write_runs(const char *dir)
{
	int i;

	for (i = 0; i < RUNS; i++)
		run(dir, "line", 0);
	_exit(0);
}

static void
read_often(const char *dir)
{
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct err err = ERR_INIT;
	int i;

	for (i = 0; i < 20; i++) {
		struct audit *a = NULL;
		int rc = audit_open(path, true, &a, &err);

		audit_close(a);
		if (rc < 0 && rc != -ENOENT) {
			fprintf(stderr, "# %s\n", err.text);
			_exit(1);
		}
	}
	_exit(0);
}

/* 32 that write, four that take in, all at once. */
static void
many(void)
{
	struct store_count c;
	pid_t pids[WRITERS + 4];
	int gate[2], i, status, good = 0;
	char byte;

	scratch_mkdir("many", 0700);
	if (pipe(gate) < 0)
		scratch_die("pipe");
	for (i = 0; i < WRITERS + 4; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			close(gate[1]);
			if (read(gate[0], &byte, 1) != 0)
				_exit(9);
			if (i < WRITERS)
				write_runs("many");
			read_often("many");
		}
	}
	close(gate[0]);
	close(gate[1]);
	for (i = 0; i < WRITERS + 4; i++)
		good += waitpid(pids[i], &status, 0) == pids[i] && status == 0;
	IS_INTN(good, WRITERS + 4, "nobody saw an error");
	c = store_count("many");
	IS_INTN(c.rows, WRITERS * RUNS, "every line is there once");
	IS_INTN(c.unfinished, 0, "every outcome is there");
	IS_INT(number("many", "SELECT count(*) FROM events"), 0);
	IS_INT(number("many", "SELECT count(*) FROM sessions WHERE"
	    " end_wall_ns IS NULL"), 0);
}

/* Killed anywhere, writers and those who take in: what was confirmed is
 * there, and nothing is there twice. */
static void
killed(void)
{
	int round, good = 0, twice = 0, ids[2], n, status;
	int64_t confirmed = 0, id;
	struct err err = ERR_INIT;
	struct store_count c;
	struct audit *a;
	pid_t pid, folder;

	scratch_mkdir("kill", 0700);
	for (round = 0; round < 20; round++) {
		if (pipe(ids) < 0)
			scratch_die("pipe");
		pid = fork();
		if (pid == 0) {
			a = brief_open("kill");
			for (;;) {
				id = store_put(a, "line", &err);
				if (id < 0 || write(ids[1], &id, sizeof id) < 0)
					_exit(1);
				audit_outcome(a, id,
				    &(struct audit_outcome){ .status = 0 });
				audit_flush(a, &err);
			}
		}
		folder = fork();
		if (folder == 0)
			for (;;)
				store_count("kill");
		close(ids[1]);
		for (n = 0; n < 3 + round * 5 && io_read_full(ids[0], &id,
		    sizeof id) == 0; n++)
			confirmed++;
		kill(folder, SIGKILL);
		kill(pid, SIGKILL);
		waitpid(folder, &status, 0);
		waitpid(pid, &status, 0);
		while (io_read_full(ids[0], &id, sizeof id) == 0)
			confirmed++;
		close(ids[0]);
		c = store_count("kill");
		good += c.rows >= confirmed && c.rows <= confirmed + round + 1;
	}
	IS_INTN(good, 20, "nothing confirmed was lost in 20 kills");
	twice = (int)number("kill", "SELECT count(*) - count(DISTINCT uuid)"
	    " FROM commands");
	IS_INTN(twice, 0, "and nothing is there twice");
}

static void
spoil(const char *name, off_t at, const void *bytes, size_t len)
{
	AEG_AUTOFREE char *path = scratch_path(name);
	AEG_AUTOFD int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || pwrite(fd, bytes, len, at) != (ssize_t)len)
		scratch_die(path);
}

/* What a power failure may leave: slots of the newest records torn, a torn
 * header.  All else is read, and the gap is told. */
static void
torn(void)
{
	char zeros[AUDIT_SLOT] = "", noise[AUDIT_SLOT];

	memset(noise, 0xa5, sizeof noise);
	scratch_mkdir("torn", 0700);
	run("torn", "one", 0);		/* slot 1: intent; 2: outcome */
	run("torn", "two", 0);
	spoil("torn/audit.spool", 4 * AUDIT_SLOT, zeros, sizeof zeros);
	run("torn", "three", 0);
	rows("torn", &all, "1 one somebody admin.read ended 0 n v4\n"
	    "2 two somebody admin.read open 0 - v4\n"
	    "3 three somebody admin.read ended 0 n v4\n", "a zeroed slot");
	IS_INT(number("torn", "SELECT count(*) FROM events"), 0);

	scratch_mkdir("noise", 0700);
	run("noise", "one", 0);
	run("noise", "two", 0);
	run("noise", "three", 0);
	spoil("noise/audit.spool", 3 * AUDIT_SLOT + 40, noise, 100);
	rows("noise", &all, "1 one somebody admin.read ended 0 n v4\n"
	    "2 three somebody admin.read ended 0 n v4\n", "a spoilt record");
	IS_INT(number("noise", "SELECT count(*) FROM events WHERE kind ="
	    " 'spool-unreadable'"), 1);
	IS_INT(number("noise", "SELECT count(*) FROM events WHERE kind ="
	    " 'outcome-without-row'"), 1);

	scratch_mkdir("head", 0700);
	run("head", "one", 0);
	spoil("head/audit.spool", 16, noise, 8);
	run("head", "two", 0);
	IS_INTN(store_count("head").rows, 2, "a torn header");

	scratch_mkdir("other", 0700);
	run("other", "one", 0);
	IS_INT(store_count("other").rows, 1);
	spoil("other/audit.spool", 0, noise, 16);
	IS_INTN(store_count("other").rows, -1, "another file: told");
}

/* Once most of it is in the store, the spool begins anew, in place. */
static void
emptied(void)
{
	AEG_AUTOFREE char *path = scratch_path("empty/audit.spool");
	struct err err = ERR_INIT;
	struct audit *a;
	struct stat st;
	int i;

	scratch_mkdir("empty", 0700);
	for (i = 0; i < 4500; i++) {
		a = brief_open("empty");
		if (store_put(a, "line", &err) < 0)
			break;
		audit_close(a);
	}
	IS_INTN(i, 4500, "4500 runs");
	OK(stat(path, &st) == 0 && st.st_size < 6000 * AUDIT_SLOT);
	OKF(number("empty", "SELECT count(*) FROM commands") > 1000,
	    "a short run took in what was there");
	IS_INT(store_count("empty").rows, 4500);
	run("empty", "last", 0);
	IS_INT(store_count("empty").rows, 4501);
	IS_INT(number("empty", "SELECT count(*) - count(DISTINCT uuid)"
	    " FROM commands"), 0);
}

static void
limit(rlim_t size)
{
	struct rlimit r;

	getrlimit(RLIMIT_FSIZE, &r);
	r.rlim_cur = size < r.rlim_max ? size : r.rlim_max;
	setrlimit(RLIMIT_FSIZE, &r);
}

/* A disk that takes no more: what began can end, what was not written is
 * said, and readers see what is there. */
static void
full(void)
{
	AEG_AUTOFREE char *big = xmalloc(600 * 1024);
	struct audit_event ev = store_event("big");
	struct err err = ERR_INIT;
	struct audit *a, *late;
	int64_t id;

	signal(SIGXFSZ, SIG_IGN);
	scratch_mkdir("full", 0700);
	a = brief_open("full");
	id = store_put(a, "one", &err);
	OK(id == 1);
	limit(4096);
	memset(big, 'x', 600 * 1024);
	ev.line = big;
	ev.len = 600 * 1024;
	late = brief_open("full");
	IS_INT(audit_intent(late, &ev, &err), ERR_STORE);
	OK(strstr(err.text, "audit spool") != NULL);
	audit_close(late);
	limit(RLIM_INFINITY);
	audit_outcome(a, id, &(struct audit_outcome){ .status = 4 });
	IS_INT(audit_session_end(a, &err), 0);
	audit_close(a);
	/* The store takes nothing; a copy in memory does. */
	a = store_open("full");
	IS_INT(audit_ready(a, &err), 0);
	run("full", "two", 0);
	limit(4096);
	rows("full", &all, "1 one somebody admin.read ended 4 - v4\n"
	    "2 two somebody admin.read ended 0 n v4\n", "from a copy");
	limit(RLIM_INFINITY);
	audit_close(a);
	IS_INT(number("full", "SELECT count(*) FROM commands"), 1);
	IS_INT(store_count("full").rows, 2);
	IS_INT(number("full", "SELECT count(*) FROM commands"), 2);
}

/* What needs no sync waits for another that holds the spool as a process of
 * its own does: no longer than it may, and it is there later. */
static void
held(void)
{
	AEG_AUTOFREE char *file = scratch_path("held/audit.spool");
	struct timespec pause = { 0, 2 * 1000 * 1000 };
	struct err err = ERR_INIT;
	struct audit *a;
	int64_t id, end;
	int fd;

	scratch_mkdir("held", 0700);
	a = brief_open("held");
	id = store_put(a, "line", &err);
	OK(id > 0);
	/* A disk that has just answered, for good, and little patience. */
	a->spool.answered_ns = INT64_MAX;
	a->spool.wait_ns = 50 * 1000 * 1000;
	fd = open(file, O_RDWR | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX) < 0)
		scratch_die("flock");
	audit_outcome(a, id, &(struct audit_outcome){ .status = 9 });
	IS_INTN(audit_flush(a, &err), 0, "another holds the spool: no error");
	if (err.text[0] != '\0')
		printf("# %s\n", err.text);
	close(fd);
	audit_close(a);
	end = clock_mono_ns() + STORE_WAIT_NS;
	while (number("held", "SELECT count(*) FROM commands WHERE status = 9")
	    != 1 && clock_mono_ns() < end) {
		(void)store_count("held");	/* takes it in */
		nanosleep(&pause, NULL);
	}
	IS_INTN(number("held", "SELECT count(*) FROM commands WHERE status"
	    " = 9"), 1, "and the outcome is there later");
	IS_INT(store_count("held").rows, 1);
}

static int
intent_rc(const char *dir, const char *says)
{
	struct audit *a = brief_open(dir);
	struct err err = ERR_INIT;
	struct audit_event ev = store_event("x");
	int rc = audit_intent(a, &ev, &err);

	if (rc < 0 && strstr(err.text, says) == NULL)
		printf("# %s\n", err.text);
	audit_close(a);
	return rc < 0 && strstr(err.text, says) == NULL ? 9 : rc;
}

static void
trust(void)
{
	AEG_AUTOFREE char *file = scratch_path("trust/audit.spool");
	AEG_AUTOFREE char *other = scratch_path("trust/other");
	struct err err = ERR_INIT;
	struct audit *a;

	scratch_mkdir("trust", 0700);
	run("trust", "one", 0);
	chmod(file, 0640);
	IS_INT(intent_rc("trust", "mode 0600"), ERR_TRUST);
	chmod(file, 0600);
	if (link(file, other) < 0)
		scratch_die("link");
	IS_INT(intent_rc("trust", "one name"), ERR_TRUST);
	unlink(file);
	if (symlink("other", file) < 0)
		scratch_die("symlink");
	IS_INT(intent_rc("trust", "open"), ERR_STORE);
	unlink(file);
	if (mkfifo(file, 0600) < 0)
		scratch_die("mkfifo");
	IS_INT(intent_rc("trust", "regular"), ERR_TRUST);
	unlink(file);
	a = brief_open("trust");
	OK(store_put(a, "two", &err) > 0);
	unlink(file);
	OK(store_put(a, "three", &err) == ERR_STORE);
	OK(strstr(err.text, "removed or replaced") != NULL);
	audit_close(a);
	/* A session goes on whatever the spool is. */
	scratch_write("trust/audit.spool", "no spool, but long enough to be "
	    "looked at", 41, 0600);
	a = store_open("trust");
	OK(store_put(a, "typed", &err) > 0);
	audit_close(a);
}

/* Bytes of a record that are cut, or changed, end in BAD or END, never
 * outside of the record. */
static void
items(void)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT, part = BUF_INIT;
	unsigned char session[UUID_LEN] = "0123456789abcde";
	struct audit_item item = { .kind = AUDIT_ITEM_COMMAND,
		.command = { .event = store_event("line") } }, got;
	struct pack_reader r;
	size_t cut, bad = 0;
	int n, endless = 0;

	audit_item_start(&b, session);
	audit_item_put(&b, &item);
	for (cut = 0; cut < b.len; cut++) {
		buf_reset(&part);
		buf_put(&part, b.data, cut);
		if (!audit_items_start(&r, &part, session)) {
			bad++;
			continue;
		}
		audit_items_next(&r, &got);
		bad += got.kind == AUDIT_ITEM_BAD ||
		    (cut == UUID_LEN && got.kind == AUDIT_ITEM_END);
	}
	IS_INTN((int)bad, (int)b.len, "every cut is seen");
	for (cut = UUID_LEN; cut < b.len; cut++) {
		b.data[cut] = (char)~b.data[cut];
		audit_items_start(&r, &b, session);
		n = 0;
		do
			audit_items_next(&r, &got);
		while (got.kind != AUDIT_ITEM_END &&
		    got.kind != AUDIT_ITEM_BAD && ++n < 99);
		endless += n >= 99;
		b.data[cut] = (char)~b.data[cut];
	}
	IS_INTN(endless, 0, "no changed byte is read for ever");
}

int
main(void)
{
	/* What a child says is its own, and nothing that we said before. */
	setlinebuf(stdout);
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	many();		/* first: sqlite has nothing to inherit yet */
	killed();
	as_store_rows();
	among_sessions();
	torn();
	emptied();
	full();
	held();
	trust();
	items();
	return tap_done();
}
