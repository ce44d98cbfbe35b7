/* SPDX-License-Identifier: ISC */
/* A process and what it has started; killing them. */
#include "supervise_int.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

/* PID_MAX_LIMIT of the kernel: there are no more at a time. */
#define MEMBERS_MAX ((size_t)4 * 1024 * 1024)
#define MEMBERS_FIRST 256

static void
add(struct sup_tree *t, pid_t pid)
{
	if (t->n == MEMBERS_MAX)
		return;
	if ((t->n & (t->n - 1)) == 0)
		t->pid = xreallocarray(t->pid, t->n > 0 ? 2 * t->n : 1,
		    sizeof *t->pid);
	t->pid[t->n++] = pid;
}

void
sup_tree_root(struct sup_tree *t, pid_t pid)
{
	add(t, pid);
	t->n_roots = t->n;
}

static int
compare(const void *a, const void *b)
{
	const pid_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void
add_children_of(struct sup_tree *t, pid_t pid, const char *thread)
{
	char path[300];
	FILE *f;
	int child;

	snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)pid,
	    thread);
	f = fopen(path, "re");
	if (f == NULL)
		return;
	while (fscanf(f, "%d", &child) == 1)
		if (bsearch(&child, t->pid, t->n_roots, sizeof *t->pid,
		    compare) == NULL)
			add(t, child);
	fclose(f);
}

/* Any of its threads may be the parent. */
static void
add_children(struct sup_tree *t, pid_t pid)
{
	char path[64];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	d = opendir(path);
	while (d != NULL && (e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			add_children_of(t, pid, e->d_name);
	if (d != NULL)
		closedir(d);
}

void
sup_tree_grow(struct sup_tree *t, bool stop)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		if (stop && i >= t->n_roots)
			kill(t->pid[i], SIGSTOP);
		add_children(t, t->pid[i]);
	}
}

void
sup_tree_children(struct sup_tree *t)
{
	size_t i;

	for (i = 0; i < t->n_roots; i++)
		add_children(t, t->pid[i]);
}

void
sup_tree_done(struct sup_tree *t)
{
	free(t->pid);
	*t = (struct sup_tree){ NULL, 0, 0 };
}

/* Those below are stopped first, so that they start no others while they are
 * looked for; the head is not, whose stop would be taken for a job's.  It is
 * killed first: it must not go on because a child of it has ended. */
void
supervise_kill_tree(pid_t pid)
{
	struct sup_tree t = { NULL, 0, 0 };
	size_t i;

	/* Below these is everybody. */
	if (pid <= 1)
		return;
	sup_tree_root(&t, pid);
	sup_tree_grow(&t, true);
	for (i = 0; i < t.n; i++)
		kill(t.pid[i], SIGKILL);
	sup_tree_done(&t);
}

/* ---- standing still ----------------------------------------------------- */

#define STOP_STEP_MS 2		/* between looks whether they do … */
#define STOP_STEPS 125		/* … which some of them may not */

struct supervise_stopped {
	struct sup_tree tree;
};

static bool
stands(pid_t pid)
{
	char state = sup_proc_stat(pid).state;

	return state == 0 || strchr("TtZX", state) != NULL;
}

/* Those of lines that go on are stopped, with what they start meanwhile; what
 * is not confined is ours, or root's. */
static void
stop_each(struct sup_tree *t)
{
	size_t i, n = 0;

	for (i = 0; i < t->n; i++) {
		bool ours = i == 0 || stands(t->pid[i]) ||
		    !sup_proc_no_new_privs(t->pid[i]);

		if (!ours)
			kill(t->pid[i], SIGSTOP);
		add_children(t, t->pid[i]);
		/* What stood before is not ours to let go on. */
		if (ours)
			t->pid[i] = 0;
	}
	for (i = 0; i < t->n; i++)
		if (t->pid[i] > 0)
			t->pid[n++] = t->pid[i];
	t->n = n;
}

struct supervise_stopped *
supervise_stop(void)
{
	struct supervise_stopped *s = xcalloc(1, sizeof *s);
	unsigned step;
	size_t i = 0;

	/* No roots: each of them is looked at. */
	add(&s->tree, getpid());
	stop_each(&s->tree);
	for (step = 0; i < s->tree.n && step < STOP_STEPS; step++) {
		while (i < s->tree.n && stands(s->tree.pid[i]))
			i++;
		if (i < s->tree.n)
			poll(NULL, 0, STOP_STEP_MS);
	}
	return s;
}

void
supervise_go_on(struct supervise_stopped *s)
{
	size_t i;

	/* From the end on: who waits for others sees none of them stopped. */
	for (i = s->tree.n; i > 0; i--)
		kill(s->tree.pid[i - 1], SIGCONT);
	sup_tree_done(&s->tree);
	free(s);
}

bool
sup_is_same(const struct sup_known *k)
{
	/* Most that are asked about are gone; that is told for less. */
	return k->start != 0 && (kill(k->pid, 0) == 0 || errno != ESRCH) &&
	    sup_proc_stat(k->pid).start == k->start;
}

static int
by_pid(const void *a, const void *b)
{
	const struct sup_known *x = a, *y = b;

	return x->pid != y->pid ? (x->pid > y->pid) - (x->pid < y->pid) :
	    (x->start > y->start) - (x->start < y->start);
}

/* One that becomes another program again and again comes each time. */
void
sup_members_forget_dead(struct sup_members *m)
{
	size_t i, n = 0;

	if (m->n > 0)
		qsort(m->v, m->n, sizeof *m->v, by_pid);
	for (i = 0; i < m->n; i++)
		if ((n == 0 || by_pid(&m->v[n - 1], &m->v[i]) != 0) &&
		    sup_is_same(&m->v[i]))
			m->v[n++] = m->v[i];
	m->n = n;
}

/* Room for twice as many as live: looking for the dead costs each that comes
 * about the same. */
void
sup_members_add(struct sup_members *m, struct sup_known k)
{
	size_t want;

	if (m->n == m->size) {
		sup_members_forget_dead(m);
		want = m->n < MEMBERS_FIRST ? MEMBERS_FIRST : 2 * m->n;
		if (want > m->size) {
			m->v = xreallocarray(m->v, want, sizeof *m->v);
			m->size = want;
		}
	}
	m->v[m->n++] = k;
}

void
sup_members_kill(const struct sup_members *m)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		if (sup_is_same(&m->v[i]))
			supervise_kill_tree(m->v[i].pid);
}
