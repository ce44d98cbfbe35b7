/* SPDX-License-Identifier: ISC */
/* Descriptors come over a socket all or not at all, and none of those that
 * are not wanted stays open. */
#include "aegsh/base/rights.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "tap.h"

static int
open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d != NULL && readdir(d) != NULL)
		n++;
	if (d != NULL)
		closedir(d);
	return n;
}

/* As it was sent: so many bytes, and copies of one descriptor. */
static ssize_t
send_some(int sock, size_t bytes, size_t n_fds)
{
	char text[64] = "hello";
	struct iovec iov[2] = { { text, bytes / 2 },
		{ text + bytes / 2, bytes - bytes / 2 } };
	int fds[RIGHTS_MAX + 1];
	size_t i;

	for (i = 0; i < n_fds; i++)
		fds[i] = STDIN_FILENO;
	return rights_send(sock, iov, 2, 0, fds, n_fds);
}

static ssize_t
receive(int sock, char *ret, size_t size, int *fds, size_t *n)
{
	struct iovec iov = { ret, size };

	return rights_receive(sock, &iov, 1, MSG_DONTWAIT, fds, n);
}

int
main(void)
{
	int sock[2], fds[RIGHTS_MAX], on = 1, before;
	char text[16] = "";
	size_t n, i;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) < 0)
		return 99;
	before = open_files();

	IS_INT(send_some(sock[0], 6, 2), 6);
	n = 2;
	IS_INT(receive(sock[1], text, sizeof text, fds, &n), 6);
	IS_INT(n, 2);
	IS_STR(text, "hello");
	OK((fcntl(fds[0], F_GETFD) & FD_CLOEXEC) != 0);
	for (i = 0; i < n; i++)
		io_close(&fds[i]);

	IS_INT(send_some(sock[0], 6, 0), 6);
	n = 1;
	IS_INT(receive(sock[1], text, sizeof text, fds, &n), 6);
	IS_INT(n, 0);

	IS_INT(send_some(sock[0], 6, RIGHTS_MAX), 6);
	n = RIGHTS_MAX;
	IS_INT(receive(sock[1], text, sizeof text, fds, &n), 6);
	IS_INT(n, RIGHTS_MAX);
	for (i = 0; i < n; i++)
		io_close(&fds[i]);

	/* More than are wanted, longer than there is room, neither wanted. */
	IS_INT(send_some(sock[0], 6, 3), 6);
	n = 2;
	IS_INT(receive(sock[1], text, sizeof text, fds, &n), -EMSGSIZE);
	IS_INT(n, 2);
	IS_INT(send_some(sock[0], 40, 2), 40);
	IS_INT(receive(sock[1], text, sizeof text, fds, &n), -EMSGSIZE);
	IS_INT(send_some(sock[0], 6, 1), 6);
	n = 0;
	IS_INT(receive(sock[1], text, sizeof text, fds, &n), -EMSGSIZE);
	IS_INT(send_some(sock[0], 6, RIGHTS_MAX + 1), -EMSGSIZE);

	/* Who sent it is no descriptor. */
	setsockopt(sock[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
	IS_INT(send_some(sock[0], 6, 1), 6);
	n = 1;
	IS_INT(receive(sock[1], text, sizeof text, fds, &n), -EBADMSG);

	n = 1;
	IS_INT(receive(sock[1], text, sizeof text, fds, &n), -EAGAIN);
	IS_INT(open_files(), before);
	io_close(&sock[0]);
	IS_INT(receive(sock[1], text, sizeof text, fds, &n), 0);
	IS_INT(send_some(sock[1], 6, 0), -EPIPE);
	return tap_done();
}
