/* SPDX-License-Identifier: ISC */
#include "aegsh/validator.h"
#include "tap.h"

#include <stdlib.h>

#include "aegsh/base/mem.h"

#define NONCE "0123456789abcdef0123456789abcdef"
#define N "\"nonce\":\"" NONCE "\""
#define R "\"reason\":\"r\""
#define A "\"action\":\"allow\""
#define C "\"confidence\":0.9"
#define K "\"category\":\"read\""
#define S "\"safer_alternative\":\"\""
#define GOOD "{" N "," R "," A "," C "," K "," S "}"

static const struct {
	const char *name, *text;
} bad[] = {
	{ "nothing", "" },
	{ "blank", "  \n" },
	{ "no JSON", "allow" },
	{ "a number", "1" },
	{ "null", "null" },
	{ "an array", "[" GOOD "]" },
	{ "half", "{" N "," R "," A },
	{ "two objects", GOOD GOOD },
	{ "text before", "ok " GOOD },
	{ "text after", GOOD " ok" },
	{ "a fence", "```json\n" GOOD "\n```" },
	{ "a byte order mark", "\xef\xbb\xbf" GOOD },
	{ "a comma too many", "{" N "," R "," A "," C "," K "," S ",}" },
	{ "single quotes", "{'nonce':'" NONCE "'}" },
	{ "a comment", "/**/" GOOD },
	{ "no nonce", "{" R "," A "," C "," K "," S "}" },
	{ "no reason", "{" N "," A "," C "," K "," S "}" },
	{ "no action", "{" N "," R "," C "," K "," S "}" },
	{ "no confidence", "{" N "," R "," A "," K "," S "}" },
	{ "no category", "{" N "," R "," A "," C "," S "}" },
	{ "no alternative", "{" N "," R "," A "," C "," K "}" },
	{ "a member more", "{" N "," R "," A "," C "," K "," S ",\"x\":1}" },
	{ "a member twice", "{" N "," R "," A "," C "," K "," S "," A "}" },
	{ "a member twice, escaped",
	    "{" N "," R "," A "," C "," K "," S
	    ",\"\\u0061ction\":\"block\"}" },
	{ "a key in capitals",
	    "{" N "," R ",\"Action\":\"allow\"," C "," K "," S "}" },
	{ "another nonce", "{\"nonce\":\"1123456789abcdef0123456789abcdef\","
	    R "," A "," C "," K "," S "}" },
	{ "a nonce in capitals",
	    "{\"nonce\":\"0123456789ABCDEF0123456789ABCDEF\"," R "," A "," C ","
	    K "," S "}" },
	{ "a nonce and more", "{\"nonce\":\"" NONCE " \"," R "," A "," C "," K
	    "," S "}" },
	{ "an unknown action",
	    "{" N "," R ",\"action\":\"permit\"," C "," K "," S "}" },
	{ "an action in capitals",
	    "{" N "," R ",\"action\":\"Allow\"," C "," K "," S "}" },
	{ "an action with a space",
	    "{" N "," R ",\"action\":\"allow \"," C "," K "," S "}" },
	{ "a boolean action",
	    "{" N "," R ",\"action\":true," C "," K "," S "}" },
	{ "an action as a list",
	    "{" N "," R ",\"action\":[\"allow\"]," C "," K "," S "}" },
	{ "confidence NaN",
	    "{" N "," R "," A ",\"confidence\":NaN," K "," S "}" },
	{ "confidence Infinity",
	    "{" N "," R "," A ",\"confidence\":Infinity," K "," S "}" },
	{ "confidence 1e999",
	    "{" N "," R "," A ",\"confidence\":1e999," K "," S "}" },
	{ "confidence over 1",
	    "{" N "," R "," A ",\"confidence\":1.0001," K "," S "}" },
	{ "confidence 90",
	    "{" N "," R "," A ",\"confidence\":90," K "," S "}" },
	{ "confidence below 0",
	    "{" N "," R "," A ",\"confidence\":-0.1," K "," S "}" },
	{ "confidence as text",
	    "{" N "," R "," A ",\"confidence\":\"0.9\"," K "," S "}" },
	{ "confidence null",
	    "{" N "," R "," A ",\"confidence\":null," K "," S "}" },
	{ "reason null", "{" N ",\"reason\":null," A "," C "," K "," S "}" },
	{ "reason with a NUL",
	    "{" N ",\"reason\":\"\\u0000\"," A "," C "," K "," S "}" },
	{ "reason with half a surrogate",
	    "{" N ",\"reason\":\"\\ud800\"," A "," C "," K "," S "}" },
	{ "reason not UTF-8",
	    "{" N ",\"reason\":\"\xff\"," A "," C "," K "," S "}" },
	{ "reason with a bare newline",
	    "{" N ",\"reason\":\"a\nb\"," A "," C "," K "," S "}" },
	{ "category empty",
	    "{" N "," R "," A "," C ",\"category\":\"\"," S "}" },
	{ "category of two words",
	    "{" N "," R "," A "," C ",\"category\":\"a b\"," S "}" },
	{ "category too long", "{" N "," R "," A "," C ",\"category\":\""
	    NONCE NONCE "\"," S "}" },
	{ "alternative null",
	    "{" N "," R "," A "," C "," K ",\"safer_alternative\":null}" },
};

