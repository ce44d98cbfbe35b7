/* SPDX-License-Identifier: ISC */
/*
 * What a user wrote, on its way out: frames are taken whole or refused, and a
 * record in any format is one message and nothing that its user chose to put
 * beside it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "shipper/shipper_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
frames(const uint8_t *data, size_t size)
{
	struct ship_batch *b = xcalloc(1, sizeof *b);
	struct ship_taken taken;
	struct ship_setup setup;
	size_t i;

	if (ship_batch_unpack(data, size, b, NULL) == 0) {
		if (b->user == NULL)
			abort();
		for (i = 0; i < b->n; i++) {
			if (b->records[i].len > SHIP_RECORD_MAX || (i > 0 &&
			    b->records[i].seq <= b->records[i - 1].seq))
				abort();
		}
	}
	if (ship_taken_unpack(data, size, &taken, NULL) == 0 &&
	    (taken.taken < 0 || taken.taken > SHIP_BATCH_MAX))
		abort();
	if (ship_setup_unpack(data, size, &setup, NULL) == 0 &&
	    (setup.sink == NULL || setup.host == NULL))
		abort();
	free(b);
}

static void
sinks(const uint8_t *data, size_t size)
{
	AEG_AUTOFREE char *text = xmemdup0(data, size);
	struct ship_sinks s;
	size_t i;

	if (ship_sinks_parse(text, &s, NULL) < 0)
		return;
	for (i = 0; i < s.n; i++) {
		if (s.at[i].kind == SHIP_NONE || (s.at[i].host != NULL &&
		    s.at[i].port == 0))
			abort();
	}
	ship_sinks_done(&s);
}

/* A syslog message ends where it ends, and its structured data too. */
static void
check_syslog(const struct buf *b)
{
	const char *p = b->data, *end = b->data + b->len;
	bool quoted = false;
	size_t i;

	if (b->len > SHIPPER_SYSLOG_MAX + 64)
		abort();
	for (i = 0; i < b->len; i++) {
		if ((unsigned char)p[i] < ' ' || p[i] == 127)
			abort();
	}
	p = memchr(p, '[', b->len);
	for (; p != NULL && p < end && (quoted || *p != ' ' || p[-1] != ']');
	    p++) {
		if (quoted && *p == '\\')
			p++;
		else if (*p == '"')
			quoted = !quoted;
	}
	if (p == NULL || end - p < 4 || memcmp(p, " \xef\xbb\xbf", 4) != 0)
		abort();
}

static void
check_line(const struct buf *b)
{
	json_t *o = json_loadb(b->data, b->len, JSON_ALLOW_NUL, NULL);
	size_t i;

	if (!json_is_object(o) || json_integer_value(json_object_get(o,
	    "uid")) != 1000)
		abort();
	for (i = 0; i + 1 < b->len; i++) {
		if (b->data[i] < ' ' || b->data[i] > '~')
			abort();
	}
	json_decref(o);
}

static void
record(const uint8_t *data, size_t size)
{
	struct ship_batch *b = xcalloc(1, sizeof *b);
	const struct shipper s = { .host = (char *)(uintptr_t)"box" };
	struct buf out = BUF_INIT;
	struct shipper_item t;

	b->uid = 1000;
	b->user = "kim";
	b->n = 1;
	b->records[0] = (struct ship_record){ .seq = 7, .wall_ns = 1,
		.what = (enum ship_what)(1 + data[0] % (SHIP_WHAT_COUNT - 1)),
		.json = (const char *)data + 1, .len = size - 1 };
	if (shipper_item(&s, b, 0, &t, NULL) == 0) {
		shipper_syslog(&t, &out);
		check_syslog(&out);
		buf_reset(&out);
		shipper_line(&t, &out);
		check_line(&out);
		buf_reset(&out);
		shipper_journal(&t, &out);
		buf_reset(&out);
		if (shipper_request(&s, b, 0, 1, &out, NULL) != 0)
			abort();
		shipper_item_done(&t);
	}
	buf_done(&out);
	free(b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1 || size > SHIP_RECORD_MAX)
		return 0;
	frames(data, size);
	sinks(data, size);
	record(data, size);
	return 0;
}
