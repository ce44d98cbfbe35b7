/* SPDX-License-Identifier: ISC */
/*
 * The end of a job, and what brings it about: who guards it is lost, or its
 * bash has ended.
 *
 * As long as bash is not reaped the rest of the line is found by its number,
 * whether it is dead or alive; so its guards are asked before that.  One that
 * is gone by then may have been killed with bash in one moment, and others of
 * the line still run.
 */
#include "exec_int.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- guards -------------------------------------------------------------- */

/* All lines stand still, and neither reads nor writes the terminal. */
static bool
ask(struct exec_session *s, const char *text, size_t len)
{
	struct supervise_stopped *still = supervise_stop();
	pid_t front = -1;
	bool yes;

	if (s->opts.tty >= 0) {
		front = tcgetpgrp(s->opts.tty);
		tcsetpgrp(s->opts.tty, s->pgrp);
	}
	yes = s->opts.question(s->opts.ctx, text, len);
	if (front > 0)
		tcsetpgrp(s->opts.tty, front);
	supervise_go_on(still);
	return yes;
}

static void
hear_questions(struct exec_session *s, struct job *j)
{
	enum supervise_says says;
	char *text;
	size_t len;
	int sock;

	while (supervise_question(j->supervisor, &text, &len, &sock) > 0) {
		says = SUPERVISE_SAYS_NO;
		if (!j->foreground || j->state != JOB_RUNNING)
			says = SUPERVISE_SAYS_BEHIND;
		else if (s->opts.question != NULL && ask(s, text, len))
			says = SUPERVISE_SAYS_YES;
		free(text);
		supervise_reply(&sock, says);
	}
}

void
exec_job_kill(struct exec_session *s, struct job *j)
{
	supervise_kill_tree(j->pid);
	if (j->supervisor != NULL)
		supervise_kill_images(j->supervisor);
	exec_job_signal(j, SIGKILL);
	if (j->supervisor != NULL && supervise_pid(j->supervisor) > 0)
		supervise_kill_adopted(j->pid, exec_reap_is_known, s);
}

/* Without its supervisor nothing of a line may go on. */
static void
kill_unguarded(struct exec_session *s, struct job *j)
{
	exec_job_kill(s, j);
	supervise_end_with_outer(j->supervisor);
}

void
exec_job_hear(struct exec_session *s, struct job *j)
{
	if (j->supervisor == NULL || j->state == JOB_DONE)
		return;
	if (supervise_take(j->supervisor) == 0)
		hear_questions(s, j);
	else
		kill_unguarded(s, j);
}

void
exec_job_mind_output(struct exec_session *s, struct job *j)
{
	if (j->state == JOB_DONE)
		return;
	if ((j->relay != NULL && relay_lost(j->relay)) ||
	    (s->opts.term != NULL && j->foreground &&
	    (relay_term_lost(s->opts.term) ||
	    relay_term_killed(s->opts.term) != NULL)))
		exec_job_kill(s, j);
}

/* ---- its bash ------------------------------------------------------------ */

/* Nothing more comes of the line but by who outlives it. */
static void
end_guards(struct exec_session *s, struct job *j)
{
	exec_job_watch(s, j, false);
	exec_job_mind(s, j, false);
	if (j->supervisor != NULL && supervise_end(j->supervisor) < 0)
		kill_unguarded(s, j);
	else if (j->relay != NULL && relay_lost(j->relay))
		exec_job_kill(s, j);
}

/* It stays as it is.  -errno: somebody else took it. */
static int
has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT |
	    WNOHANG) < 0)
		if (errno != EINTR)
			return -errno;
	return info.si_pid != 0;
}

static void
take_stops(struct job *j)
{
	siginfo_t info = { .si_pid = 0 };

	while (waitid(P_PID, (id_t)j->pid, &info, WSTOPPED | WCONTINUED |
	    WNOHANG) == 0 && info.si_pid != 0) {
		j->state = info.si_code == CLD_CONTINUED ? JOB_RUNNING :
		    JOB_STOPPED;
		if (j->state == JOB_STOPPED) {
			j->wait_status = W_STOPCODE(info.si_status);
			return;
		}
		info.si_pid = 0;
	}
}

int
exec_job_reap(struct exec_session *s, struct job *j)
{
	struct rusage usage;
	int rc, status = 0;

	if (j->orphans)
		return exec_reap_orphans(j);
	rc = has_ended(j->pid);
	if (rc == 0) {
		/* Without job control a stop is for the caller's own
		 * caller. */
		if (s->opts.tty >= 0)
			take_stops(j);
		return 0;
	}
	end_guards(s, j);
	j->state = JOB_DONE;
	while (rc > 0 && wait4(j->pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			rc = -errno;
	if (rc < 0) {
		/* Its end is not known. */
		j->wait_status = W_EXITCODE(127, 0);
		capture_end(j->capture, W_EXITCODE(0, SIGKILL), NULL);
		return rc;
	}
	j->wait_status = status;
	j->capture_open = false;
	capture_end(j->capture, status, &usage);
	return 0;
}
