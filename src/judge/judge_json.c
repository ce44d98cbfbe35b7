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

static json_t *
property(const char *type, const char *meaning)
{
	return json_pack("{s:s, s:s}", "type", type, "description", meaning);
}

json_t *
judge_schema(void)
{
	json_t *properties, *action;

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
	return json_pack("{s:s, s:o, s:[s,s,s,s,s,s], s:b}",
	    "type", "object", "properties", properties, "required",
	    "nonce", "category", "reason", "action", "confidence",
	    "safer_alternative", "additionalProperties", 0);
}
