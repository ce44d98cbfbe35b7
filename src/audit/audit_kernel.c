/* SPDX-License-Identifier: ISC */
/*
 * A line into the kernel's audit (linux/audit.h), whose log neither the
 * store's user nor anybody else without CAP_AUDIT_WRITE adds to or takes
 * from: auditd(8) writes it, or the journal.
 *
 * The kernel acknowledges a message that it then drops, as auditing is off:
 * so it is asked first whether it is on.  Both are allowed to few: to root,
 * and not within a container that has users of its own.
 *
 * A kernel whose queue is full keeps whoever sends anything in that call, for
 * up to a minute (audit_backlog_wait_time).  So a process of its own is: it is
 * waited for as long as an answer takes at most, and as long as the kernel has
 * not let it go, nobody else is sent.
 */
#include "audit_apart_int.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

/* Of an answer that a thread of the kernel writes: it does not take long, and
 * the next line may wait for us. */
#define ANSWER_NS (INT64_C(500) * 1000 * 1000)
#define TEXT_MAX ((size_t)1024)
/* Of the numbers that the kernel leaves to programs (AUDIT_FIRST_USER_MSG):
 * the one that auditd(8) and ausearch(8) call so. */
#define TRUSTED_APP 1121

struct message {
	struct nlmsghdr head;
	char bytes[4096];
};

static int
kernel_failed(int rc, struct err *err)
{
	switch (-rc) {
	case EPROTONOSUPPORT:
	case EAFNOSUPPORT:
		return err_set(err, rc, "the kernel's audit: this kernel has "
		    "none");
	case EPERM:
	case EACCES:
		return err_set(err, -EPERM, "the kernel's audit: not permitted "
		    "(CAP_AUDIT_CONTROL, CAP_AUDIT_WRITE); aegshctl audit "
		    "sign, which root runs, tells it of all records");
	case ECONNREFUSED:
		return err_set(err, rc, "the kernel's audit: it hears nobody "
		    "in a container with users of its own");
	default:
		return err_sys(err, -rc, "the kernel's audit");
	}
}

/* Connected, so that nobody but the kernel can answer. */
static int
open_socket(void)
{
	const char *other = sysdirs()->kernel_audit;
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct sockaddr *to = (struct sockaddr *)&kernel;
	socklen_t len = sizeof kernel;
	int fd, rc;

	if (other == NULL) {
		fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
		    NETLINK_AUDIT);
	} else {
		if (strlen(other) >= sizeof un.sun_path)
			return -ENAMETOOLONG;
		memcpy(un.sun_path, other, strlen(other) + 1);
		to = (struct sockaddr *)&un;
		len = sizeof un;
		fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	}
	rc = fd < 0 || connect(fd, to, len) < 0 ? -errno : fd;
	if (rc < 0)
		io_close(&fd);
	return rc;
}

static int
ask(int fd, uint16_t type, uint32_t seq, const char *text)
{
	struct message m = { .head = { .nlmsg_type = type,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		.nlmsg_seq = seq } };
	size_t len = text != NULL ? strlen(text) + 1 : 0;
	ssize_t n;

	if (len > TEXT_MAX)
		return -EMSGSIZE;
	if (len > 0)
		memcpy(NLMSG_DATA(&m.head), text, len);
	m.head.nlmsg_len = NLMSG_LENGTH(len);
	do
		n = send(fd, &m, NLMSG_ALIGN(m.head.nlmsg_len), MSG_DONTWAIT |
		    MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* One message that answers seq; -ETIMEDOUT: none by then (mono). */
static int
hear(int fd, uint32_t seq, int64_t until_ns, struct message *ret)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = until_ns - clock_mono_ns();
		ssize_t n;

		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(&p, 1, (int)(left / 1000000) + 1) <= 0)
			continue;
		n = recv(fd, ret, sizeof *ret, MSG_DONTWAIT);
		if (n == 0)
			return -ECONNRESET;
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (n < (ssize_t)sizeof ret->head ||
		    ret->head.nlmsg_len < sizeof ret->head ||
		    ret->head.nlmsg_len > (size_t)n ||
		    ret->head.nlmsg_seq != seq)
			continue;
		return 0;
	}
}

static bool
has(const struct message *m, size_t len)
{
	return m->head.nlmsg_len >= NLMSG_LENGTH(len);
}

/* The answers to seq: its acknowledgement, and the status where that was
 * asked for, in either order. */
