/* SPDX-License-Identifier: ISC */
#include "aegsh/line.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A unit is complete when it holds a line that ends in ';'. */
static int
ends_in_semicolon(void *ctx, const char *text, size_t len,
    const char **ret_open)
{
	*(int *)ctx += 1;
	*ret_open = "x";
	return len >= 2 && text[len - 2] == ';';
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

	OKF(line_stream_new(fd, ends_in_semicolon, &calls, &s) == 0, "%s",
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
	OK(calls == 3);
	line_stream_free(s);
	buf_done(&text);
}

/* Complete at the line "END"; says that it waits for a here-document. */
static int
ends_at_end(void *ctx, const char *text, size_t len, const char **ret_open)
{
	*(int *)ctx += 1;
	*ret_open = "here-document END";
	return len >= 4 && strcmp(text + len - 4, "END\n") == 0;
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
	char text[] = "/var/tmp/t-aegsh.XXXXXX";
	struct line_stream *s = NULL;
	struct buf got = BUF_INIT;
	struct err err = ERR_INIT;
	int fd = mkstemp(text), calls = 0;
	size_t i;

	for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
		OKF(line_may_close(rows[i].open, rows[i].text, rows[i].from,
		    strlen(rows[i].text)) == rows[i].may, "closing, row %zu",
		    i);
	unlink(text);
	for (i = 0; i < 1000; i++)
		if (write(fd, "line\n", 5) != 5)
			break;
	OK(write(fd, "END\n", 4) == 4 && lseek(fd, 0, SEEK_SET) == 0);
	line_stream_new(fd, ends_at_end, &calls, &s);
	IS_INT(line_stream_read(s, &got, &err), LINE_OK);
	OKF(got.len == 5004 && calls == 2, "a long here-document is parsed "
	    "twice, not once a line (%d)", calls);
	line_stream_free(s);
	buf_done(&got);
	close(fd);
}

static void
check_cap(void)
{
	struct line_stream *s = NULL;
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC), calls = 0;

	line_stream_new(fd, ends_in_semicolon, &calls, &s);
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
