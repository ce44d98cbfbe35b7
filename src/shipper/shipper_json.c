/* SPDX-License-Identifier: ISC */
/* JSON lines, and the logs of OpenTelemetry's protocol (OTLP 1.0) as JSON. */
#include "shipper_int.h"

#include <inttypes.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"

#define MESSAGE_MAX ((size_t)16 * 1024)

static void
set(json_t *o, const char *key, json_t *value)
{
	if (value == NULL || json_object_set_new(o, key, value) < 0)
		abort();	/* no memory, as xmalloc() has it */
}

static void
add(json_t *list, json_t *value)
{
	if (value == NULL || json_array_append_new(list, value) < 0)
		abort();
}

static json_t *
hex(const unsigned char *p, size_t len)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;

	hex_put(&b, p, len);
	return json_stringn(b.data, b.len);
}

/* Names of a host or user that are not UTF-8 have no place in JSON. */
static json_t *
name(const char *text)
{
	json_t *s = json_string(text);

	return s != NULL ? s : json_string("?");
}

/* Printable ASCII, so that a terminal shows no more of it than what it says;
 * jansson leaves DEL, which stands in strings alone, as it is. */
static void
dump(const json_t *o, struct buf *ret)
{
	char *text = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);

	const char *p, *del;

	if (text == NULL)
		abort();
	for (p = text; (del = strchr(p, 127)) != NULL; p = del + 1) {
		buf_put(ret, p, (size_t)(del - p));
		buf_puts(ret, "\\u007f");
	}
	buf_puts(ret, p);
	free(text);
}

/* ---- lines -------------------------------------------------------------- */

void
shipper_line(const struct shipper_item *t, struct buf *ret)
{
	const struct ship_record *r = t->record;
	char when[SHIPPER_TIME_MAX];
	json_t *o = json_object();

	shipper_time(r->wall_ns, when);
	set(o, "time", r->wall_ns > 0 ? json_string(when) : json_null());
	set(o, "host", name(t->s->host));
	set(o, "uid", json_integer(t->batch->uid));
	set(o, "user", name(t->batch->user));
	set(o, "store", hex(t->batch->store, sizeof t->batch->store));
	set(o, "seq", json_integer(r->seq));
	set(o, "link", hex(r->link, sizeof r->link));
	set(o, "what", json_string(ship_what_name(r->what)));
	set(o, "record", json_incref(t->columns));
	dump(o, ret);
	buf_putc(ret, '\n');
	json_decref(o);
}

/* ---- OTLP --------------------------------------------------------------- */

/* KeyValue; a number of 64 bits is a string, as the JSON of protocol
 * buffers has it. */
static void
attribute(json_t *list, const char *key, json_t *value)
{
	json_t *pair = json_object(), *any = json_object();
	char number[32];

	if (json_is_integer(value)) {
		snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT,
		    json_integer_value(value));
		json_decref(value);
		set(any, "intValue", json_string(number));
	} else if (json_is_boolean(value)) {
		set(any, "boolValue", value);
	} else {
		set(any, "stringValue", value);
	}
	set(pair, "key", json_string(key));
	set(pair, "value", any);
	add(list, pair);
}

static void
nanoseconds(json_t *o, const char *key, int64_t ns)
{
	char text[32];

	snprintf(text, sizeof text, "%" PRId64, ns > 0 ? ns : 0);
	set(o, key, json_string(text));
}

json_t *
shipper_log_record(const struct shipper_item *t)
{
	AEG_AUTO(buf_done) struct buf message = BUF_INIT;
	json_t *o = json_object(), *list = json_array(), *body = json_object();
	const struct ship_record *r = t->record;
	bool warns = shipper_severity(t) < 5;
	const char *key;
	json_t *value;

	nanoseconds(o, "timeUnixNano", r->wall_ns);
	nanoseconds(o, "observedTimeUnixNano", clock_wall_ns());
	set(o, "severityNumber", json_integer(warns ? 13 : 9));
	set(o, "severityText", json_string(warns ? "WARN" : "INFO"));
	shipper_message(t, MESSAGE_MAX, &message);
	set(body, "stringValue", json_stringn(message.data != NULL ?
	    message.data : "", message.len));
	set(o, "body", body);
	attribute(list, "aegsh.what", json_string(ship_what_name(r->what)));
	attribute(list, "aegsh.store", hex(t->batch->store,
	    sizeof t->batch->store));
	attribute(list, "aegsh.seq", json_integer(r->seq));
	attribute(list, "aegsh.link", hex(r->link, sizeof r->link));
	attribute(list, "user.id", json_integer(t->batch->uid));
	attribute(list, "user.name", name(t->batch->user));
	json_object_foreach(t->columns, key, value) {
		AEG_AUTOFREE char *full = xasprintf("aegsh.record.%s", key);

		if (json_is_string(value) || json_is_integer(value) ||
		    json_is_boolean(value))
			attribute(list, full, json_incref(value));
	}
	set(o, "attributes", list);
	return o;
}

/* What all records of a request are of. */
static json_t *
resource(const struct shipper *s)
{
	json_t *o = json_object(), *list = json_array();

	attribute(list, "service.name", json_string("aegsh"));
	attribute(list, "service.version", json_string(AEGSH_VERSION));
	attribute(list, "host.name", name(s->host));
	set(o, "attributes", list);
	return o;
}

static json_t *
only(json_t *value)
{
	json_t *list = json_array();

	add(list, value);
	return list;
}

int
shipper_request(const struct shipper *s, const struct ship_batch *b,
    size_t from, size_t to, struct buf *ret, struct err *err)
{
	json_t *records = json_array(), *scope = json_object(),
	    *scoped = json_object(), *of = json_object(),
	    *o = json_object();
	struct shipper_item t;
	int rc = 0;

	for (; from < to && rc == 0; from++) {
		rc = shipper_item(s, b, from, &t, err);
		if (rc == 0) {
			add(records, shipper_log_record(&t));
			shipper_item_done(&t);
		}
	}
	set(scope, "name", json_string("aegsh"));
	set(scope, "version", json_string(AEGSH_VERSION));
	set(scoped, "scope", scope);
	set(scoped, "logRecords", records);
	set(of, "resource", resource(s));
	set(of, "scopeLogs", only(scoped));
	set(o, "resourceLogs", only(of));
	if (rc == 0)
		dump(o, ret);
	json_decref(o);
	return rc;
}
