/* SPDX-License-Identifier: ISC */
/*
 * A start-up file at login, from its decision to its record: as any line,
 * but in a sandbox of its own, where it can look and nothing else.  All
 * that is left of it is the state that it sends back.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "turn/turn_int.h"

#define SANDBOX "login"		/* share/sandbox/login.conf */
#define ARGV0 "-bash"		/* $0, by which some files know a login */

/* Where all files of a login run. */
struct turn_login {
	struct sandbox_profile *sandbox;
	struct exec_session *exec;
};

struct run {
	int null, out, child_out;
};

const struct sandbox_profile *
turn_sandbox(const struct turn *t)
{
	return t->login != NULL ? t->login->sandbox : t->sandbox;
}

void
turn_login_end(struct turn *t)
{
	free(t->login_failed);
	t->login_failed = NULL;
	if (t->login == NULL)
		return;
	exec_session_free(t->login->exec);
	sandbox_profile_free(t->login->sandbox);
	free(t->login);
	t->login = NULL;
}

static void
run_done(struct run *r)
{
	io_close(&r->null);
	io_close(&r->out);
	io_close(&r->child_out);
}

static int
login_begin(struct turn *t, struct err *err)
{
	struct exec_session_opts eo = {
		.tty = -1,
		.ignored = t->opts.ignored,
		.state_max = (size_t)conf_int(t->opts.conf, CONF_STATE_MAX),
	};
	struct sandbox_vars vars;
	int rc;

	if (t->login != NULL)
		return 0;
	t->login = xcalloc(1, sizeof *t->login);
	turn_sandbox_vars(t, &vars);
	rc = sandbox_load(SANDBOX, &vars, &t->login->sandbox, err);
	if (rc == 0) {
		eo.profile = t->login->sandbox;
		rc = exec_session_new(&eo, &t->login->exec, err);
	}
	if (rc < 0)
		turn_login_end(t);
	return rc;
}

