/* SPDX-License-Identifier: ISC */
/* jobs, fg, bg: lines that were stopped or run beside the prompt. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/io.h"
#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"
#include "shell/bi.h"

struct listing {
	struct shell *sh;
	struct buf *out, *complaint;
	bool pids, only_pids, only_new, running, stopped;
};

/* As bash says it; lengthy tells why a job stopped. */
static void
put_state(struct buf *out, const struct job *j, bool lengthy)
{
	char text[64];

	switch (job_state(j)) {
	case JOB_RUNNING:
		snprintf(text, sizeof text, "Running");
		break;
	case JOB_STOPPED:
		snprintf(text, sizeof text, "%s", lengthy ?
		    strsignal(job_stop_signal(j)) : "Stopped");
		break;
	case JOB_DONE:
		if (job_signal(j) != 0)
			snprintf(text, sizeof text, "%s",
			    strsignal(job_signal(j)));
		else if (job_status(j) != 0)
			snprintf(text, sizeof text, "Exit %d", job_status(j));
		else
			snprintf(text, sizeof text, "Done");
		break;
	}
	buf_putf(out, "%-24s", text);
	if (job_dumped(j))
		buf_puts(out, "(core dumped) ");
}

void
shell_put_job_text(struct buf *out, const struct job *j)
{
	text_inert(out, job_text(j), strlen(job_text(j)), 0);
}

void
shell_put_job(struct buf *out, const struct job *j, char mark, bool pid)
{
	buf_putf(out, "[%u]%c ", job_number(j), mark);
	if (pid)
		buf_putf(out, "%5d ", (int)job_process(j));
	else
		buf_putc(out, ' ');
	put_state(out, j, pid);
	shell_put_job_text(out, j);
	buf_puts(out, job_state(j) == JOB_RUNNING &&
	    !text_ends(job_text(j), "&") ? " &\n" : "\n");
}

static int
list_one(void *ctx, struct job *j, char mark)
{
	struct listing *l = ctx;
	enum job_state state = job_state(j);

	if ((l->running && state != JOB_RUNNING) ||
	    (l->stopped && state != JOB_STOPPED) ||
	    (l->only_new && state == job_told(j)))
		return 0;
	if (l->only_pids) {
		buf_putf(l->out, "%d\n", (int)job_process(j));
		return 0;
	}
	shell_put_job(l->out, j, mark, l->pids);
	job_set_told(j, state);
	if (state == JOB_DONE)
		turn_job_end(l->sh->turn, j);
	return 0;
}

struct named {
	struct job *job;
	char mark;
};

static int
find_mark(void *ctx, struct job *j, char mark)
{
	struct named *n = ctx;

	if (j == n->job)
		n->mark = mark;
	return 0;
}

char
shell_job_mark(struct shell *sh, struct job *j)
{
	struct named n = { j, ' ' };

	exec_each_job(turn_exec(sh->turn), find_mark, &n);
	return n.mark;
}

struct job *
shell_find_job(struct shell *sh, const char *who, const char *spec,
    struct buf *complaint)
{
	bool ambiguous;
	struct job *j = exec_job(turn_exec(sh->turn), spec, &ambiguous);

	if (j != NULL)
		return j;
	if (ambiguous) {
		buf_putf(complaint, "aegsh: %s: ", who);
		text_inert(complaint, spec + (spec[0] == '%'),
		    strlen(spec + (spec[0] == '%')), 0);
		buf_puts(complaint, ": ambiguous job spec\n");
	}
	/* These two say both, as under bash. */
	if (ambiguous && strcmp(who, "jobs") != 0 &&
	    strcmp(who, "disown") != 0)
		return NULL;
	if (spec == NULL)
		spec = "current";
	buf_putf(complaint, "aegsh: %s: ", who);
	text_inert(complaint, spec, strlen(spec), 0);
	buf_puts(complaint, ": no such job\n");
	return NULL;
}

int
shell_wrong_option(struct buf *complaint, const struct turn_builtin *b,
    const char *option)
{
	buf_putf(complaint, "aegsh: %s: ", b->name);
	text_inert(complaint, option, strlen(option), 0);
	buf_putf(complaint, ": invalid option\n%s: usage: %s", b->name,
	    b->usage);
	return 2;
}

/* Options; the index of the first operand, or -1 with a complaint. */
static int
listing_options(struct listing *l, int argc, char *const *argv)
{
	int i;
	const char *p;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
		if (strcmp(argv[i], "--") == 0)
			return i + 1;
		for (p = argv[i] + 1; *p != '\0'; p++) {
			if (strchr("lnprs", *p) == NULL) {
				const char option[] = { '-', *p, '\0' };

				shell_wrong_option(l->complaint, &bi_jobs,
				    option);
				return -1;
			}
			l->pids |= *p == 'l';
			l->only_new |= *p == 'n';
			l->only_pids |= *p == 'p';
			l->running |= *p == 'r';
			l->stopped |= *p == 's';
		}
	}
	return i;
}

