/* SPDX-License-Identifier: ISC */
/* Root waits for what became a user, or for what that sends, and that user
 * stops it. */
#include "admin/admin_read.h"
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
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

/* What comes of four bytes that it sends after so many stops; ms: how long
 * each may take. */
static int
heard(unsigned stops, bool sends, int ms)
{
	struct admin_reader r = { .silent_ms = ms };
	int ends[2], status, rc;
	char bytes[4] = "";

	if (pipe(ends) < 0)
		return -errno;
	r.fd = ends[0];
	r.pid = fork();
	if (r.pid == 0) {
		alarm(PATIENCE);
		if (sends && write(ends[1], "ab", 2) != 2)
			_exit(1);
		while (stops-- > 0)
			raise(SIGSTOP);
		if (sends && write(ends[1], "cd", 2) != 2)
			_exit(1);
		while (ms < PATIENCE * 1000)
			pause();
		_exit(0);
	}
	close(ends[1]);
	rc = admin_hear(&r, bytes, sizeof bytes);
	if (rc == 0 && memcmp(bytes, "abcd", 4) != 0)
		rc = -EPROTO;
	close(ends[0]);
	kill(r.pid, SIGKILL);
	admin_reap(r.pid, &status);
	return rc;
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
	OKF(heard(0, true, PATIENCE * 1000) == 0, "what it sends is heard");
	OKF(heard(1, true, PATIENCE * 1000) == 0,
	    "also when it was stopped meanwhile");
	OKF(heard(1000, true, PATIENCE * 1000) == -ECANCELED,
	    "not when it is stopped again and again");
	OKF(heard(0, false, PATIENCE * 1000) == -ENODATA,
	    "that it says nothing is heard");
	OKF(heard(0, false, 1) == -ETIMEDOUT,
	    "and who keeps silent is not waited for");
	return tap_done();
}
