/* SPDX-License-Identifier: ISC */
/*
 * A helper process at the other end of a socket (aegsh-judge, aegsh-ship):
 * how it is started, and what it does first.
 */
#ifndef AEGSH_WIRE_HELPER_H
#define AEGSH_WIRE_HELPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "aegsh/base/err.h"

#define WIRE_HELPER_FD 3	/* where it finds its socket */

/* ---- who starts it: wire_spawn.c ---------------------------------------- */

/* Starts the helper program of that name, in a session of its own, with next
 * to no environment, fd (above WIRE_HELPER_FD, and still the caller's) and
 * /dev/null; quiet: for its standard error, too, but under sanitizers. */
int wire_helper_spawn(const char *name, int fd, bool quiet, pid_t *ret_pid,
	struct err *err);

/* ---- the helper: wire_helper.c ------------------------------------------ */

#define WIRE_EXIT_USAGE 100
#define WIRE_EXIT_SYSTEM 111

/* The first that its main() calls.  No core file, no debugger, no /proc entry
 * shows what it holds; it has no environment, and ends with who started it.
 * 0, or the status to exit with, after what is wrong was said on standard
 * error as program. */
int wire_helper_begin(const char *program, const char *starter, int argc);
/* Again after it has changed its ids, which undoes a part of it.  0, -1 and
 * errno. */
int wire_helper_hide(void);

#endif
