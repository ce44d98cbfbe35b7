/* SPDX-License-Identifier: ISC */
/* What is written to a session's file comes back byte for byte, secrets
 * apart, however it was split. */
#include "aegsh/cast.h"
#include "aegsh/cast_files.h"
#include "aegsh/cast_read.h"
#include "pick.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define S INT64_C(1000000000)
#define MS INT64_C(1000000)

static unsigned char session[UUID_LEN] = { 1 }, line[UUID_LEN] = {
	0xab, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
static struct redact *redact;

/* Each test has a session of its own. */
static struct cast *
start(enum cast_keep keep, size_t line_max)
{
	struct cast_setup setup = { .dir = scratch_dir, .redact = redact,
		.keep = keep, .line_max = line_max, .width = 100,
		.height = 30, .term = "xterm-256color",
		.wall_ns = 1700000000 * S, .mono_ns = 5 * S };

	session[0]++;
	memcpy(setup.session, session, sizeof session);
	return cast_new(&setup);
}

/* The bytes of a stream, as the file has them. */
static void
read_back(struct buf *ret, enum cast_code code)
{
	struct cast_reader *r = NULL;
	struct cast_event ev;
	struct err err = ERR_INIT;
	int rc = cast_reader_open(scratch_dir, session, &r, &err);

	buf_reset(ret);
	while (rc >= 0 && (rc = cast_reader_next(r, &ev, &err)) == 1)
		if (ev.code == code)
			buf_put(ret, ev.bytes, ev.len);
	if (rc < 0)
		printf("# %s\n", err.text);
	IS_INTN(rc, 0, "the file is read to its end");
	cast_reader_free(r);
}

static bool
same(const struct buf *b, const char *p, size_t len)
{
	return b->len == len && (len == 0 || memcmp(b->data, p, len) == 0);
}

static void
read_file(struct buf *ret)
{
	AEG_AUTOFREE char *path = NULL;
	char name[64];
	AEG_AUTOFD int fd = -1;
	size_t i, n = 0;

	n += (size_t)snprintf(name + n, sizeof name - n, CAST_DIR "/");
	for (i = 0; i < UUID_LEN; i++)
		n += (size_t)snprintf(name + n, sizeof name - n, "%s%02x",
		    i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
		    session[i]);
	snprintf(name + n, sizeof name - n, ".cast");
	path = scratch_path(name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	buf_reset(ret);
	if (fd >= 0)
		io_read_all(fd, ret);
	else
		buf_puts(ret, "(no file)");
}

static void
golden(void)
{
	static const char want[] =
	    "{\"version\": 2, \"width\": 100, \"height\": 30, \"timestamp\": "
	    "1700000000, \"env\": {\"TERM\": \"xterm-256color\"}}\n"
	    "[0.500000, \"m\", \"line ab020304-0506-0708-090a-"
	    "0b0c0d0e0f10\"]\n"
	    "[0.500000, \"o\", \"h\\u00e9 \\u001b[1mx\\\"\\\\\\r\\n\"]\n"
	    "[0.750000, \"e\", \"\xf4\x8f\xbb\xbf \"]\n"
	    "[0.750000, \"r\", \"80x24\"]\n"
	    "[1.000000, \"o\", \"end\"]\n";
	AEG_AUTO(buf_done) struct buf got = BUF_INIT;
	AEG_AUTOFREE char *text = xstrdup(want);
	unsigned char hash[CAST_HASH_LEN];
	struct err err = ERR_INIT;
	struct cast *c = start(CAST_KEEP_FULL, 0);
	const struct cast_line *l;
	char *e = strstr(text, "\\u00e9");

	/* The one character that stands as itself. */
	memmove(e + 2, e + 6, strlen(e + 6) + 1);
	memcpy(e, "\xc3\xa9", 2);
	cast_resize(c, 100, 30, 5 * S);
	cast_begin(c, line, 5 * S + 100 * MS);
	cast_put(c, CAST_OUT, "h\xc3", 2, 5 * S + 500 * MS);
	cast_put(c, CAST_OUT, "\xa9 \033[1mx\"\\\r\n", 11, 5 * S + 500 * MS);
	cast_put(c, CAST_ERR, "\xff ", 2, 5 * S + 750 * MS);
	cast_resize(c, 80, 24, 5 * S + 750 * MS);
	cast_put(c, CAST_OUT, "end", 3, 6 * S);
	l = cast_end(c);
	OKF(l->filed && l->offset == 0 &&
	    l->length == (int64_t)strlen(text), "the region is the file");
	OK(cast_hash(scratch_dir, session, l->offset, l->length, hash,
	    &err) == 0 && memcmp(hash, l->sha256, sizeof hash) == 0);
	IS_INTN(cast_hash(scratch_dir, session, 1, l->length, hash, &err),
	    -ENODATA, "a file that is too short");
	IS_INT(l->out.bytes, 16);
	IS_INT(l->out.kept, 16);
	IS_INT(l->err.bytes, 2);
	OK(l->out.head_len == 16 && l->out.tail_len == 0 && !l->out.cut);
	OK(memcmp(l->out.head, "h\xc3\xa9 \033[1mx\"\\\r\nend", 16) == 0);
	read_file(&got);
	IS_STR(got.data, text);
	IS_STR(cast_trouble(c), NULL);
	cast_free(c);
	read_back(&got, CAST_CODE_OUT);
	OK(same(&got, "h\xc3\xa9 \033[1mx\"\\\r\nend", 16));
	read_back(&got, CAST_CODE_ERR);
	OK(same(&got, "\xff ", 2));
}

/* Any bytes, however they are split, come back. */
static void
any_bytes(void)
{
	static const char *const bits[] = { "\xf4\x8f\xbb\x80", "\xf4\x8f",
	    "\xed\xa0\x80", "\xe2\x80\xa8", "\xc2\x85", "\n", " ", "\r\n",
	    "\033[1m", "\033]0;t\a", "\033[5;6H", "caf\xc3\xa9", "\"", "\\",
	    "\xf0\x9f\x98\x80", "\xff\xfe" };
	AEG_AUTO(buf_done) struct buf sent = BUF_INIT, sent_err = BUF_INIT;
	AEG_AUTO(buf_done) struct buf got = BUF_INIT;
	struct cast *c = start(CAST_KEEP_FULL, CAST_LINE_MOST);
	const struct cast_line *l;
	unsigned i, k, n;

	for (i = 0; i < 20; i++) {
		line[0] = (unsigned char)i;
		cast_begin(c, line, S * i);
		for (k = 0; k < 400; k++) {
			enum cast_stream to = pick(3) ? CAST_OUT : CAST_ERR;
			AEG_AUTO(buf_done) struct buf b = BUF_INIT;

			for (n = pick(6); n > 0; n--) {
				if (pick(2))
					buf_puts(&b, bits[pick(
					    AEG_NELEM(bits))]);
				else
					buf_putc(&b, (char)pick(256));
			}
			n = b.len > 0 ? pick((unsigned)b.len + 1) : 0;
			cast_put(c, to, b.data, n, S * i + k * MS);
			cast_put(c, to, b.data + n, b.len - n,
			    S * i + k * MS);
			buf_put(to == CAST_OUT ? &sent : &sent_err, b.data,
			    b.len);
		}
		l = cast_end(c);
		OKF(l->filed && !l->cut && l->out.kept == l->out.bytes,
		    "line %u is kept", i);
	}
	cast_free(c);
	read_back(&got, CAST_CODE_OUT);
	OK(same(&got, sent.data, sent.len));
	read_back(&got, CAST_CODE_ERR);
	OK(same(&got, sent_err.data, sent_err.len));
}

/* Large blocks without any white space are not held for ever. */
static void
no_blanks(void)
{
	AEG_AUTOFREE char *big = xmalloc(300000);
	AEG_AUTO(buf_done) struct buf got = BUF_INIT;
	struct cast *c = start(CAST_KEEP_FULL, 0);
	const struct cast_line *l;
	size_t i;

	for (i = 0; i < 300000; i++)
		big[i] = "abcdefghij"[i % 10];
	cast_begin(c, line, 0);
	for (i = 0; i < 300000; i += 1000)
		cast_put(c, CAST_OUT, big + i, 1000, (int64_t)i);
	l = cast_end(c);
	OK(l->out.kept == 300000 && l->out.cut && !l->cut);
	OK(l->out.tail_len == CAST_TAIL && memcmp(l->out.tail,
	    big + 300000 - CAST_TAIL, CAST_TAIL) == 0);
	cast_free(c);
	read_back(&got, CAST_CODE_OUT);
	OK(same(&got, big, 300000));
}

static void
limits(void)
{
	AEG_AUTOFREE char *big = xmalloc(3000000);
	AEG_AUTO(buf_done) struct buf got = BUF_INIT;
	struct cast *c = start(CAST_KEEP_FULL, 1000000);
	const struct cast_line *l;
	size_t i, n;

	for (i = 0; i < 3000000; i++)
		big[i] = i % 64 == 63 ? '\n' : (char)('a' + i / 64 % 26);
	cast_begin(c, line, 0);
	for (i = 0; i < 3000000; i += n) {
		n = 1 + pick(70000);
		n = n < 3000000 - i ? n : 3000000 - i;
		cast_put(c, CAST_OUT, big + i, n, (int64_t)i);
	}
	l = cast_end(c);
	OK(l->cut && l->filed && l->out.cut && l->out.bytes == 3000000);
	OKF(l->out.kept <= 1000000 && l->out.kept > 999900,
	    "%" PRId64 " of 1000000 are kept", l->out.kept);
	OK(l->out.head_len == CAST_HEAD &&
	    memcmp(l->out.head, big, CAST_HEAD) == 0);
	OK(l->out.tail_len == CAST_TAIL && memcmp(l->out.tail,
	    big + 3000000 - CAST_TAIL, CAST_TAIL) == 0);
	n = (size_t)l->out.kept;
	/* The next line begins anew. */
	cast_begin(c, line, S);
	cast_put(c, CAST_OUT, "next\n", 5, S);
	l = cast_end(c);
	OK(!l->cut && l->filed && l->offset > 1000000 && l->out.kept == 5);
	cast_free(c);
	read_back(&got, CAST_CODE_OUT);
	OK(got.len == n + 5 && memcmp(got.data, big, n) == 0);
	read_back(&got, CAST_CODE_CUT);
}

static void
samples(void)
{
	AEG_AUTO(buf_done) struct buf got = BUF_INIT, sent = BUF_INIT;
	struct cast *c = start(CAST_KEEP_SAMPLE, 0);
	const struct cast_line *l;
	unsigned i;

	for (i = 0; i < 1500; i++)
		buf_putf(&sent, "%05u\n", i);	/* 9000 bytes */
	cast_begin(c, line, 0);
	for (i = 0; i < 6000; i += 10)
		cast_put(c, CAST_OUT, sent.data + i, 10, 0);
	l = cast_end(c);
	OK(!l->filed && !l->cut && !l->out.cut && l->out.bytes == 6000);
	OK(l->out.head_len == CAST_HEAD && l->out.tail_len == 6000 - CAST_HEAD
	    && memcmp(l->out.head, sent.data, CAST_HEAD) == 0 &&
	    memcmp(l->out.tail, sent.data + CAST_HEAD, l->out.tail_len) == 0);
	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, sent.data, sent.len, 0);
	cast_put(c, CAST_LATE_OUT, "late\n", 5, 0);
	l = cast_end(c);
	OK(l->out.cut && l->out.tail_len == CAST_TAIL && memcmp(l->out.tail,
	    sent.data + sent.len - CAST_TAIL, CAST_TAIL) == 0);
	l = cast_end(c);
	OK(l->out.bytes == 0 && !l->filed);
	cast_free(c);
	read_file(&got);
	IS_STR(got.data, "(no file)");
}

/* What lines that have ended write is in the next one's region. */
static void
late(void)
{
	AEG_AUTO(buf_done) struct buf got = BUF_INIT;
	struct cast *c = start(CAST_KEEP_FULL, 0);
	struct cast_line first;
	const struct cast_line *l;

	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "one\n", 4, S);
	first = *cast_end(c);
	cast_put(c, CAST_OUT, "after\n", 6, 2 * S);
	/* One that writes nothing leaves that to the next. */
	cast_begin(c, line, 2 * S);
	l = cast_end(c);
	OK(!l->filed && l->length == 0);
	cast_begin(c, line, 3 * S);
	cast_put(c, CAST_LATE_OUT, "late\n", 5, 3 * S);
	cast_put(c, CAST_OUT, "two\n", 4, 4 * S);
	l = cast_end(c);
	OK(l->offset == first.length && l->out.bytes == 4);
	cast_free(c);
	read_back(&got, CAST_CODE_OUT);
	OK(same(&got, "one\nafter\nlate\ntwo\n", 19));
}

