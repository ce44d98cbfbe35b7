/* SPDX-License-Identifier: ISC */
/* Calls that can be answered in the line's own sandbox. */
#include "elevate/elevate_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/rootenv.h"
#include "aegsh/base/text.h"

/* mount(8) tells what is mounted, or what it is. */
static bool
only_lists(const char *name, char *const *argv)
{
	static const char *const words[] = { "-l", "-h", "-V", "--help",
	    "--version", "--show-labels" };

	if (strcmp(name, "mount") != 0)
		return false;
	return argv[1] == NULL || (TEXT_AMONG(argv[1], words) &&
	    argv[2] == NULL);
}

void
elevate_in_place(const char *name, char **argv)
{
	/* Of those that the broker would start. */
	AEG_AUTOFREE char *real = rootenv_find(name, rootenv_runs);
	struct stat st;

	/* Without a real one it is told who there could have been. */
	if (real != NULL && stat(real, &st) == 0 &&
	    (!rootenv_gains(real, &st) || only_lists(name, argv)))
		execv(real, argv);
}

int
elevate_open_files(const char *name, char **argv, const char **ret_file)
{
	static char input[] = "-";
	AEG_AUTOFD int fd = -1;

	if (strcmp(name, "crontab") != 0 || argv[1] == NULL ||
	    argv[1][0] == '-' || argv[2] != NULL)
		return 0;
	*ret_file = argv[1];
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		return -errno;
	argv[1] = input;
	return 0;
}
