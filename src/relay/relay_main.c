/* SPDX-License-Identifier: ISC */
/*
 * The process between a line and where its output goes.
 *
 * What a stream brought is shown to the recording and then written, in
 * pieces: nothing is read while something waits to be written, so whoever
 * writes too fast waits, as it would without us.  It ends when there is
 * nobody who could write, and nobody who asks.
 */
#include "relay/relay_int.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/pack.h"

#define CHUNK ((size_t)64 * 1024)

struct flow {
	struct relay_stream s;
	bool patient;		/* a write to it may block */
	char *bytes;		/* CHUNK of them */
	size_t at, len;		/* of those, that wait */
	size_t owed;		/* that the line wrote before it ended */
};

struct between {
	int control;
	struct cast *cast;
	struct flow flow[RELAY_STREAMS];
	bool ending;		/* an answer is due */
	struct relay_most most;
};

/* Its own descriptor for the same pipe, so that writes never block and nobody
 * else's do not.  Where another user made it there is none: then it is looked
 * before each write whether there is room. */
static void
open_out(struct flow *f)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "/proc/self/fd/%d", f->s.out);
	fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	f->patient = fd < 0;
	if (fd < 0)
		return;
	io_close(&f->s.out);
	f->s.out = fd;
}

static void
close_flow(struct flow *f)
{
	io_close(&f->s.in);
	io_close(&f->s.out);
	f->at = f->len = f->owed = 0;
}

/* How much of it the line may still write.  What is too much is read on, so
 * that it need not know: it is not the line that fails. */
static size_t
admit(struct between *b, size_t n)
{
	const char word = RELAY_OVER;
	bool first;

	n = relay_most_admit(&b->most, n, &first);
	if (first && b->control >= 0)
		(void)send(b->control, &word, 1, MSG_NOSIGNAL);
	return n;
}

/* ---- aegsh ------------------------------------------------------------- */

bool
relay_answer(int control, struct cast *c, const char *why_not)
{
	static const struct cast_line nothing;
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	const struct cast_line *line = c != NULL ? cast_end(c) : &nothing;

	pack_text(&out, c != NULL ? cast_trouble(c) : why_not);
	cast_line_pack(&out, line);
	return send(control, out.data, out.len, MSG_NOSIGNAL) ==
	    (ssize_t)out.len;
}

/* What stands in the pipes now is the line's; later it may be anybody's. */
static void
begin_end(struct between *b)
{
	size_t i;
	int n;

	b->ending = true;
	for (i = 0; i < RELAY_STREAMS; i++) {
		struct flow *f = &b->flow[i];

		if (f->s.in < 0)
			continue;
		if (ioctl(f->s.in, FIONREAD, &n) < 0)
			n = 0;
		f->owed = f->len - f->at + (size_t)n;
	}
}

static void
hear(struct between *b)
{
	unsigned char word[1 + UUID_LEN];
	ssize_t n = recv(b->control, word, sizeof word, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		io_close(&b->control);
	} else if (word[0] == RELAY_LINE && n == (ssize_t)sizeof word) {
		relay_most_begin(&b->most, b->most.most);
		cast_begin(b->cast, word + 1, clock_mono_ns());
	} else if (word[0] == RELAY_END) {
		begin_end(b);
	}
}

/* ---- a stream ---------------------------------------------------------- */

static void
take(struct between *b, struct flow *f)
{
	ssize_t n = read(f->s.in, f->bytes, CHUNK);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close_flow(f);
		return;
	}
	f->at = 0;
	f->len = (size_t)n;
	/* It is the newest line's: its number was told before it began, and
	 * may wait here unread. */
	hear(b);
	cast_put(b->cast, f->s.as, f->bytes, (size_t)n, clock_mono_ns());
	f->len = admit(b, (size_t)n);
	n -= (ssize_t)f->len;
	f->owed -= f->owed < (size_t)n ? f->owed : (size_t)n;
}

/* As much as pipe(7) writes in one: to the end of a line, where there is one
 * near enough. */
static size_t
piece(const char *p, size_t len)
{
	const char *end;

	if (len <= PIPE_BUF)
		return len;
	end = memrchr(p, '\n', PIPE_BUF);
	return end != NULL ? (size_t)(end - p) + 1 : PIPE_BUF;
}

static bool
has_room(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, 0) > 0;
}

