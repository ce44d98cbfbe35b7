/* SPDX-License-Identifier: ISC */
/* The two doors, from the side of the line. */
#include "supervise_int.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"

static int
knock(unsigned door, int *ret_sock)
{
	AEG_AUTOFD int sock = (int)syscall(SUP_DOOR_CALL, door);
	struct stat st;

	if (sock < 0)
		return errno == EINVAL ? 0 : errno > 0 ? -errno : -EIO;
	if (fstat(sock, &st) < 0 || !S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	*ret_sock = sock;
	sock = -1;
	return 1;
}

int
supervise_knock(int *ret_sock)
{
	return knock(SUP_DOOR, ret_sock);
}

int
supervise_knock_broker(int *ret_sock)
{
	return knock(SUP_DOOR_BROKER, ret_sock);
}
