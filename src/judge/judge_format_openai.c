/* SPDX-License-Identifier: ISC */
/*
 * OpenAI's chat completions, which most servers speak: POST
 * BASE/chat/completions, structured output by response_format.
 */
#include <string.h>

#include "judge_json.h"

/* NULL, which sets no member: the prompt's words ask for it. */
static json_t *
response_format(unsigned level)
{
	switch (level & JUDGE_FORM) {
	case JUDGE_BY_SCHEMA:
		return json_pack("{s:s, s:{s:s, s:b, s:o}}",
		    "type", "json_schema", "json_schema",
		    "name", "aegsh_verdict", "strict", 1,
		    "schema", judge_schema(true));
	case JUDGE_BY_OBJECT:
		return json_pack("{s:s}", "type", "json_object");
	default:
		return NULL;
	}
}

static json_t *
request(const struct judge_prompt *p, unsigned level)
{
	json_t *o = judge_json_chat(p);

	if ((level & JUDGE_NO_TEMPERATURE) == 0)
		json_object_set_new(o, "temperature", json_integer(0));
	json_object_set_new(o, "response_format", response_format(level));
	return o;
}

static int
event(json_t *o, struct judge_reply *r, struct err *err)
{
	json_t *choices = json_object_get(o, "choices"), *choice, *end;
	json_t *usage = json_object_get(o, "usage"), *text;
	size_t n = json_array_size(choices);

	judge_json_model(json_object_get(o, "model"), r);
	if (json_is_object(usage)) {
		r->tokens_in = judge_json_count(usage, "prompt_tokens");
		r->tokens_out = judge_json_count(usage, "completion_tokens");
	}
	if (r->streamed && n == 0)
		return 0;	/* the usage, behind the last piece */
	if (n != 1)
		return err_set(err, ERR_PROTOCOL,
		    "the server's answer has not exactly one choice");
	choice = json_array_get(choices, 0);
	end = json_object_get(choice, "finish_reason");
	if (json_is_string(end) && strcmp(json_string_value(end), "stop") != 0)
		return err_set(err, ERR_PROTOCOL,
		    "the model was cut short (%s)", json_string_value(end));
	r->ended = r->ended || json_is_string(end);
	text = json_object_get(json_object_get(choice, r->streamed ? "delta" :
	    "message"), "content");
	if (!judge_json_text(text, r) && !r->streamed)
		return err_set(err, ERR_PROTOCOL,
		    "the server's answer holds no text of the model");
	return 0;
}

const struct judge_format judge_format_openai = {
	.name = "openai-chat",
	.path = "/chat/completions",
	.unix_base = "/v1",
	.auth = "Authorization: Bearer %s",
	.request = request,
	.event = event,
	.step = 1,
};

/* The same, but for the field that carries the key. */
const struct judge_format judge_format_azure = {
	.name = "azure-chat",
	.path = "/chat/completions",
	.unix_base = "/openai/v1",
	.auth = "api-key: %s",
	.request = request,
	.event = event,
	.step = 1,
};
