/* SPDX-License-Identifier: ISC */
/* Aegsh's side: pipes for the line, the process between, and losing it. */
#include "relay/relay_int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

struct relay {
	pid_t pid;
	int control;
	int child[RELAY_STREAMS];	/* for 1 and 2, or -1 */
	bool same;			/* 2 is 1's */
	bool lost;
	struct relay_said said;
};

static bool
is_pipe(int fd, struct stat *ret)
{
	return fstat(fd, ret) == 0 && S_ISFIFO(ret->st_mode);
}

/* Which of both, and whether they are one. */
static bool
find_pipes(bool is[RELAY_STREAMS], bool *ret_same)
{
	struct stat st[RELAY_STREAMS];

	is[0] = is_pipe(STDOUT_FILENO, &st[0]);
	is[1] = is_pipe(STDERR_FILENO, &st[1]);
	*ret_same = is[0] && is[1] && st[0].st_dev == st[1].st_dev &&
	    st[0].st_ino == st[1].st_ino;
	return is[0] || is[1];
}

/* A pipe in the place of fd: what can be seen of the one that is there can be
 * seen of it. */
static int
open_stream(int fd, struct relay_stream *s, int *ret_child)
{
	int ends[2], flags = fcntl(fd, F_GETFL), size;

	if (flags < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	s->in = ends[0];
	*ret_child = ends[1];
	size = fcntl(fd, F_GETPIPE_SZ);
	if (size > 0)	/* more than a user may have stays as it comes */
		(void)fcntl(ends[1], F_SETPIPE_SZ, size);
	if ((flags & O_NONBLOCK) != 0 &&
	    fcntl(ends[1], F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	/* Only the process sees it, so nobody else's reads change. */
	if (fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	return 0;
}

static void
close_streams(struct relay_stream stream[RELAY_STREAMS])
{
	size_t i;

	for (i = 0; i < RELAY_STREAMS; i++)
		io_close(&stream[i].in);
}

static int
open_streams(struct relay *r, struct relay_stream stream[RELAY_STREAMS])
{
	bool is[RELAY_STREAMS];
	int rc = 0, i;

	if (!find_pipes(is, &r->same))
		return 0;
	for (i = 0; i < RELAY_STREAMS && rc >= 0; i++) {
		if (!is[i] || (i == 1 && r->same))
			continue;
		stream[i].out = STDOUT_FILENO + i;
		stream[i].as = i == 0 ? CAST_OUT : CAST_ERR;
		rc = open_stream(stream[i].out, &stream[i], &r->child[i]);
	}
	return rc < 0 ? rc : 1;
}

static int
fork_process(struct relay *r, const struct relay_opts *o,
    struct relay_stream stream[RELAY_STREAMS], struct err *err)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_sys(err, errno, "output: socketpair");
	pid = fork();
	if (pid == 0)
		relay_main(o, ends[1], stream);
	io_close(&ends[1]);
	r->control = ends[0];
	if (pid < 0)
		return err_sys(err, errno, "output: fork");
	r->pid = pid;
	return 0;
}

int
relay_start(const struct relay_opts *o, struct relay **ret, struct err *err)
{
	struct relay_stream stream[RELAY_STREAMS] = {
		{ -1, -1, CAST_OUT }, { -1, -1, CAST_ERR } };
	struct relay *r = xcalloc(1, sizeof *r);
	int rc;

	r->control = r->child[0] = r->child[1] = -1;
	r->said.kills = o->kills;
	snprintf(r->said.limit, sizeof r->said.limit, RELAY_MET
	    "limit-output: more than %" PRIu64 " MiB%s", o->most >> 20,
	    o->kills ? "" : "; the rest is left out");
	rc = open_streams(r, stream);
	if (rc < 0)
		err_sys(err, -rc, "output: a pipe");
	else if (rc > 0)
		rc = fork_process(r, o, stream, err);
	close_streams(stream);
	if (rc < 0 || r->pid == 0) {
		relay_free(r);
		r = NULL;
	}
	if (rc < 0)
		return rc;
	*ret = r;
	return 0;
}

int
relay_child_fd(const struct relay *r, int fd)
{
	if (fd != STDOUT_FILENO && fd != STDERR_FILENO)
		return -1;
	return r->child[r->same ? 0 : fd - STDOUT_FILENO];
}

void
relay_handed_over(struct relay *r)
{
	io_close(&r->child[0]);
	io_close(&r->child[1]);
}

pid_t
relay_pid(const struct relay *r)
{
	return r->pid;
}

int
relay_poll_fd(const struct relay *r)
{
	return r->lost ? -1 : r->control;
}

/* Not reaped by this: whoever ends a line does that. */
bool
relay_lost(struct relay *r)
{
	struct pollfd p = { .fd = r->control, .events = POLLIN };
	siginfo_t info = { .si_pid = 0 };

	if (r->lost)
		return true;
	relay_take_over(r->control, &r->said);
	if (relay_killed(r) != NULL)
		return true;
	/* Out of turn it says nothing, but that it is gone. */
	if (waitid(P_PID, (id_t)r->pid, &info, WEXITED | WSTOPPED | WNOHANG |
	    WNOWAIT) < 0 || info.si_pid != 0 || poll(&p, 1, 0) > 0) {
		kill(r->pid, SIGKILL);
		r->lost = true;
	}
	return r->lost;
}

const char *
relay_killed(const struct relay *r)
{
	return relay_said_killed(&r->said);
}

const char *
relay_limited(struct relay *r)
{
	return relay_said_limited(&r->said);
}

void
relay_line(struct relay *r, const unsigned char uuid[UUID_LEN])
{
	char word[1 + UUID_LEN] = { RELAY_LINE };

	memcpy(word + 1, uuid, UUID_LEN);
	relay_take_over(r->control, &r->said);
	r->said.over = r->said.over && r->said.kills;
	r->said.told = false;
	if (send(r->control, word, sizeof word, MSG_NOSIGNAL) < 0)
		(void)relay_lost(r);
}

int
relay_end(struct relay *r, const struct cast_line **ret,
    const char **ret_trouble)
{
	const char word = RELAY_END;
	int rc = -EPIPE;

	if (!r->lost && send(r->control, &word, 1, MSG_NOSIGNAL) == 1)
		rc = relay_await(r->control, r->pid, &r->said);
	if (rc <= 0) {
		kill(r->pid, SIGKILL);
		r->lost = true;
		return -EPIPE;
	}
	*ret = &r->said.line;
	*ret_trouble = r->said.trouble[0] != '\0' ? r->said.trouble : NULL;
	return 0;
}

void
relay_free(struct relay *r)
{
	if (r == NULL)
		return;
	relay_handed_over(r);
	io_close(&r->control);
	free(r->said.packet);
	free(r);
}
