/* SPDX-License-Identifier: ISC */
/*
 * The file of a session: bytes are only ever added, in regions that end
 * where a line does, each with its hash.
 *
 * What cannot be written goes, up to the end of the last region, and it is
 * tried again when asked to.  A disk that is nearly full is left to others
 * before it is full.
 */
#include "cast_int.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/conf.h"

#define WAITING ((size_t)64 * 1024)	/* bytes, until they are written */
#define LOOK_EVERY (INT64_C(1024) * 1024)

void
cast_uuid_text(const unsigned char uuid[CAST_UUID_LEN], char ret[37])
{
	size_t i;
	char *to = ret;

	for (i = 0; i < CAST_UUID_LEN; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*to++ = '-';
		to += sprintf(to, "%02x", uuid[i]);
	}
}

bool
cast_uuid_parse(const char *p, size_t len, unsigned char ret[CAST_UUID_LEN])
{
	unsigned char uuid[CAST_UUID_LEN];
	size_t i, at = 0;

	if (len != 36)
		return false;
	for (i = 0; i < CAST_UUID_LEN; i++) {
		int high, low;

		if ((i == 4 || i == 6 || i == 8 || i == 10) && p[at++] != '-')
			return false;
		high = text_hex((unsigned char)p[at]);
		low = text_hex((unsigned char)p[at + 1]);
		if (high < 0 || low < 0)
			return false;
		uuid[i] = (unsigned char)(high << 4 | low);
		at += 2;
	}
	memcpy(ret, uuid, sizeof uuid);
	return true;
}

void
cast_file_init(struct cast_file *f, const char *dir,
    const unsigned char session[CAST_UUID_LEN])
{
	char uuid[37];

	*f = (struct cast_file){ .dir = xstrdup(dir), .fd = -1 };
	cast_uuid_text(session, uuid);
	snprintf(f->name, sizeof f->name, "%s.cast", uuid);
	sha256_init(&f->hash);
}

/* ---- making it ------------------------------------------------------- */

/* The directory of such files below the store's, which is its user's alone;
 * -ENOENT: there is none, and make is false. */
static int
open_place(const char *store, bool make, int *ret_fd, struct err *err)
{
	AEG_AUTOFREE char *path = xasprintf("%s/%s", store, CAST_DIR);
	AEG_AUTOFD int parent = -1;
	AEG_AUTOFD int fd = -1;
	struct stat st, above;
	int rc = conf_trust_dir(store, geteuid(), &parent, err);

	if (rc < 0)
		return rc;
	if (make && mkdirat(parent, CAST_DIR, 0700) < 0 && errno != EEXIST)
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

static int
make_file(struct cast_file *f, struct err *err)
{
	AEG_AUTOFD int place = -1;
	int rc = open_place(f->dir, true, &place, err);

	if (rc < 0)
		return rc;
	f->fd = openat(place, f->name, O_WRONLY | O_CREAT | O_EXCL |
	    O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (f->fd < 0)
		return err_sys(err, errno, "%s/%s/%s", f->dir, CAST_DIR,
		    f->name);
	return 0;
}

int
cast_file_open(const char *dir, const unsigned char session[CAST_UUID_LEN],
    char **ret_path, struct err *err)
{
	AEG_AUTOFREE char *path = NULL;
	AEG_AUTOFD int place = -1;
	char uuid[37];
	int fd, rc;

	cast_uuid_text(session, uuid);
	path = xasprintf("%s/%s/%s.cast", dir, CAST_DIR, uuid);
	rc = open_place(dir, false, &place, err);
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

	if (f->looked > 0 && f->written - f->looked < LOOK_EVERY)
		return 0;
	if (fstatvfs(f->fd, &fs) < 0)
		return 0;	/* the write says what is wrong */
	if ((uint64_t)fs.f_bavail * fs.f_frsize < CAST_SPARE)
		return err_set(err, -ENOSPC, "%s/%s/%s: less than %ju MiB are "
		    "left on its file system, which are for the record "
		    "itself: prune it, or make room", f->dir, CAST_DIR,
		    f->name, (uintmax_t)CAST_SPARE >> 20);
	f->looked = f->written > 0 ? f->written : 1;
	return 0;
}

/* Back to the end of the last region, until it is tried again. */
static void
give_up(struct cast_file *f)
{
	f->broken = true;
	f->told = false;
	buf_reset(&f->waiting);
	if (f->fd >= 0 && ftruncate(f->fd, f->settled) < 0)
		f->dead = true;	/* what follows would stand behind a piece */
	f->written = f->settled;
	f->looked = 0;
	sha256_init(&f->hash);
}

static void
write_out(struct cast_file *f)
{
	int rc = 0;

	if (f->waiting.len == 0 || f->broken)
		return;
	if (f->fd < 0)
		rc = make_file(f, &f->err);
	if (rc == 0)
		rc = look_for_room(f, &f->err);
	if (rc == 0) {
		rc = io_write_full(f->fd, f->waiting.data, f->waiting.len);
		if (rc < 0)
			err_sys(&f->err, -rc, "%s/%s/%s", f->dir, CAST_DIR,
			    f->name);
	}
	if (rc < 0) {
		give_up(f);
		return;
	}
	buf_reset(&f->waiting);
}

bool
cast_file_takes(const struct cast_file *f)
{
	return !f->broken;
}

bool
cast_file_begun(const struct cast_file *f)
{
	return f->written > 0;
}

bool
cast_file_put(struct cast_file *f, const char *p, size_t len)
{
	if (f->broken)
		return false;
	buf_put(&f->waiting, p, len);
	sha256_update(&f->hash, len, (const unsigned char *)p);
	f->written += (int64_t)len;
	if (f->waiting.len >= WAITING)
		write_out(f);
	return !f->broken;
}

bool
cast_file_settle(struct cast_file *f, int64_t *ret_offset,
    int64_t *ret_length, unsigned char ret[CAST_HASH_LEN])
{
	write_out(f);
	if (f->broken || f->written == f->settled)
		return false;
	*ret_offset = f->settled;
	*ret_length = f->written - f->settled;
	sha256_digest(&f->hash, CAST_HASH_LEN, ret);
	f->settled = f->written;
	return true;
}

void
cast_file_again(struct cast_file *f)
{
	f->broken = f->dead;
}

void
cast_file_done(struct cast_file *f)
{
	write_out(f);
	io_close(&f->fd);
	buf_done(&f->waiting);
	free(f->dir);
}
