/* SPDX-License-Identifier: ISC */
/* The launcher itself, spoken to by hand: what it is told first, what it
 * says to requests that make no sense, and that it ends with its peer. */
#include "exec/exec_int.h"
#include "sandbox/sandbox_int.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

static struct sandbox_profile *profile;
static int sock = -1, note = -1;
static pid_t launcher;

static void
start(void)
{
	int s[2], n[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, n) < 0)
		scratch_die("socketpair");
	launcher = fork();
	if (launcher == 0) {
		s[1] = io_move_up(s[1], 20);
		n[1] = io_move_up(n[1], 20);
		dup3(s[1], EXEC_LAUNCHER_SOCK, O_CLOEXEC);
		dup3(n[1], EXEC_LAUNCHER_NOTE, O_CLOEXEC);
		syscall(SYS_close_range, EXEC_LAUNCHER_TTY, ~0U, 0);
		exec_launcher_main(profile, "/bin/bash");
	}
	close(s[1]);
	close(n[1]);
	sock = s[0];
	note = n[0];
}

static int
stop(void)
{
	int status;

	io_close(&sock);
	io_close(&note);
	waitpid(launcher, &status, 0);
	return status;
}

static struct exec_ready ready;

static bool
is_ready(void)
{
	return recv(sock, &ready, sizeof ready, 0) == (ssize_t)sizeof ready;
}

/* A request with n_fds descriptors; what it is answered. */
static struct exec_reply
ask(const void *bytes, size_t len, size_t n_fds)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(16 * sizeof(int))];
	} control;
	struct iovec iov = { (void *)(uintptr_t)bytes, len };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct exec_reply reply = { .error = -1 };
	int fds[16], pid;
	size_t i;

	memset(&control, 0, sizeof control);
	for (i = 0; i < n_fds; i++)
		fds[i] = i == 0 ? open(".", O_PATH | O_CLOEXEC) :
		    open("/dev/null", O_RDWR | O_CLOEXEC);
	if (n_fds > 0) {
		m.msg_control = control.bytes;
		m.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		CMSG_FIRSTHDR(&m)->cmsg_level = SOL_SOCKET;
		CMSG_FIRSTHDR(&m)->cmsg_type = SCM_RIGHTS;
		CMSG_FIRSTHDR(&m)->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), fds,
		    n_fds * sizeof(int));
	}
	sendmsg(sock, &m, MSG_NOSIGNAL);
	for (i = 0; i < n_fds; i++)
		close(fds[i]);
	recv(sock, &reply, sizeof reply, 0);
	while (recv(note, &pid, sizeof pid, MSG_DONTWAIT) > 0)
		;
	return reply;
}

#define STRINGS "/bin/bash\0-c\0exit 7\0X=1"

static struct exec_request
good(void)
{
	return (struct exec_request){ .argc = 3, .envc = 1,
		.bytes = sizeof STRINGS, .n_fds = 3, .to = { 0, 1, 2 } };
}

static struct exec_reply
ask_with(struct exec_request head, size_t n_fds)
{
	char packet[sizeof head + sizeof STRINGS];

	memcpy(packet, &head, sizeof head);
	memcpy(packet + sizeof head, STRINGS, sizeof STRINGS);
	return ask(packet, sizeof packet, n_fds);
}

static void
test_bad(void)
{
	struct exec_request h;

	IS_INTN(ask("x", 1, 0).error, EPROTO, "a short packet");
	h = good();
	IS_INTN(ask_with(h, 3).error, EPROTO, "a descriptor too few");
	IS_INTN(ask_with(h, 5).error, EPROTO, "one too many");
	h.argc = 0;
	IS_INTN(ask_with(h, 4).error, EPROTO, "no arguments");
	h = good();
	h.envc = 2;
	IS_INTN(ask_with(h, 4).error, EPROTO, "more strings than there are");
	h.envc = UINT32_MAX;
	IS_INTN(ask_with(h, 4).error, EPROTO, "very many more");
	h = good();
	h.bytes++;
	IS_INTN(ask_with(h, 4).error, EPROTO, "more bytes");
	h.bytes = UINT32_MAX;
	IS_INTN(ask_with(h, 4).error, EPROTO, "more than any request");
	h = good();
	h.pathc = 2;
	IS_INTN(ask_with(h, 4).error, EPROTO, "two working directories");
	h = good();
	h.n_fds = EXEC_FDS_MAX + 1;
	IS_INTN(ask_with(h, EXEC_FDS_MAX + 2).error, EPROTO,
	    "more descriptors than places");
	h = good();
	h.in_file = 1;
	h.bytes = 4096;
	IS_INTN(ask_with(h, 5).error, EPROTO, "a file that can't be mapped");
	h = good();
	h.held = 1;
	IS_INTN(ask_with(h, 4).error, EPROTO, "nobody who could let it go");
}

/* Its word is read from /dev/null: there is none. */
static void
test_held(void)
{
	struct exec_request h = good();
	struct exec_reply r;
	int status = 0;

	h.held = 1;
	r = ask_with(h, 5);
	IS_INTN(r.error, ECANCELED, "no word is a no");
	IS_INT(r.failed, EXEC_STEP_GO);
	IS_INT(waitpid(r.pid, &status, 0), r.pid);
	IS_INT(WEXITSTATUS(status), 127);
}

static void
test_good(void)
{
	struct exec_reply r = ask_with(good(), 4);
	int status = 0;

	IS_INT(r.error, 0);
	/* CLONE_PARENT: our own child, not the launcher's. */
	IS_INT(waitpid(r.pid, &status, 0), r.pid);
	IS_INT(WEXITSTATUS(status), 7);
}

int
main(void)
{
	struct sandbox_vars vars = { .uid = getuid() };
	struct err err = ERR_INIT;

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	scratch_mkdir("share", 0755);
	scratch_mkdir("share/sandbox", 0755);
	scratch_puts("share/sandbox/t.conf", "read = {\"/\"}\n"
	    "execute = {\"/\"}\nrequire = {landlock}\nseccomp = default\n");
	if (sandbox_landlock_abi() < 1) {
		SKIP(1, "no Landlock");
		return tap_done();
	}
	IS_INT(sandbox_load("t", &vars, &profile, &err), 0);
	start();
	OK(is_ready());
	IS_INTN(ready.code, 0, ready.text);
	test_bad();
	test_good();
	test_held();
	IS_INTN(stop(), 0, "it ends with its peer");
	sandbox_profile_free(profile);

	scratch_puts("share/sandbox/t.conf", "make = {\"/\"}\n"
	    "require = {landlock}\n");
	IS_INT(sandbox_load("t", &vars, &profile, &err), 0);
	start();
	OK(is_ready());
	IS_INT(ready.code, ERR_TRUST);
	OKF(strstr(ready.text, "aegsh keeps") != NULL, "%s", ready.text);
	OK(WEXITSTATUS(stop()) == 1);
	sandbox_profile_free(profile);
	return tap_done();
}
