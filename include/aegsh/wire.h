/* SPDX-License-Identifier: ISC */
/*
 * Frames between aegsh and its helpers, over a SOCK_SEQPACKET socket pair
 * (unix(7)): one frame is one packet, so that there is no reassembly to get
 * wrong.  Numbers are in the byte order of the machine, which a frame never
 * leaves.
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
	uint32_t type;			/* the protocol's own numbers, not 0 */
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

/* Both ends say hello with WIRE_VERSION and the role, which is the name of
 * their conversation and the same at both; a mismatch is ERR_PROTOCOL.
 * Blocks for at most timeout_ms; the other errors are wire_recv()'s. */
int wire_hello(int fd, const char *role, int timeout_ms, struct err *err);
/* Its two halves, for an end that has no time to wait for the answer. */
int wire_hello_send(int fd, const char *role, struct err *err);
int wire_hello_recv(int fd, const char *role, int timeout_ms, int cancel_fd,
	struct err *err);

/* A whole frame or nothing.  On an O_NONBLOCK descriptor whose peer does
 * not read: -EAGAIN.  -EPIPE: the peer is gone (no signal). */
int wire_send(int fd, const struct wire_msg *m, struct err *err);
/* timeout_ms < 0: wait for ever.  -ETIMEDOUT, -ENODATA (peer is gone),
 * ERR_TOO_LONG (over a cap; nothing was allocated), ERR_PROTOCOL,
 * ERR_CANCELLED (cancel_fd became readable; -1: none; it wins over a frame
 * that is there too).  After ERR_TOO_LONG and ERR_PROTOCOL close fd. */
int wire_recv(int fd, int timeout_ms, int cancel_fd, struct wire_msg *ret,
	struct err *err);

#endif
