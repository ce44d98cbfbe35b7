/* SPDX-License-Identifier: ISC */
/*
 * The record: sessions, intents, outcomes, notes.
 *
 * An intent is one transaction, synced; what was held back since the last
 * one goes into it first.  A flush commits without syncing: killing
 * processes loses nothing then, and at a power loss the newest outcomes
 * may be missing, which shows as unfinished rows.
 */
#include "audit_int.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

struct audit {
	struct audit_db db;
	struct audit_queue queue;
	struct audit_session session;	/* strings owned */
	bool in_session;
	int64_t session_row;		/* 0: not written yet */
	int64_t start_wall_ns, start_mono_ns;
	unsigned char uuid[AUDIT_UUID_LEN];
	char boot_id[40];
};

int
audit_open(const char *dir, bool readonly, struct audit **ret,
    struct err *err)
{
	struct audit *a = xcalloc(1, sizeof *a);
	int rc;

	audit_queue_init(&a->queue);
	rc = audit_db_init(&a->db, dir, readonly, err);
	if (rc == 0 && readonly)
		rc = audit_db_ready(&a->db, err);
	if (rc < 0) {
		audit_close(a);
		return rc;
	}
	*ret = a;
	return 0;
}

int
audit_ready(struct audit *a, struct err *err)
{
	return audit_db_ready(&a->db, err);
}

static void
each_text(struct audit_session *s, void (*fn)(const char **text))
{
	fn(&s->user);
	fn(&s->tty);
	fn(&s->remote);
	fn(&s->origin);
	fn(&s->host);
	fn(&s->version);
	fn(&s->profile);
	fn(&s->policy_hash);
}

static void
own_text(const char **text)
{
	*text = *text != NULL ? xstrdup(*text) : NULL;
}

static void
free_text(const char **text)
{
	free((char *)(uintptr_t)*text);
	*text = NULL;
}

static void
forget_session(struct audit *a)
{
	each_text(&a->session, free_text);
	a->in_session = false;
	a->session_row = 0;
}

void
audit_close(struct audit *a)
{
	if (a == NULL)
		return;
	if (audit_pending(a))
		audit_flush(a, NULL);
	forget_session(a);
	audit_queue_clear(&a->queue);
	audit_db_done(&a->db);
	free(a);
}

int
audit_session_begin(struct audit *a, const struct audit_session *s,
    struct err *err)
{
	if (a->db.readonly || a->in_session)
		return err_set(err, -EINVAL, "audit: %s", a->db.readonly ?
		    "opened for reading" : "a session is open already");
	a->session = *s;
	each_text(&a->session, own_text);
	a->in_session = true;
	a->start_wall_ns = clock_wall_ns();
	a->start_mono_ns = clock_mono_ns();
	audit_uuid(a->uuid);
	audit_boot_id(a->boot_id);
	return 0;
}

/* ---- rows, inside a transaction ---------------------------------------- */

static int
add_session(struct audit *a, int64_t *ret_row, struct err *err)
{
	const struct audit_session *s = &a->session;
	sqlite3_stmt *st = audit_db_stmt(&a->db, AUDIT_ADD_SESSION, err);
	int rc;

	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_blob(st, 1, a->uuid, sizeof a->uuid, SQLITE_STATIC);
	audit_bind_text(st, 2, a->boot_id);
	sqlite3_bind_int64(st, 3, a->start_wall_ns);
	sqlite3_bind_int64(st, 4, a->start_mono_ns);
	sqlite3_bind_int64(st, 5, s->pid);
	sqlite3_bind_int64(st, 6, s->uid);
	if (s->loginuid != (uid_t)-1)
		sqlite3_bind_int64(st, 7, s->loginuid);
	audit_bind_text(st, 8, s->user != NULL ? s->user : "");
	audit_bind_text(st, 9, s->tty);
	audit_bind_text(st, 10, s->remote);
	audit_bind_text(st, 11, s->origin);
	audit_bind_text(st, 12, s->host);
	audit_bind_text(st, 13, s->version);
	audit_bind_text(st, 14, s->profile);
	audit_bind_text(st, 15, s->policy_hash);
	rc = audit_db_step(&a->db, st, err);
	if (rc == 0)
		*ret_row = sqlite3_last_insert_rowid(a->db.db);
	return rc;
}

