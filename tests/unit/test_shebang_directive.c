/* SPDX-License-Identifier: ISC */
#include "shebang/shebang_int.h"
#include "tap.h"

#include <stdlib.h>

#include "aegsh/base/mem.h"

#define P "auto-shebang-"
#define LINES10 "\n\n\n\n\n\n\n\n\n\n"

static const struct {
	const char *name, *head;
	size_t len;		/* 0: strlen(head) */
	bool cut;
	enum shebang_key key;
	const char *want;	/* NULL: not set */
	int rc;
	int unknown;		/* keys that were told */
} cases[] = {
	{ "plain", "# " P "suffixes=a\n", 0, false,
	    SHEBANG_SUFFIXES, "a", 0, 0 },
	{ "no comment sign", P "suffixes=a", 0, false,
	    SHEBANG_SUFFIXES, "a", 0, 0 },
	{ "glued to text before", "x" P "suffixes=a", 0, false,
	    SHEBANG_SUFFIXES, "a", 0, 0 },
	{ "space", P "suffixes=a b", 0, false, SHEBANG_SUFFIXES, "a", 0, 0 },
	{ "tab", P "suffixes=a\tb", 0, false, SHEBANG_SUFFIXES, "a", 0, 0 },
	{ "CR at the end", P "suffixes=a\r\n", 0, false,
	    SHEBANG_SUFFIXES, "a", 0, 0 },
	{ "CR within", P "suffixes=a\rb\n", 0, false,
	    SHEBANG_SUFFIXES, "ab", 0, 0 },
	{ "space before =", P "suffixes =a", 0, false,
	    SHEBANG_SUFFIXES, NULL, 0, 0 },
	{ "space behind =", P "suffixes= a", 0, false, SHEBANG_SUFFIXES, NULL,
	    ERR_SYNTAX, 0 },
	{ "= in the value", P "probe-dirs=a=b", 0, false, SHEBANG_PROBE_DIRS,
	    "a=b", 0, 0 },
	{ "key cut short", P "suffixe=a", 0, false,
	    SHEBANG_SUFFIXES, NULL, 0, 1 },
	{ "key too long", P "suffixess=a", 0, false,
	    SHEBANG_SUFFIXES, NULL, 0, 1 },
	{ "upper case", P "Suffixes=a", 0, false,
	    SHEBANG_SUFFIXES, NULL, 0, 1 },
	{ "no key", P "=a", 0, false, SHEBANG_SUFFIXES, NULL, 0, 1 },
	{ "no value", P "suffixes", 0, false, SHEBANG_SUFFIXES, NULL, 0, 0 },
	{ "prefix alone", P, 0, false, SHEBANG_SUFFIXES, NULL, 0, 0 },
	{ "prefix in capitals", "AUTO-SHEBANG-suffixes=a", 0, false,
	    SHEBANG_SUFFIXES, NULL, 0, 0 },
	{ "last wins", P "suffixes=a\n" P "suffixes=b\n", 0, false,
	    SHEBANG_SUFFIXES, "b", 0, 0 },
	{ "last wins on a line", P "suffixes=a " P "suffixes=b", 0, false,
	    SHEBANG_SUFFIXES, "b", 0, 0 },
	{ "two on a line", P "suffixes=a " P "probe-dirs=b", 0, false,
	    SHEBANG_PROBE_DIRS, "b", 0, 0 },
	{ "inside a value", P "probe-dirs=" P "suffixes=x", 0, false,
	    SHEBANG_SUFFIXES, NULL, 0, 0 },
	{ "behind an unknown key", P "x=" P "suffixes=x", 0, false,
	    SHEBANG_SUFFIXES, "x", 0, 1 },
	{ "doubled prefix", P P "suffixes=x", 0, false, SHEBANG_SUFFIXES, "x",
	    0, 1 },
	{ "known behind two unknown", P "x=1 " P "y=2 " P "suffixes=x", 0,
	    false, SHEBANG_SUFFIXES, "x", 0, 2 },
	{ "line 30", LINES10 LINES10 "\n\n\n\n\n\n\n\n\n" P "suffixes=a", 0,
	    false, SHEBANG_SUFFIXES, "a", 0, 0 },
	{ "line 31", LINES10 LINES10 LINES10 P "suffixes=a", 0, false,
	    SHEBANG_SUFFIXES, NULL, 0, 0 },
	{ "invalid boolean", P "trust-env=on", 0, false, SHEBANG_TRUST_ENV,
	    NULL, ERR_SYNTAX, 0 },
	{ "invalid one that does not count",
	    P "trust-env=on\n" P "trust-env=no", 0, false, SHEBANG_TRUST_ENV,
	    "no", 0, 0 },
	{ "valid one that does not count",
	    P "trust-env=no\n" P "trust-env=on", 0, false, SHEBANG_TRUST_ENV,
	    NULL, ERR_SYNTAX, 0 },
	{ "NUL in the value", P "suffixes=a\0b", sizeof(P "suffixes=a\0b") - 1,
	    false, SHEBANG_SUFFIXES, NULL, ERR_SYNTAX, 0 },
	{ "NUL before", "\0\0" P "suffixes=a",
	    sizeof("\0\0" P "suffixes=a") - 1,
	    false, SHEBANG_SUFFIXES, "a", 0, 0 },
	{ "NUL instead of =", P "suffixes\0=a", sizeof(P "suffixes\0=a") - 1,
	    false, SHEBANG_SUFFIXES, NULL, 0, 0 },
	{ "invalid UTF-8", "\xff\xfe" P "probe-dirs=\xc3\x28", 0, false,
	    SHEBANG_PROBE_DIRS, "\xc3\x28", 0, 0 },
	{ "value goes on past the head", P "probe-dirs=/opt/lo", 0, true,
	    SHEBANG_PROBE_DIRS, NULL, ERR_TOO_LONG, 0 },
	{ "value ended within the head", P "probe-dirs=/opt x", 0, true,
	    SHEBANG_PROBE_DIRS, "/opt", 0, 0 },
	{ "line ended within the head", P "probe-dirs=/opt\n", 0, true,
	    SHEBANG_PROBE_DIRS, "/opt", 0, 0 },
	{ "suffix with slash", P "suffixes=a/b", 0, false, SHEBANG_SUFFIXES,
	    NULL, ERR_SYNTAX, 0 },
};

static void
count_unknown(void *ctx, const struct shebang_step *step)
{
	int *n = ctx;

	if (step->kind == SHEBANG_STEP_UNKNOWN)
		(*n)++;
}

int
main(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(cases); i++) {
		struct shebang_settings s = { 0 };
		int unknown = 0;
		struct shebang_query q = { .trace = count_unknown,
		    .trace_ctx = &unknown };
		size_t len = cases[i].len > 0 ? cases[i].len :
		    strlen(cases[i].head);
		/* Exactly as long, so that a sanitizer sees a read past. */
		char *head = xmalloc(len);
		int rc;

		memcpy(head, cases[i].head, len);
		rc = shebang_directives(&q, head, len, cases[i].cut, &s, NULL);
		IS_INTN(rc, cases[i].rc, cases[i].name);
		if (rc == 0)
			IS_STRN(s.value[cases[i].key], cases[i].want,
			    cases[i].name);
		IS_INTN(unknown, cases[i].unknown, cases[i].name);
		free(head);
		shebang_settings_done(&s);
	}
	return tap_done();
}
