/* SPDX-License-Identifier: ISC */
/* A recording that a process of its own writes is the same, whatever becomes
 * of that process; and no put waits for it. */
#include "aegsh/cast.h"
#include "aegsh/cast_files.h"
#include "aegsh/cast_read.h"
#include "held.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define MS INT64_C(1000000)
#define SOON (300 * MS)
#define LATE (INT64_C(480) * 1000 * MS)	/* for a disk that answers */

static unsigned char session[UUID_LEN] = { 1 }, line[UUID_LEN] = { 7 };
static struct redact *redact;

static struct cast *
start(int64_t wait_ns)
{
	struct cast_setup setup = { .dir = scratch_dir, .redact = redact,
		.keep = CAST_KEEP_FULL, .line_max = CAST_LINE_MOST,
		.wall_ns = 1700000000000 * MS, .wait_ns = wait_ns };

	session[0]++;
	memcpy(setup.session, session, sizeof session);
	return cast_new(&setup);
}

static int
open_cast(int flags)
{
	char uuid[UUID_TEXT];
	AEG_AUTOFREE char *path = NULL;

	uuid_text(session, uuid);
	path = xasprintf("%s/" CAST_DIR "/%s.cast", scratch_dir, uuid);
	return open(path, flags | O_CLOEXEC);
}

static void
read_file(struct buf *ret)
{
	AEG_AUTOFD int fd = open_cast(O_RDONLY);

	buf_reset(ret);
	if (fd >= 0)
		io_read_all(fd, ret);
}

/* How much output is in the file, and how many marks of that kind. */
static size_t
count(enum cast_code code, unsigned *ret_marks)
{
	struct cast_reader *r = NULL;
	struct cast_event ev;
	struct err err = ERR_INIT;
	size_t bytes = 0;
	int rc = cast_reader_open(scratch_dir, session, &r, &err);

	*ret_marks = 0;
	while (rc >= 0 && (rc = cast_reader_next(r, &ev, &err)) == 1) {
		bytes += ev.code == CAST_CODE_OUT ? ev.len : 0;
		*ret_marks += ev.code == code;
	}
	cast_reader_free(r);
	return bytes;
}

static bool
is_hashed(const struct cast_line *l)
{
	unsigned char hash[CAST_HASH_LEN];

	return cast_hash(scratch_dir, session, l->offset, l->length, hash,
	    NULL) == 0 && memcmp(hash, l->sha256, sizeof hash) == 0;
}

/* Our child of that name; 0: there is none. */
static pid_t
keeper(void)
{
	AEG_AUTOFREE char *path = xasprintf("/proc/self/task/%d/children",
	    (int)getpid());
	AEG_AUTOFD int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct buf b = BUF_INIT;
	pid_t pid = 0;

	if (fd < 0 || io_read_all(fd, &b) < 0)
		scratch_die(path);
	if (b.len > 0)
		pid = (pid_t)strtol(b.data, NULL, 10);
	buf_done(&b);
	return pid;
}

static void
settle_down(void)
{
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static void
some_lines(struct cast *c)
{
	char text[200];
	int i, k;

	for (i = 0; i < 20; i++) {
		line[1] = (unsigned char)i;
		cast_begin(c, line, i * 1000 * MS);
		for (k = 0; k < i * 40; k++) {
			snprintf(text, sizeof text, "\033[1mline %d, %d\033[m "
			    "password: secret-%d\r\n", i, k, i * k);
			cast_put(c, k % 7 ? CAST_OUT : CAST_ERR, text,
			    strlen(text), (i * 1000 + k) * MS);
		}
		if (i % 5 == 0)
			cast_resize(c, 80 + (unsigned)i, 24, i * 1000 * MS);
		cast_put(c, CAST_LATE_OUT, "late\n", 5, i * 1000 * MS);
		cast_end(c);
	}
}

static void
is_the_same(void)
{
	AEG_AUTO(buf_done) struct buf want = BUF_INIT, got = BUF_INIT;
	struct cast *c = start(0);
	const struct cast_line *l;

	some_lines(c);
	cast_free(c);
	read_file(&want);
	c = start(LATE);
	OK(keeper() == 0);
	some_lines(c);
	cast_begin(c, line, 0);
	l = cast_end(c);
	OK(!l->filed && cast_trouble(c) == NULL);
	OK(keeper() > 0);
	cast_free(c);
	settle_down();
	read_file(&got);
	OKF(want.len > 10000 && got.len == want.len &&
	    memcmp(got.data, want.data, got.len) == 0,
	    "%zu bytes, and %zu", got.len, want.len);
	/* A line's part is there, with its hash, once it is told. */
	c = start(LATE);
	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "first\n", 6, 0);
	l = cast_end(c);
	OK(l->filed && l->offset == 0 && l->out.kept == 6 && is_hashed(l));
	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "second\n", 7, 0);
	l = cast_end(c);
	OK(l->filed && l->offset > 0 && l->out.kept == 7 && is_hashed(l));
	cast_free(c);
	settle_down();
}

/* As much as many disks take in a second: what is too much is left out, and
 * that is in the file. */
static void
flood(struct cast *c)
{
	AEG_AUTOFREE char *block = xmalloc(10000);
	int i;

	for (i = 0; i < 10000; i++)
		block[i] = i % 50 == 49 ? '\n' : 'x';
	for (i = 0; i < 1500; i++) {
		if (i % 900 == 0)
			cast_begin(c, line, 0);
		cast_put(c, CAST_OUT, block, 10000, 0);
	}
}

