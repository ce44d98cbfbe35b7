/* SPDX-License-Identifier: ISC */
/*
 * A bash that runs already, unwatched, is to be watched from its next system
 * call on: a stream has come to a command that runs a script which others
 * could change, and its bash holds variables and functions that no other
 * could be given.
 *
 * Only a process itself can put a filter before its system calls
 * (seccomp(2)).  So it is stopped where it makes its next one, which is a
 * read of more input, is made to put up the filter instead, and goes on as
 * if it had not been stopped (ptrace(2)).  It is our own child, which we may
 * trace wherever a supervisor could be at all.
 */
#include "supervise_int.h"

#include <elf.h>
#include <errno.h>
#include <linux/filter.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"

#define PATIENCE_NS ((int64_t)10 * 1000000000)	/* for its next call */
#define TICK_NS 50000
#define BELOW 1024	/* under the stack, where no ABI keeps anything */
#define CALL_STOP (SIGTRAP | 0x80)	/* PTRACE_O_TRACESYSGOOD */

struct tracee {
	pid_t pid;
	struct user_regs_struct regs;	/* at the call that it makes */
	struct __ptrace_syscall_info call;
	uint64_t mask;			/* signals that it had blocked */
};

/* ---- registers ---------------------------------------------------------- */

#if defined(__x86_64__)

/* Number and arguments of a call, and where it is made from. */
static void
set_call(struct user_regs_struct *r, uint64_t nr, const uint64_t *args)
{
	r->rax = nr;
	r->orig_rax = (unsigned long long)-1;	/* nothing to be restarted */
	r->rdi = args[0];
	r->rsi = args[1];
	r->rdx = args[2];
	r->rip -= 2;				/* syscall */
}

static int64_t
result(const struct user_regs_struct *r)
{
	return (int64_t)r->rax;
}

/* At the entry: another call in its place. */
static int
put_instead(pid_t pid, struct user_regs_struct *r, uint64_t nr)
{
	struct iovec iov = { r, sizeof *r };

	r->orig_rax = nr;
	return ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &iov) < 0 ? -errno :
	    0;
}

#elif defined(__aarch64__)

static void
set_call(struct user_regs_struct *r, uint64_t nr, const uint64_t *args)
{
	r->regs[8] = nr;
	r->regs[0] = args[0];
	r->regs[1] = args[1];
	r->regs[2] = args[2];
	r->pc -= 4;				/* svc 0 */
}

static int64_t
result(const struct user_regs_struct *r)
{
	return (int64_t)r->regs[0];
}

static int
put_instead(pid_t pid, struct user_regs_struct *r, uint64_t nr)
{
	int number = (int)nr;
	struct iovec iov = { &number, sizeof number };

	(void)r;
	return ptrace(PTRACE_SETREGSET, pid, NT_ARM_SYSTEM_CALL, &iov) < 0 ?
	    -errno : 0;
}

#else

static void
set_call(struct user_regs_struct *r, uint64_t nr, const uint64_t *args)
{
	(void)r, (void)nr, (void)args;
}

static int64_t
result(const struct user_regs_struct *r)
{
	(void)r;
	return -ENOSYS;
}

static int
put_instead(pid_t pid, struct user_regs_struct *r, uint64_t nr)
{
	(void)pid, (void)r, (void)nr;
	return -ENOSYS;
}

#endif

/* ---- stopping ----------------------------------------------------------- */

/* Its end is left for whoever waits for it. */
static int
next_stop(pid_t pid, int *ret_status)
{
	const struct timespec tick = { 0, TICK_NS };
	int64_t until = clock_mono_ns() + PATIENCE_NS;
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED |
		    WNOWAIT | WNOHANG | __WALL) < 0 && errno != EINTR)
			return -errno;
		if (info.si_pid == pid && info.si_code != CLD_TRAPPED &&
		    info.si_code != CLD_STOPPED)
			return -ESRCH;
		if (info.si_pid == pid && waitpid(pid, ret_status,
		    WNOHANG | __WALL) == pid)
			return 0;
		if (clock_mono_ns() > until)
			return -ETIMEDOUT;
		if (info.si_pid == 0)
			nanosleep(&tick, NULL);
	}
}

/* A signal that comes is its own. */
static long
signal_of(int status)
{
	return status >> 16 == 0 && WSTOPSIG(status) != CALL_STOP ?
	    WSTOPSIG(status) : 0;
}

/* On to where it begins or ends a call, from the stop that status is of. */
static int
go_to_call(pid_t pid, int status)
{
	int rc;

	do {
		if (ptrace(PTRACE_SYSCALL, pid, 0, signal_of(status)) < 0)
			return -errno;
		rc = next_stop(pid, &status);
		if (rc < 0)
			return rc;
	} while (WSTOPSIG(status) != CALL_STOP);
	return 0;
}

static int
get_regs(pid_t pid, struct user_regs_struct *ret)
{
	struct iovec iov = { ret, sizeof *ret };

	return ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &iov) < 0 ? -errno :
	    0;
}

static int
set_regs(pid_t pid, struct user_regs_struct *regs)
{
	struct iovec iov = { regs, sizeof *regs };

	return ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &iov) < 0 ? -errno :
	    0;
}

static int
set_mask(pid_t pid, uint64_t mask)
{
	return ptrace(PTRACE_SETSIGMASK, pid, sizeof mask, &mask) < 0 ?
	    -errno : 0;
}

