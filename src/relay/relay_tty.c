/* SPDX-License-Identifier: ISC */
/*
 * The process between two terminals.
 *
 * Keys go in and what is written comes out, byte for byte, and nothing is
 * read from one that the other has no room for.  The size follows; so does
 * who stops the shell, and how it ends.
 */
#include "relay/relay_int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/pack.h"

/* More than a terminal holds of what was written (64 KiB, tty_buffer.c, and
 * one read of its line discipline). */
#define REST_MAX ((size_t)128 * 1024)

struct way {
	char bytes[2 * RELAY_TERM_CHUNK];
	size_t at, len;		/* of those, that wait */
};

struct outside {
	struct relay_outside o;
	int signals;
	struct way in, out;
	struct relay_marks marks;
	struct relay_echo echo;
	struct relay_transfer transfer;
	struct relay_late late;
	struct redact *redact;
	struct cast *cast;	/* NULL: nothing is kept … */
	char *why_not;		/* … for that reason, not told yet; or NULL */
	struct {
		bool begins;
		unsigned char uuid[UUID_LEN];
		uint64_t most;
		bool kills;	/* who writes more */
	} due[8];		/* marks that were announced */
	unsigned n_due;
	struct relay_most most;
	bool counts, keeps;	/* a line is in front */
	bool kills;
	bool cut;		/* it wrote too much, which is to be said */
	bool over;		/* the shell has ended, as status says */
	int status;
	size_t rest;		/* bytes that are read when it has */
	char packet[RELAY_PACKET_MAX];
	struct buf text;
};

/* ---- what is kept ------------------------------------------------------- */

static void
keep(struct outside *t, const char *p, size_t len)
{
	buf_reset(&t->text);
	relay_echo_strip(&t->echo, p, len, &t->text);
	if (t->text.len == 0)
		return;
	len = relay_transfer_begins(&t->transfer, t->text.data, t->text.len);
	t->keeps = len == 0;
	relay_late_put(&t->late, t->cast, t->text.data, len > 0 ? len :
	    t->text.len, clock_mono_ns());
}

/* ---- how much of it is shown --------------------------------------------- */

static size_t
admit(struct outside *t, size_t n)
{
	const char word = RELAY_OVER;
	bool first;

	n = relay_most_admit(&t->most, n, &first);
	if (first && t->o.control >= 0)
		(void)send(t->o.control, &word, 1, MSG_NOSIGNAL);
	t->cut = first && !t->kills;
	return n;
}

/* Whoever waits for what a program writes there must not wait for ever.  What
 * goes before ends the escape sequence that was cut. */
static void
put_cut(struct outside *t)
{
	t->cut = false;
	t->out.len += (size_t)snprintf(t->out.bytes + t->out.len,
	    sizeof t->out.bytes - t->out.len, "\030\033\\\r\n"
	    "aegsh: limit-output: more than %" PRIu64 " MiB since a key was "
	    "typed; what comes now is left out until one is\r\n",
	    t->most.most >> 20);
}

static void
on_text(void *ctx, const char *p, size_t len)
{
	struct outside *t = ctx;

	if (t->keeps && len > 0)
		keep(t, p, len);
	if (t->counts)
		len = admit(t, len);
	memcpy(t->out.bytes + t->out.len, p, len);
	t->out.len += len;
	if (t->cut)
		put_cut(t);
}

static void
answer(struct outside *t)
{
	(void)relay_answer(t->o.control, t->cast, t->why_not);
	free(t->why_not);
	t->why_not = NULL;
}

static void
on_mark(void *ctx)
{
	struct outside *t = ctx;

	relay_late_all(&t->late, t->cast);
	relay_echo_forget(&t->echo);
	t->transfer.seen = 0;
	t->counts = t->due[0].begins && t->due[0].most > 0;
	t->kills = t->due[0].kills;
	relay_most_begin(&t->most, t->due[0].most);
	t->keeps = t->due[0].begins && t->cast != NULL;
	if (t->keeps)
		cast_begin(t->cast, t->due[0].uuid, clock_mono_ns());
	else if (!t->due[0].begins)
		answer(t);
	t->n_due--;
	memmove(t->due, t->due + 1, t->n_due * sizeof t->due[0]);
}

