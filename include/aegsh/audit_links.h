/* SPDX-License-Identifier: ISC */
/*
 * The record in the order of its chain, for whoever carries it elsewhere:
 * each link with the columns that it is about, from where they were last.
 */
#ifndef AEGSH_AUDIT_LINKS_H
#define AEGSH_AUDIT_LINKS_H

#include "aegsh/audit_chain.h"

#define AUDIT_VALUES_MAX 40

enum audit_linked_what {
	AUDIT_LINKED_NONE = 0, AUDIT_LINKED_SESSION,
	AUDIT_LINKED_SESSION_END, AUDIT_LINKED_LINE, AUDIT_LINKED_OUTCOME,
	AUDIT_LINKED_EVENT, AUDIT_LINKED_DELETION, AUDIT_LINKED_PROGRAM,
	AUDIT_LINKED_FILE, AUDIT_LINKED_OUTPUT,
	AUDIT_LINKED_COUNT
};

enum audit_value_type { AUDIT_VALUE_NONE = 0, AUDIT_VALUE_NUMBER,
	AUDIT_VALUE_TEXT, AUDIT_VALUE_BYTES };
struct audit_value {		/* a column */
	char name[24];
	enum audit_value_type type;
	int64_t number;
	const char *p;		/* text, bytes: borrowed, no NUL promised */
	size_t len;
};

struct audit_linked {
	int64_t seq, row;
	unsigned char link[AUDIT_HASH_LEN];
	enum audit_linked_what what;
	int64_t wall_ns;	/* when, or when the one before it was, if
				 * its columns do not say; 0: nothing says */
	bool again;		/* its line or session was linked before */
	bool missing;		/* there is no such row any more */
	bool altered;		/* the row is not what was linked */
	/* Of an outcome and the end of a session, also its uuid. */
	const struct audit_value *values;
	size_t n;
};

struct audit_links_from {	/* what somebody has already; seq 0: nothing */
	unsigned char store[16];
	int64_t seq;
	unsigned char link[AUDIT_HASH_LEN];
};
enum audit_links_how {		/* what is there, after that */
	AUDIT_LINKS_FOLLOW = 0,
	AUDIT_LINKS_DELETED,	/* links between them were deleted */
	AUDIT_LINKS_CHANGED,	/* the link is another, or the chain ends
				 * before it: all that is there is given */
	AUDIT_LINKS_OTHER,	/* another store: likewise */
};
struct audit_links_found {
	unsigned char store[16];
	enum audit_links_how how;
	int64_t missing;	/* how many were deleted */
	int64_t last;		/* of the store */
};

/* Those behind from, in order, until fn returns non-zero; strings live as
 * long as the call. */
int audit_links(struct audit *a, const struct audit_links_from *from,
	int (*fn)(void *ctx, const struct audit_linked *l), void *ctx,
	struct audit_links_found *ret, struct err *err);

#endif
