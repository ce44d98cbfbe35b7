/* SPDX-License-Identifier: ISC */
/*
 * What the sources say, between the parser and the compiler.  All of it
 * lives in one arena.
 */
#ifndef POLICY_IR_H
#define POLICY_IR_H

#include "policy_int.h"

struct ir_list {
	const char **v;
	size_t n;
};

struct ir_cond {
	unsigned id;		/* perhaps with POL_COND_NOT */
	struct ir_list args;
};

struct ir_rule {
	const char *id, *reason, *instead, *technique, *file, *set;
	unsigned line;
	enum pol_layer layer;
	enum pol_says says;
	unsigned score;
	bool any_words;
	struct ir_cond conds[2 * POL_COND_COUNT];
	size_t n_conds;
	struct ir_list examples, counterexamples;
};

struct ir_program {
	const char *names, *options, *operands, *file;
	unsigned line;
	struct ir_list when, values, turns;
	struct ir_list examples, counterexamples;
};

struct ir_paths {
	const char *name, *why, *file;
	unsigned line;
	enum pol_layer layer;
	bool not_home;
	struct ir_list paths, except;
};

struct ir_names {
	const char *name, *file;
	unsigned line;
	struct ir_list members;
};

struct ir_profile {
	const char *name, *extends, *sandbox, *unknown, *unknown_evidence,
	    *file;
	unsigned line;
	enum pol_layer layer;
	long rank, ask_at;	/* -1: inherited */
	int enabled, jail, clean;	/* -1: inherited */
	const char *search_path, *elevate, *elevated, *elevated_in,
	    *elevated_shell;
	struct ir_list use, override, keep, project, elevate_keep,
	    elevated_bare;
};

struct ir_match {
	const char *name, *profile, *file;
	unsigned line;
	enum pol_layer layer;
	/* user, group, host, origin, and the same that must not hold */
	struct ir_list asks[POL_MATCH_COUNT][2];
};

struct ir {
	struct arena *arena;
	struct ir_rule **rules;
	size_t n_rules;
	struct ir_program **programs;
	size_t n_programs;
	struct ir_paths **paths;
	size_t n_paths;
	struct ir_names **names;
	size_t n_names;
	struct ir_profile **profiles;
	size_t n_profiles;
	struct ir_match **matches;
	size_t n_matches;
	const char **notes;
	size_t n_notes;
};

struct ir *ir_new(void);
void ir_free(struct ir *ir);
/* Add what one source says.  Errors carry "file:line". */
int ir_parse(struct ir *ir, const struct pol_source *source, struct err *err);
/* Append to one of the arrays above. */
#define IR_PUSH(ir, field, count, item) \
	do { \
		if (((count) & ((count) - 1)) == 0) \
			(field) = arena_grow((ir)->arena, (field), (count), \
			    (count) == 0 ? 1 : (count) * 2, sizeof *(field)); \
		(field)[(count)++] = (item); \
	} while (0)
const struct ir_names *ir_find_names(const struct ir *ir, const char *name);
const struct ir_profile *ir_find_profile(const struct ir *ir,
	const char *name);

/* Where the sections of a source begin, in order. */
struct scan_section {
	char kind[16];
	unsigned line;
};
struct scan {
	struct scan_section *v;
	size_t n;
};
/* ERR_SYNTAX for text that libconfuse would read otherwise than it looks:
 * environment variables, NUL bytes. */
int scan_source(struct ir *ir, const struct pol_source *source,
	struct scan *ret, struct err *err);

#endif