/* A session's lines may have a process each, which go on at the same time:
 * all is there, and each region's hash is that of the file. */
static void
several(void)
{
	AEG_AUTO(buf_done) struct buf got = BUF_INIT;
	struct cast *c[3];
	struct cast_line l[3];
	unsigned char hash[CAST_HASH_LEN];
	struct err err = ERR_INIT;
	int i;

	for (i = 0; i < 3; i++) {
		c[i] = start(CAST_KEEP_FULL, 0);
		session[0]--;
		cast_begin(c[i], line, 5 * S);
	}
	session[0]++;
	cast_put(c[0], CAST_OUT, "a\n", 2, 5 * S);
	cast_put(c[1], CAST_OUT, "b\n", 2, 6 * S);
	l[0] = *cast_end(c[0]);
	cast_put(c[2], CAST_OUT, "c\n", 2, 7 * S);
	cast_put(c[0], CAST_OUT, "late\n", 5, 8 * S);
	l[2] = *cast_end(c[2]);
	cast_free(c[0]);
	l[1] = *cast_end(c[1]);
	cast_free(c[1]);
	cast_free(c[2]);
	for (i = 0; i < 3; i++)
		OKF(l[i].filed && cast_hash(scratch_dir, session, l[i].offset,
		    l[i].length, hash, &err) == 0 &&
		    memcmp(hash, l[i].sha256, sizeof hash) == 0,
		    "the hash of region %d", i);
	read_back(&got, CAST_CODE_OUT);
	OK(same(&got, "a\nc\nlate\nb\n", 11));
	read_file(&got);
	OK(strstr(got.data, "\n{") == NULL);
}

