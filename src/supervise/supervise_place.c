/* SPDX-License-Identifier: ISC */
/*
 * The file that the name of a unix socket means to the process that says it:
 * from its root and its directory, held open without using it.
 */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define HOW (O_PATH | O_CLOEXEC)

static int
open_of(pid_t pid, const char *what)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, what);
	fd = open(path, HOW);
	return fd < 0 ? -EACCES : fd;
}

/* Its mounts and its root are ours, so that its names mean the same here. */
static bool
sees_the_same(pid_t pid, int root)
{
	char its[64], ours[64];
	struct stat there, here;

	return sup_proc_link(pid, "ns/mnt", its, sizeof its) > 0 &&
	    sup_proc_link(getpid(), "ns/mnt", ours, sizeof ours) > 0 &&
	    strcmp(its, ours) == 0 && fstat(root, &there) == 0 &&
	    stat("/", &here) == 0 && there.st_dev == here.st_dev &&
	    there.st_ino == here.st_ino;
}

/* /proc/self is who asks, and not who opens. */
static const char *
without_self(pid_t pid, const char *name, char *buf, size_t size)
{
	static const char self[] = "/proc/self/", thread[] =
	    "/proc/thread-self/";

	if (strncmp(name, self, sizeof self - 1) == 0)
		snprintf(buf, size, "/proc/%d/%s", (int)pid,
		    name + sizeof self - 1);
	else if (strncmp(name, thread, sizeof thread - 1) == 0)
		snprintf(buf, size, "/proc/%d/%s", (int)pid,
		    name + sizeof thread - 1);
	else
		return name;
	return buf;
}

int
sup_place_open(pid_t pid, const char *name)
{
	/* In other mounts, nothing above where it begins, and no name that
	 * leads elsewhere by what the kernel knows of us. */
	const struct open_how how = { .flags = HOW,
		.resolve = RESOLVE_NO_MAGICLINKS | (name[0] == '/' ?
		    RESOLVE_IN_ROOT : RESOLVE_BENEATH) };
	AEG_AUTOFD int root = open_of(pid, "root");
	AEG_AUTOFD int cwd = name[0] == '/' ? -1 : open_of(pid, "cwd");
	char buf[256];
	int fd;

	if (root < 0 || (name[0] != '/' && cwd < 0))
		return -EACCES;
	if (sees_the_same(pid, root))
		fd = openat(name[0] == '/' ? AT_FDCWD : cwd, without_self(pid,
		    name, buf, sizeof buf), HOW);
	else
		fd = (int)syscall(SYS_openat2, name[0] == '/' ? root : cwd,
		    name, &how, sizeof how);
	return fd < 0 ? err_failed() : fd;
}

/* In other mounts a name may be the same and the file another. */
bool
sup_place_name(int fd, char *ret, size_t size, struct supervise_wish *w)
{
	struct stat st, named;
	char link[64];
	ssize_t n;

	snprintf(link, sizeof link, "fd/%d", fd);
	n = sup_proc_link(getpid(), link, ret, size);
	if (n <= 0 || (size_t)n >= size - 1 || ret[0] != '/' ||
	    fstat(fd, &st) < 0 || lstat(ret, &named) < 0 ||
	    st.st_dev != named.st_dev || st.st_ino != named.st_ino)
		return false;
	*w = (struct supervise_wish){ .path = ret, .dev = st.st_dev,
		.ino = st.st_ino };
	return true;
}
