/* SPDX-License-Identifier: ISC */
/* The filters, run on paper: each program is interpreted for a table of
 * calls, and its answer compared. */
#include "sandbox/sandbox_int.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "aegsh/base/mem.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#define ARCH 0
#endif
#define X32 0x40000000
#define HIGH 0x100000000ULL

static uint32_t
load(const struct seccomp_data *d, uint32_t at)
{
	uint32_t word;

	memcpy(&word, (const char *)d + at, sizeof word);
	return word;
}

/* seccomp(2)'s subset of BPF, as far as libseccomp uses it. */
static uint32_t
run(const struct sock_filter *f, unsigned n, const struct seccomp_data *d)
{
	uint32_t a = 0;
	unsigned pc;

	for (pc = 0; pc < n; pc++) {
		uint32_t k = f[pc].k;
		bool yes;

		switch (f[pc].code) {
		case BPF_LD | BPF_W | BPF_ABS:
			a = load(d, k);
			continue;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= k;
			continue;
		case BPF_JMP | BPF_JA:
			pc += k;
			continue;
		case BPF_RET | BPF_K:
			return k;
		case BPF_JMP | BPF_JEQ | BPF_K:
			yes = a == k;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			yes = a > k;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			yes = a >= k;
			break;
		default:
			return UINT32_MAX;
		}
		pc += yes ? f[pc].jt : f[pc].jf;
	}
	return UINT32_MAX;
}

/* Filters, by letter: strict Default debUgger Root Ports(443) Tcp-only */
struct call {
	const char *what, *refused, *allowed;
	int nr, error;
	uint64_t args[4];
};

