/* SPDX-License-Identifier: ISC */
/*
 * The file of a session, written and synced by a process of its own
 * ("aegsh-cast"), so that a disk which stalls holds neither a terminal nor
 * what carries a line's output on.
 *
 * What happened is sent to it as it comes.  What its socket does not take is
 * kept here, up to CAST_QUEUE_MAX bytes; of more, nothing is, until half of
 * that is gone: the file then has a mark where something is missing.  At a
 * line's end its part of the file is asked for and waited for, so long; once
 * in vain is enough until it answers again.
 */
#include "cast_int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define MS INT64_C(1000000)
#define SYNC_NS (2000 * MS)	/* what was written longer ago is on disk */
#define TAKE ((size_t)64 * 1024)
#define FRAME_MAX ((size_t)1024 * 1024)	/* an event's text */

enum {				/* beside the codes of events */
	SAYS_AGAIN = 'A', SAYS_SETTLE = 'S', SAYS_CLOSE = 'C'
};

struct frame {			/* and len bytes */
	int64_t ns;
	uint32_t len, seq;
	char what;
};

struct reply {
	uint32_t seq;
	bool filed, troubled;
	int64_t offset, length;
	unsigned char sha256[CAST_HASH_LEN];
	char text[ERR_TEXT_MAX];
};

struct cast_apart {
	int64_t wait_ns;
	int fd;			/* -1: there is no process */
	pid_t pid;
	uint32_t seq;		/* of the newest question … */
	uint32_t answered;	/* … and of the newest answer */
	bool lost;		/* it was ended, and nothing is kept */
	bool full;
	int64_t missed;		/* bytes that did not fit, not told yet */
	struct buf queue;
	size_t at;		/* of it: sent */
	struct reply reply;
	size_t got;		/* bytes of it */
	bool troubled;
	char trouble[ERR_TEXT_MAX];
};

/* ---- there --------------------------------------------------------------- */

struct keeper {
	int fd;
	struct cast_events *events;
	struct buf in;
	int64_t dirty_ns;	/* since when something is not synced, or 0 */
};

static void
close_others(int fd)
{
	syscall(SYS_close_range, 0U, (unsigned)fd - 1, 0);
	syscall(SYS_close_range, (unsigned)fd + 1, ~0U, 0);
	/* No file of a recording shall have these numbers. */
	while ((fd = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0 &&
	    fd < STDERR_FILENO)
		;
	if (fd > STDERR_FILENO)
		io_close(&fd);
}

static void
settle(struct keeper *k, uint32_t seq)
{
	struct cast_file *f = &k->events->file;
	struct reply r;

	memset(&r, 0, sizeof r);
	r.seq = seq;
	r.filed = cast_file_settle(f, &r.offset, &r.length, r.sha256);
	r.troubled = f->broken && !f->told;
	f->told = true;
	if (r.troubled)
		memcpy(r.text, f->err.text, sizeof r.text);
	(void)send(k->fd, &r, sizeof r, MSG_NOSIGNAL);
}

static void
obey(struct keeper *k, const struct frame *f, const char *p)
{
	switch (f->what) {
	case SAYS_AGAIN:
		cast_file_again(&k->events->file);
		break;
	case SAYS_SETTLE:
		settle(k, f->seq);
		break;
	case SAYS_CLOSE:
		cast_file_close(&k->events->file);
		break;
	default:
		if (k->dirty_ns == 0)
			k->dirty_ns = clock_mono_ns();
		(void)cast_events_put(k->events, f->ns, f->what, p, f->len);
	}
}

/* Whole ones; false: it is none. */
static bool
obey_all(struct keeper *k)
{
	struct frame f;
	size_t at = 0;

	while (k->in.len - at >= sizeof f) {
		memcpy(&f, k->in.data + at, sizeof f);
		if (f.len > FRAME_MAX)
			return false;
		if (k->in.len - at - sizeof f < f.len)
			break;
		obey(k, &f, k->in.data + at + sizeof f);
		at += sizeof f + f.len;
	}
	if (at > 0) {
		memmove(k->in.data, k->in.data + at, k->in.len - at);
		k->in.len -= at;
	}
	return true;
}

/* False: there is nobody any more. */
static bool
hear(struct keeper *k, char *block)
{
	struct pollfd p = { .fd = k->fd, .events = POLLIN };
	int64_t left = k->dirty_ns != 0 ? k->dirty_ns + SYNC_NS -
	    clock_mono_ns() : 0;
	ssize_t n;

	if (k->dirty_ns != 0 && left <= 0) {
		k->dirty_ns = 0;
		cast_file_sync(&k->events->file);
	}
	if (poll(&p, 1, k->dirty_ns != 0 ? (int)(left / MS) + 1 : -1) <= 0)
		return true;
	n = recv(k->fd, block, TAKE, 0);
	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0)
		return false;
	buf_put(&k->in, block, (size_t)n);
	return obey_all(k);
}

