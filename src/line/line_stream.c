/* SPDX-License-Identifier: ISC */
/*
 * The stream reader: takes exactly one complete unit from a descriptor that
 * commands read too.  On a file that can seek it reads a block and puts the
 * rest back; elsewhere byte by byte, as POSIX asks of sh (XCU sh, STDIN).
 */
#include "aegsh/line.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

#define LINE_STREAM_BLOCK 4096

struct line_stream {
	int fd;
	bool seeks, ended;
	line_cut_fn *cut;
	void *ctx;
	struct buf *to;		/* of the present read */
	int got;		/* of its last line */
};

int
line_stream_new(int fd, line_cut_fn *cut, void *ctx, struct line_stream **ret)
{
	struct line_stream *s = xcalloc(1, sizeof *s);

	s->fd = fd;
	s->seeks = lseek(fd, 0, SEEK_CUR) >= 0;
	s->cut = cut;
	s->ctx = ctx;
	*ret = s;
	return 0;
}

void
line_stream_free(struct line_stream *s)
{
	free(s);
}

static ssize_t
read_some(int fd, char *to, size_t len)
{
	ssize_t n;

	do
		n = read(fd, to, len);
	while (n < 0 && errno == EINTR);
	return n;
}

/* Up to and with the next newline, appended.  1 a line, 0 the end, -errno. */
static int
read_line(struct line_stream *s, struct buf *to)
{
	char block[LINE_STREAM_BLOCK], *newline;
	size_t want = s->seeks ? sizeof block : 1, take;
	ssize_t n;

	for (;;) {
		n = read_some(s->fd, block, want);
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		newline = memchr(block, '\n', (size_t)n);
		take = newline != NULL ? (size_t)(newline - block) + 1 :
		    (size_t)n;
		if (take < (size_t)n &&
		    lseek(s->fd, (off_t)take - n, SEEK_CUR) < 0)
			return -errno;
		buf_put(to, block, take);
		if (buf_overflow(to))
			return ERR_TOO_LONG;
		if (newline != NULL)
			return 1;
	}
}

static bool
next_line(void *ctx, const char **ret, size_t *ret_len)
{
	struct line_stream *s = ctx;
	size_t from = s->to->len;

	s->got = read_line(s, s->to);
	if (s->got == 0)
		s->ended = true;
	if (s->got < 0 || s->to->len == from)
		return false;
	*ret = s->to->data + from;
	*ret_len = s->to->len - from;
	return true;
}

enum line_result
line_stream_read(struct line_stream *s, struct buf *ret, struct err *err)
{
	const char *line;
	size_t len;

	if (s->ended)
		return LINE_END;
	ret->max = LINE_MAX_BYTES;
	s->to = ret;
	/* A last line without newline is what it is. */
	if (next_line(s, &line, &len) && s->got > 0)
		s->cut(s->ctx, ret->data, ret->len, next_line, s);
	if (s->got == ERR_TOO_LONG) {
		err_set(err, s->got, "standard input: a command of more "
		    "than %zu bytes", LINE_MAX_BYTES);
		return LINE_FAILED;
	}
	if (s->got < 0) {
		err_sys(err, -s->got, "standard input");
		return LINE_FAILED;
	}
	return ret->len > 0 ? LINE_OK : LINE_END;
}
