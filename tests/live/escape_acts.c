/* SPDX-License-Identifier: ISC */
/*
 * One act of the escape battery: "escape_acts NAME [ARG …]".  Says
 * "escaped" when the kernel let it, else the errno's name.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* The act's arguments, "" where it has fewer. */
static char *a[5];

static long
num(int i)
{
	return strtol(a[i], NULL, 0);
}

/* ---- shells without a name --------------------------------------------- */

static int
copy(const char *from, int to)
{
	char block[65536];
	int fd = open(from, O_RDONLY);
	ssize_t n;

	if (fd < 0 || to < 0)
		return -1;
	while ((n = read(fd, block, sizeof block)) > 0)
		if (write(to, block, (size_t)n) != n)
			return -1;
	return n < 0 ? -1 : 0;
}

/* The shell that fd is open on runs the line; returns only if it can't. */
static long
shell(int fd, char *line)
{
	char by_proc[64];
	char *argv[] = { (char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c",
		line, NULL };

	syscall(SYS_execveat, fd, "", argv, environ, AT_EMPTY_PATH);
	snprintf(by_proc, sizeof by_proc, "/proc/self/fd/%d", fd);
	execv(by_proc, argv);
	return -1;
}

static long
do_memfdshell(void)
{
	int fd = (int)syscall(SYS_memfd_create, "sh", 0);

	return copy(a[1], fd) < 0 ? -1 : shell(fd, a[2]);
}

static long
do_tmpfileshell(void)
{
	char name[64];
	int fd = open(a[1], O_RDWR | O_TMPFILE, 0700), again;

	if (copy(a[2], fd) < 0)
		return -1;
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	again = open(name, O_RDONLY);
	close(fd);
	return shell(again, a[3]);
}
static long do_fdshell(void)
	{ return shell((int)num(1), a[2]); }

/* ---- files ------------------------------------------------------------- */

static long
first_byte(int fd)
{
	char byte;

	return fd < 0 || read(fd, &byte, 1) < 0 ? -1 : 0;
}

static long
do_reopen(void)
{
	char name[64];
	int fd = open(a[1], O_PATH);

	if (fd < 0)
		return -1;
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	return first_byte(open(name, O_RDONLY));
}

static long
do_openat2(void)
{
	struct open_how how = { .flags = O_RDONLY,
		.resolve = RESOLVE_NO_SYMLINKS };

	return first_byte((int)syscall(SYS_openat2, AT_FDCWD, a[1], &how,
	    sizeof how));
}

static long
do_byhandle(void)
{
	union {
		struct file_handle h;
		char room[sizeof (struct file_handle) + MAX_HANDLE_SZ];
	} u = { .h.handle_bytes = MAX_HANDLE_SZ };
	int mount;

	if (name_to_handle_at(AT_FDCWD, a[1], &u.h, &mount, 0) < 0)
		return -1;
	return first_byte(open_by_handle_at(open("/", O_RDONLY), &u.h,
	    O_RDONLY));
}

static long
do_fanotify(void)
{
	int fd = fanotify_init(FAN_CLASS_CONTENT, O_RDONLY);

	return fd < 0 ? -1 : fanotify_mark(fd, FAN_MARK_ADD, FAN_OPEN_PERM,
	    AT_FDCWD, a[1]);
}
static long do_uring(void)
{
	char params[256] = { 0 };

	return syscall(425, 4, params);
}

/* ---- processes --------------------------------------------------------- */

static long do_tkill(void)
	{ return syscall(SYS_tkill, num(1), num(2)); }
static long do_tgsigqueue(void)
{
	siginfo_t info = { .si_code = SI_QUEUE };

	return syscall(SYS_rt_tgsigqueueinfo, num(1), num(1), num(2), &info);
}

/* A signal that comes from a descriptor: the kernel drops it silently. */
static long
do_sigio(void)
{
	int ends[2];

	if (pipe(ends) < 0 || fcntl(ends[0], F_SETOWN, num(1)) < 0 ||
	    fcntl(ends[0], F_SETSIG, num(2)) < 0 ||
	    fcntl(ends[0], F_SETFL, O_ASYNC) < 0 || write(ends[1], "x", 1) < 0)
		return -1;
	errno = EPERM;	/* whether the victim lives is looked at outside */
	return -1;
}

static long
do_timer(void)
{
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = (int)num(2) };
	timer_t timer;

	ev._sigev_un._tid = (pid_t)num(1);
	return timer_create(CLOCK_MONOTONIC, &ev, &timer);
}

static long
do_movepages(void)
{
	void *page = NULL;
	int status;

	return syscall(SYS_move_pages, num(1), 1UL, &page, NULL, &status, 0);
}

static long
do_vmwrite(void)
{
	char byte = 0;
	struct iovec here = { &byte, 1 }, there = { &byte, 1 };

	return process_vm_writev((pid_t)num(1), &here, 1, &there, 1, 0);
}

static long
do_madvise(void)
{
	struct iovec there = { NULL, 4096 };
	long fd = syscall(SYS_pidfd_open, num(1), 0);

	return syscall(SYS_process_madvise, fd, &there, 1UL, MADV_COLD, 0U);
}
static long do_kcmp(void)
	{ return syscall(SYS_kcmp, getpid(), num(1), 0, 0, 0); }
static long do_setuid0(void)
	{ return setuid(0); }
static long do_keyctl(void)
	{ return syscall(SYS_keyctl, 1, NULL); }

