/* SPDX-License-Identifier: ISC */
/* Reading keys: signals and other descriptors while they are awaited, pastes,
 * characters of several bytes, and the keys that the editor gives itself. */
#include "line_int.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

/* Terminals put these around what is pasted. */
static const char paste_begins[] = "\033[200~", paste_ends[] = "\033[201~";
#define MARK_WAIT_MS 50		/* for the rest of what may be a mark */
#define REGAIN_MAX 100		/* times that a line takes the terminal back */

/* A signal came while keys were awaited.  Returns true when reading is
 * over. */
static bool
take_signal(struct line_editor *e)
{
	struct signalfd_siginfo info;

	if (read(e->signals, &info, sizeof info) != (ssize_t)sizeof info)
		return false;
	if (info.ssi_signo == SIGWINCH) {
		e->resized = true;
		return false;
	}
	if (info.ssi_signo != SIGINT)
		e->ending_signal = (int)info.ssi_signo;
	e->interrupted = true;
	return true;
}

/* For poll(2); 0 when the time is over. */
static int
time_left(struct line_editor *e)
{
	int64_t left = e->deadline_ns - clock_mono_ns();

	if (e->patience == 0)
		return -1;
	if (left <= 0) {
		e->timed_out = true;
		return 0;
	}
	return left / 1000000 < INT32_MAX ? (int)(left / 1000000) + 1 :
	    INT32_MAX;
}

/* So is what may come with the next word. */
static void
tell_pause(struct line_editor *e)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;

	e->word_over = false;
	line_text_before(e, &text);
	e->opts.pause(e->opts.ctx, text.data, text.len);
}

/* 1 a byte may be read, 0 over. */
static int
wait_key(struct line_editor *e)
{
	struct pollfd p[4] = {
		{ .fd = e->tty_in, .events = POLLIN },
		{ .fd = e->signals, .events = POLLIN },
		{ .fd = e->opts.watch_fd, .events = POLLIN },
		/* Between keys, as the screen's size; see line_get_key. */
		{ .fd = e->between && !e->search.on ? e->outlook.awaited : -1,
		    .events = POLLIN },
	};
	int limit;

	/* The prompt is drawn: what can wait until now is done now. */
	if (!e->idled) {
		e->idled = true;
		if (e->opts.idle != NULL)
			e->opts.idle(e->opts.ctx);
	}
	if (e->word_over && e->between && e->opts.pause != NULL &&
	    poll(p, 2, 0) == 0)
		tell_pause(e);
	for (;;) {
		int n;

		limit = time_left(e);
		if (limit == 0 || (e->resized && e->between))
			return 0;
		n = poll(p, 4, limit);
		if (n < 0 && errno != EINTR)
			return 0;
		if (n > 0 && p[2].revents != 0)
			e->opts.watch(e->opts.ctx);
		if (n > 0 && p[1].revents != 0 && take_signal(e))
			return 0;
		if (n > 0 && p[0].revents != 0)
			return 1;
		if (n > 0 && p[3].revents != 0) {
			e->outlook.heard = line_outlook_late(e);
			if (e->outlook.heard)
				return 0;
			p[3].fd = e->outlook.awaited;
		}
	}
}

/* A command in the background has made itself the terminal's foreground.  We
 * ignore SIGTTIN, so that reading fails, which is no end of the session. */
static bool
regain(struct line_editor *e)
{
	if (errno != EIO || e->regained >= REGAIN_MAX ||
	    tcgetpgrp(e->tty_in) == getpgrp() ||
	    tcsetpgrp(e->tty_in, getpgrp()) < 0)
		return false;
	e->regained++;
	el_set(e->el, EL_PREP_TERM, 0);
	el_set(e->el, EL_PREP_TERM, 1);
	return true;
}

/* The next byte, waiting for it; 0 at the end, -1 when reading is over. */
static int
next_byte(struct line_editor *e, unsigned char *ret)
{
	ssize_t n;

	if (e->n_ahead > 0) {
		*ret = e->ahead[0];
		memmove(e->ahead, e->ahead + 1, --e->n_ahead);
		return 1;
	}
	do {
		if (wait_key(e) == 0) {
			errno = EINTR;
			return -1;
		}
		n = read(e->tty_in, ret, 1);
		e->word_over |= n > 0 && !isalnum(*ret);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN || regain(e)));
	return (int)n;
}

/* The next byte of what is on the terminal already, or will be at once. */
bool
line_key_at_once(struct line_editor *e, unsigned char *ret)
{
	struct pollfd p = { .fd = e->tty_in, .events = POLLIN };

	return (e->n_ahead > 0 || poll(&p, 1, MARK_WAIT_MS) > 0) &&
	    next_byte(e, ret) > 0;
}

