/* SPDX-License-Identifier: ISC */
/*
 * A line that is only tried: judged and recorded as any other, run where
 * nothing that it does stays, in the sandbox that it would have; what it
 * would have changed can then be committed.
 *
 * A line that asks may be tried without an answer, and is committed only
 * after one; a line that is blocked is not tried.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "turn/turn_changes.h"
#include "turn/turn_int.h"

#define ARGV_SHOWN ((size_t)300)	/* bytes of a program's words */

struct turn_trial {
	struct sandbox_profile *sandbox;
	struct exec_session *exec;
	struct try *try;
	struct turn_result result;
	struct strv programs, network;
	char *uuid;
	int64_t id;		/* of its row */
	bool settled;
};

const struct try *
turn_trial_try(const struct turn_trial *r)
{
	return r->try;
}

const struct turn_result *
turn_trial_result(const struct turn_trial *r)
{
	return &r->result;
}

const struct strv *
turn_trial_programs(const struct turn_trial *r)
{
	return &r->programs;
}

const struct strv *
turn_trial_network(const struct turn_trial *r)
{
	return &r->network;
}

static int
open_place(struct turn *t, const struct turn_trial_opts *o,
    struct turn_trial *r, struct err *err)
{
	struct exec_session_opts eo = {
		.tty = -1,
		.ignored = t->opts.ignored,
		.state_max = (size_t)conf_int(t->opts.conf, CONF_STATE_MAX),
	};
	struct try_opts to = { .out = o->out, .err = o->err,
		.size = o->size };
	struct sandbox_line_limits most;
	struct sandbox_vars vars;
	int rc;

	turn_sandbox_vars(t, &vars);
	/* Places are opened where the line will see them. */
	vars.once = false;
	vars.tty = NULL;
	rc = sandbox_load(policy_sandbox(t->policy), &vars, &r->sandbox, err);
	if (rc < 0)
		return rc;
	sandbox_isolate(r->sandbox);
	sandbox_line_limits(r->sandbox, &most);
	to.most = most.output;
	to.kills = most.output_then == SANDBOX_OUTPUT_KILL;
	eo.profile = to.profile = r->sandbox;
	rc = exec_session_new(&eo, &r->exec, err);
	return rc < 0 ? rc : try_new(&to, &r->try, err);
}

/* "/usr/bin/cp -a x y" */
static void
add_program(struct turn_trial *r, const struct supervise_image *m)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	const char *p = m->argv, *end = p + m->argv_len;
	size_t len;

	text_inert(&text, m->path, strlen(m->path), 0);
	/* The first is its own name. */
	for (p += m->argv_len > 0 ? strnlen(p, m->argv_len) + 1 : 0; p < end &&
	    text.len < ARGV_SHOWN; p += len + 1) {
		len = strnlen(p, (size_t)(end - p));
		buf_putc(&text, ' ');
		text_inert(&text, p, len, 0);
	}
	if (p < end)
		buf_puts(&text, " …");
	if (m->refused)
		buf_puts(&text, " (killed)");
	strv_take(&r->programs, buf_take(&text));
}

static void
take_programs(struct turn_trial *r, const struct job *job)
{
	const struct supervisor *s = job_supervisor(job);
	const struct supervise_image *m;
	const struct strv *wanted;
	const char *label;
	size_t n, lost, i;

	m = s != NULL ? supervise_images(s, &n, &lost) : NULL;
	for (i = TURN_IMAGES_FIRST; m != NULL && i < n; i++)
		add_program(r, &m[i]);
	wanted = s != NULL ? supervise_network(s, &label) : NULL;
	for (i = 0; wanted != NULL && i < wanted->n; i++)
		strv_add(&r->network, wanted->v[i]);
}

