/* SPDX-License-Identifier: ISC */
/*
 * Descriptors: whole reads and writes that survive EINTR and short counts,
 * close-on-exec by default, and a cleanup attribute.
 */
#ifndef AEGSH_BASE_IO_H
#define AEGSH_BASE_IO_H

#include <stddef.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/base/mem.h"

/* Close *fd unless it is negative, and make it -1; errno is kept. */
void io_close(int *fd);
#define AEG_AUTOFD AEG_AUTO(io_close)

/* Read exactly len bytes.  0, -errno, or -ENODATA when the end comes
 * first. */
int io_read_full(int fd, void *p, size_t len);
/* Write all of it.  0 or -errno (-EPIPE also for a peer that went away;
 * the caller has SIGPIPE ignored or uses a socket). */
int io_write_full(int fd, const void *p, size_t len);
/* Read to the end into b (its maximum holds).  0, -errno, ERR_TOO_LONG. */
int io_read_all(int fd, struct buf *b);
/* NAME in a directory, which may be O_PATH, becomes a file of these bytes and
 * that mode, whole and for good, or stays what it was.  0 or -errno. */
int io_replace(int dir, const char *name, const void *p, size_t len,
	mode_t mode);
/* Make 0, 1 and 2 exist (open /dev/null for a missing one), so that no
 * later open lands there.  0 or -errno. */
int io_fill_std(void);
/* Move fd to the same or a higher number than min, close-on-exec.
 * Returns the new number or -errno; the old one is closed on success. */
int io_move_up(int fd, int min);
int io_set_cloexec(int fd, int on);
/* Make each directory of the absolute path that is not there, with this
 * mode less the umask.  0 or -errno.  Whoever opens the last one looks
 * whether it can be trusted. */
int io_make_dirs(const char *path, mode_t mode);

#endif
