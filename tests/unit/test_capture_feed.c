/* SPDX-License-Identifier: ISC */
/*
 * The channel, with leaders that are no bash: forks of this test that write
 * what they are told, byte for byte.
 */
#include "capture/capture_int.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "tap.h"

#define START "\0AEGSH1\0"
#define FRAME START "_x\0D/\0" "0022\n\0END\n"
#define PATIENCE_MS 20000

/* What the leader does with its end, after hello when hello is set. */
struct play {
	const char *name;
	bool hello;
	void (*act)(int fd);
	enum capture_frame want;
	size_t max;		/* 0: 1000 */
	bool killed;		/* capture_end() hears of SIGKILL */
};

static void
say(int fd, const char *p, size_t len)
{
	if (io_write_full(fd, p, len) < 0)
		_exit(1);
}

#define SAY(fd, bytes) say((fd), (bytes), sizeof(bytes) - 1)

static void
frame(int fd)
{
	SAY(fd, FRAME);
}

static void
frame_by_bytes(int fd)
{
	static const char bytes[] = FRAME;
	size_t i;

	for (i = 0; i + 1 < sizeof(bytes); i++)
		say(fd, bytes + i, 1);
}

static void
garbage_first(int fd)
{
	SAY(fd, "garbage\0AEGSH\0\0END\n\0AEGSH1\0_y\0D/other\0" FRAME);
}

static void
marks_cut_short(int fd)
{
	SAY(fd, START "\0EN\0EN\0END \0AEGSH\0\0END\n");
}

static void
end_only(int fd)
{
	SAY(fd, "0022\n\0END\n");
}

static void
twice_at_once(int fd)
{
	SAY(fd, FRAME FRAME);
}

/* Until the stream ends. */
static void
hear_end(int fd)
{
	char c;

	while (read(fd, &c, 1) > 0)
		;
}

static void
twice(int fd)
{
	SAY(fd, FRAME);
	hear_end(fd);
	SAY(fd, FRAME);
}

static void
more_after(int fd)
{
	SAY(fd, FRAME);
	hear_end(fd);
	SAY(fd, "x");
}

static void
half(int fd)
{
	SAY(fd, START "_x\0D/\0" "0022\n");
}

static void
nothing(int fd)
{
}

static void
by_another(int fd)
{
	pid_t pid = fork();

	if (pid == 0) {
		SAY(fd, FRAME);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void
between_another(int fd)
{
	static const char bytes[] = FRAME;
	size_t i;

	for (i = 0; i + 1 < sizeof(bytes); i++) {
		pid_t pid = fork();

		if (pid == 0) {
			SAY(fd, "\0AEGSH1\0x\0END\n");
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		say(fd, bytes + i, 1);
	}
}

static void
flood(int fd)
{
	static const char zeros[65536];
	pid_t pid = fork();
	int i;

	if (pid == 0) {
		for (i = 0; i < 300; i++)
			say(fd, zeros, sizeof(zeros));
		_exit(0);
	}
	SAY(fd, FRAME);
	waitpid(pid, NULL, 0);
}

static void
long_frame(int fd)
{
	static char bytes[100000];

	memset(bytes, 'x', sizeof(bytes));
	SAY(fd, START);
	say(fd, bytes, sizeof(bytes));
	SAY(fd, "\0END\n");
}

static void
long_then_short(int fd)
{
	static char bytes[100000];

	memset(bytes, 'x', sizeof(bytes));
	SAY(fd, START);
	say(fd, bytes, sizeof(bytes));
	SAY(fd, FRAME);
}

static void
long_garbage(int fd)
{
	static char bytes[300000];

	memset(bytes, 'x', sizeof(bytes));
	say(fd, bytes, sizeof(bytes));
	SAY(fd, FRAME);
}

static void
send_fds(int fd, const char *bytes, size_t len)
{
	int fds[8] = { 0, 1, 2, fd, 0, 1, 2, fd };
	union {
		struct cmsghdr h;
		char bytes[CMSG_SPACE(sizeof(fds))];
	} control = { 0 };
	struct iovec iov = { (void *)(uintptr_t)bytes, len };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control) };

	control.h.cmsg_level = SOL_SOCKET;
	control.h.cmsg_type = SCM_RIGHTS;
	control.h.cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(&control.h), fds, sizeof(fds));
	if (sendmsg(fd, &m, 0) != (ssize_t)len)
		_exit(1);
}

