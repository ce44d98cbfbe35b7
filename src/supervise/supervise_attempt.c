/* SPDX-License-Identifier: ISC */
/*
 * Programs that do not ask as libc does when they begin: what is linked
 * statically by another tool chain.  Their execve(2) was asked about, as an
 * attempt; the first thing that they ask about after it shows that they run.
 *
 * Whether the image is another one by then is told by where its stack begins,
 * which the kernel draws anew for each.
 */
#include "supervise_int.h"

#include <sys/syscall.h>

static uint64_t
stack_of(pid_t pid)
{
	return sup_proc_stat(pid, SUP_STAT_STACK);
}

enum sup_answer
sup_attempt(struct sup *s)
{
	struct sup_attempts *a = &s->attempts;
	pid_t pid = sup_proc_leader((pid_t)s->ask->pid);

	/* It may be tried again and again, along PATH. */
	sup_confirmed(s, pid);
	/* A full table forgets who tried first: most have shown themselves. */
	a->v[a->next % SUP_ATTEMPTS].pid = pid;
	a->v[a->next++ % SUP_ATTEMPTS].stack = stack_of(pid);
	return SUP_CONTINUE;
}

void
sup_confirmed(struct sup *s, pid_t pid)
{
	size_t i;

	for (i = 0; i < SUP_ATTEMPTS; i++)
		if (s->attempts.v[i].pid == pid)
			s->attempts.v[i].pid = 0;
}

enum sup_answer
sup_unconfirmed(struct sup *s)
{
	struct sup_attempts *a = &s->attempts;
	pid_t pid = (pid_t)s->ask->pid;
	size_t i;

	/* Not one of its threads, which come after the start. */
	for (i = 0; i < SUP_ATTEMPTS && a->v[i].pid != pid; i++)
		;
	if (i == SUP_ATTEMPTS || s->ask->data.nr == __NR_execve ||
	    s->ask->data.nr == __NR_execveat ||
	    s->ask->data.nr == __NR_set_tid_address)
		return SUP_CONTINUE;
	a->v[i].pid = 0;
	return stack_of(pid) == a->v[i].stack ? SUP_CONTINUE : sup_image(s);
}
