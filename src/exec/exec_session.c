/* SPDX-License-Identifier: ISC */
/* The session, and the one door by which commands start. */
#include "exec_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define MS ((int64_t)1000000)

/* For who waits at a prompt: SIGCHLD and what bash says in the background
 * make one descriptor readable. */
static int
watch_children(struct exec_session *s, struct err *err)
{
	struct epoll_event in = { .events = EPOLLIN };
	sigset_t child, old;

	s->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->poll_fd < 0 ||
	    epoll_ctl(s->poll_fd, EPOLL_CTL_ADD, s->child_fd, &in) < 0)
		return err_sys(err, errno, "job control: epoll");
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &old);
	s->blocked_child = sigismember(&old, SIGCHLD) == 0;
	return exec_reap_init(err);
}

int
exec_session_new(const struct exec_session_opts *opts,
    struct exec_session **ret, struct err *err)
{
	struct exec_session *s = xcalloc(1, sizeof *s);
	struct sigaction sa = { .sa_handler = SIG_DFL };
	sigset_t child, end;
	int rc = 0;

	s->opts = *opts;
	s->pgrp = getpgrp();
	s->poll_fd = s->child_fd = s->end_fd = -1;
	/* The kernel's word that we stand in somebody's sandbox. */
	if (opts->guest && (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 ||
	    prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 2 || opts->launcher)) {
		exec_session_free(s);
		return err_set(err, ERR_LAYER, "there is no sandbox around");
	}
	/* Were it ignored, as a parent may leave it, nobody could be waited
	 * for. */
	sigaction(SIGCHLD, &sa, &s->old_child);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	s->child_fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	sigemptyset(&end);
	sigaddset(&end, SIGHUP);
	sigaddset(&end, SIGTERM);
	s->end_fd = signalfd(-1, &end, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->child_fd < 0 || s->end_fd < 0)
		rc = err_sys(err, errno, "signalfd");
	if (rc == 0 && opts->tty >= 0)
		rc = exec_tty_init(s, err);
	if (rc == 0 && opts->tty >= 0)
		rc = watch_children(s, err);
	if (rc == 0 && opts->ends_survivors)
		rc = exec_reap_init(err);
	if (rc == 0 && opts->launcher)
		rc = exec_launch_start(s, err);
	if (rc < 0) {
		exec_session_free(s);
		return rc;
	}
	*ret = s;
	return 0;
}

/* Jobs with all below them, and then those that are below nobody of a line any
 * more and so have become ours: whoever leaves its group and its session, too.
 * What of it leaves others behind is met at the next look. */
void
exec_end_survivors(struct exec_session *s)
{
	size_t i;

	if (!s->opts.ends_survivors)
		return;
	for (i = 0; i < s->n_jobs; i++)
		if (s->jobs[i]->state != JOB_DONE)
			exec_job_kill(s, s->jobs[i]);
	supervise_kill_adopted(getpid(), exec_reap_is_known, s);
}

void
exec_session_free(struct exec_session *s)
{
	sigset_t child;

	if (s == NULL)
		return;
	exec_launch_stop(s);
	exec_end_survivors(s);
	while (s->n_jobs > 0)
		job_free(s, s->jobs[s->n_jobs - 1]);
	/* And those in the groups of what were jobs. */
	exec_end_survivors(s);
	free(s->jobs);
	exec_reap_watchers(s);
	free(s->watchers);
	if (s->opts.tty >= 0)
		exec_tty_done(s);
	sandbox_free(s->sandbox);
	if (s->shell > 0)
		close(s->shell);
	io_close(&s->poll_fd);
	io_close(&s->child_fd);
	io_close(&s->end_fd);
	if (s->blocked_child) {
		sigemptyset(&child);
		sigaddset(&child, SIGCHLD);
		sigprocmask(SIG_UNBLOCK, &child, NULL);
	}
	sigaction(SIGCHLD, &s->old_child, NULL);
	free(s);
}

void
exec_session_hold(struct exec_session *s)
{
	sigset_t ends;

	if (s->holds)
		return;
	s->holds = true;
	exec_ending_signals(&ends);
	sigprocmask(SIG_BLOCK, &ends, &s->old_mask);
}

void
exec_session_release(struct exec_session *s)
{
	if (s->holds)
		sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
	s->holds = false;
}

void
exec_session_quiet(struct exec_session *s)
{
	struct sigaction sa = { .sa_handler = SIG_IGN };

	if (s->quiet++ > 0)
		return;
	sigaction(SIGINT, &sa, &s->old_int);
	sigaction(SIGQUIT, &sa, &s->old_quit);
	exec_session_hold(s);
}

void
exec_session_loud(struct exec_session *s)
{
	if (--s->quiet > 0)
		return;
	sigaction(SIGINT, &s->old_int, NULL);
	sigaction(SIGQUIT, &s->old_quit, NULL);
	exec_session_release(s);
}

