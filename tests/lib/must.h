/* SPDX-License-Identifier: ISC */
/* What holds whatever a fuzzer makes up; where it does not, it has found
 * something. */
#ifndef TESTS_MUST_H
#define TESTS_MUST_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline void
must(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
	abort();
}

#endif
