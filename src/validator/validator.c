/* SPDX-License-Identifier: ISC */
/* Asking: one question, one answer or none, never longer than allowed. */
#include "validator_int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/log.h"
#include "aegsh/base/mem.h"
#include "aegsh/validator_chain.h"
#include "aegsh/wire.h"

#define MS_NS ((int64_t)1000000)
#define TICK_MS 300	/* between two reports of progress */
#define GRACE_MS 200	/* for the helper to say itself that time is up */

struct validator {
	struct val_chain chain;
	struct val_setup asked;		/* the chain, or what was selected */
	int64_t timeout_ms;
	bool preconnect;
	struct val_helper helper;
	struct err why;			/* the helper could not be started */
	bool reread;	/* the last helper left for files that may change:
			 * the next one starts no sooner than it is asked */
	bool failed;			/* the last question */
	uint32_t last_id;
	char who[128];			/* inert: who is asked now */
};

int
validator_new(const struct conf *conf, const char *store,
    const char *profile, struct validator **ret, struct err *err)
{
	AEG_AUTO(buf_done) struct buf probe = BUF_INIT;
	struct validator *v = xcalloc(1, sizeof *v);
	int rc;

	v->chain = (struct val_chain)VAL_CHAIN_INIT;
	v->helper = (struct val_helper)VAL_HELPER_INIT;
	v->timeout_ms = conf_int(conf, CONF_ASK_TIMEOUT);
	v->preconnect = conf_bool(conf, CONF_ASK_PRECONNECT);
	rc = val_chain_load(conf, store, profile, true, &v->chain, err);
	v->asked = v->chain.setup;
	if (rc == 0)
		rc = val_setup_pack(&v->asked, &probe, err);
	if (probe.data != NULL)
		explicit_bzero(probe.data, probe.cap);
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
	val_chain_done(&v->chain);
	free(v);
}

bool
validator_configured(const struct validator *v)
{
	return v->chain.setup.n > 0;
}

enum val_status
validator_health(const struct validator *v)
{
	if (!validator_configured(v))
		return VAL_NOT_CONFIGURED;
	return v->failed ? VAL_FAILED : VAL_ANSWERED;
}

size_t
validator_count(const struct validator *v)
{
	return v->chain.setup.n;
}

void
validator_tell(const struct validator *v, size_t i, const char **ret_name,
    const char **ret_model)
{
	*ret_name = v->chain.setup.endpoints[i].name;
	*ret_model = v->chain.setup.endpoints[i].model;
}

void
validator_select(struct validator *v, size_t i)
{
	val_helper_end(&v->helper);
	v->asked = v->chain.setup;
	v->asked.cache_rows = 0;
	if (i >= v->chain.setup.n)
		return;
	v->asked.endpoints[0] = v->chain.setup.endpoints[i];
	v->asked.n = v->asked.quorum = 1;
}

const struct strv *
validator_taken(const struct validator *v)
{
	return &v->chain.taken;
}

void
validator_forked(struct validator *v)
{
	v->helper = (struct val_helper)VAL_HELPER_INIT;
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
	if (val_helper_start(&v->helper, &v->asked, &v->why) < 0)
		log_debug("validator: %s", v->why.text);
}

static int
send_plain(struct validator *v, uint32_t type, const void *body, size_t len,
    struct err *err)
{
	struct wire_msg m = WIRE_MSG_INIT;

	m.type = type;
	m.id = v->last_id;
	m.body = body;
	m.len = len;
	return wire_send(v->helper.fd, &m, err);
}

void
validator_warm(struct validator *v)
{
	if (!validator_configured(v) || v->reread)
		return;
	start(v);
	if (v->preconnect && v->helper.fd >= 0 &&
	    send_plain(v, VAL_FRAME_WARM, NULL, 0, NULL) < 0)
		val_helper_end(&v->helper);
}

/* A fresh number that nobody who wrote the line could know. */
static int
make_nonce(char *ret, struct err *err)
{
	unsigned char bytes[VAL_NONCE_LEN / 2];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return err_sys(err, errno, "random numbers");
	hex_text(bytes, sizeof bytes, ret);
	return 0;
}

struct asking {
	struct validator *v;
	const struct val_question *q;
	struct val_ask ask;
	int cancel_fd;
	void (*progress)(void *ctx, int64_t waited_ns, const char *who);
	void *ctx;
	int64_t start, end;		/* clock_mono_ns() */
	struct val_verdict *ret;
	bool leaving;			/* the helper asks to be replaced */
	bool sent;			/* somebody is asked: it costs */
};

static int
send_ask(struct asking *a, uint32_t type, struct err *err)
{
	AEG_AUTO(buf_done) struct buf body = BUF_INIT;
	struct validator *v = a->v;
	int rc = val_ask_pack(&a->ask, &body, err);

	if (rc < 0)
		return rc;
	v->last_id++;
	start(v);
	if (v->helper.fd < 0)
		return err_set(err, v->why.code, "%s", v->why.text);
	return send_plain(v, type, body.data, body.len, err);
}

/* Take the question back; the helper drops the request.  A helper that
 * does not even listen is not kept. */
static void
send_cancel(struct validator *v)
{
	if (send_plain(v, VAL_FRAME_CANCEL, NULL, 0, NULL) < 0)
		val_helper_end(&v->helper);
}

enum { GO_ON = 0, ANSWER = 1, MISS = 2 };

