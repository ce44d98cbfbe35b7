/* SPDX-License-Identifier: ISC */
/*
 * The filter that asks the supervisor, and its installation in the process
 * that is about to become a line's bash.
 *
 * It asks, as far as the line needs it, about starting a program, and about
 * set_tid_address(2), which libc calls once in every new image, before main(),
 * and sched_getaffinity(2), which the runtime of Go calls there and others
 * hardly; about opening a file to read, about new processes and their end.  The
 * sandbox's own filter stays: where that refuses, nobody is asked.
 */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/notify.h"
#include "aegsh/base/rights.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV	/* since Linux 5.19 */
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

/* Such opens give no bytes of a script. */
#define NOT_READING (O_ACCMODE | O_PATH | O_DIRECTORY)


/* A flag that unix sockets know nothing of: with it the child's own first
 * message, which brings the listener, is not asked about. */
#define HELLO MSG_CONFIRM

#define ASK SECCOMP_RET_USER_NOTIF
#define FAIL(error) (SECCOMP_RET_ERRNO | (error))

struct filter {
	struct sock_filter row[SUP_FILTER_MAX];
	unsigned short n;
};

static void
add(struct filter *f, struct sock_filter row)
{
	f->row[f->n++] = row;
}

/* The number of the call is loaded and stays so where it is another. */
static void
add_call(struct filter *f, unsigned nr, unsigned verdict)
{
	add(f, (struct sock_filter)NOTIFY_EQUAL(nr, 0, 1));
	add(f, (struct sock_filter)NOTIFY_RETURN(verdict));
}

/* Only where an argument has one of these bits, or none of them. */
static void
add_bits(struct filter *f, unsigned nr, size_t arg, unsigned bits,
    unsigned with, unsigned without)
{
	add(f, (struct sock_filter)NOTIFY_EQUAL(nr, 0, 4));
	add(f, (struct sock_filter)NOTIFY_LOAD((unsigned)arg));
	add(f, (struct sock_filter)NOTIFY_ANY(bits, 0, 1));
	add(f, (struct sock_filter)NOTIFY_RETURN(with));
	add(f, (struct sock_filter)NOTIFY_RETURN(without));
}

static void
add_reads(struct filter *f)
{
	add_bits(f, __NR_openat, NOTIFY_FIELD(args[2]), NOT_READING,
	    SECCOMP_RET_ALLOW, ASK);
#ifdef __NR_open
	add_bits(f, __NR_open, NOTIFY_FIELD(args[1]), NOT_READING,
	    SECCOMP_RET_ALLOW, ASK);
#endif
	add_call(f, __NR_openat2, ASK);
}

/* Where an aegsh inside the line knocks (supervise_inner.c), or who wants to
 * be another user (supervise_broker.c). */
static void
add_door(struct filter *f)
{
	add(f, (struct sock_filter)NOTIFY_EQUAL(SUP_DOOR_CALL, 0, 5));
	add(f, (struct sock_filter)NOTIFY_LOAD(NOTIFY_FIELD(args[0])));
	add(f, (struct sock_filter)NOTIFY_EQUAL(SUP_DOOR, 1, 0));
	add(f, (struct sock_filter)NOTIFY_EQUAL(SUP_DOOR_BROKER, 0, 1));
	add(f, (struct sock_filter)NOTIFY_RETURN(ASK));
	add(f, (struct sock_filter)NOTIFY_RETURN(SECCOMP_RET_ALLOW));
}

/* A unix socket for datagrams sends to any name without being connected; to
 * the kernel a raw one is the same.  Type: below 16. */
