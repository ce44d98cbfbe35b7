/* SPDX-License-Identifier: ISC */
#include "admin/admin_int.h"
#include "tap.h"

#include <stdlib.h>
#include <time.h>

#define NS INT64_C(1000000000)
/* 2026-08-01 12:34:56 UTC */
#define NOW (INT64_C(1785587696) * NS)

static const struct {
	const char *text;
	int64_t seconds;	/* -1: no time */
} cases[] = {
	{ "@0", 0 },
	{ "@1785587696", 1785587696 },
	{ "0s", 1785587696 },
	{ "90s", 1785587606 },
	{ "2m", 1785587576 },
	{ "1h", 1785584096 },
	{ "1d", 1785501296 },
	{ "1w", 1784982896 },
	{ "today", 1785542400 },
	{ "yesterday", 1785456000 },
	{ "2026-08-01", 1785542400 },
	{ "2026-08-01 12:34", 1785587640 },
	{ "2026-08-01 12:34:56", 1785587696 },
	{ "2026-08-01T12:34:56", 1785587696 },
	{ "2024-02-29", 1709164800 },
	{ "2026-02-30", -1 },
	{ "2026-13-01", -1 },
	{ "", -1 }, { "s", -1 }, { "1", -1 }, { "1y", -1 }, { "-1h", -1 },
	{ "@", -1 }, { "@-1", -1 }, { "@99999999999", -1 },
	{ "99999999999w", -1 }, { "tomorrow", -1 }, { "today ", -1 },
	{ "2026-08-01 ", -1 }, { "1900-01-01", -1 },
};

/* Made of what times are made of: nothing but a moment in range is taken,
 * and nothing is written otherwise. */
static void
any_text(void)
{
	static const char letters[] = "0123456789-: T@smhdwtodayesrn+.";
	unsigned state = 1;
	int i, bad = 0;

	for (i = 0; i < 200000; i++) {
		char text[24];
		int64_t got = -7;
		size_t len = 0, most = (state >> 8) % (sizeof text - 1);

		for (; len < most; len++) {
			state = state * 1103515245 + 12345;
			text[len] = letters[(state >> 16) %
			    (sizeof letters - 1)];
		}
		text[len] = '\0';
		state = state * 1103515245 + 12345;
		if (admin_time_parse(text, NOW, &got) < 0 ? got != -7 :
		    got > INT64_C(4000000000) * NS || got % NS != 0) {
			printf("# '%s': %" PRId64 "\n", text, got);
			bad++;
		}
	}
	IS_INT(bad, 0);
}

/* What is shown is understood, to the second. */
static void
there_and_back(void)
{
	int64_t s, got;
	int bad = 0;

	for (s = 0; s < INT64_C(4000000000); s += 7654321) {
		char text[ADMIN_TIME_MAX];

		admin_time_show(s * NS, text);
		bad += admin_time_parse(text, NOW, &got) < 0 || got != s * NS;
	}
	IS_INT(bad, 0);
}

int
main(void)
{
	char text[ADMIN_TIME_MAX];
	size_t i;

	setenv("TZ", "UTC", 1);
	tzset();
	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int64_t got = -7;
		int rc = admin_time_parse(cases[i].text, NOW, &got);

		OKF(cases[i].seconds < 0 ? rc < 0 && got == -7 :
		    rc == 0 && got == cases[i].seconds * NS, "'%s'",
		    cases[i].text);
		if (rc == 0 && got != cases[i].seconds * NS)
			printf("# got %" PRId64 "\n", got / NS);
	}
	admin_time_show(NOW, text);
	IS_STR(text, "2026-08-01 12:34:56");
	admin_time_json(NOW + 5, text);
	IS_STR(text, "2026-08-01T12:34:56.000000005Z");
	admin_span_show(1500000, text);
	IS_STR(text, "1.5ms");
	admin_span_show(NS * 3 / 2, text);
	IS_STR(text, "1.5s");
	admin_span_show(NS * 61, text);
	IS_STR(text, "1m01s");
	admin_span_show(NS * 7260, text);
	IS_STR(text, "2h01m");
	any_text();
	there_and_back();
	/* Local time, summer and winter. */
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	IS_INT(admin_time_parse("2026-08-01 12:00", NOW, &(int64_t){ 0 }), 0);
	admin_time_show(NOW, text);
	IS_STR(text, "2026-08-01 14:34:56");
	return tap_done();
}
