/* SPDX-License-Identifier: ISC */
/*
 * Is a profile held?  Each act that it forbids is tried twice, in a child
 * that is not confined and in one that is.  Only what works in the first
 * and not in the second was kept from it by the sandbox.
 */
#include "sandbox_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

enum { NO_SANDBOX = 255, NO_TERMINAL = 254 };	/* statuses beside errnos */

typedef bool forbids(const struct sandbox_profile *p,
    const struct sandbox_site *s);

static bool
always(const struct sandbox_profile *p, const struct sandbox_site *s)
	{ (void)p; (void)s; return true; }

static bool
no_right(const struct sandbox_profile *p, const struct sandbox_site *s,
    unsigned right)
	{ return (sandbox_rights_at(p, s->dir) & right) == 0; }
static bool no_read(const struct sandbox_profile *p,
    const struct sandbox_site *s)
	{ return no_right(p, s, SANDBOX_READ); }
static bool no_write(const struct sandbox_profile *p,
    const struct sandbox_site *s)
	{ return no_right(p, s, SANDBOX_WRITE); }
static bool no_make(const struct sandbox_profile *p,
    const struct sandbox_site *s)
	{ return no_right(p, s, SANDBOX_MAKE); }
static bool no_execute(const struct sandbox_profile *p,
    const struct sandbox_site *s)
	{ return no_right(p, s, SANDBOX_EXECUTE); }

static bool
has_store(const struct sandbox_profile *p, const struct sandbox_site *s)
	{ (void)s; return p->store != NULL && !p->open; }
static bool
has_settings(const struct sandbox_profile *p, const struct sandbox_site *s)
	{ (void)s; return p->conf != NULL && !p->open; }
static bool
has_limits(const struct sandbox_profile *p, const struct sandbox_site *s)
	{ (void)p; return s->n_limits > 0; }

static bool
no_ports(const struct sandbox_ports *ports, uint16_t port)
{
	size_t i;

	for (i = 0; i < ports->n; i++)
		if (ports->port[i] == port)
			return false;
	return !ports->all;
}
static bool
no_connect(const struct sandbox_profile *p, const struct sandbox_site *s)
	{ return no_ports(&p->connect, ntohs(s->port)); }
static bool
no_bind(const struct sandbox_profile *p, const struct sandbox_site *s)
	{ (void)s; return no_ports(&p->bind, 0); }
static bool
no_udp(const struct sandbox_profile *p, const struct sandbox_site *s)
	{ (void)s; return !p->udp; }
static bool
no_unix(const struct sandbox_profile *p, const struct sandbox_site *s)
	{ (void)s; return !p->local; }

/* The profile grants connecting nowhere around it. */
static bool
no_pathname(const struct sandbox_profile *p, const struct sandbox_site *s)
{
	size_t i;

	for (i = 0; i < p->n_grants; i++)
		if ((p->grants[i].fs & SANDBOX_FS_RESOLVE_UNIX) != 0 &&
		    path_under(s->dir, p->grants[i].path))
			return false;
	return true;
}

/* CAP_PERFMON lets root read it. */
static bool
not_by_root(const struct sandbox_profile *p, const struct sandbox_site *s)
	{ (void)p; (void)s; return geteuid() != 0; }
static bool
not_for_root(const struct sandbox_profile *p, const struct sandbox_site *s)
	{ (void)s; return p->filter != SANDBOX_FILTER_ROOT; }

struct trial_row {
	const char *name, *what;
	enum sandbox_layer layer;
	forbids *forbidden;	/* or NULL: where a filter's row says so */
	int nr;			/* of the system call of that row */
	sandbox_act *act;
};

#define FILES SANDBOX_LANDLOCK_FS
#define SCOPE SANDBOX_LANDLOCK_SCOPE
#define PORTS SANDBOX_LANDLOCK_NET
#define CALLS SANDBOX_SECCOMP
#define BY(call) NULL, __NR_##call
#define IF(forbidden) forbidden, -1

