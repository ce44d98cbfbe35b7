/* SPDX-License-Identifier: ISC */
/* wait and disown: jobs that somebody waits for, and nobody any more. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"
#include "shell/bi.h"

#define STATUS_NO_CHILD 127

/* ---- wait --------------------------------------------------------------- */

struct waiting {
	bool next;		/* -n: for one that ends */
	bool to_the_end;	/* -f: a stop is no end */
	const char *var;	/* -p: to hold whose status it is, or NULL */
	pid_t pid;		/* … that one, or 0 */
};

static bool
goes_on(const struct waiting *w, const struct job *j)
{
	return job_state(j) == JOB_RUNNING ||
	    (w->to_the_end && job_state(j) == JOB_STOPPED);
}

/* An operand: a job, or NULL with a complaint. */
static struct job *
operand(struct shell *sh, const char *who, const char *word,
    struct buf *complaint, int *status)
{
	struct job *j;
	int64_t pid;

	if (word[0] == '%') {
		*status = STATUS_NO_CHILD;
		return shell_find_job(sh, who, word, complaint);
	}
	if (text_to_i64(word, 1, INT32_MAX, &pid) != 0) {
		buf_putf(complaint, "aegsh: %s: `", who);
		text_inert(complaint, word, strlen(word), 0);
		buf_puts(complaint, "': not a pid or valid job spec\n");
		*status = 1;
		return NULL;
	}
	j = exec_job_of(turn_exec(sh->turn), (pid_t)pid);
	if (j == NULL)
		buf_putf(complaint, "aegsh: %s: pid %d is not a child of this "
		    "shell\n", who, (int)pid);
	*status = STATUS_NO_CHILD;
	return j;
}

/* Sleep once; false when the person has had enough. */
static bool
doze(struct shell *sh)
{
	return exec_wait_jobs(turn_exec(sh->turn), sh->cancel) == 0;
}

static int
wait_one(struct shell *sh, struct waiting *w, const char *word,
    struct buf *complaint)
{
	int status = STATUS_NO_CHILD;
	struct job *j;
	int64_t pid;

	if (text_to_i64(word, 1, INT32_MAX, &pid) == 0 &&
	    exec_past(turn_exec(sh->turn), (pid_t)pid, &status)) {
		w->pid = (pid_t)pid;
		return status;
	}
	j = operand(sh, "wait", word, complaint, &status);
	if (j == NULL)
		return status;
	while (goes_on(w, j))
		if (!doze(sh))
			return 128 + SIGINT;
	w->pid = job_process(j);
	return job_status(j);
}

struct look {
	const struct waiting *w;
	struct buf *warning;	/* for jobs that are not waited for, or NULL */
	bool running;
	struct job *ended;	/* that nobody was told of */
};

static int
look_at(void *ctx, struct job *j, char mark)
{
	struct look *l = ctx;

	(void)mark;
	l->running |= goes_on(l->w, j);
	if (l->ended == NULL && job_state(j) == JOB_DONE)
		l->ended = j;
	if (l->warning != NULL && !goes_on(l->w, j) &&
	    job_state(j) == JOB_STOPPED)
		buf_putf(l->warning, "aegsh: wait: warning: job %u[%d] "
		    "stopped\n", job_number(j), (int)job_process(j));
	return 0;
}

static int
wait_all(struct shell *sh, struct waiting *w, struct buf *complaint)
{
	struct look warn = { .w = w, .warning = complaint };

	for (;;) {
		struct look l = { .w = w };

		exec_each_job(turn_exec(sh->turn), look_at, &l);
		if (w->next && l.ended != NULL) {
			w->pid = job_process(l.ended);
			return job_status(l.ended);
		}
		if (!l.running && w->next)
			return STATUS_NO_CHILD;
		if (!l.running) {
			exec_each_job(turn_exec(sh->turn), look_at, &warn);
			return 0;
		}
		if (!doze(sh))
			return 128 + SIGINT;
	}
}

/* The first of those named to end. */
static int
wait_next(struct shell *sh, struct waiting *w, char *const *words,
    struct buf *complaint)
{
	for (;;) {
		bool any = false;
		int i;

		for (i = 0; words[i] != NULL; i++) {
			int status;
			struct job *j = operand(sh, "wait", words[i],
			    complaint, &status);

			if (j == NULL)
				return status;
			if (!goes_on(w, j)) {
				w->pid = job_process(j);
				return job_status(j);
			}
			any = true;
		}
		if (!any)
			return STATUS_NO_CHILD;
		if (!doze(sh))
			return 128 + SIGINT;
	}
}

/* -p NAME or -pNAME: p is at its p.  0, or a status with a complaint. */
static int
take_name(struct waiting *w, char *const *argv, int *i, const char *p,
    struct buf *complaint)
{
	w->var = p[1] != '\0' ? p + 1 : argv[++*i];
	if (w->var == NULL) {
		buf_putf(complaint, "aegsh: wait: -p: option requires an "
		    "argument\nwait: usage: %s", bi_wait.usage);
		return 2;
	}
	if (text_is_name(w->var, strlen(w->var)))
		return 0;
	buf_puts(complaint, "aegsh: wait: `");
	text_inert(complaint, w->var, strlen(w->var), 0);
	buf_puts(complaint, "': not a valid identifier");
	return 1;
}

