/* SPDX-License-Identifier: ISC */
/*
 * The stages of an aegsh that runs inside of a line of another one: each line
 * goes there to be judged and recorded.  Here there is no policy, no
 * validator, no store and no sandbox: what is started stands in the sandbox
 * of the line around, as we do.
 *
 * What of this process a command could bring about: it can kill or stop it,
 * as any program of its line.  Then its bash gets a signal from the kernel,
 * and the host records that nobody knows how the line ended.  Where the host
 * is gone the line is killed, and no other starts.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "turn/turn_guest.h"

static int
lost(struct turn *t, struct err *err)
{
	if (err != NULL) {
		err->code = ERR_REFUSED;
		err_context(err, "the aegsh around this line, which judges "
		    "and records what runs in it, does not answer");
	}
	supervise_await_end(t->outer);
	io_close(&t->outer);
	return ERR_REFUSED;
}

static int
send_frame(struct turn *t, enum guest_type type, struct guest_body *b,
    struct err *err)
{
	if (t->outer < 0) {
		buf_done(&b->out);
		err_set(err, ERR_REFUSED, "it is gone");
		return lost(t, err);
	}
	return guest_send(t->outer, type, b, err) < 0 ? lost(t, err) : 0;
}

/* ERR_CANCELLED leaves an answer on its way that nobody must take for that to
 * another question: so it ends the conversation, as every failure does. */
static int
get_frame(struct turn *t, enum guest_type type, struct guest_frame *f,
    struct guest_body *b, struct err *err)
{
	if (t->outer < 0)
		return lost(t, err);
	if (guest_recv(t->outer, t->opts.cancel_fd, f, b, err) == 0 &&
	    f->m.type == (uint32_t)type)
		return 0;
	guest_frame_done(f);
	return lost(t, err);
}

int
turn_inner_begin(struct turn *t, struct err *err)
{
	struct guest_frame f = { .m = WIRE_MSG_INIT };
	struct guest_body b;
	AEG_AUTOFREE char *version = NULL, *refusal = NULL;
	int rc;

	t->outer = t->opts.outer;
	rc = get_frame(t, GUEST_WELCOME, &f, &b, err);
	if (rc < 0)
		return rc;
	version = guest_get_string(&b);
	refusal = guest_get_string(&b);
	t->outer_profile = guest_get_string(&b);
	if (strcmp(version, GUEST_VERSION) != 0)
		rc = err_set(err, ERR_REFUSED, "the aegsh around this line is "
		    "of another version; what it judges and records cannot "
		    "be brought to it");
	else if (refusal[0] != '\0')
		rc = err_set(err, ERR_REFUSED, "%s", refusal);
	else if (t->opts.profile != NULL &&
	    strcmp(t->opts.profile, t->outer_profile) != 0)
		rc = err_set(err, ERR_REFUSED, "profile %s: inside of a line "
		    "of aegsh its profile, %s, holds", t->opts.profile,
		    t->outer_profile);
	guest_frame_done(&f);
	return rc;
}

static void
put_words(struct guest_body *b, char *const *v)
{
	uint32_t n = 0;

	while (v != NULL && v[n] != NULL)
		n++;
	guest_put(b, n);
	for (n = 0; v != NULL && v[n] != NULL; n++)
		guest_put_string(b, v[n]);
}

static void
put_question(const struct turn *t, const struct turn_judged *j,
    struct guest_body *b)
{
	AEG_AUTO(strv_done) struct strv envp = STRV_INIT;

	state_envp(t->opts.state, &envp);
	guest_put(b, j->line.origin);
	guest_put(b, (t->opts.session ? GUEST_SESSION : 0) |
	    (t->stream_began ? GUEST_STREAM : 0) |
	    (isatty(STDIN_FILENO) ? GUEST_TERMINAL : 0));
	guest_put(b, (uint32_t)j->prefix);
	guest_put(b, j->prefix_lines);
	guest_put(b, (uint32_t)t->opts.uid);
	guest_put(b, (uint32_t)state_status(t->opts.state));
	guest_put_string(b, t->tty);
	guest_put_string(b, j->cwd);
	put_words(b, strv_peek(&envp));
	guest_put_text(b, j->line.bytes, j->line.len);
}

static const char *
or_null(const char *text)
{
	return text[0] != '\0' ? text : NULL;
}

/* What the profile takes out of the environment, or fixes in it. */
static void
take_changes(struct turn *t, struct guest_body *b)
{
	uint32_t n = guest_get(b), i;

	for (i = 0; i < n && !guest_broken(b); i++) {
		AEG_AUTOFREE char *change = guest_get_string(b);
		char *eq = strchr(change, '=');

		if (eq == NULL) {
			state_unset(t->opts.state, change);
			continue;
		}
		*eq = '\0';
		(void)state_set(t->opts.state, change, eq + 1, NULL);
	}
}

