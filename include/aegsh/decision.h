/* SPDX-License-Identifier: ISC */
/*
 * The decision: a pure fold of the verdicts and the person's answer.
 * Nothing else can make one, exec_start() demands one, and it carries the
 * very bytes that were judged: those run, and no others.
 */
#ifndef AEGSH_DECISION_H
#define AEGSH_DECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aegsh/policy.h"
#include "aegsh/validator.h"

enum decision_action {
	DECISION_BLOCK = 0,
	DECISION_CONFIRM,	/* runs only after decision_confirm() */
	DECISION_ALLOW,
};

enum decision_source {		/* who settled it */
	DECISION_BY_NOBODY = 0,
	DECISION_BY_SYNTAX,	/* the line cannot be read */
	DECISION_BY_POLICY,
	DECISION_BY_VALIDATOR,
	DECISION_BY_FAIL_MODE,	/* the validator failed */
	DECISION_BY_PERSON,
};

enum decision_fail { DECISION_FAIL_BLOCK = 0, DECISION_FAIL_ASK,
	DECISION_FAIL_POLICY };
/* What a word of the option `fail' means; an unknown one blocks. */
enum decision_fail decision_fail_of(const char *word, bool managed);

/* The same for a profile, where list ("kiosk=block guest=ask") has it. */
enum decision_fail decision_fail_for(const char *list, const char *profile,
	const char *word, bool managed);

struct decision_input {
	const char *line;			/* copied */
	size_t len;
	const struct policy_verdict *policy;	/* never NULL … */
	const char *syntax_error;		/* … unless this is set */
	const struct val_verdict *validator;	/* NULL: was not asked */
	enum policy_action unknown;		/* where nobody settles it */
	enum decision_fail fail;
	unsigned min_confidence;		/* percent */
	bool can_ask;				/* a person and a terminal */
};

struct decision;

struct decision *decision_make(const struct decision_input *in);
/* A new decision, from one that asks and the answer; the old one stays as
 * it was.  Anything but DECISION_CONFIRM comes back as a copy. */
struct decision *decision_confirm(const struct decision *d, bool yes);
/*
 * Inside of a line of another aegsh, that one decides: what it said of the
 * line, whose SHA-256 it said as well.  Bytes with another sum, and any
 * action but the two that settle a line, are a block.
 */
struct decision_said {
	uint32_t action;		/* enum decision_action */
	uint32_t source;		/* enum decision_source */
	bool unasked;
	const unsigned char *sha256;	/* 32 bytes */
	const char *rule, *reason;	/* never NULL */
	const char *instead, *model;	/* or NULL */
	unsigned confidence;
};
struct decision *decision_told(const char *line, size_t len,
	const unsigned char *sha256, const struct decision_said *said);
void decision_free(struct decision *d);

enum decision_action decision_action(const struct decision *d);
enum decision_source decision_source(const struct decision *d);
const char *decision_bytes(const struct decision *d, size_t *ret_len);
const char *decision_rule(const struct decision *d);
const char *decision_reason(const struct decision *d);	/* inert */
const char *decision_instead(const struct decision *d);	/* inert, or NULL */
const char *decision_model(const struct decision *d);	/* or NULL */
unsigned decision_confidence(const struct decision *d);
int64_t decision_latency_ns(const struct decision *d);	/* the validator's */
bool decision_unreadable(const struct decision *d);	/* BY_SYNTAX */
/* Blocked only because it asks and can_ask was false. */
bool decision_unasked(const struct decision *d);
const char *decision_action_name(enum decision_action a);
const char *decision_source_name(enum decision_source s);

#endif
