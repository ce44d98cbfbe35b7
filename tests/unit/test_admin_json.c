/* SPDX-License-Identifier: ISC */
#include "admin/admin_int.h"
#include "tap.h"

#include <stdlib.h>

static void
gives(const char *p, size_t len, const char *want)
{
	struct admin a = { 0 };
	char *text = NULL;
	size_t size = 0;
	json_t *o = json_object();

	a.out = open_memstream(&text, &size);
	admin_json_bytes(o, "k", p, len);
	admin_json_print(&a, o);
	fclose(a.out);
	IS_STRN(text, want, want);
	free(text);
}

int
main(void)
{
	json_t *s;

	gives("plain", 5, "{\"k\":\"plain\"}\n");
	gives("", 0, "{\"k\":\"\"}\n");
	gives(NULL, 0, "{\"k\":null}\n");
	gives("a\"b\\", 4, "{\"k\":\"a\\\"b\\\\\"}\n");
	gives("\033[2J\n", 5, "{\"k\":\"\\u001B[2J\\n\"}\n");
	gives("\xc3\xa4", 2, "{\"k\":\"\\u00E4\"}\n");
	/* right-to-left override, C1 CSI, an astral plane */
	gives("\xe2\x80\xae", 3, "{\"k\":\"\\u202E\"}\n");
	gives("\xc2\x9b", 2, "{\"k\":\"\\u009B\"}\n");
	gives("\xf0\x9f\x98\x80", 4, "{\"k\":\"\\uD83D\\uDE00\"}\n");
	gives("a\xff" "b", 3,
	    "{\"k\":\"a\\uFFFDb\",\"k_hex\":\"61ff62\"}\n");
	gives("\xc3", 1, "{\"k\":\"\\uFFFD\",\"k_hex\":\"c3\"}\n");
	gives("\xed\xa0\x80", 3, "{\"k\":\"\\uFFFD\\uFFFD\\uFFFD\","
	    "\"k_hex\":\"eda080\"}\n");
	s = admin_json_string("x\xffy");
	IS_STR(json_string_value(s), "x\xef\xbf\xbdy");
	json_decref(s);
	return tap_done();
}
