/* SPDX-License-Identifier: ISC */
/* Descriptors: whole reads and writes, and where they live. */
#include "aegsh/base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

void
io_close(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

int
io_read_full(int fd, void *p, size_t len)
{
	char *to = p;
	ssize_t n;

	while (len > 0) {
		n = read(fd, to, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -ENODATA;
		to += n;
		len -= (size_t)n;
	}
	return 0;
}

int
io_write_full(int fd, const void *p, size_t len)
{
	const char *from = p;
	ssize_t n;

	while (len > 0) {
		n = write(fd, from, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		from += n;
		len -= (size_t)n;
	}
	return 0;
}

int
io_read_all(int fd, struct buf *b)
{
	const size_t step = 8192;
	char past[1];
	ssize_t n;

	buf_put(b, "", 0);	/* bytes and a NUL, also of an empty file */
	for (;;) {
		size_t max = b->max > 0 ? b->max : BUF_MAX_DEFAULT;
		size_t room = max - b->len < step ? max - b->len : step;
		char *to = room > 0 ? buf_reserve(b, room) : past;

		n = read(fd, to, room > 0 ? room : sizeof past);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		if (room == 0)
			return ERR_TOO_LONG;
		b->len += (size_t)n;
		b->data[b->len] = '\0';
	}
	return 0;
}

static int
write_new(int dir, const char *name, const void *p, size_t len, mode_t mode)
{
	AEG_AUTOFD int fd = -1;
	int rc;

	unlinkat(dir, name, 0);	/* of one who had this number and died */
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	rc = io_write_full(fd, p, len);
	if (rc == 0 && (fchmod(fd, mode) < 0 || fsync(fd) < 0))
		rc = -errno;
	return rc;
}

int
io_replace(int dir, const char *name, const void *p, size_t len, mode_t mode)
{
	AEG_AUTOFD int in = openat(dir, ".", O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC);
	char temp[256];
	int rc;

	if (in < 0)
		return -errno;
	if (snprintf(temp, sizeof temp, ".%s.%ld", name, (long)getpid()) >=
	    (int)sizeof temp)
		return -ENAMETOOLONG;
	rc = write_new(in, temp, p, len, mode);
	if (rc == 0 && (renameat(in, temp, in, name) < 0 || fsync(in) < 0))
		rc = -errno;
	if (rc < 0)
		unlinkat(in, temp, 0);
	return rc;
}

int
io_fill_std(void)
{
	int fd, got;

	/* The lowest number that is free is what is got. */
	for (fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		got = open("/dev/null", O_RDWR);
		if (got < 0)
			return -errno;
		if (got != fd)
			return -EBADF;
	}
	return 0;
}

int
io_move_up(int fd, int min)
{
	int moved;

	if (fd >= min)
		return io_set_cloexec(fd, 1) < 0 ? -errno : fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, min);
	if (moved < 0)
		return -errno;
	close(fd);
	return moved;
}

int
io_set_cloexec(int fd, int on)
{
	return fcntl(fd, F_SETFD, on ? FD_CLOEXEC : 0) < 0 ? -errno : 0;
}

int
io_make_dirs(const char *path, mode_t mode)
{
	AEG_AUTOFREE char *copy = xstrdup(path);
	char *p = copy;

	while ((p = strchr(p + 1, '/')) != NULL) {
		*p = '\0';
		if (mkdir(copy, mode) < 0 && errno != EEXIST)
			return -errno;
		*p = '/';
	}
	return mkdir(path, mode) < 0 && errno != EEXIST ? -errno : 0;
}
