/* SPDX-License-Identifier: ISC */
/* The part of `aegshctl doctor --sandbox` that takes a supervisor: whether a
 * profile's list of unix sockets is held. */
#include "admin_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/scratch.h"
#include "aegsh/supervise.h"
#include "aegsh/turn.h"

enum { NOT_WATCHED = 255 };	/* a status beside errnos */

struct site {
	char *dir;
	int place;		/* it, or -1 */
	struct sockaddr_un to;	/* "socket" in it, which listens */
	int listener;
	bool listed;
};

typedef int act(const struct site *s);

static int
try_connect(const struct site *s)
{
	AEG_AUTOFD int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	return connect(fd, (const struct sockaddr *)&s->to, sizeof s->to) < 0 ?
	    errno : 0;
}

static int
try_datagrams(const struct site *s)
{
	AEG_AUTOFD int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)s;
	return fd < 0 ? errno : 0;
}

static const struct {
	const char *name, *what;
	act *act;
} acts[ADMIN_SOCKET_TRIALS] = {
	{ "unlisted-socket", "connect to a unix socket that is not listed",
	    try_connect },
	{ "datagrams", "make a unix socket that sends to any name",
	    try_datagrams },
};

static int
make_site(const struct sandbox_profile *p, struct site *s, struct err *err)
{
	struct stat st;

	/* What was left behind sandbox_try() has removed. */
	s->place = scratch_make("/var/tmp", SANDBOX_TRIAL_PREFIX, &s->dir);
	if (s->place < 0)
		return err_sys(err, -s->place, "/var/tmp/"
		    SANDBOX_TRIAL_PREFIX "*");
	s->to = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(s->to.sun_path, sizeof s->to.sun_path, "%s/socket", s->dir);
	s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->listener < 0 || bind(s->listener,
	    (const struct sockaddr *)&s->to, sizeof s->to) < 0 ||
	    listen(s->listener, 16) < 0 || stat(s->to.sun_path, &st) < 0)
		return err_sys(err, errno, "%s", s->to.sun_path);
	s->listed = sandbox_may_connect(p, s->to.sun_path, st.st_dev,
	    st.st_ino) == SANDBOX_REACH_YES;
	return 0;
}

static void
remove_site(struct site *s)
{
	if (s->place >= 0)
		scratch_remove(s->place, AT_FDCWD, s->dir);
	io_close(&s->place);
	io_close(&s->listener);
	free(s->dir);
}

static enum supervise_reach
may_connect(void *ctx, const struct supervise_wish *w)
{
	return turn_reach(ctx, w);
}

/* 0 went through, an errno, or minus the signal that ended it. */
static int
try_in_child(act *what, const struct site *s, struct supervisor *sup,
    int *ret, struct err *err)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(sup != NULL && supervise_child(supervise_child_fd(sup)) <
		    0 ? NOT_WATCHED : what(s));
	if (sup != NULL)
		supervise_handed_over(sup);
	if (pid < 0)
		return err_sys(err, errno, "fork");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(err, errno, "waitpid");
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_WATCHED)
		return err_set(err, ERR_LAYER, "a child could not be "
		    "supervised as the profile says");
	*ret = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
	return 0;
}

static int
try_watched(const struct sandbox_profile *p, act *what, const struct site *s,
    int *ret, struct err *err)
{
	const struct supervise_opts opts = { .may_connect = may_connect,
		.ctx = (void *)(uintptr_t)p };
	struct supervisor *sup = NULL;
	int rc = supervise_start(&opts, &sup, err);
	pid_t pid;

	if (rc < 0)
		return rc;
	pid = supervise_pid(sup);
	rc = try_in_child(what, s, sup, ret, err);
	supervise_end(sup);
	supervise_free(sup);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return rc;
}

static int
try_one(const struct sandbox_profile *p, size_t i, const struct site *s,
    struct sandbox_trial *ret, struct err *err)
{
	int rc;

	*ret = (struct sandbox_trial){ .name = acts[i].name,
		.what = acts[i].what,
		.required = acts[i].act != try_connect || !s->listed };
	rc = try_in_child(acts[i].act, s, NULL, &ret->unconfined, err);
	if (rc == 0)
		rc = try_watched(p, acts[i].act, s, &ret->confined, err);
	ret->outcome = !ret->required ? SANDBOX_TRIAL_NOT_REQUIRED :
	    ret->confined == 0 ? SANDBOX_TRIAL_ABSENT :
	    ret->unconfined != 0 ? SANDBOX_TRIAL_NOTHING :
	    SANDBOX_TRIAL_ENFORCED;
	return rc;
}

int
admin_try_sockets(const struct sandbox_profile *p,
    struct sandbox_trial ret[ADMIN_SOCKET_TRIALS], struct err *err)
{
	struct site s = { .listener = -1, .place = -1 };
	int rc = make_site(p, &s, err);
	size_t i;

	for (i = 0; rc == 0 && i < ADMIN_SOCKET_TRIALS; i++)
		rc = try_one(p, i, &s, &ret[i], err);
	remove_site(&s);
	return rc;
}
