/* SPDX-License-Identifier: ISC */
/*
 * The spool: a file of slots beside the store, to which short runs append
 * and from which audit_fold.c takes what they wrote into the store, by
 * audit_spool_read.c.
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
#include "audit_spool_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/call.h"
#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define TRUSTED_NS (INT64_C(50) * 1000 * 1000)

static const char magic[8] = "aegspl1";

int
audit_spool_fail(const struct audit_spool *s, const char *what, int number,
    struct err *err)
{
	return err_set(err, ERR_STORE, "audit spool %s: %s%s%s", s->path,
	    what, number != 0 ? ": " : "", number != 0 ? strerror(number) :
	    "");
}

/* What is written may be by a process that shares our memory (audit_aside.c):
 * it says why it cannot, and who asked makes a text of that. */
static int
note(struct audit_spool *s, const char *what, int number)
{
	s->why = what;
	s->number = number;
	return ERR_STORE;
}

static ssize_t
read_at(const struct audit_spool *s, void *to, size_t len, off_t at)
{
	return call_raw(SYS_pread64, s->fd, (long)(intptr_t)to, (long)len,
	    at);
}

static ssize_t
write_at(const struct audit_spool *s, const void *p, size_t len, off_t at)
{
	return call_raw(SYS_pwrite64, s->fd, (long)(intptr_t)p, (long)len,
	    at);
}

void
audit_spool_check(const void *p, size_t len, uint64_t *ret, size_t n)
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
		return audit_spool_fail(s, "look at", errno, err);
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1 ||
	    st.st_uid != geteuid() || (st.st_mode & 077) != 0)
		return err_set(err, ERR_TRUST, "audit spool %s: must be a "
		    "regular file with one name, owned by uid %lu, mode 0600",
		    s->path, (unsigned long)geteuid());
	return 0;
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
		/* A name is durable once its directory is synced. */
		if (s->fd >= 0)
			s->made_in = openat(d->dir, ".", O_RDONLY |
			    O_DIRECTORY | O_CLOEXEC);
		else if (errno == EEXIST)
			s->fd = openat(d->dir, s->name, flags);
	}
	if (s->fd < 0 && errno == EROFS) {	/* to be read, then */
		s->fd = openat(d->dir, s->name, O_RDONLY | O_NOFOLLOW |
		    O_NONBLOCK | O_CLOEXEC);
		/* What keeps it from being made is to be said. */
		if (s->fd < 0 && errno == ENOENT && make)
			errno = EROFS;
	}
	if (s->fd < 0 && errno == ENOENT && !make)
		return -ENOENT;
	if (s->fd < 0 && errno == EACCES)
		return err_set(err, AUDIT_KEPT, "audit spool %s: kept from "
		    "this process by a sandbox, as from each line of aegsh: "
		    AUDIT_LOOK, s->path);
	if (s->fd < 0)
		return audit_spool_fail(s, "open", errno, err);
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
	audit_aside_free(s->aside);
	io_close(&s->made_in);
	io_close(&s->fd);
	free(s->path);
	free(s->window);
	*s = (struct audit_spool)AUDIT_SPOOL_INIT;
}

/* ---- the lock, the header, the end -------------------------------------- */

int
audit_spool_lock(struct audit_spool *s)
{
	int64_t since = clock_mono_ns();
	struct timespec pause = { 0, 50 * 1000 };

	for (;;) {
		long said = call_raw(SYS_flock, s->fd, LOCK_EX | LOCK_NB, 0,
		    0);

		if (said == 0)
			return 0;
		if (said != -EWOULDBLOCK && said != -EINTR)
			return note(s, "lock", (int)-said);
		if (clock_mono_ns() - since > s->busy_ns)
			break;
		call_raw(SYS_nanosleep, (long)(intptr_t)&pause, 0, 0, 0);
		if (pause.tv_nsec < 2 * 1000 * 1000)
			pause.tv_nsec += 50 * 1000;
	}
	note(s, "is locked by another process", 0);
	return -EBUSY;
}

void
audit_spool_unlock(struct audit_spool *s)
{
	call_raw(SYS_flock, s->fd, LOCK_UN, 0, 0);
}

