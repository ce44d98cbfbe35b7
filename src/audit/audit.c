/* SPDX-License-Identifier: ISC */
/*
 * The record: sessions, intents, outcomes, notes.
 *
 * An intent is one transaction, synced; what was held back since the last
 * one goes into it first.  A flush commits without syncing: killing
 * processes loses nothing then, and at a power loss the newest outcomes
 * may be missing, which shows as unfinished rows.
 *
 * A session has a process of its own write to the store (audit_apart.c,
 * audit_writer.c), a short run appends to the spool beside it
 * (audit_brief.c), and others write to the store (audit_store.c).
 */
#include "audit_apart_int.h"

#include <errno.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

int
audit_open_any(const char *dir, bool readonly, bool brief,
    struct audit **ret, struct err *err)
{
	struct audit *a = xcalloc(1, sizeof *a);
	int rc;

	audit_queue_init(&a->queue);
	audit_queue_init(&a->way.held);
	a->spool = (struct audit_spool)AUDIT_SPOOL_INIT;
	rc = audit_db_init(&a->db, dir, readonly, err);
	if (rc < 0) {
		audit_close(a);
		return rc;
	}
	/* Locks and cached pages of networked file systems are sqlite's
	 * business alone. */
	a->brief = brief && a->db.journal == AUDIT_JOURNAL_WAL;
	*ret = a;
	return 0;
}

int
audit_open_reader(const char *dir, struct audit **ret, struct err *err)
{
	struct audit *a = NULL;
	int rc = audit_open_any(dir, true, false, &a, err);

	if (rc == 0)
		rc = audit_db_ready(&a->db, err);
	if (rc < 0) {
		audit_close(a);
		return rc;
	}
	*ret = a;
	return 0;
}

int
audit_open_brief(const char *dir, int64_t wait_ns, bool runs_on,
    struct audit **ret, struct err *err)
{
	int rc = audit_open_any(dir, false, true, ret, err);

	if (rc < 0)
		return rc;
	/* A quarter each is for a copy of what follows, and for one more
	 * attempt at that in the end. */
	(*ret)->brief_wait_ns = wait_ns;
	(*ret)->spool.wait_ns = wait_ns / 2;
	(*ret)->refuses = !runs_on;
	return 0;
}

int
audit_open_apart(const char *dir, int64_t wait_ns, bool runs_on,
    struct audit **ret, struct err *err)
{
	int rc = audit_open_any(dir, false, false, ret, err);

	if (rc < 0)
		return rc;
	(*ret)->apart = audit_apart_new(dir, wait_ns, runs_on);
	(*ret)->db.readonly = true;
	return 0;
}

int
audit_warm(struct audit *a, struct err *err)
{
	return a->apart != NULL ? audit_apart_warm(a, err) :
	    audit_ready(a, err);
}

int
audit_ready(struct audit *a, struct err *err)
{
	int rc = a->apart != NULL ? audit_apart_settled(a, err) : 0;

	if (rc < 0)
		return rc;
	return a->db.readonly ? audit_db_ready(&a->db, err) :
	    audit_take_in(a, err);
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
	each_text(&a->begun.session, free_text);
	a->in_session = a->begun_sent = false;
	a->session_row = 0;
}

/* Nobody may come to read for a long time; not waiting for others. */
static void
fold_long_spool(struct audit *a)
{
	if (a->spool.seen.slot < AUDIT_SPOOL_FOLD)
		return;
	a->db.busy_ns = 0;
	audit_take_in(a, NULL);
}

void
audit_close(struct audit *a)
{
	if (a == NULL)
		return;
	if (audit_pending(a))
		audit_flush(a, NULL);
	if (a->brief)
		fold_long_spool(a);
	audit_apart_free(a);
	forget_session(a);
	audit_queue_clear(&a->queue);
	audit_queue_clear(&a->way.held);
	audit_db_done(&a->db);
	audit_spool_done(&a->spool);
	buf_done(&a->said);
	free(a->open);
	free(a);
}

int
audit_session_begin(struct audit *a, const struct audit_session *s,
    struct err *err)
{
	if (a->in_session || (a->db.readonly && a->apart == NULL))
		return err_set(err, -EINVAL, "audit: %s", a->in_session ?
		    "a session is open already" : "opened for reading");
	a->begun.session = *s;
	audit_without_session(a->without, &a->begun.session);
	each_text(&a->begun.session, own_text);
	a->in_session = true;
	a->begun.wall_ns = clock_wall_ns();
	a->begun.mono_ns = clock_mono_ns();
	audit_uuid(a->begun.uuid);
	audit_boot_id(a->begun.boot_id);
	return 0;
}

