/* SPDX-License-Identifier: ISC */
/* Between the files of the compiler. */
#ifndef POLICY_COMPILE_INT_H
#define POLICY_COMPILE_INT_H

#include "aegsh/base/buf.h"
#include "policy_ir.h"

struct pol_strings {
	struct buf bytes;
	uint32_t *slots;	/* offset + 1; 0 is free */
	size_t n, cap;
};

uint32_t pol_strings_add(struct pol_strings *t, const char *s);
void pol_strings_done(struct pol_strings *t);
uint32_t pol_lists_add(struct buf *lists, const uint32_t *v, size_t n);

struct compiler {
	struct ir *ir;
	struct pol_strings strings;
	struct buf lists;
	struct buf sections[POL_SEC_COUNT];	/* but the two above */
	const char **sets;		/* names, in the order of their bits */
	size_t n_sets;
	const char **regexes;
	size_t n_regexes;
	uint32_t general, n_general;
	struct err *err;
};

/* The parts, in the order in which they must run. */
int pol_compile_paths(struct compiler *c);
int pol_compile_programs(struct compiler *c);
int pol_compile_rules(struct compiler *c);
int pol_compile_index(struct compiler *c);
int pol_compile_profiles(struct compiler *c);
int pol_compile_matches(struct compiler *c);

/* policy_gate.c: of a rule's conditions, compiled already. */
void pol_gate_make(const struct compiler *c, const struct pol_cond *conds,
	size_t n, struct pol_gate *ret);

/* "@set" members and plain names, flattened; ERR_UNKNOWN_NAME. */
int pol_expand_names(struct compiler *c, const struct ir_list *names,
	struct ir_list *ret, const char *file, unsigned line);

#endif
