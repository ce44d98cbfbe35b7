/* SPDX-License-Identifier: ISC */
/*
 * What becomes of the record when the disk fails: each row of the table of
 * faults in aegsh-audit(5) that a file system for sqlite can play.  What was
 * confirmed stays, whatever fails afterwards; what fails says so; and once
 * the fault is over, the same session records again.
 */
#include "aegsh/audit_chain.h"
#include "audit/audit_int.h"
#include "faultvfs.h"
#include "held.h"
#include "killed.h"
#include "store.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>

static const struct {
	const char *name;
	enum fault_op op;
	int code;
	bool soon;	/* where a session opens the store, which then has
			 * lines: later, nothing is read or opened */
} faults[] = {
	{ "no space", FAULT_WRITE, SQLITE_FULL },
	{ "a write fails", FAULT_WRITE, SQLITE_IOERR_WRITE },
	{ "a sync fails", FAULT_SYNC, SQLITE_IOERR_FSYNC },
	{ "a read fails", FAULT_READ, SQLITE_IOERR_READ, true },
	{ "no descriptor is left", FAULT_OPEN, SQLITE_CANTOPEN, true },
	{ "the file system turns read-only", FAULT_WRITE, SQLITE_READONLY },
};

struct seen {
	int rows, ended;
};

static int
count(void *ctx, const struct audit_row *row)
{
	struct seen *s = ctx;

	s->rows++;
	s->ended += row->finished;
	return 0;
}

/* Rows of a store that verifies; -1: it does not, and why is said. */
static struct seen
look(const char *dir)
{
	static const struct audit_query all = { 0 };
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct audit_against against = { NULL, 0, NULL };
	struct audit_verdict v = { .findings = -1 };
	struct seen s = { 0, 0 };
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	int rc = audit_open(path, true, &a, &err);

	if (rc == 0)
		rc = audit_verify(a, &against, NULL, NULL, &v, &err);
	if (rc == 0)
		rc = audit_query(a, &all, count, &s, &err);
	audit_close(a);
	if (rc == -ENOENT)
		return s;	/* nothing is recorded yet */
	if (rc < 0 || v.findings != 0) {
		printf("# %s, %d findings\n", err.text, (int)v.findings);
		s.rows = -1;
	}
	return s;
}

/* ---- an operation that fails -------------------------------------------- */

/* Two lines, a fault from the nth operation on while four more come, and one
 * when it is over.  False: something was lost, or not said. */
static bool
one_fault(size_t which, int after, bool lasts, enum audit_journal journal,
    bool *ret_hit)
{
	static int n;
	AEG_AUTOFREE char *dir = xasprintf("f%d", n++);
	struct audit_outcome o = { .status = 3 };
	struct err err = ERR_INIT;
	struct audit *a;
	struct seen s;
	int confirmed = 0, silent = 0, i;

	scratch_mkdir(dir, 0700);
	a = store_open(dir);
	audit_db_of(a)->journal = journal;
	if (faults[which].soon) {
		confirmed += store_put(a, "before", &err) > 0;
		audit_outcome(a, 1, &o);
		audit_close(a);
		a = store_open(dir);
		audit_db_of(a)->journal = journal;
	}
	audit_db_of(a)->busy_ns = 1000 * 1000;
	for (i = 0; i < 7; i++) {
		int64_t id;

		if (i == (faults[which].soon ? 0 : 2))
			fault = (struct fault){ faults[which].op, after,
				0, lasts, faults[which].code, 0 };
		if (i == 6) {
			*ret_hit = fault.hits > 0;
			fault = (struct fault){ .op = FAULT_NONE };
		}
		err = (struct err)ERR_INIT;
		id = store_put(a, "line", &err);
		confirmed += id > 0;
		silent += id <= 0 && err.text[0] == '\0';
		if (id > 0)
			audit_outcome(a, id, &o);
		audit_flush(a, NULL);
		if (i == 6 && id <= 0) {
			printf("# not over: %s\n", err.text);
			silent++;
		}
	}
	i = audit_session_end(a, &err);
	audit_close(a);
	s = look(dir);
	/* What failed may be there all the same, never the other way. */
	if (s.rows >= confirmed && s.ended >= confirmed && silent == 0 &&
	    i == 0)
		return true;
	printf("# %s after %d%s: %d confirmed, %d there, %d ended, %d silent\n",
	    faults[which].name, after, lasts ? " and on" : "", confirmed,
	    s.rows, s.ended, silent);
	return false;
}

