/* SPDX-License-Identifier: ISC */
/* After any deletion, at any moment of several sessions at once, what stays
 * verifies; what goes is not in the files any more. */
#include "audit/audit_int.h"
#include "store.h"
#include "store_sql.h"

#include <fcntl.h>
#include <inttypes.h>

#include "aegsh/audit_chain.h"
#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define DIR "pruned"
#define SHELLS 3
#define OPEN 4			/* lines of a shell that are not over */

static uint32_t seed;

static uint32_t
any(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static char found[256];

static void
note(void *ctx, const struct audit_finding *f)
{
	size_t n = strlen(found);

	(void)ctx;
	snprintf(found + n, sizeof found - n, "%s %s %d (link %d) ",
	    audit_fault_name(f->fault), f->table != NULL ? f->table : "-",
	    (int)f->row, (int)f->seq);
}

static struct audit_verdict
check(const struct audit_witnessed *w, size_t n)
{
	AEG_AUTOFREE char *path = scratch_path(DIR);
	struct audit_verdict v = { .findings = -1 };
	struct err err = ERR_INIT;
	struct audit *a = NULL;

	found[0] = '\0';
	if (audit_open(path, true, &a, &err) < 0 ||
	    audit_verify(a, &(struct audit_against){ .witnesses = w,
	    .n = n }, note, NULL, &v, &err) < 0)
		snprintf(found, sizeof found, "%s", err.text);
	audit_close(a);
	return v;
}

static struct audit_pruned
prune(int64_t lines, int64_t since_ns)
{
	AEG_AUTOFREE char *path = scratch_path(DIR);
	struct audit_keep keep = { .lines = lines,
		.since_ns = since_ns, .who = "uid 7 (kim)" };
	struct audit_pruned p = { -1, -1 };
	struct err err = ERR_INIT;
	struct audit *a = NULL;

	if (audit_open(path, false, &a, &err) < 0 ||
	    audit_prune(a, &keep, &p, &err) < 0)
		printf("# %s\n", err.text);
	audit_close(a);
	return p;
}

static struct audit_witnessed
head(void)
{
	AEG_AUTOFREE char *path = scratch_path(DIR);
	struct audit_witnessed w = { .seq = 0 };
	struct audit_origin origin;
	struct err err = ERR_INIT;
	struct audit *a = NULL;

	if (audit_open(path, false, &a, &err) < 0 ||
	    audit_head(a, &err) < 0 ||
	    audit_stand(a, &origin, &w, &err) < 0)
		printf("# %s\n", err.text);
	audit_close(a);
	return w;
}

static void
brief(void)
{
	AEG_AUTOFREE char *path = scratch_path(DIR);
	struct audit_outcome o = { .status = 1 };
	struct audit_event ev = store_event("brief");
	struct err err = ERR_INIT;
	struct audit *a = NULL;

	if (audit_open_brief(path, STORE_WAIT_NS, true, &a, &err) == 0 &&
	    audit_session_begin(a, &store_session, &err) == 0 &&
	    audit_intent(a, &ev, &err) == 0 && any(4) > 0) {
		audit_outcome(a, ev.id, &o);
		audit_session_end(a, &err);
	}
	audit_close(a);
}

struct shell {
	struct audit *a;
	int64_t open[OPEN];
};

static void
act(struct shell *s)
{
	struct audit_event ev = store_event("cd /");
	struct audit_outcome o = { .status = 2, .start_ns = 5 };
	struct audit_exec x = { .pid = 7, .ppid = 1, .path = "/bin/ls",
		.argv = "ls", .argv_len = 3 };
	struct audit_output w = { .stream = AUDIT_STREAM_OUT, .head = "some",
		.head_len = 4, .bytes = 4 };
	int64_t *line = &s->open[any(OPEN)];
	struct err err = ERR_INIT;

	if (s->a == NULL)
		s->a = store_open(DIR);
	switch (any(9)) {
	case 0:
		audit_builtin(s->a, &ev, 0);
		break;
	case 1:
		audit_note(s->a, "validator-cost", "some");
		audit_flush(s->a, &err);
		break;
	case 2:		/* it ends, or is killed, with lines that run on */
		if (any(3) > 0)
			audit_session_end(s->a, &err);
		audit_close(s->a);
		*s = (struct shell){ .a = NULL };
		break;
	case 3:
		brief();
		break;
	case 4:
		if (*line != 0)
			audit_exec(s->a, *line, &x);
		if (*line != 0)
			audit_output(s->a, *line, &w);
		break;
	default:
		if (*line != 0)
			audit_outcome(s->a, *line, &o);
		*line = *line != 0 ? 0 : store_put(s->a, "line", &err);
	}
	if (s->a != NULL && any(3) == 0)
		audit_flush(s->a, &err);
}

static void
at_any_moment(uint32_t start)
{
	struct shell shells[SHELLS] = { { .a = NULL } };
	struct audit_witnessed heads[200];
	size_t n = 0;
	int i, pruned = 0;
	struct audit_verdict v;

	seed = start;
	for (i = 0; i < 400; i++) {
		act(&shells[any(SHELLS)]);
		if (any(12) == 0 && n < AEG_NELEM(heads))
			heads[n++] = head();
		if (any(10) > 0)
			continue;
		pruned += prune(1 + any(any(4) == 0 ? 4 : 60), 0).links > 0;
		/* Heads of nothing are none. */
		v = check(n > 0 && heads[0].seq > 0 ? heads : NULL,
		    n > 0 && heads[0].seq > 0 ? n : 0);
		if (v.findings != 0)
			break;
	}
	OKF(i == 400, "seed %u: step %d: %s", start, i, found);
	OKF(pruned > 2, "seed %u: %d deletions", start, pruned);
	for (i = 0; i < SHELLS; i++)
		audit_close(shells[i].a);
	check(NULL, 0);
	IS_STR(found, "");
}

/* An open line and its session stay, whatever their age; their ends come. */
static void
not_over(void)
{
	struct audit_outcome o = { .status = 4 };
	struct audit *a = store_open(DIR), *b = store_open(DIR);
	struct err err = ERR_INIT;
	int64_t id = store_put(a, "sleep 1000 &", &err), n;
	int i;

	for (i = 0; i < 40; i++)
		audit_outcome(b, store_put(b, "line", &err), &o);
	audit_flush(b, &err);
	n = prune(3, 0).lines;
	OK(n > 30);
	IS_INT(store_count(DIR).unfinished >= 1, 1);
	audit_outcome(a, id, &o);
	audit_session_end(a, &err);
	audit_close(a);
	check(NULL, 0);
	IS_STR(found, "");
	audit_outcome(b, store_put(b, "line", &err), &o);
	audit_session_end(b, &err);
	audit_close(b);
	prune(1, 0);
	check(NULL, 0);
	IS_STR(found, "");
	/* All that are not the newest line, by their age. */
	prune(0, INT64_MAX);
	check(NULL, 0);
	IS_STR(found, "");
	IS_INT(prune(1000, 0).lines, 0);
}

static bool
holds(const char *name, const char *text)
{
	AEG_AUTOFREE char *path = xasprintf("%s/%s/%s", scratch_dir, DIR,
	    name);
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	AEG_AUTOFD int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && io_read_all(fd, &b) < 0)
		scratch_die(path);
	return b.len > 0 && memmem(b.data, b.len, text, strlen(text)) != NULL;
}

