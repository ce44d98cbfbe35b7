/* SPDX-License-Identifier: ISC */
/*
 * The seccomp filter as a table: what a system call is refused for, with
 * which error, when, and why.  Everything else passes.
 *
 * The kernel takes an int or pid_t from the low half of its register, so a
 * comparison for equality masks the high half away; where every value but
 * one is refused the comparison is over the whole register and garbage in
 * its high half is refused with the rest.
 */
#include "sandbox_int.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "aegsh/base/mem.h"

/* Numbers that all architectures share, for headers that lack them. */
enum {
	NR_pidfd_getfd = 438, NR_process_madvise = 440,
	NR_mount_setattr = 442, NR_memfd_secret = 447,
	NR_process_mrelease = 448, NR_fchmodat2 = 452, NR_setxattrat = 463,
	NR_removexattrat = 466, NR_open_tree_attr = 467,
	NR_file_setattr = 469,
};

/* Constants that older headers lack (linux/sched.h, linux/in.h,
 * linux/socket.h, linux/ioprio.h, asm/ioctls.h). */
#define NEW_TIME	0x00000080	/* CLONE_NEWTIME */
#define PROTO_SCTP	132
#define PROTO_SMC	256
#define PROTO_MPTCP	262
#define FAMILY_TIPC	30
#define FAMILY_RDS	21
#define FAMILY_BEYOND	39		/* vsock, kcm, qipcrtr, smc, xdp … */
#define FAST_OPEN	0x20000000	/* MSG_FASTOPEN */
#define IOCTL_STI	0x5412		/* TIOCSTI */
#define IOCTL_LINUX	0x541c		/* TIOCLINUX */
#define IOCTL_CONS	0x541d		/* TIOCCONS */
#define WHO_PROCESS_IO	1		/* IOPRIO_WHO_PROCESS */
#define SOCK_TYPE	0xf		/* SOCK_TYPE_MASK */

#define LOW 0xffffffffULL
#define IS(arg, value)	{ (arg), SCMP_CMP_MASKED_EQ, LOW, (value) }
#define HAS(arg, bit)	{ (arg), SCMP_CMP_MASKED_EQ, (bit), (bit) }
#define NOT(arg, value)	{ (arg), SCMP_CMP_NE, (value), 0 }
#define OVER(arg, value) { (arg), SCMP_CMP_GE, (value), 0 }
#define TYPE(value)	{ 1, SCMP_CMP_MASKED_EQ, SOCK_TYPE, (value) }

#define ARGS(...) \
	sizeof((const struct scmp_arg_cmp[]){ __VA_ARGS__ }) / \
	sizeof(struct scmp_arg_cmp), { __VA_ARGS__ }
#define ANY 0, { { 0 } }

#define NR(call) #call, __NR_##call
#define NEW(call) #call, NR_##call

#define NOT_DEBUGGER	SANDBOX_ROW_NOT_DEBUGGER
#define NOT_ROOT	SANDBOX_ROW_NOT_ROOT
#define RAW_INET	SANDBOX_ROW_RAW_INET
#define STRICT		SANDBOX_ROW_STRICT
#define PORTS		SANDBOX_ROW_PORTS
#define NO_UDP		SANDBOX_ROW_NO_UDP
#define NO_INET		SANDBOX_ROW_NO_INET
#define OLD_ABI		SANDBOX_ROW_OLD_ABI
#define NO_LOCAL	SANDBOX_ROW_NO_LOCAL
#define FROZEN		SANDBOX_ROW_FROZEN
#define NO_MEMFD	SANDBOX_ROW_NO_MEMFD

#define LOOKS "Landlock sees no change of modes, owners and dates"
#define TYPES_IN "types into the terminal as if the person had"
#define OTHERS "limits and priorities of other processes, aegsh among them"
#define TRACING "reading and driving other processes"
#define NAMESPACE "new namespaces give a command privilege to mount and more"
#define MOUNTING "mounts change what the rules' paths mean"
#define RING "its operations pass beside this filter"
#define KERNEL "changes the running kernel"
#define MACHINE "the machine's name and time are nothing for a line"
#define SURFACE "a large attack surface that lines don't need"
#define AROUND_TCP "reaches TCP peers beside Landlock's port rules"
#define RAW "packets beside Landlock's port rules"

