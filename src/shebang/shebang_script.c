/* SPDX-License-Identifier: ISC */
/*
 * The script: opened once, without side effects on what is no regular
 * file; its first lines; the directory it stands in; and, on demand, the
 * file behind its links.
 *
 * Everything hangs on descriptors of the directories met, never on the
 * working directory, which stays as it is.
 */
#include "shebang/shebang_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define READ_STEP 4096

void
shebang_script_done(struct shebang_script *s)
{
	io_close(&s->dir_fd);
	io_close(&s->fd);
	free(s->name);
	s->name = NULL;
}

int
shebang_reopen(int path_fd, int dir_fd, const char *name)
{
	char proc[sizeof "/proc/self/fd/" + 3 * sizeof path_fd];
	struct stat want, got;
	int fd;

	snprintf(proc, sizeof proc, "/proc/self/fd/%d", path_fd);
	fd = open(proc, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	if (errno != ENOENT || name == NULL)
		return -errno;
	/* No /proc here.  Non-blocking, since by now a FIFO may be there. */
	fd = openat(dir_fd, name,
	    O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(path_fd, &want) < 0 || fstat(fd, &got) < 0 ||
	    want.st_dev != got.st_dev || want.st_ino != got.st_ino) {
		io_close(&fd);
		return -ESTALE;
	}
	return fd;
}

/* Split at the last slash; *ret_dir is owned and never empty. */
static const char *
split(const char *path, char **ret_dir)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL) {
		*ret_dir = xstrdup(".");
		return path;
	}
	*ret_dir = slash == path ? xstrdup("/") :
	    xmemdup0(path, (size_t)(slash - path));
	return slash + 1;
}

static const char *
kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a FIFO or a pipe";
	case S_IFSOCK:
		return "a socket";
	case S_IFCHR:
	case S_IFBLK:
		return "a device";
	default:
		return "no regular file";
	}
}

int
shebang_script_open(int cwd_fd, const char *path, struct shebang_script *s,
    struct err *err)
{
	AEG_AUTOFREE char *dir = NULL;
	AEG_AUTOFD int fd = -1;
	const char *name;

	if (strlen(path) >= SHEBANG_PATH_MAX)
		return err_set(err, ERR_TOO_LONG,
		    "the script's path is longer than %zu bytes",
		    SHEBANG_PATH_MAX - 1);
	if (path[0] == '\0')
		return err_set(err, -ENOENT, "the script's path is empty");
	name = split(path, &dir);
	s->dir_fd = openat(cwd_fd, dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->dir_fd < 0)
		return shebang_fail_path(err, errno, "script", path);
	/* O_PATH opens nothing: no tape rewinds, no FIFO waits. */
	fd = openat(s->dir_fd, name[0] != '\0' ? name : ".",
	    O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &s->st) < 0)
		return shebang_fail_path(err, errno, "script", path);
	if (!S_ISREG(s->st.st_mode))
		return err_set(err, -EACCES, "script %s: is %s", path,
		    kind_of(s->st.st_mode));
	s->fd = shebang_reopen(fd, s->dir_fd, name);
	if (s->fd < 0)
		return shebang_fail_path(err, -s->fd, "script", path);
	s->name = xstrdup(name);
	return 0;
}

int
shebang_script_head(const struct shebang_script *s, struct buf *head,
    bool *ret_cut, struct err *err)
{
	size_t seen = 0;
	int lines = 0;
	char *to, past;
	ssize_t n;

	for (;;) {
		size_t room = SHEBANG_HEAD_MAX - head->len;

		to = buf_reserve(head, room < READ_STEP ? room : READ_STEP);
		if (room == 0 || to == NULL)
			break;
		n = read(s->fd, to, room < READ_STEP ? room : READ_STEP);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, errno, "script: cannot read");
		head->len += (size_t)n;
		if (n == 0) {
			*ret_cut = false;
			return 0;
		}
		for (; seen < head->len; seen++)
			if (head->data[seen] == '\n')
				lines++;
		if (lines >= SHEBANG_HEAD_LINES) {
			*ret_cut = false;
			return 0;
		}
	}
	/* Asked, since a file of /proc has no size. */
	do {
		n = pread(s->fd, &past, 1, (off_t)head->len);
	} while (n < 0 && errno == EINTR);
	*ret_cut = n != 0;
	return 0;
}

