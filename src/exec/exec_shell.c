/* SPDX-License-Identifier: ISC */
/*
 * Bash where its profile withholds all shells, its own file among them: a
 * copy in a memory file, which Landlock knows nothing of (it has no place in
 * any tree), and which nobody can change.  Whoever starts that file again, by
 * /proc/PID/exe, is seen by the supervisor.
 */
#include "exec_int.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/path.h"

#ifndef MFD_EXEC			/* linux/memfd.h, since Linux 6.3 */
#define MFD_EXEC 0x0010U
#endif
#define SHELL_MAX ((off_t)64 * 1024 * 1024)

static int
copy(int from, int to)
{
	struct stat st;
	off_t at = 0;
	ssize_t n;

	if (fstat(from, &st) < 0)
		return -errno;
	if (st.st_size > SHELL_MAX)
		return -EFBIG;
	while (at < st.st_size) {
		n = sendfile(to, from, &at, (size_t)(st.st_size - at));
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -EIO;
	}
	if (fchmod(to, 0500) < 0 || fcntl(to, F_ADD_SEALS, F_SEAL_WRITE |
	    F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return -errno;
	return 0;
}

static int
open_shell(void)
{
	const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	AEG_AUTOFD int from = open(sysdirs()->bash, O_RDONLY | O_CLOEXEC);
	AEG_AUTOFD int to = -1;
	int rc;

	if (from < 0)
		return -errno;
	to = memfd_create("aegsh-bash", flags | MFD_EXEC);
	if (to < 0 && errno == EINVAL)
		to = memfd_create("aegsh-bash", flags);
	if (to < 0)
		return -errno;
	rc = copy(from, to);
	if (rc < 0)
		return rc;
	/* Out of the way of what is put in place for the line. */
	rc = fcntl(to, F_DUPFD_CLOEXEC, EXEC_HIGH_FD + EXEC_FDS_MAX);
	return rc < 0 ? -errno : rc;
}

int
exec_shell_open(const struct sandbox_profile *p, struct err *err)
{
	int fd;

	if (!sandbox_denies_shells(p))
		return 0;
	fd = open_shell();
	if (fd >= 0)
		return fd;
	err_sys(err, -fd, "descendant-shells: %s in a memory file",
	    sysdirs()->bash);
	if (err != NULL)
		err->code = ERR_LAYER;
	return ERR_LAYER;
}
