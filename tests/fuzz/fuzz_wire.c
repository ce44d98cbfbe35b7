/* SPDX-License-Identifier: ISC */
/* A packet from anybody: taken whole and consistent, or refused. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "wire/wire_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t magic = WIRE_MAGIC;
	struct wire_msg m = WIRE_MSG_INIT;
	int fds[2], rc;
	char *packet;

	if (size < 1 || size > WIRE_BODY_MAX || wire_pair(fds, NULL) != 0)
		return 0;
	/* An odd first byte: with the right magic, so that more is tried. */
	packet = malloc(size + sizeof magic);
	if (packet == NULL)
		abort();
	memcpy(packet, &magic, sizeof magic);
	memcpy(packet + sizeof magic, data + 1, size - 1);
	if (data[0] & 1)
		rc = (int)send(fds[0], packet, size - 1 + sizeof magic, 0);
	else
		rc = (int)send(fds[0], data, size, 0);
	free(packet);
	if (rc >= 0) {
		rc = data[0] & 2 ? wire_hello_recv(fds[1], "judge", 0, -1,
		    NULL) : wire_recv(fds[1], 0, -1, &m, NULL);
		if (rc == 0 && (data[0] & 2) == 0 &&
		    (m.type == WIRE_TYPE_HELLO || m.len > size ||
		    m.n_fds != 0))
			abort();
		wire_msg_done(&m);
	}
	io_close(&fds[0]);
	io_close(&fds[1]);
	return 0;
}
