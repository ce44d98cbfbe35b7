/* SPDX-License-Identifier: ISC */
/*
 * Aegsh inside a supervised line.  The kernel lets a process have one
 * listener, so the inner one asks the supervisor that is there already to
 * hold its scripts too.
 *
 * It opens a name that leads nowhere, in a way of its own: where it is
 * supervised the supervisor answers with a socket, by the listener that the
 * kernel gave it, and no environment and no inherited descriptor is believed.
 * Any command of the line may do the same.  It gains nothing: what it may
 * have held is a file that it can read itself, whose bytes are compared before
 * they are given to anybody, and what the line was judged with cannot be
 * replaced.
 */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#define PATIENCE_MS 10000	/* for the answer */
#define HELD_MOST ((off_t)8 * 1024 * 1024)	/* bytes of one */

struct wish {
	uint32_t hidden, path_len;
};

union rights {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(2 * sizeof(int))];
};

/* ---- the inner one ------------------------------------------------------ */

static int
send_wish(int sock, const struct supervise_script *s)
{
	struct wish wish = { s->hidden, (uint32_t)strlen(s->path) };
	AEG_AUTOFD int file = s->hidden ? -1 : open(s->path, O_RDONLY |
	    O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const int fds[2] = { s->copy, file };
	size_t n = file >= 0 ? 2 : 1;
	union rights control = { .bytes = { 0 } };
	struct iovec iov[2] = { { &wish, sizeof wish },
		{ (void *)(uintptr_t)s->path, wish.path_len } };
	struct msghdr m = { .msg_iov = iov, .msg_iovlen = 2,
		.msg_control = control.bytes,
		.msg_controllen = CMSG_SPACE(n * sizeof(int)) };

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(&control.head), fds, n * sizeof(int));
	return sendmsg(sock, &m, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int
get_answer(int sock)
{
	struct pollfd p = { .fd = sock, .events = POLLIN };
	int32_t answer;

	if (poll(&p, 1, PATIENCE_MS) <= 0 || recv(sock, &answer,
	    sizeof answer, 0) != (ssize_t)sizeof answer)
		return -EPIPE;
	return answer <= 0 ? answer : -EPROTO;
}

/* 1: the supervisor around us has taken them; 0: there is none. */
int
sup_ask_outer(const struct supervise_opts *o, struct err *err)
{
	AEG_AUTOFD int sock = (int)syscall(SYS_openat, AT_FDCWD, SUP_DOOR,
	    O_RDONLY | O_CLOEXEC, SUP_DOOR_MODE);
	struct stat st;
	size_t i;
	int rc;

	if (sock < 0 || fstat(sock, &st) < 0 || !S_ISSOCK(st.st_mode))
		return 0;
	for (i = 0; i < o->n; i++) {
		rc = send_wish(sock, &o->script[i]);
		if (rc == 0)
			rc = get_answer(sock);
		if (rc == -EBADMSG)
			return err_set(err, ERR_REFUSED, "%s is not what the "
			    "line around this one was judged with",
			    o->script[i].path);
		if (rc < 0)
			return err_sys(err, -rc, "the supervisor of the line "
			    "around this one: %s", o->script[i].path);
	}
	return 1;
}

/* ---- the supervisor's side ---------------------------------------------- */

enum sup_answer
sup_inner_open(struct sup *s)
{
	int ends[2] = { -1, -1 }, *place = NULL, rc;
	size_t i;

	for (i = 0; i < SUP_INNER_MAX; i++)
		if (s->inner[i] < 0)
			place = &s->inner[i];
	s->answer->error = -EMFILE;
	if (place == NULL || socketpair(AF_UNIX, SOCK_SEQPACKET |
	    SOCK_CLOEXEC, 0, ends) < 0)
		return SUP_REFUSE;
	rc = sup_give(s, ends[1], O_CLOEXEC);
	io_close(&ends[1]);
	if (rc < 0) {
		io_close(&ends[0]);
		return SUP_REFUSE;
	}
	*place = ends[0];
	return SUP_ANSWERED;
}

/* It says the same for ever, and it is no more than we would read. */
static bool
is_held(int fd)
{
	const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK;
	struct stat st;
	int has = fcntl(fd, F_GET_SEALS);

	return has >= 0 && (has & seals) == seals && fstat(fd, &st) == 0 &&
	    st.st_size <= HELD_MOST;
}

static bool
is_that_file(int fd, const char *path)
{
	struct stat a, b;

	return fd >= 0 && fstat(fd, &a) == 0 && stat(path, &b) == 0 &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino &&
	    (fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH)) == O_RDONLY;
}

static struct sup_script *
by_path(struct sup *s, const char *path)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (strcmp(s->script[i].name[0], path) == 0)
			return &s->script[i];
	return NULL;
}

static int
hold(struct sup *s, const struct supervise_script *wish, int *copy)
{
	struct sup_script *there = by_path(s, wish->path);

	if (there == NULL && s->n == SUP_SCRIPTS_MAX)
		return -ENOSPC;
	if (there != NULL)
		sup_script_done(there);
	else
		there = &s->script[s->n++];
	sup_script_set(there, wish);
	*copy = -1;
	return 0;
}

static int
take_wish(struct sup *s, const char *bytes, size_t len, int *fd)
{
	struct supervise_script script = { .copy = fd[0] };
	const struct sup_script *there;
	AEG_AUTOFREE char *path = NULL, *canon = NULL;
	struct wish wish;

	if (len < sizeof wish)
		return -EPROTO;
	memcpy(&wish, bytes, sizeof wish);
	if (len != sizeof wish + wish.path_len || wish.path_len == 0 ||
	    memchr(bytes + sizeof wish, '\0', wish.path_len) != NULL)
		return -EPROTO;
	path = xmemdup0(bytes + sizeof wish, wish.path_len);
	canon = path_canon("/", path);
	script.path = path;
	script.hidden = wish.hidden != 0;
	if (path[0] != '/' || strcmp(path, canon) != 0)
		return -EPROTO;
	there = by_path(s, path);
	if (there != NULL && there < s->script + s->n_judged)
		return sup_script_same(there, script.copy) ? 0 : -EBADMSG;
	if (!is_held(script.copy) || (!script.hidden &&
	    !is_that_file(fd[1], path)))
		return -EACCES;
	return hold(s, &script, &fd[0]);
}

void
sup_inner_hear(struct sup *s, int *sock)
{
	char bytes[sizeof(struct wish) + SUP_PATH_MAX];
	int fd[2];
	int32_t answer;
	ssize_t n = sup_receive(*sock, bytes, sizeof bytes, fd, 2);

	if (n == -EAGAIN)
		return;
	if (n <= 0) {
		io_close(&fd[0]);
		io_close(&fd[1]);
		io_close(sock);
		return;
	}
	answer = take_wish(s, bytes, (size_t)n, fd);
	io_close(&fd[0]);
	io_close(&fd[1]);
	if (send(*sock, &answer, sizeof answer, MSG_NOSIGNAL |
	    MSG_DONTWAIT) < 0)
		io_close(sock);
}
