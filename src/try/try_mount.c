/* SPDX-License-Identifier: ISC */
/*
 * The view of the line, made by process 1 of the new namespaces: first the
 * old root is moved aside, then each point of the plan is put up below /new,
 * then that becomes the root and the old one is let go.
 *
 * Nothing of outside is left but below layers, in files that can only be
 * read, in /sys, which can only be read, and in a few device nodes that are
 * the same for everybody.  Even a named pipe is one of the line's own: a
 * layer has an inode of its own for it.
 */
#include "try_int.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#define NR_mount_setattr 442
#define ATTR_RDONLY 1U			/* MOUNT_ATTR_…, linux/mount.h */
#define ATTR_NOSUID 2U
#define ATTR_NODEV 4U
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif

#define QUIET (MS_NOSUID | MS_NODEV)
#define OLD "/old"
#define NEW "/new"

struct attr {			/* struct mount_attr, linux/mount.h */
	uint64_t set, clear, propagation, userns;
};

static char *
below(const char *root, const char *path)
{
	return xasprintf("%s%s", root, strcmp(path, "/") == 0 ? "" : path);
}

/* /proc is a directory everywhere, and what is moved aside is again what it
 * was. */
static int
move_aside(const struct try *t, struct err *err)
{
	AEG_AUTOFREE char *size = xasprintf("mode=755,size=%llu",
	    (unsigned long long)t->opts.size);

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return err_sys(err, errno, "making mounts private");
	if (mount("aegsh-try", "/proc", "tmpfs", QUIET, size) < 0)
		return err_sys(err, errno, "a file system for the changes");
	if (chdir("/proc") < 0 || mkdir("old", 0755) < 0 ||
	    mkdir("new", 0755) < 0 || mkdir("up", 0700) < 0)
		return err_sys(err, errno, "a place for the changes");
	if (syscall(SYS_pivot_root, ".", "old") < 0 || chdir("/") < 0)
		return err_sys(err, errno, "moving the root directory aside");
	if (mount("aegsh-try", NEW, "tmpfs", QUIET, "mode=755,size=16m") < 0)
		return err_sys(err, errno, "a root directory");
	return 0;
}

static int
open_made(const char *name, mode_t mode)
{
	AEG_AUTOFREE char *path = xasprintf("/up/%s", name);
	int fd;

	if (mkdir(path, 0700) < 0)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fchmod(fd, mode) < 0)
		return -errno;
	return fd;
}

/*
 * Paths in options have their own rules about ":" and "\"; a descriptor's
 * name has none.  Names of extended attributes that an ordinary user's
 * layer may have: userxattr.
 */
static int
put_layer(const struct try *t, size_t i, const char *from, const char *to)
{
	const struct try_point *p = &t->points[i];
	AEG_AUTOFD int lower = open(from, O_PATH | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	AEG_AUTOFD int upper = -1;
	AEG_AUTOFD int work = -1;
	AEG_AUTOFREE char *options = NULL;
	char name[24];
	mode_t mode = p->mode;
	struct stat st;

	if (lower < 0 || fstat(lower, &st) < 0)
		return -errno;
	try_layer_name(name, 'u', i);
	upper = open_made(name, mode | S_IRWXU);
	try_layer_name(name, 'w', i);
	work = open_made(name, 0700);
	if (upper < 0 || work < 0)
		return upper < 0 ? upper : work;
	if (geteuid() == 0 && fchown(upper, st.st_uid, st.st_gid) < 0)
		return -errno;
	options = xasprintf("userxattr,lowerdir=" OLD "/proc/self/fd/%d,"
	    "upperdir=" OLD "/proc/self/fd/%d,workdir=" OLD
	    "/proc/self/fd/%d", lower, upper, work);
	if (mount("aegsh-try", to, "overlay", QUIET, options) < 0)
		return -errno;
	if (mode != (mode | S_IRWXU) && fchmod(upper, mode) < 0)
		return -errno;
	return 0;
}

/* Read-only for good: with all that is mounted below it. */
static int
put_view(const char *from, const char *to, bool recursive)
{
	struct attr attr = { .set = ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV };

	if (mount(from, to, NULL, MS_BIND | (recursive ? MS_REC : 0),
	    NULL) < 0)
		return -errno;
	if (syscall(NR_mount_setattr, AT_FDCWD, to, recursive ? AT_RECURSIVE :
	    0, &attr, sizeof attr) == 0)
		return 0;
	umount2(to, MNT_DETACH);
	return -errno;
}

static void
make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	io_close(&fd);
}

static void
put_point(struct try *t, size_t i)
{
	struct try_point *p = &t->points[i];
	AEG_AUTOFREE char *from = below(OLD, p->path);
	AEG_AUTOFREE char *to = below(NEW, p->path);

	switch (p->what) {
	case TRY_HOLLOW:
	case TRY_ABSENT:
		(void)mkdir(to, p->what == TRY_ABSENT ? 0555 : 0755);
		break;
	case TRY_POINTER:
		if (symlink(p->target, to) < 0)
			p->lost = true;
		break;
	case TRY_VIEW:
		make_file(to);
		p->lost = put_view(from, to, false) < 0;
		break;
	case TRY_LAYER:
		(void)mkdir(to, 0755);
		p->lost = put_layer(t, i, from, to) < 0;
		/* Nothing in its stead that could be mistaken for it. */
		if (p->lost)
			(void)chmod(to, 0555);
		break;
	}
}

