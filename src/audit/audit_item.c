/* SPDX-License-Identifier: ISC */
/*
 * The items of a spool's record as bytes: numbers of eight bytes, texts as
 * a length and their bytes with a NUL, each in the order of its struct.
 * Reading trusts nothing: the file is its user's.
 */
#include "audit_int.h"

#include <string.h>

#define NO_TEXT UINT32_MAX

/* ---- writing ------------------------------------------------------------ */

static void
put_int(struct buf *b, int64_t n)
{
	buf_put(b, &n, sizeof n);
}

static void
put_bytes(struct buf *b, const char *p, size_t len)
{
	uint32_t n = (uint32_t)len;

	buf_put(b, &n, sizeof n);
	if (len > 0)
		buf_put(b, p, len);
}

static void
put_text(struct buf *b, const char *text)
{
	uint32_t none = NO_TEXT;

	if (text != NULL)
		put_bytes(b, text, strlen(text) + 1);
	else
		buf_put(b, &none, sizeof none);
}

static void
put_begun(struct buf *b, const struct audit_begun *g)
{
	const struct audit_session *s = &g->session;

	buf_put(b, g->uuid, sizeof g->uuid);
	put_text(b, g->boot_id);
	put_int(b, g->wall_ns);
	put_int(b, g->mono_ns);
	put_int(b, s->pid);
	put_int(b, s->uid);
	put_int(b, s->loginuid != (uid_t)-1 ? (int64_t)s->loginuid : -1);
	put_text(b, s->user);
	put_text(b, s->tty);
	put_text(b, s->remote);
	put_text(b, s->origin);
	put_text(b, s->host);
	put_text(b, s->version);
	put_text(b, s->profile);
	put_text(b, s->policy_hash);
}

static void
put_command(struct buf *b, const struct audit_command *c)
{
	const struct audit_event *ev = &c->event;

	buf_put(b, c->uuid, sizeof c->uuid);
	put_int(b, c->wall_ns);
	put_int(b, c->mono_ns);
	put_bytes(b, ev->line, ev->len);
	put_text(b, ev->cwd);
	put_text(b, ev->origin);
	put_text(b, ev->interpreter);
	put_text(b, ev->decision);
	put_text(b, ev->source);
	put_text(b, ev->rule);
	put_text(b, ev->reason);
	put_text(b, ev->model);
	put_text(b, ev->answer);
	put_int(b, ev->confidence);
	put_int(b, ev->latency_ns);
	put_int(b, ev->ran | (int64_t)ev->redacted << 8);
	put_int(b, c->finished);
	put_int(b, c->status);
}

/* What records of earlier versions do not have. */
static void
put_more(struct buf *b, const struct audit_event *ev, int64_t start_ns)
{
	buf_putc(b, (char)AUDIT_ITEM_MORE);
	put_bytes(b, ev->argv, ev->argv != NULL ? ev->argv_len : 0);
	put_text(b, ev->votes);
	put_text(b, ev->answered_by);
	put_int(b, ev->tokens_in);
	put_int(b, ev->tokens_out);
	put_int(b, ev->cost);
	put_int(b, ev->judge_ns);
	put_int(b, start_ns);
}

static void
put_outcome(struct buf *b, const struct audit_item *item)
{
	const struct audit_outcome *o = &item->outcome;

	buf_put(b, item->uuid, sizeof item->uuid);
	put_int(b, o->status);
	put_int(b, o->signal);
	put_int(b, o->duration_ns);
	put_int(b, o->cpu_ns);
	put_int(b, o->maxrss_kib);
	put_text(b, o->note);
}

static void
put_exec(struct buf *b, const struct audit_item *item)
{
	const struct audit_exec *x = &item->exec;

	buf_put(b, item->uuid, sizeof item->uuid);
	put_int(b, x->pid);
	put_int(b, x->ppid);
	put_int(b, x->wall_ns);
	put_int(b, x->mono_ns);
	put_text(b, x->path);
	put_bytes(b, x->argv, x->argv_len);
	put_text(b, x->decision);
}

void
audit_item_start(struct buf *b, const unsigned char *session)
{
	buf_put(b, session, AUDIT_UUID_LEN);
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
		put_text(b, item->name);
		put_text(b, item->text);
		break;
	case AUDIT_ITEM_ENDED:
		break;
	case AUDIT_ITEM_EXEC:
		put_exec(b, item);
		return;
	case AUDIT_ITEM_MORE:
	case AUDIT_ITEM_END:
	case AUDIT_ITEM_BAD:
		return;
	}
	put_int(b, item->wall_ns);
	put_int(b, item->mono_ns);
}

/* ---- reading: p is NULL once something was wrong ------------------------ */

static const char *
get(struct audit_items *r, size_t len)
{
	const char *p = r->p;

	if (p == NULL || len > (size_t)(r->end - p)) {
		r->p = NULL;
		return NULL;
	}
	r->p += len;
	return p;
}

static int64_t
get_int(struct audit_items *r)
{
	const char *p = get(r, sizeof(int64_t));
	int64_t n = 0;

	if (p != NULL)
		memcpy(&n, p, sizeof n);
	return n;
}

static bool
get_flag(struct audit_items *r)
{
	return get_int(r) != 0;
}

static uint32_t
get_len(struct audit_items *r)
{
	const char *p = get(r, sizeof(uint32_t));
	uint32_t n = NO_TEXT;

	if (p != NULL)
		memcpy(&n, p, sizeof n);
	return n;
}

