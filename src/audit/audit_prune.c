/* SPDX-License-Identifier: ISC */
/*
 * Deleting what is old, so that what stays can still be verified: the chain
 * begins behind a tombstone then, which keeps the last link that went and
 * the root of the tree over all that did.
 *
 * What a later link speaks of stays with its row, and so does what is not
 * over: rows that stay, but whose own link went, get one at the end.
 */
#include "audit_chain_int.h"
#include "audit_index_int.h"
#include "audit_wrote_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

/* ?1 the first line that stays; ?2 the last link that goes; ?3, ?4 the last
 * line and event before the chain; ?5 the first line's time; ?6 this boot. */
#define OPEN_SESSION "end_wall_ns IS NULL AND boot_id = ?6"
#define LINKED(kinds) \
	"id IN (SELECT row FROM chain WHERE seq > ?2 AND kind IN (" kinds "))"

static const char *const deletes[] = {
	"DELETE FROM commands WHERE id < ?1 AND NOT " LINKED("4, 9")
	    " AND NOT (ran = 1 AND status IS NULL AND session IN (SELECT id"
	    " FROM sessions WHERE " OPEN_SESSION "))"
	    " AND id NOT IN (SELECT command FROM execs WHERE " LINKED("10")
	    " UNION SELECT command FROM files WHERE " LINKED("11")
	    " UNION SELECT command FROM outputs WHERE " LINKED("12") ")",
	"DELETE FROM events WHERE (id > ?4 AND NOT " LINKED("6") ") OR"
	    " (id <= ?4 AND wall_ns < ?5)",
	"DELETE FROM sessions WHERE NOT " LINKED("1, 2, 8") " AND NOT ("
	    OPEN_SESSION ") AND id NOT IN (SELECT session FROM commands) AND"
	    " id NOT IN (SELECT session FROM events WHERE session IS NOT"
	    " NULL) AND id < (SELECT max(id) FROM sessions)",
	"DELETE FROM execs WHERE NOT " LINKED("10"),
	"DELETE FROM files WHERE NOT " LINKED("11"),
	"DELETE FROM outputs WHERE NOT " LINKED("12"),
	"DELETE FROM tombstones WHERE NOT " LINKED("7"),
	"DELETE FROM chain WHERE seq <= ?2",
};

/* Rows without a link of their own, and ends without one. */
static const struct {
	enum audit_kind kind;
	const char *sql;
} keeps[] = {
	{ AUDIT_KIND_SESSION_KEPT, "SELECT id FROM sessions WHERE id > ?7 AND"
	    " id NOT IN (SELECT row FROM chain WHERE kind IN (1, 8))" },
	{ AUDIT_KIND_SESSION_END, "SELECT id FROM sessions WHERE id > ?7 AND"
	    " end_wall_ns IS NOT NULL AND id NOT IN (SELECT row FROM chain"
	    " WHERE kind = 2)" },
	{ AUDIT_KIND_LINE_KEPT, "SELECT id FROM commands WHERE id > ?3 AND"
	    " id < ?1 AND id NOT IN (SELECT row FROM chain WHERE kind IN"
	    " (3, 5, 9))" },
	{ AUDIT_KIND_OUTCOME, "SELECT id FROM commands WHERE id > ?3 AND"
	    " id < ?1 AND status IS NOT NULL AND id NOT IN (SELECT row FROM"
	    " chain WHERE kind IN (4, 5))" },
};

struct prune {
	struct audit_db *d;
	struct audit_origin origin;
	char boot[40];
	int64_t first, first_ns;	/* the first line that stays */
	struct audit_link from, cut;	/* the links that go: behind, up to */
	struct audit_pruned ret;
};

static int
prepare(struct prune *p, const char *sql, sqlite3_stmt **ret,
    struct err *err)
{
	const int64_t values[] = { p->first, p->cut.seq, p->origin.commands,
		p->origin.events, p->first_ns };
	size_t i;

	if (sqlite3_prepare_v2(p->d->db, sql, -1, ret, NULL) != SQLITE_OK)
		return audit_db_error(p->d, "prepare", err);
	for (i = 0; i < AEG_NELEM(values); i++)
		sqlite3_bind_int64(*ret, (int)i + 1, values[i]);
	sqlite3_bind_text(*ret, 6, p->boot, -1, SQLITE_STATIC);
	sqlite3_bind_int64(*ret, 7, p->origin.sessions);
	return 0;
}

/* What was recorded just before, by a clock that nobody had set yet, may be as
 * young. */
static int
spare_unset(struct prune *p, struct err *err)
{
	int64_t row[2] = { 0, 0 };
	bool there = false;
	int rc = audit_db_look_up(p->d, "SELECT id, wall_ns FROM commands"
	    " WHERE id > coalesce((SELECT max(id) FROM commands WHERE id < ?1"
	    " AND wall_ns >= " AUDIT_UNSET_NS "), 0) ORDER BY id LIMIT 1",
	    p->first, row, 2, &there, err);

	if (rc == 0 && there) {
		p->first = row[0];
		p->first_ns = row[1];
	}
	return rc;
}