/* After an ESC: is it the rest of that mark?  What is not goes ahead. */
static bool
is_mark(struct line_editor *e, const char *mark)
{
	unsigned char got[sizeof paste_begins];
	size_t n = 0, i;

	while (n + 1 < strlen(mark)) {
		if (!line_key_at_once(e, &got[n]))
			break;
		n++;
		if (got[n - 1] != (unsigned char)mark[n])
			break;
	}
	if (n + 1 == strlen(mark) && memcmp(got, mark + 1, n) == 0)
		return true;
	/* In front of what is there already. */
	memmove(e->ahead + n, e->ahead, e->n_ahead);
	for (i = 0; i < n; i++)
		e->ahead[i] = got[i];
	e->n_ahead += n;
	return false;
}

void
line_ahead(struct line_editor *e, unsigned char byte)
{
	if (e->n_ahead == sizeof e->ahead)
		return;
	memmove(e->ahead + 1, e->ahead, e->n_ahead++);
	e->ahead[0] = byte;
}

/* What terminals send for keys that are no characters: behind ESC, and the
 * n'th of LINE_KEY_OF_MANY. */
static const struct {
	const char *sent;
	unsigned n;
} of_many[] = {
	{ "[A", 0 }, { "OA", 0 }, { "[5~", 0 },
	{ "[B", 1 }, { "OB", 1 }, { "[6~", 1 },
	{ "[C", 2 }, { "OC", 2 },
	{ "[D", 3 }, { "OD", 3 },
	{ "[H", 4 }, { "OH", 4 }, { "[1~", 4 }, { "[7~", 4 },
	{ "[F", 5 }, { "OF", 5 }, { "[4~", 5 }, { "[8~", 5 },
	{ "[2~", 6 }, { "[3~", 7 }, { "[3;5~", 8 },
	{ "[1;5C", 9 }, { "[1;3C", 9 },
	{ "[1;5D", 10 }, { "[1;3D", 10 },
};
#define OF_MANY_MAX 12

/* After an ESC of vi, of which what follows is there already: 1 a key that is
 * known, 0 one that is not, of which nothing is left; -1 none: it was ESC. */
static int
key_of_many(struct line_editor *e, wchar_t *ret)
{
	char got[OF_MANY_MAX + 1];
	size_t n = 0, i;

	while (n < OF_MANY_MAX) {
		unsigned char byte;

		if (!line_key_at_once(e, &byte))
			break;
		got[n++] = (char)byte;
		if (n == 1 ? byte != '[' && byte != 'O' :
		    byte < 0x20 || (byte >= 0x40 && byte <= 0x7e))
			break;
	}
	got[n] = '\0';
	for (i = 0; i < AEG_NELEM(of_many); i++)
		if (strcmp(of_many[i].sent, got) == 0) {
			*ret = LINE_KEY_OF_MANY + (wchar_t)of_many[i].n;
			return 1;
		}
	if (n > 2 && got[0] == '[' && got[n - 1] >= 0x40 &&
	    got[n - 1] <= 0x7e)
		return 0;
	while (n > 0)
		line_ahead(e, (unsigned char)got[--n]);
	return -1;
}

/* All of it; what is longer than any line may be is read, and not kept. */
static void
read_paste(struct line_editor *e, struct buf *to)
{
	unsigned char byte;

	while (next_byte(e, &byte) > 0) {
		if (byte == '\033' && is_mark(e, paste_ends))
			return;
		buf_putc(to, byte == '\r' ? '\n' : (char)byte);
	}
}

bool
line_take_paste(struct line_editor *e, struct buf *text)
{
	if (!e->pasting)
		return false;	/* somebody has typed U+009F */
	e->pasting = false;
	if (e->given.len > 0) {
		buf_put(text, e->given.data, e->given.len);
		buf_done(&e->given);
	} else {
		read_paste(e, text);
	}
	return true;
}

/* Pasted, a newline is a character of the line and runs nothing; so is a Tab,
 * and each key that would edit. */
unsigned char
line_paste(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);
	struct buf text = BUF_INIT_MAX(LINE_MAX_BYTES);
	bool fits;

	(void)key;
	if (!line_take_paste(e, &text))
		return CC_ERROR;
	fits = !buf_overflow(&text) &&
	    (text.len == 0 || line_insert(e, text.data, text.len));
	buf_done(&text);
	e->too_long = !fits;
	return fits ? CC_REFRESH : CC_NEWLINE;
}

void
line_drop_enter(struct line_editor *e)
{
	struct pollfd p = { .fd = e->tty_in, .events = POLLIN };
	unsigned char byte;

	if ((e->n_ahead > 0 || poll(&p, 1, 0) > 0) &&
	    next_byte(e, &byte) > 0 && byte != '\r' && byte != '\n')
		line_ahead(e, byte);
}

/* What is no character of this locale is taken byte by byte. */
static wchar_t
not_decoded(struct line_editor *e, unsigned char byte)
{
	memset(&e->decode, 0, sizeof e->decode);
	if (e->n_begun == 0)
		return line_wide_byte(byte);
	line_ahead(e, byte);
	while (--e->n_begun > 0)
		line_ahead(e, e->begun[e->n_begun]);
	return line_wide_byte(e->begun[0]);
}

