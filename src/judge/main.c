/* SPDX-License-Identifier: ISC */
/*
 * aegsh-judge: the program of aegsh that asks models, and holds their keys.
 * aegsh starts it, with nothing but a socket on descriptor 3; it ends when
 * the socket does.
 */
#include "judge_int.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/wire.h"

#define EXIT_USAGE 100
#define EXIT_SYSTEM 111
#define HELLO_MS 10000	/* aegsh says it before it starts us */

/* No core file, no debugger, no /proc entry of this process shows a key. */
static int
hide(void)
{
	const struct rlimit none = { 0, 0 };

	umask(077);
	/* A file that somebody made larger is an error, not our end. */
	if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR)
		return -1;
	(void)sysdirs();	/* before the environment is gone: tests */
	if (clearenv() != 0 || setrlimit(RLIMIT_CORE, &none) < 0)
		return -1;
#ifndef AEGSH_SANITIZE	/* whose leak checker is a debugger */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return -1;
#endif
	/* The end of the socket says the same; this one also reaches a
	 * process that is stopped. */
	return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

static bool
is_our_socket(int fd)
{
	int domain = 0, type = 0;
	socklen_t len = sizeof domain;

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 &&
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
	    domain == AF_UNIX && type == SOCK_SEQPACKET;
}

static int
serve(struct judge *j, struct err *err)
{
	AEG_AUTO(wire_msg_done) struct wire_msg m = WIRE_MSG_INIT;
	struct val_setup s;
	int rc;

	rc = wire_hello(j->fd, VAL_ROLE, HELLO_MS, err);
	if (rc == 0)
		rc = wire_recv(j->fd, HELLO_MS, -1, &m, err);
	if (rc == 0 && (m.type != VAL_FRAME_SETUP || m.n_fds != 0))
		rc = err_set(err, ERR_PROTOCOL, "no set-up");
	if (rc == 0)
		rc = val_setup_unpack(m.body, m.len, &s, err);
	if (rc < 0)
		return rc;
	judge_setup(j, &s);
	if (m.owned != NULL)	/* a key may stand in it */
		explicit_bzero((char *)(uintptr_t)m.body, m.len);
	return judge_loop(j, err);
}

int
main(int argc, char **argv)
{
	struct judge j = { .fd = VAL_HELPER_FD, .state_fd = -1,
		.host_fd = -1, .cache_fd = -1 };
	struct err err = ERR_INIT;
	int rc;

	if (argc != 1 || !is_our_socket(VAL_HELPER_FD)) {
		fprintf(stderr,
		    "aegsh-judge: is started by aegsh, not by hand\n");
		return EXIT_USAGE;
	}
	if (io_fill_std() < 0 || io_set_cloexec(VAL_HELPER_FD, 1) < 0 ||
	    hide() < 0) {
		fprintf(stderr, "aegsh-judge: %s\n", strerror(errno));
		return EXIT_SYSTEM;
	}
	rc = serve(&j, &err);
	judge_done(&j);
	if (rc == -ENODATA || rc == -EPIPE)	/* aegsh is gone: so be it */
		return 0;
	if (rc < 0)
		fprintf(stderr, "aegsh-judge: %s\n", err.text);
	return rc < 0 ? EXIT_SYSTEM : 0;
}
