/* SPDX-License-Identifier: ISC */
/*
 * Whether the record is still what was written: rows are chained by hashes
 * in the order in which they came, and the last link can be kept elsewhere.
 *
 * The store's own user can write a whole new chain: only a head that was
 * kept elsewhere shows that.
 */
#ifndef AEGSH_AUDIT_CHAIN_H
#define AEGSH_AUDIT_CHAIN_H

#include "aegsh/audit.h"

#define AUDIT_HASH_LEN 32
#define AUDIT_WITNESS_MAX 1000000	/* heads of one file */

struct audit_origin {
	unsigned char store[16];	/* its name */
	unsigned char link[AUDIT_HASH_LEN];	/* before the first */
	/* The last rows that are older than the chain. */
	int64_t sessions, commands, events;
};

enum audit_fault {
	AUDIT_FAULT_NONE = 0,
	AUDIT_FAULT_ALTERED,	/* the row is not what was chained */
	AUDIT_FAULT_MISSING,	/* the row is gone */
	AUDIT_FAULT_REORDERED,	/* the chain has it out of its order */
	AUDIT_FAULT_GAP,	/* links of the chain are gone */
	AUDIT_FAULT_UNCHAINED,	/* a row that the chain does not have */
	AUDIT_FAULT_HEAD,	/* a head is of another chain */
	AUDIT_FAULT_TRUNCATED,	/* a witness has seen more */
	AUDIT_FAULT_REWRITTEN,	/* a witness has seen another chain */
	AUDIT_FAULT_SCHEMA,	/* a table is not as aegsh makes it: nothing
				 * was read */
	AUDIT_FAULT_SIGNATURE,	/* not of this head, or of no known key */
	AUDIT_FAULT_INDEX,	/* searching would pass over lines from that
				 * row on; the rows are as they were */
	AUDIT_FAULT_OUTPUT,	/* what the line wrote is not in its session's
				 * file as it was */
	AUDIT_FAULT_COUNT
};
struct audit_finding {
	enum audit_fault fault;
	int64_t seq;		/* link of the chain, or 0 */
	const char *table;	/* and row, or NULL */
	int64_t row;
};

struct audit_witnessed {	/* a head, as it was handed out */
	int64_t seq;
	unsigned char link[AUDIT_HASH_LEN];
};

struct audit_verdict {
	struct audit_origin origin;
	int64_t first, last;	/* links that were read; last 0: none */
	unsigned char link[AUDIT_HASH_LEN];	/* the last one */
	int64_t links, heads, witnessed, deletions;
	int64_t expired;	/* rows that were deleted before their lines */
	int64_t outputs;	/* parts of files that were compared */
	int64_t older;		/* lines from before the chain */
	int64_t is_signed;	/* heads with a signature that is good, */
	int64_t signed_to;	/* the last of them, 0: none, */
	int64_t unsure;		/* and those not checked for want of keys */
	int64_t findings;
};

struct audit_keys;		/* aegsh/audit_sign.h */
struct audit_against {		/* what there is from elsewhere */
	const struct audit_witnessed *witnesses;	/* in the order of
							 * seq */
	size_t n;
	const struct audit_keys *keys;	/* NULL, none: signatures are not
					 * looked at */
};
/* Read all of it; fn gets each finding, the first first.  0 where it could be
 * read, findings or not. */
int audit_verify(struct audit *a, const struct audit_against *against,
	void (*fn)(void *ctx, const struct audit_finding *f), void *ctx,
	struct audit_verdict *ret, struct err *err);
const char *audit_fault_name(enum audit_fault f);

/* The heads of this store in a text: each line that has one, as
 * audit_head_text() puts it, wherever in the line.  *ret is owned, in the
 * order of seq. */
int audit_witness_read(const char *text, size_t len,
	const unsigned char store[16], struct audit_witnessed **ret,
	size_t *ret_n, struct err *err);

/* The last of them in a text, of whatever store; false: there is none. */
bool audit_witness_last(const char *text, size_t len,
	unsigned char ret_store[16], struct audit_witnessed *ret);

/* "aegsh-head store=HEX seq=N link=HEX", added to b. */
void audit_head_text(struct buf *b, const unsigned char store[16],
	int64_t seq, const unsigned char link[AUDIT_HASH_LEN]);
/* The name and the last link of a store. */
int audit_stand(struct audit *a, struct audit_origin *ret,
	struct audit_witnessed *ret_last, struct err *err);

/* Keep a head at the last link, for good: what is handed out can be compared
 * even when the links up to it were deleted. */
int audit_head(struct audit *a, struct err *err);

/* ---- deleting ----------------------------------------------------------- */

struct audit_keep {		/* one of the first two, or of the others */
	int64_t lines;		/* the newest, at least 1 */
	int64_t since_ns;	/* and all that came later; 0: not asked */
	/* Of what hangs on lines, what is of that time or later. */
	int64_t output_since_ns, execs_since_ns, events_since_ns;
	const char *who;	/* deletes, for the record */
	/* Where others may be held up by it; 0: as it comes. */
	int64_t most;		/* lines, the oldest of those that go */
	int64_t budget_ns;	/* it is given up, and an event says so */
};
struct audit_pruned {
	int64_t lines, links;
	int64_t rows;		/* that hung on lines which stay */
};
/* What is older goes, but for the newest line, what is not over, and the
 * sessions of what stays; the chain can be verified after it. */
int audit_prune(struct audit *a, const struct audit_keep *keep,
	struct audit_pruned *ret, struct err *err);

/* How long what is recorded is kept; 0: for ever, or as long as lines. */
struct audit_retain {
	int64_t lines_ns, output_ns, execs_ns, events_ns;
};
/* From now back. */
void audit_retain_keep(const struct audit_retain *r, int64_t now_ns,
	struct audit_keep *ret);
/* The same from up to when the clock is believed, by what the store has;
 * nothing (zeros) where none of it goes by that, and an event where some would
 * by a later time.  0, or the store's error.  The rest of *ret stays. */
int audit_retain_believe(struct audit *a, const struct audit_retain *r,
	struct audit_keep *ret, struct err *err);
/* audit_open_apart(): once the session is over, the process that keeps the
 * store deletes what is older, some of it each time. */
void audit_retain(struct audit *a, const struct audit_retain *r);

/* A copy that is whole, while others write; path must not be there. */
int audit_backup(struct audit *a, const char *path, struct err *err);

#endif