static long
do_capset(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = 1U << CAP_SYS_ADMIN,
		  .permitted = 1U << CAP_SYS_ADMIN } };

	return syscall(SYS_capset, &head, data);
}

/* An unknown command: refused for the right, or for the command. */
static long do_reboot(void)
	{ return syscall(SYS_reboot, 0xfee1dead, 672274793, 0x7e57, NULL); }

/* ---- mounts ------------------------------------------------------------ */

static long do_newmount(void)
	{ return syscall(SYS_fsopen, "tmpfs", 0); }
static long do_opentree(void)
	{ return syscall(SYS_open_tree, AT_FDCWD, a[1], 1); }
static long do_pivotroot(void)
	{ return syscall(SYS_pivot_root, a[1], a[1]); }

/* ---- sockets ----------------------------------------------------------- */

static socklen_t
name_path(struct sockaddr_un *un, const char *path)
{
	memset(un, 0, sizeof *un);
	un->sun_family = AF_UNIX;
	snprintf(un->sun_path, sizeof un->sun_path, "%s", path);
	return sizeof *un;
}

/* A socket; no act goes on without one. */
static int
sock(int family, int type)
{
	int fd = socket(family, type, 0);

	if (fd < 0) {
		printf("%s\n", strerrorname_np(errno));
		fflush(stdout);
		_exit(0);
	}
	return fd;
}

static long
do_unixconnect(void)
{
	struct sockaddr_un un;
	socklen_t n = name_path(&un, a[1]);

	return connect(sock(AF_UNIX, SOCK_STREAM), (void *)&un, n);
}

static long
do_unixsend(void)
{
	struct sockaddr_un un;
	socklen_t n = name_path(&un, a[1]);

	return sendto(sock(AF_UNIX, SOCK_DGRAM), "x", 1, 0, (void *)&un,
	    n);
}

static long
do_absdgram(void)
{
	struct sockaddr_un un;

	name_path(&un, "");
	memcpy(un.sun_path + 1, a[1], strnlen(a[1], 90));
	return sendto(sock(AF_UNIX, SOCK_DGRAM), "x", 1, 0, (void *)&un,
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
	    strnlen(a[1], 90)));
}
static long do_listen(void)
	{ return listen(sock(AF_INET, SOCK_STREAM), 1); }

/* ---- the terminal ------------------------------------------------------ */

static int
tty(void)
{
	return open("/dev/tty", O_RDWR);
}
static long do_tioccons(void)
	{ return ioctl(tty(), TIOCCONS, 0); }
static long do_setd(void)
{
	int n_slip = 1;

	return ioctl(tty(), TIOCSETD, &n_slip);
}
static long do_vhangup(void)
	{ return vhangup(); }
static long do_stipath(void)
	{ return ioctl(open(a[1], O_RDWR), TIOCSTI, "x"); }

/* A process in the background that takes the foreground is stopped. */
static long
do_tcsetpgrp(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGTTOU, SIG_DFL);
		_exit(setpgid(0, 0) < 0 || tcsetpgrp(tty(), getpid()) < 0 ?
		    errno : 0);
	}
	if (waitpid(pid, &status, WUNTRACED) < 0)
		return -1;
	if (WIFSTOPPED(status)) {
		kill(pid, SIGKILL);
		errno = EINTR;
		return -1;
	}
	errno = WEXITSTATUS(status);
	return errno ? -1 : 0;
}

/* ---- using everything up ----------------------------------------------- */

static long
do_manyfds(void)
{
	int fd;

	do
		fd = dup(0);
	while (fd >= 0 && fd < 100000);
	return fd;
}

static long
do_manyprocs(void)
{
	int n;

	for (n = 0; n < 400; n++) {
		pid_t pid = fork();

		if (pid < 0)
			break;
		if (pid == 0) {
			poll(NULL, 0, 200);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	return n < 400 ? -1 : 0;
}
static long do_dumpable(void)
	{ return prctl(PR_SET_DUMPABLE, 1); }

#define ROW(name) { #name, do_##name }
static const struct {
	const char *name;
	long (*fn)(void);
} rows[] = {
	ROW(memfdshell), ROW(tmpfileshell), ROW(fdshell), ROW(reopen),
	ROW(openat2), ROW(byhandle), ROW(fanotify), ROW(uring), ROW(tkill),
	ROW(tgsigqueue), ROW(sigio), ROW(timer), ROW(movepages), ROW(vmwrite),
	ROW(madvise), ROW(kcmp), ROW(setuid0), ROW(keyctl), ROW(capset),
	ROW(reboot), ROW(newmount), ROW(opentree), ROW(pivotroot),
	ROW(unixconnect), ROW(unixsend), ROW(absdgram), ROW(listen),
	ROW(tioccons), ROW(setd), ROW(vhangup), ROW(stipath), ROW(tcsetpgrp),
	ROW(manyfds), ROW(manyprocs), ROW(dumpable),
};

int
main(int argc, char **argv)
{
	size_t i;

	for (i = 0; i < sizeof a / sizeof a[0]; i++)
		a[i] = i + 1 < (size_t)argc ? argv[i + 1] :
		    (char *)(uintptr_t)"";
	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (strcmp(rows[i].name, a[0]) != 0)
			continue;
		printf("%s\n", rows[i].fn() < 0 ? strerrorname_np(errno) :
		    "escaped");
		fflush(stdout);
		_exit(0);	/* a leak checker would have to trace us */
	}
	fprintf(stderr, "no such act: %s\n", a[0]);
	return 1;
}
