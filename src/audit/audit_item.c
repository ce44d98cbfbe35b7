/* SPDX-License-Identifier: ISC */
/*
 * The items of a spool's record as bytes: numbers of eight bytes, texts as
 * a length and their bytes with a NUL, each in the order of its struct.
 * Reading trusts nothing: the file is its user's.
 */
#include "audit_int.h"

#include <string.h>

/* ---- writing ------------------------------------------------------------ */

static void
put_begun(struct buf *b, const struct audit_begun *g)
{
	const struct audit_session *s = &g->session;

	buf_put(b, g->uuid, sizeof g->uuid);
	pack_text(b, g->boot_id);
	pack_int(b, g->wall_ns);
	pack_int(b, g->mono_ns);
	pack_int(b, s->pid);
	pack_int(b, s->uid);
	pack_int(b, s->loginuid != (uid_t)-1 ? (int64_t)s->loginuid : -1);
	pack_text(b, s->user);
	pack_text(b, s->tty);
	pack_text(b, s->remote);
	pack_text(b, s->origin);
	pack_text(b, s->host);
	pack_text(b, s->version);
	pack_text(b, s->profile);
	pack_text(b, s->policy_hash);
}

static void
put_command(struct buf *b, const struct audit_command *c)
{
	const struct audit_event *ev = &c->event;

	buf_put(b, c->uuid, sizeof c->uuid);
	pack_int(b, c->wall_ns);
	pack_int(b, c->mono_ns);
	pack_bytes(b, ev->line, ev->len);
	pack_text(b, ev->cwd);
	pack_text(b, ev->origin);
	pack_text(b, ev->interpreter);
	pack_text(b, ev->decision);
	pack_text(b, ev->source);
	pack_text(b, ev->rule);
	pack_text(b, ev->reason);
	pack_text(b, ev->model);
	pack_text(b, ev->answer);
	pack_int(b, ev->confidence);
	pack_int(b, ev->latency_ns);
	pack_int(b, ev->ran | (int64_t)ev->redacted << 8);
	pack_int(b, c->finished);
	pack_int(b, c->status);
}

/* What records of earlier versions do not have. */
static void
put_more(struct buf *b, const struct audit_event *ev, int64_t start_ns)
{
	buf_putc(b, (char)AUDIT_ITEM_MORE);
	pack_bytes(b, ev->argv, ev->argv != NULL ? ev->argv_len : 0);
	pack_text(b, ev->votes);
	pack_text(b, ev->answered_by);
	pack_int(b, ev->tokens_in);
	pack_int(b, ev->tokens_out);
	pack_int(b, ev->cost);
	pack_int(b, ev->judge_ns);
	pack_int(b, start_ns);
}

static void
put_outcome(struct buf *b, const struct audit_item *item)
{
	const struct audit_outcome *o = &item->outcome;

	buf_put(b, item->uuid, sizeof item->uuid);
	pack_int(b, o->status);
	pack_int(b, o->signal);
	pack_int(b, o->duration_ns);
	pack_int(b, o->cpu_ns);
	pack_int(b, o->maxrss_kib);
	pack_text(b, o->note);
}

static void
put_exec(struct buf *b, const struct audit_item *item)
{
	const struct audit_exec *x = &item->exec;

	buf_put(b, item->uuid, sizeof item->uuid);
	pack_int(b, x->pid);
	pack_int(b, x->ppid);
	pack_int(b, x->wall_ns);
	pack_int(b, x->mono_ns);
	pack_text(b, x->path);
	pack_bytes(b, x->argv, x->argv_len);
	pack_text(b, x->decision);
}

static void
put_output(struct buf *b, const struct audit_item *item)
{
	const struct audit_output *o = &item->output;

	buf_put(b, item->uuid, sizeof item->uuid);
	pack_int(b, (int64_t)o->stream | (o->cut ? 256 : 0));
	pack_bytes(b, o->head, o->head_len);
	pack_bytes(b, o->tail, o->tail_len);
	pack_int(b, o->bytes);
	pack_int(b, o->kept);
	pack_int(b, o->redacted);
	pack_int(b, o->offset);
	pack_int(b, o->length);
	buf_put(b, o->sha256, sizeof o->sha256);
}

