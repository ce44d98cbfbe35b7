/* SPDX-License-Identifier: ISC */
/*
 * The file of a session: events are only ever added, in regions that end
 * where a line does, each with its hash.  Several processes may add to it;
 * each takes into its regions what the others have written meanwhile.
 *
 * After an error it is tried again when asked to.  A disk that is nearly full
 * is left to others before it is full.
 */
#include "cast_int.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/conf.h"

#define WAITING ((size_t)64 * 1024)	/* bytes, until they are written */
#define LOOK_EVERY (INT64_C(1024) * 1024)
#define LOCK_NS (INT64_C(2) * 1000 * 1000 * 1000)
/* More than others of a session write between two pieces of ours: it takes
 * seconds to hash, and whoever may write to the file can make it long. */
#define OTHERS_MOST (INT64_C(1) << 30)
#define HALF_MOST (INT64_C(8) * 1024 * 1024)	/* longer than any event */

void
cast_file_init(struct cast_file *f, const char *dir,
    const unsigned char session[UUID_LEN])
{
	char uuid[UUID_TEXT];

	*f = (struct cast_file){ .dir = xstrdup(dir), .fd = -1 };
	uuid_text(session, uuid);
	snprintf(f->name, sizeof f->name, "%s.cast", uuid);
}

/* ---- making it ------------------------------------------------------- */

/* A directory may be held by O_PATH alone. */
static int
sync_names(int dir)
{
	AEG_AUTOFD int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC);

	return fd < 0 || fsync(fd) < 0 ? -1 : 0;
}