/* Options; *ret_first is the index of the first operand.  0, or a status
 * with a complaint. */
static int
wait_options(struct waiting *w, int argc, char *const *argv, int *ret_first,
    struct buf *complaint)
{
	const char *p;
	int i;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		for (p = argv[i] + 1; *p != '\0' && *p != 'p'; p++) {
			const char option[] = { '-', *p, '\0' };

			if (*p != 'n' && *p != 'f')
				return shell_wrong_option(complaint, &bi_wait,
				    option);
			w->next |= *p == 'n';
			w->to_the_end |= *p == 'f';
		}
		if (*p == 'p') {
			int r = take_name(w, argv, &i, p, complaint);

			if (r != 0)
				return r;
		}
	}
	*ret_first = i;
	return 0;
}

/* Where plain variables do not live on, one that is exported does. */
static void
tell_whose(struct shell *sh, const struct waiting *w, struct buf *complaint)
{
	char pid[16] = "";

	if (w->var == NULL)
		return;
	if (w->pid > 0)
		snprintf(pid, sizeof pid, "%d", (int)w->pid);
	if (state_get(sh->state, w->var) != NULL) {
		if (w->pid > 0)
			state_set(sh->state, w->var, pid, NULL);
		else
			state_unset(sh->state, w->var);
	} else if (state_set_plain(sh->state, w->var, pid) != 0) {
		buf_putf(complaint, "aegsh: %s is not exported and would end "
		    "with this line: it was process %s\n", w->var,
		    w->pid > 0 ? pid : "none");
	}
}

static int
run_wait(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct shell *sh = ctx;
	struct waiting w = { .next = false };
	int i, status = wait_options(&w, argc, argv, &i, complaint);

	if (status != 0)
		return status;
	exec_poll_jobs(turn_exec(sh->turn));
	if (i == argc)
		status = wait_all(sh, &w, complaint);
	else if (w.next)
		status = wait_next(sh, &w, argv + i, complaint);
	else
		for (; i < argc; i++)
			status = wait_one(sh, &w, argv[i], complaint);
	tell_whose(sh, &w, complaint);
	return status;
}

/* ---- disown ------------------------------------------------------------- */

struct disowning {
	struct shell *sh;
	struct buf *complaint;
	bool keep;		/* -h: it stays in the table */
	bool all, running;
};

static void
disown(struct disowning *d, struct job *j)
{
	/* Told, since what people disown is meant to outlive the session. */
	if (job_bound(j) && job_state(j) != JOB_DONE)
		buf_putf(d->complaint, "aegsh: disown: job %u began without & "
		    "and ends with this shell all the same\n", job_number(j));
	if (d->keep)
		job_keep(j);
	else
		turn_job_disown(d->sh->turn, j);
}

static int
disown_each(void *ctx, struct job *j, char mark)
{
	struct disowning *d = ctx;

	(void)mark;
	if (!d->running || job_state(j) == JOB_RUNNING)
		disown(d, j);
	return 0;
}

static int
disown_options(struct disowning *d, int argc, char *const *argv)
{
	const char *p;
	int i;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
		if (strcmp(argv[i], "--") == 0)
			return i + 1;
		for (p = argv[i] + 1; *p != '\0'; p++) {
			if (strchr("ahr", *p) == NULL) {
				const char option[] = { '-', *p, '\0' };

				shell_wrong_option(d->complaint, &bi_disown,
				    option);
				return -1;
			}
			d->all |= *p == 'a' || *p == 'r';
			d->running |= *p == 'r';
			d->keep |= *p == 'h';
		}
	}
	return i;
}

static int
run_disown(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct disowning d = { .sh = ctx, .complaint = complaint };
	int i = disown_options(&d, argc, argv), status = 0;

	if (i < 0)
		return 2;
	exec_poll_jobs(turn_exec(d.sh->turn));
	if (i == argc && d.all) {
		exec_each_job(turn_exec(d.sh->turn), disown_each, &d);
		return 0;
	}
	do {
		int unused;
		bool is_pid = i < argc && argv[i][0] != '\0' &&
		    argv[i][strspn(argv[i], "0123456789")] == '\0';
		struct job *j = is_pid ?
		    operand(d.sh, "disown", argv[i], complaint, &unused) :
		    shell_find_job(d.sh, "disown", i < argc ? argv[i] : NULL,
		    complaint);

		if (j == NULL)
			status = 1;
		else
			disown(&d, j);
	} while (++i < argc);
	return status;
}

const struct turn_builtin bi_wait = {
	.name = "wait",
	.usage = "wait [-fn] [-p NAME] [JOB|PID …]",
	.help = TR_LATER("wait until jobs end; Ctrl-C gives it up"),
	.run = run_wait,
};
const struct turn_builtin bi_disown = {
	.name = "disown",
	.usage = "disown [-h] [-ar] [JOB|PID …]",
	.help = TR_LATER("take jobs out of the list, or (-h) keep them "
	    "from a hangup"),
	.run = run_disown,
};
