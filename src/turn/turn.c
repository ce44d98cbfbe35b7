/* SPDX-License-Identifier: ISC */
/* The left half of the way: from a line to a decision. */
#include "aegsh/turn.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/log.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "turn/turn_int.h"

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
	if (audit_place(opts->uid, true, &t->store, &store_err) != 0)
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
	free(t->output_trouble);
	strv_done(&t->told);
	free(t->functions);
	io_close(&t->outer);
	free(t->outer_profile);
	free(t);
}

/* ---- what the stages are told ------------------------------------------- */

static enum syn_var
known_variable(void *ctx, const char *name, const char **ret_value)
{
	const struct turn *t = ctx;
	const char *value;

	/* Functions never come from outside: state takes none in. */
	if (text_starts(name, "BASH_FUNC_"))
		return SYN_VAR_UNSET;
	/* In a stream, bash has variables that only it knows. */
	if (t->stream_began)
		return SYN_VAR_UNKNOWN;
	value = state_get(t->opts.state, name);
	if (value == NULL)
		return text_is_name(name, strlen(name)) ? SYN_VAR_UNSET :
		    SYN_VAR_UNKNOWN;
	*ret_value = value;
	return SYN_VAR_SET;
}

bool
turn_asks_allowed(const struct turn *t)
{
	const char *list = conf_str(t->opts.conf, CONF_ASK_ALLOWED);
	const char *profile = policy_profile(t->policy);
	size_t n = strlen(profile), len;

	for (; *list != '\0'; list += len) {
		list += strspn(list, " \t,");
		len = strcspn(list, " \t,");
		if (len == n && memcmp(list, profile, n) == 0)
			return true;
	}
	return false;
}

void
turn_judge_tree(struct turn *t, struct turn_judged *j, bool rules_alone)
{
	const struct syn_vars vars = { .get = known_variable, .ctx = t,
		.tilde = resolve_home, .homes = t->opts.state };
	struct policy_input in = {
		.state = t->opts.state,
		.origin = turn_policy_origin(j->line.origin),
		.uid = t->opts.uid,
		/* What is broken may be the store. */
		.store = t->opts.rescue && t->opts.operator ? NULL : t->store,
		.project = t->project,
		.home = &t->home,
		.line = j->line.bytes,
		.len = j->line.len,
	};
	int r;

	j->facts = syn_facts_new(j->tree, &vars);
	turn_find_own(t, j);
	r = resolve_facts(j->facts, t->opts.state, &j->resolved);
	if (r != 0) {
		j->verdict = (struct policy_verdict){
			.action = POLICY_BLOCK,
			.rule = "resolve-failed",
			.reason = "what the line would run cannot be found out",
		};
		return;
	}
	in.facts = j->facts;
	in.resolved = j->resolved;
	turn_find_reads(t, j);
	if (turn_is_guest(t))
		return;
	in.input_judged = j->reads != TURN_READS_NOTHING;
	t->ops->judge(t, &in, &j->verdict);
	turn_refuse_elevation(t, j);
	if (rules_alone)
		return;
	if (j->verdict.action != POLICY_BLOCK)
		turn_find_scripts(t, j);
	if (turn_tell_not_held(t, j) && t->audit != NULL)
		audit_note(t->audit, "scripts-not-held", t->news);
	if (validator_configured(t->validator) &&
	    (j->verdict.action == POLICY_UNKNOWN ||
	    (j->verdict.action == POLICY_ALLOW && turn_asks_allowed(t))))
		turn_ask(t, j);
}

/* With what bash's options stand for in front.  Start-up files are not run
 * with options that were meant for the line. */
void
turn_copy_line(const struct turn *t, struct turn_judged *j,
    const struct line *line)
{
	struct buf text = BUF_INIT;
	size_t i;

	if (line->origin != LINE_LOGIN) {
		exec_options_text(t->opts.bash_options, &text);
		turn_put_carried(t, &text);
	}
	j->prefix = text.len;
	for (i = 0; i < text.len; i++)
		j->prefix_lines += text.data[i] == '\n';
	buf_put(&text, line->bytes, line->len);
	j->line = *line;
	j->line.len = text.len;
	j->line.bytes = buf_take(&text);
}