const struct sandbox_row sandbox_rows[] = {
	/* the terminal */
	{ NR(ioctl), 0, EPERM, ARGS(IS(1, IOCTL_STI)), TYPES_IN },
	{ NR(ioctl), 0, EPERM, ARGS(IS(1, IOCTL_LINUX)),
	    "pastes a console selection " TYPES_IN },
	{ NR(ioctl), NOT_ROOT, EPERM, ARGS(IS(1, IOCTL_CONS)),
	    "takes the console's output away" },

	/* other processes */
	{ NR(prlimit64), 0, EPERM, ARGS(NOT(0, 0)), OTHERS },
	{ NR(sched_setscheduler), NOT_ROOT, EPERM, ARGS(NOT(0, 0)), OTHERS },
	{ NR(sched_setparam), NOT_ROOT, EPERM, ARGS(NOT(0, 0)), OTHERS },
	{ NR(sched_setattr), NOT_ROOT, EPERM, ARGS(NOT(0, 0)), OTHERS },
	{ NR(sched_setaffinity), NOT_ROOT, EPERM, ARGS(NOT(0, 0)), OTHERS },
	{ NR(setpriority), NOT_ROOT, EPERM, ARGS(NOT(0, 0)), OTHERS },
	{ NR(setpriority), NOT_ROOT, EPERM, ARGS(NOT(1, 0)), OTHERS },
	{ NR(ioprio_set), NOT_ROOT, EPERM, ARGS(NOT(0, WHO_PROCESS_IO)),
	    OTHERS },
	{ NR(ioprio_set), NOT_ROOT, EPERM, ARGS(NOT(1, 0)), OTHERS },
	{ NR(ptrace), NOT_DEBUGGER, EPERM, ANY, TRACING },
	{ NR(process_vm_readv), NOT_DEBUGGER, EPERM, ANY, TRACING },
	{ NR(process_vm_writev), NOT_DEBUGGER, EPERM, ANY, TRACING },
	{ NR(kcmp), NOT_DEBUGGER, EPERM, ANY, TRACING },
	{ NEW(pidfd_getfd), 0, EPERM, ANY, "takes descriptors of others" },
	{ NEW(process_madvise), 0, EPERM, ANY, OTHERS },
	{ NEW(process_mrelease), 0, EPERM, ANY, OTHERS },
	{ NR(prctl), 0, EPERM, ARGS(IS(0, PR_SET_MM)),
	    "fakes the memory layout by which aegsh knows its bash" },

	/* namespaces and mounts */
	{ NR(unshare), 0, EPERM, ARGS(HAS(0, CLONE_NEWNS)), NAMESPACE },
	{ NR(unshare), 0, EPERM, ARGS(HAS(0, CLONE_NEWUSER)), NAMESPACE },
	{ NR(unshare), 0, EPERM, ARGS(HAS(0, CLONE_NEWPID)), NAMESPACE },
	{ NR(unshare), 0, EPERM, ARGS(HAS(0, CLONE_NEWNET)), NAMESPACE },
	{ NR(unshare), 0, EPERM, ARGS(HAS(0, CLONE_NEWIPC)), NAMESPACE },
	{ NR(unshare), 0, EPERM, ARGS(HAS(0, CLONE_NEWUTS)), NAMESPACE },
	{ NR(unshare), 0, EPERM, ARGS(HAS(0, CLONE_NEWCGROUP)), NAMESPACE },
	{ NR(unshare), 0, EPERM, ARGS(HAS(0, NEW_TIME)), NAMESPACE },
	{ NR(clone), 0, EPERM, ARGS(HAS(0, CLONE_NEWNS)), NAMESPACE },
	{ NR(clone), 0, EPERM, ARGS(HAS(0, CLONE_NEWUSER)), NAMESPACE },
	{ NR(clone), 0, EPERM, ARGS(HAS(0, CLONE_NEWPID)), NAMESPACE },
	{ NR(clone), 0, EPERM, ARGS(HAS(0, CLONE_NEWNET)), NAMESPACE },
	{ NR(clone), 0, EPERM, ARGS(HAS(0, CLONE_NEWIPC)), NAMESPACE },
	{ NR(clone), 0, EPERM, ARGS(HAS(0, CLONE_NEWUTS)), NAMESPACE },
	{ NR(clone), 0, EPERM, ARGS(HAS(0, CLONE_NEWCGROUP)), NAMESPACE },
	{ NR(clone3), 0, ENOSYS, ANY,
	    "its flags lie in memory, out of a filter's sight; libc falls "
	    "back to clone" },
	{ NR(setns), 0, EPERM, ANY, "enters namespaces of others" },
	{ NR(mount), 0, EPERM, ANY, MOUNTING },
	{ NR(umount2), 0, EPERM, ANY, MOUNTING },
	{ NR(pivot_root), 0, EPERM, ANY, MOUNTING },
	{ NR(open_tree), 0, EPERM, ANY, MOUNTING },
	{ NR(move_mount), 0, EPERM, ANY, MOUNTING },
	{ NR(fsopen), 0, EPERM, ANY, MOUNTING },
	{ NR(fsconfig), 0, EPERM, ANY, MOUNTING },
	{ NR(fsmount), 0, EPERM, ANY, MOUNTING },
	{ NR(fspick), 0, EPERM, ANY, MOUNTING },
	{ NEW(mount_setattr), 0, EPERM, ANY, MOUNTING },
	{ NEW(open_tree_attr), 0, EPERM, ANY, MOUNTING },
	{ NR(truncate), OLD_ABI, EACCES, ANY,
	    "this kernel's Landlock does not see it" },
	{ NR(open_by_handle_at), 0, EPERM, ANY,
	    "opens files beside their paths, under what covers them" },

	/* files where none may change */
#ifdef __NR_chmod
	{ NR(chmod), FROZEN, EPERM, ANY, LOOKS },
	{ NR(chown), FROZEN, EPERM, ANY, LOOKS },
	{ NR(lchown), FROZEN, EPERM, ANY, LOOKS },
	{ NR(utime), FROZEN, EPERM, ANY, LOOKS },
	{ NR(utimes), FROZEN, EPERM, ANY, LOOKS },
	{ NR(futimesat), FROZEN, EPERM, ANY, LOOKS },
#endif
	{ NR(fchmod), FROZEN, EPERM, ANY, LOOKS },
	{ NR(fchmodat), FROZEN, EPERM, ANY, LOOKS },
	{ NEW(fchmodat2), FROZEN, EPERM, ANY, LOOKS },
	{ NR(fchown), FROZEN, EPERM, ANY, LOOKS },
	{ NR(fchownat), FROZEN, EPERM, ANY, LOOKS },
	{ NR(utimensat), FROZEN, EPERM, ANY, LOOKS },
	{ NR(setxattr), FROZEN, EPERM, ANY, LOOKS },
	{ NR(lsetxattr), FROZEN, EPERM, ANY, LOOKS },
	{ NR(fsetxattr), FROZEN, EPERM, ANY, LOOKS },
	{ NEW(setxattrat), FROZEN, EPERM, ANY, LOOKS },
	{ NR(removexattr), FROZEN, EPERM, ANY, LOOKS },
	{ NR(lremovexattr), FROZEN, EPERM, ANY, LOOKS },
	{ NR(fremovexattr), FROZEN, EPERM, ANY, LOOKS },
	{ NEW(removexattrat), FROZEN, EPERM, ANY, LOOKS },
	{ NEW(file_setattr), FROZEN, EPERM, ANY, LOOKS },

	/* the kernel */
	{ NR(io_uring_setup), 0, EPERM, ANY, RING },
	{ NR(io_uring_enter), 0, EPERM, ANY, RING },
	{ NR(io_uring_register), 0, EPERM, ANY, RING },
	{ NR(bpf), 0, EPERM, ANY, SURFACE },
	{ NR(perf_event_open), 0, EPERM, ANY, SURFACE },
	{ NR(userfaultfd), 0, EPERM, ANY,
	    "stops the kernel in mid-copy: a tool of races" },
	{ NR(add_key), 0, EPERM, ANY, SURFACE },
	{ NR(request_key), 0, EPERM, ANY, SURFACE },
	{ NR(keyctl), 0, EPERM, ANY, SURFACE },
	{ NR(init_module), 0, EPERM, ANY, KERNEL },
	{ NR(finit_module), 0, EPERM, ANY, KERNEL },
	{ NR(delete_module), 0, EPERM, ANY, KERNEL },
	{ NR(kexec_load), 0, EPERM, ANY, KERNEL },
	{ NR(kexec_file_load), 0, EPERM, ANY, KERNEL },
#ifdef __NR_iopl
	{ NR(iopl), 0, EPERM, ANY, KERNEL },
	{ NR(ioperm), 0, EPERM, ANY, KERNEL },
#endif
	{ NR(memfd_create), NO_MEMFD, EPERM, ANY,
	    "runs programs that lie on no path" },
	{ NEW(memfd_secret), STRICT, EPERM, ANY, SURFACE },
	/* root's, to which no path leads */
	{ NR(sethostname), STRICT, EPERM, ANY, MACHINE },
	{ NR(setdomainname), STRICT, EPERM, ANY, MACHINE },
	{ NR(settimeofday), STRICT, EPERM, ANY, MACHINE },
	{ NR(clock_settime), STRICT, EPERM, ANY, MACHINE },
	{ NR(adjtimex), STRICT, EPERM, ANY, MACHINE },
	{ NR(clock_adjtime), STRICT, EPERM, ANY, MACHINE },

	/* the network beside TCP and UDP */
	{ NR(socket), 0, EAFNOSUPPORT, ARGS(OVER(0, FAMILY_BEYOND)),
	    "vsock, smc and other ways past the port rules" },
	{ NR(socket), 0, EAFNOSUPPORT, ARGS(IS(0, FAMILY_TIPC)), SURFACE },
	{ NR(socket), 0, EAFNOSUPPORT, ARGS(IS(0, FAMILY_RDS)), SURFACE },
	{ NR(socket), NOT_ROOT, EPERM, ARGS(IS(0, AF_PACKET)), RAW },
	{ NR(socket), RAW_INET, EPERM,
	    ARGS(IS(0, AF_INET), TYPE(SOCK_RAW)), RAW },
	{ NR(socket), RAW_INET, EPERM,
	    ARGS(IS(0, AF_INET6), TYPE(SOCK_RAW)), RAW },
	{ NR(socket), 0, EPROTONOSUPPORT, ARGS(IS(2, PROTO_MPTCP)),
	    AROUND_TCP },
	{ NR(socket), 0, EPROTONOSUPPORT, ARGS(IS(2, PROTO_SMC)),
	    AROUND_TCP },
	{ NR(socket), PORTS, EPROTONOSUPPORT, ARGS(IS(2, PROTO_SCTP)),
	    AROUND_TCP },
	{ NR(sendto), 0, EOPNOTSUPP, ARGS(HAS(3, FAST_OPEN)), AROUND_TCP },
	{ NR(sendmsg), 0, EOPNOTSUPP, ARGS(HAS(2, FAST_OPEN)), AROUND_TCP },
	{ NR(sendmmsg), 0, EOPNOTSUPP, ARGS(HAS(3, FAST_OPEN)), AROUND_TCP },
	{ NR(socket), NO_UDP, EACCES,
	    ARGS(IS(0, AF_INET), TYPE(SOCK_DGRAM)), "udp = none" },
	{ NR(socket), NO_UDP, EACCES,
	    ARGS(IS(0, AF_INET6), TYPE(SOCK_DGRAM)), "udp = none" },
	{ NR(socket), NO_INET, EACCES, ARGS(IS(0, AF_INET)), "no network" },
	{ NR(socket), NO_INET, EACCES, ARGS(IS(0, AF_INET6)), "no network" },
	/* A pair of them (socketpair) leads nowhere. */
	{ NR(socket), NO_LOCAL, EACCES, ARGS(IS(0, AF_UNIX)), "unix = none" },
};