static int
run_jobs(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct shell *sh = ctx;
	struct listing l = { .sh = sh, .out = out, .complaint = complaint };
	int i = listing_options(&l, argc, argv), status = 0;
	struct job *j;

	if (i < 0)
		return 2;
	exec_poll_jobs(turn_exec(sh->turn));
	/* Who has seen them may leave without being told. */
	sh->minds_jobs = sh->warned_jobs = true;
	if (i == argc)
		exec_each_job(turn_exec(sh->turn), list_one, &l);
	for (; i < argc; i++) {
		j = shell_find_job(sh, "jobs", argv[i], complaint);
		if (j == NULL)
			status = 1;
		else
			list_one(&l, j, shell_job_mark(sh, j));
	}
	return status;
}

/* fg and bg take no options: the index of the first operand, or -1. */
static int
no_options(const struct turn_builtin *b, int argc, char *const *argv,
    struct buf *complaint)
{
	if (argc < 2 || argv[1][0] != '-' || argv[1][1] == '\0')
		return 1;
	if (strcmp(argv[1], "--") == 0)
		return 2;
	shell_wrong_option(complaint, b, (char []){ '-', argv[1][1], '\0' });
	return -1;
}

static struct job *
job_to_continue(struct shell *sh, const char *who, const char *spec,
    struct buf *complaint)
{
	struct job *j;

	if (sh->tty < 0) {
		buf_putf(complaint, "aegsh: %s: no job control\n", who);
		return NULL;
	}
	exec_poll_jobs(turn_exec(sh->turn));
	j = shell_find_job(sh, who, spec, complaint);
	if (j == NULL || job_state(j) != JOB_DONE)
		return j;
	buf_putf(complaint, "aegsh: %s: job has terminated\n", who);
	return NULL;
}

static int
run_fg(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct shell *sh = ctx;
	struct exec_session *exec = turn_exec(sh->turn);
	int i = no_options(&bi_fg, argc, argv, complaint), status;
	struct err err = ERR_INIT;
	struct job *j;

	if (i < 0)
		return 2;
	j = job_to_continue(sh, "fg", i < argc ? argv[i] : NULL, complaint);
	if (j == NULL)
		return 1;
	shell_put_job_text(out, j);
	buf_putc(out, '\n');
	if (io_write_full(1, out->data, out->len) < 0)
		return 1;
	buf_reset(out);
	if (job_continue(exec, j, true, &err) != 0 ||
	    exec_wait(exec, j, &err) != 0) {
		buf_putf(complaint, "aegsh: fg: %s", err.text);
		return 1;
	}
	status = job_status(j);
	if (job_state(j) == JOB_STOPPED) {
		buf_putc(complaint, '\n');
		shell_put_job(complaint, j, '+', false);
		job_set_told(j, JOB_STOPPED);
	} else if (job_state(j) == JOB_DONE) {
		shell_tell_signal(job_signal(j));
		turn_job_end(sh->turn, j);
	}
	return status;
}

static int
run_bg(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct shell *sh = ctx;
	struct err err = ERR_INIT;
	int i = no_options(&bi_bg, argc, argv, complaint), status = 0;
	char mark;

	if (i < 0)
		return 2;
	do {
		struct job *j = job_to_continue(sh, "bg", i < argc ? argv[i] :
		    NULL, complaint);

		mark = j != NULL ? shell_job_mark(sh, j) : ' ';
		if (j == NULL) {
			status = 1;
		} else if (job_state(j) == JOB_RUNNING) {
			buf_putf(complaint, "aegsh: bg: job %u already in "
			    "background\n", job_number(j));
		} else if (job_continue(turn_exec(sh->turn), j, false,
		    &err) != 0) {
			buf_putf(complaint, "aegsh: bg: %s\n", err.text);
			status = 1;
		} else {
			job_set_told(j, JOB_RUNNING);
			buf_putf(out, "[%u]%s ", job_number(j),
			    mark == '+' ? "+" : mark == '-' ? "-" : "");
			shell_put_job_text(out, j);
			buf_puts(out, " &\n");
		}
	} while (++i < argc);
	return status;
}

const struct turn_builtin bi_jobs = {
	.name = "jobs",
	.usage = "jobs [-lnprs] [JOB …]",
	.help = TR_LATER("list stopped and background lines"),
	.run = run_jobs,
};
const struct turn_builtin bi_fg = {
	.name = "fg",
	.usage = "fg [JOB]",
	.help = TR_LATER("bring a job to the terminal; %JOB alone does "
	    "it, too"),
	.run = run_fg,
	.starts = true,
};
const struct turn_builtin bi_bg = {
	.name = "bg",
	.usage = "bg [JOB …]",
	.help = TR_LATER("let stopped jobs run beside the prompt"),
	.run = run_bg,
	.starts = true,
};