static int
parse(const char *text, struct val_verdict *ret)
{
	return val_parse_reply(text, strlen(text), NONCE, ret, NULL);
}

static void
test_confidence(void)
{
	static const struct {
		const char *text;
		unsigned want;
	} rows[] = { { "0", 0 }, { "1", 100 }, { "0.29", 29 }, { "0.599", 59 },
		{ "0.6", 60 }, { "1e-3", 0 }, { "0.9999", 99 },
		{ "1.0", 100 } };
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		AEG_AUTOFREE char *text = xasprintf("{" N "," R "," A ","
		    "\"confidence\":%s," K "," S "}", rows[i].text);
		struct val_verdict v = { .confidence = 7 };

		parse(text, &v);
		IS_INTN(v.confidence, rows[i].want, rows[i].text);
	}
}

int
main(void)
{
	static char big[VAL_REPLY_MAX + 2];
	struct val_verdict v, untouched;
	struct err err = ERR_INIT;
	size_t i;

	memset(&v, 0x5a, sizeof v);
	untouched = v;
	for (i = 0; i < AEG_NELEM(bad); i++) {
		IS_INTN(parse(bad[i].text, &v), ERR_SYNTAX, bad[i].name);
		OKF(memcmp(&v, &untouched, sizeof v) == 0,
		    "%s: the result is untouched", bad[i].name);
	}
	IS_INT(parse(GOOD, &v), 0);
	OK(v.status == VAL_ANSWERED && v.action == VAL_ALLOW &&
	    v.confidence == 90);
	IS_STR(v.reason, "r");
	IS_STR(v.category, "read");
	IS_STR(v.alternative, "");
	IS_INT(parse(" \n" GOOD "\r\n", &v), 0);
	IS_INT(parse("{" S "," K "," C ",\"action\":\"block\"," R "," N "}",
	    &v), 0);
	IS_INT(v.action, VAL_BLOCK);
	IS_INT(parse("{" N ",\"reason\":\"\\u001b[2J\\u202ex\",\"action\":"
	    "\"warn\"," C "," K "," S "}", &v), 0);
	IS_INT(v.action, VAL_WARN);
	IS_STRN(v.reason, "^[[2J<U+202E>x", "a reason is inert");
	test_confidence();

	memset(big, ' ', sizeof big - 1);
	memcpy(big, GOOD, strlen(GOOD));
	IS_INT(val_parse_reply(big, VAL_REPLY_MAX, NONCE, &v, NULL), 0);
	IS_INT(val_parse_reply(big, VAL_REPLY_MAX + 1, NONCE, &v, &err),
	    ERR_SYNTAX);
	IS_STR(err.text, "answer: longer than 65536 bytes");
	IS_INTN(val_parse_reply(GOOD "\0", strlen(GOOD) + 1, NONCE, &v, NULL),
	    ERR_SYNTAX, "a NUL after it");
	return tap_done();
}