static int
bind_node(const char *name, struct err *err)
{
	struct attr attr = { .set = ATTR_RDONLY | ATTR_NOSUID };
	AEG_AUTOFREE char *from = xasprintf(OLD "/dev/%s", name);
	AEG_AUTOFREE char *to = xasprintf(NEW "/dev/%s", name);

	make_file(to);
	/* It is written to all the same; its mode and owner are not root's to
	 * change. */
	if (mount(from, to, NULL, MS_BIND, NULL) < 0 ||
	    syscall(NR_mount_setattr, AT_FDCWD, to, 0, &attr, sizeof attr) < 0)
		return err_sys(err, errno, "/dev/%s", name);
	return 0;
}

/* No terminal, no disk, no log of the kernel; and pseudo-terminals, shared
 * memory and queues of its own. */
static int
put_dev(struct err *err)
{
	static const char *const nodes[] = { "null", "zero", "full", "random",
		"urandom" };
	static const char *const links[][2] = {
		{ "/proc/self/fd", NEW "/dev/fd" },
		{ "fd/0", NEW "/dev/stdin" }, { "fd/1", NEW "/dev/stdout" },
		{ "fd/2", NEW "/dev/stderr" }, { "pts/ptmx", NEW "/dev/ptmx" },
	};
	size_t i;
	int rc = 0;

	if (mkdir(NEW "/dev", 0755) < 0 || mount("aegsh-try", NEW "/dev",
	    "tmpfs", MS_NOSUID, "mode=755,size=1m") < 0)
		return err_sys(err, errno, "/dev");
	for (i = 0; rc == 0 && i < AEG_NELEM(nodes); i++)
		rc = bind_node(nodes[i], err);
	for (i = 0; rc == 0 && i < AEG_NELEM(links); i++)
		if (symlink(links[i][0], links[i][1]) < 0)
			rc = err_sys(err, errno, "%s", links[i][1]);
	if (rc < 0)
		return rc;
	if (mkdir(NEW "/dev/pts", 0755) < 0 || mount("devpts", NEW "/dev/pts",
	    "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666") < 0)
		return err_sys(err, errno, "/dev/pts");
	if (mkdir(NEW "/dev/shm", 0755) < 0 || mount("aegsh-try",
	    NEW "/dev/shm", "tmpfs", QUIET, "mode=1777") < 0)
		return err_sys(err, errno, "/dev/shm");
	if (mkdir(NEW "/dev/mqueue", 0755) < 0 || mount("mqueue",
	    NEW "/dev/mqueue", "mqueue", QUIET | MS_NOEXEC, NULL) < 0)
		return err_sys(err, errno, "/dev/mqueue");
	if (mount(NULL, NEW "/dev", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY |
	    MS_NOSUID, NULL) < 0)
		return err_sys(err, errno, "/dev");
	return 0;
}

/* Only its own processes; nothing there can be set.  Root's uid would do for
 * that, whatever its capabilities are. */
static int
put_proc(struct err *err)
{
	if (mkdir(NEW "/proc", 0755) < 0 || mount("proc", NEW "/proc", "proc",
	    QUIET | MS_NOEXEC | MS_RDONLY, NULL) < 0)
		return err_sys(err, errno, "a /proc of its own");
	if (mkdir(NEW "/sys", 0755) < 0)
		return err_sys(err, errno, "/sys");
	(void)put_view(OLD "/sys", NEW "/sys", true);
	return 0;
}

static int
enter_new(struct err *err)
{
	if (mount(NULL, NEW, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | QUIET,
	    NULL) < 0)
		return err_sys(err, errno, "closing the root directory");
	if (chdir(NEW) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
	    umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return err_sys(err, errno, "entering the root directory");
	return 0;
}

/* Loopback, where what the line itself serves can be reached. */
static void
raise_loopback(void)
{
	AEG_AUTOFD int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq r = { .ifr_flags = IFF_UP };

	memcpy(r.ifr_name, "lo", 3);
	if (fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &r) < 0)
		errno = 0;
}

int
try_mount(struct try *t, int *ret_upper, struct err *err)
{
	AEG_AUTOFD int upper = -1;
	mode_t mask = umask(0);
	size_t i;
	int rc;

	rc = move_aside(t, err);
	for (i = 0; rc == 0 && i < t->n_points; i++)
		put_point(t, i);
	if (rc == 0)
		rc = put_proc(err);
	if (rc == 0)
		rc = put_dev(err);
	if (rc == 0) {
		upper = open("/up", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (upper < 0)
			rc = err_sys(err, errno, "the changes' directory");
	}
	if (rc == 0)
		rc = enter_new(err);
	umask(mask);
	if (rc < 0)
		return rc;
	raise_loopback();
	*ret_upper = upper;
	upper = -1;
	return 0;
}
