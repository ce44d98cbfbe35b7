/* SPDX-License-Identifier: ISC */
/*
 * The bytes of the channel: whose they are, where the frame begins and
 * ends, and the two answers.  Nothing here waits.
 */
#include "capture/capture_int.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/rights.h"

static void
broken(struct capture *c, enum capture_frame verdict, const char *why)
{
	c->stage = CAPTURE_BROKEN;
	c->verdict = verdict;
	c->why = why;
	buf_done(&c->frame);
	/* Whatever bash reads from us now ends at once. */
	shutdown(c->fd, SHUT_WR);
}

static void
answer_hello(struct capture *c)
{
	ssize_t n;

	buf_putc(&c->answer, '\n');
	n = send(c->fd, c->answer.data, c->answer.len,
	    MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0 || (size_t)n != c->answer.len)
		broken(c, CAPTURE_MISSING,
		    "the answer to bash's hello did not go out");
	else
		c->stage = CAPTURE_AT_FRAME;
	buf_done(&c->answer);
}

static void
take_hello(struct capture *c, const char *p, size_t len)
{
	/* Before the line runs nothing else can have been written. */
	if (len != 1 || *p != '\n')
		broken(c, CAPTURE_FORGED,
		    "the first bytes were not bash's hello");
	else if (capture_peer_note(&c->leader) < 0)
		broken(c, CAPTURE_MISSING,
		    "the kernel does not show whose frame it would be");
	else
		answer_hello(c);
}

/* The end mark at position end: is it still the process that said hello? */
static void
take_end(struct capture *c, size_t end)
{
	switch (capture_peer_look(&c->leader)) {
	case CAPTURE_PEER_OTHER:
		broken(c, CAPTURE_FORGED,
		    "the writer is not the bash that was started");
		return;
	case CAPTURE_PEER_GONE:
		broken(c, CAPTURE_MISSING,
		    "bash was gone before its frame could be checked");
		return;
	case CAPTURE_PEER_SAME:
		break;
	}
	if (end + CAPTURE_END_LEN != c->frame.len) {
		broken(c, CAPTURE_FORGED,
		    "bytes followed the frame");
		return;
	}
	c->cwd_fd = capture_peer_cwd(&c->leader);
	c->has_limits = capture_peer_limits(&c->leader, c->limits) == 0;
	c->too_long |= c->frame.len > c->max;
	c->stage = CAPTURE_AT_EXIT;
	shutdown(c->fd, SHUT_WR);
}

/* Forget the first len bytes. */
static void
drop_front(struct buf *b, size_t len)
{
	memmove(b->data, b->data + len, b->len - len);
	b->len -= len;
	b->data[b->len] = '\0';
}

/* Look at the marks from position pos on, in the order they were written. */
static void
scan_marks(struct capture *c, size_t pos)
{
	struct buf *b = &c->frame;
	const char *nul;

	while (pos < b->len &&
	    (nul = memchr(b->data + pos, '\0', b->len - pos)) != NULL) {
		size_t left;

		pos = (size_t)(nul - b->data);
		left = b->len - pos;
		if (c->in_frame && left >= CAPTURE_END_LEN &&
		    memcmp(nul, CAPTURE_END, CAPTURE_END_LEN) == 0) {
			take_end(c, pos);
			return;
		}
		if (left >= CAPTURE_START_LEN &&
		    memcmp(nul, CAPTURE_START, CAPTURE_START_LEN) == 0) {
			/* The last start counts: what the line itself
			 * wrote before is dropped. */
			drop_front(b, pos);
			c->in_frame = true;
			c->too_long = false;
			pos = 0;
		}
		pos++;
	}
}

static void
take_frame(struct capture *c, const char *p, size_t len)
{
	struct buf *b = &c->frame;
	const size_t keep = CAPTURE_START_LEN - 1;
	size_t seen = b->len;

	buf_put(b, p, len);
	/* A mark may have come in pieces. */
	scan_marks(c, seen > keep ? seen - keep : 0);
	if (c->stage != CAPTURE_AT_FRAME)
		return;
	if (c->in_frame && b->len > c->max)
		c->too_long = true;
	if ((!c->in_frame || c->too_long) && b->len > keep)
		drop_front(b, b->len - keep);
}

static void
take(struct capture *c, const char *p, size_t len)
{
	switch (c->stage) {
	case CAPTURE_AT_HELLO:
		take_hello(c, p, len);
		break;
	case CAPTURE_AT_FRAME:
		take_frame(c, p, len);
		break;
	case CAPTURE_AT_EXIT:
		broken(c, CAPTURE_FORGED,
		    "more bytes came after a whole frame");
		break;
	case CAPTURE_BROKEN:
		break;
	}
}

/* The writer's process id, 0 when unknown; descriptors that came along are
 * closed. */
static pid_t
writer_of(struct msghdr *m)
{
	struct cmsghdr *h;
	pid_t pid = 0;

	(void)rights_take(m, NULL, 0);
	for (h = CMSG_FIRSTHDR(m); h != NULL; h = CMSG_NXTHDR(m, h)) {
		struct ucred cred;

		if (h->cmsg_level != SOL_SOCKET ||
		    h->cmsg_type != SCM_CREDENTIALS)
			continue;
		memcpy(&cred, CMSG_DATA(h), sizeof(cred));
		pid = cred.pid;
	}
	return pid;
}

/* One message.  Its length, 0 at the end, -errno. */
static ssize_t
receive(struct capture *c)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec iov = { c->chunk, sizeof(c->chunk) };
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n;

	do
		n = recvmsg(c->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (writer_of(&m) != c->leader.pid || c->leader.pid <= 0)
		c->stray = c->stray || n > 0;
	else if (n > 0)
		take(c, c->chunk, (size_t)n);
	return n;
}

/*
 * bash writes its frame line by line.  To go back to poll(2) in between
 * means two context switches for each of them, a tenth of the life of a
 * short bash; to let others run and look again means one for all.
 */
static bool
more_at_once(struct capture *c)
{
	int64_t start;

	if (c->stage != CAPTURE_AT_FRAME || !c->in_frame ||
	    c->patience_ns <= 0)
		return false;
	start = clock_mono_ns();
	sched_yield();
	c->patience_ns -= clock_mono_ns() - start;
	return true;
}

int
capture_feed(struct capture *c)
{
	int i;

	for (i = 0; i < CAPTURE_FEED_CHUNKS; i++) {
		ssize_t n = receive(c);

		while (n == -EAGAIN && more_at_once(c))
			n = receive(c);
		if (n == -EAGAIN)
			return 1;
		if (n <= 0)
			return (int)n;
	}
	return 1;
}