uint64_t
audit_spool_id_at(const struct audit_spool *s, uint32_t slot)
{
	uint64_t id = 0;

	if (read_at(s, &id, sizeof id, (off_t)slot * AUDIT_SLOT) !=
	    (ssize_t)sizeof id)
		return 0;
	return id;
}

/* The id in the header; 0: there is none yet. */
static int
read_id(struct audit_spool *s, uint64_t *ret)
{
	static const struct audit_spool_header none;
	struct audit_spool_header h = { .id = 0 };
	uint64_t check;
	ssize_t n = read_at(s, &h, sizeof h, 0);

	if (n < 0)
		return note(s, "read", (int)-n);
	audit_spool_check(&h.id, sizeof h.id, &check, 1);
	if (n == 0 || memcmp(&h, &none, sizeof h) == 0)
		*ret = 0;
	else if (memcmp(h.magic, magic, sizeof magic) != 0)
		return note(s, "is no spool of this version of aegsh; move "
		    "it away to go on without it", 0);
	else	/* torn by a power failure: its slots still know */
		*ret = h.check == check ? h.id : audit_spool_id_at(s, 1);
	return 0;
}

/* Empty the spool: what has another id is not in use. */
int
audit_spool_begin(struct audit_spool *s)
{
	unsigned char random[UUID_LEN];
	struct audit_spool_header h;
	ssize_t n;

	memcpy(h.magic, magic, sizeof magic);
	do {
		audit_uuid(random);
		memcpy(&h.id, random, sizeof h.id);
	} while (h.id == 0);
	audit_spool_check(&h.id, sizeof h.id, &h.check, 1);
	n = write_at(s, &h, sizeof h, 0);
	if (n != (ssize_t)sizeof h)
		return note(s, "write", n < 0 ? (int)-n : ENOSPC);
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
	if (low < high && audit_spool_id_at(s, low) != id)
		high = low;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (audit_spool_id_at(s, middle) == id)
			low = middle + 1;
		else
			high = middle;
	}
	s->seen = (struct audit_mark){ id, low };
}

/* fstat(2) where what the kernel tells is what the C library does. */
static int
look_at(const struct audit_spool *s, struct stat *ret)
{
#if defined(__LP64__) && (defined(__x86_64__) || defined(__aarch64__))
	return (int)call_raw(SYS_fstat, s->fd, (long)(intptr_t)ret, 0, 0);
#else
	return fstat(s->fd, ret) < 0 ? -errno : 0;
#endif
}

/* Under the lock: bring s->seen up to date. */
int
audit_spool_look(struct audit_spool *s, uint32_t *ret_slots)
{
	struct stat st;
	uint64_t id = 0;
	int rc = look_at(s, &st);

	if (rc < 0)
		return note(s, "look at", -rc);
	if (st.st_nlink == 0)
		return note(s, "was removed or replaced while it was open",
		    0);
	rc = read_id(s, &id);
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
		ssize_t done = write_at(s, zeros, n, at);

		if (done <= 0)
			return;
		at += done;
	}
}

/* Room for so many more slots, and some to spare for what must follow. */
static int
make_room(struct audit_spool *s, uint32_t slots, uint32_t need)
{
	uint32_t want = s->seen.slot + need;

	if (want > AUDIT_SPOOL_MAX)
		return note(s, "is full: the store takes nothing from it; "
		    "see aegshctl history", 0);
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
		struct audit_slot_head head = { id, i, count };
		size_t left = record->len - at;
		size_t n = left < AUDIT_SLOT_BODY ? left : AUDIT_SLOT_BODY;

		memcpy(to, &head, sizeof head);
		memcpy(to + sizeof head, record->data + at, n);
		memset(to + sizeof head + n, 0, AUDIT_SLOT_BODY - n);
		at += n;
	}
}

