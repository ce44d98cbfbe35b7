/* SPDX-License-Identifier: ISC */
/*
 * The stages of a stand-alone aegsh: all in this process, but for the
 * validator's helper.  And what a failing store means.
 */
#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "turn/turn_int.h"

static void
local_judge(struct turn *t, const struct policy_input *in,
    struct policy_verdict *ret)
{
	policy_eval(t->policy, in, ret, NULL);
}

static void
local_ask(struct turn *t, const struct val_question *q,
    struct val_verdict *ret)
{
	validator_ask(t->validator, q, t->opts.cancel_fd, t->opts.progress,
	    t->opts.ctx, ret);
}

static int
local_intent(struct turn *t, struct audit_event *ev, struct err *err)
{
	if (t->audit == NULL)
		return err_set(err, ERR_STORE, "%s", t->unrecorded);
	return audit_intent_begin(t->audit, ev, err);
}

static int
local_settle(struct turn *t, struct err *err)
{
	return audit_intent_settle(t->audit, err);
}

static void
local_outcome(struct turn *t, int64_t id, const struct audit_outcome *o)
{
	if (t->audit != NULL && id != 0)
		audit_outcome(t->audit, id, o);
}

const struct turn_ops turn_local = {
	.judge = local_judge,
	.ask = local_ask,
	.intent = local_intent,
	.outcome = local_outcome,
	.settle = local_settle,
};

/*
 * A line that cannot be recorded: managed mode does not run it, except for
 * the operator, who must be able to repair the store; personal mode runs
 * it, and the shell has said or will say that it is not recorded.
 */
static int
unrecorded(struct turn *t, int r, struct err *err)
{
	if (turn_is_guest(t))
		return r;
	if (!turn_runs_on(t)) {
		err_context(err, "it cannot be recorded");
		return r;
	}
	if (t->unrecorded == NULL)
		t->unrecorded = xasprintf("%s", err != NULL ? err->text :
		    err_str(r));
	if (err != NULL)
		*err = (struct err)ERR_INIT;
	return 0;
}

int
turn_begin_intent(struct turn *t, struct audit_event *ev, struct err *err)
{
	int r = t->ops->intent(t, ev, err);

	t->unsettled |= r == 0 && t->ops->settle != NULL;
	return r == 0 ? 0 : unrecorded(t, r, err);
}

int
turn_settle_intent(void *ctx, struct err *err)
{
	struct turn *t = ctx;
	int r = t->unsettled ? t->ops->settle(t, err) : 0;

	t->unsettled = false;
	if (!turn_is_guest(t))
		turn_spare(t);
	return r == 0 ? 0 : unrecorded(t, r, err);
}

int
turn_record_intent(struct turn *t, struct audit_event *ev, struct err *err)
{
	int r = turn_begin_intent(t, ev, err);

	return r == 0 ? turn_settle_intent(t, err) : r;
}

int
turn_record_notes(struct turn *t, struct err *err)
{
	int r = t->audit == NULL ? err_set(err, ERR_STORE, "%s",
	    t->unrecorded) : audit_flush(t->audit, err);

	if (r == 0)
		r = audit_intent_settle(t->audit, err);
	return r == 0 ? 0 : unrecorded(t, r, err);
}

int
turn_record_unit(struct turn *t, struct audit_event *ev, struct err *err)
{
	int64_t ms = conf_int(t->opts.conf, CONF_STREAM_SYNC);
	int r;

	ev->later = !turn_is_guest(t) && ms > 0 && t->settled_ns != 0 &&
	    clock_mono_ns() - t->settled_ns < ms * 1000000;
	r = turn_begin_intent(t, ev, err);
	if (r != 0 || ev->later)
		return r;
	r = turn_settle_intent(t, err);
	t->settled_ns = clock_mono_ns();
	return r;
}
