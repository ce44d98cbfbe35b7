/* SPDX-License-Identifier: ISC */
/*
 * A verb for the store of each user: a process each, which can become that
 * user for good.
 */
#include "admin_read.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

#define TICK_MS 200		/* in which a stopped process is woken */
#define STORE_SECONDS 900	/* for one, that its user may hold up */
#define STOPS_MAX 3		/* of which it is woken again */

void
admin_reap(pid_t pid, int *ret_status)
{
	unsigned stops = 0;
	pid_t got;

	do {
		got = waitpid(pid, ret_status, WUNTRACED);
		if (got == pid && WIFSTOPPED(*ret_status))
			kill(pid, stops++ < STOPS_MAX ? SIGCONT : SIGKILL);
	} while (got == pid ? WIFSTOPPED(*ret_status) :
	    got < 0 && errno == EINTR);
}

/* -ECANCELED: it was stopped too often. */
static int
wake(struct admin_reader *r)
{
	siginfo_t si = { .si_pid = 0 };

	/* Its end, if that is what there is, is for who waits for it. */
	if (waitid(P_PID, (id_t)r->pid, &si, WSTOPPED | WNOHANG) < 0 ||
	    si.si_pid != r->pid)
		return 0;
	if (r->stops++ >= STOPS_MAX)
		return -ECANCELED;
	kill(r->pid, SIGCONT);
	return 0;
}

int
admin_hear(struct admin_reader *r, void *p, size_t len)
{
	int64_t end = clock_mono_ns() + (int64_t)r->silent_ms * 1000000;
	char *to = p;

	while (len > 0) {
		struct pollfd ready = { r->fd, POLLIN, 0 };
		int n = poll(&ready, 1, TICK_MS), rc;
		ssize_t got;

		if (n > 0) {
			got = read(r->fd, to, len);
			if (got == 0)
				return -ENODATA;
			if (got < 0 && errno != EINTR)
				return -errno;
			if (got > 0) {
				to += got;
				len -= (size_t)got;
			}
		} else if (n < 0 && errno != EINTR) {
			return -errno;
		} else if ((rc = wake(r)) < 0) {
			return rc;
		} else if (clock_mono_ns() >= end) {
			return -ETIMEDOUT;
		}
	}
	return 0;
}

/* The exit status of one; less than 0: it could not be begun. */
static int
in_process(struct admin *a, admin_user_fn *fn, const char *user, void *ctx,
    struct err *err)
{
	int status = 0, rc;
	pid_t pid;

	fflush(a->out);
	pid = fork();
	if (pid == 0) {
		alarm(STORE_SECONDS);
		rc = fn(a, user, ctx);
		_exit(fflush(a->out) == 0 ? rc : ADMIN_SYSTEM);
	}
	if (pid < 0)
		return err_sys(err, errno, "fork");
	admin_reap(pid, &status);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	admin_complain(a, "store of %s: its process was killed", user);
	return ADMIN_SYSTEM;
}

int
admin_each_store(struct admin *a, admin_user_fn *fn, void *ctx)
{
	AEG_AUTOFREE uid_t *uids = NULL;
	struct err err = ERR_INIT;
	int worst = ADMIN_OK;
	size_t n = 0, i;

	if (geteuid() != 0) {
		err_set(&err, ERR_CALLER,
		    "only root may have the stores of others");
		return admin_fail(a, &err);
	}
	admin_stores(&uids, &n);
	for (i = 0; i < n; i++) {
		const struct passwd *pw = getpwuid(uids[i]);
		AEG_AUTOFREE char *user = pw != NULL ? xstrdup(pw->pw_name) :
		    NULL;
		int rc;

		if (user == NULL) {
			admin_complain(a, "store of uid %lu: left out, because "
			    "there is no such user any more",
			    (unsigned long)uids[i]);
			continue;
		}
		rc = in_process(a, fn, user, ctx, &err);
		if (rc < 0)
			return admin_fail(a, &err);
		if (rc > worst)
			worst = rc;
	}
	return worst;
}
