/* SPDX-License-Identifier: ISC */
/* The files that cast.h is about, all of a store: dir is the store. */
#ifndef AEGSH_CAST_FILES_H
#define AEGSH_CAST_FILES_H

#include <stdint.h>

#include "aegsh/base/err.h"
#include "aegsh/base/hex.h"
#include "aegsh/cast.h"

/* Each session that has a file, until fn returns other than 0, which is
 * returned then. */
int cast_each(const char *dir, int (*fn)(void *ctx,
	const unsigned char session[UUID_LEN]), void *ctx,
	struct err *err);
/* Empty what stands before that byte, but the header; before < 0: the file
 * goes.  What stays keeps its place. */
int cast_forget(const char *dir, const unsigned char session[UUID_LEN],
	int64_t before, struct err *err);
/* All of them, into the directory `to', which is made, where there are any. */
int cast_copy(const char *dir, const char *to, struct err *err);

/* The SHA-256 of a part of a session's file; -ENOENT, -ENODATA: it is
 * shorter. */
int cast_hash(const char *dir, const unsigned char session[UUID_LEN],
	int64_t offset, int64_t length, unsigned char ret[CAST_HASH_LEN],
	struct err *err);

#endif
