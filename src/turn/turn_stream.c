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
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "turn/turn_int.h"

/*
 * The working directory of the waiting bash, which may have moved.  Where it
 * was removed its name still says what is below it; where it cannot be
 * followed for another reason, what a relative name means is not known, and
 * nothing more is run.
 */
static void
follow_cwd(struct turn *t)
{
	static const char gone[] = " (deleted)";
	struct buf out = BUF_INIT, complaint = BUF_INIT;
	char link[64], dashes[] = "--", dir[4096];
	char *argv[] = { dashes, dir, NULL };
	struct stat st;
	ssize_t n;

	snprintf(link, sizeof link, "/proc/%d/cwd", (int)job_pid(t->stream));
	n = readlink(link, dir, sizeof dir - 1);
	t->cwd_lost = n <= 0 || n >= (ssize_t)sizeof dir - 1;
	if (t->cwd_lost)
		return;
	dir[n] = '\0';
	if (text_ends(dir, gone) && stat(link, &st) == 0 && st.st_nlink == 0) {
		dir[n - (ssize_t)strlen(gone)] = '\0';
		state_cd_gone(t->opts.state, dir);
	} else if (strcmp(dir, state_cwd(t->opts.state)) != 0) {
		t->cwd_lost = state_cd(t->opts.state, argv, &out,
		    &complaint) != 0;
	}
	if (t->cwd_lost && t->audit != NULL)
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
	return n + (line->len == j->prefix ||
	    line->bytes[line->len - 1] != '\n');
}

static int
start(struct turn *t, const struct turn_judged *j, const char *argv0,
    char *const *args, struct supervise_opts *watch, struct err *err)
{
	struct strv envp = STRV_INIT;
	struct relay_opts output;
	struct exec_spec spec = {
		.kind = EXEC_STREAM,
		.argv0 = argv0 != NULL ? argv0 : t->opts.argv0,
		.args = args,
		.options = j->prefix > 0 ? t->opts.bash_options : NULL,
		.foreground = true,
		.status = state_status(t->opts.state),
		.supervise = watch,
		.relay = turn_output(t, watch->label, &output),
	};
	int r;

	state_envp(t->opts.state, &envp);
	turn_put_shims(t, &envp);
	spec.envp = strv_peek(&envp);
	r = turn_know_places(t, err);
	if (r == 0) {
		watch->cgroup = turn_cgroup(t, watch);
		r = exec_start(t->exec, j->decision, &spec, &t->stream, err);
	}
	strv_done(&envp);
	/* A supervisor that comes later does not see bash start. */
	t->stream_images = watch->images ? TURN_IMAGES_FIRST : 0;
	return r;
}

static bool
was_limited(struct turn *t, struct turn_result *ret)
{
	const struct supervisor *s = job_supervisor(t->stream);

	if (turn_limited(t, t->stream, ret->note, sizeof ret->note) == NULL)
		return false;
	t->stream_limited = s != NULL && supervise_limited(s) != NULL;
	return true;
}

/* What was swapped under a unit has ended the stream, while it ran or while
 * it waited for the next: told once. */
static bool
was_killed(struct turn *t, struct turn_result *ret)
{
	if (t->stream == NULL || (!t->stream_killed && turn_killed(t,
	    t->stream, ret->note, sizeof ret->note) == NULL))
		return false;
	ret->killed = !t->stream_killed;
	t->stream_killed = t->stream_over = true;
	ret->ran = true;
	ret->status = TURN_STATUS_BLOCKED;
	ret->signal = 0;
	return true;
}

void
turn_stream_act(struct turn *t, struct turn_judged *j, const char *argv0,
    char *const *args, struct turn_result *ret)
{
	struct audit_outcome o = { .note = "status known to the stream only" };
	const struct supervise_opts *watch;
	struct supervise_opts opts;
	struct audit_event ev;
	int r = 0;

	*ret = (struct turn_result){ .err = ERR_INIT };
	if (t->cwd_lost) {
		ret->status = TURN_STATUS_BLOCKED;
		err_set(&ret->err, ERR_REFUSED, "the directory that the "
		    "commands before went to cannot be followed");
		return;
	}
	if (!turn_permits(t, j, ret))
		return;
	if (turn_says_nothing(j)) {
		t->stream_skipped += count_lines(j);
		ret->ran = true;
		return;
	}
	turn_event(t, j, true, &ev);
	if (t->stream == NULL)
		turn_event_args(t, j, argv0, args, &ev);
	if (turn_record_unit(t, &ev, &ret->err) != 0) {
		ret->status = TURN_STATUS_BLOCKED;
		return;
	}
	t->stream_id = ev.id;
	watch = turn_supervise(t, t->sandbox, j, &opts);
	/* A filter cannot ask for more later on, when a unit names a script:
	 * it does from the start. */
	if ((supervise_has_limits(&opts.limits) ||
	    opts.may_connect != NULL) && turn_can_watch(t))
		opts.images = true;
	opts.reads = opts.images;
	memcpy(opts.label, ev.uuid, sizeof ev.uuid);
	if (t->stream == NULL)
		r = start(t, j, argv0, args, &opts, &ret->err);
	else
		turn_output_next(t->stream, ev.uuid);
	if (r == 0) {
		exec_feed_skip(t->stream, t->stream_skipped);
		t->stream_skipped = 0;
		r = exec_feed(t->exec, t->stream, j->decision, watch,
		    &ret->err);
		turn_output_end(t, t->stream, ev.id, NULL);
		ret->kept_back = turn_refused(t, t->stream, t->stream_images,
		    ret->note, sizeof ret->note) != NULL;
		if (was_limited(t, ret))
			ret->kept_back = true;
		t->stream_images = turn_record_images(t, t->stream,
		    t->stream_images, ev.id);
	}
	if (was_killed(t, ret)) {
		o.status = ret->status;
		o.note = ret->note;
	} else if (r < 0) {
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
	/* It has run; when we are gone nothing of it is on its way. */
	(void)turn_settle_intent(t, NULL);
	ret->status = job_status(t->stream);
	ret->signal = job_signal(t->stream);
	/* What it wrote as it ended is of no unit. */
	turn_output_end(t, t->stream, 0, NULL);
	turn_record_images(t, t->stream, t->stream_images, t->stream_id);
	/* What its last unit left behind may have met one since. */
	ret->kept_back = was_limited(t, ret);
	(void)was_killed(t, ret);
	job_free(t->exec, t->stream);
	t->stream = NULL;
}

bool
turn_stream_over(const struct turn *t)
{
	return t->stream_over;
}
