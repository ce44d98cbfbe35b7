/* SPDX-License-Identifier: ISC */
/*
 * What of a judged line goes to the record: all that was decided, and the
 * line without its secrets.  What was judged, and what runs, are the bytes
 * themselves.
 */
#include "aegsh/audit_chain.h"
#include "aegsh/redact.h"

#include <stdio.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "turn/turn_int.h"

#define DAY_NS (INT64_C(86400) * 1000000000)

/* Tags are longer than what they stand for. */
#define TOO_LONG "(a line that is too long once its secrets are replaced)"

static int
learn(void *ctx, const char *name, const char *value)
{
	redact_learn(ctx, name, value);
	return 0;
}

void
turn_learn_secrets(struct turn *t)
{
	redact_forget(t->redact);
	state_each(t->opts.state, learn, t->redact);
}

/* Of the first script that the line itself starts. */
static const char *
first_interpreter(const struct turn_judged *j)
{
	size_t i;

	for (i = 0; j->resolved != NULL && i < j->resolved->n; i++) {
		const struct resolved *r = &j->resolved->items[i];

		if (r->level == 0 && r->interpreter != NULL)
			return r->interpreter;
	}
	return NULL;
}

/* Once for each line, and before it runs: what it exports is not its own
 * secret. */
static void
redact(struct turn *t, struct turn_judged *j)
{
	struct buf line = BUF_INIT_MAX(AUDIT_LINE_MAX), reason = BUF_INIT;
	const char *why = decision_reason(j->decision);
	size_t carried = t->opts.session ? j->prefix : 0;

	if (j->recorded != NULL)
		return;
	if (turn_is_guest(t)) {
		/* The host does that. */
		j->recorded = xstrdup("");
		return;
	}
	turn_learn_secrets(t);
	/* What is carried was recorded where it was set. */
	j->redacted = redact_text(t->redact, &line, j->line.bytes + carried,
	    j->line.len - carried);
	if (buf_overflow(&line)) {
		buf_done(&line);
		line = (struct buf)BUF_INIT;
		buf_puts(&line, TOO_LONG);
	}
	j->recorded_len = line.len;
	j->recorded = buf_take(&line);
	/* It may quote the line. */
	if (why != NULL) {
		redact_text(t->redact, &reason, why, strlen(why));
		j->reason = buf_take(&reason);
	}
}

/* Where one judge settled it alone, the columns of the decision say so. */
static void
count_votes(struct turn_judged *j)
{
	size_t n = 0;

	if (j->tree == NULL || (!j->was_asked && j->answer == NULL))
		return;
	n = (size_t)snprintf(j->votes, sizeof j->votes, "policy=%s",
	    policy_action_name(j->verdict.action));
	if (j->was_asked)
		n += (size_t)snprintf(j->votes + n, sizeof j->votes - n,
		    " validator=%s", j->asked.status == VAL_ANSWERED ?
		    val_action_name(j->asked.action) : "failed");
	if (j->answer != NULL)
		snprintf(j->votes + n, sizeof j->votes - n, " person=%s",
		    j->answer);
}

static void
put_arg(const struct turn *t, struct buf *b, const char *word)
{
	if (turn_is_guest(t))
		buf_puts(b, word);
	else
		redact_text(t->redact, b, word, strlen(word));
	buf_putc(b, '\0');
}

void
turn_event_args(const struct turn *t, struct turn_judged *j,
    const char *argv0, char *const *args, struct audit_event *ev)
{
	if (args == NULL || args[0] == NULL)
		return;
	buf_done(&j->args);
	j->args = (struct buf)BUF_INIT_MAX(AUDIT_LINE_MAX);
	put_arg(t, &j->args, argv0 != NULL ? argv0 :
	    t->opts.argv0 != NULL ? t->opts.argv0 : "");
	for (; *args != NULL && !buf_overflow(&j->args); args++)
		put_arg(t, &j->args, *args);
	ev->argv = j->args.data;
	ev->argv_len = j->args.len;
}

void
turn_event(struct turn *t, struct turn_judged *j, bool runs,
    struct audit_event *ret)
{
	const struct decision *d = j->decision;

	redact(t, j);
	count_votes(j);
	*ret = (struct audit_event){
		.line = j->recorded,
		.len = j->recorded_len,
		.redacted = j->redacted,
		.cwd = j->cwd,
		.origin = line_origin_name(j->line.origin),
		.interpreter = first_interpreter(j),
		.decision = decision_action_name(decision_action(d)),
		.source = decision_source_name(decision_source(d)),
		.rule = decision_rule(d),
		.reason = j->reason,
		.model = decision_model(d),
		.answer = j->answer,
		.confidence = j->was_asked ? (int)decision_confidence(d) : -1,
		.latency_ns = decision_latency_ns(d),
		.judge_ns = j->judged_ns - j->came_ns,
		.answered_by = j->answer != NULL ? t->opts.user : NULL,
		.votes = j->votes[0] != '\0' ? j->votes : NULL,
		.ran = runs,
	};
	if (!j->was_asked)
		return;
	ret->tokens_in = (int64_t)j->asked.tokens_in;
	ret->tokens_out = (int64_t)j->asked.tokens_out;
	ret->cost = (int64_t)j->asked.cost;
}

int
turn_leave_out(const struct turn *t, struct audit *a, struct err *err)
{
	unsigned without = 0;
	int r = audit_without_parse(conf_str(t->opts.conf,
	    CONF_RECORD_WITHOUT), &without, err);

	if (r == 0)
		audit_without(a, without);
	return r;
}

/* Where the operator answers for the record, only the operator has it
 * deleted. */
void
turn_retain(const struct turn *t, struct audit *a)
{
	const struct conf *conf = t->opts.conf;
	struct audit_retain r = { .lines_ns = 0 };
	const struct {
		enum conf_id id;
		int64_t *ret;
	} rows[] = {
		{ CONF_RETAIN_DAYS, &r.lines_ns },
		{ CONF_RETAIN_OUTPUT_DAYS, &r.output_ns },
		{ CONF_RETAIN_EXECS_DAYS, &r.execs_ns },
		{ CONF_RETAIN_EVENTS_DAYS, &r.events_ns },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++)
		if (!conf_managed(conf) || conf_origin(conf, rows[i].id) ==
		    CONF_OPERATOR)
			*rows[i].ret = conf_int(conf, rows[i].id) * DAY_NS;
	audit_retain(a, &r);
}
