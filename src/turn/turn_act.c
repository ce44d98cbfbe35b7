/* SPDX-License-Identifier: ISC */
/*
 * The right half of the way: from a decision to a record.  The intent is
 * durable before bash is started; the outcome follows.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "turn/turn_elevate.h"

#define TOLD_MAX 256		/* notes that are remembered */

void
turn_record_refusal(struct turn *t, struct turn_judged *j)
{
	struct audit_event ev;
	struct err err = ERR_INIT;

	/* Where it was decided it was recorded, too. */
	if (turn_is_guest(t))
		return;
	turn_event(t, j, false, &ev);
	if ((t->ops->intent(t, &ev, &err) != 0 || (t->ops->settle != NULL &&
	    t->ops->settle(t, &err) != 0)) && t->unrecorded == NULL)
		t->unrecorded = xstrdup(err.text);
}

bool
turn_permits(struct turn *t, struct turn_judged *j, struct turn_result *ret)
{
	if (decision_action(j->decision) == DECISION_ALLOW) {
		if (turn_check_scripts(t, j, &ret->err) == 0)
			return true;
		turn_record_refusal(t, j);
		if (t->audit != NULL)
			audit_note(t->audit, "script-changed", ret->err.text);
		ret->status = TURN_STATUS_BLOCKED;
		return false;
	}
	turn_record_refusal(t, j);
	ret->status = decision_unreadable(j->decision) ?
	    TURN_STATUS_SYNTAX : TURN_STATUS_BLOCKED;
	err_set(&ret->err, ERR_REFUSED, "%s", decision_reason(j->decision));
	return false;
}

/* ---- builtins ----------------------------------------------------------- */

/* "$!", which only we know. */
static bool
is_last_pid(const struct turn *t, const struct syn_word *w)
{
	return t->last_pid > 0 && w->n_parts == 1 && !w->known &&
	    strcmp(w->value, "$!") == 0;
}

/* Words of which a job is the only likely meaning: "%?text" could match a
 * file, were there one of such a name. */
static bool
names_job(const struct turn *t, const struct syn_word *w)
{
	size_t i;

	if (is_last_pid(t, w))
		return true;
	for (i = 0; i < w->n_parts; i++)
		if (!w->parts[i].known && w->parts[i].why != SYN_WHY_GLOB)
			return false;
	return w->value[0] == '%';
}

/* The words of the call; "%1" alone is "fg %1". */
static void
builtin_argv(const struct turn *t, const struct syn_command *c,
    struct strv *ret)
{
	size_t i;

	if (c->words[0].value[0] == '%')
		strv_add(ret, "fg");
	for (i = 0; i < c->n_words; i++)
		if (is_last_pid(t, &c->words[i]))
			strv_addf(ret, "%d", (int)t->last_pid);
		else
			strv_add(ret, c->words[i].value);
}

static bool
is_row(const struct turn *t, const struct turn_builtin *b,
    const struct syn_command *c)
{
	AEG_AUTO(strv_done) struct strv argv = STRV_INIT;

	builtin_argv(t, c, &argv);
	return strcmp(b->name, argv.v[0]) == 0 && (b->wants == NULL ||
	    b->wants(t->opts.ctx, (int)argv.n, strv_peek(&argv)));
}

static const struct turn_builtin *
find_builtin(const struct turn *t, const struct turn_judged *j)
{
	const struct turn_builtin *const *b = t->opts.builtins;
	const struct syn_command *c;
	size_t i;

	if (b == NULL || !j->own->only_simple || j->own->n_commands != 1)
		return NULL;
	c = &j->own->commands[0];
	for (i = 0; i < c->n_words; i++)
		if (!c->words[i].known && !names_job(t, &c->words[i]))
			return NULL;
	/* A function that is carried comes before a builtin, as in bash. */
	for (i = 0; j->prefix > 0 && i < j->facts->n_functions; i++)
		if (strcmp(j->facts->functions[i].name,
		    c->words[0].value) == 0)
			return NULL;
	for (; c->n_words > 0 && *b != NULL; b++)
		if (is_row(t, *b, c))
			return *b;
	return NULL;
}

