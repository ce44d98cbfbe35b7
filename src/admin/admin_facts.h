/* SPDX-License-Identifier: ISC */
/* A line, read as the shell reads it; for parse and test. */
#ifndef AEGSH_ADMIN_FACTS_H
#define AEGSH_ADMIN_FACTS_H

#include "admin_int.h"
#include "aegsh/resolve.h"
#include "aegsh/state.h"
#include "aegsh/syntax.h"

struct admin_facts {
	char *bytes;
	size_t len;
	enum syn_answer answer;
	struct syn_diag diag;		/* unless SYN_TREE */
	struct syn_tree *tree;		/* these three with SYN_TREE */
	struct syn_facts *facts;
	struct resolve_set *resolved;
	const struct state *state;	/* borrowed */
};

/* Takes bytes.  -errno when what would run cannot be looked for. */
int admin_facts_new(char *bytes, size_t len, const struct state *state,
	struct admin_facts *ret, struct err *err);
void admin_facts_done(struct admin_facts *f);
/* "line 2, column 5: syntax error: expected fi"; owned. */
char *admin_facts_diag(const struct admin_facts *f);
/* The commands and what they would run. */
json_t *admin_facts_json(const struct admin_facts *f);
void admin_facts_print(struct admin *a, const struct admin_facts *f);
/* What an operand or a file holds: FILE "-" is standard input. */
int admin_read_line(const char *file, const char *operand, char **ret,
	size_t *ret_len, struct err *err);

#endif
