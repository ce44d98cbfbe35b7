/* SPDX-License-Identifier: ISC */
/* What one line left behind: the life of a capture, times and verdict. */
#include "capture/capture_int.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

/* What may lie unread in the channel when the leader is dead. */
#define DRAIN_FEEDS 4

int
capture_new(size_t max, struct capture **ret, struct err *err)
{
	struct capture *c;
	int pair[2] = { -1, -1 }, on = 1;

	if (max > 0) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
		    pair) < 0)
			return err_sys(err, errno, "capture: socketpair");
		if (setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on,
		    sizeof(on)) < 0) {
			int r = err_sys(err, errno, "capture: SO_PASSCRED");

			io_close(&pair[0]);
			io_close(&pair[1]);
			return r;
		}
	}
	c = xmalloc(sizeof(*c));
	memset(c, 0, offsetof(struct capture, chunk));
	c->max = max;
	c->frame.max = max + 2 * CAPTURE_CHUNK;
	c->patience_ns = CAPTURE_PATIENCE_NS;
	c->fd = pair[0];
	c->child_fd = pair[1];
	c->cwd_fd = -1;
	c->verdict = max > 0 ? CAPTURE_MISSING : CAPTURE_NOT_ASKED;
	c->why = max > 0 ? "the line has not ended" : "not asked for";
	capture_peer_init(&c->leader);
	*ret = c;
	return 0;
}

void
capture_free(struct capture *c)
{
	if (c == NULL)
		return;
	io_close(&c->fd);
	io_close(&c->child_fd);
	io_close(&c->cwd_fd);
	capture_peer_done(&c->leader);
	buf_done(&c->answer);
	buf_done(&c->frame);
	free(c);
}

int
capture_child_fd(const struct capture *c)
{
	return c->child_fd;
}

int
capture_poll_fd(const struct capture *c)
{
	return c->fd;
}

/* One entry as printf's %b reads it, on a line of its own. */
static void
put_entry(struct buf *b, const char *entry)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789/._-+,:=@%~";
	const unsigned char *p = (const unsigned char *)entry;

	if (*p == '\0')
		buf_puts(b, "\\c");
	for (; *p != '\0'; p++) {
		if (strchr(plain, *p) != NULL)
			buf_putc(b, (char)*p);
		else
			buf_putf(b, "\\0%03o", *p);
	}
	buf_putc(b, '\n');
}

int
capture_dirs(struct capture *c, char *const *entries)
{
	size_t n = 0;

	buf_done(&c->answer);
	c->answer.max = CAPTURE_DIRS_MAX;
	while (entries[n] != NULL)
		n++;
	while (n > 0)
		put_entry(&c->answer, entries[--n]);
	if (!buf_overflow(&c->answer))
		return 0;
	buf_done(&c->answer);
	return ERR_TOO_LONG;
}

void
capture_begin(struct capture *c, pid_t leader)
{
	io_close(&c->child_fd);
	c->leader.pid = leader;
	c->start_ns = clock_mono_ns();
}

static int64_t
timeval_ns(struct timeval tv)
{
	return (int64_t)tv.tv_sec * 1000000000 + (int64_t)tv.tv_usec * 1000;
}

/* The leader is dead and the channel empty. */
static void
judge(struct capture *c)
{
	if (c->max == 0 || c->stage == CAPTURE_BROKEN)
		return;
	c->verdict = CAPTURE_MISSING;
	if (c->stage == CAPTURE_AT_HELLO)
		c->why = "bash did not read its start text";
	else if (c->stage == CAPTURE_AT_FRAME && c->stray)
		c->why = "no frame came, but bytes of another process did";
	else if (c->stage == CAPTURE_AT_FRAME && c->in_frame)
		c->why = "the frame was not finished";
	else if (c->stage == CAPTURE_AT_FRAME)
		c->why = "bash ended without its exit trap";
	else if (WIFSIGNALED(c->wait_status) &&
	    WTERMSIG(c->wait_status) == SIGKILL)
		c->why = "bash was killed";
	else if (c->too_long) {
		c->verdict = CAPTURE_TOO_LONG;
		c->why = "the frame is too long";
	} else {
		c->verdict = CAPTURE_VALID;
		c->why = "";
	}
}

void
capture_end(struct capture *c, int wait_status, const struct rusage *usage)
{
	int i;

	c->duration_ns = clock_mono_ns() - c->start_ns;
	c->wait_status = wait_status;
	if (usage != NULL) {
		c->cpu_ns = timeval_ns(usage->ru_utime) +
		    timeval_ns(usage->ru_stime);
		c->maxrss_kib = usage->ru_maxrss;
	}
	if (c->ended)
		return;
	/* Bounded: a descendant may go on writing for ever. */
	for (i = 0; c->fd >= 0 && i < DRAIN_FEEDS; i++)
		if (capture_feed(c) <= 0)
			break;
	c->ended = true;
	judge(c);
	io_close(&c->fd);
	capture_peer_done(&c->leader);
}

int
capture_cwd_fd(const struct capture *c)
{
	return c->ended && c->verdict == CAPTURE_VALID ? c->cwd_fd : -1;
}

const struct rlimit *
capture_limits(const struct capture *c)
{
	return c->ended && c->verdict == CAPTURE_VALID && c->has_limits ?
	    c->limits : NULL;
}

enum capture_frame
capture_frame(const struct capture *c, const char **ret_bytes,
    size_t *ret_len)
{
	if (c->ended && c->verdict == CAPTURE_VALID) {
		*ret_bytes = c->frame.data;
		*ret_len = c->frame.len;
	}
	return c->verdict;
}

const char *
capture_why(const struct capture *c)
{
	return c->why;
}

int64_t
capture_duration_ns(const struct capture *c)
{
	return c->duration_ns;
}

int64_t
capture_cpu_ns(const struct capture *c)
{
	return c->cpu_ns;
}

int64_t
capture_maxrss_kib(const struct capture *c)
{
	return c->maxrss_kib;
}
