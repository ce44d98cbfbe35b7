/* SPDX-License-Identifier: ISC */
/*
 * Numbers, bytes and texts one behind the other, in this machine's order,
 * for a file of the same machine.  Reading trusts nothing: once something
 * was wrong, p is NULL, and whatever is asked for then is 0 or NULL.
 */
#ifndef AEGSH_BASE_PACK_H
#define AEGSH_BASE_PACK_H

#include <stdint.h>

#include "aegsh/base/buf.h"

#define PACK_NO_TEXT UINT32_MAX	/* a length: there is none */

void pack_int(struct buf *b, int64_t n);
/* A length of four bytes, and the bytes. */
void pack_bytes(struct buf *b, const char *p, size_t len);
/* The same, the NUL included; NULL is told from "". */
void pack_text(struct buf *b, const char *text);

struct pack_reader {
	const char *p, *end;
};
/* Of so many bytes, borrowed. */
const char *pack_get(struct pack_reader *r, size_t len);
int64_t pack_get_int(struct pack_reader *r);
/* PACK_NO_TEXT also where something was wrong. */
uint32_t pack_get_len(struct pack_reader *r);
const char *pack_get_text(struct pack_reader *r);

#endif
