/* SPDX-License-Identifier: ISC */
/* What a helper does before anything else. */
#include "aegsh/wire_helper.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "aegsh/base/io.h"
#include "aegsh/base/path.h"

static bool
is_our_socket(int fd)
{
	int domain = 0, type = 0;
	socklen_t len = sizeof domain;

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 &&
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
	    domain == AF_UNIX && type == SOCK_SEQPACKET;
}

int
wire_helper_hide(void)
{
#ifndef AEGSH_SANITIZE	/* whose leak checker is a debugger */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return -1;
#endif
	/* The end of the socket says the same; this one also reaches a
	 * process that is stopped. */
	return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

static int
settle(void)
{
	const struct rlimit none = { 0, 0 };

	umask(077);
	/* A file that somebody made larger, a server that is gone: errors,
	 * not our end. */
	if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR ||
	    signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		return -1;
	(void)sysdirs();	/* before the environment is gone: tests */
	if (clearenv() != 0 || setrlimit(RLIMIT_CORE, &none) < 0)
		return -1;
	return wire_helper_hide();
}

int
wire_helper_begin(const char *program, const char *starter, int argc)
{
	if (argc != 1 || !is_our_socket(WIRE_HELPER_FD)) {
		fprintf(stderr, "%s: is started by %s, not by hand\n",
		    program, starter);
		return WIRE_EXIT_USAGE;
	}
	if (io_fill_std() < 0 || io_set_cloexec(WIRE_HELPER_FD, 1) < 0 ||
	    settle() < 0) {
		fprintf(stderr, "%s: %s\n", program, strerror(errno));
		return WIRE_EXIT_SYSTEM;
	}
	return 0;
}
