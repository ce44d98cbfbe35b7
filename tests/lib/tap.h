/* SPDX-License-Identifier: ISC */
/*
 * TAP for C tests.  Every check prints one line; a failure says file, line
 * and what was compared.  tap_done() prints the plan and gives the exit
 * status.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_count, tap_failed;

static inline bool __attribute__((format(printf, 4, 5)))
tap_ok(bool good, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	tap_count++;
	if (!good)
		tap_failed++;
	printf("%sok %d - ", good ? "" : "not ", tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	if (!good)
		printf("# failed at %s:%d\n", file, line);
	fflush(stdout);
	return good;
}

static inline bool
tap_str(const char *got, const char *want, const char *file, int line,
    const char *name)
{
	bool same = (got == NULL) == (want == NULL) &&
	    (got == NULL || strcmp(got, want) == 0);

	tap_ok(same, file, line, "%s", name != NULL ? name : "(no name)");
	if (!same)
		printf("#  got: %s\n# want: %s\n", got != NULL ? got : "NULL",
		    want != NULL ? want : "NULL");
	return same;
}

static inline bool
tap_int(intmax_t got, intmax_t want, const char *file, int line,
    const char *name)
{
	tap_ok(got == want, file, line, "%s", name);
	if (got != want)
		printf("#  got: %" PRIdMAX "\n# want: %" PRIdMAX "\n", got,
		    want);
	return got == want;
}

/* Name every check; the expression itself is a fine name. */
#define OK(expr) tap_ok((expr), __FILE__, __LINE__, "%s", #expr)
#define OKF(expr, ...) tap_ok((expr), __FILE__, __LINE__, __VA_ARGS__)
#define IS_STR(got, want) tap_str((got), (want), __FILE__, __LINE__, #got)
#define IS_STRN(got, want, name) \
	tap_str((got), (want), __FILE__, __LINE__, name)
#define IS_INT(got, want) tap_int((got), (want), __FILE__, __LINE__, #got)
#define IS_INTN(got, want, name) \
	tap_int((got), (want), __FILE__, __LINE__, name)
#define SKIP(n, why) \
	do { \
		int skip_i_; \
		for (skip_i_ = 0; skip_i_ < (n); skip_i_++) \
			printf("ok %d # SKIP %s\n", ++tap_count, (why)); \
	} while (0)

/*
 * N: of a batch whose cases say the same under each compiler and user, every
 * Nth is enough, for another run has had them all (.ci/run).  A row names what
 * is left out.
 */
static inline int
tap_share(const char *of_what)
{
	const char *text = getenv("AEGSH_CHECK_SHARE");
	int n = text != NULL ? atoi(text) : 1;

	if (n <= 1)
		return 1;
	printf("ok %d - %d in %d of %s # SKIP AEGSH_CHECK_SHARE=%d\n",
	    ++tap_count, n - 1, n, of_what, n);
	return n;
}

static inline int
tap_done(void)
{
	/* A plan of no rows would count as skipped. */
	if (tap_count == 0)
		OKF(false, "something was looked at");
	printf("1..%d\n", tap_count);
	return tap_failed > 0;
}

#endif
