/* SPDX-License-Identifier: ISC */
/* Frames: one packet each, with its descriptors, checked before believed. */
#include "aegsh/wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/rights.h"

#include "wire_int.h"

void
wire_msg_done(struct wire_msg *m)
{
	int i;

	for (i = 0; i < WIRE_FDS_MAX; i++)
		if (m->owned != NULL)
			io_close(&m->fds[i]);
	free(m->owned);
	*m = (struct wire_msg)WIRE_MSG_INIT;
}

int
wire_pair(int ret_fds[2], struct err *err)
{
	/* The kernel counts its own bookkeeping into the buffer, and doubles
	 * what it is told for that (socket(7)). */
	const int want = (int)(WIRE_BODY_MAX + sizeof(struct wire_head));
	int fds[2], i, have;
	socklen_t len = sizeof have;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return err_sys(err, errno, "socket pair");
	for (i = 0; i < 2; i++) {
		setsockopt(fds[i], SOL_SOCKET, SO_SNDBUF, &want, sizeof want);
		if (getsockopt(fds[i], SOL_SOCKET, SO_SNDBUF, &have, &len) < 0)
			have = 0;
		if (have < want + want / 8) {
			io_close(&fds[0]);
			io_close(&fds[1]);
			return err_set(err, -ENOBUFS,
			    "socket buffer: %d bytes, a frame needs %d "
			    "(net.core.wmem_max)", have, want);
		}
	}
	ret_fds[0] = fds[0];
	ret_fds[1] = fds[1];
	return 0;
}

int
wire_put(int fd, const struct wire_msg *m, struct err *err)
{
	struct wire_head head = { WIRE_MAGIC, m->type, m->id,
	    (uint32_t)m->len };
	struct iovec iov[2] = { { &head, sizeof head },
	    { (void *)(uintptr_t)m->body, m->len } };
	ssize_t n;

	if (m->len > WIRE_BODY_MAX)
		return err_set(err, ERR_TOO_LONG,
		    "frame of %zu bytes, the most is %zu", m->len,
		    WIRE_BODY_MAX);
	if (m->n_fds < 0 || m->n_fds > WIRE_FDS_MAX)
		return err_set(err, ERR_TOO_LONG,
		    "frame with %d descriptors, the most is %d", m->n_fds,
		    WIRE_FDS_MAX);
	n = rights_send(fd, iov, 2, 0, m->fds, (size_t)m->n_fds);
	if (n < 0)
		return err_sys(err, (int)-n, "send a frame");
	return 0;
}

int
wire_send(int fd, const struct wire_msg *m, struct err *err)
{
	if (m->type == WIRE_TYPE_HELLO)
		return err_set(err, -EINVAL, "frame without a type");
	return wire_put(fd, m, err);
}

/* Wait until there is something to read. */
static int
await(int fd, int timeout_ms, int cancel_fd, struct err *err)
{
	struct pollfd p[2] = { { .fd = fd, .events = POLLIN },
	    { .fd = cancel_fd, .events = POLLIN } };
	int64_t end = clock_mono_ns() + (int64_t)timeout_ms * 1000000;
	int64_t left;
	int n;

	for (;;) {
		n = poll(p, 2, timeout_ms);
		if (n < 0 && errno != EINTR)
			return err_sys(err, errno, "wait for a frame");
		if (n > 0 && p[1].revents != 0)
			return err_set(err, ERR_CANCELLED, "cancelled");
		if (n > 0)
			return 0;
		if (timeout_ms < 0)
			continue;
		left = end - clock_mono_ns();
		if (left <= 0)
			return err_set(err, -ETIMEDOUT, "no frame in time");
		timeout_ms = (int)((left + 999999) / 1000000);
	}
}

/* Look at the packet without taking it: its header, and 0 when its size is
 * what the header says and within the cap. */
static int
peek(int fd, struct wire_head *ret, struct err *err)
{
	ssize_t n;

	do
		n = recv(fd, ret, sizeof *ret,
		    MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return err_set(err, -ENODATA, "the peer is gone");
	if (n < 0)
		return err_sys(err, errno, "receive a frame");
	if ((size_t)n < sizeof *ret || ret->magic != WIRE_MAGIC)
		return err_set(err, ERR_PROTOCOL, "not a frame");
	if (ret->len > WIRE_BODY_MAX || (size_t)n > WIRE_BODY_MAX + sizeof *ret)
		return err_set(err, ERR_TOO_LONG,
		    "frame of %zu bytes, the most is %zu", (size_t)n,
		    WIRE_BODY_MAX);
	if ((size_t)n != sizeof *ret + ret->len)
		return err_set(err, ERR_PROTOCOL,
		    "frame of %zd bytes says %zu", n,
		    sizeof *ret + ret->len);
	return 0;
}

int
wire_get(int fd, int timeout_ms, int cancel_fd, struct wire_msg *ret,
    struct err *err)
{
	AEG_AUTO(wire_msg_done) struct wire_msg m = WIRE_MSG_INIT;
	struct wire_head head, again;
	struct iovec iov[2] = { { &again, sizeof again } };
	size_t n_fds = WIRE_FDS_MAX;
	ssize_t n;
	int rc;

	rc = await(fd, timeout_ms, cancel_fd, err);
	if (rc == 0)
		rc = peek(fd, &head, err);
	if (rc < 0)
		return rc;
	m.owned = xmalloc(head.len + 1);
	iov[1].iov_base = m.owned;
	iov[1].iov_len = head.len;
	n = rights_receive(fd, iov, 2, MSG_DONTWAIT, m.fds, &n_fds);
	if (n == -EMSGSIZE || n == -EBADMSG)
		return err_set(err, ERR_PROTOCOL,
		    "frame with other things than up to %d descriptors",
		    WIRE_FDS_MAX);
	if (n < 0)
		return err_sys(err, (int)-n, "receive a frame");
	m.n_fds = (int)n_fds;
	if ((size_t)n != sizeof head + head.len ||
	    memcmp(&head, &again, sizeof head) != 0)
		return err_set(err, ERR_PROTOCOL, "the frame changed");
	m.type = head.type;
	m.id = head.id;
	m.len = head.len;
	m.body = m.owned;
	((char *)m.owned)[m.len] = '\0';
	*ret = m;
	m = (struct wire_msg)WIRE_MSG_INIT;
	return 0;
}

int
wire_recv(int fd, int timeout_ms, int cancel_fd, struct wire_msg *ret,
    struct err *err)
{
	AEG_AUTO(wire_msg_done) struct wire_msg m = WIRE_MSG_INIT;
	int rc;

	rc = wire_get(fd, timeout_ms, cancel_fd, &m, err);
	if (rc < 0)
		return rc;
	if (m.type == WIRE_TYPE_HELLO)
		return err_set(err, ERR_PROTOCOL, "a hello out of place");
	*ret = m;
	m = (struct wire_msg)WIRE_MSG_INIT;
	return 0;
}
