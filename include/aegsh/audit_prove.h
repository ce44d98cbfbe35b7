/* SPDX-License-Identifier: ISC */
/*
 * That one line is in the record, without the rest of it: the bytes that its
 * links are hashes of, and for each the way from there to a head (RFC 6962,
 * 2.1.1).  Who has the head, or its signature, needs no store to check that.
 */
#ifndef AEGSH_AUDIT_PROVE_H
#define AEGSH_AUDIT_PROVE_H

#include "aegsh/audit_sign.h"

#define AUDIT_PROVE_LEAVES 1000000	/* links of one head */
#define AUDIT_PROVE_PATH 64

struct audit_proof {		/* of one link; borrowed */
	int64_t seq, row;
	int kind;		/* as the chain has it */
	const char *what;	/* … for people */
	unsigned char before[AUDIT_HASH_LEN], link[AUDIT_HASH_LEN];
	/* The columns, as aegsh-audit(5) has them behind the row's number. */
	const char *bytes;
	size_t len;
	bool has_head;		/* false: no head is that far yet, */
	bool broken;		/* true: or what is there does not lead to it;
				 * what follows is not set then */
	struct audit_head head;
	bool is_signed;
	struct audit_signature signature;	/* not checked */
	uint64_t index, leaves;	/* which of how many links it is */
	unsigned char path[AUDIT_PROVE_PATH][AUDIT_HASH_LEN];
	size_t n;
};

/* Each link of the row of commands with that number, in order. */
int audit_prove(struct audit *a, int64_t line,
	void (*fn)(void *ctx, const struct audit_proof *p), void *ctx,
	struct err *err);

#endif