/* The newest line always stays: the numbers of rows go on from it. */
static int
find_first(struct prune *p, const struct audit_keep *keep, struct err *err)
{
	int64_t row[2] = { 0, 0 };
	bool there = false;
	int rc;

	rc = keep->since_ns != 0 ? audit_db_look_up(p->d, "SELECT id, wall_ns"
	    " FROM commands WHERE wall_ns >= ?1 ORDER BY id LIMIT 1",
	    keep->since_ns, row, 2, &there, err) : audit_db_look_up(p->d,
	    "SELECT id, wall_ns FROM commands ORDER BY id DESC LIMIT 1"
	    " OFFSET ?1", keep->lines - 1, row, 2, &there, err);
	if (rc == 0 && !there && keep->since_ns != 0)
		rc = audit_db_look_up(p->d, "SELECT id, wall_ns FROM commands"
		    " WHERE ?1 ORDER BY id DESC LIMIT 1", 1, row, 2, &there,
		    err);
	p->first = there ? row[0] : 0;
	p->first_ns = there ? row[1] : 0;
	if (rc == 0 && there && keep->since_ns != 0)
		rc = spare_unset(p, err);
	if (rc < 0 || !there || keep->most <= 0)
		return rc;
	/* From the first that did not outlive a deletion. */
	rc = audit_db_look_up(p->d, "SELECT id, wall_ns FROM commands WHERE"
	    " id >= coalesce((SELECT row FROM chain WHERE kind IN (3, 5)"
	    " ORDER BY seq LIMIT 1), (SELECT min(id) FROM commands)) + ?1"
	    " ORDER BY id LIMIT 1", keep->most, row, 2, &there, err);
	if (rc == 0 && there && row[0] < p->first) {
		p->first = row[0];
		p->first_ns = row[1];
	}
	return rc;
}

/* The links behind the last tombstone and before the first line's. */
static int
find_cut(struct prune *p, struct audit_tree *tree, struct err *err)
{
	int64_t at = 0;
	sqlite3_stmt *st = NULL;
	bool there = false;
	int rc = audit_chain_last(p->d, AUDIT_CHAIN_STONE, &p->from, err);

	if (rc == 0)
		rc = audit_db_look_up(p->d, "SELECT seq FROM chain WHERE kind"
		    " IN (3, 5) AND row >= ?1 ORDER BY seq LIMIT 1", p->first,
		    &at, 1, &there, err);
	if (rc < 0)
		return rc;
	p->cut = p->from;
	if (!there)
		return 0;
	if (sqlite3_prepare_v2(p->d->db, "SELECT seq, link FROM chain WHERE"
	    " seq > ?1 ORDER BY seq", -1, &st, NULL) != SQLITE_OK)
		return audit_db_error(p->d, "prepare", err);
	sqlite3_bind_int64(st, 1, p->from.seq);
	while (audit_after(p->cut.seq) < at &&
	    sqlite3_step(st) == SQLITE_ROW &&
	    sqlite3_column_int64(st, 0) == audit_after(p->cut.seq) &&
	    audit_chain_link(st, 1, p->cut.link)) {
		p->cut.seq++;
		audit_tree_add(tree, p->cut.link);
	}
	sqlite3_finalize(st);
	return audit_after(p->cut.seq) == at ? 0 : err_set(err, ERR_STORE,
	    "audit store %s: the chain is broken at link %" PRId64
	    ": nothing was deleted; audit verify says more", p->d->path,
	    audit_after(p->cut.seq));
}

static int
add_stone(struct prune *p, const struct audit_tree *tree, struct err *err)
{
	unsigned char root[AUDIT_SHA256_LEN];
	sqlite3_stmt *st = NULL;
	int rc;

	if (p->cut.seq == p->from.seq)
		return 0;
	audit_tree_root(tree, root);
	rc = sqlite3_prepare_v2(p->d->db, "INSERT INTO tombstones (wall_ns,"
	    " seq, link, root, removed) VALUES (?, ?, ?, ?, ?)", -1, &st,
	    NULL) == SQLITE_OK ? 0 : audit_db_error(p->d, "prepare", err);
	if (rc < 0)
		return rc;
	sqlite3_bind_int64(st, 1, clock_wall_ns());
	sqlite3_bind_int64(st, 2, p->cut.seq);
	sqlite3_bind_blob(st, 3, p->cut.link, sizeof p->cut.link,
	    SQLITE_STATIC);
	sqlite3_bind_blob(st, 4, root, sizeof root, SQLITE_STATIC);
	sqlite3_bind_int64(st, 5, p->cut.seq - p->from.seq);
	rc = audit_db_step(p->d, st, err);
	sqlite3_finalize(st);
	return rc < 0 ? rc : audit_chain_add(p->d, AUDIT_KIND_TOMBSTONE,
	    sqlite3_last_insert_rowid(p->d->db), err);
}