bool
line_key_waits(const struct line_editor *e)
{
	struct pollfd p[2] = {
		{ .fd = e->tty_in, .events = POLLIN },
		{ .fd = e->signals, .events = POLLIN },
	};

	return e->n_ahead > 0 || e->given.len > 0 || poll(p, 2, 0) > 0;
}

/* The next key; 0 at the end, -1 when reading is over. */
int
line_read_key(struct line_editor *e, wchar_t *ret)
{
	unsigned char byte;
	size_t used;
	int n;

	if (e->interrupted || e->timed_out) {
		errno = EINTR;
		return -1;
	}
	if (e->given.len > 0) {
		e->pasting = true;
		*ret = LINE_KEY_PASTE;
		return 1;
	}
	for (;;) {
		e->between &= e->n_begun == 0;
		n = next_byte(e, &byte);
		e->between = false;
		if (n <= 0)
			return n;
		if (byte == '\033' && is_mark(e, paste_begins)) {
			e->pasting = true;
			*ret = LINE_KEY_PASTE;
			return 1;
		}
		if (byte == '\033' && e->vi && !e->own_sequences &&
		    e->n_ahead > 0) {
			int known = key_of_many(e, ret);

			if (known == 1)
				return 1;
			if (known == 0)
				continue;
		}
		used = mbrtowc(ret, (const char *)&byte, 1, &e->decode);
		if (used == (size_t)-2) {
			e->begun[e->n_begun++ % sizeof e->begun] = byte;
			continue;
		}
		if (used == (size_t)-1)
			*ret = not_decoded(e, byte);
		e->n_begun = 0;
		return 1;
	}
}

/* Once what was typed is drawn, so is what it may become; it is gone again
 * before Enter ends the line. */
static int
read_hinted(struct line_editor *e, wchar_t *ret)
{
	int n;

	if (!line_key_waits(e)) {
		bool hint = line_hint_look(e), outlook = line_outlook_look(e);

		if (hint || outlook) {
			*ret = LINE_KEY_SEARCH;
			return 1;
		}
	}
	n = line_read_key(e, ret);
	e->outlook.passed |= n == 1;
	/* The long way (see aegsh-insert). */
	if (n == 1 && *ret >= 0x100 && wcwidth(*ret) > 1) {
		line_put_wide(&e->given, ret, 1);
		e->pasting = true;
		*ret = LINE_KEY_PASTE;
	}
	if (n == 1 && (*ret == L'\r' || *ret == L'\n')) {
		bool hint = line_hint_clear(e), outlook = line_outlook_clear(e);

		if (hint || outlook) {
			line_ahead(e, (unsigned char)*ret);
			*ret = LINE_KEY_SEARCH;
		}
	}
	return n;
}

static int
read_any(struct line_editor *e, wchar_t *ret)
{
	int n;

	if (!e->search.on) {
		line_undo_look(e);
		n = read_hinted(e, ret);
		/* Another key: the next Tab begins with the first page. */
		if (n != 1 || (*ret != L'\t' && *ret != LINE_KEY_SEARCH))
			line_forget_page(e);
		return n;
	}
	while (!line_key_waits(e))
		if (e->search.over) {
			break;
		} else if (line_search_step(e)) {
			e->search.key = L'\0';
			*ret = LINE_KEY_SEARCH;
			return 1;
		}
	n = line_read_key(e, &e->search.key);
	*ret = LINE_KEY_SEARCH;
	return n;
}

/* Of keys that come as several, none is torn apart. */
static void
follow(struct line_editor *e, wchar_t key)
{
	switch (e->sequence) {
	case LINE_NO_SEQUENCE:
		e->sequence = key == L'\033' ? LINE_AFTER_ESC :
		    key == ('X' & 037) ? LINE_AFTER_LEAD : LINE_NO_SEQUENCE;
		break;
	case LINE_AFTER_ESC:
		e->sequence = key == L'[' || key == L'O' ? LINE_IN_SEQUENCE :
		    LINE_NO_SEQUENCE;
		break;
	case LINE_IN_SEQUENCE:
		if (key >= 0x40 && key <= 0x7e)
			e->sequence = LINE_NO_SEQUENCE;
		break;
	case LINE_AFTER_LEAD:
		e->sequence = LINE_NO_SEQUENCE;
		break;
	}
}

/* libedit remembers where on the screen it stands, and would go on to draw
 * there in buffers of the new size (libedit 3.1-20221030, terminal.c: with
 * characters of two columns it then writes behind their end).  So the size
 * changes between keys only, and all is drawn anew right then. */
int
line_get_key(EditLine *el, wchar_t *ret)
{
	struct line_editor *e = line_editor_of(el);
	int n;

	e->search.key = L'\0';
	e->between = e->sequence == LINE_NO_SEQUENCE;
	n = e->resized && e->between ? -1 : read_any(e, ret);
	e->between = false;
	if (n != 1 && (e->resized || e->outlook.heard) && !e->interrupted &&
	    !e->timed_out) {
		e->outlook.heard = false;
		*ret = LINE_KEY_SEARCH;
		return 1;
	}
	if (n == 1)
		follow(e, *ret);
	return n;
}