static void
announce(struct outside *t, const unsigned char *uuid, uint64_t most,
    bool kills)
{
	if (t->n_due == AEG_NELEM(t->due))
		return;
	t->due[t->n_due].begins = uuid != NULL;
	if (uuid != NULL)
		memcpy(t->due[t->n_due].uuid, uuid, UUID_LEN);
	t->due[t->n_due].most = most;
	t->due[t->n_due].kills = kills;
	t->n_due++;
	t->marks.due++;
}

/* Behind the word: its number, and how much it may write. */
static void
announce_line(struct outside *t, const char *p, size_t len)
{
	struct pack_reader in = { p, p + len };
	const char *uuid = pack_get(&in, UUID_LEN);
	int64_t most = pack_get_int(&in), kills = pack_get_int(&in);

	if (in.p != NULL && most >= 0)
		announce(t, (const unsigned char *)uuid, (uint64_t)most,
		    kills != 0);
}

static void
begin_keeping(struct outside *t, const char *p, size_t len)
{
	struct pack_reader in = { p, p + len };
	struct cast_setup setup = { .dir = pack_get_text(&in) };
	const char *session = pack_get(&in, UUID_LEN);
	struct winsize size = { .ws_row = 0 };
	struct err err = ERR_INIT;

	setup.term = pack_get_text(&in);
	setup.keep = (enum cast_keep)pack_get_int(&in);
	setup.line_max = (size_t)pack_get_int(&in);
	setup.wait_ns = pack_get_int(&in);
	if (in.p == NULL || t->cast != NULL || setup.keep == CAST_KEEP_NONE)
		return;
	if (redact_open(setup.dir, &t->redact, &err) < 0) {
		t->why_not = xstrdup(err.text);
		return;
	}
	memcpy(setup.session, session, UUID_LEN);
	setup.redact = t->redact;
	(void)ioctl(t->o.tty, TIOCGWINSZ, &size);
	setup.width = size.ws_col;
	setup.height = size.ws_row;
	setup.wall_ns = clock_wall_ns();
	setup.mono_ns = clock_mono_ns();
	t->cast = cast_new(&setup);
}

static void
learn(struct outside *t, const char *p, size_t len)
{
	struct pack_reader in = { p, p + len };
	const char *name = pack_get_text(&in), *value = pack_get_text(&in);

	if (name != NULL && value != NULL)
		redact_learn(t->redact, name, value);
}

/* All that aegsh has said by now. */
static void
hear(struct outside *t)
{
	ssize_t n;

	while (t->o.control >= 0) {
		n = recv(t->o.control, t->packet, sizeof t->packet,
		    MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0)
			io_close(&t->o.control);
		else if (t->packet[0] == RELAY_KEEP)
			begin_keeping(t, t->packet + 1, (size_t)n - 1);
		else if (t->packet[0] == RELAY_FORGET && t->redact != NULL)
			redact_forget(t->redact);
		else if (t->packet[0] == RELAY_LEARN)
			learn(t, t->packet + 1, (size_t)n - 1);
		else if (t->packet[0] == RELAY_END)
			announce(t, NULL, 0, false);
		else if (t->packet[0] == RELAY_LINE)
			announce_line(t, t->packet + 1, (size_t)n - 1);
	}
}

/* ---- both ways ---------------------------------------------------------- */

/* There is nobody at the other terminal any more: what waits for it is gone,
 * and whoever is in ours is told by its end. */
static void
hang_up(struct outside *t)
{
	const char word = RELAY_HUNG_UP;

	if (t->o.tty < 0)
		return;
	/* It may be there still, for others. */
	(void)ioctl(t->o.tty, TIOCNXCL);
	(void)tcsetattr(t->o.tty, TCSANOW, &t->o.modes);
	io_close(&t->o.tty);
	t->out.at = t->out.len = 0;
	hear(t);
	if (t->o.control >= 0)
		(void)send(t->o.control, &word, 1, MSG_NOSIGNAL);
	io_close(&t->o.master);
	kill(t->o.child, SIGHUP);
	kill(t->o.child, SIGCONT);
}

static void
pass(struct outside *t, struct way *w, int to)
{
	ssize_t n = write(to, w->bytes + w->at, w->len - w->at);

	if (n > 0)
		w->at += (size_t)n;
	else if (n < 0 && errno != EAGAIN && errno != EINTR) {
		w->at = w->len;
		if (to == t->o.tty)
			hang_up(t);
	}
	if (w->at == w->len)
		w->at = w->len = 0;
}

