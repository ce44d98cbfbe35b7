/* SPDX-License-Identifier: ISC */
/*
 * Transactions as records: of a short run, one of the spool each, and of a
 * session, what its writer is told.  No database is opened; commands have
 * numbers that only this process knows, and in records their uuids.
 */
#include "audit_apart_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

static const struct audit_handle *
find(const struct audit *a, int64_t id)
{
	size_t i;

	for (i = 0; i < a->n_open; i++) {
		if (a->open[i].id == id)
			return &a->open[i];
	}
	return NULL;
}

static void
put_note(struct buf *b, const char *kind, const char *text, int64_t wall_ns,
    int64_t mono_ns)
{
	struct audit_item item = { .kind = AUDIT_ITEM_NOTE, .name = kind,
		.text = text, .wall_ns = wall_ns, .mono_ns = mono_ns };

	audit_item_put(b, &item);
}

static void
put_outcome(const struct audit *a, const struct audit_kept *k, struct buf *b)
{
	const struct audit_handle *h = find(a, k->id);
	struct audit_item item = { .kind = AUDIT_ITEM_OUTCOME,
		.outcome = k->outcome, .wall_ns = k->wall_ns,
		.mono_ns = k->mono_ns };
	char text[64];

	if (h != NULL) {
		memcpy(item.uuid, h->uuid, sizeof item.uuid);
		audit_item_put(b, &item);
		return;
	}
	snprintf(text, sizeof text, "command %" PRId64 ", status %d", k->id,
	    k->outcome.status);
	put_note(b, "outcome-without-row", text, k->wall_ns, k->mono_ns);
}

/* What is nothing without its line. */
static void
put_of_line(const struct audit *a, const struct audit_kept *k,
    enum audit_item_kind kind, struct buf *b)
{
	const struct audit_handle *h = find(a, k->id);
	struct audit_item item = { .kind = kind, .exec = k->exec,
		.output = k->output };

	if (h == NULL)
		return;
	memcpy(item.uuid, h->uuid, sizeof item.uuid);
	audit_item_put(b, &item);
}

/* By its own uuid: its line may be over, and forgotten here. */
static void
put_file(const struct audit_kept *k, struct buf *b)
{
	struct audit_item item = { .kind = AUDIT_ITEM_FILE, .file = k->file };

	memcpy(item.uuid, k->uuid, sizeof item.uuid);
	audit_item_put(b, &item);
}

static void
put_kept(const struct audit *a, struct buf *b)
{
	struct audit_item item = { .kind = AUDIT_ITEM_COMMAND };
	const struct audit_kept *k;
	char lost[64];

	for (k = a->queue.first; k != NULL; k = k->next) {
		switch (k->kind) {
		case AUDIT_KEPT_OUTCOME:
			put_outcome(a, k, b);
			break;
		case AUDIT_KEPT_EXEC:
			put_of_line(a, k, AUDIT_ITEM_EXEC, b);
			break;
		case AUDIT_KEPT_OUTPUT:
			put_of_line(a, k, AUDIT_ITEM_OUTPUT, b);
			break;
		case AUDIT_KEPT_FILE:
			put_file(k, b);
			break;
		case AUDIT_KEPT_BUILTIN:
			item.command = (struct audit_command){
				.event = k->event, .wall_ns = k->wall_ns,
				.mono_ns = k->mono_ns, .finished = true,
				.status = k->outcome.status };
			audit_uuid(item.command.uuid);
			audit_item_put(b, &item);
			break;
		case AUDIT_KEPT_NOTE:
			put_note(b, k->name, k->text, k->wall_ns, k->mono_ns);
			break;
		}
	}
	if (a->queue.lost == 0)
		return;
	snprintf(lost, sizeof lost, "%" PRIu64 " records did not fit",
	    a->queue.lost);
	put_note(b, "records-lost", lost, clock_wall_ns(), clock_mono_ns());
}

static void
put_intent(const struct audit_event *ev, unsigned char uuid[UUID_LEN],
    struct buf *b)
{
	struct audit_item item = { .kind = AUDIT_ITEM_COMMAND,
		.command = { .event = *ev, .wall_ns = clock_wall_ns(),
		    .mono_ns = clock_mono_ns() } };

	audit_uuid(item.command.uuid);
	memcpy(uuid, item.command.uuid, UUID_LEN);
	audit_item_put(b, &item);
}

static void
forget_line(struct audit *a, int64_t id)
{
	size_t i, n;

	for (i = n = 0; i < a->n_open; i++) {
		if (a->open[i].id != id)
			a->open[n++] = a->open[i];
	}
	a->n_open = n;
}

void
audit_forget(struct audit *a, const struct audit_queue *q)
{
	const struct audit_kept *k;

	for (k = q->first; k != NULL; k = k->next)
		if (k->kind == AUDIT_KEPT_OUTCOME)
			forget_line(a, k->id);
}

static void
remember(struct audit *a, int64_t id, const unsigned char *uuid)
{
	struct audit_handle *h;

	a->open = xreallocarray(a->open, a->n_open + 1, sizeof *a->open);
	h = &a->open[a->n_open++];
	h->id = id;
	memcpy(h->uuid, uuid, sizeof h->uuid);
}

