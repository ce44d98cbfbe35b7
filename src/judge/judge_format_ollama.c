/* SPDX-License-Identifier: ISC */
/* Ollama's own: POST BASE/api/chat, structured output by format. */
#include <string.h>

#include "judge_json.h"

static json_t *
request(const struct judge_prompt *p, unsigned level)
{
	json_t *o = judge_json_chat(p);

	if ((level & JUDGE_NO_TEMPERATURE) == 0)
		json_object_set_new(o, "options", json_pack("{s:i}",
		    "temperature", 0));
	if ((level & JUDGE_FORM) == JUDGE_BY_SCHEMA)
		json_object_set_new(o, "format", judge_schema(true));
	else if ((level & JUDGE_FORM) == JUDGE_BY_OBJECT)
		json_object_set_new(o, "format", json_string("json"));
	return o;
}

static int
event(json_t *o, struct judge_reply *r, struct err *err)
{
	const char *why = json_string_value(json_object_get(o, "done_reason"));
	bool done = json_is_true(json_object_get(o, "done"));

	judge_json_model(json_object_get(o, "model"), r);
	if (!judge_json_text(json_object_get(json_object_get(o, "message"),
	    "content"), r) && !r->streamed)
		return err_set(err, ERR_PROTOCOL,
		    "the server's answer holds no text of the model");
	if (why != NULL && strcmp(why, "stop") != 0)
		return err_set(err, ERR_PROTOCOL,
		    "the model was cut short (%s)", why);
	if (!done && !r->streamed)
		return err_set(err, ERR_PROTOCOL,
		    "the server's answer ends before its end");
	if (done) {
		r->ended = true;
		r->tokens_in = judge_json_count(o, "prompt_eval_count");
		r->tokens_out = judge_json_count(o, "eval_count");
	}
	return 0;
}

const struct judge_format judge_format_ollama = {
	.name = "ollama",
	.path = "/api/chat",
	.unix_base = "",
	.auth = "Authorization: Bearer %s",
	.request = request,
	.event = event,
	.step = 1,
};
