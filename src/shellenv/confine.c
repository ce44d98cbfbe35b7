/* SPDX-License-Identifier: ISC */
/*
 * How a probe is held: Landlock, every right to write, make or remove a
 * file taken away except writing to /dev/null, no TCP, no signals and no
 * abstract sockets to outside.  What the kernel's Landlock does not know
 * stays open (see se_probe_confinement()); it never covers chmod, pathname
 * sockets or UDP.
 */
#include "shellenv_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"

#ifndef LANDLOCK_CREATE_RULESET_VERSION
#define LANDLOCK_CREATE_RULESET_VERSION (1U << 0)
#endif

/* Numbers of the kernel's ABI that older headers lack. */
#define FS_WRITE_FILE	(1ULL << 1)
#define FS_WRITE_ABI1	(0x1ff2ULL)	/* WRITE_FILE, REMOVE_*, MAKE_* */
#define FS_REFER	(1ULL << 13)	/* ABI 2 */
#define FS_TRUNCATE	(1ULL << 14)	/* ABI 3 */
#define NET_BIND_TCP	(1ULL << 0)	/* ABI 4 */
#define NET_CONNECT_TCP	(1ULL << 1)
#define SCOPE_ABSTRACT_UNIX	(1ULL << 0)	/* ABI 6 */
#define SCOPE_SIGNAL		(1ULL << 1)

struct ruleset_attr {
	uint64_t fs, net, scoped;
};

static long
landlock_abi(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION);
}

const char *
se_probe_confinement(void)
{
	static char name[32];
	long abi = landlock_abi();

	if (abi < 1)
		return "none";
	snprintf(name, sizeof name, "landlock-v%ld", abi);
	return name;
}

static int
allow_dev_null(int ruleset)
{
	AEG_AUTOFD int fd = open("/dev/null", O_PATH | O_CLOEXEC);
	struct landlock_path_beneath_attr at = {
		.allowed_access = FS_WRITE_FILE,
		.parent_fd = fd,
	};

	if (fd < 0)
		return -errno;
	return syscall(SYS_landlock_add_rule, ruleset,
	    LANDLOCK_RULE_PATH_BENEATH, &at, 0) < 0 ? -errno : 0;
}

/* -ENOSYS: this kernel has no Landlock, and the caller goes on without. */
int
se_confine_self(void)
{
	long abi = landlock_abi();
	struct ruleset_attr attr = { .fs = FS_WRITE_ABI1 };
	AEG_AUTOFD int ruleset = -1;
	size_t size = sizeof attr.fs;
	int r;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	if (abi < 1)
		return -ENOSYS;
	if (abi >= 2)
		attr.fs |= FS_REFER;
	if (abi >= 3)
		attr.fs |= FS_TRUNCATE;
	if (abi >= 4) {
		attr.net = NET_BIND_TCP | NET_CONNECT_TCP;
		size = 2 * sizeof attr.fs;
	}
	if (abi >= 6) {
		attr.scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;
		size = sizeof attr;
	}
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
	if (ruleset < 0)
		return -errno;
	r = allow_dev_null(ruleset);
	if (r < 0)
		return r;
	return syscall(SYS_landlock_restrict_self, ruleset, 0) < 0 ?
	    -errno : 0;
}