/* The next frame: what it means, or an error. */
static int
take_frame(struct asking *a, const struct wire_msg *m, struct err *err)
{
	struct validator *v = a->v;

	if (m->n_fds != 0 || m->id > v->last_id)
		return err_set(err, ERR_PROTOCOL, "not an answer");
	switch (m->type) {
	case VAL_FRAME_ANSWER:
		if (m->id != v->last_id)
			return GO_ON;	/* an old one */
		return val_answer_unpack(m->body, m->len, a->ask.nonce,
		    a->ret, &a->leaving, err) < 0 ? ERR_PROTOCOL : ANSWER;
	case VAL_FRAME_ASKING:
		a->sent = a->sent || m->id == v->last_id;
		if (m->id == v->last_id)
			val_text_keep(v->who, sizeof v->who, m->body, m->len);
		return GO_ON;
	case VAL_FRAME_MISS:
		if (m->len != 0)
			break;
		return m->id == v->last_id ? MISS : GO_ON;
	}
	return err_set(err, ERR_PROTOCOL, "not an answer");
}

/* Wait for it.  -ETIMEDOUT means that time is up for good. */
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
				a->progress(a->ctx, now - a->start,
				    a->v->who);
		}
		until = tick < a->end ? tick : a->end;
		rc = val_helper_recv(&a->v->helper,
		    (int)((until - now) / MS_NS) + 1, a->cancel_fd, &m, err);
		if (rc == -ETIMEDOUT)
			continue;
		if (rc == 0)
			rc = take_frame(a, &m, err);
		if (rc != GO_ON)
			return rc;
	}
}

/* What the end of waiting means for the verdict and for the helper. */
static void
settle(struct asking *a, int rc, const struct err *err)
{
	struct val_verdict *ret = a->ret;
	struct validator *v = a->v;

	v->reread = rc == ANSWER && a->leaving;
	if (rc == ANSWER && !a->leaving)
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
	if (rc == ANSWER)
		return;
	if (rc == -ETIMEDOUT)
		snprintf(ret->reason, sizeof ret->reason,
		    "no answer within %lld ms", (long long)v->timeout_ms);
	else if (rc == -ENODATA || rc == -EPIPE || rc == -ECONNRESET)
		snprintf(ret->reason, sizeof ret->reason,
		    "the helper aegsh-judge ended before it answered");
	else
		val_text_keep(ret->reason, sizeof ret->reason, err->text,
		    strlen(err->text));
}

/* From the cache: ANSWER, MISS, or an error.  Nothing is worked out for it
 * but a digest. */
static int
look_up(struct asking *a, struct err *err)
{
	const struct val_setup *s = &a->v->asked;
	int rc;

	val_question_digest(a->q, a->ask.digest);
	a->ask.cacheable = a->q->settled && s->cache_ttl_s > 0 &&
	    s->cache_rows > 0 && s->store[0] != '\0';
	if (!a->ask.cacheable)
		return MISS;
	a->ask.data = "{}";
	a->ask.len = 2;
	rc = send_ask(a, VAL_FRAME_LOOKUP, err);
	return rc == 0 ? await(a, err) : rc;
}

static int
ask(struct asking *a, struct err *err)
{
	AEG_AUTO(buf_done) struct buf data = BUF_INIT;
	int rc = look_up(a, err);

	if (rc != MISS)
		return rc;
	rc = val_question_data(a->q, a->ask.nonce, &data, err);
	if (rc < 0)
		return rc;
	a->ask.timeout_ms = (uint32_t)a->v->timeout_ms;
	a->ask.data = data.data;
	a->ask.len = data.len;
	rc = send_ask(a, VAL_FRAME_ASK, err);
	return rc == 0 ? await(a, err) : rc;
}

/* A helper that was about to end when it was spoken to, because somebody
 * killed it: nobody was asked, so another one is. */
static bool
was_lost(const struct asking *a, int rc)
{
	return (rc == -ENODATA || rc == -EPIPE || rc == -ECONNRESET) &&
	    !a->sent;
}

void
validator_ask(struct validator *v, const struct val_question *q,
    int cancel_fd, void (*progress)(void *ctx, int64_t waited_ns,
    const char *who), void *ctx, struct val_verdict *ret)
{
	struct asking a = { .v = v, .q = q, .cancel_fd = cancel_fd,
		.progress = progress, .ctx = ctx, .ret = ret };
	struct err err = ERR_INIT;
	const char *model;
	int rc;

	*ret = (struct val_verdict){ .status = VAL_FAILED };
	if (!validator_configured(v)) {
		ret->status = VAL_NOT_CONFIGURED;
		return;
	}
	model = v->asked.endpoints[0].model;
	val_text_keep(ret->model, sizeof ret->model, model, strlen(model));
	v->who[0] = '\0';
	a.start = clock_mono_ns();
	a.end = a.start + (v->timeout_ms + GRACE_MS) * MS_NS;
	rc = make_nonce(a.ask.nonce, &err);
	if (rc == 0)
		rc = ask(&a, &err);
	if (was_lost(&a, rc)) {
		val_helper_end(&v->helper);
		err = (struct err)ERR_INIT;
		rc = ask(&a, &err);
	}
	/* What cannot be sent is no fault of the helper. */
	if (rc == ERR_TOO_LONG)
		val_text_keep(ret->reason, sizeof ret->reason, err.text,
		    strlen(err.text));
	else
		settle(&a, rc, &err);
	if (ret->status != VAL_CANCELLED)
		v->failed = ret->status == VAL_FAILED;
	ret->latency_ns = clock_mono_ns() - a.start;
}
