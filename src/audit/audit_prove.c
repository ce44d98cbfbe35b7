/* SPDX-License-Identifier: ISC */
/* The way from a line's links to the heads above them. */
#include "audit_chain_int.h"

#include <inttypes.h>
#include <string.h>

#include "aegsh/audit_prove.h"
#include "aegsh/base/mem.h"

struct prove {
	struct audit_db *d;
	struct audit_origin origin;
	struct audit_link stone;	/* behind which the chain begins */
	struct buf bytes;
	unsigned char (*nodes)[AUDIT_HASH_LEN];
	size_t n, cap;
	int64_t first;			/* link of nodes[0] */
};

static int
prepare(struct prove *p, const char *sql, int64_t first, int64_t second,
    sqlite3_stmt **ret, struct err *err)
{
	if (sqlite3_prepare_v2(p->d->db, sql, -1, ret, NULL) != SQLITE_OK)
		return audit_db_error(p->d, "prepare", err);
	sqlite3_bind_int64(*ret, 1, first);
	sqlite3_bind_int64(*ret, 2, second);
	return 0;
}

/* ---- the link ----------------------------------------------------------- */

/* What stands before it; false: that is gone. */
static int
find_before(struct prove *p, struct audit_proof *q, bool *ret, struct err *err)
{
	sqlite3_stmt *st = NULL;
	int rc;

	*ret = true;
	if (audit_before(q->seq) == p->stone.seq) {
		memcpy(q->before, p->stone.seq > 0 ? p->stone.link :
		    p->origin.link, sizeof q->before);
		return 0;
	}
	rc = prepare(p, "SELECT link FROM chain WHERE seq = ?",
	    audit_before(q->seq), 0, &st, err);
	if (rc < 0)
		return rc;
	rc = sqlite3_step(st);
	*ret = rc == SQLITE_ROW && audit_chain_link(st, 0, q->before);
	rc = rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 :
	    audit_db_error(p->d, "read", err);
	sqlite3_finalize(st);
	return rc;
}

/* The row's bytes, and whether the link is the hash of them. */
static int
find_bytes(struct prove *p, struct audit_proof *q, bool *ret, struct err *err)
{
	const struct audit_kind_spec *k = &audit_kinds[q->kind];
	const struct audit_table_spec *t = &audit_tables[k->table];
	sqlite3_stmt *st = audit_db_stmt(p->d, AUDIT_READ_SESSION + k->table,
	    err);
	unsigned char hash[AUDIT_HASH_LEN];
	size_t head;

	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_int64(st, 1, q->row);
	*ret = sqlite3_step(st) == SQLITE_ROW;
	audit_chain_start(&p->bytes, q->before, (enum audit_kind)q->kind,
	    q->row);
	head = p->bytes.len;
	if (*ret)
		audit_chain_columns(&p->bytes, st, 0, k->first ? 0 : t->begin,
		    k->rest ? t->all : t->begin);
	sqlite3_reset(st);
	audit_sha256(p->bytes.data, p->bytes.len, hash);
	*ret = *ret && !buf_overflow(&p->bytes) &&
	    memcmp(hash, q->link, sizeof hash) == 0;
	q->bytes = p->bytes.data + head;
	q->len = p->bytes.len - head;
	return 0;
}

/* ---- the head ----------------------------------------------------------- */

static bool
take_head(sqlite3_stmt *st, struct audit_proof *q)
{
	q->head.wall_ns = sqlite3_column_int64(st, 0);
	q->head.seq = sqlite3_column_int64(st, 1);
	q->is_signed = sqlite3_column_type(st, 5) != SQLITE_NULL &&
	    audit_chain_take(st, 4, q->signature.key, AUDIT_KEY_LEN) &&
	    audit_chain_take(st, 5, q->signature.bytes,
	    AUDIT_SIGNATURE_LEN);
	return audit_chain_link(st, 2, q->head.link) &&
	    audit_chain_link(st, 3, q->head.root);
}

/* The first head that is as far as the link; *ret_behind: the one before. */
static int
find_head(struct prove *p, struct audit_proof *q, int64_t *ret_behind,
    struct err *err)
{
	sqlite3_stmt *st = NULL;
	int rc = prepare(p, "SELECT wall_ns, seq, link, root, public_key,"
	    " signature, (SELECT coalesce(max(seq), 0) FROM heads WHERE"
	    " seq < ?1) FROM heads WHERE seq >= ?1 ORDER BY seq LIMIT 1",
	    q->seq, 0, &st, err);

	if (rc < 0)
		return rc;
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW) {
		q->has_head = true;
		q->broken = !take_head(st, q);
		*ret_behind = sqlite3_column_int64(st, 6);
	}
	rc = rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 :
	    audit_db_error(p->d, "read", err);
	sqlite3_finalize(st);
	memcpy(q->head.store, p->origin.store, sizeof q->head.store);
	return rc;
}

static void
add_leaf(struct prove *p, const unsigned char link[AUDIT_HASH_LEN])
{
	if (p->n == p->cap) {
		p->cap = p->cap > 0 ? 2 * p->cap : 1024;
		p->nodes = xreallocarray(p->nodes, p->cap, sizeof *p->nodes);
	}
	audit_tree_leaf(link, p->nodes[p->n++]);
}

