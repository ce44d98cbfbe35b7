/* SPDX-License-Identifier: ISC */
/*
 * Heads that are signed, with Ed25519 (RFC 8032), and keys for it.
 *
 * A signature proves something where the user whose record it is of cannot
 * read the secret key.  A stand-alone shell has its user's rights, so it
 * never signs: the operator does, from outside, after a look whether what
 * was signed before is still in the store.
 */
#ifndef AEGSH_AUDIT_SIGN_H
#define AEGSH_AUDIT_SIGN_H

#include "aegsh/audit_chain.h"

#define AUDIT_KEY_LEN 32
#define AUDIT_SIGNATURE_LEN 64
#define AUDIT_KEYS_MAX 64	/* public keys that a verifier takes */

/* Everything that is signed. */
struct audit_head {
	unsigned char store[16];
	int64_t wall_ns, seq;
	unsigned char link[AUDIT_HASH_LEN], root[AUDIT_HASH_LEN];
};
struct audit_signature {
	unsigned char key[AUDIT_KEY_LEN];	/* the public one */
	unsigned char bytes[AUDIT_SIGNATURE_LEN];
};

/* ---- audit_sign.c ------------------------------------------------------- */

void audit_head_sign(const struct audit_head *h,
	const unsigned char secret[AUDIT_KEY_LEN],
	struct audit_signature *ret);
/* Whether it is of this head and by the key that it names. */
bool audit_head_signed(const struct audit_head *h,
	const struct audit_signature *s);
/* Whether h may be signed after seen (or NULL) was: it is of another store, or
 * as far or farther, and the same where it is as far.  0, or ERR_STORE. */
int audit_head_follows(const struct audit_head *h,
	const struct audit_head *seen, struct err *err);
void audit_key_public(const unsigned char secret[AUDIT_KEY_LEN],
	unsigned char ret[AUDIT_KEY_LEN]);
/* The text of audit_head_text(), then "wall=N root=HEX key=HEX sig=HEX". */
void audit_signed_text(struct buf *b, const struct audit_head *h,
	const struct audit_signature *s);

/* ---- audit_key.c -------------------------------------------------------- */

/* ERR_CALLER for all but the operator. */
int audit_key_is_ours(struct err *err);
/* The operator's secret key, sysdirs()->conf/audit.key: 32 bytes, owned by
 * the caller, mode 0600.  make: where it is missing; fresh: in place of the
 * one that is there. */
int audit_key_load(bool make, bool fresh, unsigned char ret[AUDIT_KEY_LEN],
	struct err *err);
/* Whether that user could read the key: root can read each, and the owner
 * the own one. */
bool audit_key_open_to(uid_t uid);
/* Add it to sysdirs()->conf/audit.pub, unless it is there. */
int audit_key_publish(const unsigned char public[AUDIT_KEY_LEN],
	struct err *err);

struct audit_keys {
	unsigned char keys[AUDIT_KEYS_MAX][AUDIT_KEY_LEN];
	size_t n;
};
/* The keys of such a file, one "aegsh-key HEX" a line; path NULL:
 * sysdirs()->conf/audit.pub, which need not be there. */
int audit_keys_read(const char *path, struct audit_keys *ret,
	struct err *err);
bool audit_keys_have(const struct audit_keys *k,
	const unsigned char key[AUDIT_KEY_LEN]);

/* ---- audit_seal.c: by the store's side ---------------------------------- */

/* The head at the end of the chain, made where there is none; *ret_signed:
 * it has a signature by the first of keys; one by another of them is as none,
 * one by anybody else an error.  seen (or NULL) is what was signed last:
 * ERR_STORE, and why, where this is the same store and its chain does not
 * have that any more.  ret->seq 0: nothing is recorded. */
int audit_seal(struct audit *a, const struct audit_head *seen,
	const struct audit_keys *keys, struct audit_head *ret,
	bool *ret_signed, struct err *err);
/* Keep the signature with its head. */
int audit_seal_keep(struct audit *a, const struct audit_head *h,
	const struct audit_signature *s, struct err *err);

#endif
