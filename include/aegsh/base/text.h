/* SPDX-License-Identifier: ISC */
/*
 * Text: small string questions, and making text from outside inert.
 *
 * text_inert() is the only way by which bytes that aegsh did not write
 * (reasons, file names, history, error messages of others) reach a
 * terminal.  Control characters, escape sequences, invalid UTF-8, C1
 * controls, bidirectional controls and zero-width characters come out as
 * visible ASCII (^[, \x9b, <U+202E>).
 */
#ifndef AEGSH_BASE_TEXT_H
#define AEGSH_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/mem.h"

enum text_inert_flags {
	TEXT_INERT_NEWLINE = 1,	/* let \n and \t through */
};

/* Append the inert form of len bytes to out. */
void text_inert(struct buf *out, const char *p, size_t len, int flags);
/* True when the inert form differs from the bytes. */
bool text_needs_inert(const char *p, size_t len, int flags);

/* One UTF-8 sequence: its length and code point, or 0 when invalid
 * (RFC 3629: overlong forms, surrogates and > U+10FFFF are invalid). */
size_t text_utf8(const char *p, size_t len, uint32_t *ret_cp);

/* Append the bytes as one bash word that means exactly them. */
void text_quote(struct buf *out, const char *p, size_t len);
/* The words of a command, NULL-terminated, so quoted, with blanks between. */
void text_quote_words(struct buf *out, char *const *words);

bool text_starts(const char *s, const char *prefix);
bool text_ends(const char *s, const char *suffix);
/* It is one of the n words of list; of all those of an array. */
bool text_among(const char *s, const char *const *list, size_t n);
#define TEXT_AMONG(s, array) text_among(s, array, AEG_NELEM(array))
/* A name as in POSIX XBD 3.235: [A-Za-z_][A-Za-z0-9_]*. */
bool text_is_name(const char *p, size_t len);
/* What a hexadecimal digit stands for, or -1: it is none. */
int text_hex(int c);
/* Decimal, whole string, within [min, max]; 0 or -EINVAL / -ERANGE. */
int text_to_i64(const char *s, int64_t min, int64_t max, int64_t *ret);

#endif