static void
operations(enum audit_journal journal, const char *name, int step)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(faults); i++) {
		int after, bad = 0, runs = 0, hits = 0;
		bool hit = true;

		for (after = 0; hit && after < 80;
		    after += (after < 16 ? 1 : 5) * step) {
			bool twice = false;

			bad += !one_fault(i, after, false, journal, &hit);
			bad += !one_fault(i, after, true, journal, &twice);
			hits += hit;
			runs++;
		}
		OKF(bad == 0 && hits > 0, "%s, %s: nothing is lost, in %d "
		    "places", name, faults[i].name, hits);
	}
}

/* ---- a power cut -------------------------------------------------------- */

static void
record(const char *dir, enum audit_journal journal, int lines)
{
	struct audit_outcome o = { .status = 0, .note = "over" };
	struct err err = ERR_INIT;
	struct audit *a;
	int i;

	scratch_mkdir(dir, 0700);
	fault_forget();
	fault_keeps = true;
	a = store_open(dir);
	audit_db_of(a)->journal = journal;
	for (i = 1; i <= lines; i++) {
		int64_t id = store_put(a, "a line", &err);

		if (id != i) {
			printf("# %s\n", err.text);
			exit(99);
		}
		fault_ack(i);
		audit_outcome(a, id, &o);
		if (i % 3 != 0)
			audit_flush(a, &err);
	}
	audit_session_end(a, &err);
	audit_close(a);
	fault_keeps = false;
}

/* After the cut, the lines that were confirmed, and one more. */
static bool
survives(size_t at, unsigned seed)
{
	AEG_AUTOFREE char *dir = scratch_path("cut");
	struct err err = ERR_INIT;
	struct audit *a;
	int64_t acked, id;
	struct seen s;

	if (access(dir, F_OK) == 0)
		scratch_remove_in(AT_FDCWD, dir);
	scratch_mkdir("cut", 0700);
	acked = fault_cut("cut", at, seed);
	s = look("cut");
	if (s.rows < acked) {
		printf("# cut after %zu of %zu, seed %u: %d of %d lines\n",
		    at, fault_n, seed, s.rows, (int)acked);
		return false;
	}
	a = store_open("cut");
	id = store_put(a, "after", &err);
	audit_close(a);
	if (id > 0 && look("cut").rows == s.rows + 1)
		return true;
	printf("# cut after %zu, seed %u: %s\n", at, seed, err.text);
	return false;
}

static void
cut_everywhere(const char *name, int share)
{
	size_t at, cuts = 0, bad = 0, step, places = 0;
	unsigned seed;

	/* Around each confirmation and each sync, and some between. */
	step = fault_n / 60 + 1;
	for (at = 1; at <= fault_n && bad < 5; at++) {
		enum fault_what what = fault_log[at - 1].what;

		if (what != FAULT_ACK && what != FAULT_DID_SYNC &&
		    at % step != 0)
			continue;
		if (places++ % (size_t)share != 0)
			continue;
		for (seed = 0; seed < 3; seed++, cuts++)
			bad += !survives(at, (unsigned)at * 31 + seed);
	}
	OKF(bad == 0 && cuts > 100 / (size_t)share,
	    "%s: a power cut loses nothing that was confirmed, in %zu cuts of "
	    "%zu events", name, cuts, fault_n);
}