static void
trouble(void)
{
	struct rlimit was, little = { 0 };
	AEG_AUTO(buf_done) struct buf got = BUF_INIT;
	struct cast *c = start(CAST_KEEP_FULL, 0);
	struct cast_line first;
	const struct cast_line *l;

	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "one\n", 4, S);
	first = *cast_end(c);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	little.rlim_max = was.rlim_max;
	little.rlim_cur = (rlim_t)first.length + 20;
	setrlimit(RLIMIT_FSIZE, &little);
	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "two\n", 4, S);
	l = cast_end(c);
	OK(!l->filed && l->out.kept == 0 && l->out.head_len == 4);
	setrlimit(RLIMIT_FSIZE, &was);
	OKF(strstr(cast_trouble(c), ".cast: File too large") != NULL,
	    "it is said what is wrong");
	IS_STR(cast_trouble(c), NULL);
	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "three\n", 6, S);
	l = cast_end(c);
	OK(l->filed && l->offset == first.length);
	cast_free(c);
	read_back(&got, CAST_CODE_OUT);
	OK(same(&got, "one\nthree\n", 10));
}

static void
packed(void)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	struct cast *c = start(CAST_KEEP_SAMPLE, 0);
	const struct cast_line *l;
	struct cast_line got;
	struct pack_reader r;

	cast_begin(c, line, 0);
	cast_put(c, CAST_ERR, "no such file\n", 13, 0);
	l = cast_end(c);
	cast_line_pack(&b, l);
	r = (struct pack_reader){ b.data, b.data + b.len };
	cast_line_unpack(&r, &got);
	OK(r.p == r.end && got.err.head_len == 13 && got.err.bytes == 13 &&
	    memcmp(got.err.head, "no such file\n", 13) == 0);
	r = (struct pack_reader){ b.data, b.data + b.len - 1 };
	cast_line_unpack(&r, &got);
	OK(r.p == NULL);
	cast_free(c);
}

