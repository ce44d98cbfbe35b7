/* SPDX-License-Identifier: ISC */
/*
 * What a short run has to say to the spool, said by a process beside it.
 *
 * Nothing can take back a write(2) or an fsync(2) that the kernel does not
 * return from, and who is in one cannot even be killed.  So a process of its
 * own is: it shares our memory, which makes it as cheap as a thread, but none
 * of our descriptors, and so holds nothing that our caller waits for.  We wait
 * for it as long as we want to.  What it is told to sync it writes while we go
 * on: it makes system calls, and touches no memory but its own.  Where we gave
 * it up it still does what it was told to, and ends: what it uses is left to
 * it.
 */
#include "audit_int.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/call.h"
#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define STACK ((size_t)64 * 1024)
#define STARTS_MAX 3		/* for one record, where they are killed */
#define TICK_NS (INT64_C(20) * 1000 * 1000)	/* looks whether it is there */

/* A sanitizer's marks on this stack would outlive the process. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASIDE __attribute__((no_sanitize("address"), noinline))
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ASIDE __attribute__((no_sanitize_address, noinline))
#endif
#ifndef ASIDE
#define ASIDE __attribute__((noinline))
#endif

enum { STEP_WRITES = 0, STEP_SYNCS, STEP_OVER };

struct audit_aside {
	int32_t step;
	int32_t alive;		/* its number, until the kernel says 0 */
	pid_t pid;		/* the same, until it was waited for */
	bool given_up;
	int64_t until;
	struct audit_spool spool;	/* a copy, its own */
	struct audit_slots what;	/* room NULL: nothing to write */
	bool sync, settled;
	int rc, sync_error;
	char *stack;
	struct audit_aside *next;
};

/* Left behind: they may be in use still. */
static struct audit_aside *in_use;

/* ---- there --------------------------------------------------------------- */

static ASIDE void
reach(struct audit_aside *j, int32_t step)
{
	__atomic_store_n(&j->step, step, __ATOMIC_RELEASE);
	call_raw(SYS_futex, (long)(intptr_t)&j->step, FUTEX_WAKE, 1, 0);
}

static ASIDE long
until_done(long number, int fd)
{
	long said;

	do
		said = call_raw(number, fd, 0, 0, 0);
	while (said == -EINTR);
	return said;
}

static ASIDE void
close_others(int a, int b)
{
	int low = a < b ? a : b, high = a < b ? b : a;

	if (low < 0)
		low = high;
	if (low > 0)
		call_raw(SYS_close_range, 0, low - 1, 0, 0);
	if (high > low + 1)
		call_raw(SYS_close_range, low + 1, high - 1, 0, 0);
	call_raw(SYS_close_range, high + 1, (long)~0U, 0, 0);
}

static ASIDE int
aside(void *arg)
{
	static const char name[] = "aegsh-sync", top[] = "/";
	struct audit_aside *j = arg;
	long said = 0;

	close_others(j->spool.fd, j->spool.made_in);
	call_raw(SYS_setsid, 0, 0, 0, 0);
	call_raw(SYS_chdir, (long)(intptr_t)top, 0, 0, 0);
	call_raw(SYS_prctl, PR_SET_NAME, (long)(intptr_t)name, 0, 0);
	if (j->what.room != NULL)
		j->rc = audit_spool_write(&j->spool, &j->what);
	reach(j, STEP_SYNCS);
	if (j->rc == 0 && j->sync && j->spool.made_in >= 0)
		said = until_done(SYS_fsync, j->spool.made_in);
	if (j->rc == 0 && j->sync && said == 0)
		said = until_done(SYS_fdatasync, j->spool.fd);
	j->sync_error = (int)-said;
	reach(j, STEP_OVER);
	return 0;
}

void
audit_slots_done(struct audit_slots *what)
{
	buf_done(&what->record);
	free(what->room);
	what->room = NULL;
}

/* ---- here ---------------------------------------------------------------- */