static void
add_datagrams(struct filter *f, unsigned nr, unsigned others)
{
	add(f, (struct sock_filter)NOTIFY_EQUAL(nr, 0, 9));
	add(f, (struct sock_filter)NOTIFY_LOAD(NOTIFY_FIELD(args[0])));
	add(f, (struct sock_filter)NOTIFY_EQUAL(AF_UNIX, 1, 0));
	add(f, (struct sock_filter)NOTIFY_RETURN(SECCOMP_RET_ALLOW));
	add(f, (struct sock_filter)NOTIFY_LOAD(NOTIFY_FIELD(args[1])));
	add(f, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf));
	add(f, (struct sock_filter)NOTIFY_EQUAL(SOCK_STREAM, 2, 0));
	add(f, (struct sock_filter)NOTIFY_EQUAL(SOCK_SEQPACKET, 1, 0));
	add(f, (struct sock_filter)NOTIFY_RETURN(FAIL(EACCES)));
	add(f, (struct sock_filter)NOTIFY_RETURN(others));
}

/* Threads are no processes.  A child that is made its parent's sibling
 * (CLONE_PARENT) would be aegsh's where the line's bash makes it, below nobody
 * of the line: the kernel refuses that to an init in the same way.  The flags
 * of clone3(2) lie in memory, where they could change after they were looked
 * at; libc takes clone(2) then. */
static void
add_spawns(struct filter *f, unsigned verdict)
{
#ifdef __NR_fork
	if (verdict != SECCOMP_RET_ALLOW) {
		add_call(f, __NR_fork, verdict);
		add_call(f, __NR_vfork, verdict);
	}
#endif
	add_call(f, __NR_clone3, FAIL(ENOSYS));
	add(f, (struct sock_filter)NOTIFY_EQUAL(__NR_clone, 0, 6));
	add(f, (struct sock_filter)NOTIFY_LOAD(NOTIFY_FIELD(args[0])));
	add(f, (struct sock_filter)NOTIFY_ANY(CLONE_PARENT, 0, 1));
	add(f, (struct sock_filter)NOTIFY_RETURN(FAIL(EINVAL)));
	add(f, (struct sock_filter)NOTIFY_ANY(CLONE_THREAD, 0, 1));
	add(f, (struct sock_filter)NOTIFY_RETURN(SECCOMP_RET_ALLOW));
	add(f, (struct sock_filter)NOTIFY_RETURN(verdict));
}

static void
make_filter(struct filter *f, uint32_t asks)
{
	/* Calls that would get past it: all the same to the door. */
	const unsigned foreign = asks != 0 ? FAIL(ENOSYS) : SECCOMP_RET_ALLOW;

	f->n = 0;
	add(f, (struct sock_filter)NOTIFY_LOAD(NOTIFY_FIELD(arch)));
	add(f, (struct sock_filter)NOTIFY_EQUAL(NOTIFY_NATIVE, 1, 0));
	add(f, (struct sock_filter)NOTIFY_RETURN(foreign));
	add(f, (struct sock_filter)NOTIFY_LOAD(NOTIFY_FIELD(nr)));
	/* x32 */
	add(f, (struct sock_filter)NOTIFY_LEAST(0x40000000, 0, 1));
	add(f, (struct sock_filter)NOTIFY_RETURN(foreign));
	add_door(f);
	if (asks & SUP_ASKS_IMAGES) {
		add_call(f, __NR_set_tid_address, ASK);
		add_call(f, __NR_sched_getaffinity, ASK);
	}
	if (asks & SUP_ASKS_READS)
		add_reads(f);
	if (asks & SUP_ASKS_STARTS) {
		add_call(f, __NR_execve, ASK);
		add_call(f, __NR_execveat, ASK);
	}
	if (asks != 0)
		add_spawns(f, asks & SUP_ASKS_SPAWNS ? ASK :
		    SECCOMP_RET_ALLOW);
	if (asks & SUP_ASKS_CONNECTS) {
		add_datagrams(f, __NR_socket, ASK);
		add_datagrams(f, __NR_socketpair, SECCOMP_RET_ALLOW);
	}
	if (asks & (SUP_ASKS_NETWORK | SUP_ASKS_CONNECTS))
		add_call(f, __NR_connect, ASK);
	if (asks & SUP_ASKS_NETWORK) {
		add_call(f, __NR_sendto, ASK);
		add_bits(f, __NR_sendmsg, NOTIFY_FIELD(args[2]), HELLO,
		    SECCOMP_RET_ALLOW, ASK);
		add_call(f, __NR_sendmmsg, ASK);
	}
	if (asks & SUP_ASKS_ENDS) {
		add_call(f, __NR_exit_group, ASK);
		add_call(f, __NR_exit, ASK);	/* the last thread's too */
	}
	add(f, (struct sock_filter)NOTIFY_RETURN(SECCOMP_RET_ALLOW));
}

