/* SPDX-License-Identifier: ISC */
/*
 * Signing heads of stores, with the work in three kinds of processes: one
 * that has the key and sees nothing else, one for each store that has its
 * user's rights, and the caller between them, who has neither.  What a store
 * holds is thus read where the key is not.
 */
#ifndef AEGSH_ADMIN_SIGNER_H
#define AEGSH_ADMIN_SIGNER_H

#include "admin_int.h"
#include "aegsh/audit_sign.h"

struct admin_signer {
	int fd;			/* to the process with the key, or -1 */
	pid_t pid;
	struct audit_keys keys;	/* its public one, then all known */
};
#define ADMIN_SIGNER_INIT { .fd = -1, .pid = -1 }

int admin_signer_start(struct admin *a, struct admin_signer *s,
	struct err *err);
int admin_signer_sign(struct admin_signer *s, const struct audit_head *h,
	struct audit_signature *ret, struct err *err);
void admin_signer_done(struct admin_signer *s);

/* What became of one store. */
struct admin_sealed {
	struct audit_head head;		/* seq 0: nothing is recorded */
	struct audit_signature signature;
	bool fresh;			/* signed now; else it was before */
};
/* Sign the newest head of that user's store; seen: the one that was signed
 * last, or NULL.  keep is called with the signature before the store has
 * it. */
int admin_signer_seal(struct admin *a, struct admin_signer *s,
	const char *user, const struct audit_head *seen,
	int (*keep)(void *ctx, const struct admin_sealed *sealed,
	struct err *err), void *ctx, struct admin_sealed *ret,
	struct err *err);

#endif
