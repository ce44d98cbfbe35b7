/* SPDX-License-Identifier: ISC */
/*
 * The question.  It is put on the terminal that aegsh itself opened, after
 * throwing away what was typed ahead, and answered there: never by the
 * standard input that a command or a pipe could feed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/answer.h"
#include "aegsh/base/io.h"
#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"
#include "shell/shell_int.h"

#define PART_SHOWN ((size_t)300)	/* … of the command it is about */

/* A terminal to ask on: ours, and we are in its foreground.  A prompt waits
 * until it is. */
int
shell_open_tty(bool prompt)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return -1;
	if (!prompt && tcgetpgrp(fd) != getpgrp()) {
		close(fd);
		return -1;
	}
	return io_move_up(fd, 10);
}

/* Nobody is there to read it: then the answer fails too, and denies. */
static void
put(const struct shell *sh, struct buf *out)
{
	if (io_write_full(sh->tty, out->data, out->len) < 0)
		errno = 0;
	buf_done(out);
}

/* May it be given back to be changed?  Only to who typed it at a prompt. */
static bool
can_edit(const struct shell *sh, const struct turn_judged *j)
{
	return sh->editor != NULL && !turn_is_inside(j);
}

/* Asked of the machine once; where it bars that, it is not offered. */
static bool
can_try(struct shell *sh, const struct turn_judged *j)
{
	if (sh->rescue || sh->outer >= 0 || turn_is_inside(j))
		return false;
	if (!sh->probed_try)
		sh->can_try = try_probe(NULL) == 0;
	sh->probed_try = true;
	return sh->can_try;
}

static void
put_choices(struct shell *sh, const struct turn_judged *j)
{
	struct buf out = BUF_INIT;

	buf_putf(&out, tr("Run it? [y/N%s%s/?] "), can_try(sh, j) ? "/t" : "",
	    can_edit(sh, j) ? "/e" : "");
	put(sh, &out);
}

/* What would happen, which part, why, by whom, and what else one could do. */
static void
put_question(const struct shell *sh, const struct turn_judged *j)
{
	const struct decision *d = turn_decision(j);
	struct buf out = BUF_INIT;
	size_t len, before = turn_prefix(j);
	const char *line = decision_bytes(d, &len), *part = turn_part(j);

	/* What earlier lines defined was shown with those. */
	line += before;
	len -= before;
	buf_puts(&out, tr("aegsh asks: "));
	shell_put_reason(&out, d);
	buf_puts(&out, tr("\n  line: "));
	text_inert(&out, line, len < LINE_SHOWN ? len : LINE_SHOWN, 0);
	if (len > LINE_SHOWN)
		buf_putf(&out, tr(" … (%zu bytes more)"), len - LINE_SHOWN);
	if (part != NULL && (strlen(part) != len ||
	    memcmp(part, line, len) != 0)) {
		buf_puts(&out, tr("\n  part: "));
		text_inert(&out, part, strnlen(part, PART_SHOWN), 0);
		if (strlen(part) > PART_SHOWN)
			buf_puts(&out, " …");
	}
	if (before > 0)
		buf_puts(&out, tr("\n  with the variables and functions of "
		    "earlier lines"));
	if (decision_model(d) != NULL)
		buf_putf(&out, tr("\n  model: %s, %u %% sure"),
		    decision_model(d), decision_confidence(d));
	if (decision_instead(d) != NULL)
		buf_putf(&out, tr("\n  instead: %s"), decision_instead(d));
	buf_putc(&out, '\n');
	put(sh, &out);
}

