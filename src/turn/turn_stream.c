/* SPDX-License-Identifier: ISC */
/*
 * A stream: units from a standard input that is no terminal.  Each is
 * judged by itself; all that may run go to one bash, in which variables,
 * functions and options live on as they would without aegsh.  The first
 * unit that is refused ends the stream: what follows was written to run
 * after it.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "turn/turn_int.h"

/* The working directory of the waiting bash, which may have moved. */
static void
follow_cwd(struct turn *t)
{
	struct buf out = BUF_INIT, complaint = BUF_INIT;
	char link[64], dashes[] = "--", dir[4096];
	char *argv[] = { dashes, dir, NULL };
	ssize_t n;

	snprintf(link, sizeof link, "/proc/%d/cwd", (int)job_pid(t->stream));
	n = readlink(link, dir, sizeof dir - 1);
	if (n <= 0 || n >= (ssize_t)sizeof dir - 1)
		return;
	dir[n] = '\0';
	/* A directory that is gone or closed to us: judging goes on from the
	 * last one known. */
	if (strcmp(dir, state_cwd(t->opts.state)) != 0 &&
	    state_cd(t->opts.state, argv, &out, &complaint) != 0 &&
	    t->audit != NULL)
		audit_note(t->audit, "stream-cwd", dir);
	buf_done(&out);
	buf_done(&complaint);
}

/* Lines as bash counts them: the last one may lack its newline. */
static size_t
count_lines(const struct turn_judged *j)
{
	const struct line *line = &j->line;
	size_t i, n = 0;

	for (i = j->prefix; i < line->len; i++)
		n += line->bytes[i] == '\n';
	return n + (line->len == j->prefix || line->bytes[line->len - 1] != '\n');
}

static int
start(struct turn *t, const struct turn_judged *j, const char *argv0,
    char *const *args, struct err *err)
{
	struct strv envp = STRV_INIT;
	struct exec_spec spec = {
		.kind = EXEC_STREAM,
		.argv0 = argv0 != NULL ? argv0 : t->opts.argv0,
		.args = args,
		.options = j->prefix > 0 ? t->opts.bash_options : NULL,
		.foreground = true,
		.status = state_status(t->opts.state),
	};
	int r;

	state_envp(t->opts.state, &envp);
	spec.envp = strv_peek(&envp);
	r = exec_start(t->exec, j->decision, &spec, &t->stream, err);
	strv_done(&envp);
	return r;
}

void
turn_stream_act(struct turn *t, struct turn_judged *j, const char *argv0,
    char *const *args, struct turn_result *ret)
{
	struct audit_outcome o = { .note = "status known to the stream only" };
	struct audit_event ev;
	int r = 0;

	*ret = (struct turn_result){ .err = ERR_INIT };
	if (!turn_permits(t, j, ret))
		return;
	if (j->facts->n_commands == j->prefix_lines &&
	    j->facts->n_functions == 0) {
		t->stream_skipped += count_lines(j);
		ret->ran = true;
		return;
	}
	turn_event(t, j, true, &ev);
	if (turn_record_intent(t, &ev, &ret->err) != 0) {
		ret->status = TURN_STATUS_BLOCKED;
		return;
	}
	if (t->stream == NULL)
		r = start(t, j, argv0, args, &ret->err);
	if (r == 0) {
		exec_feed_skip(t->stream, t->stream_skipped);
		t->stream_skipped = 0;
		r = exec_feed(t->exec, t->stream, j->decision, &ret->err);
	}
	if (r < 0) {
		ret->status = TURN_STATUS_BLOCKED;
		o.status = ret->status;
		o.note = ret->err.text;
	} else {
		ret->ran = true;
		t->stream_began = true;
		t->stream_over = r == 0;
		if (r == 1)
			follow_cwd(t);
	}
	t->ops->outcome(t, ev.id, &o);
}

void
turn_stream_end(struct turn *t, struct turn_result *ret)
{
	*ret = (struct turn_result){ .err = ERR_INIT, .ran = true };
	if (t->stream == NULL) {
		ret->status = state_status(t->opts.state);
		return;
	}
	exec_feed_end(t->exec, t->stream);
	if (exec_wait(t->exec, t->stream, &ret->err) != 0) {
		ret->status = TURN_STATUS_BLOCKED;
		return;
	}
	ret->status = job_status(t->stream);
	ret->signal = job_signal(t->stream);
	job_free(t->exec, t->stream);
	t->stream = NULL;
}

bool
turn_stream_over(const struct turn *t)
{
	return t->stream_over;
}