static void
stalls(void)
{
	struct cast *c = start(SOON);
	const struct cast_line *l;
	const char *why;
	unsigned marks = 0, times = 0;
	pid_t pid;

	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "first\n", 6, 0);
	pid = keeper();
	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	flood(c);
	l = cast_end(c);
	why = cast_trouble(c);
	OKF(!l->filed && l->out.bytes == 6000000 && why != NULL &&
	    strstr(why, "record-wait") != NULL, "%s", why);
	OK(cast_trouble(c) == NULL && cast_poll_fd(c) >= 0);
	kill(pid, SIGCONT);
	/* As soon as it answers, lines are in the file again. */
	do {
		cast_begin(c, line, 0);
		cast_put(c, CAST_OUT, "again\n", 6, 0);
		l = cast_end(c);
		times++;
	} while (!l->filed && poll(NULL, 0, 1) == 0);
	OKF(is_hashed(l), "the part of a line, of %u", times);
	why = cast_trouble(c);
	OKF(why != NULL && (strstr(why, "are not in it") != NULL ||
	    strstr(why, "record-wait") != NULL), "%s", why);
	cast_free(c);
	settle_down();
	OKF(count(CAST_CODE_MISSED, &marks) > 4000000 && marks >= 1,
	    "%u marks", marks);
}

static void
is_killed(void)
{
	struct cast *c = start(LATE);
	const struct cast_line *l;
	const char *why;
	pid_t pid;

	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "first\n", 6, 0);
	pid = keeper();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	cast_put(c, CAST_OUT, "second\n", 7, 0);
	l = cast_end(c);
	why = cast_trouble(c);
	OKF(!l->filed && l->out.kept == 0 && l->out.head_len == 13 &&
	    why != NULL && strstr(why, "was ended") != NULL, "%s", why);
	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "third\n", 6, 0);
	l = cast_end(c);
	OK(l->filed && is_hashed(l) && cast_trouble(c) == NULL);
	cast_free(c);
	settle_down();
}

/* Half of an event, long enough for more than one look back. */
static void
leave_half(void)
{
	AEG_AUTO(buf_done) struct buf half = BUF_INIT;
	AEG_AUTOFD int fd = open_cast(O_WRONLY | O_APPEND);

	buf_puts(&half, "[1.000000, \"o\", \"");
	while (half.len < 200000)
		buf_puts(&half, "half of it ");
	IS_INT(io_write_full(fd, half.data, half.len), 0);
}

/* While it writes: what comes next is no part of the half that it left. */
static void
is_killed_halfway(void)
{
	struct cast *c = start(LATE);
	const struct cast_line *l;
	unsigned marks;
	pid_t pid;

	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "first\n", 6, 0);
	l = cast_end(c);
	OK(l->filed && is_hashed(l));
	leave_half();
	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "second\n", 7, 0);
	l = cast_end(c);
	OKF(l->filed && is_hashed(l), "who writes to it already goes on");
	pid = keeper();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	leave_half();
	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "lost\n", 5, 0);
	OK(!cast_end(c)->filed && cast_trouble(c) != NULL);
	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "third\n", 6, 0);
	l = cast_end(c);
	OKF(l->filed && is_hashed(l), "and who comes after it");
	cast_free(c);
	settle_down();
	IS_INT((int)count(CAST_CODE_LINE, &marks), 6 + 7 + 6);
	IS_INT((int)marks, 3);
}

/* Whoever ends does not wait for long, and all of it is written. */
static void
ends_first(void)
{
	struct cast *c = start(SOON);
	unsigned marks;
	pid_t pid;
	int i;

	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "first\n", 6, 0);
	pid = keeper();
	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	for (i = 0; i < 100000; i++)
		cast_put(c, CAST_OUT, "more of it\n", 11, 0);
	cast_free(c);
	kill(pid, SIGCONT);
	settle_down();
	IS_INT((int)count(CAST_CODE_MISSED, &marks), 6 + 1100000);
	IS_INT((int)marks, 0);
}

/* A sync that does not return: at the end, and now and then before. */
static void
syncs(void)
{
	struct held h = HELD_INIT;
	const struct cast_line *l;
	struct cast *c;

	if (!held_begin(&h, SYS_fdatasync)) {
		SKIP(1, "a sync that does not return: no filter can be had");
		return;
	}
	c = start(SOON);
	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "first\n", 6, 0);
	cast_free(c);
	OKF(held_answer(&h, 0), "it syncs at the end");
	settle_down();
	c = start(LATE);
	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "first\n", 6, 0);
	OKF(held_answer(&h, EIO), "and while it goes on");
	cast_put(c, CAST_OUT, "second\n", 7, 0);
	l = cast_end(c);
	OKF(!l->filed && strstr(cast_trouble(c), "sync") != NULL,
	    "which fails");
	held_end(&h);
	do {
		cast_begin(c, line, 0);
		cast_put(c, CAST_OUT, "third\n", 6, 0);
		l = cast_end(c);
	} while (!l->filed);
	OK(is_hashed(l));
	cast_free(c);
	settle_down();
}

int
main(void)
{
	scratch_new();
	redact = redact_new();
	is_the_same();
	stalls();
	is_killed();
	is_killed_halfway();
	ends_first();
	syncs();
	redact_free(redact);
	return tap_done();
}
