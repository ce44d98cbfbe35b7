/* SPDX-License-Identifier: ISC */
/*
 * Keys that a machine makes for itself: a file of random bytes, mode 0600,
 * in a directory that is the caller's alone.
 */
#ifndef AEGSH_BASE_KEYFILE_H
#define AEGSH_BASE_KEYFILE_H

#include <stddef.h>

#include "aegsh/base/err.h"

/* DIR/NAME, of exactly len bytes, made where it is missing; of several that
 * make it at once, the first wins and all have its bytes.  ERR_TRUST: a file
 * that others could have read or written, or of another length. */
int keyfile_load(const char *dir, const char *name, unsigned char *ret_key,
	size_t len, struct err *err);
/* Another one in its place: until that is there, the old one is.  dir is an
 * open directory, which may be O_PATH. */
int keyfile_renew(int dir, const char *name, size_t len, struct err *err);
/* Random bytes alone. */
int keyfile_random(unsigned char *ret_key, size_t len, struct err *err);

#endif
