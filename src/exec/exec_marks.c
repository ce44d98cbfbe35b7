/* SPDX-License-Identifier: ISC */
/*
 * Which job is %+ and which %-, by the rules of bash 5.2: the one that
 * stopped last, or was in front; else the newest that is stopped; else the
 * newest that runs.  A job that ends keeps its mark until it is told of.
 */
#include "exec_int.h"

/* The newest in this state that stands before the job at limit. */
static struct job *
newest(const struct exec_session *s, enum job_state state, size_t limit)
{
	while (limit-- > 0)
		if (s->jobs[limit]->state == state)
			return s->jobs[limit];
	return NULL;
}

static size_t
place(const struct exec_session *s, const struct job *j)
{
	size_t i;

	for (i = 0; i < s->n_jobs; i++)
		if (s->jobs[i] == j)
			break;
	return i;
}

void
exec_marks_set(struct exec_session *s, struct job *j)
{
	struct job *found = NULL;

	if (s->current != j) {
		s->previous = s->current;
		s->current = j;
	}
	if (s->previous != NULL && s->previous != j &&
	    s->previous->state == JOB_STOPPED)
		return;
	if (j->state == JOB_STOPPED)
		found = newest(s, JOB_STOPPED, place(s, j));
	if (found == NULL)
		found = newest(s, JOB_RUNNING, j->state == JOB_RUNNING ?
		    place(s, j) : s->n_jobs);
	s->previous = found != NULL ? found : j;
}

void
exec_marks_reset(struct exec_session *s)
{
	struct job *found = NULL;

	if (s->current != NULL && s->current->state == JOB_STOPPED)
		found = s->current;
	else if (s->previous != NULL && s->previous->state == JOB_STOPPED)
		found = s->previous;
	if (found == NULL)
		found = newest(s, JOB_STOPPED, s->n_jobs);
	if (found == NULL)
		found = newest(s, JOB_RUNNING, s->n_jobs);
	/* Nothing but what is done: as it was, so that it can be told. */
	if (found != NULL)
		exec_marks_set(s, found);
	else if (s->current == NULL && s->n_jobs > 0)
		s->current = s->previous = s->jobs[s->n_jobs - 1];
}

void
exec_marks_forget(struct exec_session *s, const struct job *j)
{
	bool marked = s->current == j || s->previous == j;

	if (s->current == j)
		s->current = NULL;
	if (s->previous == j)
		s->previous = NULL;
	if (marked)
		exec_marks_reset(s);
}