/* It wrote more than it may, as is said of any line. */
static void
mind_output(struct turn *t, struct turn_trial *r)
{
	struct turn_result *ret = &r->result;
	struct sandbox_line_limits most;
	char text[96];

	if (!try_over(r->try))
		return;
	sandbox_line_limits(r->sandbox, &most);
	ret->killed = ret->killed ||
	    most.output_then == SANDBOX_OUTPUT_KILL;
	snprintf(text, sizeof text, "limit-output: more than %" PRIu64 " MiB%s",
	    most.output >> 20, ret->killed ? "" : "; the rest is left out");
	if (t->audit != NULL)
		audit_note(t->audit, ret->killed ? "line-killed" :
		    "line-limited", text);
	snprintf(ret->note, sizeof ret->note, ret->killed ? "the line was "
	    "killed: it met its limit, %s" : "the line met a limit: %s", text);
}

static void
run_it(struct turn *t, struct turn_judged *j, struct turn_trial *r,
    const struct audit_event *ev)
{
	AEG_AUTO(strv_done) struct strv envp = STRV_INIT;
	struct turn_result *ret = &r->result;
	struct supervise_opts watch;
	struct job *job = NULL;
	struct exec_spec spec = {
		.kind = EXEC_LINE,
		.argv0 = t->opts.argv0,
		.preamble = t->opts.session ? j->prefix : 0,
		.keep = CAPTURE_KEEP_EXPORTS,
		.options = j->prefix > 0 ? t->opts.bash_options : NULL,
		.status = state_status(t->opts.state),
		.set_umask = true,
		.umask = state_umask(t->opts.state),
		.limits = t->opts.session ? state_limits(t->opts.state) : NULL,
		.own_session = true,
		.cancel_fd = t->opts.cancel_fd > 0 ? t->opts.cancel_fd : 0,
		.supervise = turn_supervise(t, r->sandbox, j, &watch),
		.trial = r->try,
	};
	struct audit_outcome o = { .status = TURN_STATUS_BLOCKED };
	const struct capture *c;

	watch.own_group = false;
	watch.serve = NULL;
	watch.images = watch.network = turn_can_look(t);
	memcpy(watch.label, ev->uuid, sizeof ev->uuid);
	/* What root runs would stay. */
	watch.broker = NULL;
	state_envp(t->opts.state, &envp);
	spec.envp = strv_peek(&envp);
	if (exec_start(r->exec, j->decision, &spec, &job, &ret->err) != 0) {
		o.note = ret->err.text;
		ret->status = TURN_STATUS_BLOCKED;
		t->ops->outcome(t, ev->id, &o);
		return;
	}
	ret->ran = true;
	if (exec_wait(r->exec, job, &ret->err) != 0)
		snprintf(ret->note, sizeof ret->note, "how it ended is not "
		    "known: %.200s", ret->err.text);
	ret->status = job_status(job);
	ret->signal = job_signal(job);
	(void)turn_refused(t, job, 0, ret->note, sizeof ret->note);
	(void)turn_limited(t, job, ret->note, sizeof ret->note);
	ret->killed = turn_killed(t, job, ret->note, sizeof ret->note) != NULL;
	mind_output(t, r);
	if (ret->killed) {
		ret->status = TURN_STATUS_BLOCKED;
		ret->signal = 0;
	}
	take_programs(r, job);
	turn_record_images(t, job, TURN_IMAGES_FIRST, ev->id);
	o.status = ret->status;
	o.signal = ret->signal;
	o.note = ret->note[0] != '\0' ? ret->note : "only tried";
	c = job_capture(job);
	if (c != NULL) {
		o.duration_ns = capture_duration_ns(c);
		o.cpu_ns = capture_cpu_ns(c);
		o.maxrss_kib = capture_maxrss_kib(c);
	}
	t->ops->outcome(t, ev->id, &o);
	job_free(r->exec, job);
}

static void
note(struct turn *t, const struct turn_trial *r, const char *kind,
    const char *fmt, size_t n)
{
	AEG_AUTOFREE char *text = xasprintf("%s: %s: %zu", r->uuid, fmt, n);

	if (t->audit != NULL)
		audit_note(t->audit, kind, text);
}

static int
refused(struct turn *t, struct turn_judged *j, struct err *err)
{
	turn_record_refusal(t, j);
	return err_set(err, ERR_REFUSED, "%s", decision_reason(j->decision));
}

int
turn_try(struct turn *t, struct turn_judged *j,
    const struct turn_trial_opts *o, struct turn_trial **ret,
    struct err *err)
{
	struct turn_trial *r;
	struct audit_event ev;
	int rc;

