/* SPDX-License-Identifier: ISC */
/*
 * What a confined command might try, each by one system call or a few, and
 * undone where it worked.  0, or the errno it was refused with.
 */
#include "sandbox_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"

#define HIGH_HALF 0x100000000UL		/* which the kernel drops */
#define NR_PIDFD_GETFD 438		/* on every architecture */
#define PROTO_MPTCP 262
#define FAMILY_VSOCK 40
#define WHO_PROCESS_IO 1		/* linux/ioprio.h */

/* ---- files: s->dir with "file", "program" and "folder" in it ------------- */

static int
try_open(const char *path, int flags)
{
	int fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static const char *
in(const struct sandbox_site *s, const char *name, char path[SANDBOX_SITE])
{
	snprintf(path, SANDBOX_SITE, "%s/%s", s->dir, name);
	return path;
}

int
sandbox_act_read(const struct sandbox_site *s)
{
	char path[SANDBOX_SITE];

	return try_open(in(s, "file", path), O_RDONLY);
}

int
sandbox_act_write(const struct sandbox_site *s)
{
	char path[SANDBOX_SITE];

	return try_open(in(s, "file", path), O_WRONLY);
}

int
sandbox_act_truncate(const struct sandbox_site *s)
{
	char path[SANDBOX_SITE];

	return truncate(in(s, "file", path), 0) < 0 ? errno : 0;
}

static int
create(const char *path)
{
	int rc = try_open(path, O_WRONLY | O_CREAT | O_EXCL);

	if (rc == 0)
		unlink(path);
	return rc;
}

int
sandbox_act_create(const struct sandbox_site *s)
{
	char path[SANDBOX_SITE];

	return create(in(s, "new", path));
}

int
sandbox_act_directory(const struct sandbox_site *s)
{
	char path[SANDBOX_SITE];

	if (mkdir(in(s, "new", path), 0700) < 0)
		return errno;
	rmdir(path);
	return 0;
}

/* There and back, so that the next act finds it. */
static int
rename_both(const char *from, const char *to)
{
	if (rename(from, to) < 0)
		return errno;
	return rename(to, from) < 0 ? errno : 0;
}

int
sandbox_act_rename(const struct sandbox_site *s)
{
	char from[SANDBOX_SITE], to[SANDBOX_SITE];

	return rename_both(in(s, "file", from), in(s, "other", to));
}

int
sandbox_act_move(const struct sandbox_site *s)
{
	char from[SANDBOX_SITE], to[SANDBOX_SITE];

	return rename_both(in(s, "file", from), in(s, "folder/file", to));
}

int
sandbox_act_link(const struct sandbox_site *s)
{
	char from[SANDBOX_SITE], to[SANDBOX_SITE];

	if (link(in(s, "file", from), in(s, "folder/link", to)) < 0)
		return errno;
	unlink(to);
	return 0;
}

/* In a child of its own: a program that starts does not come back. */
int
sandbox_act_execute(const struct sandbox_site *s)
{
	char path[SANDBOX_SITE];
	char *const argv[] = { (char *)(uintptr_t)"true", NULL };
	int status;
	pid_t pid;

	in(s, "program", path);
	pid = fork();
	if (pid == 0) {
		execv(path, argv);
		_exit(errno);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return EAGAIN;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* ---- aegsh's own places -------------------------------------------------- */

int
sandbox_act_store_read(const struct sandbox_site *s)
	{ return try_open(s->kept, O_RDONLY); }
int
sandbox_act_store_write(const struct sandbox_site *s)
	{ return try_open(s->kept, O_WRONLY); }

int
sandbox_act_store_rename(const struct sandbox_site *s)
{
	char to[SANDBOX_SITE + 8];

	snprintf(to, sizeof to, "%s.moved", s->kept);
	return rename_both(s->kept, to);
}

int
sandbox_act_store_create(const struct sandbox_site *s)
{
	char path[SANDBOX_SITE + 8];

	snprintf(path, sizeof path, "%s.new", s->kept);
	return create(path);
}

int
sandbox_act_store_enter(const struct sandbox_site *s)
{
	char from[SANDBOX_SITE], to[SANDBOX_SITE + 8];

	snprintf(to, sizeof to, "%s.in", s->kept);
	return rename_both(in(s, "file", from), to);
}

int
sandbox_act_settings_create(const struct sandbox_site *s)
	{ return create(s->settings); }

/* ---- other processes: s->victim, the same user's, outside ---------------- */

int
sandbox_act_signal(const struct sandbox_site *s)
	{ return kill(s->victim, 0) < 0 ? errno : 0; }

int
sandbox_act_trace(const struct sandbox_site *s)
{
	if (ptrace(PTRACE_SEIZE, s->victim, 0, 0) < 0)
		return errno;
	ptrace(PTRACE_DETACH, s->victim, 0, 0);
	return 0;
}

int
sandbox_act_memory(const struct sandbox_site *s)
{
	static char there = 'x';	/* the victim has it at this place */
	char here;
	struct iovec local = { &here, 1 }, remote = { &there, 1 };

	return process_vm_readv(s->victim, &local, 1, &remote, 1, 0) < 0 ?
	    errno : 0;
}

int
sandbox_act_descriptor(const struct sandbox_site *s)
{
	AEG_AUTOFD int process =
	    (int)syscall(SYS_pidfd_open, (long)s->victim, 0L);
	AEG_AUTOFD int stolen = -1;

	if (process < 0)
		return errno;
	stolen = (int)syscall(NR_PIDFD_GETFD, (long)process, 0L, 0L);
	return stolen < 0 ? errno : 0;
}

int
sandbox_act_environment(const struct sandbox_site *s)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%ld/environ", (long)s->victim);
	return try_open(path, O_RDONLY);
}

int
sandbox_act_limits_of_others(const struct sandbox_site *s)
{
	struct rlimit r;

	/* As they are: nothing changes where it works. */
	if (getrlimit(RLIMIT_CORE, &r) < 0)
		return errno;
	return prlimit(s->victim, RLIMIT_CORE, NULL, &r) < 0 ? errno : 0;
}

int
sandbox_act_priority(const struct sandbox_site *s)
{
	int now;

	errno = 0;
	now = getpriority(PRIO_PROCESS, (id_t)s->victim);
	if (errno != 0)
		return errno;
	return setpriority(PRIO_PROCESS, (id_t)s->victim, now) < 0 ?
	    errno : 0;
}

int
sandbox_act_processors(const struct sandbox_site *s)
{
	cpu_set_t set;

	if (sched_getaffinity(s->victim, sizeof set, &set) < 0)
		return errno;
	return sched_setaffinity(s->victim, sizeof set, &set) < 0 ? errno : 0;
}

int
sandbox_act_disk_priority(const struct sandbox_site *s)
{
	long now = syscall(SYS_ioprio_get, (long)WHO_PROCESS_IO,
	    (long)s->victim);

	if (now < 0)
		return errno;
	return syscall(SYS_ioprio_set, (long)WHO_PROCESS_IO, (long)s->victim,
	    now) < 0 ? errno : 0;
}

/* ---- the terminal: a new one, of the child's own ------------------------- */

/* Bytes typed into s->terminal come back to nobody. */
int
sandbox_act_type(const struct sandbox_site *s)
	{ return ioctl(s->terminal, TIOCSTI, "x") < 0 ? errno : 0; }

int
sandbox_act_type_high(const struct sandbox_site *s)
{
	return syscall(SYS_ioctl, (long)s->terminal, HIGH_HALF | TIOCSTI,
	    "x") < 0 ? errno : 0;
}

/* ---- namespaces and the kernel ------------------------------------------- */

int
sandbox_act_user_namespace(const struct sandbox_site *s)
	{ (void)s; return unshare(CLONE_NEWUSER) < 0 ? errno : 0; }
int
sandbox_act_mount_namespace(const struct sandbox_site *s)
	{ (void)s; return unshare(CLONE_NEWNS) < 0 ? errno : 0; }

/* The child has a mount namespace of its own, with which this mount goes. */
int
sandbox_act_mount(const struct sandbox_site *s)
{
	char path[SANDBOX_SITE];

	return mount("trial", in(s, "folder", path), "tmpfs",
	    MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0 ? errno : 0;
}

static int
descriptor_of(long fd)
{
	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

int
sandbox_act_ring(const struct sandbox_site *s)
{
	/* struct io_uring_params */
	struct { uint32_t word[30]; } setup = { { 0 } };

	(void)s;
	return descriptor_of(syscall(SYS_io_uring_setup, 1L, &setup));
}

int
sandbox_act_bpf(const struct sandbox_site *s)
{
	union bpf_attr attr;

	(void)s;
	memset(&attr, 0, sizeof attr);
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = attr.value_size = 4;
	attr.max_entries = 1;
	return descriptor_of(syscall(SYS_bpf, (long)BPF_MAP_CREATE, &attr,
	    sizeof attr));
}

int
sandbox_act_perf(const struct sandbox_site *s)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof attr,
		.config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1,
		.exclude_hv = 1,
	};

	(void)s;
	return descriptor_of(syscall(SYS_perf_event_open, &attr, 0L, -1L,
	    -1L, 0L));
}

int
sandbox_act_userfault(const struct sandbox_site *s)
{
	(void)s;		/* 1: UFFD_USER_MODE_ONLY, for ordinary users */
	return descriptor_of(syscall(SYS_userfaultfd, 1L | O_CLOEXEC));
}

int
sandbox_act_keys(const struct sandbox_site *s)
{
	(void)s;	/* 0: KEYCTL_GET_KEYRING_ID, -3: of the session */
	return syscall(SYS_keyctl, 0L, -3L, 0L) < 0 ? errno : 0;
}

int
sandbox_act_memory_program(const struct sandbox_site *s)
{
	(void)s;
	return descriptor_of(syscall(SYS_memfd_create, "trial", 1L));
}

int
sandbox_act_privileges(const struct sandbox_site *s)
{
	(void)s;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? EPERM : 0;
}

int
sandbox_act_raise_limits(const struct sandbox_site *s)
{
	size_t i;

	for (i = 0; i < s->n_limits; i++)
		if (setrlimit((__rlimit_resource_t)s->limit[i].resource,
		    &s->limit[i].before) < 0)
			return errno;
	return 0;
}

#ifdef __x86_64__
int
sandbox_act_x32(const struct sandbox_site *s)
	{ (void)s; return syscall(SYS_getppid | 0x40000000) < 0 ? errno : 0; }

int
sandbox_act_i386(const struct sandbox_site *s)
{
	long r = 64;		/* getppid of i386 */

	(void)s;
	__asm__ volatile ("int $0x80" : "+a" (r) : : "memory");
	return r < 0 ? (int)-r : 0;
}
#endif

/* ---- the network, on the loopback device --------------------------------- */

static int
socket_of(int family, int type, int protocol)
	{ return descriptor_of(socket(family, type | SOCK_CLOEXEC, protocol)); }

int
sandbox_act_udp(const struct sandbox_site *s)
	{ (void)s; return socket_of(AF_INET, SOCK_DGRAM, 0); }
int
sandbox_act_mptcp(const struct sandbox_site *s)
	{ (void)s; return socket_of(AF_INET, SOCK_STREAM, PROTO_MPTCP); }
int
sandbox_act_vsock(const struct sandbox_site *s)
	{ (void)s; return socket_of(FAMILY_VSOCK, SOCK_STREAM, 0); }
int
sandbox_act_packet(const struct sandbox_site *s)
	{ (void)s; return socket_of(AF_PACKET, SOCK_RAW, 0); }
int
sandbox_act_raw(const struct sandbox_site *s)
	{ (void)s; return socket_of(AF_INET, SOCK_RAW, IPPROTO_ICMP); }
int
sandbox_act_unix(const struct sandbox_site *s)
	{ (void)s; return socket_of(AF_UNIX, SOCK_STREAM, 0); }

static int
tcp(struct sockaddr_in *ret, uint16_t port, int *ret_fd)
{
	*ret = (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_port = port, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	*ret_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return *ret_fd < 0 ? errno : 0;
}

int
sandbox_act_connect(const struct sandbox_site *s)
{
	AEG_AUTOFD int fd = -1;
	struct sockaddr_in to;
	int rc = tcp(&to, s->port, &fd);

	if (rc != 0)
		return rc;
	return connect(fd, (const struct sockaddr *)&to, sizeof to) < 0 ?
	    errno : 0;
}

int
sandbox_act_fast_open(const struct sandbox_site *s)
{
	AEG_AUTOFD int fd = -1;
	struct sockaddr_in to;
	int rc = tcp(&to, s->port, &fd);

	if (rc != 0)
		return rc;
	return sendto(fd, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL,
	    (const struct sockaddr *)&to, sizeof to) < 0 ? errno : 0;
}

int
sandbox_act_bind(const struct sandbox_site *s)
{
	AEG_AUTOFD int fd = -1;
	struct sockaddr_in to;
	int rc = tcp(&to, 0, &fd);

	(void)s;
	if (rc != 0)
		return rc;
	return bind(fd, (const struct sockaddr *)&to, sizeof to) < 0 ?
	    errno : 0;
}

static int
connect_unix(const struct sockaddr_un *to, size_t len)
{
	AEG_AUTOFD int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	return connect(fd, (const struct sockaddr *)to, (socklen_t)len) < 0 ?
	    errno : 0;
}

int
sandbox_act_abstract(const struct sandbox_site *s)
	{ return connect_unix(&s->abstract, s->abstract_len); }
int
sandbox_act_pathname(const struct sandbox_site *s)
	{ return connect_unix(&s->pathname, sizeof s->pathname); }
