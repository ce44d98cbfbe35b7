/* SPDX-License-Identifier: ISC */
#include "aegsh/base/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define SUFFIX_LEN 6U		/* by mkdtemp(3) */
#define LOOKED_MAX 65536	/* entries of a directory for such files */
#define FOUND_MAX 64		/* of those in it that are looked at */
#define TRIES 8			/* against who takes a new one for left */

DIR *
scratch_list(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (d == NULL)
		io_close(&fd);
	return d;
}

const char *
scratch_next(DIR *d)
{
	const struct dirent *e;

	while ((e = readdir(d)) != NULL && (strcmp(e->d_name, ".") == 0 ||
	    strcmp(e->d_name, "..") == 0))
		;
	return e == NULL ? NULL : e->d_name;
}

void
scratch_empty(int dir)
{
	DIR *d = scratch_list(dir);
	const char *name;

	while (d != NULL && (name = scratch_next(d)) != NULL)
		unlinkat(dir, name, 0);
	if (d != NULL)
		closedir(d);
}

void
scratch_remove(int fd, int parent, const char *path)
{
	scratch_empty(fd);
	unlinkat(parent, path, AT_REMOVEDIR);
}

/* That one, and not another that has its name by now. */
static bool
is_at(int fd, int parent, const char *name)
{
	struct stat there, st;

	return fstat(fd, &st) == 0 && fstatat(parent, name, &there,
	    AT_SYMLINK_NOFOLLOW) == 0 && there.st_dev == st.st_dev &&
	    there.st_ino == st.st_ino;
}

/* 0: somebody took it for left behind, before it was locked; 1, with its
 * descriptor; or -errno. */
static int
try_make(char *path, int *ret_fd)
{
	AEG_AUTOFD int fd = -1;

	if (mkdtemp(path) == NULL)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	/* Where directories can't be locked nobody finds one unlocked. */
	if ((flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) ||
	    !is_at(fd, AT_FDCWD, path))
		return 0;
	*ret_fd = fd;
	fd = -1;
	return 1;
}

int
scratch_make(const char *dir, const char *prefix, char **ret_path)
{
	int tries, fd = -1, rc = 0;

	for (tries = 0; rc == 0 && tries < TRIES; tries++) {
		AEG_AUTOFREE char *path = xasprintf("%s/%sXXXXXX", dir,
		    prefix);

		rc = try_make(path, &fd);
		if (rc > 0)
			*ret_path = AEG_STEAL(path);
	}
	return rc == 0 ? -EBUSY : rc < 0 ? rc : fd;
}

static bool
is_one(const char *name, const char *prefix)
{
	return text_starts(name, prefix) &&
	    strlen(name) == strlen(prefix) + SUFFIX_LEN &&
	    strspn(name + strlen(prefix), "0123456789abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == SUFFIX_LEN;
}

/* As we make them, and of nobody who lives. */
static int
open_left(int parent, const char *name)
{
	AEG_AUTOFD int fd = openat(parent, name, O_RDONLY | O_DIRECTORY |
	    O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int found;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() ||
	    (st.st_mode & 07777) != 0700 ||
	    flock(fd, LOCK_EX | LOCK_NB) < 0 || !is_at(fd, parent, name))
		return -1;
	found = fd;
	fd = -1;
	return found;
}

void
scratch_each_left(const char *dir, const char *prefix,
	void (*fn)(void *ctx, int parent, const char *name, int fd), void *ctx)
{
	AEG_AUTOFD int parent = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AEG_AUTO(strv_done) struct strv found = STRV_INIT;
	DIR *d = parent < 0 ? NULL : scratch_list(parent);
	const char *name;
	size_t i;

	/* A name that comes by a rename could be met again. */
	for (i = 0; d != NULL && i < LOOKED_MAX && found.n < FOUND_MAX &&
	    (name = scratch_next(d)) != NULL; i++)
		if (is_one(name, prefix))
			strv_add(&found, name);
	if (d != NULL)
		closedir(d);
	for (i = 0; i < found.n; i++) {
		AEG_AUTOFD int fd = open_left(parent, found.v[i]);

		if (fd >= 0)
			fn(ctx, parent, found.v[i], fd);
	}
}

static void
remove_left(void *ctx, int parent, const char *name, int fd)
{
	(void)ctx;
	scratch_remove(fd, parent, name);
}

void
scratch_sweep(const char *dir, const char *prefix)
{
	scratch_each_left(dir, prefix, remove_left, NULL);
}
