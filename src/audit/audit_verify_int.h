/* SPDX-License-Identifier: ISC */
/* A verification on its way, for the files that do it. */
#ifndef AEGSH_AUDIT_VERIFY_INT_H
#define AEGSH_AUDIT_VERIFY_INT_H

#include "aegsh/audit_sign.h"
#include "audit_chain_int.h"

#define AUDIT_RING 64		/* outcomes kept: lines that overlap, */
#define AUDIT_LATER_MAX ((size_t)64 * 1024)	/* and bytes of one */

struct audit_cursor {
	const char *name;	/* of the table */
	sqlite3_stmt *st;	/* stands on row, unless that is 0 */
	int64_t row;
	int64_t last;		/* number of the last one that was chained */
	sqlite3_stmt *one;	/* by number */
	int64_t older;		/* up to here, rows are not of the chain */
	struct {
		int64_t up_to;	/* up to here, they may have been deleted */
		int64_t event;	/* that says so; … */
		bool chained;	/* … its link was read */
		int64_t seq, row;	/* the first one that is gone, 0 */
	} expired;
	int begin, all;		/* as the table's spec has it */
	/* Rows, and those of them that have an end; before the chain; and
	 * what the chain has of each. */
	int64_t seen, ended, seen_older, chained, ends;
};

struct audit_later {		/* what a row has of its outcome */
	int64_t row;
	struct buf bytes;
};

struct audit_verifying {
	struct audit_db *d;
	struct audit_cursor tables[AUDIT_TABLE_COUNT];
	struct audit_later ring[AUDIT_RING];
	sqlite3_stmt *chain, *heads;
	int64_t head;		/* seq of the head that comes next, 0: none */
	struct audit_tree tree;
	struct buf bytes;
	const struct audit_witnessed *witnesses;
	size_t n_witnesses, next;
	bool head_failed;	/* a head could not be read */
	const struct audit_keys *keys;
	bool known_head;	/* the links since the head before were all
				 * read */
	void (*fn)(void *ctx, const struct audit_finding *f);
	void *ctx;
	struct audit_verdict v;
};

void audit_find(struct audit_verifying *v, enum audit_fault fault,
	int64_t seq, const char *table, int64_t row);
int audit_verify_prepare(struct audit_verifying *v, const char *sql,
	sqlite3_stmt **ret, struct err *err);
/* Rows that do not rise; ERR_STORE. */
int audit_verify_damaged(struct audit_verifying *v, const char *table,
	struct err *err);

/* ---- audit_verify_heads.c ----------------------------------------------- */

void audit_heads_next(struct audit_verifying *v);
/* After each link: the head that is there, and what witnesses have of it. */
void audit_heads_check(struct audit_verifying *v);
/* Of what was deleted, the heads are there still. */
void audit_heads_removed(struct audit_verifying *v);
/* At the end. */
int audit_heads_rest(struct audit_verifying *v, struct err *err);

/* ---- audit_expired.c ---------------------------------------------------- */

/* Up to which rows of tables may be missing, by their events. */
int audit_expired(struct audit_verifying *v, struct err *err);
/* The link of a row that is not there: whether it may be missing. */
bool audit_expired_has(struct audit_verifying *v, enum audit_table table,
	int64_t seq, int64_t row);
/* The link of an event, which is as it was written. */
void audit_expired_event(struct audit_verifying *v, int64_t event);
/* At the end: what is missing by an event that the chain does not have. */
void audit_expired_rest(struct audit_verifying *v);

/* ---- audit_output.c ----------------------------------------------------- */

/* The parts of files that rows have the hashes of. */
int audit_output_check(struct audit_verifying *v, struct err *err);

/* ---- audit_shape.c ------------------------------------------------------ */

/* Whether all that is read is a plain table as the steps of the schema make
 * it, and nothing hangs on it; what is not is found.  *ret false: there is no
 * use in reading on. */
int audit_shape_check(struct audit_verifying *v, bool *ret, struct err *err);

#endif
