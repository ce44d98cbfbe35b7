/* SPDX-License-Identifier: ISC */
/*
 * The compiled form on disk: one file per hash of the sources, in a
 * directory that no command can write, put there whole or not at all.
 * Whatever is wrong with one (another owner, a wrong mode, bytes that do
 * not check) it is as if it were not there.
 */
#include "policy_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/text.h"

#define CACHE_PREFIX "policy-"

void
pol_hash_hex(const uint8_t hash[32], char hex[65])
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < 32; i++) {
		hex[2 * i] = digits[hash[i] >> 4];
		hex[2 * i + 1] = digits[hash[i] & 15];
	}
	hex[64] = '\0';
}

static int
open_dir(const char *dir)
{
	return open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void
name_of(const uint8_t hash[32], char name[80])
{
	memcpy(name, CACHE_PREFIX, sizeof CACHE_PREFIX - 1);
	pol_hash_hex(hash, name + sizeof CACHE_PREFIX - 1);
}

int
pol_cache_read(const char *dir, const uint8_t hash[32], char **ret,
	size_t *ret_size)
{
	AEG_AUTOFD int dir_fd = open_dir(dir);
	AEG_AUTOFD int fd = -1;
	char *blob AEG_AUTOFREE = NULL;
	char name[80];
	struct stat st;
	size_t size;

	if (dir_fd < 0)
		return -errno;
	name_of(hash, name);
	fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
	    O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || (st.st_mode & 077) != 0 ||
	    st.st_uid != geteuid() ||
	    st.st_size < (off_t)sizeof(struct pol_header) ||
	    st.st_size > (off_t)POL_BLOB_MAX)
		return ERR_TRUST;
	size = (size_t)st.st_size;
	blob = xmalloc(size);
	/* Read, not mapped: what was checked can't change afterwards. */
	if (io_read_full(fd, blob, size) < 0)
		return -EIO;
	if (pol_blob_check(blob, size) < 0 || memcmp(((struct pol_header *)
	    (void *)blob)->hash, hash, 32) != 0)
		return ERR_SYNTAX;
	*ret = AEG_STEAL(blob);
	*ret_size = size;
	return 0;
}

/* Compiled forms of other sources: nobody asks for them any more. */
static void
remove_others(int dir_fd, const char *keep)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (dir == NULL) {
		io_close(&fd);
		return;
	}
	while ((entry = readdir(dir)) != NULL)
		if (text_starts(entry->d_name, CACHE_PREFIX) &&
		    strcmp(entry->d_name, keep) != 0)
			unlinkat(dir_fd, entry->d_name, 0);
	closedir(dir);
}

void
pol_cache_write(const char *dir, const uint8_t hash[32], const char *blob,
	size_t size)
{
	AEG_AUTOFD int dir_fd = open_dir(dir);
	AEG_AUTOFD int fd = -1;
	char name[80], temp[96];

	if (dir_fd < 0)
		return;
	name_of(hash, name);
	snprintf(temp, sizeof temp, ".policy.%ld", (long)getpid());
	unlinkat(dir_fd, temp, 0);
	fd = openat(dir_fd, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	/* A half-written file never gets its name. */
	if (io_write_full(fd, blob, size) < 0 || fchmod(fd, 0600) < 0 ||
	    renameat(dir_fd, temp, dir_fd, name) < 0)
		unlinkat(dir_fd, temp, 0);
	else
		remove_others(dir_fd, name);
}
