/* SPDX-License-Identifier: ISC */
/* Jobs: one bash each, and the table of those that stopped or run beside. */
#include "exec_int.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

pid_t
job_pid(const struct job *j)
{
	return j->pid;
}

enum job_state
job_state(const struct job *j)
{
	return j->state;
}

const struct capture *
job_capture(const struct job *j)
{
	return j->capture;
}

int
job_status(const struct job *j)
{
	if (WIFSTOPPED(j->wait_status))
		return 128 + WSTOPSIG(j->wait_status);
	if (WIFSIGNALED(j->wait_status))
		return 128 + WTERMSIG(j->wait_status);
	return WEXITSTATUS(j->wait_status);
}

int
job_signal(const struct job *j)
{
	return j->state == JOB_DONE && WIFSIGNALED(j->wait_status) ?
	    WTERMSIG(j->wait_status) : 0;
}

bool
job_cancelled(const struct job *j)
{
	return j->cancelled;
}

bool
job_timed_out(const struct job *j)
{
	return j->timed_out;
}

unsigned
job_number(const struct job *j)
{
	return j->number;
}

const char *
job_text(const struct job *j)
{
	return j->text;
}

pid_t
job_process(const struct job *j)
{
	return j->orphans ? j->survivor : j->pid;
}

const struct supervisor *
job_supervisor(const struct job *j)
{
	return j->supervisor;
}

struct relay *
job_relay(const struct job *j)
{
	return j->relay;
}

bool
job_bound(const struct job *j)
{
	return j->bound;
}

int
job_stop_signal(const struct job *j)
{
	return j->state == JOB_STOPPED && WIFSTOPPED(j->wait_status) ?
	    WSTOPSIG(j->wait_status) : 0;
}

bool
job_dumped(const struct job *j)
{
	return j->state == JOB_DONE && WIFSIGNALED(j->wait_status) &&
	    WCOREDUMP(j->wait_status);
}

void
job_set_tag(struct job *j, int64_t tag)
{
	j->tag = tag;
}

int64_t
job_tag(const struct job *j)
{
	return j->tag;
}

enum job_state
job_told(const struct job *j)
{
	return j->told;
}

void
job_set_told(struct job *j, enum job_state told)
{
	j->told = told;
}

void
job_keep(struct job *j)
{
	j->keep = true;
}

void
exec_job_watch(struct exec_session *s, struct job *j, bool on)
{
	struct epoll_event in = { .events = EPOLLIN };

	on = on && j->capture_open && s->poll_fd >= 0;
	if (on == j->watched)
		return;
	j->watched = on;
	/* What cannot be watched is looked at when a child tells of itself. */
	(void)epoll_ctl(s->poll_fd, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL,
	    capture_poll_fd(j->capture), &in);
}

void
exec_job_mind(struct exec_session *s, struct job *j, bool on)
{
	struct epoll_event in = { .events = EPOLLIN };

	if (on != j->minded && j->supervisor != NULL && s->poll_fd >= 0)
		j->minded = epoll_ctl(s->poll_fd, on ? EPOLL_CTL_ADD :
		    EPOLL_CTL_DEL, supervise_poll_fd(j->supervisor), &in) ==
		    0 && on;
}

void
exec_job_feed(struct exec_session *s, struct job *j)
{
	if (!j->capture_open || capture_feed(j->capture) > 0)
		return;
	exec_job_watch(s, j, false);
	j->capture_open = false;
}

/* A leader may have left its group, which then is none: it alone is the job
 * from there on. */
static int
send_signal(const struct job *j, int sig)
{
	if (!j->own_group)
		return kill(j->pid, sig);
	if (kill(-j->pid, sig) == 0)
		return 0;
	return errno == ESRCH && !j->orphans ? kill(j->pid, sig) : -1;
}

void
exec_job_signal(const struct job *j, int sig)
{
	if (j->state != JOB_DONE)
		(void)send_signal(j, sig);
}

