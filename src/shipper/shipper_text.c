/* SPDX-License-Identifier: ISC */
/* Syslog (RFC 5424) and the journal: names and texts. */
#include "shipper_int.h"

#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define AUTHPRIV (10 * 8)
#define VALUE_MAX 1024		/* bytes of one parameter */
#define LINE_MAX_BYTES 4096
/* RFC 5612 keeps this number for examples: aegsh has none of its own. */
#define SD_ID "aegsh@32473"

/* ---- syslog ------------------------------------------------------------- */

/* HOSTNAME: printable ASCII, at most 255. */
static void
put_host(struct buf *b, const char *host)
{
	size_t i;

	for (i = 0; host[i] != '\0' && i < 255; i++)
		buf_putc(b, host[i] > ' ' && host[i] < 127 ? host[i] : '_');
	if (i == 0)
		buf_putc(b, '-');
}

static void
put_header(struct buf *b, const char *host, int severity, int64_t wall_ns,
    const char *id)
{
	char when[SHIPPER_TIME_MAX];

	shipper_time(wall_ns, when);
	buf_putf(b, "<%d>1 %s ", AUTHPRIV + severity, wall_ns > 0 ? when :
	    "-");
	put_host(b, host);
	buf_putf(b, " aegsh - %s ", id);
}

/* PARAM-VALUE: UTF-8 where '"', '\' and ']' have a '\' before them; and here
 * nothing that moves a cursor or ends a line. */
static void
put_param(struct buf *b, const char *name, const char *text, size_t len)
{
	AEG_AUTO(buf_done) struct buf inert = BUF_INIT;
	size_t i, n;

	if (len > VALUE_MAX) {
		len = VALUE_MAX;
		while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	text_inert(&inert, text, len, 0);
	n = inert.len < 2 * VALUE_MAX ? inert.len : 2 * VALUE_MAX;
	while (n < inert.len && n > 0 &&
	    ((unsigned char)inert.data[n] & 0xc0) == 0x80)
		n--;
	buf_putf(b, " %s=\"", name);
	for (i = 0; i < n; i++) {
		if (strchr("\"\\]", inert.data[i]) != NULL)
			buf_putc(b, '\\');
		buf_putc(b, inert.data[i]);
	}
	buf_putc(b, '"');
}

static void
put_column(struct buf *b, const char *key, const json_t *value)
{
	char number[32];

	if (json_is_string(value)) {
		put_param(b, key, json_string_value(value),
		    json_string_length(value));
	} else if (json_is_integer(value)) {
		snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT,
		    json_integer_value(value));
		put_param(b, key, number, strlen(number));
	} else if (json_is_true(value)) {
		put_param(b, key, "1", 1);
	}
}

static void
put_ours(struct buf *b, const struct shipper_item *t)
{
	const struct ship_record *r = t->record;

	buf_puts(b, "[" SD_ID " store=\"");
	hex_put(b, t->batch->store, sizeof t->batch->store);
	buf_putf(b, "\" seq=\"%" PRId64 "\" link=\"", r->seq);
	hex_put(b, r->link, sizeof r->link);
	buf_putf(b, "\" uid=\"%" PRId64 "\"", t->batch->uid);
	put_param(b, "user", t->batch->user, strlen(t->batch->user));
	buf_putc(b, ']');
}

void
shipper_syslog(const struct shipper_item *t, struct buf *ret)
{
	AEG_AUTO(buf_done) struct buf message = BUF_INIT;
	size_t begin = ret->len, room, was;
	bool cut = false;
	const char *key;
	json_t *value;

	put_header(ret, t->s->host, shipper_severity(t), t->record->wall_ns,
	    ship_what_name(t->record->what));
	put_ours(ret, t);
	shipper_message(t, LINE_MAX_BYTES, &message);
	room = begin + SHIPPER_SYSLOG_MAX - message.len - 16;
	buf_puts(ret, "[record@32473");
	json_object_foreach(t->columns, key, value) {
		/* The message has it. */
		if (strcmp(key, "line") == 0 &&
		    t->record->what == SHIP_WHAT_LINE)
			continue;
		was = ret->len;
		put_column(ret, key, value);
		if (ret->len > room) {
			ret->len = was;
			cut = true;
		}
	}
	buf_puts(ret, cut ? " cut=\"1\"] \xef\xbb\xbf" : "] \xef\xbb\xbf");
	buf_put(ret, message.data != NULL ? message.data : "", message.len);
}

void
shipper_syslog_head(const struct shipper *s, const struct ship_batch *b,
    struct buf *ret)
{
	put_header(ret, s->host, 5, clock_wall_ns(),
	    ship_what_name(SHIP_WHAT_HEAD));
	buf_puts(ret, "- \xef\xbb\xbf");
	shipper_head(b, ret);
}

/* ---- the journal -------------------------------------------------------- */

/* NAME, a newline, the length in eight bytes, the lowest first, the value. */
static void
put_field(struct buf *b, const char *name, const char *p, size_t len)
{
	uint64_t n = htole64(len);

	buf_puts(b, name);
	buf_putc(b, '\n');
	buf_put(b, &n, sizeof n);
	buf_put(b, p, len);
	buf_putc(b, '\n');
}

static void
put_number(struct buf *b, const char *name, int64_t n)
{
	char text[32];

	snprintf(text, sizeof text, "%" PRId64, n);
	put_field(b, name, text, strlen(text));
}

static void
put_journal_column(struct buf *b, const char *key, const json_t *value)
{
	AEG_AUTOFREE char *name = xasprintf("AEGSH_%s", key);
	char *c;

	for (c = name; *c != '\0'; c++) {
		if (*c >= 'a' && *c <= 'z')
			*c = (char)(*c - 'a' + 'A');
	}
	if (json_is_string(value))
		put_field(b, name, json_string_value(value),
		    json_string_length(value));
	else if (json_is_integer(value))
		put_number(b, name, json_integer_value(value));
	else if (json_is_true(value))
		put_number(b, name, 1);
}

void
shipper_journal(const struct shipper_item *t, struct buf *ret)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	const struct ship_record *r = t->record;
	const char *key;
	json_t *value;

	shipper_message(t, LINE_MAX_BYTES, &text);
	put_field(ret, "MESSAGE", text.data != NULL ? text.data : "",
	    text.len);
	put_number(ret, "PRIORITY", shipper_severity(t));
	put_number(ret, "SYSLOG_FACILITY", AUTHPRIV / 8);
	put_field(ret, "SYSLOG_IDENTIFIER", "aegsh", 5);
	put_field(ret, "AEGSH_WHAT", ship_what_name(r->what),
	    strlen(ship_what_name(r->what)));
	buf_reset(&text);
	hex_put(&text, t->batch->store, sizeof t->batch->store);
	put_field(ret, "AEGSH_STORE", text.data, text.len);
	buf_reset(&text);
	hex_put(&text, r->link, sizeof r->link);
	put_field(ret, "AEGSH_LINK", text.data, text.len);
	put_number(ret, "AEGSH_SEQ", r->seq);
	put_number(ret, "AEGSH_OF_UID", t->batch->uid);
	put_field(ret, "AEGSH_OF_USER", t->batch->user,
	    strlen(t->batch->user));
	put_number(ret, "AEGSH_WALL_NS", r->wall_ns);
	json_object_foreach(t->columns, key, value) {
		if (strcmp(key, "wall_ns") != 0)
			put_journal_column(ret, key, value);
	}
}
