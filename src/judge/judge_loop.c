/* SPDX-License-Identifier: ISC */
/* Frames in, frames out: one question at a time, from the cache or to the
 * chain, as long as the budget lasts. */
#include "judge_int.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "aegsh/wire.h"

#define MS_NS ((int64_t)1000000)

static int
send_frame(struct judge *j, uint32_t type, uint32_t id, const void *body,
    size_t len, struct err *err)
{
	struct wire_msg m = WIRE_MSG_INIT;

	m.type = type;
	m.id = id;
	m.body = body;
	m.len = len;
	return wire_send(j->fd, &m, err);
}

static int
answer(struct judge *j, struct val_verdict *v, bool leaving, struct err *err)
{
	AEG_AUTO(buf_done) struct buf body = BUF_INIT;

	if (v->model[0] == '\0' && j->n > 0)
		val_text_keep(v->model, sizeof v->model,
		    j->members[0].model, strlen(j->members[0].model));
	v->forged = j->forged;
	j->forged = false;
	val_answer_pack(v, j->q.ask.nonce, leaving, &body);
	j->q.active = false;
	return send_frame(j, VAL_FRAME_ANSWER, j->q.id, body.data, body.len,
	    err);
}

static int
answer_failed(struct judge *j, const struct err *why, bool leaving,
    struct err *err)
{
	struct val_verdict v = { .status = VAL_FAILED };

	val_text_keep(v.reason, sizeof v.reason, why->text,
	    strlen(why->text));
	return answer(j, &v, leaving, err);
}

/* The question as the shell has it, and what this helper adds. */
static void
cache_key(const struct judge *j, unsigned char ret[VAL_DIGEST_LEN])
{
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, VAL_DIGEST_LEN, j->q.ask.digest);
	sha256_update(&ctx, VAL_DIGEST_LEN, j->chain_digest);
	sha256_digest(&ctx, VAL_DIGEST_LEN, ret);
}

/* The chain has an end: spend, remember, answer. */
static int
finish(struct judge *j, struct val_verdict *v, bool leaving, struct err *err)
{
	unsigned char key[VAL_DIGEST_LEN];
	int64_t now = clock_wall_ns();

	if (j->state_fd >= 0)
		val_state_spent(j->state_fd, now, v);
	if (j->host_fd >= 0)
		val_state_spent(j->host_fd, now, v);
	if (j->cache_fd >= 0 && j->q.ask.cacheable &&
	    v->status == VAL_ANSWERED && v->action == VAL_ALLOW) {
		cache_key(j, key);
		val_cache_put(j->cache_fd, j->secret, key, now, v);
	}
	return answer(j, v, leaving, err);
}

/*
 * The two texts.  The data is one line without control characters (the
 * frame's check), so that no byte of it can make the line that ends it,
 * even where somebody guessed the nonce.
 */
static void
make_texts(struct judge *j, const struct val_ask *a)
{
	buf_reset(&j->q.system);
	buf_put(&j->q.system, j->prompt.data, j->prompt.len);
	buf_putf(&j->q.system,
	    "\nThe nonce of this request is %s.\n", a->nonce);
	buf_reset(&j->q.user);
	buf_putf(&j->q.user, "BEGIN DATA %s\n", a->nonce);
	buf_put(&j->q.user, a->data, a->len);
	buf_putf(&j->q.user, "\nEND DATA %s\n", a->nonce);
}

static int
take_budget(struct judge *j, struct err *err)
{
	int64_t now = clock_wall_ns();
	int rc = 0;

	if (j->no_budget.code != 0)
		return err_set(err, j->no_budget.code,
		    "the budget cannot be kept: %s", j->no_budget.text);
	if (j->state_fd >= 0)
		rc = val_state_take(j->state_fd, now, j->rate, j->day_cost,
		    err);
	if (rc == 0 && j->host_fd >= 0) {
		rc = val_state_take(j->host_fd, now, j->host_rate,
		    j->host_day_cost, err);
		if (rc < 0)
			err_context(err, "all users of this host");
	}
	return rc;
}

static void
begin_question(struct judge *j, uint32_t id, const struct val_ask *a)
{
	judge_chain_drop(j);
	j->q.active = true;
	j->q.id = id;
	j->q.ask = *a;
	j->q.ask.data = NULL;
}

