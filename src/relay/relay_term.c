/* SPDX-License-Identifier: ISC */
/* Aegsh's side of the terminal between. */
#include "relay/relay_int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/pack.h"

#define FRONT_TRIES 16
#define HIGH_FD 10		/* numbers below are the lines' */

struct relay_term {
	int tty;		/* ours */
	int outer;		/* the person's, for its modes alone */
	struct termios modes;	/* that it had */
	char path[64];		/* of it */
	int control;
	char mark[RELAY_MARK_MAX];
	size_t mark_len;
	bool keeps, hung_up, lost;
	uint64_t most;		/* bytes of the line in front; 0: any */
	struct relay_said said;
};

/* In the background we wait, stopped, to be put in front, as a shell does
 * before it takes a terminal. */
static int
come_to_front(int tty)
{
	struct sigaction sa = { .sa_handler = SIG_DFL }, old;
	pid_t front = -1;
	int tries;

	sigaction(SIGTTIN, &sa, &old);
	for (tries = 0; tries < FRONT_TRIES; tries++) {
		front = tcgetpgrp(tty);
		if (front < 0 || front == getpgrp())
			break;
		kill(0, SIGTTIN);
	}
	sigaction(SIGTTIN, &old, NULL);
	return front < 0 ? -errno : front == getpgrp() ? 0 : -EPERM;
}

static bool
leads_to(int fd, dev_t tty)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
	    st.st_rdev == tty;
}

/* The device behind /dev/tty, which has a number of its own; as the kernel
 * packs it (new_encode_dev()). */
static int
real_device(int tty, dev_t *ret)
{
	unsigned n;

	if (ioctl(tty, TIOCGDEV, &n) < 0)
		return -errno;
	*ret = makedev((n >> 8) & 0xfff, (n & 0xff) | ((n >> 12) & 0xfff00));
	return 0;
}

/* By a name of its own, where one of the three has it. */
static void
find_path(struct relay_term *r, dev_t outer)
{
	int fd;

	for (fd = STDERR_FILENO; fd >= 0; fd--)
		if (leads_to(fd, outer) &&
		    ttyname_r(fd, r->path, sizeof r->path) == 0)
			return;
	strcpy(r->path, "/dev/tty");
}

static int
take_place(struct relay_term *r, int slave, dev_t outer)
{
	int fd;

	if (setsid() < 0 || ioctl(slave, TIOCSCTTY, 0) < 0)
		return -errno;
	for (fd = 0; fd <= STDERR_FILENO; fd++)
		if (leads_to(fd, outer) && dup2(slave, fd) < 0)
			return -errno;
	r->tty = fcntl(slave, F_DUPFD_CLOEXEC, HIGH_FD);
	return r->tty < 0 ? -errno : 0;
}

static int
open_all(struct relay_term *r, int tty, struct relay_outside *o,
    int *ret_slave, int *ret_control)
{
	struct winsize size;
	int ends[2];

	if (tcgetattr(tty, &r->modes) < 0 ||
	    ioctl(tty, TIOCGWINSZ, &size) < 0 ||
	    getrandom(o->nonce, sizeof o->nonce, 0) !=
	    (ssize_t)sizeof o->nonce)
		return -errno;
	o->modes = r->modes;
	if (openpty(&o->master, ret_slave, NULL, &r->modes, &size) < 0)
		return -errno;
	io_set_cloexec(o->master, 1);
	io_set_cloexec(*ret_slave, 1);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	o->control = ends[0];
	*ret_control = ends[1];
	return 0;
}

/* In the child; what fails here fails at once, and by its status. */
static void
go_inside(struct relay_term *r, struct relay_outside *o, int slave,
    int control, dev_t outer)
{
	struct relay_marks marks;

	io_close(&o->master);
	io_close(&o->control);
	if (take_place(r, slave, outer) < 0)
		_exit(111);
	io_close(&slave);
	r->control = control;
	relay_marks_init(&marks, o->nonce);
	memcpy(r->mark, marks.text, marks.len);
	r->mark[marks.len] = '\r';
	r->mark_len = marks.len + 1;
}

int
relay_term_start(int tty, int *ret_tty, struct relay_term **ret,
    struct err *err)
{
	struct relay_outside o = { .master = -1, .control = -1 };
	struct relay_term *r = xcalloc(1, sizeof *r);
	int slave = -1, control = -1, rc;
	dev_t outer = 0;

	r->tty = r->control = r->outer = -1;
	rc = come_to_front(tty);
	if (rc == 0)
		rc = open_all(r, tty, &o, &slave, &control);
	if (rc == 0)
		rc = real_device(tty, &outer);
	if (rc == 0) {
		find_path(r, outer);
		r->outer = fcntl(tty, F_DUPFD_CLOEXEC, HIGH_FD);
		o.tty = r->outer;
		o.child = r->outer < 0 ? -1 : fork();
		rc = o.child < 0 ? -errno : 0;
	}
	if (rc < 0) {
		io_close(&o.master);
		io_close(&o.control);
		io_close(&slave);
		io_close(&control);
		relay_term_free(r);
		return err_sys(err, -rc, "a terminal for the session");
	}
	if (o.child > 0)
		relay_tty_main(&o);
	go_inside(r, &o, slave, control, outer);
	*ret_tty = r->tty;
	*ret = r;
	return 0;
}

/* ---- what is said ------------------------------------------------------- */

static void
say(struct relay_term *r, const void *p, size_t len)
{
	if (r->control >= 0 && !r->hung_up && !r->lost)
		(void)send(r->control, p, len, MSG_NOSIGNAL);
}

