/* SPDX-License-Identifier: ISC */
#include "aegsh/validator_frame.h"
#include "tap.h"

#include <stdlib.h>

#include "aegsh/base/mem.h"
#include "aegsh/wire.h"

#define NONCE "0123456789abcdef0123456789abcdef"

/* Offsets in an answer: four numbers, the nonce, then the texts. */
enum { AT_STATUS = 0, AT_ACTION = 4, AT_CONFIDENCE = 8, AT_LEAVING = 12,
	AT_NONCE = 16, AT_REASON = AT_NONCE + VAL_NONCE_LEN + 4,
	AT_ALTERNATIVE = AT_REASON + VAL_REASON_MAX,
	AT_CATEGORY = AT_ALTERNATIVE + VAL_REASON_MAX,
	AT_MODEL = AT_CATEGORY + 64, AT_ENDPOINT = AT_MODEL + 128,
	AT_FLAGS = AT_ENDPOINT + VAL_NAME_MAX, ANSWER_SIZE = AT_FLAGS + 28 };

static void
test_setup(void)
{
	const struct val_endpoint one = { .name = "a", .format = "ollama",
		.url = "https://h/v1", .model = "m", .key_file = "/k",
		.key = "", .ca_file = "", .proxy = "", .timeout_ms = 5,
		.attempts = 2, .price_in = 7, .price_out = 1ull << 40 };
	struct val_setup s = { .managed = true, .n = 2, .quorum = 2,
		.store = "/s", .profile = "p", .cache_ttl_s = 3,
		.cache_rows = 8, .rate = 9, .host_rate = 10,
		.day_cost = 1ull << 40, .host_day_cost = 11,
		.endpoints = { one, one } };
	struct val_setup got = { .managed = false };
	static char longer[VAL_ENDPOINT_MAX + 1];
	struct buf b = BUF_INIT;
	size_t i;

	s.endpoints[1].name = "b";
	IS_INT(val_setup_pack(&s, &b, NULL), 0);
	IS_INT(val_setup_unpack(b.data, b.len, &got, NULL), 0);
	OK(got.managed && got.n == 2 && got.quorum == 2 && got.rate == 9);
	OK(got.cache_ttl_s == 3 && got.cache_rows == 8 && got.host_rate == 10);
	OK(got.day_cost == 1ull << 40 && got.host_day_cost == 11);
	IS_STR(got.store, "/s");
	IS_STR(got.profile, "p");
	IS_STR(got.endpoints[0].name, "a");
	IS_STR(got.endpoints[1].name, "b");
	IS_STR(got.endpoints[1].url, "https://h/v1");
	IS_STR(got.endpoints[1].model, "m");
	IS_STR(got.endpoints[1].key_file, "/k");
	IS_STR(got.endpoints[1].ca_file, "");
	OK(got.endpoints[1].timeout_ms == 5 && got.endpoints[1].attempts == 2);
	OK(got.endpoints[1].price_in == 7 &&
	    got.endpoints[1].price_out == 1ull << 40);
	for (i = 0; i < b.len; i++)
		if (val_setup_unpack(b.data, i, &got, NULL) != ERR_PROTOCOL)
			break;
	IS_INTN(i, b.len, "cut anywhere, it is none");
	buf_putc(&b, '\0');
	IS_INT(val_setup_unpack(b.data, b.len, &got, NULL), ERR_PROTOCOL);
	b.data[3] = 1;
	IS_INTN(val_setup_unpack(b.data, b.len - 1, &got, NULL), ERR_PROTOCOL,
	    "unknown flags");
	b.data[3] = 0;
	b.data[4] = VAL_CHAIN_MAX + 1;
	IS_INTN(val_setup_unpack(b.data, b.len - 1, &got, NULL), ERR_PROTOCOL,
	    "too many endpoints");
	b.data[4] = 0;
	IS_INTN(val_setup_unpack(b.data, b.len - 1, &got, NULL), ERR_PROTOCOL,
	    "no endpoint");
	b.data[4] = 2;
	b.data[8] = 3;
	IS_INTN(val_setup_unpack(b.data, b.len - 1, &got, NULL), ERR_PROTOCOL,
	    "a quorum of more than there are");
	memset(longer, 'x', sizeof longer - 1);
	s.endpoints[1].url = longer;
	IS_INT(val_setup_pack(&s, &b, NULL), ERR_TOO_LONG);
	buf_done(&b);
}

