/* SPDX-License-Identifier: ISC */
/*
 * The entries of a directory, by getdents64(2) into the caller's stack: what
 * readdir(3) takes beside it, four calls and 32 KiB of memory a directory, is
 * felt where a short run lists one.
 */
#ifndef AEGSH_BASE_LISTING_H
#define AEGSH_BASE_LISTING_H

/* Calls each() for every entry but "." and "..", in no order; type is one of
 * readdir(3), name holds until it returns.  Stops where that is not 0, and
 * returns it; else 0 or -errno.  fd: open for reading, at its beginning. */
int listing_each(int fd, int (*each)(void *ctx, const char *name,
	unsigned char type), void *ctx) __attribute__((nonnull(2)));

#endif
