/* SPDX-License-Identifier: ISC */
/*
 * A program connects.  Where a list says which unix sockets a line reaches,
 * the kernel never goes on with such a call: between the look at it and the
 * act another thread could change the address, or put another socket at its
 * number.  Instead a process of its own takes a copy of the socket
 * (pidfd_getfd(2)), opens the place that the name means to who asks, judges
 * what it has open, and connects the copy to that very file.
 *
 * It is no child of the line and stands in none of its domains: what Landlock
 * would say there of ports and names is judged here.  It is of the same user,
 * without a terminal, and the pid that a service sees as its peer's.  Who
 * knocks too often waits.  Where it is killed, the call fails.
 */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#ifndef PIDFD_THREAD			/* since Linux 6.9 */
#define PIDFD_THREAD O_EXCL
#endif
#define RESTART 512		/* ERESTARTSYS of the kernel: a signal first */
/* What a rule refuses, by its errno: the supervisor tells of it before it
 * answers. */
#define REFUSED(error) (-4096 - (error))
#define TICK_US 50000		/* between looks at who waits */

/* ---- in the helper ------------------------------------------------------- */

static void
on_tick(int sig)
{
	(void)sig;
}

/* Of the supervisor's only what the answer needs; it ends with it. */
static void
become_helper(const struct sup *s, pid_t supervisor)
{
	const struct itimerval tick = { { 0, TICK_US }, { 0, TICK_US } };
	struct sigaction sa = { .sa_handler = on_tick };
	sigset_t alarm;

	prctl(PR_SET_NAME, "aegsh-connect", 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != supervisor)
		_exit(1);
	if (s->listener > STDERR_FILENO + 1)
		syscall(SYS_close_range, STDERR_FILENO + 1U,
		    (unsigned)s->listener - 1, 0);
	syscall(SYS_close_range, (unsigned)s->listener + 1, ~0U, 0);
	sigaction(SIGALRM, &sa, NULL);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
	setitimer(ITIMER_REAL, &tick, NULL);
}

/* A copy of the socket, which is the same open file. */
static int
take_socket(const struct sup *s, int number)
{
	const pid_t pid = (pid_t)s->ask->pid;
	AEG_AUTOFD int pidfd = (int)syscall(SYS_pidfd_open, pid,
	    PIDFD_THREAD);
	int fd;

	/* Threads share their descriptors, but for those that are strange. */
	if (pidfd < 0)
		pidfd = (int)syscall(SYS_pidfd_open, sup_proc_leader(pid), 0);
	if (pidfd < 0)
		return -EACCES;
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
	if (fd < 0)
		return errno == EBADF ? -EBADF : -EACCES;
	if (sup_is_valid(s))
		return fd;
	io_close(&fd);
	return -EACCES;
}

static int
socket_option(int fd, int option)
{
	int value = -1;
	socklen_t len = sizeof value;

	return getsockopt(fd, SOL_SOCKET, option, &value, &len) < 0 ? -errno :
	    value;
}

/* What a signal would interrupt, it does: so it comes first, and the call
 * begins again. */
static bool
has_signal(pid_t pid)
{
	AEG_AUTOFREE char *text = xmalloc(SUP_STATUS_MAX + 1);
	ssize_t len = sup_proc_file(pid, "status", text, SUP_STATUS_MAX);
	static const char *const names[] = { "\nSigPnd:", "\nShdPnd:",
		"\nSigBlk:" };
	uint64_t set[AEG_NELEM(names)] = { 0 };
	size_t i;

	text[len > 0 ? len : 0] = '\0';
	for (i = 0; i < AEG_NELEM(names); i++) {
		const char *p = strstr(text, names[i]);

		if (p != NULL)
			set[i] = strtoull(p + strlen(names[i]), NULL, 16);
	}
	return ((set[0] | set[1]) & ~set[2]) != 0;
}

static int
connect_copy(const struct sup *s, int fd, const struct sup_wish *w)
{
	while (connect(fd, &w->to.any, w->len) < 0) {
		if (errno != EINTR)
			return -errno;
		if (!sup_is_valid(s))
			_exit(0);	/* nobody waits any more */
		if (has_signal((pid_t)s->ask->pid))
			return -RESTART;
	}
	return 0;
}

/* To that very file, whatever lies at its name by now. */
static int
connect_file(const struct sup *s, int fd, int file)
{
	struct sup_wish w = { .to.local = { .sun_family = AF_UNIX } };

	snprintf(w.to.local.sun_path, sizeof w.to.local.sun_path,
	    "/proc/self/fd/%d", file);
	w.len = sizeof w.to.local;
	return connect_copy(s, fd, &w);
}

