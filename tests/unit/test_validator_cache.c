/* SPDX-License-Identifier: ISC */
/* Verdicts that are remembered: what is found, for how long, and what of a
 * file that somebody else wrote is believed: nothing. */
#include "aegsh/validator_store.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define SECOND ((int64_t)1000000000)
#define NOW (1000 * SECOND)

static const unsigned char secret[VAL_SECRET_LEN] = { 1 };
static const struct val_verdict fine = { .status = VAL_ANSWERED,
	.action = VAL_ALLOW, .confidence = 91, .category = "read",
	.model = "m-1", .reason = "Fine." };

static void
digest_of(unsigned n, unsigned char ret[VAL_DIGEST_LEN])
{
	memset(ret, 0, VAL_DIGEST_LEN);
	memcpy(ret, &n, sizeof n);
}

static int
get(int fd, unsigned n, int64_t now, struct val_verdict *ret, bool *forged)
{
	unsigned char d[VAL_DIGEST_LEN];

	digest_of(n, d);
	return val_cache_get(fd, secret, d, now, 60, ret, forged);
}

static void
put(int fd, unsigned n, int64_t now)
{
	unsigned char d[VAL_DIGEST_LEN];

	digest_of(n, d);
	val_cache_put(fd, secret, d, now, &fine);
}

static void
test_found(int fd)
{
	static const unsigned char other[VAL_SECRET_LEN] = { 2 };
	unsigned char d[VAL_DIGEST_LEN];
	struct val_verdict v = { .status = VAL_FAILED };
	bool forged = true;

	IS_INT(get(fd, 1, NOW, &v, &forged), 0);
	OK(!forged && v.status == VAL_FAILED);
	put(fd, 1, NOW);
	IS_INT(get(fd, 1, NOW, &v, &forged), 1);
	OK(v.status == VAL_ANSWERED && v.action == VAL_ALLOW && v.cached &&
	    v.confidence == 91 && v.cost == 0 && !forged);
	IS_STR(v.model, "m-1");
	IS_STR(v.category, "read");
	IS_INTN(get(fd, 2, NOW, &v, &forged), 0, "another question");
	IS_INTN(get(fd, 1, NOW + 60 * SECOND - 1, &v, &forged), 1,
	    "to its last moment");
	IS_INTN(get(fd, 1, NOW + 60 * SECOND, &v, &forged), 0, "and no longer");
	IS_INTN(get(fd, 1, NOW - 1, &v, &forged), 0,
	    "nor before: the clock was set back");
	digest_of(1, d);
	IS_INTN(val_cache_get(fd, other, d, NOW, 60, &v, &forged), 0,
	    "another secret");
}

/* Every byte of the row, changed: never believed. */
static void
test_changed(int fd)
{
	static unsigned char file[128 * 9];
	struct val_verdict v;
	unsigned believed = 0, told = 0;
	bool forged;
	size_t i, row;

	put(fd, 1, NOW);
	OK(pread(fd, file, sizeof file, 0) == (ssize_t)sizeof file);
	for (row = 128; row < sizeof file && memcmp(file + row,
	    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16) == 0; row += 128)
		continue;
	OKF(row < sizeof file, "the row is there");
	for (i = 0; row < sizeof file && i < 128; i++) {
		file[row + i] ^= 0x10;
		OK(pwrite(fd, file, sizeof file, 0) == (ssize_t)sizeof file);
		believed += get(fd, 1, NOW, &v, &forged) == 1;
		told += forged;
		file[row + i] ^= 0x10;
	}
	IS_INTN(believed, 0, "changed rows that were believed");
	OKF(told >= 100, "%u of 128 were found to be forged (the rest was "
	    "not even found)", told);
}

static void
test_many(int fd)
{
	struct val_cache_stats s;
	struct val_verdict v;
	unsigned i, found = 0;
	bool forged;

	for (i = 0; i < 100; i++)
		put(fd, i, NOW + i);
	for (i = 0; i < 100; i++)
		found += get(fd, i, NOW + 100, &v, &forged) == 1;
	IS_INTN(found, 8, "a table of eight holds eight");
	IS_INTN(get(fd, 99, NOW + 100, &v, &forged), 1, "the newest");
	IS_INT(val_cache_stats(fd, &s, NULL), 0);
	OK(s.rows == 8 && s.used == 8 && s.hits >= 9 && s.stored >= 100);
	OKF(s.oldest_ns == NOW + 92, "the oldest is the 93rd");
	IS_INT(val_cache_clear(fd, NULL), 0);
	IS_INT(val_cache_stats(fd, &s, NULL), 0);
	OK(s.rows == 8 && s.used == 0 && s.hits == 0);
}

static void
test_files(const char *dir)
{
	AEG_AUTOFREE char *path = scratch_path("judge.cache");
	struct err err = ERR_INIT;
	struct val_verdict v;
	bool forged;
	int fd = -1;

	OK(truncate(path, 200) == 0);
	IS_INT(val_cache_open(dir, 8, false, &fd, &err), 0);
	IS_INTN(get(fd, 1, NOW, &v, &forged), 0, "a table cut short");
	io_close(&fd);
	scratch_puts("judge.cache", "nonsense");
	OKF(val_cache_open(dir, 0, false, &fd, &err) < 0, "nonsense: %s",
	    err.text);
	IS_INT(val_cache_open(dir, 8, true, &fd, &err), 0);
	put(fd, 1, NOW);
	IS_INTN(get(fd, 1, NOW, &v, &forged), 1, "is made anew");
	io_close(&fd);
	OK(chmod(path, 0644) == 0);
	IS_INTN(val_cache_open(dir, 8, true, &fd, &err), ERR_TRUST,
	    "readable by others");
	OK(unlink(path) == 0 && symlink("/etc/passwd", path) == 0);
	OKF(val_cache_open(dir, 8, true, &fd, &err) < 0, "a link: %s",
	    err.text);
	OK(fd == -1);
}

int
main(void)
{
	const char *dir = scratch_new();
	struct err err = ERR_INIT;
	struct stat st;
	int fd = -1;

	OKF(val_cache_open(dir, 8, false, &fd, &err) < 0, "none yet: %s",
	    err.text);
	IS_INT(val_cache_open(dir, 5, true, &fd, &err), 0);
	OK(fstat(fd, &st) == 0 && st.st_size == 128 * 9 &&
	    (st.st_mode & 07777) == 0600);
	test_found(fd);
	test_changed(fd);
	test_many(fd);
	io_close(&fd);
	test_files(dir);
	return tap_done();
}
