/* SPDX-License-Identifier: ISC */
/*
 * Starting a helper: with an empty environment, its socket and /dev/null, in
 * a session of its own, so that no key of the terminal reaches it.
 */
#include "aegsh/wire_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#ifdef AEGSH_SANITIZE	/* whose reports must be seen */
#define MAY_BE_QUIET false
#else
#define MAY_BE_QUIET true
#endif

static int
set_attributes(posix_spawnattr_t *at)
{
	const short flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF |
	    POSIX_SPAWN_SETSIGMASK;
	sigset_t all, none;

	sigfillset(&all);
	sigemptyset(&none);
	return posix_spawnattr_setflags(at, flags) != 0 ||
	    posix_spawnattr_setsigdefault(at, &all) != 0 ||
	    posix_spawnattr_setsigmask(at, &none) != 0 ? ENOMEM : 0;
}

static int
set_files(posix_spawn_file_actions_t *fa, int fd, bool quiet)
{
	return posix_spawn_file_actions_addopen(fa, 0, "/dev/null", O_RDONLY,
	    0) != 0 ||
	    posix_spawn_file_actions_addopen(fa, 1, "/dev/null", O_WRONLY,
	    0) != 0 ||
	    (quiet && posix_spawn_file_actions_adddup2(fa, 1, 2) != 0) ||
	    posix_spawn_file_actions_adddup2(fa, fd, WIRE_HELPER_FD) != 0 ||
	    posix_spawn_file_actions_addclosefrom_np(fa,
	    WIRE_HELPER_FD + 1) != 0 ? ENOMEM : 0;
}

int
wire_helper_spawn(const char *name, int fd, bool quiet, pid_t *ret_pid,
    struct err *err)
{
	static char search[] = "PATH=/usr/bin:/bin", locale[] = "LC_ALL=C";
	char *argv[] = { (char *)(uintptr_t)name, NULL };
	char *envp[] = { search, locale, NULL };
	AEG_AUTOFREE char *path = xasprintf("%s/%s", sysdirs()->libexec,
	    name);
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	int rc;

	if (posix_spawn_file_actions_init(&fa) != 0)
		return err_sys(err, ENOMEM, "%s", path);
	if (posix_spawnattr_init(&at) != 0) {
		posix_spawn_file_actions_destroy(&fa);
		return err_sys(err, ENOMEM, "%s", path);
	}
	rc = set_attributes(&at);
	if (rc == 0)
		rc = set_files(&fa, fd, quiet && MAY_BE_QUIET);
	if (rc == 0)
		rc = posix_spawn(ret_pid, path, &fa, &at, argv, envp);
	posix_spawnattr_destroy(&at);
	posix_spawn_file_actions_destroy(&fa);
	return rc == 0 ? 0 : err_sys(err, rc, "start %s", path);
}