static const struct call calls[] = {
	{ "getppid", "", "SDURPT", SYS_getppid, 0, { 0 } },
	{ "TIOCSTI", "SDURPT", "", SYS_ioctl, EPERM, { 0, 0x5412 } },
	{ "TIOCSTI with a high half", "SDURPT", "", SYS_ioctl, EPERM,
	    { 0, HIGH | 0x5412 } },
	{ "TIOCLINUX", "SDURPT", "", SYS_ioctl, EPERM,
	    { 0, HIGH | 0x541c } },
	{ "TCGETS", "", "SDURPT", SYS_ioctl, 0, { 0, 0x5401 } },
	{ "prlimit of oneself", "", "SDURPT", SYS_prlimit64, 0, { 0 } },
	{ "prlimit of another", "SDURPT", "", SYS_prlimit64, EPERM, { 7 } },
	{ "prlimit, high half", "SDURPT", "", SYS_prlimit64, EPERM,
	    { HIGH } },
	{ "setpriority of oneself", "", "SDURPT", SYS_setpriority, 0, { 0 } },
	{ "setpriority of another", "SDUPT", "R", SYS_setpriority, EPERM,
	    { 0, 9 } },
	{ "setpriority of a user", "SDUPT", "R", SYS_setpriority, EPERM,
	    { 2, 0 } },
	{ "ioprio_set of oneself", "", "SDURPT", SYS_ioprio_set, 0, { 1 } },
	{ "ioprio_set of a group", "SDUPT", "R", SYS_ioprio_set, EPERM,
	    { 2 } },
	{ "sched_setaffinity of another", "SDUPT", "R",
	    SYS_sched_setaffinity, EPERM, { 12 } },
	{ "ptrace", "SDRPT", "U", SYS_ptrace, EPERM, { 0 } },
	{ "process_vm_writev", "SDRPT", "U", SYS_process_vm_writev, EPERM,
	    { 0 } },
	{ "pidfd_getfd", "SDURPT", "", 438, EPERM, { 0 } },
	{ "PR_SET_MM", "SDURPT", "", SYS_prctl, EPERM, { PR_SET_MM } },
	{ "PR_SET_MM, high half", "SDURPT", "", SYS_prctl, EPERM,
	    { HIGH | PR_SET_MM } },
	{ "PR_SET_NAME", "", "SDURPT", SYS_prctl, 0, { PR_SET_NAME } },
	{ "unshare files", "", "SDURPT", SYS_unshare, 0, { CLONE_FILES } },
	{ "unshare user and more", "SDURPT", "", SYS_unshare, EPERM,
	    { CLONE_NEWUSER | CLONE_FILES } },
	{ "unshare time", "SDURPT", "", SYS_unshare, EPERM, { 0x80 } },
	{ "clone a thread", "", "SDURPT", SYS_clone, 0, { 0x3d0f00 } },
	{ "clone with SIGCHLD", "", "SDURPT", SYS_clone, 0, { 17 } },
	{ "clone into a pid namespace", "SDURPT", "", SYS_clone, EPERM,
	    { CLONE_NEWPID | 17 } },
	{ "clone3", "SDURPT", "", 435, ENOSYS, { 0 } },
	{ "setns", "SDURPT", "", SYS_setns, EPERM, { 0 } },
	{ "mount", "SDURPT", "", SYS_mount, EPERM, { 0 } },
	{ "move_mount", "SDURPT", "", 429, EPERM, { 0 } },
	{ "mount_setattr", "SDURPT", "", 442, EPERM, { 0 } },
	{ "open_tree_attr", "SDURPT", "", 467, EPERM, { 0 } },
	{ "open_by_handle_at", "SDURPT", "", SYS_open_by_handle_at, EPERM,
	    { 0 } },
	{ "io_uring_setup", "SDURPT", "", 425, EPERM, { 0 } },
	{ "io_uring_enter", "SDURPT", "", 426, EPERM, { 0 } },
	{ "io_uring_register", "SDURPT", "", 427, EPERM, { 0 } },
	{ "bpf", "SDURPT", "", SYS_bpf, EPERM, { 0 } },
	{ "keyctl", "SDURPT", "", SYS_keyctl, EPERM, { 0 } },
	{ "finit_module", "SDURPT", "", SYS_finit_module, EPERM, { 0 } },
	{ "kexec_file_load", "SDURPT", "", SYS_kexec_file_load, EPERM,
	    { 0 } },
	{ "memfd_create", "S", "DURPT", SYS_memfd_create, EPERM, { 0 } },
	{ "sethostname", "LS", "DURPT", SYS_sethostname, EPERM, { 0 } },
	{ "clock_settime", "LS", "DURPT", SYS_clock_settime, EPERM, { 0 } },
	{ "AF_UNIX", "L", "SDURPT", SYS_socket, EACCES,
	    { AF_UNIX, SOCK_STREAM } },
	{ "AF_UNIX datagrams", "L", "SDURPT", SYS_socket, EACCES,
	    { AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC } },
	{ "a pair of sockets", "", "LSDURPT", SYS_socketpair, 0,
	    { AF_UNIX, SOCK_STREAM } },
	{ "AF_NETLINK raw", "", "SDURPT", SYS_socket, 0,
	    { AF_NETLINK, SOCK_RAW } },
	{ "AF_VSOCK", "SDURPT", "", SYS_socket, EAFNOSUPPORT,
	    { 40, SOCK_STREAM } },
	{ "AF_SMC", "SDURPT", "", SYS_socket, EAFNOSUPPORT,
	    { 43, SOCK_STREAM } },
	{ "TCP", "LS", "DURPT", SYS_socket, EACCES, { AF_INET, SOCK_STREAM } },
	{ "TCP, high half", "S", "DURPT", SYS_socket, EACCES,
	    { AF_INET6, SOCK_STREAM | SOCK_CLOEXEC } },
	{ "UDP", "LST", "DURP", SYS_socket, EACCES,
	    { AF_INET, SOCK_DGRAM | SOCK_NONBLOCK } },
	{ "UDP, version 6", "ST", "DURP", SYS_socket, EACCES,
	    { AF_INET6, SOCK_DGRAM } },
	{ "raw IP", "DUPT", "R", SYS_socket, EPERM, { AF_INET, SOCK_RAW } },
	{ "packets", "SDUPT", "R", SYS_socket, EPERM,
	    { AF_PACKET, SOCK_DGRAM } },
	{ "MPTCP", "DURPT", "", SYS_socket, EPROTONOSUPPORT,
	    { AF_INET, SOCK_STREAM, 262 } },
	{ "SCTP", "PT", "DUR", SYS_socket, EPROTONOSUPPORT,
	    { AF_INET, SOCK_STREAM, 132 } },
	{ "fast open", "SDURPT", "", SYS_sendto, EOPNOTSUPP,
	    { 3, 0, 0, 0x20000000 | MSG_NOSIGNAL } },
	{ "fast open by sendmsg", "SDURPT", "", SYS_sendmsg, EOPNOTSUPP,
	    { 3, 0, 0x20000000 } },
	{ "sendto", "", "SDURPT", SYS_sendto, 0, { 3, 0, 0, MSG_NOSIGNAL } },
	{ "truncate", "", "SDURPT", SYS_truncate, 0, { 0 } },
	{ "a mode", "F", "SDURPT", SYS_fchmodat, EPERM, { 0 } },
	{ "a mode, since Linux 6.6", "F", "SDURPT", 452, EPERM, { 0 } },
	{ "an owner", "F", "SDURPT", SYS_fchownat, EPERM, { 0 } },
	{ "a date", "F", "SDURPT", SYS_utimensat, EPERM, { 0 } },
	{ "an attribute", "F", "SDURPT", SYS_fsetxattr, EPERM, { 0 } },
};

