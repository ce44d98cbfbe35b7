/* SPDX-License-Identifier: ISC */
/* The frames between aegsh and aegsh-judge, packed and checked. */
#include "aegsh/validator_frame.h"

#include <limits.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

enum { SETUP_MANAGED = 1 };
enum { ASK_CACHEABLE = 1 };
enum { ANSWER_CACHED = 1, ANSWER_FORGED = 2 };

struct setup_head {
	uint32_t flags, n, quorum, cache_ttl_s, cache_rows, rate, host_rate,
	    pad;
	uint64_t day_cost, host_day_cost;
};

struct endpoint_head {
	uint32_t timeout_ms, attempts;
	uint64_t price_in, price_out;
};

struct ask_head {
	uint32_t timeout_ms, flags;
	char nonce[VAL_NONCE_LEN + 4];	/* and NULs */
	unsigned char digest[VAL_DIGEST_LEN];
};

struct answer {
	uint32_t status, action, confidence, leaving;
	char nonce[VAL_NONCE_LEN + 4];
	char reason[VAL_REASON_MAX];
	char alternative[VAL_REASON_MAX];
	char category[64];
	char model[128];
	char endpoint[VAL_NAME_MAX];
	uint32_t flags;
	uint64_t tokens_in, tokens_out, cost;
};

_Static_assert(sizeof(struct setup_head) == 48 &&
    sizeof(struct endpoint_head) == 24, "no padding in a frame");
_Static_assert(sizeof(struct ask_head) == 8 + VAL_NONCE_LEN + 4 +
    VAL_DIGEST_LEN, "no padding in a frame");
_Static_assert(sizeof(struct answer) ==
    16 + VAL_NONCE_LEN + 4 + 2 * VAL_REASON_MAX + 64 + 128 + VAL_NAME_MAX +
    4 + 24, "no padding in a frame");

