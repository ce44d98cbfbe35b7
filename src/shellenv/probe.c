/* SPDX-License-Identifier: ISC */
/*
 * One probe: a program run with nothing on stdin, its output capped, a
 * limit in time, held by confine.c, and everything it started killed at
 * the end.
 *
 * A monitor process stands between: it is the subreaper of the probe's
 * descendants, so that one that left the process group is found and killed
 * too, and it answers on a pipe of its own, so that a descendant which
 * keeps the output open cannot make the caller wait.
 */
#include "shellenv_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"

#define GRACE_MS 1000		/* for the monitor to clean up */
#define SWEEPS 64		/* rounds of killing what forks meanwhile */
#define MS INT64_C(1000000)

struct answer {
	int status;
	int timed_out;
};

static void
set_limit(int which, rlim_t value)
{
	struct rlimit l;

	if (getrlimit(which, &l) < 0)
		return;
	if (l.rlim_max == RLIM_INFINITY || l.rlim_max > value)
		l.rlim_max = value;
	l.rlim_cur = l.rlim_max;
	setrlimit(which, &l);
}

static void __attribute__((noreturn))
run_program(const struct probe *p, int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;
	int i;

	if (null < 0 || setpgid(0, 0) < 0)
		_exit(126);
	for (i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	/* A write over the limit fails instead of killing. */
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(null, 0) < 0 || dup2(out, 1) < 0 ||
	    dup2(p->with_stderr ? out : null, 2) < 0)
		_exit(126);
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	if (chdir("/") < 0)
		_exit(126);
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_FSIZE, 0);
	set_limit(RLIMIT_CPU, 10);
	i = se_confine_self();
	/* Without Landlock the other limits have to do, and
	 * se_probe_confinement() says so. */
	if (i < 0 && i != -ENOSYS && i != -EOPNOTSUPP && i != -E2BIG)
		_exit(126);
	execve(p->path, (char *const *)p->argv, (char *const *)p->env);
	_exit(127);
}

/* The monitor's children, by the kernel's list. */
static int
kill_children(void)
{
	char text[4096], *p, *end;
	AEG_AUTOFD int fd = open("/proc/thread-self/children",
	    O_RDONLY | O_CLOEXEC);
	ssize_t n;
	long pid;
	int killed = 0;

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof text - 1);
	text[n > 0 ? n : 0] = '\0';
	for (p = text; (pid = strtol(p, &end, 10)) > 0 && end != p; p = end) {
		kill((pid_t)pid, SIGKILL);
		killed++;
	}
	return killed;
}

static void
sweep(pid_t group)
{
	int i;

	kill(-group, SIGKILL);
	for (i = 0; i < SWEEPS && kill_children() > 0; i++)
		while (waitpid(-1, NULL, 0) > 0)
			;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/* SIGTERM (from the caller, or from the kernel when the caller died) ends
 * the probe early; it is taken by sigtimedwait() like SIGCHLD. */
static void __attribute__((noreturn))
monitor(const struct probe *p, pid_t caller, int out, int tell)
{
	int64_t left, end = clock_mono_ns() + p->limit_ms * MS;
	struct answer a = { .status = -1 };
	struct timespec ts;
	sigset_t set;
	pid_t pid, got;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	/* No controlling terminal: a profile cannot ask the person. */
	if (setsid() < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) < 0 ||
	    getppid() != caller)
		_exit(126);
	pid = fork();
	if (pid == 0)
		run_program(p, out);
	close(out);
	setpgid(pid, pid);
	while (pid > 0) {
		got = waitpid(pid, &a.status, WNOHANG);
		if (got == pid)
			break;
		left = end - clock_mono_ns();
		ts.tv_sec = left / (1000 * MS);
		ts.tv_nsec = left % (1000 * MS);
		if (left <= 0 || sigtimedwait(&set, NULL, &ts) == SIGTERM) {
			a.timed_out = 1;
			break;
		}
	}
	if (pid > 0)
		sweep(pid);
	io_write_full(tell, &a, sizeof a);
	_exit(0);
}

/* Output until the monitor answers; then what is left in the pipe. */
static int
collect(int out, int tell, int limit_ms, struct probe_result *ret)
{
	int64_t end = clock_mono_ns() + (limit_ms + GRACE_MS) * MS;
	struct pollfd fds[2] = { { out, POLLIN, 0 }, { tell, POLLIN, 0 } };
	struct answer a;
	char chunk[4096];
	bool done = false;
	ssize_t n;

	for (;;) {
		int64_t left = (end - clock_mono_ns()) / MS;
		int r = left <= 0 ? 0 : poll(fds, 2, (int)left);

		if (r < 0 && errno != EINTR)
			return -errno;
		if (r == 0)
			return -ETIMEDOUT;
		if (r < 0)
			continue;
		if (fds[1].revents != 0 && !done) {
			if (io_read_full(tell, &a, sizeof a) < 0)
				return -ECHILD;
			ret->status = a.status;
			ret->timed_out = a.timed_out != 0;
			done = true;
			fds[1].fd = -1;
		}
		n = read(out, chunk, sizeof chunk);
		if (n > 0)
			buf_put(&ret->out, chunk, (size_t)n);
		if (n == 0)
			fds[0].fd = -1;
		if (buf_overflow(&ret->out)) {
			ret->too_much = true;
			return 0;
		}
		/* Everything that could write is dead when it answers. */
		if (done && n <= 0 && (n == 0 || errno == EAGAIN))
			return 0;
	}
}

/* The monitor ends by itself; one that cannot (a process that does not die)
 * is left behind rather than waited for. */
static void
wait_monitor(pid_t pid, bool early)
{
	int64_t end = clock_mono_ns() + GRACE_MS * MS;
	const struct timespec tick = { 0, 2 * MS };

	if (early)
		kill(pid, SIGTERM);
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (clock_mono_ns() > end) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			return;
		}
		nanosleep(&tick, NULL);
	}
}

int
se_probe_run(const struct probe *p, struct probe_result *ret, struct err *err)
{
	AEG_AUTOFD int out_r = -1, tell_r = -1;
	int out[2], tell[2], r;
	pid_t pid, self = getpid();

	if (pipe2(out, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	out_r = out[0];
	if (pipe2(tell, O_CLOEXEC) < 0) {
		r = errno;
		close(out[1]);
		return err_sys(err, r, "pipe");
	}
	tell_r = tell[0];
	fcntl(out_r, F_SETFL, O_NONBLOCK);
	pid = fork();
	if (pid == 0) {
		close(out_r);
		close(tell_r);
		monitor(p, self, out[1], tell[1]);
	}
	r = pid < 0 ? errno : 0;
	close(out[1]);
	close(tell[1]);
	if (pid < 0)
		return err_sys(err, r, "fork");
	*ret = (struct probe_result){ .out = BUF_INIT_MAX(p->out_max),
		.status = -1 };
	r = collect(out_r, tell_r, p->limit_ms, ret);
	wait_monitor(pid, r < 0 || ret->too_much);
	if (r < 0) {
		buf_done(&ret->out);
		return err_set(err, r, "%s: %s", p->path, err_str(r));
	}
	return 0;
}

void
se_probe_result_done(struct probe_result *r)
{
	buf_done(&r->out);
}