/* One link of the chain.  1: it led on, *dir_fd and *name are of its
 * target; 0: name is no link; or -errno. */
static int
hop(int *dir_fd, char **name)
{
	AEG_AUTOFREE char *target = xmalloc(SHEBANG_PATH_MAX);
	AEG_AUTOFREE char *dir = NULL;
	const char *base;
	ssize_t n;
	int fd;

	n = readlinkat(*dir_fd, *name, target, SHEBANG_PATH_MAX);
	if (n < 0)
		return errno == EINVAL ? 0 : -errno;
	if ((size_t)n >= SHEBANG_PATH_MAX)
		return -ENAMETOOLONG;
	target[n] = '\0';
	base = split(target, &dir);
	/* Against the directory that holds the link, not the working one. */
	fd = openat(*dir_fd, dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	io_close(dir_fd);
	*dir_fd = fd;
	free(*name);
	*name = xstrdup(base);
	return 1;
}

int
shebang_script_real(const struct shebang_script *s, int *ret_fd,
    struct err *err)
{
	AEG_AUTOFREE char *name = xstrdup(s->name);
	AEG_AUTOFD int fd = fcntl(s->dir_fd, F_DUPFD_CLOEXEC, 0);
	struct stat st;
	int hops, rc = 1;

	if (fd < 0)
		return err_sys(err, errno, "script: cannot follow its link");
	for (hops = 0; hops <= SHEBANG_HOPS_MAX && rc > 0; hops++)
		rc = hop(&fd, &name);
	if (rc > 0)
		return err_set(err, -ELOOP, "script: more than %d links",
		    SHEBANG_HOPS_MAX);
	if (rc < 0)
		return err_sys(err, -rc, "script: cannot follow its link");
	/* The directives came from the file that was opened. */
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    st.st_dev != s->st.st_dev || st.st_ino != s->st.st_ino)
		return err_set(err, -ESTALE,
		    "script: its link changed while it was followed");
	*ret_fd = -1;
	if (hops > 1) {
		*ret_fd = fd;
		fd = -1;
	}
	return 0;
}

/* The same directory by its name, where there is no /proc to ask. */
static int
dir_path_by_name(int fd, const char *script, bool real, char **ret_path)
{
	AEG_AUTOFREE char *dir = NULL, *path = NULL;
	AEG_AUTOFD int got = -1;
	struct stat st, want;

	split(script, &dir);
	path = realpath(real ? script : dir, NULL);
	if (path == NULL)
		return -errno;
	if (real) {
		AEG_AUTOFREE char *file = AEG_STEAL(path);

		split(file, &path);
	}
	got = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (got < 0 || fstat(got, &st) < 0 || fstat(fd, &want) < 0)
		return -errno;
	if (st.st_dev != want.st_dev || st.st_ino != want.st_ino)
		return -ESTALE;
	*ret_path = AEG_STEAL(path);
	return 0;
}

int
shebang_dir_path(const struct shebang_query *q, int fd, bool real,
    char **ret_path)
{
	char proc[sizeof "/proc/self/fd/" + 3 * sizeof fd];
	AEG_AUTOFREE char *path = xmalloc(SHEBANG_PATH_MAX);
	struct stat st;
	ssize_t n;

	snprintf(proc, sizeof proc, "/proc/self/fd/%d", fd);
	n = readlink(proc, path, SHEBANG_PATH_MAX);
	if (n < 0 && errno == ENOENT &&
	    (q->script[0] == '/' || q->cwd_fd == AT_FDCWD))
		return dir_path_by_name(fd, q->script, real, ret_path);
	if (n < 0)
		return -errno;
	if ((size_t)n >= SHEBANG_PATH_MAX)
		return -ENAMETOOLONG;
	path[n] = '\0';
	/* A directory that was removed, or lies outside this root, has a
	 * text here but no path. */
	if (path[0] != '/' || fstat(fd, &st) < 0 || st.st_nlink == 0)
		return -ENOENT;
	*ret_path = AEG_STEAL(path);
	return 0;
}
