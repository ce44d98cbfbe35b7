/* SPDX-License-Identifier: ISC */
#include "aegsh/line.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A unit is complete when it holds a line that ends in ';'. */
static void
cut_at_semicolon(void *ctx, const char *text, size_t len, line_next_fn *next,
    void *next_ctx)
{
	do
		*(int *)ctx += 1;
	while ((len < 2 || text[len - 2] != ';') &&
	    next(next_ctx, &text, &len));
}

static void
check_stream(int fd, const char *kind)
{
	struct line_stream *s = NULL;
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	char rest[64];
	int calls = 0;
	ssize_t n;

	OKF(line_stream_new(fd, cut_at_semicolon, &calls, &s) == 0, "%s",
	    kind);
	IS_INT(line_stream_read(s, &text, &err), LINE_OK);
	IS_STR(text.data, "one;\n");
	n = read(fd, rest, 4);
	OKF(n == 4 && memcmp(rest, "two\n", 4) == 0,
	    "%s: a command finds the rest of the stream", kind);
	buf_reset(&text);
	IS_INT(line_stream_read(s, &text, &err), LINE_OK);
	IS_STR(text.data, "three\nfour;\n");
	buf_reset(&text);
	IS_INT(line_stream_read(s, &text, &err), LINE_OK);
	IS_STRN(text.data, "open", "an incomplete rest comes once");
	buf_reset(&text);
	IS_INT(line_stream_read(s, &text, &err), LINE_END);
	OKF(calls == 3, "no line is asked for that is not needed");
	line_stream_free(s);
	buf_done(&text);
}

static void
check_closing(void)
{
	static const struct {
		const char *open, *text;
		size_t from;
		bool may;
	} rows[] = {
		{ NULL, "a\n", 0, true },
		{ "a command", "a\nb\n", 2, true },
		{ "here-document X", "a\nb\n", 2, false },
		{ "here-document X", "a\nX\n", 2, true },
		{ "here-document X", "X\nb\n", 2, false },
		{ "here-document XY", "X\\\nY\n", 3, true },
		{ "here-document ", "a\nb\n", 2, true },
		{ "quote '", "a'\nb\n", 3, false },
		{ "quote \"", "a\"\nb\"\n", 3, true },
	};
	size_t i;

	for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
		OKF(line_may_close(rows[i].open, rows[i].text, rows[i].from,
		    strlen(rows[i].text)) == rows[i].may, "closing, row %zu",
		    i);
}

static void
check_cap(void)
{
	struct line_stream *s = NULL;
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC), calls = 0;

	line_stream_new(fd, cut_at_semicolon, &calls, &s);
	IS_INTN(line_stream_read(s, &text, &err), LINE_FAILED,
	    "an endless line is refused");
	IS_INT(err.code, ERR_TOO_LONG);
	line_stream_free(s);
	buf_done(&text);
	close(fd);
}

int
main(void)
{
	static const char input[] = "one;\ntwo\nthree\nfour;\nopen";
	char name[] = "/tmp/aegsh-test-XXXXXX";
	int p[2], fd;

	OK(pipe(p) == 0);
	OK(write(p[1], input, sizeof input - 1) == sizeof input - 1);
	close(p[1]);
	check_stream(p[0], "pipe");
	close(p[0]);
	fd = mkstemp(name);
	OK(fd >= 0);
	OK(write(fd, input, sizeof input - 1) == sizeof input - 1);
	OK(lseek(fd, 0, SEEK_SET) == 0);
	check_stream(fd, "file");
	close(fd);
	unlink(name);
	check_closing();
	check_cap();
	return tap_done();
}
