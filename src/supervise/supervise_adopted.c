/* SPDX-License-Identifier: ISC */
/*
 * Processes of a line whose parents were killed.  They are below nobody of the
 * line, but become children of aegsh's (PR_SET_CHILD_SUBREAPER, prctl(2)),
 * which has others besides: those that were there before the line, its helpers,
 * and the bashes of other lines.  Whom the line has left is younger than its
 * bash, has the line's filters, and is in no group of another line's.
 *
 * Where two lines run at a time, one that has left its group as well is taken
 * for both's: lines can signal each other, and so gain nothing by that.
 */
#include "supervise_int.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

#define FILTERS "\nSeccomp_filters:"	/* since Linux 5.9 */
#define KILL_PASSES 2000
#define KILL_STEP_MS 1

static long
filters_of(pid_t pid)
{
	AEG_AUTOFREE char *text = xmalloc(SUP_STATUS_MAX + 1);
	ssize_t len = sup_proc_file(pid, "status", text, SUP_STATUS_MAX);
	const char *p;

	text[len > 0 ? len : 0] = '\0';
	p = strstr(text, FILTERS);
	return p != NULL ? strtol(p + strlen(FILTERS), NULL, 10) : 0;
}

static bool
has(const struct sup_members *m, const struct sup_known *k)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		if (m->v[i].pid == k->pid && m->v[i].start == k->start)
			return true;
	return false;
}

static bool
has_group(const struct sup_members *m, pid_t group)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		if (m->v[i].pid == group && sup_is_same(&m->v[i]))
			return true;
	return false;
}

/* A child of aegsh's, and not dead. */
static bool
is_of_line(struct sup *s, const struct sup_known *k)
{
	if (k->pid == s->line || k->pid == getpid() || k->start == 0 ||
	    has(&s->others, k) || has(&s->known, k))
		return false;
	if (k->start >= s->head.start && sup_proc_no_new_privs(k->pid) &&
	    filters_of(k->pid) >= s->filters)
		return !has_group(&s->others, getpgid(k->pid));
	sup_members_add(&s->others, *k);
	return false;
}

static void
children_of(pid_t pid, struct sup_tree *ret)
{
	*ret = (struct sup_tree){ NULL, 0, 0 };
	sup_tree_root(ret, pid);
	sup_tree_children(ret);
}

void
sup_adopted_begin(struct sup *s)
{
	struct sup_tree t;
	size_t i;

	s->others.n = s->adopted.n = 0;
	s->filters = filters_of(s->line);
	children_of(s->aegsh, &t);
	for (i = t.n_roots; i < t.n; i++)
		if (t.pid[i] != s->line)
			sup_members_add(&s->others, (struct sup_known){
			    t.pid[i], sup_proc_stat(t.pid[i]).start });
	sup_tree_done(&t);
}

void
sup_adopted_look(struct sup *s)
{
	struct sup_tree t;
	size_t i;

	/* Once aegsh has ended they go to whom others' go, too. */
	if (getppid() != s->aegsh || s->head.start == 0)
		return;
	s->adopted.n = 0;
	children_of(s->aegsh, &t);
	for (i = t.n_roots; i < t.n; i++) {
		const struct sup_stat stat = sup_proc_stat(t.pid[i]);
		const struct sup_known k = { t.pid[i], stat.start };

		if (stat.state != 'Z' && is_of_line(s, &k))
			sup_members_add(&s->adopted, k);
	}
	sup_tree_done(&t);
}

void
sup_adopted_keep(struct sup *s)
{
	size_t i;

	sup_adopted_look(s);
	for (i = 0; i < s->adopted.n; i++)
		sup_members_add(&s->known, s->adopted.v[i]);
	s->adopted.n = 0;
}

void
sup_adopted_other(struct sup *s, pid_t pid)
{
	const struct sup_known k = { pid, sup_proc_stat(pid).start };
	size_t i, n = 0;

	sup_members_add(&s->others, k);
	for (i = 0; i < s->known.n; i++)
		if (s->known.v[i].pid != pid)
			s->known.v[n++] = s->known.v[i];
	s->known.n = n;
}

/* ---- aegsh's side, which has lost the supervisor ------------------------- */

static bool
kill_once(uint64_t since, pid_t line, supervise_other_fn *is_other, void *ctx)
{
	struct sup_tree t;
	bool found = false;
	size_t i;

	children_of(getpid(), &t);
	for (i = t.n_roots; i < t.n; i++) {
		const struct sup_stat stat = sup_proc_stat(t.pid[i]);

		if (t.pid[i] == line || stat.state == 'Z' ||
		    stat.start < since || is_other(ctx, t.pid[i]) ||
		    !sup_proc_no_new_privs(t.pid[i]))
			continue;
		found = true;
		supervise_kill_tree(t.pid[i]);
	}
	sup_tree_done(&t);
	return found;
}

void
supervise_kill_adopted(pid_t line, supervise_other_fn *is_other, void *ctx)
{
	const uint64_t since = sup_proc_stat(line).start;
	int pass;

	/* Whoever dies leaves its own children to us. */
	for (pass = 0; since > 0 && pass < KILL_PASSES &&
	    kill_once(since, line, is_other, ctx); pass++)
		poll(NULL, 0, KILL_STEP_MS);
}