static int
is_ready(const struct exec_spec *spec, struct err *err)
{
	int rc = spec->settle != NULL ? spec->settle(spec->ctx, err) : 0;

	return rc >= 0 && spec->ready != NULL ? spec->ready(spec->ctx, err) :
	    rc;
}

/* Confine the child from here: as one-shot commands are run. */
static pid_t
start_direct(struct exec_session *s, struct exec_child *c, struct err *err)
{
	pid_t pid, dead;
	int rc;

	if (s->sandbox == NULL && !s->opts.guest) {
		s->shell = exec_shell_open(s->opts.profile, err);
		if (s->shell < 0)
			return s->shell;
		rc = sandbox_begin(s->opts.profile, &s->sandbox, err);
		if (rc < 0)
			return rc;
	}
	c->guest = s->opts.guest;
	c->shell = s->shell;
	c->sandbox = c->unfinished = s->sandbox;
	c->profile = s->opts.profile;
	pid = exec_child_clone(c, SIGCHLD, &dead);
	if (pid >= 0 && s->opts.once) {
		sandbox_free(s->sandbox);
		s->sandbox = NULL;
	}
	if (pid >= 0)
		return pid;
	if (dead > 0)
		while (waitpid(dead, NULL, 0) < 0 && errno == EINTR)
			;
	return c->refused < 0 ? c->refused : exec_child_error(c, -pid, err);
}

/* A list that nobody held a line to would be none. */
static int
check_watched(const struct exec_session *s, const struct exec_spec *spec,
    struct err *err)
{
	if (s->opts.guest || !sandbox_lists_sockets(s->opts.profile) ||
	    (spec->supervise != NULL && spec->supervise->may_connect != NULL))
		return 0;
	return err_set(err, ERR_LAYER, "sandbox profile '%s' lists unix "
	    "sockets, which needs a supervisor, and there is none",
	    sandbox_profile_name(s->opts.profile));
}

static pid_t
start(struct exec_session *s, const struct exec_command *cmd,
    const struct exec_spec *spec, const struct supervisor *sup,
    struct err *err)
{
	struct exec_child c = {
		.path = sysdirs()->bash,
		.argv = cmd->argv.v,
		.envp = (char *const *)cmd->envp,
		.n_fds = cmd->n_fds,
		.cwd = -1,
		.tty = s->opts.tty,
		.foreground = spec->foreground,
		.own_session = spec->own_session,
		.set_umask = spec->set_umask,
		.umask = spec->umask,
		.limits = spec->limits,
		.ignored = s->opts.ignored,
		.parent = getpid(),
		.parent_signal = exec_parent_signal(s->opts.tty >= 0,
		    spec->foreground),
		.supervisor = sup != NULL ? supervise_child_fd(sup) : -1,
		.notify = -1,
		.word = -1,
	};
	int rc;

	memcpy(c.fd, cmd->fd, sizeof c.fd);
	if (spec->trial != NULL) {
		rc = is_ready(spec, err);
		return rc < 0 ? rc : exec_try(s, spec->trial, &c, err);
	}
	c.settle = spec->settle;
	c.ready = spec->ready;
	c.ctx = spec->ctx;
	c.err = err;
	return s->opts.launcher ? exec_launch(s, &c, err) :
	    start_direct(s, &c, err);
}

/* The same for 0, 1 and 2: a directory there would be a door out of the
 * mounts that cover something. */
static int
check_std(const struct exec_session *s, struct err *err)
{
	struct stat st;
	int fd;

	if (s->opts.guest ||
	    (sandbox_required(s->opts.profile) & SANDBOX_COVER) == 0)
		return 0;
	for (fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
			return err_set(err, ERR_LAYER, "sandbox layer cover: "
			    "descriptor %d is a directory outside of it", fd);
	}
	return 0;
}

/* As `jobs' shows it: without the last & and what cannot be seen. */
static char *
job_words(const struct decision *d, const struct exec_spec *spec)
{
	size_t amp = spec->amp > 0 ? spec->amp - spec->preamble : 0;
	struct buf out = BUF_INIT;
	size_t len;
	const char *bytes = decision_bytes(d, &len);

	bytes += spec->preamble;
	len -= spec->preamble;
	if (amp > 0 && exec_is_blank(bytes + amp, len - amp))
		len = amp - 1;
	while (len > 0 && strchr(" \t\n", bytes[len - 1]) != NULL)
		len--;
	text_inert(&out, bytes, len < EXEC_TEXT_MAX ? len : EXEC_TEXT_MAX, 0);
	if (len > EXEC_TEXT_MAX)
		buf_puts(&out, "...");
	return buf_take(&out);
}

static void
job_begin(struct exec_session *s, struct job *j, pid_t pid,
    struct exec_command *cmd, const struct exec_spec *spec)
{
	char *const *o;

