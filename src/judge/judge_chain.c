/* SPDX-License-Identifier: ISC */
/*
 * Whom to ask, and what their answers come to.
 *
 * As many endpoints as must agree are asked at once, in the order of the
 * chain; one that fails is replaced by the next, or tried again when none is
 * left and that can help.  The strictest answer is taken, and a block needs
 * no second.
 */
#include "judge_int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

#define MS_NS ((int64_t)1000000)
#define SECOND ((int64_t)1000000000)
#define RETRY_NS (250 * MS_NS)		/* doubled from one to the next */

static void
give_up(struct judge *j, struct judge_member *m, const struct err *why,
    bool leave)
{
	m->phase = JUDGE_GAVE_UP;
	m->why = *why;
	m->leave = leave;
	judge_health_bad(j, m);
}

/* (Again) send the question to m, at its level. */
static void
post(struct judge *j, struct judge_member *m)
{
	const struct judge_prompt p = { .model = m->model,
		.system = j->q.system.data, .user = j->q.user.data };
	AEG_AUTO(buf_done) struct buf body = BUF_INIT;
	int64_t left = (j->q.end_ns - clock_mono_ns()) / MS_NS;
	struct err why = ERR_INIT;
	int rc;

	if (m->timeout_ms != 0 && left > m->timeout_ms)
		left = m->timeout_ms;
	if (left <= 0)
		rc = err_set(&why, -ETIMEDOUT, "%s: no answer in time",
		    m->at.label);
	else
		rc = judge_format_request(m->format, &p, m->asked_level,
		    &body, &why);
	if (rc == 0)
		rc = judge_http_start(m->http, &body, left, &why);
	m->phase = JUDGE_ASKING;
	if (rc < 0)
		give_up(j, m, &why, false);
}

static struct judge_member *
next_unasked(struct judge *j)
{
	int64_t now = clock_mono_ns();
	size_t i;

	for (i = 0; i < j->n; i++)
		if (j->members[i].phase == JUDGE_UNASKED &&
		    j->members[i].http != NULL &&
		    judge_health_asks(&j->members[i], now))
			return &j->members[i];
	return NULL;
}

static size_t
count(const struct judge *j, enum judge_phase phase)
{
	size_t i, n = 0;

	for (i = 0; i < j->n; i++)
		n += j->members[i].phase == phase;
	return n;
}

/* The same again helps where nobody was reached or somebody was busy, when
 * nobody else is left to be asked, and when time allows. */
static bool
try_again(struct judge *j, struct judge_member *m, long status)
{
	int64_t pause = RETRY_NS << (m->tries - 1), after;

	if (m->tries >= m->attempts || next_unasked(j) != NULL ||
	    (status != 0 && status != 429 && status < 500) || status == 501)
		return false;
	after = status == 429 || status == 503 ?
	    judge_http_retry_after(m->http) : -1;
	if (status == 429 && after < 0)
		return false;	/* it did not say when */
	if (after > 60)
		return false;
	if (after > 0)
		pause = after * SECOND;
	m->next_ns = clock_mono_ns() + pause;
	if (m->next_ns >= j->q.end_ns)
		return false;
	m->phase = JUDGE_WAITING;
	return true;
}

static void
take_refusal(struct judge *j, struct judge_member *m, long status,
    const struct buf *body)
{
	unsigned lower = judge_format_lower(m->format, m->asked_level, status,
	    body->data != NULL ? body->data : "", body->len);
	bool key = status == 401 || status == 403;
	struct err why = ERR_INIT;

	if (lower != m->asked_level) {
		m->asked_level = lower;
		post(j, m);
		return;
	}
	err_set(&why, -EIO, "%s: HTTP %ld%s", m->at.label, status,
	    key ? " (the key is refused)" :
	    status == 404 ? " (no such path or model)" :
	    status == 429 ? " (too many requests)" :
	    status >= 300 && status < 400 ? " (redirects are not followed)" :
	    status >= 500 ? " (the server failed)" : "");
	if (!try_again(j, m, status))
		give_up(j, m, &why, key);
}