static void
give(struct flow *f)
{
	while (f->at < f->len) {
		size_t want = piece(f->bytes + f->at, f->len - f->at);
		ssize_t n;

		if (f->patient && !has_room(f->s.out))
			return;
		n = write(f->s.out, f->bytes + f->at, want);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0) {	/* nobody reads: nor do we */
			close_flow(f);
			return;
		}
		f->at += (size_t)n;
		f->owed -= f->owed < (size_t)n ? f->owed : (size_t)n;
	}
}

/* ---- the loop ---------------------------------------------------------- */

/* For each stream, whichever end it waits for; and that nobody reads. */
static bool
doze(struct between *b)
{
	struct pollfd p[RELAY_STREAMS * 2 + 2];
	bool any = false;
	size_t i;

	for (i = 0; i < RELAY_STREAMS; i++) {
		struct flow *f = &b->flow[i];
		bool full = f->at < f->len;

		any = any || f->s.in >= 0;
		p[2 * i] = (struct pollfd){ full ? -1 : f->s.in, POLLIN, 0 };
		p[2 * i + 1] = (struct pollfd){ f->s.out,
		    full ? POLLOUT : 0, 0 };
	}
	p[2 * RELAY_STREAMS] = (struct pollfd){ b->control, POLLIN, 0 };
	p[2 * RELAY_STREAMS + 1] = (struct pollfd){ cast_poll_fd(b->cast),
	    POLLOUT, 0 };
	if (!any && b->control < 0)
		return false;
	if (poll(p, AEG_NELEM(p), -1) < 0)
		return errno == EINTR;
	for (i = 0; i < RELAY_STREAMS; i++) {
		struct flow *f = &b->flow[i];

		if ((p[2 * i + 1].revents & POLLERR) != 0)
			close_flow(f);
		else if (p[2 * i].revents != 0)
			take(b, f);
		give(f);
	}
	if (p[2 * RELAY_STREAMS].revents != 0)
		hear(b);
	if (p[2 * RELAY_STREAMS + 1].revents != 0)
		cast_pump(b->cast);
	return true;
}

static bool
owes(const struct between *b)
{
	size_t i;

	for (i = 0; i < RELAY_STREAMS; i++)
		if (b->flow[i].s.in >= 0 && b->flow[i].owed > 0)
			return true;
	return false;
}

void
relay_close_others(const int *keep, size_t n)
{
	int from = 0, next;
	size_t i;

	do {
		next = -1;
		for (i = 0; i < n; i++)
			if (keep[i] >= from && (next < 0 || keep[i] < next))
				next = keep[i];
		if (next < 0)
			syscall(SYS_close_range, (unsigned)from, ~0U, 0);
		else if (next > from)
			syscall(SYS_close_range, (unsigned)from,
			    (unsigned)next - 1, 0);
		from = next + 1;
	} while (next >= 0);
}

/* Of the terminal, the line's group and whoever ends groups: nothing. */
static void
stand_apart(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	prctl(PR_SET_NAME, "aegsh-output", 0, 0, 0);
}

void
relay_main(const struct relay_opts *o, int control,
    struct relay_stream stream[RELAY_STREAMS])
{
	struct between b = { .control = control,
		.most = { .most = o->most } };
	int keep[2 * RELAY_STREAMS + 1], null;
	size_t i;

	stand_apart();
	for (i = 0; i < RELAY_STREAMS; i++) {
		b.flow[i].s = stream[i];
		if (stream[i].in < 0)
			b.flow[i].s.out = -1;
		else
			open_out(&b.flow[i]);
		b.flow[i].bytes = xmalloc(CHUNK);
		keep[2 * i] = b.flow[i].s.in;
		keep[2 * i + 1] = b.flow[i].s.out;
	}
	keep[2 * RELAY_STREAMS] = control;
	/* What is not kept must not stay open because of us, and the cast
	 * shall not be given their numbers. */
	relay_close_others(keep, AEG_NELEM(keep));
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (null >= 0 && null < STDERR_FILENO)
		null = fcntl(null, F_DUPFD_CLOEXEC, 0);
	if (chdir("/") < 0)
		_exit(1);
	b.cast = cast_new(&o->cast);
	cast_begin(b.cast, o->line, clock_mono_ns());
	while (doze(&b)) {
		if (!b.ending || owes(&b))
			continue;
		b.ending = false;
		if (!relay_answer(b.control, b.cast, NULL))
			break;	/* the line is told to be lost */
	}
	cast_free(b.cast);
	_exit(0);
}
