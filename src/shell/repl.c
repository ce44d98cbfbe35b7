/* SPDX-License-Identifier: ISC */
/* The prompt: read a unit, judge it, ask, run it, say what must be said. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"
#include "shell/alias.h"
#include "shell/bi.h"
#include "shell/complete.h"
#include "shell/job_words.h"
#include "shell/outlook.h"
#include "shell/recall.h"

struct repl {
	struct shell *sh;
	struct shell_told told;
};

static void
idle(void *ctx)
{
	struct repl *r = ctx;

	turn_idle(r->sh->turn);
}

static void
pause_of_keys(void *ctx, const char *text, size_t len)
{
	struct repl *r = ctx;

	shell_choices_soon(r->sh, text, len);
}

/* A child has changed, or a bash in the background wants to be heard. */
static void
watch(void *ctx)
{
	struct repl *r = ctx;

	exec_poll_jobs(turn_exec(r->sh->turn));
}

static int
complete(void *ctx, const char *text, size_t len, const char **ret_open)
{
	struct repl *r = ctx;

	return turn_complete(r->sh->turn, text, len, ret_open);
}

static void
choices(void *ctx, const char *text, size_t len, struct line_choices *ret)
{
	struct repl *r = ctx;

	shell_choices(r->sh, text, len, ret);
}

static bool
past(void *ctx, const struct line_wish *wish, struct line_place *place,
    int (*fn)(void *fn_ctx, const struct line_past *past), void *fn_ctx)
{
	struct repl *r = ctx;

	recall_set_audit(r->sh->recall, turn_audit(r->sh->turn));
	return recall_past(r->sh->recall, wish, place, fn, fn_ctx);
}

static bool
hint(void *ctx, const struct line_wish *wish, struct line_place *place,
    int (*fn)(void *fn_ctx, const struct line_past *past), void *fn_ctx)
{
	struct repl *r = ctx;

	recall_set_audit(r->sh->recall, turn_audit(r->sh->turn));
	return recall_hint(r->sh->recall, wish, place, fn, fn_ctx);
}

static int
foresee(void *ctx, const char *text, size_t len)
{
	struct repl *r = ctx;

	return outlook_ask(r->sh->outlook, text, len);
}

static const char *
foreseen(void *ctx)
{
	struct repl *r = ctx;

	return outlook_hear(r->sh->outlook);
}

static void
explain(void *ctx, const char *text, size_t len, struct buf *out)
{
	struct repl *r = ctx;

	outlook_explain(r->sh->outlook, text, len, out);
}

static void
say_job(const struct job *j, const char *before, char mark)
{
	struct buf out = BUF_INIT;

	buf_puts(&out, before);
	shell_put_job(&out, j, mark, false);
	if (io_write_full(STDERR_FILENO, out.data, out.len) < 0)
		errno = 0;
	buf_done(&out);
}

static int
tell_job(void *ctx, struct job *j, char mark)
{
	struct shell *sh = ctx;

	if (job_state(j) == JOB_DONE) {
		say_job(j, "", mark);
		turn_job_end(sh->turn, j);
	} else if (job_state(j) == JOB_STOPPED && job_told(j) != JOB_STOPPED) {
		say_job(j, "\n", mark);
		job_set_told(j, JOB_STOPPED);
	} else {
		job_set_told(j, job_state(j));
	}
	return 0;
}

/* "[1] 4711", as bash answers to &. */
static void
say_beside(const struct turn_result *r)
{
	if (r->job != 0)
		dprintf(STDERR_FILENO, "[%u] %d\n", r->job, (int)r->job_pid);
}

static void
tell_stopped(const struct shell *sh)
{
	bool unused;
	struct job *j = exec_job(turn_exec(sh->turn), NULL, &unused);

	if (j != NULL)
		say_job(j, "\n", '+');
}

/* Bash ends the line of a command that a signal killed. */
void
shell_tell_signal(int sig)
{
	if (sig == SIGINT)
		(void)!write(STDERR_FILENO, "\n", 1);
	else if (sig != 0 && sig != SIGPIPE)
		dprintf(STDERR_FILENO, "%s\n", strsignal(sig));
}

/* A newline after a backslash is what makes the backslash vanish. */
static size_t
without_newlines(const struct buf *text)
{
	size_t len = text->len;

	while (len > 0 && text->data[len - 1] == '\n' &&
	    (len < 2 || text->data[len - 2] != '\\'))
		len--;
	return len;
}

