/* SPDX-License-Identifier: ISC */
/*
 * A program that starts as another user (sudo and its like), outside of the
 * line's sandbox: in the directory, the process group and with the descriptors
 * of who asked for it, and with nothing else of ours.
 */
#include "exec_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define GRACE_S 2		/* from SIGXCPU to SIGKILL */
#define ABOVE_STD 10		/* where they wait to be put in place */

static int
place_std(const int *std)
{
	int own[3], i;

	for (i = 0; i < 3; i++) {
		own[i] = fcntl(std[i], F_DUPFD_CLOEXEC, ABOVE_STD);
		if (own[i] < 0)
			return -errno;
	}
	for (i = 0; i < 3; i++)
		if (dup2(own[i], i) < 0)
			return -errno;
	return syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) < 0 ?
	    -errno : 0;
}

/* Nobody raises what there is. */
static int
limit_cpu(uint64_t ms)
{
	struct rlimit now;
	rlim_t most = (ms + 999) / 1000;

	if (ms == 0)
		return 0;
	if (getrlimit(RLIMIT_CPU, &now) < 0)
		return -1;
	if (now.rlim_cur > most)
		now.rlim_cur = most;
	if (now.rlim_max > most + GRACE_S)
		now.rlim_max = most + GRACE_S;
	return setrlimit(RLIMIT_CPU, &now);
}

static int
prepare(const struct exec_elevated *e)
{
	const struct itimerval wall = { .it_value = {
		(time_t)(e->wall_ms / 1000),
		(suseconds_t)(e->wall_ms % 1000 * 1000) } };
	int sig;

	/* Its keys are those of the line. */
	if (setpgid(0, e->group) < 0 || fchdir(e->cwd) < 0)
		return -errno;
	umask(e->umask);
	if (setrlimit(RLIMIT_NOFILE, &e->files) < 0 ||
	    limit_cpu(e->cpu_ms) < 0 ||
	    (e->wall_ms > 0 && setitimer(ITIMER_REAL, &wall, NULL) < 0))
		return -errno;
	for (sig = 1; sig <= SIGRTMAX; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			signal(sig, SIG_DFL);
	return place_std(e->std);
}

static void __attribute__((noreturn))
become(const struct exec_elevated *e, int tell)
{
	int rc = prepare(e);
	sigset_t none;

	if (rc == 0) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		execve(e->path, e->run != NULL ? e->run : e->argv, e->envp);
		rc = -errno;
	}
	(void)io_write_full(tell, &rc, sizeof rc);
	_exit(127);
}

/* The decision is about these words. */
static bool
is_decided(const struct decision *d, char *const *argv)
{
	AEG_AUTO(buf_done) struct buf line = BUF_INIT;
	size_t len;
	const char *bytes = decision_bytes(d, &len);

	text_quote_words(&line, argv);
	return line.len > 0 && line.len == len &&
	    memcmp(line.data, bytes, len) == 0;
}

/*
 * It changes nothing of ours but our stack below this: without its own pages,
 * which nobody would read, it is there sooner.  In the line's group it hears
 * what is sent to that; no handler of ours may run in it then, which would
 * take that for sent to us.
 */
static pid_t
start_child(const struct exec_elevated *e, int tell)
{
	sigset_t all, old;
	pid_t pid;
	int saved;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = vfork();
	if (pid == 0)
		become(e, tell);
	saved = errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return pid;
}

/* Nothing but the end of the pipe means that it became the program; 0, or
 * why not. */
static int
hear(int from)
{
	int rc = 0;
	ssize_t n;

	do
		n = read(from, &rc, sizeof rc);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return 0;
	return n == (ssize_t)sizeof rc && rc < 0 ? rc : -EIO;
}

int
exec_elevate(const struct decision *d, const struct exec_elevated *e,
    pid_t *ret_pid, struct err *err)
{
	int tell[2], rc = 0;
	pid_t pid;

	if (decision_action(d) != DECISION_ALLOW || !is_decided(d, e->argv))
		return err_set(err, ERR_REFUSED,
		    "the decision does not let this run");
	if (pipe2(tell, O_CLOEXEC) < 0)
		return err_sys(err, errno, "a pipe");
	/* Above what they are put in place from. */
	tell[1] = io_move_up(tell[1], 2 * ABOVE_STD);
	pid = tell[1] < 0 ? -1 : start_child(e, tell[1]);
	io_close(&tell[1]);
	if (pid < 0)
		rc = -errno;
	else
		rc = hear(tell[0]);
	io_close(&tell[0]);
	if (rc < 0) {
		if (pid > 0)
			waitpid(pid, NULL, 0);
		return err_sys(err, -rc, "%s", e->path);
	}
	*ret_pid = pid;
	return 0;
}