static int
write_to(struct audit *a, struct audit_event *ev, bool end, struct err *err)
{
	int rc;

	if (a->apart == NULL)
		return a->brief ? audit_write_brief(a, ev, end, err) :
		    audit_write_store(a, ev, end, err);
	rc = audit_apart_begin(a, ev, end, err);
	return rc == 0 && ev == NULL ? audit_apart_settle(a, err) : rc;
}

static int
write_all(struct audit *a, struct audit_event *ev, bool end, struct err *err)
{
	struct audit_event kept;
	int rc;

	if (ev == NULL)
		return write_to(a, NULL, end, err);
	kept = *ev;
	audit_without_event(a->without, &kept);
	rc = write_to(a, &kept, end, err);
	ev->id = kept.id;
	memcpy(ev->uuid, kept.uuid, sizeof ev->uuid);
	return rc;
}

int
audit_intent_begin(struct audit *a, struct audit_event *ev, struct err *err)
{
	if (ev->len > AUDIT_LINE_MAX)
		return err_set(err, ERR_TOO_LONG,
		    "audit: the line is longer than %zu bytes", AUDIT_LINE_MAX);
	if (!a->in_session)
		return err_set(err, -EINVAL, "audit: no session is open");
	if (a->apart != NULL) {
		int rc = audit_apart_refuses(a, false, err);

		if (rc < 0)
			return rc;
	}
	return write_all(a, ev, false, err);
}

/* A transaction of the store is durable when it returns. */
int
audit_intent_settle(struct audit *a, struct err *err)
{
	int rc;

	if (a->apart != NULL) {
		rc = audit_apart_settle(a, err);
		return rc == 0 ? audit_apart_refuses(a, true, err) : rc;
	}
	rc = a->brief ? audit_settle_brief(a, err) : 0;
	if (rc == AUDIT_TOO_LATE)
		rc = audit_brief_late(a, &a->said, err);
	buf_done(&a->said);
	return rc;
}

int
audit_intent(struct audit *a, struct audit_event *ev, struct err *err)
{
	int rc = audit_intent_begin(a, ev, err);

	return rc == 0 ? audit_intent_settle(a, err) : rc;
}

void
audit_outcome(struct audit *a, int64_t id, const struct audit_outcome *o)
{
	if (id != a->way.unwritten && (a->apart == NULL ||
	    !audit_apart_knows(a->apart, id)))
		audit_queue_outcome(&a->queue, id, o);
}

void
audit_exec(struct audit *a, int64_t id, const struct audit_exec *x)
{
	if ((a->without & AUDIT_WITHOUT_EXECS) == 0)
		audit_queue_exec(&a->queue, id, x);
}

void
audit_output(struct audit *a, int64_t id, const struct audit_output *o)
{
	if ((a->without & AUDIT_WITHOUT_OUTPUT) == 0)
		audit_queue_output(&a->queue, id, o);
}

void
audit_file(struct audit *a, int64_t id, const char *uuid,
    const struct audit_file *f)
{
	unsigned char bytes[UUID_LEN];

	if ((a->without & AUDIT_WITHOUT_FILES) != 0)
		return;
	if (uuid_parse(uuid, strlen(uuid), bytes))
		audit_queue_file(&a->queue, id, bytes, f);
	else
		a->queue.lost++;
}

void
audit_session_uuid(const struct audit *a, unsigned char ret[16])
{
	memcpy(ret, a->begun.uuid, UUID_LEN);
}

void
audit_builtin(struct audit *a, const struct audit_event *ev, int status)
{
	struct audit_event kept = *ev;

	audit_without_event(a->without, &kept);
	if (a->in_session)
		audit_queue_builtin(&a->queue, &kept, status);
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

	if (a->in_session && (a->session_row != 0 || a->begun_sent ||
	    audit_pending(a)))
		rc = write_all(a, NULL, true, err);
	if (rc == 0)
		forget_session(a);
	return rc;
}

pid_t
audit_sync_pid(const struct audit *a)
{
	return audit_aside_pid(&a->spool);
}

struct audit_db *
audit_db_of(struct audit *a)
{
	return &a->db;
}
