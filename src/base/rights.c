/* SPDX-License-Identifier: ISC */
/* Descriptors that go over a socket. */
#include "aegsh/base/rights.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "aegsh/base/io.h"

/* Control data must be aligned for its header. */
union room {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int) * RIGHTS_MAX)];
};

ssize_t
rights_send(int sock, const struct iovec *iov, size_t n_iov, int flags,
    const int *fds, size_t n_fds)
{
	union room room = { .bytes = { 0 } };
	struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)iov,
		.msg_iovlen = n_iov };
	ssize_t n;

	if (n_fds > RIGHTS_MAX)
		return -EMSGSIZE;
	if (n_fds > 0) {
		m.msg_control = room.bytes;
		m.msg_controllen = CMSG_SPACE(n_fds * sizeof *fds);
		room.align.cmsg_level = SOL_SOCKET;
		room.align.cmsg_type = SCM_RIGHTS;
		room.align.cmsg_len = CMSG_LEN(n_fds * sizeof *fds);
		memcpy(CMSG_DATA(&room.align), fds, n_fds * sizeof *fds);
	}
	do
		n = sendmsg(sock, &m, flags | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

size_t
rights_take(struct msghdr *m, int *ret_fds, size_t most)
{
	struct cmsghdr *c;
	size_t i, n, came = 0;
	int fd;

	for (c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof fd;
		for (i = 0; i < n; i++, came++) {
			memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
			if (came < most)
				ret_fds[came] = fd;
			else
				io_close(&fd);
		}
	}
	return came;
}

static bool
only_rights(struct msghdr *m)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			return false;
	return true;
}

ssize_t
rights_receive(int sock, const struct iovec *iov, size_t n_iov, int flags,
    int *ret_fds, size_t *n_fds)
{
	union room room;
	struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)iov,
		.msg_iovlen = n_iov, .msg_control = room.bytes,
		.msg_controllen = sizeof room.bytes };
	int came[RIGHTS_MAX];
	size_t n, most = *n_fds < RIGHTS_MAX ? *n_fds : RIGHTS_MAX;
	ssize_t len;

	do
		len = recvmsg(sock, &m, flags | MSG_CMSG_CLOEXEC);
	while (len < 0 && errno == EINTR);
	if (len < 0)
		return -errno;
	n = rights_take(&m, came, most);
	if ((m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || n > most)
		len = -EMSGSIZE;
	else if (!only_rights(&m))
		len = -EBADMSG;
	if (len < 0) {
		for (n = n < most ? n : most; n > 0; n--)
			io_close(&came[n - 1]);
		return len;
	}
	memcpy(ret_fds, came, n * sizeof *came);
	*n_fds = n;
	return len;
}