static void
write_out(int fd, struct buf *b)
{
	/* A closed standard output is the user's wish; $? tells. */
	if (b->len > 0 && io_write_full(fd, b->data, b->len) < 0)
		b->overflow = true;
	if (!b->overflow)
		buf_done(b);
}

static void
act_builtin(struct turn *t, struct turn_judged *j,
    const struct turn_builtin *b, struct turn_result *ret)
{
	const struct syn_command *c = &j->own->commands[0];
	struct buf out = BUF_INIT, complaint = BUF_INIT;
	struct strv argv = STRV_INIT;
	struct audit_event ev;
	struct audit_outcome o = { 0 };

	builtin_argv(t, c, &argv);
	turn_event(t, j, true, &ev);
	if (b->starts && turn_record_intent(t, &ev, &ret->err) != 0) {
		ret->status = TURN_STATUS_BLOCKED;
		strv_done(&argv);
		return;
	}
	ret->ran = true;
	if (b->starts)
		turn_output_line(t, ev.uuid);
	ret->status = b->run(t->opts.ctx, (int)argv.n, strv_peek(&argv), &out,
	    &complaint);
	if (b->starts)
		turn_output_end(t, NULL, ev.id, ret);
	write_out(1, &out);
	if (out.overflow && ret->status == 0)
		ret->status = 1;
	if (complaint.len > 0 && complaint.data[complaint.len - 1] != '\n')
		buf_putc(&complaint, '\n');
	write_out(2, &complaint);
	buf_done(&out);
	buf_done(&complaint);
	state_set_status(t->opts.state, ret->status);
	if (argv.n > 0)
		state_set_last_arg(t->opts.state, argv.v[argv.n - 1]);
	o.status = ret->status;
	if (b->starts)
		t->ops->outcome(t, ev.id, &o);
	else if (turn_is_guest(t))
		turn_inner_builtin(t, ret->status);
	else if (t->audit != NULL)
		audit_builtin(t->audit, &ev, ret->status);
	strv_done(&argv);
}

/* Ctrl-C that came while the line was judged, or as its bash was started:
 * before the terminal was handed over, it reached only us. */
static bool
interrupted(const struct turn *t)
{
	struct pollfd p = { .fd = t->opts.cancel_fd, .events = POLLIN };

	return t->opts.cancel_fd >= 0 && poll(&p, 1, 0) > 0;
}

/* "time" and "!" alone are no command, but do something. */
bool
turn_says_nothing(const struct turn_judged *j)
{
	return j->own->n_commands == 0 && j->own->n_functions == 0 &&
	    exec_is_blank(j->line.bytes + j->prefix, j->line.len - j->prefix);
}

/* ---- bash --------------------------------------------------------------- */

/* Builtins of bash that leave nothing behind in the shell.  The trap that
 * brings the state back is not there for those that show traps. */
static bool
leaves_nothing(const struct resolved *r)
{
	static const char *const names[] = { ":", "[", "echo", "false", "pwd",
	    "test", "true", "type" };

	if (TEXT_AMONG(r->name, names))
		return true;
	return strcmp(r->name, "trap") == 0 && (r->argc == 1 ||
	    (r->argv[1].known && (strcmp(r->argv[1].value, "-p") == 0 ||
	    strcmp(r->argv[1].value, "-l") == 0)));
}

static bool
plain_words(const struct syn_command *c)
{
	size_t i, k;

	for (i = 0; i < c->n_words; i++)
		for (k = 0; k < c->words[i].n_parts; k++) {
			const struct syn_part *p = &c->words[i].parts[k];

			if (!p->known && p->why != SYN_WHY_GLOB &&
			    p->why != SYN_WHY_TILDE)
				return false;
		}
	return true;
}

/* What the first command of the line itself is, wrappers left aside. */
static const struct resolved *
only_command(const struct turn_judged *j)
{
	size_t i;

	for (i = 0; i < j->resolved->n; i++) {
		const struct resolved *r = &j->resolved->items[i];

		if (r->level == 0 && r->command == &j->facts->commands[0] &&
		    r->wrapper == NULL)
			return r;
	}
	return NULL;
}

