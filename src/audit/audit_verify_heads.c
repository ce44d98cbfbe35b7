/* SPDX-License-Identifier: ISC */
/* Heads, their signatures and their witnesses, beside the chain. */
#include "audit_verify_int.h"

#include <string.h>

void
audit_heads_next(struct audit_verifying *v)
{
	int64_t before = v->head;
	int rc = sqlite3_step(v->heads);

	v->head = rc == SQLITE_ROW ? sqlite3_column_int64(v->heads, 0) : 0;
	/* Once round again, it would never end. */
	v->head_failed |= (rc != SQLITE_ROW && rc != SQLITE_DONE) ||
	    (rc == SQLITE_ROW && v->head <= before);
	if (v->head_failed)
		v->head = 0;
}

static bool
is_hash(sqlite3_stmt *st, int column, const unsigned char *hash)
{
	unsigned char got[AUDIT_SHA256_LEN];

	return audit_chain_link(st, column, got) &&
	    memcmp(got, hash, sizeof got) == 0;
}

static void
check_head(struct audit_verifying *v)
{
	unsigned char root[AUDIT_SHA256_LEN];

	audit_tree_add(&v->tree, v->v.link);
	while (v->head != 0 && v->head < v->v.last) {
		audit_find(v, AUDIT_FAULT_HEAD, v->head, "heads", 0);
		audit_heads_next(v);
	}
	if (v->head != v->v.last)
		return;
	audit_tree_root(&v->tree, root);
	if (!is_hash(v->heads, 1, v->v.link) ||
	    (v->known_head && !is_hash(v->heads, 2, root)))
		audit_find(v, AUDIT_FAULT_HEAD, v->head, "heads", 0);
	v->tree = (struct audit_tree){ .n = 0 };
	v->known_head = true;
	v->v.heads++;
	audit_heads_next(v);
}

static void
check_witness(struct audit_verifying *v)
{
	const struct audit_witnessed *w = v->witnesses;

	for (; v->next < v->n_witnesses && w[v->next].seq <= v->v.last;
	    v->next++) {
		v->v.witnessed++;
		if (w[v->next].seq < v->v.last || memcmp(w[v->next].link,
		    v->v.link, AUDIT_HASH_LEN) != 0)
			audit_find(v, AUDIT_FAULT_REWRITTEN, v->v.last, NULL,
			    0);
	}
}

void
audit_heads_check(struct audit_verifying *v)
{
	check_head(v);
	check_witness(v);
}

void
audit_heads_removed(struct audit_verifying *v)
{
	const struct audit_witnessed *w = v->witnesses;

	for (; v->next < v->n_witnesses && w[v->next].seq <= v->v.last;
	    v->next++) {
		sqlite3_reset(v->heads);
		sqlite3_bind_int64(v->heads, 1, w[v->next].seq - 1);
		v->v.witnessed++;
		if (sqlite3_step(v->heads) != SQLITE_ROW ||
		    sqlite3_column_int64(v->heads, 0) != w[v->next].seq ||
		    !is_hash(v->heads, 1, w[v->next].link))
			audit_find(v, AUDIT_FAULT_REWRITTEN,
			    w[v->next].seq, NULL, 0);
	}
}

static void
check_signature(struct audit_verifying *v, sqlite3_stmt *st)
{
	struct audit_head h = { .wall_ns = sqlite3_column_int64(st, 0),
		.seq = sqlite3_column_int64(st, 1) };
	struct audit_signature s;

	if (v->keys == NULL || v->keys->n == 0) {
		v->v.unsure++;
		return;
	}
	memcpy(h.store, v->v.origin.store, sizeof h.store);
	if (audit_chain_take(st, 2, h.link, sizeof h.link) &&
	    audit_chain_take(st, 3, h.root, sizeof h.root) &&
	    audit_chain_take(st, 4, s.key, sizeof s.key) &&
	    audit_chain_take(st, 5, s.bytes, sizeof s.bytes) &&
	    audit_keys_have(v->keys, s.key) && audit_head_signed(&h, &s)) {
		v->v.is_signed++;
		v->v.signed_to = h.seq;
	} else {
		audit_find(v, AUDIT_FAULT_SIGNATURE, h.seq, "heads", 0);
	}
}

/* Those of links that were deleted as well. */
static int
check_signatures(struct audit_verifying *v, struct err *err)
{
	int64_t before = INT64_MIN;
	sqlite3_stmt *st = NULL;
	int rc = audit_verify_prepare(v, "SELECT wall_ns, seq, link, root,"
	    " public_key, signature FROM heads WHERE signature IS NOT NULL OR"
	    " public_key IS NOT NULL ORDER BY seq", &st, err);

	if (rc < 0)
		return rc;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW &&
	    sqlite3_column_int64(st, 1) > before) {
		before = sqlite3_column_int64(st, 1);
		check_signature(v, st);
	}
	if (rc != SQLITE_DONE)
		rc = rc == SQLITE_ROW ? audit_verify_damaged(v, "heads",
		    err) : audit_db_error(v->d, "read", err);
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? 0 : rc;
}

int
audit_heads_rest(struct audit_verifying *v, struct err *err)
{
	if (v->head != 0)
		audit_find(v, AUDIT_FAULT_TRUNCATED, v->head, "heads", 0);
	if (v->next < v->n_witnesses)
		audit_find(v, AUDIT_FAULT_TRUNCATED,
		    v->witnesses[v->n_witnesses - 1].seq, NULL, 0);
	return check_signatures(v, err);
}
