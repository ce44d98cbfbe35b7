/* SPDX-License-Identifier: ISC */
/* The turns of a session: what they need, from its begin to its end. */
#include "aegsh/turn.h"

#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/log.h"
#include "aegsh/base/mem.h"
#include "turn/turn_elevate.h"

int64_t
turn_record_wait(const struct turn *t)
{
	return conf_int(t->opts.conf, CONF_RECORD_WAIT) * 1000000;
}

bool
turn_runs_on(const struct turn *t)
{
	return !conf_managed(t->opts.conf) || t->opts.uid == 0;
}

static void
open_store(struct turn *t, const struct turn_opts *o)
{
	struct err err = ERR_INIT;
	unsigned witness = 0;
	char host[256] = "";
	const char *remote = state_get(o->state, "SSH_CLIENT");
	struct audit_session s = {
		.user = o->user,
		.remote = remote,
		.origin = line_origin_name(o->origin),
		.host = host,
		.tty = o->term != NULL ? relay_term_outer(o->term) : t->tty,
		.version = o->version,
		.profile = policy_profile(t->policy),
		.policy_hash = policy_hash(t->policy),
		.uid = o->uid,
		.loginuid = o->loginuid,
		.pid = getpid(),
	};

	if (gethostname(host, sizeof host - 1) < 0)
		host[0] = '\0';
	/* What ends soon does not open a database first. */
	if ((o->session ? audit_open_apart : audit_open_brief)(t->store,
	    turn_record_wait(t), turn_runs_on(t), &t->audit, &err) != 0 ||
	    turn_leave_out(t, t->audit, &err) != 0 ||
	    audit_session_begin(t->audit, &s, &err) != 0) {
		t->unrecorded = xstrdup(err.text);
		audit_close(t->audit);
		t->audit = NULL;
		return;
	}
	if (audit_witness_parse(conf_str(o->conf, CONF_WITNESS), &witness) ==
	    0)
		audit_witness_to(t->audit, witness);
	turn_retain(t, t->audit);
}

void
turn_sandbox_vars(const struct turn *t, struct sandbox_vars *ret)
{
	const struct turn_opts *o = &t->opts;

	*ret = (struct sandbox_vars){
		.uid = o->uid,
		.home = o->home,
		.project = t->project,
		.tmpdir = state_get(o->state, "TMPDIR"),
		.agent = getenv("SSH_AUTH_SOCK"),
		.store = o->rescue && o->operator ? NULL : t->store,
		.silent = o->rescue && o->operator ? NULL : t->silent,
		.conf_user = o->conf_user,
		.cache = t->store,
		.once = !t->opts.session && t->opts.origin != LINE_STDIN,
		.tty = t->tty[0] != '\0' ? t->tty : NULL,
		.rescue = o->rescue,
	};
}

int
turn_know_places(const struct turn *t, struct err *err)
{
	return t->sandbox == NULL ? 0 : sandbox_complete(t->sandbox, err);
}

static int
open_sandbox(struct turn *t, const struct turn_opts *o, struct err *err)
{
	struct sandbox_vars vars;
	struct exec_session_opts eo = {
		.launcher = o->session,
		.once = !o->session && o->origin != LINE_STDIN,
		.tty = o->tty,
		.term = o->term,
		.ignored = o->ignored,
		.state_max = (size_t)conf_int(o->conf, CONF_STATE_MAX),
		.question = o->confirm != NULL ? turn_question : NULL,
		.ctx = t,
	};
	int r;

	turn_sandbox_vars(t, &vars);
	/* The disk takes its time for the intent: enough to look them up. */
	vars.later = vars.once;
	r = sandbox_load(policy_sandbox(t->policy), &vars, &t->sandbox, err);
	if (r != 0)
		return r;
	eo.profile = t->sandbox;
	eo.ends_survivors = sandbox_ends_survivors(t->sandbox);
	r = exec_session_new(&eo, &t->exec, err);
	if (r == 0)
		return 0;
	err->code = ERR_LAYER;	/* the terminal, processes: no file's fault */
	return ERR_LAYER;
}

/* Nothing of our own but the session of processes. */
static int
begin_inside(struct turn *t, struct turn **ret, struct err *err)
{
	const struct exec_session_opts eo = {
		.guest = true,
		.tty = t->opts.tty,
		.ignored = t->opts.ignored,
		.state_max = (size_t)conf_int(t->opts.conf, CONF_STATE_MAX),
	};
	int r;

	t->ops = &turn_inner;
	t->project = xstrdup(state_cwd(t->opts.state));
	r = turn_inner_begin(t, err);
	if (r == 0)
		r = exec_session_new(&eo, &t->exec, err);
	if (r != 0) {
		err->code = ERR_LAYER;	/* no file's fault */
		turn_free(t);
		return r;
	}
	*ret = t;
	return 0;
}

