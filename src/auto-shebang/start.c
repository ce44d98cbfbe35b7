/* SPDX-License-Identifier: ISC */
/*
 * Becoming the interpreter.  A program is started from the descriptor that
 * was checked, so nothing can be put in its place any more.  A script that
 * is an interpreter must go by its path, since its own interpreter opens
 * it by name; it is compared once more right before.
 *
 * The environment, the working directory, descriptors and signals are the
 * caller's and stay as they are; everything opened here is close-on-exec.
 */
#include "auto-shebang/auto_shebang_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

static bool
still_same(const struct shebang_result *r)
{
	AEG_AUTOFD int fd = open(r->path, O_PATH | O_CLOEXEC);
	struct stat now, checked;

	return fd >= 0 && fstat(fd, &now) == 0 &&
	    fstat(r->fd, &checked) == 0 && now.st_dev == checked.st_dev &&
	    now.st_ino == checked.st_ino;
}

static int
failed(const struct shebang_result *r, int errnum)
{
	switch (errnum) {
	case ENOENT:
		say("%s: the loader or interpreter that it needs is missing",
		    r->path);
		return EXIT_NOT_FOUND;
	case ENOEXEC:
		say("%s: nothing that the kernel can start", r->path);
		return EXIT_CANNOT_RUN;
	case ESTALE:
		say("%s: was replaced between check and start", r->path);
		return EXIT_CANNOT_RUN;
	default:
		say("%s: %s", r->path, err_str(-errnum));
		return EXIT_CANNOT_RUN;
	}
}

int
start(const struct shebang_result *r, char **script_argv)
{
	AEG_AUTOFREE char **argv = NULL;
	size_t n = 0;

	while (script_argv[n] != NULL)
		n++;
	argv = xreallocarray(NULL, n + 2, sizeof *argv);
	argv[0] = r->path;
	memcpy(argv + 1, script_argv, (n + 1) * sizeof *argv);
	if (r->format != SHEBANG_SCRIPT) {
		syscall(SYS_execveat, r->fd, "", argv, environ,
		    AT_EMPTY_PATH);
		/* ENOENT: the kernel hands it to a program of its own
		 * (binfmt_misc), which needs a path. */
		if (errno != ENOENT && errno != ENOSYS)
			return failed(r, errno);
	}
	if (!still_same(r))
		return failed(r, ESTALE);
	execve(r->path, argv, environ);
	return failed(r, errno);
}