bool
shell_run_unit(struct shell *sh, const struct buf *text)
{
	struct line line = { .origin = LINE_PROMPT, .bytes = text->data,
		.len = without_newlines(text) };
	struct turn_judged *j;
	struct turn_result r;

	j = shell_judge(sh, &line);
	turn_confirm(sh->turn, j);
	sh->last_decision = turn_syntax_error(j) != NULL ? "unreadable" :
	    decision_action_name(decision_action(turn_decision(j)));
	sh->edits = turn_answer(j) != NULL &&
	    strcmp(turn_answer(j), "edit") == 0;
	turn_act(sh->turn, j, NULL, NULL, &r);
	shell_drain_interrupts(sh);
	shell_complain(sh, j, &r);
	say_beside(&r);
	if (r.stopped)
		tell_stopped(sh);
	shell_tell_signal(r.signal);
	if (r.note[0] != '\0' && !r.killed && !r.kept_back)
		shell_say("%s", tr(r.note));
	if (r.replaced) {
		sh->exiting = sh->replaced = true;
		sh->exit_status = r.status;
		sh->exit_signal = r.signal;
	}
	turn_judged_free(j);
	return r.ran && r.status != 128 + SIGINT;
}

/* What is left of "wait && echo done" when wait has ended. */
static void
go_on(const struct shell *sh, enum job_then then, size_t rest,
    struct buf *text)
{
	struct buf out = BUF_INIT;
	int status = state_status(sh->state);

	if (then == JOB_THEN_AND && status != 0)
		buf_putf(&out, "(exit %d) &&", status);
	else if (then == JOB_THEN_OR && status == 0)
		buf_puts(&out, "true ||");
	else
		rest += strspn(text->data + rest, " \t");
	buf_put(&out, text->data + rest, text->len - rest);
	buf_done(text);
	*text = out;
}

static int
tell_end(void *ctx, struct job *j, char mark)
{
	return job_state(j) == JOB_DONE ? tell_job(ctx, j, mark) : 0;
}

/* Who is told of is forgotten.  Only wait may tell before the prompt, as in
 * bash: "kill %1; wait %1" must find its job, dead or not yet. */
static bool
tells_ends(const struct buf *part)
{
	size_t at = strspn(part->data, " \t");

	return strncmp(part->data + at, "wait", 4) == 0 &&
	    strcspn(part->data + at, " \t;&|\n") == 4;
}

/* Of a line that begins with a builtin for jobs; what stands for jobs in
 * another one is written out. */
static size_t
first_part(const struct job_words *w, struct buf *text, size_t *ret_rest,
    enum job_then *ret_then)
{
	size_t first = job_words_first(w, text->data, text->len, ret_rest,
	    ret_then);

	if (first > 0)
		return first;
	job_words_put(w, text);
	return job_words_first(w, text->data, text->len, ret_rest, ret_then);
}

/* It was asked about, and is to be changed: the next prompt begins with it. */
static bool
gives_back(struct shell *sh, const struct buf *text)
{
	if (!sh->edits)
		return false;
	sh->edits = false;
	line_editor_give(sh->editor, text->data, without_newlines(text));
	return true;
}

static void
run_typed(struct shell *sh, struct buf *text)
{
	struct job_words w = { turn_exec(sh->turn), turn_last_pid(sh->turn) };
	enum job_then then;
	size_t first, rest;
	bool goes_on = true;

	if (aliases_expand(sh->aliases, text) != 0) {
		shell_say(tr("its aliases make the line longer than %zu bytes"),
		    LINE_MAX_BYTES);
		state_set_status(sh->state, TURN_STATUS_BLOCKED);
		return;
	}
	job_words_run_with(&w, text);
	while (goes_on && (first = first_part(&w, text, &rest, &then)) > 0) {
		struct buf part = BUF_INIT;
		bool tells;

		buf_put(&part, text->data, first);
		tells = tells_ends(&part);
		goes_on = shell_run_unit(sh, &part);
		buf_done(&part);
		if (gives_back(sh, text))
			return;
		exec_poll_jobs(w.exec);
		if (tells)
			exec_each_job(w.exec, tell_end, sh);
		go_on(sh, then, rest, text);
	}
	if (!goes_on)
		return;
	shell_run_unit(sh, text);
	gives_back(sh, text);
}

/* What the record keeps instead of a secret is none: nothing that holds such
 * a tag runs, and it is given back to have the secret put in. */
