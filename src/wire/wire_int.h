/* SPDX-License-Identifier: ISC */
/* What the files of this room share: the packet as it lies on the socket. */
#ifndef WIRE_INT_H
#define WIRE_INT_H

#include "aegsh/wire.h"

#define WIRE_MAGIC 0x41454757u		/* "AEGW" read from the left */
#define WIRE_TYPE_HELLO 0u		/* the room's own; see wire_hello() */
#define WIRE_ROLE_MAX 32		/* bytes of a role, with the NUL */

struct wire_head {
	uint32_t magic, type, id, len;
};

struct wire_greeting {
	uint32_t version;
	char role[WIRE_ROLE_MAX];	/* filled up with NULs */
};

/* wire_send() and wire_recv() without their opinion of the type. */
int wire_put(int fd, const struct wire_msg *m, struct err *err);
int wire_get(int fd, int timeout_ms, int cancel_fd, struct wire_msg *ret,
	struct err *err);

#endif
