/* SPDX-License-Identifier: ISC */
/*
 * Reading such a file, which its user may have written: nothing of it is
 * taken at its word, and no line of it may be longer than an event is.
 */
#include "cast_int.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/hex.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/cast_files.h"

#define BLOCK ((size_t)64 * 1024)
/* An event whose every byte is escaped. */
#define LINE_MAX_BYTES (6 * CAST_EVENT_MAX + 64)
#define SECONDS_MAX INT64_C(1000000000)
#define SIDE_MAX 65535U			/* of a terminal */

struct cast_reader {
	int fd;
	char *name;
	int64_t at, end;	/* the next to read; where to stop */
	int64_t number;		/* of the line, or event, for messages */
	struct buf in;		/* read, and from pos on not looked at */
	size_t pos;
	struct buf text;
	struct cast_header header;
};

void
cast_reader_free(struct cast_reader *r)
{
	if (r == NULL)
		return;
	io_close(&r->fd);
	free(r->name);
	buf_done(&r->in);
	buf_done(&r->text);
	free(r);
}

/* ---- lines ----------------------------------------------------------- */

/* 1: more is in r->in; 0: that was all. */
static int
read_more(struct cast_reader *r, struct err *err)
{
	size_t want = BLOCK;
	ssize_t n;
	char *to;

	if (r->pos > 0) {
		memmove(r->in.data, r->in.data + r->pos, r->in.len - r->pos);
		r->in.len -= r->pos;
		r->pos = 0;
	}
	if (r->in.len > LINE_MAX_BYTES)
		return err_set(err, ERR_SYNTAX, "%s: event %" PRId64 " is "
		    "longer than %zu bytes", r->name, r->number + 1,
		    LINE_MAX_BYTES);
	if (r->end - r->at < (int64_t)want)
		want = (size_t)(r->end - r->at);
	if (want == 0)
		return 0;
	to = buf_reserve(&r->in, want);
	do
		n = pread(r->fd, to, want, r->at);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_sys(err, errno, "%s", r->name);
	r->in.len += (size_t)n;
	r->at += n;
	if (n == 0)
		r->end = r->at;
	return n > 0;
}

/* Over what a deletion left empty: holes, which need not be read. */
static int
skip_empty(struct cast_reader *r, struct err *err)
{
	off_t data;
	int rc = 1;

	for (;;) {
		while (r->pos < r->in.len && r->in.data[r->pos] == '\0')
			r->pos++;
		if (r->pos < r->in.len)
			return 1;
		data = lseek(r->fd, r->at, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			return 0;
		if (data > r->at)
			r->at = data < r->end ? data : r->end;
		rc = read_more(r, err);
		if (rc <= 0)
			return rc;
	}
}

/* 1: *ret is the next line, without its end. */
static int
next_line(struct cast_reader *r, const char **ret, size_t *ret_len,
    struct err *err)
{
	size_t looked = 0;
	char *end;
	int rc = skip_empty(r, err);

	while (rc > 0) {
		end = memchr(r->in.data + r->pos + looked, '\n',
		    r->in.len - r->pos - looked);
		if (end != NULL) {
			*ret = r->in.data + r->pos;
			*ret_len = (size_t)(end - *ret);
			r->pos += *ret_len + 1;
			r->number++;
			return 1;
		}
		looked = r->in.len - r->pos;
		rc = read_more(r, err);
	}
	if (rc < 0 || r->pos == r->in.len)
		return rc;
	/* The process that wrote it was killed: the line is not over. */
	r->pos = r->in.len;
	return 0;
}

/* ---- the header ------------------------------------------------------ */

static size_t
blanks(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && (p[n] == ' ' || p[n] == '\t' || p[n] == '\r'))
		n++;
	return n;
}

/* What stands behind that key of an object, or NULL. */
static const char *
find_key(struct buf *text, const char *p, size_t len, const char *key)
{
	size_t i = 0, n;

	while (i < len) {
		if (p[i++] != '"')
			continue;
		buf_reset(text);
		if (!cast_text_get(text, p + i, len - i, &n))
			return NULL;
		i += n;
		i += blanks(p + i, len - i);
		if (i < len && p[i] == ':' && text->len == strlen(key) &&
		    memcmp(text->len > 0 ? text->data : "", key,
		    text->len) == 0) {
			i++;
			return p + i + blanks(p + i, len - i);
		}
	}
	return NULL;
}

