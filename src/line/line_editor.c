/* SPDX-License-Identifier: ISC */
/*
 * The editor: libedit (editline(3)) over a terminal, with our own reading
 * of keys, so that Ctrl-C, window changes and idle work need no signal
 * handler that touches the editor.
 */
#include "line_int.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"

/* Terminals put these around what is pasted, once they are asked to
 * (xterm, "bracketed paste mode"). */
#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"

struct line_editor *
line_editor_of(EditLine *el)
{
	void *p = NULL;

	el_get(el, EL_CLIENTDATA, &p);
	return p;
}

static char *
prompt_text(EditLine *el)
{
	struct line_editor *e = line_editor_of(el);

	if (e->search.on)
		return e->search.prompt.data;
	return e->continuation != NULL ? e->continuation :
	    (char *)(uintptr_t)e->prompt;
}

static int
open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static FILE *
stream_of(int fd, const char *mode)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 10);
	FILE *f = copy >= 0 ? fdopen(copy, mode) : NULL;

	if (f == NULL && copy >= 0)
		close(copy);
	return f;
}

/* What no terminal of this kind knows is not sent to it, nor to what is none
 * (-i into a pipe). */
static bool
marks_pastes(FILE *out, const char *term)
{
	static const char *const plain[] = { "dumb", "unknown", "vt52",
		"emacs", "network", NULL };
	size_t i;

	for (i = 0; term != NULL && plain[i] != NULL; i++)
		if (strcmp(term, plain[i]) == 0)
			return false;
	return term != NULL && term[0] != '\0' && isatty(fileno(out)) == 1;
}

/* On which no cursor can be moved, and which no line is longer than. */
static void
draw_one_row(EditLine *el)
{
	el_set(el, EL_TERMINAL, "dumb");
	el_set(el, EL_SETTC, "li", "4", NULL);
	el_set(el, EL_SETTC, "co", "16000", NULL);
}

int
line_editor_new(const struct line_editor_opts *opts,
    struct line_editor **ret, struct err *err)
{
	struct line_editor *e = xcalloc(1, sizeof *e);

	e->opts = *opts;
	e->tty_in = opts->tty_in;
	e->signals = open_signals();
	e->in = stream_of(opts->tty_in, "r");
	e->out = stream_of(opts->tty_out, "w");
	e->draw = e->out;
	if (e->out != NULL && conf_bool(opts->conf, CONF_ACCESSIBLE))
		e->plain = line_plain_new(e->out, &e->draw);
	if (e->signals < 0 || e->in == NULL || e->draw == NULL) {
		int saved = errno;

		line_editor_free(e);
		return err_sys(err, saved, "terminal");
	}
	e->marks = marks_pastes(e->out, getenv("TERM"));
	e->el = el_init_fd(opts->program, e->in, e->draw, e->draw,
	    fileno(e->in), fileno(e->out), fileno(e->out));
	if (e->el == NULL) {
		line_editor_free(e);
		return err_set(err, -ENOMEM, "line editor");
	}
	el_set(e->el, EL_CLIENTDATA, e);
	el_set(e->el, EL_PROMPT_ESC, prompt_text, LINE_HIDDEN);
	el_wset(e->el, EL_GETCFN, line_get_key);
	el_set(e->el, EL_SIGNAL, 0);
	if (e->plain != NULL)
		draw_one_row(e->el);
	e->hint.on = e->plain == NULL && opts->hint != NULL && e->marks;
	e->hint.grey = e->hint.on && getenv("NO_COLOR") == NULL;
	e->outlook.on = e->plain == NULL && opts->foresee != NULL && e->marks;
	e->outlook.awaited = -1;
	if (e->hint.on || e->outlook.on)
		el_set(e->el, EL_RPROMPT_ESC, line_edge_text, LINE_HIDDEN);
	line_keys_init(e, strcmp(conf_str(opts->conf, CONF_EDITING), "vi") ==
	    0);
	line_rc_load(e);
	line_keys_check(e);
	*ret = e;
	return 0;
}

void
line_editor_free(struct line_editor *e)
{
	if (e == NULL)
		return;
	if (e->el != NULL)
		el_end(e->el);
	if (e->in != NULL)
		fclose(e->in);
	if (e->draw != NULL && e->draw != e->out)
		fclose(e->draw);
	if (e->out != NULL)
		fclose(e->out);
	line_plain_free(e->plain);
	io_close(&e->signals);
	buf_done(&e->given);
	free(e->note);
	line_walk_done(&e->walk);
	line_undo_done(&e->undo);
	line_hint_done(&e->hint);
	line_outlook_done(&e->outlook);
	buf_done(&e->edge);
	line_kill_done(&e->kill);
	line_search_end(e);
	free(e->search.last);
	line_forget_page(e);
	free(e->continuation);
	free(e);
}

