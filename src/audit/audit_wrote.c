/* SPDX-License-Identifier: ISC */
/*
 * Whether a line wrote a text: in the beginning and end of each stream that
 * its rows have, and where these have not all of it, in the file of its
 * session.  A function of SQL, so that other conditions come first.
 *
 * Each stream is looked at twice, as it is and without the sequences that
 * colour it: a word whose letters have colours is found, and no sequence that
 * never ends hides what comes after it.
 */
#include "audit_wrote_int.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/cast_read.h"

/* Of a sequence; what is longer is none. */
#define SEQUENCE_MAX 256

enum state { STATE_TEXT = 0, STATE_ESCAPE, STATE_CSI, STATE_STRING };

/* ---- a stream ------------------------------------------------------------ */

static void
seen_done(struct audit_seen *s)
{
	buf_done(&s->raw);
	buf_done(&s->plain);
}

/* What comes next does not follow on what was there. */
static void
seen_again(struct audit_seen *s)
{
	buf_reset(&s->raw);
	buf_reset(&s->plain);
	s->coloured = false;
	s->state = STATE_TEXT;
}

/* The state behind that byte of a sequence. */
static enum state
next_state(enum state state, unsigned char c)
{
	if (state == STATE_ESCAPE)
		return c == '[' ? STATE_CSI : strchr("]PX^_", c) != NULL &&
		    c != '\0' ? STATE_STRING : c >= 0x20 && c < 0x30 ?
		    STATE_ESCAPE : STATE_TEXT;
	if (state == STATE_CSI)
		return c >= 0x40 || c < 0x20 ? STATE_TEXT : STATE_CSI;
	/* BEL, or ESC and what ends it; a line's end is in no string. */
	return c == '\a' || c == '\n' ? STATE_TEXT : STATE_STRING;
}

static void
add_plain(struct audit_seen *s, const char *p, size_t len)
{
	for (; len > 0; p++, len--) {
		if (*p == '\033') {
			s->state = STATE_ESCAPE;
			s->held = 0;
		} else if (s->state == STATE_TEXT) {
			buf_putc(&s->plain, *p);
		} else if (++s->held > SEQUENCE_MAX) {
			s->state = STATE_TEXT;
		} else {
			s->state = (int)next_state((enum state)s->state,
			    (unsigned char)*p);
		}
	}
}

/* Forget all but the last bytes. */
static size_t
trim(struct buf *b, size_t keep)
{
	if (b->len > keep) {
		memmove(b->data, b->data + b->len - keep, keep);
		b->len = keep;
	}
	return b->len;
}

struct reading {
	size_t piece, keep;
	bool (*fn)(void *ctx, struct audit_seen *s);
	void *ctx;
};

/* The next bytes of the stream; true: enough. */
static bool
give(const struct reading *r, struct audit_seen *s, const char *p, size_t len)
{
	for (;;) {
		size_t n = len < r->piece ? len : r->piece;

		s->old_raw = trim(&s->raw, r->keep);
		/* Most output has no sequence at all, and is looked at
		 * once. */
		if (!s->coloured && n > 0 && memchr(p, '\033', n) != NULL) {
			s->coloured = true;
			buf_put(&s->plain, s->raw.data != NULL ?
			    s->raw.data : "", s->raw.len);
		}
		s->old_plain = trim(&s->plain, r->keep);
		if (n > 0)
			buf_put(&s->raw, p, n);
		if (s->coloured)
			add_plain(s, p, n);
		if (r->fn(r->ctx, s))
			return true;
		if (n == len)
			return false;
		p += n;
		len -= n;
	}
}

/* ---- a row --------------------------------------------------------------- */

static bool
read_row(const struct reading *r, const struct audit_written *w)
{
	struct audit_seen s = { .raw = BUF_INIT, .plain = BUF_INIT };
	bool enough = give(r, &s, w->head, w->head_len);

	if (!enough && w->cut)
		seen_again(&s);
	if (!enough)
		enough = give(r, &s, w->tail, w->tail_len);
	seen_done(&s);
	return enough;
}