static void __attribute__((noreturn))
keeper_main(struct cast_events *events, int fd)
{
	AEG_AUTOFREE char *block = xmalloc(TAKE);
	struct keeper k = { .fd = fd, .events = events };
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "aegsh-cast", 0, 0, 0);
	close_others(fd);
	while (hear(&k, block))
		;
	cast_file_sync(&events->file);
	_exit(0);
}

/* ---- the process --------------------------------------------------------- */

struct cast_apart *
cast_apart_new(int64_t wait_ns)
{
	struct cast_apart *a = xcalloc(1, sizeof *a);

	a->wait_ns = wait_ns;
	a->fd = -1;
	return a;
}

static void __attribute__((format(printf, 2, 3)))
say_why(struct cast_apart *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(a->trouble, sizeof a->trouble, fmt, ap);
	va_end(ap);
	a->troubled = true;
}

static void
lose(struct cast_apart *a, const struct cast_events *e, const char *why)
{
	io_close(&a->fd);
	if (a->pid > 0)
		waitpid(a->pid, NULL, WNOHANG);
	a->pid = 0;
	a->lost = true;
	a->at = a->got = 0;
	a->missed = 0;
	a->full = false;
	buf_reset(&a->queue);
	say_why(a, "%s/%s/%s: %s", e->file.dir, CAST_DIR, e->file.name, why);
}

static bool
start(struct cast_apart *a, struct cast_events *e)
{
	int ends[2] = { -1, -1 };

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0)
		a->pid = fork();
	if (ends[0] >= 0 && a->pid == 0) {
		/* Above what it opens first. */
		int fd = io_move_up(ends[1], STDERR_FILENO + 1);

		if (fd < 0)
			_exit(1);
		keeper_main(e, fd);
	}
	io_close(&ends[1]);
	a->fd = ends[0];
	if (a->fd < 0 || a->pid < 0) {
		a->pid = 0;
		lose(a, e, strerror(errno));
	}
	a->answered = a->seq;
	return a->fd >= 0;
}

/* ---- saying and hearing -------------------------------------------------- */

static void
queue(struct cast_apart *a, char what, int64_t ns, const char *p, size_t len)
{
	struct frame f;

	memset(&f, 0, sizeof f);
	f = (struct frame){ .ns = ns, .len = (uint32_t)len, .seq = a->seq,
		.what = what };
	buf_put(&a->queue, &f, sizeof f);
	buf_put(&a->queue, p, len);
}

