/* SPDX-License-Identifier: ISC */
/*
 * Tries what it is told and says how the kernel answered: one attempt by
 * its arguments, or one a line of standard input, "NAME [ARG …]"; one line
 * of answer each, "ok" or an errno's name, or the signal that ended the
 * attempt.  Each attempt is made in a child of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

#define HIGH 0x100000000UL

/* argv of the attempt: a[1] and a[2] are its arguments, "" when missing. */
static const char *a[4];

static long
num(int i)
{
	return strtol(a[i], NULL, 0);
}

/* ---- files ------------------------------------------------------------- */

static long
do_read(void)
{
	char byte;
	int fd = open(a[1], O_RDONLY | O_NONBLOCK);

	return fd < 0 ? -1 : read(fd, &byte, 1) < 0 && errno != EISDIR ? -1 : 0;
}
static long do_list(void)
	{ return open(a[1], O_RDONLY | O_DIRECTORY); }
static long do_write(void)
	{ return open(a[1], O_WRONLY | O_NONBLOCK); }
static long do_opentrunc(void)
	{ return open(a[1], O_RDONLY | O_TRUNC); }
static long do_truncate(void)
	{ return truncate(a[1], 0); }
static long do_create(void)
	{ return open(a[1], O_WRONLY | O_CREAT | O_EXCL, 0600); }
static long do_tmpfile(void)
	{ return open(a[1], O_WRONLY | O_TMPFILE, 0600); }
static long do_mkdir(void)
	{ return mkdir(a[1], 0700); }
static long do_mkfifo(void)
	{ return mkfifo(a[1], 0600); }
static long do_mknod(void)
	{ return mknod(a[1], S_IFCHR | 0600, 0x103); }
static long do_symlink(void)
	{ return symlink(a[1], a[2]); }
static long do_link(void)
	{ return link(a[1], a[2]); }
static long do_rename(void)
	{ return rename(a[1], a[2]); }
static long do_exchange(void)
	{ return renameat2(AT_FDCWD, a[1], AT_FDCWD, a[2], RENAME_EXCHANGE); }
static long do_chmod(void)
	{ return chmod(a[1], (mode_t)num(2)); }
static long do_stat(void)
{
	struct stat st;

	return stat(a[1], &st);
}
static long do_unlink(void)
	{ return unlink(a[1]); }
static long do_rmdir(void)
	{ return rmdir(a[1]); }

static long
do_exec(void)
{
	char *argv[] = { (char *)(uintptr_t)a[1], NULL };

	dup2(open("/dev/null", O_WRONLY), 1);	/* answers go there */
	execv(a[1], argv);
	return -1;
}

static long
do_execmemfd(void)
{
	char *argv[] = { (char *)(uintptr_t)"x", NULL };
	int from = open("/bin/true", O_RDONLY), fd;
	char buf[65536];
	ssize_t n;

	fd = (int)syscall(SYS_memfd_create, "x", 0);
	if (fd < 0)
		return -1;
	while ((n = read(from, buf, sizeof buf)) > 0)
		if (write(fd, buf, (size_t)n) != n)
			return -1;
	fexecve(fd, argv, argv + 1);
	return -1;
}

/* A socket; an attempt that has none ends. */
static int
sock(int family, int type)
{
	int fd = socket(family, type, 0);

	if (fd < 0)
		_exit(errno);
	return fd;
}

static long
do_mksock(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	snprintf(un.sun_path, sizeof un.sun_path, "%s", a[1]);
	return bind(sock(AF_UNIX, SOCK_STREAM), (void *)&un, sizeof un);
}

static long
do_handle(void)
{
	static const struct { int n, type; char f[8]; } h = { 8, 1, { 0 } };

	return syscall(SYS_open_by_handle_at, AT_FDCWD, &h, 0);
}

/* ---- the terminal ------------------------------------------------------ */

static int
tty(void)
{
	return open("/dev/tty", O_RDWR);
}
static long do_ttyget(void)
{
	struct winsize w;

	return ioctl(tty(), TIOCGWINSZ, &w);
}
static long do_sti(void)
	{ return ioctl(tty(), TIOCSTI, "x"); }
