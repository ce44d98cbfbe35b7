/* SPDX-License-Identifier: ISC */
/* Values as bash prints them; what it never prints is refused. */
#include "state/state_int.h"

#include <stdlib.h>

#include "aegsh/base/mem.h"
#include "tap.h"

/* want NULL: refused. */
static void
check(const char *text, const char *want, size_t want_used)
{
	const size_t len = strlen(text);
	/* Exactly as long as the text, for the sanitizer to watch. */
	char *copy = malloc(len > 0 ? len : 1);
	struct buf out = BUF_INIT;
	const char *end;

	memcpy(copy, text, len);
	buf_puts(&out, "");
	end = word_value(copy, copy + len, &out);
	if (want == NULL) {
		OKF(end == NULL, "refused: %s", text);
	} else {
		IS_STRN(end == NULL ? NULL : out.len > 0 ? out.data : "", want,
		    text);
		OKF(end == copy + want_used, "and %zu bytes of it",
		    want_used);
	}
	buf_done(&out);
	free(copy);
}

static void
all(const char *text, const char *want)
{
	check(text, want, strlen(text));
}

int
main(void)
{
	size_t n;
	static const char whole[] = "$'a\\001\\x7f\\'\\\\\\n'";

	all("\"\"", "");
	all("\"a b\"", "a b");
	all("\"\\$\\`\\\"\\\\\"", "$`\"\\");
	all("\"a\\b\"", "a\\b");
	all("\"a\\\nb\"", "ab");
	all("\"a\nb\"", "a\nb");
	all("\"\303\251\377\"", "\303\251\377");
	check("\"a\"b", "a", 3);
	all("$''", "");
	all("$'a b'", "a b");
	all("$'\\a\\b\\e\\E\\f\\n\\r\\t\\v\\\\\\'\\\"\\?'",
	    "\a\b\033\033\f\n\r\t\v\\'\"?");
	all("$'\\001\\0011\\18\\377'", "\001" "\001" "1" "\001" "8\377");
	all("$'\\x41\\xfF\\x1g'", "A\377\001g");
	check("$'a'\n", "a", 4);
	check("", NULL, 0);
	check("a", NULL, 0);
	check("'a'", NULL, 0);
	check("\"", NULL, 0);
	check("\"a", NULL, 0);
	check("\"a\\", NULL, 0);
	check("\"$x\"", NULL, 0);
	check("\"`x`\"", NULL, 0);
	check("$", NULL, 0);
	check("$'", NULL, 0);
	check("$'a", NULL, 0);
	check("$'\\", NULL, 0);
	check("$'\\'", NULL, 0);
	check("$'\\z'", NULL, 0);
	check("$'\\x'", NULL, 0);
	check("$'\\000'", NULL, 0);
	check("$'\\400'", NULL, 0);
	check("$'\\x00'", NULL, 0);
	check("$\"a\"", NULL, 0);
	for (n = 0; n + 1 < sizeof(whole); n++) {
		AEG_AUTOFREE char *part = xmemdup0(whole, n);

		check(part, NULL, 0);
	}
	all(whole, "a\001\177'\\\n");
	return tap_done();
}
