/* SPDX-License-Identifier: ISC */
/* The terminal: who reads it, in which mode. */
#include "exec_int.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

#define FRONT_TRIES 16
#define MEMBERS_MAX 1024	/* processes that one look goes through */
#define STOP_STEP_NS 2000000	/* between looks whether a group has stopped */
#define STOP_STEPS 125		/* some of it may ignore the key */

static const int stops[] = { SIGTSTP, SIGTTIN, SIGTTOU };

/* Started in the background we wait, stopped, to be put in front; where
 * nobody will (an orphaned group is not stopped) we give up. */
static int
come_to_front(struct exec_session *s, struct err *err)
{
	struct sigaction sa = { .sa_handler = SIG_DFL }, old;
	pid_t front = -1;
	int tries;

	sigaction(SIGTTIN, &sa, &old);
	for (tries = 0; tries < FRONT_TRIES; tries++) {
		front = tcgetpgrp(s->opts.tty);
		if (front < 0 || front == getpgrp())
			break;
		kill(0, SIGTTIN);
	}
	sigaction(SIGTTIN, &old, NULL);
	if (front < 0)
		return err_sys(err, errno, "job control");
	if (front != getpgrp())
		return err_set(err, -EPERM,
		    "job control: not in the terminal's foreground");
	s->old_pgrp = front;
	return 0;
}

int
exec_tty_init(struct exec_session *s, struct err *err)
{
	struct sigaction sa = { .sa_handler = SIG_IGN };
	int tty = s->opts.tty, rc;
	size_t i;

	rc = come_to_front(s, err);
	if (rc < 0) {
		s->opts.tty = -1;
		return rc;
	}
	for (i = 0; i < AEG_NELEM(stops); i++)
		sigaction(stops[i], &sa, &s->old_tty[i]);
	/* A session leader is its group's already. */
	if (getpgrp() != getpid() && setpgid(0, 0) < 0)
		return err_sys(err, errno, "job control: setpgid");
	s->pgrp = getpgrp();
	if (tcsetpgrp(tty, s->pgrp) < 0)
		return err_sys(err, errno, "job control: tcsetpgrp");
	s->has_modes = tcgetattr(tty, &s->modes) == 0;
	return 0;
}

void
exec_tty_done(struct exec_session *s)
{
	size_t i;

	if (s->old_pgrp != s->pgrp)
		tcsetpgrp(s->opts.tty, s->old_pgrp);
	for (i = 0; i < AEG_NELEM(stops); i++)
		sigaction(stops[i], &s->old_tty[i], NULL);
}

void
exec_tty_give(struct exec_session *s, struct job *j)
{
	pid_t group = j->pid;

	if (!j->own_group)
		return;
	/* Where the job's leader went, when its group is none any more: the
	 * keys must reach something that can end. */
	if (kill(-group, 0) < 0 && errno == ESRCH)
		group = getpgid(j->pid);
	if (group < 0)
		return;
	/* First the modes: what is typed from then on is for the job. */
	if (j->has_modes)
		tcsetattr(s->opts.tty, TCSADRAIN, &j->modes);
	tcsetpgrp(s->opts.tty, group);
}

/* State and group from /proc/PID/stat, proc(5); false when it is gone. */
static bool
look(pid_t pid, char *ret_state, pid_t *ret_group)
{
	char path[64], line[512], *end;
	int ppid, group;
	FILE *f;
	bool got;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	got = fgets(line, sizeof line, f) != NULL;
	fclose(f);
	/* A name may hold anything, also ") T 1". */
	end = got ? strrchr(line, ')') : NULL;
	if (end == NULL || sscanf(end + 1, " %c %d %d", ret_state, &ppid,
	    &group) != 3)
		return false;
	*ret_group = group;
	return true;
}

/* Whether nobody of a group below this process goes on. */
static bool
is_still(pid_t group, pid_t pid, unsigned *seen)
{
	char path[64], state;
	bool still = true;
	pid_t its;
	int child;
	FILE *f;

	if (++*seen > MEMBERS_MAX || !look(pid, &state, &its))
		return true;
	if (its == group && strchr("TtZX", state) == NULL)
		return false;
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid,
	    (int)pid);
	f = fopen(path, "re");
	while (still && f != NULL && fscanf(f, "%d", &child) == 1)
		still = is_still(group, child, seen);
	if (f != NULL)
		fclose(f);
	return still;
}

/* Ctrl-Z stops each of a group on its own.  Who waits in a read(2) and has not
 * come to it yet would take what is typed at the next prompt. */
static void
let_stop(const struct job *j)
{
	const struct timespec step = { .tv_nsec = STOP_STEP_NS };
	int steps;

	for (steps = 0; steps < STOP_STEPS; steps++) {
		unsigned seen = 0;

		if (is_still(j->pid, j->pid, &seen))
			return;
		nanosleep(&step, NULL);
	}
}

/*
 * A program that sets O_NONBLOCK sets it for all who share its open file, us
 * and the next programs: reads would fail in the middle of what is typed, and
 * the rest of it come to be read as a line.
 */
static void
let_block(void)
{
	int fd, flags;

	for (fd = 0; fd <= STDERR_FILENO; fd++) {
		flags = fcntl(fd, F_GETFL);
		if (flags >= 0 && (flags & O_NONBLOCK) != 0 && isatty(fd))
			(void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
	}
}

void
exec_tty_take(struct exec_session *s, struct job *j)
{
	int tty = s->opts.tty;
	bool keep;

	if (j != NULL && j->state == JOB_STOPPED && j->own_group)
		let_stop(j);
	tcsetpgrp(tty, s->pgrp);
	if (j != NULL && j->state == JOB_STOPPED)
		j->has_modes = tcgetattr(tty, &j->modes) == 0;
	/* What stty set is meant to stay; what a program left behind when it
	 * failed or died is not. */
	keep = j != NULL && j->state == JOB_DONE && WIFEXITED(j->wait_status)
	    && WEXITSTATUS(j->wait_status) == 0;
	if (keep)
		s->has_modes = tcgetattr(tty, &s->modes) == 0 || s->has_modes;
	else if (s->has_modes)
		tcsetattr(tty, TCSADRAIN, &s->modes);
	let_block();
}

struct tour {
	pid_t group;
	unsigned seen, stopped;
	bool active;		/* one that could go on */
};

/* Returns whether the process is of the group and alive. */
static bool
visit(struct tour *t, pid_t pid)
{
	char path[64], state;
	bool parent = false;
	pid_t group;
	int child;
	FILE *f;

	if (t->active || ++t->seen > MEMBERS_MAX ||
	    !look(pid, &state, &group))
		return false;
	if (group != t->group || state == 'Z' || state == 'X')
		return false;
	if (state == 'T') {
		t->stopped++;
		return true;
	}
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid,
	    (int)pid);
	f = fopen(path, "re");
	while (f != NULL && fscanf(f, "%d", &child) == 1)
		parent = visit(t, child) || parent;
	if (f != NULL)
		fclose(f);
	/* Whoever has children is taken to wait for them. */
	if (!parent || state == 'R')
		t->active = true;
	return true;
}

bool
exec_tty_stuck(pid_t leader)
{
	struct tour t = { .group = leader };

	visit(&t, leader);
	return !t.active && t.stopped > 0 && t.seen <= MEMBERS_MAX;
}

bool
job_in_front(const struct job *j)
{
	return j->foreground;
}
