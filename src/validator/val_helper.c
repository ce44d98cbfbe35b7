/* SPDX-License-Identifier: ISC */
/* The helper process: ended by the end of its socket, and by SIGKILL. */
#include "validator_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/wire.h"
#include "aegsh/wire_helper.h"

#define REAP_MS 100	/* how long a SIGKILL may take, at most */
#ifdef AEGSH_SANITIZE
#define LEAVE_MS 1000	/* it looks for leaks when it ends by itself */
#else
#define LEAVE_MS 0
#endif
#define SOCKET_MIN 10	/* out of the way of what the child will open */

static int
send_setup(int fd, const struct val_setup *setup, struct err *err)
{
	AEG_AUTO(buf_done) struct buf body = BUF_INIT;
	struct wire_msg m = WIRE_MSG_INIT;
	int rc;

	rc = val_setup_pack(setup, &body, err);
	if (rc == 0)
		rc = wire_hello_send(fd, VAL_ROLE, err);
	if (rc < 0)
		return rc;
	m.type = VAL_FRAME_SETUP;
	m.body = body.data;
	m.len = body.len;
	rc = wire_send(fd, &m, err);
	explicit_bzero(body.data, body.cap);	/* a key may stand in it */
	return rc;
}

int
val_helper_start(struct val_helper *h, const struct val_setup *setup,
    struct err *err)
{
	AEG_AUTOFD int ours = -1;
	AEG_AUTOFD int theirs = -1;
	int fds[2], moved, rc;

	val_helper_end(h);
	rc = wire_pair(fds, err);
	if (rc < 0)
		return rc;
	ours = fds[0];
	theirs = fds[1];
	moved = io_move_up(theirs, SOCKET_MIN);
	if (moved < 0)
		return err_sys(err, -moved, "move a descriptor");
	theirs = moved;
	if (fcntl(ours, F_SETFL, O_RDWR | O_NONBLOCK) < 0)
		return err_sys(err, errno, "socket");
	/* Before the start: what is sent waits for the helper. */
	rc = send_setup(ours, setup, err);
	if (rc == 0)
		rc = wire_helper_spawn("aegsh-judge", theirs, true,
		    &h->pid, err);
	if (rc < 0)
		return rc;
	h->pidfd = (int)syscall(SYS_pidfd_open, h->pid, 0);
	h->fd = ours;
	h->greeted = false;
	ours = -1;
	return 0;
}

bool
val_helper_alive(const struct val_helper *h)
{
	struct pollfd p[2] = { { .fd = h->fd }, { .fd = h->pidfd,
	    .events = POLLIN } };

	return h->fd >= 0 && poll(p, 2, 0) == 0;
}

static void
await_end(int pidfd, int timeout_ms)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	while (poll(&p, 1, timeout_ms) < 0 && errno == EINTR)
		continue;
}

void
val_helper_end(struct val_helper *h)
{
	siginfo_t gone;

	if (h->fd < 0)
		return;
	io_close(&h->fd);
	if (h->pidfd >= 0) {
		await_end(h->pidfd, LEAVE_MS);
		syscall(SYS_pidfd_send_signal, h->pidfd, SIGKILL, NULL, 0);
		await_end(h->pidfd, REAP_MS);
		waitid(P_PIDFD, (id_t)h->pidfd, &gone, WEXITED | WNOHANG);
	}
	io_close(&h->pidfd);
	h->pid = -1;
}

int
val_helper_recv(struct val_helper *h, int timeout_ms, int cancel_fd,
    struct wire_msg *ret, struct err *err)
{
	int rc;

	if (!h->greeted) {
		rc = wire_hello_recv(h->fd, VAL_ROLE, timeout_ms, cancel_fd,
		    err);
		if (rc < 0)
			return rc;
		h->greeted = true;
	}
	return wire_recv(h->fd, timeout_ms, cancel_fd, ret, err);
}
