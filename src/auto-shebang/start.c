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

#define ROUNDS_MAX 10		/* of scripts that start one another */

static bool
still_same(const struct shebang_result *r)
{
	AEG_AUTOFD int fd = open(r->path, O_PATH | O_CLOEXEC);
	struct stat now, checked;

	return fd >= 0 && fstat(fd, &now) == 0 &&
	    fstat(r->fd, &checked) == 0 && now.st_dev == checked.st_dev &&
	    now.st_ino == checked.st_ino;
}

/*
 * Scripts that are each other's interpreters start one another for ever,
 * and each round leaves their paths before the arguments.  True after
 * enough whole rounds that no caller's own arguments look like it.
 */
static bool
in_circle(const struct shebang_result *r, char *const *script_argv, size_t n)
{
	size_t round = 0, i;

	while (round < n && strcmp(script_argv[round], r->path) != 0)
		round++;
	if (round == n)
		return false;
	round++;
	if (n / round < ROUNDS_MAX)
		return false;
	for (i = round; i < round * ROUNDS_MAX; i++)
		if (strcmp(script_argv[i], script_argv[i - round]) != 0)
			return false;
	return true;
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
	case ELOOP:
		say("%s: is a script that leads back to itself as its own "
		    "interpreter", r->path);
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
	if (r->format == SHEBANG_SCRIPT && in_circle(r, script_argv, n))
		return failed(r, ELOOP);
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
