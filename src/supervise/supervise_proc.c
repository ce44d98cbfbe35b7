/* SPDX-License-Identifier: ISC */
/* What the kernel tells of a process that waits for an answer. */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#define STAT_MAX 1024
#define STAT_FIELDS 52		/* of /proc/PID/stat, proc(5) */
#define NAME_MAX_OF_PROC 64

/* /proc/PID/what: printf(3) would take as long as the kernel does for it. */
static const char *
put_name(char ret[NAME_MAX_OF_PROC], pid_t pid, const char *what)
{
	const size_t len = strlen(what);
	unsigned rest = (unsigned)pid;
	char *p = ret + NAME_MAX_OF_PROC - 1 - len;

	/* The longest is fd/ with a number; digits of pid are ten at most. */
	if (len > 32)
		return "";
	memcpy(p, what, len + 1);
	*--p = '/';
	do
		*--p = (char)('0' + rest % 10);
	while ((rest /= 10) != 0);
	p -= strlen("/proc/");
	memcpy(p, "/proc/", strlen("/proc/"));
	return p;
}

ssize_t
sup_proc_link(pid_t pid, const char *what, char *ret, size_t size)
{
	char path[NAME_MAX_OF_PROC];
	ssize_t n;

	n = readlink(put_name(path, pid, what), ret, size - 1);
	if (n < 0)
		return -errno;
	ret[n] = '\0';
	return n;
}

ssize_t
sup_proc_file(pid_t pid, const char *what, char *ret, size_t size)
{
	AEG_AUTOFD int fd = -1;
	char path[NAME_MAX_OF_PROC];
	size_t done = 0;
	ssize_t n;

	fd = open(put_name(path, pid, what), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (done < size && (n = read(fd, ret + done, size - done)) != 0) {
		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
		/* Less than a page, of what the kernel makes at once. */
		if (n > 0 && (size_t)n < SUP_PAGE && done < size)
			break;
	}
	return (ssize_t)done;
}

char *
sup_proc_absolute(pid_t pid, int dirfd, const char *path)
{
	char what[32] = "cwd", dir[SUP_PATH_MAX];

	if (path[0] == '/')
		return path_canon("/", path);
	if (dirfd != AT_FDCWD)
		snprintf(what, sizeof what, "fd/%d", dirfd);
	if (sup_proc_link(pid, what, dir, sizeof dir) <= 0 || dir[0] != '/')
		return NULL;
	return path_canon(dir, path);
}

struct sup_stat
sup_proc_stat(pid_t pid)
{
	char text[STAT_MAX];
	ssize_t len = sup_proc_file(pid, "stat", text, sizeof text - 1);
	uint64_t field[STAT_FIELDS] = { 0 };
	const char *p;
	size_t at;

	if (len <= 0)
		return (struct sup_stat){ .state = '\0' };
	text[len] = '\0';
	/* Its name may hold anything but ends before the last of these; the
	 * third field follows. */
	p = strrchr(text, ')');
	if (p == NULL || p[1] != ' ')
		return (struct sup_stat){ .state = '\0' };
	text[0] = p[2];
	/* None that is looked at below is negative. */
	for (p += 2, at = 3; *p != '\0' && at < STAT_FIELDS; p++)
		if (*p == ' ')
			at++;
		else if (*p >= '0' && *p <= '9')
			field[at] = field[at] * 10 + (uint64_t)(*p - '0');
	return (struct sup_stat){ .state = text[0], .parent = (pid_t)field[4],
		.ticks = field[14] + field[15] + field[16] + field[17],
		.start = field[22], .stack = field[28], .args = field[48],
		.args_end = field[49], .env_end = field[51] };
}

pid_t
sup_proc_leader(pid_t thread)
{
	char text[STAT_MAX];
	const char *p;
	ssize_t n;

	/* It is a thread of the process of its own number. */
	if (syscall(SYS_tgkill, thread, thread, 0) == 0 || errno == EPERM)
		return thread;
	n = sup_proc_file(thread, "status", text, sizeof text - 1);
	text[n > 0 ? n : 0] = '\0';
	/* A name in the first line has its newlines escaped. */
	p = strstr(text, "\nTgid:");
	return p != NULL ? (pid_t)strtol(p + strlen("\nTgid:"), NULL, 10) : 0;
}

bool
sup_proc_no_new_privs(pid_t pid)
{
	AEG_AUTOFREE char *text = xmalloc(SUP_STATUS_MAX + 1);
	ssize_t len = sup_proc_file(pid, "status", text, SUP_STATUS_MAX);

	if (len <= 0)
		return false;
	text[len] = '\0';
	return strstr(text, "\nNoNewPrivs:\t1\n") != NULL;
}