static const struct trial_row rows[] = {
	{ "privileges", "gain privileges from a set-user-ID program",
	    SANDBOX_NNP, IF(always), sandbox_act_privileges },
	{ "read", "read a file", FILES, IF(no_read), sandbox_act_read },
	{ "write", "write to a file", FILES, IF(no_write), sandbox_act_write },
	{ "truncate", "truncate a file", FILES, IF(no_write),
	    sandbox_act_truncate },
	{ "create", "make a file", FILES, IF(no_make), sandbox_act_create },
	{ "directory", "make a directory", FILES, IF(no_make),
	    sandbox_act_directory },
	{ "rename", "rename a file", FILES, IF(no_make), sandbox_act_rename },
	{ "move", "move a file to another directory", FILES, IF(no_make),
	    sandbox_act_move },
	{ "link", "link a file into another directory", FILES, IF(no_make),
	    sandbox_act_link },
	{ "execute", "run a program", FILES, IF(no_execute),
	    sandbox_act_execute },
	{ "store-read", "read the record", FILES, IF(has_store),
	    sandbox_act_store_read },
	{ "store-write", "write to the record", FILES, IF(has_store),
	    sandbox_act_store_write },
	{ "store-rename", "rename the record away", FILES, IF(has_store),
	    sandbox_act_store_rename },
	{ "store-create", "plant a file beside the record", FILES,
	    IF(has_store), sandbox_act_store_create },
	{ "store-enter", "rename a file to beside the record", FILES,
	    IF(has_store), sandbox_act_store_enter },
	{ "settings", "plant a file beside the operator's settings", FILES,
	    IF(has_settings), sandbox_act_settings_create },
	{ "signal", "signal a process outside", SCOPE, IF(always),
	    sandbox_act_signal },
	{ "abstract-socket", "connect to an abstract unix socket outside",
	    SCOPE, IF(always), sandbox_act_abstract },
	{ "named-socket", "connect to a unix socket in a directory", FILES,
	    IF(no_pathname), sandbox_act_pathname },
	{ "trace", "trace a process outside", FILES, IF(always),
	    sandbox_act_trace },
	{ "environment", "read the environment of a process outside", FILES,
	    IF(not_by_root), sandbox_act_environment },
	{ "memory", "read the memory of a process outside", CALLS, IF(always),
	    sandbox_act_memory },
	{ "descriptor", "take a descriptor of a process outside", CALLS,
	    BY(pidfd_getfd), sandbox_act_descriptor },
	{ "limits-of-others", "set limits of a process outside", CALLS,
	    BY(prlimit64), sandbox_act_limits_of_others },
	{ "priority", "set the priority of a process outside", CALLS,
	    BY(setpriority), sandbox_act_priority },
	{ "processors", "bind a process outside to processors", CALLS,
	    BY(sched_setaffinity), sandbox_act_processors },
	{ "disk-priority", "set the disk priority of a process outside",
	    CALLS, BY(ioprio_set), sandbox_act_disk_priority },
	{ "terminal", "type into the terminal", CALLS, BY(ioctl),
	    sandbox_act_type },
	{ "terminal-high", "the same with bits that the kernel drops", CALLS,
	    BY(ioctl), sandbox_act_type_high },
	{ "user-namespace", "enter a new user namespace", CALLS, BY(unshare),
	    sandbox_act_user_namespace },
	{ "mount-namespace", "enter a new mount namespace", CALLS,
	    BY(unshare), sandbox_act_mount_namespace },
	{ "mount", "mount a file system", CALLS, BY(mount),
	    sandbox_act_mount },
	{ "io_uring", "make an io_uring", CALLS, BY(io_uring_setup),
	    sandbox_act_ring },
	{ "bpf", "load a BPF map", CALLS, BY(bpf), sandbox_act_bpf },
	{ "perf", "open a performance counter", CALLS, BY(perf_event_open),
	    sandbox_act_perf },
	{ "userfault", "handle page faults", CALLS, BY(userfaultfd),
	    sandbox_act_userfault },
	{ "keys", "use the kernel's keyrings", CALLS, BY(keyctl),
	    sandbox_act_keys },
	{ "memory-program", "make a program in memory", CALLS,
	    BY(memfd_create), sandbox_act_memory_program },
#ifdef __x86_64__
	{ "x32", "call the kernel as an x32 program", CALLS, IF(always),
	    sandbox_act_x32 },
	{ "i386", "call the kernel as an i386 program", CALLS, IF(always),
	    sandbox_act_i386 },
#endif
	{ "tcp-connect", "connect over TCP", PORTS, IF(no_connect),
	    sandbox_act_connect },
	{ "tcp-bind", "bind a TCP port", PORTS, IF(no_bind),
	    sandbox_act_bind },
	{ "fast-open", "connect by sending (TCP fast open)", CALLS,
	    BY(sendto), sandbox_act_fast_open },
	{ "mptcp", "make an MPTCP socket", CALLS, IF(always),
	    sandbox_act_mptcp },
	{ "udp", "make a UDP socket", CALLS, IF(no_udp), sandbox_act_udp },
	{ "vsock", "make a socket to a host or guest", CALLS, IF(always),
	    sandbox_act_vsock },
	{ "packet", "make a packet socket", CALLS, IF(not_for_root),
	    sandbox_act_packet },
	{ "raw", "make a raw socket", CALLS, IF(not_for_root),
	    sandbox_act_raw },
	{ "unix", "make a unix socket", CALLS, IF(no_unix),
	    sandbox_act_unix },
	{ "raise-limits", "raise what the profile limits", SANDBOX_RLIMITS,
	    IF(has_limits), sandbox_act_raise_limits },
};

static bool
is_forbidden(const struct trial_row *row, const struct sandbox_profile *p,
    const struct sandbox_site *s)
{
	int abi = sandbox_landlock_abi();
	size_t i;

	if (row->forbidden != NULL)
		return row->forbidden(p, s);
	for (i = 0; i < sandbox_n_rows; i++)
		if (sandbox_rows[i].nr == row->nr &&
		    sandbox_row_holds(&sandbox_rows[i], p, abi))
			return true;
	return false;
}

