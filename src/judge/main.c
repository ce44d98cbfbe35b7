/* SPDX-License-Identifier: ISC */
/*
 * aegsh-judge: the program of aegsh that asks models, and holds their keys.
 * aegsh starts it, with nothing but a socket on descriptor 3; it ends when
 * the socket does.
 */
#include "judge_int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/wire.h"
#include "aegsh/wire_helper.h"

#define HELLO_MS 10000	/* aegsh says it before it starts us */

static int
serve(struct judge *j, struct err *err)
{
	AEG_AUTO(wire_msg_done) struct wire_msg m = WIRE_MSG_INIT;
	struct val_setup s;
	int rc;

	rc = wire_hello(j->fd, VAL_ROLE, HELLO_MS, err);
	if (rc == 0)
		rc = wire_recv(j->fd, HELLO_MS, -1, &m, err);
	if (rc == 0 && (m.type != VAL_FRAME_SETUP || m.n_fds != 0))
		rc = err_set(err, ERR_PROTOCOL, "no set-up");
	if (rc == 0)
		rc = val_setup_unpack(m.body, m.len, &s, err);
	if (rc < 0)
		return rc;
	judge_setup(j, &s);
	if (m.owned != NULL)	/* a key may stand in it */
		explicit_bzero((char *)(uintptr_t)m.body, m.len);
	return judge_loop(j, err);
}

int
main(int argc, char **argv)
{
	struct judge j = { .fd = WIRE_HELPER_FD, .state_fd = -1,
		.host_fd = -1, .cache_fd = -1 };
	struct err err = ERR_INIT;
	int rc = wire_helper_begin("aegsh-judge", "aegsh", argc);

	(void)argv;
	if (rc != 0)
		return rc;
	rc = serve(&j, &err);
	judge_done(&j);
	if (rc == -ENODATA || rc == -EPIPE)	/* aegsh is gone: so be it */
		return 0;
	if (rc < 0)
		fprintf(stderr, "aegsh-judge: %s\n", err.text);
	return rc < 0 ? WIRE_EXIT_SYSTEM : 0;
}
