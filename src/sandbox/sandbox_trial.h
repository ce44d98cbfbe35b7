/* SPDX-License-Identifier: ISC */
/* What the trial of a profile sets up, and the acts it tries. */
#ifndef AEGSH_SANDBOX_TRIAL_H
#define AEGSH_SANDBOX_TRIAL_H

#include "sandbox_int.h"

#include <limits.h>
#include <sys/un.h>

#define SANDBOX_SITE (PATH_MAX + 32)	/* bytes of a path in it */

struct sandbox_site {
	char *dir;		/* with "file", "program" and "folder" */
	int place;		/* it, or -1 */
	char *kept;		/* a file made in the store, or NULL */
	char *settings;		/* a file that is not, beside the settings */
	pid_t victim;		/* the same user's, outside */
	int terminal, master;	/* of a new terminal, or -1 */
	int listener, local, named;
	uint16_t port;		/* of the listener, in network order */
	struct sockaddr_un abstract, pathname;
	size_t abstract_len;
	size_t n_limits;	/* that the profile lowers */
	struct {
		int resource;
		struct rlimit before;
	} limit[SANDBOX_LIMIT_COUNT];
};

typedef int sandbox_act(const struct sandbox_site *s);

sandbox_act sandbox_act_read, sandbox_act_write, sandbox_act_truncate,
	sandbox_act_create, sandbox_act_directory, sandbox_act_rename,
	sandbox_act_move, sandbox_act_link, sandbox_act_execute;
sandbox_act sandbox_act_store_read, sandbox_act_store_write,
	sandbox_act_store_rename, sandbox_act_store_create,
	sandbox_act_store_enter, sandbox_act_settings_create;
sandbox_act sandbox_act_signal, sandbox_act_trace, sandbox_act_memory,
	sandbox_act_descriptor, sandbox_act_environment,
	sandbox_act_limits_of_others, sandbox_act_priority,
	sandbox_act_processors, sandbox_act_disk_priority;
sandbox_act sandbox_act_type, sandbox_act_type_high;
sandbox_act sandbox_act_user_namespace, sandbox_act_mount_namespace,
	sandbox_act_mount, sandbox_act_ring, sandbox_act_bpf, sandbox_act_perf,
	sandbox_act_userfault, sandbox_act_keys, sandbox_act_memory_program,
	sandbox_act_privileges, sandbox_act_raise_limits, sandbox_act_x32,
	sandbox_act_i386;
sandbox_act sandbox_act_udp, sandbox_act_mptcp, sandbox_act_vsock,
	sandbox_act_packet, sandbox_act_raw, sandbox_act_unix,
	sandbox_act_connect, sandbox_act_fast_open, sandbox_act_bind,
	sandbox_act_abstract, sandbox_act_pathname;

/* Set up, and taken down; what can't be had is left out and its acts then
 * show nothing.  ERR_… when not even a directory can be made. */
int sandbox_site_make(const struct sandbox_profile *p,
	struct sandbox_site *ret, struct err *err);
void sandbox_site_remove(struct sandbox_site *s);

/* sandbox_try() in this sandbox, whatever it is. */
int sandbox_try_in(const struct sandbox_profile *p,
	const struct sandbox_site *s, const struct sandbox *confined,
	struct sandbox_trial **ret, size_t *ret_n, struct err *err);

#endif