static int
delete_rows(struct prune *p, struct err *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < AEG_NELEM(deletes) && rc == 0; i++) {
		sqlite3_stmt *st = NULL;

		rc = prepare(p, deletes[i], &st, err);
		if (rc == 0)
			rc = audit_db_step(p->d, st, err);
		sqlite3_finalize(st);
		if (i == 0)
			p->ret.lines = sqlite3_changes(p->d->db);
	}
	return rc;
}

/* All are found before the first gets its link. */
static int
link_kept(struct prune *p, enum audit_kind kind, const char *sql,
    struct err *err)
{
	AEG_AUTOFREE int64_t *rows = NULL;
	size_t n = 0, cap = 0, i;
	sqlite3_stmt *st = NULL;
	int rc = prepare(p, sql, &st, err);

	while (rc == 0 && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		if (n == cap) {
			cap = cap > 0 ? 2 * cap : 64;
			rows = xreallocarray(rows, cap, sizeof *rows);
		}
		rows[n++] = sqlite3_column_int64(st, 0);
		rc = 0;
	}
	if (rc == SQLITE_DONE)
		rc = 0;
	else if (rc > 0)
		rc = audit_db_error(p->d, "read", err);
	sqlite3_finalize(st);
	for (i = 0; i < n && rc == 0; i++)
		rc = audit_chain_add(p->d, kind, rows[i], err);
	return rc;
}

static int
prune_lines(struct prune *p, const struct audit_keep *keep, struct err *err)
{
	struct audit_tree tree = { .n = 0 };
	char text[200];
	size_t i;
	int rc = find_first(p, keep, err);

	if (rc < 0 || p->first == 0)
		return rc;
	rc = audit_chain_origin(p->d, &p->origin, err);
	if (rc == 0)
		rc = find_cut(p, &tree, err);
	if (rc < 0)
		return rc;
	/* Before all: so the newest event stays, too. */
	snprintf(text, sizeof text, "by %.80s: lines before %" PRId64
	    ", links up to %" PRId64, keep->who, p->first, p->cut.seq);
	rc = audit_row_event(p->d, 0, "pruned", text, clock_wall_ns(),
	    clock_mono_ns(), err);
	if (rc == 0)
		rc = add_stone(p, &tree, err);
	if (rc == 0)
		rc = delete_rows(p, err);
	for (i = 0; i < AEG_NELEM(keeps) && rc == 0; i++)
		rc = link_kept(p, keeps[i].kind, keeps[i].sql, err);
	p->ret.links = p->cut.seq - p->from.seq;
	return rc;
}

static int
prune(struct prune *p, const struct audit_keep *keep, struct err *err)
{
	int rc = keep->lines > 0 || keep->since_ns != 0 ?
	    prune_lines(p, keep, err) : 0;

	if (rc == 0)
		rc = audit_expire(p->d, keep, &p->ret.rows, err);
	return rc < 0 ? rc : audit_chain_seal(p->d, true, err);
}

static int
is_late(void *deadline_ns)
{
	return clock_mono_ns() > *(int64_t *)deadline_ns;
}

/* In the transaction, as long as it may take. */
static int
prune_in_time(struct prune *p, const struct audit_keep *keep,
    struct err *err)
{
	int64_t deadline = clock_mono_ns() + keep->budget_ns;
	int rc;

	if (keep->budget_ns <= 0)
		return prune(p, keep, err);
	sqlite3_progress_handler(p->d->db, 1000, is_late, &deadline);
	rc = prune(p, keep, err);
	sqlite3_progress_handler(p->d->db, 0, NULL, NULL);
	if (rc < 0 && is_late(&deadline))
		err_set(err, rc, "audit store %s: deleting what is old takes "
		    "longer than others may be held up; run aegshctl audit "
		    "prune", p->d->path);
	return rc;
}

int
audit_prune(struct audit *a, const struct audit_keep *keep,
    struct audit_pruned *ret, struct err *err)
{
	struct prune p = { .d = audit_db_of(a) };
	int rc = audit_ready(a, err);

	audit_boot_id(p.boot);
	/* What goes is not to be read from the file's free pages. */
	if (rc == 0)
		rc = audit_db_exec(p.d, "PRAGMA secure_delete = ON", err);
	if (rc == 0)
		rc = audit_db_begin(p.d, true, err);
	if (rc < 0)
		return rc;
	rc = prune_in_time(&p, keep, err);
	if (rc == 0 && p.ret.lines == 0 && p.ret.links == 0 &&
	    p.ret.rows == 0)
		audit_db_rollback(p.d);
	else if (rc == 0)
		rc = audit_db_commit(p.d, err);
	if (rc < 0) {
		audit_db_rollback(p.d);
		return rc;
	}
	/* Nor in files; where one stays, the rest goes all the same. */
	rc = audit_output_drop(p.d, err);
	/* Nor from the indexes, which the next search brings up again. */
	audit_index_drop(p.d);
	audit_outputs_forget(p.d);
	/* Nor from the log, as soon as nobody reads from it. */
	sqlite3_wal_checkpoint_v2(p.d->db, "main", SQLITE_CHECKPOINT_TRUNCATE,
	    NULL, NULL);
	*ret = p.ret;
	return rc;
}