static int
read_file(const struct reading *r, const char *store,
    const struct audit_written *w)
{
	struct audit_seen out = { .raw = BUF_INIT, .plain = BUF_INIT };
	struct audit_seen err = { .raw = BUF_INIT, .plain = BUF_INIT };
	struct cast_reader *cast = NULL;
	struct cast_event e;
	bool enough = false;
	int rc = cast_reader_open(store, w->session, &cast, NULL);

	if (rc == 0)
		rc = cast_reader_seek(cast, w->offset, w->length, NULL);
	while (rc == 0 && !enough &&
	    (rc = cast_reader_next(cast, &e, NULL)) > 0) {
		enough = (e.code == CAST_CODE_OUT && give(r, &out, e.bytes,
		    e.len)) || (e.code == CAST_CODE_ERR && give(r, &err,
		    e.bytes, e.len));
		rc = 0;
	}
	cast_reader_free(cast);
	seen_done(&out);
	seen_done(&err);
	return enough ? 1 : rc;
}

int
audit_wrote_read(const char *store, const struct audit_written *w,
    size_t piece, size_t keep, bool (*fn)(void *ctx, struct audit_seen *s),
    void *ctx)
{
	struct reading r = { piece, keep, fn, ctx };

	return read_row(&r, w) ? 1 : w->length > 0 && w->offset >= 0 ?
	    read_file(&r, store, w) : 0;
}

/* ---- a text in it -------------------------------------------------------- */

struct wanted {
	const char *text;
	size_t len;
};

static bool
is_in(const struct buf *b, const struct wanted *t)
{
	return b->len >= t->len && memmem(b->data != NULL ? b->data : "",
	    b->len, t->text, t->len) != NULL;
}

static bool
look(void *ctx, struct audit_seen *s)
{
	const struct wanted *t = ctx;

	return is_in(&s->raw, t) || (s->coloured && is_in(&s->plain, t));
}

/* aegsh_wrote(text, head, tail, cut, whether any stream of the line is,
 * session's uuid, file_offset, file_length) */
enum { P_TEXT, P_HEAD, P_TAIL, P_CUT, P_ANY_CUT, P_UUID, P_OFFSET, P_LENGTH,
	P_COUNT };

static void
wrote(sqlite3_context *ctx, int n, sqlite3_value **v)
{
	const char *text = sqlite3_value_blob(v[P_TEXT]);
	struct wanted t = { text != NULL ? text : "",
		(size_t)sqlite3_value_bytes(v[P_TEXT]) };
	struct audit_written w = {
		.head = sqlite3_value_blob(v[P_HEAD]),
		.tail = sqlite3_value_blob(v[P_TAIL]),
		.head_len = (size_t)sqlite3_value_bytes(v[P_HEAD]),
		.tail_len = (size_t)sqlite3_value_bytes(v[P_TAIL]),
		.cut = sqlite3_value_int64(v[P_CUT]) != 0,
		.session = sqlite3_value_blob(v[P_UUID]),
		.offset = sqlite3_value_int64(v[P_OFFSET]),
		.length = sqlite3_value_int64(v[P_LENGTH]) };

	(void)n;
	if (sqlite3_value_int64(v[P_ANY_CUT]) == 0 ||
	    sqlite3_value_bytes(v[P_UUID]) != UUID_LEN)
		w.length = 0;
	/* What cannot be read has no text in it: audit_verify() names it. */
	sqlite3_result_int(ctx, audit_wrote_read(sqlite3_user_data(ctx), &w,
	    SIZE_MAX, t.len > 0 ? t.len - 1 : 0, look, &t) > 0);
}

int
audit_wrote_function(struct audit_db *d, struct err *err)
{
	char *store = audit_db_place(d);

	/* The string is freed in any case. */
	return sqlite3_create_function_v2(d->db, "aegsh_wrote", P_COUNT,
	    SQLITE_UTF8 | SQLITE_DIRECTONLY, store, wrote, NULL, NULL, free) ==
	    SQLITE_OK ? 0 : audit_db_error(d, "prepare", err);
}
