/* SPDX-License-Identifier: ISC */
/*
 * Transactions of the store.  Who writes takes in what waits in the spool,
 * before its own rows: the rows then stand in the order of time.
 */
#include "audit_chain_int.h"

#include <inttypes.h>
#include <stdio.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/hex.h"

/* The spool is emptied when that many slots of it are in the store. */
#define EMPTY_AT (AUDIT_SPOOL_FOLD / 4)

/* An outcome whose row is gone is itself a thing to record. */
static int
add_outcome(struct audit *a, int64_t session, const struct audit_kept *k,
    struct err *err)
{
	char text[64];
	int rc = audit_row_outcome(&a->db, k->id, &k->outcome, err);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	snprintf(text, sizeof text, "command %" PRId64 ", status %d", k->id,
	    k->outcome.status);
	return audit_row_event(&a->db, session, "outcome-without-row", text,
	    k->wall_ns, k->mono_ns, err);
}

static int
add_builtin(struct audit *a, int64_t session, const struct audit_kept *k,
    struct err *err)
{
	struct audit_command c = { .event = k->event, .wall_ns = k->wall_ns,
		.mono_ns = k->mono_ns, .finished = true,
		.status = k->outcome.status };
	int64_t row;

	audit_uuid(c.uuid);
	return audit_row_command(&a->db, session, &c, &row, err);
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
		case AUDIT_KEPT_EXEC:
			rc = audit_row_exec(&a->db, k->id, &k->exec, err);
			break;
		case AUDIT_KEPT_OUTPUT:
			rc = audit_row_output(&a->db, k->id, &k->output, err);
			break;
		case AUDIT_KEPT_FILE:
			rc = audit_row_file(&a->db, k->id, &k->file, err);
			break;
		case AUDIT_KEPT_BUILTIN:
			rc = add_builtin(a, session, k, err);
			break;
		case AUDIT_KEPT_NOTE:
			rc = audit_row_event(&a->db, session, k->name, k->text,
			    k->wall_ns, k->mono_ns, err);
			break;
		}
	}
	if (rc < 0 || a->queue.lost == 0)
		return rc;
	snprintf(lost, sizeof lost, "%" PRIu64 " records did not fit",
	    a->queue.lost);
	return audit_row_event(&a->db, session, "records-lost", lost,
	    clock_wall_ns(), clock_mono_ns(), err);
}

static int
add_intent(struct audit *a, int64_t session, struct audit_event *ev,
    int64_t *ret_id, struct err *err)
{
	struct audit_command c = { .event = *ev, .wall_ns = clock_wall_ns(),
		.mono_ns = clock_mono_ns() };

	audit_uuid(c.uuid);
	uuid_text(c.uuid, ev->uuid);
	return audit_row_command(&a->db, session, &c, ret_id, err);
}

/* A spool that cannot be read must not keep the store from being written:
 * readers say what is wrong with it.  all: also what another is just about to
 * write, and holds the lock for. */
static int
fold(struct audit *a, bool all, struct err *err)
{
	int rc = audit_spool_open(&a->spool, &a->db, false, NULL);

	if (rc < 0 || (!all && !audit_spool_waits(&a->spool,
	    &a->spool.folded)))
		return 0;
	rc = audit_fold(&a->db, &a->spool, err);
	return rc < 0 ? rc : 0;
}

/* What was folded is durable once any later commit was synced. */
static void
empty_spool(struct audit *a)
{
	if (a->spool.fd >= 0 && a->spool.folded.slot >= EMPTY_AT)
		audit_spool_empty(&a->spool, &a->spool.folded);
}

int
audit_write_store(struct audit *a, struct audit_event *ev, bool end,
    struct err *err)
{
	int64_t row = a->session_row, id = 0;
	/* What a witness is told of at the end must stand. */
	bool full = ev != NULL || (end && a->hand.to != 0);
	int rc = audit_db_begin(&a->db, full, err);

	if (rc == 0)
		rc = fold(a, false, err);
	if (rc == 0 && row == 0 && a->in_session)
		rc = audit_row_session(&a->db, &a->begun, &row, err);
	if (rc == 0)
		rc = add_kept(a, row, err);
	if (rc == 0 && ev != NULL)
		rc = add_intent(a, row, ev, &id, err);
	if (rc == 0 && end)
		rc = audit_row_end(&a->db, row, clock_wall_ns(),
		    clock_mono_ns(), err);
	if (rc == 0)
		rc = audit_chain_seal(&a->db, audit_hand_due(a), err);
	if (rc == 0)
		rc = audit_db_commit(&a->db, err);
	if (rc < 0) {
		audit_db_rollback(&a->db);
		a->spool.folded.id = 0;
		return rc;
	}
	if (ev != NULL)
		empty_spool(a);
	audit_db_tidy(&a->db, ev != NULL ? AUDIT_LOG_MAX : AUDIT_LOG_FLUSH);
	a->session_row = row;
	audit_queue_clear(&a->queue);
	if (ev != NULL)
		ev->id = id;
	if (full)
		audit_hand_out(a);
	return 0;
}

int
audit_take_record(struct audit *a, const struct buf *record,
    const struct audit_taking *how, int64_t *ret_session, struct err *err)
{
	bool there = false;
	int64_t row = 0;
	int rc = audit_db_begin(&a->db, how->full, err);

	if (rc == 0)
		rc = fold(a, how->again, err);
	if (rc == 0 && (how->again || clock_mono_ns() > how->late_ns))
		rc = audit_fold_has(&a->db, record, how->after, &there, err);
	if (rc == 0 && !there)
		rc = audit_fold_record(&a->db, record, &row, err);
	/* That no witness heard. */
	if (rc == 0)
		rc = add_kept(a, row, err);
	if (rc == 0)
		rc = audit_chain_seal(&a->db, audit_hand_due(a), err);
	if (rc == 0)
		rc = audit_db_commit(&a->db, err);
	if (rc < 0) {
		audit_db_rollback(&a->db);
		a->spool.folded.id = 0;
		return rc;
	}
	audit_queue_clear(&a->queue);
	*ret_session = row;
	if (how->full) {
		empty_spool(a);
		audit_hand_out(a);
	}
	return 0;
}

/* In one transaction: the spool, and copies of what came late. */
static int
take_both(struct audit *a, bool spool, struct audit_mark *ret_late,
    struct err *err)
{
	int rc = audit_db_begin(&a->db, true, err);

	if (rc < 0)
		return rc;
	rc = spool ? audit_fold(&a->db, &a->spool, err) : 0;
	if (rc >= 0)
		rc = audit_late_fold(&a->db, ret_late, err);
	if (rc == 0)
		rc = audit_chain_seal(&a->db, false, err);
	if (rc == 0)
		rc = audit_db_commit(&a->db, err);
	if (rc < 0) {
		audit_db_rollback(&a->db);
		a->spool.folded.id = 0;
	}
	return rc;
}

int
audit_take_in(struct audit *a, struct err *err)
{
	struct audit_mark late = { 0, 1 };
	int rc = audit_spool_open(&a->spool, &a->db, false, err);
	bool spool = rc == 0 && (a->spool.folded.id == 0 ||
	    audit_spool_waits(&a->spool, &a->spool.folded));

	if (rc < 0 && rc != -ENOENT)
		return rc;
	if (!spool && !audit_late_waits(&a->db))
		return rc == -ENOENT ? audit_db_ready(&a->db, err) : 0;
	rc = take_both(a, spool, &late, err);
	if (rc < 0)
		return rc;
	if (spool)
		empty_spool(a);
	audit_late_empty(&a->db, &late);
	audit_hand_out(a);
	return 0;
}
