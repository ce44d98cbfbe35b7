/* SPDX-License-Identifier: ISC */
/*
 * Which endpoints are asked, in which order: from the settings for one, or
 * from the file that the option chain names, which is trusted as a settings
 * file is.  A section a line in brackets, settings as in aegsh.conf(5):
 *
 *	quorum = 2
 *	[main]
 *	url = "https://llm.example.org/v1"
 *	model = "judge-small"
 */
#ifndef AEGSH_VALIDATOR_CHAIN_H
#define AEGSH_VALIDATOR_CHAIN_H

#include "aegsh/base/buf.h"
#include "aegsh/base/mem.h"
#include "aegsh/conf.h"
#include "aegsh/validator_frame.h"

#define VAL_CHAIN_FILE_MAX ((size_t)64 * 1024)

struct val_chain {
	struct val_setup setup;		/* texts live in the arena */
	struct arena *arena;
	struct strv taken;		/* variables that held keys */
};

#define VAL_CHAIN_INIT { .arena = NULL, .taken = STRV_INIT }

/* setup.n is 0 where no endpoint is set.  take_keys: take keys out of the
 * environment of this process, where variables are named; without, they
 * stay and are not read (for aegshctl's display). */
int val_chain_load(const struct conf *conf, const char *store,
	const char *profile, bool take_keys, struct val_chain *ret,
	struct err *err);
void val_chain_done(struct val_chain *c);
/* The text of such a file, without looking at any key.  name: for
 * messages. */
int val_chain_parse(const char *name, const char *text, size_t len,
	struct val_chain *ret, struct err *err);

#endif
