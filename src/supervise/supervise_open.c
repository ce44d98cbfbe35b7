/* SPDX-License-Identifier: ISC */
/*
 * A program opens a file to read.  What it names is read from its memory: a
 * program that changes that under the supervisor's eyes opens another file
 * than it said, but none of the judged scripts by its name, and what it is
 * up to was judged itself.  Who this is meant for is the one outside, who
 * can change files and not the memory of the interpreter.
 */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/notify.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#ifndef SECCOMP_ADDFD_FLAG_SEND		/* since Linux 5.14 */
#define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#endif

#define RESOLVE_KNOWN (RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS | \
	RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH | RESOLVE_IN_ROOT | \
	RESOLVE_CACHED)

struct call {
	int dirfd;
	uint64_t name;
	uint64_t flags;
	bool in_root;		/* the directory is / to it */
};

static int
read_call(pid_t pid, const struct seccomp_data *d, struct call *ret)
{
	struct open_how how;
	struct iovec to = { &how, sizeof how };
	struct iovec from = { (void *)(uintptr_t)d->args[2], sizeof how };

	ssize_t n;

	ret->dirfd = (int)d->args[0];
	ret->name = d->args[1];
	ret->flags = d->args[2];
	ret->in_root = false;
	if (d->nr == __NR_openat)
		return 0;
	if (d->nr != __NR_openat2) {		/* open(2) */
		ret->dirfd = AT_FDCWD;
		ret->name = d->args[0];
		ret->flags = d->args[1];
		return 0;
	}
	if (d->args[3] < sizeof how)
		return -EINVAL;
	n = process_vm_readv(pid, &to, 1, &from, 1, 0);
	if (n != (ssize_t)sizeof how)
		return n < 0 ? -errno : -EFAULT;
	if ((how.resolve & ~(uint64_t)RESOLVE_KNOWN) != 0)
		return -EINVAL;
	ret->flags = how.flags;
	ret->in_root = (how.resolve & RESOLVE_IN_ROOT) != 0;
	return 0;
}

/* Programs that want a script as the file it is, to carry it elsewhere or
 * to put it under version control, and run nothing of what it says. */
static bool
wants_the_file(pid_t pid)
{
	static const char *const programs[] = { "/usr/bin/cp", "/usr/bin/git",
	    "/usr/bin/install", "/usr/bin/mv", "/usr/bin/rsync",
	    "/usr/bin/tar" };
	char exe[SUP_PATH_MAX];

	if (sup_proc_link(pid, "exe", exe, sizeof exe) <= 0)
		return false;
	return TEXT_AMONG(exe, programs);
}

int
sup_pair(int ret[2])
{
	int room = SUP_FRAME_ROOM, i;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ret) < 0)
		return -errno;
	for (i = 0; i < 2; i++)
		setsockopt(ret[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
	return 0;
}

int
sup_give(const struct sup *s, int fd, uint32_t flags)
{
	struct seccomp_notif_addfd add = {
		.id = s->ask->id,
		.flags = SECCOMP_ADDFD_FLAG_SEND,
		.srcfd = (uint32_t)fd,
		.newfd_flags = flags,
	};

	return ioctl(s->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0 ?
	    -errno : 0;
}

/* The judged bytes become what the call returns. */
static enum sup_answer
hand_out(struct sup *s, const struct sup_script *script, uint64_t flags)
{
	AEG_AUTOFD int fd = sup_script_reopen(script);
	int rc = fd < 0 ? fd : sup_give(s, fd, (uint32_t)flags & O_CLOEXEC);

	if (rc == 0)
		return SUP_ANSWERED;
	s->answer->error = rc;
	return SUP_REFUSE;
}

static enum sup_answer
open_script(struct sup *s, const struct sup_script *script, uint64_t flags)
{
	const struct sup_script *other;
	int rc;

	/* Landlock would say so; but of the file that is there now. */
	if (script->hidden) {
		s->answer->error = -EACCES;
		return SUP_REFUSE;
	}
	rc = sup_rights_compare((pid_t)s->ask->pid, script);
	other = rc == -EBADMSG ? sup_script_other(s->script, s->n, script) :
	    NULL;
	if (rc == 0 || other != NULL)
		return hand_out(s, rc == 0 ? script : other, flags);
	s->answer->error = rc == -EBADMSG ? -EACCES : rc;
	if (rc == -EBADMSG)
		sup_break(s, "%s was changed after it was judged",
		    script->name[0]);
	return SUP_REFUSE;
}

enum sup_answer
sup_open(struct sup *s)
{
	pid_t pid = (pid_t)s->ask->pid;
	AEG_AUTOFREE char *name = NULL, *inside = NULL;
	const struct sup_script *script;
	char said[SUP_PATH_MAX];
	struct call call;
	int rc;

	if (s->n == 0)
		return SUP_CONTINUE;
	rc = read_call(pid, &s->ask->data, &call);
	if (rc == 0 && (call.flags & (O_ACCMODE | O_PATH | O_DIRECTORY)) != 0)
		return SUP_CONTINUE;
	if (rc == 0)
		rc = notify_string(pid, call.name, said, sizeof said);
	s->answer->error = -EACCES;
	if (!sup_is_valid(s))
		return SUP_REFUSE;
	/* What it asks for is nonsense, which the kernel tells it; or it has
	 * shut itself off, as agents and aegsh do, for which its main() had to
	 * run: a program that is so from the start gets no further than
	 * sup_image(). */
	if (rc < 0)
		return SUP_CONTINUE;
	if (!sup_script_may_be(s->script, s->n, path_base(said)))
		return SUP_CONTINUE;
	if (call.in_root)
		inside = path_canon("/", said);
	name = sup_proc_absolute(pid, call.dirfd, inside != NULL ?
	    inside + 1 : said);
	script = name == NULL ? NULL : sup_unit_find(s, name, pid);
	if (script == NULL || wants_the_file(pid))
		return SUP_CONTINUE;
	return open_script(s, script, call.flags);
}
