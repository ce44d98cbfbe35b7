/* SPDX-License-Identifier: ISC */
/*
 * Is this process still the program it was?
 *
 * Two independent answers are asked, because a process id says nothing
 * about execve(2):
 *
 * /proc/PID/environ, opened while bash waits for the answer to its hello,
 * stays bound to the address space it was opened on (proc(5); the kernel
 * takes the reference at open).  execve and exit give that space up, and
 * then it reads as empty.  No program can bring it back, and nothing
 * depends on address randomisation.
 *
 * /proc/PID/auxv, opened anew each time, holds the addresses that the
 * kernel chose at execve (AT_PHDR, AT_BASE, AT_RANDOM, AT_EXECFN; getauxval
 * (3)).  It guards against an accomplice that keeps the old address space
 * alive a moment longer, for example by reading that environ into a page
 * which is slow to appear.  A program could set these values for itself with
 * prctl(2) PR_SET_MM; the sandbox's seccomp filter denies that call.
 */
#include "capture/capture_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"

static int
open_proc(pid_t pid, const char *file, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	do
		fd = open(path, flags | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

/* Its length, or negative. */
static ssize_t
read_auxv(pid_t pid, char *ret, size_t cap)
{
	AEG_AUTOFD int fd = open_proc(pid, "auxv", O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return fd;
	do
		n = read(fd, ret, cap);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n == 0)
		return -ENODATA;
	return (size_t)n == cap ? -EMSGSIZE : n;
}

/*
 * A process that exits has no address space any more, and then only root may
 * ask for its auxv.  PF_EXITING (linux/sched.h, the ninth field of
 * /proc/PID/stat) is shown to everybody, and is never taken back.
 */
static bool
is_exiting(pid_t pid)
{
	const unsigned int pf_exiting = 0x4;
	AEG_AUTOFD int fd = open_proc(pid, "stat", O_RDONLY);
	char text[512], state;
	unsigned int flags;
	const char *p;
	ssize_t n;

	if (fd < 0)
		return fd == -ENOENT || fd == -ESRCH;
	n = read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return true;
	text[n] = '\0';
	p = strrchr(text, ')');
	return p != NULL && sscanf(p + 1, " %c %*d %*d %*d %*d %*d %u",
	    &state, &flags) == 2 && (flags & pf_exiting) != 0;
}

static bool
space_lives(int mm_fd)
{
	char c;
	ssize_t n;

	do
		n = pread(mm_fd, &c, 1, 0);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

void
capture_peer_init(struct capture_peer *p)
{
	p->pid = -1;
	p->mm_fd = -1;
	p->auxv_len = 0;
}

int
capture_peer_note(struct capture_peer *p)
{
	ssize_t n;

	p->mm_fd = open_proc(p->pid, "environ", O_RDONLY);
	if (p->mm_fd < 0) {
		int r = p->mm_fd;

		p->mm_fd = -1;
		return r;
	}
	if (!space_lives(p->mm_fd))
		return -ESRCH;
	n = read_auxv(p->pid, p->auxv, sizeof(p->auxv));
	if (n < 0)
		return (int)n;
	p->auxv_len = (size_t)n;
	return 0;
}

enum capture_peer_is
capture_peer_look(const struct capture_peer *p)
{
	char now[CAPTURE_AUXV_MAX];
	ssize_t n;

	if (p->mm_fd < 0 || p->auxv_len == 0)
		return CAPTURE_PEER_OTHER;
	n = read_auxv(p->pid, now, sizeof(now));
	/* The environ comes last, so that it was the same up to now. */
	if (n > 0 && (size_t)n == p->auxv_len &&
	    memcmp(now, p->auxv, p->auxv_len) == 0 && space_lives(p->mm_fd))
		return CAPTURE_PEER_SAME;
	return is_exiting(p->pid) ? CAPTURE_PEER_GONE : CAPTURE_PEER_OTHER;
}

int
capture_peer_limits(const struct capture_peer *p, struct rlimit *ret)
{
	int i;

	for (i = 0; i < CAPTURE_LIMITS; i++)
		if (prlimit(p->pid, (__rlimit_resource_t)i, NULL, &ret[i]) < 0)
			return -errno;
	return 0;
}

int
capture_peer_cwd(const struct capture_peer *p)
{
	return open_proc(p->pid, "cwd", O_PATH | O_DIRECTORY);
}

void
capture_peer_done(struct capture_peer *p)
{
	io_close(&p->mm_fd);
}
