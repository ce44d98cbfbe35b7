/* SPDX-License-Identifier: ISC */
/*
 * sqlite's file system with faults: an operation that fails from the nth on,
 * and a power cut, after which of all that was written and not yet synced
 * any part may be there, in sectors, and the rest is not.
 *
 * It stands before the system's own and lets everything through; what is
 * written is kept beside it, so that each moment of a run can be cut at.
 */
#ifndef TESTS_FAULTVFS_H
#define TESTS_FAULTVFS_H

#include <sqlite3.h>

#include "scratch.h"

#include "aegsh/base/buf.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define FAULT_SECTOR 512
#define FAULT_FILES 5

enum fault_op { FAULT_NONE = 0, FAULT_WRITE, FAULT_SYNC, FAULT_READ,
	FAULT_OPEN,
	FAULT_LOCK };		/* of the file, or of the log's index */
struct fault {
	enum fault_op op;
	int after;		/* so many of them pass */
	int more;		/* so many fail behind the first */
	bool lasts;		/* all that follow do */
	int code;		/* of sqlite */
	int hits;
};
static struct fault fault;

enum fault_what { FAULT_DID_WRITE, FAULT_DID_TRUNCATE, FAULT_DID_SYNC,
	FAULT_DID_DELETE, FAULT_DID_DELETE_SYNCED,
	FAULT_DID_SYNC_NAMES,	/* of the directory */
	FAULT_ACK };
struct fault_event {
	enum fault_what what;
	int file;
	int64_t at;		/* place, new length, or what was confirmed */
	char *bytes;
	size_t len;
};
static struct fault_event *fault_log;
static size_t fault_n;
static bool fault_keeps;	/* the log */

static const char *const fault_names[FAULT_FILES] = { "audit.db",
	"audit.db-wal", "audit.db-journal",
	"audit.spool", "audit.late" };	/* these two are not of sqlite */

struct fault_file {
	sqlite3_file base;
	int which;		/* -1: none of these */
	bool fresh;		/* its first sync is one of its directory */
	sqlite3_file *real;
};

static inline sqlite3_vfs *
fault_under(sqlite3_vfs *v)
{
	return v->pAppData;
}

static inline sqlite3_file *
fault_real(sqlite3_file *f)
{
	return ((struct fault_file *)f)->real;
}

static inline int
fault_which(const char *name)
{
	int i;

	for (i = FAULT_FILES - 1; name != NULL && i >= 0; i--) {
		if (text_ends(name, fault_names[i]))
			return i;
	}
	return -1;
}

static inline void
fault_forget(void)
{
	while (fault_n > 0)
		free((void *)(uintptr_t)fault_log[--fault_n].bytes);
}

static inline void
fault_did(enum fault_what what, int file, int64_t at, const void *p,
    size_t len)
{
	static size_t cap;

	if (!fault_keeps || file < 0)
		return;
	if (fault_n == cap) {
		cap = cap > 0 ? 2 * cap : 1024;
		fault_log = xreallocarray(fault_log, cap, sizeof *fault_log);
	}
	fault_log[fault_n++] = (struct fault_event){ what, file, at,
		len > 0 ? xmemdup0(p, len) : NULL, len };
}

/* What was confirmed up to here. */
static inline void
fault_ack(int64_t n)
{
	fault_did(FAULT_ACK, 0, n, NULL, 0);
}

static inline bool
fault_strikes(enum fault_op op)
{
	if (fault.op != op)
		return false;
	if (fault.after > 0) {
		fault.after--;
		return false;
	}
	fault.hits++;
	if (!fault.lasts && fault.more-- <= 0)
		fault.op = FAULT_NONE;
	return true;
}

static inline int
fault_close(sqlite3_file *f)
{
	return fault_real(f)->pMethods->xClose(fault_real(f));
}

static inline int
fault_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
	if (fault_strikes(FAULT_READ))
		return fault.code;
	return fault_real(f)->pMethods->xRead(fault_real(f), p, n, at);
}

static inline int
fault_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	if (fault_strikes(FAULT_WRITE))
		return fault.code;
	fault_did(FAULT_DID_WRITE, ((struct fault_file *)f)->which, at, p,
	    (size_t)n);
	return fault_real(f)->pMethods->xWrite(fault_real(f), p, n, at);
}

static inline int
fault_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	fault_did(FAULT_DID_TRUNCATE, ((struct fault_file *)f)->which, size,
	    NULL, 0);
	return fault_real(f)->pMethods->xTruncate(fault_real(f), size);
}

