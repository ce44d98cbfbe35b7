/* SPDX-License-Identifier: ISC */
/*
 * Bytes as hexadecimal digits, small letters, and back; and the sixteen of a
 * UUID as RFC 9562 writes them.
 */
#ifndef AEGSH_BASE_HEX_H
#define AEGSH_BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>

#include "aegsh/base/buf.h"

/* Two digits a byte: ret has room for them and a NUL. */
void hex_text(const void *p, size_t len, char *ret);
/* Appends them. */
void hex_put(struct buf *b, const void *p, size_t len);
/* The len bytes that the 2 * len characters at p stand for, of either case;
 * false: they are no digits, and ret is as it was up to the first. */
bool hex_bytes(const char *p, size_t len, unsigned char *ret);

#define UUID_LEN 16	/* bytes */
#define UUID_TEXT 37	/* "01234567-89ab-…", with the NUL */

void uuid_text(const unsigned char uuid[UUID_LEN], char ret[UUID_TEXT]);
/* false: it is not just that, and ret is as it was. */
bool uuid_parse(const char *p, size_t len, unsigned char ret[UUID_LEN]);

#endif