static int
take_lookup(struct judge *j, const struct wire_msg *m, struct err *err)
{
	struct val_verdict v = { .status = VAL_FAILED };
	unsigned char key[VAL_DIGEST_LEN];
	bool forged = false;
	struct val_ask a;
	int rc;

	rc = val_ask_unpack(m->body, m->len, &a, err);
	if (rc < 0)
		return rc;
	begin_question(j, m->id, &a);
	if (j->cache_fd < 0 || j->broken.code != 0) {
		j->q.active = false;
		return send_frame(j, VAL_FRAME_MISS, m->id, NULL, 0, err);
	}
	cache_key(j, key);
	rc = val_cache_get(j->cache_fd, j->secret, key, clock_wall_ns(),
	    j->cache_ttl_s, &v, &forged);
	j->forged = j->forged || forged;
	if (rc == 1)
		return answer(j, &v, false, err);
	j->q.active = false;
	return send_frame(j, VAL_FRAME_MISS, m->id, NULL, 0, err);
}

static int
take_ask(struct judge *j, const struct wire_msg *m, struct err *err)
{
	struct val_verdict v;
	struct err why = ERR_INIT;
	bool leaving = false;
	struct val_ask a;
	const char *label;
	int rc;

	rc = val_ask_unpack(m->body, m->len, &a, err);
	if (rc < 0)
		return rc;
	begin_question(j, m->id, &a);
	if (j->broken.code != 0)
		return answer_failed(j, &j->broken, true, err);
	if (take_budget(j, &why) < 0)
		return answer_failed(j, &why, false, err);
	make_texts(j, &a);
	j->q.end_ns = clock_mono_ns() + a.timeout_ms * MS_NS;
	if (judge_chain_begin(j, &v, &leaving) == 1)
		return finish(j, &v, leaving, err);
	label = judge_chain_label(j);
	return send_frame(j, VAL_FRAME_ASKING, m->id, label, strlen(label),
	    err);
}

static int
take_frame(struct judge *j, const struct wire_msg *m, struct err *err)
{
	if (m->n_fds != 0)
		return err_set(err, ERR_PROTOCOL, "descriptors");
	switch (m->type) {
	case VAL_FRAME_ASK:
		return take_ask(j, m, err);
	case VAL_FRAME_LOOKUP:
		return take_lookup(j, m, err);
	case VAL_FRAME_CANCEL:
		if (m->len != 0)
			break;
		if (j->q.active && m->id == j->q.id) {
			judge_chain_drop(j);
			j->q.active = false;
		}
		return 0;
	case VAL_FRAME_WARM:
		if (m->len != 0)
			break;
		if (j->broken.code == 0 && !j->q.active)
			judge_chain_warm(j);
		return 0;
	}
	return err_set(err, ERR_PROTOCOL, "a frame that does not belong here");
}

/* The network, and the clock. */
static int
step(struct judge *j, struct err *err)
{
	struct judge_http *ended = NULL;
	AEG_AUTOFREE char *before = xstrdup(judge_chain_label(j));
	struct val_verdict v;
	bool leaving = false;
	const char *label;
	int rc;

	rc = judge_net_work(j->net, j->fd, judge_chain_wait_ms(j), &ended,
	    err);
	if (rc < 0 || !j->q.active ||
	    (ended == NULL && judge_chain_wait_ms(j) != 0))
		return rc;
	if (judge_chain_step(j, ended, &v, &leaving) == 1)
		return finish(j, &v, leaving, err);
	label = judge_chain_label(j);
	return strcmp(label, before) == 0 ? 0 : send_frame(j,
	    VAL_FRAME_ASKING, j->q.id, label, strlen(label), err);
}

int
judge_loop(struct judge *j, struct err *err)
{
	int rc;

	for (;;) {
		AEG_AUTO(wire_msg_done) struct wire_msg m = WIRE_MSG_INIT;

		rc = j->net != NULL ? step(j, err) : 0;
		if (rc < 0)
			return rc;
		rc = wire_recv(j->fd, j->net != NULL ? 0 : -1, -1, &m, err);
		if (rc == -ETIMEDOUT)
			continue;
		if (rc == 0)
			rc = take_frame(j, &m, err);
		if (rc < 0)
			return rc;
	}
}
