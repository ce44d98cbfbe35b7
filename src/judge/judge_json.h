/* SPDX-License-Identifier: ISC */
/* JSON for the wire formats: strict reading, compact writing, the schema. */
#ifndef JUDGE_JSON_H
#define JUDGE_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"

void judge_json_done(json_t **j);	/* for AEG_AUTO() */
/* One object and nothing else, no member twice. */
int judge_json_object(const char *text, size_t len, json_t **ret,
	struct err *err);
int judge_json_dump(const json_t *j, struct buf *ret, struct err *err);
/* The answer that is asked for, as JSON Schema; owned. */
json_t *judge_schema(void);

#endif
