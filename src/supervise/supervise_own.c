/* SPDX-License-Identifier: ISC */
/*
 * Is it a line of this session that listens there?  The kernel tells which
 * sockets are bound to a file (sock_diag(7)).  Those of lines were made by
 * their supervisors, which hand them over and note their numbers where all
 * supervisors of a session see them: so no name is believed, and no process
 * looked into, which some do not allow.
 *
 * The kernel tells 32 bits of the file's number and the device of the whole
 * file system, of which stat(2) says another for parts of some: that is asked
 * from the list of mounts.  Where more than one socket may be meant, all of
 * them must be the session's; and since what comes and goes while sockets are
 * listed may hide one, they are listed more than once.
 */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <linux/rtnetlink.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define MATCHES_MAX 64
#define ANSWER_ROOM ((size_t)64 * 1024)
#define LISTINGS 3
/* As the kernel packs a device. */
#define DEVICE(major, minor) ((uint32_t)(major) << 20 | (uint32_t)(minor))

#define MADE_MAX 262144U	/* sockets; then the oldest are forgotten */

static struct {
	uint32_t n;		/* that were made, ever */
	uint32_t socket[MADE_MAX];
} *made;

struct matches {
	uint32_t dev, ino;
	uint32_t socket[MATCHES_MAX];
	size_t n;
	bool many;
};

static void
note(struct matches *m, uint32_t socket)
{
	if (m->n < MATCHES_MAX)
		m->socket[m->n++] = socket;
	else
		m->many = true;
}

static void
look_at(struct matches *m, const struct nlmsghdr *h)
{
	const struct unix_diag_msg *d = NLMSG_DATA(h);
	unsigned left = h->nlmsg_len - (unsigned)NLMSG_LENGTH(sizeof *d);
	const struct rtattr *a = (const void *)((const char *)d +
	    NLMSG_ALIGN(sizeof *d));
	struct unix_diag_vfs vfs;

	if (h->nlmsg_len < NLMSG_LENGTH(sizeof *d))
		return;
	for (; RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		if (a->rta_type != UNIX_DIAG_VFS ||
		    RTA_PAYLOAD(a) < sizeof vfs)
			continue;
		memcpy(&vfs, RTA_DATA(a), sizeof vfs);
		/* Those that were accepted there have its name, too. */
		if (vfs.udiag_vfs_ino == m->ino &&
		    vfs.udiag_vfs_dev == m->dev &&
		    d->udiag_state != TCP_ESTABLISHED)
			note(m, d->udiag_ino);
	}
}

static bool
ask(int fd)
{
	const struct {
		struct nlmsghdr head;
		struct unix_diag_req req;
	} ask = {
		.head = { .nlmsg_len = sizeof ask,
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.req = { .sdiag_family = AF_UNIX, .udiag_states = ~0U,
			.udiag_show = UDIAG_SHOW_VFS },
	};

	return fd >= 0 && send(fd, &ask, sizeof ask, 0) ==
	    (ssize_t)sizeof ask;
}

static bool
find_sockets(struct matches *m)
{
	AEG_AUTOFD int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
	    NETLINK_SOCK_DIAG);
	AEG_AUTOFREE char *room = xmalloc(ANSWER_ROOM);
	const struct nlmsghdr *h;
	ssize_t n;

	if (!ask(fd))
		return false;
	for (;;) {
		n = recv(fd, room, ANSWER_ROOM, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		for (h = (const void *)room; NLMSG_OK(h, (size_t)n);
		    h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_type == NLMSG_DONE)
				return true;
			if (h->nlmsg_type == NLMSG_ERROR)
				return false;
			look_at(m, h);
		}
	}
}

static bool
was_made(uint32_t socket)
{
	const uint32_t n = __atomic_load_n(&made->n, __ATOMIC_ACQUIRE);
	uint32_t i;

	for (i = 0; i < n && i < MADE_MAX; i++)
		if (made->socket[i] == socket)
			return true;
	return false;
}

/* The number of the mount that it was opened in, or -1. */
static int
mount_of(int file)
{
	char what[32], text[512];
	const char *p;
	ssize_t len;

	snprintf(what, sizeof what, "fdinfo/%d", file);
	len = sup_proc_file(getpid(), what, text, sizeof text - 1);
	text[len > 0 ? len : 0] = '\0';
	p = strstr(text, "mnt_id:");
	return p != NULL ? (int)strtol(p + strlen("mnt_id:"), NULL, 10) : -1;
}

/* Of the whole file system. */
static uint32_t
device_of(pid_t asker, int file, dev_t said)
{
	const int want = mount_of(file);
	uint32_t dev = DEVICE(major(said), minor(said));
	AEG_AUTOFREE char *line = NULL;
	unsigned from, to;
	char path[64];
	size_t size = 0;
	int mount, above;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/mountinfo", (int)asker);
	f = fopen(path, "re");
	while (f != NULL && getline(&line, &size, f) > 0)
		if (sscanf(line, "%d %d %u:%u ", &mount, &above, &from,
		    &to) == 4 && mount == want)
			dev = DEVICE(from, to);
	if (f != NULL)
		fclose(f);
	return dev;
}

bool
sup_is_own(pid_t asker, int file, const struct supervise_wish *w)
{
	struct matches m = { .dev = device_of(asker, file, w->dev),
		.ino = (uint32_t)w->ino };
	size_t i;

	for (i = 0; i < LISTINGS; i++)
		if (made == NULL || !find_sockets(&m) || m.many)
			return false;
	for (i = 0; i < m.n; i++)
		if (!was_made(m.socket[i]))
			return false;
	return m.n > 0;
}

/* ---- making them --------------------------------------------------------- */

int
sup_own_begin(void)
{
	void *map;

	if (made != NULL)
		return 0;
	map = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED |
	    MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return -errno;
	made = map;
	return 0;
}

enum sup_answer
sup_socket(struct sup *s)
{
	const int type = (int)s->ask->data.args[1];
	AEG_AUTOFD int fd = socket(AF_UNIX, type | SOCK_CLOEXEC,
	    (int)s->ask->data.args[2]);
	struct stat st;
	uint32_t at;
	int rc = fd < 0 || fstat(fd, &st) < 0 ? -errno : 0;

	if (rc == 0) {
		/* Supervisors of several lines write here; the place is
		 * written before anybody can listen. */
		at = __atomic_fetch_add(&made->n, 1, __ATOMIC_ACQ_REL);
		__atomic_store_n(&made->socket[at % MADE_MAX],
		    (uint32_t)st.st_ino, __ATOMIC_RELEASE);
		rc = sup_give(s, fd, (type & SOCK_CLOEXEC) != 0 ? O_CLOEXEC :
		    0);
	}
	s->answer->error = rc;
	return rc == 0 ? SUP_ANSWERED : SUP_REFUSE;
}
