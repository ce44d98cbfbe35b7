/* SPDX-License-Identifier: ISC */
/* JSON for the wire formats: strict reading, compact writing, the schema. */
#ifndef JUDGE_JSON_H
#define JUDGE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "judge_int.h"

void judge_json_done(json_t **j);	/* for AEG_AUTO() */
/* One object and nothing else, no member twice. */
int judge_json_object(const char *text, size_t len, json_t **ret,
	struct err *err);
int judge_json_dump(const json_t *j, struct buf *ret, struct err *err);
/* Model and messages, as OpenAI's chat has them; owned, NULL: not UTF-8. */
json_t *judge_json_chat(const struct judge_prompt *p);
/* The answer that is asked for, as JSON Schema; owned.  closed: with
 * additionalProperties, which some dialects do not know. */
json_t *judge_schema(bool closed);
/* A member that is a count of tokens; 0 where there is none. */
uint64_t judge_json_count(const json_t *o, const char *name);
/* Keep the name of the model that answered. */
void judge_json_model(const json_t *name, struct judge_reply *r);
/* Append the text of a string; false: it is none. */
bool judge_json_text(const json_t *text, struct judge_reply *r);

/* Levels: the two low bits say how the form of the answer is asked for. */
enum {
	JUDGE_BY_SCHEMA = 0,
	JUDGE_BY_OBJECT = 1,
	JUDGE_BY_PROMPT = 2,		/* the prompt's words alone */
	JUDGE_FORM = 3,			/* mask */
	JUDGE_NO_TEMPERATURE = 4,	/* some models take but their own */
};

#endif