void
line_editor_patience(struct line_editor *e, unsigned seconds)
{
	e->patience = seconds;
}

void
line_editor_give(struct line_editor *e, const char *text, size_t len)
{
	buf_done(&e->given);
	buf_put(&e->given, text, len);
}

const char *
line_editor_note(const struct line_editor *e)
{
	return e->note;
}

int
line_editor_ended_by(const struct line_editor *e)
{
	return e->ending_signal;
}

/* Only while a line is typed: programs set it as they need it. */
static void
ask_for_marks(struct line_editor *e, bool on)
{
	e->pasting = false;
	if (!e->marks)
		return;
	fputs(on ? PASTE_ON : PASTE_OFF, e->out);
	fflush(e->out);
}

static void
say(struct line_editor *e, const char *text)
{
	fputs(text, e->out);
	fflush(e->out);
}

/* One physical line, appended.  LINE_FAILED: it is too long. */
static enum line_result
read_physical(struct line_editor *e, struct buf *to)
{
	const wchar_t *text;
	int count = 0;

	e->interrupted = e->timed_out = e->too_long = e->wants_editor = false;
	e->idled = e->word_over = false;
	e->unit = to;
	e->deadline_ns = clock_mono_ns() + (int64_t)e->patience * 1000000000;
	memset(&e->decode, 0, sizeof e->decode);
	e->n_begun = 0;
	e->sequence = LINE_NO_SEQUENCE;
	line_keys_long(e, false);
	line_kill_begin_line(&e->kill);
	/* The terminal is raw before the prompt invites to type. */
	el_set(e->el, EL_PREP_TERM, 1);
	if (e->plain != NULL)
		line_plain_begin(e->plain);
	ask_for_marks(e, true);
	text = el_wgets(e->el, &count);
	ask_for_marks(e, false);
	buf_done(&e->given);
	line_walk_done(&e->walk);
	line_undo_done(&e->undo);
	line_hint_done(&e->hint);
	line_outlook_done(&e->outlook);
	line_search_end(e);
	if (e->timed_out) {
		el_reset(e->el);
		return LINE_TIMED_OUT;
	}
	if (e->interrupted) {
		el_reset(e->el);
		return e->ending_signal != 0 ? LINE_END : LINE_INTERRUPTED;
	}
	if (e->too_long) {
		say(e, "\n");
		return LINE_FAILED;
	}
	if (text == NULL || count <= 0)
		return LINE_END;
	line_put_wide(to, text, (size_t)count);
	return e->wants_editor ? LINE_EDIT : LINE_OK;
}

/* To go on: it names what is open, in words where those are known. */
static char *
invitation(const char *open)
{
	static const char document[] = "here-document ";
	static const char *const words[] = { TR_LATER("quote '"),
		TR_LATER("quote \""), TR_LATER("line continuation"),
		TR_LATER("backquote"), TR_LATER("a command"),
		TR_LATER("a word"), TR_LATER("a pattern"),
		TR_LATER("a condition") };
	size_t i;

	if (open == NULL)
		return xstrdup("> ");
	if (strncmp(open, document, sizeof document - 1) == 0)
		return xasprintf(tr("here-document %s> "), open +
		    sizeof document - 1);
	for (i = 0; i < AEG_NELEM(words); i++)
		if (strcmp(words[i], open) == 0)
			return xasprintf("%s> ", tr(words[i]));
	return xasprintf("%s> ", open);
}

enum line_result
line_editor_read(struct line_editor *e, const char *prompt, struct buf *ret,
    struct err *err)
{
	enum line_result r = LINE_OK;
	const char *open = NULL;
	size_t from;

	e->prompt = prompt;
	ret->max = LINE_MAX_BYTES;
	for (;;) {
		from = ret->len;
		r = read_physical(e, ret);
		if (r == LINE_INTERRUPTED)
			say(e, "^C\n");
		if (r == LINE_END && ret->len > 0 && e->ending_signal == 0) {
			say(e, "\n");
			r = LINE_OK;	/* as bash: judged as it stands */
			break;
		}
		if (r == LINE_OK && buf_overflow(ret))
			r = LINE_FAILED;
		if (r == LINE_FAILED)
			err_set(err, ERR_TOO_LONG, tr("input of more than "
			    "%zu bytes is not run"), LINE_MAX_BYTES);
		if (r != LINE_OK)
			break;
		if (!line_may_close(open, ret->data, from, ret->len))
			continue;
		if (e->opts.complete(e->opts.ctx, ret->data, ret->len,
		    &open) != 0)
			break;
		free(e->continuation);
		e->continuation = invitation(open);
	}
	free(e->continuation);
	e->continuation = NULL;
	return r;
}
