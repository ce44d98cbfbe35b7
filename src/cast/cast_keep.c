/* SPDX-License-Identifier: ISC */
/*
 * All recordings of a store: what of one is deleted, and copies of them.
 *
 * The beginning of a file goes by being made empty, so that what stays keeps
 * its place: its regions are known by where they begin.
 */
#include "cast_int.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/hex.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/cast_files.h"

#define BLOCK ((size_t)64 * 1024)
#define NAME_LEN 41		/* "UUID.cast" */

static DIR *
open_all(const char *store, int *ret_fd, int *ret_rc, struct err *err)
{
	AEG_AUTOFD int fd = -1;
	int again;
	DIR *d;

	*ret_rc = cast_place_open(store, false, &fd, err);
	if (*ret_rc < 0)
		return NULL;
	again = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	d = again >= 0 ? fdopendir(again) : NULL;
	if (d == NULL) {
		*ret_rc = err_sys(err, errno, "%s/%s", store, CAST_DIR);
		io_close(&again);
		return NULL;
	}
	*ret_fd = fd;
	fd = -1;
	return d;
}

static bool
is_recording(const char *name, unsigned char ret[UUID_LEN])
{
	return strlen(name) == NAME_LEN && text_ends(name, ".cast") &&
	    uuid_parse(name, 36, ret);
}

int
cast_each(const char *store, int (*fn)(void *ctx,
    const unsigned char session[UUID_LEN]), void *ctx, struct err *err)
{
	AEG_AUTOFD int place = -1;
	unsigned char session[UUID_LEN];
	struct dirent *e;
	int rc = 0;
	DIR *d = open_all(store, &place, &rc, err);

	if (d == NULL)
		return rc == -ENOENT ? 0 : rc;
	while (rc == 0 && (errno = 0, e = readdir(d)) != NULL)
		if (is_recording(e->d_name, session))
			rc = fn(ctx, session);
	if (rc == 0 && errno != 0)
		rc = err_sys(err, errno, "%s/%s", store, CAST_DIR);
	closedir(d);
	return rc;
}

/* Where its first line ends, or 0. */
static int64_t
header_end(int fd)
{
	char block[4096];
	ssize_t n = pread(fd, block, sizeof block, 0);
	const char *end = n > 0 ? memchr(block, '\n', (size_t)n) : NULL;

	return end != NULL ? end - block + 1 : 0;
}

/* Zeros, where holes cannot be had. */
static int
overwrite(int fd, int64_t from, int64_t to)
{
	static const char zeros[BLOCK];
	size_t want;
	ssize_t n;

	for (; from < to; from += n) {
		want = to - from < (int64_t)BLOCK ? (size_t)(to - from) :
		    BLOCK;
		n = pwrite(fd, zeros, want, from);
		if (n < 0 && errno == EINTR)
			n = 0;
		if (n < 0)
			return -errno;
	}
	return 0;
}

static int
empty(int fd, int64_t before)
{
	struct stat st;
	int64_t from = header_end(fd);
	int rc = 0;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || before > st.st_size || from >= before)
		return 0;
	/* Its last partial blocks are written over by this, too. */
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from,
	    before - from) < 0)
		rc = errno == EOPNOTSUPP || errno == ENOSYS ?
		    overwrite(fd, from, before) : -errno;
	return rc == 0 && fdatasync(fd) < 0 ? -errno : rc;
}

int
cast_forget(const char *store, const unsigned char session[UUID_LEN],
    int64_t before, struct err *err)
{
	AEG_AUTOFD int place = -1;
	AEG_AUTOFD int fd = -1;
	char uuid[UUID_TEXT], name[48];
	int rc = cast_place_open(store, false, &place, err);

	if (rc < 0)
		return rc == -ENOENT ? 0 : rc;
	uuid_text(session, uuid);
	snprintf(name, sizeof name, "%s.cast", uuid);
	if (before < 0) {
		rc = unlinkat(place, name, 0) < 0 && errno != ENOENT ?
		    -errno : 0;
	} else {
		fd = openat(place, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK |
		    O_CLOEXEC);
		if (fd < 0)
			rc = errno == ENOENT ? 0 : -errno;
		else
			rc = empty(fd, before);
	}
	return rc < 0 ? err_sys(err, -rc, "%s/%s/%s", store, CAST_DIR,
	    name) : 0;
}

/* Holes stay holes where the file system tells of them. */
static int
copy_file(int from, int to)
{
	AEG_AUTOFREE char *block = xmalloc(BLOCK);
	struct stat st;
	int64_t at = 0, data;
	size_t want;
	ssize_t n;
	int rc;

	if (fstat(from, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	while (at < st.st_size) {
		data = lseek(from, at, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			break;
		if (data > at)
			at = data;
		want = st.st_size - at < (int64_t)BLOCK ?
		    (size_t)(st.st_size - at) : BLOCK;
		n = pread(from, block, want, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		if (lseek(to, at, SEEK_SET) < 0)
			return -errno;
		rc = io_write_full(to, block, (size_t)n);
		if (rc < 0)
			return rc;
		at += n;
	}
	return ftruncate(to, st.st_size) < 0 || fsync(to) < 0 ? -errno : 0;
}

static int
copy_one(int place, int to, const char *name)
{
	AEG_AUTOFD int in = openat(place, name, O_RDONLY | O_NOFOLLOW |
	    O_NONBLOCK | O_CLOEXEC);
	AEG_AUTOFD int out = -1;

	if (in < 0)
		return errno == ENOENT ? 0 : -errno;
	out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
	    O_CLOEXEC, 0600);
	return out < 0 ? -errno : copy_file(in, out);
}

int
cast_copy(const char *store, const char *to, struct err *err)
{
	AEG_AUTOFD int place = -1;
	AEG_AUTOFD int out = -1;
	unsigned char session[UUID_LEN];
	struct dirent *e;
	int rc = 0;
	DIR *d = open_all(store, &place, &rc, err);

	if (d == NULL)
		return rc == -ENOENT ? 0 : rc;
	if (mkdir(to, 0700) < 0)
		rc = err_sys(err, errno, "%s", to);
	else if ((out = open(to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC)) < 0)
		rc = err_sys(err, errno, "%s", to);
	while (rc == 0 && (errno = 0, e = readdir(d)) != NULL) {
		if (!is_recording(e->d_name, session))
			continue;
		rc = copy_one(place, out, e->d_name);
		if (rc < 0)
			err_sys(err, -rc, "%s/%s", to, e->d_name);
	}
	if (rc == 0 && errno != 0)
		rc = err_sys(err, errno, "%s/%s", store, CAST_DIR);
	closedir(d);
	return rc;
}
