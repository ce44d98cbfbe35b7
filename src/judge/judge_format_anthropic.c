/* SPDX-License-Identifier: ISC */
/*
 * Anthropic's messages: POST BASE/messages.  The form of the answer is that
 * of the input of a tool which the model is forced to call; nothing is ever
 * called.
 */
#include <string.h>

#include "judge_json.h"

#define TOKENS_MOST 1024	/* of an answer; the API wants a number */

static json_t *
request(const struct judge_prompt *p, unsigned level)
{
	json_t *o = json_pack("{s:s, s:i, s:s, s:[{s:s, s:s}], s:b}",
	    "model", p->model, "max_tokens", TOKENS_MOST,
	    "system", p->system, "messages", "role", "user",
	    "content", p->user, "stream", 0);

	if ((level & JUDGE_NO_TEMPERATURE) == 0)
		json_object_set_new(o, "temperature", json_integer(0));
	if ((level & JUDGE_FORM) == JUDGE_BY_SCHEMA) {
		json_object_set_new(o, "tools", json_pack(
		    "[{s:s, s:s, s:o}]", "name", "verdict", "description",
		    "Gives the verdict about the command line.",
		    "input_schema", judge_schema(true)));
		json_object_set_new(o, "tool_choice", json_pack("{s:s, s:s}",
		    "type", "tool", "name", "verdict"));
	}
	return o;
}

static bool
is(const json_t *o, const char *member, const char *value)
{
	const char *text = json_string_value(json_object_get(o, member));

	return text != NULL && strcmp(text, value) == 0;
}

static int
take_stop(const json_t *reason, struct judge_reply *r, struct err *err)
{
	const char *text = json_string_value(reason);

	if (text == NULL)
		return 0;
	if (strcmp(text, "end_turn") != 0 && strcmp(text, "tool_use") != 0 &&
	    strcmp(text, "stop_sequence") != 0)
		return err_set(err, ERR_PROTOCOL,
		    "the model was cut short (%s)", text);
	r->ended = true;
	return 0;
}

/* A tool call counts, and then text beside it does not; else the text. */
static int
take_content(const json_t *o, struct judge_reply *r, struct err *err)
{
	json_t *block, *call = NULL, *text = NULL;
	size_t i, calls = 0, texts = 0;

	json_array_foreach(json_object_get(o, "content"), i, block) {
		if (is(block, "type", "tool_use")) {
			call = json_object_get(block, "input");
			calls++;
		} else if (is(block, "type", "text")) {
			text = json_object_get(block, "text");
			texts++;
		}
	}
	if (calls == 1 && json_is_object(call)) {
		r->any = true;
		return judge_json_dump(call, &r->text, err);
	}
	if (calls == 0 && texts == 1 && judge_json_text(text, r))
		return 0;
	return err_set(err, ERR_PROTOCOL,
	    "the server's answer holds not exactly one verdict");
}

static void
take_usage(const json_t *usage, struct judge_reply *r)
{
	if (json_object_get(usage, "input_tokens") != NULL)
		r->tokens_in = judge_json_count(usage, "input_tokens");
	if (json_object_get(usage, "output_tokens") != NULL)
		r->tokens_out = judge_json_count(usage, "output_tokens");
}

static int
take_piece(json_t *o, struct judge_reply *r, struct err *err)
{
	json_t *delta = json_object_get(o, "delta"), *start;

	if (is(o, "type", "message_start")) {
		start = json_object_get(o, "message");
		judge_json_model(json_object_get(start, "model"), r);
		take_usage(json_object_get(start, "usage"), r);
	} else if (is(o, "type", "content_block_start")) {
		start = json_object_get(o, "content_block");
		if (r->any || r->blocks++ > 0)
			return err_set(err, ERR_PROTOCOL, "the server's "
			    "answer holds not exactly one verdict");
	} else if (is(o, "type", "content_block_delta")) {
		if (!judge_json_text(json_object_get(delta, "partial_json"),
		    r))
			judge_json_text(json_object_get(delta, "text"), r);
	} else if (is(o, "type", "message_delta")) {
		take_usage(json_object_get(o, "usage"), r);
		return take_stop(json_object_get(delta, "stop_reason"), r,
		    err);
	} else if (is(o, "type", "error")) {
		return err_set(err, ERR_PROTOCOL,
		    "the server broke its answer off");
	}
	return 0;
}

static int
event(json_t *o, struct judge_reply *r, struct err *err)
{
	int rc;

	if (r->streamed)
		return take_piece(o, r, err);
	judge_json_model(json_object_get(o, "model"), r);
	take_usage(json_object_get(o, "usage"), r);
	rc = take_stop(json_object_get(o, "stop_reason"), r, err);
	return rc < 0 ? rc : take_content(o, r, err);
}

const struct judge_format judge_format_anthropic = {
	.name = "anthropic-messages",
	.path = "/messages",
	.unix_base = "/v1",
	.auth = "x-api-key: %s",
	.header = "anthropic-version: 2023-06-01",
	.request = request,
	.event = event,
	.step = 2,	/* nothing between the forced call and the prompt */
};
