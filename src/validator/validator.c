/* SPDX-License-Identifier: ISC */
/* Asking: one question, one answer or none, never longer than allowed. */
#include "validator_int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/log.h"
#include "aegsh/base/mem.h"
#include "aegsh/wire.h"

#define MS_NS ((int64_t)1000000)
#define TICK_MS 300	/* between two reports of progress */
#define GRACE_MS 200	/* for the helper to say itself that time is up */

struct validator {
	char *endpoint, *model, *key_file, *ca_file;
	struct val_setup setup;		/* borrows the four */
	int64_t timeout_ms;
	struct val_helper helper;
	struct err why;			/* the helper could not be started */
	bool reread;	/* the last helper left for files that may change:
			 * the next one starts no sooner than it is asked */
	uint32_t last_id;
};

int
validator_new(const struct conf *conf, struct validator **ret,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf probe = BUF_INIT;
	struct validator *v = xcalloc(1, sizeof *v);
	int rc;

	v->endpoint = xstrdup(conf_str(conf, CONF_ENDPOINT));
	v->model = xstrdup(conf_str(conf, CONF_MODEL));
	v->key_file = xstrdup(conf_str(conf, CONF_KEY_FILE));
	v->ca_file = xstrdup(conf_str(conf, CONF_CA_FILE));
	v->setup = (struct val_setup){ .managed = conf_managed(conf),
	    .endpoint = v->endpoint, .model = v->model,
	    .key_file = v->key_file, .ca_file = v->ca_file };
	v->timeout_ms = conf_int(conf, CONF_ASK_TIMEOUT);
	v->helper = (struct val_helper)VAL_HELPER_INIT;
	rc = val_setup_pack(&v->setup, &probe, err);
	if (rc < 0) {
		validator_free(v);
		return rc;
	}
	*ret = v;
	return 0;
}

void
validator_free(struct validator *v)
{
	if (v == NULL)
		return;
	val_helper_end(&v->helper);
	free(v->endpoint);
	free(v->model);
	free(v->key_file);
	free(v->ca_file);
	free(v);
}

bool
validator_configured(const struct validator *v)
{
	return v->endpoint[0] != '\0';
}

pid_t
validator_helper_pid(const struct validator *v)
{
	return v->helper.fd >= 0 ? v->helper.pid : -1;
}

static void
start(struct validator *v)
{
	if (val_helper_alive(&v->helper))
		return;
	v->why = (struct err)ERR_INIT;
	if (val_helper_start(&v->helper, &v->setup, &v->why) < 0)
		log_debug("validator: %s", v->why.text);
}

void
validator_warm(struct validator *v)
{
	if (validator_configured(v) && !v->reread)
		start(v);
}

