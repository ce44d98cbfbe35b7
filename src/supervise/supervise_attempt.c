/* SPDX-License-Identifier: ISC */
/*
 * When a new image runs.  Its execve(2) was asked about, as an attempt; the
 * first thing that is asked about after it shows that it runs: a library that
 * is opened, set_tid_address(2) of libc, its end, or whatever a program without
 * libc comes to first.
 *
 * Whether the image is another one by then is told by where its stack begins,
 * which the kernel draws anew for each where it draws at all, and by the 16
 * bytes that it draws for each in any case (AT_RANDOM).  A process may change
 * what is told of itself, and is looked at once more then; it cannot know
 * beforehand what the kernel will draw.
 *
 * So the call that shows an image may be any, and which of them a filter of
 * the program's own refuses makes no difference: an attempt is over when the
 * very thread that made it asks about something else, and not before.  That
 * of a thread that leads no process is never known to be over, since it takes
 * over the leader's number.
 */
#include "supervise_int.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "aegsh/base/mem.h"

#define ATTEMPTS_FIRST 64

static struct sup_tried *
find(const struct sup_attempts *a, pid_t pid)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		if (a->v[i].who.pid == pid)
			return &a->v[i];
	return NULL;
}

/* Those that live are kept, each once: no more than there are processes. */
static void
make_place(struct sup_attempts *a)
{
	size_t i, n = 0;

	for (i = 0; i < a->n; i++)
		if (sup_is_same(&a->v[i].who))
			a->v[n++] = a->v[i];
	a->n = n;
	if (a->size >= ATTEMPTS_FIRST && n <= a->size / 2)
		return;
	a->size = a->size > 0 ? 2 * a->size : ATTEMPTS_FIRST;
	a->v = xreallocarray(a->v, a->size, sizeof *a->v);
}

static struct sup_stat
stat_of(struct sup *s, pid_t pid)
{
	return pid == (pid_t)s->ask->pid ? *sup_asker(s) : sup_proc_stat(pid);
}

static struct sup_mark
mark_of(pid_t pid, const struct sup_stat *stat)
{
	struct sup_mark m = { .stack = stat->stack };

	/* Of one that may not be looked into there are zeros. */
	if (m.stack != 0)
		(void)sup_proc_random(pid, m.random);
	return m;
}

static bool
is_equal(const struct sup_mark *a, const struct sup_mark *b)
{
	return a->stack == b->stack &&
	    memcmp(a->random, b->random, sizeof a->random) == 0;
}

enum sup_answer
sup_attempt(struct sup *s)
{
	struct sup_attempts *a = &s->attempts;
	pid_t asker = (pid_t)s->ask->pid, pid = sup_proc_leader(asker);
	const struct sup_stat stat = stat_of(s, pid);
	const struct sup_mark mark = mark_of(pid, &stat);
	struct sup_tried *t = find(a, pid);

	/* Another thread's may have come to its end while that was read: then
	 * this one is gone, and what was read is of the new image. */
	if (!s->images || !sup_is_valid(s))
		return SUP_CONTINUE;
	if (t == NULL) {
		if (a->n == a->size)
			make_place(a);
		t = &a->v[a->n++];
		t->who = (struct sup_known){ 0, 0 };
	}
	if (t->who.pid != pid || t->who.start != stat.start)
		*t = (struct sup_tried){ .who = { pid, stat.start },
			.mark = mark };
	/* With one that is pending the mark is that of before it. */
	else if (!t->pending && !t->threads)
		t->mark = mark;
	if (asker == pid)
		t->pending = true;
	else
		t->threads = true;
	return SUP_CONTINUE;
}

enum sup_answer
sup_shown(struct sup *s)
{
	pid_t pid = (pid_t)s->ask->pid;
	bool libc = s->ask->data.nr == __NR_set_tid_address;
	struct sup_tried *t = find(&s->attempts, pid);
	struct sup_mark now;
	bool same;

	/* One of its number is gone. */
	if (t != NULL && t->who.start != sup_asker(s)->start)
		t = NULL;
	/* Not by one of its threads, which come after the start. */
	if (t == NULL)
		return libc ? sup_image(s) : SUP_CONTINUE;
	if (!t->pending && !t->threads)
		return SUP_CONTINUE;
	now = mark_of(pid, sup_asker(s));
	same = is_equal(&t->mark, &now);
	if (same && !(libc && now.stack == 0)) {
		/* It failed; but what is hidden may be another's. */
		t->pending = t->pending && now.stack == 0;
		return SUP_CONTINUE;
	}
	/* Another try may be the first thing that it asks about, and that of
	 * the image that is there. */
	t->mark = now;
	t->pending = t->pending && now.stack == 0;
	return sup_image(s);
}
