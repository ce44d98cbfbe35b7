/* SPDX-License-Identifier: ISC */
/*
 * OpenAI's chat completions, which most servers speak: POST
 * BASE/chat/completions, structured output by response_format.
 */
#include "judge_int.h"

#include <jansson.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "judge_json.h"

/* Levels: the two low bits say how the form of the answer is asked for. */
enum {
	BY_SCHEMA = 0,		/* response_format json_schema, strict */
	BY_OBJECT = 1,		/* response_format json_object */
	BY_PROMPT = 2,		/* the prompt's words alone */
	FORM = 3,		/* mask */
	NO_TEMPERATURE = 4,	/* some models take no other than their own */
};

static json_t *
response_format(unsigned level)
{
	switch (level & FORM) {
	case BY_SCHEMA:
		return json_pack("{s:s, s:{s:s, s:b, s:o}}",
		    "type", "json_schema", "json_schema",
		    "name", "aegsh_verdict", "strict", 1,
		    "schema", judge_schema());
	case BY_OBJECT:
		return json_pack("{s:s}", "type", "json_object");
	default:
		return NULL;
	}
}

static int
request(const struct judge_prompt *p, unsigned level, struct buf *ret,
    struct err *err)
{
	AEG_AUTO(judge_json_done) json_t *o = json_pack(
	    "{s:s, s:[{s:s, s:s}, {s:s, s:s}], s:b}", "model", p->model,
	    "messages", "role", "system", "content", p->system,
	    "role", "user", "content", p->user, "stream", 0);
	json_t *form;

	if (o == NULL)
		return err_set(err, ERR_SYNTAX, "the question is not UTF-8");
	form = response_format(level);
	if ((level & NO_TEMPERATURE) == 0)
		json_object_set_new(o, "temperature", json_integer(0));
	if (form != NULL)
		json_object_set_new(o, "response_format", form);
	return judge_json_dump(o, ret, err);
}

static int
reply(const char *body, size_t len, struct buf *ret_text, char *ret_model,
    size_t model_size, struct err *err)
{
	AEG_AUTO(judge_json_done) json_t *o = NULL;
	json_t *choice, *text, *model, *end;
	int rc;

	rc = judge_json_object(body, len, &o, err);
	if (rc < 0)
		return rc;
	if (json_array_size(json_object_get(o, "choices")) != 1)
		return err_set(err, ERR_PROTOCOL,
		    "the server's answer has not exactly one choice");
	choice = json_array_get(json_object_get(o, "choices"), 0);
	end = json_object_get(choice, "finish_reason");
	if (json_is_string(end) && strcmp(json_string_value(end), "stop") != 0)
		return err_set(err, ERR_PROTOCOL,
		    "the model was cut short (%s)", json_string_value(end));
	text = json_object_get(json_object_get(choice, "message"), "content");
	if (!json_is_string(text))
		return err_set(err, ERR_PROTOCOL,
		    "the server's answer holds no text of the model");
	model = json_object_get(o, "model");
	if (json_is_string(model))
		val_text_keep(ret_model, model_size, json_string_value(model),
		    json_string_length(model));
	buf_put(ret_text, json_string_value(text), json_string_length(text));
	return 0;
}

/* 400 and 422 are how servers say that they know a field not; a wrong
 * guess costs one more refusal. */
static unsigned
lower(unsigned level, long status, const char *body, size_t len)
{
	if (status != 400 && status != 422 && status != 501)
		return level;
	if ((level & NO_TEMPERATURE) == 0 && len > 0 &&
	    memmem(body, len, "temperature", 11) != NULL)
		return level | NO_TEMPERATURE;
	return (level & FORM) < BY_PROMPT ? level + 1 : level;
}

const struct judge_format judge_format_openai = {
	.name = "openai-chat",
	.path = "/chat/completions",
	.auth = "Authorization: Bearer %s",
	.request = request,
	.reply = reply,
	.lower = lower,
};