static int
add_command(struct audit *a, int64_t session, const struct audit_event *ev,
    int64_t wall_ns, int64_t mono_ns, const int *status, struct err *err)
{
	unsigned char uuid[AUDIT_UUID_LEN], sha256[AUDIT_SHA256_LEN];
	sqlite3_stmt *st = audit_db_stmt(&a->db, AUDIT_ADD_COMMAND, err);

	if (st == NULL)
		return ERR_STORE;
	audit_uuid(uuid);
	audit_sha256(ev->line, ev->len, sha256);
	sqlite3_bind_int64(st, 1, session);
	sqlite3_bind_blob(st, 2, uuid, sizeof uuid, SQLITE_STATIC);
	sqlite3_bind_int64(st, 3, wall_ns);
	sqlite3_bind_int64(st, 4, mono_ns);
	sqlite3_bind_blob(st, 5, ev->len > 0 ? ev->line : "", (int)ev->len,
	    SQLITE_STATIC);
	sqlite3_bind_blob(st, 6, sha256, sizeof sha256, SQLITE_STATIC);
	if (ev->cwd != NULL)
		sqlite3_bind_blob(st, 7, ev->cwd, (int)strlen(ev->cwd),
		    SQLITE_STATIC);
	audit_bind_text(st, 8, ev->origin);
	audit_bind_text(st, 9, ev->decision != NULL ? ev->decision : "");
	audit_bind_text(st, 10, ev->source);
	audit_bind_text(st, 11, ev->rule);
	audit_bind_text(st, 12, ev->reason);
	audit_bind_text(st, 13, ev->model);
	audit_bind_text(st, 14, ev->answer);
	if (ev->confidence >= 0)
		sqlite3_bind_int(st, 15, ev->confidence);
	if (ev->latency_ns > 0)
		sqlite3_bind_int64(st, 16, ev->latency_ns);
	sqlite3_bind_int(st, 17, ev->ran);
	if (status != NULL)
		sqlite3_bind_int(st, 18, *status);
	audit_bind_text(st, 19, ev->interpreter);
	return audit_db_step(&a->db, st, err);
}

static int
end_command(struct audit *a, const struct audit_kept *k, struct err *err)
{
	const struct audit_outcome *o = &k->outcome;
	sqlite3_stmt *st = audit_db_stmt(&a->db, AUDIT_END_COMMAND, err);

	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_int(st, 1, o->status);
	if (o->signal != 0)
		sqlite3_bind_int(st, 2, o->signal);
	sqlite3_bind_int64(st, 3, o->duration_ns);
	sqlite3_bind_int64(st, 4, o->cpu_ns);
	sqlite3_bind_int64(st, 5, o->maxrss_kib);
	audit_bind_text(st, 6, o->note);
	sqlite3_bind_int64(st, 7, k->id);
	return audit_db_step(&a->db, st, err);
}

static int
add_event(struct audit *a, int64_t session, const char *kind,
    const char *text, int64_t wall_ns, int64_t mono_ns, struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(&a->db, AUDIT_ADD_EVENT, err);

	if (st == NULL)
		return ERR_STORE;
	if (session != 0)
		sqlite3_bind_int64(st, 1, session);
	sqlite3_bind_int64(st, 2, wall_ns);
	sqlite3_bind_int64(st, 3, mono_ns);
	audit_bind_text(st, 4, kind);
	audit_bind_text(st, 5, text);
	return audit_db_step(&a->db, st, err);
}

/* An outcome whose row is gone is itself a thing to record. */
static int
add_outcome(struct audit *a, int64_t session, const struct audit_kept *k,
    struct err *err)
{
	char text[64];
	int rc = end_command(a, k, err);

	if (rc < 0 || sqlite3_changes(a->db.db) > 0)
		return rc;
	snprintf(text, sizeof text, "command %" PRId64 ", status %d", k->id,
	    k->outcome.status);
	return add_event(a, session, "outcome-without-row", text, k->wall_ns,
	    k->mono_ns, err);
}