static bool
has_tag(struct shell *sh, const struct buf *text)
{
	size_t at, len = recall_tag(text->data, text->len, &at);

	if (len == 0)
		return false;
	shell_say(tr("not run: %.*s stands for a secret that is not kept; "
	    "put it in its place"), (int)(len < 80 ? len : 80),
	    text->data + at);
	state_set_status(sh->state, TURN_STATUS_BLOCKED);
	line_editor_give(sh->editor, text->data, without_newlines(text));
	return true;
}

/* "!!" and its like: what they stand for is put in and shown.  False where
 * nothing is to be run now. */
static bool
expand(struct shell *sh, struct buf *text)
{
	AEG_AUTO(buf_done) struct buf why = BUF_INIT, shown = BUF_INIT;
	const char *how = conf_str(sh->conf, CONF_EXPAND_HISTORY);
	enum events_result r = EVENTS_NONE;

	recall_set_audit(sh->recall, turn_audit(sh->turn));
	if (strcmp(how, "no") != 0)
		r = events_expand(text, recall_event, sh->recall, &why);
	if (r == EVENTS_WRONG)
		shell_say("%s", why.data);
	if (r == EVENTS_NONE || r == EVENTS_WRONG)
		return r == EVENTS_NONE;
	if (r == EVENTS_EXPANDED && strcmp(how, "verify") == 0) {
		line_editor_give(sh->editor, text->data,
		    without_newlines(text));
		return false;
	}
	text_inert(&shown, text->data, without_newlines(text),
	    TEXT_INERT_NEWLINE);
	buf_putc(&shown, '\n');
	if (io_write_full(STDERR_FILENO, shown.data, shown.len) < 0)
		errno = 0;
	if (r == EVENTS_SHOWN && text->data[0] != ' ')
		recall_add(sh->recall, text->data, without_newlines(text));
	return r == EVENTS_EXPANDED;
}

/* A blank in front keeps it out of what is recalled, and of nothing else. */
static void
run_line(struct shell *sh, struct buf *text)
{
	bool kept;

	if (!expand(sh, text) || has_tag(sh, text))
		return;
	kept = text->data[0] != ' ' && conf_int(sh->conf, CONF_HISTORY) > 0;
	if (kept)
		recall_add(sh->recall, text->data, without_newlines(text));
	sh->minds_jobs = false;
	sh->last_took_ns = clock_mono_ns();
	run_typed(sh, text);
	sh->last_took_ns = clock_mono_ns() - sh->last_took_ns;
	if (kept)
		recall_ended(sh->recall, state_status(sh->state),
		    sh->last_decision);
}

static int
is_stopped(void *ctx, struct job *j, char mark)
{
	bool *found = ctx;

	(void)mark;
	*found |= job_state(j) == JOB_STOPPED;
	return *found;
}

/* Ctrl-D and exit: stopped jobs are mentioned once. */
bool
shell_may_exit(struct shell *sh, struct buf *complaint)
{
	bool stopped = false;

	sh->minds_jobs = true;
	exec_poll_jobs(turn_exec(sh->turn));
	exec_each_job(turn_exec(sh->turn), is_stopped, &stopped);
	if (!stopped || sh->warned_jobs)
		return true;
	sh->warned_jobs = true;
	buf_puts(complaint, tr("There are stopped jobs."));
	return false;
}

static bool
at_end(struct shell *sh)
{
	struct buf complaint = BUF_INIT;
	bool leave;

	dprintf(STDERR_FILENO, "%s\n", sh->args.login ? "logout" : "exit");
	if (line_editor_ended_by(sh->editor) != 0)
		return true;
	leave = shell_may_exit(sh, &complaint);
	if (!leave)
		shell_say("%s", complaint.data);
	buf_done(&complaint);
	return leave;
}

static bool
only_blank(const struct buf *text)
{
	return text->len == 0 ||
	    text->len == strspn(text->data, " \t\n");
}

/* TMOUT, as bash takes it: what is no number is no limit. */
static unsigned
patience(const struct shell *sh)
{
	const char *value = state_get(sh->state, "TMOUT");
	int64_t seconds;

	if (value == NULL || text_to_i64(value, 1, 86400 * 365, &seconds) != 0)
		return 0;
	return (unsigned)seconds;
}

