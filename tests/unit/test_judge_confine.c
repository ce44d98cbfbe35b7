/* SPDX-License-Identifier: ISC */
/* Each right that the confined helper must not have, tried from inside. */
#include "judge/judge_int.h"
#include "tap.h"
#include "scratch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/wire_confine.h"

static char *own_file;
static unsigned open_port, other_port;
static pid_t parent;

static int
listening(unsigned *ret_port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof a;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) < 0 ||
	    listen(fd, 8) < 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &len) < 0)
		scratch_die("listen");
	*ret_port = ntohs(a.sin_port);
	return fd;
}

/* Each returns 0 or the errno. */
static int
try_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int
try_connect(unsigned port, int protocol)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, protocol), rc;

	rc = fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) < 0 ?
	    errno : 0;
	io_close(&fd);
	return rc;
}

static int
try_bind(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return bind(fd, (struct sockaddr *)&a, sizeof a) < 0 ? errno : 0;
}

static int
try_listen(void)
{
	return listen(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), 1) < 0 ?
	    errno : 0;
}

static int
try_exec(void)
{
	char *argv[] = { (char *)(uintptr_t)"/bin/true", NULL };
	char *envp[] = { NULL };

	execve("/bin/true", argv, envp);
	return errno;
}

static int
try_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid < 0 ? errno : 0;
}

static void *
nothing(void *ctx)
{
	return ctx;
}

static int
try_thread(void)
{
	pthread_t t;
	int rc = pthread_create(&t, NULL, nothing, NULL);

	return rc != 0 ? rc : pthread_join(t, NULL);
}

static int
try_lookup(void)
{
	struct addrinfo *list = NULL;
	int rc = getaddrinfo("localhost", "1", NULL, &list);

	if (list != NULL)
		freeaddrinfo(list);
	return rc;
}

static int
errno_of(long rc)
{
	return rc < 0 ? errno : 0;
}

static const struct {
	const char *name;
	int want;
	long abi;		/* the Landlock it takes */
} rows[] = {
	{ "read a file of its own", EACCES, 1 },
	{ "read /etc/passwd", EACCES, 1 },
	{ "list /etc", EACCES, 1 },
	{ "read /etc/hosts", 0, 1 },
	{ "write a file of its own", EACCES, 1 },
	{ "make a file", EACCES, 1 },
	{ "start a program", EPERM, 1 },
	{ "fork", EPERM, 1 },
	{ "start a thread", 0, 1 },
	{ "look up localhost", 0, 1 },
	{ "connect to the endpoint's port", 0, 1 },
	{ "connect to another port", EACCES, 4 },
	{ "bind a port", EACCES, 4 },
	{ "listen", EPERM, 1 },
	{ "trace", EPERM, 1 },
	{ "signal the shell", EPERM, 6 },
	{ "memfd_create", EPERM, 1 },
	{ "unshare", EPERM, 1 },
	{ "io_uring_setup", EPERM, 1 },
};

static void
try_all(int *got)
{
	AEG_AUTOFREE char *fresh = scratch_path("fresh");
	int i = 0;

	got[i++] = try_open(own_file, O_RDONLY);
	got[i++] = try_open("/etc/passwd", O_RDONLY);
	got[i++] = try_open("/etc", O_RDONLY | O_DIRECTORY);
	got[i++] = try_open("/etc/hosts", O_RDONLY);
	got[i++] = try_open(own_file, O_WRONLY);
	got[i++] = try_open(fresh, O_WRONLY | O_CREAT);
	got[i++] = try_exec();
	got[i++] = try_fork();
	got[i++] = try_thread();
	got[i++] = try_lookup();
	got[i++] = try_connect(open_port, 0);
	got[i++] = try_connect(other_port, 0);
	got[i++] = try_bind();
	got[i++] = try_listen();
	got[i++] = errno_of(ptrace(PTRACE_SEIZE, parent, NULL, NULL));
	got[i++] = errno_of(kill(parent, 0));
	got[i++] = errno_of(memfd_create("x", MFD_CLOEXEC));
	got[i++] = errno_of(unshare(0x10000000));
	got[i++] = errno_of(syscall(SYS_io_uring_setup, 1, NULL));
}

/* The outcome of all rows, from a confined child. */
static int
confined(int *got, size_t size)
{
	const struct wire_needs needs = { .program = "test",
		.ports = { open_port }, .n_ports = 1 };
	struct err err = ERR_INIT;
	int p[2], rc, status;
	pid_t pid;

	if (pipe2(p, O_CLOEXEC) < 0)
		scratch_die("pipe");
	parent = getpid();
	pid = fork();
	if (pid == 0) {
		rc = wire_confine(&needs, &err);
		if (rc == 0) {
			try_all(got);
			rc = io_write_full(p[1], got, size);
		} else {
			printf("# %s\n", err.text);
		}
		fflush(stdout);
		_exit(rc < 0);
	}
	close(p[1]);
	rc = io_read_full(p[0], got, size);
	close(p[0]);
	waitpid(pid, &status, 0);
	return rc < 0 || status != 0 ? -1 : 0;
}

static uint64_t
held(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];

	if (syscall(SYS_capget, &head, caps) < 0)
		scratch_die("capget");
	return (uint64_t)(caps[1].permitted | caps[1].effective) << 32 |
	    caps[0].permitted | caps[0].effective;
}

/* Of what root has, or the ordinary user that runs this has not. */
static void
test_capabilities(bool sockets)
{
	const struct wire_needs needs = { .program = "test",
		.sockets_of_others = sockets };
	const uint64_t kept = UINT64_C(1) << CAP_DAC_OVERRIDE;
	uint64_t want = sockets ? held() & kept : 0;
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(wire_confine(&needs, NULL) < 0 ? 2 : held() != want);
	waitpid(pid, &status, 0);
	IS_INTN(status, 0, sockets ? "of capabilities, that for sockets of "
	    "others" : "no capability");
}

int
main(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	int got[AEG_NELEM(rows)], fds[2];
	size_t i;

	scratch_new();
	scratch_puts("own", "x");
	own_file = scratch_path("own");
	fds[0] = listening(&open_port);
	fds[1] = listening(&other_port);
	if (abi < 1) {
		SKIP((int)AEG_NELEM(rows) + 2, "this kernel has no Landlock");
		return tap_done();
	}
	if (confined(got, sizeof got) < 0) {
		OKF(false, "the helper can be confined");
		return tap_done();
	}
	for (i = 0; i < AEG_NELEM(rows); i++) {
#ifdef AEGSH_SANITIZE
		if (strcmp(rows[i].name, "fork") == 0 ||
		    strcmp(rows[i].name, "trace") == 0) {
			SKIP(1, "built with sanitizers");
			continue;
		}
#endif
		if (abi < rows[i].abi)
			SKIP(1, "this kernel's Landlock is too old");
		else
			IS_INTN(got[i], rows[i].want, rows[i].name);
	}
	test_capabilities(false);
	test_capabilities(true);
	free(own_file);
	close(fds[0]);
	close(fds[1]);
	return tap_done();
}
