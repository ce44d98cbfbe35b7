/* SPDX-License-Identifier: ISC */
/*
 * What the signer asks of a store, with the rights of the store's user and
 * inside one transaction: a head at the very end, made here from the links
 * that are there, after a look whether the head that was signed last is
 * still one of this chain.
 *
 * Whether the rows are what was chained is the verifier's question: a link
 * that is signed cannot be made to fit others later.
 */
#include "audit_chain_int.h"

#include <inttypes.h>
#include <string.h>

#include "aegsh/audit_sign.h"

static int
prepare(struct audit_db *d, const char *sql, int64_t seq, sqlite3_stmt **ret,
    struct err *err)
{
	if (sqlite3_prepare_v2(d->db, sql, -1, ret, NULL) != SQLITE_OK)
		return audit_db_error(d, "prepare", err);
	sqlite3_bind_int64(*ret, 1, seq);
	return 0;
}

/* Whether a statement of one hash gives this one; *ret_there: any row. */
static int
find_link(struct audit_db *d, const char *sql, const struct audit_head *seen,
    bool *ret_there, bool *ret_same, struct err *err)
{
	sqlite3_stmt *st = NULL;
	int rc = prepare(d, sql, seen->seq, &st, err);

	if (rc < 0)
		return rc;
	rc = sqlite3_step(st);
	*ret_there = rc == SQLITE_ROW;
	*ret_same = rc == SQLITE_ROW && sqlite3_column_bytes(st, 0) ==
	    AUDIT_SHA256_LEN && memcmp(sqlite3_column_blob(st, 0), seen->link,
	    AUDIT_SHA256_LEN) == 0;
	rc = rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 :
	    audit_db_error(d, "read", err);
	sqlite3_finalize(st);
	return rc;
}

static int
check_seen(struct audit_db *d, const struct audit_head *seen, struct err *err)
{
	bool there = false, same = false;
	int rc;

	if (seen == NULL)
		return 0;
	if (seen->seq > d->tail.seq)
		return err_set(err, ERR_STORE, "audit store %s: truncated: "
		    "link %" PRId64 " was signed, and the chain ends at %"
		    PRId64, d->path, seen->seq, d->tail.seq);
	rc = find_link(d, "SELECT link FROM chain WHERE seq = ?", seen,
	    &there, &same, err);
	/* Of what was pruned, the heads are left. */
	if (rc == 0 && !there)
		rc = find_link(d, "SELECT link FROM heads WHERE seq = ?",
		    seen, &there, &same, err);
	return rc < 0 || same ? rc : err_set(err, ERR_STORE, "audit store %s:"
	    " rewritten: link %" PRId64 " is not the one that was signed",
	    d->path, seen->seq);
}

/* Somebody may have put one there: what is signed is made here. */
#define UNSIGNED "DELETE FROM heads WHERE seq = ? AND signature IS NULL"
#define EITHER "DELETE FROM heads WHERE seq = ?"

static int
forget(struct audit_db *d, const char *sql, struct err *err)
{
	sqlite3_stmt *st = NULL;
	int rc = prepare(d, sql, d->tail.seq, &st, err);

	if (rc == 0)
		rc = audit_db_step(d, st, err);
	sqlite3_finalize(st);
	return rc;
}

/* *ret_by: which of the keys signed it, NOBODY: none. */
#define NOBODY SIZE_MAX

static int
read_head(struct audit_db *d, sqlite3_stmt *st, const struct audit_keys *keys,
    struct audit_head *ret, size_t *ret_by, struct err *err)
{
	struct audit_signature s;

	ret->wall_ns = sqlite3_column_int64(st, 0);
	ret->seq = sqlite3_column_int64(st, 1);
	if (ret->seq != d->tail.seq ||
	    !audit_chain_take(st, 2, ret->link, sizeof ret->link) ||
	    memcmp(ret->link, d->tail.link, sizeof ret->link) != 0 ||
	    !audit_chain_take(st, 3, ret->root, sizeof ret->root))
		return err_set(err, ERR_STORE, "audit store %s: the head at "
		    "link %" PRId64 " is of another chain, which ends at %"
		    PRId64, d->path, ret->seq, d->tail.seq);
	*ret_by = NOBODY;
	if (sqlite3_column_type(st, 5) == SQLITE_NULL)
		return 0;
	if (!audit_chain_take(st, 4, s.key, sizeof s.key) ||
	    !audit_chain_take(st, 5, s.bytes, sizeof s.bytes) ||
	    !audit_keys_have(keys, s.key) || !audit_head_signed(ret, &s))
		return err_set(err, ERR_STORE, "audit store %s: the head at "
		    "link %" PRId64 " has a signature of somebody else",
		    d->path, ret->seq);
	for (*ret_by = 0; memcmp(keys->keys[*ret_by], s.key,
	    sizeof s.key) != 0;)
		++*ret_by;
	return 0;
}

