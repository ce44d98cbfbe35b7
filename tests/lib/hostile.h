/* SPDX-License-Identifier: ISC */
/*
 * A store that somebody altered, and all that reads it: whatever it holds,
 * readers end with an answer or an error; and where the verifier finds
 * nothing and the chain ends with the same link, readers see the same rows.
 */
#ifndef TESTS_HOSTILE_H
#define TESTS_HOSTILE_H

#include "aegsh/audit_chain.h"
#include "aegsh/audit_links.h"
#include "aegsh/audit_prove.h"
#include "aegsh/audit_read.h"
#include "audit/audit_chain_int.h"
#include "store.h"

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

struct hostile_seen {
	struct audit_verdict v;
	unsigned char digest[AUDIT_SHA256_LEN];	/* of the rows that a reader
						 * sees */
	int rc;			/* of the verifier */
	char first[80];		/* finding: "altered commands 3", or error */
};

static inline void
hostile_note(void *ctx, const struct audit_finding *f)
{
	struct hostile_seen *s = ctx;

	if (s->first[0] == '\0')
		snprintf(s->first, sizeof s->first, "%s %s %d",
		    audit_fault_name(f->fault), f->table != NULL ? f->table :
		    "-", (int)f->row);
}

static inline int
hostile_row(void *ctx, const struct audit_row *row)
{
	struct buf *b = ctx;

	buf_putf(b, "%lld %lld %lld %d %d %d %lld %s %s %s %s ",
	    (long long)row->id, (long long)row->session,
	    (long long)row->wall_ns, row->ran, row->finished, row->status,
	    (long long)row->duration_ns, row->uuid,
	    row->decision != NULL ? row->decision : "-",
	    row->user != NULL ? row->user : "-",
	    row->reason != NULL ? row->reason : "-");
	buf_put(b, row->line, row->len);
	return buf_overflow(b);
}

static inline int
hostile_event(void *ctx, const struct audit_happened *e)
{
	struct buf *b = ctx;

	buf_putf(b, "%lld %s %s\n", (long long)e->id, e->kind,
	    e->text != NULL ? e->text : "-");
	return buf_overflow(b);
}

static inline void
hostile_proof(void *ctx, const struct audit_proof *p)
{
	*(size_t *)ctx += p->n;
}

/* As it is sent: what the verifier has no fault with, is not said to be
 * altered there either. */
static inline int
hostile_link(void *ctx, const struct audit_linked *l)
{
	struct buf *b = ctx;
	size_t i;

	buf_putf(b, "%lld %d %d %d\n", (long long)l->seq, (int)l->what,
	    l->missing, l->altered);
	for (i = 0; i < l->n; i++) {
		buf_putf(b, "%s %d %lld ", l->values[i].name,
		    (int)l->values[i].type, (long long)l->values[i].number);
		buf_put(b, l->values[i].p, l->values[i].len);
	}
	return buf_overflow(b);
}

/* Read the store in the directory in every way. */
static inline struct hostile_seen
hostile_read(const char *dir)
{
	static const struct audit_query all = { 0 };
	static const struct audit_events_query every = { 0 };
	struct hostile_seen s = { .rc = -1 };
	struct buf rows = BUF_INIT_MAX((size_t)4 * 1024 * 1024);
	struct audit_keys keys = { .keys = { { 1 } }, .n = 1 };
	struct audit_against against = { .keys = &keys };
	static const struct audit_links_from from;
	struct audit_links_found found;
	struct audit_stats stats;
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	size_t nodes = 0;

	s.rc = audit_open(dir, true, &a, &err);
	if (s.rc == 0)
		s.rc = audit_verify(a, &against, hostile_note, &s, &s.v,
		    &err);
	if (s.rc < 0)
		snprintf(s.first, sizeof s.first, "%.79s", err.text);
	if (a != NULL) {
		audit_query(a, &all, hostile_row, &rows, &err);
		audit_events(a, &every, hostile_event, &rows, &err);
		audit_stats(a, &stats, &err);
		audit_prove(a, 2, hostile_proof, &nodes, &err);
		audit_links(a, &from, hostile_link, &rows, &found, &err);
	}
	audit_close(a);
	audit_sha256(rows.data, rows.len, s.digest);
	buf_done(&rows);
	return s;
}

/* Whether what was seen may be: then is the store as it was. */
static inline bool
hostile_is_fair(const struct hostile_seen *now, const struct hostile_seen *was)
{
	return now->rc < 0 || now->v.findings > 0 ||
	    now->v.last != was->v.last ||
	    memcmp(now->v.link, was->v.link, sizeof was->v.link) != 0 ||
	    memcmp(now->digest, was->digest, sizeof was->digest) == 0;
}

/* The bytes of a store with sessions, lines, events and programs. */
static inline void
hostile_make(const char *dir, int lines, struct buf *ret)
{
	AEG_AUTOFREE char *place = scratch_path(dir);
	AEG_AUTOFREE char *path = xasprintf("%s/audit.db", place);
	struct audit_outcome o = { .status = 1, .duration_ns = 5 };
	AEG_AUTOFD int fd = -1;
	struct err err = ERR_INIT;
	struct audit *a;
	sqlite3 *db;
	int i;

	scratch_mkdir(dir, 0700);
	a = store_open(dir);
	for (i = 0; i < lines; i++) {
		int64_t id = store_put(a, "a line", &err);

		audit_exec(a, id, &(struct audit_exec){ .pid = 2, .ppid = 1,
		    .path = "/bin/ls", .argv = "ls", .argv_len = 3 });
		audit_outcome(a, id, &o);
	}
	audit_note(a, "state-stripped", "LD_PRELOAD");
	audit_session_end(a, &err);
	audit_close(a);
	if (sqlite3_open(path, &db) != SQLITE_OK || sqlite3_exec(db,
	    "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) != SQLITE_OK)
		scratch_die("sqlite");
	sqlite3_close(db);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || io_read_all(fd, ret) < 0)
		scratch_die(path);
}

/* Put bytes there as the store's database, and nothing beside it. */
static inline void
hostile_put(const char *dir, const void *bytes, size_t len)
{
	static const char *const beside[] = { "audit.db-wal", "audit.db-shm",
		"audit.db-journal", "audit.spool", "audit.late",
		"audit.index", "audit.outputs" };
	AEG_AUTOFREE char *name = xasprintf("%s/audit.db", dir);
	size_t i;

	for (i = 0; i < AEG_NELEM(beside); i++) {
		AEG_AUTOFREE char *path = xasprintf("%s/%s/%s", scratch_dir,
		    dir, beside[i]);

		unlink(path);
	}
	scratch_write(name, bytes, len, 0600);
}

#endif