/*
 * A unit whose run cannot change what lives on: one simple external
 * command, or one pipeline (whose members are subshells), of plain words.
 * It runs raw: bash may replace itself by its last command.
 */
static bool
brings_nothing_back(const struct turn_judged *j)
{
	const struct syn_facts *f = j->facts;
	const struct resolved *r;
	size_t i;

	if (j->prefix > 0 || f->n_commands == 0 || f->n_reads > 0 ||
	    f->n_functions > 0)
		return false;
	for (i = 0; i < f->n_commands; i++) {
		const struct syn_command *c = &f->commands[i];

		if (c->n_words == 0 || c->n_assigns > 0 || c->depth > 0 ||
		    (c->context & ~(unsigned)SYN_NEGATED) != 0 ||
		    c->pipeline != f->commands[0].pipeline ||
		    c->pipe_count != f->n_commands || !plain_words(c))
			return false;
	}
	if (f->n_commands > 1)
		return true;
	r = only_command(j);
	return r != NULL && (r->kind == RESOLVE_FILE ||
	    (r->kind == RESOLVE_BUILTIN && leaves_nothing(r)));
}

/* Bash becomes the command, which sees SHLVL as if bash were not there. */
static bool
bash_is_replaced(const struct turn_judged *j)
{
	const struct resolved *r;

	if (!j->own->only_simple || !brings_nothing_back(j))
		return false;
	r = only_command(j);
	return r != NULL && r->kind == RESOLVE_FILE;
}

/* Some command of the line itself goes on when its bash has ended. */
static bool
leaves_background(const struct turn_judged *j)
{
	size_t i;

	for (i = 0; i < j->own->n_commands; i++)
		if ((j->own->commands[i].context &
		    (SYN_IN_BACKGROUND | SYN_IN_SUBSHELL | SYN_IN_SUBST |
		    SYN_IN_PROCESS)) == SYN_IN_BACKGROUND)
			return true;
	return false;
}

static void
say_job(struct turn *t, const struct job *job, struct turn_result *ret)
{
	ret->job = job_number(job);
	ret->job_pid = t->last_pid = job_process(job);
}

/* The record has every note; a person reads each once, but what was done to
 * this line. */
static void
tell_once(struct turn *t, struct turn_result *ret)
{
	size_t i;

	if (ret->killed || ret->kept_back)
		return;
	for (i = 0; ret->note[0] != '\0' && i < t->told.n; i++)
		if (strcmp(t->told.v[i], ret->note) == 0)
			ret->note[0] = '\0';
	if (ret->note[0] != '\0' && t->told.n < TOLD_MAX)
		strv_add(&t->told, ret->note);
}

