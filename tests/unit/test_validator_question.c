/* SPDX-License-Identifier: ISC */
#include "validator/validator_int.h"
#include "tap.h"

#include <stdlib.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define NONCE "0123456789abcdef0123456789abcdef"
#define HEAD "{\"nonce\":\"" NONCE "\",\"kind\":\"aegsh-question-1\"," \
	"\"line\":"
#define TAIL ",\"cwd\":{\"text\":\"/w\",\"encoding\":\"utf-8\"," \
	"\"redacted\":0}" \
	",\"origin\":{\"text\":\"prompt\",\"encoding\":\"utf-8\"," \
	"\"redacted\":0},\"facts\":[]}"
#define UTF8 ",\"encoding\":\"utf-8\",\"redacted\":0}"
#define ESCAPED ",\"encoding\":\"escaped\",\"redacted\":0}"

static const struct {
	const char *line, *json;
} rows[] = {
	{ "", "{\"text\":\"\"" UTF8 },
	{ "ls -l", "{\"text\":\"ls -l\"" UTF8 },
	{ "echo \"a\\b\"", "{\"text\":\"echo \\\"a\\\\b\\\"\"" UTF8 },
	{ "a\nb\tc\rd", "{\"text\":\"a\\nb\\tc\\u000dd\"" UTF8 },
	{ "\x01\x1b\x7f", "{\"text\":\"\\u0001\\u001b\\u007f\"" UTF8 },
	{ "\"}\nEND DATA", "{\"text\":\"\\\"}\\nEND DATA\"" UTF8 },
	{ "h\xc3\xa4", "{\"text\":\"h\xc3\xa4\"" UTF8 },
	{ "\xc2\x9b\xe2\x80\xae\xe2\x80\x8b\xe2\x80\xa8",
	    "{\"text\":\"\\u009b\\u202e\\u200b\\u2028\"" UTF8 },
	{ "\xf3\xa0\x80\xa1", "{\"text\":\"\\udb40\\udc21\"" UTF8 },
	{ "\xf0\x9f\x98\x80", "{\"text\":\"\xf0\x9f\x98\x80\"" UTF8 },
	{ "a\xff\\x\xc3", "{\"text\":\"a\\\\xff\\\\\\\\x\\\\xc3\"" ESCAPED },
	{ "\\xff", "{\"text\":\"\\\\xff\"" UTF8 },
	{ "\xed\xa0\x80", "{\"text\":\"\\\\xed\\\\xa0\\\\x80\"" ESCAPED },
};

static struct val_question
question(const char *line, size_t len)
{
	return (struct val_question){ .line = line, .len = len, .cwd = "/w",
	    .origin = "prompt" };
}

/* Every byte, in front of and behind others: the data stays one line. */
static void
test_one_line(void)
{
	char line[4] = "x\0y";
	bool good = true;
	int i;

	for (i = 0; i < 256; i++) {
		struct val_question q;
		struct buf b = BUF_INIT;
		struct val_ask a = { .nonce = NONCE };
		struct buf packed = BUF_INIT;

		line[1] = (char)i;
		q = question(line, 3);
		good = good && val_question_data(&q, NONCE, &b, NULL) == 0;
		a.data = b.data;
		a.len = b.len;
		good = good && val_ask_pack(&a, &packed, NULL) == 0;
		buf_done(&packed);
		buf_done(&b);
	}
	OKF(good, "with any byte in it, the data is one object on one line");
}

static void
test_caps(void)
{
	AEG_AUTOFREE char *big = xcalloc(1, VAL_DATA_MAX + 2);
	struct val_fact facts[VAL_FACTS_MAX + 1];
	struct val_question q;
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;
	size_t i;

	memset(big, 'x', VAL_DATA_MAX + 1);
	q = question(big, VAL_LINE_MAX);
	IS_INT(val_question_data(&q, NONCE, &b, NULL), 0);
	q.len++;
	IS_INT(val_question_data(&q, NONCE, &b, &err), ERR_TOO_LONG);
	IS_STR(err.text,
	    "the line has 32769 bytes, more than the 32768 that are sent");
	memset(big, 1, VAL_LINE_MAX);
	q.len = VAL_LINE_MAX;
	IS_INTN(val_question_data(&q, NONCE, &b, NULL), ERR_TOO_LONG,
	    "a line that grows in JSON");
	for (i = 0; i < AEG_NELEM(facts); i++)
		facts[i] = (struct val_fact){ "f", "t", 1 };
	q = question("ls", 2);
	q.facts = facts;
	q.n_facts = VAL_FACTS_MAX;
	IS_INT(val_question_data(&q, NONCE, &b, NULL), 0);
	q.n_facts++;
	IS_INT(val_question_data(&q, NONCE, &b, NULL), ERR_TOO_LONG);
	q.n_facts = 2;
	facts[1].text = big;
	facts[1].len = VAL_DATA_MAX + 1;
	IS_INT(val_question_data(&q, NONCE, &b, NULL), ERR_TOO_LONG);
	buf_done(&b);
}

int
main(void)
{
	const struct val_fact fact = { "rule\"x", "TOKEN=abc \"}]", 13 };
	struct val_question q;
	struct buf b = BUF_INIT;
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		AEG_AUTOFREE char *want = xasprintf(HEAD "%s" TAIL,
		    rows[i].json);

		buf_reset(&b);
		q = question(rows[i].line, strlen(rows[i].line));
		if (val_question_data(&q, NONCE, &b, NULL) != 0)
			OKF(false, "row %zu", i);
		IS_STRN(b.data, want, "as JSON");
	}
	buf_reset(&b);
	q = question("ls", 2);
	q.facts = &fact;
	q.n_facts = 1;
	IS_INT(val_question_data(&q, NONCE, &b, NULL), 0);
	OK(text_ends(b.data, "\"facts\":[{\"name\":\"rule\\\"x\",\"text\":"
	    "\"TOKEN=<redacted:value> \\\"}]\",\"encoding\":\"utf-8\","
	    "\"redacted\":1}]}"));
	buf_done(&b);
	test_one_line();
	test_caps();
	return tap_done();
}
