/* SPDX-License-Identifier: ISC */
/*
 * A line on its way to the model.  Redaction takes away only pieces of
 * words: what it leaves, minus its tags, stands in the line in the same
 * order, and no separator, quote or expansion is ever lost.  The data is
 * one line whatever the bytes.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/buf.h"
#include "validator/validator_int.h"

#define NONCE "0123456789abcdef0123456789abcdef"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t
count(const char *text, size_t len, char c)
{
	size_t i, n = 0;

	for (i = 0; i < len; i++)
		n += text[i] == c;
	return n;
}

static void
check_redact(const char *text, size_t len)
{
	static const char kept[] = "$`;|&()'\" \t";
	struct buf out = BUF_INIT;
	size_t i, hits;

	hits = redact_text(NULL, &out, text, len);
	for (i = 0; i < sizeof kept - 1; i++)
		if (count(text, len, kept[i]) !=
		    count(out.data != NULL ? out.data : "", out.len, kept[i]))
			abort();
	if (hits == 0 && (out.len != len ||
	    (len > 0 && memcmp(out.data, text, len) != 0)))
		abort();
	buf_done(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct val_question q = { .line = (const char *)data,
		.len = size, .cwd = "/", .origin = "fuzz" };
	struct val_ask a = { .nonce = NONCE };
	struct buf json = BUF_INIT;
	struct buf packed = BUF_INIT;

	if (size > VAL_LINE_MAX)
		return 0;
	check_redact((const char *)data, size);
	if (val_question_data(&q, NONCE, &json, NULL) == 0) {
		a.data = json.data;
		a.len = json.len;
		if (val_ask_pack(&a, &packed, NULL) != 0)
			abort();
	}
	buf_done(&packed);
	buf_done(&json);
	return 0;
}