void
exec_job_enter(struct exec_session *s, struct job *j)
{
	if (j->number == 0) {
		s->jobs = xreallocarray(s->jobs, s->n_jobs + 1,
		    sizeof *s->jobs);
		j->number = s->n_jobs == 0 ? 1 :
		    s->jobs[s->n_jobs - 1]->number + 1;
		s->jobs[s->n_jobs++] = j;
	}
	exec_job_watch(s, j, true);
	exec_job_mind(s, j, true);
	if (j->state == JOB_STOPPED)
		exec_marks_set(s, j);
	else
		exec_marks_reset(s);
}

static void
leave(struct exec_session *s, struct job *j)
{
	size_t i;

	for (i = 0; i < s->n_jobs; i++) {
		if (s->jobs[i] == j)
			break;
	}
	if (i == s->n_jobs)
		return;
	s->n_jobs--;
	memmove(&s->jobs[i], &s->jobs[i + 1],
	    (s->n_jobs - i) * sizeof *s->jobs);
	exec_marks_forget(s, j);
}

bool
exec_past(const struct exec_session *s, pid_t pid, int *ret_status)
{
	size_t i;

	for (i = s->n_past; i > 0 && s->n_past - i < EXEC_PAST_MAX; i--)
		if (s->past[(i - 1) % EXEC_PAST_MAX].pid == pid) {
			*ret_status = s->past[(i - 1) % EXEC_PAST_MAX].status;
			return true;
		}
	return false;
}

static void
remember(struct exec_session *s, const struct job *j)
{
	size_t at = s->n_past++ % EXEC_PAST_MAX;

	s->past[at].pid = job_process(j);
	s->past[at].status = job_status(j);
}

void
job_free(struct exec_session *s, struct job *j)
{
	if (j == NULL)
		return;
	if (j->number != 0 && j->state == JOB_DONE)
		remember(s, j);
	leave(s, j);
	exec_job_watch(s, j, false);
	exec_job_mind(s, j, false);
	if (j->quiet)
		exec_session_loud(s);
	if (j->supervisor != NULL)
		exec_reap_later(s, supervise_pid(j->supervisor));
	supervise_free(j->supervisor);
	if (j->relay != NULL)
		exec_reap_later(s, relay_pid(j->relay));
	relay_free(j->relay);
	exec_stream_free(j->stream);
	capture_free(j->capture);
	free(j->text);
	free(j);
}

void
job_disown(struct exec_session *s, struct job *j)
{
	/* Its bash, if it waits to be heard, hears that nobody does. */
	job_free(s, j);
}

static struct job *
by_text(struct exec_session *s, const char *text, bool anywhere,
    bool *ret_ambiguous)
{
	struct job *found = NULL;
	size_t i;

	for (i = 0; i < s->n_jobs; i++) {
		if (anywhere ? strstr(s->jobs[i]->text, text) == NULL :
		    !text_starts(s->jobs[i]->text, text))
			continue;
		if (found != NULL) {
			*ret_ambiguous = true;
			return NULL;
		}
		found = s->jobs[i];
	}
	return found;
}

struct job *
exec_job(struct exec_session *s, const char *spec, bool *ret_ambiguous)
{
	int64_t number;
	size_t i;

	*ret_ambiguous = false;
	if (spec == NULL)
		return s->current;
	if (spec[0] == '%')
		spec++;
	/* As bash, which looks no further than these. */
	if (spec[0] == '\0' || spec[0] == '%' || spec[0] == '+')
		return s->current;
	if (spec[0] == '-')
		return s->previous != NULL ? s->previous : s->current;
	if (spec[0] == '?')
		return by_text(s, spec + 1, true, ret_ambiguous);
	if (spec[strspn(spec, "0123456789")] != '\0')
		return by_text(s, spec, false, ret_ambiguous);
	if (text_to_i64(spec, 1, INT32_MAX, &number) < 0)
		return NULL;
	for (i = 0; i < s->n_jobs; i++) {
		if (s->jobs[i]->number == (unsigned)number)
			return s->jobs[i];
	}
	return NULL;
}

