/* SPDX-License-Identifier: ISC */
/*
 * Lines that outlive their turn: in the background, or stopped.  Their
 * outcome is recorded when they end, whenever that is.
 */
#include "aegsh/turn.h"

#include <signal.h>

#include "aegsh/base/mem.h"
#include "turn/turn_int.h"

static void
fill(struct audit_outcome *o, const struct job *job)
{
	const struct capture *c = job_capture(job);

	o->status = job_status(job);
	o->signal = job_signal(job);
	if (c != NULL) {
		o->duration_ns = capture_duration_ns(c);
		o->cpu_ns = capture_cpu_ns(c);
		o->maxrss_kib = capture_maxrss_kib(c);
	}
}

static void
record(struct turn *t, struct job *job, const char *note)
{
	struct audit_outcome o = { .note = note };
	char why[256];

	/* What a line left behind has no row of its own. */
	if (job_tag(job) == 0)
		return;
	fill(&o, job);
	if (turn_limited(t, job, why, sizeof why) != NULL && t->news == NULL)
		t->news = xstrdup(why);
	if (turn_refused(t, job, 0, why, sizeof why) != NULL && t->news == NULL)
		t->news = xstrdup(why);
	if (turn_killed(t, job, why, sizeof why) != NULL) {
		o.note = why;
		if (t->news == NULL)
			t->news = xstrdup(why);
	}
	turn_record_images(t, job, TURN_IMAGES_FIRST, job_tag(job));
	t->ops->outcome(t, job_tag(job), &o);
	job_set_tag(job, 0);
}

void
turn_job_end(struct turn *t, struct job *job)
{
	record(t, job, NULL);
	job_free(t->exec, job);
}

void
turn_job_disown(struct turn *t, struct job *job)
{
	record(t, job, "disowned: how it ends is not known");
	job_disown(t->exec, job);
}

static int
leave_one(void *ctx, struct job *job, char mark)
{
	struct turn *t = ctx;

	(void)mark;
	switch (job_state(job)) {
	case JOB_RUNNING:
		record(t, job, "left running when the session ended");
		break;
	case JOB_STOPPED:
		record(t, job, "stopped when the session ended");
		break;
	case JOB_DONE:
		record(t, job, NULL);
		break;
	}
	return 0;
}

void
turn_leave(struct turn *t, bool hung_up)
{
	exec_poll_jobs(t->exec);
	exec_each_job(t->exec, leave_one, t);
	if (hung_up)
		exec_hangup(t->exec);
	else
		exec_leave(t->exec);
}