static int
put(struct audit_spool *s, const struct buf *record, uint32_t count,
    char *slots)
{
	size_t size = (size_t)count * AUDIT_SLOT;
	off_t at = (off_t)s->seen.slot * AUDIT_SLOT;
	ssize_t done;

	lay_out(s->seen.id, record, count, slots);
	done = write_at(s, slots, size, at);
	if (done == (ssize_t)size) {
		s->seen.slot += count;
		return 0;
	}
	/* Half a record would only be in the way. */
	if (done > 0) {
		memset(slots, 0, (size_t)done);
		if (write_at(s, slots, (size_t)done, at) < 0)
			s->seen.id = 0;
	}
	return note(s, "write", done < 0 ? (int)-done : ENOSPC);
}

void
audit_slots_twice(const struct audit_slots *what)
{
	struct audit_record_head *head = (void *)what->record.data;

	head->flags |= AUDIT_RECORD_TWICE;
}

int
audit_spool_write(struct audit_spool *s, const struct audit_slots *what)
{
	uint32_t slots = 0;
	int rc = audit_spool_lock(s);

	if (rc < 0)
		return rc;
	/* Who asked may have given up, and told another: who takes the lock
	 * from then on finds all that was written without this mark. */
	if (s->late_ns != 0 && clock_mono_ns() >= s->late_ns)
		audit_slots_twice(what);
	rc = audit_spool_look(s, &slots);
	if (rc == 0)
		rc = make_room(s, slots, what->count);
	if (rc == 0 && s->seen.id == 0)
		rc = audit_spool_begin(s);
	if (rc == 0)
		rc = put(s, &what->record, what->count, what->room);
	audit_spool_unlock(s);
	return rc;
}

/* A process costs a short run some tenths of a millisecond.  Where the disk
 * has just answered, what need not be synced does without. */
static bool
is_trusted(const struct audit_spool *s)
{
	return s->answered_ns != 0 && clock_mono_ns() - s->answered_ns <
	    TRUSTED_NS;
}

static int
append(struct audit_spool *s, struct audit_slots *what, bool sync)
{
	int64_t busy_ns = s->busy_ns;
	int rc = -EBUSY;

	/* Others are waited for by that process, too. */
	if (s->wait_ns > 0)
		s->busy_ns = 0;
	if (s->wait_ns == 0 || (!sync && is_trusted(s)))
		rc = audit_spool_write(s, what);
	s->busy_ns = busy_ns;
	if (s->wait_ns > 0 && rc == -EBUSY) {
		s->answered_ns = 0;
		return audit_aside(s, what, sync);
	}
	audit_slots_done(what);
	if (rc == 0 && s->made_in >= 0 && fsync(s->made_in) < 0)
		rc = note(s, "sync its directory", errno);
	io_close(&s->made_in);
	return rc;
}

static int
say(const struct audit_spool *s, int rc, struct err *err)
{
	return rc < 0 && rc != AUDIT_TOO_LATE ? audit_spool_fail(s, s->why,
	    s->number, err) : rc;
}

int
audit_spool_append(struct audit_spool *s, const void *bytes, size_t len,
    bool sync, struct err *err)
{
	struct audit_slots what = { .record = BUF_INIT };
	struct audit_record_head head = { .len = (uint32_t)len };

	if (len > AUDIT_RECORD_MAX)
		return err_set(err, ERR_TOO_LONG,
		    "audit spool %s: a record of more than %zu bytes",
		    s->path, AUDIT_RECORD_MAX);
	audit_spool_check(bytes, len, head.check, AEG_NELEM(head.check));
	buf_put(&what.record, &head, sizeof head);
	buf_put(&what.record, bytes, len);
	what.count = (uint32_t)((what.record.len + AUDIT_SLOT_BODY - 1) /
	    AUDIT_SLOT_BODY);
	what.room = xmalloc((size_t)what.count * AUDIT_SLOT);
	return say(s, append(s, &what, sync), err);
}

int
audit_spool_written(struct audit_spool *s, struct err *err)
{
	return say(s, audit_aside_written(s), err);
}

int
audit_spool_settle(struct audit_spool *s, struct err *err)
{
	int rc = 0;

	if (s->wait_ns > 0) {
		rc = audit_aside_settle(s);
		s->answered_ns = rc == 0 ? clock_mono_ns() : 0;
	} else
		while (rc == 0 && fdatasync(s->fd) < 0)
			if (errno != EINTR)
				rc = note(s, "sync", errno);
	return say(s, rc, err);
}