static long do_sti0(void)
	{ return ioctl(2, TIOCSTI, "x"); }
static long do_stihigh(void)
	{ return syscall(SYS_ioctl, (long)tty(), HIGH | TIOCSTI, "x"); }
static long do_tioclinux(void)
	{ return syscall(SYS_ioctl, (long)tty(), HIGH | TIOCLINUX, "\2"); }

/* ---- other processes --------------------------------------------------- */

static long do_kill(void)
	{ return kill((pid_t)num(1), (int)num(2)); }
static long do_tgkill(void)
	{ return syscall(SYS_tgkill, num(1), num(1), num(2)); }
static long do_sigqueue(void)
	{ return sigqueue((pid_t)num(1), (int)num(2), (union sigval){ 0 }); }
static long do_pidfdsignal(void)
{
	long fd = syscall(SYS_pidfd_open, num(1), 0);

	return fd < 0 ? -1 :
	    syscall(SYS_pidfd_send_signal, fd, num(2), NULL, 0);
}
static long do_pidfdgetfd(void)
{
	long fd = syscall(SYS_pidfd_open, num(1), 0);

	return fd < 0 ? -1 : syscall(SYS_pidfd_getfd, fd, 0L, 0);
}
static long do_attach(void)
	{ return ptrace(PTRACE_ATTACH, num(1), 0, 0); }
static long do_seize(void)
	{ return ptrace(PTRACE_SEIZE, num(1), 0, 0); }
static long do_traceme(void)
	{ return ptrace(PTRACE_TRACEME, 0, 0, 0); }
static long do_vmread(void)
{
	char byte;
	struct iovec here = { &byte, 1 }, there = { &byte, 1 };

	return process_vm_readv((pid_t)num(1), &here, 1, &there, 1, 0);
}
static long do_prlimit(void)
{
	struct rlimit r = { 1, 1 };

	return prlimit((pid_t)num(1), RLIMIT_CORE, num(1) ? &r : NULL, &r);
}
static long do_setpriority(void)
	{ return setpriority((unsigned)num(1), (id_t)num(2), 19); }
static long do_affinity(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) < 0)
		return -1;
	return sched_setaffinity((pid_t)num(1), sizeof set, &set);
}
static long do_scheduler(void)
{
	struct sched_param p = { 0 };

	return sched_setscheduler((pid_t)num(1), SCHED_BATCH, &p);
}
static long do_ioprio(void)
	{ return syscall(SYS_ioprio_set, num(1), num(2), 7 | 2 << 13); }
static long do_setmm(void)
	{ return prctl(PR_SET_MM, PR_SET_MM_START_STACK, 0, 0, 0); }
static long do_abstract(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	size_t n = strlen(a[1]);

	memcpy(un.sun_path + 1, a[1], n);
	return connect(sock(AF_UNIX, SOCK_STREAM), (void *)&un,
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n));
}

/* ---- namespaces and the kernel ----------------------------------------- */

static long do_unshare(void)
	{ return unshare((int)num(1)); }