static void
is_gone(void)
{
	static const char text[] = "a-word-that-is-to-be-forgotten";
	struct audit *a = store_open(DIR);
	struct audit_outcome o = { .status = 4 };
	struct err err = ERR_INIT;

	audit_outcome(a, store_put(a, text, &err), &o);
	audit_outcome(a, store_put(a, "line", &err), &o);
	audit_session_end(a, &err);
	audit_close(a);
	OK(holds("audit.db", text) || holds("audit.db-wal", text));
	prune(1, 0);
	OK(!holds("audit.db", text) && !holds("audit.db-wal", text));
}

/* A chain that is broken is not cut: that would hide where. */
static void
broken(void)
{
	struct audit *a = store_open(DIR);
	struct err err = ERR_INIT;
	int i;

	for (i = 0; i < 9; i++)
		store_put(a, "line", &err);
	audit_close(a);
	store_sql(DIR, "DELETE FROM chain WHERE seq ="
	    " (SELECT max(seq) - 4 FROM chain)");
	i = store_count(DIR).rows;
	IS_INT(prune(1, 0).lines, -1);
	IS_INT(store_count(DIR).rows, i);
	OK(check(NULL, 0).findings > 0);
}

/* What may hold up nobody is given up whole, and told. */
static void
in_time(void)
{
	struct audit_retain r = { .lines_ns = 1 };
	struct audit_keep keep = { .lines = 1, .who = "x", .budget_ns = 1 };
	struct audit_pruned p = { .lines = -1 };
	struct audit *a = store_open(DIR);
	int64_t before = 0, after = 0, told = 0;
	struct err err = ERR_INIT;
	int i;

	for (i = 0; i < 2000; i++)
		store_put(a, "line", &err);
	OKF(audit_db_pragma(&a->db, "SELECT count(*) FROM chain", &before,
	    &err) == 0 && audit_prune(a, &keep, &p, &err) < 0 &&
	    strstr(err.text, "audit prune") != NULL && p.lines == -1,
	    "no time: %s", err.text);
	IS_INT(audit_db_pragma(&a->db, "SELECT count(*) FROM chain", &after,
	    &err), 0);
	IS_INT(after, before);
	/* The oldest of what goes. */
	keep = (struct audit_keep){ .since_ns = INT64_MAX, .who = "x",
		.most = 7 };
	IS_INT(audit_prune(a, &keep, &p, &err), 0);
	OKF(p.links > 0 && p.links < 100, "%d links", (int)p.links);
	/* Not a second time on that day. */
	audit_retain_now(a, &r);
	IS_INT(audit_db_pragma(&a->db, "SELECT count(*) FROM events WHERE"
	    " kind = 'pruned' AND text LIKE '%session ended%'", &told, &err),
	    0);
	IS_INT(told, 0);
	audit_close(a);
	check(NULL, 0);
	IS_STR(found, "");
}

