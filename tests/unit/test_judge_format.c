/* SPDX-License-Identifier: ISC */
#include "judge/judge_int.h"
#include "tap.h"

#include <jansson.h>

#include "aegsh/base/mem.h"

static const struct judge_format *const f = &judge_format_openai;

static json_t *
request(unsigned level)
{
	const struct judge_prompt p = { "m\"x", "Be strict.\n",
	    "BEGIN\n{\"a\":\"\\u0001\"}\nEND" };
	struct buf b = BUF_INIT;
	json_t *o = NULL;

	if (f->request(&p, level, &b, NULL) == 0)
		o = json_loads(b.data, JSON_REJECT_DUPLICATES, NULL);
	buf_done(&b);
	return o;
}

static const char *
at(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static void
test_request(void)
{
	json_t *o = request(0), *form, *schema, *message;

	IS_STR(at(o, "model"), "m\"x");
	OK(json_is_false(json_object_get(o, "stream")));
	OK(json_integer_value(json_object_get(o, "temperature")) == 0 &&
	    json_is_integer(json_object_get(o, "temperature")));
	OK(json_array_size(json_object_get(o, "messages")) == 2);
	message = json_array_get(json_object_get(o, "messages"), 0);
	IS_STR(at(message, "role"), "system");
	IS_STR(at(message, "content"), "Be strict.\n");
	message = json_array_get(json_object_get(o, "messages"), 1);
	IS_STR(at(message, "role"), "user");
	IS_STR(at(message, "content"), "BEGIN\n{\"a\":\"\\u0001\"}\nEND");
	form = json_object_get(o, "response_format");
	IS_STR(at(form, "type"), "json_schema");
	form = json_object_get(form, "json_schema");
	OK(json_is_true(json_object_get(form, "strict")));
	schema = json_object_get(form, "schema");
	OK(json_array_size(json_object_get(schema, "required")) == 6);
	OK(json_object_size(json_object_get(schema, "properties")) == 6);
	OK(json_is_false(json_object_get(schema, "additionalProperties")));
	json_decref(o);

	o = request(1);
	IS_STR(at(json_object_get(o, "response_format"), "type"),
	    "json_object");
	json_decref(o);
	o = request(2);
	OK(json_is_object(o) && json_object_get(o, "response_format") == NULL);
	json_decref(o);
	o = request(4);
	OK(json_is_object(o) && json_object_get(o, "temperature") == NULL);
	IS_STR(at(json_object_get(o, "response_format"), "type"),
	    "json_schema");
	json_decref(o);
}

#define ENVELOPE(choices) "{\"model\":\"m-1\",\"choices\":" choices "}"
#define CHOICE "{\"finish_reason\":\"stop\",\"message\":{\"content\":\"hi\"}}"

static void
test_reply(void)
{
	static const struct {
		const char *body;
		int want;
	} rows[] = {
		{ ENVELOPE("[" CHOICE "]"), 0 },
		{ ENVELOPE("[{\"message\":{\"content\":\"hi\"}}]"), 0 },
		{ ENVELOPE("[{\"finish_reason\":null,\"message\":"
		    "{\"content\":\"hi\"}}]"), 0 },
		{ ENVELOPE("[]"), ERR_PROTOCOL },
		{ ENVELOPE("[" CHOICE "," CHOICE "]"), ERR_PROTOCOL },
		{ ENVELOPE("{}"), ERR_PROTOCOL },
		{ ENVELOPE("[1]"), ERR_PROTOCOL },
		{ ENVELOPE("[{}]"), ERR_PROTOCOL },
		{ ENVELOPE("[{\"message\":{\"content\":null}}]"),
		    ERR_PROTOCOL },
		{ ENVELOPE("[{\"message\":{\"content\":[]}}]"), ERR_PROTOCOL },
		{ ENVELOPE("[{\"finish_reason\":\"length\",\"message\":"
		    "{\"content\":\"hi\"}}]"), ERR_PROTOCOL },
		{ "{\"choices\":[]," "\"choices\":[" CHOICE "]}",
		    ERR_PROTOCOL },
		{ "", ERR_PROTOCOL }, { "[]", ERR_PROTOCOL },
		{ "<html>", ERR_PROTOCOL },
		{ ENVELOPE("[" CHOICE "]") "x", ERR_PROTOCOL },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		struct judge_reply r = JUDGE_REPLY_INIT;

		OKF(f->reply(rows[i].body, strlen(rows[i].body), &r, NULL) ==
		    rows[i].want, "row %zu", i);
		if (rows[i].want == 0)
			IS_STRN(r.text.data, "hi", "the model's text");
		else
			OKF(r.text.len == 0, "row %zu: no text", i);
		if (i == 0)
			IS_STR(r.model, "m-1");
		buf_done(&r.text);
	}
}

static void
test_lower(void)
{
	IS_INT(f->lower(0, 400, "", 0), 1);
	IS_INT(f->lower(1, 422, "no", 2), 2);
	IS_INTN(f->lower(2, 400, "no", 2), 2, "nothing below the prompt");
	IS_INT(f->lower(0, 400, "bad 'temperature'", 17), 4);
	IS_INT(f->lower(4, 400, "bad 'temperature'", 17), 5);
	IS_INTN(f->lower(0, 500, "", 0), 0, "a failure is no refusal");
	IS_INT(f->lower(0, 401, "", 0), 0);
	IS_INT(f->lower(0, 429, "", 0), 0);
}

int
main(void)
{
	test_request();
	test_reply();
	test_lower();
	return tap_done();
}
