/* SPDX-License-Identifier: ISC */
/*
 * A system call of this process's children that does not return until it is
 * answered: as a disk that stalls holds it.  This process itself must not make
 * it.
 */
#ifndef TESTS_HELD_H
#define TESTS_HELD_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

struct held {
	int listener;
};
#define HELD_INIT { -1 }

/* Of the caller and its children, what is done about that call; as
 * seccomp(2). */
static inline int
held_install(int number, unsigned what, unsigned flags)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct
		    seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, what),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { AEG_NELEM(code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags,
	    &prog);
}

/* A listener to it; -1: no filter can be had here. */
static inline int
held_filter(int number)
{
	return held_install(number, SECCOMP_RET_USER_NOTIF,
	    SECCOMP_FILTER_FLAG_NEW_LISTENER);
}

/* Who makes it is killed; the same. */
static inline bool
held_kills(int number)
{
	return held_install(number, SECCOMP_RET_KILL_PROCESS, 0) == 0;
}

/* False: no filter can be had here. */
static inline bool
held_begin(struct held *h, int number)
{
	h->listener = held_filter(number);
	return h->listener >= 0;
}

/* Waits for one, and answers it: error 0 lets it go on. */
static inline bool
held_answer(const struct held *h, int error)
{
	struct pollfd p = { .fd = h->listener, .events = POLLIN };
	struct seccomp_notif ask = { .id = 0 };
	struct seccomp_notif_resp say = { .error = -error,
		.flags = error == 0 ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0 };

	if (poll(&p, 1, 60000) <= 0 || ioctl(h->listener,
	    SECCOMP_IOCTL_NOTIF_RECV, &ask) < 0)
		return false;
	say.id = ask.id;
	return ioctl(h->listener, SECCOMP_IOCTL_NOTIF_SEND, &say) == 0;
}

/* From now on such calls fail (ENOSYS). */
static inline void
held_end(struct held *h)
{
	close(h->listener);
	h->listener = -1;
}

#endif
