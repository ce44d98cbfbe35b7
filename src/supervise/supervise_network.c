/* SPDX-License-Identifier: ISC */
/*
 * A program names an address: connect(2), or a message with one.  It is told
 * as it was when the program asked; what the kernel reads may be another by
 * then, so that this is a record and no boundary.
 */
#include "supervise_int.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

bool
sup_peek(const struct sup *s, uint64_t at, void *to, size_t len)
{
	struct iovec local = { to, len };
	struct iovec remote = { (void *)(uintptr_t)at, len };

	return process_vm_readv((pid_t)s->ask->pid, &local, 1, &remote, 1, 0)
	    == (ssize_t)len;
}

/* Where it lies in the program's memory; false: there is none. */
static bool
find_address(const struct sup *s, uint64_t *ret_at, uint64_t *ret_len)
{
	const struct seccomp_data *d = &s->ask->data;
	struct msghdr m;

	switch (d->nr) {
	case __NR_connect:
		*ret_at = d->args[1];
		*ret_len = d->args[2] & UINT32_MAX;
		break;
	case __NR_sendto:
		*ret_at = d->args[4];
		*ret_len = d->args[5] & UINT32_MAX;
		break;
	default:		/* the first of sendmmsg(2) begins like one */
		if (!sup_peek(s, d->args[1], &m, sizeof m))
			return false;
		*ret_at = (uint64_t)(uintptr_t)m.msg_name;
		*ret_len = m.msg_namelen;
	}
	return *ret_at != 0 && *ret_len >= sizeof(sa_family_t);
}

/* "tcp" or "udp", by a copy of the descriptor. */
static const char *
socket_kind(const struct sup *s)
{
	/* A thread that leads no process has no such descriptor. */
	AEG_AUTOFD int pidfd = (int)syscall(SYS_pidfd_open, sup_proc_leader(
	    (pid_t)s->ask->pid), 0);
	AEG_AUTOFD int fd = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd,
	    pidfd, (int)s->ask->data.args[0], 0);
	int type = 0;
	socklen_t len = sizeof type;

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0)
		return "inet";
	return type == SOCK_STREAM ? "tcp" : type == SOCK_DGRAM ? "udp" :
	    "raw";
}

static void
put_address(const struct sup *s, const union sup_address *a, size_t len,
    struct buf *out)
{
	char text[INET6_ADDRSTRLEN] = "";

	switch (a->any.sa_family) {
	case AF_INET:
		if (len < sizeof a->in)
			return;
		inet_ntop(AF_INET, &a->in.sin_addr, text, sizeof text);
		buf_putf(out, "%s %s:%u", socket_kind(s), text,
		    (unsigned)ntohs(a->in.sin_port));
		return;
	case AF_INET6:
		if (len < offsetof(struct sockaddr_in6, sin6_scope_id))
			return;
		inet_ntop(AF_INET6, &a->in6.sin6_addr, text, sizeof text);
		buf_putf(out, "%s [%s]:%u", socket_kind(s), text,
		    (unsigned)ntohs(a->in6.sin6_port));
		return;
	case AF_UNIX:
		len -= offsetof(struct sockaddr_un, sun_path);
		if (len == 0 || len > sizeof a->local.sun_path)
			return;
		buf_puts(out, "unix ");
		if (a->local.sun_path[0] != '\0')
			len = strnlen(a->local.sun_path, len);
		else
			buf_putc(out, '@');
		text_inert(out, a->local.sun_path + (a->local.sun_path[0] ==
		    '\0'), len - (a->local.sun_path[0] == '\0'), 0);
		return;
	default:
		return;
	}
}

static void
tell(struct sup *s, pid_t pid, const char *text)
{
	struct sup_report head = { .kind = SUP_NETWORK,
		.pid = (int32_t)pid,
		.path_len = (uint32_t)strlen(text) };
	size_t i;

	for (i = 0; i < s->addresses.n; i++)
		if (strcmp(s->addresses.v[i], text) == 0)
			return;
	if (s->addresses.n > SUPERVISE_ADDRESSES_MAX)
		return;
	/* Who asks for a thousand shall not hide the next behind them. */
	if (s->addresses.n == SUPERVISE_ADDRESSES_MAX) {
		text = SUPERVISE_ADDRESSES_MORE;
		head.path_len = (uint32_t)strlen(text);
	}
	strv_add(&s->addresses, text);
	sup_report(s, &head, text, NULL, NULL);
}

enum sup_answer
sup_network(struct sup *s)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(SUP_PATH_MAX);
	union sup_address a;
	uint64_t at, len;

	memset(&a, 0, sizeof a);
	if (!find_address(s, &at, &len))
		return SUP_CONTINUE;
	if (len > sizeof a)
		len = sizeof a;
	if (!sup_peek(s, at, &a, len))
		return SUP_CONTINUE;
	put_address(s, &a, len, &text);
	if (text.len > 0 && !buf_overflow(&text) && sup_is_valid(s)) {
		buf_putc(&text, '\0');
		tell(s, (pid_t)s->ask->pid, text.data);
	}
	return SUP_CONTINUE;
}

void
sup_network_refused(struct sup *s, const struct sup_wish *w)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(SUP_PATH_MAX);
	const sa_family_t family = w->to.any.sa_family;
	const unsigned port = ntohs(w->to.in.sin_port);

	/* The socket is not at hand any more, and of inet it was TCP's. */
	if (family == AF_UNIX)
		put_address(s, &w->to, w->len, &text);
	else if (family == AF_INET || family == AF_INET6)
		buf_putf(&text, "tcp port %u", port);
	if (text.len == 0 || buf_overflow(&text))
		return;
	buf_puts(&text, ": refused");
	buf_putc(&text, '\0');
	tell(s, w->pid, text.data);
}