/* The leaves of the head: links behind the one before it, or behind a
 * tombstone.  *ret: they are there without a gap. */
static int
read_leaves(struct prove *p, int64_t behind, int64_t to, bool *ret,
    struct err *err)
{
	unsigned char link[AUDIT_HASH_LEN];
	sqlite3_stmt *st = NULL;
	int64_t next = 0;
	int rc = prepare(p, "SELECT seq, link FROM chain WHERE seq > ? AND"
	    " seq <= ? ORDER BY seq", behind, to, &st, err);

	p->n = 0;
	*ret = true;
	while (rc == 0 && *ret && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		int64_t seq = sqlite3_column_int64(st, 0);

		if (p->n == 0)
			p->first = next = seq;
		*ret = seq == next && p->n < AUDIT_PROVE_LEAVES &&
		    audit_chain_link(st, 1, link);
		if (*ret)
			add_leaf(p, link);
		next = audit_after(next);
		rc = 0;
	}
	if (rc > 0)
		rc = rc == SQLITE_DONE ? 0 : audit_db_error(p->d, "read", err);
	sqlite3_finalize(st);
	*ret = *ret && p->n > 0 && next - 1 == to;
	return rc;
}

/* Up from the leaf: the sibling of each node on the way, where it has one.
 * A last node without one is that of the level above: the trees are full on
 * their left. */
static bool
climb(struct prove *p, struct audit_proof *q)
{
	size_t n = p->n, at = (size_t)q->index, i;

	for (; n > 1; n = (n + 1) / 2, at /= 2) {
		if ((at ^ 1) < n) {
			if (q->n == AUDIT_PROVE_PATH)
				return false;
			memcpy(q->path[q->n++], p->nodes[at ^ 1],
			    AUDIT_HASH_LEN);
		}
		for (i = 0; i < n / 2; i++)
			audit_tree_join(p->nodes[2 * i], p->nodes[2 * i + 1],
			    p->nodes[i]);
		if (n % 2 != 0)
			memcpy(p->nodes[n / 2], p->nodes[n - 1],
			    AUDIT_HASH_LEN);
	}
	return memcmp(p->nodes[0], q->head.root, AUDIT_HASH_LEN) == 0;
}

static int
find_way(struct prove *p, struct audit_proof *q, struct err *err)
{
	int64_t behind = 0;
	bool whole = false;
	int rc = find_head(p, q, &behind, err);

	if (rc < 0 || !q->has_head || q->broken)
		return rc;
	rc = read_leaves(p, behind, q->head.seq, &whole, err);
	if (rc < 0)
		return rc;
	q->broken = !whole || q->seq < p->first;
	if (q->broken)
		return 0;
	q->index = (uint64_t)q->seq - (uint64_t)p->first;
	q->leaves = p->n;
	q->broken = !climb(p, q);
	return 0;
}

/* ---- all links of a line ------------------------------------------------ */

static int
prove_link(struct prove *p, sqlite3_stmt *st, struct audit_proof *q,
    struct err *err)
{
	bool before = false, bytes = false;
	int rc;

	*q = (struct audit_proof){ .seq = sqlite3_column_int64(st, 0),
		.kind = sqlite3_column_int(st, 1),
		.row = sqlite3_column_int64(st, 2) };
	q->what = audit_kinds[q->kind].what;
	if (!audit_chain_link(st, 3, q->link))
		return err_set(err, ERR_STORE, "audit store %s: link %" PRId64
		    " is damaged", p->d->path, q->seq);
	rc = find_before(p, q, &before, err);
	if (rc == 0)
		rc = find_bytes(p, q, &bytes, err);
	if (rc == 0)
		rc = find_way(p, q, err);
	q->broken = q->broken || !before || !bytes;
	return rc;
}

static int
prove_all(struct prove *p, int64_t line, void (*fn)(void *ctx,
    const struct audit_proof *p), void *ctx, struct err *err)
{
	sqlite3_stmt *st = NULL;
	struct audit_proof q;
	int rc = audit_chain_origin(p->d, &p->origin, err);

	if (rc == 0)
		rc = audit_chain_last(p->d, AUDIT_CHAIN_STONE, &p->stone,
		    err);
	if (rc == 0)
		rc = prepare(p, "SELECT seq, kind, row, link FROM chain WHERE"
		    " row = ?1 AND kind IN (3, 4, 5, 9) ORDER BY seq", line,
		    0, &st, err);
	while (rc == 0 && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		rc = prove_link(p, st, &q, err);
		if (rc == 0)
			fn(ctx, &q);
	}
	if (rc > 0)
		rc = rc == SQLITE_DONE ? 0 : audit_db_error(p->d, "read", err);
	sqlite3_finalize(st);
	return rc;
}

int
audit_prove(struct audit *a, int64_t line, void (*fn)(void *ctx,
    const struct audit_proof *p), void *ctx, struct err *err)
{
	struct prove p = { .d = audit_db_of(a) };
	int rc = audit_ready(a, err);

	if (rc == 0)
		rc = audit_db_exec(p.d, "BEGIN", err);
	if (rc < 0)
		return rc;
	rc = prove_all(&p, line, fn, ctx, err);
	audit_db_rollback(p.d);
	buf_done(&p.bytes);
	free(p.nodes);
	return rc;
}
