/* SPDX-License-Identifier: ISC */
/*
 * The end of a program that runs as another user, or of its line: past a limit
 * of that the supervisor sends SIGTERM to the process that started it.
 *
 * It gets SIGTERM, and a while later SIGKILL with all below it, as sudo does
 * with its command.  What belongs to another user by then hears neither: that
 * has the kernel's timers (struct exec_elevated).
 */
#include "turn/turn_elevate.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "aegsh/base/clock.h"

#define GRACE_NS ((int64_t)2 * 1000000000)
#define STEP_NS (100 * 1000 * 1000)

static volatile sig_atomic_t over;

static void
take_end(int sig)
{
	(void)sig;
	over = 1;
}

void
elevate_hear_end(void)
{
	signal(SIGTERM, take_end);
}

bool
elevate_is_over(void)
{
	return over;
}

static void
end_it(pid_t pid, int64_t *due_ns)
{
	if (*due_ns == 0) {
		kill(pid, SIGTERM);
		kill(pid, SIGCONT);
		*due_ns = clock_mono_ns() + GRACE_NS;
	} else if (clock_mono_ns() >= *due_ns) {
		supervise_kill_tree(pid);
		*due_ns = INT64_MAX;
	}
}

int
elevate_wait(pid_t pid, elevate_stopped_fn *stopped, void *ctx)
{
	const struct timespec step = { 0, STEP_NS };
	int64_t due_ns = 0;
	sigset_t wake, old;
	int status;
	pid_t got;

	sigemptyset(&wake);
	sigaddset(&wake, SIGCHLD);
	sigaddset(&wake, SIGTERM);
	sigprocmask(SIG_BLOCK, &wake, &old);
	for (;;) {
		got = waitpid(pid, &status, WNOHANG | WUNTRACED);
		if (got == pid && !WIFSTOPPED(status))
			break;
		if (got < 0 && errno != EINTR) {
			status = W_EXITCODE(TURN_STATUS_UNKNOWN, 0);
			break;
		}
		if (got == pid)
			stopped(ctx, pid, status);
		if (over)
			end_it(pid, &due_ns);
		if (got == 0 && sigtimedwait(&wake, NULL, over &&
		    due_ns != INT64_MAX ? &step : NULL) == SIGTERM)
			over = 1;
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return status;
}