/* The disk itself need not be asked: nothing here loses power. */
static inline int
fault_sync(sqlite3_file *f, int flags)
{
	struct fault_file *ff = (struct fault_file *)f;

	(void)flags;
	if (fault_strikes(FAULT_SYNC))
		return fault.code;
	fault_did(FAULT_DID_SYNC, ff->which, 0, NULL, 0);
	if (ff->fresh)
		fault_did(FAULT_DID_SYNC_NAMES, ff->which, 0, NULL, 0);
	ff->fresh = false;
	return SQLITE_OK;
}

static inline int
fault_size(sqlite3_file *f, sqlite3_int64 *ret)
{
	return fault_real(f)->pMethods->xFileSize(fault_real(f), ret);
}

static inline int
fault_lock(sqlite3_file *f, int level)
{
	if (fault_strikes(FAULT_LOCK))
		return fault.code;
	return fault_real(f)->pMethods->xLock(fault_real(f), level);
}

static inline int
fault_unlock(sqlite3_file *f, int level)
{
	return fault_real(f)->pMethods->xUnlock(fault_real(f), level);
}

static inline int
fault_reserved(sqlite3_file *f, int *ret)
{
	return fault_real(f)->pMethods->xCheckReservedLock(fault_real(f),
	    ret);
}

static inline int
fault_control(sqlite3_file *f, int op, void *p)
{
	return fault_real(f)->pMethods->xFileControl(fault_real(f), op, p);
}

static inline int
fault_sector(sqlite3_file *f)
{
	(void)f;
	return FAULT_SECTOR;
}

/* No promise: a write may be torn. */
static inline int
fault_device(sqlite3_file *f)
{
	(void)f;
	return 0;
}

static inline int
fault_shm_map(sqlite3_file *f, int page, int size, int extend,
    void volatile **ret)
{
	return fault_real(f)->pMethods->xShmMap(fault_real(f), page, size,
	    extend, ret);
}

static inline int
fault_shm_lock(sqlite3_file *f, int at, int n, int flags)
{
	if ((flags & SQLITE_SHM_LOCK) != 0 && fault_strikes(FAULT_LOCK))
		return fault.code;
	return fault_real(f)->pMethods->xShmLock(fault_real(f), at, n, flags);
}

static inline void
fault_shm_barrier(sqlite3_file *f)
{
	fault_real(f)->pMethods->xShmBarrier(fault_real(f));
}

static inline int
fault_shm_unmap(sqlite3_file *f, int delete)
{
	return fault_real(f)->pMethods->xShmUnmap(fault_real(f), delete);
}

static const sqlite3_io_methods fault_methods = {
	.iVersion = 2, .xClose = fault_close, .xRead = fault_read,
	.xWrite = fault_write, .xTruncate = fault_truncate,
	.xSync = fault_sync, .xFileSize = fault_size, .xLock = fault_lock,
	.xUnlock = fault_unlock, .xCheckReservedLock = fault_reserved,
	.xFileControl = fault_control, .xSectorSize = fault_sector,
	.xDeviceCharacteristics = fault_device, .xShmMap = fault_shm_map,
	.xShmLock = fault_shm_lock, .xShmBarrier = fault_shm_barrier,
	.xShmUnmap = fault_shm_unmap,
};

static inline int
fault_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags,
    int *ret_flags)
{
	struct fault_file *ff = (struct fault_file *)f;
	int rc;

	ff->base.pMethods = NULL;
	ff->which = fault_which(name);
	ff->real = (sqlite3_file *)(void *)(ff + 1);
	/* As sqlite's os_unix.c does for journals that it makes. */
	ff->fresh = name != NULL && (flags & SQLITE_OPEN_CREATE) != 0 &&
	    (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) != 0 &&
	    access(name, F_OK) < 0;
	if (fault_strikes(FAULT_OPEN))
		return fault.code;
	rc = fault_under(v)->xOpen(fault_under(v), name, ff->real, flags,
	    ret_flags);
	if (ff->real->pMethods != NULL)
		ff->base.pMethods = &fault_methods;
	return rc;
}

static inline int
fault_delete(sqlite3_vfs *v, const char *name, int synced)
{
	fault_did(synced ? FAULT_DID_DELETE_SYNCED : FAULT_DID_DELETE,
	    fault_which(name), 0, NULL, 0);
	return fault_under(v)->xDelete(fault_under(v), name, synced);
}

/* Everything that sqlite opens from now on. */
static inline void
fault_init(void)
{
	static sqlite3_vfs v;
	sqlite3_vfs *under = sqlite3_vfs_find(NULL);

	v = *under;
	v.pNext = NULL;
	v.zName = "fault";
	v.pAppData = under;
	v.szOsFile = (int)sizeof(struct fault_file) + under->szOsFile;
	v.xOpen = fault_open;
	v.xDelete = fault_delete;
	if (sqlite3_vfs_register(&v, 1) != SQLITE_OK)
		exit(99);
}