int
audit_compose(struct audit *a, const struct audit_event *ev, bool end,
    struct buf *b, unsigned char ret_uuid[UUID_LEN], struct err *err)
{
	static const unsigned char none[UUID_LEN];
	struct audit_item begun = { .kind = AUDIT_ITEM_BEGUN,
		.begun = a->begun };
	struct audit_item ended = { .kind = AUDIT_ITEM_ENDED,
		.wall_ns = clock_wall_ns(), .mono_ns = clock_mono_ns() };

	audit_item_start(b, a->in_session ? a->begun.uuid : none);
	if (a->in_session && a->session_row == 0 && !a->begun_sent)
		audit_item_put(b, &begun);
	put_kept(a, b);
	if (ev != NULL)
		put_intent(ev, ret_uuid, b);
	if (end)
		audit_item_put(b, &ended);
	return buf_overflow(b) ? err_set(err, ERR_TOO_LONG,
	    "audit: a record of more than %zu bytes", AUDIT_RECORD_MAX) : 0;
}

void
audit_composed(struct audit *a, struct audit_event *ev,
    const unsigned char uuid[UUID_LEN])
{
	if (ev == NULL)
		return;
	ev->id = ++a->last_id;
	uuid_text(uuid, ev->uuid);
	remember(a, ev->id, uuid);
}

/* ---- an intent on its way ------------------------------------------------ */

/* Before anything else is said: whether the last intent was written. */
static int
hear(struct audit *a)
{
	struct audit_way *w = &a->way;

	if (!w->open)
		return w->rc;
	w->open = false;
	w->rc = audit_spool_written(&a->spool, &w->err);
	if (w->rc == 0 || w->rc == AUDIT_TOO_LATE) {
		/* What is late is on its way all the same. */
		audit_forget(a, &w->held);
		audit_queue_clear(&w->held);
		return w->rc;
	}
	audit_queue_back(&a->queue, &w->held);
	if (w->begins)
		a->session_row = 0;
	forget_line(a, w->line);
	w->unwritten = w->line;
	a->unsettled = 0;
	return w->rc;
}

static void
begin_way(struct audit *a, int64_t line)
{
	a->way.open = true;
	a->way.rc = 0;
	a->way.begins = a->session_row == 0;
	a->way.line = line;
	audit_queue_back(&a->way.held, &a->queue);
}

int
audit_settle_brief(struct audit *a, struct err *err)
{
	int rc = hear(a);

	a->way.rc = 0;
	if (rc == 0)
		return audit_spool_settle(&a->spool, err);
	return rc == AUDIT_TOO_LATE ? rc : err_set(err, rc, "%s",
	    a->way.err.text);
}

static int
write_late(struct audit *a, struct audit_event *ev, bool end, struct err *err)
{
	int rc = audit_brief_late(a, &a->said, err);

	buf_done(&a->said);
	if (rc == 0)
		rc = audit_apart_begin(a, ev, end, err);
	return rc == 0 && ev == NULL ? audit_apart_settle(a, err) : rc;
}

int
audit_write_brief(struct audit *a, struct audit_event *ev, bool end,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT_MAX(AUDIT_RECORD_MAX);
	unsigned char uuid[UUID_LEN];
	int rc;

	/* Who settles it is told of anything else. */
	if (hear(a) == AUDIT_TOO_LATE)
		return write_late(a, ev, end, err);
	rc = audit_compose(a, ev, end, &b, uuid, err);
	if (rc == 0)
		rc = audit_spool_open(&a->spool, &a->db, true, err);
	if (rc == 0)
		rc = audit_spool_append(&a->spool, b.data, b.len, ev != NULL &&
		    !ev->later, err);
	if (rc < 0 && rc != AUDIT_TOO_LATE)
		return rc;
	/* What is late is on its way all the same. */
	audit_composed(a, ev, uuid);
	if (rc == AUDIT_ON_ITS_WAY) {
		begin_way(a, ev->id);
	} else {
		audit_forget(a, &a->queue);
		audit_queue_clear(&a->queue);
	}
	if (a->in_session)
		a->session_row = 1;
	a->unsettled = ev != NULL && ev->ran ? ev->id : 0;
	if (rc == AUDIT_TOO_LATE)
		return audit_brief_late(a, &b, err);
	buf_done(&a->said);
	if (ev != NULL) {
		a->said = b;
		b = (struct buf)BUF_INIT;
	}
	return 0;
}

int
audit_brief_late(struct audit *a, const struct buf *record, struct err *err)
{
	AEG_AUTOFREE char *dir = xasprintf("%.*s", (int)(strlen(a->db.path) -
	    strlen("/" AUDIT_FILE)), a->db.path);

	a->brief = false;
	a->db.readonly = true;
	a->begun_sent = a->in_session;
	a->apart = audit_apart_new(dir, a->brief_wait_ns, true);
	/* Who writes to it holds its lock for as long as it lives, not we. */
	io_close(&a->spool.fd);
	return audit_apart_stalled(a, record, a->refuses ? a->unsettled : 0,
	    err);
}