	if (turn_is_guest(t))
		return err_set(err, ERR_LAYER, "inside of a line of aegsh "
		    "nothing can be mounted, so nothing can be tried");
	if (decision_action(j->decision) == DECISION_BLOCK)
		return refused(t, j, err);
	if (j->reads != TURN_READS_NOTHING)
		return err_set(err, ERR_REFUSED, "a shell that reads its "
		    "commands has nothing to read in a try");
	rc = turn_check_scripts(t, j, err);
	if (rc < 0)
		return rc;
	r = xcalloc(1, sizeof *r);
	r->result = (struct turn_result){ .err = ERR_INIT };
	rc = open_place(t, o, r, err);
	turn_event(t, j, true, &ev);
	if (rc == 0)
		rc = turn_record_intent(t, &ev, err);
	if (rc < 0) {
		turn_trial_free(t, r);
		return rc;
	}
	r->uuid = xstrdup(ev.uuid);
	r->id = ev.id;
	note(t, r, "try", "tried, and nothing of it stays; places not seen",
	    try_unseen(r->try)->n);
	run_it(t, j, r, &ev);
	if (!r->result.ran) {
		*err = r->result.err;
		r->settled = true;
		turn_trial_free(t, r);
		return err->code;
	}
	rc = try_scan(r->try, err);
	if (rc < 0) {
		turn_trial_free(t, r);
		return rc;
	}
	*ret = r;
	return 0;
}

int
turn_try_commit(struct turn *t, const struct turn_judged *j,
    struct turn_trial *r, bool said_yes, size_t *ret_done, struct err *err)
{
	enum decision_action action = decision_action(j->decision);
	struct turn_changes *files;
	const struct try_change *c;
	size_t n;
	int rc;

	*ret_done = 0;
	if (action != DECISION_ALLOW && !(action == DECISION_CONFIRM &&
	    said_yes))
		return err_set(err, ERR_REFUSED, "the line asks, and nobody "
		    "has said yes to it");
	/* Whatever ends us in the midst: that changes went out is on record
	 * before the first of them does. */
	n = try_changes(r->try, &c);
	note(t, r, "try-commit", said_yes ? "changes to be committed, as the "
	    "person said" : "changes to be committed", n);
	rc = turn_record_notes(t, err);
	files = turn_changes_new(t, r->try);
	if (rc == 0)
		rc = try_commit(r->try, ret_done, err);
	if (t->audit != NULL)
		turn_changes_record(t, files, r->try, r->id, r->uuid);
	turn_changes_free(files);
	r->settled = *ret_done > 0 || rc == 0;
	if (r->settled)
		note(t, r, rc == 0 ? "try-committed" : "try-half-committed",
		    said_yes ? "changes committed, as the person said" :
		    "changes committed", *ret_done);
	else
		note(t, r, "try-refused", "changes not committed", 0);
	return rc;
}

void
turn_trial_free(struct turn *t, struct turn_trial *r)
{
	if (r == NULL)
		return;
	if (!r->settled && r->uuid != NULL)
		note(t, r, "try-discarded", "changes committed", 0);
	try_free(r->try);
	exec_session_free(r->exec);
	sandbox_profile_free(r->sandbox);
	strv_done(&r->programs);
	strv_done(&r->network);
	free(r->uuid);
	free(r);
}

bool
turn_try_asked(struct turn *t, struct turn_judged *j)
{
	const struct turn_trial_opts o = { .out = STDOUT_FILENO,
		.err = STDERR_FILENO };
	struct turn_trial *r = NULL;
	struct err err = ERR_INIT;

	j->answer = "try";
	if (t->opts.tried == NULL || turn_try(t, j, &o, &r, &err) < 0) {
		if (t->opts.tried != NULL)
			t->opts.tried(t->opts.ctx, t, j, NULL, &err);
		return t->opts.tried == NULL;
	}
	t->opts.tried(t->opts.ctx, t, j, r, NULL);
	j->tried = true;
	j->tried_status = r->result.status;
	j->tried_signal = r->result.signal;
	turn_trial_free(t, r);
	return true;
}
