/* SPDX-License-Identifier: ISC */
/* Putting lines to the language model, for trials: nothing is run. */
#ifndef AEGSH_ADMIN_ASK_H
#define AEGSH_ADMIN_ASK_H

#include "admin_judge.h"
#include "aegsh/redact.h"
#include "aegsh/validator.h"

struct admin_ask {
	struct validator *validator;
	struct redact *redact;
};

/* As a session of the caller would ask.  -ENOENT: no endpoint is set. */
int admin_ask_new(struct admin *a, struct admin_ask *ret, struct err *err);
void admin_ask_done(struct admin_ask *ask);
/* The line as it was judged, with the facts that are known without a
 * session. */
void admin_ask_line(const struct admin_ask *ask, const struct admin_judged *t,
	const char *cwd, struct val_verdict *ret);
/* Millionths of the currency as "0.000610"; ret holds 32 bytes. */
void admin_cost_show(uint64_t cost, char ret[32]);

#endif