static int
start(struct audit_aside *j)
{
	sigset_t all, old;
	int pid, error;

	/* A sanitizer's marks are left on that of one that was killed. */
	free(j->stack);
	j->stack = xmalloc(STACK);
	j->step = STEP_WRITES;
	j->rc = j->sync_error = 0;
	/* A handler of ours must not run there. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = clone(aside, j->stack + STACK, CLONE_VM | CLONE_PARENT_SETTID |
	    CLONE_CHILD_CLEARTID, j, &j->alive, NULL, &j->alive);
	error = errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	j->pid = pid > 0 ? pid : 0;
	return pid < 0 ? -error : 0;
}

/* False: not in time, or (*ret_killed) never. */
static bool
await(struct audit_aside *j, int32_t step, bool *ret_killed)
{
	*ret_killed = false;
	for (;;) {
		int32_t at = __atomic_load_n(&j->step, __ATOMIC_ACQUIRE);
		int64_t left = j->until - clock_mono_ns();
		struct timespec tick = { 0, left < TICK_NS ? left : TICK_NS };

		if (at >= step)
			return true;
		if (*ret_killed || left <= 0)
			return false;
		/* Its last step may come before its end is seen. */
		*ret_killed = __atomic_load_n(&j->alive, __ATOMIC_ACQUIRE) ==
		    0;
		if (!*ret_killed)
			call_raw(SYS_futex, (long)(intptr_t)&j->step,
			    FUTEX_WAIT, at, (long)(intptr_t)&tick);
	}
}

/* It is on its last system call, or killed.  False: not in time; somebody may
 * have stopped it just there. */
static bool
has_gone(struct audit_aside *j)
{
	int32_t at;

	while ((at = __atomic_load_n(&j->alive, __ATOMIC_ACQUIRE)) != 0) {
		int64_t left = j->until - clock_mono_ns();
		struct timespec tick = { 0, left < TICK_NS ? left : TICK_NS };

		if (left <= 0)
			return false;
		call_raw(SYS_futex, (long)(intptr_t)&j->alive, FUTEX_WAIT, at,
		    (long)(intptr_t)&tick);
	}
	if (j->pid > 0)
		while (waitpid(j->pid, NULL, __WCLONE) < 0 && errno == EINTR)
			;
	j->pid = 0;
	return true;
}

/* Not waited for before there is need to. */
static bool
reap(struct audit_aside *j)
{
	if (!has_gone(j))
		return false;
	audit_slots_done(&j->what);
	return true;
}

static int
not_done(struct audit_spool *s, bool killed)
{
	if (killed && reap(s->aside)) {
		/* It may have held the lock, which is one for both of us. */
		call_raw(SYS_flock, s->fd, LOCK_UN, 0, 0);
		s->why = "the process that writes to it was killed";
		s->number = 0;
		return ERR_STORE;
	}
	s->aside->given_up = true;
	return AUDIT_TOO_LATE;
}

static void
done(struct audit_aside *j)
{
	(void)reap(j);		/* it has ended */
	free(j->stack);
	free(j);
}

static void
sweep(void)
{
	struct audit_aside **at = &in_use, *j;

	while ((j = *at) != NULL) {
		if (__atomic_load_n(&j->alive, __ATOMIC_ACQUIRE) == 0) {
			*at = j->next;
			done(j);
		} else {
			at = &j->next;
		}
	}
}

static struct audit_aside *
ready(struct audit_spool *s)
{
	struct audit_aside *j = s->aside;

	if (j == NULL)
		s->aside = j = xcalloc(1, sizeof *j);
	sweep();
	j->until = clock_mono_ns() + s->wait_ns;
	return j;
}

/* No process can be had: a line could not be started either. */
static int
cannot(struct audit_spool *s, int error)
{
	s->why = "start a process to write to it";
	s->number = error;
	audit_slots_done(&s->aside->what);
	return ERR_STORE;
}

/* One at a time: the one before must have synced. */
static int
one_before(struct audit_spool *s)
{
	bool killed;

	if (s->aside->given_up)
		return AUDIT_TOO_LATE;
	if (s->aside->pid == 0)
		return 0;
	if (!await(s->aside, STEP_OVER, &killed) && !killed)
		return not_done(s, false);
	return reap(s->aside) ? 0 : not_done(s, false);
}

int
audit_aside_written(struct audit_spool *s)
{
	struct audit_aside *j = s->aside;
	int rc, starts = 0;
	bool killed;

	if (j == NULL)
		return 0;
	if (j->given_up)
		return AUDIT_TOO_LATE;
	while (!await(j, STEP_SYNCS, &killed)) {
		if (!killed || ++starts == STARTS_MAX || !has_gone(j))
			return not_done(s, killed);
		/* It may have written it, and not have said so. */
		audit_slots_twice(&j->what);
		rc = start(j);
		if (rc < 0)
			return cannot(s, -rc);
	}
	/* It may be long, and has been read. */
	audit_slots_done(&j->what);
	s->seen = j->spool.seen;
	s->why = j->spool.why;
	s->number = j->spool.number;
	return j->rc;
}

/*
 * Two that run at a time.  A sanitizer keeps one state for what are two
 * processes in one memory: there one of them sleeps.  Where there is but one
 * processor it comes to write, and so to sync, when we sleep: the sooner, the
 * better.
 */
static bool
is_beside_us(void)
{
#ifdef AEGSH_SANITIZE
	return false;
#else
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof cpus, &cpus) < 0 ||
	    CPU_COUNT(&cpus) > 1;
#endif
}