/*
 * Privilege to mount, over nothing that anybody else sees, so that it is the
 * sandbox that refuses.  As root no user namespace, in which root would be
 * another.  0, or the errno.
 */
static int
may_mount(void)
{
	if (unshare(geteuid() == 0 ? CLONE_NEWNS :
	    CLONE_NEWUSER | CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return errno;
	return 0;
}

/* The whole life of a child: a terminal of its own, confined or not. */
static void __attribute__((noreturn))
live(const struct trial_row *row, const struct sandbox_site *site,
    const struct sandbox *confined)
{
	struct sandbox_site mine = *site;
	enum sandbox_layer layer;
	int rc;

	setsid();
	if (site->master >= 0)
		mine.terminal = open(ptsname(site->master),
		    O_RDWR | O_CLOEXEC);
	rc = row->act == sandbox_act_mount ? may_mount() : 0;
	if (rc != 0)
		_exit(rc);
	if (confined != NULL && sandbox_apply(confined, &layer) < 0)
		_exit(NO_SANDBOX);
	if (mine.terminal < 0 && (row->act == sandbox_act_type ||
	    row->act == sandbox_act_type_high))
		_exit(NO_TERMINAL);
	_exit(row->act(&mine));
}

/* 0 went through, an errno, or minus the signal that ended it. */
static int
try(const struct trial_row *row, const struct sandbox_site *s,
    const struct sandbox *confined, int *ret, struct err *err)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		live(row, s, confined);
	if (pid < 0)
		return err_sys(err, errno, "fork");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(err, errno, "waitpid");
	if (WIFSIGNALED(status))
		*ret = -WTERMSIG(status);
	else if (WEXITSTATUS(status) == NO_TERMINAL)
		*ret = ENXIO;
	else if (WEXITSTATUS(status) == NO_SANDBOX)
		return err_set(err, ERR_LAYER, "a child could not be confined "
		    "as the profile says");
	else
		*ret = WEXITSTATUS(status);
	return 0;
}

static enum sandbox_layer
layer_of(const struct trial_row *row, const struct sandbox_profile *p)
{
	const char *place = row->forbidden == has_store ? p->store :
	    row->forbidden == has_settings ? p->conf : NULL;

	return place != NULL && sandbox_covered(p, place) != NULL ?
	    SANDBOX_COVER : row->layer;
}

static int
try_row(const struct trial_row *row, const struct sandbox_profile *p,
    const struct sandbox_site *s, const struct sandbox *confined,
    struct sandbox_trial *ret, struct err *err)
{
	int rc;

	*ret = (struct sandbox_trial){ .name = row->name, .what = row->what,
		.layer = layer_of(row, p), .required = is_forbidden(row, p, s),
	};
	if (row->forbidden == has_store && s->kept == NULL) {
		ret->outcome = SANDBOX_TRIAL_NOTHING;
		return 0;
	}
	rc = try(row, s, NULL, &ret->unconfined, err);
	if (rc == 0)
		rc = try(row, s, confined, &ret->confined, err);
	if (rc < 0)
		return rc;
	if (!ret->required)
		ret->outcome = SANDBOX_TRIAL_NOT_REQUIRED;
	else if (ret->confined == 0)
		ret->outcome = SANDBOX_TRIAL_ABSENT;
	else if (ret->unconfined != 0)
		ret->outcome = SANDBOX_TRIAL_NOTHING;
	else
		ret->outcome = SANDBOX_TRIAL_ENFORCED;
	return 0;
}

/* Inside of a line each act fails for that line's sandbox. */
static bool
is_confined(void)
{
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0;
}

int
sandbox_try_in(const struct sandbox_profile *p, const struct sandbox_site *s,
    const struct sandbox *confined, struct sandbox_trial **ret, size_t *ret_n,
    struct err *err)
{
	AEG_AUTOFREE struct sandbox_trial *list =
	    xcalloc(AEG_NELEM(rows), sizeof *list);
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < AEG_NELEM(rows); i++)
		rc = try_row(&rows[i], p, s, confined, &list[i], err);
	if (rc < 0)
		return rc;
	*ret = AEG_STEAL(list);
	*ret_n = AEG_NELEM(rows);
	return 0;
}

int
sandbox_try(const struct sandbox_profile *p, struct sandbox_trial **ret,
    size_t *ret_n, struct err *err)
{
	struct sandbox *confined = NULL;
	struct sandbox_site site;
	int rc;

	if (is_confined())
		return err_set(err, ERR_LAYER, "this process is confined "
		    "itself, and would be refused with no sandbox of its "
		    "own; try it outside of aegsh");
	/* The files first: what is made beside a hole later is not granted. */
	rc = sandbox_site_make(p, &site, err);
	if (rc < 0)
		return rc;
	rc = sandbox_prepare(p, &confined, err);
	if (rc == 0)
		rc = sandbox_try_in(p, &site, confined, ret, ret_n, err);
	sandbox_site_remove(&site);
	sandbox_free(confined);
	return rc;
}