/* What the server counted; prices are for a million tokens. */
static void
take_cost(struct judge *j, const struct judge_member *m,
    const struct judge_reply *r)
{
	j->q.tokens_in += r->tokens_in;
	j->q.tokens_out += r->tokens_out;
	j->q.cost += (r->tokens_in * m->price_in +
	    r->tokens_out * m->price_out + 999999) / 1000000;
}

static void
take_reply(struct judge *j, struct judge_member *m, const struct buf *body)
{
	struct judge_reply r = JUDGE_REPLY_INIT;
	struct val_verdict v = { .status = VAL_FAILED };
	struct err why = ERR_INIT;
	int rc;

	rc = judge_format_reply(m->format, body->data != NULL ? body->data :
	    "", body->len, &r, &why);
	take_cost(j, m, &r);
	if (rc == 0)
		rc = val_parse_reply(r.text.data != NULL ? r.text.data : "",
		    r.text.len, j->q.ask.nonce, &v, &why);
	buf_done(&r.text);
	if (rc < 0) {
		give_up(j, m, &why, false);
		return;
	}
	m->level = m->asked_level;
	m->verdict = v;
	if (r.model[0] != '\0')
		memcpy(m->verdict.model, r.model, sizeof r.model);
	else
		val_text_keep(m->verdict.model, sizeof m->verdict.model,
		    m->model, strlen(m->model));
	memcpy(m->verdict.endpoint, m->name,
	    strnlen(m->name, sizeof m->verdict.endpoint - 1));
	m->phase = JUDGE_ANSWERED;
	judge_health_good(j, m);
}

static void
take_end(struct judge *j, struct judge_member *m)
{
	const struct buf *body = NULL;
	struct err why = ERR_INIT;
	long status = 0;

	switch (judge_http_result(m->http, &status, &body, &why)) {
	case JUDGE_FAILED:
		/* A certificate is no better the next time, and who was
		 * silent for all of its time will be. */
		if (why.code == ERR_TRUST || why.code == -ETIMEDOUT ||
		    why.code == ERR_TOO_LONG || !try_again(j, m, 0))
			give_up(j, m, &why, false);
		break;
	case JUDGE_LEAVE:
		give_up(j, m, &why, true);
		break;
	case JUDGE_REPLIED:
		if (status == 200)
			take_reply(j, m, body);
		else
			take_refusal(j, m, status, body);
		break;
	}
}

static bool
stricter(const struct val_verdict *a, const struct val_verdict *b)
{
	if (a->action != b->action)
		return a->action < b->action;
	return a->confidence < b->confidence;
}

static const struct judge_member *
strictest(const struct judge *j)
{
	const struct judge_member *best = NULL;
	size_t i;

	for (i = 0; i < j->n; i++)
		if (j->members[i].phase == JUDGE_ANSWERED && (best == NULL ||
		    stricter(&j->members[i].verdict, &best->verdict)))
			best = &j->members[i];
	return best;
}

/* Why there are not enough answers: the last that failed tells the most,
 * after those that were not even asked. */
static void
tell_failure(const struct judge *j, struct val_verdict *ret,
    bool *ret_leaving)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	int64_t now = clock_mono_ns();
	size_t i, answered = count(j, JUDGE_ANSWERED);

	*ret_leaving = false;
	if (answered > 0)
		buf_putf(&text, "only %zu of %u answered; ", answered,
		    j->quorum);
	for (i = 0; i < j->n; i++) {
		const struct judge_member *m = &j->members[i];

		if (m->phase == JUDGE_ANSWERED)
			continue;
		if (text.len > 0 && text.data[text.len - 1] != ' ')
			buf_puts(&text, "; ");
		if (m->http == NULL)
			buf_puts(&text, m->broken.text);
		else if (m->phase == JUDGE_GAVE_UP)
			buf_puts(&text, m->why.text);
		else
			buf_putf(&text, "%s: failed %u times, is asked again "
			    "in %lld s", m->at.label, m->failures, (long long)
			    ((m->open_until_ns - now) / SECOND + 1));
		*ret_leaving = *ret_leaving || m->http == NULL || m->leave;
	}
	*ret = (struct val_verdict){ .status = VAL_FAILED };
	val_text_keep(ret->reason, sizeof ret->reason, text.data, text.len);
}