static void
shift(const char *what, int64_t wall_ago_s, int64_t mono_ago_s)
{
	AEG_AUTOFREE char *text = xasprintf("UPDATE commands SET wall_ns ="
	    " %" PRId64 ", mono_ns = %" PRId64 " WHERE CAST(line AS TEXT) ="
	    " '%s'",
	    clock_wall_ns() - wall_ago_s * 1000000000, clock_mono_ns() -
	    mono_ago_s * 1000000000, what);

	store_sql("twice", text);
}

static bool
is_believed(void)
{
	static const struct audit_retain r = {
		.lines_ns = INT64_C(30) * 86400 * 1000000000 };
	AEG_AUTOFREE char *path = scratch_path("twice");
	struct audit_keep keep = { .since_ns = -1 };
	struct err err = ERR_INIT;
	struct audit *a = NULL;

	IS_INT(audit_open(path, false, &a, &err), 0);
	IS_INT(audit_retain_believe(a, &r, &keep, &err), 0);
	audit_close(a);
	return keep.since_ns > 0;
}

/* A clock that was set a year ahead, and then some hours more: to it the line
 * in between is of yesterday, but the machine has not run for so long. */
static void
twice(void)
{
	struct err err = ERR_INIT;
	struct audit *a;

	scratch_mkdir("twice", 0700);
	a = store_open("twice");
	store_put(a, "truly", &err);
	store_put(a, "after the first", &err);
	audit_close(a);
	shift("truly", 400 * 86400, 3600);
	shift("after the first", 14 * 3600, 3000);
	OKF(!is_believed(), "a clock that was set twice deletes nothing");
	shift("after the first", 14 * 3600, 14 * 3600);
	OKF(is_believed(), "one that has gone on for so long does");
}