#define FLAGS_OLD ((unsigned long)SECCOMP_FILTER_FLAG_NEW_LISTENER)

/* A call whose program has a handler that interrupts calls would fail with
 * EINTR where a signal comes while it waits for its answer.  Those of new
 * images have none yet; for others the kernel waits once more, which takes a
 * switch of processes each time. */
static unsigned long
best_flags(uint32_t asks)
{
	return asks & (SUP_ASKS_READS | SUP_ASKS_SPAWNS | SUP_ASKS_ENDS |
	    SUP_ASKS_NETWORK | SUP_ASKS_CONNECTS) ?
	    FLAGS_OLD | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV : FLAGS_OLD;
}

size_t
sup_filter(uint32_t asks, struct sock_filter *ret, unsigned long ret_flags[2])
{
	struct filter f;

	if (NOTIFY_NATIVE == 0)
		return 0;
	make_filter(&f, asks);
	memcpy(ret, f.row, f.n * sizeof f.row[0]);
	ret_flags[0] = best_flags(asks);
	ret_flags[1] = FLAGS_OLD;
	return f.n;
}

static int
install(uint32_t asks)
{
	struct filter f;
	struct sock_fprog prog = { .filter = f.row };
	long fd;

	if (NOTIFY_NATIVE == 0)
		return -ENOSYS;
	make_filter(&f, asks);
	prog.len = f.n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_failed();
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, best_flags(asks),
	    &prog);
	if (fd < 0 && errno == EINVAL)
		fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, FLAGS_OLD,
		    &prog);
	return fd >= 0 ? (int)fd : err_failed();
}

int
sup_send_asks(int sock, const struct sup_asks *asks, int procs)
{
	struct sup_asks copy = *asks;
	const struct iovec iov = { &copy, sizeof copy };
	ssize_t n = rights_send(sock, &iov, 1, 0, &procs, procs >= 0);

	return n < 0 ? (int)n : n == (ssize_t)sizeof copy ? 0 : -EMSGSIZE;
}

/* Into the line's group, with all that it will start.  Where that fails the
 * supervisor finds it outside, and counts alone. */
static void
enter_group(int procs)
{
	(void)io_write_full(procs, "0", 1);
	close(procs);
}

static int
take_asks(int fd, struct sup_asks *ret)
{
	const struct iovec iov = { ret, sizeof *ret };
	size_t n = 1;
	int procs;

	if (rights_receive(fd, &iov, 1, MSG_DONTWAIT, &procs, &n) !=
	    (ssize_t)sizeof *ret)
		return -EPIPE;
	if (n > 0)
		enter_group(procs);
	return 0;
}

int
supervise_child(int fd)
{
	char hello = 0;
	const struct iovec iov = { &hello, 1 };
	struct sup_asks asks;
	int listener, rc = take_asks(fd, &asks);

	if (rc < 0)
		return rc;
	listener = install(asks.calls);
	/* Then no aegsh inside can be heard, and each refuses to work. */
	if (listener < 0)
		return asks.calls != 0 ? listener : 0;
	if (rights_send(fd, &iov, 1, HELLO, &listener, 1) != 1)
		rc = -EPIPE;
	close(listener);
	return rc;
}