static void
setup(char letter, struct sandbox_profile *p)
{
	memset(p, 0, sizeof *p);
	p->connect.all = p->bind.all = p->udp = strchr("DURT", letter) != NULL;
	p->local = true;
	switch (letter) {
	case 'F': p->frozen = true; break;
	case 'L': p->local = false; break;	/* STRICT is zero */
	case 'S': p->filter = SANDBOX_FILTER_STRICT; break;
	case 'D': p->filter = SANDBOX_FILTER_DEFAULT; break;
	case 'U': p->filter = SANDBOX_FILTER_DEBUGGER; break;
	case 'R': p->filter = SANDBOX_FILTER_ROOT; break;
	case 'P':
		p->filter = SANDBOX_FILTER_DEFAULT;
		p->connect.n = 1;
		p->connect.port[0] = 443;
		p->udp = true;
		break;
	default:
		p->filter = SANDBOX_FILTER_DEFAULT;
		p->udp = false;
		p->connect.all = false;
		break;
	}
}

static void
test_filter(char letter)
{
	struct sandbox_profile p;
	struct sock_filter *f;
	struct err err = ERR_INIT;
	unsigned short n = 0;
	size_t i;

	setup(letter, &p);
	if (!OKF(sandbox_seccomp_build(&p, 7, &f, &n, &err) == 0,
	    "%c: builds %s", letter, err.text))
		return;
	OKF(n > 50 && n < SANDBOX_BPF_MAX, "%c: %u instructions", letter, n);
	for (i = 0; i < AEG_NELEM(calls); i++) {
		const struct call *c = &calls[i];
		struct seccomp_data d = { .nr = c->nr, .arch = ARCH };
		uint32_t got;

		memcpy(d.args, c->args, sizeof c->args);
		got = run(f, n, &d);
		if (strchr(c->refused, letter) != NULL)
			OKF(got == (SECCOMP_RET_ERRNO | (uint32_t)c->error),
			    "%c: %s is refused (%x)", letter, c->what, got);
		else if (strchr(c->allowed, letter) != NULL)
			OKF(got == SECCOMP_RET_ALLOW, "%c: %s passes (%x)",
			    letter, c->what, got);
	}
	{
		struct seccomp_data d = { .nr = SYS_getppid | X32,
			.arch = ARCH };

		if (ARCH == AUDIT_ARCH_X86_64)
			OKF(run(f, n, &d) == SECCOMP_RET_KILL_PROCESS,
			    "%c: x32 is killed", letter);
		d.nr = 20;
		d.arch = AUDIT_ARCH_I386;
		OKF(run(f, n, &d) == SECCOMP_RET_KILL_PROCESS,
		    "%c: i386 is killed", letter);
	}
	free(f);
}

/* What the build made is what would be made here. */
static void
test_made(void)
{
	unsigned key, n = 0;

	for (key = 0; key < SANDBOX_FILTER_KEYS; key++) {
		const struct sock_filter *made;
		struct sandbox_profile p;
		struct sock_filter *f;
		unsigned short len, made_len;
		struct err err = ERR_INIT;
		int abi;

		if (!sandbox_filter_profile(key, &p, &abi))
			continue;
		n++;
		if (sandbox_seccomp_build(&p, abi, &f, &len, &err) < 0) {
			OKF(false, "key %u: %s", key, err.text);
			continue;
		}
		OKF(sandbox_filter_find(&p, abi, &made, &made_len) &&
		    made_len == len && memcmp(made, f, len * sizeof *f) == 0,
		    "key %u", key);
		free(f);
	}
	IS_INTN(n, 63, "all but TCP that is both all and none; without unix "
	    "sockets only what has no network either; where files stay as "
	    "they are, what is not root's or a debugger's");
}

static void
test_old_abi(void)
{
	const struct seccomp_data d = { .nr = SYS_truncate, .arch = ARCH };
	struct sandbox_profile p;
	struct sock_filter *f = NULL;
	unsigned short n = 0;

	setup('D', &p);
	IS_INT(sandbox_seccomp_build(&p, 2, &f, &n, NULL), 0);
	IS_INTN(run(f, n, &d), SECCOMP_RET_ERRNO | EACCES,
	    "truncate(2) beside a Landlock that does not see it");
	free(f);
}

int
main(void)
{
	static const char letters[] = "LSDURPTF";
	size_t i;

	if (sandbox_seccomp_arch() == NULL) {
		SKIP(1, "no filter for this architecture");
		return tap_done();
	}
	for (i = 0; i < sandbox_n_rows; i++) {
		const struct sandbox_row *row = &sandbox_rows[i];
		size_t name = strnlen(row->name, sizeof row->name);
		size_t reason = strnlen(row->reason, sizeof row->reason);

		/* Each has its NUL. */
		OKF(name > 0 && name < sizeof row->name && reason > 0 &&
		    reason < sizeof row->reason, "row %zu, %.*s, has a reason",
		    i, (int)name, row->name);
	}
	for (i = 0; letters[i] != '\0'; i++)
		test_filter(letters[i]);
	test_old_abi();
	test_made();
	return tap_done();
}
