/* SPDX-License-Identifier: ISC */
/* What is the same for all wire formats, and their names. */
#include "judge_json.h"

#include <string.h>

#include "aegsh/base/mem.h"

static const struct judge_format *const formats[] = {
	&judge_format_openai, &judge_format_azure, &judge_format_responses,
	&judge_format_anthropic, &judge_format_gemini, &judge_format_ollama,
};

const struct judge_format *
judge_format_find(const char *name)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(formats); i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

int
judge_format_request(const struct judge_format *f,
    const struct judge_prompt *p, unsigned level, struct buf *ret,
    struct err *err)
{
	AEG_AUTO(judge_json_done) json_t *o = f->request(p, level);

	return o != NULL ? judge_json_dump(o, ret, err) :
	    err_set(err, ERR_SYNTAX, "the question is not UTF-8");
}

/* One event of a stream: "data: {…}", or a line that is an object. */
static int
take_line(const struct judge_format *f, const char *p, size_t len,
    struct judge_reply *r, struct err *err)
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
	return rc < 0 ? rc : f->event(o, r, err);
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

/* Whole or, though it was not asked for, streamed: server-sent events, or one
 * object a line. */
int
judge_format_reply(const struct judge_format *f, const char *body,
    size_t len, struct judge_reply *r, struct err *err)
{
	AEG_AUTO(judge_json_done) json_t *o = NULL;
	const char *end = body + len, *nl;
	size_t n;
	int rc = 0;

	r->streamed = is_stream(body, len);
	if (!r->streamed) {
		rc = judge_json_object(body, len, &o, err);
		return rc < 0 ? rc : f->event(o, r, err);
	}
	for (; rc == 0 && body < end; body += n + 1) {
		nl = memchr(body, '\n', (size_t)(end - body));
		n = (size_t)((nl != NULL ? nl : end) - body);
		rc = take_line(f, body, n > 0 && body[n - 1] == '\r' ? n - 1 :
		    n, r, err);
	}
	if (rc == 0 && !r->ended)
		rc = err_set(err, ERR_PROTOCOL,
		    "the server's answer ends before its end");
	return rc;
}

/* 400 and 422 are how servers say that they know a field not; a wrong
 * guess costs one more refusal. */
unsigned
judge_format_lower(const struct judge_format *f, unsigned level, long status,
    const char *body, size_t len)
{
	if (status != 400 && status != 422 && status != 501)
		return level;
	if ((level & JUDGE_NO_TEMPERATURE) == 0 && len > 0 &&
	    memmem(body, len, "temperature", 11) != NULL)
		return level | JUDGE_NO_TEMPERATURE;
	return (level & JUDGE_FORM) < JUDGE_BY_PROMPT ? level + f->step : level;
}