static int
connect_path(struct sup *s, int fd, const struct sup_wish *w)
{
	const size_t at = offsetof(struct sockaddr_un, sun_path);
	char name[sizeof w->to.local.sun_path + 1];
	struct supervise_wish wish = { .path = NULL };
	char path[SUP_PATH_MAX];
	AEG_AUTOFD int file = -1;

	memcpy(name, w->to.local.sun_path, w->len - at);
	name[w->len - at] = '\0';
	file = sup_place_open((pid_t)s->ask->pid, name);
	if (!sup_is_valid(s))
		return -EACCES;
	if (file < 0)
		return file;
	if (!sup_place_name(file, path, sizeof path, &wish))
		return REFUSED(EACCES);
	switch (s->may_connect(s->ctx, &wish)) {
	case SUPERVISE_REACH_YES:
		break;
	case SUPERVISE_REACH_OWN:
		if (sup_is_own((pid_t)s->ask->pid, file, &wish))
			break;
		return REFUSED(EACCES);
	case SUPERVISE_REACH_NO:
		return REFUSED(EACCES);
	}
	return connect_file(s, fd, file);
}

static int
connect_for(struct sup *s, const struct sup_wish *w)
{
	const sa_family_t family = w->to.any.sa_family;
	AEG_AUTOFD int fd = take_socket(s, w->fd);
	int domain, type;

	if (fd < 0)
		return fd;
	domain = socket_option(fd, SO_DOMAIN);
	type = socket_option(fd, SO_TYPE);
	if (domain < 0 || type < 0)
		return domain < 0 ? domain : type;
	if (domain == AF_UNIX && family == AF_UNIX) {
		if (w->len <= offsetof(struct sockaddr_un, sun_path) ||
		    w->len > sizeof w->to.local)
			return -EINVAL;
		/* Names without a file are not listed. */
		return w->to.local.sun_path[0] == '\0' ? REFUSED(EPERM) :
		    connect_path(s, fd, w);
	}
	if (type == SOCK_STREAM && (family == AF_INET || family == AF_INET6)) {
		const struct supervise_wish wish = {
			.port = ntohs(w->to.in.sin_port) };

		if (s->may_connect(s->ctx, &wish) != SUPERVISE_REACH_YES)
			return REFUSED(EACCES);
	}
	return connect_copy(s, fd, w);
}

static void
reply(const struct sup *s, uint64_t id, int error)
{
	memset(s->answer, 0, s->answer_size);
	s->answer->id = id;
	s->answer->error = error;
	ioctl(s->listener, SECCOMP_IOCTL_NOTIF_SEND, s->answer);
}

static void __attribute__((noreturn))
help(struct sup *s, const struct sup_wish *w, pid_t supervisor)
{
	int rc;

	become_helper(s, supervisor);
	s->looked_at = -1;
	s->ask->id = w->id;
	s->ask->pid = (uint32_t)w->pid;
	rc = sup_rights_become(w->pid);
	if (rc == 0)
		rc = connect_for(s, w);
	if (rc <= REFUSED(0))
		_exit(REFUSED(0) - rc);
	reply(s, w->id, rc);
	_exit(0);
}

/* ---- in the supervisor --------------------------------------------------- */

void
sup_connect_more(struct sup *s)
{
	const pid_t self = getpid();

	while (s->n_wishes > 0 && s->n_helpers < SUP_HELPERS_MAX) {
		pid_t pid = sup_pace_fork(s);

		if (pid == 0)
			help(s, &s->wish[0], self);
		if (pid > 0)
			s->helper[s->n_helpers++] = (struct sup_helper){ pid,
				s->wish[0] };
		else
			reply(s, s->wish[0].id, -EAGAIN);
		s->n_wishes--;
		memmove(s->wish, s->wish + 1, s->n_wishes * sizeof *s->wish);
	}
}

void
sup_connect_ended(struct sup *s, pid_t pid, int status)
{
	const bool refused = WIFEXITED(status) && status != 0;
	size_t i;

	for (i = 0; i < s->n_helpers; i++) {
		if (s->helper[i].pid != pid)
			continue;
		if (refused)
			sup_network_refused(s, &s->helper[i].wish);
		/* Or it was killed, perhaps before it answered. */
		if (status != 0)
			reply(s, s->helper[i].wish.id, refused ?
			    -WEXITSTATUS(status) : -EACCES);
		if (s->ask->id == s->helper[i].wish.id)
			sup_asker_done(s);
		s->helper[i] = s->helper[--s->n_helpers];
		return;
	}
}

enum sup_answer
sup_connect(struct sup *s)
{
	const struct seccomp_data *d = &s->ask->data;
	const int32_t len = (int32_t)d->args[2];
	struct sup_wish w = { .id = s->ask->id, .pid = (pid_t)s->ask->pid,
		.fd = (int)d->args[0], .len = (socklen_t)len };

	s->answer->error = len < 0 || (size_t)len > sizeof w.to ? -EINVAL :
	    s->n_wishes == SUP_WISHES_MAX ? -EAGAIN : sup_children_open(s);
	if (s->answer->error < 0)
		return SUP_REFUSE;
	s->answer->error = -EFAULT;
	if (len > 0 && !sup_peek(s, d->args[1], &w.to, (size_t)len))
		return SUP_REFUSE;
	if (s->wish == NULL)
		s->wish = xcalloc(SUP_WISHES_MAX, sizeof *s->wish);
	s->wish[s->n_wishes++] = w;
	sup_connect_more(s);
	return SUP_ANSWERED;
}