static int
newest(struct audit_db *d, const struct audit_keys *keys,
    struct audit_head *ret, size_t *ret_by, struct err *err)
{
	sqlite3_stmt *st = NULL;
	int rc = prepare(d, "SELECT wall_ns, seq, link, root, public_key,"
	    " signature FROM heads WHERE ?1 ORDER BY seq DESC LIMIT 1", 1,
	    &st, err);

	if (rc < 0)
		return rc;
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		rc = read_head(d, st, keys, ret, ret_by, err);
	else
		rc = rc == SQLITE_DONE ? err_set(err, ERR_STORE,
		    "audit store %s: has no head", d->path) :
		    audit_db_error(d, "read", err);
	sqlite3_finalize(st);
	return rc;
}

static int
made_anew(struct audit_db *d, const char *without,
    const struct audit_keys *keys, struct audit_head *ret, size_t *ret_by,
    struct err *err)
{
	int rc = forget(d, without, err);

	if (rc == 0)
		rc = audit_chain_seal(d, true, err);
	return rc < 0 ? rc : newest(d, keys, ret, ret_by, err);
}

static int
seal(struct audit_db *d, const struct audit_head *seen,
    const struct audit_keys *keys, struct audit_head *ret, bool *ret_signed,
    struct err *err)
{
	struct audit_origin origin;
	size_t by = NOBODY;
	int rc = audit_chain_tail(d, err);

	if (rc == 0)
		rc = audit_chain_origin(d, &origin, err);
	if (rc < 0)
		return rc;
	memcpy(ret->store, origin.store, sizeof ret->store);
	if (seen != NULL && memcmp(seen->store, origin.store,
	    sizeof origin.store) != 0)
		seen = NULL;	/* the caller sees that it is another */
	rc = check_seen(d, seen, err);
	if (rc < 0 || d->tail.seq == 0)
		return rc;
	rc = made_anew(d, UNSIGNED, keys, ret, &by, err);
	/* An earlier key of the operator's: the one that is in use now
	 * vouches for what that one did. */
	if (rc == 0 && by != NOBODY && by != 0)
		rc = made_anew(d, EITHER, keys, ret, &by, err);
	if (rc == 0)
		*ret_signed = by == 0;
	return rc;
}

int
audit_seal(struct audit *a, const struct audit_head *seen,
    const struct audit_keys *keys, struct audit_head *ret, bool *ret_signed,
    struct err *err)
{
	struct audit_head head = { .seq = 0 };
	struct audit_db *d = audit_db_of(a);
	bool is_signed = false;
	int rc = audit_ready(a, err);

	if (rc == 0)
		rc = audit_db_begin(d, true, err);
	if (rc < 0)
		return rc;
	rc = seal(d, seen, keys, &head, &is_signed, err);
	if (rc == 0)
		rc = audit_db_commit(d, err);
	if (rc < 0) {
		audit_db_rollback(d);
		return rc;
	}
	*ret = head;
	*ret_signed = is_signed;
	return 0;
}

int
audit_seal_keep(struct audit *a, const struct audit_head *h,
    const struct audit_signature *s, struct err *err)
{
	struct audit_db *d = audit_db_of(a);
	sqlite3_stmt *st = NULL;
	int rc = audit_db_begin(d, true, err);

	if (rc < 0)
		return rc;
	rc = prepare(d, "UPDATE heads SET public_key = ?2, signature = ?3"
	    " WHERE seq = ?1 AND link = ?4 AND root = ?5", h->seq, &st, err);
	if (rc == 0) {
		sqlite3_bind_blob(st, 2, s->key, sizeof s->key,
		    SQLITE_STATIC);
		sqlite3_bind_blob(st, 3, s->bytes, sizeof s->bytes,
		    SQLITE_STATIC);
		sqlite3_bind_blob(st, 4, h->link, sizeof h->link,
		    SQLITE_STATIC);
		sqlite3_bind_blob(st, 5, h->root, sizeof h->root,
		    SQLITE_STATIC);
		rc = audit_db_step(d, st, err);
	}
	sqlite3_finalize(st);
	if (rc == 0 && sqlite3_changes(d->db) != 1)
		rc = err_set(err, ERR_STORE, "audit store %s: the head that "
		    "was signed is gone", d->path);
	if (rc == 0)
		rc = audit_db_commit(d, err);
	if (rc < 0)
		audit_db_rollback(d);
	return rc;
}
