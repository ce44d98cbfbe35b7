/* SPDX-License-Identifier: ISC */
/*
 * Frames between aegsh and its helpers, over a SOCK_SEQPACKET socket pair:
 * one frame is one packet, so that there is no reassembly to get wrong.
 */
#ifndef AEGSH_WIRE_H
#define AEGSH_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aegsh/base/err.h"

#define WIRE_VERSION 1
#define WIRE_BODY_MAX ((size_t)160 * 1024)	/* bytes after the header */
#define WIRE_FDS_MAX 4

struct wire_msg {
	uint32_t type;			/* the protocol's own numbers */
	uint32_t id;			/* pairs an answer with its question */
	const void *body;		/* received: owned by the message */
	size_t len;
	int fds[WIRE_FDS_MAX];		/* -1 where none; received: owned */
	int n_fds;
	void *owned;			/* for wire_msg_done() */
};

#define WIRE_MSG_INIT { .fds = { -1, -1, -1, -1 } }

void wire_msg_done(struct wire_msg *m);

/* Two connected ends, close-on-exec, sized for a whole frame. */
int wire_pair(int ret_fds[2], struct err *err);
/* Both ends say hello with WIRE_VERSION and their role; a mismatch is
 * ERR_PROTOCOL.  Blocks for at most timeout_ms. */
int wire_hello(int fd, const char *role, int timeout_ms, struct err *err);
int wire_send(int fd, const struct wire_msg *m, struct err *err);
/* timeout_ms < 0: wait for ever.  -ETIMEDOUT, -ENODATA (peer is gone),
 * ERR_PROTOCOL, ERR_CANCELLED (cancel_fd became readable; -1: none). */
int wire_recv(int fd, int timeout_ms, int cancel_fd, struct wire_msg *ret,
	struct err *err);
/* SO_PEERCRED. */
int wire_peer(int fd, pid_t *ret_pid, uid_t *ret_uid, struct err *err);

#endif
