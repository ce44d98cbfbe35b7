/* SPDX-License-Identifier: ISC */
/*
 * The spool: a file of slots beside the store, to which short runs append
 * and from which audit_fold.c takes what they wrote into the store.
 *
 * Slot 0 is the header.  A record takes as many slots as it needs, each
 * with the id of the spool, so that the slots in use are those with the
 * header's id, and they lie in one piece from slot 1 on: the end is found
 * by halving.  The file is written with zeros ahead of its end.  A record
 * then only overwrites blocks that are there, and syncing it moves no
 * metadata; and a full disk takes the outcome of what began before it was
 * full.  A new id in the header empties the spool in one write.
 *
 * Who appends holds flock(2) on the file, and syncs after letting go.
 */
#include "audit_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define WINDOW 128		/* slots read at once */
#define BODY (AUDIT_SLOT - sizeof(struct slot_head))

struct header {
	char magic[8];
	uint64_t id, check;
};
static const char magic[8] = "aegspl1";

struct slot_head {
	uint64_t id;
	uint32_t index, count;	/* of the record's slots */
};

struct record_head {		/* at the front of a record's bytes */
	uint64_t check[2];	/* of what follows */
	uint32_t len, zero;
};

static int
fail(const struct audit_spool *s, const char *what, int number,
    struct err *err)
{
	return err_set(err, ERR_STORE, "audit spool %s: %s: %s", s->path, what,
	    strerror(number));
}

static void
checksum(const void *p, size_t len, uint64_t *ret, size_t n)
{
	unsigned char sha256[AUDIT_SHA256_LEN];

	audit_sha256(p, len, sha256);
	memcpy(ret, sha256, n * sizeof *ret);
}

/* ---- opening ------------------------------------------------------------ */

static int
check_file(struct audit_spool *s, struct err *err)
{
	struct stat st;

	if (fstat(s->fd, &st) < 0)
		return fail(s, "look at", errno, err);
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1 ||
	    st.st_uid != geteuid() || (st.st_mode & 077) != 0)
		return err_set(err, ERR_TRUST, "audit spool %s: must be a "
		    "regular file with one name, owned by uid %lu, mode 0600",
		    s->path, (unsigned long)geteuid());
	return 0;
}

/* A name is durable once its directory is synced. */
static void
sync_dir(int dir)
{
	AEG_AUTOFD int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC);

	if (fd >= 0)
		fsync(fd);
}

int
audit_spool_open(struct audit_spool *s, const struct audit_db *d, bool make,
    struct err *err)
{
	int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, rc;