const size_t sandbox_n_rows = AEG_NELEM(sandbox_rows);

static bool
none(const struct sandbox_ports *ports)
{
	return !ports->all && ports->n == 0;
}

unsigned
sandbox_filter_key(const struct sandbox_profile *p, int abi)
{
	bool no_tcp = none(&p->connect) && none(&p->bind);

	return (unsigned)p->filter | (no_tcp ? 4U : 0) |
	    (p->connect.all ? 8U : 0) | (p->udp ? 16U : 0) |
	    (abi < 3 ? 32U : 0) | (p->local ? 0 : 64U) |
	    (p->frozen ? 128U : 0) | (p->no_shells && p->filter !=
	    SANDBOX_FILTER_STRICT ? 256U : 0);
}

bool
sandbox_filter_profile(unsigned key, struct sandbox_profile *ret,
    int *ret_abi)
{
	memset(ret, 0, sizeof *ret);
	ret->filter = (enum sandbox_filter)(key & 3);
	ret->connect.all = (key & 8) != 0;
	ret->bind.all = (key & 4) == 0;
	ret->udp = (key & 16) != 0;
	ret->local = (key & 64) == 0;
	ret->frozen = (key & 128) != 0;
	*ret_abi = (key & 32) != 0 ? 1 : 3;
	if (!ret->local && (ret->filter != SANDBOX_FILTER_STRICT ||
	    ret->connect.all || ret->bind.all || ret->udp))
		return false;
	if (ret->frozen && (ret->filter == SANDBOX_FILTER_DEBUGGER ||
	    ret->filter == SANDBOX_FILTER_ROOT || *ret_abi < 3))
		return false;
	return sandbox_filter_key(ret, *ret_abi) == key;
}