static void
finish(struct turn *t, struct turn_judged *j, struct job *job, int64_t id,
    int64_t start_ns, struct turn_result *ret)
{
	const struct capture *c = job_capture(job);
	struct audit_outcome o = { 0 };
	const struct syn_command *last;
	const char *bytes;
	bool replaced;
	size_t len;

	/* Left behind at a hangup; or waiting failed, as the note says. */
	ret->status = job_state(job) != JOB_RUNNING ? job_status(job) :
	    ret->note[0] != '\0' ? TURN_STATUS_UNKNOWN : 128 + SIGHUP;
	ret->signal = job_signal(job);
	ret->stopped = job_state(job) == JOB_STOPPED;
	/* "exec CMD": bash became CMD, and when that is over the person
	 * expects to be where the shell was started. */
	replaced = t->opts.session && turn_replaced_bash(j, job);
	/* What could not be started leaves bash without its exit trap, too. */
	ret->replaced = replaced && (ret->signal != 0 ||
	    (ret->status != 126 && ret->status != 127));
	if (t->opts.session && job_state(job) == JOB_DONE && !replaced)
		turn_bring_back(t, job, ret);
	if (t->opts.term != NULL || job_state(job) == JOB_DONE)
		turn_output_end(t, job, id, ret);
	turn_note_why(t, j, job, ret);
	ret->kept_back = turn_refused(t, job, 0, ret->note, sizeof ret->note) !=
	    NULL;
	if (turn_limited(t, job, ret->note, sizeof ret->note) != NULL)
		ret->kept_back = true;
	if (turn_killed(t, job, ret->note, sizeof ret->note) != NULL) {
		ret->killed = true;
		ret->status = TURN_STATUS_BLOCKED;
		ret->signal = 0;
	}
	state_set_status(t->opts.state, ret->status);
	last = j->own->n_commands == 1 ? &j->own->commands[0] : NULL;
	if (last != NULL && last->n_words > 0 && j->own->only_simple &&
	    last->words[last->n_words - 1].known)
		state_set_last_arg(t->opts.state,
		    last->words[last->n_words - 1].value);
	o.status = ret->status;
	o.signal = ret->signal;
	o.start_ns = start_ns;
	if (c != NULL) {
		o.duration_ns = capture_duration_ns(c);
		o.cpu_ns = capture_cpu_ns(c);
		o.maxrss_kib = capture_maxrss_kib(c);
	}
	if (ret->stopped) {
		/* How it ends is recorded then. */
		job_set_tag(job, id);
		job_set_told(job, JOB_STOPPED);
		if (c != NULL && capture_frame(c, &bytes, &len) !=
		    CAPTURE_NOT_ASKED)
			snprintf(ret->note, sizeof ret->note, "a line that was "
			    "stopped goes on as a job; what it does to "
			    "directory and variables stays in it");
		return;
	}
	o.note = ret->note[0] != '\0' ? ret->note :
	    job_state(job) == JOB_RUNNING ?
	    "left running when the session was hung up" : NULL;
	turn_record_images(t, job, TURN_IMAGES_FIRST, id);
	t->ops->outcome(t, id, &o);
	/* For the person alone: nothing went wrong. */
	if (t->opts.session && job_state(job) == JOB_DONE &&
	    ret->status == 0 && ret->note[0] == '\0')
		turn_note_lost(t, j->own, ret->note, sizeof ret->note);
	if (!ret->killed)
		tell_once(t, ret);
	if (job_state(job) != JOB_DONE)
		return;
	if (leaves_background(j) && exec_linger(t->exec, job))
		say_job(t, job, ret);
	else
		job_free(t->exec, job);
}

/* The whole line runs beside the prompt. */
static void
go_beside(struct turn *t, struct job *job, int64_t id,
    struct turn_result *ret)
{
	job_set_tag(job, id);
	say_job(t, job, ret);
	state_set_status(t->opts.state, 0);
}

struct start {
	struct turn *t;
	const struct turn_judged *j;
	int64_t began_ns, took_ns;
};

/* Before bash is let go the intent is on the disk … */
static int
settle(void *ctx, struct err *err)
{
	struct start *s = ctx;
	int r = turn_settle_intent(s->t, err);

	s->took_ns = clock_mono_ns() - s->began_ns;
	return r;
}

/* … and, since a disk takes its time, the scripts are, last of all, once
 * more what they were. */
static int
ready(void *ctx, struct err *err)
{
	struct start *s = ctx;
	int r = turn_check_scripts(s->t, s->j, err);

	if (r != 0 && err->code == ERR_REFUSED && s->t->audit != NULL)
		audit_note(s->t->audit, "script-changed", err->text);
	s->took_ns = clock_mono_ns() - s->began_ns;
	return r;
}

static void
not_started(struct turn *t, int64_t id, struct turn_result *ret)
{
	struct audit_outcome failed = { .status = TURN_STATUS_BLOCKED,
		.note = ret->err.text };

	ret->status = TURN_STATUS_BLOCKED;
	turn_output_end(t, NULL, 0, NULL);
	state_set_status(t->opts.state, ret->status);
	t->ops->outcome(t, id, &failed);
}

