/* SPDX-License-Identifier: ISC */
/* Hello: two builds that do not fit together part before anything else. */
#include "aegsh/wire.h"

#include <errno.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#include "wire_int.h"

int
wire_hello_send(int fd, const char *role, struct err *err)
{
	struct wire_greeting g = { .version = WIRE_VERSION };
	struct wire_msg m = WIRE_MSG_INIT;

	if (strlen(role) >= sizeof g.role)
		return err_set(err, -EINVAL, "role '%s' is too long", role);
	memcpy(g.role, role, strlen(role));
	m.type = WIRE_TYPE_HELLO;
	m.body = &g;
	m.len = sizeof g;
	return wire_put(fd, &m, err);
}

int
wire_hello_recv(int fd, const char *role, int timeout_ms, int cancel_fd,
    struct err *err)
{
	AEG_AUTO(wire_msg_done) struct wire_msg m = WIRE_MSG_INIT;
	struct wire_greeting g, want = { .version = WIRE_VERSION };
	int rc;

	if (strlen(role) >= sizeof want.role)
		return err_set(err, -EINVAL, "role '%s' is too long", role);
	memcpy(want.role, role, strlen(role));
	rc = wire_get(fd, timeout_ms, cancel_fd, &m, err);
	if (rc < 0)
		return rc;
	if (m.type != WIRE_TYPE_HELLO || m.id != 0 || m.n_fds != 0 ||
	    m.len != sizeof g)
		return err_set(err, ERR_PROTOCOL, "the peer says no hello");
	memcpy(&g, m.body, sizeof g);
	if (g.version != want.version)
		return err_set(err, ERR_PROTOCOL,
		    "the peer speaks version %u of the protocol, not %d",
		    g.version, WIRE_VERSION);
	if (memcmp(g.role, want.role, sizeof g.role) != 0)
		return err_set(err, ERR_PROTOCOL,
		    "the peer is not here for '%s'", role);
	return 0;
}

int
wire_hello(int fd, const char *role, int timeout_ms, struct err *err)
{
	int rc;

	rc = wire_hello_send(fd, role, err);
	return rc < 0 ? rc : wire_hello_recv(fd, role, timeout_ms, -1, err);
}