static void
put_file(struct buf *b, const struct audit_item *item)
{
	const struct audit_file *f = &item->file;

	buf_put(b, item->uuid, sizeof item->uuid);
	pack_int(b, (int64_t)f->change | (f->has_old ? 256 : 0) |
	    (f->has_new ? 512 : 0));
	pack_int(b, f->wall_ns);
	pack_int(b, f->mono_ns);
	pack_text(b, f->path);
	buf_put(b, f->old_sha256, sizeof f->old_sha256);
	buf_put(b, f->new_sha256, sizeof f->new_sha256);
}

void
audit_item_start(struct buf *b, const unsigned char *session)
{
	buf_put(b, session, UUID_LEN);
}

void
audit_item_put(struct buf *b, const struct audit_item *item)
{
	if (item->kind == AUDIT_ITEM_COMMAND ||
	    item->kind == AUDIT_ITEM_OUTCOME)
		put_more(b, &item->command.event, item->outcome.start_ns);
	buf_putc(b, (char)item->kind);
	switch (item->kind) {
	case AUDIT_ITEM_BEGUN:
		put_begun(b, &item->begun);
		return;
	case AUDIT_ITEM_COMMAND:
		put_command(b, &item->command);
		return;
	case AUDIT_ITEM_OUTCOME:
		put_outcome(b, item);
		break;
	case AUDIT_ITEM_NOTE:
		pack_text(b, item->name);
		pack_text(b, item->text);
		break;
	case AUDIT_ITEM_ENDED:
		break;
	case AUDIT_ITEM_EXEC:
		put_exec(b, item);
		return;
	case AUDIT_ITEM_OUTPUT:
		put_output(b, item);
		return;
	case AUDIT_ITEM_FILE:
		put_file(b, item);
		return;
	case AUDIT_ITEM_MORE:
	case AUDIT_ITEM_END:
	case AUDIT_ITEM_BAD:
		return;
	}
	pack_int(b, item->wall_ns);
	pack_int(b, item->mono_ns);
}

/* ---- reading: p is NULL once something was wrong ------------------------ */

static bool
get_flag(struct pack_reader *r)
{
	return pack_get_int(r) != 0;
}

static void
get_uuid(struct pack_reader *r, unsigned char uuid[UUID_LEN])
{
	const char *p = pack_get(r, UUID_LEN);

	if (p != NULL)
		memcpy(uuid, p, UUID_LEN);
}

static void
get_begun(struct pack_reader *r, struct audit_begun *g)
{
	struct audit_session *s = &g->session;
	const char *boot;
	int64_t loginuid;

	get_uuid(r, g->uuid);
	boot = pack_get_text(r);
	if (boot != NULL && strlen(boot) < sizeof g->boot_id)
		memcpy(g->boot_id, boot, strlen(boot) + 1);
	g->wall_ns = pack_get_int(r);
	g->mono_ns = pack_get_int(r);
	s->pid = (pid_t)pack_get_int(r);
	s->uid = (uid_t)pack_get_int(r);
	loginuid = pack_get_int(r);
	s->loginuid = loginuid >= 0 ? (uid_t)loginuid : (uid_t)-1;
	s->user = pack_get_text(r);
	s->tty = pack_get_text(r);
	s->remote = pack_get_text(r);
	s->origin = pack_get_text(r);
	s->host = pack_get_text(r);
	s->version = pack_get_text(r);
	s->profile = pack_get_text(r);
	s->policy_hash = pack_get_text(r);
}

