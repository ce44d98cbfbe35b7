/* SPDX-License-Identifier: ISC */
/*
 * A directory of a test's own, made below $TMPDIR or /tmp and removed at
 * the end, and small files in it.  Its path has no symbolic link in it.
 */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *scratch_dir;

static inline void
scratch_die(const char *what)
{
	perror(what);
	exit(99);		/* automake: a hard error */
}

static inline void
scratch_remove_in(int parent, const char *name)
{
	int fd = openat(parent, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *e;
	DIR *d;

	if (fd < 0) {
		unlinkat(parent, name, 0);
		return;
	}
	d = fdopendir(fd);
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			scratch_remove_in(fd, e->d_name);
	}
	closedir(d);
	unlinkat(parent, name, AT_REMOVEDIR);
}

/* Owner, so that a forked child's exit does not remove it. */
static pid_t scratch_pid;

static inline void
scratch_remove(void)
{
	if (scratch_dir != NULL && scratch_pid == getpid())
		scratch_remove_in(AT_FDCWD, scratch_dir);
}

static inline const char *
scratch_new(void)
{
	const char *tmp = getenv("TMPDIR");
	char *real = realpath(tmp != NULL ? tmp : "/tmp", NULL);

	umask(022);
	if (real == NULL ||
	    asprintf(&scratch_dir, "%s/aegsh-test-XXXXXX", real) < 0 ||
	    mkdtemp(scratch_dir) == NULL)
		scratch_die("temporary directory");
	free(real);
	scratch_pid = getpid();
	atexit(scratch_remove);
	return scratch_dir;
}

/* An owned path below the directory. */
static inline char *
scratch_path(const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", scratch_dir, name) < 0)
		scratch_die("asprintf");
	return path;
}

static inline void
scratch_mkdir(const char *name, mode_t mode)
{
	char *path = scratch_path(name);

	if (mkdir(path, mode) < 0 || chmod(path, mode) < 0)
		scratch_die(path);
	free(path);
}

static inline void
scratch_write(const char *name, const void *bytes, size_t len, mode_t mode)
{
	char *path = scratch_path(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len ||
	    fchmod(fd, mode) < 0)
		scratch_die(path);
	close(fd);
	free(path);
}

static inline void
scratch_puts(const char *name, const char *text)
{
	scratch_write(name, text, strlen(text), 0600);
}

/* As an operator's settings and rules are: all may read it. */
static inline void
scratch_rules(const char *name, const char *text)
{
	scratch_write(name, text, strlen(text), 0644);
}

static inline void
scratch_unlink(const char *name)
{
	char *path = scratch_path(name);

	unlink(path);
	free(path);
}

static inline void
scratch_link(const char *target, const char *name)
{
	char *path = scratch_path(name);

	if (symlink(target, path) < 0)
		scratch_die(path);
	free(path);
}

#endif
