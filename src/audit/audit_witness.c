/* SPDX-License-Identifier: ISC */
/*
 * Heads as text, for whoever keeps them where the store's user cannot
 * reach; read back from any text that has such lines, as journalctl(1)
 * prints them.
 */
#include "audit_chain_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define MARK "aegsh-head store="

void
audit_head_text(struct buf *b, const unsigned char store[16], int64_t seq,
    const unsigned char link[AUDIT_HASH_LEN])
{
	buf_puts(b, MARK);
	hex_put(b, store, 16);
	buf_putf(b, " seq=%" PRId64 " link=", seq);
	hex_put(b, link, AUDIT_HASH_LEN);
}

/* Moves *p behind what it takes. */
static bool
take_hex(const char **p, const char *end, unsigned char *ret, size_t len)
{
	if ((size_t)(end - *p) < 2 * len || !hex_bytes(*p, len, ret))
		return false;
	*p += 2 * len;
	return true;
}

static bool
take_word(const char **p, const char *end, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(end - *p) < len || memcmp(*p, word, len) != 0)
		return false;
	*p += len;
	return true;
}

static bool
take_number(const char **p, const char *end, int64_t *ret)
{
	char digits[24];
	size_t n = 0;

	while (*p < end && **p >= '0' && **p <= '9' && n < sizeof digits - 1)
		digits[n++] = *(*p)++;
	digits[n] = '\0';
	return text_to_i64(digits, 1, INT64_MAX, ret) == 0;
}

static int
by_seq(const void *a, const void *b)
{
	const struct audit_witnessed *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* From behind MARK. */
static bool
take_head(const char **p, const char *end, unsigned char store[16],
    struct audit_witnessed *ret)
{
	return take_hex(p, end, store, 16) && take_word(p, end, " seq=") &&
	    take_number(p, end, &ret->seq) && take_word(p, end, " link=") &&
	    take_hex(p, end, ret->link, sizeof ret->link);
}

bool
audit_witness_last(const char *text, size_t len, unsigned char ret_store[16],
    struct audit_witnessed *ret)
{
	const char *p = text, *end = text + len;
	bool any = false;

	while (len > 0 && (p = memmem(p, (size_t)(end - p), MARK,
	    strlen(MARK))) != NULL) {
		struct audit_witnessed w;
		unsigned char store[16];

		p += strlen(MARK);
		if (!take_head(&p, end, store, &w))
			continue;
		memcpy(ret_store, store, sizeof store);
		*ret = w;
		any = true;
	}
	return any;
}

int
audit_witness_read(const char *text, size_t len,
    const unsigned char store[16], struct audit_witnessed **ret,
    size_t *ret_n, struct err *err)
{
	const char *p = text, *end = text + len;
	AEG_AUTOFREE struct audit_witnessed *all = NULL;
	size_t n = 0, cap = 0;

	while (len > 0 && (p = memmem(p, (size_t)(end - p), MARK,
	    strlen(MARK))) != NULL) {
		unsigned char other[16];
		struct audit_witnessed w;

		p += strlen(MARK);
		if (!take_head(&p, end, other, &w) ||
		    memcmp(other, store, sizeof other) != 0)
			continue;
		if (n >= AUDIT_WITNESS_MAX)
			return err_set(err, ERR_TOO_LONG, "more than %d heads",
			    AUDIT_WITNESS_MAX);
		if (n == cap) {
			cap = cap > 0 ? 2 * cap : 64;
			all = xreallocarray(all, cap, sizeof *all);
		}
		all[n++] = w;
	}
	if (n > 0)
		qsort(all, n, sizeof *all, by_seq);
	*ret = AEG_STEAL(all);
	*ret_n = n;
	return 0;
}
