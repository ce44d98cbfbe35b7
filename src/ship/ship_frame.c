/* SPDX-License-Identifier: ISC */
/* Frames, as bytes.  The reader of a store may be its user's by now, so a
 * batch is looked at again by each who gets it. */
#include "aegsh/ship.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/pack.h"
#include "aegsh/wire.h"

static int
no_frame(struct err *err)
{
	return err_set(err, ERR_PROTOCOL, "a frame of the shipping is damaged");
}

static int
fits(const struct buf *b, struct err *err)
{
	return b->len > WIRE_BODY_MAX || buf_overflow(b) ? err_set(err,
	    ERR_TOO_LONG, "more than a frame of %zu bytes",
	    WIRE_BODY_MAX) : 0;
}

const char *
ship_what_name(enum ship_what w)
{
	static const char *const names[SHIP_WHAT_COUNT] = {
		[SHIP_WHAT_NONE] = "none",
		[SHIP_WHAT_SESSION] = "session",
		[SHIP_WHAT_SESSION_END] = "session-end",
		[SHIP_WHAT_LINE] = "line",
		[SHIP_WHAT_OUTCOME] = "outcome",
		[SHIP_WHAT_EVENT] = "event",
		[SHIP_WHAT_DELETION] = "deletion",
		[SHIP_WHAT_PROGRAM] = "program",
		[SHIP_WHAT_FILE] = "file",
		[SHIP_WHAT_OUTPUT] = "output",
		[SHIP_WHAT_GAP] = "gap",
		[SHIP_WHAT_HEAD] = "head",
	};

	return names[w];
}

int
ship_setup_pack(const struct ship_setup *s, struct buf *b, struct err *err)
{
	pack_text(b, s->sink);
	pack_text(b, s->host);
	pack_text(b, s->ca);
	pack_text(b, s->headers);
	pack_int(b, s->timeout_ms);
	return fits(b, err);
}

int
ship_setup_unpack(const void *p, size_t len, struct ship_setup *ret,
    struct err *err)
{
	struct pack_reader r = { p, (const char *)p + len };

	ret->sink = pack_get_text(&r);
	ret->host = pack_get_text(&r);
	ret->ca = pack_get_text(&r);
	ret->headers = pack_get_text(&r);
	ret->timeout_ms = pack_get_int(&r);
	return r.p == NULL || r.p != r.end || ret->sink == NULL ||
	    ret->host == NULL || ret->timeout_ms <= 0 ||
	    ret->timeout_ms > INT32_MAX ? no_frame(err) : 0;
}

int
ship_batch_pack(const struct ship_batch *s, struct buf *b, struct err *err)
{
	size_t i;

	buf_put(b, s->store, sizeof s->store);
	pack_int(b, s->uid);
	pack_text(b, s->user);
	pack_int(b, (int64_t)s->follows);
	pack_int(b, s->missing);
	pack_int(b, s->last);
	pack_int(b, (int64_t)s->n);
	for (i = 0; i < s->n; i++) {
		const struct ship_record *r = &s->records[i];

		pack_int(b, r->seq);
		pack_int(b, r->wall_ns);
		buf_put(b, r->link, sizeof r->link);
		pack_int(b, (int64_t)r->what);
		pack_bytes(b, r->json, r->len);
	}
	return fits(b, err);
}

static bool
get_record(struct pack_reader *r, struct ship_record *ret)
{
	const char *link;
	int64_t what;
	uint32_t len;

	ret->seq = pack_get_int(r);
	ret->wall_ns = pack_get_int(r);
	link = pack_get(r, sizeof ret->link);
	what = pack_get_int(r);
	len = pack_get_len(r);
	if (len > SHIP_RECORD_MAX)
		return false;
	ret->json = pack_get(r, len);
	ret->len = len;
	if (r->p == NULL || what <= SHIP_WHAT_NONE || what >= SHIP_WHAT_COUNT)
		return false;
	ret->what = (enum ship_what)what;
	memcpy(ret->link, link, sizeof ret->link);
	return true;
}

int
ship_batch_unpack(const void *p, size_t len, struct ship_batch *ret,
    struct err *err)
{
	struct pack_reader r = { p, (const char *)p + len };
	const char *store = pack_get(&r, sizeof ret->store);
	int64_t follows, n;
	size_t i;

	ret->uid = pack_get_int(&r);
	ret->user = pack_get_text(&r);
	follows = pack_get_int(&r);
	ret->missing = pack_get_int(&r);
	ret->last = pack_get_int(&r);
	n = pack_get_int(&r);
	if (r.p == NULL || store == NULL || ret->user == NULL || n < 0 ||
	    n > SHIP_BATCH_MAX || follows < 0 ||
	    follows >= SHIP_FOLLOWS_COUNT || ret->missing < 0)
		return no_frame(err);
	memcpy(ret->store, store, sizeof ret->store);
	ret->follows = (enum ship_follows)follows;
	ret->n = (size_t)n;
	for (i = 0; i < ret->n; i++) {
		if (!get_record(&r, &ret->records[i]) || (i > 0 &&
		    ret->records[i].seq <= ret->records[i - 1].seq))
			return no_frame(err);
	}
	return r.p != r.end ? no_frame(err) : 0;
}

void
ship_taken_pack(const struct ship_taken *t, struct buf *b)
{
	pack_int(b, t->taken);
	pack_int(b, t->rejected);
	pack_int(b, t->retry_s);
	pack_text(b, t->why);
}

int
ship_taken_unpack(const void *p, size_t len, struct ship_taken *ret,
    struct err *err)
{
	struct pack_reader r = { p, (const char *)p + len };

	ret->taken = pack_get_int(&r);
	ret->rejected = pack_get_int(&r);
	ret->retry_s = pack_get_int(&r);
	ret->why = pack_get_text(&r);
	return r.p == NULL || r.p != r.end || ret->taken < 0 ||
	    ret->taken > SHIP_BATCH_MAX || ret->rejected < 0 ||
	    ret->rejected > ret->taken || ret->retry_s < 0 ?
	    no_frame(err) : 0;
}
