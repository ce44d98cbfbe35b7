/* SPDX-License-Identifier: ISC */
/*
 * A writer that is killed before each of its system calls in turn, as it
 * begins a store, as it goes on with one, and as it writes to a spool: what
 * it had confirmed is there, the chain verifies, and the next one goes on.
 */
#include "aegsh/audit_chain.h"
#include "audit/audit_int.h"
#include "store.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define LINES 3

struct seen {
	int rows;
	struct err err;
};

static int
count(void *ctx, const struct audit_row *row)
{
	(void)row;
	((struct seen *)ctx)->rows++;
	return 0;
}

/* rows -1: it does not read or verify. */
static struct seen
look(const char *path)
{
	struct seen s = { 0, ERR_INIT };

	if (!store_is_sound(path, count, &s, &s.err))
		s.rows = -1;
	return s;
}

static void
confirm(int to, char n)
{
	if (write(to, &n, 1) != 1)
		_exit(3);
}

static void __attribute__((noreturn))
write_lines(const char *path, bool brief, int to)
{
	struct audit_outcome o = { .status = 3 };
	struct audit *a = NULL;
	struct err err;
	char i;

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(77);
	raise(SIGSTOP);
	if ((brief ? audit_open_brief(path, STORE_WAIT_NS, true, &a, &err) :
	    audit_open(path,
	    false, &a, &err)) < 0 || audit_session_begin(a, &store_session,
	    &err) < 0)
		_exit(2);
	for (i = 1; i <= LINES; i++) {
		int64_t id = store_put(a, "a line", &err);

		if (id <= 0)
			_exit(4);
		confirm(to, i);
		audit_outcome(a, id, &o);
		if (i != 2 && audit_flush(a, &err) < 0)
			_exit(5);
	}
	audit_session_end(a, &err);
	audit_close(a);
	_exit(0);
}

/* Kill it before its nth system call.  1: it was; 0: it had ended; -1: no
 * process can be traced here. */
static int
run(const char *path, bool brief, int nth, int *ret_confirmed)
{
	int ends[2], status = 0, stops = 0;
	char n;
	pid_t pid;

	*ret_confirmed = 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		scratch_die("pipe");
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		write_lines(path, brief, ends[1]);
	close(ends[1]);
	waitpid(pid, &status, 0);
	if (WIFSTOPPED(status))
		ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL |
		    PTRACE_O_TRACESYSGOOD);
	/* Each call stops twice, as it begins and as it ends. */
	while (WIFSTOPPED(status) && stops < 2 * nth - 1) {
		if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) < 0)
			break;
		waitpid(pid, &status, 0);
		stops += WIFSTOPPED(status) && WSTOPSIG(status) ==
		    (SIGTRAP | 0x80);
	}
	if (WIFSTOPPED(status)) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	while (io_read_full(ends[0], &n, 1) == 0)
		*ret_confirmed = n;
	close(ends[0]);
	/* Those that it left go on, and are ours then. */
	while (waitpid(-1, NULL, __WALL) > 0)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		return -1;
	return WIFSIGNALED(status) ? 1 : WEXITSTATUS(status) == 0 ? 0 : 2;
}

/* first: lines that are there before.  step: of the calls, every so many. */
static void
everywhere(const char *name, bool brief, int first, int step)
{
	int nth, confirmed, rc = 1, bad = 0;

	for (nth = 1; rc == 1 && nth < 5000 && bad < 5; nth += step) {
		AEG_AUTOFREE char *dir = xasprintf("%s-%d", name, nth);
		AEG_AUTOFREE char *path = scratch_path(dir);
		struct err err = ERR_INIT;
		struct audit *a;
		struct seen s;
		int i, before;

		scratch_mkdir(dir, 0700);
		a = store_open(dir);
		for (i = 0; i < first; i++)
			store_put(a, "before", &err);
		audit_close(a);
		rc = run(path, brief, nth, &confirmed);
		s = look(path);
		before = s.rows;
		if (rc < 0)
			break;
		if (rc <= 1 && s.rows >= first + confirmed) {
			a = store_open(dir);
			store_put(a, "after", &s.err);
			audit_close(a);
			s = look(path);
		}
		if (rc > 1 || s.rows != before + 1) {
			printf("# before call %d (%d): %d confirmed, %d and %d"
			    " there: %s\n", nth, rc, confirmed, before,
			    s.rows, s.err.text);
			bad++;
		}
		scratch_remove_in(AT_FDCWD, path);
	}
	if (rc < 0)
		SKIP(1, "killed before each system call: no process can be "
		    "traced here");
	else
		OKF(bad == 0 && rc == 0 && confirmed == LINES && nth > 20,
		    "%s: killed before %s of %d system calls", name,
		    step == 1 ? "each" : "some", nth - step - 1);
}

int
main(void)
{
	int step = tap_share("the calls of a writer");

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	everywhere("new", false, 0, step);
	everywhere("old", false, 2, step);
	everywhere("spool", true, 0, step);
	everywhere("spool-of-a-store", true, 2, step);
	return tap_done();
}
