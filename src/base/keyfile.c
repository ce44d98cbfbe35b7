/* SPDX-License-Identifier: ISC */
/* Keys that a machine makes for itself. */
#include "aegsh/base/keyfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"

#define KEY_MAX 64

int
keyfile_random(unsigned char *ret_key, size_t len, struct err *err)
{
	if (getrandom(ret_key, len, 0) != (ssize_t)len)
		return err_sys(err, errno, "random numbers");
	return 0;
}

/* Whole or not at all: written without a name and linked there. */
static int
make(int dir, const char *name, size_t len, struct err *err)
{
	unsigned char key[KEY_MAX];
	char from[64];
	AEG_AUTOFD int fd = -1;
	int rc;

	rc = keyfile_random(key, len, err);
	if (rc < 0)
		return rc;
	fd = openat(dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(err, errno, "%s", name);
	rc = io_write_full(fd, key, len);
	explicit_bzero(key, sizeof key);
	if (rc == 0 && fsync(fd) < 0)
		rc = -errno;
	snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
	if (rc == 0 && linkat(AT_FDCWD, from, dir, name,
	    AT_SYMLINK_FOLLOW) < 0 && errno != EEXIST)
		rc = -errno;
	return rc < 0 ? err_sys(err, -rc, "%s", name) : 0;
}

int
keyfile_renew(int dir, const char *name, size_t len, struct err *err)
{
	unsigned char key[KEY_MAX];
	int rc;

	if (len > sizeof key)
		return err_set(err, -EINVAL, "%s: too long a key", name);
	rc = keyfile_random(key, len, err);
	if (rc < 0)
		return rc;
	rc = io_replace(dir, name, key, len, 0600);
	explicit_bzero(key, sizeof key);
	return rc < 0 ? err_sys(err, -rc, "%s", name) : 0;
}

static int
read_it(int fd, const char *name, unsigned char *ret_key, size_t len,
    struct err *err)
{
	struct stat st;
	int rc;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", name);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 0177) != 0 || st.st_size != (off_t)len)
		return err_set(err, ERR_TRUST, "%s: not a file of %zu bytes, "
		    "yours and with mode 0600; remove it to have a new one",
		    name, len);
	rc = io_read_full(fd, ret_key, len);
	return rc < 0 ? err_set(err, rc, "%s: %s", name, err_str(rc)) : 0;
}

int
keyfile_load(const char *path, const char *name, unsigned char *ret_key,
    size_t len, struct err *err)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
	AEG_AUTOFD int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AEG_AUTOFD int fd = -1;
	unsigned char key[KEY_MAX];
	int rc = 0;

	if (dir < 0)
		return err_sys(err, errno, "%s", path);
	if (len > sizeof key)
		return err_set(err, -EINVAL, "%s: too long a key", name);
	fd = openat(dir, name, flags);
	if (fd < 0 && errno == ENOENT) {
		rc = make(dir, name, len, err);
		if (rc == 0)
			fd = openat(dir, name, flags);
	}
	if (rc == 0)
		rc = fd < 0 ? err_sys(err, errno, "%s", name) :
		    read_it(fd, name, key, len, err);
	if (rc < 0) {
		err_context(err, "%s", path);
		return rc;
	}
	memcpy(ret_key, key, len);
	explicit_bzero(key, sizeof key);
	return 0;
}