static void
with_fds(int fd)
{
	static const char bytes[] = FRAME;

	send_fds(fd, bytes, sizeof(bytes) - 1);
}

static void
fds_by_another(int fd)
{
	pid_t pid = fork();

	if (pid == 0) {
		send_fds(fd, "x", 1);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	SAY(fd, FRAME);
}

static const struct play plays[] = {
	{ "a frame", true, frame, CAPTURE_VALID, 0, false },
	{ "byte by byte", true, frame_by_bytes, CAPTURE_VALID, 0, false },
	{ "garbage first", true, garbage_first, CAPTURE_VALID, 0, false },
	{ "marks cut short", true, marks_cut_short, CAPTURE_VALID, 0, false },
	{ "an end only", true, end_only, CAPTURE_MISSING, 0, false },
	{ "nothing", true, nothing, CAPTURE_MISSING, 0, false },
	{ "half a frame", true, half, CAPTURE_MISSING, 0, false },
	{ "two at once", true, twice_at_once, CAPTURE_FORGED, 0, false },
	{ "two, one by one", true, twice, CAPTURE_FORGED, 0, false },
	{ "a byte after", true, more_after, CAPTURE_FORGED, 0, false },
	{ "no hello", false, frame, CAPTURE_FORGED, 0, false },
	{ "not even that", false, nothing, CAPTURE_MISSING, 0, false },
	{ "killed", true, frame, CAPTURE_MISSING, 0, true },
	{ "by another", true, by_another, CAPTURE_MISSING, 0, false },
	{ "between another's", true, between_another, CAPTURE_VALID, 0, false },
	{ "a flood by another", true, flood, CAPTURE_VALID, 0, false },
	{ "too long", true, long_frame, CAPTURE_TOO_LONG, 0, false },
	{ "just not too long", true, long_frame, CAPTURE_VALID, 100013,
	    false },
	{ "a byte too long", true, long_frame, CAPTURE_TOO_LONG, 100012,
	    false },
	{ "too long, then short", true, long_then_short, CAPTURE_VALID, 0,
	    false },
	{ "long garbage", true, long_garbage, CAPTURE_VALID, 0, false },
	{ "descriptors", true, with_fds, CAPTURE_VALID, 0, false },
	{ "descriptors by another", true, fds_by_another, CAPTURE_VALID, 0,
	    false },
};

static int
open_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d != NULL && readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

/* The leader stays until it is let go: its end of the stream was heard and
 * the byte came over go. */
static pid_t
start_leader(const struct play *play, struct capture *c, const int go[2])
{
	int fd = capture_child_fd(c);
	pid_t pid = fork();
	char byte;

	if (pid != 0)
		return pid;
	/* Only one's own end, or the stream would never end. */
	close(capture_poll_fd(c));
	close(go[1]);
	if (play->hello) {
		SAY(fd, "\n");
		if (read(fd, &byte, 1) != 1 || byte != '\n')
			_exit(1);
	}
	play->act(fd);
	shutdown(fd, SHUT_WR);
	hear_end(fd);
	if (read(go[0], &byte, 1) < 0)
		_exit(1);
	_exit(0);
}

static void
run_play(const struct play *play)
{
	struct capture *c = NULL;
	const char *bytes = NULL;
	enum capture_frame got;
	size_t len = 0;
	int go[2], before, during, r, rounds = 0;
	struct pollfd p = { .events = POLLIN };
	pid_t pid;

	if (capture_new(play->max > 0 ? play->max : 1000, &c, NULL) < 0 ||
	    pipe(go) < 0)
		exit(99);
	pid = start_leader(play, c, go);
	capture_begin(c, pid);
	close(go[0]);
	before = open_fds();
	p.fd = capture_poll_fd(c);
	do {
		if (poll(&p, 1, PATIENCE_MS) <= 0) {
			OKF(false, "%s: went silent", play->name);
			break;
		}
		r = capture_feed(c);
		rounds++;
	} while (r > 0);
	/* What it waits for at the end of its play. */
	if (c->stage != CAPTURE_AT_EXIT && c->stage != CAPTURE_BROKEN)
		shutdown(capture_poll_fd(c), SHUT_WR);
	during = open_fds();
	close(go[1]);
	waitpid(pid, &r, 0);
	OKF(r == 0, "%s: the leader heard what it had to", play->name);
	capture_end(c, play->killed ? 9 : r, NULL);
	got = capture_frame(c, &bytes, &len);
	IS_INTN(got, play->want, play->name);
	if (got != play->want)
		printf("# %s (%d rounds)\n", capture_why(c), rounds);
	OKF(got == CAPTURE_VALID || *capture_why(c) != '\0', "and says why");
	OKF((got == CAPTURE_VALID) == (bytes != NULL), "bytes when valid");
	if (bytes != NULL)
		OKF(memcmp(bytes, CAPTURE_START, CAPTURE_START_LEN) == 0 &&
		    memcmp(bytes + len - CAPTURE_END_LEN, CAPTURE_END,
		    CAPTURE_END_LEN) == 0, "from mark to mark");
	/* The two more are the leader's address space and directory. */
	OKF(during <= before + 2, "no descriptor came through");
	capture_end(c, 0x700, NULL);
	IS_INTN(capture_frame(c, &bytes, &len), play->want, "an end is final");
	capture_free(c);
}

static void
test_empty(void)
{
	struct capture *c = NULL;
	int fd;

	IS_INT(capture_new(1000, &c, NULL), 0);
	IS_INTN(capture_feed(c), 1, "an empty channel does not block");
	fd = dup(capture_child_fd(c));
	capture_begin(c, getpid());
	IS_INT(capture_child_fd(c), -1);
	IS_INT(capture_feed(c), 1);
	close(fd);
	IS_INTN(capture_feed(c), 0, "the end of the stream");
	capture_end(c, 0, NULL);
	capture_free(c);
}

/* A channel too small for the answer: the leader goes on without it. */
static void
test_small_channel(void)
{
	struct capture *c = NULL;
	char entry[1001], *dirs[17];
	const char *bytes;
	int small = 4096, fd, i;
	size_t len;

	memset(entry, 'd', sizeof(entry) - 1);
	entry[sizeof(entry) - 1] = '\0';
	for (i = 0; i < 16; i++)
		dirs[i] = entry;
	dirs[16] = NULL;
	IS_INT(capture_new(1000, &c, NULL), 0);
	IS_INT(capture_dirs(c, dirs), 0);
	OK(setsockopt(capture_poll_fd(c), SOL_SOCKET, SO_SNDBUF, &small,
	    sizeof(small)) == 0);
	fd = dup(capture_child_fd(c));
	capture_begin(c, getpid());
	OK(write(fd, "\n", 1) == 1);
	IS_INT(capture_feed(c), 1);
	hear_end(fd);
	OKF(true, "the leader hears the end of the stream");
	OK(write(fd, "\0END\n", 5) == 5);
	capture_end(c, 0, NULL);
	IS_INT(capture_frame(c, &bytes, &len), CAPTURE_MISSING);
	OK(strstr(capture_why(c), "hello") != NULL);
	close(fd);
	capture_free(c);
}

int
main(void)
{
	size_t i;

	/* An empty environment has no bytes in /proc. */
	setenv("TEST", "1", 1);
	for (i = 0; i < AEG_NELEM(plays); i++)
		run_play(&plays[i]);
	test_empty();
	test_small_channel();
	return tap_done();
}
