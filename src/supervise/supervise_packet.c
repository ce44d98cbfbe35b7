/* SPDX-License-Identifier: ISC */
/* A packet with descriptors, as it comes in: all of it or nothing. */
#include "supervise_int.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "aegsh/base/io.h"

/* Of any number and kind: what is not taken is closed. */
static size_t
take_fds(struct msghdr *m, int *fd, size_t n)
{
	struct cmsghdr *c;
	size_t i, had, got = 0;
	int one;

	for (c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		had = (c->cmsg_len - CMSG_LEN(0)) / sizeof one;
		for (i = 0; i < had; i++) {
			memcpy(&one, CMSG_DATA(c) + i * sizeof one,
			    sizeof one);
			if (got < n)
				fd[got++] = one;
			else
				io_close(&one);
		}
	}
	return got;
}

ssize_t
sup_receive(int sock, void *bytes, size_t size, int *ret_fd, size_t n)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(SUP_FDS * sizeof(int))];
	} control;
	struct iovec iov = { bytes, size };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes,
	};
	ssize_t len = recvmsg(sock, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	size_t i, got;

	for (i = 0; i < n; i++)
		ret_fd[i] = -1;
	if (len < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	got = take_fds(&m, ret_fd, n);
	if ((m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0)
		return len;
	for (i = 0; i < got; i++)
		io_close(&ret_fd[i]);
	return -EMSGSIZE;
}
