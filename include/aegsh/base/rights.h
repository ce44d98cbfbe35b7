/* SPDX-License-Identifier: ISC */
/*
 * Descriptors that go over a socket of AF_UNIX with the bytes of a message
 * (SCM_RIGHTS, unix(7)).
 */
#ifndef AEGSH_BASE_RIGHTS_H
#define AEGSH_BASE_RIGHTS_H

#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

#define RIGHTS_MAX 32		/* descriptors of a message */

/*
 * One message, which a peer that went away makes no signal of; flags are
 * those of sendmsg(2).  n_fds is 0 to RIGHTS_MAX, and the descriptors stay
 * open here.  The bytes that were sent, or -errno.
 */
ssize_t rights_send(int sock, const struct iovec *iov, size_t n_iov,
	int flags, const int *fds, size_t n_fds);
/*
 * One message, and up to *n_fds (at most RIGHTS_MAX) descriptors of it,
 * close-on-exec; *n_fds becomes how many there are.  Its length; 0 at the
 * end; -errno.  All of it or nothing: where it is longer than iov or brings
 * more descriptors than that it is -EMSGSIZE, with anything else than
 * descriptors -EBADMSG, and what came is closed.
 */
ssize_t rights_receive(int sock, const struct iovec *iov, size_t n_iov,
	int flags, int *ret_fds, size_t *n_fds);
/* The first most of those that came with a message, of however many; the
 * rest is closed.  How many came. */
size_t rights_take(struct msghdr *m, int *ret_fds, size_t most);

#endif