static int
run_open(struct turn *t, struct run *r, struct err *err)
{
	int ends[2];

	r->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	/* A writer that nobody reads goes on, without what is too much. */
	if (r->null < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_sys(err, errno, "a start-up file's output");
	r->out = ends[0];
	r->child_out = ends[1];
	return login_begin(t, err);
}

static void
take_output(int fd, struct buf *out)
{
	size_t left = TURN_LOGIN_OUT_MAX;
	char chunk[4096];
	ssize_t n;

	while (left > 0 && (n = read(fd, chunk, left < sizeof chunk ? left :
	    sizeof chunk)) > 0) {
		buf_put(out, chunk, (size_t)n);
		left -= (size_t)n;
	}
}

static void
take_state(struct turn *t, struct job *job, unsigned limit_ms,
    struct turn_result *ret)
{
	const char *bytes;
	size_t len;

	if (job_timed_out(job)) {
		snprintf(ret->note, sizeof ret->note, "it took longer than "
		    "%u ms (option login-timeout)", limit_ms);
		return;
	}
	if (job_cancelled(job)) {
		snprintf(ret->note, sizeof ret->note, "it was interrupted");
		return;
	}
	turn_bring_back(t, job, ret);
	if (capture_frame(job_capture(job), &bytes, &len) == CAPTURE_VALID) {
		ret->note[0] = '\0';	/* functions end with it, as meant */
		return;
	}
	if (ret->note[0] == '\0')
		snprintf(ret->note, sizeof ret->note, "it was ended by "
		    "signal %d", job_signal(job));
}

static void
record_outcome(struct turn *t, int64_t id, const struct job *job,
    const struct turn_result *ret)
{
	const struct capture *c = job_capture(job);
	struct audit_outcome o = {
		.status = ret->status,
		.signal = ret->signal,
		.note = ret->note[0] != '\0' ? ret->note : NULL,
	};

	if (c != NULL) {
		o.duration_ns = capture_duration_ns(c);
		o.cpu_ns = capture_cpu_ns(c);
		o.maxrss_kib = capture_maxrss_kib(c);
	}
	t->ops->outcome(t, id, &o);
}

static void
run_it(struct turn *t, struct turn_judged *j, struct run *r,
    unsigned limit_ms, const struct audit_event *ev, struct turn_result *ret)
{
	AEG_AUTO(strv_done) struct strv envp = STRV_INIT;
	struct supervise_opts watch;
	const int std[3] = { r->null, r->child_out, r->child_out };
	struct job *job = NULL;
	char limited[256] = "";
	struct exec_spec spec = {
		.kind = EXEC_LINE,
		.argv0 = ARGV0,
		.bring_back = true,
		.set_umask = true,
		.umask = state_umask(t->opts.state),
		.std = std,
		.own_session = true,
		.limit_ms = limit_ms,
		.cancel_fd = t->opts.cancel_fd > 0 ? t->opts.cancel_fd : 0,
	};

	turn_supervise(t, t->login->sandbox, j, &watch);
	memcpy(watch.label, ev->uuid, sizeof ev->uuid);
	if (watch.images || supervise_has_limits(&watch.limits))
		spec.supervise = &watch;
	state_envp(t->opts.state, &envp);
	spec.envp = strv_peek(&envp);
	if (exec_start(t->login->exec, j->decision, &spec, &job,
	    &ret->err) != 0) {
		struct audit_outcome failed = {
			.status = TURN_STATUS_BLOCKED,
			.note = ret->err.text,
		};

		ret->status = TURN_STATUS_BLOCKED;
		t->ops->outcome(t, ev->id, &failed);
		return;
	}
	ret->ran = true;
	io_close(&r->child_out);
	if (exec_wait(t->login->exec, job, &ret->err) != 0)
		snprintf(ret->note, sizeof ret->note, "how it ended is not "
		    "known: %.200s", ret->err.text);
	/* What it left running in its group has nothing more to do. */
	kill(-job_pid(job), SIGKILL);
	ret->status = job_status(job);
	ret->signal = job_signal(job);
	(void)turn_limited(t, job, limited, sizeof limited);
	if (turn_killed(t, job, ret->note, sizeof ret->note) != NULL) {
		ret->status = TURN_STATUS_BLOCKED;
		ret->signal = 0;
	} else if (job_state(job) == JOB_DONE) {
		take_state(t, job, limit_ms, ret);
	}
	if (ret->note[0] == '\0')
		snprintf(ret->note, sizeof ret->note, "%s", limited);
	if (ret->note[0] == '\0')
		(void)turn_refused(t, job, 0, ret->note, sizeof ret->note);
	turn_record_images(t, job, TURN_IMAGES_FIRST, ev->id);
	record_outcome(t, ev->id, job, ret);
	job_free(t->login->exec, job);
}

void
turn_login_act(struct turn *t, struct turn_judged *j, unsigned limit_ms,
    struct buf *out, struct turn_result *ret)
{
	AEG_AUTO(run_done) struct run r = { .null = -1, .out = -1,
		.child_out = -1 };
	struct audit_event ev;

	*ret = (struct turn_result){ .err = ERR_INIT };
	if (!turn_permits(t, j, ret))
		return;
	if (j->facts->n_commands == 0 && j->facts->n_functions == 0) {
		ret->ran = true;
		return;
	}
	turn_event(t, j, true, &ev);
	ret->status = TURN_STATUS_BLOCKED;
	if (turn_record_intent(t, &ev, &ret->err) != 0)
		return;
	if (run_open(t, &r, &ret->err) < 0) {
		struct audit_outcome failed = {
			.status = TURN_STATUS_BLOCKED,
			.note = ret->err.text,
		};

		t->ops->outcome(t, ev.id, &failed);
		return;
	}
	ret->status = 0;
	run_it(t, j, &r, limit_ms, &ev, ret);
	/* The profile's say comes after that of any start-up file. */
	if (!turn_is_guest(t))
		policy_clean_state(t->policy, t->opts.state);
	take_output(r.out, out);
}
