/* SPDX-License-Identifier: ISC */
/*
 * Is it a line of this session that listens there?  The kernel tells which
 * sockets are bound to a file (sock_diag(7)).  Those of lines were made by
 * their supervisors, which hand them over and note their numbers where all
 * supervisors of a session see them: so no name is believed, and no process
 * looked into, which some do not allow.
 *
 * The kernel tells 32 bits of the file's number, and another device than
 * stat(2) for some file systems.  Where more than one socket may be meant,
 * all of them must be the session's.
 */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <linux/rtnetlink.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define MATCHES_MAX 64
#define ANSWER_ROOM ((size_t)64 * 1024)
/* As the kernel packs a device. */
#define DEVICE(dev) ((uint32_t)major(dev) << 20 | (uint32_t)minor(dev))

#define MADE_MAX 262144U	/* sockets; then the oldest are forgotten */

static struct {
	uint32_t n;		/* that were made, ever */
	uint32_t socket[MADE_MAX];
} *made;

struct matches {
	uint32_t dev, ino;
	uint32_t socket[2][MATCHES_MAX];	/* by number; and device */
	size_t n[2];
	bool many;
};

static void
note(struct matches *m, size_t which, uint32_t socket)
{
	if (m->n[which] < MATCHES_MAX)
		m->socket[which][m->n[which]++] = socket;
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
		if (vfs.udiag_vfs_ino != m->ino ||
		    d->udiag_state == TCP_ESTABLISHED)
			continue;
		note(m, 0, d->udiag_ino);
		if (vfs.udiag_vfs_dev == m->dev)
			note(m, 1, d->udiag_ino);
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

bool
sup_is_own(dev_t dev, ino_t ino)
{
	struct matches m = { .dev = DEVICE(dev), .ino = (uint32_t)ino };
	size_t which, i;

	if (made == NULL || !find_sockets(&m) || m.many || m.n[0] == 0)
		return false;
	which = m.n[1] > 0;
	for (i = 0; i < m.n[which]; i++)
		if (!was_made(m.socket[which][i]))
			return false;
	return true;
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