/* Digits, at most so many as make no more than that; false: none. */
static bool
get_number(const char **p, const char *end, int64_t most, int64_t *ret)
{
	const char *start = *p;
	int64_t n = 0;

	for (; *p < end && **p >= '0' && **p <= '9'; (*p)++) {
		if (n > (most - (**p - '0')) / 10)
			return false;
		n = 10 * n + (**p - '0');
	}
	*ret = n;
	return *p > start;
}

static int64_t
key_number(struct cast_reader *r, const char *p, size_t len, const char *key,
    int64_t most)
{
	const char *at = find_key(&r->text, p, len, key);
	int64_t n = 0;

	return at != NULL && get_number(&at, p + len, most, &n) ? n : -1;
}

static int
read_header(struct cast_reader *r, struct err *err)
{
	struct cast_header *h = &r->header;
	const char *p, *term;
	size_t len, used;
	int rc = next_line(r, &p, &len, err);

	if (rc < 0)
		return rc;
	if (rc == 0 || len == 0 || p[0] != '{' ||
	    key_number(r, p, len, "version", 9) != 2)
		return err_set(err, ERR_SYNTAX, "%s: is no recording "
		    "(asciicast v2)", r->name);
	h->width = (unsigned)key_number(r, p, len, "width", SIDE_MAX);
	h->height = (unsigned)key_number(r, p, len, "height", SIDE_MAX);
	h->timestamp = key_number(r, p, len, "timestamp", INT64_MAX);
	if (h->width - 1 >= SIDE_MAX || h->height - 1 >= SIDE_MAX)
		return err_set(err, ERR_SYNTAX, "%s: its header has no width "
		    "and height", r->name);
	if (h->timestamp < 0)
		h->timestamp = 0;
	term = find_key(&r->text, p, len, "TERM");
	buf_reset(&r->text);
	if (term != NULL && term < p + len && *term == '"' &&
	    cast_text_get(&r->text, term + 1, (size_t)(p + len - term) - 1,
	    &used) && r->text.len < sizeof h->term && r->text.len > 0)
		memcpy(h->term, r->text.data, r->text.len + 1);
	return 0;
}

int
cast_reader_new(int fd, const char *name, struct cast_reader **ret,
    struct err *err)
{
	struct cast_reader *r = xcalloc(1, sizeof *r);
	struct stat st;
	int rc = 0;

	r->fd = fd;
	r->name = xstrdup(name);
	if (fstat(fd, &st) < 0)
		rc = err_sys(err, errno, "%s", name);
	else if (!S_ISREG(st.st_mode))
		rc = err_set(err, ERR_TRUST, "%s: not a regular file", name);
	else
		r->end = st.st_size;
	if (rc == 0)
		rc = read_header(r, err);
	if (rc < 0)
		cast_reader_free(r);
	else
		*ret = r;
	return rc;
}

int
cast_reader_open(const char *dir, const unsigned char session[UUID_LEN],
    struct cast_reader **ret, struct err *err)
{
	AEG_AUTOFREE char *path = NULL;
	int fd = cast_file_open(dir, session, &path, err);

	return fd < 0 ? fd : cast_reader_new(fd, path, ret, err);
}

const struct cast_header *
cast_reader_header(const struct cast_reader *r)
{
	return &r->header;
}

int
cast_reader_seek(struct cast_reader *r, int64_t offset, int64_t length,
    struct err *err)
{
	struct stat st;

	if (fstat(r->fd, &st) < 0)
		return err_sys(err, errno, "%s", r->name);
	if (offset < 0 || offset > st.st_size ||
	    (length >= 0 && length > st.st_size - offset))
		/* Both may be what somebody altered. */
		return err_set(err, ERR_RANGE, "%s: has no %" PRId64
		    " bytes from %" PRId64 " on", r->name,
		    length >= 0 ? length : 0, offset);
	r->at = offset;
	r->end = length >= 0 ? offset + length : st.st_size;
	r->pos = r->in.len = 0;
	r->number = 0;
	return 0;
}

/* ---- events ---------------------------------------------------------- */

static bool
expect(const char **p, const char *end, char c)
{
	*p += blanks(*p, (size_t)(end - *p));
	if (*p == end || **p != c)
		return false;
	(*p)++;
	return true;
}

/* Seconds, with a fraction of which nanoseconds count. */
static bool
get_time(const char **p, const char *end, int64_t *ret)
{
	int64_t seconds, unit = 100000000, ns = 0;

	*p += blanks(*p, (size_t)(end - *p));
	if (!get_number(p, end, SECONDS_MAX, &seconds))
		return false;
	if (*p < end && **p == '.') {
		for ((*p)++; *p < end && isdigit((unsigned char)**p); (*p)++) {
			ns += unit * (**p - '0');
			unit /= 10;
		}
	}
	*ret = seconds * 1000000000 + ns;
	return true;
}

