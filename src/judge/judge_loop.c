/* SPDX-License-Identifier: ISC */
/* Serving aegsh: one question at a time, until it is gone. */
#include "judge_int.h"

#include <errno.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "aegsh/wire.h"

#define MS_NS ((int64_t)1000000)

/* The question under way. */
struct question {
	bool active;
	uint32_t id;
	char nonce[VAL_NONCE_LEN + 1];
	struct buf system, user;	/* the two texts */
	int64_t end;			/* clock_mono_ns() */
	unsigned level;			/* what is asked of the server now */
};

struct serving {
	struct judge *j;
	struct question q;
};

static int
answer(struct serving *s, struct val_verdict *v, bool leaving,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf body = BUF_INIT;
	struct wire_msg m = WIRE_MSG_INIT;

	if (v->model[0] == '\0')
		val_text_keep(v->model, sizeof v->model, s->j->model,
		    strlen(s->j->model));
	val_answer_pack(v, s->q.nonce, leaving, &body);
	m.type = VAL_FRAME_ANSWER;
	m.id = s->q.id;
	m.body = body.data;
	m.len = body.len;
	s->q.active = false;
	return wire_send(s->j->fd, &m, err);
}

static int
answer_failed(struct serving *s, const struct err *why, bool leaving,
    struct err *err)
{
	struct val_verdict v = { .status = VAL_FAILED };

	val_text_keep(v.reason, sizeof v.reason, why->text,
	    strlen(why->text));
	return answer(s, &v, leaving, err);
}

/* (Again) send the question, at its level. */
static int
post(struct serving *s, struct err *err)
{
	struct judge *j = s->j;
	const struct judge_prompt p = { .model = j->model,
		.system = s->q.system.data, .user = s->q.user.data };
	AEG_AUTO(buf_done) struct buf body = BUF_INIT;
	struct err why = ERR_INIT;
	int64_t left = (s->q.end - clock_mono_ns()) / MS_NS;
	int rc;

	if (left <= 0)
		rc = err_set(&why, -ETIMEDOUT, "%s: no answer in time",
		    j->endpoint.label);
	else
		rc = j->format->request(&p, s->q.level, &body, &why);
	if (rc == 0)
		rc = judge_http_start(j->http, &body, left, &why);
	return rc == 0 ? 0 : answer_failed(s, &why, false, err);
}

/*
 * The two texts.  The data is one line without control characters (the
 * frame's check), so that no byte of it can make the line that ends it,
 * even where somebody guessed the nonce.
 */
static void
make_texts(struct serving *s, const struct val_ask *a)
{
	buf_reset(&s->q.system);
	buf_put(&s->q.system, s->j->prompt.data, s->j->prompt.len);
	buf_putf(&s->q.system,
	    "\nThe nonce of this request is %s.\n", a->nonce);
	buf_reset(&s->q.user);
	buf_putf(&s->q.user, "BEGIN DATA %s\n", a->nonce);
	buf_put(&s->q.user, a->data, a->len);
	buf_putf(&s->q.user, "\nEND DATA %s\n", a->nonce);
}

static int
take_ask(struct serving *s, const struct wire_msg *m, struct err *err)
{
	struct judge *j = s->j;
	struct val_ask a;
	int rc;

	rc = val_ask_unpack(m->body, m->len, &a, err);
	if (rc < 0)
		return rc;
	if (j->http != NULL)
		judge_http_drop(j->http);
	s->q.active = true;
	s->q.id = m->id;
	memcpy(s->q.nonce, a.nonce, sizeof s->q.nonce);
	if (j->broken.code != 0)
		return answer_failed(s, &j->broken, true, err);
	make_texts(s, &a);
	s->q.end = clock_mono_ns() + a.timeout_ms * MS_NS;
	s->q.level = j->level;
	return post(s, err);
}

static int
take_frame(struct serving *s, const struct wire_msg *m, struct err *err)
{
	if (m->n_fds != 0)
		return err_set(err, ERR_PROTOCOL, "descriptors");
	switch (m->type) {
	case VAL_FRAME_ASK:
		return take_ask(s, m, err);
	case VAL_FRAME_CANCEL:
		if (m->len != 0)
			break;
		if (s->q.active && m->id == s->q.id) {
			judge_http_drop(s->j->http);
			s->q.active = false;
		}
		return 0;
	}
	return err_set(err, ERR_PROTOCOL, "a frame that does not belong here");
}

static int
take_reply(struct serving *s, const struct buf *body, struct err *err)
{
	struct judge *j = s->j;
	struct val_verdict v = { .status = VAL_FAILED };
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	char model[sizeof v.model] = "";
	struct err why = ERR_INIT;
	int rc;

	rc = j->format->reply(body->data != NULL ? body->data : "", body->len,
	    &text, model, sizeof model, &why);
	if (rc == 0)
		rc = val_parse_reply(text.data != NULL ? text.data : "",
		    text.len, s->q.nonce, &v, &why);
	if (rc < 0)
		return answer_failed(s, &why, false, err);
	j->level = s->q.level;
	memcpy(v.model, model, sizeof v.model);
	return answer(s, &v, false, err);
}

static int
take_refusal(struct serving *s, long status, const struct buf *body,
    struct err *err)
{
	struct judge *j = s->j;
	unsigned lower = j->format->lower(s->q.level, status,
	    body->data != NULL ? body->data : "", body->len);
	bool key = status == 401 || status == 403;
	struct err why = ERR_INIT;

	if (lower != s->q.level) {
		s->q.level = lower;
		return post(s, err);
	}
	err_set(&why, -EIO, "%s: HTTP %ld%s", j->endpoint.label, status,
	    key ? " (the key is refused)" :
	    status == 404 ? " (no such path or model)" :
	    status == 429 ? " (too many requests)" :
	    status >= 300 && status < 400 ? " (redirects are not followed)" :
	    status >= 500 ? " (the server failed)" : "");
	return answer_failed(s, &why, key, err);
}

static int
take_end(struct serving *s, struct err *err)
{
	const struct buf *body = NULL;
	struct err why = ERR_INIT;
	long status = 0;

	switch (judge_http_result(s->j->http, &status, &body, &why)) {
	case JUDGE_FAILED:
		return answer_failed(s, &why, false, err);
	case JUDGE_LEAVE:
		return answer_failed(s, &why, true, err);
	case JUDGE_REPLIED:
		break;
	}
	return status == 200 ? take_reply(s, body, err) :
	    take_refusal(s, status, body, err);
}

int
judge_loop(struct judge *j, struct err *err)
{
	struct serving s = { .j = j };
	int rc;

	for (;;) {
		AEG_AUTO(wire_msg_done) struct wire_msg m = WIRE_MSG_INIT;

		rc = j->http != NULL ? judge_http_work(j->http, j->fd, err) : 0;
		if (rc == 1)
			rc = take_end(&s, err);
		if (rc < 0)
			break;
		rc = wire_recv(j->fd, j->http != NULL ? 0 : -1, -1, &m, err);
		if (rc == -ETIMEDOUT)
			continue;
		if (rc == 0)
			rc = take_frame(&s, &m, err);
		if (rc < 0)
			break;
	}
	buf_done(&s.q.system);
	buf_done(&s.q.user);
	return rc;
}