/* ---- the terminal, and who is in front of it ---------------------------- */

static void
take_size(struct outside *t)
{
	struct winsize size;

	if (t->o.tty < 0 || ioctl(t->o.tty, TIOCGWINSZ, &size) < 0)
		return;
	(void)ioctl(t->o.master, TIOCSWINSZ, &size);
	relay_late_all(&t->late, t->cast);
	if (t->cast != NULL)
		cast_resize(t->cast, size.ws_col, size.ws_row,
		    clock_mono_ns());
}

/* A shell that goes on in the background waits there for its terminal, as any
 * that reads from one; unless it is to end. */
static bool
is_behind(const struct outside *t)
{
	pid_t front = tcgetpgrp(t->o.tty);

	return front > 0 && front != getpgrp();
}

static void
await_front(const struct outside *t)
{
	sigset_t due;

	while (is_behind(t) && sigpending(&due) == 0 &&
	    !sigismember(&due, SIGHUP) && !sigismember(&due, SIGTERM))
		raise(SIGSTOP);
}

static void
take_terminal(struct outside *t)
{
	struct termios raw;

	await_front(t);
	raw = t->o.modes;
	cfmakeraw(&raw);
	(void)tcsetattr(t->o.tty, TCSANOW, &raw);
	(void)ioctl(t->o.tty, TIOCEXCL);
	take_size(t);
}

void
relay_tty_restore(int tty, const struct termios *modes)
{
	(void)ioctl(tty, TIOCNXCL);
	(void)tcsetattr(tty, TCSADRAIN, modes);
}

/* ---- keys and text ------------------------------------------------------ */

static void
take_keys(struct outside *t)
{
	ssize_t n = read(t->o.tty, t->in.bytes, RELAY_TERM_CHUNK);
	struct termios modes;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	/* From behind nothing is to be read, which is no end. */
	if (n < 0 && errno == EIO && is_behind(t)) {
		take_terminal(t);
		return;
	}
	if (n <= 0) {
		hang_up(t);
		return;
	}
	t->in.at = 0;
	t->in.len = (size_t)n;
	relay_most_typed(&t->most, t->in.bytes, t->in.len);
	if (t->keeps && tcgetattr(t->o.master, &modes) == 0)
		relay_echo_typed(&t->echo, &modes, t->in.bytes, t->in.len);
	pass(t, &t->in, t->o.master);
}

/* Whether there was something. */
static bool
take_text(struct outside *t)
{
	const struct relay_marks_to to = { on_text, on_mark, t };
	char bytes[RELAY_TERM_CHUNK];
	ssize_t n = read(t->o.master, bytes, sizeof bytes);

	if (n <= 0)
		return false;
	if (t->over)
		t->rest -= (size_t)n < t->rest ? (size_t)n : t->rest;
	/* Before a mark is in the stream it is announced. */
	hear(t);
	relay_marks_feed(&t->marks, bytes, (size_t)n, &to);
	if (t->o.tty >= 0 && t->out.len > 0)
		pass(t, &t->out, t->o.tty);
	return true;
}

/* ---- signals ------------------------------------------------------------ */

/* Somebody stopped the shell, or it itself did: whoever started us shall see
 * that. */
static void
stop_too(struct outside *t)
{
	relay_tty_restore(t->o.tty, &t->o.modes);
	raise(SIGSTOP);
	/* Who had it meanwhile may have left other modes. */
	await_front(t);
	(void)tcgetattr(t->o.tty, &t->o.modes);
	take_terminal(t);
	kill(t->o.child, SIGCONT);
}

static void
look_at_child(struct outside *t)
{
	int status;

	while (!t->over && waitpid(t->o.child, &status, WNOHANG | WUNTRACED) >
	    0)
		if (!WIFSTOPPED(status)) {
			t->over = true;
			t->status = status;
		} else if (t->o.tty >= 0) {
			stop_too(t);
		}
}

static void
take_signals(struct outside *t)
{
	struct signalfd_siginfo info;

	while (read(t->signals, &info, sizeof info) == (ssize_t)sizeof info)
		switch ((int)info.ssi_signo) {
		case SIGCHLD:
			look_at_child(t);
			break;
		case SIGWINCH:
			take_size(t);
			break;
		case SIGCONT:	/* who stopped us may have set other modes */
			take_terminal(t);
			break;
		case SIGHUP:
		case SIGTERM:
			kill(t->o.child, (int)info.ssi_signo);
			break;
		}
}

