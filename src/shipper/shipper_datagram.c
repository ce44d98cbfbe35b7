/* SPDX-License-Identifier: ISC */
/*
 * A record a datagram: a syslog socket of this host, the journal, UDP.  The
 * kernel's word that it took one is all that there is; of a socket of this
 * host that means that it waits there for who reads it.
 */
#include "shipper_int.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#define JOURNAL "/run/systemd/journal/socket"

static int
connect_unix(const char *path, struct err *err)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	AEG_AUTOFD int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC |
	    SOCK_NONBLOCK, 0);

	if (fd < 0)
		return err_sys(err, errno, "socket");
	if (strlen(path) >= sizeof to.sun_path)
		return err_sys(err, ENAMETOOLONG, "%s", path);
	memcpy(to.sun_path, path, strlen(path) + 1);
	if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
		return err_sys(err, errno, "%s", path);
	return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static int
connect_udp(const struct ship_sink *s, struct err *err)
{
	const struct addrinfo want = { .ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV };
	struct addrinfo *all = NULL, *i;
	char port[16];
	int rc, fd = -1, error = EHOSTUNREACH;

	snprintf(port, sizeof port, "%u", s->port);
	rc = getaddrinfo(s->host, port, &want, &all);
	if (rc != 0)
		return err_set(err, -EHOSTUNREACH, "%s: %s", s->name,
		    rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
	for (i = all; i != NULL && fd < 0; i = i->ai_next) {
		fd = socket(i->ai_family, i->ai_socktype | SOCK_CLOEXEC |
		    SOCK_NONBLOCK, i->ai_protocol);
		if (fd >= 0 && connect(fd, i->ai_addr, i->ai_addrlen) < 0) {
			error = errno;
			io_close(&fd);
		}
	}
	freeaddrinfo(all);
	return fd < 0 ? err_sys(err, error, "%s", s->name) : fd;
}

static int
open_sink(const struct shipper *s, struct err *err)
{
	AEG_AUTOFREE char *journal = NULL;

	switch (s->sink->kind) {
	case SHIP_UNIX:
		return connect_unix(s->sink->path, err);
	case SHIP_UDP:
		return connect_udp(s->sink, err);
	case SHIP_JOURNAL:
		journal = xasprintf("%s%s", sysdirs()->system, JOURNAL);
		return connect_unix(journal, err);
	case SHIP_NONE:
	case SHIP_TCP:
	case SHIP_TLS:
	case SHIP_OTLP:
	case SHIP_FILE:
		break;
	}
	return err_set(err, -EINVAL, "%s: no datagrams go there",
	    s->sink->name);
}

/* Whole, or not at all; a full queue is waited for. */
static int
send_one(const struct shipper *s, int fd, const struct buf *b, int64_t end_ns,
    struct err *err)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int64_t left;

	for (;;) {
		if (send(fd, b->data, b->len, MSG_NOSIGNAL) >= 0)
			return 0;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN && errno != ENOBUFS)
			return err_sys(err, errno, "%s", s->sink->name);
		left = (end_ns - clock_mono_ns()) / 1000000;
		if (left <= 0)
			return err_set(err, -ETIMEDOUT, "%s: takes nothing",
			    s->sink->name);
		if (poll(&p, 1, left < 100 ? (int)left : 100) < 0 &&
		    errno != EINTR)
			return err_sys(err, errno, "poll");
	}
}

static int
send_item(const struct shipper *s, int fd, const struct ship_batch *b,
    size_t i, int64_t end_ns, struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	struct shipper_item t;
	int rc = shipper_item(s, b, i, &t, err);

	if (rc < 0)
		return rc;
	if (s->sink->kind == SHIP_JOURNAL)
		shipper_journal(&t, &text);
	else
		shipper_syslog(&t, &text);
	shipper_item_done(&t);
	return send_one(s, fd, &text, end_ns, err);
}

void
shipper_to_datagrams(struct shipper *s, const struct ship_batch *b,
    struct ship_taken *ret, struct err *err)
{
	int64_t end_ns = clock_mono_ns() + s->timeout_ms * 1000000;
	AEG_AUTO(buf_done) struct buf head = BUF_INIT;
	AEG_AUTOFD int fd = open_sink(s, err);
	int rc = fd < 0 ? fd : 0;
	size_t i;

	for (i = 0; i < b->n && rc == 0; i++) {
		rc = send_item(s, fd, b, i, end_ns, err);
		if (rc == 0)
			ret->taken++;
	}
	if (rc < 0 || b->n == 0 || s->sink->kind == SHIP_JOURNAL)
		return;
	shipper_syslog_head(s, b, &head);
	(void)send_one(s, fd, &head, end_ns, err);
}