/* There is an answer, but somebody refused a key or showed a certificate that
 * may be right by now.  Only where the breaker outlives this helper: else a
 * new one would ask the same endpoint again at once. */
static bool
wants_files_again(const struct judge *j)
{
	size_t i;

	for (i = 0; i < j->n; i++)
		if (j->members[i].phase == JUDGE_GAVE_UP &&
		    j->members[i].leave)
			return j->state_fd >= 0;
	return false;
}

/* 1 when the question is over. */
static int
settle(struct judge *j, struct val_verdict *ret, bool *ret_leaving)
{
	const struct judge_member *best;
	struct judge_member *next;

	for (;;) {
		best = strictest(j);
		if (best != NULL && (best->verdict.action == VAL_BLOCK ||
		    count(j, JUDGE_ANSWERED) >= j->quorum))
			break;
		if (count(j, JUDGE_ANSWERED) + count(j, JUDGE_ASKING) +
		    count(j, JUDGE_WAITING) >= j->quorum)
			return 0;
		next = next_unasked(j);
		if (next == NULL && count(j, JUDGE_ASKING) +
		    count(j, JUDGE_WAITING) > 0)
			return 0;
		if (next == NULL) {
			best = NULL;
			break;
		}
		next->tries = 1;
		next->asked_level = next->level;
		post(j, next);
	}
	*ret_leaving = best != NULL && wants_files_again(j);
	if (best != NULL)
		*ret = best->verdict;
	else
		tell_failure(j, ret, ret_leaving);
	ret->tokens_in = j->q.tokens_in;
	ret->tokens_out = j->q.tokens_out;
	ret->cost = j->q.cost;
	judge_chain_drop(j);
	return 1;
}

void
judge_chain_drop(struct judge *j)
{
	size_t i;

	for (i = 0; i < j->n; i++) {
		if (j->members[i].http != NULL)
			judge_http_drop(j->members[i].http);
		j->members[i].phase = JUDGE_UNASKED;
	}
}

int
judge_chain_begin(struct judge *j, struct val_verdict *ret,
    bool *ret_leaving)
{
	judge_chain_drop(j);
	j->q.tokens_in = j->q.tokens_out = j->q.cost = 0;
	return settle(j, ret, ret_leaving);
}

int
judge_chain_step(struct judge *j, struct judge_http *ended,
    struct val_verdict *ret, bool *ret_leaving)
{
	int64_t now = clock_mono_ns();
	size_t i;

	for (i = 0; i < j->n; i++) {
		struct judge_member *m = &j->members[i];

		if (m->phase == JUDGE_ASKING && m->http == ended) {
			take_end(j, m);
		} else if (m->phase == JUDGE_WAITING && now >= m->next_ns) {
			m->tries++;
			post(j, m);
		}
	}
	return settle(j, ret, ret_leaving);
}

int
judge_chain_wait_ms(const struct judge *j)
{
	int64_t now = clock_mono_ns(), first = INT64_MAX;
	size_t i;

	for (i = 0; i < j->n; i++)
		if (j->members[i].phase == JUDGE_WAITING &&
		    j->members[i].next_ns < first)
			first = j->members[i].next_ns;
	if (first == INT64_MAX)
		return -1;
	return first <= now ? 0 : (int)((first - now) / MS_NS) + 1;
}

const char *
judge_chain_label(const struct judge *j)
{
	size_t i;

	for (i = 0; i < j->n; i++)
		if (j->members[i].phase == JUDGE_ASKING ||
		    j->members[i].phase == JUDGE_WAITING)
			return j->members[i].at.label;
	return "";
}

void
judge_chain_warm(struct judge *j)
{
	int64_t now = clock_mono_ns();
	size_t i, n = 0;

	for (i = 0; i < j->n && n < j->quorum; i++)
		if (j->members[i].http != NULL &&
		    judge_health_asks(&j->members[i], now)) {
			judge_http_warm(j->members[i].http);
			n++;
		}
}
