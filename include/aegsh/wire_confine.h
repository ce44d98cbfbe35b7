/* SPDX-License-Identifier: ISC */
/*
 * What is left to a helper that talks to the network: it reads certificates
 * and the settings of the resolver, and connects to the ports that it was
 * given.  It starts nothing, opens nothing to write, waits for nobody.
 */
#ifndef AEGSH_WIRE_CONFINE_H
#define AEGSH_WIRE_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aegsh/base/err.h"

#define WIRE_PORTS_MAX 16

struct wire_needs {
	const char *program;	/* what errors call it */
	unsigned ports[WIRE_PORTS_MAX];
	size_t n_ports;
	bool names;		/* look up hosts */
	bool system_ca;
	bool sockets_of_others;	/* to connect to, as root */
	uint64_t file_most;	/* bytes of the largest file it writes */
};
/* Enter it for good, after everything is opened: no_new_privs, capabilities,
 * Landlock, limits, seccomp.  ERR_LAYER names what could not be had. */
int wire_confine(const struct wire_needs *needs, struct err *err);

#endif
