/* SPDX-License-Identifier: ISC */
/*
 * Those that write for somebody else (the process of a session's store, and
 * the one that syncs for a short run), killed before each of their system
 * calls in turn: who waits for them goes on, what it was told is there is
 * there, each line once, the chain verifies, and the next one goes on.
 */
#include "audit/audit_int.h"
#include "killed.h"
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define LINES 3

enum kind { KIND_SHORT = 0, KIND_SESSION };

struct seen {
	int rows, twice, open;
	char lines[LINES + 1];	/* which are there */
	struct err err;
};

/* ---- what is there ------------------------------------------------------- */

static int
see(void *ctx, const struct audit_row *row)
{
	struct seen *s = ctx;

	s->rows++;
	if (row->len != 1 || *row->line <= '0' || *row->line > '0' + LINES)
		return 0;
	s->twice += s->lines[*row->line - '0']++;
	s->open += row->ran && !row->finished;
	return 0;
}

/* rows -1: it cannot be read, or does not verify. */
static struct seen
look(const char *path)
{
	struct seen s = { .err = ERR_INIT };

	if (!store_is_sound(path, see, &s, &s.err))
		s.rows = -1;
	return s;
}

/* ---- who records --------------------------------------------------------- */

static void
tell(int to, char what)
{
	if (write(to, &what, 1) != 1)
		_exit(3);
}

/* The lock of who was killed is not kept up by who waited for it. */
static bool
spool_is_free(const char *path)
{
	AEG_AUTOFREE char *name = xasprintf("%s/" AUDIT_SPOOL, path);
	AEG_AUTOFD int fd = open(name, O_RDWR | O_CLOEXEC);

	return fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Tells of each line that may run; status 1: at the end not all was taken. */
static void __attribute__((noreturn))
record(const char *path, enum kind kind, int to)
{
	struct audit_outcome o = { .status = 3 };
	struct audit *a = NULL;
	struct err err;
	int rc;
	char i;

	killed_begin();
	rc = kind == KIND_SHORT ? audit_open_brief(path, STORE_WAIT_NS, false,
	    &a, &err) : audit_open_apart(path, STORE_WAIT_NS, false, &a, &err);
	if (rc < 0 || audit_session_begin(a, &store_session, &err) < 0)
		_exit(2);
	for (i = 1; i <= LINES; i++) {
		const char line[] = { (char)('0' + i), '\0' };
		int64_t id = store_put(a, line, &err);

		if (id <= 0 && !spool_is_free(path))
			_exit(4);
		if (id <= 0)
			continue;
		tell(to, i);
		audit_outcome(a, id, &o);
		if (i != 2)
			(void)audit_flush(a, &err);
	}
	rc = audit_session_end(a, &err);
	audit_close(a);
	_exit(rc < 0);
}

/* ---- who kills ----------------------------------------------------------- */

/* 1: killed, 0: all ended before, -1: nothing can be traced here, 2: who
 * waited for it failed. */
static int
run(const char *path, enum kind kind, int nth, char told[LINES + 1])
{
	int ends[2], status = 0;
	bool killed;
	pid_t pid;
	char n;

	if (pipe2(ends, O_CLOEXEC) < 0)
		scratch_die("pipe");
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		record(path, kind, ends[1]);
	close(ends[1]);
	killed = killed_watch(pid, nth, &status);
	while (io_read_full(ends[0], &n, 1) == 0)
		if (n > 0 && n <= LINES)
			told[(int)n]++;
	close(ends[0]);
	if (WIFEXITED(status) && WEXITSTATUS(status) == KILLED_CANNOT)
		return -1;
	return !WIFEXITED(status) || WEXITSTATUS(status) > (killed ? 1 : 0) ?
	    2 : killed;
}

/* ---- both ---------------------------------------------------------------- */

/* NULL, or what is wrong. */
static const char *
wrong(const struct seen *s, const char told[LINES + 1])
{
	int i, n = 0;

	if (s->rows < 0)
		return "it does not verify";
	for (i = 1; i <= LINES; i++) {
		n += told[i];
		if (s->lines[i] < told[i])
			return "a line that ran is not there";
	}
	if (s->twice != 0)
		return "a line is there twice";
	/* Another takes its place, and is told again. */
	if (n < LINES)
		return "a line was refused";
	if (s->open > 0)
		return "an outcome is not there";
	return NULL;
}

static bool
once(const char *path, const char *dir, enum kind kind, int nth, int *ret_rc)
{
	char told[LINES + 1] = { 0 };
	struct err err = ERR_INIT;
	const char *why;
	struct seen s;
	struct audit *a;
	int before;

	scratch_mkdir(dir, 0700);
	a = store_open(dir);
	store_put(a, "before", &err);
	audit_close(a);
	*ret_rc = run(path, kind, nth, told);
	if (*ret_rc < 0)
		return true;
	s = look(path);
	why = *ret_rc > 1 ? "who waited for it failed" : wrong(&s, told);
	before = s.rows;
	if (why == NULL) {
		a = store_open(dir);
		store_put(a, "after", &s.err);
		audit_close(a);
		s = look(path);
		if (s.rows != before + 1)
			why = "the next one does not go on";
	}
	if (why != NULL)
		printf("# before call %d: %s: %d rows, %d open: %s\n", nth,
		    why, s.rows, s.open, s.err.text);
	scratch_remove_in(AT_FDCWD, path);
	return why == NULL;
}

static void
everywhere(const char *name, enum kind kind, int step, int at_least)
{
	int nth, rc = 1, bad = 0;

	for (nth = 1; rc == 1 && nth < 5000 && bad < 5; nth += step) {
		AEG_AUTOFREE char *dir = xasprintf("%s-%d", name, nth);
		AEG_AUTOFREE char *path = scratch_path(dir);

		bad += !once(path, dir, kind, nth, &rc);
	}
	if (rc < 0)
		SKIP(1, "who writes for another is killed: no process can be "
		    "traced here");
	else
		OKF(bad == 0 && rc == 0 && nth > at_least,
		    "%s: killed before %s of %d system calls", name,
		    step == 1 ? "each" : "some", nth - step - 1);
}

int
main(void)
{
	int step = tap_share("the calls of a session");

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	everywhere("short-run", KIND_SHORT, 1, 10);
	everywhere("session", KIND_SESSION, step, 50);
	return tap_done();
}