int
cast_place_open(const char *store, bool make, int *ret_fd, struct err *err)
{
	AEG_AUTOFREE char *path = xasprintf("%s/%s", store, CAST_DIR);
	AEG_AUTOFD int parent = -1;
	AEG_AUTOFD int fd = -1;
	struct stat st, above;
	int rc = conf_trust_dir(store, geteuid(), &parent, err);

	if (rc < 0)
		return rc;
	if (make && (mkdirat(parent, CAST_DIR, 0700) == 0 ?
	    sync_names(parent) < 0 : errno != EEXIST))
		return err_sys(err, errno, "%s", path);
	fd = openat(parent, CAST_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || fstat(parent, &above) < 0)
		return err_sys(err, errno, "%s", path);
	if (st.st_uid != above.st_uid || (st.st_mode & 077) != 0)
		return err_set(err, ERR_TRUST, "%s: must belong to the owner "
		    "of the store and be closed to others", path);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* Another process of the session may write at the same time: what a line has
 * left behind writes through the one that was the line's.  One whose disk
 * stands still, or who means harm, keeps it: a line's output does not wait for
 * that, and is recorded no more. */
static int
lock(int fd)
{
	const int64_t until = clock_mono_ns() + LOCK_NS;
	const struct timespec pause = { 0, 1000 * 1000 };

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (clock_mono_ns() > until)
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* With the lock: who was killed while it wrote has left half an event, which
 * would be one with the next, and neither could be read: it goes.  Up to least
 * all are whole; *size: where the file ends. */
static int
drop_half(int fd, int64_t least, off_t *size)
{
	AEG_AUTOFREE char *block = NULL;
	const char *end = NULL;
	int64_t at = *size;
	char last;

	if (at <= least)
		return 0;
	if (pread(fd, &last, 1, at - 1) != 1)
		return -EIO;
	if (last == '\n')
		return 0;
	block = xmalloc(WAITING);
	while (end == NULL && at > least) {
		size_t n = at - least < (int64_t)WAITING ?
		    (size_t)(at - least) : WAITING;

		if (*size - at > HALF_MOST)
			return -EFBIG;
		at -= (int64_t)n;
		if (pread(fd, block, n, at) != (ssize_t)n)
			return -EIO;
		end = memrchr(block, '\n', n);
	}
	if (end != NULL)
		at += end + 1 - block;
	if (ftruncate(fd, at) < 0)
		return -errno;
	*size = at;
	return 0;
}

/* The time that the file's first line says its events count from. */
static int
read_start(struct cast_file *f, struct err *err)
{
	struct cast_reader *r = NULL;
	int fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 3);
	int rc;

	if (fd < 0)
		return err_sys(err, errno, "%s/%s/%s", f->dir, CAST_DIR,
		    f->name);
	rc = cast_reader_new(fd, f->name, &r, err);
	if (rc == 0)
		f->start = cast_reader_header(r)->timestamp;
	cast_reader_free(r);
	return rc;
}

/* The file has its first line, and where it ends is known. */
static int
begin_file(struct cast_file *f, const char *header, size_t len,
    struct err *err)
{
	struct stat st = { .st_size = -1 };
	int rc = lock(f->fd);

	if (rc == 0 && fstat(f->fd, &st) < 0)
		rc = -errno;
	if (rc == 0)
		rc = drop_half(f->fd, 0, &st.st_size);
	if (rc == 0 && st.st_size == 0)
		rc = io_write_full(f->fd, header, len);
	if (rc < 0)
		err_sys(err, -rc, "%s/%s/%s", f->dir, CAST_DIR, f->name);
	else if (st.st_size > 0)
		rc = read_start(f, err);
	if (rc < 0 && st.st_size == 0 && ftruncate(f->fd, 0) < 0)
		f->dead = true;
	flock(f->fd, LOCK_UN);
	if (rc < 0)
		return rc;
	f->made = st.st_size == 0;
	f->settled = f->end = f->synced = st.st_size;
	sha256_init(&f->hash);
	return 0;
}

static int
make_file(struct cast_file *f, const char *header, size_t len,
    struct err *err)
{
	AEG_AUTOFD int place = -1;
	struct stat st;
	int rc = cast_place_open(f->dir, true, &place, err);

	if (rc < 0)
		return rc;
	f->fd = openat(place, f->name, O_RDWR | O_CREAT | O_APPEND |
	    O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (f->fd < 0 || fstat(f->fd, &st) < 0)
		return err_sys(err, errno, "%s/%s/%s", f->dir, CAST_DIR,
		    f->name);
	rc = !S_ISREG(st.st_mode) || st.st_nlink != 1 || st.st_uid !=
	    geteuid() ? err_set(err, ERR_TRUST, "%s/%s/%s: is not a file of "
	    "this store", f->dir, CAST_DIR, f->name) :
	    begin_file(f, header, len, err);
	if (rc < 0)
		io_close(&f->fd);
	return rc;
}

int
cast_file_open(const char *dir, const unsigned char session[UUID_LEN],
    char **ret_path, struct err *err)
{
	AEG_AUTOFREE char *path = NULL;
	AEG_AUTOFD int place = -1;
	char uuid[UUID_TEXT];
	int fd, rc;

	uuid_text(session, uuid);
	path = xasprintf("%s/%s/%s.cast", dir, CAST_DIR, uuid);
	rc = cast_place_open(dir, false, &place, err);
	if (rc < 0)
		return rc;
	fd = openat(place, strrchr(path, '/') + 1, O_RDONLY | O_NOFOLLOW |
	    O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, errno, "%s", path);
	*ret_path = AEG_STEAL(path);
	return fd;
}

/* ---- writing --------------------------------------------------------- */

/* Whether there is room for others, too. */
static int
look_for_room(struct cast_file *f, struct err *err)
{
	struct statvfs fs;

	if (f->looked > 0 && f->end - f->looked < LOOK_EVERY)
		return 0;
	if (fstatvfs(f->fd, &fs) < 0)
		return 0;	/* the write says what is wrong */
	if ((uint64_t)fs.f_bavail * fs.f_frsize < CAST_SPARE)
		return err_set(err, -ENOSPC, "%s/%s/%s: less than %ju MiB are "
		    "left on its file system, which are for the record "
		    "itself: prune it, or make room", f->dir, CAST_DIR,
		    f->name, (uintmax_t)CAST_SPARE >> 20);
	f->looked = f->end > 0 ? f->end : 1;
	return 0;
}

static void
give_up(struct cast_file *f)
{
	f->broken = true;
	f->told = false;
	f->looked = 0;
	buf_reset(&f->waiting);
}

/* What others have written meanwhile belongs to the region, too. */
static int
take_others(struct cast_file *f, int64_t size)
{
	AEG_AUTOFREE unsigned char *block = xmalloc(WAITING);
	size_t want;
	ssize_t n;

	if (size - f->end > OTHERS_MOST)
		return -EFBIG;
	while (f->end < size) {
		want = size - f->end < (int64_t)WAITING ?
		    (size_t)(size - f->end) : WAITING;
		n = pread(f->fd, block, want, f->end);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		sha256_update(&f->hash, (size_t)n, block);
		f->end += n;
	}
	return 0;
}

/* With the lock: whole events, or nothing. */
static int
append(struct cast_file *f)
{
	struct stat st;
	int rc = fstat(f->fd, &st) < 0 ? -errno : 0;

	if (rc == 0 && st.st_size < f->end)
		return -EIO;	/* somebody has cut it */
	if (rc == 0)
		rc = drop_half(f->fd, f->end, &st.st_size);
	if (rc == 0 && st.st_size > f->end)
		rc = take_others(f, st.st_size);
	if (rc < 0)
		return rc;
	rc = io_write_full(f->fd, f->waiting.data, f->waiting.len);
	if (rc < 0) {
		if (ftruncate(f->fd, st.st_size) < 0)
			f->dead = true;	/* half an event is its last */
		return rc;
	}
	sha256_update(&f->hash, f->waiting.len,
	    (const unsigned char *)f->waiting.data);
	f->end += (int64_t)f->waiting.len;
	buf_reset(&f->waiting);
	return 0;
}

static void
write_out(struct cast_file *f)
{
	int rc;

	if (f->waiting.len == 0 || f->broken)
		return;
	rc = look_for_room(f, &f->err);
	if (rc == 0) {
		rc = lock(f->fd);
		if (rc == 0)
			rc = append(f);
		flock(f->fd, LOCK_UN);
		if (rc < 0)
			err_sys(&f->err, -rc, "%s/%s/%s", f->dir, CAST_DIR,
			    f->name);
	}
	if (rc < 0)
		give_up(f);
}

bool
cast_file_begin(struct cast_file *f, const char *header, size_t len)
{
	if (f->fd >= 0 || f->broken)
		return !f->broken;
	if (make_file(f, header, len, &f->err) < 0)
		give_up(f);
	return !f->broken;
}

bool
cast_file_takes(const struct cast_file *f)
{
	return f->fd >= 0 && !f->broken;
}

bool
cast_file_put(struct cast_file *f, const char *p, size_t len)
{
	if (!cast_file_takes(f))
		return false;
	buf_put(&f->waiting, p, len);
	if (f->waiting.len >= WAITING)
		write_out(f);
	return !f->broken;
}

bool
cast_file_settle(struct cast_file *f, int64_t *ret_offset,
    int64_t *ret_length, unsigned char ret[CAST_HASH_LEN])
{
	bool lost = f->broken;
	struct sha256_ctx so_far;

	write_out(f);
	if (!cast_file_takes(f) || lost || f->end == f->settled)
		return false;
	*ret_offset = f->settled;
	*ret_length = f->end - f->settled;
	so_far = f->hash;
	sha256_digest(&so_far, CAST_HASH_LEN, ret);
	return true;
}

void
cast_file_close(struct cast_file *f)
{
	f->settled = f->end;
	sha256_init(&f->hash);
}

static int
sync_both(struct cast_file *f, struct err *err)
{
	AEG_AUTOFD int place = -1;
	int rc = f->made ? cast_place_open(f->dir, false, &place, err) : 0;

	if (rc == 0 && ((f->made && sync_names(place) < 0) ||
	    fdatasync(f->fd) < 0))
		rc = err_sys(err, errno, "%s/%s/%s: sync", f->dir, CAST_DIR,
		    f->name);
	return rc;
}

void
cast_file_sync(struct cast_file *f)
{
	write_out(f);
	if (!cast_file_takes(f) || f->synced == f->end)
		return;
	if (sync_both(f, &f->err) < 0)
		give_up(f);
	else
		f->made = false;
	f->synced = f->end;
}

void
cast_file_again(struct cast_file *f)
{
	if (!f->broken || f->dead)
		return;
	f->broken = false;
	f->settled = f->end;
	sha256_init(&f->hash);
}

void
cast_file_done(struct cast_file *f)
{
	write_out(f);
	io_close(&f->fd);
	buf_done(&f->waiting);
	free(f->dir);
}