/* A fresh number that nobody who wrote the line could know. */
static int
make_nonce(char *ret, struct err *err)
{
	unsigned char bytes[VAL_NONCE_LEN / 2];
	size_t i;

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return err_sys(err, errno, "random numbers");
	for (i = 0; i < sizeof bytes; i++)
		snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

struct asking {
	struct validator *v;
	char nonce[VAL_NONCE_LEN + 1];
	int cancel_fd;
	void (*progress)(void *ctx, int64_t waited_ns);
	void *ctx;
	int64_t start, end;		/* clock_mono_ns() */
	struct val_verdict *ret;
	bool leaving;			/* the helper asks to be replaced */
};

static int
pack_ask(struct asking *a, const struct val_question *q, struct buf *ret,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf data = BUF_INIT;
	struct val_ask ask;
	int rc;

	rc = make_nonce(a->nonce, err);
	if (rc == 0)
		rc = val_question_data(q, a->nonce, &data, err);
	if (rc < 0)
		return rc;
	ask.timeout_ms = (uint32_t)a->v->timeout_ms;
	memcpy(ask.nonce, a->nonce, sizeof ask.nonce);
	ask.data = data.data;
	ask.len = data.len;
	return val_ask_pack(&ask, ret, err);
}

static int
send_ask(struct validator *v, const struct buf *body, struct err *err)
{
	struct wire_msg m = WIRE_MSG_INIT;

	m.type = VAL_FRAME_ASK;
	m.id = ++v->last_id;
	m.body = body->data;
	m.len = body->len;
	start(v);
	if (v->helper.fd < 0)
		return err_set(err, v->why.code, "%s", v->why.text);
	return wire_send(v->helper.fd, &m, err);
}

/* Take the question back; the helper drops the request.  A helper that
 * does not even listen is not kept. */
static void
send_cancel(struct validator *v)
{
	struct wire_msg m = WIRE_MSG_INIT;

	m.type = VAL_FRAME_CANCEL;
	m.id = v->last_id;
	if (wire_send(v->helper.fd, &m, NULL) < 0)
		val_helper_end(&v->helper);
}

/* The next frame: 1 when it was the answer, 0 when it was an old one. */
static int
take_answer(struct asking *a, const struct wire_msg *m, struct err *err)
{
	if (m->type != VAL_FRAME_ANSWER || m->n_fds != 0 ||
	    m->id > a->v->last_id)
		return err_set(err, ERR_PROTOCOL, "not an answer");
	if (m->id != a->v->last_id)
		return 0;
	return val_answer_unpack(m->body, m->len, a->nonce, a->ret,
	    &a->leaving, err) < 0 ? ERR_PROTOCOL : 1;
}

/* Wait for the answer.  -ETIMEDOUT means that time is up for good. */
static int
await(struct asking *a, struct err *err)
{
	int64_t now, tick = a->start + TICK_MS * MS_NS, until;
	int rc;

	for (;;) {
		AEG_AUTO(wire_msg_done) struct wire_msg m = WIRE_MSG_INIT;

		now = clock_mono_ns();
		if (now >= a->end)
			return -ETIMEDOUT;
		if (now >= tick) {
			tick = now + TICK_MS * MS_NS;
			if (a->progress != NULL)
				a->progress(a->ctx, now - a->start);
		}
		until = tick < a->end ? tick : a->end;
		rc = val_helper_recv(&a->v->helper,
		    (int)((until - now) / MS_NS) + 1, a->cancel_fd, &m, err);
		if (rc == -ETIMEDOUT)
			continue;
		if (rc == 0)
			rc = take_answer(a, &m, err);
		if (rc != 0)
			return rc;
	}
}

/* What the end of waiting means for the verdict and for the helper. */
static void
settle(struct asking *a, int rc, const struct err *err)
{
	struct val_verdict *ret = a->ret;
	struct validator *v = a->v;

	v->reread = rc == 1 && a->leaving;
	if (rc == 1 && !a->leaving)
		return;
	if (rc == ERR_CANCELLED) {
		ret->status = VAL_CANCELLED;
		send_cancel(v);
		return;
	}
	/* Whatever else happened, this helper is of no more use. */
	if (v->helper.fd >= 0) {
		val_helper_end(&v->helper);
		validator_warm(v);
	}
	if (rc == 1)
		return;
	if (rc == -ETIMEDOUT)
		snprintf(ret->reason, sizeof ret->reason,
		    "no answer within %lld ms", (long long)v->timeout_ms);
	else if (rc == -ENODATA || rc == -EPIPE)
		snprintf(ret->reason, sizeof ret->reason,
		    "the helper aegsh-judge ended before it answered");
	else
		val_text_keep(ret->reason, sizeof ret->reason, err->text,
		    strlen(err->text));
}

void
validator_ask(struct validator *v, const struct val_question *q,
    int cancel_fd, void (*progress)(void *ctx, int64_t waited_ns), void *ctx,
    struct val_verdict *ret)
{
	struct asking a = { .v = v, .cancel_fd = cancel_fd,
		.progress = progress, .ctx = ctx, .ret = ret };
	AEG_AUTO(buf_done) struct buf body = BUF_INIT;
	struct err err = ERR_INIT;
	int rc;

	*ret = (struct val_verdict){ .status = VAL_FAILED };
	if (!validator_configured(v)) {
		ret->status = VAL_NOT_CONFIGURED;
		return;
	}
	val_text_keep(ret->model, sizeof ret->model, v->model,
	    strlen(v->model));
	a.start = clock_mono_ns();
	a.end = a.start + (v->timeout_ms + GRACE_MS) * MS_NS;
	rc = pack_ask(&a, q, &body, &err);
	if (rc < 0) {
		val_text_keep(ret->reason, sizeof ret->reason, err.text,
		    strlen(err.text));
	} else {
		rc = send_ask(v, &body, &err);
		if (rc == 0)
			rc = await(&a, &err);
		settle(&a, rc, &err);
	}
	ret->latency_ns = clock_mono_ns() - a.start;
}
