/* SPDX-License-Identifier: ISC */
/* What the trial of a profile needs: files, a victim, a terminal, listeners;
 * all of this user's own, made for it and taken away after it. */
#include "sandbox_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/scratch.h"
#include "aegsh/base/text.h"

#define KEPT ".trial-"		/* and whose it is: a file in the store */

/* In the directory, which nobody else can write. */
static int
put(const struct sandbox_site *s, const char *name, const void *bytes,
    size_t len, mode_t mode)
{
	char path[SANDBOX_SITE];
	AEG_AUTOFD int fd = -1;

	snprintf(path, sizeof path, "%s/%s", s->dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || io_write_full(fd, bytes, len) < 0 ||
	    fchmod(fd, mode) < 0)
		return -errno;
	return 0;
}

/* What is in it, and in the one directory that is. */
static void
drop(void *ctx, int parent, const char *name, int fd)
{
	AEG_AUTOFD int folder = openat(fd, "folder", O_RDONLY | O_DIRECTORY |
	    O_NOFOLLOW | O_CLOEXEC);

	(void)ctx;
	if (folder >= 0)
		scratch_remove(folder, fd, "folder");
	scratch_remove(fd, parent, name);
}

static int
make_files(struct sandbox_site *s, struct err *err)
{
	static const char text[] = "text\n", program[] = "#!/bin/true\n";
	char path[SANDBOX_SITE];

	/* Not in /tmp, which is writable in most profiles. */
	scratch_each_left("/var/tmp", SANDBOX_TRIAL_PREFIX, drop, NULL);
	s->place = scratch_make("/var/tmp", SANDBOX_TRIAL_PREFIX, &s->dir);
	if (s->place < 0)
		return err_sys(err, -s->place, "/var/tmp/"
		    SANDBOX_TRIAL_PREFIX "*");
	snprintf(path, sizeof path, "%s/folder", s->dir);
	if (put(s, "file", text, sizeof text - 1, 0600) < 0 ||
	    put(s, "program", program, sizeof program - 1, 0700) < 0 ||
	    mkdir(path, 0700) < 0)
		return err_sys(err, errno, "%s", s->dir);
	return 0;
}

/* With what an act left where it got in and not out again. */
static void
remove_kept(const char *kept)
{
	static const char *const ends[] = { "", ".moved", ".new", ".in" };
	char path[SANDBOX_SITE + 8];
	size_t i;

	for (i = 0; i < AEG_NELEM(ends); i++) {
		snprintf(path, sizeof path, "%s%s", kept, ends[i]);
		unlink(path);
	}
}

/* Those of trials that were killed. */
static void
drop_kept(const char *store)
{
	DIR *d = opendir(store);
	const char *name;
	int64_t pid;

	while (d != NULL && (name = scratch_next(d)) != NULL) {
		AEG_AUTOFREE char *number = NULL;

		if (!text_starts(name, KEPT))
			continue;
		name += strlen(KEPT);
		number = xmemdup0(name, strcspn(name, "."));
		if (text_to_i64(number, 1, INT32_MAX, &pid) == 0 &&
		    kill((pid_t)pid, 0) < 0 && errno == ESRCH) {
			AEG_AUTOFREE char *kept = xasprintf("%s/" KEPT "%s",
			    store, number);

			remove_kept(kept);
		}
	}
	if (d != NULL)
		closedir(d);
}

/* One file more in the store, where this user has one. */
static void
make_places(const struct sandbox_profile *p, struct sandbox_site *s)
{
	AEG_AUTOFREE char *name = xasprintf(KEPT "%ld", (long)getpid());
	AEG_AUTOFREE char *kept = NULL;
	AEG_AUTOFD int fd = -1;

	if (p->store != NULL) {
		drop_kept(p->store);
		kept = path_canon(p->store, name);
	}
	if (kept != NULL) {
		fd = open(kept, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
		    O_CLOEXEC, 0600);
		if (fd >= 0 && io_write_full(fd, "text\n", 5) == 0)
			s->kept = AEG_STEAL(kept);
		else if (fd >= 0)
			unlink(kept);
	}
	if (p->conf != NULL)
		s->settings = path_canon(p->conf, name);
}

static void
make_victim(struct sandbox_site *s)
{
	pid_t parent = getpid();

	s->victim = fork();
	if (s->victim != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		pause();
	_exit(0);
}

static void
make_terminal(struct sandbox_site *s)
{
	s->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (s->master >= 0 && (grantpt(s->master) < 0 ||
	    unlockpt(s->master) < 0))
		io_close(&s->master);
}

static void
make_tcp(struct sandbox_site *s)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof at;

	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->listener >= 0 && bind(s->listener, (struct sockaddr *)&at,
	    len) == 0 && listen(s->listener, 16) == 0 &&
	    getsockname(s->listener, (struct sockaddr *)&at, &len) == 0)
		s->port = at.sin_port;
}

static int
listen_at(const struct sockaddr_un *at, size_t len)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && (bind(fd, (const struct sockaddr *)at,
	    (socklen_t)len) < 0 || listen(fd, 16) < 0))
		io_close(&fd);
	return fd;
}

static void
make_unix(struct sandbox_site *s)
{
	int n;

	s->abstract.sun_family = s->pathname.sun_family = AF_UNIX;
	n = snprintf(s->abstract.sun_path + 1,
	    sizeof s->abstract.sun_path - 1, "aegsh-trial-%ld",
	    (long)getpid());
	s->abstract_len = offsetof(struct sockaddr_un, sun_path) + 1 +
	    (size_t)n;
	snprintf(s->pathname.sun_path, sizeof s->pathname.sun_path,
	    "/var/tmp/%s/socket", s->dir + strlen("/var/tmp/"));
	s->local = listen_at(&s->abstract, s->abstract_len);
	s->named = listen_at(&s->pathname, sizeof s->pathname);
}

/* What is as low already tells nothing when it can't be raised. */
static void
see_limits(const struct sandbox_profile *p, struct sandbox_site *s)
{
	size_t i;

	for (i = 0; i < SANDBOX_LIMIT_COUNT; i++) {
		struct rlimit now;
		int resource = sandbox_limit_resource((enum sandbox_limit)i);

		if (p->text.limit[i] < 0 || resource < 0 ||
		    getrlimit((__rlimit_resource_t)resource, &now) < 0)
			continue;
		s->limit[s->n_limits].resource = resource;
		s->limit[s->n_limits++].before = now;
	}
}

int
sandbox_site_make(const struct sandbox_profile *p, struct sandbox_site *ret,
    struct err *err)
{
	int rc;

	*ret = (struct sandbox_site){ .place = -1, .master = -1, .terminal = -1,
		.listener = -1, .local = -1, .named = -1 };
	rc = make_files(ret, err);
	if (rc < 0) {
		sandbox_site_remove(ret);
		return rc;
	}
	make_places(p, ret);
	make_victim(ret);
	make_terminal(ret);
	make_tcp(ret);
	make_unix(ret);
	see_limits(p, ret);
	return 0;
}

void
sandbox_site_remove(struct sandbox_site *s)
{
	if (s->place >= 0)
		drop(NULL, AT_FDCWD, s->dir, s->place);
	if (s->kept != NULL)
		remove_kept(s->kept);
	if (s->victim > 0) {
		kill(s->victim, SIGKILL);
		waitpid(s->victim, NULL, 0);
	}
	io_close(&s->place);
	io_close(&s->master);
	io_close(&s->listener);
	io_close(&s->local);
	io_close(&s->named);
	free(s->dir);
	free(s->kept);
	free(s->settings);
}
