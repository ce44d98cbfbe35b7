/* SPDX-License-Identifier: ISC */
/*
 * What would become of a line as it is typed.  A child that was forked at the
 * first key judges it by what it was born with: looking for a command or a
 * path may hang in a dead file system, and the person shall not.  It answers
 * on a socket, holds nothing else of ours open, and is gone when the line is
 * read; who kills or stops it gets a prompt that tells nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"
#include "shell/alias.h"
#include "shell/events.h"
#include "shell/outlook.h"
#include "shell/prompt.h"
#include "shell/recall.h"

#define ASKED_MAX ((size_t)65536)	/* bytes of a line that is explained */
#define TOLD_MAX ((size_t)32768)
#define EXPLAIN_NS ((int64_t)150 * 1000000)
#define BIRTHS_MAX 4			/* of children, for one line */

struct outlook {
	struct shell *sh;
	pid_t pid;
	int fd;
	unsigned births;
	uint32_t serial;		/* of what was asked last */
	struct buf shown;
};

/* One message each, with text behind it. */
struct asked {
	uint32_t serial, in_full;
};
struct told {
	uint32_t serial, outlook;
};

struct outlook *
outlook_new(struct shell *sh)
{
	struct outlook *o = xcalloc(1, sizeof *o);

	o->sh = sh;
	o->fd = -1;
	return o;
}

void
outlook_free(struct outlook *o)
{
	if (o == NULL)
		return;
	outlook_end(o);
	buf_done(&o->shown);
	free(o);
}

/* ---- the child ----------------------------------------------------------- */

static char *
no_event(void *ctx, enum event_kind kind, int64_t n, const char *text)
{
	bool *asked = ctx;

	*asked = true;
	return NULL;
}

/* "!!" stands for what only the record knows: it is shown before it runs. */
static bool
holds_events(const struct shell *sh, const char *text, size_t len)
{
	AEG_AUTO(buf_done) struct buf copy = BUF_INIT, why = BUF_INIT;
	bool asked = false;

	if (strcmp(conf_str(sh->conf, CONF_EXPAND_HISTORY), "no") == 0)
		return false;
	buf_put(&copy, text, len);
	return events_expand(&copy, no_event, &asked, &why) != EVENTS_NONE;
}

static void
put_decision(const struct turn_judged *j, struct buf *out)
{
	const struct decision *d = turn_decision(j);

	if (turn_syntax_error(j) != NULL) {
		buf_putf(out, "  %s\n", turn_syntax_error(j));
		return;
	}
	buf_puts(out, "  ");
	shell_put_reason(out, d);
	buf_putc(out, '\n');
	if (decision_instead(d) != NULL)
		buf_putf(out, tr("  instead: %s\n"), decision_instead(d));
}

struct telling {
	struct turn *turn;
	struct buf *out;		/* NULL: only the outlook is wanted */
};

static void
tell(void *ctx, const struct turn_judged *j)
{
	const struct telling *t = ctx;

	if (t->out == NULL)
		return;
	put_decision(j, t->out);
	turn_tell(t->turn, j, shell_put_fact, t->out);
}

static void
answer(struct outlook *o, const struct asked *q, const char *text, size_t len)
{
	AEG_AUTO(buf_done) struct buf line = BUF_INIT_MAX(LINE_MAX_BYTES);
	AEG_AUTO(buf_done) struct buf told = BUF_INIT, out = BUF_INIT;
	struct telling t = { o->sh->turn, q->in_full ? &told : NULL };
	struct told a = { .serial = q->serial };
	size_t at;

	buf_put(&line, text, len);
	if (holds_events(o->sh, text, len) || recall_tag(text, len, &at) > 0 ||
	    aliases_expand(o->sh->aliases, &line) != 0)
		a.outlook = TURN_OUTLOOK_NONE;
	else
		a.outlook = turn_foresee(o->sh->turn, line.data, line.len,
		    tell, &t);
	buf_put(&out, &a, sizeof a);
	if (told.len > 0)
		buf_put(&out, told.data, told.len < TOLD_MAX ? told.len :
		    TOLD_MAX);
	if (send(o->fd, out.data, out.len, MSG_NOSIGNAL) < 0)
		_exit(1);
}

static void __attribute__((noreturn))
live(struct outlook *o, int fd)
{
	static char message[sizeof(struct asked) + ASKED_MAX];
	struct asked q;
	int null = open("/dev/null", O_RDWR);
	ssize_t n, later;

	/* Without the terminal; nobody waits for the end of what we hold. */
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
	    dup2(null, 2) < 0 || dup2(fd, 3) < 0)
		_exit(1);
	close_range(4, ~0U, 0);
	o->fd = 3;
	while ((n = recv(3, message, sizeof message, 0)) >=
	    (ssize_t)sizeof q) {
		/* Of several, only the last is wanted any more. */
		while ((later = recv(3, message, sizeof message,
		    MSG_DONTWAIT)) >= (ssize_t)sizeof q)
			n = later;
		if (later == 0)
			break;
		memcpy(&q, message, sizeof q);
		answer(o, &q, message + sizeof q, (size_t)n - sizeof q);
	}
	_exit(0);
}

/* ---- the parent ---------------------------------------------------------- */