static void
take_answer(struct turn *t, struct turn_judged *j, struct guest_body *b,
    const unsigned char *sha256)
{
	struct decision_said said = { .action = guest_get(b) };
	AEG_AUTOFREE char *rule = NULL, *reason = NULL, *instead = NULL;
	AEG_AUTOFREE char *model = NULL;
	const char *sum;
	uint32_t flags;
	size_t len;

	said.source = guest_get(b);
	flags = guest_get(b);
	said.confidence = guest_get(b);
	sum = guest_get_text(b, &len);
	rule = guest_get_string(b);
	reason = guest_get_string(b);
	instead = guest_get_string(b);
	model = guest_get_string(b);
	take_changes(t, b);
	/* What we cannot read ourselves does not run, whoever can. */
	if (guest_broken(b) || len != 32 || j->tree == NULL ||
	    j->resolved == NULL) {
		said.action = DECISION_BLOCK;
		sum = (const char *)sha256;
	}
	said.sha256 = (const unsigned char *)sum;
	said.unasked = (flags & GUEST_UNASKED) != 0;
	said.rule = rule;
	said.reason = reason;
	said.instead = or_null(instead);
	said.model = or_null(model);
	j->decision = decision_told(j->line.bytes, j->line.len, sha256, &said);
}

static void
refuse(struct turn_judged *j, const struct err *err,
    const unsigned char *sha256)
{
	const struct decision_said said = {
		.action = DECISION_BLOCK,
		.source = err->code == ERR_CANCELLED ? DECISION_BY_PERSON :
		    DECISION_BY_NOBODY,
		.sha256 = sha256,
		.rule = "none",
		.reason = err->text,
	};

	j->decision = decision_told(j->line.bytes, j->line.len, sha256, &said);
}

void
turn_inner_judge(struct turn *t, struct turn_judged *j)
{
	struct guest_body b = { .out = BUF_INIT_MAX(GUEST_BODY_MAX) };
	struct guest_frame f = { .m = WIRE_MSG_INIT };
	struct err err = ERR_INIT;
	unsigned char sha256[32];

	guest_sha256(j->line.bytes, j->line.len, sha256);
	put_question(t, j, &b);
	if (send_frame(t, GUEST_JUDGE, &b, &err) == 0 &&
	    get_frame(t, GUEST_ANSWER, &f, &b, &err) == 0) {
		take_answer(t, j, &b, sha256);
		guest_frame_done(&f);
	} else {
		refuse(j, &err, sha256);
	}
}

/* ---- the record --------------------------------------------------------- */

static int
inner_intent(struct turn *t, struct audit_event *ev, struct err *err)
{
	struct guest_body b = { .out = BUF_INIT_MAX(GUEST_BODY_MAX) };

	guest_put_text(&b, ev->argv, ev->argv_len);
	ev->id = ++t->last_inner;
	pack_int(&b.out, ev->id);
	return send_frame(t, GUEST_RUN, &b, err);
}

static int
inner_settle(struct turn *t, struct err *err)
{
	struct guest_frame f = { .m = WIRE_MSG_INIT };
	struct guest_body b;
	AEG_AUTOFREE char *refusal = NULL;
	int rc = get_frame(t, GUEST_SETTLED, &f, &b, err);

	if (rc < 0)
		return rc;
	refusal = guest_get_string(&b);
	if (guest_broken(&b) || refusal[0] != '\0')
		rc = err_set(err, ERR_REFUSED, "%s", refusal);
	guest_frame_done(&f);
	return rc;
}

static void
inner_outcome(struct turn *t, int64_t id, const struct audit_outcome *o)
{
	struct guest_body b = { .out = BUF_INIT_MAX(GUEST_BODY_MAX) };

	pack_int(&b.out, id);
	guest_put(&b, (uint32_t)o->status);
	guest_put(&b, (uint32_t)o->signal);
	pack_int(&b.out, o->duration_ns);
	pack_int(&b.out, o->cpu_ns);
	pack_int(&b.out, o->maxrss_kib);
	pack_int(&b.out, o->start_ns);
	guest_put_string(&b, o->note);
	(void)send_frame(t, GUEST_END, &b, NULL);
}

void
turn_inner_builtin(struct turn *t, int status)
{
	struct guest_body b = { .out = BUF_INIT_MAX(GUEST_BODY_MAX) };

	guest_put(&b, (uint32_t)status);
	(void)send_frame(t, GUEST_BUILTIN, &b, NULL);
}

/* Nobody asks for a part of a judgement here. */
static void
inner_judge(struct turn *t, const struct policy_input *in,
    struct policy_verdict *ret)
{
	(void)t;
	(void)in;
	*ret = (struct policy_verdict){ .action = POLICY_BLOCK,
		.rule = "none", .reason = "nobody judges here" };
}

static void
inner_ask(struct turn *t, const struct val_question *q,
    struct val_verdict *ret)
{
	(void)t;
	(void)q;
	*ret = (struct val_verdict){ .status = VAL_FAILED };
}

const struct turn_ops turn_inner = {
	.judge = inner_judge,
	.ask = inner_ask,
	.intent = inner_intent,
	.outcome = inner_outcome,
	.settle = inner_settle,
};

const char *
turn_profile(const struct turn *t)
{
	return t->policy != NULL ? policy_profile(t->policy) :
	    t->outer_profile != NULL ? t->outer_profile : "";
}

bool
turn_is_guest(const struct turn *t)
{
	return t->ops == &turn_inner;
}
