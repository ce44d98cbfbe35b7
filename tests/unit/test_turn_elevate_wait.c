/* SPDX-License-Identifier: ISC */
/* A program that a line's broker started, and the end of that line. */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "tap.h"
#include "turn/turn_elevate.h"

static int stops;

static void
stopped(void *ctx, pid_t pid, int status)
{
	(void)ctx;
	stops += WSTOPSIG(status) == SIGSTOP;
	kill(pid, SIGCONT);
}

static void
leave(int sig)
{
	_exit(sig == SIGTERM ? 7 : 8);
}

/* One that does this with SIGTERM, and is ready. */
static pid_t
start(void (*term)(int))
{
	int ready[2];
	char c;
	pid_t pid;

	if (pipe(ready) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		signal(SIGTERM, term);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(ready[1], "", 1) != 1)
			_exit(9);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

static void
test_end(void)
{
	pid_t pid = start(leave);
	int status;

	OKF(!elevate_is_over(), "nothing was said");
	/* As the supervisor does, whenever that is. */
	kill(getpid(), SIGTERM);
	OKF(elevate_is_over(), "the line met a limit");
	status = elevate_wait(pid, stopped, NULL);
	OKF(WIFEXITED(status) && WEXITSTATUS(status) == 7,
	    "it may end as it wants");
	status = elevate_wait(start(SIG_IGN), stopped, NULL);
	OKF(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
	    "what does not is killed");
	OKF(waitpid(-1, &status, WNOHANG) < 0 && errno == ECHILD,
	    "nobody is left");
}

int
main(void)
{
	pid_t pid;
	int status;

	elevate_hear_end();
	pid = fork();
	if (pid == 0) {
		/* SIGTSTP does nothing in an orphaned process group. */
		raise(SIGSTOP);
		_exit(3);
	}
	status = elevate_wait(pid, stopped, NULL);
	OKF(WIFEXITED(status) && WEXITSTATUS(status) == 3 && stops == 1,
	    "one that stops is told of, and waited for to its end");
	test_end();
	return tap_done();
}