static void
get_command(struct pack_reader *r, struct audit_command *c)
{
	struct audit_event *ev = &c->event;
	int64_t ran;
	uint32_t len;

	get_uuid(r, c->uuid);
	c->wall_ns = pack_get_int(r);
	c->mono_ns = pack_get_int(r);
	len = pack_get_len(r);
	if (len > AUDIT_LINE_MAX)
		r->p = NULL;
	ev->line = pack_get(r, len);
	ev->len = len;
	ev->cwd = pack_get_text(r);
	ev->origin = pack_get_text(r);
	ev->interpreter = pack_get_text(r);
	ev->decision = pack_get_text(r);
	ev->source = pack_get_text(r);
	ev->rule = pack_get_text(r);
	ev->reason = pack_get_text(r);
	ev->model = pack_get_text(r);
	ev->answer = pack_get_text(r);
	ev->confidence = (int)pack_get_int(r);
	ev->latency_ns = pack_get_int(r);
	ran = pack_get_int(r);
	ev->ran = (ran & 1) != 0;
	ev->redacted = (size_t)(ran >> 8 & UINT32_MAX);
	c->finished = get_flag(r);
	c->status = (int)pack_get_int(r);
}

static void
get_outcome(struct pack_reader *r, struct audit_item *ret)
{
	struct audit_outcome *o = &ret->outcome;

	get_uuid(r, ret->uuid);
	o->status = (int)pack_get_int(r);
	o->signal = (int)pack_get_int(r);
	o->duration_ns = pack_get_int(r);
	o->cpu_ns = pack_get_int(r);
	o->maxrss_kib = pack_get_int(r);
	o->note = pack_get_text(r);
}

static void
get_more(struct pack_reader *r, struct audit_event *ev, int64_t *ret_start_ns)
{
	ev->argv_len = pack_get_len(r);
	ev->argv = pack_get(r, ev->argv_len);
	if (ev->argv_len == 0)
		ev->argv = NULL;
	ev->votes = pack_get_text(r);
	ev->answered_by = pack_get_text(r);
	ev->tokens_in = pack_get_int(r);
	ev->tokens_out = pack_get_int(r);
	ev->cost = pack_get_int(r);
	ev->judge_ns = pack_get_int(r);
	*ret_start_ns = pack_get_int(r);
}

static void
get_exec(struct pack_reader *r, struct audit_item *ret)
{
	struct audit_exec *x = &ret->exec;

	get_uuid(r, ret->uuid);
	x->pid = (pid_t)pack_get_int(r);
	x->ppid = (pid_t)pack_get_int(r);
	x->wall_ns = pack_get_int(r);
	x->mono_ns = pack_get_int(r);
	x->path = pack_get_text(r);
	x->argv_len = pack_get_len(r);
	x->argv = pack_get(r, x->argv_len);
	x->decision = pack_get_text(r);
	if (x->path == NULL)
		r->p = NULL;
}

static void
get_hash(struct pack_reader *r, unsigned char ret[AUDIT_SHA256_LEN])
{
	const char *hash = pack_get(r, AUDIT_SHA256_LEN);

	if (hash != NULL)
		memcpy(ret, hash, AUDIT_SHA256_LEN);
}

static void
get_file(struct pack_reader *r, struct audit_item *ret)
{
	struct audit_file *f = &ret->file;
	int64_t what;

	get_uuid(r, ret->uuid);
	what = pack_get_int(r);
	f->has_old = (what & 256) != 0;
	f->has_new = (what & 512) != 0;
	what &= 255;
	f->change = what == AUDIT_CHANGE_MADE ? AUDIT_CHANGE_MADE :
	    what == AUDIT_CHANGE_CHANGED ? AUDIT_CHANGE_CHANGED :
	    what == AUDIT_CHANGE_REMOVED ? AUDIT_CHANGE_REMOVED :
	    AUDIT_CHANGE_NONE;
	f->wall_ns = pack_get_int(r);
	f->mono_ns = pack_get_int(r);
	f->path = pack_get_text(r);
	get_hash(r, f->old_sha256);
	get_hash(r, f->new_sha256);
	if (f->path == NULL || f->change == AUDIT_CHANGE_NONE)
		r->p = NULL;
}

