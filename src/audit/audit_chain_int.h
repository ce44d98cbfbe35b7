/* SPDX-License-Identifier: ISC */
/* The chain over the rows, and the trees over its links: what their writer,
 * their verifier and what deletes share.  aegsh-audit(5) has the bytes. */
#ifndef AEGSH_AUDIT_CHAIN_INT_H
#define AEGSH_AUDIT_CHAIN_INT_H

#include "aegsh/audit_chain.h"
#include "audit_int.h"

#define AUDIT_HEAD_EVERY 1024	/* links, or where a session ends */
#define AUDIT_TREE_MAX 64	/* levels */

/* As they stand in the store: a number is never given another meaning. */
enum audit_kind {
	AUDIT_KIND_NONE = 0,
	AUDIT_KIND_SESSION, AUDIT_KIND_SESSION_END,
	AUDIT_KIND_LINE, AUDIT_KIND_OUTCOME, AUDIT_KIND_LINE_ENDED,
	AUDIT_KIND_EVENT, AUDIT_KIND_TOMBSTONE,
	/* As 1 and 3, of a row that outlived its link. */
	AUDIT_KIND_SESSION_KEPT, AUDIT_KIND_LINE_KEPT,
	AUDIT_KIND_EXEC, AUDIT_KIND_FILE, AUDIT_KIND_OUTPUT,
	AUDIT_KIND_COUNT
};

/* In the order of AUDIT_READ_SESSION and on. */
enum audit_table {
	AUDIT_TABLE_SESSIONS = 0, AUDIT_TABLE_COMMANDS, AUDIT_TABLE_EVENTS,
	AUDIT_TABLE_TOMBSTONES, AUDIT_TABLE_EXECS, AUDIT_TABLE_FILES,
	AUDIT_TABLE_OUTPUTS,
	AUDIT_TABLE_COUNT
};

struct audit_table_spec {
	const char *name, *columns;
	int begin, all;		/* columns of what is known at first; of it
				 * all */
};
extern const struct audit_table_spec audit_tables[AUDIT_TABLE_COUNT];

struct audit_kind_spec {
	enum audit_table table;
	bool first, rest;	/* which columns it is about */
	bool adds;		/* a row that was not there before: its number
				 * is above all before it */
	const char *what;	/* for people */
};
extern const struct audit_kind_spec audit_kinds[AUDIT_KIND_COUNT];

/* Append the columns [from, to) of the row that st stands on; at is the
 * place of column 0 in st. */
void audit_chain_columns(struct buf *b, sqlite3_stmt *st, int at, int from,
	int to);
/* Begin the bytes that a link is the hash of. */
void audit_chain_start(struct buf *b,
	const unsigned char before[AUDIT_SHA256_LEN], enum audit_kind kind,
	int64_t row);
/* The row that was just written, or completed, gets its link. */
int audit_chain_add(struct audit_db *d, enum audit_kind kind, int64_t row,
	struct err *err);
/* What stands for the link before the first. */
int audit_chain_origin(struct audit_db *d, struct audit_origin *ret,
	struct err *err);
/* Bytes of just that length from a column; false: it has none. */
bool audit_chain_take(sqlite3_stmt *st, int column, unsigned char *ret,
	int len);
/* A link as it stands in a column; false: it is none. */
bool audit_chain_link(sqlite3_stmt *st, int column,
	unsigned char ret[AUDIT_SHA256_LEN]);
/* What such a statement of (seq, link) finds; seq 0: nothing. */
int audit_chain_last(struct audit_db *d, enum audit_stmt which,
	struct audit_link *ret, struct err *err);
/* d->tail, where it is not known. */
int audit_chain_tail(struct audit_db *d, struct err *err);
/* Add the head of what has come since the last one, where now is true or it
 * is much; inside a transaction. */
int audit_chain_seal(struct audit_db *d, bool now, struct err *err);

/* ---- audit_tree.c: RFC 6962's tree over links --------------------------- */

struct audit_tree {
	unsigned char nodes[AUDIT_TREE_MAX][AUDIT_SHA256_LEN];
	uint64_t n;		/* leaves; a set bit: a node of that level */
};
void audit_tree_add(struct audit_tree *t,
	const unsigned char link[AUDIT_SHA256_LEN]);
/* Of no leaves: the hash of nothing. */
void audit_tree_root(const struct audit_tree *t,
	unsigned char ret[AUDIT_SHA256_LEN]);
void audit_tree_leaf(const unsigned char link[AUDIT_SHA256_LEN],
	unsigned char ret[AUDIT_SHA256_LEN]);
void audit_tree_join(const unsigned char left[AUDIT_SHA256_LEN],
	const unsigned char right[AUDIT_SHA256_LEN],
	unsigned char ret[AUDIT_SHA256_LEN]);

/* ---- audit_expire.c ----------------------------------------------------- */

/* The event that says of a table's rows that the oldest went, its text begins
 * with the last one's number; NULL: none does. */
const char *audit_expire_event(enum audit_table table);

#endif
