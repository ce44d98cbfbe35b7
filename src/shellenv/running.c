/* SPDX-License-Identifier: ISC */
/*
 * The shell that runs: the nearest ancestor process that is one, found in
 * /proc.  It may differ from the login shell (fish started inside bash)
 * and from $SHELL.
 */
#include "shellenv_int.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define ANCESTORS_MAX 64
#define CMDLINE_MAX 4096

static ssize_t
read_proc(pid_t pid, const char *name, char *to, size_t size)
{
	char path[64];
	AEG_AUTOFD int fd = -1;
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, to, size - 1);
	if (n >= 0)
		to[n] = '\0';
	return n;
}

/* The parent: the second field after the command's closing parenthesis. */
static pid_t
parent_of(pid_t pid)
{
	char text[1024], *p;
	int ppid;

	if (read_proc(pid, "stat", text, sizeof text) <= 0)
		return 0;
	p = strrchr(text, ')');
	if (p == NULL || sscanf(p + 1, " %*c %d", &ppid) != 1)
		return 0;
	return (pid_t)ppid;
}

/* bash takes its long options behind one dash too; of these the r means
 * nothing. */
static bool
is_long_option(const char *name)
{
	static const char *const names[] = { "debugger", "dump-po-strings",
	    "dump-strings", "noprofile", "norc", "pretty-print", "rcfile",
	    "verbose", "version" };

	return TEXT_AMONG(name, names);
}

/* bash -r, ksh --restricted, zsh -r: an option word before the operands. */
static bool
asks_restriction(const char *cmdline, size_t len)
{
	const char *p = cmdline + strlen(cmdline) + 1;
	const char *end = cmdline + len;

	for (; p < end && p[0] == '-' && p[1] != '\0'; p += strlen(p) + 1) {
		if (strcmp(p, "--restricted") == 0)
			return true;
		if (p[1] == '-' || is_long_option(p + 1))
			continue;
		if (strchr(p, 'r') != NULL)
			return true;
		if (strpbrk(p, "co") != NULL)
			break;
	}
	return false;
}

static bool
look_at(struct shellenv *se, pid_t pid, struct running *ret)
{
	char cmdline[CMDLINE_MAX], exe[PATH_MAX], link[64];
	const struct shell_row *row;
	const char *argv0;
	ssize_t n, len;
	bool restricted;

	len = read_proc(pid, "cmdline", cmdline, sizeof cmdline);
	if (len <= 0)
		return false;
	argv0 = cmdline;
	snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
	n = readlink(link, exe, sizeof exe - 1);
	exe[n > 0 ? n : 0] = '\0';
	/* busybox is many programs, and sh is many shells: argv[0] tells the
	 * applet and the restricted names, the file tells the shell. */
	row = se_shell_by_name(argv0, &restricted);
	if (n > 0 && strcmp(path_base(exe), "busybox") != 0) {
		const struct shell_row *r = se_shell_by_name(exe, NULL);

		if (r->kind == SHELL_OTHER || r->kind == SHELL_NONE)
			return false;
		row = r;
	} else if (n > 0 && strcmp(path_base(argv0), "busybox") == 0) {
		const char *applet = argv0 + strlen(argv0) + 1;

		if (applet >= cmdline + len)
			return false;
		row = se_shell_by_name(applet, NULL);
	}
	if (row->kind == SHELL_OTHER || row->kind == SHELL_NONE)
		return false;
	ret->type = row->name;
	ret->path = n > 0 ? se_strdup(se, exe) : NULL;
	ret->pid = pid;
	ret->login = argv0[0] == '-';
	ret->restricted = restricted || asks_restriction(cmdline, (size_t)len);
	return true;
}

void
se_running_find(struct shellenv *se, struct running *ret)
{
	pid_t pid = getppid();
	int i;

	*ret = (struct running){ .pid = 0 };
	for (i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		if (look_at(se, pid, ret))
			return;
		pid = parent_of(pid);
	}
	if (pid == 1)
		look_at(se, pid, ret);
}
