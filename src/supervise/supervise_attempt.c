/* SPDX-License-Identifier: ISC */
/*
 * When a new image runs.  Its execve(2) was asked about, as an attempt; the
 * first thing that is asked about after it shows that it runs: libc asks for
 * set_tid_address(2), the runtime of Go for sched_getaffinity(2), before
 * main().  One that asks for nothing, or whose own filter refuses what it
 * would be asked about (the kernel takes SECCOMP_RET_ERRNO before
 * SECCOMP_RET_USER_NOTIF), is looked at unasked, a millisecond and at most a
 * tick of the clock (supervise_pace.c) after its attempt, and again until it is
 * seen; so it is killed some milliseconds late.
 *
 * Whether there is another image is told by the 16 bytes that the kernel
 * draws for each (AT_RANDOM) together with the file that runs.  A program can
 * write over those bytes, but what it can pass for is an image of its own
 * file, which was judged.
 *
 * An attempt is over when the very thread that made it asks about something
 * else.  That of a thread that leads no process is never known to be over but
 * by another image, since it takes over the leader's number; and where images
 * were forgotten (supervise_judged.c), one that is not known may be the one
 * before it.
 */
#include "supervise_int.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define FIRST_LOOK_NS ((int64_t)1000000)
#define LAST_LOOK_NS ((int64_t)1000000000)	/* no longer in between */
#define UNSEEN_NS ((int64_t)3 * 1000000000)	/* that it may not be seen */

/* ---- images that were judged --------------------------------------------- */

static bool
is_judged(struct sup *s, const struct sup_mark *m)
{
	return (m->file == s->first.file && memcmp(m->random, s->first.random,
	    sizeof m->random) == 0) || sup_judged_has(&s->judged, m);
}

void
sup_attempt_first(struct sup *s)
{
	struct sup_image m;

	if (sup_proc_image(s->line, sup_proc_stat(s->line), &m) == 0)
		s->first = m.mark;
	sup_image_done(&m);
}

/* ---- attempts ------------------------------------------------------------ */

static struct sup_tried *
find(const struct sup_attempts *a, pid_t pid)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		if (a->v[i].pid == pid)
			return &a->v[i];
	return NULL;
}

static void
forget(struct sup_attempts *a, struct sup_tried *t)
{
	if (t != NULL)
		*t = a->v[--a->n];
}

enum sup_answer
sup_attempt(struct sup *s)
{
	struct sup_attempts *a = &s->attempts;
	pid_t asker = (pid_t)s->ask->pid, pid = sup_proc_leader(asker);
	struct sup_tried *t = find(a, pid);

	if (!s->images || pid <= 0)
		return SUP_CONTINUE;
	if (t == NULL) {
		if (a->n == a->size) {
			a->size = a->size > 0 ? 2 * a->size : 16;
			a->v = xreallocarray(a->v, a->size, sizeof *a->v);
		}
		t = &a->v[a->n++];
		*t = (struct sup_tried){ .pid = pid };
	}
	t->threads = t->threads || asker != pid;
	t->since_ns = clock_mono_ns();
	t->look_ns = t->since_ns + FIRST_LOOK_NS;
	t->wait_ns = FIRST_LOOK_NS;
	return SUP_CONTINUE;
}

enum sup_answer
sup_shown(struct sup *s)
{
	pid_t pid = (pid_t)s->ask->pid;
	bool libc = s->ask->data.nr == __NR_set_tid_address;
	struct sup_tried *t = find(&s->attempts, pid);
	enum sup_answer a = SUP_CONTINUE;
	struct sup_image *const m = &s->image;
	bool is_new;
	int rc;

	/* Its threads come after its start. */
	if (t == NULL && !libc)
		return SUP_CONTINUE;
	rc = sup_proc_image(pid, *sup_asker(s), m);
	is_new = rc == 0 && !is_judged(s, &m->mark);
	/* It failed, or has come true. */
	if (t != NULL && (rc == 0 || libc) && (!t->threads || (is_new &&
	    !s->judged.lossy)))
		forget(&s->attempts, t);
	if (is_new || (rc < 0 && libc)) {
		if (rc == 0)
			sup_judged_add(&s->judged, &m->mark);
		if (rc == 0 && pid == s->line && !s->began)
			s->first = m->mark;
		a = sup_image(s, rc, m);
	}
	sup_image_done(m);
	return a;
}

/* ---- looking unasked ----------------------------------------------------- */

int64_t
sup_attempt_due(const struct sup *s)
{
	int64_t due = 0;
	size_t i;

	for (i = 0; i < s->attempts.n; i++)
		if (due == 0 || s->attempts.v[i].look_ns < due)
			due = s->attempts.v[i].look_ns;
	return due;
}

/* True: nothing more is to be seen of it. */
static bool
look_at(struct sup *s, const struct sup_tried *t)
{
	struct sup_stat stat = sup_proc_stat(t->pid);
	struct sup_image *const m = &s->image;
	bool is_new;
	int rc;

	if (stat.start == 0 || stat.state == 'Z' || stat.state == 'X')
		return true;
	s->asker = stat;
	rc = sup_proc_image(t->pid, stat, m);
	is_new = rc == 0 && !is_judged(s, &m->mark);
	if (is_new) {
		sup_judged_add(&s->judged, &m->mark);
		(void)sup_image(s, rc, m);
	} else if (rc < 0 && clock_mono_ns() - t->since_ns >= UNSEEN_NS &&
	    sup_is_valid(s))
		sup_break(s, "a program was started that cannot be looked "
		    "into: %s; see Supervision in aegsh(7)", strerror(-rc));
	sup_image_done(m);
	/* Else it is not there yet, or it failed. */
	return is_new && !s->judged.lossy;
}

void
sup_attempt_look(struct sup *s)
{
	const int64_t now = s->attempts.n > 0 ? clock_mono_ns() : 0;
	size_t i = 0;

	sup_judged_tidy(&s->judged, s->head.start);
	while (i < s->attempts.n && !s->broken) {
		struct sup_tried *t = &s->attempts.v[i];

		if (t->look_ns > now) {
			i++;
			continue;
		}
		if (t->wait_ns < LAST_LOOK_NS)
			t->wait_ns *= 2;
		t->look_ns = now + t->wait_ns;
		/* A question that nobody asked. */
		memset(s->ask, 0, s->ask_size);
		s->ask->pid = (uint32_t)t->pid;
		s->ask->data.nr = -1;
		s->asker_id = 0;
		s->asker.start = 0;
		s->looked_at = (int)syscall(SYS_pidfd_open, t->pid, 0);
		if (s->looked_at < 0 || look_at(s, t))
			forget(&s->attempts, t);
		else
			i++;
		io_close(&s->looked_at);
		sup_asker_done(s);
	}
}
