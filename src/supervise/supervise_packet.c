/* SPDX-License-Identifier: ISC */
/* A packet with descriptors, as it comes in: all of it or nothing. */
#include "supervise_int.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "aegsh/base/io.h"
#include "aegsh/base/rights.h"

static pid_t
take_pid(struct msghdr *m)
{
	struct cmsghdr *c;
	struct ucred who = { .pid = 0 };

	for (c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_level == SOL_SOCKET &&
		    c->cmsg_type == SCM_CREDENTIALS &&
		    c->cmsg_len == CMSG_LEN(sizeof who))
			memcpy(&who, CMSG_DATA(c), sizeof who);
	return who.pid;
}

static ssize_t
receive(int sock, void *bytes, size_t size, int *ret_fd, size_t n,
    pid_t *ret_pid)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(SUP_FDS * sizeof(int)) +
		    CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec iov = { bytes, size };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes - (ret_pid == NULL ?
		    CMSG_SPACE(sizeof(struct ucred)) : 0),
	};
	ssize_t len = recvmsg(sock, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	size_t i, got;

	for (i = 0; i < n; i++)
		ret_fd[i] = -1;
	if (len < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	got = rights_take(&m, ret_fd, n);
	if (ret_pid != NULL)
		*ret_pid = take_pid(&m);
	if ((m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0)
		return len;
	for (i = 0; i < got && i < n; i++)
		io_close(&ret_fd[i]);
	return -EMSGSIZE;
}

ssize_t
sup_receive(int sock, void *bytes, size_t size, int *ret_fd, size_t n)
{
	return receive(sock, bytes, size, ret_fd, n, NULL);
}

int
sup_receive_hello(int sock, pid_t *ret_pid, int *ret_fd)
{
	char hello;
	ssize_t n = receive(sock, &hello, 1, ret_fd, 1, ret_pid);

	if (n < 0)
		return (int)n;
	if (n == 1 && *ret_fd >= 0 && *ret_pid > 0)
		return 0;
	io_close(ret_fd);
	return -EPROTO;
}
