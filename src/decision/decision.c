/* SPDX-License-Identifier: ISC */
/*
 * The fold: policy's verdict, the validator's answer and the person's, in
 * that order, become one action.  Nothing here looks at the world; each
 * step is a total function over its enums, and what no row of it names is
 * a block.
 */
#include "aegsh/decision.h"

#include <string.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

struct decision {
	enum decision_action action;
	enum decision_source source;
	char *bytes;		/* the judged ones, NUL-terminated */
	size_t len;
	char *rule, *reason;	/* never NULL */
	char *instead, *model;	/* or NULL */
	unsigned confidence;
	int64_t latency_ns;
	bool unasked;
};

/* A verdict on its way through the fold. */
struct fold {
	enum decision_action action;
	enum decision_source source;
	const char *reason;
	const char *instead;
};

static char *
copy_inert(const char *text)
{
	struct buf out = BUF_INIT;

	text_inert(&out, text, strlen(text), 0);
	return buf_take(&out);
}

static char *
copy_or_null(const char *text)
{
	return text != NULL && text[0] != '\0' ? copy_inert(text) : NULL;
}

enum decision_fail
decision_fail_of(const char *word, bool managed)
{
	if (strcmp(word, "ask") == 0)
		return DECISION_FAIL_ASK;
	if (strcmp(word, "policy") == 0)
		return DECISION_FAIL_POLICY;
	if (strcmp(word, "default") == 0 && !managed)
		return DECISION_FAIL_ASK;
	return DECISION_FAIL_BLOCK;
}

enum decision_fail
decision_fail_for(const char *list, const char *profile, const char *word,
    bool managed)
{
	size_t n = strlen(profile), len;

	for (; *list != '\0'; list += len) {
		list += strspn(list, " \t,");
		len = strcspn(list, " \t,");
		if (len > n && memcmp(list, profile, n) == 0 &&
		    list[n] == '=') {
			AEG_AUTOFREE char *own = xmemdup0(list + n + 1,
			    len - n - 1);

			return decision_fail_of(own, managed);
		}
	}
	return decision_fail_of(word, managed);
}

/* What a policy action means for a line.  UNKNOWN settles nothing, so it
 * can't let a line run. */
static enum decision_action
from_policy(enum policy_action action)
{
	switch (action) {
	case POLICY_BLOCK:
	case POLICY_UNKNOWN:
		return DECISION_BLOCK;
	case POLICY_WARN:
		return DECISION_CONFIRM;
	case POLICY_ALLOW:
		return DECISION_ALLOW;
	}
	return DECISION_BLOCK;
}

static enum decision_action
from_fail_mode(const struct decision_input *in)
{
	switch (in->fail) {
	case DECISION_FAIL_BLOCK:
		return DECISION_BLOCK;
	case DECISION_FAIL_ASK:
		return DECISION_CONFIRM;
	case DECISION_FAIL_POLICY:
		return in->policy->action == POLICY_UNKNOWN ?
		    from_policy(in->unknown) : from_policy(in->policy->action);
	}
	return DECISION_BLOCK;
}

/* An allow needs confidence; a percentage above 100 is no confidence. */
static enum decision_action
from_answer(const struct decision_input *in)
{
	unsigned confidence = in->validator->confidence;

	switch (in->validator->action) {
	case VAL_BLOCK:
		return DECISION_BLOCK;
	case VAL_WARN:
		return DECISION_CONFIRM;
	case VAL_ALLOW:
		return confidence >= in->min_confidence && confidence <= 100 ?
		    DECISION_ALLOW : DECISION_CONFIRM;
	}
	return DECISION_BLOCK;
}

/* The answer allows, but is not sure enough for that. */
static bool
is_unsure(const struct decision_input *in)
{
	return in->validator->action == VAL_ALLOW &&
	    from_answer(in) != DECISION_ALLOW;
}

/* Policy alone: the start of every fold, and its end where no validator
 * has a say. */