/* A clock that is wrong at one start of the machine and at the next: that it
 * shows another day is no proof of one, but that the machine has run is. */
static void
two_starts(void)
{
	struct err err = ERR_INIT;
	struct audit *a;

	if (clock_mono_ns() >= INT64_C(43200) * 1000000000) {
		SKIP(3, "a clock that is wrong at two starts: this machine has"
		    " run for half a day since the last one");
		return;
	}
	store_sql("twice", "UPDATE sessions SET boot_id = 'one', start_mono_ns"
	    " = 1, end_mono_ns = 2");
	OKF(!is_believed(), "a clock of two starts deletes nothing");
	a = store_open("twice");
	store_put(a, "between", &err);
	audit_close(a);
	store_sql("twice", "UPDATE sessions SET boot_id = 'two', start_mono_ns"
	    " = 46800000000000 WHERE id = (SELECT max(id) FROM sessions)");
	OKF(is_believed(), "unless the machine has run for long meanwhile");
	store_sql("twice", "UPDATE sessions SET end_mono_ns ="
	    " 9223372036854775807 WHERE boot_id = 'two'");
	OKF(is_believed(), "whatever number stands there");
}

/* A clock that nobody had set says nothing of when a line ran. */
static void
unset(void)
{
	const int64_t now = clock_wall_ns();
	struct audit_keep keep = { .since_ns = now - INT64_C(1000000000) *
		86400, .execs_since_ns = now - INT64_C(1000000000) * 86400,
		.who = "x" };
	AEG_AUTOFREE char *path = scratch_path("unset");
	struct audit_exec x = { .pid = 7, .ppid = 1, .path = "/bin/ls",
		.argv = "ls", .argv_len = 3 };
	static const char *const lines[] = { "old", "unset", "young" };
	struct audit_pruned p = { .lines = -1 };
	struct err err = ERR_INIT;
	struct audit *a;
	size_t i;

	scratch_mkdir("unset", 0700);
	a = store_open("unset");
	for (i = 0; i < AEG_NELEM(lines); i++) {
		int64_t id = store_put(a, lines[i], &err);

		audit_exec(a, id, &x);
		audit_outcome(a, id, &(struct audit_outcome){ .status = 0 });
		IS_INT(audit_flush(a, &err), 0);
	}
	audit_close(a);
	store_sql("unset", "UPDATE commands SET wall_ns = CASE id WHEN 1 THEN"
	    " 1700000000000000000 WHEN 2 THEN 5 ELSE wall_ns END;"
	    " UPDATE execs SET wall_ns = (SELECT wall_ns FROM commands WHERE"
	    " id = command)");
	IS_INT(audit_open(path, false, &a, &err), 0);
	IS_INT(audit_prune(a, &keep, &p, &err), 0);
	IS_INTN(p.lines, 1, "a line of an unset clock stays with the next");
	audit_close(a);
	store_sql("unset", "UPDATE commands SET wall_ns = 1700000000000000000"
	    " WHERE id = 3");
	a = store_open("unset");
	store_put(a, "younger", &err);
	IS_INT(audit_prune(a, &keep, &p, &err), 0);
	IS_INTN(p.lines, 2, "and goes with it");
	audit_close(a);
}

/* Other seeds by hand: test_audit_prune SEED... */
int
main(int argc, char **argv)
{
	int i;

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	scratch_mkdir(DIR, 0700);
	for (i = 1; i < argc; i++)
		at_any_moment((uint32_t)strtoul(argv[i], NULL, 10));
	at_any_moment(1);
	not_over();
	is_gone();
	in_time();
	twice();
	two_starts();
	unset();
	broken();
	return tap_done();
}
