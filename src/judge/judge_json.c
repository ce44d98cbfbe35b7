/* SPDX-License-Identifier: ISC */
/* JSON for the wire formats: strict reading, compact writing, the schema. */
#include "judge_json.h"

#include <errno.h>
#include <string.h>

#include "aegsh/base/mem.h"

void
judge_json_done(json_t **j)
{
	json_decref(*j);
}

int
judge_json_object(const char *text, size_t len, json_t **ret, struct err *err)
{
	json_error_t why;
	json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);

	if (!json_is_object(o)) {
		json_decref(o);
		return err_set(err, ERR_PROTOCOL,
		    "the server's answer is not one JSON object");
	}
	*ret = o;
	return 0;
}

int
judge_json_dump(const json_t *j, struct buf *ret, struct err *err)
{
	char *text = json_dumps(j, JSON_COMPACT);

	if (text == NULL)
		return err_set(err, -ENOMEM, "JSON");
	buf_puts(ret, text);
	free(text);
	return 0;
}

json_t *
judge_json_chat(const struct judge_prompt *p)
{
	return json_pack("{s:s, s:[{s:s, s:s}, {s:s, s:s}], s:b}",
	    "model", p->model, "messages",
	    "role", "system", "content", p->system,
	    "role", "user", "content", p->user, "stream", 0);
}

static json_t *
property(const char *type, const char *meaning)
{
	return json_pack("{s:s, s:s}", "type", type, "description", meaning);
}

json_t *
judge_schema(bool closed)
{
	json_t *properties, *action, *schema;

	action = json_pack("{s:s, s:[s,s,s], s:s}", "type", "string",
	    "enum", "allow", "warn", "block",
	    "description", "allow, warn or block");
	properties = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",
	    "nonce", property("string", "the nonce of the request"),
	    "category", property("string",
	    "one short word: a-z, 0-9, _ and - only"),
	    "reason", property("string",
	    "at most two sentences, for the person at the prompt"),
	    "action", action,
	    "confidence", property("number", "0 to 1"),
	    "safer_alternative", property("string",
	    "a command line that is safer, or an empty string"));
	schema = json_pack("{s:s, s:o, s:[s,s,s,s,s,s]}",
	    "type", "object", "properties", properties, "required",
	    "nonce", "category", "reason", "action", "confidence",
	    "safer_alternative");
	if (schema != NULL && closed)
		json_object_set_new(schema, "additionalProperties",
		    json_false());
	return schema;
}

uint64_t
judge_json_count(const json_t *o, const char *name)
{
	json_int_t n = json_integer_value(json_object_get(o, name));

	return n > 0 && n < JUDGE_TOKENS_MAX ? (uint64_t)n : 0;
}

void
judge_json_model(const json_t *name, struct judge_reply *r)
{
	if (json_is_string(name))
		val_text_keep(r->model, sizeof r->model,
		    json_string_value(name), json_string_length(name));
}

bool
judge_json_text(const json_t *text, struct judge_reply *r)
{
	if (!json_is_string(text))
		return false;
	buf_put(&r->text, json_string_value(text), json_string_length(text));
	r->any = true;
	return true;
}
