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
	line_complete_fn *complete;
	void *ctx;
};

int
line_stream_new(int fd, line_complete_fn *complete, void *ctx,
    struct line_stream **ret)
{
	struct line_stream *s = xcalloc(1, sizeof *s);

	s->fd = fd;
	s->seeks = lseek(fd, 0, SEEK_CUR) >= 0;
	s->complete = complete;
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

enum line_result
line_stream_read(struct line_stream *s, struct buf *ret, struct err *err)
{
	const char *open = NULL;
	size_t from;
	int got;

	if (s->ended)
		return LINE_END;
	ret->max = LINE_MAX_BYTES;
	for (;;) {
		from = ret->len;
		got = read_line(s, ret);
		if (got == ERR_TOO_LONG) {
			err_set(err, got, "standard input: a command of more "
			    "than %zu bytes", LINE_MAX_BYTES);
			return LINE_FAILED;
		}
		if (got < 0) {
			err_sys(err, -got, "standard input");
			return LINE_FAILED;
		}
		if (got == 0) {
			s->ended = true;
			return ret->len > 0 ? LINE_OK : LINE_END;
		}
		if (!line_may_close(open, ret->data, from, ret->len))
			continue;
		if (s->complete(s->ctx, ret->data, ret->len, &open) != 0)
			return LINE_OK;
	}
}