static const char *
get_text(struct audit_items *r)
{
	uint32_t len = get_len(r);
	const char *text;

	if (len == NO_TEXT)
		return NULL;
	text = get(r, len);
	if (text == NULL || len == 0 || text[len - 1] != '\0') {
		r->p = NULL;
		return NULL;
	}
	return text;
}

static void
get_uuid(struct audit_items *r, unsigned char uuid[AUDIT_UUID_LEN])
{
	const char *p = get(r, AUDIT_UUID_LEN);

	if (p != NULL)
		memcpy(uuid, p, AUDIT_UUID_LEN);
}

static void
get_begun(struct audit_items *r, struct audit_begun *g)
{
	struct audit_session *s = &g->session;
	const char *boot;
	int64_t loginuid;

	get_uuid(r, g->uuid);
	boot = get_text(r);
	if (boot != NULL && strlen(boot) < sizeof g->boot_id)
		memcpy(g->boot_id, boot, strlen(boot) + 1);
	g->wall_ns = get_int(r);
	g->mono_ns = get_int(r);
	s->pid = (pid_t)get_int(r);
	s->uid = (uid_t)get_int(r);
	loginuid = get_int(r);
	s->loginuid = loginuid >= 0 ? (uid_t)loginuid : (uid_t)-1;
	s->user = get_text(r);
	s->tty = get_text(r);
	s->remote = get_text(r);
	s->origin = get_text(r);
	s->host = get_text(r);
	s->version = get_text(r);
	s->profile = get_text(r);
	s->policy_hash = get_text(r);
}

static void
get_command(struct audit_items *r, struct audit_command *c)
{
	struct audit_event *ev = &c->event;
	int64_t ran;
	uint32_t len;

	get_uuid(r, c->uuid);
	c->wall_ns = get_int(r);
	c->mono_ns = get_int(r);
	len = get_len(r);
	if (len > AUDIT_LINE_MAX)
		r->p = NULL;
	ev->line = get(r, len);
	ev->len = len;
	ev->cwd = get_text(r);
	ev->origin = get_text(r);
	ev->interpreter = get_text(r);
	ev->decision = get_text(r);
	ev->source = get_text(r);
	ev->rule = get_text(r);
	ev->reason = get_text(r);
	ev->model = get_text(r);
	ev->answer = get_text(r);
	ev->confidence = (int)get_int(r);
	ev->latency_ns = get_int(r);
	ran = get_int(r);
	ev->ran = (ran & 1) != 0;
	ev->redacted = (size_t)(ran >> 8 & UINT32_MAX);
	c->finished = get_flag(r);
	c->status = (int)get_int(r);
}

static void
get_outcome(struct audit_items *r, struct audit_item *ret)
{
	struct audit_outcome *o = &ret->outcome;

	get_uuid(r, ret->uuid);
	o->status = (int)get_int(r);
	o->signal = (int)get_int(r);
	o->duration_ns = get_int(r);
	o->cpu_ns = get_int(r);
	o->maxrss_kib = get_int(r);
	o->note = get_text(r);
}

static void
get_more(struct audit_items *r, struct audit_event *ev, int64_t *ret_start_ns)
{
	ev->argv_len = get_len(r);
	ev->argv = get(r, ev->argv_len);
	if (ev->argv_len == 0)
		ev->argv = NULL;
	ev->votes = get_text(r);
	ev->answered_by = get_text(r);
	ev->tokens_in = get_int(r);
	ev->tokens_out = get_int(r);
	ev->cost = get_int(r);
	ev->judge_ns = get_int(r);
	*ret_start_ns = get_int(r);
}

static void
get_exec(struct audit_items *r, struct audit_item *ret)
{
	struct audit_exec *x = &ret->exec;

	get_uuid(r, ret->uuid);
	x->pid = (pid_t)get_int(r);
	x->ppid = (pid_t)get_int(r);
	x->wall_ns = get_int(r);
	x->mono_ns = get_int(r);
	x->path = get_text(r);
	x->argv_len = get_len(r);
	x->argv = get(r, x->argv_len);
	x->decision = get_text(r);
	if (x->path == NULL)
		r->p = NULL;
}

bool
audit_items_start(struct audit_items *r, const struct buf *record,
    unsigned char ret_session[AUDIT_UUID_LEN])
{
	*r = (struct audit_items){ record->data, record->data + record->len };
	get_uuid(r, ret_session);
	return r->p != NULL;
}

static enum audit_item_kind
get_kind(struct audit_items *r)
{
	const char *kind = get(r, 1);

	if (kind != NULL && *kind > AUDIT_ITEM_END && *kind < AUDIT_ITEM_BAD)
		return (enum audit_item_kind)*kind;
	r->p = NULL;
	return AUDIT_ITEM_BAD;
}

void
audit_items_next(struct audit_items *r, struct audit_item *ret)
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
	else if (ret->kind == AUDIT_ITEM_NOTE) {
		ret->name = get_text(r);
		ret->text = get_text(r);
		if (ret->name == NULL)
			r->p = NULL;
	}
	if (ret->kind == AUDIT_ITEM_OUTCOME || ret->kind == AUDIT_ITEM_NOTE ||
	    ret->kind == AUDIT_ITEM_ENDED) {
		ret->wall_ns = get_int(r);
		ret->mono_ns = get_int(r);
	}
	if (r->p == NULL)
		ret->kind = AUDIT_ITEM_BAD;
}