bool
sandbox_row_holds(const struct sandbox_row *row,
    const struct sandbox_profile *p, int abi)
{
	bool no_tcp = none(&p->connect) && none(&p->bind);
	bool root = p->filter == SANDBOX_FILTER_ROOT;

	if (row->when & SANDBOX_ROW_NOT_DEBUGGER)
		return p->filter != SANDBOX_FILTER_DEBUGGER;
	if (row->when & SANDBOX_ROW_NOT_ROOT)
		return !root;
	/* Where all of a family is refused, so is this: libseccomp takes no
	 * second action for a part of what it has one for. */
	if (row->when & SANDBOX_ROW_RAW_INET)
		return !root && (p->udp || !no_tcp);
	if (row->when & SANDBOX_ROW_STRICT)
		return p->filter == SANDBOX_FILTER_STRICT;
	if (row->when & SANDBOX_ROW_NO_MEMFD)
		return p->filter == SANDBOX_FILTER_STRICT || p->no_shells;
	if (row->when & SANDBOX_ROW_NO_INET)
		return no_tcp && !p->udp;
	if (row->when & SANDBOX_ROW_NO_UDP)
		return !no_tcp && !p->udp;
	if (row->when & SANDBOX_ROW_FROZEN)
		return p->frozen;
	if (row->when & SANDBOX_ROW_NO_LOCAL)
		return !p->local;
	if (row->when & SANDBOX_ROW_PORTS)
		return !p->connect.all;
	if (row->when & SANDBOX_ROW_OLD_ABI)
		return abi < 3;
	return true;
}
