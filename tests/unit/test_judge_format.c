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

	if (judge_format_request(f, &p, level, &b, NULL) == 0)
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

		OKF(judge_format_reply(f, rows[i].body, strlen(rows[i].body),
		    &r, NULL) == rows[i].want, "row %zu", i);
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
	IS_INT(judge_format_lower(f, 0, 400, "", 0), 1);
	IS_INT(judge_format_lower(f, 1, 422, "no", 2), 2);
	IS_INTN(judge_format_lower(f, 2, 400, "no", 2), 2,
	    "nothing below the prompt");
	IS_INT(judge_format_lower(f, 0, 400, "bad 'temperature'", 17), 4);
	IS_INT(judge_format_lower(f, 4, 400, "bad 'temperature'", 17), 5);
	IS_INTN(judge_format_lower(f, 0, 500, "", 0), 0,
	    "a failure is no refusal");
	IS_INT(judge_format_lower(f, 0, 401, "", 0), 0);
	IS_INT(judge_format_lower(f, 0, 429, "", 0), 0);
}

/* The other formats: where things stand in a request, and what of an answer
 * is taken.  The whole way is tests/script/formats.py's. */
static const struct {
	const struct judge_format *f;
	const char *body;		/* whole answer, or a stream */
	const char *text;		/* NULL: refused */
} others[] = {
#define RESPONSE(status, output) "{\"status\":\"" status "\",\"model\":" \
	"\"m\",\"output\":[" output "],\"usage\":{\"input_tokens\":7}}"
#define MESSAGE "{\"type\":\"message\",\"content\":[{\"type\":" \
	"\"output_text\",\"text\":\"hi\"}]}"
	{ &judge_format_responses, RESPONSE("completed", MESSAGE), "hi" },
	{ &judge_format_responses, RESPONSE("completed",
	    "{\"type\":\"reasoning\"}," MESSAGE), "hi" },
	{ &judge_format_responses, RESPONSE("incomplete", MESSAGE), NULL },
	{ &judge_format_responses, RESPONSE("completed",
	    MESSAGE "," MESSAGE), NULL },
	{ &judge_format_responses, RESPONSE("completed", ""), NULL },
	{ &judge_format_responses, RESPONSE("completed",
	    "{\"type\":\"message\",\"content\":[{\"type\":\"refusal\","
	    "\"refusal\":\"no\"}]}"), NULL },
#define ANTHROPIC(stop, content) "{\"model\":\"m\",\"stop_reason\":\"" \
	stop "\",\"content\":[" content "],\"usage\":{\"input_tokens\":7}}"
#define CALL "{\"type\":\"tool_use\",\"name\":\"verdict\",\"input\":" \
	"{\"a\":1}}"
#define TEXT "{\"type\":\"text\",\"text\":\"hi\"}"
	{ &judge_format_anthropic, ANTHROPIC("tool_use", CALL), "{\"a\":1}" },
	{ &judge_format_anthropic, ANTHROPIC("tool_use", TEXT "," CALL),
	    "{\"a\":1}" },
	{ &judge_format_anthropic, ANTHROPIC("end_turn", TEXT), "hi" },
	{ &judge_format_anthropic, ANTHROPIC("max_tokens", CALL), NULL },
	{ &judge_format_anthropic, ANTHROPIC("refusal", TEXT), NULL },
	{ &judge_format_anthropic, ANTHROPIC("tool_use", CALL "," CALL), NULL },
	{ &judge_format_anthropic, ANTHROPIC("end_turn", TEXT "," TEXT), NULL },
	{ &judge_format_anthropic, ANTHROPIC("end_turn", ""), NULL },
	{ &judge_format_anthropic, "data: {\"type\":\"message_start\"}\n"
	    "data: {\"type\":\"error\"}\n", NULL },
#define GEMINI(candidates) "{\"modelVersion\":\"m\",\"candidates\":[" \
	candidates "],\"usageMetadata\":{\"promptTokenCount\":7}}"
#define CANDIDATE(end) "{\"content\":{\"parts\":[{\"text\":\"so\"," \
	"\"thought\":true},{\"text\":\"h\"},{\"text\":\"i\"}]}," \
	"\"finishReason\":\"" end "\"}"
	{ &judge_format_gemini, GEMINI(CANDIDATE("STOP")), "hi" },
	{ &judge_format_gemini, GEMINI(CANDIDATE("SAFETY")), NULL },
	{ &judge_format_gemini, GEMINI(CANDIDATE("STOP") ","
	    CANDIDATE("STOP")), NULL },
	{ &judge_format_gemini, GEMINI(""), NULL },
	{ &judge_format_gemini, GEMINI("{\"finishReason\":\"STOP\"}"), NULL },
#define OLLAMA(done, more) "{\"model\":\"m\",\"done\":" done \
	",\"message\":{\"content\":\"hi\"},\"prompt_eval_count\":7" more "}"
	{ &judge_format_ollama, OLLAMA("true", ""), "hi" },
	{ &judge_format_ollama, OLLAMA("false", ""), NULL },
	{ &judge_format_ollama, OLLAMA("true", ",\"done_reason\":\"length\""),
	    NULL },
	{ &judge_format_ollama, OLLAMA("false", "") "\n" OLLAMA("true", "")
	    "\n", "hihi" },
	{ &judge_format_ollama, OLLAMA("false", "") "\n"
	    OLLAMA("false", "") "\n", NULL },
	{ &judge_format_openai, "data: {\"choices\":[{\"delta\":{\"content\":"
	    "\"hi\"}}]}\n\ndata: [DONE]\n", NULL },
	{ &judge_format_openai, ": note\r\ndata: {\"choices\":[{\"delta\":"
	    "{\"content\":\"hi\"},\"finish_reason\":\"stop\"}],\"usage\":"
	    "{\"prompt_tokens\":7}}\r\n\r\n", "hi" },
	{ &judge_format_openai, "data: nonsense\n", NULL },
};