/* At the entry of a call, which is made again later; no handler of its own
 * runs until then. */
static int
stop_it(struct tracee *t)
{
	struct user_regs_struct regs;
	int status = 0, rc;

	if (ptrace(PTRACE_INTERRUPT, t->pid, 0, 0) < 0)
		return -errno;
	rc = next_stop(t->pid, &status);
	do {
		if (rc == 0)
			rc = go_to_call(t->pid, status);
		status = 0;
		if (rc == 0 && ptrace(PTRACE_GET_SYSCALL_INFO, t->pid,
		    sizeof t->call, &t->call) < 0)
			rc = -errno;
	} while (rc == 0 && t->call.op != PTRACE_SYSCALL_INFO_ENTRY);
	if (rc == 0 && ptrace(PTRACE_GETSIGMASK, t->pid, sizeof t->mask,
	    &t->mask) < 0)
		rc = -errno;
	if (rc == 0)
		rc = get_regs(t->pid, &t->regs);
	if (rc == 0)
		rc = set_mask(t->pid, ~(uint64_t)0);
	regs = t->regs;
	if (rc == 0)
		rc = put_instead(t->pid, &regs, __NR_getpid);
	return rc == 0 ? go_to_call(t->pid, 0) : rc;
}

/* What the call comes to, made by that process. */
static int64_t
make_call(struct tracee *t, uint64_t nr, uint64_t a, uint64_t b, uint64_t c)
{
	struct user_regs_struct regs = t->regs;
	const uint64_t args[] = { a, b, c };
	int rc;

	set_call(&regs, nr, args);
	rc = set_regs(t->pid, &regs);
	if (rc == 0)
		rc = go_to_call(t->pid, 0);	/* its entry */
	if (rc == 0)
		rc = go_to_call(t->pid, 0);	/* its end */
	if (rc == 0)
		rc = get_regs(t->pid, &regs);
	return rc == 0 ? result(&regs) : rc;
}

/* As if it had not been stopped: the same call, again. */
static int
let_go(struct tracee *t)
{
	struct user_regs_struct regs = t->regs;
	int rc;

	set_call(&regs, t->call.entry.nr, t->call.entry.args);
	rc = set_regs(t->pid, &regs);
	if (rc == 0)
		rc = set_mask(t->pid, t->mask);
	if (rc == 0 && ptrace(PTRACE_DETACH, t->pid, 0, 0) < 0)
		rc = -errno;
	return rc;
}

/* ---- the filter --------------------------------------------------------- */

/* The listener's number there, or -errno. */
static int64_t
put_up_filter(struct tracee *t, uint32_t asks)
{
	struct {
		struct sock_fprog prog;
		struct sock_filter filter[SUP_FILTER_MAX];
	} there = { .prog = { .len = 0 } };
	const uint64_t at = (t->call.stack_pointer - BELOW - sizeof there) &
	    ~(uint64_t)15;
	struct iovec from = { &there, sizeof there };
	struct iovec to = { (void *)(uintptr_t)at, sizeof there };
	unsigned long flags[2];
	int64_t fd;

	there.prog.len = (unsigned short)sup_filter(asks, there.filter,
	    flags);
	there.prog.filter = (struct sock_filter *)(uintptr_t)(at +
	    offsetof(__typeof__(there), filter));
	if (there.prog.len == 0)
		return -ENOSYS;
	if (process_vm_writev(t->pid, &from, 1, &to, 1, 0) !=
	    (ssize_t)sizeof there)
		return -EFAULT;
	fd = make_call(t, __NR_seccomp, SECCOMP_SET_MODE_FILTER, flags[0], at);
	if (fd == -EINVAL)
		fd = make_call(t, __NR_seccomp, SECCOMP_SET_MODE_FILTER,
		    flags[1], at);
	return fd;
}

/* Ours, and not there any more. */
static int
take_listener(struct tracee *t, int64_t there)
{
	AEG_AUTOFD int pidfd = (int)syscall(SYS_pidfd_open, t->pid, 0);
	int fd = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd,
	    (int)there, 0);
	int error = errno;

	if (fd < 0)
		return -error;
	if (make_call(t, __NR_close, (uint64_t)there, 0, 0) == 0)
		return fd;
	io_close(&fd);
	return -EIO;
}

int
sup_attach(pid_t pid, uint32_t asks)
{
	struct tracee t = { .pid = pid };
	bool filtered = false;
	int64_t there;
	int rc, fd = -1, left;

	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACESYSGOOD |
	    PTRACE_O_EXITKILL) < 0)
		return -errno;
	rc = stop_it(&t);
	if (rc < 0) {
		/* Where it stands is not known. */
		kill(pid, SIGKILL);
		ptrace(PTRACE_DETACH, pid, 0, 0);
		return rc;
	}
	there = put_up_filter(&t, asks);
	if (there >= 0) {
		filtered = true;
		fd = take_listener(&t, there);
	}
	rc = there < 0 ? (int)there : fd;
	left = let_go(&t);
	if (left < 0 || (filtered && fd < 0)) {
		/* It has a filter that nobody answers, or none of its own
		 * registers. */
		kill(pid, SIGKILL);
		ptrace(PTRACE_DETACH, pid, 0, 0);
		io_close(&fd);
		return left < 0 ? left : rc;
	}
	return rc;
}