void
turn_decide(struct turn *t, struct turn_judged *j)
{
	struct decision_input in = {
		.fail = decision_fail_for(conf_str(t->opts.conf,
		    CONF_FAIL_PROFILES), policy_profile(t->policy),
		    conf_str(t->opts.conf, CONF_FAIL),
		    conf_managed(t->opts.conf)),
		.min_confidence = (unsigned)conf_int(t->opts.conf,
		    CONF_ASK_CONFIDENCE),
		/* A start-up file is nothing that a person has just typed. */
		.can_ask = t->opts.confirm != NULL &&
		    j->line.origin != LINE_LOGIN,
	};

	if (j->tree != NULL) {
		in.policy = &j->verdict;
		in.unknown = policy_unknown(t->policy, j->verdict.evidence);
	}
	in.line = j->line.bytes;
	in.len = j->line.len;
	in.syntax_error = j->syntax_error;
	in.validator = j->was_asked ? &j->asked : NULL;
	j->decision = decision_make(&in);
}

static void
judge(struct turn *t, struct turn_judged *j)
{
	j->cwd = xstrdup(state_cwd(t->opts.state));
	turn_parse(j);
	if (j->tree != NULL)
		turn_judge_tree(t, j, false);
	if (turn_is_guest(t))
		turn_inner_judge(t, j);
	else
		turn_decide(t, j);
	j->judged_ns = clock_mono_ns();
	turn_remember(t, j);
}

void
turn_follow_rules(struct turn *t)
{
	if (turn_is_guest(t))
		return;
	turn_refresh_policy(t);
	turn_fix_path(t);
}

struct turn_judged *
turn_judge(struct turn *t, const struct line *line)
{
	struct turn_judged *j = xcalloc(1, sizeof *j);

	j->came_ns = clock_mono_ns();
	turn_follow_rules(t);
	turn_copy_line(t, j, line);
	judge(t, j);
	return j;
}

struct turn_judged *
turn_judge_said(struct turn *t, const struct line *line, size_t prefix,
    unsigned prefix_lines)
{
	struct turn_judged *j = xcalloc(1, sizeof *j);

	j->came_ns = clock_mono_ns();
	turn_follow_rules(t);
	j->prefix = prefix;
	j->prefix_lines = prefix_lines;
	j->line = *line;
	j->line.bytes = xmemdup0(line->bytes, line->len);
	judge(t, j);
	return j;
}

void
turn_judged_free(struct turn_judged *j)
{
	if (j == NULL)
		return;
	decision_free(j->decision);
	turn_scripts_done(j);
	strv_done(&j->reader);
	resolve_free(j->resolved);
	syn_facts_free(j->own_facts);
	syn_free(j->own_tree);
	syn_facts_free(j->facts);
	syn_free(j->tree);
	free(j->syntax_error);
	free(j->recorded);
	buf_done(&j->args);
	free(j->reason);
	free(j->cwd);
	free((char *)(uintptr_t)j->line.bytes);
	free(j);
}

void
turn_confirm(struct turn *t, struct turn_judged *j)
{
	static const char *const names[] = { [TURN_SAYS_NO] = "no",
		[TURN_SAYS_YES] = "yes", [TURN_SAYS_EDIT] = "edit",
		[TURN_SAYS_TRY] = "try" };
	enum turn_says says = TURN_SAYS_NO;
	struct decision *settled;

	if (decision_action(j->decision) != DECISION_CONFIRM)
		return;
	do {
		if (t->opts.confirm != NULL)
			says = t->opts.confirm(t->opts.ctx, t, j);
	} while (says == TURN_SAYS_TRY && !turn_try_asked(t, j));
	j->answer = names[says];
	settled = decision_confirm(j->decision, says == TURN_SAYS_YES);
	decision_free(j->decision);
	j->decision = settled;
}

const struct decision *
turn_decision(const struct turn_judged *j)
{
	return j->decision;
}

size_t
turn_prefix(const struct turn_judged *j)
{
	return j->prefix;
}

const char *
turn_part(const struct turn_judged *j)
{
	return j->tree != NULL ? j->verdict.command : NULL;
}

const char *
turn_answer(const struct turn_judged *j)
{
	return j->answer;
}

const char *
turn_syntax_error(const struct turn_judged *j)
{
	return j->syntax_error;
}

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