static const char *
get_piece(struct pack_reader *r, size_t *ret_len)
{
	uint32_t len = pack_get_len(r);

	if (len > AUDIT_OUTPUT_MAX) {
		r->p = NULL;
		len = 0;
	}
	*ret_len = len;
	return pack_get(r, len);
}

static void
get_output(struct pack_reader *r, struct audit_item *ret)
{
	struct audit_output *o = &ret->output;
	int64_t stream;

	get_uuid(r, ret->uuid);
	stream = pack_get_int(r);
	o->cut = (stream & 256) != 0;
	o->stream = (stream & 255) == AUDIT_STREAM_OUT ? AUDIT_STREAM_OUT :
	    (stream & 255) == AUDIT_STREAM_ERR ? AUDIT_STREAM_ERR :
	    AUDIT_STREAM_NONE;
	o->head = get_piece(r, &o->head_len);
	o->tail = get_piece(r, &o->tail_len);
	o->bytes = pack_get_int(r);
	o->kept = pack_get_int(r);
	o->redacted = pack_get_int(r);
	o->offset = pack_get_int(r);
	o->length = pack_get_int(r);
	get_hash(r, o->sha256);
	if (o->stream == AUDIT_STREAM_NONE)
		r->p = NULL;
}

bool
audit_items_start(struct pack_reader *r, const struct buf *record,
    unsigned char ret_session[UUID_LEN])
{
	*r = (struct pack_reader){ record->data, record->data + record->len };
	get_uuid(r, ret_session);
	return r->p != NULL;
}

static enum audit_item_kind
get_kind(struct pack_reader *r)
{
	const char *kind = pack_get(r, 1);

	if (kind != NULL && *kind > AUDIT_ITEM_END && *kind < AUDIT_ITEM_BAD)
		return (enum audit_item_kind)*kind;
	r->p = NULL;
	return AUDIT_ITEM_BAD;
}

void
audit_items_next(struct pack_reader *r, struct audit_item *ret)
{
	memset(ret, 0, sizeof *ret);
	if (r->p == r->end)
		return;			/* AUDIT_ITEM_END */
	ret->kind = get_kind(r);
	if (ret->kind == AUDIT_ITEM_MORE) {
		get_more(r, &ret->command.event, &ret->outcome.start_ns);
		ret->kind = get_kind(r);
		if (ret->kind != AUDIT_ITEM_COMMAND &&
		    ret->kind != AUDIT_ITEM_OUTCOME)
			r->p = NULL;
	}
	if (ret->kind == AUDIT_ITEM_BEGUN)
		get_begun(r, &ret->begun);
	else if (ret->kind == AUDIT_ITEM_COMMAND)
		get_command(r, &ret->command);
	else if (ret->kind == AUDIT_ITEM_OUTCOME)
		get_outcome(r, ret);
	else if (ret->kind == AUDIT_ITEM_EXEC)
		get_exec(r, ret);
	else if (ret->kind == AUDIT_ITEM_OUTPUT)
		get_output(r, ret);
	else if (ret->kind == AUDIT_ITEM_FILE)
		get_file(r, ret);
	else if (ret->kind == AUDIT_ITEM_NOTE) {
		ret->name = pack_get_text(r);
		ret->text = pack_get_text(r);
		if (ret->name == NULL)
			r->p = NULL;
		else if (audit_expire_is_kind(ret->name))
			ret->name = "event-forged";
	}
	if (ret->kind == AUDIT_ITEM_OUTCOME || ret->kind == AUDIT_ITEM_NOTE ||
	    ret->kind == AUDIT_ITEM_ENDED) {
		ret->wall_ns = pack_get_int(r);
		ret->mono_ns = pack_get_int(r);
	}
	if (r->p == NULL)
		ret->kind = AUDIT_ITEM_BAD;
}