	j->pid = pid;
	j->own_group = s->opts.tty >= 0 || spec->own_session;
	j->cancel_fd = spec->cancel_fd;
	if (spec->limit_ms > 0)
		j->end_ns = clock_mono_ns() + spec->limit_ms * MS;
	j->foreground = j->bound = spec->foreground;
	j->state = JOB_RUNNING;
	j->capture_open = spec->bring_back;
	capture_begin(j->capture, pid);
	if (j->own_group && !spec->own_session)
		setpgid(pid, pid);	/* it did; for those who race us */
	if (spec->kind == EXEC_STREAM) {
		j->stream = xcalloc(1, sizeof *j->stream);
		j->stream->fd = cmd->stream_fd;
		for (o = spec->options; o != NULL && *o != NULL; o++)
			strv_add(&j->stream->options, *o);
		cmd->stream_fd = -1;
	}
	if (!spec->foreground)
		exec_job_enter(s, j);
}

/* Their supervisors look at what lines leave with us. */
static void
tell_others(const struct exec_session *s, pid_t pid)
{
	size_t i;

	for (i = 0; i < s->n_jobs; i++)
		if (s->jobs[i]->supervisor != NULL &&
		    s->jobs[i]->state != JOB_DONE)
			supervise_other(s->jobs[i]->supervisor, pid);
}

/* Of what is only tried nothing stays, and what asks may be asked when it is
 * known what it would do. */
static bool
may_run(const struct decision *d, const struct exec_spec *spec)
{
	switch (decision_action(d)) {
	case DECISION_BLOCK:
		return false;
	case DECISION_CONFIRM:
		return spec->trial != NULL;
	case DECISION_ALLOW:
		return true;
	}
	return false;
}

/* As late as possible: whoever is forked after it holds an end of its pipes
 * open. */
static int
carry_output(struct job *j, struct exec_command *cmd,
    const struct exec_spec *spec, struct err *err)
{
	int rc, fd;

	if (spec->relay == NULL || spec->trial != NULL || spec->std != NULL)
		return 0;
	rc = relay_start(spec->relay, &j->relay, err);
	for (fd = STDOUT_FILENO; j->relay != NULL && fd <= STDERR_FILENO; fd++)
		exec_command_redirect(cmd, fd, relay_child_fd(j->relay, fd));
	return rc;
}

int
exec_start(struct exec_session *s, const struct decision *d,
    const struct exec_spec *spec, struct job **ret, struct err *err)
{
	AEG_AUTO(exec_command_done) struct exec_command cmd = {
		.line_fd = -1, .stream_fd = -1, .script_fd = -1,
		.text_fd = -1 };
	bool stream = spec->kind == EXEC_STREAM;
	struct job *j;
	pid_t pid;
	int rc;

	if (!may_run(d, spec))
		return err_set(err, ERR_REFUSED,
		    "the decision does not let this run");
	if (spec->trial != NULL && (!spec->own_session || s->opts.guest ||
	    stream))
		return err_set(err, -EINVAL, "a try is of one line, in a "
		    "session of its own");
	if (spec->own_session && (s->opts.launcher || s->opts.tty >= 0))
		return err_set(err, -EINVAL, "a session of its own is for "
		    "those that are confined one by one");
	if (stream && spec->bring_back)
		return err_set(err, -EINVAL, "a stream brings nothing back");
	exec_reap_watchers(s);
	rc = check_std(s, err);
	if (rc == 0)
		rc = check_watched(s, spec, err);
	if (rc < 0)
		return rc;
	j = xcalloc(1, sizeof *j);
	rc = capture_new(spec->bring_back ? s->opts.state_max : 0,
	    &j->capture, err);
	if (rc == 0)
		rc = exec_command_make(d, spec, j->capture, &cmd, err);
	if (rc < 0) {
		job_free(s, j);
		return rc;
	}
	/* Too many of them: then it has none, which loses no more. */
	if (spec->bring_back && spec->dirs != NULL)
		(void)capture_dirs(j->capture, spec->dirs);
	if (s->opts.tty < 0 && spec->foreground) {
		exec_session_quiet(s);
		j->quiet = true;
	}
	if (spec->supervise != NULL)
		rc = supervise_start(spec->supervise, &j->supervisor, err);
	if (rc == 0)
		rc = carry_output(j, &cmd, spec, err);
	pid = rc < 0 ? rc : start(s, &cmd, spec, j->supervisor, err);
	if (j->relay != NULL)
		relay_handed_over(j->relay);
	if (j->supervisor != NULL)
		supervise_handed_over(j->supervisor);
	if (pid < 0) {
		if (s->opts.tty >= 0)
			exec_tty_take(s, NULL);
		job_free(s, j);
		return (int)pid;
	}
	tell_others(s, pid);
	j->text = job_words(d, spec);
	job_begin(s, j, pid, &cmd, spec);
	*ret = j;
	return 0;
}