/* ---- the loop ----------------------------------------------------------- */

static void
doze(struct outside *t)
{
	bool in = t->in.len > 0, out = t->out.len > 0;
	struct pollfd p[] = {
		{ .fd = t->o.tty, .events = (short)((in ? 0 : POLLIN) |
		    (out ? POLLOUT : 0)) },
		{ .fd = t->o.master, .events = (short)((out ? 0 : POLLIN) |
		    (in ? POLLOUT : 0)) },
		{ .fd = t->o.control, .events = POLLIN },
		{ .fd = t->signals, .events = POLLIN },
		{ .fd = cast_poll_fd(t->cast), .events = POLLOUT },
	};
	bool idle = relay_late_is_empty(&t->late);
	int n = poll(p, AEG_NELEM(p), idle ? -1 : 0);

	if (n == 0)
		relay_late_some(&t->late, t->cast);
	if (n <= 0)
		return;
	if (p[3].revents != 0)
		take_signals(t);
	if ((p[0].revents & POLLOUT) != 0 && out)
		pass(t, &t->out, t->o.tty);
	if ((p[1].revents & POLLOUT) != 0 && in)
		pass(t, &t->in, t->o.master);
	if ((p[1].revents & POLLIN) != 0 && t->out.len == 0)
		(void)take_text(t);
	else if (p[1].revents == POLLHUP)
		io_close(&t->o.master);
	if (t->o.tty >= 0 && (p[0].revents & (POLLHUP | POLLERR)) != 0)
		hang_up(t);
	else if ((p[0].revents & POLLIN) != 0 && t->in.len == 0)
		take_keys(t);
	if (p[2].revents != 0)
		hear(t);
	if (p[4].revents != 0)
		cast_pump(t->cast);
}

static void
open_signals(struct outside *t)
{
	static const int minded[] = { SIGCHLD, SIGWINCH, SIGCONT, SIGHUP,
		SIGTERM };
	sigset_t all, some;
	size_t i;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigemptyset(&some);
	for (i = 0; i < AEG_NELEM(minded); i++)
		sigaddset(&some, minded[i]);
	t->signals = signalfd(-1, &some, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* An own description of the terminal, so that nothing blocks and nobody
 * else's does not. */
static void
open_own(struct outside *t)
{
	int fd = open("/dev/tty", O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd >= 0) {
		io_close(&t->o.tty);
		t->o.tty = fd;
	}
	(void)fcntl(t->o.master, F_SETFL, O_RDWR | O_NONBLOCK);
}

static void __attribute__((noreturn))
end_as_child(const struct outside *t)
{
	sigset_t none;

	if (!WIFSIGNALED(t->status))
		_exit(WEXITSTATUS(t->status));
	signal(WTERMSIG(t->status), SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	raise(WTERMSIG(t->status));
	_exit(128 + WTERMSIG(t->status));
}

void
relay_tty_main(const struct relay_outside *o)
{
	struct outside *t = xcalloc(1, sizeof *t);

	t->o = *o;
	t->rest = REST_MAX;
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	prctl(PR_SET_NAME, "aegsh-terminal", 0, 0, 0);
	open_signals(t);
	open_own(t);
	relay_marks_init(&t->marks, o->nonce);
	{
		const int kept[] = { t->o.tty, t->o.master, t->o.control,
			t->signals };

		relay_close_others(kept, AEG_NELEM(kept));
	}
	take_terminal(t);
	look_at_child(t);
	while (!t->over)
		doze(t);
	/* What it wrote last, as far as somebody reads; not what others go on
	 * to write. */
	while (t->o.master >= 0 && t->o.tty >= 0 && (t->out.len > 0 ||
	    (t->rest > 0 && take_text(t)))) {
		struct pollfd p = { .fd = t->o.tty, .events = POLLOUT };

		if (t->out.len > 0 && (poll(&p, 1, -1) <= 0 ||
		    (p.revents & (POLLHUP | POLLERR)) != 0))
			break;
		if (t->out.len > 0)
			pass(t, &t->out, t->o.tty);
	}
	relay_late_all(&t->late, t->cast);
	cast_free(t->cast);
	if (t->o.tty >= 0)
		relay_tty_restore(t->o.tty, &t->o.modes);
	end_as_child(t);
}
