/* SPDX-License-Identifier: ISC */
/* The frames between aegsh and aegsh-judge, packed and checked. */
#include "aegsh/validator_frame.h"

#include <limits.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

enum { SETUP_MANAGED = 1 };

struct ask_head {
	uint32_t timeout_ms;
	char nonce[VAL_NONCE_LEN + 4];	/* and NULs */
};

struct answer {
	uint32_t status, action, confidence, leaving;
	char nonce[VAL_NONCE_LEN + 4];
	char reason[VAL_REASON_MAX];
	char alternative[VAL_REASON_MAX];
	char category[64];
	char model[128];
};

_Static_assert(sizeof(struct ask_head) == 4 + VAL_NONCE_LEN + 4,
    "no padding in a frame");
_Static_assert(sizeof(struct answer) ==
    16 + VAL_NONCE_LEN + 4 + 2 * VAL_REASON_MAX + 64 + 128,
    "no padding in a frame");

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

/* The four texts of a SETUP, in their order, with what each may hold. */
static const struct {
	const char *name;
	size_t offset, max;
} setup_texts[] = {
	{ "endpoint", offsetof(struct val_setup, endpoint), VAL_ENDPOINT_MAX },
	{ "model", offsetof(struct val_setup, model),
	    sizeof(((struct val_verdict *)0)->model) },
	{ "key-file", offsetof(struct val_setup, key_file), PATH_MAX },
	{ "ca-file", offsetof(struct val_setup, ca_file), PATH_MAX },
};

static const char **
setup_text(const struct val_setup *s, size_t i)
{
	return (const char **)((uintptr_t)s + setup_texts[i].offset);
}

int
val_setup_pack(const struct val_setup *s, struct buf *ret, struct err *err)
{
	uint32_t flags = s->managed ? SETUP_MANAGED : 0;
	size_t i, n;

	for (i = 0; i < AEG_NELEM(setup_texts); i++) {
		n = strlen(*setup_text(s, i));
		if (n >= setup_texts[i].max)
			return err_set(err, ERR_TOO_LONG,
			    "%s: longer than %zu bytes", setup_texts[i].name,
			    setup_texts[i].max - 1);
	}
	buf_put(ret, &flags, sizeof flags);
	for (i = 0; i < AEG_NELEM(setup_texts); i++)
		buf_put(ret, *setup_text(s, i), strlen(*setup_text(s, i)) + 1);
	return 0;
}

int
val_setup_unpack(const void *body, size_t len, struct val_setup *ret,
    struct err *err)
{
	struct val_setup s = { .managed = true };
	const char *p = body, *end = p + len, *nul;
	uint32_t flags;
	size_t i;

	if (len < sizeof flags)
		return err_set(err, ERR_PROTOCOL, "set-up: too short");
	memcpy(&flags, p, sizeof flags);
	if ((flags & ~(uint32_t)SETUP_MANAGED) != 0)
		return err_set(err, ERR_PROTOCOL, "set-up: unknown flags");
	s.managed = (flags & SETUP_MANAGED) != 0;
	p += sizeof flags;
	for (i = 0; i < AEG_NELEM(setup_texts); i++) {
		nul = memchr(p, '\0', (size_t)(end - p));
		if (nul == NULL || (size_t)(nul - p) >= setup_texts[i].max)
			return err_set(err, ERR_PROTOCOL,
			    "set-up: %s does not end", setup_texts[i].name);
		*setup_text(&s, i) = p;
		p = nul + 1;
	}
	if (p != end)
		return err_set(err, ERR_PROTOCOL, "set-up: too long");
	*ret = s;
	return 0;
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
	struct ask_head head = { .timeout_ms = a->timeout_ms };

	if (!nonce_good(a->nonce, sizeof a->nonce) ||
	    !data_good(a->data, a->len))
		return err_set(err, ERR_PROTOCOL,
		    "question: not one JSON object on one line");
	memcpy(head.nonce, a->nonce, VAL_NONCE_LEN);
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
	if (!data_good((const char *)body + sizeof head, len - sizeof head))
		return err_set(err, ERR_PROTOCOL,
		    "question: not one JSON object on one line");
	ret->timeout_ms = head.timeout_ms;
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
	};

	memcpy(a.nonce, nonce, VAL_NONCE_LEN);
	memcpy(a.reason, v->reason, strnlen(v->reason, sizeof a.reason - 1));
	memcpy(a.alternative, v->alternative,
	    strnlen(v->alternative, sizeof a.alternative - 1));
	memcpy(a.category, v->category,
	    strnlen(v->category, sizeof a.category - 1));
	memcpy(a.model, v->model, strnlen(v->model, sizeof a.model - 1));
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
	if (a->leaving > 1)
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
	    !text_good(a.model, sizeof a.model))
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
	return 0;
}