static void
power(enum audit_journal journal, const char *name, int lines, int share)
{
	record(name, journal, lines);
	cut_everywhere(name, share);
}

/* ---- a power cut, where others write ------------------------------------- */

static const char *ack_pipe;	/* as /proc has it */

/* Of a process that is traced: the call that it is in. */
static struct in_call {
	pid_t pid;
	uint64_t number, args[4];
} in_calls[16];

static struct in_call *
call_of(pid_t pid)
{
	struct in_call *free_one = NULL;
	size_t i;

	for (i = 0; i < AEG_NELEM(in_calls); i++) {
		if (in_calls[i].pid == pid)
			return &in_calls[i];
		if (in_calls[i].pid == 0 || kill(in_calls[i].pid, 0) < 0)
			free_one = &in_calls[i];
	}
	if (free_one == NULL)
		scratch_die("too many processes");
	*free_one = (struct in_call){ .pid = pid };
	return free_one;
}

static void
read_from(pid_t pid, uint64_t at, void *to, size_t len)
{
	struct iovec here = { to, len }, there = { (void *)(uintptr_t)at,
		len };

	if (process_vm_readv(pid, &here, 1, &there, 1, 0) <= 0)
		scratch_die("process_vm_readv");
}

static void
was_written(pid_t pid, int file, const struct in_call *c, int64_t n)
{
	AEG_AUTOFREE char *bytes = xmalloc((size_t)n);

	read_from(pid, c->args[1], bytes, (size_t)n);
	fault_did(FAULT_DID_WRITE, file, (int64_t)c->args[3], bytes,
	    (size_t)n);
}

static void
was_removed(pid_t pid, uint64_t at)
{
	char name[256];
	size_t i;

	for (i = 0; i < sizeof name - 1; i++) {
		read_from(pid, at + i, &name[i], 1);
		if (name[i] == '\0')
			break;
	}
	name[i] = '\0';
	fault_did(FAULT_DID_DELETE, fault_which(name), 0, NULL, 0);
}

/* A spool is there once its directory was synced, too; sqlite sees to its own
 * files. */
static void
was_synced(const char *path, int file)
{
	static bool spool_named;
	struct stat st;

	if (file < 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		spool_named = true;
		fault_did(FAULT_DID_SYNC_NAMES, 0, 0, NULL, 0);
	}
	if (text_ends(path, AUDIT_SPOOL) && !spool_named)
		return;
	fault_did(FAULT_DID_SYNC, file, 0, NULL, 0);
}

/* It has returned n. */
static void
was_called(pid_t pid, const struct in_call *c, int64_t n)
{
	AEG_AUTOFREE char *link = xasprintf("/proc/%d/fd/%d", (int)pid,
	    (int)c->args[0]);
	char path[512];
	ssize_t len;
	int file;

	if (n < 0)
		return;
	if (c->number == SYS_unlinkat)
		was_removed(pid, c->args[1]);
#ifdef SYS_unlink
	if (c->number == SYS_unlink)
		was_removed(pid, c->args[0]);
#endif
	if (c->number != SYS_pwrite64 && c->number != SYS_write &&
	    c->number != SYS_ftruncate && c->number != SYS_fsync &&
	    c->number != SYS_fdatasync)
		return;
	len = readlink(link, path, sizeof path - 1);
	path[len > 0 ? len : 0] = '\0';
	file = fault_which(path);
	if (c->number == SYS_write && strcmp(path, ack_pipe) == 0) {
		char line;

		read_from(pid, c->args[1], &line, 1);
		fault_ack(line);
	} else if (c->number == SYS_pwrite64 && file >= 0 && n > 0) {
		was_written(pid, file, c, n);
	} else if (c->number == SYS_ftruncate) {
		fault_did(FAULT_DID_TRUNCATE, file, (int64_t)c->args[1], NULL,
		    0);
	} else if (c->number == SYS_fsync || c->number == SYS_fdatasync) {
		was_synced(path, file);
	}
}

