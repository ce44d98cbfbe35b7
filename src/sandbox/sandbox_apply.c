/* SPDX-License-Identifier: ISC */
/*
 * Entering a sandbox, between clone(2) and execve(2), perhaps in memory
 * that is shared with the parent: system calls only, nothing written but
 * the own stack.
 */
#include "sandbox_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/call.h"

static int
apply_limits(const struct sandbox *s)
{
	struct rlimit now;
	size_t i;

	for (i = 0; i < s->n_limits; i++) {
		rlim_t most = s->limit[i].most;

		if (getrlimit((__rlimit_resource_t)s->limit[i].resource,
		    &now) < 0)
			return err_failed();
		/* Only ever downwards. */
		if (now.rlim_max > most)
			now.rlim_max = most;
		if (now.rlim_cur > most)
			now.rlim_cur = most;
		if (setrlimit((__rlimit_resource_t)s->limit[i].resource,
		    &now) < 0)
			return err_failed();
	}
	return 0;
}

static int
cover(const struct sandbox_cover *c)
{
	const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;

	if (!c->readonly) {
		if (mount("aegsh", c->path, "tmpfs", flags | MS_RDONLY,
		    "size=4k,nr_inodes=2,mode=755") < 0)
			return err_failed();
		return 0;
	}
	if (mount(c->path, c->path, NULL, MS_BIND, NULL) < 0 ||
	    mount(NULL, c->path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY |
	    flags, NULL) < 0)
		return err_failed();
	return 0;
}

static int
apply_covers(const struct sandbox *s)
{
	size_t i;
	int rc = 0;

	/* Slave: what is mounted outside arrives, nothing gets out. */
	if (unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return err_failed();
	for (i = 0; rc == 0 && i < s->n_covers; i++)
		rc = cover(&s->covers[i]);
	/* With the covers, which lie in the mounts from outside and so are
	 * there for who started beneath one of these, too. */
	for (i = 0; rc == 0 && i < s->above.n; i++) {
		if (mount(s->above.v[i], s->above.v[i], NULL, MS_BIND | MS_REC,
		    NULL) < 0)
			rc = err_failed();
	}
	return rc;
}

static int
restrict_self(int ruleset, unsigned flags)
{
	return syscall(SYS_landlock_restrict_self, ruleset, flags) < 0 ?
	    err_failed() : 0;
}

static int
apply_filter(const struct sandbox *s)
{
	const struct sock_fprog prog = {
		.len = s->filter_len,
		.filter = (struct sock_filter *)(uintptr_t)s->filter,
	};

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) < 0 ?
	    err_failed() : 0;
}

/* ---- the proof ---------------------------------------------------------- */

static bool
holds_scope(void)
{
	pid_t parent = getppid();

	/* 0: outside of this process' view. */
	return parent <= 0 || call_raw(SYS_kill, parent, 0, 0, 0) == -EPERM;
}

/* A file that lies there, or else one without a name, which costs the file
 * system more and leaves nothing behind where it can be had. */
static bool
holds_files(const struct sandbox *s)
{
	long fd = -ENOENT;

	if (s->witness == NULL)
		return true;
	if (s->witness_file != NULL)
		fd = call_raw(SYS_openat, AT_FDCWD, (long)s->witness_file,
		    O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	if (fd < 0 && fd != -EACCES)
		fd = call_raw(SYS_openat, AT_FDCWD, (long)s->witness,
		    O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
	if (fd >= 0)
		close((int)fd);
	return fd < 0;
}

static bool
holds_calls(void)
{
	return call_raw(SYS_ioctl, -1, TIOCSTI, 0, 0) == -EPERM;
}

/* What the kernel took is there: one forbidden act a layer, each of which
 * does nothing where it is not refused. */
static int
prove(const struct sandbox *s, enum sandbox_layer *ret_layer)
{
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		*ret_layer = SANDBOX_NNP;
	else if ((s->layers & SANDBOX_LANDLOCK_SCOPE) != 0 && !holds_scope())
		*ret_layer = SANDBOX_LANDLOCK_SCOPE;
	else if ((s->layers & SANDBOX_LANDLOCK_FS) != 0 && !holds_files(s))
		*ret_layer = SANDBOX_LANDLOCK_FS;
	else if ((s->layers & SANDBOX_SECCOMP) != 0 && !holds_calls())
		*ret_layer = SANDBOX_SECCOMP;
	else
		return 0;
	return -ENOSYS;
}

static int
apply_layers(const struct sandbox *s, enum sandbox_layer *ret_layer)
{
	enum sandbox_layer layer = SANDBOX_COVER;
	int rc = 0;

	if (s->layers & SANDBOX_COVER)
		rc = apply_covers(s);
	if (rc == 0) {
		layer = SANDBOX_NNP;
		rc = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? err_failed() :
		    0;
	}
	if (rc == 0 && s->layers & SANDBOX_SECCOMP) {
		layer = SANDBOX_SECCOMP;
		rc = apply_filter(s);
	}
	if (rc < 0)
		*ret_layer = layer;
	return rc;
}

int
sandbox_apply_first(const struct sandbox *s, enum sandbox_layer *ret_layer)
{
	int rc = apply_limits(s);

	if (rc == 0)
		return apply_layers(s, ret_layer);
	*ret_layer = SANDBOX_RLIMITS;
	return rc;
}

int
sandbox_apply_rules(const struct sandbox *s, enum sandbox_layer *ret_layer)
{
	int rc = 0;

	if (s->ruleset >= 0)
		rc = s->filled ? restrict_self(s->ruleset,
		    s->restrict_flags) : -EINVAL;
	if (rc == 0)
		return prove(s, ret_layer);
	*ret_layer = SANDBOX_LANDLOCK_FS;
	return rc;
}

int
sandbox_apply(const struct sandbox *s, enum sandbox_layer *ret_layer)
{
	int rc = sandbox_apply_first(s, ret_layer);

	return rc < 0 ? rc : sandbox_apply_rules(s, ret_layer);
}

int
sandbox_apply_session(const struct sandbox *s, enum sandbox_layer *ret_layer)
{
	int rc = apply_layers(s, ret_layer);

	return rc < 0 ? rc : sandbox_apply_rules(s, ret_layer);
}

int
sandbox_apply_line(const struct sandbox *s, enum sandbox_layer *ret_layer)
{
	int rc = 0;

	*ret_layer = SANDBOX_LANDLOCK_FS;
	if (s->line_ruleset >= 0)
		rc = restrict_self(s->line_ruleset, 0);
	else if (s->ruleset >= 0)
		rc = -EINVAL;
	if (rc == 0) {
		*ret_layer = SANDBOX_RLIMITS;
		rc = apply_limits(s);
	}
	return rc;
}
