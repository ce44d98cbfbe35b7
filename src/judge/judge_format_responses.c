/* SPDX-License-Identifier: ISC */
/*
 * OpenAI's responses: POST BASE/responses, structured output by text.format.
 * Nothing is stored there, as far as that can be asked for.
 */
#include <string.h>

#include "judge_json.h"

/* NULL, which sets no member: the prompt's words ask for it. */
static json_t *
text_format(unsigned level)
{
	switch (level & JUDGE_FORM) {
	case JUDGE_BY_SCHEMA:
		return json_pack("{s:{s:s, s:s, s:b, s:o}}", "format",
		    "type", "json_schema", "name", "aegsh_verdict",
		    "strict", 1, "schema", judge_schema(true));
	case JUDGE_BY_OBJECT:
		return json_pack("{s:{s:s}}", "format", "type",
		    "json_object");
	default:
		return NULL;
	}
}

static json_t *
request(const struct judge_prompt *p, unsigned level)
{
	json_t *o = json_pack("{s:s, s:s, s:s, s:b, s:b}", "model", p->model,
	    "instructions", p->system, "input", p->user, "stream", 0,
	    "store", 0);

	if ((level & JUDGE_NO_TEMPERATURE) == 0)
		json_object_set_new(o, "temperature", json_integer(0));
	json_object_set_new(o, "text", text_format(level));
	return o;
}

/* The text parts of the one message in it; reasoning and the like are
 * passed over. */
static int
take_output(const json_t *o, struct judge_reply *r, struct err *err)
{
	json_t *item, *part;
	size_t i, k, messages = 0;

	json_array_foreach(json_object_get(o, "output"), i, item) {
		const char *type = json_string_value(json_object_get(item,
		    "type"));

		if (type == NULL || strcmp(type, "message") != 0)
			continue;
		if (messages++ > 0)
			break;
		json_array_foreach(json_object_get(item, "content"), k, part) {
			type = json_string_value(json_object_get(part,
			    "type"));
			if (type != NULL && strcmp(type, "refusal") == 0)
				return err_set(err, ERR_PROTOCOL,
				    "the model refused to answer");
			judge_json_text(json_object_get(part, "text"), r);
		}
	}
	if (messages != 1 || !r->any)
		return err_set(err, ERR_PROTOCOL,
		    "the server's answer holds not exactly one message");
	return 0;
}

static int
take_response(const json_t *o, struct judge_reply *r, bool text,
    struct err *err)
{
	const char *status = json_string_value(json_object_get(o, "status"));
	json_t *usage = json_object_get(o, "usage");

	if (status == NULL || strcmp(status, "completed") != 0)
		return err_set(err, ERR_PROTOCOL,
		    "the model was cut short (%s)",
		    status != NULL ? status : "no status");
	judge_json_model(json_object_get(o, "model"), r);
	r->tokens_in = judge_json_count(usage, "input_tokens");
	r->tokens_out = judge_json_count(usage, "output_tokens");
	r->ended = true;
	return text ? take_output(o, r, err) : 0;
}

static int
event(json_t *o, struct judge_reply *r, struct err *err)
{
	const char *type = json_string_value(json_object_get(o, "type"));

	if (!r->streamed)
		return take_response(o, r, true, err);
	if (type == NULL)
		return 0;
	if (strcmp(type, "response.output_text.delta") == 0)
		judge_json_text(json_object_get(o, "delta"), r);
	else if (strcmp(type, "response.completed") == 0 ||
	    strcmp(type, "response.incomplete") == 0 ||
	    strcmp(type, "response.failed") == 0)
		return take_response(json_object_get(o, "response"), r, false,
		    err);
	return 0;
}

const struct judge_format judge_format_responses = {
	.name = "openai-responses",
	.path = "/responses",
	.unix_base = "/v1",
	.auth = "Authorization: Bearer %s",
	.request = request,
	.event = event,
	.step = 1,
};