static struct fold
fold_policy(const struct decision_input *in)
{
	const struct policy_verdict *p = in->policy;
	struct fold f = {
		.action = p->action == POLICY_UNKNOWN ?
		    from_policy(in->unknown) : from_policy(p->action),
		.source = DECISION_BY_POLICY,
		.reason = p->reason,
		.instead = p->instead,
	};

	return f;
}

/* What the validator's verdict says by itself; the caller takes it only
 * where it is stricter, or where policy left the line open. */
static struct fold
fold_validator(const struct decision_input *in)
{
	const struct val_verdict *v = in->validator;
	struct fold f = { .action = DECISION_BLOCK, .reason = v->reason };

	switch (v->status) {
	case VAL_FAILED:
		f.action = from_fail_mode(in);
		f.source = DECISION_BY_FAIL_MODE;
		return f;
	case VAL_NOT_CONFIGURED:
		return fold_policy(in);
	case VAL_CANCELLED:
		f.source = DECISION_BY_PERSON;
		f.reason = "cancelled while the validator was asked";
		return f;
	case VAL_ANSWERED:
		f.action = from_answer(in);
		f.source = DECISION_BY_VALIDATOR;
		f.instead = v->alternative;
		return f;
	}
	return f;
}

/*
 * Strictest wins.  A block of the policy is final; an allow of the policy
 * is tightened by an answer where one was asked for, but a validator that
 * is down can't take the allow-list away (nobody could repair it then).
 */
static struct fold
fold_line(const struct decision_input *in)
{
	struct fold f = fold_policy(in), v;

	if (in->validator == NULL || in->policy->action == POLICY_BLOCK)
		return f;
	if (in->policy->action == POLICY_ALLOW &&
	    in->validator->status == VAL_FAILED)
		return f;
	v = fold_validator(in);
	if (in->policy->action == POLICY_UNKNOWN || v.action < f.action)
		return v;
	return f;
}

static struct decision *
decision_new(const char *line, size_t len)
{
	struct decision *d = xcalloc(1, sizeof *d);

	d->bytes = xmemdup0(line != NULL ? line : "", line != NULL ? len : 0);
	d->len = line != NULL ? len : 0;
	return d;
}

/* A line that no child could be given as it stands. */
static const char *
unrunnable(const struct decision_input *in)
{
	if (in->line == NULL)
		return "there is no line";
	if (in->len > SYN_LEN_MAX)
		return "the line is too long";
	if (memchr(in->line, '\0', in->len) != NULL)
		return "the line holds a NUL byte";
	return in->syntax_error;
}

struct decision *
decision_make(const struct decision_input *in)
{
	const char *broken = unrunnable(in);
	struct decision *d;
	struct fold f;

	/* Over the cap nothing runs, so the head is enough for the record. */
	d = decision_new(in->line,
	    in->len > SYN_LEN_MAX ? SYN_LEN_MAX : in->len);
	if (broken != NULL) {
		d->source = DECISION_BY_SYNTAX;
		d->rule = xstrdup("syntax");
		d->reason = copy_inert(broken);
		return d;
	}
	if (in->policy == NULL) {
		d->rule = xstrdup("none");
		d->reason = xstrdup("nobody judged the line");
		return d;
	}
	f = fold_line(in);
	d->action = f.action;
	d->source = f.source;
	d->unasked = f.action == DECISION_CONFIRM && !in->can_ask;
	if (d->unasked)
		d->action = DECISION_BLOCK;
	d->rule = copy_inert(in->policy->rule != NULL ?
	    in->policy->rule : "none");
	d->reason = copy_inert(f.reason != NULL && f.reason[0] != '\0' ?
	    f.reason : "no reason was given");
	/* What runs needs nothing in its place. */
	if (d->action != DECISION_ALLOW) {
		d->instead = copy_or_null(f.instead);
		if (d->instead == NULL)
			d->instead = copy_or_null(in->policy->instead);
	}
	if (in->validator != NULL && in->validator->status == VAL_ANSWERED) {
		d->model = copy_or_null(in->validator->model);
		d->confidence = in->validator->confidence;
	}
	if (f.source == DECISION_BY_VALIDATOR && is_unsure(in)) {
		char *reason = xasprintf("only %u %% sure (%u needed): %s",
		    in->validator->confidence, in->min_confidence, d->reason);

		free(d->reason);
		d->reason = reason;
	}
	if (in->validator != NULL)
		d->latency_ns = in->validator->latency_ns;
	return d;
}

