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
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/io.h"
#include "aegsh/base/text.h"

#define CACHE_PREFIX "policy-"
#define KNOWN_PREFIX "sources-"

/* A file that changed less than this ago could change once more within one
 * tick of its time stamps. */
#define KNOWN_SETTLED 2		/* seconds */

static void
name_of(const char *prefix, const uint8_t hash[32], char name[80])
{
	size_t len = strlen(prefix);

	memcpy(name, prefix, len);
	hex_text(hash, 32, name + len);
}

/* A file of ours that nobody else can read or write, of a size between. */
static int
open_own(int dir_fd, const char *name, size_t least, size_t most,
	struct stat *ret)
{
	AEG_AUTOFD int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC |
	    O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	int opened;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || (st.st_mode & 077) != 0 ||
	    st.st_uid != geteuid() || st.st_size < (off_t)least ||
	    st.st_size > (off_t)most)
		return ERR_TRUST;
	*ret = st;
	opened = fd;
	fd = -1;
	return opened;
}

int
pol_cache_known(int dir, const uint8_t identity[32], struct pol_known *ret)
{
	AEG_AUTOFD int fd = -1;
	struct pol_known known;
	struct stat st;
	char name[80];

	name_of(KNOWN_PREFIX, identity, name);
	fd = open_own(dir, name, sizeof known, sizeof known, &st);
	if (fd < 0)
		return fd;
	if (io_read_full(fd, &known, sizeof known) < 0)
		return -EIO;
	*ret = known;
	return 0;
}

/* All pages at once: a fault for each would cost more than the reading. */
static void
populate(char *p, size_t size)
{
#ifdef MADV_POPULATE_WRITE
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)p + page - 1) & ~(page - 1);
	uintptr_t to = ((uintptr_t)p + size) & ~(page - 1);

	if (from < to)
		madvise((void *)from, to - from, MADV_POPULATE_WRITE);
#else
	(void)p;
	(void)size;
#endif
}

/* Read, not mapped: what was checked can't change afterwards, however long
 * the session is. */
static int
read_bytes(int fd, struct pol_bytes *ret)
{
	ret->p = xmalloc(ret->size);
	populate(ret->p, ret->size);
	return io_read_full(fd, ret->p, ret->size) < 0 ? -EIO : 0;
}

/*
 * For one line the pages of the file itself will do: it is made under
 * another name and never written again, by us; and who else could do so,
 * as its owner outside of every sandbox, could as well put another there.
 */
static int
map_bytes(int fd, struct pol_bytes *ret)
{
	void *p = mmap(NULL, ret->size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	ret->p = p;
	ret->mapped = true;
	return 0;
}

void
pol_bytes_done(struct pol_bytes *b)
{
	if (b->mapped)
		munmap(b->p, b->size);
	else
		free(b->p);
	*b = (struct pol_bytes){ .p = NULL };
}

/* The whole of it is looked at but once for each file: as long as no inode
 * tells of a change, what was right then is right. */
static int
check_bytes(const struct pol_bytes *b, const struct pol_known *known)
{
	const struct pol_header *h = (const void *)b->p;

	if (memcmp(h->hash, known->hash, sizeof h->hash) != 0)
		return ERR_SYNTAX;
	if (b->mapped && memcmp(b->file, known->checked,
	    sizeof b->file) == 0)
		return pol_blob_check_head(b->p, b->size);
	return pol_blob_check(b->p, b->size);
}

int
pol_cache_read(int dir, const struct pol_known *known, bool map,
	struct pol_bytes *ret)
{
	AEG_AUTOFD int fd = -1;
	AEG_AUTO(pol_bytes_done) struct pol_bytes bytes = { .p = NULL };
	struct stat st;
	char name[80];
	int rc;

	name_of(CACHE_PREFIX, known->hash, name);
	fd = open_own(dir, name, sizeof(struct pol_header), POL_BLOB_MAX,
	    &st);
	if (fd < 0)
		return fd;
	bytes.size = (size_t)st.st_size;
	pol_file_identity(&st, bytes.file);
	rc = map ? map_bytes(fd, &bytes) : read_bytes(fd, &bytes);
	if (rc == 0)
		rc = check_bytes(&bytes, known);
	if (rc < 0)
		return rc;
	*ret = bytes;
	bytes = (struct pol_bytes){ .p = NULL };
	return 0;
}

/* What belongs to other sources: nobody asks for it any more. */
static void
remove_others(int dir_fd, const char *prefix, const char *keep)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (dir == NULL) {
		io_close(&fd);
		return;
	}
	while ((entry = readdir(dir)) != NULL)
		if (text_starts(entry->d_name, prefix) &&
		    strcmp(entry->d_name, keep) != 0)
			unlinkat(dir_fd, entry->d_name, 0);
	closedir(dir);
}

/* Put there whole or not at all: a half-written file never gets its name. */
static void
put_file(const char *dir, const char *prefix, const uint8_t key[32],
	const void *bytes, size_t size)
{
	AEG_AUTOFD int dir_fd = open(dir, O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC);
	AEG_AUTOFD int fd = -1;
	char name[80], temp[96];

	if (dir_fd < 0)
		return;
	name_of(prefix, key, name);
	snprintf(temp, sizeof temp, ".policy.%ld", (long)getpid());
	unlinkat(dir_fd, temp, 0);
	fd = openat(dir_fd, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	if (io_write_full(fd, bytes, size) < 0 || fchmod(fd, 0600) < 0 ||
	    renameat(dir_fd, temp, dir_fd, name) < 0)
		unlinkat(dir_fd, temp, 0);
	else
		remove_others(dir_fd, prefix, name);
}

void
pol_cache_write(const char *dir, const uint8_t hash[32], const char *blob,
	size_t size)
{
	put_file(dir, CACHE_PREFIX, hash, blob, size);
}

static bool
is_settled(int64_t changed)
{
	return changed < clock_wall_ns() / 1000000000 - KNOWN_SETTLED;
}

void
pol_cache_remember(const char *dir, const struct pol_sources *s)
{
	struct pol_known known = { .checked = { 0 } };

	memcpy(known.hash, s->hash, sizeof known.hash);
	if (is_settled(s->newest))
		put_file(dir, KNOWN_PREFIX, s->identity, &known, sizeof known);
}

/* The disk must hold it as it was looked at, so that a crash can't leave
 * another of the same identity. */
void
pol_cache_vouch(const char *dir, const struct pol_sources *s,
	const struct pol_bytes *b)
{
	AEG_AUTOFREE char *path = NULL;
	struct pol_known known;
	int64_t now[POL_FILE_IDENTITY];
	AEG_AUTOFD int fd = -1;
	struct stat st;
	char name[80];

	name_of(CACHE_PREFIX, s->hash, name);
	path = xasprintf("%s/%s", dir, name);
	fd = open_own(AT_FDCWD, path, b->size, b->size, &st);
	if (fd < 0 || !is_settled(s->newest) ||
	    !is_settled(st.st_ctim.tv_sec) || fdatasync(fd) < 0)
		return;
	pol_file_identity(&st, now);
	if (memcmp(now, b->file, sizeof now) != 0)
		return;
	memcpy(known.hash, s->hash, sizeof known.hash);
	memcpy(known.checked, now, sizeof known.checked);
	put_file(dir, KNOWN_PREFIX, s->identity, &known, sizeof known);
}
