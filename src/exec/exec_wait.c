/* SPDX-License-Identifier: ISC */
/*
 * Waiting: on the child's state (by SIGCHLD, which also tells of stops), on
 * its capture, on a stream's pipe.  Never on the end of a descriptor that a
 * background process may hold.
 *
 * Who ends us means the command: SIGTERM and SIGHUP are passed on, and what
 * it dies of is known and recorded.  At a prompt SIGHUP is also the end of
 * the session; a command that does not care is left behind after a while.
 */
#include "exec_int.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "aegsh/base/clock.h"

#define TICK_MS 250	/* between looks for a program that stopped alone */
#define LEAVE_NS ((int64_t)1000000000)	/* for a command to heed SIGHUP */

struct vigil {
	int fd;			/* a stream's pipe, or -1 */
	bool borrowed;		/* somebody else reads of our SIGHUP */
	int64_t leave_ns;	/* when the command is left, or 0 */
	bool stuck;		/* at the last look nothing could go on */
	bool sweep;		/* some child ended, perhaps not the line's */
};

static void
drain(int fd)
{
	struct signalfd_siginfo info[8];

	while (read(fd, info, sizeof info) > 0)
		;
}

void
exec_ending_signals(sigset_t *ret)
{
	static const int ends[] = { SIGHUP, SIGTERM };
	struct sigaction sa;
	size_t i;

	sigemptyset(ret);
	for (i = 0; i < sizeof ends / sizeof ends[0]; i++)
		if (sigaction(ends[i], NULL, &sa) == 0 &&
		    sa.sa_handler != SIG_IGN)
			sigaddset(ret, ends[i]);
}

static void
pass_on(struct exec_session *s, struct job *j, struct vigil *v)
{
	struct signalfd_siginfo info = { .ssi_signo = SIGHUP };

	if (v->borrowed)
		v->leave_ns = clock_mono_ns() + LEAVE_NS;
	else if (read(s->end_fd, &info, sizeof info) != (ssize_t)sizeof info)
		return;
	exec_job_signal(j, (int)info.ssi_signo);
	exec_job_signal(j, SIGCONT);
}

/* Milliseconds that one sleep may last; -1: any time. */
static int
until(const struct job *j, const struct vigil *v, bool watch)
{
	int64_t left = (j->end_ns - clock_mono_ns()) / 1000000 + 1;

	if (j->end_ns != 0 && !j->timed_out && left < TICK_MS)
		return left > 0 ? (int)left : 0;
	return watch || v->leave_ns != 0 || j->end_ns != 0 ? TICK_MS : -1;
}

/* A limit in time; killed with everything of its group, stopped or not. */
static void
mind_limit(struct job *j)
{
	if (j->end_ns == 0 || j->timed_out || clock_mono_ns() < j->end_ns)
		return;
	j->timed_out = true;
	exec_job_signal(j, SIGKILL);
}

/* Where it shows that nobody sees any more what it writes. */
static int
output_fd(const struct exec_session *s, const struct job *j)
{
	if (j->relay != NULL)
		return relay_poll_fd(j->relay);
	return s->opts.term != NULL ? relay_term_fd(s->opts.term) : -1;
}

/* One sleep.  0 when something else than v->fd was the reason. */
static int
doze(struct exec_session *s, struct job *j, struct vigil *v)
{
	struct pollfd p[7] = {
		{ .fd = s->child_fd, .events = POLLIN },
		{ .fd = j->capture_open ? capture_poll_fd(j->capture) : -1,
		    .events = POLLIN },
		{ .fd = v->fd, .events = POLLOUT },
		{ .fd = v->leave_ns == 0 ? s->end_fd : -1, .events = POLLIN },
		{ .fd = j->cancel_fd > 0 ? j->cancel_fd : -1,
		    .events = POLLIN },
		{ .fd = j->supervisor != NULL ?
		    supervise_poll_fd(j->supervisor) : -1, .events = POLLIN },
		{ .fd = output_fd(s, j), .events = POLLIN },
	};
	bool watch = s->opts.tty >= 0 && j->own_group && j->foreground;
	int n = poll(p, 7, until(j, v, watch));

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (n == 0) {
		bool stuck = watch && exec_tty_stuck(j->pid);

		/* One look may fall between two children of a script. */
		if (stuck && v->stuck)
			exec_job_signal(j, SIGSTOP);
		v->stuck = stuck;
		return 0;
	}
	if (p[0].revents != 0) {
		drain(s->child_fd);
		exec_job_mind_output(s, j);
		v->sweep = true;
	}
	if (p[1].revents != 0)
		exec_job_feed(s, j);
	if (p[3].revents != 0)
		pass_on(s, j, v);
	if (p[5].revents != 0)
		exec_job_hear(s, j);
	if (p[6].revents != 0)
		exec_job_mind_output(s, j);
	if (p[4].revents != 0) {
		j->cancelled = true;
		j->cancel_fd = 0;
		exec_job_signal(j, SIGKILL);
	}
	if (p[2].revents & POLLERR)
		return EXEC_NO_READER;
	return (p[2].revents & POLLOUT) != 0;
}

int
exec_wait_for(struct exec_session *s, struct job *j, int fd,
    struct err *err)
{
	struct vigil v = { .fd = fd };
	sigset_t set, old;
	int rc;

	exec_ending_signals(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &old);
	v.borrowed = !s->holds && sigismember(&old, SIGHUP) == 1;
	/* Of what it was told before this, the signal is gone. */
	exec_job_mind_output(s, j);
	for (;;) {
		rc = exec_job_reap(s, j);
		if (v.sweep)
			exec_reap_strays(s, j);
		v.sweep = false;
		if (rc < 0 || j->state != JOB_RUNNING)
			break;
		if (v.leave_ns != 0 && clock_mono_ns() >= v.leave_ns)
			break;
		mind_limit(j);
		rc = doze(s, j, &v);
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
	/* Stopped, or left running as the session ends. */
	if (j->state != JOB_DONE) {
		j->foreground = false;
		exec_job_enter(s, j);
	}
	return rc < 0 ? rc : 0;
}
