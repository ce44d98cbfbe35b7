/* SPDX-License-Identifier: ISC */
/*
 * When a new image runs.  Its execve(2) was asked about, as an attempt; the
 * first thing that is asked about after it shows that it runs: a library that
 * is opened, set_tid_address(2) of libc, or whatever a program without libc
 * comes to first.
 *
 * Whether the image is another one by then is told by where its stack begins,
 * which the kernel draws anew for each.
 */
#include "supervise_int.h"

#include <sys/syscall.h>

static size_t
find(const struct sup_attempts *a, pid_t pid)
{
	size_t i;

	for (i = 0; i < SUP_ATTEMPTS && a->v[i].pid != pid; i++)
		;
	return i;
}

enum sup_answer
sup_attempt(struct sup *s)
{
	struct sup_attempts *a = &s->attempts;
	pid_t pid = sup_proc_leader((pid_t)s->ask->pid);
	size_t i = find(a, pid);

	/* It may be tried again and again, along PATH.  A full table forgets
	 * who tried first: most have shown themselves. */
	if (i == SUP_ATTEMPTS)
		i = a->next++ % SUP_ATTEMPTS;
	a->v[i].pid = pid;
	a->v[i].stack = pid == (pid_t)s->ask->pid ? sup_asker(s)->stack :
	    sup_proc_stat(pid).stack;
	a->v[i].shown = false;
	return SUP_CONTINUE;
}

enum sup_answer
sup_shown(struct sup *s)
{
	struct sup_attempts *a = &s->attempts;
	pid_t pid = (pid_t)s->ask->pid;
	bool libc = s->ask->data.nr == __NR_set_tid_address;
	size_t i;

	/* Another try, by the image that is there. */
	if (s->ask->data.nr == __NR_execve ||
	    s->ask->data.nr == __NR_execveat)
		return SUP_CONTINUE;
	/* Not by one of its threads, which come after the start. */
	i = find(a, pid);
	if (i == SUP_ATTEMPTS)
		return libc ? sup_image(s) : SUP_CONTINUE;
	if (a->v[i].shown || (!libc && sup_asker(s)->stack == a->v[i].stack)) {
		/* libc's call comes last of what a start asks about. */
		if (libc)
			a->v[i].pid = 0;
		return SUP_CONTINUE;
	}
	a->v[i].shown = true;
	if (libc)
		a->v[i].pid = 0;
	return sup_image(s);
}