static int
open_file(void)
{
	char uuid[UUID_TEXT];
	AEG_AUTOFREE char *path = NULL;

	uuid_text(session, uuid);
	path = xasprintf("%s/" CAST_DIR "/%s.cast", scratch_dir, uuid);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* Who else may write to the file keeps no line waiting for ever. */
static void
held(void)
{
	struct cast *c = start(CAST_KEEP_FULL, 0);
	const struct cast_line *l;
	AEG_AUTOFD int other = -1;
	int64_t end;

	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "one\n", 4, S);
	end = cast_end(c)->length;
	other = open_file();
	OK(other >= 0 && flock(other, LOCK_EX) == 0);
	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "two\n", 4, S);
	l = cast_end(c);
	OKF(!l->filed && strstr(cast_trouble(c), "timed out") != NULL,
	    "a lock that is kept is not waited for");
	flock(other, LOCK_UN);
	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "three\n", 6, S);
	OKF(cast_end(c)->filed, "and the next line is recorded");
	OK(ftruncate(other, end + ((off_t)2 << 30)) == 0);
	cast_begin(c, line, 0);
	cast_put(c, CAST_OUT, "four\n", 5, S);
	l = cast_end(c);
	OKF(!l->filed && strstr(cast_trouble(c), "too large") != NULL,
	    "what others made of it is not read without end");
	cast_free(c);
}

int
main(void)
{
	enum cast_keep keep = CAST_KEEP_FULL;

	scratch_new();
	setenv("AEGSH_TEST_ROOT", scratch_dir, 1);
	redact = redact_new();
	golden();
	any_bytes();
	no_blanks();
	limits();
	samples();
	late();
	several();
	trouble();
	held();
	packed();
	OK(cast_keep_parse("sample", &keep) == 0 && keep == CAST_KEEP_SAMPLE);
	OK(cast_keep_parse("all", &keep) < 0 && keep == CAST_KEEP_SAMPLE);
	IS_STR(cast_keep_word(CAST_KEEP_FULL), "full");
	redact_free(redact);
	return tap_done();
}