	if (s->fd >= 0)
		return 0;
	if (s->path == NULL)
		s->path = xasprintf("%.*s%s", (int)(strlen(d->path) -
		    strlen(AUDIT_FILE)), d->path, s->name);
	s->fd = openat(d->dir, s->name, flags);
	if (s->fd < 0 && errno == ENOENT && make) {
		s->fd = openat(d->dir, s->name, flags | O_CREAT | O_EXCL,
		    0600);
		if (s->fd >= 0)
			sync_dir(d->dir);
		else if (errno == EEXIST)
			s->fd = openat(d->dir, s->name, flags);
	}
	if (s->fd < 0 && errno == EROFS)	/* to be read, then */
		s->fd = openat(d->dir, s->name, O_RDONLY | O_NOFOLLOW |
		    O_NONBLOCK | O_CLOEXEC);
	if (s->fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (s->fd < 0 && errno == EACCES)
		return err_set(err, ERR_STORE, "audit spool %s: kept from "
		    "this process by a sandbox, as from each line of aegsh: "
		    "look from outside", s->path);
	if (s->fd < 0)
		return fail(s, "open", errno, err);
	rc = check_file(s, err);
	if (rc < 0)
		io_close(&s->fd);
	return rc;
}

bool
audit_spool_is_in(const char *dir)
{
	AEG_AUTOFREE char *path = xasprintf("%s/" AUDIT_SPOOL, dir);
	AEG_AUTOFREE char *late = xasprintf("%s/" AUDIT_LATE, dir);

	return access(path, F_OK) == 0 || access(late, F_OK) == 0;
}

void
audit_spool_done(struct audit_spool *s)
{
	io_close(&s->fd);
	free(s->path);
	free(s->window);
	*s = (struct audit_spool)AUDIT_SPOOL_INIT;
}

/* ---- the lock, the header, the end -------------------------------------- */

static int
lock(struct audit_spool *s, struct err *err)
{
	int64_t since = clock_mono_ns();
	struct timespec pause = { 0, 50 * 1000 };

	while (flock(s->fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return fail(s, "lock", errno, err);
		if (clock_mono_ns() - since > s->busy_ns)
			return err_set(err, ERR_STORE, "audit spool %s: is "
			    "locked by another process", s->path);
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 2 * 1000 * 1000)
			pause.tv_nsec += 50 * 1000;
	}
	return 0;
}

static void
unlock(struct audit_spool *s)
{
	flock(s->fd, LOCK_UN);
}

static uint64_t
id_at(const struct audit_spool *s, uint32_t slot)
{
	uint64_t id = 0;

	if (pread(s->fd, &id, sizeof id, (off_t)slot * AUDIT_SLOT) !=
	    (ssize_t)sizeof id)
		return 0;
	return id;
}

/* The id in the header; 0: there is none yet. */
static int
read_id(struct audit_spool *s, uint64_t *ret, struct err *err)
{
	static const struct header none;
	struct header h = { .id = 0 };
	uint64_t check;
	ssize_t n = pread(s->fd, &h, sizeof h, 0);

	if (n < 0)
		return fail(s, "read", errno, err);
	checksum(&h.id, sizeof h.id, &check, 1);
	if (n == 0 || memcmp(&h, &none, sizeof h) == 0)
		*ret = 0;
	else if (memcmp(h.magic, magic, sizeof magic) != 0)
		return err_set(err, ERR_STORE, "audit spool %s: is no spool "
		    "of this version of aegsh; move it away to go on without "
		    "it", s->path);
	else	/* torn by a power failure: its slots still know */
		*ret = h.check == check ? h.id : id_at(s, 1);
	return 0;
}

/* Empty the spool: what has another id is not in use. */
static int
begin(struct audit_spool *s, struct err *err)
{
	unsigned char random[UUID_LEN];
	struct header h;

	memcpy(h.magic, magic, sizeof magic);
	do {
		audit_uuid(random);
		memcpy(&h.id, random, sizeof h.id);
	} while (h.id == 0);
	checksum(&h.id, sizeof h.id, &h.check, 1);
	if (pwrite(s->fd, &h, sizeof h, 0) != (ssize_t)sizeof h)
		return fail(s, "write", errno, err);
	s->seen = (struct audit_mark){ h.id, 1 };
	return 0;
}

/* The first slot that is not in use. */
static void
find_end(struct audit_spool *s, uint64_t id, uint32_t slots)
{
	uint32_t low = 1, high = slots > 1 ? slots : 1;

	/* Mostly it is where it was, or near. */
	if (s->seen.id == id && s->seen.slot < high)
		low = s->seen.slot;
	if (low < high && id_at(s, low) != id)
		high = low;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (id_at(s, middle) == id)
			low = middle + 1;
		else
			high = middle;
	}
	s->seen = (struct audit_mark){ id, low };
}

/* Under the lock: bring s->seen up to date. */
static int
look(struct audit_spool *s, uint32_t *ret_slots, struct err *err)
{
	struct stat st;
	uint64_t id = 0;
	int rc;

	if (fstat(s->fd, &st) < 0)
		return fail(s, "look at", errno, err);
	if (st.st_nlink == 0)
		return err_set(err, ERR_STORE, "audit spool %s: was removed "
		    "or replaced while it was open", s->path);
	rc = read_id(s, &id, err);
	if (rc < 0)
		return rc;
	*ret_slots = (uint32_t)(st.st_size / AUDIT_SLOT < UINT32_MAX ?
	    st.st_size / AUDIT_SLOT : UINT32_MAX);
	if (id == 0)
		s->seen = (struct audit_mark){ 0, 1 };
	else
		find_end(s, id, *ret_slots);
	return 0;
}