static void
act_bash(struct turn *t, struct turn_judged *j, const char *argv0,
    char *const *args, struct turn_result *ret)
{
	struct strv envp = STRV_INIT;
	struct audit_event ev;
	struct job *job = NULL;
	struct start start = { t, j, clock_mono_ns(), 0 };
	struct supervise_opts watch;
	struct relay_opts output;
	int started;
	bool beside = t->opts.session && t->opts.tty >= 0 &&
	    j->own->background_at > 0;
	struct exec_spec spec = {
		.kind = EXEC_LINE,
		.argv0 = argv0 != NULL ? argv0 : t->opts.argv0,
		.args = args,
		.options = j->prefix > 0 ? t->opts.bash_options : NULL,
		.foreground = !beside,
		.amp = beside ? j->own->background_at + j->prefix : 0,
		.preamble = t->opts.session ? j->prefix : 0,
		.keep = t->opts.session ? t->keep : CAPTURE_KEEP_EXPORTS,
		.bring_back = t->opts.session && !beside &&
		    !brings_nothing_back(j),
		.status = state_status(t->opts.state),
		.last_arg = state_last_arg(t->opts.state),
		.dirs = state_dirstack(t->opts.state),
		.set_umask = true,
		.umask = state_umask(t->opts.state),
		.limits = t->opts.session ? state_limits(t->opts.state) : NULL,
		.settle = settle,
		.ctx = &start,
		.supervise = turn_supervise(t, t->sandbox, j, &watch),
	};

	turn_event(t, j, true, &ev);
	turn_event_args(t, j, argv0, args, &ev);
	if (turn_begin_intent(t, &ev, &ret->err) != 0) {
		ret->status = TURN_STATUS_BLOCKED;
		return;
	}
	memcpy(watch.label, ev.uuid, sizeof ev.uuid);
	spec.relay = turn_output(t, ev.uuid, &output);
	if (t->opts.session && bash_is_replaced(j))
		state_envp_raw(t->opts.state, &envp);
	else
		state_envp(t->opts.state, &envp);
	turn_put_shims(t, &envp);
	spec.envp = strv_peek(&envp);
	if (watch.broker != NULL)
		watch.approved = turn_approve(t, j);
	started = turn_know_places(t, &ret->err);
	/* What goes on beside the prompt cannot be told from that. */
	turn_output_line(t, beside ? NULL : ev.uuid);
	if (started == 0) {
		watch.cgroup = turn_cgroup(t, &watch);
		spec.ready = turn_has_scripts(j) ? ready : NULL;
		started = exec_start(t->exec, j->decision, &spec, &job,
		    &ret->err);
	}
	turn_approve_done(watch.approved);
	if (started != 0) {
		not_started(t, ev.id, ret);
	} else if (beside) {
		ret->ran = true;
		go_beside(t, job, ev.id, ret);
	} else {
		ret->ran = true;
		if (interrupted(t))
			kill(-job_pid(job), SIGINT);
		if (exec_wait(t->exec, job, &ret->err) != 0)
			snprintf(ret->note, sizeof ret->note, "how the line "
			    "ended is not known: %.200s", ret->err.text);
		finish(t, j, job, ev.id, start.took_ns, ret);
	}
	strv_done(&envp);
}

void
turn_act(struct turn *t, struct turn_judged *j, const char *argv0,
    char *const *args, struct turn_result *ret)
{
	const struct turn_builtin *b;

	*ret = (struct turn_result){ .err = ERR_INIT };
	if (j->tried) {
		/* On record as what it was. */
		ret->ran = true;
		ret->status = j->tried_status;
		ret->signal = j->tried_signal;
		state_set_status(t->opts.state, ret->status);
		return;
	}
	if (interrupted(t) &&
	    decision_action(j->decision) == DECISION_ALLOW) {
		/* Nothing was started, so nothing is recorded: the line was
		 * taken back, as at the prompt. */
		ret->ran = true;
		ret->status = 128 + SIGINT;
		ret->signal = SIGINT;
		state_set_status(t->opts.state, ret->status);
		return;
	}
	if (!turn_permits(t, j, ret)) {
		state_set_status(t->opts.state, ret->status);
		return;
	}
	if (turn_says_nothing(j)) {
		ret->ran = true;
		ret->status = state_status(t->opts.state);
		return;
	}
	b = find_builtin(t, j);
	if (j->reads != TURN_READS_NOTHING)
		turn_act_reader(t, j, ret);
	else if (b != NULL)
		act_builtin(t, j, b, ret);
	else
		act_bash(t, j, argv0, args, ret);
}