static int
add_kept(struct audit *a, int64_t session, struct err *err)
{
	const struct audit_kept *k;
	char lost[64];
	int rc = 0;

	for (k = a->queue.first; k != NULL && rc == 0; k = k->next) {
		switch (k->kind) {
		case AUDIT_KEPT_OUTCOME:
			rc = add_outcome(a, session, k, err);
			break;
		case AUDIT_KEPT_BUILTIN:
			rc = add_command(a, session, &k->event, k->wall_ns,
			    k->mono_ns, &k->outcome.status, err);
			break;
		case AUDIT_KEPT_NOTE:
			rc = add_event(a, session, k->name, k->text,
			    k->wall_ns, k->mono_ns, err);
			break;
		}
	}
	if (rc < 0 || a->queue.lost == 0)
		return rc;
	snprintf(lost, sizeof lost, "%" PRIu64 " records did not fit",
	    a->queue.lost);
	return add_event(a, session, "records-lost", lost, clock_wall_ns(),
	    clock_mono_ns(), err);
}

static int
end_session(struct audit *a, int64_t session, struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(&a->db, AUDIT_END_SESSION, err);

	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_int64(st, 1, clock_wall_ns());
	sqlite3_bind_int64(st, 2, clock_mono_ns());
	sqlite3_bind_int64(st, 3, session);
	return audit_db_step(&a->db, st, err);
}

/* ---- transactions ------------------------------------------------------ */

/* What is kept, then ev (may be NULL), then the session's end. */
static int
write_all(struct audit *a, struct audit_event *ev, bool end, struct err *err)
{
	int64_t row = a->session_row, id = 0;
	int rc = audit_db_begin(&a->db, ev != NULL, err);

	if (rc == 0 && row == 0 && a->in_session)
		rc = add_session(a, &row, err);
	if (rc == 0)
		rc = add_kept(a, row, err);
	if (rc == 0 && ev != NULL) {
		rc = add_command(a, row, ev, clock_wall_ns(), clock_mono_ns(),
		    NULL, err);
		id = sqlite3_last_insert_rowid(a->db.db);
	}
	if (rc == 0 && end)
		rc = end_session(a, row, err);
	if (rc == 0)
		rc = audit_db_commit(&a->db, err);
	if (rc < 0) {
		audit_db_rollback(&a->db);
		return rc;
	}
	audit_db_tidy(&a->db, ev != NULL ? AUDIT_LOG_MAX : AUDIT_LOG_FLUSH);
	a->session_row = row;
	audit_queue_clear(&a->queue);
	if (ev != NULL)
		ev->id = id;
	return 0;
}

int
audit_intent(struct audit *a, struct audit_event *ev, struct err *err)
{
	if (ev->len > AUDIT_LINE_MAX)
		return err_set(err, ERR_TOO_LONG,
		    "audit: the line is longer than %zu bytes", AUDIT_LINE_MAX);
	if (!a->in_session)
		return err_set(err, -EINVAL, "audit: no session is open");
	return write_all(a, ev, false, err);
}

void
audit_outcome(struct audit *a, int64_t id, const struct audit_outcome *o)
{
	audit_queue_outcome(&a->queue, id, o);
}

void
audit_builtin(struct audit *a, const struct audit_event *ev, int status)
{
	if (a->in_session)
		audit_queue_builtin(&a->queue, ev, status);
	else
		a->queue.lost++;	/* a row needs its session */
}

void
audit_note(struct audit *a, const char *kind, const char *text)
{
	audit_queue_note(&a->queue, kind, text);
}

bool
audit_pending(const struct audit *a)
{
	return a->queue.n > 0 || a->queue.lost > 0;
}

int
audit_flush(struct audit *a, struct err *err)
{
	return audit_pending(a) ? write_all(a, NULL, false, err) : 0;
}

int
audit_session_end(struct audit *a, struct err *err)
{
	int rc = 0;

	if (a->in_session && (a->session_row != 0 || audit_pending(a)))
		rc = write_all(a, NULL, true, err);
	if (rc == 0)
		forget_session(a);
	return rc;
}

struct audit_db *
audit_db_of(struct audit *a)
{
	return &a->db;
}