/* Each of their calls, until all have ended. */
static void
follow(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		struct ptrace_syscall_info info = { .op = 0 };
		struct in_call *c;
		size_t i;

		if (!WIFSTOPPED(status))
			continue;
		if (WSTOPSIG(status) == (SIGTRAP | 0x80) && killed_trace(
		    PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) > 0) {
			c = call_of(pid);
			if (info.op == PTRACE_SYSCALL_INFO_EXIT)
				was_called(pid, c, info.exit.rval);
			c->number = info.entry.nr;
			for (i = 0; i < AEG_NELEM(c->args); i++)
				c->args[i] = info.entry.args[i];
		}
		killed_trace(PTRACE_SYSCALL, pid, 0, (void *)(intptr_t)
		    killed_passed_on(status));
	}
}

static void __attribute__((noreturn))
record_by_others(const char *path, bool brief, int lines, int to)
{
	struct audit_outcome o = { .status = 0, .note = "over" };
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	int i;

	killed_begin();
	/* An ordinary user's helper lets nobody look at it, who traces it
	 * neither: here it says so to no kernel. */
	if (held_install(SYS_prctl, SECCOMP_RET_ERRNO, 0) < 0)
		_exit(4);
	/* The disk that this process has. */
	sqlite3_vfs_register(sqlite3_vfs_find("unix"), 1);
	if ((brief ? audit_open_brief(path, STORE_WAIT_NS, false, &a, &err) :
	    audit_open_apart(path, STORE_WAIT_NS, false, &a, &err)) < 0 ||
	    audit_session_begin(a, &store_session, &err) < 0)
		_exit(2);
	for (i = 1; i <= lines; i++) {
		int64_t id = store_put(a, "a line", &err);

		if (id <= 0 || write(to, &(char){ (char)i }, 1) != 1)
			_exit(3);
		audit_outcome(a, id, &o);
		if (i % 3 != 0)
			audit_flush(a, &err);
	}
	audit_session_end(a, &err);
	audit_close(a);
	_exit(0);
}

static void
power_of_others(bool brief, const char *name, int lines, int share)
{
	AEG_AUTOFREE char *path = scratch_path(name);
	AEG_AUTOFREE char *link = NULL;
	int ends[2], status = 0;
	char seen[64] = "";
	pid_t pid;

	scratch_mkdir(name, 0700);
	if (pipe2(ends, O_CLOEXEC) < 0)
		scratch_die("pipe");
	link = xasprintf("/proc/self/fd/%d", ends[1]);
	if (readlink(link, seen, sizeof seen - 1) < 0)
		scratch_die(link);
	ack_pipe = seen;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		record_by_others(path, brief, lines, ends[1]);
	waitpid(pid, &status, 0);
	if (!WIFSTOPPED(status)) {
		SKIP(1, "a power cut where others write: no process can be "
		    "traced here");
		return;
	}
	fault_forget();
	fault_keeps = true;
	killed_trace(PTRACE_SETOPTIONS, pid, 0, (void *)(intptr_t)(
	    PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK |
	    PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE));
	killed_trace(PTRACE_SYSCALL, pid, 0, NULL);
	follow();
	fault_keeps = false;
	close(ends[0]);
	close(ends[1]);
	cut_everywhere(name, share);
}

int
main(void)
{
	int share = tap_share("the operations that fail and the power cuts");

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	fault_init();
	operations(AUDIT_JOURNAL_WAL, "log", share);
	operations(AUDIT_JOURNAL_DELETE, "journal", share);
	power(AUDIT_JOURNAL_WAL, "log", 60, share);
	power(AUDIT_JOURNAL_DELETE, "journal", 12, share);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	power_of_others(true, "short runs", 10, share);
	power_of_others(false, "session", 10, share);
	fault_forget();
	return tap_done();
}