struct job *
exec_job_of(struct exec_session *s, pid_t pid)
{
	pid_t group = getpgid(pid);
	size_t i;

	for (i = 0; i < s->n_jobs; i++)
		if (s->jobs[i]->pid == pid || s->jobs[i]->pid == group)
			return s->jobs[i];
	return NULL;
}

int
exec_each_job(struct exec_session *s,
    int (*fn)(void *ctx, struct job *j, char mark), void *ctx)
{
	size_t i = 0;
	int rc = 0;

	/* fn may free the job that it is given. */
	while (rc == 0 && i < s->n_jobs) {
		struct job *j = s->jobs[i];

		rc = fn(ctx, j, j == s->current ? '+' :
		    j == s->previous ? '-' : ' ');
		if (i < s->n_jobs && s->jobs[i] == j)
			i++;
	}
	return rc;
}

int
job_continue(struct exec_session *s, struct job *j, bool foreground,
    struct err *err)
{
	if (j->state == JOB_DONE)
		return err_set(err, -ESRCH, "job has terminated");
	j->foreground = foreground;
	j->state = JOB_RUNNING;
	if (foreground && s->opts.tty >= 0)
		exec_tty_give(s, j);
	if (foreground)
		exec_marks_set(s, j);
	exec_job_signal(j, SIGCONT);
	if (!foreground)
		exec_marks_reset(s);
	return 0;
}

int
job_kill(struct exec_session *s, struct job *j, int sig)
{
	if (j->state == JOB_DONE)
		return -ESRCH;
	if (send_signal(j, sig) < 0)
		return -errno;
	/* It is about to end, and whoever waits from now on waits for that. */
	if (j->state == JOB_STOPPED && (sig == SIGTERM || sig == SIGHUP ||
	    sig == SIGKILL)) {
		if (sig != SIGKILL)
			exec_job_signal(j, SIGCONT);
		j->state = JOB_RUNNING;
	}
	return 0;
}

void
exec_poll_jobs(struct exec_session *s)
{
	struct signalfd_siginfo info[8];
	struct job *stopped = NULL;
	enum job_state was;
	size_t i;

	while (read(s->child_fd, info, sizeof info) > 0)
		;
	for (i = 0; i < s->n_jobs; i++) {
		struct job *j = s->jobs[i];

		if (j->state == JOB_DONE)
			continue;
		was = j->state;
		exec_job_feed(s, j);
		exec_job_hear(s, j);
		exec_job_mind_output(s, j);
		(void)exec_job_reap(s, j);
		if (j->state == JOB_STOPPED && was != JOB_STOPPED)
			stopped = j;
	}
	if (stopped != NULL)
		exec_marks_set(s, stopped);
	exec_reap_watchers(s);
	if (s->opts.tty >= 0)
		exec_reap_strays(s, NULL);
}

int
exec_poll_fd(const struct exec_session *s)
{
	return s->poll_fd;
}

void
exec_spare(struct exec_session *s, const pid_t pids[EXEC_SPARED_MAX])
{
	memcpy(s->spared, pids, sizeof s->spared);
}

int
exec_wait_jobs(struct exec_session *s, int cancel_fd)
{
	struct pollfd p[2] = {
		{ .fd = s->poll_fd, .events = POLLIN },
		{ .fd = cancel_fd, .events = POLLIN },
	};

	if (poll(p, 2, -1) < 0 && errno != EINTR)
		return -errno;
	exec_poll_jobs(s);
	return p[1].revents != 0;
}

void
exec_hangup(struct exec_session *s)
{
	size_t i;

	for (i = 0; i < s->n_jobs; i++)
		if (!s->jobs[i]->keep) {
			exec_job_signal(s->jobs[i], SIGHUP);
			exec_job_signal(s->jobs[i], SIGCONT);
		}
}

void
exec_leave(struct exec_session *s)
{
	size_t i;

	for (i = 0; i < s->n_jobs; i++)
		if (s->jobs[i]->state == JOB_STOPPED)
			(void)job_kill(s, s->jobs[i], SIGTERM);
}