static void
put_more(struct shell *sh, struct turn *t, const struct turn_judged *j)
{
	struct buf out = BUF_INIT;
	const char *contact = conf_str(sh->conf, CONF_CONTACT);

	turn_tell(t, j, shell_put_fact, &out);
	buf_puts(&out, tr("  answers, and Enter:\n    y run it; n or nothing: "
	    "do not"));
	if (can_edit(sh, j))
		buf_puts(&out, tr("; e do not, and give it back to be "
		    "changed"));
	if (can_try(sh, j))
		buf_puts(&out, tr("\n    t run it where nothing of it stays, "
		    "see what it would change, and say then"));
	buf_puts(&out, tr("\n    what you say is recorded\n"));
	if (contact[0] != '\0') {
		buf_puts(&out, tr("  who decides what may run here:\n    "));
		text_inert(&out, contact, strlen(contact), 0);
		buf_putc(&out, '\n');
	}
	put(sh, &out);
}

static bool
read_answer(struct shell *sh, char *to, size_t size)
{
	return answer_read(sh->tty, sh->cancel, conf_int(sh->conf,
	    CONF_CONFIRM_TIMEOUT), to, size);
}

void
shell_drain_interrupts(struct shell *sh)
{
	char info[128];

	while (sh->interrupts >= 0 &&
	    read(sh->interrupts, info, sizeof info) > 0)
		;
}

static bool
become_quiet(struct shell *sh)
{
	return answer_quiet(sh->tty, sh->cancel);
}

static bool
is_yes(const char *answer)
{
	return strcmp(answer, "y\n") == 0 || strcmp(answer, "Y\n") == 0 ||
	    strcmp(answer, "yes\n") == 0;
}

/* Until it is answered; `?' asks again. */
static enum turn_says
ask(struct shell *sh, struct turn *t, const struct turn_judged *j)
{
	char answer[256];

	for (;;) {
		put_choices(sh, j);
		if (!read_answer(sh, answer, sizeof answer)) {
			if (io_write_full(sh->tty, "\n", 1) < 0)
				errno = 0;
			return TURN_SAYS_NO;
		}
		if (is_yes(answer))
			return TURN_SAYS_YES;
		if (can_edit(sh, j) && strcmp(answer, "e\n") == 0)
			return TURN_SAYS_EDIT;
		if (can_try(sh, j) && strcmp(answer, "t\n") == 0)
			return TURN_SAYS_TRY;
		if (strcmp(answer, "?\n") != 0)
			return TURN_SAYS_NO;
		put_more(sh, t, j);
		/* What was typed before that was read answers nothing. */
		if (!become_quiet(sh))
			return TURN_SAYS_NO;
	}
}

enum turn_says
shell_confirm(void *ctx, struct turn *t, const struct turn_judged *j)
{
	struct shell *sh = ctx;
	struct termios saved;
	enum turn_says says = TURN_SAYS_NO;
	bool have_modes;

	if (sh->tty < 0)
		return TURN_SAYS_NO;
	/* Of a line that runs, where no terminal was handed over: then it
	 * is somebody's who would be sent our keys. */
	if (turn_is_inside(j) && tcgetpgrp(sh->tty) != getpgrp())
		return TURN_SAYS_NO;
	shell_drain_interrupts(sh);
	have_modes = answer_prepare(sh->tty, &saved);
	/* At a prompt the terminal is ours, whoever has taken it. */
	if (sh->editor != NULL)
		tcsetpgrp(sh->tty, getpgrp());
	if (become_quiet(sh)) {
		put_question(sh, j);
		says = ask(sh, t, j);
	} else {
		put_question(sh, j);
		if (io_write_full(sh->tty, "\n", 1) < 0)
			errno = 0;
	}
	if (have_modes)
		answer_restore(sh->tty, &saved);
	shell_drain_interrupts(sh);
	return says;
}

/* ---- what was tried ----------------------------------------------------- */

static void
put_list(struct buf *out, const char *title, const struct strv *v)
{
	size_t i;

	if (v->n > 0)
		buf_putf(out, "%s:\n", title);
	for (i = 0; i < v->n; i++) {
		buf_puts(out, "  ");
		text_inert(out, v->v[i], strlen(v->v[i]), 0);
		buf_putc(out, '\n');
	}
}

