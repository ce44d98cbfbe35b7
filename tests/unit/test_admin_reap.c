/* SPDX-License-Identifier: ISC */
/* Root waits for what became a user, and that user stops it. */
#include "admin/admin_read.h"
#include "tap.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE 60		/* seconds, in which this takes none */

static int
reap(unsigned stops)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		alarm(PATIENCE);
		while (stops-- > 0)
			raise(SIGSTOP);
		_exit(7);
	}
	admin_reap(pid, &status);
	return status;
}

int
main(void)
{
	int status;

	alarm(PATIENCE);
	status = reap(0);
	OKF(WIFEXITED(status) && WEXITSTATUS(status) == 7, "one that ends");
	status = reap(1);
	OKF(WIFEXITED(status) && WEXITSTATUS(status) == 7,
	    "one that is stopped goes on");
	status = reap(1000);
	OKF(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
	    "one that is stopped again and again is killed");
	return tap_done();
}