int
turn_new(const struct turn_opts *opts, struct turn **ret, struct err *err)
{
	struct turn *t = xcalloc(1, sizeof *t);
	struct err store_err = ERR_INIT;
	int r;

	t->opts = *opts;
	t->ops = opts->ops != NULL ? opts->ops : &turn_local;
	t->outer = -1;
	t->keep = turn_keep_of(conf_str(opts->conf, CONF_PERSIST));
	state_set_keeps(opts->state, opts->session &&
	    t->keep != CAPTURE_KEEP_EXPORTS);
	if (isatty(STDIN_FILENO) &&
	    ttyname_r(STDIN_FILENO, t->tty, sizeof t->tty) != 0)
		t->tty[0] = '\0';
	if (opts->guest)
		return begin_inside(t, ret, err);
	if (audit_reach(opts->uid, turn_record_wait(t), &t->silent,
	    &store_err) != 0 || audit_place(opts->uid, true, &t->store,
	    &store_err) != 0)
		t->unrecorded = xstrdup(store_err.text);
	r = turn_load_policy(t, err);
	if (r == 0)
		r = turn_enter_project(t, err);
	if (r == 0)
		r = validator_new(opts->conf, t->store,
		    policy_profile(t->policy), &t->validator, err);
	if (r == 0)
		turn_forget_keys(t);
	/* What is recorded goes through it, also where nothing is sent. */
	if (r == 0 && !opts->rescue)
		r = redact_open(t->store, &t->redact, err);
	if (r == 0)
		r = open_sandbox(t, opts, err);
	if (r != 0) {
		turn_free(t);
		return r;
	}
	if (t->store != NULL)
		open_store(t, opts);
	turn_output_keep(t);
	policy_clean_state(t->policy, opts->state);
	*ret = t;
	return 0;
}

static void
end_record(struct turn *t)
{
	struct err err = ERR_INIT;

	if (t->audit != NULL && audit_session_end(t->audit, &err) != 0)
		log_debug("session end not recorded: %s", err.text);
	audit_close(t->audit);
	t->audit = NULL;
	turn_cgroup_end(t);
}

/* Not what serves us, though it is confined, too. */
static void
end_survivors(struct turn *t)
{
	if (t->validator != NULL)
		turn_spare(t);
	if (t->exec != NULL)
		exec_end_survivors(t->exec);
}

void
turn_end(struct turn *t)
{
	if (t == NULL)
		return;
	turn_login_end(t);
	end_survivors(t);
	end_record(t);
	validator_free(t->validator);
	t->validator = NULL;
}

void
turn_free(struct turn *t)
{
	size_t i;

	if (t == NULL)
		return;
	if (t->stream != NULL)
		job_free(t->exec, t->stream);
	turn_login_end(t);
	end_survivors(t);
	exec_session_free(t->exec);
	end_record(t);
	validator_free(t->validator);
	redact_free(t->redact);
	for (i = 0; i < TURN_RECENT; i++)
		free(t->recent[i]);
	turn_free_policy(t);
	sandbox_profile_free(t->sandbox);
	free(t->store);
	free(t->project);
	free(t->unrecorded);
	free(t->silent);
	free(t->output_trouble);
	strv_done(&t->told);
	free(t->functions);
	io_close(&t->outer);
	free(t->outer_profile);
	elevate_answers_free(t->sudo_answers);
	free(t);
}

/* ---- what is asked about it ---------------------------------------------- */

struct exec_session *
turn_exec(struct turn *t)
{
	return t->exec;
}

pid_t
turn_last_pid(const struct turn *t)
{
	return t->last_pid;
}

struct audit *
turn_audit(struct turn *t)
{
	return t->audit;
}

const struct policy *
turn_policy(const struct turn *t)
{
	return t->policy;
}

int
turn_check_sandbox(const struct turn *t, struct err *err)
{
	int r = turn_is_guest(t) ? 0 : turn_know_places(t, err);

	return r != 0 || turn_is_guest(t) ? r : sandbox_check(t->sandbox, err);
}

const char *
turn_unrecorded(const struct turn *t)
{
	return t->unrecorded;
}

const char *
turn_unheard(const struct turn *t)
{
	return t->audit != NULL ? audit_unheard(t->audit) : NULL;
}

const char *
turn_stalled(struct turn *t, size_t *ret_waiting, bool *ret_kept)
{
	return t->audit != NULL ? audit_stalled(t->audit, ret_waiting,
	    ret_kept) : NULL;
}

void
turn_spare(struct turn *t)
{
	const pid_t ours[EXEC_SPARED_MAX] = {
		validator_helper_pid(t->validator),
		t->audit != NULL ? audit_writer_pid(t->audit) : 0,
		t->audit != NULL ? audit_late_pid(t->audit) : 0,
		t->audit != NULL ? audit_sync_pid(t->audit) : 0,
	};

	/* Who serves a line has none of its jobs. */
	if (t->exec != NULL)
		exec_spare(t->exec, ours);
}

void
turn_idle(struct turn *t)
{
	struct err err = ERR_INIT;

	if (t->audit != NULL && ((audit_pending(t->audit) &&
	    audit_flush(t->audit, &err) != 0) ||
	    audit_warm(t->audit, &err) != 0) && t->unrecorded == NULL)
		t->unrecorded = xstrdup(err.text);
	if (!turn_is_guest(t)) {
		validator_warm(t->validator);
		turn_spare(t);
	}
	exec_poll_jobs(t->exec);
}