/* ---- a power cut -------------------------------------------------------- */

struct fault_image {
	struct buf bytes;
	bool there;
};

static inline void
fault_resize(struct buf *b, size_t len)
{
	while (b->len < len)
		buf_putc(b, 0);
	b->len = len;
}

static inline void
fault_apply(struct fault_image *i, const struct fault_event *e, size_t from,
    size_t len)
{
	if (e->what == FAULT_DID_TRUNCATE) {
		fault_resize(&i->bytes, (size_t)e->at);
		return;
	}
	if (i->bytes.len < (size_t)e->at + from + len)
		fault_resize(&i->bytes, (size_t)e->at + from + len);
	memcpy(i->bytes.data + e->at + from, e->bytes + from, len);
}

/* Some of it, in sectors. */
static inline void
fault_apply_some(struct fault_image *i, const struct fault_event *e,
    unsigned *seed)
{
	size_t at;

	if (e->what != FAULT_DID_WRITE) {
		if (rand_r(seed) % 2 == 0)
			fault_apply(i, e, 0, 0);
		return;
	}
	switch (rand_r(seed) % 3) {
	case 0:
		return;
	case 1:
		fault_apply(i, e, 0, e->len);
		return;
	default:
		for (at = 0; at < e->len; at += FAULT_SECTOR) {
			if (rand_r(seed) % 2 == 0)
				fault_apply(i, e, at, e->len - at <
				    FAULT_SECTOR ? e->len - at :
				    FAULT_SECTOR);
		}
	}
}

/* Whether this one's effect on names is there for good. */
static inline bool
fault_is_gone(const struct fault_event *e, size_t n, unsigned *seed)
{
	const struct fault_event *end = fault_log + n;
	const struct fault_event *later;

	if (e->what == FAULT_DID_DELETE_SYNCED)
		return true;
	for (later = e + 1; later < end; later++) {
		if (later->what == FAULT_DID_SYNC_NAMES ||
		    later->what == FAULT_DID_DELETE_SYNCED)
			return true;
	}
	return rand_r(seed) % 2 == 0;
}

/* What a file is after the first n events; synced up to the last sync. */
static inline void
fault_file_at(int file, size_t n, unsigned *seed, struct fault_image *ret)
{
	size_t i, synced = 0;

	*ret = (struct fault_image){ BUF_INIT, false };
	for (i = 0; i < n; i++) {
		const struct fault_event *e = &fault_log[i];
		bool gone = e->file == file &&
		    (e->what == FAULT_DID_DELETE_SYNCED ||
		    e->what == FAULT_DID_DELETE) &&
		    fault_is_gone(e, n, seed);

		if (e->file == file && e->what == FAULT_DID_SYNC) {
			for (; synced < i; synced++) {
				const struct fault_event *s =
				    &fault_log[synced];

				if (s->file == file && s->what <=
				    FAULT_DID_TRUNCATE)
					fault_apply(ret, s, 0, s->len);
			}
			ret->there = true;
		} else if (gone) {
			buf_reset(&ret->bytes);
			ret->there = false;
			synced = i + 1;
		}
	}
	/* A name that nothing made durable may be there all the same. */
	if (!ret->there && rand_r(seed) % 2 == 0)
		return;
	for (; synced < n; synced++) {
		const struct fault_event *s = &fault_log[synced];

		if (s->file == file && s->what <= FAULT_DID_TRUNCATE) {
			ret->there = true;
			fault_apply_some(ret, s, seed);
		}
	}
}

/* Put into DIR what the disk has after the first n events; how much was
 * confirmed by then. */
static inline int64_t
fault_cut(const char *dir, size_t n, unsigned seed)
{
	int64_t acked = 0;
	size_t i;
	int f;

	for (i = 0; i < n; i++) {
		if (fault_log[i].what == FAULT_ACK)
			acked = fault_log[i].at;
	}
	for (f = 0; f < FAULT_FILES; f++) {
		AEG_AUTOFREE char *name = xasprintf("%s/%s", dir,
		    fault_names[f]);
		AEG_AUTOFREE char *path = scratch_path(name);
		struct fault_image image;

		unlink(path);
		fault_file_at(f, n, &seed, &image);
		if (image.there)
			scratch_write(name, image.bytes.len > 0 ?
			    image.bytes.data : "", image.bytes.len, 0600);
		buf_done(&image.bytes);
	}
	return acked;
}

#endif
