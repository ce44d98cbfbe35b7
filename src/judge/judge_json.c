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

/* One event of a stream: "data: {…}", or a line that is an object. */
static int
take_line(const char *p, size_t len, struct judge_reply *r,
    int (*event)(json_t *o, struct judge_reply *r, struct err *err),
    struct err *err)
{
	static const char data[] = "data:", done[] = "[DONE]";
	AEG_AUTO(judge_json_done) json_t *o = NULL;
	int rc;

	if (len >= sizeof data - 1 && memcmp(p, data, sizeof data - 1) == 0) {
		p += sizeof data - 1;
		len -= sizeof data - 1;
	} else if (len == 0 || *p != '{') {
		return 0;	/* event:, id:, comments, blank lines */
	}
	for (; len > 0 && *p == ' '; len--)
		p++;
	if (len == sizeof done - 1 && memcmp(p, done, len) == 0)
		return 0;
	rc = judge_json_object(p, len, &o, err);
	return rc < 0 ? rc : event(o, r, err);
}

static bool
is_stream(const char *body, size_t len)
{
	static const char *const starts[] = { "data:", "event:", "id:", ":" };
	size_t i;

	for (i = 0; i < AEG_NELEM(starts); i++)
		if (len >= strlen(starts[i]) &&
		    memcmp(body, starts[i], strlen(starts[i])) == 0)
			return true;
	/* One object a line, and more than one. */
	for (i = 0; i + 2 < len; i++)
		if (body[i] == '}' && body[i + 1] == '\n' &&
		    body[i + 2] == '{')
			return true;
	return false;
}

int
judge_json_events(const char *body, size_t len, struct judge_reply *r,
    int (*event)(json_t *o, struct judge_reply *r, struct err *err),
    struct err *err)
{
	AEG_AUTO(judge_json_done) json_t *o = NULL;
	const char *end = body + len, *nl;
	size_t n;
	int rc = 0;

	r->streamed = is_stream(body, len);
	if (!r->streamed) {
		rc = judge_json_object(body, len, &o, err);
		return rc < 0 ? rc : event(o, r, err);
	}
	for (; rc == 0 && body < end; body += n + 1) {
		nl = memchr(body, '\n', (size_t)(end - body));
		n = (size_t)((nl != NULL ? nl : end) - body);
		rc = take_line(body, n > 0 && body[n - 1] == '\r' ? n - 1 : n,
		    r, event, err);
	}
	if (rc == 0 && !r->ended)
		rc = err_set(err, ERR_PROTOCOL,
		    "the server's answer ends before its end");
	return rc;
}

/* 400 and 422 are how servers say that they know a field not; a wrong
 * guess costs one more refusal. */
unsigned
judge_lower(unsigned level, unsigned steps, long status, const char *body,
    size_t len)
{
	if (status != 400 && status != 422 && status != 501)
		return level;
	if ((level & JUDGE_NO_TEMPERATURE) == 0 && len > 0 &&
	    memmem(body, len, "temperature", 11) != NULL)
		return level | JUDGE_NO_TEMPERATURE;
	return (level & JUDGE_FORM) < JUDGE_BY_PROMPT ? level + steps : level;
}
