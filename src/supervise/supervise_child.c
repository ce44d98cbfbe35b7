/* SPDX-License-Identifier: ISC */
/*
 * The filter that asks the supervisor, and its installation in the process
 * that is about to become a line's bash.
 *
 * It asks about opening a file to read and about set_tid_address(2), which
 * libc calls once in every new image, before main().  The sandbox's own
 * filter stays: where that refuses, nobody is asked.
 */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define NATIVE AUDIT_ARCH_RISCV64
#else
#define NATIVE 0	/* no process is of it: every call is refused */
#endif

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV	/* since Linux 5.19 */
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

/* Such opens give no bytes of a script. */
#define NOT_READING (O_ACCMODE | O_PATH | O_DIRECTORY)

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (field))
#define FIELD(name) offsetof(struct seccomp_data, name)
#define IF_EQUAL(k, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, yes, no)
#define IF_LEAST(k, yes, no) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, k, yes, no)
#define IF_ANY(k, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, k, yes, no)
#define RETURN(k) BPF_STMT(BPF_RET | BPF_K, k)

#ifdef __NR_open
#define NR_OPEN __NR_open
#else
#define NR_OPEN 0x3fffffff	/* there is none */
#endif

/* Where it jumps to is said from the next line on. */
static const struct sock_filter filter[] = {
	/* 0 */ LOAD(FIELD(arch)),
	/* 1 */ IF_EQUAL(NATIVE, 0, 12),
	/* 2 */ LOAD(FIELD(nr)),
	/* 3 */ IF_LEAST(0x40000000, 10, 0),	/* x32 */
	/* 4 */ IF_EQUAL(__NR_openat, 4, 0),
	/* 5 */ IF_EQUAL(NR_OPEN, 5, 0),
	/* 6 */ IF_EQUAL(__NR_openat2, 6, 0),
	/* 7 */ IF_EQUAL(__NR_set_tid_address, 5, 0),
	/* 8 */ RETURN(SECCOMP_RET_ALLOW),
	/* 9 */ LOAD(FIELD(args[2])),
	/* 10 */ BPF_STMT(BPF_JMP | BPF_JA, 1),
	/* 11 */ LOAD(FIELD(args[1])),
	/* 12 */ IF_ANY(NOT_READING, 2, 0),
	/* 13 */ RETURN(SECCOMP_RET_USER_NOTIF),
	/* 14 */ RETURN(SECCOMP_RET_ERRNO | ENOSYS),
	/* 15 */ RETURN(SECCOMP_RET_ALLOW),
};

static int
install(void)
{
	const struct sock_fprog prog = {
		.len = AEG_NELEM(filter),
		.filter = (struct sock_filter *)(uintptr_t)filter,
	};
	unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER |
	    SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
	long fd;

	if (NATIVE == 0)
		return -ENOSYS;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_failed();
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
	if (fd < 0 && errno == EINVAL)
		fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		    SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog);
	return fd >= 0 ? (int)fd : err_failed();
}

int
supervise_child(int fd)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .bytes = { 0 } };
	struct sup_hello hello = { .pid = getpid() };
	struct iovec iov = { &hello, sizeof hello };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes,
	};
	int listener = install(), rc = 0;

	if (listener < 0)
		return listener;
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof listener);
	memcpy(CMSG_DATA(&control.head), &listener, sizeof listener);
	if (sendmsg(fd, &m, MSG_NOSIGNAL) != (ssize_t)sizeof hello)
		rc = -EPIPE;
	close(listener);
	return rc;
}
