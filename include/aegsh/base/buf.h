/* SPDX-License-Identifier: ISC */
/*
 * Growing bytes with a hard maximum, and vectors of strings.
 *
 * A buffer that was asked to grow past its maximum keeps what it had and
 * remembers the fact: check buf_overflow() once, after the last put.
 * data is NULL or NUL-terminated just past len.
 */
#ifndef AEGSH_BASE_BUF_H
#define AEGSH_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#define BUF_MAX_DEFAULT ((size_t)64 * 1024 * 1024)

struct buf {
	char *data;
	size_t len, cap;
	size_t max;		/* 0 means BUF_MAX_DEFAULT */
	bool overflow;
};

#define BUF_INIT { NULL, 0, 0, 0, false }
#define BUF_INIT_MAX(m) { NULL, 0, 0, (m), false }

void buf_done(struct buf *b);
void buf_reset(struct buf *b);		/* keeps the memory */
void buf_put(struct buf *b, const void *p, size_t len);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
void buf_putf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Room for len more bytes at data + len; NULL past the maximum. The caller
 * adds what it wrote to len itself. */
char *buf_reserve(struct buf *b, size_t len);
static inline bool
buf_overflow(const struct buf *b)
{
	return b->overflow;
}
/* Move the bytes out (never NULL, NUL-terminated); the buffer is empty. */
char *buf_take(struct buf *b);

/* A NULL-terminated vector of owned strings: argv, environ. */
struct strv {
	char **v;		/* NULL, or n strings and a NULL */
	size_t n, cap;
};

#define STRV_INIT { NULL, 0, 0 }

void strv_done(struct strv *s);
void strv_add(struct strv *s, const char *text);	/* copies */
void strv_take(struct strv *s, char *text);		/* moves */
void strv_addf(struct strv *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
bool strv_has(const struct strv *s, const char *text);
/* Always a usable vector, also when empty. */
char **strv_peek(struct strv *s);

#endif