struct decision *
decision_confirm(const struct decision *old, bool yes)
{
	struct decision *d = decision_new(old->bytes, old->len);

	d->action = old->action;
	d->source = old->source;
	if (old->action == DECISION_CONFIRM) {
		d->action = yes ? DECISION_ALLOW : DECISION_BLOCK;
		d->source = DECISION_BY_PERSON;
	}
	d->rule = xstrdup(old->rule);
	d->reason = xstrdup(old->reason);
	d->instead = old->instead != NULL ? xstrdup(old->instead) : NULL;
	d->model = old->model != NULL ? xstrdup(old->model) : NULL;
	d->confidence = old->confidence;
	d->latency_ns = old->latency_ns;
	d->unasked = old->unasked;
	return d;
}

static enum decision_source
source_of(uint32_t said)
{
	return said > DECISION_BY_PERSON ? DECISION_BY_NOBODY :
	    (enum decision_source)said;
}

struct decision *
decision_told(const char *line, size_t len, const unsigned char *sha256,
    const struct decision_said *said)
{
	struct decision *d = decision_new(line, len);
	bool same = memcmp(sha256, said->sha256, 32) == 0;

	d->action = same && said->action == DECISION_ALLOW ? DECISION_ALLOW :
	    DECISION_BLOCK;
	d->source = same ? source_of(said->source) : DECISION_BY_NOBODY;
	d->rule = copy_inert(same ? said->rule : "none");
	d->reason = copy_inert(same ? said->reason :
	    "the answer was about another line");
	d->instead = copy_or_null(said->instead);
	d->model = copy_or_null(said->model);
	d->confidence = said->confidence;
	d->unasked = same && said->unasked && d->action != DECISION_ALLOW;
	return d;
}

void
decision_free(struct decision *d)
{
	if (d == NULL)
		return;
	free(d->bytes);
	free(d->rule);
	free(d->reason);
	free(d->instead);
	free(d->model);
	free(d);
}

enum decision_action
decision_action(const struct decision *d)
{
	return d->action;
}

enum decision_source
decision_source(const struct decision *d)
{
	return d->source;
}

const char *
decision_bytes(const struct decision *d, size_t *ret_len)
{
	if (ret_len != NULL)
		*ret_len = d->len;
	return d->bytes;
}

const char *
decision_rule(const struct decision *d)
{
	return d->rule;
}

const char *
decision_reason(const struct decision *d)
{
	return d->reason;
}

const char *
decision_instead(const struct decision *d)
{
	return d->instead;
}

const char *
decision_model(const struct decision *d)
{
	return d->model;
}

unsigned
decision_confidence(const struct decision *d)
{
	return d->confidence;
}

int64_t
decision_latency_ns(const struct decision *d)
{
	return d->latency_ns;
}

bool
decision_unreadable(const struct decision *d)
{
	return d->source == DECISION_BY_SYNTAX;
}

bool
decision_unasked(const struct decision *d)
{
	return d->unasked;
}

const char *
decision_action_name(enum decision_action a)
{
	switch (a) {
	case DECISION_BLOCK:
		return "block";
	case DECISION_CONFIRM:
		return "confirm";
	case DECISION_ALLOW:
		return "allow";
	}
	return "block";
}

const char *
decision_source_name(enum decision_source s)
{
	switch (s) {
	case DECISION_BY_NOBODY:
		return "nobody";
	case DECISION_BY_SYNTAX:
		return "syntax";
	case DECISION_BY_POLICY:
		return "policy";
	case DECISION_BY_VALIDATOR:
		return "validator";
	case DECISION_BY_FAIL_MODE:
		return "fail-mode";
	case DECISION_BY_PERSON:
		return "person";
	}
	return "nobody";
}
