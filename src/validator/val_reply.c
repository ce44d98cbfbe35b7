/* SPDX-License-Identifier: ISC */
/*
 * The model's answer, believed only when it is exactly what was asked for.
 * The one file of this room that knows a JSON parser; aegsh-judge links
 * it, the shell does not.
 */
#include "aegsh/validator_frame.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "aegsh/base/mem.h"

static void
json_done(json_t **j)
{
	json_decref(*j);
}

static const char *const members[] = { "action", "reason", "confidence",
	"category", "safer_alternative", "nonce" };

static int
check_members(json_t *o, struct err *err)
{
	const char *key;
	json_t *value;
	size_t i;

	json_object_foreach(o, key, value) {
		for (i = 0; i < AEG_NELEM(members); i++)
			if (strcmp(key, members[i]) == 0)
				break;
		if (i == AEG_NELEM(members))
			return err_set(err, ERR_SYNTAX,
			    "answer: a member that was not asked for");
	}
	for (i = 0; i < AEG_NELEM(members); i++) {
		value = json_object_get(o, members[i]);
		if (value == NULL)
			return err_set(err, ERR_SYNTAX,
			    "answer: no member '%s'", members[i]);
		if (strcmp(members[i], "confidence") == 0 ?
		    !json_is_number(value) : !json_is_string(value))
			return err_set(err, ERR_SYNTAX,
			    "answer: '%s' is of the wrong type", members[i]);
	}
	return 0;
}

static int
take_action(const char *name, enum val_action *ret, struct err *err)
{
	static const enum val_action all[] = { VAL_BLOCK, VAL_WARN, VAL_ALLOW };
	size_t i;

	for (i = 0; i < AEG_NELEM(all); i++)
		if (strcmp(name, val_action_name(all[i])) == 0) {
			*ret = all[i];
			return 0;
		}
	return err_set(err, ERR_SYNTAX, "answer: unknown action");
}

static void
keep(char *ret, size_t size, const json_t *text)
{
	val_text_keep(ret, size, json_string_value(text),
	    json_string_length(text));
}

int
val_parse_reply(const char *text, size_t len, const char *nonce,
    struct val_verdict *ret, struct err *err)
{
	AEG_AUTO(json_done) json_t *o = NULL;
	struct val_verdict v = { .status = VAL_ANSWERED };
	json_error_t why;
	double confidence;
	int rc;

	if (len > VAL_REPLY_MAX)
		return err_set(err, ERR_SYNTAX,
		    "answer: longer than %zu bytes", VAL_REPLY_MAX);
	o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	if (o == NULL)
		return err_set(err, ERR_SYNTAX,
		    "answer: not one JSON object: %s", why.text);
	if (!json_is_object(o))
		return err_set(err, ERR_SYNTAX, "answer: not an object");
	rc = check_members(o, err);
	if (rc == 0)
		rc = take_action(json_string_value(json_object_get(o,
		    "action")), &v.action, err);
	if (rc < 0)
		return rc;
	if (strcmp(json_string_value(json_object_get(o, "nonce")), nonce) != 0)
		return err_set(err, ERR_SYNTAX,
		    "answer: to another question");
	confidence = json_number_value(json_object_get(o, "confidence"));
	if (!isfinite(confidence) || confidence < 0 || confidence > 1)
		return err_set(err, ERR_SYNTAX,
		    "answer: confidence is not within 0 and 1");
	/* Down to the percent below, but 0.29 is 29. */
	v.confidence = (unsigned)(confidence * 100 + 1e-9);
	keep(v.category, sizeof v.category, json_object_get(o, "category"));
	if (!val_category_good(v.category, sizeof v.category))
		return err_set(err, ERR_SYNTAX,
		    "answer: category is not a short word");
	keep(v.reason, sizeof v.reason, json_object_get(o, "reason"));
	keep(v.alternative, sizeof v.alternative,
	    json_object_get(o, "safer_alternative"));
	*ret = v;
	return 0;
}