static bool
get_string(struct buf *text, const char **p, const char *end)
{
	size_t n;

	buf_reset(text);
	if (!expect(p, end, '"') ||
	    !cast_text_get(text, *p, (size_t)(end - *p), &n))
		return false;
	*p += n;
	return text->len <= CAST_EVENT_MAX;
}

static bool
get_sides(const char *p, size_t len, struct cast_event *ret)
{
	const char *end = p + len;
	int64_t width, height;

	if (!get_number(&p, end, SIDE_MAX, &width) || p == end ||
	    *p++ != 'x' || !get_number(&p, end, SIDE_MAX, &height) ||
	    p != end || width == 0 || height == 0)
		return false;
	ret->width = (unsigned)width;
	ret->height = (unsigned)height;
	return true;
}

static enum cast_code
mark_code(const char *p, size_t len, struct cast_event *ret)
{
	if (len == 41 && memcmp(p, "line ", 5) == 0 &&
	    uuid_parse(p + 5, 36, ret->uuid))
		return CAST_CODE_LINE;
	if (len == 40 && memcmp(p, "cut ", 4) == 0 &&
	    uuid_parse(p + 4, 36, ret->uuid))
		return CAST_CODE_CUT;
	if (len == 43 && memcmp(p, "missed ", 7) == 0 &&
	    uuid_parse(p + 7, 36, ret->uuid))
		return CAST_CODE_MISSED;
	return CAST_CODE_NONE;	/* somebody else's mark */
}

/* False: not an event. */
static bool
get_event(struct cast_reader *r, const char *p, size_t len,
    struct cast_event *ret)
{
	const char *end = p + len;
	char code;

	*ret = (struct cast_event){ .code = CAST_CODE_NONE };
	if (!expect(&p, end, '[') || !get_time(&p, end, &ret->at_ns) ||
	    !expect(&p, end, ',') || !get_string(&r->text, &p, end))
		return false;
	code = r->text.len == 1 ? r->text.data[0] : '\0';
	if (!expect(&p, end, ',') || !get_string(&r->text, &p, end) ||
	    !expect(&p, end, ']') || blanks(p, (size_t)(end - p)) !=
	    (size_t)(end - p))
		return false;
	ret->bytes = r->text.data != NULL ? r->text.data : "";
	ret->len = r->text.len;
	if (code == 'o')
		ret->code = CAST_CODE_OUT;
	else if (code == 'e')
		ret->code = CAST_CODE_ERR;
	else if (code == 'm')
		ret->code = mark_code(ret->bytes, ret->len, ret);
	else if (code == 'r' && get_sides(ret->bytes, ret->len, ret))
		ret->code = CAST_CODE_RESIZE;
	return true;
}

int
cast_reader_next(struct cast_reader *r, struct cast_event *ret,
    struct err *err)
{
	const char *p;
	size_t len;
	int rc;

	for (;;) {
		rc = next_line(r, &p, &len, err);
		if (rc <= 0)
			return rc;
		if (len == 0 || p[0] == '{')
			continue;	/* the header, from the start on */
		if (!get_event(r, p, len, ret))
			return err_set(err, ERR_SYNTAX, "%s: line %" PRId64
			    " is no event", r->name, r->number);
		if (ret->code != CAST_CODE_NONE)
			return 1;
	}
}

int
cast_hash(const char *dir, const unsigned char session[UUID_LEN],
    int64_t offset, int64_t length, unsigned char ret[CAST_HASH_LEN],
    struct err *err)
{
	AEG_AUTOFREE char *path = NULL;
	AEG_AUTOFREE unsigned char *block = xmalloc(BLOCK);
	AEG_AUTOFD int fd = cast_file_open(dir, session, &path, err);
	struct sha256_ctx ctx;
	size_t want;
	ssize_t n;

	if (fd < 0)
		return fd;
	sha256_init(&ctx);
	for (; length > 0; offset += n, length -= n) {
		want = length < (int64_t)BLOCK ? (size_t)length : BLOCK;
		do
			n = pread(fd, block, want, offset);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return err_sys(err, errno, "%s", path);
		if (n == 0)
			return err_set(err, -ENODATA, "%s: ends %" PRId64
			    " bytes too early", path, length);
		sha256_update(&ctx, (size_t)n, block);
	}
	sha256_digest(&ctx, CAST_HASH_LEN, ret);
	return 0;
}
