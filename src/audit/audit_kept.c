/* SPDX-License-Identifier: ISC */
/*
 * Records held back until the next transaction, copied, in order.
 *
 * They are bounded: a store that takes nothing must not eat the shell's
 * memory.  What does not fit is counted, and the count becomes an event as
 * soon as the store takes something again.
 */
#include "audit_int.h"

#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

void
audit_queue_init(struct audit_queue *q)
{
	*q = (struct audit_queue){ .last = &q->first };
}

void
audit_queue_clear(struct audit_queue *q)
{
	struct audit_kept *k, *next;

	for (k = q->first; k != NULL; k = next) {
		next = k->next;
		free(k);
	}
	audit_queue_init(q);
}

void
audit_queue_back(struct audit_queue *q, struct audit_queue *from)
{
	if (from->first != NULL) {
		*from->last = q->first;
		if (q->first == NULL)
			q->last = from->last;
		q->first = from->first;
	}
	q->n += from->n;
	q->bytes += from->bytes;
	q->lost += from->lost;
	audit_queue_init(from);
}

/* The record and its strings are one allocation. */
static size_t
size_of(const char *text)
{
	return text != NULL ? strlen(text) + 1 : 0;
}

static const char *
copy(char **to, const char *text)
{
	char *start = *to;

	if (text == NULL)
		return NULL;
	*to = stpcpy(start, text) + 1;
	return start;
}

static struct audit_kept *
add(struct audit_queue *q, enum audit_kept_kind kind, size_t extra)
{
	size_t bytes = sizeof(struct audit_kept) + extra;
	struct audit_kept *k;

	if (q->n >= AUDIT_KEPT_MAX || q->bytes > AUDIT_KEPT_BYTES ||
	    bytes > AUDIT_KEPT_BYTES - q->bytes) {
		q->lost++;
		return NULL;
	}
	k = xcalloc(1, bytes);
	k->kind = kind;
	k->bytes = bytes;
	k->wall_ns = clock_wall_ns();
	k->mono_ns = clock_mono_ns();
	*q->last = k;
	q->last = &k->next;
	q->n++;
	q->bytes += bytes;
	return k;
}

void
audit_queue_outcome(struct audit_queue *q, int64_t id,
    const struct audit_outcome *o)
{
	struct audit_kept *k = add(q, AUDIT_KEPT_OUTCOME, size_of(o->note));
	char *to;

	if (k == NULL)
		return;
	to = (char *)(k + 1);
	k->id = id;
	k->outcome = *o;
	k->outcome.note = copy(&to, o->note);
}

void
audit_queue_builtin(struct audit_queue *q, const struct audit_event *ev,
    int status)
{
	const char *from[] = { ev->cwd, ev->origin, ev->decision, ev->source,
		ev->rule, ev->reason, ev->model, ev->answer,
		ev->interpreter, ev->votes, ev->answered_by };
	const char **into[AEG_NELEM(from)];
	size_t extra = ev->len + 1, i;
	struct audit_kept *k;
	char *to;

	if (ev->len > AUDIT_LINE_MAX) {
		q->lost++;
		return;
	}
	for (i = 0; i < AEG_NELEM(from); i++)
		extra += size_of(from[i]);
	k = add(q, AUDIT_KEPT_BUILTIN, extra);
	if (k == NULL)
		return;
	k->outcome.status = status;
	k->event = *ev;
	k->event.argv = NULL;	/* only what starts a process has them */
	into[0] = &k->event.cwd;
	into[1] = &k->event.origin;
	into[2] = &k->event.decision;
	into[3] = &k->event.source;
	into[4] = &k->event.rule;
	into[5] = &k->event.reason;
	into[6] = &k->event.model;
	into[7] = &k->event.answer;
	into[8] = &k->event.interpreter;
	into[9] = &k->event.votes;
	into[10] = &k->event.answered_by;
	to = (char *)(k + 1);
	for (i = 0; i < AEG_NELEM(from); i++)
		*into[i] = copy(&to, from[i]);
	k->event.line = to;
	if (ev->len > 0)
		memcpy(to, ev->line, ev->len);
}

void
audit_queue_exec(struct audit_queue *q, int64_t id,
    const struct audit_exec *x)
{
	struct audit_kept *k = add(q, AUDIT_KEPT_EXEC, size_of(x->path) +
	    size_of(x->decision) + x->argv_len);
	char *to;

	if (k == NULL)
		return;
	to = (char *)(k + 1);
	k->id = id;
	k->exec = *x;
	k->exec.path = copy(&to, x->path);
	k->exec.decision = copy(&to, x->decision);
	k->exec.argv = to;
	if (x->argv_len > 0)
		memcpy(to, x->argv, x->argv_len);
}

void
audit_queue_file(struct audit_queue *q, int64_t id,
    const unsigned char uuid[UUID_LEN], const struct audit_file *f)
{
	struct audit_kept *k = add(q, AUDIT_KEPT_FILE, size_of(f->path));
	char *to;

	if (k == NULL)
		return;
	to = (char *)(k + 1);
	k->id = id;
	memcpy(k->uuid, uuid, sizeof k->uuid);
	k->file = *f;
	k->file.path = copy(&to, f->path);
}

void
audit_queue_output(struct audit_queue *q, int64_t id,
    const struct audit_output *o)
{
	struct audit_kept *k;
	char *to;

	if (o->head_len > AUDIT_OUTPUT_MAX || o->tail_len > AUDIT_OUTPUT_MAX) {
		q->lost++;
		return;
	}
	k = add(q, AUDIT_KEPT_OUTPUT, o->head_len + o->tail_len + 1);
	if (k == NULL)
		return;
	to = (char *)(k + 1);
	k->id = id;
	k->output = *o;
	k->output.head = to;
	k->output.tail = to + o->head_len;
	if (o->head_len > 0)
		memcpy(to, o->head, o->head_len);
	if (o->tail_len > 0)
		memcpy(to + o->head_len, o->tail, o->tail_len);
}

void
audit_queue_note(struct audit_queue *q, const char *kind, const char *text)
{
	struct audit_kept *k = add(q, AUDIT_KEPT_NOTE,
	    size_of(kind) + size_of(text));
	char *to;

	if (k == NULL)
		return;
	to = (char *)(k + 1);
	k->name = copy(&to, kind);
	k->text = copy(&to, text);
}