int
audit_aside(struct audit_spool *s, struct audit_slots *what, bool sync)
{
	struct audit_aside *j = ready(s);
	int rc = one_before(s);

	if (rc < 0) {
		audit_slots_done(what);
		return rc;
	}
	j->spool = *s;
	j->spool.window = NULL;
	/* Who asked gives up by itself; it does what it was told. */
	j->spool.busy_ns = INT64_MAX;
	j->what = *what;
	j->sync = sync;
	j->settled = false;
	j->spool.late_ns = j->until;
	rc = start(j);
	if (rc < 0)
		return cannot(s, -rc);
	return sync && is_beside_us() ? AUDIT_ON_ITS_WAY :
	    audit_aside_written(s);
}

/* Of what is written already. */
static int
start_sync(struct audit_spool *s)
{
	struct audit_aside *j = s->aside;
	int rc;

	if (j->pid != 0 && !reap(j))
		return not_done(s, false);
	j->spool = *s;
	j->what = (struct audit_slots){ .room = NULL };
	j->sync = true;
	rc = start(j);
	return rc < 0 ? cannot(s, -rc) : 0;
}

int
audit_aside_settle(struct audit_spool *s)
{
	struct audit_aside *j = s->aside != NULL ? s->aside : ready(s);
	int rc, starts = 0;
	bool killed;

	if (j->given_up)
		return AUDIT_TOO_LATE;
	if (j->what.room != NULL) {
		rc = audit_aside_written(s);
		if (rc < 0)
			return rc;
	}
	if (j->pid == 0 || !j->sync || j->settled) {
		ready(s);
		rc = start_sync(s);
		if (rc < 0)
			return rc;
	}
	while (!await(j, STEP_OVER, &killed)) {
		if (!killed || ++starts == STARTS_MAX)
			return not_done(s, killed);
		rc = start_sync(s);
		if (rc < 0)
			return rc;
	}
	j->settled = true;
	if (j->sync_error == 0) {
		io_close(&s->made_in);
		return 0;
	}
	s->why = "sync";
	s->number = j->sync_error;
	return ERR_STORE;
}

pid_t
audit_aside_pid(const struct audit_spool *s)
{
	return s->aside != NULL ? s->aside->pid : 0;
}

/* One that was given up, or was not waited for, uses it still. */
void
audit_aside_free(struct audit_aside *j)
{
	bool killed = false;

	if (j == NULL)
		return;
	if (!j->given_up && j->pid > 0)
		(void)await(j, STEP_OVER, &killed);
	j->next = in_use;
	in_use = j;
	sweep();
}