/* As much as goes without waiting; false: there is nobody. */
static bool
send_some(struct cast_apart *a)
{
	while (a->at < a->queue.len) {
		ssize_t n = send(a->fd, a->queue.data + a->at,
		    a->queue.len - a->at, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return false;
		if (n < 0)
			break;
		a->at += (size_t)n;
	}
	if (a->at == a->queue.len) {
		a->at = 0;
		/* A large one is not held on to. */
		if (a->queue.len > TAKE)
			buf_done(&a->queue);
		else
			buf_reset(&a->queue);
	} else if (a->at > CAST_QUEUE_MAX / 4) {
		memmove(a->queue.data, a->queue.data + a->at,
		    a->queue.len - a->at);
		a->queue.len -= a->at;
		a->at = 0;
	}
	if (a->queue.len - a->at <= CAST_QUEUE_MAX / 2)
		a->full = false;
	return true;
}

static bool
hear_some(struct cast_apart *a)
{
	for (;;) {
		ssize_t n = recv(a->fd, (char *)&a->reply + a->got,
		    sizeof a->reply - a->got, MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return true;
		if (n <= 0)
			return false;
		a->got += (size_t)n;
		if (a->got < sizeof a->reply)
			continue;
		a->got = 0;
		a->answered = a->reply.seq;
		if (a->answered == a->seq)
			return true;
	}
}

static bool
talk(struct cast_apart *a, const struct cast_events *e)
{
	if (a->fd >= 0 && (!send_some(a) || !hear_some(a)))
		lose(a, e, "the process that writes it was ended");
	return a->fd >= 0;
}

int
cast_apart_fd(const struct cast_apart *a)
{
	return a->at < a->queue.len ? a->fd : -1;
}

void
cast_apart_pump(struct cast_apart *a, const struct cast_events *e)
{
	(void)talk(a, e);
}

bool
cast_apart_put(struct cast_apart *a, struct cast_events *e, int64_t ns,
    char code, const char *p, size_t len)
{
	if (a->lost || (a->fd < 0 && !start(a, e)))
		return false;
	if (a->queue.len > 0 && !talk(a, e))
		return false;
	a->full |= a->queue.len - a->at + len > CAST_QUEUE_MAX;
	if (a->full)
		return false;
	queue(a, code, ns, p, len);
	return talk(a, e);
}

void
cast_apart_miss(struct cast_apart *a, size_t len)
{
	if (!a->lost)
		a->missed += (int64_t)len;
}

bool
cast_apart_has_begun(const struct cast_apart *a)
{
	return a->fd >= 0;
}

void
cast_apart_again(struct cast_apart *a)
{
	a->lost = false;
	if (a->fd >= 0)
		queue(a, SAYS_AGAIN, 0, NULL, 0);
}

/* ---- the end of a line --------------------------------------------------- */

static bool
await(struct cast_apart *a, const struct cast_events *e, int64_t until)
{
	while (talk(a, e) && a->answered != a->seq) {
		struct pollfd p = { .fd = a->fd, .events = POLLIN };
		int64_t left = until - clock_mono_ns();

		if (left <= 0)
			return false;
		if (cast_apart_fd(a) >= 0)
			p.events |= POLLOUT;
		poll(&p, 1, (int)(left / MS) + 1);
	}
	return a->fd >= 0;
}

static void
tell_missed(struct cast_apart *a, const struct cast_events *e)
{
	if (a->missed == 0 || a->troubled)
		return;
	say_why(a, "%s/%s/%s: its disk does not keep up: %" PRId64 " bytes of "
	    "output are not in it", e->file.dir, CAST_DIR, e->file.name,
	    a->missed);
	a->missed = 0;
}

bool
cast_apart_settle(struct cast_apart *a, const struct cast_events *e,
    struct cast_line *l)
{
	bool stalled;

	if (a->fd < 0 || !talk(a, e))
		return false;
	stalled = a->answered != a->seq;
	a->seq++;
	queue(a, SAYS_SETTLE, 0, NULL, 0);
	if (!await(a, e, stalled ? 0 : clock_mono_ns() + a->wait_ns)) {
		if (a->fd >= 0)
			say_why(a, "%s/%s/%s: no answer for %" PRId64 " ms "
			    "(record-wait): its disk is stalled", e->file.dir,
			    CAST_DIR, e->file.name, a->wait_ns / MS);
		return false;
	}
	if (a->reply.troubled)
		say_why(a, "%s", a->reply.text);
	tell_missed(a, e);
	if (!a->reply.filed)
		return false;
	l->offset = a->reply.offset;
	l->length = a->reply.length;
	memcpy(l->sha256, a->reply.sha256, sizeof l->sha256);
	queue(a, SAYS_CLOSE, 0, NULL, 0);
	(void)talk(a, e);
	return true;
}

const char *
cast_apart_trouble(struct cast_apart *a)
{
	if (!a->troubled)
		return NULL;
	a->troubled = false;
	return a->trouble;
}

/* ---- the end ------------------------------------------------------------- */

/* What did not go yet goes by somebody who has the time. */
static void
leave_rest(struct cast_apart *a)
{
	pid_t pid = fork();
	sigset_t all;

	if (pid != 0)
		return;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "aegsh-cast", 0, 0, 0);
	a->fd = io_move_up(a->fd, STDERR_FILENO + 1);
	close_others(a->fd);
	(void)io_write_full(a->fd, a->queue.data + a->at, a->queue.len -
	    a->at);
	_exit(0);
}

void
cast_apart_free(struct cast_apart *a, const struct cast_events *e)
{
	int64_t until = clock_mono_ns() + a->wait_ns, left;
	struct pollfd p = { .events = POLLOUT };
	char byte[256];

	while (talk(a, e) && cast_apart_fd(a) >= 0 &&
	    (left = until - clock_mono_ns()) > 0) {
		p.fd = a->fd;
		poll(&p, 1, (int)(left / MS) + 1);
	}
	if (a->fd >= 0 && cast_apart_fd(a) >= 0)
		leave_rest(a);
	else if (a->fd >= 0)
		shutdown(a->fd, SHUT_WR);
	/* So that who looks next finds all of it, on the disk. */
	p = (struct pollfd){ .fd = a->fd, .events = POLLIN };
	while (a->fd >= 0 && (left = until - clock_mono_ns()) > 0 &&
	    poll(&p, 1, (int)(left / MS) + 1) > 0 &&
	    recv(a->fd, byte, sizeof byte, 0) > 0)
		;
	io_close(&a->fd);
	if (a->pid > 0)
		waitpid(a->pid, NULL, WNOHANG);
	buf_done(&a->queue);
	free(a);
}