static long do_clone(void)
{
	long pid = syscall(SYS_clone, num(1) | SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return pid;
}
static long do_clone3(void)
{
	uint64_t args[11] = { 0, 0, 0, 0, SIGCHLD };
	long pid = syscall(SYS_clone3, args, sizeof args);

	if (pid == 0)
		_exit(0);
	return pid;
}
static long do_setns(void)
	{ return setns(open("/proc/self/ns/mnt", O_RDONLY), 0); }
static long do_mount(void)
	{ return mount("none", a[1], "tmpfs", 0, NULL); }
static long do_umount(void)
	{ return umount2(a[1], MNT_DETACH); }
static long do_chroot(void)
	{ return chroot(a[1]); }
static long do_call(void)
	{ return syscall(num(1), 0, 0, 0, 0, 0, 0); }
static long do_memfd(void)
	{ return syscall(SYS_memfd_create, "x", 0); }

static long
do_x32(void)
{
#ifdef __x86_64__
	return syscall(SYS_getppid | 0x40000000);
#else
	raise(SIGSYS);
	return 0;
#endif
}

static long
do_i386(void)
{
#ifdef __x86_64__
	long r = 64;		/* getppid of i386 */

	__asm__ volatile ("int $0x80" : "+a" (r) : : "memory");
	if (r < 0) {
		errno = (int)-r;
		return -1;
	}
	return r;
#else
	raise(SIGSYS);
	return 0;
#endif
}

/* ---- the network ------------------------------------------------------- */

static long
do_socket(void)
{
	int family = 0, type = 0, protocol = 0;

	sscanf(a[1], "%d,%d,%d", &family, &type, &protocol);
	return socket(family, type, protocol);
}

static struct sockaddr_in
loopback(long port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
}
static long do_bind(void)
{
	struct sockaddr_in to = loopback(num(1));

	return bind(sock(AF_INET, SOCK_STREAM), (void *)&to, sizeof to);
}
static long do_connect(void)
{
	struct sockaddr_in to = loopback(num(1));

	return connect(sock(AF_INET, SOCK_STREAM), (void *)&to,
	    sizeof to);
}
static long do_fastopen(void)
{
	struct sockaddr_in to = loopback(num(1));

	return sendto(sock(AF_INET, SOCK_STREAM), "x", 1,
	    MSG_FASTOPEN | MSG_NOSIGNAL, (void *)&to, sizeof to);
}

#define ROW(name) { #name, do_##name }
static const struct {
	const char *name;
	long (*fn)(void);
} rows[] = {
	ROW(read), ROW(list), ROW(write), ROW(opentrunc), ROW(truncate),
	ROW(create), ROW(tmpfile), ROW(mkdir), ROW(mkfifo), ROW(mknod),
	ROW(symlink), ROW(link), ROW(rename), ROW(exchange), ROW(chmod),
	ROW(stat), ROW(unlink),
	ROW(rmdir), ROW(exec), ROW(execmemfd), ROW(mksock), ROW(handle),
	ROW(ttyget), ROW(sti), ROW(sti0), ROW(stihigh), ROW(tioclinux),
	ROW(kill), ROW(tgkill), ROW(sigqueue), ROW(pidfdsignal),
	ROW(pidfdgetfd), ROW(attach), ROW(seize), ROW(traceme), ROW(vmread),
	ROW(prlimit), ROW(setpriority), ROW(affinity), ROW(scheduler),
	ROW(ioprio), ROW(setmm), ROW(abstract), ROW(unshare), ROW(clone),
	ROW(clone3), ROW(setns), ROW(mount), ROW(umount), ROW(chroot),
	ROW(call), ROW(memfd), ROW(x32), ROW(i386), ROW(socket), ROW(bind),
	ROW(connect), ROW(fastopen),
};

static int
attempt(void)
{
	size_t i;

	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (strcmp(rows[i].name, a[0]) == 0)
			return rows[i].fn() < 0 ? errno : 0;
	}
	return 255;
}

/* Tries a[] in a child of its own, and says what came of it. */
static int
say(void)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(attempt());
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	if (WIFSIGNALED(status))
		printf("SIG%s\n", sigabbrev_np(WTERMSIG(status)));
	else if (WEXITSTATUS(status) == 0)
		printf("ok\n");
	else if (WEXITSTATUS(status) == 255)
		printf("no such attempt\n");
	else
		printf("%s\n", strerrorname_np(WEXITSTATUS(status)));
	return 0;
}

int
main(int argc, char **argv)
{
	char line[8192];
	int failed = 0;

	if (argc > 1) {
		for (int i = 0; i < 4; i++)
			a[i] = i + 1 < argc ? argv[i + 1] : "";
		failed = say();
	}
	while (argc == 1 && !failed && fgets(line, sizeof line, stdin)) {
		char *word, *rest = line;
		int n = 0;

		a[0] = a[1] = a[2] = a[3] = "";
		while (n < 4 && (word = strtok_r(rest, " \n", &rest)) != NULL)
			a[n++] = word;
		failed = say();
	}
	fflush(stdout);
	_exit(failed);	/* a leak checker would have to trace us */
}
