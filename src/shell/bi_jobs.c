/* SPDX-License-Identifier: ISC */
/* jobs, fg, bg: lines that were stopped or run beside the prompt. */
#include <signal.h>
#include <string.h>

#include "aegsh/base/io.h"
#include "aegsh/base/text.h"
#include "shell/bi.h"

struct listing {
	struct buf *out;
	bool pids, only_pids;
};

static const char *
state_text(const struct job *j)
{
	switch (job_state(j)) {
	case JOB_RUNNING:
		return "Running";
	case JOB_STOPPED:
		return "Stopped";
	case JOB_DONE:
		break;
	}
	return job_signal(j) != 0 ? strsignal(job_signal(j)) : "Done";
}

static void
put_text(struct buf *out, const struct job *j)
{
	text_inert(out, job_text(j), strlen(job_text(j)), 0);
}

void
shell_put_job(struct buf *out, const struct job *j, char mark, bool pid)
{
	buf_putf(out, "[%u]%c ", job_number(j), mark);
	if (pid)
		buf_putf(out, "%d ", (int)job_pid(j));
	else
		buf_putc(out, ' ');
	buf_putf(out, "%-24s", state_text(j));
	put_text(out, j);
	buf_puts(out, job_state(j) == JOB_RUNNING ? " &\n" : "\n");
}

static int
list_one(void *ctx, struct job *j, char mark)
{
	struct listing *l = ctx;

	if (l->only_pids) {
		buf_putf(l->out, "%d\n", (int)job_pid(j));
		return 0;
	}
	shell_put_job(l->out, j, mark, l->pids);
	return 0;
}

static int
run_jobs(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct exec_session *exec = turn_exec(((struct shell *)ctx)->turn);
	struct listing l = { .out = out };
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-l") == 0) {
			l.pids = true;
		} else if (strcmp(argv[i], "-p") == 0) {
			l.only_pids = true;
		} else {
			buf_puts(complaint, "aegsh: jobs: usage: jobs [-lp]");
			return 2;
		}
	}
	exec_poll_jobs(exec);
	exec_each_job(exec, list_one, &l);
	return 0;
}

static struct job *
named_job(struct shell *sh, int argc, char *const *argv,
    struct buf *complaint)
{
	const char *spec = argc > 1 ? argv[1] : NULL;
	struct job *j;

	if (sh->tty < 0) {
		buf_putf(complaint, "aegsh: %s: no job control", argv[0]);
		return NULL;
	}
	exec_poll_jobs(turn_exec(sh->turn));
	j = exec_job(turn_exec(sh->turn), spec);
	if (j == NULL) {
		buf_putf(complaint, "aegsh: %s: ", argv[0]);
		if (spec == NULL)
			spec = "current";
		text_inert(complaint, spec, strlen(spec), 0);
		buf_puts(complaint, ": no such job");
	}
	return j;
}

static int
run_fg(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct shell *sh = ctx;
	struct exec_session *exec = turn_exec(sh->turn);
	struct job *j = named_job(sh, argc, argv, complaint);
	struct err err = ERR_INIT;
	int status;

	if (j == NULL)
		return 1;
	put_text(out, j);
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
	} else if (job_state(j) == JOB_DONE) {
		shell_tell_signal(job_signal(j));
		job_free(exec, j);
	}
	return status;
}

static int
run_bg(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct shell *sh = ctx;
	struct job *j = named_job(sh, argc, argv, complaint);
	struct err err = ERR_INIT;

	if (j == NULL)
		return 1;
	if (job_continue(turn_exec(sh->turn), j, false, &err) != 0) {
		buf_putf(complaint, "aegsh: bg: %s", err.text);
		return 1;
	}
	buf_putf(out, "[%u]+ ", job_number(j));
	put_text(out, j);
	buf_puts(out, " &\n");
	return 0;
}

const struct turn_builtin bi_jobs = {
	.name = "jobs",
	.usage = "jobs [-lp]",
	.help = "list stopped and background lines",
	.run = run_jobs,
};
const struct turn_builtin bi_fg = {
	.name = "fg",
	.usage = "fg [%JOB]",
	.help = "bring a job to the terminal",
	.run = run_fg,
	.starts = true,
};
const struct turn_builtin bi_bg = {
	.name = "bg",
	.usage = "bg [%JOB]",
	.help = "let a stopped job run beside the prompt",
	.run = run_bg,
	.starts = true,
};
