/* SPDX-License-Identifier: ISC */
/* What proves that a line is in the record. */
#ifndef AEGSH_ADMIN_PROVE_H
#define AEGSH_ADMIN_PROVE_H

#include "admin_int.h"
#include "aegsh/audit_sign.h"

/* Of the line with that number or UUID; an exit status.  It shows what the
 * row says, so that somebody read it is recorded. */
int admin_prove(struct admin *a, const char *user, const char *id,
	const struct audit_keys *keys, bool json);

#endif
