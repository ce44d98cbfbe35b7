/* SPDX-License-Identifier: ISC */
/*
 * Gemini's generateContent: POST BASE/models/MODEL:generateContent, with a
 * responseSchema, which is a dialect of its own.
 */
#include <string.h>

#include "judge_json.h"

static json_t *
request(const struct judge_prompt *p, unsigned level)
{
	json_t *config = json_pack("{s:i}", "candidateCount", 1);

	if ((level & JUDGE_NO_TEMPERATURE) == 0)
		json_object_set_new(config, "temperature", json_integer(0));
	if ((level & JUDGE_FORM) != JUDGE_BY_PROMPT)
		json_object_set_new(config, "responseMimeType",
		    json_string("application/json"));
	if ((level & JUDGE_FORM) == JUDGE_BY_SCHEMA)
		json_object_set_new(config, "responseSchema",
		    judge_schema(false));
	return json_pack("{s:{s:[{s:s}]}, s:[{s:s, s:[{s:s}]}], s:o}",
	    "systemInstruction", "parts", "text", p->system,
	    "contents", "role", "user", "parts", "text", p->user,
	    "generationConfig", config);
}

static int
event(json_t *o, struct judge_reply *r, struct err *err)
{
	json_t *candidates = json_object_get(o, "candidates"), *first, *part;
	json_t *usage = json_object_get(o, "usageMetadata");
	const char *end;
	size_t i;

	judge_json_model(json_object_get(o, "modelVersion"), r);
	if (json_is_object(usage)) {
		r->tokens_in = judge_json_count(usage, "promptTokenCount");
		r->tokens_out = judge_json_count(usage,
		    "candidatesTokenCount") + judge_json_count(usage,
		    "thoughtsTokenCount");
	}
	if (r->streamed && json_array_size(candidates) == 0)
		return 0;
	if (json_array_size(candidates) != 1)
		return err_set(err, ERR_PROTOCOL,
		    "the server's answer has not exactly one candidate");
	first = json_array_get(candidates, 0);
	end = json_string_value(json_object_get(first, "finishReason"));
	if (end != NULL && strcmp(end, "STOP") != 0)
		return err_set(err, ERR_PROTOCOL,
		    "the model was cut short (%s)", end);
	r->ended = r->ended || end != NULL;
	json_array_foreach(json_object_get(json_object_get(first, "content"),
	    "parts"), i, part)
		if (!json_is_true(json_object_get(part, "thought")))
			judge_json_text(json_object_get(part, "text"), r);
	if (!r->streamed && !r->any)
		return err_set(err, ERR_PROTOCOL,
		    "the server's answer holds no text of the model");
	return 0;
}

const struct judge_format judge_format_gemini = {
	.name = "gemini",
	.path = "/models/%s:generateContent",
	.unix_base = "/v1beta",
	.auth = "x-goog-api-key: %s",
	.request = request,
	.event = event,
	.step = 1,
};