static int
settle(int fd, uint32_t seq, bool *ret_on)
{
	const int64_t until = clock_mono_ns() + ANSWER_NS;
	bool acked = false, known = ret_on == NULL;
	struct message m;

	while (!acked || !known) {
		int rc = hear(fd, seq, until, &m), code;

		if (rc < 0)
			return rc;
		if (m.head.nlmsg_type == NLMSG_ERROR && has(&m, sizeof code)) {
			memcpy(&code, NLMSG_DATA(&m.head), sizeof code);
			if (code != 0)
				return code < 0 ? code : -EPROTO;
			acked = true;
		} else if (m.head.nlmsg_type == AUDIT_GET && ret_on != NULL &&
		    has(&m, 2 * sizeof(uint32_t))) {
			uint32_t first[2];	/* mask, enabled */

			memcpy(first, NLMSG_DATA(&m.head), sizeof first);
			*ret_on = first[1] != 0;
			known = true;
		}
	}
	return 0;
}

/* A socket to one that is on. */
static int
open_audit(struct err *err)
{
	AEG_AUTOFD int fd = open_socket();
	bool on = false;
	int rc = fd < 0 ? fd : ask(fd, AUDIT_GET, 1, NULL);

	if (rc == 0)
		rc = settle(fd, 1, &on);
	if (rc < 0)
		return kernel_failed(rc, err);
	if (!on)
		return err_set(err, ERR_LAYER, "the kernel's audit is off "
		    "(auditctl -e 1 turns it on)");
	rc = fd;
	fd = -1;
	return rc;
}

/* line NULL: whether it is on, and hears us. */
static int
tell(const char *line, struct err *err)
{
	AEG_AUTOFD int fd = open_audit(err);
	int rc = fd;

	if (fd < 0 || line == NULL)
		return fd < 0 ? rc : 0;
	rc = ask(fd, TRUSTED_APP, 2, line);
	if (rc == 0)
		rc = settle(fd, 2, NULL);
	return rc < 0 ? kernel_failed(rc, err) : 0;
}

/* ---- a process of its own ------------------------------------------------ */

struct said {			/* by it, in one write */
	int code;
	char text[ERR_TEXT_MAX];
};
_Static_assert(sizeof(struct said) <= PIPE_BUF, "it comes whole");

static pid_t held;		/* that was not waited for any longer, or 0 */

static void __attribute__((noreturn))
tell_and_say(const char *line, int to)
{
	struct said said = { .code = 0 };
	struct err err = ERR_INIT;

	audit_writer_become(to, "aegsh-witness");
	said.code = tell(line, &err);
	memcpy(said.text, err.text, sizeof said.text);
	if (write(AUDIT_WRITER_FD, &said, sizeof said) != sizeof said)
		_exit(1);
	_exit(0);
}

/* 0: it said that; -ETIMEDOUT: nothing by then, -ECHILD: nor will it. */
static int
listen_to(int fd, struct said *ret)
{
	int64_t until = clock_mono_ns() + ANSWER_NS;

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = until - clock_mono_ns();
		ssize_t n;

		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(&p, 1, (int)(left / 1000000) + 1) <= 0)
			continue;
		n = read(fd, ret, sizeof *ret);
		if (n == (ssize_t)sizeof *ret)
			return 0;
		if (n >= 0 || errno != EINTR)
			return -ECHILD;
	}
}

/* One that somebody has stopped is held by nobody else, and goes. */
static bool
is_held(void)
{
	int status;
	pid_t got = held > 0 ? waitpid(held, &status, WNOHANG | WUNTRACED) : -1;

	if (got == 0)
		return true;
	if (got > 0 && WIFSTOPPED(status))
		audit_writer_end(held);
	held = 0;
	return false;
}

static int
by_process(const char *line, struct err *err)
{
	struct said said;
	int ends[2], rc;
	pid_t pid;

	if (is_held())
		return err_set(err, -EBUSY, "the kernel's audit: it has not "
		    "taken what it was told before (its queue is full)");
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(err, errno, "the kernel's audit: pipe");
	pid = fork();
	if (pid == 0)
		tell_and_say(line, io_move_up(ends[1], STDERR_FILENO + 1));
	rc = pid < 0 ? -errno : 0;
	io_close(&ends[1]);
	if (pid > 0) {
		rc = listen_to(ends[0], &said);
		/* Or somebody has stopped it. */
		if (rc == -ETIMEDOUT) {
			held = pid;
			kill(pid, SIGCONT);
		} else {
			audit_writer_end(pid);
		}
	}
	io_close(&ends[0]);
	if (rc < 0)
		return kernel_failed(rc, err);
	return said.code == 0 ? 0 : err_set(err, said.code, "%s", said.text);
}

int
audit_kernel_probe(struct err *err)
{
	return by_process(NULL, err);
}

int
audit_kernel_tell(const char *line, struct err *err)
{
	return by_process(line, err);
}