static void
put_tried(struct shell *sh, const struct turn_trial *r)
{
	const struct turn_result *res = turn_trial_result(r);
	const struct try *t = turn_trial_try(r);
	AEG_AUTO(buf_done) struct buf note = BUF_INIT;
	const struct try_change *unused;
	struct buf out = BUF_INIT;

	buf_putf(&out, try_changes(t, &unused) > 0 ?
	    tr("tried, with status %d; it would have changed:\n") :
	    tr("tried, with status %d; it would have changed nothing\n"),
	    res->status);
	if (res->note[0] != '\0') {
		text_inert(&note, res->note, strlen(res->note), 0);
		buf_putf(&out, tr("note: %s\n"), note.data);
	}
	try_show(t, &out);
	put_list(&out, tr("programs"), turn_trial_programs(r));
	put_list(&out, tr("network, out of reach"), turn_trial_network(r));
	put_list(&out, tr("not seen"), try_unseen(t));
	put(sh, &out);
}

/* A question on the terminal; no answer is a no. */
static bool
wants_commit(struct shell *sh, const struct turn_trial *r)
{
	struct buf out = BUF_INIT;
	char answer[256];

	for (;;) {
		buf_puts(&out, tr("Commit these changes? [y/N/d] "));
		put(sh, &out);
		out = (struct buf)BUF_INIT;
		if (!read_answer(sh, answer, sizeof answer))
			return false;
		if (strcmp(answer, "d\n") != 0)
			return is_yes(answer);
		try_diff(turn_trial_try(r), &out);
		put(sh, &out);
		out = (struct buf)BUF_INIT;
		if (!become_quiet(sh))
			return false;
	}
}

void
shell_tried(void *ctx, struct turn *t, const struct turn_judged *j,
    struct turn_trial *r, const struct err *err)
{
	struct shell *sh = ctx;
	const struct try_change *c;
	struct err why = ERR_INIT;
	size_t done, n, i;

	if (r == NULL) {
		shell_say(tr("not tried: %s"), err->text);
		return;
	}
	put_tried(sh, r);
	if (try_changes(turn_trial_try(r), &c) == 0 || !become_quiet(sh) ||
	    !wants_commit(sh, r))
		return;
	if (turn_try_commit(t, j, r, true, &done, &why) == 0)
		return;
	shell_say("%s", why.text);
	n = try_changes(turn_trial_try(r), &c);
	for (i = 0; i < n; i++)
		if (c[i].conflict != NULL)
			shell_say("%s: %s", c[i].path, c[i].conflict);
	if (done > 0)
		shell_say(tr("%zu changes were committed before that"), done);
}

/* Nothing is drawn over for a screen reader, nor where nothing can be. */
static bool
is_plain(const struct shell *sh)
{
	const char *term = getenv("TERM");

	return conf_bool(sh->conf, CONF_ACCESSIBLE) || term == NULL ||
	    strcmp(term, "dumb") == 0;
}

void
shell_progress(void *ctx, int64_t waited_ns, const char *who)
{
	struct shell *sh = ctx;
	char text[400];
	int n;

	if (who[0] == '\0')
		who = tr("the model");
	if (sh->tty < 0 || (sh->progress_shown && is_plain(sh)))
		return;
	if (is_plain(sh))
		n = snprintf(text, sizeof text, tr("aegsh: asking %s, Ctrl-C "
		    "cancels\n"), who);
	else
		n = snprintf(text, sizeof text, tr("aegsh: asking %s, %d s, "
		    "Ctrl-C cancels "), who, (int)(waited_ns / 1000000000));
	if (!is_plain(sh) && io_write_full(sh->tty, "\r\033[K", 4) < 0)
		return;
	if (n > 0 && io_write_full(sh->tty, text, (size_t)n) == 0)
		sh->progress_shown = true;
}

void
shell_progress_end(struct shell *sh)
{
	if (sh->progress_shown && !is_plain(sh) &&
	    io_write_full(sh->tty, "\r\033[K", 4) < 0)
		errno = 0;
	sh->progress_shown = false;
}