static void
test_others(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(others); i++) {
		struct judge_reply r = JUDGE_REPLY_INIT;
		struct err err = ERR_INIT;
		int rc = judge_format_reply(others[i].f, others[i].body,
		    strlen(others[i].body), &r, &err);

		OKF((rc == 0) == (others[i].text != NULL), "%s, row %zu: %s",
		    others[i].f->name, i, err.text);
		if (rc == 0 && others[i].text != NULL) {
			IS_STRN(r.text.data, others[i].text, "its text");
			OKF(r.tokens_in == 7, "and its tokens");
		}
		buf_done(&r.text);
	}
	OK(judge_format_find("gemini") == &judge_format_gemini);
	OK(judge_format_find("Gemini") == NULL);
}

/* Whatever the level, no format asks for a stream, and each says both texts
 * once. */
static void
test_other_requests(void)
{
	static const char *const names[] = { "openai-chat", "azure-chat",
	    "openai-responses", "anthropic-messages", "gemini", "ollama" };
	const struct judge_prompt p = { "m", "SYSTEM", "USER" };
	const struct judge_prompt not_utf8 = { "m", "SYSTEM", "\xff" };
	unsigned level;
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++)
		for (level = 0; level < 8; level++) {
			const struct judge_format *g =
			    judge_format_find(names[i]);
			struct buf b = BUF_INIT;

			if ((level & 3) == 3)
				continue;
			IS_INT(judge_format_request(g, &p, level, &b, NULL), 0);
			OKF(strstr(b.data, "\"stream\":true") == NULL &&
			    strstr(b.data, "SYSTEM") != NULL &&
			    strstr(b.data, "USER") != NULL &&
			    (strstr(b.data, "temperature") == NULL) ==
			    ((level & 4) != 0) &&
			    ((level & 3) != 0 || strstr(b.data,
			    "safer_alternative") != NULL) &&
			    ((level & 3) == 0 || strstr(b.data,
			    "safer_alternative") == NULL),
			    "%s, level %u: %s", g->name, level, b.data);
			IS_INTN(judge_format_request(g, &not_utf8, level, &b,
			    NULL), ERR_SYNTAX, "not UTF-8");
			buf_done(&b);
		}
}

int
main(void)
{
	test_others();
	test_other_requests();
	test_request();
	test_reply();
	test_lower();
	return tap_done();
}
