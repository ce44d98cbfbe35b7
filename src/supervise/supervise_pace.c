/* SPDX-License-Identifier: ISC */
/* When the supervisor runs, beside those that wait for it; what it starts is as
 * it would be without. */
#include "supervise_int.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define GO_FIRST (-10)		/* nice(2) of the supervisor */
#define LATE_NS 4000000UL	/* a tick of most kernels' clock */

/*
 * Where we may, as root may: whoever asks waits, and goes on as soon as it has
 * its answer.  On an equal footing the kernel lets it go on before we sleep,
 * so that it finds two on its processor when it calls execve(2), and is moved
 * to another; that takes longer than all that we do.  What we start ourselves
 * is as it would be without.
 */
static void
go_first(void)
{
	const struct sched_param none = { .sched_priority = 0 };

	if (sched_getscheduler(0) != SCHED_OTHER ||
	    getpriority(PRIO_PROCESS, 0) != 0)
		return;
	if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK,
	    &none) == 0)
		(void)setpriority(PRIO_PROCESS, 0, GO_FIRST);
}

/*
 * Nearly all that it waits for with a time limit comes long before that.  To
 * set a clock of its own for each and to stop it again costs a virtual machine
 * more than all else that is done for a question; what may be late by a tick
 * waits for a tick that comes anyway.
 */
void
sup_pace_begin(struct sup *s)
{
	int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);

	go_first();
	/* 0: as in real time, where there is none. */
	s->slack = slack > 0 ? (unsigned long)slack : 0;
	if (s->slack > 0 && s->slack < LATE_NS)
		prctl(PR_SET_TIMERSLACK, LATE_NS, 0, 0, 0);
}

pid_t
sup_pace_fork(const struct sup *s)
{
	pid_t pid;

	if (s->slack == 0)
		return fork();
	/* What there is at that moment is a child's for good. */
	prctl(PR_SET_TIMERSLACK, s->slack, 0, 0, 0);
	pid = fork();
	if (pid != 0 && s->slack < LATE_NS)
		prctl(PR_SET_TIMERSLACK, LATE_NS, 0, 0, 0);
	return pid;
}