/* ---- appending ---------------------------------------------------------- */

/* Zeros up to so many slots, or as far as they go. */
static void
extend(struct audit_spool *s, uint32_t from, uint32_t to)
{
	static const char zeros[16 * AUDIT_SLOT];
	off_t at = (off_t)from * AUDIT_SLOT, end = (off_t)to * AUDIT_SLOT;

	while (at < end) {
		size_t n = end - at < (off_t)sizeof zeros ?
		    (size_t)(end - at) : sizeof zeros;
		ssize_t done = pwrite(s->fd, zeros, n, at);

		if (done <= 0)
			return;
		at += done;
	}
}

/* Room for so many more slots, and some to spare for what must follow. */
static int
make_room(struct audit_spool *s, uint32_t slots, uint32_t need,
    struct err *err)
{
	uint32_t want = s->seen.slot + need;

	if (want > AUDIT_SPOOL_MAX)
		return err_set(err, ERR_STORE, "audit spool %s: is full: the "
		    "store takes nothing from it; see aegshctl history",
		    s->path);
	if (slots < want + AUDIT_SPOOL_SPARE)
		extend(s, slots, want + AUDIT_SPOOL_SPARE +
		    AUDIT_SPOOL_STEP - want % AUDIT_SPOOL_STEP);
	return 0;
}

/* The record's slots, as they go to the file. */
static void
lay_out(uint64_t id, const struct buf *record, uint32_t count, char *to)
{
	size_t at = 0;
	uint32_t i;

	for (i = 0; i < count; i++, to += AUDIT_SLOT) {
		struct slot_head head = { id, i, count };
		size_t n = record->len - at < BODY ? record->len - at : BODY;

		memcpy(to, &head, sizeof head);
		memcpy(to + sizeof head, record->data + at, n);
		memset(to + sizeof head + n, 0, BODY - n);
		at += n;
	}
}

static int
put(struct audit_spool *s, const struct buf *record, uint32_t count,
    struct err *err)
{
	size_t size = (size_t)count * AUDIT_SLOT;
	AEG_AUTOFREE char *slots = xmalloc(size);
	off_t at = (off_t)s->seen.slot * AUDIT_SLOT;
	ssize_t done;

	lay_out(s->seen.id, record, count, slots);
	done = pwrite(s->fd, slots, size, at);
	if (done == (ssize_t)size) {
		s->seen.slot += count;
		return 0;
	}
	/* Half a record would only be in the way. */
	if (done > 0) {
		memset(slots, 0, (size_t)done);
		if (pwrite(s->fd, slots, (size_t)done, at) < 0)
			s->seen.id = 0;
	}
	return fail(s, "write", done < 0 ? errno : ENOSPC, err);
}

int
audit_spool_append(struct audit_spool *s, const void *bytes, size_t len,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf record = BUF_INIT;
	struct record_head head = { .len = (uint32_t)len };
	uint32_t slots = 0, count;
	int rc;

	if (len > AUDIT_RECORD_MAX)
		return err_set(err, ERR_TOO_LONG,
		    "audit spool %s: a record of more than %zu bytes",
		    s->path, AUDIT_RECORD_MAX);
	checksum(bytes, len, head.check, AEG_NELEM(head.check));
	buf_put(&record, &head, sizeof head);
	buf_put(&record, bytes, len);
	count = (uint32_t)((record.len + BODY - 1) / BODY);
	rc = lock(s, err);
	if (rc < 0)
		return rc;
	rc = look(s, &slots, err);
	if (rc == 0)
		rc = make_room(s, slots, count, err);
	if (rc == 0 && s->seen.id == 0)
		rc = begin(s, err);
	if (rc == 0)
		rc = put(s, &record, count, err);
	unlock(s);
	s->last_count = rc == 0 ? count : 0;
	s->synced = false;
	return rc;
}

/* Not had everywhere: syncing does it all, then. */
int
audit_spool_hurry(struct audit_spool *s)
{
	if (s->last_count > 0)
		(void)sync_file_range(s->fd, (off_t)(s->seen.slot -
		    s->last_count) * AUDIT_SLOT, (off_t)s->last_count *
		    AUDIT_SLOT, SYNC_FILE_RANGE_WRITE);
	return s->fd;
}

