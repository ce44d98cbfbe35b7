/* SPDX-License-Identifier: ISC */
/*
 * Signatures of heads.  Nothing else here needs nettle's public-key half
 * and GMP below it: a file of its own keeps them out of the shell.
 */
#include "aegsh/base/hex.h"
#include "aegsh/audit_sign.h"

#include <inttypes.h>
#include <nettle/eddsa.h>
#include <string.h>

_Static_assert(AUDIT_KEY_LEN == ED25519_KEY_SIZE &&
    AUDIT_SIGNATURE_LEN == ED25519_SIGNATURE_SIZE, "RFC 8032");

/* What is signed begins with a word, so that a signature of something else
 * by the same key is none of a head. */
static const char word[] = "aegsh-head";

#define BYTES (sizeof word + 16 + 8 + 8 + 2 * AUDIT_HASH_LEN)

static unsigned char *
put_big(unsigned char *to, int64_t n)
{
	int shift;

	for (shift = 56; shift >= 0; shift -= 8)
		*to++ = (unsigned char)((uint64_t)n >> shift & 0xff);
	return to;
}

static void
lay_out(const struct audit_head *h, unsigned char to[BYTES])
{
	memcpy(to, word, sizeof word);	/* its NUL as well */
	to += sizeof word;
	memcpy(to, h->store, sizeof h->store);
	to = put_big(to + sizeof h->store, h->wall_ns);
	to = put_big(to, h->seq);
	memcpy(to, h->link, sizeof h->link);
	memcpy(to + sizeof h->link, h->root, sizeof h->root);
}

void
audit_key_public(const unsigned char secret[AUDIT_KEY_LEN],
    unsigned char ret[AUDIT_KEY_LEN])
{
	ed25519_sha512_public_key(ret, secret);
}

void
audit_head_sign(const struct audit_head *h,
    const unsigned char secret[AUDIT_KEY_LEN], struct audit_signature *ret)
{
	unsigned char bytes[BYTES];

	lay_out(h, bytes);
	ed25519_sha512_public_key(ret->key, secret);
	ed25519_sha512_sign(ret->key, secret, sizeof bytes, bytes,
	    ret->bytes);
}

bool
audit_head_signed(const struct audit_head *h, const struct audit_signature *s)
{
	unsigned char bytes[BYTES];

	lay_out(h, bytes);
	return ed25519_sha512_verify(s->key, sizeof bytes, bytes,
	    s->bytes) == 1;
}

int
audit_head_follows(const struct audit_head *h, const struct audit_head *seen,
    struct err *err)
{
	if (seen == NULL || memcmp(h->store, seen->store,
	    sizeof h->store) != 0)
		return 0;
	if (h->seq < seen->seq)
		return err_set(err, ERR_STORE, "truncated: link %" PRId64
		    " was signed, and the chain is said to end at %" PRId64,
		    seen->seq, h->seq);
	if (h->seq == seen->seq && memcmp(h->link, seen->link,
	    sizeof h->link) != 0)
		return err_set(err, ERR_STORE, "rewritten: link %" PRId64
		    " is said to be another than was signed", seen->seq);
	return 0;
}

void
audit_signed_text(struct buf *b, const struct audit_head *h,
    const struct audit_signature *s)
{
	audit_head_text(b, h->store, h->seq, h->link);
	buf_putf(b, " wall=%" PRId64, h->wall_ns);
	buf_puts(b, " root=");
	hex_put(b, h->root, sizeof h->root);
	buf_puts(b, " key=");
	hex_put(b, s->key, sizeof s->key);
	buf_puts(b, " sig=");
	hex_put(b, s->bytes, sizeof s->bytes);
}
