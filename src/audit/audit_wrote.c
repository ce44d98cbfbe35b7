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
#include "audit_int.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/cast.h"

/* Of a sequence; what is longer is none. */
#define SEQUENCE_MAX 256

enum state { STATE_TEXT = 0, STATE_ESCAPE, STATE_CSI, STATE_STRING };

struct look {
	const char *text;	/* what is looked for */
	size_t len;
	struct buf raw, plain;	/* of a stream, from where it may begin on */
	enum state state;
	size_t held;		/* bytes of a sequence */
};
#define LOOK_INIT(p, n) { .text = (p), .len = (n), .raw = BUF_INIT, \
	.plain = BUF_INIT }

static void
look_done(struct look *l)
{
	buf_done(&l->raw);
	buf_done(&l->plain);
}

/* What comes next does not follow on what was there. */
static void
look_again(struct look *l)
{
	buf_reset(&l->raw);
	buf_reset(&l->plain);
	l->state = STATE_TEXT;
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

/* Most output has no sequence at all, and is taken as it is. */
static void
add_plain(struct look *l, const char *p, size_t len)
{
	if (len > 0 && l->state == STATE_TEXT && memchr(p, '\033', len) ==
	    NULL) {
		buf_put(&l->plain, p, len);
		return;
	}
	for (; len > 0; p++, len--) {
		if (*p == '\033') {
			l->state = STATE_ESCAPE;
			l->held = 0;
		} else if (l->state == STATE_TEXT) {
			buf_putc(&l->plain, *p);
		} else if (++l->held > SEQUENCE_MAX) {
			l->state = STATE_TEXT;
		} else {
			l->state = next_state(l->state, (unsigned char)*p);
		}
	}
}

static bool
is_in(struct buf *b, const struct look *l)
{
	size_t keep = l->len > 0 ? l->len - 1 : 0;

	if (b->len >= l->len && memmem(b->data != NULL ? b->data : "",
	    b->len, l->text, l->len) != NULL)
		return true;
	if (b->len > keep) {
		memmove(b->data, b->data + b->len - keep, keep);
		b->len = keep;
	}
	return false;
}

/* The next bytes of the stream; true: the text is in it. */
static bool
look(struct look *l, const void *p, size_t len)
{
	if (len > 0)
		buf_put(&l->raw, p, len);
	add_plain(l, p, len);
	return is_in(&l->raw, l) || is_in(&l->plain, l);
}

static bool
in_row(struct look *l, sqlite3_value *head, sqlite3_value *tail, bool cut)
{
	if (look(l, sqlite3_value_blob(head),
	    (size_t)sqlite3_value_bytes(head)))
		return true;
	if (cut)
		look_again(l);
	return look(l, sqlite3_value_blob(tail),
	    (size_t)sqlite3_value_bytes(tail));
}

/* What cannot be read has no text in it: audit_verify() names it. */
static bool
in_file(const char *store, const unsigned char *session, int64_t offset,
    int64_t length, const struct look *of)
{
	struct look out = LOOK_INIT(of->text, of->len);
	struct look err = LOOK_INIT(of->text, of->len);
	struct cast_reader *r = NULL;
	struct cast_event e;
	bool found = false;

	if (cast_reader_open(store, session, &r, NULL) < 0)
		return false;
	if (cast_reader_seek(r, offset, length, NULL) == 0) {
		while (!found && cast_reader_next(r, &e, NULL) > 0)
			found = (e.code == CAST_CODE_OUT &&
			    look(&out, e.bytes, e.len)) ||
			    (e.code == CAST_CODE_ERR &&
			    look(&err, e.bytes, e.len));
	}
	cast_reader_free(r);
	look_done(&out);
	look_done(&err);
	return found;
}

/* aegsh_wrote(text, head, tail, cut, whether any stream of the line is,
 * session's uuid, file_offset, file_length) */
enum { P_TEXT, P_HEAD, P_TAIL, P_CUT, P_ANY_CUT, P_UUID, P_OFFSET, P_LENGTH,
	P_COUNT };

static void
wrote(sqlite3_context *ctx, int n, sqlite3_value **v)
{
	const char *text = sqlite3_value_blob(v[P_TEXT]);
	struct look l = LOOK_INIT(text != NULL ? text : "",
	    (size_t)sqlite3_value_bytes(v[P_TEXT]));
	int64_t offset = sqlite3_value_int64(v[P_OFFSET]);
	int64_t length = sqlite3_value_int64(v[P_LENGTH]);
	bool found;

	(void)n;
	found = in_row(&l, v[P_HEAD], v[P_TAIL],
	    sqlite3_value_int64(v[P_CUT]) != 0);
	if (!found && length > 0 && offset >= 0 &&
	    sqlite3_value_int64(v[P_ANY_CUT]) != 0 &&
	    sqlite3_value_bytes(v[P_UUID]) == UUID_LEN)
		found = in_file(sqlite3_user_data(ctx),
		    sqlite3_value_blob(v[P_UUID]), offset, length, &l);
	look_done(&l);
	sqlite3_result_int(ctx, found);
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
