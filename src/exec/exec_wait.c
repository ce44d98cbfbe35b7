/* SPDX-License-Identifier: ISC */
/*
 * Waiting: on the child's state (by SIGCHLD, which also tells of stops), on
 * its capture, on a stream's pipe.  Never on the end of a descriptor that a
 * background process may hold.
 */
#include "exec_int.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define TICK_MS 250	/* between looks for a program that stopped alone */

static void
drain(int fd)
{
	struct signalfd_siginfo info[8];

	while (read(fd, info, sizeof info) > 0)
		;
}

/* One sleep.  0 when something else than fd was the reason. */
static int
doze(struct exec_session *s, struct job *j, int fd)
{
	struct pollfd p[3] = {
		{ .fd = s->child_fd, .events = POLLIN },
		{ .fd = j->capture_open ? capture_poll_fd(j->capture) : -1,
		    .events = POLLIN },
		{ .fd = fd, .events = POLLOUT },
	};
	bool watch = s->opts.tty >= 0 && j->own_group && j->foreground;
	int n = poll(p, 3, watch ? TICK_MS : -1);

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (n == 0) {
		if (exec_tty_stuck(j->pid))
			exec_job_signal(j, SIGSTOP);
		return 0;
	}
	if (p[0].revents != 0)
		drain(s->child_fd);
	if (p[1].revents != 0)
		exec_job_feed(j);
	if (p[2].revents & POLLERR)
		return EXEC_NO_READER;
	return (p[2].revents & POLLOUT) != 0;
}

int
exec_wait_for(struct exec_session *s, struct job *j, int fd,
    struct err *err)
{
	sigset_t child, old;
	int rc;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &old);
	for (;;) {
		rc = exec_job_reap(s, j);
		if (rc < 0 || j->state != JOB_RUNNING)
			break;
		rc = doze(s, j, fd);
		if (rc != 0)
			break;
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (rc < 0)
		return err_sys(err, -rc, "waiting for a child");
	return rc;
}

int
exec_wait(struct exec_session *s, struct job *j, struct err *err)
{
	int rc = 0;

	if (j->state == JOB_RUNNING)
		rc = exec_wait_for(s, j, -1, err);
	if (s->opts.tty >= 0 && j->foreground)
		exec_tty_take(s, j);
	if (j->quiet) {
		exec_session_loud(s);
		j->quiet = false;
	}
	if (j->state == JOB_STOPPED) {
		j->foreground = false;
		exec_job_enter(s, j);
	}
	return rc < 0 ? rc : 0;
}