static bool
begin(struct outlook *o)
{
	int ends[2];

	if (o->fd >= 0)
		return true;
	if (o->births >= BIRTHS_MAX || shell_child_place(o->sh) == NULL ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return false;
	/* The operator's rules as they are now, and not as they were when the
	 * line before came. */
	if (o->births++ == 0)
		turn_follow_rules(o->sh->turn);
	o->pid = fork();
	if (o->pid == 0)
		live(o, ends[1]);
	close(ends[1]);
	if (o->pid < 0) {
		close(ends[0]);
		return false;
	}
	o->fd = ends[0];
	return true;
}

static void
end_child(struct outlook *o)
{
	pid_t *at;

	if (o->fd < 0)
		return;
	io_close(&o->fd);
	kill(o->pid, SIGKILL);
	at = shell_child_place(o->sh);
	if (waitpid(o->pid, NULL, WNOHANG) == 0 && at != NULL)
		*at = o->pid;
	o->pid = 0;
}

void
outlook_end(struct outlook *o)
{
	end_child(o);
	o->births = 0;
}

static bool
ask(struct outlook *o, const char *text, size_t len, bool in_full)
{
	struct asked q = { .serial = ++o->serial, .in_full = in_full };
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;

	if (len > ASKED_MAX || !begin(o))
		return false;
	buf_put(&out, &q, sizeof q);
	buf_put(&out, text, len);
	if (send(o->fd, out.data, out.len, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
		return true;
	/* It was killed, or has not looked for a long time. */
	end_child(o);
	return false;
}

/* The answer to what was asked last.  False: there is none yet, or, with
 * o->fd closed, there will not be any. */
static bool
take(struct outlook *o, struct told *ret, struct buf *text)
{
	static char message[sizeof(struct told) + TOLD_MAX];
	ssize_t n;

	while (o->fd >= 0) {
		n = recv(o->fd, message, sizeof message, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return false;
		if (n < (ssize_t)sizeof *ret) {
			end_child(o);
			return false;
		}
		memcpy(ret, message, sizeof *ret);
		if (ret->serial != o->serial)
			continue;
		if (text != NULL)
			buf_put(text, message + sizeof *ret,
			    (size_t)n - sizeof *ret);
		return true;
	}
	return false;
}

static const struct saying {
	const char *edge, *whole, *colour;	/* SGR of the colour */
} sayings[] = {
	[TURN_OUTLOOK_NONE] = { "",
	    TR_LATER("What would become of the line is not known before "
	    "it runs."),
	    "" },
	[TURN_OUTLOOK_OPEN] = { "",
	    TR_LATER("The line is not whole yet."),
	    "" },
	[TURN_OUTLOOK_UNREADABLE] = { TR_LATER("cannot be read"),
	    TR_LATER("The line cannot be read:"),
	    "31" },
	[TURN_OUTLOOK_BLOCK] = { TR_LATER("will be blocked"),
	    TR_LATER("The rules block the line:"),
	    "31" },
	[TURN_OUTLOOK_NO_COMMAND] = { TR_LATER("no such command"),
	    TR_LATER("A command of the line is not there.  The rules say of "
	    "it:"),
	    "35" },
	[TURN_OUTLOOK_NOT_LET] = { TR_LATER("will be blocked"),
	    TR_LATER("No rule lets the line run:"),
	    "31" },
	[TURN_OUTLOOK_ASK] = { TR_LATER("will ask"),
	    TR_LATER("You will be asked:"),
	    "33" },
	[TURN_OUTLOOK_MODEL] = { TR_LATER("rules: the model decides"),
	    TR_LATER("A language model will be asked.  The rules alone "
	    "say:"),
	    "33" },
	[TURN_OUTLOOK_RUN] = { TR_LATER("safe"),
	    TR_LATER("The rules let the line run:"),
	    "32" },
};

int
outlook_ask(struct outlook *o, const char *text, size_t len)
{
	return ask(o, text, len, false) ? o->fd : -1;
}

const char *
outlook_hear(struct outlook *o)
{
	struct told a;
	const struct saying *s;
	bool colours = prompt_colours_of(state_get(o->sh->state, "TERM"),
	    state_get(o->sh->state, "COLORTERM"),
	    state_get(o->sh->state, "NO_COLOR")) != PROMPT_PLAIN;

	if (!take(o, &a, NULL))
		return o->fd >= 0 ? NULL : "";
	buf_reset(&o->shown);
	if (a.outlook >= AEG_NELEM(sayings) ||
	    sayings[a.outlook].edge[0] == '\0')
		return "";
	s = &sayings[a.outlook];
	if (colours)
		buf_putf(&o->shown, "\001\033[%sm\001[%s]\001\033[0m\001",
		    s->colour, tr(s->edge));
	else
		buf_putf(&o->shown, "[%s]", tr(s->edge));
	return o->shown.data;
}

void
outlook_explain(struct outlook *o, const char *text, size_t len,
    struct buf *out)
{
	AEG_AUTO(buf_done) struct buf more = BUF_INIT;
	int64_t left, end = clock_mono_ns() + EXPLAIN_NS;
	struct told a = { .outlook = TURN_OUTLOOK_NONE };
	bool answered = false;

	if (ask(o, text, len, true))
		while (!(answered = take(o, &a, &more)) && o->fd >= 0 &&
		    (left = (end - clock_mono_ns()) / 1000000) > 0) {
			struct pollfd p = { .fd = o->fd, .events = POLLIN };

			poll(&p, 1, (int)left);
		}
	if (!answered || a.outlook >= AEG_NELEM(sayings)) {
		buf_puts(out, tr("It takes too long to find out what would "
		    "become of the line.\n"));
		return;
	}
	buf_puts(out, tr(sayings[a.outlook].whole));
	buf_putc(out, '\n');
	if (more.len > 0)
		buf_put(out, more.data, more.len);
}
