/* SPDX-License-Identifier: ISC */
/* A record as formats see it. */
#include "shipper_int.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

/* A column of ours: whoever made the frame may be somebody else. */
static bool
is_name(const char *p)
{
	size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return n > 0 && n <= 32 && p[n] == '\0';
}

static void
keep_names(json_t *columns)
{
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(columns, next, key, value) {
		if (!is_name(key))
			json_object_del(columns, key);
	}
}

int
shipper_item(const struct shipper *s, const struct ship_batch *b, size_t i,
    struct shipper_item *ret, struct err *err)
{
	const struct ship_record *r = &b->records[i];
	json_t *o = json_loadb(r->json, r->len, JSON_REJECT_DUPLICATES |
	    JSON_ALLOW_NUL, NULL);

	if (!json_is_object(o)) {
		json_decref(o);
		return err_set(err, ERR_PROTOCOL, "record %" PRId64 " is not "
		    "one object of JSON", r->seq);
	}
	keep_names(o);
	*ret = (struct shipper_item){ .s = s, .batch = b, .record = r,
		.columns = o };
	return 0;
}

void
shipper_item_done(struct shipper_item *t)
{
	json_decref(t->columns);
}

void
shipper_time(int64_t ns, char ret[SHIPPER_TIME_MAX])
{
	time_t at = (time_t)(ns / 1000000000);
	char day[24];
	struct tm tm;

	/* Four digits of year, which is all that RFC 3339 has. */
	if (ns < 0 || gmtime_r(&at, &tm) == NULL ||
	    strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm) == 0)
		snprintf(day, sizeof day, "1970-01-01T00:00:00");
	snprintf(ret, SHIPPER_TIME_MAX, "%s.%06dZ", day,
	    ns < 0 ? 0 : (int)(ns % 1000000000 / 1000));
}

void
shipper_head(const struct ship_batch *b, struct buf *ret)
{
	const struct ship_record *last = &b->records[b->n - 1];

	buf_puts(ret, "aegsh-head store=");
	hex_put(ret, b->store, sizeof b->store);
	buf_putf(ret, " seq=%" PRId64 " link=", last->seq);
	hex_put(ret, last->link, sizeof last->link);
}

static const char *
text_of(const struct shipper_item *t, const char *key)
{
	const char *text = json_string_value(json_object_get(t->columns, key));

	return text != NULL ? text : "";
}

/* A cut does not go through a character. */
static size_t
cut(const char *p, size_t len, size_t max)
{
	if (len <= max)
		return len;
	while (max > 0 && ((unsigned char)p[max] & 0xc0) == 0x80)
		max--;
	return max;
}

static void
put_inert(struct buf *ret, const char *text, size_t max)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;

	text_inert(&b, text, cut(text, strlen(text), max), 0);
	if (b.len > 0)
		buf_put(ret, b.data, cut(b.data, b.len, max));
}

void
shipper_message(const struct shipper_item *t, size_t max, struct buf *ret)
{
	switch (t->record->what) {
	case SHIP_WHAT_LINE:
		put_inert(ret, text_of(t, "line"), max);
		return;
	case SHIP_WHAT_OUTCOME:
		buf_putf(ret, "status %" JSON_INTEGER_FORMAT,
		    json_integer_value(json_object_get(t->columns,
		    "status")));
		return;
	case SHIP_WHAT_PROGRAM:
	case SHIP_WHAT_FILE:
		put_inert(ret, text_of(t, "path"), max);
		return;
	case SHIP_WHAT_EVENT:
		put_inert(ret, text_of(t, "kind"), 64);
		buf_puts(ret, ": ");
		put_inert(ret, text_of(t, "text"), max > 80 ? max - 80 : 0);
		return;
	case SHIP_WHAT_GAP:
		put_inert(ret, text_of(t, "text"), max);
		return;
	case SHIP_WHAT_SESSION:
		buf_puts(ret, "session of ");
		put_inert(ret, text_of(t, "user"), 64);
		return;
	case SHIP_WHAT_NONE:
	case SHIP_WHAT_SESSION_END:
	case SHIP_WHAT_DELETION:
	case SHIP_WHAT_OUTPUT:
	case SHIP_WHAT_HEAD:
	case SHIP_WHAT_COUNT:
		break;
	}
	buf_puts(ret, ship_what_name(t->record->what));
}

int
shipper_severity(const struct shipper_item *t)
{
	const json_t *ran = json_object_get(t->columns, "ran");
	bool refused = t->record->what == SHIP_WHAT_LINE &&
	    json_is_integer(ran) && json_integer_value(ran) == 0;

	return refused || t->record->what == SHIP_WHAT_GAP ||
	    json_is_true(json_object_get(t->columns, "altered")) ||
	    json_is_true(json_object_get(t->columns, "missing")) ? 4 : 5;
}