void
relay_term_keep(struct relay_term *r, const struct cast_setup *setup)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;

	buf_putc(&out, RELAY_KEEP);
	pack_text(&out, setup->dir);
	buf_put(&out, setup->session, sizeof setup->session);
	pack_text(&out, setup->term);
	pack_int(&out, setup->keep);
	pack_int(&out, (int64_t)setup->line_max);
	pack_int(&out, setup->wait_ns);
	say(r, out.data, out.len);
	r->keeps = setup->keep != CAST_KEEP_NONE;
}

void
relay_term_forget(struct relay_term *r)
{
	const char word = RELAY_FORGET;

	if (r->keeps)
		say(r, &word, 1);
}

void
relay_term_learn(struct relay_term *r, const char *name, const char *value)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	size_t len = strlen(value);

	/* What redact would not learn either. */
	if (!r->keeps || len < REDACT_VALUE_LEAST || len > REDACT_VALUE_MAX ||
	    strlen(name) > REDACT_VALUE_MAX)
		return;
	buf_putc(&out, RELAY_LEARN);
	pack_text(&out, name);
	pack_text(&out, value);
	say(r, out.data, out.len);
}

/* Nothing of the line in front is told from what is not its. */
static bool
is_unseen(const struct relay_term *r)
{
	return !r->keeps && r->most == 0;
}

/* Whether there is nobody, or word of being hung up. */
static bool
is_ending(int control)
{
	char word;
	ssize_t n = recv(control, &word, 1, MSG_DONTWAIT | MSG_PEEK);

	return n == 0 || (n == 1 && word == RELAY_HUNG_UP);
}

/* One write(2), of less than a terminal takes in one; unless a line has left
 * O_NONBLOCK on what all of us share, and the terminal is full. */
static int
put_mark(struct relay_term *r)
{
	struct pollfd p[] = { { .fd = r->tty, .events = POLLOUT },
		{ .fd = r->control, .events = POLLIN } };
	size_t at = 0;

	while (at < r->mark_len) {
		ssize_t n = write(r->tty, r->mark + at, r->mark_len - at);

		if (n >= 0) {
			at += (size_t)n;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN || poll(p, AEG_NELEM(p), -1) < 0)
			return -EPIPE;
		if (p[0].revents != 0)
			continue;
		/* Who carries it away has ended, or is hung up; or the line
		 * wrote too much, which must not wake us again and again. */
		relay_take_over(r->control, &r->said);
		if (is_ending(r->control))
			return -EPIPE;
	}
	return 0;
}

void
relay_term_line(struct relay_term *r, const unsigned char uuid[UUID_LEN],
    uint64_t most, bool kills)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;

	r->most = most;
	r->said.kills = kills;
	r->said.told = r->said.over = false;
	if (is_unseen(r) || r->hung_up || r->lost)
		return;
	snprintf(r->said.limit, sizeof r->said.limit, RELAY_MET
	    "limit-output: more than %" PRIu64 " MiB on the terminal since a "
	    "key was typed%s", most >> 20, kills ? "" :
	    "; the rest, until one was, is left out");
	buf_putc(&out, RELAY_LINE);
	buf_put(&out, uuid, UUID_LEN);
	pack_int(&out, (int64_t)most);
	pack_int(&out, kills);
	say(r, out.data, out.len);
	(void)put_mark(r);
}

int
relay_term_end(struct relay_term *r, const struct cast_line **ret,
    const char **ret_trouble)
{
	const char word = RELAY_END;
	int rc = -EPIPE;

	if (is_unseen(r))
		return -ENODATA;
	if (relay_term_lost(r) || r->hung_up)
		return -EPIPE;
	say(r, &word, 1);
	if (put_mark(r) == 0)
		rc = relay_await(r->control, 0, &r->said);
	r->hung_up = rc == 0;
	if (rc < 0)
		(void)relay_term_lost(r);	/* which of both it is */
	if (rc <= 0)
		return -EPIPE;
	*ret = &r->said.line;
	*ret_trouble = r->said.trouble[0] != '\0' ? r->said.trouble : NULL;
	return 0;
}

int
relay_term_fd(const struct relay_term *r)
{
	return r->hung_up || r->lost ? -1 : r->control;
}

/* Out of turn it says that it was hung up, or nothing more. */
bool
relay_term_lost(struct relay_term *r)
{
	struct pollfd p = { .fd = r->control, .events = POLLIN };
	char word;

	if (r->control >= 0)
		relay_take_over(r->control, &r->said);
	if (r->lost || r->hung_up || r->control < 0 || poll(&p, 1, 0) <= 0)
		return r->lost;
	if (recv(r->control, &word, 1, MSG_DONTWAIT | MSG_PEEK) == 1)
		r->hung_up = word == RELAY_HUNG_UP;
	else
		r->lost = true;
	if (r->lost)
		relay_tty_restore(r->outer, &r->modes);
	return r->lost;
}

const char *
relay_term_killed(const struct relay_term *r)
{
	return relay_said_killed(&r->said);
}

const char *
relay_term_limited(struct relay_term *r)
{
	return relay_said_limited(&r->said);
}

const char *
relay_term_outer(const struct relay_term *r)
{
	return r->path;
}

void
relay_term_free(struct relay_term *r)
{
	if (r == NULL)
		return;
	(void)relay_term_lost(r);
	io_close(&r->control);
	io_close(&r->outer);
	io_close(&r->tty);
	free(r->said.packet);
	free(r);
}