static bool
nonce_good(const char *nonce, size_t size)
{
	size_t i;

	for (i = 0; i < VAL_NONCE_LEN; i++) {
		char c = nonce[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			return false;
	}
	for (; i < size; i++)
		if (nonce[i] != '\0')
			return false;
	return true;
}

/* The texts of an endpoint, in their order, with what each may hold. */
static const struct {
	const char *name;
	size_t offset, max;
} texts[] = {
	{ "name", offsetof(struct val_endpoint, name), VAL_NAME_MAX },
	{ "format", offsetof(struct val_endpoint, format), 32 },
	{ "endpoint", offsetof(struct val_endpoint, url), VAL_ENDPOINT_MAX },
	{ "model", offsetof(struct val_endpoint, model),
	    sizeof(((struct val_verdict *)0)->model) },
	{ "key-file", offsetof(struct val_endpoint, key_file), PATH_MAX },
	{ "key", offsetof(struct val_endpoint, key), VAL_KEY_MAX },
	{ "ca-file", offsetof(struct val_endpoint, ca_file), PATH_MAX },
	{ "proxy", offsetof(struct val_endpoint, proxy), VAL_ENDPOINT_MAX },
};

static const char **
text_of(const struct val_endpoint *e, size_t i)
{
	return (const char **)((uintptr_t)e + texts[i].offset);
}

static int
pack_endpoint(const struct val_endpoint *e, struct buf *ret, struct err *err)
{
	const struct endpoint_head head = { e->timeout_ms, e->attempts,
		e->price_in, e->price_out };
	size_t i, n;

	buf_put(ret, &head, sizeof head);
	for (i = 0; i < AEG_NELEM(texts); i++) {
		n = strlen(*text_of(e, i));
		if (n >= texts[i].max)
			return err_set(err, ERR_TOO_LONG,
			    "%s: longer than %zu bytes", texts[i].name,
			    texts[i].max - 1);
		buf_put(ret, *text_of(e, i), n + 1);
	}
	return 0;
}

int
val_setup_pack(const struct val_setup *s, struct buf *ret, struct err *err)
{
	const struct setup_head head = {
		.flags = s->managed ? SETUP_MANAGED : 0,
		.n = (uint32_t)s->n, .quorum = s->quorum,
		.cache_ttl_s = s->cache_ttl_s, .cache_rows = s->cache_rows,
		.rate = s->rate, .host_rate = s->host_rate,
		.day_cost = s->day_cost, .host_day_cost = s->host_day_cost,
	};
	size_t i;
	int rc = 0;

	if (strlen(s->store) >= PATH_MAX)
		return err_set(err, ERR_TOO_LONG, "store: path too long");
	if (strlen(s->profile) >= VAL_PROFILE_MAX)
		return err_set(err, ERR_TOO_LONG, "profile: name too long");
	buf_put(ret, &head, sizeof head);
	buf_put(ret, s->store, strlen(s->store) + 1);
	buf_put(ret, s->profile, strlen(s->profile) + 1);
	for (i = 0; rc == 0 && i < s->n; i++)
		rc = pack_endpoint(&s->endpoints[i], ret, err);
	return rc;
}

/* The next text of a frame, or NULL where it does not end in time. */
static const char *
take_text(const char **p, const char *end, size_t max)
{
	const char *text = *p, *nul = memchr(text, '\0', (size_t)(end - text));

	if (nul == NULL || (size_t)(nul - text) >= max)
		return NULL;
	*p = nul + 1;
	return text;
}

static int
unpack_endpoint(const char **p, const char *end, struct val_endpoint *ret,
    struct err *err)
{
	struct endpoint_head head;
	size_t i;

	if ((size_t)(end - *p) < sizeof head)
		return err_set(err, ERR_PROTOCOL, "set-up: too short");
	memcpy(&head, *p, sizeof head);
	*p += sizeof head;
	ret->timeout_ms = head.timeout_ms;
	ret->attempts = head.attempts;
	ret->price_in = head.price_in;
	ret->price_out = head.price_out;
	for (i = 0; i < AEG_NELEM(texts); i++) {
		*text_of(ret, i) = take_text(p, end, texts[i].max);
		if (*text_of(ret, i) == NULL)
			return err_set(err, ERR_PROTOCOL,
			    "set-up: %s does not end", texts[i].name);
	}
	return 0;
}

int
val_setup_unpack(const void *body, size_t len, struct val_setup *ret,
    struct err *err)
{
	struct val_setup s = { .managed = true };
	const char *p = body, *end = p + len;
	struct setup_head head;
	size_t i;
	int rc = 0;

	if (len < sizeof head)
		return err_set(err, ERR_PROTOCOL, "set-up: too short");
	memcpy(&head, p, sizeof head);
	p += sizeof head;
	if ((head.flags & ~(uint32_t)SETUP_MANAGED) != 0 || head.pad != 0)
		return err_set(err, ERR_PROTOCOL, "set-up: unknown flags");
	if (head.n == 0 || head.n > VAL_CHAIN_MAX || head.quorum == 0 ||
	    head.quorum > head.n)
		return err_set(err, ERR_PROTOCOL, "set-up: not a chain");
	s.managed = (head.flags & SETUP_MANAGED) != 0;
	s.n = head.n;
	s.quorum = head.quorum;
	s.cache_ttl_s = head.cache_ttl_s;
	s.cache_rows = head.cache_rows;
	s.rate = head.rate;
	s.host_rate = head.host_rate;
	s.day_cost = head.day_cost;
	s.host_day_cost = head.host_day_cost;
	s.store = take_text(&p, end, PATH_MAX);
	s.profile = s.store != NULL ?
	    take_text(&p, end, VAL_PROFILE_MAX) : NULL;
	if (s.profile == NULL)
		return err_set(err, ERR_PROTOCOL,
		    "set-up: store or profile does not end");
	for (i = 0; rc == 0 && i < s.n; i++)
		rc = unpack_endpoint(&p, end, &s.endpoints[i], err);
	if (rc == 0 && p != end)
		rc = err_set(err, ERR_PROTOCOL, "set-up: too long");
	if (rc == 0)
		*ret = s;
	return rc;
}

/* A data message is one line of printable bytes: nothing in it can look
 * like the line that ends it. */
static bool
data_good(const char *data, size_t len)
{
	size_t i;

	if (len < 2 || len > VAL_DATA_MAX || data[0] != '{' ||
	    data[len - 1] != '}')
		return false;
	for (i = 0; i < len; i++)
		if ((unsigned char)data[i] < 0x20 || data[i] == 0x7f)
			return false;
	return true;
}

int
val_ask_pack(const struct val_ask *a, struct buf *ret, struct err *err)
{
	struct ask_head head = { .timeout_ms = a->timeout_ms,
		.flags = a->cacheable ? ASK_CACHEABLE : 0 };

	if (!nonce_good(a->nonce, sizeof a->nonce) ||
	    !data_good(a->data, a->len))
		return err_set(err, ERR_PROTOCOL,
		    "question: not one JSON object on one line");
	memcpy(head.nonce, a->nonce, VAL_NONCE_LEN);
	memcpy(head.digest, a->digest, sizeof head.digest);
	buf_put(ret, &head, sizeof head);
	buf_put(ret, a->data, a->len);
	return 0;
}

int
val_ask_unpack(const void *body, size_t len, struct val_ask *ret,
    struct err *err)
{
	struct ask_head head;

	if (len < sizeof head)
		return err_set(err, ERR_PROTOCOL, "question: too short");
	memcpy(&head, body, sizeof head);
	if (!nonce_good(head.nonce, sizeof head.nonce))
		return err_set(err, ERR_PROTOCOL, "question: bad nonce");
	if ((head.flags & ~(uint32_t)ASK_CACHEABLE) != 0)
		return err_set(err, ERR_PROTOCOL, "question: unknown flags");
	if (!data_good((const char *)body + sizeof head, len - sizeof head))
		return err_set(err, ERR_PROTOCOL,
		    "question: not one JSON object on one line");
	ret->timeout_ms = head.timeout_ms;
	ret->cacheable = (head.flags & ASK_CACHEABLE) != 0;
	memcpy(ret->digest, head.digest, sizeof ret->digest);
	memcpy(ret->nonce, head.nonce, sizeof ret->nonce);
	ret->data = (const char *)body + sizeof head;
	ret->len = len - sizeof head;
	return 0;
}

void
val_answer_pack(const struct val_verdict *v, const char *nonce,
    bool leaving, struct buf *ret)
{
	struct answer a = {
		.status = v->status,
		.action = v->action,
		.confidence = v->confidence,
		.leaving = leaving,
		.flags = (v->cached ? ANSWER_CACHED : 0) |
		    (v->forged ? ANSWER_FORGED : 0),
		.tokens_in = v->tokens_in,
		.tokens_out = v->tokens_out,
		.cost = v->cost,
	};

	memcpy(a.nonce, nonce, VAL_NONCE_LEN);
	memcpy(a.reason, v->reason, strnlen(v->reason, sizeof a.reason - 1));
	memcpy(a.alternative, v->alternative,
	    strnlen(v->alternative, sizeof a.alternative - 1));
	memcpy(a.category, v->category,
	    strnlen(v->category, sizeof a.category - 1));
	memcpy(a.model, v->model, strnlen(v->model, sizeof a.model - 1));
	memcpy(a.endpoint, v->endpoint,
	    strnlen(v->endpoint, sizeof a.endpoint - 1));
	buf_put(ret, &a, sizeof a);
}

static bool
text_good(const char *text, size_t size)
{
	const char *nul = memchr(text, '\0', size);

	return nul != NULL && !text_needs_inert(text, (size_t)(nul - text), 0);
}

bool
val_category_good(const char *text, size_t size)
{
	size_t n = strnlen(text, size);

	return n > 0 && n < size &&
	    strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-") == n;
}

/* The enums as numbers of a stranger: known ones alone. */
static bool
numbers_good(const struct answer *a)
{
	if (a->leaving > 1 || a->flags > (ANSWER_CACHED | ANSWER_FORGED))
		return false;
	if (a->status == VAL_FAILED)
		return a->action == VAL_BLOCK && a->confidence == 0;
	return a->status == VAL_ANSWERED && a->action <= VAL_ALLOW &&
	    a->confidence <= 100;
}

int
val_answer_unpack(const void *body, size_t len, const char *nonce,
    struct val_verdict *ret, bool *ret_leaving, struct err *err)
{
	struct answer a;

	if (len != sizeof a)
		return err_set(err, ERR_PROTOCOL, "answer: wrong size");
	memcpy(&a, body, sizeof a);
	if (!nonce_good(a.nonce, sizeof a.nonce) ||
	    strcmp(a.nonce, nonce) != 0)
		return err_set(err, ERR_PROTOCOL,
		    "answer: to another question");
	if (!numbers_good(&a))
		return err_set(err, ERR_PROTOCOL, "answer: unknown verdict");
	if (!text_good(a.reason, sizeof a.reason) ||
	    !text_good(a.alternative, sizeof a.alternative) ||
	    !text_good(a.model, sizeof a.model) ||
	    !text_good(a.endpoint, sizeof a.endpoint))
		return err_set(err, ERR_PROTOCOL, "answer: text is not inert");
	if (a.status == VAL_ANSWERED ?
	    !val_category_good(a.category, sizeof a.category) :
	    a.category[0] != '\0')
		return err_set(err, ERR_PROTOCOL, "answer: bad category");
	ret->status = (enum val_status)a.status;
	ret->action = (enum val_action)a.action;
	ret->confidence = a.confidence;
	*ret_leaving = a.leaving == 1;
	memcpy(ret->reason, a.reason, sizeof a.reason);
	memcpy(ret->alternative, a.alternative, sizeof a.alternative);
	memcpy(ret->category, a.category, sizeof a.category);
	memcpy(ret->model, a.model, sizeof a.model);
	memcpy(ret->endpoint, a.endpoint, sizeof a.endpoint);
	ret->cached = (a.flags & ANSWER_CACHED) != 0;
	ret->forged = (a.flags & ANSWER_FORGED) != 0;
	ret->tokens_in = a.tokens_in;
	ret->tokens_out = a.tokens_out;
	ret->cost = a.cost;
	return 0;
}