static void
one_prompt(struct repl *r, bool *leave)
{
	struct shell *sh = r->sh;
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	char *prompt AEG_AUTOFREE = NULL;
	enum line_result result;

	exec_poll_jobs(turn_exec(sh->turn));
	exec_each_job(turn_exec(sh->turn), tell_job, sh);
	shell_say_record(sh, &r->told);
	prompt = shell_prompt(sh);
	line_editor_patience(sh->editor, patience(sh));
	result = line_editor_read(sh->editor, prompt, &text, &err);
	outlook_end(sh->outlook);
	switch (result) {
	case LINE_END:
		*leave = at_end(sh);
		sh->exit_status = state_status(sh->state);
		break;
	case LINE_TIMED_OUT:
		dprintf(STDERR_FILENO, "\a%s\n",
		    tr("timed out waiting for input: auto-logout"));
		*leave = true;
		sh->exit_status = state_status(sh->state);
		break;
	case LINE_INTERRUPTED:
		state_set_status(sh->state, 128 + SIGINT);
		break;
	case LINE_FAILED:
		shell_say("%s", err.text);
		break;
	case LINE_EDIT:
		shell_edit(sh, &text);
		break;
	case LINE_OK:
		if (only_blank(&text))
			break;
		run_line(sh, &text);
		*leave = sh->exiting;
		/* Only what knows of the warning keeps it in force. */
		if (!sh->minds_jobs)
			sh->warned_jobs = false;
		break;
	}
	buf_done(&text);
}

/* Settings and rules of the user that do not hold: who wrote them counts on
 * them. */
static void
say_notes(const struct shell *sh)
{
	const struct strv *all[] = { conf_notes(sh->conf),
		turn_notes(sh->turn) };
	size_t i, k;

	for (k = 0; k < AEG_NELEM(all); k++)
		for (i = 0; i < all[k]->n; i++)
			shell_say("%s", all[k]->v[i]);
}

int
shell_run_prompt(struct shell *sh)
{
	struct repl r = { .sh = sh };
	struct aliases aliases = { NULL, 0 };
	bool previews = conf_bool(sh->conf, CONF_PREVIEW);
	struct line_editor_opts opts = {
		.conf = sh->conf,
		.program = "aegsh",
		.tty_in = STDIN_FILENO,
		.tty_out = STDERR_FILENO,
		.complete = complete,
		.choices = choices,
		.past = past,
		.hint = conf_bool(sh->conf, CONF_SUGGEST) ? hint : NULL,
		.foresee = previews ? foresee : NULL,
		.foreseen = previews ? foreseen : NULL,
		.explain = explain,
		.idle = idle,
		.pause = pause_of_keys,
		.watch_fd = exec_poll_fd(turn_exec(sh->turn)),
		.watch = watch,
		.ctx = &r,
	};
	struct err err = ERR_INIT;
	bool leave = false;

	if (line_editor_new(&opts, &sh->editor, &err) != 0) {
		shell_say("%s", err.text);
		return SHELL_FAILED;
	}
	sh->aliases = &aliases;
	sh->outlook = outlook_new(sh);
	sh->recall = recall_new(sh->state, conf_int(sh->conf, CONF_HISTORY));
	if (aliases_read(&aliases, conf_str(sh->conf, CONF_ALIASES)) != 0)
		shell_say(tr("setting aliases: not words of the form "
		    "NAME='VALUE'; see aegsh.conf(5)"));
	shell_greet(sh);
	say_notes(sh);
	if (line_editor_note(sh->editor) != NULL)
		shell_say(tr("keys: %s"), line_editor_note(sh->editor));
	if (state_last_arg(sh->state) == NULL)
		state_set_last_arg(sh->state, sh->args.argv0);
	if (turn_check_sandbox(sh->turn, &err) != 0)
		shell_say(tr("no line will run: %s"), err.text);
	while (!leave)
		one_prompt(&r, &leave);
	if (line_editor_ended_by(sh->editor) == 0 && !sh->replaced)
		shell_logout(sh);
	if (line_editor_ended_by(sh->editor) != 0)
		sh->exit_signal = line_editor_ended_by(sh->editor);
	shell_say_left(sh);
	turn_leave(sh->turn, line_editor_ended_by(sh->editor) != 0);
	line_editor_free(sh->editor);
	sh->editor = NULL;
	aliases_done(&aliases);
	sh->aliases = NULL;
	outlook_free(sh->outlook);
	sh->outlook = NULL;
	complete_ready_free(sh);
	recall_free(sh->recall);
	sh->recall = NULL;
	return sh->exit_status;
}
