/* SPDX-License-Identifier: ISC */
/*
 * The smallest thing that runs one line as aegsh does, for tests of state
 * and capture: fork, descriptors in their places, bash, and a loop over the
 * channel and the process.  No sandbox, no terminal.
 */
#ifndef TESTS_LAUNCH_H
#define TESTS_LAUNCH_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/io.h"
#include "aegsh/capture.h"

#define LAUNCH_TIMEOUT_MS 20000
#define LAUNCH_FRAME_MAX ((size_t)4 << 20)

struct launch {
	const char *line;
	char *const *envp;	/* with capture_env() when captured */
	mode_t umask;
	/* Called in the child just before bash, or NULL. */
	void (*before)(void *ctx);
	void *ctx;
};

/* What a run left.  out is what it wrote to 1, err to 2. */
struct launched {
	struct buf out, err;
	int status;		/* from wait4(2) */
	bool timed_out;		/* had to be killed */
};

static inline void
launched_done(struct launched *l)
{
	buf_done(&l->out);
	buf_done(&l->err);
}

static inline int
launch_file(void)
{
	int fd = memfd_create("launch", MFD_CLOEXEC);

	if (fd < 0) {
		perror("memfd_create");
		exit(111);
	}
	return fd;
}

static inline void
launch_read_back(int fd, struct buf *b)
{
	if (lseek(fd, 0, SEEK_SET) < 0 || io_read_all(fd, b) < 0) {
		perror("launch: read back");
		exit(111);
	}
	close(fd);
}

/* In the child: never returns. */
static inline void
launch_exec(const struct launch *l, int out, int err, int child_fd)
{
	char bash[] = AEGSH_BASH, norc[] = "--norc", noprof[] = "--noprofile";
	char c[] = "-c", name[] = "aegsh";
	char *argv[] = { bash, norc, noprof, c, strdup(l->line), name, NULL };
	int in = open("/dev/null", O_RDONLY);

	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(111);
	if (child_fd >= 0 && (dup2(child_fd, CAPTURE_FD) < 0 ||
	    dup2(capture_script_fd(), CAPTURE_SCRIPT_FD) < 0))
		_exit(111);
	/* Nothing that the test runner left open may make a difference. */
	close_range(3, CAPTURE_FD - 1, 0);
	close_range(child_fd >= 0 ? CAPTURE_SCRIPT_FD + 1 : CAPTURE_FD, ~0U,
	    0);
	setpgid(0, 0);
	umask(l->umask);
	if (l->before != NULL)
		l->before(l->ctx);
	execve(AEGSH_BASH, argv, l->envp);
	_exit(127);
}

/* Until the process is dead, feeding c (which may be NULL). */
static inline void
launch_wait(struct capture *c, pid_t pid, struct launched *ret)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd fds[2] = {
		{ .fd = pidfd, .events = POLLIN },
		{ .fd = c != NULL ? capture_poll_fd(c) : -1,
		  .events = POLLIN },
	};
	struct rusage usage;

	for (;;) {
		int n = poll(fds, 2, LAUNCH_TIMEOUT_MS);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0) {
			ret->timed_out = true;
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
			break;
		}
		if (fds[1].revents != 0 && capture_feed(c) <= 0)
			fds[1].fd = -1;
		if (fds[0].revents != 0)
			break;
	}
	close(pidfd);
	if (wait4(pid, &ret->status, 0, &usage) < 0)
		perror("wait4");
	if (c != NULL)
		capture_end(c, ret->status, &usage);
}

/* Run l; with c (new, its directory stack given) the frame is captured. */
static inline void
launch_run(const struct launch *l, struct capture *c, struct launched *ret)
{
	int out = launch_file(), err = launch_file();
	int child_fd = c != NULL ? capture_child_fd(c) : -1;
	pid_t pid;

	memset(ret, 0, sizeof(*ret));
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		launch_exec(l, out, err, child_fd);
	if (c != NULL)
		capture_begin(c, pid);
	launch_wait(c, pid, ret);
	launch_read_back(out, &ret->out);
	launch_read_back(err, &ret->err);
}

#endif