void
audit_spool_synced(struct audit_spool *s, int error)
{
	s->synced = true;
	s->sync_error = error;
}

int
audit_spool_settle(struct audit_spool *s, struct err *err)
{
	int rc = s->sync_error;

	if (!s->synced) {
		do
			rc = fdatasync(s->fd) < 0 ? -errno : 0;
		while (rc == -EINTR);
	}
	s->synced = false;
	return rc < 0 ? fail(s, "sync", -rc, err) : 0;
}

/* ---- reading ------------------------------------------------------------ */

int
audit_spool_end(struct audit_spool *s, struct audit_mark *ret,
    struct err *err)
{
	uint32_t slots;
	int rc = lock(s, err);

	if (rc < 0)
		return rc;
	rc = look(s, &slots, err);
	unlock(s);
	s->held = 0;		/* what was read ahead may have changed */
	if (rc == 0)
		*ret = s->seen;
	return rc;
}

bool
audit_spool_waits(const struct audit_spool *s, const struct audit_mark *from)
{
	struct header h;

	if (pread(s->fd, &h, sizeof h, 0) != (ssize_t)sizeof h || h.id == 0)
		return false;
	return h.id != from->id ? id_at(s, 1) == h.id :
	    id_at(s, from->slot) == h.id;
}

static const char *
slot_of(struct audit_spool *s, uint32_t slot)
{
	ssize_t n;

	if (s->window == NULL)
		s->window = xmalloc((size_t)WINDOW * AUDIT_SLOT);
	if (slot < s->first || slot >= s->first + s->held) {
		n = pread(s->fd, s->window, (size_t)WINDOW * AUDIT_SLOT,
		    (off_t)slot * AUDIT_SLOT);
		s->first = slot;
		s->held = n > 0 ? (uint32_t)n / AUDIT_SLOT : 0;
		if (s->held == 0)
			return NULL;
	}
	return s->window + (size_t)(slot - s->first) * AUDIT_SLOT;
}

/* The record that begins in this slot; false: there is none, or a part. */
static bool
gather(struct audit_spool *s, uint64_t id, uint32_t slot, uint32_t end,
    struct buf *ret, uint32_t *ret_count)
{
	struct slot_head head;
	struct record_head record;
	uint64_t check[AEG_NELEM(record.check)];
	uint32_t i, count = 1;

	buf_reset(ret);
	for (i = 0; i < count; i++) {
		const char *p = slot_of(s, slot + i);

		if (p == NULL)
			return false;
		memcpy(&head, p, sizeof head);
		if (i == 0)
			count = head.count;
		if (head.id != id || head.index != i || head.count != count ||
		    count > end - slot)
			return false;
		buf_put(ret, p + sizeof head, BODY);
	}
	if (ret->len < sizeof record)
		return false;
	memcpy(&record, ret->data, sizeof record);
	if (record.len > ret->len - sizeof record)
		return false;
	checksum(ret->data + sizeof record, record.len, check,
	    AEG_NELEM(check));
	if (memcmp(check, record.check, sizeof check) != 0)
		return false;
	memmove(ret->data, ret->data + sizeof record, record.len);
	ret->len = record.len;
	*ret_count = count;
	return true;
}

bool
audit_spool_next(struct audit_spool *s, const struct audit_mark *end,
    uint32_t *slot, struct buf *ret, uint32_t *gaps)
{
	uint32_t count = 0;

	while (*slot < end->slot) {
		if (gather(s, end->id, *slot, end->slot, ret, &count)) {
			*slot += count;
			return true;
		}
		++*slot;
		++*gaps;
	}
	return false;
}

void
audit_spool_empty(struct audit_spool *s, const struct audit_mark *folded)
{
	uint32_t slots;

	if (lock(s, NULL) < 0)
		return;
	if (look(s, &slots, NULL) == 0 && s->seen.id == folded->id &&
	    s->seen.slot == folded->slot)
		begin(s, NULL);
	unlock(s);
}