static void
test_ask(void)
{
	struct val_ask a = { .timeout_ms = 5, .nonce = NONCE,
		.data = "{\"a\":1}", .len = 7 }, got = { .len = 0 };
	static const char *const bad[] = { "", "{", "[]", "{}\n", "{\n}",
	    "{\"\x7f\"}", "{\x1f}" };
	struct buf b = BUF_INIT;
	char *big;
	size_t i;

	IS_INT(val_ask_pack(&a, &b, NULL), 0);
	IS_INT(val_ask_unpack(b.data, b.len, &got, NULL), 0);
	OK(got.timeout_ms == 5 && got.len == 7 &&
	    memcmp(got.data, a.data, 7) == 0);
	IS_STR(got.nonce, NONCE);
	IS_INT(val_ask_unpack(b.data, 10, &got, NULL), ERR_PROTOCOL);
	b.data[8] = 'X';
	IS_INTN(val_ask_unpack(b.data, b.len, &got, NULL), ERR_PROTOCOL,
	    "a nonce of other letters");
	for (i = 0; i < AEG_NELEM(bad); i++) {
		a.data = bad[i];
		a.len = strlen(bad[i]);
		OKF(val_ask_pack(&a, &b, NULL) == ERR_PROTOCOL,
		    "data %zu is not one object on one line", i);
	}
	a.len = VAL_DATA_MAX + 1;
	big = xmalloc(a.len);
	memset(big, ' ', a.len);
	big[0] = '{';
	big[a.len - 1] = '}';
	a.data = big;
	IS_INT(val_ask_pack(&a, &b, NULL), ERR_PROTOCOL);
	big[--a.len - 1] = '}';
	buf_reset(&b);
	IS_INT(val_ask_pack(&a, &b, NULL), 0);
	OKF(b.len <= WIRE_BODY_MAX, "the longest question fits a frame");
	free(big);
	buf_done(&b);
}

static void
test_answer(void)
{
	const struct val_verdict v = { .status = VAL_ANSWERED,
		.action = VAL_ALLOW, .confidence = 90, .reason = "Fine.",
		.alternative = "ls", .category = "read", .model = "m" };
	/* One byte each that must not be believed. */
	static const struct {
		const char *name;
		size_t at;
		char byte;
	} rows[] = {
		{ "status cancelled", AT_STATUS, VAL_CANCELLED },
		{ "status not-configured", AT_STATUS, VAL_NOT_CONFIGURED },
		{ "status unknown", AT_STATUS, 9 },
		{ "status failed with an action", AT_STATUS, VAL_FAILED },
		{ "action unknown", AT_ACTION, 3 },
		{ "action huge", AT_ACTION + 3, 1 },
		{ "confidence 101", AT_CONFIDENCE, 101 },
		{ "leaving 2", AT_LEAVING, 2 },
		{ "another nonce", AT_NONCE, '1' },
		{ "nonce longer", AT_NONCE + VAL_NONCE_LEN, '1' },
		{ "escape in reason", AT_REASON, '\x1b' },
		{ "not UTF-8 in reason", AT_REASON, '\xff' },
		{ "newline in alternative", AT_ALTERNATIVE, '\n' },
		{ "no category", AT_CATEGORY, '\0' },
		{ "capital category", AT_CATEGORY, 'R' },
		{ "control in model", AT_MODEL, '\t' },
		{ "escape in endpoint", AT_ENDPOINT, '\x1b' },
		{ "unknown flags", AT_FLAGS, 4 },
	};
	struct val_verdict got, clean;
	struct buf b = BUF_INIT;
	bool leaving = true;
	size_t i;
	char old;

	memset(&clean, 0, sizeof clean);
	got = clean;
	val_answer_pack(&v, NONCE, false, &b);
	IS_INT(b.len, ANSWER_SIZE);
	for (i = 0; i < AEG_NELEM(rows); i++) {
		old = b.data[rows[i].at];
		b.data[rows[i].at] = rows[i].byte;
		IS_INTN(val_answer_unpack(b.data, b.len, NONCE, &got, &leaving,
		    NULL), ERR_PROTOCOL, rows[i].name);
		b.data[rows[i].at] = old;
	}
	memset(b.data + AT_REASON, 'x', VAL_REASON_MAX);
	IS_INTN(val_answer_unpack(b.data, b.len, NONCE, &got, &leaving, NULL),
	    ERR_PROTOCOL, "a reason without end");
	OKF(memcmp(&got, &clean, sizeof got) == 0 && leaving,
	    "the result is untouched");
	buf_reset(&b);
	val_answer_pack(&v, NONCE, false, &b);
	IS_INT(val_answer_unpack(b.data, b.len - 1, NONCE, &got, &leaving,
	    NULL), ERR_PROTOCOL);
	IS_INT(val_answer_unpack(b.data, b.len, NONCE, &got, &leaving, NULL),
	    0);
	OK(!leaving && got.status == VAL_ANSWERED && got.action == VAL_ALLOW &&
	    got.confidence == 90);
	IS_STR(got.reason, "Fine.");
	IS_STR(got.alternative, "ls");
	IS_STR(got.category, "read");
	IS_STR(got.model, "m");
	buf_done(&b);
}

int
main(void)
{
	test_setup();
	test_ask();
	test_answer();
	return tap_done();
}
